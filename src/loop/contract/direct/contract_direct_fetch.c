/* Fetching what the next block reads and writes, where the lines of a block are more streams than
 * the hardware follows, or the places of one are far apart: with 8 x 56 x 56 images of 144 channels
 * it reads 6 lines and writes 4. Only of images so large that they come from memory or the last
 * cache. Lines that the blocks above have read are near. */
#include "loop/contract/direct/contract_direct_parts.h"

enum {
    WIDE = 256, /* bytes of the channels */
    MANY = 8    /* lines that a block reads or writes */
};

void direct_choose_fetches(direct *d)
{
    const contract_spec *s = d->s;
    if (!d->streams || d->lines.slides == NO_AXIS || s->a_in_scratch || s->c_in_scratch)
        return;
    const double columns = (double)axes_positions(s->n, s->n_n);
    const double results = (double)axes_positions(s->batch, s->n_batch) *
                           (double)axes_positions(s->m, s->n_m) * columns;
    const double a = (double)dtype_bytes(s->a), c = (double)dtype_bytes(s->c);
    const double steps = (double)(d->rows.by * d->lines.by);
    const bool has_many = direct_places(d, &d->lines, d->lines.extent) + d->lines.extent > MANY;
    d->fetches_a = (has_many || columns * a >= WIDE) && results * steps * a >= CONTRACT_LARGE;
    d->fetches_c = (has_many || columns * c >= WIDE) && results * c >= CONTRACT_LARGE;
}

void direct_fetch_a(const direct *d, int64_t rows)
{
    const contract_spec *s = d->s;
    const int64_t bytes = (int64_t)dtype_bytes(s->a), line = s->windows[d->lines.in].step,
                  row = s->windows[d->rows.in].step;
    const int64_t reach = direct_places(d, &d->rows, rows),
                  lines = direct_places(d, &d->lines, d->lines.extent);
    for (int64_t y = lines - d->lines.extent * d->lines.by; y < lines; y++)
        for (int64_t x = reach; x < reach + rows * d->rows.by; x++)
            loop_prefetch_far(d->b, loop_at(d->b, d->from, (y * line + x * row) * bytes));
}
