/* Contractions, recognised by their index maps.
 *
 * The positions of the products are the axes of the summed tensor. For each of the two factors the
 * map from there to some value it was made from by movement is composed, as far back as every axis
 * of that value is read by one axis of the products, or by several as digits, or by a window over
 * two: an output axis times a stride plus a summed axis times a dilation. What the axes of the
 * products mean follows. */
#include "pass/expand/recognize.h"

#include "base/memory/checked.h"
#include "index/access.h"
#include "ops/shape.h"

enum { LONGEST = 64, NONE = TN_MAX_RANK };

/* How an axis of a factor is read. */
typedef struct reading {
    uint32_t source; /* the axis of the value that it is, or is a part of */
    int64_t extent;
    uint32_t axis;  /* of the products; NONE: of extent 1, or a window */
    uint32_t outer; /* window: output axis, NONE when there is one place */
    uint32_t inner; /* window: summed axis, NONE when it is one wide */
    bool is_window;
    int64_t stride, dilation, low, high;
} reading;

typedef struct factor {
    value_id v; /* of the function that is rewritten */
    const type *type;
    bool has_windows;
    uint32_t n;
    reading at[TN_MAX_RANK];
} factor;

typedef struct product {
    const type *type; /* of the summed tensor */
    uint32_t reduced; /* bit k: axis k is summed */
    bool keep;
    tn_dtype sum;
    factor a, b; /* a has the windows, if any */
    /* The axis of the factor that reads axis k by itself; NONE. */
    uint32_t in_a[TN_MAX_RANK], in_b[TN_MAX_RANK];
} product;

static bool is_summed(const product *p, uint32_t axis)
{
    return p->reduced >> axis & 1;
}

/* ---- how a factor is read ------------------------------------------------------------------- */

/* The guard keeps axis I of the source inside, with zeros beyond. */
static bool guards_axis(const expand_call *c, const access_map *m, const access_guard *g,
                        const type *t, uint32_t i)
{
    int64_t own, strides[TN_MAX_RANK], other, other_strides[TN_MAX_RANK];
    scalar value;
    const attr *fill = attr_find(node_of(c->f, g->fill)->attrs, KEY_PAD_VALUE);
    if (g->low != 0 || g->high != t->dims[i] || !access_strides(m->at[i], m->rank, &own, strides) ||
        !access_strides(g->of, m->rank, &other, other_strides) || own != other)
        return false;
    for (uint32_t k = 0; k < m->rank; k++)
        if (strides[k] != other_strides[k])
            return false;
    return scalar_cast(*fill->v.scalar, t->dtype, &value) &&
           scalar_equal(value, dtype_is_float(t->dtype) ? scalar_of_float(0) : scalar_of_int(0));
}

/* The axes of the products that read an axis: the sum of stride[k] * axis[k], larger strides first.
 */
typedef struct terms {
    uint32_t n;
    uint32_t axis[TN_MAX_RANK];
    int64_t stride[TN_MAX_RANK];
    int64_t constant;
} terms;

static bool read_terms(const access_map *m, uint32_t i, terms *t)
{
    int64_t strides[TN_MAX_RANK];
    t->n = 0;
    if (!access_strides(m->at[i], m->rank, &t->constant, strides))
        return false;
    for (uint32_t k = 0; k < m->rank; k++) {
        uint32_t at = t->n;
        if (strides[k] == 0)
            continue;
        for (; at > 0 && t->stride[at - 1] < strides[k]; at--) {
            t->stride[at] = t->stride[at - 1];
            t->axis[at] = t->axis[at - 1];
        }
        t->stride[at] = strides[k];
        t->axis[at] = k;
        t->n++;
    }
    return true;
}

/* Do the terms count through EXTENT as digits do? */
static bool are_digits(const access_map *m, const terms *t, int64_t extent)
{
    int64_t below = 1;
    for (uint32_t k = t->n; k-- > 0;) {
        if (t->stride[k] != below || !mul_i64(below, m->dims[t->axis[k]], &below))
            return false;
    }
    return t->constant == 0 && below == extent;
}

