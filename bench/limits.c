/* What this machine can do at most, on one and on two threads: limits [SECONDS]
 *
 * Prints lines "NAME ONE TWO": multiply-adds of f32 in registers (operations a second), reading,
 * copying and a[i] = b[i] + s * c[i] in L2, L3 and memory (bytes a second, read and written, with
 * plain and with non-temporal stores), and the seconds of one round of a barrier between two
 * threads that spin. TWO is 0 on machines with one processor. */
#define _GNU_SOURCE
#include <immintrin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "contestant.h"

#define WIDE __attribute__((target("avx512f")))
#define NARROW __attribute__((target("avx2,fma")))

enum { L2_BYTES = 512 << 10, L3_BYTES = 12 << 20, MEMORY_BYTES = 384 << 20 };

typedef struct part {
    float *a;
    const float *b, *c;
    int64_t n; /* elements, a multiple of 64 */
    int64_t turns;
} part;

/* ---- kernels ---- */

WIDE static void fma_wide(const part *p)
{
    __m512 s[12], x = _mm512_set1_ps(0.5F);
    for (int i = 0; i < 12; i++)
        s[i] = _mm512_set1_ps(p->b[i]);
    for (int64_t t = 0; t < p->turns; t++)
        for (int i = 0; i < 12; i++)
            s[i] = _mm512_fmadd_ps(s[i], x, x);
    for (int i = 0; i < 12; i++)
        _mm512_storeu_ps(p->a + 16 * i, s[i]);
}

NARROW static void fma_narrow(const part *p)
{
    __m256 s[12], x = _mm256_set1_ps(0.5F);
    for (int i = 0; i < 12; i++)
        s[i] = _mm256_set1_ps(p->b[i]);
    for (int64_t t = 0; t < p->turns; t++)
        for (int i = 0; i < 12; i++)
            s[i] = _mm256_fmadd_ps(s[i], x, x);
    for (int i = 0; i < 12; i++)
        _mm256_storeu_ps(p->a + 8 * i, s[i]);
}

NARROW static void read_all(const part *p)
{
    __m256 s[8];
    for (int i = 0; i < 8; i++)
        s[i] = _mm256_setzero_ps();
    for (int64_t t = 0; t < p->turns; t++)
        for (int64_t k = 0; k < p->n; k += 64)
            for (int i = 0; i < 8; i++)
                s[i] = _mm256_add_ps(s[i], _mm256_load_ps(p->b + k + 8 * i));
    for (int i = 0; i < 8; i++)
        _mm256_storeu_ps(p->a + 8 * i, s[i]);
}

NARROW static void copy_plain(const part *p)
{
    for (int64_t t = 0; t < p->turns; t++)
        for (int64_t k = 0; k < p->n; k += 8)
            _mm256_store_ps(p->a + k, _mm256_load_ps(p->b + k));
}

NARROW static void copy_non_temporal(const part *p)
{
    for (int64_t t = 0; t < p->turns; t++)
        for (int64_t k = 0; k < p->n; k += 8)
            _mm256_stream_ps(p->a + k, _mm256_load_ps(p->b + k));
    _mm_sfence();
}

NARROW static void triad_plain(const part *p)
{
    const __m256 s = _mm256_set1_ps(0.5F);
    for (int64_t t = 0; t < p->turns; t++)
        for (int64_t k = 0; k < p->n; k += 8)
            _mm256_store_ps(p->a + k,
                            _mm256_fmadd_ps(s, _mm256_load_ps(p->c + k), _mm256_load_ps(p->b + k)));
}

NARROW static void triad_non_temporal(const part *p)
{
    const __m256 s = _mm256_set1_ps(0.5F);
    for (int64_t t = 0; t < p->turns; t++)
        for (int64_t k = 0; k < p->n; k += 8)
            _mm256_stream_ps(
                p->a + k, _mm256_fmadd_ps(s, _mm256_load_ps(p->c + k), _mm256_load_ps(p->b + k)));
    _mm_sfence();
}

typedef void kernel(const part *p);

/* ---- two threads ---- */

static struct {
    atomic_int turn, done;
    kernel *f; /* NULL: only meet; with `ends`: end */
    bool ends;
    part part;
    double busy; /* processor time of the last `f` */
    pthread_t thread;
} helper;

static double time_of(kernel *f, const part *p)
{
    const double start = clock_now(1);
    f(p);
    return clock_now(1) - start;
}

static void *help(void *unused)
{
    int seen = 0;
    (void)unused;
    for (;;) {
        while (atomic_load_explicit(&helper.turn, memory_order_acquire) == seen)
            _mm_pause();
        seen++;
        if (helper.ends)
            return NULL;
        if (helper.f)
            helper.busy = time_of(helper.f, &helper.part);
        atomic_store_explicit(&helper.done, seen, memory_order_release);
    }
}

