/* Contractions in which an element of either operand is used once: rows of both, multiplied and
 * summed.
 *
 * A vector holds one chain a lane, so that squares of both operands are transposed in registers.
 * The lanes are rows that have a result each, or the blocks of 256 products of a single result,
 * whose sums are then added in order. */
#include <string.h>

#include "loop/contract/contract_multiply.h"

enum {
    MOST_CHAINS = 2 * LOOP_MAX_LANES,
    WIDE = 64, /* bytes: one such vector of chains takes as long to load as to multiply, ... */
    NEAR = 256 << 10, /* ... unless a single result has so many bytes of each operand at most */
    LEAST_ROWS = 4,   /* fewer are multiplied one by one */
    LEAST_BLOCKS = 2  /* of a single result */
};

typedef struct dots {
    problem *p;
    loop_builder *b;
    multiplier g; /* which finishes the results */
    uint32_t nv;  /* vectors of chains */
    bool by_rows; /* a lane is a row, else a block of products */
    int64_t rows;
    sized a_step, b_step;
    loop_value a_at[MOST_CHAINS], b_at[MOST_CHAINS]; /* where the chains begin, see `place` */
    element sums[2];                                 /* variables */
} dots;

/* ---- the form ---- */

static bool any_dynamic(const contract_axis *axes, uint32_t n)
{
    bool any = false;
    for (uint32_t i = 0; i < n; i++)
        any = any || !sized_is_fixed(axis_extent(&axes[i]));
    return any;
}

/* Are the products of a result contiguous in both operands, and real? */
static bool has_runs(const contract_spec *s)
{
    walk a, b;
    walk_init(&a);
    walk_init(&b);
    for (uint32_t i = 0; i < s->n_k; i++) {
        walk_add(&a, axis_extent(&s->k[i]), axis_a(&s->k[i]));
        walk_add(&b, axis_extent(&s->k[i]), axis_b(&s->k[i]));
    }
    /* Vectors that a callback loads stay in a row of an operand. */
    if ((s->load_a || s->load_b) && s->n_k > 1)
        return false;
    return a.n == 1 && b.n == 1 && a.step[0] == 1 && b.step[0] == 1 && s->n_windows == 0 &&
           !any_dynamic(s->k, s->n_k) && !any_dynamic(s->batch, s->n_batch) && !s->a_in_scratch &&
           !s->c_in_scratch && !dtype_is_complex(s->sum) &&
           loop_elem_bytes(element_compute(dtype_compute(s->sum))) >= 4;
}

static bool is_one_axis(const contract_axis *axes, uint32_t n)
{
    walk a, b, c;
    walk_init(&a);
    walk_init(&b);
    walk_init(&c);
    for (uint32_t i = 0; i < n; i++) {
        walk_add(&a, axis_extent(&axes[i]), axis_a(&axes[i]));
        walk_add(&b, axis_extent(&axes[i]), axis_b(&axes[i]));
        walk_add(&c, axis_extent(&axes[i]), axis_c(&axes[i]));
    }
    return a.n == 1 && b.n == 1 && c.n == 1;
}

void contract_batch_to_rows(contract_spec *s)
{
    if (axes_positions(s->m, s->n_m) != 1 || axes_positions(s->n, s->n_n) != 1 ||
        any_dynamic(s->m, s->n_m) || any_dynamic(s->n, s->n_n) || !has_runs(s) ||
        !is_one_axis(s->batch, s->n_batch) || axes_positions(s->batch, s->n_batch) < LEAST_ROWS)
        return;
    memcpy(s->m, s->batch, sizeof s->m);
    s->n_m = s->n_batch;
    s->n_batch = s->n_n = 0;
    s->is_transposed = false;
}

/* Do rows have elements of both operands? */
static bool has_rows_of_both(const contract_spec *s)
{
    for (uint32_t i = 0; i < s->n_m; i++)
        if (s->m[i].b != 0)
            return true;
    return false;
}

bool contract_is_dots(const contract_spec *s, const machine *on)
{
    const contract_schedule *w = &s->wanted;
    if (has_rows_of_both(s))
        return true;
    const bool is_free = w->rows == 0 && w->vectors == 0 && w->unroll == 0 && w->group == 0 &&
                         w->left == LEFT_ANY && w->right == RIGHT_ANY;
    return is_free && on->vector_bytes >= 16 && axes_positions(s->m, s->n_m) == 1 &&
           axes_positions(s->n, s->n_n) == 1 && !any_dynamic(s->m, s->n_m) &&
           !any_dynamic(s->n, s->n_n) && has_runs(s) &&
           axes_positions(s->k, s->n_k) >= (int64_t)LEAST_BLOCKS * CONTRACT_BLOCK;
}

