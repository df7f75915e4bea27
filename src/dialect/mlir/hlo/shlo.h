/* From StableHLO as it was read to the graph: what the files of this folder share, and what an
 * operation is given to work with. docs/dialect-stablehlo.md says how one is added. */
#ifndef DIALECT_MLIR_HLO_SHLO_H
#define DIALECT_MLIR_HLO_SHLO_H

#include "dialect/dialect.h"
#include "dialect/known_values.h"
#include "dialect/mlir/read/mir.h"
#include "dialect/refusals.h"
#include "forms/building.h"
#include "tenon/forms.h"

/* What a value of the text stands for. */
typedef struct shlo_value {
    bool is_faulty;           /* nothing more: it was reported */
    bool is_token;            /* nothing more: it has no data */
    const mir_attr *dense;    /* of a constant; NULL: it is none */
    const type *type;         /* of a constant */
    const known_value *known; /* what is known of it; NULL: nothing, or it was not asked for */
    bool is_of_sizes;         /* it depends on nothing but sizes and constants */
    tn_value
        v; /* the data; for a constant, and for what is known, in a function where it was used */
    const struct shlo_value *parts; /* of a tuple; NULL: it is none */
    uint32_t n_parts;
} shlo_value;

/* The values of a function while its body is lowered. */
typedef struct shlo_frame {
    const mir_function *f;
    shlo_value *values; /* by number */
    uint32_t *seen;     /* by number: the last search for captures that found it */
    uint32_t searches;
} shlo_frame;

/* How many processes there are, and the one that an operation belongs to. */
typedef struct shlo_process {
    uint32_t n_replicas, n_partitions;
    uint32_t replica, partition;
} shlo_process;

typedef struct shlo_reader {
    module *m;
    tn_builder b;
    arena memory;
    mir_model model;
    const read_options *options;
    source_cursor check_at; /* where the last check was */
    hash_index row_index;
    VECTOR(const mir_row *) rows;
    refusals refusals;
    const char *const *argument_names; /* of the program */
    uint64_t n_ops;      /* that were lowered, those of functions once for each call */
    uint64_t n_copied;   /* of these, those of functions that had been lowered before */
    bool is_copy;        /* what is lowered now is one of those */
    uint32_t call_depth; /* functions that are open */
    int64_t least_size;  /* no symbol is smaller */
    tn_ints lift; /* operations on numbers work on tensors of these extents; empty: they do not */
    shlo_process all;            /* how many devices the program is for */
    uint32_t n_ranks;            /* processes that run it together; 1: it runs alone */
    uint32_t n_exchanges;        /* that were read, for them */
    const shlo_process *process; /* whose operation is lowered; NULL: there is one */
    const shlo_value *given;     /* the results of the operation that is lowered, which were made
                                  * together with those of other processes; NULL: they were not */
    uint32_t n_errors;           /* of the context, before the text was read */
    bool no_memory;
} shlo_reader;

/* One operation while it is lowered. */
typedef struct shlo_call {
    shlo_reader *r;
    tn_builder *b;
    shlo_frame *frame;
    const mir_op *op;
    int arg; /* of the row */
} shlo_call;

/* ---- import.c ---- */

/* Read the text of M, but lower nothing yet. To be closed even after an error. */
tn_status shlo_open(shlo_reader *r, module *m, const read_options *options);
void shlo_close(shlo_reader *r);

/* ---- table.c ---- */

const mir_row *shlo_find_row(const void *reader, mir_text name);
bool shlo_index_rows(shlo_reader *r);

/* ---- refuse.c ---- */

