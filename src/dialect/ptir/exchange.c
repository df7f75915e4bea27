/* Operations written as several of PTIR's core: what the reference implementation lacks, and the
 * identity. */
#include "dialect/ptir/raise.h"

static ptir_type tensor(const type *t)
{
    return (ptir_type){t, 0, NULL};
}

static ptir_operand value_of(uint32_t id)
{
    return (ptir_operand){.kind = PTIR_VALUE, .id = id, .at = NO_SPAN};
}

/* Copies of short lists in the model's memory. */
static const void *keep(raising *r, const void *bytes, size_t n)
{
    void *own = arena_alloc(r->memory, n + 1);
    if (own && n)
        memcpy(own, bytes, n);
    r->no_memory = r->no_memory || !own;
    return own;
}

static uint32_t emit(raising *r, ptir_op op, uint8_t word, const attr *fields, uint32_t n_fields,
                     const ptir_operand *in, uint32_t n_in, const type *out)
{
    ptir_inst inst = {.op = (uint8_t)op, .word = word, .n_in = n_in, .out = tensor(out)};
    inst.attrs = keep(r, fields, n_fields * sizeof *fields);
    inst.in = keep(r, in, n_in * sizeof *in);
    if (r->no_memory)
        return 0;
    inst.n_attrs = (uint8_t)n_fields;
    return ptir_raise_emit(r, inst);
}

static uint32_t binary(raising *r, uint8_t word, uint32_t a, uint32_t b, const type *t)
{
    ptir_operand in[] = {value_of(a), value_of(b)};
    return emit(r, PTIR_BINARY, word, NULL, 0, in, 2, t);
}

static uint32_t with_shape(raising *r, ptir_op op, ptir_operand x, const type *t)
{
    attr a = {.key = KEY_SHAPE, .n = t->rank, .v.ints = t->dims};
    return emit(r, op, 0, &a, 1, &x, 1, t);
}

static uint32_t cast(raising *r, ptir_operand x, const type *t)
{
    attr a = {.key = KEY_DTYPE, .v.i = t->dtype};
    return emit(r, PTIR_CAST, 0, &a, 1, &x, 1, t);
}

uint32_t ptir_raise_identity(raising *r, ptir_operand v, const type *t)
{
    return with_shape(r, PTIR_RESHAPE, v, t);
}

/* NUMBER of dtype D as a literal operand. */
static ptir_operand number(raising *r, const type *scalar_type, double n)
{
    unsigned char bits[16] = {0};
    literal l = {.type = scalar_type, .bytes = dtype_bytes(scalar_type->dtype)};
    (void)scalar_store(scalar_of_float(n), scalar_type->dtype, bits);
    l.data = keep(r, bits, l.bytes);
    return (ptir_operand){.kind = PTIR_LITERAL, .literal = keep(r, &l, sizeof l), .at = NO_SPAN};
}

/* Words by the ops that they select. */
enum {
#define BINARY(word, op) op,
#include "dialect/ptir/words.def"
};
enum {
#define UNARY(word, op) UNARY_##op,
#include "dialect/ptir/words.def"
};

uint32_t ptir_raise_clamp(raising *r, const node *n)
{
    const type *t = value_type(r->f, n->first_value);
    ptir_operand first[] = {ptir_raise_operand(r, n->in[0]), ptir_raise_operand(r, n->in[1])};
    ptir_operand second[2] = {
        value_of(emit(r, PTIR_BINARY, MAXIMUM, NULL, 0, first, 2, t)),
        ptir_raise_operand(r, n->in[2]),
    };
    return emit(r, PTIR_BINARY, MINIMUM, NULL, 0, second, 2, t);
}

/* The types of a layer norm's steps. */
typedef struct norm_types {
    const type *full; /* of x, in the dtype of the arithmetic */
    const type *kept; /* with extent 1 on the axis */
    const type *line; /* of gamma and beta, aligned with x */
    const type *one;
    int64_t axis;
} norm_types;

