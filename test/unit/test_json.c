/* The JSON pull reader: values, places, paths, repeated keys, limits. */
#include "base/text/json.h"
#include "base/text/text.h"
#include "check.h"

/* The last diagnostic of a context. */
typedef struct seen {
    char kind[32], message[256];
    uint32_t line, column, n;
} seen;

static void note(void *user, const tn_diagnostic *d)
{
    seen *s = user;
    (void)snprintf(s->kind, sizeof s->kind, "%s", d->kind);
    (void)snprintf(s->message, sizeof s->message, "%s", d->message);
    s->line = d->place.line;
    s->column = d->place.column;
    s->n++;
}

typedef struct fixture {
    seen seen;
    context *cx;
    arena memory;
    source src;
    json j;
} fixture;

static void start(fixture *f, const char *text, bool relaxed)
{
    memset(f, 0, sizeof *f);
    tn_diagnostic_sink sink = {note, &f->seen};
    f->cx = context_new(NULL, &sink);
    arena_init(&f->memory, &f->cx->allocator);
    f->src = (source){.name = "t", .text = text, .length = strlen(text)};
    json_init(&f->j, f->cx, &f->src, &f->memory, relaxed);
}

static void stop(fixture *f)
{
    json_release(&f->j);
    arena_release(&f->memory);
    diag_flush(&f->cx->diag);
    context_free(f->cx);
}

/* Is TEXT, as a whole, one well-formed value? */
static bool is_valid(const char *text, bool relaxed)
{
    fixture f;
    start(&f, text, relaxed);
    bool ok = json_skip(&f.j) && json_finish(&f.j);
    CHECK(ok == (json_status(&f.j) == TN_OK));
    stop(&f);
    CHECK_INT(f.seen.n, ok ? 0 : 1);
    return ok;
}

