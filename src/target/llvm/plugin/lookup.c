/* Numbers of four bits, and what is computed of them and constants, are looked up in a register of
 * sixteen floats where CPUs have such: weights of four bits are decoded so, in place of a mask, a
 * conversion and a subtraction. The table has what the instructions themselves give. */
#include "target/llvm/plugin/parts.h"

enum {
    ENTRIES = 16, /* lanes of a register, too */
    DEEPEST = 4   /* instructions from the index to the value */
};

typedef struct lookup {
    float at[ENTRIES];
    loop_value index; /* whose lowest four bits count */
} lookup;

bool is_constant(const function_state *f, loop_value v, uint64_t *bits)
{
    const loop_inst *i = &f->p->at[v];
    if (i->op == LOOP_SPLAT)
        i = &f->p->at[i->in[0]];
    *bits = i->imm;
    return i->op == LOOP_CONST && i->n_lanes == 0;
}

/* Is V a number below ENTRIES? */
static bool find_index(const function_state *f, loop_value v, lookup *x)
{
    const loop_inst *i = &f->p->at[v];
    const loop_inst *masked = i->op == LOOP_ZEXT ? &f->p->at[i->in[0]] : i;
    uint64_t mask = 0;
    unsigned other = 0;
    if (masked->op != LOOP_AND)
        return false;
    while (other < 2 && !is_constant(f, masked->in[1 - other], &mask))
        other++;
    if (other == 2 || mask == 0 || mask >= ENTRIES)
        return false;
    x->index = masked == i && mask == ENTRIES - 1 ? i->in[other] : v;
    for (uint32_t n = 0; n < ENTRIES; n++)
        x->at[n] = (float)n;
    return true;
}

static float combined(int op, float x, float y)
{
    switch (op) {
    case LOOP_FADD:
        return x + y;
    case LOOP_FSUB:
        return x - y;
    default:
        return x * y;
    }
}

/* Is V a function of one such number? */
static bool find_table(const function_state *f, loop_value v, uint32_t depth, lookup *x)
{
    const loop_inst *i = &f->p->at[v];
    uint64_t bits;
    float c;
    if (depth == 0 || i->type.elem != LOOP_F32 || i->type.lanes % ENTRIES != 0)
        return false;
    if (i->op == LOOP_S_TO_F)
        return f->p->at[i->in[0]].type.elem == LOOP_I32 && find_index(f, i->in[0], x);
    if (i->op != LOOP_FADD && i->op != LOOP_FSUB && i->op != LOOP_FMUL)
        return false;
    const unsigned known = is_constant(f, i->in[1], &bits) ? 1 : 0;
    if (!is_constant(f, i->in[known], &bits) || !find_table(f, i->in[1 - known], depth - 1, x))
        return false;
    const uint32_t word = (uint32_t)bits;
    memcpy(&c, &word, sizeof c);
    bool is_number = true; /* of others the bits may differ */
    for (uint32_t n = 0; n < ENTRIES; n++) {
        x->at[n] = known == 1 ? combined(i->op, x->at[n], c) : combined(i->op, c, x->at[n]);
        is_number = is_number && x->at[n] - x->at[n] == 0;
    }
    return is_number;
}

/* The index V. Bytes that are widened and then shifted would be shifted first, and widened once for
 * each shift. */
static LLVMValueRef index_of(const function_state *f, loop_value v)
{
    LLVMBuilderRef b = f->t->builder;
    const loop_inst *i = &f->p->at[v];
    if (i->op == LOOP_SELECT) /* by the amount */
        return LLVMBuildSelect(b, f->values[i->in[0]], index_of(f, i->in[1]), f->values[i->in[2]],
                               "");
    if (i->op != LOOP_LSHR || f->p->at[i->in[0]].op != LOOP_ZEXT || i->type.lanes != ENTRIES)
        return f->values[v];
    LLVMValueRef most = constant(f->t, i->type, 31);
    LLVMValueRef amount = LLVMBuildAnd(b, f->values[i->in[1]], most, "");
    return LLVMBuildLShr(b, hidden(f, f->values[i->in[0]]), amount, "");
}

LLVMValueRef looked_up(const function_state *f, loop_value v)
{
    lookup x;
    LLVMValueRef table[ENTRIES];
    if (!f->t->is_x86 || f->t->level != LEVEL_AVX512 || !find_table(f, v, DEEPEST, &x))
        return NULL;
    for (uint32_t n = 0; n < ENTRIES; n++) {
        uint32_t word;
        memcpy(&word, &x.at[n], sizeof word);
        table[n] = constant(f->t, loop_type_of(LOOP_F32, 1), word);
    }
    LLVMValueRef entries = LLVMConstVector(table, ENTRIES), index = index_of(f, x.index);
    LLVMValueRef done[LOOP_MAX_LANES / ENTRIES] = {NULL};
    const uint32_t n_done = f->p->at[v].type.lanes / ENTRIES;
    for (uint32_t n = 0; n < n_done; n++) {
        LLVMValueRef in[] = {entries, some_lanes(f, index, n * ENTRIES, ENTRIES)};
        done[n] = call(f, INTRINSIC_LOOKUP, NULL, 0, in, 2);
    }
    return join_lanes(f, done, n_done);
}
