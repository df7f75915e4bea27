/* Memory through the caller's allocator: single blocks, growable arrays, arenas. */
#ifndef BASE_MEMORY_MEMORY_H
#define BASE_MEMORY_MEMORY_H

#include <stdarg.h>

#include "tenon/types.h"

/* Return early with any status but TN_OK. */
#define TN_TRY(expr)                                                                               \
    do {                                                                                           \
        tn_status tn_try_status_ = (expr);                                                         \
        if (tn_try_status_ != TN_OK)                                                               \
            return tn_try_status_;                                                                 \
    } while (0)

/* malloc/realloc/free as a tn_allocator. */
extern const tn_allocator memory_system;

void *memory_alloc(const tn_allocator *a, size_t size);
void *memory_resize(const tn_allocator *a, void *block, size_t old_size, size_t new_size);
void memory_free(const tn_allocator *a, void *block, size_t size);

/* An arena hands out memory that is freed all at once. Blocks grow geometrically. */
typedef struct arena_block arena_block;
typedef struct arena {
    const tn_allocator *allocator;
    arena_block *last;
    char *at;  /* next free byte of the last block */
    char *end; /* one past its last byte */
    size_t next_size;
    bool failed; /* a request got nothing, since arena_init: what is missing was no mistake */
} arena;

typedef struct arena_mark {
    arena_block *block;
    char *at;
} arena_mark;

void arena_init(arena *a, const tn_allocator *allocator);
void arena_release(arena *a);
/* Free everything but the first block; the arena can be used again. */
void arena_reset(arena *a);
/* Everything allocated after a mark can be freed by going back to it. */
arena_mark arena_here(const arena *a);
void arena_rewind(arena *a, arena_mark mark);

void *arena_alloc_slow(arena *a, size_t size, size_t align);

/* SIZE bytes with ALIGN (a power of two), or NULL. SIZE 0 gives a valid pointer. */
static inline void *arena_alloc_aligned(arena *a, size_t size, size_t align)
{
    uintptr_t at = ((uintptr_t)a->at + (align - 1)) & ~(uintptr_t)(align - 1);
    if (a->at == NULL || at > (uintptr_t)a->end || size > (uintptr_t)a->end - at)
        return arena_alloc_slow(a, size, align);
    a->at = (char *)(at + size);
    return (void *)at;
}

static inline void *arena_alloc(arena *a, size_t size)
{
    return arena_alloc_aligned(a, size, 8);
}

/* COUNT * SIZE bytes, zeroed; NULL on overflow or lack of memory. */
void *arena_calloc(arena *a, size_t count, size_t size);
/* A NUL-terminated copy of LENGTH bytes. */
char *arena_copy_text(arena *a, const char *text, size_t length);
char *arena_printf(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(arena *a, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

#define ARENA_NEW(a, type) ((type *)arena_calloc((a), 1, sizeof(type)))
#define ARENA_ARRAY(a, type, count) ((type *)arena_calloc((a), (count), sizeof(type)))

/* A growable array: struct { T *at; uint32_t n, cap; }. Grows by half; freed by VECTOR_RELEASE.
 * VECTOR_RESERVE is true when there is room for EXTRA more elements. */
#define VECTOR(T)                                                                                  \
    struct {                                                                                       \
        T *at;                                                                                     \
        uint32_t n, cap;                                                                           \
    }

bool vector_grow(const tn_allocator *a, void **at, uint32_t *cap, uint64_t need, size_t size);

#define VECTOR_RESERVE(alloc, v, extra)                                                            \
    ((uint64_t)(v)->n + (extra) <= (v)->cap ||                                                     \
     vector_grow((alloc), (void **)&(v)->at, &(v)->cap, (uint64_t)(v)->n + (extra),                \
                 sizeof *(v)->at))
/* Append ITEM; false when there is no memory. */
#define VECTOR_PUSH(alloc, v, item)                                                                \
    (VECTOR_RESERVE((alloc), (v), 1) && ((v)->at[(v)->n++] = (item), true))
#define VECTOR_RELEASE(alloc, v)                                                                   \
    (memory_free((alloc), (v)->at, (size_t)(v)->cap * sizeof *(v)->at), (v)->at = NULL,            \
     (v)->n = (v)->cap = 0)

#endif
