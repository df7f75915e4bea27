/* Rows, or blocks of long rows, several at a time: a piece of each in turn. The hardware prefetcher
 * follows each of them for itself, and so reads more at a time than of one row after the other. The
 * lanes of the law wait in scratch memory for their next piece. */
#include "eval/eval.h"
#include "loop/nest/rows_parts.h"

enum {
    STREAMS_LOG2 = 2,
    STREAMS = 1 << STREAMS_LOG2,
    PIECE = 1024,     /* bytes of a stream at a time */
    APART = 256 << 10 /* ... and from one stream to the next, where an item is no longer */
};

/* Stream K has the item `first` + K * `apart`. An item is a block, or where `blocks` is
 * LOOP_NO_VALUE a row, of which `block` is the block to reduce. */
typedef struct streams {
    rows *s;
    loop_value first, apart;
    loop_value blocks, block;
    loop_value lanes[KERNEL_REDUCTIONS]; /* scratch memory of all streams */
} streams;

bool rows_may_be_streams(const rows *s)
{
    enum { CHEAP = 4, FEW = 256 << 10 }; /* bytes that are not worth more code */
    bool may = !s->columns && !s->in_scratch && s->passes == 1 && s->e.n_kept == 0 &&
               !rows_are_extrema(s, 1) && !rows_are_costly(s->e.f, s->k) &&
               nest_cost(s->e.f, s->k) <= CHEAP && !rows_are_within(s, FEW) &&
               (s->is_dynamic || s->length >= SUM_BLOCK);
    for (uint32_t i = 0; i < s->k->n_out; i++)
        may = may && rows_is_row_value(s, &s->k->out[i]);
    return may;
}

/* The emitter moves to the row of item number AT. Returns the first element of the block there. */
static loop_value move_to(streams *x, loop_value at)
{
    loop_builder *b = x->s->e.b;
    loop_value row = at, block = x->block;
    if (x->blocks != LOOP_NO_VALUE) {
        row = loop_binary(b, LOOP_UDIV, at, x->blocks);
        block = loop_binary(b, LOOP_UREM, at, x->blocks);
    }
    nest_decode(&x->s->e, row, x->s->axis);
    return loop_binary(b, LOOP_IMUL, block, loop_i64(b, SUM_BLOCK));
}

static loop_value item_of(const streams *x, loop_value stream)
{
    loop_builder *b = x->s->e.b;
    return loop_binary(b, LOOP_IADD, x->first, loop_binary(b, LOOP_IMUL, stream, x->apart));
}

static int64_t lane_bytes(const rows *s, const reduction *r)
{
    return (int64_t)dtype_bytes(r->lane) * (int64_t)s->e.lanes;
}

static loop_value lanes_of(const streams *x, uint32_t i, loop_value stream)
{
    loop_builder *b = x->s->e.b;
    const int64_t bytes = lane_bytes(x->s, &x->s->r[i]);
    return loop_offset(b, x->lanes[i], loop_binary(b, LOOP_IMUL, stream, loop_i64(b, bytes)));
}

static uint32_t align_of(const reduction *r)
{
    return (uint32_t)loop_elem_bytes(element_storage(r->lane));
}

static void store_lanes(const streams *x, uint32_t i, loop_value stream, element lanes)
{
    element_store(x->s->e.b, lanes_of(x, i, stream), lanes, align_of(&x->s->r[i]));
}

static void take_lanes(const streams *x, uint32_t i, loop_value stream)
{
    rows *s = x->s;
    reduction *r = &s->r[i];
    r->acc = element_var(
        s->e.b, element_load(s->e.b, r->lane, lanes_of(x, i, stream), s->e.lanes, align_of(r)));
}

static void open_room(streams *x)
{
    for (uint32_t i = 0; i < x->s->n; i++)
        x->lanes[i] = loop_scratch(x->s->e.b, STREAMS * (uint64_t)lane_bytes(x->s, &x->s->r[i]));
}

