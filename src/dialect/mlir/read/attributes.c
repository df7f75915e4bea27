/* Attributes of MLIR text, locations and aliases. */
#include "dialect/mlir/read/reader.h"

#include "base/text/decimal.h"

/* ---- lists and dictionaries ---- */

typedef struct attr_items {
    mir_attr *at;
    uint32_t n, cap;
} attr_items;

static bool is_named(const mir_fields *list, mir_text name)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (mir_same(list->at[i].name, name))
            return true;
    return false;
}

bool mir_add_attr(mir_reader *r, mir_fields *list, mir_text name, const mir_attr *value)
{
    enum { FEW = 64 }; /* more have a name only once, but for who writes nonsense */
    mir_attr *own = ARENA_NEW(r->memory, mir_attr);
    if (!own)
        return mir_no_memory(r);
    if (list->n < FEW && is_named(list, name))
        return mir_fail(r, DIAG_DuplicateKey, mir_span(r, name), "'%.*s' stands here twice",
                        MIR_TEXT(name));
    *own = *value;
    return MIR_PUSH(r, list, ((mir_field){name, own}));
}

const mir_attr *mir_attr_named(const mir_fields *list, const char *name)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (mir_is(list->at[i].name, name))
            return list->at[i].value;
    return NULL;
}

/* `name = value, name`, up to CLOSE ('\0': the end). */
static bool read_fields(mir_reader *r, char close, mir_fields *out)
{
    while (mir_next(r) != close) {
        mir_text name;
        mir_attr value = {.kind = MIR_UNIT};
        if (*r->at == '"' ? !mir_string(r, &name) : !mir_word(r, &name))
            return false;
        if (mir_accept(r, '=') && !mir_read_attr(r, &value))
            return false;
        if (!mir_add_attr(r, out, name, &value))
            return false;
        if (!mir_accept(r, ','))
            break;
    }
    return close == '\0' ? mir_next(r) == '\0' || mir_expected(r, "the end") : mir_expect(r, close);
}

bool mir_read_dict(mir_reader *r, mir_fields *out)
{
    return mir_expect(r, '{') && read_fields(r, '}', out);
}

/* Items behind the opening bracket. */
static bool read_items(mir_reader *r, char close, mir_attr *out,
                       bool (*read)(mir_reader *r, mir_attr *out))
{
    attr_items list = {0};
    out->kind = MIR_LIST;
    if (mir_accept(r, close))
        return true;
    do {
        mir_attr item = {0};
        if (!read(r, &item) || !MIR_PUSH(r, &list, item))
            return false;
    } while (mir_accept(r, ','));
    out->items = list.at;
    out->n = list.n;
    return mir_expect(r, close);
}

/* ---- numbers ---- */

/* A number, without a type behind it. */
static bool read_number(mir_reader *r, mir_attr *out)
{
    (void)mir_next(r);
    const char *from = r->at;
    const char *p = from + (*from == '-');
    while (p < r->end && *p >= '0' && *p <= '9')
        p++;
    if (p < r->end && *p == '.') {
        uint64_t bits;
        const decimal_result found = decimal_read(format_f64, from, (size_t)(r->end - from), &bits);
        r->at += found.length;
        out->kind = MIR_FLOAT;
        out->text = (mir_text){from, found.length};
        return found.length > 0 || mir_expected(r, "a number");
    }
    out->kind = MIR_INT;
    if (!mir_integer(r, &out->i, &out->fits))
        return false;
    out->text = (mir_text){from, (size_t)(r->at - from)};
    return true;
}

/* `: T` behind a number. */
static bool read_number_type(mir_reader *r, mir_attr *out)
{
    if (!mir_accept(r, ':'))
        return true;
    if (!mir_read_type(r, &out->type))
        return false;
    if (out->type->kind == MIR_ELEMENT && dtype_is_float(out->type->dtype))
        out->kind = MIR_FLOAT; /* a whole number, or bits */
    return true;
}

