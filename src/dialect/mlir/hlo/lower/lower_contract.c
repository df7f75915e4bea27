/* Products: dot_general, dot, convolution. */
#include "base/text/text.h"
#include "dialect/mlir/hlo/lower.h"

/* The element types of a product: sums are formed in the result's, where that is not the operands'.
 * Truth values are counted. */
static bool product_types(shlo_call *c, tn_value *x, tn_value *y, tn_dtype *sum)
{
    const type *a = shlo_in_type(c, 0), *b = shlo_in_type(c, 1);
    const tn_dtype out = shlo_out_type(c, 0)->dtype;
    if (!a || !b)
        return false;
    *x = shlo_in(c, 0);
    *y = shlo_in(c, 1);
    *sum = TN_DTYPE_DEFAULT;
    if (a->dtype != b->dtype || a->dtype == TN_I1) {
        *sum = out == TN_I1 ? TN_SI32 : TN_DTYPE_DEFAULT;
        const tn_dtype both = out == TN_I1 ? TN_SI32 : out;
        *x = tn_cast(c->b, *x, both);
        *y = tn_cast(c->b, *y, both);
    } else if (a->dtype != out || dtype_is_int(out)) {
        *sum = out; /* integers wrap */
    }
    return true;
}

/* The product Z as the result: of truth values, whether anything was counted. */
static bool give_sum(shlo_call *c, tn_value z)
{
    if (shlo_out_type(c, 0)->dtype == TN_I1 && tn_is_value(z))
        z = tn_cast(c->b, z, TN_I1);
    return shlo_give(c, 0, z);
}

/* Axes of a product, those of the left and of the right operand. */
typedef struct dot_axes {
    int64_t batch_x[TN_MAX_RANK], batch_y[TN_MAX_RANK];
    int64_t contract_x[TN_MAX_RANK], contract_y[TN_MAX_RANK];
    uint32_t n_batch, n_contract;
} dot_axes;

/* Two lists that belong together. */
static bool read_pair(shlo_call *c, const char *name, const mir_attr *x, const mir_attr *y,
                      int64_t *to_x, int64_t *to_y, uint32_t *n)
{
    uint32_t other;
    const type *a = shlo_in_type(c, 0), *b = shlo_in_type(c, 1);
    if (!a || !b || !shlo_ints_of(c, name, x, TN_MAX_RANK, to_x, n) ||
        !shlo_ints_of(c, name, y, TN_MAX_RANK, to_y, &other) ||
        !shlo_are_axes(c, name, to_x, *n, a->rank) || !shlo_are_axes(c, name, to_y, other, b->rank))
        return false;
    return *n == other || shlo_refuse(c, DIAG_DimensionMismatch,
                                      "'%s' has %u ax%s on the left and %u on the right", name,
                                      (unsigned)*n, plural_as(*n, "is", "es"), (unsigned)other);
}

static bool read_dot_axes(shlo_call *c, dot_axes *to)
{
    const mir_attr *batch = shlo_attr(c, "batching_dims");
    const mir_attr *contract = shlo_attr(c, "contracting_dims");
    if (shlo_attr(c, "dot_dimension_numbers")) {
        const mir_fields *f = shlo_struct(c, "dot_dimension_numbers");
        return f &&
               read_pair(c, "batching_dimensions", mir_attr_named(f, "lhs_batching_dimensions"),
                         mir_attr_named(f, "rhs_batching_dimensions"), to->batch_x, to->batch_y,
                         &to->n_batch) &&
               read_pair(c, "contracting_dimensions",
                         mir_attr_named(f, "lhs_contracting_dimensions"),
                         mir_attr_named(f, "rhs_contracting_dimensions"), to->contract_x,
                         to->contract_y, &to->n_contract);
    }
    if ((batch && (batch->kind != MIR_LIST || batch->n != 2)) || !contract ||
        contract->kind != MIR_LIST || contract->n != 2)
        return shlo_refuse(c, DIAG_InvalidAttribute, "its axes are not given in pairs");
    return read_pair(c, "batching_dims", batch ? &batch->items[0] : NULL,
                     batch ? &batch->items[1] : NULL, to->batch_x, to->batch_y, &to->n_batch) &&
           read_pair(c, "contracting_dims", &contract->items[0], &contract->items[1],
                     to->contract_x, to->contract_y, &to->n_contract);
}

