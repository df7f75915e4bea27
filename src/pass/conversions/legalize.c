/* legalize: rewrite a program until a dialect can express it.
 *
 * needs   verified types; definitions before uses
 * keeps   types of inputs and outputs; bits, but for relaxed expansions
 * breaks  use counts; dce runs at the end when something was expanded
 *
 * Works in rounds. In each, the nodes that the dialect cannot express as they stand are replaced by
 * what the first fitting row of expand.def makes of them; what that makes may itself be expanded in
 * the next round. Rows only lead towards ops that the dialect has, so few rounds are needed.
 */
#include "pass/conversions/legalize.h"

#include "pass/conversions/expressible.h"
#include "pass/conversions/implicit.h"
#include "pass/conversions/legality.h"
#include "pass/expand/recognize.h"
#include "pass/pass.h"

typedef struct rewriting {
    module *m;
    const dialect *to;
    const legalize_options *options;
    reach reach;
    arena memory; /* of one round */
    function *f, *fresh;
    value_id *now; /* by value of f */
    bool expanded;
    bool recognizes; /* this round only looks for contractions */
} rewriting;

/* Operands of one shape. */
static value_id spread_operands(rewriting *w, builder *b, const node *n, value_id *in)
{
    const type *t = value_type(w->f, n->first_value);
    value_id first;
    for (uint32_t i = 0; i < n->n_in; i++)
        in[i] = build_broadcast(b, in[i], t->dims, t->rank);
    if (b->status != TN_OK)
        return NO_VALUE;
    node_desc d = node_desc_of(n, in);
    d.spelling = 0;
    b->status = function_add_like(w->fresh, &d, w->f, n, &first);
    return b->status == TN_OK ? first : NO_VALUE;
}

/* Integers never round. */
static bool rounds(const rewriting *w, const node *n)
{
    return !dtype_is_int(value_type(w->f, n->first_value)->dtype);
}

static void tell_relaxed(const rewriting *w, const node *n, const char *label)
{
    if (!w->options->quiet && rounds(w, n))
        diag_warn(&w->m->cx->diag, DIAG_Advice, &w->m->source, n->at,
                  "'%s' becomes %s for %s, which may round differently", op_table[n->op].text,
                  label, w->to->can->family);
}

static expand_call call_for(rewriting *w, builder *b, const node *n, const value_id *in)
{
    return (expand_call){.to = w->to,
                         .b = b,
                         .f = w->f,
                         .n = n,
                         .in = in,
                         .now = w->now,
                         .out = value_type(w->f, n->first_value),
                         .memory = &w->memory};
}

/* The contraction that N is; NO_VALUE when it is none. */
static value_id recognize(rewriting *w, builder *b, const node *n, const value_id *in)
{
    expand_call c = call_for(w, b, n, in);
    if (n->op != OP_SUM || (w->options->exact_only && rounds(w, n)))
        return NO_VALUE;
    value_id v = recognize_contraction(&c);
    if (b->status != TN_OK || v == NO_VALUE || value_type(w->fresh, v) != c.out)
        return NO_VALUE;
    tell_relaxed(w, n, "a contraction");
    return v;
}

/* What the rows of expand.def make of N; NO_VALUE when none fits. */
static value_id expand(rewriting *w, builder *b, const node *n, const value_id *in)
{
    expand_call c = call_for(w, b, n, in);
    for (uint32_t i = 0; i < n_expansions && n->n_results == 1; i++) {
        const expansion_info *e = &expansions[i];
        if (e->op != n->op || !w->reach.row[i] ||
            (e->class == EXPANSION_RELAXED && w->options->exact_only && rounds(w, n)))
            continue;
        value_id v = expand_functions[i](&c);
        if (b->status != TN_OK)
            return NO_VALUE;
        if (v == NO_VALUE || value_type(w->fresh, v) != c.out)
            continue;
        if (e->class == EXPANSION_RELAXED)
            tell_relaxed(w, n, e->label);
        if (n->op == OP_STOP_GRADIENT && !w->options->quiet)
            diag_warn(&w->m->cx->diag, DIAG_Advice, &w->m->source, n->at,
                      "%s has no 'stop_gradient': the derivative is no longer stopped here",
                      w->to->can->family);
        return v;
    }
    return NO_VALUE;
}

