/* The multiplier: blocks of results whose sums stay in registers.
 *
 * A work item is one block of rows times one panel of columns. For each CONTRACT_BLOCK of products
 * the block's chains run in registers, then join the totals, which lie on the stack; when all are
 * done the totals are finished and stored, once. */
#include "loop/contract_parts.h"

enum {
    BODY = 64 /* multiply-adds in the body of a loop, at most about: compilers take long for more */
};

typedef struct multiplier {
    loop_builder b;
    problem *p;
    loop_value all_a, all_b, c; /* the addresses of the operands */
    loop_value totals; /* where they lie; LOOP_NO_VALUE: nowhere, they are finished in registers */
    /* The item. */
    loop_value batch, row, column; /* the block's first row and column */
    loop_value a, b_at; /* where product 0 is, for b_at of column 0 of the panel; see b_moved */
    loop_value c_batch;            /* elements */
    /* The block. */
    uint32_t rows;
    uint32_t nv;      /* vectors that have columns */
    int64_t columns;  /* that exist */
    int64_t *row_at;  /* bytes from the first row of A */
    element *sums;    /* variables, rows by vectors */
} multiplier;

static int64_t total_bytes(const problem *p) /* of a vector */
{
    return p->lanes * p->bytes * p->parts;
}

/* ---- operands ---- */

static uint32_t a_align(const problem *p)
{
    return (uint32_t)p->bytes;
}

static element load_a(multiplier *g, loop_value at, uint32_t row, int64_t bytes)
{
    const problem *p = g->p;
    const element x = element_load(&g->b, p->form, loop_at(&g->b, at, g->row_at[row] + bytes), 1,
                                   a_align(p));
    return element_splat(&g->b, p->lanes, x);
}

/* Where B is: an address, or the number of an element when somebody else loads it. */
static int64_t b_unit(const problem *p)
{
    return p->b.load ? 1 : p->b_form == B_PANELS ? p->bytes : (int64_t)dtype_bytes(p->b.dtype);
}

static loop_value b_moved(multiplier *g, loop_value at, loop_value units)
{
    return g->p->b.load ? int_add(&g->b, at, units) : loop_offset(&g->b, at, units);
}

static element load_b(multiplier *g, loop_value at, uint32_t v, int64_t units)
{
    const problem *p = g->p;
    loop_builder *b = &g->b;
    const int64_t first = (int64_t)v * p->lanes, left = g->columns - first;
    const loop_value count = left < p->lanes ? loop_i64(b, left) : (loop_value)LOOP_NO_VALUE;
    const loop_value from = b_moved(g, at, loop_i64(b, units + first * b_unit(p)));
    if (p->b_form == B_PANELS) {
        const loop_type t = loop_type_of(p->elem, p->lanes);
        const uint32_t align = (uint32_t)p->bytes * p->lanes;
        element x = {p->form, loop_load(b, t, from, align), LOOP_NO_VALUE};
        if (p->parts == 2)
            x.im = loop_load(b, t, loop_at(b, from, columns_of(p) * p->bytes), align);
        return x;
    }
    return factors_load_at(b, p, &p->b, from, p->lanes, count);
}

/* ---- chains ---- */

/* One product of every chain, A_BYTES and B_UNITS after A and B_AT. */
static void emit_product(multiplier *g, element *sums, loop_value a, loop_value b_at,
                         int64_t a_bytes, int64_t b_units)
{
    loop_builder *b = &g->b;
    element x[32], y[32];
    if (g->rows <= g->nv) { /* the fewer ones stay in registers */
        for (uint32_t r = 0; r < g->rows; r++)
            x[r] = load_a(g, a, r, a_bytes);
        for (uint32_t v = 0; v < g->nv; v++) {
            const element here = load_b(g, b_at, v, b_units);
            for (uint32_t r = 0; r < g->rows; r++)
                sums[r * g->nv + v] = element_fma(b, x[r], here, sums[r * g->nv + v]);
        }
        return;
    }
    for (uint32_t v = 0; v < g->nv; v++)
        y[v] = load_b(g, b_at, v, b_units);
    for (uint32_t r = 0; r < g->rows; r++) {
        const element here = load_a(g, a, r, a_bytes);
        for (uint32_t v = 0; v < g->nv; v++)
            sums[r * g->nv + v] = element_fma(b, here, y[v], sums[r * g->nv + v]);
    }
}

