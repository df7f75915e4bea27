/* Random programs of the planner's tests, as files. */
#ifndef TEST_EQUALITY_DRAWN_H
#define TEST_EQUALITY_DRAWN_H

#include <stdbool.h>
#include <stdint.h>

/* Program SEED, of every kind of test/unit/graph_random*.h, as the text of PTIR at PATH. False
 * where it has no such text. */
bool drawn_write(uint64_t seed, const char *path);

#endif
