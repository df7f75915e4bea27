/* Inputs that bring differences to light, and how far results are apart. */
#include "api/programs/equivalence.h"

#include <math.h>

#include "base/memory/hash.h"

/* ---- inputs --------------------------------------------------------------------------------- */

/* Everything is written as f64 and cast, so that narrow types get their own extremes. */
static double special_float(tn_dtype d, uint64_t which)
{
    const double largest = dtype_float_max(d), tiny = ldexp(1, -1074);
    const double denormal = d == TN_F64 ? tiny : d == TN_F16 ? ldexp(1, -24) : ldexp(1, -149);
    const double of[] = {
        0.0,         -0.0,     1.0,       -1.0,    (double)INFINITY, -(double)INFINITY,
        (double)NAN, denormal, -denormal, largest, -largest,         1e-30,
        3.0,         0.5};
    return of[which % (sizeof of / sizeof of[0])];
}

static int64_t special_int(tn_dtype d, uint64_t which)
{
    const int64_t least = dtype_int_min(d);
    const uint64_t most = dtype_int_max(d);
    const int64_t of[] = {0, 1, least < 0 ? -1 : 2, least, (int64_t)most, 7};
    return of[which % (sizeof of / sizeof of[0])];
}

/* Numbers of very different size: a random one times a power of two. */
static double scaled(double x, uint64_t hash)
{
    return ldexp(x, (int)(hash % 41) - 20);
}

/* Every third run, from the second on, has special values only. */
static bool is_all_special(uint32_t run)
{
    return run % 3 == 1;
}

/* In the other runs none is special, or about one in 4, 8, 16 or 32. */
static bool is_special(uint32_t run, uint64_t hash)
{
    return is_all_special(run) || (run % 5 != 0 && hash % (2U << run % 5) == 0);
}

void equiv_fill(const tn_program *p, size_t index, uint64_t seed, uint32_t run, int64_t positions,
                tn_buffer *buffer)
{
    tn_dtype d = buffer->type.dtype, part = dtype_table[d].part;
    const size_t size = dtype_bytes(part);
    if (tn_program_random_input(p, index, seed + run, buffer) != TN_OK || run == 0)
        return;
    const size_t n = buffer->bytes / size;
    char *data = buffer->data;
    for (size_t i = 0; i < n; i++, data += size) {
        uint64_t h = hash_splitmix(seed ^ hash_splitmix(run * 0x9e3779b97f4a7c15U + index) ^
                                   hash_splitmix(i + 1));
        const bool special = is_special(run, h);
        /* Small tensors too meet all specials: each such run goes on where the last one stopped. */
        h = is_all_special(run) ? run / 3 * n + i + index * 5 : hash_splitmix(h + 1);
        if (dtype_is_float(part)) {
            double x = scalar_load(part, data).f;
            x = special ? special_float(part, h) : run % 2 ? scaled(x, h) : x;
            (void)scalar_store(scalar_of_float(x), part, data);
        } else if (special && positions <= 0) {
            scalar x = dtype_is_bool(d) ? scalar_of_bool(h & 1) : scalar_of_int(special_int(d, h));
            if (dtype_is_unsigned(d))
                x = scalar_of_uint((uint64_t)special_int(d, h));
            (void)scalar_store(x, part, data);
        }
    }
}

/* ---- results -------------------------------------------------------------------------------- */

/* The place of a float on the line of all floats of its type. */
static int64_t rank_of(tn_dtype d, const void *at)
{
    const size_t bits = dtype_bytes(d) * 8;
    uint64_t u = 0;
    memcpy(&u, at, bits / 8); /* little-endian, as are all hosts of this library */
    const uint64_t sign = (uint64_t)1 << (bits - 1);
    return u & sign ? -(int64_t)(u ^ sign) - 1 : (int64_t)u;
}

