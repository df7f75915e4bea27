/* Arithmetic and comparisons of loop programs as expressions of C. */
#include <inttypes.h>

#include "target/c/print.h"

static void operand(c_printer *c, const loop_inst *i, unsigned k)
{
    c_put_operand(c, i->in[k], c_takes_number(c->program, i, k));
}

const char *c_sign_of(loop_op op)
{
    switch ((int)op) {
    case LOOP_FADD:
    case LOOP_IADD:
        return " + ";
    case LOOP_FSUB:
    case LOOP_ISUB:
        return " - ";
    case LOOP_FMUL:
    case LOOP_IMUL:
        return " * ";
    case LOOP_FDIV:
    case LOOP_SDIV:
    case LOOP_UDIV:
        return " / ";
    case LOOP_SREM:
    case LOOP_UREM:
        return " % ";
    case LOOP_AND:
        return " & ";
    case LOOP_OR:
        return " | ";
    case LOOP_XOR:
        return " ^ ";
    case LOOP_SHL:
        return " << ";
    case LOOP_LSHR:
    case LOOP_ASHR:
        return " >> ";
    case LOOP_FLT:
    case LOOP_ILT:
    case LOOP_IULT:
        return " < ";
    case LOOP_FLE:
        return " <= ";
    default: /* FEQ, IEQ */
        return " == ";
    }
}

/* Integers narrower than int are computed as int and cut again. */
bool c_is_narrow(const loop_inst *i)
{
    return i->type.lanes == 1 && (i->type.elem == LOOP_I8 || i->type.elem == LOOP_I16);
}

static void put_binary(c_printer *c, const loop_inst *i)
{
    const bool cut = c_is_narrow(i);
    if (cut) {
        c_put_cast(c, c_kind_of((loop_elem)i->type.elem), 1);
        c_put(c, "(");
        if (i->op == LOOP_IMUL)
            c_put(c, "1u * "); /* unsigned: the product of two u16 may not fit an int */
    }
    operand(c, i, 0);
    c_put(c, c_sign_of((loop_op)i->op));
    operand(c, i, 1);
    c_put(c, cut ? ")" : "");
}

static void put_division(c_printer *c, const loop_inst *i)
{
    if (c_is_number(c->program, i->in[1], UINT64_MAX) && i->op == LOOP_SDIV) {
        if (c_is_narrow(i)) /* by -1, which compilers see overflow */
            c_put_cast(c, c_kind_of((loop_elem)i->type.elem), 1);
        c_put(c, "(0u - ");
        c_put_operand(c, i->in[0], false);
        c_put(c, ")");
        return;
    }
    if (i->op == LOOP_UDIV || i->op == LOOP_UREM) {
        put_binary(c, i);
        return;
    }
    c_put_cast(c, c_kind_of((loop_elem)i->type.elem), i->type.lanes);
    c_put(c, "(");
    c_put_signed(c, i->in[0]);
    c_put(c, c_sign_of((loop_op)i->op));
    c_put_signed(c, i->in[1]);
    c_put(c, ")");
}

static void put_shift(c_printer *c, const loop_inst *i)
{
    const loop_elem e = (loop_elem)i->type.elem;
    const unsigned mask = 8 * (unsigned)loop_elem_bytes(e) - 1;
    const loop_inst *amount = c_inst(c, i->in[1]);
    const bool is_right = i->op == LOOP_ASHR;

    if (c_is_narrow(i) || is_right) {
        c_put_cast(c, c_kind_of(e), i->type.lanes);
        c_put(c, "(");
    }
    if (is_right && c_inst(c, i->in[0])->op == LOOP_CONST && i->type.lanes == 1)
        c_put_cast(c, c_signed(c_kind_of(e)), 1); /* the number alone is an int */
    if (is_right)
        c_put_signed(c, i->in[0]);
    else
        c_put_operand(c, i->in[0], false);
    c_put(c, c_sign_of((loop_op)i->op));
    if (amount->op == LOOP_CONST) {
        text_printf(c->out, "%u", (unsigned)amount->imm & mask);
    } else {
        c_put(c, is_right && i->type.lanes > 1 ? "" : "(");
        if (is_right && i->type.lanes > 1) { /* gcc wants amounts of the same type */
            c_put_cast(c, c_signed(c_kind_of(e)), i->type.lanes);
            c_put(c, "(");
        }
        c_put_operand(c, i->in[1], false);
        text_printf(c->out, " & %uu)", mask);
    }
    c_put(c, c_is_narrow(i) || is_right ? ")" : "");
}

