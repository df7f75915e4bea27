/* Products: MatMul, Conv and ConvTranspose between what brings axes into their order. */
#include "dialect/onnx/write/writer.h"

#include "ops/node_facts.h"
#include "ops/shape.h"

#define PRODUCTS (ONNX_COMMON_BITS | ONNX_BIT(TN_UI64))

void onnx_put_matmul(onnx_writer *w, const node *n)
{
    const onnx_id x = onnx_carried(w, n, 0, PRODUCTS), y = onnx_carried(w, n, 1, PRODUCTS);
    const onnx_id z = onnx_2(w, "MatMul", x, y);
    onnx_result(w, n, onnx_narrow(w, z, onnx_result_type(w, n)->dtype));
}

/* ---- dot_general ---- */

/* One operand: its axes in the order batch, free, contracted, or with the last two exchanged. */
typedef struct side {
    const type *t;
    int64_t perm[TN_MAX_RANK];
    uint32_t n_batch, n_free, n_contracted;
} side;

static uint32_t take_axes(const attrs *a, attr_key key, uint32_t rank, int64_t *out, bool *used)
{
    uint32_t n;
    const int64_t *given = attr_ints(a, key, &n);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = given[i] < 0 ? given[i] + rank : given[i];
        used[out[i]] = true;
    }
    return n;
}

static side side_of(const onnx_writer *w, const node *n, uint32_t k)
{
    side s = {.t = onnx_operand_type(w, n, k)};
    bool used[TN_MAX_RANK] = {false};
    int64_t contracted[TN_MAX_RANK];
    const uint32_t rank = s.t->rank;
    s.n_batch = take_axes(n->attrs, k ? KEY_BATCH_RHS : KEY_BATCH_LHS, rank, s.perm, used);
    s.n_contracted =
        take_axes(n->attrs, k ? KEY_CONTRACT_RHS : KEY_CONTRACT_LHS, rank, contracted, used);
    s.n_free = rank - s.n_batch - s.n_contracted;
    uint32_t at = s.n_batch + (k ? s.n_contracted : 0);
    for (uint32_t i = 0; i < rank; i++)
        if (!used[i])
            s.perm[at++] = i;
    at = s.n_batch + (k ? 0 : s.n_free);
    for (uint32_t i = 0; i < s.n_contracted; i++)
        s.perm[at + i] = contracted[i];
    return s;
}

static dim product_of(const onnx_writer *w, const side *s, uint32_t from, uint32_t n)
{
    type_table *types = (type_table *)(uintptr_t)&w->m->types;
    dim all = 1;
    for (uint32_t i = 0; i < n; i++)
        all = dim_combine(types, DIM_MUL, all, s->t->dims[s->perm[from + i]]);
    return all;
}

/* The operand as a stack of matrices, whose numbers are converted to SUM and stand as IN. */
static onnx_id matrices(onnx_writer *w, const node *n, uint32_t k, const side *s, tn_dtype sum,
                        tn_dtype in)
{
    const uint32_t first = k ? s->n_contracted : s->n_free;
    const uint32_t second = k ? s->n_free : s->n_contracted;
    dim dims[TN_MAX_RANK + 2];
    onnx_id x = onnx_operand(w, n, k);
    if (dtype_is_signed(s->t->dtype) && dtype_is_unsigned(sum)) /* negative numbers become 0 */
        x = onnx_cast(w, x, sum);
    x = onnx_cast_plain(w, x, in);
    x = onnx_permute(w, x, s->perm, s->t->rank);
    if (first == 1 && second == 1)
        return x;
    for (uint32_t i = 0; i < s->n_batch; i++)
        dims[i] = s->t->dims[s->perm[i]];
    dims[s->n_batch] = product_of(w, s, s->n_batch, first);
    dims[s->n_batch + 1] = product_of(w, s, s->n_batch + first, second);
    return onnx_reshape(w, n, x, dims, s->n_batch + 2);
}

