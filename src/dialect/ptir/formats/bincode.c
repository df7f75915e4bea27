/* Values in bincode. */
#include "dialect/ptir/formats/bincode.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text/utf8.h"

bool bincode_fail(bincode *r, diag_kind kind, const char *format, ...)
{
    char message[200];
    if (r->failed)
        return false;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    (void)diag_report(&r->m->cx->diag, kind, &r->m->source, NO_SPAN, "%s, at byte %zu", message,
                      (size_t)(r->at - r->m->source.text));
    r->failed = true;
    return false;
}

bool bincode_no_memory(bincode *r)
{
    if (!r->failed) {
        (void)module_no_memory(r->m);
        r->no_memory = true;
    }
    r->failed = true;
    return false;
}

bool bincode_take(bincode *r, void *to, size_t n)
{
    if (r->failed || (size_t)(r->end - r->at) < n) {
        (void)bincode_fail(r, DIAG_SyntaxError, "the data ends in the middle of a value");
        return false;
    }
    memcpy(to, r->at, n);
    r->at += n;
    return true;
}

bool bincode_u32(bincode *r, uint32_t *out)
{
    return bincode_take(r, out, 4);
}

bool bincode_u64(bincode *r, uint64_t *out)
{
    return bincode_take(r, out, 8);
}

bool bincode_f64(bincode *r, double *out)
{
    return bincode_take(r, out, 8);
}

bool bincode_bool(bincode *r, bool *out)
{
    unsigned char byte;
    if (!bincode_take(r, &byte, 1))
        return false;
    *out = byte != 0;
    return byte < 2 || bincode_fail(r, DIAG_SyntaxError, "%u is neither false nor true", byte);
}

bool bincode_index(bincode *r, int64_t *out)
{
    uint64_t wide = 0;
    if (!bincode_u64(r, &wide))
        return false;
    *out = (int64_t)wide;
    return wide <= INT64_MAX ||
           bincode_fail(r, DIAG_InvalidNumber, "%" PRIu64 " is beyond what is supported", wide);
}

bool bincode_length(bincode *r, size_t size, uint32_t *out)
{
    uint64_t n;
    if (!bincode_u64(r, &n))
        return false;
    *out = (uint32_t)n;
    return n <= (uint64_t)(r->end - r->at) / (size ? size : 1) ||
           bincode_fail(r, DIAG_SyntaxError,
                        "a list of %" PRIu64 " elements is longer than the data", n);
}

bool bincode_variant(bincode *r, uint32_t count, const char *what, uint32_t *out)
{
    return bincode_u32(r, out) &&
           (*out < count ||
            bincode_fail(r, DIAG_SyntaxError, "%" PRIu32 " is no variant of %s", *out, what));
}

static uint32_t count_words(const char *words)
{
    uint32_t n = 1;
    for (; *words; words++)
        n += *words == ' ';
    return n;
}

bool bincode_word(bincode *r, const char *words, uint32_t *out)
{
    const uint32_t n = count_words(words);
    if (!bincode_u32(r, out))
        return false;
    return *out < n ||
           bincode_fail(r, DIAG_SyntaxError, "%" PRIu32 " is no variant of the %" PRIu32 ": %s",
                        *out, n, words);
}

bool bincode_string(bincode *r, const char **out)
{
    uint32_t n;
    if (!bincode_length(r, 1, &n))
        return false;
    if (utf8_invalid_at(r->at, n) < n)
        return bincode_fail(r, DIAG_InvalidUtf8, "a text is not UTF-8");
    if (memchr(r->at, '\0', n))
        return bincode_fail(r, DIAG_InvalidCharacter, "U+0000 cannot stand in a name");
    *out = module_string(r->m, r->at, n);
    r->at += n;
    return *out || bincode_no_memory(r);
}

bool bincode_push(bincode *r, bincode_int_list *list, int64_t item)
{
    return PTIR_PUSH(r->memory, list, item) || bincode_no_memory(r);
}

bool bincode_ints(bincode *r, bincode_int_list *out)
{
    uint32_t n;
    if (!bincode_length(r, 8, &n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        int64_t number;
        if (!bincode_index(r, &number) || !bincode_push(r, out, number))
            return false;
    }
    return true;
}

bool bincode_ids(bincode *r, ptir_ids *out)
{
    uint32_t n, id;
    if (!bincode_length(r, 4, &n))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!bincode_u32(r, &id) || !(PTIR_PUSH(r->memory, out, id) || bincode_no_memory(r)))
            return false;
    return true;
}
