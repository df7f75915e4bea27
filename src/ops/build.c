/* Appending nodes to a function, with sticky failure. */
#include "ops/build.h"

static value_id failed(builder *b, tn_status s)
{
    if (b->status == TN_OK)
        b->status = s;
    return NO_VALUE;
}

static value_id no_memory(builder *b)
{
    return failed(b, module_no_memory(b->f->module));
}

const type *build_type(const builder *b, value_id v)
{
    /* A rule may read the extent of an axis that it knows of: there is room for all. */
    static const union {
        type scalar;
        unsigned char room[sizeof(type) + TN_MAX_RANK * sizeof(dim)];
    } none = {.scalar = {.dtype = TN_F32, .count = 1}};
    return v == NO_VALUE ? &none.scalar : value_type(b->f, v);
}

/* The operands IN of an elementwise op, each broadcast to the shape of all, in OUT; false when that
 * is not possible, which the type rule will report. */
static bool broadcast_operands(builder *b, const value_id *in, uint32_t n_in, value_id *out)
{
    dim dims[TN_MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < n_in; i++)
        if (build_type(b, in[i])->rank > rank)
            rank = build_type(b, in[i])->rank;
    if (rank > TN_MAX_RANK)
        return false;
    for (uint32_t k = 0; k < rank; k++)
        dims[k] = 1;
    for (uint32_t i = 0; i < n_in; i++) {
        const type *t = build_type(b, in[i]);
        dim *to = dims + (rank - t->rank);
        for (uint32_t k = 0; k < t->rank; k++)
            to[k] = to[k] == 1 || (dim_is_symbolic(to[k]) && t->dims[k] != 1) ? t->dims[k] : to[k];
    }
    for (uint32_t i = 0; i < n_in; i++)
        out[i] = build_broadcast(b, in[i], dims, rank);
    return b->status == TN_OK;
}

value_id build_node(builder *b, op_id op, const value_id *in, uint32_t n_in, attr *entries,
                    uint32_t n_entries)
{
    enum { MOST_ELEMENTWISE = 3 };
    value_id same_shape[MOST_ELEMENTWISE];
    if (b->status != TN_OK)
        return NO_VALUE;
    for (uint32_t i = 0; i < n_in; i++)
        if (in[i] == NO_VALUE)
            return NO_VALUE;
    if (b->plain && n_in > 1 && n_in <= MOST_ELEMENTWISE && (op_table[op].traits & T_ELEMENTWISE)) {
        if (!broadcast_operands(b, in, n_in, same_shape))
            return NO_VALUE;
        in = same_shape;
    }
    const attrs *a = attrs_of(&b->f->module->attrs, entries, n_entries);
    if (!a)
        return no_memory(b);
    value_id first = NO_VALUE;
    node_desc desc = {.op = op,
                      .in = in,
                      .n_in = n_in,
                      .attrs = a,
                      .at = b->at,
                      .name = b->name,
                      .number = b->f->values.n,
                      .belongs = b->belongs};
    tn_status s = function_add(b->f, &desc, &first);
    return s == TN_OK ? first : failed(b, s);
}

value_id build_unary(builder *b, op_id op, value_id x)
{
    return build_node(b, op, &x, 1, NULL, 0);
}

value_id build_binary(builder *b, op_id op, value_id x, value_id y)
{
    value_id in[] = {x, y};
    return build_node(b, op, in, 2, NULL, 0);
}

value_id build_select(builder *b, value_id p, value_id x, value_id y)
{
    value_id in[] = {p, x, y};
    return build_node(b, OP_SELECT, in, 3, NULL, 0);
}

value_id build_compare(builder *b, direction d, value_id x, value_id y)
{
    value_id in[] = {x, y};
    attr entry = attr_of_int(KEY_DIRECTION, d);
    return build_node(b, OP_COMPARE, in, 2, &entry, 1);
}

/* Does X exist and a further node may be made? */
static bool usable(const builder *b, value_id x)
{
    return b->status == TN_OK && x != NO_VALUE;
}

