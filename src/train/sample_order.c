/* The order of samples and the seeds of leaves, as functions of position alone. */
#include "tenon/train.h"

/* A well-mixed function of 64 bits that can be inverted (Stafford's thirteenth variant of the
 * finaliser of MurmurHash3), so that different words stay different. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return x ^ x >> 31;
}

static uint64_t key_of(uint64_t seed, uint64_t a, uint64_t b)
{
    const uint64_t golden = 0x9e3779b97f4a7c15U;
    return mix(mix(mix(seed + golden) + a + golden) + b + golden);
}

uint64_t tn_leaf_seed(uint64_t seed, uint64_t step, uint64_t leaf)
{
    return key_of(~seed, step, leaf);
}

/* A permutation of the numbers of 2 * BITS bits: a Feistel network of eight rounds. */
static uint64_t permute(uint64_t key, unsigned bits, uint64_t x)
{
    enum { ROUNDS = 8 };
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    uint64_t left = x >> bits, right = x & mask;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        const uint64_t next = left ^ (mix(right + key + mix(round + 1)) & mask);
        left = right;
        right = next;
    }
    return left << bits | right;
}

/* Positions that lead out of 0..N-1 are followed until they lead back: fewer than four times in the
 * mean, since the network has at most 4 N numbers. */
uint64_t tn_sample_order(uint64_t seed, uint64_t epoch, uint64_t n, uint64_t position)
{
    unsigned bits = 1;
    if (position >= n)
        return 0;
    while (bits < 32 && UINT64_C(1) << (2 * bits) < n)
        bits++;
    const uint64_t key = key_of(seed, epoch, n);
    uint64_t x = position;
    do
        x = permute(key, bits, x);
    while (x >= n);
    return x;
}
