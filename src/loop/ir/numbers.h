/* Numbers of a step: what depends on the sizes of a program, and constants in which programs differ
 * that are equal otherwise, are read from an array. */
#ifndef LOOP_IR_NUMBERS_H
#define LOOP_IR_NUMBERS_H

#include "loop/ir/loop.h"

enum { LOOP_NUMBERS = 64 }; /* a program has at most */

typedef struct loop_numbers {
    uint32_t n;
    uint32_t n_inside;         /* the most that a loop without loops inside uses */
    uint64_t at[LOOP_NUMBERS]; /* the bits of each */
} loop_numbers;

/* Make *OUT, a copy of the first of N PROGRAMS, which reads two sorts of constants from an array of
 * numbers: those that have another value in one of the others, and those that depend on sizes
 * (loop_size, loop_sized). Buffer number BUFFER points to the array; NUMBERS has its values, by
 * program. Constants that are equal to each other in each program share a number, as do those that
 * are 2, 4 or 8 times another in each, unless they depend on sizes. *OUT is the first
 * program when there are no such constants. It is NULL when the programs differ in anything but
 * constants and the size of scratch memory, or in more than LOOP_NUMBERS. All in MEMORY; false
 * without memory. */
bool loop_with_numbers(const loop_program *const *programs, uint32_t n, uint32_t buffer,
                       arena *memory, const loop_program **out, loop_numbers *numbers);

/* Does a constant of P depend on sizes? */
bool loop_has_sizes(const loop_program *p);
/* P with all sizes in its code; NULL without memory. */
const loop_program *loop_without_sizes(const loop_program *p, arena *memory);

/* A hash that programs share which differ in constants only. */
uint64_t loop_shape_hash(const loop_program *p);

#endif
