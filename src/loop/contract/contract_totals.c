/* The totals of a block of results: where they lie, how sums join them, and what becomes of them
 * when they are complete. */
#include "loop/contract/contract_multiply.h"

int64_t multiplier_total_bytes(const problem *p)
{
    return p->lanes * p->bytes * p->parts;
}

/* ---- totals ---- */

static loop_value total_at(multiplier *g, uint32_t row, uint32_t v)
{
    return loop_at(g->b, g->totals, row * g->total_step + v * multiplier_total_bytes(g->p));
}

/* LANES of one row: those of a vector, or of several where totals have one part. */
static element load_totals(multiplier *g, loop_value at, uint32_t lanes)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const loop_type t = loop_type_of(p->elem, lanes);
    const uint32_t align = (uint32_t)p->bytes * p->lanes;
    element x = {p->form, loop_load(b, t, at, align), LOOP_NO_VALUE};
    if (p->parts == 2)
        x.im = loop_load(b, t, loop_at(b, at, (int64_t)lanes * p->bytes), align);
    return x;
}

static element load_total(multiplier *g, loop_value at)
{
    return load_totals(g, at, g->p->lanes);
}

static void store_total(multiplier *g, loop_value at, element x)
{
    const problem *p = g->p;
    const uint32_t align = (uint32_t)p->bytes * p->lanes;
    loop_store(g->b, at, x.re, align);
    if (p->parts == 2)
        loop_store(g->b, loop_at(g->b, at, (int64_t)p->lanes * p->bytes), x.im, align);
}

void multiplier_set_total(multiplier *g, uint32_t row, uint32_t v, element x)
{
    store_total(g, total_at(g, row, v), x);
}

/* ---- finishing ---- */

static void store_part(multiplier *g, const contract_part *part)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const int64_t bytes = (int64_t)dtype_bytes(p->spec.c);
    const loop_value to = loop_offset(b, g->c, int_times(b, part->at, bytes));
    if (part->next != 0)
        loop_prefetch_far(b, loop_at(b, to, part->next * bytes));
    if (part->step.now == 1 || part->lanes == 1) {
        if (part->count == LOOP_NO_VALUE)
            element_store(b, to, part->value, part->align);
        else
            element_store_first(b, to, part->value, part->count, part->align);
        return;
    }
    for (uint32_t i = 0; i < part->lanes; i++) {
        if (part->count != LOOP_NO_VALUE)
            loop_if(b, loop_binary(b, LOOP_ILT, loop_i64(b, i), part->count));
        element_store(b, int_behind(b, to, sized_mul(part->step, sized_of(i * bytes))),
                      element_lane(b, part->value, i), part->align);
        if (part->count != LOOP_NO_VALUE)
            loop_end(b);
    }
}

/* A total as the result's dtype: rounded once, or twice where a narrow accumulator was asked for.
 */
static element as_result(multiplier *g, element total)
{
    const contract_spec *s = &g->p->spec;
    if (s->sum != g->p->form)
        total = (element){s->sum, element_round(g->b, s->sum, total.re), LOOP_NO_VALUE};
    return element_cast(g->b, total, s->c);
}

/* Steps of C along the lanes of finished vectors. */
static sized finished_step(const multiplier *g)
{
    const walk *w = g->finishes_columns ? &g->p->c_m : &g->p->c_n;
    return w->n ? walk_sized_step(w) : sized_of(1);
}

void contract_finish_vector(multiplier *g, element total, loop_value row, loop_value column,
                            loop_value count)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const uint32_t bytes = (uint32_t)dtype_bytes(p->spec.c);
    b->spares_registers = true; /* the loops over products have none to spare */
    contract_part part = {.value = as_result(g, total),
                          .is_column = p->spec.is_transposed != g->finishes_columns,
                          .lanes = element_lanes(b, total),
                          .count = count,
                          .batch = g->batch,
                          .m = p->spec.is_transposed ? column : row,
                          .n = p->spec.is_transposed ? row : column,
                          .step = finished_step(g),
                          .next = multiplier_next_results(g),
                          .align = dtype_is_complex(p->spec.c) ? bytes / 2 : bytes};
    part.at = int_add(b, g->c_batch, walk_emit(b, &p->c_m, row));
    part.at = int_add(b, part.at, walk_emit(b, &p->c_n, column));
    if (p->spec.finish)
        p->spec.finish(p->spec.user_finish, b, &part);
    else
        store_part(g, &part);
    b->spares_registers = false;
}

/* Where blocks have many heights, that is more code: the highest ones are. */
bool multiplier_keeps_sums(const multiplier *g, int64_t height)
{
    const problem *p = g->p;
    return !g->finishes_columns && p->k <= CONTRACT_BLOCK && !has_any_order(p) && !p->is_tiled &&
           (!p->spec.finish || p->spec.finish_is_small) && (p->least == 0 || height >= p->most - 1);
}

/* The sums of rows LOW .. HIGH - 1 of the block, which are their totals. */
static void finish_rows(multiplier *g, uint32_t low, uint32_t high)
{
    loop_builder *b = g->b;
    const uint32_t lanes = g->p->lanes;
    for (uint32_t r = low; r < high; r++)
        for (uint32_t v = 0; v < g->nv; v++) {
            const int64_t left = g->columns - (int64_t)v * lanes;
            contract_finish_vector(g, element_get(b, g->sums[r * g->nv + v]),
                                   int_add(b, g->row, loop_i64(b, r)),
                                   int_add(b, g->column, loop_i64(b, (int64_t)v * lanes)),
                                   left < lanes ? loop_i64(b, left) : (loop_value)LOOP_NO_VALUE);
        }
}