/* And, or, exclusive or of masks. */
static void put_logic(c_printer *c, const loop_inst *i, loop_value self)
{
    if (i->type.elem != LOOP_MASK) {
        put_binary(c, i);
    } else if (i->type.lanes == 1) {
        c_put_operand(c, i->in[0], false);
        c_put(c, i->op == LOOP_AND ? " && " : i->op == LOOP_OR ? " || " : " != ");
        c_put_operand(c, i->in[1], false);
    } else {
        c_put_mask(c, i->in[0], (c_kind)c->values[self].mask);
        c_put(c, c_sign_of((loop_op)i->op));
        c_put_mask(c, i->in[1], (c_kind)c->values[self].mask);
    }
}

static void put_comparison(c_printer *c, const loop_inst *i, loop_value self)
{
    const bool is_vector = i->type.lanes > 1;
    if (is_vector) {
        c_put_cast(c, (c_kind)c->values[self].mask, i->type.lanes);
        c_put(c, "(");
    }
    if (i->op == LOOP_FUNO) {
        c_put(c, is_vector ? "(" : "__builtin_isunordered(");
        c_put_operand(c, i->in[0], false);
        c_put(c, is_vector ? " != " : ", ");
        c_put_operand(c, i->in[is_vector ? 0 : 1], false);
        c_put(c, ")");
        if (is_vector && i->in[0] != i->in[1]) {
            c_put(c, " | (");
            c_put_operand(c, i->in[1], false);
            c_put(c, " != ");
            c_put_operand(c, i->in[1], false);
            c_put(c, ")");
        }
    } else {
        const bool is_signed = i->op == LOOP_ILT;
        (is_signed ? c_put_signed(c, i->in[0]) : c_put_operand(c, i->in[0], false));
        c_put(c, c_sign_of((loop_op)i->op));
        (is_signed ? c_put_signed(c, i->in[1]) : c_put_operand(c, i->in[1], false));
    }
    c_put(c, is_vector ? ")" : "");
}

static void put_not(c_printer *c, const loop_inst *i)
{
    static const char *const ones[] = {
        [LOOP_I8] = "0xffu ^ ",
        [LOOP_I16] = "0xffffu ^ ",
        [LOOP_I32] = "0xffffffffu ^ ",
        [LOOP_I64] = "0xffffffffffffffffull ^ ",
    };
    const bool is_mask = i->type.elem == LOOP_MASK && i->type.lanes == 1;
    /* gcc warns of ~ on what comes from a comparison */
    const bool is_truth = !is_mask && i->type.lanes == 1 && c_inst(c, i->in[0])->op == LOOP_ZEXT;
    const char *sign = is_mask ? "!" : is_truth ? ones[i->type.elem] : "~";
    if (c_is_narrow(i))
        c_put_cast(c, c_kind_of((loop_elem)i->type.elem), 1);
    c_put(c, c_is_narrow(i) || is_truth ? "(" : "");
    c_put(c, sign);
    c_put_operand(c, i->in[0], false);
    c_put(c, c_is_narrow(i) || is_truth ? ")" : "");
}

/* A call of `__builtin_fmaf`, or of a block over the lanes. */
static void put_float_call(c_printer *c, const loop_inst *i, const char *name, c_helper helper)
{
    const c_kind kind = c_kind_of((loop_elem)i->type.elem);
    if (i->type.lanes == 1) {
        text_printf(c->out, "__builtin_%s%s(", name, kind == C_F32 ? "f" : "");
    } else {
        text_printf(c->out, "%s_", name);
        c_put_helper(c, "", helper, kind, i->type.lanes);
        c_put(c, "(");
    }
    for (unsigned k = 0; k < loop_op_operands((loop_op)i->op); k++) {
        c_put(c, k ? ", " : "");
        c_put_operand(c, i->in[k], false);
    }
    c_put(c, ")");
}

