/* regions: control flow takes what it needs, and gives what is needed.
 *
 * needs   verified types; definitions before uses
 * keeps   types, order, the bits of every output; functions and generators keep their numbers
 * breaks  use counts: constants that regions had as operands may become dead; dce removes them
 *
 * Regions see no values of outside, so all that they read is an operand of their node, and what a
 * loop reads in every iteration is a carry that its body passes on. The result of such a carry is
 * its operand. Where that is a constant, the constant stands in the region instead, so that what is
 * made of it there is made once: folded, packed, compared with others. Results that nobody reads,
 * and carries that serve no others, are left out, unless what makes them may fail, or their first
 * value. A loop that may fail or never end still runs for a result that it does not change, if for
 * no other.
 */
#include <string.h>

#include "graph/literal.h"
#include "ops/node_facts.h"
#include "pass/passes.h"

enum { MOST_REGIONS = 2, MOST_STATE = UINT8_MAX };

/* A node that runs regions. A carry is an operand of which the regions make the next. */
typedef struct control {
    pass_context *cx;
    function *f;
    node n; /* as it stood: nodes move as others are added */
    function *regions[MOST_REGIONS];
    uint32_t n_regions;
    uint32_t first;          /* operand of the regions' first input */
    uint32_t n_carries;      /* inputs of the regions that are carries, before all others */
    bool is_shared;          /* others run a region of it, too */
    const value_id *in;      /* operands as they are now */
    const uint64_t *stops;   /* by operand: what it is made of that may stop the run */
    bool kept[MOST_STATE];   /* by carry: its value never changes */
    bool needed[MOST_STATE]; /* by result */
    bool *reads;             /* by input of the regions: something needed is made of it */
    const attrs **constant;  /* by input: of the constant that takes its place; NULL: none does */
    bool *stays;             /* by input: it remains one */
} control;

static void add_region(control *c, attr_key key, const uint32_t *runs)
{
    const int64_t index = attr_int(c->n.attrs, key, 0);
    c->regions[c->n_regions++] = c->f->module->functions.at[index];
    c->is_shared = c->is_shared || runs[index] > 1;
}

/* What node I of F is; false where it runs no regions. */
static bool find_control(control *c, pass_context *cx, function *f, uint32_t i,
                         const uint32_t *runs)
{
    *c = (control){.cx = cx, .f = f, .n = f->nodes.at[i], .in = f->nodes.at[i].in};
    switch ((int)c->n.op) {
    case OP_COND:
        c->first = 1;
        add_region(c, KEY_TRUE_REGION, runs);
        add_region(c, KEY_FALSE_REGION, runs);
        return true;
    case OP_WHILE:
        c->n_carries = c->n.n_in;
        add_region(c, KEY_BODY_REGION, runs);
        add_region(c, KEY_COND_REGION, runs);
        return true;
    case OP_SCAN:
        c->n_carries = (uint32_t)attr_int(c->n.attrs, KEY_CARRY_COUNT, 0);
        add_region(c, KEY_BODY_REGION, runs);
        return true;
    default:
        return false;
    }
}

/* Take note of what C's operands, as they stood, are made of. False without memory. */
static bool list_stops(control *c, const failing *stops, arena *memory)
{
    uint64_t *all = ARENA_ARRAY(memory, uint64_t, c->n.n_in);
    for (uint32_t k = 0; all && k < c->n.n_in; k++)
        all[k] = stops->of[c->in[k]];
    c->stops = all;
    return all != NULL;
}

/* The output of region R for result K: those of the condition of a loop come after what it decides.
 */
static uint32_t output_of(uint32_t r, uint32_t k, const control *c)
{
    return k + (r == 1 && c->n.op == OP_WHILE);
}

/* ---- what is needed ---- */

static bool is_kept(const control *c, uint32_t k)
{
    const type *t = value_type(c->f, c->in[k]);
    bool kept = value_type(c->f, c->n.first_value + k) == t;
    for (uint32_t r = 0; kept && r < c->n_regions; r++) {
        const function *f = c->regions[r];
        kept =
            f->outputs.at[output_of(r, k, c)] == f->inputs.at[k] && function_input_type(f, k) == t;
    }
    return kept;
}

