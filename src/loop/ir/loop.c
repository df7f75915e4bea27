/* Building loop programs: every instruction is checked when it is added. */
#include "loop/ir/loop.h"

#include <string.h>

#include "base/memory/hash.h"
#include "loop/ir/order.h"
#include "scalar/minifloat.h"

typedef enum type_rule { RULE_SAME, RULE_COMPARE, RULE_SHIFTED, RULE_GIVEN, RULE_CUSTOM } type_rule;

typedef struct op_facts {
    const char *text;
    uint8_t operands;
    uint8_t rule;
} op_facts;

static const op_facts ops[LOOP_OP_COUNT] = {
#define OP(name, text, operands, rule) [LOOP_##name] = {text, operands, RULE_##rule},
#include "loop/ir/loop_ops.def"
#undef OP
};

const char *loop_op_name(loop_op op)
{
    return ops[op].text;
}

unsigned loop_op_operands(loop_op op)
{
    return ops[op].operands;
}

bool loop_op_has_value(loop_op op)
{
    return !(op == LOOP_STORE || op == LOOP_STORE_FIRST || op == LOOP_STORE_NONTEMPORAL ||
             op == LOOP_PREFETCH || op == LOOP_SET || op == LOOP_IF || op == LOOP_ELSE ||
             op == LOOP_END || op == LOOP_LEAVE || op == LOOP_POLL || op == LOOP_FAIL);
}

const char *loop_elem_name(loop_elem e)
{
    static const char *const names[] = {"mask", "i8",  "i16", "i32", "i64",
                                        "f32",  "f64", "ptr", "none"};
    return names[e];
}

size_t loop_elem_bytes(loop_elem e)
{
    static const uint8_t bytes[] = {1, 1, 2, 4, 8, 4, 8, 8, 0};
    return bytes[e];
}

static bool is_int(loop_elem e)
{
    return e >= LOOP_I8 && e <= LOOP_I64;
}

static bool is_float(loop_elem e)
{
    return e == LOOP_F32 || e == LOOP_F64;
}

static bool same_type(loop_type a, loop_type b)
{
    return a.elem == b.elem && a.lanes == b.lanes;
}

/* ---- adding ---- */

static loop_value fault(loop_builder *b, const char *what)
{
    if (!b->fault)
        b->fault = what;
    return 0;
}

static bool reserve(loop_builder *b)
{
    if (b->n < b->cap)
        return true;
    const uint32_t cap = b->cap ? 2 * b->cap : 256;
    loop_inst *at = cap <= UINT32_MAX / 4 ? ARENA_ARRAY(b->arena, loop_inst, cap) : NULL;
    uint32_t *region = at ? ARENA_ARRAY(b->arena, uint32_t, cap) : NULL;
    if (!region)
        return false;
    if (b->n) {
        memcpy(at, b->at, b->n * sizeof *at);
        memcpy(region, b->region, b->n * sizeof *region);
    }
    b->at = at;
    b->region = region;
    b->cap = cap;
    return true;
}

static bool is_visible(const loop_builder *b, loop_value v)
{
    if (v >= b->n || !loop_op_has_value((loop_op)b->at[v].op))
        return false;
    if (b->region[v] == 0)
        return true;
    for (uint32_t d = b->depth; d-- > 0;)
        if (b->open[d] == b->region[v])
            return true;
    return false;
}

static loop_value add(loop_builder *b, loop_inst inst)
{
    if (b->fault)
        return 0;
    for (unsigned k = 0; k < ops[inst.op].operands; k++)
        if (!is_visible(b, inst.in[k]))
            return fault(b, "an operand is not defined here");
    if (!reserve(b))
        return fault(b, "no memory");
    b->region[b->n] = b->depth ? b->open[b->depth - 1] : 0;
    b->at[b->n] = inst;
    return b->n++;
}

static loop_value add_value(loop_builder *b, loop_op op, loop_type t, loop_value x, loop_value y,
                            loop_value z, uint64_t imm)
{
    return add(b, (loop_inst){.op = (uint8_t)op, .type = t, .in = {x, y, z}, .imm = imm});
}

