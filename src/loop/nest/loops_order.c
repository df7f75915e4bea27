/* Order along an axis (docs/numerics.md, section 9): its keys, and top_k. */
#include "loop/nest/loops.h"
#include "ops/attr_rules.h"

loop_value loops_order_key(loop_builder *b, element x, bool largest)
{
    if (dtype_is_bool(x.dtype)) {
        const loop_value key = loop_convert(b, LOOP_ZEXT, LOOP_I8, x.re);
        return largest ? loop_unary(b, LOOP_NOT, key) : key;
    }
    if (!dtype_is_float(x.dtype)) {
        const loop_type t = loop_value_type(b, x.re);
        const unsigned bits = 8 * (unsigned)loop_elem_bytes((loop_elem)t.elem);
        loop_value key = x.re;
        if (dtype_is_unsigned(x.dtype))
            key = loop_binary(b, LOOP_XOR, key,
                              loop_const(b, t, bits ? UINT64_C(1) << (bits - 1) : 0));
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

/* ---- top_k ---- */

enum { MOST_INSERTED = 64 }; /* results that are kept in order as elements come */

typedef struct sorting {
    loops *l;
    loop_value keys, order, spare; /* i64 each, one for each element of the line */
    int64_t n;
} sorting;

static loop_value at(const sorting *s, loop_value list, loop_value index)
{
    return loops_load(s->l, TN_SI64, list, index, 1, LOOP_NO_VALUE).re;
}

static void put(const sorting *s, loop_value list, loop_value index, loop_value x)
{
    loops_store(s->l, list, index, (element){TN_SI64, x, LOOP_NO_VALUE}, LOOP_NO_VALUE);
}

/* Merge neighbouring sorted parts of WIDTH; of equals those of the first part go first. */
static void merge(sorting *s, int64_t width)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const loop_value all = loop_i64(b, s->n), w = loop_i64(b, width), one = loop_i64(b, 1);
    const loop_value from = loop_for(b, loop_i64(b, 0), all, 2 * width);
    const loop_value middle = loop_min(&l->b, loops_add(l, from, w), all);
    const loop_value end = loop_min(&l->b, loops_add(l, middle, w), all);
    const loop_value left = loop_var(b, from), right = loop_var(b, middle);
    const loop_value to = loop_for(b, from, end, 1);
    const loop_value i = loop_get(b, left), j = loop_get(b, right);
    const loop_value has_left = loops_less(l, i, middle), has_right = loops_less(l, j, end);
    const loop_value a = at(s, s->order, loop_select(b, has_left, i, from));
    const loop_value c = at(s, s->order, loop_select(b, has_right, j, from));
    const loop_value later = loops_less(l, at(s, s->keys, c), at(s, s->keys, a));
    const loop_value takes_right = loop_binary(
        b, LOOP_AND, has_right, loop_binary(b, LOOP_OR, later, loop_unary(b, LOOP_NOT, has_left)));
    put(s, s->spare, to, loop_select(b, takes_right, c, a));
    loop_set(b, left, loop_select(b, takes_right, i, loops_add(l, i, one)));
    loop_set(b, right, loop_select(b, takes_right, loops_add(l, j, one), j));
    loop_end(b);
    loop_end(b);
    const loop_value sorted = s->spare;
    s->spare = s->order;
    s->order = sorted;
}

/* The key of the element at FROM, as i64. */
static loop_value wide_key(loops *l, loop_value from, bool largest)
{
    const element x =
        loops_load(l, loops_type(l, 0)->dtype, loops_in(l, 0), from, 1, LOOP_NO_VALUE);
    const loop_value key = loops_order_key(&l->b, x, largest);
    return loop_value_type(&l->b, key).elem == LOOP_I64
               ? key
               : loop_convert(&l->b, LOOP_SEXT, LOOP_I64, key);
}

/* Few of many: the best KEPT so far, in order; element K comes to them if it belongs there. */
static void insert(const sorting *s, loop_value k, loop_value key, loop_value filled, int64_t kept)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const loop_value zero = loop_i64(b, 0), one = loop_i64(b, 1), last = loop_i64(b, kept - 1);
    const loop_value have = loop_get(b, filled), has_room = loops_less(l, have, loop_i64(b, kept));
    loop_if(b, loop_binary(b, LOOP_OR, has_room, loops_less(l, key, at(s, s->keys, last))));
    const loop_value end = loop_min(&l->b, have, last), place = loop_var(b, end);
    (void)loop_for(b, zero, end, 1);
    const loop_value here = loop_get(b, place);
    const loop_value is_first = loop_binary(b, LOOP_IEQ, here, zero);
    const loop_value before = loop_select(b, is_first, zero, loop_binary(b, LOOP_ISUB, here, one));
    const loop_value other = at(s, s->keys, before);
    loop_if(b,
            loop_binary(b, LOOP_AND, loop_unary(b, LOOP_NOT, is_first), loops_less(l, key, other)));
    put(s, s->keys, here, other);
    put(s, s->order, here, at(s, s->order, before));
    loop_set(b, place, before);
    loop_end(b);
    loop_end(b);
    put(s, s->keys, loop_get(b, place), key);
    put(s, s->order, loop_get(b, place), k);
    loop_set(b, filled, loop_select(b, has_room, loops_add(l, have, one), have));
    loop_end(b);
}

