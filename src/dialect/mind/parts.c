/* Reading the parts of an instruction: ids, types, arguments and attributes. */
#include <stdio.h>

#include "dialect/mind/reader.h"

tn_status read_id(reader *r, text_id *id)
{
    const char *begin;
    uint64_t number = 0;

    *id = (text_id){.number = NO_NUMBER};
    if (!r->is_json && !accept(r, '%'))
        return syntax_error(r, "a value");
    begin = r->is_json ? r->at : r->at - 1;
    const char *digits = r->at;
    while (r->at < r->end && is_digit(*r->at)) {
        number = number < NO_NUMBER ? number * 10 + (uint64_t)(*r->at - '0') : number;
        r->at++;
    }
    if (r->at > digits) {
        char next = peek(r);
        if (is_letter(next) || next == '.' || (r->is_json && (unsigned char)next >= 0x80)) {
            r->at = begin;
            return syntax_error(r, "a value");
        }
        while (r->at - digits > 1 && *digits == '0')
            digits++;
        id->name = span_from(r, digits);
        id->number = number < NO_NUMBER ? (uint32_t)number : NO_NUMBER;
    } else if (r->is_json || !read_word(r, &id->name)) {
        return syntax_error(r, r->is_json ? "the number of a value" : "a number or a name");
    } else {
        id->number = NO_NUMBER;
    }
    id->at = span_from(r, begin);
    return TN_OK;
}

/* ---- types --------------------------------------------------------------------------------- */

static tn_status read_extent(reader *r, instr *in, dim *out, uint32_t axis)
{
    bool is_one;
    span word;
    const char *begin = r->at;
    TN_TRY(read_integer(r, out, &is_one));
    if (is_one) {
        if (*out < 0 && in->type_fault == TYPE_GOOD) {
            in->type_fault = TYPE_BAD_EXTENT;
            in->bad_axis = axis;
            in->bad_extent = *out;
        }
        return TN_OK;
    }
    if (r->options->profile == PROFILE_CORE_V1)
        return syntax_error(r, "an extent; Core v1 has no symbolic sizes");
    if (!read_word(r, &word))
        return syntax_error(r, "an extent, or the name of a symbolic size");
    names_symbol(r->m->cx->names, word);
    const char *name = module_string(r->m, begin, word.length);
    *out = name ? dim_symbol(&r->m->types, name) : DIM_NO_MEMORY;
    return *out == DIM_NO_MEMORY ? module_no_memory(r->m) : TN_OK;
}

static tn_status read_shape(reader *r, instr *in, dim *dims, uint32_t *rank)
{
    *rank = 0;
    TN_TRY(expect(r, '[', "a shape"));
    while (!accept(r, ']')) {
        skip_space(r);
        if (*rank == TN_MAX_RANK)
            return diag_report(&r->m->cx->diag, DIAG_LimitExceeded, &r->m->source,
                               (span){offset_of(r, r->at), 1}, "a tensor has at most %d dimensions",
                               TN_MAX_RANK);
        TN_TRY(read_extent(r, in, &dims[*rank], *rank));
        ++*rank;
        if (peek_token(r) != ']' && !accept(r, ','))
            return syntax_error(r, "',' or ']'");
    }
    return TN_OK;
}

static tn_status parse_type(reader *r, instr *in)
{
    dim dims[TN_MAX_RANK];
    tn_dtype dtype = TN_F32;
    uint32_t rank;
    span word;

    const char *begin = r->at;
    if (!read_word(r, &word) || (!span_is(r, word, "tensor") && !span_is(r, word, "Tensor"))) {
        r->at = begin;
        return syntax_error(r, "a type, such as tensor<f32>[2, 3]");
    }
    TN_TRY(expect(r, '<', "'<'"));
    skip_space(r);
    if (!read_word(r, &word))
        return syntax_error(r, "an element type");
    if (!mind_dtype(span_text(r, word), word.length, &dtype)) {
        in->type_fault = TYPE_BAD_DTYPE;
        in->type_fault_at = word;
    }
    if (accept(r, ',')) { /* Tensor<f32, [2, 3]> */
        TN_TRY(read_shape(r, in, dims, &rank));
        TN_TRY(expect(r, '>', "'>'"));
    } else if (peek_token(r) == '[') { /* tensor<f32[2, 3]> */
        TN_TRY(read_shape(r, in, dims, &rank));
        TN_TRY(expect(r, '>', "'>'"));
    } else { /* tensor<f32>[2, 3] */
        TN_TRY(expect(r, '>', "'>', ',' or a shape"));
        TN_TRY(read_shape(r, in, dims, &rank));
    }
    in->type_at = span_from(r, begin);
    if (in->type_fault != TYPE_GOOD)
        return TN_OK;
    in->type = type_of(&r->m->types, dtype, dims, rank);
    return in->type ? TN_OK : module_no_memory(r->m);
}

