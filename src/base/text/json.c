/* A pull reader for JSON with exact places. */
#include "base/text/json.h"

#include <inttypes.h>

#include "base/text/decimal.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

/* Objects with more keys than this are checked for repeats through an index. */
enum { FEW_KEYS = 16 };

void json_init(json *j, context *cx, const source *src, arena *strings, bool relaxed)
{
    *j = (json){.cx = cx,
                .src = src,
                .strings = strings,
                .at = src->text + source_mark_length(src->text, src->length),
                .end = src->text + src->length,
                .relaxed = relaxed};
    size_t bad = utf8_invalid_at(src->text, src->length);
    if (bad < src->length)
        (void)json_fail(j, DIAG_InvalidUtf8, (span){(uint32_t)bad, 1},
                        "the text is not UTF-8: byte %zu is 0x%02x", bad,
                        (unsigned)(unsigned char)src->text[bad]);
}

void json_release(json *j)
{
    const tn_allocator *a = &j->cx->allocator;
    VECTOR_RELEASE(a, &j->frames);
    VECTOR_RELEASE(a, &j->keys);
    hash_release(a, &j->wide_keys);
}

static span span_at(const json *j, const char *from, size_t n)
{
    return (span){(uint32_t)(from - j->src->text), (uint32_t)n};
}

/* The key that an open object stands at, or an empty text before the first. */
static json_text current_key(const json *j, uint32_t frame)
{
    uint32_t next = frame + 1 < j->frames.n ? j->frames.at[frame + 1].first_key : j->keys.n;
    return next > j->frames.at[frame].first_key ? j->keys.at[next - 1]
                                                : (json_text){"", 0, NO_SPAN};
}

const char *json_path(const json *j, arena *memory)
{
    const char *path = "";
    for (uint32_t i = 0; i < j->frames.n && path; i++) {
        const json_frame *frame = &j->frames.at[i];
        if (frame->n_items == 0)
            break;
        json_text key = frame->is_object ? current_key(j, i) : (json_text){"", 0, NO_SPAN};
        if (!frame->is_object)
            path = arena_printf(memory, "%s[%u]", path, frame->n_items - 1);
        else if (key.n)
            path = arena_printf(memory, "%s%s%.*s", path, *path ? "." : "",
                                key.n > 60 ? 60 : (int)key.n, key.at);
    }
    return path ? path : "";
}

bool json_fail(json *j, diag_kind kind, span where, const char *format, ...)
{
    if (j->failed)
        return false;
    arena memory;
    arena_init(&memory, &j->cx->allocator);
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(&memory, format, args);
    va_end(args);
    const char *path = json_path(j, &memory);
    (void)diag_report(&j->cx->diag, kind, j->src, where, "%s%s%s", message ? message : format,
                      *path ? ", in " : "", path);
    arena_release(&memory);
    j->failed = true;
    return false;
}

bool json_no_memory(json *j)
{
    if (!j->failed) {
        (void)diag_no_memory(&j->cx->diag);
        j->no_memory = true;
    }
    j->failed = true;
    return false;
}

static void skip_comment(json *j)
{
    const char *from = j->at;
    if (from[1] == '/') {
        const char *eol = memchr(from, '\n', (size_t)(j->end - from));
        j->at = eol ? eol + 1 : j->end;
        return;
    }
    for (const char *p = from + 2; (p = memchr(p, '*', (size_t)(j->end - p))) != NULL; p++)
        if (p[1] == '/') {
            j->at = p + 2;
            return;
        }
    (void)json_fail(j, DIAG_UnterminatedComment, span_at(j, from, 2),
                    "block comment without its end");
    j->at = j->end;
}

static void skip_space(json *j)
{
    for (;;) {
        while (*j->at == ' ' || *j->at == '\n' || *j->at == '\t' || *j->at == '\r')
            j->at++;
        if (!j->relaxed || *j->at != '/' || (j->at[1] != '/' && j->at[1] != '*'))
            return;
        skip_comment(j);
    }
}

/* Is the next byte C? It is consumed. */
static bool eat(json *j, char c)
{
    skip_space(j);
    if (j->failed || *j->at != c || j->at >= j->end)
        return false;
    j->at++;
    return true;
}

