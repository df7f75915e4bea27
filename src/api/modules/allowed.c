/* Legality for targets of a caller's own: allowed operations, element types, free extents. */
#include <inttypes.h>

#include "api/api.h"
#include "tenon/convert.h"

typedef struct checking {
    const module *m;
    const tn_allowed *allowed;
    const function *f;
    uint32_t instruction; /* number of the next one */
    uint32_t findings;
} checking;

/* About N, an instruction or an input. */
static void find(checking *c, const node *n, const char *what, const char *name)
{
    diag_channel *d = &c->m->cx->diag;
    (void)node_report(c->f, n, DIAG_NotExpressible,
                      *name ? "%s %s is not allowed"
                            : "%s%s are not "
                              "allowed",
                      what, name);
    diag_note(d, NULL, NO_SPAN, "stage Legalize");
    if (n->op == OP_INPUT)
        diag_note(d, NULL, NO_SPAN, "function '%s'", c->f->name);
    else
        diag_note(d, NULL, NO_SPAN, "function '%s', instruction %" PRIu32, c->f->name,
                  c->instruction);
    c->findings++;
}

static bool allows_op(const tn_allowed *allowed, const char *name)
{
    for (size_t i = 0; allowed->ops && i < allowed->n_ops; i++)
        if (strcmp(allowed->ops[i], name) == 0)
            return true;
    return !allowed->ops;
}

static void check_results(checking *c, const node *n)
{
    for (uint32_t r = 0; r < n->n_results; r++) {
        const type *t = value_type(c->f, n->first_value + r);
        if (!(c->allowed->dtypes >> t->dtype & 1))
            find(c, n, "dtype", dtype_name(t->dtype));
        if (!c->allowed->dynamic_dims && !type_is_static(t))
            find(c, n, "dynamic dimensions", "");
    }
}

static void check_function(checking *c)
{
    const function *f = c->f;
    for (uint32_t i = 0; i < f->inputs.n; i++)
        check_results(c, node_of(f, f->inputs.at[i]));
    c->instruction = 0;
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        const node *n = &f->nodes.at[i];
        if (n->op == OP_INPUT)
            continue;
        if (!allows_op(c->allowed, op_table[n->op].text))
            find(c, n, "operation", op_table[n->op].text);
        check_results(c, n);
        c->instruction++;
    }
}

tn_status tn_module_check_allowed(const tn_module *tm, const tn_allowed *allowed)
{
    const module *m = tm->graph;
    tn_allowed own;
    checking c = {.m = m, .allowed = &own};
    if (OPTIONS_READ(&m->cx->diag, tn_allowed, dynamic_dims, &own, allowed) != TN_OK)
        return context_done(m->cx, TN_ERR_USAGE);
    for (int regions = 0; regions < 2; regions++)
        for (uint32_t i = 0; i < m->functions.n; i++) {
            c.f = m->functions.at[i];
            if (c.f->is_region == (regions == 1))
                check_function(&c);
        }
    return context_done(m->cx, c.findings ? TN_ERR_REJECTED : TN_OK);
}
