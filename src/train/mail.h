/* Messages to all other ranks at once, with checksums. */
#ifndef TRAIN_MAIL_H
#define TRAIN_MAIL_H

#include "train/trainer.h"

/* One message for each rank, and the checksums of what is sent and what comes. Small messages carry
 * these themselves, as copies behind which there is room for one. */
typedef struct mail {
    arena memory;
    tn_message *messages, *sums; /* what is passed after the messages, or in their place */
    uint64_t *sent, *came;
    char *copies; /* of what is sent to each rank, and of what comes; NULL: no copies, */
    size_t copy;  /* of so many bytes */
} mail;

static inline bool ranks_are_one(const tn_trainer *t)
{
    return t->transport.ranks == 1;
}

/* No message between any two ranks has more than MOST bytes, which is the same for all ranks. */
tn_status mail_begin(const tn_trainer *t, mail *m, size_t most);
/* Send all messages. NULL, or what went wrong, which is not reported: any thread may do this. */
const char *mail_pass(const tn_transport *transport, mail *m);
/* The same, reported. */
tn_status mail_send(const tn_trainer *t, mail *m);
/* Send all messages if STATUS is TN_OK. */
tn_status mail_send_if(const tn_trainer *t, mail *m, tn_status status);
/* M is no longer needed. Returns STATUS. */
tn_status mail_done(mail *m, tn_status status);

/* Report that the ranks cannot go on, because of WHY. */
tn_status mail_lost(const tn_trainer *t, const char *why);

#endif
