/* A program for every instruction of loop programs, type and number of lanes, with values at the
 * edges; and what compares a compiled one with the interpreter. */
#ifndef TEST_LOOP_CASES_H
#define TEST_LOOP_CASES_H

#include <stdlib.h>

#include "check.h"
#include "loop_interpreter.h"
#include "runtime/code.h"

/* Buffers 0 to 2 are read, 3 is written. */
enum { BUFFER_BYTES = 1024, N_BUFFERS = 4, OUT = 3, MOST_CASES = 4096 };

typedef enum data_sort { DATA_EDGES, DATA_SMALL } data_sort;

typedef struct one_case {
    char name[48];
    const loop_program *program;
    loop_elem out; /* how the result is compared */
    data_sort data;
    int64_t end; /* passed to the function; begin is 0 */
} one_case;

typedef struct case_list {
    arena memory;
    one_case at[MOST_CASES];
    size_t n;
    loop_builder b;
    bool covered[LOOP_OP_COUNT];
} case_list;

static uint64_t random_state = 1;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545f4914f6cdd1dU;
}

/* ---- building cases ---- */

static void begin_case(case_list *l)
{
    loop_init(&l->b, &l->memory);
}

/* Keep the program if it is one: what the builder refuses does not exist. */
static void end_case(case_list *l, const char *name, loop_elem e, uint32_t lanes, loop_elem out,
                     data_sort data, int64_t end)
{
    const loop_program *p = loop_finish(&l->b);
    if (!p || !CHECK(l->n < MOST_CASES))
        return;
    one_case *c = &l->at[l->n];
    (void)snprintf(c->name, sizeof c->name, "%s_%sx%u_%zu", name, loop_elem_name(e), lanes, l->n);
    c->program = p;
    c->out = out;
    c->data = data;
    c->end = end;
    l->n++;
    for (uint32_t k = 0; k < p->n; k++)
        l->covered[p->at[k].op] = true;
}

/* LANES lanes of E from buffer WHICH; a mask is the lowest bits of bytes. */
static loop_value input(loop_builder *b, uint32_t which, loop_elem e, uint32_t lanes)
{
    const loop_elem held = e == LOOP_MASK ? LOOP_I8 : e;
    const loop_value x = loop_load(b, loop_type_of(held, lanes), loop_buffer(b, which),
                                   (uint32_t)loop_elem_bytes(held));
    return e == LOOP_MASK ? loop_convert(b, LOOP_TRUNCATE, LOOP_MASK, x) : x;
}

static loop_elem output_at(loop_builder *b, loop_value x, int64_t at)
{
    loop_elem e = (loop_elem)loop_value_type(b, x).elem;
    if (e == LOOP_MASK) {
        x = loop_convert(b, LOOP_ZEXT, LOOP_I8, x);
        e = LOOP_I8;
    }
    loop_store(b, loop_at(b, loop_buffer(b, OUT), at), x, (uint32_t)loop_elem_bytes(e));
    return e;
}

static loop_elem output(loop_builder *b, loop_value x)
{
    return output_at(b, x, 0);
}

static bool is_division(loop_op op)
{
    return op >= LOOP_SDIV && op <= LOOP_UREM;
}

/* Positive for any X. */
static loop_value divisor(loop_builder *b, loop_value x, loop_elem e)
{
    const loop_type t = loop_value_type(b, x);
    const uint64_t most = (UINT64_C(1) << (8 * loop_elem_bytes(e) - 1)) - 1;
    const loop_value low = loop_binary(b, LOOP_AND, x, loop_const(b, t, most));
    return loop_binary(b, LOOP_OR, low, loop_const(b, t, 1));
}

static void add_arithmetic(case_list *l, loop_op op, loop_elem e, uint32_t lanes)
{
    loop_builder *b = &l->b;
    loop_value in[3] = {0, 0, 0}, x;
    begin_case(l);
    for (uint32_t k = 0; k < loop_op_operands(op); k++)
        in[k] = input(b, k, e, lanes);
    if (is_division(op) && e != LOOP_MASK && e < LOOP_F32)
        in[1] = divisor(b, in[1], e);
    if (op == LOOP_FMA)
        x = loop_fma(b, in[0], in[1], in[2]);
    else if (op == LOOP_DOT_PAIRS)
        x = loop_dot_pairs(b, in[0], in[1], in[2]);
    else if (op == LOOP_DOT_QUADS)
        x = loop_dot_quads(b, in[0], in[1], in[2]);
    else if (loop_op_operands(op) == 1)
        x = loop_unary(b, op, in[0]);
    else
        x = loop_binary(b, op, in[0], in[1]);
    if (!loop_failed(b)) {
        const loop_elem out = output(b, x);
        end_case(l, loop_op_name(op), e, lanes, out, DATA_EDGES, 1);
    }
}

