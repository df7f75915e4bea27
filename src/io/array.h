/* A dense tensor in memory, as files hold it: row-major, in the byte order of this machine. */
#ifndef IO_ARRAY_H
#define IO_ARRAY_H

#include "base/context/context.h"
#include "scalar/dtype.h"

typedef struct array {
    tn_dtype dtype;
    uint32_t rank;
    int64_t dims[TN_MAX_RANK];
    void *data;   /* 64-byte aligned when `block` owns it; not NULL, even without elements */
    size_t bytes; /* of data */
    void *block;  /* what array_release frees; NULL when data is borrowed */
} array;

/* *BYTES = size of the data of this dtype, rank and these non-negative dims; false when too large.
 */
bool array_measure(const array *a, size_t *bytes);

/* Give A, whose dtype, rank and dims are set, memory of its own, not cleared. Reports, with NAME in
 * the message, a size that overflows, exceeds limits.run_bytes or cannot be had. */
tn_status array_alloc(context *cx, const char *name, array *a);

/* Free the data that A owns and make A an array without data. */
void array_release(context *cx, array *a);

/* The dtype under which D travels in an .npy file: ui16 for bf16, ui8 for the fp8 and ui4, si8 for
 * si4, D itself for the others. */
tn_dtype array_carrier(tn_dtype d);

/* Whether the data may stand for an array of DECLARED: it has this dtype, or its carrier's, and
 * only elements of this one (dtype_holds). The bytes then need no change. An array without data
 * fits by its type. */
bool array_fits(const array *a, tn_dtype declared);

#endif
