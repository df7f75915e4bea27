/* Making programs in C, operation by operation.
 *
 *     tn_builder *b = tn_builder_new(cx);
 *     tn_value x = tn_input(b, "x", TN_F32, TN_INTS(8, 64));
 *     tn_value e = tn_exp(b, tn_sub(b, x, tn_reduce_max(b, x, TN_INTS(-1), true)));
 *     tn_value y = tn_div(b, e, tn_sum(b, e, TN_INTS(-1), true));
 *     tn_module *m;
 *     if (tn_builder_finish(b, &y, 1, &m) == TN_OK) { ... }
 *
 * The result is an ordinary tn_module, of the dialect ptir: it can be optimised, compiled and run,
 * and written, after tn_module_convert has put operations of that dialect in the place of those
 * that it lacks, such as tn_matmul and tn_relu. Each function below appends one operation of the
 * vocabulary (`tenon ops` describes them) and gives its result. Composed forms, such as softmax and
 * attention, are in tenon/forms.h.
 *
 * failure    Sticky. The first fault is reported at once, with the operation, its operand types and
 *            the label of tn_builder_at; from then on every function does nothing and gives "no
 *            value", which is accepted silently as an operand. tn_builder_finish returns the status
 *            of that first fault. A builder of NULL (no memory for one) counts as failed.
 * shapes     Elementwise operations broadcast from the right, as NumPy does; what has to be
 *            repeated is, by operations of its own, since PTIR broadcasts explicitly only. Axes may
 *            be negative, which counts from the end.
 * extents    Numbers >= 0, or what tn_dim and tn_extent give.
 * operands   Values of the same builder, and of the function or region that is being built.
 * order      C does not say which argument of a call is evaluated first. Where the order matters,
 *            as for inputs and parameters, use statements of their own.
 * threads    those of the context: one at a time */
#ifndef TENON_BUILD_H
#define TENON_BUILD_H

#include "tenon/tenon.h"

#ifdef __cplusplus
#include <initializer_list>
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_builder tn_builder;

/* A result of an operation; passed by value. All zero: no value. */
typedef struct tn_value {
    uint32_t scope;
    uint32_t id;
} tn_value;

/* A finished region, for tn_cond, tn_while and tn_scan. All zero: none. */
typedef struct tn_region {
    uint32_t function;
} tn_region;

/* Borrowed lists. TN_INTS(2, 3) and TN_VALUES(x, y) make them in place, to be passed on at once:
 * they live until the end of the enclosing block in C, of the full expression in C++. */
typedef struct tn_ints {
    const int64_t *at;
    size_t n;
} tn_ints;

typedef struct tn_values {
    const tn_value *at;
    size_t n;
} tn_values;

#ifdef __cplusplus
#define TN_INTS(...) tn_ints_of({__VA_ARGS__})
#define TN_VALUES(...) tn_values_of({__VA_ARGS__})
#else
/* The entry in front keeps the lists from being empty, which C does not allow. */
#define TN_INTS(...)                                                                               \
    ((tn_ints){(const int64_t[]){0, __VA_ARGS__} + 1,                                              \
               sizeof((const int64_t[]){0, __VA_ARGS__}) / sizeof(int64_t) - 1})
#define TN_VALUES(...)                                                                             \
    ((tn_values){(const tn_value[]){{0, 0}, __VA_ARGS__} + 1,                                      \
                 sizeof((const tn_value[]){{0, 0}, __VA_ARGS__}) / sizeof(tn_value) - 1})
#endif

/* Every axis of the operand, for the reductions. */
static inline tn_ints tn_all_axes(void)
{
    tn_ints all = {NULL, SIZE_MAX};
    return all;
}

/* No value: for operands that may be left out. */
static inline tn_value tn_no_value(void)
{
    tn_value none = {0, 0};
    return none;
}

static inline bool tn_is_value(tn_value v)
{
    return v.scope != 0;
}

/* As an element type: the one that the operation's own rule gives. */
#define TN_DTYPE_DEFAULT TN_DTYPE_COUNT

