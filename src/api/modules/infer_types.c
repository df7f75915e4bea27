/* The shape engine on its own: the result types of one operation, without a program. */
#include "ops/infer.h"

#include <stdio.h>

#include "api/api.h"
#include "base/text/text.h"

/* One call in a module of its own, which interns what the type rules compare. */
typedef struct shape_query {
    module *m;
    const char *op;
    uint32_t n_symbols;
} shape_query;

__attribute__((format(printf, 2, 3))) static tn_status misuse(shape_query *q, const char *format,
                                                              ...)
{
    va_list args;
    va_start(args, format);
    tn_status s = diag_vreport(&q->m->cx->diag, DIAG_Usage, NULL, NO_SPAN, format, args);
    va_end(args);
    diag_node(&q->m->cx->diag, q->op);
    return s;
}

static tn_status make_type(shape_query *q, const tn_type *from, const type **out)
{
    if (!public_type_is_valid(from, true))
        return misuse(q, "a malformed type: unknown element type, rank above %d or negative extent",
                      TN_MAX_RANK);
    dim dims[TN_MAX_RANK];
    for (uint32_t i = 0; i < from->rank; i++) {
        dims[i] = from->dims[i];
        if (dims[i] != TN_DIM_UNKNOWN)
            continue;
        char name[24];
        int n = snprintf(name, sizeof name, "?%u", (unsigned)q->n_symbols++);
        const char *own = module_string(q->m, name, (size_t)n);
        dims[i] = own ? dim_symbol(&q->m->types, own) : DIM_NO_MEMORY;
        if (dims[i] == DIM_NO_MEMORY)
            return module_no_memory(q->m);
    }
    *out = type_of(&q->m->types, from->dtype, dims, from->rank);
    return *out ? TN_OK : module_no_memory(q->m);
}

static tn_status make_types(shape_query *q, const tn_type *from, size_t n, const type ***out)
{
    *out = ARENA_ARRAY(&q->m->arena, const type *, n);
    if (!*out)
        return module_no_memory(q->m);
    for (size_t i = 0; i < n; i++)
        TN_TRY(make_type(q, &from[i], &(*out)[i]));
    return TN_OK;
}

static tn_status make_literal(shape_query *q, const tn_buffer *from, const literal **out)
{
    literal *l = ARENA_NEW(&q->m->arena, literal);
    if (!l)
        return module_no_memory(q->m);
    TN_TRY(make_type(q, &from->type, &l->type));
    if (!type_bytes(l->type, &l->bytes) || l->bytes > from->bytes)
        return misuse(q, "constant data of %zu bytes does not fill its type", from->bytes);
    l->data = from->data;
    *out = l;
    return TN_OK;
}

static tn_status make_attribute(shape_query *q, const tn_attribute *from, attr *to)
{
    module *m = q->m;
    attr_key key = attr_key_by_name(from->name, strlen(from->name));
    if (key == KEY_COUNT)
        return diag_report(&m->cx->diag, DIAG_InvalidAttribute, NULL, NO_SPAN,
                           "'%s' has no attribute '%s'", q->op, from->name);
    *to = (attr){.key = (uint8_t)key};
    switch (attr_keys[key].kind) {
    case ATTR_INT:
    case ATTR_BOOL:
        to->v.i = from->i;
        return TN_OK;
    case ATTR_DTYPE:
        to->v.i = from->i;
        return from->i >= 0 && from->i < TN_DTYPE_COUNT
                   ? TN_OK
                   : misuse(q, "the value of '%s' is no element type", from->name);
    case ATTR_FLOAT:
        to->v.f = from->f;
        return TN_OK;
    case ATTR_INTS:
        if (from->n > UINT32_MAX || (from->n && !from->ints))
            return misuse(q, "'%s' needs its list of integers", from->name);
        to->v.ints = from->ints;
        to->n = (uint32_t)from->n;
        for (uint32_t i = 0; i < to->n; i++)
            if (dim_is_symbolic(from->ints[i]))
                return misuse(q, "an entry of '%s' is out of range", from->name);
        return TN_OK;
    case ATTR_WORD:
        to->v.i = from->text ? attr_word_index(key, from->text, strlen(from->text)) : -1;
        return to->v.i >= 0 ? TN_OK
                            : diag_report(&m->cx->diag, DIAG_InvalidAttribute, NULL, NO_SPAN,
                                          "the value of '%s' must be one of: %s", from->name,
                                          attr_keys[key].words);
    case ATTR_STRING:
        if (!from->text)
            return misuse(q, "'%s' needs its text", from->name);
        to->v.s = module_string(m, from->text, strlen(from->text));
        return to->v.s ? TN_OK : module_no_memory(m);
    case ATTR_SCALAR: {
        scalar *own = ARENA_NEW(&m->arena, scalar);
        if (!own)
            return module_no_memory(m);
        *own = scalar_of_float(from->f);
        to->v.scalar = own;
        return TN_OK;
    }
    case ATTR_TYPE:
        return from->types ? make_type(q, from->types, &to->v.type)
                           : misuse(q, "'%s' needs its type", from->name);
    case ATTR_TYPES: {
        const type **types = NULL;
        if (from->n > UINT32_MAX || (from->n && !from->types))
            return misuse(q, "'%s' needs its types", from->name);
        TN_TRY(make_types(q, from->types, from->n, &types));
        to->v.types = types;
        to->n = (uint32_t)from->n;
        return TN_OK;
    }
    case ATTR_LITERAL:
        return from->data ? make_literal(q, from->data, &to->v.literal)
                          : misuse(q, "'%s' needs its data", from->name);
    case ATTR_FUNCTION:
    case ATTR_DICT:
        break;
    }
    return misuse(q, "'%s' cannot be given without a program", from->name);
}

