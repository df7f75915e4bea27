/* Reductions, contractions and convolutions in StableHLO. */
#include "dialect/mlir/stablehlo.h"

#include <math.h>

#include "ops/attr_rules.h"
#include "ops/convolution.h"
#include "ops/fold_ops.h"
#include "ops/node_facts.h"
#include "ops/shape.h"

/* ---- reductions ---- */

scalar hlo_start(op_id op, tn_dtype d)
{
    bool is_max = op == OP_MAXIMUM || op == OP_MAXIMUM_NAN;
    if (op == OP_ADD || op == OP_MUL)
        return scalar_of_int(op == OP_MUL);
    if (dtype_is_float(d))
        return scalar_of_float(d != TN_FP8_E4M3 ? (double)(is_max ? -INFINITY : INFINITY)
                               : is_max         ? -dtype_float_max(d)
                                                : dtype_float_max(d));
    if (dtype_is_signed(d))
        return scalar_of_int(is_max ? dtype_int_min(d) : (int64_t)dtype_int_max(d));
    return scalar_of_uint(is_max ? 0 : dtype_int_max(d));
}

void hlo_combine(mlir_text *w, op_id op, tn_dtype d)
{
    tensor t = type_of_scalar(d), p = type_of_scalar(TN_I1);
    const char *name = op == OP_MUL                               ? "multiply"
                       : op == OP_MAXIMUM || op == OP_MAXIMUM_NAN ? "maximum"
                       : op == OP_MINIMUM || op == OP_MINIMUM_NAN ? "minimum"
                                                                  : "add";
    line(w, "^bb0(%%x: %t, %%y: %t):", &t, &t);
    w->depth++;
    if (op == OP_STOP_GRADIENT) {
        line(w, "\"stablehlo.return\"(%%y) : (%t) -> ()", &t);
        w->depth--;
        return;
    }
    if (dtype_is_float(d) &&
        (op == OP_MAXIMUM || op == OP_MINIMUM)) { /* NaN loses on either side */
        static const char not_equal[] =
            "%%%s = \"stablehlo.compare\"(%%%s, %%%s) {comparison_direction = "
            "#stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type "
            "FLOAT>} : (%t, %t) -> %t";
        line(w, "%%m = \"stablehlo.%s\"(%%x, %%y) : (%t, %t) -> %t", name, &t, &t, &t);
        line(w, not_equal, "p", "x", "x", &t, &t, &p);
        line(w, not_equal, "q", "y", "y", &t, &t, &p);
        line(w, "%%s = \"stablehlo.select\"(%%q, %%x, %%m) : (%t, %t, %t) -> %t", &p, &t, &t, &t);
        line(w, "%%r = \"stablehlo.select\"(%%p, %%y, %%s) : (%t, %t, %t) -> %t", &p, &t, &t, &t);
    } else {
        line(w, "%%r = \"stablehlo.%s\"(%%x, %%y) : (%t, %t) -> %t", name, &t, &t, &t);
    }
    line(w, "\"stablehlo.return\"(%%r) : (%t) -> ()", &t);
    w->depth--;
}

static op_id combiner(const node *n)
{
    if (n->op == OP_REDUCE_WINDOW) {
        int64_t how = attr_int(n->attrs, KEY_COMBINE, COMBINE_ADD);
        return how == COMBINE_MAX       ? OP_MAXIMUM
               : how == COMBINE_MIN     ? OP_MINIMUM
               : how == COMBINE_MAX_NAN ? OP_MAXIMUM_NAN
               : how == COMBINE_MIN_NAN ? OP_MINIMUM_NAN
                                        : OP_ADD;
    }
    return fold_pair(fold_of_reduction((op_id)n->op));
}

bool hlo_takes_reduce(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    tn_dtype d = value_type(f, n->first_value)->dtype;
    if (value_type(f, n->in[0])->dtype != d || attr_int(n->attrs, KEY_ACCUM_DTYPE, d) != (int64_t)d)
        return object(why, "it accumulates in the element type; cast first");
    return true;
}

/* The size that N counts, which is how a program has one as data: the sum of a list of ones. 0: it
 * counts none. */
static dim counted_size(const function *f, const node *n)
{
    const type *t = value_type(f, n->in[0]);
    const node *full = node_of(f, n->in[0]);
    if (n->op != OP_SUM || t->rank != 1 || !dim_is_symbolic(t->dims[0]) ||
        value_type(f, n->first_value)->rank || full->op != OP_BROADCAST || t->dtype != TN_SI64 ||
        attr_find(n->attrs, KEY_INIT))
        return 0;
    const node *one = node_of(f, full->in[0]);
    return one->op == OP_CONSTANT && value_type(f, full->in[0])->count == 1 &&
                   scalar_load(TN_SI64, literal_of(one)->data).i == 1
               ? t->dims[0]
               : 0;
}

