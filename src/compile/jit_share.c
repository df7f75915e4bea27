/* One program for steps whose programs differ only in constants. */
#include <string.h>

#include "compile/jit_plan.h"

/* What is known of a unit: a program that is compiled once, which several steps may run. */
typedef struct candidate {
    bool is_used, is_fixed; /* by a step at all; by one that cannot share it */
    bool is_once;           /* all its steps pack constants */
    uint32_t n_buffers;     /* of its steps */
    uint32_t next;          /* the next unit of its group, or NONE */
    uint32_t becomes;       /* the unit that takes its place, or NONE */
    const loop_numbers *numbers;
} candidate;

typedef struct group {
    uint32_t first, last; /* units, in order */
    uint32_t n;
} group;

typedef struct sharing {
    jit_plan *j;
    candidate *units;
    uint32_t n_units; /* before any is shared */
    VECTOR(group) groups;
    hash_index by_shape;
} sharing;

#define NONE UINT32_MAX

/* ---- which units are used how ---- */

typedef void visit_step(sharing *s, const kernel *k, kernel_plan *plan, uint32_t which);

static void each_step(sharing *s, visit_step *visit)
{
    const jit_plan *j = s->j;
    for (uint32_t i = 0; i < j->m->functions.n; i++) {
        function_plan *p = &j->functions[i];
        for (uint32_t k = 0; p->plans && k < p->kernels.n; k++)
            for (uint32_t w = 0; !p->plans[k].by_reference && w < p->plans[k].nest->n_steps; w++)
                visit(s, &p->kernels.at[k], &p->plans[k], w);
    }
}

static void note_use(sharing *s, const kernel *k, kernel_plan *plan, uint32_t which)
{
    const nest_step *step = &plan->nest->steps[which];
    candidate *c = &s->units[plan->steps[which].unit];
    const uint32_t n = jit_buffers_of(k, plan->nest, step);
    c->is_fixed = c->is_fixed || plan->steps[which].n_numbers || plan->is_generic ||
                  n >= NEST_BUFFERS || (c->is_used && c->n_buffers != n);
    c->is_once = step->is_once && (c->is_once || !c->is_used);
    c->is_used = true;
    c->n_buffers = n;
}

static bool contains_poll(const loop_program *p)
{
    for (loop_value v = 0; v < p->n; v++)
        if (p->at[v].op == LOOP_POLL)
            return true;
    return false;
}

/* ---- groups of programs of one shape ---- */

static bool add_to_group(sharing *s, uint32_t unit)
{
    const loop_program *p = s->j->units.at[unit].program;
    candidate *c = &s->units[unit];
    const uint64_t h = hash_mix(loop_shape_hash(p), (uint64_t)c->n_buffers << 1 | c->is_once);
    for (uint32_t at = hash_first(&s->by_shape, h), i;
         (i = hash_at(&s->by_shape, h, &at)) != HASH_NONE;) {
        group *g = &s->groups.at[i];
        const candidate *other = &s->units[g->first];
        if (other->n_buffers != c->n_buffers || other->is_once != c->is_once)
            continue;
        s->units[g->last].next = unit;
        g->last = unit;
        g->n++;
        return true;
    }
    const group fresh = {unit, unit, 1};
    return VECTOR_PUSH_INDEXED(s->j->allocator, &s->groups, fresh, &s->by_shape, h);
}

/* Does it pay that the units of G run one program with NUMBERS? Reading them costs nothing where a
 * program runs once, and little where the time goes into calling many small programs, or where much
 * need not be compiled and inner loops have registers for the numbers: with seven, the distances
 * of 12 rows, LLVM spills the sums of a block. Others are faster with the constants in their code.
 */
static bool is_worth_it(const sharing *s, const group *g, const loop_numbers *numbers)
{
    enum { MANY = 4, SMALL = 200, MUCH = 400, REGISTERS = 6 };
    const uint32_t n = s->j->units.at[g->first].program->n;
    if (s->units[g->first].is_once || (g->n >= MANY && n <= SMALL))
        return true;
    return (uint64_t)n * (g->n - 1) >= MUCH && numbers->n_inside <= REGISTERS;
}

