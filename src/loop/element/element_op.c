/* Elementwise ops: what src/eval/kernels/elementwise.c, choose.c and quantize.c compute. */
#include "loop/element/element_parts.h"
#include "scalar/math.h"

static loop_value both(loop_builder *b, loop_op op, element x, element y)
{
    return loop_binary(b, op, x.re, y.re);
}

/* The same operation on both parts. */
static element each_part(loop_builder *b, loop_op op, element x, element y)
{
    element r = x;
    r.re = loop_binary(b, op, x.re, y.re);
    if (dtype_is_complex(x.dtype))
        r.im = loop_binary(b, op, x.im, y.im);
    return r;
}

/* ---- one operand ---- */

static element negate(loop_builder *b, element x)
{
    if (dtype_is_int(x.dtype)) {
        x.re = element_wrap(b, x.dtype, loop_binary(b, LOOP_ISUB, const_like(b, x.re, 0), x.re));
        return x;
    }
    x.re = loop_unary(b, LOOP_FNEG, x.re);
    if (dtype_is_complex(x.dtype))
        x.im = loop_unary(b, LOOP_FNEG, x.im);
    return x;
}

static element magnitude(loop_builder *b, element x)
{
    if (dtype_is_float(x.dtype))
        x.re = loop_unary(b, LOOP_FABS, x.re);
    else if (dtype_is_signed(x.dtype))
        x.re = loop_select(b, loop_binary(b, LOOP_ILT, x.re, const_like(b, x.re, 0)),
                           negate(b, x).re, x.re);
    return x;
}

/* SIGN > 0 ? X : 0. */
static element where_positive(loop_builder *b, element sign, element x)
{
    const loop_value zero = const_like(b, x.re, 0);
    const loop_op less = dtype_is_float(x.dtype) ? LOOP_FLT : LOOP_ILT;
    x.re = loop_select(b, loop_binary(b, less, zero, sign.re), x.re, zero);
    return x;
}

static element complement(loop_builder *b, element x)
{
    x.re = loop_unary(b, LOOP_NOT, x.re);
    if (x.dtype != TN_I1)
        x.re = element_wrap(b, x.dtype, x.re);
    return x;
}

/* A function of scalar/math.h, not yet rounded. */
static element function_of(loop_builder *b, math_fn fn, const element *in)
{
    const bool wide = in[0].dtype == TN_F64;
    const scalar_program *p = scalar_math_program(b->arena, fn, wide ? SCALAR_F64 : SCALAR_F32);
    loop_value args[2] = {in[0].re, in[0].re};
    if (math_fn_operands(fn) > 1)
        args[1] = in[1].re;
    if (!p && !b->fault)
        b->fault = "no memory";
    return element_of(in[0].dtype, p ? loop_inline(b, p, args) : 0);
}

/* ---- two operands ---- */

/* IOP wraps, also the 4-bit integers. */
static element add_sub(loop_builder *b, loop_op fop, loop_op iop, element x, element y)
{
    if (!dtype_is_int(x.dtype))
        return each_part(b, fop, x, y);
    x.re = element_wrap(b, x.dtype, both(b, iop, x, y));
    return x;
}

static element multiply(loop_builder *b, element x, element y)
{
    if (!dtype_is_complex(x.dtype))
        return add_sub(b, LOOP_FMUL, LOOP_IMUL, x, y);
    const loop_value ac = loop_binary(b, LOOP_FMUL, x.re, y.re);
    const loop_value bd = loop_binary(b, LOOP_FMUL, x.im, y.im);
    const loop_value ad = loop_binary(b, LOOP_FMUL, x.re, y.im);
    const loop_value bc = loop_binary(b, LOOP_FMUL, x.im, y.re);
    return (element){x.dtype, loop_binary(b, LOOP_FSUB, ac, bd), loop_binary(b, LOOP_FADD, ad, bc)};
}

/* Smith's method. If the parts of x and y are exchanged where |d| > |c|, both of its cases are r =
 * d/c, t = c + d*r, ((a + b*r) / t, +-(b - a*r) / t), up to the order of sums. */
