/* What each process of a group gets of an operation that they do together. */
#include "base/text/text.h"
#include "dialect/mlir/hlo/bodies/bodies.h"
#include "dialect/mlir/hlo/devices/devices.h"

#include <inttypes.h>

typedef shlo_exchange_of exchange;

/* X where member I is the root, else Y. */
static tn_value if_root(exchange *e, uint32_t i, tn_value x, tn_value y)
{
    tn_builder *b = e->calls->b;
    const type *t = shlo_type_of(e->calls, x), *number = NULL;
    if (!tn_is_value(e->root) || !t)
        return i == 0 ? x : y;
    number = shlo_type_of(e->calls, e->root);
    const tn_value own = tn_scalar_int(b, number ? number->dtype : TN_SI32, i);
    const tn_value is_root = tn_compare(b, TN_EQ, e->root, own);
    return tn_select(b, tn_broadcast(b, is_root, shlo_dims(t)), x, y);
}

/* The extent of operand 0 along AXIS, which must divide into PARTS; -1, refused, otherwise. */
static int64_t part_of(exchange *e, int64_t axis, int64_t parts)
{
    const type *t = shlo_type_of(e->calls, e->in[0]);
    if (!t)
        return -1;
    if (axis < 0 || axis >= (int64_t)t->rank || parts < 1 || dim_is_symbolic(t->dims[axis]) ||
        t->dims[axis] % parts != 0) {
        (void)shlo_refuse(e->calls, DIAG_InvalidAxis, "axis %" PRId64 " has no %" PRId64 " part%s",
                          axis, parts, plural((uint64_t)parts));
        return -1;
    }
    return t->dims[axis] / parts;
}

/* All operands combined in the order of the group. */
static bool combined(exchange *e, tn_value *out)
{
    shlo_call *c = e->calls;
    const mir_region *region = &c->op->regions[0];
    const tn_dtype d = region->args[0].type->dtype;
    if (region->args[1].type->dtype != d)
        return shlo_refuse(c, DIAG_RegionSignature, "the arguments of its region have two types");
    *out = shlo_convert(c, e->in[0], d);
    const type *t = shlo_type_of(c, *out);
    for (uint32_t i = 1; t && i < e->n; i++) {
        const tn_value two[] = {*out, shlo_convert(c, e->in[i], d)};
        if (!shlo_apply(c, region, two, shlo_dims(t), out, 1))
            return false;
    }
    return t != NULL;
}

static bool all_gather(exchange *e)
{
    int64_t axis;
    if (!shlo_int(e->calls, "all_gather_dim", 0, &axis))
        return false;
    const tn_value all = tn_concat(e->calls->b, (tn_values){e->in, e->n}, axis);
    for (uint32_t i = 0; i < e->n; i++)
        e->out[i] = all;
    return true;
}

static bool cross_replica_sum(exchange *e)
{
    e->out[0] = e->in[0];
    for (uint32_t i = 1; i < e->n; i++)
        e->out[0] = tn_add(e->calls->b, e->out[0], e->in[i]);
    for (uint32_t i = 1; i < e->n; i++)
        e->out[i] = e->out[0];
    return true;
}

static bool all_reduce(exchange *e)
{
    tn_value sum;
    if (!combined(e, &sum))
        return false;
    for (uint32_t i = 0; i < e->n; i++)
        e->out[i] = sum;
    return true;
}

/* The root gets the sum. */
static bool collective_reduce(exchange *e)
{
    tn_value sum;
    if (!combined(e, &sum))
        return false;
    const tn_value zeros = shlo_zeros(e->calls, sum);
    for (uint32_t i = 0; i < e->n; i++)
        e->out[i] = if_root(e, i, sum, zeros);
    return true;
}

static bool reduce_scatter(exchange *e)
{
    int64_t axis;
    tn_value sum;
    if (!shlo_int(e->calls, "scatter_dimension", 0, &axis) || !combined(e, &sum))
        return false;
    const int64_t part = part_of(e, axis, e->n);
    for (uint32_t i = 0; part >= 0 && i < e->n; i++)
        e->out[i] = tn_slice_axis(e->calls->b, sum, axis, i * part, part);
    return part >= 0;
}

static bool all_to_all(exchange *e)
{
    int64_t from, to;
    if (!shlo_int(e->calls, "split_dimension", 0, &from) ||
        !shlo_int(e->calls, "concat_dimension", 0, &to))
        return false;
    const int64_t part = part_of(e, from, e->n);
    for (uint32_t i = 0; part >= 0 && i < e->n; i++) {
        tn_value pieces[SHLO_MOST_PROCESSES];
        for (uint32_t k = 0; k < e->n; k++)
            pieces[k] = tn_slice_axis(e->calls->b, e->in[k], from, i * part, part);
        e->out[i] = tn_concat(e->calls->b, (tn_values){pieces, e->n}, to);
    }
    return part >= 0;
}

static bool collective_broadcast(exchange *e)
{
    tn_value from_root = e->in[0];
    for (uint32_t i = 1; i < e->n; i++)
        from_root = if_root(e, i, e->in[i], from_root);
    for (uint32_t i = 0; i < e->n; i++)
        e->out[i] = from_root;
    return true;
}

