/* What the files of the reader share, and what an operator is given to work with: its inputs, what
 * is known of them, its attributes, the builder, a place for its results, and ways to refuse.
 * docs/dialect-onnx.md says how an operator is added. */
#ifndef DIALECT_ONNX_IMPORT_H
#define DIALECT_ONNX_IMPORT_H

#include "dialect/dialect.h"
#include "dialect/given.h"
#include "dialect/known_values.h"
#include "dialect/onnx/model.h"
#include "dialect/onnx/tensors.h"
#include "dialect/refusals.h"
#include "forms/building.h"
#include "tenon/forms.h"

/* The elements of a sequence, whose number is always known. */
typedef struct onnx_items {
    struct onnx_value *at;
    uint32_t n;
} onnx_items;

/* The integers of 8 bits that floats were dequantised from: (x - zero) * scale. The scale, and the
 * zero point, which may be no value, are of one element, or lie along AXIS; -1: of one element. */
typedef struct onnx_integers {
    tn_value x, scale, zero;
    int64_t axis;
} onnx_integers;

/* What a name of the file stands for. At least one of tensor, known, v and items says what it is.
 * An optional value is what it holds. */
typedef struct onnx_value {
    onnx_bytes name;
    bool is_faulty;            /* nothing more: it was reported */
    bool is_absent;            /* of a function: an input that the call leaves out */
    bool is_empty;             /* an optional value that holds nothing */
    bool is_weight;            /* an initializer of the model's graph */
    bool is_trainable;         /* floats that such initializers give: its nodes stand beside what
                                  is known of it */
    const onnx_tensor *tensor; /* an initializer, or the like; NULL: none */
    const known_value *known;  /* NULL: nothing is known */
    tn_value v;                /* its data in the graph; no value: not needed so far */
    const onnx_items *items;   /* a sequence; NULL: a tensor */
    const onnx_integers *integers; /* of its data `v`; NULL: it has none, or not here */
} onnx_value;

/* Does V stand for a tensor? */
static inline bool onnx_is_tensor(const onnx_value *v)
{
    return v->tensor || v->known || tn_is_value(v->v);
}

/* The names of one graph. */
typedef struct onnx_scope {
    const struct onnx_scope *outer; /* whose names are seen too; NULL: none */
    onnx_list imports;              /* of the model or function: onnx_import */
    const struct onnx_call *call;   /* of a function whose body this is; NULL: none */
    const onnx_function *function;
    const bool *needed; /* by number of the node: is it read? NULL: all are */
    uint32_t depth;
    hash_index by_name;
    VECTOR(onnx_value *) values;
} onnx_scope;

struct onnx_call;
typedef bool onnx_lower_fn(struct onnx_call *c);
/* What is known of the one result, given that everything is known of the inputs; NULL: nothing. */
typedef const known_value *onnx_known_fn(struct onnx_call *c);

/* A row of ops.def. */
typedef struct onnx_op {
    const char *domain, *name;
    int32_t first, last; /* versions of the domain that the row was written for */
    uint32_t min_in, max_in, max_out;
    onnx_lower_fn *lower;
    int arg;              /* which of the operators that share the function */
    onnx_known_fn *known; /* onnx_known_none where nothing is ever known */
    const char *attributes;
} onnx_op;

#define ONNX_ANY UINT32_MAX

/* A row of refused.def: an operator that is known, and why it is not read. */
typedef struct onnx_refused {
    const char *domain, *name; /* `*`: all others of the domain */
    const char *why, *help;
} onnx_refused;

extern const onnx_op onnx_ops[];
extern const uint32_t onnx_n_ops;

typedef struct importer {
    module *m;
    tn_builder b;
    arena memory; /* the model, names, known values */
    const onnx_model *model;
    const read_options *options;
    hash_index op_index, functions; /* rows of ops.def, functions of the model: by name */
    refusals refusals, warnings;
    VECTOR(tn_binding) found; /* sizes that follow from the shapes of inputs */
    uint64_t n_nodes;         /* that were read, those of functions once for each call */
    hash_index odd_nodes;     /* whose attributes were warned of, by their place in `odd` */
    VECTOR(const onnx_node *) odd;
    uint64_t n_called;                   /* those of functions */
    int64_t n_tabled;                    /* numbers of all tables */
    uint64_t n_items;                    /* elements of all sequences */
    size_t sparse_bytes, sparse_written; /* of all sparse tensors: as dense ones, in the file */
    bool is_over;                        /* there were more than the limit, which was reported */
    bool no_memory;
} importer;

