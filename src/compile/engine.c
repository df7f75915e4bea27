/* Engines: which one, and its threads. */
#include "compile/engine.h"

#include <string.h>

#include "base/context/options.h"
#include "compile/check.h"
#include "compile/jit.h"
#include "compile/jit_executable.h"
#include "graph/derived.h"
#include "runtime/code_store.h"
#include "runtime/result.h"
#include "target/target.h"

/* Engines and devices of this build, as lists for messages. */
#define ENGINES "jit, ref"
#define DEVICES "cpu"

static tn_status no_engine(const module *m, const char *name)
{
    diag_channel *d = &m->cx->diag;
    tn_status s = diag_report(d, DIAG_BackendUnavailable, &m->source, NO_SPAN,
                              "no engine '%s' in this version", name);
    diag_note(d, NULL, NO_SPAN, "available: %s", ENGINES);
    return s;
}

/* Can code be made for CPU, and, if it RUNS_HERE, run on this machine? */
static tn_status probe(context *cx, const char *cpu, bool runs_here)
{
    arena memory;
    loop_builder b;
    text_buffer object;
    const target_options o = {.cpu = cpu, .runs_here = runs_here};
    arena_init(&memory, &cx->allocator);
    text_init(&object, &cx->allocator);
    loop_init(&b, &memory);
    const target_function f = {"probe", loop_finish(&b)};
    const tn_status s = f.program ? target_llvm(cx, &f, 1, &o, &object) : diag_no_memory(&cx->diag);
    text_release(&object);
    arena_release(&memory);
    return s;
}

/* Can code for CPU, which is known, not run here? */
static tn_status find_foreign(context *cx, const char *cpu, bool *is_foreign)
{
    context *silent = context_new(&cx->allocator, NULL);
    if (!silent)
        return diag_no_memory(&cx->diag);
    *is_foreign = probe(silent, cpu, true) != TN_OK;
    context_free(silent);
    return TN_OK;
}

/* A CPU that is asked for must be there. */
static tn_status check_cpu(engine *e, context *cx)
{
    TN_TRY(probe(cx, e->cpu, !e->plan_only));
    return e->plan_only ? find_foreign(cx, e->cpu, &e->is_foreign) : TN_OK;
}

/* What O says of the cache; its text moves to MEMORY. */
static tn_status take_cache(engine *e, const tn_cache_options *o, context *cx, arena *memory)
{
    tn_cache_options given;
    TN_TRY(OPTIONS_READ(&cx->diag, tn_cache_options, off, &given, o));
    e->cache = (cache_place){.bytes = given.bytes, .off = given.off};
    if (given.folder)
        e->cache.folder = arena_copy_text(memory, given.folder, strlen(given.folder));
    return given.folder && !e->cache.folder ? diag_no_memory(&cx->diag) : TN_OK;
}

static tn_status take_schedule(engine *e, const tn_compile_options *o, diag_channel *d)
{
    const char *why = contract_schedule_read(o->schedule, &e->schedule);
    return why ? diag_report(d, DIAG_Usage, NULL, NO_SPAN, "'%.100s' is no schedule: %s",
                             o->schedule, why)
               : TN_OK;
}

tn_status engine_init(engine *e, const tn_allocator *allocator, const tn_compile_options *o,
                      module *m)
{
    diag_channel *d = &m->cx->diag;
    *e = (engine){.allocator = *allocator, .has_told = m->cx->has_told_llvm};
    if (o->cpu && !(e->cpu = arena_printf(&m->arena, "%s", o->cpu)))
        return module_no_memory(m);
    TN_TRY(take_cache(e, o->cache, m->cx, &m->arena));
    TN_TRY(take_schedule(e, o, d));
    e->is_relaxed = o->numerics == TN_NUMERICS_RELAXED && o->level != TN_LEVEL_0 && !o->check;
    e->on = machine_for(NULL, e->cpu, e->is_relaxed);
    if (o->device && strcmp(o->device, DEVICES) != 0) {
        tn_status s = diag_report(d, DIAG_BackendUnavailable, &m->source, NO_SPAN,
                                  "no backend available for target %s", o->device);
        diag_note(d, NULL, NO_SPAN, "available: %s", DEVICES);
        return s;
    }
    if (o->engine && strcmp(o->engine, "jit") != 0 && strcmp(o->engine, "ref") != 0)
        return no_engine(m, o->engine);
    e->plan_only = o->plan_only;
    e->is_jit = !o->engine || strcmp(o->engine, "jit") == 0;
    if (e->is_jit && e->cpu && (o->engine || target_llvm_is_installed()))
        TN_TRY(check_cpu(e, m->cx));
    e->threads = o->threads > 0 ? o->threads : o->pool ? o->pool->threads : workers_of_machine();
    e->checks = o->check && e->is_jit;
    e->eager = o->eager;
    e->memory = o->memory_bytes;
    if (o->pool)
        e->pool = *o->pool;
    e->has_lock = pthread_mutex_init(&e->lock, NULL) == 0;
    e->codes = e->is_jit ? code_store_new(allocator) : NULL;
    e->derived = m->derived = derived_store_new(allocator);
    return e->has_lock && (e->codes || !e->is_jit) && e->derived ? TN_OK : diag_no_memory(d);
}

