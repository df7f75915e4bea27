/* The pretty forms of operations. */
#include "dialect/mlir/read/reader.h"

/* ---- words and what they are given ---- */

/* The attribute that ROW's pretty form calls WORD; empty: none. */
static mir_text attr_of_word(const mir_row *row, mir_text word)
{
    for (const char *p = row->attrs; *p;) {
        const size_t n = strcspn(p, " ");
        const char *equals = memchr(p, '=', n);
        if (equals && mir_same((mir_text){p, (size_t)(equals - p)}, word))
            return (mir_text){equals + 1, n - (size_t)(equals + 1 - p)};
        p += n + (p[n] == ' ');
    }
    return (mir_text){0};
}

/* `word = value`, or `[1] x [2]` as the value. */
static bool read_word(mir_reader *r, mir_op *o)
{
    mir_text word;
    mir_attr value;
    if (!mir_word(r, &word))
        return false;
    const mir_text name = attr_of_word(o->row, word);
    if (!name.n)
        return mir_fail(r, DIAG_SyntaxError, mir_span(r, word), "'%s' has no '%.*s' in this form",
                        o->row->name, MIR_TEXT(word));
    if (!mir_expect(r, '=') || !mir_read_simple(r, &value))
        return false;
    if (mir_accept_word(r, "x")) {
        mir_attr *pair = ARENA_ARRAY(r->memory, mir_attr, 2);
        if (!pair)
            return mir_no_memory(r);
        pair[0] = value;
        if (!mir_read_simple(r, &pair[1]))
            return false;
        value = (mir_attr){.kind = MIR_LIST, .items = pair, .n = 2};
    }
    return mir_add_attr(r, &o->attrs, name, &value);
}

/* `%a, %b, word = value, ...`: operands, then words. */
static bool read_list(mir_reader *r, mir_op *o)
{
    mir_operands in = {o->in, o->n_in, 0};
    if (o->row->form == FORM_VALUES && mir_next(r) == '(') /* of nothing */
        return mir_expect(r, '(') && mir_expect(r, ')');
    if (o->row->form == FORM_VALUES && o->row->n_out && !o->n_out)
        return true; /* a barrier of nothing: what follows is another line */
    bool more = mir_next(r) == '%' || (mir_at_word(r) && *r->at != 'l');
    while (more) {
        if (mir_next(r) == '%' ? !mir_read_operand(r, &in) : !read_word(r, o))
            return false;
        more = mir_accept(r, ',');
    }
    o->in = in.at;
    o->n_in = in.n;
    return true;
}

/* ---- forms of a few operations ---- */

static bool add_word(mir_reader *r, mir_op *o, const char *name, mir_text word)
{
    const mir_attr value = {.kind = MIR_WORD, .text = word};
    return mir_add_attr(r, &o->attrs, (mir_text){name, strlen(name)}, &value);
}

/* `LT, %a, %b, FLOAT` */
static bool read_compare(mir_reader *r, mir_op *o)
{
    mir_operands in = {0};
    mir_text word;
    if (!mir_word(r, &word) || !add_word(r, o, "comparison_direction", word) ||
        !mir_expect(r, ',') || !mir_read_operand(r, &in) || !mir_expect(r, ',') ||
        !mir_read_operand(r, &in))
        return false;
    o->in = in.at;
    o->n_in = in.n;
    return !mir_accept(r, ',') || (mir_word(r, &word) && add_word(r, o, "compare_type", word));
}

static const mir_text value_name = {"value", 5};

/* `dense<..> : T`, which says the type of the result, too. */
static bool read_constant(mir_reader *r, mir_op *o, mir_types *results)
{
    mir_attr value;
    if (mir_next(r) == '(')
        return mir_read_generic(r, o, results);
    if (!mir_read_attrs(r, o) || !mir_read_attr(r, &value) ||
        !mir_add_attr(r, &o->attrs, value_name, &value))
        return false;
    if (!value.type)
        return mir_expected(r, "the type of the constant");
    return MIR_PUSH(r, results, value.type);
}

typedef struct int_attrs {
    mir_attr *at;
    uint32_t n, cap;
} int_attrs;

static bool read_bound(mir_reader *r, int_attrs *list)
{
    mir_attr one = {.kind = MIR_INT};
    return mir_integer(r, &one.i, &one.fits) && MIR_PUSH(r, list, one);
}

static bool add_list(mir_reader *r, mir_op *o, const char *name, const int_attrs *list)
{
    const mir_attr value = {.kind = MIR_LIST, .items = list->at, .n = list->n};
    return mir_add_attr(r, &o->attrs, (mir_text){name, strlen(name)}, &value);
}

/* `%a [0:4, 2:9:3]` */
static bool read_slice(mir_reader *r, mir_op *o)
{
    mir_operands in = {0};
    int_attrs starts = {0}, ends = {0}, strides = {0};
    const mir_attr one = {.kind = MIR_INT, .i = 1, .fits = true};
    if (!mir_read_operand(r, &in) || !mir_expect(r, '['))
        return false;
    o->in = in.at;
    o->n_in = in.n;
    while (mir_next(r) != ']') {
        if (!read_bound(r, &starts) || !mir_expect(r, ':') || !read_bound(r, &ends) ||
            !(mir_accept(r, ':') ? read_bound(r, &strides) : MIR_PUSH(r, &strides, one)))
            return false;
        if (!mir_accept(r, ','))
            break;
    }
    return mir_expect(r, ']') && add_list(r, o, "start_indices", &starts) &&
           add_list(r, o, "limit_indices", &ends) && add_list(r, o, "strides", &strides);
}

