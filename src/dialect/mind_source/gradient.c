/* Derivatives: what the loss depends on becomes a module of its own, which is differentiated and
 * put back. What does not depend on the variables is constant, an input of that module. */
#include <stdio.h>

#include "dialect/mind_source/lower.h"

typedef struct derivation {
    lowering *l;
    value_id loss;
    const value_id *wrt;
    uint32_t n_wrt;
    bool *depends;      /* value up to the loss: on a variable */
    bool *needed;       /* by the loss */
    value_id *map;      /* value to that of the module */
    value_id *captured; /* input of the module to value */
    module *m;
    function *f;
} derivation;

static bool no_memory(derivation *d)
{
    surface_no_memory(d->l->s);
    return false;
}

static bool keep(derivation *d, tn_status status)
{
    if (status != TN_OK && !surface_stopped(d->l->s) && status != TN_ERR_REJECTED)
        d->l->s->status = status;
    return status == TN_OK;
}

/* Which values depend on a variable, and which of those the loss needs. */
static bool mark(derivation *d)
{
    const function *f = d->l->f;
    uint32_t last = f->values.at[d->loss].node;
    size_t n = (size_t)d->loss + 1;
    bool *is_variable = ARENA_ARRAY(&d->l->s->memory, bool, n);
    d->depends = ARENA_ARRAY(&d->l->s->memory, bool, n);
    d->needed = ARENA_ARRAY(&d->l->s->memory, bool, n);
    d->map = ARENA_ARRAY(&d->l->s->memory, value_id, n);
    if (!is_variable || !d->depends || !d->needed || !d->map)
        return no_memory(d);
    for (uint32_t i = 0; i < d->n_wrt; i++)
        if (d->wrt[i] <= d->loss)
            is_variable[d->wrt[i]] = d->depends[d->wrt[i]] = true;
    for (uint32_t i = 0; i <= last; i++) {
        const node *at = &f->nodes.at[i];
        for (uint32_t k = 0; k < at->n_in; k++)
            d->depends[at->first_value] = d->depends[at->first_value] || d->depends[at->in[k]];
    }
    d->needed[d->loss] = true;
    for (uint32_t i = last + 1; i-- > 0;) {
        const node *at = &f->nodes.at[i];
        if (!d->needed[at->first_value] || !d->depends[at->first_value])
            continue;
        for (uint32_t k = 0; !is_variable[at->first_value] && k < at->n_in; k++)
            d->needed[at->in[k]] = true;
    }
    for (size_t i = 0; i < n; i++)
        d->map[i] = NO_VALUE;
    return true;
}

/* A new input of the module for the value V, which may be no value of the loss. */
static bool add_input(derivation *d, value_id v)
{
    char name[24];
    const type *t = value_type(d->l->f, v);
    value_id made;
    int n = snprintf(name, sizeof name, "v%" PRIu32, d->f->inputs.n);
    attr entries[2] = {{.key = KEY_NAME}, {.key = KEY_TYPE}};
    entries[0].v.s = module_string(d->m, name, (size_t)n);
    entries[1].v.type = type_of(&d->m->types, t->dtype, t->dims, t->rank);
    const attrs *a =
        entries[0].v.s && entries[1].v.type ? attrs_of(&d->m->attrs, entries, 2) : NULL;
    if (!a)
        return no_memory(d);
    d->captured[d->f->inputs.n] = v;
    node_desc desc = {.op = OP_INPUT, .attrs = a, .at = node_of(d->l->f, v)->at};
    if (!keep(d, function_add(d->f, &desc, &made)))
        return false;
    if (v <= d->loss && d->map[v] == NO_VALUE)
        d->map[v] = made;
    return true;
}

