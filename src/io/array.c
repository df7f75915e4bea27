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

bool array_fits(const array *a, tn_dtype declared)
{
    return (a->dtype == declared || a->dtype == array_carrier(declared)) &&
           (!a->data || dtype_holds(declared, a->data, a->bytes));
}
