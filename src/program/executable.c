/* Building executables. */
#include "program/executable.h"

#include <assert.h>
#include <string.h>

#include "program/exe_parts.h"

/* ---- making and freeing ---- */

executable *exe_new(const tn_allocator *allocator)
{
    executable *x = memory_alloc(allocator, sizeof *x);
    if (!x)
        return NULL;
    memset(x, 0, sizeof *x);
    x->allocator = *allocator;
    arena_init(&x->arena, &x->allocator);
    return x;
}

void exe_free(executable *x)
{
    if (!x)
        return;
    for (uint32_t i = 0; i < x->blocks.n; i++) {
        exe_block_info *b = &x->blocks.at[i];
        VECTOR_RELEASE(&x->allocator, &b->buffers);
        VECTOR_RELEASE(&x->allocator, &b->steps);
        VECTOR_RELEASE(&x->allocator, &b->ports);
    }
    VECTOR_RELEASE(&x->allocator, &x->blocks);
    arena_release(&x->arena);
    const tn_allocator a = x->allocator;
    memory_free(&a, x, sizeof *x);
}

arena *exe_memory(executable *x)
{
    return &x->arena;
}

/* The first reason stays. */
static void fail(executable *x, tn_status why)
{
    if (!x->failed)
        x->why = why;
    x->failed = true;
}

/* ---- blocks and buffers ---- */

static void fill(void *to, int byte, size_t bytes)
{
    if (to)
        memset(to, byte, bytes);
}

uint32_t exe_block_add(executable *x, uint32_t n_inputs, uint32_t n_outputs)
{
    exe_block_info b = {.n_inputs = n_inputs, .n_outputs = n_outputs};
    b.input_bytes = ARENA_ARRAY(&x->arena, uint64_t, n_inputs);
    b.output_bytes = ARENA_ARRAY(&x->arena, uint64_t, n_outputs);
    b.pass = ARENA_ARRAY(&x->arena, uint32_t, n_outputs);
    b.update = ARENA_ARRAY(&x->arena, uint32_t, n_outputs);
    b.over = ARENA_ARRAY(&x->arena, uint64_t, n_outputs);
    fill(b.input_bytes, 0xff, n_inputs * sizeof *b.input_bytes);
    fill(b.output_bytes, 0xff, n_outputs * sizeof *b.output_bytes);
    fill(b.pass, 0xff, n_outputs * sizeof *b.pass);
    fill(b.update, 0xff, n_outputs * sizeof *b.update);
    if (!b.input_bytes || !b.output_bytes || !b.pass || !b.update || !b.over ||
        !VECTOR_PUSH(&x->allocator, &x->blocks, b)) {
        exe_fail(x);
        return 0;
    }
    return x->blocks.n - 1;
}

/* NULL once something failed, so that every number given is one that exists. */
static exe_block_info *block_at(executable *x, uint32_t block)
{
    if (block >= x->blocks.n)
        fail(x, TN_ERR_INTERNAL);
    return x->failed ? NULL : &x->blocks.at[block];
}

static exe_buffer add_buffer(executable *x, uint32_t block, exe_buffer_info info)
{
    exe_block_info *b = block_at(x, block);
    uint64_t rounded;
    if (!b)
        return 0;
    info.first = info.last = info.next_first = info.next_last = NEVER;
    if (!exe_rounded(info.bytes, &rounded))
        fail(x, TN_ERR_UNAVAILABLE);
    else if (!VECTOR_PUSH(&x->allocator, &b->buffers, info))
        exe_fail(x);
    if (x->failed)
        return 0;
    return b->buffers.n - 1;
}

exe_buffer exe_input(executable *x, uint32_t block, uint32_t index, uint64_t bytes)
{
    exe_block_info *b = block_at(x, block);
    if (b && index < b->n_inputs)
        b->input_bytes[index] = bytes;
    else
        fail(x, TN_ERR_INTERNAL);
    return add_buffer(x, block,
                      (exe_buffer_info){.kind = IS_INPUT, .index = index, .bytes = bytes});
}

