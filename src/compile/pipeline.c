/* The pipeline: what each stage does is one call; what failure means is said here. */
#include "compile/pipeline.h"

#include <stdarg.h>
#include <unistd.h>

#include "compile/jit_executable.h"
#include "compile/jit_steps.h"
#include "pass/pass.h"
#include "pass/sizes/bind.h"
#include "target/target.h"

typedef struct pipeline_row {
    const char *name; /* for profiles */
    tn_status (*run)(pipeline *p);
    bool makes_kernels; /* of no use where every step is a reference kernel */
} pipeline_row;

static tn_status bind(pipeline *p);
static tn_status optimise(pipeline *p);
static tn_status lower(pipeline *p);
static tn_status group(pipeline *p);
static tn_status make_loops(pipeline *p);
static tn_status make_code(pipeline *p);
static tn_status pack(pipeline *p);
static tn_status make_executable(pipeline *p);
static tn_status load(pipeline *p);

static const pipeline_row stages[PIPELINE_STAGES] = {
    [STAGE_BIND] = {"bind", bind, false},
    [STAGE_PASSES] = {"passes", optimise, false},
    [STAGE_LOWER] = {"lower", lower, true},
    [STAGE_KERNELS] = {"kernels", group, true},
    [STAGE_LOOPS] = {"loops", make_loops, true},
    [STAGE_CODE] = {"machine code", make_code, true},
    [STAGE_CONSTANTS] = {"constants", pack, true},
    [STAGE_EXECUTABLE] = {"executable", make_executable, false},
    [STAGE_LOAD] = {"load", load, false},
};

tn_status pipeline_to(pipeline *p, pipeline_stage last)
{
    /* The reference evaluator takes a graph as the passes left it. */
    if (p->purpose == FOR_RUNS && !p->e->is_jit && last > STAGE_PASSES)
        last = STAGE_PASSES;
    for (; p->next <= last; p->next++) {
        const pipeline_row *stage = &stages[p->next];
        if (stage->makes_kernels && p->by_reference)
            continue;
        const int64_t begin = p->events ? clock_now() : 0;
        TN_TRY(stage->run(p));
        engine_tell(p->events, "compile", p->event ? p->event : stage->name, begin);
        p->event = NULL;
    }
    return TN_OK;
}

/* ---- failures ---- */

/* What went wrong where nothing was reported yet; WHY says a defect. */
static tn_status report(const pipeline *p, tn_status s, const char *why)
{
    diag_channel *d = &p->graph->cx->diag;
    if (s == TN_ERR_NOMEM)
        return diag_no_memory(d);
    if (s == TN_ERR_INTERNAL)
        return diag_report(d, DIAG_InternalError, &p->graph->source, NO_SPAN, "%s", why);
    return s;
}

