/* Machine code for each distinct program of a plan, and a tape whose steps run it. */
#include "compile/jit.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/signals.h"
#include "compile/code_store.h"
#include "compile/host_calls.h"
#include "compile/jit_steps.h"
#include "runtime/cache.h"
#include "runtime/code.h"
#include "target/target.h"

/* Code that nobody else has. */
typedef struct jit_code {
    code *code;
    code_function *run;
} jit_code;

typedef struct jit {
    const engine *e;
    jit_plan plan;
    stored_code **code;   /* by unit */
    cache *cache;         /* NULL: nothing is kept */
    const char *identity; /* of this version, LLVM and CPU: part of every key */
} jit;

/* ---- compiling ---- */

enum { MOST_THREADS = 16 };

typedef struct compile_job {
    jit *j;
    atomic_uint next;
    atomic_bool failed;
    jit_failure failure;  /* of the first that failed */
    atomic_uint compiled; /* units that were not found anywhere */
} compile_job;

static const char entry[] = "kernel";

static tn_status load_code(const jit *j, const text_buffer *object, jit_code *out)
{
    if (object->failed)
        return TN_ERR_NOMEM;
    TN_TRY(code_load(&j->e->allocator, object->at, object->n, &out->code));
    out->run = code_find(out->code, entry);
    if (out->run)
        return TN_OK;
    code_free(out->code);
    out->code = NULL;
    return TN_ERR_IO;
}

static void remember(void *user, const tn_diagnostic *d)
{
    jit_failure *f = user;
    (void)snprintf(f->message, sizeof f->message, "%s", d->message);
}

/* An OBJECT of F, and its code. */
static tn_status make_code(const jit *j, const target_function *f, target_kept *kept,
                           text_buffer *object, jit_code *out, jit_failure *why)
{
    const target_options o = {.kept = kept, .cpu = j->e->cpu};
    const tn_diagnostic_sink sink = {remember, why};
    context *cx = context_new(&j->e->allocator, &sink);
    if (!cx)
        return TN_ERR_NOMEM;
    tn_status s = target_llvm(cx, f, 1, &o, object);
    context_free(cx); /* says the reason */
    if (s == TN_OK)
        s = load_code(j, object, out);
    if (s == TN_ERR_IO) { /* not what the loader takes, though it was made for it */
        (void)snprintf(why->message, sizeof why->message, "the loader refuses LLVM's object");
        s = TN_ERR_INTERNAL;
    }
    return s;
}

/* What the cache knows the object of U by: the program, and what would compile it. */
static bool make_key(const jit *j, const jit_unit *u, text_buffer *key)
{
    text_put(key, j->identity, strlen(j->identity) + 1);
    text_put(key, u->key, u->key_bytes);
    return !key->failed;
}

/* Code for U, from the cache if it is there. *COMPILED: it was not. */
static tn_status compile_unit(const jit *j, const jit_unit *u, target_kept *kept, jit_code *out,
                              bool *compiled, jit_failure *why)
{
    const tn_allocator *a = &j->e->allocator;
    const target_function f = {entry, u->program};
    text_buffer key, object;
    tn_status s = TN_OK;
    text_init(&key, a);
    text_init(&object, a);
    *compiled = !make_key(j, u, &key) || !cache_get(j->cache, key.at, key.n, &object) ||
                load_code(j, &object, out) != TN_OK;
    if (*compiled) {
        text_release(&object);
        s = make_code(j, &f, kept, &object, out, why);
        if (s == TN_OK && !key.failed)
            cache_put(j->cache, key.at, key.n, object.at, object.n);
    }
    text_release(&object);
    text_release(&key);
    return s;
}

/* The code of unit I, which another program of the engine may have. */
static tn_status provide_unit(compile_job *job, uint32_t i, target_kept *kept, jit_failure *why)
{
    const jit *j = job->j;
    const jit_unit *u = &j->plan.units.at[i];
    jit_code made = {NULL, NULL};
    bool compiled = false;
    j->code[i] = code_store_take(j->e->codes, u->key, u->key_bytes);
    if (j->code[i])
        return TN_OK;
    TN_TRY(compile_unit(j, u, kept, &made, &compiled, why));
    if (compiled)
        (void)atomic_fetch_add(&job->compiled, 1);
    j->code[i] = code_store_put(j->e->codes, u->key, u->key_bytes, made.code, made.run);
    return j->code[i] ? TN_OK : TN_ERR_NOMEM;
}

