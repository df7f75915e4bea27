/* One application of an op to be typed, and how type rules reject it. */
#ifndef OPS_INFER_H
#define OPS_INFER_H

#include "graph/module.h"

typedef struct infer_call infer_call;

/* A type rule: computes result types from operand types and attributes, or rejects. */
typedef tn_status infer_fn(infer_call *call);
extern infer_fn *const op_rules[OP_COUNT];

struct infer_call {
    module *module;
    op_id op;
    const type *const *in;
    uint32_t n_in;
    const attrs *attrs;
    /* Results: n_out starts at 1 and `out` at a place for one type. A rule with several results
     * sets `out` to an array in the module's arena. */
    const type **out;
    uint32_t n_out;
    /* Symbolic sizes have just been given values: extents that do not fit are DimensionBinding. */
    bool binding;
    /* For diagnostics. */
    const function *function; /* NULL: in none that is known */
    uint32_t place;           /* 1 + the number of the instruction in the text; 0: none */
    span at;
    const char *name; /* of the node in the text; NULL: `%number` */
    uint32_t number;
};

/* Reject CALL: the message is prefixed with nothing; notes list the operand types. */
tn_status infer_reject(const infer_call *call, diag_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A short-lived text for messages. */
const char *infer_dims_text(const infer_call *call, const dim *dims, uint32_t rank);

/* Finish a rule with one result; rejects on lack of memory (NULL) and too many elements. */
tn_status infer_result(infer_call *call, const type *result);

/* Check operand count and attributes against the op table, then run the type rule. On success
 * call->out[0 .. n_out) are set. Order: arity, attributes, dtypes, ranks, extents. */
tn_status infer_types(infer_call *call);

/* Infer the types and append; *FIRST is the first result. Inputs are listed in f->inputs. The
 * number that diagnostics show is desc->number. */
tn_status function_add(function *f, const node_desc *desc, value_id *first);

/* Check everything a module promises: ids, operand order, attributes, result types. Reports every
 * fault; `whose` (a pass name, or NULL) makes faults internal errors that name it. */
tn_status module_verify(module *m, const char *whose);

#endif
