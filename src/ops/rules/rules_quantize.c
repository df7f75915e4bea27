/* Type rules of quantize, dequantize and requantize. */
#include <inttypes.h>

#include "base/text/text.h"
#include "ops/attr_rules.h"
#include "ops/rules/rules.h"

/* Operands K (a scale) and, when ZERO, K + 1 (its zero point of dtype QUANTISED) suit operand 0. */
static tn_status rule_scale(const infer_call *call, uint32_t k, bool zero, tn_dtype scale,
                            tn_dtype quantised)
{
    const type *x = call->in[0];
    if (call->in[k]->dtype != scale)
        return infer_reject(call, DIAG_DTypeMismatch, "the scale of '%s' must be %s, not %s",
                            rule_op(call), dtype_name(scale), dtype_name(call->in[k]->dtype));
    if (!dtype_is_int(quantised) && !dtype_is_float(quantised))
        return infer_reject(call, DIAG_DTypeNotSupported, "'%s' cannot scale %s", rule_op(call),
                            dtype_name(quantised));
    if (zero && !dtype_is_int(quantised))
        return infer_reject(call, DIAG_DTypeNotSupported,
                            "'%s' has a zero point only for integers, not for %s", rule_op(call),
                            dtype_name(quantised));
    if (zero && call->in[k + 1]->dtype != quantised)
        return infer_reject(call, DIAG_DTypeMismatch, "the zero point of '%s' must be %s, not %s",
                            rule_op(call), dtype_name(quantised),
                            dtype_name(call->in[k + 1]->dtype));
    for (uint32_t i = k; i <= k + zero; i++) {
        const type *t = call->in[i];
        uint32_t axis;
        TN_TRY(rule_rank(call, i, 0, 1));
        if (t->rank == 0)
            continue;
        if (!attr_find(call->attrs, KEY_AXIS))
            return infer_reject(call, DIAG_MissingAttribute,
                                "'%s' needs 'axis' for operand %" PRIu32 " of shape %s",
                                rule_op(call), i, rule_shape_text(call, i));
        TN_TRY(rule_axis(call, KEY_AXIS, x->rank, &axis));
        if (!dims_may_equal(t->dims[0], x->dims[axis]))
            return infer_reject(call, DIAG_DimensionMismatch,
                                "operand %" PRIu32 " of '%s' has shape %s, axis %" PRIu32
                                " of %s has another extent",
                                i, rule_op(call), rule_shape_text(call, i), axis,
                                rule_shape_text(call, 0));
    }
    return TN_OK;
}

static tn_status rule_common(const infer_call *call, tn_dtype otherwise, tn_dtype *out)
{
    const tn_dtype from = call->in[0]->dtype;
    uint32_t axis;
    TN_TRY(rule_attr_dtype(call, KEY_DTYPE, otherwise, out));
    if (!dtype_can_cast(from, *out))
        return infer_reject(call, DIAG_DTypeNotSupported, "'%s' cannot convert %s to %s",
                            rule_op(call), dtype_name(from), dtype_name(*out));
    TN_TRY(rule_rank(call, 0, 0, TN_MAX_RANK));
    return attr_find(call->attrs, KEY_AXIS) ? rule_axis(call, KEY_AXIS, call->in[0]->rank, &axis)
                                            : TN_OK;
}

static tn_status finish_rule(infer_call *call, tn_dtype out)
{
    return infer_result(call, type_with_dtype(&call->module->types, call->in[0], out));
}

tn_status infer_quantize(infer_call *call)
{
    const tn_dtype from = call->in[0]->dtype;
    tn_dtype out;
    TN_TRY(rule_common(call, TN_SI8, &out));
    if (call->n_in > 1) {
        TN_TRY(rule_dtype(call, 0, ALLOW_FLOAT));
        TN_TRY(rule_scale(call, 1, call->n_in > 2, from, out));
    }
    return finish_rule(call, out);
}

tn_status infer_dequantize(infer_call *call)
{
    const tn_dtype from = call->in[0]->dtype;
    tn_dtype out;
    TN_TRY(rule_common(call, TN_F32, &out));
    if (call->n_in > 1) {
        if (!dtype_is_float(out))
            return infer_reject(call, DIAG_DTypeNotSupported, "'%s' gives floats, not %s",
                                rule_op(call), dtype_name(out));
        TN_TRY(rule_scale(call, 1, call->n_in > 2, out, from));
    }
    return finish_rule(call, out);
}

tn_status infer_requantize(infer_call *call)
{
    const tn_dtype from = call->in[0]->dtype;
    const bool zeros = call->n_in == 5;
    tn_dtype out;
    TN_TRY(rule_common(call, TN_SI8, &out));
    if (call->n_in == 2 || call->n_in == 4)
        return infer_reject(call, DIAG_ArityMismatch,
                            "'%s' takes one operand, or two scales, or two scales each followed by "
                            "its zero point; not %" PRIu32 " operand%s",
                            rule_op(call), call->n_in, plural(call->n_in));
    if (call->n_in > 1) {
        const tn_dtype scale = call->in[1]->dtype;
        TN_TRY(rule_dtype(call, 1, ALLOW_FLOAT));
        TN_TRY(rule_scale(call, 1, zeros, scale, from));
        TN_TRY(rule_scale(call, zeros ? 3 : 2, zeros, scale, out));
    }
    return finish_rule(call, out);
}
