/* The values of loop programs as expressions of C. */
#include <inttypes.h>

#include "scalar/minifloat.h"
#include "target/c/print.h"

static const loop_inst *inst_of(const c_printer *c, loop_value v)
{
    return &c->program->at[v];
}

static void put(c_printer *c, const char *text)
{
    text_puts(c->out, text);
}

static void need(c_printer *c, c_helper helper, c_kind kind, uint32_t lanes)
{
    c->needs->of[helper][kind][c_log2(lanes)] = true;
}

void c_put_type(c_printer *c, c_kind kind, uint32_t lanes)
{
    put(c, c_kind_name(kind));
    if (lanes > 1)
        text_printf(c->out, "x%" PRIu32, lanes);
    need(c, C_TYPE, kind, lanes);
}

/* "(u32x16)" */
static void put_cast(c_printer *c, c_kind kind, uint32_t lanes)
{
    put(c, "(");
    c_put_type(c, kind, lanes);
    put(c, ")");
}

/* "splat_u32x16" */
static void put_helper(c_printer *c, const char *prefix, c_helper helper, c_kind kind,
                       uint32_t lanes)
{
    put(c, prefix);
    c_put_type(c, kind, lanes);
    need(c, helper, kind, lanes);
}

c_kind c_kind_of_value(const c_printer *c, loop_value v)
{
    const loop_inst *i = inst_of(c, v);
    if (i->type.elem == LOOP_MASK)
        return i->type.lanes == 1 ? C_BOOL : (c_kind)c->values[v].mask;
    return c_kind_of((loop_elem)i->type.elem);
}

/* ---- numbers ---- */

static uint64_t low_bits(loop_elem e, uint64_t bits)
{
    const size_t n = 8 * loop_elem_bytes(e);
    return n >= 64 ? bits : bits & ((UINT64_C(1) << n) - 1);
}

static int64_t as_signed(loop_elem e, uint64_t bits)
{
    const unsigned unused = 64 - 8 * (unsigned)loop_elem_bytes(e);
    return (int64_t)(bits << unused) >> unused;
}

void c_put_float(text_buffer *out, c_needs *needs, loop_elem e, uint64_t bits)
{
    const bool is_wide = e == LOOP_F64;
    const unsigned fraction_bits = is_wide ? 52 : 23, exponent_bits = is_wide ? 11 : 8;
    const uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1),
                   exponent = bits >> fraction_bits & ((1u << exponent_bits) - 1);
    const bool is_negative = bits >> (fraction_bits + exponent_bits) & 1;
    const char *suffix = is_wide ? "" : "f";

    if (exponent == (1u << exponent_bits) - 1) {
        needs->of[C_FLOAT][is_wide ? C_F64 : C_F32][0] = true;
        text_printf(out, is_wide ? "f64_of_bits(0x%016" PRIx64 "u)" : "f32_of_bits(0x%08" PRIx64 "u)",
                    bits);
        return;
    }
    if (is_negative)
        text_puts(out, "(");
    if (exponent == 0 && fraction != 0) /* compilers warn of small decimals that are rounded */
        text_printf(out, "%s0x%" PRIx64 "p-%d", is_negative ? "-" : "", fraction,
                    is_wide ? 1074 : 149);
    else
        text_float(out, is_wide ? format_f64 : format_f32, bits);
    text_printf(out, "%s%s", suffix, is_negative ? ")" : "");
}

static void put_number(c_printer *c, loop_elem e, uint64_t bits)
{
    if (e == LOOP_F32 || e == LOOP_F64)
        c_put_float(c->out, c->needs, e, bits);
    else if (e == LOOP_MASK)
        put(c, bits ? "1" : "0");
    else
        text_printf(c->out, e == LOOP_I64 ? "%" PRIu64 "ull" : "%" PRIu64 "u", low_bits(e, bits));
}

static void put_signed_number(c_printer *c, loop_elem e, uint64_t bits)
{
    const int64_t value = as_signed(e, bits);
    if (value == INT64_MIN)
        put(c, "INT64_MIN");
    else
        text_printf(c->out, value < 0 ? "(%" PRId64 ")" : "%" PRId64, value);
}

/* ---- operands ---- */

