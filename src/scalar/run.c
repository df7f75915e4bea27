/* The interpreter of scalar programs: one plain loop an instruction, over chunks that stay in the
 * cache. The same loops are compiled a second time for AVX2 with FMA, where fused multiply-adds are
 * instructions and not calls; both give the same bits. */
#include <math.h>
#include <string.h>

#include "scalar/program.h"

/* The scratch holds values of changing types, and arguments may be arrays of any kind of the right
 * size. */
typedef float f32 __attribute__((may_alias));
typedef double f64 __attribute__((may_alias));
typedef uint32_t u32 __attribute__((may_alias));
typedef int32_t s32 __attribute__((may_alias));
typedef uint64_t u64 __attribute__((may_alias));
typedef int64_t s64 __attribute__((may_alias));

enum { SCRATCH_BYTES = 65536, CHUNK = 256, ALIGN_ELEMENTS = 16 };

/* sb_scale: two exact factors, so that all exponents fit, and one product that rounds. */
static inline f32 scale32(f32 x, f32 magic_k)
{
    int32_t k;
    memcpy(&k, &magic_k, sizeof k);
    const int32_t half = k >> 1;
    const uint32_t one = 0x3f800000, first = one + ((uint32_t)half << 23),
                   second = one + (((uint32_t)k - (uint32_t)half) << 23);
    float by_first, by_second;
    memcpy(&by_first, &first, sizeof first);
    memcpy(&by_second, &second, sizeof second);
    return x * by_first * by_second;
}

static inline f64 scale64(f64 x, f64 magic_k)
{
    int64_t k;
    memcpy(&k, &magic_k, sizeof k);
    const int64_t half = k >> 1;
    const uint64_t one = UINT64_C(0x3ff) << 52, first = one + ((uint64_t)half << 52),
                   second = one + (((uint64_t)k - (uint64_t)half) << 52);
    double by_first, by_second;
    memcpy(&by_first, &first, sizeof first);
    memcpy(&by_second, &second, sizeof second);
    return x * by_first * by_second;
}

typedef struct frame {
    const scalar_program *program;
    const void *const *args;
    size_t start; /* of the chunk */
    size_t pitch; /* bytes of a slot */
    char *scratch;
} frame;

static inline const void *operand(const frame *f, scalar_value v)
{
    const scalar_inst *i = &f->program->at[v];
    if (i->op == SCALAR_ARG)
        return (const char *)f->args[i->bits] + f->start * scalar_type_bytes(i->type);
    return f->scratch + i->slot * f->pitch;
}

/* Types take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
#define LOOP(type_out, type_in, expr)                                                              \
    do {                                                                                           \
        const type_in *a = pa, *b = pb, *c = pc;                                                   \
        type_out *restrict out = to;                                                               \
        (void)a;                                                                                   \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        for (size_t k = 0; k < n; k++)                                                             \
            out[k] = (expr);                                                                       \
    } while (0)
/* NOLINTEND(bugprone-macro-parentheses) */
/* The same expression for the 32-bit and the 64-bit type. */
#define FLOATS(expr32, expr64)                                                                     \
    if (wide)                                                                                      \
        LOOP(f64, f64, expr64);                                                                    \
    else                                                                                           \
        LOOP(f32, f32, expr32);                                                                    \
    break
#define UNSIGNED(expr)                                                                             \
    if (wide)                                                                                      \
        LOOP(u64, u64, expr);                                                                      \
    else                                                                                           \
        LOOP(u32, u32, expr);                                                                      \
    break
/* Masks are all ones or zero in 32 bits. */
#define COMPARE(type32, type64, expr)                                                              \
    if (wide_in)                                                                                   \
        LOOP(u32, type64, (expr) ? UINT32_MAX : 0);                                                \
    else                                                                                           \
        LOOP(u32, type32, (expr) ? UINT32_MAX : 0);                                                \
    break

