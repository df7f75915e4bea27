/* What belongs to which rank, and what ranks tell each other. Only bytes travel: every sum is made
 * by one rank, by the tree that one rank alone would follow. */
#include <string.h>

#include "train/mail.h"

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

/* ---- messages to all ---- */

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
    enum { N = 9 };
    mail m;
    const uint64_t own[N] = {t->o.batch, t->o.leaves,        t->o.seed,
                             t->samples, t->program_hash,    t->update_hash,
                             t->step,    t->transport.ranks, t->o.message_bytes};
    if (ranks_are_one(t))
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

size_t ranks_gradient(const tn_trainer *t, uint32_t rank)
{
    const size_t first = first_weight(t, rank);
    return first < t->n_weights ? t->weights[first].at : t->block;
}

static tn_status share_by(const tn_trainer *t, void *at,
                          size_t (*first)(const tn_trainer *t, uint32_t rank))
{
    arena memory;
    if (ranks_are_one(t))
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

/* ---- weights ---- */

tn_status ranks_share_weights(tn_trainer *t)
{
    size_t first, end;
    if (ranks_are_one(t))
        return TN_OK;
    if (t->values)
        return share_by(t, t->values, ranks_gradient);
    char *block = trainer_take_block(t);
    if (!block)
        return diag_no_memory(&t->cx->diag);
    ranks_weights(t, t->transport.rank, &first, &end);
    for (size_t k = first; k < end; k++)
        memcpy(block + t->weights[k].at, t->weights[k].value.data, t->weights[k].value.bytes);
    const tn_status s = share_by(t, block, ranks_gradient);
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
    if (ranks_are_one(t))
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
    if (ranks_are_one(t))
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
        return mail_lost(t, "rank 0 could not write the checkpoint");
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
