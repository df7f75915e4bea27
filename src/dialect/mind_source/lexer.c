/* Text to tokens. */
#include <string.h>

#include "base/text/chars.h"
#include "base/text/utf8.h"
#include "dialect/mind_source/surface.h"

/* In the order of token_kind. */
static const char *const keywords[] = {"fn",     "let",    "type",  "struct", "trait",  "if",
                                       "else",   "match",  "while", "for",    "return", "defer",
                                       "import", "export", "where", "true",   "false"};
/* Two-character operators before their beginnings, in the order of token_kind. */
static const char *const operators[] = {
    "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=", "->", "=>",
    ":=", "::", "+",  "-",  "*",  "/",  "%",  "<",  ">",  "!",  "=",  ".",
    "@",  "^",  "|",  "(",  ")",  "{",  "}",  "[",  "]",  ",",  ";",  ":"};

enum {
    N_KEYWORDS = sizeof keywords / sizeof keywords[0],
    N_OPERATORS = sizeof operators / sizeof operators[0]
};
_Static_assert(T_FN + (int)N_KEYWORDS == T_EQUAL, "one token a keyword");
_Static_assert(T_EQUAL + (int)N_OPERATORS == T_COLON + 1, "one token an operator");

typedef struct scanner {
    surface *s;
    const char *text;
    size_t at, end;
    bool newline;
} scanner;

static char byte_at(const scanner *c, size_t at)
{
    return at < c->end ? c->text[at] : '\0';
}

static span from(const scanner *c, size_t begin)
{
    return (span){(uint32_t)begin, (uint32_t)(c->at - begin)};
}

static void push(scanner *c, token_kind kind, size_t begin)
{
    token t = {.kind = (uint8_t)kind, .after_newline = c->newline, .at = from(c, begin)};
    c->newline = false;
    if (!VECTOR_PUSH(c->s->m->allocator, &c->s->tokens, t))
        surface_no_memory(c->s);
}

/* ---- white space and comments ---- */

static void skip_block_comment(scanner *c)
{
    size_t begin = c->at, depth = 0;
    do {
        if (byte_at(c, c->at) == '/' && byte_at(c, c->at + 1) == '*') {
            depth++;
            c->at += 2;
        } else if (byte_at(c, c->at) == '*' && byte_at(c, c->at + 1) == '/') {
            depth--;
            c->at += 2;
        } else {
            c->newline = c->newline || c->text[c->at] == '\n';
            c->at++;
        }
    } while (depth && c->at < c->end);
    if (c->at > c->end)
        c->at = c->end;
    if (depth == 0)
        return;
    c->s->is_cut = true;
    surface_report(c->s, DIAG_UnterminatedComment, (span){(uint32_t)begin, 2},
                   "the block comment that starts here is not closed");
}

static void skip_blanks(scanner *c)
{
    for (; c->at < c->end; c->at++) {
        char b = c->text[c->at];
        if (b == '\n' || b == '\r') {
            c->newline = true;
        } else if (b == '/' && byte_at(c, c->at + 1) == '/') {
            while (c->at + 1 < c->end && c->text[c->at + 1] != '\n' && c->text[c->at + 1] != '\r')
                c->at++;
        } else if (b == '/' && byte_at(c, c->at + 1) == '*') {
            skip_block_comment(c);
            c->at--;
        } else if (b != ' ' && b != '\t' && b != '\f' && b != '\v') {
            return;
        }
    }
}

/* ---- numbers ---- */

static bool in_base(char c, unsigned base)
{
    unsigned digit = char_is_digit(c)       ? (unsigned)(c - '0')
                     : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                     : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                            : 99;
    return digit < base;
}

/* Past digits of BASE with `_` between or after them; false without a digit. */
static bool digits(const char *text, size_t n, size_t *at, unsigned base)
{
    size_t begin = *at;
    while (*at < n && (in_base(text[*at], base) || (text[*at] == '_' && *at > begin)))
        (*at)++;
    return *at > begin && text[*at - 1] != '_';
}

static unsigned base_of(const char *text, size_t n)
{
    if (n < 2 || text[0] != '0')
        return 10;
    return text[1] == 'x' ? 16 : text[1] == 'o' ? 8 : text[1] == 'b' ? 2 : 10;
}

/* Does all of TEXT follow the grammar of numbers? */
static bool is_number(const char *text, size_t n)
{
    unsigned base = base_of(text, n);
    size_t at = base == 10 ? 0 : 2;
    if (!digits(text, n, &at, base))
        return false;
    if (base != 10)
        return at == n;
    if (at < n && text[at] == '.') {
        at++;
        if (!digits(text, n, &at, 10))
            return false;
    }
    if (at < n && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        at += at < n && (text[at] == '+' || text[at] == '-');
        if (!digits(text, n, &at, 10))
            return false;
    }
    return at == n;
}