static loop_value open_streams(const streams *x)
{
    loop_builder *b = x->s->e.b;
    return loop_for(b, loop_i64(b, 0), loop_i64(b, STREAMS), 1);
}

/* COUNT elements of the block of STREAM, from number BEGIN (i64) of it on, join its lanes. */
static void join_piece(streams *x, loop_value stream, loop_value begin, int64_t count)
{
    rows *s = x->s;
    emitter *e = &s->e;
    loop_builder *b = e->b;
    const int64_t rest = count % e->lanes, whole = count - rest;
    const uint32_t mark = emit_mark(e);
    const loop_value first = loop_binary(b, LOOP_IADD, move_to(x, item_of(x, stream)), begin);
    rows_hoist_operands(s, 1);
    for (uint32_t i = 0; i < s->n; i++)
        take_lanes(x, i, stream);
    if (whole > 0) { /* a loop of a known number of iterations needs no polls */
        const loop_value v = loop_for(b, loop_i64(b, 0), loop_i64(b, whole), e->lanes);
        e->at[s->axis] = loop_binary(b, LOOP_IADD, first, v);
        rows_join_vector(s, 1);
        loop_end(b);
    }
    if (rest > 0) {
        e->at[s->axis] = loop_binary(b, LOOP_IADD, first, loop_i64(b, whole));
        e->count = loop_i64(b, rest);
        rows_join_vector(s, 1);
        e->count = LOOP_NO_VALUE;
    }
    for (uint32_t i = 0; i < s->n; i++)
        store_lanes(x, i, stream, element_get(b, s->r[i].acc));
    emit_forget(e, mark);
}

/* COUNT elements of a block of each stream to its lanes. */
static void reduce_blocks(streams *x, int64_t count)
{
    rows *s = x->s;
    loop_builder *b = s->e.b;
    const int64_t piece = PIECE / (int64_t)rows_widest(s), rest = count % piece;
    const loop_value stream = open_streams(x);
    for (uint32_t i = 0; i < s->n; i++)
        store_lanes(x, i, stream, rows_identity(s, &s->r[i], s->e.lanes));
    loop_end(b);
    if (count > rest) {
        const loop_value begin = loop_for(b, loop_i64(b, 0), loop_i64(b, count - rest), piece);
        join_piece(x, open_streams(x), begin, piece);
        loop_end(b);
        loop_end(b);
    }
    if (rest > 0) {
        join_piece(x, open_streams(x), loop_i64(b, count - rest), rest);
        loop_end(b);
    }
}

/* What the lanes of the block of STREAM come to. */
static void find_totals(const streams *x, loop_value stream, element *results)
{
    for (uint32_t i = 0; i < x->s->n; i++) {
        take_lanes(x, i, stream);
        results[i] = rows_total(x->s, &x->s->r[i]);
    }
}

/* COUNT elements of block number BLOCK of the rows of all streams: their results to PARTIALS, where
 * those of one stream follow those of the other. */
static void reduce_to(streams *x, loop_value block, int64_t count, const loop_value *partials)
{
    rows *s = x->s;
    loop_builder *b = s->e.b;
    element results[KERNEL_REDUCTIONS];
    x->block = block;
    reduce_blocks(x, count);
    const loop_value stream = open_streams(x);
    const loop_value before = loop_binary(b, LOOP_IMUL, stream, loop_i64(b, rows_blocks(s)));
    find_totals(x, stream, results);
    for (uint32_t i = 0; i < s->n; i++)
        rows_store_slot(s, &s->r[i], partials[i], loop_binary(b, LOOP_IADD, before, block),
                        results[i]);
    loop_end(b);
}

