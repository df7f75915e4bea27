/* Loop programs to LLVM IR, instruction by instruction. */
#include <stdio.h>

#include "target/llvm/plugin/parts.h"

static LLVMValueRef variable(const function_state *f, const loop_inst *i)
{
    LLVMValueRef at = new_memory(f, type_of_inst(f, i), 0);
    (void)LLVMBuildStore(f->t->builder, in_of(f, i, 0), at);
    return at;
}

static LLVMValueRef local(const function_state *f, const loop_inst *i)
{
    LLVMTypeRef bytes = LLVMArrayType2(f->t->elems[LOOP_I8], i->imm);
    return new_memory(f, bytes, LOOP_ALIGN);
}

/* ---- regions ---- */

static bool small_number(LLVMValueRef x, int64_t *value)
{
    if (!LLVMIsAConstantInt(x))
        return false;
    *value = LLVMConstIntGetSExtValue(x);
    return true;
}

/* Loops test at their end; one that is known to run skips the test before the first iteration, and
 * one that runs once is its body: LLVM rewrites the test of such a loop into one that it does not
 * see through. */
static LLVMValueRef open_for(function_state *f, const loop_inst *i)
{
    LLVMBuilderRef b = f->t->builder;
    LLVMValueRef low = in_of(f, i, 0), high = in_of(f, i, 1);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    region *r = &f->open[f->depth++];
    *r = (region){.op = LOOP_FOR, .body = new_block(f), .high = high, .step = i->imm};
    r->after = new_block(f);
    int64_t first, end;
    const bool is_known = small_number(low, &first) && small_number(high, &end) && first < end;
    r->is_once = is_known && (uint64_t)end - (uint64_t)first <= r->step;
    if (is_known)
        (void)LLVMBuildBr(b, r->body);
    else
        (void)LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, low, high, ""), r->body, r->after);
    LLVMPositionBuilderAtEnd(b, r->body);
    if (r->is_once)
        return low;
    r->index = LLVMBuildPhi(b, f->t->elems[LOOP_I64], "");
    LLVMAddIncoming(r->index, &low, &before, 1);
    return r->index;
}

static void close_for(const function_state *f, const region *r)
{
    LLVMBuilderRef b = f->t->builder;
    if (r->is_once) {
        (void)LLVMBuildBr(b, r->after);
        return;
    }
    LLVMValueRef step = LLVMConstInt(f->t->elems[LOOP_I64], r->step, false);
    LLVMValueRef next = LLVMBuildAdd(b, r->index, step, "");
    LLVMBasicBlockRef last = LLVMGetInsertBlock(b);
    LLVMAddIncoming(r->index, &next, &last, 1);
    LLVMValueRef again = LLVMBuildICmp(b, LLVMIntSLT, next, r->high, "");
    (void)LLVMBuildCondBr(b, again, r->body, r->after);
}

static void open_if(function_state *f, const loop_inst *i)
{
    LLVMBuilderRef b = f->t->builder;
    region *r = &f->open[f->depth++];
    *r = (region){.op = LOOP_IF, .body = new_block(f), .otherwise = new_block(f)};
    r->after = new_block(f);
    (void)LLVMBuildCondBr(b, in_of(f, i, 0), r->body, r->otherwise);
    LLVMPositionBuilderAtEnd(b, r->body);
}

static void open_else(function_state *f)
{
    region *r = &f->open[f->depth - 1];
    (void)LLVMBuildBr(f->t->builder, r->after);
    r->op = LOOP_ELSE;
    LLVMPositionBuilderAtEnd(f->t->builder, r->otherwise);
}

static void close_region(function_state *f)
{
    LLVMBuilderRef b = f->t->builder;
    const region *r = &f->open[--f->depth];
    if (r->op == LOOP_FOR) {
        close_for(f, r);
    } else {
        (void)LLVMBuildBr(b, r->after);
        if (r->op == LOOP_IF) {
            LLVMPositionBuilderAtEnd(b, r->otherwise);
            (void)LLVMBuildBr(b, r->after);
        }
    }
    LLVMPositionBuilderAtEnd(b, r->after);
}

static void leave(function_state *f, const loop_inst *i)
{
    LLVMBasicBlockRef next = new_block(f);
    (void)LLVMBuildCondBr(f->t->builder, in_of(f, i, 0), f->open[f->depth - 1].after, next);
    LLVMPositionBuilderAtEnd(f->t->builder, next);
}

