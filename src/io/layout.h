/* Reordering the bytes and the elements of arrays as files hold them. */
#ifndef IO_LAYOUT_H
#define IO_LAYOUT_H

#include "io/array.h"

/* Reverse the bytes of each number in A; a complex element is two numbers. */
void layout_swap(array *a);

/* Whether elements in column-major order stand in another order than in row-major order. */
bool layout_order_matters(const array *a);
/* Fill the data of A, whose memory is there, from COLUMNS, the same elements in column-major order.
 */
void layout_to_rows(array *a, const void *columns);

#endif