void c_put_name(c_printer *c, loop_value v)
{
    static const char *const params[] = {"buffers", "begin", "end", "scratch"};
    const loop_inst *i = inst_of(c, v);
    const char letter = i->op == LOOP_FOR           ? 'i'
                        : i->op == LOOP_VAR         ? 'x'
                        : i->type.elem == LOOP_PTR  ? 'p'
                        : i->type.elem == LOOP_MASK ? 'm'
                                                    : 'v';
    if (i->op == LOOP_PARAM)
        put(c, params[i->imm & 3]);
    else
        text_printf(c->out, "%c%" PRIu32, letter, v);
}

/* Variables that are signed: the program's shares and counters. */
static bool is_signed_name(const loop_inst *i)
{
    return i->op == LOOP_FOR ||
           (i->op == LOOP_PARAM && (i->imm == LOOP_BEGIN || i->imm == LOOP_END_AT));
}

/* True when the expression of I holds together by itself. */
static bool is_tight(const loop_inst *i)
{
    switch ((int)i->op) {
    case LOOP_CONST:
    case LOOP_LOAD:
    case LOOP_RAMP:
    case LOOP_SPLAT:
    case LOOP_FMA:
    case LOOP_FSQRT:
    case LOOP_FRINT:
    case LOOP_FTRUNC:
        return true;
    case LOOP_LANE:
        return i->type.elem != LOOP_MASK;
    default:
        return false;
    }
}

void c_put_operand(c_printer *c, loop_value v, bool takes_number)
{
    const loop_inst *i = inst_of(c, v);
    const c_value *value = &c->values[v];
    if (value->form == C_ALIAS) {
        c_put_name(c, i->in[0]);
    } else if (value->form != C_INLINE) {
        if (is_signed_name(i))
            put_cast(c, C_U64, 1);
        c_put_name(c, v);
    } else if (i->op == LOOP_CONST && (i->type.lanes == 1 || takes_number)) {
        put_number(c, (loop_elem)i->type.elem, i->imm);
    } else {
        put(c, is_tight(i) ? "" : "(");
        c_put_expression(c, v);
        put(c, is_tight(i) ? "" : ")");
    }
}

void c_put_signed(c_printer *c, loop_value v)
{
    const loop_inst *i = inst_of(c, v);
    if (i->op == LOOP_CONST && i->type.lanes == 1) {
        put_signed_number(c, (loop_elem)i->type.elem, i->imm);
    } else if (is_signed_name(i)) {
        c_put_name(c, v);
    } else {
        put_cast(c, c_signed(c_kind_of((loop_elem)i->type.elem)), i->type.lanes);
        c_put_operand(c, v, false);
    }
}

static void operand(c_printer *c, const loop_inst *i, unsigned k)
{
    c_put_operand(c, i->in[k], c_takes_number(c->program, i, k));
}

/* A mask of several lanes in another width. */
static void put_mask(c_printer *c, loop_value v, c_kind kind)
{
    const loop_inst *i = inst_of(c, v);
    if (c->values[v].form == C_INLINE && i->op == LOOP_CONST) {
        put_helper(c, "splat_", C_SPLAT, kind, i->type.lanes);
        put(c, i->imm & 1 ? "(-1)" : "(0)");
    } else if (c->values[v].mask == kind) {
        c_put_operand(c, v, false);
    } else {
        put(c, "__builtin_convertvector(");
        c_put_operand(c, v, false);
        put(c, ", ");
        c_put_type(c, kind, i->type.lanes);
        put(c, ")");
    }
}

void c_put_whole(c_printer *c, loop_value v)
{
    if (c->values[v].form == C_INLINE)
        c_put_expression(c, v);
    else
        c_put_operand(c, v, false);
}

void c_put_assigned(c_printer *c, loop_value to, loop_value x)
{
    const loop_type t = inst_of(c, to)->type;
    if (t.elem == LOOP_MASK && t.lanes > 1)
        put_mask(c, x, (c_kind)c->values[to].mask);
    else
        c_put_whole(c, x);
}

void c_put_access(c_printer *c, loop_type t, loop_value p, bool is_load)
{
    put(c, "*(");
    put_helper(c, "", C_MEMORY, c_kind_of((loop_elem)t.elem), t.lanes);
    put(c, is_load ? "_m const *)(" : "_m *)(");
    c_put_whole(c, p);
    put(c, ")");
}

/* ---- arithmetic ---- */

static const char *sign_of(loop_op op)
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
static bool is_narrow(const loop_inst *i)
{
    return i->type.lanes == 1 && (i->type.elem == LOOP_I8 || i->type.elem == LOOP_I16);
}

