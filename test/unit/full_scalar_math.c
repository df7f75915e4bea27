/* The elementary functions: special values, f32 on a stride over all patterns, f64 on random
 * arguments. The whole f32 range is in test/long/math_exhaustive.c. */
#include "scalar/math.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "math_exact.h"
#include "scalar/minifloat.h"

static const scalar_program *programs[MATH_FN_COUNT][2]; /* [fn][0] f32, [1] f64 */
static const double inf = (double)INFINITY, nan_value = (double)NAN;

static double run_f64(math_fn fn, double x, double y)
{
    const void *args[] = {&x, &y};
    double out = 0;
    scalar_run(programs[fn][1], args, &out, 1);
    return out;
}

static float run_f32(math_fn fn, float x, float y)
{
    const void *args[] = {&x, &y};
    float out = 0;
    scalar_run(programs[fn][0], args, &out, 1);
    return out;
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || f64_bits(a) == f64_bits(b);
}

/* Results that are the same in both formats, exactly. */
static void check_both(math_fn fn, double x, double y, double want, int line)
{
    const double wide = run_f64(fn, x, y);
    const double narrow = (double)run_f32(fn, (float)x, (float)y);
    const bool ok = same(wide, want) && same(narrow, want);
    if (!CHECK(ok))
        printf("    line %d: %s(%a, %a): f64 %a, f32 %a, want %a\n", line, math_fn_name(fn), x, y,
               wide, narrow, want);
}
#define BOTH(fn, x, want) check_both(MATH_##fn, x, 0, want, __LINE__)
#define POW(x, y, want) check_both(MATH_POW, x, y, want, __LINE__)

/* Far below every number the result is 0 at once, not a product that rounds to it, which takes
 * processors long. */
static void test_far_below(void)
{
    static const double far[] = {-1500, -1e9, -HUGE_VAL};
    for (size_t k = 0; k < sizeof far / sizeof far[0]; k++) {
        (void)feclearexcept(FE_ALL_EXCEPT);
        check_both(MATH_EXP, far[k], 0, 0, __LINE__);
        check_both(MATH_EXP2, far[k] * 2, 0, 0, __LINE__);
        CHECK(run_f32(MATH_SIGMOID, (float)far[k], 0) == 0);
        CHECK(!fetestexcept(FE_UNDERFLOW));
    }
}

/* Zeros, whose sign stays, and denormals, which are their own result. */
static void test_odd_at_zero(void)
{
    static const math_fn odd[] = {MATH_TAN,   MATH_ASIN,  MATH_ATAN,  MATH_SINH,
                                  MATH_ASINH, MATH_ATANH, MATH_LOG1P, MATH_EXPM1};
    for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) {
        check_both(odd[k], 0, 0, 0, __LINE__);
        check_both(odd[k], -0.0, 0, -0.0, __LINE__);
        check_both(odd[k], 0x1p-149, 0, 0x1p-149, __LINE__);
        check_both(odd[k], -0x1p-149, 0, -0x1p-149, __LINE__);
        CHECK(run_f64(odd[k], 5e-324, 0) == 5e-324);
    }
}

