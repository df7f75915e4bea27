/* Index arithmetic of a kernel: expressions over the positions, guards, and when either is simple
 * for all lanes at once. */
#include "loop/emit/emit_parts.h"

loop_value emit_all_lanes(emitter *e, const emit_index *x)
{
    loop_builder *b = e->b;
    loop_value v = loop_splat(b, e->lanes, x->first);
    if (e->lanes == 1)
        return v;
    if (x->step != 0) {
        const loop_value step =
            loop_splat(b, e->lanes, loop_sized(b, (sized){x->step, x->step_other}));
        v = loop_binary(b, LOOP_IADD, v,
                        loop_binary(b, LOOP_IMUL, loop_ramp(b, LOOP_I64, e->lanes), step));
    }
    return emit_is_strided(x) ? v : loop_binary(b, LOOP_IADD, v, x->lanes);
}

loop_value emit_scaled(loop_builder *b, loop_value x, int64_t factor)
{
    return emit_times(b, x, sized_of(factor));
}

loop_value emit_times(loop_builder *b, loop_value x, sized factor)
{
    if (factor.now == 1)
        return x;
    return loop_binary(b, LOOP_IMUL, x, loop_sized_const(b, loop_value_type(b, x), factor));
}

static sized factor_of(const access_term *t)
{
    return (sized){t->factor, t->factor_other};
}

static unsigned log2_exact(int64_t by)
{
    unsigned n = 0;
    while (n < 63 && (INT64_C(1) << n) < by)
        n++;
    return (INT64_C(1) << n) == by ? n : 64;
}

/* What is divided by T, X // by or X % by, rounded down. */
static loop_value quotient(emitter *e, loop_value x, const access_term *term, bool remainder)
{
    loop_builder *b = e->b;
    const int64_t low = term->of->low, high = term->of->high, by = term->by;
    const sized divisor = {by, term->by_other};
    /* Other sizes may be no power of two. LLVM knows which are, where the number is in the code. */
    const unsigned shift = sized_is_fixed(divisor) ? log2_exact(by) : 64;
    const bool is_narrow =
        loop_lanes(b, x) > 1 && low >= INT32_MIN && high <= INT32_MAX && by <= INT32_MAX;
    if (is_narrow) /* vectors of 32-bit numbers divide well, others do not */
        x = loop_convert(b, LOOP_TRUNCATE, LOOP_I32, x);
    const loop_type t = loop_value_type(b, x);
    const loop_value d = loop_sized_const(b, t, divisor);
    loop_value r;
    if (shift < 64 && remainder) {
        r = loop_binary(b, LOOP_AND, x, loop_const(b, t, (uint64_t)by - 1));
    } else if (shift < 64) {
        r = loop_binary(b, LOOP_ASHR, x, loop_const(b, t, shift));
    } else if (low >= 0) {
        r = loop_binary(b, remainder ? LOOP_UREM : LOOP_UDIV, x, d);
    } else {
        const loop_value zero = loop_const(b, t, 0);
        const loop_value rest = loop_binary(b, LOOP_SREM, x, d);
        const loop_value below = loop_binary(b, LOOP_ILT, rest, zero);
        if (remainder)
            r = loop_binary(b, LOOP_IADD, rest, loop_select(b, below, d, zero));
        else
            r = loop_binary(b, LOOP_ISUB, loop_binary(b, LOOP_SDIV, x, d),
                            loop_convert(b, LOOP_ZEXT, (loop_elem)t.elem, below));
    }
    return is_narrow ? loop_convert(b, LOOP_SEXT, LOOP_I64, r) : r;
}

void emit_add_lanes(emitter *e, emit_index *sum, loop_value lanes)
{
    sum->lanes = emit_is_strided(sum) ? lanes : loop_binary(e->b, LOOP_IADD, sum->lanes, lanes);
}

