/* Arithmetic, conversions and shuffles. Nothing here allows LLVM to change a bit of a result: there
 * are no fast-math flags, and conversions out of range are frozen to some number. */
#include "target/llvm/plugin/parts.h"

static LLVMValueRef freeze(const function_state *f, LLVMValueRef x)
{
    return LLVMBuildFreeze(f->t->builder, x, "");
}

static LLVMValueRef shift(const function_state *f, const loop_inst *i)
{
    static const uint8_t width[] = {
        [LOOP_I8] = 8, [LOOP_I16] = 16, [LOOP_I32] = 32, [LOOP_I64] = 64};
    LLVMBuilderRef b = f->t->builder;
    LLVMValueRef x = in_of(f, i, 0);
    LLVMValueRef most = constant(f->t, i->type, width[i->type.elem] - 1u);
    LLVMValueRef amount = LLVMBuildAnd(b, in_of(f, i, 1), most, "");
    if (i->op == LOOP_SHL)
        return LLVMBuildShl(b, x, amount, "");
    return i->op == LOOP_LSHR ? LLVMBuildLShr(b, x, amount, "") : LLVMBuildAShr(b, x, amount, "");
}

/* ---- f32 fused multiply-adds on CPUs without them ---- */

enum { FMA_LANES = 4 };

/* x * y + z rounded once, by 64-bit floats: the product is exact, the sum is rounded to odd (when
 * it is not exact, to the neighbour whose last bit is set), and a number rounded so and then to
 * half as many bits is as if rounded once. */
static LLVMValueRef fma_by_wide(const translation *t, LLVMValueRef x, LLVMValueRef y,
                                LLVMValueRef z)
{
    LLVMBuilderRef b = t->builder;
    const loop_type bits = loop_type_of(LOOP_I64, FMA_LANES);
    LLVMTypeRef wide = type_in(t, loop_type_of(LOOP_F64, FMA_LANES)), whole = type_in(t, bits);
    LLVMValueRef one = constant(t, bits, 1), narrow = x;
    x = LLVMBuildFPExt(b, x, wide, "");
    y = LLVMBuildFPExt(b, y, wide, "");
    z = LLVMBuildFPExt(b, z, wide, "");
    LLVMValueRef p = LLVMBuildFMul(b, x, y, ""), sum = LLVMBuildFAdd(b, p, z, "");
    /* what the sum lost: exact, or NaN where it is infinite */
    LLVMValueRef of_z = LLVMBuildFSub(b, sum, p, ""), of_p = LLVMBuildFSub(b, sum, of_z, "");
    LLVMValueRef lost_p = LLVMBuildFSub(b, p, of_p, ""), lost_z = LLVMBuildFSub(b, z, of_z, "");
    LLVMValueRef lost = LLVMBuildFAdd(b, lost_p, lost_z, "");
    /* one step away from zero where that is where the rest lies, else one towards it */
    LLVMValueRef s = LLVMBuildBitCast(b, sum, whole, "");
    LLVMValueRef signs = LLVMBuildXor(b, s, LLVMBuildBitCast(b, lost, whole, ""), "");
    LLVMValueRef step = LLVMBuildAShr(b, signs, constant(t, bits, 63), "");
    step = LLVMBuildOr(b, step, one, "");
    LLVMValueRef is_inexact = LLVMBuildFCmp(b, LLVMRealONE, lost, LLVMConstNull(wide), "");
    LLVMValueRef is_even = LLVMBuildSub(b, LLVMBuildAnd(b, s, one, ""), one, "");
    step = LLVMBuildAnd(b, step, is_even, "");
    step = LLVMBuildAnd(b, step, LLVMBuildSExt(b, is_inexact, whole, ""), "");
    LLVMValueRef odd = LLVMBuildBitCast(b, LLVMBuildAdd(b, s, step, ""), wide, "");
    return LLVMBuildFPTrunc(b, odd, LLVMTypeOf(narrow), "");
}