static void test_special(void)
{
    BOTH(CBRT, 0, 0);
    BOTH(CBRT, -0.0, -0.0);
    BOTH(CBRT, -27, -3);
    BOTH(CBRT, inf, inf);
    BOTH(CBRT, -inf, -inf);
    BOTH(CBRT, 0x1p-147, 0x1p-49);
    BOTH(TAN, inf, nan_value);
    BOTH(TAN, -inf, nan_value);
    BOTH(ASIN, 1.5, nan_value);
    BOTH(ACOS, -1.5, nan_value);
    BOTH(ACOS, 1, 0);
    BOTH(SINH, inf, inf);
    BOTH(SINH, -inf, -inf);
    BOTH(COSH, 0, 1);
    BOTH(COSH, -inf, inf);
    BOTH(ASINH, -inf, -inf);
    BOTH(ACOSH, 1, 0);
    BOTH(ACOSH, 0.5, nan_value);
    BOTH(ACOSH, -3, nan_value);
    BOTH(ACOSH, -inf, nan_value);
    BOTH(ACOSH, inf, inf);
    BOTH(ATANH, 1, inf);
    BOTH(ATANH, -1, -inf);
    BOTH(ATANH, 1.5, nan_value);
    BOTH(ATANH, inf, nan_value);
    BOTH(LOG1P, -1, -inf);
    BOTH(LOG1P, -1.5, nan_value);
    BOTH(LOG1P, inf, inf);
    BOTH(EXPM1, -inf, -1);
    BOTH(EXPM1, inf, inf);
    BOTH(SIGMOID, 0, 0.5);
    BOTH(SIGMOID, -inf, 0);
    BOTH(SIGMOID, inf, 1);
    BOTH(EXP, 0, 1);
    BOTH(EXP, -0.0, 1);
    BOTH(EXP, inf, inf);
    BOTH(EXP, -inf, 0);
    BOTH(EXP, 1000, inf);
    BOTH(EXP, -1000, 0);
    BOTH(EXP, 0x1p-149, 1);
    BOTH(EXP2, 0, 1);
    BOTH(EXP2, 10, 1024);
    BOTH(EXP2, -126, 0x1p-126);
    BOTH(EXP2, -149, 0x1p-149);
    BOTH(EXP2, 127, 0x1p127);
    BOTH(EXP2, inf, inf);
    BOTH(EXP2, -inf, 0);
    BOTH(LOG, 1, 0);
    BOTH(LOG, 0, -inf);
    BOTH(LOG, -0.0, -inf);
    BOTH(LOG, inf, inf);
    BOTH(LOG, -inf, nan_value);
    BOTH(LOG, -0x1p-149, nan_value);
    BOTH(LOG2, 1, 0);
    BOTH(LOG2, 8, 3);
    BOTH(LOG2, 0x1p-149, -149);
    BOTH(LOG2, 0x1p127, 127);
    BOTH(LOG2, 0, -inf);
    BOTH(LOG2, -1, nan_value);
    BOTH(LOG2, inf, inf);
    BOTH(TANH, 0, 0);
    BOTH(TANH, -0.0, -0.0);
    BOTH(TANH, inf, 1);
    BOTH(TANH, -inf, -1);
    BOTH(TANH, 30, 1);
    BOTH(TANH, -0x1p-149, -0x1p-149);
    BOTH(ERF, 0, 0);
    BOTH(ERF, -0.0, -0.0);
    BOTH(ERF, inf, 1);
    BOTH(ERF, -inf, -1);
    BOTH(ERF, -7, -1);
    BOTH(RSQRT, 0, inf);
    BOTH(RSQRT, -0.0, -inf);
    BOTH(RSQRT, inf, 0);
    BOTH(RSQRT, -1, nan_value);
    BOTH(RSQRT, -inf, nan_value);
    BOTH(RSQRT, 0.25, 2);
    BOTH(RSQRT, 0x1p-148, 0x1p74);
    BOTH(SIN, 0, 0);
    BOTH(SIN, -0.0, -0.0);
    BOTH(SIN, inf, nan_value);
    BOTH(SIN, -inf, nan_value);
    BOTH(SIN, 0x1p-149, 0x1p-149);
    BOTH(COS, 0, 1);
    BOTH(COS, -0.0, 1);
    BOTH(COS, 0x1p-149, 1);
    BOTH(COS, inf, nan_value);
    test_odd_at_zero();
    for (unsigned fn = 0; fn < MATH_FN_COUNT; fn++)
        if (math_fn_operands((math_fn)fn) == 1)
            check_both((math_fn)fn, nan_value, 0, nan_value, __LINE__);
}

/* The f64 number nearest to a multiple of pi/2, and the f32 one; both from the literature on
 * reduction. */
static void test_hard_angles(void)
{
    const double near = 6381956970095103.0 * 0x1p797;
    CHECK(run_f64(MATH_COS, near, 0) == -4.68716592425462761112e-19);
    CHECK(run_f64(MATH_SIN, near, 0) == 1);
    CHECK((double)run_f32(MATH_COS, 16367173.0f * 0x1p72f, 0) ==
          (double)(float)cos(16367173.0 * 0x1p72));
    CHECK((double)run_f32(MATH_SIN, 0x1.921fb6p0f, 0) == 1);
}

/* Numbers around multiples of pi/2, and around 2^20, from where on f64 arguments are large. */
static void test_angles(void)
{
    static const math_fn all[] = {MATH_SIN, MATH_COS, MATH_TAN};
    double worst = 0;
    for (double n = 1; n < 700000; n += 97) {
        const double near = (double)((long double)n * 1.57079632679489661923132169163975144L);
        const double edge = 0x1p20 + (n - 350000) * 0x1p-33;
        const double x[] = {nextafter(near, 0), -near, nextafter(near, inf), edge};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
                const long double want = exact_long(all[k], (long double)x[i], 0);
                const double have = run_f64(all[k], x[i], 0);
                const double ulp = ldexp(1, ilogb((double)want) - 52);
                const double error = (double)fabsl((long double)have - want) / ulp;
                worst = error > worst ? error : worst;
            }
    }
    printf("angles near quarter turns: f64 %.3f ulp\n", worst);
    CHECK(worst <= 2);
}

