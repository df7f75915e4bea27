/* Comparing two programs by running both. */
#include "api/programs/equivalence.h"

#include <inttypes.h>

#include "base/context/options.h"

enum { DEFAULT_RUNS = 16 };

/* ---- interfaces ----------------------------------------------------------------------------- */

static void note_type(const comparison *c, const tn_program *p, bool is_input, uint32_t i)
{
    diag_channel *d = &c->cx->diag;
    const module *m = p->graph;
    const function *f = module_entry(m);
    const tn_port *port = is_input ? &p->inputs[i] : &p->outputs[i];
    const type *t = value_type(f, is_input ? f->inputs.at[i] : f->outputs.at[i]);
    diag_note(d, &m->source, NO_SPAN, "'%s' is %s", port->name, type_text(&d->text, &m->types, t));
}

static tn_status differ(const comparison *c, bool is_input, uint32_t i)
{
    tn_status s = diag_report(&c->cx->diag, DIAG_NotEquivalent, NULL, NO_SPAN,
                              "%s %" PRIu32 " has another type in the two programs",
                              is_input ? "input" : "output", i);
    note_type(c, c->pa, is_input, i);
    note_type(c, c->pb, is_input, i);
    return s;
}

static tn_status check_counts(const comparison *c)
{
    const function *a = module_entry(c->a), *b = module_entry(c->b);
    if (a->inputs.n == b->inputs.n && a->outputs.n == b->outputs.n)
        return TN_OK;
    return diag_report(&c->cx->diag, DIAG_NotEquivalent, NULL, NO_SPAN,
                       "one program has %" PRIu32 " input%s and %" PRIu32 " output%s, the other "
                       "%" PRIu32 " and %" PRIu32,
                       a->inputs.n, plural(a->inputs.n), a->outputs.n, plural(a->outputs.n),
                       b->inputs.n, b->outputs.n);
}

static tn_status check_types(const comparison *c)
{
    const tn_program *a = c->pa, *b = c->pb;
    for (uint32_t i = 0; i < a->n_inputs; i++)
        if (!public_same_type(&a->inputs[i].type, &b->inputs[i].type))
            return differ(c, true, i);
    for (uint32_t i = 0; i < a->n_outputs; i++)
        if (!public_same_type(&a->outputs[i].type, &b->outputs[i].type))
            return differ(c, false, i);
    return TN_OK;
}

/* ---- runs ----------------------------------------------------------------------------------- */

static void release_buffers(comparison *c)
{
    for (uint32_t i = 0; c->in && i < c->pa->n_inputs; i++)
        memory_free(&c->cx->allocator, c->in[i].data, c->in[i].bytes);
    for (uint32_t i = 0; c->out_a && i < c->pa->n_outputs; i++)
        tn_buffer_release(c->pa, &c->out_a[i]);
    for (uint32_t i = 0; c->out_b && i < c->pa->n_outputs; i++)
        tn_buffer_release(c->pb, &c->out_b[i]);
    c->in = c->out_a = c->out_b = NULL;
}

static bool make_input(comparison *c, uint32_t i, uint32_t run)
{
    tn_buffer *b = &c->in[i];
    b->type = c->pa->inputs[i].type;
    const type *t =
        value_type(module_entry(c->pa->graph), module_entry(c->pa->graph)->inputs.at[i]);
    if (!type_bytes(t, &b->bytes))
        return false;
    b->data = memory_alloc(&c->cx->allocator, b->bytes);
    if (!b->data)
        return false;
    int64_t positions = c->pa->positions[i], others = c->pb->positions[i];
    if (positions <= 0 || (others > 0 && others < positions))
        positions = others;
    const tn_program *narrow = positions == c->pa->positions[i] ? c->pa : c->pb;
    equiv_fill(narrow, i, c->options->seed, run, positions, b);
    return true;
}

