/* The bits of the elementary functions, which results of programs are made of: they are those of
 * earlier versions. Other tests say that they are precise; the last bit may differ there. Who
 * changes a function on purpose puts what this prints into the table, and says so in CHANGELOG.md.
 */
#include "scalar/math.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory/hash.h"
#include "check.h"

enum { SAMPLES = 4096 };

typedef struct function_bits {
    uint64_t narrow, wide; /* of f32 and f64 */
} function_bits;

static const function_bits known[MATH_FN_COUNT] = {
    [MATH_EXP] = {UINT64_C(0x7d864d039d2d82b0), UINT64_C(0xb7a27d0b4f44b6ba)},
    [MATH_EXP2] = {UINT64_C(0xe3b9fc7bdfbf1f6e), UINT64_C(0x24ad67a001422adb)},
    [MATH_LOG] = {UINT64_C(0x4753d3d00df2ac93), UINT64_C(0x446d897a30fca0e0)},
    [MATH_LOG2] = {UINT64_C(0xec2135295fb4a062), UINT64_C(0x42f000dafb1de368)},
    [MATH_TANH] = {UINT64_C(0xf110193baca2db2e), UINT64_C(0x383cda5e0c4f9efc)},
    [MATH_ERF] = {UINT64_C(0x6b1f2e411fe908a8), UINT64_C(0x598cebb6ec8c1fd2)},
    [MATH_RSQRT] = {UINT64_C(0x562e92bc1b30c8f7), UINT64_C(0x202abe8d31dedf96)},
    [MATH_SIN] = {UINT64_C(0x032c8df5ffe4e1c6), UINT64_C(0x04bfe667dd426a26)},
    [MATH_COS] = {UINT64_C(0x512e9a7fca73d94b), UINT64_C(0x52371ec302630a37)},
    [MATH_POW] = {UINT64_C(0x311e9d2eafd60975), UINT64_C(0x27cf331a8ceee60d)},
    [MATH_FLOOR] = {UINT64_C(0xe8c1b96fc164b122), UINT64_C(0x4768c5987015cf7f)},
    [MATH_CEIL] = {UINT64_C(0xe1101291a3dce3ab), UINT64_C(0x8191bdbb23054ded)},
    [MATH_ROUND_EVEN] = {UINT64_C(0x5111624f2535ebdc), UINT64_C(0x89b84c2babcf5fd6)},
    [MATH_SIGN] = {UINT64_C(0x5145ed82a29ffcba), UINT64_C(0x81f26336c57e0ec8)},
    [MATH_ASIN] = {UINT64_C(0xe01a138e4a102963), UINT64_C(0xdaa8e25f0feefeaa)},
    [MATH_ACOS] = {UINT64_C(0x9f3f48a768e472aa), UINT64_C(0xa349e36a7b29c6f2)},
    [MATH_ATAN] = {UINT64_C(0x076b13024aac5429), UINT64_C(0xdb198d3281c44344)},
    [MATH_ATAN2] = {UINT64_C(0xd0055a75694f7509), UINT64_C(0xbec9a4a0be92d01f)},
    [MATH_CBRT] = {UINT64_C(0xe16240087c3c19ac), UINT64_C(0x2dcd65a3a595bd42)},
    [MATH_TAN] = {UINT64_C(0x85eb9c43ea0a749b), UINT64_C(0xed604280e7a05050)},
    [MATH_LOG1P] = {UINT64_C(0x74f4c5b8db103e95), UINT64_C(0x10c488789ce5f67a)},
    [MATH_ASINH] = {UINT64_C(0xce5efdd94e3c0848), UINT64_C(0x7843f983efc761b5)},
    [MATH_ACOSH] = {UINT64_C(0x3dd04e198d169a53), UINT64_C(0x1ad1c8d35ac96bff)},
    [MATH_ATANH] = {UINT64_C(0xde3bdf9a4bbfc1c5), UINT64_C(0xb18193c33ec079e0)},
    [MATH_EXPM1] = {UINT64_C(0xc596f4ab0644a9ad), UINT64_C(0xbfd4bd295b780d1e)},
    [MATH_SINH] = {UINT64_C(0x3b25f5a247d4ec1a), UINT64_C(0xd5a84839b3cd4204)},
    [MATH_COSH] = {UINT64_C(0xa692f2b3990e5b95), UINT64_C(0x66f138b590b4612e)},
    [MATH_SIGMOID] = {UINT64_C(0xd4848e43e7c9a093), UINT64_C(0x5caf33bb4c61b990)},
};

static uint64_t next(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Half of them of size 1, the others of any bits. */
static double sample(uint64_t *state, uint64_t k)
{
    const uint64_t bits = next(state);
    double x;
    if (k % 2)
        return ((double)(bits >> 11) * 0x1p-53 - 0.5) * (k % 4 == 1 ? 2 : 40);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* As an f32, of any bits, too. */
static float sample_narrow(uint64_t *state, uint64_t k)
{
    const uint32_t bits = (uint32_t)next(state);
    float x;
    if (k % 2)
        return (float)sample(state, k);
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t bits_of_narrow(const scalar_program *p)
{
    static float in[2][SAMPLES], out[SAMPLES];
    const void *const args[] = {in[0], in[1]};
    uint64_t state = 1;
    for (uint64_t k = 0; k < SAMPLES; k++) {
        in[0][k] = sample_narrow(&state, k);
        in[1][k] = sample_narrow(&state, k / 2);
    }
    scalar_run(p, args, out, SAMPLES);
    for (size_t k = 0; k < SAMPLES; k++)
        out[k] = isnan(out[k]) ? (float)NAN : out[k];
    return hash_bytes(0, out, sizeof out);
}

static uint64_t bits_of_wide(const scalar_program *p)
{
    static double in[2][SAMPLES], out[SAMPLES];
    const void *const args[] = {in[0], in[1]};
    uint64_t state = 2;
    for (uint64_t k = 0; k < SAMPLES; k++) {
        in[0][k] = sample(&state, k);
        in[1][k] = sample(&state, k / 2);
    }
    scalar_run(p, args, out, SAMPLES);
    for (size_t k = 0; k < SAMPLES; k++)
        out[k] = isnan(out[k]) ? (double)NAN : out[k];
    return hash_bytes(0, out, sizeof out);
}

int main(void)
{
    static const char *const ids[] = {
#define MATH_FN(id, text, operands) #id,
#include "scalar/math.def"
    };
    arena memory;
    arena_init(&memory, &memory_system);
    for (int i = 0; i < MATH_FN_COUNT; i++) {
        const scalar_program *narrow = scalar_math_program(&memory, (math_fn)i, SCALAR_F32),
                             *wide = scalar_math_program(&memory, (math_fn)i, SCALAR_F64);
        if (!CHECK(narrow && wide))
            break;
        const function_bits have = {bits_of_narrow(narrow), bits_of_wide(wide)};
        if (!CHECK(have.narrow == known[i].narrow && have.wide == known[i].wide))
            printf("    [MATH_%s] = {UINT64_C(0x%016" PRIx64 "), UINT64_C(0x%016" PRIx64 ")},\n",
                   ids[i], have.narrow, have.wide);
    }
    arena_release(&memory);
    return check_result();
}
