/* Positions given by data. ONNX counts negative ones from the end, where Tenon's are errors. */
#include "dialect/onnx/write/writer.h"

#include "ops/attr_rules.h"
#include "ops/scatter.h"

static onnx_id positions(onnx_writer *w, const node *n, uint32_t k)
{
    const tn_dtype d = onnx_operand_type(w, n, k)->dtype;
    const onnx_id at = onnx_operand(w, n, k);
    return d == TN_SI32 ? at : onnx_cast_plain(w, at, TN_SI64);
}

/* From nothing nothing can be taken, but when nothing is. */
bool onnx_takes_taken(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    return value_type(f, n->in[0])->count != 0 || value_type(f, n->first_value)->count != 0 ||
           onnx_objection(why, "there is nothing to take from");
}

void onnx_put_take(onnx_writer *w, const node *n)
{
    const onnx_id in[] = {onnx_operand(w, n, 0), positions(w, n, 1)};
    const onnx_setting axis = ONNX_INT_SET("axis", 0);
    onnx_result(w, n, onnx_make(&w->out, "Gather", onnx_result_type(w, n)->dtype, in, 2, &axis, 1));
}

void onnx_put_gather(onnx_writer *w, const node *n)
{
    const onnx_id in[] = {onnx_operand(w, n, 0), positions(w, n, 1)};
    const onnx_setting axis =
        ONNX_INT_SET("axis", resolve_axis(n->attrs, KEY_AXIS, onnx_operand_type(w, n, 0)->rank));
    onnx_result(
        w, n, onnx_make(&w->out, "GatherElements", onnx_result_type(w, n)->dtype, in, 2, &axis, 1));
}

/* ---- scatters ---- */

/* Sums of narrow floats are formed in f32, and rounded once. */
#define SUMS                                                                                       \
    (ONNX_BIT(TN_F32) | ONNX_BIT(TN_F64) | ONNX_BIT(TN_SI32) | ONNX_BIT(TN_SI64) |                 \
     ONNX_BIT(TN_UI64))

static onnx_id scatter_nd(onnx_writer *w, onnx_id x, onnx_id at, onnx_id updates)
{
    const onnx_id in[] = {x, at, updates};
    const onnx_setting add = ONNX_TEXT_SET("reduction", "add");
    return onnx_make(&w->out, "ScatterND", onnx_dtype_of_id(&w->out, x), in, 3, &add, 1);
}

/* Components must name axes that updates have not, and windows must be whole: then an index vector
 * names a part of the operand, once its axes have the right order. */
bool onnx_takes_scatter_add(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const type *x = value_type(f, n->in[0]), *at = value_type(f, n->in[1]);
    const type *updates = value_type(f, n->in[2]);
    scatter_axes s;
    uint32_t components = 0;
    find_scatter_axes(n->attrs, x, at, updates, &s);
    for (uint32_t i = 0; i < s.n_components; i++)
        components |= 1U << s.component_axis[i];
    if (components != s.inserted_mask)
        return onnx_objection(why, "its positions name whole parts, not where windows begin");
    for (uint32_t i = 0, k = 0; i < x->rank; i++) {
        if (s.inserted_mask >> i & 1)
            continue;
        while (k < updates->rank && !(s.window_mask >> k & 1))
            k++;
        if (k < updates->rank && updates->dims[k++] != x->dims[i])
            return onnx_objection(why, "its windows are whole axes");
    }
    return at->rank < TN_MAX_RANK || onnx_objection(why, "the rank is too high for vectors");
}