static void get_sums(multiplier *g, element *sums)
{
    for (uint32_t i = 0; i < g->rows * g->nv; i++)
        sums[i] = element_get(&g->b, g->sums[i]);
}

static void set_sums(multiplier *g, const element *sums)
{
    for (uint32_t i = 0; i < g->rows * g->nv; i++)
        element_set(&g->b, g->sums[i], sums[i]);
}

/* COUNT products from the addresses A and B_AT on. */
static void emit_products(multiplier *g, loop_value a, loop_value b_at, uint32_t count)
{
    const problem *p = g->p;
    const uint32_t last = p->products.n - 1;
    const int64_t step_a = p->products.a[last] * p->bytes * p->parts;
    const int64_t step_b = p->products.b[last] * b_unit(p);
    element sums[64];
    get_sums(g, sums);
    for (uint32_t i = 0; i < count; i++)
        emit_product(g, sums, a, b_at, i * step_a, i * step_b);
    set_sums(g, sums);
}

/* The same where B lies in columns, for a vector's lanes of products of which COUNT exist: squares
 * of B are turned in registers. */
static void emit_square(multiplier *g, loop_value a, loop_value b_at, uint32_t count)
{
    const problem *p = g->p;
    loop_builder *b = &g->b;
    const int64_t step_a = p->products.a[0] * p->bytes * p->parts, step = walk_step(&p->b_n);
    element sums[64];
    get_sums(g, sums);
    for (uint32_t v = 0; v < g->nv; v++) {
        loop_value turned[LOOP_MAX_LANES];
        for (uint32_t r = 0; r < p->lanes; r++) {
            /* Columns that do not exist stand for the last one; their sums are not stored. */
            const int64_t n = (int64_t)v * p->lanes + r;
            const int64_t column = n < g->columns ? n : g->columns - 1;
            const loop_value from = loop_at(b, b_at, column * step * p->bytes);
            const element x =
                count == p->lanes
                    ? element_load(b, p->form, from, p->lanes, (uint32_t)p->bytes)
                    : element_load_first(b, p->form, from, p->lanes, loop_i64(b, count),
                                         (uint32_t)p->bytes);
            turned[r] = x.re;
        }
        turn_square(b, turned, p->lanes, p->bytes);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t r = 0; r < g->rows; r++) {
                const element y = {p->form, turned[i], LOOP_NO_VALUE};
                sums[r * g->nv + v] =
                    element_fma(b, load_a(g, a, r, i * step_a), y, sums[r * g->nv + v]);
            }
    }
    set_sums(g, sums);
}

/* How many products a turn of the inner loop takes. Where windows overlap, a turn must not read an
 * element twice: the compiler would keep it in a register, and there are none left. */
static uint32_t unroll_of(const multiplier *g)
{
    const problem *p = g->p;
    const uint32_t last = p->products.n - 1;
    const int64_t run = p->products.extent[last], step = p->products.a[last];
    const int64_t row = p->a_m.n ? p->a_m.step[p->a_m.n - 1] : 0;
    int64_t most = BODY / ((int64_t)g->rows * g->nv);
    if (p->b_form == B_COLUMNS)
        return p->lanes;
    if (g->rows > 1 && step != 0 && row % step == 0 && row / step > 0 && row / step < most)
        most = row / step;
    most = most > 8 ? 8 : most < 1 ? 1 : most;
    /* One that leaves no rest, if there is one about as large. */
    for (int64_t u = most; 2 * u > most; u--)
        if (run % u == 0 && (p->k <= CONTRACT_BLOCK || CONTRACT_BLOCK % u == 0))
            return (uint32_t)u;
    while (most & (most - 1))
        most &= most - 1;
    return (uint32_t)most;
}

static void emit_some(multiplier *g, loop_value a, loop_value b_at, uint32_t count)
{
    if (g->p->b_form == B_COLUMNS)
        emit_square(g, a, b_at, count);
    else
        emit_products(g, a, b_at, count);
}

/* Turns of COUNT products each, N products in all; *A and *B_AT move
 * behind them, unless they are the last ones. */
