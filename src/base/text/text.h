/* A growable output text for writers. Failure is sticky: write everything, then ask once. */
#ifndef BASE_TEXT_TEXT_H
#define BASE_TEXT_TEXT_H

#include <stdarg.h>
#include <string.h>

#include "base/context/plural.h"
#include "base/text/decimal.h"
#include "tenon/types.h"

typedef struct text_buffer {
    const tn_allocator *allocator;
    char *at;      /* not NUL-terminated; see text_c_string */
    size_t n;      /* bytes written */
    size_t cap;    /* bytes allocated; above n unless both are 0 */
    size_t most;   /* bytes the text may have; 0: any number */
    bool failed;   /* there was no room once: the text is gone and nothing is written any more */
    bool too_long; /* it failed because of `most` */
} text_buffer;

void text_init(text_buffer *b, const tn_allocator *allocator);
/* Free the text; the buffer can be used again. */
void text_release(text_buffer *b);
/* Forget the text but keep its memory. Does not clear `failed`. */
static inline void text_reset(text_buffer *b)
{
    b->n = 0;
}

/* Make room for more than EXTRA bytes; false, and `failed`, when there is no memory. */
bool text_grow(text_buffer *b, size_t extra);

/* True when EXTRA bytes and a NUL fit at `at + n`. */
static inline bool text_reserve(text_buffer *b, size_t extra)
{
    return b->cap - b->n > extra || text_grow(b, extra);
}

/* The same for N times SIZE bytes. */
bool text_reserve_times(text_buffer *b, uint64_t n, size_t size);

static inline void text_put(text_buffer *b, const char *bytes, size_t n)
{
    if (n == 0 || !text_reserve(b, n))
        return;
    memcpy(b->at + b->n, bytes, n);
    b->n += n;
}

static inline void text_puts(text_buffer *b, const char *s)
{
    text_put(b, s, strlen(s));
}

static inline void text_putc(text_buffer *b, char c)
{
    if (text_reserve(b, 1))
        b->at[b->n++] = c;
}

/* N times the byte C: indentation, padding. */
void text_fill(text_buffer *b, char c, size_t n);

static inline void text_u64(text_buffer *b, uint64_t value)
{
    if (text_reserve(b, DECIMAL_MAX))
        b->n += decimal_print_u64(value, b->at + b->n);
}

static inline void text_i64(text_buffer *b, int64_t value)
{
    if (text_reserve(b, DECIMAL_MAX))
        b->n += decimal_print_i64(value, b->at + b->n);
}

/* As decimal_print. */
static inline void text_float(text_buffer *b, float_format format, uint64_t bits)
{
    if (text_reserve(b, DECIMAL_MAX))
        b->n += decimal_print(format, bits, b->at + b->n);
}

static inline void text_f32(text_buffer *b, float value)
{
    if (text_reserve(b, DECIMAL_MAX))
        b->n += decimal_print_f32(value, b->at + b->n);
}

static inline void text_f64(text_buffer *b, double value)
{
    if (text_reserve(b, DECIMAL_MAX))
        b->n += decimal_print_f64(value, b->at + b->n);
}

/* For the rare and the mixed. Floating-point conversions follow the locale: do not use them. */
void text_printf(text_buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(text_buffer *b, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* A JSON string with its quotes. Non-ASCII text stays as it is; ill-formed UTF-8 becomes U+FFFD. */
void text_json_string(text_buffer *b, const char *bytes, size_t n);

/* The text with a NUL behind it, valid until the next write; NULL after a failure. */
const char *text_c_string(text_buffer *b);

#endif
