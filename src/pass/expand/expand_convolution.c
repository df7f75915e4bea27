/* Convolutions, written with others. The products of a result stay as they are and in their order,
 * so every bit is kept (docs/numerics.md, section 6). */
#include "base/memory/checked.h"
#include "ops/convolution.h"
#include "ops/shape.h"
#include "pass/expand/expand.h"

/* One convolution in phases: along an axis whose input has holes, results PERIOD apart have taps in
 * the same places, and are those of a convolution without holes. */
typedef struct phases {
    expand_call *use;
    convolution c;
    const type *x, *w;
    attr dtypes[2]; /* of the sums and results */
    uint32_t n_dtypes;
} phases;

/* What is chosen so far, axis by axis: operands cut for the phase, and how the rest moves. */
typedef struct phase {
    value_id x, w;
    convolution c; /* without holes along the axes that are done */
    int64_t places[CONVOLUTION_SPATIAL];
} phase;

static value_id of_axis(phases *p, const phase *so_far, uint32_t axis);

/* ---- without holes ---- */

/* X, whose axes are in the order FROM, with spatial axes in the middle: AXES[0], those, AXES[1]. */
static value_id spatial_between(builder *b, value_id x, const uint32_t *from, uint32_t spatial)
{
    int64_t perm[2 + CONVOLUTION_SPATIAL];
    perm[0] = from[0];
    for (uint32_t i = 0; i < spatial; i++)
        perm[1 + i] = from[CONVOLUTION_FIRST + i];
    perm[1 + spatial] = from[1];
    return build_transpose(b, x, perm, 2 + spatial);
}

static value_id patches(phases *p, const phase *at)
{
    builder *b = p->use->b;
    const uint32_t n = at->c.spatial;
    int64_t window[CONVOLUTION_SPATIAL], strides[CONVOLUTION_SPATIAL];
    int64_t dilation[CONVOLUTION_SPATIAL], pads[2 * CONVOLUTION_SPATIAL];
    const tn_dtype d = p->x->dtype;
    const scalar zero = dtype_is_float(d)     ? scalar_of_float(0)
                        : dtype_is_complex(d) ? scalar_of_complex(0, 0)
                                              : scalar_of_int(0);
    const type *w = build_type(b, at->w);
    for (uint32_t i = 0; i < n; i++) {
        const convolution_axis *a = &at->c.at[i];
        window[i] = w->dims[at->c.rhs[CONVOLUTION_FIRST + i]];
        strides[i] = a->stride;
        dilation[i] = a->dilation;
        pads[2 * i] = a->low;
        pads[2 * i + 1] = a->high;
    }
    attr entries[] = {attr_of_ints(KEY_WINDOW, window, n), attr_of_ints(KEY_STRIDES, strides, n),
                      attr_of_ints(KEY_DILATION, dilation, n), attr_of_ints(KEY_PADS, pads, 2 * n),
                      attr_of_scalar(KEY_PAD_VALUE, &zero)};
    value_id x = spatial_between(b, at->x, at->c.lhs, n);
    return build_node(b, OP_EXTRACT_PATCHES, &x, 1, entries, 5);
}

/* dot_general of [groups, images, places.., taps, channels] and [taps, channels, groups, to]; as
 * many as there are. */
