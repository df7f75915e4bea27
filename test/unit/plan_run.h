/* Runs a function the way its kernels are planned, with loop programs in the interpreter, and
 * judges the results by the evaluator. Memory around every buffer is watched. */
#ifndef TEST_PLAN_RUN_H
#define TEST_PLAN_RUN_H

#include "eval/eval.h"
#include "eval/kernels/kernels.h"
#include "graph_random.h"
#include "loop/nest/nest.h"
#include "loop_interpreter.h"
#include "plan/contraction.h"

enum { FENCE = 64 /* bytes before and behind each buffer */, MOST_OVERLAID = 64 };

typedef struct plan_counts {
    unsigned programs, kernels, references, refused, failures_agreed;
    unsigned prologues; /* operands of contractions that are computed where they are loaded */
} plan_counts;

typedef struct plan_run {
    const function *f;
    const kernel_list *kernels;
    char **memory; /* by value: the start of the fence before it */
    size_t *bytes; /* by value */
    choices split; /* of the work */
    eval_run *run;
    arena *arena;
    plan_counts *counts;
    const char *fault;
} plan_run;

static inline char *fenced_new(size_t bytes, uint8_t fill)
{
    char *p = malloc(bytes + 2 * FENCE);
    if (p) {
        memset(p, 0x5a, bytes + 2 * FENCE);
        memset(p + FENCE, fill, bytes);
    }
    return p;
}

static inline bool fences_hold(const char *p, size_t bytes)
{
    for (size_t i = 0; i < FENCE; i++)
        if (p[i] != 0x5a || p[FENCE + bytes + i] != 0x5a)
            return false;
    return true;
}

/* Any two NaNs are equal; so are true and true, and 4-bit integers whatever lies above them. */
static inline bool same_elements(tn_dtype d, const void *have, const void *want, int64_t n,
                                 int64_t *where)
{
    const tn_dtype part = dtype_table[d].part;
    const size_t size = dtype_bytes(part);
    const int64_t parts = n * (int64_t)(dtype_bytes(d) / size);
    for (int64_t i = 0; i < parts; i++) {
        const char *a = (const char *)have + (size_t)i * size,
                   *b = (const char *)want + (size_t)i * size;
        *where = i / (int64_t)(dtype_bytes(d) / size);
        if (memcmp(a, b, size) == 0)
            continue;
        const scalar x = scalar_load(part, a), y = scalar_load(part, b);
        const bool is_nan = x.kind == DTYPE_FLOAT && isnan(x.f) && isnan(y.f);
        if (!is_nan && !(x.kind != DTYPE_FLOAT && x.u == y.u))
            return false;
    }
    return true;
}

static inline value_id memory_of(const plan_run *r, value_id v)
{
    return r->kernels->same_as[v];
}

/* The place of V, filled for constants. */
static inline char *place_of_value(plan_run *r, value_id v)
{
    v = memory_of(r, v);
    if (r->memory[v])
        return r->memory[v] + FENCE;
    const type *t = value_type(r->f, v);
    const node *n = node_of(r->f, v);
    (void)type_bytes(t, &r->bytes[v]);
    r->memory[v] = fenced_new(r->bytes[v], 0xa5);
    if (!r->memory[v]) {
        r->fault = "no memory";
        return NULL;
    }
    char *p = r->memory[v] + FENCE;
    if (n->op == OP_CONSTANT) {
        const literal *l = attr_find(n->attrs, KEY_VALUE)->v.literal;
        const size_t size = dtype_bytes(t->dtype);
        for (int64_t i = 0; i < t->count; i++)
            memcpy(p + (size_t)i * size, (const char *)l->data + (l->splat ? 0 : (size_t)i * size),
                   size);
    }
    return p;
}

static inline tn_status run_node(plan_run *r, const node *n)
{
    tensor *all = calloc((size_t)n->n_in + n->n_results + 1, sizeof *all);
    arena scratch;
    if (!all)
        return TN_ERR_NOMEM;
    for (uint32_t i = 0; i < n->n_in; i++)
        all[i] = (tensor){value_type(r->f, n->in[i]), place_of_value(r, n->in[i])};
    for (uint32_t i = 0; i < n->n_results; i++)
        all[n->n_in + i] =
            (tensor){value_type(r->f, n->first_value + i), place_of_value(r, n->first_value + i)};
    arena_init(&scratch, &memory_system);
    eval_call call = {.run = r->run,
                      .function = r->f,
                      .node = n,
                      .attrs = n->attrs,
                      .in = all,
                      .n_in = n->n_in,
                      .out = all + n->n_in,
                      .n_out = n->n_results,
                      .scratch = &scratch};
    const tn_status s = op_kernels[n->op](&call);
    arena_release(&scratch);
    free(all);
    r->counts->references++;
    return s;
}