static void fail(function_state *f, const loop_inst *i)
{
    LLVMBuilderRef b = f->t->builder;
    LLVMTypeRef type = f->t->elems[LOOP_I32];
    if (!f->status) {
        f->status = new_memory(f, type, 0);
        (void)LLVMBuildStore(f->t->heads, const_i32(f->t, 0), f->status);
    }
    LLVMValueRef before = LLVMBuildLoad2(b, type, f->status, "");
    LLVMValueRef after =
        LLVMBuildSelect(b, in_of(f, i, 0), const_i32(f->t, (uint32_t)i->imm), before, "");
    (void)LLVMBuildStore(b, after, f->status);
}

/* Calls what the watch begins with. */
static void poll(function_state *f, const loop_inst *i)
{
    LLVMBuilderRef b = f->t->builder;
    LLVMTypeRef pointer = f->t->elems[LOOP_PTR];
    LLVMTypeRef type = LLVMFunctionType(f->t->elems[LOOP_I32], &pointer, 1, false);
    LLVMValueRef watch = in_of(f, i, 0);
    LLVMValueRef status =
        LLVMBuildCall2(b, type, LLVMBuildLoad2(b, pointer, watch, ""), &watch, 1, "");
    LLVMBasicBlockRef stop = new_block(f), next = new_block(f);
    (void)LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, status, const_i32(f->t, 0), ""), next,
                          stop);
    LLVMPositionBuilderAtEnd(b, stop);
    (void)LLVMBuildRet(b, status);
    LLVMPositionBuilderAtEnd(b, next);
}

/* ---- programs ---- */

/* A constant in memory. The load is volatile, or the compiler would move it out of all loops and
 * keep a register for it in those beside, where sums of products are spilled then. */
