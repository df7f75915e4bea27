/* Machine code for each distinct program of a plan. */
#include "compile/jit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/signals.h"
#include "compile/jit_executable.h"
#include "runtime/cache.h"
#include "runtime/code.h"
#include "target/target.h"

/* Code that nobody else has. */
typedef struct own_code {
    code *code;
    code_function *run;
} own_code;

/* What compiles. */
typedef struct compiler {
    const engine *e;
    cache *cache;         /* NULL: nothing is kept */
    const char *identity; /* of this version, LLVM and CPU: part of every key */
} compiler;

/* ---- compiling ---- */

enum { MOST_THREADS = 16 };

typedef struct compile_job {
    const compiler *j;
    const jit_plan *plan;
    jit_code *code;
    const uint32_t *order; /* the units, longest programs first: threads end together */
    atomic_uint next;
    atomic_bool failed;
    jit_failure failure;  /* of the first that failed */
    atomic_uint compiled; /* units that were not found anywhere */
} compile_job;

static const char entry[] = "kernel";

static tn_status load_code(const compiler *j, const text_buffer *object, own_code *out)
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
static tn_status make_code(const compiler *j, const target_function *f, target_kept *kept,
                           text_buffer *object, own_code *out, jit_failure *why)
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
static bool make_key(const compiler *j, const jit_unit *u, text_buffer *key)
{
    text_put(key, j->identity, strlen(j->identity) + 1);
    text_put(key, u->key, u->key_bytes);
    return !key->failed;
}

/* Code for U, from the cache if it is there. *COMPILED: it was not. */
static tn_status compile_unit(const compiler *j, const jit_unit *u, target_kept *kept,
                              own_code *out, bool *compiled, jit_failure *why)
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
    const compiler *j = job->j;
    const jit_unit *u = &job->plan->units.at[i];
    own_code made = {NULL, NULL};
    bool compiled = false;
    stored_code **held = &job->code->held[i];
    *held = code_store_take(j->e->codes, u->key, u->key_bytes);
    if (*held)
        return TN_OK;
    TN_TRY(compile_unit(j, u, kept, &made, &compiled, why));
    if (compiled)
        (void)atomic_fetch_add(&job->compiled, 1);
    *held = code_store_put(j->e->codes, u->key, u->key_bytes, made.code, made.run);
    return *held ? TN_OK : TN_ERR_NOMEM;
}

static void *compile_some(void *user)
{
    compile_job *job = user;
    target_kept kept = {0};
    for (uint32_t i; !atomic_load(&job->failed) &&
                     (i = atomic_fetch_add(&job->next, 1)) < job->plan->units.n;) {
        jit_failure why = {.status = TN_OK};
        why.status = provide_unit(job, job->order[i], &kept, &why);
        if (why.status != TN_OK && !atomic_exchange(&job->failed, true))
            job->failure = why;
    }
    target_forget(&kept);
    return NULL;
}

typedef struct length {
    uint32_t instructions, unit;
} length;

static int longer_first(const void *a, const void *b)
{
    const length *x = a, *y = b;
    if (x->instructions != y->instructions)
        return x->instructions > y->instructions ? -1 : 1;
    return x->unit < y->unit ? -1 : 1;
}

/* In which order the units of PLAN are compiled. NULL without memory. */
static const uint32_t *order_units(jit_plan *plan)
{
    const uint32_t n = plan->units.n;
    uint32_t *order = ARENA_ARRAY(&plan->memory, uint32_t, n);
    length *lengths = ARENA_ARRAY(&plan->memory, length, n);
    if (!order || !lengths)
        return NULL;
    for (uint32_t i = 0; i < n; i++)
        lengths[i] = (length){plan->units.at[i].program->n, i};
    if (n)
        qsort(lengths, n, sizeof *lengths, longer_first);
    for (uint32_t i = 0; i < n; i++)
        order[i] = lengths[i].unit;
    return order;
}

/* Open what all units need; in MEMORY. */
static bool compiler_open(compiler *j, const engine *e, arena *memory)
{
    const target_options o = {.cpu = e->cpu};
    const char *identity = target_llvm_identity(&o, memory);
    *j = (compiler){.e = e};
    j->identity = identity ? arena_printf(memory, "tenon %s %s", TENON_VERSION, identity) : NULL;
    j->cache = j->identity ? cache_open(&e->allocator, &e->cache) : NULL;
    return j->identity != NULL;
}