static void note(diag_channel *d, const module *m, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void note(diag_channel *d, const module *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_vmild(d, TN_NOTE, DIAG_Advice, &m->source, NO_SPAN, format, args);
    va_end(args);
}

/* Say which functions have no machine code, and why. */
static void note_uncovered(const pipeline *p)
{
    const module *m = p->graph;
    for (uint32_t i = 0; i < p->plan.m->functions.n; i++) {
        const function_plan *f = &p->plan.functions[i];
        if (f->role == FUNCTION_RUNS && !f->plans)
            note(&m->cx->diag, m, "%s %s runs by reference kernels: %s",
                 f->f->is_region ? "region" : "function", f->f->name ? f->f->name : "main", f->why);
    }
}

/* Every step becomes a reference kernel, since there is no machine code; WHY. Warn of it once,
 * unless the evaluator was asked for. */
static tn_status go_without_code(pipeline *p, const char *why)
{
    p->by_reference = true;
    if (!atomic_exchange(&p->e->has_told, true))
        diag_warn(&p->graph->cx->diag, DIAG_BackendUnavailable, &p->graph->source, NO_SPAN,
                  "%s, so the engine 'jit' runs reference kernels: the results are the same, and "
                  "come more slowly",
                  why);
    return TN_OK;
}

/* ---- stages ---- */

static tn_status bind(pipeline *p)
{
    /* What is constant whatever the sizes are. */
    if (p->options.level > 0 && module_has_symbols(p->graph))
        TN_TRY(pass_run(p->graph, PASS_FOLD_PURE, false, NULL));
    if (p->others && p->e->is_jit)
        other_sizes_init(p->others, p->graph, p->sizes, &p->options);
    return module_bind_here(p->graph, p->sizes);
}

static tn_status optimise(pipeline *p)
{
    return pass_run_level(p->graph, p->options.level, p->options.relaxed, false, NULL);
}

static tn_status lower(pipeline *p)
{
    if (p->purpose == FOR_RUNS && !target_llvm_is_installed())
        return go_without_code(p, "LLVM is not installed");
    jit_plan_init(&p->plan, p->others, &p->nests, p->purpose != AHEAD_OF_TIME, p->allocator);
    tn_status s = jit_plan_lower(&p->plan, p->graph);
    if (s == TN_OK && p->e->memory > 0 && p->purpose != AHEAD_OF_TIME)
        s = jit_plan_recompute(&p->plan, p->e->memory);
    return report(p, s, p->plan.why);
}

static tn_status group(pipeline *p)
{
    return report(p, jit_plan_kernels(&p->plan), p->plan.why);
}

static tn_status make_loops(pipeline *p)
{
    return report(p, jit_plan_loops(&p->plan), p->plan.why);
}

/* Code for the programs that run once, on constants. Without it they run each time. */
static tn_status make_code_once(pipeline *p)
{
    const uint32_t n = p->plan.units.n;
    p->code.run = ARENA_ARRAY(&p->plan.memory, exe_kernel *, n);
    p->own = ARENA_ARRAY(&p->plan.memory, code *, n);
    if (!p->code.run || !p->own)
        return report(p, TN_ERR_NOMEM, NULL);
    for (uint32_t i = 0; i < p->plan.m->functions.n && target_llvm_is_installed(); i++) {
        const function_plan *f = &p->plan.functions[i];
        for (uint32_t k = 0; f->plans && k < f->kernels.n; k++)
            for (uint32_t s = 0; s < f->plans[k].nest->n_steps; s++) {
                const uint32_t unit = f->plans[k].steps[s].unit;
                if (f->plans[k].nest->steps[s].is_once && !p->own[unit])
                    p->code.run[unit] =
                        jit_compile_one(p->e, p->plan.units.at[unit].program, &p->own[unit]);
            }
    }
    return TN_OK;
}

static tn_status make_code(pipeline *p)
{
    jit_failure why;
    uint32_t compiled;
    if (p->purpose == TO_EXPLAIN && !target_llvm_is_installed())
        return go_without_code(p, "LLVM is not installed"); /* as a run would */
    if (p->purpose != FOR_RUNS)
        return make_code_once(p);
    note_uncovered(p);
    const tn_status s = jit_compile(p->e, &p->plan, &p->code, &compiled, &why);
    p->event = compiled > 0 ? NULL : "code that was there";
    return s == TN_ERR_UNAVAILABLE ? go_without_code(p, why.message) : report(p, s, why.message);
}

static tn_status pack(pipeline *p)
{
    uint32_t made;
    jit_pack(p->e, &p->plan, p->code.run, &p->packs, &made);
    p->event = made > 0 ? NULL : "constants that were there";
    return TN_OK;
}

static tn_status make_executable(pipeline *p)
{
    tn_status s;
    if (p->by_reference) {
        s = executable_of_module(p->graph, p->allocator, NULL, NULL, &p->exe);
    } else {
        jit_steps steps = {.plan = &p->plan, .checks = p->e->checks};
        s = executable_of_module(p->plan.m, p->allocator, jit_add_steps, &steps, &p->exe);
    }
    return s == TN_ERR_UNAVAILABLE ? TN_OK : report(p, s, "the steps of kernels do not fit");
}

/* Bytes. */
static uint64_t machine_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes : UINT64_MAX;
}

executable *pipeline_executable(const pipeline *p)
{
    return p->exe && exe_bytes(p->exe, 1) <= machine_memory() ? p->exe : NULL;
}

static tn_status load(pipeline *p)
{
    executable *x = pipeline_executable(p);
    if (!x)
        return TN_OK;
    p->exe = NULL; /* the tape's, whatever happens */
    p->tape = p->by_reference ? tape_load(x, NULL, 0, host_calls)
                              : jit_load(p->e, x, &p->plan, &p->code, &p->packs);
    return p->tape ? TN_OK : report(p, TN_ERR_NOMEM, NULL);
}

/* ---- the whole ---- */

void pipeline_init(pipeline *p, pipeline_purpose purpose, engine *e, module *graph,
                   pipeline_stage next)
{
    *p = (pipeline){.purpose = purpose,
                    .e = e,
                    .allocator = &e->allocator,
                    .nests = {.on = e->on, .schedule = e->schedule},
                    .graph = graph,
                    .next = next};
    jit_plan_init(&p->plan, NULL, &p->nests, false, p->allocator);
}

void pipeline_release(pipeline *p)
{
    tape_free(p->tape);
    exe_free(p->exe);
    for (uint32_t i = 0; p->own && i < p->plan.units.n; i++)
        code_free(p->own[i]);
    jit_code_release(p->e, &p->code);
    jit_packs_release(&p->packs);
    jit_plan_release(&p->plan);
    p->own = NULL;
    p->exe = NULL;
    p->tape = NULL;
}
