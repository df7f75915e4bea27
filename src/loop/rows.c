/* Nests of kernels with reductions: for each row, or for each vector of neighbouring rows, pass
 * after pass over its elements. The order of every sum is that of docs/numerics.md, section 5. */
#include <string.h>

#include "loop/nest.h"
#include "ops/eval.h"
#include "ops/fold.h"

enum {
    MOST_KEPT = 1 << 18 /* bytes of one row of a value worth keeping between passes */
};

typedef struct reduction {
    const node *n;
    fold_kind kind;
    tn_dtype in, sum, out;
    uint32_t pass;
    element acc;         /* a variable, of one lane of the law for each vector lane */
    loop_value lanes;    /* column mode: SUM_LANES vectors in scratch memory */
    loop_value partials; /* one value, or vector, for each block, in scratch memory */
} reduction;

typedef struct rows {
    emitter e;
    const kernel *k;
    int64_t length; /* of a row */
    uint32_t axis;  /* the reduced one, the last */
    bool columns;   /* vectors lie across rows, along the last kept axis */
    reduction r[KERNEL_REDUCTIONS];
    uint32_t n, passes;
    bool is_plain;   /* the extrema that are being made may get the sign of a zero wrong */
    uint32_t stored; /* mask over e.kept: what the pass that is being made stores */
    uint8_t
        *levels; /* by position in k->nodes: 1 + the pass that its value waits for; 0: unknown */
    loop_value out[KERNEL_OUTPUTS];
} rows;

/* ---- passes ---- */

