/* The data of constants: numbers and nested lists of them, once the type is known. */
#include <inttypes.h>
#include <stdio.h>

#include "base/text/text.h"
#include "dialect/mind/reader.h"

typedef struct data_reader {
    reader *r;
    const instr *in;
    const type *type;
    char *out; /* NULL: only check */
} data_reader;

__attribute__((format(printf, 4, 5))) static tn_status
bad_constant(reader *r, const instr *in, span at, const char *format, ...)
{
    char issue[TYPE_TEXT_MAX + 200];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(issue, sizeof issue, format, args);
    va_end(args);
    tn_status s = reject(r, &in->id, DIAG_InvalidConstant, in->at, "%s", issue);
    if (at.at != NO_SPAN.at)
        diag_note(&r->m->cx->diag, &r->m->source, at, "in the data here");
    return s;
}

/* ---- one number ---------------------------------------------------------------------------- */

static tn_status bad_number(const data_reader *d, span number, const char *issue)
{
    return bad_constant(d->r, d->in, number, "'%.*s' %s %s",
                        number.length < 60 ? (int)number.length : 60, span_text(d->r, number),
                        issue, mind_dtype_name(d->type->dtype));
}

static tn_status read_int_element(data_reader *d)
{
    reader *r = d->r;
    const char *begin = r->at;
    int64_t value = 0;
    bool is_one;
    TN_TRY(read_integer(r, &value, &is_one));
    if (!is_one) {
        span number = number_extent(r);
        if (number.length == 0) /* a word or a string */
            TN_TRY(skip_value(r, 0));
        else
            r->at += number.length;
        return bad_number(d, span_from(r, begin), "is not a value of");
    }
    if (d->type->dtype == TN_SI32) {
        if (value < INT32_MIN || value > INT32_MAX)
            return bad_number(d, span_from(r, begin), "is beyond the range of");
        int32_t narrow = (int32_t)value;
        if (d->out)
            memcpy(d->out, &narrow, sizeof narrow);
    } else if (d->out) {
        memcpy(d->out, &value, sizeof value);
    }
    return TN_OK;
}

/* inf, -inf, nan: the bits of these, or false. */
static bool special_bits(const char *text, size_t n, tn_dtype dtype, uint64_t *bits)
{
    bool negative = n && *text == '-';
    bool is_inf = n - negative == 3 && memcmp(text + negative, "inf", 3) == 0;
    if (!is_inf && !(n == 3 && memcmp(text, "nan", 3) == 0))
        return false;
    if (dtype == TN_F32)
        *bits = is_inf ? 0x7f800000U | (uint64_t)negative << 31 : 0x7fc00000U;
    else
        *bits = is_inf ? 0x7ff0000000000000U | (uint64_t)negative << 63 : 0x7ff8000000000000U;
    return true;
}

static void store_float(data_reader *d, uint64_t bits)
{
    uint32_t narrow = (uint32_t)bits;
    if (d->out && d->type->dtype == TN_F32)
        memcpy(d->out, &narrow, sizeof narrow);
    else if (d->out)
        memcpy(d->out, &bits, sizeof bits);
}

/* Numbers that are words, and whatever is no number. */
static tn_status read_special_element(data_reader *d)
{
    reader *r = d->r;
    const char *begin = r->at;
    uint64_t bits;
    if (peek(r) == '-')
        r->at += number_extent(r).length;
    else
        TN_TRY(skip_value(r, 0));
    span at = span_from(r, begin);
    span text = r->is_json && *begin == '"' ? (span){at.at + 1, at.length - 2} : at;
    if (!special_bits(span_text(r, text), text.length, d->type->dtype, &bits)) {
        if (*begin == '-')
            return number_error(r, at, NUMBER_FORM);
        return bad_number(d, at, "is not a value of");
    }
    store_float(d, bits);
    return TN_OK;
}

static tn_status read_float_element(data_reader *d)
{
    reader *r = d->r;
    const char *begin = r->at;
    uint64_t bits;
    bool negative = peek(r) == '-';

    if (begin + negative == r->end || !is_digit(begin[negative]))
        return read_special_element(d);
    decimal_result got = decimal_read(d->type->dtype == TN_F32 ? format_f32 : format_f64, begin,
                                      (size_t)(r->end - begin), &bits);
    r->at += got.length;
    char next = peek(r);
    if (is_letter(next) || is_digit(next) || next == '.' || (unsigned char)next >= 0x80) {
        r->at = begin;
        return number_error(r, number_extent(r), NUMBER_FORM);
    }
    if (got.overflow)
        return bad_number(d, span_from(r, begin), "is beyond the range of");
    store_float(d, bits);
    return TN_OK;
}