static bool give_product(shlo_call *c, const dot_axes *axes)
{
    tn_value x, y;
    tn_dtype sum;
    return product_types(c, &x, &y, &sum) &&
           give_sum(c, tn_dot_general(c->b, x, y, (tn_ints){axes->batch_x, axes->n_batch},
                                      (tn_ints){axes->batch_y, axes->n_batch},
                                      (tn_ints){axes->contract_x, axes->n_contract},
                                      (tn_ints){axes->contract_y, axes->n_contract}, sum, sum));
}

bool shlo_lower_dot_general(shlo_call *c)
{
    dot_axes axes = {.n_batch = 0};
    return read_dot_axes(c, &axes) && give_product(c, &axes);
}

/* The last axis of the left operand with the first of the right. */
bool shlo_lower_dot(shlo_call *c)
{
    const type *x = shlo_in_type(c, 0), *y = shlo_in_type(c, 1);
    dot_axes axes = {.n_contract = 1};
    if (!x || !y)
        return false;
    if (x->rank < 1 || x->rank > 2 || y->rank < 1 || y->rank > 2)
        return shlo_refuse(c, DIAG_RankMismatch, "it takes vectors and matrices");
    axes.contract_x[0] = (int64_t)x->rank - 1;
    return give_product(c, &axes);
}

/* ---- products of groups: chlo.ragged_dot ---- */

/* A product one axis of whose left operand is cut into groups. */
typedef struct ragged {
    dot_axes axes;
    int64_t axis;    /* of the left operand, which the groups cut */
    int64_t matrix;  /* of the right operand, that has a matrix for each group; -1: none */
    int64_t n;       /* groups */
    tn_value member; /* i1[n, extent of axis]: does the position belong to the group? */
} ragged;

static int64_t place_in(const int64_t *list, uint32_t n, int64_t axis)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == axis)
            return i;
    return -1;
}

/* Which positions along an axis of EXTENT elements belong to which group. */
static tn_value members(shlo_call *c, int64_t n, int64_t extent)
{
    tn_builder *b = c->b;
    const tn_ints dims = TN_INTS(n, extent);
    const tn_value sizes = tn_cast(b, shlo_in(c, 2), TN_SI64);
    const tn_value ends = tn_cumulative(b, sizes, TN_FOLD_SUM, 0, false, false);
    const tn_value starts = tn_sub(b, ends, sizes);
    const tn_value at = tn_iota(b, TN_SI64, dims, 1);
    const tn_value low = tn_broadcast_axes(b, starts, dims, TN_INTS(0));
    const tn_value high = tn_broadcast_axes(b, ends, dims, TN_INTS(0));
    const tn_value is_behind = tn_compare(b, TN_GE, at, low);
    const tn_value is_before = tn_compare(b, TN_LT, at, high);
    return tn_and(b, is_behind, is_before);
}