static uint32_t place_of(const kernel *k, uint32_t node_index)
{
    uint32_t low = 0, high = k->n_nodes;
    while (low < high) {
        const uint32_t mid = (low + high) / 2;
        if (k->nodes[mid] < node_index)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static bool reduces(const node *n)
{
    return (op_table[n->op].traits & T_REDUCES) != 0;
}

/* The last pass whose results V needs; 0 for none. Nodes are in order, so operands come first. */
static uint32_t level_of(const rows *s, value_id v)
{
    const uint32_t i = s->e.f->values.at[v].node;
    return emit_contains(s->k, i) ? s->levels[place_of(s->k, i)] : 0;
}

static bool find_passes(rows *s)
{
    const function *f = s->e.f;
    s->levels = ARENA_ARRAY(s->e.memory, uint8_t, s->k->n_nodes);
    if (!s->levels)
        return false;
    for (uint32_t i = 0; i < s->k->n_nodes; i++) {
        const node *n = &f->nodes.at[s->k->nodes[i]];
        uint32_t level = 0;
        for (uint32_t o = 0; o < n->n_in; o++)
            level = level_of(s, n->in[o]) > level ? level_of(s, n->in[o]) : level;
        if (reduces(n)) {
            if (s->n == KERNEL_REDUCTIONS)
                return false;
            const tn_dtype in = value_type(f, n->in[0])->dtype;
            s->r[s->n++] = (reduction){
                .n = n,
                .kind = n->op == OP_REDUCE_MAX    ? FOLD_MAX
                        : n->op == OP_REDUCE_MIN  ? FOLD_MIN
                        : n->op == OP_REDUCE_PROD ? FOLD_PROD
                                                  : FOLD_SUM,
                .in = in,
                .sum = (tn_dtype)attr_int(n->attrs, KEY_ACCUM_DTYPE, (int64_t)accumulator_of(in)),
                .out = value_type(f, n->first_value)->dtype,
                .pass = ++level};
        }
        s->levels[i] = (uint8_t)level;
        s->passes = level > s->passes ? level : s->passes;
    }
    return true;
}

/* ---- values kept from pass to pass ---- */

static bool is_expensive(const node *n)
{
    switch ((int)n->op) {
    case OP_EXP:
    case OP_EXP2:
    case OP_LOG:
    case OP_LOG2:
    case OP_TANH:
    case OP_ERF:
    case OP_SIN:
    case OP_COS:
    case OP_POW:
    case OP_RSQRT:
    case OP_SQRT:
    case OP_DIV:
        return true;
    default:
        return false;
    }
}

/* Whether V computes the node NODE_INDEX on the way, not counting what reductions need; false when
 * that is too far to see. */
static bool computes(const rows *s, value_id v, uint32_t node_index, uint32_t *budget)
{
    const uint32_t i = s->e.f->values.at[v].node;
    if (*budget == 0 || !emit_contains(s->k, i) || i < node_index)
        return false;
    --*budget;
    const node *n = &s->e.f->nodes.at[i];
    if (i == node_index)
        return true;
    for (uint32_t o = 0; o < n->n_in && !reduces(n); o++)
        if (computes(s, n->in[o], node_index, budget))
            return true;
    return false;
}

/* In how many passes, the stores at the end included, node NODE is computed. */
static uint32_t passes_with(const rows *s, uint32_t node_index)
{
    uint32_t mask = 0, n = 0, budget = 256;
    for (uint32_t i = 0; i < s->n; i++)
        if (computes(s, s->r[i].n->in[0], node_index, &budget))
            mask |= UINT32_C(1) << (s->r[i].pass & 31);
    for (uint32_t i = 0; i < s->k->n_out; i++)
        if (computes(s, s->k->out[i].value, node_index, &budget))
            mask |= 1;
    for (; mask; mask &= mask - 1)
        n++;
    return n;
}

static void plan_kept(rows *s)
{
    emitter *e = &s->e;
    for (uint32_t i = 0; i < s->k->n_nodes && e->n_kept < EMIT_KEPT; i++) {
        const node *n = &e->f->nodes.at[s->k->nodes[i]];
        const type *t = value_type(e->f, n->first_value);
        const int64_t bytes =
            s->length * (int64_t)dtype_bytes(t->dtype) * (s->columns ? (int64_t)e->lanes : 1);
        if (!is_expensive(n) || bytes > MOST_KEPT || passes_with(s, s->k->nodes[i]) < 2 ||
            t->rank != s->k->operands->n_source)
            continue;
        /* Whole vectors are stored, also at the end of a row. */
        const uint64_t room = (uint64_t)bytes + LOOP_MAX_LANES * dtype_bytes(t->dtype);
        e->kept[e->n_kept++] = (emit_kept){.v = n->first_value,
                                           .map = s->k->operands,
                                           .dtype = t->dtype,
                                           .memory = loop_scratch(e->b, room)};
    }
}

/* Store what this pass computed and a later one will want. */
static void keep(rows *s)
{
    emitter *e = &s->e;
    for (uint32_t i = 0; i < e->n_kept; i++) {
        const emit_kept *kept = &e->kept[i];
        for (uint32_t at = e->n_known; at-- > 0 && !kept->is_filled;) {
            const emit_known *known = &e->known[at];
            if (known->v != kept->v || !known->map || !access_same(known->map, kept->map))
                continue;
            const loop_value bytes = loop_binary(e->b, LOOP_IMUL, e->kept_at,
                                                 loop_i64(e->b, (int64_t)dtype_bytes(kept->dtype)));
            element_store(e->b, loop_offset(e->b, kept->memory, bytes),
                          element_splat(e->b, e->lanes, known->x),
                          (uint32_t)loop_elem_bytes(element_storage(kept->dtype)));
            s->stored |= UINT32_C(1) << i;
            break;
        }
    }
}

/* ---- reducing ---- */

static element operand(rows *s, const reduction *r)
{
    emitter *e = &s->e;
    element x = emit_value(e, r->n->in[0], s->k->operands);
    return element_cast(e->b, element_splat(e->b, e->lanes, x), r->sum);
}

static element identity(rows *s, const reduction *r, uint32_t lanes)
{
    element x = element_zero(s->e.b, r->sum, lanes);
    if (s->is_plain)
        return element_empty(s->e.b, r->kind, r->sum, r->sum, lanes);
    if (!element_identity(s->e.b, r->kind, r->sum, lanes, &x))
        s->e.failed = true;
    return x;
}

/* ACC with X. In plain extrema X counts only where it is beyond: one instruction, which passes over
 * NaNs, too. */
static element combine(rows *s, const reduction *r, element acc, element x)
{
    loop_builder *b = s->e.b;
    if (!s->is_plain)
        return element_combine(b, r->kind, acc, x);
    const loop_value beyond = r->kind == FOLD_MAX ? loop_binary(b, LOOP_FLT, acc.re, x.re)
                                                  : loop_binary(b, LOOP_FLT, x.re, acc.re);
    return element_select(b, beyond, x, acc);
}

/* The lanes of X, by halving. */
static element combine_lanes(rows *s, const reduction *r, element x)
{
    for (uint32_t half = element_lanes(s->e.b, x) / 2; half > 0; half /= 2)
        x = combine(s, r, element_part(s->e.b, x, 0, half), element_part(s->e.b, x, half, half));
    return x;
}

static void hoist_operands(rows *s, uint32_t pass)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            emit_hoist(&s->e, s->r[i].n->in[0], s->k->operands,
                       UINT32_C(1) << s->axis | (s->columns ? UINT32_C(1) << s->e.vector_axis : 0));
}

/* Elements at e->at[axis] join the accumulators of PASS. */
static void join_vector(rows *s, uint32_t pass)
{
    emitter *e = &s->e;
    const uint32_t mark = emit_mark(e);
    e->kept_at = e->at[s->axis];
    for (uint32_t i = 0; i < s->n; i++) {
        reduction *r = &s->r[i];
        if (r->pass != pass)
            continue;
        element x = operand(s, r);
        if (e->count != LOOP_NO_VALUE)
            x = element_select(e->b, element_first(e->b, e->lanes, e->count), x,
                               identity(s, r, e->lanes));
        element_set(e->b, r->acc, combine(s, r, element_get(e->b, r->acc), x));
    }
    keep(s);
    emit_forget(e, mark);
}

/* The elements from FIRST on, COUNT of them (a number, at most a block), to one of PASS's. */
static void reduce_block(rows *s, uint32_t pass, loop_value first, int64_t count, element *results)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    const int64_t whole = count - count % e->lanes;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            s->r[i].acc = element_var(b, identity(s, &s->r[i], e->lanes));
    if (whole) {
        e->at[s->axis] =
            loop_for(b, first, loop_binary(b, LOOP_IADD, first, loop_i64(b, whole)), e->lanes);
        join_vector(s, pass);
        loop_end(b);
    }
    if (count > whole) {
        e->at[s->axis] = loop_binary(b, LOOP_IADD, first, loop_i64(b, whole));
        e->count = loop_i64(b, count - whole);
        join_vector(s, pass);
        e->count = LOOP_NO_VALUE;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        const reduction *r = &s->r[i];
        if (r->pass != pass)
            continue;
        results[i] = combine_lanes(s, r, element_get(b, r->acc));
    }
}

