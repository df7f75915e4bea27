/* Some rows times a large matrix that is read once: B is swept in place, several of its rows at a
 * time and each for as long as an item has columns, so that memory is read in long streams; the
 * next rows are fetched meanwhile. A vector of each of these rows is in registers while all rows of
 * A meet it. The sums of an item lie in scratch memory.
 *
 * Where the blocks of the law are not few (contract_may_sweep_blocks), they are the items: each
 * thread reads B as one stream. Their sums lie in memory, and a second program adds them
 * (contract_sweep_total.c).
 *
 * Where the columns of B are contiguous, not the rows, as many of them as a vector has lanes go
 * through a block of the law together: a square of B is transposed in registers and is then what a
 * vector of each of several rows is above. The blocks of the next columns are fetched meanwhile,
 * one column after the other. */
#include "loop/contract/sweep/contract_sweep.h"

/* From one row of sums, or of factors, to the next: not a power of two, so that they do not share
 * few sets of the first-level cache. */
static int64_t row_bytes(const problem *p)
{
    return sweep_columns(p) * p->bytes + LOOP_ALIGN;
}

uint64_t contract_sweep_sum_bytes(const problem *p)
{
    return (uint64_t)(p->m * row_bytes(p));
}

/* From the factor of one row of A to that of the next, and from that of one product. */
static int64_t factor_row(const problem *p)
{
    return sweep_reads_factors(p) ? p->bytes : CONTRACT_BLOCK * p->bytes + LOOP_ALIGN;
}

static sized factor_step(const problem *p)
{
    return sized_mul(sweep_reads_factors(p) ? products_a(&p->products, 0) : sized_of(1),
                     sized_of(p->bytes));
}

loop_value sweep_factors(sweep *s, loop_value k)
{
    return loop_offset(s->g->b, s->factors, int_times_sized(s->g->b, k, factor_step(s->g->p)));
}

loop_value sweep_place(sweep *s, loop_value base, loop_value row, loop_value column)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    return loop_offset(b, loop_offset(b, base, int_times(b, row, row_bytes(p))),
                       int_times(b, column, p->bytes));
}

element sweep_load_sum(sweep *s, loop_value at, uint32_t lanes)
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
    if (!sweep_reads_factors(p))
        copy_factors(s, first, length);
    s->factors = sweep_reads_factors(p)
                     ? loop_offset(b, s->g->a, int_times_sized(b, first, factor_step(p)))
                     : s->room;
}

/* ---- what is fetched ---- */

/* The hardware follows the streams by itself as long as there is next to nothing to do between;
 * where B is one stream of long rows, also with a few rows of A. */
static bool fetches(const problem *p)
{
    enum { FEW = 4, LONG = 8 << 10 /* bytes */ };
    const bool is_followed = p->m == 1 || (p->is_apart && p->m <= FEW && p->n * p->bytes >= LONG);
    return !p->b.load && !is_followed && !sweep_has_columns(p);
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
    const bool is_far = contract_sweep_streams(p) * sweep_columns(p) * b_unit(p) > NEAR;
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
static element load_b(sweep *s, const sweep_group *x, uint32_t i, loop_value column, uint32_t lanes,
                      loop_value count)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    const loop_value along = p->b.load ? int_add(b, s->g->column, column) : LOOP_NO_VALUE;
    if (contract_has_rows(p, SWEEP_STREAMS)) {
        const contract_place place = {.at = x->from,
                                      .along = along,
                                      .rows = i,
                                      .of = SWEEP_STREAMS,
                                      .ahead = SWEEP_STREAMS * p->products.b[0]};
        return element_cast(b, p->b.load(p->b.user, b, &place, lanes, count), p->form);
    }
    const loop_value row = b_moved(s->g, x->from, loop_i64(b, i * p->products.b[0] * b_unit(p)));
    if (!p->b.load)
        return factors_load_at(b, p, &p->b, b_moved(s->g, row, int_times(b, column, b_unit(p))),
                               lanes, count);
    if (!lies_in_rows(p))
        return factors_load_at(b, p, &p->b, int_add(b, row, along), lanes, count);
    const contract_place place = {
        .at = row, .along = along, .ahead = SWEEP_STREAMS * p->products.b[0]};
    return element_cast(b, p->b.load(p->b.user, b, &place, lanes, count), p->form);
}

