/* Decimal text <-> integers and binary floating point, in integer arithmetic only. */
#include "base/text/decimal.h"

#include <assert.h>

#include "base/memory/wide.h"

/* ---- integers ---- */

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
                                  "25262728293031323334353637383940414243444546474849"
                                  "50515253545556575859606162636465666768697071727374"
                                  "75767778798081828384858687888990919293949596979899";

static const uint64_t powers_of_ten[20] = {1,
                                           10,
                                           100,
                                           1000,
                                           10000,
                                           100000,
                                           1000000,
                                           10000000,
                                           100000000,
                                           1000000000,
                                           10000000000,
                                           100000000000,
                                           1000000000000,
                                           10000000000000,
                                           100000000000000,
                                           1000000000000000,
                                           10000000000000000,
                                           100000000000000000,
                                           1000000000000000000,
                                           10000000000000000000U};

static unsigned count_digits(uint64_t v)
{
    /* 1233 / 4096 is just above log10(2), so the guess is right or one too small. */
    unsigned bits = 64 - (unsigned)__builtin_clzll(v | 1);
    unsigned guess = bits * 1233 >> 12;
    return guess + (v >= powers_of_ten[guess]) + (v == 0);
}

/* Write the N digits of V. */
static void put_digits(uint64_t v, unsigned n, char *out)
{
    while (n > 2) {
        n -= 2;
        memcpy(out + n, digit_pairs + 2 * (v % 100), 2);
        v /= 100;
    }
    if (n == 2)
        memcpy(out, digit_pairs + 2 * v, 2);
    else
        out[0] = (char)('0' + v);
}

static size_t put_u64(uint64_t value, char *out)
{
    unsigned n = count_digits(value);
    put_digits(value, n, out);
    out[n] = '\0';
    return n;
}

size_t decimal_print_u64(uint64_t value, char out[DECIMAL_MAX])
{
    return put_u64(value, out);
}

size_t decimal_print_i64(int64_t value, char out[DECIMAL_MAX])
{
    if (value >= 0)
        return put_u64((uint64_t)value, out);
    out[0] = '-';
    return 1 + put_u64(0 - (uint64_t)value, out + 1);
}

/* The value of a digit, or more than 9. */
static unsigned digit_of(char c)
{
    return (unsigned)(unsigned char)c - '0';
}

decimal_result decimal_read_u64(const char *text, size_t length, uint64_t *value)
{
    size_t at = 0;
    size_t safe = length < 19 ? length : 19; /* 19 digits cannot overflow */
    uint64_t v = 0;
    bool overflow = false;
    unsigned d;

    while (at < safe && (d = digit_of(text[at])) <= 9) {
        v = v * 10 + d;
        at++;
    }
    for (; at < length && (d = digit_of(text[at])) <= 9; at++)
        overflow = overflow || __builtin_mul_overflow(v, (uint64_t)10, &v) ||
                   __builtin_add_overflow(v, (uint64_t)d, &v);
    if (at > 0)
        *value = overflow ? UINT64_MAX : v;
    return (decimal_result){at, overflow};
}

decimal_result decimal_read_i64(const char *text, size_t length, int64_t *value)
{
    size_t sign = length > 0 && (text[0] == '-' || text[0] == '+');
    bool negative = sign && text[0] == '-';
    uint64_t largest = (uint64_t)INT64_MAX + negative;
    uint64_t v;
    decimal_result r = decimal_read_u64(text + sign, length - sign, &v);

    if (r.length == 0)
        return r;
    if (v > largest) {
        v = largest;
        r.overflow = true;
    }
    *value = (int64_t)(negative ? 0 - v : v);
    r.length += sign;
    return r;
}

/* ---- binary floating point ---- */

const float_format format_fp8_e4m3 = {8, 4, false, -6};
const float_format format_fp8_e5m2 = {8, 3, true, -14};
const float_format format_bf16 = {16, 8, true, -126};
const float_format format_f16 = {16, 11, true, -14};
const float_format format_f32 = {32, 24, true, -126};
const float_format format_f64 = {64, 53, true, -1022};

enum { POWER_MIN = -342, POWER_MAX = 324 };

static const struct {
    uint64_t high, low;
} powers[POWER_MAX - POWER_MIN + 1] = {
#define POWER(q, high, low) [(q)-POWER_MIN] = {high, low},
#include "base/text/decimal_powers.def"
#undef POWER
};

/* The table holds all of 10^q, not just its leading bits. */
static bool power_is_exact(int q)
{
    return q >= 0 && q <= 55;
}

