/* Special functions of real numbers. Those of narrower floats are computed in f64 and rounded once.
 */
#include <math.h>

#include "dialect/mlir/hlo/lower.h"

/* ---- arithmetic with numbers ---- */

static tn_value num(tn_builder *b, double x)
{
    return tn_scalar(b, TN_F64, x);
}

static tn_value plus(tn_builder *b, tn_value x, double y)
{
    return tn_add(b, x, num(b, y));
}

static tn_value times(tn_builder *b, tn_value x, double y)
{
    return tn_mul(b, x, num(b, y));
}

/* Y / X */
static tn_value over(tn_builder *b, double y, tn_value x)
{
    return tn_div(b, num(b, y), x);
}

static tn_value is_below(tn_builder *b, tn_value x, double y)
{
    return tn_compare(b, TN_LT, x, num(b, y));
}

static tn_value is_equal(tn_builder *b, tn_value x, double y)
{
    return tn_compare(b, TN_EQ, x, num(b, y));
}

/* X where P, else Y. */
static tn_value either(tn_builder *b, tn_value p, tn_value x, tn_value y)
{
    return tn_select(b, p, x, y);
}

static tn_value number_if(tn_builder *b, tn_value p, double x, tn_value otherwise)
{
    return tn_select(b, p, num(b, x), otherwise);
}

