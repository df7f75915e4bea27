/* The numbers of f16, and of fp8_e5m2, which is its higher half, by the conversion that CPUs have,
 * rounding to f16 and its patterns by the other one. They give what
 * src/loop/element/element_float.c writes with other instructions, but for the bits of NaNs, which
 * nobody sees. */
#include "target/llvm/plugin/parts.h"

enum {
    SCALE = 0x77800000,   /* 2 to the power 112 */
    UNSCALE = 0x07800000, /* its inverse */
    INFINITE = 0x7f800000,
    LIMIT = 0x477ff000,         /* 65520, the least f32 that becomes infinite */
    LEAST_EXPONENT = 113 << 23, /* of what is not denormal */
    LOST = 13 << 23,            /* places of an f32 that f16 lacks, at an exponent */
};

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

/* The f32 whose pattern as an f16 V is, if it is a number of f16; LOOP_NO_VALUE: V is none. */
static loop_value encoded_of(const function_state *f, loop_value v)
{
    const loop_value both = of(f, v, LOOP_TRUNCATE);
    if (both == (loop_value)LOOP_NO_VALUE || f->p->at[v].type.elem != LOOP_I16 ||
        f->p->at[both].op != LOOP_OR)
        return LOOP_NO_VALUE;
    const loop_inst *i = &f->p->at[both];
    const loop_value sign = with(f, with(f, i->in[0], LOOP_AND, 0x8000), LOOP_LSHR, 16);
    const loop_value rest = with(f, with(f, i->in[1], LOOP_AND, 0x7fff), LOOP_LSHR, 13);
    return sign == rest ? with(f, of(f, sign, LOOP_BITCAST), LOOP_FMUL, UNSCALE)
                        : (loop_value)LOOP_NO_VALUE;
}

/* Is V the number BITS in all lanes? */
static bool is_number(const function_state *f, loop_value v, uint32_t bits)
{
    uint64_t have;
    return is_constant(f, v, &have) && (uint32_t)have == bits;
}

/* Is PLACE the power of two whose last place is that of an f16 of the size of the f32 with the
 * bits U? */
static bool is_place_of(const function_state *f, loop_value place, loop_value u)
{
    const loop_value exponent = with(f, of(f, place, LOOP_BITCAST), LOOP_IADD, LOST);
    if (exponent == (loop_value)LOOP_NO_VALUE || f->p->at[exponent].op != LOOP_SELECT)
        return false;
    const loop_inst *i = &f->p->at[exponent];
    return is_number(f, i->in[1], LEAST_EXPONENT) && with(f, i->in[2], LOOP_AND, INFINITE) == u &&
           with(f, i->in[0], LOOP_ILT, LEAST_EXPONENT) == i->in[2];
}

/* The f32 that V is when it is rounded to f16; LOOP_NO_VALUE: V is none. */
static loop_value rounded_of(const function_state *f, loop_value v)
{
    const loop_value both = of(f, v, LOOP_BITCAST);
    if (both == (loop_value)LOOP_NO_VALUE || f->p->at[both].op != LOOP_OR ||
        f->p->at[v].type.elem != LOOP_F32)
        return LOOP_NO_VALUE;
    const loop_inst *i = &f->p->at[both], *select = &f->p->at[i->in[0]];
    const loop_value u = with(f, i->in[1], LOOP_AND, 0x80000000), x = of(f, u, LOOP_BITCAST);
    if (x == (loop_value)LOOP_NO_VALUE || select->op != LOOP_SELECT ||
        !is_number(f, select->in[1], INFINITE))
        return LOOP_NO_VALUE;
    const loop_inst *overflows = &f->p->at[select->in[0]];
    const loop_value back = of(f, select->in[2], LOOP_BITCAST);
    if (overflows->op != LOOP_FLE || !is_number(f, overflows->in[0], LIMIT) ||
        back == (loop_value)LOOP_NO_VALUE || f->p->at[back].op != LOOP_FSUB)
        return LOOP_NO_VALUE;
    const loop_value size = overflows->in[1], place = f->p->at[back].in[1];
    const loop_inst *sum = &f->p->at[f->p->at[back].in[0]];
    return sum->op == LOOP_FADD && sum->in[0] == size && sum->in[1] == place &&
                   of(f, size, LOOP_FABS) == x && is_place_of(f, place, u)
               ? x
               : (loop_value)LOOP_NO_VALUE;
}

/* X as numbers of f16 in LANES lanes */
static LLVMValueRef narrowed(const function_state *f, loop_value x, uint32_t lanes)
{
    LLVMTypeRef half = LLVMHalfTypeInContext(f->t->context);
    return LLVMBuildFPTrunc(f->t->builder, f->values[x],
                            lanes > 1 ? LLVMVectorType(half, lanes) : half, "");
}

/* X, one number or several of f16, as numbers of f32. LLVM is kept from working with f16 instead:
 * it would compare what CPUs do not compare, lane after lane, and take a choice between one number
 * and a constant for calls of fmaxf and fminf, which may give the other zero, and need a library.
 */
static LLVMValueRef widened(const function_state *f, LLVMValueRef x, loop_value v)
{
    LLVMValueRef wide = LLVMBuildFPExt(f->t->builder, x, type_of_inst(f, &f->p->at[v]), "");
    return call_same(f, INTRINSIC_FENCE, wide, NULL, NULL);
}

LLVMValueRef rounded_to_half(const function_state *f, loop_value v)
{
    if (!f->t->has_halves)
        return NULL;
    LLVMBuilderRef b = f->t->builder;
    const uint32_t lanes = f->p->at[v].type.lanes;
    const loop_value encoded = encoded_of(f, v);
    if (encoded != (loop_value)LOOP_NO_VALUE)
        return LLVMBuildBitCast(b, narrowed(f, encoded, lanes), type_of_inst(f, &f->p->at[v]), "");
    const loop_value rounded = rounded_of(f, v);
    if (rounded == (loop_value)LOOP_NO_VALUE)
        return NULL;
    return widened(f, narrowed(f, rounded, lanes), v);
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
    return widened(f, x, v);
}
