/* Element types: facts about each, exact conversions between them, and a holder for one value.
 *
 * Storage: i1, the 4-bit integers and fp8 take one byte an element, everything else its natural
 * size; a complex element is its real part followed by its imaginary part. A byte of an i1 is 0 or
 * 1, and a 4-bit integer is sign- or zero-extended: what comes from outside is looked at by
 * `dtype_holds` before anything computes with it, or made so by `dtype_narrow`, for which any
 * non-zero byte is a true i1 and only the low four bits of a 4-bit element count. The pointers of
 * the bulk functions need no alignment. */
#ifndef SCALAR_DTYPE_H
#define SCALAR_DTYPE_H

#include "tenon/types.h"

typedef enum dtype_class {
    DTYPE_BOOL = 0,
    DTYPE_SIGNED,
    DTYPE_UNSIGNED,
    DTYPE_FLOAT,
    DTYPE_COMPLEX
} dtype_class;

typedef struct dtype_info {
    const char *name; /* the library's own spelling: "i1", "si4", ..., "cf64" */
    uint8_t bits;
    uint8_t bytes;     /* storage of one element */
    uint8_t precision; /* significand bits of a float or of a part of a complex; 0 otherwise */
    dtype_class kind;
    tn_dtype compute; /* what arithmetic uses: f32 for the narrower floats, else the dtype itself */
    tn_dtype part;    /* f32 of cf32, f64 of cf64, else the dtype itself */
} dtype_info;

extern const dtype_info dtype_table[TN_DTYPE_COUNT];

static inline const char *dtype_name(tn_dtype d)
{
    return dtype_table[d].name;
}
static inline size_t dtype_bytes(tn_dtype d)
{
    return dtype_table[d].bytes;
}
static inline tn_dtype dtype_compute(tn_dtype d)
{
    return dtype_table[d].compute;
}
static inline bool dtype_is_bool(tn_dtype d)
{
    return dtype_table[d].kind == DTYPE_BOOL;
}
static inline bool dtype_is_signed(tn_dtype d) /* signed integers only */
{
    return dtype_table[d].kind == DTYPE_SIGNED;
}
static inline bool dtype_is_unsigned(tn_dtype d) /* unsigned integers, without i1 */
{
    return dtype_table[d].kind == DTYPE_UNSIGNED;
}
static inline bool dtype_is_int(tn_dtype d)
{
    return dtype_is_signed(d) || dtype_is_unsigned(d);
}
static inline bool dtype_is_float(tn_dtype d) /* real floats */
{
    return dtype_table[d].kind == DTYPE_FLOAT;
}
static inline bool dtype_is_complex(tn_dtype d)
{
    return dtype_table[d].kind == DTYPE_COMPLEX;
}

/* The dtype whose `dtype_name` is TEXT; false when there is none. */
bool dtype_from_name(const char *text, size_t length, tn_dtype *dtype);

/* Smallest and largest value of an integer dtype or i1; 0 for the others. */
int64_t dtype_int_min(tn_dtype d);
uint64_t dtype_int_max(tn_dtype d);
/* Is every value of the integers or truth values FROM among those of TO? */
bool dtype_holds_ints(tn_dtype to, tn_dtype from);
/* Do not all bytes make an element of D? So it is with i1 and the 4-bit integers. */
static inline bool dtype_has_gaps(tn_dtype d)
{
    return d == TN_I1 || d == TN_SI4 || d == TN_UI4;
}
/* Is each element in N bytes of data one of D? */
bool dtype_holds(tn_dtype d, const void *data, size_t n);
/* What its elements hold, for messages about those that are none: "si4 holds -8 to 7". */
const char *dtype_range(tn_dtype d);
/* Largest finite value of a float dtype, or of a part of a complex one; 0 for the others. */
double dtype_float_max(tn_dtype d);