static void test_pow_special(void)
{
    static const double all[] = {0,
                                 -0.0,
                                 1,
                                 -1,
                                 2,
                                 -2,
                                 0.5,
                                 -0.5,
                                 3,
                                 -3,
                                 1e9,
                                 0x1p-149,
                                 (double)INFINITY,
                                 -(double)INFINITY,
                                 7.5,
                                 (double)NAN};
    enum { N = sizeof all / sizeof *all };
    /* Zeros, infinities, ones and NaN follow C, annex F. */
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            const double want = pow(all[i], all[j]);
            if (isnan(want) || want == 0 || isinf(want) || fabs(want) == 1 || fabs(want) == 2)
                if (!(fabs(all[i]) > 1e8 || fabs(all[i]) < 1e-8) || isinf(all[i]) || all[i] == 0)
                    POW(all[i], all[j], want);
        }
    }
    POW(2, 10, 1024);
    POW(-2, 3, -8);
    POW(-2, 2, 4);
    POW(3, 4, 81);
    POW(2, -149, 0x1p-149);
    POW(10, 2, 100);
    POW(-1, 16777215, -1);
    POW(-1, 16777216, 1);
}

/* The operations of PROGRAM as docs/numerics-math.md counts them: without constants, bit casts and
 * what only the arguments of a `seldom` need. */
static unsigned operations(const scalar_program *program)
{
    static bool needed[4096];
    unsigned n = 0;
    CHECK(program->n <= 4096);
    memset(needed, 0, sizeof needed);
    needed[program->result] = true;
    for (uint32_t v = program->n; v-- > 0;) {
        const scalar_inst *i = &program->at[v];
        if (!needed[v] || i->op == SCALAR_CONST || i->op == SCALAR_ARG)
            continue;
        n += i->op != SCALAR_BITCAST;
        for (unsigned k = 0; k < scalar_op_operands(i->op); k++)
            needed[i->in[k]] |= !(i->op == SCALAR_SELDOM && k == 1);
    }
    return n;
}

static void test_f32(math_fn fn)
{
    enum { N = 4096 };
    static float x[N], y[N], out[N];
    const void *args[] = {x, y};
    double worst = 0, worst_x = 0;
    unsigned wrong = 0;
    uint64_t at = 0;
    while (at >> 32 == 0) {
        size_t n = 0;
        for (; n < N && at >> 32 == 0; n++, at += 9973) {
            x[n] = f32_from_bits((uint32_t)at);
            y[n] = (float)((int)(at % 4001) - 2000) * 0.0078125f;
        }
        scalar_run(programs[fn][0], args, out, n);
        for (size_t k = 0; k < n; k++) {
            const double want = (double)exact_long(fn, (long double)x[k], (long double)y[k]);
            const float rounded = (float)want;
            if (isnan(rounded) || isinf(rounded)) {
                wrong += !same((double)out[k], (double)rounded);
                continue;
            }
            const double ulp = ldexp(1, (fabs(want) < 0x1p-126 ? -126 : ilogb(want)) - 23);
            const double error = fabs((double)out[k] - want) / ulp;
            wrong += (signbit(out[k]) != 0) != (signbit(want) != 0);
            if (error > worst) {
                worst = error;
                worst_x = (double)x[k];
            }
        }
    }
    printf("%-5s f32 %.3f ulp at %a; %u operations\n", math_fn_name(fn), worst, worst_x,
           operations(programs[fn][0]));
    CHECK(worst <= 1);
    CHECK_INT(wrong, 0);
}

/* For f32, rsqrt is 1 / sqrt(x) of f64, rounded: at numbers of two binades, where all significands
 * of results are, at ends of the range, and where less care gives the neighbour.  guards [rsqrt/C1]
 */
static void test_rsqrt(void)
{
    enum { N = 4096, ONE_QUARTER = 0x3e800000, ONE = 0x3f800000 };
    static const uint32_t others[] = {0x3f09f038, 0x3f7ffffe, 0,          1,
                                      0x7fffff,   0x800000,   0x7f7fffff, 0x7f800000,
                                      0x80000000, 0x80000001, 0xff800000, 0x7fc00000};
    static float x[N], out[N];
    const void *args[] = {x};
    unsigned wrong = 0;
    memset(x, 0, sizeof x);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        x[i] = f32_from_bits(others[i]);
    for (uint32_t at = ONE_QUARTER; at < ONE;) {
        scalar_run(programs[MATH_RSQRT][0], args, out, N);
        for (size_t k = 0; k < N; k++)
            wrong += !same((double)out[k], (double)(float)(1 / sqrt((double)x[k])));
        for (size_t k = 0; k < N; k++, at += 23)
            x[k] = f32_from_bits(at);
    }
    CHECK_INT(wrong, 0);
}

