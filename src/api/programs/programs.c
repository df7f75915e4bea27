/* Programs: from a module to something that runs. */
#include <stdio.h>

#include "api/programs/programs.h"
#include "base/text/text.h"
#include "compile/pipeline.h"
#include "compile/tiers/tiers.h"
#include "eval/custom_set.h"
#include "pass/pass.h"

/* ---- compilation ---- */

/* The extents of a value, as far as they are known. */
static void known_extents(const tn_program *p, value_id v, tn_port *port)
{
    const module *m = p->graph;
    const type *t = value_type(module_entry(m), v);
    for (uint32_t i = 0; i < port->type.rank; i++) {
        int64_t extent;
        if (dim_is_symbolic(t->dims[i]) && dim_bind(&m->types, t->dims[i], p->sizes, &extent) &&
            extent >= 0)
            port->type.dims[i] = extent;
    }
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
    if (!p->inputs || !p->outputs || !p->positions || !find_positions(m, p->positions))
        return module_no_memory(m);
    for (uint32_t i = 0; i < p->n_inputs; i++) {
        public_input(m, f->inputs.at[i], &p->inputs[i]);
        if (!p->inputs[i].name)
            return module_no_memory(m);
        known_extents(p, f->inputs.at[i], &p->inputs[i]);
    }
    for (uint32_t i = 0; i < p->n_outputs; i++) {
        tn_port *port = &p->outputs[i];
        public_output(m, i, port);
        if (!port->name)
            return module_no_memory(m);
        known_extents(p, f->outputs.at[i], port);
    }
    return TN_OK;
}

/* Before symbols are replaced by their values. */
static tn_status note_named_axes(tn_program *p)
{
    const function *f = module_entry(p->graph);
    p->named = ARENA_ARRAY(&p->graph->arena, uint32_t, f->inputs.n);
    if (!p->named)
        return module_no_memory(p->graph);
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        const type *t = value_type(f, f->inputs.at[i]);
        for (uint32_t k = 0; k < t->rank; k++)
            p->named[i] |= (uint32_t)dim_is_symbolic(t->dims[k]) << k;
        const char *name = attr_string(node_of(f, f->inputs.at[i])->attrs, KEY_NAME);
        for (uint32_t k = 0; name && k < p->graph->written_axes.n; k++)
            if (strcmp(p->graph->written_axes.at[k].input, name) == 0)
                p->named[i] |= p->graph->written_axes.at[k].axes;
    }
    return TN_OK;
}

/* Whether the sizes say what every input is. */
static bool inputs_are_known(const module *m, dim_values *sizes)
{
    const function *f = module_entry(m);
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        const type *t = value_type(f, f->inputs.at[i]);
        int64_t extent;
        for (uint32_t k = 0; k < t->rank; k++)
            if (dim_is_symbolic(t->dims[k]) && !dim_bind(&m->types, t->dims[k], sizes, &extent))
                return false;
    }
    return true;
}

/* What is only explained is not loaded. It has no executable where the evaluator runs the graph as
 * it is, nor for a foreign machine, whose code cannot pack constants here. */
static pipeline_stage last_stage(const engine *e)
{
    return !e->plan_only                 ? STAGE_LOAD
           : e->is_foreign || !e->is_jit ? STAGE_LOOPS
                                         : STAGE_EXECUTABLE;
}

static void free_pipeline(const tn_allocator *a, pipeline *made)
{
    if (made)
        pipeline_release(made);
    memory_free(a, made, sizeof *made);
}

/* Through the pipeline. What callers see of a program is noted where its extents are numbers and
 * its names those of the source. */
static tn_status compile_now(tn_program *p, const tn_profiler *events)
{
    pipeline *made = memory_alloc(&p->allocator, sizeof *made);
    if (!made)
        return diag_no_memory(&p->cx->diag);
    pipeline_init(made, p->engine->plan_only ? TO_EXPLAIN : FOR_RUNS, p->engine, p->graph,
                  STAGE_BIND);
    made->sizes = p->sizes;
    made->options = p->options;
    made->others = &p->others;
    made->events = events;
    tn_status s = pipeline_to(made, STAGE_BIND);
    if (s == TN_OK)
        s = note_interface(p);
    if (s == TN_OK)
        s = pipeline_to(made, last_stage(p->engine));
    p->tape = made->tape;
    made->tape = NULL;
    if (s == TN_OK && p->engine->plan_only)
        p->made = made;
    else
        free_pipeline(&p->allocator, made);
    return s;
}

