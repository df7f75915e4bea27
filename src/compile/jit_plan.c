/* Kernels of every function, their programs, and which of these are the same. */
#include "compile/jit_plan.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "loop/ir/polls.h"
#include "ops/infer.h"
#include "pass/conversions/lower.h"
#include "plan/kernel_key.h"
#include "plan/recompute/recompute.h"

uint32_t jit_unit_of(jit_plan *j, const loop_program *program)
{
    const tn_allocator *a = j->allocator;
    size_t bytes;
    const void *key = loop_key(program, &j->memory, &bytes);
    assert(!loop_verify(program, &memory_system));
    if (!key)
        return UINT32_MAX;
    const uint64_t h = hash_bytes(0, key, bytes);
    for (uint32_t p = hash_first(&j->by_key, h), i; (i = hash_at(&j->by_key, h, &p)) != HASH_NONE;)
        if (j->units.at[i].key_bytes == bytes && memcmp(j->units.at[i].key, key, bytes) == 0)
            return i;
    const jit_unit u = {.program = program, .key = key, .key_bytes = bytes};
    return VECTOR_PUSH_INDEXED(a, &j->units, u, &j->by_key, h) ? j->units.n - 1 : UINT32_MAX;
}

enum { MOST_POSITIONS_LOG2 = 38 }; /* loops over more would run for hours */

static bool is_endless(const kernel *k) /* stages have no stages */
{
    int64_t n = 1;
    for (uint32_t i = 0; i < k->n_stages; i++)
        if (is_endless(&k->stages[i]))
            return true;
    for (uint32_t i = 0; i < k->rank; i++)
        if (__builtin_mul_overflow(n, k->dims[i], &n))
            return true;
    return n > INT64_C(1) << MOST_POSITIONS_LOG2;
}

uint32_t jit_buffers_of(const kernel *k, const nest *n, const nest_step *step)
{
    return step->n_buffers ? step->n_buffers : emit_buffer_count(k) + n->n_temps;
}

/* What ends the planning of a function: the status that tells one reason from the others. */
static const tn_status not_covered = TN_ERR_UNAVAILABLE;

/* Why there is less than was asked for: no memory, or else a form that has no loops. */
static tn_status lacking(jit_plan *j, const function *f, const kernel *k, const char *reason)
{
    arena names;
    if (j->memory.failed)
        return TN_ERR_NOMEM;
    arena_init(&names, j->allocator);
    (void)snprintf(j->why, sizeof j->why, "kernel %s: %s", jit_kernel_name(f, k, &names), reason);
    arena_release(&names);
    return not_covered;
}

/* A program that was built wrong is a defect. */
static tn_status check_program(jit_plan *j, const function *f, const kernel *k,
                               const loop_program *p)
{
    if (!p)
        return lacking(j, f, k, "its loops do not express what it reads");
    if (!p->fault)
        return TN_OK;
    (void)lacking(j, f, k, p->fault);
    return TN_ERR_INTERNAL;
}

/* STEP with polls. What runs once, on constants, runs without a watch. */
static bool add_polls(jit_plan *j, nest_step *step, uint32_t buffer)
{
    if (!step->program)
        return false;
    if (j->polls && !step->is_once)
        step->program = loop_with_polls(step->program, buffer, LOOP_POLL_EVERY, &j->memory);
    return step->program != NULL;
}

/* What depends on sizes in the program of STEP, a step of PLAN for K, becomes its NUMBERS. Where
 * they are too many, and in what runs once, sizes stay in the code. False without memory. */
static bool find_numbers(jit_plan *j, const kernel *k, kernel_plan *plan, const nest *n,
                         nest_step *step, loop_numbers *numbers)
{
    const loop_program *program = NULL;
    if (!k->is_generic || !step->program || step->program->fault)
        return true;
    if (!step->is_once && !loop_with_numbers(&step->program, 1, jit_buffers_of(k, n, step),
                                             &j->memory, &program, numbers))
        return false;
    if (!program) {
        numbers->n = 0;
        plan->is_generic = plan->is_generic && !loop_has_sizes(step->program);
        program = loop_without_sizes(step->program, &j->memory);
    }
    step->program = program;
    return program != NULL;
}

