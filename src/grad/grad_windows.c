/* Derivatives of sliding windows: every element gets the sum of what was read from it. */
#include "grad/derivatives.h"
#include "ops/dot_axes.h"

/* Are N extents of T known, from axis FIRST on? Axes without windows may have symbolic ones. */
static bool are_known(const type *t, uint32_t first, uint32_t n)
{
    for (uint32_t i = first; i < first + n; i++)
        if (dim_is_symbolic(t->dims[i]))
            return false;
    return true;
}

/* Are the sizes of the windows, and what lies around and between elements, known? */
static bool has_numbers(const grad_call *c)
{
    for (uint32_t i = 0; i < c->n.attrs->n; i++) {
        const attr *a = &c->n.attrs->at[i];
        for (uint32_t k = 0; attr_holds_sizes((attr_key)a->key) && k < a->n; k++)
            if (dim_is_symbolic(a->v.ints[k]))
                return false;
    }
    return true;
}

tn_status grad_pool(grad_call *c)
{
    const type *x = grad_type(c, grad_in(c, 0));
    uint32_t n;
    const int64_t *strides = attr_ints(c->n.attrs, KEY_STRIDES, &n);
    const int64_t *dilation = attr_ints(c->n.attrs, KEY_DILATION, &n);
    value_id g = c->g[0];
    if (!has_numbers(c))
        return grad_refuse_symbolic(c, "a size of its windows");
    if (!are_known(x, x->rank - n, n))
        return grad_refuse_symbolic(c, "an extent");
    /* The axis of windows goes away: that of the next one takes its place. */
    for (uint32_t k = 0; k < n; k++) {
        uint32_t axis = x->rank - n + k;
        g = grad_fold_windows(c, g, axis, x->rank, strides[k], dilation[k], x->dims[axis]);
    }
    return grad_gives(c, g);
}

/* [n, places.., windows.. * channels] as [n, places.., channels, windows..]. */
static value_id windows_apart(grad_call *c, value_id g, const type *x, const int64_t *window,
                              uint32_t n)
{
    const type *t = grad_type(c, g);
    dim dims[TN_MAX_RANK];
    int64_t perm[TN_MAX_RANK];
    uint32_t rank = t->rank + n;
    if (rank > TN_MAX_RANK) {
        c->b.status = grad_refuse(c, "the rank is too high");
        return NO_VALUE;
    }
    for (uint32_t i = 0; i + 1 < t->rank; i++) {
        dims[i] = t->dims[i];
        perm[i] = i;
    }
    for (uint32_t k = 0; k < n; k++) {
        dims[t->rank - 1 + k] = window[k];
        perm[t->rank + k] = t->rank - 1 + k;
    }
    dims[rank - 1] = x->dims[x->rank - 1];
    perm[t->rank - 1] = rank - 1;
    return build_transpose(&c->b, build_reshape(&c->b, g, dims, rank), perm, rank);
}

/* The gradient of a convolution by its input, where the node is what the convolution multiplies
 * with its filter. */
typedef struct transposed {
    value_id g;              /* of the convolution: [n, places.., to] */
    value_id w;              /* its filter, as a matrix */
    bool is_turned;          /* its rows are the channels `to` */
    attr accumulator;        /* of the products */
    uint32_t n_accumulators; /* 1: there is one */
} transposed;

/* Is G, the gradient of the patches, the product of a gradient and a filter? */
static bool is_product(const grad_call *c, value_id g, uint32_t n, transposed *out)
{
    const node *p = node_of(c->b.f, g);
    if (p->op != OP_DOT_GENERAL)
        return false;
    const type *left = grad_type(c, p->in[0]), *right = grad_type(c, p->in[1]);
    const dot_axes l = dot_axes_of(p->attrs, true, left->rank);
    const dot_axes r = dot_axes_of(p->attrs, false, right->rank);
    const attr *accumulator = attr_find(p->attrs, KEY_ACCUM_DTYPE);
    *out = (transposed){.g = p->in[0], .w = p->in[1], .is_turned = r.contract[0] == 0};
    if (accumulator) {
        out->accumulator = *accumulator;
        out->n_accumulators = 1;
    }
    return left->rank == n + 2 && right->rank == 2 && l.n_batch == 0 && l.n_contract == 1 &&
           l.contract[0] == n + 1;
}

