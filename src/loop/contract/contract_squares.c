/* Columns of B that are contiguous and read in place: squares of them are transposed in registers,
 * so that a vector has one product of as many columns. */
#include "loop/contract/contract_multiply.h"

/* ---- the choice ---- */

/* Vectors of columns that are read in place, one square at a time in registers: with few rows of A
 * there are so few chains that they would wait for themselves, where vectors are short, even two.
 * Columns a multiple of PAGE apart share one set of the first-level cache, which more than
 * MOST_IN_SET evict, and fewer where rows of A are read beside them. */
static uint32_t squares_of(const problem *p)
{
    enum { PAGE = 4096, MOST_IN_SET = 16, WIDE = 64, TWO = 2, FEW_ROWS = 4 };
    const walk n = WALK(p->spec.n, p->spec.n_n, b);
    const int64_t columns = p->has_dynamic_n ? INT64_MAX : p->n;
    const bool shares_set = n.step[0] * p->bytes % PAGE == 0;
    const bool is_short = p->lanes * p->bytes < WIDE;
    const bool is_one = p->m > (is_short ? FEW_ROWS : 1) || columns <= p->lanes ||
                        p->spec.wanted.vectors == 1 ||
                        (shares_set && (p->m > 1 || TWO * p->lanes > MOST_IN_SET));
    return is_one ? 1 : TWO;
}

/* All columns of all batches. */
static double bytes_of_columns(const problem *p)
{
    return (double)p->batch * (double)p->n * (double)p->k * (double)p->bytes;
}

/* Do columns share few sets of the first-level cache, because of how far apart they are, and are
 * too many to stay there? Then one vector of them is read at a time. */
static bool are_crowded(const problem *p, const machine *m)
{
    enum { HALF_PAGE = 2048 };
    const walk n = WALK(p->spec.n, p->spec.n_n, b);
    return p->m == 1 && n.step[0] * p->bytes % HALF_PAGE == 0 && bytes_of_columns(p) > m->l1 &&
           !p->b.load && !p->has_dynamic_n && !p->is_stage && p->spec.wanted.vectors == 0 &&
           p->spec.wanted.right == RIGHT_ANY;
}

/* ... of two blocks of products side by side? Short vectors from memory arrive no faster so. */
static bool takes_block_pairs(const problem *p)
{
    enum { IN_CACHE = 2 << 20 };
    return p->k >= (int64_t)2 * CONTRACT_BLOCK &&
           (p->has_many_registers || bytes_of_columns(p) <= IN_CACHE);
}

/* Vectors of columns that come from memory, or share sets of the cache, are short: a line of each
 * column must stay in the first-level cache until all of it is used. */
static uint32_t column_lanes(const problem *p)
{
    enum { LONG = 64, LARGE = 8 << 20 };
    const bool is_large = p->m == 1 && !p->has_dynamic_n && !p->b.load &&
                          p->spec.wanted.vectors == 0 && p->k >= LARGE / (p->n * p->bytes);
    return p->lanes * p->bytes == LONG && (is_large || p->has_block_pairs) ? p->lanes / 2
                                                                           : p->lanes;
}

void contract_choose_squares(problem *p, const machine *m)
{
    const bool is_crowded = are_crowded(p, m);
    p->has_block_pairs = is_crowded && takes_block_pairs(p);
    p->lanes = column_lanes(p);
    p->nv = is_crowded && (p->has_block_pairs || !p->has_many_registers) ? 1 : squares_of(p);
}

/* ---- squares ---- */

/* What is fetched while columns are read: so many bytes ahead in each, or the same of columns that
 * come later. */
typedef struct ahead {
    bool any, is_far; /* into the second-level cache */
    int64_t bytes, columns;
} ahead;

/* The bytes of B, of all batches. */
static double bytes_of_b(const problem *p)
{
    const int64_t usual = 1 << 11, columns = p->has_dynamic_n ? usual : p->n;
    double bytes = (double)columns * (double)p->k * (double)p->bytes;
    for (uint32_t i = 0; i < p->b_batch.n; i++)
        if (p->b_batch.step[i] != 0)
            bytes *= (double)p->b_batch.extent[i];
    return bytes;
}

