/* What a program uses of what it lists, and its constants as a file. */
#include "target/target_program.h"

#include "base/memory/hash.h"

static void note_step(const target_program *p, const target_step *s, target_used *used)
{
    if (s->kind == TARGET_KERNEL) {
        used->functions[s->index] = true;
        used->shares = used->shares || target_is_shared(p, s);
    }
    for (uint32_t b = 0; b < s->n_buffers; b++)
        if (p->buffers[s->buffers[b]].place == TARGET_CONSTANT)
            used->constants[p->buffers[s->buffers[b]].index] = true;
}

/* Places for the constants that are used, one after the other, and a mark that other programs do
 * not have. */
static void place_constants(const target_program *p, target_used *used)
{
    uint64_t at = TARGET_ALIGN, mark = 0;
    for (uint32_t k = 0; k < p->n_constants; k++) {
        if (!used->constants[k])
            continue;
        const target_constant *c = &p->constants[k];
        mark = hash_bytes(hash_mix(mark, at), c->bytes, (size_t)c->n_bytes);
        used->offsets[k] = at;
        at += (c->n_bytes + TARGET_ALIGN - 1) / TARGET_ALIGN * TARGET_ALIGN;
    }
    used->weights_bytes = at;
    used->mark = mark;
}

bool target_find_used(const target_program *p, arena *memory, target_used *used)
{
    uint32_t *list = ARENA_ARRAY(memory, uint32_t, p->n_blocks), n = 0;
    used->blocks = ARENA_ARRAY(memory, bool, p->n_blocks);
    used->functions = ARENA_ARRAY(memory, bool, p->n_functions);
    used->constants = ARENA_ARRAY(memory, bool, p->n_constants);
    used->offsets = ARENA_ARRAY(memory, uint64_t, p->n_constants);
    used->shares = false;
    if (!list || !used->blocks || !used->functions || !used->constants || !used->offsets)
        return false;
    if (p->n_blocks > 0) {
        used->blocks[0] = true;
        list[n++] = 0;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < p->blocks[list[i]].n_steps; k++) {
            const target_step *s = &p->blocks[list[i]].steps[k];
            note_step(p, s, used);
            if (s->kind != TARGET_BLOCK || used->blocks[s->index])
                continue;
            used->blocks[s->index] = true;
            list[n++] = s->index;
        }
    if (p->takes_weights)
        place_constants(p, used);
    return true;
}

void target_weights(const target_program *p, text_buffer *out)
{
    arena memory;
    target_used used;
    arena_init(&memory, out->allocator);
    if (!target_find_used(p, &memory, &used)) {
        (void)text_grow(out, SIZE_MAX); /* no memory */
    } else {
        text_put(out, "tenon-w1", TARGET_MARK_AT);
        text_put(out, (const char *)&used.mark, sizeof used.mark);
        for (uint32_t k = 0; k < p->n_constants && !out->failed; k++) {
            if (!used.constants[k])
                continue;
            text_fill(out, 0, (size_t)used.offsets[k] - out->n);
            text_put(out, p->constants[k].bytes, (size_t)p->constants[k].n_bytes);
        }
        if (!out->failed)
            text_fill(out, 0, (size_t)used.weights_bytes - out->n);
    }
    arena_release(&memory);
}

bool target_block_calls(const target_block *b)
{
    for (uint32_t k = 0; k < b->n_steps; k++)
        if (b->steps[k].kind == TARGET_KERNEL || b->steps[k].kind == TARGET_BLOCK)
            return true;
    return false;
}