/* The filter [windows.. * from, to] as [windows.. * to, from], the windows backwards. */
static value_id turn_filter(grad_call *c, const transposed *p, const int64_t *window, uint32_t n,
                            int64_t from)
{
    static const int64_t swap[] = {1, 0};
    const int64_t to = grad_type(c, p->w)->dims[p->is_turned ? 0 : 1];
    value_id w = p->is_turned ? build_transpose(&c->b, p->w, swap, 2) : p->w;
    dim dims[TN_MAX_RANK];
    int64_t perm[TN_MAX_RANK], taps = 1;
    for (uint32_t k = 0; k < n; k++) {
        dims[k] = window[k];
        perm[k] = k;
        taps *= window[k];
    }
    dims[n] = from;
    dims[n + 1] = to;
    perm[n] = n + 1;
    perm[n + 1] = n;
    w = build_reshape(&c->b, w, dims, n + 2);
    for (uint32_t k = 0; k < n; k++)
        if (window[k] > 1)
            w = grad_flip(c, w, k);
    const dim rows = dim_combine(&c->b.f->module->types, DIM_MUL, to, taps);
    if (rows == DIM_NO_MEMORY) {
        c->b.status = module_no_memory(c->b.f->module);
        return NO_VALUE;
    }
    const dim matrix[] = {rows, from};
    return build_reshape(&c->b, build_transpose(&c->b, w, perm, n + 2), matrix, 2);
}

/* Instead of a large matrix of patches whose windows are added: a convolution with the filter
 * backwards. NO_VALUE where there is none, or where it takes much more work. */
static value_id convolve_back(grad_call *c, const type *x, const int64_t *window,
                              const int64_t *strides, const int64_t *dilation, const int64_t *pads,
                              uint32_t n)
{
    transposed p;
    int64_t around[2 * TN_MAX_RANK];
    double more = 1;
    if (!grad_has(c, OP_DOT_GENERAL) || !is_product(c, c->g[0], n, &p))
        return NO_VALUE;
    for (uint32_t k = 0; k < n; k++) {
        const int64_t reach = (window[k] - 1) * dilation[k];
        around[2 * k] = reach - pads[2 * k];
        around[2 * k + 1] = reach - pads[2 * k + 1];
        const dim have = x->dims[1 + k], places = grad_type(c, p.g)->dims[1 + k];
        if (!dim_is_symbolic(have) && !dim_is_symbolic(places))
            more *= (double)have / (double)places;
        if (strides[k] != 1 || around[2 * k] < 0 || around[2 * k + 1] < 0)
            return NO_VALUE;
    }
    if (!(more <= 2))
        return NO_VALUE;
    const scalar zero = scalar_of_float(0);
    attr patches[] = {attr_of_ints(KEY_WINDOW, window, n), attr_of_ints(KEY_STRIDES, strides, n),
                      attr_of_ints(KEY_DILATION, dilation, n),
                      attr_of_ints(KEY_PADS, around, 2 * n), attr_of_scalar(KEY_PAD_VALUE, &zero)};
    const int64_t last = n + 1, first = 0;
    attr product[5] = {p.accumulator};
    uint32_t m = p.n_accumulators;
    product[m++] = attr_of_ints(KEY_BATCH_LHS, NULL, 0);
    product[m++] = attr_of_ints(KEY_BATCH_RHS, NULL, 0);
    product[m++] = attr_of_ints(KEY_CONTRACT_LHS, &last, 1);
    product[m++] = attr_of_ints(KEY_CONTRACT_RHS, &first, 1);
    const value_id rows = build_node(&c->b, OP_EXTRACT_PATCHES, &p.g, 1, patches, 5);
    const value_id in[] = {rows, turn_filter(c, &p, window, n, x->dims[x->rank - 1])};
    return build_node(&c->b, OP_DOT_GENERAL, in, 2, product, m);
}

tn_status grad_extract_patches(grad_call *c)
{
    const type *x = grad_type(c, grad_in(c, 0));
    uint32_t n, n_pads;
    const int64_t *window = attr_ints(c->n.attrs, KEY_WINDOW, &n);
    const int64_t *strides = attr_ints(c->n.attrs, KEY_STRIDES, &n);
    const int64_t *dilation = attr_ints(c->n.attrs, KEY_DILATION, &n);
    const int64_t *pads = attr_ints(c->n.attrs, KEY_PADS, &n_pads);
    if (!has_numbers(c))
        return grad_refuse_symbolic(c, "a size of its windows");
    const value_id back = convolve_back(c, x, window, strides, dilation, pads, n);
    if (back != NO_VALUE || c->b.status != TN_OK)
        return grad_gives(c, back);
    if (!are_known(x, 1, x->rank - 1))
        return grad_refuse_symbolic(c, "an extent");
    value_id g = windows_apart(c, c->g[0], x, window, n);
    for (uint32_t k = 0; k < n; k++) {
        int64_t extent = x->dims[1 + k], padded = extent + pads[2 * k] + pads[2 * k + 1];
        g = grad_fold_windows(c, g, 1 + k, x->rank, strides[k], dilation[k], padded);
        g = grad_pick(c, g, 1 + k, pads[2 * k], 1, extent);
    }
    return grad_gives(c, g);
}

/* ---- reduce_window ------------------------------------------------------------------------- */

typedef struct windows {
    const int64_t *window, *strides, *pads, *base, *dilation;
    uint32_t n;
} windows;