static void *compile_some(void *user)
{
    compile_job *job = user;
    target_kept kept = {0};
    for (uint32_t i; !atomic_load(&job->failed) &&
                     (i = atomic_fetch_add(&job->next, 1)) < job->j->plan.units.n;) {
        jit_failure why = {.status = TN_OK};
        why.status = provide_unit(job, i, &kept, &why);
        if (why.status != TN_OK && !atomic_exchange(&job->failed, true))
            job->failure = why;
    }
    target_forget(&kept);
    return NULL;
}

/* Open what all units need. */
static bool open_cache(jit *j)
{
    const target_options o = {.cpu = j->e->cpu};
    const char *identity = target_llvm_identity(&o, &j->plan.memory);
    j->identity =
        identity ? arena_printf(&j->plan.memory, "tenon %s %s", TENON_VERSION, identity) : NULL;
    j->cache = j->identity ? cache_open(&j->e->allocator, &j->e->cache) : NULL;
    return j->identity != NULL;
}

/* *COMPILED: how many units had to be. */
static tn_status compile_all(jit *j, uint32_t *compiled, jit_failure *why)
{
    compile_job job = {.j = j};
    pthread_t threads[MOST_THREADS];
    uint32_t n = 0;
    const uint32_t units = j->plan.units.n;
    sigset_t before;
    const bool is_shared = j->e->allocator.resize == memory_system.resize;
    const uint32_t most = !is_shared                     ? 1
                          : j->e->threads < MOST_THREADS ? j->e->threads
                                                         : MOST_THREADS;
    *compiled = 0;
    j->code = ARENA_ARRAY(&j->plan.memory, stored_code *, units);
    if (!j->code || !open_cache(j))
        return TN_ERR_NOMEM;
    const bool masked = signals_block(&before);
    while (n + 1 < most && n + 1 < units &&
           pthread_create(&threads[n], NULL, compile_some, &job) == 0)
        n++;
    if (masked)
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)compile_some(&job);
    for (uint32_t i = 0; i < n; i++)
        (void)pthread_join(threads[i], NULL);
    cache_close(j->cache);
    *compiled = atomic_load(&job.compiled);
    *why = job.failure;
    return why->status;
}

/* ---- code that lives as long as the tape ---- */

typedef struct code_list {
    module *lowered; /* whose nodes the steps come from, where that is not the program's own */
    jit_plan *plan;  /* that steps look at which compare; NULL: none do */
    code_store *store;
    uint32_t n;
    stored_code *at[];
} code_list;

static void free_codes(void *user)
{
    const code_list *l = user;
    for (uint32_t i = 0; i < l->n; i++)
        code_store_give_back(l->store, l->at[i]);
    if (l->plan)
        jit_plan_release(l->plan);
    jit_lowered_free(l->lowered);
}

/* Load X with the code of J, which the tape takes over. NULL without memory. */
static tape *load(jit *j, executable *x, exe_kernel *const *run)
{
    const uint32_t n = j->plan.units.n;
    code_list *l = arena_alloc(exe_memory(x), sizeof *l + n * sizeof *l->at);
    jit_plan *plan = j->e->checks ? ARENA_NEW(exe_memory(x), jit_plan) : NULL;
    tape *t = tape_load(x, run, n, host_calls);
    if (!t || !l || (j->e->checks && !plan)) {
        tape_free(t);
        return NULL;
    }
    l->n = n;
    l->store = j->e->codes;
    l->lowered = j->plan.lowered;
    j->plan.lowered = NULL;
    for (uint32_t i = 0; i < n; i++) {
        l->at[i] = j->code[i];
        j->code[i] = NULL;
    }
    l->plan = plan;
    if (plan) {
        *plan = j->plan;
        j->plan = (jit_plan){.allocator = plan->allocator};
        arena_init(&j->plan.memory, plan->allocator);
        j->code = NULL;
    }
    tape_keep(t, free_codes, l);
    return t;
}