static bool keep_numbers(jit_plan *j, kernel_plan *plan, const loop_numbers *numbers)
{
    for (uint32_t i = 0; i < plan->nest->n_steps; i++) {
        uint64_t *at = ARENA_ARRAY(&j->memory, uint64_t, numbers[i].n);
        if (!at)
            return false;
        if (numbers[i].n)
            memcpy(at, numbers[i].at, numbers[i].n * sizeof *at);
        plan->steps[i].n_numbers = numbers[i].n;
        plan->steps[i].numbers = at;
    }
    return true;
}

#ifndef NDEBUG
static bool is_well_formed(module *m)
{
    const tn_status s = module_verify(m, "lower");
    return s == TN_OK || s == TN_ERR_NOMEM;
}
#endif

/* A copy of M that may change, in *LOWERED. False without memory. */
static bool copy(const jit_plan *j, const module *m, module **lowered)
{
    context *cx = context_new(j->allocator, NULL);
    *lowered = cx ? module_copy_to(m, cx) : NULL;
    if (!*lowered)
        context_free(cx);
    return *lowered;
}

/* M without composite ops, where it has some: a copy, in *LOWERED. NULL without memory. */
static const module *lower(const jit_plan *j, const module *m, module **lowered)
{
    if (!module_has_composites(m))
        return m;
    if (!copy(j, m, lowered))
        return NULL;
    if (module_lower(*lowered) != TN_OK)
        return NULL;
    assert(is_well_formed(*lowered));
    return *lowered;
}

void jit_lowered_free(module *lowered)
{
    context *cx = lowered ? lowered->cx : NULL;
    module_free(lowered);
    context_free(cx);
}

static bool has_nodes_of(const module *m, const module *other)
{
    bool same = m->functions.n == other->functions.n;
    for (uint32_t i = 0; same && i < m->functions.n; i++)
        same = function_is_resized(m->functions.at[i], other->functions.at[i]);
    return same;
}

/* Tell the functions of J's module what they are with other sizes, the first ones with which the
 * program has the same nodes. */
static void find_other_sizes(jit_plan *j)
{
    const module *other = NULL;
    for (int change = 0; change < SIZES_CHANGES && !other; change++) {
        const module *m = other_sizes_get(j->others, (sizes_change)change);
        other = m ? lower(j, m, &j->other) : NULL;
        if (!other || has_nodes_of(j->m, other))
            continue;
        jit_lowered_free(j->other);
        j->other = NULL;
        other = NULL;
    }
    for (uint32_t i = 0; other && i < j->m->functions.n; i++)
        j->m->functions.at[i]->like = other->functions.at[i];
}

/* A kernel that is planned, by its key. */
typedef struct known_kernel {
    const kernel_plan *plan;
    const char *key;
    size_t bytes;
} known_kernel;

typedef struct function_job {
    jit_plan *j;
    uint32_t index;
    function_plan *p;
    value_numbers numbers;
    text_buffer key; /* of the kernel that is being planned */
    VECTOR(known_kernel) known;
    hash_index by_key;
    VECTOR(const nest *) nests; /* each once, without its programs */
    hash_index by_nest;
} function_job;

/* ---- equal nests ---- */

static bool is_same_nest(const nest *a, const nest *b)
{
    nest x = *a, y = *b;
    for (uint32_t i = 0; i < a->n_steps && i < b->n_steps; i++) {
        if (strcmp(a->steps[i].how, b->steps[i].how) != 0)
            return false;
        x.steps[i].how = y.steps[i].how = NULL;
    }
    return memcmp(&x, &y, sizeof x) == 0;
}

static uint64_t hash_nest(const nest *n)
{
    uint64_t h = 0;
    nest x = *n;
    for (uint32_t i = 0; i < n->n_steps; i++) {
        h = hash_bytes(h, n->steps[i].how, strlen(n->steps[i].how));
        x.steps[i].how = NULL;
    }
    return hash_bytes(h, &x, sizeof x);
}

/* N, which is without programs and what is moved, in memory; the same for equal ones, of which a
 * program of many small kernels has many. NULL without memory. */
static const nest *keep_nest(function_job *job, const nest *n)
{
    jit_plan *j = job->j;
    const uint64_t h = hash_nest(n);
    for (uint32_t p = hash_first(&job->by_nest, h), i;
         (i = hash_at(&job->by_nest, h, &p)) != HASH_NONE;)
        if (is_same_nest(job->nests.at[i], n))
            return job->nests.at[i];
    nest *own = ARENA_ARRAY(&j->memory, nest, 1);
    if (!own)
        return NULL;
    memcpy(own, n, sizeof *own);
    for (uint32_t i = 0; i < n->n_steps; i++)
        if (!(own->steps[i].how = arena_printf(&j->memory, "%s", n->steps[i].how)))
            return NULL;
    const nest *kept = own;
    return VECTOR_PUSH_INDEXED(j->allocator, &job->nests, kept, &job->by_nest, h) ? kept : NULL;
}