static void put_binary(c_printer *c, const loop_inst *i)
{
    const bool cut = is_narrow(i);
    if (cut) {
        put_cast(c, c_kind_of((loop_elem)i->type.elem), 1);
        put(c, "(");
        if (i->op == LOOP_IMUL)
            put(c, "1u * "); /* unsigned: the product of two u16 may not fit an int */
    }
    operand(c, i, 0);
    put(c, sign_of((loop_op)i->op));
    operand(c, i, 1);
    put(c, cut ? ")" : "");
}

static void put_division(c_printer *c, const loop_inst *i)
{
    if (c_is_number(c->program, i->in[1], UINT64_MAX) && i->op == LOOP_SDIV) {
        if (is_narrow(i)) /* by -1, which compilers see overflow */
            put_cast(c, c_kind_of((loop_elem)i->type.elem), 1);
        put(c, "(0u - ");
        c_put_operand(c, i->in[0], false);
        put(c, ")");
        return;
    }
    if (i->op == LOOP_UDIV || i->op == LOOP_UREM) {
        put_binary(c, i);
        return;
    }
    put_cast(c, c_kind_of((loop_elem)i->type.elem), i->type.lanes);
    put(c, "(");
    c_put_signed(c, i->in[0]);
    put(c, sign_of((loop_op)i->op));
    c_put_signed(c, i->in[1]);
    put(c, ")");
}

static void put_shift(c_printer *c, const loop_inst *i)
{
    const loop_elem e = (loop_elem)i->type.elem;
    const unsigned mask = 8 * (unsigned)loop_elem_bytes(e) - 1;
    const loop_inst *amount = inst_of(c, i->in[1]);
    const bool is_right = i->op == LOOP_ASHR;

    if (is_narrow(i) || is_right) {
        put_cast(c, c_kind_of(e), i->type.lanes);
        put(c, "(");
    }
    if (is_right && inst_of(c, i->in[0])->op == LOOP_CONST && i->type.lanes == 1)
        put_cast(c, c_signed(c_kind_of(e)), 1); /* the number alone is an int */
    if (is_right)
        c_put_signed(c, i->in[0]);
    else
        c_put_operand(c, i->in[0], false);
    put(c, sign_of((loop_op)i->op));
    if (amount->op == LOOP_CONST) {
        text_printf(c->out, "%u", (unsigned)amount->imm & mask);
    } else {
        put(c, is_right && i->type.lanes > 1 ? "" : "(");
        if (is_right && i->type.lanes > 1) { /* gcc wants amounts of the same type */
            put_cast(c, c_signed(c_kind_of(e)), i->type.lanes);
            put(c, "(");
        }
        c_put_operand(c, i->in[1], false);
        text_printf(c->out, " & %uu)", mask);
    }
    put(c, is_narrow(i) || is_right ? ")" : "");
}

/* And, or, exclusive or of masks. */
static void put_logic(c_printer *c, const loop_inst *i, loop_value self)
{
    if (i->type.elem != LOOP_MASK) {
        put_binary(c, i);
    } else if (i->type.lanes == 1) {
        c_put_operand(c, i->in[0], false);
        put(c, i->op == LOOP_AND ? " && " : i->op == LOOP_OR ? " || " : " != ");
        c_put_operand(c, i->in[1], false);
    } else {
        put_mask(c, i->in[0], (c_kind)c->values[self].mask);
        put(c, sign_of((loop_op)i->op));
        put_mask(c, i->in[1], (c_kind)c->values[self].mask);
    }
}

static void put_comparison(c_printer *c, const loop_inst *i, loop_value self)
{
    const bool is_vector = i->type.lanes > 1;
    if (is_vector) {
        put_cast(c, (c_kind)c->values[self].mask, i->type.lanes);
        put(c, "(");
    }
    if (i->op == LOOP_FUNO) {
        put(c, is_vector ? "(" : "__builtin_isunordered(");
        c_put_operand(c, i->in[0], false);
        put(c, is_vector ? " != " : ", ");
        c_put_operand(c, i->in[is_vector ? 0 : 1], false);
        put(c, ")");
        if (is_vector && i->in[0] != i->in[1]) {
            put(c, " | (");
            c_put_operand(c, i->in[1], false);
            put(c, " != ");
            c_put_operand(c, i->in[1], false);
            put(c, ")");
        }
    } else {
        const bool is_signed = i->op == LOOP_ILT;
        (is_signed ? c_put_signed(c, i->in[0]) : c_put_operand(c, i->in[0], false));
        put(c, sign_of((loop_op)i->op));
        (is_signed ? c_put_signed(c, i->in[1]) : c_put_operand(c, i->in[1], false));
    }
    put(c, is_vector ? ")" : "");
}

