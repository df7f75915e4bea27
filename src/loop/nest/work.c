/* The arithmetic of kernels: in operations, and in the time that these take. */
#include "loop/nest/nest.h"
#include "ops/attr_rules.h"
#include "ops/convolution.h"
#include "ops/dot_axes.h"

/* ---- operations ---- */

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
    const uint64_t results = nest_elements(f, n->first_value);
    uint64_t each = 1;
    switch ((int)n->op) {
    case OP_CONV2D:
    case OP_CONV2D_GRAD_FILTER:
        return results * per_channel(b);
    case OP_CONV2D_GRAD_INPUT:
        return (uint64_t)a->count * per_channel(b);
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

/* How often the body of N runs: a while, of which only data say so, counts as one turn. */
static uint64_t turns_of(const function *f, const node *n)
{
    const int64_t carries = attr_int(n->attrs, KEY_CARRY_COUNT, 0);
    return n->op == OP_SCAN ? (uint64_t)value_type(f, n->in[carries])->dims[0] : 1;
}

/* Of a turn, in the region of N that KEY names. */
static uint64_t region_flops(const function *f, const node *n, attr_key key)
{
    const function *region = kernel_region(f, n, key);
    uint64_t flops = 0;
    for (uint32_t i = 0; i < region->nodes.n; i++)
        flops += node_flops(region, &region->nodes.at[i], UINT64_MAX);
    return flops;
}

/* N, whose elementwise results are wanted at MOST positions. */
static uint64_t node_flops(const function *f, const node *n, uint64_t most)
{
    const op_info *op = &op_table[n->op];
    const uint64_t parts = n->n_results && dtype_is_complex(value_type(f, n->first_value)->dtype);
    const uint64_t results = n->n_results ? nest_elements(f, n->first_value) : 0;
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
        return nest_elements(f, n->in[0]);
    case OP_SCATTER_ADD:
    case OP_SCATTER_REDUCE:
        return nest_elements(f, n->in[2]);
    case OP_SCAN:
        return region_flops(f, n, KEY_BODY_REGION) * turns_of(f, n);
    case OP_WHILE:
        return region_flops(f, n, KEY_COND_REGION) + region_flops(f, n, KEY_BODY_REGION);
    default:
        if (op->traits & T_REDUCES)
            return nest_elements(f, n->in[0]) << parts;
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

/* ---- time ---- */

/* Sixty-fourths of a cycle, by measurement; most of it is the same however long vectors are. */
enum {
    NETWORK = 18, /* an element of short lines that are sorted side by side, for each ... */
    SORTED = 34,  /* ... or of a long one, for each doubling of the length */
    MOST_IN_NETWORK = 256,  /* elements of a short line */
    SEEN = 30,              /* an element of a long line of which the best are kept, ... */
    KEPT = 9000,            /* ... and one that joins these */
    TOP = 36,               /* an element of short lines of which the best are kept, as NETWORK */
    TAKEN = 128,            /* a row which data say, ... */
    TAKEN_LINE = 128,       /* ... and each line of memory that it fills */
    SCATTERED = 170,        /* a row of updates that is added to one which data say, ... */
    SCATTERED_ELEMENT = 34, /* ... and each further element of it */
    DRAWN = 190,            /* a random number */
    DRAWN_NORMAL = 385,
    WAITED = 150 /* an operation on one number in a loop whose next turn waits for it */
};

static uint64_t log2_above(int64_t n)
{
    uint64_t log = 0;
    for (; log < 63 && (INT64_C(1) << log) < n; log++)
        continue;
    return log;
}

/* Lines of X along AXIS are brought in order. */
static uint64_t order_work(const type *x, uint32_t axis, uint64_t in_network)
{
    const int64_t n = x->dims[axis];
    return (uint64_t)x->count * log2_above(n) * (n <= MOST_IN_NETWORK ? in_network : SORTED);
}

/* The best K of a line of N join these while it is read about K ln(N / K) times, if it is in random
 * order. */
static uint64_t top_work(const type *x, uint32_t axis, int64_t k)
{
    const int64_t n = x->dims[axis];
    if (n <= MOST_IN_NETWORK || k < 1 || k >= n)
        return order_work(x, axis, TOP);
    const uint64_t joins = (uint64_t)k * (log2_above(n / k) * 7 / 10 + 1); /* ln 2 is 0.7 */
    return (uint64_t)(x->count / n) * joins * KEPT + SEEN * (uint64_t)x->count;
}

/* OUT is read in rows, as many as INDICES. */
static uint64_t take_work(const type *out, uint64_t indices)
{
    const uint64_t bytes = (uint64_t)out->count * dtype_bytes(out->dtype);
    const uint64_t rest =
        bytes / LOOP_ALIGN; /* rows of less than a line have no line of their own */
    return indices * TAKEN + (indices < rest ? rest * TAKEN_LINE : 0);
}

static uint64_t scatter_work(const type *updates, int64_t rows)
{
    const int64_t row = rows > 0 ? updates->count / rows : 0;
    return row > 0 ? (uint64_t)rows * (SCATTERED + SCATTERED_ELEMENT * (uint64_t)(row - 1)) : 0;
}

/* An operation on numbers of 64 bits has half as many in a vector. */
static uint64_t width_of(const function *f, value_id v)
{
    const tn_dtype part = dtype_table[value_type(f, v)->dtype].part;
    return dtype_bytes(part) > 4 ? dtype_bytes(part) / 4 : 1;
}

static uint64_t widest(const function *f, const node *n)
{
    const uint64_t out = n->n_results ? width_of(f, n->first_value) : 1;
    const uint64_t in = n->n_in ? width_of(f, n->in[0]) : 1;
    return in > out ? in : out;
}

/* What a multiply-add of the contraction N takes; PLAIN is one. Groups of few channels leave lanes
 * without work, most of all where the lanes are positions of which some are left out. */
static uint64_t product_work(const function *f, const node *n)
{
    enum { PLAIN = 2, ALONG_CHANNELS = 3, ALONG_ROWS = 4, WITH_STRIDES = 9 };
    const uint32_t rank = value_type(f, n->in[0])->rank;
    if (n->op != OP_CONVOLUTION)
        return PLAIN;
    const convolution c = convolution_of_attrs(n->attrs, rank);
    if (c.groups == 1)
        return PLAIN;
    if (c.lhs[CONVOLUTION_CHANNEL] == rank - 1)
        return ALONG_CHANNELS;
    return c.at[c.spatial - 1].stride > 1 ? WITH_STRIDES : ALONG_ROWS;
}

static uint64_t contraction_work(const function *f, const node *n, contract_products form)
{
    const uint64_t at_once = form == PRODUCTS_QUADS ? 4 : form == PRODUCTS_PAIRS ? 2 : 1;
    return node_flops(f, n, UINT64_MAX) / 2 * product_work(f, n) * widest(f, n) / at_once;
}

typedef struct work_sum {
    uint64_t counted;  /* operations of f32 */
    uint64_t modelled; /* sixty-fourths of a cycle */
} work_sum;

static void add_node(const function *f, const node *n, uint64_t most, contract_products form,
                     work_sum *sum);

/* The iterations of the loop N, in its region that KEY names: where that computes single numbers,
 * each waits for the last. */
static void add_turns(const function *f, const node *n, attr_key key, work_sum *sum)
{
    const uint64_t turns = turns_of(f, n);
    const function *region = kernel_region(f, n, key);
    work_sum turn = {0};
    for (uint32_t i = 0; i < region->nodes.n; i++) {
        const node *inner = &region->nodes.at[i];
        if (inner->n_results && nest_elements(region, inner->first_value) == 1 &&
            node_flops(region, inner, UINT64_MAX) == 1)
            turn.modelled += WAITED;
        else
            add_node(region, inner, UINT64_MAX, PRODUCTS_ANY, &turn);
    }
    sum->counted += turns * turn.counted;
    sum->modelled += turns * turn.modelled;
}

static void add_node(const function *f, const node *n, uint64_t most, contract_products form,
                     work_sum *sum)
{
    const op_info *op = &op_table[n->op];
    const type *x = n->n_in ? value_type(f, n->in[0]) : NULL;
    if (op->traits & T_CONTRACTS) {
        sum->counted += contraction_work(f, n, form);
        return;
    }
    switch ((int)n->op) {
    case OP_SORT:
    case OP_ARGSORT:
        sum->modelled +=
            widest(f, n) * order_work(x, resolve_axis(n->attrs, KEY_AXIS, x->rank), NETWORK);
        break;
    case OP_TOP_K:
        sum->modelled +=
            top_work(x, resolve_axis(n->attrs, KEY_AXIS, x->rank), attr_int(n->attrs, KEY_K, 1));
        break;
    case OP_TAKE:
    case OP_GATHER:
        sum->modelled += take_work(value_type(f, n->first_value), nest_elements(f, n->in[1]));
        break;
    case OP_SEGMENT_REDUCE:
        sum->modelled += scatter_work(x, value_type(f, n->in[1])->count);
        break;
    case OP_SCATTER_ADD:
    case OP_SCATTER_REDUCE:
        sum->modelled += scatter_work(value_type(f, n->in[2]), value_type(f, n->in[1])->count);
        break;
    case OP_RNG_UNIFORM:
        sum->modelled += DRAWN * nest_elements(f, n->first_value);
        break;
    case OP_RNG_NORMAL:
        sum->modelled += DRAWN_NORMAL * nest_elements(f, n->first_value);
        break;
    case OP_WHILE:
        add_turns(f, n, KEY_COND_REGION, sum);
        add_turns(f, n, KEY_BODY_REGION, sum);
        break;
    case OP_SCAN:
        add_turns(f, n, KEY_BODY_REGION, sum);
        break;
    default: {
        const bool is_function = op->class == K_ELEMENTWISE && nest_is_expensive(n);
        sum->counted += node_flops(f, n, most) * widest(f, n) * (is_function ? 2 * op->cost : 1);
    }
    }
}

void nest_count_work(const function *f, const kernel *k, nest *out)
{
    const uint64_t most = positions_of(k);
    const contract_products form =
        out->n_schedules == 1 ? out->schedules[0].products : PRODUCTS_ANY;
    work_sum sum = {0};
    for (uint32_t i = 0; i < k->n_nodes; i++)
        add_node(f, &f->nodes.at[k->nodes[i]], most, form, &sum);
    out->work = sum.counted;
    out->cycles = sum.modelled;
    for (uint32_t i = 0; i < k->n_nodes; i++)
        out->is_open |= f->nodes.at[k->nodes[i]].op == OP_WHILE;
}