static bool read_ragged(shlo_call *c, ragged *g)
{
    const type *x = shlo_in_type(c, 0), *sizes = shlo_in_type(c, 2);
    const mir_fields *f = shlo_struct(c, "ragged_dot_dimension_numbers");
    dot_axes *to = &g->axes;
    uint32_t n, n_matrix;
    if (!x || !sizes || !f ||
        !read_pair(c, "batching_dimensions", mir_attr_named(f, "lhs_batching_dimensions"),
                   mir_attr_named(f, "rhs_batching_dimensions"), to->batch_x, to->batch_y,
                   &to->n_batch) ||
        !read_pair(c, "contracting_dimensions", mir_attr_named(f, "lhs_contracting_dimensions"),
                   mir_attr_named(f, "rhs_contracting_dimensions"), to->contract_x, to->contract_y,
                   &to->n_contract) ||
        !shlo_ints_of(c, "lhs_ragged_dimensions", mir_attr_named(f, "lhs_ragged_dimensions"), 1,
                      &g->axis, &n) ||
        !shlo_ints_of(c, "rhs_group_dimensions", mir_attr_named(f, "rhs_group_dimensions"), 1,
                      &g->matrix, &n_matrix))
        return false;
    if (n != 1 || !shlo_are_axes(c, "lhs_ragged_dimensions", &g->axis, 1, x->rank))
        return shlo_refuse(c, DIAG_InvalidAttribute, "the groups cut one axis");
    if (sizes->rank != 1 || !type_is_static(sizes) || dim_is_symbolic(x->dims[g->axis]))
        return shlo_refuse(c, DIAG_NotImplemented,
                           "the sizes of its groups are one list of a known length");
    g->matrix = n_matrix ? g->matrix : -1;
    g->n = sizes->dims[0];
    return true;
}

/* X once for each group, in front; zeros where the position along AXIS does not belong to it. */
static tn_value of_members(shlo_call *c, const ragged *g, tn_value x, int64_t axis, bool is_masked)
{
    int64_t dims[TN_MAX_RANK], axes[TN_MAX_RANK];
    const type *t = shlo_type_of(c, x);
    if (!t || t->rank == TN_MAX_RANK)
        return x;
    dims[0] = g->n;
    for (uint32_t i = 0; i < t->rank; i++) {
        dims[i + 1] = t->dims[i];
        axes[i] = i + 1;
    }
    const tn_ints all = {dims, (size_t)t->rank + 1};
    x = tn_broadcast_axes(c->b, x, all, (tn_ints){axes, t->rank});
    if (!is_masked)
        return x;
    const tn_value own = tn_broadcast_axes(c->b, g->member, all, TN_INTS(0, axis + 1));
    return tn_select(c->b, own, x, tn_splat(c->b, t->dtype, all, 0));
}

/* The product of X, which has an axis of groups in front, with Y, whose axis MATRIX they are. */
static tn_value product_of_groups(shlo_call *c, const dot_axes *axes, tn_value x, tn_value y,
                                  int64_t matrix, tn_dtype sum)
{
    int64_t batch_x[TN_MAX_RANK + 1] = {0}, batch_y[TN_MAX_RANK + 1] = {matrix};
    int64_t contract_x[TN_MAX_RANK];
    for (uint32_t i = 0; i < axes->n_batch; i++) {
        batch_x[i + 1] = axes->batch_x[i] + 1;
        batch_y[i + 1] = axes->batch_y[i];
    }
    for (uint32_t i = 0; i < axes->n_contract; i++)
        contract_x[i] = axes->contract_x[i] + 1;
    const size_t n = (size_t)axes->n_batch + 1;
    return tn_dot_general(c->b, x, y, (tn_ints){batch_x, n}, (tn_ints){batch_y, n},
                          (tn_ints){contract_x, axes->n_contract},
                          (tn_ints){axes->contract_y, axes->n_contract}, sum, sum);
}

/* Each row is multiplied by the matrix of its group: all products, of which each row takes one. */
static tn_value rows_of_groups(shlo_call *c, const ragged *g, tn_value x, tn_value y, tn_dtype sum)
{
    tn_builder *b = c->b;
    const type *t = shlo_type_of(c, x);
    int64_t at = 1 + g->axes.n_batch; /* of the axis in the products */
    for (int64_t i = 0; i < g->axis; i++)
        at += place_in(g->axes.batch_x, g->axes.n_batch, i) < 0 &&
              place_in(g->axes.contract_x, g->axes.n_contract, i) < 0;
    const tn_value wide = of_members(c, g, x, g->axis, false);
    const tn_value all = product_of_groups(c, &g->axes, wide, y, g->matrix, sum);
    const type *p = t ? shlo_type_of(c, all) : NULL;
    if (!p)
        return tn_no_value();
    const tn_value own = tn_broadcast_axes(b, g->member, shlo_dims(p), TN_INTS(0, at));
    const tn_value part = tn_select(b, own, all, tn_splat(b, p->dtype, shlo_dims(p), 0));
    return shlo_reduced(c, SHLO_ADD, part, TN_INTS(0));
}