static tn_status read_element(data_reader *d)
{
    char c = peek_token(d->r);
    if (c == '[' || c == '(')
        return bad_constant(d->r, d->in, (span){offset_of(d->r, d->r->at), 1},
                            "the data nests deeper than the %" PRIu32 " dimension%s of its shape",
                            d->type->rank, plural(d->type->rank));
    TN_TRY(dtype_is_float(d->type->dtype) ? read_float_element(d) : read_int_element(d));
    if (d->out)
        d->out += dtype_bytes(d->type->dtype);
    return TN_OK;
}

/* ---- lists --------------------------------------------------------------------------------- */

static tn_status read_level(data_reader *d, uint32_t axis)
{
    reader *r = d->r;
    if (axis == d->type->rank)
        return read_element(d);

    char open = peek_token(r), close = open == '(' ? ')' : ']';
    span at = {offset_of(r, r->at), 1};
    int64_t extent = d->type->dims[axis], n = 0;
    if (open != '[' && open != '(') {
        if (open == '-')
            r->at += number_extent(r).length;
        else
            TN_TRY(skip_value(r, axis)); /* or it is no value at all */
        at = span_from(r, span_text(r, at));
        return bad_constant(r, d->in, at,
                            "found '%.*s%s', expected a list of the %" PRId64
                            " element%s of dimension %" PRIu32,
                            shown_length(r, at), span_text(r, at), at.length > SHOWN ? "..." : "",
                            extent, plural((uint64_t)extent), axis);
    }
    r->at++;
    while (!accept(r, close)) {
        TN_TRY(n < extent ? read_level(d, axis + 1) : skip_value(r, axis));
        n++;
        if (peek_token(r) != close && !accept(r, ','))
            return syntax_error(r, close == ']' ? "',' or ']'" : "',' or ')'");
    }
    if (n == extent)
        return TN_OK;
    return bad_constant(r, d->in, at,
                        "dimension %" PRIu32 " has %" PRId64 " element%s in the data, but %" PRId64
                        " in the type",
                        axis, n, plural((uint64_t)n), extent);
}

/* Read the text at AT by the rules of D. */
static tn_status read_text(data_reader *d, span at)
{
    reader *r = d->r;
    const char *back = r->at, *end = r->end;
    r->at = span_text(r, at);
    r->end = r->at + at.length;
    tn_status s = read_level(d, 0);
    if (s == TN_OK && peek_token(r) && r->at < r->end)
        s = syntax_error(r, "the end of the data");
    r->at = back;
    r->end = end;
    return s;
}

/* ---- constants ----------------------------------------------------------------------------- */

static tn_status limit_literals(reader *r, const instr *in, const type *t, size_t *bytes)
{
    uint64_t limit = r->m->cx->limits.literal_bytes;
    if (!type_bytes(t, bytes) || *bytes > limit || r->literal_bytes > limit - *bytes)
        return reject(r, &in->id, DIAG_LimitExceeded, in->at,
                      "the constants have more than %" PRIu64 " byte%s", limit, plural(limit));
    r->literal_bytes += *bytes;
    return TN_OK;
}

static tn_status make_attrs(reader *r, const literal *l, const attrs **out)
{
    attr entry = {.key = KEY_VALUE, .v.literal = l};
    *out = attrs_of(&r->m->attrs, &entry, 1);
    return *out ? TN_OK : module_no_memory(r->m);
}

/* A constant written out, or the single number of a scalar. */
static tn_status read_dense(reader *r, const instr *in, span data, const attrs **out)
{
    literal l = {.type = in->type};
    data_reader d = {.r = r, .in = in, .type = in->type};
    /* Every element takes at least one byte of text: never allocate for more than there can be. */
    if (in->type->count > (int64_t)data.length) {
        TN_TRY(read_text(&d, data));
        return bad_constant(r, in, NO_SPAN, "the data has fewer elements than the type");
    }
    TN_TRY(limit_literals(r, in, in->type, &l.bytes));
    d.out = arena_alloc_aligned(&r->m->arena, l.bytes, l.bytes < 64 ? 8 : 64);
    l.data = d.out;
    if (!d.out)
        return module_no_memory(r->m);
    TN_TRY(read_text(&d, data));
    return make_attrs(r, &l, out);
}

