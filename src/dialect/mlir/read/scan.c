/* The cursor over MLIR text: tokens, places, errors. */
#include "dialect/mlir/read/reader.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/text/chars.h"
#include "base/text/decimal.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

/* ---- errors ---- */

span mir_span(const mir_reader *r, mir_text t)
{
    return (span){(uint32_t)(t.at - r->src->text), (uint32_t)t.n};
}

bool mir_fail(mir_reader *r, diag_kind kind, span at, const char *format, ...)
{
    va_list args;
    if (!r->failed && !r->quiet) {
        va_start(args, format);
        (void)diag_vreport(&r->cx->diag, kind, r->src, at, format, args);
        va_end(args);
    }
    r->failed = true;
    return false;
}

bool mir_no_memory(mir_reader *r)
{
    if (!r->failed)
        (void)diag_no_memory(&r->cx->diag);
    r->failed = true;
    return false;
}

bool mir_enter(mir_reader *r)
{
    if (r->depth++ < r->cx->limits.nesting)
        return true;
    return mir_fail(r, DIAG_LimitExceeded, mir_here(r), "nested deeper than %" PRIu32 " level%s",
                    r->cx->limits.nesting, plural(r->cx->limits.nesting));
}

bool mir_grow(mir_reader *r, void **at, uint32_t n, uint32_t *cap, size_t size)
{
    if (n < *cap)
        return true;
    const uint32_t room = *cap ? *cap * 2 : 4;
    char *own = room > *cap ? arena_calloc(r->memory, room, size) : NULL;
    if (!own)
        return mir_no_memory(r);
    if (n)
        memcpy(own, *at, n * size);
    *at = own;
    *cap = room;
    return true;
}

/* ---- characters ---- */

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}
static bool is_in_word(char c)
{
    return char_is_letter(c) || char_is_digit(c) || c == '$' || c == '.';
}

char mir_next(mir_reader *r)
{
    for (;;) {
        while (r->at < r->end && is_space(*r->at))
            r->at++;
        if (r->end - r->at < 2 || r->at[0] != '/' || r->at[1] != '/')
            return r->at < r->end ? *r->at : '\0';
        const char *line = memchr(r->at, '\n', (size_t)(r->end - r->at));
        r->at = line ? line : r->end;
    }
}

/* Bytes of the word at AT: those of operation names may hold minus signs between letters. */
static size_t word_length(const mir_reader *r)
{
    const char *p = r->at;
    if (p >= r->end || !char_is_letter(*p))
        return 0;
    while (p < r->end &&
           (is_in_word(*p) || (*p == '-' && r->end - p > 1 && char_is_letter(p[1]) && p > r->at)))
        p++;
    return (size_t)(p - r->at);
}

span mir_here(mir_reader *r)
{
    const char c = mir_next(r);
    size_t n = c == '\0' ? 0 : 1;
    if (char_is_letter(c)) {
        n = word_length(r);
    } else if (c == '%' || c == '@' || c == '#' || c == '!' || char_is_digit(c)) {
        while (r->at + n < r->end && is_in_word(r->at[n]))
            n++;
    }
    return mir_span(r, (mir_text){r->at, n});
}

bool mir_expected(mir_reader *r, const char *expected)
{
    const span at = mir_here(r);
    if (r->at == r->end)
        return mir_fail(r, DIAG_SyntaxError, at, "expected %s, but the text ends here", expected);
    if (utf8_is_hidden((unsigned char)*r->at) && (unsigned char)*r->at < 0x80)
        return mir_fail(r, DIAG_SyntaxError, at, "expected %s instead of the character U+%04X",
                        expected, (unsigned)*r->at);
    return mir_fail(r, DIAG_SyntaxError, at, "expected %s instead of '%.*s'", expected,
                    at.length < 40 ? (int)at.length : 40, r->at);
}

/* ---- tokens ---- */

bool mir_accept(mir_reader *r, char c)
{
    if (mir_next(r) != c)
        return false;
    r->at++;
    return true;
}

bool mir_expect(mir_reader *r, char c)
{
    const char text[] = {'\'', c, '\'', '\0'};
    return mir_accept(r, c) || mir_expected(r, text);
}

bool mir_at_word(mir_reader *r)
{
    return char_is_letter(mir_next(r));
}

bool mir_accept_word(mir_reader *r, const char *word)
{
    (void)mir_next(r);
    const mir_text t = {r->at, word_length(r)};
    if (!mir_is(t, word))
        return false;
    r->at += t.n;
    return true;
}

bool mir_expect_word(mir_reader *r, const char *word)
{
    char text[48] = "'";
    const size_t n = strlen(word);
    if (mir_accept_word(r, word))
        return true;
    memcpy(text + 1, word, n);
    memcpy(text + 1 + n, "'", 2);
    return mir_expected(r, text);
}

bool mir_accept_arrow(mir_reader *r)
{
    if (mir_next(r) != '-' || r->end - r->at < 2 || r->at[1] != '>')
        return false;
    r->at += 2;
    return true;
}