static element complex_divide(loop_builder *b, element x, element y)
{
    const loop_value straight =
        loop_binary(b, LOOP_FLE, loop_unary(b, LOOP_FABS, y.im), loop_unary(b, LOOP_FABS, y.re));
    const loop_value big = loop_select(b, straight, y.re, y.im);
    const loop_value small = loop_select(b, straight, y.im, y.re);
    const loop_value p = loop_select(b, straight, x.re, x.im);
    const loop_value q = loop_select(b, straight, x.im, x.re);
    const loop_value r = loop_binary(b, LOOP_FDIV, small, big);
    const loop_value t = loop_binary(b, LOOP_FADD, big, loop_binary(b, LOOP_FMUL, small, r));
    const loop_value qr = loop_binary(b, LOOP_FMUL, q, r), pr = loop_binary(b, LOOP_FMUL, p, r);
    const loop_value up = loop_select(b, straight, q, pr);
    const loop_value down = loop_select(b, straight, pr, q);
    element z = x;
    z.re = loop_binary(b, LOOP_FDIV, loop_binary(b, LOOP_FADD, p, qr), t);
    z.im = loop_binary(b, LOOP_FDIV, loop_binary(b, LOOP_FSUB, up, down), t);
    return z;
}

typedef enum bound { BOUND_NONE, BOUND_ZERO, BOUND_NUMBER } bound;

/* Is V known to be one number, as which nothing else compares, or the zero that the extremum of
 * zeros is? */
static bound plain_bound(const loop_builder *b, bool largest, loop_value v)
{
    const loop_inst *i = known_number(b, v);
    if (!i)
        return BOUND_NONE;
    const bool is_wide = i->type.elem == LOOP_F64;
    const uint64_t sign = UINT64_C(1) << (is_wide ? 63 : 31), size = i->imm & (sign - 1);
    const uint64_t infinity = is_wide ? UINT64_C(0x7ff) << 52 : 0x7f800000;
    if (size > infinity)
        return BOUND_NONE;
    return size > 0 ? BOUND_NUMBER : (i->imm == 0) == largest ? BOUND_ZERO : BOUND_NONE;
}

/* A number wins over NaN, or else NaN over numbers; of equal numbers only zeros can differ: see
 * eval/parts/extremum.h. */
static element extremum_of(loop_builder *b, bool largest, bool nan_wins, element x, element y)
{
    const tn_dtype d = x.dtype;
    if (!dtype_is_float(d)) {
        const loop_op less = dtype_is_signed(d) ? LOOP_ILT : LOOP_IULT;
        const loop_value first =
            largest ? loop_binary(b, less, y.re, x.re) : loop_binary(b, less, x.re, y.re);
        x.re = loop_select(b, first, x.re, y.re);
        return x;
    }
    const loop_elem bits = d == TN_F64 ? LOOP_I64 : LOOP_I32;
    const loop_elem own = element_compute(d);
    if (plain_bound(b, largest, x.re) != BOUND_NONE) { /* it commutes */
        const element swap = x;
        x = y;
        y = swap;
    }
    const loop_value first =
        largest ? loop_binary(b, LOOP_FLT, y.re, x.re) : loop_binary(b, LOOP_FLT, x.re, y.re);
    const bound by = plain_bound(b, largest, y.re);
    if (by != BOUND_NONE && !nan_wins) {
        x.re = loop_select(b, first, x.re, y.re);
        return x;
    }
    if (by != BOUND_NONE) { /* x where it is better, or NaN */
        const loop_op less = by == BOUND_ZERO ? LOOP_FLE : LOOP_FLT;
        const loop_value second = largest ? both(b, less, x, y) : both(b, less, y, x);
        x.re = loop_select(b, second, y.re, x.re);
        return x;
    }
    const loop_value joined = loop_convert(b, LOOP_BITCAST, own,
                                           loop_binary(b, largest ? LOOP_AND : LOOP_OR,
                                                       loop_convert(b, LOOP_BITCAST, bits, x.re),
                                                       loop_convert(b, LOOP_BITCAST, bits, y.re)));
    loop_value r = loop_select(b, first, x.re, y.re); /* y where one is NaN */
    r = loop_select(b, both(b, LOOP_FEQ, x, y), joined, r);
    const loop_value deciding = nan_wins ? x.re : y.re; /* the NaN for which x is the result */
    x.re = loop_select(b, loop_binary(b, LOOP_FUNO, deciding, deciding), x.re, r);
    return x;
}

static element extremum(loop_builder *b, bool largest, element x, element y)
{
    return extremum_of(b, largest, false, x, y);
}

