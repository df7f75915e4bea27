/* The loops of each kind of contraction, and the elements of its operands that they read. */
#include "ops/convolution.h"
#include "ops/dot_axes.h"
#include "ops/shape.h"
#include "plan/contraction_parts.h"

uint32_t contraction_add_loop(contraction *p, contraction_part part, int64_t extent, int64_t c)
{
    p->loops[p->n_loops] = (contraction_loop){.part = part, .extent = extent, .c = c};
    return p->n_loops++;
}

/* The extent of a leading axis of matrices, the last one of which is number 1: they align from the
 * right. */
static int64_t matrix_batch(const type *t, uint32_t from_end)
{
    return t->rank >= 2 + from_end ? t->dims[t->rank - 2 - from_end] : 1;
}

static void matrix_loops(form *s, reading r[2], const int64_t *c)
{
    const type *a = value_type(s->f, s->n->in[0]), *b = value_type(s->f, s->n->in[1]);
    const type *out = value_type(s->f, s->n->first_value);
    const bool has_m = a->rank >= 2, has_n = b->rank >= 2;
    const uint32_t n_batch = out->rank - has_m - has_n;
    uint32_t n_apart = n_batch; /* the others are more rows, of one and the same matrix B */
    while (n_apart > 0 && matrix_batch(b, n_batch - n_apart + 1) == 1)
        n_apart--;
    for (uint32_t i = 0; i < n_batch; i++) {
        const uint32_t from_end = n_batch - i;
        const contraction_part part = i < n_apart ? CONTRACTION_BATCH : CONTRACTION_ROWS;
        const uint32_t loop = contraction_add_loop(&s->p, part, out->dims[i], c[i]);
        if (matrix_batch(a, from_end) > 1)
            r[0].by[a->rank - 2 - from_end][loop] = 1;
        if (matrix_batch(b, from_end) > 1)
            r[1].by[b->rank - 2 - from_end][loop] = 1;
    }
    if (has_m)
        r[0].by[a->rank - 2][contraction_add_loop(&s->p, CONTRACTION_ROWS, a->dims[a->rank - 2],
                                                  c[n_batch])] = 1;
    if (has_n)
        r[1].by[b->rank - 1][contraction_add_loop(&s->p, CONTRACTION_COLUMNS, b->dims[b->rank - 1],
                                                  c[out->rank - 1])] = 1;
    const uint32_t k = contraction_add_loop(&s->p, CONTRACTION_SUM, a->dims[a->rank - 1], 0);
    r[0].by[a->rank - 1][k] = 1;
    r[1].by[has_n ? b->rank - 2 : b->rank - 1][k] = 1;
}

static void general_loops(form *s, reading r[2], const int64_t *c)
{
    const type *t[] = {value_type(s->f, s->n->in[0]), value_type(s->f, s->n->in[1])};
    const dot_axes axes[] = {dot_axes_of(s->n->attrs, true, t[0]->rank),
                             dot_axes_of(s->n->attrs, false, t[1]->rank)};
    uint32_t at = 0;
    for (uint32_t i = 0; i < axes[0].n_batch; i++, at++) {
        const int64_t extent = t[0]->dims[axes[0].batch[i]];
        const uint32_t loop = contraction_add_loop(&s->p, CONTRACTION_BATCH, extent, c[at]);
        r[0].by[axes[0].batch[i]][loop] = r[1].by[axes[1].batch[i]][loop] = 1;
    }
    for (uint32_t o = 0; o < 2; o++)
        for (uint32_t i = 0; i < axes[o].n_free; i++, at++) {
            const uint32_t axis = axes[o].free[i];
            r[o].by[axis][contraction_add_loop(
                &s->p, o == 0 ? CONTRACTION_ROWS : CONTRACTION_COLUMNS, t[o]->dims[axis], c[at])] =
                1;
        }
    for (uint32_t i = 0; i < axes[0].n_contract; i++) {
        const int64_t extent = t[0]->dims[axes[0].contract[i]];
        const uint32_t loop = contraction_add_loop(&s->p, CONTRACTION_SUM, extent, 0);
        r[0].by[axes[0].contract[i]][loop] = r[1].by[axes[1].contract[i]][loop] = 1;
    }
}

