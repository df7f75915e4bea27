/* normalize: give attributes one spelling.
 *
 * needs   verified types
 * keeps   types, order, the bits of every result
 * breaks  nothing
 * source  MIND Core IR reference forms: negative axes of reductions, the inferred extent of a
 *         reshape, bounds of slices, repeated axes of expand_dims, uniform constants
 */
#include "graph/literal.h"
#include "ops/shape.h"
#include "pass/passes.h"

typedef struct normal_call {
    pass_context *cx;
    function *f;
    node *n;
} normal_call;

/* Exchange the entry for KEY by REPLACEMENT. */
static tn_status replace_attr(normal_call *c, attr replacement)
{
    module *m = c->f->module;
    uint32_t n = c->n->attrs->n;
    attr *entries = ARENA_ARRAY(&c->cx->scratch, attr, n);
    if (!entries)
        return module_no_memory(m);
    for (uint32_t i = 0; i < n; i++)
        entries[i] = c->n->attrs->at[i].key == replacement.key ? replacement : c->n->attrs->at[i];
    const attrs *fresh = attrs_of(&m->attrs, entries, n);
    if (!fresh)
        return module_no_memory(m);
    if (fresh != c->n->attrs)
        c->cx->n_changed++;
    c->n->attrs = fresh;
    return TN_OK;
}

static tn_status set_ints(normal_call *c, attr_key key, const int64_t *ints, uint32_t n)
{
    uint32_t n_now;
    const int64_t *now = attr_ints(c->n->attrs, key, &n_now);
    if (n == n_now && (n == 0 || memcmp(now, ints, n * sizeof *ints) == 0))
        return TN_OK;
    return replace_attr(c, (attr){.key = (uint8_t)key, .n = n, .v.ints = ints});
}

static tn_status set_axes(normal_call *c, const axis_list *axes)
{
    int64_t list[TN_MAX_RANK];
    for (uint32_t i = 0; i < axes->n; i++)
        list[i] = axes->at[i];
    return set_ints(c, KEY_AXES, list, axes->n);
}

static const type *operand_type(const normal_call *c)
{
    return value_type(c->f, c->n->in[0]);
}

/* The rule has accepted these attributes, so resolving cannot fail; if it does, leave them. */
static tn_status normal_axes(normal_call *c)
{
    uint32_t n;
    const int64_t *axes = attr_ints(c->n->attrs, KEY_AXES, &n);
    axis_list list;
    bool ok = resolve_axes(axes, n, operand_type(c)->rank, &list).kind == SHAPE_OK;
    return ok ? set_axes(c, &list) : TN_OK;
}

static tn_status normal_expand_dims(normal_call *c)
{
    uint32_t n;
    const int64_t *axes = attr_ints(c->n->attrs, KEY_AXES, &n);
    axis_list list;
    bool ok = resolve_expand_dims(axes, n, operand_type(c)->rank, &list).kind == SHAPE_OK;
    return ok ? set_axes(c, &list) : TN_OK;
}

/* A shape attribute says what the result type says. */
static tn_status normal_shape(normal_call *c)
{
    const type *t = value_type(c->f, c->n->first_value);
    return set_ints(c, KEY_SHAPE, t->dims, t->rank);
}

static tn_status normal_slice(normal_call *c)
{
    const type *in = operand_type(c);
    uint32_t n;
    const int64_t *starts = attr_ints(c->n->attrs, KEY_STARTS, &n);
    const int64_t *ends = attr_ints(c->n->attrs, KEY_ENDS, &n);
    const int64_t *steps = attr_ints(c->n->attrs, KEY_STEPS, &n);
    int64_t new_starts[TN_MAX_RANK], new_ends[TN_MAX_RANK];
    for (uint32_t i = 0; i < n; i++) {
        if (dim_is_symbolic(in->dims[i]))
            return TN_OK;
        slice_bounds(starts[i], ends[i], steps[i], in->dims[i], &new_starts[i], &new_ends[i]);
    }
    TN_TRY(set_ints(c, KEY_STARTS, new_starts, n));
    return set_ints(c, KEY_ENDS, new_ends, n);
}

/* One element stands for all when all are equal. */
static tn_status normal_constant(normal_call *c)
{
    const literal *l = literal_of(c->n);
    if (l->splat || l->type->count < 2 || !literal_is_uniform(l))
        return TN_OK;
    literal one = *l;
    one.splat = true;
    one.shared = NULL; /* one element is copied with the module */
    one.bytes = dtype_bytes(l->type->dtype);
    return replace_attr(c, (attr){.key = KEY_VALUE, .v.literal = &one});
}

static tn_status normalize_node(normal_call *c)
{
    switch (c->n->op) {
    case OP_CONSTANT:
        return normal_constant(c);
    case OP_SUM:
    case OP_MEAN:
    case OP_REDUCE_MAX:
    case OP_REDUCE_MAX_NAN:
    case OP_REDUCE_MIN:
    case OP_REDUCE_MIN_NAN:
    case OP_REDUCE_PROD:
    case OP_SQUEEZE:
        return normal_axes(c);
    case OP_EXPAND_DIMS:
        return normal_expand_dims(c);
    case OP_RESHAPE:
        return normal_shape(c);
    case OP_SLICE:
        return normal_slice(c);
    default:
        return TN_OK;
    }
}

tn_status pass_normalize(pass_context *cx, module *m)
{
    for (uint32_t i = 0; i < m->functions.n; i++) {
        function *f = m->functions.at[i];
        for (uint32_t k = 0; k < f->nodes.n; k++) {
            normal_call call = {cx, f, &f->nodes.at[k]};
            if (call.n->attrs != &attrs_none)
                TN_TRY(normalize_node(&call));
        }
    }
    return TN_OK;
}
