/* What stands in front of the functions of a C text: types and the operations that C lacks. */
#include <inttypes.h>

#include "target/c/print.h"

static const char *const kind_names[C_KINDS] = {"u8",  "u16", "u32", "u64", "s8",  "s16",
                                                "s32", "s64", "f32", "f64", "ptr", "_Bool"};

const char *c_kind_name(c_kind kind)
{
    return kind_names[kind];
}

c_kind c_kind_of(loop_elem e)
{
    static const uint8_t kinds[] = {C_BOOL, C_U8,  C_U16, C_U32,  C_U64,
                                    C_F32,  C_F64, C_PTR, C_KINDS};
    return (c_kind)kinds[e];
}

c_kind c_signed(c_kind unsigned_kind)
{
    return (c_kind)(unsigned_kind - C_U8 + C_S8);
}

unsigned c_log2(uint32_t lanes)
{
    unsigned n = 0;
    while (n < C_LOG_LANES - 1 && UINT32_C(1) << n < lanes)
        n++;
    return n;
}

size_t c_kind_bytes(c_kind kind)
{
    static const uint8_t bytes[C_KINDS] = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 1};
    return bytes[kind];
}

c_kind c_mask_of(c_kind kind)
{
    return kind == C_F32 ? C_S32 : kind == C_F64 ? C_S64 : kind < C_S8 ? c_signed(kind) : kind;
}

/* What the helpers of one type need themselves. */
static void add_needs(c_needs *n, c_kind kind, unsigned l)
{
    for (unsigned h = C_MEMORY; h < C_HELPERS; h++)
        if (n->of[h][kind][l])
            n->of[C_TYPE][kind][l] = n->of[C_TYPE][kind][0] = true;
    if (n->of[C_SELECT][kind][l] || n->of[C_MIN][kind][l] || n->of[C_MAX][kind][l] ||
        n->of[C_LOAD_WHERE][kind][l] || n->of[C_GATHER][kind][l])
        n->of[C_TYPE][c_mask_of(kind)][l] = true;
    if (n->of[C_STREAM][kind][l])
        n->of[C_MEMORY][kind][l] = true;
    if (n->of[C_LOAD_FIRST][kind][l] || n->of[C_STORE_FIRST][kind][l]) {
        n->of[C_TYPE][C_U64][0] = n->of[C_MEMORY][kind][0] = true;
        if (c_kind_bytes(kind) >= 4)
            n->of[C_TYPE][c_kind_bytes(kind) == 4 ? C_S32 : C_S64][l] = true;
    }
    if (n->of[C_GATHER][kind][l] || n->of[C_LOAD_WHERE][kind][l]) {
        n->of[C_MEMORY][kind][0] = true;
        n->of[C_TYPE][C_S64][0] = true;
    }
    if (n->of[C_DOT_BF16][kind][l])
        n->of[C_TYPE][C_U32][l] = true;
    if (n->of[C_DOT_PAIRS][kind][l] || n->of[C_DOT_QUADS][kind][l])
        n->of[C_TYPE][C_S32][l] = true;
    if (n->of[C_SCALE][kind][l])
        n->of[C_TYPE][kind == C_F32 ? C_S32 : C_S64][l] =
            n->of[C_TYPE][kind == C_F32 ? C_U32 : C_U64][l] = true;
    for (unsigned h = C_S32_OF; h <= C_U64_OF; h++) {
        if (!n->of[h][kind][l])
            continue;
        const c_kind to = h == C_S32_OF   ? C_S32
                          : h == C_S64_OF ? C_S64
                          : h == C_U32_OF ? C_U32
                                          : C_U64;
        n->of[C_TYPE][to][l] = n->of[C_TYPE][c_mask_of(kind)][l] = true;
        n->of[C_SPLAT][kind][l] = n->of[C_SPLAT][kind][l] || l > 0;
    }
    if (n->of[C_BITS][kind][l] || n->of[C_FLOAT][kind][l])
        n->of[C_TYPE][kind == C_F32 ? C_U32 : C_U64][0] = true;
}

static void close_needs(c_needs *n)
{
    for (unsigned turn = 0; turn < 2; turn++)
        for (unsigned kind = 0; kind < C_KINDS; kind++)
            for (unsigned l = 0; l < C_LOG_LANES; l++)
                add_needs(n, (c_kind)kind, l);
    for (unsigned kind = 0; kind < C_KINDS; kind++)
        for (unsigned l = 1; l < C_LOG_LANES; l++)
            if (n->of[C_TYPE][kind][l])
                n->of[C_TYPE][kind][0] = true;
}

