/* Building tapes. */
#include "runtime/tape.h"

#include <string.h>

#include "runtime/tape_parts.h"

/* ---- making and freeing ---- */

tape *tape_new(const tn_allocator *allocator)
{
    tape *t = memory_alloc(allocator, sizeof *t);
    if (!t)
        return NULL;
    memset(t, 0, sizeof *t);
    t->allocator = *allocator;
    arena_init(&t->arena, &t->allocator);
    t->has_lock = pthread_mutex_init(&t->lock, NULL) == 0;
    t->failed = !t->has_lock;
    return t;
}

void tape_free(tape *t)
{
    if (!t)
        return;
    if (t->release)
        t->release(t->kept);
    tape_states_free(t);
    for (uint32_t i = 0; i < t->blocks.n; i++) {
        block_info *b = &t->blocks.at[i];
        VECTOR_RELEASE(&t->allocator, &b->buffers);
        VECTOR_RELEASE(&t->allocator, &b->steps);
        VECTOR_RELEASE(&t->allocator, &b->ports);
    }
    VECTOR_RELEASE(&t->allocator, &t->blocks);
    arena_release(&t->arena);
    if (t->has_lock)
        (void)pthread_mutex_destroy(&t->lock);
    const tn_allocator a = t->allocator;
    memory_free(&a, t, sizeof *t);
}

void tape_keep(tape *t, void (*release)(void *user), void *user)
{
    t->release = release;
    t->kept = user;
}

arena *tape_memory(tape *t)
{
    return &t->arena;
}

/* ---- blocks and buffers ---- */

static void fill(void *to, int byte, size_t bytes)
{
    if (to)
        memset(to, byte, bytes);
}

uint32_t tape_block_add(tape *t, uint32_t n_inputs, uint32_t n_outputs)
{
    block_info b = {.n_inputs = n_inputs, .n_outputs = n_outputs};
    b.input_bytes = ARENA_ARRAY(&t->arena, uint64_t, n_inputs);
    b.output_bytes = ARENA_ARRAY(&t->arena, uint64_t, n_outputs);
    b.pass = ARENA_ARRAY(&t->arena, uint32_t, n_outputs);
    b.update = ARENA_ARRAY(&t->arena, uint32_t, n_outputs);
    b.over = ARENA_ARRAY(&t->arena, uint32_t, n_outputs);
    fill(b.input_bytes, 0xff, n_inputs * sizeof *b.input_bytes);
    fill(b.output_bytes, 0xff, n_outputs * sizeof *b.output_bytes);
    fill(b.pass, 0xff, n_outputs * sizeof *b.pass);
    fill(b.update, 0xff, n_outputs * sizeof *b.update);
    fill(b.over, 0xff, n_outputs * sizeof *b.over);
    if (!b.input_bytes || !b.output_bytes || !b.pass || !b.update || !b.over ||
        !VECTOR_PUSH(&t->allocator, &t->blocks, b)) {
        t->failed = true;
        return 0;
    }
    return t->blocks.n - 1;
}

/* NULL once something failed, so that every number given is one that exists. */
static block_info *block_at(tape *t, uint32_t block)
{
    if (block >= t->blocks.n)
        t->failed = true;
    return t->failed ? NULL : &t->blocks.at[block];
}

static tape_buffer add_buffer(tape *t, uint32_t block, buffer_info info)
{
    block_info *b = block_at(t, block);
    uint64_t rounded;
    if (!b)
        return 0;
    info.first = info.last = info.next_first = info.next_last = NEVER;
    if (!tape_rounded(info.bytes, &rounded) || !VECTOR_PUSH(&t->allocator, &b->buffers, info)) {
        t->failed = true;
        return 0;
    }
    return b->buffers.n - 1;
}

tape_buffer tape_input(tape *t, uint32_t block, uint32_t index, uint64_t bytes)
{
    block_info *b = block_at(t, block);
    if (b && index < b->n_inputs)
        b->input_bytes[index] = bytes;
    else
        t->failed = true;
    return add_buffer(t, block, (buffer_info){.kind = IS_INPUT, .index = index, .bytes = bytes});
}

tape_buffer tape_output(tape *t, uint32_t block, uint32_t index, uint64_t bytes)
{
    block_info *b = block_at(t, block);
    if (b && index < b->n_outputs)
        b->output_bytes[index] = bytes;
    else
        t->failed = true;
    return add_buffer(t, block, (buffer_info){.kind = IS_OUTPUT, .index = index, .bytes = bytes});
}

tape_buffer tape_constant(tape *t, uint32_t block, const void *data, uint64_t bytes)
{
    return add_buffer(t, block, (buffer_info){.kind = IS_CONSTANT, .data = data, .bytes = bytes});
}

