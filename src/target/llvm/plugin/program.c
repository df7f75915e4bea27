/* Whole programs to LLVM IR: constants, blocks and the entry around the functions of kernels. */
#include <stdio.h>

#include "target/llvm/plugin/parts.h"

/* One block on its way. */
typedef struct block_state {
    translation *t;
    const target_program *p;
    const program_values *v;
    LLVMValueRef function;
    LLVMValueRef pointers; /* memory of the pointer variables */
    LLVMValueRef lists[2]; /* memory of arrays of buffers */
    uint32_t depth;
    struct {
        LLVMBasicBlockRef start, after, otherwise;
        LLVMValueRef left; /* memory: iterations to do; NULL: no end */
        target_kind kind;
    } open[8];
} block_state;

static LLVMTypeRef pointer_type(const block_state *s)
{
    return s->t->elems[LOOP_PTR];
}

static LLVMValueRef number(const block_state *s, uint64_t x)
{
    return LLVMConstInt(s->t->elems[LOOP_I64], x, false);
}

static LLVMValueRef bytes_behind(const block_state *s, LLVMValueRef p, uint64_t bytes)
{
    LLVMValueRef n = number(s, bytes);
    return bytes == 0 ? p : LLVMBuildGEP2(s->t->builder, s->t->elems[LOOP_I8], p, &n, 1, "");
}

static LLVMValueRef slot(const block_state *s, LLVMValueRef array, uint32_t index)
{
    return bytes_behind(s, array, (uint64_t)index * LLVMPointerSize(s->t->layout));
}

static LLVMValueRef work_of(const block_state *s)
{
    return LLVMGetParam(s->function, 2);
}

static LLVMValueRef weights_of(const block_state *s)
{
    return LLVMGetParam(s->function, 3);
}

static LLVMValueRef threads_of(const block_state *s)
{
    return LLVMGetParam(s->function, s->p->takes_weights ? 4 : 3);
}

static LLVMValueRef address(const block_state *s, uint32_t buffer)
{
    const target_buffer *b = &s->p->buffers[buffer];
    LLVMValueRef p = work_of(s);
    if (b->place == TARGET_NOTHING)
        return LLVMConstNull(pointer_type(s));
    if (b->place == TARGET_INPUT || b->place == TARGET_OUTPUT)
        p = LLVMGetParam(s->function, b->place == TARGET_INPUT ? 0 : 1);
    else if (b->place == TARGET_POINTER)
        p = s->pointers;
    if (b->place == TARGET_CONSTANT && s->p->takes_weights)
        p = bytes_behind(s, weights_of(s), s->v->used->offsets[b->index]);
    else if (b->place == TARGET_CONSTANT)
        p = s->v->constants[b->index];
    else if (b->place != TARGET_WORKSPACE)
        p = LLVMBuildLoad2(s->t->builder, pointer_type(s), slot(s, p, b->index), "");
    return bytes_behind(s, p, b->offset);
}

static LLVMValueRef fill_list(const block_state *s, unsigned which, const uint32_t *buffers,
                              uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        (void)LLVMBuildStore(s->t->builder, address(s, buffers[k]), slot(s, s->lists[which], k));
    return s->lists[which];
}

static LLVMBasicBlockRef fresh(const block_state *s)
{
    return LLVMAppendBasicBlockInContext(s->t->context, s->function, "");
}

static void branch(const block_state *s, LLVMValueRef yes, LLVMBasicBlockRef a, LLVMBasicBlockRef b)
{
    (void)LLVMBuildCondBr(s->t->builder, yes, a, b);
}

/* Return another status than 0. */
static void check(const block_state *s, LLVMValueRef status)
{
    LLVMBuilderRef b = s->t->builder;
    LLVMBasicBlockRef failed = fresh(s), next = fresh(s);
    branch(s, LLVMBuildICmp(b, LLVMIntEQ, status, const_i32(s->t, 0), ""), next, failed);
    LLVMPositionBuilderAtEnd(b, failed);
    (void)LLVMBuildRet(b, status);
    LLVMPositionBuilderAtEnd(b, next);
}

static void shared_kernel(const block_state *s, const target_step *step)
{
    LLVMValueRef args[] = {threads_of(s),
                           s->v->functions[step->index],
                           fill_list(s, 0, step->buffers, step->n_buffers),
                           number(s, (uint64_t)step->extent),
                           number(s, (uint64_t)step->pieces),
                           bytes_behind(s, work_of(s), s->p->temporary_bytes),
                           number(s, target_slot(s->p))};
    check(s, LLVMBuildCall2(s->t->builder, LLVMGlobalGetValueType(s->v->share), s->v->share, args,
                            7, ""));
}

