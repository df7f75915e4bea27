/* The ids of a text and the values they stand for. */
#include "dialect/mind/ids.h"

enum { NEAR_ALWAYS = 64 }; /* entries that any text may have */

void ids_init(ids *t, const tn_allocator *allocator, const char *text)
{
    *t = (ids){.allocator = allocator, .text = text};
}

void ids_release(ids *t)
{
    VECTOR_RELEASE(t->allocator, &t->near);
    VECTOR_RELEASE(t->allocator, &t->far);
    hash_release(t->allocator, &t->by_hash);
}

static uint64_t hash_id(const ids *t, const text_id *id)
{
    return id->number != NO_NUMBER ? hash_mix(1, id->number)
                                   : hash_bytes(2, t->text + id->name.at, id->name.length);
}

static bool same_id(const ids *t, const text_id *a, const text_id *b)
{
    if (a->number != NO_NUMBER || b->number != NO_NUMBER)
        return a->number == b->number;
    return a->name.length == b->name.length &&
           memcmp(t->text + a->name.at, t->text + b->name.at, a->name.length) == 0;
}

const id_entry *ids_find_far(const ids *t, const text_id *id)
{
    uint64_t h = hash_id(t, id);
    for (uint32_t p = hash_first(&t->by_hash, h), i;
         (i = hash_at(&t->by_hash, h, &p)) != HASH_NONE;)
        if (same_id(t, &t->far.at[i].id, id))
            return &t->far.at[i].entry;
    return NULL;
}

bool ids_add(ids *t, const text_id *id, value_id value)
{
    id_entry entry = {value, id->at.at};
    t->n++;
    if (id->number / 2 < t->n + NEAR_ALWAYS / 2 && id->number != NO_NUMBER) {
        if (id->number >= t->near.n) {
            uint32_t missing = id->number + 1 - t->near.n;
            if (!VECTOR_RESERVE(t->allocator, &t->near, missing))
                return false;
            memset(t->near.at + t->near.n, 0xff, missing * sizeof *t->near.at);
            t->near.n += missing;
        }
        t->near.at[id->number] = entry;
        return true;
    }
    far_id item = {*id, entry};
    return VECTOR_PUSH_INDEXED(t->allocator, &t->far, item, &t->by_hash, hash_id(t, id));
}
