/* Runs a program by the jit engine and judges its results by the evaluator. */
#ifndef TEST_JIT_RUN_H
#define TEST_JIT_RUN_H

#include "api/api.h"
#include "plan_run.h"

typedef struct jit_counts {
    unsigned runs, kernels, others, failures_agreed;
} jit_counts;

typedef struct jit_data {
    const function *f;
    tensor *in, *want;
    tn_buffer *from, *to;
    char **memory; /* of inputs, fenced; then of outputs */
} jit_data;

/* Inputs of F, aligned for their elements and no better. */
static inline bool jit_fill(jit_data *d, const function *f, choices *c, arena *a)
{
    *d = (jit_data){.f = f,
                    .in = ARENA_ARRAY(a, tensor, f->inputs.n),
                    .want = ARENA_ARRAY(a, tensor, f->outputs.n),
                    .from = ARENA_ARRAY(a, tn_buffer, f->inputs.n),
                    .to = ARENA_ARRAY(a, tn_buffer, f->outputs.n),
                    .memory = ARENA_ARRAY(a, char *, f->inputs.n + f->outputs.n)};
    bool ok = d->in && d->want && d->from && d->to && d->memory;
    for (uint32_t i = 0; ok && i < f->inputs.n; i++) {
        const type *t = value_type(f, f->inputs.at[i]);
        const size_t natural = dtype_bytes(dtype_table[t->dtype].part);
        size_t bytes = 0;
        ok = type_bytes(t, &bytes) && (d->memory[i] = fenced_new(bytes + natural, 0)) != NULL;
        if (!ok)
            break;
        d->in[i] = (tensor){t, d->memory[i] + FENCE + natural};
        d->from[i] = (tn_buffer){.data = d->in[i].data, .bytes = bytes};
        const bool is_plain = one_in(c, 2);
        random_data(c, t->dtype, is_plain ? DATA_PLAIN : (data_style)pick(c, DATA_STYLES),
                    d->in[i].data, t->count);
    }
    return ok;
}

/* One run with so many threads; into memory of our own when IS_GIVEN. */
static inline const char *jit_run_once(const tn_program *p, jit_data *d, tn_status want,
                                       uint32_t threads, bool is_given, arena *a,
                                       jit_counts *counts)
{
    const function *f = d->f;
    eval_run run = {.cx = p->cx, .seed = 3, .bytes_limit = UINT64_MAX, .quiet = true};
    tn_status status = TN_OK;
    const char *why = NULL;
    char **own = d->memory + f->inputs.n;
    size_t bytes = 0;
    for (uint32_t i = 0; i < f->outputs.n; i++) {
        (void)type_bytes(value_type(f, f->outputs.at[i]), &bytes);
        own[i] = is_given ? fenced_new(bytes, 0x33) : NULL;
        d->to[i] = (tn_buffer){.data = own[i] ? own[i] + FENCE : NULL, .bytes = bytes};
    }
    const engine_outcome e = engine_run(p->engine, p->tape, p->graph, &run, threads, NULL, d->from,
                                        d->to, p->outputs, &status);
    counts->runs++;
    counts->failures_agreed += e != ENGINE_DONE && want != TN_OK;
    if ((e == ENGINE_DONE) != (want == TN_OK))
        why = arena_printf(a, "outcome %d, the evaluator gives %d", (int)e, (int)want);
    for (uint32_t i = 0; i < f->outputs.n; i++) {
        const type *t = value_type(f, f->outputs.at[i]);
        int64_t at;
        (void)type_bytes(t, &bytes);
        if (!why && e == ENGINE_DONE &&
            !same_elements(t->dtype, d->to[i].data, d->want[i].data, t->count, &at))
            why = arena_printf(a, "%u threads: output %u, element %lld of %s", (unsigned)threads,
                               (unsigned)i, (long long)at, type_text(a, &p->graph->types, t));
        if (own[i] && !fences_hold(own[i], bytes))
            why = "an output is written outside of its memory";
        if (!own[i] && e == ENGINE_DONE)
            tn_buffer_release(p, &d->to[i]);
        free(own[i]);
    }
    return why;
}

/* Whether M, compiled as O says, gives the results of the evaluator with several numbers of
 * threads; else why not, in A. */
static inline const char *judge_jit(module *m, const tn_compile_options *o, uint64_t seed, arena *a,
                                    jit_counts *counts)
{
    static const uint32_t threads[] = {1, 2, 3, 8};
    tn_module outer = {m};
    tn_program *p = NULL;
    jit_data d;
    choices c = {.state = seed | 1};
    const char *why = NULL;
    const tn_status s = tn_program_compile(&outer, o, &p);
    if (s != TN_OK)
        return arena_printf(a, "status %d of the compilation", (int)s);
    for (uint32_t i = 0; p->tape && i < exe_step_count(tape_executable(p->tape), 0); i++)
        if (exe_step_at(tape_executable(p->tape), 0, i)->kind == EXE_KERNEL)
            counts->kernels++;
        else
            counts->others++;
    const function *f = module_entry(p->graph);
    if (!p->tape || !jit_fill(&d, f, &c, a)) {
        tn_program_free(p);
        return "no memory";
    }
    eval_run run = {.cx = p->cx, .seed = 3, .bytes_limit = UINT64_MAX, .quiet = true};
    const tn_status want = evaluate(&run, f, d.in, d.want);
    for (uint32_t k = 0; !why && k < 4; k++)
        why = jit_run_once(p, &d, want, threads[k], (seed + k) % 3 == 0, a, counts);
    for (uint32_t i = 0; want == TN_OK && i < f->outputs.n; i++) {
        size_t bytes = 0;
        (void)type_bytes(value_type(f, f->outputs.at[i]), &bytes);
        memory_free(&p->cx->allocator, d.want[i].data, bytes);
    }
    for (uint32_t i = 0; i < f->inputs.n; i++)
        free(d.memory[i]);
    tn_program_free(p);
    return why;
}

#endif
