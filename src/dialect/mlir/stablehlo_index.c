/* Positions given by data in StableHLO, which clamps them or leaves them without meaning where ours
 * are errors. */
#include "dialect/mlir/stablehlo.h"

#include <stdio.h>

#include "ops/attr_rules.h"
#include "ops/shape.h"

/* A slice may not be larger than what it is taken from, not even when none is taken. */
static bool takes_from_nothing(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    return value_type(f, n->in[0])->count != 0 || value_type(f, n->first_value)->count == 0 ||
           object(why, "there is nothing to take from");
}

bool hlo_takes_take(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    return takes_from_nothing(f, n, why);
}

void hlo_take(mlir_text *w, const node *n)
{
    const type *x = value_type(w->f, n->in[0]), *at = value_type(w->f, n->in[1]);
    int64_t offsets[TN_MAX_RANK], sizes[TN_MAX_RANK];
    if (value_type(w->f, n->first_value)->count == 0) {
        hlo_nothing(w, n->first_value);
        return;
    }
    for (uint32_t i = 1; i < x->rank; i++) {
        offsets[i - 1] = (int64_t)at->rank + i - 1;
        sizes[i] = x->dims[i];
    }
    sizes[0] = 1;
    const tensor in = type_of_value(w, n->in[0]), places = type_of_value(w, n->in[1]);
    const tensor out = type_of_value(w, n->first_value), all = type_made(x->dtype, sizes, x->rank);
    const tensor list = hlo_shape_type(x->rank);
    if (!hlo_is_open(&all)) {
        hlo_op(w, n, "gather",
               " {dimension_numbers = #stablehlo.gather<offset_dims = %l, collapsed_slice_dims = "
               "[0], start_index_map = [0], index_vector_dim = %u>, slice_sizes = %i, "
               "indices_are_sorted = false%s}",
               offsets, x->rank - 1, at->rank, sizes, x->rank, hlo_says_inside(&in, &places));
        return;
    }
    const value_name extents = hlo_shape_of(w, &all);
    line(w,
         "%v = \"stablehlo.dynamic_gather\"(%v, %v, %w) {dimension_numbers = "
         "#stablehlo.gather<offset_dims = %l, collapsed_slice_dims = [0], start_index_map = [0], "
         "index_vector_dim = %u>, indices_are_sorted = false%s} : (%t, %t, %t) -> %t",
         n->first_value, n->in[0], n->in[1], &extents, offsets, x->rank - 1, at->rank,
         hlo_says_inside(&in, &places), &in, &places, &list, &out);
}

const char *hlo_says_inside(const tensor *x, const tensor *at)
{
    return hlo_is_open(x) || hlo_is_open(at) ? ", tenon.inside" : "";
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

enum { PREFIX = 16 };

/* The components of the start, which is one vector here and a scalar for each axis there: NAMES,
 * with room for their PREFIXES. */
static void put_starts(mlir_text *w, value_id v, value_id starts, uint32_t rank,
                       char (*prefixes)[PREFIX], value_name *names)
{
    tensor all = type_of_value(w, starts), one = type_of_scalar(all.dtype);
    const int64_t single = 1;
    tensor part = type_made(all.dtype, &single, 1);
    for (uint32_t i = 0; i < rank; i++) {
        line(w,
             "%nb%u = \"stablehlo.slice\"(%v) {start_indices = array<i64: %u>, limit_indices = "
             "array<i64: %u>, strides = array<i64: 1>} : (%t) -> %t",
             "c", v, i, starts, i, i + 1, &all, &part);
        (void)snprintf(prefixes[i], PREFIX, "s%u_", i);
        names[i] = (value_name){w->scope, v, prefixes[i]};
        line(w, "%w = \"stablehlo.reshape\"(%nb%u) : (%t) -> %t", &names[i], "c", v, i, &part,
             &one);
    }
}

void hlo_dynamic_slice(mlir_text *w, const node *n)
{
    const value_id v = n->first_value;
    const tensor in = type_of_value(w, n->in[0]), out = type_of_value(w, v);
    const tensor one = type_of_scalar(value_type(w->f, n->in[1])->dtype);
    char prefixes[TN_MAX_RANK][PREFIX];
    value_name starts[TN_MAX_RANK];
    put_starts(w, v, n->in[1], in.rank, prefixes, starts);
    hlo_put_window(w, w->names[v], w->names[n->in[0]], starts, &one, &in, &out);
}

void hlo_dynamic_update(mlir_text *w, const node *n)
{
    const value_id v = n->first_value;
    const tensor out = type_of_value(w, v), update = type_of_value(w, n->in[1]);
    const tensor one = type_of_scalar(value_type(w->f, n->in[2])->dtype);
    char prefixes[TN_MAX_RANK][PREFIX];
    value_name starts[TN_MAX_RANK];
    put_starts(w, v, n->in[2], out.rank, prefixes, starts);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%v = \"stablehlo.dynamic_update_slice\"(%v, %v", v, n->in[0], n->in[1]);
    for (uint32_t i = 0; i < out.rank; i++)
        put(w, ", %w", &starts[i]);
    put(w, ") : (%t, %t", &out, &update);
    for (uint32_t i = 0; i < out.rank; i++)
        put(w, ", %t", &one);
    put(w, ") -> %t\n", &out);
}

/* ---- positions along one axis -------------------------------------------------------------- */

