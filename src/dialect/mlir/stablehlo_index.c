/* Positions given by data in StableHLO, which clamps them or leaves them without meaning where ours
 * are errors. */
#include "dialect/mlir/stablehlo.h"

#include "ops/shape.h"

void hlo_take(mlir_text *w, const node *n)
{
    const type *x = value_type(w->f, n->in[0]), *at = value_type(w->f, n->in[1]);
    int64_t offsets[TN_MAX_RANK], sizes[TN_MAX_RANK];
    for (uint32_t i = 1; i < x->rank; i++) {
        offsets[i - 1] = (int64_t)at->rank + i - 1;
        sizes[i] = x->dims[i];
    }
    sizes[0] = 1;
    hlo_op(w, n, "gather",
           " {dimension_numbers = #stablehlo.gather<offset_dims = %l, collapsed_slice_dims = [0], "
           "start_index_map = [0], index_vector_dim = %u>, slice_sizes = %i, indices_are_sorted = "
           "false}",
           offsets, x->rank - 1, at->rank, sizes, x->rank);
}

static void ascending(const attrs *a, attr_key key, uint32_t rank, int64_t *out, uint32_t *n)
{
    axis_list list;
    const int64_t *axes = attr_ints(a, key, n);
    (void)resolve_axes(axes, *n, rank, &list);
    *n = list.n;
    for (uint32_t i = 0; i < list.n; i++)
        out[i] = list.at[i];
}

void hlo_scatter_add(mlir_text *w, const node *n)
{
    const type *x = value_type(w->f, n->in[0]), *at = value_type(w->f, n->in[1]);
    int64_t window[TN_MAX_RANK], inserted[TN_MAX_RANK], components[TN_MAX_RANK];
    uint32_t n_window, n_inserted, n_components;
    const int64_t *given = attr_ints(n->attrs, KEY_SCATTER_DIMS, &n_components);
    ascending(n->attrs, KEY_UPDATE_WINDOW_DIMS, value_type(w->f, n->in[2])->rank, window,
              &n_window);
    ascending(n->attrs, KEY_INSERTED_WINDOW_DIMS, x->rank, inserted, &n_inserted);
    for (uint32_t i = 0; i < n_components; i++)
        components[i] = given[i] < 0 ? given[i] + x->rank : given[i];
    hlo_open(w, n, "scatter");
    put(w, " ({\n");
    hlo_combine(w, OP_ADD, x->dtype);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    hlo_close(w, n,
              "}) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = %l, "
              "inserted_window_dims = %l, scatter_dims_to_operand_dims = %l, index_vector_dim = "
              "%d>, indices_are_sorted = false, unique_indices = false}",
              window, n_window, inserted, n_inserted, components, n_components,
              attr_int(n->attrs, KEY_INDEX_VECTOR_DIM, at->rank));
}

/* The components of the start, which is one vector here and a scalar for each axis there. */
static void put_starts(mlir_text *w, value_id v, value_id starts, uint32_t rank)
{
    tensor all = type_of_value(w, starts), one = type_of_scalar(all.dtype);
    const int64_t single = 1;
    tensor part = type_made(all.dtype, &single, 1);
    for (uint32_t i = 0; i < rank; i++) {
        line(w,
             "%nb%u = \"stablehlo.slice\"(%v) {start_indices = array<i64: %u>, limit_indices = "
             "array<i64: %u>, strides = array<i64: 1>} : (%t) -> %t",
             "c", v, i, starts, i, i + 1, &all, &part);
        line(w, "%ns%u = \"stablehlo.reshape\"(%nb%u) : (%t) -> %t", "c", v, i, "c", v, i, &part,
             &one);
    }
}

static void put_dynamic(mlir_text *w, const node *n, const char *name, uint32_t n_operands)
{
    value_id v = n->first_value;
    tensor out = type_of_value(w, v);
    tensor one = type_of_scalar(value_type(w->f, n->in[n_operands])->dtype);
    uint32_t rank = value_type(w->f, n->in[0])->rank, n_sizes;
    const int64_t *sizes = attr_ints(n->attrs, KEY_SIZES, &n_sizes);
    put_starts(w, v, n->in[n_operands], rank);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%v = \"stablehlo.%s\"(", v, name);
    for (uint32_t i = 0; i < n_operands; i++)
        put(w, "%s%v", i ? ", " : "", n->in[i]);
    for (uint32_t i = 0; i < rank; i++)
        put(w, ", %ns%u", "c", v, i);
    put(w, ")");
    if (n->op == OP_DYNAMIC_SLICE)
        put(w, " {slice_sizes = %i}", sizes, n_sizes);
    put(w, " : (");
    for (uint32_t i = 0; i < n_operands; i++) {
        tensor t = type_of_value(w, n->in[i]);
        put(w, "%s%t", i ? ", " : "", &t);
    }
    for (uint32_t i = 0; i < rank; i++)
        put(w, ", %t", &one);
    put(w, ") -> %t\n", &out);
}

void hlo_dynamic_slice(mlir_text *w, const node *n)
{
    put_dynamic(w, n, "dynamic_slice", 1);
}

void hlo_dynamic_update(mlir_text *w, const node *n)
{
    put_dynamic(w, n, "dynamic_update_slice", 2);
}
