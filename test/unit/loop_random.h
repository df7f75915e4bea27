/* Random loop programs: nested regions, variables and every operation on values of random types.
 * They never do what is unspecified, so all engines must agree on every bit but those of NaNs. */
#ifndef TEST_LOOP_RANDOM_H
#define TEST_LOOP_RANDOM_H

#include "loop/ir/loop.h"

/* Buffers 0 and 1 are read, 2 is written, each of so many bytes. */
enum { RANDOM_BYTES = 4096, RANDOM_OUT = 2, RANDOM_VALUES = 512, RANDOM_VARS = 32 };

typedef struct random_maker {
    loop_builder *b;
    uint64_t state;
    loop_value values[RANDOM_VALUES], vars[RANDOM_VARS];
    uint32_t n_values, n_vars;
    uint32_t out_at;                /* the next free byte of the output */
    uint8_t out_elem[RANDOM_BYTES]; /* by byte: loop_elem of the element that begins there */
    unsigned depth;
} random_maker;

static inline uint32_t random_below(random_maker *r, uint32_t n)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return (uint32_t)((r->state * 0x2545f4914f6cdd1dU >> 32) * n >> 32);
}

static inline loop_value random_keep(random_maker *r, loop_value v)
{
    if (r->n_values < RANDOM_VALUES)
        r->values[r->n_values++] = v;
    return v;
}

static inline bool random_is_float(loop_elem e)
{
    return e == LOOP_F32 || e == LOOP_F64;
}

static inline loop_type random_type(random_maker *r, loop_elem e)
{
    static const uint8_t lanes[] = {1, 1, 2, 4, 4, 8, 16, 16, 32, 64};
    /* not 512 bytes, on which gcc 12 fails now and then */
    return loop_type_of(e, lanes[random_below(r, 9)]);
}

static inline loop_elem random_int(random_maker *r)
{
    return (loop_elem)(LOOP_I8 + random_below(r, 4));
}

static inline loop_elem random_number(random_maker *r)
{
    return (loop_elem)(LOOP_I8 + random_below(r, 6));
}

static inline uint64_t random_constant(random_maker *r, loop_elem e)
{
    static const double floats[] = {0.0, -0.0, 1.0, -1.5, 0.1, 1e-42, -3e-310, 1e30, 255.0, 3.0};
    static const uint64_t ints[] = {0, 1, 2, 7, 31, 63, 127, 128, 255, 0x7fff, 0x80000000};
    const uint32_t k = random_below(r, 16);
    const float narrow = (float)floats[k % 10];
    uint64_t bits = 0;
    if (e == LOOP_F32 && k < 10)
        memcpy(&bits, &narrow, sizeof narrow);
    else if (e == LOOP_F64 && k < 10)
        memcpy(&bits, &floats[k], sizeof bits);
    else if (!random_is_float(e) && k < 11)
        return ints[k];
    else
        return 0 - (uint64_t)random_below(r, 1000); /* floats: NaN */
    return bits;
}

/* The address of a whole aligned element of type T in buffer 0 or 1. */
static inline loop_value random_address(random_maker *r, loop_type t)
{
    const uint32_t bytes = (uint32_t)loop_elem_bytes((loop_elem)t.elem);
    const uint32_t places = (RANDOM_BYTES - bytes * t.lanes) / bytes + 1;
    const loop_value p = loop_buffer(r->b, random_below(r, 2));
    return loop_at(r->b, p, (int64_t)bytes * random_below(r, places));
}

static inline loop_value random_mask(random_maker *r, uint32_t lanes);

