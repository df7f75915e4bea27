/* Order along an axis (docs/numerics.md, section 9): its keys, and sort and argsort. */
#include "loop/nest/loops/records.h"
#include "loop/nest/loops/side_by_side.h"
#include "ops/attr_rules.h"

loop_value loops_order_key(loop_builder *b, element x, bool largest)
{
    if (dtype_is_bool(x.dtype)) {
        const loop_value key = loop_convert(b, LOOP_ZEXT, LOOP_I8, x.re);
        return largest ? loop_unary(b, LOOP_NOT, key) : key;
    }
    if (!dtype_is_float(x.dtype)) {
        const loop_type t = loop_value_type(b, x.re);
        const uint64_t sign = UINT64_C(1) << (loop_value_bits(b, x.re) - 1);
        loop_value key = x.re;
        if (dtype_is_unsigned(x.dtype))
            key = loop_binary(b, LOOP_XOR, key, loop_const(b, t, sign));
        return largest ? loop_unary(b, LOOP_NOT, key) : key;
    }
    const bool wide = element_compute(x.dtype) == LOOP_F64;
    const loop_type t = loop_type_of(wide ? LOOP_I64 : LOOP_I32, element_lanes(b, x));
    const uint64_t top = wide ? INT64_MAX : INT32_MAX;
    const loop_value zero = loop_const(b, t, 0);
    loop_value key = loop_convert(b, LOOP_BITCAST, (loop_elem)t.elem, x.re);
    const loop_value sign = loop_binary(b, LOOP_ASHR, key, loop_const(b, t, wide ? 63 : 31));
    key = loop_binary(b, LOOP_XOR, key, loop_binary(b, LOOP_AND, sign, loop_const(b, t, top)));
    const loop_value none = loop_float(b, loop_value_type(b, x.re), 0);
    key = loop_select(b, loop_binary(b, LOOP_FEQ, x.re, none), zero, key);
    key = largest ? loop_unary(b, LOOP_NOT, key) : key;
    return loop_select(b, loop_binary(b, LOOP_FUNO, x.re, x.re), loop_const(b, t, top), key);
}

/* ---- sort, argsort ---- */

enum { LANES = 16 };

/* The elements of operand and result NUMBER, in the order of the records R. */
static void put_sorted(const records *r, uint32_t number, loop_value first, sized n, sized stride)
{
    loops *l = r->l;
    loop_builder *b = &l->b;
    const tn_dtype moved = element_carrier(loops_type(l, number)->dtype);
    const loop_value k = loop_for(b, loop_i64(b, 0), loop_sized(b, n), 1);
    const loop_value from =
        loops_add(l, first, loops_times_sized(l, records_position(r, k, 1), stride));
    loops_store(l, loops_out(l, number), loops_add(l, first, loops_times_sized(l, k, stride)),
                loops_load(l, moved, loops_in(l, number), from, 1, LOOP_NO_VALUE), LOOP_NO_VALUE);
    loop_end(b);
}

static void put_positions(const records *r, loop_value first, sized n, sized stride)
{
    loops *l = r->l;
    loop_builder *b = &l->b;
    const bool is_close = stride.now == 1 && sized_is_fixed(stride);
    const int64_t whole = is_close ? n.now / LANES * LANES : 0;
    const bool any = r->any_length && is_close;
    const loop_value end = nest_number(b, any, LINE_WHOLE, whole);
    if (any || whole > 0) {
        const loop_value k = loop_for(b, loop_i64(b, 0), end, LANES);
        loops_store_position(l, 0, loops_add(l, first, k), records_position(r, k, LANES));
        loop_end(b);
    }
    if (r->any_length || whole < n.now) {
        const loop_value k = loop_for(b, end, loop_sized(b, n), 1);
        loops_store_position(l, 0, loops_add(l, first, loops_times_sized(l, k, stride)),
                             records_position(r, k, 1));
        loop_end(b);
    }
}

/* Where the next zero and the next NaN of a line go: variables. */
typedef struct unlike_places {
    loop_value zero, nan;
} unlike_places;

