/* The memory of runs. */
#define _DEFAULT_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "runtime/tape_parts.h"

enum { HUGE_PAGE = 2 << 20, HUGE_FROM = 4 << 20 };

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

static size_t best_align(uint64_t bytes)
{
    return bytes >= HUGE_FROM ? HUGE_PAGE : TAPE_ALIGN;
}

/* Large pages make sequential reads of memory faster. */
static char *in_huge_pages(char *at, uint64_t bytes)
{
#ifdef MADV_HUGEPAGE
    if (at && bytes >= HUGE_FROM) /* only advice */
        (void)madvise(at, (size_t)(bytes / HUGE_PAGE * HUGE_PAGE), MADV_HUGEPAGE);
#endif
    return at;
}

char *tape_large(tape *t, uint64_t bytes)
{
    return in_huge_pages(arena_alloc_aligned(&t->arena, (size_t)bytes, best_align(bytes)), bytes);
}

static char *alloc_memory(tape *t, run_state *s)
{
    return in_huge_pages(alloc_aligned(&t->allocator, t->memory, best_align(t->memory),
                                       &s->memory_block, &s->memory_bytes),
                         t->memory);
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
static void fill_table(run_state *s, const block_info *b)
{
    for (uint32_t i = 0; i < b->steps.n; i++) {
        const step_info *step = &b->steps.at[i];
        char **at = s->table + b->table + step->table;
        const uint32_t n = step->as.n_read + step->as.n_written;
        for (uint32_t k = 0; k < n + step->n_extra; k++) {
            const tape_buffer v = k < n ? step->as.buffers[k] : step->extra[k - n];
            uint64_t offset;
            if (v == TAPE_NO_BUFFER)
                continue;
            const buffer_info *info = &b->buffers.at[tape_root(b, v, &offset)];
            if (info->kind == IS_TEMP)
                at[k] = s->memory + b->frame + info->offset + offset;
            else if (info->kind == IS_CONSTANT)
                at[k] = (char *)(uintptr_t)info->data + offset;
        }
        if (step->as.kind != TAPE_KERNEL)
            continue;
        if (step->as.numbers)
            at[n] = (char *)(uintptr_t)step->as.numbers;
        if (step->as.polls)
            at[n + (step->as.numbers != NULL)] = (char *)&s->watch;
    }
}

static run_state *state_new(tape *t)
{
    const block_info *program = &t->blocks.at[0];
    const size_t pointers = (size_t)t->n_table + program->n_inputs + program->n_outputs;
    const size_t bytes = sizeof(run_state) + pointers * sizeof(char *);
    run_state *s = memory_alloc(&t->allocator, bytes);
    if (!s)
        return NULL;
    memset(s, 0, bytes);
    s->bytes = bytes;
    s->table = (char **)(void *)(s + 1);
    s->given = s->table + t->n_table;
    s->memory = alloc_memory(t, s);
    if (!s->memory) {
        state_free(t, s);
        return NULL;
    }
    for (uint32_t i = 0; i < t->blocks.n; i++)
        fill_table(s, &t->blocks.at[i]);
    return s;
}

static bool has_scratch(tape *t, run_state *s, uint32_t threads)
{
    uint64_t bytes;
    if (t->scratch == 0)
        return true;
    if (__builtin_mul_overflow(t->scratch, threads, &bytes))
        return false;
    if (s->scratch && s->scratch_bytes >= bytes + TAPE_ALIGN)
        return true;
    memory_free(&t->allocator, s->scratch_block, s->scratch_bytes);
    s->scratch_block = NULL;
    s->scratch_bytes = 0;
    s->scratch =
        alloc_aligned(&t->allocator, bytes, TAPE_ALIGN, &s->scratch_block, &s->scratch_bytes);
    return s->scratch != NULL;
}

run_state *tape_state_take(tape *t, uint32_t threads)
{
    run_state *s = atomic_exchange_explicit(&t->spare, NULL, memory_order_acquire);
    if (!s) {
        (void)pthread_mutex_lock(&t->lock); /* fails only where it is misused */
        s = t->states;
        if (s) {
            t->states = s->next;
            t->n_states--;
        }
        (void)pthread_mutex_unlock(&t->lock);
    }
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
    run_state *none = NULL;
    if (atomic_compare_exchange_strong_explicit(&t->spare, &none, s, memory_order_release,
                                                memory_order_relaxed))
        return;
    (void)pthread_mutex_lock(&t->lock);
    const bool keep = t->n_states < MOST_SPARE_STATES;
    if (keep) {
        s->next = t->states;
        t->states = s;
        t->n_states++;
    }
    (void)pthread_mutex_unlock(&t->lock);
    if (!keep)
        state_free(t, s);
}

void tape_states_free(tape *t)
{
    state_free(t, atomic_load(&t->spare));
    for (run_state *s = t->states, *next; s; s = next) {
        next = s->next;
        state_free(t, s);
    }
}
