/* Contractions in which an element of either operand is used once: rows of both, multiplied and
 * summed.
 *
 * A vector holds one chain a lane, so that squares of both operands are transposed in registers.
 * The lanes are rows that have a result each, or the blocks of 256 products of a single result,
 * whose sums are then added in order. */
#include <string.h>

#include "loop/contract/contract_dots.h"

enum {
    WIDE = 64,       /* bytes: one such vector of chains takes as long to load as to multiply */
    LEAST_ROWS = 4,  /* fewer are multiplied one by one */
    LEAST_BLOCKS = 2 /* of a single result */
};

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

loop_value dots_place(dots *d, const factors *from, loop_value at)
{
    return from->load ? at
                      : loop_offset(d->b, from->base,
                                    int_times(d->b, at, (int64_t)dtype_bytes(from->dtype)));
}

loop_value dots_behind(dots *d, const factors *from, loop_value at, loop_value units)
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
        rows[r] = dots_behind(d, from, at[r], k);
    if (is_whole && !from->load && from->dtype == p->form) {
        load_transposed(d->b, rows, p->elem, p->lanes, products);
        return;
    }
    const loop_value some = is_whole ? (loop_value)LOOP_NO_VALUE : loop_i64(d->b, count);
    for (uint32_t r = 0; r < p->lanes; r++)
        products[r] = factors_load_at(d->b, p, from, rows[r], p->lanes, some).re;
    transpose_square(d->b, products, p->lanes, p->bytes);
}

void dots_add_products(dots *d, loop_value k, uint32_t count)
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

void dots_start_sums(dots *d)
{
    for (uint32_t v = 0; v < d->nv; v++)
        element_set(d->b, d->sums[v], element_zero(d->b, d->p->form, d->p->lanes));
}

/* A block of LENGTH products, which begin at number FIRST (i64), of all chains. */
static void add_block(dots *d, loop_value first, int64_t length)
{
    loop_builder *b = d->b;
    const int64_t rest = length % d->p->lanes;
    dots_start_sums(d);
    if (length > rest) {
        const loop_value k = loop_for(b, loop_i64(b, 0), loop_i64(b, length - rest), d->p->lanes);
        dots_add_products(d, int_add(b, first, k), d->p->lanes);
        loop_end(b);
    }
    if (rest > 0)
        dots_add_products(d, int_add(b, first, loop_i64(b, length - rest)), (uint32_t)rest);
}

element dots_start_of_total(dots *d, uint32_t lanes)
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
        d->a_at[i] = dots_place(
            d, &p->a, int_add(b, int_times_sized(b, row, d->a_step), loop_i64(b, p->spec.a_first)));
        d->b_at[i] = dots_place(
            d, &p->b, int_add(b, int_times_sized(b, row, d->b_step), loop_i64(b, p->spec.b_first)));
    }
    element totals[2];
    const int64_t whole = p->k - p->k % CONTRACT_BLOCK;
    for (uint32_t v = 0; v < d->nv; v++)
        totals[v] = element_var(b, dots_start_of_total(d, p->lanes));
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

/* ---- the programs ---- */

/* Single results that come from memory have one vector of chains, which are streams, too. */
static uint32_t vectors_of(const problem *p)
{
    const bool by_rows = has_rows_of_both(&p->spec);
    const bool is_wide = p->lanes * p->bytes >= WIDE;
    return by_rows ? is_wide ? 1 : 2 : dots_are_apart(p) ? 1 : 2;
}

/* Single results that come from memory have short vectors: fewer streams. */
uint32_t contract_dot_lanes(const problem *p)
{
    enum { LARGE = 8 << 20 }; /* bytes of each operand */
    const bool is_large = !has_rows_of_both(&p->spec) && p->k >= LARGE / p->bytes;
    return is_large && p->lanes * p->bytes >= WIDE ? p->lanes / 2 : p->lanes;
}

static void begin(dots *d, problem *p, loop_builder *b)
{
    *d = (dots){.p = p, .b = b, .by_rows = has_rows_of_both(&p->spec), .rows = p->m};
    d->nv = vectors_of(p);
    d->a_step = walk_sized_step(&p->a_m);
    const walk b_m = WALK(p->spec.m, p->spec.n_m, b);
    d->b_step = walk_sized_step(&b_m);
    d->g = (multiplier){.b = b, .p = p, .finishes_columns = d->by_rows};
    d->sums_at = LOOP_NO_VALUE;
}

static loop_value open_items(loop_builder *b)
{
    return loop_for(b, loop_param_value(b, LOOP_BEGIN), loop_param_value(b, LOOP_END_AT), 1);
}

static const loop_program *end(loop_builder *b, const char **fault)
{
    loop_end(b);
    *fault = b->fault;
    return loop_finish_or_fault(b);
}

const loop_program *contract_dots(problem *p, arena *memory, contract_plan *plan, int64_t *work,
                                  const char **fault)
{
    dots *d = ARENA_NEW(memory, dots);
    loop_builder b;
    if (!d)
        return NULL;
    loop_init(&b, memory);
    begin(d, p, &b);
    const bool is_apart = !d->by_rows && dots_are_apart(p);
    factors_open(&b, &p->a);
    factors_open(&b, &p->b);
    d->g.c = p->spec.finish || is_apart ? 0 : loop_buffer(&b, CONTRACT_C);
    const loop_value all = is_apart ? loop_buffer(&b, CONTRACT_PACKED_A) : LOOP_NO_VALUE;
    for (uint32_t v = 0; v < d->nv; v++)
        d->sums[v] = element_var(&b, element_zero(&b, p->form, p->lanes));
    const loop_value item = open_items(&b);
    if (d->by_rows) {
        const int64_t chains = (int64_t)d->nv * p->lanes;
        *work = (p->m + chains - 1) / chains;
        d->g.batch = loop_i64(&b, 0);
        d->g.c_batch = loop_i64(&b, p->spec.c_first);
        emit_rows(d, int_times(&b, item, chains));
    } else if (is_apart) {
        *work = p->batch * dots_items(d);
        plan->packed_a_bytes = (uint64_t)p->batch * dots_sum_bytes(d);
        d->sums_at = all;
        dots_emit_blocks(d, item);
    } else {
        *work = p->batch;
        dots_emit_batch(d, item);
    }
    return end(&b, fault);
}

const loop_program *contract_dots_total(problem *p, arena *memory, const char **fault)
{
    dots *d = ARENA_NEW(memory, dots);
    loop_builder b;
    if (!d)
        return NULL;
    loop_init(&b, memory);
    begin(d, p, &b);
    d->g.c = p->spec.finish ? 0 : loop_buffer(&b, CONTRACT_C);
    d->sums_at = loop_buffer(&b, CONTRACT_PACKED_A);
    dots_emit_total(d, open_items(&b));
    return end(&b, fault);
}