bool onnx_takes_dot_general(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    uint32_t n_batch;
    (void)f;
    (void)attr_ints(n->attrs, KEY_BATCH_LHS, &n_batch);
    return n_batch + 2 <= TN_MAX_RANK || onnx_objection(why, "it has too many batch axes");
}

/* Sums are formed in the accumulator, to which operands are converted, and converted from it. */
void onnx_put_dot_general(onnx_writer *w, const node *n)
{
    const type *out = onnx_result_type(w, n);
    const side left = side_of(w, n, 0), right = side_of(w, n, 1);
    const tn_dtype d = left.t->dtype;
    tn_dtype given = (tn_dtype)attr_int(n->attrs, KEY_ACCUM_DTYPE, (int64_t)dtype_compute(d));
    if (given == dtype_compute(d) && out->dtype == d)
        given = d; /* as MatMul does by itself */
    const tn_dtype in = onnx_carrier(given, PRODUCTS);
    const onnx_id x = matrices(w, n, 0, &left, given, in);
    const onnx_id y = matrices(w, n, 1, &right, given, in);
    onnx_id z = onnx_2(w, "MatMul", x, y);
    if (left.n_free != 1 || right.n_free != 1)
        z = onnx_reshape(w, n, z, out->dims, out->rank);
    onnx_result(w, n, onnx_cast(w, onnx_narrow(w, z, given), out->dtype));
}

/* ---- convolutions ---- */

/* A convolution of what stands as ONNX has it: images, channels, spatial axes; output channels,
 * those of a group, spatial axes. */
typedef struct windows {
    uint32_t n; /* spatial axes */
    int64_t kernel[TN_MAX_RANK], strides[TN_MAX_RANK], dilation[TN_MAX_RANK], base[TN_MAX_RANK];
    int64_t low[TN_MAX_RANK], high[TN_MAX_RANK];
    int64_t groups;
} windows;

enum { MOST_SETTINGS = 6 };

static uint32_t window_settings(const windows *v, int64_t *pads, onnx_setting *out)
{
    for (uint32_t i = 0; i < v->n; i++) {
        pads[i] = v->low[i];
        pads[v->n + i] = v->high[i];
    }
    out[0] = ONNX_INTS_SET("dilations", v->dilation, v->n);
    out[1] = ONNX_INT_SET("group", v->groups);
    out[2] = ONNX_INTS_SET("kernel_shape", v->kernel, v->n);
    out[3] = ONNX_INTS_SET("pads", pads, 2 * v->n);
    out[4] = ONNX_INTS_SET("strides", v->strides, v->n);
    return 5;
}

static onnx_id conv(onnx_writer *w, onnx_id x, onnx_id filter, const windows *v)
{
    onnx_setting settings[MOST_SETTINGS];
    int64_t pads[2 * TN_MAX_RANK];
    const uint32_t n = window_settings(v, pads, settings);
    const onnx_id in[] = {x, filter};
    return onnx_make(&w->out, "Conv", onnx_dtype_of_id(&w->out, x), in, 2, settings, n);
}

static bool has_conv(tn_dtype d, char why[OBJECTION_SIZE])
{
    return d == TN_F32 || d == TN_F16 || d == TN_BF16 ||
           onnx_objection(why, "its convolutions are of f32 and narrower floats");
}

bool onnx_takes_conv2d(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    conv_geometry g;
    const type *x = value_type(f, n->in[0]), *filter = value_type(f, n->in[1]);
    if (resolve_conv(n->attrs, x->dims, filter->dims, &g).kind != SHAPE_OK)
        return onnx_objection(why, "its windows depend on sizes");
    if (value_type(f, n->first_value)->count == 0 || filter->count == 0)
        return onnx_objection(why, "it makes or sums nothing");
    return has_conv(x->dtype, why);
}

