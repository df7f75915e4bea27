/* Appending nodes to a function, with sticky failure. */
#include "graph/build.h"

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

value_id build_node(builder *b, op_id op, const value_id *in, uint32_t n_in, attr *entries,
                    uint32_t n_entries)
{
    if (b->status != TN_OK)
        return NO_VALUE;
    for (uint32_t i = 0; i < n_in; i++)
        if (in[i] == NO_VALUE)
            return NO_VALUE;
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
                      .number = b->f->values.n};
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

value_id build_reshape(builder *b, value_id x, const dim *dims, uint32_t rank)
{
    if (!usable(b, x) || has_dims(b, x, dims, rank))
        return x;
    attr entry = attr_of_ints(KEY_SHAPE, dims, rank);
    return build_node(b, OP_RESHAPE, &x, 1, &entry, 1);
}

value_id build_transpose(builder *b, value_id x, const int64_t *perm, uint32_t rank)
{
    bool identity = true;
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
    attr entry = attr_of_ints(KEY_AXES, axes, n);
    return build_node(b, OP_EXPAND_DIMS, &x, 1, &entry, 1);
}

value_id build_squeeze(builder *b, value_id x, const int64_t *axes, uint32_t n)
{
    if (!usable(b, x) || n == 0)
        return x;
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

value_id build_splat(builder *b, tn_dtype dtype, const dim *dims, uint32_t rank, scalar s)
{
    if (b->status != TN_OK)
        return NO_VALUE;
    module *m = b->f->module;
    literal l = {.type = type_of(&m->types, dtype, dims, rank), .bytes = dtype_bytes(dtype)};
    void *data = arena_alloc_aligned(&m->arena, l.bytes, 16);
    if (!l.type || !data)
        return no_memory(b);
    if (!scalar_store(s, dtype, data))
        return failed(b, diag_report(&m->cx->diag, DIAG_InternalError, &m->source, b->at,
                                     "a complex number as a constant of type %s",
                                     dtype_name(dtype)));
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
