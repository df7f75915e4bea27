/* The functions of host steps, by the number that an executable has for each. */
#ifndef COMPILE_HOST_CALLS_H
#define COMPILE_HOST_CALLS_H

#include "program/executable.h"

/* `what` of each step is its step_origin, `host` of the run a jit_host. */
typedef enum host_call {
    CALL_REFERENCE, /* the reference kernel of a node */
    CALL_SEED,      /* puts the seed of the run into a buffer */
    CALL_JUDGE,     /* the evaluator computes what the kernels of a block are to leave (check.c) */
    CALL_COMPARE,   /* compares what one of them left with that */
    CALL_COUNT
} host_call;

exe_host host_reference, host_seed, host_judge, host_compare;

extern exe_host *const host_calls[CALL_COUNT];

#endif
