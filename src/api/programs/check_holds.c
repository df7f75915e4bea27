/* Two tensors by the rules of a check, element by element. */
#include "api/programs/checks.h"

#include <inttypes.h>
#include <math.h>

/* The float at AT as a number of steps of its format from zero, which has no sign here. */
static int64_t steps_of(tn_dtype d, const void *at)
{
    const size_t bytes = dtype_bytes(d);
    uint64_t bits = 0;
    memcpy(&bits, at, bytes); /* little-endian, as are all hosts of this library */
    const uint64_t sign = (uint64_t)1 << (bytes * 8 - 1);
    return bits & sign ? -(int64_t)(bits ^ sign) : (int64_t)bits;
}

/* UINT64_MAX: one is NaN or infinite, and the other is something else. */
static uint64_t steps_between(tn_dtype d, const void *a, const void *b)
{
    const double x = scalar_load(d, a).f, y = scalar_load(d, b).f;
    if (isnan(x) && isnan(y))
        return 0;
    if (!isfinite(x) || !isfinite(y))
        return memcmp(a, b, dtype_bytes(d)) == 0 ? 0 : UINT64_MAX;
    const int64_t p = steps_of(d, a), q = steps_of(d, b);
    return p > q ? (uint64_t)p - (uint64_t)q : (uint64_t)q - (uint64_t)p;
}

static bool is_near(double x, double y, double tolerance)
{
    return x == y || (isnan(x) && isnan(y)) ||
           (isfinite(x) && isfinite(y) && fabs(x - y) <= tolerance);
}

/* Elements that are no floats are equal or not. */
static bool part_holds(const text_check *check, tn_dtype d, const void *a, const void *b)
{
    const scalar x = scalar_load(d, a), y = scalar_load(d, b);
    if (!dtype_is_float(d))
        return x.u == y.u;
    if (check->kind == CHECK_EQUAL)
        return x.f == y.f;
    return check->kind == CHECK_ULP || is_near(x.f, y.f, check->tolerance);
}

/* Does the check hold for an element of N parts? STEPS: between the parts that are farthest apart,
 * of floats. */
static bool element_holds(const text_check *check, tn_dtype part, size_t n, const char *a,
                          const char *b, uint64_t *steps)
{
    const size_t bytes = dtype_bytes(part);
    bool holds = true;
    *steps = 0;
    for (size_t i = 0; i < n; i++, a += bytes, b += bytes) {
        const uint64_t own = dtype_is_float(part) ? steps_between(part, a, b) : 0;
        *steps = own > *steps ? own : *steps;
        holds = holds && part_holds(check, part, a, b);
    }
    if (check->kind == CHECK_ULP && dtype_is_float(part))
        holds = *steps >= check->least_ulp && *steps <= check->most_ulp;
    return holds;
}

/* `[1, 2]`: where element AT of T stands. */
static void put_place(text_buffer *text, const tn_type *t, int64_t at)
{
    int64_t place[TN_MAX_RANK] = {0};
    for (uint32_t i = t->rank; i-- > 0; at /= t->dims[i])
        place[i] = at % t->dims[i];
    for (uint32_t i = 0; i < t->rank; i++)
        text_printf(text, "%s%" PRId64, i ? ", " : "[", place[i]);
    text_puts(text, t->rank ? "]" : "");
}

static bool write_to(void *user, const char *bytes, size_t n)
{
    text_put(user, bytes, n);
    return !((text_buffer *)user)->failed;
}

static void put_element(text_buffer *text, tn_dtype d, const char *at)
{
    const tn_buffer one = {(void *)(uintptr_t)at, dtype_bytes(d), {.dtype = d}};
    const tn_writer writer = {write_to, text};
    const tn_context memory = {.allocator = *text->allocator};
    (void)tn_buffer_write(&memory, &one, 1, &writer);
}

bool check_holds(const text_check *check, const tn_buffer *got, const tn_buffer *want,
                 text_buffer *why)
{
    const tn_dtype d = got->type.dtype, part = dtype_table[d].part;
    const size_t bytes = dtype_bytes(d), parts = bytes / dtype_bytes(part);
    if (!public_same_type(&got->type, &want->type)) {
        text_puts(why, "the shapes are different");
        return false;
    }
    for (size_t i = 0; i < got->bytes / bytes; i++) {
        const char *a = (const char *)got->data + i * bytes;
        const char *b = (const char *)want->data + i * bytes;
        uint64_t steps;
        if (element_holds(check, part, parts, a, b, &steps))
            continue;
        text_puts(why, "element ");
        put_place(why, &got->type, (int64_t)i);
        text_puts(why, got->type.rank ? " is " : "is ");
        put_element(why, d, a);
        text_puts(why, " and should be ");
        put_element(why, d, b);
        if (dtype_is_float(part) && steps > 0 && steps < UINT64_MAX)
            text_printf(why, ", %" PRIu64 " ulp apart", steps);
        return false;
    }
    return true;
}
