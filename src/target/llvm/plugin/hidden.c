/* Vectors of which LLVM is to know no more than that they are there. */
#include <string.h>

#include "target/llvm/plugin/parts.h"

/* X, which fills a register, through inline assembly that has no instructions. */
static LLVMValueRef hidden_register(const function_state *f, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x), takes = LLVMFunctionType(type, &type, 1, false);
    const char *in_place = f->t->is_x86 ? "=v,0" : "=w,0";
    LLVMValueRef same =
        LLVMGetInlineAsm(takes, "", 0, in_place, 4, false, false, LLVMInlineAsmDialectATT, false);
    LLVMValueRef y = LLVMBuildCall2(f->t->builder, takes, same, &x, 1, "");
    static const char *const facts[] = {"memory", "nounwind", "willreturn"}; /* memory: none */
    for (unsigned n = 0; n < 3; n++) {
        const unsigned kind = LLVMGetEnumAttributeKindForName(facts[n], strlen(facts[n]));
        LLVMAddCallSiteAttribute(y, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                 LLVMCreateEnumAttribute(f->t->context, kind, 0));
    }
    return y;
}

static uint32_t register_bytes(const translation *t)
{
    enum { SSE = 16, AVX = 32, AVX512 = 64 };
    return !t->is_x86 || t->level < LEVEL_AVX2 ? SSE : t->level < LEVEL_AVX512 ? AVX : AVX512;
}

LLVMValueRef hidden(const function_state *f, LLVMValueRef x)
{
    enum { LEAST = 16 };
    LLVMTypeRef type = LLVMTypeOf(x);
    const uint32_t lanes = LLVMGetVectorSize(type);
    const uint32_t bytes = (uint32_t)LLVMStoreSizeOfType(f->t->layout, type), each = bytes / lanes;
    if (bytes < LEAST)
        return some_lanes(f, hidden_register(f, some_lanes(f, x, 0, LEAST / each)), 0, lanes);
    const uint32_t room = register_bytes(f->t) / each;
    if (lanes <= room)
        return hidden_register(f, x);
    LLVMValueRef done[LOOP_MAX_LANES];
    for (uint32_t n = 0; n < lanes / room; n++)
        done[n] = hidden_register(f, some_lanes(f, x, n * room, room));
    return join_lanes(f, done, lanes / room);
}

static bool may_have(const function_state *f, loop_value v, uint32_t depth)
{
    const loop_inst *i = &f->p->at[v];
    if (i->op == LOOP_SPLAT) /* of a constant, or of what LLVM does not know */
        i = &f->p->at[i->in[0]];
    if (i->op != LOOP_CONST && (i->type.lanes == 1 || i->op == LOOP_LOAD))
        return false;
    switch ((int)i->op) {
    case LOOP_CONST:
        return i->imm == 0;
    case LOOP_FADD:
    case LOOP_FSUB:
    case LOOP_FMUL:
    case LOOP_FDIV:
    case LOOP_FMA:
        break;
    default:
        return true;
    }
    const uint32_t n = i->op == LOOP_FMA ? 3 : 2;
    bool any = depth == 0;
    for (uint32_t k = 0; k < n && !any; k++)
        any = may_have(f, i->in[k], depth - 1);
    return any;
}

bool may_have_zeros(const function_state *f, loop_value v)
{
    enum { DEEPEST = 8 };
    return may_have(f, v, DEEPEST);
}
