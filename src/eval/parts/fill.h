/* Repeating one element. */
#ifndef EVAL_PARTS_FILL_H
#define EVAL_PARTS_FILL_H

#include <stddef.h>
#include <string.h>

/* COUNT copies of the SIZE bytes at ELEMENT, which may be DST itself. */
static inline void fill_elements(void *dst, const void *element, size_t size, size_t count)
{
    const size_t all = size * count;
    char *out = dst;
    if (all == 0)
        return;
    if (out != element)
        memcpy(out, element, size);
    for (size_t done = size; done < all;) { /* doubles what is there */
        const size_t more = all - done < done ? all - done : done;
        memcpy(out + done, out, more);
        done += more;
    }
}

#endif
