/* The public builder: sources, elementwise operations, reductions, contractions. */
#include "forms/building.h"
#include "ops/law.h"

#include <inttypes.h>
#include <stdio.h>

/* The words of attributes have the order of the internal enumerations. */
_Static_assert((int)TN_LT == (int)DIR_LT && (int)TN_NE == (int)DIR_NE, "directions");
_Static_assert((int)TN_PADDING_SAME == (int)PADDING_SAME &&
                   (int)TN_PADDING_CUSTOM == (int)PADDING_CUSTOM,
               "paddings");
_Static_assert((int)TN_FOLD_PROD == (int)FOLD_PROD && (int)TN_FOLD_MIN_NAN == (int)FOLD_MIN_NAN,
               "public numbers are our own");
_Static_assert((int)TN_COMBINE_MAX == (int)COMBINE_MAX &&
                   (int)TN_COMBINE_MIN_NAN == (int)COMBINE_MIN_NAN,
               "combine modes");

/* ---- sources -------------------------------------------------------------------------------- */

static tn_value input_of_type(tn_builder *b, const char *name, const type *t)
{
    attr_list l = attrs_for(b, OP_INPUT);
    add_string(&l, KEY_NAME, name);
    l.at[l.n++] = (attr){.key = KEY_TYPE, .v.type = t};
    return append(&l, NULL, 0);
}

static bool has_input(const tn_builder *b, const function *f, const char *name, uint64_t h)
{
    for (uint32_t p = hash_first(&b->inputs, h), i; (i = hash_at(&b->inputs, h, &p)) != HASH_NONE;)
        if (strcmp(attr_string(node_of(f, f->inputs.at[i])->attrs, KEY_NAME), name) == 0)
            return true;
    return false;
}

tn_value tn_input(tn_builder *b, const char *name, tn_dtype dtype, tn_ints shape)
{
    const type *t;
    if (!builder_shape(b, "input", shape, &t, dtype))
        return tn_no_value();
    const function *f = current_function(b);
    if (!name) {
        builder_fail(b, DIAG_Usage, "input", "the name is NULL");
        return tn_no_value();
    }
    if (f->is_region) {
        builder_fail(b, DIAG_InvalidInput, "input",
                     "the input '%s' inside the region '%s'; tn_param makes parameters", name,
                     f->name);
        return tn_no_value();
    }
    const uint64_t h = hash_bytes(0, name, strlen(name));
    const uint32_t index = f->inputs.n;
    if (has_input(b, f, name, h)) {
        builder_fail(b, DIAG_InvalidInput, "input", "there is an input '%s' already", name);
        return tn_no_value();
    }
    const tn_value v = input_of_type(b, name, t);
    if (tn_is_value(v) && !hash_add(&b->cx->allocator, &b->inputs, h, index)) {
        builder_no_memory(b);
        return tn_no_value();
    }
    return v;
}

static tn_value param_of_type(tn_builder *b, const type *t)
{
    char name[16];
    const function *f = current_function(b);
    if (!f->is_region) {
        builder_fail(b, DIAG_Usage, "tn_param", "parameters are made inside regions");
        return tn_no_value();
    }
    (void)snprintf(name, sizeof name, "%" PRIu32, f->inputs.n);
    return input_of_type(b, name, t);
}

tn_value tn_param(tn_builder *b, tn_dtype dtype, tn_ints shape)
{
    const type *t;
    return builder_shape(b, "tn_param", shape, &t, dtype) ? param_of_type(b, t) : tn_no_value();
}

tn_value tn_param_like(tn_builder *b, tn_value outer)
{
    const type *t = builder_type(b, outer);
    if (t)
        return param_of_type(b, t);
    if (is_building(b))
        builder_fail(b, DIAG_Usage, "tn_param_like", "an operand is no value of this builder");
    return tn_no_value();
}

tn_value tn_param_slice(tn_builder *b, tn_value outer)
{
    const type *t = builder_type(b, outer);
    if (t && t->rank > 0)
        return tn_param(b, t->dtype, (tn_ints){t->dims + 1, t->rank - 1});
    if (is_building(b))
        builder_fail(b, t ? DIAG_RankMismatch : DIAG_Usage, "tn_param_slice",
                     t ? "a tensor of rank 0 has no slices"
                       : "an operand is no value of this builder");
    return tn_no_value();
}