/* The items of STEP in up to three shares, the last one first. */
static inline tn_status run_step(plan_run *r, const nest_step *step, char *const *buffers)
{
    const int64_t n = step->work, cut = n > 1 ? 1 + (int64_t)pick(&r->split, (uint32_t)n - 1) : n,
                  other = cut < n ? cut + (int64_t)pick(&r->split, (uint32_t)(n - cut)) : n;
    const int64_t ends[] = {other, n, cut, other, 0, cut};
    for (size_t i = 0; i < 6; i += 2) {
        int32_t status = 0;
        if (ends[i] >= ends[i + 1])
            continue;
        const char *fault =
            loop_interpret(step->program, buffers, ends[i], ends[i + 1], NULL, &status);
        if (fault)
            r->fault = fault;
        if (fault || status)
            return TN_ERR_RUN;
    }
    return TN_OK;
}

/* Let results take the places of operands, as STEP allows: ALL are the buffers, and what they hold
 * stays as it was. Each entry of MOVED is where a result must go at the end. */
typedef struct moved {
    char *from, *to;
    size_t bytes;
} moved;

static inline uint32_t overlay(plan_run *r, const kernel *k, const nest_step *step, char **all,
                               const bool begun[MOST_OVERLAID], moved *list)
{
    uint32_t n = 0;
    bool used[MOST_OVERLAID];
    memcpy(used, begun, sizeof used);
    for (uint32_t i = 0; i < step->n_in_place; i++) {
        const uint32_t in = step->in_place[i][0], out = step->in_place[i][1];
        size_t bytes;
        (void)type_bytes(value_type(r->f, k->in[in]), &bytes);
        char *copy = pick(&r->split, 3) == 0 || in >= MOST_OVERLAID || out >= MOST_OVERLAID ||
                             used[in] || used[out]
                         ? NULL
                         : fenced_new(bytes, 0);
        if (!copy)
            continue;
        used[in] = used[out] = true;
        memcpy(copy + FENCE, all[in], bytes);
        list[n++] = (moved){copy, all[out], bytes};
        all[in] = all[out] = copy + FENCE;
    }
    return n;
}

static inline void put_back(plan_run *r, const moved *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        memcpy(list[i].to, list[i].from + FENCE, list[i].bytes);
        if (!fences_hold(list[i].from, list[i].bytes))
            r->fault = "a kernel writes outside of its buffers";
        free(list[i].from);
    }
}

/* What an update changes is a copy of its first operand, which the programs may read there, too. */
static inline void begin_update(plan_run *r, const kernel *k, bool reads_old, char **all)
{
    const node *n = &r->f->nodes.at[k->node];
    char *to = place_of_value(r, n->first_value);
    const char *old = place_of_value(r, n->in[0]);
    if (to != old)
        memcpy(to, old, r->bytes[memory_of(r, n->first_value)]);
    for (uint32_t i = 0; i < k->n_in && !reads_old; i++)
        if (k->in[i] == n->in[0])
            all[i] = to;
}

static inline tn_status run_kernel(plan_run *r, const kernel *k, const nest *programs)
{
    const uint32_t own = emit_buffer_count(k);
    char *temps[NEST_TEMPS] = {NULL}, **all = calloc(own + NEST_TEMPS + 1, sizeof *all);
    bool begun[MOST_OVERLAID] = {false}; /* another kernel has written a part of it */
    tn_status s = all ? TN_OK : TN_ERR_NOMEM;
    for (uint32_t i = 0; s == TN_OK && i < k->n_in; i++)
        all[i] = place_of_value(r, k->in[i]);
    for (uint32_t i = 0; s == TN_OK && i < k->n_out; i++) {
        const uint32_t buffer = emit_output_buffer(k, i);
        if (!all[buffer] && buffer < MOST_OVERLAID)
            begun[buffer] = r->memory[memory_of(r, k->out[i].into)] != NULL;
        all[buffer] = place_of_value(r, k->out[i].into);
    }
    if (s == TN_OK && k->draws)
        all[own - 1] = (char *)&r->run->seed;
    if (s == TN_OK && k->kind == KERNEL_UPDATE)
        begin_update(r, k, programs->reads_old, all);
    for (uint32_t i = 0; s == TN_OK && i < programs->n_temps; i++)
        if ((temps[i] = aligned_alloc(LOOP_ALIGN, (programs->temps[i] + LOOP_ALIGN) / LOOP_ALIGN *
                                                      LOOP_ALIGN)) != NULL) {
            memset(temps[i], 0xa5, programs->temps[i]);
            all[own + i] = temps[i];
        }
    for (uint32_t i = 0; s == TN_OK && i < programs->n_steps; i++) {
        const nest_step *step = &programs->steps[i];
        char *list[NEST_BUFFERS];
        moved over[NEST_PAIRS];
        const uint32_t n_over = overlay(r, k, step, all, begun, over);
        const uint32_t n = step->n_buffers ? step->n_buffers : own + programs->n_temps;
        for (uint32_t b = 0; b < n; b++)
            list[b] = all[step->n_buffers ? step->buffers[b] : b];
        for (uint32_t m = 0; m < step->n_moved; m++)
            list[step->moved[m].at] += step->moved[m].bytes;
        s = run_step(r, step, list);
        put_back(r, over, n_over);
    }
    for (uint32_t i = 0; i < programs->n_temps; i++)
        free(temps[i]);
    free(all);
    r->counts->kernels++;
    return s;
}

