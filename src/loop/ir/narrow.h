/* Vectors that are wider than registers, taken apart. */
#ifndef LOOP_NARROW_H
#define LOOP_NARROW_H

#include "loop/ir/loop.h"

/* The program that does the same with vectors of at most BYTES bytes (16, 32 or 64), in MEMORY; P
 * itself when it has no wider ones, NULL without memory. For compilers that keep vectors wider than
 * a register in memory. */
const loop_program *loop_narrow(const loop_program *p, uint32_t bytes, arena *memory);

#endif
