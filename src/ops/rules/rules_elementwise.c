/* Type rules of elementwise ops: arithmetic, comparing, choosing, converting. */

#include "ops/rules/rules.h"

static tn_status unary(infer_call *call, unsigned allowed)
{
    TN_TRY(rule_dtype(call, 0, allowed));
    return infer_result(call, call->in[0]);
}

tn_status infer_same(infer_call *call)
{
    return infer_result(call, call->in[0]);
}

tn_status infer_neg(infer_call *call)
{
    return unary(call, ALLOW_SIGNED | ALLOW_FLOAT | ALLOW_COMPLEX);
}

tn_status infer_abs(infer_call *call)
{
    return unary(call, ALLOW_REAL);
}

tn_status infer_unary_float(infer_call *call)
{
    return unary(call, ALLOW_FLOAT);
}

tn_status infer_relu(infer_call *call)
{
    return unary(call, ALLOW_SIGNED | ALLOW_FLOAT);
}

tn_status infer_unary_bits(infer_call *call)
{
    return unary(call, ALLOW_INT | ALLOW_BOOL);
}

tn_status infer_integer_unary(infer_call *call)
{
    return unary(call, ALLOW_INT);
}

/* A question about a float. */
tn_status infer_predicate(infer_call *call)
{
    TN_TRY(rule_dtype(call, 0, ALLOW_FLOAT));
    return infer_result(call, type_with_dtype(&call->module->types, call->in[0], TN_I1));
}

/* Operands of one dtype, which is also that of the result. */
static tn_status binary(infer_call *call, unsigned allowed)
{
    const type *a = call->in[0], *b = call->in[1];
    shape s;
    TN_TRY(rule_same_dtype(call, 0));
    TN_TRY(rule_dtype(call, 0, allowed));
    if (a == b)
        return infer_result(call, a);
    TN_TRY(rule_broadcast(call, a->dims, a->rank, b->dims, b->rank, &s));
    return rule_result(call, a->dtype, &s);
}

tn_status infer_arithmetic(infer_call *call)
{
    return binary(call, ALLOW_NUMBER);
}

tn_status infer_integer_binary(infer_call *call)
{
    return binary(call, ALLOW_INT);
}

tn_status infer_float_binary(infer_call *call)
{
    return binary(call, ALLOW_FLOAT);
}

tn_status infer_min_max(infer_call *call)
{
    return binary(call, ALLOW_REAL);
}

tn_status infer_bits_binary(infer_call *call)
{
    return binary(call, ALLOW_INT | ALLOW_BOOL);
}

tn_status infer_relu_grad(infer_call *call)
{
    return binary(call, ALLOW_SIGNED | ALLOW_FLOAT);
}

tn_status infer_compare(infer_call *call)
{
    const type *a = call->in[0], *b = call->in[1];
    const int64_t which = attr_int(call->attrs, KEY_DIRECTION, -1);
    shape s;
    if (which < DIR_LT || which > DIR_NE)
        return infer_reject(call, DIAG_InvalidAttribute, "'direction' must be a comparison");
    TN_TRY(rule_same_dtype(call, 0));
    if (dtype_is_complex(a->dtype) && which != DIR_EQ && which != DIR_NE)
        return infer_reject(call, DIAG_DTypeNotSupported,
                            "complex numbers have no order; '%s' takes only eq and ne for %s",
                            rule_op(call), dtype_name(a->dtype));
    TN_TRY(rule_broadcast(call, a->dims, a->rank, b->dims, b->rank, &s));
    return rule_result(call, TN_I1, &s);
}

tn_status infer_select(infer_call *call)
{
    const type *p = call->in[0], *a = call->in[1], *b = call->in[2];
    shape both, all;
    TN_TRY(rule_dtype(call, 0, ALLOW_BOOL));
    TN_TRY(rule_same_dtype(call, 1));
    TN_TRY(rule_broadcast(call, a->dims, a->rank, b->dims, b->rank, &both));
    TN_TRY(rule_broadcast(call, p->dims, p->rank, both.dims, both.rank, &all));
    return rule_result(call, a->dtype, &all);
}

