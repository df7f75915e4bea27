/* Static reverse-mode differentiation: a module to its gradient module. */
#include "pass/differentiate.h"

#include "ops/grad.h"
#include "pass/pass.h"

typedef struct walk {
    const grad_options *options;
    module *m;         /* the gradient module */
    function *f;       /* its entry */
    uint32_t n_primal; /* nodes of the primal program come first */
    uint32_t *wrt;
    uint32_t n_wrt;
    bool *depends;   /* primal value: on an input of wrt */
    value_id *grads; /* primal value: its gradient so far, or NO_VALUE */
    arena memory;    /* the three above */
} walk;

static const char *op_name(const node *n)
{
    return op_table[n->op].text;
}

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
                       "the %s %%%u is %s: only floating-point values have gradients", what, v,
                       type_text(&w->memory, &w->m->types, t));
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
    uint32_t n_values = w->f->values.n;
    w->depends = ARENA_ARRAY(&w->memory, bool, n_values);
    w->grads = ARENA_ARRAY(&w->memory, value_id, n_values);
    if (!w->depends || !w->grads)
        return no_memory(w);
    for (uint32_t i = 0; i < n_values; i++)
        w->grads[i] = NO_VALUE;
    for (uint32_t i = 0; i < w->n_wrt; i++)
        w->depends[w->f->inputs.at[w->wrt[i]]] = true;
    for (uint32_t i = 0; i < w->n_primal; i++) {
        const node *n = &w->f->nodes.at[i];
        bool any = false;
        for (uint32_t k = 0; k < n->n_in; k++)
            any = any || w->depends[n->in[k]];
        for (uint32_t r = 0; any && r < n->n_results; r++)
            w->depends[n->first_value + r] = true;
    }
    return TN_OK;
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
                               "the cotangent %%%u has another type than the loss %%%u", given,
                               loss);
        w->grads[loss] = given;
        return TN_OK;
    }
    if (t->count != 1)
        return node_report(w->f, node_of(w->f, loss), DIAG_GradientShape,
                           "the loss %%%u is %s, but a loss has one element", loss,
                           type_text(&w->memory, &w->m->types, t));
    builder b = builder_on(w->f, node_of(w->f, loss)->at);
    double seed = w->options->seed == 0 ? 1 : w->options->seed;
    w->grads[loss] = build_splat(&b, t->dtype, t->dims, t->rank, scalar_of_float(seed));
    return b.status;
}

/* ---- the reverse walk ---- */

static tn_status unsupported(const walk *w, const node *n)
{
    return node_report(w->f, n, DIAG_NoDerivative, "Autodiff unsupported operation '%s' at %%%u",
                       op_name(n), n->first_value);
}

/* Does a gradient flow into this value? Values without elements count as constants. */
static bool is_wanted(const walk *w, value_id v)
{
    const type *t = value_type(w->f, v);
    return w->depends[v] && dtype_is_float(t->dtype) && t->count != 0;
}

static tn_status add_contribution(walk *w, builder *b, value_id to, value_id contribution)
{
    if (contribution == NO_VALUE)
        return b->status;
    w->grads[to] = w->grads[to] == NO_VALUE ? contribution
                                            : build_binary(b, OP_ADD, w->grads[to], contribution);
    return b->status;
}

static tn_status visit(walk *w, uint32_t index)
{
    node n = w->f->nodes.at[index]; /* a copy: appending moves the original */
    bool any = false;
    for (uint32_t r = 0; r < n.n_results; r++)
        any = any || w->grads[n.first_value + r] != NO_VALUE;
    for (uint32_t k = 0; any && k < n.n_in; k++) {
        if (!is_wanted(w, n.in[k]))
            continue;
        value_id contribution = NO_VALUE;
        grad_call call = {.b = builder_on(w->f, n.at),
                          .n = n,
                          .operand = k,
                          .g = w->grads + n.first_value,
                          .core_only = w->options->core_only,
                          .out = &contribution};
        uint32_t n_errors = w->m->cx->diag.n_errors;
        tn_status s = op_table[n.op].grad(&call);
        if (s != TN_OK)
            return w->m->cx->diag.n_errors > n_errors ? s : unsupported(w, &n);
        TN_TRY(add_contribution(w, &call.b, n.in[k], contribution));
    }
    return TN_OK;
}

/* The gradient of an input: a constant zero where nothing flowed into it. */
static tn_status finish_input(walk *w, uint32_t input)
{
    value_id v = w->f->inputs.at[input], g = w->grads[v];
    if (g == NO_VALUE) {
        const type *t = value_type(w->f, v);
        builder b = builder_on(w->f, node_of(w->f, v)->at);
        g = build_splat(&b, t->dtype, t->dims, t->rank, scalar_of_float(0));
        TN_TRY(b.status);
    }
    TN_TRY(function_add_output(w->f, g));
    return VECTOR_PUSH(w->m->allocator, &w->m->gradients, v) &&
                   VECTOR_PUSH(w->m->allocator, &w->m->gradients, g)
               ? TN_OK
               : no_memory(w);
}

static tn_status run(walk *w)
{
    TN_TRY(choose_inputs(w));
    TN_TRY(mark_dependent(w));
    TN_TRY(seed_loss(w));
    for (uint32_t i = w->n_primal; i-- > 0;)
        TN_TRY(visit(w, i));
    w->m->gradients.n = 0; /* of a module that was a gradient module itself */
    for (uint32_t i = 0; i < w->n_wrt; i++)
        TN_TRY(finish_input(w, w->wrt[i]));
    TN_TRY(pass_run(w->m, PASS_CANONICALIZE, false, NULL));
    if (w->options->skip_verify || module_verify(w->m, NULL) == TN_OK)
        return TN_OK;
    return diag_report(&w->m->cx->diag, DIAG_GradientVerification, &w->m->source, NO_SPAN,
                       "the gradient module does not verify");
}

tn_status differentiate(const module *m, const grad_options *options, module **out)
{
    walk w = {.options = options, .m = module_copy(m)};
    if (!w.m)
        return module_no_memory(m);
    w.f = module_entry(w.m);
    w.n_primal = w.f->nodes.n;
    arena_init(&w.memory, w.m->allocator);
    tn_status s = run(&w);
    arena_release(&w.memory);
    if (s == TN_OK)
        *out = w.m;
    else {
        diag_flush(&m->cx->diag); /* what is open may point into the module */
        module_free(w.m);
    }
    return s;
}
