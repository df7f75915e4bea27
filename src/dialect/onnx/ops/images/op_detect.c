/* Boxes in images: NonMaxSuppression of known ones, and MaxRoiPool. */
#include <inttypes.h>
#include <math.h>

#include "dialect/onnx/ops/op.h"

/* ---- NonMaxSuppression ---- */

/* A node whose boxes and scores are known numbers. */
typedef struct suppression {
    const known_value *boxes, *scores; /* [batch, n, 4] and [batch, classes, n] */
    int64_t batch, classes, n, most;   /* MOST boxes of each class */
    double overlap, least;             /* boxes that share more than OVERLAP are one */
    bool centred;                      /* boxes have a centre and extents, not two corners */
    int64_t (*found)[3];
    uint32_t n_found;
} suppression;

typedef struct box {
    float y0, x0, y1, x1;
} box;

static box box_at(const suppression *s, int64_t batch, int64_t i)
{
    const known_number *at = s->boxes->at + (batch * s->n + i) * 4;
    const float a = (float)at[0].f, b = (float)at[1].f, c = (float)at[2].f, d = (float)at[3].f;
    if (s->centred)
        return (box){b - d / 2, a - c / 2, b + d / 2, a + c / 2};
    return (box){fminf(a, c), fminf(b, d), fmaxf(a, c), fmaxf(b, d)};
}

static bool overlap(const suppression *s, box a, box b)
{
    const float height = fminf(a.y1, b.y1) - fmaxf(a.y0, b.y0);
    const float width = fminf(a.x1, b.x1) - fmaxf(a.x0, b.x0);
    const float first = (a.y1 - a.y0) * (a.x1 - a.x0), second = (b.y1 - b.y0) * (b.x1 - b.x0);
    if (height <= 0 || width <= 0 || first <= 0 || second <= 0)
        return false;
    const float shared = height * width;
    return (double)(shared / (first + second - shared)) > s->overlap;
}

/* The best boxes of one class, in falling order of their scores; TAKEN has room for a mark each. */
static void suppress_class(suppression *s, int64_t batch, int64_t class_, bool *taken)
{
    const known_number *scores = s->scores->at + (batch * s->classes + class_) * s->n;
    const uint32_t first = s->n_found;
    memset(taken, 0, (size_t)s->n * sizeof *taken);
    while (s->n_found - first < s->most) {
        int64_t best = -1;
        for (int64_t i = 0; i < s->n; i++)
            if (!taken[i] && scores[i].f > s->least && (best < 0 || scores[i].f > scores[best].f))
                best = i;
        if (best < 0)
            return;
        taken[best] = true;
        bool is_new = true;
        for (uint32_t k = first; is_new && k < s->n_found; k++)
            is_new = !overlap(s, box_at(s, batch, best), box_at(s, batch, s->found[k][2]));
        if (is_new)
            memcpy(s->found[s->n_found++], (const int64_t[]){batch, class_, best},
                   sizeof s->found[0]);
    }
}

static bool read_suppression(onnx_call *c, suppression *s)
{
    double most;
    *s = (suppression){.boxes = onnx_in_known(c, 0), .scores = onnx_in_known(c, 1)};
    if (!s->boxes || !s->scores) {
        (void)onnx_refuse(c, DIAG_DataDependentShape,
                          "how many boxes it gives depends on boxes and scores, which must be "
                          "known while the file is read");
        onnx_advise_values(c, 2);
        return false;
    }
    if (s->boxes->rank != 3 || s->scores->rank != 3 || s->boxes->dims[2] != 4 ||
        s->boxes->dims[0] != s->scores->dims[0] || s->boxes->dims[1] != s->scores->dims[2] ||
        s->boxes->dtype != TN_F32 || s->scores->dtype != TN_F32)
        return onnx_refuse(c, DIAG_DimensionMismatch,
                           "it takes boxes f32[batch, number, 4] and scores "
                           "f32[batch, classes, number]");
    s->batch = s->boxes->dims[0];
    s->n = s->boxes->dims[1];
    s->classes = s->scores->dims[1];
    s->centred = onnx_attr_int(c, "center_point_box", 0);
    if (!onnx_in_float(c, 2, 0, &most) || !onnx_in_float(c, 3, 0, &s->overlap) ||
        !onnx_in_float(c, 4, -(double)INFINITY, &s->least))
        return false;
    s->most = !(most > 0) ? 0 : most > KNOWN_MOST ? KNOWN_MOST : (int64_t)most;
    return true;
}

