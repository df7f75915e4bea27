/* Passing messages on, and their checksums after them. */
#include "train/mail.h"

#include <string.h>

#include "base/memory/hash.h"

/* The checksum of a message. Of every eighth word it has the sum, which any other word changes, and
 * one of words that are turned from one to the next, which tells where they were. */
static uint64_t checksum(const void *bytes, size_t n)
{
    enum { LANES = 8, TURN = 29, BITS = 64 };
    const char *p = bytes;
    uint64_t sums[LANES] = {0}, turned[LANES] = {0}, words[LANES], h = hash_mix(1, n);
    for (; n >= sizeof words; n -= sizeof words, p += sizeof words) {
        memcpy(words, p, sizeof words);
        for (size_t i = 0; i < LANES; i++)
            sums[i] += words[i];
        for (size_t i = 0; i < LANES; i++)
            turned[i] = (turned[i] << TURN | turned[i] >> (BITS - TURN)) + words[i];
    }
    h = hash_bytes(h, p, n);
    return hash_bytes(hash_bytes(h, sums, sizeof sums), turned, sizeof turned);
}

tn_status mail_lost(const tn_trainer *t, const char *why)
{
    const tn_status s =
        trainer_fault(t->cx, DIAG_BackendUnavailable, "rank %u: %s", t->transport.rank, why);
    diag_fix(&t->cx->diag, NO_SPAN, NULL, "resume from the last checkpoint (%s)",
             diag_setting_name(&t->cx->diag, SETTING_RESUME));
    return s;
}

tn_status mail_begin(const tn_trainer *t, mail *m, size_t most)
{
    enum { SMALL = 1 << 16, MOST_COPIES = 1 << 20 }; /* bytes: copies cost less than an exchange */
    const size_t n = t->transport.ranks;
    *m = (mail){.messages = NULL};
    arena_init(&m->memory, &t->cx->allocator);
    m->messages = ARENA_ARRAY(&m->memory, tn_message, n);
    m->sums = ARENA_ARRAY(&m->memory, tn_message, n);
    m->sent = ARENA_ARRAY(&m->memory, uint64_t, n);
    m->came = ARENA_ARRAY(&m->memory, uint64_t, n);
    if (most <= SMALL && most * n <= MOST_COPIES) {
        m->copy = most + sizeof *m->sent;
        m->copies = ARENA_ARRAY(&m->memory, char, 2 * n * m->copy);
    }
    return m->memory.failed ? diag_no_memory(&t->cx->diag) : TN_OK;
}

static uint64_t checksum_of(const void *bytes, size_t n)
{
    return n > 0 ? checksum(bytes, n) : 0;
}

/* The checksums of what is sent, which is often the same for all. */
static void add_up(const tn_transport *transport, mail *m)
{
    const tn_message *last = NULL;
    for (uint32_t r = 0; r < transport->ranks; r++) {
        const tn_message *one = &m->messages[r];
        if (r == transport->rank)
            continue;
        const bool is_same = last && last->send == one->send && last->send_bytes == one->send_bytes;
        m->sent[r] =
            is_same ? m->sent[last - m->messages] : checksum_of(one->send, one->send_bytes);
        last = one;
    }
}

/* What of a message and its checksum is passed, where there is a message. */
static size_t with(size_t bytes, size_t more)
{
    return bytes > 0 ? bytes + more : 0;
}

static const char *pass_copies(const tn_transport *transport, mail *m)
{
    const size_t more = sizeof *m->sent;
    for (uint32_t r = 0; r < transport->ranks; r++) {
        const tn_message *one = &m->messages[r];
        char *out = m->copies + 2 * r * m->copy;
        m->sums[r] = (tn_message){out, with(one->send_bytes, more), out + m->copy,
                                  with(one->receive_bytes, more)};
        if (r == transport->rank)
            m->sums[r] = (tn_message){0};
        if (m->sums[r].send_bytes > 0) {
            memcpy(out, one->send, one->send_bytes);
            memcpy(out + one->send_bytes, &m->sent[r], more);
        }
    }
    const char *why = transport->exchange(transport->user, m->sums);
    for (uint32_t r = 0; !why && r < transport->ranks; r++) {
        const tn_message *one = &m->messages[r];
        const char *in = m->sums[r].receive;
        if (m->sums[r].receive_bytes == 0)
            continue;
        memcpy(one->receive, in, one->receive_bytes);
        memcpy(&m->came[r], in + one->receive_bytes, more);
    }
    return why;
}

static const char *pass_apart(const tn_transport *transport, mail *m)
{
    const size_t more = sizeof *m->sent;
    for (uint32_t r = 0; r < transport->ranks; r++)
        m->sums[r] = (tn_message){&m->sent[r], m->messages[r].send_bytes > 0 ? more : 0,
                                  &m->came[r], m->messages[r].receive_bytes > 0 ? more : 0};
    m->sums[transport->rank] = (tn_message){0};
    const char *why = transport->exchange(transport->user, m->messages);
    return why ? why : transport->exchange(transport->user, m->sums);
}

const char *mail_pass(const tn_transport *transport, mail *m)
{
    add_up(transport, m);
    const char *why = (m->copies ? pass_copies : pass_apart)(transport, m);
    for (uint32_t r = 0; !why && r < transport->ranks; r++) {
        const tn_message *one = &m->messages[r];
        if (r != transport->rank && one->receive_bytes > 0 &&
            checksum(one->receive, one->receive_bytes) != m->came[r])
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
