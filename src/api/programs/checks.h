/* Whether values are what a text expects of them. */
#ifndef API_PROGRAMS_CHECKS_H
#define API_PROGRAMS_CHECKS_H

#include "api/api.h"
#include "dialect/mlir/checks.h"

/* Does CHECK hold for GOT and WANT? If not, WHY is given the reason. */
bool check_holds(const text_check *check, const tn_buffer *got, const tn_buffer *want,
                 text_buffer *why);

#endif
