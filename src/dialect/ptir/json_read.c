/* The JSON form to the model. */
#include <inttypes.h>
#include <math.h>

#include "base/json.h"
#include "base/utf8.h"
#include "dialect/ptir/forms.h"

typedef struct reader {
    json j;
    module *m;
    arena *memory;
    uint64_t literal_bytes;
    uint32_t faults;
} reader;

/* ---- errors -------------------------------------------------------------------------------- */

static bool no_memory(reader *r)
{
    return json_no_memory(&r->j);
}

/* A fault of the program that does not stop the reading. */
__attribute__((format(printf, 4, 5))) static void fault(reader *r, diag_kind kind, span at,
                                                        const char *format, ...)
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

/* The object at AT ended: are the fields of WORDS in MANDATORY among those SEEN? */
static bool has_fields(reader *r, span at, const char *words, uint32_t seen, uint32_t mandatory)
{
    uint32_t missing = mandatory & ~seen;
    size_t n;
    if (!json_ok(&r->j) || !missing)
        return json_ok(&r->j);
    const char *word = ptir_word(words, (uint32_t)__builtin_ctz(missing), &n);
    return json_fail(&r->j, DIAG_SyntaxError, at, "missing field '%.*s'", (int)n, word);
}

/* The next member of an object that is one of WORDS; others are skipped. -1 at the end. */
static int next_field(reader *r, const char *words, uint32_t *seen)
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

/* Enter `"Name"` or `{"Name": payload}`; the name is not looked up. */
static bool enter_variant(reader *r, const char *what, json_text *name, bool *has_payload)
{
    span at = json_here(&r->j);
    json_kind kind = json_peek(&r->j);
    *has_payload = kind == JSON_OBJECT;
    if (kind == JSON_STRING)
        return json_string(&r->j, name);
    if (!*has_payload)
        return json_fail(&r->j, DIAG_SyntaxError, at, "expected %s", what);
    return json_object(&r->j) &&
           (json_member(&r->j, name) ||
            json_fail(&r->j, DIAG_SyntaxError, at, "%s is an object with one key", what));
}

/* Leave what enter_variant entered, after the payload was read. */
static bool leave_variant(reader *r, const char *what, bool has_payload)
{
    json_text extra;
    if (!has_payload || !json_ok(&r->j) || !json_member(&r->j, &extra))
        return json_ok(&r->j);
    return json_fail(&r->j, DIAG_SyntaxError, extra.where, "%s is an object with one key", what);
}

static bool no_such_variant(reader *r, json_text name, const char *what, const char *words)
{
    return json_fail(&r->j, DIAG_SyntaxError, name.where, "'%.*s' is not %s, which is one of: %s",
                     name.n > 60 ? 60 : (int)name.n, name.at, what, words);
}

/* Enter a variant of WORDS that has a payload. */
static bool enter_payload(reader *r, const char *words, const char *what, uint32_t *index)
{
    json_text name;
    bool has_payload;
    if (!enter_variant(r, what, &name, &has_payload))
        return false;
    int found = ptir_word_index(words, name.at, name.n);
    if (found < 0)
        return no_such_variant(r, name, what, words);
    *index = (uint32_t)found;
    return has_payload || json_fail(&r->j, DIAG_SyntaxError, name.where, "'%.*s' needs a value",
                                    (int)name.n, name.at);
}

/* One of WORDS, as a string. */
static bool read_word(reader *r, const char *words, const char *what, uint32_t *index)
{
    json_text name;
    bool has_payload;
    if (!enter_variant(r, what, &name, &has_payload))
        return false;
    int found = ptir_word_index(words, name.at, name.n);
    if (found < 0)
        return no_such_variant(r, name, what, words);
    *index = (uint32_t)found;
    if (has_payload && !json_null(&r->j))
        return json_fail(&r->j, DIAG_SyntaxError, json_here(&r->j), "'%.*s' has no value",
                         (int)name.n, name.at);
    return leave_variant(r, what, has_payload);
}

/* ---- plain values -------------------------------------------------------------------------- */

