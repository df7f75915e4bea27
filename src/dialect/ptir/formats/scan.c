/* The tokens of PTIR's text forms. */
#include "dialect/ptir/formats/scan.h"

#include <inttypes.h>
#include <math.h>

#include "base/text/text.h"
#include "base/text/utf8.h"

tn_status scan_init(ptir_scan *s, module *m, arena *memory)
{
    *s = (ptir_scan){.m = m, .memory = memory};
    size_t bad = utf8_invalid_at(m->source.text, m->source.length);
    if (bad < m->source.length)
        return diag_report(&m->cx->diag, DIAG_InvalidUtf8, &m->source, (span){(uint32_t)bad, 1},
                           "the text is not UTF-8 at byte %zu (0x%02x)", bad,
                           (unsigned)(unsigned char)m->source.text[bad]);
    s->at = m->source.text + source_mark_length(m->source.text, m->source.length);
    s->end = m->source.text + m->source.length;
    json_init(&s->strings, m->cx, &m->source, memory, false);
    return TN_OK;
}

tn_status scan_end(ptir_scan *s, uint32_t *faults)
{
    json_release(&s->strings);
    *faults = s->faults;
    return !s->failed ? TN_OK : s->no_memory ? TN_ERR_NOMEM : TN_ERR_REJECTED;
}

bool scan_fail(ptir_scan *s, diag_kind kind, span at, const char *format, ...)
{
    if (s->failed)
        return false;
    va_list args;
    va_start(args, format);
    (void)diag_vreport(&s->m->cx->diag, kind, &s->m->source, at, format, args);
    va_end(args);
    s->failed = true;
    return false;
}

void scan_fault(ptir_scan *s, diag_kind kind, span at, const char *format, ...)
{
    if (s->failed)
        return;
    va_list args;
    va_start(args, format);
    (void)diag_vreport(&s->m->cx->diag, kind, &s->m->source, at, format, args);
    va_end(args);
    if (++s->faults >= s->m->cx->limits.errors)
        s->failed = true;
}

bool scan_no_memory(ptir_scan *s)
{
    if (!s->failed) {
        (void)module_no_memory(s->m);
        s->no_memory = true;
    }
    s->failed = true;
    return false;
}

const char *scan_comment_end(const ptir_scan *s, const char *at)
{
    if (at[0] != '/' || at[1] != '/')
        return at;
    const char *line_end = memchr(at, '\n', (size_t)(s->end - at));
    return line_end ? line_end : s->end;
}

void scan_blank(ptir_scan *s)
{
    while (*s->at == ' ' || *s->at == '\t' || *s->at == '\r')
        s->at++;
    s->at = scan_comment_end(s, s->at);
}

void scan_space(ptir_scan *s)
{
    for (scan_blank(s); *s->at == '\n'; scan_blank(s))
        s->at++;
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || (unsigned char)c >= 0x80;
}

span scan_here(ptir_scan *s)
{
    scan_space(s);
    size_t n = 0;
    while (is_word_byte(s->at[n]))
        n++;
    return (span){(uint32_t)(s->at - s->m->source.text), (uint32_t)(n ? n : s->at < s->end)};
}

bool scan_unexpected(ptir_scan *s, const char *expected)
{
    span where = scan_here(s);
    if (where.length == 0)
        return scan_fail(s, DIAG_SyntaxError, where, "expected %s, found the end of the text",
                         expected);
    uint32_t code = 0;
    if (utf8_decode(s->at, (size_t)(s->end - s->at), &code) > 0 && utf8_is_hidden(code))
        return scan_fail(s, DIAG_SyntaxError, where,
                         "expected %s, found the character U+%04" PRIX32, expected, code);
    return scan_fail(s, DIAG_SyntaxError, where, "expected %s, found '%.*s'", expected,
                     where.length > 40 ? 40 : (int)where.length, s->at);
}

bool scan_at(ptir_scan *s, const char *token)
{
    scan_space(s);
    return !s->failed && strncmp(s->at, token, strlen(token)) == 0;
}

bool scan_eat(ptir_scan *s, const char *token)
{
    if (!scan_at(s, token))
        return false;
    s->at += strlen(token);
    return true;
}

bool scan_expect(ptir_scan *s, const char *token)
{
    char what[16];
    if (scan_eat(s, token))
        return true;
    size_t n = strlen(token);
    memcpy(what + 1, token, n);
    what[0] = what[n + 1] = '\'';
    what[n + 2] = '\0';
    return scan_unexpected(s, what);
}

bool scan_enter(ptir_scan *s)
{
    if (++s->depth <= s->m->cx->limits.nesting)
        return !s->failed;
    return scan_fail(s, DIAG_LimitExceeded, scan_here(s), "nested deeper than %" PRIu32 " level%s",
                     s->m->cx->limits.nesting, plural(s->m->cx->limits.nesting));
}

bool scan_word(ptir_scan *s, ptir_word_text *out)
{
    return scan_word_for(s, "a name", out);
}

bool scan_word_for(ptir_scan *s, const char *what, ptir_word_text *out)
{
    span where = scan_here(s);
    if (s->failed || !is_word_byte(*s->at))
        return scan_unexpected(s, what);
    *out = (ptir_word_text){s->at, where.length, where};
    s->at += where.length;
    return true;
}

bool scan_eat_word(ptir_scan *s, const char *word)
{
    span where = scan_here(s);
    size_t n = strlen(word);
    if (s->failed || where.length != n || memcmp(s->at, word, n) != 0)
        return false;
    s->at += n;
    return true;
}

