/* Owning, measuring and judging dense arrays. */
#include "io/array.h"

#include <inttypes.h>

#include "base/memory/checked.h"
#include "io/input.h"

enum { ALIGNMENT = 64 };

bool array_measure(const array *a, size_t *bytes)
{
    int64_t count, total;
    if (!product_i64(a->dims, a->rank, &count) ||
        !mul_i64(count, (int64_t)dtype_bytes(a->dtype), &total) ||
        (uint64_t)total > SIZE_MAX / 2 - ALIGNMENT)
        return false;
    *bytes = (size_t)total;
    return true;
}

tn_status array_alloc(context *cx, const char *name, array *a)
{
    size_t bytes;
    a->data = a->block = NULL;
    a->bytes = 0;
    if (!array_measure(a, &bytes))
        return io_error(cx, name, "the array has too many elements");
    if (bytes > cx->limits.run_bytes)
        return diag_report(&cx->diag, DIAG_AllocationFailure, NULL, NO_SPAN,
                           "%s: an array of %zu bytes exceeds the limit run_bytes=%" PRIu64, name,
                           bytes, cx->limits.run_bytes);
    char *block = memory_alloc(&cx->allocator, bytes + ALIGNMENT);
    if (!block)
        return diag_no_memory(&cx->diag);
    a->block = block;
    a->data = block + (-(uintptr_t)block & (ALIGNMENT - 1));
    a->bytes = bytes;
    return TN_OK;
}

void array_release(context *cx, array *a)
{
    memory_free(&cx->allocator, a->block, a->bytes + ALIGNMENT);
    a->data = a->block = NULL;
    a->bytes = 0;
}

tn_dtype array_carrier(tn_dtype d)
{
    if (d == TN_BF16)
        return TN_UI16;
    if (d == TN_SI4)
        return TN_SI8;
    if (d == TN_UI4 || d == TN_FP8_E4M3 || d == TN_FP8_E5M2)
        return TN_UI8;
    return d;
}

/* Does each byte hold an integer of 4 bits? Those above them are 0, or, of a SIGNED one, repeat the
 * highest of the four: each equals its neighbour below. Eight bytes at a time, since a run looks at
 * all its inputs. */
static bool all_in_range(const array *a, bool is_signed)
{
    const uint64_t above = UINT64_C(0xf0f0f0f0f0f0f0f0);
    const uint64_t neighbours = is_signed ? UINT64_MAX : 0;
    const uint8_t *data = a->data;
    uint64_t wrong = 0, w;
    size_t i = 0;
    for (; i + sizeof w <= a->bytes; i += sizeof w) {
        memcpy(&w, data + i, sizeof w);
        wrong |= w ^ (w << 1 & neighbours);
    }
    for (; i < a->bytes; i++) {
        w = data[i];
        wrong |= w ^ (w << 1 & neighbours);
    }
    return (wrong & above) == 0;
}

bool array_fits(const array *a, tn_dtype declared)
{
    if (a->dtype == declared)
        return true;
    if (a->dtype != array_carrier(declared))
        return false;
    if (declared == TN_SI4)
        return all_in_range(a, true);
    if (declared == TN_UI4)
        return all_in_range(a, false);
    return true;
}
