/* Building scalar programs: type checks, sharing of equal instructions, removal of unused ones, and
 * the slots in which the interpreter keeps values. */
#include "scalar/program.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "scalar/minifloat.h"

typedef struct op_info {
    const char *text;
    unsigned operands;
} op_info;

static const op_info ops[SCALAR_OP_COUNT] = {
#define OP(name, text, operands) [SCALAR_##name] = {text, operands},
#include "scalar/scalar_ops.def"
#undef OP
};

/* More slots than this would leave the interpreter less than one element each. */
enum { MAX_SLOTS = 4096 };

const char *scalar_op_name(scalar_op op)
{
    return ops[op].text;
}

unsigned scalar_op_operands(scalar_op op)
{
    return ops[op].operands;
}

const char *scalar_type_name(scalar_type type)
{
    static const char *const names[] = {"f32", "f64", "i32", "i64", "mask"};
    return names[type];
}

size_t scalar_type_bytes(scalar_type type)
{
    return type == SCALAR_F64 || type == SCALAR_I64 ? 8 : 4;
}

void sb_init(scalar_builder *b, arena *memory)
{
    *b = (scalar_builder){.arena = memory};
}

scalar_type sb_type(const scalar_builder *b, scalar_value v)
{
    return v < b->n ? b->at[v].type : SCALAR_F32;
}

static uint32_t hash_inst(const scalar_inst *i)
{
    uint64_t h = (uint64_t)i->op * 8 + i->type;
    h = (h ^ i->in[0]) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 32) ^ i->in[1]) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 32) ^ i->in[2]) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 32) ^ i->bits) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32);
}

static bool same_inst(const scalar_inst *x, const scalar_inst *y)
{
    return x->op == y->op && x->type == y->type && x->in[0] == y->in[0] && x->in[1] == y->in[1] &&
           x->in[2] == y->in[2] && x->bits == y->bits;
}

/* The entry of INST in the table: that of an equal instruction, or the empty one where it belongs.
 */
static uint32_t *find(const scalar_builder *b, const scalar_inst *inst)
{
    const uint32_t mask = 2 * b->cap - 1;
    uint32_t h = hash_inst(inst) & mask;
    while (b->table[h] && !same_inst(&b->at[b->table[h] - 1], inst))
        h = (h + 1) & mask;
    return &b->table[h];
}

static bool grow(scalar_builder *b)
{
    const uint32_t cap = b->cap ? 2 * b->cap : 64;
    scalar_inst *at = cap <= UINT32_MAX / 4 ? ARENA_ARRAY(b->arena, scalar_inst, cap) : NULL;
    uint32_t *table = at ? ARENA_ARRAY(b->arena, uint32_t, (size_t)cap * 2) : NULL;
    if (!table)
        return false;
    if (b->n)
        memcpy(at, b->at, b->n * sizeof *at);
    b->at = at;
    b->table = table;
    b->cap = cap;
    for (uint32_t v = 0; v < b->n; v++)
        *find(b, &at[v]) = v + 1;
    return true;
}

static scalar_value fail(scalar_builder *b)
{
    b->failed = true;
    return 0;
}

static scalar_value add(scalar_builder *b, scalar_inst inst)
{
    if (b->failed || (b->n == b->cap && !grow(b)))
        return fail(b);
    for (unsigned k = 0; k < ops[inst.op].operands; k++)
        if (inst.in[k] >= b->n)
            return fail(b);
    uint32_t *entry = find(b, &inst);
    if (*entry)
        return *entry - 1;
    b->at[b->n] = inst;
    *entry = ++b->n;
    return b->n - 1;
}

scalar_value sb_arg(scalar_builder *b, scalar_type type)
{
    if (b->n_args == SCALAR_MAX_ARGS || type == SCALAR_MASK)
        return fail(b);
    b->arg_types[b->n_args] = type;
    return add(b, (scalar_inst){.op = SCALAR_ARG, .type = type, .bits = b->n_args++});
}

