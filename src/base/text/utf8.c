/* UTF-8: validation, decoding, encoding, counting, letters. */
#include "base/text/utf8.h"

#include <string.h>

static uint64_t load8(const char *text)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
    return word;
}

static const uint64_t HIGH_BITS = 0x8080808080808080U;

static bool continues(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

size_t utf8_decode(const char *text, size_t length, uint32_t *code)
{
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first;
    size_t n;
    uint32_t v;

    if (length == 0)
        return 0;
    first = (unsigned char)text[0];
    if (first < 0x80) {
        *code = first;
        return 1;
    }
    if (first < 0xC2 || first > 0xF4)
        return 0;
    n = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (length < n)
        return 0;
    v = first & (0x7FU >> n);
    for (size_t i = 1; i < n; i++) {
        if (!continues(text[i]))
            return 0;
        v = v << 6 | ((unsigned char)text[i] & 0x3FU);
    }
    if (v < smallest[n] || v > 0x10FFFF || (v >= 0xD800 && v <= 0xDFFF))
        return 0;
    *code = v;
    return n;
}

size_t utf8_invalid_at(const char *text, size_t length)
{
    size_t at = 0;

    while (at < length) {
        uint32_t code;
        size_t n;
        while (length - at >= 16 && ((load8(text + at) | load8(text + at + 8)) & HIGH_BITS) == 0)
            at += 16;
        while (at < length && (unsigned char)text[at] < 0x80)
            at++;
        if (at == length)
            break;
        n = utf8_decode(text + at, length - at, &code);
        if (n == 0)
            break;
        at += n;
    }
    return at;
}

size_t utf8_encode(uint32_t code, char out[4])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xC0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        if (code >= 0xD800 && code <= 0xDFFF)
            return 0;
        out[0] = (char)(0xE0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3F));
        out[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    if (code > 0x10FFFF)
        return 0;
    out[0] = (char)(0xF0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3F));
    out[2] = (char)(0x80 | (code >> 6 & 0x3F));
    out[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

size_t utf8_count(const char *text, size_t length)
{
    size_t at = 0;
    size_t continued = 0;

    for (; length - at >= 8; at += 8) {
        uint64_t word = load8(text + at);
        /* The high bit is set where bit 7 is set and bit 6 is not. */
        continued += (size_t)__builtin_popcountll(word & ~(word << 1) & HIGH_BITS);
    }
    for (; at < length; at++)
        continued += continues(text[at]);
    return length - continued;
}

/* What is not a letter beyond ASCII, in order. */
static const struct {
    uint32_t first, last;
} not_letters[] = {
    {0x0080, 0x00A9},      /* C1 controls, no-break space, Latin-1 signs, but for U+00AA */
    {0x00AB, 0x00B4},      /* ... U+00B5, micro */
    {0x00B6, 0x00B9},      /* ... U+00BA */
    {0x00BB, 0x00BF},      /* guillemet, fractions, inverted question mark */
    {0x00D7, 0x00D7},      /* multiplication sign */
    {0x00F7, 0x00F7},      /* division sign */
    {0x02C2, 0x02C5},      /* arrowheads */
    {0x02D2, 0x02DF},      /* spacing accents */
    {0x037E, 0x037E},      /* Greek question mark */
    {0x055A, 0x055F},      /* Armenian punctuation */
    {0x0589, 0x058F},      /* Armenian stop, hyphen, signs */
    {0x05BE, 0x05BE},      /* Hebrew maqaf */
    {0x0600, 0x060F},      /* Arabic number signs and punctuation */
    {0x061B, 0x061F},      /* Arabic semicolon, letter mark, question mark */
    {0x06D4, 0x06D4},      /* Arabic full stop */
    {0x06DD, 0x06DE},      /* Arabic end of verse, hizb mark */
    {0x0700, 0x070F},      /* Syriac punctuation, abbreviation mark */
    {0x0890, 0x0891},      /* Arabic currency marks */
    {0x08E2, 0x08E2},      /* Arabic disputed end of verse */
    {0x0964, 0x0965},      /* Devanagari dandas */
    {0x1680, 0x1680},      /* Ogham space */
    {0x180E, 0x180E},      /* Mongolian vowel separator */
    {0x2000, 0x203E},      /* spaces, dashes, quotes, bidirectional controls, but for the ties */
    {0x2041, 0x2053},      /* more general punctuation, ... */
    {0x2055, 0x2070},      /* ... word joiner, invisible operators, superscript zero */
    {0x2074, 0x207E},      /* superscript digits and signs */
    {0x2080, 0x208E},      /* subscript digits and signs */
    {0x20A0, 0x20CF},      /* currency */
    {0x2190, 0x2BFF},      /* arrows, mathematics, technical, boxes, shapes, dingbats */
    {0x2E00, 0x2E7F},      /* supplemental punctuation */
    {0x2E80, 0x3004},      /* CJK radicals, description characters, space, comma, full stop */
    {0x3008, 0x3020},      /* CJK brackets, postal marks */
    {0x3030, 0x3030},      /* wavy dash */
    {0x303D, 0x3040},      /* part marks, half fill space */
    {0x30A0, 0x30A0},      /* Katakana double hyphen */
    {0x30FB, 0x30FB},      /* Katakana middle dot */
    {0x3190, 0x319F},      /* Kanbun */
    {0x31C0, 0x31EF},      /* CJK strokes */
    {0x3200, 0x33FF},      /* enclosed and squared CJK */
    {0x4DC0, 0x4DFF},      /* hexagrams */
    {0xD800, 0xF8FF},      /* surrogates, private use */
    {0xFDD0, 0xFDEF},      /* noncharacters */
    {0xFE10, 0xFE1F},      /* vertical punctuation */
    {0xFE30, 0xFE32},      /* dashes for vertical text, but for the low lines */
    {0xFE35, 0xFE4C},      /* brackets for vertical text */
    {0xFE50, 0xFE6F},      /* small punctuation */
    {0xFEFF, 0xFF0F},      /* byte order mark, full-width punctuation */
    {0xFF1A, 0xFF20},      /* ... between digits and capitals */
    {0xFF3B, 0xFF3E},      /* ... between capitals and the low line */
    {0xFF40, 0xFF40},      /* full-width grave accent */
    {0xFF5B, 0xFF64},      /* ... after the small letters */
    {0xFFE0, 0xFFFF},      /* full-width signs, specials, replacement character */
    {0x10100, 0x1013F},    /* Aegean numbers and marks */
    {0x110BD, 0x110BD},    /* Kaithi number sign */
    {0x110CD, 0x110CD},    /* Kaithi number sign above */
    {0x13430, 0x1343F},    /* hieroglyph format controls */
    {0x1BCA0, 0x1BCA3},    /* shorthand format controls */
    {0x1D000, 0x1D164},    /* musical notation */
    {0x1D173, 0x1D17A},    /* musical format controls */
    {0x1F000, 0x1FBEF},    /* tiles, cards, emoji, pictographs, legacy computing */
    {0x1FFFE, 0x1FFFF},    /* noncharacters */
    {0x2FFFE, 0x2FFFF},    /* noncharacters */
    {0x3FFFE, 0xE00FF},    /* nothing assigned, tags */
    {0xE01F0, 0x10FFFF},   /* nothing assigned, private use */
    {0x110000, UINT32_MAX} /* no Unicode */
};

bool utf8_is_letter(uint32_t code)
{
    size_t low = 0;
    size_t high = sizeof not_letters / sizeof *not_letters;

    if (code < 0x80)
        return (code | 0x20) - 'a' < 26;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (code > not_letters[mid].last)
            low = mid + 1;
        else
            high = mid;
    }
    return code < not_letters[low].first; /* the last range ends at UINT32_MAX */
}
