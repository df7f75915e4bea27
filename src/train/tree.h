/* Adding leaves elementwise. */
#ifndef TRAIN_TREE_H
#define TRAIN_TREE_H

#include "base/memory/memory.h"
#include "scalar/dtype.h"

/* Can elements of this type be added? */
bool tree_adds(tn_dtype dtype);
/* Add Y to X: N elements of such a type. */
void tree_add(tn_dtype dtype, void *x, const void *y, size_t n);

#endif
