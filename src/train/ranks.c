/* What belongs to which rank, and what ranks tell each other. Only bytes travel: every sum is made
 * by one rank, by the tree that one rank alone would follow. */
#include <stdlib.h>
#include <string.h>

#include "train/facts.h"
#include "train/mail.h"

uint64_t ranks_first(const tn_trainer *t, uint64_t n, uint32_t rank)
{
    const uint64_t ranks = t->transport.ranks; /* n * rank / ranks, which does not overflow so */
    return n / ranks * rank + n % ranks * rank / ranks;
}

/* ---- who changes which weight ---- */

enum {
    PIECE = 8 << 20, /* bytes of gradients that travel together, at least, */
    MOST_PIECES = 8, /* unless there are as many */
    ALIGNMENT = 64
};

/* The room of a gradient in a block. */
static size_t room_of(const weight *w)
{
    return (w->n * dtype_bytes(w->sum) + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

/* Cut the weights into pieces, from the last to the first, which is the order in which a reverse
 * walk finds their gradients. */
static void cut(tn_trainer *t)
{
    const size_t piece = t->o.message_bytes ? (size_t)t->o.message_bytes : PIECE;
    const size_t usual = t->block / MOST_PIECES;
    const size_t least = t->o.message_bytes || usual < piece ? piece : usual;
    size_t left = t->block, size = 0;
    for (size_t k = t->n_weights; k-- > 0;) {
        t->weights[k].piece = t->n_pieces;
        size += room_of(&t->weights[k]);
        left -= room_of(&t->weights[k]);
        if (size >= least && left >= piece) { /* no small rest */
            t->n_pieces++;
            size = 0;
        }
    }
    t->n_pieces++;
}

static int compare(size_t x, size_t y)
{
    return (x > y) - (x < y);
}

static weight *weight_at(const void *p)
{
    weight *w;
    memcpy(&w, p, sizeof(weight *));
    return w;
}

static int larger_first(const void *a, const void *b)
{
    const weight *x = weight_at(a), *y = weight_at(b);
    const int by_size = compare(room_of(y), room_of(x));
    return by_size ? by_size : compare(y->output, x->output);
}

static int by_rank(const void *a, const void *b)
{
    const weight *x = weight_at(a), *y = weight_at(b);
    int order = compare(x->rank, y->rank);
    order = order ? order : compare(x->piece, y->piece);
    return order ? order : compare(x->output, y->output);
}

/* Each weight goes to the rank that has least, large ones first. So ranks have about as much of
 * each piece, too, where the layers of a network are alike. */
static tn_status give_out(tn_trainer *t)
{
    const uint32_t ranks = t->transport.ranks;
    arena memory;
    arena_init(&memory, &t->cx->allocator);
    size_t *load = ARENA_ARRAY(&memory, size_t, ranks);
    if (load)
        memset(load, 0, ranks * sizeof *load);
    qsort(t->placed, t->n_weights, sizeof *t->placed, larger_first);
    for (size_t i = 0; load && i < t->n_weights; i++) {
        uint32_t least = 0;
        for (uint32_t r = 1; r < ranks; r++)
            least = load[r] < load[least] ? r : least;
        t->placed[i]->rank = least;
        load[least] += room_of(t->placed[i]);
    }
    arena_release(&memory);
    return load ? TN_OK : diag_no_memory(&t->cx->diag);
}

tn_status ranks_deal(tn_trainer *t)
{
    t->placed = ARENA_ARRAY(&t->memory, weight *, t->n_weights);
    t->owned = ARENA_ARRAY(&t->memory, size_t, (size_t)t->transport.ranks + 1);
    if (t->memory.failed)
        return diag_no_memory(&t->cx->diag);
    memset(t->owned, 0, ((size_t)t->transport.ranks + 1) * sizeof *t->owned);
    for (size_t k = 0; k < t->n_weights; k++) {
        t->placed[k] = &t->weights[k];
        t->block += room_of(&t->weights[k]);
    }
    cut(t);
    TN_TRY(give_out(t));
    qsort(t->placed, t->n_weights, sizeof *t->placed, by_rank);
    size_t at = 0;
    for (size_t i = 0; i < t->n_weights; i++) {
        weight *w = t->placed[i];
        w->place = i;
        w->at = at;
        at += room_of(w);
        t->owned[w->rank + 1]++;
    }
    for (uint32_t r = 0; r < t->transport.ranks; r++)
        t->owned[r + 1] += t->owned[r];
    t->block += t->block == 0; /* so that it can be had and given back */
    return TN_OK;
}

size_t ranks_begin(const tn_trainer *t, size_t place)
{
    return place < t->n_weights ? t->placed[place]->at : t->block;
}

/* ---- messages to all ---- */

/* Let each rank have all of AT, N bytes, of which rank r has those in [begin[r], begin[r + 1]). */
static tn_status share(const tn_trainer *t, char *at, const size_t *begin)
{
    mail m;
    size_t most = 0;
    const uint32_t own = t->transport.rank;
    for (uint32_t r = 0; r < t->transport.ranks; r++)
        most = begin[r + 1] - begin[r] > most ? begin[r + 1] - begin[r] : most;
    tn_status s = mail_begin(t, &m, most);
    for (uint32_t r = 0; s == TN_OK && r < t->transport.ranks; r++)
        if (r != own)
            m.messages[r] = (tn_message){at + begin[own], begin[own + 1] - begin[own],
                                         at + begin[r], begin[r + 1] - begin[r]};
    return mail_done(&m, mail_send_if(t, &m, s));
}

/* ---- the beginning ---- */

/* Is rank R, which told HAVE, of the training of this one, which told OWN? */
static tn_status match(const tn_trainer *t, uint32_t r, facts *own, facts *have)
{
    for (size_t i = 0; i < FACTS_ALL; i++)
        if (*facts_at(own, i) != *facts_at(have, i))
            return trainer_fault(t->cx, DIAG_InputMismatch, "rank %u has another %s than rank %u",
                                 r, facts_fields[i].text, t->transport.rank);
    return TN_OK;
}

tn_status ranks_meet(tn_trainer *t)
{
    mail m;
    if (ranks_are_one(t))
        return TN_OK;
    facts own = facts_of_rank(t);
    tn_status s = mail_begin(t, &m, sizeof own);
    facts *others = ARENA_ARRAY(&m.memory, facts, t->transport.ranks);
    for (uint32_t r = 0; s == TN_OK && others && r < t->transport.ranks; r++)
        if (r != t->transport.rank)
            m.messages[r] = (tn_message){&own, sizeof own, &others[r], sizeof own};
    s = mail_send_if(t, &m, s);
    for (uint32_t r = 0; s == TN_OK && r < t->transport.ranks; r++)
        if (r != t->transport.rank)
            s = match(t, r, &own, &others[r]);
    return mail_done(&m, s);
}

/* ---- losses and squares ---- */

/* What rank RANK tells lies from here on: the losses of its leaves, then the squares of its
 * weights. */
static size_t first_number(const tn_trainer *t, uint32_t rank)
{
    return (size_t)ranks_first(t, t->o.leaves, rank) + t->owned[rank];
}

/* Copy what rank RANK tells to ALL, or from there. */
static void move_numbers(const tn_trainer *t, uint32_t rank, double *all, bool to_all)
{
    const size_t leaf = (size_t)ranks_first(t, t->o.leaves, rank);
    const size_t leaves = (size_t)ranks_first(t, t->o.leaves, rank + 1) - leaf;
    const size_t first = t->owned[rank], n = t->owned[rank + 1] - first;
    double *losses = all + first_number(t, rank), *squares = losses + leaves;
    memcpy(to_all ? losses : t->losses + leaf, to_all ? t->losses + leaf : losses,
           leaves * sizeof(double));
    memcpy(to_all ? squares : t->squares + first, to_all ? t->squares + first : squares,
           n * sizeof(double));
}

tn_status ranks_share_numbers(tn_trainer *t)
{
    arena memory;
    const uint32_t ranks = t->transport.ranks;
    if (ranks_are_one(t))
        return TN_OK;
    arena_init(&memory, &t->cx->allocator);
    double *all = ARENA_ARRAY(&memory, double, (size_t)t->o.leaves + t->n_weights);
    size_t *begin = ARENA_ARRAY(&memory, size_t, (size_t)ranks + 1);
    tn_status s = memory.failed ? diag_no_memory(&t->cx->diag) : TN_OK;
    for (uint32_t r = 0; s == TN_OK && r <= ranks; r++)
        begin[r] = first_number(t, r) * sizeof(double);
    if (s == TN_OK) {
        move_numbers(t, t->transport.rank, all, true);
        s = share(t, (char *)all, begin);
    }
    for (uint32_t r = 0; s == TN_OK && r < ranks; r++)
        move_numbers(t, r, all, false);
    arena_release(&memory);
    return s;
}

/* ---- weights ---- */

/* Let each rank have all of the block AT. */
static tn_status share_block(const tn_trainer *t, char *at)
{
    arena memory;
    arena_init(&memory, &t->cx->allocator);
    size_t *begin = ARENA_ARRAY(&memory, size_t, (size_t)t->transport.ranks + 1);
    for (uint32_t r = 0; begin && r <= t->transport.ranks; r++)
        begin[r] = ranks_begin(t, t->owned[r]);
    const tn_status s = begin ? share(t, at, begin) : diag_no_memory(&t->cx->diag);
    arena_release(&memory);
    return s;
}

tn_status ranks_share_weights(tn_trainer *t)
{
    const uint32_t own = t->transport.rank;
    if (ranks_are_one(t))
        return TN_OK;
    if (t->values)
        return share_block(t, t->values);
    char *block = trainer_take_block(t);
    if (!block)
        return diag_no_memory(&t->cx->diag);
    for (size_t i = t->owned[own]; i < t->owned[own + 1]; i++)
        memcpy(block + t->placed[i]->at, t->placed[i]->value.data, t->placed[i]->value.bytes);
    const tn_status s = share_block(t, block);
    for (size_t i = 0; s == TN_OK && i < t->n_weights; i++)
        if (t->placed[i]->rank != own)
            memcpy(t->placed[i]->value.data, block + t->placed[i]->at, t->placed[i]->value.bytes);
    trainer_give_block(t, block);
    return s;
}

/* ---- checkpoints ---- */

static size_t state_bytes(const tn_trainer *t, uint32_t rank)
{
    size_t bytes = 0;
    for (size_t k = t->owned[rank]; k < t->owned[rank + 1]; k++)
        for (size_t i = 0; i < t->rules[t->placed[k]->rule].n_state; i++)
            bytes += trainer_state(t, t->placed[k], i).bytes;
    return bytes;
}

/* Copy the state of the weights of RANK to PACKED, or from there. */
static void move_state(const tn_trainer *t, uint32_t rank, char *packed, bool to_packed)
{
    for (size_t k = t->owned[rank]; k < t->owned[rank + 1]; k++)
        for (size_t i = 0; i < t->rules[t->placed[k]->rule].n_state; i++) {
            const tn_buffer b = trainer_state(t, t->placed[k], i);
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
    size_t most = 0;
    if (ranks_are_one(t))
        return TN_OK;
    for (uint32_t r = 0; r < t->transport.ranks; r++)
        most = state_bytes(t, r) > most ? state_bytes(t, r) : most;
    tn_status s = mail_begin(t, &m, most);
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
    tn_status s = mail_begin(t, &m, sizeof told);
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
