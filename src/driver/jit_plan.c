/* Kernels of every function, their programs, and which of these are the same. */
#include "driver/jit_plan.h"

#include <stdio.h>
#include <string.h>

#include "loop/polls.h"
#include "pass/lower.h"

/* The unit of a program; UINT32_MAX without memory. */
static uint32_t unit_of(jit_plan *j, const loop_program *program)
{
    const tn_allocator *a = j->allocator;
    size_t bytes;
    const void *key = loop_key(program, &j->memory, &bytes);
    if (!key)
        return UINT32_MAX;
    const uint64_t h = hash_bytes(0, key, bytes);
    for (uint32_t p = hash_first(&j->by_key, h), i; (i = hash_at(&j->by_key, h, &p)) != HASH_NONE;)
        if (j->units.at[i].key_bytes == bytes && memcmp(j->units.at[i].key, key, bytes) == 0)
            return i;
    const jit_unit u = {.program = program, .key = key, .key_bytes = bytes};
    if (!VECTOR_PUSH(a, &j->units, u))
        return UINT32_MAX;
    const uint32_t own = j->units.n - 1;
    if (!hash_add(a, &j->by_key, h, own)) {
        j->units.n = own;
        return UINT32_MAX;
    }
    return own;
}

/* So many positions that nobody waits for them: the evaluator refuses what it cannot hold. */
static bool is_endless(const kernel *k) /* stages have no stages */
{
    int64_t n = 1;
    for (uint32_t i = 0; i < k->n_stages; i++)
        if (is_endless(&k->stages[i]))
            return true;
    for (uint32_t i = 0; i < k->rank; i++)
        if (__builtin_mul_overflow(n, k->dims[i], &n))
            return true;
    return n > INT64_C(1) << 38;
}

/* The program of step I of K. What runs once, on constants, runs without a watch. */
static const loop_program *program_of(jit_plan *j, const kernel *k, const nest *n, uint32_t i)
{
    const nest_step *s = &n->steps[i];
    const uint32_t buffers = s->n_buffers ? s->n_buffers : emit_buffer_count(k) + n->n_temps;
    if (!j->polls || s->is_once)
        return s->program;
    return loop_with_polls(s->program, buffers, LOOP_POLL_EVERY, &j->memory);
}

/* Many kernels are like one before: what was made for PLAN since START is given back then. False
 * without memory. */
static bool share_programs(jit_plan *j, kernel_plan *plan, arena_mark start)
{
    char how[NEST_STEPS][128];
    nest *n = &plan->nest;
    for (uint32_t i = 0; i < n->n_steps; i++)
        (void)snprintf(how[i], sizeof how[i], "%s", n->steps[i].how);
    arena_rewind(&j->memory, start);
    for (uint32_t i = 0; i < n->n_steps; i++) {
        n->steps[i].program = j->units.at[plan->unit[i]].program;
        n->steps[i].how = arena_printf(&j->memory, "%s", how[i]);
        if (!n->steps[i].how)
            return false;
    }
    return true;
}

static bool plan_kernel(jit_plan *j, const function *f, const kernel *k, kernel_plan *plan)
{
    const arena_mark start = arena_here(&j->memory);
    const uint32_t known = j->units.n;
    if (k->kind != KERNEL_REFERENCE && is_endless(k))
        return false;
    if (k->kind == KERNEL_REFERENCE || !nest_of_kernel(f, k, j->cpu, &j->memory, &plan->nest)) {
        plan->by_reference = true;
        return k->kind == KERNEL_REFERENCE || k->kind == KERNEL_LOOPS;
    }
    for (uint32_t i = 0; i < plan->nest.n_steps; i++) {
        const loop_program *p = program_of(j, k, &plan->nest, i);
        plan->nest.steps[i].program = p;
        if (!p || (plan->unit[i] = unit_of(j, p)) == UINT32_MAX)
            return false;
    }
    return j->units.n > known || share_programs(j, plan, start);
}

static bool plan_function(jit_plan *j, const function *f, function_plan *p)
{
    p->f = f;
    if (!kernels_of(f, &j->memory, &p->kernels))
        return false;
    kernel_plan *plans = ARENA_ARRAY(&j->memory, kernel_plan, p->kernels.n);
    for (uint32_t i = 0; plans && i < p->kernels.n; i++)
        if (!plan_kernel(j, f, &p->kernels.at[i], &plans[i]))
            return false;
    p->plans = plans;
    return plans != NULL;
}

/* The evaluator goes on with M, and speaks of it, so only a copy changes. */
static bool lower(jit_plan *j, const module *m)
{
    if (!module_has_composites(m))
        return true;
    context *cx = context_new(j->allocator, NULL);
    j->lowered = cx ? module_copy_to(m, cx) : NULL;
    if (!j->lowered) {
        context_free(cx);
        return false;
    }
    j->m = j->lowered;
    return module_lower(j->lowered) == TN_OK;
}

void jit_lowered_free(module *lowered)
{
    context *cx = lowered ? lowered->cx : NULL;
    module_free(lowered);
    context_free(cx);
}

bool jit_plan_make(jit_plan *j, const module *m, const char *cpu, bool polls,
                   const tn_allocator *allocator)
{
    *j = (jit_plan){.m = m, .cpu = cpu, .polls = polls, .allocator = allocator};
    arena_init(&j->memory, allocator);
    if (!lower(j, m))
        return false;
    j->functions = ARENA_ARRAY(&j->memory, function_plan, j->m->functions.n);
    for (uint32_t i = 0; j->functions && i < j->m->functions.n; i++)
        if (!plan_function(j, j->m->functions.at[i], &j->functions[i]))
            j->functions[i].plans = NULL;
    return j->functions != NULL;
}

void jit_plan_release(jit_plan *j)
{
    VECTOR_RELEASE(j->allocator, &j->units);
    hash_release(j->allocator, &j->by_key);
    arena_release(&j->memory);
    jit_lowered_free(j->lowered);
}

const char *jit_kernel_name(const function *f, const kernel *k, arena *memory)
{
    const char *name = "";
    for (uint32_t i = 0; i < k->n_nodes && name; i++) {
        const char *op = op_table[f->nodes.at[k->nodes[i]].op].text;
        if (strlen(name) > 60)
            return arena_printf(memory, "%s ...", name);
        name = arena_printf(memory, "%s%s%s", name, *name ? " " : "", op);
    }
    return name && *name ? name : "copy";
}
