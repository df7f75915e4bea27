/* Which values of a loop program become variables of the C text, and which are written where they
 * are used. A few walks over the instructions, so the time is linear. */
#include "target/c/print.h"

enum { MAX_WEIGHT = 4 }; /* operations in one expression; bounds the depth of the printer, too */

static bool is_region(const loop_inst *i)
{
    return i->op == LOOP_FOR || i->op == LOOP_IF || i->op == LOOP_ELSE || i->op == LOOP_END;
}

static bool changes_memory(const loop_inst *i)
{
    return i->op == LOOP_STORE || i->op == LOOP_STORE_FIRST || i->op == LOOP_STORE_NONTEMPORAL;
}

/* Written as a block with a loop over the lanes. Blocks do not nest: their locals have one name. */
static bool is_block(const loop_program *program, const loop_inst *i)
{
    switch ((int)i->op) {
    case LOOP_FMA:
    case LOOP_DOT_PAIRS:
    case LOOP_DOT_QUADS:
    case LOOP_DOT_BF16:
    case LOOP_FSQRT:
    case LOOP_FRINT:
    case LOOP_FTRUNC:
    case LOOP_SCALE:
    case LOOP_LOAD_FIRST:
    case LOOP_LOAD_WHERE:
    case LOOP_GATHER:
        return i->type.lanes > 1;
    case LOOP_SELECT:
        return c_select_helper(program, i) != C_SELECT;
    default:
        return false;
    }
}

/* May I move to a later place of its region, unless it reads memory that is written in between? */
static bool is_movable(const loop_inst *i)
{
    switch ((int)i->op) {
    case LOOP_PARAM:
    case LOOP_LOCAL:
    case LOOP_VAR:
    case LOOP_GET:
    case LOOP_FOR:
    case LOOP_SHUFFLE: /* long enough by itself */
        return false;
    default:
        return loop_op_has_value((loop_op)i->op);
    }
}

bool c_takes_number(const loop_program *program, const loop_inst *i, unsigned k)
{
    const loop_op op = (loop_op)i->op;
    if (i->type.elem == LOOP_MASK)
        return false;
    if (op == LOOP_SHL || op == LOOP_LSHR || op == LOOP_ASHR)
        return k == 1;
    if ((op >= LOOP_FADD && op <= LOOP_FDIV) || (op >= LOOP_IADD && op <= LOOP_IMUL) ||
        (op >= LOOP_AND && op <= LOOP_XOR))
        return k == 1 || program->at[i->in[1]].op != LOOP_CONST;
    return false;
}

bool c_is_number(const loop_program *program, loop_value v, uint64_t bits)
{
    const loop_inst *i = &program->at[v];
    const size_t n = 8 * loop_elem_bytes((loop_elem)i->type.elem);
    if (i->op == LOOP_RAMP && i->type.lanes == 1)
        return bits == 0;
    return i->op == LOOP_CONST && i->imm == (n < 64 ? bits & ((UINT64_C(1) << n) - 1) : bits);
}

int c_fixed_result(const loop_program *program, const loop_inst *i)
{
    const loop_value a = i->in[0], b = i->in[1];
    const unsigned bits = 8 * (unsigned)loop_elem_bytes((loop_elem)program->at[a].type.elem);
    const uint64_t top = bits ? UINT64_C(1) << (bits - 1) : 0;
    switch ((int)i->op) {
    case LOOP_IEQ:
        return a == b ? 1 : -1;
    case LOOP_ILT:
        return a == b || c_is_number(program, b, top) || c_is_number(program, a, top - 1) ? 0 : -1;
    case LOOP_IULT:
        return a == b || c_is_number(program, b, 0) || c_is_number(program, a, UINT64_MAX) ? 0 : -1;
    case LOOP_SREM:
        return c_is_number(program, b, UINT64_MAX) || c_is_number(program, b, 0) ? 0 : -1;
    case LOOP_SDIV:
    case LOOP_UDIV:
    case LOOP_UREM:
        return c_is_number(program, b, 0) ? 0 : -1;
    default:
        return -1;
    }
}

c_helper c_select_helper(const loop_program *program, const loop_inst *i)
{
    const loop_inst *mask = &program->at[i->in[0]];
    if (i->op != LOOP_SELECT || mask->op != LOOP_FLT || mask->type.lanes == 1)
        return C_SELECT;
    if (mask->in[0] == i->in[1] && mask->in[1] == i->in[2])
        return C_MIN;
    return mask->in[0] == i->in[2] && mask->in[1] == i->in[1] ? C_MAX : C_SELECT;
}

