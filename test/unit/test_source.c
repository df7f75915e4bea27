/* Lines and columns are the same whether they are counted from the start or from another place. */
#include "base/context/source.h"

#include "base/text/utf8.h"
#include "check.h"

enum { TEXT = 20000, PLACES = 4000 };

static uint32_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(*state >> 33);
}

/* Characters of one to four bytes, and lines of about LINE of them. */
static size_t fill(char *text, uint32_t line, uint64_t seed)
{
    static const char *const some[] = {"a", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\r"};
    size_t n = 0;
    while (n + 4 < TEXT) {
        const char *c = next(&seed) % line == 0 ? "\n" : some[next(&seed) % 5];
        memcpy(text + n, c, strlen(c));
        n += strlen(c);
    }
    return n;
}

static void test_cursor(uint32_t line, uint32_t step)
{
    static char text[TEXT];
    uint64_t seed = line;
    const size_t n = fill(text, line, line);
    const source s = {.name = "s", .text = text, .length = n, .number = 1};
    const source other = {.name = "o", .text = "\n\n1", .length = 3, .number = 2};
    source_cursor cursor = {0};
    uint32_t at = 0;
    for (int i = 0; i < PLACES; i++) {
        at = step ? (at + next(&seed) % step) % (uint32_t)(n + 1) : next(&seed) % (uint32_t)(n + 1);
        const span where = {at, next(&seed) % 100};
        const tn_place a = source_place(&s, where, NULL), b = source_place(&s, where, &cursor);
        CHECK(a.line == b.line && a.column == b.column && a.length == b.length);
        if (next(&seed) % 50 == 0) /* a place elsewhere in between */
            CHECK_INT(source_place(&other, (span){2, 1}, &cursor).line, 3);
    }
}

static void test_places(void)
{
    const source s = {.name = "s",
                      .text = "ab\r\n\xc3\xa4"
                              "b\n",
                      .length = 8};
    const tn_place first = source_place(&s, (span){0, 1}, NULL);
    CHECK(first.line == 1 && first.column == 1 && first.length == 1);
    const tn_place second = source_place(&s, (span){6, 100}, NULL);
    CHECK(second.line == 2 && second.column == 2 && second.length == 2);
    const tn_place end = source_place(&s, (span){8, 0}, NULL);
    CHECK(end.line == 3 && end.column == 1 && end.length == 0);
    CHECK_INT(source_place(&s, (span){9, 0}, NULL).line, 0);
    CHECK_INT(source_place(&s, NO_SPAN, NULL).line, 0);
    CHECK_INT(source_place(NULL, (span){0, 0}, NULL).line, 0);
    const source_excerpt line = source_line(&s, 1), last = source_line(&s, 7);
    CHECK(line.length == 2 && line.before == 1 && memcmp(line.text, "ab", 2) == 0);
    CHECK(last.length == 3 && last.before == 2);
    CHECK(source_line(&s, 9).text == NULL);
}

/* Of a long line, as much as a reader of the diagnostic can use, in whole characters. */
static void test_long_lines(void)
{
    static char text[3 * TEXT + 1];
    for (size_t i = 0; i < TEXT; i++)
        memcpy(text + 3 * i, "\xe2\x82\xac", 3);
    const source s = {.name = "s", .text = text, .length = 3 * (size_t)TEXT};
    for (uint32_t i = 0; i < TEXT; i += 37) {
        const source_excerpt line = source_line(&s, 3 * i);
        CHECK(utf8_invalid_at(line.text, line.length) == line.length);
        CHECK(line.length <= SOURCE_LINE_BEFORE + SOURCE_LINE_BEHIND);
        CHECK(line.text + (size_t)3 * line.before == text + (size_t)3 * i);
    }
}

int main(void)
{
    test_places();
    test_cursor(1000000, 0); /* one line */
    test_cursor(2, 0);       /* short lines, anywhere */
    test_cursor(40, 0);
    test_cursor(40, 30); /* onwards */
    test_long_lines();
    return check_result();
}
