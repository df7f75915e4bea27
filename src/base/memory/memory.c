/* Memory through the caller's allocator: single blocks, growable arrays, arenas. */
#define _DEFAULT_SOURCE /* madvise */
#include "base/memory/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define HAVE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_ASAN 1
#endif
#endif

#ifdef HAVE_ASAN
#include <sanitizer/asan_interface.h>
enum { RED_ZONE = 16 }; /* poisoned bytes between arena blocks, so that overruns are seen */
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
enum { RED_ZONE = 0 };
#endif

enum { ARENA_FIRST = 4096, ARENA_LARGEST = 8 << 20 };

struct arena_block {
    arena_block *prev;
    size_t size;      /* whole block, header included */
    size_t next_size; /* of the arena before this block was made */
};

/* Large blocks, which tensors are, begin with a cache line; huge ones with a huge page, since the
 * first touch of many small ones takes longer than most work on them. What is behind the last whole
 * one stays in small pages. */
enum { LARGE = 1 << 16, LINE = 64, HUGE_BLOCK = 2 << 20, HUGE_PAGE = 2 << 20 };

static void *large_block(size_t size)
{
    const size_t align = size >= HUGE_BLOCK ? HUGE_PAGE : LINE;
    const size_t whole = (size + align - 1) / align * align;
    void *block = aligned_alloc(align, whole);
#ifdef MADV_HUGEPAGE
    if (block && size >= HUGE_BLOCK)
        (void)madvise(block, size / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE); /* only advice */
#endif
    return block;
}

static void *system_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    if (!block && new_size >= LARGE && new_size <= SIZE_MAX - HUGE_PAGE)
        return large_block(new_size);
    return realloc(block, new_size);
}

const tn_allocator memory_system = {system_resize, NULL};

/* What an allocator is told of SIZE bytes: a block of none has one, since 0 would free it. */
static size_t block_size(size_t size)
{
    return size ? size : 1;
}

void *memory_alloc(const tn_allocator *a, size_t size)
{
    return a->resize(a->user, NULL, 0, block_size(size));
}

void *memory_resize(const tn_allocator *a, void *block, size_t old_size, size_t new_size)
{
    return a->resize(a->user, block, block ? block_size(old_size) : 0, block_size(new_size));
}

void memory_free(const tn_allocator *a, void *block, size_t size)
{
    if (block)
        (void)a->resize(a->user, block, block_size(size), 0);
}

void arena_init(arena *a, const tn_allocator *allocator)
{
    *a = (arena){.allocator = allocator, .next_size = ARENA_FIRST};
}

/* The next block is no larger than if this one had not been needed: the first touch of a large one
 * takes long, and users that come back to a mark many times may need few bytes each time. */
static void drop_last(arena *a)
{
    arena_block *block = a->last;
    a->last = block->prev;
    a->next_size = block->next_size;
    ASAN_UNPOISON_MEMORY_REGION(block, block->size);
    memory_free(a->allocator, block, block->size);
}

void arena_release(arena *a)
{
    while (a->last)
        drop_last(a);
    arena_init(a, a->allocator);
}

static void use_block_from(arena *a, char *at)
{
    a->at = at;
    a->end = (char *)a->last + a->last->size;
    ASAN_POISON_MEMORY_REGION(at, (size_t)(a->end - at));
#ifdef HAVE_ASAN
    a->end = at; /* every request takes the slow path, so that each block has its red zone */
#endif
}

void arena_reset(arena *a)
{
    if (!a->last)
        return;
    while (a->last->prev)
        drop_last(a);
    use_block_from(a, (char *)(a->last + 1));
}

arena_mark arena_here(const arena *a)
{
    return (arena_mark){a->last, a->at};
}

void arena_rewind(arena *a, arena_mark mark)
{
    while (a->last && a->last != mark.block)
        drop_last(a);
    if (a->last)
        use_block_from(a, mark.at);
    else
        a->at = a->end = NULL;
}

void *arena_alloc_slow(arena *a, size_t size, size_t align)
{
    if (size > SIZE_MAX / 2 - align - sizeof(arena_block) - RED_ZONE) {
        a->failed = true;
        return NULL;
    }
    size_t need = sizeof(arena_block) + size + align + RED_ZONE;
    size_t want = a->next_size > need && !RED_ZONE ? a->next_size : need;
    arena_block *block = memory_alloc(a->allocator, want);
    a->failed = a->failed || !block;
    if (!block)
        return NULL;
    block->prev = a->last;
    block->size = want;
    block->next_size = a->next_size;
    a->last = block;
    if (a->next_size < ARENA_LARGEST)
        a->next_size *= 2;
    use_block_from(a, (char *)(block + 1));
    uintptr_t at = ((uintptr_t)a->at + (align - 1)) & ~(uintptr_t)(align - 1);
    ASAN_UNPOISON_MEMORY_REGION((void *)at, size);
    a->at = (char *)(at + size + RED_ZONE);
    return (void *)at;
}

void *arena_calloc(arena *a, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) {
        a->failed = true;
        return NULL;
    }
    void *p = arena_alloc_aligned(a, total, 16);
    if (p)
        memset(p, 0, total);
    return p;
}

char *arena_copy_text(arena *a, const char *text, size_t length)
{
    char *copy = arena_alloc_aligned(a, length + 1, 1);
    if (!copy)
        return NULL;
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *arena_vprintf(arena *a, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *text = n < 0 ? NULL : arena_alloc_aligned(a, (size_t)n + 1, 1);
    if (text)
        (void)vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    return text;
}

char *arena_printf(arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(a, format, args);
    va_end(args);
    return text;
}

bool vector_grow(const tn_allocator *a, void **at, uint32_t *cap, uint64_t need, size_t size)
{
    uint64_t want = (uint64_t)*cap + *cap / 2 + 8;
    if (want < need)
        want = need;
    if (want > UINT32_MAX || want > SIZE_MAX / size)
        return false;
    void *moved = memory_resize(a, *at, (size_t)*cap * size, (size_t)want * size);
    if (!moved)
        return false;
    *at = moved;
    *cap = (uint32_t)want;
    return true;
}
