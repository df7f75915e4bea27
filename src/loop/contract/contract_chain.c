/* Chains of multiply-adds for a block of results, which are kept in registers. */
#include "loop/contract/contract_multiply.h"

enum {
    BODY = 64, /* about the most multiply-adds in the body of a loop: more take long to compile */
    MANY_SUMS = 12,          /* as many multiply-adds are work enough for an iteration */
    MANY_WINDOW_SUMS = 16,   /* the same where products are of several axes, as in windows: with 12,
                                a busy machine took a tenth longer when they were not unrolled */
    MOST_UNROLLED_SUMS = 24, /* of 32 registers: with more, LLVM loads operands of the next product
                                early and spills a sum, whose chain is then the longest */
    AHEAD_ROWS = 64 /* of a B that is computed where it is loaded: what it is computed from comes
                       from memory meanwhile */
};

/* ---- operands ---- */

static uint32_t a_align(const problem *p)
{
    return (uint32_t)p->bytes;
}

element contract_load_a(multiplier *g, loop_value at, uint32_t row, sized bytes)
{
    const problem *p = g->p;
    const sized row_at = g->row_at[row];
    /* Apart, so that a row that depends on sizes is one number for all products. */
    const bool is_apart = !sized_is_fixed(row_at) && sized_is_fixed(bytes);
    const loop_value from = is_apart ? int_behind(g->b, int_behind(g->b, at, row_at), bytes)
                                     : int_behind(g->b, at, sized_add(row_at, bytes));
    const element x = element_load(g->b, p->form, from, 1, a_align(p));
    return element_splat(g->b, p->lanes, x);
}

/* Where B is: an address, or the number of an element where a callback loads it. */
int64_t b_unit(const problem *p)
{
    return p->b.load ? 1 : p->b_form == B_PANELS ? p->bytes : (int64_t)dtype_bytes(p->b.dtype);
}

loop_value b_moved(multiplier *g, loop_value at, loop_value units)
{
    return g->p->b.load ? int_add(g->b, at, units) : loop_offset(g->b, at, units);
}

bool contract_has_rows(const problem *p, uint32_t of)
{
    const int64_t row = p->b.row, unit = row * of;
    const walk *n = &p->b_n;
    const bool is_fixed = !has_any_order(p) && p->b_batch.dynamic == 0 && n->dynamic == 0 &&
                          sized_is_fixed((sized){p->spec.b_first, p->spec.b_first_other}) &&
                          sized_is_fixed(products_b(&p->products, 0)) &&
                          p->products.extent[0] == p->products.extent_other[0];
    bool ok = p->b.load && p->b_form == B_ROWS && row > 0 && is_fixed && p->products.n == 1 &&
              p->products.b[0] == row && p->spec.b_first % unit == 0 && n->n > 0 &&
              n->step[n->n - 1] == 1 && n->extent[n->n - 1] <= row;
    for (uint32_t i = 0; ok && i < p->b_batch.n; i++)
        ok = p->b_batch.step[i] % unit == 0;
    for (uint32_t i = 0; ok && i + 1 < n->n; i++)
        ok = n->step[i] % unit == 0;
    return ok;
}

/* PRODUCT: the number of the product in those of an iteration, which begins at AT. */
static element load_b(multiplier *g, loop_value at, uint32_t v, uint32_t product, sized units)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const int64_t first = (int64_t)v * p->lanes, left = g->columns - first;
    const loop_value count = left < p->lanes ? loop_i64(b, left) : (loop_value)LOOP_NO_VALUE;
    if (g->step > 1 && contract_has_rows(p, g->step)) {
        const contract_place place = {.at = at,
                                      .along = loop_i64(b, first),
                                      .rows = product,
                                      .of = g->step,
                                      .ahead = AHEAD_ROWS * p->products.b[0],
                                      .before = (uint32_t)first};
        return element_cast(b, p->b.load(p->b.user, b, &place, p->lanes, count), p->form);
    }
    if (p->b_form == B_PANELS) {
        const uint32_t in = v % p->panel_nv; /* of the packed panel */
        const sized panel = sized_mul(panel_sized_bytes(p), sized_of(v / p->panel_nv));
        const sized vector = sized_of((int64_t)in * p->lanes * p->bytes);
        const loop_value from =
            b_moved(g, at, loop_sized(b, sized_add(units, sized_add(panel, vector))));
        const loop_type t = loop_type_of(p->elem, p->lanes);
        const uint32_t align = (uint32_t)p->bytes * p->lanes;
        element x = {p->form, loop_load(b, t, from, align), LOOP_NO_VALUE};
        if (p->parts == 2)
            x.im = loop_load(b, t, loop_at(b, from, panel_columns_of(p) * p->bytes), align);
        return x;
    }
    const loop_value from =
        b_moved(g, at, loop_sized(b, sized_add(units, sized_of(first * b_unit(p)))));
    return factors_load_at(b, p, &p->b, from, p->lanes, count);
}