static void kernel(const block_state *s, const target_step *step)
{
    LLVMValueRef args[] = {fill_list(s, 0, step->buffers, step->n_buffers), number(s, 0),
                           number(s, (uint64_t)step->extent),
                           bytes_behind(s, work_of(s), s->p->temporary_bytes)};
    check(s, LLVMBuildCall2(s->t->builder, s->t->function_type, s->v->functions[step->index], args,
                            4, ""));
}

static void run_block(const block_state *s, const target_step *step)
{
    const target_block *b = &s->p->blocks[step->index];
    LLVMValueRef args[] = {fill_list(s, 0, step->buffers, b->n_inputs),
                           fill_list(s, 1, step->buffers + b->n_inputs, b->n_outputs), work_of(s),
                           NULL, NULL};
    unsigned n = 3;
    if (s->p->takes_weights)
        args[n++] = weights_of(s);
    if (s->p->shares_work)
        args[n++] = threads_of(s);
    check(s,
          LLVMBuildCall2(s->t->builder, s->v->block_type, s->v->blocks[step->index], args, n, ""));
}

static void copy(const block_state *s, const target_step *step)
{
    LLVMBuilderRef b = s->t->builder;
    LLVMValueRef from = address(s, step->buffers[0]), to = address(s, step->buffers[1]);
    LLVMBasicBlockRef differ = fresh(s), next = fresh(s);
    branch(s, LLVMBuildICmp(b, LLVMIntEQ, from, to, ""), next, differ);
    LLVMPositionBuilderAtEnd(b, differ);
    (void)LLVMBuildMemCpy(b, to, 1, from, 1, number(s, step->bytes));
    (void)LLVMBuildBr(b, next);
    LLVMPositionBuilderAtEnd(b, next);
}

/* Is the byte at a buffer not 0? */
static LLVMValueRef is_set(const block_state *s, const target_step *step)
{
    LLVMBuilderRef b = s->t->builder;
    LLVMTypeRef byte = s->t->elems[LOOP_I8];
    LLVMValueRef x = LLVMBuildLoad2(b, byte, address(s, step->buffers[0]), "");
    LLVMSetAlignment(x, 1);
    return LLVMBuildICmp(b, LLVMIntNE, x, LLVMConstInt(byte, 0, false), "");
}

static void open_loop(block_state *s, const target_step *step)
{
    LLVMBuilderRef b = s->t->builder;
    const uint32_t k = s->depth++;
    s->open[k].kind = TARGET_LOOP;
    s->open[k].start = fresh(s);
    s->open[k].after = fresh(s);
    s->open[k].left = NULL;
    if (step->extent >= 0) {
        s->open[k].left = LLVMBuildAlloca(s->t->heads, s->t->elems[LOOP_I64], "");
        (void)LLVMBuildStore(b, number(s, (uint64_t)step->extent), s->open[k].left);
    }
    (void)LLVMBuildBr(b, s->open[k].start);
    LLVMPositionBuilderAtEnd(b, s->open[k].start);
    if (s->open[k].left) {
        LLVMBasicBlockRef body = fresh(s);
        LLVMValueRef left = LLVMBuildLoad2(b, s->t->elems[LOOP_I64], s->open[k].left, "");
        branch(s, LLVMBuildICmp(b, LLVMIntEQ, left, number(s, 0), ""), s->open[k].after, body);
        LLVMPositionBuilderAtEnd(b, body);
        (void)LLVMBuildStore(b, LLVMBuildSub(b, left, number(s, 1), ""), s->open[k].left);
    }
}

static void leave(const block_state *s, const target_step *step)
{
    LLVMBasicBlockRef next = fresh(s), after = NULL;
    for (uint32_t k = s->depth; !after && k-- > 0;)
        if (s->open[k].kind == TARGET_LOOP)
            after = s->open[k].after;
    branch(s, is_set(s, step), next, after);
    LLVMPositionBuilderAtEnd(s->t->builder, next);
}

static void open_if(block_state *s, const target_step *step)
{
    const uint32_t k = s->depth++;
    s->open[k].kind = TARGET_IF;
    s->open[k].start = fresh(s);
    s->open[k].otherwise = fresh(s);
    s->open[k].after = fresh(s);
    branch(s, is_set(s, step), s->open[k].start, s->open[k].otherwise);
    LLVMPositionBuilderAtEnd(s->t->builder, s->open[k].start);
}

static void open_else(block_state *s)
{
    const uint32_t k = s->depth - 1;
    (void)LLVMBuildBr(s->t->builder, s->open[k].after);
    s->open[k].kind = TARGET_ELSE;
    LLVMPositionBuilderAtEnd(s->t->builder, s->open[k].otherwise);
}

