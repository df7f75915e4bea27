/* The JSON form to the model: operations, instructions, functions, programs. */
#include <inttypes.h>

#include "base/utf8.h"
#include "dialect/ptir/json_parts.h"

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
    case PTIR_UINT:
    case PTIR_REGION:
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

static bool read_fields(ptir_json *r, const ptir_op_info *op, ptir_inst *out)
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
        return jpart_no_memory(r);
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

static bool read_operation(ptir_json *r, ptir_inst *out)
{
    static const char what[] = "an operation";
    json_text name;
    bool has_payload;
    if (!jpart_enter_variant(r, what, &name, &has_payload))
        return false;
    ptir_op op = ptir_op_by_name(name.at, name.n);
    out->op = (uint8_t)op;
    out->at = name.where;
    if (op == PTIR_OP_COUNT) {
        jpart_fault(r, DIAG_UnknownOp, name.where, "there is no operation '%.*s'",
                    name.n > 60 ? 60 : (int)name.n, name.at);
        if (has_payload && !json_skip(&r->j))
            return false;
    } else if (has_payload ? !read_payload(r, &ptir_ops[op], out)
                           : ptir_ops[op].form != PTIR_FORM_NONE) {
        return json_fail(&r->j, DIAG_SyntaxError, name.where, "'%.*s' needs a value", (int)name.n,
                         name.at);
    }
    return jpart_leave_variant(r, what, has_payload);
}

/* {tuple: id, index: n} */
static bool read_element(ptir_json *r, ptir_operand *out)
{
    static const char words[] = "tuple index";
    uint32_t seen = 0;
    span at = json_here(&r->j);
    if (!json_object(&r->j))
        return false;
    for (int field; (field = jpart_next_field(r, words, &seen)) >= 0;)
        if (!jpart_u32(r, field == 0 ? &out->id : &out->index))
            return false;
    return jpart_has_fields(r, at, words, seen, 3);
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
              : which == PTIR_ELEMENT ? read_element(r, out)
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

static bool read_instruction(ptir_json *r, ptir_inst *out)
{
    static const char words[] = "id op operands output";
    uint32_t seen = 0;
    span at = json_here(&r->j);
    *out = (ptir_inst){.at = at};
    if (!json_object(&r->j))
        return false;
    for (int field; (field = jpart_next_field(r, words, &seen)) >= 0;) {
        bool ok = false;
        switch (field) {
        case 0:
            out->id_at = json_here(&r->j);
            ok = jpart_u32(r, &out->id);
            break;
        case 1:
            ok = read_operation(r, out);
            break;
        case 2:
            ok = read_operands(r, out);
            break;
        default:
            out->out_at = json_here(&r->j);
            ok = jpart_type(r, &out->out);
            break;
        }
        if (!ok)
            return false;
    }
    return jpart_has_fields(r, at, words, seen, 15);
}

static bool read_body(ptir_json *r, ptir_insts *out)
{
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        ptir_inst inst;
        if (!read_instruction(r, &inst))
            return false;
        if (!PTIR_PUSH(r->memory, out, inst))
            return jpart_no_memory(r);
    }
    return json_ok(&r->j);
}

/* ---- functions ----------------------------------------------------------------------------- */

static bool read_hint(ptir_json *r, ptir_hint *out)
{
    static const char words[] = "id kind policy inputs exports body attrs";
    uint32_t seen = 0, word;
    span at = json_here(&r->j);
    *out = (ptir_hint){.at = at, .attrs = {.key = KEY_DICT}};
    if (!json_object(&r->j))
        return false;
    for (int field; (field = jpart_next_field(r, words, &seen)) >= 0;) {
        bool ok = false;
        switch (field) {
        case 0:
            ok = jpart_u32(r, &out->id);
            break;
        case 1:
            ok = jpart_word(r, ptir_hint_words, "a kind of hint", &word);
            out->kind = ok ? (uint8_t)word : 0;
            break;
        case 2:
            ok = jpart_word(r, ptir_policy_words, "a policy", &word);
            out->policy = ok ? (uint8_t)word : 0;
            break;
        case 3:
            ok = jpart_ids(r, &out->inputs);
            break;
        case 4:
            ok = jpart_ids(r, &out->exports);
            break;
        case 5:
            ok = read_body(r, &out->body);
            break;
        default:
            ok = json_null(&r->j) || jpart_dict(r, &out->attrs);
            break;
        }
        if (!ok)
            return false;
    }
    return jpart_has_fields(r, at, words, seen, 63);
}

static bool read_hints(ptir_json *r, ptir_function *out)
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

static bool read_function(ptir_json *r, ptir_function *out)
{
    static const char words[] = "name parameters parameter_ids results body hints result_ids";
    uint32_t seen = 0;
    span at = json_here(&r->j);
    *out = (ptir_function){.at = at, .stores_ids = true};
    if (!json_object(&r->j))
        return false;
    for (int field; (field = jpart_next_field(r, words, &seen)) >= 0;) {
        bool ok = false;
        switch (field) {
        case 0:
            ok = jpart_name(r, &out->name, &out->at);
            break;
        case 1:
            ok = jpart_types(r, &out->parameters);
            break;
        case 2:
            ok = jpart_ids(r, &out->parameter_ids);
            break;
        case 3:
            ok = jpart_types(r, &out->results);
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
    return jpart_has_fields(r, at, words, seen, 0x5f);
}

static bool read_region(ptir_json *r, ptir_function *out)
{
    static const char words[] = "id parameters body results";
    uint32_t seen = 0;
    span at = json_here(&r->j);
    *out = (ptir_function){.at = at};
    if (!json_object(&r->j))
        return false;
    for (int field; (field = jpart_next_field(r, words, &seen)) >= 0;) {
        bool ok = false;
        switch (field) {
        case 0:
            out->at = json_here(&r->j);
            ok = json_u64(&r->j, &out->region);
            break;
        case 1:
            ok = jpart_types(r, &out->parameters);
            break;
        case 2:
            ok = read_body(r, &out->body);
            break;
        default:
            ok = jpart_types(r, &out->results);
            break;
        }
        if (!ok)
            return false;
    }
    return jpart_has_fields(r, at, words, seen, 15);
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

static bool read_functions(ptir_json *r, ptir_program *out, bool regions)
{
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j)) {
        ptir_function f;
        if (!(regions ? read_region(r, &f) : read_function(r, &f)))
            return false;
        if (!(regions ? PTIR_PUSH(r->memory, &out->regions, f)
                      : PTIR_PUSH(r->memory, &out->functions, f)))
            return jpart_no_memory(r);
    }
    return json_ok(&r->j);
}

static bool read_program(ptir_json *r, ptir_program *out)
{
    static const char words[] = "spec_version entry functions regions";
    uint32_t seen = 0;
    span at = json_here(&r->j);
    if (!json_object(&r->j))
        return false;
    for (int field; (field = jpart_next_field(r, words, &seen)) >= 0;) {
        bool ok = false;
        switch (field) {
        case 0:
            ok = read_version(r);
            break;
        case 1:
            ok = jpart_name(r, &out->entry, &out->entry_at);
            break;
        default:
            ok = read_functions(r, out, field == 3);
            break;
        }
        if (!ok)
            return false;
    }
    return jpart_has_fields(r, at, words, seen, 14) && json_finish(&r->j);
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
    bool ok = read_program(&r, out);
    json_release(&r.j);
    *faults = r.faults;
    return ok ? TN_OK : json_status(&r.j);
}
