/* Characters that a terminal shows, and nothing else. */
#include "base/text/shown.h"

#include "base/text/utf8.h"

static bool is_shown(uint32_t code)
{
    return code >= ' ' && code != 0x7f && !(code >= 0x80 && code <= 0x9f) && code != 0x61c &&
           !(code >= 0x200e && code <= 0x200f) && !(code >= 0x2028 && code <= 0x202e) &&
           !(code >= 0x2066 && code <= 0x2069);
}

size_t text_put_shown(text_buffer *out, const char *text, size_t length)
{
    uint32_t code;
    size_t n = utf8_decode(text, length, &code);
    if (n && (is_shown(code) || code == '\t'))
        text_put(out, text, n);
    else
        text_putc(out, '?');
    return n ? n : 1;
}

void text_puts_shown(text_buffer *out, const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length;)
        i += text_put_shown(out, text + i, length - i);
}