static void close(block_state *s)
{
    LLVMBuilderRef b = s->t->builder;
    const uint32_t k = --s->depth;
    (void)LLVMBuildBr(b, s->open[k].kind == TARGET_LOOP ? s->open[k].start : s->open[k].after);
    if (s->open[k].kind == TARGET_IF) {
        LLVMPositionBuilderAtEnd(b, s->open[k].otherwise);
        (void)LLVMBuildBr(b, s->open[k].after);
    }
    LLVMPositionBuilderAtEnd(b, s->open[k].after);
}

static void step(block_state *s, const target_step *at)
{
    switch (at->kind) {
    case TARGET_KERNEL:
        if (target_is_shared(s->p, at))
            shared_kernel(s, at);
        else
            kernel(s, at);
        break;
    case TARGET_BLOCK:
        run_block(s, at);
        break;
    case TARGET_COPY:
        copy(s, at);
        break;
    case TARGET_POINT:
        (void)LLVMBuildStore(s->t->builder, address(s, at->buffers[0]),
                             slot(s, s->pointers, at->index));
        break;
    case TARGET_LOOP:
        open_loop(s, at);
        break;
    case TARGET_LEAVE:
        leave(s, at);
        break;
    case TARGET_IF:
        open_if(s, at);
        break;
    case TARGET_ELSE:
        open_else(s);
        break;
    case TARGET_END:
        close(s);
        break;
    }
}

/* Room for arrays of the block's steps: its pointer variables, and what is handed to others. */
static void make_arrays(block_state *s, const target_block *b)
{
    uint32_t most = 1;
    for (uint32_t k = 0; k < b->n_steps; k++)
        most = b->steps[k].n_buffers > most ? b->steps[k].n_buffers : most;
    LLVMTypeRef list = LLVMArrayType2(pointer_type(s), most);
    s->lists[0] = LLVMBuildAlloca(s->t->heads, list, "");
    s->lists[1] = LLVMBuildAlloca(s->t->heads, list, "");
    s->pointers = LLVMBuildAlloca(s->t->heads, LLVMArrayType2(pointer_type(s), b->n_pointers), "");
}

/* What is wrong with the addresses of PORTS, whose array is parameter WHICH, and OFF: not 0. */
static LLVMValueRef check_ports(const block_state *s, LLVMValueRef off, unsigned which,
                                const target_port *ports, uint32_t n)
{
    LLVMBuilderRef b = s->t->builder;
    for (uint32_t k = 0; k < n; k++) {
        if (ports[k].align < 2)
            continue;
        LLVMValueRef p =
            LLVMBuildLoad2(b, pointer_type(s), slot(s, LLVMGetParam(s->function, which), k), "");
        p = LLVMBuildPtrToInt(b, p, s->t->elems[LOOP_I64], "");
        off = LLVMBuildOr(b, off, LLVMBuildAnd(b, p, number(s, ports[k].align - 1), ""), "");
    }
    return off;
}

static void check_addresses(const block_state *s)
{
    const target_program *p = s->p;
    LLVMBuilderRef b = s->t->builder;
    LLVMValueRef off = number(s, 0);
    if (target_workspace(p, 1) > 0)
        off = LLVMBuildAnd(b, LLVMBuildPtrToInt(b, work_of(s), s->t->elems[LOOP_I64], ""),
                           number(s, TARGET_ALIGN - 1), "");
    off = check_ports(s, off, 0, p->inputs, p->n_inputs);
    off = check_ports(s, off, 1, p->outputs, p->n_outputs);
    if (p->takes_weights) {
        LLVMValueRef at = LLVMBuildPtrToInt(b, weights_of(s), s->t->elems[LOOP_I64], "");
        off = LLVMBuildOr(b, off, LLVMBuildAnd(b, at, number(s, TARGET_ALIGN - 1), ""), "");
    }
    LLVMValueRef wrong = LLVMBuildICmp(b, LLVMIntNE, off, number(s, 0), "");
    LLVMValueRef status = const_i32(s->t, (uint32_t)TARGET_MISALIGNED);
    check(s, LLVMBuildSelect(b, wrong, status, const_i32(s->t, 0), ""));
}

