/* Pieces of the JSON form: enumerations, plain values, types, constants, free attributes. */
#include <inttypes.h>
#include <math.h>

#include "dialect/ptir/formats/json_parts.h"

/* ---- errors -------------------------------------------------------------------------------- */

bool jpart_no_memory(ptir_json *r)
{
    return json_no_memory(&r->j);
}

void jpart_fault(ptir_json *r, diag_kind kind, span at, const char *format, ...)
{
    arena_mark here = arena_here(r->memory);
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(r->memory, format, args);
    va_end(args);
    const char *path = json_path(&r->j, r->memory);
    (void)diag_report(&r->m->cx->diag, kind, &r->m->source, at, "%s%s%s",
                      message ? message : format, *path ? ", in " : "", path);
    arena_rewind(r->memory, here);
    r->faults++;
}

bool jpart_has_fields(ptir_json *r, span at, const char *words, uint32_t seen, uint32_t mandatory)
{
    uint32_t missing = mandatory & ~seen;
    size_t n;
    if (!json_ok(&r->j) || !missing)
        return json_ok(&r->j);
    const char *word = ptir_word(words, (uint32_t)__builtin_ctz(missing), &n);
    return json_fail(&r->j, DIAG_SyntaxError, at, "missing field '%.*s'", (int)n, word);
}

int jpart_next_field(ptir_json *r, const char *words, uint32_t *seen)
{
    json_text key;
    while (json_member(&r->j, &key)) {
        int field = ptir_word_index(words, key.at, key.n);
        if (field >= 0) {
            *seen |= 1U << field;
            return field;
        }
        if (!json_skip(&r->j))
            break;
    }
    return -1;
}

/* ---- enumerations -------------------------------------------------------------------------- */

bool jpart_enter_variant(ptir_json *r, const char *what, json_text *name, bool *has_payload)
{
    span at = json_here(&r->j);
    json_kind kind = json_peek(&r->j);
    *has_payload = kind == JSON_OBJECT;
    if (kind == JSON_STRING)
        return json_string(&r->j, name);
    if (!*has_payload)
        return json_unexpected(&r->j, what);
    return json_object(&r->j) &&
           (json_member(&r->j, name) ||
            json_fail(&r->j, DIAG_SyntaxError, at, "%s is an object with one key", what));
}

bool jpart_leave_variant(ptir_json *r, const char *what, bool has_payload)
{
    json_text extra;
    if (!has_payload || !json_ok(&r->j) || !json_member(&r->j, &extra))
        return json_ok(&r->j);
    return json_fail(&r->j, DIAG_SyntaxError, extra.where, "%s is an object with one key", what);
}

bool jpart_no_such_variant(ptir_json *r, json_text name, const char *what, const char *words)
{
    suggestion like;
    suggest_begin(&like, name.at, name.n);
    ptir_suggest_words(&like, words, false);
    (void)json_fail(&r->j, DIAG_SyntaxError, name.where, "'%.*s' is not %s, which is one of: %s",
                    name.n > 60 ? 60 : (int)name.n, name.at, what, words);
    suggest_fix(&like, &r->m->cx->diag, name.where, "\"");
    return false;
}

bool jpart_enter_payload(ptir_json *r, const char *words, const char *what, uint32_t *index)
{
    json_text name;
    bool has_payload;
    if (!jpart_enter_variant(r, what, &name, &has_payload))
        return false;
    int found = ptir_word_index(words, name.at, name.n);
    if (found < 0)
        return jpart_no_such_variant(r, name, what, words);
    *index = (uint32_t)found;
    return has_payload || json_fail(&r->j, DIAG_SyntaxError, name.where, "'%.*s' needs a value",
                                    (int)name.n, name.at);
}

bool jpart_word(ptir_json *r, const char *words, const char *what, uint32_t *index)
{
    json_text name;
    bool has_payload;
    if (!jpart_enter_variant(r, what, &name, &has_payload))
        return false;
    int found = ptir_word_index(words, name.at, name.n);
    if (found < 0)
        return jpart_no_such_variant(r, name, what, words);
    *index = (uint32_t)found;
    if (has_payload && !json_null(&r->j))
        return json_fail(&r->j, DIAG_SyntaxError, json_here(&r->j), "'%.*s' has no value",
                         (int)name.n, name.at);
    return jpart_leave_variant(r, what, has_payload);
}

/* ---- plain values -------------------------------------------------------------------------- */

