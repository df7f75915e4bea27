/* Nodes with loops of their own: what these share, and products of complex numbers. */
#include "loop/nest/loops/loops.h"

#include "eval/eval.h"
#include "ops/shape.h"

const type *loops_type(const loops *l, uint32_t operand)
{
    return value_type(l->f, l->n->in[operand]);
}

const type *loops_result(const loops *l, uint32_t result)
{
    return value_type(l->f, l->n->first_value + result);
}

/* The buffer of operand NUMBER. */
static uint32_t buffer_of(const loops *l, uint32_t number)
{
    uint32_t i = 0;
    while (i < l->k->n_in && l->k->in[i] != l->n->in[number])
        i++;
    return i;
}

loop_value loops_in(loops *l, uint32_t number)
{
    return l->in[buffer_of(l, number)];
}

loop_value loops_out(loops *l, uint32_t number)
{
    uint32_t i = 0;
    while (i + 1 < l->k->n_out && l->k->out[i].into != l->n->first_value + number)
        i++;
    return loop_buffer(&l->b, emit_output_buffer(l->k, i));
}

loop_value loops_temp(loops *l, uint32_t number)
{
    return loop_buffer(&l->b, emit_buffer_count(l->k) + number);
}

loop_value loops_items(loops *l)
{
    return loop_for(&l->b, loop_param_value(&l->b, LOOP_BEGIN),
                    loop_param_value(&l->b, LOOP_END_AT), 1);
}

/* A program for the next step. What it reads is found once, before any loop. */
static void begin_step(loops *l)
{
    loop_init(&l->b, l->memory);
    for (uint32_t i = 0; i < l->k->n_in; i++)
        l->in[i] = loop_buffer(&l->b, i);
}

bool loops_step(loops *l, int64_t items, uint64_t cost, const char *how)
{
    nest_step *step = &l->out->steps[l->out->n_steps++];
    *step = (nest_step){.program = loop_finish_or_fault(&l->b),
                        .work = items,
                        .grain = nest_grain(cost),
                        .how = how};
    begin_step(l);
    return step->program != NULL && !l->failed;
}

void loops_split_any(loops *l, loop_value x, int64_t by, bool is_dynamic, loop_value *quotient,
                     loop_value *rest)
{
    const bool divides = is_dynamic || by != 1;
    const loop_value d = nest_number(&l->b, is_dynamic, LINE_PARTS, by);
    *quotient = divides ? loop_binary(&l->b, LOOP_UDIV, x, d) : x;
    *rest = divides ? loop_binary(&l->b, LOOP_UREM, x, d) : loop_i64(&l->b, 0);
}

void loops_over_operand(loops *l)
{
    nest_step *step = &l->out->steps[l->out->n_steps - 1];
    if (buffer_of(l, 0) == l->k->n_in) /* it is computed */
        return;
    for (uint32_t k = 1; k < l->n->n_in; k++)
        if (l->n->in[k] == l->n->in[0]) /* it is read after it was written, too */
            return;
    step->in_place[step->n_in_place][0] = buffer_of(l, 0);
    step->in_place[step->n_in_place++][1] = emit_output_buffer(l->k, 0);
}

void loops_split(loops *l, loop_value x, int64_t by, loop_value *quotient, loop_value *rest)
{
    loops_split_any(l, x, by, false, quotient, rest);
}

static loop_value address(loops *l, tn_dtype d, loop_value base, loop_value index)
{
    return loop_offset(&l->b, base, loops_times(l, index, (int64_t)dtype_bytes(d)));
}

element loops_load(loops *l, tn_dtype d, loop_value base, loop_value index, uint32_t lanes,
                   loop_value count)
{
    const uint32_t align = (uint32_t)loop_elem_bytes(element_storage(d));
    const loop_value p = address(l, d, base, index);
    return lanes == 1 || count == LOOP_NO_VALUE
               ? element_load(&l->b, d, p, lanes, align)
               : element_load_first(&l->b, d, p, lanes, count, align);
}

element loops_read(loops *l, uint32_t number, loop_value index, uint32_t lanes, loop_value count)
{
    value_id v = l->n->in[number];
    if (buffer_of(l, number) < l->k->n_in)
        return loops_load(l, loops_type(l, number)->dtype, loops_in(l, number), index, lanes,
                          count);
    while (!kernel_is_uniform(node_of(l->f, v)) && !emit_contains(l->k, l->f->values.at[v].node))
        v = node_of(l->f, v)->in[0]; /* the same elements in another shape */
    emitter e;
    if (!emit_init(&e, &l->b, l->f, l->k, l->memory)) {
        l->failed = true;
        return element_zero(&l->b, value_type(l->f, v)->dtype, lanes);
    }
    e.in = l->in;
    const element x = emit_numbered(&e, v, index, lanes, count);
    l->failed = l->failed || e.failed;
    return x;
}