static inline __attribute__((always_inline)) void convert(scalar_type from, scalar_type type,
                                                          const void *pa, void *to, size_t n)
{
    const void *pb = NULL, *pc = NULL;
    switch (type) {
    case SCALAR_F32:
        if (from == SCALAR_F64)
            LOOP(f32, f64, (f32)a[k]);
        else
            LOOP(f32, s32, (f32)a[k]);
        break;
    case SCALAR_F64:
        if (from == SCALAR_F32)
            LOOP(f64, f32, (f64)a[k]);
        else
            LOOP(f64, s64, (f64)a[k]);
        break;
    case SCALAR_I32: /* out of range is unspecified, but must stay defined C */
        LOOP(s32, f32, a[k] >= -0x1p31f && a[k] < 0x1p31f ? (s32)a[k] : INT32_MIN);
        break;
    case SCALAR_I64:
        LOOP(s64, f64, a[k] >= -0x1p63 && a[k] < 0x1p63 ? (s64)a[k] : INT64_MIN);
        break;
    case SCALAR_MASK:
        break;
    }
}

static inline __attribute__((always_inline)) void step(const frame *f, const scalar_inst *i,
                                                       size_t n)
{
    const scalar_inst *at = f->program->at;
    const scalar_type from = at[i->in[0]].type;
    const bool wide = scalar_type_bytes(i->type) == 8, wide_in = scalar_type_bytes(from) == 8;
    const void *pa = operand(f, i->in[0]), *pb = operand(f, i->in[1]), *pc = operand(f, i->in[2]);
    void *to = f->scratch + i->slot * f->pitch;

    switch (i->op) {
    case SCALAR_FADD:
        FLOATS(a[k] + b[k], a[k] + b[k]);
    case SCALAR_FSUB:
        FLOATS(a[k] - b[k], a[k] - b[k]);
    case SCALAR_FMUL:
        FLOATS(a[k] * b[k], a[k] * b[k]);
    case SCALAR_FDIV:
        FLOATS(a[k] / b[k], a[k] / b[k]);
    case SCALAR_FMA:
        FLOATS(fmaf(a[k], b[k], c[k]), fma(a[k], b[k], c[k]));
    case SCALAR_SCALE:
        FLOATS(scale32(a[k], b[k]), scale64(a[k], b[k]));
    case SCALAR_FSQRT:
        FLOATS(sqrtf(a[k]), sqrt(a[k]));
    case SCALAR_FNEG:
        if (wide)
            LOOP(u64, u64, a[k] ^ (u64)1 << 63);
        else
            LOOP(u32, u32, a[k] ^ (u32)1 << 31);
        break;
    case SCALAR_FABS:
        if (wide)
            LOOP(u64, u64, a[k] & INT64_MAX);
        else
            LOOP(u32, u32, a[k] & INT32_MAX);
        break;
    case SCALAR_FRINT:
        FLOATS(rintf(a[k]), rint(a[k]));
    case SCALAR_IADD:
        UNSIGNED(a[k] + b[k]);
    case SCALAR_ISUB:
        UNSIGNED(a[k] - b[k]);
    case SCALAR_IMUL:
        UNSIGNED(a[k] * b[k]);
    case SCALAR_AND:
        UNSIGNED(a[k] & b[k]);
    case SCALAR_OR:
        UNSIGNED(a[k] | b[k]);
    case SCALAR_XOR:
        UNSIGNED(a[k] ^ b[k]);
    case SCALAR_NOT:
        UNSIGNED(~a[k]);
    case SCALAR_SHL:
        UNSIGNED(a[k] << (b[k] & (sizeof *a * 8 - 1)));
    case SCALAR_LSHR:
        UNSIGNED(a[k] >> (b[k] & (sizeof *a * 8 - 1)));
    case SCALAR_ASHR:
        if (wide)
            LOOP(s64, s64, a[k] >> (b[k] & 63));
        else
            LOOP(s32, s32, a[k] >> (b[k] & 31));
        break;
    case SCALAR_FLT:
        COMPARE(f32, f64, a[k] < b[k]);
    case SCALAR_FLE:
        COMPARE(f32, f64, a[k] <= b[k]);
    case SCALAR_FEQ:
        COMPARE(f32, f64, a[k] == b[k]);
    case SCALAR_FUNO:
        COMPARE(f32, f64, a[k] != a[k] || b[k] != b[k]);
    case SCALAR_IEQ:
        COMPARE(u32, u64, a[k] == b[k]);
    case SCALAR_ILT:
        COMPARE(s32, s64, a[k] < b[k]);
    case SCALAR_IULT:
        COMPARE(u32, u64, a[k] < b[k]);
    case SCALAR_SELECT:
    case SCALAR_SELDOM:
        if (wide)
            LOOP(u64, u64, ((const u32 *)pa)[k] ? b[k] : c[k]);
        else
            LOOP(u32, u32, a[k] ? b[k] : c[k]);
        break;
    case SCALAR_BITCAST:
        memcpy(to, pa, n * scalar_type_bytes(i->type));
        break;
    case SCALAR_CONVERT:
        convert(from, i->type, pa, to, n);
        break;
    case SCALAR_ARG:   /* read in place */
    case SCALAR_CONST: /* filled before the first chunk */
    case SCALAR_OP_COUNT:
        break;
    }
}