loop_value loop_again(loop_builder *b, const loop_inst *i, const loop_value *in, uint32_t lanes)
{
    loop_inst inst = *i;
    inst.type.lanes = (uint8_t)lanes;
    for (unsigned k = 0; k < 3; k++)
        inst.in[k] = k < ops[i->op].operands ? in[k] : 0;
    return add(b, inst);
}

static const loop_type no_type = {LOOP_NONE, 0};

static bool is_good_type(loop_type t)
{
    return t.elem < LOOP_NONE && t.lanes > 0 && t.lanes <= LOOP_MAX_LANES &&
           (t.lanes & (t.lanes - 1)) == 0 && (t.elem != LOOP_PTR || t.lanes == 1);
}

loop_type loop_value_type(const loop_builder *b, loop_value v)
{
    return v < b->n ? b->at[v].type : no_type;
}

static bool has_type(const loop_builder *b, loop_value v, loop_elem e, uint32_t lanes)
{
    return same_type(loop_value_type(b, v), loop_type_of(e, lanes));
}

void loop_init(loop_builder *b, arena *memory)
{
    static const uint8_t elems[] = {LOOP_PTR, LOOP_I64, LOOP_I64, LOOP_PTR};
    *b = (loop_builder){.arena = memory};
    for (uint32_t k = 0; k < 4; k++)
        b->params[k] = add_value(b, LOOP_PARAM, loop_type_of((loop_elem)elems[k], 1), 0, 0, 0, k);
}

loop_value loop_param_value(const loop_builder *b, loop_param p)
{
    return b->params[p];
}

loop_value loop_buffer(loop_builder *b, uint32_t index)
{
    if (index >= b->n_buffers)
        b->n_buffers = index + 1;
    const loop_value at = loop_at(b, b->params[LOOP_BUFFERS], (int64_t)index * 8);
    return loop_load(b, loop_type_of(LOOP_PTR, 1), at, 8);
}

static sized lines_of(sized bytes)
{
    const sized line = sized_of(LOOP_ALIGN);
    return sized_mul(sized_div(sized_add(bytes, sized_of(LOOP_ALIGN - 1)), line), line);
}

loop_value loop_sized_scratch(loop_builder *b, sized bytes)
{
    const sized from = {(int64_t)b->scratch_bytes, b->scratch_other};
    if (bytes.now < 0 || bytes.now > INT64_MAX / 2 || from.now > INT64_MAX / 2)
        return fault(b, "too much scratch memory");
    const sized next = sized_add(from, lines_of(bytes));
    b->scratch_bytes = (uint64_t)next.now;
    b->scratch_other = next.other;
    const loop_value at = b->params[LOOP_SCRATCH];
    return from.now == 0 ? at : loop_offset(b, at, loop_sized(b, from));
}

loop_value loop_scratch(loop_builder *b, uint64_t bytes)
{
    return loop_sized_scratch(b, sized_of((int64_t)(bytes > INT64_MAX ? INT64_MAX : bytes)));
}

loop_value loop_local(loop_builder *b, uint64_t bytes)
{
    if (b->depth > 0 || bytes == 0 || bytes > 1 << 16)
        return fault(b, "a local block stands outside of loops and is small");
    return add_value(b, LOOP_LOCAL, loop_type_of(LOOP_PTR, 1), 0, 0, 0, bytes);
}

/* ---- constants ---- */

loop_value loop_const(loop_builder *b, loop_type t, uint64_t bits)
{
    const size_t bytes = loop_elem_bytes((loop_elem)t.elem);
    if (!is_good_type(t) || t.elem == LOOP_PTR)
        return fault(b, "no such constant");
    if (t.elem == LOOP_MASK)
        bits &= 1;
    else if (bytes < 8)
        bits &= (UINT64_C(1) << (8 * bytes)) - 1;
    const bool is_loaded = b->spares_registers && t.lanes > 1 && is_float((loop_elem)t.elem);
    return add(b, (loop_inst){.op = LOOP_CONST, .type = t, .log_align = is_loaded, .imm = bits});
}

loop_value loop_i64(loop_builder *b, int64_t value)
{
    return loop_const(b, loop_type_of(LOOP_I64, 1), (uint64_t)value);
}

