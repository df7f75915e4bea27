/* Random steps: arithmetic and reductions, and all others. */
#ifndef TEST_GRAPH_RANDOM_STEPS_H
#define TEST_GRAPH_RANDOM_STEPS_H

#include "graph_random_index.h"
#include "graph_random_stages.h"

/* Any elementwise op of N operands that needs no attributes. */
static inline op_id elementwise_op(graph *g, uint32_t n)
{
    op_id fitting[OP_COUNT];
    uint32_t count = 0;
    for (int op = 0; op < OP_COUNT; op++) {
        const op_info *o = &op_table[op];
        if ((o->traits & T_ELEMENTWISE) && o->min_in == n && !(o->n_attrs && o->attrs[0].required))
            fitting[count++] = (op_id)op;
    }
    return fitting[pick(g->c, count)];
}

/* Most functions are for floats only. */
static inline void step_unary(graph *g)
{
    const op_id op = elementwise_op(g, 1);
    const bool only_floats = strcmp(op_table[op].infer_name, "unary_float") == 0;
    (void)put1(g, op, only_floats ? float_value(g) : any_value(g), NULL, 0);
}

static inline void step_binary(graph *g)
{
    static const op_id often[] = {OP_ADD, OP_SUB, OP_MUL};
    op_id op = one_in(g->c, 3) ? often[pick(g->c, 3)] : elementwise_op(g, 2);
    const value_id x = any_value(g);
    const tn_dtype d = type_in(g, x)->dtype;
    if (dtype_is_int(d) && (op == OP_DIV || op == OP_MOD) && !one_in(g->c, 3))
        op = OP_SUB; /* or too many programs only fail */
    if (op_table[op].cost > 2 && !one_in(g->c, 4))
        op = OP_MUL;
    const value_id y = partner(g, x, d);
    attr zero = attr_of_int(KEY_ON_ZERO, ON_ZERO_ZERO);
    const bool swap = one_in(g->c, 2);
    const value_id in[] = {swap ? y : x, swap ? x : y};
    const bool is_total = op == OP_DIV && dtype_is_int(d) && one_in(g->c, 2);
    (void)put_many(g, op, in, 2, &zero, is_total);
}

static inline value_id add_compare(graph *g, value_id x, value_id y)
{
    attr a = attr_of_int(KEY_DIRECTION, pick(g->c, 6));
    const value_id in[] = {x, y};
    return put_many(g, OP_COMPARE, in, 2, &a, 1);
}

static inline void step_ternary(graph *g)
{
    const value_id x = any_value(g);
    const tn_dtype d = type_in(g, x)->dtype;
    const value_id y = partner(g, x, d);
    if (one_in(g->c, 3)) {
        const value_id in[] = {x, y, partner(g, x, d)};
        (void)put_many(g, OP_CLAMP, in, 3, NULL, 0);
        return;
    }
    const value_id z = partner(g, x, d);
    const value_id in[] = {add_compare(g, x, y), one_in(g->c, 2) ? x : y, z};
    (void)put_many(g, OP_SELECT, in, 3, NULL, 0);
}

static inline void step_cast(graph *g)
{
    (void)cast_to(g, any_value(g), any_dtype(g));
}

static inline value_id add_reduce(graph *g, op_id op, value_id x, const int64_t *axes, uint32_t n,
                                  bool keep)
{
    attr entries[5] = {attr_of_ints(KEY_AXES, axes, n), attr_of_int(KEY_KEEPDIMS, keep)};
    uint32_t n_entries = 2;
    if (x == NO_VALUE)
        return x;
    const tn_dtype d = type_in(g, x)->dtype;
    const scalar init = scalar_of_int(pick(g->c, 3));
    if (one_in(g->c, 12) && op != OP_MEAN)
        entries[n_entries++] = attr_of_scalar(KEY_INIT, &init);
    if (one_in(g->c, 8))
        entries[n_entries++] =
            attr_of_int(KEY_ACCUM_DTYPE, one_in(g->c, 2) ? (int)d : (int)any_dtype(g));
    if (one_in(g->c, 12))
        entries[n_entries++] = attr_of_int(KEY_OUT_DTYPE, any_dtype(g));
    return put1(g, op, x, entries, n_entries);
}

