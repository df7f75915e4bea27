/* Running kernels between guard pages: each operand, result and scratch memory of each call has
 * pages beside it that end the run when they are touched. */
#ifndef TEST_GUARDED_H
#define TEST_GUARDED_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/tape_parts.h"

/* Memory between guard pages, taken piece by piece and given back at once. */
typedef struct guarded {
    char *at;
    size_t bytes, used, page;
    bool at_end; /* pieces end where the page behind them begins; else they begin with a page */
} guarded;

bool guarded_init(guarded *g);
void guarded_release(guarded *g);
/* BYTES at a multiple of ALIGN, as near to a guard page as that allows, full of odd numbers. NULL:
 * there is no room. */
char *guarded_take(guarded *g, size_t bytes, size_t align);
void guarded_clear(guarded *g);

/* Call F on USER; false when it touches a guard page or other memory that is not there. Not from F
 * again. */
bool guarded_call(void (*f)(void *user), void *user);

/* What is wrong with a kernel, in a text of its own, or the empty one. */
typedef struct guarded_tape {
    guarded memory;
    bool in_pieces; /* kernels do their work item by item */
    char fault[256];
} guarded_tape;

/* Have all kernels of T, which nothing runs yet or any more in another way, called through G. What
 * this allocates lives as long as T. */
bool guarded_tape_init(guarded_tape *g, tape *t);

#endif
