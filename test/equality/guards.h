/* Memory with guard pages beside it, which end a call that touches them. Needs nothing of the
 * library, so other machines can have it. */
#ifndef TEST_GUARDS_H
#define TEST_GUARDS_H

#include <stdbool.h>
#include <stddef.h>

/* Memory between guard pages, taken piece by piece and given back at once. */
typedef struct guards {
    char *at;
    size_t bytes, used, page;
    bool at_end; /* pieces end where the page behind them begins; else they begin with a page */
} guards;

bool guards_init(guards *g);
void guards_release(guards *g);
/* BYTES at a multiple of ALIGN, as near to a guard page as that allows, full of odd numbers. NULL:
 * there is no room. */
char *guards_take(guards *g, size_t bytes, size_t align);
void guards_clear(guards *g);

/* Call F on USER; false when it touches a guard page or other memory that is not there. Not from F
 * again. */
bool guards_call(void (*f)(void *user), void *user);

#endif