/* Most types have been read before: their text up to the end of the line finds them again. */
tn_status read_type(reader *r, instr *in)
{
    const char *begin = r->at;
    size_t left = (size_t)(r->end - begin);
    const char *line_end = r->is_json ? NULL : memchr(begin, '\n', left < 200 ? left : 200);
    type_cache *known = NULL;
    uint32_t length = 0;

    in->type = NULL;
    in->type_fault = TYPE_GOOD;
    if (line_end && line_end > begin && line_end[-1] == '\r')
        line_end--;
    if (line_end && line_end - begin >= 8 && !r->m->cx->names) {
        length = (uint32_t)(line_end - begin);
        uint32_t word = length >= 16 ? 6 : 0; /* `tensor` tells nothing */
        known = &r->types[hash_ends(begin + word, length - word) % N_CACHED];
        if (known->length == length && memcmp(r->text + known->at, begin, length) == 0) {
            in->type = known->type;
            in->type_at = (span){offset_of(r, begin), length};
            r->at = line_end;
            return TN_OK;
        }
    }
    TN_TRY(parse_type(r, in));
    if (known && r->at == line_end && in->type)
        *known = (type_cache){offset_of(r, begin), length, in->type};
    return TN_OK;
}

/* ---- attributes ---------------------------------------------------------------------------- */

void fault_of(instr *in, diag_kind kind, span at, const char *name, size_t length,
              const char *issue)
{
    if (!in->fault.issue)
        in->fault = (slot_fault){kind, at, issue, name, length < 100 ? (int)length : 100, false};
}

/* The value that starts at BEGIN is not what SLOT takes: pass over it. */
static tn_status wrong_value(reader *r, instr *in, const slot_spec *slot, const char *begin,
                             const char *issue)
{
    r->at = begin;
    TN_TRY(skip_value(r, 0));
    diag_kind kind = slot->kind == SLOT_PADDING ? DIAG_InvalidPadding : DIAG_InvalidAttribute;
    fault_of(in, kind, span_from(r, begin), slot->name, strlen(slot->name), issue);
    return TN_OK;
}

static bool opens_list(reader *r, char *close)
{
    char c = peek_token(r);
    *close = c == '(' ? ')' : ']';
    return c == '[' || c == '(';
}

static tn_status push_int(reader *r, int64_t value)
{
    return VECTOR_PUSH(r->m->allocator, &r->ints, value) ? TN_OK : module_no_memory(r->m);
}

/* A list of integers to r->ints. *IS_ONE is false when something else is found on the way. */
static tn_status read_ints(reader *r, uint32_t *n, bool *is_one)
{
    char close;
    *n = 0;
    *is_one = opens_list(r, &close);
    if (!*is_one)
        return TN_OK;
    r->at++;
    while (!accept(r, close)) {
        int64_t value;
        skip_space(r);
        TN_TRY(read_integer(r, &value, is_one));
        if (!*is_one)
            return TN_OK;
        TN_TRY(push_int(r, value));
        ++*n;
        char next = peek_token(r);
        if (next == ':') {
            *is_one = false;
            return TN_OK;
        }
        if (next != close && !accept(r, ','))
            return syntax_error(r, close == ']' ? "',' or ']'" : "',' or ')'");
    }
    return TN_OK;
}

