/* What the files of the Tiny IR reader share. */
#ifndef DIALECT_TINY_READ_READER_H
#define DIALECT_TINY_READ_READER_H

#include "dialect/dialect.h"
#include "dialect/tiny/read/dom.h"
#include "dialect/tiny/uops.h"

/* Which axis of the program this is, and what the text calls it (interned; NULL: nothing). */
typedef struct axis {
    uint32_t id;
    const char *name;
} axis;

/* Guards along a chain of movement. The last padding may still be cut away or merged. */
typedef struct pieces {
    uint32_t fixed;
    uint32_t low, high;          /* sides that the last padding pads, by axis */
    const dim *low_by, *high_by; /* how much, by axis */
    scalar value;
} pieces;

/* What a node stands for. */
typedef struct value {
    value_id v;       /* NO_VALUE: it was reported as faulty, or is not read yet */
    bool from_reduce; /* descends from a REDUCE through elementwise nodes and movement */
    const axis *axes; /* by axis of its type */
    pieces pieces;
} value;

/* One entry of the list "uops". */
typedef struct entry {
    span at;
    const char *id; /* interned; never NULL */
    span id_at;
    const tiny_uop *uop;         /* NULL: unknown, reported */
    const json_value *src, *arg; /* NULL: absent */
    const char *tag;
    uint8_t spelling;
    bool faulty;
    bool used;
    bool open, done; /* while sorting */
    value value;
} entry;

typedef struct bound_size {
    const char *name; /* interned */
    int64_t value;
} bound_size;

typedef struct reader {
    module *m;
    function *f;
    const read_options *options;
    arena memory;
    json_value root;
    VECTOR(entry) entries;
    hash_index by_id;
    bool lost_ids; /* a node has no id of its own, which was reported: others may mean that node */
    VECTOR(const char *) made_ids; /* ids that were made up */
    hash_index by_made_id;
    VECTOR(entry *) inputs; /* the first of each tensor */
    hash_index by_tensor;
    VECTOR(bound_size) sizes; /* of the document's `dims` */
    uint32_t next_axis;
    uint32_t faults, warnings, remarks; /* so far */
    bool no_memory;
} reader;

/* An operand as written. */
typedef struct operand {
    const json_value *text;
    entry *of; /* NULL: an immediate */
    scalar immediate;
} operand;

/* ---- read.c ---- */