void sweep_add_row(sweep *s, const sweep_group *x, const element *of_b, loop_value column,
                   uint32_t lanes, loop_value row)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    const loop_value at = sweep_place(s, s->sums, row, column);
    const loop_value from = loop_offset(b, x->factors, int_times(b, row, factor_row(p)));
    element sum = sweep_load_sum(s, at, lanes);
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
    const sweep_group *x = user;
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
    sweep_add_row(s, x, of_b, column, lanes, row);
    if (rows > 1)
        loop_end(b);
    loop_end(b);
}

void sweep_each_vector(sweep *s, uint32_t lanes, sweep_work *work, void *user)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    loop_value done = loop_i64(b, 0);
    for (; lanes >= p->lanes; lanes /= 2) {
        const bool is_all = p->n % lanes == 0 && sweep_tile(p) % lanes == 0;
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
    sweep_group x = {.n = n,
                     .from = b_moved(g, s->b_at, int_times_sized(b, product, step)),
                     .factors = sweep_factors(s, k)};
    begin_fetching(s, int_add(b, product, loop_i64(b, n)));
    sweep_each_vector(s, (uint32_t)contract_sweep_vectors(p) * p->lanes, add_group, &x);
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
    if (sweep_has_columns(p)) {
        sweep_block x = {first, length};
        sweep_each_vector(s, p->lanes, sweep_add_columns, &x);
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
    if (s->totals != s->sums)
        store_sum(s, sweep_place(s, s->totals, row, column), total);
    store_sum(s, sweep_place(s, s->sums, row, column), element_zero(b, p->form, lanes));
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
    const loop_value total = sweep_place(s, s->totals, row, column),
                     sum = sweep_place(s, s->sums, row, column);
    store_sum(s, total,
              element_combine(b, FOLD_SUM, sweep_load_sum(s, total, lanes),
                              sweep_load_sum(s, sum, lanes)));
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
    contract_finish_vector(g, sweep_load_sum(s, sweep_place(s, s->totals, row, column), lanes), row,
                           int_add(b, g->column, column), count);
    loop_end(b);
}

/* Where the operands of G's batch are, from its column on. */
static void find_operands(sweep *s)
{
    multiplier *g = s->g;
    const problem *p = g->p;
    loop_builder *b = g->b;
    const loop_value at_a =
        int_add(b, walk_emit(b, &p->a_batch, g->batch), loop_i64(b, p->spec.a_first));
    g->a = loop_offset(b, g->all_a, int_times(b, at_a, p->bytes));
    const loop_value at_b =
        int_add(b, walk_emit(b, &p->b_batch, g->batch), loop_i64(b, p->spec.b_first));
    const loop_value at_column =
        sweep_has_columns(p) ? walk_emit(b, &p->b_n, g->column) : g->column;
    s->b_at = p->b.load
                  ? at_b
                  : loop_offset(b, g->all_b, int_times(b, int_add(b, at_b, at_column), b_unit(p)));
}

/* Items ITEM .. LAST - 1 of a batch together, as many as `sweep_columns` are. */
static void emit_sweep(sweep *s, loop_value item, loop_value last)
{
    multiplier *g = s->g;
    const problem *p = g->p;
    loop_builder *b = g->b;
    g->column = int_times(b, item, sweep_tile(p));
    g->c_batch = int_add(b, walk_emit(b, &p->c_batch, g->batch), loop_i64(b, p->spec.c_first));
    const loop_value end = int_times(b, last, sweep_tile(p));
    const loop_value before_end = loop_min(b, end, loop_i64(b, p->n));
    s->columns = loop_min(b, loop_i64(b, sweep_columns(p)),
                          loop_binary(b, LOOP_ISUB, before_end, g->column));
    find_operands(s);
    sweep_each_vector(s, p->lanes, start, NULL);
    const loop_value first = loop_for(b, loop_i64(b, 0), loop_i64(b, p->k), CONTRACT_BLOCK);
    const loop_value left = loop_binary(b, LOOP_ISUB, loop_i64(b, p->k), first);
    emit_block_of(s, first, loop_min(b, left, loop_i64(b, CONTRACT_BLOCK)));
    if (p->k > CONTRACT_BLOCK)
        sweep_each_vector(s, p->lanes, join_totals, NULL);
    loop_end(b);
    sweep_each_vector(s, p->lanes, finish_columns, NULL);
}

/* All items that a call is given, batch by batch. */
static void emit_items(sweep *s)
{
    loop_builder *b = s->g->b;
    const problem *p = s->g->p;
    const int64_t tiles = contract_sweep_tiles(p);
    const loop_value begin = loop_param_value(b, LOOP_BEGIN),
                     end = loop_param_value(b, LOOP_END_AT);
    const loop_value behind = int_divided(b, int_add(b, end, loop_i64(b, tiles - 1)), tiles);
    s->g->batch = loop_for(b, int_divided(b, begin, tiles), behind, 1);
    const loop_value before = int_times(b, s->g->batch, tiles);
    const loop_value first = int_max(b, loop_binary(b, LOOP_ISUB, begin, before), loop_i64(b, 0));
    const loop_value last = loop_min(b, loop_binary(b, LOOP_ISUB, end, before), loop_i64(b, tiles));
    emit_sweep(s, loop_for(b, first, last, sweep_columns(p) / sweep_tile(p)), last);
    loop_end(b);
    loop_end(b);
}

/* All blocks of the law that a call is given. */
static void emit_blocks(sweep *s)
{
    loop_builder *b = s->g->b;
    const problem *p = s->g->p;
    const loop_value all = s->sums;
    s->g->batch = s->g->column = loop_i64(b, 0);
    s->columns = loop_i64(b, p->n);
    find_operands(s);
    const loop_value block =
        loop_for(b, loop_param_value(b, LOOP_BEGIN), loop_param_value(b, LOOP_END_AT), 1);
    const loop_value first = int_times(b, block, CONTRACT_BLOCK);
    const loop_value left = loop_binary(b, LOOP_ISUB, loop_i64(b, p->k), first);
    s->sums = s->totals =
        loop_offset(b, all, int_times(b, block, (int64_t)contract_sweep_sum_bytes(p)));
    sweep_each_vector(s, p->lanes, start, NULL);
    emit_block_of(s, first, loop_min(b, left, loop_i64(b, CONTRACT_BLOCK)));
    loop_end(b);
}

const loop_program *contract_sweep(problem *p, arena *memory, const char **fault)
{
    loop_builder b;
    multiplier g = {.b = &b, .p = p, .totals = LOOP_NO_VALUE};
    sweep s = {.g = &g};
    loop_init(&b, memory);
    g.all_a = loop_buffer(&b, p->a.buffer);
    g.all_b = loop_buffer(&b, p->b.buffer);
    g.c = p->spec.finish || p->is_apart ? 0 : loop_buffer(&b, CONTRACT_C);
    const uint64_t room = contract_sweep_sum_bytes(p);
    s.sums = p->is_apart ? loop_buffer(&b, CONTRACT_PACKED_A) : loop_scratch(&b, room);
    s.totals = p->k > CONTRACT_BLOCK && !p->is_apart ? loop_scratch(&b, room) : s.sums;
    if (!sweep_reads_factors(p))
        s.room = loop_scratch(&b, (uint64_t)(p->m * factor_row(p)));
    if (fetches(p)) {
        s.fetched = loop_var(&b, g.all_b);
        s.fetched_at = loop_var(&b, loop_i64(&b, 0));
    }
    (p->is_apart ? emit_blocks : emit_items)(&s);
    *fault = b.fault;
    return loop_finish_or_fault(&b);
}