/* `s:e` or `s:e:k` */
static tn_status read_range(reader *r, int64_t range[3], bool *is_one)
{
    range[2] = 1;
    for (int i = 0; i < 3; i++) {
        skip_space(r);
        TN_TRY(read_integer(r, &range[i], is_one));
        if (!*is_one)
            return i ? syntax_error(r, "an integer") : TN_OK;
        if (i < 2 && !accept(r, ':')) {
            *is_one = i == 1;
            return TN_OK;
        }
    }
    return TN_OK;
}

/* `[s:e:k, ...]` for the slots of KEY_STARTS, KEY_ENDS and KEY_STEPS. */
static tn_status read_ranges(reader *r, instr *in, const slot_spec *slot)
{
    const char *begin = r->at;
    uint32_t base = r->ints.n, n = 0;
    char close;
    bool is_one = opens_list(r, &close);

    r->at += is_one;
    while (is_one && !accept(r, close)) {
        int64_t range[3];
        TN_TRY(read_range(r, range, &is_one));
        if (!is_one)
            break;
        for (int i = 0; i < 3; i++)
            TN_TRY(push_int(r, range[i]));
        n++;
        if (peek_token(r) != close && !accept(r, ','))
            return syntax_error(r, "':', ',' or ']'");
    }
    if (!is_one)
        return wrong_value(r, in, slot, begin, "must be a list of ranges start:end:step");

    /* From rows to columns. */
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t i = 0; i < n; i++)
            TN_TRY(push_int(r, r->ints.at[base + 3 * i + k]));
    static const attr_key keys[] = {KEY_STARTS, KEY_ENDS, KEY_STEPS};
    for (uint32_t s = 0; s < in->how->n_slots; s++)
        for (uint32_t k = 0; k < 3; k++)
            if (in->how->slots[s].key == keys[k]) {
                in->slots[s].first = base + (3 + k) * n;
                in->slots[s].n = n;
                in->given |= 1U << s;
            }
    return TN_OK;
}

static tn_status read_int_slot(reader *r, instr *in, uint32_t s, bool is_argument)
{
    const slot_spec *slot = &in->how->slots[s];
    slot_value *v = &in->slots[s];
    const char *begin = r->at;
    bool is_one;

    v->first = r->ints.n;
    TN_TRY(read_ints(r, &v->n, &is_one));
    if (!is_one && is_argument && slot->kind == SLOT_RANGES && peek_token(r) == ':') {
        r->at = begin;
        r->ints.n = v->first;
        return read_ranges(r, in, slot);
    }
    in->maybe_ranges |= is_one && v->n == 0 && is_argument && slot->kind == SLOT_RANGES;
    return is_one ? TN_OK : wrong_value(r, in, slot, begin, "must be a list of integers");
}

