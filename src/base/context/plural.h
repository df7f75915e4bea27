/* The ends of words in messages that count things. */
#ifndef BASE_CONTEXT_PLURAL_H
#define BASE_CONTEXT_PLURAL_H

#include <stdint.h>

/* What stands behind a noun of N things. */
static inline const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* Likewise for other endings: "ax%s", "is", "es". */
static inline const char *plural_as(uint64_t n, const char *one, const char *more)
{
    return n == 1 ? one : more;
}

#endif
