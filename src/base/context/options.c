/* Reading structures whose first field is their size. */
#include "base/context/options.h"

#include <string.h>

#include "base/context/plural.h"

bool options_take(void *to, size_t n, const void *from, size_t first)
{
    size_t size = first;
    memset(to, 0, n);
    if (from) {
        memcpy(&size, from, sizeof size);
        size = size ? size : first;
        if (size < first)
            return false;
        for (size_t i = n; i < size; i++)
            if (((const unsigned char *)from)[i])
                return false;
        memcpy(to, from, size < n ? size : n);
    }
    memcpy(to, &n, sizeof n);
    return true;
}

void options_give(void *to, const void *from, size_t n, size_t first)
{
    size_t size;
    memcpy(&size, to, sizeof size);
    const size_t known = size == 0 ? first : size < n ? size : n;
    memcpy((char *)to + sizeof size, (const char *)from + sizeof size, known - sizeof size);
    if (size > n)
        memset((char *)to + n, 0, size - n);
}

bool options_has_room(const void *to, size_t first)
{
    size_t size = 0;
    if (to)
        memcpy(&size, to, sizeof size);
    return size == 0 || size >= first;
}

tn_status options_room(diag_channel *d, const void *to, size_t first)
{
    size_t size;
    if (options_has_room(to, first))
        return TN_OK;
    memcpy(&size, to, sizeof size);
    return diag_report(
        d, DIAG_Usage, NULL, NO_SPAN,
        "a structure of %zu byte%s is to be filled, which had %zu in its first layout", size,
        plural(size), first);
}

tn_status options_read(diag_channel *d, void *to, size_t n, const void *from, size_t first)
{
    if (options_take(to, n, from, first))
        return TN_OK;
    size_t size;
    memcpy(&size, from, sizeof size);
    return diag_report(d, DIAG_Usage, NULL, NO_SPAN,
                       "a structure of options of %zu byte%s, or what it sets behind the %zu that "
                       "are known, is not of this version of the library",
                       size, plural(size), n);
}

tn_status options_list(diag_channel *d, const char *what, const void *list, size_t n)
{
    if (list || n == 0)
        return TN_OK;
    return diag_report(d, DIAG_Usage, NULL, NO_SPAN, "the list '%s' is NULL, and has %zu entr%s",
                       what, n, n == 1 ? "y" : "ies");
}