static void put_not(c_printer *c, const loop_inst *i)
{
    const bool is_mask = i->type.elem == LOOP_MASK && i->type.lanes == 1;
    if (is_narrow(i))
        put_cast(c, c_kind_of((loop_elem)i->type.elem), 1);
    put(c, is_narrow(i) ? "(~" : is_mask ? "!" : "~");
    c_put_operand(c, i->in[0], false);
    put(c, is_narrow(i) ? ")" : "");
}

/* A call of `__builtin_fmaf`, or of a block over the lanes. */
static void put_float_call(c_printer *c, const loop_inst *i, const char *name, c_helper helper)
{
    const c_kind kind = c_kind_of((loop_elem)i->type.elem);
    if (i->type.lanes == 1) {
        text_printf(c->out, "__builtin_%s%s(", name, kind == C_F32 ? "f" : "");
    } else {
        text_printf(c->out, "%s_", name);
        put_helper(c, "", helper, kind, i->type.lanes);
        put(c, "(");
    }
    for (unsigned k = 0; k < loop_op_operands((loop_op)i->op); k++) {
        put(c, k ? ", " : "");
        c_put_operand(c, i->in[k], false);
    }
    put(c, ")");
}

static void put_abs(c_printer *c, const loop_inst *i)
{
    const bool is_wide = i->type.elem == LOOP_F64;
    if (i->type.lanes == 1) {
        put_float_call(c, i, "fabs", C_TYPE);
        return;
    }
    put_cast(c, is_wide ? C_F64 : C_F32, i->type.lanes);
    put(c, "(");
    put_cast(c, is_wide ? C_U64 : C_U32, i->type.lanes);
    c_put_operand(c, i->in[0], false);
    put(c, is_wide ? " & 0x7fffffffffffffffu)" : " & 0x7fffffffu)");
}

static void put_select(c_printer *c, const loop_inst *i, loop_value self)
{
    const uint32_t lanes = i->type.lanes;
    const bool by_lane = lanes > 1 && inst_of(c, i->in[0])->type.lanes == lanes,
               is_mask = lanes > 1 && i->type.elem == LOOP_MASK;
    const c_kind kind = c_kind_of_value(c, self);
    if (by_lane) {
        const c_kind mask = is_mask         ? kind
                            : kind == C_F32 ? C_S32
                            : kind == C_F64 ? C_S64
                                            : c_signed(kind);
        put_helper(c, "select_", C_SELECT, kind, lanes);
        need(c, C_TYPE, mask, lanes);
        put(c, "(");
        put_mask(c, i->in[0], mask);
    } else {
        if (is_narrow(i)) {
            put_cast(c, kind, 1);
            put(c, "(");
        }
        c_put_operand(c, i->in[0], false);
    }
    for (unsigned k = 1; k < 3; k++) {
        put(c, by_lane ? ", " : k == 1 ? " ? " : " : ");
        if (!by_lane && lanes > 1)
            put_cast(c, kind, lanes); /* from the types of memory */
        if (is_mask)
            put_mask(c, i->in[k], kind);
        else
            c_put_operand(c, i->in[k], false);
    }
    put(c, by_lane || is_narrow(i) ? ")" : "");
}

/* ---- conversions ---- */

static void put_convertvector(c_printer *c, loop_value v, bool is_signed, c_kind to, uint32_t lanes)
{
    put(c, "__builtin_convertvector(");
    if (is_signed)
        c_put_signed(c, v);
    else
        c_put_operand(c, v, false);
    put(c, ", ");
    c_put_type(c, to, lanes);
    put(c, ")");
}

