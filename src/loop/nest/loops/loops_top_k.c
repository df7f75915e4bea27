/* top_k (docs/numerics.md, section 9): the first of each line in its order, found by sorting short
 * lines and by selection from long ones. */
#include "loop/nest/loops/records.h"
#include "loop/nest/loops/side_by_side.h"
#include "ops/attr_rules.h"

enum {
    LANES = 16,
    LEAST_ROOM = 16, /* records beside few that are kept */
    MOST_ROOM = 64,
    MOST_SIDE_BY_SIDE = 256 /* elements of lines that are sorted whole, many at once */
};

/* How many records are gathered until they are sorted again and the best KEPT of N stay. */
static int64_t room_beside(int64_t kept, int64_t n)
{
    const int64_t some = n / 16 < LEAST_ROOM ? LEAST_ROOM : n / 16 > MOST_ROOM ? MOST_ROOM : n / 16;
    return kept > some ? kept : some;
}

/* The best KEPT of the line are found without sorting it: once ROOM records were sorted, only what
 * comes before the last one kept joins them. */
typedef struct selection {
    records r;
    loop_value base, first, filled, worst; /* WORST: the key of the last one kept */
    loop_value line;                       /* memory for the keys of a vector */
    int64_t stride, kept;
} selection;

/* The records that were gathered are sorted, and the best stay, in the same memory as before. */
static void select_best(selection *s)
{
    loops *l = s->r.l;
    loop_builder *b = &l->b;
    const records before = s->r;
    /* Never more than there is room for: so it is known how long this takes at most, and the loop
     * that it is in need not poll in every iteration. */
    records_sort(&s->r, loop_min(b, loop_get(b, s->filled), loop_i64(b, s->r.room)));
    if (s->r.keys != before.keys) {
        const records sorted = s->r;
        const loop_value k = loop_for(b, loop_i64(b, 0), loop_i64(b, s->kept), 1);
        const record x = records_get(&sorted, k);
        s->r = before;
        records_put(&s->r, k, x);
        loop_end(b);
    }
    loop_set(b, s->filled, loop_i64(b, s->kept));
    const loop_value last = loop_i64(b, s->kept - 1);
    const loop_value from =
        loops_add(l, s->first, loops_times(l, records_position(&s->r, last, 1), s->stride));
    loop_set(b, s->worst,
             loops_order_key(b, loops_load(l, s->r.dtype, s->base, from, 1, LOOP_NO_VALUE),
                             s->r.largest));
}

/* Element K, with KEY, joins the records if it comes before the last one kept. */
static void consider(selection *s, loop_value k, loop_value key)
{
    loops *l = s->r.l;
    loop_builder *b = &l->b;
    const loop_value better = loops_less(l, key, loop_get(b, s->worst));
    const loop_value have = loop_get(b, s->filled);
    records_put(&s->r, have, records_of(&s->r, key, k));
    loop_set(b, s->filled, loops_add(l, have, loop_convert(b, LOOP_ZEXT, LOOP_I64, better)));
}

static void make_room(selection *s, int64_t for_more)
{
    loops *l = s->r.l;
    loop_builder *b = &l->b;
    loop_if(b, loops_less(l, loop_i64(b, s->r.room - for_more), loop_get(b, s->filled)));
    select_best(s);
    loop_end(b);
}

/* Elements LOW .. HIGH of the line, in vectors that are looked at together. */
static void look_at_vectors(selection *s, int64_t low, int64_t high)
{
    loops *l = s->r.l;
    loop_builder *b = &l->b;
    const loop_value k = loop_for(b, loop_i64(b, low), loop_i64(b, high), LANES);
    const element x =
        loops_load(l, s->r.dtype, s->base, loops_add(l, s->first, k), LANES, LOOP_NO_VALUE);
    const loop_value keys = loops_order_key(b, x, s->r.largest);
    const loop_value worst = loop_splat(b, LANES, loop_get(b, s->worst));
    loop_if(b, loop_any(b, loop_binary(b, LOOP_ILT, keys, worst)));
    const loop_type one = {loop_value_type(b, keys).elem, 1};
    const int64_t size = (int64_t)loop_elem_bytes((loop_elem)one.elem);
    loop_store(b, s->line, keys, LOOP_ALIGN);
    const loop_value lane = loop_for(b, loop_i64(b, 0), loop_i64(b, LANES), 1);
    consider(
        s, loops_add(l, k, lane),
        loop_load(b, one, loop_offset(b, s->line, loops_times(l, lane, size)), (uint32_t)size));
    loop_end(b);
    make_room(s, LANES);
    loop_end(b);
    loop_end(b);
}