bool contract_fetches_columns(const problem *p)
{
    enum { LARGE = 8 << 20, IN_CACHE = 2 << 20, SHORT = 1 << 10, MOST = 96 << 10 /* of a block */ };
    const double bytes = bytes_of_b(p);
    const int64_t column = p->k * p->bytes;
    return p->b_form == B_COLUMNS && !p->b.load && !p->has_many_registers && !p->has_dynamic_k &&
           p->parts == 1 && p->products.n == 1 && p->b_n.n == 1 && p->b_n.step[0] == p->k &&
           columns_of(p) * column <= MOST &&
           (bytes >= LARGE || (bytes >= IN_CACHE && column <= SHORT));
}

/* Columns are more streams than the hardware follows well, where vectors are long. From the
 * third-level cache long ones are fetched only where each part of a column is a line. What comes
 * from memory goes into the second-level cache, which has more room for lines on their way. */
static ahead find_ahead(const problem *p)
{
    enum { LARGE = 8 << 20, IN_CACHE = 2 << 20, SOME = 256, MORE = 1024 };
    const double bytes = bytes_of_b(p);
    const int64_t column = p->k * p->bytes;
    ahead x = {.is_far = bytes >= LARGE};
    x.bytes = x.is_far ? MORE : SOME;
    if (column <= 2 * x.bytes) {
        x.bytes = 0;
        x.columns = columns_of(p) * (x.is_far ? 2 : 1);
    }
    const bool has_lines = p->lanes * p->bytes >= LOOP_ALIGN || x.columns > 0;
    x.any = !p->b.load && (x.is_far || (has_lines && bytes >= IN_CACHE)) &&
            (p->has_many_registers || p->m > 1 || x.columns > 0) && !contract_fetches_columns(p);
    return x;
}

static sized step_of_a(const problem *p)
{
    return sized_mul(products_a(&p->products, 0), sized_of(p->bytes * p->parts));
}

/* From column to column, in the units of `b_at`. */
static sized step_of_columns(const problem *p)
{
    return sized_mul(walk_sized_step(&p->b_n), sized_of(b_unit(p)));
}

/* Where column N of a block begins, in the units of `b_at`. */
static loop_value column_at(multiplier *g, int64_t n)
{
    loop_builder *b = g->b;
    const int64_t last = g->columns - 1;
    const sized step = step_of_columns(g->p);
    if (!g->has_fewer)
        return loop_sized(b, sized_mul(step, sized_of(n < last ? n : last)));
    const loop_value end = loop_binary(b, LOOP_ISUB, g->fewer, loop_i64(b, 1));
    return int_times_sized(b, loop_min(b, loop_i64(b, n), end), step);
}

/* Where the columns from number N of the block on begin: those of a square. Those that do not exist
 * repeat the last one; their sums are not stored. */
static void place_square(multiplier *g, loop_value b_at, int64_t n, loop_value *from)
{
    for (uint32_t r = 0; r < g->p->lanes; r++)
        from[r] = b_moved(g, b_at, column_at(g, n + r));
}

static void fetch_square(multiplier *g, const ahead *x, const loop_value *from)
{
    loop_builder *b = g->b;
    const sized columns = sized_mul(step_of_columns(g->p), sized_of(x->columns));
    for (uint32_t r = 0; x->any && r < g->p->lanes; r++) {
        const loop_value at = int_behind(b, from[r], sized_add(columns, sized_of(x->bytes)));
        if (x->is_far)
            loop_prefetch_far(b, at);
        else
            loop_prefetch(b, at);
    }
}

/* COUNT products of the square whose columns begin at FROM, transposed. */
static void load_square(multiplier *g, const loop_value *from, uint32_t count,
                        loop_value *transposed)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    if (!p->b.load && count == p->lanes) {
        load_transposed(b, from, p->elem, p->lanes, transposed);
        return;
    }
    const loop_value some = count == p->lanes ? (loop_value)LOOP_NO_VALUE : loop_i64(b, count);
    for (uint32_t r = 0; r < p->lanes; r++)
        transposed[r] = p->b.load ? factors_load_at(b, p, &p->b, from[r], p->lanes, some).re
                                  : loop_load_first(b, loop_type_of(p->elem, p->lanes), from[r],
                                                    loop_i64(b, count), (uint32_t)p->bytes);
    transpose_square(b, transposed, p->lanes, p->bytes);
}

/* As many as are in registers at a time: a loop over them keeps compilers from loading more, for
 * which there would be no registers. */
