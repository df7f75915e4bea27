/* fold-pure: evaluate ops whose operands are constants. fold-parameters does so without a bound.
 *
 * needs   verified types
 * keeps   types, order, the bits of every result
 * breaks  use counts: operands may become dead; dce removes them
 *
 * What depends on parameters alone is folded once these are constants (tn_module_set_constant,
 * `tenon opt --constant`), which is what fold-parameters is for.
 *
 * Not folded: what may give another result another time (generators, custom calls), also inside of
 * regions; what would fail; and, by fold-pure, control flow, and results of more than FOLD_ELEMENTS
 * elements that are larger than the operands together, that take more than FOLD_WORK elements to
 * compute, that are part of an operand, which can be read where it is, or that are weights decoded
 * for products of so few rows that the kernels had better read them as they are stored, or bytes
 * that are widened to 16 bits for a product. A constant that only changes its shape keeps its
 * bytes, and what stores such weights in another order, padded, or with another sign is folded
 * however large it is, since it would be done in each run. By fold-parameters only what exceeds the
 * limit on literal bytes, or runs regions more than FOLD_ITERATIONS times. Where sizes were bound,
 * nothing is folded that is larger than its operands: the program would have other nodes with other
 * sizes. What does not depend on them is folded before.
 */
#include "base/memory/checked.h"
#include "eval/eval.h"
#include "graph/derived.h"
#include "graph/literal.h"
#include "ops/convolution.h"
#include "ops/dot_axes.h"
#include "pass/passes.h"

enum {
    FOLD_ELEMENTS = 4096,
    FOLD_WORK = 1 << 22,
    FOLD_OPERANDS = 64,
    FOLD_ITERATIONS = 1 << 16,
    FOLD_USES = 16, /* of each weight: see plan/prologues.c */
    FOLD_STEPS = 24 /* from stored weights to their product */
};

typedef enum purity { UNKNOWN, ASKED, PURE, IMPURE } purity;

/* How often a value is taken, and the sum of the numbers of the nodes that do so. */
typedef struct value_uses {
    uint32_t count, users;
} value_uses;

typedef struct folding {
    pass_context *cx;
    function *f;
    bool bounded;
    purity *regions;  /* of the module's functions */
    value_uses *uses; /* by value */
    uint32_t n_counted;
    /* Replace nodes with several results by several constants. */
    value_id *replacement;      /* by value; NULL: none was folded yet */
    uint32_t *constants;        /* by node: the first of them, or 0 */
    uint32_t n_nodes, n_values; /* before there were any */
} folding;

static bool is_stable(folding *w, const node *n, uint32_t depth);

/* Does function INDEX give equal results for equal operands? */
static bool is_pure(folding *w, uint32_t index, uint32_t depth)
{
    const function *f = w->f->module->functions.at[index];
    purity *known = &w->regions[index];
    if (*known != UNKNOWN || depth > w->f->module->cx->limits.nesting)
        return *known == PURE;
    *known = ASKED;
    bool pure = true;
    for (uint32_t i = 0; pure && i < f->nodes.n; i++)
        pure = is_stable(w, &f->nodes.at[i], depth + 1);
    *known = pure ? PURE : IMPURE;
    return pure;
}

static bool is_stable(folding *w, const node *n, uint32_t depth)
{
    const uint32_t traits = op_table[n->op].traits;
    bool pure = !(traits & T_UNSTABLE);
    for (uint32_t i = 0; pure && traits & T_REGIONS && i < n->attrs->n; i++)
        if (attr_keys[n->attrs->at[i].key].kind == ATTR_FUNCTION)
            pure = is_pure(w, (uint32_t)n->attrs->at[i].v.i, depth);
    return pure;
}

/* Is N an op on constants that gives the same result every time? *SIZE: elements of its operands.
 */
static bool is_constant_op(folding *w, const node *n, int64_t *size)
{
    *size = 0;
    if (n->n_in == 0 || n->n_in > FOLD_OPERANDS || n->n_results == 0 ||
        n->n_results > FOLD_OPERANDS || (w->bounded && op_table[n->op].traits & T_REGIONS))
        return false;
    for (uint32_t i = 0; i < n->n_in; i++) {
        const literal *l = literal_of(node_of(w->f, n->in[i]));
        if (!l || l->type->count < 0 || !add_i64(*size, l->type->count, size))
            return false;
    }
    return is_stable(w, n, 0);
}