/* ---- dense data ---- */

/* `<...>`: what stands in between, which holds no such brackets but in strings. */
static bool read_payload(mir_reader *r, mir_text *out)
{
    if (!mir_expect(r, '<'))
        return false;
    const char *from = r->at, *p = from;
    while (p < r->end && *p != '>') {
        if (*p == '"' && !(p = memchr(p + 1, '"', (size_t)(r->end - p - 1))))
            break;
        p++;
    }
    if (!p || p >= r->end)
        return mir_fail(r, DIAG_SyntaxError, mir_here(r), "this constant does not end");
    r->at = p + 1;
    *out = (mir_text){from, (size_t)(p - from)};
    return true;
}

static bool read_dense(mir_reader *r, mir_attr_kind kind, mir_attr *out)
{
    out->kind = kind;
    return read_payload(r, &out->text) && mir_expect(r, ':') && mir_read_type(r, &out->type);
}

static bool read_array_item(mir_reader *r, mir_attr *out)
{
    mir_text word;
    if (!mir_at_word(r))
        return read_number(r, out);
    if (!mir_word(r, &word))
        return false;
    *out = (mir_attr){.kind = MIR_BOOL, .i = mir_is(word, "true"), .text = word};
    return out->i || mir_is(word, "false") ||
           mir_fail(r, DIAG_SyntaxError, mir_span(r, word), "'%.*s' is no element", MIR_TEXT(word));
}

/* `array<i64: 1, 2>`, behind the word. */
static bool read_array(mir_reader *r, mir_attr *out)
{
    if (!mir_expect(r, '<') || !mir_read_type(r, &out->type))
        return false;
    out->kind = MIR_LIST;
    if (mir_accept(r, ':'))
        return read_items(r, '>', out, read_array_item);
    return mir_expect(r, '>');
}

/* ---- custom attributes ---- */

/* `#stablehlo<name text>` and `#stablehlo.name<text>`, behind the sigil and NAME. */
static bool read_custom(mir_reader *r, mir_text name, mir_attr *out)
{
    static const char *const dialects[] = {"stablehlo.", "mhlo.", "chlo."};
    out->kind = MIR_CUSTOM;
    out->name = name;
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++) {
        const size_t n = strlen(dialects[i]);
        if (name.n > n && memcmp(name.at, dialects[i], n) == 0)
            out->name = (mir_text){name.at + n, name.n - n};
    }
    if (r->at >= r->end || *r->at != '<')
        return true;
    const char *from = r->at + 1;
    if (!mir_skip_brackets(r))
        return false;
    out->text = (mir_text){from, (size_t)(r->at - 1 - from)};
    if (!mir_is(name, "stablehlo") && !mir_is(name, "mhlo") && !mir_is(name, "chlo"))
        return true;
    /* the name is the first word inside */
    const char *end = r->at - 1, *p = from;
    while (p < end && *p != ' ' && *p != '<' && *p != '\n')
        p++;
    out->name = (mir_text){from, (size_t)(p - from)};
    if (p < end && *p == '<')
        out->text = (mir_text){p + 1, (size_t)(end - 1 - (p + 1))};
    else
        out->text = (mir_text){p, (size_t)(end - p)};
    return true;
}

/* Behind the #. */
static bool read_hash(mir_reader *r, mir_attr *out)
{
    mir_text name;
    if (!mir_sigil(r, '#', &name))
        return false;
    const mir_alias *alias = mir_alias_named(r->model, '#', name);
    if (alias && alias->attr) {
        *out = *alias->attr;
        return true;
    }
    return read_custom(r, name, out);
}

/* ---- any attribute ---- */

static bool read_symbol(mir_reader *r, mir_attr *out)
{
    out->kind = MIR_SYMBOL;
    if (!mir_sigil(r, '@', &out->text))
        return false;
    while (mir_next(r) == ':' && r->end - r->at > 1 && r->at[1] == ':') {
        r->at += 2;
        if (!mir_sigil(r, '@', &out->text))
            return false;
    }
    return true;
}

