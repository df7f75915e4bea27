/* Constant data too large to be copied with every module that holds it: counted by its holders,
 * which may live in different contexts and threads. */
#ifndef GRAPH_PAYLOAD_H
#define GRAPH_PAYLOAD_H

#include "base/memory/memory.h"

typedef struct payload payload;

/* Bytes of a constant from which on it is worth while. */
enum { PAYLOAD_FROM = 64 << 10 };

/* BYTES of memory at *DATA, held once by the caller, for whom it is to fill. NULL without memory.
 */
payload *payload_new(const tn_allocator *allocator, size_t bytes, void **data);
/* The same, in large pages where that is worth while: for what runs read from end to end. */
payload *payload_large(const tn_allocator *allocator, size_t bytes, void **data);
/* One that stands for memory of somebody else's. */
payload *payload_of_others(const tn_allocator *allocator);
/* One that stands for a part of WHOLE, which it holds. */
payload *payload_part(payload *whole);

void payload_hold(payload *p);
void payload_drop(payload *p); /* frees it with the last holder; NULL is nothing */
/* Do others hold it beside the caller? */
bool payload_is_shared(const payload *p);

#endif
