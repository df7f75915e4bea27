/* The graph to the model: programs, functions, instructions, results, hints. */
#include "dialect/ptir/raise.h"

#include <inttypes.h>
#include <stdio.h>

#include "dialect/ptir/lower.h"
#include "ops/shape.h"

void ptir_raise_fault(raising *r, const node *n, diag_kind kind, const char *format, ...)
{
    char message[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    (void)node_report(r->f, n, kind, "%s", message);
    r->faults++;
}

/* Spellings are this dialect's only in modules that it has read. */
static bool is_own(const raising *r)
{
    return r->m->dialect && strncmp(r->m->dialect, "ptir", 4) == 0;
}

/* ---- types --------------------------------------------------------------------------------- */

bool ptir_raise_is_tuple(const raising *r, const node *n)
{
    bool may_wrap = op_table[n->op].traits & T_REGIONS || n->op == OP_CUSTOM_CALL;
    return n->n_results != 1 || attr_find(n->attrs, KEY_TUPLE) ||
           (may_wrap && n->spelling == PTIR_ONE_TUPLE && is_own(r));
}

/* The items of a tuple whose nesting is spelt at *AT, which stands behind its bracket; without a
 * spelling, all of the N leaves. */
static ptir_type tuple_type(raising *r, const char **at, const type *const *leaves, uint32_t *n)
{
    ptir_types items = {0};
    for (uint32_t left = *n; *at ? **at == 't' || **at == '(' : left > 0; left--) {
        ptir_type item = {0};
        bool is_leaf = !*at || *(*at)++ == 't';
        if (is_leaf)
            item.tensor = leaves[(*n)++];
        else
            item = tuple_type(r, at, leaves, n);
        if (!PTIR_PUSH(r->memory, &items, item)) {
            r->no_memory = true;
            break;
        }
    }
    if (*at && **at == ')')
        ++*at;
    return (ptir_type){NULL, items.n, items.at};
}

ptir_type ptir_raise_type(raising *r, const node *n)
{
    const type *leaves[256];
    for (uint32_t i = 0; i < n->n_results; i++)
        leaves[i] = value_declared_type(r->f, n->first_value + i);
    if (!ptir_raise_is_tuple(r, n))
        return (ptir_type){leaves[0], 0, NULL};
    const char *nesting = attr_string(n->attrs, KEY_TUPLE);
    uint32_t k = 0;
    if (nesting) {
        nesting++;
        return tuple_type(r, &nesting, leaves, &k);
    }
    ptir_type *items = arena_alloc(r->memory, ((size_t)n->n_results + 1) * sizeof *items);
    if (!items) {
        r->no_memory = true;
        return (ptir_type){0};
    }
    for (uint32_t i = 0; i < n->n_results; i++)
        items[i] = (ptir_type){leaves[i], 0, NULL};
    return (ptir_type){NULL, n->n_results, items};
}

/* The item that is leaf number LEAF of a tuple with the nesting AT (NULL: it is flat); false when
 * it lies deeper. */
static bool item_of_leaf(const char *at, uint32_t leaf, uint32_t *item)
{
    uint32_t depth = 0, seen = 0;
    *item = leaf;
    if (!at)
        return true;
    *item = 0;
    for (at++; *at; at++) {
        if (*at == 't' && seen++ == leaf)
            return depth == 0;
        depth += *at == '(';
        depth -= *at == ')' && depth > 0;
        *item += depth == 0;
    }
    return false;
}

/* ---- tuples of inputs ---------------------------------------------------------------------- */

static uint32_t leaves_of(const char *nesting)
{
    uint32_t n = 0;
    for (; *nesting; nesting++)
        n += *nesting == 't';
    return n;
}

/* The tuple that starts with input I of F; NULL when the text has none there, or not any more. */
static const input_tuple *tuple_at(const raising *r, const function *f, uint32_t i)
{
    uint32_t low = 0, high = is_own(r) ? f->tuples.n : 0;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (f->tuples.at[middle].first < i)
            low = middle + 1;
        else
            high = middle;
    }
    if (!is_own(r) || low == f->tuples.n || f->tuples.at[low].first != i ||
        leaves_of(f->tuples.at[low].nesting) > f->inputs.n - i)
        return NULL;
    return &f->tuples.at[low];
}