static value_id product(phases *p, const phase *at)
{
    builder *b = p->use->b;
    const convolution *c = &at->c;
    const uint32_t n = c->spatial;
    const type *w = build_type(b, at->w);
    const int64_t groups = c->groups * c->batch_groups;
    const int64_t from = w->dims[c->rhs[CONVOLUTION_FROM]], to = w->dims[c->rhs[CONVOLUTION_TO]];
    int64_t taps = 1, places = 1;
    value_id x = patches(p, at);
    if (b->status != TN_OK)
        return NO_VALUE;
    const type *t = build_type(b, x);
    const int64_t images = t->dims[0] / c->batch_groups;
    for (uint32_t i = 0; i < n; i++) {
        taps *= w->dims[c->rhs[CONVOLUTION_FIRST + i]];
        places *= t->dims[1 + i];
    }
    /* The filter: [spatial.., from, to]. */
    int64_t perm[2 + CONVOLUTION_SPATIAL];
    for (uint32_t i = 0; i < n; i++)
        perm[i] = c->rhs[CONVOLUTION_FIRST + i];
    perm[n] = c->rhs[CONVOLUTION_FROM];
    perm[n + 1] = c->rhs[CONVOLUTION_TO];
    const dim of_filter[] = {taps, from, groups, to / groups};
    const dim of_rows[] = {c->batch_groups, images * places, taps, c->groups, from};
    value_id in[] = {build_reshape(b, x, of_rows, 5),
                     build_reshape(b, build_transpose(b, at->w, perm, n + 2), of_filter, 4)};
    const int64_t batch_x = c->groups > 1 ? 3 : 0, batch_w = 2, sum_x[] = {2, 4}, sum_w[] = {0, 1};
    attr entries[6] = {
        attr_of_ints(KEY_BATCH_LHS, &batch_x, 1), attr_of_ints(KEY_BATCH_RHS, &batch_w, 1),
        attr_of_ints(KEY_CONTRACT_LHS, sum_x, 2), attr_of_ints(KEY_CONTRACT_RHS, sum_w, 2)};
    for (uint32_t i = 0; i < p->n_dtypes; i++)
        entries[4 + i] = p->dtypes[i];
    /* [groups, 1, images * places, to] or [groups, images * places, 1, to] */
    value_id y = build_node(b, OP_DOT_GENERAL, in, 2, entries, 4 + p->n_dtypes);
    const dim flat[] = {groups, images * places, to / groups};
    const int64_t inside[] = {1, 0, 2};
    y = build_transpose(b, build_reshape(b, y, flat, 3), inside, 3);
    dim dims[2 + CONVOLUTION_SPATIAL];
    dims[0] = images;
    for (uint32_t i = 0; i < n; i++)
        dims[1 + i] = t->dims[1 + i];
    dims[1 + n] = to;
    y = build_reshape(b, y, dims, n + 2);
    /* From [images, places.., to] to the order of the result. */
    perm[c->out[CONVOLUTION_BATCH]] = 0;
    perm[c->out[CONVOLUTION_CHANNEL]] = 1 + (int64_t)n;
    for (uint32_t i = 0; i < n; i++)
        perm[c->out[CONVOLUTION_FIRST + i]] = 1 + (int64_t)i;
    return build_transpose(b, y, perm, n + 2);
}

/* ---- phases ---- */

/* Elements START, START + STEP, ... of AXIS of V, before END. */
static value_id cut(builder *b, value_id v, uint32_t axis, int64_t start, int64_t end, int64_t step)
{
    const type *t = build_type(b, v);
    int64_t starts[TN_MAX_RANK] = {0}, ends[TN_MAX_RANK], steps[TN_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++) {
        ends[i] = t->dims[i];
        steps[i] = 1;
    }
    if (start == 0 && end == t->dims[axis] && step == 1)
        return v;
    starts[axis] = start;
    ends[axis] = end;
    steps[axis] = step;
    return build_slice(b, v, starts, ends, steps, t->rank);
}

/* Elements FIRST .. FIRST + COUNT - 1 of the input along an axis are what the phase reads: cut off
 * the others, and pad where there are none. */
static void read_input(phases *p, phase *at, uint32_t i, int64_t first, int64_t count)
{
    const uint32_t axis = at->c.lhs[CONVOLUTION_FIRST + i];
    const type *t = build_type(p->use->b, at->x);
    const int64_t extent = t->dims[axis], end = first + count;
    const int64_t from = first < 0 ? 0 : first, to = end > extent ? extent : end;
    if (from >= to) { /* padding alone */
        dim dims[TN_MAX_RANK];
        for (uint32_t k = 0; k < t->rank; k++)
            dims[k] = t->dims[k];
        dims[axis] = count;
        const type *zeros = type_of(&p->use->b->f->module->types, t->dtype, dims, t->rank);
        if (!zeros)
            p->use->b->status = module_no_memory(p->use->b->f->module);
        at->x = zeros ? expand_filled(p->use, zeros, 0) : NO_VALUE;
        at->c.at[i].low = at->c.at[i].high = 0;
        return;
    }
    at->x = cut(p->use->b, at->x, axis, from, to, 1);
    at->c.at[i].low = from - first;
    at->c.at[i].high = end - to;
}

