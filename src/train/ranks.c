/* What belongs to which rank, and what ranks tell each other. Only bytes travel: every sum is made
 * by one rank, by the tree that one rank alone would follow. */
#include <string.h>

#include "base/memory/hash.h"
#include "train/trainer.h"

static bool is_alone(const tn_trainer *t)
{
    return t->transport.ranks == 1;
}

uint64_t ranks_first(const tn_trainer *t, uint64_t n, uint32_t rank)
{
    return (uint64_t)((__uint128_t)n * rank / t->transport.ranks);
}

/* A weight belongs to the rank in whose part of all gradients it begins. */
void ranks_weights(const tn_trainer *t, uint32_t rank, size_t *first, size_t *end)
{
    const uint64_t low = ranks_first(t, t->block, rank), high = ranks_first(t, t->block, rank + 1);
    *first = 0;
    while (*first < t->n_weights && t->weights[*first].at < low)
        ++*first;
    *end = *first;
    while (*end < t->n_weights && t->weights[*end].at < high)
        ++*end;
}

/* ---- messages ---- */

static tn_status lost(const tn_trainer *t, const char *why)
{
    const tn_status s =
        trainer_fault(t->cx, DIAG_BackendUnavailable, "rank %u: %s", t->transport.rank, why);
    diag_fix(&t->cx->diag, NO_SPAN, NULL, "resume from the last checkpoint (--resume)");
    return s;
}

/* One message for each rank, and the checksums of what is sent and what comes. */
typedef struct mail {
    arena memory;
    tn_message *messages, *sums;
    uint64_t *sent, *came;
} mail;

static tn_status mail_begin(const tn_trainer *t, mail *m)
{
    const size_t n = t->transport.ranks;
    *m = (mail){.messages = NULL};
    arena_init(&m->memory, &t->cx->allocator);
    m->messages = ARENA_ARRAY(&m->memory, tn_message, n);
    m->sums = ARENA_ARRAY(&m->memory, tn_message, n);
    m->sent = ARENA_ARRAY(&m->memory, uint64_t, n);
    m->came = ARENA_ARRAY(&m->memory, uint64_t, n);
    return m->memory.failed ? diag_no_memory(&t->cx->diag) : TN_OK;
}

static tn_status pass(const tn_trainer *t, const tn_message *messages)
{
    const char *why = t->transport.exchange(t->transport.user, messages);
    return why ? lost(t, why) : TN_OK;
}

static tn_status mail_send(const tn_trainer *t, mail *m)
{
    if (m->memory.failed)
        return diag_no_memory(&t->cx->diag);
    const tn_message *last = NULL; /* which is often the same for all */
    for (uint32_t r = 0; r < t->transport.ranks; r++) {
        const tn_message *one = &m->messages[r];
        if (r == t->transport.rank)
            continue;
        const bool is_same = last && last->send == one->send && last->send_bytes == one->send_bytes;
        m->sent[r] =
            is_same ? m->sent[last - m->messages] : hash_bytes(1, one->send, one->send_bytes);
        last = one;
        m->sums[r] = (tn_message){&m->sent[r], sizeof *m->sent, &m->came[r], sizeof *m->came};
    }
    TN_TRY(pass(t, m->messages));
    TN_TRY(pass(t, m->sums));
    for (uint32_t r = 0; r < t->transport.ranks; r++) {
        const tn_message *one = &m->messages[r];
        if (r != t->transport.rank && hash_bytes(1, one->receive, one->receive_bytes) != m->came[r])
            return lost(t, "a message was damaged on its way");
    }
    return TN_OK;
}

/* Send all messages if STATUS is TN_OK. */
static tn_status mail_send_if(const tn_trainer *t, mail *m, tn_status status)
{
    return status == TN_OK ? mail_send(t, m) : status;
}

static tn_status mail_done(mail *m, tn_status status)
{
    arena_release(&m->memory);
    return status;
}

/* Let each rank have all of AT, N bytes, of which rank r has those in [begin[r], begin[r + 1]). */
static tn_status share(const tn_trainer *t, char *at, const size_t *begin)
{
    mail m;
    const uint32_t own = t->transport.rank;
    tn_status s = mail_begin(t, &m);
    for (uint32_t r = 0; s == TN_OK && r < t->transport.ranks; r++)
        if (r != own)
            m.messages[r] = (tn_message){at + begin[own], begin[own + 1] - begin[own],
                                         at + begin[r], begin[r + 1] - begin[r]};
    return mail_done(&m, mail_send_if(t, &m, s));
}

