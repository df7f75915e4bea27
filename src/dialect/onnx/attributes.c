/* Attributes that an operator does not have: exporters write them, mostly such as another version
 * of the operator has. */
#include "dialect/onnx/import.h"

/* The number at *AT, and OTHERWISE where there is none. */
static int64_t number(const char **at, int64_t otherwise)
{
    int64_t n = 0;
    const char *begin = *at;
    for (; **at >= '0' && **at <= '9'; ++*at)
        n = 10 * n + (**at - '0');
    return *at > begin ? n : otherwise;
}

/* Does the span at *AT, such as `4-` or `-12` behind the letter MARK, hold VERSION? Without the
 * letter: OTHERWISE. */
static bool spans(const char **at, char mark, int64_t version, bool otherwise)
{
    if (**at != mark)
        return otherwise;
    ++*at;
    const int64_t first = number(at, 0);
    *at += **at == '-';
    return version >= first && version <= number(at, INT64_MAX);
}

/* An attribute as ops.def lists it. */
typedef struct listed {
    onnx_bytes name;
    bool is_there, is_needed; /* in the version asked for */
} listed;

/* The attribute at *LIST, which moves on; false at the end. */
static bool next_listed(const char **list, int64_t version, listed *out)
{
    if (!**list)
        return false;
    out->name = (onnx_bytes){*list, strcspn(*list, ":! ")};
    *list += out->name.n;
    out->is_there = spans(list, ':', version, true);
    out->is_needed = spans(list, '!', version, false) && out->is_there;
    *list += **list == ' ';
    return true;
}

/* Does LIST, as ops.def writes it, have NAME for VERSION? */
static bool has(const char *list, onnx_bytes name, int64_t version)
{
    for (listed a; next_listed(&list, version, &a);)
        if (onnx_same(a.name, name))
            return a.is_there;
    return false;
}

bool onnx_has_needed_attributes(onnx_call *c)
{
    const char *list = c->op->attributes;
    for (listed a; next_listed(&list, c->version, &a);) {
        char name[48];
        if (!a.is_needed || a.name.n >= sizeof name)
            continue;
        memcpy(name, a.name.at, a.name.n);
        name[a.name.n] = '\0';
        if (!onnx_attr(c, name))
            return onnx_refuse(c, DIAG_MissingAttribute, "it needs the attribute '%s'", name);
    }
    return true;
}

/* Loops that are written out, and attempts that fail, read a node several times. *IS_FIRST: this is
 * the first time. False without memory. */
static bool note_node(onnx_call *c, bool *is_first)
{
    importer *im = c->im;
    const uint64_t h = hash_bytes(0, &c->node, sizeof c->node);
    for (uint32_t p = hash_first(&im->odd_nodes, h), i;
         (i = hash_at(&im->odd_nodes, h, &p)) != HASH_NONE;)
        if (im->odd.at[i] == c->node) {
            *is_first = false;
            return true;
        }
    *is_first = true;
    return VECTOR_PUSH_INDEXED(im->m->allocator, &im->odd, c->node, &im->odd_nodes, h) ||
           onnx_no_memory(im);
}

static bool is_of_function(const onnx_function *f, onnx_bytes name)
{
    const onnx_bytes *names = f->attributes.at;
    const onnx_attribute *defaults = f->defaults.at;
    for (uint32_t i = 0; i < f->attributes.n; i++)
        if (onnx_same(names[i], name))
            return true;
    for (uint32_t i = 0; i < f->defaults.n; i++)
        if (onnx_same(defaults[i].name, name))
            return true;
    return false;
}

static bool warn_of(onnx_call *c, onnx_bytes name, bool is_function, bool is_read)
{
    const onnx_bytes op = c->node->op;
    if (is_function)
        return onnx_warn(c, name,
                         "'%.*s' is no attribute of the function %.*s, and changes nothing",
                         ONNX_TEXT(name), ONNX_TEXT(op));
    if (is_read)
        return onnx_warn(c, name,
                         "'%.*s' is no attribute of this version of %.*s, and is read as in those "
                         "that have it",
                         ONNX_TEXT(name), ONNX_TEXT(op));
    return onnx_warn(c, name, "'%.*s' is no attribute of this version of %.*s, and changes nothing",
                     ONNX_TEXT(name), ONNX_TEXT(op));
}

bool onnx_check_attributes(onnx_call *c, const onnx_function *f)
{
    enum { LOOK_AT = 32 };
    const onnx_attribute *list = c->node->attributes.at;
    bool is_first = false;
    for (uint32_t i = 0; i < c->node->attributes.n; i++) {
        const onnx_bytes name = list[i].name;
        for (uint32_t k = 0; k < i && k < LOOK_AT; k++)
            if (onnx_same(list[k].name, name))
                return onnx_refuse(c, DIAG_InvalidAttribute, "the attribute '%.*s' stands twice",
                                   ONNX_TEXT(name));
        if (f ? is_of_function(f, name) : has(c->op->attributes, name, c->version))
            continue;
        if (!is_first && !note_node(c, &is_first))
            return false;
        if (!is_first)
            return true;
        if (!warn_of(c, name, f != NULL, i < 64 && c->asked->read >> i & 1))
            return false;
    }
    return true;
}
