/* The portable and the vector form of the contraction loops give the same bits. The file under test
 * is included under other names, because its forms are its own business. */
#define chain_run chain_run_again
#define contract contract_again
#include "eval/parts/chain.c"

#include "ops_case.h"

enum { M = 11, N = 150, K = 77 };

static float a32[M * K], b32[K * N], fast32[M * N], slow32[M * N];
static double a64[M * K], b64[K * N], fast64[M * N], slow64[M * N];

static void check_columns(size_t n)
{
    const void *a[K], *b[K];
    chain_block block = {a, b, K, K};
    for (size_t k = 0; k < K; k++) {
        a[k] = a32 + k;
        b[k] = b32 + k * n;
    }
    for (int first = 1; first >= 0; first--) {
        f32_avx2(&block, M, n, fast32, n, first);
        f32_portable(&block, M, n, slow32, n, first);
    }
    CHECK(same_f32(fast32, slow32, M * n));
    for (size_t k = 0; k < K; k++) {
        a[k] = a64 + k;
        b[k] = b64 + k * n;
    }
    for (int first = 1; first >= 0; first--) {
        f64_avx2(&block, M, n, fast64, n, first);
        f64_portable(&block, M, n, slow64, n, first);
    }
    CHECK(memcmp(fast64, slow64, M * n * sizeof *fast64) == 0);
}

int main(void)
{
    uint64_t seed = 7;
    random_f32(&seed, a32, M * K);
    random_f32(&seed, b32, K * N);
    for (size_t i = 0; i < M * K; i++)
        a64[i] = random_real(&seed);
    for (size_t i = 0; i < K * N; i++)
        b64[i] = random_real(&seed);
    if (have_avx2())
        for (size_t n = 1; n <= N; n += n < 20 ? 1 : 43)
            check_columns(n);
    const chain_block nothing = {NULL, NULL, 0, 0};
    chain_run(TN_F32, &nothing, 0, 0, NULL, 0, true);
    CHECK(have_avx2() || !have_avx2());
    return check_result();
}
