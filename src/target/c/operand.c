/* Types, names and numbers in C texts, and values where they are used. */
#include <inttypes.h>

#include "scalar/minifloat.h"
#include "target/c/print.h"

void c_put_type(c_printer *c, c_kind kind, uint32_t lanes)
{
    c_put(c, c_kind_name(kind));
    if (lanes > 1)
        text_printf(c->out, "x%" PRIu32, lanes);
    c_need(c, C_TYPE, kind, lanes);
}

/* "(u32x16)" */
void c_put_cast(c_printer *c, c_kind kind, uint32_t lanes)
{
    c_put(c, "(");
    c_put_type(c, kind, lanes);
    c_put(c, ")");
}

/* "splat_u32x16" */
void c_put_helper(c_printer *c, const char *prefix, c_helper helper, c_kind kind, uint32_t lanes)
{
    c_put(c, prefix);
    c_put_type(c, kind, lanes);
    c_need(c, helper, kind, lanes);
}

c_kind c_kind_of_value(const c_printer *c, loop_value v)
{
    const loop_inst *i = c_inst(c, v);
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

/* A float of 32 or 64 bits as C takes it, with the same bits. */
static void put_float(text_buffer *out, c_needs *needs, loop_elem e, uint64_t bits)
{
    const bool is_wide = e == LOOP_F64;
    const unsigned fraction_bits = is_wide ? 52 : 23, exponent_bits = is_wide ? 11 : 8;
    const uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1),
                   exponent = bits >> fraction_bits & ((1u << exponent_bits) - 1);
    const bool is_negative = bits >> (fraction_bits + exponent_bits) & 1;
    const char *suffix = is_wide ? "" : "f";

    if (exponent == (1u << exponent_bits) - 1) {
        needs->of[C_FLOAT][is_wide ? C_F64 : C_F32][0] = true;
        text_printf(out,
                    is_wide ? "f64_of_bits(0x%016" PRIx64 "u)" : "f32_of_bits(0x%08" PRIx64 "u)",
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

void c_put_number(c_printer *c, loop_elem e, uint64_t bits)
{
    if (e == LOOP_F32 || e == LOOP_F64)
        put_float(c->out, c->needs, e, bits);
    else if (e == LOOP_MASK)
        c_put(c, bits ? "1" : "0");
    else if (e != LOOP_I64)
        text_printf(c->out, "%" PRIu64 "u", low_bits(e, bits));
    else /* `ull` alone may be another type, of which gcc warns */
        text_printf(c->out, "(u64)%" PRIu64 "%s", bits, bits > INT32_MAX ? "ull" : "");
}

static void put_signed_number(c_printer *c, loop_elem e, uint64_t bits)
{
    const int64_t value = as_signed(e, bits);
    if (value == INT64_MIN)
        c_put(c, "INT64_MIN");
    else
        text_printf(c->out, value < 0 ? "(%" PRId64 ")" : "%" PRId64, value);
}

/* ---- operands ---- */

void c_put_name(c_printer *c, loop_value v)
{
    static const char *const params[] = {"buffers", "begin", "end", "scratch"};
    const loop_inst *i = c_inst(c, v);
    const char letter = i->op == LOOP_FOR           ? 'i'
                        : i->op == LOOP_VAR         ? 'x'
                        : i->type.elem == LOOP_PTR  ? 'p'
                        : i->type.elem == LOOP_MASK ? 'm'
                                                    : 'v';
    if (i->op == LOOP_PARAM)
        c_put(c, params[i->imm & 3]);
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
    case LOOP_SCALE:
        return true;
    case LOOP_LANE:
        return i->type.elem != LOOP_MASK;
    default:
        return false;
    }
}

void c_put_operand(c_printer *c, loop_value v, bool takes_number)
{
    const loop_inst *i = c_inst(c, v);
    const c_value *value = &c->values[v];
    if (value->form == C_ALIAS) {
        c_put_name(c, i->in[0]);
    } else if (value->form != C_INLINE) {
        if (is_signed_name(i))
            c_put_cast(c, C_U64, 1);
        c_put_name(c, v);
    } else if (i->op == LOOP_CONST && (i->type.lanes == 1 || takes_number)) {
        c_put_number(c, (loop_elem)i->type.elem, i->imm);
    } else {
        c_put(c, is_tight(i) ? "" : "(");
        c_put_expression(c, v);
        c_put(c, is_tight(i) ? "" : ")");
    }
}

void c_put_signed(c_printer *c, loop_value v)
{
    const loop_inst *i = c_inst(c, v);
    if (i->op == LOOP_CONST && i->type.lanes == 1) {
        put_signed_number(c, (loop_elem)i->type.elem, i->imm);
    } else if (is_signed_name(i)) {
        c_put_name(c, v);
    } else {
        c_put_cast(c, c_signed(c_kind_of((loop_elem)i->type.elem)), i->type.lanes);
        c_put_operand(c, v, false);
    }
}

/* A mask of several lanes in another width. */
void c_put_mask(c_printer *c, loop_value v, c_kind kind)
{
    const loop_inst *i = c_inst(c, v);
    if (c->values[v].form == C_INLINE && i->op == LOOP_CONST) {
        c_put_helper(c, "splat_", C_SPLAT, kind, i->type.lanes);
        c_put(c, i->imm & 1 ? "(-1)" : "(0)");
    } else if (c->values[v].mask == kind) {
        c_put_operand(c, v, false);
    } else {
        c_put(c, "__builtin_convertvector(");
        c_put_operand(c, v, false);
        c_put(c, ", ");
        c_put_type(c, kind, i->type.lanes);
        c_put(c, ")");
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
    const loop_type t = c_inst(c, to)->type;
    if (t.elem == LOOP_MASK && t.lanes > 1)
        c_put_mask(c, x, (c_kind)c->values[to].mask);
    else
        c_put_whole(c, x);
}

void c_put_access(c_printer *c, loop_type t, loop_value p, bool is_load)
{
    c_put(c, "*(");
    c_put_helper(c, "", C_MEMORY, c_kind_of((loop_elem)t.elem), t.lanes);
    c_put(c, is_load ? "_m const *)(" : "_m *)(");
    c_put_whole(c, p);
    c_put(c, ")");
}