exe_buffer exe_output(executable *x, uint32_t block, uint32_t index, uint64_t bytes)
{
    exe_block_info *b = block_at(x, block);
    if (b && index < b->n_outputs)
        b->output_bytes[index] = bytes;
    else
        fail(x, TN_ERR_INTERNAL);
    return add_buffer(x, block,
                      (exe_buffer_info){.kind = IS_OUTPUT, .index = index, .bytes = bytes});
}

exe_buffer exe_constant(executable *x, uint32_t block, const void *data, uint64_t bytes)
{
    return add_buffer(x, block,
                      (exe_buffer_info){.kind = IS_CONSTANT, .data = data, .bytes = bytes});
}

exe_buffer exe_temp(executable *x, uint32_t block, uint64_t bytes)
{
    return add_buffer(x, block, (exe_buffer_info){.kind = IS_TEMP, .bytes = bytes});
}

exe_buffer exe_view(executable *x, uint32_t block, exe_buffer of, uint64_t offset, uint64_t bytes)
{
    const exe_block_info *b = block_at(x, block);
    if (!b)
        return 0;
    if (of >= b->buffers.n || offset > b->buffers.at[of].bytes ||
        bytes > b->buffers.at[of].bytes - offset) {
        fail(x, TN_ERR_INTERNAL);
        return 0;
    }
    return add_buffer(
        x, block,
        (exe_buffer_info){.kind = IS_VIEW, .index = of, .offset = offset, .bytes = bytes});
}

void exe_pass(executable *x, uint32_t block, uint32_t output, uint32_t input)
{
    exe_block_info *b = block_at(x, block);
    if (!b || output >= b->n_outputs || input >= b->n_inputs) {
        fail(x, TN_ERR_INTERNAL);
        return;
    }
    b->pass[output] = input;
    b->has_passes = true;
}

void exe_fail(executable *x)
{
    fail(x, TN_ERR_NOMEM);
}

/* ---- steps ---- */

static void *copied(executable *x, const void *from, size_t count, size_t size)
{
    void *to = arena_calloc(&x->arena, count, size);
    if (!to)
        exe_fail(x);
    else if (count > 0)
        memcpy(to, from, count * size);
    return to;
}

void exe_step_add(executable *x, uint32_t block, const exe_step *step)
{
    exe_block_info *b = block_at(x, block);
    exe_step_info s = {.as = *step};
    const uint32_t n = step->n_read + step->n_written;
    if (!b)
        return;
    for (uint32_t k = 0; k < n; k++)
        if (step->buffers[k] >= b->buffers.n)
            fail(x, TN_ERR_INTERNAL);
    for (uint32_t k = 0; k < step->n_in_place; k++)
        if (step->in_place[k][0] >= step->n_read || step->in_place[k][1] < step->n_read ||
            step->in_place[k][1] >= n)
            fail(x, TN_ERR_INTERNAL);
    s.as.buffers = copied(x, step->buffers, n, sizeof *step->buffers);
    s.as.in_place = copied(x, step->in_place, step->n_in_place, sizeof *step->in_place);
    s.pieces = step->kind == EXE_KERNEL ? step->extent / (step->grain > 1 ? step->grain : 1) : 0;
    if (!x->failed && !VECTOR_PUSH(&x->allocator, &b->steps, s))
        exe_fail(x);
    x->uses_threads = x->uses_threads || s.pieces > 1 ||
                      (step->kind == EXE_COPY && step->bytes >= 2 * COPY_GRAIN);
    if (step->scratch > x->scratch)
        x->scratch = step->scratch;
}

/* ---- what loops need beside their operands and results ---- */

static bool region_fits(const executable *x, uint32_t region, uint32_t n_inputs, uint32_t n_outputs)
{
    return region > 0 && region < x->blocks.n && x->blocks.at[region].n_inputs == n_inputs &&
           x->blocks.at[region].n_outputs == n_outputs;
}

