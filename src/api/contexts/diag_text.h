/* Diagnostics as text for people and as JSON lines for tools. */
#ifndef API_CONTEXTS_DIAG_TEXT_H
#define API_CONTEXTS_DIAG_TEXT_H

#include "base/text/text.h"

/* `file:line:col: error: message [CODE]`, the source line with a marker under the place, notes, and
 * the fix. Control characters of the program never reach the output; long lines are cut around the
 * place. */
void diag_write_text(text_buffer *out, const tn_diagnostic *d, bool color);

/* One object and a line end. The fields and their order are part of the command line's interface.
 */
void diag_write_json(text_buffer *out, const tn_diagnostic *d);

#endif