emit_index emit_expr(emitter *e, const access_expr *expr)
{
    loop_builder *b = e->b;
    emit_index sum = {LOOP_NO_VALUE, 0, LOOP_NO_VALUE, 0, false};
    loop_value first = LOOP_NO_VALUE;
    for (uint32_t i = 0; i < expr->n; i++) {
        const access_term *t = &expr->at[i];
        loop_value x;
        if (t->kind == ACCESS_AXIS) {
            x = e->at[t->axis];
            if (t->axis == e->vector_axis && e->lanes > 1) {
                sum.step += t->factor;
                sum.step_other = other_add(sum.step_other, t->factor_other);
            }
        } else {
            const bool remainder = t->kind == ACCESS_REMAINDER;
            const emit_index of = emit_expr(e, t->of);
            if (emit_varies(e, &of)) {
                x = quotient(e, emit_all_lanes(e, &of), t, remainder);
                emit_add_lanes(e, &sum, emit_times(b, x, factor_of(t)));
                continue;
            }
            x = quotient(e, of.first, t, remainder);
        }
        x = emit_times(b, x, factor_of(t));
        first = first == LOOP_NO_VALUE ? x : loop_binary(b, LOOP_IADD, first, x);
    }
    if (first == LOOP_NO_VALUE)
        first = loop_sized(b, (sized){expr->constant, expr->constant_other});
    else if (expr->constant != 0)
        first = loop_binary(b, LOOP_IADD, first,
                            loop_sized(b, (sized){expr->constant, expr->constant_other}));
    sum.first = first;
    return sum;
}

/* ---- guards ---- */

loop_value emit_both(loop_builder *b, loop_value x, loop_value y)
{
    const uint32_t lanes_x = loop_lanes(b, x), lanes_y = loop_lanes(b, y);
    const uint32_t lanes = lanes_x > lanes_y ? lanes_x : lanes_y;
    return loop_binary(b, LOOP_AND, loop_splat(b, lanes, x), loop_splat(b, lanes, y));
}

bool emit_is_fixed_guard(const kernel *k, const access_guard *g)
{
    const uint32_t axes = access_expr_axes(g->of);
    bool is_fixed = g->low == g->low_other && g->high == g->high_other && access_is_fixed(g->of);
    for (uint32_t i = 0; i < k->rank && is_fixed; i++)
        is_fixed = !(axes >> i & 1) || k->dims[i] == k->other[i];
    return is_fixed;
}

/* Do the numbers that G compares fit into 32 bits, those of lanes behind the last position, too? */
static bool compares_short(const access_guard *g, const emit_index *x)
{
    enum { MOST = 1 << 29 };
    return x->step == x->step_other && g->of->low > -MOST && g->of->high < MOST && g->low > -MOST &&
           g->high < MOST && x->step > -MOST / LOOP_MAX_LANES && x->step < MOST / LOOP_MAX_LANES;
}

/* emit_all_lanes in 32 bits, of which vectors hold twice as many. */
static loop_value short_lanes(emitter *e, const emit_index *x)
{
    loop_builder *b = e->b;
    const loop_type t = loop_type_of(LOOP_I32, e->lanes);
    const loop_value step = loop_const(b, t, (uint64_t)x->step & UINT32_MAX);
    loop_value v = loop_splat(b, e->lanes, loop_convert(b, LOOP_TRUNCATE, LOOP_I32, x->first));
    v = loop_binary(b, LOOP_IADD, v,
                    loop_binary(b, LOOP_IMUL, loop_ramp(b, LOOP_I32, e->lanes), step));
    return emit_is_strided(x)
               ? v
               : loop_binary(b, LOOP_IADD, v, loop_convert(b, LOOP_TRUNCATE, LOOP_I32, x->lanes));
}

/* X in the type of V, whose numbers it is compared with. */
static loop_value limit_like(loop_builder *b, loop_value v, sized x)
{
    const loop_type t = loop_value_type(b, v);
    if (sized_is_fixed(x) || t.elem == LOOP_I64)
        return loop_sized_const(b, t, x);
    return loop_splat(b, t.lanes, loop_convert(b, LOOP_TRUNCATE, LOOP_I32, loop_sized(b, x)));
}

/* Whether LOW <= expr < HIGH, in one lane or in all. */
static loop_value holds(emitter *e, const access_guard *g)
{
    loop_builder *b = e->b;
    const emit_index x = emit_expr(e, g->of);
    const loop_value v = !emit_varies(e, &x)     ? x.first
                         : compares_short(g, &x) ? short_lanes(e, &x)
                                                 : emit_all_lanes(e, &x);
    loop_value ok = LOOP_NO_VALUE;
    if (g->of->low < g->low)
        ok = loop_unary(
            b, LOOP_NOT,
            loop_binary(b, LOOP_ILT, v, limit_like(b, v, (sized){g->low, g->low_other})));
    if (g->of->high >= g->high) {
        const loop_value below =
            loop_binary(b, LOOP_ILT, v, limit_like(b, v, (sized){g->high, g->high_other}));
        ok = ok == LOOP_NO_VALUE ? below : emit_both(b, ok, below);
    }
    return ok == LOOP_NO_VALUE ? loop_const(b, loop_type_of(LOOP_MASK, 1), 1) : ok;
}

