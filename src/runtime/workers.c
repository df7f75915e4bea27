/* Worker threads. A job is published in one atomic word: its number, whether threads may enter, and
 * how many have entered. A thread enters by counting itself in. When no work is left, the caller
 * closes the job and waits only for threads that have entered, so threads that sleep or are not
 * scheduled delay nobody. */
#define _GNU_SOURCE
#include "runtime/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/float_modes.h"
#include "base/system/signals.h"

enum {
    MOST_WORKERS = 4096,
    SHARES_EACH = 4,     /* pieces of a thread, when there is enough work: they even out delays */
    SPIN_NS = 30000,     /* ns that an idle thread waits for a job before it sleeps */
    SPINS_PER_LOOK = 64, /* at the clock */
    WORTH_WAKING = 4,    /* pieces of work: waking a thread takes 3 us, and it comes later still */
    CACHE_LINE = 64
};

#define IS_OPEN (UINT64_C(1) << 15)
#define INSIDE (IS_OPEN - 1)
#define ONE_JOB (UINT64_C(1) << 16)

/* The shares that a thread starts with; others help when they have none left. */
typedef struct range {
    _Alignas(CACHE_LINE) atomic_int_fast64_t next;
    int64_t end;
} range;

typedef struct job {
    workers_task *task;
    void *user;
    int64_t extent, n_shares;
    uint32_t n_threads;
} job;