static bool read_u32(reader *r, uint32_t *out)
{
    span at = json_here(&r->j);
    uint64_t wide;
    if (!json_u64(&r->j, &wide))
        return false;
    *out = (uint32_t)wide;
    return wide <= UINT32_MAX ||
           json_fail(&r->j, DIAG_InvalidNumber, at, "expected a number of 32 bits");
}

/* An integer of 64 bits; below 0 only where FROM_END is set. */
static bool read_index(reader *r, bool from_end, int64_t *out)
{
    span at = json_here(&r->j);
    if (!json_i64(&r->j, out))
        return false;
    return from_end || *out >= 0 ||
           json_fail(&r->j, DIAG_InvalidNumber, at, "expected a number that is not negative");
}

/* A string as a name of the module. */
static bool read_name(reader *r, const char **out, span *at)
{
    json_text text;
    if (!json_string(&r->j, &text))
        return false;
    if (at)
        *at = text.where;
    if (memchr(text.at, '\0', text.n))
        return json_fail(&r->j, DIAG_InvalidCharacter, text.where, "U+0000 cannot stand in a name");
    *out = module_string(r->m, text.at, text.n);
    return *out || no_memory(r);
}

static bool read_float(reader *r, double *out)
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
    return true;
}

static bool read_ids(reader *r, ptir_ids *out)
{
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        uint32_t id;
        if (!read_u32(r, &id))
            return false;
        if (!PTIR_PUSH(r->memory, out, id))
            return no_memory(r);
    }
    return json_ok(&r->j);
}

typedef VECTOR(int64_t) int_list;

static bool read_ints(reader *r, bool from_end, int_list *out)
{
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        int64_t number;
        if (!read_index(r, from_end, &number))
            return false;
        if (!PTIR_PUSH(r->memory, out, number))
            return no_memory(r);
    }
    return json_ok(&r->j);
}

/* ---- types --------------------------------------------------------------------------------- */

static bool read_dtype(reader *r, tn_dtype *out)
{
    json_text name;
    if (!json_string(&r->j, &name))
        return false;
    int found = ptir_word_index(ptir_dtype_words, name.at, name.n);
    if (found < 0)
        return json_fail(&r->j, DIAG_UnknownDType, name.where, "there is no dtype '%.*s'",
                         name.n > 60 ? 60 : (int)name.n, name.at);
    *out = (tn_dtype)found;
    return true;
}

static bool read_dimension(reader *r, dim *out)
{
    static const char what[] = "a dimension";
    uint32_t which;
    if (!enter_payload(r, "Static Dynamic", what, &which))
        return false;
    span at = json_here(&r->j);
    if (which == 0) {
        if (!json_i64(&r->j, out))
            return false;
        if (*out < 0) {
            fault(r, DIAG_NegativeDimension, at, "%" PRId64 " is not an extent", *out);
            *out = 0;
        }
    } else {
        const char *name;
        if (!read_name(r, &name, NULL))
            return false;
        *out = ptir_dim_by_name(r->m, name, strlen(name));
        if (*out == DIM_NO_MEMORY)
            return no_memory(r);
    }
    return leave_variant(r, what, true);
}

/* { dims: [..] } */
static bool read_shape(reader *r, int_list *out)
{
    uint32_t seen = 0;
    span at = json_here(&r->j);
    if (!json_object(&r->j))
        return false;
    while (next_field(r, "dims", &seen) >= 0) {
        if (!json_array(&r->j))
            return false;
        while (json_element(&r->j)) {
            dim d;
            if (!read_dimension(r, &d))
                return false;
            if (!PTIR_PUSH(r->memory, out, d))
                return no_memory(r);
        }
    }
    return has_fields(r, at, "dims", seen, 1);
}

static bool read_tensor_spec(reader *r, const type **out)
{
    static const char words[] = "dtype shape";
    arena_mark here = arena_here(r->memory);
    int_list dims = {0};
    tn_dtype dtype = TN_F32;
    uint32_t seen = 0;
    span at = json_here(&r->j);
    if (!json_object(&r->j))
        return false;
    for (int field; (field = next_field(r, words, &seen)) >= 0;)
        if (!(field == 0 ? read_dtype(r, &dtype) : read_shape(r, &dims)))
            return false;
    if (!has_fields(r, at, words, seen, 3))
        return false;
    if (dims.n > TN_MAX_RANK)
        return json_fail(&r->j, DIAG_LimitExceeded, at, "rank %" PRIu32 " is above the limit of %d",
                         dims.n, TN_MAX_RANK);
    *out = type_of(&r->m->types, dtype, dims.at, dims.n);
    arena_rewind(r->memory, here);
    return *out || no_memory(r);
}

