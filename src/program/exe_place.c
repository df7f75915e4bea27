/* Places for temporaries: a block's steps in order, the smallest hole that fits, in place where a
 * step allows it. */
#include <string.h>

#include "program/exe_parts.h"

typedef struct hole {
    uint64_t at, bytes;
} hole;

typedef struct placing {
    executable *x;
    exe_block_info *b;
    VECTOR(hole) holes; /* by place; no two touch */
    uint64_t top;
    uint32_t *starting, *ending; /* by step: a list of temporaries */
} placing;

static void remove_hole(placing *p, uint32_t i)
{
    memmove(&p->holes.at[i], &p->holes.at[i + 1], (p->holes.n - i - 1) * sizeof(hole));
    p->holes.n--;
}

static tn_status take_room(placing *p, uint64_t bytes, uint64_t *at)
{
    uint32_t best = NEVER;
    for (uint32_t i = 0; i < p->holes.n; i++)
        if (p->holes.at[i].bytes >= bytes &&
            (best == NEVER || p->holes.at[i].bytes < p->holes.at[best].bytes))
            best = i;
    if (best != NEVER) {
        hole *h = &p->holes.at[best];
        *at = h->at;
        h->at += bytes;
        h->bytes -= bytes;
        if (h->bytes == 0)
            remove_hole(p, best);
        return TN_OK;
    }
    /* The top grows; a hole just below it is part of the room. */
    *at = p->top;
    if (p->holes.n > 0) {
        const hole *last = &p->holes.at[p->holes.n - 1];
        if (last->at + last->bytes == p->top) {
            *at = last->at;
            p->holes.n--;
        }
    }
    if (bytes > PTRDIFF_MAX / 2 - *at)
        return TN_ERR_UNAVAILABLE;
    p->top = *at + bytes;
    return TN_OK;
}

