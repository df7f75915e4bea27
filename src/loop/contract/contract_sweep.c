/* Some rows times a large matrix that is read once: B is swept in place, several of its rows at a
 * time and each for as long as an item has columns, so that memory is read in long streams; the
 * next rows are fetched meanwhile. A vector of each of these rows is in registers while all rows of
 * A meet it. The sums of an item lie in scratch memory.
 *
 * Where the columns of B are contiguous, not the rows, as many of them as a vector has lanes go
 * through a block of the law together: a square of B is transposed in registers and is then what a
 * vector of each of several rows is above. The blocks of the next columns are fetched meanwhile,
 * one column after the other. */
#include "loop/contract/contract_multiply.h"

enum {
    ROWS = 128,  /* of A, at most */
    LOADED = 16, /* ... where B is computed when it is loaded */
    STREAMS = 8, /* rows of B at a time: so many lines that fall into one set stay in a cache */
    FEWER_STREAMS = 6,     /* ... where two vectors of each would not fit in registers else */
    TILE = 1024,           /* columns of an item, at most */
    LEAST_TILE = 256,      /* ... fewer where else sums are more than */
    MOST_SUMS = 256 << 10, /* bytes */
    FEW_TILES = 4,         /* work items, at least, even for a narrow B */
    LEAST_VECTORS = 2,     /* of an item; with one, sums are loaded as often as products added */
    /* bytes of B from which on it is worth it: */
    FAR = 256 << 10,
    FARTHER = 2 << 20, /* ... for more rows than */
    FEW_ROWS = 4,
    MOST_FOR_COLUMNS = 64, /* rows of A; with more, transposing pays for tiles, too */
    FEWER_FOR_COLUMNS = 12 /* ... where a square has as few products as there are registers */
};
static bool has_columns(const problem *p)
{
    return p->b_form == B_COLUMNS;
}

/* Columns: each begins in memory where a vector is read, and a square fits in registers. */
static bool may_sweep_columns(const problem *p)
{
    return has_columns(p) && !p->b.load && p->b.pair == 0 && p->b.dtype == p->form &&
           p->bytes >= 4 && p->lanes > 1 && p->lanes <= CONTRACT_MOST_UNROLLED && p->b_n.n == 1 &&
           p->products.b[0] == 1 && walk_step(&p->b_n) >= p->k;
}

/* Are the factors of a product side by side in A, as those of a column are? Then they are read
 * where they are; others are copied, so that those of a group are. */
static bool reads_factors(const problem *p)
{
    const walk m = WALK(p->spec.m, p->spec.n_m, a);
    const sized step = walk_sized_step(&m);
    return m.n == 1 && step.now == 1 && sized_is_fixed(step) && !p->a.load && p->a.dtype == p->form;
}

/* Columns of an item: whole lines of memory. Where factors are copied for each item, an item has
 * more columns or all are better multiplied otherwise. */
static int64_t tile_of(const problem *p)
{
    const int64_t line = LOOP_ALIGN / p->bytes, part = (p->n + FEW_TILES - 1) / FEW_TILES;
    const int64_t least = reads_factors(p) ? (int64_t)LEAST_VECTORS * p->lanes : 1;
    const int64_t tile = ((part < least ? least : part) + line - 1) / line * line;
    int64_t most = TILE;
    while (most > LEAST_TILE && p->m * most * p->bytes > MOST_SUMS)
        most /= 2;
    return tile < most ? tile : most;
}

bool contract_may_sweep(const problem *p)
{
    const bool may_rows =
        p->b_form == B_ROWS && (p->n == 1 || walk_step(&p->b_n) == 1) && p->products.b[0] >= p->n;
    return p->parts == 1 && p->m <= (p->b.load ? LOADED : ROWS) && !p->a.load &&
           p->products.n == 1 && p->k > 0 && p->n >= 4 * (int64_t)p->lanes &&
           (may_rows || may_sweep_columns(p));
}