void hlo_reduce(mlir_text *w, const node *n)
{
    value_id v = n->first_value;
    const dim counted = counted_size(w->f, n);
    if (counted) {
        const tensor list = hlo_shape_type(1), number = type_of_value(w, v);
        hlo_put_reshape(w, w->names[v], hlo_size(w, counted), &list, &number);
        return;
    }
    tensor in = type_of_value(w, n->in[0]), out = type_of_value(w, v), left;
    tn_dtype d = out.dtype;
    uint32_t n_axes;
    const int64_t *axes = attr_ints(n->attrs, KEY_AXES, &n_axes);
    const attr *given = attr_find(n->attrs, KEY_AXES), *init = attr_find(n->attrs, KEY_INIT);
    int64_t dims[TN_MAX_RANK];
    axis_list list;
    bool keep;
    op_id how = combiner(n);
    (void)resolve_reduction(given ? axes : NULL, n_axes, attr_int(n->attrs, KEY_KEEPDIMS, false),
                            in.rank, &list, &keep);
    if (list.n == 0 && !init) { /* NaN stays */
        name_as(w, v, n->in[0]);
        return;
    }
    keep = keep && list.n > 0;
    left = type_of_scalar(d);
    for (uint32_t i = 0; i < list.n; i++)
        dims[i] = list.at[i];
    for (uint32_t i = 0; i < in.rank; i++)
        if (!(list.mask >> i & 1))
            left.dims[left.rank++] = in.dims[i];
    tensor one = type_of_scalar(d);
    hlo_scalar(w, "z", v, d, init ? *init->v.scalar : hlo_start(how, d));
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    if (keep)
        put(w, "%n", "s", v);
    else
        put(w, "%v", v);
    put(w, " = \"stablehlo.reduce\"(%v, %n) ({\n", n->in[0], "z", v);
    hlo_combine(w, how, d);
    line(w, "}) {dimensions = %i} : (%t, %t) -> %t", dims, list.n, &in, &one, &left);
    if (keep)
        hlo_put_reshape(w, w->names[v], (value_name){w->scope, v, "s"}, &left, &out);
}

bool hlo_takes_window(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    tn_dtype d = value_type(f, n->first_value)->dtype;
    if (attr_int(n->attrs, KEY_ACCUM_DTYPE, d) != (int64_t)d)
        return object(why, "it accumulates in the element type; cast first");
    return node_has_known_windows(n) || object(why, "its windows and padding must be numbers");
}

/* `dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>` of N pairs. */
static void put_pairs(mlir_text *w, const int64_t *pairs, uint32_t n)
{
    put(w, "dense<%s", n ? "[" : "");
    for (uint32_t i = 0; i < n; i++)
        put(w, "%s[%d, %d]", i ? ", " : "", pairs[2 * (size_t)i], pairs[2 * (size_t)i + 1]);
    put(w, "%s> : tensor<%ux2xi64>", n ? "]" : "", n);
}

/* The windows of a reduction by HOW of the operand of N: numbers for each axis, PADS two. */
typedef struct hlo_windows {
    const int64_t *window, *strides, *base, *dilation, *pads;
} hlo_windows;

static void put_windows(mlir_text *w, const node *n, op_id how, const hlo_windows *over)
{
    const value_id v = n->first_value;
    const tensor in = type_of_value(w, n->in[0]), out = type_of_value(w, v);
    const tensor one = type_of_scalar(out.dtype);
    hlo_scalar(w, "z", v, out.dtype, hlo_start(how, out.dtype));
    line(w, "%v = \"stablehlo.reduce_window\"(%v, %n) ({", v, n->in[0], "z", v);
    hlo_combine(w, how, out.dtype);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w,
        "}) {window_dimensions = %i, window_strides = %i, base_dilations = %i, window_dilations = "
        "%i, padding = ",
        over->window, in.rank, over->strides, in.rank, over->base, in.rank, over->dilation,
        in.rank);
    put_pairs(w, over->pads, in.rank);
    put(w, "} : (%t, %t) -> %t\n", &in, &one, &out);
}