static size_t token_length(const json *j)
{
    size_t n = 0;
    const char *p = j->at;
    while (p + n < j->end && ((p[n] >= '0' && p[n] <= '9') || (p[n] >= 'a' && p[n] <= 'z') ||
                              (p[n] >= 'A' && p[n] <= 'Z') || p[n] == '_' || p[n] == '-' ||
                              p[n] == '+' || p[n] == '.'))
        n++;
    if (n == 0 && p < j->end) {
        uint32_t code;
        n = utf8_decode(p, (size_t)(j->end - p), &code);
    }
    return n ? n : p < j->end;
}

span json_here(json *j)
{
    skip_space(j);
    return span_at(j, j->at, token_length(j));
}

bool json_unexpected(json *j, const char *expected)
{
    const span where = json_here(j);
    const char *value = where.length == 0 ? "the end of the text"
                        : *j->at == '"'   ? "a string"
                        : *j->at == '['   ? "an array"
                        : *j->at == '{'   ? "an object"
                                          : NULL;
    if (value)
        return json_fail(j, DIAG_SyntaxError, where, "expected %s, found %s", expected, value);
    uint32_t code = 0;
    if (utf8_decode(j->at, (size_t)(j->end - j->at), &code) > 0 && utf8_is_hidden(code))
        return json_fail(j, DIAG_SyntaxError, where,
                         "expected %s, found the character U+%04" PRIX32, expected, code);
    return json_fail(j, DIAG_SyntaxError, where, "expected %s, found '%.*s'", expected,
                     where.length > 40 ? 40 : (int)where.length, j->at);
}

json_kind json_peek(json *j)
{
    skip_space(j);
    if (j->failed)
        return JSON_NONE;
    switch (*j->at) {
    case '{':
        return JSON_OBJECT;
    case '[':
        return JSON_ARRAY;
    case '"':
        return JSON_STRING;
    case 't':
    case 'f':
        return JSON_BOOL;
    case 'n':
        return JSON_NULL;
    default:
        return *j->at == '-' || (*j->at >= '0' && *j->at <= '9') ? JSON_NUMBER : JSON_NONE;
    }
}

static bool enter(json *j, char open, const char *expected)
{
    if (!eat(j, open))
        return json_unexpected(j, expected);
    if (j->frames.n >= j->cx->limits.nesting)
        return json_fail(j, DIAG_LimitExceeded, span_at(j, j->at - 1, 1),
                         "nested deeper than %u level%s", j->cx->limits.nesting,
                         plural(j->cx->limits.nesting));
    json_frame frame = {.open = span_at(j, j->at - 1, 1),
                        .first_key = j->keys.n,
                        .serial = j->n_frames++,
                        .is_object = open == '{'};
    return VECTOR_PUSH(&j->cx->allocator, &j->frames, frame) || json_no_memory(j);
}

bool json_object(json *j)
{
    return enter(j, '{', "an object");
}

bool json_array(json *j)
{
    return enter(j, '[', "an array");
}

static void leave(json *j)
{
    json_frame *frame = &j->frames.at[j->frames.n - 1];
    /* The index is emptied with the last wide object; a large one is freed, so that the next few
     * keys do not pay for clearing it. */
    if (frame->is_wide && --j->n_wide == 0) {
        if (j->wide_keys.cap > 64 * FEW_KEYS)
            hash_release(&j->cx->allocator, &j->wide_keys);
        else
            hash_clear(&j->wide_keys);
    }
    j->keys.n = frame->first_key;
    j->frames.n--;
}

/* Move to the next item of the innermost bracket; false, having left it, at CLOSE. */
static bool next_item(json *j, char close, const char *expected)
{
    if (j->failed)
        return false;
    json_frame *frame = &j->frames.at[j->frames.n - 1];
    if (eat(j, close)) {
        leave(j);
        return false;
    }
    if (frame->n_items++ > 0) {
        if (!eat(j, ','))
            return json_unexpected(j, expected);
        if (j->relaxed && eat(j, close)) {
            leave(j);
            return false;
        }
    }
    return !j->failed;
}

