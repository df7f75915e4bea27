/* Runs elementwise nodes: cuts operands into pieces, widens narrow dtypes, rounds once. */
#include "eval/kernels/flat.h"

#include "eval/kernels/kernels.h"
#include "eval/parts/view.h"
#include "scalar/math.h"

/* The kernel of each elementwise op, and what flat_math computes. */
static const struct {
    flat_fn *fn;
    math_fn math;
} kernels[OP_COUNT] = {
#define ELEMENTWISE(id, text, n_in, attrs, traits, infer, kernel, cost, grad, help)                \
    [OP_##id] = {.fn = flat_##kernel},
#define MATH(id, text, n_in, infer, cost, grad, help)                                              \
    [OP_##id] = {.fn = flat_math, .math = MATH_##id},
#include "graph/ops.def"
};

#define MATH(id, text, n_in, infer, cost, grad, help)                                              \
    _Static_assert(MATH_##id##_OPERANDS == (n_in), "scalar/math.def says otherwise");
#include "graph/ops.def"

enum { CHUNK_BYTES = FLAT_CHUNK * 16 };

/* How a kernel sees elements of D. */
static tn_dtype compute_form(tn_dtype d)
{
    switch ((int)d) {
    case TN_I1:
    case TN_UI4:
        return TN_UI8;
    case TN_SI4:
        return TN_SI8;
    default:
        return dtype_compute(d);
    }
}

bool flat_kernel_init(flat_kernel *k, op_id op, const attrs *given, const type *const *in,
                      uint32_t n_in, tn_dtype out, arena *memory)
{
    *k = (flat_kernel){.fn = kernels[op].fn, .n_in = n_in, .out = out};
    for (uint32_t i = 0; i < n_in; i++)
        k->in[i] = in[i]->dtype;
    if (op == OP_COMPARE) {
        k->mode = attr_int(given, KEY_DIRECTION, DIR_EQ);
    } else if (op == OP_NOT) {
        k->mode = k->in[0] == TN_I1;
    } else if (op == OP_DIV) {
        k->mode = attr_int(given, KEY_ON_ZERO, ON_ZERO_ERROR);
    } else if (op == OP_SELECT) {
        k->by_storage = true;
        k->mode = (int64_t)dtype_bytes(out);
    } else if (op == OP_CAST || op == OP_WRAP || op == OP_BITCAST) {
        k->by_storage = true;
        k->mode = (int64_t)k->in[0] << 8 | (int64_t)out;
    } else {
        k->mode = dtype_table[k->in[0]].bits;
    }
    if (k->fn != flat_math)
        return true;
    const tn_dtype d = compute_form(k->in[0]);
    k->program =
        scalar_math_program(memory, kernels[op].math, d == TN_F64 ? SCALAR_F64 : SCALAR_F32);
    return k->program != NULL;
}

bool flat_kernel_run(const flat_kernel *k, const void *const *in, void *out, size_t n)
{
    _Alignas(16) char wide[FLAT_OPERANDS + 1][FLAT_CHUNK * 4];
    const tn_dtype last = k->in[k->n_in - 1];
    flat_args args = {
        .dtype = compute_form(last), .out = out, .n = n, .mode = k->mode, .program = k->program};
    for (uint32_t i = 0; i < k->n_in; i++) {
        args.in[i] = in[i];
        if (!k->by_storage && compute_form(k->in[i]) != k->in[i]) {
            dtype_widen(k->in[i], in[i], wide[i], n);
            args.in[i] = wide[i];
        }
    }
    /* A comparison writes i1, which is 0 or 1 in either form. */
    const bool narrow = !k->by_storage && k->out == last && args.dtype != last;
    if (narrow)
        args.out = wide[FLAT_OPERANDS];
    if (!k->fn(&args))
        return false;
    if (narrow)
        dtype_narrow(k->out, args.out, out, n);
    return true;
}

/* One operand being read piece by piece. */
typedef struct feed {
    view v;
    bool in_place; /* dense: pieces are read where they are */
    bool constant; /* one element: the buffer is filled once */
    char *buffer;
} feed;

static bool feed_init(feed *f, const tensor *t, const type *out, arena *memory)
{
    view_broadcast(&f->v, t->type, t->data, out->dims, out->rank);
    f->in_place = view_is_dense(&f->v);
    f->constant = !f->in_place && f->v.rank == 1 && f->v.strides[0] == 0;
    f->buffer = NULL;
    if (f->in_place)
        return true;
    f->buffer = arena_alloc_aligned(memory, CHUNK_BYTES, 64);
    if (f->buffer && f->constant && out->count > 0)
        view_read(&f->v, 0, out->count < FLAT_CHUNK ? (size_t)out->count : FLAT_CHUNK, f->buffer);
    return f->buffer != NULL;
}

static const void *feed_next(feed *f, int64_t start, size_t n)
{
    if (f->in_place)
        return f->v.data + start * (int64_t)f->v.size;
    if (!f->constant)
        view_read(&f->v, start, n, f->buffer);
    return f->buffer;
}

/* The op tells the kernel; see `kernels`. */
tn_status eval_elementwise(eval_call *call)
{
    feed feeds[FLAT_OPERANDS];
    const type *types[FLAT_OPERANDS];
    flat_kernel k;
    const type *t = call->out->type;

    for (uint32_t i = 0; i < call->n_in; i++) {
        types[i] = call->in[i].type;
        if (!feed_init(&feeds[i], &call->in[i], t, call->scratch))
            return eval_no_memory(call);
    }
    if (!flat_kernel_init(&k, (op_id)call->node->op, call->attrs, types, call->n_in, t->dtype,
                          call->scratch))
        return eval_no_memory(call);

    char *out = call->out->data;
    for (int64_t start = 0; start < t->count; start += FLAT_CHUNK) {
        const int64_t left = t->count - start;
        const size_t n = left < FLAT_CHUNK ? (size_t)left : FLAT_CHUNK;
        const void *in[FLAT_OPERANDS];
        for (uint32_t i = 0; i < call->n_in; i++)
            in[i] = feed_next(&feeds[i], start, n);
        if (!flat_kernel_run(&k, in, out + start * (int64_t)dtype_bytes(t->dtype), n))
            return eval_report(call, DIAG_DivideByZero, "'%s' divides an integer by zero",
                               op_table[call->node->op].text);
        TN_TRY(eval_tick(call, n));
    }
    return TN_OK;
}