/* The processor time of the thread that took longer. */
static double both(kernel *f, const part *mine, const part *other)
{
    double busy = 0;
    helper.f = f;
    if (other)
        helper.part = *other;
    const int turn = atomic_fetch_add(&helper.turn, 1) + 1;
    if (f)
        busy = time_of(f, mine);
    while (atomic_load_explicit(&helper.done, memory_order_acquire) != turn)
        _mm_pause();
    return busy < helper.busy ? helper.busy : busy;
}

/* ---- measuring ---- */

static double seconds = 0.05;
static float *memory[3]; /* MEMORY_BYTES / 3 each */
static bool has_two;

/* The most a second: AMOUNT is what one call does on one thread. With two, each does half. */
static void say(const char *name, kernel *f, int64_t bytes, int arrays, int64_t turns,
                double amount)
{
    const int64_t n = bytes / 4 / 3 / 128 * 128; /* of each array, used or not */
    double best[2] = {1e9, 1e9};
    for (int threads = 1; threads <= (has_two ? 2 : 1); threads++) {
        const int64_t half = threads == 1 ? n : n / 2;
        const part mine = {memory[0], memory[1], memory[2], half, turns};
        const part other = {memory[0] + half, memory[1] + half, memory[2] + half, half, turns};
        const double begin = clock_now(2);
        for (int i = 0, good = 0; i < 2000 && (i < 4 || clock_now(2) - begin < seconds ||
                                               (good < 3 && clock_now(2) - begin < 20 * seconds));
             i++) {
            const double start = clock_now(2);
            double took = threads == 1 ? time_of(f, &mine) : both(f, &mine, &other);
            const double passed = clock_now(2) - start;
            if (threads == 2 && passed > 1.2 * took)
                took = passed; /* the two did not run at once */
            else
                good++;
            best[threads - 1] = took < best[threads - 1] ? took : best[threads - 1];
        }
    }
    const double all = amount > 0 ? amount : 4.0 * (double)n * arrays * (double)turns;
    /* multiply-adds are done once by each thread; arrays are shared out */
    const double two = has_two ? all * (amount > 0 ? 2 : 1) / best[1] : 0;
    printf("%s %.6g %.6g\n", name, all / best[0], two);
}

static void say_level(const char *level, int64_t bytes, int64_t turns)
{
    static const struct {
        const char *name;
        kernel *f;
        int arrays;
    } probes[] = {{"read", read_all, 1},
                  {"copy", copy_plain, 2},
                  {"copy-non-temporal", copy_non_temporal, 2},
                  {"triad", triad_plain, 3},
                  {"triad-non-temporal", triad_non_temporal, 3}};
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        char name[64];
        const bool is_non_temporal = strstr(probes[i].name, "non-temporal") != NULL;
        if (is_non_temporal && bytes != MEMORY_BYTES)
            continue;
        (void)snprintf(name, sizeof name, "%s-%s", probes[i].name, level);
        say(name, probes[i].f, bytes, probes[i].arrays, turns, 0);
    }
}

static void say_barrier(void)
{
    double best = 1e9;
    for (int series = 0; series < 200; series++) {
        const double start = clock_now(2);
        for (int i = 0; i < 100; i++)
            (void)both(NULL, NULL, NULL);
        const double each = (clock_now(2) - start) / 100;
        best = each < best ? each : best;
    }
    printf("barrier 0 %.6g\n", best);
}

int main(int argc, char **argv)
{
    const size_t page = (size_t)1 << 21, each = MEMORY_BYTES / 3;
    if (argc > 1)
        seconds = atof(argv[1]);
    for (int i = 0; i < 3; i++) {
        memory[i] = aligned_alloc(page, each);
        if (!memory[i])
            return 1;
        (void)madvise(memory[i], each, MADV_HUGEPAGE);
        memset(memory[i], 0, each);
    }
    has_two =
        sysconf(_SC_NPROCESSORS_ONLN) > 1 && pthread_create(&helper.thread, NULL, help, NULL) == 0;
    enum { TURNS = 20000 };
    if (__builtin_cpu_supports("avx512f"))
        say("fma-512", fma_wide, 1 << 16, 3, TURNS, 2.0 * 16 * 12 * TURNS);
    say("fma-256", fma_narrow, 1 << 16, 3, TURNS, 2.0 * 8 * 12 * TURNS);
    say_level("l2", L2_BYTES, 64);
    say_level("l3", L3_BYTES, 2);
    say_level("memory", MEMORY_BYTES, 1);
    if (has_two) {
        say_barrier();
        helper.ends = true;
        (void)atomic_fetch_add(&helper.turn, 1);
        (void)pthread_join(helper.thread, NULL);
    }
    return 0;
}