/* ---- extrema, which are the same in any order ---- */

static bool are_extrema(const rows *s, uint32_t pass)
{
    bool all = !s->columns;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            all = all && (s->r[i].kind == FOLD_MAX || s->r[i].kind == FOLD_MIN) &&
                  (s->r[i].sum == TN_F32 || s->r[i].sum == TN_F64);
    return all;
}

/* A whole row at once; again and exactly when a result is 0, whose sign may be wrong. */
static void reduce_extrema(rows *s, uint32_t pass, element *results)
{
    enum { LONG = 256 };
    emitter *e = &s->e;
    loop_builder *b = e->b;
    const uint32_t lanes = e->lanes;
    loop_value any = loop_const(b, loop_type_of(LOOP_MASK, 1), 0);
    e->lanes = s->length >= LONG && lanes < LOOP_MAX_LANES ? 2 * lanes : lanes;
    s->is_plain = true;
    reduce_block(s, pass, loop_i64(b, 0), s->length, results);
    s->is_plain = false;
    e->lanes = lanes;
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->r[i].pass != pass)
            continue;
        const loop_value zero = element_zero(b, s->r[i].sum, 1).re;
        any = loop_binary(b, LOOP_OR, any, loop_binary(b, LOOP_FEQ, results[i].re, zero));
        results[i] = element_var(b, results[i]);
    }
    element vars[KERNEL_REDUCTIONS];
    memcpy(vars, results, sizeof vars);
    const uint32_t mark = emit_mark(e);
    loop_if(b, any);
    reduce_block(s, pass, loop_i64(b, 0), s->length, results);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            element_set(b, vars[i], results[i]);
    loop_end(b);
    emit_forget(e, mark);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            results[i] = element_get(b, vars[i]);
}