/* The tuple that brings the input V, whose leaf number LEAF it is. */
static const input_tuple *tuple_of_input(const raising *r, value_id v, uint32_t *leaf)
{
    const brought_input *in = r->brought ? &r->brought[r->f->values.at[v].node] : NULL;
    if (!in || !in->tuple)
        return NULL;
    *leaf = in->leaf;
    return in->tuple;
}

/* ---- instructions -------------------------------------------------------------------------- */

ptir_operand ptir_raise_operand(raising *r, value_id v)
{
    uint32_t k = r->f->values.at[v].node;
    const node *n = &r->f->nodes.at[k];
    ptir_operand o = {.kind = PTIR_VALUE, .id = r->ids[k], .at = NO_SPAN};
    uint32_t leaf = v - n->first_value;
    if (r->ids[k] == NO_VALUE && n->op == OP_CONSTANT) {
        o.kind = PTIR_LITERAL;
        o.literal = attr_find(n->attrs, KEY_VALUE)->v.literal;
        return o;
    }
    const input_tuple *passed = n->op == OP_INPUT ? tuple_of_input(r, v, &leaf) : NULL;
    if (passed || ptir_raise_is_tuple(r, n)) {
        const char *nesting = passed ? passed->nesting : attr_string(n->attrs, KEY_TUPLE);
        o.kind = PTIR_ELEMENT;
        if (!item_of_leaf(nesting, leaf, &o.index))
            ptir_raise_fault(r, n, DIAG_UnknownOp,
                             "PTIR cannot select from a tuple within a tuple");
    }
    return o;
}

uint32_t ptir_raise_emit(raising *r, ptir_inst inst)
{
    inst.id = r->next_id++;
    inst.at = r->at;
    inst.belongs = r->belongs;
    r->no_memory = !PTIR_PUSH(r->memory, &r->to->body, inst) || r->no_memory;
    return inst.id;
}

static const attr *first_region(const node *n)
{
    for (uint32_t i = 0; i < n->attrs->n; i++)
        if (attr_keys[n->attrs->at[i].key].kind == ATTR_FUNCTION)
            return &n->attrs->at[i];
    return NULL;
}

/* How many operands from number I on are a whole tuple that goes to a tuple-typed parameter of the
 * regions of N; 0: none. */
static uint32_t passed_as_tuple(const raising *r, const node *n, uint32_t i)
{
    const attr *region = op_table[n->op].traits & T_REGIONS ? first_region(n) : NULL;
    const uint32_t before = n->op == OP_COND; /* the predicate */
    if (!region || i < before)
        return 0;
    const input_tuple *to = tuple_at(r, r->m->functions.at[region->v.i], i - before);
    const uint32_t count = to ? leaves_of(to->nesting) : 0;
    if (count == 0 || count > n->n_in - i)
        return 0;
    const node *from = node_of(r->f, n->in[i]);
    uint32_t leaf = 0;
    const input_tuple *passed = from->op == OP_INPUT ? tuple_of_input(r, n->in[i], &leaf) : NULL;
    if (passed ? leaf != 0 || strcmp(passed->nesting, to->nesting) != 0
               : !ptir_raise_is_tuple(r, from) || from->n_results != count ||
                     n->in[i] != from->first_value)
        return 0;
    for (uint32_t k = 0; k < count; k++)
        if (n->in[i + k] != (passed ? r->f->inputs.at[passed->first + k] : n->in[i] + k))
            return 0;
    return count;
}

static uint32_t raise_plain(raising *r, const node *n)
{
    uint32_t word;
    ptir_op op = ptir_op_of((op_id)n->op, &word);
    ptir_inst inst = {.op = (uint8_t)op, .word = (uint8_t)word, .n_in = n->n_in, .name = n->name};
    ptir_operand *in = arena_alloc(r->memory, ((size_t)n->n_in + 1) * sizeof *in);
    if (!in) {
        r->no_memory = true;
        return r->next_id++;
    }
    inst.n_in = 0;
    for (uint32_t i = 0; i < n->n_in;) {
        const uint32_t whole = passed_as_tuple(r, n, i);
        in[inst.n_in] = ptir_raise_operand(r, n->in[i]);
        if (whole)
            in[inst.n_in].kind = PTIR_VALUE;
        inst.n_in++;
        i += whole ? whole : 1;
    }
    inst.in = in;
    ptir_raise_attrs(r, n, op, &inst);
    inst.out = ptir_raise_type(r, n);
    return ptir_raise_emit(r, inst);
}