/* Where inputs have unknown extents the pipeline waits for a run. */
static tn_status compile(tn_program *p, const module *m, const tn_compile_options *o)
{
    if ((unsigned)o->level > TN_LEVEL_2 || (unsigned)o->numerics > TN_NUMERICS_RELAXED)
        return diag_report(&p->cx->diag, DIAG_Usage, NULL, NO_SPAN, "%d is no %s",
                           (unsigned)o->level > TN_LEVEL_2 ? (int)o->level : (int)o->numerics,
                           (unsigned)o->level > TN_LEVEL_2 ? "level of optimisation"
                                                           : "choice of numerics");
    p->options.level = o->level == TN_LEVEL_0 ? 0 : o->level == TN_LEVEL_1 ? 1 : PASS_LEVEL_RUN;
    p->options.relaxed = o->numerics == TN_NUMERICS_RELAXED;
    p->custom = custom_set_copy(&p->allocator, m->cx->custom);
    p->graph = module_copy_to(m, p->cx); /* what we were given stays as it is */
    if (!p->custom || !p->graph)
        return diag_no_memory(&p->cx->diag);
    if (m->lowered_from && module_entry(m)->outputs.n == 0)
        return diag_report(&p->cx->diag, DIAG_MissingOutputs, &p->graph->source, NO_SPAN,
                           "the program has no result, so there is nothing to run");
    TN_TRY(engine_init(p->engine, &p->allocator, o, p->graph));
    if (p->engine->is_jit && !p->cx->has_told_cache)
        p->cx->has_told_cache = warn_of_cache(p->cx, &p->engine->cache);
    TN_TRY(sizes_of_bindings(p->graph, o->bindings, o->n_bindings, &p->sizes));
    TN_TRY(note_named_axes(p));
    if (!inputs_are_known(p->graph, p->sizes)) {
        p->makes_own = tiers_are_used(p->engine);
        p->engine->eager = true; /* other sizes use the code of the first ones, which stays */
        p->cache = variant_cache_new(&p->allocator);
        return p->cache ? note_interface(p) : module_no_memory(p->graph);
    }
    return compile_now(p, o->profiler);
}

tn_status tn_program_compile(const tn_module *m, const tn_compile_options *options,
                             tn_program **out)
{
    tn_compile_options o;
    context *cx = m->graph->cx;
    diag_flush(&cx->diag);
    *out = NULL;
    if (OPTIONS_READ(&cx->diag, tn_compile_options, plan_only, &o, options) != TN_OK)
        return context_done(cx, TN_ERR_USAGE);
    tn_program *p = memory_alloc(&cx->allocator, sizeof *p);
    if (!p)
        return context_done(cx, diag_no_memory(&cx->diag));
    *p = (tn_program){.allocator = cx->allocator, .sink = cx->diag.sink};
    p->cx = context_new(&cx->allocator, &cx->diag.sink);
    p->engine = memory_alloc(&cx->allocator, sizeof *p->engine);
    if (p->engine)
        *p->engine = (engine){0};
    tn_status s;
    if (p->cx && p->engine) {
        context_limits_from(p->cx, cx);
        p->cx->has_told_llvm = cx->has_told_llvm;
        p->cx->has_told_cache = cx->has_told_cache;
        s = context_done(p->cx, compile(p, m->graph, &o));
        tn_context_set_timeout(p->cx, 0); /* these are of the compilation */
        tn_context_set_cancel(p->cx, NULL, NULL);
        cx->has_told_llvm |= atomic_load(&p->engine->has_told);
        cx->has_told_cache |= p->cx->has_told_cache;
    } else {
        s = context_done(cx, diag_no_memory(&cx->diag));
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
    variant_cache_free(&allocator, p->cache);
    tape_free(p->tape);
    free_pipeline(&allocator, p->made);
    if (p->engine)
        engine_release(p->engine);
    memory_free(&allocator, p->engine, sizeof *p->engine);
    module_free(p->graph);
    other_sizes_release(&p->others);
    context_free(p->cx);
    custom_set_free(p->custom);
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
