/* Worker threads: all work is done once, whoever does it. */
#include "runtime/workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { MOST = 5000 };

typedef struct marks {
    uint8_t done[MOST];
    atomic_uint mistakes;
    uint32_t limit;
    workers *inner; /* run from inside a task */
} marks;

static void mark(void *user, int64_t begin, int64_t end, uint32_t worker)
{
    marks *m = user;
    if (begin < 0 || begin >= end || worker >= m->limit)
        (void)atomic_fetch_add(&m->mistakes, 1);
    for (int64_t i = begin; i < end; i++)
        m->done[i]++;
}

static void check_run(workers *w, marks *m, uint32_t limit, int64_t extent, int64_t grain)
{
    memset(m->done, 0, sizeof m->done);
    atomic_store(&m->mistakes, 0);
    m->limit = limit && limit < workers_count(w) ? limit : workers_count(w);
    const uint32_t joined = workers_run(w, limit, mark, m, extent, grain);
    bool once = true;
    for (int64_t i = 0; i < MOST; i++)
        once = once && m->done[i] == (i < extent);
    CHECK(once);
    CHECK_INT(atomic_load(&m->mistakes), 0);
    CHECK(extent == 0 ? joined == 0 : joined >= 1 && joined <= m->limit);
    if (grain > 0 && extent / grain < 2 && extent > 0)
        CHECK_INT(joined, 1);
}

static void test_splits(workers *w)
{
    static const int64_t extents[] = {0, 1, 2, 3, 7, 8, 9, 64, 65, 1000, MOST};
    static const int64_t grains[] = {0, 1, 2, 10, 333, MOST, INT64_MAX};
    marks *m = malloc(sizeof *m);
    if (!CHECK(m))
        return;
    for (size_t e = 0; e < sizeof extents / sizeof *extents; e++)
        for (size_t g = 0; g < sizeof grains / sizeof *grains; g++)
            for (uint32_t limit = 0; limit < 4; limit++)
                check_run(w, m, limit, extents[e], grains[g]);
    free(m);
}

/* Items that sum up to what is known, often, and with pauses that let threads fall asleep. */
static void add_items(void *user, int64_t begin, int64_t end, uint32_t worker)
{
    atomic_llong *sum = user;
    long long s = 0;
    (void)worker;
    for (int64_t i = begin; i < end; i++)
        s += i;
    (void)atomic_fetch_add(sum, s);
}

static void test_many_runs(workers *w, int n, int64_t grain, bool with_pauses)
{
    bool right = true;
    for (int i = 0; i < n; i++) {
        atomic_llong sum = 0;
        (void)workers_run(w, 0, add_items, &sum, 100 + i, grain);
        right = right && atomic_load(&sum) == (long long)(100 + i) * (99 + i) / 2;
        if (with_pauses)
            (void)nanosleep(&(struct timespec){0, 200000}, NULL);
    }
    CHECK(right);
}

static void nest(void *user, int64_t begin, int64_t end, uint32_t worker)
{
    marks *m = user;
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        atomic_llong sum = 0;
        if (workers_run(m->inner, 0, add_items, &sum, 10, 1) != 1 || atomic_load(&sum) != 45)
            (void)atomic_fetch_add(&m->mistakes, 1);
    }
}

static void test_nested(workers *w)
{
    marks *m = calloc(1, sizeof *m);
    if (!CHECK(m))
        return;
    m->inner = w;
    (void)workers_run(w, 0, nest, m, 100, 1);
    if (workers_count(w) > 1)
        CHECK_INT(atomic_load(&m->mistakes), 0);
    free(m);
}

/* CHECK counts without locks, so it is for one thread only. */
static void *sum_often(void *user)
{
    bool *right = malloc(sizeof *right);
    if (!right)
        return NULL;
    *right = true;
    for (int i = 0; i < 2000; i++) {
        atomic_llong sum = 0;
        (void)workers_run(user, 0, add_items, &sum, 1000, 10);
        *right = *right && atomic_load(&sum) == 499500;
    }
    return right;
}

