/* Hashing of bytes, and an open-addressing index from hashes to 32-bit numbers. */
#ifndef BASE_MEMORY_HASH_H
#define BASE_MEMORY_HASH_H

#include <string.h>

#include "base/memory/memory.h"
#include "base/memory/wide.h"

#define HASH_NONE UINT32_MAX

static inline uint64_t hash_mix(uint64_t h, uint64_t word)
{
    const wide128 product =
        wide_multiply(h ^ word ^ UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xd6e8feb86659fd93));
    return product.low ^ product.high;
}

/* The finaliser of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
 * 2014), which can be inverted: different words stay different. Documented results depend on it. */
static inline uint64_t hash_splitmix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

/* Hash of N bytes, chained on H. Deterministic on every machine of the same byte order. */
static inline uint64_t hash_bytes(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t word;

    h = hash_mix(h, n);
    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&word, p, 8);
        h = hash_mix(h, word);
    }
    word = 0;
    if (n)
        memcpy(&word, p, n);
    return hash_mix(h, word);
}

/* The index stores (hash, number) pairs; the caller compares what the numbers stand for:
 *
 *     for (uint32_t p = hash_first(&ix, h), i; (i = hash_at(&ix, h, &p)) != HASH_NONE;)
 *         if (same(items[i], key))
 *             return i;
 *     hash_add(alloc, &ix, h, n_items);
 */
typedef struct hash_slot {
    uint32_t hash;
    uint32_t number; /* HASH_NONE marks a free slot */
} hash_slot;

typedef struct hash_index {
    hash_slot *slots;
    uint32_t cap; /* a power of two, or 0 */
    uint32_t n;
} hash_index;

static inline uint32_t hash_first(const hash_index *ix, uint64_t h)
{
    return ix->cap ? (uint32_t)h & (ix->cap - 1) : 0;
}

/* The next number stored under hash H at or after slot *P, or HASH_NONE. */
static inline uint32_t hash_at(const hash_index *ix, uint64_t h, uint32_t *p)
{
    if (!ix->cap)
        return HASH_NONE;
    for (;;) {
        const hash_slot *slot = &ix->slots[*p];
        *p = (*p + 1) & (ix->cap - 1);
        if (slot->number == HASH_NONE || slot->hash == (uint32_t)(h >> 32))
            return slot->number;
    }
}

/* Store NUMBER under H; false when there is no memory. */
bool hash_add(const tn_allocator *a, hash_index *ix, uint64_t h, uint32_t number);
/* Append ITEM to the vector V and store its number under H in IX; false, and neither is done, when
 * there is no memory. */
#define VECTOR_PUSH_INDEXED(alloc, v, item, ix, h)                                                 \
    (VECTOR_PUSH((alloc), (v), (item)) &&                                                          \
     (hash_add((alloc), (ix), (h), (v)->n - 1) || ((v)->n--, false)))
/* Make room for N entries in all. */
bool hash_reserve(const tn_allocator *a, hash_index *ix, uint32_t n);
void hash_clear(hash_index *ix);
void hash_release(const tn_allocator *a, hash_index *ix);

#endif
