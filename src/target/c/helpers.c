/* Operations on vectors that C lacks, as macros: with the compilers' own intrinsics for processors
 * of which they are known, and else lane by lane. */
#include <stdio.h>
#include <string.h>

#include "target/c/print.h"

/* One macro on its way. */
typedef struct macro {
    text_buffer *out;
    const char *name, *args;
    c_kind kind;
    unsigned l; /* logarithm of the lanes */
    c_level level;
} macro;

static unsigned lanes_of(const macro *m)
{
    return 1u << m->l;
}

static unsigned bytes_of(const macro *m)
{
    return (unsigned)c_kind_bytes(m->kind) << m->l;
}

static void put_type(const macro *m, c_kind kind)
{
    text_printf(m->out, "%sx%u", c_kind_name(kind), lanes_of(m));
}

/* "#define fma_f32x16(x, y, z) ", which is followed by what it stands for. */
static void define(const macro *m)
{
    text_printf(m->out, "#define %s_", m->name);
    put_type(m, m->kind);
    text_printf(m->out, "(%s) \\\n    ", m->args);
}

static void forget(const macro *m)
{
    text_printf(m->out, "#undef %s_", m->name);
    put_type(m, m->kind);
    text_puts(m->out, "\n");
}

/* ---- intrinsics ---- */

/* True when the processor has registers of this many bytes. */
static bool has_registers(const macro *m)
{
    const unsigned bytes = bytes_of(m);
    return ((bytes == 16 || bytes == 32) && m->level >= C_V3) || (bytes == 64 && m->level >= C_V4);
}

/* "_mm256_" */
static const char *prefix_of(const macro *m)
{
    const unsigned bytes = bytes_of(m);
    return bytes == 16 ? "_mm_" : bytes == 32 ? "_mm256_" : "_mm512_";
}

/* "ps", "epi32" */
static const char *suffix_of(const macro *m)
{
    static const char *const suffixes[] = {"", "epi8", "epi16", "", "epi32", "", "", "", "epi64"};
    return m->kind == C_F32 ? "ps" : m->kind == C_F64 ? "pd" : suffixes[c_kind_bytes(m->kind)];
}

static const char *integer_suffix_of(const macro *m)
{
    static const char *const suffixes[] = {"", "epi8", "epi16", "", "epi32", "", "", "", "epi64"};
    return suffixes[c_kind_bytes(m->kind)];
}

/* "(__m256d)(x)"; integers for IS_BITS. */
static void put_register(const macro *m, const char *x, bool is_bits)
{
    const char *part = is_bits || m->kind < C_F32 ? "i" : m->kind == C_F64 ? "d" : "";
    text_printf(m->out, "(__m%u%s)(%s)", 8 * bytes_of(m), part, x);
}

/* "((f32x8)_mm256_" */
static void open_result(const macro *m)
{
    text_puts(m->out, "((");
    put_type(m, m->kind);
    text_printf(m->out, ")%s", prefix_of(m));
}

/* ---- lane by lane ---- */

/* LANE computes lane k_; a mask is `m_` there. */
static void put_lanes(const macro *m, const char *lane)
{
    define(m);
    text_puts(m->out, "__extension__({ ");
    put_type(m, m->kind);
    text_puts(m->out, " r_ = {0}; ");
    if (strstr(m->args, "mask")) {
        text_puts(m->out, "const ");
        put_type(m, c_mask_of(m->kind));
        text_puts(m->out, " m_ = (mask); ");
    }
    text_printf(m->out, "EACH_LANE(%u) r_[k_] = %s; r_; })\n", lanes_of(m), lane);
}

/* Loops that call the library stay loops. */
static void put_each_lane(c_level level, text_buffer *out)
{
    if (level == C_ANY)
        text_puts(out, "#if IS_X86\n"
                       "#define EACH_LANE(n) for (int k_ = 0; k_ < (n); k_++)\n"
                       "#elif defined(__clang__)\n");
    else
        text_puts(out, "#if defined(__clang__)\n");
    text_puts(out, "#define EACH_LANE(n) \\\n"
                   "    _Pragma(\"clang loop unroll(full)\") for (int k_ = 0; k_ < (n); k_++)\n"
                   "#else\n"
                   "#define EACH_LANE(n) \\\n"
                   "    _Pragma(\"GCC unroll 64\") for (int k_ = 0; k_ < (n); k_++)\n"
                   "#endif\n");
}