bool onnx_op_non_max_suppression(onnx_call *c)
{
    suppression s;
    arena *memory = &c->im->memory;
    if (!read_suppression(c, &s))
        return false;
    bool *taken = ARENA_ARRAY(memory, bool, (size_t)s.n + 1);
    s.found = arena_alloc(memory, ((size_t)s.scores->n + 1) * sizeof *s.found);
    if (!taken || !s.found)
        return onnx_no_memory(c->im);
    for (int64_t batch = 0; batch < s.batch; batch++)
        for (int64_t k = 0; k < s.classes; k++)
            suppress_class(&s, batch, k, taken);
    if (s.n_found > KNOWN_MOST / 3)
        return onnx_refuse(c, DIAG_LimitExceeded, "its result has more than %d elements",
                           KNOWN_MOST);
    known_value *y = known_new(memory, TN_SI64, (const int64_t[]){s.n_found, 3}, 2);
    for (uint32_t i = 0; y && i < 3 * s.n_found; i++)
        y->at[i].i = s.found[i / 3][i % 3];
    return onnx_give_known(c, 0, y);
}

/* ---- MaxRoiPool ---- */

/* The maxima of X[boxes, channels, rows, columns] over the parts of AXIS, of which each box has
 * COUNT: part i of box r begins at FIRST[r] + floor(i * size / count) and ends behind
 * ceil((i + 1) * size / count), cut off at the axis. The parts stand in the place of the axis; one
 * without elements gives the least number. */
static tn_value maxima(onnx_call *c, tn_value x, int64_t axis, int64_t count, tn_value first,
                       tn_value size)
{
    tn_builder *b = c->b;
    const type *t = onnx_type_of(c, x);
    int64_t dims[5], one[5] = {1, 1, 1, 1, 1};
    if (!t)
        return x;
    for (uint32_t i = 0, k = 0; i < 4; i++) {
        if (i == axis)
            dims[k++] = count;
        dims[k++] = t->dims[i];
    }
    const tn_ints all = {dims, 5};
    const tn_value part = tn_iota(b, TN_F32, all, axis), at = tn_iota(b, TN_F32, all, axis + 1);
    one[0] = t->dims[0];
    const tn_value begin = tn_reshape(b, first, (tn_ints){one, 5});
    const tn_value whole = tn_reshape(b, size, (tn_ints){one, 5});
    const tn_value step = tn_div(b, whole, tn_scalar(b, TN_F32, (double)count));
    const tn_value from = tn_add(b, begin, tn_floor(b, tn_mul(b, part, step)));
    const tn_value next = tn_ceil(b, tn_mul(b, onnx_plus(c, part, 1), step));
    const tn_value to = tn_add(b, begin, next);
    const tn_value behind = tn_compare(b, TN_GE, at, from);
    const tn_value inside = tn_and(b, behind, tn_compare(b, TN_LT, at, to));
    const tn_value wide = tn_broadcast(b, tn_expand_dims(b, x, TN_INTS(axis)), all);
    const tn_value none = tn_scalar_like(b, wide, -(double)INFINITY);
    return tn_reduce_max(b, tn_select(b, inside, wide, none), TN_INTS(axis + 1), false);
}

/* Column K of the boxes, in whole elements. */
static tn_value corner(onnx_call *c, tn_value boxes, int64_t k, double scale)
{
    const tn_value x = tn_squeeze(c->b, tn_slice_axis(c->b, boxes, 1, k, 1), TN_INTS(1));
    const tn_value half = onnx_plus(c, onnx_scaled(c, tn_cast(c->b, x, TN_F32), scale), 0.5);
    return tn_floor(c->b, half);
}

bool onnx_op_max_roi_pool(onnx_call *c)
{
    tn_builder *b = c->b;
    const tn_value x = onnx_in(c, 0), boxes = onnx_in(c, 1);
    const type *t = onnx_type_of(c, x), *u = onnx_type_of(c, boxes);
    uint32_t n;
    const int64_t *shape = onnx_attr_ints(c, "pooled_shape", &n);
    const double scale = onnx_attr_float(c, "spatial_scale", 1);
    if (!t || !u)
        return false;
    if (t->rank != 4 || u->rank != 2 || u->dims[1] != 5 || n != 2 || shape[0] < 1 || shape[1] < 1)
        return onnx_refuse(c, DIAG_RankMismatch,
                           "it takes images [batch, channels, height, width], boxes [number, 5] "
                           "and 'pooled_shape' of two numbers");
    const tn_value image =
        tn_cast(b, tn_squeeze(b, tn_slice_axis(b, boxes, 1, 0, 1), TN_INTS(1)), TN_SI64);
    tn_value y = tn_take(b, x, image);
    for (int64_t axis = 2; axis < 4; axis++) { /* columns are first in a box, x0 y0 x1 y1 */
        const tn_value first = corner(c, boxes, 4 - axis, scale);
        const tn_value last = corner(c, boxes, 6 - axis, scale);
        const tn_value size = onnx_plus(c, tn_sub(b, last, first), 1);
        const tn_value least = tn_maximum(b, size, tn_scalar_like(b, size, 1));
        y = maxima(c, y, axis, shape[axis - 2], first, least);
    }
    const tn_value none = tn_scalar_like(b, y, -(double)INFINITY);
    const tn_value empty = tn_compare(b, TN_EQ, y, none); /* parts without elements are 0 */
    return onnx_give(c, 0, tn_select(b, empty, tn_scalar_like(b, y, 0), y));
}