/* The operands of K, a contraction, that it does not read. */
static inline unsigned count_prologues(const plan_run *r, const kernel *k)
{
    contraction p;
    unsigned n = 2;
    if (k->kind != KERNEL_CONTRACT || !contraction_of(r->f, &r->f->nodes.at[k->node], r->arena, &p))
        return 0;
    for (uint32_t o = 0; o < 2; o++)
        for (uint32_t i = 0; i < k->n_in; i++)
            n -= k->in[i] == p.operand[o].base;
    return n;
}

static inline tn_status run_kernels(plan_run *r)
{
    tn_status s = TN_OK;
    /* Schedules and widths of all kinds of processors: programs take turns. */
    static const char *const cpus[] = {"x86-64", "x86-64-v3", "x86-64-v4"};
    nest_options on = {.on = machine_of("x86_64-linux-gnu", cpus[r->counts->programs % 3]),
                       .schedule.products =
                           r->counts->programs % 2 ? PRODUCTS_PAIRS : PRODUCTS_ANY};
    if (r->counts->programs % 4 < 2) /* as if caches kept nothing */
        on.on.cached = 0;
    for (uint32_t i = 0; s == TN_OK && i < r->kernels->n; i++) {
        const kernel *k = &r->kernels->at[i];
        nest *programs = ARENA_NEW(r->arena, nest);
        r->counts->prologues += count_prologues(r, k);
        if (k->kind == KERNEL_REFERENCE) {
            s = run_node(r, &r->f->nodes.at[k->node]);
        } else if (programs && nest_of_kernel(r->f, k, &on, r->arena, programs)) {
            s = run_kernel(r, k, programs);
        } else if (k->kind == KERNEL_LOOPS) {
            r->counts->refused++;
            s = run_node(r, &r->f->nodes.at[k->node]);
        } else {
            r->fault = "a kernel without a loop nest";
            return TN_ERR_INTERNAL;
        }
        for (value_id v = 0; v < r->f->values.n; v++)
            if (r->memory[v] && !fences_hold(r->memory[v], r->bytes[v])) {
                r->fault = "a kernel writes outside of its buffers";
                return TN_ERR_INTERNAL;
            }
    }
    return s;
}

/* The text of M, where a test says what went wrong. */
static inline void print_module(const module *m)
{
    text_buffer t;
    text_init(&t, &memory_system);
    module_print(m, &t);
    printf("%.*s", (int)t.n, t.at ? t.at : "");
    text_release(&t);
}

/* Whether the kernels of F do what the evaluator does for these inputs; else why not, in ARENA. */
static inline const char *judge_plan(const function *f, eval_run *run, const tensor *inputs,
                                     uint64_t seed, arena *a, plan_counts *counts)
{
    tensor *outputs = ARENA_ARRAY(a, tensor, f->outputs.n);
    kernel_list kernels;
    plan_run r = {.f = f,
                  .kernels = &kernels,
                  .memory = calloc(f->values.n + 1, sizeof *r.memory),
                  .bytes = calloc(f->values.n + 1, sizeof *r.bytes),
                  .split = {.state = seed | 1},
                  .run = run,
                  .arena = a,
                  .counts = counts};
    const char *why = NULL;
    const tn_status want = evaluate(run, f, inputs, outputs);
    counts->programs++;
    if (want != TN_OK && want != TN_ERR_RUN) {
        why = want == TN_ERR_NOMEM ? NULL : arena_printf(a, "evaluator: status %d", (int)want);
    } else if (!kernels_of(f, a, &kernels)) {
        why = "no kernels";
    } else {
        for (uint32_t i = 0; i < f->inputs.n; i++) {
            char *to = place_of_value(&r, f->inputs.at[i]);
            memcpy(to, inputs[i].data, r.bytes[f->inputs.at[i]]);
        }
        const tn_status have = run_kernels(&r);
        if (r.fault || (have == TN_OK) != (want == TN_OK))
            why = arena_printf(a, "status %d, not %d: %s", (int)have, (int)want,
                               r.fault ? r.fault : "");
        counts->failures_agreed += !why && want != TN_OK;
        for (uint32_t i = 0; !why && want == TN_OK && i < f->outputs.n; i++) {
            const value_id v = f->outputs.at[i];
            const type *t = value_type(f, v);
            int64_t at;
            const char *data = place_of_value(&r, v);
            if (!same_elements(t->dtype, data, outputs[i].data, t->count, &at))
                why = arena_printf(a, "output %u, element %lld of %s", (unsigned)i, (long long)at,
                                   type_text(a, &f->module->types, t));
        }
    }
    for (uint32_t i = 0; want == TN_OK && i < f->outputs.n; i++) {
        size_t bytes = 0;
        (void)type_bytes(value_type(f, f->outputs.at[i]), &bytes);
        memory_free(&run->cx->allocator, outputs[i].data, bytes);
    }
    for (value_id v = 0; v < f->values.n; v++)
        free(r.memory[v]);
    free(r.memory);
    free(r.bytes);
    return why;
}

#endif
