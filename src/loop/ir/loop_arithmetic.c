/* Building loop programs: arithmetic, conversions, and lanes. */
#include <string.h>

#include "loop/ir/loop_parts.h"

typedef enum operand_sort { SORT_FLOAT, SORT_INT, SORT_I32, SORT_F32, SORT_BITS } operand_sort;

/* What operands an operation of rule SAME, SHIFTED or COMPARE takes. */
static operand_sort sort_of(loop_op op)
{
    if ((op >= LOOP_FADD && op <= LOOP_FTRUNC) || (op >= LOOP_FLT && op <= LOOP_FUNO))
        return SORT_FLOAT;
    if (op == LOOP_DOT_PAIRS || op == LOOP_DOT_QUADS)
        return SORT_I32;
    if (op == LOOP_DOT_BF16)
        return SORT_F32;
    return op >= LOOP_AND && op <= LOOP_NOT ? SORT_BITS : SORT_INT;
}

static bool takes(loop_op op, loop_type t)
{
    const loop_elem e = (loop_elem)t.elem;
    switch (sort_of(op)) {
    case SORT_FLOAT:
        return is_float(e);
    case SORT_INT:
        return is_int(e);
    case SORT_I32:
        return e == LOOP_I32;
    case SORT_F32:
        return e == LOOP_F32;
    case SORT_BITS:
        return is_int(e) || e == LOOP_MASK;
    }
    return false;
}

static loop_value arithmetic(loop_builder *b, loop_op op, unsigned n, const loop_value *in)
{
    const loop_type t = loop_value_type(b, in[0]);
    const type_rule rule = loop_op_rule(op);
    if (b->fault)
        return 0;
    if (loop_op_operands(op) != n || rule == RULE_GIVEN || rule == RULE_CUSTOM || !takes(op, t))
        return loop_fault(b, "no such operation on this type");
    for (unsigned k = 1; k < n; k++)
        if (!same_type(t, loop_value_type(b, in[k])))
            return loop_fault(b, "operands of different types");
    const loop_type out = rule == RULE_COMPARE ? loop_type_of(LOOP_MASK, t.lanes) : t;
    return loop_add_value(b, op, out, in[0], n > 1 ? in[1] : 0, n > 2 ? in[2] : 0, 0);
}

loop_value loop_unary(loop_builder *b, loop_op op, loop_value x)
{
    return arithmetic(b, op, 1, &x);
}

static bool commutes(loop_op op)
{
    return op == LOOP_FADD || op == LOOP_FMUL || op == LOOP_IADD || op == LOOP_IMUL ||
           op == LOOP_AND || op == LOOP_OR || op == LOOP_XOR || op == LOOP_IEQ;
}

/* The operands of ops that commute stand in one order, whatever the graph has: layers that are
 * equal but for that have one code. */
loop_value loop_binary(loop_builder *b, loop_op op, loop_value x, loop_value y)
{
    if (commutes(op) && y < x) {
        const loop_value first = y;
        y = x;
        x = first;
    }
    const loop_type t = loop_value_type(b, x);
    if (x == y && !b->fault && takes(op, t))
        switch ((int)op) { /* known whatever X is; compilers of C warn of some of these */
        case LOOP_AND:
        case LOOP_OR:
            return x;
        case LOOP_XOR:
            return loop_const(b, t, 0);
        case LOOP_IEQ:
        case LOOP_ILT:
        case LOOP_IULT:
            return loop_const(b, loop_type_of(LOOP_MASK, t.lanes), op == LOOP_IEQ);
        }
    return arithmetic(b, op, 2, (const loop_value[]){x, y});
}

loop_value loop_fma(loop_builder *b, loop_value x, loop_value y, loop_value z)
{
    return arithmetic(b, LOOP_FMA, 3, (const loop_value[]){x, y, z});
}

loop_value loop_dot_pairs(loop_builder *b, loop_value x, loop_value y, loop_value z)
{
    return arithmetic(b, LOOP_DOT_PAIRS, 3, (const loop_value[]){x, y, z});
}

