/* Masked loads and stores for AVX and AVX2, register by register and with the instructions of the
 * machine.
 *
 * LLVM 19 must not do this. What it makes of the mask of a vector of two registers may be constant
 * in one of them, and where that part is false everywhere it loads the whole register: other
 * elements come into results, and memory is read that is not there. Where a constant mask has its
 * first and its last lane, it loads the whole register with the mark of an access of unknown size,
 * and ends the process when that is stored (test/llvm has both).
 *
 * After the passes, which would undo this and which find masks that are constant. */
#include "target/llvm/plugin/parts.h"

/* One masked access; PASS is what lanes get that are not loaded, X what is stored. */
typedef struct access {
    LLVMValueRef call, p, mask, pass, x;
    uint32_t align, lanes, bits; /* bits of an element */
} access;

/* What is known of lanes of a mask. */
typedef enum known { KNOWN_NOT = 0, KNOWN_FALSE, KNOWN_TRUE, KNOWN_ENDS } known;

enum { REGISTER_BITS = 256, HALF_BITS = 128, MOST_PARTS = LOOP_MAX_LANES / 4 };

static known known_constant(LLVMValueRef mask, uint32_t first, uint32_t lanes)
{
    bool any = false, all = true, ends = true;
    for (uint32_t k = 0; k < lanes; k++) {
        LLVMValueRef lane = LLVMGetAggregateElement(mask, first + k);
        const bool is_true =
            lane && LLVMIsAConstantInt(lane) && LLVMConstIntGetZExtValue(lane) != 0;
        any |= is_true;
        all &= is_true;
        ends &= is_true || (k > 0 && k + 1 < lanes);
    }
    if (!any)
        return KNOWN_FALSE;
    return all ? KNOWN_TRUE : ends ? KNOWN_ENDS : KNOWN_NOT;
}

static bool is_and(LLVMValueRef x)
{
    return LLVMIsAInstruction(x) && LLVMGetInstructionOpcode(x) == LLVMAnd;
}

static known known_of(LLVMValueRef mask, uint32_t first, uint32_t lanes)
{
    if (LLVMIsConstant(mask))
        return known_constant(mask, first, lanes);
    if (!is_and(mask))
        return KNOWN_NOT;
    const bool is_false = known_of(LLVMGetOperand(mask, 0), first, lanes) == KNOWN_FALSE ||
                          known_of(LLVMGetOperand(mask, 1), first, lanes) == KNOWN_FALSE;
    return is_false ? KNOWN_FALSE : KNOWN_NOT;
}

/* LANES lanes of X from FIRST, and zeros behind the last lane of X. */
static LLVMValueRef lanes_of(const translation *t, LLVMValueRef x, uint32_t first, uint32_t lanes)
{
    LLVMValueRef table[LOOP_MAX_LANES];
    const uint32_t n = LLVMGetVectorSize(LLVMTypeOf(x));
    if (first == 0 && lanes == n)
        return x;
    for (uint32_t k = 0; k < lanes; k++)
        table[k] = const_i32(t, first + k < n ? first + k : n);
    return LLVMBuildShuffleVector(t->builder, x, LLVMConstNull(LLVMTypeOf(x)),
                                  LLVMConstVector(table, lanes), "");
}

/* The scalar that all of LANES lanes of X are; NULL: none is known. */
static LLVMValueRef repeated(LLVMValueRef x, uint32_t lanes)
{
    LLVMValueRef vector = LLVMIsAShuffleVectorInst(x) ? LLVMGetOperand(x, 0) : NULL;
    if (!vector || !LLVMIsAInsertElementInst(vector) || !LLVMIsNull(LLVMGetOperand(vector, 2)))
        return NULL;
    const unsigned n = LLVMGetNumMaskElements(x);
    for (unsigned k = 0; k < n; k++)
        if (LLVMGetMaskValue(x, k) != 0)
            return NULL;
    return lanes <= n ? LLVMGetOperand(vector, 1) : NULL;
}

/* Does X come as numbers of ELEM that are -1 or 0 anyway? */
static bool is_spread(const translation *t, LLVMValueRef x, loop_elem elem)
{
    if (LLVMIsConstant(x))
        return true;
    LLVMTypeRef compared = LLVMIsACmpInst(x) ? LLVMTypeOf(LLVMGetOperand(x, 0)) : NULL;
    return compared && LLVMSizeOfTypeInBits(t->layout, LLVMGetElementType(compared)) ==
                           LLVMSizeOfTypeInBits(t->layout, t->elems[elem]);
}

/* Lanes of MASK as the machine wants them: it looks at the highest bits of numbers of ELEM. A
 * scalar becomes a number before it is repeated, which takes half the instructions. */
