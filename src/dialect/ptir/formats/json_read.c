/* The JSON form to the model: operations, instructions, functions, programs. */
#include <inttypes.h>

#include "base/text/utf8.h"
#include "dialect/ptir/formats/json_parts.h"

/* ---- objects ------------------------------------------------------------------------------- */

/* Reads the value of field number FIELD of an object into OUT. */
typedef bool field_reader(ptir_json *r, int field, void *out);

/* An object with the fields WORDS, in any order; those of the bits NEEDED must be there. */
static bool read_object(ptir_json *r, const char *words, uint32_t needed, field_reader *read,
                        void *out)
{
    uint32_t seen = 0;
    const span at = json_here(&r->j);
    if (!json_object(&r->j))
        return false;
    for (int field; (field = jpart_next_field(r, words, &seen)) >= 0;)
        if (!read(r, field, out))
            return false;
    return jpart_has_fields(r, at, words, seen, needed);
}

/* ---- operations ---------------------------------------------------------------------------- */

static bool read_new_shape(ptir_json *r, int_list *out)
{
    static const char words[] = "Explicit Infer", what[] = "an extent";
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        json_text name;
        bool has_payload;
        int64_t extent = -1;
        if (!jpart_enter_variant(r, what, &name, &has_payload))
            return false;
        int which = ptir_word_index(words, name.at, name.n);
        if (which < 0 || (which == 0) != has_payload)
            return jpart_no_such_variant(r, name, what, words);
        if ((has_payload && !jpart_dimension(r, &extent)) ||
            !jpart_leave_variant(r, what, has_payload))
            return false;
        if (!PTIR_PUSH(r->memory, out, extent))
            return jpart_no_memory(r);
    }
    return json_ok(&r->j);
}

static bool read_pairs(ptir_json *r, int_list *out)
{
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        span at = json_here(&r->j);
        uint32_t n = out->n;
        if (!jpart_ints(r, false, out))
            return false;
        if (out->n != n + 2)
            return json_fail(&r->j, DIAG_SyntaxError, at, "expected a pair of numbers");
    }
    return json_ok(&r->j);
}

/* The id of a region, and where it stands for an editor. */
static bool read_region(ptir_json *r, int64_t *out)
{
    const uint32_t from = json_here(&r->j).at;
    if (!jpart_index(r, false, out))
        return false;
    const span at = {from, (uint32_t)(r->j.at - r->m->source.text) - from};
    const ptir_region_use use = {at, (uint64_t)*out};
    return !r->m->cx->names || PTIR_PUSH(r->memory, &r->region_uses, use) || jpart_no_memory(r);
}