/* floor(log2(10^q)), right for |q| <= 1233. The shift of a negative number is arithmetic in both
 * compilers that this code is for, here and below. */
static int log2_of_pow10(int q)
{
    return q * 1741647 >> 19;
}

/* floor(log10(2^q)), right for |q| <= 1500. */
static int log10_of_pow2(int q)
{
    return q * 1262611 >> 22;
}

/* floor(log10(3/4 * 2^q)), right for |q| <= 1500. */
static int log10_of_three_quarters_pow2(int q)
{
    return (q * 1262611 - 524031) >> 22;
}

static uint64_t sign_bit(float_format f)
{
    return (uint64_t)1 << (f.bits - 1);
}

/* The first pattern beyond the finite ones: infinity, or the only NaN where there is none. */
static uint64_t first_not_finite(float_format f)
{
    uint64_t ones = sign_bit(f) - 1;
    return f.has_inf ? ones & ~(((uint64_t)1 << (f.precision - 1)) - 1) : ones;
}

/* A finite magnitude as c * 2^q. */
typedef struct scaled {
    uint64_t c;
    int q;
} scaled;

static scaled unpack(float_format f, uint64_t magnitude)
{
    uint64_t hidden = (uint64_t)1 << (f.precision - 1);
    int exponent = (int)(magnitude >> (f.precision - 1));
    uint64_t fraction = magnitude & (hidden - 1);
    int q = f.min_exponent - (f.precision - 1);

    if (exponent == 0)
        return (scaled){fraction, q};
    return (scaled){fraction | hidden, q + exponent - 1};
}

/* ---- printing ---- */

/* DIGITS * 10^EXPONENT */
typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

/* floor(POWER * X / 2^128), with the last bit set when anything was cut off. */
static uint64_t multiply_to_odd(wide128 power, uint64_t x)
{
    const wide128 low = wide_multiply(power.low, x);
    const wide128 high = wide_add(wide_multiply(power.high, x), low.high);
    return high.high | (high.low > 1);
}

/* The decimal to print for a finite magnitude that is not zero; it may end in zeros.
 *
 * Raffaello Giulietti, "The Schubfach way to render doubles", 2020, whose proof covers every
 * format whose precision and range lie within those of f64. Lengths are scaled by 10^-k so that
 * the interval that rounds to v is 1 to 10 units long: it holds a multiple of 1 for sure, and at
 * most one multiple of 10. All bounds carry two more bits, and the "odd" bit for what is below. */
static decimal shortest(float_format f, uint64_t magnitude)
{
    scaled v = unpack(f, magnitude);
    uint64_t hidden = (uint64_t)1 << (f.precision - 1);
    /* The neighbour below a power of two is at half the distance, save at the denormal range. */
    bool uneven = v.c == hidden && magnitude >= 2 * hidden;
    uint64_t odd = v.c & 1; /* halfway points go to the even neighbour */
    int k = uneven ? log10_of_three_quarters_pow2(v.q) : log10_of_pow2(v.q);
    int shift = v.q + log2_of_pow10(-k) + 1; /* 1 to 4 */
    const wide128 power = wide_add(
        (wide128){powers[-k - POWER_MIN].high, powers[-k - POWER_MIN].low}, !power_is_exact(-k));
    uint64_t at = multiply_to_odd(power, v.c << 2 << shift);
    uint64_t first = multiply_to_odd(power, (4 * v.c - 2 + uneven) << shift) + odd;
    uint64_t last = multiply_to_odd(power, (4 * v.c + 2) << shift) - odd;
    uint64_t s = at / 4;
    uint64_t tens = s / 10;
    bool below, above;

    if (tens > 0) { /* else a multiple of 10 is no shorter */
        below = first <= 40 * tens;
        above = 40 * tens + 40 <= last;
        if (below != above)
            return (decimal){tens + above, k + 1};
    }
    below = first <= 4 * s;
    above = 4 * s + 4 <= last;
    if (below == above) /* both: take the closer one, the even one of two equally close */
        above = at > 4 * s + 2 || (at == 4 * s + 2 && (s & 1));
    return (decimal){s + above, k};
}

