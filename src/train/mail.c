/* Passing messages on, and their checksums after them. */
#include "train/mail.h"

#include "base/memory/hash.h"

tn_status mail_lost(const tn_trainer *t, const char *why)
{
    const tn_status s =
        trainer_fault(t->cx, DIAG_BackendUnavailable, "rank %u: %s", t->transport.rank, why);
    diag_fix(&t->cx->diag, NO_SPAN, NULL, "resume from the last checkpoint (--resume)");
    return s;
}

tn_status mail_begin(const tn_trainer *t, mail *m)
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

const char *mail_pass(const tn_transport *transport, mail *m)
{
    const tn_message *last = NULL; /* which is often the same for all */
    for (uint32_t r = 0; r < transport->ranks; r++) {
        const tn_message *one = &m->messages[r];
        if (r == transport->rank)
            continue;
        const bool is_same = last && last->send == one->send && last->send_bytes == one->send_bytes;
        m->sent[r] =
            is_same ? m->sent[last - m->messages] : hash_bytes(1, one->send, one->send_bytes);
        last = one;
        m->sums[r] = (tn_message){&m->sent[r], sizeof *m->sent, &m->came[r], sizeof *m->came};
    }
    const char *why = transport->exchange(transport->user, m->messages);
    if (!why)
        why = transport->exchange(transport->user, m->sums);
    for (uint32_t r = 0; !why && r < transport->ranks; r++) {
        const tn_message *one = &m->messages[r];
        if (r != transport->rank && hash_bytes(1, one->receive, one->receive_bytes) != m->came[r])
            why = "a message was damaged on its way";
    }
    return why;
}

tn_status mail_send(const tn_trainer *t, mail *m)
{
    if (m->memory.failed)
        return diag_no_memory(&t->cx->diag);
    const char *why = mail_pass(&t->transport, m);
    return why ? mail_lost(t, why) : TN_OK;
}

tn_status mail_send_if(const tn_trainer *t, mail *m, tn_status status)
{
    return status == TN_OK ? mail_send(t, m) : status;
}

tn_status mail_done(mail *m, tn_status status)
{
    arena_release(&m->memory);
    return status;
}
