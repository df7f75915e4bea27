/* One step: leaves, their sum, the norm, the update. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context/options.h"
#include "base/system/clock.h"
#include "base/system/float_modes.h"
#include "train/rank_sums.h"
#include "train/trainer.h"
#include "train/tree.h"

/* ---- leaves ---- */

void *trainer_take_block(tn_trainer *t)
{
    if (t->n_free > 0)
        return t->free[--t->n_free];
    void *block = memory_alloc(&t->cx->allocator, t->block);
    if (block)
        memset(block, 0, t->block);
    return block;
}

void trainer_give_block(tn_trainer *t, void *block)
{
    if (t->n_free < MOST_NODES)
        t->free[t->n_free++] = block;
    else
        memory_free(&t->cx->allocator, block, t->block);
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

/* What is left of the time of a step that has to end at DEADLINE; at least 1, as 0 is no limit. */
static uint64_t time_left(int64_t deadline)
{
    const int64_t left = deadline - clock_now();
    return left > 0 ? (uint64_t)left : 1;
}

/* ---- the tree ---- */

void trainer_add(const weight *w, char *x, const char *y)
{
    tree_add(w->sum, x + w->at, y + w->at, w->n);
}

/* A leaf that is computed, and what it completes. */
typedef struct leaf_sum {
    tn_trainer *t;
    char *block;   /* its own gradients */
    size_t merges; /* how many of the last nodes become one with it */
    bool is_last;  /* of this rank: what gets complete may travel */
} leaf_sum;

/* How many nodes become one with the leaf that comes after them. */
static size_t merges_of(const tn_trainer *t)
{
    size_t n = 0;
    for (uint64_t size = 1; n < t->n_nodes; n++, size *= 2) {
        const tree_node *left = &t->nodes[t->n_nodes - 1 - n];
        if (left->n != size || left->first % (2 * size) != 0)
            break;
    }
    return n;
}

/* A weight has its gradient: add it along the tree. */
static void take_gradient(void *user, size_t output)
{
    const leaf_sum *l = user;
    const tn_trainer *t = l->t;
    const size_t k = t->weight_of[output];
    if (k == 0)
        return;
    const weight *w = &t->weights[k - 1];
    const char *sum = l->block;
    if (w->narrow)
        dtype_widen(w->value.type.dtype, w->narrow, l->block + w->at, w->n);
    for (size_t i = 1; i <= l->merges; i++) {
        trainer_add(w, t->nodes[t->n_nodes - i].block, sum);
        sum = t->nodes[t->n_nodes - i].block;
    }
    if (l->is_last && t->sums)
        sums_take_weight(t->sums, k - 1);
}

/* The nodes after leaf LEAF, whose gradients were added. */
static void push(tn_trainer *t, uint64_t leaf, const leaf_sum *l)
{
    t->nodes[t->n_nodes++] = (tree_node){leaf, 1, l->block};
    for (size_t i = 0; i < l->merges; i++) {
        trainer_give_block(t, t->nodes[--t->n_nodes].block);
        t->nodes[t->n_nodes - 1].n *= 2;
    }
}

/* ---- the leaves of a rank ---- */

static tn_status run_leaf(tn_trainer *t, uint64_t leaf, int64_t deadline, leaf_sum *l)
{
    dataset_fault fault;
    void *const *data = loader_next(t->loader, &fault);
    const tn_run_options run = {.size = sizeof run,
                                .threads = t->compile.threads,
                                .seed = tn_leaf_seed(t->o.seed, t->step, leaf),
                                .timeout_ns = deadline ? time_left(deadline) : 0,
                                .discards = true,
                                .written = take_gradient,
                                .written_user = l};
    if (!data)
        return dataset_report(t->cx, &fault);
    for (size_t i = 0; i < t->n_inputs; i++)
        t->in[t->input_at[i]].data = data[i];
    aim(t, l->block);
    const tn_status s = tn_program_run(t->gradient, t->in, t->n_in, t->out, t->n_out, &run);
    loader_done(t->loader);
    if (s != TN_OK)
        return s;
    const tn_buffer *loss = &t->out[t->loss];
    (void)dtype_cast(loss->type.dtype, loss->data, TN_F64, &t->losses[leaf], 1);
    return TN_OK;
}

/* Give up the sums of a step. */
static void forget_nodes(tn_trainer *t)
{
    while (t->n_nodes > 0)
        trainer_give_block(t, t->nodes[--t->n_nodes].block);
}

/* Compute leaf LEAF of this rank, and add it. */
static tn_status add_leaf(tn_trainer *t, uint64_t leaf, bool is_last, int64_t deadline)
{
    leaf_sum l = {t, trainer_take_block(t), merges_of(t), is_last};
    const size_t before = t->n_nodes - l.merges;
    if (!l.block)
        return diag_no_memory(&t->cx->diag);
    if (is_last && t->sums)
        sums_expect(t->sums, l.merges ? t->nodes[before].block : l.block);
    const tn_status s = run_leaf(t, leaf, deadline, &l);
    push(t, leaf, &l); /* also what is not to be used */
    return s;
}

/* The gradients of the leaves of this rank. */
static tn_status sum_leaves(tn_trainer *t)
{
    const uint32_t rank = t->transport.rank;
    const uint64_t end = ranks_first(t, t->o.leaves, rank + 1);
    const int64_t now = t->o.step_timeout_ns ? clock_now() : 0;
    const int64_t deadline = t->o.step_timeout_ns < (uint64_t)(INT64_MAX - now)
                                 ? now + (int64_t)t->o.step_timeout_ns
                                 : INT64_MAX;
    for (uint64_t leaf = ranks_first(t, t->o.leaves, rank); leaf < end; leaf++) {
        const char *why = t->sums ? sums_fault(t->sums) : NULL;
        if (why) /* which is told when the rounds end */
            return TN_OK;
        TN_TRY(add_leaf(t, leaf, leaf + 1 == end, deadline));
        if (t->sums)
            sums_take_node(t->sums, t->n_nodes - 1, &t->nodes[t->n_nodes - 1]);
    }
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
enum { LANES = 8 };

static double add_lanes(const double *lane)
{
    double sum = 0;
    for (size_t i = 0; i < LANES; i++)
        sum += lane[i];
    return sum;
}

static double squares_f32(const float *x, size_t n)
{
    double lane[LANES] = {0};
    size_t at = 0;
    for (; n - at >= LANES; at += LANES)
        for (size_t i = 0; i < LANES; i++)
            lane[i] += (double)x[at + i] * (double)x[at + i];
    for (size_t i = 0; at + i < n; i++)
        lane[i] += (double)x[at + i] * (double)x[at + i];
    return add_lanes(lane);
}

static double squares_f64(const double *x, size_t n, double factor)
{
    double lane[LANES] = {0};
    for (size_t i = 0; i < n; i++)
        lane[i % LANES] += x[i] * factor * (x[i] * factor);
    return add_lanes(lane);
}

/* What squares that f64 cannot hold are made of instead. */
#define FAR_DOWN 0x1p-600

/* The sum or, where it is too large, that for gradients times FAR_DOWN, as a negative number. */
static double squares_of_any(const double *x, size_t n)
{
    const double sum = squares_f64(x, n, 1);
    return isinf(sum) ? -squares_f64(x, n, FAR_DOWN) : sum;
}

static double squares(tn_dtype d, const void *x, size_t n)
{
    return d == TN_F64 ? squares_of_any(x, n) : squares_f32(x, n);
}

/* The squares of the gradients of the weights of this rank, which lie in BLOCK. */
static void find_squares(const tn_trainer *t, const char *block)
{
    for (size_t i = t->owned[t->transport.rank]; i < t->owned[t->transport.rank + 1]; i++) {
        const weight *w = t->placed[i];
        t->squares[i] = squares(w->sum, block + w->at, w->n);
    }
}

static double norm_of(const tn_trainer *t)
{
    double sum = 0, small = 0;
    bool is_far = false;
    for (size_t k = 0; k < t->n_weights; k++) {
        const double part = t->squares[t->weights[k].place];
        is_far = is_far || part < 0;
        sum += part;
        small += part < 0 ? -part : part * FAR_DOWN * FAR_DOWN;
    }
    return is_far || isinf(sum) ? sqrt(small) / FAR_DOWN : sqrt(sum);
}

static void scale(const tn_trainer *t, char *block, double factor)
{
    const bool is_tiny = factor < (double)FLT_MIN; /* it would lose digits as an f32 */
    if (factor == 1)
        return;
    for (size_t k = t->owned[t->transport.rank]; k < t->owned[t->transport.rank + 1]; k++) {
        const weight *w = t->placed[k];
        const float narrow = (float)factor;
        float *single = (float *)(void *)(block + w->at);
        double *wide = (double *)(void *)(block + w->at);
        for (size_t i = 0; i < w->n; i++)
            if (w->sum == TN_F64)
                wide[i] *= factor;
            else
                single[i] = is_tiny ? (float)((double)single[i] * factor) : single[i] * narrow;
    }
}

/* ---- the step ---- */

static tn_status begin(tn_trainer *t)
{
    const uint64_t first = ranks_first(t, t->o.leaves, t->transport.rank);
    const uint64_t end = ranks_first(t, t->o.leaves, t->transport.rank + 1);
    const loader_plan plan = {t->inputs,   t->n_inputs, t->samples, t->o.batch,
                              t->o.leaves, t->o.seed,   first,      end - first};
    if (!t->has_met)
        TN_TRY(ranks_meet(t));
    t->has_met = true;
    if (!t->sums && t->transport.ranks > 1 && !(t->sums = sums_new(t)))
        return TN_ERR_NOMEM;
    if (!t->loader && end > first)
        t->loader = loader_new(&t->cx->allocator, &plan, t->step);
    return t->loader || end == first ? TN_OK : diag_no_memory(&t->cx->diag);
}

static tn_status not_finite(const tn_trainer *t, const tn_train_step *done)
{
    const bool is_loss = !isfinite(done->loss);
    return trainer_fault(t->cx, DIAG_InvalidValue, "the %s of step %llu is %s",
                         is_loss ? "loss" : "norm of the gradient", (unsigned long long)done->step,
                         isnan(is_loss ? done->loss : done->norm) ? "NaN" : "infinite");
}

/* From the gradients in SUM to the new weights. */
static tn_status finish(tn_trainer *t, tn_train_step *done, char *sum)
{
    const double share = 1 / (double)t->o.leaves; /* a power of two */
    find_squares(t, sum);
    TN_TRY(ranks_share_numbers(t));
    done->loss = sum_losses(t) * share;
    done->norm = norm_of(t) * share;
    done->rate = tn_schedule_rate(t->o.schedule, t->o.rate, t->step, t->o.steps, t->o.warmup);
    done->skipped = !isfinite(done->loss) || !isfinite(done->norm);
    if (done->skipped)
        return t->o.skip ? TN_OK : not_finite(t, done);
    const double clip = t->o.clip_norm;
    scale(t, sum, clip > 0 && done->norm > clip ? share * (clip / done->norm) : share);
    TN_TRY(trainer_update(t, sum, done->rate));
    return ranks_share_weights(t);
}

static tn_status step(tn_trainer *t, tn_train_step *done)
{
    char *sum;
    TN_TRY(begin(t));
    if (t->sums)
        sums_begin(t->sums);
    TN_TRY(sum_leaves(t));
    if (t->sums)
        TN_TRY(sums_end(t->sums, &sum));
    else
        sum = t->nodes[0].block; /* alone, the one node is the sum */
    return finish(t, done, sum);
}

tn_status tn_trainer_step(tn_trainer *t, tn_train_step *out)
{
    const size_t first = OPTIONS_FIRST(tn_train_step, skipped);
    if (out->size && out->size < first)
        return context_done(t->cx, trainer_fault(t->cx, DIAG_Usage, "the size of the step"));
    tn_train_step done = {.size = out->size, .step = t->step};
    done.epoch = t->step / (t->samples / t->o.batch);
    float_modes modes;
    float_modes_set(&modes);
    const tn_status s = ranks_leave(t, step(t, &done));
    float_modes_restore(&modes);
    if (s != TN_OK && t->sums)
        sums_stop(t->sums);
    forget_nodes(t);
    if (s == TN_OK) {
        t->step++;
    } else { /* what was read ahead is no longer what comes next */
        loader_free(t->loader);
        t->loader = NULL;
    }
    *out = done;
    return context_done(t->cx, s);
}