static inline void step_reduce(graph *g)
{
    static const op_id ops[] = {OP_SUM,        OP_SUM,        OP_MEAN,
                                OP_REDUCE_MAX, OP_REDUCE_MIN, OP_REDUCE_PROD};
    int64_t axes[TN_MAX_RANK];
    const value_id x = any_value(g);
    const type *t = type_in(g, x);
    const bool keep = one_in(g->c, 2);
    const uint32_t n = any_axes(g, t, axes);
    const value_id y = add_reduce(g, ops[pick(g->c, 6)], x, axes, n, keep);
    if (one_in(g->c, 3)) /* another one over the same axes */
        (void)add_reduce(g, ops[pick(g->c, 6)], one_in(g->c, 2) ? x : put2(g, OP_MUL, x, x), axes,
                         n, keep);
    if (keep && y != NO_VALUE && one_in(g->c, 2))
        (void)put2(g, one_in(g->c, 2) ? OP_SUB : OP_MUL, cast_to(g, x, type_in(g, y)->dtype), y);
}

static inline void step_softmax(graph *g)
{
    int64_t axes[TN_MAX_RANK];
    const value_id x = float_value(g);
    if (x == NO_VALUE)
        return;
    const uint32_t n = any_axes(g, type_in(g, x), axes);
    attr keep[] = {attr_of_ints(KEY_AXES, axes, n), attr_of_int(KEY_KEEPDIMS, 1)};
    attr again[] = {keep[0], keep[1]};
    if (one_in(g->c, 2)) { /* layer norm */
        const value_id d = put2(g, OP_SUB, x, put1(g, OP_MEAN, x, keep, 2));
        const value_id v = put1(g, OP_MEAN, put2(g, OP_MUL, d, d), again, 2);
        if (v == NO_VALUE)
            return;
        const value_id e = splat_of(g, type_in(g, v)->dtype, NULL, 0, 1e-5);
        (void)put2(g, OP_MUL, d, put1(g, OP_RSQRT, put2(g, OP_ADD, v, e), NULL, 0));
        return;
    }
    const value_id d = put2(g, OP_SUB, x, put1(g, OP_REDUCE_MAX, x, keep, 2));
    const value_id e = put1(g, OP_EXP, d, NULL, 0), s = put1(g, OP_SUM, e, again, 2);
    if (one_in(g->c, 2))
        (void)put2(g, OP_DIV, e, s);
    else
        (void)put2(g, OP_SUB, d, put1(g, OP_LOG, s, NULL, 0));
}

static inline void step_chain(graph *g)
{
    value_id x = any_value(g);
    const uint32_t n = 4 + pick(g->c, 70), kind = pick(g->c, 5);
    if (kind == 4) { /* many reductions over the same rows */
        for (uint32_t i = 0; i < n / 3; i++)
            step_softmax(g);
        return;
    }
    for (uint32_t i = 0; i < n && x != NO_VALUE; i++) {
        const value_id y = kind == 0   ? put2(g, OP_ADD, x, x)
                           : kind == 1 ? put2(g, OP_MAXIMUM, put1(g, OP_NEG, x, NULL, 0), x)
                           : kind == 2 ? put2(g, OP_SUB, x, g->pool[g->n > 3 ? g->n - 3 : 0])
                                       : put2(g, OP_ADD, put2(g, OP_MUL, x, x), x);
        x = y;
    }
}

/* ---- which steps, how often ---- */

static inline void step_region(graph *g);

static inline void random_steps(graph *g)
{
    static const struct {
        uint32_t weight;
        void (*step)(graph *g);
    } steps[] = {{40, step_unary},  {56, step_binary},   {8, step_ternary}, {16, step_cast},
                 {32, step_reduce}, {8, step_softmax},   {40, step_move},   {8, step_concat},
                 {8, step_source},  {16, step_contract}, {16, step_index},  {2, step_chain},
                 {4, step_stages},  {8, step_region}};
    const uint32_t n = (uint32_t)(sizeof steps / sizeof *steps);
    uint32_t all = 0;
    for (uint32_t i = 0; i < n; i++)
        all += steps[i].weight;
    for (uint32_t i = 0; i < g->most.steps; i++) {
        uint32_t at = pick(g->c, all), k = 0;
        while (at >= steps[k].weight)
            at -= steps[k++].weight;
        steps[k].step(g);
    }
}

static inline void choose_outputs(graph *g)
{
    const uint32_t n = 1 + pick(g->c, one_in(g->c, 20) ? 60 : one_in(g->c, 3) ? 8 : 3);
    for (uint32_t i = 0; i < n; i++)
        (void)function_add_output(g->f, one_in(g->c, 3)
                                            ? g->pool[pick(g->c, g->n)]
                                            : g->pool[g->n - 1 - pick(g->c, g->n < 5 ? g->n : 5)]);
}

#endif
