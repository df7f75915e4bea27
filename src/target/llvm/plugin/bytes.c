/* Vectors of bytes are divided by a known number two bytes at a time: no vector has products of
 * bytes, but the upper half of one of 16 bits has the quotient of the upper byte in its own. LLVM
 * makes them wider, takes the quotients apart and needs up to three times the instructions. */
#include "target/llvm/plugin/parts.h"

enum { BITS = 8, LEAST_LANES = 16, MOST_LANES = 64 };

typedef struct division {
    const function_state *f;
    bool is_signed;
    loop_type pairs; /* of the bytes of a register */
    uint64_t factor; /* 2^16 / the divisor, rounded up */
} division;

static LLVMValueRef pairs_of(const division *d, uint64_t bits)
{
    return constant(d->f->t, d->pairs, bits);
}

/* The upper halves of X times the factor. */
static LLVMValueRef high_half(const division *d, LLVMValueRef x)
{
    const uint32_t lanes = 2u * d->pairs.lanes;
    const unsigned wider = lanes == MOST_LANES ? 2 : lanes > LEAST_LANES ? 1 : 0;
    LLVMValueRef args[] = {x, pairs_of(d, d->factor)};
    return call(d->f, (d->is_signed ? INTRINSIC_HIGH_SIGNED : INTRINSIC_HIGH) + wider, NULL, 0,
                args, 2);
}

/* With e = factor * divisor - 2^16, less than the divisor, a byte x times the factor and by 2^16 is
 * x / divisor + e * x / (divisor * 2^16). As e * x < 2^16, the second part is less than 1 /
 * divisor, and the quotient rounded down is exact; that of a negative x is one below the one
 * towards zero. */
static LLVMValueRef register_quotient(const division *d, LLVMValueRef x)
{
    LLVMBuilderRef b = d->f->t->builder;
    LLVMTypeRef bytes = LLVMTypeOf(x);
    LLVMValueRef upper = pairs_of(d, 0xff00), width = pairs_of(d, BITS), low;
    LLVMValueRef both = LLVMBuildBitCast(b, x, type_in(d->f->t, d->pairs), "");
    LLVMValueRef high = high_half(d, LLVMBuildAnd(b, both, upper, ""));
    if (d->is_signed)
        low = LLVMBuildLShr(b, high_half(d, LLVMBuildShl(b, both, width, "")), width, "");
    else
        low = high_half(d, LLVMBuildAnd(b, both, pairs_of(d, 0x00ff), ""));
    LLVMValueRef q = LLVMBuildOr(b, LLVMBuildAnd(b, high, upper, ""), low, "");
    q = LLVMBuildBitCast(b, q, bytes, "");
    if (!d->is_signed)
        return q;
    LLVMValueRef is_negative = LLVMBuildICmp(b, LLVMIntSLT, x, LLVMConstNull(bytes), "");
    return LLVMBuildSub(b, q, LLVMBuildSExt(b, is_negative, bytes, ""), "");
}

/* Is I a division of bytes by a number for which shifts do not do? Signed ones are positive. */
static bool is_division(const function_state *f, const loop_inst *i, uint64_t *by)
{
    if (i->type.elem != LOOP_I8 || i->type.lanes < LEAST_LANES || !f->t->is_x86 ||
        !is_constant(f, i->in[1], by))
        return false;
    *by &= UINT8_MAX;
    return (*by & (*by - 1)) != 0 && (i->op == LOOP_UDIV || *by <= INT8_MAX);
}

LLVMValueRef byte_quotient(const function_state *f, const loop_inst *i)
{
    const uint32_t widest = f->t->level == LEVEL_AVX512 ? MOST_LANES
                            : f->t->level >= LEVEL_AVX2 ? MOST_LANES / 2
                                                        : LEAST_LANES;
    const uint32_t each = i->type.lanes < widest ? i->type.lanes : widest, n = i->type.lanes / each;
    LLVMValueRef done[LOOP_MAX_LANES / LEAST_LANES] = {NULL};
    uint64_t by;
    if (!is_division(f, i, &by))
        return NULL;
    const division d = {f, i->op == LOOP_SDIV, loop_type_of(LOOP_I16, each / 2),
                        (UINT16_MAX + by) / by};
    for (uint32_t p = 0; p < n; p++)
        done[p] = register_quotient(&d, some_lanes(f, in_of(f, i, 0), p * each, each));
    return join_lanes(f, done, n);
}