scalar_value sb_const(scalar_builder *b, scalar_type type, uint64_t bits)
{
    if (type == SCALAR_MASK || (scalar_type_bytes(type) == 4 && bits >> 32))
        return fail(b);
    return add(b, (scalar_inst){.op = SCALAR_CONST, .type = type, .bits = bits});
}

scalar_value sb_f32(scalar_builder *b, float value)
{
    return sb_const(b, SCALAR_F32, f32_bits(value));
}

scalar_value sb_f64(scalar_builder *b, double value)
{
    return sb_const(b, SCALAR_F64, f64_bits(value));
}

scalar_value sb_i32(scalar_builder *b, int32_t value)
{
    return sb_const(b, SCALAR_I32, (uint32_t)value);
}

scalar_value sb_i64(scalar_builder *b, int64_t value)
{
    return sb_const(b, SCALAR_I64, (uint64_t)value);
}

static bool is_float(scalar_type t)
{
    return t == SCALAR_F32 || t == SCALAR_F64;
}

static bool is_int(scalar_type t)
{
    return t == SCALAR_I32 || t == SCALAR_I64;
}

/* An operation on values of one type T for which OK holds; its result has type RESULT. */
static scalar_value operate(scalar_builder *b, scalar_op op, bool ok, scalar_type result,
                            scalar_value x, scalar_value y, scalar_value z)
{
    const unsigned operands = ops[op].operands;
    if ((operands > 1 && sb_type(b, x) != sb_type(b, y)) ||
        (operands > 2 && sb_type(b, x) != sb_type(b, z)))
        ok = false;
    assert(ok || b->failed);
    return ok ? add(b, (scalar_inst){.op = op, .type = result, .in = {x, y, z}}) : fail(b);
}

#define FLOAT1(name, op)                                                                           \
    scalar_value name(scalar_builder *b, scalar_value x)                                           \
    {                                                                                              \
        const scalar_type t = sb_type(b, x);                                                       \
        return operate(b, op, is_float(t), t, x, 0, 0);                                            \
    }
#define FLOAT2(name, op)                                                                           \
    scalar_value name(scalar_builder *b, scalar_value x, scalar_value y)                           \
    {                                                                                              \
        const scalar_type t = sb_type(b, x);                                                       \
        return operate(b, op, is_float(t), t, x, y, 0);                                            \
    }
#define INT2(name, op)                                                                             \
    scalar_value name(scalar_builder *b, scalar_value x, scalar_value y)                           \
    {                                                                                              \
        const scalar_type t = sb_type(b, x);                                                       \
        return operate(b, op, is_int(t), t, x, y, 0);                                              \
    }
#define BITS2(name, op)                                                                            \
    scalar_value name(scalar_builder *b, scalar_value x, scalar_value y)                           \
    {                                                                                              \
        const scalar_type t = sb_type(b, x);                                                       \
        return operate(b, op, !is_float(t), t, x, y, 0);                                           \
    }
#define COMPARE(name, op, is_kind)                                                                 \
    scalar_value name(scalar_builder *b, scalar_value x, scalar_value y)                           \
    {                                                                                              \
        return operate(b, op, is_kind(sb_type(b, x)), SCALAR_MASK, x, y, 0);                       \
    }

FLOAT2(sb_fadd, SCALAR_FADD)
FLOAT2(sb_fsub, SCALAR_FSUB)
FLOAT2(sb_fmul, SCALAR_FMUL)
FLOAT2(sb_fdiv, SCALAR_FDIV)
FLOAT2(sb_scale, SCALAR_SCALE)
FLOAT1(sb_fsqrt, SCALAR_FSQRT)
FLOAT1(sb_fneg, SCALAR_FNEG)
FLOAT1(sb_fabs, SCALAR_FABS)
FLOAT1(sb_frint, SCALAR_FRINT)
INT2(sb_iadd, SCALAR_IADD)
INT2(sb_isub, SCALAR_ISUB)
INT2(sb_imul, SCALAR_IMUL)
BITS2(sb_and, SCALAR_AND)
BITS2(sb_or, SCALAR_OR)
BITS2(sb_xor, SCALAR_XOR)
INT2(sb_shl, SCALAR_SHL)
INT2(sb_lshr, SCALAR_LSHR)
INT2(sb_ashr, SCALAR_ASHR)
COMPARE(sb_flt, SCALAR_FLT, is_float)
COMPARE(sb_fle, SCALAR_FLE, is_float)
COMPARE(sb_feq, SCALAR_FEQ, is_float)
COMPARE(sb_funo, SCALAR_FUNO, is_float)
COMPARE(sb_ieq, SCALAR_IEQ, is_int)
COMPARE(sb_ilt, SCALAR_ILT, is_int)
COMPARE(sb_iult, SCALAR_IULT, is_int)