static LLVMValueRef loaded(const function_state *f, const loop_inst *i)
{
    LLVMTypeRef type = type_in(f->t, i->type);
    LLVMValueRef place = LLVMAddGlobal(f->t->module, type, "");
    LLVMSetInitializer(place, constant(f->t, i->type, i->imm));
    LLVMSetGlobalConstant(place, true);
    LLVMSetLinkage(place, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(place, LLVMGlobalUnnamedAddr);
    LLVMValueRef load = LLVMBuildLoad2(f->t->builder, type, place, "");
    LLVMSetVolatile(load, true);
    return load;
}

/* Known lanes of YES, the others from NO, which is zeros, or both are masks; else NULL. With
 * AVX-512 LLVM would make a shuffle that expands registers, of masks as vectors of words. */
static LLVMValueRef known_choice(const function_state *f, loop_type type, LLVMValueRef mask,
                                 LLVMValueRef yes, LLVMValueRef no)
{
    LLVMBuilderRef b = f->t->builder;
    LLVMTypeRef own = LLVMTypeOf(yes);
    enum { REGISTER = 64 };
    if (!f->t->is_x86 || f->t->level < LEVEL_AVX512 || !LLVMIsConstant(mask) || !is_vector(mask))
        return NULL;
    if (type.elem == LOOP_MASK)
        return LLVMBuildOr(b, LLVMBuildAnd(b, yes, mask, ""),
                           LLVMBuildAnd(b, no, LLVMBuildNot(b, mask, ""), ""), "");
    if (!LLVMIsNull(no) || LLVMStoreSizeOfType(f->t->layout, own) < REGISTER)
        return NULL;
    LLVMTypeRef bits = type_in(f->t, loop_type_of(bits_elem((loop_elem)type.elem), type.lanes));
    yes = LLVMBuildBitCast(b, yes, bits, "");
    return LLVMBuildBitCast(b, LLVMBuildAnd(b, yes, LLVMBuildSExt(b, mask, bits, ""), ""), own, "");
}

/* Baseline code chooses between the bits of single floats: with AVX, LLVM would choose between
 * whole registers, and load one from where a number lies that is the last one of its memory. */
static LLVMValueRef choice(const function_state *f, const loop_inst *i)
{
    LLVMBuilderRef b = f->t->builder;
    LLVMValueRef mask = in_of(f, i, 0), yes = in_of(f, i, 1), no = in_of(f, i, 2);
    LLVMTypeRef type = LLVMTypeOf(yes);
    LLVMValueRef known = known_choice(f, i->type, mask, yes, no);
    if (known)
        return known;
    const bool is_f32 = type == f->t->elems[LOOP_F32];
    if (!f->t->is_baseline || (!is_f32 && type != f->t->elems[LOOP_F64]))
        return LLVMBuildSelect(b, mask, yes, no, "");
    LLVMTypeRef bits = f->t->elems[is_f32 ? LOOP_I32 : LOOP_I64];
    yes = LLVMBuildBitCast(b, yes, bits, "");
    no = LLVMBuildBitCast(b, no, bits, "");
    return LLVMBuildBitCast(b, LLVMBuildSelect(b, mask, yes, no, ""), type, "");
}

/* Instructions that stand for themselves; the value, or NULL for those without. */
static LLVMValueRef other_op(function_state *f, const loop_inst *i)
{
    LLVMBuilderRef b = f->t->builder;
    switch ((int)i->op) {
    case LOOP_CONST:
        return i->log_align ? loaded(f, i) : constant(f->t, i->type, i->imm);
    case LOOP_PARAM:
        return LLVMGetParam(f->function, (unsigned)i->imm);
    case LOOP_SELECT:
        return choice(f, i);
    case LOOP_SPLAT:
        return splat(f, in_of(f, i, 0), i->type.lanes);
    case LOOP_LANE:
        return LLVMBuildExtractElement(b, in_of(f, i, 0), const_i32(f->t, (uint32_t)i->imm), "");
    case LOOP_RAMP:
        return ramp(f->t, (loop_elem)i->type.elem, i->type.lanes);
    case LOOP_SHUFFLE:
        return shuffle(f, i);
    case LOOP_OFFSET:
        return offset_of(f, i);
    case LOOP_ADDRESS:
        return LLVMBuildPtrToInt(b, in_of(f, i, 0), f->t->elems[LOOP_I64], "");
    case LOOP_LOCAL:
        return local(f, i);
    case LOOP_LOAD:
        return load(f, i);
    case LOOP_LOAD_FIRST:
        return load_first(f, i);
    case LOOP_LOAD_WHERE:
        return load_where(f, i);
    case LOOP_GATHER:
        return gather(f, i);
    case LOOP_VAR:
        return variable(f, i);
    case LOOP_GET:
        return LLVMBuildLoad2(b, type_of_inst(f, i), in_of(f, i, 0), "");
    case LOOP_FOR:
        return open_for(f, i);
    default:
        return NULL;
    }
}

static void effect(function_state *f, const loop_inst *i)
{
    switch ((int)i->op) {
    case LOOP_STORE_NONTEMPORAL:
        f->has_nontemporal = true;
        store(f, i);
        break;
    case LOOP_STORE:
        store(f, i);
        break;
    case LOOP_STORE_FIRST:
        store_first(f, i);
        break;
    case LOOP_PREFETCH:
    case LOOP_PREFETCH_FAR:
        prefetch(f, i);
        break;
    case LOOP_SET:
        (void)LLVMBuildStore(f->t->builder, in_of(f, i, 1), in_of(f, i, 0));
        break;
    case LOOP_IF:
        open_if(f, i);
        break;
    case LOOP_ELSE:
        open_else(f);
        break;
    case LOOP_END:
        close_region(f);
        break;
    case LOOP_POLL:
        poll(f, i);
        break;
    case LOOP_LEAVE:
        leave(f, i);
        break;
    case LOOP_FAIL:
        fail(f, i);
        break;
    default:
        break;
    }
}

static LLVMValueRef translate_inst(function_state *f, const loop_inst *i)
{
    const int op = i->op;
    if ((op >= LOOP_FADD && op <= LOOP_FTRUNC) || (op >= LOOP_FLT && op <= LOOP_FUNO))
        return float_op(f, i);
    if (op == LOOP_SCALE)
        return scale(f, i);
    if ((op >= LOOP_IADD && op <= LOOP_ASHR) || (op >= LOOP_IEQ && op <= LOOP_IULT))
        return integer_op(f, i);
    if (op >= LOOP_BITCAST && op <= LOOP_F_TO_U)
        return conversion(f, i);
    LLVMValueRef value = other_op(f, i);
    if (!value)
        effect(f, i);
    return value;
}

static void add_attribute(const translation *t, LLVMValueRef function, LLVMAttributeIndex at,
                          const char *name)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, at, LLVMCreateEnumAttribute(t->context, kind, 0));
}

static void add_text_attribute(const translation *t, LLVMValueRef function, const char *name,
                               const char *value)
{
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(t->context, name, (unsigned)strlen(name),
                                                      value, (unsigned)strlen(value)));
}

void set_attributes(const translation *t, LLVMValueRef function)
{
    const LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    add_attribute(t, function, whole, "nounwind");
    add_text_attribute(t, function, "target-cpu", t->cpu);
    add_text_attribute(t, function, "target-features", t->features);
    add_text_attribute(t, function, "prefer-vector-width", "512");
    add_text_attribute(t, function, "no-trapping-math", "true");
}