static bool copy_node(derivation *d, const node *from)
{
    value_id *in = ARENA_ARRAY(&d->l->s->memory, value_id, from->n_in);
    const attrs *a = module_attrs_from(d->m, from->attrs);
    value_id made;
    if (!in || !a)
        return no_memory(d);
    for (uint32_t k = 0; k < from->n_in; k++)
        in[k] = d->map[from->in[k]];
    node_desc desc = {
        .op = (op_id)from->op, .in = in, .n_in = from->n_in, .attrs = a, .at = from->at};
    if (!keep(d, function_add(d->f, &desc, &made)))
        return false;
    d->map[from->first_value] = made;
    return true;
}

/* The loss as a module: the variables are its first inputs. */
static bool make_module(derivation *d)
{
    const function *f = d->l->f;
    size_t most = (size_t)d->n_wrt + d->loss + 1;
    d->captured = ARENA_ARRAY(&d->l->s->memory, value_id, most);
    d->f = d->captured ? module_add_function(d->m, "loss", 4) : NULL;
    if (!d->f)
        return no_memory(d);
    d->m->source = d->l->s->m->source;
    d->m->dialect = dialect_mind_source.lowers_to;
    for (uint32_t i = 0; i < d->n_wrt; i++)
        if (!add_input(d, d->wrt[i]))
            return false;
    for (uint32_t i = 0; i <= f->values.at[d->loss].node; i++) {
        const node *n = &f->nodes.at[i];
        value_id v = n->first_value;
        if (!d->needed[v] || d->map[v] != NO_VALUE)
            continue;
        if (d->depends[v] || n->op == OP_CONSTANT ? !copy_node(d, n) : !add_input(d, v))
            return false;
    }
    return keep(d, function_add_output(d->f, d->map[d->loss]));
}

/* ---- putting the result back ---- */

static uint64_t hash_node(op_id op, const value_id *in, uint32_t n_in, const attrs *a)
{
    uint64_t h = hash_bytes((uint64_t)op, in, n_in * sizeof *in);
    return hash_mix(h, (uint64_t)(uintptr_t)a);
}

/* An existing node that computes the same, or a new one. */
static value_id share_node(lowering *l, const node_desc *desc)
{
    function *f = l->f;
    const tn_allocator *a = l->s->m->allocator;
    value_id made = NO_VALUE;
    for (; l->n_hashed < f->nodes.n; l->n_hashed++) {
        const node *n = &f->nodes.at[l->n_hashed];
        if (n->op != OP_INPUT &&
            !hash_add(a, &l->by_content, hash_node((op_id)n->op, n->in, n->n_in, n->attrs),
                      l->n_hashed)) {
            surface_no_memory(l->s);
            return NO_VALUE;
        }
    }
    /* the first of equal nodes, whatever the order in the index, which depends on addresses */
    uint32_t first = UINT32_MAX;
    uint64_t h = hash_node(desc->op, desc->in, desc->n_in, desc->attrs);
    for (uint32_t p = hash_first(&l->by_content, h), i;
         (i = hash_at(&l->by_content, h, &p)) != HASH_NONE;) {
        const node *n = &f->nodes.at[i];
        if (i < first && n->op == desc->op && n->attrs == desc->attrs && n->n_in == desc->n_in &&
            (n->n_in == 0 || memcmp(n->in, desc->in, n->n_in * sizeof *n->in) == 0))
            first = i;
    }
    if (first != UINT32_MAX)
        return f->nodes.at[first].first_value;
    if (!lowering_step(l, desc->at))
        return NO_VALUE;
    tn_status status = function_add(f, desc, &made);
    if (status != TN_OK)
        l->s->status = status;
    return status == TN_OK ? made : NO_VALUE;
}

