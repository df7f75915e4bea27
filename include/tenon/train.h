/* The parts of training whose results do not depend on who computes what: the sum of gradients, the
 * order of samples, the seeds of random generators, the programs of optimisers.
 *
 * A step takes the gradient of a batch. The batch is cut into leaves of equally many samples; each
 * leaf is one run of the gradient program, and one fixed tree adds the gradients of the leaves.
 * What a step computes follows from the program, the data, the seed, the batch and the number of
 * leaves, bit by bit, however many threads or processes share the work. */
#ifndef TENON_TRAIN_H
#define TENON_TRAIN_H

#include "tenon/tenon.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sums ---- */

/* The elementwise sum of N_LEAVES tensors of N elements: one leaf is its own sum; else that of the
 * first 2^k leaves, with the largest 2^k below N_LEAVES, plus that of the others. Floats narrower
 * than f32 are added in f32, and each sum is rounded to DTYPE; integers wrap around.
 *
 * leaves   N_LEAVES addresses of N elements, at least one, aligned for DTYPE
 * sum      N elements; may be one of the leaves, else overlaps none
 * returns  TN_ERR_USAGE without leaves, or for i1, a 4-bit or a complex type
 * threads  any number at once */
TN_API tn_status tn_reduce_tree(tn_dtype dtype, const void *const *leaves, size_t n_leaves,
                                size_t n, void *sum);

/* ---- order and seeds ---- */

/* Which of N samples stands at POSITION, below N, of the epoch EPOCH: a permutation that SEED and
 * EPOCH choose. Needs no table, so that a run may begin anywhere. 0 when POSITION is not below N.
 */
TN_API uint64_t tn_sample_order(uint64_t seed, uint64_t epoch, uint64_t n, uint64_t position);
/* The seed of the random generators in leaf LEAF of step STEP. */
TN_API uint64_t tn_leaf_seed(uint64_t seed, uint64_t step, uint64_t leaf);

/* ---- learning rates ---- */

/* How the rate of step I, from 0, of N follows from the RATE that was asked for. */
typedef enum tn_schedule {
    TN_SCHEDULE_CONSTANT = 0,
    TN_SCHEDULE_COSINE, /* rate * (1 + cos(pi i / n)) / 2 */
    TN_SCHEDULE_STEP    /* rate / 10 from step n / 2 on, rate / 100 from step 3 n / 4 on */
} tn_schedule;

/* The rate of step I of N. During the first WARMUP steps it is multiplied by (i + 1) / warmup. The
 * result is the same on every machine. */
TN_API double tn_schedule_rate(tn_schedule schedule, double rate, uint64_t i, uint64_t n,
                               uint64_t warmup);

/* ---- optimisers ---- */

typedef struct tn_optimizer {
    size_t size;         /* of the structure; 0: its first layout */
    const char *name;    /* "sgd", "momentum", "adam" or "adamw"; NULL: "adam" */
    double weight_decay; /* adamw: w is first multiplied by 1 - rate * decay; the others: decay * w
                            is added to the gradient */
    double momentum;     /* of momentum; 0: 0.9 */
    double beta1, beta2; /* of adam and adamw; 0: 0.9, 0.999 */
    double epsilon;      /* of the same; 0: 1e-8 */
} tn_optimizer;

/* Make the program of one step of an optimiser: how weights change. It is an ordinary module of the
 * dialect ptir, to be printed, changed and read again. Tensors of any shape are passed as vectors
 * of n elements. Its inputs are found by their names:
 *
 *     weight    [n], of DTYPE
 *     gradient  [n], as are all below of DTYPE, or f32 for narrower floats
 *     rate      [], the learning rate
 *     step      [], the number of the step, from 1
 *     others    [n] or [], state: 0 before the first step
 *
 * Its outputs are the new weight and the new state, in the order of those inputs. `rate` and `step`
 * may be missing.
 *
 * options  NULL: all defaults
 * update   owned by the caller: tn_module_free; NULL on failure
 * returns  TN_ERR_USAGE  no such optimiser, a setting out of its range, or DTYPE is no float
 *          TN_ERR_NOMEM
 * source   Kingma and Ba, 2015 (adam); Loshchilov and Hutter, 2019 (adamw) */
TN_API tn_status tn_optimizer_program(tn_context *cx, const tn_optimizer *options, tn_dtype dtype,
                                      tn_module **update);

#ifdef __cplusplus
}
#endif
#endif
