/* Channels of images beside each other, where memory has positions beside each other: what blocks
 * of rows multiply then lies in few lines, one after the other, and not in another line, and page,
 * for each product. */
#include "loop/contract/pack/packing.h"

enum {
    LEAST_CHANNELS = 3,
    LEAST_COLUMNS = 32 /* uses of what is copied */
};

/* Does an axis have neighbours side by side in A, in either direction? */
static bool has_neighbours(const contract_axis *axes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (axes[i].extent > 1 && (axes[i].a == 1 || axes[i].a == -1))
            return true;
    return false;
}

bool contract_may_join_channels(const problem *p)
{
    const contract_spec *s = &p->spec;
    if (s->n_windows == 0 || s->n_k == 0 || p->parts != 1 || p->a.load || p->a.pair != 0)
        return false;
    const contract_axis *channels = &s->k[s->n_k - 1];
    uint32_t side_by_side = 0; /* windows whose positions are */
    for (uint32_t i = 0; i < s->n_windows; i++) {
        const contract_window *w = &s->windows[i];
        for (uint32_t k = 0; k < w->n; k++)
            if (w->walkers[k].list == CONTRACT_K && w->walkers[k].axis == s->n_k - 1)
                return false;
        side_by_side += w->step == 1 && w->step_other == 1;
    }
    return side_by_side == 1 && !has_neighbours(s->batch, s->n_batch) &&
           !has_neighbours(s->m, s->n_m) && !has_neighbours(s->k, s->n_k) && channels->a > 1 &&
           channels->extent >= LEAST_CHANNELS && !axis_is_dynamic(channels);
}

bool contract_wants_channels(const problem *p, const machine *m)
{
    return m->registers <= 16 && p->n >= LEAST_COLUMNS && !p->has_dynamic_n &&
           contract_may_join_channels(p);
}

/* The channels of so many positions as a vector has lanes, and as many of them. */
static void copy_square(loop_builder *b, const problem *p, const packing_positions *x,
                        loop_value from, loop_value to)
{
    loop_value rows[LOOP_MAX_LANES] = {0}, columns[LOOP_MAX_LANES];
    for (uint32_t i = 0; i < p->lanes; i++)
        rows[i] = int_behind(b, from, sized_mul(x->step, sized_of(i * p->bytes)));
    load_transposed(b, rows, p->elem, p->lanes, columns);
    for (uint32_t i = 0; i < p->lanes; i++)
        loop_store(b, loop_at(b, to, i * x->channels * p->bytes), columns[i], (uint32_t)p->bytes);
}

void packing_copy_channels(loop_builder *b, const problem *p, const packing_positions *x,
                           loop_value from, loop_value to)
{
    const bool has_squares = x->channels % p->lanes == 0 && p->lanes > 1 && p->a.dtype == p->form;
    const uint32_t side = has_squares ? p->lanes : 1;
    const sized whole = sized_mul(sized_div(x->width, sized_of(side)), sized_of(side));
    const sized squares = sized_is_fixed(x->width) ? whole : sized_apart(whole);
    if (has_squares) {
        const loop_value k = loop_for(b, loop_i64(b, 0), loop_sized(b, squares), side);
        const loop_value c = loop_for(b, loop_i64(b, 0), loop_i64(b, x->channels), side);
        const loop_value at = int_add(b, int_add(b, from, int_times_sized(b, c, x->step)), k);
        const loop_value here = int_add(b, int_times(b, k, x->channels), c);
        copy_square(b, p, x, loop_offset(b, p->a.base, int_times(b, at, p->bytes)),
                    loop_offset(b, to, int_times(b, here, p->bytes)));
        loop_end(b);
        loop_end(b);
    }
    const loop_value k = loop_for(b, has_squares ? loop_sized(b, squares) : loop_i64(b, 0),
                                  loop_sized(b, x->width), 1);
    const loop_value c = loop_for(b, loop_i64(b, 0), loop_i64(b, x->channels), 1);
    const loop_value at = int_add(b, int_add(b, from, int_times_sized(b, c, x->step)), k);
    const loop_value here = int_add(b, int_times(b, k, x->channels), c);
    element_store(b, loop_offset(b, to, int_times(b, here, p->bytes)),
                  factors_load(b, p, &p->a, at, 1, LOOP_NO_VALUE), (uint32_t)p->bytes);
    loop_end(b);
    loop_end(b);
}