bool contract_can_sweep(const problem *p)
{
    const int64_t far = p->m > FEW_ROWS ? FARTHER : FAR;
    const int64_t most = p->has_many_registers ? MOST_FOR_COLUMNS : FEWER_FOR_COLUMNS;
    if (has_columns(p) && (p->m <= FEW_ROWS || p->m > most))
        return false; /* contract_squares.c transposes for fewer, tiles for more */
    return contract_may_sweep(p) && p->k * p->n >= far / p->bytes &&
           tile_of(p) >= LEAST_VECTORS * (int64_t)p->lanes;
}

/* About as many lines of B as there are rows of A are in a group: with each row the products of a
 * line are added and a line is fetched. */
static bool has_narrow_groups(const problem *p)
{
    return p->m < (p->has_many_registers ? 2 * FEW_ROWS + 1 : FEW_ROWS);
}

int64_t contract_sweep_streams(const problem *p)
{
    if (p->b.load)
        return STREAMS; /* what computes B counts on it */
    if (has_columns(p))
        return p->lanes; /* a square */
    if (p->spec.wanted.unroll > 0)
        return p->spec.wanted.unroll;
    if (!p->has_many_registers)
        return has_narrow_groups(p) ? STREAMS : FEWER_STREAMS;
    return p->m > 1 && p->m <= FEW_ROWS ? STREAMS / 2 : STREAMS;
}

int64_t contract_sweep_vectors(const problem *p)
{
    enum { MOST = 4 };
    int64_t n = p->m > 1 && has_narrow_groups(p) ? 1 : 2;
    if (p->b.load || has_columns(p))
        return 1;
    if (p->spec.wanted.vectors > 0)
        for (n = MOST; n > p->spec.wanted.vectors; n /= 2)
            continue;
    return n * p->lanes <= LOOP_MAX_LANES ? n : 1;
}

int64_t contract_sweep_tiles(const problem *p)
{
    return (p->n + tile_of(p) - 1) / tile_of(p);
}

typedef struct sweep {
    multiplier *g;
    loop_value sums, totals; /* of the item, row by row */
    loop_value room;    /* for the factors of A of a block of the law, where these are copied */
    loop_value factors; /* the factor of row 0 of A and the first product of a block */
    loop_value b_at;    /* B's row 0: see b_moved; in memory, at the first column of the item */
    loop_value columns; /* of this item, i64 */
    /* Variables: the line of B that is fetched next lies FETCHED_AT bytes after FETCHED, where a
     * row of the item begins. */
    loop_value fetched, fetched_at;
} sweep;

/* From one row of sums, or of factors, to the next: not a power of two, so that they do not share
 * few sets of the first-level cache. */
static int64_t row_bytes(const problem *p)
{
    return tile_of(p) * p->bytes + LOOP_ALIGN;
}

/* From the factor of one row of A to that of the next, and from that of one product. */
static int64_t factor_row(const problem *p)
{
    return reads_factors(p) ? p->bytes : CONTRACT_BLOCK * p->bytes + LOOP_ALIGN;
}

static sized factor_step(const problem *p)
{
    return sized_mul(reads_factors(p) ? products_a(&p->products, 0) : sized_of(1),
                     sized_of(p->bytes));
}

static loop_value factors_of(sweep *s, loop_value k)
{
    return loop_offset(s->g->b, s->factors, int_times_sized(s->g->b, k, factor_step(s->g->p)));
}

/* Where ROW (i64) and COLUMN (i64) of an item's sums are. */
static loop_value place(sweep *s, loop_value base, loop_value row, loop_value column)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    return loop_offset(b, loop_offset(b, base, int_times(b, row, row_bytes(p))),
                       int_times(b, column, p->bytes));
}

static element load_sum(sweep *s, loop_value at, uint32_t lanes)
{
    const problem *p = s->g->p;
    return (element){
        p->form,
        loop_load(s->g->b, loop_type_of(p->elem, lanes), at, (uint32_t)p->bytes * p->lanes),
        LOOP_NO_VALUE};
}

