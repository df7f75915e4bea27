/* A ring of leaves between the thread that reads them and the one that computes. */
#include "train/data/loader.h"

#include <pthread.h>
#include <unistd.h>

#include "base/system/float_modes.h"
#include "base/system/signals.h"
#include "io/array.h"
#include "scalar/dtype.h"

enum { AHEAD = 4 /* leaves that are read, or being read, at once */ };

struct loader {
    arena memory;
    const tn_allocator *allocator;
    loader_plan plan;
    uint64_t *order; /* of the samples of a leaf */
    void *room;      /* for samples in the type of the file */
    void **leaves[AHEAD];
    pthread_t thread;
    bool started, has_lock;
    pid_t owner; /* the process that has the thread: a child of fork has not */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* below, under the lock */
    uint64_t read, used; /* leaves, so far */
    bool quit, failed;
    dataset_fault fault;
    uint64_t step; /* of the first leaf */
};

/* Which samples leaf LEAF of step STEP has. What an epoch leaves over after its last whole batch is
 * left out of it; another epoch leaves out others. */
static void find_samples(const loader *l, uint64_t step, uint64_t leaf)
{
    const loader_plan *p = &l->plan;
    const uint64_t steps = p->samples / p->batch, n = p->batch / p->leaves;
    const uint64_t begin = step % steps * p->batch + leaf * n;
    for (uint64_t i = 0; i < n; i++)
        l->order[i] = tn_sample_order(p->seed, step / steps, p->samples, begin + i);
}

/* The leaf that comes NUMBER leaves after the first. */
static bool read_leaf(loader *l, uint64_t number, void *const *to, dataset_fault *fault)
{
    const loader_plan *p = &l->plan;
    find_samples(l, l->step + number / p->n, p->first + number % p->n);
    for (size_t i = 0; i < p->n_inputs; i++)
        if (!dataset_read(p->inputs[i].column, l->order, (size_t)(p->batch / p->leaves),
                          p->inputs[i].dtype, to[i], l->room, fault))
            return false;
    return true;
}

static void *thread_main(void *arg)
{
    loader *l = arg;
    float_modes modes; /* of the thread that began this one */
    float_modes_set(&modes);
    (void)pthread_mutex_lock(&l->lock); /* fails only where it is misused */
    while (!l->quit && !l->failed) {
        if (l->read - l->used == AHEAD) {
            (void)pthread_cond_wait(&l->changed, &l->lock);
            continue;
        }
        dataset_fault fault = {.why = DATASET_READ};
        const uint64_t number = l->read;
        (void)pthread_mutex_unlock(&l->lock);
        const bool ok = read_leaf(l, number, l->leaves[number % AHEAD], &fault);
        (void)pthread_mutex_lock(&l->lock);
        l->failed = !ok;
        l->fault = fault;
        l->read += ok;
        (void)pthread_cond_broadcast(&l->changed);
    }
    (void)pthread_mutex_unlock(&l->lock);
    return NULL;
}

static bool make_rooms(loader *l)
{
    const loader_plan *p = &l->plan;
    uint64_t longest = 1;
    for (size_t i = 0; i < p->n_inputs; i++)
        longest = p->inputs[i].column->row > longest ? p->inputs[i].column->row : longest;
    l->order = ARENA_ARRAY(&l->memory, uint64_t, (size_t)(p->batch / p->leaves));
    l->room = arena_alloc_aligned(&l->memory, (size_t)longest, 64);
    for (int k = 0; k < AHEAD; k++) {
        l->leaves[k] = ARENA_ARRAY(&l->memory, void *, p->n_inputs);
        for (size_t i = 0; l->leaves[k] && i < p->n_inputs; i++)
            l->leaves[k][i] = arena_alloc_aligned(&l->memory, p->inputs[i].bytes, 64);
    }
    return !l->memory.failed;
}

static bool start(loader *l)
{
    sigset_t before;
    if (pthread_mutex_init(&l->lock, NULL) != 0)
        return false;
    if (pthread_cond_init(&l->changed, NULL) != 0) {
        (void)pthread_mutex_destroy(&l->lock);
        return false;
    }
    l->has_lock = true;
    const bool masked = signals_block(&before);
    l->started = pthread_create(&l->thread, NULL, thread_main, l) == 0;
    if (masked)
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return l->started;
}

loader *loader_new(const tn_allocator *memory, const loader_plan *plan, uint64_t step)
{
    loader *l = memory_alloc(memory, sizeof *l);
    if (!l)
        return NULL;
    *l = (loader){.allocator = memory, .plan = *plan, .step = step, .owner = getpid()};
    arena_init(&l->memory, memory);
    if (make_rooms(l) && start(l))
        return l;
    loader_free(l);
    return NULL;
}

void loader_free(loader *l)
{
    if (!l)
        return;
    const bool is_owner = l->owner == getpid(); /* else who waits for the thread waits for good */
    if (l->started && is_owner) {
        (void)pthread_mutex_lock(&l->lock);
        l->quit = true;
        (void)pthread_cond_broadcast(&l->changed);
        (void)pthread_mutex_unlock(&l->lock);
        (void)pthread_join(l->thread, NULL);
    }
    if (l->has_lock && is_owner) {
        (void)pthread_cond_destroy(&l->changed);
        (void)pthread_mutex_destroy(&l->lock);
    }
    arena_release(&l->memory);
    memory_free(l->allocator, l, sizeof *l);
}

void *const *loader_next(loader *l, dataset_fault *fault)
{
    void *const *out = NULL;
    (void)pthread_mutex_lock(&l->lock);
    while (l->read == l->used && !l->failed)
        (void)pthread_cond_wait(&l->changed, &l->lock);
    if (l->read > l->used)
        out = l->leaves[l->used % AHEAD];
    else
        *fault = l->fault;
    (void)pthread_mutex_unlock(&l->lock);
    return out;
}

void loader_done(loader *l)
{
    (void)pthread_mutex_lock(&l->lock);
    l->used++;
    (void)pthread_cond_broadcast(&l->changed);
    (void)pthread_mutex_unlock(&l->lock);
}
