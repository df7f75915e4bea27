/* Which contractions are computed directly, and in which blocks (contract_direct.c). */
#include <assert.h>

#include "loop/contract/direct/contract_direct_parts.h"

enum { FEW_BATCHES = 8 /* fewer are better multiplied as matrices */ };

uint32_t direct_window_of(const contract_spec *s, contract_list list, uint32_t axis, int64_t *by)
{
    for (uint32_t w = 0; w < s->n_windows; w++)
        for (uint32_t i = 0; i < s->windows[w].n; i++)
            if (s->windows[w].walkers[i].list == list && s->windows[w].walkers[i].axis == axis) {
                *by = s->windows[w].walkers[i].by;
                return w;
            }
    *by = 0;
    return s->n_windows;
}

/* ---- the form ---- */

static bool find_vector(direct *d)
{
    const contract_spec *s = d->s;
    d->by_columns = s->n_n > 0 && s->n[s->n_n - 1].a != 0;
    d->vector = s->n_n - 1;
    d->vector_in = s->n_windows;
    d->vector_by = d->by_columns ? s->n[d->vector].a : 0;
    if (d->by_columns)
        return true;
    for (d->vector = 0; d->vector < s->n_m; d->vector++)
        if (s->m[d->vector].c == 1 && s->m[d->vector].extent > 1)
            break;
    if (d->vector == s->n_m)
        return false;
    d->vector_in = direct_window_of(s, CONTRACT_M, d->vector, &d->vector_by);
    if (d->vector_in == s->n_windows)
        d->vector_by = s->m[d->vector].a;
    else if (s->windows[d->vector_in].step != 1 || s->m[d->vector].a != 0)
        return false;
    return d->vector_by == 1 || (d->vector_by == 2 && d->vector_in < s->n_windows);
}

/* The innermost other axis of M that slides along a window, or else the innermost. */
static void find_rows(direct *d)
{
    const contract_spec *s = d->s;
    direct_side *rows = &d->rows;
    for (uint32_t i = 0; i < s->n_m; i++)
        if ((d->by_columns || i != d->vector) && s->m[i].extent > 1)
            rows->axis = i;
    if (rows->axis == NO_AXIS)
        return;
    rows->in = direct_window_of(s, CONTRACT_M, rows->axis, &rows->by);
    for (uint32_t k = 0; k < s->n_k && rows->in < s->n_windows; k++) {
        int64_t by;
        if (s->k[k].extent > 1 && direct_window_of(s, CONTRACT_K, k, &by) == rows->in) {
            rows->slides = k;
            rows->slide_by = by;
        }
    }
}

/* The next axis outside of the rows, if it slides along a window of its own with an axis of K
 * outside of theirs, so that the places that a block reads meet the products of each result in
 * order. */
static void find_lines(direct *d)
{
    const contract_spec *s = d->s;
    direct_side *lines = &d->lines;
    if (!d->by_columns || d->rows.slides == NO_AXIS || d->rows.axis == 0)
        return;
    int64_t by, slide_by;
    const uint32_t axis = d->rows.axis - 1, w = direct_window_of(s, CONTRACT_M, axis, &by);
    if (w == s->n_windows || w == d->rows.in)
        return;
    for (uint32_t k = 0; k < d->rows.slides; k++)
        if (s->k[k].extent > 1 && direct_window_of(s, CONTRACT_K, k, &slide_by) == w)
            *lines = (direct_side){axis, 1, k, w, by, slide_by};
}

int64_t direct_places(const direct *d, const direct_side *side, int64_t n)
{
    if (side->slides == NO_AXIS)
        return n;
    return (n - 1) * side->by + (d->s->k[side->slides].extent - 1) * side->slide_by + 1;
}

/* About as many results as leave room for the factors, evenly: in the block that loads least for
 * each. */
static void choose_block(direct *d, const machine *on)
{
    enum { MOST_LINES = 4 };
    const contract_spec *s = d->s;
    const int64_t vectors =
        ((int64_t)d->lanes * (int64_t)loop_elem_bytes(element_compute(d->form)) - 1) /
            on->vector_bytes +
        1;
    const int64_t products = axes_positions(s->k, s->n_k);
    int64_t most = (on->registers > 16 ? 16 : 8) / (vectors * d->columns), least = 0;
    if (d->rows.axis == NO_AXIS)
        return;
    most = most < 1 ? 1 : most;
    while (most > 1 && most * d->columns * products > DIRECT_BODY)
        most--;
    const int64_t extent = s->m[d->rows.axis].extent;
    for (int64_t lines = 1; lines <= (most < MOST_LINES ? most : MOST_LINES); lines++) {
        if (lines > 1 && (d->lines.axis == NO_AXIS || s->m[d->lines.axis].extent % lines != 0))
            continue;
        const int64_t blocks = (extent + most / lines - 1) / (most / lines);
        const int64_t rows = (extent + blocks - 1) / blocks, results = lines * rows;
        const int64_t loads = direct_places(d, &d->lines, lines) * direct_places(d, &d->rows, rows);
        if (lines > 1 && loads * d->rows.extent * d->lines.extent >= least * results)
            continue;
        d->rows.extent = rows;
        d->lines.extent = lines;
        least = loads;
    }
}

bool direct_init(direct *d, const contract_spec *s, const machine *on)
{
    *d = (direct){.s = s,
                  .form = dtype_compute(s->sum),
                  .columns = 1,
                  .stores_parts_slowly = on->level < LEVEL_AVX512};
    if (!find_vector(d))
        return false;
    d->rows = d->lines = (direct_side){NO_AXIS, 1, NO_AXIS, s->n_windows, 0, 0};
    find_rows(d);
    find_lines(d);
    const int64_t bytes = (int64_t)loop_elem_bytes(element_compute(d->form));
    const int64_t extent = d->by_columns ? s->n[d->vector].extent : s->m[d->vector].extent;
    int64_t lanes = on->vector_bytes / bytes;
    if (d->by_columns && on->registers <= 16)
        lanes *= 2;
    lanes = lanes > LOOP_MAX_LANES / 2 ? LOOP_MAX_LANES / 2 : lanes < 1 ? 1 : lanes;
    while (lanes > 1 && (lanes / 2 >= extent ||
                         (lanes * bytes > 16 && d->by_columns && extent % lanes != 0 && lanes > 4)))
        lanes /= 2;
    d->lanes = (uint32_t)lanes;
    if (!d->by_columns)
        d->columns = axes_positions(s->n, s->n_n);
    contract_spec own = *s;
    for (uint32_t w = 0; w < s->n_windows; w++)
        d->is_bounded[w] = window_has_border(&own, &own.windows[w]);
    choose_block(d, on);
    return true;
}

bool contract_is_direct(const contract_spec *s, const machine *on)
{
    direct d;
    const int64_t products = axes_positions(s->k, s->n_k), columns = axes_positions(s->n, s->n_n);
    if (s->n_n > 0 && s->n[s->n_n - 1].a != 0) {
        /* planning looks through no movement of these, and computes nothing for them */
        assert(s->a_border == 0 && !s->load_a && !s->load_b);
        return true;
    }
    if (s->load_a || s->load_b || s->a_border != 0 || s->a_in_scratch || s->c_in_scratch ||
        products < 2 || products > DIRECT_PRODUCTS || columns > DIRECT_COLUMNS ||
        s->n_windows == 0 || dtype_is_complex(s->sum) ||
        axes_positions(s->batch, s->n_batch) < FEW_BATCHES)
        return false;
    return direct_init(&d, s, on) && d.vector_in < s->n_windows && d.lanes > 1;
}
