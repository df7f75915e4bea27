/* A JSON text as a tree with the place of every value. */
#ifndef DIALECT_TINY_READ_DOM_H
#define DIALECT_TINY_READ_DOM_H

#include "base/text/json.h"

typedef struct json_value {
    json_kind kind;
    span at;            /* of the whole value */
    json_text text;     /* of a string */
    json_number number; /* of a number */
    bool truth;         /* of a bool */
    uint32_t n;         /* of an array or object */
    const struct json_value *items;
    const json_text *keys; /* of an object */
} json_value;

/* Read all of M's source, with comments and trailing commas, into MEMORY. */
tn_status json_tree_read(context *cx, const source *src, arena *memory, json_value *out);

/* The member KEY of an object (or of NULL, or of anything else), or NULL. */
const json_value *json_member_of(const json_value *object, const char *key);

static inline bool value_is(const json_value *v, const char *text)
{
    return v && v->kind == JSON_STRING && json_is(v->text, text);
}

#endif
