/* hoist: what a loop makes in each iteration out of what never changes is made once, before it.
 *
 * needs   verified types; definitions before uses
 * keeps   types, order, the bits of every output: the same operations on the same operands
 * breaks  use counts: carries that only the hoisted operations read become unused; regions drops
 *         them
 *
 * A carry that the body passes on is the same in every iteration, and so is what is made of nothing
 * but such carries and constants. It becomes one more carry, where it takes no more memory than
 * what it is made of: a transpose, a cast to as few bytes, an activation of weights. Not hoisted
 * are broadcasts and other operations whose results are larger, so that reading them would take
 * longer than making them; slices and reshapes, which are read in place; and what may fail, for a
 * loop may have no iteration.
 *
 * Products of few rows that read a matrix along its inputs transpose it as they go. Where such a
 * matrix never changes, its transpose is hoisted, too.
 */
#include "pass/hoist/hoist.h"
#include "ops/node_facts.h"
#include "pass/passes.h"

enum {
    FEW_BYTES = 256,    /* of what an operation reads: making its result again is as fast */
    FEW_ITERATIONS = 4, /* of a loop that does not repay what is done before it */
    MOST_CARRIES = 128
};

static bool find_loop(loop *l, function *f, const node *n, const uint32_t *runs)
{
    module *m = f->module;
    if (n->op != OP_WHILE && n->op != OP_SCAN)
        return false;
    const int64_t body = attr_int(n->attrs, KEY_BODY_REGION, 0),
                  condition = attr_int(n->attrs, KEY_COND_REGION, 0);
    const bool is_scan = n->op == OP_SCAN;
    *l = (loop){.f = f, .n = *n, .body = m->functions.at[body], .n_carries = n->n_in};
    if (is_scan)
        l->n_carries = (uint32_t)attr_int(n->attrs, KEY_CARRY_COUNT, 0);
    else
        l->condition = m->functions.at[condition];
    if (is_scan && n->n_in > l->n_carries) {
        const dim times = value_type(f, n->in[l->n_carries])->dims[0];
        if (!dim_is_symbolic(times) && times < FEW_ITERATIONS)
            return false;
    }
    return runs[body] == 1 && (is_scan || runs[condition] == 1) && l->n_carries > 0;
}

bool carry_is_kept(const loop *l, uint32_t k)
{
    const function *b = l->body, *c = l->condition;
    return b->outputs.at[k] == b->inputs.at[k] &&
           function_input_type(b, k) == value_type(l->f, l->n.in[k]) &&
           (!c || c->outputs.at[k + 1] == c->inputs.at[k]);
}

static bool can_be_invariant(const function *f, const node *n)
{
    return n->n_results == 1 && !(op_table[n->op].traits & (T_UNSTABLE | T_REGIONS)) &&
           n->op != OP_INPUT && type_is_static(value_type(f, n->first_value)) &&
           !node_may_fail(f, n);
}

static void find_invariants(const loop *l, fact *facts)
{
    const function *b = l->body;
    for (uint32_t k = 0; k < l->n_carries; k++) {
        fact *x = &facts[b->inputs.at[k]];
        x->is_invariant = carry_is_kept(l, k) && type_bytes(function_input_type(b, k), &x->bytes);
        x->before = l->n.in[k];
    }
    for (uint32_t i = 0; i < b->nodes.n; i++) {
        const node *n = &b->nodes.at[i];
        if (!can_be_invariant(b, n))
            continue;
        fact *x = &facts[n->first_value];
        x->is_invariant = true;
        for (uint32_t k = 0; k < n->n_in; k++) {
            const fact *in = &facts[n->in[k]];
            x->is_invariant = x->is_invariant && in->is_invariant;
            x->bytes = in->bytes > x->bytes ? in->bytes : x->bytes;
        }
    }
}

/* Is the result of N, of which X is known, better read than made again? */
static bool is_worth_it(const function *b, const node *n, const fact *x)
{
    size_t bytes;
    const bool is_view = n->op == OP_RESHAPE || n->op == OP_EXPAND_DIMS || n->op == OP_SQUEEZE ||
                         n->op == OP_SLICE || n->op == OP_STOP_GRADIENT;
    return x->is_invariant && n->n_in > 0 && !is_view && x->bytes >= FEW_BYTES &&
           type_bytes(value_type(b, n->first_value), &bytes) && bytes <= x->bytes;
}