bool ptir_same_word(const char *a, size_t n_a, const char *b, size_t n_b)
{
    size_t i = 0, k = 0;
    for (;;) {
        i += i < n_a && a[i] == '_';
        k += k < n_b && b[k] == '_';
        if (i == n_a || k == n_b)
            return i == n_a && k == n_b;
        char x = a[i++], y = b[k++];
        if ((x >= 'A' && x <= 'Z' ? x + 32 : x) != (y >= 'A' && y <= 'Z' ? y + 32 : y))
            return false;
    }
}

/* ---- numbers ------------------------------------------------------------------------------- */

/* Does the number that was read up to s->at end there? */
static bool ends_number(const ptir_scan *s)
{
    return !((*s->at >= '0' && *s->at <= '9') || *s->at == '.');
}

bool scan_i64(ptir_scan *s, int64_t *out)
{
    span where = scan_here(s);
    decimal_result r = decimal_read_i64(s->at, (size_t)(s->end - s->at), out);
    if (s->failed || r.length == 0)
        return scan_unexpected(s, "an integer");
    s->at += r.length;
    if (r.overflow || !ends_number(s))
        return scan_fail(s, DIAG_InvalidNumber, where, "expected an integer that fits 64 bits");
    return true;
}

bool scan_size(ptir_scan *s, int64_t *out)
{
    span where = scan_here(s);
    if (!scan_i64(s, out))
        return false;
    if (*out < 0)
        scan_fault(s, DIAG_InvalidAttribute, where, "%" PRId64 " is negative", *out);
    return true;
}

bool scan_u64(ptir_scan *s, uint64_t *out)
{
    span where = scan_here(s);
    decimal_result r = decimal_read_u64(s->at, (size_t)(s->end - s->at), out);
    if (s->failed || r.length == 0)
        return scan_unexpected(s, "an integer that is not negative");
    s->at += r.length;
    if (r.overflow || !ends_number(s))
        return scan_fail(s, DIAG_InvalidNumber, where, "expected an integer that fits 64 bits");
    return true;
}

bool scan_u32(ptir_scan *s, uint32_t *out)
{
    span where = scan_here(s);
    uint64_t wide;
    if (!scan_u64(s, &wide))
        return false;
    *out = (uint32_t)wide;
    return wide <= UINT32_MAX ||
           scan_fail(s, DIAG_InvalidNumber, where, "expected a number of 32 bits");
}

bool scan_f64(ptir_scan *s, double *out)
{
    span where = scan_here(s);
    if (scan_eat(s, "-inf") || scan_eat_word(s, "inf")) {
        *out = s->m->source.text[where.at] == '-' ? -(double)INFINITY : (double)INFINITY;
        return true;
    }
    if (scan_eat_word(s, "nan") || scan_eat_word(s, "NaN")) {
        *out = (double)NAN;
        return true;
    }
    uint64_t bits;
    decimal_result r = decimal_read(format_f64, s->at, (size_t)(s->end - s->at), &bits);
    if (s->failed || r.length == 0)
        return scan_unexpected(s, "a number");
    memcpy(out, &bits, sizeof bits);
    s->at += r.length;
    if (r.overflow)
        return scan_fail(s, DIAG_InvalidNumber, scan_from(s, s->m->source.text + where.at),
                         "this number is too large for f64; infinity is written as inf");
    return true;
}

bool scan_bool(ptir_scan *s, bool *out)
{
    *out = scan_eat_word(s, "true");
    return *out || scan_eat_word(s, "false") || scan_unexpected(s, "true or false");
}

/* ---- texts --------------------------------------------------------------------------------- */

bool scan_string(ptir_scan *s, const char **out)
{
    json_text text;
    if (!scan_at(s, "\""))
        return scan_unexpected(s, "a quoted string");
    s->strings.at = s->at;
    if (!json_string(&s->strings, &text)) {
        s->no_memory = s->strings.no_memory;
        s->failed = true; /* and that was reported */
        return false;
    }
    s->at = s->strings.at;
    if (memchr(text.at, '\0', text.n))
        return scan_fail(s, DIAG_InvalidCharacter, text.where, "U+0000 cannot stand in a name");
    *out = module_string(s->m, text.at, text.n);
    return *out || scan_no_memory(s);
}

bool scan_variant(ptir_scan *s, const char *words, const char *what, uint32_t *index)
{
    ptir_word_text word;
    size_t n;
    if (!scan_word(s, &word))
        return false;
    for (uint32_t i = 0;; i++) {
        const char *known = ptir_word(words, i, &n);
        if (n == 0)
            break;
        if (ptir_same_word(known, n, word.at, word.n)) {
            *index = i;
            return true;
        }
    }
    suggestion like;
    suggest_begin(&like, word.at, word.n);
    ptir_suggest_words(&like, words, true);
    (void)scan_fail(s, DIAG_SyntaxError, word.where, "'%.*s' is not %s, which is one of: %s",
                    word.n > 60 ? 60 : (int)word.n, word.at, what, words);
    suggest_fix(&like, &s->m->cx->diag, word.where, "");
    return false;
}

bool scan_dtype(ptir_scan *s, tn_dtype *out)
{
    ptir_word_text word;
    if (!scan_word(s, &word))
        return false;
    for (int d = 0; d < TN_DTYPE_COUNT; d++) {
        const char *name = dtype_name((tn_dtype)d);
        if (ptir_same_word(name, strlen(name), word.at, word.n)) {
            *out = (tn_dtype)d;
            return true;
        }
    }
    const bool is_extent = word.n > 0 && word.at[0] >= '0' && word.at[0] <= '9';
    return scan_fail(s, DIAG_UnknownDType, word.where, "there is no dtype '%.*s'%s",
                     word.n > 60 ? 60 : (int)word.n, word.at,
                     is_extent ? "; extents stand behind it: tensor<f32, 2x3>" : "");
}
