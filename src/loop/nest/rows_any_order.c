/* Extrema of columns, many columns at once. They are the same in any order, so a column has one
 * place in scratch memory instead of the lanes of the law. Floats are compared plainly, which takes
 * one instruction; it passes over NaNs, which are noted where they win, and of two zeros it may
 * take the wrong one, which is looked for where the extremum is zero. */
#include <math.h>

#include "eval/eval.h"
#include "loop/nest/rows_parts.h"

enum {
    ITERATIONS_LOG2 = 3,
    ITERATIONS = 1 << ITERATIONS_LOG2, /* rows that join at a time, so that a place is rarely loaded
                                          and stored */
    GROUP = ITERATIONS * SUM_LANES,    /* rows that these are taken from */
    LEAST_ROWS = 32                    /* fewer are read once, and kept in registers */
};

/* What lies in scratch memory, a strip each. */
typedef enum place { EXTREMA, NANS, ZEROS } place;

static bool is_plain_float(const reduction *r)
{
    return r->sum == TN_F32 || r->sum == TN_F64;
}

static bool wins_by_nan(const reduction *r)
{
    return is_plain_float(r) && fold_nan_wins(r->kind);
}

bool rows_notes_nans(const rows *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (wins_by_nan(&s->r[i]))
            return true;
    return false;
}

bool rows_may_be_any_order(const rows *s)
{
    bool can = s->stores_early && !s->is_costly && (s->is_dynamic || s->length >= LEAST_ROWS);
    for (uint32_t i = 0; i < s->n; i++)
        can = can && fold_is_extremum(s->r[i].kind) &&
              (is_plain_float(&s->r[i]) || dtype_is_int(s->r[i].sum));
    for (uint32_t i = 0; i < s->k->n_out; i++)
        can = can && rows_is_row_value(s, &s->k->out[i]);
    return can;
}

uint64_t rows_any_order_places(void)
{
    return ZEROS + 1;
}

static loop_value index_of(rows *s, place p, loop_value v)
{
    loop_builder *b = s->e.b;
    return p == EXTREMA ? v : loop_binary(b, LOOP_IADD, v, rows_of_strip(s, p));
}

/* Of the bits of R's floats. */
static element load_bits(rows *s, const reduction *r, place p, loop_value v)
{
    const tn_dtype d = r->sum == TN_F64 ? TN_SI64 : TN_SI32;
    return element_load(s->e.b, d, rows_slot(s, r, r->lanes, index_of(s, p, v)), s->e.lanes,
                        (uint32_t)dtype_bytes(d));
}

static loop_value ones_like(loop_builder *b, element x)
{
    return loop_const(b, loop_value_type(b, x.re), UINT64_MAX);
}

/* The zero that wins, or the other one, as bits like those of NOTE. */
static loop_value zero_like(loop_builder *b, const reduction *r, bool best, element note)
{
    const uint64_t sign = UINT64_C(1) << (r->sum == TN_F64 ? 63 : 31);
    return loop_const(b, loop_value_type(b, note.re), fold_is_largest(r->kind) == best ? 0 : sign);
}

/* The operands of N rows, ROW and others APART from each other, in X. */
static void read_rows(rows *s, const reduction *r, loop_value row, loop_value apart, uint32_t n,
                      element *x)
{
    emitter *e = &s->e;
    for (uint32_t t = 0; t < n; t++) {
        const uint32_t mark = emit_mark(e);
        e->at[s->axis] = row;
        x[t] = rows_operand(s, r);
        emit_forget(e, mark);
        row = loop_binary(e->b, LOOP_IADD, row, apart);
    }
}

static void join_extremum(rows *s, const reduction *r, uint32_t n, const element *x, loop_value v)
{
    element acc = rows_load_slot(s, r, r->lanes, v);
    for (uint32_t t = 0; t < n; t++)
        acc = rows_join(s, r, acc, x[t]);
    rows_store_slot(s, r, r->lanes, v, acc);
}

