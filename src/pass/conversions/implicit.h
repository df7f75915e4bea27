/* Broadcasts that operands of elementwise ops need not spell. */
#ifndef PASS_CONVERSIONS_IMPLICIT_H
#define PASS_CONVERSIONS_IMPLICIT_H

#include "graph/module.h"

/* Let arithmetic read the operands of broadcasts from the right where it broadcasts them itself to
 * the same shape. True when something changed; broadcasts that nothing uses any more stay. */
bool drop_broadcasts(module *m);

#endif
