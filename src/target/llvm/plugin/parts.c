/* Types, constants and small sequences that all translations use. */
#include "target/llvm/plugin/parts.h"

LLVMTypeRef type_in(const translation *t, loop_type type)
{
    LLVMTypeRef elem = t->elems[type.elem];
    return type.lanes == 1 ? elem : LLVMVectorType(elem, type.lanes);
}

LLVMTypeRef type_of_inst(const function_state *f, const loop_inst *i)
{
    return type_in(f->t, i->type);
}

loop_type operand_type(const function_state *f, const loop_inst *i, unsigned k)
{
    return f->p->at[i->in[k]].type;
}

bool is_vector(LLVMValueRef x)
{
    return LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind;
}

LLVMValueRef const_i32(const translation *t, uint32_t value)
{
    return LLVMConstInt(t->elems[LOOP_I32], value, false);
}

static LLVMValueRef repeat_const(LLVMValueRef one, uint32_t lanes)
{
    LLVMValueRef all[LOOP_MAX_LANES];
    if (lanes == 1)
        return one;
    for (uint32_t k = 0; k < lanes; k++)
        all[k] = one;
    return LLVMConstVector(all, lanes);
}

/* The integer type as wide as an element, for its bits. */
loop_elem bits_elem(loop_elem e)
{
    if (e == LOOP_F32)
        return LOOP_I32;
    return e == LOOP_F64 ? LOOP_I64 : e;
}

LLVMValueRef constant(const translation *t, loop_type type, uint64_t bits)
{
    const loop_elem e = (loop_elem)type.elem;
    LLVMValueRef one = LLVMConstInt(t->elems[bits_elem(e)], bits, false);
    if (bits_elem(e) != e)
        one = LLVMConstBitCast(one, t->elems[e]);
    return repeat_const(one, type.lanes);
}

LLVMValueRef ramp(const translation *t, loop_elem e, uint32_t lanes)
{
    LLVMValueRef all[LOOP_MAX_LANES];
    for (uint32_t k = 0; k < lanes; k++)
        all[k] = LLVMConstInt(t->elems[e], k, false);
    return lanes == 1 ? all[0] : LLVMConstVector(all, lanes);
}

LLVMValueRef call(const function_state *f, intrinsic which, LLVMTypeRef *types, size_t n_types,
                  LLVMValueRef *args, unsigned n)
{
    const translation *t = f->t;
    const unsigned id = t->intrinsics[which];
    LLVMValueRef callee = LLVMGetIntrinsicDeclaration(t->module, id, types, n_types);
    LLVMTypeRef type = LLVMIntrinsicGetType(t->context, id, types, n_types);
    return LLVMBuildCall2(t->builder, type, callee, args, n, "");
}

/* An intrinsic whose operands and result have the type of X. */
LLVMValueRef call_same(const function_state *f, intrinsic which, LLVMValueRef x, LLVMValueRef y,
                       LLVMValueRef z)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef args[] = {x, y, z};
    return call(f, which, &type, 1, args, z ? 3 : 1);
}

LLVMValueRef splat(const function_state *f, LLVMValueRef x, uint32_t lanes)
{
    const translation *t = f->t;
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(x), lanes);
    if (lanes == 1 && is_vector(x))
        return x;
    LLVMValueRef none = LLVMGetPoison(type);
    LLVMValueRef first = LLVMBuildInsertElement(t->builder, none, x, const_i32(t, 0), "");
    LLVMValueRef table = LLVMConstNull(LLVMVectorType(t->elems[LOOP_I32], lanes));
    return LLVMBuildShuffleVector(t->builder, first, none, table, "");
}

/* X as a vector, also of one lane. */
LLVMValueRef as_vector(const function_state *f, LLVMValueRef x)
{
    const translation *t = f->t;
    if (is_vector(x))
        return x;
    return LLVMBuildInsertElement(t->builder, LLVMGetPoison(LLVMVectorType(LLVMTypeOf(x), 1)), x,
                                  const_i32(t, 0), "");
}

/* A vector made for a value of LANES lanes as what stands for such values. */
LLVMValueRef as_value(const function_state *f, LLVMValueRef x, uint32_t lanes)
{
    return lanes > 1 ? x : LLVMBuildExtractElement(f->t->builder, x, const_i32(f->t, 0), "");
}

LLVMBasicBlockRef new_block(const function_state *f)
{
    return LLVMAppendBasicBlockInContext(f->t->context, f->function, "");
}

LLVMValueRef new_memory(const function_state *f, LLVMTypeRef type, uint32_t align)
{
    LLVMValueRef at = LLVMBuildAlloca(f->t->heads, type, "");
    if (align)
        LLVMSetAlignment(at, align);
    return at;
}

LLVMValueRef in_of(const function_state *f, const loop_inst *i, unsigned k)
{
    return f->values[i->in[k]];
}
