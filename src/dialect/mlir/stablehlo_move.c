/* Movement and generators in StableHLO. */
#include "dialect/mlir/stablehlo.h"

#include "ops/shape.h"

void hlo_iota(mlir_text *w, const node *n)
{
    int64_t axis = attr_int(n->attrs, KEY_AXIS, 0);
    axis += axis < 0 ? value_type(w->f, n->first_value)->rank : 0;
    const tensor t = type_of_value(w, n->first_value);
    hlo_put_iota(w, w->names[n->first_value], (uint32_t)axis, &t);
}

void hlo_random(mlir_text *w, const node *n)
{
    value_id v = n->first_value;
    tensor t = type_of_value(w, v), one = type_of_scalar(t.dtype);
    int64_t rank = t.rank;
    tensor list = type_made(TN_SI64, &rank, 1);
    hlo_scalar(w, "a", v, t.dtype, scalar_of_float(0));
    hlo_scalar(w, "b", v, t.dtype, scalar_of_float(1));
    value_name extents = {w->scope, v, "s"};
    if (hlo_is_open(&t))
        extents = hlo_shape_of(w, &t);
    else if (t.rank)
        line(w, "%n = \"stablehlo.constant\"() {value = dense<%l> : %t} : () -> %t", "s", v, t.dims,
             t.rank, &list, &list);
    else
        line(w, "%n = \"stablehlo.constant\"() {value = dense<> : %t} : () -> %t", "s", v, &list,
             &list);
    line(
        w,
        "%v = \"stablehlo.rng\"(%n, %n, %w) {rng_distribution = #stablehlo<rng_distribution %s>} : "
        "(%t, %t, %t) -> %t",
        v, "a", v, "b", v, &extents, n->op == OP_RNG_UNIFORM ? "UNIFORM" : "NORMAL", &one, &one,
        &list, &t);
}

void hlo_reshape(mlir_text *w, const node *n)
{
    const tensor in = type_of_value(w, n->in[0]), out = type_of_value(w, n->first_value);
    hlo_put_reshape(w, w->names[n->first_value], w->names[n->in[0]], &in, &out);
}

void hlo_transpose(mlir_text *w, const node *n)
{
    uint32_t rank;
    const int64_t *perm = attr_ints(n->attrs, KEY_PERM, &rank);
    hlo_op(w, n, "transpose", " {permutation = %i}", perm, rank);
}

void hlo_broadcast(mlir_text *w, const node *n)
{
    uint32_t map[TN_MAX_RANK];
    int64_t dims[TN_MAX_RANK];
    shape out;
    const type *t = value_type(w->f, n->in[0]);
    (void)resolve_broadcast(n->attrs, t, &out, map);
    for (uint32_t i = 0; i < t->rank; i++)
        dims[i] = map[i];
    const tensor from = type_of_value(w, n->in[0]), to = type_of_value(w, n->first_value);
    hlo_put_broadcast(w, w->names[n->first_value], w->names[n->in[0]], dims, &from, &to);
}

bool hlo_takes_slice(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const type *t = value_type(f, n->in[0]);
    slice_range r[TN_MAX_RANK];
    shape out;
    (void)resolve_slices(n->attrs, t->dims, t->rank, r, &out);
    for (uint32_t i = 0; i < t->rank; i++)
        if (r[i].step < 0 && r[i].count > 1)
            return object(why, "the strides of a slice are positive");
    return true;
}

void hlo_slice(mlir_text *w, const node *n)
{
    const type *t = value_type(w->f, n->in[0]);
    slice_range r[TN_MAX_RANK];
    int64_t starts[TN_MAX_RANK], ends[TN_MAX_RANK], steps[TN_MAX_RANK];
    shape out;
    (void)resolve_slices(n->attrs, t->dims, t->rank, r, &out);
    for (uint32_t i = 0; i < t->rank; i++) {
        starts[i] = r[i].count ? r[i].start : 0;
        ends[i] = r[i].count < 0 ? t->dims[i]
                  : r[i].count   ? r[i].start + (r[i].count - 1) * r[i].step + 1
                                 : 0;
        steps[i] = r[i].count > 1 ? r[i].step : 1;
    }
    const tensor from = type_of_value(w, n->in[0]), to = type_of_value(w, n->first_value);
    hlo_put_slice(w, w->names[n->first_value], w->names[n->in[0]],
                  &(hlo_bounds){starts, ends, steps}, &from, &to);
}

void hlo_reverse(mlir_text *w, const node *n)
{
    uint32_t n_axes;
    int64_t dims[TN_MAX_RANK];
    axis_list list;
    const int64_t *axes = attr_ints(n->attrs, KEY_AXES, &n_axes);
    (void)resolve_axes(axes, n_axes, value_type(w->f, n->in[0])->rank, &list);
    for (uint32_t i = 0; i < list.n; i++)
        dims[i] = list.at[i];
    hlo_op(w, n, "reverse", " {dimensions = %i}", dims, list.n);
}

/* The list that AMOUNTS, numbers and sizes, are as an operand. */
static value_name amounts_of(mlir_text *w, const int64_t *amounts, uint32_t rank)
{
    const tensor list = type_made(TN_SI64, amounts, rank);
    return hlo_shape_of(w, &list);
}

void hlo_pad(mlir_text *w, const node *n)
{
    value_id v = n->first_value;
    tensor in = type_of_value(w, n->in[0]), out = type_of_value(w, v), one;
    uint32_t rank;
    const int64_t *low = attr_ints(n->attrs, KEY_LOW, &rank);
    const int64_t *high = attr_ints(n->attrs, KEY_HIGH, &rank);
    const int64_t *interior = attr_ints(n->attrs, KEY_INTERIOR, &rank);
    const attr *value = attr_find(n->attrs, KEY_PAD_VALUE);
    bool is_open = false;
    for (uint32_t i = 0; i < rank; i++)
        is_open = is_open || dim_is_symbolic(low[i]) || dim_is_symbolic(high[i]);
    one = type_of_scalar(out.dtype);
    hlo_scalar(w, "z", v, out.dtype, value ? *value->v.scalar : scalar_of_int(0));
    if (!is_open) {
        line(w,
             "%v = \"stablehlo.pad\"(%v, %n) {edge_padding_low = %i, edge_padding_high = %i, "
             "interior_padding = %i} : (%t, %t) -> %t",
             v, n->in[0], "z", v, low, rank, high, rank, interior, rank, &in, &one, &out);
        return;
    }
    const value_name before = amounts_of(w, low, rank), behind = amounts_of(w, high, rank);
    const value_name between = amounts_of(w, interior, rank);
    const tensor list = hlo_shape_type(rank);
    line(w, "%v = \"stablehlo.dynamic_pad\"(%v, %n, %w, %w, %w) : (%t, %t, %t, %t, %t) -> %t", v,
         n->in[0], "z", v, &before, &behind, &between, &in, &one, &list, &list, &list, &out);
}

void hlo_concat(mlir_text *w, const node *n)
{
    int64_t axis = attr_int(n->attrs, KEY_AXIS, 0);
    axis += axis < 0 ? value_type(w->f, n->first_value)->rank : 0;
    hlo_op(w, n, "concatenate", " {dimension = %d : i64}", axis);
}
