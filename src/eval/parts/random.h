/* Philox 4x32-10: random words as a function of a position, so that any element of any tensor can
 * be made on its own. Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3". */
#ifndef EVAL_PARTS_RANDOM_H
#define EVAL_PARTS_RANDOM_H

#include <stdint.h>

typedef struct philox {
    uint32_t word[4];
} philox;

/* The words at POSITION of stream STREAM of group GROUP under SEED. */
static inline philox philox_at(uint64_t seed, uint32_t group, uint32_t stream, uint64_t position)
{
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    philox c = {{(uint32_t)position, (uint32_t)(position >> 32), stream, group}};
    for (int round = 0; round < 10; round++) {
        const uint64_t a = (uint64_t)0xd2511f53u * c.word[0];
        const uint64_t b = (uint64_t)0xcd9e8d57u * c.word[2];
        c = (philox){{(uint32_t)(b >> 32) ^ c.word[1] ^ key[0], (uint32_t)b,
                      (uint32_t)(a >> 32) ^ c.word[3] ^ key[1], (uint32_t)a}};
        key[0] += 0x9e3779b9u;
        key[1] += 0xbb67ae85u;
    }
    return c;
}

#endif