static loop_value slot(rows *s, const reduction *r, loop_value base, loop_value index)
{
    const int64_t size = (int64_t)dtype_bytes(r->sum) * (s->columns ? (int64_t)s->e.lanes : 1);
    return loop_offset(s->e.b, base, loop_binary(s->e.b, LOOP_IMUL, index, loop_i64(s->e.b, size)));
}

static element load_slot(rows *s, const reduction *r, loop_value base, loop_value index)
{
    return element_load(s->e.b, r->sum, slot(s, r, base, index), s->columns ? s->e.lanes : 1,
                        (uint32_t)loop_elem_bytes(element_storage(r->sum)));
}

static void store_slot(rows *s, const reduction *r, loop_value base, loop_value index, element x)
{
    element_store(s->e.b, slot(s, r, base, index), x,
                  (uint32_t)loop_elem_bytes(element_storage(r->sum)));
}

static int64_t block_count(const rows *s)
{
    return (s->length + SUM_BLOCK - 1) / SUM_BLOCK;
}

/* Blocks combine pairwise by index, level by level, in their place. */
static element combine_blocks(rows *s, const reduction *r)
{
    loop_builder *b = s->e.b;
    for (int64_t n = block_count(s); n > 1; n = (n + 1) / 2) {
        const loop_value i = loop_for(b, loop_i64(b, 0), loop_i64(b, n / 2), 1);
        const loop_value two = loop_binary(b, LOOP_IADD, i, i);
        const element x = load_slot(s, r, r->partials, two);
        const element y =
            load_slot(s, r, r->partials, loop_binary(b, LOOP_IADD, two, loop_i64(b, 1)));
        store_slot(s, r, r->partials, i, element_combine(b, r->kind, x, y));
        loop_end(b);
        if (n % 2)
            store_slot(s, r, r->partials, loop_i64(b, n / 2),
                       load_slot(s, r, r->partials, loop_i64(b, n - 1)));
    }
    return load_slot(s, r, r->partials, loop_i64(b, 0));
}

/* What comes after the last element: docs/numerics.md, section 5, steps 6 to 8. */
static element finish(rows *s, const reduction *r, element x)
{
    loop_builder *b = s->e.b;
    const attr *init = attr_find(r->n->attrs, KEY_INIT);
    const uint32_t lanes = element_lanes(b, x);
    if (r->kind == FOLD_MAX || r->kind == FOLD_MIN)
        x = element_combine(b, r->kind, x, element_empty(b, r->kind, r->sum, r->out, lanes));
    if (r->n->op == OP_MEAN)
        x = element_divide_count(b, x, s->length);
    if (init)
        x = element_combine(b, r->kind, x, element_number(b, r->sum, lanes, *init->v.scalar));
    return element_cast(b, x, r->out);
}

static void store_partials(rows *s, uint32_t pass, loop_value block, const element *results)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            store_slot(s, &s->r[i], s->r[i].partials, block, results[i]);
}

/* ---- column mode: the lanes of the law are vectors in memory ---- */