loop_value loop_dot_quads(loop_builder *b, loop_value x, loop_value y, loop_value z)
{
    return arithmetic(b, LOOP_DOT_QUADS, 3, (const loop_value[]){x, y, z});
}

loop_value loop_dot_bf16(loop_builder *b, loop_value x, loop_value y, loop_value z)
{
    return arithmetic(b, LOOP_DOT_BF16, 3, (const loop_value[]){x, y, z});
}

loop_value loop_scale(loop_builder *b, loop_value x, loop_value magic_k)
{
    const loop_type t = loop_value_type(b, x);
    if (!is_float((loop_elem)t.elem) || !same_type(t, loop_value_type(b, magic_k)))
        return loop_fault(b, "scaling what is no float");
    return loop_add_value(b, LOOP_SCALE, t, x, magic_k, 0, 0);
}

loop_value loop_select(loop_builder *b, loop_value mask, loop_value yes, loop_value no)
{
    const loop_type m = loop_value_type(b, mask), t = loop_value_type(b, yes);
    if (m.elem != LOOP_MASK || !same_type(t, loop_value_type(b, no)) ||
        (m.lanes != t.lanes && m.lanes != 1))
        return loop_fault(b, "select between what does not fit");
    return loop_add_value(b, LOOP_SELECT, t, mask, yes, no, 0);
}

loop_value loop_min(loop_builder *b, loop_value x, loop_value y)
{
    return loop_select(b, loop_binary(b, LOOP_ILT, x, y), x, y);
}

static bool converts(loop_op op, loop_elem from, loop_elem to)
{
    const size_t a = loop_elem_bytes(from), c = loop_elem_bytes(to);
    const bool is_wide_int = from == LOOP_I32 || from == LOOP_I64;
    switch ((int)op) {
    case LOOP_BITCAST:
        return a == c && from != LOOP_MASK && to != LOOP_MASK && from != LOOP_PTR && to != LOOP_PTR;
    case LOOP_TRUNCATE:
        return is_int(from) && (to == LOOP_MASK || (is_int(to) && c < a));
    case LOOP_ZEXT:
    case LOOP_SEXT:
        return is_int(to) && (from == LOOP_MASK || (is_int(from) && a < c));
    case LOOP_FCONVERT:
        return is_float(from) && is_float(to) && a != c;
    case LOOP_S_TO_F:
    case LOOP_U_TO_F:
        return is_wide_int && is_float(to);
    case LOOP_F_TO_S:
    case LOOP_F_TO_U:
        return is_float(from) && (to == LOOP_I32 || to == LOOP_I64);
    default:
        return false;
    }
}

loop_value loop_convert(loop_builder *b, loop_op op, loop_elem to, loop_value x)
{
    const loop_type t = loop_value_type(b, x);
    if (b->fault)
        return 0;
    if (!converts(op, (loop_elem)t.elem, to))
        return loop_fault(b, "no such conversion");
    return loop_add_value(b, op, loop_type_of(to, t.lanes), x, 0, 0, 0);
}

loop_value loop_splat(loop_builder *b, uint32_t lanes, loop_value x)
{
    const loop_type t = loop_value_type(b, x);
    if (t.lanes == lanes)
        return x;
    if (t.lanes != 1 || !is_good_type(loop_type_of((loop_elem)t.elem, lanes)))
        return loop_fault(b, "no scalar to repeat");
    if (b->spares_registers && !b->fault && b->at[x].op == LOOP_CONST &&
        is_float((loop_elem)t.elem))
        return loop_const(b, loop_type_of((loop_elem)t.elem, lanes), b->at[x].imm);
    return loop_add_value(b, LOOP_SPLAT, loop_type_of((loop_elem)t.elem, lanes), x, 0, 0, 0);
}

loop_value loop_lane(loop_builder *b, loop_value x, uint32_t lane)
{
    const loop_type t = loop_value_type(b, x);
    if (lane >= t.lanes)
        return loop_fault(b, "no such lane");
    if (t.lanes == 1)
        return x;
    return loop_add_value(b, LOOP_LANE, loop_type_of((loop_elem)t.elem, 1), x, 0, 0, lane);
}