void hlo_reduce_window(mlir_text *w, const node *n)
{
    uint32_t unused;
    const hlo_windows over = {.window = attr_ints(n->attrs, KEY_WINDOW, &unused),
                              .strides = attr_ints(n->attrs, KEY_STRIDES, &unused),
                              .base = attr_ints(n->attrs, KEY_BASE_DILATION, &unused),
                              .dilation = attr_ints(n->attrs, KEY_DILATION, &unused),
                              .pads = attr_ints(n->attrs, KEY_PADS, &unused)};
    put_windows(w, n, combiner(n), &over);
}

bool hlo_takes_cumulative(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const type *t = value_type(f, n->in[0]);
    return !dim_is_symbolic(t->dims[resolve_axis(n->attrs, KEY_AXIS, t->rank)]) ||
           object(why, "its window is a line, whose extent must be a number");
}

/* A window of the whole line that ends, or in reverse begins, at each element or beside it. */
void hlo_cumulative(mlir_text *w, const node *n)
{
    const type *t = value_type(w->f, n->in[0]);
    const uint32_t axis = resolve_axis(n->attrs, KEY_AXIS, t->rank);
    const int64_t beside = attr_int(n->attrs, KEY_EXCLUSIVE, 0) != 0;
    const bool reverses = attr_int(n->attrs, KEY_REVERSE, 0) != 0;
    int64_t window[TN_MAX_RANK], ones[TN_MAX_RANK], pads[2 * TN_MAX_RANK] = {0};
    if (t->count == 0) {
        hlo_nothing(w, n->first_value);
        return;
    }
    for (uint32_t i = 0; i < t->rank; i++)
        window[i] = ones[i] = 1;
    window[axis] = t->dims[axis];
    pads[2 * axis + reverses] = t->dims[axis] - 1 + beside;
    pads[2 * axis + !reverses] = -beside;
    put_windows(w, n, fold_pair((fold_kind)attr_int(n->attrs, KEY_FOLD, FOLD_SUM)),
                &(hlo_windows){window, ones, ones, ones, pads});
}

/* ---- products ---- */

/* What the products of N are summed as. That is another element type than the result's where it
 * makes a difference: StableHLO converts integers by their low bits, and ours saturate. Narrow
 * floats are summed in f32 there as here. */
static tensor product_sum(const mlir_text *w, const node *n)
{
    const tensor out = type_of_value(w, n->first_value);
    const tn_dtype in = value_type(w->f, n->in[0])->dtype;
    const tn_dtype sum = (tn_dtype)attr_int(n->attrs, KEY_ACCUM_DTYPE, accumulator_of(in));
    return type_like(&out, in == out.dtype && sum == accumulator_of(in) ? in : sum);
}

/* The start of a product whose sum has the type SUM: the operation NAME with the operands. */
static void open_product(mlir_text *w, const node *n, const char *name, const tensor *sum)
{
    if (sum->dtype == value_type(w->f, n->first_value)->dtype) {
        hlo_open(w, n, name);
        return;
    }
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%n = \"stablehlo.%s\"(%v, %v)", "s", n->first_value, name, n->in[0], n->in[1]);
}

/* Its end, and the conversion of the sum to the result. */
static void close_product(mlir_text *w, const node *n, const tensor *sum)
{
    const value_id v = n->first_value;
    if (sum->dtype == value_type(w->f, v)->dtype) {
        hlo_close(w, n, "");
        return;
    }
    const tensor left = type_of_value(w, n->in[0]), right = type_of_value(w, n->in[1]);
    put(w, " : (%t, %t) -> %t\n", &left, &right, sum);
    hlo_convert(w, v, (value_name){w->scope, v, "s"}, sum);
}

static void absolute(const attrs *a, attr_key key, uint32_t rank, int64_t *out, uint32_t *n)
{
    const int64_t *axes = attr_ints(a, key, n);
    for (uint32_t i = 0; i < *n; i++)
        out[i] = axes[i] < 0 ? axes[i] + rank : axes[i];
}

