/* One block of a contraction: chains of fused multiply-adds over up to CONTRACT_BLOCK products, for
 * a rectangle of results at once. The order within a result never depends on the rectangle. */
#ifndef EVAL_PARTS_CHAIN_H
#define EVAL_PARTS_CHAIN_H

#include "eval/parts/eval_call.h"

/* a(i, k) is element i * a_step of a[k], b(k, j) is element j of b[k]; all of one dtype that
 * computes in itself (4-bit integers count as 8-bit ones and are left modulo 256). */
typedef struct chain_block {
    const void *const *a;
    const void *const *b;
    size_t n_k; /* 1 .. CONTRACT_BLOCK */
    int64_t a_step;
} chain_block;

/* The chains for i < M, j < N: each starts from +0 and takes k in order; integers wrap; a complex
 * chain takes for each k the products re*re, -im*im for its real part, re*im, im*re for the other.
 * TOTAL, with PITCH elements from row to row, is set to them (FIRST) or has them added. */
void chain_run(tn_dtype d, const chain_block *block, size_t m, size_t n, void *total, size_t pitch,
               bool first);

/* A whole contraction of M x N results over K products, given that contraction's blocks: `rows`
 * fills the pointers of products START .. START + n_k - 1. K = 0 gives zeros. Fails only with
 * Timeout.
 */
typedef struct contraction contraction;
struct contraction {
    tn_dtype dtype; /* of the operands as the chains see them */
    int64_t k;
    int64_t a_step;
    void (*rows)(const contraction *c, int64_t start, size_t n_k, const void **a, const void **b);
    const void *user;
    const eval_call *call; /* whose time it takes */
};
tn_status contract(const contraction *c, size_t m, size_t n, void *total, size_t pitch);

/* The same for matrices of D without gaps: TOTAL[M, N] is A[M, K] times B[K, N]. */
tn_status contract_matrices(const eval_call *call, tn_dtype d, const char *a, const char *b,
                            size_t m, size_t n, size_t k, void *total);

#endif