/* Results of region R whose making may fail are needed. False without memory. */
static bool keep_failing(control *c, uint32_t r, arena *memory)
{
    const function *f = c->regions[r];
    failing stops;
    if (!failing_init(&stops, f, memory))
        return false;
    for (uint32_t i = 0; i < f->nodes.n; i++)
        failing_add(&stops, f, &f->nodes.at[i]);
    for (uint32_t k = 0; k < c->n.n_results; k++)
        c->needed[k] = c->needed[k] || stops.of[f->outputs.at[output_of(r, k, c)]] != 0;
    return true;
}

/* What of all that may stop the run surely still does so: C reads it as predicate, to scan it, or
 * as the first value of a carry that is needed. */
static uint64_t stops_needed(const control *c)
{
    uint64_t all = c->first ? c->stops[0] : 0;
    for (uint32_t k = 0; k < c->n.n_in - c->first; k++)
        if (k < c->n_carries ? c->needed[k] && !c->kept[k] : c->n.op == OP_SCAN)
            all |= c->stops[c->first + k];
    return all;
}

/* Carries whose first value may fail are needed. */
static void keep_failing_carries(control *c)
{
    const uint64_t all = stops_needed(c);
    for (uint32_t k = 0; k < c->n_carries; k++)
        c->needed[k] = c->needed[k] || !failing_covers(all, c->stops[k]);
}

/* Mark the inputs that the needed outputs of region R are made of. False without memory. */
static bool follow_region(const control *c, uint32_t r, arena *memory)
{
    const function *f = c->regions[r];
    bool *live = ARENA_ARRAY(memory, bool, f->values.n);
    if (!live)
        return false;
    for (uint32_t k = 0; k < c->n.n_results; k++)
        if (c->needed[k] && !(k < c->n_carries && c->kept[k]))
            live[f->outputs.at[output_of(r, k, c)]] = true;
    if (output_of(r, 0, c) > 0)
        live[f->outputs.at[0]] = true;
    for (uint32_t i = f->nodes.n; i-- > 0;) {
        const node *n = &f->nodes.at[i];
        bool is_live = false;
        for (uint32_t k = 0; k < n->n_results; k++)
            is_live = is_live || live[n->first_value + k];
        for (uint32_t k = 0; is_live && k < n->n_in; k++)
            live[n->in[k]] = true;
    }
    for (uint32_t k = 0; k < f->inputs.n; k++)
        c->reads[k] = c->reads[k] || live[f->inputs.at[k]];
    return true;
}

/* Find which results somebody reads; false where none changes. */
static bool find_used(control *c, const uint32_t *uses)
{
    bool any = false;
    for (uint32_t k = 0; k < c->n.n_results; k++) {
        c->kept[k] = k < c->n_carries && is_kept(c, k);
        c->needed[k] = uses[c->n.first_value + k] > 0 && !c->kept[k];
        any = any || c->needed[k];
    }
    return any;
}

/* Find what the regions read. Carries that are read are needed themselves. */
static bool find_needed(control *c, arena *memory)
{
    bool goes_on = true, ok = true;
    c->reads = ARENA_ARRAY(memory, bool, c->regions[0]->inputs.n);
    for (uint32_t r = 0; ok && r < c->n_regions; r++)
        ok = keep_failing(c, r, memory);
    keep_failing_carries(c);
    while (c->reads && ok && goes_on) {
        goes_on = false;
        for (uint32_t r = 0; ok && r < c->n_regions; r++)
            ok = follow_region(c, r, memory);
        for (uint32_t k = 0; k < c->n_carries; k++) {
            goes_on = goes_on || (c->reads[k] && !c->needed[k] && !c->kept[k]);
            c->needed[k] = c->needed[k] || c->reads[k];
        }
    }
    return c->reads && ok;
}

/* ---- regions ---- */

/* The attributes of the constant that input K of the regions always is. NULL: it is not, or is
 * better read from memory, where it is written out once. */
static const attrs *constant_for(const control *c, uint32_t k)
{
    const node *n = node_of(c->f, c->in[c->first + k]);
    const literal *l = literal_of(n);
    const bool is_same = c->n.op == OP_COND || (k < c->n_carries && c->kept[k]);
    size_t bytes;
    if (!is_same || !l || (l->splat && (!type_bytes(l->type, &bytes) || bytes > LITERAL_SPREAD)))
        return NULL;
    bool ok = true;
    for (uint32_t r = 0; r < c->n_regions; r++)
        ok = ok && function_input_type(c->regions[r], k) == l->type;
    return ok ? n->attrs : NULL;
}

