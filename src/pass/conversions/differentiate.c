/* Static reverse-mode differentiation: a module to its gradient module. */
#include "pass/conversions/differentiate.h"

#include <string.h>

#include "grad/reverse.h"
#include "ops/node_facts.h"
#include "pass/pass.h"

typedef struct walk {
    const grad_options *options;
    module *m;   /* the gradient module */
    function *f; /* its entry */
    uint32_t *wrt;
    uint32_t n_wrt;
    reverse_walk reverse;
    grad_work work;
    arena memory; /* of wrt and recompute */
} walk;

static tn_status no_memory(const walk *w)
{
    return module_no_memory(w->m);
}

/* ---- what is asked for ---- */

static tn_status check_float(walk *w, value_id v, const char *what)
{
    const type *t = value_type(w->f, v);
    if (dtype_is_float(t->dtype))
        return TN_OK;
    return node_report(w->f, node_of(w->f, v), DIAG_NotDifferentiable,
                       "the %s '%s' is %s: only floating-point values have gradients", what,
                       value_called(w->f, v), type_text(&w->memory, &w->m->types, t));
}

static tn_status choose_inputs(walk *w)
{
    uint32_t n_inputs = w->f->inputs.n;
    w->wrt = ARENA_ARRAY(&w->memory, uint32_t, n_inputs + w->options->n_wrt);
    if (!w->wrt)
        return no_memory(w);
    if (w->options->wrt) {
        for (uint32_t i = 0; i < w->options->n_wrt; i++) {
            TN_TRY(check_float(w, w->f->inputs.at[w->options->wrt[i]], "input"));
            w->wrt[w->n_wrt++] = w->options->wrt[i];
        }
        return TN_OK;
    }
    for (uint32_t i = 0; i < n_inputs; i++) {
        bool is_cotangent = w->options->has_cotangent && i == w->options->cotangent;
        if (!is_cotangent && dtype_is_float(value_type(w->f, w->f->inputs.at[i])->dtype))
            w->wrt[w->n_wrt++] = i;
    }
    return TN_OK;
}

static tn_status mark_dependent(walk *w)
{
    reverse_walk *r = &w->reverse;
    TN_TRY(reverse_init(r, w->f, 0, &w->options->style, 0, &w->work));
    for (uint32_t i = 0; i < w->n_wrt; i++)
        r->depends[w->f->inputs.at[w->wrt[i]]] = true;
    reverse_mark(r);
    if (!w->options->n_recompute)
        return TN_OK;
    bool *recompute = ARENA_ARRAY(&w->memory, bool, r->end_node);
    r->again = ARENA_ARRAY(&w->memory, value_id, r->n_values);
    r->recompute = recompute;
    if (!recompute || !r->again)
        return no_memory(w);
    for (uint32_t i = 0; i < r->n_values; i++)
        r->again[i] = NO_VALUE;
    for (uint32_t i = 0; i < w->options->n_recompute; i++) {
        const node *n = node_of(w->f, w->options->recompute[i]);
        recompute[n - w->f->nodes.at] = n->op != OP_INPUT && !node_draws(n);
    }
    return TN_OK;
}

static tn_status many_elements(walk *w, value_id loss)
{
    diag_channel *d = &w->m->cx->diag;
    const tn_status s =
        node_report(w->f, node_of(w->f, loss), DIAG_GradientShape,
                    "the loss '%s' is %s, but a loss has one element", value_called(w->f, loss),
                    type_text(&w->memory, &w->m->types, value_type(w->f, loss)));
    diag_fix(d, NO_SPAN, NULL,
             "sum it or take its mean, choose another output (%s), or say the gradient of its "
             "elements (%s)",
             diag_setting_name(d, SETTING_LOSS), diag_setting_name(d, SETTING_SEED));
    return s;
}

/* The gradient of the loss itself. */
static tn_status seed_loss(walk *w)
{
    value_id loss = w->f->outputs.at[w->options->loss];
    const type *t = value_type(w->f, loss);
    TN_TRY(check_float(w, loss, "loss"));
    if (w->options->has_cotangent) {
        value_id given = w->f->inputs.at[w->options->cotangent];
        if (value_type(w->f, given) != t)
            return node_report(w->f, node_of(w->f, given), DIAG_GradientShape,
                               "the cotangent '%s' is %s, not of the loss's type %s",
                               value_called(w->f, given),
                               type_text(&w->memory, &w->m->types, value_type(w->f, given)),
                               type_text(&w->memory, &w->m->types, t));
        w->reverse.grads[loss] = given;
        return TN_OK;
    }
    if (t->count != 1 && w->options->seed == 0)
        return many_elements(w, loss);
    if (t->count == 0) /* which contributes nothing, as no value without elements does */
        return TN_OK;
    builder b = reverse_builder(&w->reverse, loss);
    double seed = w->options->seed == 0 ? 1 : w->options->seed;
    w->reverse.grads[loss] = build_splat(&b, t->dtype, t->dims, t->rank, scalar_of_float(seed));
    return b.status;
}

/* ---- the module ---- */

static tn_status finish_input(walk *w, uint32_t input)
{
    value_id v = w->f->inputs.at[input];
    builder b = reverse_builder(&w->reverse, v);
    value_id g = reverse_result(&w->reverse, &b, v);
    TN_TRY(b.status);
    TN_TRY(function_add_output(w->f, g));
    return VECTOR_PUSH(w->m->allocator, &w->m->gradients, v) &&
                   VECTOR_PUSH(w->m->allocator, &w->m->gradients, g)
               ? TN_OK
               : no_memory(w);
}

