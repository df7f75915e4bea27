/* Random programs in the making: choices, numbers, and the values that operands are taken from. */
#ifndef TEST_GRAPH_RANDOM_BASE_H
#define TEST_GRAPH_RANDOM_BASE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/build.h"

/* ---- choices ---- */

typedef struct choices {
    const uint8_t *bytes; /* the first choices; NULL: none */
    size_t n;
    uint64_t state; /* of the rest; 0: they are all 0 */
} choices;

static inline uint64_t choice_bits(choices *c)
{
    if (c->n > 0) {
        const uint64_t x = *c->bytes++;
        c->n--;
        return x;
    }
    if (c->state == 0)
        return 0;
    uint64_t x = c->state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* 0 .. N-1 */
static inline uint32_t pick(choices *c, uint32_t n)
{
    return n < 2 ? 0 : (uint32_t)(choice_bits(c) % n);
}

static inline bool one_in(choices *c, uint32_t n)
{
    return pick(c, n) == n - 1;
}

/* ---- numbers ---- */

static inline double special_number(choices *c)
{
    static const double list[] = {0.0,
                                  -0.0,
                                  1.0,
                                  -1.0,
                                  0.5,
                                  2.0,
                                  1e-40,
                                  -1e-40,
                                  5e-324,
                                  65504,
                                  448.0,
                                  3e38,
                                  1e300,
                                  -1e300,
                                  1e-8,
                                  255.0,
                                  -128.0,
                                  2147483648.0,
                                  (double)INFINITY,
                                  -(double)INFINITY,
                                  (double)NAN};
    return list[pick(c, sizeof list / sizeof *list)];
}

typedef enum data_style {
    DATA_PLAIN, /* numbers of size 1 */
    DATA_MIXED, /* of many sizes, some of them special */
    DATA_BITS,  /* any bits that are stored properly */
    DATA_EQUAL, /* the same everywhere */
    DATA_STYLES
} data_style;

/* N elements of D at TO. */
static inline void random_data(choices *c, tn_dtype d, data_style style, void *to, int64_t n)
{
    const size_t size = dtype_bytes(d);
    const tn_dtype part = dtype_table[d].part;
    const size_t part_size = dtype_bytes(part), parts = size / part_size * (size_t)n;
    const double same = special_number(c);
    choices own = {.state = choice_bits(c) | 1}; /* a fuzzer need not choose every element */
    for (size_t i = 0; i < parts; i++) {
        char *at = (char *)to + i * part_size;
        const uint64_t bits = choice_bits(&own);
        double x = ((double)(bits >> 11) * 0x1p-53 - 0.5) * 4;
        if (style == DATA_BITS) {
            memcpy(at, &bits, part_size);
            if (dtype_table[part].bits < 8 && dtype_table[part].kind != DTYPE_BOOL)
                dtype_narrow(part, at, at, 1);
            else if (part == TN_I1)
                *at = (char)(bits & 1);
            continue;
        }
        if (style == DATA_MIXED)
            x = bits % 16 == 0 ? special_number(&own) : ldexp(x, (int)(bits % 25) - 12);
        if (style == DATA_EQUAL)
            x = same;
        if (!dtype_is_float(part) && style == DATA_PLAIN)
            x = (double)(bits >> 8 & 7) - (dtype_is_signed(part) ? 3 : 0);
        (void)scalar_store(scalar_of_float(x), part, at);
    }
}

/* ---- programs in the making ---- */

enum { MOST_POOL = 400, GRAPH_MOST_RANK = 8 };

typedef struct graph_limits {
    int64_t elements; /* of a value */
    uint32_t steps;
    bool has_regions; /* may have */
    uint32_t depth;   /* of regions */
} graph_limits;

typedef struct graph {
    choices *c;
    function *f;
    graph_limits most;
    value_id pool[MOST_POOL]; /* what operands are taken from */
    uint32_t n;
    tn_dtype dtypes[3]; /* that most values have */
    int64_t extents[4]; /* that most axes have */
    uint32_t names;
} graph;

static inline const type *type_in(const graph *g, value_id v)
{
    return value_type(g->f, v);
}

static inline void pool_put(graph *g, value_id v)
{
    if (v == NO_VALUE || type_in(g, v)->count > g->most.elements || type_in(g, v)->count < 0)
        return;
    if (g->n == MOST_POOL)
        g->pool[pick(g->c, MOST_POOL)] = v;
    else
        g->pool[g->n++] = v;
}

/* The first result, or NO_VALUE: the type rules refuse it. */
static inline value_id put_many(graph *g, op_id op, const value_id *in, uint32_t n, attr *entries,
                                uint32_t n_entries)
{
    for (uint32_t i = 0; i < n; i++)
        if (in[i] == NO_VALUE)
            return NO_VALUE;
    const attrs *a = attrs_of(&g->f->module->attrs, entries, n_entries);
    value_id first = NO_VALUE;
    const node_desc desc = {.op = op, .in = in, .n_in = n, .attrs = a, .number = g->f->values.n};
    if (!a || function_add(g->f, &desc, &first) != TN_OK)
        return NO_VALUE;
    const uint32_t results = node_of(g->f, first)->n_results;
    for (uint32_t r = 0; r < results; r++)
        pool_put(g, first + r);
    return results && type_in(g, first)->count <= g->most.elements ? first : NO_VALUE;
}

static inline value_id put1(graph *g, op_id op, value_id x, attr *entries, uint32_t n)
{
    return put_many(g, op, &x, 1, entries, n);
}

static inline value_id put2(graph *g, op_id op, value_id x, value_id y)
{
    const value_id in[] = {x, y};
    return put_many(g, op, in, 2, NULL, 0);
}

static inline value_id splat_of(graph *g, tn_dtype d, const int64_t *dims, uint32_t rank, double x)
{
    builder b = builder_on(g->f, NO_SPAN);
    return build_splat(&b, d, dims, rank, scalar_of_float(x));
}

static inline value_id cast_to(graph *g, value_id x, tn_dtype d)
{
    if (x == NO_VALUE || type_in(g, x)->dtype == d)
        return x;
    attr a = attr_of_int(KEY_DTYPE, d);
    return put1(g, OP_CAST, x, &a, 1);
}

/* ---- operands ---- */

static inline value_id any_value(graph *g)
{
    /* The last ones more often, so that chains become long. */
    const uint32_t back = one_in(g->c, 3) ? g->n : g->n < 6 ? g->n : 6;
    return g->pool[g->n - 1 - pick(g->c, back)];
}

static inline value_id float_value(graph *g)
{
    for (uint32_t i = 0; i < 6; i++) {
        const value_id v = any_value(g);
        if (dtype_is_float(type_in(g, v)->dtype))
            return v;
    }
    return cast_to(g, any_value(g), g->dtypes[0] == TN_F64 ? TN_F64 : TN_F32);
}

static inline bool broadcasts(const type *a, const type *b)
{
    for (uint32_t i = 1; i <= a->rank && i <= b->rank; i++) {
        const int64_t x = a->dims[a->rank - i], y = b->dims[b->rank - i];
        if (x != y && x != 1 && y != 1)
            return false;
    }
    return true;
}

/* Something that goes with X; of dtype D. */
static inline value_id partner(graph *g, value_id x, tn_dtype d)
{
    const type *t = type_in(g, x);
    for (uint32_t i = 0; i < 8; i++) {
        const value_id v = any_value(g);
        if (broadcasts(type_in(g, v), t) && (type_in(g, v)->dtype == d || one_in(g->c, 4)))
            return cast_to(g, v, d);
    }
    if (one_in(g->c, 3))
        return cast_to(g, x, d);
    const bool is_scalar = one_in(g->c, 2);
    const double values[] = {2, 1, 0.5, -1, 3, 0, 0.125, 7};
    return splat_of(g, d, t->dims, is_scalar ? 0 : t->rank, values[pick(g->c, 8)]);
}

static inline int64_t any_extent(graph *g)
{
    static const int64_t list[] = {1,   2,  3,  4,  5,  7,  8,   9,    15,   16,   17,   24,
                                   31,  32, 33, 48, 63, 64, 65,  97,   127,  128,  129,  255,
                                   257, 1,  2,  3,  6,  8,  511, 1023, 1024, 1025, 2049, 0};
    if (!one_in(g->c, 4))
        return g->extents[pick(g->c, 4)];
    const uint32_t n = (uint32_t)(sizeof list / sizeof *list);
    return list[pick(g->c, one_in(g->c, 12) ? n : n - 1)];
}

static inline uint32_t any_shape(graph *g, int64_t *dims, uint32_t most_rank)
{
    uint32_t rank = pick(g->c, 5);
    int64_t count = 1;
    if (one_in(g->c, 16))
        rank = pick(g->c, GRAPH_MOST_RANK + 1);
    rank = rank > most_rank ? most_rank : rank;
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = any_extent(g);
        if (dims[i] * count > g->most.elements)
            dims[i] = 1 + pick(g->c, 3);
        if (dims[i] * count > g->most.elements)
            dims[i] = 1;
        count *= dims[i];
    }
    return rank;
}

static inline tn_dtype any_dtype(graph *g)
{
    return one_in(g->c, 10) ? (tn_dtype)pick(g->c, TN_DTYPE_COUNT) : g->dtypes[pick(g->c, 3)];
}

static inline value_id add_input(graph *g, tn_dtype d, const int64_t *dims, uint32_t rank)
{
    char name[16];
    const int length = snprintf(name, sizeof name, "x%u", (unsigned)g->names++);
    attr entries[] = {{.key = KEY_NAME, .v.s = module_string(g->f->module, name, (size_t)length)},
                      {.key = KEY_TYPE, .v.type = type_of(&g->f->module->types, d, dims, rank)}};
    return put_many(g, OP_INPUT, NULL, 0, entries, 2);
}

/* Some axes of T, the last one if nothing else. */
static inline uint32_t any_axes(graph *g, const type *t, int64_t *axes)
{
    uint32_t n = 0, mask = pick(g->c, UINT32_C(1) << t->rank);
    if (mask == 0)
        mask = t->rank ? UINT32_C(1) << (t->rank - 1) : 0;
    for (uint32_t i = 0; i < t->rank; i++)
        if (mask >> i & 1)
            axes[n++] = i;
    return n;
}

#endif
