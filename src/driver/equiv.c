/* Comparing two programs by running both. */
#include "driver/equiv.h"

#include <inttypes.h>

#include "driver/custom.h"
#include "pass/bind.h"
#include "tenon/convert.h"

enum { DEFAULT_RUNS = 16 };

/* The extents that sizes without a value take in turn. */
static const int64_t extents[] = {2, 3, 1, 5, 0, 8};
enum { N_EXTENTS = sizeof extents / sizeof extents[0] };

typedef struct comparison {
    context *cx;
    const module *a, *b;
    const tn_equiv_options *options;
    bool is_free;            /* some size has no value: each run makes programs of its own */
    const int64_t *sizes[2]; /* of the symbols of A and of B in this run */
    tn_program *pa, *pb;
    tn_buffer *in, *out_a, *out_b;
    arena memory; /* of one run */
} comparison;

/* ---- programs ------------------------------------------------------------------------------- */

static bool is_symbol(const module *m, uint32_t i)
{
    return m->types.exprs.at[i].op == DIM_SYM;
}

/* The symbols of M that have a value, as bindings. */
static tn_binding *bindings_of(comparison *c, const module *m, const int64_t *values, size_t *n)
{
    tn_binding *list = ARENA_ARRAY(&c->memory, tn_binding, (size_t)m->types.exprs.n + 1);
    *n = 0;
    for (uint32_t i = 0; list && i < m->types.exprs.n; i++)
        if (is_symbol(m, i) && values[i] >= 0)
            list[(*n)++] = (tn_binding){m->types.exprs.at[i].name, values[i]};
    return list;
}

static int64_t given_value(const comparison *c, const char *name)
{
    for (size_t i = 0; i < c->options->n_bindings; i++)
        if (strcmp(c->options->bindings[i].symbol, name) == 0)
            return c->options->bindings[i].extent;
    return -1;
}

static tn_status make(comparison *c, const module *m, const int64_t *values, bool quiet,
                      tn_program **out)
{
    tn_compile_options o = {.level = c->options->level ? c->options->level : TN_LEVEL_0};
    o.engine = "ref"; /* which defines what programs mean */
    o.bindings = bindings_of(c, m, values, &o.n_bindings);
    if (!o.bindings)
        return diag_no_memory(&c->cx->diag);
    if (!quiet)
        return tn_program_compile(&(tn_module){(module *)(uintptr_t)m}, &o, out); /* it copies */
    context *cx = context_new(&c->cx->allocator, NULL);
    if (!cx)
        return diag_no_memory(&c->cx->diag);
    cx->limits = c->cx->limits;
    cx->custom = custom_set_copy(&c->cx->allocator, c->cx->custom);
    module *copy = cx->custom ? module_copy_to(m, cx) : NULL;
    tn_status s = copy ? tn_program_compile(&(tn_module){copy}, &o, out) : TN_ERR_NOMEM;
    if (copy)
        module_free(copy);
    tn_context_free(cx);
    return s;
}

/* Sizes of B from the inputs that A has in this run. */
static tn_status sizes_of_b(comparison *c, int64_t **values)
{
    const module *m = c->b;
    const uint32_t n = module_entry(m)->inputs.n;
    given_shape *shapes = ARENA_ARRAY(&c->memory, given_shape, (size_t)n + 1);
    *values = sizes_new(m, &c->memory);
    if (!shapes || !*values)
        return diag_no_memory(&c->cx->diag);
    for (uint32_t i = 0; i < n; i++) {
        const tn_type *t = &c->pa->inputs[i].type;
        shapes[i] = (given_shape){t->rank, t->dims};
    }
    if (!module_has_symbols(m))
        return TN_OK;
    TN_TRY(sizes_from_inputs(m, shapes, *values));
    for (uint32_t i = 0; i < m->types.exprs.n; i++) /* the others by their names */
        for (uint32_t k = 0; k < c->a->types.exprs.n && is_symbol(m, i) && (*values)[i] < 0; k++)
            if (is_symbol(c->a, k) &&
                strcmp(m->types.exprs.at[i].name, c->a->types.exprs.at[k].name) == 0)
                (*values)[i] = c->sizes[0][k];
    return TN_OK;
}

static void free_programs(comparison *c)
{
    tn_program_free(c->pa);
    tn_program_free(c->pb);
    c->pa = c->pb = NULL;
}

static tn_status make_programs(comparison *c, uint32_t run)
{
    int64_t *values = sizes_new(c->a, &c->memory);
    uint32_t n_free = 0;
    if (!values)
        return diag_no_memory(&c->cx->diag);
    free_programs(c);
    c->is_free = false;
    for (uint32_t i = 0; i < c->a->types.exprs.n; i++) {
        if (!is_symbol(c->a, i))
            continue;
        values[i] = given_value(c, c->a->types.exprs.at[i].name);
        if (values[i] < 0) {
            values[i] = extents[(run + n_free++) % N_EXTENTS];
            c->is_free = true;
        }
    }
    c->sizes[0] = values;
    TN_TRY(make(c, c->a, values, c->is_free, &c->pa));
    TN_TRY(sizes_of_b(c, &values));
    c->sizes[1] = values;
    return make(c, c->b, values, c->is_free, &c->pb);
}

/* ---- interfaces ----------------------------------------------------------------------------- */