bool shlo_lower_ragged_dot(shlo_call *c)
{
    ragged g = {.n = 0};
    tn_value x, y;
    tn_dtype sum;
    if (!read_ragged(c, &g))
        return false;
    if (place_in(g.axes.batch_x, g.axes.n_batch, g.axis) >= 0) /* groups of whole products */
        return give_product(c, &g.axes);
    if (!product_types(c, &x, &y, &sum))
        return false;
    const type *t = shlo_in_type(c, 0);
    const int64_t k = place_in(g.axes.contract_x, g.axes.n_contract, g.axis);
    if (!t || (k < 0) != (g.matrix >= 0))
        return shlo_refuse(c, DIAG_InvalidAttribute,
                           "the right operand has an axis of groups where the left has rows of "
                           "them, and nowhere else");
    g.member = members(c, g.n, t->dims[g.axis]);
    if (k < 0)
        return give_sum(c, rows_of_groups(c, &g, x, y, sum));
    x = of_members(c, &g, x, g.axis, true);
    y = of_members(c, &g, y, g.axes.contract_y[k], true);
    for (uint32_t i = 0; i < g.axes.n_batch; i++)
        g.axes.batch_y[i]++;
    for (uint32_t i = 0; i < g.axes.n_contract; i++)
        g.axes.contract_y[i]++;
    return give_sum(c, product_of_groups(c, &g.axes, x, y, 0, sum));
}

/* ---- convolution ---- */

enum { MOST_SPATIAL = TN_MAX_RANK - 2 };

/* Where each axis of an operand or the result stands: two, then the spatial ones. */
typedef struct conv_axes {
    int64_t at[TN_MAX_RANK];
    uint32_t n;
} conv_axes;

/* A list such as `[b, 0, 1, f]`; FIRST and SECOND are its two letters. */
static bool read_axes(shlo_call *c, mir_text *t, char first, char second, conv_axes *out)
{
    const char *p = t->at, *end = t->at + t->n;
    uint64_t seen = 0;
    out->n = 0;
    while (p < end && *p != '[')
        p++;
    for (p += p < end; p < end && *p != ']'; p++) {
        uint32_t slot = 0;
        if (*p == ',' || shlo_is_space(*p))
            continue;
        if (*p == first || *p == second) {
            slot = *p == second;
        } else if (*p >= '0' && *p <= '9') {
            while (p < end && *p >= '0' && *p <= '9' && slot < TN_MAX_RANK)
                slot = slot * 10 + (uint32_t)(*p++ - '0');
            p--;
            slot += 2;
        } else {
            slot = TN_MAX_RANK;
        }
        if (slot >= TN_MAX_RANK || seen >> slot & 1)
            return shlo_refuse(c, DIAG_InvalidAttribute, "'%c' is no axis of a convolution", *p);
        seen |= UINT64_C(1) << slot;
        out->at[slot] = out->n++;
    }
    *t = (mir_text){p, (size_t)(end - p)};
    return (out->n >= 2 && seen == (UINT64_C(1) << out->n) - 1) ||
           shlo_refuse(c, DIAG_InvalidAttribute, "the axes of the convolution are not complete");
}

