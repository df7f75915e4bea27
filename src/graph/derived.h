/* Constants that are computed from constants before a program runs, such as weights that are packed
 * for a product: each once for all copies of a module, whatever sizes they are bound to. A key says
 * how one is made; its data are a payload, which lives as long as somebody holds it. */
#ifndef GRAPH_DERIVED_H
#define GRAPH_DERIVED_H

#include "base/text/text.h"
#include "graph/attr.h"

enum { DERIVED_SOURCES = 8 }; /* large constants that one is made of, at most */

typedef struct derived_key {
    text_buffer text;
    payload *sources[DERIVED_SOURCES];
    uint32_t n;
    bool is_unfit; /* what was added cannot be compared: nothing is found by this key or kept */
} derived_key;

void derived_key_init(derived_key *key, const tn_allocator *allocator);
void derived_key_release(derived_key *key);
/* What makes the constant. Large data are known by their place, for as long as the constant that is
 * made of them is kept; nodes that run regions are unfit. */
void derived_key_bytes(derived_key *key, const void *bytes, size_t n);
void derived_key_number(derived_key *key, uint64_t x);
void derived_key_type(derived_key *key, const type *t);
void derived_key_literal(derived_key *key, const literal *l);
void derived_key_attrs(derived_key *key, const attrs *a);

typedef struct derived {
    const void *data;
    payload *held; /* what they are part of */
} derived;

typedef struct derived_store derived_store;

/* NULL without memory. */
derived_store *derived_store_new(const tn_allocator *allocator);
/* S may be NULL. Data that somebody holds stay. */
void derived_store_free(derived_store *s);

/* One thread at a time looks for constants and makes what is missing, so that none is made twice. S
 * may be NULL here and below: then nothing is kept. */
void derived_lock(derived_store *s);
void derived_unlock(derived_store *s);

/* The constant for KEY, for the caller to hold; S is locked. False: there is none. */
bool derived_find(const derived_store *s, const derived_key *key, derived *found);
/* Keep MADE, which the caller goes on holding, for KEY; S is locked. Without memory it is not kept.
 */
void derived_add(derived_store *s, const derived_key *key, const derived *made);

/* Forget what nobody else holds. */
void derived_sweep(derived_store *s);
/* How many are kept now, and how many were ever added. */
uint32_t derived_kept(derived_store *s);
uint64_t derived_added(derived_store *s);

#endif