/* What N is part of the gradient of, when that is to be said. */
static const ptir_operand *owner(raising *r, const node *n)
{
    if (!r->options->comments || !n->belongs)
        return NULL;
    ptir_operand *o = arena_alloc(r->memory, sizeof *o);
    if (!o) {
        r->no_memory = true;
        return NULL;
    }
    *o = ptir_raise_operand(r, n->belongs - 1);
    return o->kind == PTIR_LITERAL ? NULL : o;
}

/* Has N a scale or a zero point, which the reference implementation's operations lack? */
static bool is_scaled(const node *n)
{
    return (n->op == OP_QUANTIZE || n->op == OP_DEQUANTIZE || n->op == OP_REQUANTIZE) &&
           n->n_in > 1;
}

/* Does PTIR v0.4 lack the operation, or the word that N gives it? */
static bool is_extension(const node *n)
{
    return ptir_is_extension((op_id)n->op) ||
           ((n->op == OP_SCATTER_REDUCE || n->op == OP_REDUCE_WINDOW) &&
            attr_int(n->attrs, KEY_COMBINE, COMBINE_ADD) > COMBINE_REPLACE);
}

static void raise_node(raising *r, uint32_t k)
{
    const node *n = &r->f->nodes.at[k];
    uint32_t before = r->to->body.n;
    r->belongs = owner(r, n);
    r->at = n->at;
    bool lower = r->options->exchange;
    if (lower && is_scaled(n))
        ptir_raise_fault(r, n, DIAG_UnknownOp,
                         "others know '%s' as a plain cast, without operands for a scale",
                         op_table[n->op].text);
    if (lower && is_extension(n))
        ptir_raise_fault(r, n, DIAG_UnknownOp, "others do not know '%s'%s", op_table[n->op].text,
                         ptir_is_extension((op_id)n->op) ? "" : " that combines like this");
    uint32_t id = lower && n->op == OP_LAYER_NORM ? ptir_raise_layer_norm(r, n)
                  : lower && n->op == OP_CLAMP    ? ptir_raise_clamp(r, n)
                                                  : raise_plain(r, n);
    r->ids[k] = id;
    r->positions[k] = r->to->body.n == before + 1 ? before : NO_VALUE;
    r->belongs = NULL;
    r->at = NO_SPAN;
}

/* ---- literal operands ---------------------------------------------------------------------- */

/* Which constants stand as literals in their users: those that were read so, used by one
 * instruction, or so small that repeating them costs nothing. */
static bool mark_literals(raising *r)
{
    enum { SMALL = 16 };
    const function *f = r->f;
    uint32_t *uses = ARENA_ARRAY(r->memory, uint32_t, (size_t)f->nodes.n + 1);
    if (!uses)
        return false;
    for (uint32_t i = 0; i < f->nodes.n; i++)
        for (uint32_t k = 0; k < f->nodes.at[i].n_in; k++)
            uses[f->values.at[f->nodes.at[i].in[k]].node]++;
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        const node *n = &f->nodes.at[i];
        if (n->op != OP_CONSTANT || n->spelling != PTIR_INLINE || !is_own(r) || uses[i] == 0)
            continue;
        bool small = attr_find(n->attrs, KEY_VALUE)->v.literal->bytes <= SMALL;
        r->positions[i] = uses[i] == 1 || small;
    }
    for (uint32_t i = 0; i < f->outputs.n; i++)
        r->positions[f->values.at[f->outputs.at[i]].node] = 0;
    return true;
}

/* ---- functions ----------------------------------------------------------------------------- */

/* The type of a parameter that is a tuple of N inputs; its name is that of the first, which is
 * called NAME.0. */
static bool parameter_tuple(raising *r, const input_tuple *tuple, uint32_t n, ptir_type *t,
                            const char **name)
{
    const function *f = r->f;
    const type **leaves = arena_alloc(r->memory, ((size_t)n + 1) * sizeof(const type *));
    const char *nesting = tuple->nesting + 1;
    const size_t length = *name ? strlen(*name) : 0; /* NULL: not asked for */
    uint32_t taken = 0;
    if (!leaves)
        return false;
    for (uint32_t k = 0; k < n; k++)
        leaves[k] = value_type(f, f->inputs.at[tuple->first + k]);
    *t = tuple_type(r, &nesting, leaves, &taken);
    if (length > 2 && strcmp(*name + length - 2, ".0") == 0)
        *name = arena_copy_text(r->memory, *name, length - 2);
    return (*name || length == 0) && !r->no_memory;
}

