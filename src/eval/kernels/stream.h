/* Values that are computed in pieces when they are read, instead of being held in memory: large
 * results of elementwise ops and movement, such as the operands of a product that is then summed.
 */
#ifndef EVAL_KERNELS_STREAM_H
#define EVAL_KERNELS_STREAM_H

#include "eval/kernels/flat.h"
#include "index/access.h"

/* The values of a run. `data` gives a value's elements, or NULL for one that is not held. */
typedef struct stream_values {
    const function *f;
    const void *user;
    const void *(*data)(const void *user, value_id v);
} stream_values;

typedef struct stream stream;

/* The elements of V in the order of MAP, which leads from the positions that are read to those of
 * V. Lives in MEMORY. NULL when that cannot be expressed or there is no memory. */
stream *stream_of(const stream_values *values, value_id v, const access_map *map, arena *memory);
/* The same for a value that is about to be computed, from what its node reads. */
stream *stream_of_node(const stream_values *values, value_id v, const access_map *map,
                       arena *memory);
/* Elements START .. START + n - 1, n at most FLAT_CHUNK; valid until the next call. */
const void *stream_read(stream *s, int64_t start, size_t n);

/* Which values of F, but for the N of HELD, are better not held: large ones that cost less memory
 * to compute again and that only ops that can read streams use. NEEDED by node, USES by value; LAZY
 * by value is set. False when there is no memory. */
bool stream_plan(const function *f, const value_id *held, uint32_t n, const bool *needed,
                 const uint32_t *uses, bool *lazy, arena *memory);

#endif