static void store_sum(sweep *s, loop_value at, element x)
{
    const problem *p = s->g->p;
    loop_store(s->g->b, at, x.re, (uint32_t)p->bytes * p->lanes);
}

/* Products FIRST .. FIRST + LENGTH - 1 of A, a block of the law: side by side for each row. */
static void copy_factors(sweep *s, loop_value first, loop_value length)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    const uint32_t bytes = (uint32_t)p->bytes;
    const sized step = sized_mul(products_a(&p->products, 0), sized_of(p->bytes));
    const bool is_row = step.now == p->bytes && sized_is_fixed(step);
    const int64_t rest = is_row ? p->k % CONTRACT_BLOCK % p->lanes : 1;
    const loop_value whole = !is_row ? loop_i64(b, 0)
                             : rest
                                 ? loop_binary(b, LOOP_AND, length, loop_i64(b, -(int64_t)p->lanes))
                                 : length;
    const loop_value row = loop_for(b, loop_i64(b, 0), loop_i64(b, p->m), 1);
    const loop_value from = loop_offset(b, loop_offset(b, s->g->a, int_times_sized(b, first, step)),
                                        int_times(b, walk_emit(b, &p->a_m, row), p->bytes));
    const loop_value to = loop_offset(b, s->room, int_times(b, row, factor_row(p)));
    if (is_row) {
        const loop_value at = int_times(b, loop_for(b, loop_i64(b, 0), whole, p->lanes), p->bytes);
        element_store(b, loop_offset(b, to, at),
                      element_load(b, p->form, loop_offset(b, from, at), p->lanes, bytes),
                      bytes * p->lanes);
        loop_end(b);
    }
    if (rest) {
        const loop_value k = loop_for(b, whole, length, 1);
        element_store(
            b, loop_offset(b, to, int_times(b, k, p->bytes)),
            element_load(b, p->form, loop_offset(b, from, int_times_sized(b, k, step)), 1, bytes),
            bytes);
        loop_end(b);
    }
    loop_end(b);
}

/* Where the factors of this block are from now on. */
static void place_factors(sweep *s, loop_value first, loop_value length)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    if (!reads_factors(p))
        copy_factors(s, first, length);
    s->factors = reads_factors(p)
                     ? loop_offset(b, s->g->a, int_times_sized(b, first, factor_step(p)))
                     : s->room;
}

/* ---- what is fetched ---- */

/* The hardware follows the streams by itself as long as there is next to nothing to do between. */
static bool fetches(const problem *p)
{
    return !p->b.load && p->m > 1 && !has_columns(p);
}

/* During a group the rows of B from product K (i64) on are fetched; after the last ones those with
 * which the next item begins. */
static void begin_fetching(sweep *s, loop_value k)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    if (!fetches(p))
        return;
    const sized step = sized_mul(products_b(&p->products, 0), sized_of(b_unit(p)));
    const loop_value next =
        loop_select(b, loop_binary(b, LOOP_ILT, k, loop_i64(b, p->k)), int_times_sized(b, k, step),
                    int_times(b, s->columns, b_unit(p)));
    loop_set(b, s->fetched, loop_offset(b, s->b_at, next));
    loop_set(b, s->fetched_at, loop_i64(b, 0));
}

/* The next N lines, into the second-level cache where those of a group are about as much as the
 * first one holds. */
static void fetch(sweep *s, int64_t n)
{
    enum { NEAR = 8 << 10 };
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    if (n == 0)
        return;
    const bool is_far = contract_sweep_streams(p) * tile_of(p) * b_unit(p) > NEAR;
    const loop_value from = loop_get(b, s->fetched), at = loop_get(b, s->fetched_at);
    for (int64_t i = 0; i < n; i++)
        (is_far ? loop_prefetch_far
                : loop_prefetch)(b, loop_at(b, loop_offset(b, from, at), i * LOOP_ALIGN));
    const loop_value next = int_add(b, at, loop_i64(b, n * LOOP_ALIGN)), none = loop_i64(b, 0);
    const loop_value goes_on = loop_binary(b, LOOP_ILT, next, int_times(b, s->columns, b_unit(p)));
    const loop_value row =
        loop_sized(b, sized_mul(products_b(&p->products, 0), sized_of(b_unit(p))));
    loop_set(b, s->fetched_at, loop_select(b, goes_on, next, none));
    loop_set(b, s->fetched, loop_offset(b, from, loop_select(b, goes_on, none, row)));
}

