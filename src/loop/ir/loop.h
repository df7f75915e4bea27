/* Loop programs: what a kernel does, in the form from which machine code and C are made.
 *
 * A program is one function: a flat list of instructions in SSA form, in which FOR ... END and
 * IF ... ELSE ... END nest. An instruction sees the values of the instructions before it in its own
 * and in the enclosing regions. Values are scalars or vectors of one element type; a vector has as
 * many lanes as the program says, whatever the machine has. Numbers that change from one iteration
 * of a loop to the next are kept in variables (VAR, GET, SET). Every operation has one exact result
 * (IEEE 754, round to nearest even, denormals kept, integers wrap), as in scalar/program.h, so all
 * targets agree on every bit but the payload and sign of a NaN.
 *
 * A program is called as
 *
 *     int32_t f(char *const *buffers, int64_t begin, int64_t end, char *scratch)
 *
 * and does the share [begin, end) of its work; calls with other shares may run beside it. The
 * result is 0 or the status of the last FAIL that fired. */
#ifndef LOOP_IR_LOOP_H
#define LOOP_IR_LOOP_H

#include "base/text/text.h"
#include "graph/sized.h"
#include "scalar/program.h"

typedef enum loop_elem {
    LOOP_MASK = 0, /* true or false; never in memory */
    LOOP_I8,
    LOOP_I16,
    LOOP_I32,
    LOOP_I64,
    LOOP_F32,
    LOOP_F64,
    LOOP_PTR, /* scalars only */
    LOOP_NONE /* of instructions without a value */
} loop_elem;

/* The number of lanes is a power of two. */
enum { LOOP_MAX_LANES = 64, LOOP_ALIGN = 64 };

typedef struct loop_type {
    uint8_t elem; /* loop_elem */
    uint8_t lanes;
} loop_type;

typedef enum loop_op {
#define OP(name, text, operands, rule) LOOP_##name,
#include "loop/ir/loop_ops.def"
#undef OP
    LOOP_OP_COUNT
} loop_op;

typedef uint32_t loop_value;
#define LOOP_NO_VALUE UINT32_MAX

typedef enum loop_param {
    LOOP_BUFFERS = 0, /* PTR to an array of pointers */
    LOOP_BEGIN,       /* I64 */
    LOOP_END_AT,      /* I64 */
    LOOP_SCRATCH      /* PTR to `scratch_bytes` bytes of this call's own, LOOP_ALIGN-aligned */
} loop_param;

typedef struct loop_inst {
    uint8_t op; /* loop_op */
    loop_type type;
    uint8_t log_align; /* LOAD, STORE, ...: the address is a multiple of 2 to this; CONST: 1 where
                          it is better loaded at each use than kept in a register */
    uint32_t n_lanes;  /* SHUFFLE: of the table; CONST: the name of a size, else 0 */
    loop_value in[3];
    uint64_t
        imm; /* CONST: the bits of one lane; others: see ops.def; SHUFFLE: place of the table */
} loop_inst;

typedef struct loop_program {
    const loop_inst *at;
    uint32_t n;
    const uint8_t *tables; /* of shuffles */
    uint32_t n_tables;
    uint32_t n_buffers;
    uint64_t scratch_bytes;
    const char *fault; /* loop_finish_or_fault: what was built wrong; else NULL */
} loop_program;

const char *loop_op_name(loop_op op);
unsigned loop_op_operands(loop_op op);
bool loop_op_has_value(loop_op op);
const char *loop_elem_name(loop_elem e);
size_t loop_elem_bytes(loop_elem e); /* 1 for a mask */

static inline loop_type loop_type_of(loop_elem elem, uint32_t lanes)
{
    return (loop_type){(uint8_t)elem, (uint8_t)lanes};
}

/* Builds one program in an arena. Lack of memory and wrong types are sticky: everything after gives
 * value 0 and `loop_finish` gives NULL; `fault` then says what was wrong, for tests. */
enum { LOOP_MAX_DEPTH = 64 };
typedef struct loop_builder {
    arena *arena;
    loop_inst *at;
    uint32_t n, cap;
    uint8_t *tables;
    uint32_t n_tables, cap_tables;
    uint32_t depth;
    uint32_t open[LOOP_MAX_DEPTH]; /* the FOR, IF or ELSE of each region */
    uint32_t *region;              /* by value: the innermost of them where it stands, or 0 */
    uint32_t n_buffers;
    uint64_t scratch_bytes;
    int64_t scratch_other; /* the same with other sizes */
    loop_value params[4];
    /* Vectors of constants that are made now are not worth a register: the loops that they are in
     * stand beside others which need all of them. */
    bool spares_registers;
    const char *fault;
} loop_builder;

