/* Programs whose vectors fit registers: each wide value becomes parts of equal lanes. */
#include "loop/ir/narrow.h"

#include <string.h>

/* A value as its parts; a scalar is one part. */
typedef struct split {
    loop_value *at;
    uint32_t n;     /* of the parts */
    uint32_t lanes; /* of each */
} split;

typedef struct narrowing {
    loop_builder b;
    const loop_program *p;
    split *values; /* by value of P */
    uint32_t bytes;
} narrowing;

/* How many of LANES lanes of ELEM a part has. A mask has no width of its own. */
static uint32_t lanes_of_part(const narrowing *s, uint8_t elem, uint32_t lanes)
{
    const uint32_t size = elem == LOOP_MASK ? 4 : (uint32_t)loop_elem_bytes((loop_elem)elem);
    return size * lanes <= s->bytes ? lanes : s->bytes / size;
}

/* The parts of X with LANES lanes each, in OUT. */
static void regroup(narrowing *s, const split *x, uint32_t lanes, loop_value *out)
{
    uint8_t table[LOOP_MAX_LANES];
    uint32_t n = x->n, have = x->lanes;
    memcpy(out, x->at, n * sizeof *out);
    for (; have < lanes; have *= 2, n /= 2) {
        for (uint32_t k = 0; k < 2 * have; k++)
            table[k] = (uint8_t)k;
        for (uint32_t k = 0; k < n / 2; k++)
            out[k] = loop_shuffle(&s->b, out[2 * k], out[2 * k + 1], table, 2 * have);
    }
    for (uint32_t k = n * (have / lanes); have > lanes && k-- > 0;)
        out[k] = loop_part(&s->b, out[k * lanes / have], k * lanes % have, lanes);
}

static void keep(narrowing *s, loop_value v, const loop_value *parts, uint32_t n, uint32_t lanes)
{
    loop_value *at = ARENA_ARRAY(s->b.arena, loop_value, n);
    if (at)
        memcpy(at, parts, n * sizeof *at);
    else
        s->b.fault = "no memory";
    s->values[v] = (split){at, n, lanes};
}

/* PART is every part of V. */
static void keep_same(narrowing *s, loop_value v, loop_value part, uint32_t lanes)
{
    loop_value parts[LOOP_MAX_LANES];
    const uint32_t n = s->p->at[v].type.lanes / lanes;
    for (uint32_t k = 0; k < n; k++)
        parts[k] = part;
    keep(s, v, parts, n, lanes);
}

static loop_value scalar(const narrowing *s, loop_value v)
{
    return s->values[v].at[0];
}

/* ---- operations on all lanes alike ---- */

/* The lanes that I has at a time: its widest elements fit. */
static uint32_t lanes_at_once(const narrowing *s, const loop_inst *i, uint32_t lanes)
{
    bool is_known = i->type.elem != LOOP_MASK && i->type.elem != LOOP_NONE;
    uint32_t least = is_known ? lanes_of_part(s, i->type.elem, lanes) : lanes;
    for (unsigned k = 0; k < loop_op_operands((loop_op)i->op); k++) {
        const loop_type t = s->p->at[i->in[k]].type;
        if (t.lanes != lanes || t.elem == LOOP_MASK || t.elem == LOOP_PTR)
            continue;
        const uint32_t own = lanes_of_part(s, t.elem, lanes);
        least = own < least ? own : least;
        is_known = true;
    }
    for (unsigned k = 0; !is_known && k < loop_op_operands((loop_op)i->op); k++)
        if (s->values[i->in[k]].lanes < least && s->p->at[i->in[k]].type.lanes == lanes)
            least = s->values[i->in[k]].lanes;
    return least;
}

/* What the parts of an access are: operand 0 is an address, and operand COUNTED a number of lanes.
 */
typedef struct access_shape {
    bool is_access;
    unsigned counted; /* 0: none */
} access_shape;

static access_shape shape_of(loop_op op)
{
    switch ((int)op) {
    case LOOP_LOAD:
    case LOOP_LOAD_WHERE:
    case LOOP_STORE:
    case LOOP_STORE_NONTEMPORAL:
        return (access_shape){true, 0};
    case LOOP_LOAD_FIRST:
        return (access_shape){true, 1};
    case LOOP_STORE_FIRST:
        return (access_shape){true, 2};
    default:
        return (access_shape){false, 0};
    }
}

/* Of the first N lanes, how many are among the LANES lanes from FIRST on. */
static loop_value count_from(loop_builder *b, loop_value n, uint32_t first, uint32_t lanes)
{
    const loop_value none = loop_i64(b, 0), all = loop_i64(b, lanes);
    if (first > 0) {
        const loop_value left = loop_binary(b, LOOP_ISUB, n, loop_i64(b, first));
        n = loop_select(b, loop_binary(b, LOOP_ILT, left, none), none, left);
    }
    return loop_min(b, n, all);
}

