/* What the files that make access maps share: expressions under construction. */
#ifndef INDEX_ACCESS_PARTS_H
#define INDEX_ACCESS_PARTS_H

#include "index/access.h"

enum { MAX_TERMS = 64 };

static const sized ACCESS_ONE = {1, 1};

typedef struct access_sum {
    int64_t constant, constant_other;
    uint32_t n;
    access_term at[MAX_TERMS];
    bool fits;
} access_sum;

access_sum access_sum_of(sized constant);
/* FACTOR times X more. */
void access_add_constant(access_sum *s, sized x, sized factor);
/* FACTOR times E more; NULL, and what overflows, makes the sum unfit. */
void access_add(access_sum *s, const access_expr *e, sized factor);
const access_expr *access_finish(access_sum *s, arena *memory);
const access_expr *access_constant(int64_t value, arena *memory);
/* CONSTANT + FACTOR * axis AXIS, of EXTENT. */
const access_expr *access_axis_at(uint32_t axis, int64_t extent, int64_t factor, int64_t constant,
                                  arena *memory);
/* The same from 0, with sizes that depend on symbols. */
const access_expr *access_sized_axis(uint32_t axis, int64_t extent, sized factor, arena *memory);
/* E // BY, or E % BY. */
const access_expr *access_divide(const access_expr *e, sized by, bool remainder, arena *memory);
/* E with axis i replaced by AXES[i]. */
const access_expr *access_substitute(const access_expr *e, const access_expr *const *axes,
                                     arena *memory);
bool access_same_expr(const access_expr *a, const access_expr *b);
/* A map without expressions yet; false where an extent is 0. */
bool access_start(const int64_t *dims, uint32_t rank, uint32_t n_source, access_map *map);

#endif