/* Threads to pack constants on, where there are many; NULL: none. */
static workers *packers(const jit *j)
{
    enum { MANY = 8 << 20 }; /* bytes */
    const engine *e = j->e;
    if (e->threads < 2 || jit_packed_bytes(&j->plan) < MANY)
        return NULL;
    return e->pool.run ? workers_on_pool(&e->allocator, &e->pool)
                       : workers_new(&e->allocator, e->threads);
}

/* *OUT: NULL also where the evaluator holds much less than a tape. */
static tn_status make_tape(jit *j, tape **out)
{
    exe_kernel **run = ARENA_ARRAY(&j->plan.memory, exe_kernel *, j->plan.units.n);
    jit_steps steps = {
        .plan = &j->plan, .code = run, .checks = j->e->checks, .workers = packers(j)};
    for (uint32_t i = 0; run && i < j->plan.units.n; i++)
        run[i] = stored_code_run(j->code[i]);
    executable *x =
        run ? executable_of_module(j->plan.m, &j->e->allocator, jit_add_steps, &steps) : NULL;
    workers_free(steps.workers);
    if (x)
        *out = load(j, x, run);
    return !x || *out ? TN_OK : TN_ERR_NOMEM;
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

/* Say which functions of M have no machine code, and why. */
static void note_uncovered(const jit *j, const module *m)
{
    for (uint32_t i = 0; i < j->plan.m->functions.n; i++) {
        const function_plan *p = &j->plan.functions[i];
        if (!p->plans)
            note(&m->cx->diag, m, "%s %s runs by reference kernels: %s",
                 p->f->is_region ? "region" : "function", p->f->name ? p->f->name : "main", p->why);
    }
}

/* Plan, code and tape; WHY is set where code cannot be made. */
static tn_status compile(jit *j, const module *m, other_sizes *others, const tn_profiler *events,
                         tape **out, jit_failure *why)
{
    const engine *e = j->e;
    int64_t begin = events ? clock_now() : 0;
    uint32_t compiled = 0;
    const tn_status s = jit_plan_make(&j->plan, m, others, &e->on, true, &e->allocator);
    engine_tell(events, "compile", "plan", begin);
    if (s == TN_ERR_INTERNAL)
        (void)snprintf(why->message, sizeof why->message, "%s", j->plan.why);
    TN_TRY(s);
    note_uncovered(j, m);
    begin = events ? clock_now() : 0;
    TN_TRY(compile_all(j, &compiled, why));
    engine_tell(events, "compile", compiled > 0 ? "machine code" : "code that was there", begin);
    return make_tape(j, out);
}

tn_status jit_compile(engine *e, const module *m, other_sizes *others, const tn_profiler *events,
                      tape **out, jit_failure *why)
{
    jit j = {.e = e};
    *out = NULL;
    *why = (jit_failure){.status = TN_OK};
    why->status = compile(&j, m, others, events, out, why);
    for (uint32_t i = 0; j.code && i < j.plan.units.n; i++)
        code_store_give_back(e->codes, j.code[i]);
    jit_plan_release(&j.plan);
    return why->status;
}

code_function *jit_compile_one(const engine *e, const loop_program *program, code **out)
{
    jit j = {.e = e};
    jit_code made = {NULL, NULL};
    jit_unit u = {.program = program};
    target_kept kept = {0};
    bool compiled;
    jit_failure why;
    arena_init(&j.plan.memory, &e->allocator);
    if (program && open_cache(&j) &&
        (u.key = loop_key(program, &j.plan.memory, &u.key_bytes)) != NULL)
        (void)compile_unit(&j, &u, &kept, &made, &compiled, &why);
    target_forget(&kept);
    cache_close(j.cache);
    arena_release(&j.plan.memory);
    *out = made.code;
    return made.run;
}
