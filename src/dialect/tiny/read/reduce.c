/* REDUCE: sources are converted to `dtype`, combined in it, and the axes go. */
#include "dialect/tiny/read/reader.h"

#include <inttypes.h>

static bool read_op(reader *r, entry *e, op_id *op)
{
    static const struct {
        const char *name;
        op_id op;
    } ops[] = {
        {"SUM", OP_SUM}, {"MAX", OP_REDUCE_MAX}, {"MIN", OP_REDUCE_MIN}, {"PROD", OP_REDUCE_PROD}};
    const json_value *v = need(r, e, "op");
    if (!v)
        return false;
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (value_is(v, ops[i].name)) {
            *op = ops[i].op;
            if (*op == OP_REDUCE_PROD)
                extension(r, e, v->at, "REDUCE with 'PROD'");
            return true;
        }
    (void)fault(r, e, DIAG_InvalidAttribute, v->at, "'op' of 'REDUCE' is SUM, MAX, MIN or PROD");
    suggest_word(r, v, "SUM MAX MIN PROD");
    return false;
}

static bool no_dtype(reader *r, entry *e, op_id op, tn_dtype from)
{
    const char *name = tiny_dtype_name(dtype_is_float(from) ? TN_F32 : from);
    (void)fault(r, e, DIAG_AccDtypeMissing, e->at,
                "'REDUCE' must say in which element type it accumulates: 'dtype'");
    if (json_member_of(e->arg, "acc_dtype")) {
        offer_name(r, e->arg, "acc_dtype", "dtype");
        return false;
    }
    if (from == TN_I1 && (op == OP_SUM || op == OP_REDUCE_PROD)) { /* bool does not add */
        diag_fix(&r->m->cx->diag, NO_SPAN, NULL, "say in which element type to count");
        return false;
    }
    const char *text = arena_printf(&r->memory, "\"dtype\":\"%s\"%s", name, e->arg->n ? "," : "");
    if (text)
        diag_fix(&r->m->cx->diag, (span){e->arg->at.at + 1, 0}, text, "accumulate in %s", name);
    return false;
}

static bool check_dtype(reader *r, entry *e, span at, op_id op, tn_dtype from, tn_dtype d)
{
    const bool adds = op == OP_SUM || op == OP_REDUCE_PROD;
    if (adds && d == TN_I1)
        return fault(r, e, DIAG_DTypeMismatch, at, "'REDUCE' cannot add or multiply in bool");
    if (adds && is_strict(r) && (from == TN_F16 || from == TN_BF16) && d != TN_F32) {
        (void)fault(r, e, DIAG_DTypeMismatch, at, "'REDUCE' must accumulate %s in fp32, not %s",
                    tiny_dtype_name(from), tiny_dtype_name(d));
        diag_fix(&r->m->cx->diag, NO_SPAN, NULL, "accumulate in fp32 and CAST the result");
        return false;
    }
    return true;
}

/* The accumulator may be wider than the source, of the same sort; else a CAST comes first. */
static bool convert_source(reader *r, entry *e, tn_dtype from, tn_dtype d, value_id *v)
{
    if (from == d || ((from == TN_F16 || from == TN_BF16) && d == TN_F32))
        return true;
    attr to = {.key = KEY_DTYPE, .v.i = d};
    const attrs *list = attrs_of(&r->m->attrs, &to, 1);
    const char *id = fresh_id(r, e->id, "cast");
    node_desc desc = {.op = OP_CAST, .in = v, .n_in = 1, .attrs = list, .at = e->at, .name = id};
    return list && id ? add_node(r, &desc, v) : out_of_memory(r);
}

bool read_reduce(reader *r, entry *e, const value *x)
{
    const type *t = type_at(r, x->v);
    int64_t axes[TN_MAX_RANK];
    uint32_t n, mask = 0, kept = 0;
    op_id op = OP_SUM;
    tn_dtype d;
    scalar init = {0};
    value_id v = x->v;
    if (!check_keys(r, e, "acc_dtype") || !read_op(r, e, &op))
        return false;
    const json_value *old = json_member_of(e->arg, "acc_dtype");
    if (old) {
        remark(r, e, old->at, "'acc_dtype' is an older spelling and has no meaning; 'dtype' has");
        if (json_member_of(e->arg, "dtype"))
            offer_removal(r, e->arg, "acc_dtype");
    }
    const json_value *list = need(r, e, "axes");
    if (!list || !read_axes(r, e, list, "axes", x, axes, &n))
        return false;
    const json_value *dt = json_member_of(e->arg, "dtype");
    if (!dt)
        return no_dtype(r, e, op, t->dtype);
    const json_value *more = json_member_of(e->arg, "init");
    if (!read_dtype(r, e, dt, "dtype", &d) || !check_dtype(r, e, dt->at, op, t->dtype, d) ||
        (more && !read_scalar(r, e, more, d, DIAG_InvalidAttribute, &init)) ||
        !convert_source(r, e, t->dtype, d, &v))
        return false;
    axis *own = new_axes(r, t->rank);
    if (!own)
        return false;
    for (uint32_t i = 0; i < n; i++)
        mask |= (uint32_t)1 << axes[i];
    for (uint32_t i = 0; i < t->rank; i++)
        if (!(mask >> i & 1))
            own[kept++] = x->axes[i];
    e->value.axes = own;
    e->value.from_reduce = true;
    attr given[4] = {{.key = KEY_AXES, .n = n, .v.ints = axes}};
    uint32_t n_given = 1;
    if (type_at(r, v)->dtype != d || dtype_compute(d) != d) { /* else it goes without saying */
        given[n_given++] = (attr){.key = KEY_ACCUM_DTYPE, .v.i = d};
        given[n_given++] = (attr){.key = KEY_OUT_DTYPE, .v.i = d};
    }
    if (more)
        given[n_given++] = (attr){.key = KEY_INIT, .v.scalar = &init};
    return add_entry(r, e, op, &v, 1, given, n_given);
}
