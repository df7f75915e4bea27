/* What kernels and runs take at least. */
#ifndef COMPILE_EXPLAIN_RUN_COST_H
#define COMPILE_EXPLAIN_RUN_COST_H

#include "compile/explain/limits.h"
#include "compile/jit_plan.h"

typedef enum limit_kind {
    LIMIT_MEMORY,
    LIMIT_ARITHMETIC,
    LIMIT_MODEL, /* the kernel takes about so long */
    LIMIT_LOOP   /* nobody knows how often one runs */
} limit_kind;

/* The time that a kernel takes at least on one thread. */
typedef struct least_time {
    double seconds;
    limit_kind why;
} least_time;

least_time least_time_of(const machine_limits *m, const nest *n);

/* What the kernels of a run move and compute, and the seconds that they take at least on one
 * thread. What runs by reference kernels is not known, and not in it. */
typedef struct run_cost {
    uint64_t bytes, flops; /* UINT64_MAX: or more */
    double seconds;
} run_cost;

/* Of PLAN, from its entry on: of a cond that of its region which takes less, of a scan all turns,
 * of a while, whose turns only a run counts, one. MEASURED NULL: of time nothing is known. False
 * without memory. */
bool run_cost_of(const jit_plan *plan, const machine_limits *measured, run_cost *out);

#endif