void hlo_dot_general(mlir_text *w, const node *n)
{
    int64_t batch_l[TN_MAX_RANK], batch_r[TN_MAX_RANK], sum_l[TN_MAX_RANK], sum_r[TN_MAX_RANK];
    uint32_t n_batch, n_sum;
    uint32_t rank_l = value_type(w->f, n->in[0])->rank, rank_r = value_type(w->f, n->in[1])->rank;
    absolute(n->attrs, KEY_BATCH_LHS, rank_l, batch_l, &n_batch);
    absolute(n->attrs, KEY_BATCH_RHS, rank_r, batch_r, &n_batch);
    absolute(n->attrs, KEY_CONTRACT_LHS, rank_l, sum_l, &n_sum);
    absolute(n->attrs, KEY_CONTRACT_RHS, rank_r, sum_r, &n_sum);
    const tensor sum = product_sum(w, n);
    open_product(w, n, "dot_general", &sum);
    put(w,
        " {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = %l, "
        "rhs_batching_dimensions = %l, lhs_contracting_dimensions = %l, "
        "rhs_contracting_dimensions = %l>, precision_config = [#stablehlo<precision HIGHEST>, "
        "#stablehlo<precision HIGHEST>]}",
        batch_l, n_batch, batch_r, n_batch, sum_l, n_sum, sum_r, n_sum);
    close_product(w, n, &sum);
}

/* The attributes of a convolution; DIMENSIONS names the axes of operands and result. */
typedef struct hlo_convolution {
    int64_t strides[2], pads[4], lhs_dilation[2], rhs_dilation[2];
    bool reverses;
    const char *dimensions;
} hlo_convolution;

static void put_convolution(mlir_text *w, const node *n, const hlo_convolution *c)
{
    const char *reverses = c->reverses ? "true" : "false";
    hlo_open(w, n, "convolution");
    put(w, " {window_strides = %i, padding = ", c->strides, 2U);
    put_pairs(w, c->pads, 2);
    hlo_close(w, n,
              ", lhs_dilation = %i, rhs_dilation = %i, window_reversal = array<i1: %s, %s>, "
              "dimension_numbers = #stablehlo.conv<%s>, feature_group_count = 1 : i64, "
              "batch_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, "
              "#stablehlo<precision HIGHEST>]}",
              c->lhs_dilation, 2U, c->rhs_dilation, 2U, reverses, reverses, c->dimensions);
}

bool hlo_takes_images(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const value_id values[] = {n->in[0], n->in[1], n->first_value};
    for (uint32_t k = 0; k < 3; k++) {
        const type *t = value_type(f, values[k]);
        if (dim_is_symbolic(t->dims[1]) || dim_is_symbolic(t->dims[2]))
            return object(why, "extents of images and filters must be numbers");
    }
    return true;
}

static void geometry(const mlir_text *w, value_id x, value_id filter, const node *n,
                     conv_geometry *g)
{
    (void)resolve_conv(n->attrs, value_type(w->f, x)->dims, value_type(w->f, filter)->dims, g);
}

void hlo_conv(mlir_text *w, const node *n)
{
    conv_geometry g;
    geometry(w, n->in[0], n->in[1], n, &g);
    put_convolution(w, n,
                    &(hlo_convolution){{g.stride_h, g.stride_w},
                                       {g.top, g.bottom, g.left, g.right},
                                       {1, 1},
                                       {1, 1},
                                       false,
                                       "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"});
}

/* dy, spread out by the strides, with the filter reversed. */
void hlo_conv_grad_input(mlir_text *w, const node *n)
{
    conv_geometry g;
    geometry(w, n->first_value, n->in[1], n, &g);
    int64_t rows = (g.ho - 1) * g.stride_h, columns = (g.wo - 1) * g.stride_w;
    put_convolution(w, n,
                    &(hlo_convolution){{1, 1},
                                       {g.kh - 1 - g.top, g.h - 1 - rows + g.top, g.kw - 1 - g.left,
                                        g.w - 1 - columns + g.left},
                                       {g.stride_h, g.stride_w},
                                       {1, 1},
                                       true,
                                       "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]"});
}

bool hlo_takes_filter(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const type *t = value_type(f, n->in[0]);
    if (dtype_is_float(t->dtype) && dim_is_symbolic(t->dims[0]))
        return object(why, "the number of images must be known, which are summed in order");
    return hlo_takes_images(f, n, why);
}

/* The gradient of a filter, of several images. These are the outermost axis of the windows, since
 * they are summed one after the other: features would be summed for each position of a window. */