/* ---- chains ---- */

/* Where A's bytes have an offset of 128, one more row of sums has the products of that with B,
 * which are taken away at the end of the block. */
static uint32_t n_sums(const multiplier *g)
{
    return (g->rows + (g->p->offset != 0)) * g->nv;
}

static void take_offset_away(multiplier *g)
{
    const uint32_t n = g->rows * g->nv;
    for (uint32_t i = 0; i < n && g->p->offset; i++) {
        element x = element_get(g->b, g->sums[i]);
        x.re = loop_binary(g->b, LOOP_ISUB, x.re, element_get(g->b, g->sums[n + i % g->nv]).re);
        element_set(g->b, g->sums[i], x);
    }
}

/* One product of every chain, number PRODUCT, A_BYTES and B_UNITS after A and B_AT. */
static void emit_product(multiplier *g, element *sums, loop_value a, loop_value b_at,
                         uint32_t product, sized a_bytes, sized b_units)
{
    loop_builder *b = g->b;
    element x[32], y[32];
    if (g->rows <= g->nv && !g->p->offset) { /* the fewer ones stay in registers */
        for (uint32_t r = 0; r < g->rows; r++)
            x[r] = contract_load_a(g, a, r, a_bytes);
        for (uint32_t v = 0; v < g->nv; v++) {
            const element here = load_b(g, b_at, v, product, b_units);
            for (uint32_t r = 0; r < g->rows; r++)
                sums[r * g->nv + v] = contract_product(g->p, b, x[r], here, sums[r * g->nv + v]);
        }
        return;
    }
    for (uint32_t v = 0; v < g->nv; v++)
        y[v] = load_b(g, b_at, v, product, b_units);
    for (uint32_t r = 0; r < g->rows; r++) {
        const element here = contract_load_a(g, a, r, a_bytes);
        for (uint32_t v = 0; v < g->nv; v++)
            sums[r * g->nv + v] = contract_product(g->p, b, here, y[v], sums[r * g->nv + v]);
    }
    for (uint32_t i = g->rows * g->nv; i < n_sums(g); i++)
        sums[i] =
            contract_product(g->p, b, packed_zero(b, g->p, g->p->lanes), y[i % g->nv], sums[i]);
}

static void get_sums(multiplier *g, element *sums)
{
    for (uint32_t i = 0; i < n_sums(g); i++)
        sums[i] = element_get(g->b, g->sums[i]);
}

static void set_sums(multiplier *g, const element *sums)
{
    for (uint32_t i = 0; i < n_sums(g); i++)
        element_set(g->b, g->sums[i], sums[i]);
}

/* COUNT products from the addresses A and B_AT on. */
static void emit_products(multiplier *g, loop_value a, loop_value b_at, uint32_t count)
{
    const problem *p = g->p;
    const uint32_t last = p->products.n - 1;
    const sized step_a = sized_mul(products_a(&p->products, last), sized_of(p->bytes * p->parts));
    const sized step_b = sized_mul(products_b(&p->products, last), sized_of(b_unit(p)));
    element sums[MULTIPLIER_SUMS];
    get_sums(g, sums);
    for (uint32_t i = 0; i < count; i++)
        emit_product(g, sums, a, b_at, i, sized_mul(sized_of(i), step_a),
                     sized_mul(sized_of(i), step_b));
    set_sums(g, sums);
}

/* How many products of one of ROWS rows further another one reads the same element: rows are ROW
 * elements apart, products STEP. INT64_MAX: never. */
static int64_t products_apart(int64_t row, int64_t step, int64_t rows)
{
    int64_t a = row, b = step;
    if (row <= 0 || step <= 0)
        return INT64_MAX;
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return step / a < rows ? row / a : INT64_MAX;
}

/* Where windows overlap, an iteration must not read an element twice: the compiler would keep it in
 * a register, and none is left. */
