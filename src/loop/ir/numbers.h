/* Numbers of a step: where programs differ in constants only, the constants can stand beside them,
 * so that they are one program. */
#ifndef LOOP_IR_NUMBERS_H
#define LOOP_IR_NUMBERS_H

#include "loop/ir/loop.h"

enum { LOOP_NUMBERS = 64 }; /* a program has at most */

typedef struct loop_numbers {
    uint32_t n;
    uint64_t at[LOOP_NUMBERS]; /* the bits of each */
} loop_numbers;

/* P with its constants that are another in OTHER, and those that are sizes (loop_size), read from
 * the array of numbers that buffer number BUFFER leads to; *NUMBERS are those of P. P itself when
 * there are none. What is the same in both programs at all places is one number. *OUT is NULL when
 * the programs differ in anything else but the scratch memory they need, or in too much. In MEMORY;
 * false without memory. */
bool loop_with_numbers(const loop_program *p, const loop_program *other, uint32_t buffer,
                       arena *memory, const loop_program **out, loop_numbers *numbers);

#endif