loop_value loop_ramp(loop_builder *b, loop_elem elem, uint32_t lanes)
{
    if (!is_int(elem) || !is_good_type(loop_type_of(elem, lanes)))
        return loop_fault(b, "a ramp is of integers");
    return loop_add_value(b, LOOP_RAMP, loop_type_of(elem, lanes), 0, 0, 0, 0);
}

static bool reserve_tables(loop_builder *b, uint32_t lanes)
{
    if (b->cap_tables - b->n_tables >= lanes)
        return true;
    const uint32_t cap = b->cap_tables ? 2 * b->cap_tables : 1024;
    uint8_t *tables = cap <= UINT32_MAX / 4 ? ARENA_ARRAY(b->arena, uint8_t, cap) : NULL;
    if (!tables)
        return false;
    if (b->n_tables)
        memcpy(tables, b->tables, b->n_tables);
    b->tables = tables;
    b->cap_tables = cap;
    return true;
}

/* Has X the same number in all lanes, as one can see? */
static bool is_spread(const loop_builder *b, loop_value x)
{
    return b->at[x].op == LOOP_SPLAT || b->at[x].op == LOOP_CONST;
}

loop_value loop_shuffle(loop_builder *b, loop_value x, loop_value y, const uint8_t *given,
                        uint32_t lanes)
{
    const loop_type t = loop_value_type(b, x);
    uint8_t table[LOOP_MAX_LANES];
    if (b->fault)
        return 0;
    /* Of a spread number each lane takes its own: for AVX2, without optimisation, LLVM 19 does not
     * end on shuffles of other ones of what is loaded. */
    for (uint32_t i = 0; i < lanes && i < LOOP_MAX_LANES; i++) {
        const bool is_second = given[i] >= t.lanes;
        const bool is_any = given[i] < 2 * t.lanes && is_spread(b, is_second ? y : x);
        table[i] = is_any ? (uint8_t)(i % t.lanes + (is_second ? t.lanes : 0)) : given[i];
    }
    if (!same_type(t, loop_value_type(b, y)) ||
        !is_good_type(loop_type_of((loop_elem)t.elem, lanes)))
        return loop_fault(b, "shuffle of what does not fit");
    bool is_same = lanes == t.lanes;
    for (uint32_t i = 0; i < lanes; i++) {
        if (table[i] >= 2 * t.lanes)
            return loop_fault(b, "no such lane");
        is_same = is_same && table[i] == i;
    }
    if (is_same) /* LLVM has failed to end on chains of such ones */
        return x;
    if (!reserve_tables(b, lanes))
        return loop_fault(b, "no memory");
    const uint32_t place = b->n_tables;
    memcpy(b->tables + place, table, lanes);
    b->n_tables += lanes;
    return loop_add(b, (loop_inst){.op = LOOP_SHUFFLE,
                                   .type = loop_type_of((loop_elem)t.elem, lanes),
                                   .n_lanes = lanes,
                                   .in = {x, y},
                                   .imm = place});
}

loop_value loop_part(loop_builder *b, loop_value x, uint32_t first, uint32_t lanes)
{
    uint8_t table[LOOP_MAX_LANES];
    if (lanes == 1)
        return loop_lane(b, x, first);
    if (lanes == loop_lanes(b, x) && first == 0)
        return x;
    for (uint32_t i = 0; i < lanes && i < LOOP_MAX_LANES; i++)
        table[i] = (uint8_t)(first + i);
    return loop_shuffle(b, x, x, table, lanes);
}

loop_value loop_any(loop_builder *b, loop_value mask)
{
    for (uint32_t half = loop_lanes(b, mask) / 2; half > 0; half /= 2)
        mask = loop_binary(b, LOOP_OR, loop_part(b, mask, 0, half), loop_part(b, mask, half, half));
    return mask;
}