static void fill_constants(const frame *f, size_t n)
{
    for (uint32_t v = 0; v < f->program->n; v++) {
        const scalar_inst *i = &f->program->at[v];
        if (i->op != SCALAR_CONST)
            continue;
        void *to = f->scratch + i->slot * f->pitch;
        for (size_t k = 0; k < n; k++) {
            if (scalar_type_bytes(i->type) == 8)
                ((u64 *)to)[k] = i->bits;
            else
                ((u32 *)to)[k] = (u32)i->bits;
        }
    }
}

static inline __attribute__((always_inline)) void run_chunk(const frame *f, size_t n)
{
    for (uint32_t v = 0; v < f->program->n; v++)
        step(f, &f->program->at[v], n);
}

static void run_chunk_portable(const frame *f, size_t n)
{
    run_chunk(f, n);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void run_chunk_avx2(const frame *f, size_t n)
{
    run_chunk(f, n);
}

static bool have_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
static void run_chunk_avx2(const frame *f, size_t n)
{
    run_chunk(f, n);
}

static bool have_avx2(void)
{
    return false;
}
#endif

static void run(const scalar_program *program, const void *const *args, void *result, size_t n,
                void (*chunk_of)(const frame *f, size_t n))
{
    _Alignas(64) char scratch[SCRATCH_BYTES];
    const size_t size = scalar_type_bytes(program->at[program->result].type);
    size_t chunk = program->n_slots ? SCRATCH_BYTES / 8 / program->n_slots : CHUNK;
    if (chunk > CHUNK)
        chunk = CHUNK;
    if (chunk > ALIGN_ELEMENTS)
        chunk &= ~(size_t)(ALIGN_ELEMENTS - 1);
    frame f = {program, args, 0, chunk * 8, scratch};

    fill_constants(&f, n < chunk ? n : chunk);
    for (; f.start < n; f.start += chunk) {
        const size_t count = n - f.start < chunk ? n - f.start : chunk;
        chunk_of(&f, count);
        memmove((char *)result + f.start * size, operand(&f, program->result), count * size);
    }
}

void scalar_run(const scalar_program *program, const void *const *args, void *result, size_t n)
{
    run(program, args, result, n, have_avx2() ? run_chunk_avx2 : run_chunk_portable);
}

void scalar_run_portable(const scalar_program *program, const void *const *args, void *result,
                         size_t n)
{
    run(program, args, result, n, run_chunk_portable);
}
