/* Extents as text that is read back: a number, the name of a symbol, or an operation in
 * parentheses, such as `(2*(n+1))`. A name that would be read as something else stands in
 * apostrophes, and one in it is doubled. */
#ifndef GRAPH_DIM_NAME_H
#define GRAPH_DIM_NAME_H

#include "graph/type.h"

/* The text of D, in MEMORY; NULL on lack of memory, and where it is too long, which was reported.
 */
const char *dim_spell(const type_table *t, dim d, arena *memory);

/* The symbol called by N bytes at NAME, or DIM_NO_MEMORY. */
typedef dim dim_find_symbol(void *user, const char *name, size_t n);

/* The extent that all N bytes at TEXT spell; false when they spell none, and on lack of memory. */
bool dim_unspell(type_table *t, const char *text, size_t n, dim_find_symbol *find, void *user,
                 dim *out);

#endif