/* ---- kernels ---- */

static step_plan *copy_steps(const step_plan *steps, uint32_t n, arena *memory)
{
    step_plan *copy = ARENA_ARRAY(memory, step_plan, n);
    if (copy && n)
        memcpy(copy, steps, n * sizeof *steps);
    return copy;
}

static const nest_move *copy_moves(const nest_move *moved, uint32_t n, arena *memory)
{
    nest_move *copy = ARENA_ARRAY(memory, nest_move, n);
    if (copy && n)
        memcpy(copy, moved, n * sizeof *moved);
    return copy;
}

/* PLAN has the steps of N, whose programs are units now. IS_KNOWN: all of these were units before;
 * then the memory used since START is freed. False without memory. */
static bool keep_steps(function_job *job, kernel_plan *plan, nest *n, step_plan *steps,
                       bool is_known, arena_mark start)
{
    arena *memory = &job->j->memory;
    char how[NEST_STEPS][128];
    nest_move moved[NEST_STEPS][NEST_MOVES];
    for (uint32_t i = 0; i < n->n_steps; i++) {
        (void)snprintf(how[i], sizeof how[i], "%s", n->steps[i].how);
        n->steps[i].how = is_known ? how[i] : n->steps[i].how;
        n->steps[i].program = NULL;
        const size_t bytes = n->steps[i].n_moved * sizeof moved[i][0];
        memcpy(moved[i], n->steps[i].moved, bytes);
        memset(n->steps[i].moved, 0, bytes);
        steps[i].program = job->j->units.at[steps[i].unit].program;
    }
    if (is_known)
        arena_rewind(memory, start);
    for (uint32_t i = 0; i < n->n_steps; i++)
        if (!(steps[i].moved = copy_moves(moved[i], n->steps[i].n_moved, memory)))
            return false;
    plan->nest = keep_nest(job, n);
    plan->steps = copy_steps(steps, n->n_steps, memory);
    return plan->nest && plan->steps;
}

static tn_status plan_new_kernel(function_job *job, uint32_t index, kernel_plan *plan)
{
    jit_plan *j = job->j;
    const kernel *k = &job->p->kernels.at[index];
    const arena_mark start = arena_here(&j->memory);
    const uint32_t known = j->units.n;
    loop_numbers numbers[NEST_STEPS];
    step_plan steps[NEST_STEPS] = {{.unit = 0}};
    const function *f = job->p->f;
    nest n;
    memset(&n, 0, sizeof n); /* padding, too: nests are compared by their bytes */
    if (k->kind != KERNEL_REFERENCE && is_endless(k))
        return lacking(j, f, k, "it has more than 2^38 positions");
    if (k->kind == KERNEL_REFERENCE || !nest_of_kernel(f, k, &j->nests, &j->memory, &n)) {
        plan->by_reference = true;
        n.n_steps = 0;
        if (!keep_steps(job, plan, &n, steps, false, start))
            return TN_ERR_NOMEM;
        const tn_status s = k->kind == KERNEL_REFERENCE
                                ? TN_OK
                                : lacking(j, f, k, "index maps do not express what it reads");
        return s == not_covered && k->kind == KERNEL_LOOPS ? TN_OK : s;
    }
    plan->is_generic = k->is_generic;
    for (uint32_t i = 0; i < n.n_steps; i++) {
        nest_step *step = &n.steps[i];
        steps[i].scratch = step->program ? step->program->scratch_bytes : 0;
        numbers[i].n = 0;
        if (!find_numbers(j, k, plan, &n, step, &numbers[i]))
            return TN_ERR_NOMEM;
        TN_TRY(check_program(j, f, k, step->program));
        if (!add_polls(j, step, jit_buffers_of(k, &n, step) + (numbers[i].n > 0)) ||
            (steps[i].unit = jit_unit_of(j, step->program)) == UINT32_MAX)
            return TN_ERR_NOMEM;
        steps[i].own_key = j->units.at[steps[i].unit].key;
        steps[i].own_key_bytes = j->units.at[steps[i].unit].key_bytes;
    }
    const bool ok = keep_steps(job, plan, &n, steps, j->units.n == known, start) &&
                    keep_numbers(j, plan, numbers);
    return ok ? TN_OK : TN_ERR_NOMEM;
}

