/* Comparing two programs by running both. */
#include "api/programs/equivalence.h"

#include <inttypes.h>

#include "base/context/options.h"
#include "eval/custom_set.h"
#include "pass/sizes/bind.h"
#include "tenon/convert.h"

enum {
    DEFAULT_RUNS = 16,
    DEFAULT_TURNS = 100000, /* of simple loops a fraction of a second */
    MAX_ATTEMPTS = 64,      /* at sizes for a run */
    MAX_MADE = 8            /* pairs of programs made for them */
};

typedef struct comparison {
    context *cx;
    const module *a, *b;
    const tn_equiv_options *options;
    context *silent;            /* where programs are made whose sizes may not fit */
    module *own[2];             /* A and B there */
    bool is_free;               /* some size has no value: each run makes programs of its own */
    const dim_values *sizes[2]; /* of the symbols of A and of B in this run */
    tn_program *pa, *pb;
    tn_buffer *in, *out_a, *out_b;
    text_buffer tried; /* the sizes of each run */
    arena memory;      /* of one run */
} comparison;

/* ---- sizes ---------------------------------------------------------------------------------- */

static bool is_symbol(const module *m, uint32_t i)
{
    return m->types.exprs.at[i].op == DIM_SYM;
}

static bool is_named(const module *m, const char *symbol)
{
    for (uint32_t i = 0; i < m->types.exprs.n; i++)
        if (is_symbol(m, i) && strcmp(m->types.exprs.at[i].name, symbol) == 0)
            return true;
    return false;
}

static bool has_unknown(const module *m, const dim_values *values)
{
    for (uint32_t i = 0; i < m->types.exprs.n; i++)
        if (is_symbol(m, i) && values->at[i] < 0)
            return true;
    return false;
}

/* The symbols of M that have a value, as bindings. */
static tn_binding *bindings_of(comparison *c, const module *m, const dim_values *values, size_t *n)
{
    tn_binding *list = ARENA_ARRAY(&c->memory, tn_binding, (size_t)m->types.exprs.n + 1);
    *n = 0;
    for (uint32_t i = 0; list && i < m->types.exprs.n; i++)
        if (is_symbol(m, i) && values->at[i] >= 0)
            list[(*n)++] = (tn_binding){m->types.exprs.at[i].name, values->at[i]};
    return list;
}

/* Values for the symbols of M: those that the caller gives. NULL: no memory. */
static dim_values *given_sizes(comparison *c, const module *m)
{
    dim_values *values = dim_values_new(&m->types, &c->memory);
    for (size_t i = 0; values && i < c->options->n_bindings; i++) {
        int64_t *value = size_of_symbol(m, values, c->options->bindings[i].symbol);
        if (value)
            *value = c->options->bindings[i].extent;
    }
    return values;
}

static tn_status unknown_symbol(const comparison *c, const char *symbol)
{
    suggestion like;
    suggest_begin(&like, symbol, strlen(symbol));
    suggest_symbols(&like, c->a);
    suggest_symbols(&like, c->b);
    const tn_status status = diag_report(&c->cx->diag, DIAG_Usage, NULL, NO_SPAN,
                                         "neither program has a symbolic size called '%s'", symbol);
    suggest_fix(&like, &c->cx->diag, NO_SPAN, "");
    return status;
}

/* Every size that the caller gives is one of A or B. */
static tn_status check_bindings(const comparison *c)
{
    TN_TRY(options_list(&c->cx->diag, "bindings", c->options->bindings, c->options->n_bindings));
    for (size_t i = 0; i < c->options->n_bindings; i++) {
        const tn_binding *b = &c->options->bindings[i];
        const int64_t *in_a = written_size_of(c->a, b->symbol);
        const int64_t *in_b = written_size_of(c->b, b->symbol);
        if (!is_named(c->a, b->symbol) && !is_named(c->b, b->symbol) && !in_a && !in_b)
            return unknown_symbol(c, b->symbol);
        if ((in_a && *in_a != b->extent) || (in_b && *in_b != b->extent))
            return diag_report(&c->cx->diag, DIAG_DimensionBinding, NULL, NO_SPAN,
                               "the size '%s' is %" PRId64 " in a program, and cannot be %" PRId64,
                               b->symbol, in_a && *in_a != b->extent ? *in_a : *in_b, b->extent);
        if (b->extent < 0)
            return diag_report(&c->cx->diag, DIAG_NegativeDimension, NULL, NO_SPAN,
                               "the size '%s' cannot be %" PRId64, b->symbol, b->extent);
    }
    return TN_OK;
}