/* A value of type T: an old one, a variable's, a constant or one from memory. */
static inline loop_value random_value(random_maker *r, loop_type t)
{
    loop_builder *b = r->b;
    const loop_elem e = (loop_elem)t.elem;
    if (e == LOOP_MASK)
        return random_mask(r, t.lanes);
    for (unsigned turn = 0; turn < 12 && r->n_values > 0; turn++) {
        const loop_value v = r->values[r->n_values - 1 - random_below(r, r->n_values)];
        const loop_type have = loop_value_type(b, v);
        if (have.elem == t.elem && have.lanes == t.lanes)
            return v;
        if (have.elem == t.elem && have.lanes == 1 && turn > 6)
            return loop_splat(b, t.lanes, v);
        if (have.elem == t.elem && have.lanes > t.lanes && turn > 8)
            return loop_part(b, v, t.lanes * random_below(r, have.lanes / t.lanes), t.lanes);
    }
    const uint32_t align = (uint32_t)loop_elem_bytes(e);
    switch (random_below(r, 6)) {
    case 0:
        return loop_const(b, t, random_constant(r, e));
    case 1:
        return loop_load_first(b, t, random_address(r, t),
                               loop_i64(b, t.lanes == 1 ? 1 : random_below(r, t.lanes + 1u)),
                               align);
    case 2:
        return loop_load_where(b, e, random_address(r, t), random_mask(r, t.lanes));
    case 3: {
        const loop_type wide = loop_type_of(LOOP_I64, t.lanes);
        loop_value at = random_value(r, wide);
        at = loop_binary(b, LOOP_AND, at, loop_const(b, wide, RANDOM_BYTES - 8));
        return loop_gather(b, e, loop_buffer(b, random_below(r, 2)), at, random_mask(r, t.lanes));
    }
    default:
        return loop_load(b, t, random_address(r, t), align);
    }
}

static inline loop_value random_mask(random_maker *r, uint32_t lanes)
{
    loop_builder *b = r->b;
    const loop_op op = (loop_op)(LOOP_FLT + random_below(r, 7));
    const bool is_float = op <= LOOP_FUNO;
    const loop_elem e = is_float ? (loop_elem)(LOOP_F32 + random_below(r, 2)) : random_int(r);
    const loop_type t = loop_type_of(e, lanes);
    for (unsigned turn = 0; turn < 6 && r->n_values > 0; turn++) {
        const loop_value v = r->values[random_below(r, r->n_values)];
        const loop_type have = loop_value_type(b, v);
        if (have.elem == LOOP_MASK && have.lanes == lanes)
            return v;
    }
    switch (random_below(r, 5)) {
    case 0:
        return loop_const(b, loop_type_of(LOOP_MASK, lanes), random_below(r, 2));
    case 1: {
        const loop_type ints = loop_type_of(random_int(r), lanes);
        return loop_convert(b, LOOP_TRUNCATE, LOOP_MASK,
                            loop_load(b, ints, random_address(r, ints),
                                      (uint32_t)loop_elem_bytes((loop_elem)ints.elem)));
    }
    default: {
        const uint32_t align = (uint32_t)loop_elem_bytes(e);
        const loop_value x = loop_load(b, t, random_address(r, t), align);
        return loop_binary(b, op, x,
                           random_below(r, 3) ? random_value(r, t)
                                              : loop_const(b, t, random_constant(r, e)));
    }
    }
}

/* X with one NaN for all, whose bits may be looked at. */
static inline loop_value random_plain(random_maker *r, loop_value x)
{
    loop_builder *b = r->b;
    const loop_type t = loop_value_type(b, x);
    return loop_select(b, loop_binary(b, LOOP_FUNO, x, x), loop_float(b, t, 5.0), x);
}

/* X where it is in 0 .. 1000, else 3. */
static inline loop_value random_small(random_maker *r, loop_value x)
{
    loop_builder *b = r->b;
    const loop_type t = loop_value_type(b, x);
    const loop_value low = loop_binary(b, LOOP_FLE, loop_float(b, t, 0.0), x),
                     high = loop_binary(b, LOOP_FLE, x, loop_float(b, t, 1000.0));
    return loop_select(b, loop_binary(b, LOOP_AND, low, high), x, loop_float(b, t, 3.0));
}

