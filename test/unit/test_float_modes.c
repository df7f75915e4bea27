/* Results are the same whatever modes of floats the calling thread has, and it keeps them. */
#include <fenv.h>

#include "api_fixture.h"
#include "base/system/float_modes.h"

enum { N = 1 << 16 };

/* Two products that are rounded, and are denormal: %c when it is compiled. */
static const char text[] = "func @main(%x: tensor<f32, 65536>) -> tensor<f32, 65536> {\n"
                           "  %a = constant fill[1.1e-30] -> tensor<f32, 65536>\n"
                           "  %b = constant fill[3.3e-11] -> tensor<f32, 65536>\n"
                           "  %c = mul(%a, %b) -> tensor<f32, 65536>\n"
                           "  %y = mul(%x, %c) -> tensor<f32, 65536>\n"
                           "  %z = exp(%y) -> tensor<f32, 65536>\n"
                           "  %w = mul(%z, %y) -> tensor<f32, 65536>\n"
                           "  return %w\n"
                           "}\n";

static float x[N];

static void run(const tn_compile_options *o, float *y)
{
    tn_context *cx = tn_context_new(NULL, NULL);
    tn_module *m = NULL;
    tn_program *p = NULL;
    const tn_buffer in = {x, sizeof x, {TN_F32, 1, {N}}};
    tn_buffer out = {y, sizeof x, {TN_F32, 1, {N}}};
    CHECK_INT(
        tn_module_read(cx, &(tn_read_options){.dialect = "ptir-text"}, text, strlen(text), &m),
        TN_OK);
    CHECK_INT(tn_program_compile(m, o, &p), TN_OK);
    if (p)
        CHECK_INT(tn_program_run(p, &in, 1, &out, 1, NULL), TN_OK);
    tn_program_free(p);
    tn_module_free(m);
    tn_context_free(cx);
}

static void set_mode(int mode)
{
    (void)fesetenv(FE_DFL_ENV);
#if defined(__SSE2__)
    enum { ZERO_DENORMALS = 0x8040 };
    if (mode == 0)
        _mm_setcsr(_mm_getcsr() | ZERO_DENORMALS);
#endif
    if (mode == 1)
        (void)fesetround(FE_DOWNWARD);
}

static bool has_mode(int mode)
{
#if defined(__SSE2__)
    if (mode == 0)
        return (_mm_getcsr() & 0x8040) == 0x8040;
#endif
    return mode != 1 || fegetround() == FE_DOWNWARD;
}

int main(void)
{
    static float want[N], got[N];
    const tn_compile_options ways[] = {
        {.engine = "ref"}, {.engine = "jit", .threads = 1}, {.engine = "jit", .threads = 2}};
    for (int i = 0; i < N; i++)
        x[i] = (float)(i % 1000 - 500) * 0.37f;
    run(&ways[0], want);
    CHECK(want[0] != 0 && want[0] > -1e-37f); /* denormal */
    for (int mode = 0; mode < 2; mode++)
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            memset(got, 1, sizeof got);
            set_mode(mode);
            run(&ways[w], got);
            CHECK(has_mode(mode));
            (void)fesetenv(FE_DFL_ENV);
            CHECK(memcmp(got, want, sizeof got) == 0);
        }
    return check_result();
}
