/* What the files of the public builder share: failing, checked operands, appending operations. */
#ifndef FORMS_BUILDING_H
#define FORMS_BUILDING_H

#include "grad/regions/grad_memo.h"
#include "graph/public.h"
#include "ops/build.h"
#include "tenon/build.h"

struct tn_builder {
    context *cx;
    module *m;
    tn_status status;
    const char *label;      /* interned; NULL: none */
    span at;                /* of what is built, in the source of the module */
    uint64_t literal_bytes; /* of all constants so far; never above the limit */
    uint32_t first_scope;   /* of its values, see builder_scope; 0 for those inside of readers */
    /* The functions being built, by index in the module: the entry, then open regions. */
    VECTOR(uint32_t) scopes;
    grad_work work;    /* of all derivatives */
    hash_index inputs; /* of the program, by name */
};

/* Entries that a list may have: every attribute list has at most two for each axis. */
enum { MOST_ENTRIES = 2 * TN_MAX_RANK };

static inline bool is_building(const tn_builder *b)
{
    return b && b->status == TN_OK;
}

static inline function *current_function(const tn_builder *b)
{
    return b->m->functions.at[b->scopes.at[b->scopes.n - 1]];
}

/* The scope of the values of the function being built: its index plus 1, behind a number that other
 * builders do not have. */
static inline uint32_t builder_scope(const tn_builder *b)
{
    return b->first_scope + b->scopes.at[b->scopes.n - 1] + 1;
}

/* A builder of a module that belongs to no dialect yet. NULL, reported, when there is no memory. */
tn_builder *builder_new(context *cx);

/* Report the first fault of B, about the operation or function called OP, and remember it. */
void builder_fail(tn_builder *b, diag_kind kind, const char *op, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void builder_no_memory(tn_builder *b);
/* The status of a report just made about OP becomes that of B; the report is completed. */
void builder_failed(tn_builder *b, const char *op, tn_status status);

/* The id of V in the function being built, with its type in *T (which may be NULL). False after a
 * failure, and when V is not a value of this function, which is then reported. */
bool builder_operand(tn_builder *b, const char *op, tn_value v, value_id *id, const type **t);
/* The type of V for reading only; NULL without a report. Values of enclosing functions count. */
const type *builder_type(const tn_builder *b, tn_value v);
/* What V repeats along axes of extent 1, with the same rank; no value where it does not. */
tn_value builder_repeated(const tn_builder *b, tn_value v);

/* False, reported, where there is no list at AT, of N entries. */
bool builder_list(tn_builder *b, const char *op, const void *at, size_t n);

/* The function being built has its outputs: put loops that derivatives
 * made in the place of those that they replace. Values are renumbered. */
void builder_settle(tn_builder *b);

/* The functions from INDEX on go away: forget what derivatives know of them. */
void builder_forget(tn_builder *b, uint32_t index);

/* The N (at most TN_MAX_RANK) entries of SHAPE as extents, checked. */
bool builder_shape(tn_builder *b, const char *op, tn_ints shape, const type **t, tn_dtype dtype);
bool builder_dtype(tn_builder *b, const char *op, tn_dtype dtype);

/* A list of attributes being made. Failure is that of the builder. */
typedef struct attr_list {
    tn_builder *b;
    op_id op;
    attr at[12];
    uint32_t n;
    scalar s; /* what an entry for a scalar points to */
} attr_list;

static inline attr_list attrs_for(tn_builder *b, op_id op)
{
    return (attr_list){.b = b, .op = op};
}
void add_int(attr_list *l, attr_key key, int64_t i); /* words, bools and regions too */
void add_ints(attr_list *l, attr_key key, tn_ints ints);
/* Nothing for TN_DTYPE_DEFAULT. */
void add_dtype(attr_list *l, attr_key key, tn_dtype dtype);
void add_float(attr_list *l, attr_key key, double f);
/* X as a scalar that suits elements of the dtype of LIKE; once a list. */
void add_scalar(attr_list *l, attr_key key, double x, tn_value like);
/* The element at DATA, of the dtype of LIKE. */
void add_element(attr_list *l, attr_key key, const void *data, tn_value like);
void add_string(attr_list *l, attr_key key, const char *text);

/* Append the operation of L; the result is its first value. */
tn_value append(attr_list *l, const tn_value *in, size_t n_in);
static inline tn_value append_1(attr_list *l, tn_value x)
{
    return append(l, &x, 1);
}
static inline tn_value append_2(attr_list *l, tn_value x, tn_value y)
{
    tn_value in[] = {x, y};
    return append(l, in, 2);
}
static inline tn_value append_3(attr_list *l, tn_value x, tn_value y, tn_value z)
{
    tn_value in[] = {x, y, z};
    return append(l, in, 3);
}
/* All N_OUT results; another number of them is reported. */
void append_many(attr_list *l, const tn_value *in, size_t n_in, tn_value *out, size_t n_out);

/* An elementwise operation: operands are broadcast first where that changes them. */
tn_value append_elementwise(attr_list *l, const tn_value *in, uint32_t n_in);

/* X as an element of D: floats and complex numbers as they are, everything else exact. */
bool scalar_for(tn_dtype d, double x, scalar *out);

#endif
