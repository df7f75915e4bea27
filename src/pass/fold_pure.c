/* fold-pure: evaluate ops whose operands are constants. fold-parameters does so without a bound.
 *
 * needs   verified types
 * keeps   types, order, the bits of every result
 * breaks  use counts: operands may become dead; dce removes them
 *
 * What depends on parameters alone is folded once these are constants (tn_module_set_constant,
 * `tenon opt --constant`), which is what fold-parameters is for.
 *
 * Not folded (fold_choice.c decides): what may give another result another time (generators, custom
 * calls), also inside of regions; what would fail; and, by fold-pure, control flow, and results of
 * more than FOLD_ELEMENTS elements that are larger than the operands together, that take more than
 * FOLD_WORK elements to compute, that are part of an operand, which can be read where it is, or
 * that are weights decoded for products of so few rows that the kernels had better read them as
 * they are stored, or bytes that are widened to 16 bits for a product. A constant that only changes
 * its shape keeps its bytes, and what stores such weights in another order, padded, or with another
 * sign is folded however large it is, since it would be done in each run. By fold-parameters only
 * what exceeds the limit on literal bytes, or runs regions more than FOLD_ITERATIONS times. Where
 * sizes were bound, nothing is folded that is larger than its operands: the program would have
 * other nodes with other sizes. What does not depend on them is folded before.
 */
#include "eval/eval.h"
#include "graph/derived.h"
#include "graph/literal.h"
#include "pass/fold_choice.h"
#include "pass/passes.h"

typedef struct folding {
    pass_context *cx;
    function *f;
    fold_choice choice;
    /* Replace nodes with several results by several constants. */
    value_id *replacement;      /* by value; NULL: none was folded yet */
    uint32_t *constants;        /* by node: the first of them, or 0 */
    uint32_t n_nodes, n_values; /* before there were any */
} folding;

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
    literal l = {.type = value->type, .bytes = type_known_bytes(value->type)};
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
    l.bytes = type_known_bytes(l.type);
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
    if (!fold_is_constant_op(&w->choice, n, &operands))
        return TN_OK;
    if (fold_is_whole(&w->choice, n))
        return reshape_literal(w, n);
    if (!fold_is_wanted(&w->choice, n, operands))
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

static tn_status fold_function(folding *w)
{
    const uint32_t n = w->f->nodes.n;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t n_in = w->f->nodes.at[i].n_in;
        TN_TRY(fold_node(w, i));
        if (w->f->nodes.at[i].n_in == 0)
            fold_forget_uses(&w->choice, i, n_in);
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
        folding w = {.cx = cx, .f = m->functions.at[i]};
        s = fold_choice_init(&w.choice, w.f, bounded, regions, &memory) ? fold_function(&w)
                                                                        : module_no_memory(m);
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
