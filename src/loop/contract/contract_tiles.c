/* Large products in tiles of results: an item goes through the products a block of the law at a
 * time, for which it packs the right operand, and the left one where its rows are not contiguous.
 * So what is multiplied is always near: a panel of a block in the first cache, the rows of some
 * blocks in the second. The totals of the tile lie in scratch memory, and are finished as soon as
 * the last products have joined. */
#include "loop/contract/contract_multiply.h"

enum {
    FEW_COLUMNS = 64,
    FEW_ROWS = 5,           /* with fewer, B is read as fast where it is */
    FEW_PRODUCTS = 16,      /* so that packing pays */
    WORTH = 4,              /* multiply-adds for each byte of the second cache */
    ENOUGH_TILES = 4,       /* for the threads, ... */
    LEAST_TILES = 2,        /* ... and for two of them, even small ones */
    AT_ONCE = 8,            /* products that are packed of one panel before the next: what lies far
                               apart is not written by turns, and what is read stays near */
    AHEAD = AT_ONCE,        /* rows that are fetched before they are packed */
    MOST_SCRATCH = 1 << 24, /* bytes of a tile, where its blocks are chosen by hand */
    SMALL_TILE = 128        /* rows or columns; smaller ones are packed too often */
};

static int64_t at_most(int64_t x, int64_t most)
{
    return x < most ? x : most;
}

static int64_t quotient_up(int64_t x, int64_t by)
{
    return (x + by - 1) / by;
}

/* Products that pass at a time. */
static int64_t chunk_of(const problem *p)
{
    return at_most(p->k, CONTRACT_BLOCK);
}

/* Panels of a chunk are a line apart, so that they do not fall into few sets of a cache. */
static int64_t b_panel_bytes(const problem *p)
{
    return chunk_of(p) * columns_of(p) * p->bytes + LOOP_ALIGN;
}

static int64_t a_panel_bytes(const problem *p)
{
    return chunk_of(p) * p->tiles.height * p->bytes + LOOP_ALIGN;
}

bool contract_may_tile(const problem *p, const walk *a_m, const walk *a_k)
{
    return p->parts == 1 && a_m->dynamic == 0 && !has_any_order(p) && a_m->n == 1 && a_k->n == 1 &&
           p->lanes > 1 && (a_k->step[0] == 1 || a_m->step[0] == 1);
}

bool contract_can_tile(const problem *p, const machine *m, const walk *a_m, const walk *a_k)
{
    const double work = (double)p->batch * (double)p->m * (double)p->n * (double)p->k;
    const walk b_k = WALK(p->spec.k, p->spec.n_k, b); /* several are packed faster as panels */
    return contract_may_tile(p, a_m, a_k) && b_k.n == 1 && p->m >= FEW_ROWS &&
           p->n >= FEW_COLUMNS && p->k >= FEW_PRODUCTS && work >= WORTH * (double)m->l2 &&
           /* in one block of products everything is near as it is */
           (p->k > CONTRACT_BLOCK || a_k->step[0] != 1);
}

void contract_tile_a(problem *p, int64_t rows)
{
    contract_spec *s = &p->spec;
    int64_t step = quotient_up(rows, p->lanes) * p->lanes;
    p->tiles.height = step;
    p->tiles.packs_a = true;
    p->tiles.a_from = p->a;
    walk_init(&p->tiles.a_k);
    for (uint32_t i = 0; i < s->n_k; i++)
        walk_add(&p->tiles.a_k, axis_extent(&s->k[i]), axis_a(&s->k[i]));
    for (uint32_t i = s->n_k; i-- > 0;) {
        s->k[i].a = s->k[i].a_other = step;
        step *= s->k[i].extent;
    }
}

