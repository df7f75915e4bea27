/* The cursor of the Core IR reader: words, numbers, strings, values of any kind, and what is said
 * when something else stands there. */
#include <inttypes.h>
#include <stdio.h>

#include "base/text/utf8.h"
#include "dialect/mind/reader.h"

static bool at_newline(const reader *r)
{
    return peek(r) == '\n' || (peek(r) == '\r' && r->at + 1 < r->end && r->at[1] == '\n');
}

bool at_line_end(const reader *r)
{
    return r->at == r->end || at_newline(r) || (*r->at == '#' && !r->is_json);
}

/* Bytes of the code point at P. */
static uint32_t code_length(const reader *r, const char *p, uint32_t *code)
{
    size_t n = utf8_decode(p, (size_t)(r->end - p), code);
    return n ? (uint32_t)n : 1;
}

static const char *skip_word(const reader *r, const char *p)
{
    while (p < r->end) {
        uint32_t code;
        if (is_letter(*p) || is_digit(*p)) {
            p++;
        } else if ((unsigned char)*p >= 0x80) {
            uint32_t n = code_length(r, p, &code);
            if (!utf8_is_letter(code))
                break;
            p += n;
        } else {
            break;
        }
    }
    return p;
}

bool read_word(reader *r, span *word)
{
    const char *begin = r->at, *p = begin;
    while (p < r->end && (is_letter(*p) || is_digit(*p)))
        p++;
    if (p < r->end && (unsigned char)*p >= 0x80)
        p = skip_word(r, p);
    if (p == begin || is_digit(*begin))
        return false;
    r->at = p;
    *word = span_from(r, begin);
    return true;
}

bool span_is(const reader *r, span s, const char *word)
{
    return strncmp(span_text(r, s), word, s.length) == 0 && word[s.length] == '\0';
}

/* ---- what stands at the cursor, for messages ---------------------------------------------- */

/* A string as far as its line shows it. */
static uint32_t string_extent(const reader *r)
{
    const char *p = r->at + 1;
    while (p < r->end && *p != '"' && *p != '\n')
        p += *p == '\\' && p + 1 < r->end ? 2 : 1;
    return (uint32_t)((p < r->end && *p == '"' ? p + 1 : p) - r->at);
}

static span token_extent(const reader *r)
{
    const char *p = r->at;
    uint32_t code, n;
    if (*p == '%')
        n = (uint32_t)(skip_word(r, p + 1) - p);
    else if (*p == '"')
        n = string_extent(r);
    else if (*p == '-' && p + 1 < r->end && p[1] == '>')
        n = 2;
    else if (is_digit(*p) || *p == '-')
        n = number_extent(r).length;
    else if (skip_word(r, p) > p)
        n = (uint32_t)(skip_word(r, p) - p);
    else
        n = code_length(r, p, &code);
    return (span){offset_of(r, p), n};
}

/* Length of the token's beginning that a message quotes: whole code points. */
int shown_length(const reader *r, span token)
{
    uint32_t n = token.length;
    if (n > SHOWN)
        for (n = SHOWN; n > 0 && ((unsigned char)span_text(r, token)[n] & 0xc0) == 0x80;)
            n--;
    return (int)n;
}

/* Can no token start with this character? */
static bool is_foreign(char c)
{
    return !is_letter(c) && !is_digit(c) && !(c && strchr("%#=:,.()[]{}<>-\"?+ \t", c));
}

/* What stands for a character that programs for writing put in the place of it, or NULL. */
static const char *plain_of(uint32_t code)
{
    switch (code) {
    case 0x201c: /* quotation marks */
    case 0x201d:
    case 0x201e:
        return "\"";
    case 0x2013: /* dashes, and the sign */
    case 0x2014:
    case 0x2212:
        return "-";
    case 0xa0: /* a space that does not break */
        return " ";
    default:
        return NULL;
    }
}

static tn_status invalid_character(reader *r)
{
    r->is_torn = true;
    uint32_t code = 0, n = code_length(r, r->at, &code);
    span at = {offset_of(r, r->at), n};
    diag_channel *d = &r->m->cx->diag;
    if (code < 0x20 || code == 0x7f)
        return diag_report(d, DIAG_InvalidCharacter, &r->m->source, at,
                           "the control character U+%04" PRIX32 " cannot stand here", code);
    const tn_status s =
        diag_report(d, DIAG_InvalidCharacter, &r->m->source, at,
                    "'%.*s' (U+%04" PRIX32 ") cannot stand here", (int)n, r->at, code);
    const char *plain = plain_of(code);
    if (plain)
        diag_fix(d, at, plain, "write '%s'", plain);
    return s;
}

