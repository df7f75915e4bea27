/* The list of elementary functions, and the pieces that their expansions share. */
#include "scalar/math.h"

#include "scalar/math_parts.h"

/* A function of two operands and one of one, called alike. */
typedef union math_builder {
    value (*of_1)(builder *b, value x);
    value (*of_2)(builder *b, value x, value y);
} math_builder;

static const struct {
    const char *name;
    unsigned operands;
    math_builder build;
} functions[MATH_FN_COUNT] = {
#define MATH_FN(id, text, operands) [MATH_##id] = {#text, operands, {.of_##operands = math_##text}},
#include "scalar/math.def"
};

const char *math_fn_name(math_fn fn)
{
    return functions[fn].name;
}

unsigned math_fn_operands(math_fn fn)
{
    return functions[fn].operands;
}

value math_float(builder *b, scalar_type type, double number)
{
    return type == SCALAR_F64 ? sb_f64(b, number) : sb_f32(b, (float)number);
}

value math_int(builder *b, scalar_type type, int64_t number)
{
    return type == SCALAR_F64 ? sb_i64(b, number) : sb_i32(b, (int32_t)number);
}

value math_widen(builder *b, value x)
{
    return sb_type(b, x) == SCALAR_F32 ? sb_convert(b, SCALAR_F64, x) : x;
}

value math_narrow(builder *b, scalar_type type, value x)
{
    return type == SCALAR_F32 ? sb_convert(b, type, x) : x;
}

value math_poly(builder *b, value x, const double *c, size_t n)
{
    const scalar_type type = sb_type(b, x);
    value p = math_float(b, type, c[n - 1]);
    for (size_t k = n - 1; k-- > 0;)
        p = sb_fma(b, p, x, math_float(b, type, c[k]));
    return p;
}

value math_clamp(builder *b, value x, double low, double high)
{
    const scalar_type type = sb_type(b, x);
    const value l = math_float(b, type, low), h = math_float(b, type, high);
    x = sb_select(b, sb_flt(b, x, l), l, x);
    return sb_select(b, sb_flt(b, h, x), h, x);
}

value math_copy_sign(builder *b, value x, value sign)
{
    const scalar_type type = sb_type(b, x);
    const math_format f = format_of(type);
    const value mask = math_int(b, type, type == SCALAR_F64 ? INT64_MIN : INT32_MIN);
    const value s = sb_and(b, sb_bitcast(b, f.integer, sign), mask);
    return sb_bitcast(b, type, sb_or(b, sb_bitcast(b, f.integer, x), s));
}

value math_rough_inverse(builder *b, value x)
{
    const value bits = sb_isub(b, sb_i32(b, 0x7ef311c4), sb_bitcast(b, SCALAR_I32, x));
    return sb_bitcast(b, SCALAR_F32, bits);
}

math_pair math_two_sum(builder *b, value x, value y)
{
    const value hi = sb_fadd(b, x, y);
    const value part = sb_fsub(b, hi, x);
    const value lost = sb_fsub(b, x, sb_fsub(b, hi, part));
    return (math_pair){hi, sb_fadd(b, lost, sb_fsub(b, y, part))};
}

math_pair math_quotient(builder *b, math_pair x, math_pair y)
{
    const value q = sb_fdiv(b, x.hi, y.hi), minus = sb_fneg(b, q);
    const value rest = sb_fma(b, minus, y.lo, sb_fadd(b, sb_fma(b, minus, y.hi, x.hi), x.lo));
    return (math_pair){q, sb_fdiv(b, rest, y.hi)};
}

math_pair math_fast_two_sum(builder *b, value x, value y)
{
    const value hi = sb_fadd(b, x, y);
    return (math_pair){hi, sb_fsub(b, y, sb_fsub(b, hi, x))};
}

math_pair math_two_product(builder *b, value x, value y)
{
    const value hi = sb_fmul(b, x, y);
    return (math_pair){hi, sb_fma(b, x, y, sb_fneg(b, hi))};
}

scalar_value scalar_math_build(scalar_builder *b, math_fn fn, scalar_type type, scalar_value x,
                               scalar_value y)
{
    if (b->failed || sb_type(b, x) != type || (type != SCALAR_F32 && type != SCALAR_F64)) {
        b->failed = true;
        return 0;
    }
    return functions[fn].operands == 1 ? functions[fn].build.of_1(b, x)
                                       : functions[fn].build.of_2(b, x, y);
}

const scalar_program *scalar_math_program(arena *memory, math_fn fn, scalar_type type)
{
    scalar_builder b;
    sb_init(&b, memory);
    const scalar_value x = sb_arg(&b, type);
    const scalar_value y = math_fn_operands(fn) > 1 ? sb_arg(&b, type) : 0;
    return sb_finish(&b, scalar_math_build(&b, fn, type, x, y));
}