/* Choose what becomes a carry, MOST at most, and say what is made for it. Returns how many. */
static uint32_t choose(const loop *l, fact *facts, uint32_t most)
{
    const function *b = l->body;
    uint32_t chosen = 0;
    for (uint32_t k = 0; k < b->outputs.n; k++)
        facts[b->outputs.at[k]].is_wanted = true;
    for (uint32_t i = b->nodes.n; i-- > 0;) {
        const node *n = &b->nodes.at[i];
        bool is_wanted = false, is_made = false;
        for (uint32_t r = 0; r < n->n_results; r++)
            is_wanted = is_wanted || facts[n->first_value + r].is_wanted;
        if (n->n_results == 1 && n->op != OP_INPUT) {
            fact *x = &facts[n->first_value];
            x->is_hoisted = is_wanted && chosen < most && is_worth_it(b, n, x);
            x->is_made = x->is_made || x->is_hoisted;
            chosen += x->is_hoisted;
            is_wanted = is_wanted && !x->is_hoisted;
            is_made = x->is_made;
        }
        for (uint32_t k = 0; k < n->n_in; k++) {
            facts[n->in[k]].is_wanted = facts[n->in[k]].is_wanted || is_wanted;
            facts[n->in[k]].is_made = facts[n->in[k]].is_made || is_made;
        }
    }
    return chosen;
}

static tn_status hoist(pass_context *cx, const loop *l, value_id *now, arena *memory)
{
    const module *m = l->f->module;
    const uint32_t most = l->n.n_results < MOST_CARRIES ? MOST_CARRIES - l->n.n_results : 0;
    if (most < l->n_carries || 3 * (uint64_t)m->n_nodes > m->cx->limits.nodes)
        return TN_OK; /* there may be no room for more */
    TN_TRY(transpose_matrices(l, memory));
    fact *facts = ARENA_ARRAY(memory, fact, l->body->values.n);
    if (!facts)
        return module_no_memory(m);
    find_invariants(l, facts);
    const uint32_t chosen = choose(l, facts, most);
    if (chosen == 0)
        return TN_OK;
    cx->n_changed++;
    TN_TRY(hoist_carries(l, facts, chosen, now, memory));
    return pass_sweep(cx, l->body);
}

typedef VECTOR(uint32_t) node_list;

static tn_status put(const function *f, node_list *order, uint32_t i)
{
    return VECTOR_PUSH(f->module->allocator, order, i) ? TN_OK : module_no_memory(f->module);
}

static tn_status hoist_all(pass_context *cx, function *f, const uint32_t *runs, arena *memory)
{
    const uint32_t n_nodes = f->nodes.n, n_values = f->values.n, before = cx->n_changed;
    value_id *now = ARENA_ARRAY(&cx->scratch, value_id, n_values);
    node_list order = {0};
    tn_status s = now ? TN_OK : module_no_memory(f->module);
    for (uint32_t i = 0; s == TN_OK && i < n_nodes; i++) {
        loop l;
        value_id *in = (value_id *)(uintptr_t)f->nodes.at[i].in; /* this node's own list */
        const uint32_t end = f->nodes.n;
        for (uint32_t k = 0; k < f->nodes.at[i].n_in; k++)
            in[k] = now[in[k]];
        for (uint32_t r = 0; r < f->nodes.at[i].n_results; r++)
            now[f->nodes.at[i].first_value + r] = f->nodes.at[i].first_value + r;
        if (find_loop(&l, f, &f->nodes.at[i], runs))
            s = hoist(cx, &l, now, memory);
        arena_reset(memory);
        if (s == TN_OK && f->nodes.n == end)
            s = put(f, &order, i);
        for (uint32_t k = end; s == TN_OK && k < f->nodes.n; k++)
            s = put(f, &order, k);
    }
    if (s == TN_OK && cx->n_changed > before) {
        for (uint32_t i = 0; i < f->outputs.n; i++)
            f->outputs.at[i] = now[f->outputs.at[i]];
        for (uint32_t i = 0; f == module_entry(f->module) && i < f->module->gradients.n; i++)
            f->module->gradients.at[i] = now[f->module->gradients.at[i]];
        s = function_reorder(f, order.at, order.n);
    }
    VECTOR_RELEASE(f->module->allocator, &order);
    return s;
}

tn_status pass_hoist(pass_context *cx, module *m)
{
    const uint32_t *runs = pass_count_runs(cx, m);
    arena memory;
    tn_status s = runs ? TN_OK : module_no_memory(m);
    arena_init(&memory, m->allocator);
    for (uint32_t i = 0; s == TN_OK && i < m->functions.n; i++)
        s = hoist_all(cx, m->functions.at[i], runs, &memory);
    arena_release(&memory);
    return s;
}
