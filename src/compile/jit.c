/* Machine code for each distinct program of a plan. */
#include "compile/jit.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/signals.h"
#include "compile/jit_executable.h"
#include "compile/tiers/code_exchange.h"
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
    const uint32_t *order;  /* the units, longest programs of a tier first: threads end together */
    const uint32_t *groups; /* where those begin that are compiled together, and the end */
    uint32_t n_groups;
    atomic_uint next;
    atomic_bool failed;
    jit_failure failure;  /* of the first that failed */
    atomic_uint compiled; /* units that were not found anywhere */
} compile_job;

static tn_status load_code(const compiler *j, const text_buffer *object, own_code *out)
{
    if (object->failed)
        return TN_ERR_NOMEM;
    TN_TRY(code_load(&j->e->allocator, object->at, object->n, &out->code));
    out->run = code_only(out->code);
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

/* An OBJECT of the N functions F. */
static tn_status make_object(const compiler *j, const target_function *f, size_t n, code_tier tier,
                             target_kept *kept, text_buffer *object, jit_failure *why)
{
    const target_options o = {.kept = &kept[tier],
                              .cpu = j->e->cpu,
                              .is_apart = n > 1,
                              .is_baseline = tier == TIER_BASELINE};
    const tn_diagnostic_sink sink = {remember, why};
    context *cx = context_new(&j->e->allocator, &sink);
    if (!cx)
        return TN_ERR_NOMEM;
    const tn_status s = target_llvm(cx, f, n, &o, object);
    context_free(cx); /* says the reason */
    return s;
}

/* What the code of U is known by: the program, and what would compile it. */
static bool make_key(const compiler *j, const jit_unit *u, code_tier tier, text_buffer *key)
{
    text_put(key, j->identity, strlen(j->identity) + 1);
    text_put(key, tier == TIER_BASELINE ? "b" : "o", 1);
    text_put(key, u->key, u->key_bytes);
    return !key->failed;
}

/* Code from the cache; false when it is not there. */
static bool find_cached(const compiler *j, const jit_unit *u, code_tier tier, own_code *out)
{
    text_buffer key, object;
    text_init(&key, &j->e->allocator);
    text_init(&object, &j->e->allocator);
    const bool found = make_key(j, u, tier, &key) && cache_get(j->cache, key.at, key.n, &object) &&
                       load_code(j, &object, out) == TN_OK;
    text_release(&object);
    text_release(&key);
    return found;
}

/* The code of an OBJECT that LLVM made of U for this machine, which the cache keeps. */
static tn_status load_made(const compiler *j, const jit_unit *u, code_tier tier,
                           const text_buffer *object, own_code *out, jit_failure *why)
{
    text_buffer key;
    tn_status s = load_code(j, object, out);
    if (s == TN_ERR_IO) { /* not what the loader takes, though it was made for it */
        (void)snprintf(why->message, sizeof why->message, "the loader refuses LLVM's object");
        return TN_ERR_INTERNAL;
    }
    text_init(&key, &j->e->allocator);
    if (s == TN_OK && make_key(j, u, tier, &key))
        cache_put(j->cache, key.at, key.n, object->at, object->n);
    text_release(&key);
    return s;
}

/* The same for the function NAME of an OBJECT of several. */
static tn_status load_part(const compiler *j, const jit_unit *u, code_tier tier,
                           const text_buffer *object, const char *name, own_code *out,
                           jit_failure *why)
{
    const tn_allocator *a = &j->e->allocator;
    text_buffer part;
    text_init(&part, a);
    tn_status s = TN_ERR_NOMEM;
    if (!object->failed && code_part(a, object->at, object->n, name, &part))
        s = load_made(j, u, tier, &part, out, why);
    text_release(&part);
    return s;
}

/* ---- compiling some together ---- */

/* What LLVM does once for a module takes as long as a small kernel: small ones are compiled
 * together. */
enum { MOST_TOGETHER = 16, ENOUGH = 1000 /* instructions */ };

/* Code for N units, of which none is anywhere; the cache keeps each for itself. */
static tn_status compile_units(const compiler *j, const jit_unit *const *u, uint32_t n,
                               code_tier tier, target_kept *kept, own_code *out, jit_failure *why)
{
    char names[MOST_TOGETHER][16];
    target_function f[MOST_TOGETHER];
    text_buffer object;
    for (uint32_t i = 0; i < n; i++) {
        (void)snprintf(names[i], sizeof names[i], "kernel%" PRIu32, i);
        f[i] = (target_function){names[i], u[i]->program};
        out[i] = (own_code){NULL, NULL};
    }
    text_init(&object, &j->e->allocator);
    tn_status s = make_object(j, f, n, tier, kept, &object, why);
    for (uint32_t i = 0; i < n && s == TN_OK; i++)
        s = n == 1 ? load_made(j, u[i], tier, &object, &out[i], why)
                   : load_part(j, u[i], tier, &object, names[i], &out[i], why);
    for (uint32_t i = 0; i < n && s != TN_OK; i++) {
        code_free(out[i].code);
        out[i] = (own_code){NULL, NULL};
    }
    text_release(&object);
    return s;
}

/* ---- what the engine has ---- */

/* Let the engine keep what was MADE of U. */
static tn_status keep(const compiler *j, const jit_unit *u, code_tier tier, const own_code *made,
                      stored_code **held)
{
    text_buffer key;
    text_init(&key, &j->e->allocator);
    if (make_key(j, u, tier, &key))
        *held = code_store_put(j->e->codes, key.at, key.n, made->code, made->run);
    else
        code_free(made->code);
    text_release(&key);
    return *held ? TN_OK : TN_ERR_NOMEM;
}

/* *HELD: the code of U for TIER that another program of the engine or the cache has; NULL: none
 * has. */
static tn_status find_unit(const compiler *j, const jit_unit *u, code_tier tier, stored_code **held)
{
    own_code made = {NULL, NULL};
    text_buffer key;
    text_init(&key, &j->e->allocator);
    const bool has_key = make_key(j, u, tier, &key);
    *held = has_key ? code_store_take(j->e->codes, key.at, key.n) : NULL;
    text_release(&key);
    if (!has_key)
        return TN_ERR_NOMEM;
    return !*held && find_cached(j, u, tier, &made) ? keep(j, u, tier, &made, held) : TN_OK;
}

/* The code of unit I that is there already; better than its tier asks for, where that is. */
static tn_status find_one(const compile_job *job, uint32_t i)
{
    const jit_unit *u = &job->plan->units.at[i];
    stored_code **held = &job->code->held[i];
    code_tier *tier = &job->code->tier[i];
    TN_TRY(find_unit(job->j, u, TIER_OPTIMIZED, held));
    if (!*held && *tier == TIER_BASELINE)
        return find_unit(job->j, u, TIER_BASELINE, held);
    *tier = TIER_OPTIMIZED;
    return TN_OK;
}

/* The code of the N units that ORDER lists, which are of one tier. */
static tn_status provide(const compile_job *job, const uint32_t *order, uint32_t n,
                         target_kept *kept, jit_failure *why, uint32_t *compiled)
{
    const jit_unit *units[MOST_TOGETHER];
    uint32_t missing[MOST_TOGETHER];
    own_code made[MOST_TOGETHER];
    const code_tier tier = job->code->tier[order[0]];
    *compiled = 0;
    for (uint32_t k = 0; k < n; k++) {
        TN_TRY(find_one(job, order[k]));
        units[*compiled] = &job->plan->units.at[order[k]];
        missing[*compiled] = order[k];
        *compiled += !job->code->held[order[k]];
    }
    if (*compiled == 0)
        return TN_OK;
    TN_TRY(compile_units(job->j, units, *compiled, tier, kept, made, why));
    tn_status s = TN_OK;
    for (uint32_t k = 0; k < *compiled; k++) {
        const tn_status each = keep(job->j, units[k], tier, &made[k], &job->code->held[missing[k]]);
        s = s == TN_OK ? each : s;
    }
    return s;
}

static void *compile_some(void *user)
{
    compile_job *job = user;
    target_kept kept[TIERS] = {{0}};
    for (uint32_t i;
         !atomic_load(&job->failed) && (i = atomic_fetch_add(&job->next, 1)) < job->n_groups;) {
        const uint32_t from = job->groups[i], n = job->groups[i + 1] - from;
        jit_failure why = {.status = TN_OK};
        uint32_t compiled;
        why.status = provide(job, job->order + from, n, kept, &why, &compiled);
        (void)atomic_fetch_add(&job->compiled, compiled);
        if (why.status != TN_OK && !atomic_exchange(&job->failed, true))
            job->failure = why;
    }
    for (uint32_t t = 0; t < TIERS; t++)
        target_forget(&kept[t]);
    return NULL;
}

typedef struct length {
    uint32_t instructions, unit;
    code_tier tier;
} length;

static int longer_first(const void *a, const void *b)
{
    const length *x = a, *y = b;
    if (x->tier != y->tier)
        return x->tier < y->tier ? -1 : 1;
    if (x->instructions != y->instructions)
        return x->instructions > y->instructions ? -1 : 1;
    return x->unit < y->unit ? -1 : 1;
}

/* In which order the units of PLAN are compiled on THREADS threads, and which together: where there
 * are several, those later in the order are fewer, so that they end together. False without memory.
 */
static bool order_units(jit_plan *plan, uint32_t threads, compile_job *job)
{
    const uint32_t n = plan->units.n;
    uint32_t *order = ARENA_ARRAY(&plan->memory, uint32_t, n);
    uint32_t *groups = ARENA_ARRAY(&plan->memory, uint32_t, (size_t)n + 1);
    length *lengths = ARENA_ARRAY(&plan->memory, length, n);
    if (!order || !groups || !lengths)
        return false;
    uint64_t left = 0;
    for (uint32_t i = 0; i < n; i++) {
        lengths[i] = (length){plan->units.at[i].program->n, i, job->code->tier[i]};
        left += lengths[i].instructions;
    }
    if (n)
        qsort(lengths, n, sizeof *lengths, longer_first);
    for (uint32_t i = 0; i < n; job->n_groups++) {
        const uint64_t share = threads > 1 ? left / (2 * (uint64_t)threads) : left;
        const uint64_t enough = share < ENOUGH ? share : ENOUGH;
        const code_tier tier = lengths[i].tier;
        uint64_t together = 0;
        groups[job->n_groups] = i;
        for (uint32_t k = 0;
             i < n && lengths[i].tier == tier && k < MOST_TOGETHER && (k == 0 || together < enough);
             k++) {
            together += lengths[i].instructions;
            order[i] = lengths[i].unit;
            i++;
        }
        left -= together;
    }
    groups[job->n_groups] = n;
    job->order = order;
    job->groups = groups;
    return true;
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

/* On how many threads E may compile. */
static uint32_t threads_of(const engine *e)
{
    const bool is_shared = e->allocator.resize == memory_system.resize;
    return !is_shared ? 1 : e->threads < MOST_THREADS ? e->threads : MOST_THREADS;
}

/* Compile all units, on up to MOST threads. */
static void run_job(compile_job *job, uint32_t most)
{
    pthread_t threads[MOST_THREADS];
    uint32_t n = 0;
    sigset_t before;
    const bool masked = signals_block(&before);
    while (n + 1 < most && n + 1 < job->n_groups &&
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
    made->tier = tiers_choose(e, plan, &plan->memory);
    if (!made->held || !made->run || !made->tier || !order_units(plan, threads_of(e), &job))
        return why->status;
    made->n = plan->units.n;
    if (!compiler_open(&j, e, &plan->memory))
        return why->status;
    run_job(&job, threads_of(e));
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
    code_exchange *exchange;
    code_store *store;
    uint32_t n;
    stored_code *at[];
} code_list;

static void free_codes(void *user)
{
    code_list *l = user;
    exchange_free(l->exchange);
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
    l->exchange = exchange_new(e, t, plan, made);
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

void jit_note_run(const tape *t, int64_t deadline)
{
    const code_list *l = tape_kept(t);
    if (l)
        exchange_note_run(l->exchange, deadline);
}

bool jit_is_settled(const tape *t)
{
    const code_list *l = tape_kept(t);
    return !l || exchange_has_ended(l->exchange);
}

code_function *jit_compile_one(const engine *e, const loop_program *program, code **out)
{
    compiler j = {.e = e};
    own_code made = {NULL, NULL};
    jit_unit u = {.program = program};
    const jit_unit *units = &u;
    target_kept kept[TIERS] = {{0}};
    arena memory;
    jit_failure why;
    arena_init(&memory, &e->allocator);
    if (program && compiler_open(&j, e, &memory) &&
        (u.key = loop_key(program, &memory, &u.key_bytes)) != NULL &&
        !find_cached(&j, &u, TIER_OPTIMIZED, &made))
        (void)compile_units(&j, &units, 1, TIER_OPTIMIZED, kept, &made, &why);
    target_forget(&kept[TIER_OPTIMIZED]);
    cache_close(j.cache);
    arena_release(&memory);
    *out = made.code;
    return made.run;
}
