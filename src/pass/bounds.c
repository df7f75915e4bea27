/* Bounds of integers by interval arithmetic, backwards through what makes them. */
#include "pass/bounds.h"

#include "base/memory/checked.h"
#include "graph/literal.h"

/* That one question looks at, so that it stays cheap: nodes, and bytes, of which all numbers are
 * about as likely. */
enum { MOST_NODES = 64, MOST_BYTES = 1 << 16 };

typedef struct bounder {
    const function *f;
    uint32_t left; /* nodes to look at */
} bounder;

static int_bounds of_dtype(tn_dtype d)
{
    return (int_bounds){dtype_int_min(d), (int64_t)dtype_int_max(d)};
}

static bool is_bounded(tn_dtype d)
{
    return d == TN_I1 || (dtype_is_int(d) && dtype_table[d].bits <= 32);
}

static int_bounds united(int_bounds a, int_bounds b)
{
    return (int_bounds){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

static int_bounds of_scalar(scalar s)
{
    const int64_t x = s.kind == DTYPE_SIGNED ? s.i : (int64_t)s.u;
    return (int_bounds){x, x};
}

static int_bounds of_literal(const literal *l)
{
    const int64_t n = l->splat ? 1 : l->type->count;
    if (l->type->count == 0)
        return (int_bounds){0, 0};
    if (dtype_bytes(l->type->dtype) == 1 && n > MOST_BYTES)
        return of_dtype(l->type->dtype);
    int_bounds all = of_scalar(scalar_load(l->type->dtype, literal_element(l, 0)));
    for (int64_t i = 1; i < n; i++)
        all = united(all, of_scalar(scalar_load(l->type->dtype, literal_element(l, i))));
    return all;
}

static int64_t clamped(int64_t x, int_bounds to)
{
    return x < to.low ? to.low : x > to.high ? to.high : x;
}

static int_bounds products(int_bounds a, int_bounds b)
{
    int_bounds all = {INT64_MAX, INT64_MIN};
    for (unsigned i = 0; i < 4; i++) {
        int64_t x;
        if (!mul_i64(i & 1 ? a.high : a.low, i & 2 ? b.high : b.low, &x))
            return (int_bounds){INT64_MIN, INT64_MAX};
        all = united(all, (int_bounds){x, x});
    }
    return all;
}

static int_bounds bounds_of(bounder *b, value_id v);

/* Of the operands of N from FIRST on, together. */
static int_bounds of_operands(bounder *b, const node *n, uint32_t first)
{
    int_bounds all = bounds_of(b, n->in[first]);
    for (uint32_t i = first + 1; i < n->n_in; i++)
        all = united(all, bounds_of(b, n->in[i]));
    return all;
}

/* What N computes, where that fits in its dtype. */
static int_bounds of_node(bounder *b, const node *n, int_bounds whole)
{
    switch (n->op) {
    case OP_CONSTANT:
        return of_literal(literal_of(n));
    case OP_CAST: {
        if (whole.high == 1) /* a truth value: not 0 */
            return whole;
        const int_bounds x = bounds_of(b, n->in[0]);
        return (int_bounds){clamped(x.low, whole), clamped(x.high, whole)};
    }
    case OP_WRAP:
    case OP_RESHAPE:
    case OP_BROADCAST:
    case OP_TRANSPOSE:
    case OP_SLICE:
    case OP_REVERSE:
    case OP_CONCAT:
        return of_operands(b, n, 0);
    case OP_PAD:
        return united(of_operands(b, n, 0),
                      of_scalar(*attr_find(n->attrs, KEY_PAD_VALUE)->v.scalar));
    case OP_SELECT:
        return of_operands(b, n, 1);
    case OP_ADD: {
        const int_bounds x = bounds_of(b, n->in[0]), y = bounds_of(b, n->in[1]);
        return (int_bounds){x.low + y.low, x.high + y.high};
    }
    case OP_SUB: {
        const int_bounds x = bounds_of(b, n->in[0]), y = bounds_of(b, n->in[1]);
        return (int_bounds){x.low - y.high, x.high - y.low};
    }
    case OP_MUL: {
        const int_bounds x = bounds_of(b, n->in[0]), y = bounds_of(b, n->in[1]);
        return products(x, y);
    }
    case OP_MAXIMUM:
    case OP_MINIMUM: {
        const int_bounds x = bounds_of(b, n->in[0]), y = bounds_of(b, n->in[1]);
        const bool is_max = n->op == OP_MAXIMUM;
        return (int_bounds){(x.low > y.low) == is_max ? x.low : y.low,
                            (x.high > y.high) == is_max ? x.high : y.high};
    }
    default:
        return whole;
    }
}

static int_bounds bounds_of(bounder *b, value_id v)
{
    const tn_dtype d = value_type(b->f, v)->dtype;
    const int_bounds whole = is_bounded(d) ? of_dtype(d) : (int_bounds){INT32_MIN, UINT32_MAX};
    const node *n = node_of(b->f, v);
    if (!is_bounded(d) || b->left == 0)
        return whole;
    b->left--;
    const int_bounds x = of_node(b, n, whole);
    return x.low >= whole.low && x.high <= whole.high ? x : whole; /* else it wraps */
}

int_bounds integer_bounds(const function *f, value_id v)
{
    bounder b = {.f = f, .left = MOST_NODES};
    return bounds_of(&b, v);
}