static bool collective_permute(exchange *e)
{
    int64_t pairs[2 * SHLO_MOST_PROCESSES];
    uint32_t n;
    if (!shlo_ints(e->calls, "source_target_pairs", 2 * SHLO_MOST_PROCESSES, pairs, &n))
        return false;
    for (uint32_t i = 0; i < e->n; i++)
        e->out[i] = shlo_zeros(e->calls, e->in[i]);
    for (uint32_t k = 0; k + 1 < n; k += 2) {
        if (pairs[k] < 0 || pairs[k] >= e->n || pairs[k + 1] < 0 || pairs[k + 1] >= e->n)
            return shlo_refuse(e->calls, DIAG_InvalidAttribute,
                               "its pairs name processes that are not there");
        e->out[pairs[k + 1]] = e->in[pairs[k]];
    }
    return true;
}

static const struct {
    const char *name;
    bool (*give)(exchange *e);
} kinds[] = {{"stablehlo.all_gather", all_gather},
             {"stablehlo.all_reduce", all_reduce},
             {"stablehlo.cross-replica-sum", cross_replica_sum},
             {"stablehlo.reduce_scatter", reduce_scatter},
             {"stablehlo.all_to_all", all_to_all},
             {"stablehlo.collective_broadcast", collective_broadcast},
             {"stablehlo.collective_reduce", collective_reduce},
             {"stablehlo.collective_permute", collective_permute}};

bool shlo_is_exchange(const mir_op *op)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (mir_is(op->name, kinds[i].name))
            return true;
    return false;
}

/* Number K of the last operand, which says the root of each of the others. */
static tn_value root_of(shlo_call *c, uint32_t k)
{
    const tn_value all = shlo_in(c, c->op->n_in - 1);
    const type *t = shlo_type_of(c, all);
    if (!t || t->rank != 1)
        return tn_no_value();
    return tn_squeeze(c->b, tn_slice_axis(c->b, all, 0, k, 1), TN_INTS(0));
}

/* ---- what one process gets ---- */

/* Those of the results that all members get. */
static bool gives_alike(const exchange *e)
{
    static const char *const names[] = {"stablehlo.all_gather", "stablehlo.all_reduce",
                                        "stablehlo.collective_broadcast",
                                        "stablehlo.cross-replica-sum"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (mir_is(e->calls->op->name, names[i]))
            return true;
    return false;
}

/* The result of the process: one of E->out, which have one shape. */
static tn_value own_of(exchange *e)
{
    tn_builder *b = e->calls->b;
    const type *t = shlo_type_of(e->calls, e->out[0]);
    int64_t dims[TN_MAX_RANK] = {1};
    if (!t || t->rank == TN_MAX_RANK)
        return tn_no_value();
    memcpy(dims + 1, t->dims, t->rank * sizeof *dims);
    tn_value rows[SHLO_MOST_PROCESSES];
    for (uint32_t i = 0; i < e->n; i++)
        rows[i] = tn_reshape(b, e->out[i], (tn_ints){dims, t->rank + 1});
    const tn_value zero = tn_scalar_int(b, TN_SI64, 0);
    const tn_value is_in = tn_compare(b, TN_GE, e->own, zero);
    const tn_value all = tn_concat(b, (tn_values){rows, e->n}, 0);
    const tn_value one = tn_take(b, all, tn_maximum(b, e->own, zero));
    return tn_select(b, tn_broadcast(b, is_in, shlo_dims(t)), one, shlo_zeros(e->calls, one));
}

static bool give(exchange *e, uint32_t k);

bool shlo_exchange_own(shlo_exchange_of *e, uint32_t k, tn_value *out)
{
    if (!give(e, k))
        return false;
    *out = gives_alike(e) ? e->out[0] : own_of(e);
    return e->calls->b->status == TN_OK;
}

/* ---- what each of a group gets ---- */

/* Operands K of all. */
static bool give(exchange *e, uint32_t k)
{
    size_t kind = 0;
    while (!mir_is(e->calls->op->name, kinds[kind].name))
        kind++;
    if (shlo_flag(e->calls, "has_dynamic_root", false))
        e->root = root_of(e->calls, k);
    if (e->calls->op->n_regions && !shlo_takes_pairs(e->calls, &e->calls->op->regions[0], k, k, 1))
        return false;
    return e->calls->b->status == TN_OK && kinds[kind].give(e);
}

bool shlo_exchange(shlo_call *calls, const shlo_group *g, shlo_value *out)
{
    exchange e = {.calls = calls, .n = g->n, .root = tn_no_value()};
    const uint32_t n_out = calls->op->n_out;
    for (uint32_t k = 0; k < n_out; k++) {
        for (uint32_t i = 0; i < e.n; i++)
            e.in[i] = shlo_in(&calls[i], k);
        if (!give(&e, k))
            return false;
        for (uint32_t i = 0; i < e.n; i++)
            out[i * n_out + k] = (shlo_value){.v = e.out[i]};
    }
    return calls->b->status == TN_OK;
}