static void emit_turns(multiplier *g, loop_value *a, loop_value *b_at, loop_value n, uint32_t count,
                       bool is_last)
{
    const problem *p = g->p;
    loop_builder *b = &g->b;
    const uint32_t last = p->products.n - 1;
    const int64_t step_a = p->products.a[last] * p->bytes * p->parts;
    const int64_t step_b = p->products.b[last] * b_unit(p);
    const loop_value k = loop_for(b, loop_i64(b, 0), n, count);
    emit_some(g, loop_offset(b, *a, int_times(b, k, step_a)),
              b_moved(g, *b_at, int_times(b, k, step_b)), count);
    loop_end(b);
    if (is_last)
        return;
    *a = loop_offset(b, *a, int_times(b, n, step_a));
    *b_at = b_moved(g, *b_at, int_times(b, n, step_b));
}

/* N products from the addresses A and B_AT on, which lie in one run. LENGTH is N where that is known,
 * or -1; REST what is left over by whole turns, or -1. */
static void emit_run(multiplier *g, loop_value a, loop_value b_at, loop_value n, int64_t length,
                     int64_t rest)
{
    loop_builder *b = &g->b;
    const uint32_t unroll = unroll_of(g);
    if (length >= 0 && length <= unroll) {
        emit_some(g, a, b_at, (uint32_t)length);
        return;
    }
    if (length >= 0)
        rest = length % unroll;
    if (rest == 0) {
        emit_turns(g, &a, &b_at, n, unroll, true);
        return;
    }
    const loop_value left = rest > 0 ? loop_i64(b, rest) : int_modulo(b, n, unroll);
    emit_turns(g, &a, &b_at, loop_binary(b, LOOP_ISUB, n, left), unroll, false);
    if (rest > 0)
        emit_some(g, a, b_at, (uint32_t)rest);
    else
        emit_turns(g, &a, &b_at, left, 1, true);
}

/* Addresses OFFSET products into the run at *A and *B_AT. */
static void emit_advance(multiplier *g, loop_value *a, loop_value *b_at, loop_value offset)
{
    const problem *p = g->p;
    loop_builder *b = &g->b;
    const uint32_t last = p->products.n - 1;
    *a = loop_offset(b, *a, int_times(b, offset, p->products.a[last] * p->bytes * p->parts));
    *b_at = b_moved(g, *b_at, int_times(b, offset, p->products.b[last] * b_unit(p)));
}

/* The addresses of run number OUTER. */
static void emit_outer(multiplier *g, loop_value outer, loop_value *a, loop_value *b_at)
{
    const product_axes *k = &g->p->products;
    loop_builder *b = &g->b;
    walk in_a, in_b;
    walk_init(&in_a);
    walk_init(&in_b);
    for (uint32_t i = 0; i + 1 < k->n; i++) {
        walk_add(&in_a, k->extent[i], k->a[i] * g->p->bytes * g->p->parts);
        walk_add(&in_b, k->extent[i], k->b[i] * b_unit(g->p));
    }
    *a = loop_offset(b, g->a, walk_emit(b, &in_a, outer));
    *b_at = b_moved(g, g->b_at, walk_emit(b, &in_b, outer));
}

/* The products FIRST .. FIRST + LENGTH - 1, one block, which are all in one run. */
static void emit_simple_block(multiplier *g, loop_value first, loop_value length)
{
    const problem *p = g->p;
    loop_builder *b = &g->b;
    const int64_t rest = p->k % unroll_of(g);
    loop_value a = g->a, b_at = g->b_at;
    if (p->k <= CONTRACT_BLOCK) {
        emit_run(g, a, b_at, length, p->k, -1);
        return;
    }
    emit_advance(g, &a, &b_at, first);
    if (rest == 0) {
        emit_run(g, a, b_at, length, -1, 0);
        return;
    }
    /* Only the last block has a rest. */
    const loop_value is_last =
        loop_binary(b, LOOP_IEQ, int_add(b, first, length), loop_i64(b, p->k));
    const loop_value left = loop_select(b, is_last, loop_i64(b, rest), loop_i64(b, 0));
    emit_turns(g, &a, &b_at, loop_binary(b, LOOP_ISUB, length, left), unroll_of(g), false);
    loop_if(b, is_last);
    emit_some(g, a, b_at, (uint32_t)rest);
    loop_end(b);
}