/* The module's own function that does this for a few lanes. */
static LLVMValueRef fma_function(translation *t)
{
    if (t->fma)
        return t->fma;
    LLVMTypeRef lanes = type_in(t, loop_type_of(LOOP_F32, FMA_LANES));
    t->fma_type = LLVMFunctionType(lanes, (LLVMTypeRef[]){lanes, lanes, lanes}, 3, false);
    t->fma = LLVMAddFunction(t->module, "tenon.fma", t->fma_type);
    LLVMSetLinkage(t->fma, LLVMInternalLinkage);
    set_attributes(t, t->fma);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(t->builder);
    LLVMPositionBuilderAtEnd(t->builder, LLVMAppendBasicBlockInContext(t->context, t->fma, ""));
    (void)LLVMBuildRet(t->builder, fma_by_wide(t, LLVMGetParam(t->fma, 0), LLVMGetParam(t->fma, 1),
                                               LLVMGetParam(t->fma, 2)));
    LLVMPositionBuilderAtEnd(t->builder, here);
    return t->fma;
}

LLVMValueRef some_lanes(const function_state *f, LLVMValueRef x, uint32_t first, uint32_t lanes)
{
    LLVMValueRef table[LOOP_MAX_LANES];
    const uint32_t n = LLVMGetVectorSize(LLVMTypeOf(x));
    for (uint32_t k = 0; k < lanes; k++)
        table[k] =
            first + k < n ? const_i32(f->t, first + k) : LLVMGetPoison(f->t->elems[LOOP_I32]);
    return LLVMBuildShuffleVector(f->t->builder, x, LLVMGetPoison(LLVMTypeOf(x)),
                                  LLVMConstVector(table, lanes), "");
}

/* The lanes of A, then those of B, which has as many. */
static LLVMValueRef join(const function_state *f, LLVMValueRef a, LLVMValueRef b)
{
    const uint32_t n = 2 * LLVMGetVectorSize(LLVMTypeOf(a));
    return LLVMBuildShuffleVector(f->t->builder, a, b, ramp(f->t, LOOP_I32, n), "");
}

LLVMValueRef join_lanes(const function_state *f, LLVMValueRef *done, uint32_t n)
{
    for (; n > 1; n /= 2)
        for (uint32_t k = 0; k < n / 2; k++)
            done[k] = join(f, done[2 * k], done[2 * k + 1]);
    return done[0];
}

static LLVMValueRef fma_by_calls(const function_state *f, const loop_inst *i)
{
    LLVMValueRef done[LOOP_MAX_LANES / FMA_LANES] = {NULL}, in[3];
    uint32_t n = 0;
    LLVMValueRef callee = fma_function(f->t);
    for (uint32_t first = 0; first < i->type.lanes; first += FMA_LANES) {
        for (unsigned k = 0; k < 3; k++)
            in[k] = some_lanes(f, as_vector(f, in_of(f, i, k)), first, FMA_LANES);
        done[n++] = LLVMBuildCall2(f->t->builder, f->t->fma_type, callee, in, 3, "");
    }
    LLVMValueRef all = join_lanes(f, done, n);
    if (i->type.lanes < FMA_LANES)
        all = some_lanes(f, all, 0, i->type.lanes);
    return as_value(f, all, i->type.lanes);
}

static LLVMValueRef fma_op(const function_state *f, const loop_inst *i)
{
    if (f->t->is_x86 && f->t->level < LEVEL_AVX2 && i->type.elem == LOOP_F32)
        return fma_by_calls(f, i);
    return call_same(f, INTRINSIC_FMA, in_of(f, i, 0), in_of(f, i, 1), in_of(f, i, 2));
}

/* ---- powers of two ---- */

/* One register of X times 2^K, a float: exactly what LOOP_SCALE is, of numbers and NaNs. */
static LLVMValueRef scale_register(const function_state *f, bool is_wide, LLVMValueRef x,
                                   LLVMValueRef k)
{
    enum { ROUND_AS_EVER = 4 };
    LLVMContextRef c = f->t->context;
    LLVMTypeRef mask = is_wide ? LLVMInt8TypeInContext(c) : LLVMInt16TypeInContext(c);
    LLVMValueRef args[] = {x, k, x, LLVMConstAllOnes(mask), const_i32(f->t, ROUND_AS_EVER)};
    return call(f, is_wide ? INTRINSIC_SCALE_F64 : INTRINSIC_SCALE_F32, NULL, 0, args, 5);
}

