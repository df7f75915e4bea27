/* The forms between a graph and machine code as text. */
#include "compile/explain/dump.h"

#include <inttypes.h>

#include "base/text/shown.h"
#include "compile/explain/explain.h"

const char *dump_stage_name(dump_stage stage)
{
    static const char *const names[DUMP_STAGES] = {"graph", "lowered", "kernels", "loops",
                                                   "program"};
    return names[stage];
}

static void dump_kernel(const jit_plan *plan, const function_plan *p, uint32_t k, dump_stage stage,
                        text_buffer *out)
{
    const kernel_plan *made = &p->plans[k];
    text_printf(out, "kernel %" PRIu32 " of ", k);
    text_puts_shown(out, p->f->name ? p->f->name : "main");
    text_puts(out, "\n");
    if (stage == DUMP_KERNELS) {
        kernel_print(p->f, &p->kernels.at[k], out);
        for (uint32_t i = 0; i < made->nest->n_schedules; i++) {
            text_puts(out, "  schedule ");
            contract_schedule_print(&made->nest->schedules[i], out);
            text_puts(out, "\n");
        }
        return;
    }
    if (made->by_reference)
        text_puts(out, "  runs by its reference kernel\n");
    for (uint32_t i = 0; !made->by_reference && i < made->nest->n_steps; i++) {
        text_printf(out, "step %" PRIu32 ": %s, %" PRId64 " items, program %" PRIu32 "\n", i,
                    made->nest->steps[i].how, made->nest->steps[i].work, made->steps[i].unit);
        loop_print(plan->units.at[made->steps[i].unit].program, out);
    }
}

static void dump_kernels(const jit_plan *plan, dump_stage stage, int64_t number, text_buffer *out)
{
    for (uint32_t i = 0; i < plan->m->functions.n; i++) {
        const function_plan *p = &plan->functions[i];
        if (!p->plans && p->role == FUNCTION_RUNS) {
            text_puts_shown(out, p->f->name ? p->f->name : "main");
            text_puts(out, " runs by reference kernels\n");
        }
        for (uint32_t k = 0; p->plans && k < p->kernels.n; k++)
            if (number < 0 || number == k)
                dump_kernel(plan, p, k, stage, out);
    }
}

static void dump_stage_of(const tn_program *p, const jit_plan *plan, dump_stage stage,
                          int64_t number, text_buffer *out)
{
    switch (stage) {
    case DUMP_GRAPH:
        module_print(p->graph, out);
        break;
    case DUMP_LOWERED:
        module_print(plan->m, out);
        break;
    case DUMP_KERNELS:
    case DUMP_LOOPS:
        dump_kernels(plan, stage, number, out);
        break;
    case DUMP_PROGRAM:
        if (program_executable(p))
            exe_print(program_executable(p), out);
        else if (p->engine->is_foreign)
            text_puts(out, "no program is made for a CPU whose code this machine cannot run\n");
        else
            text_puts(out, "the reference evaluator runs the graph as it is\n");
        break;
    case DUMP_STAGES:
        break;
    }
}

/* The kernels of the function that has most. */
static uint32_t most_kernels(const jit_plan *plan)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < plan->m->functions.n; i++)
        if (plan->functions[i].plans && plan->functions[i].kernels.n > n)
            n = plan->functions[i].kernels.n;
    return n;
}

static tn_status no_kernel(const tn_program *p, int64_t number, uint32_t n)
{
    return diag_report(&p->cx->diag, DIAG_Usage, NULL, NO_SPAN,
                       "there is no kernel %" PRId64 "; there %s %" PRIu32 ", the first is 0",
                       number, n == 1 ? "is" : "are", n);
}

tn_status program_dump(const tn_program *p, dump_stage stage, int64_t number, text_buffer *out)
{
    const pipeline *made;
    TN_TRY(program_plan(p, &made));
    const uint32_t kernels = most_kernels(&made->plan);
    if (number >= kernels || number < -1) {
        program_plan_give_back(p, made);
        return no_kernel(p, number, kernels);
    }
    if (stage != DUMP_STAGES)
        dump_stage_of(p, &made->plan, stage, number, out);
    for (int each = 0; stage == DUMP_STAGES && each < DUMP_STAGES; each++) {
        text_printf(out, "-- %s\n", dump_stage_name((dump_stage)each));
        dump_stage_of(p, &made->plan, (dump_stage)each, number, out);
    }
    program_plan_give_back(p, made);
    return TN_OK;
}