/* ---- chains ---- */

/* Element AT (i64) of FROM: an address, or its number where a callback loads it. */
static loop_value place(dots *d, const factors *from, loop_value at)
{
    return from->load ? at
                      : loop_offset(d->b, from->base,
                                    int_times(d->b, at, (int64_t)dtype_bytes(from->dtype)));
}

/* UNITS (i64) elements behind AT. */
static loop_value behind(dots *d, const factors *from, loop_value at, loop_value units)
{
    return from->load
               ? int_add(d->b, at, units)
               : loop_offset(d->b, at, int_times(d->b, units, (int64_t)dtype_bytes(from->dtype)));
}

/* COUNT products of each of LANES chains, which begin at AT, from product K on: one vector a
 * product. */
static void load_square(dots *d, const factors *from, const loop_value *at, loop_value k,
                        uint32_t count, loop_value *products)
{
    const problem *p = d->p;
    loop_value rows[LOOP_MAX_LANES];
    const bool is_whole = count == p->lanes;
    for (uint32_t r = 0; r < p->lanes; r++)
        rows[r] = behind(d, from, at[r], k);
    if (is_whole && !from->load && from->dtype == p->form) {
        load_transposed(d->b, rows, p->elem, p->lanes, products);
        return;
    }
    const loop_value some = is_whole ? (loop_value)LOOP_NO_VALUE : loop_i64(d->b, count);
    for (uint32_t r = 0; r < p->lanes; r++)
        products[r] = factors_load_at(d->b, p, from, rows[r], p->lanes, some).re;
    transpose_square(d->b, products, p->lanes, p->bytes);
}

/* COUNT products of all chains from product K (i64) on. */
static void add_products(dots *d, loop_value k, uint32_t count)
{
    const problem *p = d->p;
    for (uint32_t v = 0; v < d->nv; v++) {
        loop_value x[LOOP_MAX_LANES], y[LOOP_MAX_LANES];
        element sum = element_get(d->b, d->sums[v]);
        load_square(d, &p->a, d->a_at + (size_t)v * p->lanes, k, count, x);
        load_square(d, &p->b, d->b_at + (size_t)v * p->lanes, k, count, y);
        for (uint32_t i = 0; i < count; i++)
            sum = contract_product(p, d->b, (element){p->form, x[i], LOOP_NO_VALUE},
                                   (element){p->form, y[i], LOOP_NO_VALUE}, sum);
        element_set(d->b, d->sums[v], sum);
    }
}

static void start_sums(dots *d)
{
    for (uint32_t v = 0; v < d->nv; v++)
        element_set(d->b, d->sums[v], element_zero(d->b, d->p->form, d->p->lanes));
}

/* A block of LENGTH products, which begin at number FIRST (i64), of all chains. */
static void add_block(dots *d, loop_value first, int64_t length)
{
    loop_builder *b = d->b;
    const int64_t rest = length % d->p->lanes;
    start_sums(d);
    if (length > rest) {
        const loop_value k = loop_for(b, loop_i64(b, 0), loop_i64(b, length - rest), d->p->lanes);
        add_products(d, int_add(b, first, k), d->p->lanes);
        loop_end(b);
    }
    if (rest > 0)
        add_products(d, int_add(b, first, loop_i64(b, length - rest)), (uint32_t)rest);
}

/* -0, or 0 of integers: x + it is x, bit for bit. */
static element start_of_total(dots *d, uint32_t lanes)
{
    element e = {0};
    (void)element_identity(d->b, FOLD_SUM, d->p->form, lanes, &e);
    return e;
}

/* ---- rows ---- */

