/* Text from outside as a terminal may show it: '?' stands for what moves the cursor, turns the
 * direction of reading or is no UTF-8. */
#ifndef BASE_TEXT_SHOWN_H
#define BASE_TEXT_SHOWN_H

#include "base/text/text.h"

/* Write the character at TEXT, of LENGTH bytes at most; returns its bytes. Tabs are kept. */
size_t text_put_shown(text_buffer *out, const char *text, size_t length);

/* All of TEXT. */
void text_puts_shown(text_buffer *out, const char *text);

#endif
