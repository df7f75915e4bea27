/* JSON trees. */
#include "dialect/tiny/read/dom.h"

typedef struct grower {
    json *j;
    arena *memory;
    VECTOR(json_value) items; /* of the values that are open, one after the other */
    VECTOR(json_text) keys;   /* beside them */
} grower;

static bool read_value(grower *g, json_value *v);

/* Move what was collected since FROM into the tree. */
static bool take_items(grower *g, uint32_t from, json_value *v)
{
    v->n = g->items.n - from;
    json_value *items = ARENA_ARRAY(g->memory, json_value, v->n);
    json_text *keys = v->kind == JSON_OBJECT ? ARENA_ARRAY(g->memory, json_text, v->n) : NULL;
    if (!items || (v->kind == JSON_OBJECT && !keys))
        return json_no_memory(g->j);
    if (v->n) {
        memcpy(items, g->items.at + from, v->n * sizeof *items);
        if (keys)
            memcpy(keys, g->keys.at + from, v->n * sizeof *keys);
    }
    v->items = items;
    v->keys = keys;
    g->items.n = g->keys.n = from;
    return true;
}

static bool read_item(grower *g, json_text key)
{
    json_value item;
    const tn_allocator *a = &g->j->cx->allocator;
    if (!read_value(g, &item))
        return false;
    return (VECTOR_PUSH(a, &g->items, item) && VECTOR_PUSH(a, &g->keys, key)) ||
           json_no_memory(g->j);
}

static bool read_items(grower *g, json_value *v)
{
    const uint32_t from = g->items.n;
    json_text key = {0};
    if (v->kind == JSON_ARRAY) {
        if (!json_array(g->j))
            return false;
        while (json_element(g->j))
            if (!read_item(g, key))
                return false;
    } else {
        if (!json_object(g->j))
            return false;
        while (json_member(g->j, &key))
            if (!read_item(g, key))
                return false;
    }
    return json_ok(g->j) && take_items(g, from, v);
}

/* Names are texts of C, which end at the first NUL. */
static bool read_text(json *j, json_value *v)
{
    if (!json_string(j, &v->text))
        return false;
    return !memchr(v->text.at, 0, v->text.n) ||
           json_fail(j, DIAG_InvalidCharacter, v->text.where, "U+0000 cannot stand in a text");
}

/* The reader bounds the nesting, so this recursion is bounded too. */
static bool read_value(grower *g, json_value *v)
{
    json *j = g->j;
    memset(v, 0, sizeof *v);
    v->kind = json_peek(j);
    v->at = json_here(j);
    bool ok = false;
    switch (v->kind) {
    case JSON_NULL:
        ok = json_null(j);
        break;
    case JSON_BOOL:
        ok = json_bool(j, &v->truth);
        break;
    case JSON_NUMBER:
        ok = json_number_any(j, &v->number);
        break;
    case JSON_STRING:
        ok = read_text(j, v);
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        ok = read_items(g, v);
        break;
    case JSON_NONE:
        ok = json_skip(j); /* reports */
        break;
    }
    if (ok)
        v->at.length = (uint32_t)(j->at - j->src->text) - v->at.at;
    return ok && json_ok(j);
}

tn_status json_tree_read(context *cx, const source *src, arena *memory, json_value *out)
{
    json j;
    grower g = {.j = &j, .memory = memory};
    json_init(&j, cx, src, memory, true);
    if (read_value(&g, out))
        (void)json_finish(&j);
    const tn_status s = json_status(&j);
    VECTOR_RELEASE(&cx->allocator, &g.items);
    VECTOR_RELEASE(&cx->allocator, &g.keys);
    json_release(&j);
    return s;
}

const json_value *json_member_of(const json_value *object, const char *key)
{
    for (uint32_t i = 0; object && object->kind == JSON_OBJECT && i < object->n; i++)
        if (json_is(object->keys[i], key))
            return &object->items[i];
    return NULL;
}
