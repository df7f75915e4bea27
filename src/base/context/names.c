/* Noting the names of a text, and finding them again. */
#include "base/context/names.h"

#include <stdlib.h>

void names_init(name_table *t, const tn_allocator *allocator, const char *text, size_t length)
{
    *t = (name_table){.allocator = allocator, .text = text, .length = length};
}

void names_release(name_table *t)
{
    VECTOR_RELEASE(t->allocator, &t->uses);
    VECTOR_RELEASE(t->allocator, &t->details);
    hash_release(t->allocator, &t->by_place);
    hash_release(t->allocator, &t->by_symbol);
}

/* AT without signs, quotes and subscript; empty when it is not in the text. */
static span bare(const name_table *t, span at)
{
    if (at.at > t->length || at.length > t->length - at.at)
        return (span){0, 0};
    const char *text = t->text + at.at;
    uint32_t from = 0, to = at.length;
    while (from < to && (text[from] == '%' || text[from] == '@' || text[from] == '?'))
        from++;
    if (from < to && text[from] == '"') {
        from++;
        to -= to > from && text[to - 1] == '"';
        return (span){at.at + from, to - from};
    }
    const char *subscript = from < to ? memchr(text + from, '[', to - from) : NULL;
    if (subscript)
        to = (uint32_t)(subscript - text);
    return (span){at.at + from, to - from};
}

static uint64_t hash_place(uint32_t at)
{
    return hash_mix(7, at);
}

/* The number of the use at place AT, or HASH_NONE. */
static uint32_t find(const name_table *t, uint32_t at)
{
    const uint64_t h = hash_place(at);
    for (uint32_t p = hash_first(&t->by_place, h), i;
         (i = hash_at(&t->by_place, h, &p)) != HASH_NONE;)
        if (t->uses.at[i].at.at == at)
            return i;
    return HASH_NONE;
}

static void note(name_table *t, named_use u)
{
    if (u.at.length == 0 || find(t, u.at.at) != HASH_NONE)
        return;
    if (!VECTOR_PUSH_INDEXED(t->allocator, &t->uses, u, &t->by_place, hash_place(u.at.at)))
        t->failed = true;
}

/* Keep DETAIL; where it is. */
static uint32_t keep(name_table *t, const char *detail)
{
    if (t->details.n == 0 && !VECTOR_PUSH(t->allocator, &t->details, '\0'))
        t->failed = true;
    if (!detail || !*detail || t->failed)
        return 0;
    const size_t n = strlen(detail) + 1;
    const uint32_t at = t->details.n;
    if (n > UINT32_MAX / 2 - at || !VECTOR_RESERVE(t->allocator, &t->details, (uint32_t)n)) {
        t->failed = true;
        return 0;
    }
    memcpy(t->details.at + at, detail, n);
    t->details.n += (uint32_t)n;
    return at;
}

void names_define(name_table *t, const name_definition *d)
{
    if (!t)
        return;
    const span at = bare(t, d->at);
    if (at.length > 0 && find(t, at.at) == HASH_NONE)
        note(t, (named_use){at, at.at, d->kind, d->is_inferred, d->whole, keep(t, d->detail)});
}

void names_tell(name_table *t, uint32_t i, const char *detail)
{
    t->uses.at[i].detail = keep(t, detail);
}

void names_use(name_table *t, span at, span definition)
{
    if (t)
        note(t, (named_use){.at = bare(t, at), .definition = bare(t, definition).at});
}

void names_symbol(name_table *t, span at)
{
    if (!t)
        return;
    const span name = bare(t, at);
    const uint64_t h = hash_bytes(8, t->text + name.at, name.length);
    for (uint32_t p = hash_first(&t->by_symbol, h), i;
         (i = hash_at(&t->by_symbol, h, &p)) != HASH_NONE;) {
        const span first = t->uses.at[i].at;
        if (first.length == name.length &&
            memcmp(t->text + first.at, t->text + name.at, name.length) == 0) {
            note(t, (named_use){.at = name, .definition = first.at});
            return;
        }
    }
    const uint32_t n = t->uses.n;
    names_define(t, &(name_definition){.kind = NAMED_SYMBOL, .at = name});
    if (t->uses.n > n && !hash_add(t->allocator, &t->by_symbol, h, n))
        t->failed = true;
}

/* ---- finding ---- */

static int compare(const void *a, const void *b)
{
    const uint32_t x = ((const named_use *)a)->at.at, y = ((const named_use *)b)->at.at;
    return (x > y) - (x < y);
}

void names_sort(name_table *t)
{
    if (t->uses.n)
        qsort(t->uses.at, t->uses.n, sizeof *t->uses.at, compare);
    hash_release(t->allocator, &t->by_place);
    hash_release(t->allocator, &t->by_symbol);
}

/* The last use that begins at AT or before it; NULL: none. */
static const named_use *last_before(const name_table *t, uint32_t at)
{
    uint32_t low = 0, high = t->uses.n; /* it is before HIGH */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (t->uses.at[middle].at.at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &t->uses.at[low - 1] : NULL;
}

/* The byte behind the signs and the quote of a name that begin at AT. */
static uint32_t behind_signs(const name_table *t, uint32_t at)
{
    const uint32_t from = at;
    while (at < t->length && strchr("%@?", t->text[at]) && t->text[at])
        at++;
    return at > from && at < t->length && t->text[at] == '"' ? at + 1 : at;
}

const named_use *names_at(const name_table *t, uint32_t at)
{
    const named_use *u = last_before(t, at);
    if (u && at - u->at.at <= u->at.length)
        return u;
    const uint32_t name = behind_signs(t, at);
    u = name > at ? last_before(t, name) : NULL;
    return u && u->at.at == name ? u : NULL;
}

const named_use *names_definition(const name_table *t, const named_use *u)
{
    const named_use *d = last_before(t, u->definition);
    return d && d->at.at == u->definition && d->definition == u->definition ? d : NULL;
}