static void by_parts(narrowing *s, loop_value v, uint32_t total)
{
    loop_inst i = s->p->at[v];
    const unsigned n_in = loop_op_operands((loop_op)i.op);
    const access_shape shape = shape_of((loop_op)i.op);
    const bool has_value = loop_op_has_value((loop_op)i.op);
    const uint32_t lanes = lanes_at_once(s, &i, total), n = total / lanes;
    const uint8_t elem = has_value ? i.type.elem : s->p->at[i.in[1]].type.elem;
    const uint32_t step = lanes * (uint32_t)loop_elem_bytes((loop_elem)elem);
    loop_value in[3][LOOP_MAX_LANES], out[LOOP_MAX_LANES];
    for (unsigned k = 0; k < n_in; k++) {
        const split *x = &s->values[i.in[k]];
        if (s->p->at[i.in[k]].type.lanes == total && total > 1)
            regroup(s, x, lanes, in[k]);
        else
            for (uint32_t part = 0; part < n; part++)
                in[k][part] = x->at[0];
    }
    while (n > 1 && shape.is_access && UINT32_C(1) << i.log_align > step)
        i.log_align--;
    for (uint32_t part = 0; part < n; part++) {
        loop_value with[3] = {0, 0, 0};
        for (unsigned k = 0; k < n_in; k++)
            with[k] = in[k][part];
        if (shape.is_access && part > 0)
            with[0] = loop_at(&s->b, with[0], (int64_t)part * step);
        if (shape.counted && n > 1)
            with[shape.counted] = count_from(&s->b, with[shape.counted], part * lanes, lanes);
        out[part] = loop_again(&s->b, &i, with, has_value ? lanes : 0);
    }
    if (!has_value)
        return;
    const uint32_t best = elem == LOOP_MASK ? lanes : lanes_of_part(s, elem, total);
    const split made = {out, n, lanes};
    loop_value joined[LOOP_MAX_LANES];
    regroup(s, &made, best, joined);
    keep(s, v, joined, total / best, best);
}

/* ---- the others ---- */

static void ramp(narrowing *s, loop_value v)
{
    const loop_type t = s->p->at[v].type;
    const uint32_t lanes = lanes_of_part(s, t.elem, t.lanes);
    const loop_type narrow = loop_type_of((loop_elem)t.elem, lanes);
    const loop_value first = loop_ramp(&s->b, (loop_elem)t.elem, lanes);
    loop_value parts[LOOP_MAX_LANES] = {first};
    for (uint32_t k = 1; k < t.lanes / lanes; k++)
        parts[k] =
            loop_binary(&s->b, LOOP_IADD, first, loop_const(&s->b, narrow, (uint64_t)k * lanes));
    keep(s, v, parts, t.lanes / lanes, lanes);
}

/* A vector of which lane k is lane LANE[k] of FROM[k]; these have LANES lanes, and at least N where
 * they are more than two. */
static loop_value collect(narrowing *s, const loop_value *from, const uint8_t *lane, uint32_t n,
                          uint32_t lanes)
{
    loop_value distinct[LOOP_MAX_LANES];
    uint8_t table[LOOP_MAX_LANES];
    uint32_t n_distinct = 0, which[LOOP_MAX_LANES];
    for (uint32_t k = 0; k < n; k++) {
        which[k] = 0;
        while (which[k] < n_distinct && distinct[which[k]] != from[k])
            which[k]++;
        if (which[k] == n_distinct)
            distinct[n_distinct++] = from[k];
    }
    if (n_distinct <= 2) {
        for (uint32_t k = 0; k < n; k++)
            table[k] = (uint8_t)(lane[k] + which[k] * lanes);
        return loop_shuffle(&s->b, distinct[0], distinct[n_distinct - 1], table, n);
    }
    loop_value made = distinct[0];
    for (uint32_t next = 1; next < n_distinct; next++) {
        for (uint32_t k = 0; k < lanes; k++) {
            const bool is_next = k < n && which[k] == next;
            const bool is_first = next == 1 && k < n && which[k] == 0;
            table[k] = (uint8_t)(is_next ? lanes + lane[k] : is_first ? lane[k] : k);
        }
        made = loop_shuffle(&s->b, made, distinct[next], table, lanes);
    }
    return loop_part(&s->b, made, 0, n);
}

