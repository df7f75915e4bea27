/* The border of a stream: which of its positions are padding, and what stands there. */
#ifndef INDEX_BORDER_H
#define INDEX_BORDER_H

#include "index/access.h"

typedef struct border border;

/* The border that the guards of MAP draw. Their fill numbers are values of F made by `pad` nodes,
 * whose padding is converted to the dtype D. Lives in MEMORY; NULL when there is none. */
border *border_of(const function *f, const access_map *map, tn_dtype d, arena *memory);

/* Go to a position, in row-major order. */
void border_seek(border *b, int64_t position);
/* The length, at most N, of a run of positions that are all padding or all not; moves behind the
 * run. *FILL is the element of the padding, NULL where the elements come from the source. */
size_t border_next(border *b, size_t n, const void **fill);

#endif
