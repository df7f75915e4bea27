/* What Core IR can express. */
#ifndef DIALECT_MIND_LEGAL_H
#define DIALECT_MIND_LEGAL_H

#include "dialect/dialect.h"

extern const expressible mind_expressible;

#endif