tn_status syntax_error(reader *r, const char *expected)
{
    diag_channel *d = &r->m->cx->diag;
    const source *src = &r->m->source;
    r->is_torn = true;
    if (at_line_end(r)) {
        span at = {offset_of(r, r->at), 0};
        return diag_report(d, DIAG_SyntaxError, src, at, "found the end of the %s, expected %s",
                           r->at == r->end ? "text" : "line", expected);
    }
    bool is_high = (unsigned char)*r->at >= 0x80 && skip_word(r, r->at) == r->at;
    if (is_high || ((unsigned char)*r->at < 0x80 && is_foreign(*r->at)))
        return invalid_character(r);
    span token = token_extent(r);
    return diag_report(d, DIAG_SyntaxError, src, token, "found '%.*s%s', expected %s",
                       shown_length(r, token), r->at, token.length > SHOWN ? "..." : "", expected);
}

/* ---- numbers ------------------------------------------------------------------------------- */

span number_extent(const reader *r)
{
    const char *p = r->at + (peek(r) == '-' || peek(r) == '+');
    while (p < r->end) {
        const char *q = skip_word(r, p);
        bool is_mantissa = is_digit(*p) || (p > r->at && p[-1] == '.');
        if (q > p && q < r->end && (q[-1] | 32) == 'e' && is_mantissa && (*q == '+' || *q == '-'))
            q++;
        if (q < r->end && *q == '.')
            q++;
        if (q == p)
            break;
        p = q;
    }
    return (span){offset_of(r, r->at), (uint32_t)(p - r->at)};
}

bool is_integer(const char *text, size_t n)
{
    size_t i = n && text[0] == '-';
    if (i == n)
        return false;
    while (i < n && is_digit(text[i]))
        i++;
    return i == n;
}

bool is_number(const char *text, size_t n)
{
    size_t i = n && text[0] == '-', digits = i;
    if (n - i == 3 && (memcmp(text + i, "inf", 3) == 0 || (i == 0 && memcmp(text, "nan", 3) == 0)))
        return true;
    while (i < n && is_digit(text[i]))
        i++;
    if (i == digits)
        return false;
    if (i < n && text[i] == '.')
        for (i++; i < n && is_digit(text[i]);)
            i++;
    if (i == n || (text[i] | 32) != 'e')
        return i == n;
    i++;
    i += i < n && (text[i] == '+' || text[i] == '-');
    return is_integer(text + i, n - i) && text[i] != '-';
}

tn_status number_error(reader *r, span number, const char *issue)
{
    return diag_report(&r->m->cx->diag, DIAG_InvalidNumber, &r->m->source, number, "'%.*s%s': %s",
                       shown_length(r, number), span_text(r, number),
                       number.length > SHOWN ? "..." : "", issue);
}

tn_status read_integer(reader *r, int64_t *value, bool *is_one)
{
    const char *begin = r->at, *p = begin;
    uint64_t magnitude = 0;
    bool negative = peek(r) == '-';

    *is_one = false;
    p += negative;
    const char *digits = p;
    for (; p < r->end && is_digit(*p) && p - digits < 18; p++)
        magnitude = magnitude * 10 + (uint64_t)(*p - '0');
    if (p == digits)
        return TN_OK;
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    if (p < r->end && (is_digit(*p) || is_letter(*p) || *p == '.' || (unsigned char)*p >= 0x80)) {
        span all = number_extent(r);
        if (!is_number(begin, all.length))
            return number_error(r, all, NUMBER_FORM);
        if (!is_integer(begin, all.length))
            return TN_OK;
        if (decimal_read_i64(begin, all.length, value).overflow)
            return number_error(r, all, "it does not fit 64 bits");
        p = begin + all.length;
    }
    r->at = p;
    *is_one = true;
    return TN_OK;
}

/* ---- strings ------------------------------------------------------------------------------- */

static tn_status escape_error(reader *r, size_t length)
{
    if (length > (size_t)(r->end - r->at))
        length = (size_t)(r->end - r->at);
    return diag_report(&r->m->cx->diag, DIAG_InvalidEscape, &r->m->source,
                       (span){offset_of(r, r->at), (uint32_t)length},
                       "invalid escape sequence '%.*s', expected %s", (int)length, r->at,
                       r->is_json ? "one of JSON" : "one of \\n \\r \\t \\\\ \\\"");
}

/* Four hexadecimal digits at P, or -1. */
static int32_t read_hex(const reader *r, const char *p)
{
    int32_t value = 0;
    if (r->end - p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        char c = p[i], low = (char)(c | 32);
        if (!is_digit(c) && (low < 'a' || low > 'f'))
            return -1;
        value = value * 16 + (is_digit(c) ? c - '0' : low - 'a' + 10);
    }
    return value;
}