static bool make_buffers(comparison *c, uint32_t run)
{
    c->in = ARENA_ARRAY(&c->memory, tn_buffer, (size_t)c->pa->n_inputs + 1);
    c->out_a = ARENA_ARRAY(&c->memory, tn_buffer, (size_t)c->pa->n_outputs + 1);
    c->out_b = ARENA_ARRAY(&c->memory, tn_buffer, (size_t)c->pa->n_outputs + 1);
    bool ok = c->in && c->out_a && c->out_b;
    for (uint32_t i = 0; ok && i < c->pa->n_inputs; i++)
        ok = make_input(c, i, run);
    return ok;
}

/* The sizes of this run for the result; where none was free, those that were given. */
static bool keep_sizes(comparison *c, tn_equiv_result *r)
{
    for (uint32_t k = 0; k < 2; k++) {
        const module *m = k ? c->b : c->a;
        size_t n = c->options->n_bindings;
        const tn_binding *list =
            c->is_free ? equiv_bindings(c, m, c->sizes[k], &n) : c->options->bindings;
        r->sizes[k] = memory_alloc(&c->cx->allocator, n * sizeof *r->sizes[k]);
        r->n_sizes[k] = r->sizes[k] ? n : 0;
        if (!r->sizes[k] || (n && !list))
            return false;
        if (n)
            memcpy(r->sizes[k], list, n * sizeof *list);
    }
    return true;
}

/* Hand the inputs of this run over to the result. */
static bool keep_example(comparison *c, tn_equiv_result *r)
{
    if (!keep_sizes(c, r))
        return false;
    const size_t n = c->pa->n_inputs;
    r->inputs = memory_alloc(&c->cx->allocator, n * sizeof *r->inputs);
    if (!r->inputs)
        return false;
    if (n)
        memcpy(r->inputs, c->in, n * sizeof *r->inputs);
    r->n_inputs = n;
    c->in = NULL;
    return true;
}

static tn_status note_difference(comparison *c, tn_equiv_result *r, uint32_t run, size_t output,
                                 int64_t element)
{
    r->equal = false;
    if (!r->close)
        return TN_OK;
    r->close = false;
    r->run = run;
    r->output = output;
    r->element = element;
    return keep_example(c, r) ? TN_OK : diag_no_memory(&c->cx->diag);
}

/* Failures are compared, not shown; what went on for too long is no result that could be. */
typedef struct notices {
    bool is_late;       /* by the clock */
    bool is_over_limit; /* by what was counted */
} notices;

static void notice(void *user, const tn_diagnostic *d)
{
    notices *n = user;
    n->is_late = n->is_late || strcmp(d->kind, diag_kind_name(DIAG_Timeout)) == 0;
    n->is_over_limit = n->is_over_limit || strcmp(d->kind, diag_kind_name(DIAG_LimitExceeded)) == 0;
}

static tn_status run_once(comparison *c, uint32_t run, tn_equiv_result *r)
{
    notices noticed = {false, false};
    const tn_diagnostic_sink sink = {notice, &noticed};
    const tn_run_options o = {
        .seed = c->options->seed, .sink = &sink, .timeout_ns = c->options->timeout_ns};
    const uint32_t n_in = c->pa->n_inputs, n_out = c->pa->n_outputs;
    if (!make_buffers(c, run))
        return diag_no_memory(&c->cx->diag);
    tn_status sa = tn_program_run(c->pa, c->in, n_in, c->out_a, n_out, &o);
    tn_status sb = tn_program_run(c->pb, c->in, n_in, c->out_b, n_out, &o);
    if (sa == TN_ERR_NOMEM || sb == TN_ERR_NOMEM)
        return diag_no_memory(&c->cx->diag);
    if (noticed.is_late)
        return diag_report(&c->cx->diag, DIAG_Timeout, NULL, NO_SPAN,
                           "run %" PRIu32 " takes longer than allowed", run + 1);
    if (noticed.is_over_limit) {
        r->passed_over++;
        return TN_OK;
    }
    r->runs++;
    if (sa != TN_OK || sb != TN_OK) {
        if (sa == sb)
            return TN_OK;
        r->largest_ulp = UINT64_MAX;
        return note_difference(c, r, run, n_out, 0);
    }
    for (uint32_t i = 0; i < n_out; i++) {
        int64_t element = equiv_compare(&c->out_a[i], &c->out_b[i], c->options, r);
        if (element >= 0)
            TN_TRY(note_difference(c, r, run, i, element));
    }
    return TN_OK;
}

