/* Scalar programs: every operation, sharing and removal of instructions, failure, text, and equal
 * bits from the portable loops and the ones for the processor. */
#include "scalar/program.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "scalar/math.h"
#include "scalar/minifloat.h"

/* One operation on up to three operands of one type. */
typedef scalar_value (*build1)(scalar_builder *, scalar_value);
typedef scalar_value (*build2)(scalar_builder *, scalar_value, scalar_value);

static uint64_t finish_and_run(scalar_builder *b, scalar_value v, const void *const *args)
{
    if (sb_type(b, v) == SCALAR_MASK)
        v = sb_select(b, v, sb_i32(b, 1), sb_i32(b, 0));
    const scalar_program *p = sb_finish(b, v);
    uint64_t out = 0, again = 0;
    if (!CHECK(p != NULL))
        return 0;
    scalar_run(p, args, &out, 1);
    scalar_run_portable(p, args, &again, 1);
    CHECK_BITS(out, again);
    return out;
}

static uint64_t run1(build1 build, scalar_type type, uint64_t x)
{
    arena memory;
    scalar_builder b;
    arena_init(&memory, &memory_system);
    sb_init(&b, &memory);
    const void *args[] = {&x};
    const uint64_t out = finish_and_run(&b, build(&b, sb_arg(&b, type)), args);
    arena_release(&memory);
    return out;
}

static uint64_t run2(build2 build, scalar_type type, uint64_t x, uint64_t y)
{
    arena memory;
    scalar_builder b;
    arena_init(&memory, &memory_system);
    sb_init(&b, &memory);
    const void *args[] = {&x, &y};
    const scalar_value a = sb_arg(&b, type);
    const uint64_t out = finish_and_run(&b, build(&b, a, sb_arg(&b, type)), args);
    arena_release(&memory);
    return out;
}

#define F(x) f32_bits(x)
#define D(x) f64_bits(x)
#define I(x) ((uint32_t)(x))
#define L(x) ((uint64_t)(x))

static void test_float_operations(void)
{
    CHECK_BITS(run2(sb_fadd, SCALAR_F32, F(1.5f), F(2.25f)), F(3.75f));
    CHECK_BITS(run2(sb_fsub, SCALAR_F64, D(1.5), D(2.25)), D(-0.75));
    CHECK_BITS(run2(sb_fmul, SCALAR_F32, F(3.0f), F(-0.5f)), F(-1.5f));
    CHECK_BITS(run2(sb_fdiv, SCALAR_F64, D(1), D(-0.0)), D(-(double)INFINITY));
    CHECK_BITS(run2(sb_fmul, SCALAR_F32, F(0x1p-100f), F(0x1p-49f)), F(0x1p-149f));
    CHECK_BITS(run1(sb_fsqrt, SCALAR_F32, F(2.0f)), F(sqrtf(2.0f)));
    CHECK_BITS(run1(sb_fsqrt, SCALAR_F64, D(-0.0)), D(-0.0));
    CHECK_BITS(run1(sb_fneg, SCALAR_F32, F(0.0f)), F(-0.0f));
    CHECK_BITS(run1(sb_fneg, SCALAR_F64, D(3)), D(-3));
    CHECK_BITS(run1(sb_fabs, SCALAR_F32, F(-0.0f)), F(0.0f));
    CHECK_BITS(run1(sb_fabs, SCALAR_F64, D(-3)), D(3));
    CHECK_BITS(run1(sb_frint, SCALAR_F32, F(2.5f)), F(2.0f));
    CHECK_BITS(run1(sb_frint, SCALAR_F64, D(-3.5)), D(-4));
    CHECK_BITS(run1(sb_frint, SCALAR_F64, D(1e300)), D(1e300));
    CHECK_BITS(run1(sb_frint, SCALAR_F32, F(-0.25f)), F(-0.0f));
}

