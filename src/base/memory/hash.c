/* An open-addressing index from hashes to 32-bit numbers. */
#include "base/memory/hash.h"

enum { HASH_FIRST_CAP = 16 };

/* Slots are chosen by the low half of the hash and compared by the high half; growing needs the
 * low half again, so it is kept beside the slots. */
static size_t table_bytes(uint32_t cap)
{
    return (size_t)cap * (sizeof(hash_slot) + sizeof(uint32_t));
}

static uint32_t *lows(const hash_index *ix)
{
    return (uint32_t *)(void *)(ix->slots + ix->cap);
}

static void put(hash_index *ix, uint32_t low, uint32_t high, uint32_t number)
{
    uint32_t p = low & (ix->cap - 1);
    while (ix->slots[p].number != HASH_NONE)
        p = (p + 1) & (ix->cap - 1);
    ix->slots[p] = (hash_slot){high, number};
    lows(ix)[p] = low;
    ix->n++;
}

static bool resize(const tn_allocator *a, hash_index *ix, uint32_t cap)
{
    hash_index bigger = {memory_alloc(a, table_bytes(cap)), cap, 0};
    if (!bigger.slots)
        return false;
    memset(bigger.slots, 0xff, (size_t)cap * sizeof(hash_slot));
    for (uint32_t i = 0; i < ix->cap; i++)
        if (ix->slots[i].number != HASH_NONE)
            put(&bigger, lows(ix)[i], ix->slots[i].hash, ix->slots[i].number);
    hash_release(a, ix);
    *ix = bigger;
    return true;
}

bool hash_reserve(const tn_allocator *a, hash_index *ix, uint32_t n)
{
    uint32_t cap = ix->cap ? ix->cap : HASH_FIRST_CAP;
    if (n > UINT32_MAX / 4)
        return false;
    while (cap - cap / 4 < n)
        cap *= 2;
    return cap == ix->cap || resize(a, ix, cap);
}

bool hash_add(const tn_allocator *a, hash_index *ix, uint64_t h, uint32_t number)
{
    if (ix->n + 1 > ix->cap - ix->cap / 4 && !hash_reserve(a, ix, ix->n + 1))
        return false;
    put(ix, (uint32_t)h, (uint32_t)(h >> 32), number);
    return true;
}

void hash_clear(hash_index *ix)
{
    if (ix->cap)
        memset(ix->slots, 0xff, (size_t)ix->cap * sizeof(hash_slot));
    ix->n = 0;
}

void hash_release(const tn_allocator *a, hash_index *ix)
{
    memory_free(a, ix->slots, table_bytes(ix->cap));
    *ix = (hash_index){0};
}