/* The second operand is a constant, which compilers treat in their own ways. */
static void add_constant_operand(case_list *l, loop_op op, loop_elem e, uint32_t lanes,
                                 uint64_t bits)
{
    loop_builder *b = &l->b;
    begin_case(l);
    const loop_value y = loop_const(b, loop_type_of(e, lanes), bits);
    const loop_value x = loop_binary(b, op, input(b, 0, e, lanes), y);
    if (!loop_failed(b)) {
        const loop_elem out = output(b, x);
        end_case(l, loop_op_name(op), e, lanes, out, DATA_EDGES, 1);
    }
}

static void add_conversion(case_list *l, loop_op op, loop_elem from, loop_elem to, uint32_t lanes)
{
    loop_builder *b = &l->b;
    const bool is_partial = op == LOOP_F_TO_S || op == LOOP_F_TO_U;
    begin_case(l);
    loop_value x = input(b, 0, from, lanes);
    if (op == LOOP_F_TO_U && (from == LOOP_F32 || from == LOOP_F64))
        x = loop_unary(b, LOOP_FABS, x);
    x = loop_convert(b, op, to, x);
    if (!loop_failed(b)) {
        const loop_elem out = output(b, x);
        end_case(l, loop_op_name(op), from, lanes, out, is_partial ? DATA_SMALL : DATA_EDGES, 1);
    }
}

static void add_all_arithmetic(case_list *l, uint32_t lanes)
{
    for (unsigned op = LOOP_FADD; op <= LOOP_IULT; op++)
        for (unsigned e = LOOP_MASK; e <= LOOP_F64; e++)
            if (op != LOOP_SELECT && op != LOOP_DOT_BF16)
                add_arithmetic(l, (loop_op)op, (loop_elem)e, lanes);
    for (unsigned op = LOOP_BITCAST; op <= LOOP_F_TO_U; op++)
        for (unsigned from = LOOP_MASK; from <= LOOP_F64; from++)
            for (unsigned to = LOOP_MASK; to <= LOOP_F64; to++)
                add_conversion(l, (loop_op)op, (loop_elem)from, (loop_elem)to, lanes);
}

static void add_constants(case_list *l, uint32_t lanes)
{
    static const uint64_t bits[] = {1, 2, 7, 10, 16, 31, 64, UINT64_MAX / 3};
    static const uint8_t ops[] = {LOOP_IMUL, LOOP_SDIV, LOOP_UDIV, LOOP_SREM, LOOP_UREM,
                                  LOOP_SHL,  LOOP_LSHR, LOOP_ASHR, LOOP_IULT};
    for (size_t k = 0; k < sizeof bits / sizeof bits[0]; k++)
        for (size_t o = 0; o < sizeof ops / sizeof ops[0]; o++)
            for (unsigned e = LOOP_I8; e <= LOOP_I64; e++)
                add_constant_operand(l, (loop_op)ops[o], (loop_elem)e, lanes, bits[k]);
    static const double floats[] = {0.0, -0.0, 1.0, 0.5, 3.0, -1.0};
    for (unsigned op = LOOP_FADD; op <= LOOP_FDIV; op++)
        for (size_t k = 0; k < sizeof floats / sizeof floats[0]; k++) {
            const float narrow = (float)floats[k];
            add_constant_operand(l, (loop_op)op, LOOP_F32, lanes, loop_of_f32(narrow));
            add_constant_operand(l, (loop_op)op, LOOP_F64, lanes, loop_of_f64(floats[k]));
        }
}