static void test_integer_operations(void)
{
    CHECK_BITS(run2(sb_iadd, SCALAR_I32, I(INT32_MAX), 1), I(INT32_MIN));
    CHECK_BITS(run2(sb_isub, SCALAR_I64, 0, 1), UINT64_MAX);
    CHECK_BITS(run2(sb_imul, SCALAR_I32, 0x10001, 0x10001), 0x20001);
    CHECK_BITS(run2(sb_imul, SCALAR_I64, L(-3), 5), L(-15));
    CHECK_BITS(run2(sb_and, SCALAR_I32, 12, 10), 8);
    CHECK_BITS(run2(sb_or, SCALAR_I64, 12, 10), 14);
    CHECK_BITS(run2(sb_xor, SCALAR_I32, 12, 10), 6);
    CHECK_BITS(run1(sb_not, SCALAR_I32, 5), I(-6));
    CHECK_BITS(run2(sb_shl, SCALAR_I32, 3, 33), 6);
    CHECK_BITS(run2(sb_shl, SCALAR_I64, 3, 33), L(3) << 33);
    CHECK_BITS(run2(sb_lshr, SCALAR_I32, I(-1), 28), 15);
    CHECK_BITS(run2(sb_ashr, SCALAR_I32, I(-16), 2), I(-4));
    CHECK_BITS(run2(sb_lshr, SCALAR_I64, L(-1), 60), 15);
    CHECK_BITS(run2(sb_ashr, SCALAR_I64, L(-16), 66), L(-4));
}

static void test_comparisons(void)
{
    const uint64_t nan32 = F(NAN), nan64 = D((double)NAN);
    CHECK(run2(sb_flt, SCALAR_F32, F(1.0f), F(2.0f)) &&
          !run2(sb_flt, SCALAR_F32, F(2.0f), F(2.0f)));
    CHECK(!run2(sb_flt, SCALAR_F64, nan64, D(2)) && !run2(sb_flt, SCALAR_F64, D(2), nan64));
    CHECK(run2(sb_fle, SCALAR_F32, F(2.0f), F(2.0f)) && !run2(sb_fle, SCALAR_F32, nan32, nan32));
    CHECK(run2(sb_fle, SCALAR_F64, D(-1), D(1)) && !run2(sb_fle, SCALAR_F64, D(1), D(-1)));
    CHECK(run2(sb_feq, SCALAR_F32, F(-0.0f), F(0.0f)) && !run2(sb_feq, SCALAR_F64, nan64, nan64));
    CHECK(run2(sb_funo, SCALAR_F32, nan32, F(1.0f)) && run2(sb_funo, SCALAR_F64, D(1), nan64));
    CHECK(!run2(sb_funo, SCALAR_F64, D(1), D(2)));
    CHECK(run2(sb_ieq, SCALAR_I64, L(1) << 40, L(1) << 40) &&
          !run2(sb_ieq, SCALAR_I64, L(1) << 40, 0));
    CHECK(run2(sb_ieq, SCALAR_I32, 7, 7) && !run2(sb_ieq, SCALAR_I32, 7, 8));
    CHECK(run2(sb_ilt, SCALAR_I32, I(-1), 0) && !run2(sb_iult, SCALAR_I32, I(-1), 0));
    CHECK(run2(sb_ilt, SCALAR_I64, L(-1), 0) && run2(sb_iult, SCALAR_I64, 0, L(-1)));
}

static scalar_value to_i32(scalar_builder *b, scalar_value x)
{
    return sb_convert(b, SCALAR_I32, x);
}
static scalar_value to_i64(scalar_builder *b, scalar_value x)
{
    return sb_convert(b, SCALAR_I64, x);
}
static scalar_value to_f32(scalar_builder *b, scalar_value x)
{
    return sb_convert(b, SCALAR_F32, x);
}
static scalar_value to_f64(scalar_builder *b, scalar_value x)
{
    return sb_convert(b, SCALAR_F64, x);
}
static scalar_value as_i32(scalar_builder *b, scalar_value x)
{
    return sb_bitcast(b, SCALAR_I32, x);
}
static scalar_value as_f64(scalar_builder *b, scalar_value x)
{
    return sb_bitcast(b, SCALAR_F64, x);
}