static bool read_type(reader *r, ptir_type *out);

static bool read_types(reader *r, ptir_types *out)
{
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        ptir_type item;
        if (!read_type(r, &item))
            return false;
        if (!PTIR_PUSH(r->memory, out, item))
            return no_memory(r);
    }
    return json_ok(&r->j);
}

/* Nesting is bounded by the JSON reader. */
static bool read_type(reader *r, ptir_type *out)
{
    static const char what[] = "a type";
    uint32_t which;
    *out = (ptir_type){0};
    if (!enter_payload(r, "Tensor Tuple", what, &which))
        return false;
    if (which == 0) {
        if (!read_tensor_spec(r, &out->tensor))
            return false;
    } else {
        ptir_types items = {0};
        if (!read_types(r, &items))
            return false;
        out->n = items.n;
        out->items = items.at;
    }
    return leave_variant(r, what, true);
}

/* ---- constants ----------------------------------------------------------------------------- */

static bool read_literal(reader *r, const literal **out)
{
    static const char words[] = "spec bytes";
    literal *l = ARENA_NEW(&r->m->arena, literal);
    uint32_t seen = 0;
    span at = json_here(&r->j);
    if (!l)
        return no_memory(r);
    if (!json_object(&r->j))
        return false;
    for (int field; (field = next_field(r, words, &seen)) >= 0;)
        if (!(field == 0 ? read_tensor_spec(r, &l->type)
                         : json_bytes(&r->j, &r->m->arena, &l->data, &l->bytes)))
            return false;
    if (!has_fields(r, at, words, seen, 3))
        return false;
    r->literal_bytes += l->bytes;
    if (r->literal_bytes > r->m->cx->limits.literal_bytes)
        return json_fail(&r->j, DIAG_LimitExceeded, at, "more constant data than the limit allows");
    *out = l;
    return true;
}

/* { re: f64, im: f64 } */
static bool read_complex(reader *r, scalar *out)
{
    static const char words[] = "re im";
    uint32_t seen = 0;
    span at = json_here(&r->j);
    if (!json_object(&r->j))
        return false;
    for (int field; (field = next_field(r, words, &seen)) >= 0;)
        if (!read_float(r, field == 0 ? &out->f : &out->im))
            return false;
    return has_fields(r, at, words, seen, 3);
}

static bool read_scalar(reader *r, const scalar **out)
{
    static const char what[] = "a literal";
    scalar *s = ARENA_NEW(r->memory, scalar);
    uint32_t which;
    bool truth, ok = false;
    if (!s)
        return no_memory(r);
    if (!enter_payload(r, ptir_scalar_words, what, &which))
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
        ok = read_float(r, &s->f);
        break;
    case DTYPE_COMPLEX:
        ok = read_complex(r, s);
        break;
    }
    *out = s;
    return ok && leave_variant(r, what, true);
}

/* ---- free attributes ----------------------------------------------------------------------- */

static const attr_kind dict_kinds[] = {ATTR_INT, ATTR_FLOAT, ATTR_BOOL, ATTR_STRING};

typedef struct dict_values {
    VECTOR(int64_t) ints;
    VECTOR(double) floats;
    VECTOR(bool) bools;
    VECTOR(const char *) strings;
} dict_values;

static bool read_dict_item(reader *r, attr_kind kind, dict_values *v)
{
    int64_t i;
    double f;
    bool b;
    const char *s;
    if (kind == ATTR_INT)
        return json_i64(&r->j, &i) && (PTIR_PUSH(r->memory, &v->ints, i) || no_memory(r));
    if (kind == ATTR_FLOAT)
        return read_float(r, &f) && (PTIR_PUSH(r->memory, &v->floats, f) || no_memory(r));
    if (kind == ATTR_BOOL)
        return json_bool(&r->j, &b) && (PTIR_PUSH(r->memory, &v->bools, b) || no_memory(r));
    return read_name(r, &s, NULL) && (PTIR_PUSH(r->memory, &v->strings, s) || no_memory(r));
}