/* One node while it is read. */
typedef struct onnx_call {
    importer *im;
    onnx_scope *scope;
    tn_builder *b;
    const onnx_node *node;
    uint32_t number; /* of the node in its graph */
    const onnx_op *op;
    int64_t version; /* of the operator's domain, as imported */
    uint32_t n_in, n_out;
    onnx_value **in; /* NULL: left out */
    onnx_value *out; /* to be filled by onnx_give */
    struct onnx_asked *asked;
} onnx_call;

/* What the operator asked of its attributes. */
typedef struct onnx_asked {
    uint64_t read;                 /* bit n: attribute n of the node */
    const onnx_attribute *misread; /* the first that holds another kind than WANTED; NULL: none */
    onnx_attribute_kind wanted;
} onnx_asked;

/* ---- call.c: inputs ---- */

/* Is input K there? */
bool onnx_has_in(const onnx_call *c, uint32_t k);
/* The data of input K, which becomes a constant of the graph when it is none yet; no value when it
 * is left out. */
tn_value onnx_in(onnx_call *c, uint32_t k);
/* The type of input K; NULL when it is left out, or without memory. */
const type *onnx_in_type(onnx_call *c, uint32_t k);
/* What is known of input K, or NULL. */
const known_value *onnx_in_known(onnx_call *c, uint32_t k);
/* What known values are made with: known.c. */
known_room onnx_known_room(onnx_call *c);
/* Input K as a list of at most MOST sizes (`symbols`: also symbolic ones) or integers. False, and
 * refused, when that is not known or there are more. N 0 when it is left out. */
bool onnx_in_ints(onnx_call *c, uint32_t k, bool symbols, uint32_t most, int64_t *out, uint32_t *n);
/* Input K as one integer, or size (`symbols`). False, and refused, when that is not known. */
bool onnx_in_int(onnx_call *c, uint32_t k, bool symbols, int64_t *out);
/* Input K as one known number. */
bool onnx_in_float(onnx_call *c, uint32_t k, double otherwise, double *out);

/* ---- call.c: attributes ---- */

/* The attribute, or NULL. One that holds something else than WANTED is refused when the operator
 * has been read. */
const onnx_attribute *onnx_attr_of(const onnx_call *c, const char *name,
                                   onnx_attribute_kind wanted);
/* Whatever it holds. */
const onnx_attribute *onnx_attr(const onnx_call *c, const char *name);
int64_t onnx_attr_int(const onnx_call *c, const char *name, int64_t otherwise);
double onnx_attr_float(const onnx_call *c, const char *name, double otherwise);
/* Is the attribute this text? `otherwise` when it is left out. */
bool onnx_attr_is(const onnx_call *c, const char *name, const char *text, bool otherwise);
/* *OUT: which of the N WORDS the attribute is; OTHERWISE when it is left out, and refused when it
 * is none of them. */
bool onnx_choose(onnx_call *c, const char *name, const char *const *words, uint32_t n,
                 uint32_t otherwise, int *out);
/* The integers of a list; N 0 when it is left out. */
const int64_t *onnx_attr_ints(const onnx_call *c, const char *name, uint32_t *n);
/* The attribute NAME, or for newer versions input K, as a list of at most MOST integers; *is_given
 * says whether there is one. */
bool onnx_ints_of(onnx_call *c, const char *name, uint32_t k, uint32_t most, int64_t *out,
                  uint32_t *n, bool *is_given);
/* AXIS of a tensor of rank RANK, counted from the front; refuses what is out of range. */
bool onnx_axis(onnx_call *c, int64_t axis, uint32_t rank, int64_t *out);
bool onnx_axes(onnx_call *c, int64_t *axes, uint32_t n, uint32_t rank);

/* ---- call.c: results ---- */