loop_value emit_all_hold(emitter *e, const access_map *map, uint32_t from)
{
    loop_value ok = LOOP_NO_VALUE;
    for (uint32_t i = from; i < map->n_guards; i++) {
        const loop_value one = holds(e, &map->guards[i]);
        ok = ok == LOOP_NO_VALUE ? one : emit_both(e->b, ok, one);
    }
    return ok;
}

/* ---- what holds for all lanes at once ---- */

bool emit_unwrapped(emitter *e, const access_expr *expr, emit_index *line, loop_value *fits)
{
    loop_builder *b = e->b;
    loop_value first = loop_sized(b, (sized){expr->constant, expr->constant_other});
    sized step = sized_of(0);
    for (uint32_t i = 0; i < expr->n; i++) {
        const access_term *t = &expr->at[i];
        loop_value x;
        if (t->kind == ACCESS_AXIS) {
            x = e->at[t->axis];
            step = t->axis == e->vector_axis ? sized_add(step, factor_of(t)) : step;
        } else {
            const bool remainder = t->kind == ACCESS_REMAINDER;
            emit_index of;
            if (!emit_unwrapped(e, t->of, &of, fits) || of.step < 0 || of.step > t->by)
                return false;
            x = quotient(e, of.first, t, remainder);
            if (of.step > 0) {
                const loop_value rest = quotient(e, of.first, t, true);
                const sized of_step = {of.step, of.step_other}, by = {t->by, t->by_other};
                const sized most =
                    sized_add(by, sized_mul(of_step, sized_of(1 - (int64_t)e->lanes)));
                *fits = emit_both(b, *fits, loop_binary(b, LOOP_ILT, rest, loop_sized(b, most)));
                step = remainder ? sized_add(step, sized_mul(factor_of(t), of_step)) : step;
            }
        }
        first = loop_binary(b, LOOP_IADD, first, emit_times(b, x, factor_of(t)));
    }
    *line = (emit_index){first, step.now, LOOP_NO_VALUE, step.other, false};
    return true;
}

/* Is T a quotient or a remainder that is cut once in all lanes at most, and does what lies behind
 * the cut lie behind what is before it? */
static bool is_cut_once(const emitter *e, const access_term *t)
{
    const bool is_far = t->factor >= (t->kind == ACCESS_QUOTIENT ? t->by : 0);
    return t->by >= e->lanes && is_far && sized_is_fixed(factor_of(t)) &&
           sized_is_fixed((sized){t->by, t->by_other});
}

/* Are X and Y one axis each, moved by the same? */
static bool is_same_axis(const access_expr *x, const access_expr *y)
{
    return x->n == 1 && y->n == 1 && x->at[0].kind == ACCESS_AXIS && y->at[0].kind == ACCESS_AXIS &&
           x->at[0].axis == y->at[0].axis && x->constant == y->constant &&
           x->constant_other == y->constant_other;
}

loop_value emit_first_part(emitter *e, const access_expr *expr, bool *goes_back)
{
    loop_builder *b = e->b;
    const access_term *cut = NULL;
    loop_value rest = LOOP_NO_VALUE;
    int64_t ahead = 0; /* at the cut: as many times BY, or more, besides the usual step */
    for (uint32_t i = 0; i < expr->n; i++) {
        const access_term *t = &expr->at[i];
        emit_index of;
        loop_value fits = loop_const(b, loop_type_of(LOOP_MASK, 1), 1);
        if (t->kind == ACCESS_AXIS)
            continue;
        if (t->depth != 1 || !emit_unwrapped(e, t->of, &of, &fits))
            return LOOP_NO_VALUE;
        if (of.step == 0 && of.step_other == 0)
            continue;
        if (of.step != 1 || of.step_other != 1 || !is_cut_once(e, t) ||
            (cut && (cut->by != t->by || !is_same_axis(cut->of, t->of))))
            return LOOP_NO_VALUE;
        cut = t;
        ahead += t->kind == ACCESS_QUOTIENT ? t->factor / t->by : -t->factor;
        rest = loop_binary(b, LOOP_ISUB, loop_i64(b, t->by), quotient(e, of.first, t, true));
    }
    *goes_back = ahead < 0;
    return rest;
}

/* Does T go over few elements, each several times, when what it divides goes on by OF.step from
 * lane to lane? */
static bool is_over_few(const emitter *e, const access_term *t, const emit_index *of)
{
    const sized by = {t->by, t->by_other}, step = {of->step, of->step_other};
    return t->kind != ACCESS_AXIS && t->factor == 1 && sized_is_fixed(factor_of(t)) &&
           of->step == 1 && sized_is_fixed(step) && sized_is_fixed(by) && t->by < e->lanes &&
           e->lanes % t->by == 0;
}