/* The value of a node made by the internal builder, which is only used for constants here. */
static tn_value wrap(tn_builder *b, const char *op, const builder *g, value_id id)
{
    if (id == NO_VALUE) {
        builder_failed(b, op, g->status);
        return tn_no_value();
    }
    function *f = g->f;
    f->nodes.at[f->nodes.n - 1].tag = b->label;
    return (tn_value){builder_scope(b), id};
}

tn_value tn_constant(tn_builder *b, tn_dtype dtype, tn_ints shape, const void *data)
{
    const type *t;
    size_t bytes;
    if (!builder_shape(b, "constant", shape, &t, dtype))
        return tn_no_value();
    if (!type_bytes(t, &bytes)) {
        builder_fail(b, DIAG_InvalidDimension, "constant", "a constant needs known extents");
        return tn_no_value();
    }
    if (bytes > b->cx->limits.literal_bytes - b->literal_bytes) {
        builder_fail(b, DIAG_LimitExceeded, "constant",
                     "a constant of %zu bytes exceeds the limit of %" PRIu64 " on all of them",
                     bytes, b->cx->limits.literal_bytes);
        return tn_no_value();
    }
    if (bytes > 0 && !data) {
        builder_fail(b, DIAG_Usage, "constant", "the data is NULL");
        return tn_no_value();
    }
    if (!dtype_holds(dtype, data, bytes)) {
        builder_fail(b, DIAG_InvalidConstant, "constant", "the data has values out of range: %s",
                     dtype_range(dtype));
        return tn_no_value();
    }
    b->literal_bytes += bytes;
    builder g = builder_on(current_function(b), NO_SPAN);
    return wrap(b, "constant", &g, build_constant(&g, dtype, t->dims, t->rank, data));
}

static tn_value scalar_constant(tn_builder *b, tn_dtype dtype, scalar s)
{
    builder g = builder_on(current_function(b), NO_SPAN);
    return wrap(b, "constant", &g, build_scalar(&g, dtype, s));
}

tn_value tn_scalar(tn_builder *b, tn_dtype dtype, double x)
{
    scalar s;
    if (!builder_dtype(b, "constant", dtype))
        return tn_no_value();
    if (scalar_for(dtype, x, &s))
        return scalar_constant(b, dtype, s);
    builder_fail(b, DIAG_InvalidConstant, "constant", "%g is no value of type %s", x,
                 dtype_name(dtype));
    return tn_no_value();
}

tn_value tn_scalar_int(tn_builder *b, tn_dtype dtype, int64_t x)
{
    scalar s = scalar_of_int(x);
    if (!builder_dtype(b, "constant", dtype))
        return tn_no_value();
    if ((dtype_is_int(dtype) || dtype_is_bool(dtype)) && !scalar_is_exact(s, dtype)) {
        builder_fail(b, DIAG_InvalidConstant, "constant", "%" PRId64 " is no value of type %s", x,
                     dtype_name(dtype));
        return tn_no_value();
    }
    return scalar_constant(b, dtype, s);
}

tn_value tn_scalar_like(tn_builder *b, tn_value like, double x)
{
    const type *t = builder_type(b, like);
    if (t)
        return tn_scalar(b, t->dtype, x);
    if (is_building(b))
        builder_fail(b, DIAG_Usage, "constant", "an operand is no value of this builder");
    return tn_no_value();
}

tn_value tn_splat(tn_builder *b, tn_dtype dtype, tn_ints shape, double x)
{
    return tn_broadcast(b, tn_scalar(b, dtype, x), shape);
}

static tn_value generate(tn_builder *b, op_id op, tn_dtype dtype, tn_ints shape)
{
    attr_list l = attrs_for(b, op);
    add_ints(&l, KEY_SHAPE, shape);
    add_dtype(&l, KEY_DTYPE, dtype);
    return append(&l, NULL, 0);
}