static void test_several_callers(workers *w)
{
    enum { CALLERS = 4 };
    pthread_t threads[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        if (!CHECK_INT(pthread_create(&threads[i], NULL, sum_often, w), 0))
            return;
    for (int i = 0; i < CALLERS; i++) {
        void *right = NULL;
        CHECK_INT(pthread_join(threads[i], &right), 0);
        CHECK(right && *(bool *)right);
        free(right);
    }
}

/* ---- a pool of the caller's ---- */

static void run_in_turn(void *user, void (*task)(void *, unsigned), void *arg, unsigned n)
{
    unsigned *calls = user;
    for (unsigned i = n; i-- > 0;) /* any order will do */
        task(arg, i);
    ++*calls;
}

static void test_pool(void)
{
    unsigned calls = 0;
    const tn_thread_pool pool = {&calls, 3, run_in_turn};
    workers *w = workers_on_pool(&memory_system, &pool);
    if (!CHECK(w))
        return;
    CHECK_INT(workers_count(w), 3);
    test_splits(w);
    test_nested(w);
    CHECK(calls > 0);
    workers_free(w);
}

/* ---- without memory ---- */

static void *resize_until(void *user, void *block, size_t old_size, size_t new_size)
{
    int *left = user;
    if (new_size > 0 && (*left)-- <= 0)
        return NULL;
    return memory_system.resize(memory_system.user, block, old_size, new_size);
}

static void test_no_memory(void)
{
    bool made = false;
    for (int n = 0; n < 10 && !made; n++) {
        int left = n;
        const tn_allocator a = {resize_until, &left};
        workers *w = workers_new(&a, 2);
        made = w != NULL;
        workers_free(w);
    }
    CHECK(made);
    workers_free(NULL);
    CHECK_INT(workers_count(NULL), 1);
    CHECK(workers_of_machine() >= 1);
    test_many_runs(NULL, 10, 1, false);
}

/* ---- workers leave signals to the threads of the caller, but for faults ---- */

static void look_at_signals(void *user, int64_t begin, int64_t end, uint32_t worker)
{
    marks *m = user;
    sigset_t set;
    (void)begin, (void)end;
    m->done[worker] = 1;
    if (worker == 0) { /* until another thread has looked */
        while (!atomic_load(&m->mistakes))
            (void)sched_yield();
        return;
    }
    (void)pthread_sigmask(SIG_BLOCK, NULL, &set);
    const bool ok = sigismember(&set, SIGINT) == 1 && sigismember(&set, SIGPROF) == 1 &&
                    sigismember(&set, SIGSEGV) == 0 && sigismember(&set, SIGBUS) == 0;
    atomic_store(&m->mistakes, ok ? 1 : 2);
}

static void test_signals(void)
{
    workers *w = workers_new(&memory_system, 2);
    marks *m = calloc(1, sizeof *m);
    if (CHECK(w && m)) {
        (void)workers_run(w, 0, look_at_signals, m, 2, 1);
        CHECK_INT(atomic_load(&m->mistakes), 1);
    }
    free(m);
    workers_free(w);
}

/* ---- children of fork have none of the threads: they work alone and wait for nobody ---- */

/* Does a child of a fork that is made now do a job alone? */
static bool is_done_in_child(workers *w)
{
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
        atomic_llong sum = 0;
        (void)alarm(100);
        const uint32_t joined = workers_run(w, 0, add_items, &sum, 100, 1);
        workers_free(w);
        _exit(sum == 4950 && joined == 1 ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void test_fork(workers *w)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    (void)nanosleep(&pause, NULL); /* so that they sleep */
    CHECK(is_done_in_child(w));
}

typedef struct held_job {
    workers *w;
    atomic_uint inside;
    atomic_bool go_on;
} held_job;

static void stay_inside(void *user, int64_t begin, int64_t end, uint32_t worker)
{
    held_job *h = user;
    (void)begin, (void)end, (void)worker;
    (void)atomic_fetch_add(&h->inside, 1);
    while (!atomic_load(&h->go_on))
        (void)sched_yield();
}

static void *run_held(void *user)
{
    held_job *h = user;
    (void)workers_run(h->w, 0, stay_inside, h, 100, 1);
    return NULL;
}

/* The fork comes while every thread is inside of a job. */
static void test_fork_inside(workers *w)
{
    pthread_t caller;
    held_job h = {.w = w};
    if (!CHECK_INT(pthread_create(&caller, NULL, run_held, &h), 0))
        return;
    while (atomic_load(&h.inside) < workers_count(w))
        (void)sched_yield();
    CHECK(is_done_in_child(w));
    atomic_store(&h.go_on, true);
    (void)pthread_join(caller, NULL);
}

/* Nor has a child the threads of the caller's pool. */
static void never_run(void *user, void (*task)(void *, unsigned), void *arg, unsigned n)
{
    (void)task, (void)arg, (void)n;
    *(bool *)user = true;
}

static void test_fork_pool(void)
{
    bool was_run = false;
    const tn_thread_pool pool = {&was_run, 3, never_run};
    workers *w = workers_on_pool(&memory_system, &pool);
    if (!CHECK(w))
        return;
    CHECK(is_done_in_child(w));
    workers_free(w);
}

int main(void)
{
    static const uint32_t counts[] = {0, 1, 2, 3, 8};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        workers *w = workers_new(&memory_system, counts[i]);
        if (!CHECK(w))
            continue;
        CHECK_INT(workers_count(w), counts[i] ? counts[i] : 1);
        test_splits(w);
        test_many_runs(w, 3000, 1, false);
        test_many_runs(w, 50, 1, true);
        test_many_runs(w, 50, 50, true); /* so little that threads may stay asleep */
        test_nested(w);
        test_several_callers(w);
        test_fork(w);
        test_fork_inside(w);
        workers_free(w);
    }
    test_signals();
    test_pool();
    test_fork_pool();
    test_no_memory();
    return check_result();
}
