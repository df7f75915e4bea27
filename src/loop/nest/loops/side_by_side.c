/* Lines in the lanes of vectors: rows are transposed on their way, square by square; columns
 * already lie so. */
#include "loop/nest/loops/side_by_side.h"
#include "loop/nest/loops/records.h"

enum {
    MOST_ELEMENTS = 1024, /* of a line: longer ones are sorted digit by digit in less time */
    POSITION_BITS = 32
};

bool side_by_side_init(side_by_side *s, loops *l, const loops_lines *lines, bool largest,
                       bool is_alone)
{
    const tn_dtype d = loops_type(l, 0)->dtype;
    const bool is_fixed = !lines->any_n && !lines->any_inner &&
                          sized_is_fixed(kernel_elements_from(l->f, l->n->in[0], 0));
    const bool bare = is_alone && records_has_inverse(d);
    const bool is_wide = bare ? dtype_table[d].bits == 64 : true;
    if (!is_fixed || lines->n < 2 || lines->n > MOST_ELEMENTS || dtype_is_complex(d) ||
        (!bare && element_compute(d) == LOOP_F64) ||
        (!bare && dtype_is_int(d) && dtype_table[d].bits > 32))
        return false;
    const uint32_t lanes = l->on->vector_bytes / (is_wide ? 8 : 4);
    const int64_t held =
        l->on->registers < 2 * NETWORK_MOST_HELD ? NETWORK_MOST_HELD / 2 : NETWORK_MOST_HELD;
    const bool by_columns = lines->inner > 1;
    if ((by_columns ? lines->inner : lines->outer) < lanes || lanes > held)
        return false;
    *s = (side_by_side){.l = l,
                        .lines = *lines,
                        .dtype = d,
                        .largest = largest,
                        .has_positions = !bare,
                        .by_columns = by_columns,
                        .lanes = lanes,
                        .unlike = LOOP_NO_VALUE};
    s->net = (network){.b = &l->b,
                       .type = loop_type_of(is_wide ? LOOP_I64 : LOOP_I32, lanes),
                       .n = (lines->n + held - 1) / held * held,
                       .held = (uint32_t)held};
    s->net.at = loop_scratch(&l->b, (uint64_t)s->net.n * l->on->vector_bytes);
    return true;
}

static int64_t parts_of_lines(const side_by_side *s)
{
    const int64_t n = s->by_columns ? s->lines.inner : s->lines.outer;
    return (n + s->lanes - 1) / s->lanes;
}

int64_t side_by_side_groups(const side_by_side *s)
{
    return s->by_columns ? s->lines.outer * parts_of_lines(s) : parts_of_lines(s);
}

/* The last group begins within the one before it, so that it is whole. */
static void find_group(side_by_side *s, loop_value group)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const int64_t n = s->by_columns ? s->lines.inner : s->lines.outer;
    loop_value outer = loop_i64(b, 0), part = group;
    if (s->by_columns)
        loops_split(l, group, parts_of_lines(s), &outer, &part);
    part = loop_min(b, loops_times(l, part, s->lanes), loop_i64(b, n - s->lanes));
    s->line = s->by_columns ? loops_add(l, loops_times(l, outer, s->lines.all.now), part)
                            : loops_times(l, part, s->lines.n);
}

/* The number of the line as element 0: rows by their length, columns by one. */
loop_value side_by_side_line(const side_by_side *s, loop_value lane, int64_t length)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    if (!s->by_columns) {
        const loop_value row = loop_binary(b, LOOP_UDIV, s->line, loop_i64(b, s->lines.n));
        return loops_times(l, loops_add(l, row, lane), length);
    }
    const loop_value all = loop_i64(b, s->lines.all.now);
    const loop_value outer = loop_binary(b, LOOP_UDIV, s->line, all),
                     inner = loop_binary(b, LOOP_UREM, s->line, all);
    return loops_add(l, loops_times(l, outer, length * s->lines.inner), loops_add(l, inner, lane));
}

/* How many of LANES elements from number FIRST on there are, for the tail. */
static int64_t present(const side_by_side *s, int64_t first)
{
    const int64_t left = s->lines.n - first;
    return left < 0 ? 0 : left < s->lanes ? left : s->lanes;
}

static void note_unlike(side_by_side *s, element x)
{
    loop_builder *b = &s->l->b;
    const bool wide = s->dtype == TN_F64;
    const loop_type t = s->net.type;
    const loop_value bits = loop_convert(b, LOOP_BITCAST, (loop_elem)t.elem, x.re);
    const loop_value minus_zero =
        loop_binary(b, LOOP_IEQ, bits, loop_const(b, t, UINT64_C(1) << (wide ? 63 : 31)));
    const loop_value is =
        loop_binary(b, LOOP_OR, minus_zero, loop_binary(b, LOOP_FUNO, x.re, x.re));
    loop_set(b, s->unlike,
             loop_select(b, is, loop_const(b, t, UINT64_MAX), loop_get(b, s->unlike)));
}

/* Keys of elements at AT, of which COUNT count. */
static loop_value read_keys(side_by_side *s, loop_value at, int64_t count)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const element x = loops_load(l, s->dtype, loops_in(l, 0), at, s->lanes,
                                 count < s->lanes ? loop_i64(b, count) : (loop_value)LOOP_NO_VALUE);
    if (s->unlike != LOOP_NO_VALUE)
        note_unlike(s, x);
    const loop_value key = loops_order_key(b, x, s->largest);
    return loop_value_bits(b, key) < 32 ? loop_convert(b, LOOP_SEXT, LOOP_I32, key) : key;
}

