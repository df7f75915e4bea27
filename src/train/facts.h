/* What must be the same for the steps of several trainings to be those of one. */
#ifndef TRAIN_FACTS_H
#define TRAIN_FACTS_H

#include "train/trainer.h"

/* Only words, so that ranks can send it. */
typedef struct facts {
    uint64_t batch, leaves, seed, samples, program, update;
    uint64_t rate, schedule, warmup, steps, clip;
    uint64_t step, hash;
    uint64_t data, inputs; /* of a few samples, and of inputs that no step changes; 0: not known */
    uint64_t skip, ranks, message_bytes; /* of ranks only */
} facts;

typedef struct facts_field {
    const char *name; /* in a checkpoint */
    size_t at;
    bool is_hash;     /* written in hexadecimal, as a text */
    const char *text; /* what it is */
} facts_field;

/* First those that a checkpoint describes, of which older ones lack the last. */
enum {
    FACTS_STEP = 0,
    FACTS_HASH = 12,
    FACTS_NEEDED,
    FACTS_STORED = FACTS_NEEDED + 2,
    FACTS_ALL = FACTS_STORED + 3
};
extern const facts_field facts_fields[FACTS_ALL];

uint64_t *facts_at(facts *f, size_t field);

/* Find what is known of data and inputs before the first step. */
tn_status facts_begin(tn_trainer *t);

/* What a checkpoint of T has to agree with, without the hash of its tensors. */
facts facts_of(const tn_trainer *t);
/* What the other ranks have to agree with, with a hash of all values that T has. */
facts facts_of_rank(const tn_trainer *t);

#endif
