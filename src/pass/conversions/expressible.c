/* What a dialect can express of a program as it stands, and reports of what it cannot. */
#include "pass/conversions/expressible.h"

#include <inttypes.h>
#include <stdio.h>

#include "ops/shape.h"
#include "pass/conversions/legality.h"

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

bool expressible_needs_broadcast(const dialect *to, const function *f, const node *n)
{
    return to->can->explicit_broadcast && n->n_in > 1 && op_table[n->op].traits & T_ELEMENTWISE &&
           shapes_differ(f, n);
}

bool expressible_same_family(const module *m, const dialect *to)
{
    const dialect *from = dialect_by_name(m->dialect);
    return from && from->can == to->can;
}

/* Can TO spell the extent D of M? */
static bool spells_extent(const dialect *to, const module *m, dim d)
{
    return !dim_is_symbolic(d) || to->can->symbols ||
           (to->can->own_symbols && expressible_same_family(m, to) &&
            dim_expr_of(&m->types, d)->op == DIM_SYM);
}

bool expressible_extents(const dialect *to, const function *f, const node *n)
{
    for (uint32_t i = 0; i < n->n_results; i++) {
        const type *t = value_type(f, n->first_value + i);
        for (uint32_t k = 0; k < t->rank; k++)
            if (!spells_extent(to, f->module, t->dims[k]))
                return false;
    }
    return true;
}

bool expressible_node(const dialect *to, const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const char *op = op_table[n->op].text, *why_not = op_refusal((op_id)n->op);
    if (!to->spelling((op_id)n->op) && (why_not || expressible_extents(to, f, n))) {
        (void)snprintf(why, OBJECTION_SIZE, "it has no operation for '%s'%s%s", op,
                       why_not ? ": " : "", why_not ? why_not : "");
        return false;
    }
    for (uint32_t i = 0; i < n->n_results; i++) {
        const type *t = value_type(f, n->first_value + i);
        if (!(to->can->dtypes >> t->dtype & 1)) {
            (void)snprintf(why, OBJECTION_SIZE, "it has no element type %s", dtype_name(t->dtype));
            return false;
        }
    }
    if (!expressible_extents(to, f, n)) {
        (void)snprintf(why, OBJECTION_SIZE, "every extent must be a number%s%s%s",
                       to->can->own_symbols ? ", unless the program was read from " : "",
                       to->can->own_symbols ? to->can->family : "",
                       to->can->own_symbols ? " text" : "");
        return false;
    }
    if (expressible_needs_broadcast(to, f, n)) {
        (void)snprintf(why, OBJECTION_SIZE, "operands of '%s' must have one shape", op);
        return false;
    }
    return !to->can->takes || to->can->takes(f, n, why);
}

tn_status expressible_report_module(const module *m, const dialect *to)
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

tn_status expressible_note_origins(const module *m, origins *o)
{
    size_t most = 1;
    for (uint32_t i = 0; i < m->functions.n; i++)
        most += m->functions.at[i]->nodes.n;
    origin *at = ARENA_ARRAY(&o->memory, origin, most);
    if (!at)
        return module_no_memory(m);
    o->at = at;
    for (uint32_t i = 0; i < m->functions.n; i++)
        for (uint32_t k = 0; k < m->functions.at[i]->nodes.n; k++) {
            const node *n = &m->functions.at[i]->nodes.at[k];
            if (n->at.at != NO_SPAN.at)
                at[o->n++] = (origin){n->at, (op_id)n->op};
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

tn_status expressible_report_nodes(const module *m, const dialect *to, const origins *o)
{
    tn_status worst = TN_OK;
    uint32_t left = m->cx->limits.errors;
    span last = NO_SPAN;
    for (uint32_t i = 0; i < m->functions.n; i++) {
        const function *f = m->functions.at[i];
        for (uint32_t k = 0; k < f->nodes.n && left; k++) {
            const node *n = &f->nodes.at[k];
            char why[OBJECTION_SIZE];
            if (expressible_node(to, f, n, why))
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
    tn_status a = expressible_report_module(m, to), b = expressible_report_nodes(m, to, NULL);
    return a == TN_OK ? b : a;
}