/* The parameters are defined first, so they can be used anywhere. */
void loop_init(loop_builder *b, arena *memory);
static inline bool loop_failed(const loop_builder *b)
{
    return b->fault != NULL;
}
loop_type loop_value_type(const loop_builder *b, loop_value v);
static inline uint32_t loop_lanes(const loop_builder *b, loop_value v)
{
    return loop_value_type(b, v).lanes;
}
/* The bits of an element of V; 64 where V could not be made, so that shifts by them are defined. */
static inline uint32_t loop_value_bits(const loop_builder *b, loop_value v)
{
    const loop_elem e = (loop_elem)loop_value_type(b, v).elem;
    return e == LOOP_NONE ? 64 : 8 * (uint32_t)loop_elem_bytes(e);
}

loop_value loop_param_value(const loop_builder *b, loop_param p);
/* The pointer number INDEX of the buffers. */
loop_value loop_buffer(loop_builder *b, uint32_t index);
/* BYTES more of scratch memory, LOOP_ALIGN-aligned. */
loop_value loop_scratch(loop_builder *b, uint64_t bytes);
/* The same, where the number of bytes may depend on the sizes. */
loop_value loop_sized_scratch(loop_builder *b, sized bytes);
/* BYTES of the stack, LOOP_ALIGN-aligned; small ones only. Outside of loops. */
loop_value loop_local(loop_builder *b, uint64_t bytes);

loop_value loop_const(loop_builder *b, loop_type t, uint64_t bits);
loop_value loop_i64(loop_builder *b, int64_t value);
/* Is V an i64 that is the same whatever the sizes? *VALUE becomes it. */
bool loop_is_i64(const loop_builder *b, loop_value v, int64_t *value);
loop_value loop_i32(loop_builder *b, int32_t value);
/* As loop_i64, for a number that depends on the sizes of the program: it becomes a number of the
 * step (loop/ir/numbers.h). Numbers of one NAME, 1 .. LOOP_SIZE_NAMES - 1, become one; numbers of
 * different names stay apart, even where they are equal. */
enum { LOOP_SIZE_NAMES = 64 };
loop_value loop_size(loop_builder *b, uint32_t name, int64_t value);
/* As loop_const and loop_i64, for a number that may depend on the sizes: then it is a number of the
 * step, which it shares with those that are equal with other sizes, too. */
loop_value loop_sized_const(loop_builder *b, loop_type t, sized x);
loop_value loop_sized(loop_builder *b, sized x);
/* The constant V depends on the sizes: OTHER is a hash of what it is with others. */
void loop_depends(loop_builder *b, loop_value v, uint64_t other);
/* VALUE in the lanes of T, which is f32 or f64. */
loop_value loop_float(loop_builder *b, loop_type t, double value);

/* Operations of rules SAME, SHIFTED and COMPARE. */
loop_value loop_unary(loop_builder *b, loop_op op, loop_value x);
loop_value loop_binary(loop_builder *b, loop_op op, loop_value x, loop_value y);
/* The smaller of two numbers (i64). */
loop_value loop_min(loop_builder *b, loop_value x, loop_value y);
loop_value loop_fma(loop_builder *b, loop_value x, loop_value y, loop_value z);
/* X and Y are i32, each two signed halves of 16 bits: the products of the low and of the high ones,
 * and Z. */
loop_value loop_dot_pairs(loop_builder *b, loop_value x, loop_value y, loop_value z);
/* X and Y are i32, each four bytes, those of X without and those of Y with a sign: the sum of their
 * products, and Z. */
loop_value loop_dot_quads(loop_builder *b, loop_value x, loop_value y, loop_value z);
/* X and Y are f32 whose bits are two bf16: the products of the low and of the high ones, and Z, in
 * any order, rounded in any way, with 0 for numbers below 2^-126: for relaxed numerics. */
loop_value loop_dot_bf16(loop_builder *b, loop_value x, loop_value y, loop_value z);
/* X * 2^k, as sb_scale in scalar/program.h. */
loop_value loop_scale(loop_builder *b, loop_value x, loop_value magic_k);
/* MASK has as many lanes as YES and NO, which are of one type, or one lane. */
loop_value loop_select(loop_builder *b, loop_value mask, loop_value yes, loop_value no);
/* One lane: whether any lane of MASK is true. */
loop_value loop_any(loop_builder *b, loop_value mask);
/* Operations of rule GIVEN. */
loop_value loop_convert(loop_builder *b, loop_op op, loop_elem to, loop_value x);
/* A scalar in every one of LANES lanes; X itself for 1 lane. */
loop_value loop_splat(loop_builder *b, uint32_t lanes, loop_value x);
loop_value loop_lane(loop_builder *b, loop_value x, uint32_t lane);
/* 0, 1, 2, ... of an integer type. */
loop_value loop_ramp(loop_builder *b, loop_elem elem, uint32_t lanes);
/* Lane i of the result is lane TABLE[i] of X followed by Y, which have one type. */
loop_value loop_shuffle(loop_builder *b, loop_value x, loop_value y, const uint8_t *table,
                        uint32_t lanes);