static void join_lane(rows *s, uint32_t pass, loop_value lane)
{
    emitter *e = &s->e;
    const uint32_t mark = emit_mark(e);
    e->kept_at = loop_binary(e->b, LOOP_IMUL, e->at[s->axis], loop_i64(e->b, e->lanes));
    for (uint32_t i = 0; i < s->n; i++) {
        const reduction *r = &s->r[i];
        if (r->pass != pass)
            continue;
        const element x = operand(s, r);
        store_slot(s, r, r->lanes, lane,
                   element_combine(e->b, r->kind, load_slot(s, r, r->lanes, lane), x));
    }
    keep(s);
    emit_forget(e, mark);
}

static void join_lanes(rows *s, uint32_t pass, loop_value first, int64_t lanes)
{
    loop_builder *b = s->e.b;
    const loop_value lane = loop_for(b, loop_i64(b, 0), loop_i64(b, lanes), 1);
    s->e.at[s->axis] = loop_binary(b, LOOP_IADD, first, lane);
    join_lane(s, pass, lane);
    loop_end(b);
}

static void reduce_column_block(rows *s, uint32_t pass, loop_value first, int64_t count,
                                element *results)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    const int64_t whole = count - count % SUM_LANES;
    const int64_t used = count < SUM_LANES ? count : SUM_LANES;
    loop_value l = loop_for(b, loop_i64(b, 0), loop_i64(b, used), 1);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            store_slot(s, &s->r[i], s->r[i].lanes, l, identity(s, &s->r[i], e->lanes));
    loop_end(b);
    if (whole) {
        l = loop_for(b, first, loop_binary(b, LOOP_IADD, first, loop_i64(b, whole)), SUM_LANES);
        join_lanes(s, pass, l, SUM_LANES);
        loop_end(b);
    }
    if (count > whole)
        join_lanes(s, pass, loop_binary(b, LOOP_IADD, first, loop_i64(b, whole)), count - whole);
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
            store_slot(s, r, r->lanes, l,
                       element_combine(b, r->kind, load_slot(s, r, r->lanes, l),
                                       load_slot(s, r, r->lanes, partner)));
            loop_end(b);
            have = half;
        }
        results[i] = load_slot(s, r, r->lanes, loop_i64(b, 0));
    }
}

/* ---- one row ---- */

static void reduce_any_block(rows *s, uint32_t pass, loop_value first, int64_t count,
                             element *results)
{
    if (s->columns)
        reduce_column_block(s, pass, first, count, results);
    else
        reduce_block(s, pass, first, count, results);
}

static void emit_pass(rows *s, uint32_t pass)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    element results[KERNEL_REDUCTIONS];
    const int64_t blocks = block_count(s), last = s->length - (blocks - 1) * SUM_BLOCK;
    const uint32_t mark = emit_mark(e);
    s->stored = 0;
    hoist_operands(s, pass);
    if (are_extrema(s, pass)) {
        reduce_extrema(s, pass, results);
    } else if (blocks == 1) {
        reduce_any_block(s, pass, loop_i64(b, 0), s->length, results);
    } else {
        const loop_value i = loop_for(b, loop_i64(b, 0), loop_i64(b, blocks - 1), 1);
        reduce_any_block(s, pass, loop_binary(b, LOOP_IMUL, i, loop_i64(b, SUM_BLOCK)), SUM_BLOCK,
                         results);
        store_partials(s, pass, i, results);
        loop_end(b);
        reduce_any_block(s, pass, loop_i64(b, (blocks - 1) * SUM_BLOCK), last, results);
        store_partials(s, pass, loop_i64(b, blocks - 1), results);
        for (uint32_t r = 0; r < s->n; r++)
            if (s->r[r].pass == pass)
                results[r] = combine_blocks(s, &s->r[r]);
    }
    for (uint32_t i = 0; i < e->n_kept; i++)
        e->kept[i].is_filled = e->kept[i].is_filled || (s->stored >> i & 1);
    emit_forget(e, mark);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->r[i].pass == pass)
            emit_know(e, s->r[i].n->first_value, NULL, finish(s, &s->r[i], results[i]));
}

/* ---- results ---- */

