/* The walk over operations: one at a time, regions, and functions in the place of their calls. */
#include "dialect/mlir/hlo/shlo.h"

#include <inttypes.h>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "dialect/mlir/hlo/lower.h"

bool shlo_is_return(const mir_op *op)
{
    return op->row && op->row->lower == shlo_lower_return;
}

/* ---- what every operation is checked for ---- */

static bool refuse_unknown(shlo_call *c)
{
    const mir_text name = c->op->name;
    const uint32_t n = c->r->refusals.list.n;
    (void)shlo_refuse(c, DIAG_UnknownOp, "this operation is not read");
    if (c->r->refusals.list.n == n)
        return false;
    suggestion like;
    suggest_begin(&like, name.at, name.n);
    for (uint32_t i = 0; i < c->r->rows.n; i++)
        suggest_name(&like, c->r->rows.at[i]->name, strlen(c->r->rows.at[i]->name));
    if (like.name[0])
        shlo_advise(c->r, arena_printf(&c->r->memory, "did you mean '%s'?", like.name));
    return false;
}

/* There are N of WHAT, and the operation has LEAST to MOST. */
static bool refuse_count(shlo_call *c, const char *what, uint32_t n, uint32_t least, uint32_t most)
{
    const uint32_t wanted = n < least ? least : most;
    return shlo_refuse(c, DIAG_ArityMismatch, "it takes %s%" PRIu32 " %s%s, not %" PRIu32,
                       least == most ? ""
                       : n < least   ? "at least "
                                     : "at most ",
                       wanted, what, plural(wanted), n);
}

static bool right_arity(shlo_call *c)
{
    const mir_op *o = c->op;
    const mir_row *row = o->row;
    if (o->n_in < row->min_in || o->n_in > row->max_in)
        return refuse_count(c, "operand", o->n_in, row->min_in, row->max_in);
    if (row->n_out >= 0 && o->n_out != (uint32_t)row->n_out)
        return refuse_count(c, "result", o->n_out, (uint32_t)row->n_out, (uint32_t)row->n_out);
    return row->n_regions == MIR_ANY || o->n_regions == row->n_regions ||
           refuse_count(c, "region", o->n_regions, (uint32_t)row->n_regions,
                        (uint32_t)row->n_regions);
}

/* Is NAME among the attributes of ROW? */
static bool has_attr(const mir_row *row, mir_text name)
{
    for (const char *p = row->attrs; *p;) {
        const size_t n = strcspn(p, " ");
        const char *equals = memchr(p, '=', n);
        const size_t skip = equals ? (size_t)(equals + 1 - p) : 0;
        if (mir_same((mir_text){p + skip, n - skip}, name))
            return true;
        p += n + (p[n] == ' ');
    }
    return false;
}

static bool known_attrs(shlo_call *c)
{
    static const char *const anywhere[] = {"result_accuracy", "xla_shape", "result_layout"};
    const mir_fields *list = &c->op->attrs;
    for (uint32_t i = 0; i < list->n; i++) {
        const mir_text name = list->at[i].name;
        bool known = (name.n && memchr(name.at, '.', name.n)) || has_attr(c->op->row, name);
        for (size_t k = 0; !known && k < sizeof anywhere / sizeof *anywhere; k++)
            known = mir_is(name, anywhere[k]);
        if (!known)
            return shlo_refuse(c, DIAG_InvalidAttribute, "it has no attribute '%.*s'",
                               MIR_TEXT(name));
    }
    return true;
}

/* ---- results ---- */

static bool fits(const shlo_call *c, const mir_type *declared, const type *t)
{
    const bool is_lifted = c->r->lift.n > 0;
    const tn_dtype d = is_lifted ? declared->dtype : mir_stored(declared);
    bool same = d == t->dtype && (is_lifted || declared->rank == t->rank);
    for (uint32_t i = 0; same && !is_lifted && i < t->rank; i++)
        same = declared->dims[i] == MIR_UNKNOWN || dim_is_symbolic(t->dims[i]) ||
               declared->dims[i] == t->dims[i];
    return same;
}

/* The results have the types that the text says. */
static bool check_results(shlo_call *c)
{
    const mir_op *o = c->op;
    for (uint32_t k = 0; k < o->n_out; k++) {
        const shlo_value *v = &c->frame->values[o->out[k].number];
        const mir_type *declared = o->out[k].type;
        if (v->is_token || v->parts || v->is_faulty)
            continue;
        const type *t = shlo_value_type(c->r, v);
        if (!t)
            return shlo_refuse(c, DIAG_NotImplemented, "result %u is not computed", (unsigned)k);
        if (declared->kind != MIR_TENSOR || !fits(c, declared, t))
            return shlo_refuse(
                c, DIAG_TypeMismatch, "result %u has the type %s, and %.*s is written", (unsigned)k,
                type_text(&c->r->memory, &c->r->m->types, t), MIR_TEXT(declared->text));
    }
    return true;
}