/* ---- arithmetic ---- */

typedef struct float_row {
    c_helper helper;
    const char *name, *args, *lanes; /* of the function of C */
    const char *registers;           /* intrinsics: of 16 and 32 bytes */
    const char *wide;                /* of 64 bytes */
    const char *mode;                /* their last argument */
} float_row;

static const float_row float_rows[] = {
    {C_FMA, "fma", "x, y, z", "(x)[k_], (y)[k_], (z)[k_]", "fmadd", "fmadd", ""},
    {C_SQRT, "sqrt", "x", "(x)[k_]", "sqrt", "sqrt", ""},
    {C_RINT, "rint", "x", "(x)[k_]", "round", "roundscale", ", 8"},
    {C_TRUNC, "trunc", "x", "(x)[k_]", "round", "roundscale", ", 11"},
};

static void put_float(const macro *m, const float_row *r)
{
    char lane[80];
    (void)snprintf(lane, sizeof lane, "__builtin_%s%s(%s)", r->name, m->kind == C_F32 ? "f" : "",
                   r->lanes);
    if (!has_registers(m)) {
        put_lanes(m, lane);
        return;
    }
    define(m);
    open_result(m);
    text_printf(m->out, "%s_%s(", bytes_of(m) == 64 ? r->wide : r->registers, suffix_of(m));
    put_register(m, "x", false);
    for (unsigned k = 0; r->helper == C_FMA && k < 2; k++) {
        text_puts(m->out, ", ");
        put_register(m, k ? "z" : "y", false);
    }
    text_printf(m->out, "%s))\n", r->mode);
}

/* Halves of 16 bits: "(u32x8)((s32x8)((x) << 16) >> 16)" or "(u32x8)((s32x8)(x) >> 16)". */
static void put_half(const macro *m, const char *x, bool is_low)
{
    const unsigned w = lanes_of(m);
    if (is_low)
        text_printf(m->out, "(u32x%u)((s32x%u)((%s) << 16) >> 16)", w, w, x);
    else
        text_printf(m->out, "(u32x%u)((s32x%u)(%s) >> 16)", w, w, x);
}

static void put_dot_pairs(const macro *m)
{
    define(m);
    if (has_registers(m)) {
        open_result(m);
        text_printf(m->out, "add_epi32(%smadd_epi16(", prefix_of(m));
        put_register(m, "x", true);
        text_puts(m->out, ", ");
        put_register(m, "y", true);
        text_puts(m->out, "), ");
        put_register(m, "z", true);
        text_puts(m->out, "))\n");
        return;
    }
    text_puts(m->out, "(");
    for (unsigned low = 2; low-- > 0;) {
        put_half(m, "x", low);
        text_puts(m->out, " * ");
        put_half(m, "y", low);
        text_puts(m->out, low ? " + \\\n        " : " + (z))\n");
    }
}

/* Bytes as halves of 16 bits, those at even places and those at odd ones: two products of halves.
 */
static void put_quads_by_halves(const macro *m)
{
    const char *p = prefix_of(m), *masked[] = {"(x) & 0x00ff00ffu", "((x) >> 8) & 0x00ff00ffu"};
    open_result(m);
    text_puts(m->out, "add_epi32(");
    put_register(m, "z", true);
    text_printf(m->out, ", %sadd_epi32(", p);
    for (unsigned odd = 0; odd < 2; odd++) {
        text_printf(m->out, "%s \\\n        %smadd_epi16(", odd ? "," : "", p);
        put_register(m, masked[odd], true);
        text_printf(m->out, ", %ssrai_epi16(", p);
        text_puts(m->out, odd ? "" : p);
        text_puts(m->out, odd ? "" : "slli_epi16(");
        put_register(m, "y", true);
        text_puts(m->out, odd ? ", 8))" : ", 8), 8))");
    }
    text_puts(m->out, ")))\n");
}