tn_value tn_iota(tn_builder *b, tn_dtype dtype, tn_ints shape, int64_t axis)
{
    attr_list l = attrs_for(b, OP_IOTA);
    add_ints(&l, KEY_SHAPE, shape);
    add_dtype(&l, KEY_DTYPE, dtype);
    add_int(&l, KEY_AXIS, axis);
    return append(&l, NULL, 0);
}

tn_value tn_rng_uniform(tn_builder *b, tn_dtype dtype, tn_ints shape)
{
    return generate(b, OP_RNG_UNIFORM, dtype, shape);
}

tn_value tn_rng_normal(tn_builder *b, tn_dtype dtype, tn_ints shape)
{
    return generate(b, OP_RNG_NORMAL, dtype, shape);
}

/* ---- elementwise ---------------------------------------------------------------------------- */

#define TN_UNARY(function, op)                                                                     \
    tn_value function(tn_builder *b, tn_value x)                                                   \
    {                                                                                              \
        attr_list l = attrs_for(b, OP_##op);                                                       \
        return append_1(&l, x);                                                                    \
    }
#define TN_BINARY(function, op)                                                                    \
    tn_value function(tn_builder *b, tn_value x, tn_value y)                                       \
    {                                                                                              \
        attr_list l = attrs_for(b, OP_##op);                                                       \
        return append_elementwise(&l, (tn_value[]){x, y}, 2);                                      \
    }
#include "tenon/build_elementwise.def"
#undef TN_UNARY
#undef TN_BINARY

tn_value tn_stop_gradient(tn_builder *b, tn_value x)
{
    attr_list l = attrs_for(b, OP_STOP_GRADIENT);
    return append_1(&l, x);
}

tn_value tn_div_or_zero(tn_builder *b, tn_value x, tn_value y)
{
    attr_list l = attrs_for(b, OP_DIV);
    add_int(&l, KEY_ON_ZERO, ON_ZERO_ZERO);
    return append_elementwise(&l, (tn_value[]){x, y}, 2);
}

/* OP, which gives X another element type; X itself where it has that. */
static tn_value with_dtype(tn_builder *b, op_id op, tn_value x, tn_dtype dtype)
{
    attr_list l = attrs_for(b, op);
    value_id id;
    const type *t;
    if (!builder_operand(b, op_table[op].text, x, &id, &t) ||
        !builder_dtype(b, op_table[op].text, dtype))
        return tn_no_value();
    if (t->dtype == dtype)
        return x;
    add_dtype(&l, KEY_DTYPE, dtype);
    return append_1(&l, x);
}

tn_value tn_cast(tn_builder *b, tn_value x, tn_dtype dtype)
{
    return with_dtype(b, OP_CAST, x, dtype);
}

/* Where the type holds all numbers of that of X, wrapping is a cast. */
tn_value tn_wrap(tn_builder *b, tn_value x, tn_dtype dtype)
{
    const type *t = builder_type(b, x);
    const bool is_cast = t && (unsigned)dtype < TN_DTYPE_COUNT && t->dtype != dtype &&
                         dtype_is_int(t->dtype) && dtype_holds_ints(dtype, t->dtype);
    return with_dtype(b, is_cast ? OP_CAST : OP_WRAP, x, dtype);
}

tn_value tn_bitcast(tn_builder *b, tn_value x, tn_dtype dtype)
{
    return with_dtype(b, OP_BITCAST, x, dtype);
}

tn_value tn_compare(tn_builder *b, tn_direction how, tn_value x, tn_value y)
{
    attr_list l = attrs_for(b, OP_COMPARE);
    if (is_building(b) && (unsigned)how > TN_NE)
        builder_fail(b, DIAG_Usage, "compare", "%d is no direction", (int)how);
    add_int(&l, KEY_DIRECTION, (int64_t)how);
    return append_elementwise(&l, (tn_value[]){x, y}, 2);
}

tn_value tn_select(tn_builder *b, tn_value p, tn_value x, tn_value y)
{
    attr_list l = attrs_for(b, OP_SELECT);
    return append_elementwise(&l, (tn_value[]){p, x, y}, 3);
}

tn_value tn_clamp(tn_builder *b, tn_value x, tn_value low, tn_value high)
{
    attr_list l = attrs_for(b, OP_CLAMP);
    return append_elementwise(&l, (tn_value[]){x, low, high}, 3);
}

/* ---- reductions ----------------------------------------------------------------------------- */

tn_value tn_reduce(tn_builder *b, tn_reduction reduction, tn_value x, tn_ints axes, bool keepdims,
                   tn_dtype accum, tn_dtype out, const double *init)
{
    static const op_id ops[] = {OP_SUM,         OP_MEAN,           OP_REDUCE_MAX,    OP_REDUCE_MIN,
                                OP_REDUCE_PROD, OP_REDUCE_MAX_NAN, OP_REDUCE_MIN_NAN};
    int64_t all[TN_MAX_RANK];
    if (!is_building(b))
        return tn_no_value();
    if ((unsigned)reduction > TN_REDUCE_MIN_NAN) {
        builder_fail(b, DIAG_Usage, "tn_reduce", "%d is no reduction", (int)reduction);
        return tn_no_value();
    }
    attr_list l = attrs_for(b, ops[reduction]);
    const type *t = builder_type(b, x);
    if (!axes.at && axes.n == SIZE_MAX) {
        axes = (tn_ints){all, t ? t->rank : 0};
        for (size_t i = 0; i < axes.n; i++)
            all[i] = (int64_t)i;
    }
    add_ints(&l, KEY_AXES, axes);
    add_int(&l, KEY_KEEPDIMS, keepdims);
    add_dtype(&l, KEY_ACCUM_DTYPE, accum);
    add_dtype(&l, KEY_OUT_DTYPE, out);
    if (init)
        add_scalar(&l, KEY_INIT, *init, x);
    return append_1(&l, x);
}

static tn_value reduce_plainly(tn_builder *b, tn_reduction reduction, tn_value x, tn_ints axes,
                               bool keepdims)
{
    return tn_reduce(b, reduction, x, axes, keepdims, TN_DTYPE_DEFAULT, TN_DTYPE_DEFAULT, NULL);
}

tn_value tn_sum(tn_builder *b, tn_value x, tn_ints axes, bool keepdims)
{
    return reduce_plainly(b, TN_REDUCE_SUM, x, axes, keepdims);
}

tn_value tn_mean(tn_builder *b, tn_value x, tn_ints axes, bool keepdims)
{
    return reduce_plainly(b, TN_REDUCE_MEAN, x, axes, keepdims);
}

tn_value tn_reduce_max(tn_builder *b, tn_value x, tn_ints axes, bool keepdims)
{
    return reduce_plainly(b, TN_REDUCE_MAX, x, axes, keepdims);
}

tn_value tn_reduce_min(tn_builder *b, tn_value x, tn_ints axes, bool keepdims)
{
    return reduce_plainly(b, TN_REDUCE_MIN, x, axes, keepdims);
}

tn_value tn_reduce_prod(tn_builder *b, tn_value x, tn_ints axes, bool keepdims)
{
    return reduce_plainly(b, TN_REDUCE_PROD, x, axes, keepdims);
}

tn_value tn_arg_max(tn_builder *b, tn_value x, int64_t axis, bool keepdims, tn_dtype index_dtype)
{
    attr_list l = attrs_for(b, OP_ARG_MAX);
    add_int(&l, KEY_AXIS, axis);
    add_int(&l, KEY_KEEPDIMS, keepdims);
    add_dtype(&l, KEY_INDEX_DTYPE, index_dtype);
    return append_1(&l, x);
}

tn_value tn_cumulative(tn_builder *b, tn_value x, tn_fold fold, int64_t axis, bool exclusive,
                       bool reverse)
{
    attr_list l = attrs_for(b, OP_CUMULATIVE);
    if (is_building(b) && (unsigned)fold > TN_FOLD_MIN_NAN)
        builder_fail(b, DIAG_Usage, "cumulative", "%d is nothing to form", (int)fold);
    add_int(&l, KEY_AXIS, axis);
    add_int(&l, KEY_FOLD, (int64_t)fold);
    add_int(&l, KEY_EXCLUSIVE, exclusive);
    add_int(&l, KEY_REVERSE, reverse);
    return append_1(&l, x);
}

void tn_sort(tn_builder *b, tn_values xs, int64_t axis, bool descending, tn_value *out)
{
    attr_list l = attrs_for(b, OP_SORT);
    add_int(&l, KEY_AXIS, axis);
    add_int(&l, KEY_DESCENDING, descending);
    append_many(&l, xs.at, xs.n, out, xs.n);
}

tn_value tn_argsort(tn_builder *b, tn_value x, int64_t axis, bool descending, tn_dtype index_dtype)
{
    attr_list l = attrs_for(b, OP_ARGSORT);
    add_int(&l, KEY_AXIS, axis);
    add_int(&l, KEY_DESCENDING, descending);
    add_dtype(&l, KEY_INDEX_DTYPE, index_dtype);
    return append_1(&l, x);
}

tn_top tn_top_k(tn_builder *b, tn_value x, int64_t k, int64_t axis, bool largest,
                tn_dtype index_dtype)
{
    attr_list l = attrs_for(b, OP_TOP_K);
    tn_value out[2];
    add_int(&l, KEY_K, k);
    add_int(&l, KEY_AXIS, axis);
    add_int(&l, KEY_LARGEST, largest);
    add_dtype(&l, KEY_INDEX_DTYPE, index_dtype);
    append_many(&l, &x, 1, out, 2);
    return (tn_top){out[0], out[1]};
}

/* ---- contractions --------------------------------------------------------------------------- */

tn_value tn_dot(tn_builder *b, tn_value x, tn_value y)
{
    attr_list l = attrs_for(b, OP_DOT);
    return append_2(&l, x, y);
}

tn_value tn_matmul(tn_builder *b, tn_value x, tn_value y)
{
    attr_list l = attrs_for(b, OP_MATMUL);
    return append_2(&l, x, y);
}

tn_value tn_dot_general(tn_builder *b, tn_value x, tn_value y, tn_ints batch_x, tn_ints batch_y,
                        tn_ints contract_x, tn_ints contract_y, tn_dtype accum, tn_dtype out)
{
    attr_list l = attrs_for(b, OP_DOT_GENERAL);
    add_ints(&l, KEY_BATCH_LHS, batch_x);
    add_ints(&l, KEY_BATCH_RHS, batch_y);
    add_ints(&l, KEY_CONTRACT_LHS, contract_x);
    add_ints(&l, KEY_CONTRACT_RHS, contract_y);
    add_dtype(&l, KEY_ACCUM_DTYPE, accum);
    add_dtype(&l, KEY_OUT_DTYPE, out);
    return append_2(&l, x, y);
}

static void add_conv(attr_list *l, tn_ints strides, tn_padding padding, tn_ints pads)
{
    if (is_building(l->b) && (unsigned)padding > TN_PADDING_CUSTOM)
        builder_fail(l->b, DIAG_Usage, "conv2d", "%d is no kind of padding", (int)padding);
    add_ints(l, KEY_STRIDES, strides);
    add_int(l, KEY_PADDING, (int64_t)padding);
    if (pads.n || padding == TN_PADDING_CUSTOM)
        add_ints(l, KEY_PADS, pads);
}

tn_value tn_conv2d(tn_builder *b, tn_value x, tn_value w, tn_ints strides, tn_padding padding,
                   tn_ints pads)
{
    attr_list l = attrs_for(b, OP_CONV2D);
    add_conv(&l, strides, padding, pads);
    return append_2(&l, x, w);
}

tn_value tn_conv2d_grad_input(tn_builder *b, tn_value dy, tn_value w, tn_ints input_shape,
                              tn_ints strides, tn_padding padding, tn_ints pads)
{
    attr_list l = attrs_for(b, OP_CONV2D_GRAD_INPUT);
    add_ints(&l, KEY_INPUT_SHAPE, input_shape);
    add_conv(&l, strides, padding, pads);
    return append_2(&l, dy, w);
}

tn_value tn_conv2d_grad_filter(tn_builder *b, tn_value x, tn_value dy, tn_ints filter_shape,
                               tn_ints strides, tn_padding padding, tn_ints pads)
{
    attr_list l = attrs_for(b, OP_CONV2D_GRAD_FILTER);
    add_ints(&l, KEY_FILTER_SHAPE, filter_shape);
    add_conv(&l, strides, padding, pads);
    return append_2(&l, x, dy);
}
