/* What PTIR can express, in all of its forms. */
#ifndef DIALECT_PTIR_LEGAL_H
#define DIALECT_PTIR_LEGAL_H

#include "dialect/dialect.h"

extern const expressible ptir_expressible;

#endif