static inline loop_value random_conversion(random_maker *r)
{
    loop_builder *b = r->b;
    const loop_op op = (loop_op)(LOOP_BITCAST + random_below(r, 9));
    const loop_elem narrow = (loop_elem)(LOOP_I8 + random_below(r, 3)),
                    wide = (loop_elem)(narrow + 1 + random_below(r, (uint32_t)(LOOP_I64 - narrow)));
    const loop_elem f = random_below(r, 2) ? LOOP_F32 : LOOP_F64,
                    i = random_below(r, 2) ? LOOP_I32 : LOOP_I64;
    const bool to_mask = random_below(r, 4) == 0;
    switch ((int)op) {
    case LOOP_BITCAST:
        if (random_below(r, 2))
            return loop_convert(b, op, f == LOOP_F32 ? LOOP_I32 : LOOP_I64,
                                random_plain(r, random_value(r, random_type(r, f))));
        return loop_convert(b, op, i == LOOP_I32 ? LOOP_F32 : LOOP_F64,
                            random_value(r, random_type(r, i)));
    case LOOP_TRUNCATE:
        return loop_convert(b, op, to_mask ? LOOP_MASK : narrow,
                            random_value(r, random_type(r, wide)));
    case LOOP_ZEXT:
    case LOOP_SEXT:
        return loop_convert(b, op, wide,
                            random_value(r, random_type(r, to_mask ? LOOP_MASK : narrow)));
    case LOOP_FCONVERT:
        return loop_convert(b, op, f == LOOP_F32 ? LOOP_F64 : LOOP_F32,
                            random_value(r, random_type(r, f)));
    case LOOP_S_TO_F:
    case LOOP_U_TO_F:
        return loop_convert(b, op, f, random_value(r, random_type(r, i)));
    default:
        return loop_convert(b, op, i, random_small(r, random_value(r, random_type(r, f))));
    }
}

static inline loop_value random_arithmetic(random_maker *r)
{
    loop_builder *b = r->b;
    loop_op op = (loop_op)(LOOP_FADD + random_below(r, LOOP_IULT - LOOP_FADD + 1));
    if (op == LOOP_DOT_BF16) /* its results are not the same everywhere */
        op = LOOP_FMA;
    const bool is_float = op <= LOOP_FTRUNC || (op >= LOOP_FLT && op <= LOOP_FUNO),
               is_logic = op >= LOOP_AND && op <= LOOP_NOT;
    const loop_elem e = is_float ? (random_below(r, 3) ? LOOP_F32 : LOOP_F64)
                        : is_logic && random_below(r, 3) == 0          ? LOOP_MASK
                        : op == LOOP_DOT_PAIRS || op == LOOP_DOT_QUADS ? LOOP_I32
                                                                       : random_int(r);
    const loop_type t = random_type(r, e);
    const loop_value x = random_value(r, t);
    if (loop_op_operands(op) == 1)
        return loop_unary(b, op, x);
    loop_value y = random_value(r, t);
    if (op == LOOP_FMA)
        return loop_fma(b, x, y, random_value(r, t));
    if (op == LOOP_DOT_PAIRS)
        return loop_dot_pairs(b, x, y, random_value(r, t));
    if (op == LOOP_DOT_QUADS)
        return loop_dot_quads(b, x, y, random_value(r, t));
    if (op >= LOOP_SDIV && op <= LOOP_UREM) /* 1 .. 127 */
        y = loop_binary(b, LOOP_OR, loop_binary(b, LOOP_AND, y, loop_const(b, t, 0x7f)),
                        loop_const(b, t, 1));
    return loop_binary(b, op, x, y);
}

static inline loop_value random_move(random_maker *r)
{
    loop_builder *b = r->b;
    const loop_elem e = (loop_elem)random_below(r, LOOP_PTR);
    const loop_type t = random_type(r, e);
    uint8_t table[LOOP_MAX_LANES];
    switch (random_below(r, 5)) {
    case 0:
        return loop_splat(b, t.lanes, random_value(r, loop_type_of(e, 1)));
    case 1:
        return loop_lane(b, random_value(r, t), random_below(r, t.lanes));
    case 2:
        return loop_ramp(b, random_int(r), t.lanes);
    case 3: {
        const uint32_t lanes = random_type(r, e).lanes;
        for (uint32_t k = 0; k < lanes; k++)
            table[k] = (uint8_t)random_below(r, 2u * t.lanes);
        const loop_value x = random_value(r, t);
        return loop_shuffle(b, x, random_value(r, t), table, lanes);
    }
    default: {
        const loop_value yes = random_value(r, t), no = random_value(r, t);
        return loop_select(b, random_mask(r, random_below(r, 2) ? t.lanes : 1), yes, no);
    }
    }
}

