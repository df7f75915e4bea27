/* Reductions. */
#include <math.h>

#include "dialect/onnx/write/writer.h"

#include "ops/attr_rules.h"
#include "ops/shape.h"

#define TOTALS (ONNX_COMMON_BITS | ONNX_BIT(TN_UI64))

static bool adds_plainly(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    tn_dtype sum, out, plain_sum, plain_out;
    const tn_dtype d = value_type(f, n->in[0])->dtype;
    reduce_dtypes(n->attrs, d, &sum, &out);
    reduce_dtypes(&attrs_none, d, &plain_sum, &plain_out);
    if (attr_find(n->attrs, KEY_INIT))
        return onnx_objection(why, "it starts with no given value");
    return (sum == plain_sum && out == plain_out) ||
           onnx_objection(why, "it accumulates in the element type; cast first");
}

bool onnx_takes_reduce(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    return adds_plainly(f, n, why);
}

bool onnx_takes_mean(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    if (!dtype_is_float(value_type(f, n->in[0])->dtype))
        return onnx_objection(why, "its mean is of floats");
    return adds_plainly(f, n, why);
}

/* The axes of N; false where nothing is reduced. */
static bool axes_of(const onnx_writer *w, const node *n, int64_t *at, uint32_t *count, bool *keep)
{
    uint32_t n_given;
    axis_list axes;
    const int64_t *given = attr_ints(n->attrs, KEY_AXES, &n_given);
    if (!attr_find(n->attrs, KEY_AXES))
        given = NULL;
    (void)resolve_reduction(given, n_given, attr_int(n->attrs, KEY_KEEPDIMS, 0) != 0,
                            onnx_operand_type(w, n, 0)->rank, &axes, keep);
    *count = axes.n;
    for (uint32_t i = 0; i < axes.n; i++)
        at[i] = axes.at[i];
    return axes.n != 0;
}

/* OP, whose axes are an attribute, or of ReduceSum alone an input. */
static void put_reduction(onnx_writer *w, const node *n, const char *op, uint32_t direct)
{
    const bool takes_axes = strcmp(op, "ReduceSum") == 0;
    int64_t axes[TN_MAX_RANK];
    uint32_t count;
    bool keep;
    if (!axes_of(w, n, axes, &count, &keep)) {
        onnx_result(w, n, onnx_operand(w, n, 0));
        return;
    }
    const onnx_id x = onnx_carried(w, n, 0, direct);
    const onnx_id in[] = {x, takes_axes ? onnx_list_of(&w->out, axes, count) : 0};
    const onnx_setting how[] = {ONNX_INT_SET("keepdims", keep), ONNX_INTS_SET("axes", axes, count)};
    const onnx_id y = onnx_make(&w->out, op, onnx_dtype_of_id(&w->out, x), in, takes_axes ? 2 : 1,
                                how, takes_axes ? 1 : 2);
    onnx_result(w, n, onnx_narrow(w, y, onnx_result_type(w, n)->dtype));
}

void onnx_put_sum(onnx_writer *w, const node *n)
{
    put_reduction(w, n, "ReduceSum", TOTALS);
}

/* Engines differ about the mean of nothing. */
void onnx_put_mean(onnx_writer *w, const node *n)
{
    const type *from = onnx_operand_type(w, n, 0), *to = onnx_result_type(w, n);
    if (from->count == 0 && to->count > 0) {
        const onnx_id nan = onnx_number(&w->out, to->dtype, scalar_of_float((double)NAN));
        onnx_result(w, n, onnx_expand(w, n, nan, to->dims, to->rank));
        return;
    }
    put_reduction(w, n, "ReduceMean", ONNX_FLOAT_BITS);
}

void onnx_put_prod(onnx_writer *w, const node *n)
{
    put_reduction(w, n, "ReduceProd", TOTALS);
}

onnx_id onnx_end_of(onnx_writer *w, tn_dtype d, bool least)
{
    scalar end = {.kind = dtype_table[d].kind};
    if (dtype_is_float(d))
        end.f = least ? -(double)INFINITY : (double)INFINITY;
    else if (dtype_is_signed(d))
        end.i = least ? dtype_int_min(d) : (int64_t)dtype_int_max(d);
    else
        end.u = least ? 0 : dtype_int_max(d);
    return onnx_number(&w->out, d, end);
}

/* Of no elements ONNX has no extreme. */
void onnx_put_extreme(onnx_writer *w, const node *n)
{
    const bool largest = n->op == OP_REDUCE_MAX;
    const type *from = onnx_operand_type(w, n, 0), *to = onnx_result_type(w, n);
    if (from->count == 0 && to->count > 0) {
        const onnx_id end = onnx_end_of(w, to->dtype, largest);
        onnx_result(w, n, onnx_expand(w, n, end, to->dims, to->rank));
        return;
    }
    put_reduction(w, n, largest ? "ReduceMax" : "ReduceMin",
                  ONNX_COMMON_BITS | ONNX_BIT(TN_SI8) | ONNX_BIT(TN_UI8) | ONNX_BIT(TN_UI64));
}

void onnx_put_arg_max(onnx_writer *w, const node *n)
{
    const type *from = onnx_operand_type(w, n, 0);
    const onnx_id x = onnx_carried(
        w, n, 0, ONNX_COMMON_BITS | ONNX_BIT(TN_SI8) | ONNX_BIT(TN_UI8) | ONNX_BIT(TN_UI64));
    const onnx_setting how[] = {
        ONNX_INT_SET("axis", resolve_axis(n->attrs, KEY_AXIS, from->rank)),
        ONNX_INT_SET("keepdims", attr_int(n->attrs, KEY_KEEPDIMS, 0)),
    };
    const onnx_id at = onnx_make(&w->out, "ArgMax", TN_SI64, &x, 1, how, 2);
    onnx_result(w, n, onnx_cast_plain(w, at, onnx_result_type(w, n)->dtype));
}