bool c_reads(const loop_program *program, const loop_inst *i, unsigned k)
{
    const uint32_t lanes = program->at[i->in[0]].type.lanes;
    if (c_fixed_result(program, i) >= 0)
        return false;
    if (k == 0 && c_select_helper(program, i) != C_SELECT)
        return false;
    if ((i->op == LOOP_SDIV && c_is_number(program, i->in[1], UINT64_MAX)) ||
        (i->op == LOOP_FUNO && i->type.lanes > 1 && i->in[0] == i->in[1]))
        return k == 0;
    if (i->op != LOOP_SHUFFLE)
        return true;
    for (uint32_t l = 0; l < i->n_lanes; l++)
        if (program->tables[i->imm + l] / lanes == k)
            return true;
    return false;
}

/* Operand K of I is written twice, or lane by lane. */
static bool wants_name(const loop_program *program, const loop_inst *i, unsigned k)
{
    const loop_inst *from = &program->at[i->in[k]];
    switch ((int)i->op) {
    case LOOP_SPLAT:
        return from->op != LOOP_CONST;
    case LOOP_FUNO:
    case LOOP_F_TO_S:
    case LOOP_F_TO_U:
        return i->type.lanes > 1;
    case LOOP_SHUFFLE:
        return from->type.lanes == 1 || i->type.lanes == 1;
    case LOOP_SELECT:
        return k == 0 && from->type.lanes > 1;
    case LOOP_FOR:
        return k == 1;
    case LOOP_LANE:
        return true;
    case LOOP_STORE_FIRST:
        return k == 1;
    default:
        return is_block(program, i) && i->op != LOOP_LOAD_FIRST;
    }
}

/* Blocks stand alone on the right of a `=`. */
static bool takes_block(const loop_inst *i, unsigned k)
{
    return k == 1 && (i->op == LOOP_SET || i->op == LOOP_STORE);
}

static c_kind mask_kind(const loop_program *p, const c_value *values, const loop_inst *i)
{
    const loop_inst *a = &p->at[i->in[0]];
    switch ((int)i->op) {
    case LOOP_FLT:
    case LOOP_FLE:
    case LOOP_FEQ:
    case LOOP_FUNO:
    case LOOP_IEQ:
    case LOOP_ILT:
    case LOOP_IULT:
    case LOOP_TRUNCATE:
        return a->type.elem == LOOP_F32   ? C_S32
               : a->type.elem == LOOP_F64 ? C_S64
                                          : c_signed(c_kind_of((loop_elem)a->type.elem));
    case LOOP_AND:
    case LOOP_OR:
    case LOOP_XOR: /* a constant or splat has no width of its own */
        if (a->op == LOOP_CONST || a->op == LOOP_SPLAT)
            return (c_kind)values[i->in[1]].mask;
        return (c_kind)values[i->in[0]].mask;
    case LOOP_SELECT:
        return (c_kind)values[i->in[1]].mask;
    case LOOP_SHUFFLE:
        return a->type.lanes == 1 ? C_S32 : (c_kind)values[i->in[0]].mask;
    case LOOP_NOT:
    case LOOP_VAR:
    case LOOP_GET:
        return (c_kind)values[i->in[0]].mask;
    default:
        return C_S32;
    }
}

static void find_places(const loop_program *p, c_value *values)
{
    uint32_t open[LOOP_MAX_DEPTH], depth = 0, epoch = 0;
    for (uint32_t v = 0; v < p->n; v++) {
        const loop_inst *i = &p->at[v];
        if (i->op == LOOP_ELSE || i->op == LOOP_END)
            depth--;
        values[v].region = depth ? open[depth - 1] : UINT32_MAX;
        values[v].epoch = epoch;
        if (i->type.elem == LOOP_MASK && i->type.lanes > 1)
            values[v].mask = (uint8_t)mask_kind(p, values, i);
        if (is_region(i) || changes_memory(i))
            epoch++;
        if (i->op == LOOP_FOR || i->op == LOOP_IF || i->op == LOOP_ELSE)
            open[depth++] = v;
    }
}

/* While marking: V is live, and `root` links the live values that wait for their operands. */
static void mark(c_value *values, uint32_t v, uint32_t *waiting)
{
    if (values[v].form != C_DEAD)
        return;
    values[v].form = C_NAMED;
    values[v].root = *waiting;
    *waiting = v;
}

/* Mark what stores, failures and control flow need. A SET is needed when its variable is;
 * `next_set` links the SETs of a variable. */
static void mark_live(const loop_program *p, c_value *values)
{
    uint32_t waiting = UINT32_MAX;
    for (uint32_t v = 0; v < p->n; v++) {
        const loop_inst *i = &p->at[v];
        values[v].next_set = UINT32_MAX;
        if (i->op == LOOP_SET) {
            values[v].next_set = values[i->in[0]].next_set;
            values[i->in[0]].next_set = v;
        } else if (!loop_op_has_value((loop_op)i->op) || i->op == LOOP_FOR || i->op == LOOP_PARAM) {
            mark(values, v, &waiting);
        }
    }
    while (waiting != UINT32_MAX) {
        const uint32_t v = waiting;
        const loop_inst *i = &p->at[v];
        waiting = values[v].root;
        for (unsigned k = 0; k < loop_op_operands((loop_op)i->op); k++)
            if (c_reads(p, i, k))
                mark(values, i->in[k], &waiting);
        for (uint32_t s = i->op == LOOP_VAR ? values[v].next_set : UINT32_MAX; s != UINT32_MAX;
             s = values[s].next_set)
            mark(values, s, &waiting);
    }
}

