/* Copies and conversions of whole tensors that can be interrupted. */
#include "eval/parts/pieces.h"

#include <string.h>

tn_status eval_copy_bytes(const eval_call *call, void *to, const void *from, size_t bytes)
{
    for (size_t at = 0, end; at < bytes; at = end) {
        TN_TRY(eval_piece(call, at, bytes, &end));
        memcpy((char *)to + at, (const char *)from + at, end - at);
    }
    return TN_OK;
}

tn_status eval_clear_bytes(const eval_call *call, void *to, size_t bytes)
{
    for (size_t at = 0, end; at < bytes; at = end) {
        TN_TRY(eval_piece(call, at, bytes, &end));
        memset((char *)to + at, 0, end - at);
    }
    return TN_OK;
}

tn_status eval_widen(const eval_call *call, tn_dtype d, const void *from, void *to, size_t n)
{
    const size_t stored = dtype_bytes(d), wide = dtype_bytes(dtype_compute(d));
    for (size_t at = 0, end; at < n; at = end) {
        TN_TRY(eval_piece(call, at, n, &end));
        dtype_widen(d, (const char *)from + at * stored, (char *)to + at * wide, end - at);
    }
    return TN_OK;
}

tn_status eval_narrow(const eval_call *call, tn_dtype d, const void *from, void *to, size_t n)
{
    const size_t stored = dtype_bytes(d), wide = dtype_bytes(dtype_compute(d));
    for (size_t at = 0, end; at < n; at = end) {
        TN_TRY(eval_piece(call, at, n, &end));
        dtype_narrow(d, (const char *)from + at * wide, (char *)to + at * stored, end - at);
    }
    return TN_OK;
}

tn_status eval_cast_all(const eval_call *call, tn_dtype d, const void *from, tn_dtype into,
                        void *to, size_t n)
{
    const size_t size = dtype_bytes(d), made = dtype_bytes(into);
    for (size_t at = 0, end; at < n; at = end) {
        TN_TRY(eval_piece(call, at, n, &end));
        (void)dtype_cast(d, (const char *)from + at * size, into, (char *)to + at * made, end - at);
    }
    return TN_OK;
}
