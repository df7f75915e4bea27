#include "dialect/mlir/hlo/numbers/ranges.h"

#include "graph/literal.h"

enum { MOST_STEPS = 256, MOST_ELEMENTS = 4096 };

/* What makes V in the function that is being built; NULL: it is a value of another one. */
static const node *made_by(const shlo_call *c, tn_value v)
{
    const uint32_t here = builder_scope(c->b);
    const function *f = current_function(c->b);
    return tn_is_value(v) && v.scope == here && v.id < f->values.n ? node_of(f, v.id) : NULL;
}

static const node *operand_of(const shlo_call *c, const node *n, uint32_t k)
{
    return node_of(current_function(c->b), n->in[k]);
}

/* ---- ranges ---- */

typedef struct range {
    int64_t low, high;
} range;

typedef struct range_search {
    const function *f;
    uint32_t steps; /* that were taken: the search gives up */
} range_search;

static bool of_value(range_search *s, value_id v, range *out);

static bool of_literal(const literal *l, range *out)
{
    const tn_dtype d = l->type->dtype;
    const int64_t n = l->splat ? 1 : l->type->count;
    if (n < 1 || n > MOST_ELEMENTS)
        return false;
    *out = (range){INT64_MAX, INT64_MIN};
    for (int64_t i = 0; i < n; i++) {
        const scalar x = scalar_load(d, literal_element(l, i));
        if (!dtype_is_signed(d) && x.u > (uint64_t)INT64_MAX)
            return false;
        out->low = x.i < out->low ? x.i : out->low;
        out->high = x.i > out->high ? x.i : out->high;
    }
    return true;
}

static bool of_all(range_search *s, const node *n, uint32_t first, range *out)
{
    range one;
    *out = (range){INT64_MAX, INT64_MIN};
    for (uint32_t k = first; k < n->n_in; k++) {
        if (!of_value(s, n->in[k], &one))
            return false;
        out->low = one.low < out->low ? one.low : out->low;
        out->high = one.high > out->high ? one.high : out->high;
    }
    return n->n_in > first;
}

/* The products or sums of the ends, none of which may overflow. */
static bool of_ends(op_id op, range x, range y, range *out)
{
    const int64_t xs[] = {x.low, x.high}, ys[] = {y.low, y.high};
    *out = (range){INT64_MAX, INT64_MIN};
    for (int i = 0; i < 4; i++) {
        int64_t z;
        const int64_t a = xs[i & 1], b = ys[i >> 1];
        if (op == OP_MUL ? __builtin_mul_overflow(a, b, &z) : __builtin_add_overflow(a, b, &z))
            return false;
        out->low = z < out->low ? z : out->low;
        out->high = z > out->high ? z : out->high;
    }
    return true;
}

/* The numbers of D, as far as they are held here. */
static range of_dtype(tn_dtype d)
{
    const uint64_t most = dtype_int_max(d);
    return (range){dtype_is_signed(d) ? dtype_int_min(d) : 0,
                   most > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)most};
}

static bool fits(range r, tn_dtype d)
{
    const range all = of_dtype(d);
    return r.low >= all.low && r.high <= all.high;
}

static bool of_node(range_search *s, const node *n, const type *t, range *out)
{
    range x, y;
    bool has_x, has_y;
    switch ((int)n->op) {
    case OP_CONSTANT:
        return of_literal(literal_of(n), out);
    case OP_IOTA: {
        const dim extent = t->dims[attr_int(n->attrs, KEY_AXIS, 0)];
        *out = (range){0, extent - 1};
        return !dim_is_symbolic(extent) && extent > 0;
    }
    case OP_BROADCAST:
    case OP_RESHAPE:
    case OP_TRANSPOSE:
    case OP_EXPAND_DIMS:
    case OP_SQUEEZE:
    case OP_SLICE:
    case OP_REVERSE:
        return of_value(s, n->in[0], out);
    case OP_CAST:
    case OP_WRAP:
        return dtype_is_int(value_type(s->f, n->in[0])->dtype) && of_value(s, n->in[0], out) &&
               fits(*out, t->dtype);
    case OP_CONCAT:
        return of_all(s, n, 0, out);
    case OP_SELECT:
        return of_all(s, n, 1, out);
    case OP_ADD:
    case OP_MUL:
        return of_value(s, n->in[0], &x) && of_value(s, n->in[1], &y) &&
               of_ends((op_id)n->op, x, y, out) && fits(*out, t->dtype);
    case OP_MAXIMUM:
    case OP_MINIMUM:
        has_x = of_value(s, n->in[0], &x);
        has_y = of_value(s, n->in[1], &y);
        if (!has_x && !has_y)
            return false;
        /* more than a range holds may come of the other one */
        if (n->op == OP_MAXIMUM && t->dtype == TN_UI64 && !(has_x && has_y))
            return false;
        x = has_x ? x : of_dtype(t->dtype);
        y = has_y ? y : of_dtype(t->dtype);
        if (n->op == OP_MAXIMUM)
            *out = (range){x.low > y.low ? x.low : y.low, x.high > y.high ? x.high : y.high};
        else
            *out = (range){x.low < y.low ? x.low : y.low, x.high < y.high ? x.high : y.high};
        return true;
    default:
        return false;
    }
}