/* Two are asked at once. */
static void note_nans(rows *s, const reduction *r, uint32_t n, const element *x, loop_value v)
{
    loop_builder *b = s->e.b;
    element note = load_bits(s, r, NANS, v);
    for (uint32_t t = 0; t < n; t += 2) {
        const element other = x[t + 1 < n ? t + 1 : t];
        note.re = loop_select(b, loop_binary(b, LOOP_FUNO, x[t].re, other.re), ones_like(b, note),
                              note.re);
    }
    rows_store_slot(s, r, r->lanes, index_of(s, NANS, v), note);
}

/* The zero that wins is the least of all bits, signed or not. */
static void note_zeros(rows *s, const reduction *r, uint32_t n, const element *x, loop_value v)
{
    loop_builder *b = s->e.b;
    element note = load_bits(s, r, ZEROS, v);
    const loop_elem bits = r->sum == TN_F64 ? LOOP_I64 : LOOP_I32;
    const loop_op less = fold_is_largest(r->kind) ? LOOP_IULT : LOOP_ILT;
    for (uint32_t t = 0; t < n; t++) {
        const loop_value y = loop_convert(b, LOOP_BITCAST, bits, x[t].re);
        note.re = loop_select(b, loop_binary(b, less, y, note.re), y, note.re);
    }
    rows_store_slot(s, r, r->lanes, index_of(s, ZEROS, v), note);
}

/* N rows, ROW and others APART from each other, join all columns; or, where FOR_ZEROS, only zeros
 * are looked for. */
static void join_rows(rows *s, const rows_columns *c, bool for_zeros, loop_value row,
                      loop_value apart, uint32_t n)
{
    loop_builder *b = s->e.b;
    const loop_value v = loop_for(b, loop_i64(b, 0), c->full, 1);
    rows_move_to(s, c, v);
    for (uint32_t i = 0; i < s->n; i++) {
        const reduction *r = &s->r[i];
        element x[ITERATIONS];
        if (for_zeros && !is_plain_float(r))
            continue;
        read_rows(s, r, row, apart, n, x);
        if (for_zeros) {
            note_zeros(s, r, n, x, v);
            continue;
        }
        join_extremum(s, r, n, x, v);
        if (wins_by_nan(r))
            note_nans(s, r, n, x, v);
    }
    loop_end(b);
}

/* Memory is read in ITERATIONS streams, which the hardware prefetcher follows. */
static void join_all_rows(rows *s, const rows_columns *c, const row_part *part, bool for_zeros)
{
    loop_builder *b = s->e.b;
    loop_value rest;
    const loop_value whole = rows_whole(s, part, ITERATIONS, &rest);
    const loop_value first = loop_for(b, part->first, whole, GROUP);
    const loop_value group =
        loop_min(b, loop_binary(b, LOOP_ISUB, whole, first), loop_i64(b, GROUP));
    const loop_value apart = loop_binary(b, LOOP_LSHR, group, loop_i64(b, ITERATIONS_LOG2));
    const loop_value i = loop_for(b, loop_i64(b, 0), apart, 1);
    join_rows(s, c, for_zeros, loop_binary(b, LOOP_IADD, first, i), apart, ITERATIONS);
    loop_end(b);
    loop_end(b);
    if (rest == LOOP_NO_VALUE)
        return;
    const loop_value end = loop_binary(b, LOOP_IADD, whole, rest);
    join_rows(s, c, for_zeros, loop_for(b, whole, end, 1), loop_i64(b, 0), 1);
    loop_end(b);
}