/* One block of products. */
static void emit_block(multiplier *g, loop_value first, loop_value length)
{
    const problem *p = g->p;
    loop_builder *b = &g->b;
    const int64_t run = p->products.extent[p->products.n - 1], runs = p->k / run;
    const bool is_one_block = p->k <= CONTRACT_BLOCK;
    const uint32_t unroll = unroll_of(g);
    const element zero = element_zero(b, p->form, p->lanes);
    for (uint32_t i = 0; i < g->rows * g->nv; i++)
        element_set(b, g->sums[i], zero);
    if (runs == 1) {
        emit_simple_block(g, first, length);
        return;
    }
    const loop_value end = int_add(b, first, length);
    const loop_value past = int_divided(b, int_add(b, end, loop_i64(b, run - 1)), run);
    const loop_value outer = loop_for(b, int_divided(b, first, run), past, 1);
    loop_value a, b_at;
    emit_outer(g, outer, &a, &b_at);
    if (is_one_block || CONTRACT_BLOCK % run == 0) { /* whole runs */
        emit_run(g, a, b_at, loop_i64(b, run), run, -1);
    } else {
        const loop_value start = int_times(b, outer, run);
        const loop_value low =
            int_max(b, loop_binary(b, LOOP_ISUB, first, start), loop_i64(b, 0));
        const loop_value high =
            int_min(b, loop_binary(b, LOOP_ISUB, end, start), loop_i64(b, run));
        const bool is_even = run % unroll == 0 && CONTRACT_BLOCK % unroll == 0;
        emit_advance(g, &a, &b_at, low);
        emit_run(g, a, b_at, loop_binary(b, LOOP_ISUB, high, low), -1, is_even ? 0 : -1);
    }
    loop_end(b);
}

/* ---- totals ---- */

static loop_value total_at(multiplier *g, uint32_t row, uint32_t v)
{
    return loop_at(&g->b, g->totals, (int64_t)(row * g->p->nv + v) * total_bytes(g->p));
}

static element load_total(multiplier *g, loop_value at)
{
    const problem *p = g->p;
    loop_builder *b = &g->b;
    const loop_type t = loop_type_of(p->elem, p->lanes);
    const uint32_t align = (uint32_t)p->bytes * p->lanes;
    element x = {p->form, loop_load(b, t, at, align), LOOP_NO_VALUE};
    if (p->parts == 2)
        x.im = loop_load(b, t, loop_at(b, at, (int64_t)p->lanes * p->bytes), align);
    return x;
}

static void store_total(multiplier *g, loop_value at, element x)
{
    const problem *p = g->p;
    const uint32_t align = (uint32_t)p->bytes * p->lanes;
    loop_store(&g->b, at, x.re, align);
    if (p->parts == 2)
        loop_store(&g->b, loop_at(&g->b, at, (int64_t)p->lanes * p->bytes), x.im, align);
}

/* ---- finishing ---- */

static void store_part(multiplier *g, const contract_part *part)
{
    const problem *p = g->p;
    loop_builder *b = &g->b;
    const int64_t bytes = (int64_t)dtype_bytes(p->spec.c);
    const loop_value to = loop_offset(b, g->c, int_times(b, part->at, bytes));
    if (part->step == 1 || part->lanes == 1) {
        if (part->count == LOOP_NO_VALUE)
            element_store(b, to, part->value, part->align);
        else
            element_store_first(b, to, part->value, part->count, part->align);
        return;
    }
    for (uint32_t i = 0; i < part->lanes; i++) {
        if (part->count != LOOP_NO_VALUE)
            loop_if(b, loop_binary(b, LOOP_ILT, loop_i64(b, i), part->count));
        element_store(b, loop_at(b, to, i * part->step * bytes), element_lane(b, part->value, i),
                      part->align);
        if (part->count != LOOP_NO_VALUE)
            loop_end(b);
    }
}

