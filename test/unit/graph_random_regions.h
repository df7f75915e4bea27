/* Random control flow. */
#ifndef TEST_GRAPH_RANDOM_REGIONS_H
#define TEST_GRAPH_RANDOM_REGIONS_H

#include "graph_random_contract.h"
#include "graph_random_steps.h"

/* A region with the types of these values as parameters. */
static inline graph region_like(graph *g, const type *const *types, uint32_t n, uint32_t *index)
{
    module *m = g->f->module;
    *index = m->functions.n;
    graph r = {.c = g->c, .most = g->most};
    r.f = module_add_function(m, "region", 6);
    r.most.depth--;
    r.most.steps = pick(g->c, 8);
    r.most.elements = g->most.elements < 4096 ? g->most.elements : 4096;
    memcpy(r.dtypes, g->dtypes, sizeof r.dtypes);
    memcpy(r.extents, g->extents, sizeof r.extents);
    if (r.f) {
        r.f->is_region = true;
        for (uint32_t i = 0; i < n; i++) /* all parameters are in the pool, whatever their size */
            (void)add_input(&r, types[i]->dtype, types[i]->dims, types[i]->rank);
    }
    return r;
}

/* A value of R that has this type. */
static inline value_id result_of(graph *r, const type *t)
{
    if (!one_in(r->c, 4))
        for (uint32_t i = r->n; i-- > 0;) {
            const type *u = type_in(r, r->pool[i]);
            if (u->dtype == t->dtype && u->rank == t->rank &&
                (!t->rank || memcmp(u->dims, t->dims, t->rank * sizeof *t->dims) == 0))
                return r->pool[i];
        }
    return splat_of(r, t->dtype, t->dims, t->rank, 1.5);
}

static inline void add_cond(graph *g, const value_id *operands, const type *const *types,
                            uint32_t n)
{
    uint32_t yes, no;
    graph a = region_like(g, types, n, &yes);
    if (!a.f || a.n == 0)
        return;
    random_steps(&a);
    choose_outputs(&a);
    graph b = region_like(g, types, n, &no);
    if (!b.f || b.n == 0)
        return;
    random_steps(&b);
    for (uint32_t i = 0; i < a.f->outputs.n; i++) {
        const type *t = value_type(a.f, a.f->outputs.at[i]);
        (void)function_add_output(b.f, result_of(&b, t));
    }
    value_id in[5] = {splat_of(g, TN_I1, NULL, 0, pick(g->c, 2))};
    if (one_in(g->c, 2)) {
        const value_id x = any_value(g);
        attr e = {.key = KEY_KEEPDIMS, .v.i = 0};
        in[0] = cast_to(g, put1(g, OP_REDUCE_MAX, x, &e, 1), TN_I1);
    }
    memcpy(in + 1, operands, n * sizeof *operands);
    attr e[] = {attr_of_int(KEY_TRUE_REGION, yes), attr_of_int(KEY_FALSE_REGION, no)};
    (void)put_many(g, OP_COND, in, n + 1, e, 2);
}

/* Counts to a few. */
static inline void add_while(graph *g, const value_id *operands, const type *const *types,
                             uint32_t n)
{
    uint32_t cond, body;
    const type *all[5] = {type_scalar(&g->f->module->types, TN_SI32)};
    value_id in[5] = {splat_of(g, TN_SI32, NULL, 0, 0)};
    memcpy(all + 1, types, n * sizeof(const type *));
    memcpy(in + 1, operands, n * sizeof *operands);
    graph a = region_like(g, all, n + 1, &cond);
    if (!a.f || a.n < n + 1)
        return;
    builder ba = builder_on(a.f, NO_SPAN);
    const value_id turns = splat_of(&a, TN_SI32, NULL, 0, pick(g->c, 5));
    (void)function_add_output(a.f, build_compare(&ba, DIR_LT, a.f->inputs.at[0], turns));
    (void)function_add_output(a.f, a.f->inputs.at[0]);
    if (one_in(g->c, 3))
        random_steps(&a);
    for (uint32_t i = 0; i < n; i++)
        (void)function_add_output(a.f, one_in(g->c, 2) ? result_of(&a, types[i])
                                                       : a.f->inputs.at[i + 1]);
    graph b = region_like(g, all, n + 1, &body);
    if (!b.f || b.n < n + 1)
        return;
    random_steps(&b);
    builder bb = builder_on(b.f, NO_SPAN);
    (void)function_add_output(
        b.f, build_binary(&bb, OP_ADD, b.f->inputs.at[0], splat_of(&b, TN_SI32, NULL, 0, 1)));
    for (uint32_t i = 0; i < n; i++) {
        value_id v = result_of(&b, types[i]);
        if (n > 1 && one_in(g->c, 4)) /* carries that change places */
            for (uint32_t k = 0; k < n; k++)
                if (types[k] == types[i])
                    v = b.f->inputs.at[1 + k];
        (void)function_add_output(b.f, v);
    }
    attr e[] = {attr_of_int(KEY_COND_REGION, cond), attr_of_int(KEY_BODY_REGION, body)};
    (void)put_many(g, OP_WHILE, in, n + 1, e, 2);
}