/* All that could be meant to belong to the number: letters, digits, points before digits, and the
 * sign of an exponent. */
static void scan_number(scanner *c)
{
    size_t begin = c->at;
    bool hex = base_of(c->text + begin, c->end - begin) == 16;
    for (; c->at < c->end; c->at++) {
        char b = c->text[c->at], before = c->at > begin ? c->text[c->at - 1] : '\0';
        bool sign = (b == '+' || b == '-') && !hex && (before == 'e' || before == 'E');
        bool point = b == '.' && (char_is_digit(byte_at(c, c->at + 1)) ||
                                  !char_is_letter(byte_at(c, c->at + 1)));
        if (!char_is_digit(b) && !char_is_letter(b) && !sign && !point)
            break;
    }
    span at = from(c, begin);
    if (is_number(c->text + begin, at.length)) {
        push(c, T_NUMBER, begin);
        return;
    }
    surface_report(c->s, DIAG_InvalidNumber, at,
                   "'%.*s' is no number; numbers are written as 12, 0x1f, 0.5 or 2.5e-3",
                   at.length < 60 ? (int)at.length : 60, c->text + begin);
    push(c, T_BAD, begin);
}

static bool read_based(const char *text, size_t n, unsigned base, uint64_t *out)
{
    *out = 0;
    for (size_t i = base == 10 ? 0 : 2; i < n; i++) {
        if (text[i] == '_')
            continue;
        unsigned digit = char_is_digit(text[i]) ? (unsigned)(text[i] - '0')
                                                : (unsigned)((text[i] | 32) - 'a') + 10;
        if (__builtin_mul_overflow(*out, (uint64_t)base, out) ||
            __builtin_add_overflow(*out, (uint64_t)digit, out))
            return false;
    }
    return true;
}

void surface_number(surface *s, span at, number *out)
{
    const char *text = surface_text(s, at);
    unsigned base = base_of(text, at.length);
    *out = (number){0};
    out->is_int = base != 10 || (!memchr(text, '.', at.length) && !memchr(text, 'e', at.length) &&
                                 !memchr(text, 'E', at.length));
    if (out->is_int) {
        if (!read_based(text, at.length, base, &out->magnitude))
            surface_report(s, DIAG_InvalidNumber, at, "'%.*s' is beyond the range of integers",
                           at.length < 60 ? (int)at.length : 60, text);
        out->f32 = (float)out->magnitude;
        out->f64 = (double)out->magnitude;
        return;
    }
    char *plain = arena_alloc(&s->memory, at.length);
    size_t n = 0;
    uint64_t bits32 = 0, bits64 = 0;
    if (!plain) {
        surface_no_memory(s);
        return;
    }
    for (uint32_t i = 0; i < at.length; i++)
        if (text[i] != '_')
            plain[n++] = text[i];
    (void)decimal_read(format_f32, plain, n, &bits32);
    if (decimal_read(format_f64, plain, n, &bits64).overflow)
        surface_report(s, DIAG_InvalidNumber, at, "'%.*s' is beyond the range of f64",
                       at.length < 60 ? (int)at.length : 60, text);
    uint32_t narrow = (uint32_t)bits32;
    memcpy(&out->f32, &narrow, sizeof narrow);
    memcpy(&out->f64, &bits64, sizeof bits64);
}

/* ---- strings ---- */

/* The code point of `\u{hex}` whose `{` is at *AT, which moves behind `}`; false when it is none.
 */
static bool read_unicode(const char *text, size_t end, size_t *at, uint32_t *code)
{
    size_t i = *at, begin = i + 1;
    char ignored[4];
    *code = 0;
    if (i >= end || text[i] != '{')
        return false;
    for (i++; i < end && in_base(text[i], 16) && i - begin < 7; i++)
        *code = *code * 16 + (char_is_digit(text[i]) ? (uint32_t)(text[i] - '0')
                                                     : (uint32_t)((text[i] | 32) - 'a') + 10);
    *at = i;
    if (i == begin || i >= end || text[i] != '}' || utf8_encode(*code, ignored) == 0)
        return false;
    *at = i + 1;
    return true;
}

static void scan_escape(scanner *c)
{
    size_t begin = c->at++;
    char b = byte_at(c, c->at);
    uint32_t code;
    if (c->at < c->end && b != '\n' && b != '\r')
        c->at++;
    if (b && strchr("nrt\\\"0", b))
        return;
    if (b == 'u' && read_unicode(c->text, c->end, &c->at, &code))
        return;
    size_t n = c->at - begin;
    surface_report(c->s, DIAG_InvalidEscape, (span){(uint32_t)begin, (uint32_t)n},
                   "the escape sequence '%.*s' is not known", n < 12 ? (int)n : 12,
                   c->text + begin);
}