static bool read_dict_value(reader *r, uint32_t which, dict_entry *out)
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
static bool read_dict_entry(reader *r, dict_entry *out)
{
    static const char words[] = "kind value";
    const char *value_at = NULL;
    uint32_t seen = 0, which = 0;
    span at = json_here(&r->j);
    if (!json_object(&r->j))
        return false;
    for (int field; (field = next_field(r, words, &seen)) >= 0;) {
        if (field == 0) {
            if (!read_word(r, ptir_attr_kind_words, "an attribute kind", &which))
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
    return has_fields(r, at, words, seen, 3);
}

static bool read_dict(reader *r, attr *out)
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
            return no_memory(r);
        if (!read_dict_entry(r, &e))
            return false;
        if (!PTIR_PUSH(r->memory, &entries, e))
            return no_memory(r);
    }
    ptir_dict_sort(entries.at, entries.n);
    out->key = KEY_DICT;
    out->v.dict = entries.at;
    out->n = entries.n;
    return json_ok(&r->j);
}

/* ---- operations ---------------------------------------------------------------------------- */

static bool read_new_shape(reader *r, int_list *out)
{
    static const char words[] = "Explicit Infer", what[] = "an extent";
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        json_text name;
        bool has_payload;
        int64_t extent = -1;
        if (!enter_variant(r, what, &name, &has_payload))
            return false;
        int which = ptir_word_index(words, name.at, name.n);
        if (which < 0 || (which == 0) != has_payload)
            return no_such_variant(r, name, what, words);
        if ((has_payload && !read_dimension(r, &extent)) || !leave_variant(r, what, has_payload))
            return false;
        if (!PTIR_PUSH(r->memory, out, extent))
            return no_memory(r);
    }
    return json_ok(&r->j);
}

static bool read_pairs(reader *r, int_list *out)
{
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        span at = json_here(&r->j);
        uint32_t n = out->n;
        if (!read_ints(r, false, out))
            return false;
        if (out->n != n + 2)
            return json_fail(&r->j, DIAG_SyntaxError, at, "expected a pair of numbers");
    }
    return json_ok(&r->j);
}

static bool read_field(reader *r, const ptir_field *field, attr *out)
{
    int_list ints = {0};
    tn_dtype dtype;
    uint32_t word;
    bool truth;
    *out = (attr){.key = (uint8_t)field->key};
    switch (field->kind) {
    case PTIR_UINTS:
    case PTIR_AXES:
        if (!read_ints(r, field->kind == PTIR_AXES, &ints))
            return false;
        break;
    case PTIR_SHAPE:
        if (!read_shape(r, &ints))
            return false;
        break;
    case PTIR_NEW_SHAPE:
        if (!read_new_shape(r, &ints))
            return false;
        break;
    case PTIR_PAIRS:
        if (!read_pairs(r, &ints))
            return false;
        break;
    case PTIR_UINT:
    case PTIR_REGION:
        return read_index(r, false, &out->v.i);
    case PTIR_AXIS:
    case PTIR_INT_AXIS:
        return read_index(r, true, &out->v.i);
    case PTIR_BOOL:
        if (!json_bool(&r->j, &truth))
            return false;
        out->v.i = truth;
        return true;
    case PTIR_FLOAT:
        return read_float(r, &out->v.f);
    case PTIR_WORD:
        if (!read_word(r, field->words, "a word of this field", &word))
            return false;
        out->v.i = word;
        return true;
    case PTIR_DTYPE:
        if (!read_dtype(r, &dtype))
            return false;
        out->v.i = dtype;
        return true;
    case PTIR_SCALAR:
        return read_scalar(r, &out->v.scalar);
    case PTIR_STRING:
        return read_name(r, &out->v.s, NULL);
    case PTIR_DICT:
        return read_dict(r, out);
    }
    out->v.ints = ints.at;
    out->n = ints.n;
    return true;
}