/* Any number between 1/2 and 1, to any exponent and half as far beyond. */
static void add_scale(case_list *l, loop_elem e, uint32_t lanes)
{
    loop_builder *b = &l->b;
    const bool is_wide = e == LOOP_F64;
    const loop_elem bits = is_wide ? LOOP_I64 : LOOP_I32;
    const loop_type t = loop_type_of(bits, lanes);
    begin_case(l);
    loop_value x = input(b, 0, bits, lanes), k = input(b, 1, bits, lanes);
    const uint64_t keep = is_wide ? UINT64_C(0x800fffffffffffff) : 0x807fffff,
                   half = is_wide ? UINT64_C(0x3fe) << 52 : 0x3f000000,
                   magic = is_wide ? UINT64_C(0x4338) << 48 : 0x4b400000;
    x = loop_binary(b, LOOP_AND, x, loop_const(b, t, keep));
    x = loop_binary(b, LOOP_OR, x, loop_const(b, t, half));
    const loop_value most = loop_binary(b, LOOP_ASHR, k, loop_const(b, t, is_wide ? 53 : 24));
    k = loop_binary(b, LOOP_IADD, most, loop_binary(b, LOOP_ASHR, most, loop_const(b, t, 1)));
    k = loop_binary(b, LOOP_IADD, k, loop_const(b, t, magic));
    x = loop_convert(b, LOOP_BITCAST, e, x);
    k = loop_convert(b, LOOP_BITCAST, e, k);
    const loop_elem out = output(b, loop_scale(b, x, k));
    end_case(l, "scale", e, lanes, out, DATA_EDGES, 1);
}

/* X, an integer, in its lowest bits as a small number of bf16: one of which sums of products are
 * exact.
 */
static loop_value small_bf16(loop_builder *b, loop_value x, unsigned from)
{
    const loop_type t = loop_value_type(b, x);
    x = loop_binary(b, LOOP_LSHR, x, loop_const(b, t, from));
    x = loop_binary(b, LOOP_AND, x, loop_const(b, t, 7));
    x = loop_binary(b, LOOP_ISUB, x, loop_const(b, t, 4));
    return loop_convert(b, LOOP_BITCAST, LOOP_I32, loop_convert(b, LOOP_S_TO_F, LOOP_F32, x));
}

static void add_dot_bf16(case_list *l, uint32_t lanes)
{
    loop_builder *b = &l->b;
    loop_value in[3];
    begin_case(l);
    for (uint32_t k = 0; k < 3; k++) {
        const loop_value x = input(b, k, LOOP_I32, lanes), high = small_bf16(b, x, 3);
        const loop_value sixteen = loop_const(b, loop_value_type(b, high), 16);
        const loop_value low = loop_binary(b, LOOP_LSHR, small_bf16(b, x, 0), sixteen);
        const loop_value both = k < 2 ? loop_binary(b, LOOP_OR, high, low) : high;
        in[k] = loop_convert(b, LOOP_BITCAST, LOOP_F32, both);
    }
    const loop_elem out = output(b, loop_dot_bf16(b, in[0], in[1], in[2]));
    end_case(l, "dot_bf16", LOOP_I32, lanes, out, DATA_EDGES, 1);
}

/* What compilers see more in than it is: minimum and maximum, and a product and a sum, each of
 * which rounds. */
static void add_idioms(case_list *l, loop_elem e, uint32_t lanes)
{
    for (unsigned k = 0; k < 3; k++) {
        begin_case(l);
        loop_builder *b = &l->b;
        const loop_value x = input(b, 0, e, lanes), y = input(b, 1, e, lanes);
        const loop_value less = loop_binary(b, LOOP_FLT, x, y);
        const loop_value out = k == 2 ? loop_binary(b, LOOP_FADD, loop_binary(b, LOOP_FMUL, x, y),
                                                    input(b, 2, e, lanes))
                                      : loop_select(b, less, k ? y : x, k ? x : y);
        const loop_elem to = output(b, out);
        end_case(l, k == 2 ? "mul_add" : k ? "max" : "min", e, lanes, to, DATA_EDGES, 1);
    }
}

static void add_select(case_list *l, loop_elem e, uint32_t lanes, uint32_t mask_lanes)
{
    loop_builder *b = &l->b;
    begin_case(l);
    const loop_value m = input(b, 2, LOOP_MASK, mask_lanes);
    const loop_value x = loop_select(b, m, input(b, 0, e, lanes), input(b, 1, e, lanes));
    const loop_elem out = output(b, x);
    end_case(l, "select", e, lanes, out, DATA_EDGES, 1);
}