uint32_t contract_square_products(const problem *p)
{
    return p->b.load ? p->lanes : transposed_at_once(p->elem, p->lanes);
}

/* One product of all vectors comes before the next product: chains that wait would fill the
 * processor's queues. */
void contract_square(multiplier *g, loop_value a, loop_value b_at, uint32_t count)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const bool is_whole = count == contract_square_products(p);
    const ahead fetched = find_ahead(p);
    const sized step = step_of_a(p);
    const uint32_t n = g->rows * g->nv;
    element sums[MULTIPLIER_SUMS];
    loop_value from[LOOP_MAX_LANES], of_b[CONTRACT_MOST_VECTORS][LOOP_MAX_LANES];
    for (uint32_t i = 0; i < n; i++)
        sums[i] = element_get(b, g->sums[i]);
    for (uint32_t v = 0; v < g->nv; v++) {
        place_square(g, b_at, (int64_t)v * p->lanes, from);
        if (is_whole)
            fetch_square(g, &fetched, from);
        if (is_whole && !p->b.load)
            load_some_transposed(b, from, 0, p->elem, p->lanes, of_b[v]);
        else
            load_square(g, from, count, of_b[v]);
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t r = 0; r < g->rows; r++) {
            const element of_a = contract_load_a(g, a, r, sized_mul(sized_of(i), step));
            for (uint32_t v = 0; v < g->nv; v++) {
                element *sum = &sums[r * g->nv + v];
                *sum = contract_product(p, b, of_a, (element){p->form, of_b[v][i], LOOP_NO_VALUE},
                                        *sum);
            }
        }
    for (uint32_t i = 0; i < n; i++)
        element_set(b, g->sums[i], sums[i]);
}

/* ---- blocks side by side ---- */

/* One row has one chain for each vector of columns, which would wait for itself; more columns would
 * be more streams than the caches and what fetches for them can follow. So the chains of two blocks
 * of products of the same columns run side by side, and join the totals one after the other. */
enum { BLOCKS_AT_ONCE = 2 };

typedef struct block_pair {
    multiplier *g;
    element sums[BLOCKS_AT_ONCE];
    loop_value a[BLOCKS_AT_ONCE], b_at[BLOCKS_AT_ONCE]; /* where the blocks begin */
    loop_value fetched; /* where those begin that are fetched meanwhile */
} block_pair;

/* COUNT products of block V from product K (i64) of it on. */
static void add_square(block_pair *s, uint32_t v, loop_value k, uint32_t count)
{
    multiplier *g = s->g;
    const problem *p = g->p;
    loop_builder *b = g->b;
    const loop_value a = loop_offset(b, s->a[v], int_times_sized(b, k, step_of_a(p)));
    loop_value from[LOOP_MAX_LANES], y[LOOP_MAX_LANES];
    element sum = element_get(b, s->sums[v]);
    place_square(g, loop_offset(b, s->b_at[v], int_times(b, k, b_unit(p))), 0, from);
    load_square(g, from, count, y);
    for (uint32_t i = 0; i < count; i++)
        sum = contract_product(p, b, contract_load_a(g, a, 0, sized_mul(sized_of(i), step_of_a(p))),
                               (element){p->form, y[i], LOOP_NO_VALUE}, sum);
    element_set(b, s->sums[v], sum);
}

/* Where the blocks begin that are fetched during those from product FIRST (i64) on: the second next
 * ones, in these or in the next columns. */
static loop_value fetched_at(multiplier *g, loop_value first)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const int64_t pair = (int64_t)BLOCKS_AT_ONCE * CONTRACT_BLOCK,
                  all = (p->k + pair - 1) / pair * pair;
    const loop_value here = int_add(b, first, loop_i64(b, 2 * pair < all ? 2 * pair : all));
    const loop_value there = loop_binary(b, LOOP_ISUB, here, loop_i64(b, all));
    const sized columns = sized_mul(step_of_columns(p), sized_of(p->lanes));
    const loop_value at_next = int_add(b, loop_sized(b, columns), int_times(b, there, b_unit(p)));
    const loop_value at = loop_select(b, loop_binary(b, LOOP_ILT, there, loop_i64(b, 0)),
                                      int_times(b, here, b_unit(p)), at_next);
    return loop_offset(b, g->b_at, at);
}