/* A window over an axis of this extent. */
static bool read_window(const product *p, const access_map *m, int64_t extent, const terms *t,
                        reading *r)
{
    r->is_window = true;
    for (uint32_t k = 0; k < t->n; k++) {
        const bool summed = is_summed(p, t->axis[k]);
        uint32_t *which = summed ? &r->inner : &r->outer;
        if (*which != NONE || t->stride[k] < 0)
            return false;
        *which = t->axis[k];
        *(summed ? &r->dilation : &r->stride) = t->stride[k];
    }
    const int64_t places = r->outer == NONE ? 1 : m->dims[r->outer];
    const int64_t width = r->inner == NONE ? 1 : m->dims[r->inner];
    const int64_t last = t->constant + (places - 1) * r->stride + (width - 1) * r->dilation;
    r->low = -t->constant;
    r->high = last > extent - 1 ? last - extent + 1 : 0;
    const int64_t room = extent + r->low + r->high - (width - 1) * r->dilation - 1;
    return r->low >= 0 && room >= 0 && room / r->stride + 1 == places;
}

/* Add how axis I of the value is read: one reading, or one for each digit. */
static bool read_axis(const product *p, const access_map *m, uint32_t i, const terms *t, factor *f)
{
    const int64_t extent = f->type->dims[i];
    const bool digits = are_digits(m, t, extent);
    const reading empty = {.source = i,
                           .extent = extent,
                           .axis = NONE,
                           .outer = NONE,
                           .inner = NONE,
                           .stride = 1,
                           .dilation = 1};
    if (f->n + (t->n ? t->n : 1) > TN_MAX_RANK)
        return false;
    for (uint32_t k = 0; digits && k < t->n; k++) {
        reading *r = &f->at[f->n++];
        *r = empty;
        r->axis = t->axis[k];
        r->extent = m->dims[t->axis[k]];
    }
    if (digits && t->n)
        return true;
    f->at[f->n++] = empty;
    if (digits)
        return true;
    f->has_windows = true;
    return t->n > 0 && read_window(p, m, extent, t, &f->at[f->n - 1]);
}

/* Can M, into a value of type T, be understood? */
static bool read_map(const expand_call *c, const product *p, const access_map *m, const type *t,
                     factor *f)
{
    uint32_t used = 0;
    bool slides = false;
    f->type = t;
    f->has_windows = false;
    f->n = 0;
    for (uint32_t i = 0; i < t->rank; i++) {
        terms read;
        if (!read_terms(m, i, &read) || !read_axis(p, m, i, &read, f))
            return false;
        for (uint32_t k = 0; k < read.n; k++) {
            if (used >> read.axis[k] & 1)
                return false; /* a diagonal */
            used |= 1U << read.axis[k];
        }
        slides = slides || (f->at[f->n - 1].is_window && read.n == 2);
    }
    for (uint32_t k = 0; k < m->n_guards; k++) {
        bool known = false;
        for (uint32_t i = 0; i < f->n; i++)
            known = known ||
                    (f->at[i].is_window && guards_axis(c, m, &m->guards[k], t, f->at[i].source));
        if (!known)
            return false;
    }
    return slides || !f->has_windows; /* a slice is better left to be one */
}

static bool step_back(const expand_call *c, value_id v, access_map *m)
{
    const node *n = node_of(c->f, v);
    access_map own;
    return n->n_in == 1 && (op_table[n->op].traits & T_MOVES) &&
           access_of_node(c->f, n, c->memory, &own) && access_compose(m, &own, c->memory, m);
}

/* V as a factor, read through M, from as far back as can be understood. */
static bool find_factor(const expand_call *c, const product *p, value_id v, access_map *m,
                        factor *out)
{
    bool found = false;
    for (uint32_t k = 0; k < LONGEST; k++) {
        factor f = {.v = v};
        if (read_map(c, p, m, value_type(c->f, v), &f)) {
            *out = f;
            found = true;
        }
        if (!step_back(c, v, m))
            break;
        v = node_of(c->f, v)->in[0];
    }
    return found;
}

