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
    {"data", offsetof(facts, data), true, "set of samples"},
    {"inputs", offsetof(facts, inputs), true, "value of an input that is not trained"},
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
                   .data = t->data_hash,
                   .inputs = t->fixed_hash,
                   .step = t->step};
}

static uint64_t hash_tensor(uint64_t hash, const tn_buffer *b)
{
    hash = hash_bytes(hash, b->type.dims, b->type.rank * sizeof b->type.dims[0]);
    return hash_bytes(hash, b->data, b->bytes);
}

/* Weights, and the state of the optimizer. */
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
    return hash;
}

/* A few samples, spread over all: data that was shuffled, cut or prepared in another way has
 * others. To read all of it may take hours. */
static tn_status hash_samples(const tn_trainer *t, const loader_input *in, arena *memory,
                              uint64_t *hash)
{
    enum { SOME = 16, FEW = 2, MOST_BYTES = 64 << 20 };
    dataset_fault fault;
    const size_t bytes = in->bytes / (size_t)(t->o.batch / t->o.leaves);
    void *row = arena_alloc_aligned(memory, bytes + 1, 64);
    void *room = arena_alloc_aligned(memory, (size_t)in->column->row + 1, 64);
    if (!row || !room)
        return diag_no_memory(&t->cx->diag);
    const uint64_t fit = MOST_BYTES / (bytes + 1);
    const uint64_t last = t->samples - 1, most = (fit < FEW ? FEW : fit < SOME ? fit : SOME) - 1;
    for (uint64_t i = 0; i <= most && i <= last; i++) {
        const uint64_t at = last < most ? i : last / most * i + last % most * i / most;
        if (!dataset_read(in->column, &at, 1, in->dtype, row, room, &fault))
            return dataset_report(t->cx, &fault);
        *hash = hash_bytes(*hash, row, bytes);
    }
    return TN_OK;
}

/* 0 is none: older checkpoints say nothing of it. */
static uint64_t not_zero(uint64_t hash)
{
    return hash ? hash : 1;
}

tn_status facts_begin(tn_trainer *t)
{
    arena memory;
    tn_status s = TN_OK;
    uint64_t hash = 0;
    arena_init(&memory, &t->cx->allocator);
    for (size_t i = 0; s == TN_OK && i < t->n_inputs; i++)
        s = hash_samples(t, &t->inputs[i], &memory, &hash);
    arena_release(&memory);
    t->data_hash = not_zero(hash);
    hash = 0;
    for (size_t i = 0; i < t->n_in; i++)
        if (t->roles[i] == ROLE_FIXED)
            hash = hash_tensor(hash, &t->in[i]);
    t->fixed_hash = not_zero(hash);
    return s;
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