uint32_t contract_unroll(const problem *p, uint32_t rows, uint32_t vectors)
{
    const uint32_t last = p->products.n - 1;
    const int64_t run = p->products.extent[last], step = p->products.a[last];
    const int64_t row = p->a_m.n ? p->a_m.step[p->a_m.n - 1] : 0;
    int64_t most = BODY / ((int64_t)rows * vectors);
    if (p->b_form == B_COLUMNS)
        return contract_square_products(p);
    if (p->spec.wanted.unroll > 0) { /* blocks of products are whole iterations, but for the last */
        uint32_t u = (uint32_t)p->spec.wanted.unroll;
        while ((p->k > CONTRACT_BLOCK || p->has_dynamic_k) && CONTRACT_BLOCK % u != 0)
            u--;
        return u;
    }
    if (p->has_pairs) /* sums of integers may be reordered, which compilers do until none is left */
        return 1;
    /* LLVM goes through an iteration chain by chain. Where a row of a panel has several lines,
     * these would not be read in order, and come from memory half as fast. */
    const bool is_far = p->b_form == B_PANELS && p->spec.b_is_constant && !p->has_any_rows &&
                        contract_is_read_once(p);
    if (is_far && panel_columns_of(p) * p->bytes > LOOP_ALIGN)
        return 1;
    /* Where the next panel is fetched meanwhile, each iteration fetches a row of it. In stages
     * loops are short, and their ends would cost as much as they do. */
    const bool may_fetch = p->packs_inside || (p->group > 1 && !has_any_order(p));
    /* Products of one axis are not unrolled either, so that several lengths share one program. */
    const int64_t many = p->products.n > 1 ? MANY_WINDOW_SUMS : MANY_SUMS;
    if ((int64_t)rows * vectors >= many && !may_fetch && !p->is_stage)
        return 1;
    if ((int64_t)rows * vectors > MOST_UNROLLED_SUMS)
        return 1;
    const int64_t apart = products_apart(row, step, rows);
    if (apart < most)
        most = apart;
    most = most > 8 ? 8 : most < 1 ? 1 : most;
    /* A divisor of the length, if there is one of about this size. */
    for (int64_t u = most; 2 * u > most && !p->has_dynamic_k; u--)
        if (run % u == 0 && (p->k <= CONTRACT_BLOCK || CONTRACT_BLOCK % u == 0))
            return (uint32_t)u;
    while (most & (most - 1))
        most &= most - 1;
    return (uint32_t)most;
}

static uint32_t unroll_of(const multiplier *g)
{
    return contract_unroll(g->p, g->rows, g->nv);
}

static void emit_some(multiplier *g, loop_value a, loop_value b_at, uint32_t count)
{
    if (g->p->b_form == B_COLUMNS)
        contract_square(g, a, b_at, count);
    else
        emit_products(g, a, b_at, count);
}

/* A loop over N products, COUNT in each iteration. *A and *B_AT move behind them, unless they are
 * the last ones. */
static void emit_iterations(multiplier *g, loop_value *a, loop_value *b_at, loop_value n,
                            uint32_t count, bool is_last)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const uint32_t last = p->products.n - 1;
    const sized step_a = sized_mul(products_a(&p->products, last), sized_of(p->bytes * p->parts));
    const sized step_b = sized_mul(products_b(&p->products, last), sized_of(b_unit(p)));
    const loop_value first_a = loop_select(b, g->always, *a, g->all_a);
    const loop_value first_b = p->b.load ? *b_at : loop_select(b, g->always, *b_at, g->all_b);
    const loop_value k = loop_for(b, loop_i64(b, 0), n, count);
    if (g->next_row != 0) {
        const loop_value row = int_times(b, int_divided(b, k, count), g->next_row);
        const loop_value at = loop_offset(b, g->ahead, row);
        for (int64_t line = 0; line < columns_of(p) * p->bytes; line += LOOP_ALIGN)
            loop_prefetch(b, loop_at(b, at, line));
    }
    multiplier_fetch(g, k, count);
    g->step = (count & (count - 1)) == 0 ? count : 0;
    emit_some(g, loop_offset(b, first_a, int_times_sized(b, k, step_a)),
              b_moved(g, first_b, int_times_sized(b, k, step_b)), count);
    g->step = 0;
    loop_end(b);
    if (is_last)
        return;
    *a = loop_offset(b, *a, int_times_sized(b, n, step_a));
    *b_at = b_moved(g, *b_at, int_times_sized(b, n, step_b));
}

