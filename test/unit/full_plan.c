/* Kernels of random programs, and of those that were once wrong: loop programs in the interpreter
 * against the evaluator, and with LLVM a few by the whole engine. */
#include "api_fixture.h"
#include "graph_random_weights.h"
#include "jit_run.h"
#include "pass/conversions/differentiate.h"
#include "pass/conversions/lower.h"
#include "pass/pass.h"
#include "target/target.h"

enum { PROGRAMS = 1200, COMPILED = 40, STARVED = 24 };

static uint64_t state_of(uint64_t seed)
{
    return seed * UINT64_C(0x9e3779b97f4a7c15);
}

/* A random program in a context of its own. */
static module *new_program(const tn_allocator *allocator, uint64_t seed, int64_t elements,
                           uint32_t steps)
{
    context *cx = context_new(allocator, NULL);
    module *m = cx ? module_new(cx) : NULL;
    function *f = m ? module_add_function(m, "main", 4) : NULL;
    choices c = {.state = state_of(seed)};
    graph_limits most = {.elements = elements, .depth = 2};
    most.steps = 1 + pick(&c, steps);
    most.has_regions = one_in(&c, 4);
    if (f && random_program(&c, f, &most))
        return m;
    module_free(m);
    context_free(cx);
    return NULL;
}

/* What makes a program of one value of interest; NO_VALUE where the type rules refuse it. */
typedef value_id add_fn(graph *g);

/* A program of what ADD makes, in a context of its own, or NULL. */
static module *new_with(add_fn *add, const tn_allocator *allocator, uint64_t seed, int64_t elements)
{
    context *cx = context_new(allocator, NULL);
    module *m = cx ? module_new(cx) : NULL;
    choices c = {.state = state_of(seed)};
    graph g = {.c = &c,
               .f = m ? module_add_function(m, "main", 4) : NULL,
               .most = {.elements = elements, .depth = 1},
               .dtypes = {TN_F32, TN_F64, TN_BF16},
               .extents = {1, 3, 17, 64}};
    const value_id y = g.f ? add(&g) : NO_VALUE;
    if (y != NO_VALUE && function_add_output(g.f, y) == TN_OK)
        return m;
    module_free(m);
    context_free(cx);
    return NULL;
}

static void free_program(module *m)
{
    context *cx = m ? m->cx : NULL;
    module_free(m);
    context_free(cx);
}

/* ---- in the interpreter ---- */

static const char *judge_function(const function *f, uint64_t seed, arena *a, plan_counts *counts)
{
    choices c = {.state = state_of(seed + 1)};
    tensor *in = ARENA_ARRAY(a, tensor, f->inputs.n);
    const char *why = in ? NULL : "no memory";
    eval_run run = {.cx = f->module->cx, .seed = 3, .bytes_limit = UINT64_MAX, .quiet = true};
    for (uint32_t i = 0; in && i < f->inputs.n; i++) {
        const type *t = value_type(f, f->inputs.at[i]);
        size_t bytes = 0;
        const bool is_plain = one_in(&c, 2);
        (void)type_bytes(t, &bytes);
        in[i] = (tensor){t, malloc(bytes + 1)};
        if (in[i].data)
            random_data(&c, t->dtype, is_plain ? DATA_PLAIN : (data_style)pick(&c, DATA_STYLES),
                        in[i].data, t->count);
        else
            why = "no memory";
    }
    if (!why)
        why = judge_plan(f, &run, in, seed, a, counts);
    for (uint32_t i = 0; in && i < f->inputs.n; i++)
        free(in[i].data);
    return why;
}

/* All functions of M, whose regions have kernels of their own. */
/* A random chain of contractions and reductions. */
static module *new_chain(const tn_allocator *allocator, uint64_t seed, int64_t elements)
{
    return new_with(random_stages, allocator, seed, elements);
}

/* A random scan or while that computes element by element. */
static module *new_loop(const tn_allocator *allocator, uint64_t seed, int64_t elements)
{
    return new_with(random_loop, allocator, seed, elements);
}

/* A random contraction of computed operands. */
static module *new_product(const tn_allocator *allocator, uint64_t seed, int64_t elements)
{
    return new_with(random_product, allocator, seed, elements);
}