static bool is_row_value(const rows *s, const kernel_output *out)
{
    return !((access_axes(out->from) | access_axes(out->to)) >> s->axis & 1);
}

static void store_vector(rows *s)
{
    emitter *e = &s->e;
    const uint32_t mark = emit_mark(e);
    e->kept_at =
        s->columns ? loop_binary(e->b, LOOP_IMUL, e->at[s->axis], loop_i64(e->b, (int64_t)e->lanes))
                   : e->at[s->axis];
    for (uint32_t i = 0; i < s->k->n_out; i++) {
        const kernel_output *out = &s->k->out[i];
        if (is_row_value(s, out))
            continue;
        emit_store(e, out, s->out[i], emit_value(e, out->value, out->from), false);
    }
    emit_forget(e, mark);
}

static void store_elements(rows *s)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    const uint32_t lanes = s->columns ? 1 : e->lanes;
    const int64_t whole = s->length - s->length % lanes;
    const uint32_t mark = emit_mark(e);
    bool any = false;
    for (uint32_t i = 0; i < s->k->n_out; i++) {
        const kernel_output *out = &s->k->out[i];
        if (is_row_value(s, out))
            continue;
        any = true;
        emit_hoist(e, out->value, out->from,
                   UINT32_C(1) << s->axis | (s->columns ? UINT32_C(1) << e->vector_axis : 0));
    }
    if (any && whole) {
        e->at[s->axis] = loop_for(b, loop_i64(b, 0), loop_i64(b, whole), lanes);
        store_vector(s);
        loop_end(b);
    }
    if (any && whole < s->length) {
        const loop_value count = e->count;
        e->at[s->axis] = loop_i64(b, whole);
        e->count = loop_i64(b, s->length - whole);
        store_vector(s);
        e->count = count;
    }
    emit_forget(e, mark);
}

static void store_row_values(rows *s)
{
    emitter *e = &s->e;
    const uint32_t lanes = e->lanes;
    if (!s->columns)
        e->lanes = 1;
    e->at[s->axis] = e->kept_at = loop_i64(e->b, 0); /* kept values of rows of one element */
    for (uint32_t i = 0; i < s->k->n_out; i++) {
        const kernel_output *out = &s->k->out[i];
        if (is_row_value(s, out))
            emit_store(e, out, s->out[i], emit_value(e, out->value, out->from), false);
    }
    e->lanes = lanes;
}

static void emit_row(rows *s)
{
    const uint32_t mark = emit_mark(&s->e);
    for (uint32_t i = 0; i < s->e.n_kept; i++)
        s->e.kept[i].is_filled = false;
    for (uint32_t pass = 1; pass <= s->passes; pass++)
        emit_pass(s, pass);
    store_elements(s);
    store_row_values(s);
    emit_forget(&s->e, mark);
}

/* ---- the nest ---- */

typedef struct walks {
    uint32_t row_axis, column_axis;
    uint32_t along_rows, along_columns; /* reads that step by one there */
} walks;

static void count_walk(void *user, const access_expr *expr, const emit_read *read)
{
    walks *w = user;
    int64_t constant, strides[TN_MAX_RANK] = {0};
    if (!read || !access_strides(expr, TN_MAX_RANK, &constant, strides))
        return;
    w->along_rows += strides[w->row_axis] == 1;
    w->along_columns += strides[w->column_axis] == 1;
}

static bool prefers_columns(rows *s)
{
    const kernel *k = s->k;
    walks w = {.row_axis = s->axis, .column_axis = s->axis - 1};
    if (s->axis == 0 || k->dims[s->axis - 1] < 8 || s->length == 1)
        return false;
    for (uint32_t i = 0; i < s->n; i++)
        (void)emit_visit_reads(&s->e, s->r[i].n->in[0], k->operands, count_walk, &w);
    return w.along_columns > w.along_rows;
}