tape_buffer tape_temp(tape *t, uint32_t block, uint64_t bytes)
{
    return add_buffer(t, block, (buffer_info){.kind = IS_TEMP, .bytes = bytes});
}

tape_buffer tape_view(tape *t, uint32_t block, tape_buffer of, uint64_t offset, uint64_t bytes)
{
    const block_info *b = block_at(t, block);
    if (!b)
        return 0;
    if (of >= b->buffers.n || offset > b->buffers.at[of].bytes ||
        bytes > b->buffers.at[of].bytes - offset) {
        t->failed = true;
        return 0;
    }
    return add_buffer(
        t, block, (buffer_info){.kind = IS_VIEW, .index = of, .offset = offset, .bytes = bytes});
}

void tape_pass(tape *t, uint32_t block, uint32_t output, uint32_t input)
{
    block_info *b = block_at(t, block);
    if (!b || output >= b->n_outputs || input >= b->n_inputs) {
        t->failed = true;
        return;
    }
    b->pass[output] = input;
    b->has_passes = true;
}

void tape_fail(tape *t)
{
    t->failed = true;
}

/* ---- steps ---- */

static void *copied(tape *t, const void *from, size_t count, size_t size)
{
    void *to = arena_calloc(&t->arena, count, size);
    if (!to)
        t->failed = true;
    else if (count > 0)
        memcpy(to, from, count * size);
    return to;
}

void tape_step_add(tape *t, uint32_t block, const tape_step *step)
{
    block_info *b = block_at(t, block);
    step_info s = {.as = *step};
    const uint32_t n = step->n_read + step->n_written;
    if (!b)
        return;
    for (uint32_t k = 0; k < n; k++)
        if (step->buffers[k] >= b->buffers.n)
            t->failed = true;
    for (uint32_t k = 0; k < step->n_in_place; k++)
        if (step->in_place[k][0] >= step->n_read || step->in_place[k][1] < step->n_read ||
            step->in_place[k][1] >= n)
            t->failed = true;
    s.as.buffers = copied(t, step->buffers, n, sizeof *step->buffers);
    s.as.in_place = copied(t, step->in_place, step->n_in_place, sizeof *step->in_place);
    s.pieces = step->kind == TAPE_KERNEL ? step->extent / (step->grain > 1 ? step->grain : 1) : 0;
    if (!t->failed && !VECTOR_PUSH(&t->allocator, &b->steps, s))
        t->failed = true;
    t->uses_threads = t->uses_threads || s.pieces > 1 ||
                      (step->kind == TAPE_COPY && step->bytes >= 2 * COPY_GRAIN);
    if (step->scratch > t->scratch)
        t->scratch = step->scratch;
}

/* ---- what loops need beside their operands and results ---- */

static bool region_fits(const tape *t, uint32_t region, uint32_t n_inputs, uint32_t n_outputs)
{
    return region > 0 && region < t->blocks.n && t->blocks.at[region].n_inputs == n_inputs &&
           t->blocks.at[region].n_outputs == n_outputs;
}

static bool step_fits(const tape *t, const tape_step *s)
{
    switch (s->kind) {
    case TAPE_COND:
        return s->n_read >= 1 && region_fits(t, s->region[0], s->n_read - 1, s->n_written) &&
               region_fits(t, s->region[1], s->n_read - 1, s->n_written);
    case TAPE_WHILE:
        return s->n_read == s->n_written &&
               region_fits(t, s->region[0], s->n_read, s->n_read + 1) &&
               region_fits(t, s->region[1], s->n_read, s->n_read);
    case TAPE_SCAN:
        return s->n_carries <= s->n_read && s->n_carries <= s->n_written && s->iterations >= 0 &&
               region_fits(t, s->region[0], s->n_read, s->n_written);
    case TAPE_COPY:
        return s->n_read == 1 && s->n_written == 1;
    case TAPE_KERNEL:
        return s->kernel != NULL;
    case TAPE_HOST:
    default:
        return s->host != NULL;
    }
}

static void note_body(block_info *b, uint32_t n_carries)
{
    const bool is_first = b->mark == 0;
    b->mark = 1;
    b->n_carries = is_first || n_carries < b->n_carries ? n_carries : b->n_carries;
}

/* What each block is a region of. */
static bool note_regions(tape *t)
{
    for (uint32_t i = 0; i < t->blocks.n; i++)
        for (uint32_t k = 0; k < t->blocks.at[i].steps.n; k++) {
            const tape_step *s = &t->blocks.at[i].steps.at[k].as;
            if (!step_fits(t, s))
                return false;
            if (s->kind == TAPE_SCAN)
                note_body(&t->blocks.at[s->region[0]], s->n_carries);
            if (s->kind == TAPE_WHILE)
                note_body(&t->blocks.at[s->region[1]], s->n_read);
            if (s->kind == TAPE_COND || s->kind == TAPE_WHILE)
                t->blocks.at[s->region[0]].is_other = true;
            if (s->kind == TAPE_COND)
                t->blocks.at[s->region[1]].is_other = true;
        }
    for (uint32_t i = 0; i < t->blocks.n; i++)
        t->blocks.at[i].mark = 0;
    return true;
}