/* ---- the beginning ---- */

tn_status ranks_meet(tn_trainer *t)
{
    enum { N = 8 };
    mail m;
    const uint64_t own[N] = {t->o.batch,      t->o.leaves,    t->o.seed, t->samples,
                             t->program_hash, t->update_hash, t->step,   t->transport.ranks};
    if (is_alone(t))
        return TN_OK;
    tn_status s = mail_begin(t, &m);
    uint64_t *others = ARENA_ARRAY(&m.memory, uint64_t, (size_t)N * t->transport.ranks);
    for (uint32_t r = 0; s == TN_OK && others && r < t->transport.ranks; r++)
        if (r != t->transport.rank)
            m.messages[r] = (tn_message){own, sizeof own, others + (size_t)N * r, sizeof own};
    s = mail_send_if(t, &m, s);
    for (uint32_t r = 0; s == TN_OK && r < t->transport.ranks; r++)
        if (r != t->transport.rank && memcmp(others + (size_t)N * r, own, sizeof own) != 0)
            s = trainer_fault(
                t->cx, DIAG_InputMismatch,
                "rank %u trains another program, on other data, with other options or "
                "from another step than rank %u",
                r, t->transport.rank);
    return mail_done(&m, s);
}

/* ---- losses and squares ---- */

/* Where the part of each rank begins among numbers of SIZE bytes; FIRST says which number it is. */
static size_t *begins(const tn_trainer *t, arena *memory,
                      size_t (*first)(const tn_trainer *t, uint32_t rank))
{
    size_t *begin = ARENA_ARRAY(memory, size_t, (size_t)t->transport.ranks + 1);
    for (uint32_t r = 0; begin && r <= t->transport.ranks; r++)
        begin[r] = first(t, r);
    return begin;
}

static size_t first_loss(const tn_trainer *t, uint32_t rank)
{
    return (size_t)ranks_first(t, t->o.leaves, rank) * sizeof(double);
}

static size_t first_weight(const tn_trainer *t, uint32_t rank)
{
    size_t first, end;
    ranks_weights(t, rank, &first, &end);
    return first;
}

static size_t first_square(const tn_trainer *t, uint32_t rank)
{
    return first_weight(t, rank) * sizeof(double);
}

/* Where the weights of a rank begin in a block. */
static size_t first_gradient(const tn_trainer *t, uint32_t rank)
{
    const size_t first = first_weight(t, rank);
    return first < t->n_weights ? t->weights[first].at : t->block;
}

static tn_status share_by(const tn_trainer *t, void *at,
                          size_t (*first)(const tn_trainer *t, uint32_t rank))
{
    arena memory;
    if (is_alone(t))
        return TN_OK;
    arena_init(&memory, &t->cx->allocator);
    const size_t *begin = begins(t, &memory, first);
    const tn_status s = begin ? share(t, at, begin) : diag_no_memory(&t->cx->diag);
    arena_release(&memory);
    return s;
}

tn_status ranks_share_losses(tn_trainer *t)
{
    return share_by(t, t->losses, first_loss);
}

tn_status ranks_share_squares(tn_trainer *t, double *squares)
{
    return share_by(t, squares, first_square);
}

/* ---- gradients ---- */

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

/* The bytes [BEGIN, END) of every node of this rank, node after node. */
static const void *pack(const tn_trainer *t, arena *memory, size_t begin, size_t end)
{
    const size_t bytes = end - begin;
    if (t->n_nodes == 1)
        return t->nodes[0].block + begin;
    char *all = arena_alloc_aligned(memory, bytes * t->n_nodes, 64);
    for (size_t i = 0; all && i < t->n_nodes; i++)
        memcpy(all + i * bytes, t->nodes[i].block + begin, bytes);
    return all;
}

/* Follow the tree over the nodes of all ranks, in order, for the weights [FIRST, END). What a block
 * holds of other weights is left alone: blocks of other ranks do not have it. */
