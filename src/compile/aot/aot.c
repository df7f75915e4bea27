/* From an executable to a program as data. */
#include "compile/aot/aot.h"

static bool add_units(aot *a)
{
    for (uint32_t i = 0; i < a->made.plan.units.n; i++) {
        const target_function f = {NULL, a->made.plan.units.at[i].program};
        if (!VECTOR_PUSH(a->allocator, &a->functions, f))
            return false;
    }
    return true;
}

tn_status aot_make(aot *a, module *m, const nest_options *nests, uint64_t seed,
                   const tn_allocator *allocator)
{
    *a = (aot){.allocator = allocator, .here = {.allocator = *allocator}, .seed = seed};
    arena_init(&a->memory, a->allocator);
    pipeline_init(&a->made, AHEAD_OF_TIME, &a->here, m, STAGE_LOWER);
    a->made.nests = *nests;
    TN_TRY(pipeline_to(&a->made, STAGE_EXECUTABLE));
    a->exe = a->made.exe;
    if (!a->exe)
        return diag_report(
            &m->cx->diag, DIAG_NotImplemented, &m->source, NO_SPAN,
            "values of the program are too large to hold; the evaluator (%s ref) computes "
            "them where they are read",
            diag_setting_name(&m->cx->diag, SETTING_ENGINE));
    if (!add_units(a))
        return module_no_memory(m);
    TN_TRY(aot_add_blocks(a, m));
    target_program *p = &a->program;
    p->functions = a->functions.at;
    p->n_functions = a->functions.n;
    p->constants = a->constants.at;
    p->n_constants = a->constants.n;
    p->buffers = a->buffers.at;
    p->n_buffers = a->buffers.n;
    p->temporary_bytes = a->exe->memory;
    p->scratch_bytes = a->exe->scratch;
    return TN_OK;
}

void aot_release(aot *a)
{
    pipeline_release(&a->made);
    VECTOR_RELEASE(a->allocator, &a->functions);
    VECTOR_RELEASE(a->allocator, &a->constants);
    VECTOR_RELEASE(a->allocator, &a->buffers);
    VECTOR_RELEASE(a->allocator, &a->steps);
    hash_release(a->allocator, &a->by_data);
    arena_release(&a->memory);
}