static void count_uses(const loop_program *p, c_value *values)
{
    for (uint32_t v = 0; v < p->n; v++) {
        const loop_inst *i = &p->at[v];
        values[v].root = 0;
        values[v].next_set = UINT32_MAX;
        for (unsigned k = 0; k < loop_op_operands((loop_op)i->op); k++) {
            c_value *from = &values[i->in[k]];
            if (values[v].form == C_DEAD || !c_reads(p, i, k))
                continue;
            from->n_uses++;
            from->needs_name = from->needs_name || wants_name(p, i, k);
            from->keeps_value = from->keeps_value || (i->op == LOOP_FOR && k == 1);
        }
    }
}

/* Combine operations into expressions of limited size. */
static void join(const loop_program *p, c_value *values)
{
    for (uint32_t v = 0; v < p->n; v++) {
        const loop_inst *i = &p->at[v];
        unsigned weight = i->op == LOOP_CONST ? 0 : 1;
        for (unsigned k = 0; k < loop_op_operands((loop_op)i->op); k++) {
            c_value *from = &values[i->in[k]];
            const loop_inst *f = &p->at[i->in[k]];
            if (values[v].form == C_DEAD || !c_reads(p, i, k))
                continue;
            from->may_inline = from->n_uses == 1 && is_movable(f) && !from->needs_name &&
                               from->region == values[v].region &&
                               weight + from->weight <= MAX_WEIGHT &&
                               (!is_block(p, f) || takes_block(i, k));
            if (from->may_inline)
                weight += from->weight;
        }
        values[v].weight = (uint8_t)weight;
    }
}

/* A load that never takes place: compilers see that it is 0, and warn of comparisons with it. */
static bool is_never_loaded(const loop_program *p, const loop_inst *i)
{
    if (i->op != LOOP_LOAD_FIRST && i->op != LOOP_LOAD_WHERE && i->op != LOOP_GATHER)
        return false;
    const loop_inst *guard = &p->at[i->in[i->op == LOOP_GATHER ? 2 : 1]];
    return i->type.lanes == 1 && guard->op == LOOP_CONST && guard->imm == 0;
}

static c_form form_of(const loop_program *p, const c_value *values, uint32_t v)
{
    const loop_inst *i = &p->at[v];
    const c_value *value = &values[v];
    if (i->op == LOOP_CONST)
        return i->type.lanes == 1 || !value->needs_name ? C_INLINE : C_NAMED;
    if (i->op == LOOP_GET) {
        const bool is_near = value->root != UINT32_MAX && !value->keeps_value &&
                             values[value->root].region == value->region;
        return is_near && values[i->in[0]].next_set >= value->root ? C_ALIAS : C_NAMED;
    }
    if (!value->may_inline || is_never_loaded(p, i))
        return C_NAMED;
    if (i->op == LOOP_LOAD || i->op == LOOP_LOAD_FIRST || i->op == LOOP_LOAD_WHERE ||
        i->op == LOOP_GATHER)
        return value->epoch == values[value->root].epoch ? C_INLINE : C_NAMED;
    return C_INLINE;
}

/* `root` is the last statement that needs a value, when all of them stand in the value's region;
 * UINT32_MAX when they do not. */
static void find_forms(const loop_program *p, c_value *values)
{
    for (uint32_t v = p->n; v-- > 0;) {
        const loop_inst *i = &p->at[v];
        c_value *value = &values[v];
        if (value->form == C_DEAD)
            continue;
        if (loop_op_has_value((loop_op)i->op))
            value->form = (uint8_t)form_of(p, values, v);
        if (value->form == C_NAMED)
            value->root = v;
        if (i->op == LOOP_SET)
            values[i->in[0]].next_set = v;
        for (unsigned k = 0; k < loop_op_operands((loop_op)i->op); k++) {
            c_value *from = &values[i->in[k]];
            const uint32_t root = value->form == C_ALIAS ? v : value->root;
            if (values[root].region != from->region)
                from->root = UINT32_MAX;
            else if (from->root < root || from->root == 0)
                from->root = root;
        }
    }
}

void c_analyse(const loop_program *program, c_value *values)
{
    find_places(program, values);
    mark_live(program, values);
    count_uses(program, values);
    join(program, values);
    find_forms(program, values);
}
