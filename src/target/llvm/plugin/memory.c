/* Loads and stores. */
#include "target/llvm/plugin/parts.h"

LLVMValueRef offset(const function_state *f, LLVMValueRef p, LLVMValueRef bytes)
{
    return LLVMBuildGEP2(f->t->builder, f->t->elems[LOOP_I8], p, &bytes, 1, "");
}

/* The address after I, an offset. One by a multiple of a number is written as an address can say
 * it, and needs no register for the product. */
LLVMValueRef offset_of(const function_state *f, const loop_inst *i)
{
    static const loop_elem as_wide[] = {LOOP_I8, LOOP_I16, LOOP_I32, LOOP_I64};
    const loop_inst *bytes = &f->p->at[i->in[1]];
    const loop_inst *by = bytes->op == LOOP_SHL ? &f->p->at[bytes->in[1]] : NULL;
    if (!by || by->op != LOOP_CONST || by->imm >= sizeof as_wide / sizeof *as_wide)
        return offset(f, in_of(f, i, 0), in_of(f, i, 1));
    LLVMValueRef number = in_of(f, bytes, 0);
    return LLVMBuildGEP2(f->t->builder, f->t->elems[as_wide[by->imm]], in_of(f, i, 0), &number, 1,
                         "");
}

/* True for an address in the array of buffers, which nothing writes. */
static bool is_in_buffers(const function_state *f, loop_value p)
{
    while (f->p->at[p].op == LOOP_OFFSET)
        p = f->p->at[p].in[0];
    return f->p->at[p].op == LOOP_PARAM && f->p->at[p].imm == LOOP_BUFFERS;
}

LLVMValueRef load(const function_state *f, const loop_inst *i)
{
    LLVMValueRef x = LLVMBuildLoad2(f->t->builder, type_of_inst(f, i), in_of(f, i, 0), "");
    LLVMSetAlignment(x, 1u << i->log_align);
    if (!f->t->is_program && is_in_buffers(f, i->in[0]))
        LLVMSetMetadata(x, f->t->kind_invariant, f->t->mark_invariant);
    return x;
}

void store(const function_state *f, const loop_inst *i)
{
    LLVMValueRef s = LLVMBuildStore(f->t->builder, in_of(f, i, 1), in_of(f, i, 0));
    LLVMSetAlignment(s, 1u << i->log_align);
    if (i->op == LOOP_STORE_NONTEMPORAL)
        LLVMSetMetadata(s, f->t->kind_nontemporal, f->t->mark_nontemporal);
}

/* The mask of the first N of the lanes of TYPE, compared in lanes as wide as its elements. */
static LLVMValueRef first_mask(const function_state *f, LLVMValueRef n, loop_type type)
{
    const translation *t = f->t;
    loop_elem e = bits_elem((loop_elem)type.elem);
    e = e == LOOP_PTR ? LOOP_I64 : e;
    LLVMValueRef narrow = LLVMBuildTrunc(t->builder, n, t->elems[e], "");
    LLVMValueRef all = splat(f, narrow, type.lanes);
    LLVMValueRef lanes =
        type.lanes > 1 ? ramp(t, e, type.lanes) : LLVMConstNull(LLVMVectorType(t->elems[e], 1));
    return LLVMBuildICmp(t->builder, LLVMIntULT, lanes, all, "");
}

static uint32_t natural_align(loop_elem e)
{
    static const uint8_t align[] = {1, 1, 2, 4, 8, 4, 8, 8};
    return align[e];
}

/* The elements at the operand where the vector MASK holds, else 0. */
static LLVMValueRef masked_load(const function_state *f, const loop_inst *i, LLVMValueRef mask,
                                uint32_t align)
{
    LLVMTypeRef vector = LLVMVectorType(f->t->elems[i->type.elem], i->type.lanes);
    LLVMTypeRef types[] = {vector, f->t->elems[LOOP_PTR]};
    LLVMValueRef args[] = {in_of(f, i, 0), const_i32(f->t, align), mask, LLVMConstNull(vector)};
    return as_value(f, call(f, INTRINSIC_MASKED_LOAD, types, 2, args, 4), i->type.lanes);
}

/* ---- the first N lanes on CPUs without such masks ---- */

static bool has_masks(const translation *t, loop_type type)
{
    if (type.lanes == 1)
        return false;
    return t->level == LEVEL_AVX512 ||
           (t->level == LEVEL_AVX2 && natural_align((loop_elem)type.elem) >= 4);
}

/* One block for all lanes, and others for fewer of them. */
typedef struct detour {
    LLVMBasicBlockRef full, part, after;
} detour;