/* LLVM makes loads of single elements in place of gather instructions. */
static void avoid_gathers(const translation *t, LLVMValueRef function)
{
    enum { TEXT_BYTES = 16384 };
    char features[TEXT_BYTES];
    const int n = snprintf(features, sizeof features, "%s%s+prefer-no-gather", t->features,
                           *t->features ? "," : "");
    if (n > 0 && n < TEXT_BYTES)
        add_text_attribute(t, function, "target-features", features);
}

static void finish(const function_state *f)
{
    LLVMBuilderRef b = f->t->builder;
    LLVMValueRef result = const_i32(f->t, 0);
    /* Non-temporal stores are not ordered with the stores that tell other threads that the work is
     * done. */
    if (f->has_nontemporal && f->t->is_x86)
        (void)call(f, INTRINSIC_SFENCE, NULL, 0, NULL, 0);
    if (f->status)
        result = LLVMBuildLoad2(b, f->t->elems[LOOP_I32], f->status, "");
    (void)LLVMBuildRet(b, result);
}

static void choose_section(LLVMValueRef function, const char *name)
{
    char section[64];
    (void)snprintf(section, sizeof section, ".text.%s", name);
    LLVMSetSection(function, section);
}

bool translate(translation *t, const target_function *function)
{
    const loop_program *p = function->program;
    const size_t bytes = ((size_t)p->n + 1) * sizeof(LLVMValueRef);
    const tn_allocator *a = t->allocator;
    function_state f = {.t = t, .p = p};
    f.values = a->resize(a->user, NULL, 0, bytes);
    if (!f.values)
        return false;
    f.function = LLVMAddFunction(t->module, function->name, t->function_type);
    set_attributes(t, f.function);
    if (t->level == LEVEL_AVX512 && gathers_follow_loops(p, a))
        avoid_gathers(t, f.function);
    /* So that vectors are spilled to aligned places: LLVM aligns a frame only where it has a frame
     * pointer before it gives out registers. A spill across two pages takes hundreds of cycles. */
    if (t->is_x86 && t->level >= LEVEL_AVX)
        add_text_attribute(t, f.function, "frame-pointer", "all");
    if (t->is_apart)
        choose_section(f.function, function->name);
    /* Nobody writes the array of buffers, and only the function knows the scratch memory. */
    add_attribute(t, f.function, 1 + LOOP_BUFFERS, "noalias");
    add_attribute(t, f.function, 1 + LOOP_SCRATCH, "noalias");
    LLVMPositionBuilderAtEnd(t->heads, new_block(&f));
    LLVMBasicBlockRef start = new_block(&f);
    LLVMPositionBuilderAtEnd(t->builder, start);
    for (uint32_t v = 0; v < p->n; v++) {
        f.values[v] = looked_up(&f, v);
        if (!f.values[v])
            f.values[v] = number_of_half(&f, v);
        if (!f.values[v])
            f.values[v] = rounded_to_half(&f, v);
        if (!f.values[v])
            f.values[v] = translate_inst(&f, &p->at[v]);
    }
    finish(&f);
    (void)LLVMBuildBr(t->heads, start);
    (void)a->resize(a->user, f.values, bytes, 0);
    return true;
}

