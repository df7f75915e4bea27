/* The ids of a text and the values they stand for. */
#ifndef DIALECT_MIND_IDS_H
#define DIALECT_MIND_IDS_H

#include "base/context/source.h"
#include "graph/module.h"

/* An id as written. Numbers are compared as numbers, whatever their zeros. */
typedef struct text_id {
    span at;
    span name;       /* of a name, or of a number beyond 32 bits: the text that is compared */
    uint32_t number; /* NO_NUMBER when there is a name */
} text_id;

#define NO_NUMBER UINT32_MAX

typedef struct id_entry {
    value_id value; /* NO_VALUE: not defined */
    uint32_t at;    /* of the definition, in the text */
} id_entry;

typedef struct far_id {
    text_id id;
    id_entry entry;
} far_id;

/* Numbers that are about as small as the count of definitions are found by position, everything
 * else by its hash: a text cannot make the table much larger than itself. */
typedef struct ids {
    const tn_allocator *allocator;
    const char *text;
    VECTOR(id_entry) near;
    VECTOR(far_id) far;
    hash_index by_hash;
    uint32_t n; /* definitions */
} ids;

void ids_init(ids *t, const tn_allocator *allocator, const char *text);
void ids_release(ids *t);

const id_entry *ids_find_far(const ids *t, const text_id *id);

/* The definition of ID, or NULL. */
static inline const id_entry *ids_find(const ids *t, const text_id *id)
{
    if (id->number < t->near.n && t->near.at[id->number].value != NO_VALUE)
        return &t->near.at[id->number];
    return t->far.n ? ids_find_far(t, id) : NULL;
}

/* Define ID, which is not defined; false when there is no memory. */
bool ids_add(ids *t, const text_id *id, value_id value);

#endif
