/* Types, operands and fields of the compact text form: reading. */
#include "dialect/ptir/formats/text_parts.h"

#include <assert.h>
#include <inttypes.h>

#include "base/memory/checked.h"
#include "base/text/text.h"

/* ---- types --------------------------------------------------------------------------------- */

static bool is_symbol_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

/* A symbol's name ends before an `x` that the next extent follows. */
static size_t symbol_length(const char *at)
{
    size_t n = 0;
    while (is_symbol_byte(at[n]) &&
           !(n > 0 && at[n] == 'x' && (at[n + 1] == '?' || (at[n + 1] >= '0' && at[n + 1] <= '9'))))
        n++;
    return n;
}

bool text_read_extent(ptir_scan *s, dim *out)
{
    const span where = scan_here(s);
    if (!scan_i64(s, out))
        return false;
    if (*out >= 0)
        return true;
    scan_fault(s, DIAG_NegativeDimension, where, "%" PRId64 " is not an extent", *out);
    *out = ptir_dim_stand_in(s->m, *out);
    return *out != DIM_NO_MEMORY || scan_no_memory(s);
}

bool text_read_dim(ptir_scan *s, dim *out)
{
    span where = scan_here(s);
    const char *name = "";
    if (!scan_eat(s, "?"))
        return text_read_extent(s, out);
    size_t n = symbol_length(s->at);
    if (*s->at == '"') {
        if (!scan_string(s, &name))
            return false;
        n = strlen(name);
    } else if (n == 0) {
        return scan_unexpected(s, "the name of an extent");
    } else {
        name = s->at;
        s->at += n;
    }
    const span at = scan_from(s, s->m->source.text + where.at);
    *out = ptir_dim_by_name(s->m, name, n);
    if (*out == DIM_NO_MEMORY)
        return scan_no_memory(s);
    ptir_note_dim(s->m, at, *out);
    return true;
}

/* Behind `tensor<` or `literal<`, up to and with `>`. */
bool text_read_extents(ptir_scan *s, tn_dtype dtype, bool has_some, const type **out)
{
    dim dims[TN_MAX_RANK];
    uint32_t rank = 0;
    if (has_some)
        do {
            if (rank == TN_MAX_RANK)
                return scan_fail(s, DIAG_LimitExceeded, scan_here(s),
                                 "the rank is above the limit of %d", TN_MAX_RANK);
            if (!text_read_dim(s, &dims[rank++]))
                return false;
        } while (scan_eat(s, "x"));
    if (!scan_expect(s, ">"))
        return false;
    *out = type_of(&s->m->types, dtype, dims, rank);
    return *out || scan_no_memory(s);
}

static bool read_tensor(ptir_scan *s, const type **out)
{
    tn_dtype dtype = TN_I1;
    return scan_dtype(s, &dtype) && text_read_extents(s, dtype, scan_eat(s, ","), out);
}

bool text_read_type(ptir_scan *s, ptir_type *out)
{
    ptir_types items = {0};
    *out = (ptir_type){0};
    if (scan_eat(s, "tensor<") || scan_eat(s, "Tensor<"))
        return read_tensor(s, &out->tensor);
    if (!scan_eat(s, "("))
        return scan_unexpected(s, "a type, such as tensor<f32, 2x3>");
    if (!scan_enter(s))
        return false;
    if (!scan_eat(s, ")")) {
        do {
            ptir_type item;
            if (!text_read_type(s, &item))
                return false;
            if (!PTIR_PUSH(s->memory, &items, item))
                return scan_no_memory(s);
        } while (scan_eat(s, ","));
        if (!scan_expect(s, ")"))
            return false;
    }
    s->depth--;
    out->n = items.n;
    out->items = items.at;
    return true;
}

/* ---- constants ----------------------------------------------------------------------------- */