static bool step_fits(const executable *x, const exe_step *s)
{
    switch (s->kind) {
    case EXE_COND:
        return s->n_read >= 1 && region_fits(x, s->region[0], s->n_read - 1, s->n_written) &&
               region_fits(x, s->region[1], s->n_read - 1, s->n_written);
    case EXE_WHILE:
        return s->n_read == s->n_written &&
               region_fits(x, s->region[0], s->n_read, s->n_read + 1) &&
               region_fits(x, s->region[1], s->n_read, s->n_read);
    case EXE_SCAN:
        return s->n_carries <= s->n_read && s->n_carries <= s->n_written && s->iterations >= 0 &&
               region_fits(x, s->region[0], s->n_read, s->n_written);
    case EXE_COPY:
        return s->n_read == 1 && s->n_written == 1;
    case EXE_KERNEL:
    case EXE_HOST:
        break;
    }
    return true;
}

static void note_body(exe_block_info *b, uint32_t n_carries)
{
    const bool is_first = b->mark == 0;
    b->mark = 1;
    b->n_carries = is_first || n_carries < b->n_carries ? n_carries : b->n_carries;
}

/* What each block is a region of. */
static bool note_regions(executable *x)
{
    for (uint32_t i = 0; i < x->blocks.n; i++)
        for (uint32_t k = 0; k < x->blocks.at[i].steps.n; k++) {
            const exe_step *s = &x->blocks.at[i].steps.at[k].as;
            if (!step_fits(x, s))
                return false;
            if (s->kind == EXE_SCAN)
                note_body(&x->blocks.at[s->region[0]], s->n_carries);
            if (s->kind == EXE_WHILE)
                note_body(&x->blocks.at[s->region[1]], s->n_read);
            if (s->kind == EXE_COND || s->kind == EXE_WHILE)
                x->blocks.at[s->region[0]].is_other = true;
            if (s->kind == EXE_COND)
                x->blocks.at[s->region[1]].is_other = true;
        }
    for (uint32_t i = 0; i < x->blocks.n; i++)
        x->blocks.at[i].mark = 0;
    return true;
}

/* Memory for the values of a loop beside the results: a second buffer for each value that an
 * iteration computes. */
static void add_extra(executable *x, uint32_t block, uint32_t at)
{
    const exe_step s = x->blocks.at[block].steps.at[at].as;
    uint32_t n_extra = 0, n_slots = 0;
    exe_buffer *extra;
    if (s.kind == EXE_WHILE) {
        n_extra = 2 * s.n_read + 1;
        n_slots = 3 * s.n_read + 1;
    } else if (s.kind == EXE_SCAN) {
        n_extra = s.n_carries;
        n_slots = s.n_read + s.n_written;
    } else if (s.kind == EXE_COND) {
        n_slots = s.n_read;
    } else if (s.kind == EXE_KERNEL) {
        n_slots = (uint32_t)s.polls + (s.numbers != NULL);
    }
    extra = ARENA_ARRAY(&x->arena, exe_buffer, n_extra);
    if (!extra) {
        exe_fail(x);
        return;
    }
    const exe_block_info *cond = &x->blocks.at[s.region[0]], *body = cond;
    if (s.kind == EXE_WHILE)
        body = &x->blocks.at[s.region[1]];
    const uint32_t n = s.kind == EXE_WHILE ? s.n_read : s.n_carries;
    for (uint32_t k = 0; k < n_extra && !x->failed; k++) {
        if (k == 2 * n) {
            extra[k] = exe_temp(x, block, 1); /* the predicate */
            continue;
        }
        const uint32_t of = k < n ? k : k - n;
        const bool needed =
            k < n ? body->pass[of] != of && body->update[of] != of : cond->pass[1 + of] != of;
        extra[k] = EXE_NO_BUFFER;
        if (needed)
            extra[k] =
                exe_temp(x, block, x->blocks.at[block].buffers.at[s.buffers[s.n_read + of]].bytes);
    }
    for (uint32_t k = 0; k < n_extra && !x->failed; k++)
        if (extra[k] != EXE_NO_BUFFER) {
            exe_buffer_info *b = &x->blocks.at[block].buffers.at[extra[k]];
            b->first = b->last = at;
        }
    exe_step_info *own = &x->blocks.at[block].steps.at[at];
    own->extra = extra;
    own->n_extra = n_extra;
    own->n_slots = n_slots;
}

