/* Ranks that are threads of one process: each copies what the others hold out to it. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "tenon/train.h"

typedef struct member {
    tn_rank_group *group;
    uint32_t rank;
    const tn_message *messages; /* while it is in an exchange */
} member;

struct tn_rank_group {
    uint32_t ranks;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t turn;   /* counts the times that all ranks have come together */
    uint32_t inside; /* ranks that wait for the others */
    uint32_t taking; /* ranks that read what others send */
    bool left;       /* a rank gave up */
    member *members;
};

static const char gave_up[] = "another rank gave up";

tn_rank_group *tn_rank_group_new(uint32_t ranks)
{
    const tn_allocator *memory = &memory_system;
    tn_rank_group *g = ranks > 0 ? memory_alloc(memory, sizeof *g) : NULL;
    if (!g)
        return NULL;
    *g = (tn_rank_group){.ranks = ranks};
    g->members = memory_alloc(memory, ranks * sizeof *g->members);
    const bool locked = g->members && pthread_mutex_init(&g->lock, NULL) == 0;
    if (locked && pthread_cond_init(&g->changed, NULL) == 0) {
        for (uint32_t r = 0; r < ranks; r++)
            g->members[r] = (member){.group = g, .rank = r};
        return g;
    }
    if (locked)
        (void)pthread_mutex_destroy(&g->lock);
    memory_free(memory, g->members, ranks * sizeof *g->members);
    memory_free(memory, g, sizeof *g);
    return NULL;
}

void tn_rank_group_free(tn_rank_group *g)
{
    if (!g)
        return;
    (void)pthread_cond_destroy(&g->changed);
    (void)pthread_mutex_destroy(&g->lock);
    memory_free(&memory_system, g->members, g->ranks * sizeof *g->members);
    memory_free(&memory_system, g, sizeof *g);
}

/* Wait until all ranks have come here; false when one never will. */
static bool meet(tn_rank_group *g)
{
    (void)pthread_mutex_lock(&g->lock); /* fails only where it is misused */
    const uint64_t turn = g->turn;
    if (!g->left && ++g->inside == g->ranks) {
        g->inside = 0;
        g->taking = g->ranks;
        g->turn++;
        (void)pthread_cond_broadcast(&g->changed);
    }
    while (g->turn == turn && !g->left)
        (void)pthread_cond_wait(&g->changed, &g->lock);
    const bool met = g->turn != turn;
    (void)pthread_mutex_unlock(&g->lock);
    return met;
}

/* Wait until nothing of what this rank sends is read any more. All others are at it, also when one
 * has given up since. */
static void wait_taken(tn_rank_group *g)
{
    (void)pthread_mutex_lock(&g->lock);
    if (--g->taking == 0)
        (void)pthread_cond_broadcast(&g->changed);
    while (g->taking > 0)
        (void)pthread_cond_wait(&g->changed, &g->lock);
    (void)pthread_mutex_unlock(&g->lock);
}

static const char *take_all(const member *me)
{
    for (uint32_t r = 0; r < me->group->ranks; r++) {
        const tn_message *to = &me->messages[r];
        if (r == me->rank)
            continue;
        const tn_message *from = &me->group->members[r].messages[me->rank];
        if (from->send_bytes != to->receive_bytes)
            return "two ranks do not agree on the size of a message";
        if (to->receive_bytes > 0)
            memcpy(to->receive, from->send, to->receive_bytes);
    }
    return NULL;
}

/* What is sent stays until all have taken it. */
static const char *exchange(void *user, const tn_message *messages)
{
    member *me = user;
    me->messages = messages;
    if (!meet(me->group))
        return gave_up;
    const char *why = take_all(me);
    wait_taken(me->group);
    return why;
}

static void leave(void *user)
{
    tn_rank_group *g = ((member *)user)->group;
    (void)pthread_mutex_lock(&g->lock);
    g->left = true;
    (void)pthread_cond_broadcast(&g->changed);
    (void)pthread_mutex_unlock(&g->lock);
}

bool tn_rank_group_transport(tn_rank_group *g, uint32_t rank, tn_transport *transport)
{
    if (rank >= g->ranks)
        return false;
    *transport = (tn_transport){.size = sizeof *transport,
                                .rank = rank,
                                .ranks = g->ranks,
                                .exchange = exchange,
                                .leave = leave,
                                .user = &g->members[rank],
                                .concurrent = true};
    return true;
}