static void scan_string(scanner *c)
{
    size_t begin = c->at++;
    uint32_t errors = surface_errors(c->s);
    while (c->at < c->end && c->text[c->at] != '"' && c->text[c->at] != '\n' &&
           c->text[c->at] != '\r') {
        if (c->text[c->at] == '\\')
            scan_escape(c);
        else
            c->at++;
    }
    if (byte_at(c, c->at) == '"' && c->at < c->end) {
        c->at++;
        push(c, surface_errors(c->s) == errors ? T_STRING : T_BAD, begin);
        return;
    }
    surface_report(c->s, DIAG_UnterminatedString, from(c, begin),
                   "the string that starts here is not closed on its line");
    c->s->is_cut = c->at == c->end;
    push(c, T_BAD, begin);
}

const char *surface_string(surface *s, span at, size_t *n)
{
    static const char from_escape[] = "nrt\\\"0", to_byte[] = "\n\r\t\\\"";
    const char *text = surface_text(s, at);
    char *out = arena_alloc(&s->memory, at.length + 4U);
    *n = 0;
    if (!out) {
        surface_no_memory(s);
        return "";
    }
    for (size_t i = 1; i + 1 < at.length; i++) {
        uint32_t code;
        if (text[i] != '\\') {
            out[(*n)++] = text[i];
        } else if (text[++i] == 'u') {
            size_t behind = i + 1;
            if (read_unicode(text, at.length, &behind, &code))
                *n += utf8_encode(code, out + *n);
            i = behind - 1;
        } else {
            const char *known = strchr(from_escape, text[i]);
            out[(*n)++] = known ? to_byte[known - from_escape] : text[i];
        }
    }
    return out;
}

/* ---- everything ---- */

static size_t letter_at(const scanner *c, size_t at)
{
    uint32_t code;
    if (at >= c->end)
        return 0;
    if (char_is_letter(c->text[at]) || char_is_digit(c->text[at]))
        return 1;
    size_t n = utf8_decode(c->text + at, c->end - at, &code);
    return n > 1 && utf8_is_letter(code) ? n : 0;
}

static void scan_word(scanner *c)
{
    size_t begin = c->at, n;
    while ((n = letter_at(c, c->at)) != 0)
        c->at += n;
    n = c->at - begin;
    for (int i = 0; i < N_KEYWORDS; i++)
        if (strlen(keywords[i]) == n && memcmp(keywords[i], c->text + begin, n) == 0) {
            push(c, (token_kind)(T_FN + i), begin);
            return;
        }
    push(c, T_NAME, begin);
}

static bool scan_operator(scanner *c)
{
    for (int i = 0; i < N_OPERATORS; i++) {
        size_t n = strlen(operators[i]);
        if (c->end - c->at >= n && memcmp(operators[i], c->text + c->at, n) == 0) {
            c->at += n;
            push(c, (token_kind)(T_EQUAL + i), c->at - n);
            return true;
        }
    }
    return false;
}

static void scan_token(scanner *c)
{
    char b = c->text[c->at];
    size_t begin = c->at;
    uint32_t code;
    if (char_is_digit(b)) {
        scan_number(c);
    } else if (b == '"') {
        scan_string(c);
    } else if (letter_at(c, c->at)) {
        scan_word(c);
    } else if (!scan_operator(c)) {
        size_t n = utf8_decode(c->text + c->at, c->end - c->at, &code);
        c->at += n ? n : 1;
        surface_report(c->s, DIAG_InvalidCharacter, from(c, begin),
                       "the character U+%04" PRIX32 " cannot stand in a program", n ? code : 0);
        push(c, T_BAD, begin);
    }
}

void surface_scan(surface *s)
{
    scanner c = {.s = s, .text = s->m->source.text, .end = s->m->source.length, .newline = true};
    size_t bad = utf8_invalid_at(c.text, c.end);
    if (bad < c.end) {
        char hex[16] = "";
        for (size_t i = 0, n = 0; i < 4 && bad + i < c.end; i++) {
            static const char nibble[] = "0123456789abcdef";
            unsigned char b = (unsigned char)c.text[bad + i];
            if (i)
                hex[n++] = ' ';
            hex[n++] = nibble[b >> 4];
            hex[n++] = nibble[b & 15];
        }
        surface_report(s, DIAG_InvalidUtf8, (span){(uint32_t)bad, 1},
                       "the text is not UTF-8 at byte %zu: %s", bad, hex);
        s->status = TN_ERR_REJECTED;
        return;
    }
    c.at = source_mark_length(c.text, c.end);
    for (skip_blanks(&c); c.at < c.end && !surface_stopped(s); skip_blanks(&c))
        scan_token(&c);
    push(&c, T_END, c.at);
}