static void check_module(const module *m, const char *name, uint64_t seed, plan_counts *counts)
{
    arena a;
    arena_init(&a, &memory_system);
    for (uint32_t i = 0; i < m->functions.n; i++) {
        const char *why = judge_function(m->functions.at[i], seed, &a, counts);
        if (!CHECK(why == NULL)) {
            printf("    %s %llu, function %u: %s\n", name, (unsigned long long)seed, (unsigned)i,
                   why);
            print_module(m);
        }
        arena_reset(&a);
    }
    arena_release(&a);
}

static void test_random_programs(void)
{
    plan_counts counts = {0};
    for (uint64_t seed = 1; seed <= PROGRAMS && check_failed == 0; seed++) {
        module *m = new_program(NULL, seed, 3000, 40);
        if (CHECK(m && pass_run_level(m, (int)(seed % 3), false, true, NULL) == TN_OK &&
                  module_lower(m) == TN_OK))
            check_module(m, "seed", seed, &counts);
        free_program(m);
    }
    printf("%u functions, %u kernels, %u reference kernels, %u failed as they should\n",
           counts.programs, counts.kernels, counts.references, counts.failures_agreed);
    CHECK(counts.kernels > PROGRAMS && counts.failures_agreed > 0);
}

/* Chains alone: many of them become stages of one kernel. */
static void test_random_stages(void)
{
    enum { CHAINS = 600 };
    plan_counts counts = {0};
    uint32_t stages = 0;
    for (uint64_t seed = 1; seed <= CHAINS && check_failed == 0; seed++) {
        module *m = new_chain(NULL, seed, 8000);
        arena a;
        kernel_list kernels;
        arena_init(&a, &memory_system);
        if (m && CHECK(kernels_of(module_entry(m), &a, &kernels)))
            for (uint32_t i = 0; i < kernels.n; i++)
                stages += kernels.at[i].n_stages;
        arena_release(&a);
        if (m)
            check_module(m, "chain", seed, &counts);
        free_program(m);
    }
    printf("%u chains, %u kernels, %u stages\n", counts.programs, counts.kernels, stages);
    CHECK(stages > CHAINS);
}

/* Scans and whiles alone: most of them are loops of one kernel. */
static void test_random_loops(void)
{
    enum { LOOPS = 600 };
    plan_counts counts = {0};
    uint32_t in_kernels = 0;
    for (uint64_t seed = 1; seed <= LOOPS && check_failed == 0; seed++) {
        module *m = new_loop(NULL, seed, 8000);
        const function *f = m ? module_entry(m) : NULL;
        for (uint32_t i = 0; f && i < f->nodes.n; i++)
            in_kernels += kernel_runs_regions(f, &f->nodes.at[i]);
        if (m)
            check_module(m, "loop", seed, &counts);
        free_program(m);
    }
    printf("%u functions, %u loops in kernels\n", counts.programs, in_kernels);
    CHECK(in_kernels > LOOPS / 4);
}

/* Contractions alone, of operands that their kernels read through index maps. */
static void test_random_products(void)
{
    enum { PRODUCTS = 10000 };
    plan_counts counts = {0};
    for (uint64_t seed = 1; seed <= PRODUCTS && check_failed == 0; seed++) {
        module *m = new_product(NULL, seed, 3000);
        if (m && CHECK(pass_run_level(m, (int)(seed % 3), false, true, NULL) == TN_OK &&
                       module_lower(m) == TN_OK))
            check_module(m, "product", seed, &counts);
        free_program(m);
    }
    printf("%u products, %u kernels\n", counts.programs, counts.kernels);
    CHECK(counts.kernels > PRODUCTS);
}

/* Weights that are decoded: mostly where the product loads them. */
static void test_random_weights(void)
{
    enum { WEIGHTS = 600 };
    plan_counts counts = {0};
    for (uint64_t seed = 1; seed <= WEIGHTS && check_failed == 0; seed++) {
        module *m = new_with(random_weights, NULL, seed, INT64_C(1) << 20);
        if (m && CHECK(pass_run_level(m, (int)(seed % 3), false, true, NULL) == TN_OK &&
                       module_lower(m) == TN_OK))
            check_module(m, "weights", seed, &counts);
        free_program(m);
    }
    printf("%u products with weights, %u of which are decoded in them\n", counts.programs,
           counts.prologues);
    CHECK(counts.prologues > WEIGHTS / 3);
}