/* The operation cannot be read, for this reason; false. */
bool shlo_refuse(shlo_call *c, diag_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same about a place. ABOUT: what it has in common with its likes. */
bool shlo_refuse_at(shlo_reader *r, diag_kind kind, const char *about, span at, const char *format,
                    ...) __attribute__((format(printf, 5, 6)));
/* Where the operation of C comes from, as its location says: `jit(f)/add at f.py:3:7`. NULL: it
 * says nothing, or there is no memory, which is noted. */
const char *shlo_origin(shlo_call *c);
/* What would help against the last refusal. */
void shlo_advise(shlo_reader *r, const char *fix);
bool shlo_no_memory(shlo_reader *r); /* false */
/* T as a C string that lives as long as the reader. */
const char *shlo_text(shlo_reader *r, mir_text t);

/* ---- call.c: operands and results ---- */

const shlo_value *shlo_value_of(const shlo_call *c, uint32_t k);
/* The data of operand K. */
tn_value shlo_in(shlo_call *c, uint32_t k);
/* The type of V; NULL: it is no tensor. */
const type *shlo_value_type(shlo_reader *r, const shlo_value *v);
/* The type of operand K; NULL when it has none, which is reported. */
const type *shlo_in_type(shlo_call *c, uint32_t k);
/* The declared type of result K; NULL, refused, where it cannot be had. Extents `?` are -1. */
const mir_type *shlo_out_type(const shlo_call *c, uint32_t k);
/* Result K is V; true unless V is no value, which the builder has reported. */
bool shlo_give(shlo_call *c, uint32_t k, tn_value v);
bool shlo_give_value(shlo_call *c, uint32_t k, const shlo_value *v);
/* The data of V in the function that is being built. */
tn_value shlo_data_of(shlo_reader *r, shlo_value *v);
/* The literal of a constant operand K: its first element, if all are equal; false otherwise. */
bool shlo_uniform(shlo_call *c, uint32_t k, scalar *out);
static inline const type *shlo_type_of(const shlo_call *c, tn_value v)
{
    return builder_type(c->b, v);
}
/* The extents of T; none where T is missing, because its value was not made. */
static inline tn_ints shlo_dims(const type *t)
{
    return t ? (tn_ints){t->dims, t->rank} : (tn_ints){0};
}
/* V, of rank 0 or lifted, with the extents to which operations are lifted. */
tn_value shlo_lifted(shlo_reader *r, tn_value v);
/* V with the extents of LIKE, when it has rank 0. */
tn_value shlo_spread(shlo_call *c, tn_value v, const type *like);
/* All operands from FIRST on have the same extents. */
bool shlo_same_shape(shlo_call *c, uint32_t first);
/* The same of those before END. */
bool shlo_same_shape_of(shlo_call *c, uint32_t first, uint32_t end);

/* ---- known.c: small integers that are known, and sizes ---- */

known_room shlo_room(shlo_reader *r);
/* What is known of operand K; NULL: nothing. */
const known_value *shlo_known(shlo_call *c, uint32_t k);
/* Operand K as one number that is known, and no size. */
bool shlo_known_number(shlo_call *c, uint32_t k, int64_t *out);
/* Operand K, which is WHAT, as a list of N <= TN_MAX_RANK numbers and sizes. */
bool shlo_shape_in(shlo_call *c, uint32_t k, const char *what, bool is_signed, int64_t *out,
                   uint32_t *n);
/* Refuse it because WHAT is not known; false. */
bool shlo_unknown_shape(shlo_call *c, const char *what);
bool shlo_give_known(shlo_call *c, uint32_t k, const known_value *known);
/* A OP B, numbers or sizes; 0 without memory, which is noted. */
dim shlo_dim(shlo_call *c, dim_op op, dim a, dim b);
/* One size as a value of type D; NULL without memory. */
const known_value *shlo_known_size(shlo_reader *r, tn_dtype d, dim size);
/* K as data of the function that is being built. */
tn_value shlo_known_data(shlo_reader *r, const known_value *k);
/* What is known of the result; NULL: nothing. *OF_SIZES: it depends on nothing but sizes. */
const known_value *shlo_known_result(shlo_call *c, bool *of_sizes);

/* ---- attrs.c ---- */

const mir_attr *shlo_attr(const shlo_call *c, const char *name);
bool shlo_int(shlo_call *c, const char *name, int64_t otherwise, int64_t *out);
bool shlo_flag(const shlo_call *c, const char *name, bool otherwise);
double shlo_float(const shlo_call *c, const char *name, double otherwise);
/* The number A, whose type, or that of the list it stands in, is T; NULL: f64. */
double shlo_float_of(const mir_attr *a, const mir_type *t);
/* At most MOST integers, in any of the ways in which they are written; N 0 when there are none. */
bool shlo_ints(shlo_call *c, const char *name, uint32_t most, int64_t *out, uint32_t *n);
bool shlo_ints_of(shlo_call *c, const char *name, const mir_attr *a, uint32_t most, int64_t *out,
                  uint32_t *n);
/* N integers, each OTHERWISE when the attribute is left out. */
bool shlo_ints_or(shlo_call *c, const char *name, uint32_t n, int64_t otherwise, int64_t *out);
/* N different axes of a tensor of rank RANK. */
bool shlo_axes(shlo_call *c, const char *name, uint32_t rank, int64_t *out, uint32_t *n);
bool shlo_are_axes(shlo_call *c, const char *name, const int64_t *axes, uint32_t n, uint32_t rank);
static inline bool shlo_is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}
/* A word, such as that of an enumeration; empty: there is none. */
mir_text shlo_word(const shlo_call *c, const char *name);
mir_text shlo_word_of(const mir_attr *a);
/* The fields of a structure; NULL, refused, when there is none. */
const mir_fields *shlo_struct(shlo_call *c, const char *name);

