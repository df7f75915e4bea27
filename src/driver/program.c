/* Programs: from a module to something that runs, and running it. */
#include <inttypes.h>

#include "base/checked.h"
#include "driver/api.h"
#include "ops/eval.h"
#include "pass/pass.h"

/* ---- compilation ---- */

/* Engines and devices of this build, as lists for messages. */
#define ENGINES "ref"
#define DEVICES "cpu"

static tn_status check_target(const module *m, const tn_compile_options *o)
{
    diag_channel *d = &m->cx->diag;
    if (o->device && strcmp(o->device, DEVICES) != 0) {
        tn_status s = diag_report(d, DIAG_BackendUnavailable, &m->source, NO_SPAN,
                                  "no backend available for target %s", o->device);
        diag_note(d, NULL, NO_SPAN, "available: %s", DEVICES);
        return s;
    }
    if (o->engine && strcmp(o->engine, ENGINES) != 0) {
        tn_status s = diag_report(d, DIAG_BackendUnavailable, &m->source, NO_SPAN,
                                  "no engine '%s' in this version", o->engine);
        diag_note(d, NULL, NO_SPAN, "available: %s", ENGINES);
        return s;
    }
    return TN_OK;
}

/* The names are those of the module as it was before passes changed it. */
static tn_status note_interface(tn_program *p)
{
    module *m = p->graph;
    const function *f = module_entry(m);
    p->n_inputs = f->inputs.n;
    p->n_outputs = f->outputs.n;
    p->inputs = ARENA_ARRAY(&m->arena, tn_port, p->n_inputs);
    p->outputs = ARENA_ARRAY(&m->arena, tn_port, p->n_outputs);
    p->positions = ARENA_ARRAY(&m->arena, int64_t, p->n_inputs);
    if (!p->inputs || !p->outputs || !p->positions)
        return module_no_memory(m);
    find_positions(m, p->positions);
    for (uint32_t i = 0; i < p->n_inputs; i++) {
        api_port(m, f->inputs.at[i], &p->inputs[i]);
        if (!p->inputs[i].name)
            return module_no_memory(m);
    }
    for (uint32_t i = 0; i < p->n_outputs; i++) {
        api_port(m, f->outputs.at[i], &p->outputs[i]);
        if (!p->outputs[i].name)
            return module_no_memory(m);
    }
    return TN_OK;
}

/* The pipeline, stage by stage. */
static tn_status compile(tn_program *p, const module *m, const tn_compile_options *o)
{
    p->graph = module_copy_to(m, p->cx); /* what we were given stays as it is */
    if (!p->graph)
        return diag_no_memory(&p->cx->diag);
    TN_TRY(check_target(p->graph, o));
    TN_TRY(bind_symbols(p->graph, o->bindings, o->n_bindings)); /* every extent is a number */
    TN_TRY(note_interface(p));
    return pass_run_level(p->graph, api_level(o->level), false, NULL);
}

tn_status tn_program_compile(const tn_module *m, const tn_compile_options *options,
                             tn_program **out)
{
    static const tn_compile_options defaults = {0};
    context *cx = m->graph->cx;
    diag_flush(&cx->diag);
    *out = NULL;
    tn_program *p = memory_alloc(&cx->allocator, sizeof *p);
    if (!p)
        return api_done(cx, diag_no_memory(&cx->diag));
    *p = (tn_program){.allocator = cx->allocator, .sink = cx->diag.sink};
    p->cx = context_new(&cx->allocator, &cx->diag.sink);
    tn_status s;
    if (p->cx) {
        p->cx->limits = cx->limits;
        s = api_done(p->cx, compile(p, m->graph, options ? options : &defaults));
    } else {
        s = api_done(cx, diag_no_memory(&cx->diag));
    }
    if (s == TN_OK)
        *out = p;
    else
        tn_program_free(p);
    return s;
}

void tn_program_free(tn_program *p)
{
    if (!p)
        return;
    tn_allocator allocator = p->allocator;
    module_free(p->graph);
    context_free(p->cx);
    memory_free(&allocator, p, sizeof *p);
}

/* ---- interface ---- */

size_t tn_program_input_count(const tn_program *p)
{
    return p->n_inputs;
}

size_t tn_program_output_count(const tn_program *p)
{
    return p->n_outputs;
}

tn_status tn_program_input(const tn_program *p, size_t index, tn_port *port)
{
    if (index >= p->n_inputs)
        return TN_ERR_USAGE;
    *port = p->inputs[index];
    return TN_OK;
}

tn_status tn_program_output(const tn_program *p, size_t index, tn_port *port)
{
    if (index >= p->n_outputs)
        return TN_ERR_USAGE;
    *port = p->outputs[index];
    return TN_OK;
}

/* ---- running ---- */

/* What one run owns: a context of its own around the program's allocator, and the tensors. */
typedef struct run {
    const tn_program *p;
    context cx;
    tensor *tensors; /* inputs, then outputs */
} run;

static const char *buffer_text(run *r, const tn_type *t)
{
    arena *a = &r->cx.diag.text;
    char text[TN_MAX_RANK * 24];
    size_t n = 0;
    for (uint32_t i = 0; i < t->rank && i < TN_MAX_RANK; i++) {
        if (i)
            text[n++] = ',', text[n++] = ' ';
        n += decimal_print_i64(t->dims[i], text + n);
    }
    text[n] = '\0';
    const char *name = tn_dtype_name(t->dtype);
    const char *whole = arena_printf(a, "%s[%s]", name ? name : "?", text);
    return whole ? whole : "a tensor";
}