bool json_element(json *j)
{
    return next_item(j, ']', "',' or ']'");
}

static bool same_text(json_text a, json_text b)
{
    return a.n == b.n && memcmp(a.at, b.at, a.n) == 0;
}

static uint64_t key_hash(const json_frame *frame, json_text key)
{
    return hash_bytes(frame->serial, key.at, key.n);
}

static bool index_key(json *j, const json_frame *frame, uint32_t k)
{
    return hash_add(&j->cx->allocator, &j->wide_keys, key_hash(frame, j->keys.at[k]), k);
}

/* The earlier key equal to KEY in the innermost object, or NULL. Entries of objects that have been
 * left stay in the index; they are told apart by the range of keys. */
static const json_text *find_repeat(json *j, json_text key)
{
    const json_frame *frame = &j->frames.at[j->frames.n - 1];
    if (frame->is_wide) {
        uint64_t h = key_hash(frame, key);
        for (uint32_t p = hash_first(&j->wide_keys, h), k;
             (k = hash_at(&j->wide_keys, h, &p)) != HASH_NONE;)
            if (k >= frame->first_key && k < j->keys.n && same_text(j->keys.at[k], key))
                return &j->keys.at[k];
        return NULL;
    }
    for (uint32_t k = frame->first_key; k < j->keys.n; k++)
        if (same_text(j->keys.at[k], key))
            return &j->keys.at[k];
    return NULL;
}

static bool remember_key(json *j, json_text key)
{
    json_frame *frame = &j->frames.at[j->frames.n - 1];
    if (!VECTOR_PUSH(&j->cx->allocator, &j->keys, key))
        return json_no_memory(j);
    if (frame->is_wide)
        return index_key(j, frame, j->keys.n - 1) || json_no_memory(j);
    if (j->keys.n - frame->first_key <= FEW_KEYS)
        return true;
    frame->is_wide = true;
    j->n_wide++;
    for (uint32_t k = frame->first_key; k < j->keys.n; k++)
        if (!index_key(j, frame, k))
            return json_no_memory(j);
    return true;
}

bool json_member(json *j, json_text *key)
{
    if (!next_item(j, '}', "',' or '}'"))
        return false;
    if (json_peek(j) != JSON_STRING)
        return json_unexpected(j, "a key");
    if (!json_string(j, key))
        return false;
    const json_text *earlier = find_repeat(j, *key);
    if (earlier) {
        span first = earlier->where;
        (void)json_fail(j, DIAG_DuplicateKey, key->where, "the key '%.*s' stands twice",
                        key->n > 60 ? 60 : (int)key->n, key->at);
        diag_note(&j->cx->diag, j->src, first, "first here");
        return false;
    }
    if (!remember_key(j, *key))
        return false;
    return eat(j, ':') || json_unexpected(j, "':'");
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Four hexadecimal digits at P, or -1. */
static int32_t hex4(const char *p)
{
    int32_t code = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(p[i]); /* a NUL ends the text and is no digit */
        if (digit < 0)
            return -1;
        code = code * 16 + digit;
    }
    return code;
}

/* Decode the escape at *P (a backslash) into OUT; its bytes, or 0 when it is malformed. */
static size_t decode_escape(const char **p, char *out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = (*p)[1];
    const char *simple = c ? strchr(from, c) : NULL;
    if (simple) {
        *out = to[simple - from];
        *p += 2;
        return 1;
    }
    if (c != 'u')
        return 0;
    int32_t code = hex4(*p + 2);
    size_t used = 6;
    if (code >= 0xd800 && code < 0xdc00 && (*p)[6] == '\\' && (*p)[7] == 'u') {
        int32_t low = hex4(*p + 8);
        if (low < 0xdc00 || low > 0xdfff)
            return 0;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        used = 12;
    }
    size_t n = code < 0 ? 0 : utf8_encode((uint32_t)code, out);
    *p += n ? used : 0;
    return n;
}