/* `%t[0]` */
static bool read_element(mir_reader *r, mir_op *o)
{
    mir_operands in = {0};
    mir_attr index = {.kind = MIR_INT};
    if (!mir_read_operand(r, &in) || !mir_expect(r, '[') ||
        !mir_integer(r, &index.i, &index.fits) || !mir_expect(r, ']'))
        return false;
    o->in = in.at;
    o->n_in = in.n;
    return mir_add_attr(r, &o->attrs, (mir_text){"index", 5}, &index);
}

/* `@f(%a)` */
static bool read_call(mir_reader *r, mir_op *o)
{
    mir_operands in = {0};
    mir_attr callee = {.kind = MIR_SYMBOL};
    const char *name = strcmp(o->row->attrs, "callee") == 0 ? "callee" : "call_target_name";
    if (!mir_sigil(r, '@', &callee.text) ||
        !mir_add_attr(r, &o->attrs, (mir_text){name, strlen(name)}, &callee) ||
        !mir_expect(r, '(') || !mir_read_operands(r, &in) || !mir_expect(r, ')'))
        return false;
    o->in = in.at;
    o->n_in = in.n;
    return true;
}

/* `"name" %a, %b`, regions before the attributes */
static bool read_composite(mir_reader *r, mir_op *o)
{
    mir_operands in = {0};
    mir_attr name = {.kind = MIR_STRING};
    if (!mir_string(r, &name.text) || !mir_add_attr(r, &o->attrs, (mir_text){"name", 4}, &name) ||
        !mir_read_operands(r, &in))
        return false;
    o->in = in.at;
    o->n_in = in.n;
    return mir_next(r) != '(' || mir_skip_brackets(r);
}

/* `(%a, word = value)` */
static bool read_paren(mir_reader *r, mir_op *o)
{
    return mir_expect(r, '(') && read_list(r, o) && mir_expect(r, ')');
}

/* `%a, dense<..> : T, word = value`, or `%a, %b, word = value : T, word = value` */
static bool read_expect(mir_reader *r, mir_op *o)
{
    mir_operands in = {0};
    mir_attr value;
    if (!mir_read_operand(r, &in))
        return false;
    o->in = in.at;
    o->n_in = in.n;
    while (mir_accept(r, ',')) {
        if (mir_accept_word(r, "dense")) {
            r->at -= strlen("dense");
            if (!mir_read_attr(r, &value) || !mir_add_attr(r, &o->attrs, value_name, &value))
                return false;
        } else if (!read_list(r, o)) {
            return false;
        }
    }
    if (!mir_read_attrs(r, o))
        return false;
    while (mir_accept(r, ':') || mir_accept(r, ',')) {
        const mir_type *t;
        bool is_word = mir_at_word(r) && *r->at == 't' && r->end - r->at > 2 && r->at[1] == 'o';
        if (is_word ? !read_list(r, o) : !mir_read_type(r, &t))
            return false;
    }
    return true;
}

/* `%a <@mesh, [{}]>` */
static bool read_identity(mir_reader *r, mir_op *o)
{
    mir_operands in = {0};
    if (!mir_read_operand(r, &in))
        return false;
    o->in = in.at;
    o->n_in = in.n;
    while (mir_next(r) == '<' || *r->at == '[')
        if (!mir_skip_brackets(r))
            return false;
    return true;
}

/* ---- all forms ---- */

/* What stands between the name of O and its attributes and types. */
static bool read_head(mir_reader *r, mir_op *o)
{
    switch ((int)o->row->form) {
    case FORM_COMPARE:
        return read_compare(r, o);
    case FORM_SLICE:
        return read_slice(r, o);
    case FORM_ELEMENT:
        return read_element(r, o);
    case FORM_CONV:
        return mir_read_conv(r, o);
    case FORM_CALL:
        return read_call(r, o);
    case FORM_COMPOSITE:
        return read_composite(r, o);
    case FORM_PAREN:
        return read_paren(r, o);
    case FORM_IDENTITY:
        return read_identity(r, o);
    default:
        return read_list(r, o);
    }
}

bool mir_read_form(mir_reader *r, mir_op *o, mir_types *results)
{
    switch ((int)o->row->form) {
    case FORM_CONSTANT:
        return read_constant(r, o, results);
    case FORM_REDUCE:
        return mir_read_reduce(r, o, results);
    case FORM_WHILE:
        return mir_read_while(r, o, results);
    case FORM_SCAN:
        return mir_read_scan(r, o, results);
    case FORM_MANUAL:
        return mir_read_manual(r, o, results);
    case FORM_EXPECT:
        return read_expect(r, o);
    default:
        break;
    }
    if (!mir_read_attrs(r, o) || !read_head(r, o) || !mir_read_attrs(r, o))
        return false;
    if (o->row->form == FORM_VALUES && mir_next(r) != ':')
        return true; /* `return` of nothing */
    return mir_read_signature(r, o, results);
}