/* LANES lanes of X from FIRST. */
loop_value loop_part(loop_builder *b, loop_value x, uint32_t first, uint32_t lanes);

/* The address BYTES (i64) after P. */
loop_value loop_offset(loop_builder *b, loop_value p, loop_value bytes);
/* The same for a known number of bytes. */
loop_value loop_at(loop_builder *b, loop_value p, int64_t bytes);
/* P as a number (i64), to ask how it is aligned. */
loop_value loop_address(loop_builder *b, loop_value p);
/* The lanes side by side at P; ALIGN is a power of two that divides the address. */
loop_value loop_load(loop_builder *b, loop_type t, loop_value p, uint32_t align);
/* The first N (i64, 0 .. lanes) lanes; the others are 0 and their memory is not touched. */
loop_value loop_load_first(loop_builder *b, loop_type t, loop_value p, loop_value n,
                           uint32_t align);
/* The lanes side by side at P where MASK holds; the others are 0 and their memory is not touched.
 */
loop_value loop_load_where(loop_builder *b, loop_elem elem, loop_value p, loop_value mask);
/* Lane i from P + OFFSETS[i] bytes (i64) where MASK[i], else 0. Naturally aligned. */
loop_value loop_gather(loop_builder *b, loop_elem elem, loop_value p, loop_value offsets,
                       loop_value mask);
void loop_store(loop_builder *b, loop_value p, loop_value x, uint32_t align);
void loop_store_first(loop_builder *b, loop_value p, loop_value x, loop_value n, uint32_t align);
/* P is aligned to all of X. */
void loop_store_nontemporal(loop_builder *b, loop_value p, loop_value x);
void loop_prefetch(loop_builder *b, loop_value p);
/* ... only as near as the second-level cache. */
void loop_prefetch_far(loop_builder *b, loop_value p);

/* A variable; what loop_var returns is only for GET and SET. */
loop_value loop_var(loop_builder *b, loop_value first);
loop_value loop_get(loop_builder *b, loop_value var);
void loop_set(loop_builder *b, loop_value var, loop_value x);

/* for (i = LOW; i < HIGH; i += STEP): returns i, an i64; STEP > 0. */
loop_value loop_for(loop_builder *b, loop_value low, loop_value high, int64_t step);
void loop_if(loop_builder *b, loop_value mask);
void loop_else(loop_builder *b);
void loop_end(loop_builder *b);
/* End the innermost open region, which is a loop, at once when MASK (one lane) holds. */
void loop_leave(loop_builder *b, loop_value mask);
/* Make STATUS the result of the call when MASK (one lane) holds; the call goes on. */
void loop_fail(loop_builder *b, loop_value mask, int32_t status);

/* An instruction like I, of some program, with operands IN and LANES lanes: of what treats all
 * lanes alike and of scalars; not of regions and shuffles. The caller answers for the types. */
loop_value loop_again(loop_builder *b, const loop_inst *i, const loop_value *in, uint32_t lanes);

/* The instructions of PROGRAM on vectors: ARGS have the program's argument types, all with the same
 * lanes. */
loop_value loop_inline(loop_builder *b, const scalar_program *program, const loop_value *args);

/* The program, without instructions whose values nothing needs and in the order of order.h, so that
 * arguments of one call may build values; in the builder's arena. NULL when anything failed or a
 * region is open. */
const loop_program *loop_finish(loop_builder *b);
/* The same; where what was built is wrong, which is a defect of ours, a program without
 * instructions that says what. NULL without memory, and beyond the limits of programs. */
const loop_program *loop_finish_or_fault(loop_builder *b);

/* What is wrong with P, which the builder would not have made so, as a text of the library's own;
 * NULL: nothing. For development builds and tests: takes as long as building P. */
const char *loop_verify(const loop_program *p, const tn_allocator *allocator);

/* One instruction a line. Equal programs give equal text. */
void loop_print(const loop_program *p, text_buffer *out);
/* What stands for P in a cache: equal bytes for equal programs only. In MEMORY, or NULL. */
const void *loop_key(const loop_program *p, arena *memory, size_t *bytes);

#endif