static bool norm_types_of(raising *r, const node *n, norm_types *out)
{
    type_table *t = (type_table *)(uintptr_t)&r->m->types; /* interning changes no type */
    const type *x = value_type(r->f, n->in[0]);
    const tn_dtype d = dtype_compute(x->dtype);
    dim kept[TN_MAX_RANK], line[TN_MAX_RANK];
    out->axis = attr_int(n->attrs, KEY_AXIS, -1);
    out->axis += out->axis < 0 ? x->rank : 0;
    for (uint32_t i = 0; i < x->rank; i++) {
        kept[i] = i == out->axis ? 1 : x->dims[i];
        line[i] = i == out->axis ? x->dims[i] : 1;
    }
    out->full = type_with_dtype(t, x, d);
    out->kept = type_of(t, d, kept, x->rank);
    out->line = type_of(t, d, line, x->rank);
    out->one = type_scalar(t, d);
    r->no_memory = r->no_memory || !out->full || !out->kept || !out->line || !out->one;
    return !r->no_memory;
}

static uint32_t mean(raising *r, const norm_types *t, uint32_t x, uint32_t count)
{
    ptir_operand in = value_of(x);
    attr fields[] = {{.key = KEY_COMBINE, .v.i = 0},
                     {.key = KEY_AXES, .n = 1, .v.ints = keep(r, &t->axis, sizeof t->axis)},
                     {.key = KEY_KEEPDIMS, .v.i = 1}};
    uint32_t sum = emit(r, PTIR_REDUCE, 0, fields, 3, &in, 1, t->kept);
    return binary(r, DIV, sum, count, t->kept);
}

/* gamma or beta, for each element of x. */
static uint32_t spread(raising *r, const norm_types *t, value_id v)
{
    ptir_operand x = ptir_raise_operand(r, v);
    const type *from = value_type(r->f, v);
    if (from->dtype != t->full->dtype) {
        const type *wide =
            type_with_dtype((type_table *)(uintptr_t)&r->m->types, from, t->full->dtype);
        if (!wide) {
            r->no_memory = true;
            return 0;
        }
        x = value_of(cast(r, x, wide));
    }
    return with_shape(r, PTIR_BROADCAST_TO, value_of(with_shape(r, PTIR_RESHAPE, x, t->line)),
                      t->full);
}

/* (x - mean) * rsqrt(variance + epsilon) * gamma + beta, in the order of the reference kernel. */
uint32_t ptir_raise_layer_norm(raising *r, const node *n)
{
    norm_types t;
    const type *out = value_type(r->f, n->first_value);
    ptir_operand x = ptir_raise_operand(r, n->in[0]);
    if (!norm_types_of(r, n, &t))
        return 0;
    dim extent = t.full->dims[t.axis];
    if (dim_is_symbolic(extent)) {
        ptir_raise_fault(
            r, n, DIAG_UnknownOp,
            "a layer norm over an axis of unknown extent has no form in core operations");
        return r->next_id++;
    }
    if (x.kind != PTIR_VALUE || out->dtype != t.full->dtype)
        x = value_of(out->dtype != t.full->dtype ? cast(r, x, t.full)
                                                 : ptir_raise_identity(r, x, t.full));
    uint32_t count = with_shape(r, PTIR_BROADCAST_TO, number(r, t.one, (double)extent), t.kept);
    uint32_t centre = with_shape(r, PTIR_BROADCAST_TO, value_of(mean(r, &t, x.id, count)), t.full);
    uint32_t d = binary(r, SUB, x.id, centre, t.full);
    uint32_t variance = mean(r, &t, binary(r, MUL, d, d, t.full), count);
    ptir_operand eps = number(r, t.one, attr_float(n->attrs, KEY_EPSILON, 0));
    uint32_t sum = binary(r, ADD, variance, with_shape(r, PTIR_BROADCAST_TO, eps, t.kept), t.kept);
    ptir_operand in = value_of(sum);
    uint32_t root = emit(r, PTIR_UNARY, UNARY_RSQRT, NULL, 0, &in, 1, t.kept);
    uint32_t y =
        binary(r, MUL, d, with_shape(r, PTIR_BROADCAST_TO, value_of(root), t.full), t.full);
    y = binary(r, MUL, y, spread(r, &t, n->in[1]), t.full);
    y = binary(r, ADD, y, spread(r, &t, n->in[2]), t.full);
    return out->dtype == t.full->dtype ? y : cast(r, value_of(y), out);
}
