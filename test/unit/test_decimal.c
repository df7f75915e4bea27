/* Decimal text against the C library's, which the tests, in the C locale, may use. */
#include <math.h>
#include <stdlib.h>

#include "base/text/decimal.h"
#include "check.h"

enum { MANY = 30000 };

static uint64_t random_state = 1;

/* splitmix64 */
static uint64_t random_u64(void)
{
    uint64_t x = random_state += 0x9E3779B97F4A7C15U;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9U;
    x = (x ^ x >> 27) * 0x94D049BB133111EBU;
    return x ^ x >> 31;
}

static uint64_t bits_of_f64(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static uint32_t bits_of_f32(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* ---- a plain model of the formats ---- */

static uint64_t magnitude_mask(float_format f)
{
    return UINT64_MAX >> (65 - f.bits);
}

static uint64_t largest_finite(float_format f)
{
    uint64_t fraction = UINT64_MAX >> (65 - f.precision);
    return f.has_inf ? magnitude_mask(f) - fraction - 1 : magnitude_mask(f) - 1;
}

/* The value of a finite magnitude of any format but f64's; also of the one after the largest. */
static double value_of(float_format f, uint64_t magnitude)
{
    int exponent = (int)(magnitude >> (f.precision - 1));
    uint64_t fraction = magnitude & (UINT64_MAX >> (65 - f.precision));
    int q = f.min_exponent - f.precision + 1;
    if (exponent == 0)
        return ldexp((double)fraction, q);
    return ldexp((double)(fraction + (UINT64_C(1) << (f.precision - 1))), q + exponent - 1);
}

/* ---- integers ---- */

static void test_print_integers(void)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     9,
                                     10,
                                     11,
                                     99,
                                     100,
                                     101,
                                     999,
                                     1000,
                                     UINT32_MAX,
                                     INT64_MAX,
                                     (uint64_t)INT64_MAX + 1,
                                     UINT64_MAX};
    char have[DECIMAL_MAX], want[DECIMAL_MAX];

    for (size_t i = 0; i < sizeof edges / sizeof *edges + MANY; i++) {
        uint64_t v = i < sizeof edges / sizeof *edges ? edges[i] : random_u64() >> (i % 64);
        snprintf(want, sizeof want, "%" PRIu64, v);
        CHECK_INT(decimal_print_u64(v, have), strlen(want));
        CHECK_TEXT(have, want);
        snprintf(want, sizeof want, "%" PRId64, (int64_t)v);
        CHECK_INT(decimal_print_i64((int64_t)v, have), strlen(want));
        CHECK_TEXT(have, want);
    }
    for (uint64_t power = 1, n = 1; n <= 20; power *= 10, n++) {
        CHECK_INT(decimal_print_u64(power, have), n);
        CHECK_INT(decimal_print_u64(power - 1, have), n == 1 ? 1 : n - 1);
    }
}

static void check_u64(const char *text, size_t length, bool overflow, uint64_t want)
{
    uint64_t v = 77;
    decimal_result r = decimal_read_u64(text, strlen(text), &v);
    CHECK_INT(r.length, length);
    CHECK_INT(r.overflow, overflow);
    if (!CHECK_BITS(v, want))
        printf("    text \"%s\"\n", text);
}

static void check_i64(const char *text, size_t length, bool overflow, int64_t want)
{
    int64_t v = 77;
    decimal_result r = decimal_read_i64(text, strlen(text), &v);
    CHECK_INT(r.length, length);
    CHECK_INT(r.overflow, overflow);
    if (!CHECK_INT(v, want))
        printf("    text \"%s\"\n", text);
}

