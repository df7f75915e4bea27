/* Rounds of messages, and the thread that passes them on. */
#include "train/rank_sums.h"

#include <pthread.h>
#include <string.h>

#include "base/system/signals.h"
#include "train/mail.h"

enum {
    PIECE = 8 << 20, /* bytes of gradients of a round, at least, */
    MOST_PIECES = 8  /* unless there are as many */
};

/* What travels in a round: of the node behind which its rank has LATER ones, the weights
 * [FIRST, END). */
typedef struct round {
    size_t later, first, end;
} round;

struct sums {
    tn_trainer *t;
    mail mail; /* whose memory has everything below */
    round *rounds;
    size_t n_rounds, most; /* nodes of a rank */
    tree_node *nodes;      /* of all ranks, in order; those of others have their room */
    size_t *first_node;    /* by rank, and the number of all */
    tree_node *stack;      /* to add them */
    bool *has_come;        /* by weight: the last node has it */
    char *sum;
    pthread_t thread;
    bool has_lock, has_thread;
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
    const size_t begin = ranks_gradient(t, own), bytes = ranks_gradient(t, own + 1) - begin;
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

static size_t begin_of(const tn_trainer *t, size_t k)
{
    return k < t->n_weights ? t->weights[k].at : t->block;
}

/* The weights from the last to the first, in pieces; those of nodes that are not the last before
 * them. */
static bool list_rounds(sums *s)
{
    const tn_trainer *t = s->t;
    const size_t piece = t->o.message_bytes ? (size_t)t->o.message_bytes : PIECE;
    const size_t usual = t->block / MOST_PIECES;
    const size_t least = t->o.message_bytes || usual < piece ? piece : usual;
    s->rounds = ARENA_ARRAY(&s->mail.memory, round, s->most + t->n_weights);
    s->has_come = ARENA_ARRAY(&s->mail.memory, bool, t->n_weights);
    if (s->mail.memory.failed)
        return false;
    for (size_t later = s->most; later-- > 1;)
        s->rounds[s->n_rounds++] = (round){later, 0, t->n_weights};
    for (size_t end = t->n_weights, first = end; end > 0; end = first) {
        while (first > 0 && begin_of(t, end) - begin_of(t, first) < least)
            first--;
        if (begin_of(t, first) < piece) /* no small rest */
            first = 0;
        s->rounds[s->n_rounds++] = (round){0, first, end};
    }
    return true;
}

/* ---- a round ---- */

/* The bytes of the weights of round R that rank RANK changes: [*BEGIN, *END) of a block. */
static void part_of(const tn_trainer *t, const round *r, uint32_t rank, size_t *begin, size_t *end)
{
    const size_t low = ranks_gradient(t, rank), high = ranks_gradient(t, rank + 1);
    const size_t first = begin_of(t, r->first), last = begin_of(t, r->end);
    *begin = first > low ? first : low;
    *end = last < high ? last : high;
    *end = *end > *begin ? *end : *begin;
}

/* The node of RANK that travels in round R; NULL: none. */
static const tree_node *node_in(const sums *s, const round *r, uint32_t rank)
{
    const size_t n = s->first_node[rank + 1] - s->first_node[rank];
    return r->later < n ? &s->nodes[s->first_node[rank + 1] - 1 - r->later] : NULL;
}

/* Follow the tree over the nodes of all ranks, for the weights of this rank in R. What a block
 * holds of other weights is left alone: blocks of other ranks do not have it. */
static void add_nodes(sums *s, const round *r)
{
    const tn_trainer *t = s->t;
    size_t first, end, top = 0;
    tree_node *on = s->stack;
    ranks_weights(t, t->transport.rank, &first, &end);
    first = first > r->first ? first : r->first;
    end = end < r->end ? end : r->end;
    for (size_t i = 0; first < end && i < s->first_node[t->transport.ranks]; i++) {
        on[top++] = s->nodes[i];
        while (top > 1 && on[top - 2].n == on[top - 1].n &&
               on[top - 2].first % (2 * on[top - 2].n) == 0) {
            trainer_add(t, on[top - 2].block, on[top - 1].block, first, end);
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
    size_t to, to_end, begin, end;
    part_of(t, r, own, &begin, &end);
    for (uint32_t rank = 0; rank < t->transport.ranks; rank++) {
        const tree_node *theirs = node_in(s, r, rank);
        tn_message *m = &s->mail.messages[rank];
        *m = (tn_message){0};
        if (rank == own)
            continue;
        part_of(t, r, rank, &to, &to_end);
        if (mine)
            *m = (tn_message){.send = mine->block + to, .send_bytes = to_end - to};
        if (theirs) {
            m->receive = theirs->block + begin;
            m->receive_bytes = end - begin;
        }
    }
    const char *why = mail_pass(&t->transport, &s->mail);
    if (!why && r->later == 0)
        add_nodes(s, r);
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
    *s = (sums){.t = t};
    const bool has_mail = mail_begin(t, &s->mail) == TN_OK;
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
    if (s->has_thread) {
        (void)pthread_mutex_lock(&s->lock);
        s->quits = true;
        (void)pthread_cond_broadcast(&s->changed);
        (void)pthread_mutex_unlock(&s->lock);
        (void)pthread_join(s->thread, NULL);
    }
    if (s->has_lock) {
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
    memset(s->has_come, 0, s->t->n_weights * sizeof *s->has_come);
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

/* Has the last node all weights of R? */
static bool is_complete(const sums *s, const round *r)
{
    size_t k = r->first;
    while (k < r->end && s->has_come[k])
        k++;
    return k == r->end;
}

void sums_take_weight(sums *s, size_t k)
{
    size_t ready = s->ready; /* which only this thread changes */
    s->has_come[k] = true;
    while (ready < s->n_rounds && is_complete(s, &s->rounds[ready]))
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