static bool decode_string(json *j, const char *from, const char *close, json_text *out)
{
    char *text = arena_alloc_aligned(j->strings, (size_t)(close - from) + 4, 1);
    size_t n = 0;
    if (!text)
        return json_no_memory(j);
    for (const char *p = from; p < close;) {
        if (*p != '\\') {
            text[n++] = *p++;
            continue;
        }
        size_t wrote = decode_escape(&p, text + n);
        if (wrote == 0)
            return json_fail(j, DIAG_InvalidEscape, span_at(j, p, 2),
                             p[1] == 'u' ? "'%.2s' needs four hexadecimal digits, and two of these "
                                           "escapes for what has no character of its own"
                                         : "unknown escape '%.2s'",
                             p);
        n += wrote;
    }
    out->at = text;
    out->n = n;
    return true;
}

bool json_string(json *j, json_text *out)
{
    if (json_peek(j) != JSON_STRING)
        return json_unexpected(j, "a string");
    const char *open = j->at, *p = open + 1;
    bool escaped = false;
    while (*p != '"') {
        if ((unsigned char)*p < 0x20)
            return p < j->end && *p != '\n' && *p != '\r'
                       ? json_fail(j, DIAG_InvalidCharacter, span_at(j, p, 1),
                                   "control character in a string")
                       : json_fail(j, DIAG_UnterminatedString, span_at(j, open, 1),
                                   "string without its end");
        if (*p == '\\') {
            escaped = true;
            p += p[1] != '\0';
        }
        p++;
    }
    out->at = open + 1;
    out->n = (size_t)(p - open - 1);
    out->where = span_at(j, open, (size_t)(p + 1 - open));
    j->at = p + 1;
    return !escaped || decode_string(j, open + 1, p, out);
}

/* The length of the number at P by the grammar of JSON, or 0. */
static size_t scan_number(const char *p, bool *is_integer)
{
    const char *from = p;
    *is_integer = true;
    p += *p == '-';
    if (*p == '0')
        p++;
    else if (*p >= '1' && *p <= '9')
        while (*p >= '0' && *p <= '9')
            p++;
    else
        return 0;
    if (*p == '.') {
        *is_integer = false;
        if (p[1] < '0' || p[1] > '9')
            return 0;
        for (p++; *p >= '0' && *p <= '9';)
            p++;
    }
    if (*p == 'e' || *p == 'E') {
        *is_integer = false;
        p += 1 + (p[1] == '+' || p[1] == '-');
        if (*p < '0' || *p > '9')
            return 0;
        while (*p >= '0' && *p <= '9')
            p++;
    }
    return (size_t)(p - from);
}

bool json_number_any(json *j, json_number *out)
{
    if (json_peek(j) != JSON_NUMBER)
        return json_unexpected(j, "a number");
    span whole = json_here(j);
    size_t n = scan_number(j->at, &out->is_integer);
    if (n == 0 || n != whole.length)
        return json_fail(j, DIAG_InvalidNumber, whole, "malformed number '%.*s'",
                         whole.length > 40 ? 40 : (int)whole.length, j->at);
    uint64_t bits;
    (void)decimal_read(format_f64, j->at, n, &bits); /* infinite where it is too large */
    memcpy(&out->f, &bits, sizeof bits);
    out->where = whole;
    out->i = 0;
    out->u = 0;
    out->fits_i64 = out->is_integer && !decimal_read_i64(j->at, n, &out->i).overflow;
    out->fits_u64 =
        out->is_integer && *j->at != '-' && !decimal_read_u64(j->at, n, &out->u).overflow;
    j->at += n;
    return true;
}

/* The plain case of an integer without sign and of few digits; false when it is something else. */
static bool short_integer(json *j, uint64_t *out)
{
    skip_space(j);
    const char *p = j->at;
    uint64_t value = 0;
    int digits = 0;
    for (; digits < 18 && *p >= '0' && *p <= '9'; digits++)
        value = value * 10 + (uint64_t)(*p++ - '0');
    bool ends = *p == ',' || *p == ']' || *p == '}' || *p == '\n' || *p == ' ';
    if (digits == 0 || !ends || j->failed || (digits > 1 && *j->at == '0'))
        return false;
    *out = value;
    j->at = p;
    return true;
}

static bool bad_integer(json *j, span where, const char *expected)
{
    return json_fail(j, DIAG_InvalidNumber, where, "expected %s, found %.*s", expected,
                     where.length > 40 ? 40 : (int)where.length, j->src->text + where.at);
}