static void test_grammar(void)
{
    static const char *const good[] = {"0",
                                       "-0",
                                       "1.5e-3",
                                       "[]",
                                       "{}",
                                       " [ 1 , 2 ] ",
                                       "{\"a\":{\"b\":[null,true,false]}}",
                                       "\"\\u00e4\\ud83d\\ude00\\n\"",
                                       "\xef\xbb\xbf[1]",
                                       "18446744073709551616",
                                       "1e999"};
    static const char *const bad[] = {"",
                                      "01",
                                      "1.",
                                      ".5",
                                      "-",
                                      "+1",
                                      "1e",
                                      "[1,]",
                                      "[1 2]",
                                      "{\"a\" 1}",
                                      "{\"a\":1,}",
                                      "{a:1}",
                                      "nul",
                                      "truex",
                                      "\"\\x\"",
                                      "\"\\ud800\"",
                                      "\"\n\"",
                                      "\"",
                                      "[",
                                      "{",
                                      "[}",
                                      "1 2",
                                      "\"\x01\"",
                                      "/* */ 1",
                                      "'a'",
                                      "{\"a\":1,\"a\":2}",
                                      "{\"a\":1,\"\\u0061\":2}",
                                      "]",
                                      "\"\\"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        if (!CHECK(is_valid(good[i], false)))
            printf("    %s\n", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (!CHECK(!is_valid(bad[i], false)))
            printf("    %s\n", bad[i]);
    CHECK(is_valid("// x\n[1, /* y */ 2,] // z", true));
    CHECK(is_valid("{\"a\": 1,}", true));
    CHECK(!is_valid("[,]", true));
    CHECK(!is_valid("[1] /* open", true));
}

static void test_numbers(void)
{
    fixture f;
    json_number n = {0};
    int64_t i = 0;
    uint64_t u = 0;
    start(&f,
          "[7, -7, 1e3, 9223372036854775808, 18446744073709551615, -9223372036854775808, 0.1,"
          "123456789012345678, 1234567890123456789]",
          false);
    CHECK(json_array(&f.j));
    CHECK(json_element(&f.j) && json_i64(&f.j, &i) && i == 7);
    CHECK(json_element(&f.j) && json_i64(&f.j, &i) && i == -7);
    CHECK(json_element(&f.j) && json_number_any(&f.j, &n) && !n.is_integer && n.f == 1000.0);
    CHECK(json_element(&f.j) && json_number_any(&f.j, &n) && !n.fits_i64 && n.fits_u64);
    CHECK(json_element(&f.j) && json_u64(&f.j, &u) && u == UINT64_MAX);
    CHECK(json_element(&f.j) && json_i64(&f.j, &i) && i == INT64_MIN);
    CHECK(json_element(&f.j) && json_number_any(&f.j, &n) && n.f == 0.1);
    CHECK(json_element(&f.j) && json_i64(&f.j, &i) && i == 123456789012345678);
    CHECK(json_element(&f.j) && json_u64(&f.j, &u) && u == 1234567890123456789);
    CHECK(!json_element(&f.j) && json_finish(&f.j));
    stop(&f);

    start(&f, "-1", false);
    CHECK(!json_u64(&f.j, &u));
    stop(&f);
    CHECK_TEXT(f.seen.kind, "InvalidNumber");
    start(&f, "9223372036854775808", false);
    CHECK(!json_i64(&f.j, &i));
    stop(&f);
    start(&f, "1.0", false);
    CHECK(!json_i64(&f.j, &i));
    stop(&f);
}

static void test_strings(void)
{
    fixture f;
    json_text t = {"", 0, NO_SPAN};
    start(&f, "[\"plain\", \"a\\tb\\u0041\\u00e4\\ud83d\\ude00\"]", false);
    CHECK(json_array(&f.j) && json_element(&f.j) && json_string(&f.j, &t));
    CHECK(json_is(t, "plain") && t.at == f.src.text + 2); /* not copied */
    CHECK(json_element(&f.j) && json_string(&f.j, &t));
    CHECK(json_is(t, "a\tbA\xc3\xa4\xf0\x9f\x98\x80"));
    stop(&f);
}

static void test_places(void)
{
    fixture f;
    start(&f, "{\"f\": [{\"b\": [1, 2]},\n {\"b\": [1, \xc3\xa4]}]}", false);
    CHECK(!json_skip(&f.j));
    stop(&f);
    CHECK_TEXT(f.seen.kind, "SyntaxError");
    CHECK_INT(f.seen.line, 2);
    CHECK_INT(f.seen.column, 12);
    CHECK(strstr(f.seen.message, "in f[1].b[1]") != NULL);

    json_text key;
    int64_t i;
    start(&f, "{\"a\": {\"b\": \"x\"}}", false);
    CHECK(json_object(&f.j) && json_member(&f.j, &key) && json_object(&f.j));
    CHECK(json_member(&f.j, &key) && !json_i64(&f.j, &i));
    CHECK(!json_member(&f.j, &key) && !json_skip(&f.j) && !json_finish(&f.j)); /* it stays so */
    stop(&f);
    CHECK(strstr(f.seen.message, "in a.b") != NULL);
    CHECK_INT(f.seen.n, 1);
}

static void test_bytes(void)
{
    fixture f;
    const void *bytes;
    size_t n;
    start(&f, "[0, 255,\n  7,8 , 90 ]", false);
    CHECK(json_bytes(&f.j, &f.memory, &bytes, &n) && json_finish(&f.j));
    CHECK_INT(n, 5);
    CHECK(memcmp(bytes, "\x00\xff\x07\x08\x5a", 5) == 0);
    stop(&f);
    start(&f, "[ ]", false);
    CHECK(json_bytes(&f.j, &f.memory, &bytes, &n) && n == 0 && json_finish(&f.j));
    stop(&f);
    static const char *const bad[] = {"[256]", "[1000]", "[01]", "[-1]",    "[1.0]", "[1,]",
                                      "[1 2]", "[",      "[1",   "[\"a\"]", "[1e2]", "[0x1]"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        start(&f, bad[i], false);
        if (!CHECK(!json_bytes(&f.j, &f.memory, &bytes, &n)))
            printf("    %s\n", bad[i]);
        stop(&f);
    }
}

/* An object of N keys, within one of as many keys, and the first repeated at the end of each. */
static void wide_objects(text_buffer *to, int n, bool repeat_inner, bool repeat_outer)
{
    text_puts(to, "{");
    for (int i = 0; i < n; i++)
        text_printf(to, "\"k%d\": 0, ", i);
    text_puts(to, "\"inner\": {");
    for (int i = 0; i < n; i++)
        text_printf(to, "%s\"k%d\": 0", i ? ", " : "", i);
    text_puts(to, repeat_inner ? ", \"k0\": 0}" : "}");
    text_puts(to, ", \"after\": [{\"k0\": 1}, {\"k0\": 1}]");
    text_puts(to, repeat_outer ? ", \"k0\": 0}" : "}");
}

static void test_repeats(void)
{
    static const int sizes[] = {1, 15, 16, 17, 18, 1000, 50000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int which = 0; which < 3; which++) {
            text_buffer text;
            text_init(&text, &memory_system);
            wide_objects(&text, sizes[i], which == 1, which == 2);
            if (!CHECK(is_valid(text_c_string(&text), false) == (which == 0)))
                printf("    %d keys, case %d\n", sizes[i], which);
            text_release(&text);
        }
}

static void test_depth(void)
{
    char text[1024];
    memset(text, '[', 500);
    memset(text + 500, ']', 500);
    text[1000] = '\0';
    CHECK(!is_valid(text, false));
    memset(text, ' ', 372);
    memset(text + 628, ' ', 372);
    CHECK(is_valid(text, false)); /* 128 */
}

int main(void)
{
    test_grammar();
    test_numbers();
    test_strings();
    test_places();
    test_bytes();
    test_repeats();
    test_depth();
    return check_result();
}