static void test_read_integers(void)
{
    char text[DECIMAL_MAX];

    check_u64("", 0, false, 77);
    check_u64("-1", 0, false, 77);
    check_u64("+1", 0, false, 77);
    check_u64("x", 0, false, 77);
    check_u64("0", 1, false, 0);
    check_u64("007x", 3, false, 7);
    check_u64("12:", 2, false, 12);
    check_u64("12/", 2, false, 12);
    check_u64("12\xB2", 2, false, 12);
    check_u64("9999999999999999999", 19, false, 9999999999999999999U);
    check_u64("18446744073709551615", 20, false, UINT64_MAX);
    check_u64("18446744073709551616", 20, true, UINT64_MAX);
    check_u64("18446744073709551620", 20, true, UINT64_MAX);
    check_u64("99999999999999999999,", 20, true, UINT64_MAX);
    check_u64("184467440737095516150", 21, true, UINT64_MAX);
    check_u64("36893488147419103232", 20, true, UINT64_MAX); /* 2^65 */
    check_u64("00000000000000000000000000000000018446744073709551615", 53, false, UINT64_MAX);

    check_i64("", 0, false, 77);
    check_i64("-", 0, false, 77);
    check_i64("+", 0, false, 77);
    check_i64("--1", 0, false, 77);
    check_i64("-0", 2, false, 0);
    check_i64("+5", 2, false, 5);
    check_i64("-42]", 3, false, -42);
    check_i64("9223372036854775807", 19, false, INT64_MAX);
    check_i64("9223372036854775808", 19, true, INT64_MAX);
    check_i64("-9223372036854775808", 20, false, INT64_MIN);
    check_i64("-9223372036854775809", 20, true, INT64_MIN);
    check_i64("-99999999999999999999999", 24, true, INT64_MIN);
    for (int i = 0; i < MANY; i++) {
        int64_t v = (int64_t)random_u64() >> (i % 64);
        size_t n = decimal_print_i64(v, text);
        check_i64(text, n, false, v);
    }
    { /* the length bounds the text, not the byte behind it */
        uint64_t v = 0;
        CHECK_INT(decimal_read_u64("1234", 2, &v).length, 2);
        CHECK_INT(v, 12);
    }
}

/* ---- the table of powers ---- */

enum { WIDE_LIMBS = 48 };

/* Little-endian 32-bit limbs. */
typedef struct wide {
    uint32_t limb[WIDE_LIMBS];
} wide;

static void wide_multiply(wide *w, uint32_t factor)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < WIDE_LIMBS; i++) {
        carry += (uint64_t)w->limb[i] * factor;
        w->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    CHECK(carry == 0);
}

static int wide_length(const wide *w)
{
    for (int i = WIDE_LIMBS * 32; i-- > 0;)
        if (w->limb[i / 32] >> i % 32 & 1)
            return i + 1;
    return 0;
}

/* The 64 bits of W from bit AT on; bits below bit 0 are zero. */
static uint64_t wide_bits(const wide *w, int at)
{
    uint64_t v = 0;
    for (int i = 0; i < 64; i++)
        if (at + i >= 0)
            v |= (uint64_t)(w->limb[(at + i) / 32] >> (at + i) % 32 & 1) << i;
    return v;
}

static void test_powers(void)
{
    static const struct {
        int q;
        uint64_t high, low;
    } rows[] = {
#define POWER(q, high, low) {q, high, low},
#include "base/text/decimal_powers.def"
#undef POWER
    };
    size_t n = sizeof rows / sizeof *rows;

    CHECK_INT(rows[0].q, -342);
    CHECK_INT(rows[n - 1].q, 324);
    for (size_t i = 0; i < n; i++) {
        uint64_t high = rows[i].high, low = rows[i].low;
        int q = rows[i].q;
        CHECK(i == 0 || q == rows[i - 1].q + 1);
        CHECK(high >> 63 == 1);
        if (q >= 0) {
            wide w = {{1}};
            int length;
            for (int k = 0; k < q; k++)
                wide_multiply(&w, 5);
            length = wide_length(&w);
            CHECK_BITS(wide_bits(&w, length - 64), high);
            CHECK_BITS(wide_bits(&w, length - 128), low);
        } else { /* g * 5^-q < 2^t < (g + 1) * 5^-q for some t */
            wide below = {
                {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)}};
            wide above = below;
            for (int k = 0; k < 4 && ++above.limb[k] == 0; k++)
                continue;
            for (int k = 0; k > q; k--) {
                wide_multiply(&below, 5);
                wide_multiply(&above, 5);
            }
            CHECK_INT(wide_length(&above), wide_length(&below) + 1);
        }
    }
}

/* ---- reading ---- */

static uint64_t read_bits(float_format f, const char *text)
{
    uint64_t bits = 0xDEAD;
    decimal_result r = decimal_read(f, text, strlen(text), &bits);
    if (!CHECK_INT(r.length, strlen(text)))
        printf("    text \"%.60s\"\n", text);
    return bits;
}

