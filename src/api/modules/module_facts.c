/* What is in a program, and what a run of it takes. */
#include "api/api.h"
#include "compile/aot/aot.h"
#include "compile/explain/run_cost.h"
#include "graph/literal.h"
#include "program/executable.h"

/* ---- modules ---- */

static void count_function(const function *f, tn_module_counts *out)
{
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        const node *n = &f->nodes.at[i];
        const literal *l = literal_of(n);
        out->operations += n->op != OP_INPUT;
        if (!l || l->splat || l->type->count <= 1)
            continue;
        out->parameters += (uint64_t)l->type->count;
        out->parameter_bytes += l->bytes;
        out->parameter_tensors++;
    }
}

tn_status tn_module_get_counts(const tn_module *tm, tn_module_counts *out)
{
    const module *m = tm->graph;
    tn_module_counts counts = {.size = 0};
    if (OPTIONS_ROOM(&m->cx->diag, tn_module_counts, parameter_bytes, out) != TN_OK)
        return context_done(m->cx, TN_ERR_USAGE);
    for (uint32_t i = 0; i < m->functions.n; i++)
        count_function(m->functions.at[i], &counts);
    OPTIONS_GIVE(tn_module_counts, parameter_bytes, out, &counts);
    return TN_OK;
}

/* ---- programs ---- */

static tn_status count_costs(const tn_program *p, tn_program_costs *out)
{
    engine here = {.allocator = p->allocator};
    pipeline made;
    pipeline_init(&made, AHEAD_OF_TIME, &here, p->graph, STAGE_LOWER);
    made.nests = (nest_options){.on = p->engine->on, .schedule = p->engine->schedule};
    tn_status s = pipeline_to(&made, STAGE_EXECUTABLE);
    run_cost together = {0};
    if (s == TN_OK && !run_cost_of(&made.plan, NULL, &together))
        s = diag_no_memory(&p->cx->diag);
    out->flops = together.flops;
    out->moved_bytes = together.bytes;
    for (uint32_t i = 0; s == TN_OK && i < made.plan.m->functions.n; i++)
        out->kernels += made.plan.functions[i].plans ? made.plan.functions[i].kernels.n : 0;
    if (s == TN_OK && made.exe)
        out->memory_bytes = exe_value_bytes(made.exe);
    pipeline_release(&made);
    return s;
}

tn_status tn_program_get_costs(const tn_program *p, tn_program_costs *out)
{
    tn_program_costs costs = {.size = 0};
    if (OPTIONS_ROOM(&p->cx->diag, tn_program_costs, memory_bytes, out) != TN_OK)
        return context_done(p->cx, TN_ERR_USAGE);
    const tn_status s = p->cache
                            ? report_unknown_sizes(p, "what a program takes depends on its sizes")
                            : count_costs(p, &costs);
    OPTIONS_GIVE(tn_program_costs, memory_bytes, out, &costs);
    return context_done(p->cx, s);
}