/* Renumber the regions that N runs. */
static tn_status renumber_regions(module *m, node *n, const uint32_t *map)
{
    attr entries[8];
    bool changed = false;
    if (n->attrs->n > sizeof entries / sizeof entries[0])
        return TN_OK; /* no op with regions has as many */
    for (uint32_t i = 0; i < n->attrs->n; i++) {
        entries[i] = n->attrs->at[i];
        if (attr_keys[entries[i].key].kind != ATTR_FUNCTION)
            continue;
        entries[i].v.i = map[entries[i].v.i];
        changed = changed || entries[i].v.i != n->attrs->at[i].v.i;
    }
    if (changed)
        n->attrs = attrs_of(&m->attrs, entries, n->attrs->n);
    return n->attrs ? TN_OK : module_no_memory(m);
}

/* Mark the functions that nodes of marked ones run. A region is made before the nodes that run it,
 * but may run one that is made later, so the search is repeated until it finds nothing new. */
static void mark_run(const module *m, bool *live)
{
    bool found = true;
    while (found) {
        found = false;
        for (uint32_t i = 0; i < m->functions.n; i++) {
            const function *f = m->functions.at[i];
            for (uint32_t k = 0; live[i] && k < f->nodes.n; k++)
                for (uint32_t e = 0; e < f->nodes.at[k].attrs->n; e++) {
                    const attr *a = &f->nodes.at[k].attrs->at[e];
                    if (attr_keys[a->key].kind == ATTR_FUNCTION && !live[a->v.i])
                        live[a->v.i] = found = true;
                }
        }
    }
}

/* How many functions of M, of those that are LIVE, keep their places: random numbers depend on
 * these. */
static uint32_t count_in_place(const module *m, const bool *live)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->functions.n; i++)
        for (uint32_t k = 0; live[i] && k < m->functions.at[i]->nodes.n; k++)
            if (node_draws(&m->functions.at[i]->nodes.at[k]))
                n = i + 1;
    return n;
}

/* What stands before a function that keeps its place lives on, and what that runs. */
static void mark_before(const module *m, bool *live)
{
    uint32_t kept = 0;
    for (uint32_t n; (n = count_in_place(m, live)) > kept; kept = n) {
        memset(live, true, n * sizeof *live);
        mark_run(m, live);
    }
}

/* Drop regions that PRIMAL runs but this module does not: intermediate regions, and bodies of loops
 * that were replaced. */
static tn_status drop_regions(walk *w, const module *primal)
{
    module *m = w->m;
    bool *live = ARENA_ARRAY(&w->memory, bool, m->functions.n);
    bool *was = ARENA_ARRAY(&w->memory, bool, m->functions.n);
    uint32_t *map = ARENA_ARRAY(&w->memory, uint32_t, m->functions.n), n = 0;
    if (!live || !was || !map)
        return no_memory(w);
    for (uint32_t i = 0; i < primal->functions.n; i++)
        was[i] = !primal->functions.at[i]->is_region;
    mark_run(primal, was);
    for (uint32_t i = 0; i < primal->functions.n; i++)
        live[i] = !primal->functions.at[i]->is_region || !was[i];
    mark_run(m, live);
    mark_before(m, live);
    for (uint32_t i = 0; i < m->functions.n; i++) {
        function *f = m->functions.at[i];
        if (live[i]) {
            map[i] = n;
            m->functions.at[n++] = f;
        } else {
            function_release(f);
        }
    }
    if (n == m->functions.n)
        return TN_OK;
    m->functions.n = n;
    m->entry = map[m->entry];
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < m->functions.at[i]->nodes.n; k++)
            TN_TRY(renumber_regions(m, &m->functions.at[i]->nodes.at[k], map));
    return TN_OK;
}

static tn_status run(walk *w, const module *primal)
{
    TN_TRY(choose_inputs(w));
    TN_TRY(mark_dependent(w));
    TN_TRY(seed_loss(w));
    TN_TRY(reverse_run(&w->reverse));
    w->m->gradients.n = 0; /* of a module that was a gradient module itself */
    for (uint32_t i = 0; i < w->n_wrt; i++)
        TN_TRY(finish_input(w, w->wrt[i]));
    TN_TRY(replacements_apply(&w->work.replacements, w->f));
    TN_TRY(pass_run(w->m, PASS_CANONICALIZE, false, NULL));
    if (w->m->functions.n > primal->functions.n)
        TN_TRY(drop_regions(w, primal));
    if (w->options->skip_verify)
        return TN_OK;
    tn_status s = module_verify(w->m, NULL);
    if (s != TN_ERR_REJECTED)
        return s;
    return diag_report(&w->m->cx->diag, DIAG_GradientVerification, &w->m->source, NO_SPAN,
                       "the gradient module does not verify");
}

tn_status differentiate(const module *m, const grad_options *options, module **out)
{
    walk w = {.options = options, .m = module_copy(m)};
    if (!w.m)
        return module_no_memory(m);
    w.f = module_entry(w.m);
    arena_init(&w.memory, w.m->allocator);
    tn_status s = run(&w, m);
    arena_release(&w.memory);
    grad_work_release(m->allocator, &w.work);
    if (s == TN_OK)
        *out = w.m;
    else
        module_free(w.m);
    return s;
}