void multiplier_finish_sums(multiplier *g)
{
    const bool may_belong = g->belongs != LOOP_NO_VALUE;
    const uint32_t first = may_belong ? (uint32_t)g->p->unit : 0;
    finish_rows(g, first, g->rows);
    if (may_belong) {
        loop_if(g->b, g->belongs);
        finish_rows(g, 0, first);
        loop_end(g->b);
    }
}

/* Pairs of vectors where that comes out even: the operations of one fill the time that those of the
 * other take. */
static uint32_t finished_lanes(const problem *p)
{
    const int64_t pair = 2 * (int64_t)p->lanes;
    const bool is_even = !p->has_dynamic_n && p->n % pair == 0 && columns_of(p) % pair == 0;
    const bool is_plain = p->parts == 1 && p->c_n.n == 1 && walk_step(&p->c_n) == 1;
    return is_even && is_plain && pair <= LOOP_MAX_LANES ? (uint32_t)pair : p->lanes;
}

/* The totals of ROWS rows (i64), of COLUMNS columns (i64). */
void multiplier_finish_totals(multiplier *g, loop_value rows, loop_value columns)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    if (g->finishes_columns) {
        contract_finish_columns(g, rows, columns);
        return;
    }
    const loop_value r = loop_for(b, loop_i64(b, 0), rows, 1);
    const loop_value at = loop_offset(b, g->totals, int_times(b, r, g->total_step));
    const loop_value row = int_add(b, g->row, r);
    const uint32_t lanes = finished_lanes(p);
    const loop_value first = loop_for(b, loop_i64(b, 0), columns, lanes);
    const loop_value column = int_add(b, g->column, first);
    const element total =
        load_totals(g, loop_offset(b, at, int_times(b, first, p->bytes * p->parts)), lanes);
    const loop_value left = loop_binary(b, LOOP_ISUB, columns, first);
    if (p->n % p->lanes == 0 && !p->has_dynamic_n) {
        contract_finish_vector(g, total, row, column, LOOP_NO_VALUE);
    } else if (p->n < p->lanes && !p->has_dynamic_n) {
        contract_finish_vector(g, total, row, column, left);
    } else {
        loop_if(b, loop_binary(b, LOOP_ILT, left, loop_i64(b, p->lanes)));
        contract_finish_vector(g, total, row, column, left);
        loop_else(b);
        contract_finish_vector(g, total, row, column, LOOP_NO_VALUE);
        loop_end(b);
    }
    loop_end(b);
    loop_end(b);
}

/* ---- sums ---- */

/* -0, or 0 of integers: x + it is x, bit for bit. */
static element start_of_totals(multiplier *g)
{
    element e = {0};
    (void)element_identity(g->b, FOLD_SUM, g->p->form, g->p->lanes, &e);
    return e;
}

void multiplier_start_totals(multiplier *g)
{
    const element start = start_of_totals(g);
    for (uint32_t i = 0; i < g->rows * g->nv; i++)
        multiplier_set_total(g, i / g->nv, i % g->nv, start);
}

/* The sums of rows LOW .. HIGH - 1 become totals, or join them. */
static void join_rows(multiplier *g, uint32_t low, uint32_t high, bool are_first)
{
    loop_builder *b = g->b;
    for (uint32_t i = low * g->nv; i < high * g->nv; i++) {
        const loop_value at = total_at(g, i / g->nv, i % g->nv);
        element sum = element_get(b, g->sums[i]);
        if (!are_first)
            sum = element_combine(b, FOLD_SUM, load_total(g, at), sum);
        store_total(g, at, sum);
    }
}

void multiplier_join_totals(multiplier *g, bool are_first)
{
    join_rows(g, 0, g->rows, are_first);
}

/* The sums of a chunk of the block's own rows. */
static void join_own_rows(multiplier *g, bool are_first)
{
    const bool may_belong = g->belongs != LOOP_NO_VALUE;
    const uint32_t first = may_belong ? (uint32_t)g->p->unit : 0;
    join_rows(g, first, g->rows, are_first);
    if (may_belong) {
        loop_if(g->b, g->belongs);
        join_rows(g, 0, first, are_first);
        loop_end(g->b);
    }
}

void multiplier_join_chunk(multiplier *g)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    if (p->k <= CONTRACT_BLOCK) {
        join_own_rows(g, true);
        return;
    }
    loop_if(b, loop_binary(b, LOOP_IEQ, g->first, loop_i64(b, 0)));
    join_own_rows(g, true);
    loop_else(b);
    join_own_rows(g, false);
    loop_end(b);
}

void multiplier_fetch_totals(multiplier *g)
{
    const int64_t vectors = LOOP_ALIGN / multiplier_total_bytes(g->p); /* of a line */
    const uint32_t step = vectors > 1 ? (uint32_t)vectors : 1;
    for (uint32_t r = 0; r < g->rows; r++)
        for (uint32_t v = 0; v < g->nv; v += step)
            loop_prefetch(g->b, total_at(g, r, v));
}