/* ---- what the axes mean --------------------------------------------------------------------- */

static void note_axes(const factor *f, uint32_t *in)
{
    for (uint32_t k = 0; k < TN_MAX_RANK; k++)
        in[k] = NONE;
    for (uint32_t i = 0; i < f->n; i++)
        if (f->at[i].axis != NONE)
            in[f->at[i].axis] = i;
}

/* Does a window of A go along axis K of the products? */
static bool slides_along(const product *p, uint32_t k)
{
    for (uint32_t i = 0; i < p->a.n; i++)
        if (p->a.at[i].is_window && (p->a.at[i].outer == k || p->a.at[i].inner == k))
            return true;
    return false;
}

/* Every summed axis is one of both factors, and at least one is summed. */
static bool is_contraction(const product *p)
{
    bool any = false;
    for (uint32_t k = 0; k < p->type->rank; k++) {
        const bool slides = slides_along(p, k);
        if (p->type->dims[k] == 1)
            continue;
        if (is_summed(p, k) && (p->in_b[k] == NONE || (p->in_a[k] == NONE && !slides)))
            return false;
        if (!is_summed(p, k) && slides && p->in_b[k] != NONE)
            return false;
        any = any || is_summed(p, k);
    }
    return any;
}

static bool find_product(const expand_call *c, product *p)
{
    value_id v = c->n->in[0];
    access_map m, own;
    axis_list axes;
    uint32_t n_axes;
    const attr *given = attr_find(c->n->attrs, KEY_AXES);
    const int64_t *list = attr_ints(c->n->attrs, KEY_AXES, &n_axes);
    const int64_t none = 0;
    p->type = value_type(c->f, v);
    p->sum = (tn_dtype)attr_int(c->n->attrs, KEY_ACCUM_DTYPE, dtype_compute(p->type->dtype));
    /* integers wrap in the dtype that they are multiplied in */
    const bool is_exact = dtype_is_float(p->type->dtype) || p->sum == p->type->dtype;
    if (attr_find(c->n->attrs, KEY_INIT) || !type_is_static(p->type) ||
        dtype_is_complex(p->type->dtype) || !is_exact ||
        resolve_reduction(given && n_axes == 0 ? &none : list, n_axes,
                          attr_int(c->n->attrs, KEY_KEEPDIMS, 0), p->type->rank, &axes, &p->keep)
                .kind != SHAPE_OK ||
        !access_identity(p->type->dims, p->type->rank, c->memory, &m))
        return false;
    p->reduced = axes.mask;
    const node *n = node_of(c->f, v);
    for (uint32_t k = 0; k < LONGEST && n->op != OP_MUL; k++) {
        const bool widens = n->op == OP_CAST && dtype_is_float(p->type->dtype) &&
                            dtype_is_float(value_type(c->f, n->in[0])->dtype) &&
                            dtype_compute(value_type(c->f, n->in[0])->dtype) == p->sum;
        if (!widens && !step_back(c, v, &m))
            return false;
        v = n->in[0];
        n = node_of(c->f, v);
    }
    if (n->op != OP_MUL || m.n_guards)
        return false;
    for (uint32_t k = 0; k < 2; k++) {
        const type *t = value_type(c->f, v);
        access_map whole;
        if (!access_of_broadcast(value_type(c->f, n->in[k]), t->dims, t->rank, c->memory, &own) ||
            !access_compose(&m, &own, c->memory, &whole) ||
            !find_factor(c, p, n->in[k], &whole, k ? &p->b : &p->a))
            return false;
    }
    if (p->b.has_windows) {
        const factor b = p->b;
        p->b = p->a;
        p->a = b;
    }
    note_axes(&p->a, p->in_a);
    note_axes(&p->b, p->in_b);
    return !p->b.has_windows && is_contraction(p);
}

/* ---- building ------------------------------------------------------------------------------- */

