/* UTF-8 as Unicode defines it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef BASE_TEXT_UTF8_H
#define BASE_TEXT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offset of the first byte of the first ill-formed sequence; LENGTH when all is well. */
size_t utf8_invalid_at(const char *text, size_t length);

/* Read one code point: its bytes (1 to 4), or 0 when TEXT is empty or starts ill-formed. */
size_t utf8_decode(const char *text, size_t length, uint32_t *code);

/* Write one code point: its bytes, or 0 when CODE is no Unicode scalar value. */
size_t utf8_encode(uint32_t code, char out[4]);

/* Code points in a well-formed text. In any other, the bytes that do not continue a sequence. */
size_t utf8_count(const char *text, size_t length);

/* May CODE be a letter of an identifier? ASCII: the 52 letters. Beyond: everything outside the
 * ranges of space, control, format, punctuation, symbol, private and unassigned code points that
 * the table in utf8.c names. Checked against Unicode 14: every XID_Continue character but U+00B7
 * is accepted, no space, control or format character is; of the rest, so are code points not yet
 * assigned within the blocks of scripts, and the rarer symbols and punctuation of single scripts.
 */
bool utf8_is_letter(uint32_t code);

/* A character that readers of a message would not see, or not recognise: it is shown as U+XXXX. */
static inline bool utf8_is_hidden(uint32_t code)
{
    return code < 0x20 || code == 0x7f || (code > 0x7f && !utf8_is_letter(code));
}

#endif
