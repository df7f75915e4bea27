/* What the files that read MLIR text share: the cursor, names, and ways to refuse. Functions that
 * return bool are false after an error, which is reported. */
#ifndef DIALECT_MLIR_READ_READER_H
#define DIALECT_MLIR_READ_READER_H

#include "dialect/mlir/read/mir.h"

/* What a name stands for: N values from FIRST on. */
typedef struct mir_binding {
    mir_value *first; /* NULL: nothing */
    uint32_t n;
} mir_binding;

typedef struct mir_name {
    mir_text text;
    mir_binding now;
} mir_name;

/* What NAME stood for before the region that is being read. */
typedef struct mir_undo {
    uint32_t name;
    mir_binding before;
} mir_undo;

typedef struct mir_reader {
    context *cx;
    const source *src;
    const tn_allocator *allocator;
    arena *memory;
    mir_model *model;
    mir_find *find;
    const void *rows;
    const char *at, *end;
    bool failed;
    bool quiet;         /* errors are not reported */
    uint32_t depth;     /* of what stands inside each other */
    uint32_t n_regions; /* that are open */
    hash_index type_index;
    VECTOR(const mir_type *) types; /* each text once */
    hash_index name_index;
    VECTOR(mir_name) names;
    VECTOR(mir_undo) undo;
    VECTOR(mir_op *) ops; /* of the regions that are open, innermost last */
    uint32_t n_values;    /* of the function that is being read */
} mir_reader;

/* ---- scan.c ---- */

/* Over white space and comments; the next byte, '\0' at the end. */
char mir_next(mir_reader *r);
/* Over C, WORD or -> if that is next. */
bool mir_accept(mir_reader *r, char c);
bool mir_accept_word(mir_reader *r, const char *word);
bool mir_accept_arrow(mir_reader *r);
/* The same, and an error if it is not. */
bool mir_expect(mir_reader *r, char c);
bool mir_expect_word(mir_reader *r, const char *word);
/* A bare word: letters, digits, _ $ . and, inside of them, the minus signs of a few names. */
bool mir_word(mir_reader *r, mir_text *out);
bool mir_at_word(mir_reader *r); /* is one next? */
/* The name behind the sigil (one of % @ # ! ^) that is next. */
bool mir_sigil(mir_reader *r, char sigil, mir_text *out);
bool mir_string(mir_reader *r, mir_text *out); /* decoded */
/* [-]digits or 0x..; *fits: it is no larger than OUT can hold (as int64_t or uint64_t). */
bool mir_integer(mir_reader *r, int64_t *out, bool *fits);
/* Over what stands in brackets, the first of which is next. */
bool mir_skip_brackets(mir_reader *r);

span mir_span(const mir_reader *r, mir_text t);
span mir_here(mir_reader *r); /* the next token */
/* Something else than EXPECTED is next. False. */
bool mir_expected(mir_reader *r, const char *expected);
/* The text is wrong AT a place; reading stops. False. */
bool mir_fail(mir_reader *r, diag_kind kind, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool mir_no_memory(mir_reader *r); /* false */
/* Something begins that may hold its like; false when there are too many of them. */
bool mir_enter(mir_reader *r);
static inline void mir_leave(mir_reader *r)
{
    r->depth--;
}
/* A list in the arena: room for one more entry of SIZE bytes at *AT. */
bool mir_grow(mir_reader *r, void **at, uint32_t n, uint32_t *cap, size_t size);
#define MIR_PUSH(r, list, item)                                                                    \
    (mir_grow((r), (void **)&(list)->at, (list)->n, &(list)->cap, sizeof *(list)->at) &&           \
     ((list)->at[(list)->n++] = (item), true))

/* ---- types.c ---- */

bool mir_read_type(mir_reader *r, const mir_type **out);
/* The element type that T is called by; false: none. */
bool mir_find_element(mir_text t, mir_type *out);
/* `<...>` behind `!quant.uniform`, of the element type of OUT. */
bool mir_read_quant(mir_reader *r, mir_type *out);
/* `T` or `(T, T)`, appended to OUT. */
bool mir_read_types(mir_reader *r, mir_types *out);

/* ---- attributes.c ---- */

bool mir_read_attr(mir_reader *r, mir_attr *out);
/* `{a = 1, b}`, whose { is next, appended to OUT. */
bool mir_read_dict(mir_reader *r, mir_fields *out);
bool mir_add_attr(mir_reader *r, mir_fields *list, mir_text name, const mir_attr *value);
/* `loc(...)` if it is next: what stands inside. */
bool mir_read_loc(mir_reader *r, mir_text *out);
/* `#a = ..` or `!a = ..`, whose sigil is next. */
bool mir_read_alias(mir_reader *r);
/* What the words of pretty forms are given: lists, words, numbers, strings, <...>. */
bool mir_read_simple(mir_reader *r, mir_attr *out);

/* ---- names.c ---- */

/* `%a` as an operand, appended to IN. */
typedef struct mir_operands {
    const mir_value **at;
    uint32_t n, cap;
} mir_operands;
bool mir_read_operand(mir_reader *r, mir_operands *in);
/* `%a, %b`, or nothing. */
bool mir_read_operands(mir_reader *r, mir_operands *in);
/* NAME stands for the N values from FIRST on. */
bool mir_define(mir_reader *r, mir_text name, mir_value *first, uint32_t n);
/* Everything that was defined since there were MARK entries to undo goes out of sight. */
void mir_forget(mir_reader *r, uint32_t mark);
/* A value called NAME, numbered. */
mir_value mir_new_value(mir_reader *r, mir_text name, const mir_type *type);

/* ---- operations.c ---- */

/* `{ ... }` whose { is next. NAMED: arguments that the pretty form names, in the place of those of
 * a block header. */
bool mir_read_region(mir_reader *r, mir_region *out, mir_value *named, uint32_t n_named);
/* Room for N more regions of O. */
bool mir_add_regions(mir_reader *r, mir_op *o, uint32_t n);
/* Call NAME, of an operation, as it is called today: programs of before 2023 have `mhlo.add`. */
bool mir_rename_older(mir_reader *r, mir_text *name);
/* What stands inside the parentheses of a generic operation behind its name, and all that follows:
 * operands, properties, regions, attributes, types. */
bool mir_read_generic(mir_reader *r, mir_op *o, mir_types *results);

/* Over an operation of which only its first line matters, behind its name. */
bool mir_skip_op(mir_reader *r);

/* ---- forms.c ---- */

/* The pretty form of O, behind its name; RESULTS are the types of its results. */
bool mir_read_form(mir_reader *r, mir_op *o, mir_types *results);
/* `{...}` if it is next. */
bool mir_read_attrs(mir_reader *r, mir_op *o);
/* `: T`, `: T, T -> T` or `: (T, T) -> T`. */
bool mir_read_signature(mir_reader *r, mir_op *o, mir_types *results);

/* ---- forms_region.c ---- */

bool mir_read_reduce(mir_reader *r, mir_op *o, mir_types *results);
bool mir_read_while(mir_reader *r, mir_op *o, mir_types *results);
bool mir_read_scan(mir_reader *r, mir_op *o, mir_types *results);
bool mir_read_manual(mir_reader *r, mir_op *o, mir_types *results);
bool mir_read_conv(mir_reader *r, mir_op *o);

#endif