/* ---- dense.c ---- */

/* The data of the constant A of type T, in the memory of the module. A refusal is about AT. */
bool shlo_dense(shlo_reader *r, const mir_attr *a, const type *t, span at, literal *out);
/* T in the graph; every `?` is refused. NULL after a refusal. */
const type *shlo_static_type(shlo_reader *r, const mir_type *t, span at);
/* A constant with the data of L. */
tn_value shlo_constant(shlo_reader *r, const literal *l);

/* ---- inputs.c ---- */

/* The arguments of the program F, as ARGS. */
bool shlo_inputs(shlo_reader *r, const mir_function *f, shlo_value *args);
/* The text of the attribute KEY in dictionary I of the list; empty: there is none. */
mir_text shlo_name_in(const mir_attr *dicts, uint32_t i, const char *key);

/* ---- walk.c ---- */

/* Lower the operations of REGION, whose arguments are bound. Its results go to OUT, of which there
 * are N. False: some are faulty, or there are others. */
bool shlo_region(shlo_reader *r, shlo_frame *f, const mir_region *region, span at, shlo_value *out,
                 uint32_t n);
/* Lower the body of F in the place of C. */
bool shlo_inline(shlo_call *c, mir_function *f, uint32_t first, shlo_value *out);
bool shlo_is_return(const mir_op *op);
bool shlo_function(shlo_reader *r, mir_function *f, const shlo_value *args, shlo_value *out);
/* Values for F, of which ARGS are known. To be closed even after an error. */
bool shlo_frame_open(shlo_reader *r, const mir_function *f, const shlo_value *args,
                     shlo_frame *out);
void shlo_frame_close(shlo_reader *r, const mir_function *f, shlo_frame *frame);
/* Lower one operation; false without memory. Where it is refused its results are faulty. */
bool shlo_lower_op(shlo_reader *r, shlo_frame *f, const mir_op *op);

/* ---- quantised.c ---- */

/* Is an operand or a result of quantised numbers? */
bool shlo_is_quantised(const shlo_call *c);
bool shlo_lower_quantised(shlo_call *c);

/* ---- numbers/special.c ---- */

typedef enum shlo_special {
    SHLO_LGAMMA,
    SHLO_DIGAMMA,
    SHLO_ERFC,
    SHLO_ERF_INV,
    SHLO_BESSEL_I1E
} shlo_special;

/* ---- lower_chlo.c ---- */

/* The row of PREFIX.NAME, if it suits the operands and results of C; NULL otherwise. */
const mir_row *shlo_row_named(const shlo_call *c, const char *prefix, mir_text name);
/* Lower C as if it were the operation of ROW, with these attributes. */
bool shlo_lower_as(shlo_call *c, const mir_row *row, const mir_fields *list);

/* ---- captures.c ---- */

/* What regions read of what is around them: data become operands and parameters. */
typedef struct shlo_captures {
    const mir_value **at;
    shlo_value *before; /* what they stood for outside */
    uint32_t n, cap;
    bool is_faulty;
} shlo_captures;

bool shlo_capture(shlo_call *c, shlo_captures *s);
/* A region has begun: append a parameter for each, and bind them. PARAMS may be NULL. */
void shlo_enter(shlo_call *c, const shlo_captures *s, tn_value *params);
void shlo_leave(shlo_call *c, const shlo_captures *s);

