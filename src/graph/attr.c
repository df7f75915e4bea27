/* Interning of attribute lists. */
#include "graph/attr.h"

#include "base/memory/checked.h"

const attr_key_info attr_keys[KEY_COUNT] = {
#define KEY(id, name, kind, words, help) [KEY_##id] = {name, ATTR_##kind, words, help},
#include "graph/attrs.def"
#undef KEY
};

const attrs attrs_none = {0};

void attr_table_init(attr_table *t, arena *memory, const tn_allocator *allocator)
{
    *t = (attr_table){.arena = memory, .allocator = allocator};
}

void attr_table_release(attr_table *t)
{
    VECTOR_RELEASE(t->allocator, &t->lists);
    hash_release(t->allocator, &t->by_content);
}

static uint64_t hash_scalar(uint64_t h, const scalar *s)
{
    uint64_t im;
    memcpy(&im, &s->im, sizeof im);
    return hash_mix(hash_mix(hash_mix(h, (uint64_t)s->kind), s->u), im);
}

static bool same_scalar(const scalar *a, const scalar *b)
{
    return a->kind == b->kind && a->u == b->u && memcmp(&a->im, &b->im, sizeof a->im) == 0;
}

static size_t dict_value_bytes(const dict_entry *e)
{
    return e->n * (e->kind == ATTR_BOOL ? sizeof(bool) : 8);
}

/* Of large data only a part counts: what is equal is compared in any case. */
static uint64_t hash_data(uint64_t h, const char *data, size_t n)
{
    enum { ALL = 64 << 10, PART = 64, PARTS = 64 };
    if (n <= ALL)
        return hash_bytes(h, data, n);
    h = hash_mix(h, n);
    for (size_t i = 0; i < PARTS; i++)
        h = hash_bytes(h, data + (n - PART) / (PARTS - 1) * i, PART);
    return h;
}

static uint64_t hash_attr(uint64_t h, const attr *a)
{
    h = hash_mix(h, a->key);
    switch (attr_keys[a->key].kind) {
    case ATTR_INT:
    case ATTR_BOOL:
    case ATTR_WORD:
    case ATTR_DTYPE:
    case ATTR_FUNCTION:
    case ATTR_FLOAT: /* same storage; floats compare by their bits */
        return hash_mix(h, (uint64_t)a->v.i);
    case ATTR_INTS:
        return hash_bytes(h, a->v.ints, a->n * sizeof *a->v.ints);
    case ATTR_STRING:
    case ATTR_TYPE: /* interned */
        return hash_mix(h, (uint64_t)(uintptr_t)a->v.s);
    case ATTR_TYPES:
        return hash_bytes(h, a->v.types, a->n * sizeof(const type *));
    case ATTR_SCALAR:
        return hash_scalar(h, a->v.scalar);
    case ATTR_LITERAL:
        h = hash_mix(h, (uint64_t)(uintptr_t)a->v.literal->type + a->v.literal->splat);
        return hash_data(h, a->v.literal->data, a->v.literal->bytes);
    case ATTR_DICT:
        for (uint32_t i = 0; i < a->n; i++) {
            h = hash_mix(h, (uint64_t)(uintptr_t)a->v.dict[i].key + (uint64_t)a->v.dict[i].kind);
            h = hash_bytes(h, a->v.dict[i].values, dict_value_bytes(&a->v.dict[i]));
        }
        return h;
    }
    return h;
}

static bool same_attr(const attr *a, const attr *b)
{
    if (a->key != b->key || a->n != b->n)
        return false;
    switch (attr_keys[a->key].kind) {
    case ATTR_INT:
    case ATTR_BOOL:
    case ATTR_WORD:
    case ATTR_DTYPE:
    case ATTR_FUNCTION:
    case ATTR_FLOAT:
        return a->v.i == b->v.i;
    case ATTR_INTS:
        return a->n == 0 || memcmp(a->v.ints, b->v.ints, a->n * sizeof *a->v.ints) == 0;
    case ATTR_STRING:
    case ATTR_TYPE:
        return a->v.s == b->v.s;
    case ATTR_TYPES:
        return a->n == 0 || memcmp(a->v.types, b->v.types, a->n * sizeof(const type *)) == 0;
    case ATTR_SCALAR:
        return same_scalar(a->v.scalar, b->v.scalar);
    case ATTR_LITERAL: {
        const literal *x = a->v.literal, *y = b->v.literal;
        return x == y ||
               (x->type == y->type && x->splat == y->splat && x->bytes == y->bytes &&
                (x->bytes == 0 || x->data == y->data || memcmp(x->data, y->data, x->bytes) == 0));
    }
    case ATTR_DICT:
        for (uint32_t i = 0; i < a->n; i++) {
            const dict_entry *x = &a->v.dict[i], *y = &b->v.dict[i];
            if (x->key != y->key || x->kind != y->kind || x->is_array != y->is_array ||
                x->n != y->n || (x->n && memcmp(x->values, y->values, dict_value_bytes(x)) != 0))
                return false;
        }
        return true;
    }
    return false;
}

