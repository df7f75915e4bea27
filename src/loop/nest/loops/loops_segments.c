/* Rows that are combined by the segment they belong to (docs/numerics.md, section 7), one after the
 * other; columns are distributed over threads. */
#include "loop/nest/loops/loops_segments.h"
#include "graph/literal.h"
#include "ops/attr_rules.h"

/* ---- what segments begin with ---- */

/* May a row be -0? One that is a number everywhere is or is not, and integers and truth values that
 * are converted here (kernels do not distinguish what others convert) are not. */
static bool may_be_minus_zero(const loops *l)
{
    const function *f = l->f;
    value_id v = l->n->in[0];
    while (node_of(f, v)->op == OP_RESHAPE || node_of(f, v)->op == OP_BROADCAST)
        v = node_of(f, v)->in[0];
    const node *n = node_of(f, v);
    if (!dtype_is_float(value_type(f, v)->dtype))
        return true;
    if (kernel_is_uniform(n))
        return literal_is_all(attr_find(n->attrs, KEY_VALUE)->v.literal, scalar_of_float(-0.0));
    if (n->op != OP_CAST || !emit_contains(l->k, f->values.at[v].node))
        return true;
    const tn_dtype from = value_type(f, n->in[0])->dtype;
    return !dtype_is_int(from) && !dtype_is_bool(from);
}

enum { LANES = 16 };

/* Where rows have come: a byte for each of ROWS segments, and for those of a vector behind them. */
static loop_value no_marks(loop_builder *b, int64_t rows)
{
    const loop_value marks = loop_scratch(b, (uint64_t)rows + LANES);
    const loop_value i = loop_for(b, loop_i64(b, 0), loop_i64(b, rows), 1);
    loop_store(b, loop_offset(b, marks, i), loop_const(b, loop_type_of(LOOP_I8, 1), 0), 1);
    loop_end(b);
    return marks;
}

/* The same for single numbers, of which a vector is looked at. */
static void fill_unmarked_numbers(const scatter *s, loop_value marks, int64_t rows, element x)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const loop_value r = loop_for(b, loop_i64(b, 0), loop_i64(b, rows), LANES);
    const loop_value left = loop_binary(b, LOOP_ISUB, loop_i64(b, rows), r),
                     count = rows % LANES ? loop_min(b, left, loop_i64(b, LANES))
                                          : (loop_value)LOOP_NO_VALUE;
    const loop_type bytes = loop_type_of(LOOP_I8, LANES);
    const loop_value mark = loop_load(b, bytes, loop_offset(b, marks, r), 1);
    const element sum = loops_load(l, s->sum, s->to, r, LANES, count);
    const loop_value is_unmarked = loop_binary(b, LOOP_IEQ, mark, loop_const(b, bytes, 0));
    loops_store(l, s->to, r, element_select(b, is_unmarked, element_splat(b, LANES, x), sum),
                count);
    loop_end(b);
}

/* Segments without a mark become X. */
static void fill_unmarked(const scatter *s, loop_value marks, int64_t rows, int64_t width,
                          loop_value low, loop_value high, element x)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    loop_value count;
    const loop_type byte = loop_type_of(LOOP_I8, 1);
    if (width == 1) {
        fill_unmarked_numbers(s, marks, rows, x);
        return;
    }
    const loop_value r = loop_for(b, loop_i64(b, 0), loop_i64(b, rows), 1);
    const loop_value mark = loop_load(b, byte, loop_offset(b, marks, r), 1);
    loop_if(b, loop_binary(b, LOOP_IEQ, mark, loop_const(b, byte, 0)));
    const loop_value c = scatter_columns(s, low, high, &count);
    loops_store(l, s->to, loops_add(l, loops_times(l, r, width), c), element_splat(b, s->lanes, x),
                count);
    loop_end(b);
    loop_end(b);
    loop_end(b);
}

/* ---- rows that join ---- */

loop_value segments_ids(const segments *g, loop_value r, uint32_t lanes)
{
    loops *l = g->s.l;
    const element id = loops_read(l, 1, r, lanes, LOOP_NO_VALUE);
    return element_cast(&l->b, id, TN_SI64).re;
}