void onnx_put_scatter_add(onnx_writer *w, const node *n)
{
    const type *x = onnx_operand_type(w, n, 0), *at = onnx_operand_type(w, n, 1);
    const type *updates = onnx_operand_type(w, n, 2);
    int64_t order[TN_MAX_RANK], back[TN_MAX_RANK], vectors[TN_MAX_RANK], parts[TN_MAX_RANK];
    scatter_axes s;
    find_scatter_axes(n->attrs, x, at, updates, &s);
    uint32_t k = 0;
    for (uint32_t i = 0; i < s.n_components; i++)
        order[k++] = s.component_axis[i];
    for (uint32_t i = 0; i < x->rank; i++)
        if (!(s.inserted_mask >> i & 1))
            order[k++] = i;
    for (uint32_t i = 0; i < x->rank; i++)
        back[order[i]] = i;
    k = 0;
    for (uint32_t i = 0; i < at->rank; i++)
        if (i != s.vector)
            vectors[k++] = i;
    if (s.vector < at->rank)
        vectors[k++] = s.vector;
    k = 0;
    for (uint32_t window = 0; window < 2; window++)
        for (uint32_t i = 0; i < updates->rank; i++)
            if ((s.window_mask >> i & 1) == window)
                parts[k++] = i;
    onnx_id a = onnx_carried(w, n, 0, SUMS), u = onnx_carried(w, n, 2, SUMS);
    onnx_id i = onnx_cast_plain(w, onnx_operand(w, n, 1), TN_SI64);
    a = onnx_permute(w, a, order, x->rank);
    u = onnx_permute(w, u, parts, updates->rank);
    i = onnx_permute(w, i, vectors, at->rank);
    if (s.vector >= at->rank) {
        const int64_t last = -1;
        const onnx_id in[] = {i, onnx_list_of(&w->out, &last, 1)};
        i = onnx_make(&w->out, "Unsqueeze", TN_SI64, in, 2, NULL, 0);
    }
    const onnx_id y = onnx_permute(w, scatter_nd(w, a, i, u), back, x->rank);
    onnx_result(w, n, onnx_narrow(w, y, x->dtype));
}

bool onnx_takes_scatter_reduce(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const int64_t how = attr_int(n->attrs, KEY_COMBINE, COMBINE_ADD);
    (void)f;
    return (how != COMBINE_MAX_NAN && how != COMBINE_MIN_NAN) ||
           onnx_objection(why, "NaN wins in none of its extremes");
}

static bool is_extreme(int64_t combine)
{
    return combine == COMBINE_MAX || combine == COMBINE_MIN;
}

void onnx_put_scatter_reduce(onnx_writer *w, const node *n)
{
    const int64_t combine = attr_int(n->attrs, KEY_COMBINE, COMBINE_ADD);
    const type *t = onnx_result_type(w, n);
    const bool replaces = combine == COMBINE_REPLACE;
    const uint32_t direct = replaces ? ~0U : SUMS;
    const onnx_id x = onnx_carried(w, n, 0, direct);
    if (is_extreme(combine)) {
        const uint32_t axis = resolve_axis(n->attrs, KEY_AXIS, t->rank);
        const onnx_id all = onnx_scattered_extremes(w, n, x, axis);
        onnx_result(w, n, onnx_narrow(w, all, t->dtype));
        return;
    }
    const onnx_id at = positions(w, n, 1);
    const onnx_id in[] = {x, at, onnx_carried(w, n, 2, direct)};
    const onnx_setting how[] = {
        ONNX_INT_SET("axis", resolve_axis(n->attrs, KEY_AXIS, t->rank)),
        ONNX_TEXT_SET("reduction", combine == COMBINE_MUL ? "mul" : "add"),
    };
    const onnx_id y = onnx_make(&w->out, "ScatterElements", onnx_dtype_of_id(&w->out, x), in, 3,
                                how, replaces ? 1 : 2);
    onnx_result(w, n, onnx_narrow(w, y, t->dtype));
}

bool onnx_takes_segment_reduce(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const tn_dtype d = value_type(f, n->first_value)->dtype;
    const int64_t how = attr_int(n->attrs, KEY_COMBINE, COMBINE_ADD);
    if (how != COMBINE_ADD)
        return is_extreme(how) || onnx_objection(why, "it adds rows, or finds their extremes");
    return attr_int(n->attrs, KEY_ACCUM_DTYPE, (int64_t)dtype_compute(d)) ==
               (int64_t)dtype_compute(d) ||
           onnx_objection(why, "it accumulates in the element type; cast first");
}

void onnx_put_segment_reduce(onnx_writer *w, const node *n)
{
    const type *t = onnx_result_type(w, n);
    const int64_t last = -1;
    if (is_extreme(attr_int(n->attrs, KEY_COMBINE, COMBINE_ADD))) {
        const onnx_id start = onnx_least_rows(w, n);
        const onnx_id all = onnx_scattered_extremes(w, n, start, 0);
        onnx_result(w, n, onnx_narrow(w, all, t->dtype));
        return;
    }
    const onnx_id x = onnx_carried(w, n, 0, SUMS);
    const onnx_id zero = onnx_int(&w->out, onnx_dtype_of_id(&w->out, x), 0);
    const onnx_id zeros = onnx_expand(w, n, zero, t->dims, t->rank);
    const onnx_id rows = onnx_cast_plain(w, onnx_operand(w, n, 1), TN_SI64);
    const onnx_id in[] = {rows, onnx_list_of(&w->out, &last, 1)};
    const onnx_id at = onnx_make(&w->out, "Unsqueeze", TN_SI64, in, 2, NULL, 0);
    onnx_result(w, n, onnx_narrow(w, scatter_nd(w, zeros, at, x), t->dtype));
}

