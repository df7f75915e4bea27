/* What kernels cost: in cheap operations, by which work is distributed over threads, and in
 * arithmetic and memory, by which people judge it. */
#include "loop/nest/nest.h"
#include "ops/convolution.h"
#include "ops/dot_axes.h"

/* ---- cheap operations ---- */

uint32_t nest_cost(const function *f, const kernel *k)
{
    uint32_t cost = 1;
    for (uint32_t i = 0; i < k->n_nodes; i++)
        cost += op_table[f->nodes.at[k->nodes[i]].op].cost;
    return cost;
}

bool nest_is_expensive(const node *n)
{
    return op_table[n->op].cost > 1;
}

int64_t nest_grain(uint64_t each)
{
    const uint64_t worth = 1 << 16; /* cheap operations that pay for waking a thread */
    return each >= worth ? 1 : (int64_t)(worth / (each ? each : 1));
}

/* ---- arithmetic ---- */

static uint64_t count_of(const function *f, value_id v)
{
    return (uint64_t)value_type(f, v)->count;
}

/* Elements of W for each of its last axis: the products of one result of a convolution. */
static uint64_t per_channel(const type *w)
{
    const int64_t last = w->dims[w->rank - 1];
    return last > 0 ? (uint64_t)(w->count / last) : 0;
}

/* Multiply-adds of the contraction N. */
static uint64_t products(const function *f, const node *n)
{
    const type *a = value_type(f, n->in[0]), *b = value_type(f, n->in[1]);
    const uint64_t results = count_of(f, n->first_value);
    uint64_t each = 1;
    switch ((int)n->op) {
    case OP_CONV2D:
        return results * per_channel(b);
    case OP_CONV2D_GRAD_INPUT:
        return (uint64_t)a->count * per_channel(b);
    case OP_CONV2D_GRAD_FILTER:
        return results * per_channel(b);
    case OP_CONVOLUTION: {
        const convolution c = convolution_of_attrs(n->attrs, a->rank);
        const int64_t to = b->dims[c.rhs[CONVOLUTION_TO]];
        return to > 0 ? results * (uint64_t)(b->count / to) : 0;
    }
    case OP_DOT_GENERAL: {
        const dot_axes axes = dot_axes_of(n->attrs, true, a->rank);
        for (uint32_t i = 0; i < axes.n_contract; i++)
            each *= (uint64_t)a->dims[axes.contract[i]];
        return results * each;
    }
    default: /* dot, matmul */
        return results * (uint64_t)a->dims[a->rank - 1];
    }
}

static uint64_t node_flops(const function *f, const node *n, uint64_t most);

/* Of all iterations of the scan N. */
static uint64_t scan_flops(const function *f, const node *n)
{
    const function *body = kernel_region(f, n, KEY_BODY_REGION);
    const int64_t carries = attr_int(n->attrs, KEY_CARRY_COUNT, 0);
    uint64_t flops = 0;
    for (uint32_t i = 0; i < body->nodes.n; i++)
        flops += node_flops(body, &body->nodes.at[i], UINT64_MAX);
    return flops * (uint64_t)value_type(f, n->in[carries])->dims[0];
}

/* N, whose elementwise results are wanted at MOST positions. */
static uint64_t node_flops(const function *f, const node *n, uint64_t most)
{
    const op_info *op = &op_table[n->op];
    const uint64_t parts = n->n_results && dtype_is_complex(value_type(f, n->first_value)->dtype);
    const uint64_t results = n->n_results ? count_of(f, n->first_value) : 0;
    if (op->traits & T_CONTRACTS)
        return products(f, n) * (parts ? 8 : 2);
    switch ((int)n->op) {
    case OP_CAST:
    case OP_WRAP:
    case OP_BITCAST:
    case OP_REAL:
    case OP_IMAG:
    case OP_COMPLEX:
    case OP_STOP_GRADIENT:
        return 0;
    case OP_ARG_MAX:
    case OP_SORT:
    case OP_ARGSORT:
    case OP_TOP_K:
    case OP_CUMULATIVE:
    case OP_SEGMENT_REDUCE:
    case OP_SCATTER_ROWS:
        return count_of(f, n->in[0]);
    case OP_SCATTER_ADD:
    case OP_SCATTER_REDUCE:
        return count_of(f, n->in[2]);
    case OP_SCAN:
        return scan_flops(f, n);
    default:
        if (op->traits & T_REDUCES)
            return count_of(f, n->in[0]) << parts;
        return op->traits & T_ELEMENTWISE ? (results < most ? results : most) << parts : 0;
    }
}