static bool start(rows *s, loop_builder *b, const function *f, const kernel *k, arena *memory)
{
    *s = (rows){.k = k};
    loop_init(b, memory);
    if (k->n_out > KERNEL_OUTPUTS || !emit_init(&s->e, b, f, k, memory))
        return false;
    s->axis = k->rank - 1;
    s->length = k->dims[s->axis];
    s->e.rank = k->rank;
    return find_passes(s);
}

static void open_buffers(rows *s)
{
    for (uint32_t i = 0; i < s->k->n_out; i++)
        s->out[i] = loop_buffer(s->e.b, emit_output_buffer(s->k, i));
}

static void choose_vectors(rows *s)
{
    emitter *e = &s->e;
    s->columns = prefers_columns(s);
    e->vector_axis = s->columns ? s->axis - 1 : s->axis;
    e->lanes = nest_lanes(e->f, s->k, s->k->dims[e->vector_axis]);
    if (s->columns && s->k->dims[e->vector_axis] >= 2 * (int64_t)e->lanes)
        e->lanes *= 2; /* longer pieces of each row */
    if (!s->columns)   /* the lanes are those of the law, as far as there are elements */
        for (e->lanes = SUM_LANES; e->lanes > 1 && (int64_t)e->lanes / 2 >= s->length;)
            e->lanes /= 2;
}

static void make_room(rows *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        reduction *r = &s->r[i];
        const uint64_t size = dtype_bytes(r->sum) * (s->columns ? s->e.lanes : 1);
        if (s->columns)
            r->lanes = loop_scratch(s->e.b, size * SUM_LANES);
        if (block_count(s) > 1)
            r->partials = loop_scratch(s->e.b, size * (uint64_t)block_count(s));
    }
    plan_kept(s);
}

static uint64_t row_cost(const rows *s)
{
    return (uint64_t)nest_cost(s->e.f, s->k) * (uint64_t)s->length;
}

static void add_step(rows *s, nest *out, int64_t items, uint64_t each, const char *how)
{
    const kernel *k = s->k;
    uint64_t positions = 1;
    for (uint32_t i = 0; i < k->rank; i++)
        positions *= (uint64_t)k->dims[i];
    out->steps[out->n_steps++] = (nest_step){.program = s->e.failed ? NULL : loop_finish(s->e.b),
                                             .work = items,
                                             .grain = nest_grain(each),
                                             .flops = positions * k->n_nodes,
                                             .bytes = nest_bytes(s->e.f, k),
                                             .how = how};
}

static bool whole_rows(rows *s, nest *out)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    int64_t items = 1;
    open_buffers(s);
    choose_vectors(s);
    make_room(s);
    const uint32_t outer = s->columns ? s->axis - 1 : s->axis;
    for (uint32_t i = 0; i < outer; i++)
        items *= s->k->dims[i];
    const loop_value begin = loop_param_value(b, LOOP_BEGIN),
                     end = loop_param_value(b, LOOP_END_AT);
    uint64_t each = row_cost(s);
    if (!s->columns) {
        nest_decode(e, loop_for(b, begin, end, 1), outer);
        emit_row(s);
        loop_end(b);
        add_step(s, out, items, each, "row by row");
        return out->steps[0].program != NULL;
    }
    /* An item is one vector of columns, the last of which may be narrower. */
    const int64_t width = s->k->dims[e->vector_axis];
    const int64_t tiles = (width + e->lanes - 1) / e->lanes, rest = width % e->lanes;
    const loop_value item = loop_for(b, begin, end, 1);
    const loop_value tile = loop_binary(b, LOOP_UREM, item, loop_i64(b, tiles));
    nest_decode(e, loop_binary(b, LOOP_UDIV, item, loop_i64(b, tiles)), outer);
    e->at[e->vector_axis] = loop_binary(b, LOOP_IMUL, tile, loop_i64(b, e->lanes));
    if (rest) {
        loop_if(b, loop_binary(b, LOOP_IEQ, tile, loop_i64(b, tiles - 1)));
        e->count = loop_i64(b, rest);
        emit_row(s);
        e->count = LOOP_NO_VALUE;
        loop_else(b);
    }
    if (tiles > 1 || !rest)
        emit_row(s);
    if (rest)
        loop_end(b);
    loop_end(b);
    each *= e->lanes;
    add_step(s, out, items * tiles, each, "columns side by side");
    return out->steps[0].program != NULL;
}

