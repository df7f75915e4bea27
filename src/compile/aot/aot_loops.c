/* Control flow as steps: branches, and loops whose values move from place to place, as in
 * runtime/tape_run.c, whose rules these are. */
#include "compile/aot/aot.h"

static target_buffer pointer(aot_block *k)
{
    return (target_buffer){TARGET_POINTER, k->n_pointers++, 0};
}

static void point(aot_block *k, target_buffer variable, target_buffer to)
{
    aot_step(k, (target_step){.kind = TARGET_POINT, .index = variable.index}, &to, 1);
}

static void run_block(aot_block *k, uint32_t block, const target_buffer *ports, uint32_t n)
{
    aot_step(k, (target_step){.kind = TARGET_BLOCK, .index = block}, ports, n);
}

static void plain(aot_block *k, target_kind kind)
{
    aot_step(k, (target_step){.kind = kind}, NULL, 0);
}

static target_buffer *places(aot_block *k, uint32_t n)
{
    target_buffer *at = ARENA_ARRAY(&k->a->memory, target_buffer, n);
    k->failed = k->failed || !at;
    return at;
}

static const exe_block_info *region(const aot_block *k, uint32_t block)
{
    return &k->a->exe->blocks.at[block];
}

void aot_cond(aot_block *k, const exe_step_info *s)
{
    const uint32_t n = s->as.n_read + s->as.n_written;
    target_buffer *at = places(k, n);
    for (uint32_t i = 0; at && i < n; i++)
        at[i] = aot_place(k, s->as.buffers[i]);
    if (!at)
        return;
    aot_step(k, (target_step){.kind = TARGET_IF}, at, 1);
    run_block(k, s->as.region[0], at + 1, n - 1);
    plain(k, TARGET_ELSE);
    run_block(k, s->as.region[1], at + 1, n - 1);
    plain(k, TARGET_END);
}

/* A value of a loop: where an iteration finds it, and where it puts the next one. Both stay, or the
 * value moves to NEXT after each iteration, or NEXT and OTHER change places too. */
typedef struct carry {
    target_buffer value, next, other;
    bool moves, alternates;
} carry;

/* Values alternate between two places, the first of which is FIRST. */
static carry alternating(aot_block *k, target_buffer operand, target_buffer first,
                         target_buffer second)
{
    const carry c = {pointer(k), pointer(k), pointer(k), true, true};
    point(k, c.value, operand);
    point(k, c.next, first);
    point(k, c.other, second);
    return c;
}

/* All values but the first one are at PLACE. */
static carry settling(aot_block *k, target_buffer operand, target_buffer place)
{
    const carry c = {.value = pointer(k), .next = place, .moves = true};
    point(k, c.value, operand);
    return c;
}

static void end_iteration(aot_block *k, const carry *c)
{
    if (c->moves)
        point(k, c->value, c->next);
    if (c->alternates) {
        point(k, c->next, c->other);
        point(k, c->other, c->value);
    }
}

/* ---- while ---- */

static target_buffer own_place(aot_block *k, const exe_step_info *s, uint32_t extra)
{
    return s->extra[extra] == EXE_NO_BUFFER ? (target_buffer){TARGET_NOTHING, 0, 0}
                                            : aot_place(k, s->extra[extra]);
}

static carry while_carry(aot_block *k, const exe_step_info *s, uint32_t i, bool is_copied)
{
    const exe_block_info *body = region(k, s->as.region[1]);
    const target_buffer operand = aot_place(k, s->as.buffers[i]),
                        result = aot_place(k, s->as.buffers[s->as.n_read + i]);
    if (!is_copied && body->pass[i] == i)
        return (carry){.value = operand, .next = operand};
    if (is_copied || body->update[i] == i)
        return settling(k, operand, result);
    return alternating(k, operand, result, own_place(k, s, i));
}