/* TEXT means the same to us and to the C library, in f64 and f32. */
static void check_like_libc(const char *text)
{
    double want64 = strtod(text, NULL);
    float want32 = strtof(text, NULL);
    uint64_t bits;
    decimal_result r = decimal_read(format_f64, text, strlen(text), &bits);

    if (!(CHECK_INT(r.length, strlen(text)) && CHECK_BITS(bits, bits_of_f64(want64)) &&
          CHECK_INT(r.overflow, isinf(want64) != 0)))
        printf("    text \"%s\"\n", text);
    r = decimal_read(format_f32, text, strlen(text), &bits);
    if (!(CHECK_BITS(bits, bits_of_f32(want32)) && CHECK_INT(r.overflow, isinf(want32) != 0)))
        printf("    text \"%s\"\n", text);
}

static void test_read_known(void)
{
    static const char *const texts[] = {
        "0", "-0", "+0.0", "0e999999999999999999999", "00000000000000000000000000000000000001",
        "0.00000000000000000000000000000000000000000000000001", "1", "1.", "1.e5", "1.5E+3", "1e-5",
        "123456789012345678901234567890", "0.1", "0.2", "0.3", "1e23", "8.5e22", "9e22",
        /* ties */
        "9007199254740993", "9007199254740993.0000000000000000000000000000000001",
        "9007199254740992.9999999999999999999999999999999999", "9007199254740995",
        "-9007199254740993e0", "900719925474099300000e-5", "16777217", "16777219",
        "16777217.00000000000000000001", "16777216.99999999999999999999", "1.00000005960464477539",
        "1.000000059604644775390625", "1.0000000596046447753906250000000000000001",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        /* the ends of the ranges */
        "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308",
        "1.797693134862315807e308", "1.797693134862315808e308", "1e308", "1e309", "1e310", "1e324",
        "1e325", "9999999999999999999e324", "17976931348623157e292", "0.00017976931348623157e312",
        "3.4028234663852886e38", "3.4028235677973365e38", "3.4028235677973366e38", "3.4028236e38",
        "3.4028235677973366163753939545814251776e38", "340282356779733661637539395458142568447",
        "340282356779733661637539395458142568448", "4.9e-324", "5e-324", "2.4703282292062327e-324",
        "2.4703282292062328e-324", "2.5e-324", "2e-324", "1e-324", "1e-323",
        "9999999999999999999e-343", "9999999999999999999e-342", "24703282292062327208e-343",
        "24703282292062327209e-343", "2.2250738585072014e-308", "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.225073858507201136057409796709131975934819546351645648023426109724822222021076945516529"
        "523908135087914149158913039621106870086438694594645527657207407820621743379988141063267329"
        "253552286881372149012981122451451889849057222307285255133155755015914397476397983411801999"
        "323962548289017107081850690630666655994938275772572015763062690663332647565300009245888316"
        "433037779791869612049497390377829704905051080609940730262937128958950003583799967207254304"
        "360284078895771796150945516748243471030702609144621572289880258182545180325707018860872113"
        "128079512233426288368622321503775666622503982534335974568884423900265498198385487948292206"
        "894721689831099698365846814022854243330660339850886445804001034933970427567186443383770486"
        "0378616227717385456230658746790140867233276367187499e-308",
        "1.1754943508222875e-38", "1.1754942e-38", "1.4e-45", "7.006492321624085e-46",
        "7.0064923216240853546186479164495806564013097093825788587853e-46",
        "7.0064923216240853546186479164495806564013097093825788587854e-46", "1e-46",
        /* found hard by others */
        "6929495644600919.5", "3.2378839133029012895883524125015321748630094572e-317",
        "1090544144181609348671888949248", "1090544144181609348835077142190",
        "104308485241983990666713401708072175773165034278682682111762292413",
        "2.2222222222223e-322", "7.2057594037927933e16", "72057594037927945",
        "72057594037927944.9999999999999999999", "1448997445238699",
        "179769000000000000000000000000000000000e271", "356e-342", "6.631236846766476e-316",
        "358416272e-33", "5e125", "69e267", "999e-26", "7861e-34", "75569e-254", "928609e-261",
        "9210917e80", "84863171e114", "653777767e273", "5232604057e-298", "27235667517e-109",
        "653532977297e-123", "3142213164987e-294", "46202199371337e-72", "231010996856685e-73",
        "9324754620109615e212", "78459735791271921e49", "272104041512242479e200",
        "6802601037806061975e198", "20505426358836677347e-221", "836168422905420598437e-234",
        "4891559871276714924261e222", "12345678901234567890123456789e-20"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_like_libc(texts[i]);
    CHECK_BITS(read_bits(format_f64, "5e-324"), 1);
    CHECK_BITS(read_bits(format_f64, "9007199254740993"), bits_of_f64(9007199254740992.0));
    CHECK_BITS(read_bits(format_f64, "-0"), UINT64_C(1) << 63);
    CHECK_BITS(read_bits(format_fp8_e4m3, "448"), 0x7E);
    CHECK_BITS(read_bits(format_fp8_e4m3, "464"), 0x7E); /* halfway to where 480 would be */
    CHECK_BITS(read_bits(format_fp8_e4m3, "464.0000000000000000000000000000001"), 0x7F);
    CHECK_BITS(read_bits(format_fp8_e4m3, "-1e400"), 0xFF);
    CHECK_BITS(read_bits(format_fp8_e5m2, "61439.999999999999999999999999999999"), 0x7B);
    CHECK_BITS(read_bits(format_fp8_e5m2, "61440"), 0x7C);
    CHECK_BITS(read_bits(format_f16, "65519.999999999999999999999999999"), 0x7BFF);
    CHECK_BITS(read_bits(format_f16, "65520"), 0x7C00);
}

static void check_grammar(const char *text, size_t length, double want)
{
    uint64_t bits = bits_of_f64(77);
    decimal_result r = decimal_read(format_f64, text, strlen(text), &bits);
    if (!(CHECK_INT(r.length, length) && CHECK_BITS(bits, bits_of_f64(want))))
        printf("    text \"%s\"\n", text);
}

static void test_read_grammar(void)
{
    check_grammar("", 0, 77);
    check_grammar("-", 0, 77);
    check_grammar("+-1", 0, 77);
    check_grammar(".5", 0, 77);
    check_grammar("-.5", 0, 77);
    check_grammar("e5", 0, 77);
    check_grammar("inf", 0, 77);
    check_grammar("nan", 0, 77);
    check_grammar(" 1", 0, 77);
    check_grammar("1 ", 1, 1);
    check_grammar("1.", 2, 1);
    check_grammar("1..", 2, 1);
    check_grammar("1.5.5", 3, 1.5);
    check_grammar("1,5", 1, 1);
    check_grammar("0x10", 1, 0);
    check_grammar("1e", 1, 1);
    check_grammar("1e+", 1, 1);
    check_grammar("1.e-", 2, 1);
    check_grammar("1ex", 1, 1);
    check_grammar("1e+-1", 1, 1);
    check_grammar("1e5e6", 3, 1e5);
    check_grammar("1e0005", 6, 1e5);
    check_grammar("1E+5f", 4, 1e5);
    check_grammar("-1.25e-1", 8, -0.125);
    { /* the length bounds the text */
        static const char text[] = "12.5e10";
        static const double want[] = {77, 1, 12, 12, 12.5, 12.5, 12.5e1, 12.5e10};
        static const size_t used[] = {0, 1, 2, 3, 4, 4, 6, 7};
        for (size_t n = 0; n < sizeof text; n++) {
            uint64_t bits = bits_of_f64(77);
            CHECK_INT(decimal_read(format_f64, text, n, &bits).length, used[n]);
            CHECK_BITS(bits, bits_of_f64(want[n]));
        }
    }
}

static void test_read_long(void)
{
    enum { LONG = 1000000 };
    char *text = malloc(LONG + 64);
    uint64_t bits;

    if (!CHECK(text != NULL))
        return;
    check_grammar("1e99999999999", 13, HUGE_VAL);
    check_grammar("-1e99999999999999999999999999999999999999", 41, -HUGE_VAL);
    check_grammar("1e-99999999999999999999999999999999999999", 41, 0);
    check_grammar("0e99999999999999999999999999999999999999", 40, 0);
    CHECK(decimal_read(format_f64, "-1e99999999999", 14, &bits).overflow);
    CHECK(!decimal_read(format_f64, "0e99999999999", 13, &bits).overflow);

    /* 0.000...01e1000001 */
    memset(text, '0', LONG);
    text[1] = '.';
    strcpy(text + LONG, "1e999999");
    CHECK_BITS(read_bits(format_f64, text), bits_of_f64(1));
    strcpy(text + LONG, "e999999");
    CHECK_BITS(read_bits(format_f64, text), 0);
    /* 1000...0e-999999 */
    text[0] = '1';
    text[1] = '0';
    strcpy(text + LONG, "e-999999");
    CHECK_BITS(read_bits(format_f64, text), bits_of_f64(1));
    strcpy(text + LONG, ".000");
    CHECK_BITS(read_bits(format_f64, text), bits_of_f64(HUGE_VAL));
    /* A tie, broken by its very last digit. */
    memset(text, '0', LONG);
    memcpy(text, "9007199254740993.", 17);
    text[LONG] = '\0';
    CHECK_BITS(read_bits(format_f64, text), bits_of_f64(9007199254740992.0));
    text[LONG - 1] = '1';
    CHECK_BITS(read_bits(format_f64, text), bits_of_f64(9007199254740994.0));
    memcpy(text, "9007199254740992.", 17);
    memset(text + 17, '9', LONG - 17);
    CHECK_BITS(read_bits(format_f64, text), bits_of_f64(9007199254740992.0));
    free(text);
}

static void test_read_random(void)
{
    char text[1300];

    for (int i = 0; i < MANY; i++) {
        /* digits with a point somewhere and an exponent that covers all of f64 */
        size_t n = 1 + random_u64() % (i % 16 == 0 ? 900 : 25);
        size_t point = random_u64() % (n + 5);
        size_t at = 0;
        if (random_u64() % 2)
            text[at++] = '-';
        for (size_t k = 0; k < n; k++) {
            text[at++] = (char)('0' + random_u64() % 10);
            if (k == point)
                text[at++] = '.';
        }
        snprintf(text + at, 32, "e%d", (int)(random_u64() % 700) - 350);
        check_like_libc(text);
    }
}

/* A decimal exactly halfway between two values of f64 or f32, and its close neighbours. */
static void check_halfway(long double middle)
{
    char text[1300];
    char *last;

    snprintf(text, sizeof text, "%.1100Le", middle);
    check_like_libc(text);
    /* Drop the zeros, then change the last digit, which is not 0. */
    last = strchr(text, 'e');
    {
        char exponent[32];
        snprintf(exponent, sizeof exponent, "%s", last);
        while (last[-1] == '0')
            last--;
        snprintf(last, 32, "%s", exponent);
        check_like_libc(text);
        snprintf(last, 64, "0000000000000000000000001%s", exponent);
        check_like_libc(text);
        if (last[-1] != '.') {
            last[-1]--;
            snprintf(last, 64, "9999999999999999999999999%s", exponent);
            check_like_libc(text);
        }
    }
}

static void test_read_halfway(void)
{
    for (int i = 0; i < MANY / 20; i++) {
        uint64_t bits = random_u64() >> 1;
        uint32_t bits32 = (uint32_t)random_u64() >> 1;
        double low, high;
        float low32, high32;
        if (i % 4 == 0)
            bits >>= 12 + i % 52; /* denormal */
        if (i % 4 == 1)
            bits &= UINT64_MAX << 52; /* a power of two */
        if (bits >= UINT64_C(0x7FE) << 52)
            continue;
        memcpy(&low, &bits, sizeof low);
        bits++;
        memcpy(&high, &bits, sizeof high);
        check_halfway(((long double)low + (long double)high) / 2);
        if (bits32 >= UINT32_C(0x7F) << 24)
            continue;
        memcpy(&low32, &bits32, sizeof low32);
        bits32++;
        memcpy(&high32, &bits32, sizeof high32);
        check_halfway(((long double)low32 + (long double)high32) / 2);
    }
}

/* Every value of a small format, every halfway point, and the doubles next to these. */
static void test_read_small_format(float_format f)
{
    char text[400];

    for (uint64_t m = 0; m <= largest_finite(f); m++) {
        double value = value_of(f, m);
        double middle = (value + value_of(f, m + 1)) / 2;
        snprintf(text, sizeof text, "%.30e", value);
        CHECK_BITS(read_bits(f, text), m);
        snprintf(text, sizeof text, "%.160e", middle);
        CHECK_BITS(read_bits(f, text), m + (m & 1));
        snprintf(text, sizeof text, "%.20e", nextafter(middle, 0));
        CHECK_BITS(read_bits(f, text), m);
        snprintf(text, sizeof text, "-%.20e", nextafter(middle, HUGE_VAL));
        CHECK_BITS(read_bits(f, text), (m + 1) | UINT64_C(1) << (f.bits - 1));
    }
}

/* ---- printing ---- */

/* Significant digits of TEXT. */
static int digits_of(const char *text)
{
    int n = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (n == 0 && *text == '0'))
            continue;
        zeros = *text == '0' ? zeros + 1 : 0;
        n++;
    }
    return n - zeros;
}

