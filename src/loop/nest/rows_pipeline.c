/* Software pipelining over rows: one loop runs the last pass of a row together with the pass before
 * it of the next row, and so on. So the processor has independent work where a pass waits for the
 * results of the one before, memory and arithmetic are busy at the same time, and each row is still
 * computed in the order of the law of bits. In iteration T, stage K (a pass, or finally the stores)
 * handles row T - K. Before the first row and after the last one, stages repeat that row; what they
 * store for it is stored again correctly before the end. */
#include <string.h>

#include "eval/eval.h"
#include "loop/nest/map.h"
#include "loop/nest/rows_parts.h"
#include "ops/node_facts.h"

enum {
    MOST_PASSES = 3,
    FEWEST_ROWS = 16, /* of a call: filling and draining the pipeline costs as many rows as there
                         are stages */
    SHORTEST = 64,    /* elements of a row */
    AHEAD = 1024,     /* elements that rows are prefetched before the first pass */
};

typedef struct stage {
    loop_value at[TN_MAX_RANK]; /* its row */
    emit_known *known;          /* of that row */
    uint32_t n_known;
    uint32_t kept; /* mask over e->kept: what earlier stages have stored */
} stage;

typedef struct pipeline {
    rows *s;
    uint32_t n; /* passes; the stage after them stores */
    stage of[MOST_PASSES + 1];
    /* Variables: the result of a reduction for the row of the stage after its own, and of those
     * after that. */
    element past[KERNEL_REDUCTIONS][MOST_PASSES];
} pipeline;

/* ---- which kernels ---- */

/* Only the next stage may read what a stage keeps: it does so before the element of the next row is
 * stored there. */
static bool keeps_for_next(const rows *s, const emit_kept *kept)
{
    const uint32_t in = rows_passes_with(s, s->e.f->values.at[kept->v].node);
    const uint32_t first = in & ~UINT32_C(1), pass = (uint32_t)__builtin_ctz(first);
    const uint32_t next = pass == s->passes ? 1 : UINT32_C(1) << (pass + 1);
    return first && in == (UINT32_C(1) << pass | next);
}

/* Where nothing expensive is kept between passes, they are bound by memory, and one row at a time
 * is faster. */
bool rows_can_pipeline(const rows *s, int64_t items)
{
    bool stores = false,
         is_dynamic = false; /* the number of rows is dynamic: one program serves few and many */
    for (uint32_t i = 0; i < s->axis; i++)
        is_dynamic = is_dynamic || nest_is_dynamic(s->k, i);
    if (s->columns || s->is_sequential || s->passes > MOST_PASSES ||
        (items < FEWEST_ROWS && !is_dynamic) || (s->length < SHORTEST && !s->is_dynamic))
        return false;
    for (uint32_t i = 0; i < s->k->n_out; i++)
        stores = stores || !rows_is_row_value(s, &s->k->out[i]);
    for (uint32_t i = 0; i < s->k->n_nodes; i++) { /* repeated rows must not fail */
        const node *n = &s->e.f->nodes.at[s->k->nodes[i]];
        if (kernel_reads_by_data(n) || node_may_fail(s->e.f, n))
            return false;
    }
    for (uint32_t i = 0; i < s->e.n_kept; i++)
        if (!keeps_for_next(s, &s->e.kept[i]))
            return false;
    return stores && s->passes > 1 && s->e.n_kept > 0;
}

int64_t rows_pipeline_grain(int64_t grain)
{
    return grain < FEWEST_ROWS ? FEWEST_ROWS : grain;
}

/* ---- stages ---- */

/* Move the emitter to the row of stage K, with the values known for it. */
static uint32_t enter(pipeline *p, uint32_t k)
{
    emitter *e = &p->s->e;
    const stage *own = &p->of[k];
    const uint32_t mark = emit_mark(e);
    memcpy(e->at, own->at, sizeof e->at);
    for (uint32_t i = 0; i < e->n_kept; i++)
        e->kept[i].is_filled = own->kept >> i & 1;
    for (uint32_t i = 0; i < own->n_known; i++)
        emit_know(e, own->known[i].v, own->known[i].map, own->known[i].x);
    return mark;
}