void loops_store(loops *l, loop_value base, loop_value index, element x, loop_value count)
{
    const uint32_t align = (uint32_t)loop_elem_bytes(element_storage(x.dtype));
    const loop_value p = address(l, x.dtype, base, index);
    if (element_lanes(&l->b, x) == 1 || count == LOOP_NO_VALUE)
        element_store(&l->b, p, x, align);
    else
        element_store_first(&l->b, p, x, count, align);
}

void loops_store_position(loops *l, uint32_t number, loop_value at, loop_value positions)
{
    const element x = {TN_SI64, positions, LOOP_NO_VALUE};
    loops_store(l, loops_out(l, number), at, element_cast(&l->b, x, loops_result(l, number)->dtype),
                LOOP_NO_VALUE);
}

loop_value loops_position(loops *l, uint32_t number, loop_value index)
{
    const element x = loops_read(l, number, index, 1, LOOP_NO_VALUE);
    return element_cast(&l->b, x, TN_SI64).re;
}

loops_lines loops_lines_of(const loops *l, uint32_t operand, uint32_t axis)
{
    const access_extents x = access_extents_of(l->f, l->n->in[operand]);
    loops_lines s = {.outer = 1, .width = sized_of(1)};
    for (uint32_t i = 0; i < axis; i++)
        s.outer *= x.now[i];
    for (uint32_t i = axis + 1; i < x.rank; i++)
        s.width = sized_mul(s.width, (sized){x.now[i], x.other[i]});
    s.length = (sized){x.now[axis], x.other[axis]};
    s.all = sized_mul(s.length, s.width);
    s.n = s.length.now;
    s.inner = s.width.now;
    s.any_n = !sized_is_fixed(s.length);
    s.any_inner = !sized_is_fixed(s.width);
    return s;
}

/* ---- products of complex numbers: by section 5 of docs/numerics.md, without a neutral number ----
 */

/* Some axes of a tensor. */
typedef struct axes_walk {
    uint32_t n;
    int64_t dims[TN_MAX_RANK], strides[TN_MAX_RANK];
    int64_t count;
} axes_walk;

static void split_axes(const type *t, uint32_t mask, axes_walk *in, axes_walk *others)
{
    int64_t stride = t->count;
    *in = *others = (axes_walk){.count = 1};
    for (uint32_t i = 0; i < t->rank; i++) {
        axes_walk *w = mask >> i & 1 ? in : others;
        stride /= t->dims[i];
        w->dims[w->n] = t->dims[i];
        w->strides[w->n++] = stride;
        w->count *= t->dims[i];
    }
}

static loop_value offset_at(loops *l, const axes_walk *w, loop_value number)
{
    loop_value offset = loop_i64(&l->b, 0), rest;
    for (uint32_t i = w->n; i-- > 0;) {
        loops_split(l, number, w->dims[i], &number, &rest);
        offset = loops_add(l, offset, loops_times(l, rest, w->strides[i]));
    }
    return offset;
}

typedef struct product {
    loops *l;
    tn_dtype sum;
    loop_value lanes, partials;
    axes_walk row;
} product;

static element load_from(const product *p, loop_value memory, loop_value index)
{
    return loops_load(p->l, p->sum, memory, index, 1, LOOP_NO_VALUE);
}

/* at[to] = at[to] * at[from] */
static void combine_at(const product *p, loop_value memory, loop_value to, loop_value a,
                       loop_value b)
{
    const element x =
        element_combine(&p->l->b, FOLD_PROD, load_from(p, memory, a), load_from(p, memory, b));
    loops_store(p->l, memory, to, x, LOOP_NO_VALUE);
}

/* Block number BLOCK of COUNT elements of the row that starts at element FIRST. */
static void reduce_block(const product *p, loop_value first, loop_value block, int64_t count)
{
    loops *l = p->l;
    loop_builder *b = &l->b;
    const int64_t used = count < SUM_LANES ? count : SUM_LANES;
    const loop_value start = loops_times(l, block, SUM_BLOCK), zero = loop_i64(b, 0);
    const loop_value j = loop_for(b, zero, loop_i64(b, count), 1);
    const loop_value at = loops_add(l, first, offset_at(l, &p->row, loops_add(l, start, j)));
    const element x = element_cast(
        b, loops_load(l, loops_type(l, 0)->dtype, loops_in(l, 0), at, 1, LOOP_NO_VALUE), p->sum);
    const loop_value lane = loop_binary(b, LOOP_AND, j, loop_i64(b, SUM_LANES - 1));
    loop_if(b, loops_less(l, j, loop_i64(b, SUM_LANES)));
    loops_store(l, p->lanes, lane, x, LOOP_NO_VALUE);
    loop_else(b);
    loops_store(l, p->lanes, lane, element_combine(b, FOLD_PROD, load_from(p, p->lanes, lane), x),
                LOOP_NO_VALUE);
    loop_end(b);
    loop_end(b);
    for (int64_t have = used, half = SUM_LANES / 2; half > 0; half /= 2) {
        if (have <= half)
            continue;
        const loop_value i = loop_for(b, zero, loop_i64(b, have - half), 1);
        combine_at(p, p->lanes, i, i, loops_add(l, i, loop_i64(b, half)));
        loop_end(b);
        have = half;
    }
    loops_store(l, p->partials, block, load_from(p, p->lanes, zero), LOOP_NO_VALUE);
}

