/* Operators that choose, order or mark elements by where they stand along an axis. */
#include "dialect/onnx/ops/op.h"

/* The K largest or smallest of an open number: all in order, and the first of them. */
static bool give_first_of(onnx_call *c, tn_value x, int64_t axis, dim k, bool largest)
{
    const type *t = onnx_type_of(c, x);
    tn_value values, at = tn_argsort(c->b, x, axis, largest, TN_SI64);
    tn_sort(c->b, TN_VALUES(x), axis, largest, &values);
    if (t && k != t->dims[axis]) {
        values = known_part(c->b, values, axis, 0, 1, k);
        at = known_part(c->b, at, axis, 0, 1, k);
    }
    return onnx_give(c, 0, values) && onnx_give(c, 1, at);
}

/* The K largest or smallest. */
bool onnx_op_top_k(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t axis, k = onnx_attr_int(c, "k", 0);
    if (!t || !onnx_axis(c, onnx_attr_int(c, "axis", -1), t->rank, &axis) ||
        (c->version >= 10 && !onnx_in_int(c, 1, true, &k)))
        return false;
    const bool is_size = c->version >= 10 && dim_is_symbolic(k); /* attributes are numbers */
    if (k < 0 && !is_size)
        return onnx_refuse(c, DIAG_InvalidAttribute, "'k' must not be negative");
    const bool largest = onnx_attr_int(c, "largest", 1);
    if (is_size)
        return give_first_of(c, x, axis, k, largest);
    const tn_top top = tn_top_k(c->b, x, k, axis, largest, TN_SI64);
    return onnx_give(c, 0, top.values) && onnx_give(c, 1, top.indices);
}

/* Elements along an axis where a known condition holds. */
bool onnx_op_compress(onnx_call *c)
{
    tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    const onnx_attribute *given = onnx_attr_of(c, "axis", ONNX_INT);
    const known_value *condition = onnx_in_known(c, 1);
    int64_t axis = 0;
    if (!t || (given && !onnx_axis(c, given->i, t->rank, &axis)))
        return false;
    if (!condition)
        return onnx_refuse(c, DIAG_DataDependentShape, "the condition must be known");
    if (!given)
        x = tn_reshape(c->b, x, TN_INTS(-1));
    int64_t *at = ARENA_ARRAY(&c->im->memory, int64_t, condition->n);
    int64_t n = 0;
    if (!at)
        return onnx_no_memory(c->im);
    for (uint32_t i = 0; i < condition->n; i++)
        if (condition->at[i].i)
            at[n++] = i;
    dim perm[TN_MAX_RANK] = {axis};
    const type *u = onnx_type_of(c, x);
    for (uint32_t i = 0, k = 1; u && i < u->rank; i++)
        if (i != axis)
            perm[k++] = i;
    if (!u)
        return false;
    const tn_value first = tn_transpose(c->b, x, (tn_ints){perm, u->rank});
    const tn_value rows = tn_take(c->b, first, tn_constant(c->b, TN_SI64, TN_INTS(n), at));
    dim back[TN_MAX_RANK];
    for (uint32_t i = 0; i < u->rank; i++)
        back[perm[i]] = i;
    return onnx_give(c, 0, tn_transpose(c->b, rows, (tn_ints){back, u->rank}));
}

/* The depth of OneHot, a size, an integer or a float. What is no extent must not look like a size.
 */
static bool read_depth(onnx_call *c, dim *depth)
{
    const known_value *known = onnx_in_known(c, 1);
    double given;
    if (known && known->n == 1 && known->at[0].is_size) {
        *depth = known->at[0].i;
        return true;
    }
    if (!onnx_in_float(c, 1, -1, &given))
        return false;
    if (!(given >= 0 && given <= INT32_MAX * 1024.0))
        return onnx_refuse(c, DIAG_InvalidDimension, "its depth is %g, not an extent", given);
    *depth = (dim)given;
    return true;
}

