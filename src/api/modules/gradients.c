/* Gradients: names of values to the options of the differentiation, and the modules around it. */
#include <inttypes.h>

#include "api/api.h"
#include "base/text/decimal.h"
#include "base/text/suggest.h"
#include "dialect/mind/mind.h"
#include "pass/conversions/differentiate.h"
#include "pass/pass.h"

/* What is asked for, as positions in a copy of the module. */
typedef struct request {
    context *cx;
    module *m; /* the copy */
    const tn_gradient_options *given;
    grad_options options;
    uint32_t *wrt;
    value_id *recompute;
} request;

/* The inputs or outputs that there are, as find_input and find_loss know them. */
static void note_choices(const request *r, bool is_input)
{
    enum { SHOWN = 6 };
    const function *f = module_entry(r->m);
    const char *what = is_input ? "input" : "output";
    const uint32_t n = is_input ? f->inputs.n : f->outputs.n;
    for (uint32_t i = 0; i < n && i < SHOWN; i++) {
        tn_port port;
        if (is_input)
            public_input(r->m, f->inputs.at[i], &port);
        else
            public_output(r->m, i, &port);
        if (port.name)
            diag_note(&r->cx->diag, NULL, NO_SPAN, "%s %" PRIu32 " is '%s'", what, i, port.name);
    }
    if (n > SHOWN)
        diag_note(&r->cx->diag, NULL, NO_SPAN, "there are %" PRIu32 " more", n - SHOWN);
}

static tn_status unknown(const request *r, const char *what, const char *name)
{
    const function *f = module_entry(r->m);
    suggestion like;
    suggest_begin(&like, name, strlen(name));
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        const node *n = &f->nodes.at[i];
        const char *own = n->op == OP_INPUT ? attr_string(n->attrs, KEY_NAME) : n->name;
        if (own && (n->op == OP_INPUT || strcmp(what, "input") != 0))
            suggest_name(&like, own, strlen(own));
    }
    const tn_status status = diag_report(&r->cx->diag, DIAG_Usage, NULL, NO_SPAN,
                                         "the program has no %s '%s'", what, name);
    if (strcmp(what, "value") != 0)
        note_choices(r, strcmp(what, "input") == 0);
    suggest_fix(&like, &r->cx->diag, NO_SPAN, "");
    return status;
}

/* TEXT as a number, all of it. */
static bool is_number(const char *text, uint32_t *number)
{
    size_t n = strlen(text);
    int64_t i;
    decimal_result d = decimal_read_i64(text, n, &i);
    if (n == 0 || d.length != n || d.overflow || i < 0 || i > UINT32_MAX)
        return false;
    *number = (uint32_t)i;
    return true;
}

/* Is NAME what the text calls V, an input or another value? */
static bool is_called(const function *f, value_id v, const char *name)
{
    const node *n = node_of(f, v);
    const char *own = n->op == OP_INPUT ? attr_string(n->attrs, KEY_NAME) : n->name;
    if (own && strcmp(own, name) == 0)
        return true;
    return n->name &&
           (strcmp(n->name, name) == 0 || (name[0] == '%' && strcmp(n->name, name + 1) == 0) ||
            (n->name[0] == '%' && strcmp(n->name + 1, name) == 0)); /* as Core IR spells values */
}

/* The value that `%number` means where no value is called so; NO_VALUE: none. */
static value_id numbered(const function *f, const char *name)
{
    uint32_t number;
    return name[0] == '%' && is_number(name + 1, &number) && number < f->values.n ? number
                                                                                  : NO_VALUE;
}

/* Which of the N values LIST is meant by NAME: the one of this name, else of this number, else the
 * one at this position. N when none is. */
static uint32_t find(const function *f, const value_id *list, uint32_t n, const char *name)
{
    const value_id v = numbered(f, name);
    uint32_t at;
    for (uint32_t i = 0; i < n; i++)
        if (is_called(f, list[i], name))
            return i;
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == v)
            return i;
    return is_number(name, &at) && at < n ? at : n;
}

uint32_t api_find_input(const module *m, const char *name)
{
    const function *f = module_entry(m);
    return find(f, f->inputs.at, f->inputs.n, name);
}

static tn_status find_input(const request *r, const char *name, uint32_t *out)
{
    *out = api_find_input(r->m, name);
    return *out < module_entry(r->m)->inputs.n ? TN_OK : unknown(r, "input", name);
}

/* The output that the text itself calls NAME, or NAME as Core IR spells values; else N. */
static uint32_t find_named(const function *f, const char *name)
{
    for (uint32_t bare = 0; bare < 2; bare++)
        for (uint32_t i = 0; i < f->output_names.n && i < f->outputs.n; i++) {
            const char *own = f->output_names.at[i];
            if (own && strcmp(own + (bare && own[0] == '%'), name) == 0)
                return i;
        }
    return f->outputs.n;
}

uint32_t api_find_output(const module *m, const char *name)
{
    const function *f = module_entry(m);
    uint32_t at = 0;
    if (is_number(name, &at) && at < f->outputs.n) /* whatever values are called */
        return at;
    at = find_named(f, name);
    return at < f->outputs.n ? at : find(f, f->outputs.at, f->outputs.n, name);
}