static void add_moves(case_list *l, loop_elem e, uint32_t lanes)
{
    loop_builder *b = &l->b;
    uint8_t table[LOOP_MAX_LANES];
    begin_case(l);
    loop_elem out = output(b, loop_splat(b, lanes, input(b, 0, e, 1)));
    end_case(l, "splat", e, lanes, out, DATA_EDGES, 1);
    for (uint32_t k = 0; k<lanes; k += lanes> 8 ? 5 : 1) {
        begin_case(l);
        out = output(b, loop_lane(b, input(b, 0, e, lanes), k));
        end_case(l, "lane", e, lanes, out, DATA_EDGES, 1);
    }
    begin_case(l);
    const loop_value r = loop_ramp(b, e, lanes);
    if (!loop_failed(b)) {
        out = output(b, r);
        end_case(l, "ramp", e, lanes, out, DATA_EDGES, 1);
    }
    for (uint32_t n = 1; n <= LOOP_MAX_LANES; n *= 4) {
        begin_case(l);
        for (uint32_t k = 0; k < n; k++)
            table[k] = (uint8_t)(random_bits() % (2 * lanes));
        out = output(b, loop_shuffle(b, input(b, 0, e, lanes), input(b, 1, e, lanes), table, n));
        end_case(l, "shuffle", e, lanes, out, DATA_EDGES, 1);
    }
    begin_case(l);
    out = output(b, loop_const(b, loop_type_of(e, lanes), random_bits()));
    end_case(l, "const", e, lanes, out, DATA_EDGES, 1);
}

/* ---- memory ---- */

/* Buffer 1 holds a number in 0 .. lanes where these programs run. */
static void add_first(case_list *l, loop_elem e, uint32_t lanes, int64_t n)
{
    loop_builder *b = &l->b;
    const uint32_t align = (uint32_t)loop_elem_bytes(e);
    const loop_value some = (begin_case(l), loop_param_value(b, LOOP_END_AT));
    const loop_type t = loop_type_of(e, lanes);
    (void)output(b, loop_load_first(b, t, loop_buffer(b, 0), some, align));
    const loop_value above = loop_at(b, loop_buffer(b, OUT), BUFFER_BYTES / 2);
    loop_store_first(b, above, input(b, 1, e, lanes), some, align);
    end_case(l, "first", e, lanes, e, DATA_EDGES, n);
}

static void add_masked(case_list *l, loop_elem e, uint32_t lanes)
{
    loop_builder *b = &l->b;
    const int64_t bytes = (int64_t)loop_elem_bytes(e);
    begin_case(l);
    (void)output(b, loop_load_where(b, e, loop_buffer(b, 0), input(b, 1, LOOP_MASK, lanes)));
    end_case(l, "where", e, lanes, e, DATA_EDGES, 1);

    /* lane i from element (a number below 64) of buffer 0 */
    begin_case(l);
    loop_value at = loop_convert(b, LOOP_ZEXT, LOOP_I64, input(b, 1, LOOP_I8, lanes));
    const loop_type t = loop_type_of(LOOP_I64, lanes);
    at = loop_binary(b, LOOP_AND, at, loop_const(b, t, 63));
    at = loop_binary(b, LOOP_IMUL, at, loop_const(b, t, (uint64_t)bytes));
    (void)output(b, loop_gather(b, e, loop_buffer(b, 0), at, input(b, 2, LOOP_MASK, lanes)));
    const loop_value all = loop_const(b, loop_type_of(LOOP_MASK, lanes), 1);
    (void)output_at(b, loop_gather(b, e, loop_buffer(b, 1), at, all), BUFFER_BYTES / 2);
    end_case(l, "gather", e, lanes, e, DATA_EDGES, 1);
}