/* Go to `full` when N is all the LANES; the builder is there then. */
static detour open_detour(const function_state *f, LLVMValueRef n, uint32_t lanes)
{
    LLVMBuilderRef b = f->t->builder;
    const detour d = {new_block(f), new_block(f), new_block(f)};
    LLVMValueRef all = LLVMConstInt(f->t->elems[LOOP_I64], lanes, false);
    LLVMValueRef is_full = LLVMBuildICmp(b, LLVMIntEQ, n, all, "");
    LLVMValueRef branch = LLVMBuildCondBr(b, is_full, d.full, d.part);
    LLVMSetMetadata(branch, f->t->kind_weights, f->t->mark_likely);
    LLVMPositionBuilderAtEnd(b, d.full);
    return d;
}

/* A number of elements that is known: they are two vectors of a power of two, which overlap. */
typedef struct known_part {
    uint32_t n, vector;
    LLVMTypeRef type;
} known_part;

/* Is N of the LANES of E known, and not all or none of them? */
static bool is_known_part(const function_state *f, loop_elem e, LLVMValueRef n, uint32_t lanes,
                          known_part *part)
{
    const uint64_t known = LLVMIsAConstantInt(n) ? LLVMConstIntGetZExtValue(n) : 0;
    if (known == 0 || known >= lanes)
        return false;
    *part = (known_part){.n = (uint32_t)known, .vector = 1};
    while (2 * part->vector <= part->n)
        part->vector *= 2;
    part->type = LLVMVectorType(f->t->elems[e], part->vector);
    return true;
}

/* Where the second of the two lies. */
static LLVMValueRef second_of(const function_state *f, loop_elem e, const known_part *part,
                              LLVMValueRef p)
{
    LLVMValueRef at = LLVMConstInt(f->t->elems[LOOP_I64], part->n - part->vector, false);
    return LLVMBuildGEP2(f->t->builder, f->t->elems[e], p, &at, 1, "");
}

/* Lanes of X followed by Y, as many as TABLE has. */
static LLVMValueRef shuffled(const function_state *f, LLVMValueRef x, LLVMValueRef y,
                             const uint32_t *table, uint32_t lanes)
{
    LLVMValueRef at[LOOP_MAX_LANES];
    for (uint32_t i = 0; i < lanes; i++)
        at[i] = const_i32(f->t, table[i]);
    return LLVMBuildShuffleVector(f->t->builder, x, y, LLVMConstVector(at, lanes), "");
}

static LLVMValueRef load_known_part(const function_state *f, const loop_inst *i,
                                    const known_part *part)
{
    LLVMBuilderRef b = f->t->builder;
    const uint32_t lanes = i->type.lanes, after = part->n - part->vector;
    LLVMValueRef p = in_of(f, i, 0), low = LLVMBuildLoad2(b, part->type, p, "");
    LLVMValueRef high = LLVMBuildLoad2(b, part->type, second_of(f, i->type.elem, part, p), "");
    uint32_t table[LOOP_MAX_LANES] = {0};
    LLVMSetAlignment(low, 1u << i->log_align);
    LLVMSetAlignment(high, 1);
    for (uint32_t k = 0; k < lanes; k++)
        table[k] = k < part->vector ? k : k < part->n ? part->vector + k - after : 0;
    LLVMValueRef x = shuffled(f, low, high, table, lanes);
    for (uint32_t k = 0; k < lanes; k++)
        table[k] = k < part->n ? k : lanes + k;
    return shuffled(f, x, LLVMConstNull(LLVMTypeOf(x)), table, lanes);
}

static void store_known_part(const function_state *f, const loop_inst *i, loop_elem e,
                             LLVMValueRef x, const known_part *part)
{
    LLVMBuilderRef b = f->t->builder;
    LLVMValueRef p = in_of(f, i, 0), second = second_of(f, e, part, p);
    uint32_t table[LOOP_MAX_LANES] = {0};
    for (uint32_t k = 0; k < part->vector; k++)
        table[k] = k;
    LLVMSetAlignment(LLVMBuildStore(b, shuffled(f, x, x, table, part->vector), p),
                     1u << i->log_align);
    for (uint32_t k = 0; k < part->vector; k++)
        table[k] = part->n - part->vector + k;
    LLVMSetAlignment(LLVMBuildStore(b, shuffled(f, x, x, table, part->vector), second), 1);
}