static void shuffle(narrowing *s, loop_value v)
{
    const loop_inst *i = &s->p->at[v];
    const loop_type t = s->p->at[i->in[0]].type;
    const uint32_t have = lanes_of_part(s, t.elem, t.lanes), n = t.lanes / have,
                   lanes = lanes_of_part(s, t.elem, i->type.lanes);
    loop_value sources[2 * LOOP_MAX_LANES], from[LOOP_MAX_LANES], parts[LOOP_MAX_LANES];
    uint8_t lane[LOOP_MAX_LANES];
    regroup(s, &s->values[i->in[0]], have, sources);
    regroup(s, &s->values[i->in[1]], have, sources + n);
    for (uint32_t part = 0; part < i->type.lanes / lanes; part++) {
        for (uint32_t k = 0; k < lanes; k++) {
            const uint8_t at = s->p->tables[i->imm + part * lanes + k];
            from[k] = sources[at / have];
            lane[k] = (uint8_t)(at % have);
        }
        parts[part] = collect(s, from, lane, lanes, have);
    }
    keep(s, v, parts, i->type.lanes / lanes, lanes);
}

static void variable(narrowing *s, loop_value v)
{
    const loop_inst *i = &s->p->at[v];
    const uint32_t lanes = lanes_of_part(s, i->type.elem, i->type.lanes), n = i->type.lanes / lanes;
    loop_value parts[LOOP_MAX_LANES];
    if (i->op == LOOP_VAR) {
        regroup(s, &s->values[i->in[0]], lanes, parts);
        for (uint32_t k = 0; k < n; k++)
            parts[k] = loop_var(&s->b, parts[k]);
    } else {
        for (uint32_t k = 0; k < n; k++)
            parts[k] = loop_get(&s->b, s->values[i->in[0]].at[k]);
    }
    keep(s, v, parts, n, lanes);
}

static void set(narrowing *s, const loop_inst *i)
{
    const split *var = &s->values[i->in[0]];
    loop_value parts[LOOP_MAX_LANES];
    regroup(s, &s->values[i->in[1]], var->lanes, parts);
    for (uint32_t k = 0; k < var->n; k++)
        loop_set(&s->b, var->at[k], parts[k]);
}

static void one(narrowing *s, loop_value v)
{
    const loop_inst *i = &s->p->at[v];
    const uint32_t lanes = lanes_of_part(s, i->type.elem, i->type.lanes);
    const split *x = &s->values[i->in[0]];
    switch ((int)i->op) {
    case LOOP_PARAM:
        keep_same(s, v, loop_param_value(&s->b, (loop_param)i->imm), 1);
        break;
    case LOOP_FOR:
        keep_same(s, v, loop_for(&s->b, scalar(s, i->in[0]), scalar(s, i->in[1]), (int64_t)i->imm),
                  1);
        break;
    case LOOP_IF:
        loop_if(&s->b, scalar(s, i->in[0]));
        break;
    case LOOP_ELSE:
        loop_else(&s->b);
        break;
    case LOOP_END:
        loop_end(&s->b);
        break;
    case LOOP_LEAVE:
        loop_leave(&s->b, scalar(s, i->in[0]));
        break;
    case LOOP_CONST:
        keep_same(s, v, loop_again(&s->b, i, NULL, lanes), lanes);
        break;
    case LOOP_SPLAT:
        keep_same(s, v, loop_splat(&s->b, lanes, scalar(s, i->in[0])), lanes);
        break;
    case LOOP_RAMP:
        ramp(s, v);
        break;
    case LOOP_LANE:
        keep_same(s, v, loop_lane(&s->b, x->at[i->imm / x->lanes], (uint32_t)(i->imm % x->lanes)),
                  1);
        break;
    case LOOP_SHUFFLE:
        shuffle(s, v);
        break;
    case LOOP_VAR:
    case LOOP_GET:
        variable(s, v);
        break;
    case LOOP_SET:
        set(s, i);
        break;
    case LOOP_STORE:
    case LOOP_STORE_NONTEMPORAL:
    case LOOP_STORE_FIRST:
        by_parts(s, v, s->p->at[i->in[1]].type.lanes);
        break;
    default:
        by_parts(s, v, i->type.lanes ? i->type.lanes : 1);
        break;
    }
}

static bool has_wide(const narrowing *s)
{
    for (loop_value v = 0; v < s->p->n; v++) {
        const loop_type t = s->p->at[v].type;
        if (t.elem < LOOP_PTR && lanes_of_part(s, t.elem, t.lanes) < t.lanes)
            return true;
    }
    return false;
}

const loop_program *loop_narrow(const loop_program *p, uint32_t bytes, arena *memory)
{
    narrowing s = {.p = p, .bytes = bytes};
    if (!has_wide(&s))
        return p;
    s.values = ARENA_ARRAY(memory, split, p->n);
    loop_init(&s.b, memory);
    s.b.n_buffers = p->n_buffers;
    s.b.scratch_bytes = p->scratch_bytes;
    for (loop_value v = 0; s.values && v < p->n && !loop_failed(&s.b); v++)
        one(&s, v);
    return s.values ? loop_finish(&s.b) : NULL;
}