/* N products from the addresses A and B_AT on, which are contiguous. LENGTH is N where that is
 * known, else -1; REST is N modulo the products of an iteration, or -1. */
static void emit_run(multiplier *g, loop_value a, loop_value b_at, loop_value n, int64_t length,
                     int64_t rest)
{
    loop_builder *b = g->b;
    const uint32_t unroll = unroll_of(g);
    if (length >= 0 && length <= unroll) {
        emit_some(g, a, b_at, (uint32_t)length);
        return;
    }
    if (length >= 0)
        rest = length % unroll;
    if (rest == 0) {
        emit_iterations(g, &a, &b_at, n, unroll, true);
        return;
    }
    const loop_value left = rest > 0 ? loop_i64(b, rest) : int_modulo(b, n, unroll);
    emit_iterations(g, &a, &b_at, loop_binary(b, LOOP_ISUB, n, left), unroll, false);
    if (rest > 0)
        emit_some(g, a, b_at, (uint32_t)rest);
    else
        emit_iterations(g, &a, &b_at, left, 1, true);
}

/* Addresses OFFSET products behind *A and *B_AT. */
static void emit_advance(multiplier *g, loop_value *a, loop_value *b_at, loop_value offset)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const uint32_t last = p->products.n - 1;
    const sized step_a = sized_mul(products_a(&p->products, last), sized_of(p->bytes * p->parts));
    const sized step_b = sized_mul(products_b(&p->products, last), sized_of(b_unit(p)));
    *a = loop_offset(b, *a, int_times_sized(b, offset, step_a));
    *b_at = b_moved(g, *b_at, int_times_sized(b, offset, step_b));
}

/* The addresses at number OUTER of the first N axes of products. */
static void emit_outer(multiplier *g, loop_value outer, uint32_t n, loop_value *a, loop_value *b_at)
{
    const product_axes *k = &g->p->products;
    loop_builder *b = g->b;
    walk in_a, in_b;
    walk_init(&in_a);
    walk_init(&in_b);
    for (uint32_t i = 0; i < n; i++) {
        const sized extent = {k->extent[i], k->extent_other[i]};
        walk_add(&in_a, extent, sized_mul(products_a(k, i), sized_of(g->p->bytes * g->p->parts)));
        walk_add(&in_b, extent, sized_mul(products_b(k, i), sized_of(b_unit(g->p))));
    }
    *a = loop_offset(b, g->a, walk_emit(b, &in_a, outer));
    *b_at = b_moved(g, g->b_at, walk_emit(b, &in_b, outer));
}

/* The products FIRST .. FIRST + LENGTH - 1, one block, which are contiguous. */
static void emit_simple_block(multiplier *g, loop_value first, loop_value length)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const int64_t unroll = unroll_of(g), rest = p->k % unroll;
    loop_value a = g->a, b_at = g->b_at;
    if (p->has_dynamic_k) {
        emit_advance(g, &a, &b_at, first);
        emit_run(g, a, b_at, length, -1, -1);
        return;
    }
    if (g->next_row != 0) {
        /* Each block of rows runs this part of the products. */
        const int64_t iterations = p->k / unroll;
        const loop_value part = loop_min(b, g->block, loop_i64(b, unroll - 1));
        const loop_value row =
            int_add(b, int_times(b, part, iterations), int_divided(b, first, unroll));
        g->ahead = loop_offset(b, g->next, int_times(b, row, g->next_row));
    }
    multiplier_begin_fetch(g, first);
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
    emit_iterations(g, &a, &b_at, loop_binary(b, LOOP_ISUB, length, left), unroll_of(g), false);
    loop_if(b, is_last);
    emit_some(g, a, b_at, (uint32_t)rest);
    loop_end(b);
}