/* The results of a vector of rows each, from row FIRST on. */
static void emit_rows(dots *d, loop_value first)
{
    const problem *p = d->p;
    loop_builder *b = d->b;
    const uint32_t chains = d->nv * p->lanes;
    const bool is_even = d->rows % chains == 0;
    const loop_value last = loop_i64(b, d->rows - 1);
    for (uint32_t i = 0; i < chains; i++) { /* rows that do not exist repeat the last one */
        loop_value row = int_add(b, first, loop_i64(b, i));
        row = is_even ? row : loop_min(b, row, last);
        d->a_at[i] = place(
            d, &p->a, int_add(b, int_times_sized(b, row, d->a_step), loop_i64(b, p->spec.a_first)));
        d->b_at[i] = place(
            d, &p->b, int_add(b, int_times_sized(b, row, d->b_step), loop_i64(b, p->spec.b_first)));
    }
    element totals[2];
    const int64_t whole = p->k - p->k % CONTRACT_BLOCK;
    for (uint32_t v = 0; v < d->nv; v++)
        totals[v] = element_var(b, start_of_total(d, p->lanes));
    for (int part = 0; part < 2; part++) {
        const int64_t length = part == 0 ? CONTRACT_BLOCK : p->k - whole;
        if (part == 0 ? whole == 0 : whole == p->k)
            continue;
        const loop_value at = part == 0 ? loop_for(b, loop_i64(b, 0), loop_i64(b, whole), length)
                                        : loop_i64(b, whole);
        add_block(d, at, length);
        for (uint32_t v = 0; v < d->nv; v++)
            element_set(b, totals[v],
                        element_combine(b, FOLD_SUM, element_get(b, totals[v]),
                                        element_get(b, d->sums[v])));
        if (part == 0)
            loop_end(b);
    }
    for (uint32_t v = 0; v < d->nv; v++) {
        const loop_value row = int_add(b, first, loop_i64(b, (int64_t)v * p->lanes));
        loop_value count = LOOP_NO_VALUE;
        if (!is_even) {
            count = loop_binary(b, LOOP_ISUB, loop_i64(b, d->rows), row);
            count = loop_min(b, int_max(b, count, loop_i64(b, 0)), loop_i64(b, p->lanes));
        }
        contract_finish_vector(&d->g, element_get(b, totals[v]), row, loop_i64(b, 0), count);
    }
}

/* ---- blocks ---- */

/* The first COUNT chains' sums join TOTAL, in order. */
static void join_sums(dots *d, element total, uint32_t count)
{
    loop_builder *b = d->b;
    element all = element_get(b, total);
    for (uint32_t i = 0; i < count; i++) {
        const element sum = element_get(b, d->sums[i / d->p->lanes]);
        all = element_combine(b, FOLD_SUM, all, element_lane(b, sum, i % d->p->lanes));
    }
    element_set(b, total, all);
}

/* COUNT products of a single chain, from product K (i64) on. */
static void add_to_chain(dots *d, element chain, loop_value k, uint32_t count)
{
    const problem *p = d->p;
    loop_builder *b = d->b;
    element sum = element_get(b, chain);
    for (uint32_t i = 0; i < count; i++) {
        const loop_value at = int_add(b, k, loop_i64(b, i));
        const element x =
            factors_load_at(b, p, &p->a, behind(d, &p->a, d->g.a, at), 1, LOOP_NO_VALUE);
        const element y =
            factors_load_at(b, p, &p->b, behind(d, &p->b, d->g.b_at, at), 1, LOOP_NO_VALUE);
        sum = contract_product(p, b, x, y, sum);
    }
    element_set(b, chain, sum);
}

/* COUNT blocks, the first of which begins at product FIRST, and then REST products more, of which
 * the chain is computed beside the others. */
static void add_last_blocks(dots *d, element total, int64_t first, uint32_t count, int64_t rest)
{
    loop_builder *b = d->b;
    const uint32_t lanes = d->p->lanes;
    const int64_t even = rest - rest % lanes, end = first + (int64_t)count * CONTRACT_BLOCK;
    const loop_value start = loop_i64(b, first);
    const element chain = element_var(b, element_zero(b, d->p->form, 1));
    start_sums(d);
    loop_value k = loop_for(b, loop_i64(b, 0), loop_i64(b, even), lanes);
    if (count > 0)
        add_products(d, int_add(b, start, k), lanes);
    add_to_chain(d, chain, int_add(b, loop_i64(b, end), k), lanes);
    loop_end(b);
    if (count > 0) {
        k = loop_for(b, loop_i64(b, even), loop_i64(b, CONTRACT_BLOCK), lanes);
        add_products(d, int_add(b, start, k), lanes);
        loop_end(b);
        join_sums(d, total, count);
    }
    if (rest > 0) {
        add_to_chain(d, chain, loop_i64(b, end + even), (uint32_t)(rest % lanes));
        element_set(b, total,
                    element_combine(b, FOLD_SUM, element_get(b, total), element_get(b, chain)));
    }
}