void onnx_put_conv2d(onnx_writer *w, const node *n)
{
    static const int64_t to_channels[] = {0, 3, 1, 2}, back[] = {0, 2, 3, 1},
                         filter_order[] = {3, 2, 0, 1};
    conv_geometry g;
    const type *x = onnx_operand_type(w, n, 0), *filter = onnx_operand_type(w, n, 1);
    (void)resolve_conv(n->attrs, x->dims, filter->dims, &g);
    const windows v = {.n = 2,
                       .kernel = {g.kh, g.kw},
                       .strides = {g.stride_h, g.stride_w},
                       .dilation = {1, 1},
                       .low = {g.top, g.left},
                       .high = {g.bottom, g.right},
                       .groups = 1};
    const uint32_t direct = ONNX_BIT(TN_F32) | ONNX_BIT(TN_F16);
    onnx_id a = onnx_carried(w, n, 0, direct), b = onnx_carried(w, n, 1, direct);
    a = onnx_permute(w, a, to_channels, 4);
    b = onnx_permute(w, b, filter_order, 4);
    const onnx_id y = onnx_permute(w, conv(w, a, b, &v), back, 4);
    onnx_result(w, n, onnx_cast_plain(w, y, onnx_result_type(w, n)->dtype));
}

/* The order in which KEY names the axes of rank RANK, or that of ONNX. */
static void layout(const attrs *a, attr_key key, uint32_t rank, int64_t *out)
{
    uint32_t n;
    const int64_t *given = attr_ints(a, key, &n);
    for (uint32_t i = 0; i < rank; i++)
        out[i] = n == rank ? (given[i] < 0 ? given[i] + rank : given[i]) : (int64_t)i;
}

static void read_windows(const function *f, const node *n, windows *v)
{
    const type *filter = value_type(f, n->in[1]);
    int64_t axes[TN_MAX_RANK];
    uint32_t count;
    const int64_t *pads = attr_ints(n->attrs, KEY_PADS, &count);
    const int64_t *strides = attr_ints(n->attrs, KEY_STRIDES, &count);
    const int64_t *base = attr_ints(n->attrs, KEY_BASE_DILATION, &count);
    const int64_t *dilation = attr_ints(n->attrs, KEY_DILATION, &count);
    layout(n->attrs, KEY_RHS_AXES, filter->rank, axes);
    *v = (windows){.n = count, .groups = attr_int(n->attrs, KEY_GROUPS, 1)};
    for (uint32_t i = 0; i < count; i++) {
        v->kernel[i] = filter->dims[axes[2 + i]];
        v->strides[i] = strides[i];
        v->base[i] = base[i];
        v->dilation[i] = dilation[i];
        v->low[i] = pads[2 * i];
        v->high[i] = pads[2 * i + 1];
    }
}

static bool is_transposed(const windows *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        if (v->base[i] != 1)
            return true;
    return false;
}

/* A ConvTranspose of stride s spreads the input by s, pads it by the reach of the window less
 * `pads`, and moves the reversed window by 1. Its padding at the end may be negative by less than
 * a stride: `output_padding`. */
static bool transposed_pads(const windows *v, windows *out, int64_t *extra)
{
    *out = *v;
    for (uint32_t i = 0; i < v->n; i++) {
        const int64_t reach = (v->kernel[i] - 1) * v->dilation[i];
        out->strides[i] = v->base[i];
        out->low[i] = reach - v->low[i];
        out->high[i] = reach - v->high[i];
        extra[i] = out->high[i] < 0 ? -out->high[i] : 0;
        out->high[i] += extra[i];
        if (v->strides[i] != 1 || out->low[i] < 0 || extra[i] >= v->base[i])
            return false;
    }
    return true;
}