/* Does the word read last, or the string in records, say TEXT? Letter case counts only if asked. */
static bool says(const char *have, size_t n, const char *text, bool any_case)
{
    if (strlen(text) != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (have[i] != text[i] && !(any_case && (have[i] | 32) == (text[i] | 32)))
            return false;
    return true;
}

/* A word, or a string that stands for one. False, with the cursor where it was, without one. */
static tn_status read_word_value(reader *r, const char **text, size_t *n, bool *is_one)
{
    span word;
    *is_one = true;
    if (peek_token(r) == '"') {
        TN_TRY(read_string(r));
        *text = r->string.n ? r->string.at : "";
        *n = r->string.n;
    } else if (read_word(r, &word)) {
        *text = span_text(r, word);
        *n = word.length;
    } else {
        *is_one = false;
    }
    return TN_OK;
}

/* `[[t, b], [l, r]]` to r->ints; *IS_ONE as for read_ints. */
static tn_status read_amounts(reader *r, uint32_t *n, bool *is_one)
{
    uint32_t pair = 0, pairs = 0;
    char close;
    *is_one = opens_list(r, &close);
    *n = 0;
    if (!*is_one)
        return TN_OK;
    r->at++;
    while (!accept(r, close)) {
        TN_TRY(read_ints(r, &pair, is_one));
        *is_one = *is_one && pair == 2 && ++pairs <= 2;
        if (!*is_one)
            return TN_OK;
        *n += pair;
        if (peek_token(r) != close && !accept(r, ','))
            return syntax_error(r, "',' or ']'");
    }
    *is_one = pairs == 2;
    return TN_OK;
}

static tn_status read_padding(reader *r, instr *in, const slot_spec *slot, slot_value *v)
{
    static const char issue[] = "must be Valid, Same or Custom([[top, bottom], [left, right]])";
    const char *begin = r->at, *word;
    size_t length;
    bool is_one;
    char close;

    v->first = r->ints.n;
    v->number = PADDING_CUSTOM;
    v->n = 0;
    if (opens_list(r, &close)) {
        TN_TRY(read_amounts(r, &v->n, &is_one));
        return is_one ? TN_OK : wrong_value(r, in, slot, begin, issue);
    }
    TN_TRY(read_word_value(r, &word, &length, &is_one));
    if (!is_one)
        return wrong_value(r, in, slot, begin, issue);
    bool has_list = !r->is_json && peek_token(r) == '(';
    if (says(word, length, "custom", true) && has_list) {
        r->at++;
        TN_TRY(read_amounts(r, &v->n, &is_one));
        is_one = is_one && (accept(r, ','), accept(r, ')'));
        return is_one ? TN_OK : wrong_value(r, in, slot, begin, issue);
    }
    if (says(word, length, "valid", true) && !has_list)
        v->number = PADDING_VALID;
    else if (says(word, length, "same", true) && !has_list)
        v->number = PADDING_SAME;
    else
        return wrong_value(r, in, slot, begin, issue);
    return TN_OK;
}

static tn_status read_word_slot(reader *r, instr *in, const slot_spec *slot, slot_value *v)
{
    const char *begin = r->at, *word;
    size_t length;
    bool is_one;
    tn_dtype dtype;

    TN_TRY(read_word_value(r, &word, &length, &is_one));
    if (slot->kind == SLOT_OPERATOR) {
        op_id op = is_one ? operator_by_name(word, length) : OP_COUNT;
        if (is_one && op == OP_COUNT)
            fault_of(in, DIAG_UnknownOp, span_from(r, begin), begin, (size_t)(r->at - begin), "");
        v->number = op;
        return is_one ? TN_OK : wrong_value(r, in, slot, begin, "must be Add, Sub, Mul or Div");
    }
    if (slot->kind == SLOT_DTYPE) {
        if (!is_one || !mind_dtype(word, length, &dtype))
            return wrong_value(r, in, slot, begin, "must be i32, i64, f32 or f64");
        v->number = dtype;
        return TN_OK;
    }
    if (slot->kind == SLOT_BOOL) {
        bool is_true =
            is_one && (says(word, length, "true", false) || says(word, length, "True", false));
        bool is_false =
            is_one && (says(word, length, "false", false) || says(word, length, "False", false));
        v->number = is_true;
        return (is_true || is_false) && *begin != '"'
                   ? TN_OK
                   : wrong_value(r, in, slot, begin, "must be true or false");
    }
    if (!is_one || (r->is_json && *begin != '"'))
        return wrong_value(r, in, slot, begin, "must be a string");
    v->text = module_string(r->m, word, length);
    return v->text ? TN_OK : module_no_memory(r->m);
}

/* One number, as text. */
static tn_status read_number_slot(reader *r, instr *in, const slot_spec *slot, slot_value *v)
{
    const char *begin = r->at;
    span word;
    if (is_digit(peek(r)) || peek(r) == '-') {
        v->at = number_extent(r);
        if (!is_number(begin, v->at.length))
            return number_error(r, v->at, NUMBER_FORM);
        r->at += v->at.length;
        return TN_OK;
    }
    if (r->is_json && peek(r) == '"') { /* "inf", "-inf", "nan" */
        TN_TRY(read_string(r));
        v->at = (span){offset_of(r, begin + 1), (uint32_t)(r->at - begin - 2)};
    } else if (read_word(r, &word)) {
        v->at = word;
    }
    if (r->at == begin || !is_number(span_text(r, v->at), v->at.length) ||
        is_digit(*span_text(r, v->at)))
        return wrong_value(r, in, slot, begin, "must be a number");
    return TN_OK;
}

/* Nested lists of numbers, as text: only the brackets are looked at. */
static tn_status read_data_slot(reader *r, instr *in, const slot_spec *slot, slot_value *v)
{
    const char *begin = r->at;
    uint32_t depth = 0;
    if (peek(r) != '[' && peek(r) != '(')
        return read_number_slot(r, in, slot, v);
    if (r->is_json) {
        TN_TRY(skip_value(r, 0));
        v->at = span_from(r, begin);
        return TN_OK;
    }
    do {
        if (at_line_end(r))
            return syntax_error(r, "the end of the data");
        char c = *r->at;
        if ((c == '[' || c == '(') && ++depth > r->max_depth) {
            r->at = begin;
            return skip_value(r, 0); /* which reports it */
        }
        depth -= c == ']' || c == ')';
        r->at++;
    } while (depth);
    v->at = span_from(r, begin);
    return TN_OK;
}

/* The value at the cursor for slot S of IN. */
static tn_status read_slot(reader *r, instr *in, uint32_t s, bool is_argument)
{
    const slot_spec *slot = &in->how->slots[s];
    slot_value *v = &in->slots[s];
    skip_space(r);
    if (in->given & (1U << s)) {
        const char *begin = r->at;
        TN_TRY(skip_value(r, 0));
        fault_of(in, DIAG_InvalidAttribute, span_from(r, begin), slot->name, strlen(slot->name),
                 "is given twice");
        return TN_OK;
    }
    in->given |= 1U << s;
    switch (slot->kind) {
    case SLOT_INTS:
    case SLOT_RANGES:
    case SLOT_SHAPE:
        return read_int_slot(r, in, s, is_argument);
    case SLOT_PADDING:
        return read_padding(r, in, slot, v);
    case SLOT_BOOL:
    case SLOT_STRING:
    case SLOT_OPERATOR:
    case SLOT_DTYPE:
        return read_word_slot(r, in, slot, v);
    case SLOT_NUMBER:
    case SLOT_FILL:
        return read_number_slot(r, in, slot, v);
    case SLOT_DATA:
        return read_data_slot(r, in, slot, v);
    }
    return TN_OK;
}

tn_status read_argument(reader *r, instr *in)
{
    if (at_id(r)) {
        operand *o = &in->operands[in->n_operands < KEPT_OPERANDS ? in->n_operands : 0];
        operand spare;
        if (in->n_operands++ >= KEPT_OPERANDS)
            o = &spare;
        TN_TRY(read_id(r, &o->id));
        const id_entry *e = use_id(r, &o->id);
        o->value = e ? e->value : NO_VALUE;
        return TN_OK;
    }
    const char *begin = r->at;
    if (in->how) {
        uint32_t s = spelling_position(in->how, in->n_arguments++);
        if (s < in->how->n_slots)
            return read_slot(r, in, s, true);
    }
    TN_TRY(skip_value(r, 0));
    fault_of(in, DIAG_InvalidAttribute, span_from(r, begin), begin, (size_t)(r->at - begin),
             "is one argument too many");
    return TN_OK;
}

tn_status read_attribute(reader *r, instr *in)
{
    const char *name;
    size_t length;
    span at;

    skip_space(r);
    const char *begin = r->at;
    if (r->is_json && peek(r) == '"') {
        TN_TRY(read_string(r));
        at = (span){offset_of(r, begin + 1), (uint32_t)(r->at - begin - 2)};
    } else if (r->is_json || !read_word(r, &at)) {
        return syntax_error(r, "the name of an attribute");
    }
    name = span_text(r, at);
    length = at.length;
    if (!accept(r, ':') && (r->is_json || !accept(r, '=')))
        return syntax_error(r, r->is_json ? "':'" : "'=' or ':'");
    uint32_t s = in->how ? spelling_slot(in->how, name, length) : 0;
    if (in->how && s < in->how->n_slots)
        return read_slot(r, in, s, false);
    TN_TRY(skip_value(r, 0));
    const bool is_first = !in->fault.issue;
    fault_of(in, DIAG_InvalidAttribute, at, name, length, "is not known");
    in->fault.is_unknown = in->fault.is_unknown || is_first;
    return TN_OK;
}
