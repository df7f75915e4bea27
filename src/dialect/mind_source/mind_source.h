/* The MIND surface language: functions or a script of tensor expressions, lowered to Core IR.
 * Read only. docs/mind-source.md describes it. */
#ifndef DIALECT_MIND_SOURCE_MIND_SOURCE_H
#define DIALECT_MIND_SOURCE_MIND_SOURCE_H

#include "dialect/dialect.h"

extern const dialect dialect_mind_source;

tn_status mind_source_read(module *m, const read_options *options);

#endif
