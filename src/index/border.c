/* Walking over positions row by row, with the value of every guard at hand. */
#include "index/border.h"

#include <string.h>

typedef struct fence {
    const access_expr *of;
    int64_t low, high; /* inside: low <= of < high */
    bool is_linear;
    int64_t constant, strides[TN_MAX_RANK]; /* where it is */
    int64_t value;                          /* at the position */
    _Alignas(16) char fill[16];
} fence;

struct border {
    uint32_t rank, n;
    int64_t dims[TN_MAX_RANK], at[TN_MAX_RANK];
    fence fences[];
};

border *border_of(const function *f, const access_map *map, tn_dtype d, arena *memory)
{
    border *b = arena_alloc_aligned(memory, sizeof *b + map->n_guards * sizeof *b->fences, 16);
    if (!b)
        return NULL;
    memset(b, 0, sizeof *b + map->n_guards * sizeof *b->fences);
    b->rank = map->rank;
    b->n = map->n_guards;
    memcpy(b->dims, map->dims, b->rank * sizeof *b->dims);
    for (uint32_t i = 0; i < b->n; i++) {
        const access_guard *g = &map->guards[i];
        fence *at = &b->fences[i];
        const attr *value = attr_find(node_of(f, g->fill)->attrs, KEY_PAD_VALUE);
        *at = (fence){.of = g->of, .low = g->low, .high = g->high};
        at->is_linear = access_strides(g->of, b->rank, &at->constant, at->strides);
        (void)scalar_store(*value->v.scalar, d, at->fill);
    }
    return b;
}

/* The values of all guards, after all indices changed. */
static void look(border *b)
{
    for (uint32_t i = 0; i < b->n; i++)
        b->fences[i].value = access_value(b->fences[i].of, b->at);
}

void border_seek(border *b, int64_t position)
{
    for (uint32_t k = b->rank; k-- > 0;) {
        b->at[k] = position % b->dims[k];
        position /= b->dims[k];
    }
    look(b);
}

/* The first guard that does not hold, or `n`. */
static uint32_t first_broken(const border *b)
{
    uint32_t i = 0;
    while (i < b->n && b->fences[i].value >= b->fences[i].low &&
           b->fences[i].value < b->fences[i].high)
        i++;
    return i;
}

/* A number of steps along the last axis, at most MOST, for which the guard certainly keeps its
 * value. */
static int64_t steps_alike(const border *b, const fence *g, int64_t most)
{
    const int64_t v = g->value;
    int64_t steps = most;
    if (!g->is_linear || b->rank == 0)
        return 1;
    const int64_t step = g->strides[b->rank - 1];
    if (v < g->low)
        steps = step > 0 ? (g->low - v - 1) / step + 1 : most;
    else if (v >= g->high)
        steps = step < 0 ? (v - g->high) / -step + 1 : most;
    else if (step > 0)
        steps = (g->high - v - 1) / step + 1;
    else if (step < 0)
        steps = (v - g->low) / -step + 1;
    return steps < most ? steps : most;
}

/* STEPS on along the last axis, which end at most at the start of the next row. */
static void advance(border *b, int64_t steps)
{
    const uint32_t last = b->rank - 1;
    b->at[last] += steps;
    if (b->at[last] < b->dims[last]) {
        for (uint32_t i = 0; i < b->n; i++) {
            fence *g = &b->fences[i];
            g->value =
                g->is_linear ? g->value + steps * g->strides[last] : access_value(g->of, b->at);
        }
        return;
    }
    b->at[last] = 0;
    for (uint32_t k = last; k-- > 0;) {
        if (++b->at[k] < b->dims[k])
            break;
        b->at[k] = 0;
    }
    look(b);
}

size_t border_next(border *b, size_t n, const void **fill)
{
    const uint32_t broken = first_broken(b);
    size_t done = 0;
    *fill = broken < b->n ? b->fences[broken].fill : NULL;
    while (done < n && first_broken(b) == broken) {
        const int64_t row = b->rank ? b->dims[b->rank - 1] - b->at[b->rank - 1] : 1;
        int64_t steps = row < (int64_t)(n - done) ? row : (int64_t)(n - done);
        for (uint32_t i = 0; i < b->n; i++)
            steps = steps_alike(b, &b->fences[i], steps);
        done += (size_t)steps;
        if (b->rank)
            advance(b, steps);
    }
    return done;
}
