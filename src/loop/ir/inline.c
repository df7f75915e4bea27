/* Scalar programs inside loop programs. */
#include "loop/ir/loop.h"

static loop_elem elem_of(scalar_type t)
{
    static const uint8_t elems[] = {LOOP_F32, LOOP_F64, LOOP_I32, LOOP_I64, LOOP_MASK};
    return (loop_elem)elems[t];
}

/* The operations that both kinds of programs have under one name; CONST, ARG, SELECT,
 * SELDOM, BITCAST, CONVERT and SCALE are not among them. */
static loop_op op_of(scalar_op op)
{
    static const uint8_t same[SCALAR_OP_COUNT] = {
        [SCALAR_FADD] = LOOP_FADD, [SCALAR_FSUB] = LOOP_FSUB, [SCALAR_FMUL] = LOOP_FMUL,
        [SCALAR_FDIV] = LOOP_FDIV, [SCALAR_FMA] = LOOP_FMA,   [SCALAR_FSQRT] = LOOP_FSQRT,
        [SCALAR_FNEG] = LOOP_FNEG, [SCALAR_FABS] = LOOP_FABS, [SCALAR_FRINT] = LOOP_FRINT,
        [SCALAR_IADD] = LOOP_IADD, [SCALAR_ISUB] = LOOP_ISUB, [SCALAR_IMUL] = LOOP_IMUL,
        [SCALAR_AND] = LOOP_AND,   [SCALAR_OR] = LOOP_OR,     [SCALAR_XOR] = LOOP_XOR,
        [SCALAR_NOT] = LOOP_NOT,   [SCALAR_SHL] = LOOP_SHL,   [SCALAR_LSHR] = LOOP_LSHR,
        [SCALAR_ASHR] = LOOP_ASHR, [SCALAR_FLT] = LOOP_FLT,   [SCALAR_FLE] = LOOP_FLE,
        [SCALAR_FEQ] = LOOP_FEQ,   [SCALAR_FUNO] = LOOP_FUNO, [SCALAR_IEQ] = LOOP_IEQ,
        [SCALAR_ILT] = LOOP_ILT,   [SCALAR_IULT] = LOOP_IULT};
    return (loop_op)same[op];
}

static loop_op conversion_of(loop_elem from, loop_elem to)
{
    if (from == LOOP_I32 || from == LOOP_I64)
        return LOOP_S_TO_F;
    return to == LOOP_I32 || to == LOOP_I64 ? LOOP_F_TO_S : LOOP_FCONVERT;
}

static loop_value inline_one(loop_builder *b, const scalar_inst *i, const loop_value *done,
                             const loop_value *args, uint32_t lanes)
{
    const loop_elem elem = elem_of(i->type);
    const loop_value x = done[i->in[0]], y = done[i->in[1]], z = done[i->in[2]];
    switch ((int)i->op) {
    case SCALAR_ARG:
        return args[i->bits];
    case SCALAR_CONST:
        return loop_const(b, loop_type_of(elem, lanes), i->bits);
    case SCALAR_SELECT:
    case SCALAR_SELDOM:
        return loop_select(b, x, y, z);
    case SCALAR_BITCAST:
        return loop_convert(b, LOOP_BITCAST, elem, x);
    case SCALAR_CONVERT:
        return loop_convert(b, conversion_of((loop_elem)loop_value_type(b, x).elem, elem), elem, x);
    case SCALAR_SCALE:
        return loop_scale(b, x, y);
    case SCALAR_FMA:
        return loop_fma(b, x, y, z);
    default:
        return scalar_op_operands(i->op) == 1 ? loop_unary(b, op_of(i->op), x)
                                              : loop_binary(b, op_of(i->op), x, y);
    }
}

/* A program on its way into a loop program. */
typedef struct inlining {
    loop_builder *b;
    const scalar_program *program;
    const loop_value *args;
    uint32_t lanes;
    loop_value *done; /* by instruction */
    uint8_t *wanted;  /* by instruction; see below */
} inlining;

/* What is computed always, and what only in the branch that is being built. */
enum { NOT_WANTED, ALWAYS, SELDOM };

/* Mark what instructions up to LAST that are marked WHEN need; what is only for SELDOM's second
 * operand is needed in the second case alone. */
static void mark_operands(inlining *s, uint32_t last, uint8_t when)
{
    for (uint32_t k = last + 1; k-- > 0;) {
        const scalar_inst *i = &s->program->at[k];
        if (s->wanted[k] != when)
            continue;
        for (unsigned n = 0; n < scalar_op_operands(i->op); n++)
            if (s->wanted[i->in[n]] == NOT_WANTED &&
                !(when == ALWAYS && i->op == SCALAR_SELDOM && n == 1))
                s->wanted[i->in[n]] = when;
    }
}

static void put(inlining *s, uint32_t k)
{
    s->done[k] = inline_one(s->b, &s->program->at[k], s->done, s->args, s->lanes);
}

/* SELDOM as a branch around what only its second operand needs. */
static void put_branch(inlining *s, uint32_t k)
{
    const scalar_inst *i = &s->program->at[k];
    const uint32_t yes = i->in[1];
    if (s->wanted[yes] == ALWAYS) {
        put(s, k);
        return;
    }
    const loop_value mask = s->done[i->in[0]], no = s->done[i->in[2]];
    const loop_value result = loop_var(s->b, no);
    loop_if(s->b, loop_any(s->b, mask));
    s->wanted[yes] = SELDOM;
    mark_operands(s, yes, SELDOM);
    for (uint32_t n = 0; n <= yes && !loop_failed(s->b); n++)
        if (s->wanted[n] == SELDOM) {
            put(s, n);
            s->wanted[n] = NOT_WANTED; /* its value ends with the branch */
        }
    loop_set(s->b, result, loop_select(s->b, mask, s->done[yes], no));
    loop_end(s->b);
    s->done[k] = loop_get(s->b, result);
}

loop_value loop_inline(loop_builder *b, const scalar_program *program, const loop_value *args)
{
    inlining s = {.b = b,
                  .program = program,
                  .args = args,
                  .lanes = program->n_args ? loop_lanes(b, args[0]) : 1,
                  .done = ARENA_ARRAY(b->arena, loop_value, program->n),
                  .wanted = ARENA_ARRAY(b->arena, uint8_t, program->n)};
    if (!s.done || !s.wanted) {
        b->fault = b->fault ? b->fault : "no memory";
        return 0;
    }
    for (uint32_t k = 0; k < program->n; k++)
        s.wanted[k] = k == program->result ? ALWAYS : NOT_WANTED;
    mark_operands(&s, program->result, ALWAYS);
    for (uint32_t k = 0; k < program->n && !loop_failed(b); k++) {
        if (s.wanted[k] == ALWAYS && program->at[k].op == SCALAR_SELDOM)
            put_branch(&s, k);
        else if (s.wanted[k] == ALWAYS)
            put(&s, k);
    }
    return s.done[program->result];
}