static const void *copy_bytes(arena *memory, const void *bytes, size_t n)
{
    void *copy = arena_alloc_aligned(memory, n, 16);
    if (copy && n)
        memcpy(copy, bytes, n);
    return copy;
}

/* Make the payload of A the table's own. Literal data is not copied: it is in the module's arena
 * already, in a payload that the module holds, or outlives the module by its maker's promise. */
static bool own_payload(attr_table *t, attr *a)
{
    switch (attr_keys[a->key].kind) {
    case ATTR_INTS:
        a->v.ints = copy_bytes(t->arena, a->v.ints, a->n * sizeof *a->v.ints);
        return a->v.ints != NULL;
    case ATTR_TYPES:
        a->v.types = copy_bytes(t->arena, a->v.types, a->n * sizeof(const type *));
        return a->v.types != NULL;
    case ATTR_SCALAR:
        a->v.scalar = copy_bytes(t->arena, a->v.scalar, sizeof(scalar));
        return a->v.scalar != NULL;
    case ATTR_LITERAL:
        a->v.literal = copy_bytes(t->arena, a->v.literal, sizeof(literal));
        return a->v.literal != NULL;
    case ATTR_DICT: {
        dict_entry *own = arena_alloc(t->arena, a->n * sizeof *own);
        if (!own)
            return false;
        for (uint32_t i = 0; i < a->n; i++) {
            own[i] = a->v.dict[i];
            own[i].values = copy_bytes(t->arena, own[i].values, dict_value_bytes(&own[i]));
            if (!own[i].values)
                return false;
        }
        a->v.dict = own;
        return true;
    }
    case ATTR_INT:
    case ATTR_BOOL:
    case ATTR_FLOAT:
    case ATTR_WORD:
    case ATTR_DTYPE:
    case ATTR_STRING:
    case ATTR_TYPE:
    case ATTR_FUNCTION:
        return true;
    }
    return true;
}

static void sort_by_key(attr *entries, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t j = i; j > 0 && entries[j].key < entries[j - 1].key; j--) {
            attr moved = entries[j];
            entries[j] = entries[j - 1];
            entries[j - 1] = moved;
        }
}

const attrs *attrs_of(attr_table *t, attr *entries, uint32_t n)
{
    if (n == 0)
        return &attrs_none;
    sort_by_key(entries, n);
    uint64_t h = n;
    for (uint32_t i = 0; i < n; i++)
        h = hash_attr(h, &entries[i]);
    for (uint32_t p = hash_first(&t->by_content, h), i;
         (i = hash_at(&t->by_content, h, &p)) != HASH_NONE;) {
        const attrs *known = t->lists.at[i];
        bool same = known->n == n;
        for (uint32_t k = 0; same && k < n; k++)
            same = same_attr(&known->at[k], &entries[k]);
        if (same)
            return known;
    }

    attrs *fresh = arena_alloc(t->arena, sizeof *fresh + n * sizeof *entries);
    if (!fresh)
        return NULL;
    fresh->n = n;
    memcpy(fresh->at, entries, n * sizeof *entries);
    for (uint32_t i = 0; i < n; i++)
        if (!own_payload(t, &fresh->at[i]))
            return NULL;
    return VECTOR_PUSH_INDEXED(t->allocator, &t->lists, fresh, &t->by_content, h) ? fresh : NULL;
}

const attr *attr_find(const attrs *a, attr_key key)
{
    for (uint32_t i = 0; i < a->n; i++)
        if (a->at[i].key == key)
            return &a->at[i];
    return NULL;
}

int64_t attr_int(const attrs *a, attr_key key, int64_t otherwise)
{
    const attr *found = attr_find(a, key);
    return found ? found->v.i : otherwise;
}

double attr_float(const attrs *a, attr_key key, double otherwise)
{
    const attr *found = attr_find(a, key);
    return found ? found->v.f : otherwise;
}

const char *attr_string(const attrs *a, attr_key key)
{
    const attr *found = attr_find(a, key);
    return found ? found->v.s : NULL;
}

const int64_t *attr_ints(const attrs *a, attr_key key, uint32_t *n)
{
    const attr *found = attr_find(a, key);
    *n = found ? found->n : 0;
    return found ? found->v.ints : NULL;
}

/* Words are short lists: a scan is enough. */
int attr_word_index(attr_key key, const char *word, size_t length)
{
    size_t n;
    for (int i = 0;; i++) {
        const char *known = attr_word_text(key, i, &n);
        if (!known)
            return -1;
        if (n == length && memcmp(known, word, n) == 0)
            return i;
    }
}

const char *attr_word_text(attr_key key, int64_t index, size_t *length)
{
    const char *at = attr_keys[key].words;
    for (int64_t i = 0; at && *at; i++) {
        size_t n = strcspn(at, " ");
        if (i == index) {
            *length = n;
            return at;
        }
        at += n + (at[n] == ' ');
    }
    return NULL;
}

attr_key attr_key_by_name(const char *name, size_t length)
{
    for (int key = 0; key < KEY_COUNT; key++)
        if (strlen(attr_keys[key].name) == length && memcmp(attr_keys[key].name, name, length) == 0)
            return (attr_key)key;
    return KEY_COUNT;
}