/* Element FROM goes to the next place of its kind, if it is a zero or a NaN. */
static void put_if_unlike(const records *r, loop_value first, int64_t stride, loop_value from,
                          const unlike_places *places)
{
    loops *l = r->l;
    loop_builder *b = &l->b;
    const tn_dtype moved = element_carrier(r->dtype);
    const loop_value x = loops_load(l, r->dtype, loops_in(l, 0), from, 1, LOOP_NO_VALUE).re;
    const loop_value is_zero = loop_binary(b, LOOP_FEQ, x, loop_float(b, loop_value_type(b, x), 0));
    const loop_value is_nan = loop_binary(b, LOOP_FUNO, x, x);
    const struct {
        loop_value is, at;
    } kinds[] = {{is_zero, places->zero}, {is_nan, places->nan}};
    for (int i = 0; i < 2; i++) {
        loop_if(b, kinds[i].is);
        const loop_value to = loop_get(b, kinds[i].at);
        loops_store(l, loops_out(l, 0), loops_add(l, first, loops_times(l, to, stride)),
                    loops_load(l, moved, loops_in(l, 0), from, 1, LOOP_NO_VALUE), LOOP_NO_VALUE);
        loop_set(b, kinds[i].at, loops_add(l, to, loop_i64(b, 1)));
        loop_end(b);
    }
}

/* Elements LOW .. HIGH - 1 of the line from FIRST on, STEP at a time, if any of these is a zero or
 * a NaN. */
static void put_unlike_part(const records *r, loop_value first, int64_t stride, int64_t low,
                            int64_t high, uint32_t step, const unlike_places *places)
{
    loops *l = r->l;
    loop_builder *b = &l->b;
    const loop_value k = loop_for(b, loop_i64(b, low), loop_i64(b, high), step);
    const loop_value at = loops_add(l, first, loops_times(l, k, stride));
    const loop_value x = loops_load(l, r->dtype, loops_in(l, 0), at, step, LOOP_NO_VALUE).re;
    const loop_value zero = loop_float(b, loop_value_type(b, x), 0);
    const loop_value unlike =
        loop_binary(b, LOOP_OR, loop_binary(b, LOOP_FEQ, x, zero), loop_binary(b, LOOP_FUNO, x, x));
    loop_if(b, step > 1 ? loop_any(b, unlike) : unlike);
    const loop_value lane = loop_for(b, loop_i64(b, 0), loop_i64(b, step), 1);
    put_if_unlike(r, first, stride, loops_add(l, at, lane), places);
    loop_end(b);
    loop_end(b);
    loop_end(b);
}

/* The zeros and the NaNs among the N elements from FIRST on, whose bits keys do not tell, in their
 * order to the places that the bare records R have for them. */
static void put_unlike(const records *r, loop_value first, int64_t n, int64_t stride)
{
    loop_builder *b = &r->l->b;
    const loop_value none = loops_order_key(b, element_zero(b, r->dtype, 1), r->largest);
    const loop_type t = loop_value_type(b, none);
    const loop_value top =
        loop_const(b, t, t.elem == LOOP_I64 ? (uint64_t)INT64_MAX : (uint64_t)INT32_MAX);
    const loop_value zero_at = loop_var(b, records_before(r, none, n));
    const loop_value nan_at = loop_var(b, records_before(r, top, n));
    const unlike_places places = {zero_at, nan_at};
    const uint32_t lanes = stride == 1 ? LANES : 1;
    const int64_t whole = n / lanes * lanes;
    if (whole > 0)
        put_unlike_part(r, first, stride, 0, whole, lanes, &places);
    if (whole < n)
        put_unlike_part(r, first, stride, whole, n, 1, &places);
}

/* The elements of the bare records R. */
static void put_keys(const records *r, loop_value first, int64_t n, int64_t stride)
{
    loops *l = r->l;
    loop_builder *b = &l->b;
    const int64_t whole = stride == 1 ? n / LANES * LANES : 0;
    if (whole > 0) {
        const loop_value k = loop_for(b, loop_i64(b, 0), loop_i64(b, whole), LANES);
        loops_store(l, loops_out(l, 0), loops_add(l, first, k), records_element(r, k, LANES),
                    LOOP_NO_VALUE);
        loop_end(b);
    }
    if (whole < n) {
        const loop_value k = loop_for(b, loop_i64(b, whole), loop_i64(b, n), 1);
        loops_store(l, loops_out(l, 0), loops_add(l, first, loops_times(l, k, stride)),
                    records_element(r, k, 1), LOOP_NO_VALUE);
        loop_end(b);
    }
    if (dtype_is_float(r->dtype))
        put_unlike(r, first, n, stride);
}

