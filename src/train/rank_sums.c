/* Rounds of messages, and the thread that passes them on. */
#include "train/rank_sums.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/system/float_modes.h"
#include "base/system/signals.h"
#include "train/mail.h"

/* What travels in a round: all of the nodes behind which their ranks have LATER ones, or a piece of
 * the last node of each. */
typedef struct round {
    size_t later, piece;
} round;

/* Places of weights. */
typedef struct places {
    size_t first, end;
} places;

struct sums {
    tn_trainer *t;
    mail mail; /* whose memory has everything below */
    round *rounds;
    size_t n_rounds, most; /* nodes of a rank */
    tree_node *nodes;      /* of all ranks, in order; those of others have their room */
    size_t *first_node;    /* by rank, and the number of all */
    tree_node *stack;      /* to add them */
    size_t *missing;       /* by piece: weights that the last node does not yet have */
    pthread_t thread;
    bool has_lock, has_thread;
    pid_t owner; /* the process that has the thread: a child of fork has not */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* below, under the lock */
    size_t ready, done; /* rounds */
    bool is_busy, stops, quits;
    const char *why; /* nothing goes on */
};

/* ---- what is sent in which order ---- */

/* The maximal nodes of the tree in the leaves of RANK, without blocks. */
static size_t nodes_of(const tn_trainer *t, uint32_t rank, tree_node *nodes)
{
    const uint64_t end = ranks_first(t, t->o.leaves, rank + 1);
    size_t n = 0;
    for (uint64_t at = ranks_first(t, t->o.leaves, rank); at < end; n++) {
        uint64_t size = 1;
        while (at % (2 * size) == 0 && at + 2 * size <= end)
            size *= 2;
        nodes[n] = (tree_node){at, size, NULL};
        at += size;
    }
    return n;
}

static bool list_nodes(sums *s)
{
    const tn_trainer *t = s->t;
    const uint32_t ranks = t->transport.ranks;
    arena *memory = &s->mail.memory;
    size_t n = 0;
    s->first_node = ARENA_ARRAY(memory, size_t, (size_t)ranks + 1);
    for (uint32_t r = 0; s->first_node && r < ranks; r++) {
        tree_node own[MOST_NODES];
        const size_t count = nodes_of(t, r, own);
        s->first_node[r] = n;
        n += count;
        s->most = count > s->most ? count : s->most;
    }
    s->nodes = ARENA_ARRAY(memory, tree_node, n);
    s->stack = ARENA_ARRAY(memory, tree_node, n);
    if (memory->failed)
        return false;
    s->first_node[ranks] = n;
    for (uint32_t r = 0; r < ranks; r++)
        (void)nodes_of(t, r, s->nodes + s->first_node[r]);
    return true;
}

/* Room for the part of this rank of the nodes of others, as if each were a whole block. */
static bool make_room(sums *s)
{
    const tn_trainer *t = s->t;
    const uint32_t own = t->transport.rank;
    const size_t begin = ranks_begin(t, t->owned[own]);
    const size_t bytes = ranks_begin(t, t->owned[own + 1]) - begin;
    for (size_t i = 0; i < s->first_node[t->transport.ranks]; i++) {
        if (i >= s->first_node[own] && i < s->first_node[own + 1])
            continue;
        char *room = arena_alloc_aligned(&s->mail.memory, bytes, 64);
        if (!room)
            return false;
        s->nodes[i].block = (char *)((uintptr_t)room - begin);
    }
    return true;
}

/* The nodes that are not the last ones, then the pieces of these. */
static bool list_rounds(sums *s)
{
    const tn_trainer *t = s->t;
    s->rounds = ARENA_ARRAY(&s->mail.memory, round, s->most + t->n_pieces);
    s->missing = ARENA_ARRAY(&s->mail.memory, size_t, t->n_pieces);
    if (s->mail.memory.failed)
        return false;
    for (size_t later = s->most; later-- > 1;)
        s->rounds[s->n_rounds++] = (round){later, 0};
    for (size_t piece = 0; piece < t->n_pieces; piece++)
        s->rounds[s->n_rounds++] = (round){0, piece};
    return true;
}

/* ---- a round ---- */

