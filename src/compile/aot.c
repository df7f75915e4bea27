/* From a module to a program as data. */
#include "compile/aot.h"

#include "compile/jit.h"

static void *note_lack(void *user, void *block, size_t old_size, size_t new_size)
{
    aot *a = user;
    void *moved = a->given->resize(a->given->user, block, old_size, new_size);
    a->lacked_memory = a->lacked_memory || (!moved && new_size > 0);
    return moved;
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

/* Code of this machine for the programs that run once, on constants: what they make is part of the
 * program. Without it they run each time. */
typedef struct once {
    engine here;  /* outlives the codes */
    code **codes; /* by unit; NULL where there is none */
    exe_kernel **run;
} once;

static void compile_once(const aot *a, uint32_t unit, once *o)
{
    if (!o->codes[unit])
        o->run[unit] = jit_compile_one(&o->here, a->plan.units.at[unit].program, &o->codes[unit]);
}

static bool compile_all_once(aot *a, once *o)
{
    const uint32_t n = a->plan.units.n;
    o->codes = ARENA_ARRAY(&a->memory, code *, n);
    o->run = ARENA_ARRAY(&a->memory, exe_kernel *, n);
    if (!o->codes || !o->run)
        return false;
    for (uint32_t i = 0; i < a->plan.m->functions.n && target_llvm_is_installed(); i++) {
        const function_plan *p = &a->plan.functions[i];
        for (uint32_t k = 0; p->plans && k < p->kernels.n; k++)
            for (uint32_t s = 0; s < p->plans[k].nest.n_steps; s++)
                if (p->plans[k].nest.steps[s].is_once)
                    compile_once(a, p->plans[k].unit[s], o);
    }
    return true;
}

static tn_status plan(aot *a, module *m, const machine *on)
{
    once o = {.here = {.allocator = *a->allocator}};
    const tn_status planned = jit_plan_make(&a->plan, m, NULL, on, false, a->allocator);
    if (planned == TN_ERR_INTERNAL)
        return diag_report(&m->cx->diag, DIAG_InternalError, &m->source, NO_SPAN, "%s",
                           a->plan.why);
    if (planned != TN_OK || !compile_all_once(a, &o) || !add_units(a))
        return module_no_memory(m);
    jit_steps steps = {.plan = &a->plan, .code = o.run};
    a->exe = executable_of_module(a->plan.m, a->allocator, jit_add_steps, &steps);
    for (uint32_t i = 0; i < a->plan.units.n; i++)
        code_free(o.codes[i]);
    if (a->lacked_memory)
        return module_no_memory(m);
    if (!a->exe)
        return diag_report(&m->cx->diag, DIAG_NotImplemented, &m->source, NO_SPAN,
                           "values of the program are too large to hold; the evaluator (tenon run "
                           "--engine ref) computes them where they are read");
    return TN_OK;
}

tn_status aot_make(aot *a, module *m, const machine *on, uint64_t seed,
                   const tn_allocator *allocator)
{
    *a = (aot){.given = allocator, .noting = {note_lack, a}, .seed = seed};
    a->allocator = &a->noting;
    arena_init(&a->memory, a->allocator);
    TN_TRY(plan(a, m, on));
    TN_TRY(aot_add_blocks(a, m));
    target_program *p = &a->program;
    p->functions = a->functions.at;
    p->n_functions = a->functions.n;
    p->constants = a->constants.at;
    p->n_constants = a->constants.n;
    p->buffers = a->buffers.at;
    p->n_buffers = a->buffers.n;
    p->workspace_bytes = a->exe->memory + a->exe->scratch;
    return TN_OK;
}

void aot_release(aot *a)
{
    exe_free(a->exe);
    jit_plan_release(&a->plan);
    VECTOR_RELEASE(a->allocator, &a->functions);
    VECTOR_RELEASE(a->allocator, &a->constants);
    VECTOR_RELEASE(a->allocator, &a->buffers);
    VECTOR_RELEASE(a->allocator, &a->steps);
    hash_release(a->allocator, &a->by_data);
    arena_release(&a->memory);
}