/* `%aN`: for every element of AT, which holds positions along AXIS, the position along all axes. */
static tensor put_vectors(mlir_text *w, value_id v, value_id at, uint32_t axis)
{
    tensor t = type_of_value(w, at), wide = t, all;
    wide.dims[wide.rank++] = 1;
    all = wide;
    all.dims[t.rank] = t.rank;
    for (uint32_t k = 0; k < t.rank; k++) {
        char prefix[16];
        (void)snprintf(prefix, sizeof prefix, "p%u_", k);
        const value_name component = {w->scope, v, prefix};
        if (k == axis) {
            hlo_put_reshape(w, component, w->names[at], &t, &wide);
            continue;
        }
        hlo_put_iota(w, component, k, &wide);
    }
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%n = \"stablehlo.concatenate\"(", "a", v);
    for (uint32_t k = 0; k < t.rank; k++) {
        char prefix[16];
        (void)snprintf(prefix, sizeof prefix, "p%u_", k);
        const value_name component = {w->scope, v, prefix};
        put(w, "%s%w", k ? ", " : "", &component);
    }
    put(w, ") {dimension = %u : i64} : (", t.rank);
    for (uint32_t k = 0; k < t.rank; k++)
        put(w, "%s%t", k ? ", " : "", &wide);
    put(w, ") -> %t\n", &all);
    return all;
}

static void count_up(int64_t *out, uint32_t n, int64_t from, int64_t step)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = from + step * i;
}

bool hlo_takes_along(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    return value_type(f, n->in[0])->rank < TN_MAX_RANK ||
           object(why, "the rank is too high for vectors of positions");
}

bool hlo_takes_gather(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    return hlo_takes_along(f, n, why) && takes_from_nothing(f, n, why);
}

void hlo_gather(mlir_text *w, const node *n)
{
    value_id v = n->first_value;
    if (value_type(w->f, v)->count == 0) {
        hlo_nothing(w, v);
        return;
    }
    tensor x = type_of_value(w, n->in[0]), out = type_of_value(w, v);
    int64_t axes[TN_MAX_RANK], ones[TN_MAX_RANK];
    tensor at = put_vectors(w, v, n->in[1], resolve_axis(n->attrs, KEY_AXIS, x.rank));
    count_up(axes, x.rank, 0, 1);
    count_up(ones, x.rank, 1, 0);
    line(w,
         "%v = \"stablehlo.gather\"(%v, %n) {dimension_numbers = #stablehlo.gather<offset_dims = "
         "[], collapsed_slice_dims = %l, start_index_map = %l, index_vector_dim = %u>, slice_sizes "
         "= %i, indices_are_sorted = false%s} : (%t, %t) -> %t",
         v, n->in[0], "a", v, axes, x.rank, axes, x.rank, x.rank, ones, x.rank,
         hlo_says_inside(&x, &at), &x, &at, &out);
}

void hlo_scatter_reduce(mlir_text *w, const node *n)
{
    static const uint16_t combiners[] = {[COMBINE_ADD] = OP_ADD,
                                         [COMBINE_MAX] = OP_MAXIMUM,
                                         [COMBINE_MIN] = OP_MINIMUM,
                                         [COMBINE_REPLACE] = OP_STOP_GRADIENT,
                                         [COMBINE_MUL] = OP_MUL,
                                         [COMBINE_MAX_NAN] = OP_MAXIMUM_NAN,
                                         [COMBINE_MIN_NAN] = OP_MINIMUM_NAN};
    value_id v = n->first_value;
    tensor x = type_of_value(w, n->in[0]), u = type_of_value(w, n->in[2]);
    int64_t axes[TN_MAX_RANK], how = attr_int(n->attrs, KEY_COMBINE, COMBINE_ADD);
    tensor at = put_vectors(w, v, n->in[1], resolve_axis(n->attrs, KEY_AXIS, x.rank));
    count_up(axes, x.rank, 0, 1);
    line(w, "%v = \"stablehlo.scatter\"(%v, %n, %v) ({", v, n->in[0], "a", v, n->in[2]);
    hlo_combine(w, (op_id)combiners[how], x.dtype);
    line(w,
         "}) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = %l, "
         "scatter_dims_to_operand_dims = %l, index_vector_dim = %u>, indices_are_sorted = false, "
         "unique_indices = false%s} : (%t, %t, %t) -> %t",
         axes, x.rank, axes, x.rank, x.rank, hlo_says_inside(&x, &at), &x, &at, &u, &x);
}

bool hlo_takes_segments(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    tn_dtype d = value_type(f, n->first_value)->dtype;
    return attr_int(n->attrs, KEY_ACCUM_DTYPE, d) == (int64_t)d ||
           object(why, "it accumulates in the element type; cast first");
}

void hlo_segment_reduce(mlir_text *w, const node *n)
{
    value_id v = n->first_value;
    tensor x = type_of_value(w, n->in[0]), i = type_of_value(w, n->in[1]),
           out = type_of_value(w, v);
    tensor one = type_of_scalar(out.dtype);
    int64_t window[TN_MAX_RANK];
    op_id how = attr_int(n->attrs, KEY_COMBINE, COMBINE_ADD) == COMBINE_MAX ? OP_MAXIMUM : OP_ADD;
    hlo_scalar(w, "z", v, out.dtype, hlo_start(how, out.dtype));
    hlo_put_broadcast(w, (value_name){w->scope, v, "b"}, (value_name){w->scope, v, "z"}, NULL, &one,
                      &out);
    line(w, "%v = \"stablehlo.scatter\"(%n, %v, %v) ({", v, "b", v, n->in[1], n->in[0]);
    hlo_combine(w, how, out.dtype);
    count_up(window, x.rank - 1, 1, 1);
    line(w,
         "}) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = %l, "
         "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, "
         "indices_are_sorted = %s, unique_indices = %s} : (%t, %t, %t) -> %t",
         window, x.rank - 1, attr_int(n->attrs, KEY_SORTED, false) ? "true" : "false",
         attr_int(n->attrs, KEY_UNIQUE, false) ? "true" : "false", &out, &i, &x, &out);
}
