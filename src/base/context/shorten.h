/* Texts for people that repeat what a file says, where that is too long to be read. */
#ifndef BASE_CONTEXT_SHORTEN_H
#define BASE_CONTEXT_SHORTEN_H

#include <stddef.h>

/* A text of more bytes may be cut: SHORTEN_WORD without a space are one word, such as a name. */
enum { SHORTEN_WORD = 400, SHORTEN_TEXT = 2000 };

/* Cut the middle out of each word, and then of the text, that is longer than that; "[N bytes left
 * out]" stands in its place. UTF-8 stays whole. */
void shorten(char *text);

#endif