/* Is there a decimal of N digits that reads as BITS? VALUE is the exact value, positive. */
static bool has_shorter(float_format f, uint64_t bits, double value, int n)
{
    char text[64];
    uint64_t digits, near = 0;
    int exponent;

    snprintf(text, sizeof text, "%.*e", n - 1, value);
    exponent = atoi(strchr(text, 'e') + 1) - (n - 1);
    for (const char *p = text; *p != 'e'; p++)
        if (*p != '.')
            near = near * 10 + (uint64_t)(*p - '0');
    for (digits = near - 1; digits <= near + 1; digits++) {
        uint64_t have;
        snprintf(text, sizeof text, "%" PRIu64 "e%d", digits, exponent);
        decimal_read(f, text, strlen(text), &have);
        if (have == bits)
            return true;
    }
    return false;
}

/* What decimal_print promises of a finite BITS, which are worth VALUE. */
static void check_print(float_format f, uint64_t bits, double value)
{
    char text[DECIMAL_MAX + 1];
    char near[64];
    uint64_t back;
    size_t length;
    int n;
    bool ok = true;

    memset(text, '#', sizeof text);
    length = decimal_print(f, bits, text);
    ok &= CHECK(text[DECIMAL_MAX] == '#' && text[length] == '\0');
    ok &= CHECK_INT(decimal_read(f, text, length, &back).length, length);
    ok &= CHECK_BITS(back, bits);
    ok &= CHECK(strpbrk(text, ".e") != NULL && text[length - 1] != '.' && text[0] != '.');
    n = digits_of(text);
    if (n > 0) { /* not zero */
        double size = fabs(value);
        uint64_t magnitude = bits & magnitude_mask(f);
        double printed = fabs(strtod(text, NULL));
        ok &= CHECK((strchr(text, 'e') == NULL) == (printed >= 1e-5 && printed < 1e16));
        ok &= CHECK(n == 1 || !has_shorter(f, magnitude, size, n - 1));
        /* The closest of N digits, unless that one belongs to the other neighbour. */
        snprintf(near, sizeof near, "%.*e", n - 1, value);
        decimal_read(f, near, strlen(near), &back);
        if (back == bits) {
            uint64_t have64, near64;
            decimal_read(format_f64, text, length, &have64);
            decimal_read(format_f64, near, strlen(near), &near64);
            ok &= CHECK_BITS(have64, near64);
        }
    }
    if (!ok)
        printf("    bits 0x%" PRIx64 " of %d, text \"%s\"\n", bits, f.bits, text);
}