/* ---- one operation ---- */

/* The builder reported a fault; others can be read all the same. */
static void recover(shlo_reader *r)
{
    if (r->b.status == TN_ERR_NOMEM)
        r->no_memory = true;
    r->b.status = TN_OK;
}

static bool has_types(shlo_call *c)
{
    for (uint32_t k = 0; k < c->op->n_out; k++)
        if (c->op->out[k].type->kind == MIR_REFUSED)
            return shlo_refuse(c, DIAG_DTypeNotSupported, "%s", c->op->out[k].type->refused);
    return true;
}

/* What nodes of the operation are marked with: where it comes from, else where the call does that
 * it stands in. */
static const char *label_of(shlo_call *c)
{
    const char *own = shlo_origin(c);
    if (!own)
        return c->b->label;
    own = module_string(c->r->m, own, strlen(own));
    if (!own)
        (void)shlo_no_memory(c->r);
    return own;
}

static bool run(shlo_call *c)
{
    shlo_reader *r = c->r;
    const mir_op *o = c->op;
    if (o->is_unread || !o->row)
        return refuse_unknown(c);
    bool ok = true;
    for (uint32_t k = 0; k < o->n_in; k++)
        ok = ok && !shlo_value_of(c, k)->is_faulty;
    if (!ok || !right_arity(c) || !known_attrs(c) || !has_types(c))
        return false;
    const uint32_t n_scopes = r->b.scopes.n;
    const span outer = r->b.at;
    const char *outer_label = r->b.label;
    c->arg = o->row->arg;
    r->b.at = o->at;
    r->b.label = label_of(c);
    bool of_sizes;
    const known_value *known = shlo_known_result(c, &of_sizes);
    ok = known && known_has_sizes(known) ? shlo_give_known(c, 0, known)
         : shlo_is_quantised(c)          ? shlo_lower_quantised(c)
                                         : o->row->lower(c);
    ok = ok && r->b.status == TN_OK && check_results(c);
    if (ok && o->n_out == 1) {
        shlo_value *v = &c->frame->values[o->out[0].number];
        v->known = known ? known : v->known;
        v->is_of_sizes = v->is_of_sizes || of_sizes;
    }
    r->b.scopes.n = n_scopes; /* regions that a failure left open */
    if (r->b.status != TN_OK)
        recover(r);
    else if (!ok && !r->no_memory && r->refusals.list.n == 0 &&
             r->m->cx->diag.n_errors == r->n_errors)
        (void)shlo_refuse(c, DIAG_InternalError, "it was refused without a reason");
    r->b.at = outer;
    r->b.label = outer_label;
    return ok;
}

/* Functions that call others twice, and so on, stand for many operations in a short text: what is
 * lowered again gets a part of the limit. */
static bool is_too_large(shlo_reader *r, const mir_op *op)
{
    enum { PART = 8 };
    const uint64_t most = r->m->cx->limits.nodes;
    const bool was_over = r->n_ops > most || r->n_copied > most / PART;
    r->n_ops++;
    r->n_copied += r->is_copy;
    if (r->n_ops <= most && r->n_copied <= most / PART)
        return false;
    if (!was_over)
        (void)shlo_refuse_at(r, DIAG_LimitExceeded, "", op->at,
                             r->is_copy ? "calls of its functions stand for more operations than "
                                          "the limit allows"
                                        : "it has more operations than the limit");
    return true;
}

bool shlo_lower_op(shlo_reader *r, shlo_frame *f, const mir_op *op)
{
    shlo_call c = {.r = r, .b = &r->b, .frame = f, .op = op};
    if (is_too_large(r, op))
        return false;
    const bool ok = run(&c);
    for (uint32_t k = 0; k < op->n_out && !ok; k++)
        f->values[op->out[k].number] = (shlo_value){.is_faulty = true};
    return !r->no_memory;
}

/* ---- regions ---- */

bool shlo_region(shlo_reader *r, shlo_frame *f, const mir_region *region, span at, shlo_value *out,
                 uint32_t n)
{
    const mir_op *last = region->n_ops ? region->ops[region->n_ops - 1] : NULL;
    if (!last || !shlo_is_return(last))
        return shlo_refuse_at(r, DIAG_RegionSignature, "", at,
                              "the region does not end with a return");
    for (uint32_t i = 0; i + 1 < region->n_ops; i++)
        if (!shlo_lower_op(r, f, region->ops[i]))
            return false;
    if (last->n_in != n)
        return shlo_refuse_at(r, DIAG_RegionSignature, "", last->at,
                              "%u value%s returned instead of %u", (unsigned)last->n_in,
                              plural(last->n_in), (unsigned)n);
    bool ok = true;
    for (uint32_t k = 0; k < n; k++) {
        out[k] = f->values[last->in[k]->number];
        ok = ok && !out[k].is_faulty;
    }
    return ok;
}