static tn_status copy_node(rewriting *w, const node *n, const value_id *in)
{
    const node_desc d = node_desc_of(n, in);
    value_id first;
    TN_TRY(function_add_like(w->fresh, &d, w->f, n, &first));
    for (uint32_t i = 0; i < n->n_results; i++)
        w->now[n->first_value + i] = first + i;
    return TN_OK;
}

static tn_status rewrite_node(rewriting *w, uint32_t k)
{
    const node *n = &w->f->nodes.at[k];
    value_id *in = ARENA_ARRAY(&w->memory, value_id, (size_t)n->n_in + 1), v = NO_VALUE;
    char why[OBJECTION_SIZE];
    if (!in)
        return module_no_memory(w->m);
    for (uint32_t i = 0; i < n->n_in; i++)
        in[i] = w->now[n->in[i]];
    if (w->recognizes) {
        builder b = builder_on(w->fresh, n->at);
        v = recognize(w, &b, n, in);
        TN_TRY(b.status);
    } else if (!expressible_node(w->to, w->f, n, why) && expressible_extents(w->to, w->f, n)) {
        builder b = builder_on(w->fresh, n->at);
        bool spelt = w->to->spelling((op_id)n->op) != NULL;
        v = spelt && expressible_needs_broadcast(w->to, w->f, n) ? spread_operands(w, &b, n, in)
                                                                 : expand(w, &b, n, in);
        TN_TRY(b.status);
    }
    if (v == NO_VALUE)
        return copy_node(w, n, in);
    w->now[n->first_value] = v;
    w->expanded = true;
    return TN_OK;
}

/* The nodes of FROM become those of F, which keeps its name and what its results are called. */
static void take_over(function *f, function *from, const tn_allocator *a)
{
    VECTOR_RELEASE(a, &f->nodes);
    VECTOR_RELEASE(a, &f->values);
    VECTOR_RELEASE(a, &f->inputs);
    VECTOR_RELEASE(a, &f->outputs);
    VECTOR_RELEASE(a, &f->hints);
    VECTOR_RELEASE(a, &f->declared);
    const function before = *f;
    *f = *from;
    f->name = before.name;
    f->is_region = before.is_region;
    f->tuples.at = before.tuples.at;
    f->tuples.n = before.tuples.n;
    f->tuples.cap = before.tuples.cap;
    f->output_names.at = before.output_names.at;
    f->output_names.n = before.output_names.n;
    f->output_names.cap = before.output_names.cap;
    from->nodes.at = NULL;
}

static tn_status finish_function(rewriting *w)
{
    module *m = w->m;
    function *f = w->f;
    for (uint32_t i = 0; i < f->outputs.n; i++)
        TN_TRY(function_add_output(w->fresh, w->now[f->outputs.at[i]]));
    for (uint32_t i = 0; i < f->declared.n; i++) {
        declared_type d = {w->now[f->declared.at[i].of], f->declared.at[i].type};
        bool ascends =
            w->fresh->declared.n == 0 || w->fresh->declared.at[w->fresh->declared.n - 1].of < d.of;
        if (ascends && !VECTOR_PUSH(m->allocator, &w->fresh->declared, d))
            return module_no_memory(m);
    }
    for (uint32_t i = 0; f == module_entry(m) && i < m->gradients.n; i++)
        m->gradients.at[i] = w->now[m->gradients.at[i]];
    /* Inputs keep their order of the interface, which need not be that of their nodes. */
    for (uint32_t i = 0; i < f->inputs.n; i++)
        w->fresh->inputs.at[i] = w->now[f->inputs.at[i]];
    if (f->hints.n && !w->options->quiet)
        diag_warn(&m->cx->diag, DIAG_Advice, &m->source, NO_SPAN,
                  "the fusion hints of '%s' are left out: its operations changed", f->name);
    take_over(f, w->fresh, m->allocator);
    return TN_OK;
}

