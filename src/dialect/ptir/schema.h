/* What PTIR's operations are called, and the fields of each: one table for every form. */
#ifndef PTIR_SCHEMA_H
#define PTIR_SCHEMA_H

#include "base/text/suggest.h"
#include "graph/op.h"

typedef enum ptir_op {
#define PTIR(id, name, form, op, fields) PTIR_##id,
#include "schema.def"
#undef PTIR
    PTIR_OP_COUNT
} ptir_op;

/* What stands behind an operation's name. */
typedef enum ptir_form {
    PTIR_FORM_NONE,
    PTIR_FORM_LITERAL,
    PTIR_FORM_UNARY, /* a word of ptir_unary */
    PTIR_FORM_BINARY,
    PTIR_FORM_STRUCT
} ptir_form;

typedef enum ptir_kind {
    PTIR_UINTS,    /* list of usize */
    PTIR_AXES,     /* the same, counting from the end where negative */
    PTIR_UINT,     /* usize */
    PTIR_AXIS,     /* usize, counting from the end where negative */
    PTIR_INT_AXIS, /* isize, likewise */
    PTIR_BOOL,
    PTIR_FLOAT, /* f64 */
    PTIR_WORD,  /* variant of an enumeration */
    PTIR_DTYPE,
    PTIR_SHAPE,     /* dims */
    PTIR_NEW_SHAPE, /* dims, one of which may be inferred */
    PTIR_PAIRS,     /* list of (usize, usize) */
    PTIR_SCALAR,
    PTIR_REGION, /* region id, usize */
    PTIR_STRING,
    PTIR_DICT
} ptir_kind;

typedef struct ptir_field {
    const char *name;
    ptir_kind kind;
    attr_key key;
    const char *words; /* of PTIR_WORD, space-separated */
    bool optional;
} ptir_field;

enum { PTIR_MAX_FIELDS = 12 };

typedef struct ptir_op_info {
    const char *name;
    ptir_form form;
    op_id op;
    const ptir_field *fields;
    uint32_t n_fields;
} ptir_op_info;

extern const ptir_op_info ptir_ops[PTIR_OP_COUNT];

/* The words of an enumeration, space-separated, in the order of their variant numbers. */
extern const char *const ptir_unary_words, *const ptir_binary_words;
static inline const char *ptir_reduce_words(void)
{
    return ptir_ops[PTIR_REDUCE].fields[0].words;
}
extern const char ptir_dtype_words[];
extern const char ptir_scalar_words[];    /* I1 Signed Unsigned Float Complex */
extern const char ptir_attr_kind_words[]; /* of free attributes: I64 F64 Bool String, then arrays */
extern const char ptir_hint_words[], ptir_policy_words[];

/* A variant's name as the text form has it: `TopK` as `top_k`. The number of characters. */
enum { PTIR_MAX_WORD = 63 };
size_t ptir_snake_case(const char *word, size_t length, char out[PTIR_MAX_WORD + 1]);

/* For a name that is not known: offer the operations, or the fields of OP without those of the bits
 * SEEN. Also the words of a list, as they are or in snake case. */
void ptir_suggest_op(suggestion *s, bool snake_case);
void ptir_suggest_field(suggestion *s, const ptir_op_info *op, uint32_t seen);
void ptir_suggest_words(suggestion *s, const char *words, bool snake_case);

/* The operation called NAME, or PTIR_OP_COUNT. */
ptir_op ptir_op_by_name(const char *name, size_t length);
/* Index of WORD in WORDS, or -1; the word at an index ("" past the last). */
int ptir_word_index(const char *words, const char *word, size_t length);
const char *ptir_word(const char *words, uint32_t index, size_t *length);

/* The op that word INDEX of an elementwise operation, or the kind of a reduction, selects. */
op_id ptir_unary_op(uint32_t index);
op_id ptir_binary_op(uint32_t index);
op_id ptir_reduce_op(uint32_t index);
/* Does the op convert elements to those of its field `dtype`? */
bool ptir_converts(ptir_op op);
/* May the text form leave the field away, because it is optional, the declared type says it, or
 * there is a default? */
bool ptir_text_may_omit(ptir_op op, const ptir_field *field);
/* What stands in a field, in words. */
const char *ptir_kind_text(ptir_kind kind);
/* The other way: which operation, and which word of it. PTIR_OP_COUNT when PTIR has no such op. */
ptir_op ptir_op_of(op_id op, uint32_t *word);

/* How the JSON form spells OP: "ElementwiseUnary(Neg)"; NULL when PTIR has no such op. */
const char *ptir_spelling(op_id op);
/* Is OP a word that PTIR v0.4 does not have? */
bool ptir_is_extension(op_id op);

#endif