void engine_release(engine *e)
{
    workers_free(atomic_load(&e->workers));
    code_store_free(e->codes); /* its tapes are gone */
    derived_store_free(e->derived);
    if (e->has_lock)
        (void)pthread_mutex_destroy(&e->lock);
    *e = (engine){0};
}

void engine_tell(const tn_profiler *events, const char *kind, const char *name, int64_t begin)
{
    if (!events || !events->event)
        return;
    const tn_profile_event event = {
        .name = name, .kind = kind, .begin_ns = begin, .end_ns = clock_now(), .threads = 1};
    events->event(events->user, &event);
}

/* ---- running ---- */

enum { FEW = 16 }; /* inputs and outputs that need no memory of their own */

typedef struct pointers {
    const void *few[FEW];
    bool few_given[FEW];
    const void **at; /* inputs, then outputs */
    bool *given;     /* by output: memory of the caller's */
    size_t bytes;
} pointers;

static bool pointers_init(pointers *p, const tn_allocator *a, size_t n)
{
    p->at = p->few;
    p->given = p->few_given;
    p->bytes = 0;
    if (n <= FEW)
        return true;
    const size_t bytes = n * (sizeof *p->at + sizeof *p->given);
    p->at = memory_alloc(a, bytes);
    if (!p->at)
        return false;
    p->bytes = bytes;
    p->given = (bool *)(p->at + n);
    return true;
}

static void pointers_release(pointers *p, const tn_allocator *a)
{
    if (p->bytes > 0)
        memory_free(a, p->at, p->bytes);
}

static size_t output_bytes(const function *f, uint32_t k)
{
    return type_known_bytes(function_output_type(f, k)); /* the tape has room for it */
}

/* Memory for the outputs that have none, unless all together go beyond the limit. */
static bool make_outputs(const function *f, const tape *t, const eval_run *run, uint32_t threads,
                         const tn_buffer *out, pointers *p, const void **results)
{
    uint64_t held = exe_bytes(tape_executable(t), threads);
    for (uint32_t k = 0; k < f->outputs.n; k++) {
        p->given[k] = out[k].data != NULL;
        results[k] = out[k].data;
        if (!p->given[k] && __builtin_add_overflow(held, output_bytes(f, k), &held))
            return false;
    }
    if (held > run->bytes_limit)
        return false;
    for (uint32_t k = 0; k < f->outputs.n; k++) {
        if (p->given[k])
            continue;
        results[k] = result_new(&run->cx->allocator, output_bytes(f, k));
        if (!results[k])
            return false;
    }
    return true;
}

static void free_outputs(const function *f, const eval_run *run, const pointers *p,
                         const void **results)
{
    for (uint32_t k = 0; k < f->outputs.n; k++)
        if (!p->given[k])
            result_free(&run->cx->allocator, (void *)(uintptr_t)results[k], output_bytes(f, k));
}

static workers *threads_for(engine *e, uint32_t threads)
{
    workers *w = threads < 2 ? NULL : atomic_load_explicit(&e->workers, memory_order_acquire);
    if (threads < 2 || w)
        return w;
    (void)pthread_mutex_lock(&e->lock); /* fails only where it is misused */
    w = atomic_load_explicit(&e->workers, memory_order_relaxed);
    if (!w) /* without memory each run does its work alone */
        w = e->pool.run ? workers_on_pool(&e->allocator, &e->pool)
                        : workers_new(&e->allocator, e->threads);
    atomic_store_explicit(&e->workers, w, memory_order_release);
    (void)pthread_mutex_unlock(&e->lock);
    return w;
}

/* For whom steps are timed. */
typedef struct step_profile {
    const tn_profiler *events;
    tape_span *spans; /* NULL: there was no memory, or there is one thread */
    uint32_t n_spans;
} step_profile;

static void tell_step(void *user, const exe_step *step, int64_t begin, int64_t end,
                      uint32_t threads)
{
    static const char *const kinds[] = {
        [EXE_KERNEL] = "kernel", [EXE_HOST] = "reference", [EXE_COPY] = "copy",
        [EXE_COND] = "control",  [EXE_WHILE] = "control",  [EXE_SCAN] = "control"};
    const step_profile *p = user;
    const engine_step_event event = {.as = {step->name ? step->name : "", kinds[step->kind], begin,
                                            end, threads, step->bytes, step->flops, step},
                                     .spans = p->spans,
                                     .n_spans = threads > 1 && p->spans ? p->n_spans : 0};
    p->events->event(p->events->user, &event.as);
}