bool jpart_u32(ptir_json *r, uint32_t *out)
{
    span at = json_here(&r->j);
    uint64_t wide = 0;
    if (!json_u64(&r->j, &wide))
        return false;
    *out = (uint32_t)wide;
    return wide <= UINT32_MAX ||
           json_fail(&r->j, DIAG_InvalidNumber, at, "expected a number of 32 bits");
}

bool jpart_index(ptir_json *r, bool from_end, int64_t *out)
{
    span at = json_here(&r->j);
    if (!json_i64(&r->j, out))
        return false;
    if (!from_end && *out < 0)
        jpart_fault(r, DIAG_InvalidAttribute, at, "%" PRId64 " is negative", *out);
    return true;
}

bool jpart_name(ptir_json *r, const char **out, span *at)
{
    json_text text;
    if (!json_string(&r->j, &text))
        return false;
    if (at)
        *at = text.where;
    if (memchr(text.at, '\0', text.n))
        return json_fail(&r->j, DIAG_InvalidCharacter, text.where, "U+0000 cannot stand in a name");
    *out = module_string(r->m, text.at, text.n);
    return *out || jpart_no_memory(r);
}

bool jpart_float(ptir_json *r, double *out)
{
    static const char words[] = "inf -inf nan";
    span at = json_here(&r->j);
    if (json_peek(&r->j) == JSON_STRING) {
        json_text text;
        if (!json_string(&r->j, &text))
            return false;
        int which = ptir_word_index(words, text.at, text.n);
        *out = which == 0 ? (double)INFINITY : which == 1 ? -(double)INFINITY : (double)NAN;
        return which >= 0 || json_fail(&r->j, DIAG_SyntaxError, text.where,
                                       "expected a number, \"inf\", \"-inf\" or \"nan\"");
    }
    if (json_null(&r->j))
        return json_fail(&r->j, DIAG_SyntaxError, at,
                         "null stands where an infinity or a NaN was, and does not say which; "
                         "write \"inf\", \"-inf\" or \"nan\"");
    json_number number;
    if (!json_number_any(&r->j, &number))
        return false;
    *out = number.f;
    return isfinite(number.f) ||
           json_fail(&r->j, DIAG_InvalidNumber, number.where,
                     "this number is too large for f64; infinity is written as \"inf\"");
}

bool jpart_ids(ptir_json *r, ptir_ids *out)
{
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        uint32_t id;
        if (!jpart_u32(r, &id))
            return false;
        if (!PTIR_PUSH(r->memory, out, id))
            return jpart_no_memory(r);
    }
    return json_ok(&r->j);
}

bool jpart_ints(ptir_json *r, bool from_end, int_list *out)
{
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        int64_t number;
        if (!jpart_index(r, from_end, &number))
            return false;
        if (!PTIR_PUSH(r->memory, out, number))
            return jpart_no_memory(r);
    }
    return json_ok(&r->j);
}

/* ---- types --------------------------------------------------------------------------------- */

static bool unknown_dtype(ptir_json *r, json_text name)
{
    suggestion like;
    suggest_begin(&like, name.at, name.n);
    suggest_words(&like, ptir_dtype_words);
    (void)json_fail(&r->j, DIAG_UnknownDType, name.where, "there is no dtype '%.*s'",
                    name.n > 60 ? 60 : (int)name.n, name.at);
    suggest_fix(&like, &r->m->cx->diag, name.where, "\"");
    return false;
}

bool jpart_dtype(ptir_json *r, tn_dtype *out)
{
    json_text name;
    if (!json_string(&r->j, &name))
        return false;
    int found = ptir_word_index(ptir_dtype_words, name.at, name.n);
    if (found < 0)
        return unknown_dtype(r, name);
    *out = (tn_dtype)found;
    return true;
}

bool jpart_dimension(ptir_json *r, dim *out)
{
    static const char what[] = "a dimension";
    uint32_t which = 0;
    if (!jpart_enter_payload(r, "Static Dynamic", what, &which))
        return false;
    span at = json_here(&r->j);
    if (which == 0) {
        if (!json_i64(&r->j, out))
            return false;
        if (*out < 0) {
            jpart_fault(r, DIAG_NegativeDimension, at, "%" PRId64 " is not an extent", *out);
            *out = ptir_dim_stand_in(r->m, *out);
            if (*out == DIM_NO_MEMORY)
                return jpart_no_memory(r);
        }
    } else {
        const char *name = "";
        if (!jpart_name(r, &name, &at))
            return false;
        *out = ptir_dim_by_name(r->m, name, strlen(name));
        if (*out == DIM_NO_MEMORY)
            return jpart_no_memory(r);
        ptir_note_dim(r->m, at, *out);
    }
    return jpart_leave_variant(r, what, true);
}

