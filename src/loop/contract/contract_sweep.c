/* Few rows times a large matrix that is read once: B is swept in place, several of its rows at a
 * time and each for as long as an item has columns, so that memory is read in long streams. The
 * sums of an item lie in scratch memory; each visit adds the products of one group of rows. */
#include "loop/contract/contract_multiply.h"

enum {
    ROWS = 4,       /* of A, at most */
    STREAMS = 8,    /* rows of B at a time */
    TILE = 1024,    /* columns of an item, at most */
    FEW_TILES = 4,  /* work items, at least, even for a narrow B */
    FAR = 256 << 10 /* bytes of B from which on it is worth it */
};

bool contract_may_sweep(const problem *p)
{
    return p->parts == 1 && p->m <= ROWS && p->b_form == B_ROWS && !p->b.load &&
           p->b.dtype == p->form && !p->a.load && p->products.n == 1 && p->k > 0 &&
           p->n >= 4 * (int64_t)p->lanes && (p->n == 1 || walk_step(&p->b_n) == 1) &&
           p->products.b[0] >= p->n;
}

bool contract_can_sweep(const problem *p)
{
    return contract_may_sweep(p) && p->k * p->n * p->bytes >= FAR;
}

/* Columns of an item: whole lines of memory. */
static int64_t tile_of(const problem *p)
{
    const int64_t line = LOOP_ALIGN / p->bytes, part = (p->n + FEW_TILES - 1) / FEW_TILES;
    const int64_t tile = (part + line - 1) / line * line;
    return tile < TILE ? tile : TILE;
}

int64_t contract_sweep_tiles(const problem *p)
{
    return (p->n + tile_of(p) - 1) / tile_of(p);
}

typedef struct sweep {
    multiplier *g;
    loop_value sums, totals; /* rows of TILE numbers */
    loop_value b_at;         /* B's row 0, at the first column */
    loop_value columns;      /* of this item, i64 */
} sweep;

static loop_value place(sweep *s, loop_value base, uint32_t row, loop_value column)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    return loop_offset(b, loop_at(b, base, (int64_t)row * TILE * p->bytes),
                       int_times(b, column, p->bytes));
}

static element load_sum(sweep *s, loop_value base, uint32_t row, loop_value column)
{
    const problem *p = s->g->p;
    return (element){p->form,
                     loop_load(s->g->b, loop_type_of(p->elem, p->lanes),
                               place(s, base, row, column), (uint32_t)p->bytes * p->lanes),
                     LOOP_NO_VALUE};
}

static void store_sum(sweep *s, loop_value base, uint32_t row, loop_value column, element x)
{
    const problem *p = s->g->p;
    loop_store(s->g->b, place(s, base, row, column), x.re, (uint32_t)p->bytes * p->lanes);
}

/* The vector at COLUMN gets the products of N rows of B, the first of which is at FROM. */
static void add_vector(sweep *s, const element a[ROWS][STREAMS], uint32_t n, loop_value from,
                       loop_value column, bool is_first, loop_value count)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    element sum[ROWS];
    for (uint32_t r = 0; r < p->m; r++)
        sum[r] = is_first ? element_zero(b, p->form, p->lanes) : load_sum(s, s->sums, r, column);
    const loop_value at = loop_offset(b, from, int_times(b, column, p->bytes));
    for (uint32_t i = 0; i < n; i++) {
        const loop_value row = loop_at(b, at, i * p->products.b[0] * p->bytes);
        const element x =
            count == LOOP_NO_VALUE
                ? element_load(b, p->form, row, p->lanes, (uint32_t)p->bytes)
                : element_load_first(b, p->form, row, p->lanes, count, (uint32_t)p->bytes);
        for (uint32_t r = 0; r < p->m; r++)
            sum[r] = contract_product(p, b, a[r][i], x, sum[r]);
    }
    for (uint32_t r = 0; r < p->m; r++)
        store_sum(s, s->sums, r, column, sum[r]);
}

/* WORK on every vector of the item's columns; the last may be partial. */
typedef void vector_work(sweep *s, void *user, loop_value column, loop_value count);

static void each_vector(sweep *s, vector_work *work, void *user)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    const int64_t rest = p->n % p->lanes;
    const loop_value whole =
        rest ? loop_binary(b, LOOP_AND, s->columns, loop_i64(b, -(int64_t)p->lanes)) : s->columns;
    work(s, user, loop_for(b, loop_i64(b, 0), whole, p->lanes), LOOP_NO_VALUE);
    loop_end(b);
    if (rest) {
        loop_if(b, loop_binary(b, LOOP_ILT, whole, s->columns));
        work(s, user, whole, loop_i64(b, rest));
        loop_end(b);
    }
}

typedef struct group {
    element a[ROWS][STREAMS];
    uint32_t n;
    loop_value from;
    bool is_first;
} group;

static void add_group(sweep *s, void *user, loop_value column, loop_value count)
{
    const group *x = user;
    add_vector(s, x->a, x->n, x->from, column, x->is_first, count);
}

/* N products of every chain, from product K (i64) on. */
static void emit_group(sweep *s, loop_value k, uint32_t n, bool is_first)
{
    multiplier *g = s->g;
    const problem *p = g->p;
    loop_builder *b = g->b;
    group x = {.n = n, .is_first = is_first};
    const loop_value from_a = loop_offset(b, g->a, int_times(b, k, p->products.a[0] * p->bytes));
    for (uint32_t r = 0; r < p->m; r++)
        for (uint32_t i = 0; i < n; i++) {
            const int64_t at = g->row_at[r] + i * p->products.a[0] * p->bytes;
            x.a[r][i] = element_splat(
                b, p->lanes,
                element_load(b, p->form, loop_at(b, from_a, at), 1, (uint32_t)p->bytes));
        }
    x.from = loop_offset(b, s->b_at, int_times(b, k, p->products.b[0] * p->bytes));
    each_vector(s, add_group, &x);
}

