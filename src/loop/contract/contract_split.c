/* The rows of a contraction, cut into blocks. */
#include "loop/contract/contract_parts.h"

/* The blocks of fewer rows than half of the most. */
static void split_few(problem *p, int64_t extent)
{
    enum { FEW = 3, WIDE = 2 };
    p->few = p->least - 1 < FEW ? p->least - 1 : FEW;
    const bool can_be_wide = p->spec.b_is_constant && !p->is_stage && !p->has_dynamic_n;
    p->sides = can_be_wide && p->few > 0 && p->n > columns_of(p) ? WIDE : 1;
    p->side_now = 1;
    if (extent < p->least) {
        p->split = (extent + p->few - 1) / p->few;
        p->base = extent / p->split;
        p->longer = extent % p->split;
        p->side_now = p->sides;
    }
    p->panels = (panels_of(p) + p->side_now - 1) / p->side_now;
}

/* Blocks for an axis AXIS with a dynamic extent, which is EXTENT now: of any height from half of
 * MOST units on. Extents up to MOST are one block of exactly that height, unless the code is for
 * any number of rows. */
static void split_dynamic(problem *p, int64_t extent, int64_t most, uint32_t axis)
{
    const uint32_t outer = (UINT32_C(1) << axis) - 1;
    const bool is_dynamic = p->a_m.n > 0 && (p->a_m.dynamic >> axis & 1);
    p->least = p->few = 0;
    p->sides = p->side_now = 1;
    p->is_dynamic = is_dynamic || (p->a_m.dynamic & outer);
    if (!is_dynamic || (extent <= most && !p->has_any_rows) || most < 2)
        return;
    p->least = (most + 1) / 2;
    p->most = most;
    if (p->has_any_rows)
        split_few(p, extent);
}

/* The units that are computed twice where EXTENT is cut into blocks of MOST units or one less, all
 * of which are computed as high as the highest. */
static int64_t repeated(int64_t extent, int64_t most)
{
    const int64_t split = (extent + most - 1) / most, longer = extent % split;
    return longer > 0 ? split - longer : 0;
}

/* How many units are in a block at most: MOST, or one less if few are computed twice then. Code for
 * one height takes half the time to compile of that for two. */
static int64_t choose_height(problem *p, int64_t extent, int64_t most)
{
    enum { FEW = 48, HIGH = 8 };
    const bool packs_blocks = p->is_tiled && p->tiles.packs_a;
    const bool can = !packs_blocks && !p->spec.a_in_scratch && p->a_m.dynamic == 0;
    const int64_t least = most < HIGH ? most : most - 1;
    for (int64_t n = most; can && n >= least; n--)
        if (repeated(extent, n) * FEW <= extent) {
            p->has_one_height = true;
            return n;
        }
    return most;
}

void contract_split_rows(problem *p, int64_t rows)
{
    const walk *w = &p->a_m;
    uint32_t axis = w->n;
    int64_t extent = 1;
    p->unit = 1;
    if (axis > 0)
        extent = w->extent[--axis];
    while (axis > 0 && extent * p->unit <= rows &&
           !(p->has_any_rows && p->a_m.dynamic >> axis & 1)) {
        p->unit *= extent;
        extent = w->extent[--axis];
    }
    if (p->at_once < rows && p->unit == 1 && extent > rows && extent % p->at_once == 0) {
        p->unit = p->at_once; /* blocks are whole squares, but for one */
        extent /= p->unit;
    }
    int64_t most = rows / p->unit;
    most = most < 1 ? 1 : most;
    p->has_one_height = false;
    most = choose_height(p, extent, most);
    p->split = (extent + most - 1) / most;
    p->base = extent / p->split;
    p->longer = extent % p->split;
    p->outer = p->m / (extent * p->unit);
    split_dynamic(p, extent, most, axis);
}

int64_t most_rows(const problem *p)
{
    return (p->least > 0 ? p->most : p->base + (p->longer > 0)) * p->unit;
}