/* The blocks of long rows, each an item; their results go to a temporary. */
static bool split_blocks(rows *s, nest *out)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    reduction *r = &s->r[0];
    const int64_t blocks = block_count(s), last = s->length - (blocks - 1) * SUM_BLOCK;
    element result[1];
    int64_t items = 1;
    for (uint32_t i = 0; i < s->axis; i++)
        items *= s->k->dims[i];
    out->n_temps = 1;
    out->temps[0] = (uint64_t)items * (uint64_t)blocks * dtype_bytes(r->sum);
    r->partials = loop_buffer(b, emit_buffer_count(s->k));
    e->vector_axis = s->axis;
    e->lanes = SUM_LANES;
    const loop_value item =
        loop_for(b, loop_param_value(b, LOOP_BEGIN), loop_param_value(b, LOOP_END_AT), 1);
    const loop_value block = loop_binary(b, LOOP_UREM, item, loop_i64(b, blocks));
    nest_decode(e, loop_binary(b, LOOP_UDIV, item, loop_i64(b, blocks)), s->axis);
    const loop_value first = loop_binary(b, LOOP_IMUL, block, loop_i64(b, SUM_BLOCK));
    const uint32_t mark = emit_mark(e);
    hoist_operands(s, 1);
    if (last != SUM_BLOCK) {
        const uint32_t inner = emit_mark(e);
        loop_if(b, loop_binary(b, LOOP_IEQ, block, loop_i64(b, blocks - 1)));
        reduce_block(s, 1, first, last, result);
        store_slot(s, r, r->partials, item, result[0]);
        emit_forget(e, inner);
        loop_else(b);
    }
    reduce_block(s, 1, first, SUM_BLOCK, result);
    store_slot(s, r, r->partials, item, result[0]);
    if (last != SUM_BLOCK)
        loop_end(b);
    emit_forget(e, mark);
    loop_end(b);
    add_step(s, out, items * blocks, (uint64_t)nest_cost(e->f, s->k) * SUM_BLOCK,
             "the blocks of long rows, shared out");
    return out->steps[0].program != NULL;
}

static bool split_results(rows *s, nest *out)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    reduction *r = &s->r[0];
    const int64_t blocks = block_count(s);
    int64_t items = 1;
    for (uint32_t i = 0; i < s->axis; i++)
        items *= s->k->dims[i];
    open_buffers(s);
    const loop_value all = loop_buffer(b, emit_buffer_count(s->k));
    e->vector_axis = s->axis;
    const loop_value item =
        loop_for(b, loop_param_value(b, LOOP_BEGIN), loop_param_value(b, LOOP_END_AT), 1);
    nest_decode(e, item, s->axis);
    r->partials = slot(s, r, all, loop_binary(b, LOOP_IMUL, item, loop_i64(b, blocks)));
    emit_know(e, r->n->first_value, NULL, finish(s, r, combine_blocks(s, r)));
    store_row_values(s);
    loop_end(b);
    add_step(s, out, items, (uint64_t)blocks, "the results of the blocks");
    out->steps[1].flops = (uint64_t)(items * blocks);
    out->steps[1].bytes = out->temps[0];
    return out->steps[1].program != NULL;
}

bool nest_of_rows(const function *f, const kernel *k, arena *memory, nest *out)
{
    loop_builder b;
    rows *s = ARENA_NEW(memory, rows);
    if (!s || !start(s, &b, f, k, memory))
        return false;
    if (!k->is_split || s->n != 1)
        return whole_rows(s, out);
    if (!split_blocks(s, out) || !start(s, &b, f, k, memory))
        return false;
    return split_results(s, out);
}
