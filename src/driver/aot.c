/* From a module to a program as data. */
#include "driver/aot.h"

#include "runtime/tape_parts.h"

/* Stands in the tape for kernels that have no code yet; nothing runs it. */
static int32_t no_kernel(char *const *buffers, int64_t begin, int64_t end, char *scratch)
{
    (void)buffers;
    (void)begin;
    (void)end;
    (void)scratch;
    return 1;
}

/* Either memory was lacking, or values that no kernel holds would be too large. */
static tn_status no_tape(const aot *a, const module *m)
{
    for (uint32_t i = 0; i < m->functions.n; i++)
        if (!a->plan.functions[i].plans)
            return diag_report(&m->cx->diag, DIAG_NotImplemented, &m->source, NO_SPAN,
                               "values of the program are too large to hold, or there is no "
                               "memory to plan it; the evaluator (--engine ref) needs less");
    return module_no_memory(m);
}

static bool add_units(aot *a)
{
    for (uint32_t i = 0; i < a->plan.units.n; i++) {
        const target_function f = {NULL, a->plan.units.at[i].program};
        if (!VECTOR_PUSH(a->allocator, &a->functions, f))
            return false;
    }
    return true;
}

tn_status aot_make(aot *a, module *m, const char *cpu, const tn_allocator *allocator)
{
    *a = (aot){.allocator = allocator};
    arena_init(&a->memory, allocator);
    if (!jit_plan_make(&a->plan, m, cpu, allocator))
        return module_no_memory(m);
    tape_kernel **code = ARENA_ARRAY(&a->memory, tape_kernel *, a->plan.units.n);
    jit_steps steps = {&a->plan, code};
    for (uint32_t i = 0; code && i < a->plan.units.n; i++)
        code[i] = no_kernel;
    if (!code || !add_units(a))
        return module_no_memory(m);
    a->tape = tape_of_module(a->plan.m, allocator, jit_add_steps, &steps);
    if (!a->tape)
        return no_tape(a, m);
    TN_TRY(aot_add_blocks(a, m));
    target_program *p = &a->program;
    p->functions = a->functions.at;
    p->n_functions = a->functions.n;
    p->constants = a->constants.at;
    p->n_constants = a->constants.n;
    p->buffers = a->buffers.at;
    p->n_buffers = a->buffers.n;
    p->workspace_bytes = a->tape->memory + a->tape->scratch;
    return TN_OK;
}

void aot_release(aot *a)
{
    tape_free(a->tape);
    jit_plan_release(&a->plan);
    VECTOR_RELEASE(a->allocator, &a->functions);
    VECTOR_RELEASE(a->allocator, &a->constants);
    VECTOR_RELEASE(a->allocator, &a->buffers);
    VECTOR_RELEASE(a->allocator, &a->steps);
    hash_release(a->allocator, &a->by_data);
    arena_release(&a->memory);
}
