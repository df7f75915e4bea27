/* SHA-256 (FIPS 180-4), by which two files can be told equal. */
#ifndef TRAIN_SHA256_H
#define TRAIN_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct sha256 {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64];
} sha256;

void sha256_init(sha256 *h);
void sha256_add(sha256 *h, const void *bytes, size_t n);
/* The digest in hexadecimal. */
void sha256_end(sha256 *h, char out[65]);

#endif