/* Elements of the operand in their order? */
static bool is_part(const node *n)
{
    return n->op == OP_SLICE || n->op == OP_RESHAPE || n->op == OP_EXPAND_DIMS ||
           n->op == OP_SQUEEZE;
}

static bool is_small_result(const folding *w, const node *n, const type *t, int64_t operands)
{
    int64_t work = 0;
    if (t->count <= 0)
        return false;
    if (!w->bounded) {
        size_t bytes;
        return type_bytes(t, &bytes) && bytes <= w->f->module->cx->limits.literal_bytes;
    }
    bool fits = op_table[n->op].traits & T_CONTRACTS ? mul_i64(t->count, operands, &work)
                                                     : add_i64(t->count, operands, &work);
    /* What is larger than its operands because of a size would not be folded with another one. */
    const bool is_small = t->count <= FOLD_ELEMENTS && !w->f->module->had_symbols;
    return fits && work <= FOLD_WORK && (is_small || (t->count <= operands && !is_part(n)));
}

/* ---- weights that are decoded ---- */

/* The only node that takes V, or NULL. */
static const node *only_user(const folding *w, value_id v)
{
    const bool is_one = v < w->n_counted && w->uses[v].count == 1;
    return is_one ? &w->f->nodes.at[w->uses[v].users] : NULL;
}

/* Does the product N meet each element of its operand V at most FOLD_USES times? */
static bool has_few_rows(const function *f, const node *n, value_id v)
{
    const type *left = value_type(f, n->in[0]);
    int64_t each = 1, all;
    if (n->op == OP_DOT_GENERAL) {
        const dot_axes axes = dot_axes_of(n->attrs, true, left->rank);
        for (uint32_t i = 0; i < axes.n_contract; i++)
            each *= left->dims[axes.contract[i]];
    } else if (n->op == OP_DOT || n->op == OP_MATMUL) {
        each = left->dims[left->rank - 1];
    } else {
        return false;
    }
    return mul_i64(each, value_type(f, n->first_value)->count, &all) &&
           all / FOLD_USES <= value_type(f, v)->count;
}

/* Is the result of N larger than what it is made of, and wanted by a product of few rows alone? */
static bool is_decoded_later(const folding *w, const node *n)
{
    value_id v = n->first_value;
    size_t bytes, operands = 0;
    if (!w->bounded || n->n_results != 1 || value_type(w->f, v)->count <= FOLD_ELEMENTS ||
        !type_bytes(value_type(w->f, v), &bytes))
        return false;
    for (uint32_t i = 0; i < n->n_in; i++) {
        const literal *l = literal_of(node_of(w->f, n->in[i]));
        operands += l->splat ? 0 : l->bytes;
    }
    for (uint32_t i = 0; operands > 0 && bytes > operands && i < FOLD_STEPS; i++) {
        const node *user = only_user(w, v);
        if (!user || !type_is_static(value_type(w->f, user->first_value)))
            return false;
        if (op_table[user->op].traits & T_CONTRACTS)
            return has_few_rows(w->f, user, v);
        if (!(op_table[user->op].traits & (T_ELEMENTWISE | T_MOVES)))
            return false;
        v = user->first_value;
    }
    return false;
}

/* Does N store numbers anew that a product wants decoded, and larger then: in another order, with a
 * padding for whole strips, or as bytes with a sign (see transpose_weights.c)? */
static bool is_stored_anew(const folding *w, const node *n)
{
    value_id v = n->first_value;
    size_t bytes, decoded;
    const bool is_moved = n->op == OP_TRANSPOSE || n->op == OP_PAD;
    if (!w->bounded || !(is_moved || n->op == OP_XOR || n->op == OP_BITCAST) ||
        literal_of(node_of(w->f, n->in[0]))->splat || !type_bytes(value_type(w->f, v), &bytes) ||
        bytes > w->f->module->cx->limits.literal_bytes)
        return false;
    for (uint32_t i = 0; i < FOLD_STEPS; i++) {
        const node *user = only_user(w, v);
        if (!user)
            return false;
        if (op_table[user->op].traits & T_CONTRACTS)
            return type_bytes(value_type(w->f, v), &decoded) && decoded > bytes;
        if (!(op_table[user->op].traits & (T_ELEMENTWISE | T_MOVES)))
            return false;
        v = user->first_value;
    }
    return false;
}

