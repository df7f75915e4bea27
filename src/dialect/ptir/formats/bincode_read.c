/* The binary form, which is in bincode, to the model. */
#include <inttypes.h>

#include "dialect/ptir/formats/bincode.h"
#include "dialect/ptir/formats/formats.h"

/* ---- types --------------------------------------------------------------------------------- */

static bool read_dim(bincode *r, dim *out)
{
    uint32_t which = 0;
    const char *name = "";
    if (!bincode_variant(r, 2, "Dimension", &which))
        return false;
    if (which == 0)
        return bincode_index(r, out);
    if (!bincode_string(r, &name))
        return false;
    *out = ptir_dim_by_name(r->m, name, strlen(name));
    return *out != DIM_NO_MEMORY || bincode_no_memory(r);
}

static bool read_shape(bincode *r, bincode_int_list *out)
{
    uint32_t n;
    if (!bincode_length(r, 12, &n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        dim d;
        if (!read_dim(r, &d) || !bincode_push(r, out, d))
            return false;
    }
    return true;
}

static bool read_spec(bincode *r, const type **out)
{
    arena_mark here = arena_here(r->memory);
    bincode_int_list dims = {0};
    uint32_t dtype;
    if (!bincode_variant(r, TN_DTYPE_COUNT, "DType", &dtype) || !read_shape(r, &dims))
        return false;
    if (dims.n > TN_MAX_RANK)
        return bincode_fail(r, DIAG_LimitExceeded, "rank %" PRIu32 " is above the limit of %d",
                            dims.n, TN_MAX_RANK);
    *out = type_of(&r->m->types, (tn_dtype)dtype, dims.at, dims.n);
    arena_rewind(r->memory, here);
    return *out || bincode_no_memory(r);
}

static bool read_type(bincode *r, ptir_type *out);

static bool read_types(bincode *r, ptir_types *out)
{
    uint32_t n;
    if (!bincode_length(r, 12, &n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        ptir_type item;
        if (!read_type(r, &item) || !(PTIR_PUSH(r->memory, out, item) || bincode_no_memory(r)))
            return false;
    }
    return true;
}

static bool read_type(bincode *r, ptir_type *out)
{
    ptir_types items = {0};
    uint32_t which = 0;
    *out = (ptir_type){0};
    if (!bincode_variant(r, 2, "ValueType", &which))
        return false;
    if (which == 0)
        return read_spec(r, &out->tensor);
    if (r->depth == r->m->cx->limits.nesting)
        return bincode_fail(r, DIAG_LimitExceeded, "nested deeper than %" PRIu32 " level%s",
                            r->depth, plural(r->depth));
    r->depth++;
    bool ok = read_types(r, &items);
    r->depth--;
    out->n = items.n;
    out->items = items.at;
    return ok;
}

/* ---- constants ----------------------------------------------------------------------------- */

static bool read_literal(bincode *r, const literal **out)
{
    literal *l = ARENA_NEW(&r->m->arena, literal);
    uint64_t told;
    if (!l)
        return bincode_no_memory(r);
    if (!read_spec(r, &l->type) || !bincode_u64(r, &told))
        return false;
    if (told > (uint64_t)(r->end - r->at))
        return bincode_fail(r, DIAG_SyntaxError,
                            "a constant of %" PRIu64 " byte%s is more than the data", told,
                            plural(told));
    const size_t n = (size_t)told;
    r->literal_bytes += n;
    if (r->literal_bytes > r->m->cx->limits.literal_bytes)
        return bincode_fail(r, DIAG_LimitExceeded, "more constant data than the limit allows");
    void *data = arena_alloc_aligned(&r->m->arena, n, 64);
    if (!data)
        return bincode_no_memory(r);
    l->data = data;
    l->bytes = n;
    *out = l;
    return bincode_take(r, data, n);
}

static bool read_scalar(bincode *r, const scalar **out)
{
    scalar *s = ARENA_NEW(r->memory, scalar);
    uint32_t which = 0;
    bool truth;
    if (!s)
        return bincode_no_memory(r);
    *out = s;
    if (!bincode_word(r, ptir_scalar_words, &which))
        return false;
    s->kind = (dtype_class)which;
    switch (s->kind) {
    case DTYPE_BOOL:
        if (!bincode_bool(r, &truth))
            return false;
        s->u = truth;
        return true;
    case DTYPE_SIGNED:
    case DTYPE_UNSIGNED:
        return bincode_u64(r, &s->u);
    case DTYPE_FLOAT:
        return bincode_f64(r, &s->f);
    case DTYPE_COMPLEX:
        return bincode_f64(r, &s->f) && bincode_f64(r, &s->im);
    }
    return false;
}

/* ---- free attributes ----------------------------------------------------------------------- */

static bool read_dict_values(bincode *r, uint32_t which, dict_entry *e)
{
    static const attr_kind kinds[] = {ATTR_INT, ATTR_FLOAT, ATTR_BOOL, ATTR_STRING};
    e->kind = kinds[which & 3U];
    e->is_array = which >= 4;
    e->n = 1;
    if (e->is_array && !bincode_length(r, e->kind == ATTR_BOOL ? 1 : 8, &e->n))
        return false;
    uint64_t *values = arena_alloc(r->memory, ((size_t)e->n + 1) * sizeof *values);
    if (!values)
        return bincode_no_memory(r);
    e->values = values;
    for (uint32_t i = 0; i < e->n; i++)
        if (!(e->kind == ATTR_BOOL     ? bincode_bool(r, (bool *)values + i)
              : e->kind == ATTR_STRING ? bincode_string(r, (const char **)values + i)
                                       : bincode_u64(r, &values[i])))
            return false;
    return true;
}

static bool read_dict(bincode *r, attr *out)
{
    VECTOR(dict_entry) entries = {0};
    uint32_t n, which;
    if (!bincode_length(r, 12, &n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        dict_entry e = {0};
        if (!bincode_string(r, &e.key) || !bincode_word(r, ptir_attr_kind_words, &which) ||
            !read_dict_values(r, which, &e))
            return false;
        if (!PTIR_PUSH(r->memory, &entries, e))
            return bincode_no_memory(r);
    }
    ptir_dict_sort(entries.at, entries.n);
    for (uint32_t i = 1; i < entries.n; i++)
        if (entries.at[i].key == entries.at[i - 1].key)
            return bincode_fail(r, DIAG_DuplicateKey, "'%.60s' stands twice", entries.at[i].key);
    out->v.dict = entries.at;
    out->n = entries.n;
    return true;
}

/* ---- operations ---------------------------------------------------------------------------- */

static bool read_new_shape(bincode *r, bincode_int_list *out)
{
    uint32_t n, which;
    if (!bincode_length(r, 4, &n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        dim d = -1;
        if (!bincode_variant(r, 2, "an extent", &which) || (which == 0 && !read_dim(r, &d)) ||
            !bincode_push(r, out, d))
            return false;
    }
    return true;
}

static bool read_pairs(bincode *r, bincode_int_list *out)
{
    uint32_t n;
    if (!bincode_length(r, 16, &n))
        return false;
    for (uint32_t i = 0; i < 2 * n; i++) {
        int64_t number;
        if (!bincode_index(r, &number) || !bincode_push(r, out, number))
            return false;
    }
    return true;
}

static bool read_field(bincode *r, const ptir_field *field, attr *out)
{
    bincode_int_list ints = {0};
    uint32_t word;
    uint64_t wide = 0;
    bool truth, ok = false;
    *out = (attr){.key = (uint8_t)field->key};
    switch (field->kind) {
    case PTIR_UINTS:
    case PTIR_AXES:
        ok = bincode_ints(r, &ints);
        break;
    case PTIR_SHAPE:
        ok = read_shape(r, &ints);
        break;
    case PTIR_NEW_SHAPE:
        ok = read_new_shape(r, &ints);
        break;
    case PTIR_PAIRS:
        ok = read_pairs(r, &ints);
        break;
    case PTIR_UINT:
    case PTIR_AXIS:
    case PTIR_REGION:
        return bincode_index(r, &out->v.i);
    case PTIR_INT_AXIS:
        ok = bincode_u64(r, &wide);
        out->v.i = (int64_t)wide;
        return ok;
    case PTIR_BOOL:
        ok = bincode_bool(r, &truth);
        out->v.i = ok && truth;
        return ok;
    case PTIR_FLOAT:
        return bincode_f64(r, &out->v.f);
    case PTIR_WORD:
    case PTIR_DTYPE:
        ok = bincode_word(r, field->kind == PTIR_WORD ? field->words : ptir_dtype_words, &word);
        out->v.i = ok ? word : 0;
        return ok;
    case PTIR_SCALAR:
        return read_scalar(r, &out->v.scalar);
    case PTIR_STRING:
        return bincode_string(r, &out->v.s);
    case PTIR_DICT:
        return read_dict(r, out);
    }
    out->v.ints = ints.at;
    out->n = ints.n;
    return ok;
}

static bool read_operation(bincode *r, ptir_inst *out)
{
    attr *own;
    uint32_t op, word;
    bool is_there = true;
    if (!bincode_variant(r, PTIR_OP_COUNT, "Operation", &op))
        return false;
    const ptir_op_info *info = &ptir_ops[op];
    out->op = (uint8_t)op;
    switch (info->form) {
    case PTIR_FORM_NONE:
        return true;
    case PTIR_FORM_UNARY:
    case PTIR_FORM_BINARY:
        if (!bincode_word(r, info->form == PTIR_FORM_UNARY ? ptir_unary_words : ptir_binary_words,
                          &word))
            return false;
        out->word = (uint8_t)word;
        return true;
    case PTIR_FORM_LITERAL:
    case PTIR_FORM_STRUCT:
        break;
    }
    own = arena_alloc(r->memory, ((size_t)info->n_fields + 1) * sizeof *own);
    if (!own)
        return bincode_no_memory(r);
    out->attrs = own;
    if (info->form == PTIR_FORM_LITERAL) {
        own[out->n_attrs++] = (attr){.key = KEY_VALUE};
        return read_literal(r, &own->v.literal);
    }
    for (uint32_t i = 0; i < info->n_fields; i++) {
        if (info->fields[i].optional && !bincode_bool(r, &is_there))
            return false;
        if ((!info->fields[i].optional || is_there) &&
            !read_field(r, &info->fields[i], &own[out->n_attrs++]))
            return false;
    }
    return true;
}

static bool read_operand(bincode *r, ptir_operand *out)
{
    uint32_t which = 0;
    int64_t index;
    *out = (ptir_operand){.at = NO_SPAN};
    if (!bincode_variant(r, 3, "Operand", &which))
        return false;
    out->kind = (ptir_operand_kind)which;
    if (which == PTIR_LITERAL)
        return read_literal(r, &out->literal);
    if (!bincode_u32(r, &out->id))
        return false;
    if (which == PTIR_VALUE)
        return true;
    if (!bincode_index(r, &index))
        return false;
    out->index = index > UINT32_MAX ? UINT32_MAX : (uint32_t)index;
    return true;
}

static bool read_instruction(bincode *r, ptir_inst *out)
{
    VECTOR(ptir_operand) in = {0};
    uint32_t n;
    *out = (ptir_inst){.at = NO_SPAN, .id_at = NO_SPAN, .out_at = NO_SPAN};
    if (!bincode_u32(r, &out->id) || !read_operation(r, out) || !bincode_length(r, 8, &n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        ptir_operand operand;
        if (!read_operand(r, &operand))
            return false;
        if (!PTIR_PUSH(r->memory, &in, operand))
            return bincode_no_memory(r);
    }
    out->in = in.at;
    out->n_in = in.n;
    return read_type(r, &out->out);
}

static bool read_body(bincode *r, ptir_insts *out)
{
    uint32_t n;
    if (!bincode_length(r, 20, &n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        ptir_inst inst;
        if (!read_instruction(r, &inst))
            return false;
        if (!PTIR_PUSH(r->memory, out, inst))
            return bincode_no_memory(r);
    }
    return true;
}

/* ---- programs ------------------------------------------------------------------------------ */

static bool read_hints(bincode *r, ptir_function *out)
{
    uint32_t n, kind, policy;
    if (!bincode_length(r, 44, &n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        ptir_hint h = {.at = NO_SPAN, .attrs = {.key = KEY_DICT}};
        if (!bincode_u32(r, &h.id) || !bincode_word(r, ptir_hint_words, &kind) ||
            !bincode_word(r, ptir_policy_words, &policy) || !bincode_ids(r, &h.inputs) ||
            !bincode_ids(r, &h.exports) || !read_body(r, &h.body) || !read_dict(r, &h.attrs))
            return false;
        h.kind = (uint8_t)kind;
        h.policy = (uint8_t)policy;
        if (!PTIR_PUSH(r->memory, &out->hints, h))
            return bincode_no_memory(r);
    }
    return true;
}

static bool read_function(bincode *r, ptir_function *out)
{
    ptir_ids results = {0};
    *out = (ptir_function){.at = NO_SPAN, .stores_ids = true};
    if (!bincode_string(r, &out->name) || !read_types(r, &out->parameters) ||
        !bincode_ids(r, &out->parameter_ids) || !read_types(r, &out->results) ||
        !read_body(r, &out->body) || !read_hints(r, out) || !bincode_ids(r, &results))
        return false;
    for (uint32_t i = 0; i < results.n; i++) {
        ptir_operand o = {.kind = PTIR_VALUE, .id = results.at[i], .at = NO_SPAN};
        if (!PTIR_PUSH(r->memory, &out->result_ids, o))
            return bincode_no_memory(r);
    }
    return true;
}

static bool read_region(bincode *r, ptir_function *out)
{
    *out = (ptir_function){.at = NO_SPAN};
    return bincode_u64(r, &out->region) && read_types(r, &out->parameters) &&
           read_body(r, &out->body) && read_types(r, &out->results);
}

static bool read_program(bincode *r, ptir_program *out)
{
    const char *version;
    uint32_t n;
    *out = (ptir_program){.entry_at = NO_SPAN};
    if (!bincode_string(r, &version))
        return false;
    if (*version && strcmp(version, PTIR_VERSION) != 0)
        return bincode_fail(r, DIAG_UnsupportedVersion,
                            "version '%.60s' is not read, only '" PTIR_VERSION "'", version);
    if (!bincode_string(r, &out->entry))
        return false;
    for (int regions = 0; regions < 2; regions++) {
        if (!bincode_length(r, 32, &n))
            return false;
        for (uint32_t i = 0; i < n; i++) {
            ptir_function f;
            if (!(regions ? read_region(r, &f) : read_function(r, &f)))
                return false;
            if (!(regions ? PTIR_PUSH(r->memory, &out->regions, f)
                          : PTIR_PUSH(r->memory, &out->functions, f)))
                return bincode_no_memory(r);
        }
    }
    return r->at == r->end ||
           bincode_fail(r, DIAG_SyntaxError, "the program ends here, but %zu more byte%s",
                        (size_t)(r->end - r->at), r->end - r->at == 1 ? " follows" : "s follow");
}

/* The binary form begins with the length of a text, of which some bytes are 0. */
static bool is_text(const bincode *r)
{
    enum { LENGTH = 8 };
    bool is_one = r->end - r->at >= LENGTH;
    for (int i = 0; is_one && i < LENGTH; i++)
        is_one = (r->at[i] >= ' ' && r->at[i] <= '~') || r->at[i] == '\n' || r->at[i] == '\r' ||
                 r->at[i] == '\t';
    return is_one;
}

tn_status ptir_bincode_read(module *m, arena *memory, ptir_program *out, uint32_t *faults)
{
    bincode r = {
        .m = m, .memory = memory, .at = m->source.text, .end = m->source.text + m->source.length};
    *faults = 0;
    if (is_text(&r))
        (void)bincode_fail(
            &r, DIAG_SyntaxError,
            "this is text: the dialect ptir has a program as JSON, ptir-text as text");
    else if (read_program(&r, out))
        return TN_OK;
    return r.no_memory ? TN_ERR_NOMEM : TN_ERR_REJECTED;
}
