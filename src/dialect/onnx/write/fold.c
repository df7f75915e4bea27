/* Folds that no operator of opset 17 has: cumulative products and extremes, and scatters of
 * extremes. Each is a Scan with a body of a few nodes. */
#include "dialect/onnx/write/writer.h"
#include "ops/attr_rules.h"
#include "ops/law.h"

/* Narrow floats are folded in f32, and rounded once. */
#define FOLDS                                                                                      \
    (ONNX_BIT(TN_F32) | ONNX_BIT(TN_F64) | ONNX_BIT(TN_SI32) | ONNX_BIT(TN_SI64) |                 \
     ONNX_BIT(TN_UI64))

/* A type of the model; NULL without memory. */
static const type *made_type(onnx_writer *w, tn_dtype d, const dim *dims, uint32_t rank)
{
    type_table *types = (type_table *)(uintptr_t)&w->m->types;
    const type *t = type_of(types, d, dims, rank);
    w->out.no_memory = w->out.no_memory || !t;
    return t;
}

/* One element along AXIS of a tensor of T, with elements of D. */
static const type *slice_type(onnx_writer *w, const type *t, uint32_t axis, tn_dtype d)
{
    dim dims[TN_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->rank; i++)
        if (i != axis)
            dims[n++] = t->dims[i];
    return made_type(w, d, dims, n);
}

/* What a fold over nothing of elements of D gives, in the type CARRIER. */
static onnx_id neutral(onnx_writer *w, const char *op, tn_dtype d, tn_dtype carrier)
{
    const bool largest = op[1] == 'a';
    if (op[1] == 'u')
        return onnx_int(&w->out, carrier, 1);
    return onnx_cast_plain(w, onnx_end_of(w, d, largest), carrier);
}

/* ---- cumulative ---- */

static const char *fold_operator(const node *n)
{
    switch (attr_int(n->attrs, KEY_FOLD, FOLD_SUM)) {
    case FOLD_PROD:
        return "Mul";
    case FOLD_MAX:
        return "Max";
    case FOLD_MIN:
        return "Min";
    default:
        return NULL;
    }
}

bool onnx_takes_cumulative(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    (void)f;
    return attr_int(n->attrs, KEY_FOLD, FOLD_SUM) == FOLD_SUM || fold_operator(n) ||
           onnx_objection(why, "it has cumulative sums, products and extremes alone");
}

static onnx_id cumulative_sum(onnx_writer *w, const node *n, onnx_id x, uint32_t axis)
{
    const onnx_id in[] = {x, onnx_int(&w->out, TN_SI64, axis)};
    const onnx_setting how[] = {
        ONNX_INT_SET("exclusive", attr_int(n->attrs, KEY_EXCLUSIVE, 0)),
        ONNX_INT_SET("reverse", attr_int(n->attrs, KEY_REVERSE, 0)),
    };
    return onnx_make(&w->out, "CumSum", onnx_dtype_of_id(&w->out, x), in, 2, how, 2);
}

/* The state is what was folded so far; the results of all steps are stacked. */
static onnx_id cumulative_scan(onnx_writer *w, const node *n, onnx_id x, uint32_t axis)
{
    const char *op = fold_operator(n);
    const tn_dtype d = onnx_dtype_of_id(&w->out, x);
    const type *t = onnx_result_type(w, n), *slice = slice_type(w, t, axis, d);
    onnx_new_graph *outer = w->out.g, *g = onnx_graph_begin(&w->out, "body");
    const int64_t axes[] = {axis}, backwards[] = {attr_int(n->attrs, KEY_REVERSE, 0)};
    if (!g || !slice)
        return ONNX_NOTHING;
    const onnx_id start = neutral(w, op, t->dtype, d);
    const onnx_id in[] = {onnx_expand(w, n, start, slice->dims, slice->rank), x};
    const onnx_id so_far = onnx_graph_input(&w->out, g, slice);
    const onnx_id item = onnx_graph_input(&w->out, g, slice);
    w->out.g = g;
    const onnx_id next =
        op[1] == 'u' ? onnx_2(w, op, so_far, item) : onnx_extreme_of(w, op, so_far, item);
    const bool before = attr_int(n->attrs, KEY_EXCLUSIVE, 0);
    (void)onnx_graph_output(&w->out, g, next, slice);
    (void)onnx_graph_output(&w->out, g, before ? so_far : next, slice);
    w->out.g = outer;
    const onnx_setting how[] = {
        ONNX_GRAPH_SET("body", g),
        ONNX_INT_SET("num_scan_inputs", 1),
        ONNX_INTS_SET("scan_input_axes", axes, 1),
        ONNX_INTS_SET("scan_input_directions", backwards, 1),
        ONNX_INTS_SET("scan_output_axes", axes, 1),
        ONNX_INTS_SET("scan_output_directions", backwards, 1),
    };
    const tn_dtype types[] = {d, d};
    const onnx_id first = onnx_make_all(&w->out, "Scan", types, 2, in, 2, how, 6);
    return first == ONNX_NOTHING ? first : first + 1;
}

