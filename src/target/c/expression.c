/* The values of loop programs as expressions of C: lanes and memory here, the rest elsewhere. */
#include <inttypes.h>

#include "target/c/print.h"

static void put_constant(c_printer *c, const loop_inst *i, loop_value self)
{
    const bool is_mask = i->type.elem == LOOP_MASK;
    if (i->type.lanes == 1) {
        c_put_number(c, (loop_elem)i->type.elem, i->imm);
        return;
    }
    c_put_helper(c, "splat_", C_SPLAT, c_kind_of_value(c, self), i->type.lanes);
    c_put(c, "(");
    if (is_mask)
        c_put(c, i->imm & 1 ? "-1" : "0");
    else
        c_put_number(c, (loop_elem)i->type.elem, i->imm);
    c_put(c, ")");
}

static void put_splat(c_printer *c, const loop_inst *i, loop_value self)
{
    const c_kind kind = c_kind_of_value(c, self);
    c_put_helper(c, "splat_", C_SPLAT, kind, i->type.lanes);
    c_put(c, "(");
    if (i->type.elem == LOOP_MASK) {
        c_put(c, "-");
        c_put_cast(c, kind, 1);
    }
    c_put_operand(c, i->in[0], false);
    c_put(c, ")");
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
    c_put(c, "(");
    c_put_cast(c, kind, i->type.lanes);
    for (uint32_t k = 0; k < i->n_lanes; k++) {
        c_put(c, k ? ", " : "{");
        c_put(c, is_mask ? "-" : "");
        if (is_mask)
            c_put_cast(c, C_S32, 1);
        c_put_operand(c, i->in[table[k]], false);
    }
    c_put(c, "})");
}

static void put_shuffle(c_printer *c, const loop_inst *i, loop_value self)
{
    const loop_inst *from = c_inst(c, i->in[0]);
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
    c_put(c, "__builtin_shufflevector(");
    for (unsigned k = 0; k < 2; k++) {
        const loop_value v = i->in[c_reads(c->program, i, k) ? k : 1 - k];
        if (i->type.elem == LOOP_MASK)
            c_put_mask(c, v, kind);
        else
            c_put_operand(c, v, false);
        c_put(c, ", ");
    }
    for (uint32_t k = 0; k < i->n_lanes; k++)
        text_printf(c->out, k ? ", %u" : "%u", table[k]);
    c_put(c, ")");
}

static void put_ramp(c_printer *c, const loop_inst *i)
{
    const c_kind kind = c_kind_of((loop_elem)i->type.elem);
    if (i->type.lanes == 1) {
        c_put_number(c, (loop_elem)i->type.elem, 0);
        return;
    }
    c_put(c, "(");
    c_put_cast(c, kind, i->type.lanes);
    c_put(c, "{");
    for (uint32_t k = 0; k < i->type.lanes; k++)
        text_printf(c->out, k ? ", %" PRIu32 : "%" PRIu32, k);
    c_put(c, "})");
}

/* One lane, or 0. */
static void put_guarded_load(c_printer *c, const loop_inst *i, loop_value guard, loop_value offset)
{
    const c_kind kind = c_kind_of((loop_elem)i->type.elem);
    c_put_cast(c, kind, 1);
    c_put(c, "(");
    c_put_operand(c, guard, false);
    c_put(c, " ? *(");
    c_put_helper(c, "", C_MEMORY, kind, 1);
    c_put(c, "_m const *)(");
    c_put_operand(c, i->in[0], false);
    if (offset != LOOP_NO_VALUE) {
        c_put(c, " + ");
        c_put_signed(c, offset);
    }
    c_put(c, ") : 0)");
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
        c_put_helper(c, "gather_", C_GATHER, kind, i->type.lanes);
    else
        c_put_helper(c, "load_where_", C_LOAD_WHERE, kind, i->type.lanes);
    c_put(c, "(");
    c_put_operand(c, i->in[0], false);
    if (is_gather) {
        c_put(c, ", ");
        c_put_operand(c, i->in[1], false);
    }
    c_put(c, ", ");
    c_put_mask(c, i->in[is_gather ? 2 : 1], c_mask_of(kind));
    c_put(c, ")");
}

static void put_load_first(c_printer *c, const loop_inst *i)
{
    const c_kind kind = c_kind_of((loop_elem)i->type.elem);
    if (i->type.lanes == 1) {
        put_guarded_load(c, i, i->in[1], LOOP_NO_VALUE);
        return;
    }
    c_put_helper(c, "load_first_", C_LOAD_FIRST, kind, i->type.lanes);
    c_put(c, "(");
    c_put_whole(c, i->in[0]);
    c_put(c, ", ");
    c_put_operand(c, i->in[1], false);
    c_put(c, ")");
}

/* The pointer to buffer number k is read as `buffers[k]`. */
static bool put_buffer(c_printer *c, const loop_inst *i)
{
    const loop_inst *p = c_inst(c, i->in[0]);
    uint64_t bytes = 0;
    if (i->type.elem != LOOP_PTR)
        return false;
    if (p->op == LOOP_OFFSET && c_inst(c, p->in[1])->op == LOOP_CONST) {
        bytes = c_inst(c, p->in[1])->imm;
        if (c->values[i->in[0]].form != C_INLINE)
            return false;
        p = c_inst(c, p->in[0]);
    }
    if (p->op != LOOP_PARAM || p->imm != LOOP_BUFFERS || bytes % 8 != 0)
        return false;
    text_printf(c->out, "buffers[%" PRIu64 "]", bytes / 8);
    return true;
}

/* Bytes between addresses, which do not overflow: sums and products stay signed. */
static void put_distance(c_printer *c, loop_value v)
{
    const loop_inst *i = c_inst(c, v);
    if (c->values[v].form != C_INLINE || i->op < LOOP_IADD || i->op > LOOP_IMUL) {
        c_put_signed(c, v);
        return;
    }
    c_put(c, "(");
    put_distance(c, i->in[0]);
    c_put(c, c_sign_of((loop_op)i->op));
    put_distance(c, i->in[1]);
    c_put(c, ")");
}

static void put_address_of_parameter(c_printer *c, const loop_inst *base)
{
    if (base->op == LOOP_PARAM && base->imm == LOOP_BUFFERS)
        c_put(c, "(char *)(uintptr_t)"); /* its own type is another */
}

/* A value that is known without its operands. */
static void put_fixed(c_printer *c, const loop_inst *i, loop_value self, int fixed)
{
    if (i->type.lanes > 1) {
        c_put_helper(c, "splat_", C_SPLAT, c_kind_of_value(c, self), i->type.lanes);
        c_put(c, fixed ? "(-1)" : "(0)");
    } else {
        c_put_number(c, (loop_elem)i->type.elem, (uint64_t)fixed);
    }
}

void c_put_expression(c_printer *c, loop_value v)
{
    const loop_inst *i = c_inst(c, v);
    const int fixed = c_fixed_result(c->program, i);
    if (fixed >= 0) {
        put_fixed(c, i, v, fixed);
        return;
    }
    switch ((int)i->op) {
    case LOOP_CONST:
        put_constant(c, i, v);
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
        put_address_of_parameter(c, c_inst(c, i->in[0]));
        c_put_operand(c, i->in[0], false);
        c_put(c, " + ");
        put_distance(c, i->in[1]);
        break;
    case LOOP_ADDRESS:
        c_put(c, "(uint64_t)(uintptr_t)(");
        put_address_of_parameter(c, c_inst(c, i->in[0]));
        c_put_operand(c, i->in[0], false);
        c_put(c, ")");
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
    default:
        c_put_arithmetic(c, v);
        break;
    }
}
