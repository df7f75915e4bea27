/* Elements added or put at positions that are data (docs/numerics.md, section 7). Updates come one
 * after the other; columns that never meet are distributed over threads. */
#include "loop/nest/loops/loops_scatter.h"

#include "ops/attr_rules.h"
#include "ops/scatter.h"

enum { FEW_LANES = 4 };

/* Vectors for lines of WIDTH elements. Partial vectors are stored slowly, so narrower whole ones
 * are better. */
static void scatter_choose_lanes(scatter *s, int64_t width)
{
    s->lanes = dtype_bytes(s->sum) > 4 ? 8 : 16;
    while (s->lanes > 1 && s->lanes / 2 >= width)
        s->lanes /= 2;
    s->is_whole = false;
    for (uint32_t n = s->lanes; n >= FEW_LANES && !s->is_whole; n /= 2)
        if (width % n == 0) {
            s->lanes = n;
            s->is_whole = true;
        }
}

void scatter_open(scatter *s, loops *l, tn_dtype sum, int64_t columns)
{
    const type *t = loops_result(l, 0);
    s->l = l;
    s->dtype = t->dtype;
    s->sum = sum;
    scatter_choose_lanes(s, columns);
    s->to = loops_out(l, 0);
    if (sum == t->dtype)
        return;
    s->to = loops_temp(l, 0);
    l->out->n_temps = 1;
    l->out->temps[0] = (uint64_t)t->count * dtype_bytes(sum);
}

loop_value scatter_columns(const scatter *s, loop_value low, loop_value high, loop_value *count)
{
    loops *l = s->l;
    const loop_value c = loop_for(&l->b, low, high, s->lanes);
    *count = LOOP_NO_VALUE;
    if (s->lanes > 1 && !s->is_whole)
        *count = loop_min(&l->b, loop_binary(&l->b, LOOP_ISUB, high, c), loop_i64(&l->b, s->lanes));
    return c;
}

element scatter_read(const scatter *s, uint32_t number, loop_value index, loop_value count)
{
    return element_cast(&s->l->b, loops_read(s->l, number, index, s->lanes, count), s->sum);
}

void scatter_join(const scatter *s, loop_value at, element x, loop_value count)
{
    const uint32_t lanes = element_lanes(&s->l->b, x);
    if (!s->replaces)
        x = element_combine(&s->l->b, s->kind, loops_load(s->l, s->sum, s->to, at, lanes, count),
                            x);
    loops_store(s->l, s->to, at, x, count);
}

/* Columns LOW .. HIGH of LINES lines of WIDTH elements, from element FIRST on, that become X, the
 * elements of the first operand (X is NULL), or, from sums, the result (FINISHES). */
typedef struct fill {
    loop_value first, lines, low, high;
    int64_t width;
    bool is_one; /* all columns of one line, whatever the sizes */
    const element *x;
    bool finishes;
} fill;

static fill fill_of(loops *l, loop_value first, loop_value rows, int64_t width, loop_value low,
                    loop_value high)
{
    loop_builder *b = &l->b;
    int64_t n;
    if (scatter_tiles(width) > 1 || !loop_is_i64(b, rows, &n))
        return (fill){.first = first, .lines = rows, .low = low, .high = high, .width = width};
    return (fill){.first = first,
                  .lines = loop_i64(b, 1),
                  .low = loop_i64(b, 0),
                  .high = loop_i64(b, n * width),
                  .width = n * width,
                  .is_one = true};
}

static void fill_vector(const scatter *s, const fill *w, loop_value at, loop_value count)
{
    loops *l = s->l;
    if (w->finishes)
        loops_store(
            l, loops_out(l, 0), at,
            element_cast(&l->b, loops_load(l, s->sum, s->to, at, s->lanes, count), s->dtype),
            count);
    else
        loops_store(l, s->to, at,
                    w->x ? element_splat(&l->b, s->lanes, *w->x) : scatter_read(s, 0, at, count),
                    count);
}

