/* Appending operations for the public builder: attributes, operands, explicit broadcasting. */
#include "forms/building.h"

#include <assert.h>

#include "base/text/text.h"
#include "ops/shape.h"

/* ---- attributes ----------------------------------------------------------------------------- */

static const char *op_text(const attr_list *l)
{
    return op_table[l->op].text;
}

static attr *entry(attr_list *l, attr_key key)
{
    attr *a = &l->at[l->n++];
    *a = (attr){.key = (uint8_t)key};
    return a;
}

void add_int(attr_list *l, attr_key key, int64_t i)
{
    entry(l, key)->v.i = i;
}

void add_float(attr_list *l, attr_key key, double f)
{
    entry(l, key)->v.f = f;
}

void add_ints(attr_list *l, attr_key key, tn_ints ints)
{
    static const int64_t none;
    attr *a = entry(l, key);
    a->v.ints = ints.n ? ints.at : &none;
    a->n = (uint32_t)ints.n;
    if (builder_list(l->b, op_text(l), ints.at, ints.n) && ints.n > MOST_ENTRIES)
        builder_fail(l->b, DIAG_Usage, op_text(l), "'%s' cannot have %zu entr%s",
                     attr_keys[key].name, ints.n, plural_as(ints.n, "y", "ies"));
}

void add_dtype(attr_list *l, attr_key key, tn_dtype dtype)
{
    if (dtype != TN_DTYPE_DEFAULT && builder_dtype(l->b, op_text(l), dtype))
        add_int(l, key, dtype);
}

bool scalar_for(tn_dtype d, double x, scalar *out)
{
    scalar s = dtype_is_complex(d) ? scalar_of_complex(x, 0) : scalar_of_float(x);
    if (dtype_is_complex(d) || dtype_is_float(d)) {
        *out = s;
        return true;
    }
    return scalar_is_exact(s, d) && scalar_cast(s, d, out);
}

void add_scalar(attr_list *l, attr_key key, double x, tn_value like)
{
    const type *t = builder_type(l->b, like);
    if (!t)
        return; /* the operand will be reported */
    if (!scalar_for(t->dtype, x, &l->s))
        builder_fail(l->b, DIAG_InvalidAttribute, op_text(l), "%g is no value of type %s", x,
                     dtype_name(t->dtype));
    entry(l, key)->v.scalar = &l->s;
}

void add_element(attr_list *l, attr_key key, const void *data, tn_value like)
{
    const type *t = builder_type(l->b, like);
    if (!t)
        return; /* the operand will be reported */
    if (!data || !dtype_holds(t->dtype, data, dtype_bytes(t->dtype))) {
        builder_fail(l->b, DIAG_InvalidAttribute, op_text(l), "'%s' %s%s", attr_keys[key].name,
                     data ? "is out of range: " : "is NULL", data ? dtype_range(t->dtype) : "");
        return;
    }
    l->s = scalar_load(t->dtype, data);
    entry(l, key)->v.scalar = &l->s;
}

void add_string(attr_list *l, attr_key key, const char *text)
{
    if (!is_building(l->b))
        return;
    if (!text) {
        builder_fail(l->b, DIAG_Usage, op_text(l), "'%s' is NULL", attr_keys[key].name);
        return;
    }
    const char *own = module_string(l->b->m, text, strlen(text));
    if (!own)
        builder_no_memory(l->b);
    entry(l, key)->v.s = own;
}

/* ---- appending ------------------------------------------------------------------------------ */

static tn_value value_in(const tn_builder *b, value_id id)
{
    return (tn_value){builder_scope(b), id};
}

static value_id append_ids(attr_list *l, const value_id *in, uint32_t n_in)
{
    tn_builder *b = l->b;
    function *f = current_function(b);
    builder g = builder_on(f, b->at);
    g.name = b->label; /* for the diagnostics of the type rule */
    value_id first = build_node(&g, l->op, in, n_in, l->at, l->n);
    if (first == NO_VALUE) {
        builder_failed(b, op_text(l), g.status);
        return NO_VALUE;
    }
    node *n = &f->nodes.at[f->nodes.n - 1];
    n->name = NULL; /* labels are not unique, names are */
    n->tag = b->label;
    n->place = f->nodes.n - f->inputs.n; /* its number when the program is written */
    return first;
}