/* A total as the result's dtype: rounded once, or twice where a narrow accumulator was asked for. */
static element as_result(multiplier *g, element total)
{
    const contract_spec *s = &g->p->spec;
    if (s->sum != g->p->form)
        total = (element){s->sum, element_round(&g->b, s->sum, total.re), LOOP_NO_VALUE};
    return element_cast(&g->b, total, s->c);
}

/* The vector of results in row ROW from column COLUMN on. */
static void finish_vector(multiplier *g, element total, loop_value row, loop_value column,
                          loop_value count)
{
    const problem *p = g->p;
    loop_builder *b = &g->b;
    const uint32_t bytes = (uint32_t)dtype_bytes(p->spec.c);
    contract_part part = {.value = as_result(g, total),
                          .is_column = p->is_turned,
                          .lanes = p->lanes,
                          .count = count,
                          .batch = g->batch,
                          .m = p->is_turned ? column : row,
                          .n = p->is_turned ? row : column,
                          .step = walk_step(&p->c_n),
                          .align = dtype_is_complex(p->spec.c) ? bytes / 2 : bytes};
    part.at = int_add(b, g->c_batch, walk_emit(b, &p->c_m, row));
    part.at = int_add(b, part.at, walk_emit(b, &p->c_n, column));
    if (p->spec.finish)
        p->spec.finish(p->spec.user_finish, b, &part);
    else
        store_part(g, &part);
}

static bool is_finished_in_registers(const problem *p)
{
    return p->k <= CONTRACT_BLOCK && (!p->spec.finish || p->spec.finish_is_small);
}

/* The block's sums, which are its totals. */
static void finish_registers(multiplier *g)
{
    loop_builder *b = &g->b;
    const uint32_t lanes = g->p->lanes;
    for (uint32_t r = 0; r < g->rows; r++)
        for (uint32_t v = 0; v < g->nv; v++) {
            const int64_t left = g->columns - (int64_t)v * lanes;
            finish_vector(g, element_get(b, g->sums[r * g->nv + v]),
                          int_add(b, g->row, loop_i64(b, r)),
                          int_add(b, g->column, loop_i64(b, (int64_t)v * lanes)),
                          left < lanes ? loop_i64(b, left) : (loop_value)LOOP_NO_VALUE);
        }
}

/* The totals of ROWS rows (i64), of COLUMNS columns (i64). */
static void finish_totals(multiplier *g, loop_value rows, loop_value columns)
{
    const problem *p = g->p;
    loop_builder *b = &g->b;
    const loop_value r = loop_for(b, loop_i64(b, 0), rows, 1);
    const loop_value at = loop_offset(b, g->totals, int_times(b, r, p->nv * total_bytes(p)));
    const loop_value row = int_add(b, g->row, r);
    const loop_value first = loop_for(b, loop_i64(b, 0), columns, p->lanes);
    const loop_value column = int_add(b, g->column, first);
    const element total =
        load_total(g, loop_offset(b, at, int_times(b, first, p->bytes * p->parts)));
    const loop_value left = loop_binary(b, LOOP_ISUB, columns, first);
    if (p->n % p->lanes == 0) {
        finish_vector(g, total, row, column, LOOP_NO_VALUE);
    } else if (p->n < p->lanes) {
        finish_vector(g, total, row, column, left);
    } else {
        loop_if(b, loop_binary(b, LOOP_ILT, left, loop_i64(b, p->lanes)));
        finish_vector(g, total, row, column, left);
        loop_else(b);
        finish_vector(g, total, row, column, LOOP_NO_VALUE);
        loop_end(b);
    }
    loop_end(b);
    loop_end(b);
}

/* ---- blocks ---- */

/* -0, or 0 of integers: x + it is x, bit for bit. */
static element start_of_totals(multiplier *g)
{
    element e = {0};
    (void)element_identity(&g->b, FOLD_SUM, g->p->form, g->p->lanes, &e);
    return e;
}