/* All elements equal to one number. Core v1 has no short form: there they are written out. */
static tn_status read_fill(reader *r, const instr *in, span number, const attrs **out)
{
    const type *one = type_scalar(&r->m->types, in->type->dtype);
    size_t size = dtype_bytes(in->type->dtype);
    bool is_splat = r->options->profile != PROFILE_CORE_V1 && in->type->count != 1;
    char element[8];
    literal l = {.type = in->type, .bytes = size, .splat = is_splat};

    if (!one)
        return module_no_memory(r->m);
    data_reader d = {.r = r, .in = in, .type = one, .out = element};
    TN_TRY(read_text(&d, number));
    TN_TRY(limit_literals(r, in, is_splat ? one : in->type, &l.bytes));
    char *data = arena_alloc_aligned(&r->m->arena, l.bytes, l.bytes < 64 ? 8 : 64);
    if (!data)
        return module_no_memory(r->m);
    for (size_t i = 0; i < l.bytes; i += size)
        memcpy(data + i, element, size);
    l.data = data;
    return make_attrs(r, &l, out);
}

/* dtype and shape are given by the type; attributes that repeat them must agree. */
static tn_status check_repeated(reader *r, const instr *in, uint32_t dtype_slot,
                                uint32_t shape_slot)
{
    const slot_value *v = in->slots;
    if ((in->given & (1U << dtype_slot)) && v[dtype_slot].number != (int64_t)in->type->dtype)
        return bad_constant(r, in, NO_SPAN, "the attribute dtype is %s, but the type has %s",
                            mind_dtype_name((tn_dtype)v[dtype_slot].number),
                            mind_dtype_name(in->type->dtype));
    if (!(in->given & (1U << shape_slot)))
        return TN_OK;
    const int64_t *have = v[shape_slot].n ? r->ints.at + v[shape_slot].first : NULL;
    uint32_t n = v[shape_slot].n;
    if (n == in->type->rank && (n == 0 || memcmp(have, in->type->dims, n * sizeof *have) == 0))
        return TN_OK;
    char shape[TYPE_TEXT_MAX], want[TYPE_TEXT_MAX];
    put_dims_text(shape, r->m, have, n < TN_MAX_RANK ? n : TN_MAX_RANK);
    put_dims_text(want, r->m, in->type->dims, in->type->rank);
    return bad_constant(r, in, NO_SPAN, "the attribute shape is %.400s, but the type has %.400s",
                        shape, want);
}

static tn_status read_scalar(reader *r, const instr *in, const attrs **out)
{
    const type *want = type_scalar(&r->m->types, in->how->dtype);
    char declared[TYPE_TEXT_MAX];
    if (!want)
        return module_no_memory(r->m);
    if (in->type == want)
        return read_dense(r, in, in->slots[0].at, out);
    put_type_text(declared, r->m, in->type);
    tn_status s =
        bad_constant(r, in, NO_SPAN, "'%s' makes a tensor<%s>[], but the declared type is %.800s",
                     in->how->text, mind_dtype_name(want->dtype), declared);
    put_type_text(declared, r->m, want);
    diag_fix(&r->m->cx->diag, in->type_at, declared, "declare %s", declared);
    return s;
}

tn_status read_constant(reader *r, const instr *in, const attrs **out)
{
    if (!type_is_static(in->type))
        return bad_constant(r, in, NO_SPAN, "the sizes of a constant must be numbers");
    if (in->how->dtype != TN_DTYPE_COUNT)
        return read_scalar(r, in, out);

    uint32_t data = spelling_slot(in->how, "data", 4), dtype = spelling_slot(in->how, "dtype", 5);
    uint32_t fill = spelling_slot(in->how, "fill", 4), shape = spelling_slot(in->how, "shape", 5);
    bool has_data = (in->given & (1U << data)) != 0, has_fill = (in->given & (1U << fill)) != 0;
    if (has_data && has_fill)
        return reject(r, &in->id, DIAG_InvalidAttribute, in->at,
                      "'ConstTensor' takes the attribute 'data' or 'fill', not both");
    if (!has_data && !has_fill)
        return reject(r, &in->id, DIAG_MissingAttribute, in->at,
                      "'ConstTensor' needs the attribute 'data' or 'fill'");
    TN_TRY(check_repeated(r, in, dtype, shape));
    return has_data ? read_dense(r, in, in->slots[data].at, out)
                    : read_fill(r, in, in->slots[fill].at, out);
}