/* ---- finishing ---- */

/* Every input and output is told. */
static bool block_is_whole(const exe_block_info *b)
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

static bool add_ports(executable *x, exe_block_info *b, const exe_step_info *s)
{
    for (uint32_t k = 0; k < s->as.n_read + s->as.n_written; k++) {
        exe_port p = {.at = s->table + k};
        const exe_buffer_info *info = &b->buffers.at[exe_root(b, s->as.buffers[k], &p.offset)];
        p.index = info->index;
        p.is_output = info->kind == IS_OUTPUT;
        if ((info->kind == IS_INPUT || p.is_output) && !VECTOR_PUSH(&x->allocator, &b->ports, p))
            return false;
    }
    return true;
}

/* Code counts pointers in 32 bits. */
static tn_status finish_block(executable *x, uint32_t block)
{
    for (uint32_t i = 0; i < x->blocks.at[block].steps.n && !x->failed; i++)
        add_extra(x, block, i);
    exe_block_info *b = &x->blocks.at[block];
    uint64_t n = 0;
    for (uint32_t i = 0; i < b->steps.n && !x->failed; i++) {
        exe_step_info *s = &b->steps.at[i];
        s->table = (uint32_t)n;
        n += (uint64_t)s->as.n_read + s->as.n_written + s->n_extra + s->n_slots;
        if (n > UINT32_MAX / 2)
            return TN_ERR_UNAVAILABLE;
        if (!add_ports(x, b, s))
            return TN_ERR_NOMEM;
    }
    b->table = x->n_table;
    b->n_table = (uint32_t)n;
    if (n + x->n_table > UINT32_MAX / 2)
        return TN_ERR_UNAVAILABLE;
    x->n_table += b->n_table;
    return x->failed ? x->why : exe_place_block(x, b);
}

/* The blocks in the order in which the last region of each is left. */
static tn_status follow_regions(executable *x, uint32_t block, uint32_t depth, uint32_t *order,
                                uint32_t *n)
{
    enum { OPEN = 1, DONE = 2 };
    exe_block_info *b = &x->blocks.at[block];
    if (b->mark == DONE)
        return TN_OK;
    if (b->mark == OPEN)
        return TN_ERR_INTERNAL;
    if (depth > MOST_REGIONS_DEEP)
        return TN_ERR_UNAVAILABLE;
    b->mark = OPEN;
    for (uint32_t i = 0; i < b->steps.n; i++) {
        exe_step *s = &b->steps.at[i].as;
        const uint32_t n_regions = s->kind == EXE_SCAN                           ? 1
                                   : s->kind == EXE_COND || s->kind == EXE_WHILE ? 2
                                                                                 : 0;
        s->may_fail =
            (s->kind == EXE_HOST && !s->is_certain) || (s->kind == EXE_KERNEL && s->may_fail);
        for (uint32_t k = 0; k < n_regions; k++) {
            TN_TRY(follow_regions(x, s->region[k], depth + 1, order, n));
            s->may_fail = s->may_fail || x->blocks.at[s->region[k]].may_fail;
        }
        b->may_fail = b->may_fail || s->may_fail;
    }
    b->mark = DONE;
    order[(*n)++] = block;
    return TN_OK;
}

/* Each block's memory lies behind that of every block that runs it. */
static tn_status give_frames(executable *x)
{
    uint32_t n = 0;
    uint32_t *order = ARENA_ARRAY(&x->arena, uint32_t, x->blocks.n);
    if (!order)
        return TN_ERR_NOMEM;
    TN_TRY(follow_regions(x, 0, 0, order, &n));
    for (uint32_t i = n; i-- > 0;) {
        const exe_block_info *b = &x->blocks.at[order[i]];
        if (b->own > PTRDIFF_MAX / 2 - b->frame)
            return TN_ERR_UNAVAILABLE;
        const uint64_t end = b->frame + b->own;
        x->memory = end > x->memory ? end : x->memory;
        for (uint32_t k = 0; k < b->steps.n; k++) {
            const exe_step *s = &b->steps.at[k].as;
            const bool has_regions =
                s->kind == EXE_COND || s->kind == EXE_WHILE || s->kind == EXE_SCAN;
            for (uint32_t r = 0; has_regions && r < (s->kind == EXE_SCAN ? 1 : 2); r++) {
                exe_block_info *region = &x->blocks.at[s->region[r]];
                region->frame = end > region->frame ? end : region->frame;
            }
        }
    }
    return TN_OK;
}

