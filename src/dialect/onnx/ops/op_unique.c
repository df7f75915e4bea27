/* Results whose size depends on what the input holds: they exist where that is known. */
#include <inttypes.h>

#include "base/memory/checked.h"
#include "dialect/onnx/ops/op.h"

static known_value *fresh(onnx_call *c, tn_dtype d, const int64_t *dims, uint32_t rank)
{
    int64_t n;
    if (!product_i64(dims, rank, &n) || n > KNOWN_MOST) {
        (void)onnx_refuse(c, DIAG_LimitExceeded, "its result has more than %d elements",
                          KNOWN_MOST);
        return NULL;
    }
    known_value *k = known_new(&c->im->memory, d, dims, rank);
    if (!k)
        (void)onnx_no_memory(c->im);
    return k;
}

/* Input 0, of which every element must be a known number. */
static const known_value *numbers_in(onnx_call *c)
{
    const known_value *x = onnx_in_known(c, 0);
    if (x && !known_has_sizes(x))
        return x;
    (void)onnx_refuse(c, DIAG_DataDependentShape,
                      "how many elements it gives depends on input 0, which must be known while "
                      "the file is read");
    if (!x) /* else sizes are open */
        onnx_advise_values(c, 1);
    return NULL;
}

static bool is_zero(const known_value *k, uint32_t i)
{
    return dtype_is_float(k->dtype) ? k->at[i].f == 0 : k->at[i].i == 0;
}

#define KEEP "choose with Where, or multiply with the mask, which keeps the shape"

bool onnx_op_non_zero(onnx_call *c)
{
    const known_value *x = numbers_in(c);
    uint32_t n = 0, found = 0;
    if (!x) {
        onnx_advise_known(c, KEEP "; or make known what the inputs leave open");
        onnx_advise(c, KEEP);
        return false;
    }
    for (uint32_t i = 0; i < x->n; i++)
        n += !is_zero(x, i);
    known_value *k = fresh(c, TN_SI64, (const int64_t[]){x->rank, n}, 2);
    for (uint32_t i = 0; k && i < x->n; i++) {
        if (is_zero(x, i))
            continue;
        int64_t rest = i;
        for (uint32_t axis = x->rank; axis-- > 0; rest /= x->dims[axis])
            k->at[axis * n + found].i = rest % x->dims[axis];
        found++;
    }
    return k && onnx_give_known(c, 0, k);
}

/* ---- Unique ---- */

/* Slices of a known value along an axis: elements outer * n * inner + i * inner + .. of slice i. */
typedef struct slices {
    const known_value *x;
    uint32_t outer, n, inner;
    uint32_t *order;   /* of slices; equal ones stand together, the first of them first */
    uint32_t *scratch; /* as long */
} slices;

static known_number element(const slices *s, uint32_t slice, uint32_t e)
{
    return s->x->at[(e / s->inner * s->n + slice) * s->inner + e % s->inner];
}

static int compare_slices(const slices *s, uint32_t a, uint32_t b)
{
    for (uint32_t e = 0; e < s->outer * s->inner; e++) {
        const known_number x = element(s, a, e), y = element(s, b, e);
        const bool is_float = dtype_is_float(s->x->dtype);
        const bool below = is_float ? x.f < y.f : x.i < y.i;
        const bool above = is_float ? x.f > y.f : x.i > y.i;
        if (below || above)
            return below ? -1 : 1;
    }
    return 0;
}

/* A stable merge sort. */
static void sort_slices(slices *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        s->order[i] = i;
    for (uint32_t width = 1; width < s->n; width *= 2) {
        for (uint32_t from = 0; from < s->n; from += 2 * width) {
            const uint32_t middle = from + width < s->n ? from + width : s->n;
            const uint32_t end = middle + width < s->n ? middle + width : s->n;
            uint32_t a = from, b = middle;
            for (uint32_t k = from; k < end; k++) {
                const bool left =
                    a < middle && (b >= end || compare_slices(s, s->order[a], s->order[b]) <= 0);
                s->scratch[k] = s->order[left ? a++ : b++];
            }
        }
        memcpy(s->order, s->scratch, s->n * sizeof *s->order);
    }
}