void aot_while(aot_block *k, const exe_step_info *s)
{
    const exe_block_info *cond = region(k, s->as.region[0]), *body = region(k, s->as.region[1]);
    const uint32_t n = s->as.n_read;
    carry *carries = ARENA_ARRAY(&k->a->memory, carry, n);
    target_buffer *first = places(k, 2 * n + 1), *second = places(k, 2 * n);
    k->failed = k->failed || !carries;
    if (k->failed)
        return;
    first[n] = aot_place(k, s->extra[2 * (size_t)n]); /* does it go on? */
    for (uint32_t i = 0; i < n; i++) {
        const bool is_copied = cond->pass[1 + i] != i;
        carries[i] = while_carry(k, s, i, is_copied);
        first[i] = carries[i].value;
        second[i] = first[n + 1 + i] = is_copied ? own_place(k, s, n + i) : first[i];
        second[n + i] = carries[i].next;
    }
    aot_step(k, (target_step){.kind = TARGET_LOOP, .extent = -1}, NULL, 0);
    run_block(k, s->as.region[0], first, 2 * n + 1);
    aot_step(k, (target_step){.kind = TARGET_LEAVE}, &first[n], 1);
    run_block(k, s->as.region[1], second, 2 * n);
    for (uint32_t i = 0; i < n; i++)
        end_iteration(k, &carries[i]);
    plain(k, TARGET_END);
    for (uint32_t i = 0; i < n; i++)
        aot_copy(k, second[i], aot_place(k, s->as.buffers[n + i]), body->output_bytes[i]);
}

/* ---- scan ---- */

static carry scan_carry(aot_block *k, const exe_step_info *s, uint32_t i)
{
    const exe_block_info *body = region(k, s->as.region[0]);
    const target_buffer operand = aot_place(k, s->as.buffers[i]),
                        result = aot_place(k, s->as.buffers[s->as.n_read + i]);
    const bool is_odd = s->as.iterations % 2 == 1; /* the last iteration writes the result */
    if (body->pass[i] == i)
        return (carry){.value = operand, .next = operand};
    if (body->update[i] == i)
        return settling(k, operand, result);
    const target_buffer spare = own_place(k, s, i);
    return is_odd ? alternating(k, operand, result, spare) : alternating(k, operand, spare, result);
}

/* Slice after slice of what is there as a whole, or of no bytes. */
static target_buffer slices(aot_block *k, target_buffer whole, uint64_t bytes, int64_t iterations)
{
    if (bytes == 0 || iterations < 2)
        return whole;
    const target_buffer p = pointer(k);
    point(k, p, whole);
    return p;
}

static void next_slice(aot_block *k, target_buffer p, uint64_t bytes)
{
    target_buffer next = p;
    next.offset += bytes;
    if (p.place == TARGET_POINTER)
        point(k, p, next);
}

/* A scan of nothing: its results are the operands. */
static void no_iterations(aot_block *k, const exe_step_info *s)
{
    const exe_block_info *body = region(k, s->as.region[0]);
    for (uint32_t i = 0; i < s->as.n_carries; i++)
        aot_copy_buffer(k, s->as.buffers[i], s->as.buffers[s->as.n_read + i],
                        body->output_bytes[i]);
}

void aot_scan(aot_block *k, const exe_step_info *s)
{
    const exe_block_info *body = region(k, s->as.region[0]);
    const uint32_t n_in = s->as.n_read, n_out = s->as.n_written, n = s->as.n_carries;
    if (s->as.iterations == 0) {
        no_iterations(k, s);
        return;
    }
    carry *carries = ARENA_ARRAY(&k->a->memory, carry, n);
    target_buffer *at = places(k, n_in + n_out), *whole = places(k, n_in + n_out);
    k->failed = k->failed || !carries;
    if (k->failed)
        return;
    for (uint32_t i = 0; i < n_in + n_out; i++) {
        const uint32_t number = i < n_in ? i : i - n_in;
        const uint64_t bytes = i < n_in ? body->input_bytes[number] : body->output_bytes[number];
        whole[i] = at[i] = aot_place(k, s->as.buffers[i]);
        if (number >= n)
            at[i] = slices(k, whole[i], bytes, s->as.iterations);
    }
    for (uint32_t i = 0; i < n; i++) {
        carries[i] = scan_carry(k, s, i);
        at[i] = carries[i].value;
        at[n_in + i] = carries[i].next;
    }
    if (s->as.iterations > 1)
        aot_step(k, (target_step){.kind = TARGET_LOOP, .extent = s->as.iterations}, NULL, 0);
    run_block(k, s->as.region[0], at, n_in + n_out);
    for (uint32_t i = 0; i < n; i++)
        end_iteration(k, &carries[i]);
    for (uint32_t i = n; i < n_in; i++)
        next_slice(k, at[i], body->input_bytes[i]);
    for (uint32_t i = n; i < n_out; i++)
        next_slice(k, at[n_in + i], body->output_bytes[i]);
    if (s->as.iterations > 1)
        plain(k, TARGET_END);
    for (uint32_t i = 0; i < n; i++)
        aot_copy(k, carries[i].value, whole[n_in + i], body->output_bytes[i]);
}
