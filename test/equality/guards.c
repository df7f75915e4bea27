#define _DEFAULT_SOURCE
#include "guards.h"

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- memory ---- */

enum { ODD = 0xa5 }; /* as a float small, as an index far out */
static const size_t RESERVED = (size_t)1 << 32;

bool guards_init(guards *g)
{
    *g = (guards){.bytes = RESERVED, .page = (size_t)sysconf(_SC_PAGESIZE), .at_end = true};
    g->at = mmap(NULL, RESERVED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return g->at != MAP_FAILED;
}

void guards_release(guards *g)
{
    if (g->at && g->at != MAP_FAILED)
        (void)munmap(g->at, g->bytes);
}

char *guards_take(guards *g, size_t bytes, size_t align)
{
    const size_t room = (bytes + align + g->page - 1) / g->page * g->page;
    char *first = g->at + g->used + g->page;
    if (room + 2 * g->page > g->bytes - g->used || mprotect(first, room, PROT_READ | PROT_WRITE))
        return NULL;
    g->used += room + g->page; /* the next guard page lies behind */
    memset(first, ODD, room);
    return g->at_end ? first + (room - bytes) / align * align : first;
}

void guards_clear(guards *g)
{
    if (g->used)
        (void)mmap(g->at, g->used, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    g->used = 0;
}

/* ---- faults ---- */

static sigjmp_buf way_out;

static void leave(int number)
{
    siglongjmp(way_out, number);
}

bool guards_call(void (*f)(void *user), void *user)
{
    const struct sigaction ours = {.sa_handler = leave};
    struct sigaction before[2];
    (void)sigaction(SIGSEGV, &ours, &before[0]);
    (void)sigaction(SIGBUS, &ours, &before[1]);
    const bool ok = sigsetjmp(way_out, 1) == 0;
    if (ok)
        f(user);
    (void)sigaction(SIGSEGV, &before[0], NULL);
    (void)sigaction(SIGBUS, &before[1], NULL);
    return ok;
}