/* 0x and the bits of an element. */
static bool read_bits(ptir_scan *s, size_t bytes, uint64_t *out)
{
    const char *from = s->at;
    *out = 0;
    for (s->at += 2;; s->at++) {
        char c = *s->at;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            break;
        if (*out >> 60)
            return scan_fail(s, DIAG_InvalidNumber, scan_from(s, from), "more than 64 bits");
        *out = *out << 4 | (uint64_t)digit;
    }
    if (s->at == from + 2 || (bytes < 8 && *out >> 8 * bytes))
        return scan_fail(s, DIAG_InvalidNumber, scan_from(s, from),
                         "expected the bits of an element of %zu byte%s", bytes, plural(bytes));
    return true;
}

static bool read_real(ptir_scan *s, tn_dtype d, void *to)
{
    float_format format = ptir_float_format(d);
    size_t bytes = format.bits / 8U;
    uint64_t bits;
    scan_space(s);
    if (s->at[0] == '0' && s->at[1] == 'x') {
        if (!read_bits(s, bytes, &bits))
            return false;
    } else if ((*s->at >= '0' && *s->at <= '9') ||
               (*s->at == '-' && s->at[1] >= '0' && s->at[1] <= '9')) {
        const span where = scan_here(s);
        decimal_result r = decimal_read(format, s->at, (size_t)(s->end - s->at), &bits);
        s->at += r.length;
        if (r.overflow) {
            scan_fault(s, DIAG_InvalidConstant, where, "this number is too large for %s",
                       dtype_name(d));
            return false;
        }
    } else {
        double f;
        if (!scan_f64(s, &f))
            return false;
        return scalar_store(scalar_of_float(f), dtype_table[d].part, to);
    }
    memcpy(to, &bits, bytes); /* little endian */
    return true;
}

static bool read_integer(ptir_scan *s, tn_dtype d, void *to)
{
    span where = scan_here(s);
    scalar v;
    if (scan_at(s, "-") || dtype_is_signed(d)) {
        v = scalar_of_int(0);
        if (!scan_i64(s, &v.i))
            return false;
    } else {
        v = scalar_of_uint(0);
        if (!scan_u64(s, &v.u))
            return false;
    }
    if (scalar_is_exact(v, d))
        return scalar_store(v, d, to);
    scan_fault(s, DIAG_InvalidConstant, where, "this number is no value of %s", dtype_name(d));
    return false;
}

static bool read_truth(ptir_scan *s, unsigned char *to)
{
    bool truth;
    if (scan_eat_word(s, "0") || scan_eat_word(s, "1")) {
        *to = s->at[-1] == '1';
        return true;
    }
    if (!scan_bool(s, &truth))
        return false;
    *to = truth;
    return true;
}

/* False also after a fault that does not stop the reading. */
static bool read_element(ptir_scan *s, tn_dtype d, void *to)
{
    switch (dtype_table[d].kind) {
    case DTYPE_BOOL:
        return read_truth(s, to);
    case DTYPE_SIGNED:
    case DTYPE_UNSIGNED:
        return read_integer(s, d, to);
    case DTYPE_FLOAT:
        return read_real(s, d, to);
    case DTYPE_COMPLEX:
        return scan_expect(s, "(") && read_real(s, d, to) && scan_expect(s, ",") &&
               read_real(s, d, (char *)to + dtype_bytes(d) / 2) && scan_expect(s, ")");
    }
    return false;
}

bool text_skip_brackets(ptir_scan *s)
{
    const span bracket = {(uint32_t)(s->at - 1 - s->m->source.text), 1};
    uint32_t open = 1;
    while (s->at < s->end && open) {
        const char *after = *s->at == '/' ? scan_comment_end(s, s->at) : s->at;
        if (after > s->at) {
            s->at = after;
            continue;
        }
        if (*s->at == '"') {
            const char *ignored;
            if (!scan_string(s, &ignored))
                return false;
            continue;
        }
        open += *s->at == '[';
        open -= *s->at == ']';
        s->at++;
    }
    return open == 0 || scan_fail(s, DIAG_SyntaxError, bracket, "this bracket is not closed");
}

/* More elements cannot stand up to the next closing bracket, whatever the type asks for. */
static int64_t most_elements(const ptir_scan *s)
{
    int64_t n = 1;
    for (const char *p = s->at; p < s->end && *p != ']'; p++) {
        if (*p == '/' && (p = scan_comment_end(s, p)) == s->end)
            break;
        n += *p == ',';
    }
    return n;
}

