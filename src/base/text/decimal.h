/* Decimal text <-> integers and binary floating point: exact, and the same in every locale. */
#ifndef BASE_TEXT_DECIMAL_H
#define BASE_TEXT_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Room for the text of any number and its NUL. Printing may write all of it. */
enum { DECIMAL_MAX = 40 };

/* A binary format of at most 64 bits: sign, then exponent, then PRECISION - 1 fraction bits.
 * The bias is the usual one, so the exponent of the smallest normal value fixes the range. */
typedef struct float_format {
    uint8_t bits;      /* of the whole pattern */
    uint8_t precision; /* significant bits, with the hidden one */
    bool has_inf; /* the largest exponent holds infinity and NaN; if not, only all ones is NaN */
    int16_t min_exponent; /* the smallest normal value is 2^min_exponent */
} float_format;

extern const float_format format_fp8_e4m3; /* OCP "FN": no infinity, largest finite 448 */
extern const float_format format_fp8_e5m2;
extern const float_format format_bf16;
extern const float_format format_f16;
extern const float_format format_f32;
extern const float_format format_f64;

/* Write VALUE in decimal, NUL-terminated; returns the length without the NUL. */
size_t decimal_print_u64(uint64_t value, char out[DECIMAL_MAX]);
size_t decimal_print_i64(int64_t value, char out[DECIMAL_MAX]);

/* Write the shortest decimal that decimal_read turns back into BITS, and of these the one closest
 * to the true value; NUL-terminated, returns the length without the NUL.
 *
 * Plain notation ("1.0", "-0.00001", "123456.0") when the decimal exponent is in [-5, 16), else
 * scientific ("1e30", "2.5e-7"), so that no float looks like an integer. Zeros keep their sign.
 * "inf", "-inf" and "nan" (every NaN, no sign) are not in the grammar of decimal_read. */
size_t decimal_print(float_format format, uint64_t bits, char out[DECIMAL_MAX]);

static inline size_t decimal_print_f32(float value, char out[DECIMAL_MAX])
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return decimal_print(format_f32, bits, out);
}

static inline size_t decimal_print_f64(double value, char out[DECIMAL_MAX])
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return decimal_print(format_f64, bits, out);
}

/* What a reader found at the start of a text. */
typedef struct decimal_result {
    size_t length; /* bytes of the number; 0: there is none and nothing was stored */
    bool overflow; /* the value is out of range; what was stored is named at each reader */
} decimal_result;

/* Read digits, without sign. On overflow all digits are consumed and UINT64_MAX is stored. */
decimal_result decimal_read_u64(const char *text, size_t length, uint64_t *value);
/* Read [-+]digits. On overflow all digits are consumed and the nearest int64_t is stored. */
decimal_result decimal_read_i64(const char *text, size_t length, int64_t *value);

/* Read [-+]digits[.[digits]][(e|E)[-+]digits], rounded to nearest even, for any number of digits
 * and any exponent, in time linear in LENGTH. An exponent without digits is not part of the number.
 * On overflow infinity is stored, or NaN in a format without it. A value too small becomes zero. */
decimal_result decimal_read(float_format format, const char *text, size_t length, uint64_t *bits);

#endif