/* Does N widen bytes to 16 bits for a product, which reads them as they are stored? */
static bool is_widened_later(const folding *w, const node *n)
{
    if (!w->bounded || n->op != OP_CAST || value_type(w->f, n->first_value)->dtype != TN_SI16)
        return false;
    const tn_dtype from = value_type(w->f, n->in[0])->dtype;
    const node *user = only_user(w, n->first_value);
    if ((from != TN_SI8 && from != TN_UI8) || !user)
        return false;
    return user->op == OP_CONVOLUTION
               ? convolution_has_words(user->attrs, value_type(w->f, user->in[1]))
               : user->op == OP_DOT_GENERAL;
}

static bool is_small(const folding *w, const node *n, int64_t operands)
{
    for (uint32_t r = 0; r < n->n_results; r++)
        if (!is_small_result(w, n, value_type(w->f, n->first_value + r), operands))
            return false;
    return true;
}

/* The data of a literal, written out in full. NULL: no memory. */
static void *dense(folding *w, const literal *l)
{
    size_t bytes, size = dtype_bytes(l->type->dtype);
    if (!l->splat)
        return (void *)(uintptr_t)l->data;
    if (!type_bytes(l->type, &bytes) || bytes > w->f->module->cx->limits.literal_bytes)
        return NULL;
    char *all = arena_alloc_aligned(&w->cx->scratch, bytes, 16);
    for (int64_t i = 0; all && i < l->type->count; i++)
        memcpy(all + (size_t)i * size, l->data, size);
    return all;
}

static bool compute(folding *w, const node *n, tensor *out)
{
    tensor in[FOLD_OPERANDS];
    for (uint32_t i = 0; i < n->n_in; i++) {
        const literal *l = literal_of(node_of(w->f, n->in[i]));
        in[i] = (tensor){l->type, dense(w, l)};
        if (!in[i].data)
            return false;
    }
    return evaluate_node_in_time(w->f, n, in, FOLD_ITERATIONS, out, &w->cx->scratch);
}

/* The attributes of a constant L, which has all its elements. */
static tn_status attrs_of_literal(folding *w, literal *l, const attrs **out)
{
    module *m = w->f->module;
    if (l->type->count > 1 && literal_is_uniform(l)) {
        l->splat = true;
        l->bytes = dtype_bytes(l->type->dtype);
    }
    attr entry = {.key = KEY_VALUE, .v.literal = l};
    *out = attrs_of(&m->attrs, &entry, 1);
    return *out ? TN_OK : module_no_memory(m);
}

/* The attributes of a constant with the given data, which is copied. */
static tn_status constant_attrs(folding *w, const tensor *value, const attrs **out)
{
    module *m = w->f->module;
    literal l = {.type = value->type};
    (void)type_bytes(l.type, &l.bytes); /* it was computed, so they can be counted */
    void *data = arena_alloc_aligned(&m->arena, l.bytes, 64);
    if (!data)
        return module_no_memory(m);
    memcpy(data, value->data, l.bytes);
    l.data = data;
    return attrs_of_literal(w, &l, out);
}

static tn_status remember(folding *w)
{
    if (w->replacement)
        return TN_OK;
    module *m = w->f->module;
    w->n_nodes = w->f->nodes.n;
    w->n_values = w->f->values.n;
    w->constants = ARENA_ARRAY(&m->arena, uint32_t, w->n_nodes);
    value_id *replacement = ARENA_ARRAY(&m->arena, value_id, w->n_values);
    if (!w->constants || !replacement)
        return module_no_memory(m);
    for (value_id v = 0; v < w->n_values; v++)
        replacement[v] = v;
    w->replacement = replacement;
    return TN_OK;
}

/* Constants at the end of the function for the results of node I; finish puts them in its place. */
static tn_status replace_all(folding *w, uint32_t i, const tensor *results)
{
    const node n = w->f->nodes.at[i]; /* nodes move as others are added */
    TN_TRY(remember(w));
    w->constants[i] = w->f->nodes.n;
    for (uint32_t r = 0; r < n.n_results; r++) {
        node_desc d = {.op = OP_CONSTANT, .at = n.at, .number = n.first_value, .place = n.place};
        TN_TRY(constant_attrs(w, &results[r], &d.attrs));
        TN_TRY(
            function_add_typed(w->f, &d, &results[r].type, 1, &w->replacement[n.first_value + r]));
    }
    w->cx->n_changed++;
    return TN_OK;
}