bool text_read_data(ptir_scan *s, const type *t, bool fill, const literal **out, bool *ok)
{
    const size_t size = dtype_bytes(t->dtype);
    const span where = scan_here(s);
    int64_t wanted = fill ? 1 : t->count, n = 0;
    literal *l = ARENA_NEW(&s->m->arena, literal);
    *ok = false;
    *out = l;
    if (!l)
        return scan_no_memory(s);
    if (!type_is_static(t)) {
        scan_fault(s, DIAG_InvalidConstant, where, "a constant needs known extents");
        return text_skip_brackets(s);
    }
    if (wanted < 0) {
        scan_fault(s, DIAG_InvalidConstant, where, "a constant has countable elements");
        return text_skip_brackets(s);
    }
    if (scan_at(s, "[")) {
        scan_fault(s, DIAG_InvalidConstant, where,
                   "the elements of a constant are one list, row by row, without brackets in it");
        return text_skip_brackets(s);
    }
    const int64_t room = wanted <= most_elements(s) ? wanted : 0;
    char *data = arena_alloc_aligned(&s->m->arena, (size_t)room * size, 64);
    if (!data)
        return scan_no_memory(s);
    if (!scan_eat(s, "]")) {
        do {
            char beyond[16];
            if (!read_element(s, t->dtype, n < room ? data + (size_t)n * size : beyond))
                return !s->failed && text_skip_brackets(s);
            n++;
        } while (scan_eat(s, ","));
        if (!scan_expect(s, "]"))
            return false;
    }
    s->literal_bytes += (uint64_t)n * size;
    if (s->literal_bytes > s->m->cx->limits.literal_bytes)
        return scan_fail(s, DIAG_LimitExceeded, where, "more constant data than the limit allows");
    *ok = n == wanted;
    assert(!*ok || room == wanted);
    if (!*ok)
        scan_fault(s, DIAG_InvalidConstant, where,
                   fill ? "'fill' takes one element, not %" PRId64
                        : "%" PRId64 " elements stand here, the type has %" PRId64,
                   n, wanted);
    *l = (literal){.type = t, .data = data, .bytes = (size_t)wanted * size, .splat = fill};
    return true;
}

bool text_read_literal(ptir_scan *s, ptir_operand *out)
{
    const type *t;
    bool ok;
    if (!read_tensor(s, &t))
        return false;
    bool fill = scan_eat_word(s, "fill");
    if (!scan_expect(s, "[") || !text_read_data(s, t, fill, &out->literal, &ok))
        return false;
    out->kind = ok ? PTIR_LITERAL : PTIR_FAULTY;
    return true;
}

/* ---- fields -------------------------------------------------------------------------------- */

typedef VECTOR(int64_t) int_list;

/* A list may stand in brackets of its own. */
static const char *open_list(ptir_scan *s)
{
    return scan_eat(s, "[") ? "]" : scan_eat(s, "(") ? ")" : scan_eat(s, "{") ? "}" : NULL;
}

static bool read_entry(ptir_scan *s, ptir_kind kind, int64_t *out)
{
    if (kind == PTIR_SHAPE)
        return text_read_dim(s, out);
    if (kind == PTIR_NEW_SHAPE) {
        *out = -1;
        return scan_eat_word(s, "infer") || text_read_dim(s, out);
    }
    return kind == PTIR_AXES ? scan_i64(s, out) : scan_size(s, out);
}

/* [a, b], [[a, b]] or, for pairs, [(a, b), (c, d)]; the closing bracket is consumed. */
static bool read_list(ptir_scan *s, ptir_kind kind, int_list *out)
{
    const char *close = kind == PTIR_PAIRS ? NULL : open_list(s);
    const char *end = close ? close : "]";
    if (!scan_eat(s, end)) {
        do {
            const char *pair = kind == PTIR_PAIRS ? open_list(s) : NULL;
            for (int i = 0; i < (kind == PTIR_PAIRS ? 2 : 1); i++) {
                int64_t entry;
                if (i && !scan_expect(s, ","))
                    return false;
                if (!read_entry(s, kind, &entry))
                    return false;
                if (!PTIR_PUSH(s->memory, out, entry))
                    return scan_no_memory(s);
            }
            if (pair && !scan_expect(s, pair))
                return false;
        } while (scan_eat(s, ","));
        if (!scan_expect(s, end))
            return false;
    }
    return !close || scan_expect(s, "]");
}