static LLVMValueRef machine_mask(const translation *t, LLVMValueRef mask, uint32_t first,
                                 uint32_t lanes, loop_elem elem)
{
    LLVMBuilderRef b = t->builder;
    LLVMTypeRef type = LLVMVectorType(t->elems[elem], lanes);
    if (is_and(mask) && LLVMIsConstant(LLVMGetOperand(mask, 1))) {
        LLVMValueRef x = machine_mask(t, LLVMGetOperand(mask, 0), first, lanes, elem);
        LLVMValueRef y = machine_mask(t, LLVMGetOperand(mask, 1), first, lanes, elem);
        return LLVMBuildAnd(b, x, y, "");
    }
    LLVMValueRef one = repeated(mask, lanes);
    if (one) {
        one = LLVMBuildSExt(b, one, t->elems[elem], "");
        one = LLVMBuildInsertElement(b, LLVMGetPoison(type), one, const_i32(t, 0), "");
        return LLVMBuildShuffleVector(b, one, LLVMGetPoison(type),
                                      LLVMConstNull(LLVMVectorType(t->elems[LOOP_I32], lanes)), "");
    }
    LLVMValueRef some = lanes_of(t, mask, first, lanes);
    if (is_spread(t, mask, elem))
        return LLVMBuildSExt(b, some, type, "");
    const loop_type number = loop_type_of(elem, lanes);
    LLVMValueRef top = constant(t, number, elem == LOOP_I64 ? 63 : 31);
    return LLVMBuildShl(b, LLVMBuildZExt(b, some, type, ""), top, "");
}

static LLVMValueRef pointer_of(const translation *t, const access *a, uint32_t first)
{
    LLVMValueRef bytes = LLVMConstInt(t->elems[LOOP_I64], first * a->bits / 8, false);
    return first ? LLVMBuildGEP2(t->builder, t->elems[LOOP_I8], a->p, &bytes, 1, "") : a->p;
}

/* The machine's instruction for LANES lanes from FIRST; X is stored, or NULL. */
static LLVMValueRef machine_access(const translation *t, const access *a, uint32_t first,
                                   uint32_t lanes, LLVMValueRef x)
{
    const bool is_wide = a->bits == 64;
    const intrinsic which = INTRINSIC_AVX_LOAD + (x ? 4 : 0) + (is_wide ? 2 : 0) +
                            (lanes * a->bits == REGISTER_BITS ? 1 : 0);
    const loop_elem whole = is_wide ? LOOP_I64 : LOOP_I32;
    LLVMTypeRef floats = LLVMVectorType(t->elems[is_wide ? LOOP_F64 : LOOP_F32], lanes);
    LLVMValueRef mask = machine_mask(t, a->mask, first, lanes, whole);
    LLVMValueRef args[] = {pointer_of(t, a, first), mask,
                           x ? LLVMBuildBitCast(t->builder, x, floats, "") : NULL};
    const unsigned id = t->intrinsics[which];
    return LLVMBuildCall2(t->builder, LLVMIntrinsicGetType(t->context, id, NULL, 0),
                          LLVMGetIntrinsicDeclaration(t->module, id, NULL, 0), args, x ? 3 : 2, "");
}

static bool is_zero_or_any(LLVMValueRef x, uint32_t lanes)
{
    for (uint32_t k = 0; k < lanes && LLVMIsConstant(x); k++) {
        LLVMValueRef lane = LLVMGetAggregateElement(x, k);
        if (!lane || !(LLVMIsUndef(lane) || LLVMIsNull(lane)))
            return false;
    }
    return LLVMIsConstant(x);
}

static LLVMValueRef load_part(const translation *t, const access *a, uint32_t first, uint32_t lanes)
{
    LLVMBuilderRef b = t->builder;
    LLVMTypeRef type = LLVMVectorType(LLVMGetElementType(LLVMTypeOf(a->call)), lanes);
    LLVMValueRef pass = lanes_of(t, a->pass, first, lanes), x;
    const known k = known_of(a->mask, first, lanes);
    if (k == KNOWN_FALSE)
        return pass;
    if (k == KNOWN_NOT) {
        x = LLVMBuildBitCast(b, machine_access(t, a, first, lanes, NULL), type, "");
        if (is_zero_or_any(pass, lanes))
            return x;
    } else {
        x = LLVMBuildLoad2(b, type, pointer_of(t, a, first), "");
        LLVMSetAlignment(x, a->align);
    }
    return k == KNOWN_TRUE ? x
                           : LLVMBuildSelect(b, lanes_of(t, a->mask, first, lanes), x, pass, "");
}

/* How many lanes from FIRST on a constant mask has, and none behind them; 0: it is not as simple.
 */