static void clear(rows *s, const rows_columns *c, place p)
{
    loop_builder *b = s->e.b;
    const loop_value v = loop_for(b, loop_i64(b, 0), c->full, 1);
    for (uint32_t i = 0; i < s->n; i++) {
        const reduction *r = &s->r[i];
        if (p == EXTREMA) {
            rows_store_slot(s, r, r->lanes, v, rows_identity(s, r, s->e.lanes));
        } else if (p == ZEROS ? is_plain_float(r) : wins_by_nan(r)) {
            const tn_dtype d = r->sum == TN_F64 ? TN_SI64 : TN_SI32;
            element start = element_zero(b, d, s->e.lanes);
            if (p == ZEROS)
                start.re = zero_like(b, r, false, start);
            rows_store_slot(s, r, r->lanes, index_of(s, p, v), start);
        }
    }
    loop_end(b);
}

static loop_value is_zero(rows *s, const reduction *r, element x)
{
    return loop_binary(s->e.b, LOOP_FEQ, x.re, element_zero(s->e.b, r->sum, s->e.lanes).re);
}

/* Whether an extremum is zero: an i64, 0 or 1. */
static loop_value any_is_zero(rows *s, const rows_columns *c)
{
    loop_builder *b = s->e.b;
    const loop_value any = loop_var(b, loop_i64(b, 0));
    const loop_value v = loop_for(b, loop_i64(b, 0), c->full, 1);
    for (uint32_t i = 0; i < s->n; i++) {
        const reduction *r = &s->r[i];
        if (!is_plain_float(r))
            continue;
        const loop_value here = loop_any(b, is_zero(s, r, rows_load_slot(s, r, r->lanes, v)));
        loop_set(b, any, loop_select(b, here, loop_i64(b, 1), loop_get(b, any)));
    }
    loop_end(b);
    return loop_get(b, any);
}

static void mend_zeros(rows *s, const rows_columns *c, const row_part *part)
{
    loop_builder *b = s->e.b;
    const loop_value any = any_is_zero(s, c);
    loop_if(b, loop_binary(b, LOOP_ILT, loop_i64(b, 0), any));
    clear(s, c, ZEROS);
    join_all_rows(s, c, part, true);
    const loop_value v = loop_for(b, loop_i64(b, 0), c->full, 1);
    for (uint32_t i = 0; i < s->n; i++) {
        const reduction *r = &s->r[i];
        if (!is_plain_float(r))
            continue;
        const element note = load_bits(s, r, ZEROS, v);
        element x = rows_load_slot(s, r, r->lanes, v);
        const loop_value best = zero_like(b, r, true, note);
        const loop_value zero = loop_select(b, loop_binary(b, LOOP_IEQ, note.re, best), best,
                                            zero_like(b, r, false, note));
        const loop_elem own = r->sum == TN_F64 ? LOOP_F64 : LOOP_F32;
        x.re = loop_select(b, is_zero(s, r, x), loop_convert(b, LOOP_BITCAST, own, zero), x.re);
        rows_store_slot(s, r, r->lanes, v, x);
    }
    loop_end(b);
    loop_end(b);
}

void rows_reduce_any_order(rows *s, const rows_columns *c, const row_part *part)
{
    bool any_float = false;
    for (uint32_t i = 0; i < s->n; i++)
        any_float = any_float || is_plain_float(&s->r[i]);
    s->is_plain = true;
    clear(s, c, EXTREMA);
    if (rows_notes_nans(s))
        clear(s, c, NANS);
    join_all_rows(s, c, part, false);
    if (any_float)
        mend_zeros(s, c, part);
    s->is_plain = false;
}

element rows_any_order_result(rows *s, const reduction *r, loop_value v)
{
    loop_builder *b = s->e.b;
    element x = rows_load_slot(s, r, r->lanes, v);
    if (!wins_by_nan(r))
        return x;
    const element note = load_bits(s, r, NANS, v);
    const element nan = element_number(b, r->sum, s->e.lanes, scalar_of_float((double)NAN));
    x.re = loop_select(
        b, loop_binary(b, LOOP_ILT, note.re, element_zero(b, note.dtype, s->e.lanes).re), nan.re,
        x.re);
    return x;
}