void segments_mark(const segments *g, loop_value segment)
{
    loop_builder *b = &g->s.l->b;
    if (g->marks != LOOP_NO_VALUE)
        loop_store(b, loop_offset(b, g->marks, segment), loop_const(b, loop_type_of(LOOP_I8, 1), 1),
                   1);
}

/* Row R (i64) of the operand is of the segment that is returned, if there is that one, and what
 * depends on it is open. */
static loop_value open_row(segments *g, loop_value r)
{
    const loop_value segment = segments_ids(g, r, 1);
    scatter_open_checked(g->s.l, segment, g->rows);
    segments_mark(g, segment);
    return segment;
}

/* Rows LOW .. HIGH - 1. */
static void join_rows(segments *g, loop_value low, loop_value high)
{
    loops *l = g->s.l;
    loop_builder *b = &l->b;
    loop_value count;
    const loop_value r = loop_for(b, low, high, 1);
    const loop_value segment = open_row(g, r);
    const loop_value c = scatter_columns(&g->s, g->low, g->high, &count);
    const element x = scatter_read(&g->s, 0, loops_add(l, loops_times(l, r, g->width), c), count);
    scatter_join(&g->s, loops_add(l, loops_times(l, segment, g->width), c), x, count);
    loop_end(b);
    loop_end(b);
    loop_end(b);
}

/* ---- runs: as long as one number after the other belongs to the same segment, its sum stays in a
 * ---- register. In memory each would wait until the one before it is stored. ---- */

enum { PIECE = 128, AT_ONCE = 4 };

/* Do the first rows from R on belong to one segment? Then runs are long, and the processor guesses
 * well when one ends, in the PIECE rows from there on, too. */
static loop_value have_runs(const segments *g, loop_value r)
{
    loops *l = g->s.l;
    loop_builder *b = &l->b;
    const loop_value here = segments_ids(g, r, LANES);
    const loop_value next = segments_ids(g, loops_add(l, r, loop_i64(b, 1)), LANES);
    const loop_value differ = loop_unary(b, LOOP_NOT, loop_binary(b, LOOP_IEQ, here, next));
    return loop_unary(b, LOOP_NOT, loop_any(b, differ));
}

void segments_load_sum(segments *g, loop_value segment)
{
    loops *l = g->s.l;
    loop_set(&l->b, g->segment, segment);
    element_set(&l->b, g->sum, loops_load(l, g->s.sum, g->s.to, segment, 1, LOOP_NO_VALUE));
}

void segments_store_sum(segments *g)
{
    loops *l = g->s.l;
    loops_store(l, g->s.to, loop_get(&l->b, g->segment), element_get(&l->b, g->sum), LOOP_NO_VALUE);
}

/* The PIECE rows from FIRST on. */
static void join_runs(segments *g, loop_value first)
{
    loop_builder *b = &g->s.l->b;
    segments_load_sum(g, loop_i64(b, 0)); /* which may be over at once */
    const loop_value r = loop_for(b, loop_i64(b, 0), loop_i64(b, PIECE), 1);
    const loop_value row = loops_add(g->s.l, first, r), segment = open_row(g, row);
    const loop_value is_same = loop_binary(b, LOOP_IEQ, loop_get(b, g->segment), segment);
    loop_if(b, loop_unary(b, LOOP_NOT, is_same));
    segments_store_sum(g);
    segments_load_sum(g, segment);
    loop_end(b);
    const element x = scatter_read(&g->s, 0, row, LOOP_NO_VALUE);
    element_set(b, g->sum, element_combine(b, g->s.kind, element_get(b, g->sum), x));
    loop_end(b);
    loop_end(b);
    segments_store_sum(g);
}