bool onnx_takes_convolution(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const type *x = value_type(f, n->in[0]), *filter = value_type(f, n->in[1]);
    const type *y = value_type(f, n->first_value);
    windows v, t;
    int64_t extra[TN_MAX_RANK];
    if (filter->count <= 0 || y->count == 0 || x->count == 0)
        return onnx_objection(why, "its filter has a symbolic size, or it makes or sums nothing");
    if (!node_has_known_windows(n))
        return onnx_objection(why, "its steps and padding must be numbers");
    if (attr_int(n->attrs, KEY_BATCH_GROUPS, 1) != 1)
        return onnx_objection(why, "it has no groups of images");
    if (attr_int(n->attrs, KEY_ACCUM_DTYPE, TN_F32) != TN_F32 || y->dtype != x->dtype)
        return onnx_objection(why, "it accumulates in the element type; cast first");
    read_windows(f, n, &v);
    if (v.n > 3)
        return onnx_objection(why, "it has at most three spatial axes");
    if (is_transposed(&v) && !transposed_pads(&v, &t, extra))
        return onnx_objection(why, "its dilated input is padded, or stepped over, as by no "
                                   "transposed convolution");
    return has_conv(x->dtype, why);
}

/* [co, ci/g, k...] as [ci, co/g, k...], with the windows backwards. */
static onnx_id transposed_filter(onnx_writer *w, const node *n, onnx_id filter, const dim *dims,
                                 const windows *v)
{
    int64_t perm[TN_MAX_RANK], starts[TN_MAX_RANK], ends[TN_MAX_RANK], axes[TN_MAX_RANK];
    dim apart[TN_MAX_RANK], whole[TN_MAX_RANK];
    const int64_t g = v->groups;
    apart[0] = g;
    apart[1] = dims[0] / g;
    apart[2] = dims[1];
    perm[0] = 0;
    perm[1] = 2;
    perm[2] = 1;
    whole[0] = g * dims[1];
    whole[1] = dims[0] / g;
    for (uint32_t i = 0; i < v->n; i++) {
        apart[3 + i] = whole[2 + i] = dims[2 + i];
        perm[3 + i] = 3 + i;
        starts[i] = -1;
        ends[i] = INT64_MIN;
        axes[i] = 2 + i;
    }
    filter = onnx_reshape(w, n, filter, apart, v->n + 3);
    filter = onnx_permute(w, filter, perm, v->n + 3);
    filter = onnx_reshape(w, n, filter, whole, v->n + 2);
    const onnx_id from = onnx_list_of(&w->out, starts, v->n);
    const onnx_id to = onnx_list_of(&w->out, ends, v->n);
    const onnx_id along = onnx_list_of(&w->out, axes, v->n);
    const onnx_id in[] = {filter, from, to, along, from};
    return onnx_make(&w->out, "Slice", onnx_dtype_of_id(&w->out, filter), in, 5, NULL, 0);
}

static onnx_id conv_transpose(onnx_writer *w, onnx_id x, onnx_id filter, const windows *v)
{
    onnx_setting settings[MOST_SETTINGS];
    int64_t pads[2 * TN_MAX_RANK], extra[TN_MAX_RANK];
    windows t;
    (void)transposed_pads(v, &t, extra);
    uint32_t n = window_settings(&t, pads, settings);
    const onnx_setting last = settings[n - 1];
    settings[n - 1] = settings[n - 2];
    settings[n - 2] = ONNX_INTS_SET("output_padding", extra, v->n);
    settings[n++] = last;
    const onnx_id in[] = {x, filter};
    return onnx_make(&w->out, "ConvTranspose", onnx_dtype_of_id(&w->out, x), in, 2, settings, n);
}

