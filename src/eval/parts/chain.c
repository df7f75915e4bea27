/* Chains of fused multiply-adds. The same loops are compiled a second time for AVX2 with FMA; a
 * fused multiply-add is exact either way, so both give the same bits. */
#include "eval/parts/chain.h"

#include <math.h>
#include <string.h>

enum {
    COLUMNS = 128, /* chains of one row that are advanced together */
    ROWS = 8       /* rows taken together when there are few columns */
};

#define INLINE static inline __attribute__((always_inline))

#define FMA_F32(a, b, c) fmaf(a, b, c)
#define FMA_F64(a, b, c) fma(a, b, c)
#define FMA_INT(a, b, c) ((a) * (b) + (c))

/* Chains of one row for columns j0 .. j0 + n - 1, kept in P. Four products at a time save loads and
 * stores; each chain still adds them one by one. WIDE is the type of the products. */
#define CHAIN(name, type, wide, FMA)                                                               \
    INLINE void name##_row(const chain_block *c, size_t i, size_t j0, size_t n, type *restrict p)  \
    {                                                                                              \
        const int64_t at = (int64_t)i * c->a_step;                                                 \
        size_t k = 0;                                                                              \
        for (size_t j = 0; j < n; j++)                                                             \
            p[j] = 0;                                                                              \
        for (; k + 4 <= c->n_k; k += 4) {                                                          \
            const wide a0 = ((const type *)c->a[k])[at], a1 = ((const type *)c->a[k + 1])[at];     \
            const wide a2 = ((const type *)c->a[k + 2])[at], a3 = ((const type *)c->a[k + 3])[at]; \
            const type *b0 = (const type *)c->b[k] + j0, *b1 = (const type *)c->b[k + 1] + j0;     \
            const type *b2 = (const type *)c->b[k + 2] + j0, *b3 = (const type *)c->b[k + 3] + j0; \
            for (size_t j = 0; j < n; j++)                                                         \
                p[j] = (type)FMA(                                                                  \
                    a3, (wide)b3[j],                                                               \
                    FMA(a2, (wide)b2[j], FMA(a1, (wide)b1[j], FMA(a0, (wide)b0[j], p[j]))));       \
        }                                                                                          \
        for (; k < c->n_k; k++) {                                                                  \
            const wide a0 = ((const type *)c->a[k])[at];                                           \
            const type *b0 = (const type *)c->b[k] + j0;                                           \
            for (size_t j = 0; j < n; j++)                                                         \
                p[j] = (type)FMA(a0, (wide)b0[j], p[j]);                                           \
        }                                                                                          \
    }                                                                                              \
    /* The chains of ROWS rows of one column. */                                                   \
    INLINE void name##_column(const chain_block *c, size_t i, size_t j, type *restrict p)          \
    {                                                                                              \
        const int64_t at = (int64_t)i * c->a_step;                                                 \
        for (size_t r = 0; r < ROWS; r++)                                                          \
            p[r] = 0;                                                                              \
        for (size_t k = 0; k < c->n_k; k++) {                                                      \
            const type *a = (const type *)c->a[k] + at;                                            \
            const wide b = ((const type *)c->b[k])[j];                                             \
            for (size_t r = 0; r < ROWS; r++)                                                      \
                p[r] = (type)FMA((wide)a[(int64_t)r * c->a_step], b, p[r]);                        \
        }                                                                                          \
    }                                                                                              \
    INLINE void name##_body(const chain_block *c, size_t m, size_t n, void *to, size_t pitch,      \
                            bool first)                                                            \
    {                                                                                              \
        type p[COLUMNS];                                                                           \
        type *total = to;                                                                          \
        size_t i = 0;                                                                              \
        for (; n < ROWS && i + ROWS <= m; i += ROWS)                                               \
            for (size_t j = 0; j < n; j++) {                                                       \
                name##_column(c, i, j, p);                                                         \
                for (size_t r = 0; r < ROWS; r++) {                                                \
                    type *t = total + (i + r) * pitch + j;                                         \
                    *t = first ? p[r] : (type)(*t + p[r]);                                         \
                }                                                                                  \
            }                                                                                      \
        for (size_t j0 = 0; j0 < n; j0 += COLUMNS) {                                               \
            const size_t count = n - j0 < COLUMNS ? n - j0 : COLUMNS;                              \
            for (size_t r = i; r < m; r++) {                                                       \
                type *t = total + r * pitch + j0;                                                  \
                name##_row(c, r, j0, count, p);                                                    \
                for (size_t j = 0; j < count; j++)                                                 \
                    t[j] = first ? p[j] : (type)(t[j] + p[j]);                                     \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void name##_portable(const chain_block *c, size_t m, size_t n, void *to, size_t pitch,  \
                                bool first)                                                        \
    {                                                                                              \
        name##_body(c, m, n, to, pitch, first);                                                    \
    }

CHAIN(f32, float, float, FMA_F32)
CHAIN(f64, double, double, FMA_F64)
CHAIN(u8, uint8_t, uint32_t, FMA_INT)
CHAIN(u16, uint16_t, uint32_t, FMA_INT)
CHAIN(u32, uint32_t, uint32_t, FMA_INT)
CHAIN(u64, uint64_t, uint64_t, FMA_INT)

#if defined(__x86_64__)
#define VECTOR_FORM(name)                                                                          \
    __attribute__((target("avx2,fma"))) static void name##_avx2(                                   \
        const chain_block *c, size_t m, size_t n, void *to, size_t pitch, bool first)              \
    {                                                                                              \
        name##_body(c, m, n, to, pitch, first);                                                    \
    }
VECTOR_FORM(f32)
VECTOR_FORM(f64)
VECTOR_FORM(u8)
VECTOR_FORM(u16)
VECTOR_FORM(u32)
VECTOR_FORM(u64)

static bool have_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
#define f32_avx2 f32_portable
#define f64_avx2 f64_portable
#define u8_avx2 u8_portable
#define u16_avx2 u16_portable
#define u32_avx2 u32_portable
#define u64_avx2 u64_portable
static bool have_avx2(void)
{
    return false;
}
#endif

#define COMPLEX_CHAIN(name, type, FMA)                                                             \
    static void name(const chain_block *c, size_t m, size_t n, void *to, size_t pitch, bool first) \
    {                                                                                              \
        for (size_t i = 0; i < m; i++)                                                             \
            for (size_t j = 0; j < n; j++) {                                                       \
                type re = 0, im = 0;                                                               \
                type *t = (type *)to + 2 * (i * pitch + j);                                        \
                for (size_t k = 0; k < c->n_k; k++) {                                              \
                    const type *a = (const type *)c->a[k] + 2 * (ptrdiff_t)i * c->a_step;          \
                    const type *b = (const type *)c->b[k] + 2 * j;                                 \
                    re = FMA(-a[1], b[1], FMA(a[0], b[0], re));                                    \
                    im = FMA(a[1], b[0], FMA(a[0], b[1], im));                                     \
                }                                                                                  \
                t[0] = first ? re : t[0] + re;                                                     \
                t[1] = first ? im : t[1] + im;                                                     \
            }                                                                                      \
    }
COMPLEX_CHAIN(cf32_chain, float, FMA_F32)
COMPLEX_CHAIN(cf64_chain, double, FMA_F64)

void chain_run(tn_dtype d, const chain_block *block, size_t m, size_t n, void *total, size_t pitch,
               bool first)
{
    const bool fast = have_avx2();
    switch ((int)d) {
    case TN_SI4:
    case TN_UI4:
    case TN_SI8:
    case TN_UI8:
        (fast ? u8_avx2 : u8_portable)(block, m, n, total, pitch, first);
        break;
    case TN_SI16:
    case TN_UI16:
        (fast ? u16_avx2 : u16_portable)(block, m, n, total, pitch, first);
        break;
    case TN_SI32:
    case TN_UI32:
        (fast ? u32_avx2 : u32_portable)(block, m, n, total, pitch, first);
        break;
    case TN_SI64:
    case TN_UI64:
        (fast ? u64_avx2 : u64_portable)(block, m, n, total, pitch, first);
        break;
    case TN_F32:
        (fast ? f32_avx2 : f32_portable)(block, m, n, total, pitch, first);
        break;
    case TN_F64:
        (fast ? f64_avx2 : f64_portable)(block, m, n, total, pitch, first);
        break;
    case TN_CF32:
        cf32_chain(block, m, n, total, pitch, first);
        break;
    case TN_CF64:
        cf64_chain(block, m, n, total, pitch, first);
        break;
    }
}

/* One block, in groups of columns small enough that the clock is checked often. */
static tn_status run_columns(const contraction *c, chain_block *block, const void **b, size_t m,
                             size_t n, char *total, size_t pitch, bool first)
{
    enum { AT_ONCE = 1 << 22, COMPLEX = 8, LEAST = 64 }; /* products, their cost, columns */
    const size_t size = dtype_bytes(c->dtype), cost = dtype_is_complex(c->dtype) ? COMPLEX : 1;
    const size_t fit = AT_ONCE / cost / (m * block->n_k + 1);
    const size_t step = fit / LEAST > 0 ? fit / LEAST * LEAST : LEAST;
    for (size_t j = 0, count; j < n; j += count) {
        count = n - j < step ? n - j : step;
        TN_TRY(eval_tick(c->call, (uint64_t)m * count * block->n_k * cost));
        chain_run(c->dtype, block, m, count, total + j * size, pitch, first);
        for (size_t k = 0; j + count < n && k < block->n_k; k++)
            b[k] = (const char *)b[k] + count * size;
    }
    return TN_OK;
}

tn_status contract(const contraction *c, size_t m, size_t n, void *total, size_t pitch)
{
    const void *a[CONTRACT_BLOCK], *b[CONTRACT_BLOCK];
    const size_t size = dtype_bytes(c->dtype);
    for (size_t i = 0; c->k == 0 && i < m; i++) {
        TN_TRY(eval_tick(c->call, n));
        memset((char *)total + i * pitch * size, 0, n * size);
    }
    for (int64_t start = 0; start < c->k; start += CONTRACT_BLOCK) {
        const int64_t left = c->k - start;
        chain_block block = {.a = a,
                             .b = b,
                             .n_k = left < CONTRACT_BLOCK ? (size_t)left : CONTRACT_BLOCK,
                             .a_step = c->a_step};
        c->rows(c, start, block.n_k, a, b);
        TN_TRY(run_columns(c, &block, b, m, n, total, pitch, start == 0));
    }
    return TN_OK;
}

typedef struct matrices {
    const char *a, *b;
    size_t a_row, b_row; /* bytes from k to k + 1 */
} matrices;

static void matrix_rows(const contraction *c, int64_t start, size_t n_k, const void **a,
                        const void **b)
{
    const matrices *m = c->user;
    for (size_t k = 0; k < n_k; k++) {
        a[k] = m->a + ((size_t)start + k) * m->a_row;
        b[k] = m->b + ((size_t)start + k) * m->b_row;
    }
}

tn_status contract_matrices(const eval_call *call, tn_dtype d, const char *a, const char *b,
                            size_t m, size_t n, size_t k, void *total)
{
    const size_t size = dtype_bytes(d);
    const matrices at = {a, b, size, n * size};
    const contraction c = {.dtype = d,
                           .k = (int64_t)k,
                           .a_step = (int64_t)k,
                           .rows = matrix_rows,
                           .user = &at,
                           .call = call};
    return contract(&c, m, n, total, n);
}