/* Adds to *FIRST what T comes to in the first lane, of what it divides, *OF. False where lanes go
 * along its axis itself, or *OF has no such form. */
static bool add_term(emitter *e, const access_term *t, emit_index *of, loop_value *first,
                     loop_value *fits)
{
    loop_builder *b = e->b;
    *of = (emit_index){LOOP_NO_VALUE, 0, LOOP_NO_VALUE, 0, false};
    if (t->kind == ACCESS_AXIS ? t->axis == e->vector_axis : !emit_unwrapped(e, t->of, of, fits))
        return false;
    const loop_value x = t->kind == ACCESS_AXIS
                             ? e->at[t->axis]
                             : quotient(e, of->first, t, t->kind == ACCESS_REMAINDER);
    *first = loop_binary(b, LOOP_IADD, *first, emit_times(b, x, factor_of(t)));
    return true;
}

/* Adds to *FITS that what T divides, OF, is a multiple of its divisor in the first lane. */
static void expect_multiple(emitter *e, const access_term *t, const emit_index *of,
                            loop_value *fits)
{
    const loop_value rest = quotient(e, of->first, t, true);
    *fits = emit_both(e->b, *fits, loop_binary(e->b, LOOP_IEQ, rest, loop_i64(e->b, 0)));
}

uint32_t emit_few(emitter *e, const access_expr *expr, loop_value *first, loop_value *fits,
                  uint8_t *table)
{
    uint32_t n = 0;
    *first = loop_sized(e->b, (sized){expr->constant, expr->constant_other});
    for (uint32_t i = 0; i < expr->n; i++) {
        const access_term *t = &expr->at[i];
        const bool remainder = t->kind == ACCESS_REMAINDER;
        emit_index of;
        if (!add_term(e, t, &of, first, fits))
            return 0;
        if (of.step == 0 && of.step_other == 0)
            continue;
        if (n > 0 || !is_over_few(e, t, &of))
            return 0;
        const uint32_t by = (uint32_t)t->by;
        n = remainder ? by : e->lanes / by;
        for (uint32_t k = 0; k < e->lanes; k++)
            table[k] = (uint8_t)(remainder ? k % by : k / by);
        expect_multiple(e, t, &of, fits);
    }
    return n;
}

uint32_t emit_pieces(emitter *e, const access_expr *expr, loop_value *first, int64_t *apart,
                     loop_value *fits)
{
    uint32_t by = 0;
    int64_t step = 0;
    *first = loop_sized(e->b, (sized){expr->constant, expr->constant_other});
    *apart = 0;
    for (uint32_t i = 0; i < expr->n; i++) {
        const access_term *t = &expr->at[i];
        const bool remainder = t->kind == ACCESS_REMAINDER;
        emit_index of;
        if (!add_term(e, t, &of, first, fits))
            return 0;
        if (of.step == 0 && of.step_other == 0)
            continue;
        if (of.step != 1 || of.step_other != 1 || !sized_is_fixed(factor_of(t)) ||
            !sized_is_fixed((sized){t->by, t->by_other}) || t->by >= e->lanes ||
            e->lanes % t->by != 0 || (by != 0 && t->by != by))
            return 0;
        by = (uint32_t)t->by;
        step += remainder ? t->factor : 0;
        *apart += remainder ? 0 : t->factor;
        expect_multiple(e, t, &of, fits);
    }
    return step == 1 ? by : 0;
}

bool emit_all_within(emitter *e, const access_map *map, loop_value *fits)
{
    loop_builder *b = e->b;
    for (uint32_t i = 0; i < map->n_guards; i++) {
        const access_guard *g = &map->guards[i];
        emit_index x;
        if (!emit_unwrapped(e, g->of, &x, fits))
            return false;
        const sized back =
            sized_mul((sized){x.step, x.step_other}, sized_of(1 - (int64_t)e->lanes));
        sized low = {g->low, g->low_other}, high = {g->high, g->high_other};
        if (x.step < 0)
            low = sized_add(low, back);
        if (x.step > 0)
            high = sized_add(high, back);
        const loop_value below = loop_binary(b, LOOP_ILT, x.first, loop_sized(b, low));
        *fits = emit_both(b, *fits, loop_unary(b, LOOP_NOT, below));
        *fits = emit_both(b, *fits, loop_binary(b, LOOP_ILT, x.first, loop_sized(b, high)));
    }
    return true;
}
