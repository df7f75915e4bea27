/* What the builder of loop programs shares between its files. */
#ifndef LOOP_IR_LOOP_PARTS_H
#define LOOP_IR_LOOP_PARTS_H

#include "loop/ir/loop.h"

/* How the type of an op follows from those of its operands: the column of loop_ops.def. */
typedef enum type_rule { RULE_SAME, RULE_COMPARE, RULE_SHIFTED, RULE_GIVEN, RULE_CUSTOM } type_rule;
type_rule loop_op_rule(loop_op op);

static inline bool is_int(loop_elem e)
{
    return e >= LOOP_I8 && e <= LOOP_I64;
}

static inline bool is_float(loop_elem e)
{
    return e == LOOP_F32 || e == LOOP_F64;
}

static inline bool same_type(loop_type a, loop_type b)
{
    return a.elem == b.elem && a.lanes == b.lanes;
}

static inline bool is_good_type(loop_type t)
{
    return t.elem < LOOP_NONE && t.lanes > 0 && t.lanes <= LOOP_MAX_LANES &&
           (t.lanes & (t.lanes - 1)) == 0 && (t.elem != LOOP_PTR || t.lanes == 1);
}

/* The program is at fault, because of WHAT if that is the first one; 0. */
loop_value loop_fault(loop_builder *b, const char *what);
/* INST, whose operands must be visible; 0 if there is a fault. */
loop_value loop_add(loop_builder *b, loop_inst inst);
loop_value loop_add_value(loop_builder *b, loop_op op, loop_type t, loop_value x, loop_value y,
                          loop_value z, uint64_t imm);
bool loop_has_type(const loop_builder *b, loop_value v, loop_elem e, uint32_t lanes);

#endif