/* ---- equal kernels ---- */

/* The plan of a kernel with this key, of hash H; NULL: there is none. */
static const kernel_plan *find_known(const function_job *job, uint64_t h)
{
    const text_buffer *key = &job->key;
    for (uint32_t p = hash_first(&job->by_key, h), i;
         (i = hash_at(&job->by_key, h, &p)) != HASH_NONE;) {
        const known_kernel *known = &job->known.at[i];
        if (known->bytes == key->n && memcmp(known->key, key->at, key->n) == 0)
            return known->plan;
    }
    return NULL;
}

static bool note_known(function_job *job, uint64_t h, const kernel_plan *plan)
{
    jit_plan *j = job->j;
    char *key = arena_alloc(&j->memory, job->key.n);
    if (!key)
        return false;
    memcpy(key, job->key.at, job->key.n);
    const known_kernel known = {.plan = plan, .key = key, .bytes = job->key.n};
    return VECTOR_PUSH_INDEXED(j->allocator, &job->known, known, &job->by_key, h);
}

#ifndef NDEBUG
static bool has_units_of(const kernel_plan *a, const kernel_plan *b)
{
    bool same = true;
    for (uint32_t i = 0; i < a->nest->n_steps && i < b->nest->n_steps; i++)
        same = same && a->steps[i].unit == b->steps[i].unit;
    return same;
}

/* Is PLAN, of an equal kernel, what planning kernel INDEX gives? True where that fails. Programs
 * for all sizes may differ in what they take from their numbers. */
static bool is_right(function_job *job, uint32_t index, const kernel_plan *plan)
{
    kernel_plan own = {.by_reference = false};
    if (plan_new_kernel(job, index, &own) != TN_OK)
        return true;
    return own.nest->n_steps == plan->nest->n_steps && own.by_reference == plan->by_reference &&
           (own.is_generic || plan->is_generic || has_units_of(&own, plan)) &&
           memcmp(own.nest->temps, plan->nest->temps, sizeof own.nest->temps) == 0;
}
#endif

static tn_status plan_kernel(function_job *job, uint32_t index, kernel_plan *plan)
{
    const function_plan *p = job->p;
    text_reset(&job->key);
    const kernel *k = &p->kernels.at[index];
    const bool has_key = kernel_key(p->f, k, &job->numbers, &job->key);
    if (job->key.failed)
        return TN_ERR_NOMEM;
    const uint64_t h = hash_bytes(0, job->key.at, job->key.n);
    const kernel_plan *known = has_key ? find_known(job, h) : NULL;
    if (known) {
        assert(is_right(job, index, known));
        *plan = *known;
        plan->steps = copy_steps(known->steps, known->nest->n_steps, &job->j->memory);
        return plan->steps ? TN_OK : TN_ERR_NOMEM;
    }
    TN_TRY(plan_new_kernel(job, index, plan));
    return !has_key || note_known(job, h, plan) ? TN_OK : TN_ERR_NOMEM;
}

static tn_status plan_kernels(function_job *job, kernel_plan *plans)
{
    jit_plan *j = job->j;
    function_plan *p = job->p;
    if (!plans || !value_numbers_init(&job->numbers, p->f, &j->memory))
        return TN_ERR_NOMEM;
    for (uint32_t i = 0; i < p->kernels.n; i++) {
        const tn_status s = plan_kernel(job, i, &plans[i]);
        if (s == not_covered)
            p->why = arena_printf(&j->memory, "%s", j->why);
        if (s != TN_OK)
            return s == not_covered && !p->why ? TN_ERR_NOMEM : s;
    }
    p->plans = plans;
    return TN_OK;
}

static tn_status plan_function(jit_plan *j, uint32_t index)
{
    function_plan *p = &j->functions[index];
    function_job job = {.j = j, .index = index, .p = p};
    text_init(&job.key, j->allocator);
    const tn_status s = plan_kernels(&job, ARENA_ARRAY(&j->memory, kernel_plan, p->kernels.n));
    text_release(&job.key);
    VECTOR_RELEASE(j->allocator, &job.known);
    hash_release(j->allocator, &job.by_key);
    VECTOR_RELEASE(j->allocator, &job.nests);
    hash_release(j->allocator, &job.by_nest);
    return s;
}