tn_status infer_clamp(infer_call *call)
{
    const type *x = call->in[0], *low = call->in[1], *high = call->in[2];
    shape some, all;
    TN_TRY(rule_same_dtype(call, 0));
    TN_TRY(rule_same_dtype(call, 1));
    TN_TRY(rule_dtype(call, 0, ALLOW_REAL));
    TN_TRY(rule_broadcast(call, x->dims, x->rank, low->dims, low->rank, &some));
    TN_TRY(rule_broadcast(call, some.dims, some.rank, high->dims, high->rank, &all));
    return rule_result(call, x->dtype, &all);
}

tn_status infer_wrap(infer_call *call)
{
    const int64_t to = attr_int(call->attrs, KEY_DTYPE, -1);
    if (to < 0 || to >= TN_DTYPE_COUNT || !dtype_is_int((tn_dtype)to))
        return infer_reject(call, DIAG_InvalidAttribute, "'dtype' must be an integer type");
    TN_TRY(rule_dtype(call, 0, ALLOW_INT));
    return infer_result(call, type_with_dtype(&call->module->types, call->in[0], (tn_dtype)to));
}

/* Complex numbers and truth values have no bits of their own. */
static bool has_bits(tn_dtype d)
{
    return dtype_is_int(d) || dtype_is_float(d);
}

tn_status infer_bitcast(infer_call *call)
{
    const int64_t to = attr_int(call->attrs, KEY_DTYPE, -1);
    const tn_dtype from = call->in[0]->dtype;
    if (to < 0 || to >= TN_DTYPE_COUNT)
        return infer_reject(call, DIAG_InvalidAttribute, "'dtype' must be an element type");
    if (!has_bits(from) || !has_bits((tn_dtype)to) ||
        dtype_table[from].bits != dtype_table[to].bits)
        return infer_reject(call, DIAG_DTypeNotSupported, "'%s' cannot read the bits of %s as %s",
                            rule_op(call), dtype_name(from), dtype_name((tn_dtype)to));
    return infer_result(call, type_with_dtype(&call->module->types, call->in[0], (tn_dtype)to));
}

/* A part of a complex number. */
tn_status infer_part(infer_call *call)
{
    TN_TRY(rule_dtype(call, 0, ALLOW_COMPLEX));
    const tn_dtype part = dtype_table[call->in[0]->dtype].part;
    return infer_result(call, type_with_dtype(&call->module->types, call->in[0], part));
}

tn_status infer_complex(infer_call *call)
{
    const type *a = call->in[0], *b = call->in[1];
    shape s;
    TN_TRY(rule_same_dtype(call, 0));
    if (a->dtype != TN_F32 && a->dtype != TN_F64)
        return infer_reject(call, DIAG_DTypeNotSupported, "'%s' takes f32 and f64, not %s",
                            rule_op(call), dtype_name(a->dtype));
    TN_TRY(rule_broadcast(call, a->dims, a->rank, b->dims, b->rank, &s));
    return rule_result(call, a->dtype == TN_F64 ? TN_CF64 : TN_CF32, &s);
}

tn_status infer_cast(infer_call *call)
{
    const int64_t to = attr_int(call->attrs, KEY_DTYPE, -1);
    const tn_dtype from = call->in[0]->dtype;
    if (to < 0 || to >= TN_DTYPE_COUNT)
        return infer_reject(call, DIAG_InvalidAttribute, "'dtype' must be an element type");
    if (!dtype_can_cast(from, (tn_dtype)to))
        return infer_reject(call, DIAG_DTypeNotSupported, "'%s' cannot convert %s to %s",
                            rule_op(call), dtype_name(from), dtype_name((tn_dtype)to));
    return infer_result(call, type_with_dtype(&call->module->types, call->in[0], (tn_dtype)to));
}