void contract_choose_tiles(problem *p, const machine *m)
{
    const int64_t columns = columns_of(p), half = SMALL_TILE / 2, height = most_rows(p);
    int64_t blocks = p->split, panels = p->panels;
    const int64_t most_panels = (int64_t)m->l2 / (chunk_of(p) * columns * p->bytes);
    if (panels > most_panels)
        panels = quotient_up(panels, quotient_up(panels, most_panels < 1 ? 1 : most_panels));
    for (;;) {
        const int64_t bytes = blocks * height * panels * columns * p->bytes;
        const int64_t tiles =
            p->batch * quotient_up(p->split, blocks) * quotient_up(p->panels, panels);
        if (bytes <= 4 * (int64_t)m->l2 && tiles >= ENOUGH_TILES)
            break;
        const int64_t least = tiles < LEAST_TILES ? half / 2 : 2 * half; /* columns */
        if (blocks > 1 && blocks * height >= panels * columns && blocks * height > 2 * half)
            blocks = quotient_up(blocks, 2);
        else if (panels > 1 && panels * columns > least)
            panels = quotient_up(panels, 2);
        else
            break;
    }
    const int64_t wanted = p->spec.wanted.group;
    if (wanted > 0) {
        blocks = at_most(wanted, MOST_SCRATCH / (height * panels * columns * p->bytes));
        blocks = blocks < 1 ? 1 : at_most(blocks, p->split);
    }
    p->tiles.blocks = blocks;
    p->tiles.panels = panels;
    const int64_t near = (int64_t)m->l2 / 4 / (chunk_of(p) * height * p->bytes);
    p->tiles.near = near < 1 ? 1 : at_most(near, blocks);
}

int64_t contract_tile_count(const problem *p)
{
    return quotient_up(p->split, p->tiles.blocks) * quotient_up(p->panels, p->tiles.panels);
}

/* Rows of totals, a line apart for the same reason. */
static int64_t total_step(const problem *p)
{
    return p->tiles.panels * columns_of(p) * p->bytes + LOOP_ALIGN;
}

typedef struct tile {
    multiplier *g;
    loop_value a, b, totals;        /* scratch memory: the chunks of operands, and the results */
    loop_value first_block, blocks; /* i64: those of the item */
    loop_value first_panel, panels;
    loop_value first_row;
    loop_value from_a, from_b; /* the elements at product 0 and row or column 0 of the batch */
    loop_value low, length;    /* the chunk */
} tile;

/* One vector X of A or B. */
static void store_vector(tile *t, loop_value to, element x)
{
    const problem *p = t->g->p;
    loop_store(t->g->b, to, x.re, (uint32_t)p->bytes * p->lanes);
}

/* That from element FROM + AT on, where LEFT lanes (i64) are left, which may be none or more than a
 * vector has; element FROM exists. */
static void copy_left(tile *t, const factors *of, loop_value from, loop_value at, loop_value to,
                      loop_value left)
{
    const problem *p = t->g->p;
    loop_builder *b = t->g->b;
    loop_if(b, loop_binary(b, LOOP_ILT, left, loop_i64(b, p->lanes)));
    store_vector(t, to, factors_load_left(b, p, of, from, at, p->lanes, left));
    loop_else(b);
    store_vector(t, to, factors_load(b, p, of, int_add(b, from, at), p->lanes, LOOP_NO_VALUE));
    loop_end(b);
}

/* The address of element FIRST, and STEP of those for each product, which is packed soon after
 * product number K; not to be read. */
static loop_value fetched(tile *t, const factors *of, loop_value first, const walk *step,
                          loop_value k)
{
    const problem *p = t->g->p;
    loop_builder *b = t->g->b;
    const loop_value later = loop_min(b, int_add(b, k, loop_i64(b, AHEAD)), loop_i64(b, p->k - 1));
    return loop_offset(b, of->base,
                       int_times(b, int_add(b, first, walk_emit(b, step, later)),
                                 (int64_t)dtype_bytes(of->dtype)));
}

/* Fetch the lines in which N elements end, the first of which is FIRST (i64) elements after AT:
 * what comes before them in memory is fetched, too. */
