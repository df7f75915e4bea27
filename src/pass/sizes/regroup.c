/* Groups of equal product, found from the right end to the left. */
#include "pass/sizes/regroup.h"

#include "base/memory/checked.h"

enum { SIZES = TN_MAX_RANK + 1, NEVER = INT32_MIN };
enum { ANCHOR = 10000, UNSOLVED = -100, GROUP = 1 };

/* The best grouping from (source i, result j) on, and the end of its first group. */
typedef struct cell {
    int32_t score;
    uint8_t i, j;
} cell;

typedef struct table {
    const grouped *from, *to;
    uint32_t n_from, n_to;
    cell cells[SIZES][SIZES];
} table;

/* The product of the known extents and the number of the unknown ones. */
typedef struct product {
    int64_t known;
    uint32_t unknown;
} product;

static bool matches(int64_t have, product want)
{
    return want.unknown == 0 ? have == want.known : have % want.known == 0;
}

/* Groups that start at (i, j) and end before END on the result side, wherever they end on the
 * other. An unknown extent needs something to stand for. */
static void try_ends(table *t, uint32_t i, uint32_t j, uint32_t end, product want)
{
    cell *best = &t->cells[i][j];
    int64_t have = 1;
    for (uint32_t k = i; k <= t->n_from; k++) {
        if (k > i && !mul_i64(have, t->from[k - 1].extent, &have))
            return;
        const cell *rest = &t->cells[k][end];
        if (!matches(have, want) || rest->score == NEVER || (k == i && end == j) ||
            (k == i && want.unknown))
            continue;
        const bool anchor = k == i + 1 && end == j + 1 && t->from[i].written == t->to[j].written;
        const int32_t score = rest->score + (anchor ? ANCHOR : 0) +
                              (want.unknown > 1 ? UNSOLVED : 0) + (k > i && end > j ? GROUP : 0);
        if (score >= best->score) /* of equals the longest: known extents join what stands before */
            *best = (cell){score, (uint8_t)k, (uint8_t)end};
    }
}

static void fill(table *t, uint32_t i, uint32_t j)
{
    product want = {1, 0};
    t->cells[i][j] = (cell){NEVER, 0, 0};
    if (i == t->n_from && j == t->n_to)
        t->cells[i][j].score = 0;
    try_ends(t, i, j, j, want);
    for (uint32_t end = j + 1; end <= t->n_to; end++) {
        const int64_t d = t->to[end - 1].extent;
        want.unknown += d < 0;
        if (d == 0 || (d > 0 && !mul_i64(want.known, d, &want.known)))
            return;
        try_ends(t, i, j, end, want);
    }
}

void regroup(const grouped *from, uint32_t n_from, grouped *to, uint32_t n_to)
{
    table t = {.from = from, .to = to, .n_from = n_from, .n_to = n_to};
    for (uint32_t i = n_from + 1; i-- > 0;)
        for (uint32_t j = n_to + 1; j-- > 0;)
            fill(&t, i, j);
    if (t.cells[0][0].score == NEVER)
        return;
    for (uint32_t i = 0, j = 0; i < n_from || j < n_to;) {
        const cell c = t.cells[i][j];
        grouped *missing = NULL;
        int64_t have = 1, known = 1;
        bool alone = true;
        for (uint32_t k = i; k < c.i; k++)
            have *= from[k].extent; /* fits: try_ends formed it */
        for (uint32_t k = j; k < c.j; k++) {
            known *= to[k].extent < 0 ? 1 : to[k].extent;
            alone = alone && !(to[k].extent < 0 && missing);
            missing = to[k].extent < 0 ? &to[k] : missing;
        }
        if (missing && alone)
            missing->extent = have / known;
        i = c.i;
        j = c.j;
    }
}
