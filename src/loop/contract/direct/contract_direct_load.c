/* The factors of direct contractions, as they are loaded (contract_direct.c). */
#include "loop/contract/direct/contract_direct_parts.h"

/* P moves by N results of SIDE. */
static void move_along(const direct *d, const direct_side *side, int64_t n, direct_place *p)
{
    if (side->axis == NO_AXIS)
        return;
    p->at += n * d->s->m[side->axis].a;
    if (side->in < d->s->n_windows)
        p->in[side->in] += n * side->by;
}

direct_place direct_place_of(const direct *d, const int64_t *k, int64_t line, int64_t row)
{
    const contract_spec *s = d->s;
    direct_place p = {0, {0}};
    for (uint32_t i = 0; i < s->n_k; i++) {
        int64_t by;
        const uint32_t w = direct_window_of(s, CONTRACT_K, i, &by);
        p.at += k[i] * s->k[i].a;
        if (w < s->n_windows)
            p.in[w] += k[i] * by;
    }
    move_along(d, &d->lines, line, &p);
    move_along(d, &d->rows, row, &p);
    for (uint32_t w = 0; w < s->n_windows; w++)
        p.at += p.in[w] * s->windows[w].step;
    return p;
}

/* Does P lie inside of all windows but that of the vectors? LOOP_NO_VALUE: always. */
static loop_value is_inside(const direct *d, const direct_place *p)
{
    loop_builder *b = d->b;
    loop_value all = LOOP_NO_VALUE;
    for (uint32_t w = 0; w < d->s->n_windows; w++) {
        if (w == d->vector_in || !d->is_bounded[w])
            continue;
        const loop_value at = int_add(b, d->in[w], loop_i64(b, p->in[w]));
        const loop_value here = loop_binary(b, LOOP_IULT, at, loop_i64(b, d->s->windows[w].extent));
        all = all == LOOP_NO_VALUE ? here : loop_binary(b, LOOP_AND, all, here);
    }
    return all;
}

/* Lanes whose coordinate FIRST + lane * 1 lies in the window of the vectors. */
static loop_value lanes_inside(const direct *d, loop_value first)
{
    loop_builder *b = d->b;
    const loop_value at =
        loop_binary(b, LOOP_IADD, loop_splat(b, d->lanes, first), loop_ramp(b, LOOP_I64, d->lanes));
    const loop_value end = loop_i64(b, d->s->windows[d->vector_in].extent);
    return loop_binary(b, LOOP_IULT, at, loop_splat(b, d->lanes, end));
}

/* Every second of the elements of X and Y, from element FIRST on. */
static element every_second(const direct *d, element x, element y, uint32_t first)
{
    uint8_t table[LOOP_MAX_LANES];
    for (uint32_t i = 0; i < d->lanes; i++)
        table[i] = (uint8_t)(2 * i + first);
    return element_shuffle(d->b, x, y, table, d->lanes);
}

/* N vectors of A from P on, along the axis of M. Which lanes exist is the same for all rows; rows
 * outside are read among zeros. */
static void load_vectors(const direct *d, const direct_place *p, uint32_t n, element *x)
{
    loop_builder *b = d->b;
    const int64_t bytes = (int64_t)dtype_bytes(d->s->a);
    const loop_value inside = d->is_guarded ? is_inside(d, p) : (loop_value)LOOP_NO_VALUE;
    loop_value at = loop_at(b, d->from, p->at * bytes);
    if (inside != LOOP_NO_VALUE)
        at = loop_select(b, inside, at, d->zeros);
    for (uint32_t i = 0; i < n; i++) {
        const int64_t more = (int64_t)i * d->lanes;
        const loop_value here = loop_at(b, at, more * bytes);
        if (!d->is_guarded) {
            x[i] = element_load(b, d->s->a, here, d->lanes, (uint32_t)bytes);
            continue;
        }
        const loop_value first =
            int_add(b, d->in[d->vector_in], loop_i64(b, p->in[d->vector_in] + more));
        x[i] = element_load_where(b, d->s->a, here, lanes_inside(d, first));
    }
}

static bool is_same(const direct *d, const direct_place *p, const direct_place *q)
{
    bool same = p->at == q->at;
    for (uint32_t w = 0; w < d->s->n_windows; w++)
        same = same && p->in[w] == q->in[w];
    return same;
}

/* The vector of A at P, along the axis of M. In steps of two, that of an even place and that of the
 * next one are parts of the same two vectors. */
