/* conv2d_grad_input: for each element of the result the chain of its products, over the taps that
 * meet an element of dy (docs/numerics.md, section 6). */
#include "eval/eval.h"
#include "eval/parts/fold.h"
#include "loop/nest/loops/loops.h"
#include "ops/shape.h"

/* The filter [kh, kw, ci, co] as [kh, kw, co, ci] in the dtype of sums, so that vectors lie along
 * ci. */
static bool transpose_filter(loops *l, const conv_geometry *g, tn_dtype sum)
{
    loop_builder *b = &l->b;
    const loop_value tap = loops_items(l);
    const loop_value o = loop_for(b, loop_i64(b, 0), loop_i64(b, g->co), 1);
    const loop_value i = loop_for(b, loop_i64(b, 0), loop_i64(b, g->ci), 1);
    const loop_value first = loops_times(l, tap, g->ci * g->co);
    const element x = loops_load(l, loops_type(l, 1)->dtype, loops_in(l, 1),
                                 loops_add(l, first, loops_add(l, loops_times(l, i, g->co), o)), 1,
                                 LOOP_NO_VALUE);
    loops_store(l, loops_temp(l, 0), loops_add(l, first, loops_add(l, loops_times(l, o, g->ci), i)),
                element_cast(b, x, sum), LOOP_NO_VALUE);
    loop_end(b);
    loop_end(b);
    loop_end(b);
    return loops_step(l, g->kh * g->kw, (uint64_t)(g->ci * g->co), "the filter transposed");
}

/* A chain in the making, for `lanes` elements of the result. */
typedef struct chain {
    loops *l;
    const conv_geometry *g;
    tn_dtype in, sum;
    uint32_t lanes;
    loop_value dy, filter;
    loop_value column, count; /* the first channel, and how many count */
    element part, total;      /* variables */
    loop_value length, has_total;
} chain;

/* The result row (or column) that tap A puts on input row V; *OK whether there is one. */
static loop_value meets(loops *l, loop_value v, int64_t low, loop_value a, int64_t stride,
                        int64_t results, loop_value *ok)
{
    loop_builder *b = &l->b;
    const loop_value at = loop_binary(b, LOOP_ISUB, loops_add(l, v, loop_i64(b, low)), a);
    loop_value quotient = at, rest = loop_i64(b, 0);
    const loop_value is_there = loop_unary(b, LOOP_NOT, loops_less(l, at, rest));
    if (stride > 1) {
        const loop_value safe = loop_select(b, is_there, at, loop_i64(b, 0));
        loops_split(l, safe, stride, &quotient, &rest);
    }
    *ok = loop_binary(b, LOOP_AND, is_there,
                      loop_binary(b, LOOP_AND, loop_binary(b, LOOP_IEQ, rest, loop_i64(b, 0)),
                                  loops_less(l, quotient, loop_i64(b, results))));
    return quotient;
}

/* The block that is complete joins the total: the first one is it. */
static void close_block(const chain *c)
{
    loop_builder *b = &c->l->b;
    const element part = element_get(b, c->part), total = element_get(b, c->total);
    const element sum = element_combine(b, FOLD_SUM, total, part);
    element_set(b, c->total,
                element_select(b, loop_splat(b, c->lanes, loop_get(b, c->has_total)), sum, part));
    loop_set(b, c->has_total, loop_const(b, loop_type_of(LOOP_MASK, 1), 1));
    element_set(b, c->part, element_zero(b, c->sum, c->lanes));
}

/* Products number LOW .. HIGH of the tap whose rows of dy and of the filter start at DY and ROW. */
static void add_products(const chain *c, loop_value low, loop_value high, loop_value dy,
                         loop_value row)
{
    loops *l = c->l;
    loop_builder *b = &l->b;
    const loop_value o = loop_for(b, low, high, 1);
    const element x =
        element_cast(b, loops_load(l, c->in, c->dy, loops_add(l, dy, o), 1, LOOP_NO_VALUE), c->sum);
    const element w =
        loops_load(l, c->sum, c->filter,
                   loops_add(l, loops_add(l, row, loops_times(l, o, c->g->ci)), c->column),
                   c->lanes, c->count);
    element_set(b, c->part,
                element_fma(b, element_splat(b, c->lanes, x), w, element_get(b, c->part)));
    loop_end(b);
}