/* The line whose element 0 is number FIRST. */
static void sort_line(loops *l, const loops_lines *lines, loop_value first)
{
    const tn_dtype d = loops_type(l, 0)->dtype;
    const bool descends = attr_int(l->n->attrs, KEY_DESCENDING, 0) != 0;
    records r;
    /* How places of zeros are found depends on the length: one code for all of them goes without.
     */
    const bool is_alone = l->n->op == OP_SORT && l->n->n_in == 1 && !lines->any_n;
    if (!is_alone || !records_init_bare(&r, l, d, descends, lines->n))
        records_init(&r, l, d, descends, lines->length);
    records_read(&r, loops_in(l, 0), first, lines->width, lines->length);
    records_sort(&r, loop_sized(&l->b, lines->length));
    if (r.is_bare)
        put_keys(&r, first, lines->n, lines->inner);
    for (uint32_t k = 0; l->n->op == OP_SORT && !r.is_bare && k < l->n->n_in; k++)
        put_sorted(&r, k, first, lines->length, lines->width);
    if (l->n->op == OP_ARGSORT)
        put_positions(&r, first, lines->length, lines->width);
}

/* Elements of several operands, in the order of the positions of S. */
static void put_by_positions(const side_by_side *s)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const loop_value lane = loop_for(b, loop_i64(b, 0), loop_i64(b, s->lanes), 1);
    const loop_value line = side_by_side_line(s, lane, s->lines.n);
    for (uint32_t k = 0; k < l->n->n_in; k++) {
        const tn_dtype moved = element_carrier(loops_type(l, k)->dtype);
        const loop_value i = loop_for(b, loop_i64(b, 0), loop_i64(b, s->lines.n), 1);
        const loop_value from = side_by_side_position(s, i, lane);
        loops_store(l, loops_out(l, k), loops_add(l, line, loops_times(l, i, s->lines.inner)),
                    loops_load(l, moved, loops_in(l, k),
                               loops_add(l, line, loops_times(l, from, s->lines.inner)), 1,
                               LOOP_NO_VALUE),
                    LOOP_NO_VALUE);
        loop_end(b);
    }
    loop_end(b);
}

/* Groups of lines; those in which keys do not tell all elements go line by line. */
static bool sort_side_by_side(side_by_side *s)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    side_by_side_read(s, loops_items(l));
    if (s->unlike != LOOP_NO_VALUE) {
        const loop_value unlike = loop_get(b, s->unlike);
        loop_if(b, loop_any(b, loop_binary(b, LOOP_ILT, unlike,
                                           loop_const(b, loop_value_type(b, unlike), 0))));
        const loop_value lane = loop_for(b, loop_i64(b, 0), loop_i64(b, s->lanes), 1);
        sort_line(l, &s->lines, side_by_side_line(s, lane, s->lines.n));
        loop_end(b);
        loop_else(b);
    }
    side_by_side_sort(s);
    if (l->n->op == OP_SORT && s->has_positions)
        put_by_positions(s);
    else
        side_by_side_write(s);
    if (s->unlike != LOOP_NO_VALUE)
        loop_end(b);
    loop_end(b);
    return loops_step(l, side_by_side_groups(s), (uint64_t)s->lines.n * s->lanes * 8,
                      "as many lines at once as vectors have lanes");
}

bool loops_of_sort(loops *l)
{
    loop_builder *b = &l->b;
    const type *t = loops_type(l, 0);
    const loops_lines lines = loops_lines_of(l, 0, resolve_axis(l->n->attrs, KEY_AXIS, t->rank));
    const bool descends = attr_int(l->n->attrs, KEY_DESCENDING, 0) != 0;
    const bool is_alone = l->n->op == OP_SORT && l->n->n_in == 1;
    side_by_side s;
    loop_value outer, inner;
    if (lines.n > INT32_MAX)
        return false;
    if (side_by_side_init(&s, l, &lines, descends, is_alone))
        return sort_side_by_side(&s);
    loops_split_any(l, loops_items(l), lines.inner, lines.any_inner, &outer, &inner);
    sort_line(l, &lines, loops_add(l, loops_times_sized(l, outer, lines.all), inner));
    loop_end(b);
    return loops_step(l, lines.outer * lines.inner, (uint64_t)lines.n * 32, "line by line");
}
