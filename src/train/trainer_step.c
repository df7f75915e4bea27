/* One step: leaves, their sum, the norm, the update. */
#include <math.h>
#include <string.h>

#include "base/context/options.h"
#include "train/trainer.h"
#include "train/tree.h"

/* ---- leaves ---- */

/* A block for the gradients of a leaf: one that is free, or a new one. */
static void *take_block(tn_trainer *t)
{
    void *block = t->spare;
    t->spare = NULL;
    return block ? block : memory_alloc(&t->cx->allocator, t->block);
}

/* Where the run of a leaf leaves its gradients: in BLOCK, or in a room of their own where they are
 * not of the type in which they are added. */
static void aim(tn_trainer *t, char *block)
{
    for (size_t k = 0; k < t->n_weights; k++) {
        const weight *w = &t->weights[k];
        t->out[w->output] = w->value;
        t->out[w->output].data = w->narrow ? w->narrow : block + w->at;
    }
}

static tn_status run_leaf(tn_trainer *t, uint64_t leaf, void *block)
{
    dataset_fault fault;
    void *const *data = loader_next(t->loader, &fault);
    const tn_run_options run = {.size = sizeof run,
                                .threads = t->compile.threads,
                                .seed = tn_leaf_seed(t->o.seed, t->step, leaf)};
    if (!data)
        return dataset_report(t->cx, &fault);
    for (size_t i = 0; i < t->n_inputs; i++)
        t->in[t->input_at[i]].data = data[i];
    aim(t, block);
    const tn_status s = tn_program_run(t->gradient, t->in, t->n_in, t->out, t->n_out, &run);
    loader_done(t->loader);
    if (s != TN_OK)
        return s;
    const tn_buffer *loss = &t->out[t->loss];
    (void)dtype_cast(loss->type.dtype, loss->data, TN_F64, &t->losses[leaf], 1);
    for (size_t k = 0; k < t->n_weights; k++) {
        const weight *w = &t->weights[k];
        if (w->narrow)
            dtype_widen(w->value.type.dtype, w->narrow, (char *)block + w->at, w->n);
    }
    return TN_OK;
}

/* ---- the tree ---- */

static void add_blocks(const tn_trainer *t, char *x, const char *y)
{
    for (size_t k = 0; k < t->n_weights; k++) {
        const weight *w = &t->weights[k];
        tree_add(w->sum, x + w->at, y + w->at, w->n);
    }
}

/* Leaf number LEAF has the gradients BLOCK: add what is complete, as a binary counter carries. */
static void carry(tn_trainer *t, uint64_t leaf, void *block)
{
    size_t level = 0;
    for (; leaf >> level & 1; level++) {
        add_blocks(t, t->waiting[level], block);
        void *sum = t->waiting[level];
        t->waiting[level] = block;
        block = sum;
    }
    void *unused = t->waiting[level];
    t->waiting[level] = block;
    if (unused && !t->spare)
        t->spare = unused;
    else
        memory_free(&t->cx->allocator, unused, t->block);
}

/* The sum of the gradients of all leaves. */
static tn_status sum_leaves(tn_trainer *t, char **sum)
{
    size_t level = 0;
    for (uint64_t leaf = 0; leaf < t->o.leaves; leaf++) {
        void *block = take_block(t);
        if (!block)
            return diag_no_memory(&t->cx->diag);
        const tn_status s = run_leaf(t, leaf, block);
        if (s != TN_OK) {
            t->spare = block;
            return s;
        }
        carry(t, leaf, block);
    }
    while (t->o.leaves >> (level + 1))
        level++;
    *sum = t->waiting[level];
    return TN_OK;
}

/* By the same tree, in place. */
static double sum_losses(const tn_trainer *t)
{
    for (uint64_t n = 1; n < t->o.leaves; n *= 2)
        for (uint64_t i = 0; i < t->o.leaves; i += 2 * n)
            t->losses[i] += t->losses[i + n];
    return t->losses[0];
}

/* ---- the gradient as a whole ---- */

/* The sum of the squares of N elements: eight sums over every eighth of them, then these. */
static double squares(tn_dtype d, const void *x, size_t n)
{
    enum { LANES = 8 };
    double lane[LANES] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++) {
        const double v = d == TN_F64 ? ((const double *)x)[i] : (double)((const float *)x)[i];
        lane[i % LANES] += v * v;
    }
    for (size_t i = 0; i < LANES; i++)
        sum += lane[i];
    return sum;
}

static double norm_of(const tn_trainer *t, const char *block)
{
    double sum = 0;
    for (size_t k = 0; k < t->n_weights; k++) {
        const weight *w = &t->weights[k];
        sum += squares(w->sum, block + w->at, w->n);
    }
    return sqrt(sum);
}

static void scale(const tn_trainer *t, char *block, double factor)
{
    if (factor == 1)
        return;
    for (size_t k = 0; k < t->n_weights; k++) {
        const weight *w = &t->weights[k];
        const float narrow = (float)factor;
        float *single = (float *)(void *)(block + w->at);
        double *wide = (double *)(void *)(block + w->at);
        for (size_t i = 0; i < w->n; i++)
            if (w->sum == TN_F64)
                wide[i] *= factor;
            else
                single[i] *= narrow;
    }
}

/* ---- the step ---- */

static tn_status begin(tn_trainer *t)
{
    const loader_plan plan = {t->inputs,  t->n_inputs, t->samples,
                              t->o.batch, t->o.leaves, t->o.seed};
    if (!t->loader)
        t->loader = loader_new(&t->cx->allocator, &plan, t->step);
    return t->loader ? TN_OK : diag_no_memory(&t->cx->diag);
}

static tn_status not_finite(const tn_trainer *t, const tn_train_step *done)
{
    const bool is_loss = !isfinite(done->loss);
    return trainer_fault(t->cx, DIAG_InvalidValue, "the %s of step %llu is %s",
                         is_loss ? "loss" : "norm of the gradient", (unsigned long long)done->step,
                         isnan(is_loss ? done->loss : done->norm) ? "NaN" : "infinite");
}

static tn_status step(tn_trainer *t, tn_train_step *done)
{
    char *sum = NULL;
    TN_TRY(begin(t));
    const tn_status s = sum_leaves(t, &sum);
    if (s != TN_OK) { /* what was read ahead is no longer what comes next */
        loader_free(t->loader);
        t->loader = NULL;
        return s;
    }
    const double share = 1 / (double)t->o.leaves; /* a power of two */
    done->loss = sum_losses(t) * share;
    done->norm = norm_of(t, sum) * share;
    done->rate = tn_schedule_rate(t->o.schedule, t->o.rate, t->step, t->o.steps, t->o.warmup);
    done->skipped = !isfinite(done->loss) || !isfinite(done->norm);
    if (done->skipped && !t->o.skip)
        return not_finite(t, done);
    const double clip = t->o.clip_norm;
    scale(t, sum, clip > 0 && done->norm > clip ? share * (clip / done->norm) : share);
    return done->skipped ? TN_OK : trainer_update(t, sum, done->rate);
}

tn_status tn_trainer_step(tn_trainer *t, tn_train_step *out)
{
    const size_t first = OPTIONS_FIRST(tn_train_step, skipped);
    if (out->size && out->size < first)
        return context_done(t->cx, trainer_fault(t->cx, DIAG_Usage, "the size of the step"));
    tn_train_step done = {.size = out->size, .step = t->step};
    done.epoch = t->step / (t->samples / t->o.batch);
    const tn_status s = step(t, &done);
    if (s == TN_OK)
        t->step++;
    *out = done;
    return context_done(t->cx, s);
}