static bool of_value(range_search *s, value_id v, range *out)
{
    const type *t = value_type(s->f, v);
    if (!dtype_is_int(t->dtype) || s->steps++ >= MOST_STEPS)
        return false;
    if (of_node(s, node_of(s->f, v), t, out))
        return true;
    *out = of_dtype(t->dtype);
    return t->dtype != TN_UI64 && dtype_table[t->dtype].bits < 64;
}

bool shlo_lies_in(const shlo_call *c, tn_value v, int64_t low, int64_t high)
{
    range r;
    range_search s = {.f = current_function(c->b)};
    return made_by(c, v) && of_value(&s, v.id, &r) && r.low >= low && r.high <= high;
}

/* ---- guards ---- */

/* What N repeats, or N. */
static const node *unrepeated(const shlo_call *c, const node *n)
{
    while (n->op == OP_BROADCAST || n->op == OP_RESHAPE)
        n = operand_of(c, n, 0);
    return n;
}

/* Are all elements of N, a constant, the number in OUT? */
static bool is_number(const shlo_call *c, const node *n, scalar *out)
{
    const literal *l = literal_of(unrepeated(c, n));
    if (!l || l->type->count < 1 || !literal_is_uniform(l))
        return false;
    *out = scalar_load(l->type->dtype, l->data);
    return true;
}

/* Is N the comparison HOW of value X with the number in OUT? */
static bool compares(const shlo_call *c, const node *n, tn_direction how, value_id x, scalar *out)
{
    return n->op == OP_COMPARE && attr_int(n->attrs, KEY_DIRECTION, -1) == (int64_t)how &&
           n->in[0] == x && is_number(c, operand_of(c, n, 1), out);
}

bool shlo_never_zero(const shlo_call *c, tn_value v)
{
    const node *n = made_by(c, v);
    scalar zero, other;
    if (!n)
        return false;
    if (is_number(c, n, &other))
        return other.u != 0;
    if (n->op == OP_SELECT && compares(c, operand_of(c, n, 0), TN_EQ, n->in[2], &zero) &&
        zero.u == 0 && is_number(c, operand_of(c, n, 1), &other))
        return other.u != 0;
    return shlo_lies_in(c, v, 1, INT64_MAX) || shlo_lies_in(c, v, INT64_MIN, -1);
}

bool shlo_saturates_to(const shlo_call *c, tn_value p, tn_value x, tn_value y)
{
    const node *test = made_by(c, p), *to = made_by(c, x), *cast = made_by(c, y);
    const type *t = shlo_type_of(c, y);
    scalar end, value;
    if (!test || !to || !cast || cast->op != OP_CAST || !t || !dtype_is_int(t->dtype) ||
        !is_number(c, to, &value))
        return false;
    const value_id from = cast->in[0];
    if (!dtype_is_float(value_type(current_function(c->b), from)->dtype))
        return false;
    if (test->op == OP_COMPARE && attr_int(test->attrs, KEY_DIRECTION, -1) == TN_NE &&
        test->in[0] == from && test->in[1] == from)
        return value.u == 0;
    const uint64_t most = dtype_int_max(t->dtype);
    const int64_t least = dtype_is_signed(t->dtype) ? dtype_int_min(t->dtype) : 0;
    if (compares(c, test, TN_GE, from, &end))
        return value.u == most && end.f >= (double)most;
    return compares(c, test, TN_LT, from, &end) && value.i == least && end.f <= (double)least;
}

/* ---- movement that was undone ---- */

tn_value shlo_vector_in(const shlo_call *c, uint32_t first, uint32_t rank)
{
    value_id vector = NO_VALUE;
    for (uint32_t i = 0; i < rank; i++) {
        const node *flat = made_by(c, shlo_value_of(c, first + i)->v);
        const node *part = flat && flat->op == OP_RESHAPE ? operand_of(c, flat, 0) : NULL;
        uint32_t n;
        if (!part || part->op != OP_SLICE || (i && part->in[0] != vector))
            return tn_no_value();
        vector = part->in[0];
        const type *t = value_type(current_function(c->b), vector);
        const type *own = value_type(current_function(c->b), flat->in[0]);
        const int64_t *starts = attr_ints(part->attrs, KEY_STARTS, &n);
        if (t->rank != 1 || t->dims[0] != rank || t->dtype != TN_SI64 || own->count != 1 ||
            n != 1 || starts[0] != i)
            return tn_no_value();
    }
    return (tn_value){.id = vector, .scope = shlo_value_of(c, first)->v.scope};
}

static bool has_shape(const type *t, tn_ints dims)
{
    bool same = t && t->rank == dims.n;
    for (uint32_t i = 0; same && i < t->rank; i++)
        same = t->dims[i] == dims.at[i] || (dims.n == 1 && dims.at[0] == -1);
    return same;
}

tn_value shlo_reshaped(shlo_call *c, tn_value x, tn_ints dims)
{
    if (has_shape(shlo_type_of(c, x), dims))
        return x;
    const node *n = made_by(c, x);
    if (n && n->op == OP_RESHAPE && has_shape(value_type(current_function(c->b), n->in[0]), dims))
        return (tn_value){.id = n->in[0], .scope = x.scope};
    return tn_reshape(c->b, x, dims);
}

tn_value shlo_transposed(shlo_call *c, tn_value x, tn_ints perm)
{
    bool is_same = true;
    for (size_t i = 0; i < perm.n; i++)
        is_same = is_same && perm.at[i] == (int64_t)i;
    return is_same ? x : tn_transpose(c->b, x, perm);
}
