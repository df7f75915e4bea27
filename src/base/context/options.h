/* Options of callers who may have been compiled with other versions of the public headers.
 *
 * Each structure of options begins with `size_t size`: the caller's sizeof, or 0 for the first
 * layout, that of version 0.1, which ended with the field that its reader names here for good. New
 * fields are added at the end, never into padding, and mean with 0 what was so before. */
#ifndef BASE_CONTEXT_OPTIONS_H
#define BASE_CONTEXT_OPTIONS_H

#include "base/context/diag.h"

/* Copy FROM, which may be NULL, to TO of N bytes; what FROM lacks is zero. FIRST: the bytes of the
 * first layout. False when FROM is smaller than that, or sets what is not known here. */
bool options_take(void *to, size_t n, const void *from, size_t first);
/* The same, and a report of what is wrong. */
tn_status options_read(diag_channel *d, void *to, size_t n, const void *from, size_t first);

/* Structures that the library fills, of whose size alone it has to know: what is in them before
 * does not matter.
 *
 * Copy FROM of N bytes to the caller's TO, as far as that goes by its size, which stays; what TO
 * has behind the N becomes 0. */
void options_give(void *to, const void *from, size_t n, size_t first);
/* Is TO, which may be NULL, as large as the FIRST layout? */
bool options_has_room(const void *to, size_t first);
/* The same, and a report where it is not. */
tn_status options_room(diag_channel *d, const void *to, size_t first);

/* Report a LIST of N entries that is NULL, though N is not 0; WHAT is what the caller calls it. */
tn_status options_list(diag_channel *d, const char *what, const void *list, size_t n);

/* These for the structure TYPE, whose first layout ended with the field LAST. */
#define OPTIONS_FIRST(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))
#define OPTIONS_TAKE(type, last, to, from)                                                         \
    options_take((to), sizeof(type), (from), OPTIONS_FIRST(type, last))
#define OPTIONS_READ(d, type, last, to, from)                                                      \
    options_read((d), (to), sizeof(type), (from), OPTIONS_FIRST(type, last))
#define OPTIONS_GIVE(type, last, to, from)                                                         \
    options_give((to), (from), sizeof(type), OPTIONS_FIRST(type, last))
#define OPTIONS_HAS_ROOM(type, last, to) options_has_room((to), OPTIONS_FIRST(type, last))
#define OPTIONS_ROOM(d, type, last, to) options_room((d), (to), OPTIONS_FIRST(type, last))

#endif