bool json_i64(json *j, int64_t *out)
{
    json_number number;
    uint64_t value;
    if (short_integer(j, &value)) {
        *out = (int64_t)value;
        return true;
    }
    if (!json_number_any(j, &number))
        return false;
    *out = number.i;
    return number.fits_i64 || bad_integer(j, number.where, "an integer that fits 64 bits");
}

bool json_u64(json *j, uint64_t *out)
{
    json_number number;
    if (short_integer(j, out))
        return true;
    if (!json_number_any(j, &number))
        return false;
    *out = number.u;
    return number.fits_u64 ||
           bad_integer(j, number.where, "a non-negative integer that fits 64 bits");
}

/* Consume the word if it is next and ends there. */
static bool eat_word(json *j, const char *word)
{
    size_t n = strlen(word);
    span here = json_here(j);
    if (j->failed || here.length != n || memcmp(j->at, word, n) != 0)
        return false;
    j->at += n;
    return true;
}

bool json_bool(json *j, bool *out)
{
    *out = eat_word(j, "true");
    return *out || eat_word(j, "false") || json_unexpected(j, "true or false");
}

bool json_null(json *j)
{
    return eat_word(j, "null");
}

/* One value or closing bracket at a time, so that depth costs no stack. */
bool json_skip(json *j)
{
    uint32_t base = j->frames.n;
    json_text text;
    json_number number;
    bool truth;
    do {
        switch (json_peek(j)) {
        case JSON_OBJECT:
            (void)json_object(j);
            break;
        case JSON_ARRAY:
            (void)json_array(j);
            break;
        case JSON_STRING:
            (void)json_string(j, &text);
            break;
        case JSON_NUMBER:
            (void)json_number_any(j, &number);
            break;
        case JSON_BOOL:
            (void)json_bool(j, &truth);
            break;
        case JSON_NULL:
            if (!json_null(j))
                (void)json_unexpected(j, "a value");
            break;
        case JSON_NONE:
            (void)json_unexpected(j, "a value");
            break;
        }
        /* Move to the next value inside what was entered, leaving what has ended. */
        while (!j->failed && j->frames.n > base &&
               !(j->frames.at[j->frames.n - 1].is_object ? json_member(j, &text) : json_element(j)))
            continue;
    } while (!j->failed && j->frames.n > base);
    return !j->failed;
}

bool json_finish(json *j)
{
    skip_space(j);
    return j->failed || j->at >= j->end ? !j->failed : json_unexpected(j, "the end of the text");
}

bool json_bytes(json *j, arena *memory, const void **out, size_t *n)
{
    if (!eat(j, '['))
        return json_unexpected(j, "an array of bytes");
    const char *close = memchr(j->at, ']', (size_t)(j->end - j->at));
    size_t commas = 0;
    for (const char *p = j->at; close && p < close; p++)
        commas += *p == ',';
    unsigned char *bytes = arena_alloc_aligned(memory, commas + 1, 64);
    if (!bytes)
        return json_no_memory(j);
    *out = bytes;
    *n = 0;
    if (eat(j, ']'))
        return true;
    for (;;) {
        skip_space(j);
        const char *p = j->at;
        uint32_t byte = 0;
        int digits = 0;
        for (; digits < 4 && *p >= '0' && *p <= '9'; digits++)
            byte = byte * 10 + (uint32_t)(*p++ - '0');
        if (digits == 0 || byte > 255 || (digits > 1 && *j->at == '0'))
            return digits && !j->failed
                       ? json_fail(j, DIAG_InvalidNumber, json_here(j), "a byte is 0 to 255")
                       : json_unexpected(j, "a byte");
        if (*n > commas) /* a bracket in a comment cut the count short */
            return json_unexpected(j, "']'");
        bytes[(*n)++] = (unsigned char)byte;
        j->at = p;
        if (*p == ',') { /* the common case needs no search for space */
            j->at++;
            continue;
        }
        if (eat(j, ','))
            continue;
        return eat(j, ']') || json_unexpected(j, "',' or ']'");
    }
}