/* The positions of K that its elementwise results are wanted at; UINT64_MAX: all that they have. */
static uint64_t positions_of(const kernel *k)
{
    uint64_t n = 1;
    if (k->kind != KERNEL_MAP && k->kind != KERNEL_ROWS)
        return UINT64_MAX;
    for (uint32_t i = 0; i < k->rank; i++)
        n *= (uint64_t)k->dims[i];
    return n;
}

uint64_t nest_flops(const function *f, const kernel *k)
{
    const uint64_t most = positions_of(k);
    uint64_t flops = 0;
    for (uint32_t i = 0; i < k->n_nodes; i++)
        flops += node_flops(f, &f->nodes.at[k->nodes[i]], most);
    return flops;
}

/* An addition of a function takes the place of a multiply-add, which is two flops. */
uint64_t nest_work(const function *f, const kernel *k)
{
    const uint64_t most = positions_of(k);
    uint64_t work = 0;
    for (uint32_t i = 0; i < k->n_nodes; i++) {
        const node *n = &f->nodes.at[k->nodes[i]];
        const bool is_function = op_table[n->op].class == K_ELEMENTWISE && nest_is_expensive(n);
        work += node_flops(f, n, most) * (is_function ? 2 * op_table[n->op].cost : 1);
    }
    return work;
}

/* ---- memory ---- */

/* How often V is read at each position. */
typedef struct reads {
    const function *f;
    value_id v;
    uint64_t n;
} reads;

static void count_read(void *user, const access_expr *expr, const emit_read *read)
{
    reads *r = user;
    (void)expr;
    r->n += nest_is_read_of(r->f, r->v, read);
}

/* How many elements of V the MAP or ROWS kernel K can need at most; UINT64_MAX where that is too
 * hard to see. */
static uint64_t elements_read(const function *f, const kernel *k, value_id v, arena *memory)
{
    loop_builder b;
    emitter e;
    reads r = {.f = f, .v = v};
    uint64_t positions = 1;
    for (uint32_t i = 0; i < k->rank; i++)
        positions *= (uint64_t)k->dims[i];
    if (count_of(f, v) <= positions)
        return UINT64_MAX; /* the usual case need not be looked at */
    loop_init(&b, memory);
    if (!emit_init(&e, &b, f, k, memory))
        return UINT64_MAX;
    e.rank = k->rank;
    for (uint32_t i = 0; i < k->n_out; i++)
        if (!emit_visit_reads(&e, k->out[i].value, k->out[i].from, count_read, &r))
            return UINT64_MAX;
    for (uint32_t i = 0; i < k->n_nodes; i++) {
        const node *n = &f->nodes.at[k->nodes[i]];
        if ((op_table[n->op].traits & T_REDUCES) &&
            !emit_visit_reads(&e, n->in[0], k->operands, count_read, &r))
            return UINT64_MAX;
    }
    return r.n > 0 && !__builtin_mul_overflow(positions, r.n, &positions) ? positions : UINT64_MAX;
}

/* Bytes of V that K reads: of what it reads at positions that are data no more than it makes. */
static uint64_t bytes_read(const function *f, const kernel *k, value_id v)
{
    size_t all = 0, part = 0;
    (void)type_bytes(value_type(f, v), &all);
    if (k->kind == KERNEL_UPDATE && f->nodes.at[k->node].in[0] == v)
        return 0;
    for (uint32_t i = 0; i < k->n_nodes; i++) {
        const node *n = &f->nodes.at[k->nodes[i]];
        if (kernel_reads_by_data(n) && n->in[0] == v &&
            type_bytes(value_type(f, n->first_value), &part) && part < all)
            return part;
    }
    return all;
}

uint64_t nest_bytes(const function *f, const kernel *k)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < k->n_in; i++)
        bytes += bytes_read(f, k, k->in[i]);
    for (uint32_t i = 0; i < k->n_out; i++) {
        size_t n = 0;
        (void)type_bytes(value_type(f, k->out[i].value), &n);
        bytes += n;
    }
    return bytes;
}

uint64_t nest_traffic(const function *f, const kernel *k, arena *memory)
{
    uint64_t bytes = nest_bytes(f, k);
    for (uint32_t i = 0; i < k->n_in; i++) {
        if (k->kind != KERNEL_MAP && k->kind != KERNEL_ROWS)
            break;
        const uint64_t whole = bytes_read(f, k, k->in[i]),
                       n = elements_read(f, k, k->in[i], memory);
        const uint64_t size = dtype_bytes(value_type(f, k->in[i])->dtype);
        if (n < whole / size)
            bytes -= whole - n * size;
    }
    return bytes;
}
