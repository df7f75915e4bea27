/* A thread that compiles optimised code and puts it in the place of baseline code. */
#include "compile/tiers/code_exchange.h"

#include "base/system/signals.h"

typedef enum exchange_state { WAITS, COMPILES, ENDED } exchange_state;

struct code_exchange {
    engine *e;
    tape *t;
    arena memory;
    uint32_t n;
    jit_unit *units;
    uint32_t *numbers;     /* by unit: of its code in the tape */
    stored_code **instead; /* by unit: optimised code; NULL: none yet */
    atomic_uint state;
    atomic_bool stops;
    pthread_t thread; /* in the states COMPILES and ENDED, if HAS_THREAD */
    bool has_thread;
};

/* ---- the thread ---- */

static bool exchange_one(code_exchange *x, const jit_compiler *j, uint32_t i, target_kept *kept)
{
    if (jit_optimize_unit(j, &x->units[i], kept, &x->instead[i]) != TN_OK)
        return false;
    tape_exchange(x->t, x->numbers[i], stored_code_run(x->instead[i]));
    return true;
}

/* What fails here leaves the code as it is: also when the process ends meanwhile, and LLVM with it
 * (target/llvm/plugin). */
static void *compile_rest(void *user)
{
    code_exchange *x = user;
    target_kept kept[TIERS] = {{0}};
    jit_compiler j;
    if (jit_compiler_open(&j, x->e, &x->memory))
        for (uint32_t i = 0; i < x->n && !atomic_load(&x->stops) && exchange_one(x, &j, i, kept);
             i++)
            ;
    jit_compiler_close(&j);
    target_forget(&kept[TIER_OPTIMIZED]);
    atomic_store(&x->e->is_exchanging, false);
    atomic_store(&x->state, ENDED);
    return NULL;
}

static bool start(code_exchange *x)
{
    sigset_t before;
    const bool masked = signals_block(&before);
    x->has_thread = pthread_create(&x->thread, NULL, compile_rest, x) == 0;
    if (masked)
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return x->has_thread;
}

void exchange_note_run(code_exchange *x)
{
    if (!x || atomic_load_explicit(&x->state, memory_order_relaxed) >= COMPILES)
        return;
    if (!atomic_exchange(&x->e->has_run, true))
        return;
    if (atomic_exchange(&x->e->is_exchanging, true))
        return; /* another tape's turn */
    unsigned waits = WAITS;
    if (!atomic_compare_exchange_strong(&x->state, &waits, COMPILES)) {
        atomic_store(&x->e->is_exchanging, false);
    } else if (!start(x)) {
        atomic_store(&x->e->is_exchanging, false);
        atomic_store(&x->state, ENDED);
    }
}

bool exchange_has_ended(const code_exchange *x)
{
    return !x || atomic_load(&x->state) == ENDED;
}

/* ---- life ---- */

static bool copy_unit(code_exchange *x, const jit_unit *u, uint32_t number)
{
    const loop_program *from = u->program;
    loop_program *p = ARENA_NEW(&x->memory, loop_program);
    loop_inst *at = ARENA_ARRAY(&x->memory, loop_inst, from->n);
    uint8_t *tables = ARENA_ARRAY(&x->memory, uint8_t, from->n_tables);
    char *key = arena_alloc(&x->memory, u->key_bytes);
    if (!p || !at || !key || (from->n_tables && !tables))
        return false;
    memcpy(at, from->at, from->n * sizeof *at);
    memcpy(key, u->key, u->key_bytes);
    if (from->n_tables)
        memcpy(tables, from->tables, from->n_tables);
    *p = *from;
    p->at = at;
    p->tables = tables;
    x->numbers[x->n] = number;
    x->units[x->n++] = (jit_unit){.program = p, .key = key, .key_bytes = u->key_bytes};
    return true;
}

static bool fill(code_exchange *x, const jit_plan *plan, const jit_code *made, uint32_t n)
{
    x->units = ARENA_ARRAY(&x->memory, jit_unit, n);
    x->numbers = ARENA_ARRAY(&x->memory, uint32_t, n);
    x->instead = ARENA_ARRAY(&x->memory, stored_code *, n);
    bool ok = x->units && x->numbers && x->instead;
    for (uint32_t i = 0; ok && i < made->n; i++)
        if (made->tier[i] == TIER_BASELINE)
            ok = copy_unit(x, &plan->units.at[i], i);
    return ok;
}

code_exchange *exchange_new(engine *e, tape *t, const jit_plan *plan, const jit_code *made)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < made->n; i++)
        n += made->tier[i] == TIER_BASELINE;
    code_exchange *x = n ? memory_alloc(&e->allocator, sizeof *x) : NULL;
    if (!x)
        return NULL;
    *x = (code_exchange){.e = e, .t = t};
    arena_init(&x->memory, &e->allocator);
    if (fill(x, plan, made, n))
        return x;
    exchange_free(x);
    return NULL;
}

void exchange_free(code_exchange *x)
{
    if (!x)
        return;
    atomic_store(&x->stops, true);
    if (x->has_thread)
        (void)pthread_join(x->thread, NULL);
    for (uint32_t i = 0; i < x->n; i++)
        code_store_give_back(x->e->codes, x->instead[i]);
    arena_release(&x->memory);
    memory_free(&x->e->allocator, x, sizeof *x);
}