static void test_conversions(void)
{
    CHECK_BITS(run1(to_i32, SCALAR_F32, F(-2.75f)), I(-2));
    CHECK_BITS(run1(to_i64, SCALAR_F64, D(0x1p40 + 0.5)), L(1) << 40);
    CHECK_BITS(run1(to_f32, SCALAR_I32, I(16777219)), F(16777220.0f));
    CHECK_BITS(run1(to_f64, SCALAR_I64, L(-5)), D(-5));
    CHECK_BITS(run1(to_f32, SCALAR_F64, D(0.1)), F(0.1f));
    CHECK_BITS(run1(to_f64, SCALAR_F32, F(0x1p-149f)), D(0x1p-149));
    CHECK_BITS(run1(as_i32, SCALAR_F32, F(1.0f)), 0x3f800000);
    CHECK_BITS(run1(as_f64, SCALAR_I64, D(2.5)), D(2.5));
}

static void test_fma_and_select(void)
{
    arena memory;
    scalar_builder b;
    arena_init(&memory, &memory_system);
    sb_init(&b, &memory);
    const scalar_value x = sb_arg(&b, SCALAR_F64), y = sb_arg(&b, SCALAR_F64);
    const scalar_value lost = sb_fma(&b, x, y, sb_fneg(&b, sb_fmul(&b, x, y)));
    const scalar_value less = sb_and(&b, sb_flt(&b, x, y), sb_not(&b, sb_feq(&b, x, y)));
    const scalar_program *p = sb_finish(&b, sb_select(&b, less, lost, x));
    const double xs[] = {1 + 0x1p-30, 3}, ys[] = {1 + 0x1p-29, 2};
    const void *args[] = {xs, ys};
    double out[2];
    CHECK(p != NULL);
    scalar_run(p, args, out, 2);
    CHECK(out[0] == 0x1p-59 && out[1] == 3);
    scalar_run_portable(p, args, out, 2);
    CHECK(out[0] == 0x1p-59 && out[1] == 3);
    arena_release(&memory);
}

static void test_sharing(void)
{
    arena memory;
    scalar_builder b;
    arena_init(&memory, &memory_system);
    sb_init(&b, &memory);
    const scalar_value x = sb_arg(&b, SCALAR_F32);
    CHECK(sb_f32(&b, 1.0f) == sb_f32(&b, 1.0f) && sb_f32(&b, 0.0f) != sb_f32(&b, -0.0f));
    CHECK(sb_i32(&b, 0) != sb_f32(&b, 0.0f));
    CHECK(sb_fadd(&b, x, sb_f32(&b, 1.0f)) == sb_fadd(&b, x, sb_f32(&b, 1.0f)));
    for (int k = 0; k < 200; k++)
        (void)sb_fmul(&b, x, sb_f32(&b, (float)k)); /* not used, and more than one table holds */
    CHECK(sb_fadd(&b, x, sb_f32(&b, 1.0f)) == sb_fadd(&b, x, sb_f32(&b, 1.0f)));
    const scalar_program *p = sb_finish(&b, sb_fadd(&b, x, sb_f32(&b, 1.0f)));
    CHECK(p != NULL);
    CHECK_TEXT(scalar_print(p, &memory), "%0 = arg f32 0\n"
                                         "%1 = const f32 0x3f800000\n"
                                         "%2 = fadd f32 %0, %1\n"
                                         "result %2\n");
    CHECK_INT((int)p->n_slots, 2);
    arena_release(&memory);
}