/* The nodes of the gradient module G in the function; its variables become REPLACED_BY. */
static bool put_back(derivation *d, const module *g, const value_id *replaced_by,
                     value_id *loss_out, value_id *out)
{
    const function *from = module_entry(g);
    value_id *map = ARENA_ARRAY(&d->l->s->memory, value_id, from->values.n);
    if (!map)
        return no_memory(d);
    for (uint32_t i = 0; i < from->inputs.n; i++)
        map[from->inputs.at[i]] = i < d->n_wrt ? replaced_by[i] : d->captured[i];
    for (uint32_t i = 0; i < from->nodes.n; i++) {
        const node *n = &from->nodes.at[i];
        value_id *in = ARENA_ARRAY(&d->l->s->memory, value_id, n->n_in);
        const attrs *a = n->op == OP_INPUT ? NULL : module_attrs_from(d->l->s->m, n->attrs);
        if (n->op == OP_INPUT)
            continue;
        if (!in || !a)
            return no_memory(d);
        for (uint32_t k = 0; k < n->n_in; k++)
            in[k] = map[n->in[k]];
        node_desc desc = {.op = (op_id)n->op, .in = in, .n_in = n->n_in, .attrs = a, .at = n->at};
        map[n->first_value] = share_node(d->l, &desc);
        if (map[n->first_value] == NO_VALUE)
            return false;
    }
    *loss_out = map[from->outputs.at[0]];
    for (uint32_t i = 0; i < d->n_wrt; i++)
        out[i] = map[from->outputs.at[1 + i]];
    return true;
}

static bool derive(derivation *d, const value_id *replaced_by, span at, value_id *loss_out,
                   value_id *out)
{
    const read_options *o = d->l->s->options;
    module *g = NULL;
    uint32_t *indices = ARENA_ARRAY(&d->l->s->memory, uint32_t, d->n_wrt);
    if (!indices)
        return no_memory(d);
    for (uint32_t i = 0; i < d->n_wrt; i++)
        indices[i] = i;
    if (!mark(d) || !make_module(d))
        return false;
    uint32_t errors = surface_errors(d->l->s);
    tn_status status = o->differentiate(d->m, indices, d->n_wrt, o->profile == PROFILE_CORE_V1, &g);
    if (status == TN_ERR_REJECTED && surface_errors(d->l->s) == errors)
        (void)lowering_fault(d->l, DIAG_GradientVerification, at, "the gradient cannot be made");
    bool ok = keep(d, status) && put_back(d, g, replaced_by, loss_out, out);
    module_free(g);
    return ok;
}

/* Does a variable depend on another? Then each is differentiated by on its own. */
static bool are_entangled(derivation *d)
{
    const function *f = d->l->f;
    if (d->n_wrt < 2 || !mark(d))
        return false;
    bool *is_given = ARENA_ARRAY(&d->l->s->memory, bool, f->values.n);
    if (!is_given)
        return no_memory(d);
    for (uint32_t i = 0; i < d->n_wrt; i++) {
        const node *n = node_of(f, d->wrt[i]);
        for (uint32_t k = 0; d->wrt[i] <= d->loss && k < n->n_in; k++)
            if (d->depends[n->in[k]])
                return true;
        if (is_given[d->wrt[i]])
            return true;
        is_given[d->wrt[i]] = true;
    }
    return false;
}

static bool derive_once(lowering *l, value_id loss, const value_id *wrt, uint32_t n,
                        const value_id *replaced_by, span at, value_id *loss_out, value_id *out)
{
    derivation d = {.l = l, .loss = loss, .wrt = wrt, .n_wrt = n, .m = module_new(l->s->m->cx)};
    if (!d.m)
        return no_memory(&d);
    bool ok = derive(&d, replaced_by, at, loss_out, out);
    module_free(d.m);
    return ok;
}

bool lowering_gradients(lowering *l, value_id loss, const value_id *wrt, uint32_t n_wrt,
                        const value_id *replaced_by, span at, value_id *loss_out, value_id *out)
{
    derivation all = {.l = l, .loss = loss, .wrt = wrt, .n_wrt = n_wrt};
    if (!l->s->options->differentiate) {
        (void)lowering_fault(l, DIAG_NotImplemented, at, "derivatives are not available here");
        return false;
    }
    if (!are_entangled(&all))
        return !surface_stopped(l->s) &&
               derive_once(l, loss, wrt, n_wrt, replaced_by, at, loss_out, out);
    for (uint32_t i = 0; i < n_wrt; i++)
        if (!derive_once(l, loss, wrt + i, 1, replaced_by + i, at, loss_out, out + i))
            return false;
    return true;
}