static bool read_field(ptir_json *r, const ptir_field *field, attr *out)
{
    int_list ints = {0};
    tn_dtype dtype = TN_I1;
    uint32_t word;
    bool truth;
    *out = (attr){.key = (uint8_t)field->key};
    switch (field->kind) {
    case PTIR_UINTS:
    case PTIR_AXES:
        if (!jpart_ints(r, field->kind == PTIR_AXES, &ints))
            return false;
        break;
    case PTIR_SHAPE:
        if (!jpart_shape(r, &ints))
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
    case PTIR_REGION:
        return read_region(r, &out->v.i);
    case PTIR_UINT:
        return jpart_index(r, false, &out->v.i);
    case PTIR_AXIS:
    case PTIR_INT_AXIS:
        return jpart_index(r, true, &out->v.i);
    case PTIR_BOOL:
        if (!json_bool(&r->j, &truth))
            return false;
        out->v.i = truth;
        return true;
    case PTIR_FLOAT:
        return jpart_float(r, &out->v.f);
    case PTIR_WORD:
        if (!jpart_word(r, field->words, "a word of this field", &word))
            return false;
        out->v.i = word;
        return true;
    case PTIR_DTYPE:
        if (!jpart_dtype(r, &dtype))
            return false;
        out->v.i = dtype;
        return true;
    case PTIR_SCALAR:
        return jpart_scalar(r, &out->v.scalar);
    case PTIR_STRING:
        return jpart_name(r, &out->v.s, NULL);
    case PTIR_DICT:
        return jpart_dict(r, out);
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

/* Field number MISSING of OP is not there; IGNORED may be a misspelling of it. */
static bool missing_field(ptir_json *r, span at, const ptir_op_info *op, uint32_t missing,
                          json_text ignored)
{
    suggestion like;
    suggest_begin(&like, ignored.at, ignored.n);
    ptir_suggest_field(&like, op, ~(1U << missing));
    (void)json_fail(&r->j, DIAG_SyntaxError, at, "missing field '%s'", op->fields[missing].name);
    suggest_fix(&like, &r->m->cx->diag, ignored.where, "\"");
    return false;
}

/* May the field be absent, or null? */
static bool is_omissible(const ptir_field *field)
{
    return field->optional || field->kind == PTIR_DICT;
}

static bool read_fields(ptir_json *r, const ptir_op_info *op, ptir_inst *out)
{
    attr found[PTIR_MAX_FIELDS];
    uint32_t seen = 0;
    json_text key, ignored = {0}; /* the first field that the operation lacks */
    span at = json_here(&r->j);
    if (!json_object(&r->j))
        return false;
    while (json_member(&r->j, &key)) {
        int i = field_by_name(op, key);
        if (i < 0 && ignored.n == 0)
            ignored = key;
        if (i < 0 ? !json_skip(&r->j)
                  : !(is_omissible(&op->fields[i]) && json_null(&r->j)) &&
                        (seen |= 1U << i, !read_field(r, &op->fields[i], &found[i])))
            return false;
    }
    if (!json_ok(&r->j))
        return false;

    attr *own = arena_alloc(r->memory, op->n_fields * sizeof *own);
    if (!own)
        return jpart_no_memory(r);
    out->attrs = own;
    for (uint32_t i = 0; i < op->n_fields; i++) {
        const ptir_field *field = &op->fields[i];
        if (seen >> i & 1)
            own[out->n_attrs++] = found[i];
        else if (field->kind == PTIR_DICT)
            own[out->n_attrs++] = (attr){.key = (uint8_t)field->key};
        else if (!field->optional)
            return missing_field(r, at, op, i, ignored);
    }
    return true;
}

static bool read_constant(ptir_json *r, ptir_inst *out)
{
    attr *own = arena_alloc(r->memory, sizeof *own);
    if (!own)
        return jpart_no_memory(r);
    *own = (attr){.key = KEY_VALUE};
    out->attrs = own;
    out->n_attrs = 1;
    return jpart_literal(r, &own->v.literal);
}

static bool read_payload(ptir_json *r, const ptir_op_info *op, ptir_inst *out)
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
        if (!jpart_word(r, op->form == PTIR_FORM_UNARY ? ptir_unary_words : ptir_binary_words,
                        "an elementwise operation", &word))
            return false;
        out->word = (uint8_t)word;
        return true;
    case PTIR_FORM_STRUCT:
        return read_fields(r, op, out);
    }
    return false;
}

static void unknown_op(ptir_json *r, json_text name)
{
    suggestion like;
    suggest_begin(&like, name.at, name.n);
    ptir_suggest_op(&like, false);
    jpart_fault(r, DIAG_UnknownOp, name.where, "there is no operation '%.*s'",
                name.n > 60 ? 60 : (int)name.n, name.at);
    suggest_fix(&like, &r->m->cx->diag, name.where, "\"");
}

static bool read_operation(ptir_json *r, ptir_inst *out)
{
    static const char what[] = "an operation";
    const uint32_t faults = r->faults;
    json_text name;
    bool has_payload;
    if (!jpart_enter_variant(r, what, &name, &has_payload))
        return false;
    ptir_op op = ptir_op_by_name(name.at, name.n);
    out->op = (uint8_t)op;
    out->at = name.where;
    if (op == PTIR_OP_COUNT) {
        unknown_op(r, name);
        if (has_payload && !json_skip(&r->j))
            return false;
    } else if (has_payload ? !read_payload(r, &ptir_ops[op], out)
                           : ptir_ops[op].form != PTIR_FORM_NONE) {
        return json_fail(&r->j, DIAG_SyntaxError, name.where, "'%.*s' needs a value", (int)name.n,
                         name.at);
    }
    if (r->faults != faults) /* and that was reported */
        out->op = PTIR_OP_COUNT;
    return jpart_leave_variant(r, what, has_payload);
}

