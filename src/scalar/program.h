/* Straight-line programs over single numbers: the form in which elementwise mathematics is written
 * once and given to every engine, the interpreter here and the code generators.
 *
 * A program is a list of instructions in SSA form; each reads earlier ones and makes one value of
 * type f32, f64, i32, i64 or mask. Every operation has one exact result (IEEE 754, round to nearest
 * even, denormals kept, integers wrap), so all engines agree on every bit but the payload and sign
 * of a NaN. */
#ifndef SCALAR_PROGRAM_H
#define SCALAR_PROGRAM_H

#include "base/memory/memory.h"

typedef enum scalar_type {
    SCALAR_F32 = 0,
    SCALAR_F64,
    SCALAR_I32,
    SCALAR_I64,
    SCALAR_MASK
} scalar_type;

typedef enum scalar_op {
#define OP(name, text, operands) SCALAR_##name,
#include "scalar/scalar_ops.def"
#undef OP
    SCALAR_OP_COUNT
} scalar_op;

/* An instruction's index in its program or builder. */
typedef uint32_t scalar_value;

typedef struct scalar_inst {
    scalar_op op;
    scalar_type type;   /* of the result */
    scalar_value in[3]; /* unused ones are 0 */
    uint32_t slot;      /* where the interpreter keeps the result; not for arguments */
    uint64_t bits;      /* CONST: the pattern, in the low bits; ARG: the index */
} scalar_inst;

typedef struct scalar_program {
    const scalar_inst *at;
    uint32_t n;
    uint32_t n_args;
    const scalar_type *arg_types;
    scalar_value result;
    uint32_t n_slots;
} scalar_program;

const char *scalar_op_name(scalar_op op);
unsigned scalar_op_operands(scalar_op op);
const char *scalar_type_name(scalar_type type);
size_t scalar_type_bytes(scalar_type type); /* 4 or 8; 4 for a mask, which has no storage form */

/* Builds one program in an arena. Equal instructions become one. Lack of memory and wrong types are
 * sticky: everything after gives value 0, and `sb_finish` gives NULL. */
enum { SCALAR_MAX_ARGS = 64 };
typedef struct scalar_builder {
    arena *arena;
    scalar_inst *at;
    uint32_t n, cap;
    uint32_t *table; /* value + 1 by hash of the instruction; 2 * cap entries, 0 is empty */
    scalar_type arg_types[SCALAR_MAX_ARGS];
    uint32_t n_args;
    bool failed;
} scalar_builder;

void sb_init(scalar_builder *b, arena *memory);
scalar_type sb_type(const scalar_builder *b, scalar_value v);

/* The next argument, in the order of the calls. */
scalar_value sb_arg(scalar_builder *b, scalar_type type);
scalar_value sb_const(scalar_builder *b, scalar_type type, uint64_t bits);
scalar_value sb_f32(scalar_builder *b, float value);
scalar_value sb_f64(scalar_builder *b, double value);
scalar_value sb_i32(scalar_builder *b, int32_t value);
scalar_value sb_i64(scalar_builder *b, int64_t value);

scalar_value sb_fadd(scalar_builder *b, scalar_value x, scalar_value y);
scalar_value sb_fsub(scalar_builder *b, scalar_value x, scalar_value y);
scalar_value sb_fmul(scalar_builder *b, scalar_value x, scalar_value y);
scalar_value sb_fdiv(scalar_builder *b, scalar_value x, scalar_value y);
scalar_value sb_fma(scalar_builder *b, scalar_value x, scalar_value y, scalar_value z);
scalar_value sb_fsqrt(scalar_builder *b, scalar_value x);
scalar_value sb_fneg(scalar_builder *b, scalar_value x);
scalar_value sb_fabs(scalar_builder *b, scalar_value x);
scalar_value sb_frint(scalar_builder *b, scalar_value x);
/* X * 2^k, rounded once. MAGIC_K is scalar_magic + k, a float whose low bits therefore hold the
 * integer k, which is between twice what is below the least and twice the largest exponent of
 * normal numbers; |X| is between 1/4 and 4. Other operands give unspecified numbers, but NaN for a
 * NaN. */
scalar_value sb_scale(scalar_builder *b, scalar_value x, scalar_value magic_k);
/* 1.5 * 2^m, with m stored significand bits in T: adding it rounds to an integer, which is kept
 * in the low bits. */
static inline double scalar_magic(scalar_type t)
{
    return t == SCALAR_F64 ? 0x1.8p52 : 0x1.8p23;
}
scalar_value sb_iadd(scalar_builder *b, scalar_value x, scalar_value y);
scalar_value sb_isub(scalar_builder *b, scalar_value x, scalar_value y);
scalar_value sb_imul(scalar_builder *b, scalar_value x, scalar_value y);
scalar_value sb_and(scalar_builder *b, scalar_value x, scalar_value y);
scalar_value sb_or(scalar_builder *b, scalar_value x, scalar_value y);
scalar_value sb_xor(scalar_builder *b, scalar_value x, scalar_value y);
scalar_value sb_not(scalar_builder *b, scalar_value x);
/* Shifts by Y, which has the type of X and counts modulo its width. */
scalar_value sb_shl(scalar_builder *b, scalar_value x, scalar_value y);
scalar_value sb_lshr(scalar_builder *b, scalar_value x, scalar_value y);
scalar_value sb_ashr(scalar_builder *b, scalar_value x, scalar_value y);
scalar_value sb_flt(scalar_builder *b, scalar_value x, scalar_value y);
scalar_value sb_fle(scalar_builder *b, scalar_value x, scalar_value y);
scalar_value sb_feq(scalar_builder *b, scalar_value x, scalar_value y);
scalar_value sb_funo(scalar_builder *b, scalar_value x, scalar_value y);
scalar_value sb_ieq(scalar_builder *b, scalar_value x, scalar_value y);
scalar_value sb_ilt(scalar_builder *b, scalar_value x, scalar_value y);
scalar_value sb_iult(scalar_builder *b, scalar_value x, scalar_value y);
scalar_value sb_select(scalar_builder *b, scalar_value mask, scalar_value yes, scalar_value no);
/* The same; MASK is true for few numbers, so that engines may compute what only YES needs apart,
 * and only where the mask is true. */
scalar_value sb_seldom(scalar_builder *b, scalar_value mask, scalar_value yes, scalar_value no);
/* The same bits as the type of the same width. */
scalar_value sb_bitcast(scalar_builder *b, scalar_type to, scalar_value x);
/* i32 <-> f32, i64 <-> f64, f32 <-> f64. Float to integer truncates; a value out of range (or NaN)
 * gives an unspecified integer, which must not reach the result of the program. */
scalar_value sb_convert(scalar_builder *b, scalar_type to, scalar_value x);

/* The program that computes RESULT, which is not a mask; instructions it does not need are left out
 * (arguments stay). Lives in the builder's arena. NULL when anything failed. */
const scalar_program *sb_finish(scalar_builder *b, scalar_value result);

/* Run PROGRAM on N elements: args[k] holds N elements of the type of argument k, RESULT gets N
 * elements of the type of the result. Each is aligned for its type; RESULT may be one of the
 * arguments, and does not overlap them otherwise. Takes 64 KiB of stack and no other memory. */
void scalar_run(const scalar_program *program, const void *const *args, void *result, size_t n);

/* The same without the processor's vector and fused multiply-add instructions, for tests. */
void scalar_run_portable(const scalar_program *program, const void *const *args, void *result,
                         size_t n);

/* The program as text, one instruction a line; NULL without memory. Equal programs give equal text.
 */
char *scalar_print(const scalar_program *program, arena *memory);

#endif