static bool needs_rewriting(const rewriting *w, const function *f)
{
    char why[OBJECTION_SIZE];
    for (uint32_t k = 0; k < f->nodes.n; k++)
        if (w->recognizes ? f->nodes.at[k].op == OP_SUM
                          : !expressible_node(w->to, f, &f->nodes.at[k], why))
            return true;
    return false;
}

static tn_status rewrite_function(rewriting *w, function *f)
{
    module *m = w->m;
    w->f = f;
    w->now = ARENA_ARRAY(&w->memory, value_id, (size_t)f->values.n + 1);
    w->fresh = w->now ? module_add_function(m, f->name, strlen(f->name)) : NULL;
    if (!w->fresh)
        return module_no_memory(m);
    tn_status s = TN_OK;
    for (uint32_t k = 0; s == TN_OK && k < f->nodes.n; k++)
        s = rewrite_node(w, k);
    if (s == TN_OK)
        s = finish_function(w);
    if (s == TN_OK)
        m->functions.n--; /* the place of `fresh`, which is F now */
    return s;
}

/* One round over all functions. */
static tn_status round_of(rewriting *w)
{
    uint32_t n = w->m->functions.n;
    w->expanded = false;
    for (uint32_t i = 0; i < n; i++) {
        function *f = w->m->functions.at[i];
        if (needs_rewriting(w, f))
            TN_TRY(rewrite_function(w, f));
    }
    return TN_OK;
}

/* Drop what belongs to the source dialect and has no place in the target. */
static void leave_out(rewriting *w)
{
    module *m = w->m;
    const uint32_t n_gradients = m->gradients.n;
    if (expressible_same_family(m, w->to))
        return;
    m->gradients.n = 0;
    if (w->options->quiet)
        return;
    if (n_gradients)
        diag_warn(&m->cx->diag, DIAG_Advice, &m->source, NO_SPAN,
                  "%s has no list of gradients: they stay as outputs only", w->to->can->family);
    for (uint32_t i = 0; i < m->functions.n; i++)
        if (m->functions.at[i]->hints.n)
            diag_warn(&m->cx->diag, DIAG_Advice, &m->source, NO_SPAN,
                      "%s has no fusion hints: those of '%s' are left out", w->to->can->family,
                      m->functions.at[i]->name);
}

/* Does the source dialect lack contractions, so that sums of products stand for them? */
static bool means_contractions(const module *m, const dialect *to)
{
    const dialect *from = dialect_by_name(m->dialect);
    return from && !from->spelling(OP_DOT_GENERAL) && !from->spelling(OP_MATMUL) &&
           (to->spelling(OP_DOT_GENERAL) || to->spelling(OP_MATMUL));
}

static tn_status rewrite(module *m, const dialect *to, const legalize_options *options)
{
    enum { MAX_ROUNDS = 16 };
    rewriting w = {.m = m, .to = to, .options = options};
    bool any = false;
    tn_status s = TN_OK;
    leave_out(&w);
    legality_find_reach(to, &w.reach);
    w.recognizes = means_contractions(m, to);
    for (int round = 0; s == TN_OK && round < MAX_ROUNDS; round++) {
        const bool goes_on = w.recognizes;
        arena_init(&w.memory, m->allocator);
        s = round_of(&w);
        arena_release(&w.memory);
        any = any || w.expanded;
        w.recognizes = false;
        if (!goes_on && !w.expanded)
            break;
    }
    if (s == TN_OK && to->can->implicit_broadcast && !expressible_same_family(m, to))
        any = drop_broadcasts(m) || any;
    return s == TN_OK && any ? pass_run(m, PASS_DCE, false, NULL) : s;
}

tn_status legalize(module *m, const dialect *to, const legalize_options *options)
{
    static const legalize_options defaults = {0};
    origins o = {.n = 0};
    TN_TRY(expressible_report_module(m, to));
    o.is_exact = options && options->exact_only;
    arena_init(&o.memory, m->allocator);
    tn_status s = expressible_note_origins(m, &o);
    if (s == TN_OK)
        s = rewrite(m, to, options ? options : &defaults);
    if (s == TN_OK)
        s = expressible_report_nodes(m, to, &o);
    arena_release(&o.memory);
    return s == TN_OK ? module_verify(m, "legalize") : s;
}