/* The gradient of M's first output that is a float, by every input that is one; M is freed. NULL:
 * there is none. */
static module *gradient_of(module *m, unsigned *refused)
{
    grad_options o = {.seed = 1};
    module *out = NULL;
    const function *f = m ? module_entry(m) : NULL;
    while (f && o.loss < f->outputs.n &&
           !dtype_is_float(dtype_table[function_output_type(f, o.loss)->dtype].part))
        o.loss++;
    if (f && o.loss < f->outputs.n && pass_run_level(m, 0, false, true, NULL) == TN_OK) {
        const tn_status s = differentiate(m, &o, &out);
        CHECK(s == TN_OK || s == TN_ERR_REJECTED);
        *refused += s != TN_OK;
    }
    if (!out) {
        free_program(m);
        return NULL;
    }
    module_free(m);
    return out;
}

/* Gradients of products, of scans and of programs of all kinds. */
static void test_random_gradients(void)
{
    enum { GRADIENTS = 1500 };
    plan_counts counts = {0};
    unsigned refused = 0;
    for (uint64_t seed = 1; seed <= GRADIENTS && check_failed == 0; seed++) {
        module *m = seed % 4 == 0   ? new_program(NULL, seed, 1000, 12)
                    : seed % 4 == 1 ? new_loop(NULL, seed, 1000)
                                    : new_product(NULL, seed, 1000);
        m = gradient_of(m, &refused);
        if (m && CHECK(pass_run_level(m, (int)(seed % 3), false, true, NULL) == TN_OK &&
                       module_lower(m) == TN_OK))
            check_module(m, "gradient", seed, &counts);
        free_program(m);
    }
    printf("%u functions, %u kernels of gradients, %u refused\n", counts.programs, counts.kernels,
           refused);
    CHECK(counts.kernels > GRADIENTS);
}

/* ---- once wrong ---- */

typedef struct bench {
    graph g;
    choices none;
} bench;

static bool bench_open(bench *t)
{
    context *cx = context_new(NULL, NULL);
    module *m = cx ? module_new(cx) : NULL;
    *t = (bench){.g.most.elements = INT64_MAX};
    t->g.c = &t->none; /* all choices are 0 */
    t->g.f = m ? module_add_function(m, "main", 4) : NULL;
    return CHECK(t->g.f != NULL);
}

/* Check and free the program, whose results are OUT. */
static void bench_close(bench *t, const char *name, const value_id *out, uint32_t n)
{
    plan_counts counts = {0};
    module *m = t->g.f->module;
    bool ok = true;
    for (uint32_t i = 0; i < n; i++)
        ok = ok && CHECK(out[i] != NO_VALUE) && function_add_output(t->g.f, out[i]) == TN_OK;
    if (CHECK(ok))
        for (uint64_t seed = 1; seed <= 4; seed++)
            check_module(m, name, seed, &counts);
    free_program(m);
}

static value_id reduced(graph *g, op_id op, value_id x, int64_t axis)
{
    attr e[] = {attr_of_ints(KEY_AXES, &axis, 1), attr_of_int(KEY_KEEPDIMS, 1)};
    return put1(g, op, x, e, 2);
}

/* The vectors of a matrix product with one column run along its rows. */
static void test_one_column(void)
{
    const int64_t a[] = {32, 17}, b[] = {17, 1};
    bench t;
    if (!bench_open(&t))
        return;
    graph *g = &t.g;
    const value_id y = put2(g, OP_DOT, add_input(g, TN_F32, a, 2), add_input(g, TN_F32, b, 2));
    const value_id z = put1(g, OP_ABS, put2(g, OP_MUL, y, y), NULL, 0);
    bench_close(&t, "one column", &z, 1);
}