/* A value whose axes are axes of the products, in some order; those of extent 1 are left away. */
typedef struct labelled {
    value_id v;
    uint32_t n;
    uint32_t axes[TN_MAX_RANK];
} labelled;

static bool has_label(const labelled *l, uint32_t axis, int64_t *at)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->axes[i] == axis) {
            *at = i;
            return true;
        }
    return false;
}

static void add_label(const product *p, labelled *l, uint32_t axis)
{
    if (axis != NONE && p->type->dims[axis] != 1)
        l->axes[l->n++] = axis;
}

/* L.v with the extents of its labels. */
static void shape_by_labels(expand_call *c, const product *p, labelled *l)
{
    dim dims[TN_MAX_RANK];
    for (uint32_t i = 0; i < l->n; i++)
        dims[i] = p->type->dims[l->axes[i]];
    l->v = build_reshape(c->b, l->v, dims, l->n);
}

/* A factor that is read axis by axis. */
static labelled plain_factor(expand_call *c, const product *p, const factor *f)
{
    labelled l = {.v = c->now[f->v]};
    for (uint32_t i = 0; i < f->n; i++)
        add_label(p, &l, f->at[i].axis);
    shape_by_labels(c, p, &l);
    return l;
}

/* L brought into the order of the node's result. */
static value_id in_order(expand_call *c, const product *p, const labelled *l)
{
    int64_t perm[TN_MAX_RANK];
    dim dims[TN_MAX_RANK];
    uint32_t n = 0, rank = 0;
    for (uint32_t k = 0; k < p->type->rank; k++) {
        const bool has = has_label(l, k, &perm[n]);
        n += has;
        if (!is_summed(p, k) || p->keep)
            dims[rank++] = has ? p->type->dims[k] : 1;
    }
    value_id v = build_reshape(c->b, build_transpose(c->b, l->v, perm, n), dims, rank);
    return build_broadcast(c->b, v, c->out->dims, c->out->rank);
}

/* The dot_general of two such values over all summed axes. */
static value_id contracted(expand_call *c, const product *p, const labelled *a, const labelled *b)
{
    int64_t batch[2][TN_MAX_RANK], contract[2][TN_MAX_RANK], at[2];
    uint32_t n_batch = 0, n_contract = 0, n_entries = 4;
    labelled out = {.n = 0};
    if (a->v == NO_VALUE || b->v == NO_VALUE)
        return NO_VALUE;
    for (uint32_t k = 0; k < p->type->rank; k++) {
        if (!has_label(a, k, &at[0]) || !has_label(b, k, &at[1]))
            continue;
        int64_t(*list)[TN_MAX_RANK] = is_summed(p, k) ? contract : batch;
        uint32_t *n = is_summed(p, k) ? &n_contract : &n_batch;
        list[0][*n] = at[0];
        list[1][(*n)++] = at[1];
        if (!is_summed(p, k))
            out.axes[out.n++] = k;
    }
    const labelled *sides[] = {a, b};
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t i = 0; i < sides[side]->n; i++) {
            const uint32_t k = sides[side]->axes[i];
            int64_t other;
            if (!has_label(sides[1 - side], k, &other))
                out.axes[out.n++] = k;
        }
    attr entries[6] = {attr_of_ints(KEY_BATCH_LHS, batch[0], n_batch),
                       attr_of_ints(KEY_BATCH_RHS, batch[1], n_batch),
                       attr_of_ints(KEY_CONTRACT_LHS, contract[0], n_contract),
                       attr_of_ints(KEY_CONTRACT_RHS, contract[1], n_contract)};
    const tn_dtype d = build_type(c->b, a->v)->dtype;
    if (p->sum != dtype_compute(d))
        entries[n_entries++] = attr_of_int(KEY_ACCUM_DTYPE, p->sum);
    if (c->out->dtype != d)
        entries[n_entries++] = attr_of_int(KEY_OUT_DTYPE, c->out->dtype);
    value_id in[] = {a->v, b->v};
    out.v = build_node(c->b, OP_DOT_GENERAL, in, 2, entries, n_entries);
    return out.v == NO_VALUE ? NO_VALUE : in_order(c, p, &out);
}