/* The highest power first. */
static tn_value polynomial(tn_builder *b, tn_value x, const double *c, size_t n)
{
    tn_value sum = num(b, c[0]);
    for (size_t i = 1; i < n; i++)
        sum = plus(b, tn_mul(b, sum, x), c[i]);
    return sum;
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

static tn_value is_whole(tn_builder *b, tn_value x)
{
    return tn_compare(b, TN_EQ, x, tn_floor(b, x));
}

/* ---- the gamma function, by Lanczos' sum with g = 7 and nine terms ---- */

static const double lanczos_first = 0.99999999999980993227684700473478;
static const double lanczos[] = {
    676.520368121885098567009190444019, -1259.13921672240287047156078755283,
    771.3234287776530788486528258894,   -176.61502916214059906584551354,
    12.507343278686904814458936853,     -0.13857109526572011689554707,
    9.984369578019570859563e-6,         1.50563273514931155834e-7};

typedef struct gamma_parts {
    tn_value reflects; /* x < 1/2: computed at 1 - x */
    tn_value z, t, log_t;
} gamma_parts;

static gamma_parts parts_of(tn_builder *b, tn_value x)
{
    const double g = 7.5;
    gamma_parts p;
    p.reflects = is_below(b, x, 0.5);
    const tn_value minus = tn_neg(b, x);
    p.z = either(b, p.reflects, minus, plus(b, x, -1));
    p.t = plus(b, p.z, g);
    p.log_t = plus(b, tn_log1p(b, times(b, p.z, 1 / g)), log(g));
    return p;
}

/* X, but 1 where P: derivatives go through both sides of a choice, and the one that is not chosen
 * must have a slope, too. */
static tn_value one_if(tn_builder *b, tn_value p, tn_value x)
{
    return number_if(b, p, 1, x);
}

static tn_value log_gamma_of(tn_builder *b, tn_value x)
{
    const double log_pi = 1.14472988584940017414, half_log_2_pi = 0.91893853320467274178;
    const gamma_parts p = parts_of(b, x);
    tn_value sum = num(b, lanczos_first);
    for (size_t i = 0; i < COUNT(lanczos); i++)
        sum = tn_add(b, sum, over(b, lanczos[i], plus(b, p.z, (double)i + 1)));
    const tn_value ratio = tn_div(b, p.t, p.log_t);
    const tn_value inner = tn_sub(b, plus(b, p.z, 0.5), ratio);
    const tn_value power = plus(b, tn_mul(b, inner, p.log_t), half_log_2_pi);
    const tn_value y = tn_add(b, power, tn_log(b, sum));
    /* 1 - x by the sine of the distance to the next whole number; where that is not asked for, its
     * slope at whole numbers would be no number */
    const tn_value size = tn_abs(b, x);
    const tn_value far = either(b, p.reflects, size, num(b, 0.5));
    const tn_value rest = tn_sub(b, far, tn_floor(b, far));
    const tn_value back = tn_sub(b, num(b, 1), rest);
    const tn_value angle = times(b, tn_minimum(b, rest, back), 3.14159265358979323846);
    const tn_value log_sine = tn_log(b, tn_sin(b, angle));
    const tn_value mirrored = tn_sub(b, plus(b, tn_neg(b, log_sine), log_pi), y);
    const tn_value pole = tn_neg(b, log_sine);
    const tn_value none = tn_sub(b, log_sine, log_sine);
    const tn_value finite = tn_compare(b, TN_EQ, none, num(b, 0));
    const tn_value left = either(b, finite, mirrored, pole);
    return either(b, p.reflects, left, y);
}

static tn_value log_gamma(tn_builder *b, tn_value x)
{
    const tn_value is_inf = tn_is_inf(b, x);
    const tn_value y = log_gamma_of(b, one_if(b, is_inf, x));
    return either(b, is_inf, tn_mul(b, x, x), y);
}

static tn_value digamma_of(tn_builder *b, tn_value x)
{
    const double pi = 3.14159265358979323846;
    const gamma_parts p = parts_of(b, x);
    tn_value top = num(b, 0), bottom = num(b, lanczos_first);
    for (size_t i = 0; i < COUNT(lanczos); i++) {
        const tn_value place = plus(b, p.z, (double)i + 1);
        const tn_value term = over(b, lanczos[i], place);
        top = tn_sub(b, top, tn_div(b, term, place));
        bottom = tn_add(b, bottom, term);
    }
    const tn_value slope = tn_div(b, top, bottom);
    const tn_value sum = tn_add(b, p.log_t, slope);
    const tn_value y = tn_sub(b, sum, over(b, 7, p.t));
    const tn_value whole = tn_abs(b, tn_floor(b, plus(b, x, 0.5)));
    const tn_value angle = times(b, tn_add(b, x, whole), pi);
    const tn_value sine = tn_sin(b, angle);
    const tn_value cotangent = tn_div(b, tn_cos(b, angle), sine);
    const tn_value mirrored = tn_sub(b, y, times(b, cotangent, pi));
    const tn_value all = either(b, p.reflects, mirrored, y);
    const tn_value is_left = tn_compare(b, TN_LE, x, num(b, 0));
    return number_if(b, tn_and(b, is_left, is_whole(b, x)), (double)NAN, all);
}

static tn_value digamma(tn_builder *b, tn_value x)
{
    const tn_value is_inf = is_equal(b, x, (double)INFINITY);
    const tn_value y = digamma_of(b, one_if(b, is_inf, x));
    return either(b, is_inf, tn_log(b, tn_maximum(b, x, num(b, 1))), y);
}

/* ---- Hurwitz' zeta function, by the formula of Euler and Maclaurin ---- */

static tn_value zeta(tn_builder *b, tn_value x, tn_value q)
{
    enum { TERMS = 9 };
    static const double divisors[] = {12.0,
                                      -720.0,
                                      30240.0,
                                      -1209600.0,
                                      47900160.0,
                                      -1892437580.3183791606,
                                      74724249600.0,
                                      -2950130727918.164224,
                                      116467828143500.67249,
                                      -4597978722407472.6105,
                                      181521054019435467.73,
                                      -7166165256175667011.3};
    const tn_value minus = tn_neg(b, x);
    tn_value power = tn_pow(b, q, minus), sum = power, a = q;
    for (int i = 0; i < TERMS; i++) {
        a = plus(b, a, 1);
        power = tn_pow(b, a, minus);
        sum = tn_add(b, sum, power);
    }
    const tn_value product = tn_mul(b, power, a);
    const tn_value tail = tn_div(b, product, plus(b, x, -1));
    const tn_value longer = tn_add(b, sum, tail);
    sum = tn_sub(b, longer, times(b, power, 0.5));
    tn_value factor = num(b, 1);
    for (size_t i = 0; i < COUNT(divisors); i++) {
        factor = tn_mul(b, factor, plus(b, x, 2 * (double)i));
        power = tn_div(b, power, a);
        sum = tn_add(b, sum, times(b, tn_mul(b, factor, power), 1 / divisors[i]));
        factor = tn_mul(b, factor, plus(b, x, 2 * (double)i + 1));
        power = tn_div(b, power, a);
    }
    const tn_value is_left = tn_compare(b, TN_LE, q, num(b, 0));
    const tn_value is_pole = tn_and(b, is_left, is_whole(b, q));
    const tn_value has_power = is_whole(b, x);
    sum = either(b, is_left, number_if(b, has_power, (double)INFINITY, num(b, (double)NAN)), sum);
    sum = number_if(b, is_pole, (double)INFINITY, sum);
    sum = number_if(b, is_below(b, x, 1), (double)NAN, sum);
    return number_if(b, is_equal(b, x, 1), (double)INFINITY, sum);
}

static tn_value polygamma(tn_builder *b, tn_value n, tn_value x)
{
    const tn_value next = plus(b, n, 1);
    const tn_value factorial = tn_exp(b, log_gamma(b, next));
    const tn_value size = tn_mul(b, factorial, zeta(b, next, x));
    const tn_value first = digamma(b, x);
    const tn_value half = times(b, n, 0.5);
    const tn_value is_even = is_whole(b, half);
    const tn_value y = either(b, is_even, tn_neg(b, size), size);
    const tn_value all = either(b, is_equal(b, n, 0), first, y);
    const tn_value is_natural = tn_compare(b, TN_GE, n, num(b, 0));
    const tn_value is_order = tn_and(b, is_natural, is_whole(b, n));
    return either(b, is_order, all, num(b, (double)NAN));
}

/* ---- the error function ---- */

/* e to the power -x², with x in two parts whose squares are exact enough. */
static tn_value gauss(tn_builder *b, tn_value x)
{
    const tn_value large = times(b, tn_round_even(b, times(b, x, 128)), 1.0 / 128);
    const tn_value small = tn_sub(b, x, large);
    const tn_value twice = times(b, tn_mul(b, large, small), 2);
    const tn_value rest = tn_add(b, twice, tn_mul(b, small, small));
    const tn_value first = tn_exp(b, tn_neg(b, tn_mul(b, large, large)));
    return tn_mul(b, first, tn_exp(b, tn_neg(b, rest)));
}

/* 1 - erf(x), by quotients of polynomials from 1 and from 8 on. */
static tn_value erf_complement(tn_builder *b, tn_value x)
{
    static const double p[] = {
        2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687e0,
        4.86371970985681366614e1,   1.96520832956077098242e2,  5.26445194995477358631e2,
        9.34528527171957607540e2,   1.02755188689515710272e3,  5.57535335369399327526e2};
    static const double q[] = {1.0,
                               1.32281951154744992508e1,
                               8.67072140885989742329e1,
                               3.54937778887819891062e2,
                               9.75708501743205489753e2,
                               1.82390916687909736289e3,
                               2.24633760818710981792e3,
                               1.65666309194161350182e3,
                               5.57535340817727675546e2};
    static const double r[] = {5.64189583547755073984e-1, 1.27536670759978104416e0,
                               5.01905042251180477414e0,  6.16021097993053585195e0,
                               7.40974269950448939160e0,  2.97886665372100240670e0};
    static const double s[] = {1.0,
                               2.26052863220117276590e0,
                               9.39603524938001434673e0,
                               1.20489539808096656605e1,
                               1.70814450747565897222e1,
                               9.60896809063285878198e0,
                               3.36907645100081516050e0};
    const tn_value size = tn_abs(b, x);
    const tn_value far = tn_minimum(b, size, num(b, 30)); /* 0 from there on */
    const tn_value p_of = polynomial(b, far, p, COUNT(p)), q_of = polynomial(b, far, q, COUNT(q));
    const tn_value r_of = polynomial(b, far, r, COUNT(r)), s_of = polynomial(b, far, s, COUNT(s));
    const tn_value pq = tn_div(b, p_of, q_of), rs = tn_div(b, r_of, s_of);
    const tn_value ratio = either(b, is_below(b, far, 8), pq, rs);
    const tn_value right = tn_mul(b, gauss(b, far), ratio);
    const tn_value left = tn_sub(b, num(b, 2), right);
    const tn_value tail = either(b, is_below(b, x, 0), left, right);
    const tn_value one = num(b, 1);
    const tn_value near = tn_sub(b, one, tn_erf(b, x));
    const tn_value is_tail = tn_compare(b, TN_GE, size, num(b, 1));
    return either(b, is_tail, tail, near); /* NaN is near */
}

/* Giles' polynomials, which are good to six digits where y is a number of f32, and STEPS of
 * Halley's.
 */
static tn_value erf_inv(tn_builder *b, tn_value y, int steps)
{
    static const double middle[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                    -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                    -0.00417768164,  0.246640727,    1.50140941};
    static const double tail[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                                  -0.00367342844,  0.00573950773,  -0.0076224613,
                                  0.00943887047,   1.00167406,     2.83297682};
    const double slope = 1.12837916709551257390; /* of erf at 0 */
    const tn_value size_of_y = tn_abs(b, y), is_end = is_equal(b, size_of_y, 1);
    const tn_value far = number_if(b, is_end, 0.5, size_of_y);
    const tn_value rest = tn_sub(b, num(b, 1), far);
    const tn_value w = tn_neg(b, tn_log(b, tn_mul(b, rest, plus(b, far, 1))));
    const tn_value low = polynomial(b, plus(b, w, -2.5), middle, COUNT(middle));
    const tn_value is_low = is_below(b, w, 5), is_body = is_below(b, w, 16);
    const tn_value root = tn_sqrt(b, number_if(b, is_low, 5, w));
    const tn_value high = polynomial(b, plus(b, root, -3), tail, COUNT(tail));
    const tn_value body = tn_mul(b, far, either(b, is_low, low, high));
    /* as erfc(x) is about e^-x² / (x √π) */
    const tn_value v = number_if(b, is_body, 16, w);
    const tn_value size = times(b, tn_log(b, times(b, v, 3.14159265358979323846)), 0.5);
    const tn_value tip = tn_sqrt(b, tn_sub(b, plus(b, v, log(2)), size));
    tn_value x = either(b, is_body, body, tip);
    for (int i = 0; i < steps; i++) {
        const tn_value from_0 = tn_sub(b, tn_erf(b, x), far);
        const tn_value from_1 = tn_sub(b, rest, erf_complement(b, x));
        const tn_value fault = either(b, is_below(b, far, 0.5), from_0, from_1);
        const tn_value step = tn_div(b, fault, times(b, gauss(b, x), slope));
        const tn_value bend = plus(b, tn_mul(b, x, step), 1);
        x = tn_sub(b, x, tn_div(b, step, bend));
    }
    x = either(b, is_end, tn_rsqrt(b, tn_sub(b, num(b, 1), size_of_y)), x); /* inf, and steep */
    x = number_if(b, tn_compare(b, TN_GT, far, num(b, 1)), (double)NAN, x);
    const tn_value other = tn_neg(b, x);
    x = either(b, is_below(b, y, 0), other, x);
    const tn_value at_0 = times(b, y, 1 / slope); /* of either sign */
    return either(b, is_equal(b, y, 0), at_0, x);
}

/* ---- a function of Bessel ---- */

/* exp(-|x|) I1(x): by the power series up to 20, by the asymptotic one above. */
static tn_value bessel_i1e_of(tn_builder *b, tn_value x)
{
    enum { NEAR_TERMS = 50, FAR_TERMS = 20 };
    const tn_value zero = num(b, 0), one = num(b, 1), edge = num(b, 20);
    const tn_value is_below = tn_compare(b, TN_LT, x, zero);
    const tn_value size = tn_select(b, is_below, tn_neg(b, x), x); /* not flat at 0, as abs is */
    const tn_value is_near = tn_compare(b, TN_LE, size, edge);
    const tn_value small = tn_select(b, is_near, size, edge), large = tn_maximum(b, size, edge);
    const tn_value half = tn_mul(b, small, num(b, 0.5)), square = tn_mul(b, half, half);
    tn_value series = one, tail = one;
    for (int k = NEAR_TERMS; k > 0; k--) {
        const tn_value ratio = tn_div(b, square, num(b, k * (k + 1.0)));
        series = tn_add(b, one, tn_mul(b, ratio, series));
    }
    for (int k = FAR_TERMS; k > 0; k--) {
        const double odd = 2 * k - 1;
        const tn_value ratio = tn_div(b, num(b, (odd * odd - 4) / (8.0 * k)), large);
        tail = tn_add(b, one, tn_mul(b, ratio, tail));
    }
    const tn_value scaled = tn_mul(b, half, tn_exp(b, tn_neg(b, small)));
    const tn_value near = tn_mul(b, scaled, series);
    const tn_value root = tn_sqrt(b, tn_mul(b, large, num(b, 6.283185307179586)));
    const tn_value y = tn_select(b, is_near, near, tn_div(b, tail, root));
    const tn_value both = tn_select(b, is_below, tn_neg(b, y), y);
    return tn_select(b, tn_is_nan(b, x), x, both);
}

/* ---- as operations ---- */

/* Operand K in f64; no value, refused, when it is no float. */
static tn_value wide(shlo_call *c, uint32_t k)
{
    const type *t = shlo_in_type(c, k);
    if (t && !dtype_is_float(t->dtype))
        (void)shlo_refuse(c, DIAG_DTypeNotSupported, "it is for floats");
    return t && dtype_is_float(t->dtype) ? tn_cast(c->b, shlo_in(c, k), TN_F64) : tn_no_value();
}

bool shlo_lower_special(shlo_call *c)
{
    tn_builder *b = c->b;
    const type *const in = shlo_in_type(c, 0); /* asked for before anything can fail */
    const tn_value x = wide(c, 0);
    tn_value y = tn_no_value();
    if (!in || !tn_is_value(x))
        return false;
    switch ((shlo_special)c->arg) {
    case SHLO_LGAMMA:
        y = log_gamma(b, x);
        break;
    case SHLO_DIGAMMA:
        y = digamma(b, x);
        break;
    case SHLO_ERFC:
        y = erf_complement(b, x);
        break;
    case SHLO_BESSEL_I1E:
        y = bessel_i1e_of(b, x);
        break;
    case SHLO_ERF_INV:
        y = erf_inv(b, x, in->dtype == TN_F64 ? 3 : 2);
        break;
    }
    return shlo_give(c, 0, tn_cast(b, y, in->dtype));
}

/* ARG: with the order in front, which polygamma takes. */
bool shlo_lower_zeta(shlo_call *c)
{
    tn_builder *b = c->b;
    const type *const in = shlo_in_type(c, 0);
    const tn_value x = wide(c, 0), y = wide(c, 1);
    if (!in || !tn_is_value(x) || !tn_is_value(y))
        return false;
    const tn_value z = c->arg ? polygamma(b, x, y) : zeta(b, x, y);
    return shlo_give(c, 0, tn_cast(b, z, in->dtype));
}

/* ---- the next number ---- */

bool shlo_lower_next_after(shlo_call *c)
{
    tn_builder *b = c->b;
    const type *t = shlo_in_type(c, 0);
    if (!t || !shlo_same_shape(c, 0))
        return false;
    if (!dtype_is_float(t->dtype))
        return shlo_refuse(c, DIAG_DTypeNotSupported, "it is for floats");
    const tn_value x = shlo_in(c, 0), y = shlo_in(c, 1);
    const tn_dtype d = shlo_integer_of(dtype_table[t->dtype].bits, true);
    const tn_value bits = tn_bitcast(b, x, d), to = tn_bitcast(b, y, d);
    const tn_value most = tn_scalar_int(b, d, (int64_t)dtype_int_max(d));
    const tn_value size = tn_and(b, bits, tn_broadcast(b, most, shlo_dims(t)));
    const tn_value zero = tn_scalar_int(b, d, 0), one = tn_scalar_int(b, d, 1);
    const tn_value x_below = tn_compare(b, TN_LT, bits, zero);
    const tn_value y_below = tn_compare(b, TN_LT, to, zero);
    /* towards 0 when the signs differ, or when y has the smaller size */
    const tn_value far = tn_abs(b, x);
    const tn_value smaller = tn_compare(b, TN_GT, far, tn_abs(b, y));
    const tn_value inward = tn_or(b, smaller, tn_compare(b, TN_NE, x_below, y_below));
    const tn_value less = tn_sub(b, bits, one), more = tn_add(b, bits, one);
    const tn_value stepped = tn_bitcast(b, tn_select(b, inward, less, more), t->dtype);
    const tn_value least = tn_bitcast(b, tn_broadcast(b, one, shlo_dims(t)), t->dtype);
    const tn_value from_0 = tn_select(b, y_below, tn_neg(b, least), least);
    const tn_value is_0 = tn_compare(b, TN_EQ, size, zero);
    tn_value z = tn_select(b, is_0, from_0, stepped);
    z = tn_select(b, tn_compare(b, TN_EQ, x, y), y, z);
    const tn_value x_is_nan = tn_is_nan(b, x);
    const tn_value any = tn_or(b, x_is_nan, tn_is_nan(b, y));
    return shlo_give(c, 0, tn_select(b, any, tn_scalar_like(b, x, (double)NAN), z));
}
