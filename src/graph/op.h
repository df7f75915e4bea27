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
    /* What its row names for the tables of rules, kernels, derivatives and lowerings, each of which
     * stands in the room that has the functions; "none" is a decision shown to users. */
    const char *infer_name, *eval_name, *grad_name, *lower_name;
    const char *help;
} op_info;

extern const op_info op_table[OP_COUNT];

/* The op called TEXT, or OP_COUNT. */
op_id op_by_name(const char *text, size_t length);

#endif