static bool raise_parameters(raising *r)
{
    const function *f = r->f;
    for (uint32_t i = 0; i < f->inputs.n;) {
        const input_tuple *tuple = tuple_at(r, f, i);
        const uint32_t n = tuple ? leaves_of(tuple->nesting) : 1;
        ptir_type t = {value_type(f, f->inputs.at[i]), 0, NULL};
        const char *name = attr_string(node_of(f, f->inputs.at[i])->attrs, KEY_NAME);
        const uint32_t id = r->next_id++;
        if (tuple && !parameter_tuple(r, tuple, n, &t, &name))
            return false;
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t at = f->values.at[f->inputs.at[i + k]].node;
            r->ids[at] = id;
            if (tuple)
                r->brought[at] = (brought_input){tuple, k};
        }
        i += n;
        if (!PTIR_PUSH(r->memory, &r->to->parameters, t) ||
            !PTIR_PUSH(r->memory, &r->to->parameter_ids, id) ||
            !PTIR_PUSH(r->memory, &r->to->parameter_names, name))
            return false;
    }
    return true;
}

/* The tuple of inputs that the outputs from I on name in order, or NULL. */
static const input_tuple *names_input_tuple(const raising *r, uint32_t i)
{
    const function *f = r->f;
    uint32_t leaf;
    const input_tuple *t = tuple_of_input(r, f->outputs.at[i], &leaf);
    if (!t || leaf != 0 || leaves_of(t->nesting) > f->outputs.n - i)
        return NULL;
    for (uint32_t k = 0; k < leaves_of(t->nesting); k++)
        if (f->outputs.at[i + k] != f->inputs.at[t->first + k])
            return NULL;
    return t;
}

/* Do the outputs from I on name all results of N, in order? */
static bool names_whole_tuple(const function *f, uint32_t i, const node *n)
{
    if (n->n_results > f->outputs.n - i)
        return false;
    for (uint32_t k = 0; k < n->n_results; k++)
        if (f->outputs.at[i + k] != n->first_value + k)
            return false;
    return true;
}

static bool raise_results(raising *r)
{
    const function *f = r->f;
    for (uint32_t i = 0; i < f->outputs.n;) {
        value_id v = f->outputs.at[i];
        uint32_t k = f->values.at[v].node;
        const node *n = &f->nodes.at[k];
        ptir_type t = {value_declared_type(f, v), 0, NULL};
        ptir_operand o = ptir_raise_operand(r, v);
        const input_tuple *passed = names_input_tuple(r, i);
        if (passed) {
            const char *name = NULL;
            const uint32_t count = leaves_of(passed->nesting);
            if (!parameter_tuple(r, passed, count, &t, &name))
                return false;
            o = (ptir_operand){.kind = PTIR_VALUE, .id = r->ids[k], .at = NO_SPAN};
            i += count;
        } else if (ptir_raise_is_tuple(r, n) && names_whole_tuple(f, i, n)) {
            t = ptir_raise_type(r, n);
            o = (ptir_operand){.kind = PTIR_VALUE, .id = r->ids[k], .at = NO_SPAN};
            i += n->n_results;
        } else {
            i++;
        }
        if (o.kind == PTIR_ELEMENT && !r->options->any_result)
            o = (ptir_operand){
                .kind = PTIR_VALUE, .id = ptir_raise_identity(r, o, t.tensor), .at = NO_SPAN};
        if (!PTIR_PUSH(r->memory, &r->to->results, t) ||
            !PTIR_PUSH(r->memory, &r->to->result_ids, o))
            return false;
    }
    return true;
}

/* The map of a gradient module, which stands with its entry. */
static bool raise_gradients(raising *r)
{
    const function *f = r->f;
    if (f != module_entry(r->m))
        return true;
    for (uint32_t i = 0; i < r->m->gradients.n; i++) {
        uint32_t id = r->ids[f->values.at[r->m->gradients.at[i]].node];
        if (!PTIR_PUSH(r->memory, &r->to->gradients, id))
            return false;
    }
    return true;
}

/* The results of a region are its last instructions, in order. Where they are not, each is passed
 * through an identity at the end. */
static void end_region(raising *r)
{
    ptir_function *to = r->to;
    uint32_t n = to->results.n;
    bool last = to->body.n >= n;
    for (uint32_t i = 0; last && i < n; i++)
        last = to->body.at[to->body.n - n + i].id == to->result_ids.at[i].id;
    for (uint32_t i = 0; !last && i < n; i++) {
        if (to->results.at[i].tensor)
            to->result_ids.at[i].id =
                ptir_raise_identity(r, to->result_ids.at[i], to->results.at[i].tensor);
        else
            ptir_raise_fault(
                r, &r->f->nodes.at[r->f->nodes.n - 1], DIAG_UnknownOp,
                "PTIR needs the tuple that a region returns to be its last instruction");
    }
}

