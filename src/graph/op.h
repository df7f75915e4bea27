/* The one vocabulary: enum and table made from ops.def. */
#ifndef GRAPH_OP_H
#define GRAPH_OP_H

#include "graph/attr.h"

typedef enum op_id {
#define OP(id, text, min_in, max_in, attrs, traits, infer, eval, grad, lower, help) OP_##id,
#include "graph/ops.def"
#undef OP
    OP_COUNT
} op_id;

enum {
    ARITY_ANY = 255 /* as max_in: no upper bound */
};

/* What is true of every use of an op; passes ask for traits, not for ops. */
typedef enum op_traits {
    T_NONE = 0,
    T_SOURCE = 1 << 0,      /* makes values from nothing: input, constant, generators */
    T_ELEMENTWISE = 1 << 1, /* result element i depends on operand elements i (broadcast) */
    T_COMMUTES = 1 << 2,    /* equal bits with its two operands swapped */
    T_MOVES = 1 << 3,       /* rearranges elements without computing */
    T_REDUCES = 1 << 4,
    T_CONTRACTS = 1 << 5,
    T_INDEXES = 1 << 6,  /* reads or writes at positions given by data */
    T_REGIONS = 1 << 7,  /* runs functions of the module */
    T_MAY_FAIL = 1 << 8, /* execution can stop with an error for some operand values */
    T_UNSTABLE = 1 << 9  /* equal operands need not give equal results: never merged */
} op_traits;

typedef struct infer_call infer_call;
typedef struct eval_call eval_call;
typedef struct grad_call grad_call;
typedef struct lower_call lower_call;

/* Compute result types from operand types and attributes, or reject. See graph/infer.h. */
typedef tn_status infer_fn(infer_call *call);
/* Compute results. See ops/eval.h. */
typedef tn_status eval_fn(eval_call *call);
/* Add the nodes of the derivative. */
typedef tn_status grad_fn(grad_call *call);
/* Rewrite to primitives. */
typedef tn_status lower_fn(lower_call *call);

typedef struct attr_spec {
    attr_key key;
    bool required;
} attr_spec;

typedef struct op_info {
    const char *text;
    uint8_t min_in, max_in;
    uint8_t n_attrs;
    const attr_spec *attrs;
    uint32_t traits;
    infer_fn *infer;
    eval_fn *eval;
    grad_fn *grad;
    lower_fn *lower;
    /* The names of those functions in ops.def; "none" is a decision shown to users. */
    const char *infer_name, *eval_name, *grad_name, *lower_name;
    const char *help;
} op_info;

extern const op_info op_table[OP_COUNT];

/* The op called TEXT, or OP_COUNT. */
op_id op_by_name(const char *text, size_t length);

/* "This op has no derivative" as a decision: rejects with NoDerivative. */
grad_fn grad_none;

#endif