/* When outputs have all their bytes. */
static bool find_last_steps(executable *x)
{
    const exe_block_info *b = &x->blocks.at[0];
    x->last_step = ARENA_ARRAY(&x->arena, uint32_t, b->n_outputs);
    for (uint32_t k = 0; x->last_step && k < b->n_outputs; k++)
        x->last_step[k] = NEVER;
    for (exe_buffer v = 0; x->last_step && v < b->buffers.n; v++)
        if (b->buffers.at[v].kind == IS_OUTPUT && b->buffers.at[v].first != NEVER)
            x->last_step[b->buffers.at[v].index] = b->buffers.at[v].last;
    return x->last_step;
}

/* Which outputs are written by a step that can fail or is followed by one that can. */
static bool find_early_outputs(executable *x)
{
    const exe_block_info *b = &x->blocks.at[0];
    x->is_early = ARENA_ARRAY(&x->arena, bool, b->n_outputs);
    if (!x->is_early)
        return false;
    bool can_fail = false;
    for (uint32_t i = b->steps.n; i-- > 0;) {
        const exe_step *s = &b->steps.at[i].as;
        can_fail = can_fail || s->may_fail;
        for (uint32_t k = s->n_read; can_fail && k < s->n_read + s->n_written; k++) {
            uint64_t offset;
            const exe_buffer_info *info = &b->buffers.at[exe_root(b, s->buffers[k], &offset)];
            if (info->kind == IS_OUTPUT)
                x->is_early[info->index] = true;
        }
    }
    return true;
}

static tn_status finish(executable *x)
{
    if (x->blocks.n == 0)
        return TN_ERR_INTERNAL;
    for (uint32_t i = 0; i < x->blocks.n; i++)
        if (!block_is_whole(&x->blocks.at[i]))
            return TN_ERR_INTERNAL;
    if (!note_regions(x))
        return TN_ERR_INTERNAL;
    for (uint32_t i = 0; i < x->blocks.n; i++)
        exe_find_lives(x, &x->blocks.at[i]);
    for (uint32_t i = 0; i < x->blocks.n; i++)
        TN_TRY(finish_block(x, i));
    TN_TRY(give_frames(x));
    if (!find_early_outputs(x) || !find_last_steps(x))
        return TN_ERR_NOMEM;
    return exe_rounded(x->scratch, &x->scratch) ? TN_OK : TN_ERR_UNAVAILABLE;
}

tn_status exe_finish(executable *x)
{
    const tn_status s = x->failed ? x->why : finish(x);
    if (s != TN_OK)
        fail(x, s);
    assert(s != TN_OK || !exe_verify(x));
    return s;
}

/* ---- what is known ---- */

uint64_t exe_bytes(const executable *x, uint32_t threads)
{
    return x->memory + x->scratch * (threads > 1 ? threads : 1) +
           (uint64_t)x->n_table * sizeof(char *);
}

uint64_t exe_value_bytes(const executable *x)
{
    return x->memory + x->scratch;
}

bool exe_uses_threads(const executable *x)
{
    return x->uses_threads;
}

uint32_t exe_step_count(const executable *x, uint32_t block)
{
    return x->blocks.at[block].steps.n;
}

const exe_step *exe_step_at(const executable *x, uint32_t block, uint32_t index)
{
    return &x->blocks.at[block].steps.at[index].as;
}

uint64_t exe_place_of(const executable *x, uint32_t block, exe_buffer b)
{
    const exe_block_info *info = &x->blocks.at[block];
    uint64_t offset;
    const exe_buffer_info *root = &info->buffers.at[exe_root(info, b, &offset)];
    return root->kind == IS_TEMP ? info->frame + root->offset + offset : UINT64_MAX;
}