/* The row of stage K in this iteration, its results so far, and the values that follow from them.
 */
static void prepare(pipeline *p, uint32_t k, loop_value row)
{
    rows *s = p->s;
    emitter *e = &s->e;
    stage *own = &p->of[k];
    const uint32_t mark = emit_mark(e);
    nest_decode(e, row, s->axis);
    memcpy(own->at, e->at, sizeof own->at);
    own->kept = 0;
    for (uint32_t i = 0; i < e->n_kept; i++) {
        const uint32_t in = rows_passes_with(s, e->f->values.at[e->kept[i].v].node) & ~UINT32_C(1);
        const uint32_t stored_by = in ? (uint32_t)__builtin_ctz(in) - 1 : MOST_PASSES;
        own->kept |= (uint32_t)(stored_by < k) << i;
        e->kept[i].is_filled = stored_by < k;
    }
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass <= k)
            emit_know(e, s->r[i].n->first_value, NULL,
                      element_get(e->b, p->past[i][k - s->r[i].pass]));
    if (k < p->n)
        rows_hoist_operands(s, k + 1);
    else
        rows_hoist_results(s);
    own->n_known = emit_mark(e) - mark;
    own->known = ARENA_ARRAY(e->memory, emit_known, own->n_known);
    if (own->known && own->n_known)
        memcpy(own->known, e->known + mark, own->n_known * sizeof *own->known);
    e->failed = e->failed || !own->known;
    emit_forget(e, mark);
}

/* ---- one iteration ---- */

static bool is_extremum(const rows *s, uint32_t i)
{
    return rows_are_extrema(s, s->r[i].pass);
}

/* Accumulators of all extrema, or of all others, start. */
static void open_accumulators(pipeline *p, bool extrema)
{
    rows *s = p->s;
    for (uint32_t i = 0; i < s->n; i++) {
        if (is_extremum(s, i) != extrema)
            continue;
        s->is_plain = extrema;
        rows_start(s, &s->r[i]);
        s->is_plain = false;
    }
}

/* All stages at the emitter's position in the row, the last one first: it reads a kept value before
 * the stage before it overwrites that for the next row. */
static void all_stages(pipeline *p, loop_value at, bool nontemporal)
{
    rows *s = p->s;
    emitter *e = &s->e;
    s->stored = 0;
    for (uint32_t k = p->n + 1; k-- > 0;) {
        const uint32_t mark = enter(p, k);
        e->at[s->axis] = at;
        if (k == p->n) {
            rows_store_vector(s, nontemporal);
        } else {
            s->is_plain = rows_are_extrema(s, k + 1);
            e->ahead = nontemporal && k == 0 ? AHEAD : 0;
            rows_join_vector(s, k + 1);
            e->ahead = 0;
            s->is_plain = false;
        }
        emit_forget(e, mark);
    }
    if (s->stored != (UINT32_C(1) << e->n_kept) - 1)
        e->failed = true; /* a stage did not store what the next one reads */
}

static void all_elements(pipeline *p, const row_part *part, bool nontemporal)
{
    rows *s = p->s;
    emitter *e = &s->e;
    loop_value rest;
    const loop_value whole = rows_whole(s, part, e->lanes, &rest);
    if (part->n != LOOP_NO_VALUE || part->count >= e->lanes) {
        all_stages(p, loop_for(e->b, part->first, whole, e->lanes), nontemporal);
        loop_end(e->b);
    }
    if (rest != LOOP_NO_VALUE) {
        rows_open_rest(s, part, rest);
        e->count = rest;
        all_stages(p, whole, false);
        e->count = LOOP_NO_VALUE;
        rows_close_rest(s, part);
    }
}

static void one_block(pipeline *p, loop_value block, const row_part *part, bool nontemporal)
{
    rows *s = p->s;
    open_accumulators(p, false);
    all_elements(p, part, nontemporal);
    for (uint32_t i = 0; i < s->n; i++)
        if (!is_extremum(s, i))
            rows_store_slot(s, &s->r[i], s->r[i].partials, block, rows_total(s, &s->r[i]));
}