static void fill_lines(const scatter *sums, const fill *w)
{
    scatter all = *sums, *s = &all;
    loops *l = s->l;
    loop_value count;
    scatter_choose_lanes(s, w->width);
    const loop_value line = loop_for(&l->b, loop_i64(&l->b, 0), w->lines, 1);
    const loop_value start = loops_add(l, w->first, loops_times(l, line, w->width));
    if (w->is_one && !s->is_whole && s->lanes > 1) { /* only the last vector is partial */
        const int64_t whole = w->width - w->width % s->lanes;
        const loop_value c = loop_for(&l->b, w->low, loop_i64(&l->b, whole), s->lanes);
        fill_vector(s, w, loops_add(l, start, c), LOOP_NO_VALUE);
        loop_end(&l->b);
        fill_vector(s, w, loops_add(l, start, loop_i64(&l->b, whole)),
                    loop_i64(&l->b, w->width - whole));
    } else {
        const loop_value c = scatter_columns(s, w->low, w->high, &count);
        fill_vector(s, w, loops_add(l, start, c), count);
        loop_end(&l->b);
    }
    loop_end(&l->b);
}

void scatter_fill(const scatter *s, loop_value first, loop_value rows, int64_t width,
                  loop_value low, loop_value high, const element *x)
{
    fill w = fill_of(s->l, first, rows, width, low, high);
    w.x = x;
    fill_lines(s, &w);
}

void scatter_finish(const scatter *s, loop_value first, loop_value rows, int64_t width,
                    loop_value low, loop_value high)
{
    fill w = fill_of(s->l, first, rows, width, low, high);
    w.finishes = true;
    if (s->sum != s->dtype)
        fill_lines(s, &w);
}

void scatter_open_checked(loops *l, loop_value position, int64_t extent)
{
    loop_builder *b = &l->b;
    const loop_value ok = loop_binary(b, LOOP_IULT, position, loop_i64(b, extent));
    loop_fail(b, loop_unary(b, LOOP_NOT, ok), 1);
    loop_if(b, ok);
}

int64_t scatter_tiles(int64_t width)
{
    return (width + SCATTER_TILE - 1) / SCATTER_TILE;
}

void scatter_open_tile(loops *l, loop_value tile, int64_t width, loop_value *low, loop_value *high)
{
    loop_builder *b = &l->b;
    *low = scatter_tiles(width) == 1 ? loop_i64(b, 0) : loops_times(l, tile, SCATTER_TILE);
    *high = loop_i64(b, width);
    if (scatter_tiles(width) > 1)
        *high = loop_min(b, loops_add(l, *low, loop_i64(b, SCATTER_TILE)), *high);
}

/* ---- rows ---- */

bool loops_of_scatter_rows(loops *l)
{
    loop_builder *b = &l->b;
    const type *t = loops_result(l, 0);
    const int64_t rows = t->dims[0], width = t->count / rows, n = loops_type(l, 1)->count;
    const sized updates = kernel_elements_from(l->f, l->n->in[1], 0);
    scatter s = {.kind = FOLD_SUM};
    loop_value low, high, count;
    scatter_open(&s, l, accumulator_of(t->dtype), width);
    const loop_value none = loop_i64(b, 0);
    scatter_open_tile(l, loops_items(l), width, &low, &high);
    const element zero = element_zero(b, s.sum, 1);
    scatter_fill(&s, none, loop_i64(b, rows), width, low, high, &zero);
    const loop_value r = loop_for(b, none, loop_sized(b, updates), 1);
    const loop_value position = loops_position(l, 1, r);
    scatter_open_checked(l, position, rows);
    const loop_value c = scatter_columns(&s, low, high, &count);
    const element x = scatter_read(&s, 0, loops_add(l, loops_times(l, r, width), c), count);
    scatter_join(&s, loops_add(l, loops_times(l, position, width), c), x, count);
    loop_end(b);
    loop_end(b);
    loop_end(b);
    scatter_finish(&s, none, loop_i64(b, rows), width, low, high);
    loop_end(b);
    return loops_step(l, scatter_tiles(width),
                      (uint64_t)((rows + n) * scatter_smallest(width, SCATTER_TILE)),
                      "row after row, columns over the threads");
}

