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

#include <inttypes.h>
#include <stdio.h>

#include "ops/shape.h"
#include "pass/conversions/implicit.h"
#include "pass/expand/expand.h"
#include "pass/expand/recognize.h"
#include "pass/pass.h"

const expansion_info expansions[] = {
#define EXPAND(op, function, class, uses, label)                                                   \
    {OP_##op, #function, EXPANSION_##class, uses, label},
#include "pass/expand/expand.def"
#undef EXPAND
};
const uint32_t n_expansions = sizeof expansions / sizeof expansions[0];

static expand_fn *const expand_functions[] = {
#define EXPAND(op, function, class, uses, label) expand_##function,
#include "pass/expand/expand.def"
#undef EXPAND
};

static const char *const refusals[OP_COUNT] = {
#define REFUSE(op, why) [OP_##op] = why,
#include "pass/conversions/refuse.def"
#undef REFUSE
};

const char *op_refusal(op_id op)
{
    return refusals[op];
}

/* ---- which rows lead to a dialect ---------------------------------------------------------- */

/* How many expansions, one after the other, lead from an op to a dialect, and which rows are steps
 * on such a way. Every step leads closer, so that expansion ends. */
enum { SOMETIMES = 254, UNREACHED = 255 };
typedef struct reach {
    uint8_t distance[OP_COUNT]; /* 0: the dialect has it */
    bool relaxed[OP_COUNT];     /* the first row that leads there, or one after it, is relaxed */
    bool row[128];
} reach;

_Static_assert(sizeof expansions / sizeof expansions[0] <= 128, "reach.row is too short");

/* The largest distance of the ops named in USES. */
static uint8_t distance_of(const reach *r, const char *uses)
{
    uint8_t most = 0;
    for (const char *at = uses; *at;) {
        size_t n = strcspn(at, " ");
        op_id op = op_by_name(at, n);
        uint8_t d = op == OP_COUNT ? UNREACHED : r->distance[op];
        most = d > most ? d : most;
        at += n + (at[n] == ' ');
    }
    return most;
}

static void find_reach(const dialect *to, reach *r)
{
    bool changed = true;
    memset(r, 0, sizeof *r);
    for (int op = 0; op < OP_COUNT; op++)
        r->distance[op] = to->spelling((op_id)op) ? 0 : UNREACHED;
    for (uint8_t step = 1; changed && step < SOMETIMES; step++) {
        changed = false;
        for (uint32_t i = 0; i < n_expansions; i++)
            if (r->distance[expansions[i].op] == UNREACHED &&
                expansions[i].class != EXPANSION_SOMETIMES &&
                distance_of(r, expansions[i].uses) < step) {
                r->distance[expansions[i].op] = step;
                changed = true;
            }
    }
    for (uint32_t i = 0; i < n_expansions; i++)
        if (expansions[i].class == EXPANSION_SOMETIMES &&
            r->distance[expansions[i].op] == UNREACHED &&
            distance_of(r, expansions[i].uses) < SOMETIMES)
            r->distance[expansions[i].op] = SOMETIMES;
    for (uint32_t i = 0; i < n_expansions; i++) {
        uint8_t own = r->distance[expansions[i].op], d = distance_of(r, expansions[i].uses);
        r->row[i] = own != UNREACHED && d < SOMETIMES && (d == 0 || own == 0 || d < own);
    }
}

static bool uses_relaxed(const reach *r, const char *uses)
{
    for (const char *at = uses; *at;) {
        size_t n = strcspn(at, " ");
        op_id op = op_by_name(at, n);
        if (op != OP_COUNT && r->relaxed[op])
            return true;
        at += n + (at[n] == ' ');
    }
    return false;
}

/* In order of distance, so that the ops that a row uses are settled before the row. */
static void find_relaxed(reach *r)
{
    for (uint32_t step = 1; step <= SOMETIMES; step++)
        for (int op = 0; op < OP_COUNT; op++)
            for (uint32_t i = 0; r->distance[op] == step && i < n_expansions; i++)
                if (expansions[i].op == (op_id)op && r->row[i]) {
                    r->relaxed[op] = expansions[i].class == EXPANSION_RELAXED ||
                                     uses_relaxed(r, expansions[i].uses);
                    break;
                }
}

legality op_legality(op_id op, const dialect *to, const expansion_info **by, bool *relaxed)
{
    reach r;
    *by = NULL;
    *relaxed = false;
    if (to->spelling(op))
        return LEGAL_SPELT;
    find_reach(to, &r);
    find_relaxed(&r);
    for (uint32_t i = 0; i < n_expansions; i++)
        if (expansions[i].op == op && r.row[i]) {
            *by = &expansions[i];
            *relaxed = r.relaxed[op];
            return LEGAL_EXPANDED;
        }
    return LEGAL_NEVER;
}

/* ---- what is in the way -------------------------------------------------------------------- */

static bool shapes_differ(const function *f, const node *n)
{
    for (uint32_t i = 0; i < n->n_in; i++) {
        const type *a = value_type(f, n->first_value), *b = value_type(f, n->in[i]);
        if (a->rank != b->rank)
            return true;
        for (uint32_t k = 0; k < a->rank; k++)
            if (!dims_may_equal(a->dims[k], b->dims[k]))
                return true;
    }
    return false;
}

static bool broadcasts(const dialect *to, const function *f, const node *n)
{
    return to->can->explicit_broadcast && n->n_in > 1 && op_table[n->op].traits & T_ELEMENTWISE &&
           shapes_differ(f, n);
}

/* Was M read from a form of the dialect TO? */
static bool is_same_family(const module *m, const dialect *to)
{
    const dialect *from = m->dialect ? dialect_by_name(m->dialect) : NULL;
    return from && from->can == to->can;
}

/* Can TO spell the extent D of M? */
static bool spells_extent(const dialect *to, const module *m, dim d)
{
    return !dim_is_symbolic(d) || to->can->symbols ||
           (to->can->own_symbols && is_same_family(m, to) &&
            dim_expr_of(&m->types, d)->op == DIM_SYM);
}

/* Can the extents of N's results be written? Other operations make results of the same extents. */
static bool spells_extents(const dialect *to, const function *f, const node *n)
{
    for (uint32_t i = 0; i < n->n_results; i++) {
        const type *t = value_type(f, n->first_value + i);
        for (uint32_t k = 0; k < t->rank; k++)
            if (!spells_extent(to, f->module, t->dims[k]))
                return false;
    }
    return true;
}

/* Can N be written as it stands? WHY says what is in the way. */
static bool is_expressible(const dialect *to, const function *f, const node *n,
                           char why[OBJECTION_SIZE])
{
    const char *op = op_table[n->op].text;
    if (!to->spelling((op_id)n->op) && (refusals[n->op] || spells_extents(to, f, n))) {
        (void)snprintf(why, OBJECTION_SIZE, "it has no operation for '%s'%s%s", op,
                       refusals[n->op] ? ": " : "", refusals[n->op] ? refusals[n->op] : "");
        return false;
    }
    for (uint32_t i = 0; i < n->n_results; i++) {
        const type *t = value_type(f, n->first_value + i);
        if (!(to->can->dtypes >> t->dtype & 1)) {
            (void)snprintf(why, OBJECTION_SIZE, "it has no element type %s", dtype_name(t->dtype));
            return false;
        }
    }
    if (!spells_extents(to, f, n)) {
        (void)snprintf(why, OBJECTION_SIZE, "every extent must be a number%s%s%s",
                       to->can->own_symbols ? ", unless the program was read from " : "",
                       to->can->own_symbols ? to->can->family : "",
                       to->can->own_symbols ? " text" : "");
        return false;
    }
    if (broadcasts(to, f, n)) {
        (void)snprintf(why, OBJECTION_SIZE, "operands of '%s' must have one shape", op);
        return false;
    }
    return !to->can->takes || to->can->takes(f, n, why);
}

static tn_status report_module(const module *m, const dialect *to)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->functions.n; i++)
        n += !m->functions.at[i]->is_region;
    if (n <= 1 || to->can->many_functions)
        return TN_OK;
    tn_status s =
        diag_report(&m->cx->diag, DIAG_NotExpressible, &m->source, NO_SPAN,
                    "%s programs are one function, and this one has %" PRIu32, to->can->family, n);
    diag_fix(&m->cx->diag, NO_SPAN, NULL, "choose one with %s",
             diag_setting_name(&m->cx->diag, SETTING_ENTRY));
    return s;
}

