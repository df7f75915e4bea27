/* Constants made of constants, by how they are made. */
#include "graph/derived.h"

#include <pthread.h>
#include <string.h>

#include "base/memory/hash.h"

typedef struct entry {
    derived made;
    char *key;
    size_t n;
    uint64_t hash;
    payload *sources[DERIVED_SOURCES]; /* so that no other constant gets their place */
    uint32_t n_sources;
} entry;

struct derived_store {
    tn_allocator allocator;
    pthread_mutex_t lock;
    VECTOR(entry) entries; /* what is made of another comes after it */
    hash_index by_key;
    uint64_t added;
};

/* ---- keys ---- */

void derived_key_init(derived_key *key, const tn_allocator *allocator)
{
    *key = (derived_key){.n = 0};
    text_init(&key->text, allocator);
}

void derived_key_release(derived_key *key)
{
    text_release(&key->text);
}

static bool is_fit(const derived_key *key)
{
    return !key->is_unfit && !key->text.failed;
}

void derived_key_bytes(derived_key *key, const void *bytes, size_t n)
{
    derived_key_number(key, n);
    text_put(&key->text, bytes, n);
}

void derived_key_number(derived_key *key, uint64_t x)
{
    text_put(&key->text, (const char *)&x, sizeof x);
}

void derived_key_type(derived_key *key, const type *t)
{
    derived_key_number(key, t->dtype);
    derived_key_bytes(key, t->dims, t->rank * sizeof t->dims[0]);
}

void derived_key_literal(derived_key *key, const literal *l)
{
    derived_key_type(key, l->type);
    derived_key_number(key, (uint64_t)l->splat << 1 | (l->shared != NULL));
    if (!l->shared) {
        derived_key_bytes(key, l->data, l->bytes);
        return;
    }
    derived_key_number(key, (uintptr_t)l->data);
    derived_key_number(key, l->bytes);
    if (key->n < DERIVED_SOURCES)
        key->sources[key->n++] = l->shared;
    else
        key->is_unfit = true;
}

static void put_attr(derived_key *key, const attr *a)
{
    derived_key_number(key, a->key);
    switch (attr_keys[a->key].kind) {
    case ATTR_INT:
    case ATTR_BOOL:
    case ATTR_WORD:
    case ATTR_DTYPE:
    case ATTR_FLOAT: /* same storage; floats by their bits */
        derived_key_number(key, (uint64_t)a->v.i);
        return;
    case ATTR_INTS:
        derived_key_bytes(key, a->v.ints, a->n * sizeof a->v.ints[0]);
        return;
    case ATTR_STRING:
        derived_key_bytes(key, a->v.s, strlen(a->v.s));
        return;
    case ATTR_SCALAR:
        derived_key_number(key, (uint64_t)a->v.scalar->kind);
        derived_key_number(key, a->v.scalar->u);
        derived_key_bytes(key, &a->v.scalar->im, sizeof a->v.scalar->im);
        return;
    case ATTR_TYPE:
        derived_key_type(key, a->v.type);
        return;
    case ATTR_TYPES:
        derived_key_number(key, a->n);
        for (uint32_t i = 0; i < a->n; i++)
            derived_key_type(key, a->v.types[i]);
        return;
    case ATTR_LITERAL:
        derived_key_literal(key, a->v.literal);
        return;
    case ATTR_FUNCTION:
    case ATTR_DICT:
        key->is_unfit = true;
        return;
    }
}

void derived_key_attrs(derived_key *key, const attrs *a)
{
    derived_key_number(key, a->n);
    for (uint32_t i = 0; i < a->n; i++)
        put_attr(key, &a->at[i]);
}

/* ---- the store ---- */

derived_store *derived_store_new(const tn_allocator *allocator)
{
    derived_store *s = memory_alloc(allocator, sizeof *s);
    if (!s)
        return NULL;
    *s = (derived_store){.allocator = *allocator};
    if (pthread_mutex_init(&s->lock, NULL) == 0)
        return s;
    memory_free(allocator, s, sizeof *s);
    return NULL;
}

static void entry_release(const derived_store *s, const entry *e)
{
    payload_drop(e->made.held);
    for (uint32_t i = 0; i < e->n_sources; i++)
        payload_drop(e->sources[i]);
    memory_free(&s->allocator, e->key, e->n);
}

void derived_store_free(derived_store *s)
{
    if (!s)
        return;
    const tn_allocator allocator = s->allocator;
    for (uint32_t i = 0; i < s->entries.n; i++)
        entry_release(s, &s->entries.at[i]);
    VECTOR_RELEASE(&allocator, &s->entries);
    hash_release(&allocator, &s->by_key);
    (void)pthread_mutex_destroy(&s->lock);
    memory_free(&allocator, s, sizeof *s);
}

void derived_lock(derived_store *s)
{
    if (s)
        (void)pthread_mutex_lock(&s->lock); /* fails only where it is misused */
}

void derived_unlock(derived_store *s)
{
    if (s)
        (void)pthread_mutex_unlock(&s->lock);
}

bool derived_find(const derived_store *s, const derived_key *key, derived *found)
{
    if (!s || !is_fit(key))
        return false;
    const text_buffer *text = &key->text;
    const uint64_t h = hash_bytes(0, text->at, text->n);
    for (uint32_t p = hash_first(&s->by_key, h), i;
         (i = hash_at(&s->by_key, h, &p)) != HASH_NONE;) {
        const entry *e = &s->entries.at[i];
        if (e->n != text->n || memcmp(e->key, text->at, e->n) != 0)
            continue;
        payload_hold(e->made.held);
        *found = e->made;
        return true;
    }
    return false;
}

void derived_add(derived_store *s, const derived_key *key, const derived *made)
{
    if (!s || !is_fit(key))
        return;
    const text_buffer *text = &key->text;
    entry e = {.made = *made, .n = text->n, .n_sources = key->n};
    e.hash = hash_bytes(0, text->at, text->n);
    e.key = memory_alloc(&s->allocator, e.n);
    if (!e.key)
        return;
    memcpy(e.key, text->at, e.n);
    payload_hold(made->held);
    for (uint32_t i = 0; i < e.n_sources; i++)
        payload_hold(e.sources[i] = key->sources[i]);
    if (VECTOR_PUSH_INDEXED(&s->allocator, &s->entries, e, &s->by_key, e.hash))
        s->added++;
    else
        entry_release(s, &e);
}

/* Entries have other numbers now, and are no more: there is room for them. */
static void index_again(derived_store *s)
{
    hash_clear(&s->by_key);
    for (uint32_t i = 0; i < s->entries.n; i++)
        (void)hash_add(&s->allocator, &s->by_key, s->entries.at[i].hash, i);
}

void derived_sweep(derived_store *s)
{
    if (!s)
        return;
    derived_lock(s);
    const uint32_t n = s->entries.n;
    for (uint32_t i = n; i-- > 0;) { /* those that are made of others first */
        const entry e = s->entries.at[i];
        if (payload_is_shared(e.made.held))
            continue;
        entry_release(s, &e);
        memmove(&s->entries.at[i], &s->entries.at[i + 1], (--s->entries.n - i) * sizeof e);
    }
    if (s->entries.n < n)
        index_again(s);
    derived_unlock(s);
}

uint32_t derived_kept(derived_store *s)
{
    derived_lock(s);
    const uint32_t n = s->entries.n;
    derived_unlock(s);
    return n;
}

uint64_t derived_added(derived_store *s)
{
    derived_lock(s);
    const uint64_t n = s->added;
    derived_unlock(s);
    return n;
}