static bool read_word_attr(mir_reader *r, mir_attr *out)
{
    mir_text text;
    const char *from = r->at;
    if (mir_accept_word(r, "dense"))
        return read_dense(r, MIR_DENSE, out);
    if (mir_accept_word(r, "dense_resource"))
        return read_dense(r, MIR_RESOURCE, out);
    if (mir_accept_word(r, "array"))
        return read_array(r, out);
    if (mir_accept_word(r, "unit"))
        return true;
    if (mir_accept_word(r, "true") || mir_accept_word(r, "false")) {
        *out =
            (mir_attr){.kind = MIR_BOOL, .i = *from == 't', .text = {from, (size_t)(r->at - from)}};
        return true;
    }
    if (mir_accept_word(r, "affine_map") || mir_accept_word(r, "affine_set") ||
        mir_accept_word(r, "sparse") || mir_accept_word(r, "strided")) {
        out->kind = MIR_CUSTOM;
        out->name = (mir_text){from, (size_t)(r->at - from)};
        return mir_skip_brackets(r) && (!mir_accept(r, ':') || mir_read_type(r, &out->type));
    }
    if (mir_next(r) == 'l' && mir_read_loc(r, &text) && text.n) {
        *out = (mir_attr){.kind = MIR_CUSTOM, .name = text};
        return true;
    }
    out->kind = MIR_TYPE;
    return !r->failed && mir_read_type(r, &out->type);
}

static bool read_attr(mir_reader *r, mir_attr *out)
{
    *out = (mir_attr){.kind = MIR_UNIT};
    switch (mir_next(r)) {
    case '"':
        out->kind = MIR_STRING;
        return mir_string(r, &out->text) && (!mir_accept(r, ':') || mir_read_type(r, &out->type));
    case '[':
        r->at++;
        return read_items(r, ']', out, mir_read_attr);
    case '{':
        out->kind = MIR_DICT;
        return mir_read_dict(r, &out->fields);
    case '@':
        return read_symbol(r, out);
    case '#':
        return read_hash(r, out);
    case '(':
    case '!':
        out->kind = MIR_TYPE;
        return mir_read_type(r, &out->type);
    default:
        if (mir_at_word(r))
            return read_word_attr(r, out);
        return read_number(r, out) && read_number_type(r, out);
    }
}

bool mir_read_attr(mir_reader *r, mir_attr *out)
{
    if (!mir_enter(r))
        return false;
    (void)mir_next(r);
    const char *from = r->at;
    const bool ok = read_attr(r, out);
    out->whole = (mir_text){from, (size_t)(r->at - from)};
    mir_leave(r);
    return ok;
}

/* ---- values of words ---- */

static bool read_simple(mir_reader *r, mir_attr *out)
{
    *out = (mir_attr){.kind = MIR_WORD};
    switch (mir_next(r)) {
    case '[':
        r->at++;
        return read_items(r, ']', out, mir_read_simple);
    case '"':
        out->kind = MIR_STRING;
        return mir_string(r, &out->text);
    case '<': {
        const char *from = r->at + 1;
        out->kind = MIR_CUSTOM;
        if (!mir_skip_brackets(r))
            return false;
        out->text = (mir_text){from, (size_t)(r->at - 1 - from)};
        return true;
    }
    default:
        break;
    }
    if (!mir_at_word(r))
        return read_number(r, out);
    if (!mir_word(r, &out->text))
        return false;
    if (mir_is(out->text, "true") || mir_is(out->text, "false")) {
        out->kind = MIR_BOOL;
        out->i = mir_is(out->text, "true");
    }
    return true;
}

bool mir_read_simple(mir_reader *r, mir_attr *out)
{
    if (!mir_enter(r))
        return false;
    const bool ok = read_simple(r, out);
    mir_leave(r);
    return ok;
}

