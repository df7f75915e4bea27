/* Core IR as records: the seed's CoreOperation as JSON. One object with the lists `operations`,
 * `outputs` and, optionally, `gradients`; or the list of operations alone, with an object of the
 * other lists as its last element. */
#include "dialect/mind/reader.h"

typedef enum field { F_VALUE_ID, F_OPCODE, F_OPERANDS, F_ATTRIBUTES, F_RESULT_TYPE, F_COUNT } field;

static const char *const field_names[F_COUNT] = {"value_id", "opcode", "operands", "attributes",
                                                 "result_type"};

typedef enum list { L_OPERATIONS, L_OUTPUTS, L_GRADIENTS, L_COUNT } list;

static const char *const list_names[L_COUNT] = {"operations", "outputs", "gradients"};

/* Read `"key":` and find it among NAMES; *KEY is N for an unknown one. */
static tn_status read_key(reader *r, const char *const *names, uint32_t n, uint32_t *key)
{
    if (peek_token(r) != '"')
        return syntax_error(r, "a key");
    TN_TRY(read_string(r));
    for (*key = 0; *key < n; ++*key)
        if (strlen(names[*key]) == r->string.n &&
            memcmp(names[*key], r->string.at, r->string.n) == 0)
            break;
    return expect(r, ':', "':'");
}

static tn_status bad_key(reader *r, const char *begin, diag_kind kind, const char *issue)
{
    span at = span_from(r, begin);
    return diag_report(&r->m->cx->diag, kind, &r->m->source, at, "%.*s %s",
                       at.length < 60 ? (int)at.length : 60, begin, issue);
}

/* Find the values of an object's keys; the cursor ends behind the object. */
static tn_status find_values(reader *r, const char *const *names, uint32_t n, const char **values)
{
    TN_TRY(expect(r, '{', "an object"));
    for (uint32_t i = 0; i < n; i++)
        values[i] = NULL;
    while (!accept(r, '}')) {
        uint32_t key = n;
        skip_space(r);
        const char *begin = r->at;
        TN_TRY(read_key(r, names, n, &key));
        if (key == n)
            return bad_key(r, begin, DIAG_SyntaxError, "is not a key of this object");
        if (values[key])
            return bad_key(r, begin, DIAG_DuplicateKey, "stands twice in one object");
        skip_space(r);
        values[key] = r->at;
        TN_TRY(skip_value(r, 0));
        if (peek_token(r) != '}' && !accept(r, ','))
            return syntax_error(r, "',' or '}'");
    }
    return TN_OK;
}

/* ---- one operation ------------------------------------------------------------------------- */

static tn_status read_operands(reader *r, instr *in)
{
    TN_TRY(expect(r, '[', "a list of values"));
    while (!accept(r, ']')) {
        operand spare, *o = in->n_operands < KEPT_OPERANDS ? &in->operands[in->n_operands] : &spare;
        skip_space(r);
        TN_TRY(read_id(r, &o->id));
        const id_entry *e = use_id(r, &o->id);
        o->value = e ? e->value : NO_VALUE;
        in->n_operands++;
        if (peek_token(r) != ']' && !accept(r, ','))
            return syntax_error(r, "',' or ']'");
    }
    return TN_OK;
}

static tn_status read_attributes(reader *r, instr *in)
{
    TN_TRY(expect(r, '{', "an object"));
    while (!accept(r, '}')) {
        TN_TRY(read_attribute(r, in));
        if (peek_token(r) != '}' && !accept(r, ','))
            return syntax_error(r, "',' or '}'");
    }
    return TN_OK;
}

/* A string whose text the caller reads; the cursor ends behind the opening quote. */
static tn_status open_string(reader *r, const char *at, const char *expected)
{
    r->at = at;
    return expect(r, '"', expected);
}

static tn_status read_operation(reader *r, const char *const *values, const char *end, instr *in)
{
    span opcode;
    TN_TRY(open_string(r, values[F_OPCODE], "an opcode"));
    if (!read_word(r, &opcode))
        return syntax_error(r, "an opcode");
    set_opcode(r, in, opcode);
    TN_TRY(expect(r, '"', "'\"'"));
    if (values[F_OPERANDS]) {
        r->at = values[F_OPERANDS];
        TN_TRY(read_operands(r, in));
    }
    if (values[F_ATTRIBUTES]) {
        r->at = values[F_ATTRIBUTES];
        TN_TRY(read_attributes(r, in));
    }
    if (in->how && in->how->op == OP_COUNT && (in->given & 1U))
        in->op = (op_id)in->slots[0].number;
    TN_TRY(open_string(r, values[F_RESULT_TYPE], "a type"));
    TN_TRY(read_type(r, in));
    TN_TRY(expect(r, '"', "'\"'"));
    r->at = end;
    return finish_instr(r, in);
}