void c_put_intro(text_buffer *out)
{
    text_puts(out,
              "#if !defined(__GNUC__)\n"
              "#error \"this file uses the vector types of gcc (12 or later) and clang\"\n"
              "#endif\n"
              "#if defined(__FAST_MATH__) || __FINITE_MATH_ONLY__ + 0 != 0 || "
              "defined(__ASSOCIATIVE_MATH__) || \\\n"
              "    defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)\n"
              "#error \"-ffast-math and what it consists of change results\"\n"
              "#endif\n"
              "#if __FLT_EVAL_METHOD__ + 0 != 0 && __FLT_EVAL_METHOD__ + 0 != 16\n"
              "#error \"intermediate results would have other precision: compile with -msse2 "
              "-mfpmath=sse\"\n"
              "#endif\n"
              "#if defined(__clang__) /* a * b + c is rounded twice */\n"
              "#pragma STDC FP_CONTRACT OFF\n"
              "#else\n"
              "#pragma GCC optimize(\"fp-contract=off\", \"no-math-errno\")\n"
              "/* Addresses of lanes that a mask leaves out may lie outside of a constant. */\n"
              "#pragma GCC diagnostic ignored \"-Warray-bounds\"\n"
              "#endif\n\n"
              "#include <stdint.h>\n"
              "#ifndef MOST_LEVEL\n"
              "#define MOST_LEVEL 4\n"
              "#endif\n"
              "#if defined(__x86_64__) || defined(__i386__)\n"
              "#define IS_X86 1\n"
              "#if MOST_LEVEL >= 3\n"
              "#include <immintrin.h>\n"
              "#endif\n"
              "#if !defined(__clang__) && !defined(__OPTIMIZE__) /* intrinsics are macros then */\n"
              "#pragma GCC diagnostic ignored \"-Wsign-conversion\"\n"
              "#endif\n"
              "#else\n"
              "#define IS_X86 0\n"
              "#if !defined(__aarch64__) && !defined(__ARM_FEATURE_FMA) && "
              "!defined(__FP_FAST_FMAF) && \\\n"
              "    !defined(__powerpc64__) && !defined(__s390x__) && !defined(__riscv_flen)\n"
              "#warning \"without an instruction for fused multiply-add this code is slow\"\n"
              "#endif\n"
              "#endif\n\n");
}

static void put_scalar_types(const c_needs *n, text_buffer *out)
{
    static const char *const spelled[] = {"uint8_t", "uint16_t", "uint32_t", "uint64_t", "int8_t",
                                          "int16_t", "int32_t",  "int64_t",  "float",    "double"};
    for (unsigned kind = 0; kind <= C_F64; kind++)
        if (n->of[C_TYPE][kind][0])
            text_printf(out, "typedef %s %s;\n", spelled[kind], kind_names[kind]);
    if (n->of[C_TYPE][C_PTR][0])
        text_puts(out, "typedef char *ptr;\n");
}

static void put_vector_types(const c_needs *n, text_buffer *out)
{
    for (unsigned kind = 0; kind <= C_F64; kind++)
        for (unsigned l = 1; l < C_LOG_LANES; l++)
            if (n->of[C_TYPE][kind][l])
                text_printf(out, "typedef %s %sx%u __attribute__((vector_size(%zu)));\n",
                            kind_names[kind], kind_names[kind], 1u << l,
                            c_kind_bytes((c_kind)kind) << l);
}

/* "u32x16", "u32" */
static void put_type(text_buffer *out, unsigned kind, unsigned l)
{
    text_printf(out, l ? "%sx%u" : "%s", kind_names[kind], 1u << l);
}

static void put_memory_types(const c_needs *n, text_buffer *out)
{
    bool any = false;
    for (unsigned kind = 0; kind < C_KINDS; kind++) {
        for (unsigned l = 0; l < C_LOG_LANES; l++) {
            if (!n->of[C_MEMORY][kind][l])
                continue;
            text_puts(out, any ? "" : "\n/* The same in memory of any type, at any address. */\n");
            any = true;
            text_puts(out, "typedef ");
            put_type(out, kind, l);
            text_puts(out, " ");
            put_type(out, kind, l);
            text_puts(out, "_m __attribute__((aligned(1), may_alias));\n");
        }
    }
}

static bool any_need(const c_needs *n, c_helper helper, unsigned from)
{
    for (unsigned kind = 0; kind < C_KINDS; kind++)
        for (unsigned l = from; l < C_LOG_LANES; l++)
            if (n->of[helper][kind][l])
                return true;
    return false;
}

static void put_splats(const c_needs *n, text_buffer *out)
{
    if (!any_need(n, C_SPLAT, 1))
        return;
    text_puts(out, "\n/* One number in every lane. */\n#define TWICE_1(x) x, x\n");
    unsigned most = 1;
    for (unsigned kind = 0; kind < C_KINDS; kind++)
        for (unsigned l = 1; l < C_LOG_LANES; l++)
            most = n->of[C_SPLAT][kind][l] && l > most ? l : most;
    for (unsigned l = 2; l <= most; l++)
        text_printf(out, "#define TWICE_%u(x) TWICE_%u(x), TWICE_%u(x)\n", l, l - 1, l - 1);
    for (unsigned kind = 0; kind < C_KINDS; kind++) {
        for (unsigned l = 1; l < C_LOG_LANES; l++) {
            if (!n->of[C_SPLAT][kind][l])
                continue;
            text_puts(out, "#define splat_");
            put_type(out, kind, l);
            text_puts(out, "(x) ((");
            put_type(out, kind, l);
            text_printf(out, "){TWICE_%u(x)})\n", l);
        }
    }
}

