/* Which units of a plan get baseline code first. */
#include "base/memory/memory.h"
#include "compile/engine.h"
#include "compile/tiers/tiers.h"

bool tiers_are_used(const engine *e)
{
    return !e->eager && !e->checks && !e->pool.run && e->allocator.resize == memory_system.resize;
}

/* What a unit has to do in a run. */
typedef struct unit_work {
    uint64_t flops, bytes;
    bool is_unknown; /* it may run any number of times */
} unit_work;

static void add_step(unit_work *w, const nest_step *step, uint64_t packed)
{
    const uint64_t bytes = step->is_once ? 2 * packed : step->bytes;
    if (__builtin_add_overflow(w->flops, step->flops, &w->flops) ||
        __builtin_add_overflow(w->bytes, bytes, &w->bytes))
        w->is_unknown = true;
    w->is_unknown = w->is_unknown || (step->flops == 0 && bytes == 0);
}

/* What PLAN's units do; AT is zero before. */
static void find_work(const jit_plan *plan, unit_work *at)
{
    for (uint32_t i = 0; i < plan->m->functions.n; i++) {
        const function_plan *f = &plan->functions[i];
        for (uint32_t k = 0; f->plans && k < f->kernels.n; k++)
            for (uint32_t s = 0; !f->plans[k].by_reference && s < f->plans[k].nest->n_steps; s++) {
                const nest *n = f->plans[k].nest;
                unit_work *w = &at[f->plans[k].steps[s].unit];
                add_step(w, &n->steps[s], n->steps[s].is_once ? n->temps[n->steps[s].packs] : 0);
                w->is_unknown = w->is_unknown || f->f->is_region || n->is_open;
            }
    }
}

/* How much longer a run takes with baseline code, and how much less compiling does, both in
 * nanoseconds of one thread: measured with the networks of bench/models.py on Zen 5. */
static double longer_run(const machine *on, const unit_work *w)
{
    const double flops_in_ns = 1.5 * on->vector_bytes, bytes_in_ns = 6;
    return (double)w->flops / flops_in_ns + (double)w->bytes / bytes_in_ns;
}

static double shorter_compile(const loop_program *p)
{
    return 1e6 + 5e3 * p->n;
}

code_tier *tiers_choose(const engine *e, const jit_plan *plan, arena *memory)
{
    const uint32_t n = plan->units.n;
    code_tier *tier = ARENA_ARRAY(memory, code_tier, n);
    unit_work *work = ARENA_ARRAY(memory, unit_work, n);
    if (!tier || !work)
        return NULL;
    const bool is_whole = plan->m && tiers_are_used(e); /* what is exchanged has units only */
    if (is_whole)
        find_work(plan, work);
    for (uint32_t i = 0; i < n; i++)
        tier[i] = is_whole && !work[i].is_unknown &&
                          longer_run(&e->on, &work[i]) < shorter_compile(plan->units.at[i].program)
                      ? TIER_BASELINE
                      : TIER_OPTIMIZED;
    return tier;
}