static void add_places(case_list *l, loop_elem e, uint32_t lanes)
{
    loop_builder *b = &l->b;
    const uint32_t bytes = (uint32_t)loop_elem_bytes(e) * lanes;
    begin_case(l);
    const loop_value own = loop_local(b, bytes), shared = loop_scratch(b, bytes);
    loop_store(b, own, input(b, 0, e, lanes), LOOP_ALIGN);
    loop_store(b, shared, input(b, 1, e, lanes), LOOP_ALIGN);
    loop_prefetch(b, own);
    loop_prefetch_far(b, own);
    (void)output(b, loop_load(b, loop_type_of(e, lanes), own, LOOP_ALIGN));
    const loop_value from = loop_load(b, loop_type_of(e, lanes), shared, LOOP_ALIGN);
    loop_store_nontemporal(b, loop_at(b, loop_buffer(b, OUT), BUFFER_BYTES / 2), from);
    const loop_value place = loop_address(b, loop_at(b, loop_buffer(b, 0), 24));
    (void)output_at(b, place, BUFFER_BYTES - 8);
    end_case(l, "places", e, lanes, e, DATA_EDGES, 1);
}

/* ---- regions ---- */

/* A sum in two nested loops, one of which may not run, with a condition and a failure inside. */
static void add_loops(case_list *l, loop_elem e, uint32_t lanes, int64_t end, int64_t step)
{
    loop_builder *b = &l->b;
    const bool is_float = e == LOOP_F32 || e == LOOP_F64;
    begin_case(l);
    const loop_value x = input(b, 0, e, lanes), y = input(b, 1, e, lanes);
    const loop_value sum = loop_var(b, x), turns = loop_var(b, loop_i64(b, 0));
    const loop_value high = loop_param_value(b, LOOP_END_AT);
    const loop_value i = loop_for(b, loop_param_value(b, LOOP_BEGIN), high, step);
    const loop_value j = loop_for(b, i, loop_i64(b, 5), 2);
    loop_set(b, sum, loop_binary(b, is_float ? LOOP_FADD : LOOP_IADD, loop_get(b, sum), y));
    const loop_value both = loop_binary(b, LOOP_IADD, i, j);
    loop_set(b, turns, loop_binary(b, LOOP_IADD, loop_get(b, turns), both));
    loop_end(b);
    loop_if(b, loop_binary(b, LOOP_ILT, loop_i64(b, 1), i));
    loop_set(b, sum, loop_get(b, sum));
    loop_fail(b, loop_binary(b, LOOP_IEQ, i, loop_i64(b, 6)), -7);
    loop_else(b);
    loop_set(b, turns, loop_binary(b, LOOP_ISUB, loop_get(b, turns), loop_i64(b, 100)));
    loop_if(b, loop_binary(b, LOOP_IEQ, i, loop_i64(b, 0)));
    loop_fail(b, loop_binary(b, LOOP_ILT, high, loop_i64(b, 3)), 11);
    loop_end(b);
    loop_end(b);
    loop_end(b);
    (void)output(b, loop_get(b, sum));
    (void)output_at(b, loop_get(b, turns), BUFFER_BYTES - 8);
    end_case(l, "loops", e, lanes, e, DATA_SMALL, end);
}

/* Two nested loops that are left: the inner one in the middle of an iteration, the outer one at
 * its END, after iteration LAST, or never. */
static void add_leaving(case_list *l, loop_elem e, uint32_t lanes, int64_t last)
{
    loop_builder *b = &l->b;
    const bool is_float = e == LOOP_F32 || e == LOOP_F64;
    begin_case(l);
    const loop_value x = input(b, 0, e, lanes), y = input(b, 1, e, lanes);
    const loop_value sum = loop_var(b, x), turns = loop_var(b, loop_i64(b, 0));
    const loop_value i =
        loop_for(b, loop_param_value(b, LOOP_BEGIN), loop_param_value(b, LOOP_END_AT), 1);
    const loop_value j = loop_for(b, loop_i64(b, 0), loop_i64(b, 7), 2);
    loop_set(b, sum, loop_binary(b, is_float ? LOOP_FADD : LOOP_IADD, loop_get(b, sum), y));
    loop_leave(b, loop_binary(b, LOOP_ILT, i, j));
    loop_set(b, turns, loop_binary(b, LOOP_IADD, loop_get(b, turns), loop_i64(b, 1)));
    loop_end(b);
    loop_leave(b, loop_binary(b, LOOP_IEQ, i, loop_i64(b, last)));
    loop_end(b);
    (void)output(b, loop_get(b, sum));
    (void)output_at(b, loop_get(b, turns), BUFFER_BYTES - 8);
    end_case(l, "leaving", e, lanes, e, DATA_SMALL, 5);
}