/* What is fetched during the products from number K (i64) of the blocks on: all lines are when
 * these are done, one column after the other. They would crowd the first-level cache. With few
 * registers all of B is in a cache, from which the hardware is fast enough. */
static void fetch_next(block_pair *s, loop_value k)
{
    const problem *p = s->g->p;
    if (!p->has_many_registers)
        return;
    loop_builder *b = s->g->b;
    const int64_t products = CONTRACT_BLOCK / p->lanes; /* a column is fetched meanwhile */
    const int64_t bytes = (int64_t)BLOCKS_AT_ONCE * p->lanes * p->lanes * p->bytes;
    const loop_value column = int_divided(b, k, products);
    const loop_value part = int_divided(b, int_modulo(b, k, products), p->lanes);
    const loop_value at =
        loop_offset(b, loop_offset(b, s->fetched, int_times_sized(b, column, step_of_columns(p))),
                    int_times(b, part, bytes));
    for (int64_t i = 0; i < bytes; i += LOOP_ALIGN)
        loop_prefetch_far(b, loop_at(b, at, i));
}

/* Products LOW .. HIGH - 1, whole vectors, of the first N blocks. */
static void add_squares(block_pair *s, int64_t low, int64_t high, uint32_t n)
{
    loop_builder *b = s->g->b;
    if (low == high)
        return;
    const uint32_t lanes = s->g->p->lanes;
    const loop_value k = loop_for(b, loop_i64(b, low), loop_i64(b, high), lanes);
    fetch_next(s, k);
    for (uint32_t v = 0; v < n; v++)
        add_square(s, v, k, lanes);
    loop_end(b);
}

/* The blocks from product FIRST (i64) on, which have FULL and then REST products, join TOTAL. */
static void add_blocks(block_pair *s, element total, loop_value first, int64_t full, int64_t rest)
{
    multiplier *g = s->g;
    const problem *p = g->p;
    loop_builder *b = g->b;
    const int64_t lengths[BLOCKS_AT_ONCE] = {full, rest}, lanes = p->lanes;
    s->fetched = fetched_at(g, first);
    for (uint32_t v = 0; v < BLOCKS_AT_ONCE; v++) {
        const loop_value at = int_add(b, first, loop_i64(b, (int64_t)v * CONTRACT_BLOCK));
        s->a[v] = loop_offset(b, g->a, int_times_sized(b, at, step_of_a(p)));
        s->b_at[v] = loop_offset(b, g->b_at, int_times(b, at, b_unit(p)));
        element_set(b, s->sums[v], element_zero(b, p->form, p->lanes));
    }
    add_squares(s, 0, rest - rest % lanes, BLOCKS_AT_ONCE);
    add_squares(s, rest - rest % lanes, full - full % lanes, 1);
    for (uint32_t v = 0; v < BLOCKS_AT_ONCE && lengths[v] > 0; v++) {
        const int64_t left = lengths[v] % lanes;
        if (left > 0)
            add_square(s, v, loop_i64(b, lengths[v] - left), (uint32_t)left);
        element_set(
            b, total,
            element_combine(b, FOLD_SUM, element_get(b, total), element_get(b, s->sums[v])));
    }
}

element contract_block_pair(multiplier *g)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    block_pair s = {.g = g};
    element start = {0};
    (void)element_identity(b, FOLD_SUM, p->form, p->lanes, &start);
    const element total = element_var(b, start);
    for (uint32_t v = 0; v < BLOCKS_AT_ONCE; v++)
        s.sums[v] = element_var(b, start);
    const int64_t pair = (int64_t)BLOCKS_AT_ONCE * CONTRACT_BLOCK, rest = p->k % pair;
    if (p->k > rest) {
        const loop_value first = loop_for(b, loop_i64(b, 0), loop_i64(b, p->k - rest), pair);
        add_blocks(&s, total, first, CONTRACT_BLOCK, CONTRACT_BLOCK);
        loop_end(b);
    }
    if (rest > CONTRACT_BLOCK)
        add_blocks(&s, total, loop_i64(b, p->k - rest), CONTRACT_BLOCK, rest - CONTRACT_BLOCK);
    else if (rest > 0)
        add_blocks(&s, total, loop_i64(b, p->k - rest), rest, 0);
    return element_get(b, total);
}
