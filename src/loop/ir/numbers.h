/* Numbers of a step: programs that differ only in constants become one program that reads these
 * constants from an array. */
#ifndef LOOP_IR_NUMBERS_H
#define LOOP_IR_NUMBERS_H

#include "loop/ir/loop.h"

enum { LOOP_NUMBERS = 64 }; /* a program has at most */

typedef struct loop_numbers {
    uint32_t n;
    uint64_t at[LOOP_NUMBERS]; /* the bits of each */
} loop_numbers;

/* Make *OUT, a copy of the first of N PROGRAMS, which reads two sorts of constants from an array of
 * numbers: those that have another value in one of the others, and those that are sizes
 * (loop_size). Buffer number BUFFER points to the array; NUMBERS has its values, by program.
 * Constants that are equal to each other in each program share a number. *OUT is the first program
 * when there are no such constants. It is NULL when the programs differ in anything but constants
 * and the size of scratch memory, or in more than LOOP_NUMBERS. All in MEMORY; false without
 * memory. */
bool loop_with_numbers(const loop_program *const *programs, uint32_t n, uint32_t buffer,
                       arena *memory, const loop_program **out, loop_numbers *numbers);

/* A hash that programs share which differ in constants only. */
uint64_t loop_shape_hash(const loop_program *p);

#endif
