/* Reductions of rows that are not contiguous: a vector holds the same element of neighbouring rows,
 * and the lanes of the law of bits are vectors in scratch memory. */
#include "eval/eval.h"
#include "loop/nest/rows_parts.h"

static void join_lane(rows *s, uint32_t pass, loop_value lane)
{
    emitter *e = &s->e;
    const uint32_t mark = emit_mark(e);
    e->kept_at = loop_binary(e->b, LOOP_IMUL, e->at[s->axis], loop_i64(e->b, e->lanes));
    for (uint32_t i = 0; i < s->n; i++) {
        const reduction *r = &s->r[i];
        if (r->pass != pass)
            continue;
        const element x = rows_operand(s, r);
        rows_store_slot(s, r, r->lanes, lane,
                        element_combine(e->b, r->kind, rows_load_slot(s, r, r->lanes, lane), x));
    }
    rows_keep(s);
    if (s->stores_early)
        rows_store_vector(s, false);
    emit_forget(e, mark);
}

static void join_lanes(rows *s, uint32_t pass, loop_value first, loop_value lanes)
{
    loop_builder *b = s->e.b;
    const loop_value lane = loop_for(b, loop_i64(b, 0), lanes, 1);
    s->e.at[s->axis] = loop_binary(b, LOOP_IADD, first, lane);
    join_lane(s, pass, lane);
    loop_end(b);
}

/* ---- short rows: each lane is done before the next begins, so none needs memory ---- */

enum { FEW = 4 * SUM_LANES };

typedef struct joined {
    element of[KERNEL_REDUCTIONS];
} joined;

static void read_element(rows *s, uint32_t pass, loop_value number, joined *out)
{
    emitter *e = &s->e;
    const uint32_t mark = emit_mark(e);
    e->at[s->axis] = number;
    e->kept_at = loop_binary(e->b, LOOP_IMUL, number, loop_i64(e->b, e->lanes));
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            out->of[i] = rows_operand(s, &s->r[i]);
    rows_keep(s);
    if (s->stores_early)
        rows_store_vector(s, false);
    emit_forget(e, mark);
}

/* Lane number LANE of the law: of the elements LANE, LANE + SUM_LANES, ... of COUNT. */
static void read_lane(rows *s, uint32_t pass, int64_t lane, int64_t count, joined *out)
{
    loop_builder *b = s->e.b;
    joined x;
    read_element(s, pass, loop_i64(b, lane), out);
    if (lane + SUM_LANES >= count)
        return;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            s->r[i].acc = element_var(b, out->of[i]);
    read_element(s, pass, loop_for(b, loop_i64(b, lane + SUM_LANES), loop_i64(b, count), SUM_LANES),
                 &x);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            element_set(b, s->r[i].acc,
                        element_combine(b, s->r[i].kind, element_get(b, s->r[i].acc), x.of[i]));
    loop_end(b);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            out->of[i] = element_get(b, s->r[i].acc);
}

/* Elements NUMBER, NUMBER + APART, ... of COUNT, combined as the lanes of the law are: each half of
 * what is left with the other, depth first, so that few are waiting at a time. */
static void join_few(rows *s, uint32_t pass, int64_t number, int64_t apart, int64_t count,
                     joined *out)
{
    joined other;
    if (apart >= SUM_LANES) {
        read_lane(s, pass, number, count, out);
        return;
    }
    join_few(s, pass, number, 2 * apart, count, out);
    if (number + apart >= count)
        return;
    join_few(s, pass, number + apart, 2 * apart, count, &other);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            out->of[i] = element_combine(s->e.b, s->r[i].kind, out->of[i], other.of[i]);
}

static void reduce_few(rows *s, uint32_t pass, int64_t count, element *results)
{
    joined all;
    join_few(s, pass, 0, 1, count, &all);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            results[i] = all.of[i];
}

void rows_reduce_column_block(rows *s, uint32_t pass, const row_part *part, element *results)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    const int64_t used = !s->is_dynamic && part->count < SUM_LANES ? part->count : SUM_LANES;
    if (!s->is_dynamic && !s->is_costly && s->length == part->count && part->count <= FEW) {
        reduce_few(s, pass, part->count, results);
        return;
    }
    loop_value rest;
    const loop_value whole = rows_whole(s, part, SUM_LANES, &rest);
    loop_value l = loop_for(b, loop_i64(b, 0), loop_i64(b, used), 1);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            rows_store_slot(s, &s->r[i], s->r[i].lanes, l, rows_identity(s, &s->r[i], e->lanes));
    loop_end(b);
    if (part->n != LOOP_NO_VALUE || part->count >= SUM_LANES) {
        l = loop_for(b, part->first, whole, SUM_LANES);
        join_lanes(s, pass, l, loop_i64(b, SUM_LANES));
        loop_end(b);
    }
    if (rest != LOOP_NO_VALUE)
        join_lanes(s, pass, whole, rest);
    for (uint32_t i = 0; i < s->n; i++) {
        const reduction *r = &s->r[i];
        if (r->pass != pass)
            continue;
        int64_t have = used;
        for (int64_t half = SUM_LANES / 2; half > 0; half /= 2) {
            if (have <= half)
                continue;
            l = loop_for(b, loop_i64(b, 0), loop_i64(b, have - half), 1);
            const loop_value partner = loop_binary(b, LOOP_IADD, l, loop_i64(b, half));
            rows_store_slot(s, r, r->lanes, l,
                            element_combine(b, r->kind, rows_load_slot(s, r, r->lanes, l),
                                            rows_load_slot(s, r, r->lanes, partner)));
            loop_end(b);
            have = half;
        }
        results[i] = rows_load_slot(s, r, r->lanes, loop_i64(b, 0));
    }
}