/* Result in place, lengths around the chunk, a program that is only its argument. */
static void test_lengths(void)
{
    arena memory;
    scalar_builder b;
    arena_init(&memory, &memory_system);
    sb_init(&b, &memory);
    const scalar_value x = sb_arg(&b, SCALAR_I32);
    const scalar_program *same = sb_finish(&b, x);
    const scalar_program *plus = sb_finish(&b, sb_iadd(&b, sb_imul(&b, x, x), sb_i32(&b, 3)));
    for (size_t n = 0; n < 1100; n += n < 10 ? 1 : 83) {
        int32_t data[1100], copy[1100];
        unsigned wrong = 0;
        for (size_t k = 0; k < n; k++)
            data[k] = (int32_t)k;
        const void *args[] = {data};
        scalar_run(same, args, copy, n);
        scalar_run(plus, args, data, n);
        for (size_t k = 0; k < n; k++)
            wrong += data[k] != (int32_t)(k * k + 3) || copy[k] != (int32_t)k;
        CHECK_INT(wrong, 0);
    }
    arena_release(&memory);
}

static void test_rejected(void)
{
    arena memory;
    scalar_builder b;
    arena_init(&memory, &memory_system);
    sb_init(&b, &memory);
    CHECK(sb_finish(&b, 0) == NULL);
    const scalar_value x = sb_arg(&b, SCALAR_F32);
    const scalar_value mask = sb_flt(&b, x, x);
    CHECK(sb_finish(&b, mask) == NULL && !b.failed);
    CHECK(sb_finish(&b, 1000) == NULL);
    (void)sb_const(&b, SCALAR_F32, (uint64_t)1 << 32);
    CHECK(b.failed && sb_finish(&b, x) == NULL && sb_fadd(&b, x, x) == 0);
    arena_release(&memory);
}

/* Memory that runs out after a number of requests. */
static void *limited(void *user, void *block, size_t old_size, size_t new_size)
{
    int *left = user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return (*left)-- > 0 ? realloc(block, new_size) : NULL;
}

static void test_no_memory(void)
{
    bool worked = false;
    for (int n = 0; n < 200 && !worked; n++) {
        int left = n;
        const tn_allocator a = {limited, &left};
        arena memory;
        arena_init(&memory, &a);
        const scalar_program *p = scalar_math_program(&memory, MATH_SIN, SCALAR_F64);
        worked = p != NULL && scalar_print(p, &memory) != NULL;
        arena_release(&memory);
    }
    CHECK(worked);
}

/* The portable and the fast loops on every function and a few patterns of each kind. */
static void test_same_bits(void)
{
    enum { N = 1500 };
    static uint64_t x[N], y[N], fast[N], slow[N];
    arena memory;
    arena_init(&memory, &memory_system);
    for (unsigned k = 0; k < 2 * MATH_FN_COUNT; k++) {
        const scalar_type type = k & 1 ? SCALAR_F64 : SCALAR_F32;
        const scalar_program *p = scalar_math_program(&memory, (math_fn)(k / 2), type);
        const void *args[] = {x, y};
        uint64_t state = k;
        unsigned wrong = 0;
        for (size_t j = 0; j < N; j++) {
            state = state * 0x5851f42d4c957f2du + 0x14057b7ef767814fu;
            x[j] = state ^ state >> 29;
            y[j] = (state * 0x9e3779b97f4a7c15u) >> 1;
        }
        scalar_run(p, args, fast, N);
        scalar_run_portable(p, args, slow, N);
        for (size_t j = 0; j < N; j++) {
            if (type == SCALAR_F64) {
                const double a = f64_from_bits(fast[j]), c = f64_from_bits(slow[j]);
                wrong += fast[j] != slow[j] && !(isnan(a) && isnan(c));
            } else {
                const float a = f32_from_bits((uint32_t)fast[j]),
                            c = f32_from_bits((uint32_t)slow[j]);
                wrong +=
                    j < N / 2 && (uint32_t)fast[j] != (uint32_t)slow[j] && !(isnan(a) && isnan(c));
            }
        }
        CHECK_INT(wrong, 0);
    }
    arena_release(&memory);
}

int main(void)
{
    test_float_operations();
    test_integer_operations();
    test_comparisons();
    test_conversions();
    test_fma_and_select();
    test_sharing();
    test_lengths();
    test_rejected();
    test_no_memory();
    test_same_bits();
    return check_result();
}