/* ---- the stages ---- */

void jit_plan_init(jit_plan *j, other_sizes *others, const nest_options *nests, bool polls,
                   const tn_allocator *allocator)
{
    *j = (jit_plan){.nests = *nests, .polls = polls, .others = others, .allocator = allocator};
    arena_init(&j->memory, allocator);
}

tn_status jit_plan_lower(jit_plan *j, const module *m)
{
    /* The evaluator goes on with M, and speaks of it, so only a copy changes. */
    j->m = lower(j, m, &j->lowered);
    return j->m ? TN_OK : TN_ERR_NOMEM;
}

tn_status jit_plan_recompute(jit_plan *j, uint64_t limit)
{
    bool changed;
    if (!j->lowered && !copy(j, j->m, &j->lowered))
        return TN_ERR_NOMEM;
    TN_TRY(recompute(j->lowered, limit, &changed));
    assert(is_well_formed(j->lowered));
    if (changed)
        j->m = j->lowered;
    return TN_OK;
}

tn_status jit_plan_kernels(jit_plan *j)
{
    const module *m = j->m;
    j->functions = ARENA_ARRAY(&j->memory, function_plan, m->functions.n);
    if (!j->functions)
        return TN_ERR_NOMEM;
    find_other_sizes(j);
    for (uint32_t i = 0; i < m->functions.n; i++) {
        function_plan *p = &j->functions[i];
        p->f = m->functions.at[i];
        if (!kernels_of(p->f, &j->memory, &p->kernels))
            return TN_ERR_NOMEM;
    }
    return TN_OK;
}

/* ---- which functions run ---- */

/* Functions that run, in the order in which they were found. */
typedef struct reached {
    uint32_t *at, n;
} reached;

static void reach(jit_plan *j, reached *r, uint32_t f, function_role role)
{
    function_plan *p = &j->functions[f];
    if (role == FUNCTION_RUNS && p->role != FUNCTION_RUNS)
        r->at[r->n++] = f;
    p->role = role > p->role ? role : p->role;
}

/* What N runs. */
static void reach_regions(jit_plan *j, reached *r, const node *n, function_role role)
{
    for (uint32_t i = 0; op_table[n->op].traits & T_REGIONS && i < n->attrs->n; i++)
        if (attr_keys[n->attrs->at[i].key].kind == ATTR_FUNCTION)
            reach(j, r, (uint32_t)n->attrs->at[i].v.i, role);
}

/* What P, which is planned, runs. */
static void reach_from(jit_plan *j, reached *r, const function_plan *p)
{
    for (uint32_t i = 0; !p->plans && i < p->f->nodes.n; i++)
        reach_regions(j, r, &p->f->nodes.at[i], FUNCTION_RUNS);
    for (uint32_t i = 0; p->plans && i < p->kernels.n; i++)
        if (p->plans[i].by_reference || p->kernels.at[i].kind == KERNEL_LOOPS)
            reach_regions(j, r, &p->f->nodes.at[p->kernels.at[i].node],
                          p->plans[i].by_reference ? FUNCTION_RUNS : FUNCTION_IN_LOOPS);
}

static tn_status plan_reached(jit_plan *j)
{
    reached r = {ARENA_ARRAY(&j->memory, uint32_t, j->m->functions.n), 0};
    if (!r.at)
        return TN_ERR_NOMEM;
    reach(j, &r, j->m->entry, FUNCTION_RUNS);
    for (uint32_t i = 0; i < r.n; i++) {
        const tn_status s = plan_function(j, r.at[i]);
        if (s != TN_OK && s != not_covered)
            return s;
        reach_from(j, &r, &j->functions[r.at[i]]);
    }
    return TN_OK;
}

/* What is known of other sizes ends. */
static void forget_other_sizes(jit_plan *j)
{
    for (uint32_t i = 0; j->m && i < j->m->functions.n; i++)
        j->m->functions.at[i]->like = NULL;
    jit_lowered_free(j->other);
    j->other = NULL;
    j->others = NULL;
}

tn_status jit_plan_loops(jit_plan *j)
{
    const tn_status s = plan_reached(j);
    forget_other_sizes(j);
    return s == TN_OK && j->polls && !jit_share_programs(j) ? TN_ERR_NOMEM : s;
}

void jit_plan_release(jit_plan *j)
{
    forget_other_sizes(j);
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