bool loops_of_product(loops *l)
{
    loop_builder *b = &l->b;
    const type *x = loops_type(l, 0), *t = loops_result(l, 0);
    const attr *axes = attr_find(l->n->attrs, KEY_AXES), *init = attr_find(l->n->attrs, KEY_INIT);
    axis_list list;
    axes_walk kept;
    bool keep;
    uint32_t n;
    const int64_t *given = attr_ints(l->n->attrs, KEY_AXES, &n);
    product p = {.l = l,
                 .sum = (tn_dtype)attr_int(l->n->attrs, KEY_ACCUM_DTYPE, (int64_t)x->dtype)};
    if (resolve_reduction(axes ? given : NULL, n, false, x->rank, &list, &keep).kind != SHAPE_OK)
        return false;
    split_axes(x, list.mask, &p.row, &kept);
    const int64_t blocks = (p.row.count + SUM_BLOCK - 1) / SUM_BLOCK;
    const int64_t size = (int64_t)dtype_bytes(p.sum);
    p.lanes = loop_scratch(b, (uint64_t)(SUM_LANES * size));
    p.partials = loop_scratch(b, (uint64_t)(blocks * size));
    const loop_value item = loops_items(l), first = offset_at(l, &kept, item);
    if (blocks > 1) {
        const loop_value i = loop_for(b, loop_i64(b, 0), loop_i64(b, blocks - 1), 1);
        reduce_block(&p, first, i, SUM_BLOCK);
        loop_end(b);
    }
    reduce_block(&p, first, loop_i64(b, blocks - 1), p.row.count - (blocks - 1) * SUM_BLOCK);
    for (int64_t have = blocks; have > 1; have = (have + 1) / 2) {
        const loop_value i = loop_for(b, loop_i64(b, 0), loop_i64(b, have / 2), 1);
        const loop_value two = loops_times(l, i, 2);
        combine_at(&p, p.partials, i, two, loops_add(l, two, loop_i64(b, 1)));
        loop_end(b);
        if (have % 2)
            loops_store(l, p.partials, loop_i64(b, have / 2),
                        load_from(&p, p.partials, loop_i64(b, have - 1)), LOOP_NO_VALUE);
    }
    element total = load_from(&p, p.partials, loop_i64(b, 0));
    if (init)
        total = element_combine(b, FOLD_PROD, total, element_number(b, p.sum, 1, *init->v.scalar));
    loops_store(l, loops_out(l, 0), item, element_cast(b, total, t->dtype), LOOP_NO_VALUE);
    loop_end(b);
    return loops_step(l, t->count, (uint64_t)p.row.count * 4, "row by row");
}

bool nest_of_loops(const function *f, const kernel *k, const nest_options *o, arena *memory,
                   nest *out)
{
    loops l = {
        .f = f, .k = k, .n = &f->nodes.at[k->node], .on = &o->on, .memory = memory, .out = out};
    l.in = ARENA_ARRAY(memory, loop_value, k->n_in);
    if (!l.in)
        return false;
    begin_step(&l);
    if (kernel_only_checks(f, l.n))
        return loops_of_checks(&l);
    switch ((int)l.n->op) {
    case OP_REDUCE_PROD:
        return loops_of_product(&l);
    case OP_ARG_MAX:
        return loops_of_arg_max(&l);
    case OP_SORT:
    case OP_ARGSORT:
        return loops_of_sort(&l);
    case OP_TOP_K:
        return loops_of_top_k(&l);
    case OP_CUMULATIVE:
        return loops_of_cumulative(&l);
    case OP_SCATTER_ROWS:
        return loops_of_scatter_rows(&l);
    case OP_SCATTER_ADD:
        return loops_of_scatter_add(&l);
    case OP_SCATTER_REDUCE:
        return loops_of_scatter_reduce(&l);
    case OP_SEGMENT_REDUCE:
        return loops_of_segment_reduce(&l);
    case OP_CONV2D_GRAD_INPUT:
        return loops_of_taps(&l);
    case OP_SCAN:
        return loops_of_scan(&l);
    case OP_WHILE:
        return loops_of_while(&l);
    default:
        return false;
    }
}
