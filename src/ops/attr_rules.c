/* Checks of attributes that several families share. */
#include "ops/attr_rules.h"

#include "ops/law.h"

#include <inttypes.h>

#include "base/memory/checked.h"
#include "base/text/text.h"

tn_status rule_axis(const infer_call *call, attr_key key, uint32_t rank, uint32_t *axis)
{
    const int64_t given = attr_int(call->attrs, key, 0);
    if (given < -(int64_t)rank || given >= (int64_t)rank)
        return infer_reject(call, DIAG_InvalidAxis,
                            "axis %" PRId64 " of '%s' is out of range for rank %" PRIu32, given,
                            rule_op(call), rank);
    *axis = (uint32_t)(given < 0 ? given + rank : given);
    return TN_OK;
}

uint32_t resolve_axis(const attrs *given, attr_key key, uint32_t rank)
{
    const int64_t axis = attr_int(given, key, 0);
    return (uint32_t)(axis < 0 ? axis + rank : axis);
}

static tn_status check_list(const infer_call *call, attr_key key, uint32_t n, int64_t least,
                            bool symbols)
{
    uint32_t n_given;
    const int64_t *given = attr_ints(call->attrs, key, &n_given);
    if (n_given != n)
        return infer_reject(
            call, DIAG_InvalidAttribute, "'%s' of '%s' needs %" PRIu32 " entr%s, not %" PRIu32,
            attr_keys[key].name, rule_op(call), n, plural_as(n, "y", "ies"), n_given);
    for (uint32_t i = 0; i < n; i++) {
        const bool is_symbol = symbols && dim_is_expr(&call->module->types, given[i]);
        if (given[i] < least && !is_symbol)
            return infer_reject(call, DIAG_InvalidAttribute,
                                "entry %" PRIu32 " of '%s' %s of '%s' is %" PRId64
                                ", the least possible is %" PRId64,
                                i, attr_keys[key].name, rule_ints_text(call, key), rule_op(call),
                                given[i], least);
    }
    return TN_OK;
}

tn_status rule_sizes(const infer_call *call, attr_key key, uint32_t n, int64_t least)
{
    return check_list(call, key, n, least, true);
}

tn_status rule_numbers(const infer_call *call, attr_key key, uint32_t n, int64_t least)
{
    return check_list(call, key, n, least, false);
}

tn_status rule_attr_dtype(const infer_call *call, attr_key key, tn_dtype otherwise, tn_dtype *out)
{
    const int64_t given = attr_int(call->attrs, key, otherwise);
    if (given < 0 || given >= TN_DTYPE_COUNT)
        return infer_reject(call, DIAG_InvalidAttribute, "'%s' of '%s' must be an element type",
                            attr_keys[key].name, rule_op(call));
    *out = (tn_dtype)given;
    return TN_OK;
}

tn_status rule_result_index(const infer_call *call, dim extent, tn_dtype *out)
{
    TN_TRY(rule_attr_dtype(call, KEY_INDEX_DTYPE, TN_SI64, out));
    if (*out != TN_SI32 && *out != TN_SI64)
        return infer_reject(call, DIAG_DTypeNotSupported,
                            "indices made by '%s' must be si32 or si64, not %s", rule_op(call),
                            dtype_name(*out));
    if (*out == TN_SI32 && !dim_is_symbolic(extent) && extent > (int64_t)INT32_MAX + 1)
        return infer_reject(
            call, DIAG_InvalidAttribute,
            "positions along an axis of extent %" PRId64 " do not fit into si32; use si64", extent);
    return TN_OK;
}

/* The same dtype, or a wider one of the same sort; i1 counts in any integer. */
static bool suits(tn_dtype d, tn_dtype accumulator)
{
    const dtype_info *from = &dtype_table[d], *to = &dtype_table[accumulator];
    const bool counts = dtype_is_int(d) || d == TN_I1;
    const bool same_sort = counts ? dtype_is_int(accumulator) : from->kind == to->kind;
    return d == accumulator || (same_sort && to->bits > from->bits);
}

tn_status rule_accumulator(const infer_call *call, tn_dtype d, tn_dtype *accumulator)
{
    TN_TRY(rule_attr_dtype(call, KEY_ACCUM_DTYPE, dtype_compute(d), accumulator));
    if (suits(d, *accumulator))
        return TN_OK;
    return infer_reject(call, DIAG_InvalidAccumDType,
                        "'%s' cannot accumulate %s in %s, which is narrower or of another kind",
                        rule_op(call), dtype_name(d), dtype_name(*accumulator));
}