static tn_status replace(folding *w, uint32_t i, const tensor *results)
{
    node *n = &w->f->nodes.at[i];
    const attrs *a = NULL;
    if (n->n_results > 1)
        return replace_all(w, i, results);
    TN_TRY(constant_attrs(w, results, &a));
    node_rewrite(n, OP_CONSTANT, n->in, 0, a);
    w->cx->n_changed++;
    return TN_OK;
}

/* ---- what other copies of the module share ---- */

/* Is it worth while to keep the result of N, an op on constants? KEY says what makes it. */
static bool is_derived(const folding *w, const node *n, derived_key *key)
{
    bool is_large = false;
    for (uint32_t i = 0; i < n->n_in; i++)
        is_large = is_large || literal_of(node_of(w->f, n->in[i]))->shared;
    if (!w->f->module->derived || !is_large || n->n_results != 1)
        return false;
    derived_key_bytes(key, "fold", 4);
    derived_key_number(key, n->op);
    derived_key_attrs(key, n->attrs);
    derived_key_type(key, value_type(w->f, n->first_value));
    for (uint32_t i = 0; i < n->n_in; i++)
        derived_key_literal(key, literal_of(node_of(w->f, n->in[i])));
    return true;
}

/* The result of N, made now and kept for KEY. False where it cannot be computed. */
static bool derive(folding *w, const node *n, const derived_key *key, derived *made)
{
    tensor value;
    size_t bytes;
    void *data;
    if (!compute(w, n, &value) || !type_bytes(value.type, &bytes) ||
        !(made->held = payload_new(&w->f->module->cx->allocator, bytes, &data)))
        return false;
    memcpy(data, value.data, bytes);
    made->data = data;
    derived_add(w->f->module->derived, key, made);
    return true;
}

/* N becomes the constant that another copy of the module made of it, or this one now. */
static tn_status replace_derived(folding *w, node *n, const derived_key *key)
{
    module *m = w->f->module;
    derived made;
    derived_lock(m->derived);
    const bool is_there = derived_find(m->derived, key, &made) || derive(w, n, key, &made);
    derived_unlock(m->derived);
    if (!is_there)
        return TN_OK;
    literal l = {.type = value_type(w->f, n->first_value), .data = made.data, .shared = made.held};
    (void)type_bytes(l.type, &l.bytes);
    const attrs *a = NULL;
    const bool is_held = module_hold(m, made.held);
    payload_drop(made.held); /* M holds it */
    if (!is_held)
        return module_no_memory(m);
    TN_TRY(attrs_of_literal(w, &l, &a));
    node_rewrite(n, OP_CONSTANT, n->in, 0, a);
    w->cx->n_changed++;
    return TN_OK;
}

/* ---- one node ---- */

/* Is N a large constant in another shape, which nothing else reads? */
static bool is_whole(const folding *w, const node *n)
{
    const type *t = value_type(w->f, n->first_value);
    return w->bounded && n->op != OP_SLICE && is_part(n) && type_is_static(t) &&
           t->count > FOLD_ELEMENTS && !literal_of(node_of(w->f, n->in[0]))->splat &&
           only_user(w, n->in[0]) == n;
}

/* Its bytes stay where they are. */
static tn_status reshape_literal(folding *w, node *n)
{
    module *m = w->f->module;
    literal l = *literal_of(node_of(w->f, n->in[0]));
    l.type = value_type(w->f, n->first_value);
    attr entry = {.key = KEY_VALUE, .v.literal = &l};
    const attrs *a = attrs_of(&m->attrs, &entry, 1);
    if (!a)
        return module_no_memory(m);
    node_rewrite(n, OP_CONSTANT, n->in, 0, a);
    w->cx->n_changed++;
    return TN_OK;
}

static value_id now(const folding *w, value_id v)
{
    return v < w->n_values ? w->replacement[v] : v;
}

