/* Advice to the kernel about large pages. */
#define _DEFAULT_SOURCE
#include "base/system/huge_pages.h"

#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20, HUGE_FROM = 2 << 20 };

size_t huge_page_align(uint64_t bytes, size_t least)
{
    return bytes >= HUGE_FROM ? HUGE_PAGE : least;
}

char *in_huge_pages(char *at, uint64_t bytes)
{
#ifdef MADV_HUGEPAGE
    if (at && bytes >= HUGE_FROM) /* only advice */
        (void)madvise(at, (size_t)(bytes / HUGE_PAGE * HUGE_PAGE), MADV_HUGEPAGE);
#endif
    return at;
}