/* ---- builders ------------------------------------------------------------------------------- */

/* A builder with an empty program whose function is called "main".
 * returns  NULL when there is no memory, after reporting that */
TN_API tn_builder *tn_builder_new(tn_context *cx);
/* Give up: free B, which may be NULL, and what was built. Not after tn_builder_finish. */
TN_API void tn_builder_free(tn_builder *b);
/* Call the program's function NAME. */
TN_API void tn_builder_name(tn_builder *b, const char *name);
/* Label what is built from here on, until the next call; NULL: no label. It is shown in diagnostics
 * and kept as the nodes' tag. */
TN_API void tn_builder_at(tn_builder *b, const char *label);
/* TN_OK as long as nothing failed. */
TN_API tn_status tn_builder_status(const tn_builder *b);

/* End the program: its results are the N values OUTPUTS. B is freed, whatever happens.
 *
 * module   owned by the caller: tn_module_free; NULL on failure
 * returns  the status of the first fault; TN_ERR_USAGE inside a region; TN_ERR_NOMEM */
TN_API tn_status tn_builder_finish(tn_builder *b, const tn_value *outputs, size_t n,
                                   tn_module **module);

/* ---- types and extents ---------------------------------------------------------------------- */

/* The type of X; false for no value. Symbolic extents are TN_DIM_UNKNOWN. */
TN_API bool tn_value_type(const tn_builder *b, tn_value x, tn_type *type);
/* The extent of axis AXIS of X, which may be symbolic; 1 after a failure. */
TN_API int64_t tn_extent(tn_builder *b, tn_value x, int64_t axis);
/* The symbolic extent called NAME, the same for the same name. It gets a number when the program is
 * compiled (tn_compile_options). The result is only meant for lists of extents; 1 after a failure.
 */
TN_API int64_t tn_dim(tn_builder *b, const char *name);
/* Arithmetic on extents, symbolic or not. Division rounds down. PTIR can spell plain symbols only.
 */
TN_API int64_t tn_dim_add(tn_builder *b, int64_t x, int64_t y);
TN_API int64_t tn_dim_mul(tn_builder *b, int64_t x, int64_t y);
TN_API int64_t tn_dim_div(tn_builder *b, int64_t x, int64_t y);
TN_API int64_t tn_dim_mod(tn_builder *b, int64_t x, int64_t y);

/* ---- inputs, constants, generators ---------------------------------------------------------- */

/* The next input of the program. NAME must be unique; no inputs inside regions (tn_param). */
TN_API tn_value tn_input(tn_builder *b, const char *name, tn_dtype dtype, tn_ints shape);
/* DATA, dense and row-major in the storage format of DTYPE (tn_dtype_size), is copied; of i1 and
 * 4-bit integers it must hold elements. */
TN_API tn_value tn_constant(tn_builder *b, tn_dtype dtype, tn_ints shape, const void *data);
/* A rank-0 constant. Floats are rounded to DTYPE; for integers and i1, X must be a value of it. */
TN_API tn_value tn_scalar(tn_builder *b, tn_dtype dtype, double x);
TN_API tn_value tn_scalar_int(tn_builder *b, tn_dtype dtype, int64_t x);
/* tn_scalar with the element type of LIKE. */
TN_API tn_value tn_scalar_like(tn_builder *b, tn_value like, double x);
/* A tensor of equal elements: tn_scalar, broadcast. */
TN_API tn_value tn_splat(tn_builder *b, tn_dtype dtype, tn_ints shape, double x);
/* The coordinate along AXIS. */
TN_API tn_value tn_iota(tn_builder *b, tn_dtype dtype, tn_ints shape, int64_t axis);
/* Random numbers, by the seed of the run. */
TN_API tn_value tn_rng_uniform(tn_builder *b, tn_dtype dtype, tn_ints shape);
TN_API tn_value tn_rng_normal(tn_builder *b, tn_dtype dtype, tn_ints shape);

/* ---- elementwise ---------------------------------------------------------------------------- */

