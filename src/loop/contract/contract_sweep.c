/* Few rows times a large matrix that is read once: B is swept in place, several of its rows at a
 * time and each for as long as an item has columns, so that memory is read in long streams. The
 * sums of an item lie in scratch memory; each visit adds the products of one group of rows. */
#include "loop/contract/contract_multiply.h"

enum {
    ROWS = 16,     /* of A, at most */
    HELD = 4,      /* rows whose sums are in registers together, of two vectors each */
    STREAMS = 8,   /* rows of B at a time */
    TILE = 1024,   /* columns of an item, at most */
    FEW_TILES = 4, /* work items, at least, even for a narrow B */
    /* bytes of B from which on it is worth it: */
    FAR = 256 << 10,
    FARTHER = 2 << 20 /* ... for more rows than are HELD, which pay for keeping sums in memory */
};

bool contract_may_sweep(const problem *p)
{
    return p->parts == 1 && p->m <= ROWS && p->b_form == B_ROWS &&
           (p->b.load || p->b.dtype == p->form) && !p->a.load && p->products.n == 1 && p->k > 0 &&
           p->n >= 4 * (int64_t)p->lanes && (p->n == 1 || walk_step(&p->b_n) == 1) &&
           p->products.b[0] >= p->n;
}

bool contract_can_sweep(const problem *p)
{
    const int64_t far = p->m > HELD ? FARTHER : FAR;
    return contract_may_sweep(p) && p->k * p->n >= far / p->bytes;
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
    loop_value factors;      /* of A, for one group of rows of B */
    loop_value b_at;    /* B's row 0: see b_moved; in memory, at the first column of the item */
    loop_value columns; /* of this item, i64 */
} sweep;

/* From one row of sums to the next: not a power of two, so that they do not share few sets of the
 * first-level cache. */
static int64_t row_bytes(const problem *p)
{
    return TILE * p->bytes + LOOP_ALIGN;
}

static loop_value place(sweep *s, loop_value base, uint32_t row, loop_value column)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    return loop_offset(b, loop_at(b, base, (int64_t)row * row_bytes(p)),
                       int_times(b, column, p->bytes));
}

static element load_sum(sweep *s, loop_value base, uint32_t row, loop_value column, uint32_t lanes)
{
    const problem *p = s->g->p;
    return (element){p->form,
                     loop_load(s->g->b, loop_type_of(p->elem, lanes), place(s, base, row, column),
                               (uint32_t)p->bytes * p->lanes),
                     LOOP_NO_VALUE};
}

static void store_sum(sweep *s, loop_value base, uint32_t row, loop_value column, element x)
{
    const problem *p = s->g->p;
    loop_store(s->g->b, place(s, base, row, column), x.re, (uint32_t)p->bytes * p->lanes);
}

/* Rows whose sums are in registers together, and the lanes of their vectors. What is computed when
 * it is loaded serves more rows. */
static uint32_t held_rows(const problem *p)
{
    return p->b.load ? 2 * HELD : HELD;
}

static uint32_t held_lanes(const problem *p)
{
    return p->m > 1 && !p->b.load ? 2 * p->lanes : p->lanes;
}

/* A group of rows of B; the factors of A that meet it are copied side by side. */
typedef struct group {
    uint32_t n;      /* rows of B */
    loop_value from; /* the first row */
    bool is_first;
} group;

/* Where the factor of row ROW of A and row I of a group is. */
static int64_t factor_at(const problem *p, uint32_t row, uint32_t i)
{
    return ((int64_t)i * p->m + row) * p->bytes;
}

/* Does what computes B have all columns of a product in one of its rows? */
static bool lies_in_rows(const problem *p)
{
    bool ok = p->b.row > 0 && p->b.row % p->n == 0 && p->products.b[0] % p->n == 0 &&
              p->spec.b_first % p->n == 0;
    for (uint32_t i = 0; i < p->b_batch.n; i++)
        ok = ok && p->b_batch.step[i] % p->n == 0;
    return ok;
}

/* The vector at COLUMN of row I of a group. What computes B is told where its row is, which is the
 * same for all columns. */