static LLVMValueRef scale_by_registers(const function_state *f, const loop_inst *i)
{
    const bool is_wide = i->type.elem == LOOP_F64;
    const uint32_t each = is_wide ? 8 : 16, n = i->type.lanes / each;
    LLVMValueRef done[LOOP_MAX_LANES / 8] = {NULL}, x = in_of(f, i, 0), k = in_of(f, i, 1);
    k = LLVMBuildFSub(f->t->builder, k,
                      splat(f,
                            LLVMConstReal(f->t->elems[i->type.elem],
                                          scalar_magic(is_wide ? SCALAR_F64 : SCALAR_F32)),
                            i->type.lanes),
                      "");
    for (uint32_t p = 0; p < n; p++) {
        LLVMValueRef x_part = some_lanes(f, x, p * each, each),
                     k_part = some_lanes(f, k, p * each, each);
        done[p] = scale_register(f, is_wide, x_part, k_part);
    }
    return join_lanes(f, done, n);
}

/* 2^K as a float; K holds integers as LOOP_SCALE does, the exponent fits. */
static LLVMValueRef power(const function_state *f, loop_type type, LLVMValueRef k)
{
    const bool is_wide = type.elem == LOOP_F64;
    const loop_type bits = loop_type_of(is_wide ? LOOP_I64 : LOOP_I32, type.lanes);
    LLVMBuilderRef b = f->t->builder;
    k = LLVMBuildShl(b, k, constant(f->t, bits, is_wide ? 52 : 23), "");
    k = LLVMBuildAdd(b, k, constant(f->t, bits, is_wide ? UINT64_C(0x3ff) << 52 : 0x3f800000), "");
    return LLVMBuildBitCast(b, k, type_in(f->t, type), "");
}

/* Two factors, so that the exponents fit: the first product is exact, the second rounds. */
LLVMValueRef scale(const function_state *f, const loop_inst *i)
{
    const bool is_wide = i->type.elem == LOOP_F64;
    const loop_type bits = loop_type_of(is_wide ? LOOP_I64 : LOOP_I32, i->type.lanes);
    LLVMBuilderRef b = f->t->builder;
    if (f->t->is_x86 && f->t->level == LEVEL_AVX512 && i->type.lanes >= (is_wide ? 8 : 16))
        return scale_by_registers(f, i);
    LLVMValueRef k = LLVMBuildBitCast(b, in_of(f, i, 1), type_in(f->t, bits), "");
    LLVMValueRef half = LLVMBuildAShr(b, k, constant(f->t, bits, 1), "");
    LLVMValueRef rest = LLVMBuildSub(b, k, half, "");
    LLVMValueRef x = LLVMBuildFMul(b, in_of(f, i, 0), power(f, i->type, half), "");
    return LLVMBuildFMul(b, x, power(f, i->type, rest), "");
}

/* ---- operations ---- */

/* Where LLVM knows that lanes of both operands are zeros, it takes those of the quotient for zeros,
 * too, which are NaN. */
static LLVMValueRef float_quotient(const function_state *f, const loop_inst *i)
{
    LLVMValueRef x = in_of(f, i, 0), y = in_of(f, i, 1);
    if (is_vector(y) && may_have_zeros(f, i->in[0]) && may_have_zeros(f, i->in[1]))
        y = hidden(f, y);
    return LLVMBuildFDiv(f->t->builder, x, y, "");
}

LLVMValueRef float_op(const function_state *f, const loop_inst *i)
{
    LLVMBuilderRef b = f->t->builder;
    LLVMValueRef x = in_of(f, i, 0), y = in_of(f, i, 1);
    switch ((int)i->op) {
    case LOOP_FADD:
        return LLVMBuildFAdd(b, x, y, "");
    case LOOP_FSUB:
        return LLVMBuildFSub(b, x, y, "");
    case LOOP_FMUL:
        return LLVMBuildFMul(b, x, y, "");
    case LOOP_FDIV:
        return float_quotient(f, i);
    case LOOP_FMA:
        return fma_op(f, i);
    case LOOP_FSQRT:
        return call_same(f, INTRINSIC_SQRT, x, NULL, NULL);
    case LOOP_FNEG:
        return LLVMBuildFNeg(b, x, "");
    case LOOP_FABS:
        return call_same(f, INTRINSIC_FABS, x, NULL, NULL);
    case LOOP_FRINT:
        return call_same(f, INTRINSIC_RINT, x, NULL, NULL);
    case LOOP_FTRUNC:
        return call_same(f, INTRINSIC_TRUNC, x, NULL, NULL);
    case LOOP_FLT:
        return LLVMBuildFCmp(b, LLVMRealOLT, x, y, "");
    case LOOP_FLE:
        return LLVMBuildFCmp(b, LLVMRealOLE, x, y, "");
    case LOOP_FEQ:
        return LLVMBuildFCmp(b, LLVMRealOEQ, x, y, "");
    case LOOP_FUNO:
        return LLVMBuildFCmp(b, LLVMRealUNO, x, y, "");
    default:
        return NULL;
    }
}