/* What is kept between passes is also wanted where there is no loop. */
static void test_rows_of_one(void)
{
    const int64_t one = 1;
    bench t;
    if (!bench_open(&t))
        return;
    graph *g = &t.g;
    const value_id x = put1(g, OP_RSQRT, add_input(g, TN_F32, &one, 1), NULL, 0);
    const value_id y = put2(g, OP_SUB, x, reduced(g, OP_REDUCE_MAX, x, 0));
    bench_close(&t, "rows of one", &y, 1);
}

/* A reshape that one kernel contains and another needs in memory is no reason for the first to wait
 * for itself. */
static void test_shared_reshape(void)
{
    const int64_t four = 4;
    bench t;
    if (!bench_open(&t))
        return;
    graph *g = &t.g;
    attr shape = attr_of_ints(KEY_SHAPE, &four, 1), axis = attr_of_int(KEY_AXIS, 0);
    const value_id e = put1(g, OP_EXP, add_input(g, TN_F32, &four, 1), NULL, 0);
    const value_id r = put1(g, OP_RESHAPE, e, &shape, 1);
    attr top[] = {attr_of_int(KEY_K, 2), axis, attr_of_int(KEY_LARGEST, 1),
                  attr_of_int(KEY_INDEX_DTYPE, TN_SI32)};
    const value_id out[] = {put2(g, OP_MUL, r, r), put1(g, OP_TOP_K, r, top, 4)};
    bench_close(&t, "shared reshape", out, 2);
}

/* The elements of long rows are not stored by the kernel that distributes their blocks. */
static void test_long_rows(void)
{
    const int64_t dims[] = {65537, 2};
    bench t;
    if (!bench_open(&t))
        return;
    graph *g = &t.g;
    const value_id x = put1(g, OP_RECIPROCAL, add_input(g, TN_F32, dims, 2), NULL, 0);
    const value_id out[] = {reduced(g, OP_REDUCE_MAX, x, 0), x};
    bench_close(&t, "long rows", out, 2);
}

/* A kernel that is full does not move to the positions of a reduction. */
static void test_full_kernel(void)
{
    const int64_t dims[] = {65, 17};
    bench t;
    if (!bench_open(&t))
        return;
    graph *g = &t.g;
    value_id x = reduced(g, OP_REDUCE_MAX, add_input(g, TN_F32, dims, 2), 0);
    for (int i = 0; i < 32; i++)
        x = put2(g, OP_ADD, x, put2(g, OP_MUL, x, x));
    kernel_list kernels;
    arena a;
    arena_init(&a, &memory_system);
    (void)function_add_output(g->f, x);
    CHECK(kernels_of(g->f, &a, &kernels));
    for (uint32_t i = 0; i < kernels.n; i++)
        CHECK(kernels.at[i].kind == KERNEL_ROWS || kernels.at[i].dims[0] == 1);
    arena_release(&a);
    bench_close(&t, "full kernel", &x, 1);
}

/* More results and reductions than one kernel holds: there are several, and none is refused. */
static void test_much(void)
{
    enum { RESULTS = 40 };
    const int64_t dims[] = {3, 8}, axis = 1;
    value_id out[RESULTS];
    bench t;
    if (!bench_open(&t))
        return;
    graph *g = &t.g;
    value_id x = add_input(g, TN_F32, dims, 2);
    for (int i = 0; i < RESULTS; i++)
        out[i] = x = put1(g, i % 2 ? OP_TANH : OP_EXP, x, NULL, 0);
    bench_close(&t, "many results", out, RESULTS);
    if (!bench_open(&t))
        return;
    g = &t.g;
    x = add_input(g, TN_F32, dims, 2);
    for (int i = 0; i < RESULTS / 2; i++)
        x = put2(g, OP_SUB, x, reduced(g, OP_SUM, x, axis));
    bench_close(&t, "many reductions", &x, 1);
    if (!bench_open(&t))
        return;
    g = &t.g;
    const int64_t square[] = {8, 8};
    x = put2(g, OP_DOT, add_input(g, TN_F32, dims, 2), add_input(g, TN_F32, square, 2));
    for (int i = 0; i < 60; i++)
        x = put2(g, OP_ADD, x, add_input(g, TN_F32, dims, 2));
    bench_close(&t, "many operands", &x, 1);
}

/* A complex product rounds a.re * b.im before it adds a.im * b.re, whichever operand is A of the
 * kernel: the one with windows, or the one whose positions are side by side in the result. */