/* ---- windows -------------------------------------------------------------------------------- */

/* The factor with windows as [images, places.., channels]. Channels are shared axes, those of
 * groups before those that are summed. */
typedef struct sliding {
    labelled images, groups, summed;
    uint32_t n;
    const reading *windows[TN_MAX_RANK];
    int64_t kernel[TN_MAX_RANK], strides[TN_MAX_RANK], dilation[TN_MAX_RANK];
    int64_t pads[2 * TN_MAX_RANK];
    int64_t perm[TN_MAX_RANK]; /* brings the factor's axes into this order */
    dim dims[TN_MAX_RANK + 2];
} sliding;

static void add_axes(const labelled *l, const product *p, int64_t *perm, uint32_t *n,
                     dim *product_of)
{
    *product_of = 1;
    for (uint32_t i = 0; i < l->n; i++) {
        perm[(*n)++] = p->in_a[l->axes[i]];
        *product_of *= p->type->dims[l->axes[i]]; /* fits: A has as many elements */
    }
}

static void find_sliding(const product *p, sliding *s)
{
    dim groups, channels;
    uint32_t n = 0;
    *s = (sliding){.n = 0};
    for (uint32_t i = 0; i < p->a.n; i++)
        if (p->a.at[i].axis == NONE && !p->a.at[i].is_window)
            s->perm[n++] = i; /* of extent 1 */
    for (uint32_t k = 0; k < p->type->rank; k++)
        if (p->in_a[k] != NONE)
            add_label(p,
                      is_summed(p, k)      ? &s->summed
                      : p->in_b[k] == NONE ? &s->images
                                           : &s->groups,
                      k);
    add_axes(&s->images, p, s->perm, &n, &s->dims[0]);
    for (uint32_t i = 0; i < p->a.n; i++) {
        const reading *r = &p->a.at[i];
        if (!r->is_window)
            continue;
        s->perm[n++] = i;
        s->windows[s->n] = r;
        s->kernel[s->n] = r->inner == NONE ? 1 : p->type->dims[r->inner];
        s->strides[s->n] = r->stride;
        s->dilation[s->n] = r->dilation;
        s->pads[2 * s->n] = r->low;
        s->pads[2 * s->n + 1] = r->high;
        s->dims[++s->n] = r->extent;
    }
    add_axes(&s->groups, p, s->perm, &n, &groups);
    add_axes(&s->summed, p, s->perm, &n, &channels);
    s->dims[s->n + 1] = groups * channels;
}

static value_id build_sliding(expand_call *c, const product *p, const sliding *s)
{
    dim extents[TN_MAX_RANK];
    for (uint32_t i = 0; i < p->a.n; i++)
        extents[i] = p->a.at[i].extent;
    value_id v = build_reshape(c->b, c->now[p->a.v], extents, p->a.n);
    return build_reshape(c->b, build_transpose(c->b, v, s->perm, p->a.n), s->dims, s->n + 2);
}

/* Windows as rows, then a dot_general. */
static value_id by_patches(expand_call *c, const product *p, const sliding *s)
{
    const scalar zero = dtype_is_float(p->a.type->dtype) ? scalar_of_float(0) : scalar_of_int(0);
    attr entries[] = {
        attr_of_ints(KEY_WINDOW, s->kernel, s->n), attr_of_ints(KEY_STRIDES, s->strides, s->n),
        attr_of_ints(KEY_DILATION, s->dilation, s->n), attr_of_ints(KEY_PADS, s->pads, 2 * s->n),
        attr_of_scalar(KEY_PAD_VALUE, &zero)};
    value_id x = build_sliding(c, p, s);
    labelled rows = {.v = build_node(c->b, OP_EXTRACT_PATCHES, &x, 1, entries, 5)};
    const labelled *parts[] = {&s->images, NULL, NULL, &s->groups, &s->summed};
    for (uint32_t part = 0; part < 5; part++) {
        for (uint32_t i = 0; parts[part] && i < parts[part]->n; i++)
            add_label(p, &rows, parts[part]->axes[i]);
        for (uint32_t i = 0; !parts[part] && i < s->n; i++)
            add_label(p, &rows, part == 1 ? s->windows[i]->outer : s->windows[i]->inner);
    }
    shape_by_labels(c, p, &rows);
    const labelled filter = plain_factor(c, p, &p->b);
    return contracted(c, p, &rows, &filter);
}

