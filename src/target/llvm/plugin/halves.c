/* The numbers of f16, and of fp8_e5m2, which is its higher half, by the conversion that CPUs have.
 * It gives what src/loop/element/element_float.c writes with other instructions, but for the bits
 * of NaNs, which nobody sees. */
#include "target/llvm/plugin/parts.h"

enum { SCALE = 0x77800000 /* 2 to the power 112 */ };

/* Is V what OP gives of a value and the number BITS? The value, or LOOP_NO_VALUE. */
static loop_value with(const function_state *f, loop_value v, loop_op op, uint32_t bits)
{
    if (v == (loop_value)LOOP_NO_VALUE || f->p->at[v].op != op)
        return LOOP_NO_VALUE;
    uint64_t have;
    const loop_inst *i = &f->p->at[v];
    return is_constant(f, i->in[1], &have) && (uint32_t)have == bits ? i->in[0]
                                                                     : (loop_value)LOOP_NO_VALUE;
}

/* Is V what OP gives of one value? */
static loop_value of(const function_state *f, loop_value v, loop_op op)
{
    return v != (loop_value)LOOP_NO_VALUE && f->p->at[v].op == op ? f->p->at[v].in[0]
                                                                  : (loop_value)LOOP_NO_VALUE;
}

/* The pattern that V is the number of; LOOP_NO_VALUE: V is none. */
static loop_value stored_of(const function_state *f, loop_value v)
{
    const loop_value chosen = of(f, v, LOOP_BITCAST);
    if (chosen == (loop_value)LOOP_NO_VALUE || f->p->at[chosen].op != LOOP_SELECT ||
        f->p->at[v].type.elem != LOOP_F32)
        return LOOP_NO_VALUE;
    const loop_inst *select = &f->p->at[chosen];
    const loop_value finite = select->in[2];
    const loop_value scaled = with(f, of(f, finite, LOOP_BITCAST), LOOP_FMUL, SCALE);
    const loop_value placed = of(f, scaled, LOOP_BITCAST);
    for (uint32_t bytes = 1; bytes <= 2; bytes++) {
        const uint32_t mantissa = bytes == 1 ? 2 : 10, shift = 23 - mantissa, bits = 8 * bytes;
        const uint32_t magnitude = (UINT32_C(1) << (bits - 1)) - 1;
        const uint32_t infinity = magnitude + 1 - (UINT32_C(1) << mantissa);
        const loop_value shifted =
            with(f, placed, LOOP_AND, UINT32_C(0x80000000) | magnitude << shift);
        const loop_value stored = of(f, with(f, shifted, LOOP_SHL, shift), LOOP_SEXT);
        if (stored != (loop_value)LOOP_NO_VALUE &&
            f->p->at[stored].type.elem == (bytes == 1 ? LOOP_I8 : LOOP_I16) &&
            with(f, select->in[1], LOOP_OR, 0x7f800000) == finite &&
            with(f, with(f, select->in[0], LOOP_IEQ, infinity), LOOP_AND, infinity) == stored)
            return stored;
    }
    return LOOP_NO_VALUE;
}

LLVMValueRef number_of_half(const function_state *f, loop_value v)
{
    LLVMBuilderRef b = f->t->builder;
    const loop_value stored = f->t->has_halves ? stored_of(f, v) : (loop_value)LOOP_NO_VALUE;
    if (stored == (loop_value)LOOP_NO_VALUE)
        return NULL;
    const uint32_t lanes = f->p->at[v].type.lanes;
    const loop_type bits = loop_type_of(LOOP_I16, lanes);
    LLVMTypeRef half = LLVMHalfTypeInContext(f->t->context);
    LLVMValueRef x = f->values[stored];
    if (f->p->at[stored].type.elem == LOOP_I8)
        x = LLVMBuildShl(b, LLVMBuildZExt(b, x, type_in(f->t, bits), ""), constant(f->t, bits, 8),
                         "");
    x = LLVMBuildBitCast(b, x, lanes > 1 ? LLVMVectorType(half, lanes) : half, "");
    return LLVMBuildFPExt(b, x, type_of_inst(f, &f->p->at[v]), "");
}
