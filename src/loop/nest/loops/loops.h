/* Loops of single nodes: nest_of_loops by op. Everything is in memory, dense and row-major, but for
 * operands that are computed where they are read (plan/prologues.c). */
#ifndef LOOP_NEST_LOOPS_LOOPS_H
#define LOOP_NEST_LOOPS_LOOPS_H

#include "loop/nest/nest.h"

/* One node on its way to loops. */
typedef struct loops {
    loop_builder b;
    const function *f;
    const kernel *k;
    const node *n;
    const machine *on;
    arena *memory;
    nest *out;
    loop_value *in; /* where what the kernel reads lies, by position in k->in */
    bool failed;    /* an operand could not be computed */
} loops;

const type *loops_type(const loops *l, uint32_t operand);
const type *loops_result(const loops *l, uint32_t result);
/* Where operand or result NUMBER lies, and temporary memory. */
loop_value loops_in(loops *l, uint32_t number);
loop_value loops_out(loops *l, uint32_t number);
loop_value loops_temp(loops *l, uint32_t number);
/* The first item of a call, in the loop over its items, which is open now. */
loop_value loops_items(loops *l);
/* The program so far as the next step; COST: cheap operations of an item. Starts a new one. */
bool loops_step(loops *l, int64_t items, uint64_t cost, const char *how);
/* The result of the last step, which has the type of operand 0 and begins as a copy of it, may lie
 * over it, if it is in memory. No item reads elements of it that others write. */
void loops_over_operand(loops *l);

/* Arithmetic on i64. */
static inline loop_value loops_add(loops *l, loop_value x, loop_value y)
{
    return loop_binary(&l->b, LOOP_IADD, x, y);
}
static inline loop_value loops_times(loops *l, loop_value x, int64_t by)
{
    return by == 1 ? x : loop_binary(&l->b, LOOP_IMUL, x, loop_i64(&l->b, by));
}
static inline loop_value loops_less(loops *l, loop_value x, loop_value y)
{
    return loop_binary(&l->b, LOOP_ILT, x, y);
}
static inline loop_value loops_times_sized(loops *l, loop_value x, sized by)
{
    return by.now == 1 ? x : loop_binary(&l->b, LOOP_IMUL, x, loop_sized(&l->b, by));
}
/* X // BY and X % BY of numbers that are not negative. */
void loops_split(loops *l, loop_value x, int64_t by, loop_value *quotient, loop_value *rest);
/* The same with code for any BY, if it IS_DYNAMIC. */
void loops_split_any(loops *l, loop_value x, int64_t by, bool is_dynamic, loop_value *quotient,
                     loop_value *rest);

/* The elements of D from number INDEX at BASE: LANES of them, of which COUNT (i64; LOOP_NO_VALUE:
 * all) count. */
element loops_load(loops *l, tn_dtype d, loop_value base, loop_value index, uint32_t lanes,
                   loop_value count);
/* The same of operand NUMBER, which may be one that the kernel computes. */
element loops_read(loops *l, uint32_t number, loop_value index, uint32_t lanes, loop_value count);
void loops_store(loops *l, loop_value base, loop_value index, element x, loop_value count);
/* POSITIONS (i64), one or a vector, to result NUMBER from element AT on. */
void loops_store_position(loops *l, uint32_t number, loop_value at, loop_value positions);
/* Element INDEX of operand NUMBER, which holds positions, as i64. */
loop_value loops_position(loops *l, uint32_t number, loop_value index);

/* A tensor as lines along AXIS. */
typedef struct loops_lines {
    int64_t outer, n, inner;
    bool any_n, any_inner;    /* these are dynamic, */
    sized length, width, all; /* and these are n, inner and their product */
} loops_lines;
loops_lines loops_lines_of(const loops *l, uint32_t operand, uint32_t axis);
/* The names (loop_size) of numbers of lines. */
enum { LINE_WHOLE = 1, LINE_REST, LINE_PARTS };

/* Integers that ascend from the first of the wanted order to the last, compared as signed numbers.
 * NaN comes last of all. */
loop_value loops_order_key(loop_builder *b, element x, bool largest);

/* By op; false when memory was lacking. */
bool loops_of_product(loops *l);
bool loops_of_arg_max(loops *l);
bool loops_of_sort(loops *l);
bool loops_of_top_k(loops *l);
bool loops_of_cumulative(loops *l);
bool loops_of_scatter_rows(loops *l);
bool loops_of_scatter_add(loops *l);
bool loops_of_scatter_reduce(loops *l);
bool loops_of_segment_reduce(loops *l);
bool loops_of_taps(loops *l);
bool loops_of_scan(loops *l);
bool loops_of_while(loops *l);
/* What fails but moves nothing (kernel_only_checks). */
bool loops_of_checks(loops *l);

#endif