tn_status rule_scalar(const infer_call *call, attr_key key, tn_dtype d)
{
    const attr *a = attr_find(call->attrs, key);
    const scalar s = *a->v.scalar;
    const dtype_class kind = dtype_table[d].kind;
    const bool rounds = (s.kind == DTYPE_FLOAT && (kind == DTYPE_FLOAT || kind == DTYPE_COMPLEX)) ||
                        (s.kind == DTYPE_COMPLEX && kind == DTYPE_COMPLEX);
    if (rounds || scalar_is_exact(s, d))
        return TN_OK;
    return infer_reject(call, DIAG_InvalidAttribute, "'%s' of '%s' is no value of type %s",
                        attr_keys[key].name, rule_op(call), dtype_name(d));
}

static bool fold_extents(dim_op op, int64_t a, int64_t b, int64_t *out)
{
    switch (op) {
    case DIM_ADD:
        return add_i64(a, b, out);
    case DIM_MUL:
        return mul_i64(a, b, out);
    case DIM_FLOORDIV:
    case DIM_MOD:
        if (b <= 0)
            return false;
        *out = op == DIM_MOD ? rest_i64(a, b) : floor_i64(a, b);
        return true;
    case DIM_SYM:
        break;
    }
    return false;
}

tn_status rule_extent(const infer_call *call, dim_op op, dim a, dim b, dim *out)
{
    if (!dim_is_symbolic(a) && !dim_is_symbolic(b)) {
        if (fold_extents(op, a, b, out) && !dim_is_symbolic(*out))
            return TN_OK;
    } else {
        *out = dim_combine(&call->module->types, op, a, b);
        if (*out != DIM_NO_MEMORY)
            return TN_OK;
        if (op != DIM_MUL && op != DIM_ADD)
            return module_no_memory(call->module);
    }
    return infer_reject(call, DIAG_InvalidDimension, "'%s' would make an extent that is too large",
                        rule_op(call));
}

/* (n - 1) * d + 1, which is what n elements with distance d cover; nothing covers nothing. */
static tn_status covered(const infer_call *call, dim n, dim d, dim *out)
{
    if (n == 0) {
        *out = 0;
        return TN_OK;
    }
    TN_TRY(rule_extent(call, DIM_ADD, n, -1, out));
    TN_TRY(rule_extent(call, DIM_MUL, *out, d, out));
    return rule_extent(call, DIM_ADD, *out, 1, out);
}

tn_status rule_window(const infer_call *call, const window_axis *w, dim n, uint32_t axis,
                      dim *places)
{
    dim padded, covers, negative, left;
    TN_TRY(covered(call, n, w->base_dilation, &padded));
    TN_TRY(rule_extent(call, DIM_ADD, padded, w->low, &padded));
    TN_TRY(rule_extent(call, DIM_ADD, padded, w->high, &padded));
    TN_TRY(covered(call, w->window, w->dilation, &covers));
    TN_TRY(rule_extent(call, DIM_MUL, covers, -1, &negative));
    TN_TRY(rule_extent(call, DIM_ADD, padded, negative, &left));
    /* A window of one element has a place at each element: at none where there is none. The
     * division below is a floor, so that it comes to -1 there, and with 1 to no place. */
    const bool is_empty = padded == 0 && covers == 1;
    if (!dim_is_symbolic(left) && left < 0 && !is_empty)
        return infer_reject(call, DIAG_InvalidAttribute,
                            "the window of '%s' along axis %" PRIu32 " covers %" PRId64
                            " element%s, more than the %" PRId64 " there are with padding",
                            rule_op(call), axis, covers, plural((uint64_t)covers), padded);
    TN_TRY(rule_extent(call, DIM_FLOORDIV, left, w->stride, places));
    return rule_extent(call, DIM_ADD, *places, 1, places);
}

void reduce_dtypes(const attrs *given, tn_dtype in, tn_dtype *sum, tn_dtype *out)
{
    *sum = (tn_dtype)attr_int(given, KEY_ACCUM_DTYPE, (int64_t)accumulator_of(in));
    *out = (tn_dtype)attr_int(given, KEY_OUT_DTYPE, (int64_t)in);
}