static void put_extension(c_printer *c, const loop_inst *i)
{
    const c_kind to = c_kind_of((loop_elem)i->type.elem);
    const uint32_t lanes = i->type.lanes;
    const bool is_signed = i->op == LOOP_SEXT, is_vector = lanes > 1;
    if (inst_of(c, i->in[0])->type.elem == LOOP_MASK) {
        put_cast(c, to, lanes);
        if (is_vector) {
            put_mask(c, i->in[0], c_signed(to));
            put(c, is_signed ? "" : " & 1u");
        } else {
            if (is_signed) {
                put(c, "-");
                put_cast(c, c_signed(to), 1);
            }
            c_put_operand(c, i->in[0], false);
        }
        return;
    }
    if (!is_vector) {
        put_cast(c, to, 1);
        if (is_signed)
            c_put_signed(c, i->in[0]);
        else
            c_put_operand(c, i->in[0], false);
        return;
    }
    if (is_signed)
        put_cast(c, to, lanes);
    put_convertvector(c, i->in[0], is_signed, is_signed ? c_signed(to) : to, lanes);
}

static void put_truncation(c_printer *c, const loop_inst *i, loop_value self)
{
    const loop_inst *from = inst_of(c, i->in[0]);
    const uint32_t lanes = i->type.lanes;
    if (i->type.elem != LOOP_MASK) {
        if (lanes > 1) {
            put_convertvector(c, i->in[0], false, c_kind_of((loop_elem)i->type.elem), lanes);
        } else {
            put_cast(c, c_kind_of((loop_elem)i->type.elem), 1);
            c_put_operand(c, i->in[0], false);
        }
    } else if (lanes == 1) {
        put(c, "(");
        c_put_operand(c, i->in[0], false);
        put(c, " & 1u) != 0");
    } else { /* the lowest bit in every bit */
        const unsigned top = 8 * (unsigned)loop_elem_bytes((loop_elem)from->type.elem) - 1;
        put_cast(c, (c_kind)c->values[self].mask, lanes);
        put(c, "(");
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
        put_cast(c, to, i->type.lanes);
        c_put_operand(c, i->in[0], false);
    } else {
        text_printf(c->out, is_float ? "%s_of_bits(" : "bits_of_%s(",
                    c_kind_name(is_float ? to : from));
        need(c, is_float ? C_FLOAT : C_BITS, is_float ? to : from, 1);
        c_put_whole(c, i->in[0]); /* the operand without parentheses */
        put(c, ")");
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
    put_cast(c, to, 1);
    if (is_signed)
        c_put_signed(c, i->in[0]);
    else
        c_put_operand(c, i->in[0], false);
}

static void put_to_integer(c_printer *c, const loop_inst *i)
{
    const c_kind from = c_kind_of_value(c, i->in[0]), to = c_kind_of((loop_elem)i->type.elem);
    const bool is_signed = i->op == LOOP_F_TO_S;
    const c_helper helper = to == C_U32 ? (is_signed ? C_S32_OF : C_U32_OF)
                                        : (is_signed ? C_S64_OF : C_U64_OF);
    if (is_signed)
        put_cast(c, to, i->type.lanes);
    c_put_type(c, is_signed ? c_signed(to) : to, i->type.lanes);
    put_helper(c, "_of_", helper, from, i->type.lanes);
    put(c, "(");
    c_put_operand(c, i->in[0], false);
    put(c, ")");
}

/* ---- lanes and memory ---- */

static void put_constant(c_printer *c, const loop_inst *i, loop_value self)
{
    const bool is_mask = i->type.elem == LOOP_MASK;
    if (i->type.lanes == 1) {
        put_number(c, (loop_elem)i->type.elem, i->imm);
        return;
    }
    put_helper(c, "splat_", C_SPLAT, c_kind_of_value(c, self), i->type.lanes);
    put(c, "(");
    if (is_mask)
        put(c, i->imm & 1 ? "-1" : "0");
    else
        put_number(c, (loop_elem)i->type.elem, i->imm);
    put(c, ")");
}

static void put_splat(c_printer *c, const loop_inst *i, loop_value self)
{
    const c_kind kind = c_kind_of_value(c, self);
    put_helper(c, "splat_", C_SPLAT, kind, i->type.lanes);
    put(c, "(");
    if (i->type.elem == LOOP_MASK) {
        put(c, "-");
        put_cast(c, kind, 1);
    }
    c_put_operand(c, i->in[0], false);
    put(c, ")");
}

/* A vector, or one, of the lanes of two scalars. */
static void put_scalars(c_printer *c, const loop_inst *i, c_kind kind)
{
    const uint8_t *table = c->program->tables + i->imm;
    const bool is_mask = i->type.elem == LOOP_MASK && i->type.lanes > 1;
    if (i->type.lanes == 1) {
        c_put_operand(c, i->in[table[0]], false);
        return;
    }
    put(c, "(");
    put_cast(c, kind, i->type.lanes);
    for (uint32_t k = 0; k < i->n_lanes; k++) {
        put(c, k ? ", " : "{");
        put(c, is_mask ? "-" : "");
        if (is_mask)
            put_cast(c, C_S32, 1);
        c_put_operand(c, i->in[table[k]], false);
    }
    put(c, "})");
}

static void put_shuffle(c_printer *c, const loop_inst *i, loop_value self)
{
    const loop_inst *from = inst_of(c, i->in[0]);
    const uint8_t *table = c->program->tables + i->imm;
    const c_kind kind = c_kind_of_value(c, self);
    if (from->type.lanes == 1) {
        put_scalars(c, i, kind);
        return;
    }
    if (i->type.lanes == 1) {
        c_put_operand(c, i->in[table[0] / from->type.lanes], false);
        text_printf(c->out, kind == C_BOOL ? "[%u] != 0" : "[%u]", table[0] % from->type.lanes);
        return;
    }
    put(c, "__builtin_shufflevector(");
    for (unsigned k = 0; k < 2; k++) {
        const loop_value v = i->in[c_reads(c->program, i, k) ? k : 1 - k];
        if (i->type.elem == LOOP_MASK)
            put_mask(c, v, kind);
        else
            c_put_operand(c, v, false);
        put(c, ", ");
    }
    for (uint32_t k = 0; k < i->n_lanes; k++)
        text_printf(c->out, k ? ", %u" : "%u", table[k]);
    put(c, ")");
}

static void put_ramp(c_printer *c, const loop_inst *i)
{
    const c_kind kind = c_kind_of((loop_elem)i->type.elem);
    if (i->type.lanes == 1) {
        put(c, "0u");
        return;
    }
    put(c, "(");
    put_cast(c, kind, i->type.lanes);
    put(c, "{");
    for (uint32_t k = 0; k < i->type.lanes; k++)
        text_printf(c->out, k ? ", %" PRIu32 : "%" PRIu32, k);
    put(c, "})");
}

/* One lane, or 0. */
static void put_guarded_load(c_printer *c, const loop_inst *i, loop_value guard, loop_value offset)
{
    const c_kind kind = c_kind_of((loop_elem)i->type.elem);
    put_cast(c, kind, 1);
    put(c, "(");
    c_put_operand(c, guard, false);
    put(c, " ? *(");
    put_helper(c, "", C_MEMORY, kind, 1);
    put(c, "_m const *)(");
    c_put_operand(c, i->in[0], false);
    if (offset != LOOP_NO_VALUE) {
        put(c, " + ");
        c_put_signed(c, offset);
    }
    put(c, ") : 0)");
}

static void put_masked_load(c_printer *c, const loop_inst *i)
{
    const c_kind kind = c_kind_of((loop_elem)i->type.elem);
    const bool is_gather = i->op == LOOP_GATHER;
    if (i->type.lanes == 1) {
        put_guarded_load(c, i, i->in[is_gather ? 2 : 1], is_gather ? i->in[1] : LOOP_NO_VALUE);
        return;
    }
    if (is_gather)
        put_helper(c, "gather_", C_GATHER, kind, i->type.lanes);
    else
        put_helper(c, "load_where_", C_LOAD_WHERE, kind, i->type.lanes);
    for (unsigned k = 0; k < (is_gather ? 3 : 2); k++) {
        put(c, k ? ", " : "(");
        c_put_operand(c, i->in[k], false);
    }
    put(c, ")");
}

static void put_load_first(c_printer *c, const loop_inst *i)
{
    const c_kind kind = c_kind_of((loop_elem)i->type.elem);
    if (i->type.lanes == 1) {
        put_guarded_load(c, i, i->in[1], LOOP_NO_VALUE);
        return;
    }
    put_helper(c, "load_first_", C_LOAD_FIRST, kind, i->type.lanes);
    put(c, "(");
    c_put_whole(c, i->in[0]);
    put(c, ", ");
    c_put_operand(c, i->in[1], false);
    put(c, ")");
}

/* The pointer to buffer number k is read as `buffers[k]`. */
static bool put_buffer(c_printer *c, const loop_inst *i)
{
    const loop_inst *p = inst_of(c, i->in[0]);
    uint64_t bytes = 0;
    if (i->type.elem != LOOP_PTR)
        return false;
    if (p->op == LOOP_OFFSET && inst_of(c, p->in[1])->op == LOOP_CONST) {
        bytes = inst_of(c, p->in[1])->imm;
        if (c->values[i->in[0]].form != C_INLINE)
            return false;
        p = inst_of(c, p->in[0]);
    }
    if (p->op != LOOP_PARAM || p->imm != LOOP_BUFFERS || bytes % 8 != 0)
        return false;
    text_printf(c->out, "buffers[%" PRIu64 "]", bytes / 8);
    return true;
}

/* Bytes between addresses, which do not overflow: sums and products stay signed. */
static void put_distance(c_printer *c, loop_value v)
{
    const loop_inst *i = inst_of(c, v);
    if (c->values[v].form != C_INLINE || i->op < LOOP_IADD || i->op > LOOP_IMUL) {
        c_put_signed(c, v);
        return;
    }
    put(c, "(");
    put_distance(c, i->in[0]);
    put(c, sign_of((loop_op)i->op));
    put_distance(c, i->in[1]);
    put(c, ")");
}

static void put_address_of_parameter(c_printer *c, const loop_inst *base)
{
    if (base->op == LOOP_PARAM && base->imm == LOOP_BUFFERS)
        put(c, "(char *)(uintptr_t)"); /* its own type is another */
}

/* A value that is known without its operands. */
static void put_fixed(c_printer *c, const loop_inst *i, loop_value self, int fixed)
{
    if (i->type.lanes > 1) {
        put_helper(c, "splat_", C_SPLAT, c_kind_of_value(c, self), i->type.lanes);
        put(c, fixed ? "(-1)" : "(0)");
    } else {
        put(c, fixed ? "1" : i->type.elem == LOOP_MASK ? "0" : "0u");
    }
}

void c_put_expression(c_printer *c, loop_value v)
{
    const loop_inst *i = inst_of(c, v);
    const int fixed = c_fixed_result(c->program, i);
    if (fixed >= 0) {
        put_fixed(c, i, v, fixed);
        return;
    }
    switch ((loop_op)i->op) {
    case LOOP_CONST:
        put_constant(c, i, v);
        break;
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
    case LOOP_FSQRT:
        put_float_call(c, i, "sqrt", C_SQRT);
        break;
    case LOOP_FRINT:
        put_float_call(c, i, "rint", C_RINT);
        break;
    case LOOP_FTRUNC:
        put_float_call(c, i, "trunc", C_TRUNC);
        break;
    case LOOP_FNEG:
        put(c, "-");
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
    case LOOP_SPLAT:
        put_splat(c, i, v);
        break;
    case LOOP_LANE:
        c_put_operand(c, i->in[0], false);
        text_printf(c->out, i->type.elem == LOOP_MASK ? "[%" PRIu64 "] != 0" : "[%" PRIu64 "]",
                    i->imm);
        break;
    case LOOP_RAMP:
        put_ramp(c, i);
        break;
    case LOOP_SHUFFLE:
        put_shuffle(c, i, v);
        break;
    case LOOP_OFFSET:
        put_address_of_parameter(c, inst_of(c, i->in[0]));
        c_put_operand(c, i->in[0], false);
        put(c, " + ");
        put_distance(c, i->in[1]);
        break;
    case LOOP_ADDRESS:
        put(c, "(uint64_t)(uintptr_t)(");
        put_address_of_parameter(c, inst_of(c, i->in[0]));
        c_put_operand(c, i->in[0], false);
        put(c, ")");
        break;
    case LOOP_LOAD:
        if (!put_buffer(c, i))
            c_put_access(c, i->type, i->in[0], true);
        break;
    case LOOP_LOAD_FIRST:
        put_load_first(c, i);
        break;
    case LOOP_LOAD_WHERE:
    case LOOP_GATHER:
        put_masked_load(c, i);
        break;
    case LOOP_VAR: /* its first value */
        c_put_assigned(c, v, i->in[0]);
        break;
    case LOOP_GET:
        c_put_name(c, i->in[0]);
        break;
    case LOOP_PARAM:
    case LOOP_LOCAL:
    case LOOP_STORE:
    case LOOP_STORE_FIRST:
    case LOOP_STREAM:
    case LOOP_PREFETCH:
    case LOOP_SET:
    case LOOP_FOR:
    case LOOP_IF:
    case LOOP_ELSE:
    case LOOP_END:
    case LOOP_FAIL:
    case LOOP_OP_COUNT:
        break; /* statements */
    }
}