/* The same from a structure of numbers. */
static bool raw_axes(shlo_call *c, const mir_fields *f, const char *first, const char *second,
                     const char *spatial, conv_axes *out)
{
    const mir_attr *a = mir_attr_named(f, first), *b = mir_attr_named(f, second);
    uint32_t n;
    if (!a || !b || a->kind != MIR_INT || b->kind != MIR_INT ||
        !shlo_ints_of(c, spatial, mir_attr_named(f, spatial), MOST_SPATIAL, out->at + 2, &n))
        return shlo_refuse(c, DIAG_InvalidAttribute,
                           "the axes of the convolution are not complete");
    out->at[0] = a->i;
    out->at[1] = b->i;
    out->n = n + 2;
    return shlo_are_axes(c, "dimension_numbers", out->at, out->n, out->n);
}

static bool read_conv_axes(shlo_call *c, conv_axes *x, conv_axes *w, conv_axes *out)
{
    const mir_attr *a = shlo_attr(c, "dimension_numbers");
    mir_text t = a && a->kind == MIR_CUSTOM ? shlo_word_of(a) : (mir_text){0};
    if (t.n && *t.at == '[')
        return read_axes(c, &t, 'b', 'f', x) && read_axes(c, &t, 'o', 'i', w) &&
               read_axes(c, &t, 'b', 'f', out);
    if (t.n > 3 && memcmp(t.at, "raw", 3) == 0)
        t = (mir_text){t.at + 3, t.n - 3};
    const mir_attr *s =
        t.n ? mir_read_struct(c->r->m->cx, &c->r->m->source, &c->r->memory, t) : NULL;
    if (!s)
        return shlo_refuse(c, DIAG_InvalidAttribute, "it has no readable 'dimension_numbers'");
    return raw_axes(c, &s->fields, "input_batch_dimension", "input_feature_dimension",
                    "input_spatial_dimensions", x) &&
           raw_axes(c, &s->fields, "kernel_output_feature_dimension",
                    "kernel_input_feature_dimension", "kernel_spatial_dimensions", w) &&
           raw_axes(c, &s->fields, "output_batch_dimension", "output_feature_dimension",
                    "output_spatial_dimensions", out);
}

/* Negative padding, and holes before it: as an operation of its own. */
static tn_value pad_before(shlo_call *c, tn_value x, const conv_axes *axes, int64_t *pads,
                           int64_t *dilation)
{
    int64_t low[TN_MAX_RANK] = {0}, high[TN_MAX_RANK] = {0}, interior[TN_MAX_RANK] = {0};
    const type *t = shlo_type_of(c, x);
    scalar zero;
    if (!t || !scalar_for(t->dtype, 0, &zero))
        return x;
    for (uint32_t i = 0; i + 2 < axes->n; i++) {
        const int64_t axis = axes->at[i + 2];
        low[axis] = pads[2 * i];
        high[axis] = pads[2 * i + 1];
        interior[axis] = dilation[i] - 1;
        pads[2 * i] = pads[2 * i + 1] = 0;
        dilation[i] = 1;
    }
    return shlo_padded(c, x, low, high, interior, &zero, tn_no_value());
}

/* X with one more axis of extent 1, behind the others. */
static tn_value with_axis(shlo_call *c, tn_value x)
{
    const type *t = shlo_type_of(c, x);
    return t ? tn_expand_dims(c->b, x, TN_INTS((int64_t)t->rank)) : x;
}

/* A window, an entry for each spatial axis; two for the padding. */
typedef struct conv_window {
    int64_t strides[TN_MAX_RANK], pads[2 * TN_MAX_RANK], base[TN_MAX_RANK], dilation[TN_MAX_RANK],
        reversal[TN_MAX_RANK];
} conv_window;

/* The padding that operand 2 gives. */
static bool known_padding(shlo_call *c, uint32_t n, int64_t *pads)
{
    const known_value *known = shlo_known(c, 2);
    if (!known || known_has_sizes(known))
        return shlo_unknown_shape(c, "the padding");
    if (known->n != 2 * n)
        return shlo_refuse(c, DIAG_InvalidPadding, "it needs two amounts for each axis");
    for (uint32_t i = 0; i < 2 * n; i++)
        pads[i] = known->at[i].i;
    return true;
}

