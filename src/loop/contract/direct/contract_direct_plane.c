/* The part of A that an item reads, copied with its border into scratch memory, so that no block
 * has to ask where A ends. The border is written once for all items of a call.
 *
 * Only where vectors go along a row of the image, whose ends fall into many of them while rows are
 * short, and where that part stays in the first-level cache. With mask registers, asking costs less
 * than a copy where a row is one vector, unless the windows are large. */
#include "loop/contract/direct/contract_direct_parts.h"

/* How many places window W is walked over by one item. */
static int64_t reach_of(const contract_spec *s, const contract_window *w)
{
    int64_t reach = 1;
    for (uint32_t i = 0; i < w->n; i++) {
        const contract_axis *axes = w->walkers[i].list == CONTRACT_M ? s->m : s->k;
        reach += (axes[w->walkers[i].axis].extent - 1) * w->walkers[i].by;
    }
    return reach;
}

/* Those places of window W that are in A: from *LOW up to *HIGH. */
static void inside_of(const contract_spec *s, const contract_window *w, int64_t *low, int64_t *high)
{
    const int64_t reach = reach_of(s, w), end = w->low + w->extent;
    *low = w->low > 0 ? w->low : 0;
    *high = end < reach ? end : reach;
}

/* Is window W walked by axes alone that an item has all of, and that have no other step in A? */
static bool is_within_item(const direct *d, const contract_window *w)
{
    bool is_within = true;
    for (uint32_t i = 0; i < w->n; i++) {
        const uint32_t axis = w->walkers[i].axis;
        is_within = is_within && w->walkers[i].by >= 0 &&
                    (w->walkers[i].list == CONTRACT_K
                         ? d->s->k[axis].a == 0
                         : w->walkers[i].list == CONTRACT_M && d->s->m[axis].a == 0 &&
                               (axis == d->rows.axis || axis == d->vector));
    }
    return is_within;
}

/* Where masks can be had: what is asked for each vector that is loaded costs more than copying it.
 */
static bool is_worth_copying(const direct *d)
{
    enum { MANY_PRODUCTS = 49 };
    return d->s->m[d->vector].extent > (int64_t)d->lanes ||
           axes_positions(d->s->k, d->s->n_k) >= MANY_PRODUCTS;
}

bool direct_choose_plane(direct *d, const machine *on)
{
    enum { MOST_VECTORS = 16 }; /* of a row */
    contract_spec *in = &d->plane;
    bool has_border = false, may_copy = !d->by_columns && d->vector_in < d->s->n_windows &&
                                        d->s->m[d->vector].extent <= MOST_VECTORS * d->lanes &&
                                        (on->level < LEVEL_AVX512 || is_worth_copying(d));
    *in = *d->s;
    for (uint32_t w = 0; w < in->n_windows && may_copy; w++) {
        int64_t low, high;
        inside_of(in, &in->windows[w], &low, &high);
        has_border = has_border || d->is_bounded[w];
        may_copy = is_within_item(d, &in->windows[w]) && low < high;
    }
    if (!has_border || !may_copy ||
        (d->rows.axis != NO_AXIS && d->rows.in == in->n_windows && in->m[d->rows.axis].a != 0))
        return false;
    for (uint32_t i = 0; i < in->n_batch; i++)
        in->batch[i].a = 0;
    for (uint32_t i = 0; i < in->n_m; i++)
        in->m[i].a = 0;
    in->a_first = 0;
    in->a = d->form;
    int64_t size = reach_of(in, &in->windows[d->vector_in]);
    for (uint32_t w = 0; w < in->n_windows; w++)
        if (w != d->vector_in) {
            in->windows[w].step = size;
            size *= reach_of(in, &in->windows[w]);
        }
    for (uint32_t i = 0; i < in->n_k; i++) {
        int64_t by;
        if (direct_window_of(in, CONTRACT_K, i, &by) == in->n_windows && in->k[i].extent > 1) {
            in->k[i].a = size;
            size *= in->k[i].extent;
        }
    }
    for (uint32_t w = 0; w < in->n_windows; w++)
        in->windows[w].low = 0;
    d->plane_size = size + (int64_t)d->lanes * d->vector_by; /* vectors reach beyond the last row */
    return d->plane_size * (int64_t)dtype_bytes(d->form) <= (int64_t)on->l1 / 2;
}