/* "(u32)((s32)(x << 16) >> 16)" or "(u32)((s32)x >> 16)" */
static void put_half(c_printer *c, loop_value v, bool is_low)
{
    c_put(c, is_low ? "(u32)((s32)(" : "(u32)((s32)");
    c_put_operand(c, v, false);
    c_put(c, is_low ? " << 16) >> 16)" : " >> 16)");
}

/* "dot_pairs_u32x16(x, y, z)" */
static void put_dot_vectors(c_printer *c, const loop_inst *i, const char *prefix, c_helper helper)
{
    c_put(c, prefix);
    c_put_helper(c, "", helper, c_kind_of((loop_elem)i->type.elem), i->type.lanes);
    c_put(c, "(");
    for (unsigned k = 0; k < 3; k++) {
        c_put(c, k ? ", " : "");
        c_put_operand(c, i->in[k], false);
    }
    c_put(c, ")");
}

static void put_dot_pairs(c_printer *c, const loop_inst *i)
{
    if (i->type.lanes > 1) {
        put_dot_vectors(c, i, "dot_pairs_", C_DOT_PAIRS);
        return;
    }
    for (unsigned low = 2; low-- > 0;) {
        put_half(c, i->in[0], low);
        c_put(c, " * ");
        put_half(c, i->in[1], low);
        c_put(c, " + ");
    }
    c_put_operand(c, i->in[2], false);
}

/* "(u32)((s32)(x << 8) >> 24)", or without "(s32)" where the byte has no sign. */
static void put_byte(c_printer *c, loop_value v, unsigned byte, bool is_signed)
{
    enum { BITS = 8, LAST = 3 };
    c_put(c, is_signed ? "(u32)((s32)(" : "((");
    c_put_operand(c, v, false);
    text_printf(c->out, " << %u) >> %u)", BITS * (LAST - byte), BITS * LAST);
}

static void put_dot_quads(c_printer *c, const loop_inst *i)
{
    if (i->type.lanes > 1) {
        put_dot_vectors(c, i, "dot_quads_", C_DOT_QUADS);
        return;
    }
    for (unsigned byte = 0; byte < 4; byte++) {
        put_byte(c, i->in[0], byte, false);
        c_put(c, " * ");
        put_byte(c, i->in[1], byte, true);
        c_put(c, " + ");
    }
    c_put_operand(c, i->in[2], false);
}

/* "f32_of_bits(bits_of_f32(x) << 16)", or with "& 0xffff0000u" */
static void put_bf16(c_printer *c, loop_value v, bool is_low)
{
    c_need(c, C_FLOAT, C_F32, 1);
    c_need(c, C_BITS, C_F32, 1);
    c_put(c, "f32_of_bits(bits_of_f32(");
    c_put_whole(c, v);
    c_put(c, is_low ? ") << 16)" : ") & 0xffff0000u)");
}

static void put_dot_bf16(c_printer *c, const loop_inst *i)
{
    if (i->type.lanes > 1) {
        put_dot_vectors(c, i, "dot_bf16_", C_DOT_BF16);
        return;
    }
    for (unsigned low = 2; low-- > 0;) {
        put_bf16(c, i->in[0], low);
        c_put(c, " * ");
        put_bf16(c, i->in[1], low);
        c_put(c, " + ");
    }
    c_put_operand(c, i->in[2], false);
}

static void put_scale(c_printer *c, const loop_inst *i)
{
    c_put_helper(c, "scale_", C_SCALE, c_kind_of((loop_elem)i->type.elem), i->type.lanes);
    c_put(c, "(");
    c_put_operand(c, i->in[0], false);
    c_put(c, ", ");
    c_put_operand(c, i->in[1], false);
    c_put(c, ")");
}

static void put_abs(c_printer *c, const loop_inst *i)
{
    const bool is_wide = i->type.elem == LOOP_F64;
    if (i->type.lanes == 1) {
        put_float_call(c, i, "fabs", C_TYPE);
        return;
    }
    c_put_cast(c, is_wide ? C_F64 : C_F32, i->type.lanes);
    c_put(c, "(");
    c_put_cast(c, is_wide ? C_U64 : C_U32, i->type.lanes);
    c_put_operand(c, i->in[0], false);
    c_put(c, is_wide ? " & 0x7fffffffffffffffu)" : " & 0x7fffffffu)");
}

