/* What kernels and runs take at least. */
#include "compile/explain/run_cost.h"

least_time least_time_of(const machine_limits *m, const nest *n)
{
    enum { FLOPS_A_CYCLE = 32 }; /* where the clock is not known */
    const double clock = m->clock > 0 ? m->clock : m->flops / FLOPS_A_CYCLE;
    const double moving = (double)n->bytes / (n->bytes <= LIMITS_NEAR ? m->near : m->bytes);
    const double computing = (double)n->work / m->flops + (double)n->cycles / 64 / clock;
    const limit_kind why = n->is_open            ? LIMIT_LOOP
                           : moving >= computing ? LIMIT_MEMORY
                           : n->cycles > 0       ? LIMIT_MODEL
                                                 : LIMIT_ARITHMETIC;
    return (least_time){moving >= computing ? moving : computing, why};
}

typedef struct counting {
    const jit_plan *plan;
    const machine_limits *limits;
    run_cost *of; /* by function, ... */
    bool *known;  /* ... once this is set */
} counting;

static uint64_t add_up(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static run_cost sum_of(run_cost a, run_cost b)
{
    return (run_cost){add_up(a.bytes, b.bytes), add_up(a.flops, b.flops), a.seconds + b.seconds};
}

static run_cost less_of(run_cost a, run_cost b)
{
    return (run_cost){a.bytes < b.bytes ? a.bytes : b.bytes, a.flops < b.flops ? a.flops : b.flops,
                      a.seconds < b.seconds ? a.seconds : b.seconds};
}

static run_cost cost_of_function(counting *c, uint32_t index, uint32_t depth);

static run_cost cost_of_region(counting *c, const node *n, attr_key key, uint32_t depth)
{
    return cost_of_function(c, (uint32_t)attr_int(n->attrs, key, 0), depth + 1);
}

/* Of N, of F, which runs regions. */
static run_cost cost_of_control(counting *c, const function *f, const node *n, uint32_t depth)
{
    switch ((int)n->op) {
    case OP_COND: {
        const run_cost yes = cost_of_region(c, n, KEY_TRUE_REGION, depth);
        return less_of(yes, cost_of_region(c, n, KEY_FALSE_REGION, depth));
    }
    case OP_WHILE: {
        const run_cost cond = cost_of_region(c, n, KEY_COND_REGION, depth);
        return sum_of(cond, cost_of_region(c, n, KEY_BODY_REGION, depth));
    }
    default: {
        const int64_t carries = attr_int(n->attrs, KEY_CARRY_COUNT, 0);
        const int64_t turns = value_type(f, n->in[carries])->dims[0];
        const run_cost turn = cost_of_region(c, n, KEY_BODY_REGION, depth);
        return (run_cost){multiply(turn.bytes, (uint64_t)turns),
                          multiply(turn.flops, (uint64_t)turns), turn.seconds * (double)turns};
    }
    }
}

static run_cost cost_of_function(counting *c, uint32_t index, uint32_t depth)
{
    const function_plan *p = &c->plan->functions[index];
    run_cost all = {0};
    if (c->known[index] || depth > 2 * LIMIT_MOST_NESTING) /* deeper ones do not run */
        return c->of[index];
    for (uint32_t i = 0; p->plans && i < p->kernels.n; i++) {
        const nest *n = p->plans[i].nest;
        const node *of = &p->f->nodes.at[p->kernels.at[i].node];
        if (!p->plans[i].by_reference)
            all = sum_of(all, (run_cost){n->bytes, n->flops,
                                         c->limits ? least_time_of(c->limits, n).seconds : 0});
        else if (op_table[of->op].traits & T_REGIONS)
            all = sum_of(all, cost_of_control(c, p->f, of, depth));
    }
    c->known[index] = true;
    return c->of[index] = all;
}

bool run_cost_of(const jit_plan *plan, const machine_limits *measured, run_cost *out)
{
    arena memory;
    arena_init(&memory, plan->allocator);
    counting c = {.plan = plan,
                  .limits = measured,
                  .of = ARENA_ARRAY(&memory, run_cost, plan->m->functions.n),
                  .known = ARENA_ARRAY(&memory, bool, plan->m->functions.n)};
    const bool ok = c.of && c.known;
    if (ok)
        *out = cost_of_function(&c, plan->m->entry, 0);
    arena_release(&memory);
    return ok;
}
