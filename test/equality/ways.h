/* The ways in which a program is run: levels of -O, processors that this one can stand for,
 * optimised and baseline code. */
#ifndef TEST_EQUALITY_WAYS_H
#define TEST_EQUALITY_WAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many processors there are, and their names; that of this one is NULL. */
size_t ways_cpus(void);
const char *ways_cpu(size_t number);

/* Which ways are taken: all of them; or, since LLVM takes nearly all the time, one for each width
 * of vectors, from which kernels are made: for one of the processors that have it, at one of the
 * levels, and one kind of code. Which one goes on with SEED: so a dozen programs in a row take all
 * of them. */
typedef struct ways {
    const char *levels; /* digits, each once */
    bool is_spread;
    uint64_t seed;
} ways;

bool ways_has_level(const ways *w, int level);
bool ways_takes(const ways *w, int level, size_t cpu, bool is_baseline);

#endif