static void test_complex_products(void)
{
    const int64_t x[] = {2, 4, 9, 3}, w[] = {6, 5}, first[] = {0}, last[] = {3};
    const int64_t window[] = {1, 2}, ones[] = {1, 1}, none[] = {0, 0}, border[] = {0, 0, 1, 1};
    const int64_t image[] = {2, 3, 9}, filter[] = {5, 3, 1}, axes[] = {0, 1, 2};
    const scalar zero = scalar_of_int(0);
    bench t;
    if (!bench_open(&t))
        return;
    graph *g = &t.g;
    attr patches[] = {attr_of_ints(KEY_WINDOW, window, 2), attr_of_ints(KEY_STRIDES, ones, 2),
                      attr_of_ints(KEY_DILATION, ones, 2), attr_of_ints(KEY_PADS, border, 4),
                      attr_of_scalar(KEY_PAD_VALUE, &zero)};
    const value_id from = add_input(g, TN_CF32, x, 4), of_w = add_input(g, TN_CF32, w, 2);
    const value_id rows = put_many(g, OP_EXTRACT_PATCHES, &from, 1, patches, 5);
    const value_id left[] = {of_w, rows}, right[] = {rows, of_w};
    attr of_left[] = {attr_of_ints(KEY_CONTRACT_LHS, first, 1),
                      attr_of_ints(KEY_CONTRACT_RHS, last, 1)};
    attr of_right[] = {attr_of_ints(KEY_CONTRACT_LHS, last, 1),
                       attr_of_ints(KEY_CONTRACT_RHS, first, 1)};
    attr conv[] = {attr_of_ints(KEY_STRIDES, ones, 1),
                   attr_of_ints(KEY_PADS, none, 2),
                   attr_of_ints(KEY_BASE_DILATION, ones, 1),
                   attr_of_ints(KEY_DILATION, ones, 1),
                   attr_of_int(KEY_GROUPS, 1),
                   attr_of_int(KEY_BATCH_GROUPS, 1),
                   attr_of_ints(KEY_LHS_AXES, axes, 3),
                   attr_of_ints(KEY_OUT_AXES, axes, 3)};
    const value_id channels = add_input(g, TN_CF32, image, 3),
                   of_conv = add_input(g, TN_CF32, filter, 3);
    const value_id both[] = {channels, of_conv};
    const value_id out[] = {put_many(g, OP_DOT_GENERAL, left, 2, of_left, 2),
                            put_many(g, OP_DOT_GENERAL, right, 2, of_right, 2),
                            put_many(g, OP_CONVOLUTION, both, 2, conv, 8)};
    bench_close(&t, "complex products", out, 3);
}

/* ---- what becomes stages ---- */

/* Softmax of the product of X and Y, both inputs, times Z. */
typedef struct attention {
    value_id scores, weights, y;
} attention;

static attention add_attention(graph *g, int64_t heads, int64_t s, int64_t t, int64_t d)
{
    const int64_t q[] = {heads, s, d}, k[] = {heads, d, t}, v[] = {heads, t, d}, last = 2;
    attention a;
    a.scores = put2(g, OP_MATMUL, add_input(g, TN_F32, q, 3), add_input(g, TN_F32, k, 3));
    const value_id top = reduced(g, OP_REDUCE_MAX, a.scores, last);
    const value_id e = put1(g, OP_EXP, put2(g, OP_SUB, a.scores, top), NULL, 0);
    a.weights = put2(g, OP_DIV, e, reduced(g, OP_SUM, e, last));
    a.y = put2(g, OP_MATMUL, a.weights, add_input(g, TN_F32, v, 3));
    return a;
}

/* Why V is in memory where a kernel of LIST reads it; NULL: none does. */
static const char *why_read(const kernel_list *list, value_id v)
{
    for (uint32_t i = 0; i < list->n; i++)
        for (uint32_t k = 0; k < list->at[i].n_edges; k++)
            if (list->at[i].edges[k].value == v)
                return list->at[i].edges[k].why;
    return NULL;
}

/* The kernels of attention of these sizes, whose weights are a result, too, with SHOWN: STAGES of
 * them in the largest, and the weights read for a reason that has WHY in it (NULL: not read). */