/* What the program says at a place, before it was rewritten. */
typedef struct origin {
    span at;
    op_id op;
} origin;

typedef struct origins {
    arena memory;
    const origin *at;
    uint32_t n;
    bool is_exact; /* what a relaxed expansion could write is refused */
} origins;

static tn_status note_origins(const module *m, origins *o)
{
    size_t n = 0;
    for (uint32_t i = 0; i < m->functions.n; i++)
        n += m->functions.at[i]->nodes.n;
    origin *at = ARENA_ARRAY(&o->memory, origin, n + 1);
    if (!at)
        return module_no_memory(m);
    o->at = at;
    for (uint32_t i = 0; i < m->functions.n; i++)
        for (uint32_t k = 0; k < m->functions.at[i]->nodes.n; k++) {
            const node *f = &m->functions.at[i]->nodes.at[k];
            if (f->at.at != NO_SPAN.at)
                at[o->n++] = (origin){f->at, (op_id)f->op};
        }
    return TN_OK;
}

/* The op that the program has where N stands; N's own when it was not made from another. */
static op_id original_op(const origins *o, const node *n)
{
    for (uint32_t i = 0; o && i < o->n; i++)
        if (o->at[i].at.at == n->at.at && o->at[i].at.length == n->at.length)
            return o->at[i].op;
    return (op_id)n->op;
}

