/* Symbolic extents: one module, compiled for two batch sizes, and a fault with its label. */
#include <stdio.h>
#include <string.h>

#include "tenon/forms.h"

static void tell(void *user, const tn_diagnostic *d)
{
    char *first = user;
    if (first && !first[0])
        (void)snprintf(first, 200, "%s: %s", d->node, d->message);
}

/* The sum of each row of X[batch, 3] times W[3, 2]. */
static tn_status build(tn_context *cx, tn_module **module)
{
    const float weights[3][2] = {{1, -1}, {2, -2}, {3, -3}};
    tn_builder *b = tn_builder_new(cx);
    tn_value x = tn_input(b, "x", TN_F32, TN_INTS(tn_dim(b, "batch"), 3));
    tn_value w = tn_constant(b, TN_F32, TN_INTS(3, 2), weights);
    tn_value y = tn_nn_linear(b, x, w, tn_no_value(), TN_WEIGHTS_IN_OUT);
    return tn_builder_finish(b, &y, 1, module);
}

/* Every row of ones gives 6 and -6. */
static bool run_with(const tn_module *m, int64_t batch)
{
    float x[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, y[8] = {0};
    const tn_binding size = {"batch", batch};
    const tn_compile_options options = {.bindings = &size, .n_bindings = 1};
    tn_buffer in = {x, sizeof x, {TN_F32, 2, {batch, 3}}};
    tn_buffer out = {y, sizeof y, {TN_F32, 2, {batch, 2}}};
    tn_program *p;
    bool ok = tn_program_compile(m, &options, &p) == TN_OK &&
              tn_program_run(p, &in, 1, &out, 1, NULL) == TN_OK;
    tn_program_free(p);
    for (int64_t i = 0; ok && i < 2 * batch; i++)
        ok = y[i] == (i % 2 ? -6.0f : 6.0f);
    (void)printf("batch %d: %s\n", (int)batch, ok ? "right" : "wrong");
    return ok;
}

/* Nothing is checked until the end; the first fault is what is reported. */
static bool fails_clearly(tn_context *cx, const char *said)
{
    tn_module *m;
    tn_builder *b = tn_builder_new(cx);
    tn_builder_at(b, "first layer");
    tn_value x = tn_input(b, "x", TN_F32, TN_INTS(4, 3)),
             w = tn_input(b, "w", TN_F32, TN_INTS(2, 5));
    tn_value hidden = tn_relu(b, tn_matmul(b, x, w)); /* 3 against 2 */
    tn_builder_at(b, "second layer");
    tn_value y = tn_nn_softmax(b, tn_exp(b, hidden), -1);
    tn_status s = tn_builder_finish(b, &y, 1, &m);
    (void)printf("%s\n", said);
    return s == TN_ERR_REJECTED && !m && strncmp(said, "first layer: ", 13) == 0;
}

int main(void)
{
    char said[200] = "";
    tn_diagnostic_sink sink = {tell, said};
    tn_context *cx = tn_context_new(NULL, &sink);
    tn_module *m = NULL;
    bool ok = cx && build(cx, &m) == TN_OK && run_with(m, 1) && run_with(m, 4);
    ok = ok && fails_clearly(cx, said);
    tn_module_free(m);
    tn_context_free(cx);
    return ok ? 0 : 1;
}