static bool give_room(placing *p, uint64_t at, uint64_t bytes)
{
    uint32_t low = 0, high = p->holes.n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (p->holes.at[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    hole *after = low < p->holes.n ? &p->holes.at[low] : NULL;
    hole *before = low > 0 ? &p->holes.at[low - 1] : NULL;
    const bool joins_after = after && at + bytes == after->at;
    if (before && before->at + before->bytes == at) {
        before->bytes += bytes;
        if (joins_after) {
            before->bytes += after->bytes;
            remove_hole(p, low);
        }
        return true;
    }
    if (joins_after) {
        after->at = at;
        after->bytes += bytes;
        return true;
    }
    if (!VECTOR_RESERVE(&p->x->allocator, &p->holes, 1))
        return false;
    memmove(&p->holes.at[low + 1], &p->holes.at[low], (p->holes.n - low) * sizeof(hole));
    p->holes.at[low] = (hole){at, bytes};
    p->holes.n++;
    return true;
}

/* ---- lives ---- */

static void note_use(exe_block_info *b, exe_buffer v, uint32_t step)
{
    uint64_t offset;
    exe_buffer_info *info = &b->buffers.at[exe_root(b, v, &offset)];
    if (info->first == NEVER)
        info->first = step;
    info->last = step;
}

/* How often step S reads V or a view of it. */
static uint32_t reads_of(const exe_block_info *b, const exe_step *s, exe_buffer v)
{
    uint32_t n = 0;
    uint64_t offset;
    for (uint32_t k = 0; k < s->n_read; k++)
        n += exe_root(b, s->buffers[k], &offset) == v;
    return n;
}

/* An operand that the first step of TO may overwrite with it, and that nothing reads later. The
 * in-place pairs of that step are looked at from number *AT on; *AT becomes the number after it.
 * NEVER: there is none. */
static exe_buffer made_of(const exe_block_info *b, exe_buffer to, uint32_t *at)
{
    const uint32_t first = b->buffers.at[to].first;
    const exe_step *s = first == NEVER ? NULL : &b->steps.at[first].as;
    while (s && *at < s->n_in_place) {
        const uint32_t *pair = s->in_place[(*at)++];
        const exe_buffer from = s->buffers[pair[0]];
        const exe_buffer_info *in = &b->buffers.at[from];
        if (s->buffers[pair[1]] == to && in->last == first &&
            in->bytes == b->buffers.at[to].bytes && reads_of(b, s, from) == 1)
            return from;
    }
    return NEVER;
}

static bool is_passed(const exe_block_info *b, uint32_t input)
{
    for (uint32_t k = 0; k < b->n_outputs; k++)
        if (b->pass[k] == input)
            return true;
    return false;
}

/* The output OUT, which the first step of the buffer V writes, may lie over the inputs that this
 * step makes V of. */
static void lie_over(exe_block_info *b, const exe_buffer_info *out, exe_buffer v)
{
    uint32_t at = 0;
    for (exe_buffer from; (from = made_of(b, v, &at)) != NEVER;) {
        const exe_buffer_info *in = &b->buffers.at[from];
        if (in->kind != IS_INPUT || is_passed(b, in->index))
            continue;
        b->over[out->index] |= exe_input_bit(in->index);
        if (in->index == out->index && !b->is_other && out->index < b->n_carries) {
            b->update[out->index] = out->index;
            b->has_updates = true;
        }
    }
}

/* What the output TO is made of in place shares its memory, as long as these are temporaries. */
static void join_output(exe_block_info *b, exe_buffer to)
{
    exe_buffer_info *out = &b->buffers.at[to];
    for (exe_buffer made = to;;) {
        uint32_t at = 0;
        const exe_buffer from = made_of(b, made, &at);
        exe_buffer_info *in = from == NEVER ? NULL : &b->buffers.at[from];
        if (in && in->kind == IS_INPUT)
            lie_over(b, out, made);
        if (!in || in->kind != IS_TEMP)
            return;
        out->first = in->first;
        in->kind = IS_VIEW;
        in->index = to;
        in->offset = 0;
        made = from;
    }
}

/* Does the loop S leave its carry K as it was? */
static bool is_kept(const executable *x, const exe_step *s, uint32_t k)
{
    if (s->kind == EXE_SCAN)
        return k < s->n_carries && x->blocks.at[s->region[0]].pass[k] == k;
    return s->kind == EXE_WHILE && x->blocks.at[s->region[0]].pass[1 + k] == k &&
           x->blocks.at[s->region[1]].pass[k] == k;
}

/* Results of the loop S that are its operands need no memory, and no copy. */
static void share_kept(const executable *x, exe_block_info *b, const exe_step *s)
{
    for (uint32_t k = 0; k < s->n_written; k++) {
        if (!is_kept(x, s, k))
            continue;
        exe_buffer_info *to = &b->buffers.at[s->buffers[s->n_read + k]];
        if (to->kind != IS_TEMP || to->bytes != b->buffers.at[s->buffers[k]].bytes)
            continue;
        to->kind = IS_VIEW;
        to->index = s->buffers[k];
        to->offset = 0;
    }
}

void exe_find_lives(const executable *x, exe_block_info *block)
{
    for (uint32_t i = 0; i < block->steps.n; i++)
        share_kept(x, block, &block->steps.at[i].as);
    for (uint32_t i = 0; i < block->steps.n; i++) {
        const exe_step *s = &block->steps.at[i].as;
        for (uint32_t k = 0; k < s->n_read + s->n_written; k++)
            note_use(block, s->buffers[k], i);
    }
    for (exe_buffer v = 0; v < block->buffers.n; v++)
        if (block->buffers.at[v].kind == IS_OUTPUT)
            join_output(block, v);
}

static bool list_lives(placing *p)
{
    const exe_block_info *b = p->b;
    p->starting = ARENA_ARRAY(&p->x->arena, uint32_t, b->steps.n);
    p->ending = ARENA_ARRAY(&p->x->arena, uint32_t, b->steps.n);
    if (!p->starting || !p->ending)
        return false;
    for (uint32_t i = 0; i < b->steps.n; i++)
        p->starting[i] = p->ending[i] = NEVER;
    for (uint32_t v = b->buffers.n; v-- > 0;) {
        exe_buffer_info *info = &b->buffers.at[v];
        if (info->kind != IS_TEMP || info->first == NEVER)
            continue;
        info->next_first = p->starting[info->first];
        p->starting[info->first] = v;
        info->next_last = p->ending[info->last];
        p->ending[info->last] = v;
    }
    return true;
}

/* ---- places ---- */

/* Let results of step I take the places of operands that end there. */
static void take_places(placing *p, uint32_t i)
{
    const exe_step *s = &p->b->steps.at[i].as;
    for (uint32_t k = 0; k < s->n_in_place; k++) {
        const exe_buffer from = s->buffers[s->in_place[k][0]], to = s->buffers[s->in_place[k][1]];
        exe_buffer_info *in = &p->b->buffers.at[from], *out = &p->b->buffers.at[to];
        if (in->kind != IS_TEMP || out->kind != IS_TEMP || in->last != i || out->first != i ||
            out->room > 0 || in->room < out->bytes || in->room == 0 || reads_of(p->b, s, from) != 1)
            continue;
        out->offset = in->offset;
        out->room = in->room;
        in->room = 0;
    }
}

static tn_status place_step(placing *p, uint32_t i)
{
    take_places(p, i);
    for (uint32_t v = p->starting[i]; v != NEVER; v = p->b->buffers.at[v].next_first) {
        exe_buffer_info *b = &p->b->buffers.at[v];
        if (b->room > 0)
            continue;
        if (!exe_rounded(b->bytes ? b->bytes : 1, &b->room))
            return TN_ERR_UNAVAILABLE;
        TN_TRY(take_room(p, b->room, &b->offset));
    }
    for (uint32_t v = p->ending[i]; v != NEVER; v = p->b->buffers.at[v].next_last) {
        const exe_buffer_info *b = &p->b->buffers.at[v];
        if (b->room > 0 && !give_room(p, b->offset, b->room))
            return TN_ERR_NOMEM;
    }
    return TN_OK;
}

tn_status exe_place_block(executable *x, exe_block_info *block)
{
    placing p = {.x = x, .b = block};
    tn_status s = list_lives(&p) ? TN_OK : TN_ERR_NOMEM;
    for (uint32_t i = 0; s == TN_OK && i < block->steps.n; i++)
        s = place_step(&p, i);
    VECTOR_RELEASE(&x->allocator, &p.holes);
    block->own = p.top;
    return s;
}