static void fetch_lines(tile *t, const factors *of, loop_value at, loop_value first, int64_t n)
{
    loop_builder *b = t->g->b;
    const int64_t bytes = (int64_t)dtype_bytes(of->dtype);
    at = loop_offset(b, at, int_times(b, first, bytes));
    for (int64_t line = 0; line < n * bytes; line += LOOP_ALIGN) {
        const int64_t end = line + LOOP_ALIGN < n * bytes ? line + LOOP_ALIGN : n * bytes;
        loop_prefetch_far(b, loop_at(b, at, end - bytes));
    }
}

/* Products LOW .. HIGH - 1 of panel PANEL of the tile. */
static void pack_panel_rows(tile *t, loop_value panel, loop_value low, loop_value high)
{
    problem *p = t->g->p;
    loop_builder *b = t->g->b;
    const int64_t columns = columns_of(p), row_bytes = columns * p->bytes;
    const factors *from = &p->unpacked.from;
    const loop_value column = int_times(b, int_add(b, t->first_panel, panel), columns);
    const loop_value k = loop_for(b, low, high, 1);
    const loop_value number = int_add(b, t->low, k);
    const loop_value row = int_add(b, t->from_b, walk_emit(b, &p->unpacked.k, number));
    const loop_value to = loop_offset(b, loop_offset(b, t->b, int_times(b, k, row_bytes)),
                                      int_times(b, panel, b_panel_bytes(p)));
    if (!from->load)
        fetch_lines(t, from, fetched(t, from, t->from_b, &p->unpacked.k, number), column, columns);
    for (uint32_t v = 0; v < p->nv; v++) {
        const int64_t first = (int64_t)v * p->lanes;
        const loop_value at = int_add(b, column, loop_i64(b, first));
        const loop_value here_to = loop_at(b, to, first * p->bytes);
        if (p->n % columns == 0)
            store_vector(t, here_to,
                         factors_load(b, p, from, int_add(b, row, at), p->lanes, LOOP_NO_VALUE));
        else
            copy_left(t, from, row, at, here_to,
                      loop_binary(b, LOOP_ISUB, loop_i64(b, p->n - first), column));
    }
    loop_end(b);
}

/* The chunk of the panels, some products at a time: B lies in rows. */
static void pack_rows_of_b(tile *t)
{
    loop_builder *b = t->g->b;
    const loop_value k = loop_for(b, loop_i64(b, 0), t->length, AT_ONCE);
    const loop_value end = loop_min(b, int_add(b, k, loop_i64(b, AT_ONCE)), t->length);
    pack_panel_rows(t, loop_for(b, loop_i64(b, 0), t->panels, 1), k, end);
    loop_end(b);
    loop_end(b);
}

static void pack_b(tile *t)
{
    problem *p = t->g->p;
    loop_builder *b = t->g->b;
    const walk *n = &p->unpacked.n;
    if (n->n <= 1 && (n->n == 0 || n->step[0] == 1)) {
        pack_rows_of_b(t);
        return;
    }
    const loop_value panel = loop_for(b, loop_i64(b, 0), t->panels, 1);
    contract_emit_panel(b, p, t->from_b, int_add(b, t->first_panel, panel), t->low,
                        int_add(b, t->low, t->length),
                        loop_offset(b, t->b, int_times(b, panel, b_panel_bytes(p))), t->low);
    loop_end(b);
}

/* Products LOW .. HIGH - 1 of block FIRST + IN of the item, whose rows are side by side. */
static void pack_block(tile *t, loop_value first, loop_value in, loop_value low, loop_value high)
{
    multiplier *g = t->g;
    const problem *p = g->p;
    loop_builder *b = g->b;
    const int64_t row_bytes = p->tiles.height * p->bytes;
    const loop_value here = int_add(b, t->first_block, int_add(b, first, in));
    const loop_value row = multiplier_row(g, here);
    const loop_value k = loop_for(b, low, high, 1);
    const loop_value number = int_add(b, t->low, k);
    const loop_value from = int_add(b, t->from_a, walk_emit(b, &p->tiles.a_k, number));
    const loop_value to = loop_offset(b, loop_offset(b, t->a, int_times(b, k, row_bytes)),
                                      int_times(b, in, a_panel_bytes(p)));
    fetch_lines(t, &p->tiles.a_from, fetched(t, &p->tiles.a_from, t->from_a, &p->tiles.a_k, number),
                row, p->tiles.height);
    for (int64_t v = 0; v < p->tiles.height; v += p->lanes)
        copy_left(t, &p->tiles.a_from, from, int_add(b, row, loop_i64(b, v)),
                  loop_at(b, to, v * p->bytes),
                  loop_binary(b, LOOP_ISUB, loop_i64(b, p->m - v), row));
    loop_end(b);
}

