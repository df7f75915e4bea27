/* Branches, and what all operators with graphs inside share. */
#include <inttypes.h>

#include "base/text/text.h"
#include "dialect/onnx/ops/flow/op_flow.h"

tn_value onnx_scalar(onnx_call *c, tn_value x, tn_dtype d)
{
    return tn_cast(c->b, tn_reshape(c->b, x, (tn_ints){0}), d);
}

bool onnx_in_is_one(onnx_call *c, uint32_t k, tn_dtype d)
{
    const type *t = onnx_in_type(c, k);
    if (!t)
        return !onnx_has_in(c, k);
    bool ok = t->dtype == d;
    for (uint32_t i = 0; ok && i < t->rank; i++)
        ok = t->dims[i] == 1 || dim_is_symbolic(t->dims[i]);
    return ok || onnx_refuse(c, t->dtype == d ? DIAG_ElementCountMismatch : DIAG_DTypeMismatch,
                             "input %" PRIu32 " is one element of %s, not %s", k, dtype_name(d),
                             type_text(&c->im->memory, &c->im->m->types, t));
}

const onnx_graph *onnx_inner_graph(onnx_call *c, const char *name)
{
    const onnx_attribute *a = onnx_attr_of(c, name, ONNX_GRAPH);
    if (a && a->g)
        return a->g;
    (void)onnx_refuse(c, DIAG_MissingAttribute, "it needs the graph '%s'", name);
    return NULL;
}

tn_value *onnx_room(onnx_call *c, uint32_t n)
{
    tn_value *room = ARENA_ARRAY(&c->im->memory, tn_value, (size_t)n + 1);
    if (!room)
        (void)onnx_no_memory(c->im);
    return room;
}

bool onnx_all_data(onnx_call *c, onnx_value *values, uint32_t n, tn_value *out)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!onnx_is_tensor(&values[i]))
            return onnx_refuse(c, DIAG_Sequence,
                               "a sequence or an optional value, which is no data of a run, "
                               "crosses its border");
        out[i] = onnx_data_of(c->im, &values[i]);
        if (!tn_is_value(out[i]))
            return false;
    }
    return true;
}

/* Can values of type X be used where ones of type Y are? */
static bool fits(const type *x, const type *y)
{
    bool same = x->dtype == y->dtype && x->rank == y->rank;
    for (uint32_t i = 0; same && i < x->rank; i++)
        same =
            x->dims[i] == y->dims[i] || dim_is_symbolic(x->dims[i]) || dim_is_symbolic(y->dims[i]);
    return same;
}

bool onnx_same_types(onnx_call *c, const char *what, const tn_value *got, const tn_value *wanted,
                     uint32_t n)
{
    arena *memory = &c->im->memory;
    const type_table *types = &c->im->m->types;
    for (uint32_t i = 0; i < n; i++) {
        const type *x = onnx_type_of(c, got[i]), *y = onnx_type_of(c, wanted[i]);
        if (!x || !y)
            return false;
        if (!fits(x, y))
            return onnx_refuse(c, DIAG_DataDependentShape, "%s %" PRIu32 " is %s here and %s there",
                               what, i, type_text(memory, types, x), type_text(memory, types, y));
    }
    return true;
}

/* ---- If ---- */

/* A branch as a region. DATA are the N results of that: of a sequence each element is one. */
typedef struct branch {
    tn_region region;
    onnx_value *values; /* the outputs of its graph */
    tn_value *data;
    uint32_t n;
} branch;

static bool spread(onnx_call *c, branch *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_out; i++)
        n += b->values[i].items ? b->values[i].items->n : 1;
    if (!(b->data = onnx_room(c, n)))
        return false;
    for (uint32_t i = 0; i < c->n_out; i++) {
        onnx_value *v = &b->values[i];
        const onnx_items items = v->items ? *v->items : (onnx_items){v, 1};
        if (!onnx_all_data(c, items.at, items.n, &b->data[b->n]))
            return false;
        b->n += items.n;
    }
    return true;
}