void onnx_put_convolution(onnx_writer *w, const node *n)
{
    const uint32_t direct = ONNX_BIT(TN_F32) | ONNX_BIT(TN_F16);
    const type *x = onnx_operand_type(w, n, 0), *filter = onnx_operand_type(w, n, 1);
    int64_t left[TN_MAX_RANK], right[TN_MAX_RANK], out[TN_MAX_RANK], back[TN_MAX_RANK];
    dim dims[TN_MAX_RANK];
    windows v;
    read_windows(w->f, n, &v);
    layout(n->attrs, KEY_LHS_AXES, x->rank, left);
    layout(n->attrs, KEY_RHS_AXES, filter->rank, right);
    layout(n->attrs, KEY_OUT_AXES, x->rank, out);
    for (uint32_t i = 0; i < x->rank; i++) {
        back[out[i]] = i;
        dims[i] = filter->dims[right[i]];
    }
    onnx_id a = onnx_carried(w, n, 0, direct), b = onnx_carried(w, n, 1, direct), y;
    a = onnx_permute(w, a, left, x->rank);
    b = onnx_permute(w, b, right, filter->rank);
    if (is_transposed(&v)) {
        b = transposed_filter(w, n, b, dims, &v);
        y = conv_transpose(w, a, b, &v);
    } else {
        y = conv(w, a, b, &v);
    }
    y = onnx_permute(w, y, back, x->rank);
    onnx_result(w, n, onnx_cast_plain(w, y, onnx_result_type(w, n)->dtype));
}

/* ---- windows ---- */

/* MaxPool pads with what loses, as reduce_window does. */
bool onnx_takes_max_pool(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const type *t = value_type(f, n->in[0]);
    uint32_t rank;
    const int64_t *window = attr_ints(n->attrs, KEY_WINDOW, &rank);
    const int64_t *strides = attr_ints(n->attrs, KEY_STRIDES, &rank);
    const int64_t *base = attr_ints(n->attrs, KEY_BASE_DILATION, &rank);
    const int64_t *dilation = attr_ints(n->attrs, KEY_DILATION, &rank);
    const int64_t *pads = attr_ints(n->attrs, KEY_PADS, &rank);
    const tn_dtype d = t->dtype;
    if (!node_has_known_windows(n))
        return onnx_objection(why, "its windows and padding must be numbers");
    if (attr_int(n->attrs, KEY_COMBINE, COMBINE_ADD) != COMBINE_MAX ||
        attr_find(n->attrs, KEY_ACCUM_DTYPE) || t->rank < 3 || t->rank > 5 ||
        (d != TN_F32 && d != TN_F64 && d != TN_F16))
        return onnx_objection(why, "it has windows of the largest of floats alone");
    for (uint32_t i = 0; i < t->rank; i++) {
        const bool fits =
            i < 2 ? window[i] == 1 && strides[i] == 1 && pads[2 * i] == 0 && pads[2 * i + 1] == 0
                  : pads[2 * i] < window[i] && pads[2 * i + 1] < window[i] &&
                        (dilation[i] == 1 || window[i] > 1);
        if (!fits || base[i] != 1)
            return onnx_objection(why, "its windows move over the last axes, with padding below "
                                       "their extents");
    }
    return value_type(f, n->first_value)->count != 0 || onnx_objection(why, "there are no windows");
}

void onnx_put_max_pool(onnx_writer *w, const node *n)
{
    uint32_t rank;
    int64_t pads[2 * TN_MAX_RANK];
    const int64_t *window = attr_ints(n->attrs, KEY_WINDOW, &rank);
    const int64_t *strides = attr_ints(n->attrs, KEY_STRIDES, &rank);
    const int64_t *dilation = attr_ints(n->attrs, KEY_DILATION, &rank);
    uint32_t n_pads;
    const int64_t *given = attr_ints(n->attrs, KEY_PADS, &n_pads);
    const uint32_t spatial = rank - 2;
    for (uint32_t i = 0; i < spatial; i++) {
        pads[i] = given[2 * (i + 2)];
        pads[spatial + i] = given[2 * (i + 2) + 1];
    }
    const onnx_setting how[] = {
        ONNX_INTS_SET("dilations", dilation + 2, spatial),
        ONNX_INTS_SET("kernel_shape", window + 2, spatial),
        ONNX_INTS_SET("pads", pads, 2 * spatial),
        ONNX_INTS_SET("strides", strides + 2, spatial),
    };
    const onnx_id x = onnx_operand(w, n, 0);
    onnx_result(w, n, onnx_make(&w->out, "MaxPool", onnx_result_type(w, n)->dtype, &x, 1, how, 4));
}