static char *add_nodes(const tn_trainer *t, tree_node *nodes, size_t n, size_t first, size_t end)
{
    size_t top = 0;
    for (size_t i = 0; i < n; i++) {
        nodes[top++] = nodes[i];
        while (top > 1 && nodes[top - 2].n == nodes[top - 1].n &&
               nodes[top - 2].first % (2 * nodes[top - 2].n) == 0) {
            trainer_add(t, nodes[top - 2].block, nodes[top - 1].block, first, end);
            nodes[top - 2].n *= 2;
            top--;
        }
    }
    return nodes[0].block;
}

/* How many nodes of other ranks this one adds. */
static size_t nodes_of_others(const tn_trainer *t, tree_node *nodes)
{
    size_t n = 0;
    for (uint32_t r = 0; r < t->transport.ranks; r++)
        n += r == t->transport.rank ? 0 : nodes_of(t, r, nodes);
    return n;
}

/* Fill NODES, of all ranks in order, with blocks: those of this rank, and what the others send of
 * its weights, which goes to ROOM. */
static tn_status collect(tn_trainer *t, mail *m, char *room, tree_node *nodes, size_t *n)
{
    const uint32_t own = t->transport.rank;
    const size_t begin = first_gradient(t, own), bytes = first_gradient(t, own + 1) - begin;
    *n = 0;
    for (uint32_t r = 0; r < t->transport.ranks; r++) {
        const size_t to = first_gradient(t, r), to_end = first_gradient(t, r + 1);
        const size_t count = nodes_of(t, r, nodes + *n);
        if (r == own) {
            memcpy(nodes + *n, t->nodes, count * sizeof *nodes);
            *n += count;
            continue;
        }
        m->messages[r] = (tn_message){pack(t, &m->memory, to, to_end), (to_end - to) * t->n_nodes,
                                      room, bytes * count};
        if (m->memory.failed)
            return diag_no_memory(&t->cx->diag);
        for (size_t i = 0; i < count; i++, room += bytes) /* as if it were a whole block */
            nodes[*n + i].block = (char *)((uintptr_t)room - begin);
        *n += count;
    }
    return mail_send(t, m);
}

/* Alone, the one node is the sum. */
static tn_status take_sum(tn_trainer *t, char **sum)
{
    *sum = t->nodes[0].block;
    t->n_nodes = 0;
    return TN_OK;
}

/* With ROOM for the nodes of others, follow the tree for the weights of this rank, to BLOCK. */
static tn_status sum_nodes(tn_trainer *t, mail *m, char *room, tree_node *nodes, char *block)
{
    size_t first, end, n;
    ranks_weights(t, t->transport.rank, &first, &end);
    TN_TRY(collect(t, m, room, nodes, &n));
    if (end > first) {
        const size_t at = t->weights[first].at, to = first_gradient(t, t->transport.rank + 1);
        memcpy(block + at, add_nodes(t, nodes, n, first, end) + at, to - at);
    }
    return TN_OK;
}

tn_status ranks_sum(tn_trainer *t, char **sum)
{
    mail m;
    const uint32_t own = t->transport.rank;
    if (is_alone(t))
        return take_sum(t, sum);
    tn_status s = mail_begin(t, &m);
    tree_node *nodes = ARENA_ARRAY(&m.memory, tree_node, (size_t)MOST_NODES * t->transport.ranks);
    char *block = trainer_take_block(t), *room = NULL, *kept = NULL;
    if (nodes) {
        const size_t bytes = first_gradient(t, own + 1) - first_gradient(t, own),
                     need = bytes * nodes_of_others(t, nodes);
        if (need <= t->block) /* memory that stays for the next step */
            room = kept = trainer_take_block(t);
        else
            room = arena_alloc_aligned(&m.memory, need, 64);
    }
    if (s == TN_OK)
        s = nodes && block && room ? sum_nodes(t, &m, room, nodes, block)
                                   : diag_no_memory(&t->cx->diag);
    if (kept)
        trainer_give_block(t, kept);
    if (s == TN_OK)
        *sum = block;
    else if (block)
        trainer_give_block(t, block);
    while (t->n_nodes > 0)
        trainer_give_block(t, t->nodes[--t->n_nodes].block);
    return mail_done(&m, s);
}