static element load_along(direct *d, const direct_place *p)
{
    element x;
    if (d->vector_by == 1) {
        load_vectors(d, p, 1, &x);
        return x;
    }
    const uint32_t odd = (uint32_t)p->in[d->vector_in] & 1;
    direct_place even = *p;
    even.at -= odd;
    even.in[d->vector_in] -= odd;
    if (!d->has_pair || !is_same(d, &even, &d->pair_at))
        load_vectors(d, &even, 2, d->pair);
    d->has_pair = true;
    d->pair_at = even;
    return every_second(d, d->pair[0], d->pair[1], odd);
}

/* Element offsets of the lanes, STEP apart, in bytes, and the lanes that exist. */
static loop_value lane_offsets(const direct *d, int64_t step)
{
    loop_builder *b = d->b;
    return loop_binary(b, LOOP_IMUL, loop_ramp(b, LOOP_I64, d->lanes),
                       loop_splat(b, d->lanes, loop_i64(b, step)));
}

/* COUNT (LOOP_NO_VALUE: all) elements STEP apart from AT on. */
static element load_columns(const direct *d, tn_dtype dtype, loop_value at, int64_t step,
                            loop_value count)
{
    loop_builder *b = d->b;
    const int64_t bytes = (int64_t)dtype_bytes(dtype);
    const uint32_t align = (uint32_t)bytes;
    if (step == 1)
        return count == LOOP_NO_VALUE ? element_load(b, dtype, at, d->lanes, align)
                                      : element_load_first(b, dtype, at, d->lanes, count, align);
    return element_gather(
        b, dtype, at, lane_offsets(d, step * bytes),
        element_first(b, d->lanes, count == LOOP_NO_VALUE ? loop_i64(b, d->lanes) : count));
}

/* The vector of A at P, along the axis of N. */
static element load_across(const direct *d, const direct_place *p, loop_value count)
{
    loop_builder *b = d->b;
    loop_value at = loop_at(b, d->from, p->at * (int64_t)dtype_bytes(d->s->a));
    if (d->is_guarded) {
        const loop_value inside = is_inside(d, p);
        if (inside != LOOP_NO_VALUE)
            at = loop_select(b, inside, at, d->zeros);
    }
    return load_columns(d, d->s->a, at, d->vector_by, count);
}

element direct_load_a(direct *d, const direct_place *p, loop_value count)
{
    const element x = d->by_columns ? load_across(d, p, count) : load_along(d, p);
    return element_cast(d->b, x, d->form);
}

/* ---- the factors of B ---- */

bool direct_next_position(int64_t *at, const contract_axis *axes, uint32_t low, uint32_t high)
{
    for (uint32_t i = high; i-- > low;) {
        if (++at[i] < axes[i].extent)
            return true;
        at[i] = 0;
    }
    return false;
}

element direct_load_factor(const direct *d, loop_value from, const int64_t *k, const int64_t *n,
                           loop_value count)
{
    const contract_spec *s = d->s;
    loop_builder *b = d->b;
    const int64_t bytes = (int64_t)dtype_bytes(s->b);
    int64_t at = 0;
    for (uint32_t i = 0; i < s->n_n && !d->by_columns; i++)
        at += n[i] * s->n[i].b;
    for (uint32_t i = 0; i < s->n_k; i++)
        at += k[i] * s->k[i].b;
    const loop_value p = loop_at(b, from, at * bytes);
    const element x = d->by_columns ? load_columns(d, s->b, p, s->n[d->vector].b, count)
                                    : element_load(b, s->b, p, 1, (uint32_t)bytes);
    return element_splat(b, d->lanes, element_cast(b, x, d->form));
}

void direct_load_factors(direct *d, loop_value from, loop_value count)
{
    const contract_spec *s = d->s;
    const int64_t products = axes_positions(s->k, s->n_k);
    int64_t n[CONTRACT_MAX_AXES] = {0};
    memset(d->is_loaded, true, sizeof d->is_loaded);
    for (int64_t column = 0; column < d->columns; column++) {
        int64_t k[CONTRACT_MAX_AXES] = {0};
        for (int64_t number = 0; number < products; number++) {
            d->factor[column * products + number] = direct_load_factor(d, from, k, n, count);
            (void)direct_next_position(k, s->k, 0, s->n_k);
        }
        (void)direct_next_position(n, s->n, 0, s->n_n);
    }
}
