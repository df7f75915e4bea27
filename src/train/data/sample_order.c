/* The order of samples and the seeds of leaves, as functions of position alone. */
#include "tenon/train.h"

#include "base/memory/hash.h"

static uint64_t key_of(uint64_t seed, uint64_t a, uint64_t b)
{
    const uint64_t golden = 0x9e3779b97f4a7c15U;
    return hash_splitmix(hash_splitmix(hash_splitmix(seed + golden) + a + golden) + b + golden);
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
        const uint64_t next = left ^ (hash_splitmix(right + key + hash_splitmix(round + 1)) & mask);
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
