/* Polls in long loops, so that long programs can be stopped. Loops with short iterations are split,
 * and poll once in many iterations. Times are estimated for one work item. */
#include <math.h>
#include <string.h>

#include "loop/ir/polls.h"

enum { UNKNOWN_ITERATIONS = 4096 };

/* What is known of the value of an integer. */
typedef struct range {
    double low, high;
} range;

typedef struct polls {
    const loop_program *p;
    arena *memory;
    range *values;      /* by value */
    uint32_t *end;      /* FOR: its END */
    double *cost;       /* FOR: of one iteration */
    double *iterations; /* FOR */
    uint32_t *pieces;   /* FOR: iterations between polls; 0: none here */
    bool *leaves;       /* FOR: a LEAVE may end it */
    double every;
    uint32_t depth; /* of the loops and conditions */
} polls;

/* ---- estimates ---- */

static range smaller(range a, range b)
{
    return (range){fmin(a.low, b.low), fmin(a.high, b.high)};
}

static range larger(range a, range b)
{
    return (range){fmax(a.low, b.low), fmax(a.high, b.high)};
}

static range product(range a, range b)
{
    const double x[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    range r = {x[0], x[0]};
    for (unsigned k = 1; k < 4; k++)
        r = (range){fmin(r.low, x[k]), fmax(r.high, x[k])};
    return isnan(r.low) || isnan(r.high) ? (range){-HUGE_VAL, HUGE_VAL} : r;
}

static range selected(const polls *s, const loop_inst *i)
{
    const loop_inst *test = &s->p->at[i->in[0]];
    const range yes = s->values[i->in[1]], no = s->values[i->in[2]];
    if (test->op == LOOP_ILT && test->in[0] == i->in[1] && test->in[1] == i->in[2])
        return smaller(yes, no);
    if (test->op == LOOP_ILT && test->in[0] == i->in[2] && test->in[1] == i->in[1])
        return larger(yes, no);
    return (range){fmin(yes.low, no.low), fmax(yes.high, no.high)};
}

static range range_of(const polls *s, const loop_inst *i)
{
    const range none = {-HUGE_VAL, HUGE_VAL}, a = s->values[i->in[0]], b = s->values[i->in[1]];
    if (i->type.elem != LOOP_I64 || i->type.lanes != 1)
        return none;
    switch ((int)i->op) {
    case LOOP_CONST:
        return (range){(double)(int64_t)i->imm, (double)(int64_t)i->imm};
    case LOOP_PARAM: /* the first item alone */
        return i->imm == LOOP_END_AT ? (range){1, 1} : (range){0, 0};
    case LOOP_IADD:
        return (range){a.low + b.low, a.high + b.high};
    case LOOP_ISUB:
        return (range){a.low - b.high, a.high - b.low};
    case LOOP_IMUL:
        return product(a, b);
    case LOOP_UDIV:
        return a.low >= 0 && b.low > 0 ? (range){a.low / b.high, a.high / b.low} : none;
    case LOOP_UREM:
        return b.low > 0 ? (range){0, a.low >= 0 ? fmin(a.high, b.high - 1) : b.high - 1} : none;
    case LOOP_AND: /* with a mask, which takes bits away */
        return b.low == b.high ? (range){b.low < 0 ? -HUGE_VAL : 0, b.low < 0 ? a.high : b.high}
                               : none;
    case LOOP_SELECT:
        return selected(s, i);
    case LOOP_FOR:
        return (range){a.low, b.high - 1};
    default:
        return none;
    }
}

static double iterations_of(const polls *s, const loop_inst *i)
{
    const double n = (s->values[i->in[1]].high - s->values[i->in[0]].low) / (double)i->imm;
    return !isfinite(n) ? UNKNOWN_ITERATIONS : n > 0 ? ceil(n) : 0;
}

/* The time that I takes, as a number of cheap instructions on 32 bytes. */
static double cost_of(const loop_inst *i)
{
    const double part = (double)(i->type.lanes * loop_elem_bytes((loop_elem)i->type.elem)) / 32;
    const double width = part > 1 ? part : 1;
    switch ((int)i->op) {
    case LOOP_CONST:
    case LOOP_PARAM:
    case LOOP_OFFSET:
    case LOOP_END:
        return 0;
    case LOOP_FDIV:
    case LOOP_FSQRT:
        return 4 * width;
    case LOOP_SDIV:
    case LOOP_UDIV:
    case LOOP_SREM:
    case LOOP_UREM:
    case LOOP_GATHER:
        return 2.0 * i->type.lanes;
    default:
        return width;
    }
}

/* The cost of the program. Notes that of one iteration of each loop, and how many there are. */
static double estimate(polls *s)
{
    uint32_t open[LOOP_MAX_DEPTH], depth = 0;
    double sum[LOOP_MAX_DEPTH + 1] = {0};
    for (loop_value v = 0; v < s->p->n; v++) {
        const loop_inst *i = &s->p->at[v];
        s->values[v] = range_of(s, i);
        if (i->op == LOOP_FOR || i->op == LOOP_IF) {
            open[depth++] = v;
            sum[depth] = 0;
            s->depth = depth > s->depth ? depth : s->depth;
        } else if (i->op == LOOP_LEAVE) {
            s->leaves[open[depth - 1]] = true;
        } else if (i->op == LOOP_END) {
            const uint32_t from = open[--depth];
            s->end[from] = v;
            s->cost[from] = sum[depth + 1];
            s->iterations[from] =
                s->p->at[from].op == LOOP_FOR ? iterations_of(s, &s->p->at[from]) : 1;
            sum[depth] += sum[depth + 1] * s->iterations[from];
        }
        sum[depth] += cost_of(i);
    }
    return sum[0];
}

/* ---- where to poll ---- */

static uint32_t choose(polls *s)
{
    uint32_t n = 0;
    for (loop_value v = 0; v < s->p->n; v++) {
        if (s->p->at[v].op != LOOP_FOR || s->cost[v] * s->iterations[v] <= s->every)
            continue;
        /* Leaving one of two loops is not leaving the other. */
        s->pieces[v] = s->leaves[v] ? 1 : (uint32_t)fmax(s->every / fmax(s->cost[v], 1), 1);
        n++;
        if (s->cost[v] <= s->every) /* else a loop in it may be long, too */
            v = s->end[v];
    }
    return n;
}

typedef struct copying {
    const polls *s;
    loop_inst *at;
    uint32_t n;
    loop_value *number; /* by old value: the new one */
    loop_value watch;
} copying;

static loop_value put(copying *c, loop_op op, loop_type t, loop_value a, loop_value b, loop_value d,
                      uint64_t imm)
{
    c->at[c->n] = (loop_inst){.op = (uint8_t)op, .type = t, .in = {a, b, d}, .imm = imm};
    return c->n++;
}

static void put_poll(copying *c)
{
    (void)put(c, LOOP_POLL, loop_type_of(LOOP_NONE, 0), c->watch, 0, 0, 0);
}

static void put_watch(copying *c, uint32_t buffer)
{
    const loop_type pointer = loop_type_of(LOOP_PTR, 1);
    const loop_value offset =
        put(c, LOOP_CONST, loop_type_of(LOOP_I64, 1), 0, 0, 0, UINT64_C(8) * buffer);
    c->watch = put(c, LOOP_OFFSET, pointer, LOOP_BUFFERS, offset, 0, 0);
    c->watch = put(c, LOOP_LOAD, pointer, c->watch, 0, 0, 0);
    c->at[c->watch].log_align = 3;
}

/* With K iterations between polls, for (i = low; i < high; i += step) becomes for (j = low; j <
 * high; j += K step) { poll; for (i = j; i < min(j + K step, high); i += step) } */
static void put_pieces(copying *c, loop_inst *loop, uint32_t iterations)
{
    const loop_type number = loop_type_of(LOOP_I64, 1), mask = loop_type_of(LOOP_MASK, 1);
    const uint64_t step = loop->imm * iterations;
    const loop_value by = put(c, LOOP_CONST, number, 0, 0, 0, step);
    const loop_value j = put(c, LOOP_FOR, number, loop->in[0], loop->in[1], 0, step);
    put_poll(c);
    const loop_value next = put(c, LOOP_IADD, number, j, by, 0, 0);
    const loop_value is_less = put(c, LOOP_ILT, mask, next, loop->in[1], 0, 0);
    const loop_value end = put(c, LOOP_SELECT, number, is_less, next, loop->in[1], 0);
    loop->in[0] = j;
    loop->in[1] = end;
}

static void copy_inst(copying *c, loop_value v)
{
    const polls *s = c->s;
    loop_inst i = s->p->at[v];
    const uint32_t pieces = s->pieces[v];
    for (unsigned k = 0; k < loop_op_operands((loop_op)i.op); k++)
        i.in[k] = c->number[i.in[k]];
    if (i.op == LOOP_FOR && pieces > 1)
        put_pieces(c, &i, pieces);
    c->number[v] = c->n;
    c->at[c->n++] = i;
    if (i.op == LOOP_FOR && pieces == 1)
        put_poll(c);
}

static const loop_program *with_polls(const polls *s, uint32_t n, uint32_t buffer)
{
    enum { PARAMS = 4, AN_INST = 7 };
    loop_program *out = ARENA_NEW(s->memory, loop_program);
    copying c = {.s = s,
                 .at = ARENA_ARRAY(s->memory, loop_inst, s->p->n + 3 + (size_t)AN_INST * n),
                 .number = ARENA_ARRAY(s->memory, loop_value, s->p->n)};
    bool *closes = ARENA_ARRAY(s->memory, bool, s->p->n); /* by END: also the pieces */
    if (!out || !c.at || !c.number || !closes)
        return NULL;
    for (loop_value v = 0; v < s->p->n; v++) {
        if (v == PARAMS)
            put_watch(&c, buffer);
        copy_inst(&c, v);
        if (s->pieces[v] > 1)
            closes[s->end[v]] = true;
        if (closes[v])
            (void)put(&c, LOOP_END, loop_type_of(LOOP_NONE, 0), 0, 0, 0, 0);
    }
    *out = *s->p;
    out->at = c.at;
    out->n = c.n;
    return out;
}

const loop_program *loop_with_polls(const loop_program *p, uint32_t buffer, double every,
                                    arena *memory)
{
    polls s = {.p = p,
               .memory = memory,
               .values = ARENA_ARRAY(memory, range, p->n),
               .end = ARENA_ARRAY(memory, uint32_t, p->n),
               .cost = ARENA_ARRAY(memory, double, p->n),
               .iterations = ARENA_ARRAY(memory, double, p->n),
               .pieces = ARENA_ARRAY(memory, uint32_t, p->n),
               .leaves = ARENA_ARRAY(memory, bool, p->n),
               .every = every};
    if (!s.values || !s.end || !s.cost || !s.iterations || !s.pieces || !s.leaves)
        return NULL;
    if (estimate(&s) <= LOOP_LONG * every || 2 * s.depth >= LOOP_MAX_DEPTH)
        return p;
    const uint32_t n = choose(&s);
    return n > 0 ? with_polls(&s, n, buffer) : p;
}