static int field_by_name(const ptir_op_info *op, json_text key)
{
    for (uint32_t i = 0; i < op->n_fields; i++)
        if (json_is(key, op->fields[i].name))
            return (int)i;
    return -1;
}

static bool read_fields(reader *r, const ptir_op_info *op, ptir_inst *out)
{
    attr found[PTIR_MAX_FIELDS];
    uint32_t seen = 0;
    json_text key;
    span at = json_here(&r->j);
    if (!json_object(&r->j))
        return false;
    while (json_member(&r->j, &key)) {
        int i = field_by_name(op, key);
        if (i < 0 ? !json_skip(&r->j)
                  : !(op->fields[i].optional && json_null(&r->j)) &&
                        (seen |= 1U << i, !read_field(r, &op->fields[i], &found[i])))
            return false;
    }
    if (!json_ok(&r->j))
        return false;

    attr *own = arena_alloc(r->memory, op->n_fields * sizeof *own);
    if (!own)
        return no_memory(r);
    out->attrs = own;
    for (uint32_t i = 0; i < op->n_fields; i++) {
        const ptir_field *field = &op->fields[i];
        if (seen >> i & 1)
            own[out->n_attrs++] = found[i];
        else if (field->kind == PTIR_DICT)
            own[out->n_attrs++] = (attr){.key = (uint8_t)field->key};
        else if (!field->optional)
            return json_fail(&r->j, DIAG_SyntaxError, at, "missing field '%s'", field->name);
    }
    return true;
}

static bool read_constant(reader *r, ptir_inst *out)
{
    attr *own = arena_alloc(r->memory, sizeof *own);
    if (!own)
        return no_memory(r);
    *own = (attr){.key = KEY_VALUE};
    out->attrs = own;
    out->n_attrs = 1;
    return read_literal(r, &own->v.literal);
}

static bool read_payload(reader *r, const ptir_op_info *op, ptir_inst *out)
{
    uint32_t word;
    switch (op->form) {
    case PTIR_FORM_NONE:
        return json_null(&r->j) ||
               json_fail(&r->j, DIAG_SyntaxError, json_here(&r->j), "'%s' has no fields", op->name);
    case PTIR_FORM_LITERAL:
        return read_constant(r, out);
    case PTIR_FORM_UNARY:
    case PTIR_FORM_BINARY:
        if (!read_word(r, op->form == PTIR_FORM_UNARY ? ptir_unary_words : ptir_binary_words,
                       "an elementwise operation", &word))
            return false;
        out->word = (uint8_t)word;
        return true;
    case PTIR_FORM_STRUCT:
        return read_fields(r, op, out);
    }
    return false;
}

static bool read_operation(reader *r, ptir_inst *out)
{
    static const char what[] = "an operation";
    json_text name;
    bool has_payload;
    if (!enter_variant(r, what, &name, &has_payload))
        return false;
    ptir_op op = ptir_op_by_name(name.at, name.n);
    out->op = (uint8_t)op;
    out->at = name.where;
    if (op == PTIR_OP_COUNT) {
        fault(r, DIAG_UnknownOp, name.where, "there is no operation '%.*s'",
              name.n > 60 ? 60 : (int)name.n, name.at);
        if (has_payload && !json_skip(&r->j))
            return false;
    } else if (has_payload ? !read_payload(r, &ptir_ops[op], out)
                           : ptir_ops[op].form != PTIR_FORM_NONE) {
        return json_fail(&r->j, DIAG_SyntaxError, name.where, "'%.*s' needs a value", (int)name.n,
                         name.at);
    }
    return leave_variant(r, what, has_payload);
}

/* {tuple: id, index: n} */
static bool read_element(reader *r, ptir_operand *out)
{
    static const char words[] = "tuple index";
    uint32_t seen = 0;
    span at = json_here(&r->j);
    if (!json_object(&r->j))
        return false;
    for (int field; (field = next_field(r, words, &seen)) >= 0;)
        if (!read_u32(r, field == 0 ? &out->id : &out->index))
            return false;
    return has_fields(r, at, words, seen, 3);
}