/* X, then Y, or zeros where that is NULL. */
static LLVMValueRef followed_by(const function_state *f, LLVMValueRef x, LLVMValueRef y,
                                uint32_t lanes)
{
    uint32_t table[LOOP_MAX_LANES];
    for (uint32_t k = 0; k < 2 * lanes; k++)
        table[k] = k;
    return shuffled(f, x, y ? y : LLVMConstNull(LLVMTypeOf(x)), table, 2 * lanes);
}

/* The first N lanes at P, some of LANES, and zeros: a part for each bit of N, the shortest first,
 * which is the last in memory. X has those behind them. */
static LLVMValueRef load_by_bits(const function_state *f, loop_elem e, LLVMValueRef p,
                                 LLVMValueRef n, uint32_t lanes, uint32_t align)
{
    LLVMBuilderRef b = f->t->builder;
    LLVMTypeRef i64 = f->t->elems[LOOP_I64];
    LLVMValueRef x = LLVMConstNull(LLVMVectorType(f->t->elems[e], 1));
    for (uint32_t some = 1; some < lanes; some *= 2) {
        LLVMBasicBlockRef from[] = {LLVMGetInsertBlock(b), new_block(f)}, after = new_block(f);
        LLVMValueRef xs[] = {followed_by(f, x, NULL, some), NULL};
        LLVMValueRef bit = LLVMBuildAnd(b, n, LLVMConstInt(i64, some, false), "");
        (void)LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, bit, LLVMConstNull(i64), ""), after,
                              from[1]);
        LLVMPositionBuilderAtEnd(b, from[1]);
        LLVMValueRef at = LLVMBuildAnd(b, n, LLVMConstInt(i64, -(uint64_t)(2 * some), false), "");
        LLVMValueRef here = LLVMBuildLoad2(b, LLVMVectorType(f->t->elems[e], some),
                                           LLVMBuildGEP2(b, f->t->elems[e], p, &at, 1, ""), "");
        LLVMSetAlignment(here, align);
        xs[1] = followed_by(f, here, x, some);
        (void)LLVMBuildBr(b, after);
        LLVMPositionBuilderAtEnd(b, after);
        x = LLVMBuildPhi(b, LLVMTypeOf(xs[0]), "");
        LLVMAddIncoming(x, xs, from, 2);
    }
    return x;
}

/* The alignment of every element where the first one is at an address aligned as I says. */
static uint32_t element_align(const loop_inst *i, loop_elem e)
{
    const uint32_t natural = natural_align(e), first = 1u << i->log_align;
    return first < natural ? first : natural;
}

static LLVMValueRef load_by_detour(const function_state *f, const loop_inst *i)
{
    LLVMBuilderRef b = f->t->builder;
    LLVMTypeRef type = type_of_inst(f, i);
    const loop_elem e = (loop_elem)i->type.elem;
    LLVMValueRef p = in_of(f, i, 0), n = in_of(f, i, 1);
    known_part known;
    if (is_known_part(f, e, n, i->type.lanes, &known))
        return load_known_part(f, i, &known);
    const detour d = open_detour(f, n, i->type.lanes);
    LLVMValueRef full = LLVMBuildLoad2(b, type, p, ""), part = LLVMConstNull(type);
    LLVMSetAlignment(full, 1u << i->log_align);
    (void)LLVMBuildBr(b, d.after);
    LLVMPositionBuilderAtEnd(b, d.part);
    if (i->type.lanes > 1)
        part = load_by_bits(f, e, p, n, i->type.lanes, element_align(i, e));
    LLVMBasicBlockRef part_end = LLVMGetInsertBlock(b);
    (void)LLVMBuildBr(b, d.after);
    LLVMPositionBuilderAtEnd(b, d.after);
    LLVMValueRef x = LLVMBuildPhi(b, type, "");
    LLVMAddIncoming(x, (LLVMValueRef[]){full, part}, (LLVMBasicBlockRef[]){d.full, part_end}, 2);
    return x;
}

/* The first N lanes of X at P, some of LANES: a part for each bit of N, the longest first. X is
 * what is left after each. */
