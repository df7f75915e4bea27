/* The order of the instructions of a finished program. */
#ifndef LOOP_IR_ORDER_H
#define LOOP_IR_ORDER_H

#include "loop/ir/loop.h"

/* Those of B's instructions of which NEEDED says so, as a list of *COUNT numbers of instructions in
 * B's arena; NULL without memory. Instructions that only make values stand in an order that
 * depends on the values that use them alone, not on when they were built: the compiler of C chooses
 * which of two arguments of a call it evaluates first, and a program must not depend on it. None
 * moves past one that stores, sets a variable, or begins or ends a region. */
const uint32_t *loop_order(const loop_builder *b, const bool *needed, uint32_t *count);

#endif
