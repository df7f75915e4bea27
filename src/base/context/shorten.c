/* Cuts the middle out of what is too long to be read. */
#include "base/context/shorten.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/context/plural.h"

/* Bytes that stay before and behind the cut. */
enum { WORD_HEAD = 200, WORD_TAIL = 100, TEXT_HEAD = 1400, TEXT_TAIL = 400 };

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* Cut the LENGTH bytes at TEXT to HEAD and TAIL of them; returns how many remain. */
static size_t cut(char *text, size_t length, size_t head, size_t tail)
{
    char mark[48];
    while (head && continues(text[head]))
        head--;
    while (tail && continues(text[length - tail]))
        tail--;
    const size_t left_out = length - head - tail;
    const int n = snprintf(mark, sizeof mark, "[%zu byte%s left out]", left_out, plural(left_out));
    const size_t n_mark = n > 0 ? (size_t)n : 0;
    memcpy(text + head, mark, n_mark);
    memmove(text + head + n_mark, text + length - tail, tail);
    return head + n_mark + tail;
}

void shorten(char *text)
{
    const size_t length = strlen(text);
    size_t n = 0; /* bytes of the shorter text */
    if (length <= SHORTEN_WORD)
        return;
    for (size_t i = 0; i < length;) {
        size_t word = strcspn(text + i, " \n");
        const size_t next = i + word;
        memmove(text + n, text + i, word);
        if (word > SHORTEN_WORD)
            word = cut(text + n, word, WORD_HEAD, WORD_TAIL);
        n += word;
        i = next;
        if (i < length)
            text[n++] = text[i++];
    }
    if (n > SHORTEN_TEXT)
        n = cut(text, n, TEXT_HEAD, TEXT_TAIL);
    text[n] = '\0';
}
