/* Conversions between the types of loop programs as expressions of C. */
#include "target/c/print.h"

static void put_convertvector(c_printer *c, loop_value v, bool is_signed, c_kind to, uint32_t lanes)
{
    c_put(c, "__builtin_convertvector(");
    if (is_signed)
        c_put_signed(c, v);
    else
        c_put_operand(c, v, false);
    c_put(c, ", ");
    c_put_type(c, to, lanes);
    c_put(c, ")");
}

static void put_extension(c_printer *c, const loop_inst *i)
{
    const c_kind to = c_kind_of((loop_elem)i->type.elem);
    const uint32_t lanes = i->type.lanes;
    const bool is_signed = i->op == LOOP_SEXT, is_vector = lanes > 1;
    if (c_inst(c, i->in[0])->type.elem == LOOP_MASK) {
        c_put_cast(c, to, lanes);
        if (is_vector) {
            c_put_mask(c, i->in[0], c_signed(to));
            c_put(c, is_signed ? "" : " & 1u");
        } else {
            if (is_signed) {
                c_put(c, "-");
                c_put_cast(c, c_signed(to), 1);
            }
            c_put_operand(c, i->in[0], false);
        }
        return;
    }
    if (!is_vector) {
        c_put_cast(c, to, 1);
        if (is_signed)
            c_put_signed(c, i->in[0]);
        else
            c_put_operand(c, i->in[0], false);
        return;
    }
    if (is_signed)
        c_put_cast(c, to, lanes);
    put_convertvector(c, i->in[0], is_signed, is_signed ? c_signed(to) : to, lanes);
}

static void put_truncation(c_printer *c, const loop_inst *i, loop_value self)
{
    const loop_inst *from = c_inst(c, i->in[0]);
    const uint32_t lanes = i->type.lanes;
    if (i->type.elem != LOOP_MASK) {
        if (lanes > 1) {
            put_convertvector(c, i->in[0], false, c_kind_of((loop_elem)i->type.elem), lanes);
        } else {
            c_put_cast(c, c_kind_of((loop_elem)i->type.elem), 1);
            c_put_operand(c, i->in[0], false);
        }
    } else if (lanes == 1) {
        c_put(c, "(");
        c_put_operand(c, i->in[0], false);
        c_put(c, " & 1u) != 0");
    } else { /* the lowest bit in every bit */
        const unsigned top = 8 * (unsigned)loop_elem_bytes((loop_elem)from->type.elem) - 1;
        c_put_cast(c, (c_kind)c->values[self].mask, lanes);
        c_put(c, "(");
        c_put_operand(c, i->in[0], false);
        text_printf(c->out, " << %u) >> %u", top, top);
    }
}

static void put_bitcast(c_printer *c, const loop_inst *i)
{
    const c_kind from = c_kind_of_value(c, i->in[0]), to = c_kind_of((loop_elem)i->type.elem);
    const bool is_float = to == C_F32 || to == C_F64;
    if (from == to) {
        c_put_operand(c, i->in[0], false);
    } else if (i->type.lanes > 1) {
        c_put_cast(c, to, i->type.lanes);
        c_put_operand(c, i->in[0], false);
    } else {
        text_printf(c->out, is_float ? "%s_of_bits(" : "bits_of_%s(",
                    c_kind_name(is_float ? to : from));
        c_need(c, is_float ? C_FLOAT : C_BITS, is_float ? to : from, 1);
        c_put_whole(c, i->in[0]); /* the operand without parentheses */
        c_put(c, ")");
    }
}

static void put_to_float(c_printer *c, const loop_inst *i)
{
    const c_kind to = c_kind_of((loop_elem)i->type.elem);
    const bool is_signed = i->op == LOOP_S_TO_F;
    if (i->type.lanes > 1) {
        put_convertvector(c, i->in[0], is_signed, to, i->type.lanes);
        return;
    }
    c_put_cast(c, to, 1);
    if (is_signed)
        c_put_signed(c, i->in[0]);
    else
        c_put_operand(c, i->in[0], false);
}

static void put_to_integer(c_printer *c, const loop_inst *i)
{
    const c_kind from = c_kind_of_value(c, i->in[0]), to = c_kind_of((loop_elem)i->type.elem);
    const bool is_signed = i->op == LOOP_F_TO_S;
    const c_helper helper =
        to == C_U32 ? (is_signed ? C_S32_OF : C_U32_OF) : (is_signed ? C_S64_OF : C_U64_OF);
    if (is_signed)
        c_put_cast(c, to, i->type.lanes);
    c_put_type(c, is_signed ? c_signed(to) : to, i->type.lanes);
    c_put_helper(c, "_of_", helper, from, i->type.lanes);
    c_put(c, "(");
    c_put_operand(c, i->in[0], false);
    c_put(c, ")");
}

void c_put_conversion(c_printer *c, loop_value v)
{
    const loop_inst *i = c_inst(c, v);
    switch ((int)i->op) {
    case LOOP_BITCAST:
        put_bitcast(c, i);
        break;
    case LOOP_TRUNCATE:
        put_truncation(c, i, v);
        break;
    case LOOP_ZEXT:
    case LOOP_SEXT:
        put_extension(c, i);
        break;
    case LOOP_FCONVERT:
    case LOOP_S_TO_F:
    case LOOP_U_TO_F:
        put_to_float(c, i);
        break;
    case LOOP_F_TO_S:
    case LOOP_F_TO_U:
        put_to_integer(c, i);
        break;
    default:
        break;
    }
}