static void put_dot_quads(const macro *m)
{
    enum { BITS = 8, BYTES = 4 };
    const unsigned w = lanes_of(m);
    define(m);
    if (has_registers(m)) {
        put_quads_by_halves(m);
        return;
    }
    text_puts(m->out, "(");
    for (unsigned byte = 0; byte < BYTES; byte++)
        text_printf(m->out, "(((x) << %u) >> %u) * (u32x%u)((s32x%u)((y) << %u) >> %u)%s",
                    BITS * (BYTES - 1 - byte), BITS * (BYTES - 1), w, w, BITS * (BYTES - 1 - byte),
                    BITS * (BYTES - 1), byte < BYTES - 1 ? " + \\\n        " : " + (z))\n");
}

static void put_dot_bf16(const macro *m)
{
    const unsigned w = lanes_of(m);
    define(m);
    text_puts(m->out, "(");
    for (unsigned low = 2; low-- > 0;)
        for (unsigned k = 0; k < 2; k++)
            text_printf(m->out, "(f32x%u)((u32x%u)(%s) %s)%s", w, w, k ? "y" : "x",
                        low ? "<< 16" : "& 0xffff0000u",
                        !k    ? " * "
                        : low ? " + \\\n        "
                              : " + (z))\n");
}

/* `no`, `yes` and `mask` as arguments of an instruction, in the order of NAMES. */
static void put_choice(const macro *m, const char *instruction, const char *const names[3],
                       const char *more)
{
    define(m);
    open_result(m);
    text_puts(m->out, instruction);
    for (unsigned k = 0; k < 3; k++) {
        text_puts(m->out, k ? ", " : "(");
        put_register(m, names[k], true);
    }
    text_printf(m->out, "%s))\n", more);
}

/* gcc does not make one instruction of the logic; clang does, and of what is around it. For
 * AVX-512, gcc 12 takes an inverted mask of a blend for the mask itself. */
static void put_select(const macro *m)
{
    static const char *const ternary[] = {"mask", "yes", "no"}, *const blend[] = {"no", "yes",
                                                                                  "mask"};
    const char *mask = c_kind_name(c_mask_of(m->kind));
    const unsigned lanes = lanes_of(m);
    if (has_registers(m)) {
        const bool is_wide = bytes_of(m) == 64;
        text_puts(m->out, is_wide ? "#if !defined(__clang__)\n"
                                  : "#if !defined(__clang__) && defined(__AVX512VL__)\n");
        put_choice(m, "ternarylogic_epi64", ternary, ", 0xca");
        if (!is_wide) {
            text_puts(m->out, "#elif !defined(__clang__)\n");
            put_choice(m, "blendv_epi8", blend, "");
        }
        text_puts(m->out, "#else\n");
    }
    define(m);
    text_printf(m->out, "((%sx%u)(((mask) & (%sx%u)(yes)) | (~(mask) & (%sx%u)(no))))\n",
                c_kind_name(m->kind), lanes, mask, lanes, mask, lanes);
    text_puts(m->out, has_registers(m) ? "#endif\n" : "");
}

/* The instructions are exactly these comparisons. */
static void put_extreme(const macro *m, const char *sign)
{
    define(m);
    if (has_registers(m)) {
        open_result(m);
        text_printf(m->out, "%s_%s(", m->name, suffix_of(m));
        put_register(m, "x", false);
        text_puts(m->out, ", ");
        put_register(m, "y", false);
        text_puts(m->out, "))\n");
        return;
    }
    const char *mask = c_kind_name(c_mask_of(m->kind));
    const unsigned w = lanes_of(m);
    text_puts(m->out, "__extension__({ const ");
    put_type(m, m->kind);
    text_printf(m->out, " x_ = (x), y_ = (y); const %sx%u m_ = (%sx%u)(x_ %s y_); \\\n        (",
                mask, w, mask, w, sign);
    put_type(m, m->kind);
    text_printf(m->out, ")((m_ & (%sx%u)x_) | (~m_ & (%sx%u)y_)); })\n", mask, w, mask, w);
}