void direct_open_plane(direct *d)
{
    loop_builder *b = d->b;
    const int64_t bytes = (int64_t)dtype_bytes(d->form);
    const int64_t size = (d->plane_size + d->lanes - 1) / d->lanes * d->lanes;
    d->plane_at = loop_scratch(b, (uint64_t)(size * bytes));
    const loop_value i = loop_for(b, loop_i64(b, 0), loop_i64(b, size), d->lanes);
    element_store(b, loop_offset(b, d->plane_at, int_times(b, i, bytes)),
                  element_zero(b, d->form, d->lanes), (uint32_t)bytes);
    loop_end(b);
}

/* COUNT elements from FROM to TO, which are numbers of elements; the last vector overlaps the one
 * before. */
static void copy_row(const direct *d, loop_value from, loop_value to, int64_t count)
{
    loop_builder *b = d->b;
    const int64_t a_bytes = (int64_t)dtype_bytes(d->s->a), bytes = (int64_t)dtype_bytes(d->form);
    const loop_value at = loop_offset(b, d->a, int_times(b, from, a_bytes));
    const loop_value into = loop_offset(b, d->plane_at, int_times(b, to, bytes));
    if (count < d->lanes) {
        const loop_value some = loop_i64(b, count);
        const element x = element_load_first(b, d->s->a, at, d->lanes, some, (uint32_t)a_bytes);
        element_store_first(b, into, element_cast(b, x, d->form), some, (uint32_t)bytes);
        return;
    }
    for (int64_t i = 0; i < count; i += d->lanes) {
        const int64_t first = i + d->lanes <= count ? i : count - d->lanes;
        const element x =
            element_load(b, d->s->a, loop_at(b, at, first * a_bytes), d->lanes, (uint32_t)a_bytes);
        element_store(b, loop_at(b, into, first * bytes), element_cast(b, x, d->form),
                      (uint32_t)bytes);
    }
}

void direct_copy_plane(direct *d, loop_value from)
{
    loop_builder *b = d->b;
    const contract_spec *s = d->s, *in = &d->plane;
    loop_value to = loop_i64(b, 0);
    uint32_t loops = 0;
    int64_t low, high;
    for (uint32_t i = 0; i < s->n_k; i++) {
        int64_t by;
        if (direct_window_of(s, CONTRACT_K, i, &by) < s->n_windows || s->k[i].extent == 1)
            continue;
        const loop_value k = loop_for(b, loop_i64(b, 0), loop_i64(b, s->k[i].extent), 1);
        from = int_add(b, from, int_times(b, k, s->k[i].a));
        to = int_add(b, to, int_times(b, k, in->k[i].a));
        loops++;
    }
    for (uint32_t w = 0; w < s->n_windows; w++) {
        inside_of(s, &s->windows[w], &low, &high);
        from = int_add(b, from, loop_i64(b, -s->windows[w].low * s->windows[w].step));
        if (w == d->vector_in)
            continue;
        const loop_value at = loop_for(b, loop_i64(b, low), loop_i64(b, high), 1);
        from = int_add(b, from, int_times(b, at, s->windows[w].step));
        to = int_add(b, to, int_times(b, at, in->windows[w].step));
        loops++;
    }
    inside_of(s, &s->windows[d->vector_in], &low, &high);
    copy_row(d, int_add(b, from, loop_i64(b, low)), int_add(b, to, loop_i64(b, low)), high - low);
    while (loops-- > 0)
        loop_end(b);
}
