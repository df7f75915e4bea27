/* Random typed programs, made to be hard on the planner: chains and graphs with reuse, reductions
 * over every set of axes, movement of what was computed, contractions with what follows them,
 * regions. What the type rules refuse is left out. Every choice comes from a source, so that a
 * fuzzer can make them. */
#ifndef TEST_GRAPH_RANDOM_H
#define TEST_GRAPH_RANDOM_H

#include "graph_random_regions.h"

static inline void choose_theme(graph *g)
{
    static const tn_dtype common[] = {TN_F32,  TN_F32, TN_F32,  TN_F32, TN_F64,
                                      TN_BF16, TN_F16, TN_SI32, TN_SI64};
    for (uint32_t i = 0; i < 3; i++)
        g->dtypes[i] = i == 0 || one_in(g->c, 2) ? common[pick(g->c, 9)]
                                                 : (tn_dtype)pick(g->c, TN_DTYPE_COUNT);
    static const int64_t extents[] = {1, 2, 3, 4, 5, 8, 16, 17, 31, 32, 33, 64, 65, 100, 3, 2};
    for (uint32_t i = 0; i < 4; i++)
        g->extents[i] = extents[pick(g->c, 16)];
    if (one_in(g->c, 16))
        g->extents[3] = 0;
}

/* Rows that are long enough to be distributed over threads, where the limits allow. */
static inline void add_long_inputs(graph *g)
{
    static const int64_t rows[] = {65536, 65537, 66560, 67001, 70001};
    const int64_t row = rows[pick(g->c, 5)], few = 1 + pick(g->c, 3);
    const int64_t shapes[][3] = {{row, 1, 1}, {few, row, 1}, {row, few, 1}, {257, few, 300}};
    const uint32_t kind = pick(g->c, 4);
    if (row * few <= g->most.elements)
        (void)add_input(g, any_dtype(g), shapes[kind], kind == 0 ? 1 : kind == 3 ? 3 : 2);
    (void)add_input(g, TN_F32, &few, 1);
}

/* A program in F, an empty function. False when there is no memory. */
static inline bool random_program(choices *c, function *f, const graph_limits *most)
{
    graph *g = calloc(1, sizeof *g);
    if (!g)
        return false;
    g->c = c;
    g->f = f;
    g->most = *most;
    choose_theme(g);
    const uint32_t n = 1 + pick(c, 4);
    for (uint32_t i = 0; i < n; i++) {
        int64_t dims[TN_MAX_RANK];
        const uint32_t rank = any_shape(g, dims, GRAPH_MOST_RANK);
        (void)add_input(g, any_dtype(g), dims, rank);
    }
    if (most->elements > 1 << 17 && one_in(c, 2))
        add_long_inputs(g);
    const bool ok = g->n > 0;
    if (ok) {
        if (one_in(c, 6))
            (void)random_product(g);
        random_steps(g);
        choose_outputs(g);
    }
    free(g);
    return ok;
}

#endif