static tn_status misfit(run *r, const char *what, size_t index, const tn_port *port,
                        const char *problem)
{
    return diag_report(&r->cx.diag, DIAG_InputMismatch, &r->p->graph->source, NO_SPAN,
                       "%s %zu ('%s') %s", what, index, port->name, problem);
}

static tn_status check_buffer(run *r, const char *what, size_t index, const tn_port *port,
                              const type *t, const tn_buffer *b)
{
    if (!api_same_type(&b->type, &port->type)) {
        tn_status s = misfit(r, what, index, port, "has another type than the program declares");
        diag_note(&r->cx.diag, NULL, NO_SPAN, "declared %s", buffer_text(r, &port->type));
        diag_note(&r->cx.diag, NULL, NO_SPAN, "given %s", buffer_text(r, &b->type));
        return s;
    }
    size_t bytes;
    if (!type_bytes(t, &bytes) || b->bytes < bytes)
        return misfit(r, what, index, port, "has a buffer that is too small");
    if (bytes == 0)
        return TN_OK;
    size_t part = dtype_bytes(dtype_table[t->dtype].part);
    if (!b->data || (uintptr_t)b->data % part != 0)
        return misfit(r, what, index, port, "has no data, or data that is not aligned");
    return TN_OK;
}

static bool overlaps(const tn_buffer *a, const tn_buffer *b)
{
    uintptr_t p = (uintptr_t)a->data, q = (uintptr_t)b->data;
    return p && q && p < q + b->bytes && q < p + a->bytes;
}

static tn_status check_buffers(run *r, const tn_buffer *in, size_t n_in, const tn_buffer *out,
                               size_t n_out)
{
    const tn_program *p = r->p;
    const function *f = module_entry(p->graph);
    if (n_in < p->n_inputs)
        return diag_report(&r->cx.diag, DIAG_MissingInput, &p->graph->source, NO_SPAN,
                           "the program has %" PRIu32 " inputs, but %zu are given; input %zu is "
                           "'%s'",
                           p->n_inputs, n_in, n_in, p->inputs[n_in].name);
    if (n_in > p->n_inputs || n_out != p->n_outputs)
        return diag_report(&r->cx.diag, DIAG_InputMismatch, &p->graph->source, NO_SPAN,
                           "%zu inputs and %zu outputs are given; the program has %" PRIu32
                           " and %" PRIu32,
                           n_in, n_out, p->n_inputs, p->n_outputs);
    for (uint32_t i = 0; i < n_in; i++)
        TN_TRY(check_buffer(r, "input", i, &p->inputs[i], value_type(f, f->inputs.at[i]), &in[i]));
    for (uint32_t i = 0; i < n_out; i++) {
        if (!out[i].data)
            continue;
        TN_TRY(
            check_buffer(r, "output", i, &p->outputs[i], value_type(f, f->outputs.at[i]), &out[i]));
        for (uint32_t k = 0; k < i; k++)
            if (overlaps(&out[i], &out[k]))
                return misfit(r, "output", i, &p->outputs[i], "overlaps another output");
    }
    return TN_OK;
}

/* Hand the results over: into the caller's memory where there is some, else as they are. */
static void deliver(run *r, const tensor *results, tn_buffer *out)
{
    for (uint32_t i = 0; i < r->p->n_outputs; i++) {
        size_t bytes = 0;
        (void)type_bytes(results[i].type, &bytes); /* it was allocated, so it is known */
        if (out[i].data) {
            memcpy(out[i].data, results[i].data, bytes);
            memory_free(&r->cx.allocator, results[i].data, bytes);
        } else {
            out[i] = (tn_buffer){results[i].data, bytes, r->p->outputs[i].type};
        }
    }
}

static tn_status run_checked(run *r, const tn_buffer *in, tn_buffer *out, uint64_t seed)
{
    const tn_program *p = r->p;
    const function *f = module_entry(p->graph);
    size_t count = (size_t)p->n_inputs + p->n_outputs, size;
    if (!mul_size(count, sizeof(tensor), &size))
        return diag_no_memory(&r->cx.diag);
    r->tensors = memory_alloc(&r->cx.allocator, size);
    if (!r->tensors)
        return diag_no_memory(&r->cx.diag);
    memset(r->tensors, 0, size);
    for (uint32_t i = 0; i < p->n_inputs; i++)
        r->tensors[i] = (tensor){value_type(f, f->inputs.at[i]), in[i].data};
    tensor *results = r->tensors + p->n_inputs;
    eval_run state = {.cx = &r->cx, .seed = seed, .bytes_limit = r->cx.limits.run_bytes};
    tn_status s = evaluate(&state, f, r->tensors, results);
    if (s == TN_OK)
        deliver(r, results, out);
    memory_free(&r->cx.allocator, r->tensors, size);
    return s;
}

tn_status tn_program_run(const tn_program *p, const tn_buffer *in, size_t n_in, tn_buffer *out,
                         size_t n_out, const tn_run_options *options)
{
    const tn_diagnostic_sink *sink = options && options->sink ? options->sink : &p->sink;
    run r = {.p = p, .cx = {.allocator = p->allocator, .limits = p->cx->limits}};
    diag_init(&r.cx.diag, &r.cx.allocator, *sink);
    tn_status s = check_buffers(&r, in, n_in, out, n_out);
    if (s == TN_OK)
        s = run_checked(&r, in, out, options ? options->seed : 0);
    diag_release(&r.cx.diag);
    return s;
}

void tn_buffer_release(const tn_program *p, tn_buffer *buffer)
{
    memory_free(&p->allocator, buffer->data, buffer->bytes);
    *buffer = (tn_buffer){0};
}
