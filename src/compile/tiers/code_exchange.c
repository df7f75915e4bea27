/* Compiling optimised code and putting it in the place of baseline code. */
#include "compile/tiers/code_exchange.h"

#include "base/system/clock.h"

typedef enum exchange_state { NEVER_RUN, HAS_RUN, COMPILES, ENDED } exchange_state;

struct code_exchange {
    const engine *e;
    tape *t;
    jit_plan rest;     /* nothing but units */
    jit_code made;     /* of them */
    uint32_t *numbers; /* by unit: of its code in the tape */
    atomic_uint state;
};

/* What fails here leaves the code as it is. */
static void compile_rest(code_exchange *x)
{
    uint32_t compiled;
    jit_failure why;
    if (jit_compile(x->e, &x->rest, &x->made, &compiled, &why) != TN_OK)
        return;
    for (uint32_t i = 0; i < x->made.n; i++)
        tape_exchange(x->t, x->numbers[i], x->made.run[i]);
}

/* Is there time to compile before DEADLINE, also on a machine ten times as slow as that of
 * tiers_choose? */
static bool is_in_time(const code_exchange *x, int64_t deadline)
{
    const int64_t each = 15000000, instruction = 75000; /* ns */
    if (deadline == 0)
        return true;
    int64_t left = deadline - clock_now();
    for (uint32_t i = 0; i < x->rest.units.n && left > 0; i++)
        left -= each + instruction * (int64_t)x->rest.units.at[i].program->n;
    return left > 0;
}

void exchange_note_run(code_exchange *x, int64_t deadline)
{
    unsigned state = x ? atomic_load_explicit(&x->state, memory_order_relaxed) : ENDED;
    if (state >= COMPILES || !tiers_are_used(x->e))
        return;
    if (state == NEVER_RUN && atomic_compare_exchange_strong(&x->state, &state, HAS_RUN))
        return;
    state = HAS_RUN;
    if (!is_in_time(x, deadline) || !atomic_compare_exchange_strong(&x->state, &state, COMPILES))
        return;
    compile_rest(x);
    atomic_store(&x->state, ENDED);
}

bool exchange_has_ended(const code_exchange *x)
{
    return !x || atomic_load(&x->state) == ENDED;
}

/* A copy of U, for the plan that it is part of goes once the program is compiled. */
static bool copy_unit(code_exchange *x, const jit_unit *u, uint32_t number)
{
    arena *memory = &x->rest.memory;
    const loop_program *from = u->program;
    loop_program *p = ARENA_NEW(memory, loop_program);
    loop_inst *at = ARENA_ARRAY(memory, loop_inst, from->n);
    uint8_t *tables = ARENA_ARRAY(memory, uint8_t, from->n_tables);
    char *key = arena_alloc(memory, u->key_bytes);
    if (!p || !at || !key || (from->n_tables && !tables))
        return false;
    memcpy(at, from->at, from->n * sizeof *at);
    memcpy(key, u->key, u->key_bytes);
    if (from->n_tables)
        memcpy(tables, from->tables, from->n_tables);
    *p = *from;
    p->at = at;
    p->tables = tables;
    x->numbers[x->rest.units.n] = number;
    const jit_unit own = {.program = p, .key = key, .key_bytes = u->key_bytes};
    return VECTOR_PUSH(x->rest.allocator, &x->rest.units, own);
}

static bool fill(code_exchange *x, const jit_plan *plan, const jit_code *made, uint32_t n)
{
    x->numbers = ARENA_ARRAY(&x->rest.memory, uint32_t, n);
    bool ok = x->numbers != NULL;
    for (uint32_t i = 0; ok && i < made->n; i++)
        if (made->tier[i] == TIER_BASELINE)
            ok = copy_unit(x, &plan->units.at[i], i);
    return ok;
}

code_exchange *exchange_new(const engine *e, tape *t, const jit_plan *plan, const jit_code *made)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < made->n; i++)
        n += made->tier[i] == TIER_BASELINE;
    code_exchange *x = n ? memory_alloc(&e->allocator, sizeof *x) : NULL;
    if (!x)
        return NULL;
    *x = (code_exchange){.e = e, .t = t};
    jit_plan_init(&x->rest, NULL, &plan->nests, false, &e->allocator);
    if (fill(x, plan, made, n))
        return x;
    exchange_free(x);
    return NULL;
}

void exchange_free(code_exchange *x)
{
    if (!x)
        return;
    jit_code_release(x->e, &x->made);
    jit_plan_release(&x->rest);
    memory_free(&x->e->allocator, x, sizeof *x);
}
