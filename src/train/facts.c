/* What must be the same for the steps of several trainings to be those of one. */
#include "train/facts.h"

#include <stddef.h>
#include <string.h>

#include "base/memory/hash.h"

const facts_field facts_fields[FACTS_ALL] = {
    {"step", offsetof(facts, step), false, "step"},
    {"batch", offsetof(facts, batch), false, "batch"},
    {"leaves", offsetof(facts, leaves), false, "leaves"},
    {"seed", offsetof(facts, seed), false, "seed"},
    {"samples", offsetof(facts, samples), false, "samples"},
    {"program", offsetof(facts, program), true, "program"},
    {"update", offsetof(facts, update), true, "update"},
    {"rate", offsetof(facts, rate), true, "learning rate"},
    {"schedule", offsetof(facts, schedule), false, "schedule"},
    {"warmup", offsetof(facts, warmup), false, "warmup"},
    {"steps", offsetof(facts, steps), false, "number of steps"},
    {"clip", offsetof(facts, clip), true, "norm to which gradients are clipped"},
    {"hash", offsetof(facts, hash), true, "first values"},
    {NULL, offsetof(facts, skip), false, "rule for steps that are not finite"},
    {NULL, offsetof(facts, ranks), false, "number of ranks"},
    {NULL, offsetof(facts, message_bytes), false, "size of messages"},
};

uint64_t *facts_at(facts *f, size_t field)
{
    return (uint64_t *)(void *)((char *)f + facts_fields[field].at);
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* What a training may change on the way: for how long it goes on, unless the rate depends on that,
 * and what becomes of a step whose loss is not finite. */
facts facts_of(const tn_trainer *t)
{
    const bool is_constant = t->o.schedule == TN_SCHEDULE_CONSTANT;
    return (facts){.batch = t->o.batch,
                   .leaves = t->o.leaves,
                   .seed = t->o.seed,
                   .samples = t->samples,
                   .program = t->program_hash,
                   .update = t->update_hash,
                   .rate = bits_of(t->o.rate),
                   .schedule = (uint64_t)t->o.schedule,
                   .warmup = t->o.warmup,
                   .steps = is_constant ? 0 : t->o.steps,
                   .clip = bits_of(t->o.clip_norm),
                   .step = t->step};
}

static uint64_t hash_tensor(uint64_t hash, const tn_buffer *b)
{
    hash = hash_bytes(hash, b->type.dims, b->type.rank * sizeof b->type.dims[0]);
    return hash_bytes(hash, b->data, b->bytes);
}

/* Weights, the state of the optimizer, and inputs that no step changes. */
static uint64_t hash_values(const tn_trainer *t)
{
    uint64_t hash = 0;
    for (size_t k = 0; k < t->n_weights; k++) {
        const weight *w = &t->weights[k];
        hash = hash_tensor(hash, &w->value);
        for (size_t i = 0; i < t->rules[w->rule].n_state; i++) {
            const tn_buffer state = trainer_state(t, w, i);
            hash = hash_tensor(hash, &state);
        }
    }
    for (size_t i = 0; i < t->n_in; i++)
        if (t->roles[i] == ROLE_FIXED)
            hash = hash_tensor(hash, &t->in[i]);
    return hash;
}

/* Ranks end together, so that the number of steps counts always. */
facts facts_of_rank(const tn_trainer *t)
{
    facts f = facts_of(t);
    f.steps = t->o.steps;
    f.skip = t->o.skip;
    f.ranks = t->transport.ranks;
    f.message_bytes = t->o.message_bytes;
    f.hash = hash_values(t);
    return f;
}
