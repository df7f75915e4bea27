/* Checking finished loop programs: each is built once more, instruction by instruction, so that the
 * rules of the builder hold for whatever was written past it (polls.c, numbers.c). */
#include "loop/ir/loop.h"

typedef struct replay {
    const loop_program *p;
    loop_builder b;
    loop_value *number; /* by value of P: the same in B */
} replay;

static loop_value again(const replay *r, const loop_inst *i, unsigned k)
{
    return r->number[i->in[k]];
}

static uint32_t align_of(const loop_inst *i)
{
    return 1u << i->log_align;
}

/* Instructions that leave no value. */
static void replay_action(replay *r, const loop_inst *i)
{
    loop_builder *b = &r->b;
    switch ((int)i->op) {
    case LOOP_STORE:
        loop_store(b, again(r, i, 0), again(r, i, 1), align_of(i));
        break;
    case LOOP_STORE_FIRST:
        loop_store_first(b, again(r, i, 0), again(r, i, 1), again(r, i, 2), align_of(i));
        break;
    case LOOP_STORE_NONTEMPORAL:
        loop_store_nontemporal(b, again(r, i, 0), again(r, i, 1));
        break;
    case LOOP_PREFETCH:
        loop_prefetch(b, again(r, i, 0));
        break;
    case LOOP_PREFETCH_FAR:
        loop_prefetch_far(b, again(r, i, 0));
        break;
    case LOOP_SET:
        loop_set(b, again(r, i, 0), again(r, i, 1));
        break;
    case LOOP_IF:
        loop_if(b, again(r, i, 0));
        break;
    case LOOP_ELSE:
        loop_else(b);
        break;
    case LOOP_END:
        loop_end(b);
        break;
    case LOOP_POLL:
        loop_prefetch(b, again(r, i, 0)); /* the same demands: an address */
        break;
    case LOOP_LEAVE:
        loop_leave(b, again(r, i, 0));
        break;
    case LOOP_FAIL:
        loop_fail(b, again(r, i, 0), (int32_t)i->imm);
        break;
    }
}

static loop_value replay_memory(replay *r, const loop_inst *i)
{
    loop_builder *b = &r->b;
    const loop_elem elem = (loop_elem)i->type.elem;
    switch ((int)i->op) {
    case LOOP_OFFSET:
        return loop_offset(b, again(r, i, 0), again(r, i, 1));
    case LOOP_ADDRESS:
        return loop_address(b, again(r, i, 0));
    case LOOP_LOCAL:
        return loop_local(b, i->imm);
    case LOOP_LOAD:
        return loop_load(b, i->type, again(r, i, 0), align_of(i));
    case LOOP_LOAD_FIRST:
        return loop_load_first(b, i->type, again(r, i, 0), again(r, i, 1), align_of(i));
    case LOOP_LOAD_WHERE:
        return loop_load_where(b, elem, again(r, i, 0), again(r, i, 1));
    default: /* LOOP_GATHER */
        return loop_gather(b, elem, again(r, i, 0), again(r, i, 1), again(r, i, 2));
    }
}