static tn_status report_node(const function *f, const node *n, const dialect *to, op_id was,
                             const char *why)
{
    const char *op = op_table[n->op].text;
    if (was == (op_id)n->op)
        return node_report(f, n, DIAG_NotExpressible, "%s cannot express '%s': %s", to->can->family,
                           op, why);
    return node_report(f, n, DIAG_NotExpressible, "%s cannot express '%s', not even with '%s': %s",
                       to->can->family, op_table[was].text, op, why);
}

/* Does N have to do with sizes without a value? */
static bool is_dynamic(const function *f, const node *n)
{
    bool dynamic = false;
    for (uint32_t r = 0; r < n->n_results; r++)
        dynamic = dynamic || !type_is_static(value_type(f, n->first_value + r));
    for (uint32_t k = 0; k < n->n_in; k++)
        dynamic = dynamic || !type_is_static(value_type(f, n->in[k]));
    return dynamic;
}

/* Could it be written if its sizes had values? Not where TO lacks its element type, or has no way
 * to write the operation. */
static bool sizes_may_help(const dialect *to, const function *f, const node *n)
{
    const expansion_info *by;
    bool relaxed;
    for (uint32_t i = 0; i < n->n_results; i++)
        if (!(to->can->dtypes >> value_type(f, n->first_value + i)->dtype & 1))
            return false;
    return is_dynamic(f, n) && op_legality((op_id)n->op, to, &by, &relaxed) != LEGAL_NEVER;
}

/* Was the only way to write N with other rounding, which is not wanted? */
static bool is_for_exactness(const dialect *to, const node *n, const origins *o)
{
    const expansion_info *by;
    bool relaxed = false;
    return o && o->is_exact && op_legality((op_id)n->op, to, &by, &relaxed) == LEGAL_EXPANDED &&
           relaxed;
}