static windows windows_of(const grad_call *c)
{
    windows w;
    uint32_t n;
    w.window = attr_ints(c->n.attrs, KEY_WINDOW, &w.n);
    w.strides = attr_ints(c->n.attrs, KEY_STRIDES, &n);
    w.pads = attr_ints(c->n.attrs, KEY_PADS, &n);
    w.base = attr_ints(c->n.attrs, KEY_BASE_DILATION, &n);
    w.dilation = attr_ints(c->n.attrs, KEY_DILATION, &n);
    return w;
}

static bool is_trivial(const windows *w, uint32_t k)
{
    return w->window[k] == 1 && w->strides[k] == 1 && w->base[k] == 1 && !w->pads[2 * k] &&
           !w->pads[2 * k + 1];
}

/* X dilated and padded with zeros, as windows: [places.., windows..], only of axes where there is
 * something to do. */
static value_id unfold_all(grad_call *c, const windows *w, value_id x)
{
    const type *t = grad_type(c, x), *y = grad_type(c, grad_y(c));
    for (uint32_t k = 0; k < w->n; k++) {
        if (is_trivial(w, k))
            continue;
        int64_t used = (t->dims[k] - 1) * w->base[k] + 1;
        x = grad_spread(c, x, k, w->pads[2 * k], w->base[k],
                        used + w->pads[2 * k] + w->pads[2 * k + 1]);
        x = grad_unfold_windows(c, x, k, w->strides[k], w->dilation[k], y->dims[k], w->window[k]);
    }
    return x;
}

/* The opposite, adding up. */
static value_id fold_all(grad_call *c, const windows *w, value_id g, const type *x)
{
    for (uint32_t k = 0; k < w->n; k++) {
        if (is_trivial(w, k))
            continue;
        int64_t used = (x->dims[k] - 1) * w->base[k] + 1;
        int64_t padded = used + w->pads[2 * k] + w->pads[2 * k + 1];
        g = grad_fold_windows(c, g, k, x->rank, w->strides[k], w->dilation[k], padded);
        g = grad_pick(c, g, k, w->pads[2 * k], w->base[k], x->dims[k]);
    }
    return g;
}

/* V, of the shape of the result, with an axis of extent 1, or of the window, for every window. */
static value_id at_windows(grad_call *c, const windows *w, value_id v, bool repeated)
{
    dim thin[TN_MAX_RANK], wide[TN_MAX_RANK];
    const type *t = grad_type(c, v);
    uint32_t rank = t->rank;
    for (uint32_t i = 0; i < rank; i++)
        thin[i] = wide[i] = t->dims[i];
    for (uint32_t k = 0; k < w->n; k++) {
        if (is_trivial(w, k))
            continue;
        if (rank == TN_MAX_RANK) {
            c->b.status = grad_refuse(c, "the rank is too high");
            return NO_VALUE;
        }
        thin[rank] = 1;
        wide[rank++] = w->window[k];
    }
    v = build_reshape(&c->b, v, thin, rank);
    return repeated ? build_broadcast(&c->b, v, wide, rank) : v;
}

/* Sums give everything to each element; those equal to an extremum share it. Padding is told apart
 * from elements by windows of ones. */
tn_status grad_reduce_window(grad_call *c)
{
    value_id x = grad_in(c, 0);
    const type *t = grad_type(c, x);
    windows w = windows_of(c);
    if (!has_numbers(c))
        return grad_refuse_symbolic(c, "a size of its windows");
    for (uint32_t k = 0; k < w.n; k++)
        if (!is_trivial(&w, k) && !are_known(t, k, 1))
            return grad_refuse_symbolic(c, "an extent");
    if (attr_int(c->n.attrs, KEY_COMBINE, COMBINE_ADD) == COMBINE_ADD)
        return grad_gives(c, fold_all(c, &w, at_windows(c, &w, c->g[0], true), t));
    value_id other = unfold_all(c, &w, grad_splat(c, x, t->dims, t->rank, 1));
    value_id elements = unfold_all(c, &w, x), y = at_windows(c, &w, grad_y(c), false);
    if (c->b.status != TN_OK)
        return c->b.status;
    value_id hit =
        build_select(&c->b, build_compare(&c->b, DIR_EQ, elements, y), other, grad_zeros(c, other));
    uint32_t rank = grad_type(c, hit)->rank;
    int64_t axes[TN_MAX_RANK];
    for (uint32_t i = t->rank; i < rank; i++)
        axes[i - t->rank] = i;
    value_id hits = grad_countable(c, hit);
    if (rank > t->rank)
        hits = build_reduce(&c->b, OP_SUM, hits, axes, rank - t->rank, false);
    const value_id share = grad_share(c, c->g[0], hits);
    const value_id all = at_windows(c, &w, share, true);
    const value_id part = grad_unless_equal(c, hit, grad_zeros(c, hit), all);
    return grad_gives(c, fold_all(c, &w, part, t));
}