/* ---- structures ---- */

const mir_attr *mir_read_struct(context *cx, const source *src, arena *memory, mir_text body)
{
    mir_model none = {0};
    mir_reader r = {.cx = cx,
                    .src = src,
                    .allocator = memory->allocator,
                    .memory = memory,
                    .model = &none,
                    .at = body.at,
                    .end = body.at + body.n,
                    .quiet = true};
    mir_attr *out = ARENA_NEW(memory, mir_attr);
    if (!out)
        return NULL;
    out->kind = MIR_DICT;
    const bool ok = read_fields(&r, '\0', &out->fields);
    hash_release(r.allocator, &r.type_index);
    VECTOR_RELEASE(r.allocator, &r.types);
    return ok ? out : NULL;
}

/* ---- locations and aliases ---- */

bool mir_read_loc(mir_reader *r, mir_text *out)
{
    const char *from;
    *out = (mir_text){0};
    if (mir_next(r) != 'l' || !mir_accept_word(r, "loc"))
        return true;
    if (mir_next(r) != '(')
        return mir_expected(r, "'('");
    from = r->at + 1;
    if (!mir_skip_brackets(r))
        return false;
    *out = (mir_text){from, (size_t)(r->at - 1 - from)};
    return true;
}

const mir_alias *mir_alias_named(const mir_model *m, char sigil, mir_text name)
{
    const uint64_t h = hash_bytes((uint64_t)sigil, name.at, name.n);
    for (uint32_t p = hash_first(&m->by_alias, h), i;
         (i = hash_at(&m->by_alias, h, &p)) != HASH_NONE;)
        if (m->aliases.at[i].sigil == sigil && mir_same(m->aliases.at[i].name, name))
            return &m->aliases.at[i];
    return NULL;
}

bool mir_read_alias(mir_reader *r)
{
    mir_alias a = {.sigil = mir_next(r)};
    mir_attr value;
    if (!mir_sigil(r, a.sigil, &a.name))
        return false;
    if (mir_alias_named(r->model, a.sigil, a.name))
        return mir_fail(r, DIAG_MultipleDefinitions, mir_span(r, a.name),
                        "the alias '%.*s' is defined twice", MIR_TEXT(a.name));
    if (!mir_expect(r, '='))
        return false;
    if (a.sigil == '!') {
        if (!mir_read_type(r, &a.type))
            return false;
    } else {
        if (!mir_read_loc(r, &a.text))
            return false;
        if (!a.text.n) {
            mir_attr *own = mir_read_attr(r, &value) ? ARENA_NEW(r->memory, mir_attr) : NULL;
            if (!own)
                return r->failed ? false : mir_no_memory(r);
            *own = value;
            a.attr = own;
        }
    }
    return VECTOR_PUSH_INDEXED(r->allocator, &r->model->aliases, a, &r->model->by_alias,
                               hash_bytes((uint64_t)a.sigil, a.name.at, a.name.n)) ||
           mir_no_memory(r);
}

/* `"name"`, alone or with a place behind it in parentheses, or an alias of such a location. */
mir_text mir_loc_name(const mir_model *m, mir_text loc)
{
    enum { MOST_ALIASES = 8 };
    for (uint32_t i = 0; i < MOST_ALIASES && loc.n; i++) {
        if (loc.at[0] == '#') {
            const mir_alias *a = mir_alias_named(m, '#', (mir_text){loc.at + 1, loc.n - 1});
            loc = a ? a->text : (mir_text){0};
            continue;
        }
        const char *end = loc.at[0] == '"' ? memchr(loc.at + 1, '"', loc.n - 1) : NULL;
        const size_t rest = end ? loc.n - (size_t)(end + 1 - loc.at) : 0;
        if (!end || (rest && end[1] != '(')) /* "file":line:column names a place */
            break;
        return (mir_text){loc.at + 1, (size_t)(end - loc.at - 1)};
    }
    return (mir_text){0};
}