static tn_status differ(const comparison *c, const char *what, uint32_t i, const tn_port *a,
                        const tn_port *b)
{
    diag_channel *d = &c->cx->diag;
    tn_status s = diag_report(d, DIAG_NotEquivalent, NULL, NO_SPAN,
                              "%s %" PRIu32 " has another type in the two programs", what, i);
    diag_note(d, &c->a->source, NO_SPAN, "'%s' is of %s and rank %" PRIu32, a->name,
              dtype_name(a->type.dtype), a->type.rank);
    diag_note(d, &c->b->source, NO_SPAN, "'%s' is of %s and rank %" PRIu32, b->name,
              dtype_name(b->type.dtype), b->type.rank);
    return s;
}

static tn_status check_counts(const comparison *c)
{
    const function *a = module_entry(c->a), *b = module_entry(c->b);
    if (a->inputs.n == b->inputs.n && a->outputs.n == b->outputs.n)
        return TN_OK;
    return diag_report(&c->cx->diag, DIAG_NotEquivalent, NULL, NO_SPAN,
                       "one program has %" PRIu32 " inputs and %" PRIu32 " outputs, the other "
                       "%" PRIu32 " and %" PRIu32,
                       a->inputs.n, a->outputs.n, b->inputs.n, b->outputs.n);
}

static tn_status check_types(const comparison *c)
{
    const tn_program *a = c->pa, *b = c->pb;
    for (uint32_t i = 0; i < a->n_inputs; i++)
        if (!api_same_type(&a->inputs[i].type, &b->inputs[i].type))
            return differ(c, "input", i, &a->inputs[i], &b->inputs[i]);
    for (uint32_t i = 0; i < a->n_outputs; i++)
        if (!api_same_type(&a->outputs[i].type, &b->outputs[i].type))
            return differ(c, "output", i, &a->outputs[i], &b->outputs[i]);
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
    if (!r->equal)
        return TN_OK;
    r->equal = false;
    r->run = run;
    r->output = output;
    r->element = element;
    return keep_example(c, r) ? TN_OK : diag_no_memory(&c->cx->diag);
}

static tn_status run_once(comparison *c, uint32_t run, tn_equiv_result *r)
{
    static const tn_diagnostic_sink silent = {0};
    const tn_run_options o = {.seed = c->options->seed, .sink = &silent};
    const uint32_t n_in = c->pa->n_inputs, n_out = c->pa->n_outputs;
    if (!make_buffers(c, run))
        return diag_no_memory(&c->cx->diag);
    tn_status sa = tn_program_run(c->pa, c->in, n_in, c->out_a, n_out, &o);
    tn_status sb = tn_program_run(c->pb, c->in, n_in, c->out_b, n_out, &o);
    if (sa == TN_ERR_NOMEM || sb == TN_ERR_NOMEM)
        return diag_no_memory(&c->cx->diag);
    r->runs++;
    if (sa != TN_OK || sb != TN_OK) {
        if (sa == sb)
            return TN_OK;
        r->largest_ulp = UINT64_MAX;
        return note_difference(c, r, run, n_out, 0);
    }
    for (uint32_t i = 0; i < n_out; i++) {
        int64_t element = equiv_compare(&c->out_a[i], &c->out_b[i], &r->largest_ulp);
        if (element >= 0)
            TN_TRY(note_difference(c, r, run, i, element));
    }
    return TN_OK;
}

static tn_status trial(comparison *c, uint32_t run, tn_equiv_result *r)
{
    if (!c->pa || c->is_free) {
        tn_status s = make_programs(c, run);
        if (s != TN_OK)
            return c->is_free && s != TN_ERR_NOMEM ? TN_OK : s; /* sizes that do not fit */
        TN_TRY(check_types(c));
    }
    tn_status s = run_once(c, run, r);
    release_buffers(c);
    return s;
}

tn_status tn_modules_compare(const tn_module *a, const tn_module *b,
                             const tn_equiv_options *options, tn_equiv_result *result)
{
    static const tn_equiv_options defaults = {0};
    comparison c = {
        .cx = a->graph->cx, .a = a->graph, .b = b->graph, .options = options ? options : &defaults};
    const uint32_t runs = c.options->runs ? c.options->runs : DEFAULT_RUNS;
    *result = (tn_equiv_result){.equal = true};
    tn_status s = check_counts(&c);
    for (uint32_t run = 0; s == TN_OK && run < runs; run++) {
        arena_init(&c.memory, &c.cx->allocator);
        s = trial(&c, run, result);
        arena_release(&c.memory);
    }
    free_programs(&c);
    if (s == TN_OK && result->runs == 0)
        s = diag_report(&c.cx->diag, DIAG_NotEquivalent, NULL, NO_SPAN,
                        "no sizes were found that fit both programs; give them with --dim");
    if (s != TN_OK)
        tn_equiv_result_release(c.cx, result);
    return api_done(c.cx, s);
}

void tn_equiv_result_release(tn_context *cx, tn_equiv_result *r)
{
    for (size_t i = 0; i < r->n_inputs; i++)
        memory_free(&cx->allocator, r->inputs[i].data, r->inputs[i].bytes);
    memory_free(&cx->allocator, r->inputs, r->n_inputs * sizeof *r->inputs);
    r->inputs = NULL;
    r->n_inputs = 0;
    for (uint32_t k = 0; k < 2; k++) {
        memory_free(&cx->allocator, r->sizes[k], r->n_sizes[k] * sizeof *r->sizes[k]);
        r->sizes[k] = NULL;
        r->n_sizes[k] = 0;
    }
}