/* N elements of D, as stored, to its compute dtype: exact. i1 becomes 0 or 1, and a 4-bit
 * integer is extended from its low bits. SRC and DST are equal or do not overlap when sizes agree,
 * and do not overlap otherwise. */
void dtype_widen(tn_dtype d, const void *src, void *dst, size_t n);

/* N elements of the compute dtype of D to D: floats are rounded to nearest even (fp8_e4m3
 * overflows to NaN, the others to infinity), 4-bit integers wrap, i1 is normalised. Overlap as
 * above. */
void dtype_narrow(tn_dtype d, const void *src, void *dst, size_t n);

/* Whether `dtype_cast` is defined: everything but complex to a real number. */
bool dtype_can_cast(tn_dtype from, tn_dtype to);

/* Convert N elements by value; false, with nothing written, when `dtype_can_cast` is false.
 *
 * float to float    rounded once, to nearest even, from the source's own precision; overflow gives
 *                   infinity, in fp8_e4m3 NaN; NaN stays NaN
 * integer to float  rounded once, to nearest even
 * float to integer  truncated, then saturated; NaN gives 0
 * integer to integer  saturated
 * any to i1         value != 0, so NaN is true; i1 to any: 0 or 1
 * complex           a real gets imaginary part 0; complex to complex converts both parts
 * SRC and DST do not overlap, except that they may be equal when both dtypes have the same size.
 * source: PTIR v0.4, "Cast". */
bool dtype_cast(tn_dtype from, const void *src, tn_dtype to, void *dst, size_t n);
/* N integers of FROM to the integers TO that are equal to them modulo 2 to the power of the bits of
 * TO. SRC and DST as above. */
void dtype_wrap(tn_dtype from, const void *src, tn_dtype to, void *dst, size_t n);
/* The bits of N elements as those of another dtype of the same width; neither is complex or i1.
 * Every NaN is read as the positive quiet one without a payload, unless the dtypes are the same. */
void dtype_bitcast(tn_dtype from, const void *src, tn_dtype to, void *dst, size_t n);

/* One value of any dtype, held without loss. */
typedef struct scalar {
    dtype_class kind; /* which field speaks */
    union {
        int64_t i;  /* DTYPE_SIGNED */
        uint64_t u; /* DTYPE_UNSIGNED, and DTYPE_BOOL as 0 or 1 */
        double f;   /* DTYPE_FLOAT, and the real part of DTYPE_COMPLEX */
    };
    double im; /* DTYPE_COMPLEX */
} scalar;

static inline scalar scalar_of_bool(bool value)
{
    return (scalar){.kind = DTYPE_BOOL, .u = value};
}
static inline scalar scalar_of_int(int64_t value)
{
    return (scalar){.kind = DTYPE_SIGNED, .i = value};
}
static inline scalar scalar_of_uint(uint64_t value)
{
    return (scalar){.kind = DTYPE_UNSIGNED, .u = value};
}
static inline scalar scalar_of_float(double value)
{
    return (scalar){.kind = DTYPE_FLOAT, .f = value};
}
static inline scalar scalar_of_complex(double re, double im)
{
    return (scalar){.kind = DTYPE_COMPLEX, .f = re, .im = im};
}

/* The element of dtype D at SRC. */
scalar scalar_load(tn_dtype d, const void *src);
/* Write VALUE as an element of D, converted as by `dtype_cast`; false for complex to real, unless
 * the imaginary part is +0. */
bool scalar_store(scalar value, tn_dtype d, void *dst);
/* VALUE converted to D as by scalar_store. */
bool scalar_cast(scalar value, tn_dtype d, scalar *result);
/* Whether D holds exactly this value, the sign of zero included. NaN is held by every float dtype;
 * a complex value with another imaginary part than +0 is held by complex dtypes only. */
bool scalar_is_exact(scalar value, tn_dtype d);
/* Same kind and same value: zeros of different sign differ, NaNs are equal. */
bool scalar_equal(scalar a, scalar b);

#endif