static element load_b(sweep *s, const group *x, uint32_t i, loop_value column, uint32_t lanes,
                      loop_value count)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    const loop_value along = p->b.load ? int_add(b, s->g->column, column) : LOOP_NO_VALUE;
    if (contract_has_rows(p, STREAMS)) {
        const contract_place place = {x->from, along, i, STREAMS};
        return element_cast(b, p->b.load(p->b.user, b, &place, lanes, count), p->form);
    }
    const loop_value row = b_moved(s->g, x->from, loop_i64(b, i * p->products.b[0] * b_unit(p)));
    if (!p->b.load)
        return factors_load_at(b, p, &p->b, b_moved(s->g, row, int_times(b, column, b_unit(p))),
                               lanes, count);
    if (!lies_in_rows(p))
        return factors_load_at(b, p, &p->b, int_add(b, row, along), lanes, count);
    const contract_place place = {row, along, 0, 0};
    return element_cast(b, p->b.load(p->b.user, b, &place, lanes, count), p->form);
}

/* The vector at COLUMN gets the products of the rows of a group. */
static void add_group(sweep *s, void *user, loop_value column, uint32_t lanes, loop_value count)
{
    const group *x = user;
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    const uint32_t most = held_rows(p);
    for (uint32_t first = 0; first < p->m; first += most) {
        const uint32_t rows = p->m - first < most ? (uint32_t)p->m - first : most;
        element sum[2 * HELD];
        for (uint32_t r = 0; r < rows; r++)
            sum[r] = x->is_first ? element_zero(b, p->form, lanes)
                                 : load_sum(s, s->sums, first + r, column, lanes);
        for (uint32_t i = 0; i < x->n; i++) {
            const element of_b = load_b(s, x, i, column, lanes, count);
            for (uint32_t r = 0; r < rows; r++) {
                const loop_value at_a = loop_at(b, s->factors, factor_at(p, first + r, i));
                const element of_a = element_load(b, p->form, at_a, 1, (uint32_t)p->bytes);
                sum[r] = contract_product(p, b, element_splat(b, lanes, of_a), of_b, sum[r]);
            }
        }
        for (uint32_t r = 0; r < rows; r++)
            store_sum(s, s->sums, first + r, column, sum[r]);
    }
}

/* WORK on every vector of the item's columns, of LANES lanes or fewer; the last may be partial. */
typedef void vector_work(sweep *s, void *user, loop_value column, uint32_t lanes, loop_value count);

static void each_vector(sweep *s, uint32_t lanes, vector_work *work, void *user)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    loop_value done = loop_i64(b, 0);
    for (; lanes >= p->lanes; lanes /= 2) {
        const bool is_all = p->n % lanes == 0;
        const loop_value whole =
            is_all ? s->columns
                   : loop_binary(b, LOOP_AND, s->columns, loop_i64(b, -(int64_t)lanes));
        work(s, user, loop_for(b, done, whole, lanes), lanes, LOOP_NO_VALUE);
        loop_end(b);
        done = whole;
        if (is_all)
            return;
    }
    loop_if(b, loop_binary(b, LOOP_ILT, done, s->columns));
    work(s, user, done, p->lanes, loop_i64(b, p->n % p->lanes));
    loop_end(b);
}

/* N products of every chain, from product K (i64) on. */
static void emit_group(sweep *s, loop_value k, uint32_t n, bool is_first)
{
    multiplier *g = s->g;
    const problem *p = g->p;
    loop_builder *b = g->b;
    const loop_value from_a = loop_offset(
        b, g->a, int_times_sized(b, k, sized_mul(products_a(&p->products, 0), sized_of(p->bytes))));
    for (uint32_t r = 0; r < p->m; r++)
        for (uint32_t i = 0; i < n; i++) {
            const sized step = sized_mul(products_a(&p->products, 0), sized_of(i * p->bytes));
            const sized at = sized_add(g->row_at[r], step);
            element_store(
                b, loop_at(b, s->factors, factor_at(p, r, i)),
                element_load(b, p->form, int_behind(b, from_a, at), 1, (uint32_t)p->bytes),
                (uint32_t)p->bytes);
        }
    group x = {
        .n = n,
        .from = b_moved(
            g, s->b_at,
            int_times_sized(b, k, sized_mul(products_b(&p->products, 0), sized_of(b_unit(p))))),
        .is_first = is_first};
    each_vector(s, held_lanes(p), add_group, &x);
}

