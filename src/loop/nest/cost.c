/* What kernels cost: in cheap operations, by which work is distributed over threads, and in memory,
 * by which people judge it. Arithmetic is in work.c. */
#include "loop/nest/nest.h"

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

/* ---- memory ---- */

/* How often V is read at each position. */
typedef struct reads {
    const function *f;
    value_id v;
    uint32_t rank; /* of the positions */
    uint64_t n;
} reads;

/* Does EXPR go on by one from each position to the next along the last of RANK axes? */
static bool is_contiguous(const access_expr *expr, uint32_t rank)
{
    int64_t constant, strides[TN_MAX_RANK];
    return rank > 0 && access_strides(expr, rank, &constant, strides) && strides[rank - 1] == 1;
}

/* What data say where it is comes with its line of memory, unless its neighbours are read, too. */
static void count_read(void *user, const access_expr *expr, const emit_read *read)
{
    reads *r = user;
    if (!nest_is_read_of(r->f, r->v, read))
        return;
    const bool is_alone = read->is_by_data && !is_contiguous(expr, r->rank);
    r->n += is_alone ? LOOP_ALIGN / dtype_bytes(value_type(r->f, r->v)->dtype) : 1;
}

/* How many elements of V the MAP or ROWS kernel K can need at most; UINT64_MAX where that is too
 * hard to see. */
static uint64_t elements_read(const function *f, const kernel *k, value_id v, arena *memory)
{
    loop_builder b;
    emitter e;
    reads r = {.f = f, .v = v, .rank = k->rank};
    uint64_t positions = 1;
    for (uint32_t i = 0; i < k->rank; i++)
        positions *= (uint64_t)k->dims[i];
    if (nest_elements(f, v) <= positions)
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
    const size_t all = type_known_bytes(value_type(f, v));
    size_t part = 0;
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
    for (uint32_t i = 0; i < k->n_out; i++)
        bytes += type_known_bytes(value_type(f, k->out[i].value));
    return bytes;
}

uint64_t nest_traffic(const function *f, const kernel *k, arena *memory)
{
    uint64_t bytes = nest_bytes(f, k);
    for (uint32_t i = 0; i < k->n_in; i++) {
        if (k->kind != KERNEL_MAP && k->kind != KERNEL_ROWS)
            break;
        const uint64_t n = elements_read(f, k, k->in[i], memory);
        const type *t = value_type(f, k->in[i]);
        if (n == UINT64_MAX)
            continue;
        const uint64_t needed = n < (uint64_t)t->count ? n : (uint64_t)t->count;
        bytes = bytes - bytes_read(f, k, k->in[i]) + needed * dtype_bytes(t->dtype);
    }
    return bytes;
}