/* Memory for the values of a loop beside the results: a second buffer for each value that an
 * iteration computes. */
static void add_extra(tape *t, uint32_t block, uint32_t at)
{
    const tape_step s = t->blocks.at[block].steps.at[at].as;
    uint32_t n_extra = 0, n_slots = 0;
    tape_buffer *extra;
    if (s.kind == TAPE_WHILE) {
        n_extra = 2 * s.n_read + 1;
        n_slots = 3 * s.n_read + 1;
    } else if (s.kind == TAPE_SCAN) {
        n_extra = s.n_carries;
        n_slots = s.n_read + s.n_written;
    } else if (s.kind == TAPE_COND) {
        n_slots = s.n_read;
    } else if (s.kind == TAPE_KERNEL) {
        n_slots = (uint32_t)s.polls + (s.numbers != NULL);
    }
    extra = ARENA_ARRAY(&t->arena, tape_buffer, n_extra);
    if (!extra) {
        t->failed = true;
        return;
    }
    const block_info *cond = &t->blocks.at[s.region[0]], *body = cond;
    if (s.kind == TAPE_WHILE)
        body = &t->blocks.at[s.region[1]];
    const uint32_t n = s.kind == TAPE_WHILE ? s.n_read : s.n_carries;
    for (uint32_t k = 0; k < n_extra && !t->failed; k++) {
        if (k == 2 * n) {
            extra[k] = tape_temp(t, block, 1); /* the predicate */
            continue;
        }
        const uint32_t of = k < n ? k : k - n;
        const bool needed =
            k < n ? body->pass[of] != of && body->update[of] != of : cond->pass[1 + of] != of;
        extra[k] = TAPE_NO_BUFFER;
        if (needed)
            extra[k] =
                tape_temp(t, block, t->blocks.at[block].buffers.at[s.buffers[s.n_read + of]].bytes);
    }
    for (uint32_t k = 0; k < n_extra && !t->failed; k++)
        if (extra[k] != TAPE_NO_BUFFER) {
            buffer_info *b = &t->blocks.at[block].buffers.at[extra[k]];
            b->first = b->last = at;
        }
    step_info *own = &t->blocks.at[block].steps.at[at];
    own->extra = extra;
    own->n_extra = n_extra;
    own->n_slots = n_slots;
}

/* ---- finishing ---- */

/* Every input and output is told. */
static bool block_is_whole(const block_info *b)
{
    for (uint32_t i = 0; i < b->n_inputs; i++)
        if (b->input_bytes[i] == UINT64_MAX)
            return false;
    for (uint32_t k = 0; k < b->n_outputs; k++) {
        if (b->pass[k] != NEVER)
            b->output_bytes[k] = b->input_bytes[b->pass[k]];
        if (b->output_bytes[k] == UINT64_MAX)
            return false;
    }
    return true;
}

static bool add_ports(tape *t, block_info *b, const step_info *s)
{
    for (uint32_t k = 0; k < s->as.n_read + s->as.n_written; k++) {
        port p = {.at = s->table + k};
        const buffer_info *info = &b->buffers.at[tape_root(b, s->as.buffers[k], &p.offset)];
        p.index = info->index;
        p.is_output = info->kind == IS_OUTPUT;
        if ((info->kind == IS_INPUT || p.is_output) && !VECTOR_PUSH(&t->allocator, &b->ports, p))
            return false;
    }
    return true;
}

static bool finish_block(tape *t, uint32_t block)
{
    for (uint32_t i = 0; i < t->blocks.at[block].steps.n && !t->failed; i++)
        add_extra(t, block, i);
    block_info *b = &t->blocks.at[block];
    uint64_t n = 0;
    for (uint32_t i = 0; i < b->steps.n && !t->failed; i++) {
        step_info *s = &b->steps.at[i];
        s->table = (uint32_t)n;
        n += (uint64_t)s->as.n_read + s->as.n_written + s->n_extra + s->n_slots;
        if (n > UINT32_MAX / 2 || !add_ports(t, b, s))
            return false;
    }
    b->table = t->n_table;
    b->n_table = (uint32_t)n;
    if (n + t->n_table > UINT32_MAX / 2)
        return false;
    t->n_table += b->n_table;
    return !t->failed && tape_place_block(t, b);
}

