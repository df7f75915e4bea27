/* What the files about compiled programs share. */
#ifndef API_PROGRAMS_PROGRAMS_H
#define API_PROGRAMS_PROGRAMS_H

#include "api/api.h"

/* Report that a tensor does not suit input INDEX of P: it is of another type or, when GIVEN is its
 * type, of the right dtype and rank but of another shape. */
tn_status report_input_misfit(diag_channel *d, const tn_program *p, size_t index,
                              const tn_type *given, const char *message);

#endif