/* The distance of two floats in units in the last place; UINT64_MAX when only one is NaN. */
static uint64_t ulp_between(tn_dtype d, const void *a, const void *b)
{
    const bool nan_a = isnan(scalar_load(d, a).f), nan_b = isnan(scalar_load(d, b).f);
    if (nan_a || nan_b)
        return nan_a && nan_b ? 0 : UINT64_MAX;
    const int64_t x = rank_of(d, a), y = rank_of(d, b);
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

static bool is_tolerated(tn_dtype d, const void *a, const void *b, uint64_t ulp,
                         const tn_equiv_options *allowed)
{
    const double x = scalar_load(d, a).f, y = scalar_load(d, b).f;
    /* without a tolerance the zeros differ, and nothing is near an infinity or a NaN */
    return ulp <= allowed->ulp ||
           ((allowed->atol > 0 || allowed->rtol > 0) && isfinite(x) && isfinite(y) &&
            fabs(x - y) <= allowed->atol + allowed->rtol * fabs(y));
}

/* Do A and B, of the dtype D, which is not complex, differ by more than is allowed? */
static bool part_differs(tn_dtype d, const void *a, const void *b, const tn_equiv_options *allowed,
                         tn_equiv_result *r)
{
    if (memcmp(a, b, dtype_bytes(d)) == 0)
        return false;
    const uint64_t ulp = dtype_is_float(d) ? ulp_between(d, a, b) : UINT64_MAX;
    if (ulp == 0) /* two NaNs */
        return false;
    r->equal = false;
    r->largest_ulp = ulp > r->largest_ulp ? ulp : r->largest_ulp;
    return !dtype_is_float(d) || !is_tolerated(d, a, b, ulp, allowed);
}

int64_t equiv_compare(const tn_buffer *a, const tn_buffer *b, const tn_equiv_options *allowed,
                      tn_equiv_result *r)
{
    const tn_dtype d = a->type.dtype, part = dtype_table[d].part;
    const size_t size = dtype_bytes(part), per_element = dtype_bytes(d) / size;
    int64_t first = -1;
    const size_t n = (a->bytes < b->bytes ? a->bytes : b->bytes) / size;
    for (size_t i = 0; i < n; i++) {
        const char *x = (const char *)a->data + i * size, *y = (const char *)b->data + i * size;
        if (part_differs(part, x, y, allowed, r) && first < 0)
            first = (int64_t)(i / per_element);
    }
    return first;
}

bool equiv_is_tolerance(double x)
{
    return x >= 0 && isfinite(x);
}

/* ---- two tensors ---------------------------------------------------------------------------- */

/* Are A and B of one type, with data for it? There may be more room at it. */
static bool is_same_type(const tn_buffer *a, const tn_buffer *b, size_t *bytes)
{
    return public_same_type(&a->type, &b->type) && public_type_bytes(&a->type, bytes) &&
           *bytes <= a->bytes && *bytes <= b->bytes && (*bytes == 0 || (a->data && b->data));
}

/* Note how far X is from Y, which differ in bits. */
static void note_distance(tn_dtype d, const void *a, const void *b, uint64_t ulp,
                          tn_difference *out)
{
    const double x = scalar_load(d, a).f, y = scalar_load(d, b).f, distance = fabs(x - y);
    out->largest_ulp = ulp > out->largest_ulp ? ulp : out->largest_ulp;
    if (distance > out->largest_absolute)
        out->largest_absolute = distance;
    if (fabs(y) > 0 && distance / fabs(y) > out->largest_relative)
        out->largest_relative = distance / fabs(y);
}

/* Do A and B, which differ in bits, differ by more than is allowed? */
static bool is_beyond(tn_dtype d, const void *a, const void *b, const tn_equiv_options *allowed,
                      tn_difference *out)
{
    if (!dtype_is_float(d)) {
        out->is_equal = false;
        out->largest_ulp = UINT64_MAX;
        return true;
    }
    const uint64_t ulp = ulp_between(d, a, b);
    if (ulp == 0) /* two NaNs */
        return false;
    out->is_equal = false;
    note_distance(d, a, b, ulp, out);
    return !is_tolerated(d, a, b, ulp, allowed);
}

tn_status tn_buffer_compare(const tn_buffer *got, const tn_buffer *want, double rtol, double atol,
                            tn_difference *out)
{
    const tn_equiv_options allowed = {.rtol = rtol, .atol = atol};
    tn_difference found = {.is_equal = true, .first = -1};
    size_t bytes;
    if (!OPTIONS_HAS_ROOM(tn_difference, first, out) || !equiv_is_tolerance(rtol) ||
        !equiv_is_tolerance(atol))
        return TN_ERR_USAGE;
    OPTIONS_GIVE(tn_difference, first, out, &found);
    if (!is_same_type(got, want, &bytes))
        return TN_ERR_INPUT;
    const tn_dtype d = got->type.dtype, part = dtype_table[d].part;
    const size_t size = dtype_bytes(part), per_element = dtype_bytes(d) / size;
    int64_t last = -1;
    for (size_t i = 0; i < bytes / size; i++) {
        const char *x = (const char *)got->data + i * size;
        const char *y = (const char *)want->data + i * size;
        const int64_t element = (int64_t)(i / per_element);
        if (memcmp(x, y, size) == 0 || !is_beyond(part, x, y, &allowed, &found))
            continue;
        found.n_beyond += element != last;
        found.first = found.first < 0 ? element : found.first;
        last = element;
    }
    OPTIONS_GIVE(tn_difference, first, out, &found);
    return TN_OK;
}