scalar_value sb_fma(scalar_builder *b, scalar_value x, scalar_value y, scalar_value z)
{
    const scalar_type t = sb_type(b, x);
    return operate(b, SCALAR_FMA, is_float(t), t, x, y, z);
}

scalar_value sb_not(scalar_builder *b, scalar_value x)
{
    const scalar_type t = sb_type(b, x);
    return operate(b, SCALAR_NOT, !is_float(t), t, x, 0, 0);
}

static scalar_value choose(scalar_builder *b, scalar_op op, scalar_value mask, scalar_value yes,
                           scalar_value no)
{
    const scalar_type t = sb_type(b, yes);
    const bool ok = sb_type(b, mask) == SCALAR_MASK && t == sb_type(b, no);
    assert(ok || b->failed);
    if (!ok)
        return fail(b);
    return add(b, (scalar_inst){.op = op, .type = t, .in = {mask, yes, no}});
}

scalar_value sb_select(scalar_builder *b, scalar_value mask, scalar_value yes, scalar_value no)
{
    return choose(b, SCALAR_SELECT, mask, yes, no);
}

scalar_value sb_seldom(scalar_builder *b, scalar_value mask, scalar_value yes, scalar_value no)
{
    return choose(b, SCALAR_SELDOM, mask, yes, no);
}

scalar_value sb_bitcast(scalar_builder *b, scalar_type to, scalar_value x)
{
    const scalar_type t = sb_type(b, x);
    const bool ok = t != SCALAR_MASK && to != SCALAR_MASK && is_float(t) != is_float(to) &&
                    scalar_type_bytes(t) == scalar_type_bytes(to);
    return operate(b, SCALAR_BITCAST, ok, to, x, 0, 0);
}

scalar_value sb_convert(scalar_builder *b, scalar_type to, scalar_value x)
{
    const scalar_type t = sb_type(b, x);
    const bool same_width = scalar_type_bytes(t) == scalar_type_bytes(to);
    const bool ok = is_float(t) && is_float(to) ? t != to
                                                : same_width && ((is_float(t) && is_int(to)) ||
                                                                 (is_int(t) && is_float(to)));
    return operate(b, SCALAR_CONVERT, ok, to, x, 0, 0);
}

/* Keep what RESULT needs, and the arguments: MAP[v] becomes the new number of v, plus one. */
static uint32_t mark_used(const scalar_builder *b, scalar_value result, uint32_t *map)
{
    uint32_t n = 0;
    map[result] = 1;
    for (uint32_t v = b->n; v-- > 0;) {
        if (b->at[v].op == SCALAR_ARG)
            map[v] = 1;
        for (unsigned k = 0; map[v] && k < ops[b->at[v].op].operands; k++)
            map[b->at[v].in[k]] = 1;
    }
    for (uint32_t v = 0; v < b->n; v++)
        if (map[v])
            map[v] = ++n;
    return n;
}

/* Give every value a slot: constants keep theirs, others give it back after the last use. An
 * instruction never shares a slot with its operands. The result is the number of slots. */