/* Sizes of B, which is M, from the shapes of A's inputs in this run, and from equal names. */
static tn_status sizes_of_b(comparison *c, const module *m, dim_values *values)
{
    const uint32_t n = module_entry(m)->inputs.n;
    given_shape *shapes = ARENA_ARRAY(&c->memory, given_shape, (size_t)n + 1);
    if (!shapes)
        return diag_no_memory(&c->cx->diag);
    for (uint32_t i = 0; i < n; i++) {
        const tn_type *t = &c->pa->inputs[i].type;
        shapes[i] = (given_shape){t->rank, t->dims};
    }
    if (!module_has_symbols(m))
        return TN_OK;
    TN_TRY(sizes_partly_from_inputs(m, shapes, values));
    for (uint32_t k = 0; k < c->a->types.exprs.n; k++) {
        int64_t *value =
            is_symbol(c->a, k) ? size_of_symbol(m, values, c->a->types.exprs.at[k].name) : NULL;
        if (value && *value < 0)
            *value = c->sizes[0]->at[k];
    }
    return TN_OK;
}

/* ---- programs ------------------------------------------------------------------------------- */

static tn_status make(comparison *c, const module *m, const dim_values *values, tn_program **out)
{
    tn_compile_options o = {.level = c->options->level ? c->options->level : TN_LEVEL_0};
    o.engine = "ref"; /* which defines what programs mean */
    o.bindings = bindings_of(c, m, values, &o.n_bindings);
    if (!o.bindings)
        return diag_no_memory(&c->cx->diag);
    TN_TRY(tn_program_compile(&(tn_module){(module *)(uintptr_t)m}, &o, out)); /* it copies */
    (*out)->turns = c->options->turns ? c->options->turns : DEFAULT_TURNS;
    return TN_OK;
}

static void free_programs(comparison *c)
{
    tn_program_free(c->pa);
    tn_program_free(c->pb);
    c->pa = c->pb = NULL;
}

/* Copies whose faults nobody hears of. */
static tn_status make_silent(comparison *c)
{
    if (c->silent)
        return TN_OK;
    c->silent = context_new(&c->cx->allocator, NULL);
    if (!c->silent)
        return diag_no_memory(&c->cx->diag);
    context_limits_from(c->silent, c->cx);
    c->silent->custom = custom_set_copy(&c->cx->allocator, c->cx->custom);
    for (uint32_t k = 0; k < 2 && c->silent->custom; k++)
        c->own[k] = module_copy_to(k ? c->b : c->a, c->silent);
    return c->own[0] && c->own[1] ? TN_OK : diag_no_memory(&c->cx->diag);
}

static void free_silent(comparison *c)
{
    for (uint32_t k = 0; k < 2; k++)
        if (c->own[k])
            module_free(c->own[k]);
    tn_context_free(c->silent);
}

/* Choose the sizes of M that have no value in VALUES. *FITS is false when nothing was found. */
static tn_status choose(comparison *c, const module *m, uint32_t run, uint32_t attempt,
                        dim_values *values, bool *fits)
{
    *fits = true;
    if (!has_unknown(m, values))
        return TN_OK;
    c->is_free = true;
    return sizes_guess(m, run, attempt, values, fits);
}

/* Sizes of A from the inputs of B that have no symbols. What does not fit comes out later. */
static tn_status sizes_of_a(comparison *c, dim_values *values)
{
    const function *f = module_entry(c->b);
    for (uint32_t i = 0; has_unknown(c->a, values) && i < f->inputs.n; i++) {
        const type *t = value_type(f, f->inputs.at[i]);
        const given_shape shape = {t->rank, t->dims};
        if (type_is_static(t)) {
            TN_TRY(make_silent(c));
            if (sizes_from_input(c->own[0], i, &shape, values) == TN_ERR_NOMEM)
                return diag_no_memory(&c->cx->diag);
        }
    }
    return TN_OK;
}