/* The chunk of N blocks from block FIRST of the item on, some products at a time. */
static void pack_a(tile *t, loop_value first, loop_value n)
{
    loop_builder *b = t->g->b;
    const loop_value k = loop_for(b, loop_i64(b, 0), t->length, AT_ONCE);
    const loop_value end = loop_min(b, int_add(b, k, loop_i64(b, AT_ONCE)), t->length);
    pack_block(t, first, loop_for(b, loop_i64(b, 0), n, 1), k, end);
    loop_end(b);
    loop_end(b);
}

/* A constant comes from memory: each of N blocks, of which this is number IN, fetches a part of
 * what they all meet after panel PANEL: the next one's chunk, or the first one's next chunk. */
static void fetch_next_panel(tile *t, loop_value in, loop_value n, loop_value panel)
{
    const problem *p = t->g->p;
    loop_builder *b = t->g->b;
    const loop_value others = loop_binary(b, LOOP_ISUB, t->panels, loop_i64(b, 1));
    const loop_value first =
        loop_binary(b, LOOP_ISUB, loop_i64(b, CONTRACT_BLOCK * columns_of(p) * p->bytes),
                    int_times(b, others, panel_bytes(p)));
    const loop_value next =
        loop_select(b, loop_binary(b, LOOP_IEQ, panel, others), first, loop_i64(b, panel_bytes(p)));
    multiplier_begin_panel_fetch(t->g, in, n, next);
}

/* The products of the chunk for block FIRST + IN of the item, one of N, and panel PANEL of the
 * tile.
 */
static void emit_one(tile *t, loop_value first, loop_value in, loop_value n, loop_value panel)
{
    multiplier *g = t->g;
    const problem *p = g->p;
    loop_builder *b = g->b;
    const loop_value block = int_add(b, t->first_block, int_add(b, first, in));
    const loop_value number = int_add(b, t->first_panel, panel);
    g->row = multiplier_row(g, block);
    g->column = int_times(b, number, columns_of(p));
    if (p->tiles.packs_a)
        g->a = loop_offset(b, t->a, int_times(b, in, a_panel_bytes(p)));
    else
        g->a = loop_offset(
            b, g->all_a,
            int_times(b, int_add(b, int_add(b, t->from_a, t->low), walk_emit(b, &p->a_m, g->row)),
                      p->bytes));
    if (p->spec.b_is_constant)
        g->b_at =
            loop_offset(b, g->all_b,
                        int_add(b,
                                int_times_sized(b,
                                                int_add(b, walk_emit(b, &p->b_batch, g->batch),
                                                        int_times(b, number, p->side)),
                                                panel_sized_bytes(p)),
                                int_times(b, t->low, panel_columns_of(p) * p->bytes)));
    else
        g->b_at = loop_offset(b, t->b, int_times(b, panel, b_panel_bytes(p)));
    if (p->spec.b_is_constant)
        fetch_next_panel(t, in, n, panel);
    const loop_value row = loop_binary(b, LOOP_ISUB, g->row, t->first_row);
    g->totals = loop_offset(b, loop_offset(b, t->totals, int_times(b, row, g->total_step)),
                            int_times(b, panel, columns_of(p) * p->bytes));
    multiplier_tile(g, block, number);
}

