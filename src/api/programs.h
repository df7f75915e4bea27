/* Between files, texts and modules: what the command line needs beyond the public interface. */
#ifndef API_PROGRAMS_H
#define API_PROGRAMS_H

#include "base/context.h"
#include "base/text.h"
#include "tenon/convert.h"

/* Append the names, in quotes, of the symbols without a value that the extents of input INDEX of P
 * depend on. */
void unknown_sizes(const tn_program *p, size_t index, text_buffer *names);

/* Report that no tensor is given for input INDEX of P. */
tn_status report_input_missing(diag_channel *d, const tn_program *p, size_t index);
/* Report that a tensor does not suit input INDEX of P: it is of another type or, when GIVEN is its
 * type, of the right dtype and rank but of another shape. */
tn_status report_input_misfit(diag_channel *d, const tn_program *p, size_t index,
                              const tn_type *given, const char *message);

#endif