/* ---- grad(f)(x, ...) ---- */

/* A tensor of the type of X that is not another value, so that only uses of the first parameter
 * count as uses of it. */
static value_id variable_like(lowering *l, value_id x, span at)
{
    static const char zeros[8];
    const type *t = value_type(l->f, x);
    value_id v = lowering_constant(l, t, zeros, t->count != 1, at);
    return lowering_node(l, OP_NEG, &v, 1, NULL, 0, at);
}

static value check_loss(lowering *l, const value *v, span call)
{
    if (v->kind == V_BAD)
        return BAD;
    if (v->kind != V_TENSOR)
        return lowering_fault(l, DIAG_GradientShape, call,
                              "the gradient of a function needs one floating-point number as its "
                              "result, not %s",
                              value_words(l, v));
    const type *t = tensor_type(l, v);
    if (!dtype_is_float(t->dtype))
        return lowering_fault(
            l, DIAG_NotDifferentiable, call,
            "the function results in %s: only floating-point values have gradients",
            type_words(l, t));
    if (t->rank)
        return lowering_fault(l, DIAG_GradientShape, call,
                              "the function results in %s, but a loss is one number",
                              type_words(l, t));
    return *v;
}

/* What is to be differentiated: the function of C, which may be a gradient, of N ARGUMENTS. */
static value apply_inner(lowering *l, const closure *c, const value *arguments, const span *at,
                         uint32_t n, span call)
{
    if (l->orders == LOWERING_ORDERS)
        return lowering_fault(l, DIAG_LimitExceeded, call, "more than %d gradients of gradients",
                              LOWERING_ORDERS);
    l->orders++;
    const value v = c->of ? lowering_apply_gradient(l, c->of, arguments, at, n, call)
                          : lowering_apply(l, c, arguments, at, n, call);
    l->orders--;
    return v;
}

value lowering_apply_gradient(lowering *l, const closure *c, const value *arguments, const span *at,
                              uint32_t n, span call)
{
    value_id x, by, loss, grad;
    value *fresh = ARENA_ARRAY(&l->s->memory, value, n + 2U);
    if (!fresh)
        return lowering_no_memory(l);
    if (n == 0)
        return lowering_fault(l, DIAG_ArityMismatch, call,
                              "a gradient is by the first argument, and there is none");
    const param *p = c->decl->params;
    value first = p && p->type ? lowering_as(l, arguments[0], p->type, at[0], false) : arguments[0];
    x = lowering_tensor(l, first, at[0],
                        first.kind == V_NUMBER || first.kind == V_ARRAY ? TN_F32 : TN_DTYPE_COUNT);
    if (x == NO_VALUE)
        return BAD;
    if (!dtype_is_float(value_type(l->f, x)->dtype))
        return lowering_fault(l, DIAG_NotDifferentiable, at[0],
                              "the argument is %s: only floating-point values have gradients",
                              type_words(l, value_type(l->f, x)));
    by = variable_like(l, x, at[0]);
    if (by == NO_VALUE)
        return BAD;
    fresh[0] = tensor_value(by);
    for (uint32_t i = 1; i < n; i++)
        fresh[i] = arguments[i];
    value v = apply_inner(l, c, fresh, at, n, call);
    if (v.kind == V_NUMBER || v.kind == V_FILL)
        v = tensor_value(lowering_tensor(l, v, call, value_type(l->f, x)->dtype));
    v = check_loss(l, &v, call);
    if (v.kind == V_BAD || !lowering_gradients(l, v.u.id, &by, 1, &x, call, &loss, &grad))
        return BAD;
    if (!c->with_value)
        return tensor_value(grad);
    fresh[0] = tensor_value(loss);
    fresh[1] = tensor_value(grad);
    return (value){.kind = V_TUPLE, .n = 2, .u.items = fresh};
}