/* ---- weights ---- */

tn_status ranks_share_weights(tn_trainer *t)
{
    size_t first, end;
    if (is_alone(t))
        return TN_OK;
    if (t->values)
        return share_by(t, t->values, first_gradient);
    char *block = trainer_take_block(t);
    if (!block)
        return diag_no_memory(&t->cx->diag);
    ranks_weights(t, t->transport.rank, &first, &end);
    for (size_t k = first; k < end; k++)
        memcpy(block + t->weights[k].at, t->weights[k].value.data, t->weights[k].value.bytes);
    const tn_status s = share_by(t, block, first_gradient);
    for (size_t k = 0; s == TN_OK && k < t->n_weights; k++)
        if (k < first || k >= end)
            memcpy(t->weights[k].value.data, block + t->weights[k].at, t->weights[k].value.bytes);
    trainer_give_block(t, block);
    return s;
}

/* ---- checkpoints ---- */

static size_t state_bytes(const tn_trainer *t, uint32_t rank)
{
    size_t first, end, bytes = 0;
    ranks_weights(t, rank, &first, &end);
    for (size_t k = first; k < end; k++)
        for (size_t i = 0; i < t->rules[t->weights[k].rule].n_state; i++)
            bytes += trainer_state(t, &t->weights[k], i).bytes;
    return bytes;
}

/* Copy the state of the weights of RANK to PACKED, or from there. */
static void move_state(const tn_trainer *t, uint32_t rank, char *packed, bool to_packed)
{
    size_t first, end;
    ranks_weights(t, rank, &first, &end);
    for (size_t k = first; k < end; k++)
        for (size_t i = 0; i < t->rules[t->weights[k].rule].n_state; i++) {
            const tn_buffer b = trainer_state(t, &t->weights[k], i);
            memcpy(to_packed ? packed : b.data, to_packed ? b.data : packed, b.bytes);
            packed += b.bytes;
        }
}

static tn_status gather(const tn_trainer *t, mail *m)
{
    const uint32_t own = t->transport.rank;
    for (uint32_t r = own == 0 ? 1 : 0; r < (own == 0 ? t->transport.ranks : 1); r++) {
        const size_t bytes = state_bytes(t, own == 0 ? r : own);
        char *room = arena_alloc_aligned(&m->memory, bytes + 1, 64);
        if (!room)
            return diag_no_memory(&t->cx->diag);
        if (own == 0) {
            m->messages[r] = (tn_message){NULL, 0, room, bytes};
        } else {
            move_state(t, own, room, true);
            m->messages[0] = (tn_message){room, bytes, NULL, 0};
        }
    }
    TN_TRY(mail_send(t, m));
    for (uint32_t r = 1; own == 0 && r < t->transport.ranks; r++)
        move_state(t, r, m->messages[r].receive, false);
    return TN_OK;
}

tn_status ranks_gather_state(const tn_trainer *t)
{
    mail m;
    if (is_alone(t))
        return TN_OK;
    tn_status s = mail_begin(t, &m);
    if (s == TN_OK)
        s = gather(t, &m);
    return mail_done(&m, s);
}

tn_status ranks_agree(const tn_trainer *t, tn_status status)
{
    mail m;
    uint64_t told = (uint64_t)status;
    if (is_alone(t))
        return status;
    tn_status s = mail_begin(t, &m);
    for (uint32_t r = 0; s == TN_OK && r < t->transport.ranks; r++) {
        if (t->transport.rank == 0 && r != 0)
            m.messages[r] = (tn_message){&told, sizeof told, NULL, 0};
        else if (t->transport.rank != 0 && r == 0)
            m.messages[r] = (tn_message){NULL, 0, &told, sizeof told};
    }
    s = mail_done(&m, mail_send_if(t, &m, s));
    if (s == TN_OK && t->transport.rank != 0 && told != TN_OK)
        return lost(t, "rank 0 could not write the checkpoint");
    return s != TN_OK ? s : (tn_status)told;
}

tn_status ranks_leave(const tn_trainer *t, tn_status status)
{
    if (status != TN_OK && t->transport.leave) {
        diag_flush(&t->cx->diag); /* leaving may be the end of this process */
        t->transport.leave(t->transport.user);
    }
    return status;
}
