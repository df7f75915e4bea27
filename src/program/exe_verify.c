/* Checking finished executables: what the builder and the placement promise to whoever runs them.
 */
#include "program/executable.h"

/* Does V, a view, show a buffer of its own in the end, and no circle of views? */
static bool is_based(const exe_block_info *b, uint32_t v)
{
    for (uint32_t steps = 0; b->buffers.at[v].kind == IS_VIEW; steps++) {
        v = b->buffers.at[v].index;
        if (v >= b->buffers.n || steps == b->buffers.n)
            return false;
    }
    return true;
}

static const char *check_buffer(const executable *x, const exe_block_info *b, uint32_t v)
{
    const exe_buffer_info *i = &b->buffers.at[v];
    if (i->space >= MEMORY_SPACES)
        return "a buffer in no memory";
    if ((i->kind == IS_INPUT && i->index >= b->n_inputs) ||
        (i->kind == IS_OUTPUT && i->index >= b->n_outputs))
        return "a buffer of no input or output";
    if (i->kind == IS_VIEW && (!is_based(b, v) || i->offset > b->buffers.at[i->index].bytes ||
                               i->bytes > b->buffers.at[i->index].bytes - i->offset))
        return "a view beyond its buffer";
    if (i->kind == IS_TEMP && i->first != NEVER &&
        (b->frame + i->offset > x->memory || i->bytes > x->memory - b->frame - i->offset))
        return "a temporary beyond the memory";
    return NULL;
}

/* Step S, where A is used last and B first, lets B take the place of A. */
static bool takes_over(const exe_block_info *b, const exe_step *s, uint32_t a, uint32_t z)
{
    uint64_t offset;
    for (uint32_t i = 0; i < s->n_in_place; i++)
        if (exe_root(b, s->buffers[s->in_place[i][0]], &offset) == a &&
            exe_root(b, s->buffers[s->in_place[i][1]], &offset) == z)
            return true;
    return false;
}

/* Do the temporaries A and Z share memory while both hold something? */
static bool collide(const exe_block_info *b, uint32_t a, uint32_t z)
{
    const exe_buffer_info *x = &b->buffers.at[a], *y = &b->buffers.at[z];
    if (x->first == NEVER || y->first == NEVER || x->first > y->last || y->first > x->last ||
        x->offset >= y->offset + y->bytes || y->offset >= x->offset + x->bytes)
        return false;
    if (x->last == y->first && takes_over(b, &b->steps.at[x->last].as, a, z))
        return false;
    return !(y->last == x->first && takes_over(b, &b->steps.at[y->last].as, z, a));
}

static const char *check_places(const exe_block_info *b)
{
    enum { MOST = 1000 }; /* every pair is looked at */
    for (uint32_t v = 0; b->buffers.n <= MOST && v < b->buffers.n; v++)
        for (uint32_t w = 0; b->buffers.at[v].kind == IS_TEMP && w < v; w++)
            if (b->buffers.at[w].kind == IS_TEMP && collide(b, v, w))
                return "two temporaries in one place";
    return NULL;
}

static const char *check_step(const executable *x, const exe_block_info *b, const exe_step *s)
{
    for (uint32_t i = 0; i < s->n_read + s->n_written; i++)
        if (s->buffers[i] >= b->buffers.n)
            return "a step on no buffer";
    for (uint32_t i = 0; i < s->n_in_place; i++)
        if (s->in_place[i][0] >= s->n_read || s->in_place[i][1] < s->n_read ||
            s->in_place[i][1] >= s->n_read + s->n_written)
            return "a pair in place of no operand and result";
    const uint32_t regions = s->kind == EXE_COND || s->kind == EXE_WHILE ? 2 : s->kind == EXE_SCAN;
    for (uint32_t i = 0; i < regions; i++)
        if (s->region[i] == 0 || s->region[i] >= x->blocks.n)
            return "a step with no such region";
    return s->scratch > x->scratch ? "a step with more scratch memory than there is" : NULL;
}

const char *exe_verify(const executable *x)
{
    const char *fault = x->blocks.n == 0 ? "no block" : NULL;
    for (uint32_t i = 0; !fault && i < x->blocks.n; i++) {
        const exe_block_info *b = &x->blocks.at[i];
        if (i > 0 && b->mark == 0) /* nothing runs it, so its buffers have no places */
            continue;
        for (uint32_t v = 0; !fault && v < b->buffers.n; v++)
            fault = check_buffer(x, b, v);
        for (uint32_t s = 0; !fault && s < b->steps.n; s++)
            fault = check_step(x, b, &b->steps.at[s].as);
        fault = fault ? fault : check_places(b);
    }
    return fault;
}
