/* The names of a text: where each is defined and used, as the text's reader found it. Editors ask
 * for them; without an editor there is no table, and noting a name in none does nothing. */
#ifndef BASE_CONTEXT_NAMES_H
#define BASE_CONTEXT_NAMES_H

#include "base/context/source.h"
#include "base/memory/hash.h"

typedef enum named_kind { NAMED_VALUE, NAMED_INPUT, NAMED_FUNCTION, NAMED_SYMBOL } named_kind;

/* One place where a name stands. */
typedef struct named_use {
    span at;             /* the name alone, without a sign or quotes around it */
    uint32_t definition; /* where what it means is defined; at.at: here */
    /* Of a definition: */
    named_kind kind;
    bool is_inferred; /* its type is not in the text */
    span whole;       /* of a function: all of it; else empty */
    uint32_t detail;  /* its type in words: a NUL-terminated text in `details` */
} named_use;

typedef struct name_table {
    const tn_allocator *allocator;
    const char *text; /* that is read */
    size_t length;
    VECTOR(named_use) uses; /* in the order they were noted; at most one for each place */
    hash_index by_place, by_symbol;
    VECTOR(char) details;
    bool failed; /* there was no memory: something is missing */
} name_table;

void names_init(name_table *t, const tn_allocator *allocator, const char *text, size_t length);
void names_release(name_table *t);

/* What is said of a definition; DETAIL may be NULL. */
typedef struct name_definition {
    named_kind kind;
    span at;
    const char *detail;
    bool is_inferred;
    span whole;
} name_definition;

/* Note a definition, or a use of the name whose definition was noted at DEFINITION. Spans may
 * include the sign of a name (`%`, `@`, `?`), quotes around it, and a subscript behind it. What
 * lies outside of the text and what stands at a place that was noted before is passed over, as is
 * everything when T is NULL. */
void names_define(name_table *t, const name_definition *d);
void names_use(name_table *t, span at, span definition);
/* Note the name of a size: the first of that name in the text counts as its definition. */
void names_symbol(name_table *t, span at);

/* DETAIL, which may be NULL, is what there is to say of definition number I. Before names_sort. */
void names_tell(name_table *t, uint32_t i, const char *detail);

/* The use whose name begins or ends at byte AT, or lies around it, or whose sign is there; NULL:
 * none. */
const named_use *names_at(const name_table *t, uint32_t at);
/* Order the uses by place; nothing can be noted after this. */
void names_sort(name_table *t);
static inline const char *names_detail(const name_table *t, const named_use *u)
{
    return t->details.n ? t->details.at + u->detail : "";
}
/* The use that defines what U means, or NULL; T is sorted. */
const named_use *names_definition(const name_table *t, const named_use *u);

#endif