static bool read_element_field(ptir_json *r, int field, void *to)
{
    ptir_operand *out = to;
    return jpart_u32(r, field == 0 ? &out->id : &out->index);
}

static bool read_operand(ptir_json *r, ptir_operand *out)
{
    static const char what[] = "an operand";
    uint32_t which = 0;
    *out = (ptir_operand){.at = json_here(&r->j)};
    if (!jpart_enter_payload(r, "Value TupleElement Literal", what, &which))
        return false;
    out->kind = (ptir_operand_kind)which;
    if (which != PTIR_LITERAL)
        out->at = json_here(&r->j);
    bool ok = which == PTIR_VALUE     ? jpart_u32(r, &out->id)
              : which == PTIR_ELEMENT ? read_object(r, "tuple index", 3, read_element_field, out)

                                      : jpart_literal(r, &out->literal);
    return ok && jpart_leave_variant(r, what, true);
}

static bool read_operands(ptir_json *r, ptir_inst *out)
{
    VECTOR(ptir_operand) in = {0};
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        ptir_operand operand;
        if (!read_operand(r, &operand))
            return false;
        if (!PTIR_PUSH(r->memory, &in, operand))
            return jpart_no_memory(r);
    }
    out->in = in.at;
    out->n_in = in.n;
    return json_ok(&r->j);
}

static bool read_instruction_field(ptir_json *r, int field, void *to)
{
    ptir_inst *out = to;
    switch (field) {
    case 0:
        out->id_at = json_here(&r->j);
        return jpart_u32(r, &out->id);
    case 1:
        return read_operation(r, out);
    case 2:
        return read_operands(r, out);
    default:
        out->out_at = json_here(&r->j);
        return jpart_type(r, &out->out);
    }
}

static bool read_body(ptir_json *r, ptir_insts *out)
{
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        ptir_inst inst = {.at = json_here(&r->j)};
        if (!read_object(r, "id op operands output", 15, read_instruction_field, &inst))
            return false;
        if (!PTIR_PUSH(r->memory, out, inst))
            return jpart_no_memory(r);
    }
    return json_ok(&r->j);
}

/* ---- functions ----------------------------------------------------------------------------- */

static bool read_hint_field(ptir_json *r, int field, void *to)
{
    ptir_hint *out = to;
    uint32_t word = 0;
    bool ok;
    switch (field) {
    case 0:
        return jpart_u32(r, &out->id);
    case 1:
        ok = jpart_word(r, ptir_hint_words, "a kind of hint", &word);
        out->kind = (uint8_t)word;
        return ok;
    case 2:
        ok = jpart_word(r, ptir_policy_words, "a policy", &word);
        out->policy = (uint8_t)word;
        return ok;
    case 3:
        return jpart_ids(r, &out->inputs);
    case 4:
        return jpart_ids(r, &out->exports);
    case 5:
        return read_body(r, &out->body);
    default:
        return json_null(&r->j) || jpart_dict(r, &out->attrs);
    }
}

static bool read_hints(ptir_json *r, ptir_function *out)
{
    if (json_null(&r->j))
        return true;
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        ptir_hint hint = {.at = json_here(&r->j), .attrs = {.key = KEY_DICT}};
        if (!read_object(r, "id kind policy inputs exports body attrs", 63, read_hint_field, &hint))
            return false;
        if (!PTIR_PUSH(r->memory, &out->hints, hint))
            return jpart_no_memory(r);
    }
    return json_ok(&r->j);
}