/* Write a value to its own place of the output. */
static inline void random_store(random_maker *r)
{
    loop_builder *b = r->b;
    const loop_type t = random_type(r, random_number(r));
    const uint32_t size = (uint32_t)loop_elem_bytes((loop_elem)t.elem), bytes = size * t.lanes;
    if (r->out_at + 2 * bytes > RANDOM_BYTES)
        return;
    const loop_value x = random_value(r, t);
    const uint32_t how = random_below(r, 6), align = how == 0 ? bytes : size,
                   at = (r->out_at + align - 1) / align * align;
    const loop_value p = loop_at(b, loop_buffer(b, RANDOM_OUT), at);
    for (uint32_t k = 0; k < bytes; k++)
        r->out_elem[at + k] = t.elem;
    if (how == 0)
        loop_store_nontemporal(b, p, x);
    else if (how == 1)
        loop_store_first(b, p, x, loop_i64(b, random_below(r, t.lanes + 1u)), size);
    else
        loop_store(b, p, x, size);
    r->out_at = at + bytes;
}

static inline void random_body(random_maker *r, unsigned n);

static inline void random_region(random_maker *r)
{
    loop_builder *b = r->b;
    const uint32_t n_values = r->n_values, n_vars = r->n_vars, kind = random_below(r, 3);
    if (r->depth >= 3)
        return;
    r->depth++;
    if (kind == 0) {
        loop_if(b, random_mask(r, 1));
        random_body(r, 4);
        r->n_values = n_values;
        r->n_vars = n_vars;
        if (random_below(r, 2)) {
            loop_else(b);
            random_body(r, 4);
        }
    } else {
        const loop_value low = kind == 1 ? loop_i64(b, random_below(r, 3))
                                         : loop_param_value(b, LOOP_BEGIN),
                         high = kind == 1 ? loop_i64(b, random_below(r, 5))
                                          : loop_param_value(b, LOOP_END_AT);
        (void)random_keep(r, loop_for(b, low, high, 1 + random_below(r, 3)));
        random_body(r, 5);
    }
    loop_end(b);
    r->n_values = n_values;
    r->n_vars = n_vars;
    r->depth--;
}

static inline void random_step(random_maker *r)
{
    loop_builder *b = r->b;
    const uint32_t what = random_below(r, 20);
    if (what < 8) {
        (void)random_keep(r, random_arithmetic(r));
    } else if (what < 10) {
        (void)random_keep(r, random_conversion(r));
    } else if (what < 12) {
        (void)random_keep(r, random_move(r));
    } else if (what < 14) {
        random_store(r);
    } else if (what == 14 && r->n_vars < RANDOM_VARS) {
        const loop_elem e = (loop_elem)random_below(r, LOOP_PTR);
        r->vars[r->n_vars++] = loop_var(b, random_value(r, random_type(r, e)));
    } else if (what < 17 && r->n_vars > 0) {
        const loop_value v = r->vars[random_below(r, r->n_vars)];
        loop_set(b, v, random_value(r, loop_value_type(b, v)));
    } else if (what < 18 && r->n_vars > 0) {
        (void)random_keep(r, loop_get(b, r->vars[random_below(r, r->n_vars)]));
    } else if (what == 18) {
        random_region(r);
    } else if (random_below(r, 4) == 0) {
        loop_fail(b, random_mask(r, 1), 1 + (int32_t)random_below(r, 9));
    }
}

static inline void random_body(random_maker *r, unsigned n)
{
    for (unsigned k = 0; k < n; k++)
        random_step(r);
}

/* A program of some STEPS steps; ELEMS, of RANDOM_BYTES, says for each byte of the output to what
 * kind of element it belongs (LOOP_I8 where nothing is written). NULL without memory, or when the
 * maker is wrong. */
static inline const loop_program *random_program(loop_builder *b, arena *memory, uint64_t seed,
                                                 unsigned steps, uint8_t *elems)
{
    random_maker r = {.b = b, .state = seed * 0x9e3779b97f4a7c15U + 1};
    memset(r.out_elem, LOOP_I8, sizeof r.out_elem);
    loop_init(b, memory);
    random_body(&r, steps);
    for (unsigned k = 0; k < 8; k++)
        random_store(&r);
    memcpy(elems, r.out_elem, sizeof r.out_elem);
    return loop_finish(b);
}

#endif
