/* Programs that run side by side in one graph, and what they exchange. Each process is known by its
 * replica and its partition, and is one of a list in which the partition changes faster. */
#ifndef DIALECT_MLIR_HLO_DEVICES_DEVICES_H
#define DIALECT_MLIR_HLO_DEVICES_DEVICES_H

#include "dialect/mlir/hlo/shlo.h"

enum { SHLO_MOST_PROCESSES = 64 };

/* Processes that do an operation together, by their places in the list and in the order of the
 * group. */
typedef struct shlo_group {
    uint32_t at[SHLO_MOST_PROCESSES];
    uint32_t n;
} shlo_group;

/* ---- alone.c ---- */

/* Zeros like X. */
tn_value shlo_zeros(shlo_call *c, tn_value x);

/* ---- groups.c ---- */

/* The group of the process that C belongs to, which may be none; false: it cannot be read. */
bool shlo_group_of(shlo_call *c, shlo_group *out);

/* ---- exchange.c ---- */

/* A group at work: the calls of its processes, and one operand of each. */
typedef struct shlo_exchange_of {
    shlo_call *calls;
    uint32_t n;
    tn_value in[SHLO_MOST_PROCESSES], out[SHLO_MOST_PROCESSES];
    tn_value root; /* the number in the group of the one that is the root; none: it is the first */
    tn_value own;  /* that of the process, where there is one call; -1 */
} shlo_exchange_of;

/* What the process E->own gets of E->in, operand K of each. */
bool shlo_exchange_own(shlo_exchange_of *e, uint32_t k, tn_value *out);

/* Is it an operation that processes do together? */
bool shlo_is_exchange(const mir_op *op);
/* What each of G gets of the operation, which each does in the frame of its CALLS: OUT has the
 * results of the first, then those of the second, and so on. */
bool shlo_exchange(shlo_call *calls, const shlo_group *g, shlo_value *out);

/* ---- ranks.c ---- */

/* The custom calls of programs that several processes run, whose kernels are those of
 * tn_context_register_exchange. */
#define SHLO_EXCHANGE_TARGET "tenon.exchange"
#define SHLO_RANK_TARGET "tenon.rank"

/* The number of the replica or the partition that runs the program. */
tn_value shlo_rank_id(shlo_call *c, bool of_partition);
/* An operation that the ranks do together. */
bool shlo_exchange_ranks(shlo_call *c);

#endif
