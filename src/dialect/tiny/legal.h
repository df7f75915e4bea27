/* What Tiny IR can express. */
#ifndef DIALECT_TINY_LEGAL_H
#define DIALECT_TINY_LEGAL_H

#include "dialect/dialect.h"

extern const expressible tiny_expressible;

#endif
