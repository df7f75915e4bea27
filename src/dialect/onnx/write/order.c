/* Orders of elements: TopK of all of them. Equal ones come in the order of their positions. */
#include "dialect/onnx/write/writer.h"

#include "ops/attr_rules.h"

#define ORDERED (ONNX_COMMON_BITS | ONNX_BIT(TN_UI64))

/* The elements of D, of which there are none, in the shape of operand 0 with K along AXIS. */
static onnx_id nothing_of(onnx_writer *w, const node *n, tn_dtype d, uint32_t axis, dim k)
{
    const type *t = onnx_operand_type(w, n, 0);
    dim dims[TN_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++)
        dims[i] = i == axis ? k : t->dims[i];
    return onnx_expand(w, n, onnx_int(&w->out, d, 0), dims, t->rank);
}

/* The K largest or smallest along AXIS, their positions at *AT. TopK of nothing ends the process of
 * ONNX Runtime. */
static onnx_id top(onnx_writer *w, const node *n, dim k, uint32_t axis, bool largest, onnx_id *at)
{
    if (onnx_operand_type(w, n, 0)->count == 0) {
        *at = nothing_of(w, n, TN_SI64, axis, k);
        return nothing_of(w, n, onnx_operand_type(w, n, 0)->dtype, axis, k);
    }
    const onnx_id x = onnx_carried(w, n, 0, ORDERED);
    const tn_dtype types[] = {onnx_dtype_of_id(&w->out, x), TN_SI64};
    const onnx_id in[] = {x, onnx_extents(w, n, &k, 1)};
    const onnx_setting how[] = {ONNX_INT_SET("axis", axis), ONNX_INT_SET("largest", largest)};
    const onnx_id first = onnx_make_all(&w->out, "TopK", types, 2, in, 2, how, 2);
    *at = first == ONNX_NOTHING ? first : first + 1;
    return onnx_cast_plain(w, first, onnx_operand_type(w, n, 0)->dtype);
}

static onnx_id all_in_order(onnx_writer *w, const node *n, uint32_t *axis, onnx_id *at)
{
    const type *t = onnx_operand_type(w, n, 0);
    *axis = resolve_axis(n->attrs, KEY_AXIS, t->rank);
    return top(w, n, t->dims[*axis], *axis, attr_int(n->attrs, KEY_DESCENDING, 0) != 0, at);
}

void onnx_put_sort(onnx_writer *w, const node *n)
{
    uint32_t axis;
    onnx_id at;
    w->ids[n->first_value] = all_in_order(w, n, &axis, &at);
    for (uint32_t k = 1; k < n->n_in; k++) {
        const onnx_id in[] = {onnx_operand(w, n, k), at};
        const onnx_setting along = ONNX_INT_SET("axis", axis);
        w->ids[n->first_value + k] = onnx_make(&w->out, "GatherElements",
                                               onnx_operand_type(w, n, k)->dtype, in, 2, &along, 1);
    }
}

void onnx_put_argsort(onnx_writer *w, const node *n)
{
    uint32_t axis;
    onnx_id at;
    (void)all_in_order(w, n, &axis, &at);
    onnx_result(w, n, onnx_cast_plain(w, at, onnx_result_type(w, n)->dtype));
}

void onnx_put_top_k(onnx_writer *w, const node *n)
{
    onnx_id at;
    const uint32_t axis = resolve_axis(n->attrs, KEY_AXIS, onnx_operand_type(w, n, 0)->rank);
    const onnx_id values =
        top(w, n, attr_int(n->attrs, KEY_K, 0), axis, attr_int(n->attrs, KEY_LARGEST, 1) != 0, &at);
    w->ids[n->first_value] = values;
    w->ids[n->first_value + 1] =
        onnx_cast_plain(w, at, value_type(w->f, n->first_value + 1)->dtype);
}