/* The result of batch BATCH. */
static void emit_batch(dots *d, loop_value batch)
{
    problem *p = d->p;
    loop_builder *b = d->b;
    const uint32_t chains = d->nv * p->lanes;
    const int64_t blocks = p->k / CONTRACT_BLOCK, rest = p->k % CONTRACT_BLOCK;
    const int64_t groups = blocks / chains, last = blocks % chains;
    d->g.batch = batch;
    d->g.c_batch = int_add(b, walk_emit(b, &p->c_batch, batch), loop_i64(b, p->spec.c_first));
    d->g.a =
        place(d, &p->a, int_add(b, walk_emit(b, &p->a_batch, batch), loop_i64(b, p->spec.a_first)));
    d->g.b_at =
        place(d, &p->b, int_add(b, walk_emit(b, &p->b_batch, batch), loop_i64(b, p->spec.b_first)));
    const element total = element_var(b, start_of_total(d, 1));
    for (int part = 0; part < 2; part++) { /* groups of as many blocks as chains, then the others */
        const int64_t most = part == 0 ? chains : last > 0 ? last : 1;
        for (uint32_t i = 0; i < chains; i++) { /* blocks that do not exist repeat the last one */
            const int64_t block = i < most ? i : most - 1;
            d->a_at[i] = behind(d, &p->a, d->g.a, loop_i64(b, block * CONTRACT_BLOCK));
            d->b_at[i] = behind(d, &p->b, d->g.b_at, loop_i64(b, block * CONTRACT_BLOCK));
        }
        const int64_t size = (int64_t)chains * CONTRACT_BLOCK;
        if (part == 0 && groups > 0) {
            add_block(d, loop_for(b, loop_i64(b, 0), loop_i64(b, groups * size), size),
                      CONTRACT_BLOCK);
            join_sums(d, total, chains);
            loop_end(b);
        } else if (part == 1 && (last > 0 || rest > 0)) {
            add_last_blocks(d, total, groups * size, (uint32_t)last, rest);
        }
    }
    contract_finish_vector(&d->g, element_get(b, total), loop_i64(b, 0), loop_i64(b, 0),
                           LOOP_NO_VALUE);
}

/* ---- the program ---- */

const loop_program *contract_dots(problem *p, arena *memory, int64_t *work, const char **fault)
{
    dots *d = ARENA_NEW(memory, dots);
    loop_builder b;
    if (!d)
        return NULL;
    loop_init(&b, memory);
    *d = (dots){.p = p, .b = &b, .by_rows = has_rows_of_both(&p->spec), .rows = p->m};
    const bool is_near = !d->by_rows && p->k * p->bytes <= NEAR;
    d->nv = p->lanes * p->bytes < WIDE || is_near ? 2 : 1;
    d->a_step = walk_sized_step(&p->a_m);
    d->b_step = p->spec.n_m > 0 ? axis_b(&p->spec.m[p->spec.n_m - 1]) : sized_of(0);
    factors_open(&b, &p->a);
    factors_open(&b, &p->b);
    d->g = (multiplier){.b = &b, .p = p, .finishes_columns = d->by_rows};
    d->g.c = p->spec.finish ? 0 : loop_buffer(&b, CONTRACT_C);
    for (uint32_t v = 0; v < d->nv; v++)
        d->sums[v] = element_var(&b, element_zero(&b, p->form, p->lanes));
    const loop_value item =
        loop_for(&b, loop_param_value(&b, LOOP_BEGIN), loop_param_value(&b, LOOP_END_AT), 1);
    if (d->by_rows) {
        const int64_t chains = (int64_t)d->nv * p->lanes;
        *work = (p->m + chains - 1) / chains;
        d->g.batch = loop_i64(&b, 0);
        d->g.c_batch = loop_i64(&b, p->spec.c_first);
        emit_rows(d, int_times(&b, item, chains));
    } else {
        *work = p->batch;
        emit_batch(d, item);
    }
    loop_end(&b);
    *fault = b.fault;
    return loop_finish_or_fault(&b);
}