/* The totals of a block of ROWS rows and COLUMNS columns. */
static void emit_tile(multiplier *g, uint32_t rows, int64_t columns)
{
    const problem *p = g->p;
    loop_builder *b = &g->b;
    const bool has_blocks = p->k > CONTRACT_BLOCK;
    g->rows = rows;
    g->columns = columns;
    g->nv = (uint32_t)((columns + p->lanes - 1) / p->lanes);
    for (uint32_t r = 0; r < rows; r++)
        g->row_at[r] = walk_at(&p->a_m, r) * p->bytes * p->parts;
    const element zero = element_zero(b, p->form, p->lanes);
    for (uint32_t i = 0; i < rows * g->nv; i++)
        g->sums[i] = element_var(b, zero);
    if (!has_blocks) {
        if (p->k > 0)
            emit_block(g, loop_i64(b, 0), loop_i64(b, p->k));
        if (g->totals == LOOP_NO_VALUE) {
            finish_registers(g);
            return;
        }
    } else {
        const element start = start_of_totals(g);
        for (uint32_t i = 0; i < rows * g->nv; i++)
            store_total(g, total_at(g, i / g->nv, i % g->nv), start);
        const loop_value first =
            loop_for(b, loop_i64(b, 0), loop_i64(b, p->k), CONTRACT_BLOCK);
        const loop_value left = loop_binary(b, LOOP_ISUB, loop_i64(b, p->k), first);
        emit_block(g, first, p->k % CONTRACT_BLOCK == 0
                                 ? loop_i64(b, CONTRACT_BLOCK)
                                 : int_min(b, left, loop_i64(b, CONTRACT_BLOCK)));
    }
    for (uint32_t i = 0; i < rows * g->nv; i++) {
        const loop_value at = total_at(g, i / g->nv, i % g->nv);
        element sum = element_get(b, g->sums[i]);
        if (has_blocks)
            sum = element_combine(b, FOLD_SUM, load_total(g, at), sum);
        store_total(g, at, sum);
    }
    if (has_blocks)
        loop_end(b);
}

/* The last panel may have fewer columns. */
static void emit_panels(multiplier *g, uint32_t rows, loop_value panel)
{
    const problem *p = g->p;
    loop_builder *b = &g->b;
    const int64_t rest = p->n % columns_of(p);
    if (rest > 0 && p->panels > 1) {
        loop_if(b, loop_binary(b, LOOP_ILT, panel, loop_i64(b, p->panels - 1)));
        emit_tile(g, rows, columns_of(p));
        loop_else(b);
        emit_tile(g, rows, rest);
        loop_end(b);
    } else {
        emit_tile(g, rows, rest > 0 ? rest : columns_of(p));
    }
}

/* Block number BLOCK of the rows. */
static void emit_rows(multiplier *g, loop_value block, loop_value panel)
{
    const problem *p = g->p;
    loop_builder *b = &g->b;
    /* Blocks number `longer` and after have one unit less. */
    const loop_value part = int_modulo(b, block, p->split);
    const loop_value longer = loop_i64(b, p->longer);
    const loop_value units = int_add(b, int_times(b, part, p->base), int_min(b, part, longer));
    const int64_t outer_rows = (p->split * p->base + p->longer) * p->unit;
    g->row = int_add(b, int_times(b, int_divided(b, block, p->split), outer_rows),
                     int_times(b, units, p->unit));
    loop_value at = int_add(b, walk_emit(b, &p->a_batch, g->batch), walk_emit(b, &p->a_m, g->row));
    at = int_add(b, at, loop_i64(b, p->spec.a_first));
    g->a = loop_offset(b, g->all_a, int_times(b, at, p->bytes * p->parts));

    const uint32_t rows = (uint32_t)(p->base * p->unit), more = (uint32_t)p->unit;
    const loop_value is_longer = loop_binary(b, LOOP_ILT, part, longer);
    if (p->longer > 0) {
        loop_if(b, is_longer);
        emit_panels(g, rows + more, panel);
        loop_else(b);
        emit_panels(g, rows, panel);
        loop_end(b);
    } else {
        emit_panels(g, rows, panel);
    }
    if (g->totals != LOOP_NO_VALUE) {
        const loop_value n_rows =
            loop_select(b, is_longer, loop_i64(b, rows + more), loop_i64(b, rows));
        const loop_value left = loop_binary(b, LOOP_ISUB, loop_i64(b, p->n), g->column);
        finish_totals(g, n_rows, int_min(b, left, loop_i64(b, columns_of(p))));
    }
}

