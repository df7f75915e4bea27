/* The derivative of what a builder built: by any of its values, twice, in regions and of loops. */
#include "build_fixture.h"
#include "check.h"

static double only_result(bench *t, tn_value y, double x)
{
    tn_module *m = bench_finish(t, y);
    tn_program *p = NULL;
    double out = 0;
    tn_type type = {.dtype = TN_F64};
    tn_buffer in = {&x, sizeof x, type}, result = {&out, sizeof out, type};
    const tn_compile_options o = {.engine = "ref"};
    if (m && CHECK_INT(tn_program_compile(m, &o, &p), TN_OK))
        CHECK_INT(tn_program_run(p, &in, 1, &result, 1, NULL), TN_OK);
    tn_program_free(p);
    tn_module_free(m);
    return out;
}

static tn_value cube(tn_builder *b, tn_value x)
{
    return tn_mul(b, x, tn_mul(b, x, x));
}

static void first_and_second(void)
{
    bench t;
    tn_value g, h;
    bench_open(&t);
    tn_value x = tn_input(t.b, "x", TN_F64, TN_INTS());
    tn_gradient(t.b, cube(t.b, x), tn_no_value(), TN_VALUES(x), &g);
    CHECK(only_result(&t, g, 3) == 27);
    bench_close(&t);

    bench_open(&t);
    x = tn_input(t.b, "x", TN_F64, TN_INTS());
    tn_gradient(t.b, cube(t.b, x), tn_no_value(), TN_VALUES(x), &g);
    tn_gradient(t.b, g, tn_no_value(), TN_VALUES(x), &h);
    CHECK(only_result(&t, h, 3) == 18);
    bench_close(&t);
}

/* By a value in the middle, with a given seed, and by one that the loss does not depend on. */
static void seeds(void)
{
    bench t;
    tn_value g[2];
    bench_open(&t);
    tn_value x = tn_input(t.b, "x", TN_F64, TN_INTS());
    tn_value y = tn_mul(t.b, x, x), z = tn_exp(t.b, x);
    tn_gradient(t.b, cube(t.b, y), tn_scalar(t.b, TN_F64, 2), TN_VALUES(y, z), g);
    CHECK(only_result(&t, tn_add(t.b, g[0], g[1]), 2) == 96);
    bench_close(&t);
}

/* A share of many elements of f16 is no normal number of f16. */
static void shares(void)
{
    enum { MANY = 100000 };
    bench t;
    tn_value g;
    bench_open(&t);
    tn_value x = tn_input(t.b, "x", TN_F64, TN_INTS());
    tn_value all = tn_broadcast(t.b, tn_cast(t.b, x, TN_F16), TN_INTS(MANY));
    tn_value mean = tn_cast(t.b, tn_mean(t.b, all, TN_INTS(0), false), TN_F64);
    tn_gradient(t.b, mean, tn_scalar(t.b, TN_F64, 4096), TN_VALUES(x), &g);
    CHECK(fabs(only_result(&t, g, 1) - 4096) <= 2);
    bench_close(&t);
}

/* x halved N times in a loop whose body has a derivative of its own: d(a^3)/da = 3 a^2. */
static void loops(void)
{
    bench t;
    tn_value end[2], g[2], inner;
    bench_open(&t);
    tn_value x = tn_input(t.b, "x", TN_F64, TN_INTS());
    tn_value zero = tn_scalar_int(t.b, TN_SI32, 0);
    tn_region_begin(t.b, "given up");
    tn_value p = tn_param_like(t.b, x);
    tn_region_begin(t.b, NULL);
    (void)tn_region_end(t.b, TN_VALUES(tn_param_like(t.b, x)));
    tn_gradient(t.b, cube(t.b, p), tn_no_value(), TN_VALUES(p), g);
    tn_region_discard(t.b);

    tn_region_begin(t.b, "more");
    tn_value i = tn_param_like(t.b, zero), a = tn_param_like(t.b, x);
    tn_value less = tn_compare(t.b, TN_LT, i, tn_scalar_int(t.b, TN_SI32, 2));
    tn_region more = tn_region_end(t.b, TN_VALUES(less, i, a));
    tn_region_begin(t.b, "step");
    i = tn_param_like(t.b, zero);
    a = tn_param_like(t.b, x);
    tn_gradient(t.b, cube(t.b, a), tn_no_value(), TN_VALUES(a), &inner);
    tn_value next = tn_add(t.b, i, tn_scalar_int(t.b, TN_SI32, 1));
    tn_region step = tn_region_end(t.b, TN_VALUES(next, inner));
    tn_while(t.b, more, step, TN_VALUES(zero, x), end, 2);
    /* 3 (3 x^2)^2 = 27 x^4; by x 108 x^3, twice 324 x^2 */
    tn_gradient(t.b, end[1], tn_no_value(), TN_VALUES(x), &g[0]);
    tn_gradient(t.b, end[1], tn_no_value(), TN_VALUES(x), &g[1]);
    tn_value both = tn_add(t.b, g[0], g[1]);
    CHECK(only_result(&t, both, 2) == 2 * 864);
    bench_close(&t);
}

static void faults(void)
{
    bench t;
    tn_value g;
    bench_open(&t);
    tn_value x = tn_input(t.b, "x", TN_F64, TN_INTS(3));
    tn_gradient(t.b, x, tn_no_value(), TN_VALUES(x), &g);
    CHECK(!tn_is_value(g) && strcmp(t.said.kind, "GradientShape") == 0);
    bench_close(&t);

    bench_open(&t);
    x = tn_input(t.b, "x", TN_SI32, TN_INTS());
    tn_gradient(t.b, x, tn_no_value(), TN_VALUES(x), &g);
    CHECK(!tn_is_value(g) && strcmp(t.said.kind, "NotDifferentiable") == 0);
    bench_close(&t);

    bench_open(&t);
    x = tn_input(t.b, "x", TN_F64, TN_INTS());
    tn_value y = tn_mul(t.b, x, tn_cast(t.b, tn_cast(t.b, x, TN_SI32), TN_F64));
    tn_gradient(t.b, y, tn_cast(t.b, x, TN_F32), TN_VALUES(x), &g);
    CHECK(!tn_is_value(g) && strcmp(t.said.kind, "GradientShape") == 0);
    bench_close(&t);

    bench_open(&t);
    tn_region_discard(t.b);
    CHECK_INT(tn_builder_status(t.b), TN_ERR_USAGE);
    bench_close(&t);
}

int main(void)
{
    first_and_second();
    seeds();
    shares();
    loops();
    faults();
    return check_result();
}