static bool read_result_ids(ptir_json *r, ptir_function *out)
{
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        ptir_operand operand = {.kind = PTIR_VALUE, .at = json_here(&r->j)};
        if (!jpart_u32(r, &operand.id))
            return false;
        if (!PTIR_PUSH(r->memory, &out->result_ids, operand))
            return jpart_no_memory(r);
    }
    return json_ok(&r->j);
}

static bool read_parameter_ids(ptir_json *r, ptir_function *out)
{
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        const span at = json_here(&r->j);
        uint32_t id;
        if (!jpart_u32(r, &id))
            return false;
        if (!PTIR_PUSH(r->memory, &out->parameter_ids, id) ||
            !PTIR_PUSH(r->memory, &out->parameter_places, at))
            return jpart_no_memory(r);
    }
    return json_ok(&r->j);
}

static bool read_function_field(ptir_json *r, int field, void *to)
{
    ptir_function *out = to;
    switch (field) {
    case 0:
        return jpart_name(r, &out->name, &out->at);
    case 1:
        return jpart_types(r, &out->parameters);
    case 2:
        return read_parameter_ids(r, out);
    case 3:
        return jpart_types(r, &out->results);
    case 4:
        return read_body(r, &out->body);
    case 5:
        return read_hints(r, out);
    default:
        return read_result_ids(r, out);
    }
}

static bool read_region_field(ptir_json *r, int field, void *to)
{
    ptir_function *out = to;
    switch (field) {
    case 0:
        out->at = json_here(&r->j);
        return json_u64(&r->j, &out->region);
    case 1:
        return jpart_types(r, &out->parameters);
    case 2:
        return read_body(r, &out->body);
    default:
        return jpart_types(r, &out->results);
    }
}

/* ---- programs ------------------------------------------------------------------------------ */

static bool read_version(ptir_json *r)
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

static bool read_functions(ptir_json *r, ptir_program *out)
{
    static const char words[] = "name parameters parameter_ids results body hints result_ids";
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        ptir_function f = {.at = json_here(&r->j), .stores_ids = true};
        const uint32_t from = f.at.at;
        if (!read_object(r, words, 0x5f, read_function_field, &f))
            return false;
        f.whole = (span){from, (uint32_t)(r->j.at - r->m->source.text) - from};
        if (!PTIR_PUSH(r->memory, &out->functions, f))
            return jpart_no_memory(r);
    }
    return json_ok(&r->j);
}

static bool read_regions(ptir_json *r, ptir_program *out)
{
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        ptir_function f = {.at = json_here(&r->j)};
        const uint32_t from = f.at.at;
        if (!read_object(r, "id parameters body results", 15, read_region_field, &f))
            return false;
        f.whole = (span){from, (uint32_t)(r->j.at - r->m->source.text) - from};
        if (!PTIR_PUSH(r->memory, &out->regions, f))
            return jpart_no_memory(r);
    }
    return json_ok(&r->j);
}

static bool read_program_field(ptir_json *r, int field, void *to)
{
    ptir_program *out = to;
    switch (field) {
    case 0:
        return read_version(r);
    case 1:
        return jpart_name(r, &out->entry, &out->entry_at);
    case 2:
        return read_functions(r, out);
    default:
        return read_regions(r, out);
    }
}

tn_status ptir_json_read(module *m, arena *memory, ptir_program *out, uint32_t *faults)
{
    ptir_json r = {.m = m, .memory = memory};
    size_t bad = utf8_invalid_at(m->source.text, m->source.length);
    if (bad < m->source.length)
        return diag_report(&m->cx->diag, DIAG_InvalidUtf8, &m->source, (span){(uint32_t)bad, 1},
                           "the text is not UTF-8 at byte %zu (0x%02x)", bad,
                           (unsigned)(unsigned char)m->source.text[bad]);
    *out = (ptir_program){0};
    json_init(&r.j, m->cx, &m->source, memory, false);
    bool ok =
        read_object(&r, "spec_version entry functions regions", 14, read_program_field, out) &&
        json_finish(&r.j);
    json_release(&r.j);
    out->region_uses = r.region_uses;
    *faults = r.faults;
    return ok ? TN_OK : json_status(&r.j);
}
