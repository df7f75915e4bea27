/* Printing loop programs as C: what its files share. */
#ifndef TARGET_C_PRINT_H
#define TARGET_C_PRINT_H

#include "target/target_program.h"

/* The types of the printed text: scalars, and vectors of 2 to 64 lanes of all but the last two.
 * Integers are unsigned, so that they wrap; a mask of several lanes is a vector of signed integers,
 * each 0 or -1, of the width that suits where it comes from; a single mask is a _Bool. */
typedef enum c_kind {
    C_U8 = 0,
    C_U16,
    C_U32,
    C_U64,
    C_S8,
    C_S16,
    C_S32,
    C_S64,
    C_F32,
    C_F64,
    C_PTR,
    C_BOOL,
    C_KINDS
} c_kind;

/* What one text needs in front of its functions; by kind and by logarithm of the lanes. */
enum { C_LOG_LANES = 7 };
typedef enum c_helper {
    C_TYPE = 0,    /* u32x16 */
    C_MEMORY,      /* u32x16_m: the same in memory, at any address */
    C_SPLAT,       /* splat_u32x16(x) */
    C_SELECT,      /* select_u32x16(mask, yes, no) */
    C_MIN,         /* min_f32x16(x, y): x < y ? x : y */
    C_MAX,         /* max_f32x16(x, y): x > y ? x : y */
    C_FMA,         /* fma_f32x16(x, y, z) */
    C_DOT_PAIRS,   /* dot_pairs_u32x16(x, y, z) */
    C_DOT_QUADS,   /* dot_quads_u32x16(x, y, z) */
    C_DOT_BF16,    /* dot_bf16_f32x16(x, y, z) */
    C_SQRT,        /* sqrt_f32x16(x) */
    C_RINT,        /* rint_f32x16(x) */
    C_TRUNC,       /* trunc_f32x16(x) */
    C_SCALE,       /* scale_f32x16(x, magic_k) */
    C_LOAD_FIRST,  /* load_first_u32x16(p, n) */
    C_LOAD_WHERE,  /* load_where_u32x16(p, mask) */
    C_GATHER,      /* gather_u32x16(p, offsets, mask) */
    C_STORE_FIRST, /* store_first_u32x16(p, x, n) */
    C_STREAM,      /* stream_u32x16(p, x) */
    C_S32_OF,      /* s32_of_f32(x), s32x16_of_f32x16(x): in the range of s32, else 0 */
    C_S64_OF,
    C_U32_OF,
    C_U64_OF,
    C_BITS,  /* bits_of_f32(x) */
    C_FLOAT, /* f32_of_bits(x) */
    C_HELPERS
} c_helper;

/* Kinds of processors of which a text knows more than of others. */
typedef enum c_level {
    C_ANY = 0,
    C_V3 = 3, /* x86-64-v3: AVX2 and FMA */
    C_V4 = 4  /* x86-64-v4: AVX-512 */
} c_level;

typedef struct c_needs {
    bool of[C_HELPERS][C_KINDS][C_LOG_LANES];
} c_needs;

/* What is known of a value before it is printed. */
typedef enum c_form {
    C_DEAD = 0, /* nothing needs it */
    C_NAMED,    /* a variable of its own */
    C_INLINE,   /* written where it is used */
    C_ALIAS     /* a GET that reads the variable where it is used */
} c_form;

typedef struct c_value {
    uint32_t n_uses;
    uint32_t root;     /* the instruction whose statement the value is last needed in */
    uint32_t region;   /* the FOR, IF or ELSE around it; UINT32_MAX: none */
    uint32_t epoch;    /* how many instructions before it change memory or are control flow */
    uint32_t next_set; /* VAR: the next SET after a place, while the forms are found */
    uint8_t form;      /* c_form */
    uint8_t weight;    /* operations in its expression */
    uint8_t mask;      /* masks of several lanes: C_S8 .. C_S64 */
    bool needs_name;   /* it is written more than once at its use, or indexed */
    bool keeps_value;  /* it is read again after its use: no alias */
    bool may_inline;
} c_value;

typedef struct c_printer {
    const loop_program *program;
    c_value *values;
    text_buffer *out;
    c_needs *needs;
    c_level level;
    unsigned depth;
} c_printer;

/* P with its instructions in an order that keeps few values waiting; in MEMORY, or NULL. */
const loop_program *c_schedule(const loop_program *p, arena *memory);
/* Find the forms of all values; VALUES has one zeroed element an instruction. */
void c_analyse(const loop_program *program, c_value *values);
/* True when operand K of I may be a plain number for a vector of equal lanes. */
bool c_takes_number(const loop_program *program, const loop_inst *i, unsigned k);
/* True when every lane of V is the constant BITS. */
bool c_is_number(const loop_program *program, loop_value v, uint64_t bits);
/* What every lane of I is when that is known without its operands, so that compilers would warn of
 * it, or when a division is by a constant 0, in code that does not run; else -1. */