bool mir_word(mir_reader *r, mir_text *out)
{
    (void)mir_next(r);
    *out = (mir_text){r->at, word_length(r)};
    r->at += out->n;
    return out->n > 0 || mir_expected(r, "a name");
}

bool mir_sigil(mir_reader *r, char sigil, mir_text *out)
{
    if (!mir_expect(r, sigil))
        return false;
    if (sigil == '@' && r->at < r->end && *r->at == '"')
        return mir_string(r, out);
    const char *p = r->at;
    while (p < r->end &&
           (is_in_word(*p) || (*p == '-' && p > r->at && r->end - p > 1 && p[1] != '>')))
        p++;
    *out = (mir_text){r->at, (size_t)(p - r->at)};
    r->at = p;
    return out->n > 0 || mir_expected(r, "a name");
}

static int hex_digit(char c)
{
    return char_is_digit(c)       ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The string between AT and END, without quotes, as it is meant. */
static bool decode(mir_reader *r, mir_text raw, mir_text *out)
{
    char *to = arena_alloc(r->memory, raw.n + 1);
    size_t n = 0;
    if (!to)
        return mir_no_memory(r);
    for (size_t i = 0; i < raw.n; i++) {
        char c = raw.at[i];
        if (c == '\\') { /* which is not the last one */
            c = raw.at[++i];
            const int high = hex_digit(c), low = i + 1 < raw.n ? hex_digit(raw.at[i + 1]) : -1;
            if (high >= 0 && low >= 0) {
                c = (char)(high * 16 + low);
                i++;
            } else if (c == 'n' || c == 't') {
                c = c == 'n' ? '\n' : '\t';
            } else if (c != '"' && c != '\\') {
                return mir_fail(r, DIAG_InvalidEscape, mir_span(r, (mir_text){raw.at + i - 1, 2}),
                                "this escape sequence is not known");
            }
        }
        to[n++] = c;
    }
    to[n] = '\0';
    *out = (mir_text){to, n};
    return true;
}

bool mir_string(mir_reader *r, mir_text *out)
{
    if (mir_next(r) != '"')
        return mir_expected(r, "a string");
    const char *from = r->at + 1, *p = from;
    bool is_plain = true;
    for (; p < r->end && *p != '"' && *p != '\n'; p++)
        if (*p == '\\') {
            is_plain = false;
            if (++p == r->end)
                break;
        }
    if (p >= r->end || *p != '"')
        return mir_fail(r, DIAG_UnterminatedString, mir_here(r),
                        "this string does not end on its line");
    r->at = p + 1;
    *out = (mir_text){from, (size_t)(p - from)};
    return is_plain || decode(r, *out, out);
}

bool mir_integer(mir_reader *r, int64_t *out, bool *fits)
{
    const bool minus = mir_accept(r, '-');
    uint64_t value = 0;
    *fits = true;
    if (!char_is_digit(mir_next(r)))
        return mir_expected(r, "a number");
    if (r->end - r->at > 2 && r->at[0] == '0' && r->at[1] == 'x' && hex_digit(r->at[2]) >= 0) {
        for (r->at += 2; r->at < r->end && hex_digit(*r->at) >= 0; r->at++) {
            *fits = *fits && value >> 60 == 0;
            value = value << 4 | (uint64_t)hex_digit(*r->at);
        }
    } else {
        const decimal_result found = decimal_read_u64(r->at, (size_t)(r->end - r->at), &value);
        *fits = !found.overflow;
        r->at += found.length;
    }
    if (minus && value > (uint64_t)INT64_MAX + 1)
        *fits = false;
    *out = (int64_t)(minus ? 0 - value : value);
    return true;
}

bool mir_skip_brackets(mir_reader *r)
{
    const span from = mir_here(r);
    char open[LIMIT_MOST_NESTING];
    uint32_t depth = 0;
    do {
        const char c = mir_next(r);
        mir_text text;
        if (c == '\0')
            return mir_fail(r, DIAG_SyntaxError, from, "this bracket is not closed");
        if (c == '"') {
            if (!mir_string(r, &text))
                return false;
            continue;
        }
        if (c == '-' && mir_accept_arrow(r))
            continue;
        if (c == '<' || c == '(' || c == '[' || c == '{') {
            if (depth == LIMIT_MOST_NESTING)
                return mir_fail(r, DIAG_LimitExceeded, mir_here(r), "nested deeper than %d levels",
                                LIMIT_MOST_NESTING);
            open[depth++] = c == '(' ? ')' : (char)(c + 2);
        } else if (c == '>' || c == ')' || c == ']' || c == '}') {
            if (depth == 0 || open[--depth] != c)
                return mir_fail(r, DIAG_SyntaxError, mir_here(r),
                                "this bracket closes another one than is open");
        }
        r->at++;
    } while (depth > 0);
    return true;
}
