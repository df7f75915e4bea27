/* Questions about constant data. */
#ifndef GRAPH_LITERAL_H
#define GRAPH_LITERAL_H

#include "graph/module.h"

/* Bytes up to which one element that a region repeats is written out ahead of time: what runs once
 * may as well write it then. */
enum { LITERAL_SPREAD = 1 << 16 };

/* The literal of a constant, or NULL when N is something else. */
const literal *literal_of(const node *n);

/* Element INDEX, as stored. */
static inline const void *literal_element(const literal *l, int64_t index)
{
    return (const char *)l->data + (l->splat ? 0 : (size_t)index * dtype_bytes(l->type->dtype));
}

/* Is every byte pattern of D what the library stores? */
bool literal_is_normal(tn_dtype d);
/* Make N bytes of D that come from outside what the library stores: any non-zero byte is a true i1,
 * and only the low half of a 4-bit element counts. */
void literal_normalize(tn_dtype d, void *data, size_t n);

/* Is one element stored, that of all? A tensor of one element need not be a splat. */
static inline bool literal_is_single(const literal *l)
{
    return l->splat || l->type->count == 1;
}

/* Do all elements have one bit pattern? True for splats and for one element; false for none. */
bool literal_is_uniform(const literal *l);

/* Are all elements equal to WANTED, which has the literal's dtype, bit for bit? */
bool literal_is_all(const literal *l, scalar wanted);

#endif
