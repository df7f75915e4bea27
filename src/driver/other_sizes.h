/* A program as it would be with other sizes: what is the same in both does not depend on them. */
#ifndef DRIVER_OTHER_SIZES_H
#define DRIVER_OTHER_SIZES_H

#include "graph/module.h"

/* In a context of its own. */
typedef struct other_sizes {
    context *cx;
    module *graph; /* static and optimised; NULL: there is none */
} other_sizes;

/* How graphs are optimised. */
typedef struct sizes_options {
    int level;
    bool relaxed;
} sizes_options;

/* M, whose symbols have the VALUES (pass/bind.h), with all of them changed, in about the same
 * proportions. There is none where M has no symbols, where an extent is 0, and where nothing that
 * is tried suits M: nothing is reported. */
void other_sizes_make(const module *m, const int64_t *values, const sizes_options *o,
                      other_sizes *out);
void other_sizes_release(other_sizes *o);

#endif