/* The blocks in the order in which the last region of each is left. */
static bool follow_regions(tape *t, uint32_t block, uint32_t depth, uint32_t *order, uint32_t *n)
{
    enum { OPEN = 1, DONE = 2 };
    block_info *b = &t->blocks.at[block];
    if (b->mark == DONE)
        return true;
    if (b->mark == OPEN || depth > MOST_REGIONS_DEEP)
        return false;
    b->mark = OPEN;
    for (uint32_t i = 0; i < b->steps.n; i++) {
        tape_step *s = &b->steps.at[i].as;
        const uint32_t n_regions = s->kind == TAPE_SCAN                            ? 1
                                   : s->kind == TAPE_COND || s->kind == TAPE_WHILE ? 2
                                                                                   : 0;
        s->may_fail =
            (s->kind == TAPE_HOST && !s->is_certain) || (s->kind == TAPE_KERNEL && s->may_fail);
        for (uint32_t k = 0; k < n_regions; k++) {
            if (!follow_regions(t, s->region[k], depth + 1, order, n))
                return false;
            s->may_fail = s->may_fail || t->blocks.at[s->region[k]].may_fail;
        }
        b->may_fail = b->may_fail || s->may_fail;
    }
    b->mark = DONE;
    order[(*n)++] = block;
    return true;
}

/* Each block's memory lies behind that of every block that runs it. */
static bool give_frames(tape *t)
{
    uint32_t n = 0;
    uint32_t *order = ARENA_ARRAY(&t->arena, uint32_t, t->blocks.n);
    if (!order || !follow_regions(t, 0, 0, order, &n))
        return false;
    for (uint32_t i = n; i-- > 0;) {
        const block_info *b = &t->blocks.at[order[i]];
        if (b->own > PTRDIFF_MAX / 2 - b->frame)
            return false;
        const uint64_t end = b->frame + b->own;
        t->memory = end > t->memory ? end : t->memory;
        for (uint32_t k = 0; k < b->steps.n; k++) {
            const tape_step *s = &b->steps.at[k].as;
            const bool has_regions =
                s->kind == TAPE_COND || s->kind == TAPE_WHILE || s->kind == TAPE_SCAN;
            for (uint32_t r = 0; has_regions && r < (s->kind == TAPE_SCAN ? 1 : 2); r++) {
                block_info *region = &t->blocks.at[s->region[r]];
                region->frame = end > region->frame ? end : region->frame;
            }
        }
    }
    return true;
}

/* Which outputs are written by a step that can fail or is followed by one that can. */
static bool find_early_outputs(tape *t)
{
    const block_info *b = &t->blocks.at[0];
    t->is_early = ARENA_ARRAY(&t->arena, bool, b->n_outputs);
    if (!t->is_early)
        return false;
    bool can_fail = false;
    for (uint32_t i = b->steps.n; i-- > 0;) {
        const tape_step *s = &b->steps.at[i].as;
        can_fail = can_fail || s->may_fail;
        for (uint32_t k = s->n_read; can_fail && k < s->n_read + s->n_written; k++) {
            uint64_t offset;
            const buffer_info *info = &b->buffers.at[tape_root(b, s->buffers[k], &offset)];
            if (info->kind == IS_OUTPUT)
                t->is_early[info->index] = true;
        }
    }
    return true;
}

bool tape_finish(tape *t)
{
    uint64_t scratch;
    if (t->blocks.n == 0)
        t->failed = true;
    for (uint32_t i = 0; i < t->blocks.n && !t->failed; i++)
        t->failed = !block_is_whole(&t->blocks.at[i]);
    t->failed = t->failed || !note_regions(t);
    for (uint32_t i = 0; i < t->blocks.n && !t->failed; i++)
        tape_find_lives(&t->blocks.at[i]);
    for (uint32_t i = 0; i < t->blocks.n && !t->failed; i++)
        t->failed = !finish_block(t, i);
    t->failed = t->failed || !give_frames(t) || !find_early_outputs(t) ||
                !tape_rounded(t->scratch, &scratch);
    if (!t->failed)
        t->scratch = scratch;
    return !t->failed;
}

/* ---- what is known ---- */

uint64_t tape_bytes(const tape *t, uint32_t threads)
{
    return t->memory + t->scratch * (threads > 1 ? threads : 1) +
           (uint64_t)t->n_table * sizeof(char *);
}

bool tape_uses_threads(const tape *t)
{
    return t->uses_threads;
}

uint32_t tape_step_count(const tape *t, uint32_t block)
{
    return t->blocks.at[block].steps.n;
}

const tape_step *tape_step_at(const tape *t, uint32_t block, uint32_t index)
{
    return &t->blocks.at[block].steps.at[index].as;
}

uint64_t tape_place_of(const tape *t, uint32_t block, tape_buffer b)
{
    const block_info *info = &t->blocks.at[block];
    uint64_t offset;
    const buffer_info *root = &info->buffers.at[tape_root(info, b, &offset)];
    return root->kind == IS_TEMP ? info->frame + root->offset + offset : UINT64_MAX;
}
