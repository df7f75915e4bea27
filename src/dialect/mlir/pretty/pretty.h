/* The short forms of StableHLO's operations, printed from the text in the generic form as it was
 * read. */
#ifndef DIALECT_MLIR_PRETTY_PRETTY_H
#define DIALECT_MLIR_PRETTY_PRETTY_H

#include "dialect/mlir/hlo/shlo.h"

/* Append GENERIC, the text of M in the generic form, in the forms that JAX prints. */
tn_status pretty_print(const module *m, const text_buffer *generic, text_buffer *out);

/* ---- text.c ---- */

typedef enum name_kind { NAME_NUMBER, NAME_ARG, NAME_ITER, NAME_C, NAME_CST, NAME_KINDS } name_kind;

typedef struct value_label {
    name_kind kind;
    uint32_t number, index;
    bool is_pack; /* one of several results */
} value_label;

typedef struct printer {
    text_buffer *out;
    value_label *labels; /* by number of a value of the function */
    uint32_t used[NAME_KINDS];
    uint32_t depth;
} printer;

void pretty_text(printer *p, mir_text t);
void pretty_puts(printer *p, const char *s);
void pretty_indent(printer *p);
/* V gets the next name of its kind. */
void pretty_label(printer *p, const mir_value *v, name_kind kind);
/* The name where it is defined, and where it is used. */
void pretty_label_text(printer *p, const value_label *l);
void pretty_value(printer *p, const mir_value *v);
/* N operands of O from FIRST on. */
void pretty_values(printer *p, const mir_op *o, uint32_t first, uint32_t n);
void pretty_operand_types(printer *p, const mir_op *o);
void pretty_result_types(printer *p, const mir_op *o);
/* ` : (T, T) -> T`, and the shortest that the form of O has. */
void pretty_signature(printer *p, const mir_op *o);
void pretty_types(printer *p, const mir_op *o);
/* `{a = 1, b = 2}` of the attributes that are not in SHOWN, a list of names with spaces between. */
void pretty_rest(printer *p, const mir_op *o, const char *shown, const char *open,
                 const char *close);
/* What stands between the first OPEN and the last CLOSE in T; empty: they are not there. */
mir_text pretty_inside(mir_text t, char open, char close);
/* The value of a word: `[1, 2]` of a list, the word of an enumeration, a number. */
void pretty_word_value(printer *p, const mir_attr *a);

/* ---- forms.c: what follows the name of an operation ---- */

typedef void pretty_form(printer *p, const mir_op *o);
pretty_form pretty_generic, pretty_compare, pretty_constant, pretty_slice, pretty_dot_general,
    pretty_convolution, pretty_while, pretty_custom_call, pretty_return;
/* NAMES: the attributes of the row, of which those with a word are words. */
void pretty_plain(printer *p, const mir_op *o, const char *names);
/* The operation that is all that a reduction's body does, of its arguments in order; NULL: more. */
const mir_op *pretty_only_operation(const mir_op *o);
void pretty_reduce(printer *p, const mir_op *o, const mir_op *by);
/* The operations of REGION, one level deeper. */
void pretty_block(printer *p, const mir_region *region);

/* ---- pretty.c ---- */

/* One operation, as a line or several. */
void pretty_op(printer *p, const mir_op *o);

#endif