/* ---- bodies.c: what regions of reductions compute ---- */

typedef enum shlo_combine {
    SHLO_ADD,
    SHLO_MULTIPLY,
    SHLO_MAXIMUM,
    SHLO_MINIMUM,
    SHLO_MAXIMUM_NUMBER, /* these two of floats: NaN loses */
    SHLO_MINIMUM_NUMBER,
    SHLO_AND,
    SHLO_OR,
    SHLO_XOR,
    SHLO_FIRST,  /* the accumulator */
    SHLO_SECOND, /* the element */
    SHLO_SUBTRACT,
    SHLO_OTHER
} shlo_combine;

enum { SHLO_MOST_BODY = 64 }; /* longer ones are not looked into */

/* How the body combines value K of N accumulators with value K of N elements; *D the element type
 * in which it does so. */
shlo_combine shlo_body(shlo_call *c, const mir_region *region, uint32_t k, uint32_t n, tn_dtype *d);
/* Refuse it, with the operations that stand in it. */
bool shlo_refuse_body(shlo_call *c, const mir_region *region);
/* A and B combined, elementwise, by the rules of StableHLO. */
tn_value shlo_combined(shlo_call *c, shlo_combine how, tn_value a, tn_value b);
/* Is S what leaves the other side as it is? */
bool shlo_is_neutral(shlo_combine how, tn_dtype d, scalar s);

/* ---- lower_check.c ---- */

/* The custom call TARGET, if that is a check. */
bool shlo_custom_check(shlo_call *c, mir_text target, bool *is_check);

/* ---- shared by lowerings ---- */

tn_value shlo_maximum(tn_builder *b, tn_value x, tn_value y, bool is_max);
/* The integer type of BITS, signed or not. */
tn_dtype shlo_integer_of(uint32_t bits, bool is_signed);
/* Integers whose order is the total order of the floats X. */
tn_value shlo_order_key(shlo_call *c, tn_value x);
/* X as D, by the rules of `convert`. */
tn_value shlo_convert(shlo_call *c, tn_value x, tn_dtype d);
/* X with padding, an entry for each axis, that may cut: of the constant S, or, when that is NULL,
 * of VALUE. */
tn_value shlo_padded(shlo_call *c, tn_value x, const int64_t *low, const int64_t *high,
                     const int64_t *interior, const scalar *s, tn_value value);
/* Operand 0 broadcast to DIMS along the axes that the attribute says. */
bool shlo_broadcast_in_dim(shlo_call *c, const dim *dims, uint32_t rank);
/* The result is the part of operand 0 between these bounds, three for each axis. */
bool shlo_slice(shlo_call *c, const int64_t *starts, const int64_t *ends, const int64_t *strides);
/* Operand 0 padded with operand 1; no value, refused, when that cannot be. */
tn_value shlo_pad(shlo_call *c, const int64_t *low, const int64_t *high, const int64_t *interior);
/* The custom call of this name. */
bool shlo_shape_assertion(shlo_call *c);
/* `@stablehlo.dynamic_top_k` and the like. *IS_KNOWN: TARGET is one of them. */
bool shlo_dynamic_target(shlo_call *c, mir_text target, bool *is_known);
/* Result 0: the running totals of operand 0 along AXIS, in an order from operand 1 on. */
bool shlo_totals(shlo_call *c, shlo_combine how, int64_t axis, bool reverse);
/* N vectors XS of COUNT elements with the vectors UPDATES combined in by REGION at the positions
 * AT; those that are COUNT go nowhere, of which there are none if ALL_INSIDE. OUT may be XS. */
bool shlo_scatter_flat(shlo_call *c, const mir_region *region, const tn_value *xs, tn_value at,
                       const tn_value *updates, uint32_t n, dim count, bool all_inside,
                       tn_value *out);
/* Does shlo_reduced know what the body does to each of N inputs? */
bool shlo_all_known(shlo_call *c, uint32_t n);
/* X combined over AXES, which go. */
tn_value shlo_reduced(shlo_call *c, shlo_combine how, tn_value x, tn_ints axes);

#endif
