/* Converting modules to other dialects. */
#include "tenon/convert.h"

#include "api/api.h"
#include "pass/conversions/expressible.h"
#include "pass/conversions/legality.h"
#include "pass/conversions/legalize.h"
#include "pass/pass.h"

static bool is_target(const dialect *d)
{
    return d->can && d->write;
}

static tn_status find_target(context *cx, const char *name, const dialect **out)
{
    *out = dialect_by_name(name);
    if (*out && is_target(*out))
        return TN_OK;
    tn_status s = *out ? diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN,
                                     "nothing can be converted to '%s'", name)
                       : dialect_unknown(&cx->diag, name ? name : "");
    dialect_note_names(&cx->diag, is_target);
    return s;
}

/* What a text of the old dialect says about spelling means nothing in the new one. */
static void forget_spelling(module *m)
{
    for (uint32_t i = 0; i < m->functions.n; i++)
        for (uint32_t k = 0; k < m->functions.at[i]->nodes.n; k++)
            m->functions.at[i]->nodes.at[k].spelling = 0;
}

static bool same_family(const module *m, const dialect *to)
{
    const dialect *from = dialect_by_name(m->dialect);
    return from && from->can == to->can;
}

static tn_status convert(module *m, const char *dialect_name, const tn_convert_options *options)
{
    const dialect *to;
    tn_convert_options given;
    TN_TRY(OPTIONS_READ(&m->cx->diag, tn_convert_options, exact_only, &given, options));
    TN_TRY(find_target(m->cx, dialect_name, &to));
    legalize_options o = {.exact_only = given.exact_only};
    TN_TRY(legalize(m, to, &o));
    if (to->canonical)
        TN_TRY(pass_run(m, PASS_CANONICALIZE, true, NULL));
    if (!same_family(m, to))
        forget_spelling(m);
    m->dialect = to->name;
    return TN_OK;
}

tn_status tn_module_convert(tn_module *m, const char *dialect_name,
                            const tn_convert_options *options)
{
    return context_done(m->graph->cx, convert(m->graph, dialect_name, options));
}

tn_status tn_module_check_legal(const tn_module *m, const char *dialect_name)
{
    const dialect *to;
    context *cx = m->graph->cx;
    tn_status s = find_target(cx, dialect_name, &to);
    if (s == TN_OK)
        s = check_legal(m->graph, to);
    return context_done(cx, s);
}

bool tn_op_legality(size_t op, const char *dialect_name, tn_legality *legality_out,
                    const char **how)
{
    const dialect *to = dialect_by_name(dialect_name);
    const expansion_info *by = NULL;
    bool relaxed = false;
    if (op >= OP_COUNT || !to || !to->can)
        return false;
    switch (op_legality((op_id)op, to, &by, &relaxed)) {
    case LEGAL_SPELT:
        *legality_out = TN_LEGAL_SPELT;
        break;
    case LEGAL_EXPANDED:
        *legality_out = relaxed ? TN_LEGAL_RELAXED : TN_LEGAL_EXPANDED;
        break;
    case LEGAL_NEVER:
        *legality_out = TN_LEGAL_NEVER;
        break;
    }
    if (how)
        *how = by ? by->label : *legality_out == TN_LEGAL_NEVER ? op_refusal((op_id)op) : NULL;
    return true;
}