/* Result K is V; true unless V is no value, which the builder has reported. */
bool onnx_give(onnx_call *c, uint32_t k, tn_value v);
bool onnx_give_known(onnx_call *c, uint32_t k, const known_value *known);
/* Result K is what the file says, as it stands there. */
bool onnx_give_tensor(onnx_call *c, uint32_t k, const onnx_tensor *t);
/* Result K is V, whatever it is. */
bool onnx_give_value(onnx_call *c, uint32_t k, const onnx_value *v);
/* Result K is input I. */
bool onnx_give_in(onnx_call *c, uint32_t k, uint32_t i);
static inline bool onnx_wants_out(const onnx_call *c, uint32_t k)
{
    return k < c->n_out;
}

/* The type of V, a value of the builder. NULL for no value. */
static inline const type *onnx_type_of(const onnx_call *c, tn_value v)
{
    return builder_type(c->b, v);
}
static inline tn_ints onnx_dims(const type *t)
{
    return (tn_ints){t->dims, t->rank};
}

/* ---- refuse.c ---- */

/* The node cannot be read, for this reason; false. */
bool onnx_refuse(onnx_call *c, diag_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Refuse the node for the attribute that was misread. Always false. */
bool onnx_refuse_misread(onnx_call *c);
/* Warn, once for each reason, that the node has an attribute that its operator lacks. False without
 * memory. */
bool onnx_warn(onnx_call *c, onnx_bytes attribute, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* What would help against the last refusal. */
void onnx_advise(onnx_call *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* WHAT would, with the options that make sizes and values known; nothing where all are, and
 * against refusals of other kinds. */
void onnx_advise_known(onnx_call *c, const char *what);
/* The options that give values to the inputs of the model which the first N inputs of the node are
 * computed from. */
void onnx_advise_values(onnx_call *c, uint32_t n);
/* Of each refusal for what is not known, and without advice: the options that make it known. */
void onnx_advise_sizes(importer *im);
/* The same about no node. ABOUT: what it has in common with its likes. */
bool onnx_refuse_file(importer *im, diag_kind kind, const char *about, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* What is odd about the file, once for each ABOUT and FORMAT. False without memory. */
bool onnx_warn_file(importer *im, const char *about, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void onnx_advise_file(importer *im, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool onnx_no_memory(importer *im); /* false */
/* T as a C string in memory that lives as long as the reader; "" without memory. */
const char *onnx_text(importer *im, onnx_bytes t);

static inline bool onnx_is(onnx_bytes t, const char *text)
{
    return t.n == strlen(text) && (t.n == 0 || memcmp(t.at, text, t.n) == 0);
}
static inline bool onnx_same(onnx_bytes a, onnx_bytes b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.at, b.at, a.n) == 0);
}
#define ONNX_TEXT(t) ((t).n < 200 ? (int)(t).n : 200), (t).at ? (t).at : ""

/* ---- attributes.c ---- */

/* Warn of the attributes of C, which was read, that its operator does not have; or the function F,
 * which may be NULL. False without memory. */
bool onnx_check_attributes(onnx_call *c, const onnx_function *f);
/* Refuse C where it lacks an attribute that its operator must have. */
bool onnx_has_needed_attributes(onnx_call *c);

/* ---- constants.c ---- */

/* The data of V in the function that is being built. */
tn_value onnx_data_of(importer *im, onnx_value *v);
/* V was made by the last node: a weight has its name in the program, too. */
void onnx_name_weight(importer *im, const onnx_value *v);
/* Its type, without making it data; NULL without memory, or for a tensor that cannot be read. */
const type *onnx_value_type(importer *im, const onnx_value *v);
/* What is known of it; tensors of the file are looked at. */
const known_value *onnx_value_known(importer *im, onnx_value *v);
/* N times EACH zeros of 8 bytes, for numbers that are computed while the file is read. NULL, and
 * refused, without memory and when all tables of the file have more than 2^25. */
void *onnx_table(onnx_call *c, int64_t n, int64_t each);
/* Room for the N elements of a sequence. NULL, and refused, without memory and when all sequences
 * of the file, each of which has its own, have more than 2^22. */
onnx_value *onnx_items_room(onnx_call *c, uint32_t n);

/* ---- external.c ---- */

/* T, with its data as raw bytes where that lies in a file of its own: they stay where they are for
 * as long as anything that is made of the model. NULL: it is refused, or there is no memory. */
const onnx_tensor *onnx_with_data(importer *im, const onnx_tensor *t);

/* ---- sparse.c ---- */

/* S with all of its elements. NULL: it is refused, or there is no memory. */
const onnx_tensor *onnx_dense(importer *im, const onnx_sparse *s);

/* ---- graph.c ---- */

/* Refuse IMPORTS of a model or function that name two versions of a domain. False without memory.
 */
bool onnx_check_imports(importer *im, onnx_list imports);
/* Read the nodes of G, in SCOPE, where its inputs are defined already. False: stop. */
bool onnx_read_nodes(importer *im, onnx_scope *scope, const onnx_node *nodes, uint32_t n);
bool onnx_define(importer *im, onnx_scope *scope, const onnx_value *v);
onnx_value *onnx_find(const onnx_scope *scope, onnx_bytes name);

/* What a name of the scope INNER stands for becomes result K of C. */
bool onnx_give_named(onnx_call *c, uint32_t k, const onnx_scope *inner, onnx_bytes name);
/* Read the graph G of the node C in SCOPE, which is fresh. Its inputs are ARGS, of which there must
 * be as many; the first N of its outputs go to RESULTS. */
bool onnx_read_body(onnx_call *c, onnx_scope *scope, const onnx_graph *g, const onnx_value *args,
                    uint32_t n_args, onnx_value *results, uint32_t n);
/* The same in the place of the node. */
bool onnx_inline(onnx_call *c, const onnx_graph *g, const onnx_value *args, uint32_t n_args,
                 onnx_value *results, uint32_t n);
void onnx_scope_release(importer *im, onnx_scope *scope);

/* ---- region.c ---- */

/* What graphs inside of a node read of the graphs around it. */
typedef struct onnx_captures {
    onnx_call *c;
    hash_index seen;
    VECTOR(onnx_value *) values; /* each once */
    VECTOR(tn_value) data;       /* those that are data of the graph: operands of the node */
} onnx_captures;

/* Find what G reads. More graphs may be added; release them whatever is returned. */
bool onnx_capture(onnx_captures *s, const onnx_graph *g);
/* A region has begun: append a parameter for each of the data, to PARAMS, too, and define what was
 * captured in SCOPE, which is that around the one of the graph. */
bool onnx_enter(const onnx_captures *s, onnx_scope *scope, tn_value *params);
void onnx_captures_release(onnx_captures *s);

/* Work that may be refused without a trace, since there is another way. */
typedef struct onnx_trial {
    importer *im;
    tn_diagnostic_sink sink;
    uint32_t n_errors, n_refusals, last_refusal, n_functions, n_scopes;
    uint32_t *counts; /* of the refusals so far */
} onnx_trial;

bool onnx_trial_begin(onnx_trial *t, importer *im);
/* Unless OK: forget what it built and reported, so that there can be another attempt. False when
 * that would not help: there is no memory, or no time. */
bool onnx_trial_end(onnx_trial *t, bool ok);

/* ---- function.c ---- */

/* Find the functions of the model by name; two of one name are refused. False without memory. */
bool onnx_function_index(importer *im);
/* The function of the model that C calls; NULL: it is an operator. */
const onnx_function *onnx_function_of(const onnx_call *c);
/* Read the body of F in the place of the call. */
bool onnx_call_function(onnx_call *c, const onnx_function *f);
/* The attribute of a call that A, in the body of its function, refers to; NULL: it has none. */
const onnx_attribute *onnx_referred(const onnx_scope *scope, const onnx_attribute *a);

/* ---- op_table.c ---- */

/* The row for an operator at VERSION; NULL when there is none. With other versions only, *NEAR is
 * one of those. */
const onnx_op *onnx_op_find(const importer *im, onnx_bytes domain, onnx_bytes name, int64_t version,
                            const onnx_op **near);
bool onnx_op_index(importer *im);
/* NULL: nothing is known of such an operator. */
const onnx_refused *onnx_refused_find(onnx_bytes domain, onnx_bytes name);

#endif