static void look_at_each(selection *s, int64_t low, int64_t high)
{
    loops *l = s->r.l;
    loop_builder *b = &l->b;
    const loop_value k = loop_for(b, loop_i64(b, low), loop_i64(b, high), 1);
    const loop_value at = loops_add(l, s->first, loops_times(l, k, s->stride));
    const element x = loops_load(l, s->r.dtype, s->base, at, 1, LOOP_NO_VALUE);
    consider(s, k, loops_order_key(b, x, s->r.largest));
    make_room(s, 1);
    loop_end(b);
}

/* The best KEPT of the N elements from FIRST on become the first records. */
static void select_from_line(selection *s, int64_t n)
{
    loop_builder *b = &s->r.l->b;
    const int64_t start = s->r.room - LANES;
    const int64_t whole = s->stride == 1 ? start + (n - start) / LANES * LANES : start;
    const element none = element_zero(b, s->r.dtype, 1);
    records_read(&s->r, s->base, s->first, sized_of(s->stride), sized_of(start));
    s->filled = loop_var(b, loop_i64(b, start));
    s->worst = loop_var(b, loops_order_key(b, none, s->r.largest));
    select_best(s);
    if (start < whole)
        look_at_vectors(s, start, whole);
    if (whole < n)
        look_at_each(s, whole, n);
    select_best(s);
}

static bool top_k_side_by_side(side_by_side *s, int64_t kept)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const tn_dtype moved = element_carrier(s->dtype);
    side_by_side_read(s, loops_items(l));
    side_by_side_sort(s);
    const loop_value lane = loop_for(b, loop_i64(b, 0), loop_i64(b, s->lanes), 1);
    const loop_value line = side_by_side_line(s, lane, s->lines.n);
    const loop_value line_out = side_by_side_line(s, lane, kept);
    const loop_value k = loop_for(b, loop_i64(b, 0), loop_i64(b, kept), 1);
    const loop_value index = side_by_side_position(s, k, lane);
    const loop_value from = loops_add(l, line, loops_times(l, index, s->lines.inner));
    const loop_value to = loops_add(l, line_out, loops_times(l, k, s->lines.inner));
    loops_store(l, loops_out(l, 0), to,
                loops_load(l, moved, loops_in(l, 0), from, 1, LOOP_NO_VALUE), LOOP_NO_VALUE);
    loops_store_position(l, 1, to, index);
    loop_end(b);
    loop_end(b);
    loop_end(b);
    return loops_step(l, side_by_side_groups(s), (uint64_t)s->lines.n * s->lanes * 8,
                      "as many lines at once as vectors have lanes");
}

bool loops_of_top_k(loops *l)
{
    loop_builder *b = &l->b;
    const type *t = loops_type(l, 0);
    const loops_lines lines = loops_lines_of(l, 0, resolve_axis(l->n->attrs, KEY_AXIS, t->rank));
    const bool largest = attr_int(l->n->attrs, KEY_LARGEST, 1) != 0;
    const int64_t kept = attr_int(l->n->attrs, KEY_K, 0);
    const tn_dtype moved = element_carrier(t->dtype);
    const int64_t room = kept + room_beside(kept, lines.n) + LANES;
    const bool selects = room <= lines.n / 2;
    selection s = {.stride = lines.inner, .kept = kept};
    side_by_side all;
    loop_value outer, inner;
    if (lines.n > INT32_MAX)
        return false;
    if (lines.n <= MOST_SIDE_BY_SIDE && side_by_side_init(&all, l, &lines, largest, false))
        return top_k_side_by_side(&all, kept);
    records_init(&s.r, l, t->dtype, largest, selects ? sized_of(room) : lines.length);
    loops_split_any(l, loops_items(l), lines.inner, lines.any_inner, &outer, &inner);
    s.base = loops_in(l, 0);
    s.line = loop_scratch(b, LANES * sizeof(int64_t));
    s.first = loops_add(l, loops_times_sized(l, outer, lines.all), inner);
    if (selects) {
        select_from_line(&s, lines.n);
    } else {
        records_read(&s.r, s.base, s.first, lines.width, lines.length);
        records_sort(&s.r, loop_sized(b, lines.length));
    }
    const loop_value k = loop_for(b, loop_i64(b, 0), loop_i64(b, kept), 1);
    const loop_value index = records_position(&s.r, k, 1);
    const sized of_line = sized_mul(sized_of(kept), lines.width);
    const loop_value to = loops_add(l, loops_times_sized(l, outer, of_line),
                                    loops_add(l, loops_times_sized(l, k, lines.width), inner));
    const loop_value from = loops_add(l, s.first, loops_times_sized(l, index, lines.width));
    loops_store(l, loops_out(l, 0), to, loops_load(l, moved, s.base, from, 1, LOOP_NO_VALUE),
                LOOP_NO_VALUE);
    loops_store_position(l, 1, to, index);
    loop_end(b);
    loop_end(b);
    return loops_step(l, lines.outer * lines.inner, (uint64_t)lines.n * (selects ? 4 : 32),
                      selects ? "line by line, what cannot be among the best is passed over"
                              : "line by line");
}