static bool read_scalar(ptir_scan *s, const scalar **out)
{
    scalar *v = ARENA_NEW(s->memory, scalar);
    bool truth;
    if (!v)
        return scan_no_memory(s);
    *out = v;
    scan_space(s);
    const char *p = s->at;
    if (scan_at(s, "true") || scan_at(s, "false")) {
        if (!scan_bool(s, &truth))
            return false;
        *v = scalar_of_bool(truth);
        return true;
    }
    if (scan_eat(s, "(")) {
        double re, im;
        if (!scan_f64(s, &re) || !scan_expect(s, ",") || !scan_f64(s, &im))
            return false;
        *v = scalar_of_complex(re, im);
        return scan_expect(s, ")");
    }
    p += *p == '-';
    while (*p >= '0' && *p <= '9')
        p++;
    if (p > s->at && p[-1] >= '0' && p[-1] <= '9' && *p == 'u') {
        *v = scalar_of_uint(0);
        return scan_u64(s, &v->u) && scan_expect(s, "u");
    }
    if (p > s->at && p[-1] >= '0' && p[-1] <= '9' && *p != '.' && *p != 'e' && *p != 'E') {
        *v = scalar_of_int(0);
        return scan_i64(s, &v->i);
    }
    *v = scalar_of_float(0);
    return scan_f64(s, &v->f);
}

/* ---- free attributes ----------------------------------------------------------------------- */

typedef struct dict_values {
    VECTOR(int64_t) ints;
    VECTOR(double) floats;
    VECTOR(bool) bools;
    VECTOR(const char *) strings;
} dict_values;

/* What the next value of a dictionary is, from its looks. */
static attr_kind guess_kind(ptir_scan *s)
{
    scan_space(s);
    if (*s->at == '"')
        return ATTR_STRING;
    if (*s->at == 't' || *s->at == 'f')
        return ATTR_BOOL;
    const char *p = s->at + (*s->at == '-');
    while (*p >= '0' && *p <= '9')
        p++;
    return p > s->at && p[-1] != '-' && *p != '.' && *p != 'e' && *p != 'E' ? ATTR_INT : ATTR_FLOAT;
}

static bool read_dict_item(ptir_scan *s, attr_kind kind, dict_values *v)
{
    int64_t i;
    double f;
    bool b;
    const char *text;
    if (kind == ATTR_INT)
        return scan_i64(s, &i) && (PTIR_PUSH(s->memory, &v->ints, i) || scan_no_memory(s));
    if (kind == ATTR_FLOAT)
        return scan_f64(s, &f) && (PTIR_PUSH(s->memory, &v->floats, f) || scan_no_memory(s));
    if (kind == ATTR_BOOL)
        return scan_bool(s, &b) && (PTIR_PUSH(s->memory, &v->bools, b) || scan_no_memory(s));
    return scan_string(s, &text) && (PTIR_PUSH(s->memory, &v->strings, text) || scan_no_memory(s));
}

