/* What the type rules share: checks that reject with the library's kinds and say what was wrong. */
#ifndef OPS_RULES_RULES_H
#define OPS_RULES_RULES_H

#include "ops/infer.h"
#include "ops/shape.h"

/* Every type rule that a row of ops.def names. */
#define OP(id, text, min_in, max_in, attrs, traits, infer, eval, grad, lower, class, help)         \
    infer_fn infer_##infer;
#include "graph/ops.def"

/* Sets of dtypes, as bits of dtype_class. */
enum {
    ALLOW_BOOL = 1 << DTYPE_BOOL,
    ALLOW_SIGNED = 1 << DTYPE_SIGNED,
    ALLOW_UNSIGNED = 1 << DTYPE_UNSIGNED,
    ALLOW_FLOAT = 1 << DTYPE_FLOAT,
    ALLOW_COMPLEX = 1 << DTYPE_COMPLEX,
    ALLOW_INT = ALLOW_SIGNED | ALLOW_UNSIGNED,
    ALLOW_REAL = ALLOW_INT | ALLOW_FLOAT,
    ALLOW_NUMBER = ALLOW_REAL | ALLOW_COMPLEX
};

static inline const char *rule_op(const infer_call *call)
{
    return op_table[call->op].text;
}

/* Operand K has one of the ALLOWED classes. */
tn_status rule_dtype(const infer_call *call, uint32_t k, unsigned allowed);
/* Operands FROM and FROM + 1 have equal dtypes. */
tn_status rule_same_dtype(const infer_call *call, uint32_t from);
/* Operand K has rank FEWEST .. MOST. */
tn_status rule_rank(const infer_call *call, uint32_t k, uint32_t fewest, uint32_t most);
/* Operand K holds positions: si32 or si64. */
tn_status rule_index_dtype(const infer_call *call, uint32_t k);
/* The N numbers of KEY may be the extents of a tensor: >= 0, or known symbols. */
tn_status rule_extents(const infer_call *call, attr_key key);
/* The shape to which operands A and B broadcast. */
tn_status rule_broadcast(const infer_call *call, const dim *a, uint32_t rank_a, const dim *b,
                         uint32_t rank_b, shape *out);
/* The result is DTYPE[S]. */
tn_status rule_result(infer_call *call, tn_dtype dtype, const shape *s);

/* A fix in words, for the rejection just made. */
void rule_hint(const infer_call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Faults that any rule may meet, in terms of the attribute KEY of N entries. */
tn_status rule_axis_fault(const infer_call *call, shape_fault f, attr_key key, uint32_t rank);

/* The type of operand K, as text. */
const char *rule_shape_text(const infer_call *call, uint32_t k);
const char *rule_ints_text(const infer_call *call, attr_key key);

#endif