static void store_by_bits(const function_state *f, loop_elem e, LLVMValueRef p, LLVMValueRef x,
                          LLVMValueRef n, uint32_t lanes, uint32_t align)
{
    LLVMBuilderRef b = f->t->builder;
    LLVMTypeRef i64 = f->t->elems[LOOP_I64];
    while (lanes > 1) {
        lanes /= 2;
        LLVMBasicBlockRef from[] = {LLVMGetInsertBlock(b), new_block(f)}, after = new_block(f);
        LLVMValueRef xs[2], ps[] = {p, NULL}, step = LLVMConstInt(i64, lanes, false);
        LLVMValueRef bit = LLVMBuildAnd(b, n, step, "");
        xs[0] = some_lanes(f, x, 0, lanes);
        (void)LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, bit, LLVMConstNull(i64), ""), after,
                              from[1]);
        LLVMPositionBuilderAtEnd(b, from[1]);
        LLVMSetAlignment(LLVMBuildStore(b, xs[0], p), align);
        xs[1] = some_lanes(f, x, lanes, lanes);
        ps[1] = LLVMBuildGEP2(b, f->t->elems[e], p, &step, 1, "");
        (void)LLVMBuildBr(b, after);
        LLVMPositionBuilderAtEnd(b, after);
        x = LLVMBuildPhi(b, LLVMTypeOf(xs[0]), "");
        p = LLVMBuildPhi(b, LLVMTypeOf(p), "");
        LLVMAddIncoming(x, xs, from, 2);
        LLVMAddIncoming(p, ps, from, 2);
    }
}

static void store_by_detour(const function_state *f, const loop_inst *i)
{
    LLVMBuilderRef b = f->t->builder;
    const loop_type type = operand_type(f, i, 1);
    const loop_elem e = (loop_elem)type.elem;
    LLVMValueRef p = in_of(f, i, 0), x = in_of(f, i, 1), n = in_of(f, i, 2);
    known_part known;
    if (is_known_part(f, e, n, type.lanes, &known)) {
        store_known_part(f, i, e, x, &known);
        return;
    }
    const detour d = open_detour(f, n, type.lanes);
    LLVMSetAlignment(LLVMBuildStore(b, x, p), 1u << i->log_align);
    (void)LLVMBuildBr(b, d.after);
    LLVMPositionBuilderAtEnd(b, d.part);
    store_by_bits(f, e, p, x, n, type.lanes, element_align(i, e));
    (void)LLVMBuildBr(b, d.after);
    LLVMPositionBuilderAtEnd(b, d.after);
}

/* ---- the first N lanes ---- */

LLVMValueRef load_first(const function_state *f, const loop_inst *i)
{
    if (!has_masks(f->t, i->type))
        return load_by_detour(f, i);
    return masked_load(f, i, first_mask(f, in_of(f, i, 1), i->type), 1u << i->log_align);
}

void store_first(const function_state *f, const loop_inst *i)
{
    const loop_type type = operand_type(f, i, 1);
    const bool is_known = LLVMIsAConstantInt(in_of(f, i, 2)) != NULL;
    if (!has_masks(f->t, type) || (f->t->level == LEVEL_AVX2 && !is_known)) {
        store_by_detour(f, i); /* some processors take long for masked stores of AVX2 */
        return;
    }
    LLVMValueRef x = in_of(f, i, 1);
    LLVMTypeRef types[] = {LLVMTypeOf(x), f->t->elems[LOOP_PTR]};
    LLVMValueRef args[] = {x, in_of(f, i, 0), const_i32(f->t, 1u << i->log_align),
                           first_mask(f, in_of(f, i, 2), type)};
    (void)call(f, INTRINSIC_MASKED_STORE, types, 2, args, 4);
}

LLVMValueRef load_where(const function_state *f, const loop_inst *i)
{
    return masked_load(f, i, as_vector(f, in_of(f, i, 1)), natural_align((loop_elem)i->type.elem));
}

LLVMValueRef gather(const function_state *f, const loop_inst *i)
{
    const uint32_t lanes = i->type.lanes;
    const loop_elem e = (loop_elem)i->type.elem;
    LLVMTypeRef vector = LLVMVectorType(f->t->elems[e], lanes);
    LLVMTypeRef types[] = {vector, LLVMVectorType(f->t->elems[LOOP_PTR], lanes)};
    LLVMValueRef at = offset(f, in_of(f, i, 0), as_vector(f, in_of(f, i, 1)));
    LLVMValueRef args[] = {at, const_i32(f->t, natural_align(e)), as_vector(f, in_of(f, i, 2)),
                           LLVMConstNull(vector)};
    return as_value(f, call(f, INTRINSIC_GATHER, types, 2, args, 4), lanes);
}

void prefetch(const function_state *f, const loop_inst *i)
{
    enum { SECOND_LEVEL = 2, FIRST_LEVEL = 3 };
    LLVMTypeRef type = f->t->elems[LOOP_PTR];
    const uint32_t near = i->op == LOOP_PREFETCH_FAR ? SECOND_LEVEL : FIRST_LEVEL;
    LLVMValueRef args[] = {in_of(f, i, 0), const_i32(f->t, 0), const_i32(f->t, near),
                           const_i32(f->t, 1)};
    (void)call(f, INTRINSIC_PREFETCH, &type, 1, args, 4);
}