static inline void add_scan(graph *g, const value_id *operands, const type *const *types,
                            uint32_t n)
{
    uint32_t body;
    value_id in[5];
    const type *all[5];
    uint32_t n_in = n;
    memcpy(in, operands, n * sizeof *in);
    memcpy(all, types, n * sizeof(const type *));
    const int64_t length = pick(g->c, 5);
    for (uint32_t i = 0; i < 2 && n_in < 5; i++) {
        const value_id v = any_value(g);
        const type *t = type_in(g, v);
        if (t->rank == 0 || (n_in > n && t->dims[0] != type_in(g, in[n])->dims[0]) ||
            t->dims[0] > 20 + length)
            continue;
        in[n_in] = v;
        all[n_in++] = type_of(&g->f->module->types, t->dtype, t->dims + 1, t->rank - 1);
    }
    if (n_in == n)
        return;
    graph b = region_like(g, all, n_in, &body);
    if (!b.f || b.n < n_in)
        return;
    random_steps(&b);
    for (uint32_t i = 0; i < n; i++)
        (void)function_add_output(b.f, result_of(&b, types[i]));
    const uint32_t stacked = pick(g->c, 3);
    for (uint32_t i = 0; i < stacked; i++)
        (void)function_add_output(b.f, b.pool[b.n - 1 - pick(g->c, b.n < 4 ? b.n : 4)]);
    attr e[] = {attr_of_int(KEY_BODY_REGION, body), attr_of_int(KEY_CARRY_COUNT, n),
                attr_of_int(KEY_OUTPUT_COUNT, stacked)};
    if (n + stacked > 0)
        (void)put_many(g, OP_SCAN, in, n_in, e, 3);
}

/* Steps that compute element by element. */
static inline void plain_steps(graph *g)
{
    for (uint32_t steps = 1 + pick(g->c, 6); steps > 0; steps--)
        switch (pick(g->c, 4)) {
        case 0:
            step_unary(g);
            break;
        case 1:
            step_ternary(g);
            break;
        case 2:
            step_cast(g);
            break;
        default:
            step_binary(g);
        }
}

/* A scan that computes element by element, on values of one shape and numbers. Its first result. */
static inline value_id add_plain_scan(graph *g)
{
    int64_t dims[TN_MAX_RANK] = {1 + pick(g->c, 5)};
    const uint32_t rank = any_shape(g, dims + 1, GRAPH_MOST_RANK - 1), n = 1 + pick(g->c, 2),
                   n_in = n + 1 + pick(g->c, 2);
    value_id in[4];
    const type *types[4] = {NULL};
    uint32_t body;
    for (uint32_t i = 0; i < n_in; i++) {
        const uint32_t own = one_in(g->c, 4) ? 0 : rank, scanned = i >= n;
        const tn_dtype d = any_dtype(g);
        in[i] = shaped(g, d, dims + !scanned, own + scanned);
        types[i] = type_of(&g->f->module->types, d, dims + 1, own);
        if (in[i] == NO_VALUE || !types[i])
            return NO_VALUE;
    }
    graph b = region_like(g, types, n_in, &body);
    if (!b.f || b.n < n_in)
        return NO_VALUE;
    plain_steps(&b);
    for (uint32_t i = 0; i < n; i++)
        (void)function_add_output(b.f, result_of(&b, types[i]));
    const uint32_t stacked = pick(g->c, 3);
    for (uint32_t i = 0; i < stacked; i++)
        (void)function_add_output(b.f, b.pool[b.n - 1 - pick(g->c, b.n < 4 ? b.n : 4)]);
    attr e[] = {attr_of_int(KEY_BODY_REGION, body), attr_of_int(KEY_CARRY_COUNT, n),
                attr_of_int(KEY_OUTPUT_COUNT, stacked)};
    return put_many(g, OP_SCAN, in, n_in, e, 3);
}