/* Functions of one and of two tensors, a list of them by name:
 *     tn_value tn_exp(tn_builder *b, tn_value x);
 *     tn_value tn_add(tn_builder *b, tn_value x, tn_value y); */
#define TN_UNARY(function, op) TN_API tn_value function(tn_builder *b, tn_value x);
#define TN_BINARY(function, op) TN_API tn_value function(tn_builder *b, tn_value x, tn_value y);
#include "tenon/build_elementwise.def"
#undef TN_UNARY
#undef TN_BINARY

/* X itself when it has that element type. */
TN_API tn_value tn_cast(tn_builder *b, tn_value x, tn_dtype dtype);
/* Integers to integers, which keep the low bits; tn_cast where no integer is too large for DTYPE.
 */
TN_API tn_value tn_wrap(tn_builder *b, tn_value x, tn_dtype dtype);
/* The bits of X as elements of a type of the same width; NaNs are the usual one. */
TN_API tn_value tn_bitcast(tn_builder *b, tn_value x, tn_dtype dtype);
TN_API tn_value tn_stop_gradient(tn_builder *b, tn_value x);
/* tn_div, but integers divided by zero give zero. */
TN_API tn_value tn_div_or_zero(tn_builder *b, tn_value x, tn_value y);
/* The remainder of X / Y, floats, with the sign of X, as C's fmod: exact, however large the
 * quotient is; X for infinite Y; NaN for infinite X and for Y = 0. The derivative by X is 1, that
 * by Y the negative quotient without its fraction. Several operations, among them loops that run
 * where a quotient has more than 26 bits. */
TN_API tn_value tn_fmod(tn_builder *b, tn_value x, tn_value y);

typedef enum tn_direction { TN_LT = 0, TN_LE, TN_EQ, TN_GE, TN_GT, TN_NE } tn_direction;
/* i1. */
TN_API tn_value tn_compare(tn_builder *b, tn_direction direction, tn_value x, tn_value y);
/* Where P (i1) holds X, elsewhere Y. */
TN_API tn_value tn_select(tn_builder *b, tn_value p, tn_value x, tn_value y);
/* min(max(x, low), high). */
TN_API tn_value tn_clamp(tn_builder *b, tn_value x, tn_value low, tn_value high);

/* ---- reductions ----------------------------------------------------------------------------- */

/* AXES of X, or tn_all_axes(). With KEEPDIMS they stay, with extent 1. */
TN_API tn_value tn_sum(tn_builder *b, tn_value x, tn_ints axes, bool keepdims);
TN_API tn_value tn_mean(tn_builder *b, tn_value x, tn_ints axes, bool keepdims);
TN_API tn_value tn_reduce_max(tn_builder *b, tn_value x, tn_ints axes, bool keepdims);
TN_API tn_value tn_reduce_min(tn_builder *b, tn_value x, tn_ints axes, bool keepdims);
TN_API tn_value tn_reduce_prod(tn_builder *b, tn_value x, tn_ints axes, bool keepdims);

typedef enum tn_reduction {
    TN_REDUCE_SUM = 0,
    TN_REDUCE_MEAN,
    TN_REDUCE_MAX,
    TN_REDUCE_MIN,
    TN_REDUCE_PROD,
    TN_REDUCE_MAX_NAN, /* of floats; NaN wins over numbers */
    TN_REDUCE_MIN_NAN
} tn_reduction;
/* Any of them with every attribute.
 *
 * accum, out  element types of the partial results and of the result, or TN_DTYPE_DEFAULT
 * init        one more element of the reduction; NULL: none; not of a mean */
TN_API tn_value tn_reduce(tn_builder *b, tn_reduction reduction, tn_value x, tn_ints axes,
                          bool keepdims, tn_dtype accum, tn_dtype out, const double *init);

/* The position of the first largest element along AXIS; INDEX_DTYPE is si32 or si64. */
TN_API tn_value tn_arg_max(tn_builder *b, tn_value x, int64_t axis, bool keepdims,
                           tn_dtype index_dtype);