/* What B's panel is, for the rows that follow. */
static void open_panel(multiplier *g, loop_value panel)
{
    const problem *p = g->p;
    loop_builder *b = &g->b;
    loop_value at = walk_emit(b, &p->b_batch, g->batch);
    g->column = int_times(b, panel, columns_of(p));
    g->c_batch = int_add(b, walk_emit(b, &p->c_batch, g->batch), loop_i64(b, p->spec.c_first));
    if (p->packs_inside) {
        g->b_at = g->all_b;
        return;
    }
    if (p->b_form == B_PANELS) {
        at = int_times(b, int_add(b, at, panel), panel_bytes(p));
    } else {
        at = int_add(b, at, int_times(b, g->column, walk_step(&p->b_n)));
        at = int_times(b, int_add(b, at, loop_i64(b, p->spec.b_first)), b_unit(p));
    }
    g->b_at = p->b.load ? at : loop_offset(b, g->all_b, at);
}

/* Items are panels. */
static void emit_panel_item(multiplier *g, loop_value item)
{
    problem *p = g->p;
    loop_builder *b = &g->b;
    const loop_value panel = int_modulo(b, item, p->panels);
    g->batch = int_divided(b, item, p->panels);
    const loop_value from =
        int_add(b, walk_emit(b, &p->unpacked.batch, g->batch), loop_i64(b, p->unpacked.first));
    contract_emit_panel(b, p, from, panel, loop_i64(b, 0), loop_i64(b, p->k), g->all_b);
    open_panel(g, panel);
    emit_rows(g, loop_for(b, loop_i64(b, 0), loop_i64(b, p->outer * p->split), 1), panel);
    loop_end(b);
}

/* Items are blocks of rows and columns. */
static void emit_item(multiplier *g, loop_value item)
{
    const problem *p = g->p;
    loop_builder *b = &g->b;
    const int64_t blocks = p->outer * p->split;
    loop_value block, panel;
    g->batch = int_divided(b, item, blocks * p->panels);
    item = int_modulo(b, item, blocks * p->panels);
    if (p->group == 1 || p->panels == 1) {
        panel = int_modulo(b, item, p->panels);
        block = int_divided(b, item, p->panels);
    } else if (p->group >= blocks) {
        block = int_modulo(b, item, blocks);
        panel = int_divided(b, item, blocks);
    } else {
        /* The last group may have fewer blocks. */
        const loop_value group = int_divided(b, item, p->group * p->panels);
        const loop_value first = int_times(b, group, p->group);
        const loop_value in = int_modulo(b, item, p->group * p->panels);
        const loop_value n = int_min(b, loop_i64(b, p->group),
                                     loop_binary(b, LOOP_ISUB, loop_i64(b, blocks), first));
        panel = loop_binary(b, LOOP_UDIV, in, n);
        block = int_add(b, first, loop_binary(b, LOOP_UREM, in, n));
    }
    open_panel(g, panel);
    emit_rows(g, block, panel);
}

const loop_program *contract_multiply(problem *p, arena *memory, const char **fault)
{
    int64_t row_at[64];
    element sums[64];
    multiplier g = {.p = p, .row_at = row_at, .sums = sums, .totals = LOOP_NO_VALUE};
    const int64_t rows = (p->base + (p->longer > 0)) * p->unit;
    loop_init(&g.b, memory);
    g.all_a = loop_buffer(&g.b, p->a.buffer);
    if (p->packs_inside) {
        factors_open(&g.b, &p->unpacked.from);
        g.all_b = loop_scratch(&g.b, (uint64_t)panel_bytes(p));
    } else {
        g.all_b = loop_buffer(&g.b, p->b.buffer);
    }
    g.c = p->spec.finish ? 0 : loop_buffer(&g.b, CONTRACT_C);
    if (!is_finished_in_registers(p))
        g.totals = loop_local(&g.b, (uint64_t)(rows * p->nv * total_bytes(p)));
    const loop_value item = loop_for(&g.b, loop_param_value(&g.b, LOOP_BEGIN),
                                     loop_param_value(&g.b, LOOP_END_AT), 1);
    (p->packs_inside ? emit_panel_item : emit_item)(&g, item);
    loop_end(&g.b);
    *fault = g.b.fault;
    return loop_finish(&g.b);
}