static bool has_dims(const builder *b, value_id x, const dim *dims, uint32_t rank)
{
    const type *t = build_type(b, x);
    return t->rank == rank && (rank == 0 || memcmp(t->dims, dims, rank * sizeof *dims) == 0);
}

value_id build_cast(builder *b, value_id x, tn_dtype dtype)
{
    if (!usable(b, x) || build_type(b, x)->dtype == dtype)
        return x;
    attr entry = attr_of_int(KEY_DTYPE, dtype);
    return build_node(b, OP_CAST, &x, 1, &entry, 1);
}

/* The node of X when it is an OP that may be passed over; else NULL. */
static const node *passed_over(const builder *b, value_id x, op_id op)
{
    const node *n = node_of(b->f, x);
    return b->compose && n->op == op ? n : NULL;
}

value_id build_reshape(builder *b, value_id x, const dim *dims, uint32_t rank)
{
    for (const node *n; usable(b, x) && (n = passed_over(b, x, OP_RESHAPE)) != NULL;)
        x = n->in[0];
    if (!usable(b, x) || has_dims(b, x, dims, rank))
        return x;
    attr entry = attr_of_ints(KEY_SHAPE, dims, rank);
    return build_node(b, OP_RESHAPE, &x, 1, &entry, 1);
}

value_id build_transpose(builder *b, value_id x, const int64_t *perm, uint32_t rank)
{
    bool identity = true;
    int64_t both[TN_MAX_RANK];
    const node *n = usable(b, x) ? passed_over(b, x, OP_TRANSPOSE) : NULL;
    if (n) {
        uint32_t n_perm;
        const int64_t *first = attr_ints(n->attrs, KEY_PERM, &n_perm);
        for (uint32_t i = 0; i < rank; i++)
            both[i] = first[perm[i]];
        perm = both;
        x = n->in[0];
    }
    for (uint32_t i = 0; i < rank; i++)
        identity = identity && perm[i] == (int64_t)i;
    if (!usable(b, x) || identity)
        return x;
    attr entry = attr_of_ints(KEY_PERM, perm, rank);
    return build_node(b, OP_TRANSPOSE, &x, 1, &entry, 1);
}

value_id build_broadcast(builder *b, value_id x, const dim *dims, uint32_t rank)
{
    if (!usable(b, x) || has_dims(b, x, dims, rank))
        return x;
    attr entry = attr_of_ints(KEY_SHAPE, dims, rank);
    return build_node(b, OP_BROADCAST, &x, 1, &entry, 1);
}

value_id build_broadcast_axes(builder *b, value_id x, const dim *dims, uint32_t rank,
                              const int64_t *map, uint32_t n_map)
{
    if (!usable(b, x))
        return x;
    attr entries[] = {attr_of_ints(KEY_SHAPE, dims, rank), attr_of_ints(KEY_DIMS, map, n_map)};
    return build_node(b, OP_BROADCAST, &x, 1, entries, 2);
}

value_id build_expand_dims(builder *b, value_id x, const int64_t *axes, uint32_t n)
{
    if (!usable(b, x) || n == 0)
        return x;
    const type *t = build_type(b, x);
    if (b->plain && t->rank + n <= TN_MAX_RANK) {
        dim dims[TN_MAX_RANK];
        for (uint32_t i = 0, at = 0, from = 0; i < t->rank + n; i++) {
            bool is_new = at < n && axes[at] == (int64_t)i;
            dims[i] = is_new ? 1 : t->dims[from];
            at += is_new;
            from += !is_new;
        }
        return build_reshape(b, x, dims, t->rank + n);
    }
    attr entry = attr_of_ints(KEY_AXES, axes, n);
    return build_node(b, OP_EXPAND_DIMS, &x, 1, &entry, 1);
}

value_id build_squeeze(builder *b, value_id x, const int64_t *axes, uint32_t n)
{
    if (!usable(b, x) || n == 0)
        return x;
    const type *t = build_type(b, x);
    if (b->plain) {
        dim dims[TN_MAX_RANK];
        uint32_t rank = 0;
        for (uint32_t i = 0, at = 0; i < t->rank; i++) {
            bool goes = at < n && axes[at] == (int64_t)i;
            if (!goes)
                dims[rank++] = t->dims[i];
            at += goes;
        }
        return build_reshape(b, x, dims, rank);
    }
    attr entry = attr_of_ints(KEY_AXES, axes, n);
    return build_node(b, OP_SQUEEZE, &x, 1, &entry, 1);
}