/* The record at the cursor, whose parts were found. */
static tn_status read_record(reader *r, const char *begin, const char *const *values)
{
    static const field required[] = {F_VALUE_ID, F_OPCODE, F_RESULT_TYPE};
    const char *end = r->at;
    instr in;

    for (size_t i = 0; i < sizeof required / sizeof required[0]; i++)
        if (!values[required[i]])
            return diag_report(&r->m->cx->diag, DIAG_SyntaxError, &r->m->source,
                               (span){offset_of(r, begin), 1}, "found an operation without '%s'",
                               field_names[required[i]]);
    r->at = values[F_VALUE_ID];
    TN_TRY(read_id(r, &in.id));
    r->last_id = in.id.at;
    in.type = NULL;
    tn_status s = read_operation(r, values, end, &in);
    if (s == TN_ERR_REJECTED && !r->stop) {
        tn_status defined = stand_in(r, &in);
        s = defined == TN_OK ? s : defined;
    }
    return s;
}

/* ---- the lists ----------------------------------------------------------------------------- */

static tn_status read_outputs(reader *r)
{
    text_id id;
    r->outputs_line = (span){offset_of(r, r->at), 1};
    TN_TRY(expect(r, '[', "a list of values"));
    while (!accept(r, ']')) {
        skip_space(r);
        TN_TRY(read_id(r, &id));
        if (!VECTOR_PUSH(r->m->allocator, &r->outputs, id))
            return module_no_memory(r->m);
        if (peek_token(r) != ']' && !accept(r, ','))
            return syntax_error(r, "',' or ']'");
    }
    if (r->outputs.n == 0)
        r->outputs_line = NO_SPAN;
    return TN_OK;
}

static tn_status read_pair(reader *r)
{
    text_id id;
    TN_TRY(expect(r, '[', "a pair of values"));
    for (int i = 0; i < 2; i++) {
        skip_space(r);
        TN_TRY(read_id(r, &id));
        if (!VECTOR_PUSH(r->m->allocator, &r->gradients, id))
            return module_no_memory(r->m);
        TN_TRY(expect(r, i ? ']' : ',', i ? "']'" : "','"));
    }
    return TN_OK;
}

static tn_status read_gradients(reader *r)
{
    TN_TRY(expect(r, '[', "a list of pairs"));
    while (!accept(r, ']')) {
        TN_TRY(read_pair(r));
        if (peek_token(r) != ']' && !accept(r, ','))
            return syntax_error(r, "',' or ']'");
    }
    return TN_OK;
}

static tn_status read_interface(reader *r, const char *const *values)
{
    const char *back = r->at;
    if (values[L_OUTPUTS]) {
        r->at = values[L_OUTPUTS];
        TN_TRY(read_outputs(r));
    }
    if (values[L_GRADIENTS]) {
        r->at = values[L_GRADIENTS];
        TN_TRY(read_gradients(r));
    }
    r->at = back;
    return TN_OK;
}

/* Does the object at the cursor hold the outputs of a bare list? */
static bool is_interface(reader *r)
{
    static const char key[] = "\"outputs\"";
    const char *back = r->at;
    r->at += peek_token(r) == '{';
    skip_space(r);
    bool is = (size_t)(r->end - r->at) >= sizeof key && memcmp(r->at, key, sizeof key - 1) == 0;
    r->at = back;
    return is;
}

static tn_status read_operations(reader *r, bool is_bare)
{
    TN_TRY(expect(r, '[', "a list of operations"));
    while (!accept(r, ']')) {
        const char *values[F_COUNT];
        skip_space(r);
        const char *begin = r->at;
        if (is_bare && is_interface(r)) {
            TN_TRY(find_values(r, list_names, L_COUNT, values));
            TN_TRY(read_interface(r, values));
            return expect(r, ']', "']' after the outputs");
        }
        TN_TRY(find_values(r, field_names, F_COUNT, values));
        const char *end = r->at;
        tn_status s = read_record(r, begin, values);
        if (s != TN_OK && (s != TN_ERR_REJECTED || r->stop ||
                           r->m->cx->diag.n_errors - r->errors_before >= r->m->cx->limits.errors))
            return s;
        r->at = end;
        if (peek_token(r) != ']' && !accept(r, ','))
            return syntax_error(r, "',' or ']'");
    }
    return TN_OK;
}

tn_status read_records(reader *r)
{
    r->max_depth += 3; /* the list, the record and its attributes are not lists of a literal */
    if (peek_token(r) == '[') {
        TN_TRY(read_operations(r, true));
    } else {
        const char *values[L_COUNT], *end;
        TN_TRY(find_values(r, list_names, L_COUNT, values));
        end = r->at;
        if (!values[L_OPERATIONS])
            return syntax_error(r, "a module with 'operations'");
        r->at = values[L_OPERATIONS];
        TN_TRY(read_operations(r, false));
        TN_TRY(read_interface(r, values));
        r->at = end;
    }
    return peek_token(r) || r->at < r->end ? syntax_error(r, "the end of the text") : TN_OK;
}