static void check_stages(int64_t heads, int64_t s, int64_t t, int64_t d, bool shown,
                         uint32_t stages, const char *why)
{
    kernel_list list;
    arena a;
    bench b;
    uint32_t most = 0;
    if (!bench_open(&b))
        return;
    const attention x = add_attention(&b.g, heads, s, t, d);
    arena_init(&a, &memory_system);
    CHECK(function_add_output(b.g.f, x.y) == TN_OK &&
          (!shown || function_add_output(b.g.f, x.weights) == TN_OK));
    if (CHECK(kernels_of(b.g.f, &a, &list))) {
        for (uint32_t i = 0; i < list.n; i++)
            most = list.at[i].n_stages > most ? list.at[i].n_stages : most;
        const char *have = why_read(&list, x.weights);
        CHECK_INT(most, stages);
        CHECK(why ? have && strstr(have, why) : !have);
    }
    arena_release(&a);
    free_program(b.g.f->module);
}

static void test_stages(void)
{
    check_stages(12, 128, 128, 64, false, 3, NULL);
    check_stages(12, 1024, 1024, 64, false, 3, NULL);
    check_stages(12, 1, 2048, 64, false, 3, NULL); /* a step of decoding */
    check_stages(2, 20, 33, 8, true, 2, "operands of a contraction");
    check_stages(4, 14, 8192, 128, false, 0, "too few blocks");
    check_stages(12, 64, 20000, 64, false, 0, "too large to be passed");
    check_stages(1, 128, 4096, 2048, false, 0, "read again");
}

/* ---- compiled ---- */

static void test_compiled(void)
{
    jit_counts counts = {0};
    arena a;
    arena_init(&a, &memory_system);
    if (!target_llvm_is_installed())
        printf("no LLVM: nothing is compiled\n");
    for (uint64_t seed = 1; seed <= COMPILED && target_llvm_is_installed(); seed++) {
        const tn_compile_options o = {.engine = "jit",
                                      .threads = 8,
                                      .level = (tn_level)(TN_LEVEL_0 + (int)(seed % 3)),
                                      .cpu = seed % 2 ? NULL : "x86-64-v2"};
        module *m = seed % 2   ? NULL
                    : seed % 4 ? new_chain(NULL, seed, 8000)
                               : new_loop(NULL, seed, 8000);
        if (seed % 5 == 0) {
            free_program(m);
            m = new_with(random_weights, NULL, seed, 8000);
        }
        if (!m)
            m = new_program(NULL, seed, 3000, 20);
        const char *why = m ? judge_jit(m, &o, seed, &a, &counts) : "no program";
        if (!CHECK(why == NULL))
            printf("    seed %llu: %s\n", (unsigned long long)seed, why);
        free_program(m);
        arena_reset(&a);
    }
    arena_release(&a);
    CHECK(!target_llvm_is_installed() || counts.kernels > COMPILED / 2);
}

/* Attention whose keys and values do not stay in a cache: several blocks of rows meet them. */
static void test_compiled_attention(void)
{
    const int64_t q[] = {2, 230, 32}, kt[] = {2, 32, 2100}, v[] = {2, 2100, 24}, axis = 2;
    jit_counts counts = {0};
    arena a;
    bench t;
    if (!target_llvm_is_installed() || !bench_open(&t))
        return;
    graph *g = &t.g;
    const value_id s = put2(g, OP_MATMUL, add_input(g, TN_F32, q, 3), add_input(g, TN_F32, kt, 3));
    const value_id scaled = put2(g, OP_MUL, s, splat_of(g, TN_F32, NULL, 0, 0.125));
    const value_id e =
        put1(g, OP_EXP, put2(g, OP_SUB, scaled, reduced(g, OP_REDUCE_MAX, scaled, axis)), NULL, 0);
    const value_id p = put2(g, OP_DIV, e, reduced(g, OP_SUM, e, axis));
    const value_id y = put2(g, OP_MATMUL, p, add_input(g, TN_F32, v, 3));
    arena_init(&a, &memory_system);
    if (CHECK(y != NO_VALUE) && CHECK_INT(function_add_output(g->f, y), TN_OK)) {
        const tn_compile_options o = {.engine = "jit", .threads = 3};
        const char *why = judge_jit(t.g.f->module, &o, 1, &a, &counts);
        if (!CHECK(why == NULL))
            printf("    attention: %s\n", why);
        CHECK(counts.kernels <= 3); /* two that pack, and the stages */
    }
    arena_release(&a);
    free_program(t.g.f->module);
}