static void put_filter_gradient_of_images(mlir_text *w, const node *n, const conv_geometry *g,
                                          const int64_t *pads)
{
    const value_id v = n->first_value;
    const tensor x = type_of_value(w, n->in[0]), dy = type_of_value(w, n->in[1]);
    const tensor y = type_of_value(w, v);
    const tensor images = type_made(x.dtype, (dim[]){g->n, g->h, g->w, g->ci, 1}, 5);
    const tensor window = type_made(dy.dtype, (dim[]){g->n, g->ho, g->wo, g->co, 1}, 5);
    const tensor out = type_made(y.dtype, (dim[]){1, g->kh, g->kw, g->ci, g->co}, 5);
    const value_name a = {w->scope, v, "a"}, b = {w->scope, v, "b"}, c = {w->scope, v, "c"};
    hlo_put_reshape(w, a, w->names[n->in[0]], &x, &images);
    hlo_put_reshape(w, b, w->names[n->in[1]], &dy, &window);
    line(w,
         "%w = \"stablehlo.convolution\"(%w, %w) {window_strides = array<i64: 1, 1, 1>, padding = "
         "dense<[[0, 0], [%d, %d], [%d, %d]]> : tensor<3x2xi64>, lhs_dilation = array<i64: 1, 1, "
         "1>, rhs_dilation = array<i64: 1, %d, %d>, window_reversal = array<i1: false, false, "
         "false>, dimension_numbers = #stablehlo.conv<[0, 1, 2, b, f]x[0, 1, 2, o, i]->[0, 1, 2, "
         "b, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = "
         "[#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (%t, %t) -> %t",
         &c, &a, &b, pads[0], pads[1], pads[2], pads[3], g->stride_h, g->stride_w, &images, &window,
         &out);
    hlo_put_reshape(w, w->names[v], c, &out, &y);
}

/* x with dy, spread out by the strides, as the filter; the sum is over the batch. */
void hlo_conv_grad_filter(mlir_text *w, const node *n)
{
    conv_geometry g;
    geometry(w, n->in[0], n->first_value, n, &g);
    const int64_t rows = (g.ho - 1) * g.stride_h, columns = (g.wo - 1) * g.stride_w;
    const int64_t pads[] = {g.top, g.kh + rows - g.h - g.top, g.left,
                            g.kw + columns - g.w - g.left};
    if (g.n > 1 && dtype_is_float(value_type(w->f, n->in[0])->dtype)) {
        put_filter_gradient_of_images(w, n, &g, pads);
        return;
    }
    put_convolution(w, n,
                    &(hlo_convolution){{1, 1},
                                       {pads[0], pads[1], pads[2], pads[3]},
                                       {1, 1},
                                       {g.stride_h, g.stride_w},
                                       false,
                                       "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]"});
}

/* `[b, 0, f, 1]`: what each axis is, FIRST and SECOND being those of the first two places. */
static void put_layout(mlir_text *w, const uint32_t *axes, uint32_t rank, const char *first,
                       const char *second)
{
    for (uint32_t axis = 0; axis < rank; axis++) {
        uint32_t place = 0;
        while (axes[place] != axis)
            place++;
        put(w, "%s", axis ? ", " : "[");
        if (place < CONVOLUTION_FIRST)
            put(w, "%s", place == 0 ? first : second);
        else
            put(w, "%u", place - CONVOLUTION_FIRST);
    }
    put(w, "]");
}

bool hlo_takes_convolve(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    (void)f;
    return node_has_known_windows(n) || object(why, "its steps and padding must be numbers");
}

/* Zeros between elements of the input take part there; here there is nothing. */
void hlo_convolve(mlir_text *w, const node *n)
{
    const uint32_t rank = value_type(w->f, n->in[0])->rank, k = rank - 2;
    const convolution c = convolution_of_attrs(n->attrs, rank);
    uint32_t count;
    const tensor sum = product_sum(w, n);
    open_product(w, n, "convolution", &sum);
    put(w, " {window_strides = %i, padding = ", attr_ints(n->attrs, KEY_STRIDES, &count), k);
    put_pairs(w, attr_ints(n->attrs, KEY_PADS, &count), k);
    put(w, ", lhs_dilation = %i, rhs_dilation = %i, window_reversal = array<i1: ",
        attr_ints(n->attrs, KEY_BASE_DILATION, &count), k,
        attr_ints(n->attrs, KEY_DILATION, &count), k);
    for (uint32_t i = 0; i < k; i++)
        put(w, "%s", i ? ", false" : "false");
    put(w, ">, dimension_numbers = #stablehlo.conv<");
    put_layout(w, c.lhs, rank, "b", "f");
    put(w, "x");
    put_layout(w, c.rhs, rank, "o", "i");
    put(w, "->");
    put_layout(w, c.out, rank, "b", "f");
    put(w,
        ">, feature_group_count = %d : i64, batch_group_count = %d : i64, precision_config = "
        "[#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}",
        c.groups, c.batch_groups);
    close_product(w, n, &sum);
}