static bool conv_loops(form *s, reading r[2], const int64_t *c)
{
    contraction *p = &s->p;
    conv_geometry g;
    const type *x = value_type(s->f, s->n->in[0]), *w = value_type(s->f, s->n->in[1]);
    if (resolve_conv(s->n->attrs, x->dims, w->dims, &g).kind != SHAPE_OK)
        return false;
    const uint32_t image = contraction_add_loop(p, CONTRACTION_ROWS, g.n, c[0]);
    const uint32_t oy = contraction_add_loop(p, CONTRACTION_ROWS, g.ho, c[1]);
    const uint32_t ox = contraction_add_loop(p, CONTRACTION_ROWS, g.wo, c[2]);
    const uint32_t co = contraction_add_loop(p, CONTRACTION_COLUMNS, g.co, c[3]);
    const uint32_t ky = contraction_add_loop(p, CONTRACTION_SUM, g.kh, 0),
                   kx = contraction_add_loop(p, CONTRACTION_SUM, g.kw, 0);
    const uint32_t ci = contraction_add_loop(p, CONTRACTION_SUM, g.ci, 0);
    r[0].constant[1] = -g.top;
    r[0].constant[2] = -g.left;
    r[0].by[0][image] = r[0].by[3][ci] = r[0].by[1][ky] = r[0].by[2][kx] = 1;
    r[0].by[1][oy] = g.stride_h;
    r[0].by[2][ox] = g.stride_w;
    r[1].by[0][ky] = r[1].by[1][kx] = r[1].by[2][ci] = r[1].by[3][co] = 1;
    return true;
}

/* dw[kh, kw, ci, co]: the rows are taps and channels, the products run over the image. */
static bool filter_loops(form *s, reading r[2], const int64_t *c)
{
    contraction *p = &s->p;
    conv_geometry g;
    const type *x = value_type(s->f, s->n->in[0]), *out = value_type(s->f, s->n->first_value);
    if (resolve_conv(s->n->attrs, x->dims, out->dims, &g).kind != SHAPE_OK)
        return false;
    const uint32_t ky = contraction_add_loop(p, CONTRACTION_ROWS, g.kh, c[0]);
    const uint32_t kx = contraction_add_loop(p, CONTRACTION_ROWS, g.kw, c[1]);
    const uint32_t ci = contraction_add_loop(p, CONTRACTION_ROWS, g.ci, c[2]);
    const uint32_t co = contraction_add_loop(p, CONTRACTION_COLUMNS, g.co, c[3]);
    const uint32_t image = contraction_add_loop(p, CONTRACTION_SUM, g.n, 0);
    const uint32_t oy = contraction_add_loop(p, CONTRACTION_SUM, g.ho, 0),
                   ox = contraction_add_loop(p, CONTRACTION_SUM, g.wo, 0);
    r[0].constant[1] = -g.top;
    r[0].constant[2] = -g.left;
    r[0].by[0][image] = r[0].by[3][ci] = r[0].by[1][ky] = r[0].by[2][kx] = 1;
    r[0].by[1][oy] = g.stride_h;
    r[0].by[2][ox] = g.stride_w;
    r[1].by[0][image] = r[1].by[1][oy] = r[1].by[2][ox] = r[1].by[3][co] = 1;
    return true;
}

/* A loop over positions, with its step in the input. */
typedef struct position_loop {
    int64_t extent, c;
    uint32_t axis; /* of the input */
    int64_t by;
} position_loop;

/* Positions in the order of the results. */
static void add_positions(contraction *p, reading *x, position_loop *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = i;
        for (uint32_t k = i + 1; k < n; k++)
            if (list[k].c > list[first].c)
                first = k;
        const position_loop next = list[first];
        list[first] = list[i];
        const uint32_t loop = contraction_add_loop(
            p, p->is_exchanged ? CONTRACTION_COLUMNS : CONTRACTION_ROWS, next.extent, next.c);
        x->by[next.axis][loop] = next.by;
    }
}

/* One channel a group, contiguous in all that is read and written often, and few products: such
 * groups are columns. */
static bool is_depthwise(const form *s, const convolution *v, int64_t from, int64_t to,
                         int64_t to_c)
{
    enum { MOST_PRODUCTS = 64 };
    const type *x = value_type(s->f, s->n->in[0]), *w = value_type(s->f, s->n->in[1]);
    int64_t strides[TN_MAX_RANK];
    type_strides(x, strides);
    return v->groups > 1 && from == 1 && to == 1 && to_c == 1 &&
           strides[v->lhs[CONVOLUTION_CHANNEL]] == 1 && !dtype_is_complex(x->dtype) &&
           w->count / v->groups <= MOST_PRODUCTS;
}

