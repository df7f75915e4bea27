/* Any bytes as the choices of a random program: its kernels do what the evaluator does. */
#include "../unit/plan_run.h"
#include "pass/conversions/lower.h"
#include "pass/pass.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whether the kernels of F give its results for some inputs. */
static bool agrees(const function *f, choices *c)
{
    arena a;
    plan_counts counts = {0};
    eval_run run = {.cx = f->module->cx, .bytes_limit = UINT64_MAX, .quiet = true};
    arena_init(&a, &memory_system);
    tensor *in = ARENA_ARRAY(&a, tensor, f->inputs.n);
    bool ready = in != NULL;
    for (uint32_t i = 0; ready && i < f->inputs.n; i++) {
        const type *t = value_type(f, f->inputs.at[i]);
        size_t bytes = 0;
        ready = type_bytes(t, &bytes) && (in[i].data = malloc(bytes + 1)) != NULL;
        in[i].type = t;
        if (ready)
            random_data(c, t->dtype, (data_style)pick(c, DATA_STYLES), in[i].data, t->count);
    }
    const char *why = ready ? judge_plan(f, &run, in, 1, &a, &counts) : NULL;
    if (why) {
        printf("%s\n", why);
        print_module(f->module);
        (void)fflush(stdout); /* the caller ends the process */
    }
    for (uint32_t i = 0; in && i < f->inputs.n; i++)
        free(in[i].data);
    arena_release(&a);
    return why == NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    choices c = {.bytes = data, .n = size};
    context *cx = context_new(NULL, NULL);
    module *m = cx ? module_new(cx) : NULL;
    function *f = m ? module_add_function(m, "main", 4) : NULL;
    const int level = (int)pick(&c, 3);
    const graph_limits most = {
        .elements = 1500, .steps = 1 + pick(&c, 40), .has_regions = one_in(&c, 4), .depth = 2};
    bool ok = true;
    if (f && random_program(&c, f, &most) && pass_run_level(m, level, false, true, NULL) == TN_OK &&
        module_lower(m) == TN_OK)
        for (uint32_t i = 0; ok && i < m->functions.n; i++)
            ok = agrees(m->functions.at[i], &c);
    module_free(m);
    context_free(cx);
    if (!ok)
        abort();
    return 0;
}