/* One phase of an axis: which taps of the window it has, and the input that the first of its
 * results begins with. */
typedef struct phase_taps {
    int64_t tap, step, n; /* the first, how far they are apart, how many */
    int64_t first;
} phase_taps;

/* The phase of the results PLACE, .. of axis I. */
static phase_taps taps_of(const phases *p, const phase *so_far, uint32_t i, int64_t place)
{
    const convolution_axis a = so_far->c.at[i];
    const int64_t window = p->w->dims[so_far->c.rhs[CONVOLUTION_FIRST + i]];
    phase_taps t = {.step = a.base / common_divisor(a.base, a.dilation)};
    while (t.tap < window && t.tap < t.step &&
           (place * a.stride + t.tap * a.dilation - a.low) % a.base)
        t.tap++;
    if (t.tap < window && t.tap < t.step)
        t.n = (window - t.tap - 1) / t.step + 1;
    t.first = (place * a.stride + t.tap * a.dilation - a.low) / a.base;
    return t;
}

/* The filter of a phase: its taps along axis I. */
static value_id filter_of(phases *p, const phase *so_far, uint32_t i, phase_taps t)
{
    const uint32_t axis = so_far->c.rhs[CONVOLUTION_FIRST + i];
    return cut(p->use->b, so_far->w, axis, t.tap, p->w->dims[axis], t.step);
}

/* COUNT results, PERIOD apart, of the filter W with taps like those of T, which begin at the input
 * FIRST. */
static value_id without_holes(phases *p, const phase *so_far, uint32_t i, value_id w, phase_taps t,
                              int64_t period, int64_t count)
{
    const convolution_axis a = so_far->c.at[i];
    phase next = *so_far;
    next.c.at[i].stride = period * a.stride / a.base;
    next.c.at[i].dilation = t.step * a.dilation / a.base;
    next.c.at[i].base = 1;
    next.w = w;
    read_input(p, &next, i, t.first,
               (count - 1) * next.c.at[i].stride + (t.n - 1) * next.c.at[i].dilation + 1);
    next.places[i] = count;
    return p->use->b->status == TN_OK ? of_axis(p, &next, i + 1) : NO_VALUE;
}

static int64_t filters_of(phases *p, const phase *at)
{
    return build_type(p->use->b, at->w)->dims[at->c.rhs[CONVOLUTION_TO]];
}

/* Zeros for the results of a phase without taps, with PLACES along axis I. */
static value_id no_taps(phases *p, const phase *at, uint32_t i, int64_t places)
{
    dim dims[TN_MAX_RANK];
    const type *t = p->use->out;
    for (uint32_t k = 0; k < t->rank; k++)
        dims[k] = t->dims[k];
    for (uint32_t k = 0; k < at->c.spatial; k++)
        dims[at->c.out[CONVOLUTION_FIRST + k]] = k == i ? places : at->places[k];
    dims[at->c.out[CONVOLUTION_CHANNEL]] = filters_of(p, at);
    t = type_of(&p->use->b->f->module->types, t->dtype, dims, t->rank);
    if (!t)
        p->use->b->status = module_no_memory(p->use->b->f->module);
    return t ? expand_filled(p->use, t, 0) : NO_VALUE;
}

/* Y, which has COUNT of ROOM places along AXIS, with zeros up to ROOM and a new axis of 1 behind.
 */