/* What the elements along AXIS up to each one come to: their sum, product, largest or smallest;
 * with EXCLUSIVE without the element itself, with REVERSE from the end. */
typedef enum tn_fold {
    TN_FOLD_SUM = 0,
    TN_FOLD_PROD,
    TN_FOLD_MAX,
    TN_FOLD_MIN,
    TN_FOLD_MAX_NAN, /* of floats; NaN wins over numbers */
    TN_FOLD_MIN_NAN
} tn_fold;
TN_API tn_value tn_cumulative(tn_builder *b, tn_value x, tn_fold fold, int64_t axis, bool exclusive,
                              bool reverse);
/* XS, of one shape, with the lines along AXIS in the order of the first one's elements; equal ones
 * stay in theirs, NaN comes last. As many results, in OUT. */
TN_API void tn_sort(tn_builder *b, tn_values xs, int64_t axis, bool descending, tn_value *out);
/* The positions of the elements of X in that order; INDEX_DTYPE is si32 or si64. */
TN_API tn_value tn_argsort(tn_builder *b, tn_value x, int64_t axis, bool descending,
                           tn_dtype index_dtype);
/* The K largest (or smallest) elements along AXIS, sorted, and their positions. */
typedef struct tn_top {
    tn_value values, indices;
} tn_top;
TN_API tn_top tn_top_k(tn_builder *b, tn_value x, int64_t k, int64_t axis, bool largest,
                       tn_dtype index_dtype);

/* ---- contractions --------------------------------------------------------------------------- */

/* Vectors and matrices: inner product, matrix times vector, matrix product. */
TN_API tn_value tn_dot(tn_builder *b, tn_value x, tn_value y);
/* The product of the last two axes; leading axes broadcast. */
TN_API tn_value tn_matmul(tn_builder *b, tn_value x, tn_value y);
/* Sums of products over the paired axes CONTRACT_X and CONTRACT_Y, separately for each position of
 * the paired axes BATCH_X and BATCH_Y. The axes of the result: batch, the others of X, the others
 * of Y. ACCUM and OUT as in tn_reduce. */
TN_API tn_value tn_dot_general(tn_builder *b, tn_value x, tn_value y, tn_ints batch_x,
                               tn_ints batch_y, tn_ints contract_x, tn_ints contract_y,
                               tn_dtype accum, tn_dtype out);

typedef enum tn_padding { TN_PADDING_VALID = 0, TN_PADDING_SAME, TN_PADDING_CUSTOM } tn_padding;
/* 2-D cross-correlation of x[n, h, w, ci] with w[kh, kw, ci, co]. PADS (top, bottom, left, right)
 * goes with TN_PADDING_CUSTOM only, and is empty otherwise. */
TN_API tn_value tn_conv2d(tn_builder *b, tn_value x, tn_value w, tn_ints strides,
                          tn_padding padding, tn_ints pads);
/* Its derivatives, given dy[n, ho, wo, co] and the shape of the operand in question. */
TN_API tn_value tn_conv2d_grad_input(tn_builder *b, tn_value dy, tn_value w, tn_ints input_shape,
                                     tn_ints strides, tn_padding padding, tn_ints pads);
TN_API tn_value tn_conv2d_grad_filter(tn_builder *b, tn_value x, tn_value dy, tn_ints filter_shape,
                                      tn_ints strides, tn_padding padding, tn_ints pads);

/* Which axes of an operand or result of tn_convolution are what, and how its windows move. A list
 * is empty where the default will do; else it has an entry for each spatial axis, PADS two (low,
 * high). The default of numbers is 1, of pads 0. */