static bool read_conv_window(shlo_call *c, uint32_t n, conv_window *w)
{
    if (!shlo_ints_or(c, "window_strides", n, 1, w->strides) ||
        (c->arg ? !known_padding(c, n, w->pads) : !shlo_ints_or(c, "padding", 2 * n, 0, w->pads)) ||
        !shlo_ints_or(c, "lhs_dilation", n, 1, w->base) ||
        !shlo_ints_or(c, "rhs_dilation", n, 1, w->dilation) ||
        !shlo_ints_or(c, "window_reversal", n, 0, w->reversal))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (w->strides[i] < 1 || w->base[i] < 1 || w->dilation[i] < 1 ||
            w->pads[2 * i] < INT32_MIN || w->pads[2 * i + 1] < INT32_MIN)
            return shlo_refuse(c, DIAG_InvalidAttribute, "the window of axis %u is out of range",
                               (unsigned)i);
    return true;
}

/* The filter, reversed along the axes that the window says. */
static tn_value reversed(shlo_call *c, tn_value y, const conv_axes *axes, const conv_window *w)
{
    int64_t list[TN_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i + 2 < axes->n; i++)
        if (w->reversal[i])
            list[n++] = axes->at[i + 2];
    return n ? tn_reverse(c->b, y, (tn_ints){list, n}) : y;
}

bool shlo_lower_convolution(shlo_call *c)
{
    conv_axes x_axes, w_axes, out_axes;
    conv_window w;
    tn_value x, y;
    tn_dtype sum;
    tn_convolved how = {0};
    if (!read_conv_axes(c, &x_axes, &w_axes, &out_axes) || !product_types(c, &x, &y, &sum))
        return false;
    const type *a = shlo_type_of(c, x), *b = shlo_type_of(c, y);
    if (!a || !b || a->rank != x_axes.n || b->rank != w_axes.n || out_axes.n != x_axes.n ||
        x_axes.n != w_axes.n)
        return shlo_refuse(c, DIAG_RankMismatch, "its axes are not those of its operands");
    const bool is_flat = x_axes.n == 2; /* no spatial axis: one of extent 1 */
    if (!read_conv_window(c, x_axes.n - 2, &w) ||
        !shlo_int(c, "feature_group_count", 1, &how.groups) ||
        !shlo_int(c, "batch_group_count", 1, &how.batch_groups))
        return false;
    if (is_flat) {
        x = with_axis(c, x);
        y = with_axis(c, y);
        conv_axes *const all[] = {&x_axes, &w_axes, &out_axes};
        for (uint32_t i = 0; i < 3; i++)
            all[i]->at[all[i]->n++] = 2;
        w = (conv_window){.strides = {1}, .base = {1}, .dilation = {1}};
    }
    const uint32_t n = x_axes.n - 2;
    y = reversed(c, y, &w_axes, &w);
    bool cuts = false;
    for (uint32_t i = 0; i < 2 * n; i++)
        cuts = cuts || w.pads[i] < 0;
    if (cuts)
        x = pad_before(c, x, &x_axes, w.pads, w.base);
    how.strides = (tn_ints){w.strides, n};
    how.pads = (tn_ints){w.pads, 2 * n};
    how.base_dilation = (tn_ints){w.base, n};
    how.dilation = (tn_ints){w.dilation, n};
    how.lhs_axes = (tn_ints){x_axes.at, x_axes.n};
    how.rhs_axes = (tn_ints){w_axes.at, w_axes.n};
    how.out_axes = (tn_ints){out_axes.at, out_axes.n};
    tn_value z = tn_convolution(c->b, x, y, &how, sum, sum);
    if (is_flat && tn_is_value(z))
        z = tn_squeeze(c->b, z, TN_INTS(2));
    return give_sum(c, z);
}