loop_value loop_size(loop_builder *b, uint32_t name, int64_t value)
{
    return add(b, (loop_inst){.op = LOOP_CONST,
                              .type = loop_type_of(LOOP_I64, 1),
                              .n_lanes = name,
                              .imm = (uint64_t)value});
}

loop_value loop_sized_const(loop_builder *b, loop_type t, sized x)
{
    const loop_value v = loop_const(b, t, (uint64_t)x.now);
    if (!sized_is_fixed(x))
        loop_depends(b, v, hash_mix(0, (uint64_t)x.other));
    return v;
}

void loop_depends(loop_builder *b, loop_value v, uint64_t other)
{
    if (!b->fault && b->at[v].op == LOOP_CONST)
        b->at[v].n_lanes = (uint32_t)(other % (UINT32_MAX - LOOP_SIZE_NAMES)) + LOOP_SIZE_NAMES;
}

loop_value loop_sized(loop_builder *b, sized x)
{
    return loop_sized_const(b, loop_type_of(LOOP_I64, 1), x);
}

loop_value loop_i32(loop_builder *b, int32_t value)
{
    return loop_const(b, loop_type_of(LOOP_I32, 1), (uint32_t)value);
}

loop_value loop_float(loop_builder *b, loop_type t, double value)
{
    const float narrow = (float)value;
    uint64_t bits = 0;
    if (t.elem == LOOP_F32)
        memcpy(&bits, &narrow, sizeof narrow);
    else
        memcpy(&bits, &value, sizeof value);
    if (!is_float((loop_elem)t.elem))
        return fault(b, "no float");
    return loop_const(b, t, bits);
}

/* ---- arithmetic ---- */

typedef enum operand_sort { SORT_FLOAT, SORT_INT, SORT_I32, SORT_BITS } operand_sort;

/* What operands an operation of rule SAME, SHIFTED or COMPARE takes. */
static operand_sort sort_of(loop_op op)
{
    if ((op >= LOOP_FADD && op <= LOOP_FTRUNC) || (op >= LOOP_FLT && op <= LOOP_FUNO))
        return SORT_FLOAT;
    if (op == LOOP_DOT_PAIRS || op == LOOP_DOT_QUADS)
        return SORT_I32;
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
    case SORT_BITS:
        return is_int(e) || e == LOOP_MASK;
    }
    return false;
}