/* A conv2d, which has one or two windows, no dilation and no groups. */
static bool fits_conv2d(const expand_call *c, const product *p, const sliding *s)
{
    const tn_dtype d = p->a.type->dtype;
    bool fits = target_has(c, OP_CONV2D) && s->n <= 2 && s->groups.n == 0 &&
                p->sum == dtype_compute(d) && c->out->dtype == d;
    for (uint32_t i = 0; i < s->n; i++)
        fits = fits && (s->dilation[i] == 1 || s->kernel[i] == 1);
    return fits;
}

/* The other factor as [kernel.., channels, filters]. */
static value_id filters_of(expand_call *c, const product *p, const sliding *s, labelled *filters)
{
    labelled w = plain_factor(c, p, &p->b);
    int64_t perm[TN_MAX_RANK];
    dim dims[] = {s->kernel[0], s->n > 1 ? s->kernel[1] : 1, 1, 1};
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        n += s->windows[i]->inner != NONE && has_label(&w, s->windows[i]->inner, &perm[n]);
    for (uint32_t i = 0; i < s->summed.n; i++) {
        n += has_label(&w, s->summed.axes[i], &perm[n]);
        dims[2] *= p->type->dims[s->summed.axes[i]];
    }
    for (uint32_t k = 0; k < p->type->rank; k++)
        if (!is_summed(p, k) && has_label(&w, k, &perm[n])) {
            n++;
            add_label(p, filters, k);
            dims[3] *= p->type->dims[k];
        }
    return build_reshape(c->b, build_transpose(c->b, w.v, perm, n), dims, 4);
}

static value_id by_conv2d(expand_call *c, const product *p, const sliding *s)
{
    const dim x[] = {s->dims[0], s->dims[1], s->n > 1 ? s->dims[2] : 1, s->dims[s->n + 1]};
    const int64_t strides[] = {s->strides[0], s->n > 1 ? s->strides[1] : 1};
    labelled filters = {.n = 0}, out = s->images;
    bool pads = false;
    for (uint32_t i = 0; i < 2 * s->n; i++)
        pads = pads || s->pads[i];
    attr entries[3] = {attr_of_ints(KEY_STRIDES, strides, 2),
                       attr_of_int(KEY_PADDING, pads ? PADDING_CUSTOM : PADDING_VALID),
                       attr_of_ints(KEY_PADS, s->pads, 4)};
    value_id in[] = {build_reshape(c->b, build_sliding(c, p, s), x, 4),
                     filters_of(c, p, s, &filters)};
    out.v = build_node(c->b, OP_CONV2D, in, 2, entries, pads ? 3 : 2);
    for (uint32_t i = 0; i < s->n; i++)
        add_label(p, &out, s->windows[i]->outer);
    for (uint32_t i = 0; i < filters.n; i++)
        add_label(p, &out, filters.axes[i]);
    if (out.v == NO_VALUE)
        return NO_VALUE;
    shape_by_labels(c, p, &out);
    return in_order(c, p, &out);
}

value_id recognize_contraction(expand_call *c)
{
    product p = {0};
    sliding s;
    if (!find_product(c, &p))
        return NO_VALUE;
    if (!p.a.has_windows) {
        const labelled a = plain_factor(c, &p, &p.a), b = plain_factor(c, &p, &p.b);
        return contracted(c, &p, &a, &b);
    }
    find_sliding(&p, &s);
    if (fits_conv2d(c, &p, &s))
        return by_conv2d(c, &p, &s);
    return target_has(c, OP_EXTRACT_PATCHES) ? by_patches(c, &p, &s) : NO_VALUE;
}
