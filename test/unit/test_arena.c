/* What arenas ask the allocator for. */
#include "base/memory/memory.h"
#include "check.h"

static void *count_largest(void *user, void *block, size_t old_size, size_t new_size)
{
    size_t *largest = user;
    if (new_size > *largest)
        *largest = new_size;
    return memory_system.resize(NULL, block, old_size, new_size);
}

int main(void)
{
    enum { SMALL = 100, LARGE = 1 << 20, MANY = 20 };
    size_t largest = 0;
    const tn_allocator counting = {count_largest, &largest};
    arena a;
    arena_init(&a, &counting);
    const arena_mark empty = arena_here(&a);
    for (int i = 0; i < MANY; i++)
        CHECK(arena_alloc_aligned(&a, LARGE, 16) != NULL);
    CHECK(largest > LARGE);

    /* Back at a mark, few bytes are few again, however often that happens. */
    arena_rewind(&a, empty);
    largest = 0;
    for (int i = 0; i < MANY; i++) {
        CHECK(arena_alloc_aligned(&a, SMALL, 16) != NULL);
        arena_rewind(&a, empty);
    }
    CHECK(largest < LARGE / 2);
    arena_release(&a);
    return check_result();
}