typedef struct tn_convolved {
    tn_ints strides; /* between windows */
    tn_ints pads;    /* zeros around the input */
    tn_ints
        base_dilation; /* between elements of the input: of a transposed convolution the stride */
    tn_ints dilation;  /* between elements of the filter */
    int64_t groups;    /* of channels that do not meet; 0 is 1 */
    int64_t batch_groups; /* of images, each with output channels of its own; 0 is 1 */
    tn_ints lhs_axes;     /* of X: batch, channels, spatial axes; default 0, 1, 2, ... */
    tn_ints rhs_axes;     /* of W: output channels, input channels of a group, spatial axes */
    tn_ints out_axes;     /* of the result: batch, channels, spatial axes */
} tn_convolved;
/* Cross-correlation over one to four spatial axes: by default x[n, c, spatial..] with w[co, c /
 * groups, spatial..]. HOW may be NULL; ACCUM and OUT as in tn_dot_general. */
TN_API tn_value tn_convolution(tn_builder *b, tn_value x, tn_value w, const tn_convolved *how,
                               tn_dtype accum, tn_dtype out);

/* ---- movement ------------------------------------------------------------------------------- */

/* One entry of SHAPE may be -1: what the number of elements leaves. */
TN_API tn_value tn_reshape(tn_builder *b, tn_value x, tn_ints shape);
TN_API tn_value tn_expand_dims(tn_builder *b, tn_value x, tn_ints axes);
TN_API tn_value tn_squeeze(tn_builder *b, tn_value x, tn_ints axes);
/* Axis i of the result is axis perm[i] of X. */
TN_API tn_value tn_transpose(tn_builder *b, tn_value x, tn_ints perm);
/* From the right: axes of X have the extent in SHAPE, or 1. X itself when nothing changes. */
TN_API tn_value tn_broadcast(tn_builder *b, tn_value x, tn_ints shape);
/* Axis i of X becomes axis map[i]. */
TN_API tn_value tn_broadcast_axes(tn_builder *b, tn_value x, tn_ints shape, tn_ints map);
/* SIZES elements from STARTS on, which must exist. A symbolic axis can only be taken whole. */
TN_API tn_value tn_slice(tn_builder *b, tn_value x, tn_ints starts, tn_ints sizes);
/* The same along one axis; the others stay whole. */
TN_API tn_value tn_slice_axis(tn_builder *b, tn_value x, int64_t axis, int64_t start, int64_t size);
/* Every step-th element from start up to, not including, end. Negative bounds count from the end;
 * bounds are clamped. */
TN_API tn_value tn_slice_steps(tn_builder *b, tn_value x, tn_ints starts, tn_ints ends,
                               tn_ints steps);
/* The derivative of tn_slice_steps: G scattered into zeros of shape SHAPE. */
TN_API tn_value tn_slice_grad(tn_builder *b, tn_value g, tn_ints shape, tn_ints starts,
                              tn_ints ends, tn_ints steps);
TN_API tn_value tn_reverse(tn_builder *b, tn_value x, tn_ints axes);
/* LOW and HIGH elements around each axis and INTERIOR between its elements, all holding VALUE. */
TN_API tn_value tn_pad(tn_builder *b, tn_value x, tn_ints low, tn_ints high, tn_ints interior,
                       double value);
/* The same with an element of X's type at VALUE, which tn_pad's may not hold: integers from 2^53
 * on, imaginary parts. */
TN_API tn_value tn_pad_exact(tn_builder *b, tn_value x, tn_ints low, tn_ints high, tn_ints interior,
                             const void *value);
TN_API tn_value tn_concat(tn_builder *b, tn_values xs, int64_t axis);
TN_API tn_value tn_tile(tn_builder *b, tn_value x, tn_ints repeats);
/* Elements at positions given by expressions of i0, i1, ..., one for each axis of X, separated by
 * semicolons: "i1; i0 // 2". */
TN_API tn_value tn_view(tn_builder *b, tn_value x, tn_ints shape, const char *index_map);
/* Sliding windows over the last axes, as new axes. */
TN_API tn_value tn_pool(tn_builder *b, tn_value x, tn_ints window, tn_ints strides,
                        tn_ints dilation);
/* Windows of x[n, spatial.., c]: the last axis of the result holds window positions (row-major)
 * times channels. PADS: low, high for each spatial axis; padding holds VALUE. */
TN_API tn_value tn_extract_patches(tn_builder *b, tn_value x, tn_ints window, tn_ints strides,
                                   tn_ints dilation, tn_ints pads, double value);

