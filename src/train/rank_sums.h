/* Sums of gradients travel from rank to rank while other gradients are computed.
 *
 * They go in rounds, whose order all ranks know beforehand. Each rank has some maximal nodes of the
 * tree of leaves. All but the last one of a rank go in a round each, as soon as they are complete;
 * the last ones go in pieces of several weights, from the last weight to the first, which is the
 * order in which a reverse walk finds their gradients. */
#ifndef TRAIN_RANK_SUMS_H
#define TRAIN_RANK_SUMS_H

#include "train/trainer.h"

typedef struct sums sums;

/* For the ranks of T, whose weights are laid out. NULL, and reported, without memory. */
sums *sums_new(tn_trainer *t);
/* NULL is fine. No step is going on. */
void sums_free(sums *s);

/* The leaves of a step begin. */
void sums_begin(sums *s);
/* NODE is the last one that waits, behind INDEX others: where it is a maximal one, but not the last
 * of this rank, it stays as it is, and may travel. */
void sums_take_node(sums *s, size_t index, const tree_node *node);
/* The last maximal node will be in BLOCK: it has the weights that sums_take_weight tells of. */
void sums_expect(sums *s, char *block);
void sums_take_weight(sums *s, size_t k);
/* What stops the rounds, NULL: nothing so far. */
const char *sums_fault(sums *s);
/* All leaves of this rank are done: wait for the rounds that are left. *SUM: a block in which the
 * weights that this rank changes have the sums of all leaves; it stays until the next step. */
tn_status sums_end(sums *s, char **sum);
/* The step has failed, and this rank has left the others, if it can: until now blocks were in use.
 */
void sums_stop(sums *s);

#endif
