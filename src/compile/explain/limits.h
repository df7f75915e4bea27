/* What this machine can do at most, on one thread: for judging kernels. */
#ifndef COMPILE_EXPLAIN_LIMITS_H
#define COMPILE_EXPLAIN_LIMITS_H

#include "compile/engine.h"

enum { LIMITS_NEAR = 16 << 20 };

typedef struct machine_limits {
    double flops; /* fused multiply-adds of f32 count two: operations a second, registers only */
    double bytes; /* a second, read and written, from memory, ... */
    double near;  /* ... and from a cache that holds LIMITS_NEAR bytes */
    double clock; /* cycles a second, where a fused multiply-add takes four; 0: not known */
} machine_limits;

/* Measured now, in some 40 ms, with generated code; false when code cannot be made here, or not be
 * run. */
bool machine_measure(const engine *e, machine_limits *out);

#endif
