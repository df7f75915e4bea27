/* What a program uses of what it lists. */
#include "target/program.h"

static void note_step(const target_program *p, const target_step *s, target_used *used)
{
    if (s->kind == TARGET_KERNEL)
        used->functions[s->index] = true;
    for (uint32_t b = 0; b < s->n_buffers; b++)
        if (p->buffers[s->buffers[b]].place == TARGET_CONSTANT)
            used->constants[p->buffers[s->buffers[b]].index] = true;
}

bool target_find_used(const target_program *p, arena *memory, target_used *used)
{
    uint32_t *list = ARENA_ARRAY(memory, uint32_t, p->n_blocks), n = 0;
    used->blocks = ARENA_ARRAY(memory, bool, p->n_blocks);
    used->functions = ARENA_ARRAY(memory, bool, p->n_functions);
    used->constants = ARENA_ARRAY(memory, bool, p->n_constants);
    if (!list || !used->blocks || !used->functions || !used->constants)
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
    return true;
}

bool target_block_calls(const target_block *b)
{
    for (uint32_t k = 0; k < b->n_steps; k++)
        if (b->steps[k].kind == TARGET_KERNEL || b->steps[k].kind == TARGET_BLOCK)
            return true;
    return false;
}