static loop_value arithmetic(loop_builder *b, loop_op op, unsigned n, const loop_value *in)
{
    const loop_type t = loop_value_type(b, in[0]);
    const uint8_t rule = ops[op].rule;
    if (b->fault)
        return 0;
    if (ops[op].operands != n || rule == RULE_GIVEN || rule == RULE_CUSTOM || !takes(op, t))
        return fault(b, "no such operation on this type");
    for (unsigned k = 1; k < n; k++)
        if (!same_type(t, loop_value_type(b, in[k])))
            return fault(b, "operands of different types");
    const loop_type out = rule == RULE_COMPARE ? loop_type_of(LOOP_MASK, t.lanes) : t;
    return add_value(b, op, out, in[0], n > 1 ? in[1] : 0, n > 2 ? in[2] : 0, 0);
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

loop_value loop_scale(loop_builder *b, loop_value x, loop_value magic_k)
{
    const loop_type t = loop_value_type(b, x);
    if (!is_float((loop_elem)t.elem) || !same_type(t, loop_value_type(b, magic_k)))
        return fault(b, "scaling what is no float");
    return add_value(b, LOOP_SCALE, t, x, magic_k, 0, 0);
}

loop_value loop_select(loop_builder *b, loop_value mask, loop_value yes, loop_value no)
{
    const loop_type m = loop_value_type(b, mask), t = loop_value_type(b, yes);
    if (m.elem != LOOP_MASK || !same_type(t, loop_value_type(b, no)) ||
        (m.lanes != t.lanes && m.lanes != 1))
        return fault(b, "select between what does not fit");
    return add_value(b, LOOP_SELECT, t, mask, yes, no, 0);
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
        return fault(b, "no such conversion");
    return add_value(b, op, loop_type_of(to, t.lanes), x, 0, 0, 0);
}

loop_value loop_splat(loop_builder *b, uint32_t lanes, loop_value x)
{
    const loop_type t = loop_value_type(b, x);
    if (t.lanes == lanes)
        return x;
    if (t.lanes != 1 || !is_good_type(loop_type_of((loop_elem)t.elem, lanes)))
        return fault(b, "no scalar to repeat");
    if (b->spares_registers && !b->fault && b->at[x].op == LOOP_CONST &&
        is_float((loop_elem)t.elem))
        return loop_const(b, loop_type_of((loop_elem)t.elem, lanes), b->at[x].imm);
    return add_value(b, LOOP_SPLAT, loop_type_of((loop_elem)t.elem, lanes), x, 0, 0, 0);
}

loop_value loop_lane(loop_builder *b, loop_value x, uint32_t lane)
{
    const loop_type t = loop_value_type(b, x);
    if (lane >= t.lanes)
        return fault(b, "no such lane");
    if (t.lanes == 1)
        return x;
    return add_value(b, LOOP_LANE, loop_type_of((loop_elem)t.elem, 1), x, 0, 0, lane);
}

loop_value loop_ramp(loop_builder *b, loop_elem elem, uint32_t lanes)
{
    if (!is_int(elem) || !is_good_type(loop_type_of(elem, lanes)))
        return fault(b, "a ramp is of integers");
    return add_value(b, LOOP_RAMP, loop_type_of(elem, lanes), 0, 0, 0, 0);
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

loop_value loop_shuffle(loop_builder *b, loop_value x, loop_value y, const uint8_t *table,
                        uint32_t lanes)
{
    const loop_type t = loop_value_type(b, x);
    if (b->fault)
        return 0;
    if (!same_type(t, loop_value_type(b, y)) ||
        !is_good_type(loop_type_of((loop_elem)t.elem, lanes)))
        return fault(b, "shuffle of what does not fit");
    for (uint32_t i = 0; i < lanes; i++)
        if (table[i] >= 2 * t.lanes)
            return fault(b, "no such lane");
    if (!reserve_tables(b, lanes))
        return fault(b, "no memory");
    const uint32_t place = b->n_tables;
    memcpy(b->tables + place, table, lanes);
    b->n_tables += lanes;
    return add(b, (loop_inst){.op = LOOP_SHUFFLE,
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

/* ---- memory ---- */

loop_value loop_offset(loop_builder *b, loop_value p, loop_value bytes)
{
    if (!has_type(b, p, LOOP_PTR, 1) || !has_type(b, bytes, LOOP_I64, 1))
        return fault(b, "an address and a number of bytes");
    return add_value(b, LOOP_OFFSET, loop_type_of(LOOP_PTR, 1), p, bytes, 0, 0);
}

loop_value loop_at(loop_builder *b, loop_value p, int64_t bytes)
{
    return bytes == 0 ? p : loop_offset(b, p, loop_i64(b, bytes));
}

loop_value loop_address(loop_builder *b, loop_value p)
{
    if (!has_type(b, p, LOOP_PTR, 1))
        return fault(b, "no address");
    return add_value(b, LOOP_ADDRESS, loop_type_of(LOOP_I64, 1), p, 0, 0, 0);
}

static uint8_t log2_of(uint32_t align)
{
    uint8_t n = 0;
    while (n < 31 && (align >> n) > 1)
        n++;
    return n;
}

static loop_value access(loop_builder *b, loop_op op, loop_type t, loop_value p, loop_value x,
                         loop_value n, uint32_t align)
{
    const loop_type held = loop_op_has_value(op) ? t : loop_value_type(b, x);
    if (b->fault)
        return 0;
    if (!has_type(b, p, LOOP_PTR, 1) || !is_good_type(held) || held.elem == LOOP_MASK)
        return fault(b, "no such access");
    if ((op == LOOP_LOAD_FIRST && !has_type(b, x, LOOP_I64, 1)) ||
        (op == LOOP_STORE_FIRST && !has_type(b, n, LOOP_I64, 1)))
        return fault(b, "a number of lanes is an i64");
    return add(
        b, (loop_inst){.op = (uint8_t)op, .type = t, .log_align = log2_of(align), .in = {p, x, n}});
}

loop_value loop_load(loop_builder *b, loop_type t, loop_value p, uint32_t align)
{
    return access(b, LOOP_LOAD, t, p, 0, 0, align);
}

loop_value loop_load_first(loop_builder *b, loop_type t, loop_value p, loop_value n, uint32_t align)
{
    return access(b, LOOP_LOAD_FIRST, t, p, n, 0, align);
}

loop_value loop_load_where(loop_builder *b, loop_elem elem, loop_value p, loop_value mask)
{
    const loop_type t = loop_type_of(elem, loop_lanes(b, mask));
    if (!has_type(b, p, LOOP_PTR, 1) || loop_value_type(b, mask).elem != LOOP_MASK ||
        !is_good_type(t) || elem == LOOP_MASK)
        return fault(b, "no such access");
    return add_value(b, LOOP_LOAD_WHERE, t, p, mask, 0, 0);
}

loop_value loop_gather(loop_builder *b, loop_elem elem, loop_value p, loop_value offsets,
                       loop_value mask)
{
    const uint32_t lanes = loop_lanes(b, offsets);
    const loop_type t = loop_type_of(elem, lanes);
    if (!has_type(b, p, LOOP_PTR, 1) || !has_type(b, offsets, LOOP_I64, lanes) ||
        !has_type(b, mask, LOOP_MASK, lanes) || !is_good_type(t) || elem == LOOP_MASK)
        return fault(b, "no such gather");
    return add_value(b, LOOP_GATHER, t, p, offsets, mask, 0);
}

void loop_store(loop_builder *b, loop_value p, loop_value x, uint32_t align)
{
    (void)access(b, LOOP_STORE, no_type, p, x, 0, align);
}

void loop_store_first(loop_builder *b, loop_value p, loop_value x, loop_value n, uint32_t align)
{
    (void)access(b, LOOP_STORE_FIRST, no_type, p, x, n, align);
}

void loop_store_nontemporal(loop_builder *b, loop_value p, loop_value x)
{
    const loop_type t = loop_value_type(b, x);
    const size_t bytes = loop_elem_bytes((loop_elem)t.elem) * t.lanes;
    (void)access(b, LOOP_STORE_NONTEMPORAL, no_type, p, x, 0, (uint32_t)bytes);
}

void loop_prefetch(loop_builder *b, loop_value p)
{
    if (!has_type(b, p, LOOP_PTR, 1))
        (void)fault(b, "an address to prefetch");
    (void)add_value(b, LOOP_PREFETCH, no_type, p, 0, 0, 0);
}

/* ---- variables and regions ---- */

loop_value loop_var(loop_builder *b, loop_value first)
{
    return add_value(b, LOOP_VAR, loop_value_type(b, first), first, 0, 0, 0);
}

static bool is_var(const loop_builder *b, loop_value v)
{
    return v < b->n && b->at[v].op == LOOP_VAR;
}

loop_value loop_get(loop_builder *b, loop_value var)
{
    if (!is_var(b, var))
        return fault(b, "no variable");
    return add_value(b, LOOP_GET, loop_value_type(b, var), var, 0, 0, 0);
}

void loop_set(loop_builder *b, loop_value var, loop_value x)
{
    if (!is_var(b, var) || !same_type(loop_value_type(b, var), loop_value_type(b, x)))
        (void)fault(b, "no variable of this type");
    else
        (void)add_value(b, LOOP_SET, no_type, var, x, 0, 0);
}

static void open_region(loop_builder *b, loop_value inst)
{
    if (b->fault)
        return;
    if (b->depth == LOOP_MAX_DEPTH)
        (void)fault(b, "loops nest too deep");
    else
        b->open[b->depth++] = inst;
}

loop_value loop_for(loop_builder *b, loop_value low, loop_value high, int64_t step)
{
    if (!has_type(b, low, LOOP_I64, 1) || !has_type(b, high, LOOP_I64, 1) || step <= 0)
        return fault(b, "bounds are i64 and the step is above 0");
    const loop_value v =
        add_value(b, LOOP_FOR, loop_type_of(LOOP_I64, 1), low, high, 0, (uint64_t)step);
    open_region(b, v);
    if (!b->fault)
        b->region[v] = v; /* the index is seen inside only */
    return v;
}

void loop_if(loop_builder *b, loop_value mask)
{
    if (!has_type(b, mask, LOOP_MASK, 1))
        (void)fault(b, "a condition is one mask");
    open_region(b, add_value(b, LOOP_IF, no_type, mask, 0, 0, 0));
}

void loop_else(loop_builder *b)
{
    if (!b->fault && (b->depth == 0 || b->at[b->open[b->depth - 1]].op != LOOP_IF))
        (void)fault(b, "no condition is open");
    if (b->fault)
        return;
    b->depth--;
    open_region(b, add_value(b, LOOP_ELSE, no_type, 0, 0, 0, 0));
}

void loop_end(loop_builder *b)
{
    if (!b->fault && b->depth == 0)
        (void)fault(b, "nothing is open");
    if (b->fault)
        return;
    b->depth--;
    (void)add_value(b, LOOP_END, no_type, 0, 0, 0, 0);
}

void loop_leave(loop_builder *b, loop_value mask)
{
    if (!has_type(b, mask, LOOP_MASK, 1))
        (void)fault(b, "a condition is one mask");
    else if (b->depth == 0 || b->at[b->open[b->depth - 1]].op != LOOP_FOR)
        (void)fault(b, "no loop to leave");
    (void)add_value(b, LOOP_LEAVE, no_type, mask, 0, 0, 0);
}

void loop_fail(loop_builder *b, loop_value mask, int32_t status)
{
    if (!has_type(b, mask, LOOP_MASK, 1))
        (void)fault(b, "a condition is one mask");
    (void)add_value(b, LOOP_FAIL, no_type, mask, 0, 0, (uint32_t)status);
}

/* ---- finishing ---- */

static void mark_needed(const loop_builder *b, bool *needed)
{
    for (uint32_t v = b->n; v-- > 0;) {
        const loop_inst *i = &b->at[v];
        const bool is_root =
            !loop_op_has_value((loop_op)i->op) || i->op == LOOP_FOR || i->op == LOOP_PARAM;
        needed[v] = needed[v] || is_root;
        for (unsigned k = 0; needed[v] && k < ops[i->op].operands; k++)
            needed[i->in[k]] = true;
    }
}

const loop_program *loop_finish(loop_builder *b)
{
    if (!b->fault && b->depth > 0)
        (void)fault(b, "a region is open");
    if (b->fault)
        return NULL;
    loop_program *p = ARENA_NEW(b->arena, loop_program);
    loop_inst *at = ARENA_ARRAY(b->arena, loop_inst, b->n);
    bool *needed = ARENA_ARRAY(b->arena, bool, b->n);
    loop_value *number = ARENA_ARRAY(b->arena, loop_value, b->n);
    uint8_t *tables = ARENA_ARRAY(b->arena, uint8_t, b->n_tables);
    if (!p || !at || !needed || !number || !tables)
        return NULL;
    mark_needed(b, needed);
    uint32_t n, n_tables = 0;
    const uint32_t *order = loop_order(b, needed, &n);
    if (!order)
        return NULL;
    for (uint32_t v = 0; v < n; v++) {
        const loop_inst *from = &b->at[order[v]];
        at[v] = *from;
        for (unsigned k = 0; k < 3; k++)
            at[v].in[k] = k < ops[from->op].operands ? number[from->in[k]] : 0;
        number[order[v]] = v;
        if (from->op == LOOP_SHUFFLE) {
            memcpy(tables + n_tables, b->tables + from->imm, from->n_lanes);
            at[v].imm = n_tables;
            n_tables += from->n_lanes;
        }
    }
    *p = (loop_program){.at = at,
                        .n = n,
                        .tables = tables,
                        .n_tables = n_tables,
                        .n_buffers = b->n_buffers,
                        .scratch_bytes = b->scratch_bytes};
    return p;
}

const loop_program *loop_finish_or_fault(loop_builder *b)
{
    static const char *const harmless[] = {"no memory", "too much scratch memory",
                                           "loops nest too deep"};
    const loop_program *done = loop_finish(b);
    if (done || !b->fault || b->arena->failed)
        return done;
    for (size_t k = 0; k < sizeof harmless / sizeof *harmless; k++)
        if (strcmp(b->fault, harmless[k]) == 0)
            return NULL;
    loop_program *p = ARENA_NEW(b->arena, loop_program);
    if (p)
        p->fault = b->fault;
    return p;
}
