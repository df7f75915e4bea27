/* Numbers that may depend on the symbolic sizes of a program. Beside what such a number is now
 * stands what it is with other sizes (function.like): where that is another one, it depends on
 * them. Arithmetic beside the numbers wraps around, so that it never fails: it decides nothing. */
#ifndef GRAPH_SIZED_H
#define GRAPH_SIZED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory/checked.h"

typedef struct sized {
    int64_t now, other;
} sized;

static inline int64_t other_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}
static inline int64_t other_mul(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}
/* A // BY, where that is defined. */
static inline int64_t other_div(int64_t a, int64_t by)
{
    return by <= 0 ? a : floor_i64(a, by);
}

/* A number of the program. */
static inline sized sized_of(int64_t x)
{
    return (sized){x, x};
}
static inline bool sized_is_fixed(sized x)
{
    return x.now == x.other;
}
/* X, which depends on the sizes, even if it is the same with those that are looked at. */
static inline sized sized_apart(sized x)
{
    return (sized){x.now, x.now == x.other ? ~x.other : x.other};
}
/* What is known not to overflow. */
static inline sized sized_add(sized a, sized b)
{
    return (sized){a.now + b.now, other_add(a.other, b.other)};
}
static inline sized sized_mul(sized a, sized b)
{
    return (sized){a.now * b.now, other_mul(a.other, b.other)};
}
/* A // B of numbers that are not negative. */
static inline sized sized_div(sized a, sized b)
{
    return (sized){a.now / b.now, other_div(a.other, b.other)};
}

#endif
