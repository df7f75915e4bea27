/* Reductions of rows: blocks in the lanes of the law, extrema in any, and how blocks combine. */
#include <math.h>

#include "eval/eval.h"
#include "loop/nest/rows_parts.h"

enum { AHEAD = 16 << 10 }; /* bytes that rows are prefetched before they are needed */

element rows_operand(rows *s, const reduction *r)
{
    emitter *e = &s->e;
    const bool is_keyed = r->keyed != TN_I1;
    element x = emit_value(e, r->x, s->k->operands);
    x = element_cast(e->b, element_splat(e->b, e->lanes, x), is_keyed ? r->keyed : r->lane);
    return is_keyed ? element_fold_key(e->b, r->kind, x) : x;
}

void rows_use_keys(reduction *r)
{
    if (!fold_is_extremum(r->kind) || (r->sum != TN_F32 && r->sum != TN_F64))
        return;
    r->keyed = r->sum;
    r->sum = r->lane = r->block = r->sum == TN_F64 ? TN_SI64 : TN_SI32;
}

/* An extremum of floats has rules for zeros and NaN; others are one instruction in any case. */
static bool has_rules(const reduction *r)
{
    return dtype_is_float(r->sum);
}

element rows_identity(rows *s, const reduction *r, uint32_t lanes)
{
    element x = element_zero(s->e.b, r->lane, lanes);
    if (s->is_plain && has_rules(r))
        return element_empty(s->e.b, r->kind, r->sum, r->sum, lanes);
    if (!element_identity(s->e.b, r->kind, r->lane, lanes, &x))
        s->e.failed = true;
    return x;
}

/* ACC combined with X. A plain extremum takes X only where it is larger (smaller): one instruction,
 * which also ignores NaNs. */
element rows_join(rows *s, const reduction *r, element acc, element x)
{
    loop_builder *b = s->e.b;
    if (!s->is_plain || !has_rules(r))
        return element_combine(b, r->kind, acc, x);
    const loop_value beyond = fold_is_largest(r->kind) ? loop_binary(b, LOOP_FLT, acc.re, x.re)
                                                       : loop_binary(b, LOOP_FLT, x.re, acc.re);
    return element_select(b, beyond, x, acc);
}

/* The lanes of X, by halving. */
static element combine_lanes(rows *s, const reduction *r, element x)
{
    for (uint32_t half = element_lanes(s->e.b, x) / 2; half > 0; half /= 2)
        x = rows_join(s, r, element_part(s->e.b, x, 0, half), element_part(s->e.b, x, half, half));
    return x;
}

/* Does NaN win where a plain extremum ignores it? Then what was NaN is noted beside it. */
static bool notes_nans(const rows *s, const reduction *r)
{
    return s->is_plain && has_rules(r) && fold_nan_wins(r->kind);
}

/* Half as many lanes note NaNs: two can be asked at once, and vectors are longer than the
 * machine's. */
static uint32_t note_lanes(const rows *s)
{
    return s->e.lanes > 1 ? s->e.lanes / 2 : 1;
}

static loop_elem bits_of(const reduction *r)
{
    return r->sum == TN_F64 ? LOOP_I64 : LOOP_I32;
}

void rows_start(rows *s, reduction *r)
{
    loop_builder *b = s->e.b;
    r->acc = element_var(b, rows_identity(s, r, s->e.lanes));
    if (notes_nans(s, r))
        r->nans = loop_var(b, loop_const(b, loop_type_of(bits_of(r), note_lanes(s)), 0));
}

static void note_nans(rows *s, const reduction *r, element x)
{
    loop_builder *b = s->e.b;
    const uint32_t lanes = note_lanes(s);
    const element low = lanes < s->e.lanes ? element_part(b, x, 0, lanes) : x;
    const element high = lanes < s->e.lanes ? element_part(b, x, lanes, lanes) : x;
    const loop_value ones = loop_const(b, loop_type_of(bits_of(r), lanes), UINT64_MAX);
    loop_set(
        b, r->nans,
        loop_select(b, loop_binary(b, LOOP_FUNO, low.re, high.re), ones, loop_get(b, r->nans)));
}