/* ---- products of halves ---- */

static LLVMValueRef half(const function_state *f, const loop_inst *i, unsigned operand, bool is_low)
{
    LLVMBuilderRef b = f->t->builder;
    LLVMValueRef x = in_of(f, i, operand), width = constant(f->t, i->type, 16);
    return LLVMBuildAShr(b, is_low ? LLVMBuildShl(b, x, width, "") : x, width, "");
}

/* The sum of the products of both halves by the machine's instruction, a register at a time. */
static LLVMValueRef products_by_registers(const function_state *f, const loop_inst *i)
{
    const loop_elem halves = LOOP_I16;
    const uint32_t widest = f->t->level == LEVEL_AVX512 ? 16
                            : f->t->level >= LEVEL_AVX2 ? 8
                                                        : 4,
                   each = i->type.lanes < widest ? i->type.lanes : widest, n = i->type.lanes / each;
    const unsigned which = INTRINSIC_DOT_PAIRS + (each == 16 ? 2 : each == 8 ? 1 : 0);
    LLVMTypeRef type = type_in(f->t, loop_type_of(halves, 2 * each));
    LLVMValueRef done[LOOP_MAX_LANES / 4] = {NULL};
    for (uint32_t p = 0; p < n; p++) {
        LLVMValueRef in[2];
        for (unsigned k = 0; k < 2; k++)
            in[k] = LLVMBuildBitCast(f->t->builder, some_lanes(f, in_of(f, i, k), p * each, each),
                                     type, "");
        done[p] = call(f, which, NULL, 0, in, 2);
    }
    return join_lanes(f, done, n);
}

static LLVMValueRef dot_pairs(const function_state *f, const loop_inst *i)
{
    LLVMBuilderRef b = f->t->builder;
    LLVMValueRef sum;
    if (f->t->is_x86 && i->type.lanes >= 4) {
        sum = products_by_registers(f, i);
    } else {
        LLVMValueRef products[2];
        for (unsigned low = 0; low < 2; low++) {
            LLVMValueRef x = half(f, i, 0, low), y = half(f, i, 1, low);
            products[low] = LLVMBuildMul(b, x, y, "");
        }
        sum = LLVMBuildAdd(b, products[0], products[1], "");
    }
    return LLVMBuildAdd(b, sum, in_of(f, i, 2), "");
}

/* ---- products of bytes ---- */

/* Byte BYTE of operand OPERAND in each lane, with its sign or without. */
static LLVMValueRef byte_of(const function_state *f, const loop_inst *i, unsigned operand,
                            unsigned byte, bool is_signed)
{
    enum { BITS = 8, LAST = 3 };
    LLVMBuilderRef b = f->t->builder;
    LLVMValueRef high = LLVMBuildShl(b, in_of(f, i, operand),
                                     constant(f->t, i->type, (uint64_t)BITS * (LAST - byte)), "");
    LLVMValueRef width = constant(f->t, i->type, (uint64_t)BITS * LAST);
    return is_signed ? LLVMBuildAShr(b, high, width, "") : LLVMBuildLShr(b, high, width, "");
}

/* I by the machine's instruction, a register at a time: WHICH, for 128 bits, and the two after it,
 * which take the sum first. HALF: what a lane of the factors has two of; NULL: they stay. */
static LLVMValueRef dots_by_registers(const function_state *f, const loop_inst *i, unsigned which,
                                      LLVMTypeRef half)
{
    const uint32_t widest = f->t->level == LEVEL_AVX512 ? 16 : 8,
                   each = i->type.lanes < widest ? i->type.lanes : widest, n = i->type.lanes / each;
    LLVMValueRef done[LOOP_MAX_LANES / 4] = {NULL};
    which += each == 16 ? 2 : each == 8 ? 1 : 0;
    for (uint32_t p = 0; p < n; p++) {
        LLVMValueRef in[3];
        for (unsigned k = 0; k < 3; k++) {
            in[k] = some_lanes(f, in_of(f, i, (k + 2) % 3), p * each, each);
            if (half && k > 0)
                in[k] = LLVMBuildBitCast(f->t->builder, in[k], LLVMVectorType(half, 2 * each), "");
        }
        done[p] = call(f, which, NULL, 0, in, 3);
    }
    return join_lanes(f, done, n);
}