static bool read_branch(const onnx_captures *s, const onnx_graph *g, branch *b)
{
    onnx_call *c = s->c;
    onnx_scope around = {0};
    tn_value *params = onnx_room(c, s->data.n);
    *b = (branch){.values = ARENA_ARRAY(&c->im->memory, onnx_value, (size_t)c->n_out + 1)};
    if (!b->values || !params)
        return onnx_no_memory(c->im);
    tn_region_begin(c->b, c->op->name);
    onnx_scope scope = {
        .outer = &around, .imports = c->scope->imports, .depth = c->scope->depth + 1};
    const bool ok = onnx_enter(s, &around, params) &&
                    onnx_read_body(c, &scope, g, NULL, 0, b->values, c->n_out) && spread(c, b);
    onnx_scope_release(c->im, &scope);
    onnx_scope_release(c->im, &around);
    if (ok)
        b->region = tn_region_end(c->b, (tn_values){b->data, b->n});
    return ok;
}

/* Are the same outputs of both branches sequences, and as long? Refused unless. */
static bool same_sequences(onnx_call *c, const branch *yes, const branch *no)
{
    for (uint32_t i = 0; i < c->n_out; i++) {
        const onnx_items *x = yes->values[i].items, *y = no->values[i].items;
        if (!x != !y)
            return onnx_refuse(c, DIAG_Sequence, "output %" PRIu32 " is a sequence in one branch",
                               i);
        if (x && x->n != y->n)
            return onnx_refuse(c, DIAG_Sequence,
                               "output %" PRIu32 " is a sequence of %" PRIu32
                               " element%s in one branch and of %" PRIu32 " in the other",
                               i, x->n, plural(x->n), y->n);
    }
    return true;
}

/* OUT, the results of a branch with outputs like those of B, as results of the node. */
static bool give_results(onnx_call *c, const branch *b, const tn_value *out)
{
    for (uint32_t i = 0; i < c->n_out; i++) {
        const onnx_items *items = b->values[i].items;
        onnx_value *at = items ? onnx_new_items(c, i, items->n) : NULL;
        if (items && !at)
            return false;
        for (uint32_t k = 0; items && k < items->n; k++)
            at[k] = (onnx_value){.v = *out++};
        if (!items && !onnx_give(c, i, *out++))
            return false;
    }
    return true;
}

static bool run_branches(onnx_captures *s, const onnx_graph *yes, const onnx_graph *no)
{
    onnx_call *c = s->c;
    branch one, other;
    if (!onnx_capture(s, yes) || !onnx_capture(s, no) || !read_branch(s, yes, &one) ||
        !read_branch(s, no, &other) || !same_sequences(c, &one, &other) ||
        !onnx_same_types(c, "of its two branches result", one.data, other.data, one.n)) {
        onnx_advise_known(c, "a condition that is known takes one branch");
        return false;
    }
    tn_value *out = onnx_room(c, one.n);
    if (!out)
        return false;
    const tn_value p = onnx_scalar(c, onnx_in(c, 0), TN_I1);
    tn_cond(c->b, p, one.region, other.region, (tn_values){s->data.at, s->data.n}, out, one.n);
    return give_results(c, &one, out);
}

static bool take_branch(onnx_call *c, const onnx_graph *g)
{
    onnx_value *results = ARENA_ARRAY(&c->im->memory, onnx_value, (size_t)c->n_out + 1);
    if (!results)
        return onnx_no_memory(c->im);
    if (!onnx_inline(c, g, NULL, 0, results, c->n_out))
        return false;
    for (uint32_t i = 0; i < c->n_out; i++)
        (void)onnx_give_value(c, i, &results[i]);
    return true;
}

/* A branch whose condition is known takes the place of the node. */
bool onnx_op_if(onnx_call *c)
{
    const known_value *p = onnx_in_known(c, 0);
    const onnx_graph *yes = onnx_inner_graph(c, "then_branch");
    const onnx_graph *no = onnx_inner_graph(c, "else_branch");
    if (!yes || !no)
        return false;
    if (c->n_out == 0)
        return onnx_refuse(c, DIAG_ArityMismatch, "it has no outputs");
    if (yes->outputs.n != no->outputs.n)
        return onnx_refuse(c, DIAG_RegionSignature,
                           "its branches have %" PRIu32 " and %" PRIu32 " outputs", yes->outputs.n,
                           no->outputs.n);
    if (!onnx_in_is_one(c, 0, TN_I1))
        return false;
    if (p && p->n == 1 && !p->at[0].is_size)
        return take_branch(c, p->at[0].i ? yes : no);
    onnx_captures s = {.c = c};
    const bool ok = run_branches(&s, yes, no);
    onnx_captures_release(&s);
    return ok;
}