/* Do the sizes chosen for B give its inputs the types of those of A? Ranks and dtypes are no matter
 * of sizes, and looked at elsewhere. */
static bool same_inputs(const comparison *c)
{
    for (uint32_t i = 0; i < c->pa->n_inputs; i++) {
        const tn_type *a = &c->pa->inputs[i].type, *b = &c->pb->inputs[i].type;
        for (uint32_t k = 0; a->rank == b->rank && k < a->rank; k++)
            if (a->dims[k] != b->dims[k])
                return false;
    }
    return true;
}

/* Both programs for sizes of this ATTEMPT. *FITS is false when it chose some that do not fit. */
static tn_status make_pair(comparison *c, uint32_t run, uint32_t attempt, bool *fits)
{
    dim_values *values = given_sizes(c, c->a);
    if (!values)
        return diag_no_memory(&c->cx->diag);
    TN_TRY(sizes_of_a(c, values));
    TN_TRY(choose(c, c->a, run, attempt, values, fits));
    c->sizes[0] = values;
    if (!*fits)
        return TN_OK;
    const bool is_chosen = c->is_free;
    tn_status s = is_chosen ? make_silent(c) : TN_OK;
    if (s == TN_OK)
        s = make(c, is_chosen ? c->own[0] : c->a, values, &c->pa);
    const module *b = is_chosen ? c->own[1] : c->b;
    values = given_sizes(c, c->b);
    c->sizes[1] = values;
    if (s == TN_OK)
        s = values ? sizes_of_b(c, b, values) : diag_no_memory(&c->cx->diag);
    if (s == TN_OK)
        s = choose(c, c->b, run, attempt, values, fits);
    if (s == TN_OK && c->is_free && *fits)
        s = make_silent(c);
    if (s == TN_OK && *fits)
        s = make(c, c->is_free ? c->own[1] : c->b, values, &c->pb);
    if (s == TN_ERR_NOMEM)
        return diag_no_memory(&c->cx->diag);
    if (!c->is_free || (s == TN_OK && (!*fits || same_inputs(c))))
        return s;
    *fits = false;
    return TN_OK;
}

/* The sizes of this run as a line: those of A, and those that only B has. */
static void note_sizes(comparison *c)
{
    bool first = true;
    for (uint32_t k = 0; k < 2; k++) {
        const module *m = k ? c->b : c->a;
        for (uint32_t i = 0; i < m->types.exprs.n; i++) {
            if (!is_symbol(m, i) || c->sizes[k]->at[i] < 0 ||
                (k && is_named(c->a, m->types.exprs.at[i].name)))
                continue;
            text_printf(&c->tried, "%s%s=%" PRId64, first ? "" : " ", m->types.exprs.at[i].name,
                        c->sizes[k]->at[i]);
            first = false;
        }
    }
    text_putc(&c->tried, '\n');
}

/* *FITS is false when no sizes were found. */
static tn_status make_programs(comparison *c, uint32_t run, bool *fits)
{
    uint32_t made = 0;
    *fits = false;
    for (uint32_t attempt = 0; !*fits && attempt < MAX_ATTEMPTS && made < MAX_MADE; attempt++) {
        free_programs(c);
        c->is_free = false;
        TN_TRY(make_pair(c, run, attempt, fits));
        made += c->pa != NULL;
        if (!c->is_free)
            break;
    }
    if (*fits && c->is_free)
        note_sizes(c);
    return TN_OK;
}

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
            c->is_free ? bindings_of(c, m, c->sizes[k], &n) : c->options->bindings;
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
        TN_TRY(make_programs(c, run, &fits));
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
    if (OPTIONS_READ(&c.cx->diag, tn_equiv_options, atol, &o, options) != TN_OK)
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
        s = check_bindings(&c);
    for (uint32_t run = 0; s == TN_OK && run < runs; run++) {
        arena_init(&c.memory, &c.cx->allocator);
        s = trial(&c, run, result);
        arena_release(&c.memory);
    }
    free_programs(&c);
    free_silent(&c);
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