/* A whole array by steps of LANES, the rest masked; END is the number of elements. */
static void add_array(case_list *l, loop_elem e, uint32_t lanes, int64_t end)
{
    loop_builder *b = &l->b;
    const uint32_t bytes = (uint32_t)loop_elem_bytes(e);
    begin_case(l);
    const loop_value n = loop_param_value(b, LOOP_END_AT), width = loop_i64(b, lanes);
    const loop_value i = loop_for(b, loop_param_value(b, LOOP_BEGIN), n, lanes);
    const loop_value left = loop_binary(b, LOOP_ISUB, n, i);
    const loop_value is_last = loop_binary(b, LOOP_ILT, left, width);
    const loop_value some = loop_select(b, is_last, left, width);
    const loop_value at = loop_binary(b, LOOP_IMUL, i, loop_i64(b, bytes));
    const loop_type t = loop_type_of(e, lanes);
    const loop_value x = loop_load_first(b, t, loop_offset(b, loop_buffer(b, 0), at), some, bytes);
    const loop_value to = loop_offset(b, loop_buffer(b, OUT), at);
    loop_store_first(b, to, loop_binary(b, LOOP_XOR, x, loop_const(b, t, 0x5a)), some, bytes);
    loop_end(b);
    end_case(l, "array", e, lanes, e, DATA_EDGES, end);
}

static void add_all(case_list *l, uint32_t lanes)
{
    if (lanes < LOOP_MAX_LANES) {
        add_all_arithmetic(l, lanes);
        add_dot_bf16(l, lanes);
    }
    for (unsigned k = LOOP_MASK; k <= LOOP_F64; k++) {
        const loop_elem e = (loop_elem)k;
        add_select(l, e, lanes, lanes);
        add_select(l, e, lanes, 1);
        add_moves(l, e, lanes);
        if (e == LOOP_MASK)
            continue;
        for (int64_t n = 0; n <= lanes; n += lanes > 4 ? lanes / 2 - 1 : 1)
            add_first(l, e, lanes, n);
        add_first(l, e, lanes, lanes);
        if (e >= LOOP_F32) {
            add_scale(l, e, lanes);
            add_idioms(l, e, lanes);
        }
        add_masked(l, e, lanes);
        add_places(l, e, lanes);
        add_loops(l, e, lanes, 0, 1);
        add_loops(l, e, lanes, 7, 3);
        add_loops(l, e, lanes, 2, 1);
        add_leaving(l, e, lanes, 3);
        add_leaving(l, e, lanes, 0);
        add_leaving(l, e, lanes, 9);
        if (e < LOOP_F32)
            add_array(l, e, lanes, 83);
    }
}

/* ---- running ---- */

static uint64_t edge(size_t bytes)
{
    static const uint32_t f32[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                   0xff800000, 0x7fc00000, 0x00000001, 0x807fffff, 0x7f7fffff,
                                   0x3f000000, 0x3fc00000, 0x40200000, 0x4b000001, 0x00800000};
    static const uint64_t f64[] = {0,
                                   0x8000000000000000,
                                   0x3ff0000000000000,
                                   0xbff8000000000000,
                                   0x7ff0000000000000,
                                   0xfff0000000000000,
                                   0x7ff8000000000000,
                                   0x0000000000000001,
                                   0x800fffffffffffff,
                                   0x7fefffffffffffff,
                                   0x3fe0000000000000,
                                   0x47efffffe0000000,
                                   0x36a0000000000001};
    const uint64_t r = random_bits();
    if (r % 3 == 0)
        return r >> 8;
    if (r % 3 == 1 && bytes == 4)
        return (uint64_t)((int64_t)(r >> 8) % 9 - 4);
    return bytes == 8 ? f64[(r >> 8) % (sizeof f64 / sizeof f64[0])]
                      : f32[(r >> 8) % (sizeof f32 / sizeof f32[0])];
}

/* The bytes of one buffer for a program on elements of ELEM. */
static void fill(char *to, data_sort data, loop_elem elem)
{
    const size_t bytes = loop_elem_bytes(elem);
    for (size_t k = 0; k + bytes <= BUFFER_BYTES; k += bytes) {
        uint64_t bits = edge(bytes);
        const double small = (double)(int64_t)(random_bits() % 2000000) / 16.0 - 60000.0;
        if (data == DATA_SMALL && elem == LOOP_F32)
            bits = loop_of_f32((float)small);
        else if (data == DATA_SMALL && elem == LOOP_F64)
            bits = loop_of_f64(small);
        memcpy(to + k, &bits, bytes);
    }
}