static tn_status make_attributes(shape_query *q, const tn_attribute *from, size_t n,
                                 const attrs **out)
{
    *out = &attrs_none;
    if (n == 0)
        return TN_OK;
    if (n > KEY_COUNT)
        return misuse(q, "%zu attributes are too many", n);
    attr entries[KEY_COUNT];
    for (size_t i = 0; i < n; i++) {
        TN_TRY(make_attribute(q, &from[i], &entries[i]));
        for (size_t k = 0; k < i; k++)
            if (entries[k].key == entries[i].key)
                return misuse(q, "'%s' is given twice", from[i].name);
    }
    *out = attrs_of(&q->m->attrs, entries, (uint32_t)n);
    return *out ? TN_OK : module_no_memory(q->m);
}

static tn_status infer_one(shape_query *q, const tn_type *in, size_t n_in,
                           const tn_attribute *attributes, size_t n_attributes, tn_type *out,
                           size_t cap, size_t *n_out)
{
    const type **types = NULL, *one = NULL;
    infer_call call = {.module = q->m, .out = &one, .n_out = 1, .at = NO_SPAN, .name = q->op};
    call.op = op_by_name(q->op, strlen(q->op));
    if (call.op == OP_COUNT)
        return misuse(q, "there is no operation called '%s'; %s lists them", q->op,
                      diag_setting_name(&q->m->cx->diag, SETTING_OPS));
    if (n_in > UINT32_MAX)
        return misuse(q, "%zu operands are too many", n_in);
    TN_TRY(options_list(&q->m->cx->diag, "in", in, n_in));
    TN_TRY(options_list(&q->m->cx->diag, "attributes", attributes, n_attributes));
    TN_TRY(options_list(&q->m->cx->diag, "out", out, cap));
    TN_TRY(make_types(q, in, n_in, &types));
    TN_TRY(make_attributes(q, attributes, n_attributes, &call.attrs));
    call.in = types;
    call.n_in = (uint32_t)n_in;
    TN_TRY(infer_types(&call));

    *n_out = call.n_out;
    if (call.n_out > cap)
        return misuse(q, "room for %zu result type%s, but there are %u", cap, plural(cap),
                      (unsigned)call.n_out);
    for (uint32_t i = 0; i < call.n_out; i++)
        public_type(call.out[i], &out[i]);
    return TN_OK;
}

tn_status tn_infer(tn_context *cx, const char *op, const tn_type *in, size_t n_in,
                   const tn_attribute *attributes, size_t n_attributes, tn_type *out, size_t cap,
                   size_t *n_out)
{
    shape_query q = {.m = module_new(cx), .op = op};
    *n_out = 0;
    if (!q.m)
        return context_done(cx, diag_no_memory(&cx->diag));
    tn_status s = infer_one(&q, in, n_in, attributes, n_attributes, out, cap, n_out);
    module_free(q.m);
    return context_done(cx, s);
}