static void check_weights(const block_state *s)
{
    LLVMBuilderRef b = s->t->builder;
    LLVMValueRef none = LLVMBuildIsNull(b, weights_of(s), "");
    check(s, LLVMBuildSelect(b, none, const_i32(s->t, (uint32_t)TARGET_OTHER_WEIGHTS),
                             const_i32(s->t, 0), ""));
    LLVMValueRef at = bytes_behind(s, weights_of(s), TARGET_MARK_AT);
    LLVMValueRef mark = LLVMBuildLoad2(b, s->t->elems[LOOP_I64], at, "");
    LLVMValueRef other = LLVMBuildICmp(b, LLVMIntNE, mark, number(s, s->v->used->mark), "");
    LLVMValueRef status = const_i32(s->t, (uint32_t)TARGET_OTHER_WEIGHTS);
    check(s, LLVMBuildSelect(b, other, status, const_i32(s->t, 0), ""));
}

static void fill_block(translation *t, const target_program *p, const program_values *v,
                       uint32_t block)
{
    const target_block *b = &p->blocks[block];
    block_state s = {.t = t, .p = p, .v = v, .function = v->blocks[block]};
    set_attributes(t, s.function);
    LLVMPositionBuilderAtEnd(t->heads, fresh(&s));
    LLVMBasicBlockRef start = fresh(&s);
    LLVMPositionBuilderAtEnd(t->builder, start);
    make_arrays(&s, b);
    if (block == 0)
        check_addresses(&s);
    if (block == 0 && p->takes_weights)
        check_weights(&s);
    for (uint32_t k = 0; k < b->n_steps; k++)
        step(&s, &b->steps[k]);
    (void)LLVMBuildRet(t->builder, const_i32(t, 0));
    (void)LLVMBuildBr(t->heads, start);
}

static LLVMValueRef add_constant(const translation *t, const target_constant *c, uint32_t index)
{
    char name[32];
    (void)snprintf(name, sizeof name, "constant%u", (unsigned)index);
    LLVMValueRef data = LLVMConstStringInContext2(t->context, c->bytes, (size_t)c->n_bytes, true);
    LLVMValueRef g = LLVMAddGlobal(t->module, LLVMTypeOf(data), name);
    LLVMSetInitializer(g, data);
    LLVMSetLinkage(g, LLVMInternalLinkage);
    LLVMSetGlobalConstant(g, true);
    LLVMSetAlignment(g, TARGET_ALIGN);
    return g;
}

/* Kernels are not inlined: their array of buffers is filled again for each call. */
static void hide_kernel(const translation *t, LLVMValueRef f)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName("noinline", 8);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(t->context, kind, 0));
}

static void add_blocks(translation *t, const target_program *p, const target_used *used,
                       program_values *v)
{
    char name[512];
    for (uint32_t k = 0; k < p->n_blocks; k++) {
        if (!used->blocks[k])
            continue;
        if (k == 0)
            (void)snprintf(name, sizeof name, "%s_run", p->name);
        else
            (void)snprintf(name, sizeof name, "block%u", (unsigned)k);
        v->blocks[k] = LLVMAddFunction(t->module, name, v->block_type);
        if (k > 0)
            LLVMSetLinkage(v->blocks[k], LLVMInternalLinkage);
    }
    for (uint32_t k = 0; k < p->n_blocks; k++)
        if (used->blocks[k])
            fill_block(t, p, v, k);
}

bool translate_program(translation *t, const target_program *p, const target_used *used)
{
    const size_t n = (size_t)p->n_functions + p->n_constants + p->n_blocks;
    const size_t bytes = (n + 1) * sizeof(LLVMValueRef);
    const tn_allocator *a = t->allocator;
    LLVMValueRef *values = a->resize(a->user, NULL, 0, bytes);
    program_values v = {.functions = values, .used = used};
    bool ok = values != NULL;
    if (!ok)
        return false;
    v.constants = values + p->n_functions;
    v.blocks = v.constants + p->n_constants;
    const unsigned n_parameters = 3u + p->takes_weights + p->shares_work;
    LLVMTypeRef pointers[5];
    for (unsigned k = 0; k < 5; k++)
        pointers[k] = t->elems[LOOP_PTR];
    v.block_type = LLVMFunctionType(t->elems[LOOP_I32], pointers, n_parameters, false);
    t->is_program = true;
    if (used->shares) {
        v.share = add_share(t);
        ok = v.share != NULL;
    }
    for (uint32_t k = 0; ok && k < p->n_functions; k++) {
        if (!used->functions[k])
            continue;
        ok = translate(t, &p->functions[k]);
        v.functions[k] = ok ? LLVMGetNamedFunction(t->module, p->functions[k].name) : NULL;
        if (ok)
            hide_kernel(t, v.functions[k]);
    }
    for (uint32_t k = 0; ok && !p->takes_weights && k < p->n_constants; k++)
        if (used->constants[k])
            v.constants[k] = add_constant(t, &p->constants[k], k);
    if (ok)
        add_blocks(t, p, used, &v);
    (void)a->resize(a->user, values, bytes, 0);
    return ok;
}