static loop_value less_than(loop_builder *b, bool or_equal, element x, element y)
{
    if (dtype_is_float(x.dtype))
        return both(b, or_equal ? LOOP_FLE : LOOP_FLT, x, y);
    if (x.dtype == TN_I1) /* false < true */
        return loop_binary(b, or_equal ? LOOP_OR : LOOP_AND, invert(b, x.re), y.re);
    const loop_op less = dtype_is_signed(x.dtype) ? LOOP_ILT : LOOP_IULT;
    return or_equal ? invert(b, both(b, less, y, x)) : both(b, less, x, y);
}

static loop_value equal(loop_builder *b, element x, element y)
{
    if (x.dtype == TN_I1)
        return invert(b, both(b, LOOP_XOR, x, y));
    if (dtype_is_int(x.dtype))
        return both(b, LOOP_IEQ, x, y);
    const loop_value re = both(b, LOOP_FEQ, x, y);
    return dtype_is_complex(x.dtype)
               ? loop_binary(b, LOOP_AND, re, loop_binary(b, LOOP_FEQ, x.im, y.im))
               : re;
}

static element compare(loop_builder *b, direction which, element x, element y)
{
    switch (which) {
    case DIR_LT:
        return element_of(TN_I1, less_than(b, false, x, y));
    case DIR_LE:
        return element_of(TN_I1, less_than(b, true, x, y));
    case DIR_GT:
        return element_of(TN_I1, less_than(b, false, y, x));
    case DIR_GE:
        return element_of(TN_I1, less_than(b, true, y, x));
    case DIR_EQ:
        return element_of(TN_I1, equal(b, x, y));
    case DIR_NE:
        break;
    }
    return element_of(TN_I1, invert(b, equal(b, x, y)));
}

/* ---- scaling ---- */

/* quantize, dequantize, requantize: every step rounded to the dtype of the scale, at least f32. */
static element scaling(loop_builder *b, op_id op, const element *in, uint32_t n_in, tn_dtype out)
{
    if (n_in == 1)
        return element_cast(b, in[0], out);
    const bool zeros = op == OP_REQUANTIZE ? n_in == 5 : n_in == 3;
    const tn_dtype form = in[1].dtype == TN_F64 ? TN_F64 : TN_F32;
    loop_value x = element_cast(b, in[0], form).re;
    uint32_t k = 1;
    if (op != OP_QUANTIZE) {
        const loop_value scale = element_cast(b, in[k++], form).re;
        if (zeros)
            x = loop_binary(b, LOOP_FSUB, x, element_cast(b, in[k++], form).re);
        x = loop_binary(b, LOOP_FMUL, x, scale);
    }
    if (op != OP_DEQUANTIZE) {
        x = loop_binary(b, LOOP_FDIV, x, element_cast(b, in[k++], form).re);
        if (dtype_is_int(out))
            x = loop_unary(b, LOOP_FRINT, x);
        if (zeros)
            x = loop_binary(b, LOOP_FADD, x, element_cast(b, in[k++], form).re);
    }
    return element_cast(b, element_of(form, x), out);
}

/* ---- all of them ---- */

static element rounded(loop_builder *b, element x)
{
    x.re = element_round(b, x.dtype, x.re);
    return x;
}

element form_neg(loop_builder *b, const element_call *c)
{
    return negate(b, c->in[0]);
}

element form_abs(loop_builder *b, const element_call *c)
{
    return magnitude(b, c->in[0]);
}

/* What each MATH row computes. */
static const math_fn functions[OP_COUNT] = {
#define MATH(id, text, n_in, infer, cost, grad, help) [OP_##id] = MATH_##id,
#include "graph/ops.def"
};

element form_math(loop_builder *b, const element_call *c)
{
    return rounded(b, function_of(b, functions[c->op], c->in));
}

element form_sqrt(loop_builder *b, const element_call *c)
{
    element x = c->in[0];
    x.re = loop_unary(b, LOOP_FSQRT, x.re);
    return rounded(b, x);
}

element form_reciprocal(loop_builder *b, const element_call *c)
{
    const element x = c->in[0], one = element_of(x.dtype, float_like(b, x.re, 1));
    return rounded(b, each_part(b, LOOP_FDIV, one, x));
}

element form_trunc(loop_builder *b, const element_call *c)
{
    element x = c->in[0];
    x.re = loop_unary(b, LOOP_FTRUNC, x.re);
    return x;
}

element form_relu(loop_builder *b, const element_call *c)
{
    return where_positive(b, c->in[0], c->in[0]);
}

element form_relu_grad(loop_builder *b, const element_call *c)
{
    return where_positive(b, c->in[1], c->in[0]);
}

element form_not(loop_builder *b, const element_call *c)
{
    return complement(b, c->in[0]);
}