/* Operands that nobody reads remain, too, where the run is to stop when they fail. */
static void keep_failing_operands(control *c)
{
    uint64_t all = stops_needed(c);
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t k = 0; k < c->n.n_in - c->first; k++) {
            c->stays[k] = c->stays[k] || (pass && !failing_covers(all, c->stops[c->first + k]));
            all |= c->stays[k] ? c->stops[c->first + k] : 0;
        }
}

/* Which inputs of the regions remain. Scans go on as long as they have something to scan. False
 * without memory. */
static bool choose_inputs(control *c, arena *memory)
{
    const uint32_t n = c->regions[0]->inputs.n;
    c->constant = ARENA_ARRAY(memory, const attrs *, n);
    c->stays = ARENA_ARRAY(memory, bool, n);
    if (!c->constant || !c->stays)
        return false;
    for (uint32_t k = 0; k < n; k++) {
        const bool is_carry = k < c->n_carries;
        c->constant[k] = constant_for(c, k);
        if (c->n.op == OP_SCAN && !is_carry)
            c->stays[k] = true;
        else if (is_carry && !c->kept[k])
            c->stays[k] = c->needed[k];
        else
            c->stays[k] = c->reads[k] && !c->constant[k];
    }
    keep_failing_operands(c);
    return true;
}

/* Leave out of region R what does not stay, or put constants there. */
static tn_status reduce_region(const control *c, uint32_t r)
{
    function *f = c->regions[r];
    const uint32_t before = output_of(r, 0, c);
    uint32_t n_in = 0, n_out = before;
    for (uint32_t k = 0; k < f->inputs.n; k++) {
        node *own = &f->nodes.at[f->values.at[f->inputs.at[k]].node];
        if (c->stays[k])
            f->inputs.at[n_in++] = f->inputs.at[k];
        else if (c->constant[k])
            node_rewrite(own, OP_CONSTANT, own->in, 0, c->constant[k]);
    }
    for (uint32_t k = 0; k < c->n.n_results; k++) {
        if (k < c->n_carries ? c->stays[k] : c->needed[k])
            f->outputs.at[n_out++] = f->outputs.at[output_of(r, k, c)];
    }
    f->inputs.n = n_in;
    f->outputs.n = n_out;
    f->output_names.n = 0;
    f->tuples.n = 0;
    return pass_sweep(c->cx, f);
}

/* ---- the node ---- */

/* The node with what stays, at the end of the function. */
static tn_status add_reduced(control *c, value_id *now)
{
    function *f = c->f;
    module *m = f->module;
    const uint32_t n_inputs = c->n.n_in - c->first;
    value_id *in = ARENA_ARRAY(&m->arena, value_id, c->n.n_in);
    const type **types = ARENA_ARRAY(&m->arena, const type *, c->n.n_results);
    attr *entries = ARENA_ARRAY(&m->arena, attr, c->n.attrs->n);
    uint32_t n_in = 0, n_out = 0, n_carries = 0;
    value_id first;
    if (!in || !types || !entries)
        return module_no_memory(m);
    if (c->first)
        in[n_in++] = c->in[0];
    for (uint32_t k = 0; k < n_inputs; k++)
        if (c->stays[k]) {
            in[n_in++] = c->in[c->first + k];
            n_carries += k < c->n_carries;
        }
    for (uint32_t k = 0; k < c->n.n_results; k++)
        if (k < c->n_carries ? c->stays[k] : c->needed[k]) {
            types[n_out] = value_type(f, c->n.first_value + k);
            now[c->n.first_value + k] = f->values.n + n_out++;
        }
    for (uint32_t e = 0; e < c->n.attrs->n; e++) {
        entries[e] = c->n.attrs->at[e];
        if (entries[e].key == KEY_CARRY_COUNT)
            entries[e].v.i = n_carries;
        if (entries[e].key == KEY_OUTPUT_COUNT)
            entries[e].v.i = n_out - n_carries;
    }
    node_desc d = node_desc_of(&c->n, in);
    d.n_in = n_in;
    d.attrs = attrs_of(&m->attrs, entries, c->n.attrs->n);
    d.number = c->n.first_value;
    d.belongs = c->n.belongs;
    d.place = c->n.place;
    return d.attrs ? function_add_typed(f, &d, types, n_out, &first) : module_no_memory(m);
}