/* The escape \uXXXX at the cursor, or a pair of them. */
static tn_status read_unicode_escape(reader *r)
{
    char bytes[4];
    int32_t high = read_hex(r, r->at + 2), low = -1;
    size_t length = 6;
    uint32_t code = (uint32_t)high;
    if (high >= 0xd800 && high < 0xdc00 && r->end - r->at >= 12 && r->at[6] == '\\' &&
        r->at[7] == 'u') {
        low = read_hex(r, r->at + 8);
        length = 12;
        code = low >= 0xdc00 && low < 0xe000
                   ? 0x10000 + ((uint32_t)(high - 0xd800) << 10) + (uint32_t)(low - 0xdc00)
                   : UINT32_MAX;
    }
    size_t n = high <= 0 ? 0 : utf8_encode(code, bytes);
    if (n == 0)
        return escape_error(r, length);
    text_put(&r->string, bytes, n);
    r->at += length;
    return TN_OK;
}

static tn_status read_escape(reader *r)
{
    static const char known[] = "nrt\\\"/bf", meaning[] = "\n\r\t\\\"/\b\f";
    char c = r->at + 1 < r->end ? r->at[1] : '\0';
    const char *found = c ? strchr(known, c) : NULL;
    uint32_t code;

    if (c == 'u' && r->is_json)
        return read_unicode_escape(r);
    if (!found || (!r->is_json && found - known > 4))
        return escape_error(r, 1 + (c && c != '\n' ? code_length(r, r->at + 1, &code) : 0));
    text_putc(&r->string, meaning[found - known]);
    r->at += 2;
    return TN_OK;
}

tn_status read_string(reader *r)
{
    const char *begin = r->at++;
    text_reset(&r->string);
    for (;;) {
        const char *plain = r->at;
        while (r->at < r->end && *r->at != '"' && *r->at != '\\' && *r->at != '\n' && *r->at)
            r->at++;
        text_put(&r->string, plain, (size_t)(r->at - plain));
        if (r->at == r->end || *r->at == '\n') {
            span at = {offset_of(r, begin), (uint32_t)(r->at - begin)};
            r->is_torn = true;
            return diag_report(&r->m->cx->diag, DIAG_UnterminatedString, &r->m->source, at,
                               "it must close on its line");
        }
        if (*r->at == '\0')
            return invalid_character(r);
        if (*r->at == '"')
            break;
        TN_TRY(read_escape(r));
    }
    r->at++;
    return r->string.failed ? module_no_memory(r->m) : TN_OK;
}

/* ---- values of any kind -------------------------------------------------------------------- */

static tn_status too_deep(reader *r)
{
    return diag_report(&r->m->cx->diag, DIAG_LimitExceeded, &r->m->source,
                       (span){offset_of(r, r->at), 1}, "lists nest deeper than %" PRIu32,
                       r->max_depth);
}

/* Past the elements of a list and its end. */
static tn_status skip_elements(reader *r, char close, uint32_t depth)
{
    if (depth > r->max_depth)
        return too_deep(r);
    r->at++;
    while (!accept(r, close)) {
        TN_TRY(skip_value(r, depth));
        if (peek_token(r) != close && !accept(r, ','))
            return syntax_error(r, close == ']' ? "',' or ']'" : "',' or ')'");
    }
    return TN_OK;
}

static tn_status skip_object(reader *r, uint32_t depth)
{
    if (depth > r->max_depth)
        return too_deep(r);
    r->at++;
    while (!accept(r, '}')) {
        if (peek_token(r) != '"')
            return syntax_error(r, "a key");
        TN_TRY(read_string(r));
        TN_TRY(expect(r, ':', "':'"));
        TN_TRY(skip_value(r, depth));
        if (peek_token(r) != '}' && !accept(r, ','))
            return syntax_error(r, "',' or '}'");
    }
    return TN_OK;
}

static tn_status skip_number(reader *r)
{
    span number = number_extent(r);
    if (!is_number(r->at, number.length))
        return number_error(r, number, NUMBER_FORM);
    r->at += number.length;
    return TN_OK;
}

tn_status skip_value(reader *r, uint32_t depth)
{
    span word;
    char c = peek_token(r);
    if (c == '[' || c == '(')
        return skip_elements(r, c == '[' ? ']' : ')', depth + 1);
    if (c == '{' && r->is_json)
        return skip_object(r, depth + 1);
    if (c == '"')
        return read_string(r);
    if (is_digit(c) || (c == '-' && !(r->at + 1 < r->end && r->at[1] == '>'))) {
        TN_TRY(skip_number(r));
        /* a range */
        for (int i = 0; i < 2 && !r->is_json && peek_token(r) == ':'; i++) {
            r->at++;
            c = peek_token(r);
            if (!is_digit(c) && c != '-')
                return syntax_error(r, "an integer");
            TN_TRY(skip_number(r));
        }
        return TN_OK;
    }
    if (!r->is_json && c == '%')
        return syntax_error(r,
                            "a number, a word or a list; operands stand directly in the one pair "
                            "of parentheses of an instruction");
    if (!read_word(r, &word))
        return syntax_error(r, "a value");
    return !r->is_json && peek_token(r) == '(' ? skip_elements(r, ')', depth + 1) : TN_OK;
}