/* Compile all units, on as many threads as E may use, where its allocator allows it. */
static void run_job(compile_job *job, const engine *e)
{
    pthread_t threads[MOST_THREADS];
    uint32_t n = 0;
    const uint32_t units = job->plan->units.n;
    sigset_t before;
    const bool is_shared = e->allocator.resize == memory_system.resize;
    const uint32_t most = !is_shared ? 1 : e->threads < MOST_THREADS ? e->threads : MOST_THREADS;
    const bool masked = signals_block(&before);
    while (n + 1 < most && n + 1 < units &&
           pthread_create(&threads[n], NULL, compile_some, job) == 0)
        n++;
    if (masked)
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)compile_some(job);
    for (uint32_t i = 0; i < n; i++)
        (void)pthread_join(threads[i], NULL);
}

tn_status jit_compile(const engine *e, jit_plan *plan, jit_code *made, uint32_t *compiled,
                      jit_failure *why)
{
    compiler j;
    compile_job job = {.j = &j, .plan = plan, .code = made};
    *compiled = 0;
    *why = (jit_failure){.status = TN_ERR_NOMEM};
    made->held = ARENA_ARRAY(&plan->memory, stored_code *, plan->units.n);
    made->run = ARENA_ARRAY(&plan->memory, exe_kernel *, plan->units.n);
    job.order = order_units(plan);
    if (!made->held || !made->run || !job.order)
        return why->status;
    made->n = plan->units.n;
    if (!compiler_open(&j, e, &plan->memory))
        return why->status;
    run_job(&job, e);
    cache_close(j.cache);
    *compiled = atomic_load(&job.compiled);
    *why = job.failure;
    for (uint32_t i = 0; why->status == TN_OK && i < made->n; i++)
        made->run[i] = stored_code_run(made->held[i]);
    return why->status;
}

void jit_code_release(const engine *e, jit_code *made)
{
    for (uint32_t i = 0; i < made->n; i++)
        code_store_give_back(e->codes, made->held[i]);
    *made = (jit_code){.n = 0};
}

/* ---- code that lives as long as the tape ---- */

typedef struct code_list {
    module *lowered; /* whose nodes the steps come from, where that is not the program's own */
    jit_plan *plan;  /* that steps look at which compare; NULL: none do */
    jit_packs packs;
    code_store *store;
    uint32_t n;
    stored_code *at[];
} code_list;

static void free_codes(void *user)
{
    code_list *l = user;
    for (uint32_t i = 0; i < l->n; i++)
        code_store_give_back(l->store, l->at[i]);
    if (l->plan)
        jit_plan_release(l->plan);
    jit_lowered_free(l->lowered);
    jit_packs_release(&l->packs);
}

tape *jit_load(const engine *e, executable *x, jit_plan *plan, jit_code *made, jit_packs *packs)
{
    code_list *l = arena_alloc(exe_memory(x), sizeof *l + made->n * sizeof *l->at);
    jit_plan *kept = e->checks ? ARENA_NEW(exe_memory(x), jit_plan) : NULL;
    tape *t = tape_load(x, made->run, made->n, host_calls);
    if (!t || !l || (e->checks && !kept)) {
        tape_free(t);
        return NULL;
    }
    l->n = made->n;
    l->store = e->codes;
    l->lowered = plan->lowered;
    plan->lowered = NULL;
    l->packs = *packs;
    *packs = (jit_packs){.allocator = NULL};
    for (uint32_t i = 0; i < made->n; i++)
        l->at[i] = made->held[i];
    *made = (jit_code){.n = 0};
    l->plan = kept;
    if (kept) {
        *kept = *plan;
        jit_plan_init(plan, NULL, &kept->nests, kept->polls, kept->allocator);
    }
    tape_keep(t, free_codes, l);
    return t;
}

code_function *jit_compile_one(const engine *e, const loop_program *program, code **out)
{
    compiler j = {.e = e};
    own_code made = {NULL, NULL};
    jit_unit u = {.program = program};
    target_kept kept = {0};
    arena memory;
    bool compiled;
    jit_failure why;
    arena_init(&memory, &e->allocator);
    if (program && compiler_open(&j, e, &memory) &&
        (u.key = loop_key(program, &memory, &u.key_bytes)) != NULL)
        (void)compile_unit(&j, &u, &kept, &made, &compiled, &why);
    target_forget(&kept);
    cache_close(j.cache);
    arena_release(&memory);
    *out = made.code;
    return made.run;
}