static bool read_operand(reader *r, ptir_operand *out)
{
    static const char what[] = "an operand";
    uint32_t which;
    *out = (ptir_operand){.at = json_here(&r->j)};
    if (!enter_payload(r, "Value TupleElement Literal", what, &which))
        return false;
    out->kind = (ptir_operand_kind)which;
    if (which != PTIR_LITERAL)
        out->at = json_here(&r->j);
    bool ok = which == PTIR_VALUE     ? read_u32(r, &out->id)
              : which == PTIR_ELEMENT ? read_element(r, out)
                                      : read_literal(r, &out->literal);
    return ok && leave_variant(r, what, true);
}

static bool read_operands(reader *r, ptir_inst *out)
{
    VECTOR(ptir_operand) in = {0};
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        ptir_operand operand;
        if (!read_operand(r, &operand))
            return false;
        if (!PTIR_PUSH(r->memory, &in, operand))
            return no_memory(r);
    }
    out->in = in.at;
    out->n_in = in.n;
    return json_ok(&r->j);
}

static bool read_instruction(reader *r, ptir_inst *out)
{
    static const char words[] = "id op operands output";
    uint32_t seen = 0;
    span at = json_here(&r->j);
    *out = (ptir_inst){.at = at};
    if (!json_object(&r->j))
        return false;
    for (int field; (field = next_field(r, words, &seen)) >= 0;) {
        bool ok = false;
        switch (field) {
        case 0:
            out->id_at = json_here(&r->j);
            ok = read_u32(r, &out->id);
            break;
        case 1:
            ok = read_operation(r, out);
            break;
        case 2:
            ok = read_operands(r, out);
            break;
        default:
            out->out_at = json_here(&r->j);
            ok = read_type(r, &out->out);
            break;
        }
        if (!ok)
            return false;
    }
    return has_fields(r, at, words, seen, 15);
}

static bool read_body(reader *r, ptir_insts *out)
{
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        ptir_inst inst;
        if (!read_instruction(r, &inst))
            return false;
        if (!PTIR_PUSH(r->memory, out, inst))
            return no_memory(r);
    }
    return json_ok(&r->j);
}

/* ---- functions ----------------------------------------------------------------------------- */

static bool read_hint(reader *r, ptir_hint *out)
{
    static const char words[] = "id kind policy inputs exports body attrs";
    uint32_t seen = 0, word;
    span at = json_here(&r->j);
    *out = (ptir_hint){.at = at, .attrs = {.key = KEY_DICT}};
    if (!json_object(&r->j))
        return false;
    for (int field; (field = next_field(r, words, &seen)) >= 0;) {
        bool ok = false;
        switch (field) {
        case 0:
            ok = read_u32(r, &out->id);
            break;
        case 1:
            ok = read_word(r, ptir_hint_words, "a kind of hint", &word);
            out->kind = ok ? (uint8_t)word : 0;
            break;
        case 2:
            ok = read_word(r, ptir_policy_words, "a policy", &word);
            out->policy = ok ? (uint8_t)word : 0;
            break;
        case 3:
            ok = read_ids(r, &out->inputs);
            break;
        case 4:
            ok = read_ids(r, &out->exports);
            break;
        case 5:
            ok = read_body(r, &out->body);
            break;
        default:
            ok = json_null(&r->j) || read_dict(r, &out->attrs);
            break;
        }
        if (!ok)
            return false;
    }
    return has_fields(r, at, words, seen, 63);
}

static bool read_hints(reader *r, ptir_function *out)
{
    if (json_null(&r->j))
        return true;
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        ptir_hint hint;
        if (!read_hint(r, &hint))
            return false;
        if (!PTIR_PUSH(r->memory, &out->hints, hint))
            return no_memory(r);
    }
    return json_ok(&r->j);
}

static bool read_result_ids(reader *r, ptir_function *out)
{
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        ptir_operand operand = {.kind = PTIR_VALUE, .at = json_here(&r->j)};
        if (!read_u32(r, &operand.id))
            return false;
        if (!PTIR_PUSH(r->memory, &out->result_ids, operand))
            return no_memory(r);
    }
    return json_ok(&r->j);
}