/* A loop that counts to a few and computes element by element. Its first result. */
static inline value_id add_plain_while(graph *g)
{
    int64_t dims[TN_MAX_RANK];
    const uint32_t rank = any_shape(g, dims, GRAPH_MOST_RANK), n = 2 + pick(g->c, 2);
    value_id in[4] = {splat_of(g, TN_SI32, NULL, 0, 0)};
    const type *types[4] = {type_scalar(&g->f->module->types, TN_SI32)};
    uint32_t cond, body;
    for (uint32_t i = 1; i < n; i++) {
        const uint32_t own = one_in(g->c, 4) ? 0 : rank;
        const tn_dtype d = any_dtype(g);
        in[i] = shaped(g, d, dims, own);
        types[i] = type_of(&g->f->module->types, d, dims, own);
        if (in[i] == NO_VALUE || !types[i])
            return NO_VALUE;
    }
    graph a = region_like(g, types, n, &cond), b = region_like(g, types, n, &body);
    if (!a.f || !b.f || a.n < n || b.n < n)
        return NO_VALUE;
    builder ba = builder_on(a.f, NO_SPAN), bb = builder_on(b.f, NO_SPAN);
    const value_id turns = splat_of(&a, TN_SI32, NULL, 0, pick(g->c, 6));
    const value_id more = build_compare(&ba, DIR_LT, a.f->inputs.at[0], turns);
    const value_id one = splat_of(&b, TN_SI32, NULL, 0, 1);
    const value_id next = build_binary(&bb, OP_ADD, b.f->inputs.at[0], one);
    if (one_in(g->c, 3))
        plain_steps(&a);
    plain_steps(&b);
    (void)function_add_output(a.f, more);
    (void)function_add_output(a.f, a.f->inputs.at[0]);
    (void)function_add_output(b.f, next);
    for (uint32_t i = 1; i < n; i++) {
        (void)function_add_output(a.f, result_of(&a, types[i]));
        (void)function_add_output(b.f, result_of(&b, types[i]));
    }
    attr e[] = {attr_of_int(KEY_COND_REGION, cond), attr_of_int(KEY_BODY_REGION, body)};
    return put_many(g, OP_WHILE, in, n, e, 2);
}

/* A scan or while that computes element by element, over an input of its own. */
static inline value_id random_loop(graph *g)
{
    int64_t dims[TN_MAX_RANK];
    const uint32_t rank = any_shape(g, dims, GRAPH_MOST_RANK);
    return add_input(g, any_dtype(g), dims, rank) == NO_VALUE ? NO_VALUE
           : one_in(g->c, 2)                                  ? add_plain_scan(g)
                                                              : add_plain_while(g);
}

static inline void step_region(graph *g)
{
    if (!g->most.has_regions || g->most.depth == 0)
        return;
    value_id operands[3];
    const type *types[3];
    const uint32_t n = 1 + pick(g->c, 3);
    for (uint32_t i = 0; i < n; i++) {
        operands[i] = any_value(g);
        types[i] = type_in(g, operands[i]);
        if (types[i]->count > 4096)
            return;
    }
    switch (pick(g->c, 5)) {
    case 0:
        add_cond(g, operands, types, n);
        break;
    case 1:
        (void)add_plain_scan(g);
        break;
    case 3:
        (void)add_plain_while(g);
        break;
    case 2:
        add_while(g, operands, types, n);
        break;
    default:
        add_scan(g, operands, types, n);
    }
}

#endif
