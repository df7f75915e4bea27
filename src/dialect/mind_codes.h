/* The error codes that Core IR and the surface language have in common. */
#ifndef DIALECT_MIND_CODES_H
#define DIALECT_MIND_CODES_H

#include <stddef.h>

/* The code for one of the library's error kinds, or NULL. */
const char *mind_code_of(int kind);

#endif