static tn_status fold_node(folding *w, uint32_t i)
{
    node *n = &w->f->nodes.at[i];
    tensor out[FOLD_OPERANDS] = {0};
    int64_t operands;
    value_id *in = (value_id *)(uintptr_t)n->in; /* its own, in the arena of the module */
    for (uint32_t k = 0; w->replacement && k < n->n_in; k++)
        in[k] = now(w, in[k]);
    if (!is_constant_op(w, n, &operands))
        return TN_OK;
    if (is_whole(w, n))
        return reshape_literal(w, n);
    if (!is_stored_anew(w, n) &&
        (!is_small(w, n, operands) || is_decoded_later(w, n) || is_widened_later(w, n)))
        return TN_OK;
    derived_key key;
    derived_key_init(&key, w->f->module->allocator);
    const tn_status s = is_derived(w, n, &key) ? replace_derived(w, n, &key)
                        : compute(w, n, out)   ? replace(w, i, out)
                                               : TN_OK;
    derived_key_release(&key);
    arena_reset(&w->cx->scratch);
    return s == TN_OK && context_is_stopped(w->f->module->cx) ? module_no_memory(w->f->module) : s;
}

/* Constants stand where the nodes stood that they replace. */
static tn_status finish(folding *w)
{
    function *f = w->f;
    module *m = f->module;
    uint32_t *order = ARENA_ARRAY(&m->arena, uint32_t, f->nodes.n), n = 0;
    if (!order)
        return module_no_memory(m);
    for (uint32_t i = 0; i < w->n_nodes; i++) {
        if (!w->constants[i])
            order[n++] = i;
        for (uint32_t r = 0; w->constants[i] && r < f->nodes.at[i].n_results; r++)
            order[n++] = w->constants[i] + r;
    }
    for (uint32_t i = 0; i < f->outputs.n; i++)
        f->outputs.at[i] = now(w, f->outputs.at[i]);
    for (uint32_t i = 0; f == module_entry(m) && i < m->gradients.n; i++)
        m->gradients.at[i] = now(w, m->gradients.at[i]);
    return function_reorder(f, order, n);
}

/* Returns false when there is no memory. An output is never one node's alone. */
static bool count_uses(folding *w, arena *memory)
{
    const function *f = w->f;
    w->n_counted = f->values.n;
    w->uses = ARENA_ARRAY(memory, value_uses, w->n_counted);
    for (uint32_t i = 0; w->uses && i < f->nodes.n; i++)
        for (uint32_t k = 0; k < f->nodes.at[i].n_in; k++) {
            value_uses *x = &w->uses[f->nodes.at[i].in[k]];
            x->count++;
            x->users += i;
        }
    for (uint32_t i = 0; w->uses && i < f->outputs.n; i++)
        w->uses[f->outputs.at[i]].count += 2;
    return w->uses != NULL;
}

/* Node I, which became a constant, takes its N operands no more. */
static void forget_uses(const folding *w, uint32_t i, uint32_t n)
{
    const node *folded = &w->f->nodes.at[i];
    for (uint32_t k = 0; k < n; k++) {
        if (folded->in[k] >= w->n_counted)
            continue;
        w->uses[folded->in[k]].count--;
        w->uses[folded->in[k]].users -= i;
    }
}

static tn_status fold_function(folding *w, arena *memory)
{
    const uint32_t n = w->f->nodes.n;
    if (!count_uses(w, memory))
        return module_no_memory(w->f->module);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t n_in = w->f->nodes.at[i].n_in;
        TN_TRY(fold_node(w, i));
        if (w->f->nodes.at[i].n_in == 0)
            forget_uses(w, i, n_in);
    }
    return w->replacement ? finish(w) : TN_OK;
}

static tn_status fold_all(pass_context *cx, module *m, bool bounded)
{
    purity *regions = ARENA_ARRAY(&m->arena, purity, m->functions.n);
    if (!regions)
        return module_no_memory(m);
    arena memory;
    tn_status s = TN_OK;
    arena_init(&memory, m->allocator);
    for (uint32_t i = 0; s == TN_OK && i < m->functions.n; i++) {
        folding w = {.cx = cx, .f = m->functions.at[i], .bounded = bounded, .regions = regions};
        s = fold_function(&w, &memory);
        arena_reset(&memory);
    }
    arena_release(&memory);
    return s;
}

tn_status pass_fold_pure(pass_context *cx, module *m)
{
    return fold_all(cx, m, true);
}

tn_status pass_fold_parameters(pass_context *cx, module *m)
{
    return fold_all(cx, m, false);
}