/* ---- groups of rows of B ---- */

typedef struct group {
    uint32_t n;         /* rows of B */
    loop_value from;    /* the first row */
    loop_value factors; /* of row 0 of A, the first product */
} group;

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
        const contract_place place = {.at = x->from,
                                      .along = along,
                                      .rows = i,
                                      .of = STREAMS,
                                      .ahead = STREAMS * p->products.b[0]};
        return element_cast(b, p->b.load(p->b.user, b, &place, lanes, count), p->form);
    }
    const loop_value row = b_moved(s->g, x->from, loop_i64(b, i * p->products.b[0] * b_unit(p)));
    if (!p->b.load)
        return factors_load_at(b, p, &p->b, b_moved(s->g, row, int_times(b, column, b_unit(p))),
                               lanes, count);
    if (!lies_in_rows(p))
        return factors_load_at(b, p, &p->b, int_add(b, row, along), lanes, count);
    const contract_place place = {.at = row, .along = along, .ahead = STREAMS * p->products.b[0]};
    return element_cast(b, p->b.load(p->b.user, b, &place, lanes, count), p->form);
}

/* The products of row ROW (i64) of A with the vectors OF_B of a group. */
static void add_row(sweep *s, const group *x, const element *of_b, loop_value column,
                    uint32_t lanes, loop_value row)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    const loop_value at = place(s, s->sums, row, column);
    const loop_value from = loop_offset(b, x->factors, int_times(b, row, factor_row(p)));
    element sum = load_sum(s, at, lanes);
    for (uint32_t i = 0; i < x->n; i++) {
        const loop_value here = int_behind(b, from, sized_mul(factor_step(p), sized_of(i)));
        const element of_a = element_load(b, p->form, here, 1, (uint32_t)p->bytes);
        sum = contract_product(p, b, element_splat(b, lanes, of_a), of_b[i], sum);
    }
    store_sum(s, at, sum);
}

/* The vector at COLUMN gets the products of a group. As much as it reads is fetched, evenly between
 * the rows. */
static void add_group(sweep *s, void *user, loop_value column, uint32_t lanes, loop_value count)
{
    const group *x = user;
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    const int64_t bytes = contract_sweep_streams(p) * (int64_t)lanes * b_unit(p);
    const int64_t lines = !fetches(p) ? 0 : (bytes + LOOP_ALIGN - 1) / LOOP_ALIGN;
    const int64_t rows = lines == 0 ? p->m : (p->m + lines - 1) / lines;
    const int64_t parts = (p->m + rows - 1) / rows;
    element of_b[CONTRACT_MOST_UNROLLED];
    for (uint32_t i = 0; i < x->n; i++)
        of_b[i] = load_b(s, x, i, column, lanes, count);
    const loop_value m = loop_i64(b, p->m);
    fetch(s, lines % parts);
    const loop_value part = loop_for(b, loop_i64(b, 0), m, rows);
    fetch(s, lines / parts);
    const loop_value row =
        rows == 1 ? part
                  : loop_for(b, part, loop_min(b, int_add(b, part, loop_i64(b, rows)), m), 1);
    add_row(s, x, of_b, column, lanes, row);
    if (rows > 1)
        loop_end(b);
    loop_end(b);
}

/* WORK on every vector of the item's columns, of LANES lanes or fewer; the last may be partial. */
typedef void vector_work(sweep *s, void *user, loop_value column, uint32_t lanes, loop_value count);