/* Where NaNs are noted the lanes combine as keys, of which a NaN's is the best. */
element rows_total(rows *s, const reduction *r)
{
    loop_builder *b = s->e.b;
    element x = element_get(b, r->acc);
    if (!notes_nans(s, r))
        return element_cast(b, combine_lanes(s, r, element_cast(b, x, r->block)), r->sum);
    const uint32_t lanes = note_lanes(s);
    if (lanes < s->e.lanes)
        x = rows_join(s, r, element_part(b, x, 0, lanes), element_part(b, x, lanes, lanes));
    x = element_fold_key(b, r->kind, x);
    const bool wide = r->sum == TN_F64, largest = fold_is_largest(r->kind);
    const int64_t best = wide ? largest ? INT64_MAX : INT64_MIN : largest ? INT32_MAX : INT32_MIN;
    const loop_type t = loop_value_type(b, x.re);
    const loop_value is_nan = loop_binary(b, LOOP_ILT, loop_get(b, r->nans), loop_const(b, t, 0));
    x.re = loop_select(b, is_nan, loop_const(b, t, (uint64_t)best), x.re);
    for (uint32_t half = lanes / 2; half > 0; half /= 2)
        x = element_combine(b, r->kind, element_part(b, x, 0, half),
                            element_part(b, x, half, half));
    return element_of_fold_key(b, r->kind, r->sum, x);
}

void rows_hoist_operands(rows *s, uint32_t pass)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            emit_hoist(&s->e, s->r[i].n->in[0], s->k->operands,
                       UINT32_C(1) << s->axis | (s->columns ? UINT32_C(1) << s->e.vector_axis : 0));
}

/* Elements at e->at[axis] join the accumulators of PASS. */
void rows_join_vector(rows *s, uint32_t pass)
{
    emitter *e = &s->e;
    const uint32_t mark = emit_mark(e);
    e->kept_at = e->at[s->axis];
    for (uint32_t i = 0; i < s->n; i++) {
        reduction *r = &s->r[i];
        if (r->pass != pass)
            continue;
        element x = rows_operand(s, r);
        if (e->count != LOOP_NO_VALUE)
            x = element_select(e->b, element_first(e->b, e->lanes, e->count), x,
                               rows_identity(s, r, e->lanes));
        element_set(e->b, r->acc, rows_join(s, r, element_get(e->b, r->acc), x));
        if (notes_nans(s, r))
            note_nans(s, r, x);
    }
    rows_keep(s);
    emit_forget(e, mark);
}

/* ---- the length of a row ---- */

loop_value rows_size(const rows *s, uint32_t name, int64_t value)
{
    return s->is_dynamic ? loop_size(s->e.b, name, value) : loop_i64(s->e.b, value);
}

/* FIRST + COUNT; known where FIRST is. */
static loop_value behind(loop_builder *b, loop_value first, int64_t count)
{
    const loop_inst *at = first < b->n ? &b->at[first] : NULL; /* NULL: there was no memory */
    return at && at->op == LOOP_CONST && at->n_lanes == 0
               ? loop_i64(b, (int64_t)at->imm + count)
               : loop_binary(b, LOOP_IADD, first, loop_i64(b, count));
}

row_part rows_all(const rows *s)
{
    row_part all = {loop_i64(s->e.b, 0), s->length, LOOP_NO_VALUE};
    if (s->is_dynamic)
        all.n = rows_size(s, ROWS_LENGTH, s->length);
    return all;
}

row_part rows_block(const rows *s, loop_value block)
{
    loop_builder *b = s->e.b;
    return (row_part){loop_binary(b, LOOP_IMUL, block, loop_i64(b, SUM_BLOCK)), SUM_BLOCK,
                      LOOP_NO_VALUE};
}

row_part rows_last_block(const rows *s)
{
    loop_builder *b = s->e.b;
    const int64_t before = rows_blocks(s) - 1;
    if (!s->is_dynamic)
        return (row_part){loop_i64(b, before * SUM_BLOCK), s->length - before * SUM_BLOCK,
                          LOOP_NO_VALUE};
    row_part last = {.count = s->length - before * SUM_BLOCK};
    last.first =
        loop_binary(b, LOOP_IMUL, rows_size(s, ROWS_BLOCKS, before), loop_i64(b, SUM_BLOCK));
    last.n = loop_binary(b, LOOP_ISUB, rows_size(s, ROWS_LENGTH, s->length), last.first);
    return last;
}

loop_value rows_whole(const rows *s, const row_part *part, uint32_t lanes, loop_value *rest)
{
    loop_builder *b = s->e.b;
    if (part->n == LOOP_NO_VALUE) {
        const int64_t left = part->count % lanes;
        *rest = left ? loop_i64(b, left) : (loop_value)LOOP_NO_VALUE;
        return behind(b, part->first, part->count - left);
    }
    if (lanes == 1) {
        *rest = LOOP_NO_VALUE;
        return loop_binary(b, LOOP_IADD, part->first, part->n);
    }
    const loop_value whole = loop_binary(b, LOOP_AND, part->n, loop_i64(b, -(int64_t)lanes));
    *rest = loop_binary(b, LOOP_ISUB, part->n, whole);
    return loop_binary(b, LOOP_IADD, part->first, whole);
}