/* ---- without memory ---- */

/* What a run that had enough memory after all gave. */
static void check_results(const tn_program *p, jit_data *d)
{
    const function *f = d->f;
    eval_run run = {.cx = p->cx, .seed = 3, .bytes_limit = UINT64_MAX, .quiet = true};
    CHECK_INT(evaluate(&run, f, d->in, d->want), TN_OK);
    for (uint32_t i = 0; i < f->outputs.n; i++) {
        const type *t = value_type(f, f->outputs.at[i]);
        size_t bytes = 0;
        int64_t at;
        (void)type_bytes(t, &bytes);
        CHECK(same_elements(t->dtype, d->to[i].data, d->want[i].data, t->count, &at));
        memory_free(&p->cx->allocator, d->want[i].data, bytes);
    }
}

/* Compile and run a program; its status. REQUESTS counts from the compilation on. */
static tn_status starve(uint64_t seed, unsigned fail_at, bool once, meter *mt)
{
    const tn_allocator counting = {metered, mt};
    *mt = (meter){0};
    module *m = seed % 3 ? new_program(&counting, seed, 600, 14) : new_chain(&counting, seed, 600);
    tn_module outer = {m};
    tn_program *p = NULL;
    arena a;
    jit_data d = {0};
    choices c = {.state = state_of(seed)};
    const unsigned base = mt->requests;
    unsigned requests = 0;
    mt->fail_at = fail_at ? base + fail_at : 0;
    mt->fail_once = once;
    tn_status s =
        m ? tn_program_compile(&outer, &(tn_compile_options){.engine = "jit", .threads = 2}, &p)
          : TN_ERR_NOMEM;
    arena_init(&a, &memory_system);
    const function *f = s == TN_OK ? module_entry(p->graph) : NULL;
    if (f && CHECK(jit_fill(&d, f, &c, &a))) {
        for (uint32_t i = 0; i < f->inputs.n; i++)
            d.from[i].type = p->inputs[i].type;
        s = tn_program_run(p, d.from, f->inputs.n, d.to, f->outputs.n,
                           &(tn_run_options){.seed = 3});
        requests = mt->requests;
        mt->fail_at = 0;
        if (s == TN_OK)
            check_results(p, &d);
        for (uint32_t i = 0; s == TN_OK && i < f->outputs.n; i++)
            tn_buffer_release(p, &d.to[i]);
        for (uint32_t i = 0; i < f->inputs.n; i++)
            free(d.memory[i]);
    }
    mt->fail_at = 0;
    mt->requests = (requests > base ? requests : mt->requests) - base;
    arena_release(&a);
    tn_program_free(p);
    free_program(m);
    return s;
}

static void test_without_memory(void)
{
    enum { TRIES = 40 };
    meter mt;
    for (uint64_t seed = 1; seed <= STARVED; seed++) {
        const tn_status whole = starve(seed, 0, false, &mt);
        const unsigned n = mt.requests;
        for (unsigned k = 1; k <= n; k += n / TRIES + 1) {
            const tn_status s = starve(seed, k, k % 2 == 0, &mt);
            if (!CHECK(mt.alive == 0 && mt.wrong == 0 && (s == whole || s == TN_ERR_NOMEM)))
                printf("    seed %llu, request %u of %u: status %d, %zu bytes left\n",
                       (unsigned long long)seed, k, n, (int)s, mt.alive);
        }
    }
}

int main(void)
{
    test_one_column();
    test_rows_of_one();
    test_shared_reshape();
    test_long_rows();
    test_full_kernel();
    test_much();
    test_complex_products();
    test_stages();
    test_random_stages();
    test_random_loops();
    test_random_products();
    test_random_weights();
    test_random_gradients();
    test_random_programs();
    test_compiled();
    test_compiled_attention();
    test_without_memory();
    return check_result();
}
