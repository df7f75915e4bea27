/* Long loops over memory, in pieces; the clock is checked before each (eval_tick). */
#ifndef EVAL_PARTS_PIECES_H
#define EVAL_PARTS_PIECES_H

#include "eval/parts/eval_call.h"

/* Where the piece that begins at AT ends, of N elements. */
static inline tn_status eval_piece(const eval_call *call, size_t at, size_t n, size_t *end)
{
    *end = n - at < EVAL_TICK ? n : at + EVAL_TICK;
    return eval_tick(call, *end - at);
}

/* memcpy and memset with 0. */
tn_status eval_copy_bytes(const eval_call *call, void *to, const void *from, size_t bytes);
tn_status eval_clear_bytes(const eval_call *call, void *to, size_t bytes);
/* dtype_widen, dtype_narrow and dtype_cast of N elements, which is defined. */
tn_status eval_widen(const eval_call *call, tn_dtype d, const void *from, void *to, size_t n);
tn_status eval_narrow(const eval_call *call, tn_dtype d, const void *from, void *to, size_t n);
tn_status eval_cast_all(const eval_call *call, tn_dtype d, const void *from, tn_dtype into,
                        void *to, size_t n);

#endif