static void each_vector(sweep *s, uint32_t lanes, vector_work *work, void *user)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    loop_value done = loop_i64(b, 0);
    for (; lanes >= p->lanes; lanes /= 2) {
        const bool is_all = p->n % lanes == 0 && tile_of(p) % lanes == 0;
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

/* ---- squares of B, whose columns are contiguous ---- */

/* A block of the law: products FIRST .. FIRST + LENGTH - 1 (i64). */
typedef struct law_block {
    loop_value first, length;
} law_block;

static sized column_step(const problem *p)
{
    return sized_mul(walk_sized_step(&p->b_n), sized_of(b_unit(p)));
}

/* Square number K / lanes of those of a vector of columns is multiplied; as many bytes of what lies
 * at NEXT, the same of the next columns, are fetched, of one column after the other. */
static void fetch_square(sweep *s, loop_value next, loop_value k)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    const int64_t lanes = p->lanes, lines = lanes * lanes * b_unit(p) / LOOP_ALIGN;
    const int64_t in_column = CONTRACT_BLOCK * b_unit(p) / LOOP_ALIGN;
    const loop_value number = int_times(b, int_divided(b, k, lanes), lines);
    const loop_value column = int_times_sized(b, int_divided(b, number, in_column), column_step(p));
    const loop_value line = int_times(b, int_modulo(b, number, in_column), LOOP_ALIGN);
    const loop_value at = loop_offset(b, loop_offset(b, next, column), line);
    for (int64_t i = 0; i < lines; i++)
        loop_prefetch_far(b, loop_at(b, at, i * LOOP_ALIGN));
}

/* The products of a square of N products from product K (i64) of the block X on, and of COLUMNS
 * columns that exist from the address FROM on, where product 0 of the block is. */
static void add_square(sweep *s, loop_value from, loop_value k, uint32_t n, int64_t columns,
                       loop_value column)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    loop_value at[LOOP_MAX_LANES], of_k[LOOP_MAX_LANES];
    element of_b[LOOP_MAX_LANES];
    const loop_value here = loop_offset(b, from, int_times(b, k, b_unit(p)));
    for (uint32_t r = 0; r < p->lanes; r++) {
        /* Columns that do not exist repeat the last one; their sums are not stored. */
        const int64_t i = r < columns ? r : columns - 1;
        at[r] = int_behind(b, here, sized_mul(column_step(p), sized_of(i)));
        of_k[r] = n == p->lanes
                      ? loop_load(b, loop_type_of(p->elem, p->lanes), at[r], (uint32_t)p->bytes)
                      : loop_load_first(b, loop_type_of(p->elem, p->lanes), at[r], loop_i64(b, n),
                                        (uint32_t)p->bytes);
    }
    transpose_square(b, of_k, p->lanes, p->bytes);
    for (uint32_t i = 0; i < n; i++)
        of_b[i] = (element){p->form, of_k[i], LOOP_NO_VALUE};
    const group x = {.n = n, .from = here, .factors = factors_of(s, k)};
    const loop_value row = loop_for(b, loop_i64(b, 0), loop_i64(b, p->m), 1);
    add_row(s, &x, of_b, column, p->lanes, row);
    loop_end(b);
}

/* The vector of columns at COLUMN gets the products of a block of the law. */
static void add_columns(sweep *s, void *user, loop_value column, uint32_t lanes, loop_value count)
{
    const law_block *x = user;
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    const int64_t columns = count == LOOP_NO_VALUE ? lanes : p->n % lanes, rest = p->k % lanes;
    const loop_value from =
        loop_offset(b, loop_offset(b, s->b_at, int_times_sized(b, column, column_step(p))),
                    int_times(b, x->first, b_unit(p)));
    /* Next are the columns beside, then those of the next block, then those of the next item. */
    const loop_value beside = int_add(b, column, loop_i64(b, lanes));
    const loop_value has_more = loop_binary(b, LOOP_ILT, beside, s->columns);
    const loop_value further = int_add(b, x->first, x->length);
    const loop_value goes_on = loop_binary(b, LOOP_ILT, further, loop_i64(b, p->k));
    const loop_value none = loop_i64(b, 0);
    const loop_value next_column =
        loop_select(b, has_more, beside, loop_select(b, goes_on, none, s->columns));
    const loop_value next_first =
        loop_select(b, has_more, x->first, loop_select(b, goes_on, further, none));
    const loop_value next =
        loop_offset(b, loop_offset(b, s->b_at, int_times_sized(b, next_column, column_step(p))),
                    int_times(b, next_first, b_unit(p)));
    const loop_value whole = loop_binary(b, LOOP_AND, x->length, loop_i64(b, -(int64_t)lanes));
    const loop_value k = loop_for(b, none, whole, lanes);
    fetch_square(s, next, k);
    add_square(s, from, k, lanes, columns, column);
    loop_end(b);
    if (rest == 0)
        return;
    loop_if(b, loop_binary(b, LOOP_ILT, whole, x->length));
    add_square(s, from, whole, (uint32_t)rest, columns, column);
    loop_end(b);
}