static bool raise_hints(raising *r)
{
    for (uint32_t i = 0; i < r->f->hints.n; i++) {
        const fusion_hint *from = &r->f->hints.at[i];
        ptir_hint h = {.id = from->id, .kind = from->kind, .policy = from->policy, .at = NO_SPAN};
        h.attrs = *attr_find(from->attrs, KEY_DICT);
        bool ok = true, whole = true;
        for (uint32_t k = 0; ok && k < from->n_inputs; k++) {
            whole = whole && r->ids[from->inputs[k]] != NO_VALUE;
            ok = PTIR_PUSH(r->memory, &h.inputs, r->ids[from->inputs[k]]);
        }
        for (uint32_t k = 0; ok && k < from->n_exports; k++) {
            whole = whole && r->ids[from->exports[k]] != NO_VALUE;
            ok = PTIR_PUSH(r->memory, &h.exports, r->ids[from->exports[k]]);
        }
        for (uint32_t k = 0; ok && whole && k < from->n_nodes; k++) {
            uint32_t at = r->positions[from->nodes[k]];
            whole = at != NO_VALUE;
            ok = !whole || PTIR_PUSH(r->memory, &h.body, r->to->body.at[at]);
        }
        if (!ok || (whole && !PTIR_PUSH(r->memory, &r->to->hints, h)))
            return false;
        if (!whole)
            diag_warn(&r->m->cx->diag, DIAG_Advice, NULL, NO_SPAN,
                      "hint %" PRIu32 " is left out: it names what has no instruction of its own",
                      h.id);
    }
    return true;
}

static bool raise_function(raising *r, const function *f, ptir_function *to)
{
    *to = (ptir_function){.name = f->name, .at = NO_SPAN, .stores_ids = true};
    r->f = f;
    r->to = to;
    r->next_id = 0;
    r->ids = arena_alloc(r->memory, ((size_t)f->nodes.n + 1) * sizeof *r->ids);
    r->positions = ARENA_ARRAY(r->memory, uint32_t, (size_t)f->nodes.n + 1);
    r->brought = NULL;
    if (f->tuples.n &&
        !(r->brought = ARENA_ARRAY(r->memory, brought_input, (size_t)f->nodes.n + 1)))
        return false;
    if (!r->ids || !r->positions || !mark_literals(r) || !raise_parameters(r))
        return false;
    for (uint32_t k = 0; k < f->nodes.n && !r->no_memory; k++) {
        if (f->nodes.at[k].op == OP_INPUT)
            continue;
        if (r->positions[k])
            r->ids[k] = NO_VALUE;
        else
            raise_node(r, k);
    }
    if (r->no_memory || !raise_results(r) || !raise_gradients(r) || !raise_hints(r))
        return false;
    if (f->is_region && !r->options->any_result) {
        end_region(r);
        to->stores_ids = false;
    }
    return !r->no_memory;
}

tn_status ptir_raise(const module *m, const raise_options *options, arena *memory,
                     ptir_program *out)
{
    raising r = {.m = m, .options = options, .memory = memory, .at = NO_SPAN};
    uint32_t *region_ids = ARENA_ARRAY(memory, uint32_t, (size_t)m->functions.n + 1);
    uint32_t n_regions = 0;
    *out = (ptir_program){.entry = module_entry(m)->name, .entry_at = NO_SPAN};
    if (!region_ids)
        return module_no_memory(m);
    for (uint32_t i = 0; i < m->functions.n; i++)
        if (m->functions.at[i]->is_region)
            region_ids[i] = n_regions++;
    r.region_ids = region_ids;
    for (uint32_t i = 0; i < m->functions.n; i++) {
        const function *f = m->functions.at[i];
        ptir_function to;
        if (!raise_function(&r, f, &to))
            return module_no_memory(m);
        to.region = region_ids[i];
        if (!(f->is_region ? PTIR_PUSH(memory, &out->regions, to)
                           : PTIR_PUSH(memory, &out->functions, to)))
            return module_no_memory(m);
    }
    return r.faults ? TN_ERR_REJECTED : TN_OK;
}