static bool share(sharing *s, const group *g)
{
    jit_plan *j = s->j;
    const loop_program *shared, **programs = ARENA_ARRAY(&j->memory, const loop_program *, g->n);
    loop_numbers *numbers = ARENA_ARRAY(&j->memory, loop_numbers, g->n);
    if (!programs || !numbers)
        return false;
    uint32_t n = 0;
    for (uint32_t u = g->first; u != NONE; u = s->units[u].next)
        programs[n++] = j->units.at[u].program;
    if (!loop_with_numbers(programs, n, s->units[g->first].n_buffers, &j->memory, &shared, numbers))
        return false;
    if (!shared || numbers[0].n == 0 || !is_worth_it(s, g, &numbers[0]))
        return true;
    const uint32_t unit = jit_unit_of(j, shared);
    if (unit == UINT32_MAX)
        return false;
    n = 0;
    for (uint32_t u = unit < s->n_units ? NONE : g->first; u != NONE; u = s->units[u].next) {
        s->units[u].becomes = unit;
        s->units[u].numbers = &numbers[n++];
    }
    return true;
}

/* ---- in the plans ---- */

static void take_shared(sharing *s, const kernel *k, kernel_plan *plan, uint32_t which)
{
    const uint32_t unit = plan->steps[which].unit;
    (void)k;
    if (unit >= s->n_units || s->units[unit].becomes == NONE)
        return;
    plan->steps[which].unit = s->units[unit].becomes;
    plan->steps[which].program = s->j->units.at[plan->steps[which].unit].program;
    plan->steps[which].n_numbers = s->units[unit].numbers->n;
    plan->steps[which].numbers = s->units[unit].numbers->at;
}

/* Leave out the units that no step uses any more. */
static void renumber(sharing *s, const kernel *k, kernel_plan *plan, uint32_t which)
{
    (void)k;
    if (plan->steps[which].unit < s->n_units)
        plan->steps[which].unit = s->units[plan->steps[which].unit].becomes;
    else
        plan->steps[which].unit -= s->n_units - s->units[s->n_units].becomes;
}

static bool share_all(sharing *s)
{
    jit_plan *j = s->j;
    each_step(s, note_use);
    for (uint32_t u = 0; u < s->n_units; u++) {
        candidate *c = &s->units[u];
        c->next = c->becomes = NONE;
        if (c->is_used && !c->is_fixed && !contains_poll(j->units.at[u].program) &&
            !add_to_group(s, u))
            return false;
    }
    for (uint32_t i = 0; i < s->groups.n; i++)
        if (s->groups.at[i].n > 1 && !share(s, &s->groups.at[i]))
            return false;
    if (j->units.n == s->n_units)
        return true;
    each_step(s, take_shared);
    uint32_t kept = 0;
    for (uint32_t u = 0; u < s->n_units; u++) {
        const bool is_left = s->units[u].becomes == NONE;
        s->units[u].becomes = kept; /* from here on: its new number */
        if (is_left)
            j->units.at[kept++] = j->units.at[u];
    }
    s->units[s->n_units].becomes = kept;
    memmove(&j->units.at[kept], &j->units.at[s->n_units],
            (j->units.n - s->n_units) * sizeof j->units.at[0]);
    j->units.n -= s->n_units - kept;
    hash_release(j->allocator, &j->by_key); /* of the old numbers */
    j->by_key = (hash_index){.n = 0};
    each_step(s, renumber);
    return true;
}

bool jit_share_programs(jit_plan *j)
{
    sharing s = {.j = j, .n_units = j->units.n};
    s.units = ARENA_ARRAY(&j->memory, candidate, (size_t)s.n_units + 1);
    const bool ok = s.units && share_all(&s);
    VECTOR_RELEASE(j->allocator, &s.groups);
    hash_release(j->allocator, &s.by_shape);
    return ok;
}