struct workers {
    tn_allocator allocator;
    tn_thread_pool pool; /* run NULL: threads of our own */
    uint32_t n;          /* threads, the caller among them */
    uint32_t n_started;
    pid_t owner;   /* the process that has the threads: a child of fork has none of them */
    range *ranges; /* N of them */
    void *ranges_block;
    pthread_t *threads;
    job job;
    int64_t small_at;   /* when there was little work last */
    atomic_uint joined; /* that did a share of the job */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    _Alignas(CACHE_LINE) atomic_bool busy;
    _Alignas(CACHE_LINE) atomic_uint_fast64_t state;
    _Alignas(CACHE_LINE) atomic_uint sleepers;
    atomic_uint next_number;
    atomic_bool quit;
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* ---- one job ---- */

static int64_t part_at(int64_t whole, int64_t parts, int64_t k)
{
    const int64_t each = whole / parts, more = whole % parts;
    return k * each + (k < more ? k : more);
}

static void do_shares(workers *w, uint32_t me)
{
    const job *j = &w->job;
    bool did = false;
    if (me >= j->n_threads)
        return;
    for (uint32_t i = 0; i < j->n_threads; i++) {
        range *r = &w->ranges[(me + i) % j->n_threads];
        while (atomic_load_explicit(&r->next, memory_order_relaxed) < r->end) {
            const int64_t k = atomic_fetch_add_explicit(&r->next, 1, memory_order_relaxed);
            if (k >= r->end)
                break;
            j->task(j->user, part_at(j->extent, j->n_shares, k),
                    part_at(j->extent, j->n_shares, k + 1), me);
            did = true;
        }
    }
    if (did)
        (void)atomic_fetch_add_explicit(&w->joined, 1, memory_order_relaxed);
}

static void do_shares_of_pool(void *arg, unsigned index)
{
    float_modes modes;
    float_modes_set(&modes);
    do_shares(arg, index);
    float_modes_restore(&modes);
}

/* ---- the threads ---- */

/* A job after the one SEEN, or the end. */
static uint64_t wait_for_job(workers *w, uint64_t seen)
{
    const int64_t start = clock_now();
    for (uint32_t spins = 1;; spins++) {
        const uint64_t s = atomic_load_explicit(&w->state, memory_order_acquire);
        if (s / ONE_JOB != seen || atomic_load_explicit(&w->quit, memory_order_relaxed))
            return s;
        relax();
        if (spins % SPINS_PER_LOOK == 0 && clock_now() - start > SPIN_NS)
            break;
    }
    (void)pthread_mutex_lock(&w->lock); /* fails only where it is misused */
    (void)atomic_fetch_add(&w->sleepers, 1);
    while (atomic_load(&w->state) / ONE_JOB == seen && !atomic_load(&w->quit))
        (void)pthread_cond_wait(&w->wake, &w->lock);
    (void)atomic_fetch_sub(&w->sleepers, 1);
    (void)pthread_mutex_unlock(&w->lock);
    return atomic_load_explicit(&w->state, memory_order_acquire);
}

static void *thread_main(void *arg)
{
    workers *w = arg;
    const uint32_t me = atomic_fetch_add(&w->next_number, 1);
    uint64_t seen = 0;
    float_modes modes; /* of the thread that began this one */
    float_modes_set(&modes);
    for (;;) {
        uint64_t s = wait_for_job(w, seen);
        if (atomic_load(&w->quit))
            return NULL;
        seen = s / ONE_JOB;
        while (s / ONE_JOB == seen && s & IS_OPEN)
            if (atomic_compare_exchange_weak_explicit(&w->state, &s, s + 1, memory_order_acquire,
                                                      memory_order_relaxed)) {
                do_shares(w, me);
                (void)atomic_fetch_sub_explicit(&w->state, 1, memory_order_release);
                break;
            }
    }
}

/* Are the threads of this process? In a child of fork, waiting for them, waking them and taking
 * their lock may never end: what they did at the fork is never done there. */
static bool is_owner(const workers *w)
{
    return w->owner == getpid();
}

static void share_out(workers *w)
{
    const uint64_t last = atomic_load_explicit(&w->state, memory_order_relaxed) / ONE_JOB;
    atomic_store(&w->state, (last + 1) * ONE_JOB | IS_OPEN);
    if (atomic_load(&w->sleepers) > 0) {
        (void)pthread_mutex_lock(&w->lock);
        (void)pthread_cond_broadcast(&w->wake);
        (void)pthread_mutex_unlock(&w->lock);
    }
    do_shares(w, 0);
    (void)atomic_fetch_and_explicit(&w->state, ~IS_OPEN, memory_order_acq_rel);
    for (uint32_t spins = 1; atomic_load_explicit(&w->state, memory_order_acquire) & INSIDE;
         spins++) {
        relax();
        if (spins % 4096 == 0)
            (void)sched_yield();
    }
}

/* Is little work left to the caller, because others sleep? Not if it comes so often that they would
 * stay awake. */
static bool is_done_alone(workers *w, int64_t pieces, int64_t grain)
{
    const bool is_little = pieces < WORTH_WAKING && grain > 1; /* else each may be a lot */
    if (!is_little || atomic_load_explicit(&w->sleepers, memory_order_relaxed) == 0)
        return false;
    const int64_t now = clock_now(), since = now - w->small_at;
    w->small_at = now;
    return since > SPIN_NS;
}

uint32_t workers_run(workers *w, uint32_t limit, workers_task *task, void *user, int64_t extent,
                     int64_t grain)
{
    if (extent <= 0)
        return 0;
    const int64_t pieces = grain > 1 ? extent / grain : extent;
    int64_t n = w ? w->n : 1;
    n = limit > 0 && limit < n ? limit : n;
    n = pieces < n ? pieces : n;
    if (n <= 1 || atomic_exchange_explicit(&w->busy, true, memory_order_acquire)) {
        task(user, 0, extent, 0);
        return 1;
    }
    if (is_done_alone(w, pieces, grain) || !is_owner(w)) {
        atomic_store_explicit(&w->busy, false, memory_order_release);
        task(user, 0, extent, 0);
        return 1;
    }
    w->job =
        (job){task, user, extent, pieces < n * SHARES_EACH ? pieces : n * SHARES_EACH, (uint32_t)n};
    atomic_store_explicit(&w->joined, 0, memory_order_relaxed);
    for (int64_t i = 0; i < n; i++) {
        atomic_store_explicit(&w->ranges[i].next, part_at(w->job.n_shares, n, i),
                              memory_order_relaxed);
        w->ranges[i].end = part_at(w->job.n_shares, n, i + 1);
    }
    if (w->pool.run)
        w->pool.run(w->pool.user, do_shares_of_pool, w, (unsigned)n);
    else
        share_out(w);
    const uint32_t joined = atomic_load_explicit(&w->joined, memory_order_relaxed);
    atomic_store_explicit(&w->busy, false, memory_order_release);
    return joined;
}

/* ---- making and freeing ---- */

static void *alloc_aligned(const tn_allocator *a, size_t bytes, void **block)
{
    *block = memory_alloc(a, bytes + CACHE_LINE);
    const uintptr_t at = ((uintptr_t)*block + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    return *block ? (char *)*block + (at - (uintptr_t)*block) : NULL;
}

/* The object is found behind a pointer to its block, which stands just before it. */
static workers *workers_alloc(const tn_allocator *a, uint32_t n)
{
    void *block;
    char *at = alloc_aligned(a, sizeof(workers) + CACHE_LINE, &block);
    if (!at)
        return NULL;
    workers *w = (workers *)(void *)(at + CACHE_LINE);
    memset(w, 0, sizeof *w);
    memcpy(at + CACHE_LINE - sizeof block, &block, sizeof block);
    w->allocator = *a;
    w->owner = getpid();
    w->n = n < 1 ? 1 : n > MOST_WORKERS ? MOST_WORKERS : n;
    atomic_init(&w->next_number, 1);
    w->ranges = alloc_aligned(a, w->n * sizeof *w->ranges, &w->ranges_block);
    w->threads = memory_alloc(a, w->n * sizeof *w->threads);
    if (w->ranges && w->threads && pthread_mutex_init(&w->lock, NULL) == 0) {
        if (pthread_cond_init(&w->wake, NULL) == 0)
            return w;
        (void)pthread_mutex_destroy(&w->lock);
    }
    memory_free(a, w->threads, w->n * sizeof *w->threads);
    memory_free(a, w->ranges_block, w->n * sizeof *w->ranges + CACHE_LINE);
    memory_free(a, block, sizeof *w + 2 * CACHE_LINE);
    return NULL;
}

workers *workers_new(const tn_allocator *allocator, uint32_t n)
{
    workers *w = workers_alloc(allocator, n);
    sigset_t before;
    if (!w)
        return NULL;
    const bool masked = signals_block(&before);
    for (uint32_t i = 0; i + 1 < w->n; i++) {
        if (pthread_create(&w->threads[i], NULL, thread_main, w) != 0)
            break;
        w->n_started++;
    }
    if (masked)
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return w;
}

workers *workers_on_pool(const tn_allocator *allocator, const tn_thread_pool *pool)
{
    workers *w = workers_alloc(allocator, pool->threads);
    if (w)
        w->pool = *pool;
    return w;
}

static void end_threads(workers *w)
{
    (void)pthread_mutex_lock(&w->lock);
    atomic_store(&w->quit, true);
    (void)pthread_cond_broadcast(&w->wake);
    (void)pthread_mutex_unlock(&w->lock);
    for (uint32_t i = 0; i < w->n_started; i++)
        (void)pthread_join(w->threads[i], NULL);
    (void)pthread_cond_destroy(&w->wake);
    (void)pthread_mutex_destroy(&w->lock);
}

void workers_free(workers *w)
{
    if (!w)
        return;
    if (is_owner(w))
        end_threads(w);
    const tn_allocator a = w->allocator;
    void *block;
    memcpy(&block, (char *)w - sizeof block, sizeof block);
    memory_free(&a, w->threads, w->n * sizeof *w->threads);
    memory_free(&a, w->ranges_block, w->n * sizeof *w->ranges + CACHE_LINE);
    memory_free(&a, block, sizeof *w + 2 * CACHE_LINE);
}

uint32_t workers_count(const workers *w)
{
    return w ? w->n : 1;
}

uint32_t workers_of_machine(void)
{
    cpu_set_t set;
    long n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    if (n < 1)
        n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > MOST_WORKERS ? MOST_WORKERS : (uint32_t)n;
}