/* One tap: its products fill up the block that is open, then others. */
static void add_tap(const chain *c, loop_value dy, loop_value row)
{
    loops *l = c->l;
    loop_builder *b = &l->b;
    const loop_value zero = loop_i64(b, 0), all = loop_i64(b, c->g->co);
    const loop_value block = loop_i64(b, CONTRACT_BLOCK);
    const loop_value done = loop_var(b, zero);
    const int64_t most = c->g->co / CONTRACT_BLOCK + 2; /* blocks that a tap touches */
    if (most > 2)
        (void)loop_for(b, zero, loop_i64(b, most), 1);
    for (int64_t k = 0; k < (most > 2 ? 1 : most); k++) {
        const loop_value from = loop_get(b, done), have = loop_get(b, c->length);
        const loop_value room = loop_binary(b, LOOP_ISUB, block, have);
        const loop_value to = loop_min(&l->b, loops_add(l, from, room), all);
        add_products(c, from, to, dy, row);
        const loop_value now = loops_add(l, have, loop_binary(b, LOOP_ISUB, to, from));
        const loop_value is_full = loop_binary(b, LOOP_IEQ, now, block);
        loop_set(b, done, to);
        loop_if(b, is_full);
        close_block(c);
        loop_set(b, c->length, zero);
        loop_else(b);
        loop_set(b, c->length, now);
        loop_end(b);
    }
    if (most > 2)
        loop_end(b);
}

/* Every tap that meets an element of dy, for the input pixel (N, Y, X). */
static void add_taps(const chain *c, loop_value n, loop_value y, loop_value x)
{
    loops *l = c->l;
    loop_builder *b = &l->b;
    const conv_geometry *g = c->g;
    loop_value has_row, has_column;
    const loop_value kh = loop_for(b, loop_i64(b, 0), loop_i64(b, g->kh), 1);
    const loop_value oy = meets(l, y, g->top, kh, g->stride_h, g->ho, &has_row);
    loop_if(b, has_row);
    const loop_value kw = loop_for(b, loop_i64(b, 0), loop_i64(b, g->kw), 1);
    const loop_value ox = meets(l, x, g->left, kw, g->stride_w, g->wo, &has_column);
    loop_if(b, has_column);
    const loop_value line = loops_add(l, loops_times(l, n, g->ho), oy);
    const loop_value dy = loops_times(l, loops_add(l, loops_times(l, line, g->wo), ox), g->co);
    const loop_value tap = loops_add(l, loops_times(l, kh, g->kw), kw);
    add_tap(c, dy, loops_times(l, tap, g->ci * g->co));
    loop_end(b);
    loop_end(b);
    loop_end(b);
    loop_end(b);
}

bool loops_of_taps(loops *l)
{
    loop_builder *b = &l->b;
    const type *t = loops_result(l, 0);
    conv_geometry g;
    if (resolve_conv(l->n->attrs, t->dims, loops_type(l, 1)->dims, &g).kind != SHAPE_OK)
        return false;
    chain c = {.l = l, .g = &g, .in = t->dtype, .sum = accumulator_of(t->dtype)};
    l->out->n_temps = 1;
    l->out->temps[0] = (uint64_t)loops_type(l, 1)->count * dtype_bytes(c.sum);
    if (!transpose_filter(l, &g, c.sum))
        return false;
    c.lanes = dtype_bytes(c.sum) > 4 ? 32 : 64; /* several chains beside each other */
    while (c.lanes > 1 && c.lanes / 2 >= g.ci)
        c.lanes /= 2;
    const loop_value row = loops_items(l);
    loop_value n, y;
    loops_split(l, row, g.h, &n, &y);
    c.dy = loops_in(l, 0);
    c.filter = loops_temp(l, 0);
    const loop_value x = loop_for(b, loop_i64(b, 0), loop_i64(b, g.w), 1);
    c.column = loop_for(b, loop_i64(b, 0), loop_i64(b, g.ci), c.lanes);
    c.count = LOOP_NO_VALUE;
    if (g.ci % c.lanes)
        c.count = loop_min(&l->b, loop_binary(b, LOOP_ISUB, loop_i64(b, g.ci), c.column),
                           loop_i64(b, c.lanes));
    const element zero = element_zero(b, c.sum, c.lanes);
    c.part = element_var(b, zero);
    c.total = element_var(b, zero);
    c.length = loop_var(b, loop_i64(b, 0));
    c.has_total = loop_var(b, loop_const(b, loop_type_of(LOOP_MASK, 1), 0));
    add_taps(&c, n, y, x);
    /* What is left in the open block; with no products at all the total is +0. */
    loop_if(b, loops_less(l, loop_i64(b, 0), loop_get(b, c.length)));
    close_block(&c);
    loop_end(b);
    const loop_value pixel = loops_add(l, loops_times(l, row, g.w), x);
    loops_store(l, loops_out(l, 0), loops_add(l, loops_times(l, pixel, g.ci), c.column),
                element_cast(b, element_get(b, c.total), t->dtype), c.count);
    loop_end(b);
    loop_end(b);
    loop_end(b);
    return loops_step(l, g.n * g.h, (uint64_t)(g.w * g.ci * g.kh * g.kw) * (uint64_t)g.co,
                      "the taps of each row");
}