static void put_min(const macro *m)
{
    put_extreme(m, "<");
}

static void put_max(const macro *m)
{
    put_extreme(m, ">");
}

/* x times 2^k: by one instruction, or in two factors, so that their exponents fit. */
static void put_scale(const macro *m)
{
    const bool is_double = m->kind == C_F64;
    const char *f = c_kind_name(m->kind), *u = is_double ? "u64" : "u32",
               *s = is_double ? "s64" : "s32",
               *one = is_double ? "0x3ff0000000000000u" : "0x3f800000u";
    const unsigned shift = is_double ? 52 : 23, w = lanes_of(m);
    define(m);
    if (has_registers(m) && bytes_of(m) == 64) {
        open_result(m);
        text_printf(m->out, "scalef_%s(", suffix_of(m));
        put_register(m, "x", false);
        text_puts(m->out, ", ");
        put_register(m, is_double ? "(k) - 0x1.8p52" : "(k) - 0x1.8p23f", false);
        text_puts(m->out, "))\n");
        return;
    }
    text_printf(m->out,
                "((x) * (%sx%u)(((%sx%u)((%sx%u)(k) >> 1) << %u) + %s) * \\\n"
                "        (%sx%u)((((%sx%u)(k) - (%sx%u)((%sx%u)(k) >> 1)) << %u) + %s))\n",
                f, w, u, w, s, w, shift, one, f, w, u, w, u, w, s, w, shift, one);
}

/* ---- memory ---- */

/* "(int const *)(p)" */
static void put_masked_address(const macro *m, bool is_load)
{
    text_printf(m->out, "(%s%s *)(void%s *)(p)", c_kind_bytes(m->kind) == 4 ? "int" : "long long",
                is_load ? " const" : "", is_load ? " const" : "");
}

/* The mask of the first n lanes as bits. */
static void put_first_bits(const macro *m)
{
    if (lanes_of(m) == 64)
        text_puts(m->out, "((n) ? ~UINT64_C(0) >> (64 - (n)) : 0)");
    else
        text_printf(m->out, "(__mmask%u)((UINT64_C(1) << (n)) - 1)",
                    lanes_of(m) < 8 ? 8 : lanes_of(m));
}

/* The same, of which the compiler knows nothing. Where gcc knows the mask of a load, and that other
 * lanes are not used, it loads all of the vector, with what lies behind the buffer. */
static void put_unknown_first_bits(const macro *m)
{
    text_printf(m->out, "__extension__({ __mmask%u bits_ = ", lanes_of(m) < 8 ? 8 : lanes_of(m));
    put_first_bits(m);
    text_puts(m->out, "; __asm__(\"\" : \"+r\"(bits_)); bits_; })");
}

/* The same as lanes of integers. */
static void put_first_lanes(const macro *m)
{
    const bool is_wide = c_kind_bytes(m->kind) == 8;
    text_printf(m->out, "(__m%ui)(((%sx%u){", 8 * bytes_of(m), is_wide ? "s64" : "s32",
                lanes_of(m));
    for (unsigned k = 0; k < lanes_of(m); k++)
        text_printf(m->out, k ? ", %u" : "%u", k);
    text_printf(m->out, "}) < (%s)(n))", is_wide ? "s64" : "s32");
}

/* What knows masks: instructions for elements of 32 and 64 bits from v3 on, for all from v4 on. */
typedef enum masking { MASK_NONE, MASK_LANES, MASK_BITS } masking;

static masking masking_of(const macro *m)
{
    if (!has_registers(m))
        return MASK_NONE;
    if (m->level >= C_V4)
        return MASK_BITS;
    return c_kind_bytes(m->kind) >= 4 ? MASK_LANES : MASK_NONE;
}