/* Groups are batches, and images too where their channels lie between them and the positions. */
static bool convolution_loops(form *s, reading r[2], const int64_t *c)
{
    contraction *p = &s->p;
    const type *x = value_type(s->f, s->n->in[0]), *w = value_type(s->f, s->n->in[1]);
    const type *y = value_type(s->f, s->n->first_value);
    const convolution v = convolution_of_attrs(s->n->attrs, x->rank);
    const uint32_t image = v.lhs[CONVOLUTION_BATCH], channel = v.lhs[CONVOLUTION_CHANNEL];
    const int64_t groups = v.groups * v.batch_groups, images = y->dims[v.out[CONVOLUTION_BATCH]];
    const int64_t from = w->dims[v.rhs[CONVOLUTION_FROM]];
    const int64_t to = w->dims[v.rhs[CONVOLUTION_TO]] / groups;
    const int64_t image_c = c[v.out[CONVOLUTION_BATCH]], to_c = c[v.out[CONVOLUTION_CHANNEL]];
    position_loop list[1 + CONVOLUTION_SPATIAL];
    uint32_t n = 0;
    p->is_exchanged = true;
    for (uint32_t i = 0; i < v.spatial; i++) {
        if (v.at[i].base != 1)
            return false; /* windows differ in their taps: such are lowered */
        p->is_exchanged = p->is_exchanged && to_c > c[v.out[CONVOLUTION_FIRST + i]];
    }
    p->is_direct = is_depthwise(s, &v, from, to, to_c);
    const bool is_apart = p->is_exchanged && image_c > to_c;
    if (is_apart)
        r[0].by[image][contraction_add_loop(p, CONTRACTION_BATCH, images, image_c)] = 1;
    if (groups > 1 && !p->is_direct) {
        const uint32_t loop = contraction_add_loop(p, CONTRACTION_BATCH, groups, to_c * to);
        r[0].by[v.groups > 1 ? channel : image][loop] = v.groups > 1 ? from : images;
        r[1].by[v.rhs[CONVOLUTION_TO]][loop] = to;
    }
    if (!is_apart)
        list[n++] = (position_loop){images, image_c, image, 1};
    for (uint32_t i = 0; i < v.spatial; i++)
        list[n++] =
            (position_loop){y->dims[v.out[CONVOLUTION_FIRST + i]], c[v.out[CONVOLUTION_FIRST + i]],
                            v.lhs[CONVOLUTION_FIRST + i], v.at[i].stride};
    add_positions(p, &r[0], list, n);
    const uint32_t out =
        contraction_add_loop(p, p->is_exchanged ? CONTRACTION_ROWS : CONTRACTION_COLUMNS,
                             p->is_direct ? groups : to, to_c);
    r[1].by[v.rhs[CONVOLUTION_TO]][out] = 1;
    if (p->is_direct)
        r[0].by[channel][out] = 1;
    for (uint32_t i = 0; i < v.spatial; i++) {
        const uint32_t axis = v.lhs[CONVOLUTION_FIRST + i], own = v.rhs[CONVOLUTION_FIRST + i];
        const uint32_t loop = contraction_add_loop(p, CONTRACTION_SUM, w->dims[own], 0);
        r[0].constant[axis] = -v.at[i].low;
        r[0].by[axis][loop] = v.at[i].dilation;
        r[1].by[own][loop] = 1;
    }
    const uint32_t k = contraction_add_loop(p, CONTRACTION_SUM, from, 0);
    r[0].by[channel][k] = r[1].by[v.rhs[CONVOLUTION_FROM]][k] = 1;
    return true;
}

bool contraction_find_loops(form *s, reading r[2])
{
    int64_t c[TN_MAX_RANK];
    type_strides(value_type(s->f, s->n->first_value), c);
    switch ((int)s->n->op) {
    case OP_DOT:
    case OP_MATMUL:
        matrix_loops(s, r, c);
        return true;
    case OP_DOT_GENERAL:
        general_loops(s, r, c);
        return true;
    case OP_CONV2D:
        return conv_loops(s, r, c);
    case OP_CONV2D_GRAD_FILTER:
        return filter_loops(s, r, c);
    case OP_CONVOLUTION:
        return convolution_loops(s, r, c);
    default: /* the taps of conv2d_grad_input are not the same for all results */
        return false;
    }
}
