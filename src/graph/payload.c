/* Shared constant data. */
#include "graph/payload.h"

#include <stdatomic.h>
#include <stdint.h>

enum { ALIGN = 64 };

struct payload {
    tn_allocator allocator;
    size_t block_bytes; /* of this, with the data where that is our own */
    atomic_uint holders;
};

static payload *make(const tn_allocator *a, size_t room)
{
    payload *p = memory_alloc(a, sizeof *p + room);
    if (!p)
        return NULL;
    p->allocator = *a;
    p->block_bytes = sizeof *p + room;
    atomic_init(&p->holders, 1);
    return p;
}

payload *payload_new(const tn_allocator *allocator, size_t bytes, void **data)
{
    payload *p = bytes > SIZE_MAX / 2 ? NULL : make(allocator, bytes + ALIGN);
    if (!p)
        return NULL;
    char *at = (char *)(p + 1);
    *data = at + (-(uintptr_t)at & (ALIGN - 1));
    return p;
}

payload *payload_of_others(const tn_allocator *allocator)
{
    return make(allocator, 0);
}

void payload_hold(payload *p)
{
    (void)atomic_fetch_add_explicit(&p->holders, 1, memory_order_relaxed);
}

void payload_drop(payload *p)
{
    if (!p || atomic_fetch_sub_explicit(&p->holders, 1, memory_order_acq_rel) != 1)
        return;
    const tn_allocator a = p->allocator;
    memory_free(&a, p, p->block_bytes);
}