static value_id with_phase_axis(builder *b, value_id y, uint32_t axis, int64_t count, int64_t room)
{
    const type *t = build_type(b, y);
    int64_t low[TN_MAX_RANK] = {0}, high[TN_MAX_RANK] = {0};
    dim dims[TN_MAX_RANK];
    high[axis] = room - count;
    if (room > count)
        y = build_pad(b, y, low, high, t->rank);
    t = build_type(b, y);
    for (uint32_t k = 0; k <= t->rank; k++)
        dims[k] = k <= axis ? t->dims[k] : k == axis + 1 ? 1 : t->dims[k - 1];
    return build_reshape(b, y, dims, t->rank + 1);
}

/* ---- phases side by side ---- */

/* Where filters leave much of a vector empty, the phases of an axis are filters of one convolution,
 * whose results are then parted: the input is read, and a vector filled, once for all of them. */
static bool are_few(int64_t filters)
{
    return filters < 32 && filters % 8 != 0;
}

/* Do PERIOD phases of axis I read the input in one way, from elements FROM .. TO on? */
static bool go_together(phases *p, const phase *so_far, uint32_t i, int64_t period, int64_t *from,
                        int64_t *to)
{
    const convolution *c = &so_far->c;
    const convolution_axis *a = &c->at[i];
    if (p->use->to || c->groups > 1 || c->batch_groups > 1 || period < 2 ||
        period * a->stride != a->base || !are_few(p->w->dims[c->rhs[CONVOLUTION_TO]]))
        return false;
    const phase_taps t = taps_of(p, so_far, i, 0);
    *from = *to = t.first;
    bool same = t.n > 0;
    for (int64_t place = 1; same && place < period; place++) {
        const phase_taps other = taps_of(p, so_far, i, place);
        same = other.n == t.n;
        *from = other.first < *from ? other.first : *from;
        *to = other.first > *to ? other.first : *to;
    }
    return same;
}

/* The PERIOD phases of axis I, which go together from FROM on, with ROOM results each, and TO -
 * FROM that only some of them have. */
static bool side_by_side(phases *p, const phase *so_far, uint32_t i, int64_t period, int64_t room,
                         int64_t from, int64_t to, value_id *parts)
{
    builder *b = p->use->b;
    const uint32_t axis = so_far->c.out[CONVOLUTION_FIRST + i];
    const int64_t filters = filters_of(p, so_far);
    for (int64_t place = 0; place < period; place++)
        parts[place] = filter_of(p, so_far, i, taps_of(p, so_far, i, place));
    attr along = attr_of_int(KEY_AXIS, so_far->c.rhs[CONVOLUTION_TO]);
    const value_id w = build_node(b, OP_CONCAT, parts, (uint32_t)period, &along, 1);
    phase_taps all = taps_of(p, so_far, i, 0);
    all.first = from;
    if (b->status != TN_OK)
        return false;
    const value_id y = without_holes(p, so_far, i, w, all, period, to - from + room);
    for (int64_t place = 0; place < period && b->status == TN_OK; place++) {
        const int64_t first = taps_of(p, so_far, i, place).first - from;
        const value_id own = cut(b, y, so_far->c.out[CONVOLUTION_CHANNEL], place * filters,
                                 (place + 1) * filters, 1);
        parts[place] =
            with_phase_axis(b, cut(b, own, axis, first, first + room, 1), axis, room, room);
    }
    return b->status == TN_OK;
}

/* The PERIOD phases of axis I, results APART apart, one after the other, with zeros up to ROOM
 * results each. */
static bool one_by_one(phases *p, const phase *so_far, uint32_t i, int64_t period, int64_t apart,
                       int64_t room, value_id *parts)
{
    const uint32_t axis = so_far->c.out[CONVOLUTION_FIRST + i];
    const int64_t results = p->use->out->dims[axis];
    for (int64_t place = 0; place < period && p->use->b->status == TN_OK; place++) {
        const int64_t count = (results - 1 - place) / period + 1;
        const phase_taps t = taps_of(p, so_far, i, place);
        const value_id y =
            t.n ? without_holes(p, so_far, i, filter_of(p, so_far, i, t), t, apart, count)
                : no_taps(p, so_far, i, count);
        parts[place] = y == NO_VALUE ? y : with_phase_axis(p->use->b, y, axis, count, room);
    }
    return p->use->b->status == TN_OK;
}