/* ---- items ---- */

/* N products of every chain, product K (i64) of the block of the law that begins at FIRST and those
 * after it. */
static void emit_group(sweep *s, loop_value first, loop_value k, uint32_t n)
{
    multiplier *g = s->g;
    const problem *p = g->p;
    loop_builder *b = g->b;
    const loop_value product = int_add(b, first, k);
    const sized step = sized_mul(products_b(&p->products, 0), sized_of(b_unit(p)));
    group x = {.n = n,
               .from = b_moved(g, s->b_at, int_times_sized(b, product, step)),
               .factors = factors_of(s, k)};
    begin_fetching(s, int_add(b, product, loop_i64(b, n)));
    each_vector(s, (uint32_t)contract_sweep_vectors(p) * p->lanes, add_group, &x);
}

/* All products FIRST .. FIRST + LENGTH - 1, a block of the law, join the sums. */
static void emit_block_of(sweep *s, loop_value first, loop_value length)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    const int64_t n = contract_sweep_streams(p);
    /* What is left of a whole block and of the last one. */
    const int64_t rest[] = {p->k >= CONTRACT_BLOCK ? CONTRACT_BLOCK % n : 0,
                            p->k % CONTRACT_BLOCK % n};
    const loop_value left = rest[0] + rest[1] > 0 ? int_modulo(b, length, n) : loop_i64(b, 0);
    const loop_value whole = loop_binary(b, LOOP_ISUB, length, left);
    place_factors(s, first, length);
    if (has_columns(p)) {
        law_block x = {first, length};
        each_vector(s, p->lanes, add_columns, &x);
        return;
    }
    if (p->k >= n) {
        emit_group(s, first, loop_for(b, loop_i64(b, 0), whole, n), (uint32_t)n);
        loop_end(b);
    }
    for (int i = 0; i < 2; i++) {
        if (rest[i] == 0 || (i > 0 && rest[i] == rest[0]))
            continue;
        loop_if(b, loop_binary(b, LOOP_IEQ, left, loop_i64(b, rest[i])));
        emit_group(s, first, whole, (uint32_t)rest[i]);
        loop_end(b);
    }
}

/* Before the first product. A total is -0 then, or 0 of integers: that plus x is x, bit for bit. */
static void start(sweep *s, void *user, loop_value column, uint32_t lanes, loop_value count)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    (void)user;
    (void)count; /* the numbers beyond are never looked at */
    element total = {0};
    (void)element_identity(b, FOLD_SUM, p->form, lanes, &total);
    const loop_value row = loop_for(b, loop_i64(b, 0), loop_i64(b, p->m), 1);
    if (p->k > CONTRACT_BLOCK)
        store_sum(s, place(s, s->totals, row, column), total);
    store_sum(s, place(s, s->sums, row, column), element_zero(b, p->form, lanes));
    loop_end(b);
}

