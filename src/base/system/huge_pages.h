/* Large pages make sequential reads of memory faster. */
#ifndef BASE_SYSTEM_HUGE_PAGES_H
#define BASE_SYSTEM_HUGE_PAGES_H

#include <stddef.h>
#include <stdint.h>

/* The alignment that a block of BYTES should have so that it can lie in large pages: LEAST for
 * those that are too small to gain by them. */
size_t huge_page_align(uint64_t bytes, size_t least);
/* Ask for large pages for AT (which may be NULL), BYTES long and aligned as above. Returns AT. */
char *in_huge_pages(char *at, uint64_t bytes);

#endif
