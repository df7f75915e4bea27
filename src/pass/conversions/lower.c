/* lower: composite ops written with primitives, round after round until none is left. */
#include "pass/conversions/lower.h"

#include "eval/eval.h"
#include "eval/parts/fold.h"
#include "ops/fold_ops.h"
#include "ops/node_facts.h"
#include "pass/expand/substitute.h"

/* The column `lower` of ops.def. */
#define OP(id, text, min_in, max_in, attrs, traits, infer, eval, grad, lower, class, help)         \
    lower_fn lower_##lower;
#include "graph/ops.def"

static lower_fn *const op_lowerings[OP_COUNT] = {
#define OP(id, text, min_in, max_in, attrs, traits, infer, eval, grad, lower, class, help)         \
    [OP_##id] = lower_##lower,
#include "graph/ops.def"
};

tn_status lower_none(lower_call *call)
{
    (void)call; /* stays as it is */
    return TN_OK;
}

/* ---- the cells of ops.def ---- */

tn_status lower_layer_norm(lower_call *call)
{
    if (is_static_call(&call->use))
        call->result = expand_layer_norm_in_steps(&call->use);
    return call->use.b->status;
}

tn_status lower_reduce_window(lower_call *call)
{
    if (!is_static_call(&call->use))
        return call->use.b->status;
    call->result = expand_window_of_number(&call->use);
    if (call->result == NO_VALUE)
        call->result = expand_reduce_window_as_sum(&call->use);
    if (call->result == NO_VALUE)
        call->result = expand_reduce_window_as_extreme(&call->use);
    return call->use.b->status;
}

/* Over no axes an element is reduced alone: only dtypes and the initial value change it. */
tn_status lower_reduce(lower_call *call)
{
    const expand_call *c = &call->use;
    const op_id op = (op_id)c->n->op;
    const type *x = operand_type_of(c, 0);
    const attr *init = attr_find(c->n->attrs, KEY_INIT);
    const tn_dtype sum =
        (tn_dtype)attr_int(c->n->attrs, KEY_ACCUM_DTYPE, (int64_t)accumulator_of(x->dtype));
    value_id v = build_cast(c->b, c->in[0], sum);
    if (init) {
        const op_id with = op == OP_SUM                          ? OP_ADD
                           : op == OP_REDUCE_PROD                ? OP_MUL
                           : op == OP_REDUCE_MAX && sum == TN_I1 ? OP_OR
                           : op == OP_REDUCE_MIN && sum == TN_I1 ? OP_AND
                                                                 : fold_pair(fold_of_reduction(op));
        v = build_binary(c->b, with, v, build_scalar(c->b, sum, *init->v.scalar));
    }
    call->result = build_cast(c->b, v, c->out->dtype);
    return c->b->status;
}

tn_status lower_slice_grad(lower_call *call)
{
    call->result = expand_slice_grad_as_pad(&call->use);
    return call->use.b->status;
}

tn_status lower_pad(lower_call *call) /* only where there are holes */
{
    if (is_static_call(&call->use))
        call->result = expand_pad_between(&call->use);
    return call->use.b->status;
}

tn_status lower_extract_patches(lower_call *call)
{
    if (is_static_call(&call->use))
        call->result = expand_patches_as_pool(&call->use);
    return call->use.b->status;
}

tn_status lower_convolution(lower_call *call) /* only where the input is dilated */
{
    call->result = expand_convolution(&call->use);
    return call->use.b->status;
}

/* Elements of X without their shape. */
static value_id flat(expand_call *c, value_id x)
{
    const int64_t count = build_type(c->b, x)->count;
    return build_reshape(c->b, x, &count, 1);
}

/* A position outside is one that no row of `take` has, which stops the run. */
tn_status lower_index(lower_call *call)
{
    expand_call *c = &call->use;
    call->result = expand_index_as_slice(c);
    if (call->result == NO_VALUE && c->b->status == TN_OK && operand_type_of(c, 0)->count > 0) {
        const value_id beyond = build_scalar(c->b, TN_SI64, scalar_of_int(-1));
        call->result = build_binary(c->b, OP_TAKE, flat(c, c->in[0]), beyond);
    }
    return c->b->status;
}

/* Constant positions with even steps (the frames of a signal), or a few runs of them (borders), are
 * a movement. */
tn_status lower_take(lower_call *call)
{
    expand_call *c = &call->use;
    call->result = expand_take_as_view(c);
    if (call->result == NO_VALUE && c->b->status == TN_OK)
        call->result = expand_take_as_runs(c);
    return c->b->status;
}

tn_status lower_quantize(lower_call *call) /* without a scale it is a cast */
{
    const expand_call *c = &call->use;
    if (c->n->n_in == 1)
        call->result = build_cast(c->b, c->in[0], c->out->dtype);
    return c->b->status;
}

tn_status lower_requantize(lower_call *call)
{
    const expand_call *c = &call->use;
    if (c->n->n_in == 1)
        return lower_quantize(call);
    const attr *axis = attr_find(c->n->attrs, KEY_AXIS);
    const uint32_t half = c->n->n_in / 2; /* operands of each of the two */
    const tn_dtype form = operand_type_of(c, 1)->dtype == TN_F64 ? TN_F64 : TN_F32;
    attr up[2] = {attr_of_int(KEY_DTYPE, form)};
    attr down[2] = {attr_of_int(KEY_DTYPE, (int64_t)c->out->dtype)};
    if (axis)
        up[1] = down[1] = *axis;
    value_id in[3] = {c->in[0], c->in[1], half == 2 ? c->in[2] : NO_VALUE};
    in[0] = build_node(c->b, OP_DEQUANTIZE, in, 1 + half, up, axis ? 2 : 1);
    in[1] = c->in[1 + half];
    in[2] = half == 2 ? c->in[4] : NO_VALUE;
    call->result = build_node(c->b, OP_QUANTIZE, in, 1 + half, down, axis ? 2 : 1);
    return c->b->status;
}

/* ---- results that no element of an operand reaches ---- */

static bool is_empty(const type *t)
{
    return type_is_static(t) && t->count == 0;
}

static bool has_empty_operand(const function *f, const node *n)
{
    uint32_t k = 0;
    while (k < n->n_in && !is_empty(value_type(f, n->in[k])))
        k++;
    return k < n->n_in;
}

/* Does N make elements of empty operands? Ops that stop the run do not. */
static bool makes_of_nothing(const function *f, const node *n)
{
    const uint32_t traits = op_table[n->op].traits;
    switch ((int)n->op) {
    case OP_PAD:
    case OP_SLICE_GRAD:
    case OP_SCATTER_ROWS:
    case OP_SCATTER_ADD:
    case OP_SCATTER_REDUCE:
    case OP_SEGMENT_REDUCE:
    case OP_DYNAMIC_SLICE:
    case OP_DYNAMIC_UPDATE_SLICE:
        break;
    default:
        if (!(traits & (T_REDUCES | T_CONTRACTS)))
            return false;
    }
    const type *t = value_type(f, n->first_value);
    return type_is_static(t) && t->count > 0 && has_empty_operand(f, n);
}

/* What the evaluator makes of N, whose operands are all empty. */
static value_id evaluated(expand_call *c)
{
    enum { MOST = 1 << 20 };
    tensor in[3], out = {0};
    if (c->n->n_in > 3 || c->out->count > MOST)
        return NO_VALUE;
    for (uint32_t k = 0; k < c->n->n_in; k++) {
        in[k] = (tensor){operand_type_of(c, k), c->memory}; /* no element of it is read */
        if (!is_empty(in[k].type))
            return NO_VALUE;
    }
    return evaluate_node_quietly(c->f, c->n, in, 1, &out, c->memory)
               ? build_constant(c->b, c->out->dtype, c->out->dims, c->out->rank, out.data)
               : NO_VALUE;
}

static value_id made_of_nothing(expand_call *c)
{
    switch ((int)c->n->op) {
    case OP_PAD:
        return build_splat(c->b, c->out->dtype, c->out->dims, c->out->rank,
                           *attr_find(c->n->attrs, KEY_PAD_VALUE)->v.scalar);
    case OP_SCATTER_ADD:
    case OP_SCATTER_REDUCE:
        return is_empty(operand_type_of(c, 2)) ? c->in[0] : NO_VALUE;
    case OP_DYNAMIC_SLICE: /* of rank 0, where no position is needed */
        return c->in[0];
    case OP_DYNAMIC_UPDATE_SLICE:
        return is_empty(operand_type_of(c, 1)) ? c->in[0] : c->in[1];
    default:
        return op_table[c->n->op].traits & T_CONTRACTS ? expand_filled(c, c->out, 0) : evaluated(c);
    }
}

/* None of the elements of X, as the node's dtype. */
static value_id nothing_of(expand_call *c, value_id x)
{
    const int64_t none = 0, one = 1;
    value_id v = flat(c, x);
    if (build_type(c->b, v)->count > 0)
        v = build_slice(c->b, v, &none, &none, &one, 1);
    return build_cast(c->b, v, c->out->dtype);
}

/* X, which stands for the node and has no element of its operands. What these are made of may stop
 * the run, and does so still where no element of it is joined to X. */
static value_id joined_to_operands(expand_call *c, value_id x)
{
    enum { MOST = 3 };
    const failing *stops = c->user;
    value_id parts[1 + MOST];
    uint32_t n = 1;
    for (uint32_t k = 0; x != NO_VALUE && k < c->n->n_in && n <= MOST; k++)
        if (c->in[k] != x && stops->of[c->in[k]] &&
            dtype_can_cast(operand_type_of(c, k)->dtype, c->out->dtype))
            parts[n++] = nothing_of(c, c->in[k]);
    if (n == 1)
        return x;
    attr along = attr_of_int(KEY_AXIS, 0);
    parts[0] = flat(c, x);
    return expand_to_result(c, build_node(c->b, OP_CONCAT, parts, n, &along, 1));
}

/* ---- all of them ---- */

/* Has the input of a convolution holes? */
static bool is_dilated(const attrs *given)
{
    uint32_t n;
    const int64_t *base = attr_ints(given, KEY_BASE_DILATION, &n);
    while (n > 0 && base[n - 1] == 1)
        n--;
    return n > 0;
}

static bool has_holes(const attrs *given)
{
    uint32_t n;
    const int64_t *interior = attr_ints(given, KEY_INTERIOR, &n);
    while (n > 0 && interior[n - 1] == 0)
        n--;
    return n > 0;
}

/* An empty list of axes; an absent one means all. */
static bool has_no_axes(const attrs *given)
{
    uint32_t n;
    (void)attr_ints(given, KEY_AXES, &n);
    return attr_find(given, KEY_AXES) && n == 0;
}

/* Are the positions of N constants, perhaps repeated? */
static bool looks_up_constants(const function *f, const node *n)
{
    const node *at = node_of(f, n->in[1]);
    while (at->op == OP_BROADCAST || at->op == OP_RESHAPE)
        at = node_of(f, at->in[0]);
    return at->op == OP_CONSTANT;
}

static bool is_composite(const function *f, const node *n)
{
    switch ((int)n->op) {
    case OP_PAD:
        return has_holes(n->attrs) || makes_of_nothing(f, n);
    case OP_TAKE:
    case OP_GATHER:
        return looks_up_constants(f, n) || makes_of_nothing(f, n);
    case OP_CONVOLUTION:
        return is_dilated(n->attrs) || makes_of_nothing(f, n);
    case OP_QUANTIZE:
    case OP_DEQUANTIZE:
        return n->n_in == 1;
    case OP_SUM:
    case OP_MEAN:
    case OP_REDUCE_MAX:
    case OP_REDUCE_MAX_NAN:
    case OP_REDUCE_MIN:
    case OP_REDUCE_MIN_NAN:
    case OP_REDUCE_PROD:
        return value_type(f, n->in[0])->rank == 0 || has_no_axes(n->attrs) ||
               makes_of_nothing(f, n);
    default:
        return op_lowerings[n->op] != lower_none || makes_of_nothing(f, n);
    }
}

static tn_status lower_node(expand_call *c, value_id *result)
{
    lower_call call = {.use = *c, .result = NO_VALUE};
    if (!is_composite(c->f, c->n))
        return TN_OK;
    if (makes_of_nothing(c->f, c->n))
        call.result = joined_to_operands(&call.use, made_of_nothing(&call.use));
    else
        TN_TRY(op_lowerings[c->n->op](&call));
    *result = call.result;
    return TN_OK;
}

static tn_status lower_once(function *f, uint32_t *changed)
{
    arena memory;
    arena_init(&memory, f->module->allocator);
    failing stops;
    const bool ok = failing_init(&stops, f, &memory);
    for (uint32_t i = 0; ok && i < f->nodes.n; i++)
        failing_add(&stops, f, &f->nodes.at[i]);
    const tn_status s =
        ok ? function_substitute(f, lower_node, &stops, changed) : module_no_memory(f->module);
    arena_release(&memory);
    return s;
}

/* A round may make composite ops, but simpler ones each time. */
static tn_status lower_function(function *f)
{
    enum { MOST_ROUNDS = 8 };
    uint32_t changed = 1;
    f->declared.n = 0;
    for (int round = 0; changed && round < MOST_ROUNDS; round++) {
        changed = 0;
        TN_TRY(lower_once(f, &changed));
    }
    return TN_OK;
}

bool module_has_composites(const module *m)
{
    for (uint32_t i = 0; i < m->functions.n; i++) {
        const function *f = m->functions.at[i];
        for (uint32_t k = 0; k < f->nodes.n; k++)
            if (is_composite(f, &f->nodes.at[k]))
                return true;
    }
    return false;
}

tn_status module_lower(module *m)
{
    m->gradients.n = 0; /* remarks about values that may go */
    for (uint32_t i = 0; i < m->functions.n; i++)
        TN_TRY(lower_function(m->functions.at[i]));
    return TN_OK;
}
