/* The one vocabulary: enum and table made from ops.def. */
#ifndef GRAPH_OP_H
#define GRAPH_OP_H

#include "graph/attr.h"

typedef enum op_id {
#define OP(id, text, min_in, max_in, attrs, traits, infer, eval, grad, lower, class, help) OP_##id,
#include "graph/ops.def"
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
    T_COMMUTES = 1 << 2,    /* equal bits, and equal derivatives, with its two operands swapped */
    T_MOVES = 1 << 3,       /* rearranges elements without computing */
    T_REDUCES = 1 << 4,
    T_CONTRACTS = 1 << 5,
    T_INDEXES = 1 << 6,  /* reads or writes at positions given by data */
    T_REGIONS = 1 << 7,  /* runs functions of the module */
    T_MAY_FAIL = 1 << 8, /* execution can stop with an error for some operand values */
    T_UNSTABLE = 1 << 9, /* equal operands need not give equal results: never merged */
    T_CHEAP = 1 << 10    /* sooner computed again than stored and loaded */
} op_traits;

/* What a kernel can make of an op. */
typedef enum op_class {
    K_NONE = 0,    /* nothing: control flow, composites, and what the evaluator's kernel runs */
    K_ELEMENTWISE, /* an element anywhere, from operands at the same place */
    K_MOVES,       /* an element anywhere, from one at another place */
    K_DRAWS,       /* an element anywhere, from its number and the seed */
    K_LOOKS_UP,    /* an element anywhere, from one at a place given by data */
    K_REDUCES,     /* elements from rows of an operand */
    K_CONTRACTS,   /* sums of products */
    K_LOOPS        /* loops of its own over operands in memory */
} op_class;

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
    op_class class;
    uint32_t cost; /* of one element of the result, in additions; 1 where nobody asks */
    /* What its row names for the tables of rules, kernels, derivatives and lowerings, each of which
     * stands in the room that has the functions; "none" is a decision shown to users. */
    const char *infer_name, *eval_name, *grad_name, *lower_name;
    const char *help;
} op_info;

extern const op_info op_table[OP_COUNT];

/* Is an element of the result of ID the work of many instructions, as of exp and its likes? */
static inline bool op_is_costly(op_id id)
{
    enum { COSTLY = 10 };
    return op_table[id].cost >= COSTLY;
}

/* The op called TEXT, or OP_COUNT. */
op_id op_by_name(const char *text, size_t length);

#endif