/* The low bits of `magic_k` hold k: 2^k in two factors, so that their exponents fit. */
static void put_scales(const c_needs *n, text_buffer *out)
{
    for (unsigned kind = C_F32; kind <= C_F64; kind++) {
        const bool is_wide = kind == C_F64;
        const char *f = kind_names[kind], *u = is_wide ? "u64" : "u32",
                   *s = is_wide ? "s64" : "s32",
                   *one = is_wide ? "0x3ff0000000000000u" : "0x3f800000u";
        const unsigned shift = is_wide ? 52 : 23;
        if (n->of[C_SCALE][kind][0])
            text_printf(out,
                        "\n/* x times 2^k, rounded once; k is in the low bits. */\n"
                        "static inline %s scale_%s(%s x, %s magic_k)\n"
                        "{\n"
                        "    %s k, half;\n"
                        "    %s first, second;\n"
                        "    __builtin_memcpy(&k, &magic_k, sizeof k);\n"
                        "    half = (%s)((%s)k >> 1);\n"
                        "    k = ((k - half) << %u) + %s;\n"
                        "    half = (half << %u) + %s;\n"
                        "    __builtin_memcpy(&first, &half, sizeof first);\n"
                        "    __builtin_memcpy(&second, &k, sizeof second);\n"
                        "    return x * first * second;\n"
                        "}\n",
                        f, f, f, f, u, f, u, s, shift, one, shift, one);
    }
}

/* Conversions to integers that are defined for every number. */
static void put_to_integer(text_buffer *out, unsigned helper, unsigned from, unsigned l)
{
    static const char *const to_names[] = {"s32", "s64", "u32", "u64"};
    static const char *const low[4][2] = {{">= -0x1p31", "> -2147483649.0"},
                                          {">= -0x1p63", ">= -0x1p63"},
                                          {"> -1.0", "> -1.0"},
                                          {"> -1.0", "> -1.0"}};
    static const char *const high[] = {"0x1p31", "0x1p63", "0x1p32", "0x1p64"};
    const unsigned row = helper - C_S32_OF, lanes = 1u << l;
    const char *to = to_names[row], *name = kind_names[from], *suffix = from == C_F32 ? "f" : "";
    const char *above = low[row][from == C_F64], *mask = kind_names[c_mask_of((c_kind)from)];
    if (l == 0) {
        text_printf(out,
                    "static inline %s %s_of_%s(%s x)\n"
                    "{\n"
                    "    return x %s%s && x < %s%s ? (%s)x : 0;\n"
                    "}\n",
                    to, to, name, name, above, suffix, high[row], suffix, to);
        return;
    }
    const size_t relation = above[1] == '=' ? 3 : 2; /* ">= " or "> " */
    text_printf(out,
                "#define %sx%u_of_%sx%u(x) \\\n"
                "    __builtin_convertvector((%sx%u)((%sx%u)(x) & \\\n"
                "        (%sx%u)((x) %.*ssplat_%sx%u(%s%s)) & \\\n"
                "        (%sx%u)((x) < splat_%sx%u(%s%s))), %sx%u)\n",
                to, lanes, name, lanes, name, lanes, mask, lanes, mask, lanes, (int)relation, above,
                name, lanes, above + relation, suffix, mask, lanes, name, lanes, high[row], suffix,
                to, lanes);
}

static void put_conversions(const c_needs *n, text_buffer *out)
{
    bool any = false;
    for (unsigned helper = C_S32_OF; helper <= C_U64_OF; helper++) {
        for (unsigned from = C_F32; from <= C_F64; from++) {
            for (unsigned l = 0; l < C_LOG_LANES; l++) {
                if (!n->of[helper][from][l])
                    continue;
                text_puts(out, any ? "" : "\n/* Truncated; 0 for what does not fit. */\n");
                any = true;
                put_to_integer(out, helper, from, l);
            }
        }
    }
}

static void put_bits(const c_needs *n, text_buffer *out)
{
    for (unsigned kind = C_F32; kind <= C_F64; kind++) {
        const char *f = kind_names[kind], *u = kind == C_F32 ? "u32" : "u64";
        for (unsigned k = 0; k < 2; k++) {
            const char *to = k ? f : u, *from = k ? u : f;
            if (n->of[k ? C_FLOAT : C_BITS][kind][0])
                text_printf(out,
                            "\nstatic inline %s %s%s(%s x)\n"
                            "{\n"
                            "    %s bits;\n"
                            "    __builtin_memcpy(&bits, &x, sizeof bits);\n"
                            "    return bits;\n"
                            "}\n",
                            to, k ? f : "bits_of_", k ? "_of_bits" : f, from, to);
        }
    }
}

void c_put_types(c_needs *needs, text_buffer *out)
{
    close_needs(needs);
    put_scalar_types(needs, out);
    put_vector_types(needs, out);
    put_memory_types(needs, out);
    put_splats(needs, out);
    put_conversions(needs, out);
    put_bits(needs, out);
    put_scales(needs, out);
    text_puts(out, "\n");
}