static bool read_slices(onnx_call *c, slices *s, int64_t *axis)
{
    const known_value *x = numbers_in(c);
    if (!x)
        return false;
    *s = (slices){.x = x, .outer = 1, .n = x->n, .inner = 1};
    *axis = -1;
    if (onnx_attr(c, "axis")) {
        if (!onnx_axis(c, onnx_attr_int(c, "axis", 0), x->rank, axis))
            return false;
        for (int64_t i = 0; i < *axis; i++)
            s->outer *= (uint32_t)x->dims[i];
        s->n = (uint32_t)x->dims[*axis];
        for (uint32_t i = (uint32_t)*axis + 1; i < x->rank; i++)
            s->inner *= (uint32_t)x->dims[i];
    }
    s->order = ARENA_ARRAY(&c->im->memory, uint32_t, (size_t)s->n + 1);
    s->scratch = ARENA_ARRAY(&c->im->memory, uint32_t, (size_t)s->n + 1);
    return (s->order && s->scratch) || onnx_no_memory(c->im);
}

/* The slices that differ: of each the first, in the order of the results; INVERSE and COUNTS. */
typedef struct groups {
    uint32_t n;
    uint32_t *first, *counts, *inverse;
} groups;

static bool find_groups(onnx_call *c, slices *s, bool sorted, groups *g)
{
    arena *memory = &c->im->memory;
    uint32_t *number = ARENA_ARRAY(memory, uint32_t, (size_t)s->n + 1); /* by first slice */
    g->first = ARENA_ARRAY(memory, uint32_t, (size_t)s->n + 1);
    g->counts = ARENA_ARRAY(memory, uint32_t, (size_t)s->n + 1);
    g->inverse = ARENA_ARRAY(memory, uint32_t, (size_t)s->n + 1);
    if (!number || !g->first || !g->counts || !g->inverse)
        return onnx_no_memory(c->im);
    sort_slices(s);
    for (uint32_t i = 0; i < s->n; i++) { /* the first of its equals, for now */
        const bool same = i > 0 && compare_slices(s, s->order[i - 1], s->order[i]) == 0;
        g->inverse[s->order[i]] = same ? g->inverse[s->order[i - 1]] : s->order[i];
    }
    for (uint32_t i = 0; i < s->n; i++) {
        const uint32_t slice = sorted ? s->order[i] : i;
        if (g->inverse[slice] == slice) {
            number[slice] = g->n;
            g->first[g->n++] = slice;
        }
    }
    for (uint32_t i = 0; i < s->n; i++) {
        g->inverse[i] = number[g->inverse[i]];
        g->counts[g->inverse[i]]++;
    }
    return true;
}

static bool give_numbers(onnx_call *c, uint32_t k, const uint32_t *numbers, uint32_t n)
{
    known_value *out = fresh(c, TN_SI64, (const int64_t[]){n}, 1);
    for (uint32_t i = 0; out && i < n; i++)
        out->at[i].i = numbers[i];
    return out && onnx_give_known(c, k, out);
}

bool onnx_op_unique(onnx_call *c)
{
    slices s;
    groups g = {0};
    int64_t axis, dims[TN_MAX_RANK];
    if (!read_slices(c, &s, &axis) || !find_groups(c, &s, onnx_attr_int(c, "sorted", 1), &g))
        return false;
    if (axis >= 0)
        memcpy(dims, s.x->dims, s.x->rank * sizeof *dims);
    dims[axis < 0 ? 0 : axis] = g.n;
    known_value *y = fresh(c, s.x->dtype, dims, axis < 0 ? 1 : s.x->rank);
    for (uint32_t i = 0; y && i < g.n; i++)
        for (uint32_t e = 0; e < s.outer * s.inner; e++)
            y->at[(e / s.inner * g.n + i) * s.inner + e % s.inner] = element(&s, g.first[i], e);
    return y && onnx_give_known(c, 0, y) && give_numbers(c, 1, g.first, g.n) &&
           give_numbers(c, 2, g.inverse, s.n) && give_numbers(c, 3, g.counts, g.n);
}
