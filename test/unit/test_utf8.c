/* UTF-8 against the table of well-formed byte sequences in the Unicode Standard. */
#include "base/text/utf8.h"
#include "check.h"

/* Length of the well-formed sequence at the start of BYTES; 0 if none. Unicode 15.0, table 3-7. */
static size_t well_formed(const unsigned char *bytes, size_t length)
{
    static const struct {
        unsigned char range[4][2];
        size_t n;
    } rows[] = {{{{0x00, 0x7F}}, 1},
                {{{0xC2, 0xDF}, {0x80, 0xBF}}, 2},
                {{{0xE0, 0xE0}, {0xA0, 0xBF}, {0x80, 0xBF}}, 3},
                {{{0xE1, 0xEC}, {0x80, 0xBF}, {0x80, 0xBF}}, 3},
                {{{0xED, 0xED}, {0x80, 0x9F}, {0x80, 0xBF}}, 3},
                {{{0xEE, 0xEF}, {0x80, 0xBF}, {0x80, 0xBF}}, 3},
                {{{0xF0, 0xF0}, {0x90, 0xBF}, {0x80, 0xBF}, {0x80, 0xBF}}, 4},
                {{{0xF1, 0xF3}, {0x80, 0xBF}, {0x80, 0xBF}, {0x80, 0xBF}}, 4},
                {{{0xF4, 0xF4}, {0x80, 0x8F}, {0x80, 0xBF}, {0x80, 0xBF}}, 4}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t k = 0;
        while (k < rows[i].n && k < length && bytes[k] >= rows[i].range[k][0] &&
               bytes[k] <= rows[i].range[k][1])
            k++;
        if (k == rows[i].n)
            return k;
    }
    return 0;
}

static void check_sequence(const unsigned char *bytes, size_t length)
{
    const char *text = (const char *)bytes;
    size_t n = well_formed(bytes, length);
    uint32_t code = 0xDEAD;
    size_t at = 0;

    if (!CHECK_INT(utf8_decode(text, length, &code), n))
        printf("    bytes %02x %02x %02x %02x, length %zu\n", bytes[0], bytes[1], bytes[2],
               bytes[3], length);
    if (n > 0) {
        char back[4];
        CHECK_INT(utf8_encode(code, back), n);
        CHECK(memcmp(back, text, n) == 0);
    }
    while (at < length && (n = well_formed(bytes + at, length - at)) > 0)
        at += n;
    CHECK_INT(utf8_invalid_at(text, length), at);
}

static void test_sequences(void)
{
    static const unsigned char some[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F,
                                         0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0,
                                         0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF};
    unsigned char bytes[4] = {0};

    for (unsigned first = 0; first < 256; first++)
        for (unsigned second = 0; second < 256; second++) {
            bytes[0] = (unsigned char)first;
            bytes[1] = (unsigned char)second;
            check_sequence(bytes, 1);
            check_sequence(bytes, 2);
            for (size_t i = 0; i < sizeof some; i++) {
                bytes[2] = some[i];
                check_sequence(bytes, 3);
                bytes[3] = some[(i * 7 + second) % sizeof some];
                check_sequence(bytes, 4);
                bytes[3] = 0x80;
                check_sequence(bytes, 4);
            }
        }
}

static void test_code_points(void)
{
    char text[4];

    for (uint32_t code = 0; code <= 0x110000; code++) {
        bool scalar = code < 0x110000 && (code < 0xD800 || code > 0xDFFF);
        size_t want = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        size_t n = utf8_encode(code, text);
        uint32_t back = UINT32_MAX;
        if (n != (scalar ? want : 0) ||
            (scalar && (utf8_decode(text, n, &back) != n || back != code ||
                        utf8_decode(text, n - 1, &back) != 0 || utf8_count(text, n) != 1 ||
                        utf8_invalid_at(text, n) != n)))
            CHECK_INT(code, -1);
    }
    CHECK_INT(utf8_encode(UINT32_MAX, text), 0);
}

/* A fault and its offset at every place of a text that is otherwise plain, or otherwise not. */
static void test_places(void)
{
    static const char *const units[] = {"a", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    char text[256];

    for (size_t u = 0; u < 4; u++) {
        size_t size = strlen(units[u]);
        size_t n = 0;
        while (n + size <= 100) {
            memcpy(text + n, units[u], size);
            n += size;
        }
        for (size_t length = 0; length <= n; length++) {
            CHECK_INT(utf8_invalid_at(text, length), length - length % size);
            CHECK_INT(utf8_count(text, length), (length + size - 1) / size);
        }
        for (size_t bad = 0; bad < n; bad++) {
            char kept = text[bad];
            text[bad] = (char)0xFF;
            CHECK_INT(utf8_invalid_at(text, n), bad - bad % size);
            text[bad] = kept;
        }
    }
    CHECK_INT(utf8_invalid_at("", 0), 0);
    CHECK_INT(utf8_count("", 0), 0);
    CHECK_INT(utf8_count("x\xE2\x82\xACy\xC3\xA4zabcdefghijk\xF0\x9F\x98\x80", 22), 17);
}

static void test_letters(void)
{
    static const uint32_t letters[] = {
        'a',    'z',    'A',     'Z',     0xAA,    0xB5,    0xBA,   0xC4,   0xDF,   0xF6,
        0x3B1,  0x3C9,  0x416,   0x5D0,   0x627,   0x905,   0x1E9E, 0x203F, 0x2071, 0x207F,
        0x2090, 0x2102, 0x3005,  0x3042,  0x30A2,  0x30FC,  0x4E00, 0x9FFF, 0xAC00, 0xF900,
        0xFF21, 0xFF76, 0x10330, 0x1D400, 0x1FBF0, 0x20000, 0xE0100};
    static const uint32_t others[] = {
        0,      ' ',    '0',     '9',     '_',     '@',     '[',      '`',      '{',       0x7F,
        0x80,   0x85,   0xA0,    0xAB,    0xB7,    0xBF,    0xD7,     0xF7,     0x37E,     0x1680,
        0x2000, 0x200B, 0x200D,  0x200E,  0x2028,  0x2029,  0x202E,   0x2060,   0x2069,    0x20AC,
        0x2190, 0x2200, 0x2212,  0x22C5,  0x2500,  0x27F6,  0x2A00,   0x3000,   0x3001,    0x300C,
        0x30FB, 0xD800, 0xDFFF,  0xE000,  0xFDD0,  0xFEFF,  0xFF0B,   0xFF1A,   0xFF5B,    0xFFFD,
        0xFFFE, 0xFFFF, 0x1F600, 0x1FFFF, 0xE0001, 0xF0000, 0x10FFFF, 0x110000, UINT32_MAX};

    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (!CHECK(utf8_is_letter(letters[i])))
            printf("    U+%04" PRIX32 "\n", letters[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!CHECK(!utf8_is_letter(others[i])))
            printf("    U+%04" PRIX32 "\n", others[i]);
}

int main(void)
{
    test_sequences();
    test_code_points();
    test_places();
    test_letters();
    return check_result();
}