value_id build_slice(builder *b, value_id x, const int64_t *starts, const int64_t *ends,
                     const int64_t *steps, uint32_t rank)
{
    attr entries[] = {attr_of_ints(KEY_STARTS, starts, rank), attr_of_ints(KEY_ENDS, ends, rank),
                      attr_of_ints(KEY_STEPS, steps, rank)};
    return build_node(b, OP_SLICE, &x, 1, entries, 3);
}

value_id build_pad(builder *b, value_id x, const int64_t *low, const int64_t *high, uint32_t rank)
{
    static const int64_t none[TN_MAX_RANK] = {0};
    bool anything = false;
    for (uint32_t i = 0; i < rank; i++)
        anything = anything || low[i] || high[i];
    if (!usable(b, x) || !anything)
        return x;
    scalar zero = {.kind = dtype_table[build_type(b, x)->dtype].kind};
    attr entries[] = {attr_of_ints(KEY_LOW, low, rank), attr_of_ints(KEY_HIGH, high, rank),
                      attr_of_ints(KEY_INTERIOR, none, rank), attr_of_scalar(KEY_PAD_VALUE, &zero)};
    return build_node(b, OP_PAD, &x, 1, entries, 4);
}

value_id build_reduce(builder *b, op_id op, value_id x, const int64_t *axes, uint32_t n,
                      bool keepdims)
{
    attr entries[] = {attr_of_ints(KEY_AXES, axes, n), attr_of_int(KEY_KEEPDIMS, keepdims)};
    return build_node(b, op, &x, 1, entries, 2);
}

static value_id constant_of(builder *b, literal l)
{
    attr entry = {.key = KEY_VALUE, .v.literal = &l};
    return build_node(b, OP_CONSTANT, NULL, 0, &entry, 1);
}

static bool has_symbol(const dim *dims, uint32_t rank)
{
    for (uint32_t i = 0; i < rank; i++)
        if (dim_is_symbolic(dims[i]))
            return true;
    return false;
}

value_id build_splat(builder *b, tn_dtype dtype, const dim *dims, uint32_t rank, scalar s)
{
    if (b->status != TN_OK)
        return NO_VALUE;
    if (rank && (b->plain || has_symbol(dims, rank))) /* a constant has extents that are numbers */
        return build_broadcast(b, build_scalar(b, dtype, s), dims, rank);
    module *m = b->f->module;
    literal l = {.type = type_of(&m->types, dtype, dims, rank), .bytes = dtype_bytes(dtype)};
    void *data = arena_alloc_aligned(&m->arena, l.bytes, 16);
    if (!l.type || !data)
        return no_memory(b);
    if (!scalar_store(s, dtype, data))
        return failed(b,
                      diag_report(&m->cx->diag, DIAG_InternalError, &m->source, b->at,
                                  "a complex number as a constant of type %s", dtype_name(dtype)));
    l.data = data;
    l.splat = l.type->count != 1;
    return constant_of(b, l);
}

value_id build_constant(builder *b, tn_dtype dtype, const dim *dims, uint32_t rank,
                        const void *data)
{
    if (b->status != TN_OK)
        return NO_VALUE;
    module *m = b->f->module;
    literal l = {.type = type_of(&m->types, dtype, dims, rank)};
    if (!l.type)
        return no_memory(b);
    if (!type_bytes(l.type, &l.bytes))
        return failed(b, diag_report(&m->cx->diag, DIAG_InvalidDimension, &m->source, b->at,
                                     "a constant needs a known, countable shape"));
    void *own = arena_alloc_aligned(&m->arena, l.bytes, 64);
    if (!own)
        return no_memory(b);
    if (l.bytes)
        memcpy(own, data, l.bytes);
    l.data = own;
    return constant_of(b, l);
}