/* ---- along an axis ---- */

/* Where the positions of rows lie, if all of a row goes to one place; else LOOP_NO_VALUE. */
static loop_value row_positions(const loops *l)
{
    const value_id v = kernel_row_positions(l->f, l->n);
    for (uint32_t i = 0; i < l->k->n_in && v != NO_VALUE; i++)
        if (l->k->in[i] == v)
            return l->in[i];
    return LOOP_NO_VALUE;
}

/* How many parts of the rows of lines INTO are items of their own: each stays in a cache, and looks
 * at all positions. */
static int64_t parts_of_rows(const loops_lines *into, tn_dtype d)
{
    enum { PART = 1 << 20, MOST = 16, LEAST_ROW = 64 /* bytes */ };
    const int64_t row = into->inner * (int64_t)dtype_bytes(d), parts = into->n * row / PART;
    return row < LEAST_ROW || parts < 1 ? 1 : parts > MOST ? MOST : parts;
}

/* The updates of whole rows, from what is at POSITIONS. */
static bool scatter_whole_rows(loops *l, scatter *s, loop_value positions, const loops_lines *into,
                               const loops_lines *from)
{
    loop_builder *b = &l->b;
    const tn_dtype dtype = loops_type(l, 0)->dtype;
    const int64_t parts = parts_of_rows(into, dtype), each = (into->n + parts - 1) / parts;
    const int64_t tiles = scatter_tiles(into->inner);
    loop_value number, outer, part, tile, low, high, count;
    scatter_open(s, l, s->replaces ? dtype : accumulator_of(dtype), into->inner);
    loops_split(l, loops_items(l), tiles, &number, &tile);
    loops_split(l, number, parts, &outer, &part);
    scatter_open_tile(l, tile, into->inner, &low, &high);
    const loop_value first = loops_times_sized(l, outer, into->all);
    const loop_value begin = loops_times(l, part, each), all = loop_i64(b, into->n);
    const loop_value rows =
        parts == 1 ? all : loop_min(b, loop_i64(b, each), loop_binary(b, LOOP_ISUB, all, begin));
    const loop_value first_row = loops_add(l, first, loops_times(l, begin, into->inner));
    scatter_fill(s, first_row, rows, into->inner, low, high, NULL);
    const loop_value k = loop_for(b, loop_i64(b, 0), loop_sized(b, from->length), 1);
    const loop_value row = loops_add(l, loops_times_sized(l, outer, from->length), k);
    const tn_dtype kind = loops_type(l, 1)->dtype;
    const element at = loops_load(l, kind, positions, row, 1, LOOP_NO_VALUE);
    const loop_value position = element_cast(b, at, TN_SI64).re;
    scatter_open_checked(l, position, into->n);
    const loop_value own = loop_binary(b, LOOP_ISUB, position, begin);
    if (parts > 1)
        loop_if(b, loop_binary(b, LOOP_IULT, own, rows));
    const loop_value start = loops_times_sized(l, row, from->width);
    const loop_value c = scatter_columns(s, low, high, &count);
    const element update = scatter_read(s, 2, loops_add(l, start, c), count);
    scatter_join(s, loops_add(l, first_row, loops_add(l, loops_times(l, own, into->inner), c)),
                 update, count);
    loop_end(b);
    if (parts > 1)
        loop_end(b);
    loop_end(b);
    loop_end(b);
    scatter_finish(s, first_row, rows, into->inner, low, high);
    loop_end(b);
    const uint64_t width = (uint64_t)scatter_smallest(into->inner, SCATTER_TILE);
    const bool ok =
        loops_step(l, into->outer * parts * tiles, (uint64_t)(each + 2 * from->n / parts) * width,
                   "row after row, rows and columns over the threads");
    loops_over_operand(l);
    return ok;
}