static void join_total(sweep *s, void *user, loop_value column, loop_value count)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    const bool *is_first = user;
    (void)count; /* the numbers beyond are never looked at */
    for (uint32_t r = 0; r < p->m; r++) {
        element x = load_sum(s, s->sums, r, column);
        if (!*is_first)
            x = element_combine(b, FOLD_SUM, load_sum(s, s->totals, r, column), x);
        store_sum(s, s->totals, r, column, x);
    }
}

/* Products FIRST .. FIRST + COUNT - 1, a block of the law. */
static void emit_block_of(sweep *s, loop_value first, int64_t count)
{
    loop_builder *b = s->g->b;
    const uint32_t streams = s->g->p->m > 2 ? STREAMS / 2 : STREAMS;
    const int64_t start = count < streams ? count : streams;
    const int64_t whole = start + (count - start) / streams * streams;
    emit_group(s, first, (uint32_t)start, true);
    if (whole > start) {
        const loop_value k = loop_for(b, loop_i64(b, start), loop_i64(b, whole), (int64_t)streams);
        emit_group(s, int_add(b, first, k), streams, false);
        loop_end(b);
    }
    if (count > whole)
        emit_group(s, int_add(b, first, loop_i64(b, whole)), (uint32_t)(count - whole), false);
}

static void finish_columns(sweep *s, void *user, loop_value column, loop_value count)
{
    multiplier *g = s->g;
    loop_builder *b = g->b;
    const loop_value *from = user;
    for (uint32_t r = 0; r < g->p->m; r++)
        contract_finish_vector(g, load_sum(s, *from, r, column), loop_i64(b, r),
                               int_add(b, g->column, column), count);
}

static void emit_sweep(sweep *s, loop_value item)
{
    multiplier *g = s->g;
    const problem *p = g->p;
    loop_builder *b = g->b;
    const int64_t tiles = contract_sweep_tiles(p), blocks = p->k / CONTRACT_BLOCK;
    const int64_t rest = p->k % CONTRACT_BLOCK;
    g->batch = int_divided(b, item, tiles);
    g->column = int_times(b, int_modulo(b, item, tiles), tile_of(p));
    g->c_batch = int_add(b, walk_emit(b, &p->c_batch, g->batch), loop_i64(b, p->spec.c_first));
    s->columns = loop_min(b, loop_i64(b, tile_of(p)),
                          loop_binary(b, LOOP_ISUB, loop_i64(b, p->n), g->column));
    const loop_value at_a =
        int_add(b, walk_emit(b, &p->a_batch, g->batch), loop_i64(b, p->spec.a_first));
    g->a = loop_offset(b, g->all_a, int_times(b, at_a, p->bytes));
    for (uint32_t r = 0; r < p->m; r++)
        g->row_at[r] = walk_at(&p->a_m, r) * p->bytes;
    const loop_value at_b = int_add(b, int_add(b, walk_emit(b, &p->b_batch, g->batch), g->column),
                                    loop_i64(b, p->spec.b_first));
    s->b_at = loop_offset(b, g->all_b, int_times(b, at_b, p->bytes));
    if (blocks + (rest > 0) == 1) {
        emit_block_of(s, loop_i64(b, 0), p->k);
        each_vector(s, finish_columns, &s->sums);
        return;
    }
    bool is_first = true;
    emit_block_of(s, loop_i64(b, 0), CONTRACT_BLOCK);
    each_vector(s, join_total, &is_first);
    is_first = false;
    if (blocks > 1) {
        const loop_value block = loop_for(b, loop_i64(b, 1), loop_i64(b, blocks), 1);
        emit_block_of(s, int_times(b, block, CONTRACT_BLOCK), CONTRACT_BLOCK);
        each_vector(s, join_total, &is_first);
        loop_end(b);
    }
    if (rest) {
        emit_block_of(s, loop_i64(b, blocks * CONTRACT_BLOCK), rest);
        each_vector(s, join_total, &is_first);
    }
    each_vector(s, finish_columns, &s->totals);
}

const loop_program *contract_sweep(problem *p, arena *memory, const char **fault)
{
    int64_t row_at[ROWS];
    loop_builder b;
    multiplier g = {.b = &b, .p = p, .row_at = row_at, .totals = LOOP_NO_VALUE};
    sweep s = {.g = &g};
    loop_init(&b, memory);
    g.all_a = loop_buffer(&b, p->a.buffer);
    g.all_b = loop_buffer(&b, p->b.buffer);
    g.c = p->spec.finish ? 0 : loop_buffer(&b, CONTRACT_C);
    const uint64_t room = (uint64_t)p->m * TILE * (uint64_t)p->bytes;
    s.sums = loop_scratch(&b, room);
    s.totals = p->k > CONTRACT_BLOCK ? loop_scratch(&b, room) : s.sums;
    emit_sweep(
        &s, loop_for(&b, loop_param_value(&b, LOOP_BEGIN), loop_param_value(&b, LOOP_END_AT), 1));
    loop_end(&b);
    *fault = b.fault;
    return loop_finish_or_fault(&b);
}
