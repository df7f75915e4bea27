/* Computing values again: random gradients that hold as little as is found, against the evaluator
 * on the program as it was. */
#include "api_fixture.h"
#include "graph_random_weights.h"
#include "pass/conversions/differentiate.h"
#include "pass/conversions/lower.h"
#include "pass/pass.h"
#include "plan/recompute/recompute.h"
#include "plan_run.h"

enum { PROGRAMS = 1500, INPUTS = 64 };

/* A random program, or a random product, or the gradient of one, in a context of its own; NULL
 * where the type rules refuse it. */
static module *new_program(uint64_t seed)
{
    context *cx = context_new(NULL, NULL);
    module *m = cx ? module_new(cx) : NULL, *gradient = NULL;
    function *f = m ? module_add_function(m, "main", 4) : NULL;
    choices c = {.state = seed * UINT64_C(0x9e3779b97f4a7c15)};
    graph_limits most = {.elements = 1000, .depth = 2, .steps = 30, .has_regions = one_in(&c, 4)};
    const grad_options o = {.seed = 1};
    const bool ok = f && random_program(&c, f, &most) && f->outputs.n > 0 &&
                    pass_run_level(m, 1, false, true, NULL) == TN_OK;
    if (ok && dtype_is_float(function_output_type(f, 0)->dtype) &&
        differentiate(m, &o, &gradient) == TN_OK) {
        module_free(m);
        m = gradient;
    }
    if (ok && pass_run_level(m, 2, false, true, NULL) == TN_OK && module_lower(m) == TN_OK &&
        module_entry(m)->inputs.n <= INPUTS)
        return m;
    module_free(m);
    context_free(cx);
    return NULL;
}

/* The outputs of F, whose memory is the caller's; false where it fails. */
static bool results_of(const function *f, const tensor *in, tensor *out)
{
    eval_run run = {.cx = f->module->cx, .seed = 3, .bytes_limit = UINT64_MAX, .quiet = true};
    memset(out, 0, f->outputs.n * sizeof *out);
    return evaluate(&run, f, in, out) == TN_OK;
}

static void release(const module *m, tensor *t, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        size_t bytes = 0;
        (void)type_bytes(t[i].type, &bytes);
        memory_free(m->allocator, t[i].data, bytes);
    }
}

/* Do LESS and M give the same, and do the kernels of LESS? */
static void compare(const module *m, const module *less, uint64_t seed, plan_counts *counts)
{
    const function *f = module_entry(m), *g = module_entry(less);
    choices c = {.state = seed};
    tensor in[INPUTS], *want = calloc(f->outputs.n + 1, sizeof *want),
                       *have = calloc(f->outputs.n + 1, sizeof *have);
    arena a;
    arena_init(&a, &memory_system);
    if (!CHECK(want && have && f->outputs.n == g->outputs.n && f->inputs.n == g->inputs.n))
        exit(1);
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        size_t bytes = 0;
        in[i].type = function_input_type(f, i);
        (void)type_bytes(in[i].type, &bytes);
        in[i].data = memory_alloc(m->allocator, bytes);
        random_data(&c, in[i].type->dtype, DATA_PLAIN, in[i].data, in[i].type->count);
    }
    const bool ok = results_of(f, in, want);
    for (uint32_t i = 0; i < g->inputs.n; i++) /* types are those of a module */
        in[i].type = function_input_type(g, i);
    CHECK(results_of(g, in, have) == ok);
    for (uint32_t i = 0; ok && i < f->outputs.n; i++) {
        int64_t where;
        if (!CHECK(same_elements(want[i].type->dtype, have[i].data, want[i].data,
                                 want[i].type->count, &where)))
            printf("    seed %llu, output %u\n", (unsigned long long)seed, (unsigned)i);
    }
    eval_run run = {.cx = less->cx, .seed = 3, .bytes_limit = UINT64_MAX, .quiet = true};
    const char *why = judge_plan(g, &run, in, seed, &a, counts);
    if (!CHECK(why == NULL)) {
        printf("    seed %llu: %s\n", (unsigned long long)seed, why);
        print_module(less);
    }
    release(m, want, ok ? f->outputs.n : 0);
    release(m, have, ok ? f->outputs.n : 0);
    for (uint32_t i = 0; i < f->inputs.n; i++)
        in[i].type = function_input_type(f, i);
    release(m, in, f->inputs.n);
    free(want);
    free(have);
    arena_release(&a);
}

int main(void)
{
    plan_counts counts = {0};
    unsigned changed = 0, programs = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS && check_failed == 0; seed++) {
        module *m = new_program(seed), *less = m ? module_copy(m) : NULL;
        context *cx = m ? m->cx : NULL;
        bool is_other = false;
        if (less && CHECK(recompute(less, 0, &is_other) == TN_OK)) {
            CHECK(module_verify(less, "recompute") == TN_OK);
            compare(m, less, seed, &counts);
        }
        programs += less != NULL;
        changed += is_other;
        module_free(less);
        module_free(m);
        context_free(cx);
    }
    printf("%u programs, %u of which compute something again, %u kernels\n", programs, changed,
           counts.kernels);
    CHECK(programs > PROGRAMS / 2 && changed > PROGRAMS / 10);
    return check_result();
}