bool loops_of_scatter_reduce(loops *l)
{
    loop_builder *b = &l->b;
    const type *x = loops_type(l, 0);
    const uint32_t axis = resolve_axis(l->n->attrs, KEY_AXIS, x->rank);
    const int64_t combine = attr_int(l->n->attrs, KEY_COMBINE, COMBINE_ADD);
    const loops_lines into = loops_lines_of(l, 0, axis), from = loops_lines_of(l, 2, axis);
    scatter s = {.replaces = combine == COMBINE_REPLACE};
    loop_value outer, tile, low, high;
    if (!s.replaces)
        s.kind = fold_kind_of(combine);
    const loop_value rows = row_positions(l);
    if (rows != LOOP_NO_VALUE)
        return scatter_whole_rows(l, &s, rows, &into, &from);
    scatter_open(&s, l, s.replaces ? x->dtype : accumulator_of(x->dtype), into.inner);
    loops_split(l, loops_items(l), scatter_tiles(into.inner), &outer, &tile);
    scatter_open_tile(l, tile, into.inner, &low, &high);
    const loop_value first = loops_times_sized(l, outer, into.all);
    scatter_fill(&s, first, loop_i64(b, into.n), into.inner, low, high, NULL);
    const loop_value k = loop_for(b, loop_i64(b, 0), loop_sized(b, from.length), 1);
    const loop_value start =
        loops_times_sized(l, loops_add(l, loops_times_sized(l, outer, from.length), k), from.width);
    const loop_value c = loop_for(b, low, high, 1), at = loops_add(l, start, c);
    const loop_value position = loops_position(l, 1, at);
    scatter_open_checked(l, position, into.n);
    const element update = element_cast(b, loops_read(l, 2, at, 1, LOOP_NO_VALUE), s.sum);
    scatter_join(&s, loops_add(l, first, loops_add(l, loops_times(l, position, into.inner), c)),
                 update, LOOP_NO_VALUE);
    loop_end(b);
    loop_end(b);
    loop_end(b);
    scatter_finish(&s, first, loop_i64(b, into.n), into.inner, low, high);
    loop_end(b);
    const bool ok =
        loops_step(l, into.outer * scatter_tiles(into.inner),
                   (uint64_t)((into.n + 2 * from.n) * scatter_smallest(into.inner, SCATTER_TILE)),
                   "update after update, columns over the threads");
    loops_over_operand(l);
    return ok;
}

/* ---- windows ---- */

/* One scatter_add. The last axis of the updates is walked in vectors where it is the last axis of
 * windows; where windows never move along that, its columns are distributed. */
typedef struct windows {
    scatter s;
    scatter_axes axes;
    bool is_contiguous, is_shared;
} windows;

static void look_at_windows(windows *w, const loops *l)
{
    const type *x = loops_type(l, 0), *u = loops_type(l, 2);
    const uint32_t last = u->rank - 1;
    find_scatter_axes(l->n->attrs, x, loops_type(l, 1), u, &w->axes);
    w->is_contiguous = u->rank > 0 && x->rank > 0 && (w->axes.window_mask >> last & 1) &&
                       !(w->axes.inserted_mask >> (x->rank - 1) & 1);
    w->is_shared = w->is_contiguous && u->dims[last] == x->dims[x->rank - 1];
    for (uint32_t c = 0; c < w->axes.n_components; c++)
        w->is_shared = w->is_shared && w->axes.component_axis[c] != x->rank - 1;
}

/* Where the update at AT goes: its offset in the operand, its last axis left out when that is a
 * line; *OK whether its window lies inside. */
