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

/* How many bytes at the beginning of TEXT are printable ASCII, which needs no look at each. */
static size_t plain_length(const char *text)
{
    size_t n = 0;
    while (text[n] >= ' ' && text[n] < 0x7f)
        n++;
    return n;
}

void text_puts_shown(text_buffer *out, const char *text)
{
    for (size_t left = strlen(text); left > 0 && !out->failed;) {
        const size_t plain = plain_length(text);
        const size_t n = plain ? plain : text_put_shown(out, text, left);
        text_put(out, text, plain);
        text += n;
        left -= n;
    }
}
