/* The output buffer: what it writes, growth, and failure that stays. */
#include "base/text/text.h"

#include "base/memory/memory.h"
#include "check.h"

static void test_pieces(void)
{
    text_buffer b;

    text_init(&b, &memory_system);
    CHECK_TEXT(text_c_string(&b), "");
    text_put(&b, NULL, 0);
    text_puts(&b, "");
    text_puts(&b, "x=");
    text_putc(&b, '[');
    text_u64(&b, UINT64_MAX);
    text_putc(&b, ',');
    text_i64(&b, INT64_MIN);
    text_putc(&b, ',');
    text_f32(&b, 0.1F);
    text_putc(&b, ',');
    text_f64(&b, -1e-30);
    text_putc(&b, ',');
    text_float(&b, format_f16, 0x3C00);
    text_putc(&b, ']');
    text_fill(&b, '.', 3);
    text_fill(&b, '.', 0);
    text_printf(&b, "%s %d", "end", 7);
    CHECK_TEXT(text_c_string(&b),
               "x=[18446744073709551615,-9223372036854775808,0.1,-1e-30,1.0]...end 7");
    CHECK_INT(b.n, strlen(text_c_string(&b)));
    text_reset(&b);
    CHECK_TEXT(text_c_string(&b), "");
    CHECK(!b.failed);
    text_release(&b);
    CHECK(b.at == NULL && b.n == 0 && b.cap == 0);
    text_puts(&b, "again");
    CHECK_TEXT(text_c_string(&b), "again");
    text_release(&b);
}

static void test_growth(void)
{
    text_buffer b;
    char part[700];

    text_init(&b, &memory_system);
    memset(part, 'p', sizeof part);
    for (size_t i = 0; i < sizeof part; i++) {
        size_t before = b.n;
        text_put(&b, part, i);
        CHECK_INT(b.n, before + i);
        CHECK(b.cap == 0 || b.cap > b.n);
    }
    CHECK_INT(strlen(text_c_string(&b)), b.n);
    CHECK_INT(strspn(b.at, "p"), b.n);
    text_reset(&b);
    /* printf around the end of the buffer: just fits, just does not */
    for (int width = 0; width < 1200; width++) {
        text_release(&b);
        text_printf(&b, "%*d|", width, 5);
        text_printf(&b, "%*d|", 1200 - width, 6);
        CHECK_INT(b.n, (width ? width : 1) + 1 + 1200 - width + 1);
        CHECK_INT(b.at[b.n - 1], '|');
    }
    text_release(&b);
}

static void check_json(const char *bytes, size_t n, const char *want)
{
    text_buffer b;

    text_init(&b, &memory_system);
    text_json_string(&b, bytes, n);
    CHECK_TEXT(text_c_string(&b), want);
    text_release(&b);
}

static void test_json(void)
{
    check_json("", 0, "\"\"");
    check_json("plain text/", 11, "\"plain text/\"");
    check_json("a\"b\\c", 5, "\"a\\\"b\\\\c\"");
    check_json("\b\f\n\r\t\0\x01\x1F\x7F", 9, "\"\\b\\f\\n\\r\\t\\u0000\\u0001\\u001f\x7F\"");
    check_json("\xC3\xA4\xF0\x9F\x98\x80", 6, "\"\xC3\xA4\xF0\x9F\x98\x80\"");
    check_json("a\xC3", 2, "\"a\xEF\xBF\xBD\"");
    check_json("\xED\xA0\x80z", 4, "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz\"");
}

/* Refuses the request numbered `left`, counting down, and all later ones. */
typedef struct miser {
    int left;
    size_t held;
} miser;

static void *miser_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    miser *m = user;

    if (new_size > 0 && m->left-- <= 0)
        return NULL;
    m->held += new_size - old_size;
    return memory_system.resize(memory_system.user, block, old_size, new_size);
}

static void write_much(text_buffer *b)
{
    for (int i = 0; i < 200; i++) {
        text_i64(b, i);
        text_f64(b, i * 0.5);
        text_puts(b, ", ");
        text_printf(b, "%d and %s", i, "something longer than that");
        text_json_string(b, "a\nb", 3);
        text_fill(b, ' ', 10);
        text_putc(b, '\n');
    }
}

static void test_no_memory(void)
{
    bool done = false;

    for (int allowed = 0; !done && allowed < 100; allowed++) {
        miser m = {allowed, 0};
        tn_allocator allocator = {miser_resize, &m};
        text_buffer b;
        text_init(&b, &allocator);
        write_much(&b);
        done = !b.failed;
        CHECK(done == (text_c_string(&b) != NULL));
        CHECK(done || (b.n == 0 && b.at == NULL && m.held == 0));
        m.left = 100; /* memory is back, but the text stays lost */
        text_puts(&b, "x");
        CHECK(done || (b.failed && b.n == 0));
        text_release(&b);
        CHECK_INT(m.held, 0);
    }
    CHECK(done);
    { /* sizes that cannot be */
        text_buffer b;
        text_init(&b, &memory_system);
        text_puts(&b, "x");
        CHECK(!text_reserve(&b, SIZE_MAX));
        CHECK(b.failed);
        text_release(&b);
        CHECK(!text_reserve(&b, SIZE_MAX / 2));
        text_release(&b);
    }
}

int main(void)
{
    test_pieces();
    test_growth();
    test_json();
    test_no_memory();
    return check_result();
}
