/* Appending nodes to a function, for code that makes graphs: derivatives, expansions, the public
 * builder. Failure is sticky: after the first one every call returns NO_VALUE, and NO_VALUE as an
 * operand gives NO_VALUE; ask `status` once at the end. */
#ifndef OPS_BUILD_H
#define OPS_BUILD_H

#include "ops/infer.h"

typedef struct builder {
    function *f;
    span at;          /* given to every node */
    const char *name; /* interned, given to every node; usually NULL */
    tn_status status;
    /* Spell plainly, for dialects without implicit broadcasting: operands of elementwise ops are
     * broadcast first, constants are scalars that are broadcast, and axes come and go by reshape.
     */
    bool plain;
    /* A reshape of a reshape and a transpose of a transpose read the first one's operand, for code
     * that drops what is left without a use. */
    bool compose;
    uint32_t belongs; /* given to every node */
} builder;

static inline builder builder_on(function *f, span at)
{
    return (builder){.f = f, .at = at, .status = TN_OK};
}

/* Entries for build_node's attribute lists. */
static inline attr attr_of_int(attr_key key, int64_t i) /* also words, dtypes, bools, regions */
{
    return (attr){.key = (uint8_t)key, .v.i = i};
}
static inline attr attr_of_ints(attr_key key, const int64_t *ints, uint32_t n)
{
    return (attr){.key = (uint8_t)key, .n = n, .v.ints = ints};
}
static inline attr attr_of_scalar(attr_key key, const scalar *s)
{
    return (attr){.key = (uint8_t)key, .v.scalar = s};
}

/* The general form; ENTRIES are sorted in place. The result is the first of the node's values. */
value_id build_node(builder *b, op_id op, const value_id *in, uint32_t n_in, attr *entries,
                    uint32_t n_entries);

value_id build_unary(builder *b, op_id op, value_id x);
value_id build_binary(builder *b, op_id op, value_id x, value_id y);
value_id build_select(builder *b, value_id p, value_id x, value_id y);
value_id build_compare(builder *b, direction d, value_id x, value_id y);
/* X itself when it has that dtype. */
value_id build_cast(builder *b, value_id x, tn_dtype dtype);

/* Movement; each gives X itself when nothing would change. */
value_id build_reshape(builder *b, value_id x, const dim *dims, uint32_t rank);
value_id build_transpose(builder *b, value_id x, const int64_t *perm, uint32_t rank);
value_id build_broadcast(builder *b, value_id x, const dim *dims, uint32_t rank);
/* Operand axis i becomes result axis map[i]. */
value_id build_broadcast_axes(builder *b, value_id x, const dim *dims, uint32_t rank,
                              const int64_t *map, uint32_t n_map);
value_id build_expand_dims(builder *b, value_id x, const int64_t *axes, uint32_t n);
value_id build_squeeze(builder *b, value_id x, const int64_t *axes, uint32_t n);
value_id build_slice(builder *b, value_id x, const int64_t *starts, const int64_t *ends,
                     const int64_t *steps, uint32_t rank);
/* LOW and HIGH zeros (false for i1) around X, per axis. */
value_id build_pad(builder *b, value_id x, const int64_t *low, const int64_t *high, uint32_t rank);

/* A reduction over N axes. */
value_id build_reduce(builder *b, op_id op, value_id x, const int64_t *axes, uint32_t n,
                      bool keepdims);

/* A constant of type DTYPE[DIMS] with every element S. */
value_id build_splat(builder *b, tn_dtype dtype, const dim *dims, uint32_t rank, scalar s);
static inline value_id build_scalar(builder *b, tn_dtype dtype, scalar s)
{
    return build_splat(b, dtype, NULL, 0, s);
}
/* A constant from DATA, dense and row-major, which is copied. */
value_id build_constant(builder *b, tn_dtype dtype, const dim *dims, uint32_t rank,
                        const void *data);

/* The type of V. After a failure V may be NO_VALUE, whose type is a scalar: what is built from it
 * is not made, so rules need not ask after each step. */
const type *build_type(const builder *b, value_id v);

#endif