static uint32_t known_first(LLVMValueRef mask, uint32_t first, uint32_t lanes)
{
    uint32_t n = lanes;
    while (LLVMIsConstant(mask) && n > 0)
        if (known_constant(mask, first, n) == KNOWN_TRUE)
            return known_constant(mask, first + n, lanes - n) == KNOWN_FALSE ? n : 0;
        else
            n--;
    return 0;
}

/* The first N lanes from FIRST on, by a store for each power of two: some processors take long for
 * masked stores. */
static void store_known(const translation *t, const access *a, uint32_t first, uint32_t n)
{
    for (uint32_t lanes = 1U << 31; lanes > 0; lanes /= 2)
        if (n & lanes) {
            LLVMValueRef x = lanes_of(t, a->x, first, lanes);
            LLVMSetAlignment(LLVMBuildStore(t->builder, x, pointer_of(t, a, first)),
                             a->bits / 8 < a->align ? a->bits / 8 : a->align);
            first += lanes;
        }
}

static void store_part(const translation *t, const access *a, uint32_t first, uint32_t lanes)
{
    const known k = known_of(a->mask, first, lanes);
    const uint32_t n = k == KNOWN_NOT ? known_first(a->mask, first, lanes) : 0;
    if (n > 0) {
        store_known(t, a, first, n);
        return;
    }
    LLVMValueRef x = k == KNOWN_FALSE ? NULL : lanes_of(t, a->x, first, lanes);
    if (k == KNOWN_TRUE)
        LLVMSetAlignment(LLVMBuildStore(t->builder, x, pointer_of(t, a, first)), a->align);
    else if (x)
        (void)machine_access(t, a, first, lanes, x);
}

/* The N vectors AT, a power of two of them, concatenated. */
static LLVMValueRef join(const translation *t, LLVMValueRef *at, uint32_t n)
{
    for (; n > 1; n /= 2)
        for (uint32_t k = 0; k < n / 2; k++) {
            const uint32_t lanes = 2 * LLVMGetVectorSize(LLVMTypeOf(at[2 * k]));
            at[k] = LLVMBuildShuffleVector(t->builder, at[2 * k], at[2 * k + 1],
                                           ramp(t, LOOP_I32, lanes), "");
        }
    return at[0];
}

static void write_access(const translation *t, const access *a)
{
    LLVMValueRef parts[MOST_PARTS];
    const uint32_t most = REGISTER_BITS / a->bits, least = HALF_BITS / a->bits;
    const uint32_t lanes = a->lanes > most ? most : a->lanes < least ? least : a->lanes;
    LLVMPositionBuilderBefore(t->builder, a->call);
    for (uint32_t first = 0; first < a->lanes; first += lanes)
        if (a->x)
            store_part(t, a, first, lanes);
        else
            parts[first / lanes] = load_part(t, a, first, lanes);
    if (!a->x) {
        LLVMValueRef all = join(t, parts, a->lanes > lanes ? a->lanes / lanes : 1);
        LLVMReplaceAllUsesWith(a->call, lanes_of(t, all, 0, a->lanes));
    }
    LLVMInstructionEraseFromParent(a->call);
}

/* The masked access that INST is, of elements that the machine can mask. */
static bool is_access(const translation *t, LLVMValueRef inst, access *a)
{
    LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
    const unsigned id = callee && LLVMIsAFunction(callee) ? LLVMGetIntrinsicID(callee) : 0;
    const bool is_store = id == t->intrinsics[INTRINSIC_MASKED_STORE];
    if (id == 0 || (!is_store && id != t->intrinsics[INTRINSIC_MASKED_LOAD]))
        return false;
    LLVMValueRef in[4];
    for (unsigned k = 0; k < 4; k++)
        in[k] = LLVMGetOperand(inst, k);
    *a = is_store ? (access){inst, in[1], in[3], NULL, in[0], 0, 0, 0}
                  : (access){inst, in[0], in[2], in[3], NULL, 0, 0, 0};
    a->align = (uint32_t)LLVMConstIntGetZExtValue(in[is_store ? 2 : 1]);
    LLVMTypeRef type = LLVMTypeOf(is_store ? a->x : inst);
    a->lanes = LLVMGetVectorSize(type);
    a->bits = (uint32_t)LLVMSizeOfTypeInBits(t->layout, LLVMGetElementType(type));
    return a->bits == 32 || a->bits == 64; /* LLVM writes others lane by lane */
}

void write_masks(const translation *t)
{
    access a;
    if (!t->is_x86 || (t->level != LEVEL_AVX && t->level != LEVEL_AVX2))
        return;
    for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (is_access(t, i, &a))
                    write_access(t, &a);
            }
}