/* { dims: [..] } */
bool jpart_shape(ptir_json *r, int_list *out)
{
    uint32_t seen = 0;
    span at = json_here(&r->j);
    if (!json_object(&r->j))
        return false;
    while (jpart_next_field(r, "dims", &seen) >= 0) {
        if (!json_array(&r->j))
            return false;
        while (json_element(&r->j)) {
            dim d;
            if (!jpart_dimension(r, &d))
                return false;
            if (!PTIR_PUSH(r->memory, out, d))
                return jpart_no_memory(r);
        }
    }
    return jpart_has_fields(r, at, "dims", seen, 1);
}

static bool read_tensor_spec(ptir_json *r, const type **out)
{
    static const char words[] = "dtype shape";
    arena_mark here = arena_here(r->memory);
    int_list dims = {0};
    tn_dtype dtype = TN_F32;
    uint32_t seen = 0;
    span at = json_here(&r->j);
    if (!json_object(&r->j))
        return false;
    for (int field; (field = jpart_next_field(r, words, &seen)) >= 0;)
        if (!(field == 0 ? jpart_dtype(r, &dtype) : jpart_shape(r, &dims)))
            return false;
    if (!jpart_has_fields(r, at, words, seen, 3))
        return false;
    if (dims.n > TN_MAX_RANK)
        return json_fail(&r->j, DIAG_LimitExceeded, at, "rank %" PRIu32 " is above the limit of %d",
                         dims.n, TN_MAX_RANK);
    *out = type_of(&r->m->types, dtype, dims.at, dims.n);
    arena_rewind(r->memory, here);
    return *out || jpart_no_memory(r);
}

bool jpart_types(ptir_json *r, ptir_types *out)
{
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        ptir_type item;
        if (!jpart_type(r, &item))
            return false;
        if (!PTIR_PUSH(r->memory, out, item))
            return jpart_no_memory(r);
    }
    return json_ok(&r->j);
}

/* Nesting is bounded by the JSON reader. */
bool jpart_type(ptir_json *r, ptir_type *out)
{
    static const char what[] = "a type";
    uint32_t which = 0;
    *out = (ptir_type){0};
    if (!jpart_enter_payload(r, "Tensor Tuple", what, &which))
        return false;
    if (which == 0) {
        if (!read_tensor_spec(r, &out->tensor))
            return false;
    } else {
        ptir_types items = {0};
        if (!jpart_types(r, &items))
            return false;
        out->n = items.n;
        out->items = items.at;
    }
    return jpart_leave_variant(r, what, true);
}

/* ---- constants ----------------------------------------------------------------------------- */

bool jpart_literal(ptir_json *r, const literal **out)
{
    static const char words[] = "spec bytes";
    literal *l = ARENA_NEW(&r->m->arena, literal);
    uint32_t seen = 0;
    span at = json_here(&r->j);
    if (!l)
        return jpart_no_memory(r);
    if (!json_object(&r->j))
        return false;
    for (int field; (field = jpart_next_field(r, words, &seen)) >= 0;)
        if (!(field == 0 ? read_tensor_spec(r, &l->type)
                         : json_bytes(&r->j, &r->m->arena, &l->data, &l->bytes)))
            return false;
    if (!jpart_has_fields(r, at, words, seen, 3))
        return false;
    r->literal_bytes += l->bytes;
    if (r->literal_bytes > r->m->cx->limits.literal_bytes)
        return json_fail(&r->j, DIAG_LimitExceeded, at, "more constant data than the limit allows");
    *out = l;
    return true;
}

/* { re: f64, im: f64 } */
static bool read_complex(ptir_json *r, scalar *out)
{
    static const char words[] = "re im";
    uint32_t seen = 0;
    span at = json_here(&r->j);
    if (!json_object(&r->j))
        return false;
    for (int field; (field = jpart_next_field(r, words, &seen)) >= 0;)
        if (!jpart_float(r, field == 0 ? &out->f : &out->im))
            return false;
    return jpart_has_fields(r, at, words, seen, 3);
}