static LLVMValueRef dot_quads(const function_state *f, const loop_inst *i)
{
    LLVMBuilderRef b = f->t->builder;
    if (f->t->has_byte_dots && i->type.lanes >= 4)
        return dots_by_registers(f, i, INTRINSIC_DOT_QUADS, NULL);
    LLVMValueRef sum = in_of(f, i, 2);
    for (unsigned byte = 0; byte < 4; byte++)
        sum = LLVMBuildAdd(
            b, sum,
            LLVMBuildMul(b, byte_of(f, i, 0, byte, false), byte_of(f, i, 1, byte, true), ""), "");
    return sum;
}

/* ---- products of bf16 ---- */

/* The low or the high bf16 of operand OPERAND in each lane. */
static LLVMValueRef bf16_of(const function_state *f, const loop_inst *i, unsigned operand,
                            bool is_low)
{
    LLVMBuilderRef b = f->t->builder;
    const loop_type bits = loop_type_of(LOOP_I32, i->type.lanes);
    LLVMValueRef x = LLVMBuildBitCast(b, in_of(f, i, operand), type_in(f->t, bits), "");
    x = is_low ? LLVMBuildShl(b, x, constant(f->t, bits, 16), "")
               : LLVMBuildAnd(b, x, constant(f->t, bits, 0xffff0000), "");
    return LLVMBuildBitCast(b, x, type_in(f->t, i->type), "");
}

static LLVMValueRef dot_bf16(const function_state *f, const loop_inst *i)
{
    LLVMBuilderRef b = f->t->builder;
    if (f->t->has_bf16_dots && i->type.lanes >= 4)
        return dots_by_registers(f, i, INTRINSIC_DOT_BF16, LLVMBFloatTypeInContext(f->t->context));
    LLVMValueRef sum = in_of(f, i, 2);
    for (unsigned low = 0; low < 2; low++)
        sum = LLVMBuildFAdd(b, sum,
                            LLVMBuildFMul(b, bf16_of(f, i, 0, low), bf16_of(f, i, 1, low), ""), "");
    return sum;
}

/* Is V half of the lanes of mask WHOLE, those from FIRST on? */
static bool is_half(const function_state *f, loop_value v, loop_value whole, uint32_t first,
                    uint32_t lanes)
{
    const loop_inst *i = &f->p->at[v];
    if (i->op == LOOP_LANE)
        return i->in[0] == whole && i->imm == first;
    if (i->op != LOOP_SHUFFLE || i->in[0] != whole || i->n_lanes != lanes)
        return false;
    for (uint32_t k = 0; k < lanes; k++)
        if (f->p->tables[i->imm + k] != first + k)
            return false;
    return true;
}

static bool are_halves(const function_state *f, const loop_value *in, loop_value whole,
                       uint32_t lanes)
{
    return (is_half(f, in[0], whole, 0, lanes) && is_half(f, in[1], whole, lanes, lanes)) ||
           (is_half(f, in[0], whole, lanes, lanes) && is_half(f, in[1], whole, 0, lanes));
}

/* Whether a lane of a mask is true is asked with one instruction where so many lanes are a number.
 */
enum { ANY_LANES = 16 };

/* Does I, for x86, finish what loop_any writes: halves of a mask, combined until one lane is left?
 * *MASK becomes what the last steps ask for. */
static bool is_any(const function_state *f, const loop_inst *i, LLVMValueRef *mask)
{
    if (!f->t->is_x86 || i->type.elem != LOOP_MASK || i->type.lanes != 1)
        return false;
    uint32_t lanes = 1;
    for (; i->op == LOOP_OR && lanes < ANY_LANES; lanes *= 2) {
        const loop_value whole = f->p->at[i->in[0]].in[0];
        if (f->p->at[whole].type.lanes != 2 * lanes || !are_halves(f, i->in, whole, lanes))
            break;
        *mask = f->values[whole];
        i = &f->p->at[whole];
    }
    return lanes > 1;
}

static LLVMValueRef any_of(const function_state *f, LLVMValueRef mask)
{
    LLVMBuilderRef b = f->t->builder;
    LLVMTypeRef bits = LLVMIntTypeInContext(f->t->context, LLVMGetVectorSize(LLVMTypeOf(mask)));
    return LLVMBuildICmp(b, LLVMIntNE, LLVMBuildBitCast(b, mask, bits, ""),
                         LLVMConstInt(bits, 0, false), "");
}