static void emit_chunk_of(tile *t)
{
    multiplier *g = t->g;
    const problem *p = g->p;
    loop_builder *b = g->b;
    if (!p->spec.b_is_constant)
        pack_b(t);
    const loop_value first = loop_for(b, loop_i64(b, 0), t->blocks, p->tiles.near);
    const loop_value n =
        loop_min(b, loop_binary(b, LOOP_ISUB, t->blocks, first), loop_i64(b, p->tiles.near));
    if (p->tiles.packs_a)
        pack_a(t, first, n);
    const loop_value panel = loop_for(b, loop_i64(b, 0), t->panels, 1);
    emit_one(t, first, loop_for(b, loop_i64(b, 0), n, 1), n, panel);
    loop_end(b);
    loop_end(b);
    loop_end(b);
}

static void emit_tile(tile *t, loop_value item)
{
    multiplier *g = t->g;
    const problem *p = g->p;
    loop_builder *b = g->b;
    const int64_t across = quotient_up(p->panels, p->tiles.panels);
    const int64_t down = quotient_up(p->split, p->tiles.blocks);
    const loop_value part = int_modulo(b, item, down);
    item = int_divided(b, item, down);
    t->first_block = int_times(b, part, p->tiles.blocks);
    t->first_panel = int_times(b, int_modulo(b, item, across), p->tiles.panels);
    g->batch = int_divided(b, item, across);
    t->blocks = loop_min(b, loop_i64(b, p->tiles.blocks),
                         loop_binary(b, LOOP_ISUB, loop_i64(b, p->split), t->first_block));
    t->panels = loop_min(b, loop_i64(b, p->tiles.panels),
                         loop_binary(b, LOOP_ISUB, loop_i64(b, p->panels), t->first_panel));
    t->first_row = multiplier_row(g, t->first_block);
    g->c_batch = int_add(b, walk_emit(b, &p->c_batch, g->batch), loop_i64(b, p->spec.c_first));
    t->from_a = int_add(b, walk_emit(b, &p->a_batch, g->batch), loop_i64(b, p->spec.a_first));
    if (!p->spec.b_is_constant)
        t->from_b =
            int_add(b, walk_emit(b, &p->unpacked.batch, g->batch), loop_i64(b, p->unpacked.first));
    t->low = loop_for(b, loop_i64(b, 0), loop_i64(b, p->k), CONTRACT_BLOCK);
    t->length = loop_min(b, loop_binary(b, LOOP_ISUB, loop_i64(b, p->k), t->low),
                         loop_i64(b, CONTRACT_BLOCK));
    g->first = t->low;
    g->length = t->length;
    emit_chunk_of(t);
    loop_end(b);
}

const loop_program *contract_tiles(problem *p, arena *memory, const char **fault)
{
    sized row_at[64];
    element sums[MULTIPLIER_SUMS];
    loop_builder b;
    multiplier g = {.b = &b, .p = p, .row_at = row_at, .sums = sums};
    tile t = {.g = &g};
    loop_init(&b, memory);
    if (p->tiles.packs_a) {
        factors_open(&b, &p->tiles.a_from);
        t.a = loop_scratch(&b, (uint64_t)(p->tiles.near * a_panel_bytes(p)));
        g.all_a = t.a;
    } else {
        g.all_a = loop_buffer(&b, p->a.buffer);
    }
    if (p->spec.b_is_constant) {
        g.all_b = loop_buffer(&b, p->b.buffer);
    } else {
        contract_begin_unpacked(&b, p);
        t.b = loop_scratch(&b, (uint64_t)(p->tiles.panels * b_panel_bytes(p)));
        g.all_b = t.b;
    }
    t.totals = loop_scratch(&b, (uint64_t)(p->tiles.blocks * most_rows(p) * total_step(p)));
    g.c = p->spec.finish ? 0 : loop_buffer(&b, CONTRACT_C);
    multiplier_begin(&g);
    g.is_tiled = true;
    g.total_step = total_step(p);
    emit_tile(&t,
              loop_for(&b, loop_param_value(&b, LOOP_BEGIN), loop_param_value(&b, LOOP_END_AT), 1));
    loop_end(&b);
    *fault = b.fault;
    return loop_finish_or_fault(&b);
}