static bool is_nan_of(loop_elem e, const char *at)
{
    float narrow;
    double wide;
    if (e == LOOP_F32) {
        memcpy(&narrow, at, sizeof narrow);
        return narrow != narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return e == LOOP_F64 && wide != wide;
}

/* The first byte where A and B differ, or BUFFER_BYTES. */
static size_t difference(loop_elem e, const char *a, const char *b)
{
    const size_t bytes = loop_elem_bytes(e);
    for (size_t k = 0; k < BUFFER_BYTES; k += bytes)
        if (memcmp(a + k, b + k, bytes) != 0 && !(is_nan_of(e, a + k) && is_nan_of(e, b + k)))
            return k;
    return BUFFER_BYTES;
}

typedef struct memory_set {
    _Alignas(BUFFER_BYTES) char in[OUT][BUFFER_BYTES];
    _Alignas(BUFFER_BYTES) char want[BUFFER_BYTES];
    _Alignas(BUFFER_BYTES) char have[BUFFER_BYTES];
    _Alignas(LOOP_ALIGN) char scratch[4096];
} memory_set;

/* What the loaded elements of P are, for its data. */
static loop_elem data_elem(const loop_program *p)
{
    for (uint32_t k = 0; k < p->n; k++)
        if (p->at[k].op == LOOP_LOAD && p->at[k].type.elem != LOOP_PTR)
            return (loop_elem)p->at[k].type.elem;
    return LOOP_I64;
}

static bool run_once(const one_case *c, code_function *f, const char *cpu)
{
    static memory_set m;
    char *want[N_BUFFERS] = {m.in[0], m.in[1], m.in[2], m.want};
    char *have[N_BUFFERS] = {m.in[0], m.in[1], m.in[2], m.have};
    int32_t status = 0;
    for (size_t k = 0; k < OUT; k++)
        fill(m.in[k], c->data, data_elem(c->program));
    memset(m.want, 0x33, sizeof m.want);
    memset(m.have, 0x33, sizeof m.have);
    const char *fault = loop_interpret(c->program, want, 0, c->end, NULL, &status);
    if (!CHECK(fault == NULL)) {
        printf("    %s: %s\n", c->name, fault);
        return false;
    }
    const int32_t got = f(have, 0, c->end, m.scratch);
    const size_t at = difference(c->out, m.want, m.have);
    if (CHECK(got == status && at == BUFFER_BYTES))
        return true;
    uint64_t x = 0, y = 0, z = 0, w = 0;
    memcpy(&x, m.want + at % BUFFER_BYTES, loop_elem_bytes(c->out));
    memcpy(&y, m.have + at % BUFFER_BYTES, loop_elem_bytes(c->out));
    memcpy(&z, m.in[0] + at % BUFFER_BYTES, loop_elem_bytes(data_elem(c->program)));
    memcpy(&w, m.in[1] + at % BUFFER_BYTES, loop_elem_bytes(data_elem(c->program)));
    printf("    %s on %s: status %" PRId32 ", want %" PRId32 "; byte %zu: have 0x%" PRIx64
           ", want 0x%" PRIx64 " (there in the inputs: 0x%" PRIx64 ", 0x%" PRIx64 ")\n",
           c->name, cpu, got, status, at, y, x, z, w);
    return false;
}

/* All of them; the caller releases `memory` and frees the list. NULL without memory. */
static case_list *all_cases(void)
{
    static const uint32_t lanes[] = {1, 4, 16, 64};
    case_list *l = calloc(1, sizeof *l);
    if (!CHECK(l != NULL))
        return NULL;
    arena_init(&l->memory, &memory_system);
    for (size_t k = 0; k < sizeof lanes / sizeof lanes[0]; k++)
        add_all(l, lanes[k]);
    add_constants(l, 1);
    add_constants(l, 8);
    for (unsigned op = 0; op < LOOP_OP_COUNT; op++)
        if (op != LOOP_POLL && !CHECK(l->covered[op])) /* test_polls.c has that */
            printf("    no case has '%s'\n", loop_op_name((loop_op)op));
    printf("%zu programs\n", l->n);
    return l;
}

#endif