/* Is anything of C to be left out? */
static bool is_reducible(const control *c)
{
    bool goes = false;
    for (uint32_t k = 0; k < c->n.n_in - c->first; k++)
        goes = goes || !c->stays[k];
    for (uint32_t k = c->n_carries; k < c->n.n_results; k++)
        goes = goes || !c->needed[k];
    return goes && !c->is_shared;
}

/* Results that are operands become those, and what C does not need is left out. NOW says what
 * stands for the values of F, USES counts them. */
static tn_status reduce(control *c, value_id *now, const uint32_t *uses, failing *stops,
                        arena *memory)
{
    if (!find_used(c, uses))
        return TN_OK;
    if (!find_needed(c, memory) || !choose_inputs(c, memory))
        return module_no_memory(c->f->module);
    for (uint32_t k = 0; k < c->n_carries; k++) {
        const value_id v = c->n.first_value + k;
        if (!c->kept[k] || uses[v] == 0)
            continue;
        now[v] = c->in[k];
        stops->of[v] = c->stops[k];
        c->cx->n_changed++;
    }
    if (!is_reducible(c))
        return TN_OK;
    c->cx->n_changed++;
    TN_TRY(add_reduced(c, now));
    for (uint32_t r = 0; r < c->n_regions; r++)
        TN_TRY(reduce_region(c, r));
    return TN_OK;
}

static tn_status reduce_all(pass_context *cx, function *f, const uint32_t *runs, arena *memory)
{
    const uint32_t n_nodes = f->nodes.n, n_values = f->values.n, before = cx->n_changed;
    const uint32_t *uses = pass_count_uses(cx, f);
    value_id *now = ARENA_ARRAY(&cx->scratch, value_id, n_values);
    uint32_t *order = ARENA_ARRAY(&cx->scratch, uint32_t, n_nodes);
    failing stops;
    if (!uses || !now || !order || !failing_init(&stops, f, &cx->scratch))
        return module_no_memory(f->module);
    for (uint32_t i = 0; i < n_nodes; i++) {
        control c;
        value_id *in = (value_id *)(uintptr_t)f->nodes.at[i].in; /* this node's own list */
        const bool is_control = find_control(&c, cx, f, i, runs);
        failing_add(&stops, f, &f->nodes.at[i]);
        if (is_control && !list_stops(&c, &stops, memory))
            return module_no_memory(f->module);
        for (uint32_t k = 0; k < f->nodes.at[i].n_in; k++)
            in[k] = now[in[k]];
        for (uint32_t r = 0; r < f->nodes.at[i].n_results; r++)
            now[f->nodes.at[i].first_value + r] = f->nodes.at[i].first_value + r;
        order[i] = i;
        if (!is_control)
            continue;
        const uint32_t end = f->nodes.n;
        TN_TRY(reduce(&c, now, uses, &stops, memory));
        arena_reset(memory);
        order[i] = f->nodes.n > end ? end : i;
    }
    if (cx->n_changed == before)
        return TN_OK;
    for (uint32_t i = 0; i < f->outputs.n; i++)
        f->outputs.at[i] = now[f->outputs.at[i]];
    for (uint32_t i = 0; f == module_entry(f->module) && i < f->module->gradients.n; i++)
        f->module->gradients.at[i] = now[f->module->gradients.at[i]];
    return function_reorder(f, order, n_nodes);
}

tn_status pass_regions(pass_context *cx, module *m)
{
    const uint32_t *runs = pass_count_runs(cx, m);
    arena memory;
    tn_status s = runs ? TN_OK : module_no_memory(m);
    arena_init(&memory, m->allocator);
    for (uint32_t i = 0; s == TN_OK && i < m->functions.n; i++)
        s = reduce_all(cx, m->functions.at[i], runs, &memory);
    arena_release(&memory);
    return s;
}