/* ---- functions ---- */

bool shlo_frame_open(shlo_reader *r, const mir_function *f, const shlo_value *args, shlo_frame *out)
{
    const tn_allocator *a = r->m->allocator;
    const size_t n = f->n_values ? f->n_values : 1;
    *out = (shlo_frame){.f = f,
                        .values = memory_alloc(a, n * sizeof *out->values),
                        .seen = memory_alloc(a, n * sizeof *out->seen)};
    if (!out->values || !out->seen)
        return shlo_no_memory(r);
    memset(out->values, 0, n * sizeof *out->values);
    memset(out->seen, 0, n * sizeof *out->seen);
    for (uint32_t i = 0; i < f->body.n_args; i++)
        out->values[f->body.args[i].number] = args[i];
    return true;
}

void shlo_frame_close(shlo_reader *r, const mir_function *f, shlo_frame *frame)
{
    const size_t n = f->n_values ? f->n_values : 1;
    memory_free(r->m->allocator, frame->values, n * sizeof *frame->values);
    memory_free(r->m->allocator, frame->seen, n * sizeof *frame->seen);
}

bool shlo_function(shlo_reader *r, mir_function *f, const shlo_value *args, shlo_value *out)
{
    shlo_frame frame;
    const bool is_copy = r->is_copy;
    bool ok = shlo_frame_open(r, f, args, &frame);
    if (ok) {
        r->is_copy = is_copy || f->was_lowered;
        f->is_open = true;
        ok = shlo_region(r, &frame, &f->body, f->at, out, f->n_results);
        f->is_open = false;
        f->was_lowered = true;
        r->is_copy = is_copy;
    }
    shlo_frame_close(r, f, &frame);
    return ok;
}

/* Value K, which is a WHAT of F, has the type A in one place and B in the other. */
static bool types_suit(shlo_call *c, const mir_function *f, const char *what, uint32_t k,
                       const mir_type *a, const mir_type *b)
{
    return mir_agree(a, b) ||
           shlo_refuse(c, DIAG_TypeMismatch, "%s %u of '@%.*s' has the type %.*s, and %.*s here",
                       what, (unsigned)k, MIR_TEXT(f->name), MIR_TEXT(b->text), MIR_TEXT(a->text));
}

/* Operands from FIRST on, what F returns and the results have the types that F declares. */
static bool has_signature(shlo_call *c, const mir_function *f, uint32_t first)
{
    const mir_op *o = c->op, *last = f->body.n_ops ? f->body.ops[f->body.n_ops - 1] : NULL;
    for (uint32_t i = 0; i < f->body.n_args; i++)
        if (!types_suit(c, f, "argument", i, o->in[first + i]->type, f->body.args[i].type))
            return false;
    for (uint32_t k = 0; k < f->n_results && k < o->n_out; k++)
        if (!types_suit(c, f, "result", k, o->out[k].type, f->results[k]))
            return false;
    for (uint32_t k = 0; last && shlo_is_return(last) && k < f->n_results && k < last->n_in; k++)
        if (last->in[k]->type && !types_suit(c, f, "result", k, last->in[k]->type, f->results[k]))
            return false;
    return true;
}

bool shlo_inline(shlo_call *c, mir_function *f, uint32_t first, shlo_value *out)
{
    shlo_reader *r = c->r;
    const uint32_t n = c->op->n_in - first;
    if (f->is_open)
        return shlo_refuse(c, DIAG_Cycle, "the function '@%.*s' calls itself", MIR_TEXT(f->name));
    if (!f->has_body)
        return shlo_refuse(c, DIAG_UndefinedName, "the function '@%.*s' has no body",
                           MIR_TEXT(f->name));
    if (r->call_depth >= r->m->cx->limits.nesting)
        return shlo_refuse(c, DIAG_LimitExceeded, "functions call each other too deeply");
    if (f->body.n_args != n)
        return shlo_refuse(c, DIAG_ArityMismatch, "%u operand%s for a function of %u", (unsigned)n,
                           plural(n), (unsigned)f->body.n_args);
    if (!has_signature(c, f, first))
        return false;
    shlo_value *args = ARENA_ARRAY(&r->memory, shlo_value, n);
    if (!args)
        return shlo_no_memory(r);
    for (uint32_t i = 0; i < n; i++)
        args[i] = *shlo_value_of(c, first + i);
    r->call_depth++;
    const bool ok = shlo_function(r, f, args, out);
    r->call_depth--;
    return ok;
}