/* Report every node that is not expressible, but one node for each instruction of the text. */
static tn_status report_nodes(const module *m, const dialect *to, const origins *o)
{
    tn_status worst = TN_OK;
    uint32_t left = m->cx->limits.errors;
    span last = NO_SPAN;
    for (uint32_t i = 0; i < m->functions.n; i++) {
        const function *f = m->functions.at[i];
        for (uint32_t k = 0; k < f->nodes.n && left; k++) {
            const node *n = &f->nodes.at[k];
            char why[OBJECTION_SIZE];
            if (is_expressible(to, f, n, why))
                continue;
            if (o && n->at.at != NO_SPAN.at && n->at.at == last.at && n->at.length == last.length)
                continue;
            left--;
            last = n->at;
            worst = report_node(f, n, to, original_op(o, n), why);
            if (is_for_exactness(to, n, o))
                diag_note(&m->cx->diag, NULL, NO_SPAN,
                          "it could be written with other rounding, which %s refuses",
                          diag_setting_name(&m->cx->diag, SETTING_EXACT_ONLY));
            else if (sizes_may_help(to, f, n))
                diag_fix(&m->cx->diag, NO_SPAN, NULL, "give its sizes values (%s)",
                         diag_setting_name(&m->cx->diag, SETTING_BINDINGS));
            if (m->functions.n > 1)
                diag_note(&m->cx->diag, NULL, NO_SPAN, "in function '%s', instruction %" PRIu32,
                          f->name, k);
        }
    }
    return worst;
}

tn_status check_legal(const module *m, const dialect *to)
{
    tn_status a = report_module(m, to), b = report_nodes(m, to, NULL);
    return a == TN_OK ? b : a;
}

/* ---- rewriting a function ------------------------------------------------------------------ */

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
    node_desc d = {.op = (op_id)n->op,
                   .in = in,
                   .n_in = n->n_in,
                   .attrs = n->attrs,
                   .at = n->at,
                   .name = n->name,
                   .tag = n->tag};
    b->status = function_add_typed(w->fresh, &d, &t, 1, &first);
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
    const type *few[8];
    const type **types =
        n->n_results <= 8 ? few : ARENA_ARRAY(&w->memory, const type *, n->n_results);
    value_id first;
    if (!types)
        return module_no_memory(w->m);
    for (uint32_t i = 0; i < n->n_results; i++)
        types[i] = value_type(w->f, n->first_value + i);
    node_desc d = {.op = (op_id)n->op,
                   .in = in,
                   .n_in = n->n_in,
                   .attrs = n->attrs,
                   .at = n->at,
                   .name = n->name,
                   .tag = n->tag,
                   .spelling = n->spelling};
    TN_TRY(function_add_typed(w->fresh, &d, types, n->n_results, &first));
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
    } else if (!is_expressible(w->to, w->f, n, why) && spells_extents(w->to, w->f, n)) {
        builder b = builder_on(w->fresh, n->at);
        bool spelt = w->to->spelling((op_id)n->op) != NULL;
        v = spelt && broadcasts(w->to, w->f, n) ? spread_operands(w, &b, n, in)
                                                : expand(w, &b, n, in);
        TN_TRY(b.status);
    }
    if (v == NO_VALUE)
        return copy_node(w, n, in);
    w->now[n->first_value] = v;
    w->expanded = true;
    return TN_OK;
}

/* The nodes of FROM are those that TO has been given. */
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
                          : !is_expressible(w->to, f, &f->nodes.at[k], why))
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
    if (is_same_family(m, w->to))
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
    const dialect *from = m->dialect ? dialect_by_name(m->dialect) : NULL;
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
    find_reach(to, &w.reach);
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
    if (s == TN_OK && to->can->implicit_broadcast && !is_same_family(m, to))
        any = drop_broadcasts(m) || any;
    return s == TN_OK && any ? pass_run(m, PASS_DCE, false, NULL) : s;
}

tn_status legalize(module *m, const dialect *to, const legalize_options *options)
{
    static const legalize_options defaults = {0};
    origins o = {.n = 0};
    TN_TRY(report_module(m, to));
    o.is_exact = options && options->exact_only;
    arena_init(&o.memory, m->allocator);
    tn_status s = note_origins(m, &o);
    if (s == TN_OK)
        s = rewrite(m, to, options ? options : &defaults);
    if (s == TN_OK)
        s = report_nodes(m, to, &o);
    arena_release(&o.memory);
    return s == TN_OK ? module_verify(m, "legalize") : s;
}
