/* The memory of runs. */
#include <string.h>

#include "base/system/huge_pages.h"
#include "runtime/tape_parts.h"

/* BYTES with ALIGN, inside *BLOCK of *BLOCK_BYTES. */
static char *alloc_aligned(const tn_allocator *a, uint64_t bytes, size_t align, void **block,
                           size_t *block_bytes)
{
    if (bytes > PTRDIFF_MAX / 2)
        return NULL;
    *block = memory_alloc(a, (size_t)bytes + align);
    if (!*block)
        return NULL;
    *block_bytes = (size_t)bytes + align;
    return (char *)*block + (-(uintptr_t)*block & (align - 1));
}

static char *alloc_memory(tape *t, run_state *s)
{
    const uint64_t bytes = t->exe->memory;
    const size_t align = huge_page_align(bytes, EXE_ALIGN);
    return in_huge_pages(
        alloc_aligned(&t->allocator, bytes, align, &s->memory_block, &s->memory_bytes), bytes);
}

static void state_free(tape *t, run_state *s)
{
    if (!s)
        return;
    memory_free(&t->allocator, s->memory_block, s->memory_bytes);
    memory_free(&t->allocator, s->scratch_block, s->scratch_bytes);
    memory_free(&t->allocator, s->staged_block, s->staged_bytes);
    memory_free(&t->allocator, s, s->bytes);
}

/* The pointers that no run changes. */
static void fill_table(run_state *s, const exe_block_info *b)
{
    for (uint32_t i = 0; i < b->steps.n; i++) {
        const exe_step_info *step = &b->steps.at[i];
        char **at = s->table + b->table + step->table;
        const uint32_t n = step->as.n_read + step->as.n_written;
        for (uint32_t k = 0; k < n + step->n_extra; k++) {
            const exe_buffer v = k < n ? step->as.buffers[k] : step->extra[k - n];
            uint64_t offset;
            if (v == EXE_NO_BUFFER)
                continue;
            const exe_buffer_info *info = &b->buffers.at[exe_root(b, v, &offset)];
            if (info->kind == IS_TEMP)
                at[k] = s->memory + b->frame + info->offset + offset;
            else if (info->kind == IS_CONSTANT)
                at[k] = (char *)(uintptr_t)info->data + offset;
        }
        if (step->as.kind != EXE_KERNEL)
            continue;
        if (step->as.numbers)
            at[n] = (char *)(uintptr_t)step->as.numbers;
        if (step->as.polls)
            at[n + (step->as.numbers != NULL)] = (char *)&s->watch;
    }
}

static run_state *state_new(tape *t)
{
    const exe_block_info *program = &t->exe->blocks.at[0];
    const size_t pointers = (size_t)t->exe->n_table + program->n_inputs + program->n_outputs;
    const size_t bytes = sizeof(run_state) + pointers * sizeof(char *);
    run_state *s = memory_alloc(&t->allocator, bytes);
    if (!s)
        return NULL;
    memset(s, 0, bytes);
    s->bytes = bytes;
    s->table = (char **)(void *)(s + 1);
    s->given = s->table + t->exe->n_table;
    s->memory = alloc_memory(t, s);
    if (!s->memory) {
        state_free(t, s);
        return NULL;
    }
    for (uint32_t i = 0; i < t->exe->blocks.n; i++)
        fill_table(s, &t->exe->blocks.at[i]);
    return s;
}

static bool has_scratch(tape *t, run_state *s, uint32_t threads)
{
    uint64_t bytes;
    if (t->exe->scratch == 0)
        return true;
    if (__builtin_mul_overflow(t->exe->scratch, threads, &bytes))
        return false;
    if (s->scratch && s->scratch_bytes >= bytes + EXE_ALIGN)
        return true;
    memory_free(&t->allocator, s->scratch_block, s->scratch_bytes);
    s->scratch_block = NULL;
    s->scratch_bytes = 0;
    s->scratch =
        alloc_aligned(&t->allocator, bytes, EXE_ALIGN, &s->scratch_block, &s->scratch_bytes);
    return s->scratch != NULL;
}

run_state *tape_state_take(tape *t, uint32_t threads)
{
    run_state *s = NULL;
    for (uint32_t i = 0; !s && i < MOST_SPARE_STATES; i++)
        if (atomic_load_explicit(&t->spare[i], memory_order_relaxed))
            s = atomic_exchange_explicit(&t->spare[i], NULL, memory_order_acquire);
    if (!s)
        s = state_new(t);
    if (s && !has_scratch(t, s, threads)) {
        tape_state_give_back(t, s);
        return NULL;
    }
    return s;
}

void tape_state_give_back(tape *t, run_state *s)
{
    for (uint32_t i = 0; i < MOST_SPARE_STATES; i++) {
        run_state *none = NULL;
        if (atomic_compare_exchange_strong_explicit(&t->spare[i], &none, s, memory_order_release,
                                                    memory_order_relaxed))
            return;
    }
    state_free(t, s);
}

void tape_states_free(tape *t)
{
    for (uint32_t i = 0; i < MOST_SPARE_STATES; i++)
        state_free(t, atomic_load(&t->spare[i]));
}