/* NAME = value, or NAME = [values], or NAME = kind[values] where there may be none. */
static bool read_dict_entry(ptir_scan *s, dict_entry *e)
{
    static const attr_kind kinds[] = {ATTR_INT, ATTR_FLOAT, ATTR_BOOL, ATTR_STRING};
    dict_values v = {0};
    ptir_word_text word;
    uint32_t kind = 0;
    if (scan_at(s, "\"")) {
        if (!scan_string(s, &e->key))
            return false;
    } else {
        if (!scan_word(s, &word))
            return false;
        e->key = module_string(s->m, word.at, word.n);
        if (!e->key)
            return scan_no_memory(s);
    }
    if (!scan_expect(s, "="))
        return false;
    bool typed =
        scan_at(s, "i64[") || scan_at(s, "f64[") || scan_at(s, "bool[") || scan_at(s, "string[");
    if (typed && !scan_variant(s, "i64 f64 bool string", "a kind", &kind))
        return false;
    e->is_array = scan_eat(s, "[");
    e->kind = typed ? kinds[kind] : guess_kind(s);
    if (!e->is_array) {
        if (!read_dict_item(s, e->kind, &v))
            return false;
    } else if (!scan_eat(s, "]")) {
        do
            if (!read_dict_item(s, e->kind, &v))
                return false;
        while (scan_eat(s, ","));
        if (!scan_expect(s, "]"))
            return false;
    }
    e->n = v.ints.n + v.floats.n + v.bools.n + v.strings.n;
    e->values = e->kind == ATTR_INT     ? (const void *)v.ints.at
                : e->kind == ATTR_FLOAT ? (const void *)v.floats.at
                : e->kind == ATTR_BOOL  ? (const void *)v.bools.at
                                        : (const void *)v.strings.at;
    return true;
}

static bool read_dict(ptir_scan *s, attr *out)
{
    VECTOR(dict_entry) entries = {0};
    span where = scan_here(s);
    if (!scan_eat(s, "]")) {
        do {
            dict_entry e = {0};
            if (!read_dict_entry(s, &e))
                return false;
            if (!PTIR_PUSH(s->memory, &entries, e))
                return scan_no_memory(s);
        } while (scan_eat(s, ","));
        if (!scan_expect(s, "]"))
            return false;
    }
    ptir_dict_sort(entries.at, entries.n);
    for (uint32_t i = 1; i < entries.n; i++)
        if (entries.at[i].key == entries.at[i - 1].key)
            return scan_fail(s, DIAG_DuplicateKey, where, "'%s' stands twice", entries.at[i].key);
    out->v.dict = entries.at;
    out->n = entries.n;
    return true;
}

/* The id of a region, and where it stands for an editor. */
static bool read_region(ptir_scan *s, int64_t *out)
{
    (void)scan_eat(s, "@");
    scan_space(s);
    const char *from = s->at;
    if (!scan_size(s, out))
        return false;
    const ptir_region_use use = {scan_from(s, from), (uint64_t)*out};
    return !s->m->cx->names || PTIR_PUSH(s->memory, &s->region_uses, use) || scan_no_memory(s);
}

bool text_read_field(ptir_scan *s, const ptir_field *field, attr *out)
{
    int_list ints = {0};
    tn_dtype dtype = TN_I1;
    uint32_t word;
    bool truth;
    *out = (attr){.key = (uint8_t)field->key};
    switch (field->kind) {
    case PTIR_UINTS:
    case PTIR_AXES:
    case PTIR_SHAPE:
    case PTIR_NEW_SHAPE:
    case PTIR_PAIRS:
        if (!read_list(s, field->kind, &ints))
            return false;
        out->v.ints = ints.at;
        out->n = ints.n;
        return true;
    case PTIR_REGION:
        if (!read_region(s, &out->v.i))
            return false;
        break;
    case PTIR_UINT:
        (void)scan_eat(s, "@");
        if (!scan_size(s, &out->v.i))
            return false;
        break;
    case PTIR_AXIS:
    case PTIR_INT_AXIS:
        if (!scan_i64(s, &out->v.i))
            return false;
        break;
    case PTIR_BOOL:
        if (!scan_bool(s, &truth))
            return false;
        out->v.i = truth;
        break;
    case PTIR_FLOAT:
        if (!scan_f64(s, &out->v.f))
            return false;
        break;
    case PTIR_WORD:
        if (!scan_variant(s, field->words, "a word of this field", &word))
            return false;
        out->v.i = word;
        break;
    case PTIR_DTYPE:
        if (!scan_dtype(s, &dtype))
            return false;
        out->v.i = dtype;
        break;
    case PTIR_SCALAR:
        if (!read_scalar(s, &out->v.scalar))
            return false;
        break;
    case PTIR_STRING:
        if (!scan_string(s, &out->v.s))
            return false;
        break;
    case PTIR_DICT:
        return read_dict(s, out);
    }
    return scan_expect(s, "]");
}
