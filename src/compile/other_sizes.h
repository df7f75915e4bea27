/* A program with other sizes than it is bound to: numbers that are the same in both do not depend
 * on the sizes. */
#ifndef COMPILE_OTHER_SIZES_H
#define COMPILE_OTHER_SIZES_H

#include "graph/module.h"

/* How graphs are optimised. */
typedef struct sizes_options {
    int level;
    bool relaxed;
} sizes_options;

/* The other sizes: about twice as large, so that every number that depends on them is another one;
 * or, where the program has other nodes then, somewhat larger or smaller. */
typedef enum sizes_change {
    SIZES_DOUBLED,
    SIZES_VECTORS_ABOVE,
    SIZES_VECTORS_BELOW,
    SIZES_ABOVE,
    SIZES_CHANGES
} sizes_change;

/* The program with other sizes, optimised, in a context of its own. */
typedef struct other_graph {
    bool is_tried;
    module *graph;           /* NULL: there is none */
    const dim_values *sizes; /* that it has */
} other_graph;

typedef struct other_sizes {
    module *symbolic; /* in a context of its own; NULL: there are no other sizes */
    dim_values *values;
    sizes_options options;
    other_graph made[SIZES_CHANGES];
} other_sizes;

/* For M, whose symbols have the VALUES, and which may change afterwards. There are no
 * other sizes where M has no symbols, and without memory. */
void other_sizes_init(other_sizes *o, const module *m, const dim_values *values,
                      const sizes_options *options);
/* The program with changed sizes, static and optimised; made when it is first asked for. NULL where
 * an extent is 0, and where nothing that is tried suits the program; nothing is reported. O may be
 * NULL. */
const module *other_sizes_get(other_sizes *o, sizes_change change);
void other_sizes_release(other_sizes *o);

/* A graph serves several bindings that differ from it in every size: O takes KEPT if it is one, and
 * KEPT is then empty. */
void other_sizes_offer(other_sizes *o, other_graph *kept);
/* KEPT, if it is empty, takes the graph of O that can serve other bindings, if there is one. */
void other_sizes_keep(other_sizes *o, other_graph *kept);
void other_graph_free(other_graph *kept);

#endif