/* Report a fault of E (NULL: of the document). Always false. Notes and a fix may follow. */
bool fault(reader *r, const entry *e, diag_kind kind, span at, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* The same without rejecting the program; a remark is even less than a warning. Of each as many are
 * shown as of faults. */
void warn(reader *r, const entry *e, diag_kind kind, span at, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void remark(reader *r, const entry *e, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Remember that there is no memory. Always false. */
bool out_of_memory(reader *r);
/* Something that is not part of the published text; strict reading says so. */
void extension(reader *r, const entry *e, span at, const char *what);

entry *entry_by_id(reader *r, const char *id, size_t length);
/* `STEM_WORD`, made different from every other id; interned; NULL when there is no memory. */
const char *fresh_id(reader *r, const char *stem, const char *word);
bool is_strict(const reader *r);

/* Append a node; FALSE when it was rejected or there is no memory. */
bool add_node(reader *r, const node_desc *desc, value_id *v);
/* The same for E itself with one operand and these attributes. */
bool add_entry(reader *r, entry *e, op_id op, const value_id *in, uint32_t n_in, attr *entries,
               uint32_t n);
const type *type_at(const reader *r, value_id v);
/* Fresh axes without names; NULL when there is no memory. */
axis *new_axes(reader *r, uint32_t n);

/* ---- args.c: attributes ---- */

/* Reject keys of E's arg that are neither fields of its operation nor MORE (NULL: nothing more). */
bool check_keys(reader *r, entry *e, const char *more);
/* The value of KEY; reports MissingAttribute. */
const json_value *need(reader *r, entry *e, const char *key);
/* A list of at most TN_MAX_RANK sizes, each at least LEAST when it is a number; -1 is let through
 * when LEAST is -1. NAMES (may be NULL) are the symbols that stand alone. */
bool read_sizes(reader *r, entry *e, const json_value *list, const char *key, int64_t least,
                dim *out, const char **names, uint32_t *n);
bool read_size(reader *r, entry *e, const json_value *v, const char *key, int64_t least, dim *out,
               const char **name);
/* Whole numbers, without symbols. */
bool read_numbers(reader *r, entry *e, const json_value *list, const char *key, int64_t *out,
                  uint32_t *n);
/* Axes by number or name; the result is ascending. NO other key may be meant. */
bool read_axes(reader *r, entry *e, const json_value *list, const char *key, const value *of,
               int64_t *out, uint32_t *n);
bool read_dtype(reader *r, entry *e, const json_value *v, const char *key, tn_dtype *out);
/* Offer that of WORDS which is like the text of V, in the diagnostic that was just reported. */
void suggest_word(reader *r, const json_value *v, const char *words);
/* A number, bool, or one of the strings inf, -inf, nan (in any case), as an element of D. */
bool read_scalar(reader *r, entry *e, const json_value *v, tn_dtype d, diag_kind kind, scalar *out);

/* ---- sizes.c ---- */

/* The size that TEXT spells; false with *WHY when it spells none. */
bool size_parse(reader *r, const char *text, size_t n, dim *out, const char **why);
/* The symbol's value in `dims`, or the symbol. */
dim size_of_name(reader *r, const char *name);
/* Tell an editor of a size called NAME, if that is a part of the document. */
void note_size(const reader *r, const char *name, size_t n);
bool is_name(const char *text, size_t n);
/* A size as JSON: a number or a string that size_parse reads. */
void size_print(text_buffer *out, const type_table *t, dim d);
/* The expression alone. */
void size_print_bare(text_buffer *out, const type_table *t, dim d);
/* The same, by its axis's name where that means the same size. */
void size_print_named(reader *r, text_buffer *out, dim d, const char *name);

/* ---- the classes of uops; each sets e->value ---- */

bool read_input(reader *r, entry *e);
bool read_const(reader *r, entry *e);
/* Movement; each starts from X, the value of its source. */
bool read_movement(reader *r, entry *e, const value *x);
bool read_view(reader *r, entry *e, const value *x);
bool read_shrink(reader *r, entry *e, const value *x);
/* Axes of E that have the same extent in X are axes of X. */
bool keep_equal_axes(reader *r, entry *e, const value *x);
bool read_elementwise(reader *r, entry *e);
bool read_reduce(reader *r, entry *e, const value *x);

/* The operands of E as written; reports their number and unknown ids. */
bool read_operands(reader *r, entry *e, operand *out);
/* A constant of rank 0 for an immediate. */
bool add_immediate(reader *r, const entry *e, scalar s, tn_dtype d, value_id *v);

/* ---- align.c: broadcasting by axis identity ---- */

/* Bring the operands IN (values; those that are immediates have `of` NULL) to one shape and, for
 * an accumulator in its epilogue, one element type; DTYPES tells which operands must agree. On
 * return V are the operands to use and *AXES those of the result. */
bool align_operands(reader *r, entry *e, const operand *in, uint32_t n, uint32_t first_typed,
                    value_id *v, const axis **axes);

/* ---- pieces.c ---- */

bool pieces_of_pad(reader *r, const value *x, const dim *low, const dim *high, scalar by,
                   pieces *out);
void pieces_of_shrink(const reader *r, const value *x, const dim *lo, const dim *hi, bool stepped,
                      pieces *out);
void pieces_permute(const value *x, const int64_t *to, uint32_t rank, const dim *low,
                    const dim *high, pieces *out);
/* Nothing can be taken back any more; MORE guards are added. */
pieces pieces_fixed(const value *x, uint32_t more);
uint32_t pieces_count(const pieces *p);
/* Warn or reject when E has too many. */
bool check_pieces(reader *r, entry *e, const value *x);

/* ---- lint.c ---- */

void lint_reshape(reader *r, const entry *e, const value *from, const value *to);

/* ---- names.c ---- */

/* Note the ids of the document in the table of the context. */
void tiny_note_names(reader *r);

/* ---- edits.c: the texts of fixes ---- */

/* Fixes for what was just reported: another name for KEY of ARG, ARG without KEY, and a flat list
 * of an even number of entries as pairs. */
void offer_name(reader *r, const json_value *arg, const char *key, const char *name);
void offer_removal(reader *r, const json_value *arg, const char *key);
void offer_pairs(reader *r, const json_value *list);
/* Text for the start of a line like that of E. */
const char *indent_of(reader *r, const entry *e);

#endif