static void test_print_small_format(float_format f)
{
    uint64_t sign = UINT64_C(1) << (f.bits - 1);
    char text[DECIMAL_MAX];

    for (uint64_t m = 0; m < sign; m++) {
        if (m <= largest_finite(f)) {
            check_print(f, m, value_of(f, m));
            check_print(f, m | sign, -value_of(f, m));
        } else if (f.has_inf && m == largest_finite(f) + 1) {
            CHECK_INT(decimal_print(f, m, text), 3);
            CHECK_TEXT(text, "inf");
            CHECK_INT(decimal_print(f, m | sign, text), 4);
            CHECK_TEXT(text, "-inf");
        } else {
            CHECK_INT(decimal_print(f, m, text), 3);
            CHECK_TEXT(text, "nan");
            CHECK_INT(decimal_print(f, m | sign, text), 3);
            CHECK_TEXT(text, "nan");
        }
    }
}

static void check_f64(double v)
{
    if (isfinite(v))
        check_print(format_f64, bits_of_f64(v), v);
}

static void check_f32(float v)
{
    if (isfinite(v))
        check_print(format_f32, bits_of_f32(v), (double)v);
}

static void test_print_random(void)
{
    for (int i = 0; i < MANY; i++) {
        uint64_t bits = random_u64();
        uint32_t bits32 = (uint32_t)random_u64();
        double v;
        float v32;
        memcpy(&v, &bits, sizeof v);
        memcpy(&v32, &bits32, sizeof v32);
        check_f64(v);
        check_f32(v32);
        check_f64((double)v32);
        /* few digits */
        v = (double)(int64_t)(random_u64() >> (20 + i % 44)) / pow(10, i % 12);
        check_f64(v);
        check_f32((float)v);
        check_f64((double)bits * 0x1p-40);
        check_f64((double)(bits >> (i % 64)));
        check_f32((float)(bits >> (i % 64)));
    }
    for (int e = -1074; e <= 1023; e++) {
        double v = ldexp(1, e);
        check_f64(v);
        check_f64(nextafter(v, 0));
        check_f64(nextafter(v, HUGE_VAL));
        check_f32((float)v);
        check_f32(nextafterf((float)v, 0));
        check_f32(nextafterf((float)v, HUGE_VALF));
    }
    for (int e = -323; e <= 308; e++) {
        char text[32];
        double v;
        snprintf(text, sizeof text, "1e%d", e);
        v = strtod(text, NULL);
        check_f64(v);
        check_f64(nextafter(v, 0));
        check_f32((float)v);
    }
    for (uint64_t bits = 0; bits < 200; bits++) {
        check_print(format_f32, bits, value_of(format_f32, bits));
        check_print(format_f64, bits, ldexp((double)bits, -1074));
    }
}