/* The keys of elements FIRST .. FIRST + `lanes` - 1 of all lines, COUNT of which there are. */
static void read_square(side_by_side *s, loop_value first, int64_t count, loop_value *keys)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    element x[NETWORK_MOST_HELD];
    if (s->by_columns) {
        for (int64_t i = 0; i < count; i++)
            keys[i] = read_keys(
                s,
                loops_add(l, s->line,
                          loops_times(l, loops_add(l, first, loop_i64(b, i)), s->lines.inner)),
                s->lanes);
        return;
    }
    for (uint32_t w = 0; w < s->lanes; w++) {
        const loop_value at =
            loops_add(l, loops_add(l, s->line, loop_i64(b, w * s->lines.n)), first);
        const loop_value key = read_keys(s, at, count);
        x[w] = (element){loop_value_bits(b, key) == 64 ? TN_SI64 : TN_SI32, key, LOOP_NO_VALUE};
    }
    nest_transpose(b, x, s->lanes);
    for (uint32_t i = 0; i < s->lanes; i++)
        keys[i] = x[i].re;
}

/* Records FIRST .. FIRST + `held` - 1 in order; those beyond COUNT come after all. */
static void read_block(side_by_side *s, loop_value first, int64_t count)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const loop_type t = s->net.type;
    loop_value x[NETWORK_MOST_HELD];
    for (uint32_t at = 0; at < s->net.held && at < count; at += s->lanes) {
        const int64_t left = count - at < s->lanes ? count - at : s->lanes;
        read_square(s, loops_add(l, first, loop_i64(b, at)), left, &x[at]);
    }
    for (uint32_t i = 0; i < s->net.held; i++) {
        if (i >= count) {
            x[i] = loop_const(b, t, t.elem == LOOP_I64 ? (uint64_t)INT64_MAX : (uint64_t)INT32_MAX);
        } else if (s->has_positions) {
            const loop_value key =
                loop_binary(b, LOOP_SHL, loop_convert(b, LOOP_SEXT, LOOP_I64, x[i]),
                            loop_const(b, t, POSITION_BITS));
            x[i] = loop_binary(b, LOOP_OR, key,
                               loop_splat(b, s->lanes, loops_add(l, first, loop_i64(b, i))));
        }
    }
    network_sort_held(&s->net, x);
    network_store(&s->net, first, x);
}

void side_by_side_read(side_by_side *s, loop_value group)
{
    loop_builder *b = &s->l->b;
    const int64_t held = s->net.held, whole = s->lines.n / held * held;
    find_group(s, group);
    if (!s->has_positions && dtype_is_float(s->dtype))
        s->unlike = loop_var(b, loop_const(b, s->net.type, 0));
    if (whole > 0) {
        read_block(s, loop_for(b, loop_i64(b, 0), loop_i64(b, whole), held), held);
        loop_end(b);
    }
    if (whole < s->lines.n)
        read_block(s, loop_i64(b, whole), s->lines.n - whole);
}

void side_by_side_sort(const side_by_side *s)
{
    network_merge(&s->net);
}

loop_value side_by_side_position(const side_by_side *s, loop_value index, loop_value lane)
{
    loop_builder *b = &s->l->b;
    const loop_value at = loops_add(s->l, loops_times(s->l, index, s->lanes), lane);
    const loop_value x = loops_load(s->l, TN_SI64, s->net.at, at, 1, LOOP_NO_VALUE).re;
    return loop_binary(b, LOOP_AND, x, loop_i64(b, INT64_C(0xFFFFFFFF)));
}

/* Elements FIRST .. of all lines, of which COUNT count. */
static void write_square(const side_by_side *s, loop_value first, int64_t count)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const tn_dtype out = loops_result(l, 0)->dtype;
    element x[NETWORK_MOST_HELD];
    for (uint32_t i = 0; i < s->lanes; i++) {
        const tn_dtype held = s->net.type.elem == LOOP_I64 ? TN_SI64 : TN_SI32;
        const loop_value from =
            loops_times(l, loops_add(l, first, loop_i64(b, i < count ? i : 0)), s->lanes);
        const loop_value r = loops_load(l, held, s->net.at, from, s->lanes, LOOP_NO_VALUE).re;
        if (s->has_positions)
            x[i] = element_cast(
                b,
                (element){TN_SI64,
                          loop_binary(b, LOOP_AND, r, loop_const(b, s->net.type, 0xFFFFFFFF)),
                          LOOP_NO_VALUE},
                out);
        else
            x[i] = records_element_of(b, s->dtype, s->largest, r);
    }
    if (!s->by_columns)
        nest_transpose(b, x, s->lanes);
    for (int64_t i = 0; i < (s->by_columns ? count : s->lanes); i++) {
        const loop_value at =
            s->by_columns ? loops_times(l, loops_add(l, first, loop_i64(b, i)), s->lines.inner)
                          : loops_add(l, first, loop_i64(b, i * s->lines.n));
        loops_store(l, loops_out(l, 0), loops_add(l, s->line, at), x[i],
                    s->by_columns || count == s->lanes ? (loop_value)LOOP_NO_VALUE
                                                       : loop_i64(b, count));
    }
}

void side_by_side_write(const side_by_side *s)
{
    loop_builder *b = &s->l->b;
    const int64_t whole = s->lines.n / s->lanes * s->lanes;
    if (whole > 0) {
        write_square(s, loop_for(b, loop_i64(b, 0), loop_i64(b, whole), s->lanes), s->lanes);
        loop_end(b);
    }
    if (whole < s->lines.n)
        write_square(s, loop_i64(b, whole), present(s, whole));
}
