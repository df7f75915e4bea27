/* Messages in the words of a dialect: what the library says of ops and attributes has names of its
 * own. */
#ifndef DIALECT_REWORD_H
#define DIALECT_REWORD_H

#include "dialect/dialect.h"

/* TEXT with every OLD replaced by FRESH; TEXT itself when there is none, or no memory. Messages are
 * short, and so is the recursion. */
const char *reword(arena *memory, const char *text, const char *old, const char *fresh);
/* The attributes of OP, by its name in the library, as FIELD_AT calls them, in the message of D. */
void reword_fields(bool (*field_at)(op_id op, uint32_t index, dialect_field *out), const char *op,
                   tn_diagnostic *d, arena *memory);

#endif
