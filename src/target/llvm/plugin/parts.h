/* What the files of the translation share. */
#ifndef TARGET_LLVM_PLUGIN_PARTS_H
#define TARGET_LLVM_PLUGIN_PARTS_H

#include <string.h>

#include "target/llvm/plugin/translate.h"

typedef struct region {
    uint8_t op; /* LOOP_FOR, LOOP_IF, LOOP_ELSE */
    LLVMBasicBlockRef body;
    LLVMBasicBlockRef after;
    LLVMBasicBlockRef otherwise; /* of an IF */
    LLVMValueRef index, high;    /* of a FOR */
    uint64_t step;
    bool is_once; /* a FOR of a single iteration */
} region;

typedef struct function_state {
    translation *t;
    const loop_program *p;
    LLVMValueRef function;
    LLVMValueRef *values; /* of a VAR and a LOCAL: their memory */
    LLVMValueRef status;  /* memory of the result, NULL as long as nothing fails */
    bool has_nontemporal;
    uint32_t depth;
    region open[LOOP_MAX_DEPTH];
} function_state;

/* What stands for the parts of a program, by number; NULL for what is not used. */
typedef struct program_values {
    LLVMValueRef *functions, *constants, *blocks;
    LLVMTypeRef block_type;
    LLVMValueRef share; /* NULL: nothing is shared out */
    const target_used *used;
} program_values;

/* ---- parts.c ---- */

LLVMTypeRef type_in(const translation *t, loop_type type);
LLVMTypeRef type_of_inst(const function_state *f, const loop_inst *i);
loop_type operand_type(const function_state *f, const loop_inst *i, unsigned k);
LLVMValueRef in_of(const function_state *f, const loop_inst *i, unsigned k);
bool is_vector(LLVMValueRef x);
/* The integer type as wide as an element, for its bits. */
loop_elem bits_elem(loop_elem e);

LLVMValueRef const_i32(const translation *t, uint32_t value);
LLVMValueRef constant(const translation *t, loop_type type, uint64_t bits);
LLVMValueRef ramp(const translation *t, loop_elem e, uint32_t lanes);
LLVMValueRef splat(const function_state *f, LLVMValueRef x, uint32_t lanes);
/* X as a vector, also of one lane, and back. */
LLVMValueRef as_vector(const function_state *f, LLVMValueRef x);
LLVMValueRef as_value(const function_state *f, LLVMValueRef x, uint32_t lanes);

LLVMValueRef call(const function_state *f, intrinsic which, LLVMTypeRef *types, size_t n_types,
                  LLVMValueRef *args, unsigned n);
/* An intrinsic whose operands and result have the type of X; Y and Z are both there or NULL. */
LLVMValueRef call_same(const function_state *f, intrinsic which, LLVMValueRef x, LLVMValueRef y,
                       LLVMValueRef z);

LLVMBasicBlockRef new_block(const function_state *f);
/* Memory of the stack; ALIGN 0: as the type wants it. */
LLVMValueRef new_memory(const function_state *f, LLVMTypeRef type, uint32_t align);

/* ---- translate.c ---- */

/* What every function is compiled for. */
void set_attributes(const translation *t, LLVMValueRef function);

/* ---- arithmetic.c ---- */

LLVMValueRef float_op(const function_state *f, const loop_inst *i);
LLVMValueRef scale(const function_state *f, const loop_inst *i);
LLVMValueRef integer_op(const function_state *f, const loop_inst *i);
LLVMValueRef conversion(const function_state *f, const loop_inst *i);
LLVMValueRef shuffle(const function_state *f, const loop_inst *i);
/* LANES lanes of X from FIRST; lanes that X does not have are any numbers. */
LLVMValueRef some_lanes(const function_state *f, LLVMValueRef x, uint32_t first, uint32_t lanes);
/* The lanes of N vectors, a power of two, one after the other; DONE is overwritten. */
LLVMValueRef join_lanes(const function_state *f, LLVMValueRef *done, uint32_t n);

/* ---- hidden.c ---- */

/* The vector X, of which LLVM knows no more. */
LLVMValueRef hidden(const function_state *f, LLVMValueRef x);
/* May LLVM know that lanes of V are zeros? */
bool may_have_zeros(const function_state *f, loop_value v);

/* ---- halves.c ---- */

/* V by the conversion of f16; NULL where it is no such number, or the CPU has none. */
LLVMValueRef number_of_half(const function_state *f, loop_value v);
/* V, which is rounded to f16 or the pattern of such a number, by the conversion to it; likewise. */
LLVMValueRef rounded_to_half(const function_state *f, loop_value v);

/* ---- lookup.c ---- */

/* Do all lanes of V have the same number? *BITS: it. */
bool is_constant(const function_state *f, loop_value v, uint64_t *bits);

/* V by a table of sixteen numbers; NULL where it is no such function, or the CPU has none. */
LLVMValueRef looked_up(const function_state *f, loop_value v);

/* ---- gathers.c ---- */

/* Does P have gathers, of elements whose positions follow from the loops alone? False without
 * memory. */
bool gathers_follow_loops(const loop_program *p, const tn_allocator *a);

/* ---- bytes.c ---- */

/* I, a division of bytes by a known number; NULL where it is none, or LLVM does it as well. */
LLVMValueRef byte_quotient(const function_state *f, const loop_inst *i);

/* ---- memory.c ---- */

LLVMValueRef offset(const function_state *f, LLVMValueRef p, LLVMValueRef bytes);
LLVMValueRef offset_of(const function_state *f, const loop_inst *i);
LLVMValueRef load(const function_state *f, const loop_inst *i);
void store(const function_state *f, const loop_inst *i);
LLVMValueRef load_first(const function_state *f, const loop_inst *i);
LLVMValueRef load_where(const function_state *f, const loop_inst *i);
void store_first(const function_state *f, const loop_inst *i);
LLVMValueRef gather(const function_state *f, const loop_inst *i);
void prefetch(const function_state *f, const loop_inst *i);

/* ---- share.c ---- */

/* Add the function by which kernels are shared out:
 *
 *     i32 share(threads, kernel, buffers, extent, most parts, slots, bytes of a slot)
 *
 * Returns it; NULL when there is no memory. */
LLVMValueRef add_share(const translation *t);

#endif