/* How many results lie side by side before their taps have the same places again. */
static int64_t period_of(const phases *p, uint32_t i, int64_t *apart)
{
    const int64_t results = p->use->out->dims[p->c.out[CONVOLUTION_FIRST + i]];
    const convolution_axis *a = &p->c.at[i];
    *apart = a->base / common_divisor(a->base, a->stride);
    return *apart < results ? *apart : results;
}

/* The results of all axes from I on. */
static value_id of_axis(phases *p, const phase *so_far, uint32_t i)
{
    builder *b = p->use->b;
    while (i < so_far->c.spatial && so_far->c.at[i].base == 1)
        i++;
    if (i == so_far->c.spatial)
        return p->use->to
                   ? product(p, so_far)
                   : build_convolution(b, so_far->x, so_far->w, &so_far->c, p->dtypes, p->n_dtypes);
    const uint32_t axis = so_far->c.out[CONVOLUTION_FIRST + i];
    const int64_t results = p->use->out->dims[axis];
    int64_t apart;
    const int64_t period = period_of(p, i, &apart), room = (results - 1) / period + 1;
    value_id *parts = ARENA_ARRAY(p->use->memory, value_id, (size_t)period);
    if (!parts) {
        b->status = module_no_memory(b->f->module);
        return NO_VALUE;
    }
    int64_t from, to;
    if (!(go_together(p, so_far, i, period, &from, &to)
              ? side_by_side(p, so_far, i, period, room, from, to, parts)
              : one_by_one(p, so_far, i, period, apart, room, parts)))
        return NO_VALUE;
    attr along = attr_of_int(KEY_AXIS, (int64_t)axis + 1);
    value_id y =
        period > 1 ? build_node(b, OP_CONCAT, parts, (uint32_t)period, &along, 1) : parts[0];
    if (b->status != TN_OK)
        return NO_VALUE;
    const type *t = build_type(b, y);
    dim dims[TN_MAX_RANK];
    for (uint32_t k = 0; k + 1 < t->rank; k++)
        dims[k] = k < axis ? t->dims[k] : k == axis ? t->dims[k] * period : t->dims[k + 1];
    return cut(b, build_reshape(b, y, dims, t->rank - 1), axis, 0, results, 1);
}

/* Each phase is a convolution of its own: beyond so many, which nobody has in earnest, the program
 * would be too long. */
static bool are_too_many(const phases *p)
{
    enum { MOST_PHASES = 1 << 12 };
    int64_t n = 1, apart;
    for (uint32_t i = 0; i < p->c.spatial; i++)
        if (!mul_i64(n, period_of(p, i, &apart), &n) || n > MOST_PHASES)
            return true;
    return false;
}

value_id expand_convolution(expand_call *c)
{
    static const attr_key keys[] = {KEY_ACCUM_DTYPE, KEY_OUT_DTYPE};
    phases p = {.use = c, .x = operand_type_of(c, 0), .w = operand_type_of(c, 1)};
    if (!is_static_call(c) || p.x->count == 0 || p.w->count == 0 || c->out->count == 0)
        return NO_VALUE;
    p.c = convolution_of_attrs(c->n->attrs, p.x->rank);
    if (are_too_many(&p))
        return NO_VALUE;
    for (uint32_t i = 0; i < 2; i++) {
        const attr *a = attr_find(c->n->attrs, keys[i]);
        if (a)
            p.dtypes[p.n_dtypes++] = *a;
    }
    phase all = {.x = c->in[0], .w = c->in[1], .c = p.c};
    for (uint32_t i = 0; i < p.c.spatial; i++)
        all.places[i] = c->out->dims[p.c.out[CONVOLUTION_FIRST + i]];
    return of_axis(&p, &all, 0);
}