static LLVMValueRef quotient(const function_state *f, const loop_inst *i)
{
    LLVMValueRef x = in_of(f, i, 0), y = in_of(f, i, 1), q = byte_quotient(f, i);
    if (q)
        return q;
    return i->op == LOOP_SDIV ? LLVMBuildSDiv(f->t->builder, x, y, "")
                              : LLVMBuildUDiv(f->t->builder, x, y, "");
}

LLVMValueRef integer_op(const function_state *f, const loop_inst *i)
{
    LLVMBuilderRef b = f->t->builder;
    LLVMValueRef x = in_of(f, i, 0), y = in_of(f, i, 1);
    switch ((int)i->op) {
    case LOOP_IADD:
        return LLVMBuildAdd(b, x, y, "");
    case LOOP_ISUB:
        return LLVMBuildSub(b, x, y, "");
    case LOOP_IMUL:
        return LLVMBuildMul(b, x, y, "");
    case LOOP_DOT_PAIRS:
        return dot_pairs(f, i);
    case LOOP_DOT_QUADS:
        return dot_quads(f, i);
    case LOOP_DOT_BF16:
        return dot_bf16(f, i);
    case LOOP_SDIV:
    case LOOP_UDIV:
        return quotient(f, i);
    case LOOP_SREM:
        return LLVMBuildSRem(b, x, y, "");
    case LOOP_UREM:
        return LLVMBuildURem(b, x, y, "");
    case LOOP_AND:
        return LLVMBuildAnd(b, x, y, "");
    case LOOP_OR:
        return is_any(f, i, &x) ? any_of(f, x) : LLVMBuildOr(b, x, y, "");
    case LOOP_XOR:
        return LLVMBuildXor(b, x, y, "");
    case LOOP_NOT:
        return LLVMBuildNot(b, x, "");
    case LOOP_SHL:
    case LOOP_LSHR:
    case LOOP_ASHR:
        return shift(f, i);
    case LOOP_IEQ:
        return LLVMBuildICmp(b, LLVMIntEQ, x, y, "");
    case LOOP_ILT:
        return LLVMBuildICmp(b, LLVMIntSLT, x, y, "");
    case LOOP_IULT:
        return LLVMBuildICmp(b, LLVMIntULT, x, y, "");
    default:
        return NULL;
    }
}

LLVMValueRef conversion(const function_state *f, const loop_inst *i)
{
    LLVMBuilderRef b = f->t->builder;
    LLVMValueRef x = in_of(f, i, 0);
    LLVMTypeRef to = type_of_inst(f, i);
    switch ((int)i->op) {
    case LOOP_BITCAST:
        return LLVMBuildBitCast(b, x, to, "");
    case LOOP_TRUNCATE:
        return LLVMBuildTrunc(b, x, to, "");
    case LOOP_ZEXT:
        return LLVMBuildZExt(b, x, to, "");
    case LOOP_SEXT:
        return LLVMBuildSExt(b, x, to, "");
    case LOOP_FCONVERT:
        return i->type.elem == LOOP_F64 ? LLVMBuildFPExt(b, x, to, "")
                                        : LLVMBuildFPTrunc(b, x, to, "");
    case LOOP_S_TO_F:
        return LLVMBuildSIToFP(b, x, to, "");
    case LOOP_U_TO_F:
        return LLVMBuildUIToFP(b, x, to, "");
    case LOOP_F_TO_S:
        return freeze(f, LLVMBuildFPToSI(b, x, to, ""));
    case LOOP_F_TO_U:
        return freeze(f, LLVMBuildFPToUI(b, x, to, ""));
    default:
        return NULL;
    }
}

LLVMValueRef shuffle(const function_state *f, const loop_inst *i)
{
    LLVMValueRef table[LOOP_MAX_LANES];
    const uint32_t n = i->type.lanes;
    for (uint32_t k = 0; k < n; k++)
        table[k] = const_i32(f->t, f->p->tables[i->imm + k]);
    LLVMValueRef x = as_vector(f, in_of(f, i, 0)), y = as_vector(f, in_of(f, i, 1));
    return as_value(f, LLVMBuildShuffleVector(f->t->builder, x, y, LLVMConstVector(table, n), ""),
                    n);
}