void translation_init(translation *t)
{
    static const char *const names[INTRINSIC_COUNT] = {
        [INTRINSIC_FMA] = "llvm.fma",
        [INTRINSIC_SQRT] = "llvm.sqrt",
        [INTRINSIC_FABS] = "llvm.fabs",
        [INTRINSIC_RINT] = "llvm.rint",
        [INTRINSIC_TRUNC] = "llvm.trunc",
        [INTRINSIC_FENCE] = "llvm.arithmetic.fence",
        [INTRINSIC_SCALE_F32] = "llvm.x86.avx512.mask.scalef.ps.512",
        [INTRINSIC_SCALE_F64] = "llvm.x86.avx512.mask.scalef.pd.512",
        [INTRINSIC_DOT_PAIRS] = "llvm.x86.sse2.pmadd.wd",
        [INTRINSIC_DOT_PAIRS + 1] = "llvm.x86.avx2.pmadd.wd",
        [INTRINSIC_DOT_PAIRS + 2] = "llvm.x86.avx512.pmaddw.d.512",
        [INTRINSIC_DOT_QUADS] = "llvm.x86.avx512.vpdpbusd.128",
        [INTRINSIC_DOT_QUADS + 1] = "llvm.x86.avx512.vpdpbusd.256",
        [INTRINSIC_DOT_QUADS + 2] = "llvm.x86.avx512.vpdpbusd.512",
        [INTRINSIC_DOT_BF16] = "llvm.x86.avx512bf16.dpbf16ps.128",
        [INTRINSIC_DOT_BF16 + 1] = "llvm.x86.avx512bf16.dpbf16ps.256",
        [INTRINSIC_DOT_BF16 + 2] = "llvm.x86.avx512bf16.dpbf16ps.512",
        [INTRINSIC_HIGH] = "llvm.x86.sse2.pmulhu.w",
        [INTRINSIC_HIGH + 1] = "llvm.x86.avx2.pmulhu.w",
        [INTRINSIC_HIGH + 2] = "llvm.x86.avx512.pmulhu.w.512",
        [INTRINSIC_HIGH_SIGNED] = "llvm.x86.sse2.pmulh.w",
        [INTRINSIC_HIGH_SIGNED + 1] = "llvm.x86.avx2.pmulh.w",
        [INTRINSIC_HIGH_SIGNED + 2] = "llvm.x86.avx512.pmulh.w.512",
        [INTRINSIC_LOOKUP] = "llvm.x86.avx512.permvar.sf.512",
        [INTRINSIC_MASKED_LOAD] = "llvm.masked.load",
        [INTRINSIC_MASKED_STORE] = "llvm.masked.store",
        [INTRINSIC_GATHER] = "llvm.masked.gather",
        [INTRINSIC_PREFETCH] = "llvm.prefetch",
        [INTRINSIC_SFENCE] = "llvm.x86.sse.sfence",
        [INTRINSIC_AVX_LOAD] = "llvm.x86.avx.maskload.ps",
        [INTRINSIC_AVX_LOAD + 1] = "llvm.x86.avx.maskload.ps.256",
        [INTRINSIC_AVX_LOAD + 2] = "llvm.x86.avx.maskload.pd",
        [INTRINSIC_AVX_LOAD + 3] = "llvm.x86.avx.maskload.pd.256",
        [INTRINSIC_AVX_LOAD + 4] = "llvm.x86.avx.maskstore.ps",
        [INTRINSIC_AVX_LOAD + 5] = "llvm.x86.avx.maskstore.ps.256",
        [INTRINSIC_AVX_LOAD + 6] = "llvm.x86.avx.maskstore.pd",
        [INTRINSIC_AVX_LOAD + 7] = "llvm.x86.avx.maskstore.pd.256"};
    LLVMContextRef c = t->context;
    for (unsigned k = 0; k < INTRINSIC_COUNT; k++)
        t->intrinsics[k] = LLVMLookupIntrinsicID(names[k], strlen(names[k]));
    t->elems[LOOP_MASK] = LLVMInt1TypeInContext(c);
    t->elems[LOOP_I8] = LLVMInt8TypeInContext(c);
    t->elems[LOOP_I16] = LLVMInt16TypeInContext(c);
    t->elems[LOOP_I32] = LLVMInt32TypeInContext(c);
    t->elems[LOOP_I64] = LLVMInt64TypeInContext(c);
    t->elems[LOOP_F32] = LLVMFloatTypeInContext(c);
    t->elems[LOOP_F64] = LLVMDoubleTypeInContext(c);
    t->elems[LOOP_PTR] = LLVMPointerTypeInContext(c, 0);
    LLVMTypeRef params[] = {t->elems[LOOP_PTR], t->elems[LOOP_I64], t->elems[LOOP_I64],
                            t->elems[LOOP_PTR]};
    t->function_type = LLVMFunctionType(t->elems[LOOP_I32], params, 4, false);
    t->kind_nontemporal = LLVMGetMDKindIDInContext(c, "nontemporal", 11);
    t->kind_invariant = LLVMGetMDKindIDInContext(c, "invariant.load", 14);
    t->kind_weights = LLVMGetMDKindIDInContext(c, "prof", 4);
    LLVMMetadataRef one = LLVMValueAsMetadata(const_i32(t, 1));
    t->mark_nontemporal = LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, &one, 1));
    LLVMMetadataRef likely[] = {LLVMMDStringInContext2(c, "branch_weights", 14),
                                LLVMValueAsMetadata(const_i32(t, 1000)), one};
    t->mark_likely = LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, likely, 3));
    t->mark_invariant = LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, NULL, 0));
}