/* Zeros at the end move into the exponent. */
static decimal strip_zeros(decimal d)
{
    static const struct {
        uint32_t power;
        int zeros;
    } steps[] = {{100000000, 8}, {10000, 4}, {100, 2}, {10, 1}};

    if (d.digits % 10 != 0)
        return d;
    if (d.digits % steps[0].power == 0) { /* a second time: 17 digits may hold 16 zeros */
        d.digits /= steps[0].power;
        d.exponent += steps[0].zeros;
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (d.digits % steps[i].power == 0) {
            d.digits /= steps[i].power;
            d.exponent += steps[i].zeros;
        }
    return d;
}

static size_t put_scientific(const char *digits, unsigned n, int exponent, char *out)
{
    char *at = out;

    *at++ = digits[0];
    if (n > 1) {
        *at++ = '.';
        memcpy(at, digits + 1, 16);
        at += n - 1;
    }
    *at++ = 'e';
    if (exponent < 0) {
        *at++ = '-';
        exponent = -exponent;
    }
    at += put_u64((uint64_t)exponent, at);
    return (size_t)(at - out);
}

/* D, of at most 17 digits and no zeros at the end, in the notation that decimal.h promises. */
static size_t put_decimal(decimal d, char *out)
{
    unsigned n = count_digits(d.digits);
    int whole = (int)n + d.exponent; /* digits before the point */
    char digits[DECIMAL_MAX];
    char *at = out;

    if (whole > -5 && whole <= 0) { /* 0.00ddd */
        memset(at, '0', 6);
        at[1] = '.';
        at += 2 - whole;
        put_digits(d.digits, n, at);
        return (size_t)(at - out) + n;
    }
    if (whole >= (int)n && whole <= 16) { /* ddd00.0 */
        put_digits(d.digits, n, at);
        memset(at + n, '0', 16);
        at += whole;
        *at++ = '.';
        *at++ = '0';
        return (size_t)(at - out);
    }
    put_digits(d.digits, n, digits);
    if (whole <= -5 || whole > 16)
        return put_scientific(digits, n, whole - 1, out);
    memcpy(at, digits, 16); /* ddd.ddd; fixed sizes are faster than the right ones */
    at += whole;
    *at++ = '.';
    memcpy(at, digits + whole, 16);
    return (size_t)n + 1;
}

size_t decimal_print(float_format format, uint64_t bits, char out[DECIMAL_MAX])
{
    uint64_t magnitude = bits & (sign_bit(format) - 1);
    uint64_t limit = first_not_finite(format);
    size_t at = 0;
    scaled v;
    decimal d;

    if (magnitude > limit || (magnitude == limit && !format.has_inf)) {
        memcpy(out, "nan", 4);
        return 3;
    }
    if (bits & sign_bit(format))
        out[at++] = '-';
    if (magnitude == limit) {
        memcpy(out + at, "inf", 4);
        return at + 3;
    }
    if (magnitude == 0) {
        memcpy(out + at, "0.0", 4);
        return at + 3;
    }
    v = unpack(format, magnitude);
    /* An integer below 2^precision has no other in its interval: its own digits are shortest. */
    if (v.q <= 0 && v.q > -format.precision && (v.c & (((uint64_t)1 << -v.q) - 1)) == 0)
        d = (decimal){v.c >> -v.q, 0};
    else
        d = shortest(format, magnitude);
    at += put_decimal(strip_zeros(d), out + at);
    out[at] = '\0';
    return at;
}

/* ---- reading ---- */

/* The parts of a number's text. */
typedef struct number_text {
    const char *digits; /* digits and at most one point */
    const char *end;
    uint64_t leading;   /* value of the first digits, at most 19 from the first that is not 0 */
    bool more;          /* a digit other than 0 follows those */
    int64_t exponent;   /* the value is about leading * 10^exponent */
    int64_t last_digit; /* the decimal exponent of the last digit of the text */
    bool negative;
    size_t length; /* 0: no number */
} number_text;

/* Far beyond what the digits of any text in memory can make up for. */
static const int64_t EXPONENT_LIMIT = (int64_t)1 << 60;

/* The value of [e[-+]digits] at *AT, which moves past it; 0 when there is none. */
static int64_t scan_exponent(const char *text, size_t length, size_t *at)
{
    size_t i = *at;
    bool negative = false;
    int64_t value = 0;
    unsigned d;

    if (i == length || (text[i] | 0x20) != 'e')
        return 0;
    i++;
    if (i < length && (text[i] == '-' || text[i] == '+'))
        negative = text[i++] == '-';
    if (i == length || digit_of(text[i]) > 9)
        return 0;
    for (; i < length && (d = digit_of(text[i])) <= 9; i++)
        if (value < EXPONENT_LIMIT / 10)
            value = value * 10 + (int64_t)d;
    *at = i;
    return negative ? -value : value;
}

/* For a text of more than 19 digits: collect the leading ones again, without the zeros before. */
static void scan_leading_digits(number_text *n)
{
    int64_t dropped = 0;
    uint64_t v = 0;

    for (const char *p = n->digits; p < n->end; p++) {
        unsigned d = digit_of(*p);
        if (d > 9)
            continue; /* the point */
        if (v < powers_of_ten[18]) {
            v = v * 10 + d;
        } else {
            dropped++;
            n->more = n->more || d != 0;
        }
    }
    n->leading = v;
    n->exponent += dropped;
}

static number_text scan_number(const char *text, size_t length)
{
    number_text n = {.negative = length > 0 && text[0] == '-'};
    size_t at = length > 0 && (text[0] == '-' || text[0] == '+');
    size_t start = at;
    size_t count;
    uint64_t v = 0; /* wraps when there are too many digits */
    unsigned d;

    for (; at < length && (d = digit_of(text[at])) <= 9; at++)
        v = v * 10 + d;
    count = at - start;
    if (count == 0)
        return n;
    if (at < length && text[at] == '.') {
        size_t point = at++;
        for (; at < length && (d = digit_of(text[at])) <= 9; at++)
            v = v * 10 + d;
        n.exponent = -(int64_t)(at - point - 1);
        count += at - point - 1;
    }
    n.digits = text + start;
    n.end = text + at;
    n.leading = v;
    n.exponent += scan_exponent(text, length, &at);
    n.last_digit = n.exponent;
    n.length = at;
    if (count > 19)
        scan_leading_digits(&n);
    return n;
}

/* A value in [m, m + 1) * 2^exponent; above m * 2^exponent exactly when STICKY. */
typedef struct approximation {
    wide128 m;
    int exponent;
    bool sticky;
} approximation;

/* A lower bound of W * 10^Q, W not 0. The value itself when the power is exact, otherwise in
 * (m, m + 2): one unit for what the table cuts off, times W < 2^64, and one for the product. */
static approximation multiply_by_power(uint64_t w, int q)
{
    int shift = __builtin_clzll(w);
    uint64_t high = powers[q - POWER_MIN].high;
    uint64_t low = powers[q - POWER_MIN].low;
    w <<= shift;
    const wide128 tail = wide_multiply(low, w);
    return (approximation){wide_add(wide_multiply(high, w), tail.high),
                           log2_of_pow10(q) - 63 - shift, tail.low != 0 || !power_is_exact(q)};
}

/* The magnitude nearest to A, halfway points to even, as if the exponent had no upper end. */
static uint64_t round_to_format(float_format f, approximation a)
{
    const bool is_short = a.m.high >> 63 == 0; /* A.m has 127 bits at least */
    int zeros = is_short;
    const wide128 m = is_short ? (wide128){a.m.high << 1 | a.m.low >> 63, a.m.low << 1} : a.m;
    int exponent = a.exponent - zeros + 127;
    int cut = 128 - f.precision; /* more than 64 */
    uint64_t base = 0;
    uint64_t kept;
    uint64_t rest, half; /* of the high word */

    if (exponent >= f.min_exponent)
        base = (uint64_t)(exponent - f.min_exponent) << (f.precision - 1);
    else
        cut += f.min_exponent - exponent;
    if (cut > 128)
        return 0;
    kept = cut == 128 ? 0 : m.high >> (cut - 64);
    rest = cut == 128 ? m.high : m.high & ((UINT64_C(1) << (cut - 64)) - 1);
    half = UINT64_C(1) << (cut - 65);
    /* A carry out of the fraction raises the exponent, which is what it should do. */
    return base + kept + (rest > half || (rest == half && (m.low != 0 || a.sticky || (kept & 1))));
}

/* ---- reading: the exact comparison ---- */

/* Halfway points of f64 have at most 768 digits, so that digits beyond these only break ties. The
 * two sides of a comparison are nearly equal, and neither exceeds 10^DIGITS_KEPT * 2^64. */
enum { DIGITS_KEPT = 800, BIG_LIMBS = 48 };

typedef struct big {
    size_t n; /* limbs in use; the highest is not 0 */
    uint64_t limb[BIG_LIMBS];
} big;

/* B = B * FACTOR + ADDEND */
static void big_multiply(big *b, uint64_t factor, uint64_t addend)
{
    uint64_t carry = addend;

    for (size_t i = 0; i < b->n; i++) {
        const wide128 x = wide_add(wide_multiply(b->limb[i], factor), carry);
        b->limb[i] = x.low;
        carry = x.high;
    }
    assert(carry == 0 || b->n < BIG_LIMBS);
    if (carry != 0 && b->n < BIG_LIMBS)
        b->limb[b->n++] = carry;
}

static void big_multiply_pow5(big *b, int power)
{
    static const uint64_t five_to_27 = 7450580596923828125;

    for (; power >= 27; power -= 27)
        big_multiply(b, five_to_27, 0);
    for (; power > 0; power--)
        big_multiply(b, 5, 0);
}

static void big_multiply_pow2(big *b, int power)
{
    size_t limbs = (size_t)power / 64;

    big_multiply(b, (uint64_t)1 << power % 64, 0);
    assert(b->n + limbs <= BIG_LIMBS);
    if (limbs == 0 || b->n + limbs > BIG_LIMBS)
        return;
    memmove(b->limb + limbs, b->limb, b->n * sizeof *b->limb);
    memset(b->limb, 0, limbs * sizeof *b->limb);
    b->n += limbs;
}

static int big_compare(const big *a, const big *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (size_t i = a->n; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* OUT = the digits of N up to DIGITS_KEPT; returns their unit's decimal exponent. *TAIL tells
 * whether a digit other than 0 was left out. */
static int64_t big_from_digits(const number_text *n, big *out, bool *tail)
{
    int64_t exponent = n->last_digit;
    size_t used = 0;
    uint64_t chunk = 0;
    unsigned chunk_digits = 0;

    out->n = 0;
    *tail = false;
    for (const char *p = n->digits; p < n->end; p++) {
        unsigned d = digit_of(*p);
        if (d > 9 || (used == 0 && d == 0))
            continue;
        if (used == DIGITS_KEPT) {
            *tail = *tail || d != 0;
            exponent++;
            continue;
        }
        used++;
        chunk = chunk * 10 + d;
        if (++chunk_digits == 19) {
            big_multiply(out, powers_of_ten[19], chunk);
            chunk = chunk_digits = 0;
        }
    }
    big_multiply(out, powers_of_ten[chunk_digits], chunk);
    return exponent;
}

/* Choose between BELOW and the next magnitude, one of which is nearest to N. */
static uint64_t round_exactly(float_format f, const number_text *n, uint64_t below)
{
    scaled v = unpack(f, below);
    big decimal_side, binary_side = {1, {2 * v.c + 1}}; /* halfway is (2c + 1) * 2^(q - 1) */
    bool tail;
    int q = (int)big_from_digits(n, &decimal_side, &tail);
    int twos = q - (v.q - 1);
    int order;

    big_multiply_pow5(q < 0 ? &binary_side : &decimal_side, q < 0 ? -q : q);
    big_multiply_pow2(twos < 0 ? &binary_side : &decimal_side, twos < 0 ? -twos : twos);
    order = big_compare(&decimal_side, &binary_side);
    return below + (order > 0 || (order == 0 && (tail || (below & 1))));
}

/* Round with 128 bits where they decide: after Daniel Lemire, "Number parsing at a gigabyte per
 * second", 2021, but rounding both ends of the error interval instead of arguing about its middle.
 * The ends differ for halfway points and what is within about 2^-63 of them; a comparison of big
 * integers settles those (William Clinger, "How to read floating point numbers accurately", 1990).
 */
static uint64_t nearest_magnitude(float_format f, const number_text *n)
{
    approximation a;
    uint64_t low, high;
    int q;

    if (n->leading == 0 || n->exponent < POWER_MIN) /* below 10^-324, which rounds to 0 in f64 */
        return 0;
    if (n->exponent > POWER_MAX)
        return first_not_finite(f);
    q = (int)n->exponent;
    a = multiply_by_power(n->leading, q);
    if (power_is_exact(q) && !n->more)
        return round_to_format(f, a);
    a.sticky = true;
    low = round_to_format(f, a);
    if (n->more) {
        a = multiply_by_power(n->leading + 1, q);
        a.sticky = true;
    }
    a.m = wide_add(a.m, 1);
    high = round_to_format(f, a);
    if (low == high || low >= first_not_finite(f))
        return low;
    return round_exactly(f, n, low);
}

decimal_result decimal_read(float_format format, const char *text, size_t length, uint64_t *bits)
{
    number_text n = scan_number(text, length);
    uint64_t limit = first_not_finite(format);
    uint64_t magnitude;

    if (n.length == 0)
        return (decimal_result){0, false};
    magnitude = nearest_magnitude(format, &n);
    if (magnitude > limit)
        magnitude = limit;
    *bits = magnitude | (n.negative ? sign_bit(format) : 0);
    return (decimal_result){n.length, magnitude == limit};
}
