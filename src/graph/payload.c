/* Shared constant data. */
#include "graph/payload.h"

#include <stdatomic.h>
#include <stdint.h>

#include "base/system/huge_pages.h"

enum { ALIGN = 64 };

struct payload {
    tn_allocator allocator;
    size_t block_bytes; /* of this, with the data where that is our own */
    payload *whole;     /* that this is a part of, or NULL */
    atomic_uint holders;
};

static payload *make(const tn_allocator *a, size_t room)
{
    payload *p = memory_alloc(a, sizeof *p + room);
    if (!p)
        return NULL;
    p->allocator = *a;
    p->block_bytes = sizeof *p + room;
    p->whole = NULL;
    atomic_init(&p->holders, 1);
    return p;
}

static payload *make_aligned(const tn_allocator *a, size_t bytes, size_t align, void **data)
{
    payload *p = bytes > SIZE_MAX / 2 ? NULL : make(a, bytes + align);
    if (!p)
        return NULL;
    char *at = (char *)(p + 1);
    *data = at + (-(uintptr_t)at & (align - 1));
    return p;
}

payload *payload_new(const tn_allocator *allocator, size_t bytes, void **data)
{
    return make_aligned(allocator, bytes, ALIGN, data);
}

payload *payload_large(const tn_allocator *allocator, size_t bytes, void **data)
{
    payload *p = make_aligned(allocator, bytes, huge_page_align(bytes, ALIGN), data);
    if (p)
        (void)in_huge_pages(*data, bytes);
    return p;
}

payload *payload_of_others(const tn_allocator *allocator)
{
    return make(allocator, 0);
}

payload *payload_part(payload *whole)
{
    payload *p = make(&whole->allocator, 0);
    if (!p)
        return NULL;
    payload_hold(whole);
    p->whole = whole;
    return p;
}

void payload_hold(payload *p)
{
    (void)atomic_fetch_add_explicit(&p->holders, 1, memory_order_relaxed);
}

void payload_drop(payload *p)
{
    while (p && atomic_fetch_sub_explicit(&p->holders, 1, memory_order_acq_rel) == 1) {
        payload *whole = p->whole;
        const tn_allocator a = p->allocator;
        memory_free(&a, p, p->block_bytes);
        p = whole;
    }
}

bool payload_is_shared(const payload *p)
{
    return atomic_load_explicit(&p->holders, memory_order_acquire) > 1;
}