/* ---- windows whose place is data ---- */

static onnx_id difference(onnx_writer *w, const node *n, dim a, dim b)
{
    if (!dim_is_symbolic(a) && !dim_is_symbolic(b))
        return onnx_int(&w->out, TN_SI64, a - b);
    const onnx_id x = onnx_size(w, n, a), y = onnx_size(w, n, b);
    return onnx_2(w, "Sub", x, y);
}

/* Where the window of SIZE begins along AXIS of EXTENT, moved inside, as a list of one number. */
static onnx_id start_of(onnx_writer *w, const node *n, uint32_t k, uint32_t axis, dim extent,
                        dim size)
{
    const onnx_id most = difference(w, n, extent, size);
    const onnx_id all = onnx_cast(w, onnx_operand(w, n, k), TN_SI64);
    const int64_t at = axis;
    const onnx_id in[] = {all, onnx_list_of(&w->out, &at, 1)};
    const onnx_setting first = ONNX_INT_SET("axis", 0);
    const onnx_id given = onnx_make(&w->out, "Gather", TN_SI64, in, 2, &first, 1);
    const onnx_id up = onnx_extreme_of(w, "Max", given, onnx_int(&w->out, TN_SI64, 0));
    return onnx_extreme_of(w, "Min", up, most);
}

static bool same_shape(const type *a, const type *b)
{
    return a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

static onnx_id gathered(onnx_writer *w, onnx_id x, onnx_id at, int64_t axis)
{
    const onnx_id in[] = {x, at};
    const onnx_setting along = ONNX_INT_SET("axis", axis);
    return onnx_make(&w->out, "Gather", onnx_dtype_of_id(&w->out, x), in, 2, &along, 1);
}

/* The positions along each axis of which the window has a part are taken. */
void onnx_put_dynamic_slice(onnx_writer *w, const node *n)
{
    const type *x = onnx_operand_type(w, n, 0), *out = onnx_result_type(w, n);
    onnx_id y = onnx_operand(w, n, 0);
    for (uint32_t i = 0; i < x->rank; i++) {
        if (out->dims[i] == x->dims[i])
            continue;
        const onnx_id start = start_of(w, n, 1, i, x->dims[i], out->dims[i]);
        y = gathered(w, y, onnx_2(w, "Add", start, onnx_numbers(w, n, out->dims[i], TN_SI64)), i);
    }
    onnx_result(w, n, y);
}

/* Every position takes an element of the window, and those outside of it are put back. */
void onnx_put_dynamic_update(onnx_writer *w, const node *n)
{
    const uint32_t direct = ONNX_COMMON_BITS | ONNX_BIT(TN_UI8) | ONNX_BIT(TN_UI64);
    const type *x = onnx_operand_type(w, n, 0), *window = onnx_operand_type(w, n, 1);
    onnx_id inside = ONNX_NOTHING;
    if (window->count == 0 || same_shape(x, window)) {
        onnx_result(w, n, onnx_operand(w, n, window->count != 0));
        return;
    }
    const onnx_id old = onnx_carried(w, n, 0, direct);
    onnx_id fresh = onnx_carried(w, n, 1, direct);
    for (uint32_t i = 0; i < x->rank; i++) {
        const dim size = window->dims[i];
        dim dims[TN_MAX_RANK] = {x->dims[i]};
        if (size == x->dims[i])
            continue;
        const onnx_id zero = onnx_int(&w->out, TN_SI64, 0);
        const onnx_id last = difference(w, n, size, 1);
        const onnx_id start = start_of(w, n, 2, i, x->dims[i], size);
        const onnx_id all = onnx_numbers(w, n, x->dims[i], TN_SI64);
        const onnx_id from = onnx_2(w, "Sub", all, start);
        const onnx_id up = onnx_extreme_of(w, "Max", from, zero);
        const onnx_id at = onnx_extreme_of(w, "Min", up, last);
        onnx_id here = onnx_test(w, "Equal", from, at);
        for (uint32_t k = i + 1; k < x->rank; k++)
            dims[k - i] = 1;
        here = onnx_reshape(w, n, here, dims, x->rank - i);
        inside = inside == ONNX_NOTHING ? here : onnx_2(w, "And", inside, here);
        fresh = gathered(w, fresh, at, i);
    }
    const onnx_id y = onnx_where(w, inside, fresh, old);
    onnx_result(w, n, onnx_cast_plain(w, y, x->dtype));
}