static uint64_t next_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Any pattern, or a number where the function is interesting. */
static double random_argument(math_fn fn, uint64_t *state)
{
    const uint64_t r = next_random(state);
    const double unit = (double)(int64_t)next_random(state) * 0x1p-63; /* [-1, 1) */
    switch (r & 7) {
    case 0:
        return f64_from_bits(next_random(state));
    case 1:
        return unit * 750;
    case 2:
        return fn == MATH_LOG || fn == MATH_LOG2 || fn == MATH_POW ? 1 + unit * 0.5 : unit * 0.01;
    case 3:
        return fn == MATH_LOG || fn == MATH_LOG2 ? 1 + unit * 0x1p-20 : unit * 1e6;
    case 4:
        return fn == MATH_EXP || fn == MATH_EXP2 ? unit * 1080 : unit * 6;
    default:
        return unit * 3;
    }
}

/* An exponent that takes x^y to the ends of the range. */
static double extreme_exponent(double x, double y)
{
    const double size = fabs(log2(fabs(x)));
    return size > 0 && size < 1e300 ? y * 350 / size : y;
}

static void test_f64(math_fn fn, unsigned count)
{
    enum { N = 4096 };
    static double x[N], y[N], out[N];
    const void *args[] = {x, y};
    uint64_t state = 12345 + (uint64_t)fn;
    double worst = 0, worst_x = 0, worst_y = 0;
    unsigned wrong = 0;
    for (unsigned done = 0; done < count; done += N) {
        for (size_t k = 0; k < N; k++) {
            x[k] = random_argument(fn, &state);
            y[k] = random_argument(MATH_ERF, &state);
            if (fn == MATH_POW && x[k] < 0 && k % 8)
                x[k] = -x[k];
            if (fn == MATH_POW && k % 4 == 0)
                y[k] = extreme_exponent(x[k], y[k]);
        }
        scalar_run(programs[fn][1], args, out, N);
        for (size_t k = 0; k < N; k++) {
            const long double want = exact_long(fn, (long double)x[k], (long double)y[k]);
            const double rounded = (double)want;
            if (isnan(rounded) || isinf(rounded)) {
                if (!same(out[k], rounded) && wrong++ < 3)
                    printf("%s(%a, %a) = %a, want %a\n", math_fn_name(fn), x[k], y[k], out[k],
                           rounded);
                continue;
            }
            const int exponent = fabsl(want) < 0x1p-1022L ? -1022 : ilogbl(want);
            const double error = (double)(ldexpl(fabsl((long double)out[k] - want), 52 - exponent));
            wrong += (signbit(out[k]) != 0) != (signbit(want) != 0);
            if (error > worst) {
                worst = error;
                worst_x = x[k];
                worst_y = y[k];
            }
        }
    }
    printf("%-5s f64 %.3f ulp at %a, %a; %u operations\n", math_fn_name(fn), worst, worst_x,
           worst_y, operations(programs[fn][1]));
    CHECK(worst <= 2);
    CHECK_INT(wrong, 0);
}

/* Every pair of these, as annex F of C has it, which the C library follows. */
static void test_atan2_special(void)
{
    static const double all[] = {0,
                                 -0.0,
                                 1,
                                 -1,
                                 0x1p-149,
                                 -0x1p-149,
                                 0x1p127,
                                 -0x1p127,
                                 (double)INFINITY,
                                 -(double)INFINITY,
                                 (double)NAN};
    enum { N = sizeof all / sizeof all[0] };
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            const double want = atan2(all[i], all[j]);
            CHECK(same((double)run_f32(MATH_ATAN2, (float)all[i], (float)all[j]),
                       (double)(float)want));
            CHECK(same(run_f64(MATH_ATAN2, all[i], all[j]), want));
        }
}

/* With an argument, the operations alone, a line for each function: its name, f32, f64. */
int main(int argc, char **argv)
{
    arena memory;
    (void)argv;
    arena_init(&memory, &memory_system);
    for (unsigned fn = 0; fn < MATH_FN_COUNT; fn++) {
        programs[fn][0] = scalar_math_program(&memory, (math_fn)fn, SCALAR_F32);
        programs[fn][1] = scalar_math_program(&memory, (math_fn)fn, SCALAR_F64);
        if (!CHECK(programs[fn][0] && programs[fn][1]))
            return check_result();
    }
    if (argc > 1) {
        for (unsigned fn = 0; fn < MATH_FN_COUNT; fn++)
            printf("%s %u %u\n", math_fn_name((math_fn)fn), operations(programs[fn][0]),
                   operations(programs[fn][1]));
        arena_release(&memory);
        return check_result();
    }
    test_special();
    test_far_below();
    test_hard_angles();
    test_angles();
    test_pow_special();
    test_atan2_special();
    test_rsqrt();
    for (unsigned fn = 0; fn < MATH_FN_COUNT; fn++) {
        test_f32((math_fn)fn);
        test_f64((math_fn)fn, 200000);
    }
    arena_release(&memory);
    return check_result();
}