static loop_value replay_value(replay *r, const loop_inst *i)
{
    loop_builder *b = &r->b;
    const loop_elem elem = (loop_elem)i->type.elem;
    switch ((int)i->op) {
    case LOOP_CONST:
        return loop_const(b, i->type, i->imm);
    case LOOP_PARAM:
        return loop_param_value(b, (loop_param)i->imm);
    case LOOP_FMA:
        return loop_fma(b, again(r, i, 0), again(r, i, 1), again(r, i, 2));
    case LOOP_DOT_PAIRS:
        return loop_dot_pairs(b, again(r, i, 0), again(r, i, 1), again(r, i, 2));
    case LOOP_DOT_QUADS:
        return loop_dot_quads(b, again(r, i, 0), again(r, i, 1), again(r, i, 2));
    case LOOP_DOT_BF16:
        return loop_dot_bf16(b, again(r, i, 0), again(r, i, 1), again(r, i, 2));
    case LOOP_SCALE:
        return loop_scale(b, again(r, i, 0), again(r, i, 1));
    case LOOP_SELECT:
        return loop_select(b, again(r, i, 0), again(r, i, 1), again(r, i, 2));
    case LOOP_BITCAST:
    case LOOP_TRUNCATE:
    case LOOP_ZEXT:
    case LOOP_SEXT:
    case LOOP_FCONVERT:
    case LOOP_S_TO_F:
    case LOOP_U_TO_F:
    case LOOP_F_TO_S:
    case LOOP_F_TO_U:
        return loop_convert(b, (loop_op)i->op, elem, again(r, i, 0));
    case LOOP_SPLAT:
        return loop_splat(b, i->type.lanes, again(r, i, 0));
    case LOOP_LANE:
        return loop_lane(b, again(r, i, 0), (uint32_t)i->imm);
    case LOOP_RAMP:
        return loop_ramp(b, elem, i->type.lanes);
    case LOOP_SHUFFLE:
        return loop_shuffle(b, again(r, i, 0), again(r, i, 1), r->p->tables + i->imm, i->n_lanes);
    case LOOP_OFFSET:
    case LOOP_ADDRESS:
    case LOOP_LOCAL:
    case LOOP_LOAD:
    case LOOP_LOAD_FIRST:
    case LOOP_LOAD_WHERE:
    case LOOP_GATHER:
        return replay_memory(r, i);
    case LOOP_VAR:
        return loop_var(b, again(r, i, 0));
    case LOOP_GET:
        return loop_get(b, again(r, i, 0));
    case LOOP_FOR:
        return loop_for(b, again(r, i, 0), again(r, i, 1), (int64_t)i->imm);
    default:
        return loop_op_operands((loop_op)i->op) == 1
                   ? loop_unary(b, (loop_op)i->op, again(r, i, 0))
                   : loop_binary(b, (loop_op)i->op, again(r, i, 0), again(r, i, 1));
    }
}

/* What the builder cannot be asked with: numbers beyond what is there. */
static const char *check_numbers(const loop_program *p, loop_value v)
{
    const loop_inst *i = &p->at[v];
    if (i->op >= LOOP_OP_COUNT)
        return "no such instruction";
    for (unsigned k = 0; k < loop_op_operands((loop_op)i->op); k++)
        if (i->in[k] >= v)
            return "an operand is defined later";
    if (i->op == LOOP_PARAM && i->imm > LOOP_SCRATCH)
        return "no such parameter";
    if (i->op == LOOP_SHUFFLE && (i->imm > p->n_tables || i->n_lanes > p->n_tables - i->imm))
        return "a table that is not there";
    return NULL;
}

static const char *replay_all(replay *r)
{
    for (loop_value v = 0; v < r->p->n && !r->b.fault; v++) {
        const loop_inst *i = &r->p->at[v];
        const char *fault = check_numbers(r->p, v);
        if (fault)
            return fault;
        if (!loop_op_has_value((loop_op)i->op)) {
            replay_action(r, i);
            continue;
        }
        r->number[v] = replay_value(r, i);
        const loop_type t = loop_value_type(&r->b, r->number[v]);
        if (!r->b.fault && (t.elem != i->type.elem || t.lanes != i->type.lanes))
            return "a result of another type";
    }
    return !r->b.fault && r->b.depth > 0 ? "a region is open" : r->b.fault;
}

const char *loop_verify(const loop_program *p, const tn_allocator *allocator)
{
    arena memory;
    arena_init(&memory, allocator);
    replay r = {.p = p, .number = ARENA_ARRAY(&memory, loop_value, p->n)};
    loop_init(&r.b, &memory);
    const char *fault = r.number ? replay_all(&r) : "no memory";
    arena_release(&memory);
    return fault;
}