static tn_status trial(comparison *c, uint32_t run, tn_equiv_result *r)
{
    if (!c->pa || c->is_free) {
        bool fits;
        TN_TRY(equiv_make_programs(c, run, &fits));
        if (!fits)
            return TN_OK;
        TN_TRY(check_types(c));
    }
    tn_status s = run_once(c, run, r);
    release_buffers(c);
    return s;
}

static tn_status keep_tried(comparison *c, tn_equiv_result *r)
{
    const char *text = text_c_string(&c->tried);
    if (!text)
        return diag_no_memory(&c->cx->diag);
    const size_t bytes = strlen(text) + 1;
    r->tried = memory_alloc(&c->cx->allocator, bytes);
    if (!r->tried)
        return diag_no_memory(&c->cx->diag);
    memcpy(r->tried, text, bytes);
    return TN_OK;
}

static tn_status check_tolerance(const comparison *c, double tolerance)
{
    return equiv_is_tolerance(tolerance) ? TN_OK
                                         : diag_report(&c->cx->diag, DIAG_Usage, NULL, NO_SPAN,
                                                       "a tolerance is a finite number, 0 or more");
}

static tn_status nothing_compared(const comparison *c, const tn_equiv_result *r)
{
    diag_channel *d = &c->cx->diag;
    if (r->passed_over)
        return diag_report(d, DIAG_Timeout, NULL, NO_SPAN,
                           "in every run, loops take more turns than allowed; %s allows more",
                           diag_setting_name(d, SETTING_TURNS));
    return diag_report(d, DIAG_NotEquivalent, NULL, NO_SPAN,
                       "no sizes were found that fit both programs; give them with %s",
                       diag_setting_name(d, SETTING_BINDINGS));
}

tn_status tn_modules_compare(const tn_module *a, const tn_module *b,
                             const tn_equiv_options *options, tn_equiv_result *result)
{
    tn_equiv_options o;
    comparison c = {.cx = a->graph->cx, .a = a->graph, .b = b->graph, .options = &o};
    if (OPTIONS_READ(&c.cx->diag, tn_equiv_options, turns, &o, options) != TN_OK)
        return context_done(c.cx, TN_ERR_USAGE);
    const uint32_t runs = c.options->runs ? c.options->runs : DEFAULT_RUNS;
    *result = (tn_equiv_result){.equal = true, .close = true};
    text_init(&c.tried, &c.cx->allocator);
    tn_status s = check_tolerance(&c, c.options->rtol);
    if (s == TN_OK)
        s = check_tolerance(&c, c.options->atol);
    if (s == TN_OK)
        s = check_counts(&c);
    if (s == TN_OK)
        s = equiv_check_bindings(&c);
    for (uint32_t run = 0; s == TN_OK && run < runs; run++) {
        arena_init(&c.memory, &c.cx->allocator);
        s = trial(&c, run, result);
        arena_release(&c.memory);
    }
    equiv_release_programs(&c);
    if (s == TN_OK)
        s = keep_tried(&c, result);
    text_release(&c.tried);
    if (s == TN_OK && result->runs == 0)
        s = nothing_compared(&c, result);
    if (s != TN_OK)
        tn_equiv_result_release(c.cx, result);
    return context_done(c.cx, s);
}

void tn_equiv_result_release(tn_context *cx, tn_equiv_result *r)
{
    for (size_t i = 0; i < r->n_inputs; i++)
        memory_free(&cx->allocator, r->inputs[i].data, r->inputs[i].bytes);
    memory_free(&cx->allocator, r->inputs, r->n_inputs * sizeof *r->inputs);
    memory_free(&cx->allocator, r->tried, r->tried ? strlen(r->tried) + 1 : 0);
    r->inputs = NULL;
    r->tried = NULL;
    r->n_inputs = 0;
    for (uint32_t k = 0; k < 2; k++) {
        memory_free(&cx->allocator, r->sizes[k], r->n_sizes[k] * sizeof *r->sizes[k]);
        r->sizes[k] = NULL;
        r->n_sizes[k] = 0;
    }
}
