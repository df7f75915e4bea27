/* Attributes of nodes: a sorted list of (key, value), interned per module. */
#ifndef GRAPH_ATTR_H
#define GRAPH_ATTR_H

#include "graph/payload.h"
#include "graph/type.h"

/* What a key's value is. Every key has one kind, given in attrs.def. */
typedef enum attr_kind {
    ATTR_INT,
    ATTR_BOOL,
    ATTR_FLOAT,
    ATTR_INTS, /* also dims: entries may be symbolic */
    ATTR_WORD, /* one of the key's words, as its index */
    ATTR_DTYPE,
    ATTR_STRING,
    ATTR_SCALAR,
    ATTR_TYPE,
    ATTR_TYPES,
    ATTR_LITERAL,
    ATTR_FUNCTION, /* index of a region in the module */
    ATTR_DICT      /* free attributes of a custom call */
} attr_kind;

typedef enum attr_key {
#define KEY(id, name, kind, words, help) KEY_##id,
#include "graph/attrs.def"
#undef KEY
    KEY_COUNT
} attr_key;

/* Values of the keys that are words, in the order of their lists in attrs.def. */
typedef enum direction { DIR_LT, DIR_LE, DIR_EQ, DIR_GE, DIR_GT, DIR_NE } direction;
typedef enum padding_mode { PADDING_VALID, PADDING_SAME, PADDING_CUSTOM } padding_mode;
typedef enum on_zero { ON_ZERO_ERROR, ON_ZERO_ZERO } on_zero;
typedef enum combine_mode {
    COMBINE_ADD,
    COMBINE_MAX,
    COMBINE_MIN,
    COMBINE_REPLACE,
    COMBINE_MUL,     /* like REPLACE of scatter_reduce only */
    COMBINE_MAX_NAN, /* of scatter_reduce and reduce_window only */
    COMBINE_MIN_NAN
} combine_mode;

typedef struct attr_key_info {
    const char *name;
    attr_kind kind;
    const char *words; /* space-separated; NULL for other kinds */
    const char *help;
} attr_key_info;

extern const attr_key_info attr_keys[KEY_COUNT];

/* Constant data, row-major. A splat holds one element that stands for all. */
typedef struct literal {
    const type *type;
    const void *data;
    size_t bytes; /* of data */
    bool splat;
    payload *shared; /* what the data is part of; NULL: the module's arena */
} literal;

/* A free attribute of a custom call. Arrays are of the kind named by `kind` with the flag set. */
typedef struct dict_entry {
    const char *key;
    attr_kind kind; /* INT, FLOAT, BOOL or STRING */
    bool is_array;
    uint32_t n;
    const void *values; /* int64_t, double, bool or const char* */
} dict_entry;

typedef struct attr {
    uint8_t key;
    uint32_t n; /* entries of INTS, TYPES, DICT */
    union {
        int64_t i; /* INT, BOOL, WORD, DTYPE, FUNCTION */
        double f;
        const int64_t *ints;
        const char *s; /* interned */
        const scalar *scalar;
        const type *type;
        const type *const *types;
        const literal *literal;
        const dict_entry *dict;
    } v;
} attr;

typedef struct attrs {
    uint32_t n;
    attr at[];
} attrs;

extern const attrs attrs_none;

typedef struct attr_table {
    arena *arena;
    const tn_allocator *allocator;
    VECTOR(const attrs *) lists;
    hash_index by_content;
} attr_table;

void attr_table_init(attr_table *t, arena *memory, const tn_allocator *allocator);
void attr_table_release(attr_table *t);

/* The interned list with these N entries, in any order of keys (each at most once; entries are
 * sorted in place). Payloads that are new are copied. NULL when there is no memory. */
const attrs *attrs_of(attr_table *t, attr *entries, uint32_t n);

/* The entry for KEY, or NULL. */
const attr *attr_find(const attrs *a, attr_key key);
int64_t attr_int(const attrs *a, attr_key key, int64_t otherwise);
double attr_float(const attrs *a, attr_key key, double otherwise);
const char *attr_string(const attrs *a, attr_key key);               /* NULL when absent */
const int64_t *attr_ints(const attrs *a, attr_key key, uint32_t *n); /* NULL, 0 when absent */

/* May entries of KEY be symbols? Positions are numbers, even where they look like one: INT64_MIN,
 * for example. */
static inline bool attr_holds_sizes(attr_key key)
{
    return attr_keys[key].kind == ATTR_INTS && key != KEY_STARTS && key != KEY_ENDS &&
           key != KEY_STEPS && key != KEY_INDICES;
}

/* Index of WORD in the words of KEY, or -1; the word at an index, as a copy in ARENA. */
int attr_word_index(attr_key key, const char *word, size_t length);
const char *attr_word_text(attr_key key, int64_t index, size_t *length);
/* The key called NAME, or KEY_COUNT. */
attr_key attr_key_by_name(const char *name, size_t length);

#endif