bool loops_of_top_k(loops *l)
{
    loop_builder *b = &l->b;
    const type *t = loops_type(l, 0);
    const loops_lines lines = loops_lines_of(t, resolve_axis(l->n->attrs, KEY_AXIS, t->rank));
    const bool largest = attr_int(l->n->attrs, KEY_LARGEST, 1) != 0;
    const int64_t kept = attr_int(l->n->attrs, KEY_K, 0);
    const bool few = kept <= MOST_INSERTED && kept <= lines.n / 8;
    const uint64_t room = (uint64_t)(few ? kept : lines.n) * sizeof(int64_t);
    const tn_dtype moved = element_carrier(t->dtype);
    sorting s = {l, loop_scratch(b, room), loop_scratch(b, room), loop_scratch(b, room), lines.n};
    loop_value outer, inner;
    loops_split(l, loops_items(l), lines.inner, &outer, &inner);
    const loop_value base = loops_in(l, 0), zero = loop_i64(b, 0);
    const loop_value first = loops_add(l, loops_times(l, outer, lines.n * lines.inner), inner);
    const loop_value filled = loop_var(b, zero);
    for (uint32_t i = 0; few && i < 2; i++)
        put(&s, i ? s.order : s.keys, loop_i64(b, kept - 1), zero); /* read before it is made */
    loop_value k = loop_for(b, zero, loop_i64(b, lines.n), 1);
    loop_value from = loops_add(l, first, loops_times(l, k, lines.inner));
    const loop_value key = wide_key(l, from, largest);
    if (few) {
        insert(&s, k, key, filled, kept);
    } else {
        put(&s, s.keys, k, key);
        put(&s, s.order, k, k);
    }
    loop_end(b);
    for (int64_t width = 1; !few && width < lines.n; width *= 2)
        merge(&s, width);
    k = loop_for(b, zero, loop_i64(b, kept), 1);
    const loop_value index = at(&s, s.order, k);
    const loop_value to = loops_add(l, loops_times(l, outer, kept * lines.inner),
                                    loops_add(l, loops_times(l, k, lines.inner), inner));
    from = loops_add(l, first, loops_times(l, index, lines.inner));
    loops_store(l, loops_out(l, 0), to, loops_load(l, moved, base, from, 1, LOOP_NO_VALUE),
                LOOP_NO_VALUE);
    loops_store_position(l, 1, to, index);
    loop_end(b);
    loop_end(b);
    return loops_step(l, lines.outer * lines.inner, (uint64_t)lines.n * 32, "line by line");
}