void onnx_put_cumulative(onnx_writer *w, const node *n)
{
    const type *t = onnx_result_type(w, n);
    const onnx_id x = onnx_carried(w, n, 0, FOLDS);
    const uint32_t axis = resolve_axis(n->attrs, KEY_AXIS, t->rank);
    const onnx_id y = t->count == 0      ? x /* not every engine scans no slices */
                      : fold_operator(n) ? cumulative_scan(w, n, x, axis)
                                         : cumulative_sum(w, n, x, axis);
    onnx_result(w, n, onnx_narrow(w, y, t->dtype));
}

/* ---- scatters of extremes ---- */

static onnx_id unsqueezed(onnx_writer *w, onnx_id x, int64_t axis)
{
    const onnx_id in[] = {x, onnx_list_of(&w->out, &axis, 1)};
    return onnx_make(&w->out, "Unsqueeze", onnx_dtype_of_id(&w->out, x), in, 2, NULL, 0);
}

/* One place of the positions and updates after the other: where a place of the state is at its
 * position, the update may be the new extreme. */
onnx_id onnx_scattered_extremes(onnx_writer *w, const node *n, onnx_id x, uint32_t axis)
{
    const type *t = onnx_result_type(w, n);
    const bool rows = n->n_in == 2; /* of segment_reduce: its updates come first */
    const uint32_t k_at = 1, k_update = rows ? 0 : 2;
    const char *op = attr_int(n->attrs, KEY_COMBINE, COMBINE_ADD) == COMBINE_MAX ? "Max" : "Min";
    const tn_dtype d = onnx_dtype_of_id(&w->out, x);
    if (onnx_operand_type(w, n, k_update)->count == 0 || t->count == 0)
        return x;
    const type *whole = made_type(w, d, t->dims, t->rank);
    const type *place = slice_type(w, onnx_operand_type(w, n, k_at), axis, TN_SI64);
    const type *update = slice_type(w, onnx_operand_type(w, n, k_update), axis, d);
    onnx_new_graph *outer = w->out.g, *g = onnx_graph_begin(&w->out, "body");
    if (!whole || !place || !update || !g)
        return ONNX_NOTHING;
    const onnx_id updates = onnx_carried(w, n, k_update, FOLDS);
    const onnx_id in[] = {x, onnx_cast_plain(w, onnx_operand(w, n, k_at), TN_SI64), updates};
    const onnx_id own = onnx_counted(w, n, t, axis, TN_SI64);
    const onnx_id state = onnx_graph_input(&w->out, g, whole);
    const onnx_id at = onnx_graph_input(&w->out, g, place);
    const onnx_id item = onnx_graph_input(&w->out, g, update);
    w->out.g = g;
    const onnx_id here = onnx_test(w, "Equal", own, unsqueezed(w, at, axis));
    const onnx_id best = onnx_extreme_of(w, op, state, unsqueezed(w, item, axis));
    const onnx_id next = onnx_where(w, here, best, state);
    (void)onnx_graph_output(&w->out, g, next, whole);
    w->out.g = outer;
    const int64_t axes[] = {axis, axis};
    const onnx_setting how[] = {
        ONNX_GRAPH_SET("body", g),
        ONNX_INT_SET("num_scan_inputs", 2),
        ONNX_INTS_SET("scan_input_axes", axes, 2),
    };
    return onnx_make(&w->out, "Scan", d, in, 3, how, 3);
}

onnx_id onnx_least_rows(onnx_writer *w, const node *n)
{
    const type *t = onnx_result_type(w, n);
    const char *op = attr_int(n->attrs, KEY_COMBINE, COMBINE_ADD) == COMBINE_MAX ? "Max" : "Min";
    const onnx_id start = neutral(w, op, t->dtype, onnx_carrier(t->dtype, FOLDS));
    return onnx_expand(w, n, start, t->dims, t->rank);
}
