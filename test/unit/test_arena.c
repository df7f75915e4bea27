/* What arenas and single blocks ask the allocator for. */
#include "base/memory/memory.h"
#include "check.h"

static void *count_largest(void *user, void *block, size_t old_size, size_t new_size)
{
    size_t *largest = user;
    if (new_size > *largest)
        *largest = new_size;
    return memory_system.resize(NULL, block, old_size, new_size);
}

static void *remember_size(void *user, void *block, size_t old_size, size_t new_size)
{
    size_t *size = user;
    CHECK_INT(old_size, block ? *size : 0);
    *size = new_size;
    return memory_system.resize(NULL, block, old_size, new_size);
}

/* The allocator is told the size of a block again when it is resized or freed; of none, too. */
static void test_sizes_come_back(void)
{
    size_t size = 0;
    const tn_allocator a = {remember_size, &size};
    void *block = memory_alloc(&a, 0);
    CHECK(block != NULL && size > 0);
    block = memory_resize(&a, block, 0, 8);
    block = memory_resize(&a, block, 8, 0);
    CHECK(block != NULL && size > 0);
    memory_free(&a, block, 0);
    CHECK_INT(size, 0);
}

int main(void)
{
    test_sizes_come_back();
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
