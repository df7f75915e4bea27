/* Kinds of characters, whatever the locale, and the names of symbolic sizes that are made of them.
 */
#ifndef BASE_TEXT_CHARS_H
#define BASE_TEXT_CHARS_H

#include <stdbool.h>
#include <stddef.h>

static inline bool char_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* An ASCII letter or an underscore. */
static inline bool char_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The bytes of the size's name at AT, of which MOST may be read, or up to a NUL: letters, and
 * whatever is not ASCII, then digits, too. 0: there is none. */
static inline size_t size_name_length(const char *at, size_t most)
{
    size_t n = 0;
    while (n < most &&
           (char_is_letter(at[n]) || (at[n] & 0x80) != 0 || (n > 0 && char_is_digit(at[n]))))
        n++;
    return n;
}

#endif
