/* A dialect is a way of spelling a subset of the vocabulary. Adding one is a folder and a row in
 * dialect.c; it touches no op. */
#ifndef DIALECT_DIALECT_H
#define DIALECT_DIALECT_H

#include "base/text/text.h"
#include "graph/module.h"
#include "tenon/tenon.h"

typedef enum profile { PROFILE_EXTENDED, PROFILE_CORE_V1 } profile;

/* What a reader asks of differentiation, which stands behind the dialects: the gradients of the
 * one output of M by the inputs WRT. M is canonicalised in place. *OUT is a new module with the
 * loss and then the gradients as its outputs; its inputs are those of M. */
typedef tn_status differentiate_fn(module *m, const uint32_t *wrt, uint32_t n_wrt, bool core_only,
                                   module **out);

typedef struct read_options {
    profile profile;
    bool slice_clamp; /* MIND: negative slice bounds clamp to 0 instead of counting from the end */
    bool strict;      /* Tiny IR: the published text to the letter; nothing is inserted */
    uint32_t max_pieces; /* Tiny IR: most pieces in a chain of movement; 0: the default, 64 */
    /* MIND source: the function to read; NULL: `main`, else the last. */
    const char *entry;
    /* MIND source: types of the free variables of a script, each `x=f32[2,3]`. */
    const char *const *inputs;
    size_t n_inputs;
    differentiate_fn *differentiate; /* MIND source: NULL, `grad` is refused */
    /* ONNX, StableHLO: sizes that are known now; of a symbol that stands twice the first counts. */
    const tn_binding *bindings;
    size_t n_bindings;
    const tn_known_input *known; /* ONNX, StableHLO: inputs that are constants */
    size_t n_known;
    /* ONNX: as in tn_read_options; NULL: nobody gives files. */
    const char *(*external)(void *user, const char *location, uint64_t offset, uint64_t length,
                            const void **data);
    void *external_user;
    const tn_input_shape *shapes; /* ONNX, StableHLO: as in tn_read_options */
    size_t n_shapes;
    const tn_known_input *weights; /* ONNX, StableHLO: as in tn_read_options */
    size_t n_weights;
    uint32_t processes; /* StableHLO: as in tn_read_options */
    /* StableHLO: where the checks of the function go; its outputs are then the values that they
     * compare. NULL: checks are left out. */
    struct check_list *checks;
    const char *const *results; /* ONNX: as in tn_read_options */
    size_t n_results;
} read_options;

typedef struct write_options {
    const char *style; /* one of the dialect's styles; NULL is the first, its canonical form */
    /* MLIR: add a function that runs the program on INPUTS, one block of row-major elements for
     * each, and prints what comes out. */
    bool entry;
    const void *const *inputs;
    /* A gradient module says what its values belong to, and which are gradients of which inputs. A
     * dialect that has no place for that refuses. */
    bool comments, map;
    /* ONNX: large constants go to EXTERNAL instead, a file that the model calls LOCATION; NULL:
     * they stay in the model. */
    const char *external_location;
    text_buffer *external;
} write_options;

enum { OBJECTION_SIZE = 200 }; /* room for the text that says why */

/* What can be said in a dialect: one place for the facts that its writers check, legalisation works
 * towards and `tenon check --legal-for` asks for. Forms of one dialect share one of these. */
typedef struct expressible {
    const char *family;
    uint32_t dtypes;         /* bit d: element type d */
    bool explicit_broadcast; /* operands of elementwise ops have one shape */
    bool
        implicit_broadcast; /* arithmetic broadcasts, so that what is converted need not spell it */
    bool symbols;           /* extents may be symbols */
    /* The same, but only plain names, in programs that were read from it. */
    bool own_symbols;
    bool many_functions; /* more than the entry and its regions */
    /* Can N of F be written as it stands, given that the dialect spells its op? If not, WHY says
     * what is in the way. Broadcasting, dtypes and symbols are not looked at. */
    bool (*takes)(const function *f, const node *n, char why[OBJECTION_SIZE]);
} expressible;

/* A field of an op in a dialect's text: what is written beside the operands. */
typedef struct dialect_field {
    const char *name;
    const char *type;      /* what stands there, in words; NULL: as the attribute says */
    const char *attribute; /* of the op that it becomes; NULL: none, or several */
    const char *words;     /* space-separated; NULL where the type is no choice of words */
    bool optional;
} dialect_field;

typedef struct dialect {
    const char *name;
    const char *extensions; /* space-separated, longest first */
    const char *styles;     /* space-separated, canonical first */
    /* Read m->source into the fresh module M. Reports every fault; a module with faults is
     * rejected after the whole text was looked at. */
    tn_status (*read)(module *m, const read_options *options); /* NULL: it is only written */
    /* The dialect that the module belongs to where reading makes another program of a text: then it
     * is canonicalised after reading, and legalised when it is written. It may be this one. NULL:
     * reading keeps the program as it is. */
    const char *lowers_to;
    /* Append the text of M, every node of which `can` allows: nothing here checks that again, so
     * callers do (check_legal in pass/conversions/expressible.h). */
    tn_status (*write)(const module *m, const write_options *options, text_buffer *out);
    /* The dialect's code for one of the library's error kinds, or NULL. */
    const char *(*code_of)(int kind);
    /* Does a text without a telling file name look like this dialect? */
    bool (*looks_like)(const char *text, size_t length);
    /* How OP is spelt, for `tenon ops`; NULL when the dialect lacks it. */
    const char *(*spelling)(op_id op);
    /* The INDEX-th field of OP, in the order of the text; false past the last. NULL: the dialect
     * has no fields. */
    bool (*field_at)(op_id op, uint32_t index, dialect_field *out);
    const expressible *can; /* NULL: nothing can be converted to this dialect */
    bool canonical;         /* what is converted to this dialect is made canonical, too */
    bool takes_results;     /* read_options.results */
} dialect;

/* All of them, NULL-terminated. */
extern const dialect *const dialects[];

/* NULL where there is none of that name, or NAME is NULL. */
const dialect *dialect_by_name(const char *name);
/* Report that there is no dialect called NAME, with the one that was probably meant. */
tn_status dialect_unknown(diag_channel *d, const char *name);
/* Note the names of all dialects for which IS_MEANT holds. */
void dialect_note_names(diag_channel *d, bool (*is_meant)(const dialect *));
/* By the extension of FILE, else by looking at the text, which also decides between forms of the
 * language that the extension names; NULL when neither tells. */
const dialect *dialect_guess(const char *file, const char *text, size_t length);

#endif