element form_cast(loop_builder *b, const element_call *c)
{
    return element_cast(b, c->in[0], c->out);
}

static element form_copy(loop_builder *b, const element_call *c)
{
    (void)b;
    return c->in[0];
}

element form_add(loop_builder *b, const element_call *c)
{
    return rounded(b, add_sub(b, LOOP_FADD, LOOP_IADD, c->in[0], c->in[1]));
}

element form_sub(loop_builder *b, const element_call *c)
{
    return rounded(b, add_sub(b, LOOP_FSUB, LOOP_ISUB, c->in[0], c->in[1]));
}

element form_mul(loop_builder *b, const element_call *c)
{
    return rounded(b, multiply(b, c->in[0], c->in[1]));
}

element form_div(loop_builder *b, const element_call *c)
{
    const element x = c->in[0], y = c->in[1];
    loop_value zero;
    if (dtype_is_complex(x.dtype))
        return complex_divide(b, x, y);
    if (dtype_is_float(x.dtype))
        return rounded(b, each_part(b, LOOP_FDIV, x, y));
    const element r = element_divide_int(b, false, x, y, &zero);
    if (attr_int(c->given, KEY_ON_ZERO, ON_ZERO_ERROR) == ON_ZERO_ERROR)
        *c->fails = zero;
    return r;
}

element form_mod(loop_builder *b, const element_call *c)
{
    return element_divide_int(b, true, c->in[0], c->in[1], c->fails);
}

element form_maximum(loop_builder *b, const element_call *c)
{
    return extremum(b, true, c->in[0], c->in[1]);
}

element form_minimum(loop_builder *b, const element_call *c)
{
    return extremum(b, false, c->in[0], c->in[1]);
}

element form_maximum_nan(loop_builder *b, const element_call *c)
{
    return extremum_of(b, true, true, c->in[0], c->in[1]);
}

element form_minimum_nan(loop_builder *b, const element_call *c)
{
    return extremum_of(b, false, true, c->in[0], c->in[1]);
}

element form_clamp(loop_builder *b, const element_call *c) /* high wins */
{
    return extremum(b, false, extremum(b, true, c->in[0], c->in[1]), c->in[2]);
}

element form_and(loop_builder *b, const element_call *c)
{
    return each_part(b, LOOP_AND, c->in[0], c->in[1]);
}

element form_or(loop_builder *b, const element_call *c)
{
    return each_part(b, LOOP_OR, c->in[0], c->in[1]);
}

element form_xor(loop_builder *b, const element_call *c)
{
    return each_part(b, LOOP_XOR, c->in[0], c->in[1]);
}

element form_compare(loop_builder *b, const element_call *c)
{
    return compare(b, (direction)attr_int(c->given, KEY_DIRECTION, DIR_EQ), c->in[0], c->in[1]);
}

element form_select(loop_builder *b, const element_call *c)
{
    return element_select(b, c->in[0].re, c->in[1], c->in[2]);
}

static element form_scale(loop_builder *b, const element_call *c)
{
    return scaling(b, c->op, c->in, c->n_in, c->out);
}

/* The kernels `cast` and `select` of ops.def, whose names element.h has for the same on elements.
 */
#define element_cast form_cast
#define element_select form_select

/* The form of each op that kernels compute an element at a time. */
static element_fn *const forms[OP_COUNT] = {
#define ELEMENTWISE(id, text, n_in, attrs, traits, infer, kernel, cost, grad, help)                \
    [OP_##id] = form_##kernel,
#include "graph/ops.def"
    [OP_STOP_GRADIENT] = form_copy,
    [OP_QUANTIZE] = form_scale,
    [OP_DEQUANTIZE] = form_scale,
    [OP_REQUANTIZE] = form_scale,
};

enum { MAX_OPERANDS = 5 };

bool element_op(loop_builder *b, op_id op, const attrs *given, const element *in, uint32_t n_in,
                tn_dtype out, element *result, loop_value *fails)
{
    element x[MAX_OPERANDS];
    const element_call call = {op, given, x, n_in, out, fails};
    *fails = LOOP_NO_VALUE;
    if (!forms[op] || n_in == 0 || n_in > MAX_OPERANDS ||
        (op == OP_CAST && !dtype_can_cast(in[0].dtype, out)))
        return false;
    for (uint32_t i = 0; i < n_in; i++)
        x[i] = in[i];
    element_align(b, x, n_in);
    *result = forms[op](b, &call);
    return true;
}