enum { FEW_OPERANDS = 8 };

/* The first result, or NO_VALUE. */
static value_id append_node(attr_list *l, const tn_value *in, size_t n_in)
{
    tn_builder *b = l->b;
    value_id few[FEW_OPERANDS], *ids = few, first = NO_VALUE;
    if (!builder_list(b, op_text(l), in, n_in))
        return NO_VALUE;
    if (n_in > UINT32_MAX / sizeof *ids) {
        builder_fail(b, DIAG_LimitExceeded, op_text(l), "%zu operands are too many", n_in);
        return NO_VALUE;
    }
    if (n_in > FEW_OPERANDS && !(ids = memory_alloc(&b->cx->allocator, n_in * sizeof *ids))) {
        builder_no_memory(b);
        return NO_VALUE;
    }
    bool ok = true;
    for (size_t i = 0; ok && i < n_in; i++)
        ok = builder_operand(b, op_text(l), in[i], &ids[i], NULL);
    if (ok)
        first = append_ids(l, ids, (uint32_t)n_in);
    if (ids != few)
        memory_free(&b->cx->allocator, ids, n_in * sizeof *ids);
    return first;
}

tn_value append(attr_list *l, const tn_value *in, size_t n_in)
{
    value_id first = append_node(l, in, n_in);
    return first == NO_VALUE ? tn_no_value() : value_in(l->b, first);
}

void append_many(attr_list *l, const tn_value *in, size_t n_in, tn_value *out, size_t n_out)
{
    for (size_t i = 0; i < n_out; i++)
        out[i] = tn_no_value();
    value_id first = append_node(l, in, n_in);
    if (first == NO_VALUE)
        return;
    const function *f = current_function(l->b);
    const uint32_t n =
        f->nodes.at[f->nodes.n - 1].n_results; /* 0: FIRST is not the number of a value */
    if (n != n_out) {
        builder_fail(l->b, DIAG_Usage, op_text(l), "room for %zu result%s, but there are %u", n_out,
                     plural(n_out), (unsigned)n);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        out[i] = value_in(l->b, first + i);
}

/* ---- elementwise ---------------------------------------------------------------------------- */

/* X, with the extents of S where it has 1 or no axis; X itself where that changes nothing. */
static tn_value spread(tn_builder *b, tn_value x, const type *t, const shape *s)
{
    dim dims[TN_MAX_RANK];
    uint32_t missing = s->rank - t->rank;
    bool same = missing == 0;
    for (uint32_t i = 0; i < s->rank; i++) {
        dims[i] = i < missing || t->dims[i - missing] == 1 ? s->dims[i] : t->dims[i - missing];
        same = same && dims[i] == t->dims[i];
    }
    return same ? x : tn_broadcast(b, x, (tn_ints){dims, s->rank});
}

tn_value append_elementwise(attr_list *l, const tn_value *in, uint32_t n_in)
{
    enum { MOST = 3 };
    tn_value wide[MOST];
    const type *types[MOST];
    shape s = {0};
    value_id id;
    bool fits = true;
    assert(n_in <= MOST);
    for (uint32_t i = 0; i < n_in; i++)
        if (!builder_operand(l->b, op_text(l), in[i], &id, &types[i]))
            return tn_no_value();
    for (uint32_t i = 0; i < n_in && fits; i++) {
        shape both;
        fits = broadcast_shapes(s.dims, s.rank, types[i]->dims, types[i]->rank, &both).kind ==
               SHAPE_OK;
        s = fits ? both : s;
    }
    if (!fits) /* the type rule says why */
        return append(l, in, n_in);
    for (uint32_t i = 0; i < n_in; i++)
        wide[i] = spread(l->b, in[i], types[i], &s);
    return append(l, wide, n_in);
}