static void test_print_known(void)
{
    static const struct {
        double value;
        const char *text;
    } f64[] = {{0.0, "0.0"},
               {-0.0, "-0.0"},
               {1, "1.0"},
               {-1.5, "-1.5"},
               {0.1, "0.1"},
               {0.00001, "0.00001"},
               {0.0000099, "9.9e-6"},
               {-0.000012345678901234567, "-0.000012345678901234568"},
               {123456, "123456.0"},
               {100, "100.0"},
               {1e15, "1000000000000000.0"},
               {9999999999999998.0, "9999999999999998.0"},
               {1e16, "1e16"},
               {12345678901234567890.0, "1.2345678901234567e19"},
               {1e23, "1e23"},
               {1e-30, "1e-30"},
               {-2.5e-7, "-2.5e-7"},
               {5e-324, "5e-324"},
               {1.7976931348623157e308, "1.7976931348623157e308"},
               {-2.2250738585072014e-308, "-2.2250738585072014e-308"},
               {9007199254740993.0, "9007199254740992.0"},
               {9007199254740994.0, "9007199254740994.0"},
               {0.3, "0.3"},
               {0.1 + 0.2, "0.30000000000000004"},
               {2e-323, "2e-323"},
               {9.5367431640625e-7, "9.5367431640625e-7"},
               {HUGE_VAL, "inf"},
               {-HUGE_VAL, "-inf"},
               {(double)NAN, "nan"}};
    static const struct {
        float value;
        const char *text;
    } f32[] = {{0.1F, "0.1"},
               {16777216.0F, "16777216.0"},
               {123456789.0F, "123456790.0"},
               {1e10F, "10000000000.0"},
               {3.4028235e38F, "3.4028235e38"},
               {1e-45F, "1e-45"},
               {1.1754944e-38F, "1.1754944e-38"},
               {8388609.5F, "8388610.0"},
               {0.333333343F, "0.33333334"},
               {33554450.0F, "33554450.0"},
               {9.8e-45F, "1e-44"}};
    char text[DECIMAL_MAX];

    for (size_t i = 0; i < sizeof f64 / sizeof *f64; i++) {
        CHECK_INT(decimal_print_f64(f64[i].value, text), strlen(f64[i].text));
        CHECK_TEXT(text, f64[i].text);
    }
    for (size_t i = 0; i < sizeof f32 / sizeof *f32; i++) {
        CHECK_INT(decimal_print_f32(f32[i].value, text), strlen(f32[i].text));
        CHECK_TEXT(text, f32[i].text);
    }
}

int main(void)
{
    const float_format small[] = {format_fp8_e4m3, format_fp8_e5m2, format_f16, format_bf16};

    test_print_integers();
    test_read_integers();
    test_powers();
    test_read_known();
    test_read_grammar();
    test_read_long();
    test_read_random();
    test_read_halfway();
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        test_read_small_format(small[i]);
        test_print_small_format(small[i]);
    }
    test_print_known();
    test_print_random();
    return check_result();
}
