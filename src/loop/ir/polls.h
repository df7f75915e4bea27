/* Polls: how a program that takes long can be stopped while it runs. */
#ifndef LOOP_IR_POLLS_H
#define LOOP_IR_POLLS_H

#include "loop/ir/loop.h"

/* Cheap instructions between two polls, roughly: a millisecond or two. */
enum { LOOP_POLL_EVERY = 1 << 21 };
/* A program is long when one work item takes so many times that. */
enum { LOOP_LONG = 4 };

/* P, or when it is long the same with a poll about every EVERY cheap instructions. Its buffers then
 * have one more, number BUFFER, which leads to something that begins with the address of a function
 * `int32_t stop(const void *self)`. A poll calls that with the buffer; what is not 0 is what the
 * program returns at once. In MEMORY; NULL without memory. */
const loop_program *loop_with_polls(const loop_program *p, uint32_t buffer, double every,
                                    arena *memory);

#endif
