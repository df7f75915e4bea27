/* Control flow: square roots by Newton's method in a `while` that stops by itself. */
#include <math.h>
#include <stdio.h>

#include "tenon/build.h"

static void tell(void *user, const tn_diagnostic *d)
{
    (void)user;
    (void)fprintf(stderr, "%s [%s]\n", d->message, d->code);
}

/* The next guess for each square root. */
static tn_value improve(tn_builder *b, tn_value a, tn_value x)
{
    return tn_mul(b, tn_add(b, x, tn_div(b, a, x)), tn_scalar(b, TN_F64, 0.5));
}

static tn_status build(tn_context *cx, tn_module **module)
{
    tn_builder *b = tn_builder_new(cx);
    tn_value a = tn_input(b, "a", TN_F64, TN_INTS(4)), out[2];

    /* As long as a step would move some guess by more than a part in 10^12. Both regions carry the
     * numbers and the guesses. */
    tn_region_begin(b, "far");
    tn_value number = tn_param_like(b, a), guess = tn_param_like(b, a);
    tn_value moved = tn_abs(b, tn_sub(b, improve(b, number, guess), guess));
    tn_value far =
        tn_compare(b, TN_GT, tn_reduce_max(b, tn_div(b, moved, guess), TN_INTS(0), false),
                   tn_scalar(b, TN_F64, 1e-12));
    tn_region test = tn_region_end(b, TN_VALUES(far, number, guess));

    tn_region_begin(b, "step");
    number = tn_param_like(b, a);
    guess = tn_param_like(b, a);
    tn_region step = tn_region_end(b, TN_VALUES(number, improve(b, number, guess)));

    tn_while(b, test, step, TN_VALUES(a, tn_splat(b, TN_F64, TN_INTS(4), 1)), out, 2);
    return tn_builder_finish(b, &out[1], 1, module);
}

int main(void)
{
    double a[4] = {2, 9, 1e6, 0.01}, y[4] = {0};
    tn_diagnostic_sink sink = {tell, NULL};
    tn_context *cx = tn_context_new(NULL, &sink);
    tn_module *m = NULL;
    tn_program *p = NULL;
    if (cx && build(cx, &m) == TN_OK && tn_program_compile(m, NULL, &p) == TN_OK) {
        tn_type type = {.dtype = TN_F64, .rank = 1, .dims = {4}};
        tn_buffer in = {a, sizeof a, type}, out = {y, sizeof y, type};
        (void)tn_program_run(p, &in, 1, &out, 1, NULL);
    }
    tn_program_free(p);
    tn_module_free(m);
    tn_context_free(cx);
    int wrong = 0;
    for (int i = 0; i < 4; i++) {
        (void)printf("sqrt(%g) = %.12g\n", a[i], y[i]);
        wrong += fabs(y[i] - sqrt(a[i])) > 1e-10 * sqrt(a[i]);
    }
    return wrong != 0;
}