static bool read_function(reader *r, ptir_function *out)
{
    static const char words[] =
        "name parameters parameter_ids results body hints result_ids";
    uint32_t seen = 0;
    span at = json_here(&r->j);
    *out = (ptir_function){.at = at, .stores_ids = true};
    if (!json_object(&r->j))
        return false;
    for (int field; (field = next_field(r, words, &seen)) >= 0;) {
        bool ok = false;
        switch (field) {
        case 0:
            ok = read_name(r, &out->name, &out->at);
            break;
        case 1:
            ok = read_types(r, &out->parameters);
            break;
        case 2:
            ok = read_ids(r, &out->parameter_ids);
            break;
        case 3:
            ok = read_types(r, &out->results);
            break;
        case 4:
            ok = read_body(r, &out->body);
            break;
        case 5:
            ok = read_hints(r, out);
            break;
        default:
            ok = read_result_ids(r, out);
            break;
        }
        if (!ok)
            return false;
    }
    return has_fields(r, at, words, seen, 0x5f);
}

static bool read_region(reader *r, ptir_function *out)
{
    static const char words[] = "id parameters body results";
    uint32_t seen = 0;
    span at = json_here(&r->j);
    *out = (ptir_function){.at = at};
    if (!json_object(&r->j))
        return false;
    for (int field; (field = next_field(r, words, &seen)) >= 0;) {
        bool ok = false;
        switch (field) {
        case 0:
            out->at = json_here(&r->j);
            ok = json_u64(&r->j, &out->region);
            break;
        case 1:
            ok = read_types(r, &out->parameters);
            break;
        case 2:
            ok = read_body(r, &out->body);
            break;
        default:
            ok = read_types(r, &out->results);
            break;
        }
        if (!ok)
            return false;
    }
    return has_fields(r, at, words, seen, 15);
}

/* ---- programs ------------------------------------------------------------------------------ */

static bool read_version(reader *r)
{
    json_text version;
    if (json_null(&r->j))
        return true;
    if (!json_string(&r->j, &version))
        return false;
    return version.n == 0 || json_is(version, PTIR_VERSION) ||
           json_fail(&r->j, DIAG_UnsupportedVersion, version.where,
                     "version '%.*s' is not read, only '" PTIR_VERSION "'",
                     version.n > 60 ? 60 : (int)version.n, version.at);
}

static bool read_functions(reader *r, ptir_program *out, bool regions)
{
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        ptir_function f;
        if (!(regions ? read_region(r, &f) : read_function(r, &f)))
            return false;
        if (!(regions ? PTIR_PUSH(r->memory, &out->regions, f)
                      : PTIR_PUSH(r->memory, &out->functions, f)))
            return no_memory(r);
    }
    return json_ok(&r->j);
}

static bool read_program(reader *r, ptir_program *out)
{
    static const char words[] = "spec_version entry functions regions";
    uint32_t seen = 0;
    span at = json_here(&r->j);
    if (!json_object(&r->j))
        return false;
    for (int field; (field = next_field(r, words, &seen)) >= 0;) {
        bool ok = false;
        switch (field) {
        case 0:
            ok = read_version(r);
            break;
        case 1:
            ok = read_name(r, &out->entry, &out->entry_at);
            break;
        default:
            ok = read_functions(r, out, field == 3);
            break;
        }
        if (!ok)
            return false;
    }
    return has_fields(r, at, words, seen, 14) && json_finish(&r->j);
}

tn_status ptir_json_read(module *m, arena *memory, ptir_program *out, uint32_t *faults)
{
    reader r = {.m = m, .memory = memory};
    size_t bad = utf8_invalid_at(m->source.text, m->source.length);
    if (bad < m->source.length)
        return diag_report(&m->cx->diag, DIAG_InvalidUtf8, &m->source, (span){(uint32_t)bad, 1},
                           "the text is not UTF-8 at byte %zu (0x%02x)", bad,
                           (unsigned)(unsigned char)m->source.text[bad]);
    *out = (ptir_program){0};
    json_init(&r.j, m->cx, &m->source, memory, false);
    bool ok = read_program(&r, out);
    json_release(&r.j);
    *faults = r.faults;
    return ok ? TN_OK : json_status(&r.j);
}