bool jpart_scalar(ptir_json *r, const scalar **out)
{
    static const char what[] = "a literal";
    scalar *s = ARENA_NEW(r->memory, scalar);
    uint32_t which = 0;
    bool truth, ok = false;
    if (!s)
        return jpart_no_memory(r);
    if (!jpart_enter_payload(r, ptir_scalar_words, what, &which))
        return false;
    s->kind = (dtype_class)which; /* the words are in the order of the classes */
    switch (s->kind) {
    case DTYPE_BOOL:
        ok = json_bool(&r->j, &truth);
        s->u = ok && truth;
        break;
    case DTYPE_SIGNED:
        ok = json_i64(&r->j, &s->i);
        break;
    case DTYPE_UNSIGNED:
        ok = json_u64(&r->j, &s->u);
        break;
    case DTYPE_FLOAT:
        ok = jpart_float(r, &s->f);
        break;
    case DTYPE_COMPLEX:
        ok = read_complex(r, s);
        break;
    }
    *out = s;
    return ok && jpart_leave_variant(r, what, true);
}

/* ---- free attributes ----------------------------------------------------------------------- */

static const attr_kind dict_kinds[] = {ATTR_INT, ATTR_FLOAT, ATTR_BOOL, ATTR_STRING};

typedef struct dict_values {
    VECTOR(int64_t) ints;
    VECTOR(double) floats;
    VECTOR(bool) bools;
    VECTOR(const char *) strings;
} dict_values;

static bool read_dict_item(ptir_json *r, attr_kind kind, dict_values *v)
{
    int64_t i;
    double f;
    bool b;
    const char *s = NULL;
    if (kind == ATTR_INT)
        return json_i64(&r->j, &i) && (PTIR_PUSH(r->memory, &v->ints, i) || jpart_no_memory(r));
    if (kind == ATTR_FLOAT)
        return jpart_float(r, &f) && (PTIR_PUSH(r->memory, &v->floats, f) || jpart_no_memory(r));
    if (kind == ATTR_BOOL)
        return json_bool(&r->j, &b) && (PTIR_PUSH(r->memory, &v->bools, b) || jpart_no_memory(r));
    return jpart_name(r, &s, NULL) && (PTIR_PUSH(r->memory, &v->strings, s) || jpart_no_memory(r));
}

static bool read_dict_value(ptir_json *r, uint32_t which, dict_entry *out)
{
    dict_values v = {0};
    out->kind = dict_kinds[which & 3U];
    out->is_array = which >= 4;
    if (out->is_array) {
        if (!json_array(&r->j))
            return false;
        while (json_element(&r->j))
            if (!read_dict_item(r, out->kind, &v))
                return false;
    } else if (!read_dict_item(r, out->kind, &v)) {
        return false;
    }
    out->n = v.ints.n + v.floats.n + v.bools.n + v.strings.n; /* all but one are empty */
    out->values = out->kind == ATTR_INT     ? (const void *)v.ints.at
                  : out->kind == ATTR_FLOAT ? (const void *)v.floats.at
                  : out->kind == ATTR_BOOL  ? (const void *)v.bools.at
                                            : (const void *)v.strings.at;
    return json_ok(&r->j);
}

/* {"kind": K, "value": v}, in any order: a value before its kind is read when that is known. */
static bool read_dict_entry(ptir_json *r, dict_entry *out)
{
    static const char words[] = "kind value";
    const char *value_at = NULL;
    uint32_t seen = 0, which = 0;
    span at = json_here(&r->j);
    if (!json_object(&r->j))
        return false;
    for (int field; (field = jpart_next_field(r, words, &seen)) >= 0;) {
        if (field == 0) {
            if (!jpart_word(r, ptir_attr_kind_words, "an attribute kind", &which))
                return false;
            if (value_at) {
                const char *after = r->j.at;
                r->j.at = value_at;
                if (!read_dict_value(r, which, out))
                    return false;
                r->j.at = after;
            }
        } else if (seen & 1) {
            if (!read_dict_value(r, which, out))
                return false;
        } else {
            value_at = r->j.at;
            if (!json_skip(&r->j))
                return false;
        }
    }
    return jpart_has_fields(r, at, words, seen, 3);
}

bool jpart_dict(ptir_json *r, attr *out)
{
    VECTOR(dict_entry) entries = {0};
    json_text key;
    if (!json_object(&r->j))
        return false;
    while (json_member(&r->j, &key)) {
        dict_entry e = {0};
        if (memchr(key.at, '\0', key.n))
            return json_fail(&r->j, DIAG_InvalidCharacter, key.where,
                             "U+0000 cannot stand in a name");
        e.key = module_string(r->m, key.at, key.n);
        if (!e.key)
            return jpart_no_memory(r);
        if (!read_dict_entry(r, &e))
            return false;
        if (!PTIR_PUSH(r->memory, &entries, e))
            return jpart_no_memory(r);
    }
    ptir_dict_sort(entries.at, entries.n);
    out->key = KEY_DICT;
    out->v.dict = entries.at;
    out->n = entries.n;
    return json_ok(&r->j);
}
