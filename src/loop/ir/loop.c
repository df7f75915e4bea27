/* Building loop programs: every instruction is checked when it is added. */
#include <string.h>

#include "base/memory/hash.h"
#include "loop/ir/loop_parts.h"
#include "loop/ir/order.h"
#include "scalar/minifloat.h"

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

type_rule loop_op_rule(loop_op op)
{
    return (type_rule)ops[op].rule;
}

bool loop_op_has_value(loop_op op)
{
    return !(op == LOOP_STORE || op == LOOP_STORE_FIRST || op == LOOP_STORE_NONTEMPORAL ||
             op == LOOP_PREFETCH || op == LOOP_PREFETCH_FAR || op == LOOP_SET || op == LOOP_IF ||
             op == LOOP_ELSE || op == LOOP_END || op == LOOP_LEAVE || op == LOOP_POLL ||
             op == LOOP_FAIL);
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

/* ---- adding ---- */

loop_value loop_fault(loop_builder *b, const char *what)
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

loop_value loop_add(loop_builder *b, loop_inst inst)
{
    if (b->fault)
        return 0;
    for (unsigned k = 0; k < ops[inst.op].operands; k++)
        if (!is_visible(b, inst.in[k]))
            return loop_fault(b, "an operand is not defined here");
    if (!reserve(b))
        return loop_fault(b, "no memory");
    b->region[b->n] = b->depth ? b->open[b->depth - 1] : 0;
    b->at[b->n] = inst;
    return b->n++;
}

loop_value loop_add_value(loop_builder *b, loop_op op, loop_type t, loop_value x, loop_value y,
                          loop_value z, uint64_t imm)
{
    return loop_add(b, (loop_inst){.op = (uint8_t)op, .type = t, .in = {x, y, z}, .imm = imm});
}

loop_value loop_again(loop_builder *b, const loop_inst *i, const loop_value *in, uint32_t lanes)
{
    loop_inst inst = *i;
    inst.type.lanes = (uint8_t)lanes;
    for (unsigned k = 0; k < 3; k++)
        inst.in[k] = k < ops[i->op].operands ? in[k] : 0;
    return loop_add(b, inst);
}

static const loop_type no_type = {LOOP_NONE, 0};

loop_type loop_value_type(const loop_builder *b, loop_value v)
{
    return v < b->n ? b->at[v].type : no_type;
}

bool loop_has_type(const loop_builder *b, loop_value v, loop_elem e, uint32_t lanes)
{
    return same_type(loop_value_type(b, v), loop_type_of(e, lanes));
}

void loop_init(loop_builder *b, arena *memory)
{
    static const uint8_t elems[] = {LOOP_PTR, LOOP_I64, LOOP_I64, LOOP_PTR};
    *b = (loop_builder){.arena = memory};
    for (uint32_t k = 0; k < 4; k++)
        b->params[k] =
            loop_add_value(b, LOOP_PARAM, loop_type_of((loop_elem)elems[k], 1), 0, 0, 0, k);
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
    const sized lines =
        sized_mul(sized_div(sized_add(bytes, sized_of(LOOP_ALIGN - 1)), line), line);
    return sized_is_fixed(bytes) ? lines : sized_apart(lines);
}

loop_value loop_sized_scratch(loop_builder *b, sized bytes)
{
    const sized from = {(int64_t)b->scratch_bytes, b->scratch_other};
    if (bytes.now < 0 || bytes.now > INT64_MAX / 2 || from.now > INT64_MAX / 2)
        return loop_fault(b, "too much scratch memory");
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
        return loop_fault(b, "a local block stands outside of loops and is small");
    return loop_add_value(b, LOOP_LOCAL, loop_type_of(LOOP_PTR, 1), 0, 0, 0, bytes);
}

/* ---- constants ---- */

loop_value loop_const(loop_builder *b, loop_type t, uint64_t bits)
{
    const size_t bytes = loop_elem_bytes((loop_elem)t.elem);
    if (!is_good_type(t) || t.elem == LOOP_PTR)
        return loop_fault(b, "no such constant");
    if (t.elem == LOOP_MASK)
        bits &= 1;
    else if (bytes < 8)
        bits &= (UINT64_C(1) << (8 * bytes)) - 1;
    const bool is_loaded = b->spares_registers && t.lanes > 1 && is_float((loop_elem)t.elem);
    return loop_add(b,
                    (loop_inst){.op = LOOP_CONST, .type = t, .log_align = is_loaded, .imm = bits});
}

loop_value loop_i64(loop_builder *b, int64_t value)
{
    return loop_const(b, loop_type_of(LOOP_I64, 1), (uint64_t)value);
}

bool loop_is_i64(const loop_builder *b, loop_value v, int64_t *value)
{
    if (loop_failed(b) || v == LOOP_NO_VALUE)
        return false;
    const loop_inst *i = &b->at[v];
    if (i->op != LOOP_CONST || i->n_lanes > 0 || i->type.elem != LOOP_I64 || i->type.lanes != 1)
        return false;
    *value = (int64_t)i->imm;
    return true;
}

loop_value loop_size(loop_builder *b, uint32_t name, int64_t value)
{
    return loop_add(b, (loop_inst){.op = LOOP_CONST,
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
        return loop_fault(b, "no float");
    return loop_const(b, t, bits);
}

/* ---- memory ---- */

loop_value loop_offset(loop_builder *b, loop_value p, loop_value bytes)
{
    if (!loop_has_type(b, p, LOOP_PTR, 1) || !loop_has_type(b, bytes, LOOP_I64, 1))
        return loop_fault(b, "an address and a number of bytes");
    return loop_add_value(b, LOOP_OFFSET, loop_type_of(LOOP_PTR, 1), p, bytes, 0, 0);
}

loop_value loop_at(loop_builder *b, loop_value p, int64_t bytes)
{
    return bytes == 0 ? p : loop_offset(b, p, loop_i64(b, bytes));
}

loop_value loop_address(loop_builder *b, loop_value p)
{
    if (!loop_has_type(b, p, LOOP_PTR, 1))
        return loop_fault(b, "no address");
    return loop_add_value(b, LOOP_ADDRESS, loop_type_of(LOOP_I64, 1), p, 0, 0, 0);
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
    if (!loop_has_type(b, p, LOOP_PTR, 1) || !is_good_type(held) || held.elem == LOOP_MASK)
        return loop_fault(b, "no such access");
    if ((op == LOOP_LOAD_FIRST && !loop_has_type(b, x, LOOP_I64, 1)) ||
        (op == LOOP_STORE_FIRST && !loop_has_type(b, n, LOOP_I64, 1)))
        return loop_fault(b, "a number of lanes is an i64");
    return loop_add(
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
    if (!loop_has_type(b, p, LOOP_PTR, 1) || loop_value_type(b, mask).elem != LOOP_MASK ||
        !is_good_type(t) || elem == LOOP_MASK)
        return loop_fault(b, "no such access");
    return loop_add_value(b, LOOP_LOAD_WHERE, t, p, mask, 0, 0);
}

loop_value loop_gather(loop_builder *b, loop_elem elem, loop_value p, loop_value offsets,
                       loop_value mask)
{
    const uint32_t lanes = loop_lanes(b, offsets);
    const loop_type t = loop_type_of(elem, lanes);
    if (!loop_has_type(b, p, LOOP_PTR, 1) || !loop_has_type(b, offsets, LOOP_I64, lanes) ||
        !loop_has_type(b, mask, LOOP_MASK, lanes) || !is_good_type(t) || elem == LOOP_MASK)
        return loop_fault(b, "no such gather");
    return loop_add_value(b, LOOP_GATHER, t, p, offsets, mask, 0);
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

static void fetch(loop_builder *b, loop_op op, loop_value p)
{
    if (!loop_has_type(b, p, LOOP_PTR, 1))
        (void)loop_fault(b, "an address to prefetch");
    (void)loop_add_value(b, op, no_type, p, 0, 0, 0);
}

void loop_prefetch(loop_builder *b, loop_value p)
{
    fetch(b, LOOP_PREFETCH, p);
}

void loop_prefetch_far(loop_builder *b, loop_value p)
{
    fetch(b, LOOP_PREFETCH_FAR, p);
}

/* ---- variables and regions ---- */

loop_value loop_var(loop_builder *b, loop_value first)
{
    return loop_add_value(b, LOOP_VAR, loop_value_type(b, first), first, 0, 0, 0);
}

static bool is_var(const loop_builder *b, loop_value v)
{
    return v < b->n && b->at[v].op == LOOP_VAR;
}

loop_value loop_get(loop_builder *b, loop_value var)
{
    if (!is_var(b, var))
        return loop_fault(b, "no variable");
    return loop_add_value(b, LOOP_GET, loop_value_type(b, var), var, 0, 0, 0);
}

void loop_set(loop_builder *b, loop_value var, loop_value x)
{
    if (!is_var(b, var) || !same_type(loop_value_type(b, var), loop_value_type(b, x)))
        (void)loop_fault(b, "no variable of this type");
    else
        (void)loop_add_value(b, LOOP_SET, no_type, var, x, 0, 0);
}

static void open_region(loop_builder *b, loop_value inst)
{
    if (b->fault)
        return;
    if (b->depth == LOOP_MAX_DEPTH)
        (void)loop_fault(b, "loops nest too deep");
    else
        b->open[b->depth++] = inst;
}

loop_value loop_for(loop_builder *b, loop_value low, loop_value high, int64_t step)
{
    if (!loop_has_type(b, low, LOOP_I64, 1) || !loop_has_type(b, high, LOOP_I64, 1) || step <= 0)
        return loop_fault(b, "bounds are i64 and the step is above 0");
    const loop_value v =
        loop_add_value(b, LOOP_FOR, loop_type_of(LOOP_I64, 1), low, high, 0, (uint64_t)step);
    open_region(b, v);
    if (!b->fault)
        b->region[v] = v; /* the index is seen inside only */
    return v;
}

void loop_if(loop_builder *b, loop_value mask)
{
    if (!loop_has_type(b, mask, LOOP_MASK, 1))
        (void)loop_fault(b, "a condition is one mask");
    open_region(b, loop_add_value(b, LOOP_IF, no_type, mask, 0, 0, 0));
}

void loop_else(loop_builder *b)
{
    if (!b->fault && (b->depth == 0 || b->at[b->open[b->depth - 1]].op != LOOP_IF))
        (void)loop_fault(b, "no condition is open");
    if (b->fault)
        return;
    b->depth--;
    open_region(b, loop_add_value(b, LOOP_ELSE, no_type, 0, 0, 0, 0));
}

void loop_end(loop_builder *b)
{
    if (!b->fault && b->depth == 0)
        (void)loop_fault(b, "nothing is open");
    if (b->fault)
        return;
    b->depth--;
    (void)loop_add_value(b, LOOP_END, no_type, 0, 0, 0, 0);
}

void loop_leave(loop_builder *b, loop_value mask)
{
    if (!loop_has_type(b, mask, LOOP_MASK, 1))
        (void)loop_fault(b, "a condition is one mask");
    else if (b->depth == 0 || b->at[b->open[b->depth - 1]].op != LOOP_FOR)
        (void)loop_fault(b, "no loop to leave");
    (void)loop_add_value(b, LOOP_LEAVE, no_type, mask, 0, 0, 0);
}

void loop_fail(loop_builder *b, loop_value mask, int32_t status)
{
    if (!loop_has_type(b, mask, LOOP_MASK, 1))
        (void)loop_fault(b, "a condition is one mask");
    (void)loop_add_value(b, LOOP_FAIL, no_type, mask, 0, 0, (uint32_t)status);
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
        (void)loop_fault(b, "a region is open");
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