static void put_select(c_printer *c, const loop_inst *i, loop_value self)
{
    const uint32_t lanes = i->type.lanes;
    const bool by_lane = lanes > 1 && c_inst(c, i->in[0])->type.lanes == lanes,
               is_mask = lanes > 1 && i->type.elem == LOOP_MASK;
    const c_kind kind = c_kind_of_value(c, self);
    const c_helper helper = c_select_helper(c->program, i);
    if (helper != C_SELECT) {
        c_put_helper(c, helper == C_MIN ? "min_" : "max_", helper, kind, lanes);
        c_put(c, "(");
        c_put_operand(c, i->in[1], false);
        c_put(c, ", ");
        c_put_operand(c, i->in[2], false);
        c_put(c, ")");
        return;
    }
    if (by_lane) {
        const c_kind mask = is_mask         ? kind
                            : kind == C_F32 ? C_S32
                            : kind == C_F64 ? C_S64
                                            : c_signed(kind);
        c_put_helper(c, "select_", C_SELECT, kind, lanes);
        c_need(c, C_TYPE, mask, lanes);
        c_put(c, "(");
        c_put_mask(c, i->in[0], mask);
    } else {
        if (c_is_narrow(i)) {
            c_put_cast(c, kind, 1);
            c_put(c, "(");
        }
        c_put_operand(c, i->in[0], false);
    }
    for (unsigned k = 1; k < 3; k++) {
        c_put(c, by_lane ? ", " : k == 1 ? " ? " : " : ");
        if (!by_lane && lanes > 1)
            c_put_cast(c, kind, lanes); /* from the types of memory */
        if (is_mask)
            c_put_mask(c, i->in[k], kind);
        else
            c_put_operand(c, i->in[k], false);
    }
    c_put(c, by_lane || c_is_narrow(i) ? ")" : "");
}

void c_put_arithmetic(c_printer *c, loop_value v)
{
    const loop_inst *i = c_inst(c, v);
    switch ((int)i->op) {
    case LOOP_FADD:
    case LOOP_FSUB:
    case LOOP_FMUL:
    case LOOP_FDIV:
    case LOOP_IADD:
    case LOOP_ISUB:
    case LOOP_IMUL:
        put_binary(c, i);
        break;
    case LOOP_FMA:
        put_float_call(c, i, "fma", C_FMA);
        break;
    case LOOP_DOT_PAIRS:
        put_dot_pairs(c, i);
        break;
    case LOOP_DOT_QUADS:
        put_dot_quads(c, i);
        break;
    case LOOP_DOT_BF16:
        put_dot_bf16(c, i);
        break;
    case LOOP_FSQRT:
        put_float_call(c, i, "sqrt", C_SQRT);
        break;
    case LOOP_FRINT:
        put_float_call(c, i, "rint", C_RINT);
        break;
    case LOOP_FTRUNC:
        put_float_call(c, i, "trunc", C_TRUNC);
        break;
    case LOOP_SCALE:
        put_scale(c, i);
        break;
    case LOOP_FNEG:
        c_put(c, "-");
        c_put_operand(c, i->in[0], false);
        break;
    case LOOP_FABS:
        put_abs(c, i);
        break;
    case LOOP_SDIV:
    case LOOP_UDIV:
    case LOOP_SREM:
    case LOOP_UREM:
        put_division(c, i);
        break;
    case LOOP_AND:
    case LOOP_OR:
    case LOOP_XOR:
        put_logic(c, i, v);
        break;
    case LOOP_NOT:
        put_not(c, i);
        break;
    case LOOP_SHL:
    case LOOP_LSHR:
    case LOOP_ASHR:
        put_shift(c, i);
        break;
    case LOOP_FLT:
    case LOOP_FLE:
    case LOOP_FEQ:
    case LOOP_FUNO:
    case LOOP_IEQ:
    case LOOP_ILT:
    case LOOP_IULT:
        put_comparison(c, i, v);
        break;
    case LOOP_SELECT:
        put_select(c, i, v);
        break;
    case LOOP_BITCAST:
    case LOOP_TRUNCATE:
    case LOOP_ZEXT:
    case LOOP_SEXT:
    case LOOP_FCONVERT:
    case LOOP_S_TO_F:
    case LOOP_U_TO_F:
    case LOOP_F_TO_S:
    case LOOP_F_TO_U:
        c_put_conversion(c, v);
        break;
    default:
        break;
    }
}
