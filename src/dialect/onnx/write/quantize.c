/* Quantisation: QuantizeLinear and DequantizeLinear where they mean the same, else its steps. */
#include "dialect/onnx/write/writer.h"

#include "ops/attr_rules.h"

/* A scale or zero point, operand K, in the type D, so that it broadcasts along the axis. */
static onnx_id parameter(onnx_writer *w, const node *n, uint32_t k, tn_dtype d)
{
    const type *t = onnx_operand_type(w, n, k), *x = onnx_operand_type(w, n, 0);
    onnx_id p = onnx_cast_plain(w, onnx_operand(w, n, k), d);
    if (t->rank == 0)
        return p;
    dim dims[TN_MAX_RANK];
    const uint32_t axis = resolve_axis(n->attrs, KEY_AXIS, x->rank);
    for (uint32_t i = axis; i < x->rank; i++)
        dims[i - axis] = i == axis ? t->dims[0] : 1;
    return axis + 1 < x->rank ? onnx_reshape(w, n, p, dims, x->rank - axis) : p;
}

/* The operator OP, whose axis only counts for lists. */
static onnx_id linear(onnx_writer *w, const node *n, const char *op, tn_dtype d)
{
    onnx_id in[3];
    const type *x = onnx_operand_type(w, n, 0);
    const bool is_list = onnx_operand_type(w, n, 1)->rank == 1;
    const onnx_setting axis =
        ONNX_INT_SET("axis", is_list ? resolve_axis(n->attrs, KEY_AXIS, x->rank) : 0);
    for (uint32_t k = 0; k < n->n_in; k++)
        in[k] = onnx_operand(w, n, k);
    return onnx_make(&w->out, op, d, in, n->n_in, &axis, is_list);
}

static bool is_byte(tn_dtype d)
{
    return d == TN_SI8 || d == TN_UI8;
}

/* What the steps compute in. */
static tn_dtype wide_of(const onnx_writer *w, const node *n, uint32_t scale)
{
    return onnx_operand_type(w, n, scale)->dtype == TN_F64 ? TN_F64 : TN_F32;
}

static onnx_id steps_up(onnx_writer *w, const node *n, onnx_id x, uint32_t scale, bool zero)
{
    const tn_dtype d = onnx_dtype_of_id(&w->out, x);
    if (zero)
        x = onnx_2(w, "Sub", x, parameter(w, n, scale + 1, d));
    return onnx_2(w, "Mul", x, parameter(w, n, scale, d));
}

static onnx_id steps_down(onnx_writer *w, const node *n, onnx_id x, uint32_t scale, bool zero)
{
    const tn_dtype d = onnx_dtype_of_id(&w->out, x), to = onnx_result_type(w, n)->dtype;
    x = onnx_2(w, "Div", x, parameter(w, n, scale, d));
    if (dtype_is_int(to))
        x = onnx_1(w, "Round", x);
    if (zero)
        x = onnx_2(w, "Add", x, parameter(w, n, scale + 1, d));
    return onnx_cast(w, x, to);
}

void onnx_put_quantize(onnx_writer *w, const node *n)
{
    const tn_dtype d = onnx_result_type(w, n)->dtype;
    const onnx_id x = onnx_operand(w, n, 0);
    if (n->n_in == 1) {
        onnx_result(w, n, onnx_cast(w, x, d));
        return;
    }
    const bool is_plain = onnx_operand_type(w, n, 0)->dtype == TN_F32 &&
                          onnx_operand_type(w, n, 1)->dtype == TN_F32 && is_byte(d) &&
                          (n->n_in == 3 || d == TN_UI8);
    onnx_result(w, n,
                is_plain
                    ? linear(w, n, "QuantizeLinear", d)
                    : steps_down(w, n, onnx_cast_plain(w, x, wide_of(w, n, 1)), 1, n->n_in == 3));
}

void onnx_put_dequantize(onnx_writer *w, const node *n)
{
    const tn_dtype d = onnx_result_type(w, n)->dtype;
    const onnx_id x = onnx_operand(w, n, 0);
    if (n->n_in == 1) {
        onnx_result(w, n, onnx_cast(w, x, d));
        return;
    }
    if (d == TN_F32 && onnx_operand_type(w, n, 1)->dtype == TN_F32 &&
        is_byte(onnx_operand_type(w, n, 0)->dtype)) {
        onnx_result(w, n, linear(w, n, "DequantizeLinear", d));
        return;
    }
    const onnx_id wide = onnx_cast_plain(w, x, wide_of(w, n, 1));
    onnx_result(w, n, onnx_cast(w, steps_up(w, n, wide, 1, n->n_in == 3), d));
}

/* Operands: x, the scale it has, its zero point, the scale it gets, its zero point. */
void onnx_put_requantize(onnx_writer *w, const node *n)
{
    const onnx_id x = onnx_operand(w, n, 0);
    if (n->n_in == 1) {
        onnx_result(w, n, onnx_cast(w, x, onnx_result_type(w, n)->dtype));
        return;
    }
    const bool zeros = n->n_in == 5;
    const uint32_t down = zeros ? 3 : 2;
    const onnx_id wide = onnx_cast_plain(w, x, wide_of(w, n, 1));
    const onnx_id real = steps_up(w, n, wide, 1, zeros);
    onnx_result(w, n, steps_down(w, n, real, down, zeros));
}