int c_fixed_result(const loop_program *program, const loop_inst *i);
/* A SELECT between what its mask compares: C_MIN of operands 1 and 2, C_MAX of them, or C_SELECT.
 */
c_helper c_select_helper(const loop_program *program, const loop_inst *i);
/* False when the text of I does not have operand K. */
bool c_reads(const loop_program *program, const loop_inst *i, unsigned k);

c_kind c_kind_of(loop_elem e);
c_kind c_signed(c_kind unsigned_kind);
/* Signed integers as wide as KIND. */
c_kind c_mask_of(c_kind kind);
const char *c_kind_name(c_kind kind);
size_t c_kind_bytes(c_kind kind);
/* LANES is a power of two. */
unsigned c_log2(uint32_t lanes);

static inline const loop_inst *c_inst(const c_printer *c, loop_value v)
{
    return &c->program->at[v];
}

static inline void c_put(c_printer *c, const char *text)
{
    text_puts(c->out, text);
}

static inline void c_need(c_printer *c, c_helper helper, c_kind kind, uint32_t lanes)
{
    c->needs->of[helper][kind][c_log2(lanes)] = true;
}

/* The type "u32x16", and its note in the needs. */
void c_put_type(c_printer *c, c_kind kind, uint32_t lanes);
/* The type in parentheses. */
void c_put_cast(c_printer *c, c_kind kind, uint32_t lanes);
/* PREFIX and a type, which together name a helper. */
void c_put_helper(c_printer *c, const char *prefix, c_helper helper, c_kind kind, uint32_t lanes);
/* A constant's number; integers of 64 bits are typed so. */
void c_put_number(c_printer *c, loop_elem e, uint64_t bits);
/* " + " and the like. */
const char *c_sign_of(loop_op op);
/* Integers narrower than int, which are computed as int and cut again. */
bool c_is_narrow(const loop_inst *i);
/* The kind that a value has as a variable. */
c_kind c_kind_of_value(const c_printer *c, loop_value v);
/* The name of a named value. */
void c_put_name(c_printer *c, loop_value v);
/* A value where it is used. Vectors of equal lanes that take a number are written as one. */
void c_put_operand(c_printer *c, loop_value v, bool takes_number);
/* The same as a signed integer. */
void c_put_signed(c_printer *c, loop_value v);
/* A mask of several lanes in the width of KIND. */
void c_put_mask(c_printer *c, loop_value v, c_kind kind);
/* The same where nothing around it binds tighter. */
void c_put_whole(c_printer *c, loop_value v);
/* X as what is assigned to a variable like TO. */
void c_put_assigned(c_printer *c, loop_value to, loop_value x);
/* The expression that computes V, for a variable's first value. */
void c_put_expression(c_printer *c, loop_value v);
/* The same for operations that treat all lanes alike. */
void c_put_arithmetic(c_printer *c, loop_value v);
void c_put_conversion(c_printer *c, loop_value v);
/* `*(f32x16_m *)(p)`; a load's is const. */
void c_put_access(c_printer *c, loop_type t, loop_value p, bool is_load);

/* ---- contract.c ---- */

/* Text from outside in a comment: nothing that could end it or mean something to a compiler. */
void c_put_note(text_buffer *out, const char *note);
/* The type of a pool of threads. */
void c_put_threads(text_buffer *out);
/* What the entry of P takes and gives, as a comment; and its declaration without the semicolon. */
void c_put_contract(const target_program *p, const target_used *used, text_buffer *out);
void c_put_prototype(const target_program *p, text_buffer *out);

/* ---- blocks.c ---- */

/* What the entry and every block pass on behind the workspace. */
const char *c_further_arguments(const target_program *p);
/* The functions that blocks call to copy, and to share kernels out over threads. */
void c_put_block_helpers(const target_program *p, const target_used *used, text_buffer *out);
/* The blocks that are USED, of which block 0 comes last. Their names end in SUFFIX. */
void c_put_blocks(const target_program *p, const target_used *used, const char *suffix,
                  text_buffer *out);

/* ---- prelude.c, helpers.c ---- */

/* What a file begins with: what it asks of compilers and flags, and includes. */
void c_put_intro(text_buffer *out);
/* The definitions that NEEDS asks for and that are the same for every processor; completes NEEDS.
 */
void c_put_types(c_needs *needs, text_buffer *out);
/* The others, for processors of LEVEL; AGAIN when the text may have defined them before. */
void c_put_helpers(const c_needs *needs, c_level level, bool again, text_buffer *out);

/* Append N functions to BODY, with vectors of the size of LEVEL's registers, and what they need to
 * NEEDS. Their names end in SUFFIX. Failures are sticky in BODY. */
void c_put_functions(const target_function *functions, size_t n, bool is_extern, c_level level,
                     const char *suffix, c_needs *needs, text_buffer *body);

#endif