/* The sums of a block of the law join the totals, and begin again. */
static void join_totals(sweep *s, void *user, loop_value column, uint32_t lanes, loop_value count)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    (void)user;
    (void)count;
    const loop_value row = loop_for(b, loop_i64(b, 0), loop_i64(b, p->m), 1);
    const loop_value total = place(s, s->totals, row, column), sum = place(s, s->sums, row, column);
    store_sum(s, total,
              element_combine(b, FOLD_SUM, load_sum(s, total, lanes), load_sum(s, sum, lanes)));
    store_sum(s, sum, element_zero(b, p->form, lanes));
    loop_end(b);
}

static void finish_columns(sweep *s, void *user, loop_value column, uint32_t lanes,
                           loop_value count)
{
    multiplier *g = s->g;
    loop_builder *b = g->b;
    (void)user;
    const loop_value row = loop_for(b, loop_i64(b, 0), loop_i64(b, g->p->m), 1);
    contract_finish_vector(g, load_sum(s, place(s, s->totals, row, column), lanes), row,
                           int_add(b, g->column, column), count);
    loop_end(b);
}

static void emit_sweep(sweep *s, loop_value item)
{
    multiplier *g = s->g;
    const problem *p = g->p;
    loop_builder *b = g->b;
    const int64_t tiles = contract_sweep_tiles(p);
    g->batch = int_divided(b, item, tiles);
    g->column = int_times(b, int_modulo(b, item, tiles), tile_of(p));
    g->c_batch = int_add(b, walk_emit(b, &p->c_batch, g->batch), loop_i64(b, p->spec.c_first));
    s->columns = loop_min(b, loop_i64(b, tile_of(p)),
                          loop_binary(b, LOOP_ISUB, loop_i64(b, p->n), g->column));
    const loop_value at_a =
        int_add(b, walk_emit(b, &p->a_batch, g->batch), loop_i64(b, p->spec.a_first));
    g->a = loop_offset(b, g->all_a, int_times(b, at_a, p->bytes));
    const loop_value at_b =
        int_add(b, walk_emit(b, &p->b_batch, g->batch), loop_i64(b, p->spec.b_first));
    const loop_value at_column = has_columns(p) ? walk_emit(b, &p->b_n, g->column) : g->column;
    s->b_at = p->b.load
                  ? at_b
                  : loop_offset(b, g->all_b, int_times(b, int_add(b, at_b, at_column), b_unit(p)));
    each_vector(s, p->lanes, start, NULL);
    const loop_value first = loop_for(b, loop_i64(b, 0), loop_i64(b, p->k), CONTRACT_BLOCK);
    const loop_value left = loop_binary(b, LOOP_ISUB, loop_i64(b, p->k), first);
    emit_block_of(s, first, loop_min(b, left, loop_i64(b, CONTRACT_BLOCK)));
    if (p->k > CONTRACT_BLOCK)
        each_vector(s, p->lanes, join_totals, NULL);
    loop_end(b);
    each_vector(s, p->lanes, finish_columns, NULL);
}

const loop_program *contract_sweep(problem *p, arena *memory, const char **fault)
{
    loop_builder b;
    multiplier g = {.b = &b, .p = p, .totals = LOOP_NO_VALUE};
    sweep s = {.g = &g};
    loop_init(&b, memory);
    g.all_a = loop_buffer(&b, p->a.buffer);
    g.all_b = loop_buffer(&b, p->b.buffer);
    g.c = p->spec.finish ? 0 : loop_buffer(&b, CONTRACT_C);
    const uint64_t room = (uint64_t)(p->m * row_bytes(p));
    s.sums = loop_scratch(&b, room);
    s.totals = p->k > CONTRACT_BLOCK ? loop_scratch(&b, room) : s.sums;
    if (!reads_factors(p))
        s.room = loop_scratch(&b, (uint64_t)(p->m * factor_row(p)));
    if (fetches(p)) {
        s.fetched = loop_var(&b, g.all_b);
        s.fetched_at = loop_var(&b, loop_i64(&b, 0));
    }
    emit_sweep(
        &s, loop_for(&b, loop_param_value(&b, LOOP_BEGIN), loop_param_value(&b, LOOP_END_AT), 1));
    loop_end(&b);
    *fault = b.fault;
    return loop_finish_or_fault(&b);
}
