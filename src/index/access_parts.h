/* What the files that make access maps share: expressions under construction. */
#ifndef INDEX_ACCESS_PARTS_H
#define INDEX_ACCESS_PARTS_H

#include "index/access.h"

enum { MAX_TERMS = 64 };

typedef struct access_sum {
    int64_t constant, constant_other;
    uint32_t n;
    access_term at[MAX_TERMS];
    bool fits;
} access_sum;

access_sum access_sum_of(sized constant);
/* FACTOR times E more; NULL, and what overflows, makes the sum unfit. */
void access_add(access_sum *s, const access_expr *e, sized factor);
const access_expr *access_finish(access_sum *s, arena *memory);
const access_expr *access_constant(int64_t value, arena *memory);
/* CONSTANT + FACTOR * axis AXIS, of EXTENT. */
const access_expr *access_axis_at(uint32_t axis, int64_t extent, int64_t factor, int64_t constant,
                                  arena *memory);
/* E // BY, or E % BY. */
const access_expr *access_divide(const access_expr *e, sized by, bool remainder, arena *memory);
/* A map without expressions yet; false where an extent is 0. */
bool access_start(const int64_t *dims, uint32_t rank, uint32_t n_source, access_map *map);

#endif