/* ---- positions given by data ---------------------------------------------------------------- */

/* One element, at a fixed position. */
TN_API tn_value tn_index(tn_builder *b, tn_value x, tn_ints indices);
/* Rows of X at the positions I (si32 or si64 of any shape). Out of bounds stops the run. */
TN_API tn_value tn_take(tn_builder *b, tn_value x, tn_value i);
/* Elements of X whose position along AXIS is in I. */
TN_API tn_value tn_gather(tn_builder *b, tn_value x, tn_value i, int64_t axis);
/* Zeros of SHAPE into which the rows G are added at the positions I; the derivative of tn_take. */
TN_API tn_value tn_scatter_rows(tn_builder *b, tn_value g, tn_value i, tn_ints shape);

/* Which axes of tn_scatter_add are what; tenon ops scatter_add. */
typedef struct tn_scatter_axes {
    tn_ints update_window;   /* axes of the updates that run over a window */
    tn_ints inserted_window; /* axes of X that windows lack */
    tn_ints scatter;         /* the axis of X of each component of an index */
    int64_t index_vector;    /* the axis of the indices that holds components; their rank: none */
} tn_scatter_axes;
TN_API tn_value tn_scatter_add(tn_builder *b, tn_value x, tn_value i, tn_value updates,
                               const tn_scatter_axes *axes);

typedef enum tn_combine {
    TN_COMBINE_ADD = 0,
    TN_COMBINE_MAX,
    TN_COMBINE_MIN,
    TN_COMBINE_REPLACE,
    TN_COMBINE_MUL,     /* like TN_COMBINE_REPLACE in tn_scatter_reduce only */
    TN_COMBINE_MAX_NAN, /* of floats; NaN wins over numbers; not in tn_segment_reduce */
    TN_COMBINE_MIN_NAN
} tn_combine;
/* X with UPDATES combined in; their position along AXIS is in I. */
TN_API tn_value tn_scatter_reduce(tn_builder *b, tn_value x, tn_value i, tn_value updates,
                                  int64_t axis, tn_combine combine);
/* A window of X; START (si32 or si64, one entry for each axis) is clamped so that it lies inside.
 */
TN_API tn_value tn_dynamic_slice(tn_builder *b, tn_value x, tn_value start, tn_ints sizes);
/* X with the window at START replaced by UPDATE; START as above. */
TN_API tn_value tn_dynamic_update_slice(tn_builder *b, tn_value x, tn_value update, tn_value start);

/* Rows of X combined into SEGMENTS rows by their number I. SORTED and UNIQUE are promises. */
TN_API tn_value tn_segment_reduce(tn_builder *b, tn_value x, tn_value i, tn_combine combine,
                                  int64_t segments, tn_dtype accum, bool sorted, bool unique);

/* ---- composites ----------------------------------------------------------------------------- */

/* The operation layer_norm, which exchange with other implementations of PTIR has to expand;
 * tn_nn_layer_norm is expanded already. GAMMA and BETA have rank 1. */
TN_API tn_value tn_layer_norm(tn_builder *b, tn_value x, tn_value gamma, tn_value beta,
                              double epsilon, int64_t axis);
/* A sliding window; every list has an entry for each axis of X, PADS two. COMBINE is add, max or
 * min; padding is the identity of it. */
typedef struct tn_window {
    tn_ints window, strides, pads, base_dilation, dilation;
} tn_window;
TN_API tn_value tn_reduce_window(tn_builder *b, tn_value x, tn_combine combine,
                                 const tn_window *window, tn_dtype accum);

/* Integers for floats: q = saturate(round(x / scale) + zero point). SCALE and ZERO have rank 0, or
 * rank 1 along AXIS; both, or ZERO alone, may be no value. AXIS is ignored unless one has rank 1.
 */
TN_API tn_value tn_quantize(tn_builder *b, tn_value x, tn_value scale, tn_value zero,
                            tn_dtype dtype, int64_t axis);