static uint32_t assign_slots(scalar_inst *at, uint32_t n, scalar_value result, uint32_t *last_use,
                             uint32_t *spare)
{
    uint32_t n_slots = 0, n_spare = 0;
    for (uint32_t v = 0; v < n; v++)
        for (unsigned k = 0; k < ops[at[v].op].operands; k++)
            last_use[at[v].in[k]] = v;
    last_use[result] = n;
    for (uint32_t v = 0; v < n; v++) {
        if (at[v].op == SCALAR_ARG)
            continue;
        at[v].slot = n_spare && at[v].op != SCALAR_CONST ? spare[--n_spare] : n_slots++;
        const unsigned operands = ops[at[v].op].operands;
        for (unsigned k = 0; k < operands; k++) {
            const scalar_value in = at[v].in[k];
            bool again = false;
            for (unsigned j = 0; j < k; j++)
                again = again || at[v].in[j] == in;
            if (last_use[in] == v && !again && at[in].op != SCALAR_ARG && at[in].op != SCALAR_CONST)
                spare[n_spare++] = at[in].slot;
        }
    }
    return n_slots;
}

const scalar_program *sb_finish(scalar_builder *b, scalar_value result)
{
    if (b->failed || result >= b->n || b->at[result].type == SCALAR_MASK)
        return NULL;
    uint32_t *map = ARENA_ARRAY(b->arena, uint32_t, b->n);
    const uint32_t n = map ? mark_used(b, result, map) : 0;
    scalar_program *p = ARENA_NEW(b->arena, scalar_program);
    scalar_inst *at = ARENA_ARRAY(b->arena, scalar_inst, n);
    scalar_type *arg_types = ARENA_ARRAY(b->arena, scalar_type, b->n_args);
    uint32_t *last_use = ARENA_ARRAY(b->arena, uint32_t, n);
    uint32_t *spare = ARENA_ARRAY(b->arena, uint32_t, n);
    if (!map || !p || !at || !arg_types || !last_use || !spare)
        return NULL;
    for (uint32_t v = 0; v < b->n; v++) {
        if (!map[v])
            continue;
        scalar_inst *i = &at[map[v] - 1];
        *i = b->at[v];
        for (unsigned k = 0; k < ops[i->op].operands; k++)
            i->in[k] = map[i->in[k]] - 1;
    }
    memcpy(arg_types, b->arg_types, b->n_args * sizeof *arg_types);
    *p = (scalar_program){at, n, b->n_args, arg_types, map[result] - 1, 0};
    p->n_slots = assign_slots(at, n, p->result, last_use, spare);
    return p->n_slots <= MAX_SLOTS ? p : NULL;
}

static int print_inst(const scalar_inst *i, uint32_t v, char *out, size_t room)
{
    char *const end = out + room;
    int n =
        snprintf(out, room, "%%%" PRIu32 " = %s %s", v, ops[i->op].text, scalar_type_name(i->type));
    if (n < 0 || (size_t)n >= room)
        return -1;
    out += n;
    if (i->op == SCALAR_CONST)
        n = snprintf(out, (size_t)(end - out), " 0x%0*" PRIx64, (int)scalar_type_bytes(i->type) * 2,
                     i->bits);
    else if (i->op == SCALAR_ARG)
        n = snprintf(out, (size_t)(end - out), " %" PRIu64, i->bits);
    else
        n = 0;
    for (unsigned k = 0; k < ops[i->op].operands; k++)
        n += snprintf(out + n, (size_t)(end - out - n), "%s%%%" PRIu32, k ? ", " : " ", i->in[k]);
    return (int)(room - (size_t)(end - out)) + n;
}

char *scalar_print(const scalar_program *program, arena *memory)
{
    enum { LINE = 96 }; /* longer than any instruction */
    size_t size;
    if (__builtin_mul_overflow((size_t)program->n + 1, (size_t)LINE, &size))
        return NULL;
    char *text = arena_alloc(memory, size);
    if (!text)
        return NULL;
    char *out = text;
    for (uint32_t v = 0; v < program->n; v++) {
        const int n = print_inst(&program->at[v], v, out, LINE);
        if (n < 0)
            return NULL;
        out += n;
        *out++ = '\n';
    }
    (void)snprintf(out, LINE, "result %%%" PRIu32 "\n", program->result);
    return text;
}
