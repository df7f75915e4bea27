/* Equations between extents, and what follows from them. */
#include "pass/sizes/equations.h"

#include "base/memory/checked.h"
#include "base/memory/hash.h"

static const dim one = 1;

typedef struct collector {
    const module *m;
    equations *e;
} collector;

static bool all_known(const dim *d, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (dim_is_symbolic(d[i]))
            return false;
    return true;
}

static bool same_dims(const dim *a, uint32_t n_a, const dim *b, uint32_t n_b)
{
    return n_a == n_b && (n_a == 0 || memcmp(a, b, n_a * sizeof *a) == 0);
}

static void add(collector *c, equation q)
{
    equations *e = c->e;
    if ((all_known(q.a, q.n_a) && all_known(q.b, q.n_b)) || same_dims(q.a, q.n_a, q.b, q.n_b))
        return;
    const uint64_t h = hash_mix(
        hash_bytes(hash_bytes(5, q.a, q.n_a * sizeof *q.a), q.b, q.n_b * sizeof *q.b), q.at_most);
    for (uint32_t p = hash_first(&e->known, h), k; (k = hash_at(&e->known, h, &p)) != HASH_NONE;) {
        const equation *old = &e->list.at[k];
        if (old->at_most == q.at_most && same_dims(old->a, old->n_a, q.a, q.n_a) &&
            same_dims(old->b, old->n_b, q.b, q.n_b))
            return;
    }
    e->no_memory = e->no_memory || !VECTOR_PUSH_INDEXED(c->m->allocator, &e->list, q, &e->known, h);
}

static void add_equal(collector *c, const dim *a, const dim *b)
{
    add(c, (equation){a, b, 1, 1, false});
}

static void add_at_most(collector *c, const dim *a, const dim *b)
{
    add(c, (equation){a, b, 1, 1, true});
}

/* ---- operations ----------------------------------------------------------------------------- */

/* Only extents that are written as 1 broadcast. MAP: the axis of the result for each axis of T. */
static void of_broadcast(collector *c, const type *t, const type *result, const int64_t *map)
{
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->dims[i] != 1)
            add_equal(c, &t->dims[i],
                      &result->dims[map ? (uint32_t)map[i] : result->rank - t->rank + i]);
}

static void of_elementwise(collector *c, const function *f, const node *n)
{
    for (uint32_t k = 0; k < n->n_in; k++)
        of_broadcast(c, value_type(f, n->in[k]), value_type(f, n->first_value), NULL);
}

static void of_expand(collector *c, const function *f, const node *n)
{
    uint32_t n_map;
    of_broadcast(c, value_type(f, n->in[0]), value_type(f, n->first_value),
                 attr_find(n->attrs, KEY_DIMS) ? attr_ints(n->attrs, KEY_DIMS, &n_map) : NULL);
}

static void of_reshape(collector *c, const function *f, const node *n)
{
    const type *from = value_type(f, n->in[0]), *to = value_type(f, n->first_value);
    add(c, (equation){from->dims, to->dims, from->rank, to->rank, false});
}

static void of_pool(collector *c, const function *f, const node *n)
{
    static const attr_key keys[] = {KEY_WINDOW, KEY_STRIDES, KEY_DILATION};
    const type *x = value_type(f, n->in[0]), *t = value_type(f, n->first_value);
    uint32_t k = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const int64_t *sizes = attr_ints(n->attrs, keys[i], &k);
        for (uint32_t a = 0; a < k; a++)
            add_at_most(c, &one, &sizes[a]);
    }
    for (uint32_t a = 0; a < k && k <= x->rank; a++)
        add_at_most(c, &one, &t->dims[x->rank - k + a]);
}

static void of_slice(collector *c, const function *f, const node *n)
{
    const type *x = value_type(f, n->in[0]);
    uint32_t rank = 0;
    const int64_t *ends = attr_ints(n->attrs, KEY_ENDS, &rank);
    for (uint32_t i = 0; i < rank && i < x->rank; i++)
        if (dim_is_symbolic(x->dims[i]) && ends[i] != INT64_MAX)
            add_at_most(c, &ends[i], &x->dims[i]);
}

/* The bounds of a SHRINK. */
static void of_view(collector *c, const function *f, const node *n)
{
    const type *x = value_type(f, n->in[0]);
    uint32_t rank = 0;
    const int64_t *from = attr_ints(n->attrs, KEY_CUT_FROM, &rank);
    const int64_t *to = attr_ints(n->attrs, KEY_CUT_TO, &rank);
    const int64_t *step = attr_ints(n->attrs, KEY_CUT_STEP, &rank);
    for (uint32_t i = 0; i < rank; i++) {
        add_at_most(c, &from[i], &to[i]);
        add_at_most(c, &to[i], &x->dims[i]);
        add_at_most(c, &one, &step[i]);
    }
}

static void of_matmul(collector *c, const function *f, const node *n)
{
    const type *a = value_type(f, n->in[0]), *b = value_type(f, n->in[1]);
    if (a->rank && b->rank)
        add_equal(c, &a->dims[a->rank - 1], &b->dims[b->rank > 1 ? b->rank - 2 : 0]);
}