TN_API tn_value tn_dequantize(tn_builder *b, tn_value q, tn_value scale, tn_value zero,
                              tn_dtype dtype, int64_t axis);
/* From one scale and zero point to another; all four, or none of them. */
TN_API tn_value tn_requantize(tn_builder *b, tn_value q, tn_value from_scale, tn_value from_zero,
                              tn_value to_scale, tn_value to_zero, tn_dtype dtype, int64_t axis);

/* ---- control flow --------------------------------------------------------------------------- */

/* A region is a function of its own: it sees its parameters and nothing else. Between begin and end
 * operations are appended to it; regions nest.
 *
 *     tn_region_begin(b, "step");
 *     tn_value i = tn_param_like(b, counter);
 *     tn_region step = tn_region_end(b, TN_VALUES(tn_add(b, i, tn_scalar(b, TN_SI32, 1))));
 *
 * NAME is for diagnostics; NULL: none. */
TN_API void tn_region_begin(tn_builder *b, const char *name);
/* The next parameter of the region. */
TN_API tn_value tn_param(tn_builder *b, tn_dtype dtype, tn_ints shape);
/* The same with the type of OUTER, a value of this or an enclosing function. */
TN_API tn_value tn_param_like(tn_builder *b, tn_value outer);
/* The same with the type of OUTER without its first axis: a slice, for tn_scan. */
TN_API tn_value tn_param_slice(tn_builder *b, tn_value outer);
TN_API tn_region tn_region_end(tn_builder *b, tn_values results);
/* Give up the region that is being built, with all regions that were made in it. */
TN_API void tn_region_discard(tn_builder *b);

/* The operations below have several results: *OUT receives N_OUT values, which must be the number
 * of results; after a failure they are no values. */

/* The results of YES when P (i1, rank 0) holds, else of NO; both get ARGS. */
TN_API void tn_cond(tn_builder *b, tn_value p, tn_region yes, tn_region no, tn_values args,
                    tn_value *out, size_t n_out);
/* Runs TEST on the carried values, which gives i1 and carried values; while that holds, runs BODY
 * on them, which gives the next. The results are the last carried values. */
TN_API void tn_while(tn_builder *b, tn_region test, tn_region body, tn_values carry, tn_value *out,
                     size_t n_out);
/* Runs BODY once for each position of the first axis of XS, on the carried values and slices of XS;
 * it gives the next carried values and N_STACKED more. The results: the last carried values, and
 * the others stacked along a new first axis. */
TN_API void tn_scan(tn_builder *b, tn_region body, tn_values carry, tn_values xs, size_t n_stacked,
                    tn_value *out, size_t n_out);

/* The kernel called TARGET, which has to be registered where the program runs. TYPES are those of
 * the results; extents may be symbolic. Of an attribute only the list of its kind is looked at. */
TN_API void tn_custom_call(tn_builder *b, const char *target, tn_values args, const tn_type *types,
                           const tn_custom_attribute *attributes, size_t n_attributes,
                           tn_value *out, size_t n_out);

/* ---- gradients ------------------------------------------------------------------------------ */

/* The gradients of LOSS by the values WRT, which *OUT receives in their order and of their types:
 * append the reverse-mode derivative of what was built in this function or region between them,
 * zeros where LOSS does not depend on a value. The results are values like all others, and can be
 * differentiated again.
 *
 * loss, wrt  floats
 * seed       the gradient of LOSS, of its type; no value: 1, and LOSS must have one element
 * fails      when an operation between them has no derivative (NoDerivative)
 * source     docs/gradients.md has the rules and their order */
TN_API void tn_gradient(tn_builder *b, tn_value loss, tn_value seed, tn_values wrt, tn_value *out);

#ifdef __cplusplus
}

inline tn_ints tn_ints_of(std::initializer_list<int64_t> list)
{
    return tn_ints{list.begin(), list.size()};
}

inline tn_values tn_values_of(std::initializer_list<tn_value> list)
{
    return tn_values{list.begin(), list.size()};
}
#endif
#endif