/* The evaluator could not say what is right, but the run went through. */
static tn_status report_lack(const eval_run *run, tn_status lack)
{
    if (lack == TN_ERR_NOMEM)
        return diag_no_memory(&run->cx->diag);
    return diag_report(&run->cx->diag, DIAG_InternalError, NULL, NO_SPAN,
                       "the reference evaluator fails where compiled code does not");
}

static engine_outcome ended(eval_run *run, tape_result r, const checker *k, tn_status *status)
{
    const step_origin *o = r.step ? r.step->what : NULL;
    run->quiet = false;
    *status = k->has_found ? TN_ERR_INTERNAL : TN_OK;
    if (r.outcome == TAPE_DONE && k->lack != TN_OK)
        *status = report_lack(run, k->lack);
    if (*status != TN_OK)
        return ENGINE_FAILED;
    if (r.outcome == TAPE_DONE)
        return ENGINE_DONE;
    if (o && (run->deadline || run->cancel)) {
        *status = eval_on_time(&(eval_call){.run = run, .function = o->f, .node = o->n});
        if (*status != TN_OK)
            return ENGINE_FAILED;
    }
    return r.outcome == TAPE_KERNEL_FAILED ? ENGINE_DEFECT : ENGINE_RETREAT;
}

static tape_result run_tape(engine *e, tape *t, const function *f, eval_run *run, uint32_t threads,
                            const tn_profiler *events, const pointers *p, checker *check)
{
    jit_host host = {.run = run, .checker = check};
    step_profile steps = {.events = events, .n_spans = threads};
    if (events && events->event && threads > 1)
        steps.spans = memory_alloc(&e->allocator, threads * sizeof *steps.spans);
    const tape_profile profile = {&steps, tell_step, steps.spans};
    const uint64_t alive = run->bytes_alive;
    const tape_run_options o = {.workers = threads_for(e, threads),
                                .threads = threads,
                                .host = &host,
                                .deadline = run->deadline,
                                .cancel = run->cancel,
                                .cancel_user = run->cancel_user,
                                .guarded = p->given,
                                .discards = run->discards,
                                .written = run->written,
                                .written_user = run->written_user,
                                .profile = events && events->event ? &profile : NULL};
    arena_init(&host.scratch, &run->cx->allocator);
    run->quiet = true; /* the evaluator reports */
    run->bytes_alive += exe_bytes(tape_executable(t), threads);
    const tape_result r = tape_run(t, p->at, (void *const *)(uintptr_t)(p->at + f->inputs.n), &o);
    run->bytes_alive = alive;
    run->quiet = false;
    arena_release(&host.scratch);
    if (steps.spans)
        memory_free(&e->allocator, steps.spans, threads * sizeof *steps.spans);
    return r;
}

engine_outcome engine_run(engine *e, tape *t, const module *m, eval_run *run, uint32_t threads,
                          const tn_profiler *events, const tn_buffer *in, tn_buffer *out,
                          const tn_port *ports, tn_status *status)
{
    const function *f = module_entry(m);
    const tn_allocator *a = &run->cx->allocator;
    pointers p;
    if (threads == 0 || threads > e->threads)
        threads = e->threads;
    if (!exe_uses_threads(tape_executable(t)))
        threads = 1;
    if (!pointers_init(&p, a, (size_t)f->inputs.n + f->outputs.n))
        return ENGINE_RETREAT;
    const void **results = p.at + f->inputs.n;
    engine_outcome outcome = ENGINE_RETREAT;
    memset(results, 0, f->outputs.n * sizeof *results);
    for (uint32_t i = 0; i < f->inputs.n; i++)
        p.at[i] = in[i].data ? in[i].data : "";
    if (make_outputs(f, t, run, threads, out, &p, results)) {
        checker check = {.allocator = *a, .cpu = e->cpu, .threads = threads};
        jit_note_run(t, run->deadline);
        const tape_result r = run_tape(e, t, f, run, threads, events, &p, &check);
        outcome = ended(run, r, &check, status);
        checker_release(&check);
    }
    if (outcome != ENGINE_DONE)
        free_outputs(f, run, &p, results);
    for (uint32_t k = 0; outcome == ENGINE_DONE && k < f->outputs.n; k++)
        if (!p.given[k])
            out[k] = (tn_buffer){(void *)(uintptr_t)results[k], output_bytes(f, k), ports[k].type};
    pointers_release(&p, a);
    return outcome;
}