/* The PIECE rows from FIRST on, whose numbers are looked at before. */
static void join_piece(segments *g, loop_value first)
{
    loops *l = g->s.l;
    loop_builder *b = &l->b;
    const loop_value zero = loop_i64(b, 0), rows = loop_splat(b, LANES, loop_i64(b, g->rows));
    loop_value outside = loop_const(b, loop_type_of(LOOP_MASK, LANES), 0);
    for (int64_t k = 0; k < PIECE; k += LANES) {
        const loop_value ids = segments_ids(g, loops_add(l, first, loop_i64(b, k)), LANES);
        const loop_value is_there = loop_binary(b, LOOP_IULT, ids, rows);
        outside = loop_binary(b, LOOP_OR, outside, loop_unary(b, LOOP_NOT, is_there));
    }
    loop_if(b, loop_any(b, outside));
    join_rows(g, first, loops_add(l, first, loop_i64(b, PIECE)));
    loop_else(b);
    const loop_value row = loops_add(l, first, loop_for(b, zero, loop_i64(b, PIECE), AT_ONCE));
    loop_value at[AT_ONCE];
    for (int64_t k = 0; k < AT_ONCE; k++)
        at[k] = segments_ids(g, loops_add(l, row, loop_i64(b, k)), 1);
    for (int64_t k = 0; k < AT_ONCE; k++) {
        const loop_value r = loops_add(l, row, loop_i64(b, k));
        segments_mark(g, at[k]);
        scatter_join(&g->s, at[k], scatter_read(&g->s, 0, r, LOOP_NO_VALUE), LOOP_NO_VALUE);
    }
    loop_end(b);
    loop_end(b);
}

/* ALL rows, of single numbers in any order. */
static void join_in_any_order(segments *g, loop_value all)
{
    loops *l = g->s.l;
    loop_builder *b = &l->b;
    const loop_value zero = loop_i64(b, 0),
                     whole = loop_binary(b, LOOP_AND, all, loop_i64(b, -PIECE));
    g->segment = loop_var(b, zero);
    g->sum = element_var(b, element_zero(b, g->s.sum, 1));
    const loop_value first = loop_for(b, zero, whole, PIECE);
    loop_if(b, have_runs(g, first));
    join_runs(g, first);
    loop_else(b);
    join_piece(g, first);
    loop_end(b);
    loop_end(b);
    join_rows(g, whole, all);
}

/* The rows (LENGTH), of single numbers. */
static void join_numbers(segments *g, sized length)
{
    loop_builder *b = &g->s.l->b;
    const loop_value all = loop_sized(b, length), are_sorted = segments_are_sorted(g, all, length);
    if (are_sorted == LOOP_NO_VALUE) {
        join_in_any_order(g, all);
        return;
    }
    loop_if(b, are_sorted);
    segments_join_sorted(g, all, length);
    loop_else(b);
    join_in_any_order(g, all);
    loop_end(b);
}

/* ---- all of it ---- */

/* The first row of a segment starts its sum: what it is added to, -0, leaves every number as it is.
 * One without rows has the result for no elements. Where no row is -0 all may start as 0, as those
 * without rows are. */
bool loops_of_segment_reduce(loops *l)
{
    loop_builder *b = &l->b;
    const type *t = loops_result(l, 0);
    const attrs *given = l->n->attrs;
    const int64_t rows = t->dims[0], width = t->count / rows, n = loops_type(l, 0)->dims[0];
    const sized elements = {n, access_extents_of(l->f, l->n->in[0]).other[0]};
    segments g = {.s = {.kind = fold_kind_of(attr_int(given, KEY_COMBINE, COMBINE_ADD))},
                  .rows = rows,
                  .width = width};
    scatter *s = &g.s;
    element first;
    scatter_open(
        s, l, (tn_dtype)attr_int(given, KEY_ACCUM_DTYPE, (int64_t)accumulator_of(t->dtype)), width);
    const element empty = element_empty(b, s->kind, s->sum, t->dtype, 1);
    const bool has_zeros = s->kind == FOLD_SUM && !dtype_is_int(s->sum) && may_be_minus_zero(l);
    if (!has_zeros || !element_identity(b, s->kind, s->sum, 1, &first))
        first = empty;
    g.marks = has_zeros ? no_marks(b, rows) : LOOP_NO_VALUE;
    scatter_open_tile(l, loops_items(l), width, &g.low, &g.high);
    scatter_fill(s, loop_i64(b, 0), loop_i64(b, rows), width, g.low, g.high, &first);
    if (width == 1)
        join_numbers(&g, elements);
    else
        join_rows(&g, loop_i64(b, 0), loop_sized(b, elements));
    if (has_zeros)
        fill_unmarked(s, g.marks, rows, width, g.low, g.high, empty);
    scatter_finish(s, loop_i64(b, 0), loop_i64(b, rows), width, g.low, g.high);
    loop_end(b);
    return loops_step(l, scatter_tiles(width),
                      (uint64_t)((rows + n) * scatter_smallest(width, SCATTER_TILE)),
                      "row after row, columns over the threads");
}
