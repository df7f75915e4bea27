/* A pull reader for JSON (RFC 8259) with exact places: the caller asks for what it expects.
 *
 *     json_text key;
 *     if (json_object(&j))
 *         while (json_member(&j, &key))
 *             if (json_is(key, "name"))
 *                 json_string(&j, &name);
 *             else
 *                 json_skip(&j);
 *
 * The first error is reported and makes every later call return false; check json_ok at the end. */
#ifndef BASE_TEXT_JSON_H
#define BASE_TEXT_JSON_H

#include "base/context/context.h"
#include "base/memory/hash.h"

typedef enum json_kind {
    JSON_NONE, /* end of text, or something that starts no value */
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} json_kind;

/* A decoded string: borrowed from the source, or in the arena when it had escapes. */
typedef struct json_text {
    const char *at;
    size_t n;
    span where; /* with its quotes */
} json_text;

typedef struct json_number {
    span where;
    bool is_integer; /* no fraction and no exponent */
    bool fits_i64, fits_u64;
    int64_t i;  /* when fits_i64 */
    uint64_t u; /* when fits_u64 */
    double f;   /* always; infinite when out of range */
} json_number;

typedef struct json_frame {
    span open;
    uint32_t n_items;
    uint32_t first_key; /* of an object, in `keys` */
    uint32_t serial;    /* tells its keys from those of other objects in the index */
    bool is_object;
    bool is_wide; /* its keys are in the index */
} json_frame;

typedef struct json {
    context *cx;
    const source *src;
    arena *strings;
    const char *at; /* next byte */
    const char *end;
    bool relaxed; /* comments and trailing commas are allowed */
    bool failed;
    bool no_memory; /* that is why it failed */
    VECTOR(json_frame) frames;
    VECTOR(json_text) keys; /* of the objects that are open */
    hash_index wide_keys;   /* of open objects that have become large */
    uint32_t n_wide;        /* such objects */
    uint32_t n_frames;      /* entered so far */
} json;

/* Read SRC, whose text must be followed by a NUL byte; text that is not UTF-8 is an error. Decoded
 * strings go to STRINGS. */
void json_init(json *j, context *cx, const source *src, arena *strings, bool relaxed);
void json_release(json *j);
static inline bool json_ok(const json *j)
{
    return !j->failed;
}

/* What a reader returns at the end. */
static inline tn_status json_status(const json *j)
{
    return !j->failed ? TN_OK : j->no_memory ? TN_ERR_NOMEM : TN_ERR_REJECTED;
}

/* What the next value is; JSON_NONE at a closing bracket, at the end, and after an error. */
json_kind json_peek(json *j);
/* The place of the next token. */
span json_here(json *j);

/* Enter an object; then each json_member moves to the next value, false after the last. Repeated
 * keys are an error. The value must be read or skipped before the next call. */
bool json_object(json *j);
bool json_member(json *j, json_text *key);
bool json_array(json *j);
bool json_element(json *j);

bool json_string(json *j, json_text *out);
bool json_number_any(json *j, json_number *out);
bool json_i64(json *j, int64_t *out);
bool json_u64(json *j, uint64_t *out);
bool json_bool(json *j, bool *out);
/* Consume a null if one is next. */
bool json_null(json *j);
/* Any value, checked for well-formedness. */
bool json_skip(json *j);
/* Nothing but white space is left. */
bool json_finish(json *j);

/* An array of integers 0..255, in MEMORY. Fast: large constants come this way. */
bool json_bytes(json *j, arena *memory, const void **out, size_t *n);

static inline bool json_is(json_text t, const char *word)
{
    size_t n = strlen(word);
    return t.n == n && memcmp(t.at, word, n) == 0;
}

/* Where the reader stands, such as `functions[0].body[3]`, in ARENA; "" outside everything. */
const char *json_path(const json *j, arena *memory);

/* Report that EXPECTED does not stand here, but what does. Always false. */
bool json_unexpected(json *j, const char *expected);
/* Report that there is no memory and stop reading. Always false. */
bool json_no_memory(json *j);
/* Report an error at WHERE and stop reading. The message ends with the path. Always false. */
bool json_fail(json *j, diag_kind kind, span where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