/* The results of the rows of all streams, of those of their blocks. */
static void finish_rows(streams *x, const loop_value *partials)
{
    rows *s = x->s;
    emitter *e = &s->e;
    loop_builder *b = e->b;
    const loop_value stream = open_streams(x);
    const loop_value before = loop_binary(b, LOOP_IMUL, stream, loop_i64(b, rows_blocks(s)));
    const uint32_t mark = emit_mark(e);
    (void)move_to(x, item_of(x, stream));
    for (uint32_t i = 0; i < s->n; i++) {
        reduction *r = &s->r[i];
        const loop_value own = r->partials;
        r->partials = rows_slot(s, r, partials[i], before);
        emit_know(e, r->n->first_value, NULL, rows_finish(s, r, rows_combine_blocks(s, r)));
        r->partials = own;
    }
    rows_store_row_values(s);
    emit_forget(e, mark);
    loop_end(b);
}

/* Each stream takes the same number of the items from BEGIN to before REST, of ELEMENTS each. The
 * items come in groups, so that the streams stay within few pages of memory. */
static void open_items(streams *x, loop_value begin, loop_value rest, int64_t elements)
{
    loop_builder *b = x->s->e.b;
    const int64_t fit = APART / (elements * (int64_t)rows_widest(x->s)),
                  most = STREAMS * (fit > 1 ? fit : 1); /* items of a group */
    const loop_value group = loop_for(b, begin, rest, most);
    const loop_value items = loop_min(b, loop_binary(b, LOOP_ISUB, rest, group), loop_i64(b, most));
    x->apart = loop_binary(b, LOOP_LSHR, items, loop_i64(b, STREAMS_LOG2));
    x->first = loop_binary(b, LOOP_IADD, group, loop_for(b, loop_i64(b, 0), x->apart, 1));
}

static void close_items(const streams *x)
{
    loop_end(x->s->e.b);
    loop_end(x->s->e.b);
}

/* END, less the items after BEGIN that are too few for each stream to have one more. */
static loop_value find_rest(const streams *x, loop_value begin, loop_value end)
{
    loop_builder *b = x->s->e.b;
    const loop_value all = loop_binary(b, LOOP_ISUB, end, begin);
    const loop_value even = loop_binary(b, LOOP_AND, all, loop_i64(b, -STREAMS));
    return loop_binary(b, LOOP_IADD, begin, even);
}

loop_value rows_emit_streams(rows *s, loop_value begin, loop_value end)
{
    loop_builder *b = s->e.b;
    streams x = {.s = s, .blocks = LOOP_NO_VALUE};
    loop_value partials[KERNEL_REDUCTIONS];
    const int64_t whole = s->length / SUM_BLOCK, behind = s->length % SUM_BLOCK;
    open_room(&x);
    for (uint32_t i = 0; i < s->n; i++)
        partials[i] = loop_scratch(b, STREAMS * rows_slot_bytes(s, &s->r[i], rows_blocks(s)));
    const loop_value rest = find_rest(&x, begin, end);
    open_items(&x, begin, rest, s->length);
    reduce_to(&x, loop_for(b, loop_i64(b, 0), loop_i64(b, whole), 1), SUM_BLOCK, partials);
    loop_end(b);
    if (behind > 0)
        reduce_to(&x, loop_i64(b, whole), behind, partials);
    x.block = loop_i64(b, 0);
    finish_rows(&x, partials);
    close_items(&x);
    return rest;
}

loop_value rows_emit_block_streams(rows *s, loop_value begin, loop_value end, loop_value blocks)
{
    streams x = {.s = s, .blocks = blocks, .block = LOOP_NO_VALUE};
    element results[KERNEL_REDUCTIONS];
    open_room(&x);
    const loop_value rest = find_rest(&x, begin, end);
    open_items(&x, begin, rest, SUM_BLOCK);
    reduce_blocks(&x, SUM_BLOCK);
    const loop_value stream = open_streams(&x);
    find_totals(&x, stream, results);
    rows_store_slot(s, &s->r[0], s->r[0].partials, item_of(&x, stream), results[0]);
    loop_end(s->e.b);
    close_items(&x);
    return rest;
}