/* The products of run number OUTER, at A and B_AT, that are among FIRST .. END - 1. */
static void emit_run_within(multiplier *g, loop_value outer, loop_value first, loop_value end,
                            loop_value a, loop_value b_at)
{
    enum { SHORT = 4 };
    const problem *p = g->p;
    loop_builder *b = g->b;
    const uint32_t last = p->products.n - 1, unroll = unroll_of(g);
    const int64_t run = p->products.extent[last];
    const int64_t row = p->a_m.n ? p->a_m.step[p->a_m.n - 1] : 0;
    const bool is_short =
        run <= SHORT && products_apart(row, p->products.a[last], (int64_t)g->rows) >= run;
    const loop_value all = loop_i64(b, run);
    if (p->k <= CONTRACT_BLOCK || CONTRACT_BLOCK % run == 0) { /* whole runs */
        if (is_short)
            emit_some(g, a, b_at, (uint32_t)run);
        else
            emit_run(g, a, b_at, all, run, -1);
        return;
    }
    const loop_value start = int_times(b, outer, run);
    const loop_value low = int_max(b, loop_binary(b, LOOP_ISUB, first, start), loop_i64(b, 0));
    const loop_value high = loop_min(b, loop_binary(b, LOOP_ISUB, end, start), all);
    const loop_value n = loop_binary(b, LOOP_ISUB, high, low);
    const bool is_even = run % unroll == 0 && CONTRACT_BLOCK % unroll == 0;
    if (is_short) {
        loop_if(b, loop_binary(b, LOOP_IEQ, n, all));
        emit_some(g, a, b_at, (uint32_t)run);
        loop_else(b);
    }
    emit_advance(g, &a, &b_at, low);
    emit_run(g, a, b_at, n, -1, is_even ? 0 : -1);
    if (is_short)
        loop_end(b);
}

/* The runs BEGIN .. PAST - 1, of the products FIRST .. END - 1. Where they are short, those along
 * an axis follow one another, so that places are computed once for all of them. */
static void emit_runs(multiplier *g, loop_value begin, loop_value past, loop_value first,
                      loop_value end)
{
    enum { SHORT = 16 };
    const product_axes *k = &g->p->products;
    loop_builder *b = g->b;
    const uint32_t middle = k->n < 2 ? 0 : k->n - 2;
    const int64_t n = k->extent[middle];
    loop_value a, b_at;
    if (middle == 0 || k->extent[k->n - 1] > SHORT || k->extent_other[middle] != n) {
        const loop_value outer = loop_for(b, begin, past, 1);
        emit_outer(g, outer, k->n - 1, &a, &b_at);
        emit_run_within(g, outer, first, end, a, b_at);
        loop_end(b);
        return;
    }
    const loop_value stop = int_divided(b, int_add(b, past, loop_i64(b, n - 1)), n);
    const loop_value line = loop_for(b, int_divided(b, begin, n), stop, 1);
    const loop_value start = int_times(b, line, n);
    const loop_value low = int_max(b, loop_binary(b, LOOP_ISUB, begin, start), loop_i64(b, 0));
    const loop_value high = loop_min(b, loop_binary(b, LOOP_ISUB, past, start), loop_i64(b, n));
    emit_outer(g, line, middle, &a, &b_at);
    const sized step_a = sized_mul(products_a(k, middle), sized_of(g->p->bytes * g->p->parts));
    const sized step_b = sized_mul(products_b(k, middle), sized_of(b_unit(g->p)));
    const loop_value i = loop_for(b, low, high, 1);
    emit_run_within(g, int_add(b, start, i), first, end,
                    loop_offset(b, a, int_times_sized(b, i, step_a)),
                    b_moved(g, b_at, int_times_sized(b, i, step_b)));
    loop_end(b);
    loop_end(b);
}

/* One block of products. */
static void emit_block_of(multiplier *g, loop_value first, loop_value length)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const int64_t run = p->products.extent[p->products.n - 1];
    const int64_t runs = p->products.n == 1 ? 1 : p->k / run;
    const element zero = element_zero(b, p->form, p->lanes);
    for (uint32_t i = 0; i < n_sums(g); i++)
        element_set(b, g->sums[i], zero);
    if (runs == 1) {
        emit_simple_block(g, first, length);
        return;
    }
    const loop_value end = int_add(b, first, length);
    const loop_value past = int_divided(b, int_add(b, end, loop_i64(b, run - 1)), run);
    emit_runs(g, int_divided(b, first, run), past, first, end);
}

void emit_block(multiplier *g, loop_value first, loop_value length)
{
    emit_block_of(g, first, length);
    take_offset_away(g);
}

void emit_chunk(multiplier *g)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const element zero = element_zero(b, p->form, p->lanes);
    for (uint32_t i = 0; i < n_sums(g); i++)
        element_set(b, g->sums[i], zero);
    if (p->k <= CONTRACT_BLOCK)
        emit_run(g, g->a, g->b_at, g->length, p->k, -1);
    else
        emit_run(g, g->a, g->b_at, g->length, -1, p->k % unroll_of(g) == 0 ? 0 : -1);
    take_offset_away(g);
}