/* The weights of round R that rank RANK changes. */
static places part_of(const tn_trainer *t, const round *r, uint32_t rank)
{
    places p = {t->owned[rank], t->owned[rank + 1]};
    if (r->later > 0)
        return p;
    while (p.first < p.end && t->placed[p.first]->piece < r->piece)
        p.first++;
    size_t end = p.first;
    while (end < p.end && t->placed[end]->piece == r->piece)
        end++;
    return (places){p.first, end};
}

/* The bytes of P in a block. */
static size_t bytes_of(const tn_trainer *t, places p)
{
    return p.first < p.end ? ranks_begin(t, p.end) - ranks_begin(t, p.first) : 0;
}

/* The largest message of any round. */
static size_t largest(const tn_trainer *t)
{
    size_t most = 0;
    for (uint32_t rank = 0; rank < t->transport.ranks; rank++) {
        const size_t bytes = bytes_of(t, (places){t->owned[rank], t->owned[rank + 1]});
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* The node of RANK that travels in round R; NULL: none. */
static const tree_node *node_in(const sums *s, const round *r, uint32_t rank)
{
    const size_t n = s->first_node[rank + 1] - s->first_node[rank];
    return r->later < n ? &s->nodes[s->first_node[rank + 1] - 1 - r->later] : NULL;
}

/* Follow the tree over the nodes of all ranks, for the weights P of this rank. What a block holds
 * of other weights is left alone: blocks of other ranks do not have it. */
static void add_nodes(sums *s, places p)
{
    const tn_trainer *t = s->t;
    size_t top = 0;
    tree_node *on = s->stack;
    for (size_t i = 0; p.first < p.end && i < s->first_node[t->transport.ranks]; i++) {
        on[top++] = s->nodes[i];
        while (top > 1 && on[top - 2].n == on[top - 1].n &&
               on[top - 2].first % (2 * on[top - 2].n) == 0) {
            for (size_t k = p.first; k < p.end; k++)
                trainer_add(t->placed[k], on[top - 2].block, on[top - 1].block);
            on[top - 2].n *= 2;
            top--;
        }
    }
}

/* NULL, or what went wrong. */
static const char *run_round(sums *s, const round *r)
{
    const tn_trainer *t = s->t;
    const uint32_t own = t->transport.rank;
    const tree_node *mine = node_in(s, r, own);
    const places here = part_of(t, r, own);
    for (uint32_t rank = 0; rank < t->transport.ranks; rank++) {
        const tree_node *theirs = node_in(s, r, rank);
        tn_message *m = &s->mail.messages[rank];
        *m = (tn_message){0};
        if (rank == own)
            continue;
        const places other = part_of(t, r, rank);
        if (mine)
            *m = (tn_message){.send = mine->block + ranks_begin(t, other.first),
                              .send_bytes = bytes_of(t, other)};
        if (theirs) {
            m->receive = theirs->block + ranks_begin(t, here.first);
            m->receive_bytes = bytes_of(t, here);
        }
    }
    const char *why = mail_pass(&t->transport, &s->mail);
    if (!why && r->later == 0)
        add_nodes(s, here);
    return why;
}

/* ---- the thread ---- */

/* Run what is ready. The lock is held, but not while a round runs. */
static void run_ready(sums *s)
{
    while (!s->why && !s->stops && s->done < s->ready) {
        const round *r = &s->rounds[s->done];
        s->is_busy = true;
        (void)pthread_mutex_unlock(&s->lock);
        const char *why = run_round(s, r);
        (void)pthread_mutex_lock(&s->lock);
        s->is_busy = false;
        s->why = why;
        s->done += !why;
        (void)pthread_cond_broadcast(&s->changed);
    }
}

static void *thread_main(void *arg)
{
    sums *s = arg;
    float_modes modes; /* of the thread that began this one */
    float_modes_set(&modes);
    (void)pthread_mutex_lock(&s->lock); /* fails only where it is misused */
    while (!s->quits) {
        run_ready(s);
        if (!s->quits)
            (void)pthread_cond_wait(&s->changed, &s->lock);
    }
    (void)pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* There is no need of a thread where nothing can overlap. Without one, or the lock of one, the
 * rounds run when all leaves are done. */
static bool start(sums *s)
{
    sigset_t before;
    if (pthread_mutex_init(&s->lock, NULL) != 0)
        return false;
    if (pthread_cond_init(&s->changed, NULL) != 0) {
        (void)pthread_mutex_destroy(&s->lock);
        return false;
    }
    s->has_lock = true;
    if (!s->t->transport.concurrent || !s->t->transport.leave || s->n_rounds < 2)
        return true;
    const bool masked = signals_block(&before);
    s->has_thread = pthread_create(&s->thread, NULL, thread_main, s) == 0;
    if (masked)
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return true;
}

sums *sums_new(tn_trainer *t)
{
    sums *s = memory_alloc(&t->cx->allocator, sizeof *s);
    if (!s) {
        (void)diag_no_memory(&t->cx->diag);
        return NULL;
    }
    *s = (sums){.t = t, .owner = getpid()};
    const bool has_mail = mail_begin(t, &s->mail, largest(t)) == TN_OK;
    if (has_mail && list_nodes(s) && make_room(s) && list_rounds(s) && start(s))
        return s;
    if (has_mail)
        (void)diag_no_memory(&t->cx->diag);
    sums_free(s);
    return NULL;
}

void sums_free(sums *s)
{
    if (!s)
        return;
    const tn_allocator *memory = &s->t->cx->allocator;
    const bool is_owner = s->owner == getpid(); /* else who waits for the thread waits for good */
    if (s->has_thread && is_owner) {
        (void)pthread_mutex_lock(&s->lock);
        s->quits = true;
        (void)pthread_cond_broadcast(&s->changed);
        (void)pthread_mutex_unlock(&s->lock);
        (void)pthread_join(s->thread, NULL);
    }
    if (s->has_lock && is_owner) {
        (void)pthread_cond_destroy(&s->changed);
        (void)pthread_mutex_destroy(&s->lock);
    }
    (void)mail_done(&s->mail, TN_OK);
    memory_free(memory, s, sizeof *s);
}

/* ---- a step ---- */

static size_t own_nodes(const sums *s)
{
    const uint32_t own = s->t->transport.rank;
    return s->first_node[own + 1] - s->first_node[own];
}

static void make_ready(sums *s, size_t ready)
{
    (void)pthread_mutex_lock(&s->lock);
    s->ready = ready;
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
}

void sums_begin(sums *s)
{
    memset(s->missing, 0, s->t->n_pieces * sizeof *s->missing);
    for (size_t k = 0; k < s->t->n_weights; k++)
        s->missing[s->t->weights[k].piece]++;
    (void)pthread_mutex_lock(&s->lock);
    s->done = 0;
    s->stops = false;
    s->why = NULL;
    (void)pthread_mutex_unlock(&s->lock);
    const size_t n = own_nodes(s); /* those that others have more have nothing to wait for */
    make_ready(s, n == 0 ? s->n_rounds : s->most - n);
}

void sums_take_node(sums *s, size_t index, const tree_node *node)
{
    const size_t n = own_nodes(s);
    tree_node *to = &s->nodes[s->first_node[s->t->transport.rank] + index];
    if (index + 1 >= n || node->first != to->first || node->n != to->n)
        return;
    to->block = node->block; /* which no round that is ready reads */
    make_ready(s, s->most - n + index + 1);
}

void sums_expect(sums *s, char *block)
{
    s->nodes[s->first_node[s->t->transport.rank + 1] - 1].block = block;
}

void sums_take_weight(sums *s, size_t k)
{
    size_t ready = s->ready; /* which only this thread changes */
    s->missing[s->t->weights[k].piece]--;
    while (ready < s->n_rounds &&
           (s->rounds[ready].later > 0 || s->missing[s->rounds[ready].piece] == 0))
        ready++;
    if (ready > s->ready)
        make_ready(s, ready);
}

const char *sums_fault(sums *s)
{
    (void)pthread_mutex_lock(&s->lock);
    const char *why = s->why;
    (void)pthread_mutex_unlock(&s->lock);
    return why;
}

tn_status sums_end(sums *s, char **sum)
{
    (void)pthread_mutex_lock(&s->lock);
    if (!s->has_thread)
        run_ready(s);
    while (s->has_thread && !s->why && s->done < s->n_rounds)
        (void)pthread_cond_wait(&s->changed, &s->lock);
    const char *why = s->why;
    (void)pthread_mutex_unlock(&s->lock);
    *sum = s->nodes[0].block;
    return why ? mail_lost(s->t, why) : TN_OK;
}

void sums_stop(sums *s)
{
    (void)pthread_mutex_lock(&s->lock);
    s->stops = true;
    while (s->is_busy)
        (void)pthread_cond_wait(&s->changed, &s->lock);
    (void)pthread_mutex_unlock(&s->lock);
}
