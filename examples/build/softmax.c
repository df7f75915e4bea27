/* The smallest complete program: softmax over rows, built, run and printed. */
#include <math.h>
#include <stdio.h>

#include "tenon/forms.h"

static void tell(void *user, const tn_diagnostic *d)
{
    (void)user;
    (void)fprintf(stderr, "%s [%s]\n", d->message, d->code);
}

static tn_status build(tn_context *cx, tn_module **module)
{
    tn_builder *b = tn_builder_new(cx);
    tn_value x = tn_input(b, "x", TN_F32, TN_INTS(2, 3));
    tn_value y = tn_nn_softmax(b, x, -1);
    return tn_builder_finish(b, &y, 1, module);
}

int main(void)
{
    float x[2][3] = {{0, 1, 2}, {1000, 1000, 1000}}, y[2][3] = {{0}};
    tn_diagnostic_sink sink = {tell, NULL};
    tn_context *cx = tn_context_new(NULL, &sink);
    tn_module *m = NULL;
    tn_program *p = NULL;
    if (cx && build(cx, &m) == TN_OK && tn_program_compile(m, NULL, &p) == TN_OK) {
        tn_type type = {.dtype = TN_F32, .rank = 2, .dims = {2, 3}};
        tn_buffer in = {x, sizeof x, type}, out = {y, sizeof y, type};
        (void)tn_program_run(p, &in, 1, &out, 1, NULL);
    }
    tn_program_free(p);
    tn_module_free(m);
    tn_context_free(cx);
    for (int i = 0; i < 2; i++)
        (void)printf("%.4f %.4f %.4f\n", (double)y[i][0], (double)y[i][1], (double)y[i][2]);
    /* e^2 / (1 + e + e^2); equal inputs have equal shares, without overflow */
    return fabsf(y[0][2] - 0.6652410f) < 1e-6f && fabsf(y[1][0] - 1.0f / 3) < 1e-6f ? 0 : 1;
}