/* A new axis with ON at the position and OFF elsewhere. */
bool onnx_op_one_hot(onnx_call *c)
{
    tn_value i = onnx_in(c, 0);
    const tn_value values = onnx_in(c, 2);
    const type *t = onnx_type_of(c, i);
    int64_t axis, depth = 0;
    dim dims[TN_MAX_RANK];
    if (!t || !tn_is_value(values))
        return false;
    if (t->rank == TN_MAX_RANK)
        return onnx_refuse(c, DIAG_RankMismatch, "the rank of the result is too high");
    if (!read_depth(c, &depth) || !onnx_axis(c, onnx_attr_int(c, "axis", -1), t->rank + 1, &axis))
        return false;
    for (uint32_t k = 0; k <= t->rank; k++)
        dims[k] = k == axis ? depth : t->dims[k > axis ? k - 1 : k];
    i = onnx_from_front(c, tn_cast(c->b, i, TN_SI64), depth);
    const tn_value number = tn_iota(c->b, TN_SI64, (tn_ints){dims, t->rank + 1}, axis);
    const tn_value hit = tn_compare(c->b, TN_EQ, number, tn_expand_dims(c->b, i, TN_INTS(axis)));
    const tn_value off = tn_index(c->b, values, TN_INTS(0)),
                   on = tn_index(c->b, values, TN_INTS(1));
    return onnx_give(c, 0, tn_select(c->b, hit, on, off));
}

/* The first elements of each sequence in the opposite order, as many as its length. */
bool onnx_op_reverse_sequence(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t time, batch;
    if (!t || !onnx_axis(c, onnx_attr_int(c, "time_axis", 0), t->rank, &time) ||
        !onnx_axis(c, onnx_attr_int(c, "batch_axis", 1), t->rank, &batch))
        return false;
    if (!onnx_in_fits(c, 1, TN_INTS(t->dims[batch])))
        return false;
    tn_value length = tn_broadcast_axes(c->b, onnx_in(c, 1), onnx_dims(t), TN_INTS(batch));
    length = tn_cast(c->b, length, TN_SI64);
    const tn_value at = tn_iota(c->b, TN_SI64, onnx_dims(t), time);
    const tn_value rest = tn_sub(c->b, length, at);
    const tn_value other = tn_sub(c->b, rest, tn_scalar_int(c->b, TN_SI64, 1));
    const tn_value from = tn_select(c->b, tn_compare(c->b, TN_LT, at, length), other, at);
    return onnx_give(c, 0, tn_gather(c->b, x, from, time));
}

bool onnx_op_cumulative(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t axis;
    if (!t || !onnx_in_int(c, 1, false, &axis) || !onnx_axis(c, axis, t->rank, &axis))
        return false;
    const bool exclusive = onnx_attr_int(c, "exclusive", 0);
    const bool reverse = onnx_attr_int(c, "reverse", 0);
    return onnx_give(c, 0, tn_cumulative(c->b, x, (tn_fold)c->op->arg, axis, exclusive, reverse));
}

/* What stands above, or below, the k-th diagonal; zeros elsewhere. */
bool onnx_op_trilu(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    if (!t)
        return false;
    if (t->rank < 2)
        return onnx_refuse(c, DIAG_RankMismatch, "it takes matrices");
    const tn_ints plane = {t->dims + t->rank - 2, 2};
    tn_value k = tn_scalar_int(c->b, TN_SI64, 0);
    if (onnx_has_in(c, 1))
        k = tn_reshape(c->b, tn_cast(c->b, onnx_in(c, 1), TN_SI64), (tn_ints){0});
    const tn_value row = tn_iota(c->b, TN_SI64, plane, 0),
                   column = tn_iota(c->b, TN_SI64, plane, 1);
    const tn_direction kept = onnx_attr_int(c, "upper", 1) ? TN_GE : TN_LE;
    const tn_value inside = tn_compare(c->b, kept, tn_sub(c->b, column, row), k);
    return onnx_give(c, 0, tn_select(c->b, inside, x, tn_scalar_like(c->b, x, 0)));
}