static loop_value place_of(windows *w, loops *l, const loop_value *at, loop_value *ok)
{
    loop_builder *b = &l->b;
    const type *x = loops_type(l, 0), *indices = loops_type(l, 1), *u = loops_type(l, 2);
    const scatter_axes *s = &w->axes;
    loop_value start[TN_MAX_RANK], offset = loop_i64(b, 0), to = offset;
    int64_t step = 1;
    for (uint32_t i = s->vector + 1; i < indices->rank; i++)
        step *= indices->dims[i];
    for (uint32_t i = 0, d = 0; i < indices->rank; i++) {
        offset = loops_times(l, offset, indices->dims[i]);
        if (i == s->vector)
            continue;
        while (s->window_mask >> d & 1)
            d++;
        offset = loops_add(l, offset, at[d++]);
    }
    for (uint32_t i = 0; i < x->rank; i++)
        start[i] = loop_i64(b, 0);
    for (uint32_t c = 0; c < s->n_components; c++)
        start[s->component_axis[c]] = loops_position(
            l, 1, loops_add(l, offset, loop_i64(b, s->vector < indices->rank ? c * step : 0)));
    *ok = loop_const(b, loop_type_of(LOOP_MASK, 1), 1);
    for (uint32_t i = 0, d = 0; i < x->rank; i++) {
        int64_t extent = 1;
        loop_value inside = LOOP_NO_VALUE;
        if (!(s->inserted_mask >> i & 1)) {
            while (!(s->window_mask >> d & 1))
                d++;
            extent = u->dims[d];
            inside = w->is_contiguous && d + 1 == u->rank ? LOOP_NO_VALUE : at[d];
            d++;
        }
        const loop_value fits =
            loop_binary(b, LOOP_IULT, start[i], loop_i64(b, x->dims[i] - extent + 1));
        *ok = loop_binary(b, LOOP_AND, *ok, fits);
        to = loops_add(l, loops_times(l, to, x->dims[i]), start[i]);
        to = inside == LOOP_NO_VALUE ? to : loops_add(l, to, inside);
    }
    return to;
}

bool loops_of_scatter_add(loops *l)
{
    loop_builder *b = &l->b;
    const type *x = loops_type(l, 0), *u = loops_type(l, 2);
    windows w = {.s = {.kind = FOLD_SUM}};
    loop_value at[TN_MAX_RANK], ok, low, high, count;
    look_at_windows(&w, l);
    const int64_t line = w.is_contiguous ? u->dims[u->rank - 1] : 1;
    const int64_t width = w.is_shared ? line : x->count,
                  tiles = w.is_shared ? scatter_tiles(line) : 1;
    const uint32_t outer = w.is_contiguous ? u->rank - 1 : u->rank;
    scatter_open(&w.s, l, accumulator_of(x->dtype), w.is_contiguous ? line : 1);
    const loop_value item = loops_items(l), none = loop_i64(b, 0);
    if (w.is_shared) {
        scatter_open_tile(l, item, line, &low, &high);
    } else {
        low = none;
        high = loop_i64(b, width);
    }
    scatter_fill(&w.s, none, loop_i64(b, x->count / width), width, low, high, NULL);
    loop_value number = loop_for(b, none, loop_i64(b, u->count / line), 1);
    const loop_value from = loops_times(l, number, line);
    for (uint32_t i = outer; i-- > 0;)
        loops_split(l, number, u->dims[i], &number, &at[i]);
    const loop_value to = place_of(&w, l, at, &ok);
    loop_fail(b, loop_unary(b, LOOP_NOT, ok), 1);
    loop_if(b, ok);
    const loop_value c = scatter_columns(&w.s, w.is_shared ? low : none,
                                         w.is_shared ? high : loop_i64(b, line), &count);
    const element update = scatter_read(&w.s, 2, loops_add(l, from, c), count);
    scatter_join(&w.s, loops_add(l, to, c), update, count);
    loop_end(b);
    loop_end(b);
    loop_end(b);
    scatter_finish(&w.s, none, loop_i64(b, x->count / width), width, low, high);
    loop_end(b);
    const bool done = loops_step(l, tiles, (uint64_t)((x->count + u->count) / tiles),
                                 w.is_shared ? "update after update, columns over the threads"
                                             : "update after update");
    loops_over_operand(l);
    return done;
}