/* Axes that two lists pair. */
static void of_pairs(collector *c, const function *f, const node *n, attr_key left, attr_key right)
{
    const type *a = value_type(f, n->in[0]), *b = value_type(f, n->in[1]);
    uint32_t n_a, n_b;
    const int64_t *own = attr_ints(n->attrs, left, &n_a);
    const int64_t *other = attr_ints(n->attrs, right, &n_b);
    for (uint32_t i = 0; i < n_a && i < n_b; i++)
        add_equal(c, &a->dims[own[i] < 0 ? own[i] + a->rank : own[i]],
                  &b->dims[other[i] < 0 ? other[i] + b->rank : other[i]]);
}

static void of_node(collector *c, const function *f, const node *n)
{
    switch ((int)n->op) {
    case OP_RESHAPE:
        of_reshape(c, f, n);
        break;
    case OP_BROADCAST:
        of_expand(c, f, n);
        break;
    case OP_POOL:
        of_pool(c, f, n);
        break;
    case OP_SLICE:
        of_slice(c, f, n);
        break;
    case OP_VIEW:
        of_view(c, f, n);
        break;
    case OP_DOT:
    case OP_MATMUL:
        of_matmul(c, f, n);
        break;
    case OP_DOT_GENERAL:
        of_pairs(c, f, n, KEY_BATCH_LHS, KEY_BATCH_RHS);
        of_pairs(c, f, n, KEY_CONTRACT_LHS, KEY_CONTRACT_RHS);
        break;
    default:
        if (op_table[n->op].traits & T_ELEMENTWISE)
            of_elementwise(c, f, n);
        break;
    }
}

static void of_function(collector *c, const function *f)
{
    static const dim none = 0;
    for (uint32_t i = 0; i < f->nodes.n; i++)
        of_node(c, f, &f->nodes.at[i]);
    for (uint32_t k = 0; k < f->declared.n; k++) {
        const declared_type *d = &f->declared.at[k];
        const type *t = value_type(f, d->of);
        for (uint32_t i = 0; i < t->rank && i < d->type->rank; i++)
            add_equal(c, &d->type->dims[i], &t->dims[i]);
    }
    for (uint32_t v = 0; v < f->values.n; v++) {
        const type *t = value_type(f, v);
        for (uint32_t i = 0; i < t->rank; i++)
            add_at_most(c, &none, &t->dims[i]);
    }
}

void equations_of(const module *m, equations *e)
{
    collector c = {m, e};
    for (uint32_t k = 0; k < m->functions.n; k++)
        of_function(&c, m->functions.at[k]);
}

void equations_release(const module *m, equations *e)
{
    hash_release(m->allocator, &e->known);
    VECTOR_RELEASE(m->allocator, &e->list);
}

tn_status sizes_demanded(const module *m, dim_values *values)
{
    solver s;
    equations e = {0};
    TN_TRY(solver_begin(&s, m, values));
    equations_of(m, &e);
    const bool no_memory = e.no_memory;
    if (!no_memory)
        (void)equations_follow(&e, &s);
    equations_release(m, &e);
    solver_end(&s);
    return no_memory ? module_no_memory(m) : TN_OK;
}

/* ---- what follows --------------------------------------------------------------------------- */

enum { NONE = -1, SEVERAL = -2 };

typedef struct product {
    int64_t known;   /* of the factors with a value */
    int32_t unknown; /* the one factor without, NONE or SEVERAL */
    bool fits;       /* into an int64_t */
} product;

static uint32_t count_of(dim d, const dim *dims, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += dims[i] == d;
    return count;
}

static product multiply(const solver *s, const dim *d, uint32_t n, const dim *others, uint32_t n_o)
{
    product p = {1, NONE, true};
    for (uint32_t i = 0; i < n; i++) {
        int64_t value;
        if (dim_is_symbolic(d[i]) && count_of(d[i], d, i + 1) <= count_of(d[i], others, n_o))
            continue; /* a factor on both sides cancels */
        if (dim_bind(s->t, d[i], s->values, &value))
            p.fits = p.fits && mul_i64(p.known, value, &p.known);
        else
            p.unknown = p.unknown == NONE ? (int32_t)i : SEVERAL;
    }
    return p;
}

/* Can the unknown factor of P, among DIMS, make the product equal TOTAL? */
static bool solve_factor(solver *s, const product *p, const dim *dims, int64_t total)
{
    if (p->known <= 0)
        return total == 0;
    return total % p->known == 0 &&
           solve_size(s, dims[p->unknown], total / p->known) != CONTRADICTS;
}

static bool holds(solver *s, const equation *q)
{
    const product a = multiply(s, q->a, q->n_a, q->b, q->n_b);
    const product b = multiply(s, q->b, q->n_b, q->a, q->n_a);
    if (!a.fits || !b.fits)
        return false;
    if (a.unknown == NONE && b.unknown == NONE)
        return q->at_most ? a.known <= b.known : a.known == b.known;
    if (q->at_most)
        return true;
    if (a.unknown == NONE && b.unknown != SEVERAL)
        return solve_factor(s, &b, q->b, a.known);
    if (b.unknown == NONE && a.unknown != SEVERAL)
        return solve_factor(s, &a, q->a, b.known);
    return true;
}

bool equations_follow(const equations *e, solver *s)
{
    do {
        s->progress = false;
        for (uint32_t i = 0; i < e->list.n; i++)
            if (!holds(s, &e->list.at[i]))
                return false;
        for (uint32_t k = 0; !s->progress && k < s->m->functions.n; k++)
            solve_reshapes(s, s->m->functions.at[k]);
    } while (s->progress);
    return true;
}