static void put_load_where(const macro *m)
{
    char lane[80];
    (void)snprintf(lane, sizeof lane, "m_[k_] ? ((%s_m const *)(p))[k_] : 0", c_kind_name(m->kind));
    switch (masking_of(m)) {
    case MASK_BITS:
        define(m);
        open_result(m);
        text_printf(m->out, "maskz_loadu_%s(%smov%s_mask(", integer_suffix_of(m), prefix_of(m),
                    integer_suffix_of(m));
        put_register(m, "mask", true);
        text_puts(m->out, "), p))\n");
        break;
    case MASK_LANES:
        define(m);
        open_result(m);
        text_printf(m->out, "maskload_%s(", integer_suffix_of(m));
        put_masked_address(m, true);
        text_puts(m->out, ", ");
        put_register(m, "mask", true);
        text_puts(m->out, "))\n");
        break;
    case MASK_NONE:
        put_lanes(m, lane);
        break;
    }
}

static void put_gather(const macro *m)
{
    char lane[80];
    (void)snprintf(lane, sizeof lane, "m_[k_] ? *(%s_m const *)((p) + (s64)(offsets)[k_]) : 0",
                   c_kind_name(m->kind));
    put_lanes(m, lane);
}

/* N, at most the number of lanes: unless gcc knows that limit, it warns of iterations that
 * unrolling has made and that never run. */
#define FIRST_LANES "const u64 n_ = (n); if (n_ > %u) __builtin_unreachable(); "

static void put_load_first(const macro *m)
{
    define(m);
    if (masking_of(m) == MASK_NONE) {
        text_puts(m->out, "__extension__({ ");
        put_type(m, m->kind);
        text_printf(m->out,
                    " r_ = {0}; " FIRST_LANES
                    "if (n_) __builtin_memcpy(&r_, (p), n_ * %zu); r_; })\n",
                    lanes_of(m), c_kind_bytes(m->kind));
        return;
    }
    open_result(m);
    if (masking_of(m) == MASK_BITS) {
        text_printf(m->out, "maskz_loadu_%s(", integer_suffix_of(m));
        put_unknown_first_bits(m);
        text_puts(m->out, ", p))\n");
    } else {
        text_printf(m->out, "maskload_%s(", integer_suffix_of(m));
        put_masked_address(m, true);
        text_puts(m->out, ", ");
        put_first_lanes(m);
        text_puts(m->out, "))\n");
    }
}

/* X in a register, about which the compiler knows nothing. gcc stores half of a wider vector, which
 * X may be, with an instruction that finds page faults beside the lanes that its mask chooses. */
static void put_unknown_register(const macro *m)
{
    text_printf(m->out, "__extension__({ __m%ui x_ = ", 8 * bytes_of(m));
    put_register(m, "x", true);
    text_puts(m->out, "; __asm__(\"\" : \"+v\"(x_)); x_; })");
}

static void put_store_first(const macro *m)
{
    define(m);
    if (masking_of(m) == MASK_NONE) {
        text_printf(m->out,
                    "do { " FIRST_LANES "for (u64 k_ = 0; k_ < n_; k_++) "
                    "((%s_m *)(p))[k_] = (x)[k_]; } while (0)\n",
                    lanes_of(m), c_kind_name(m->kind));
        return;
    }
    text_puts(m->out, prefix_of(m));
    if (masking_of(m) == MASK_BITS) {
        text_printf(m->out, "mask_storeu_%s(p, ", integer_suffix_of(m));
        put_first_bits(m);
        text_puts(m->out, ", ");
        put_unknown_register(m);
    } else {
        text_printf(m->out, "maskstore_%s(", integer_suffix_of(m));
        put_masked_address(m, false);
        text_puts(m->out, ", ");
        put_first_lanes(m);
        text_puts(m->out, ", ");
        put_register(m, "x", true);
    }
    text_puts(m->out, ")\n");
}