void rows_open_rest(rows *s, const row_part *part, loop_value rest)
{
    if (part->n != LOOP_NO_VALUE)
        loop_if(s->e.b, loop_binary(s->e.b, LOOP_ILT, loop_i64(s->e.b, 0), rest));
}

void rows_close_rest(rows *s, const row_part *part)
{
    if (part->n != LOOP_NO_VALUE)
        loop_end(s->e.b);
}

/* ---- blocks ---- */

void rows_reduce_block(rows *s, uint32_t pass, const row_part *part, element *results)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    loop_value rest;
    const loop_value whole = rows_whole(s, part, e->lanes, &rest);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            rows_start(s, &s->r[i]);
    if (part->n != LOOP_NO_VALUE || part->count >= e->lanes) {
        e->at[s->axis] = loop_for(b, part->first, whole, e->lanes);
        e->ahead = rows_runs_ahead(s, pass) ? AHEAD / (int64_t)rows_widest(s) : 0;
        rows_join_vector(s, pass);
        e->ahead = 0;
        loop_end(b);
    }
    if (rest != LOOP_NO_VALUE) {
        rows_open_rest(s, part, rest);
        e->at[s->axis] = whole;
        e->count = rest;
        rows_join_vector(s, pass);
        e->count = LOOP_NO_VALUE;
        rows_close_rest(s, part);
    }
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->r[i].pass == pass)
            results[i] = rows_total(s, &s->r[i]);
    }
}

/* ---- extrema, which are the same in any order ---- */

bool rows_are_extrema(const rows *s, uint32_t pass)
{
    bool all = !s->columns;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            all = all && fold_is_extremum(s->r[i].kind) &&
                  (s->r[i].sum == TN_F32 || s->r[i].sum == TN_F64 || dtype_is_int(s->r[i].sum) ||
                   (dtype_is_bool(s->r[i].sum) && s->has_mask_registers));
    return all;
}

void rows_mend_extrema(rows *s, uint32_t pass, const row_part *part, element *results)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    loop_value any = LOOP_NO_VALUE;
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->r[i].pass != pass || !has_rules(&s->r[i]))
            continue;
        const loop_value zero = element_zero(b, s->r[i].sum, 1).re;
        const loop_value is_zero = loop_binary(b, LOOP_FEQ, results[i].re, zero);
        any = any == LOOP_NO_VALUE ? is_zero : loop_binary(b, LOOP_OR, any, is_zero);
    }
    if (any == LOOP_NO_VALUE)
        return;
    element vars[KERNEL_REDUCTIONS];
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            vars[i] = element_var(b, results[i]);
    const uint32_t mark = emit_mark(e);
    loop_if(b, any);
    rows_reduce_block(s, pass, part, results);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            element_set(b, vars[i], results[i]);
    loop_end(b);
    emit_forget(e, mark);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            results[i] = element_get(b, vars[i]);
}

void rows_reduce_extrema(rows *s, uint32_t pass, const row_part *part, element *results)
{
    enum { LONG = 256 };
    emitter *e = &s->e;
    const uint32_t lanes = e->lanes;
    e->lanes = !s->is_dynamic && s->length >= LONG && lanes < LOOP_MAX_LANES ? 2 * lanes : lanes;
    s->is_plain = true;
    rows_reduce_block(s, pass, part, results);
    s->is_plain = false;
    e->lanes = lanes;
    rows_mend_extrema(s, pass, part, results);
}

loop_value rows_slot(rows *s, const reduction *r, loop_value base, loop_value index)
{
    const int64_t size = (int64_t)dtype_bytes(r->sum) * (s->columns ? (int64_t)s->e.lanes : 1);
    return loop_offset(s->e.b, base, loop_binary(s->e.b, LOOP_IMUL, index, loop_i64(s->e.b, size)));
}

element rows_load_slot(rows *s, const reduction *r, loop_value base, loop_value index)
{
    return element_load(s->e.b, r->sum, rows_slot(s, r, base, index), s->columns ? s->e.lanes : 1,
                        (uint32_t)loop_elem_bytes(element_storage(r->sum)));
}

void rows_store_slot(rows *s, const reduction *r, loop_value base, loop_value index, element x)
{
    element_store(s->e.b, rows_slot(s, r, base, index), x,
                  (uint32_t)loop_elem_bytes(element_storage(r->sum)));
}

int64_t rows_blocks(const rows *s)
{
    return (s->length + SUM_BLOCK - 1) / SUM_BLOCK;
}

sized rows_sized_blocks(const rows *s)
{
    const sized length = nest_extent(s->k, s->axis);
    const sized blocks = sized_div(sized_add(length, sized_of(SUM_BLOCK - 1)), sized_of(SUM_BLOCK));
    return s->is_dynamic ? sized_apart(blocks) : blocks;
}