static void all_blocks(pipeline *p, bool nontemporal)
{
    rows *s = p->s;
    loop_builder *b = s->e.b;
    if (rows_are_one_block(s)) {
        const row_part all = rows_all(s);
        all_elements(p, &all, nontemporal);
        return;
    }
    const loop_value before = rows_size(s, ROWS_BLOCKS, rows_blocks(s) - 1);
    const loop_value i = loop_for(b, loop_i64(b, 0), before, 1);
    const row_part block = rows_block(s, i);
    one_block(p, i, &block, nontemporal);
    loop_end(b);
    const row_part last = rows_last_block(s);
    one_block(p, before, &last, nontemporal);
}

/* The results of all reductions, each for the row of its stage. */
static void finish(pipeline *p, element *results)
{
    rows *s = p->s;
    for (uint32_t k = 0; k < p->n; k++) {
        const uint32_t mark = enter(p, k);
        const bool extrema = rows_are_extrema(s, k + 1);
        s->is_plain = extrema;
        for (uint32_t i = 0; i < s->n; i++)
            if (s->r[i].pass == k + 1)
                results[i] = extrema || rows_are_one_block(s) ? rows_total(s, &s->r[i])
                                                              : rows_combine_blocks(s, &s->r[i]);
        s->is_plain = false;
        const row_part all = rows_all(s);
        if (extrema)
            rows_mend_extrema(s, k + 1, &all, results);
        for (uint32_t i = 0; i < s->n; i++)
            if (s->r[i].pass == k + 1)
                results[i] = rows_finish(s, &s->r[i], results[i]);
        emit_forget(&s->e, mark);
    }
}

static void one_iteration(pipeline *p, loop_value iteration, loop_value begin, loop_value end)
{
    rows *s = p->s;
    loop_builder *b = s->e.b;
    element results[KERNEL_REDUCTIONS];
    const loop_value last = loop_binary(b, LOOP_ISUB, end, loop_i64(b, 1));
    for (uint32_t k = 0; k <= p->n; k++) {
        loop_value row = loop_binary(b, LOOP_ISUB, iteration, loop_i64(b, k));
        row = loop_select(b, loop_binary(b, LOOP_ILT, row, begin), begin, row);
        prepare(p, k, loop_min(b, row, last));
    }
    open_accumulators(p, true);
    if (rows_are_one_block(s))
        open_accumulators(p, false);
    const loop_value aligned = map_aligned(&s->e, s->out);
    for (int nontemporal = aligned != LOOP_NO_VALUE; nontemporal >= 0; nontemporal--) {
        if (nontemporal)
            loop_if(b, aligned);
        all_blocks(p, nontemporal);
        if (nontemporal)
            loop_else(b);
    }
    if (aligned != LOOP_NO_VALUE)
        loop_end(b);
    finish(p, results);
    const uint32_t mark = enter(p, p->n);
    rows_store_row_values(s);
    emit_forget(&s->e, mark);
    for (uint32_t i = 0; i < s->n; i++) {
        for (uint32_t d = p->n - s->r[i].pass; d > 0; d--)
            element_set(b, p->past[i][d], element_get(b, p->past[i][d - 1]));
        element_set(b, p->past[i][0], results[i]);
    }
}

void rows_emit_pipeline(rows *s, loop_value begin, loop_value end)
{
    loop_builder *b = s->e.b;
    pipeline *p = ARENA_NEW(s->e.memory, pipeline);
    if (!p) {
        s->e.failed = true;
        return;
    }
    p->s = s;
    p->n = s->passes;
    if (nest_bytes(s->e.f, s->k) / 4 >= s->e.cached / 3) /* all together are not kept either */
        s->e.cached /= 2;
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t d = 0; d <= p->n - s->r[i].pass; d++)
            p->past[i][d] = element_var(b, element_zero(b, s->r[i].out, 1));
    loop_if(b, loop_binary(b, LOOP_ILT, begin, end));
    const loop_value iterations = loop_binary(b, LOOP_IADD, end, loop_i64(b, p->n));
    one_iteration(p, loop_for(b, begin, iterations, 1), begin, end);
    loop_end(b);
    loop_end(b);
}