static void put_stream(const macro *m)
{
    define(m);
    if (!has_registers(m)) {
        text_puts(m->out, "(*(");
        put_type(m, m->kind);
        text_puts(m->out, "_m *)(p) = (x))\n");
        return;
    }
    text_printf(m->out, "%sstream_si%u((__m%ui *)(void *)(p), ", prefix_of(m), 8 * bytes_of(m),
                8 * bytes_of(m));
    put_register(m, "x", true);
    text_puts(m->out, ")\n");
}

/* ---- all of them ---- */

static void put_helper(macro m, c_helper helper, bool again)
{
    for (size_t r = 0; r < sizeof float_rows / sizeof *float_rows; r++) {
        if (float_rows[r].helper != helper)
            continue;
        m.name = float_rows[r].name;
        m.args = float_rows[r].args;
        if (again)
            forget(&m);
        put_float(&m, &float_rows[r]);
        return;
    }
    static const struct {
        const char *name, *args;
        void (*put)(const macro *m);
    } rows[C_HELPERS] = {
        [C_SELECT] = {"select", "mask, yes, no", put_select},
        [C_MIN] = {"min", "x, y", put_min},
        [C_MAX] = {"max", "x, y", put_max},
        [C_DOT_PAIRS] = {"dot_pairs", "x, y, z", put_dot_pairs},
        [C_DOT_QUADS] = {"dot_quads", "x, y, z", put_dot_quads},
        [C_DOT_BF16] = {"dot_bf16", "x, y, z", put_dot_bf16},
        [C_SCALE] = {"scale", "x, k", put_scale},
        [C_LOAD_WHERE] = {"load_where", "p, mask", put_load_where},
        [C_GATHER] = {"gather", "p, offsets, mask", put_gather},
        [C_LOAD_FIRST] = {"load_first", "p, n", put_load_first},
        [C_STORE_FIRST] = {"store_first", "p, x, n", put_store_first},
        [C_STREAM] = {"stream", "p, x", put_stream},
    };
    m.name = rows[helper].name;
    m.args = rows[helper].args;
    if (again)
        forget(&m);
    rows[helper].put(&m);
}

void c_put_helpers(const c_needs *needs, c_level level, bool again, text_buffer *out)
{
    static const struct {
        c_helper helper;
        const char *about;
    } order[] = {
        {C_SELECT, "Lanes of `yes` where the mask is -1, of `no` where it is 0."},
        {C_MIN, "x < y ? x : y, and x > y ? x : y."},
        {C_MAX, NULL},
        {C_FMA, "x * y + z, rounded once."},
        {C_DOT_PAIRS, "Two signed halves of 16 bits each: low * low + high * high + z."},
        {C_DOT_QUADS,
         "Four bytes each, those of x unsigned, those of y signed: their products and z."},
        {C_DOT_BF16, "Two bf16 in the bits of each x and y: their products and z."},
        {C_SQRT, NULL},
        {C_RINT, "Rounded to the nearest even."},
        {C_TRUNC, NULL},
        {C_SCALE, "x times 2^k, rounded once; k is in the low bits."},
        {C_LOAD_WHERE,
         "The lanes in memory where the mask is -1; memory of others is not touched."},
        {C_GATHER, NULL},
        {C_LOAD_FIRST, "The first n lanes in memory."},
        {C_STORE_FIRST, NULL},
        {C_STREAM, "A non-temporal store, to an address aligned for all of x."},
    };
    bool any = false;
    if (again)
        text_puts(out, "#undef EACH_LANE\n");
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        bool here = false;
        for (unsigned kind = 0; kind < C_KINDS; kind++) {
            for (unsigned l = 1; l < C_LOG_LANES; l++) {
                if (!needs->of[order[k].helper][kind][l])
                    continue;
                if (!any)
                    put_each_lane(level, out);
                if (!here && order[k].about)
                    text_printf(out, "\n/* %s */\n", order[k].about);
                any = here = true;
                put_helper((macro){.out = out, .kind = (c_kind)kind, .l = l, .level = level},
                           order[k].helper, again);
            }
        }
    }
    text_puts(out, any ? "\n" : "");
}
