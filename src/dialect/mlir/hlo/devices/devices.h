/* Programs that run side by side in one graph, and what they exchange. Each process is known by its
 * replica and its partition, and is one of a list in which the partition changes faster. */
#ifndef DIALECT_MLIR_HLO_DEVICES_DEVICES_H
#define DIALECT_MLIR_HLO_DEVICES_DEVICES_H

#include "dialect/mlir/hlo/shlo.h"

enum { SHLO_MOST_PROCESSES = 64 };

/* How many there are, and the one that an operation belongs to. */
typedef struct shlo_process {
    uint32_t n_replicas, n_partitions;
    uint32_t replica, partition;
} shlo_process;

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

/* Is it an operation that processes do together? */
bool shlo_is_exchange(const mir_op *op);
/* What each of G gets of the operation, which each does in the frame of its CALLS: OUT has the
 * results of the first, then those of the second, and so on. */
bool shlo_exchange(shlo_call *calls, const shlo_group *g, shlo_value *out);

#endif