loop_value rows_all_blocks(const rows *s)
{
    return rows_size(s, ROWS_ALL_BLOCKS, rows_blocks(s));
}

rows_level rows_open_level(rows *s)
{
    loop_builder *b = s->e.b;
    rows_level l;
    const loop_value one = loop_i64(b, 1);
    int64_t levels = 0;
    for (int64_t n = rows_blocks(s); n > 1; n = (n + 1) / 2)
        levels++;
    l.left = loop_var(b, rows_all_blocks(s));
    (void)loop_for(b, loop_i64(b, 0), rows_size(s, ROWS_LEVELS, levels), 1);
    l.n = loop_get(b, l.left);
    l.half = loop_binary(b, LOOP_LSHR, l.n, one);
    return l;
}

void rows_open_odd(rows *s, rows_level *l)
{
    loop_builder *b = s->e.b;
    const loop_value one = loop_i64(b, 1);
    l->above = loop_binary(b, LOOP_LSHR, loop_binary(b, LOOP_IADD, l->n, one), one);
    loop_if(b, loop_binary(b, LOOP_ILT, l->half, l->above));
    l->last = loop_binary(b, LOOP_ISUB, l->n, one);
}

void rows_close_level(rows *s, const rows_level *l)
{
    loop_builder *b = s->e.b;
    loop_end(b);
    loop_set(b, l->left, l->above);
    loop_end(b);
}

/* The same for a number of blocks that is known when the program runs. */
static element combine_dynamic_blocks(rows *s, const reduction *r)
{
    loop_builder *b = s->e.b;
    rows_level l = rows_open_level(s);
    const loop_value i = loop_for(b, loop_i64(b, 0), l.half, 1),
                     two = loop_binary(b, LOOP_IADD, i, i);
    const element x = rows_load_slot(s, r, r->partials, two);
    const element y =
        rows_load_slot(s, r, r->partials, loop_binary(b, LOOP_IADD, two, loop_i64(b, 1)));
    rows_store_slot(s, r, r->partials, i, element_combine(b, r->kind, x, y));
    loop_end(b);
    rows_open_odd(s, &l);
    rows_store_slot(s, r, r->partials, l.half, rows_load_slot(s, r, r->partials, l.last));
    rows_close_level(s, &l);
    return rows_load_slot(s, r, r->partials, loop_i64(b, 0));
}

/* Blocks combine pairwise by index, level by level, in their place. */
element rows_combine_blocks(rows *s, const reduction *r)
{
    loop_builder *b = s->e.b;
    if (s->is_dynamic)
        return combine_dynamic_blocks(s, r);
    for (int64_t n = rows_blocks(s); n > 1; n = (n + 1) / 2) {
        const loop_value i = loop_for(b, loop_i64(b, 0), loop_i64(b, n / 2), 1);
        const loop_value two = loop_binary(b, LOOP_IADD, i, i);
        const element x = rows_load_slot(s, r, r->partials, two);
        const element y =
            rows_load_slot(s, r, r->partials, loop_binary(b, LOOP_IADD, two, loop_i64(b, 1)));
        rows_store_slot(s, r, r->partials, i, element_combine(b, r->kind, x, y));
        loop_end(b);
        if (n % 2)
            rows_store_slot(s, r, r->partials, loop_i64(b, n / 2),
                            rows_load_slot(s, r, r->partials, loop_i64(b, n - 1)));
    }
    return rows_load_slot(s, r, r->partials, loop_i64(b, 0));
}

/* What comes after the last element: docs/numerics.md, section 5, steps 6 to 8. */
element rows_finish(rows *s, const reduction *r, element x)
{
    loop_builder *b = s->e.b;
    const attr *init = attr_find(r->n->attrs, KEY_INIT);
    const uint32_t lanes = element_lanes(b, x);
    const tn_dtype sum = r->keyed != TN_I1 ? r->keyed : r->sum;
    if (r->keyed != TN_I1)
        x = element_of_fold_key(b, r->kind, sum, x);
    if (r->kind == FOLD_MAX || r->kind == FOLD_MIN)
        x = element_combine(b, r->kind, x, element_empty(b, r->kind, sum, r->out, lanes));
    if (r->n->op == OP_MEAN)
        x = element_divide_count(b, x, nest_extent(s->k, s->axis));
    if (init)
        x = element_combine(b, r->kind, x, element_number(b, sum, lanes, *init->v.scalar));
    return element_cast(b, x, r->out);
}

void rows_store_partials(rows *s, uint32_t pass, loop_value block, const element *results)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            rows_store_slot(s, &s->r[i], s->r[i].partials, block, results[i]);
}