static void join_total(sweep *s, void *user, loop_value column, uint32_t lanes, loop_value count)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    const bool *is_first = user;
    (void)count; /* the numbers beyond are never looked at */
    for (uint32_t r = 0; r < p->m; r++) {
        element x = load_sum(s, s->sums, r, column, lanes);
        if (!*is_first)
            x = element_combine(b, FOLD_SUM, load_sum(s, s->totals, r, column, lanes), x);
        store_sum(s, s->totals, r, column, x);
    }
}

/* Products FIRST .. FIRST + COUNT - 1, a block of the law. */
static void emit_block_of(sweep *s, loop_value first, int64_t count)
{
    loop_builder *b = s->g->b;
    const int64_t start = count < STREAMS ? count : STREAMS;
    const int64_t whole = start + (count - start) / STREAMS * STREAMS;
    emit_group(s, first, (uint32_t)start, true);
    if (whole > start) {
        const loop_value k = loop_for(b, loop_i64(b, start), loop_i64(b, whole), STREAMS);
        emit_group(s, int_add(b, first, k), STREAMS, false);
        loop_end(b);
    }
    if (count > whole)
        emit_group(s, int_add(b, first, loop_i64(b, whole)), (uint32_t)(count - whole), false);
}

static void finish_columns(sweep *s, void *user, loop_value column, uint32_t lanes,
                           loop_value count)
{
    multiplier *g = s->g;
    loop_builder *b = g->b;
    const loop_value *from = user;
    for (uint32_t r = 0; r < g->p->m; r++)
        contract_finish_vector(g, load_sum(s, *from, r, column, lanes), loop_i64(b, r),
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
        g->row_at[r] = sized_mul(walk_at(&p->a_m, r), sized_of(p->bytes));
    const loop_value at_b =
        int_add(b, walk_emit(b, &p->b_batch, g->batch), loop_i64(b, p->spec.b_first));
    s->b_at = p->b.load
                  ? at_b
                  : loop_offset(b, g->all_b, int_times(b, int_add(b, at_b, g->column), p->bytes));
    if (blocks + (rest > 0) == 1) {
        emit_block_of(s, loop_i64(b, 0), p->k);
        each_vector(s, s->g->p->lanes, finish_columns, &s->sums);
        return;
    }
    bool is_first = true;
    emit_block_of(s, loop_i64(b, 0), CONTRACT_BLOCK);
    each_vector(s, s->g->p->lanes, join_total, &is_first);
    is_first = false;
    if (blocks > 1) {
        const loop_value block = loop_for(b, loop_i64(b, 1), loop_i64(b, blocks), 1);
        emit_block_of(s, int_times(b, block, CONTRACT_BLOCK), CONTRACT_BLOCK);
        each_vector(s, s->g->p->lanes, join_total, &is_first);
        loop_end(b);
    }
    if (rest) {
        emit_block_of(s, loop_i64(b, blocks * CONTRACT_BLOCK), rest);
        each_vector(s, s->g->p->lanes, join_total, &is_first);
    }
    each_vector(s, s->g->p->lanes, finish_columns, &s->totals);
}

const loop_program *contract_sweep(problem *p, arena *memory, const char **fault)
{
    sized row_at[ROWS];
    loop_builder b;
    multiplier g = {.b = &b, .p = p, .row_at = row_at, .totals = LOOP_NO_VALUE};
    sweep s = {.g = &g};
    loop_init(&b, memory);
    g.all_a = loop_buffer(&b, p->a.buffer);
    g.all_b = loop_buffer(&b, p->b.buffer);
    g.c = p->spec.finish ? 0 : loop_buffer(&b, CONTRACT_C);
    const uint64_t room = (uint64_t)(p->m * row_bytes(p));
    s.sums = loop_scratch(&b, room);
    s.totals = p->k > CONTRACT_BLOCK ? loop_scratch(&b, room) : s.sums;
    s.factors = loop_scratch(&b, (uint64_t)(p->m * STREAMS * p->bytes));
    emit_sweep(
        &s, loop_for(&b, loop_param_value(&b, LOOP_BEGIN), loop_param_value(&b, LOOP_END_AT), 1));
    loop_end(&b);
    *fault = b.fault;
    return loop_finish_or_fault(&b);
}