static tn_status find_loss(request *r)
{
    const function *f = module_entry(r->m);
    const char *name = r->given->loss;
    if (f->outputs.n == 0)
        return diag_report(&r->cx->diag, DIAG_MissingOutputs, &r->m->source, NO_SPAN,
                           "the program has no output to differentiate");
    r->options.loss = name ? api_find_output(r->m, name) : 0;
    return r->options.loss < f->outputs.n ? TN_OK : unknown(r, "output", name);
}

static tn_status find_wrt(request *r)
{
    const tn_gradient_options *o = r->given;
    if (o->cotangent) {
        r->options.has_cotangent = true;
        TN_TRY(find_input(r, o->cotangent, &r->options.cotangent));
    }
    if (!o->wrt)
        return TN_OK;
    r->wrt = ARENA_ARRAY(&r->m->arena, uint32_t, o->n_wrt);
    if (!r->wrt)
        return module_no_memory(r->m);
    for (size_t i = 0; i < o->n_wrt; i++)
        TN_TRY(find_input(r, o->wrt[i], &r->wrt[i]));
    r->options.wrt = r->wrt;
    r->options.n_wrt = (uint32_t)o->n_wrt;
    return TN_OK;
}

/* Values to compute again become outputs, at the end, so that they can be found again after the
 * module was canonicalised. */
static tn_status hold_recomputed(request *r)
{
    function *f = module_entry(r->m);
    TN_TRY(options_list(&r->cx->diag, "recompute", r->given->recompute, r->given->n_recompute));
    for (size_t i = 0; i < r->given->n_recompute; i++) {
        const char *name = r->given->recompute[i];
        value_id v = 0;
        while (v < f->values.n && !is_called(f, v, name))
            v++;
        v = v < f->values.n ? v : numbered(f, name);
        if (v == NO_VALUE)
            return unknown(r, "value", name);
        TN_TRY(function_add_output(f, v));
    }
    return TN_OK;
}

static void release_recomputed(request *r)
{
    function *f = module_entry(r->m);
    r->options.n_recompute = (uint32_t)r->given->n_recompute;
    f->outputs.n -= r->options.n_recompute;
    r->options.recompute = f->outputs.at + f->outputs.n;
}

static tn_status prepare(request *r, const dialect *d)
{
    r->m->gradients.n = 0; /* a map of the primal would keep values alive */
    r->options.seed = r->given->seed;
    r->options.skip_verify = r->given->unverified;
    /* The profile is one of Core IR; to other dialects it says nothing. */
    r->options.style.core_only =
        r->given->profile == TN_PROFILE_CORE_V1 && (!d || d == &dialect_mind);
    r->options.style.core_conv2d = r->given->conv2d;
    r->options.style.is_core = mind_is_core;
    if (d) {
        r->options.style.spelling = d->spelling;
        /* Core IR broadcasts implicitly and has instructions made for gradients. */
        r->options.style.plain = !d->spelling(OP_RELU_GRAD);
    }
    TN_TRY(find_loss(r));
    TN_TRY(find_wrt(r));
    TN_TRY(hold_recomputed(r));
    TN_TRY(pass_run(r->m, PASS_CANONICALIZE, false, NULL));
    release_recomputed(r);
    return TN_OK;
}

tn_status tn_module_gradient(const tn_module *m, const tn_gradient_options *options,
                             tn_module **gradient)
{
    tn_gradient_options o;
    context *cx = m->graph->cx;
    request r = {.cx = cx, .given = &o};
    module *made = NULL;

    *gradient = NULL;
    if (OPTIONS_READ(&cx->diag, tn_gradient_options, conv2d, &o, options) != TN_OK)
        return context_done(cx, TN_ERR_USAGE);
    r.m = module_copy(m->graph);
    if (!r.m)
        return context_done(cx, diag_no_memory(&cx->diag));
    tn_status s = prepare(&r, dialect_by_name(m->graph->dialect));
    if (s == TN_OK)
        s = differentiate(r.m, &r.options, &made);
    module_free(r.m);
    if (s != TN_OK)
        return context_done(cx, s);
    *gradient = memory_alloc(&cx->allocator, sizeof **gradient);
    if (!*gradient) {
        module_free(made);
        return context_done(cx, diag_no_memory(&cx->diag));
    }
    (*gradient)->graph = made;
    return TN_OK;
}

static size_t position(const value_id *list, uint32_t n, value_id v)
{
    uint32_t at = n;
    while (at > 0 && list[at - 1] != v)
        at--;
    return at ? at - 1 : SIZE_MAX;
}

size_t tn_module_gradient_count(const tn_module *m)
{
    return m->graph->gradients.n / 2;
}

bool tn_module_gradient_at(const tn_module *m, size_t index, size_t *input, size_t *output)
{
    const function *f = module_entry(m->graph);
    if (index >= tn_module_gradient_count(m))
        return false;
    const value_id *pair = m->graph->gradients.at + 2 * index;
    *input = position(f->inputs.at, f->inputs.n, pair[0]);
    *output = position(f->outputs.at, f->outputs.n, pair[1]);
    return true;
}

void tn_module_forget_gradients(tn_module *m)
{
    m->graph->gradients.n = 0;
}
