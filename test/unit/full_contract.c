/* Contractions as loop programs against the evaluator, bit for bit. */
#include "contract_run.h"
#include "ops_case.h"

#include <math.h>

#include "scalar/dtype.h"

enum { MOST_CPUS = 4 };

/* Where the programs run: in the interpreter as for this machine, or compiled for a CPU. */
typedef struct place {
    const char *cpu; /* NULL: the interpreter */
    machine on;
} place;

static place places[8];
static uint32_t n_places;
static bool thorough; /* the interpreter is slow */

static void find_places(void)
{
    places[n_places++] = (place){NULL, machine_of(NULL, "x86-64-v4")};
    places[n_places++] = (place){NULL, machine_of(NULL, "x86-64-v3")};
    places[n_places++] = (place){NULL, machine_of("x86_64-linux-gnu", "cascadelake")};
    if (!target_llvm_is_installed())
        return;
#if defined(__x86_64__)
    places[n_places++] = (place){"native", machine_of(NULL, NULL)};
    places[n_places++] = (place){"x86-64-v2", machine_of(NULL, "x86-64-v2")};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        places[n_places++] = (place){"x86-64-v3", machine_of(NULL, "x86-64-v3")};
#else
    places[n_places++] = (place){"native", machine_of(NULL, NULL)};
#endif
}

/* Numbers that show every order of operations: of many magnitudes, some zeros of both signs. */
static void fill(tn_dtype d, void *data, size_t n, uint64_t *state)
{
    const size_t parts = dtype_is_complex(d) ? 2 : 1;
    const tn_dtype part = dtype_table[d].part;
    for (size_t i = 0; i < n * parts; i++) {
        char *to = (char *)data + i * dtype_bytes(part);
        const uint64_t r = next_random(state);
        if (dtype_is_float(part)) {
            double x = random_real(state);
            if (part == TN_F16 || dtype_bytes(part) == 1)
                x = x / 1000;
            if (r % 16 == 0)
                x = r % 32 == 0 ? -0.0 : 0.0;
            (void)scalar_store(scalar_of_float(x), part, to);
        } else {
            memcpy(to, &r, dtype_bytes(part));
        }
    }
    /* 4-bit integers are stored proper. */
    if (dtype_table[d].bits < 8)
        dtype_narrow(d, data, data, n);
}

static bool same(tn_dtype d, const char *have, const char *want, size_t n)
{
    const size_t parts = dtype_is_complex(d) ? 2 : 1;
    const tn_dtype part = dtype_table[d].part;
    const size_t bytes = dtype_bytes(part);
    for (size_t i = 0; i < n * parts; i++) {
        if (memcmp(have + i * bytes, want + i * bytes, bytes) == 0)
            continue;
        if (dtype_is_float(part)) {
            const double x = scalar_load(part, have + i * bytes).f;
            const double y = scalar_load(part, want + i * bytes).f;
            if (x != x && y != y)
                continue;
            printf("    element %zu of %zu: have %a, want %a\n", i, n * parts, x, y);
        } else {
            printf("    element %zu of %zu differs\n", i, n * parts);
        }
        return false;
    }
    return true;
}

static context *shared;
static uint32_t n_compared;

/* SPEC on the operands of C gives C's result, everywhere, however it is cut. */
static void compare(const contract_spec *spec, ops_case *c, const void *a, const void *b)
{
    const size_t n = (size_t)c->out.type->count;
    const tn_dtype d = c->out.type->dtype;
    const size_t bytes = n * dtype_bytes(d);
    char *out = malloc(bytes + 64);
    double work = (double)n;
    for (uint32_t i = 0; i < spec->n_k; i++)
        work *= (double)spec->k[i].extent;
    for (uint32_t i = 0; i < n_places; i++) {
        const bool interpreted = places[i].cpu == NULL;
        /* The interpreter is slow, and so is compiling: take turns. */
        if (interpreted ? work > 4e4 && !thorough : !thorough && n_compared % 12 != 4 * (i - 3))
            continue;
        /* Small caches give the other schedules. */
        static const uint32_t caches[] = {1 << 20, 16384, 1024};
        machine on = places[i].on;
        on.l2 = caches[(n_compared + i) % 3];
        arena memory;
        contract_plan plan;
        contract_code made = {NULL, {NULL}};
        const char *fault;
        arena_init(&memory, &memory_system);
        char *buffers[CONTRACT_MORE + 1] = {(char *)(uintptr_t)a, (char *)(uintptr_t)b, out};
        if (!CHECK(contract_build(spec, &on, &memory, &plan, &fault)))
            printf("    fault: %s\n", fault ? fault : "none");
        else if (!interpreted && !CHECK(contract_compile(&made, shared, &plan, places[i].cpu)))
            diag_flush(&shared->diag);
        else
            for (int64_t pieces = 1; pieces <= (interpreted ? 1 : 3); pieces += 2) {
                memset(out, 0x5a, bytes + 64);
                if (!CHECK(contract_run(&plan, &made, buffers, pieces)) ||
                    !CHECK(same(d, out, c->out.data, n)))
                    printf("    on %s, %s, %" PRId64 " pieces\n",
                           interpreted ? "the interpreter" : places[i].cpu, plan.how, pieces);
                size_t intact = 0; /* memory after the result */
                while (intact < 64 && out[bytes + intact] == 0x5a)
                    intact++;
                CHECK_INT(intact, 64);
            }
        code_free(made.code);
        arena_release(&memory);
    }
    n_compared++;
    free(out);
}

typedef struct matrix_case {
    tn_dtype in, sum, out;
    int64_t batch, m, n, k;
    matrix_layout a, b;
    bool is_constant;
} matrix_case;

static void matrix_dims(dim *dims, int64_t batch, int64_t rows, int64_t k, matrix_layout l,
                        bool is_b)
{
    const dim lists[3][3] = {
        {batch, rows, k}, {batch, k, rows}, {is_b ? k : rows, batch, is_b ? rows : k}};
    memcpy(dims, lists[l], sizeof lists[l]);
}

static void test_matrix(matrix_case t)
{
    uint64_t state = (uint64_t)(t.m * 31 + t.n * 17 + t.k);
    const size_t n_a = (size_t)(t.batch * t.m * t.k), n_b = (size_t)(t.batch * t.n * t.k);
    void *a = malloc(n_a * dtype_bytes(t.in) + 1), *b = malloc(n_b * dtype_bytes(t.in) + 1);
    dim dims[3];
    ops_case c;
    contract_spec *spec = calloc(1, sizeof *spec);
    fill(t.in, a, n_a, &state);
    fill(t.in, b, n_b, &state);
    ops_case_init(&c);
    matrix_dims(dims, t.batch, t.m, t.k, t.a, false);
    ops_case_operand(&c, t.in, a, dims, 3);
    matrix_dims(dims, t.batch, t.n, t.k, t.b, true);
    ops_case_operand(&c, t.in, b, dims, 3);
    const int64_t batch_a = t.a == LAYOUT_BATCH_INNER, batch_b = t.b == LAYOUT_BATCH_INNER;
    const int64_t k_a = t.a == LAYOUT_K_INNER ? 1 : 2;
    const int64_t k_b = t.b == LAYOUT_K_LAST ? 2 : t.b == LAYOUT_K_INNER ? 1 : 0;
    ops_case_ints(&c, KEY_BATCH_LHS, &batch_a, 1);
    ops_case_ints(&c, KEY_BATCH_RHS, &batch_b, 1);
    ops_case_ints(&c, KEY_CONTRACT_LHS, &k_a, 1);
    ops_case_ints(&c, KEY_CONTRACT_RHS, &k_b, 1);
    if (t.sum != dtype_compute(t.in))
        ops_case_int(&c, KEY_ACCUM_DTYPE, t.sum);
    if (t.out != t.in)
        ops_case_int(&c, KEY_OUT_DTYPE, t.out);
    if (CHECK(ops_case_run(&c, OP_DOT_GENERAL))) {
        *spec = (contract_spec){
            .a = t.in, .b = t.in, .sum = t.sum, .c = t.out, .b_is_constant = t.is_constant};
        matrix_spec(spec, t.batch, t.m, t.n, t.k, t.a, t.b);
        const unsigned long failed = check_failed;
        compare(spec, &c, a, b);
        if (failed != check_failed)
            printf("    %s: batch %" PRId64 ", %" PRId64 " x %" PRId64 " x %" PRId64
                   ", layouts %d %d\n",
                   dtype_name(t.in), t.batch, t.m, t.n, t.k, t.a, t.b);
    } else {
        printf("    %s %s\n", c.kind, c.message);
    }
    ops_case_free(&c);
    free(spec);
    free(a);
    free(b);
}

static void test_shapes(void)
{
    static const int64_t shapes[][3] = {
        {1, 1, 1},      {1, 16, 16},
        {2, 3, 5},      {14, 32, 8},
        {13, 31, 9},    {15, 33, 255},
        {3, 17, 256},   {5, 40, 257},
        {29, 65, 300},  {1, 300, 70},
        {1, 48, 513},   {40, 1, 33},
        {1, 1200, 70},  {3, 1037, 261},
        {4, 130, 1030}, {2, 2080, 64}, /* swept */
        {7, 2, 20},     {4, 100, 31},
        {64, 64, 64},   {8, 16, 1030},
        {100, 10, 50},  {2, 520, 34},
        {6, 47, 1},     {0, 3, 4},
        {3, 0, 4},      {3, 4, 0},
        {30, 48, 77},   {9, 90, 100},
        {37, 131, 530}, {9, 200, 259},
        {131, 70, 20},  {70, 64, 513} /* tiles */,
        {49, 40, 20},   {83, 24, 300},
        {97, 17, 33},   {95, 64, 300} /* blocks that repeat rows */};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int l = 0; l < 9; l++)
            if (thorough || l < 4 || l == 8)
                test_matrix((matrix_case){TN_F32, TN_F32, TN_F32, 1, shapes[i][0], shapes[i][1],
                                          shapes[i][2], (matrix_layout)(l % 3),
                                          (matrix_layout)(l / 3), i % 2 == 0});
    for (int l = 0; l < 9; l++)
        test_matrix((matrix_case){TN_F32, TN_F32, TN_F32, 3, 17, 35, 40, (matrix_layout)(l % 3),
                                  (matrix_layout)(l / 3), false});
    for (int l = 0; l < 12; l++) /* a large B, swept or in panels of its own width */
        test_matrix((matrix_case){TN_F32, TN_F32, TN_F32, 1 + l % 2, 1 + l % 4, 1037, 261, 0,
                                  (matrix_layout)(l / 4), true});
    for (int64_t m = 5; m <= 17; m += 4) /* a larger B, swept for more rows */
        test_matrix((matrix_case){TN_F32, TN_F32, TN_F32, 1, m, 2045, 259, 0, 0, m == 9});
    static const int64_t swept_rows[] = {1, 3, 6, 31, 67, 128};
    for (size_t i = 0; i < sizeof swept_rows / sizeof *swept_rows; i++)
        test_matrix((matrix_case){TN_F32, TN_F32, TN_F32, 1, swept_rows[i], 1093, 515,
                                  (matrix_layout)(i % 3), 0, i % 2 == 0});
    for (int64_t m = 5; m <= 33; m += 7) /* ... whose rows are contiguous, not its columns */
        test_matrix((matrix_case){TN_F32, TN_F32, TN_F32, 1, m, 1093, 515, (matrix_layout)(m % 3),
                                  1, m % 2 == 0});
    for (int64_t m = 1; m <= 4; m++) { /* few rows by vectors of columns side by side */
        test_matrix((matrix_case){TN_F32, TN_F32, TN_F32, 1, m, 45, 530, 0, 1, false});
        test_matrix((matrix_case){TN_F64, TN_F64, TN_F64, 2, m, 29, 301, 0, 1, false});
    }
    test_matrix((matrix_case){TN_F64, TN_F64, TN_F64, 2, 9, 261, 1030, 0, 1, false});
    test_matrix((matrix_case){TN_BF16, TN_F32, TN_BF16, 1, 19, 1041, 512, 0, 0, false});
    test_matrix((matrix_case){TN_F64, TN_F64, TN_F64, 1, 21, 1030, 261, 0, 0, false});
    test_matrix((matrix_case){TN_F64, TN_F64, TN_F64, 2, 16, 1030, 300, 1, 0, false});
    test_matrix((matrix_case){TN_F32, TN_F32, TN_F32, 5, 1, 64, 20, 0, 1, false});
    test_matrix((matrix_case){TN_F32, TN_F32, TN_F32, 2, 70, 64, 64, 2, 2, false});
}

static void test_dtypes(void)
{
    static const tn_dtype sums[][3] = {
        {TN_F64, TN_F64, TN_F64},      {TN_BF16, TN_F32, TN_BF16},
        {TN_F16, TN_F32, TN_F16},      {TN_F16, TN_F32, TN_F32},
        {TN_BF16, TN_BF16, TN_F32},    {TN_F32, TN_F64, TN_F32},
        {TN_SI8, TN_SI32, TN_SI32},    {TN_UI8, TN_SI32, TN_SI8},
        {TN_SI4, TN_SI4, TN_SI4},      {TN_UI4, TN_UI32, TN_UI4},
        {TN_SI16, TN_SI16, TN_SI16},   {TN_UI16, TN_UI64, TN_UI16},
        {TN_SI32, TN_SI32, TN_SI32},   {TN_SI64, TN_SI64, TN_SI64},
        {TN_SI8, TN_SI8, TN_SI8},      {TN_FP8_E4M3, TN_F32, TN_FP8_E4M3},
        {TN_FP8_E5M2, TN_F32, TN_F32}, {TN_CF32, TN_CF32, TN_CF32},
        {TN_CF64, TN_CF64, TN_CF64}};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        for (int l = 0; l < 4; l++) {
            const matrix_case c = {sums[i][0],     sums[i][1], sums[i][2], 2,
                                   l < 2 ? 17 : 1, 37,         270,        l % 2 ? 1 : 0,
                                   l / 2 ? 0 : 1,  false};
            test_matrix(c);
        }
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        test_matrix((matrix_case){sums[i][0], sums[i][1], sums[i][2], 1, 20, 1, 30, 0, 0, false});
}

/* Short integers, which are multiplied in pairs where K is even, or in fours where they are bytes
 * with a sign and the machine has it. */
static void test_pairs(void)
{
    static const tn_dtype operands[] = {TN_SI4, TN_UI4, TN_SI8, TN_UI8, TN_SI16};
    static const int64_t shapes[][3] = {{13, 9, 2},    {17, 33, 30},  {14, 40, 31}, {40, 17, 256},
                                        {29, 65, 526}, {70, 64, 514}, {5, 40, 34},  {131, 70, 20},
                                        {33, 50, 36},  {16, 33, 1100}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int l = 0; l < 9; l++)
            test_matrix((matrix_case){operands[(i + (size_t)l) % 5], l % 2 ? TN_SI32 : TN_UI32,
                                      l % 2 ? TN_SI32 : TN_UI32, 1 + l % 2, shapes[i][0],
                                      shapes[i][1], shapes[i][2], (matrix_layout)(l % 3),
                                      (matrix_layout)(l / 3), i % 2 == 0});
}

typedef struct conv_case {
    int64_t n, h, w, ci, kh, kw, co, stride_h, stride_w;
    int64_t pads[4]; /* top, bottom, left, right */
    tn_dtype dtype;
} conv_case;

static void test_conv(const conv_case *t)
{
    uint64_t state = (uint64_t)(t->h * 7 + t->co);
    const dim x_dims[] = {t->n, t->h, t->w, t->ci}, w_dims[] = {t->kh, t->kw, t->ci, t->co};
    const size_t n_x = (size_t)(t->n * t->h * t->w * t->ci);
    const size_t n_w = (size_t)(t->kh * t->kw * t->ci * t->co);
    void *x = malloc(n_x * dtype_bytes(t->dtype) + 1), *w = malloc(n_w * dtype_bytes(t->dtype) + 1);
    contract_spec *spec = calloc(1, sizeof *spec);
    const int64_t strides[] = {t->stride_h, t->stride_w};
    ops_case c;
    fill(t->dtype, x, n_x, &state);
    fill(t->dtype, w, n_w, &state);
    ops_case_init(&c);
    ops_case_operand(&c, t->dtype, x, x_dims, 4);
    ops_case_operand(&c, t->dtype, w, w_dims, 4);
    ops_case_ints(&c, KEY_STRIDES, strides, 2);
    ops_case_int(&c, KEY_PADDING, PADDING_CUSTOM);
    ops_case_ints(&c, KEY_PADS, t->pads, 4);
    if (CHECK(ops_case_run(&c, OP_CONV2D))) {
        const tn_dtype sum = dtype_compute(t->dtype);
        *spec = (contract_spec){.a = t->dtype, .b = t->dtype, .sum = sum, .c = t->dtype};
        const conv_shape s = {t->n,
                              t->h,
                              t->w,
                              t->ci,
                              t->kh,
                              t->kw,
                              t->co,
                              t->stride_h,
                              t->stride_w,
                              t->pads[0],
                              t->pads[2],
                              c.out.type->dims[1],
                              c.out.type->dims[2]};
        conv_spec(spec, &s);
        const unsigned long failed = check_failed;
        compare(spec, &c, x, w);
        if (failed != check_failed)
            printf("    convolution of [%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
                   "] with %" PRId64 " x %" PRId64 " to %" PRId64 "\n",
                   t->n, t->h, t->w, t->ci, t->kh, t->kw, t->co);
    }
    ops_case_free(&c);
    free(spec);
    free(x);
    free(w);
}

static void test_convs(void)
{
    static const conv_case cases[] = {{1, 5, 5, 1, 3, 3, 1, 1, 1, {0, 0, 0, 0}, TN_F32},
                                      {1, 6, 7, 3, 3, 3, 5, 1, 1, {1, 1, 1, 1}, TN_F32},
                                      {2, 9, 8, 4, 3, 2, 33, 2, 1, {1, 0, 0, 1}, TN_F32},
                                      {1, 12, 12, 3, 7, 7, 40, 2, 2, {3, 3, 3, 3}, TN_F32},
                                      {2, 7, 7, 17, 1, 1, 20, 1, 1, {0, 0, 0, 0}, TN_F32},
                                      {1, 8, 8, 70, 3, 3, 16, 1, 1, {1, 1, 1, 1}, TN_F32},
                                      {1, 14, 16, 64, 3, 3, 64, 1, 1, {1, 1, 1, 1}, TN_F32},
                                      {1, 9, 9, 8, 1, 1, 8, 3, 2, {0, 0, 0, 0}, TN_F32},
                                      {1, 4, 4, 2, 2, 2, 3, 3, 3, {4, 0, 5, 1}, TN_F32},
                                      {1, 3, 20, 5, 3, 5, 7, 1, 1, {2, 2, 4, 4}, TN_F32},
                                      {3, 7, 7, 40, 3, 3, 33, 1, 1, {1, 1, 1, 1}, TN_F32},
                                      /* written out row by row */
                                      {1, 7, 7, 64, 3, 3, 70, 1, 1, {1, 1, 1, 1}, TN_F32},
                                      {2, 6, 9, 43, 4, 3, 64, 2, 1, {2, 0, 1, 2}, TN_F32},
                                      {3, 8, 5, 60, 3, 3, 66, 1, 2, {0, 1, 3, 0}, TN_BF16},
                                      {1, 5, 4, 130, 2, 2, 64, 1, 1, {0, 0, 0, 0}, TN_F64},
                                      {1, 6, 6, 3, 3, 3, 4, 1, 1, {1, 1, 1, 1}, TN_F64},
                                      {1, 6, 6, 3, 3, 3, 20, 1, 1, {1, 1, 1, 1}, TN_BF16},
                                      {1, 6, 6, 3, 3, 3, 20, 1, 1, {0, 1, 1, 0}, TN_F16},
                                      {1, 6, 6, 3, 3, 3, 20, 1, 1, {1, 1, 1, 1}, TN_SI8},
                                      {1, 6, 6, 3, 3, 3, 20, 1, 1, {1, 1, 1, 1}, TN_CF32},
                                      {1, 3, 3, 0, 3, 3, 2, 1, 1, {1, 1, 1, 1}, TN_F32},
                                      {1, 1, 1, 4, 3, 3, 4, 1, 1, {1, 1, 1, 1}, TN_F32}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        test_conv(&cases[i]);
}

/* The derivative by the filter: both windows again, with the roles of rows and products exchanged.
 */
static void test_filter_gradient(void)
{
    const int64_t n = 2, h = 6, w = 5, ci = 3, kh = 3, kw = 2, co = 20, ho = 4, wo = 5;
    const int64_t strides[] = {2, 1}, pads[] = {2, 1, 1, 0}, filter[] = {kh, kw, ci, co};
    float x[2 * 6 * 5 * 3], dy[2 * 4 * 5 * 20];
    uint64_t state = 5;
    ops_case c;
    contract_spec *spec = calloc(1, sizeof *spec);
    random_f32(&state, x, sizeof x / sizeof *x);
    random_f32(&state, dy, sizeof dy / sizeof *dy);
    ops_case_init(&c);
    ops_case_operand(&c, TN_F32, x, DIMS(n, h, w, ci));
    ops_case_operand(&c, TN_F32, dy, DIMS(n, ho, wo, co));
    ops_case_ints(&c, KEY_STRIDES, strides, 2);
    ops_case_int(&c, KEY_PADDING, PADDING_CUSTOM);
    ops_case_ints(&c, KEY_PADS, pads, 4);
    ops_case_ints(&c, KEY_FILTER_SHAPE, filter, 4);
    if (CHECK(ops_case_run(&c, OP_CONV2D_GRAD_FILTER))) {
        *spec = (contract_spec){.a = TN_F32, .b = TN_F32, .sum = TN_F32, .c = TN_F32};
        contract_axis_add(spec->m, &spec->n_m, kh, 0, 0, kw * ci * co);
        contract_axis_add(spec->m, &spec->n_m, kw, 0, 0, ci * co);
        contract_axis_add(spec->m, &spec->n_m, ci, 1, 0, co);
        contract_axis_add(spec->n, &spec->n_n, co, 0, 1, 1);
        contract_axis_add(spec->k, &spec->n_k, n, h * w * ci, ho * wo * co, 0);
        contract_axis_add(spec->k, &spec->n_k, ho, 0, wo * co, 0);
        contract_axis_add(spec->k, &spec->n_k, wo, 0, co, 0);
        spec->windows[spec->n_windows++] = contract_window_of(0, 1, 1, 2, 2, h, w * ci);
        spec->windows[spec->n_windows++] = contract_window_of(1, 2, 1, 1, 1, w, ci);
        compare(spec, &c, x, dy);
    } else {
        printf("    %s %s\n", c.kind, c.message);
    }
    ops_case_free(&c);
    free(spec);
}

/* ---- what callers give ---- */

typedef struct thirds {
    uint32_t buffer;
    int64_t row;
    uint32_t of; /* the largest that was asked for */
} thirds;

/* A factor of B is a third of the number in memory, so B is not in memory as it is multiplied. */
static element load_third(void *user, loop_builder *b, const contract_place *from, uint32_t lanes,
                          loop_value count)
{
    thirds *u = user;
    loop_value at = loop_binary(b, LOOP_IADD, from->at, loop_i64(b, from->rows * u->row));
    if (from->along != LOOP_NO_VALUE)
        at = loop_binary(b, LOOP_IADD, at, from->along);
    CHECK(from->of == 0 || from->rows < from->of);
    u->of = from->of > u->of ? from->of : u->of;
    const loop_value p =
        loop_offset(b, loop_buffer(b, u->buffer), loop_binary(b, LOOP_IMUL, at, loop_i64(b, 4)));
    element x = count == LOOP_NO_VALUE ? element_load(b, TN_F32, p, lanes, 4)
                                       : element_load_first(b, TN_F32, p, lanes, count, 4);
    x.re = loop_binary(b, LOOP_FDIV, x.re, loop_float(b, loop_value_type(b, x.re), 3));
    return x;
}

/* y = relu(sum + bias[n]) - m, stored by position. */
static void finish_bias(void *user, loop_builder *b, const contract_part *part)
{
    const int64_t n = *(const int64_t *)user;
    for (uint32_t i = 0; i < part->lanes; i++) {
        const loop_value lane = loop_i64(b, i), zero = loop_i64(b, 0);
        if (part->count != LOOP_NO_VALUE)
            loop_if(b, loop_binary(b, LOOP_ILT, lane, part->count));
        const loop_value m = loop_binary(b, LOOP_IADD, part->m, part->is_column ? lane : zero);
        const loop_value at_n = loop_binary(b, LOOP_IADD, part->n, part->is_column ? zero : lane);
        const loop_value at =
            loop_binary(b, LOOP_IADD, loop_binary(b, LOOP_IMUL, m, loop_i64(b, n)), at_n);
        const loop_value bias =
            loop_load(b, loop_type_of(LOOP_F32, 1),
                      loop_offset(b, loop_buffer(b, CONTRACT_MORE),
                                  loop_binary(b, LOOP_IMUL, at_n, loop_i64(b, 4))),
                      4);
        loop_value x = loop_binary(b, LOOP_FADD, loop_lane(b, part->value.re, i), bias);
        const loop_value none = loop_float(b, loop_type_of(LOOP_F32, 1), 0);
        x = loop_select(b, loop_binary(b, LOOP_FLT, none, x), x, none);
        x = loop_binary(b, LOOP_FSUB, x, loop_convert(b, LOOP_S_TO_F, LOOP_F32, m));
        loop_store(b,
                   loop_offset(b, loop_buffer(b, CONTRACT_C),
                               loop_binary(b, LOOP_IMUL, at, loop_i64(b, 4))),
                   x, 4);
        if (part->count != LOOP_NO_VALUE)
            loop_end(b);
    }
}

enum { GIVEN_MOST = 40 * 300 };

static void test_given(int64_t m, int64_t n, int64_t k, bool is_small, bool both,
                       bool is_transposed)
{
    static float a[GIVEN_MOST], b[GIVEN_MOST], bias[64], have[GIVEN_MOST], want[GIVEN_MOST];
    thirds third_a = {CONTRACT_A, k, 0}, third_b = {CONTRACT_B, n, 0};
    uint64_t state = (uint64_t)(m * n + k);
    contract_spec *spec = calloc(1, sizeof *spec);
    const machine on = machine_of(NULL, "x86-64-v3");
    arena memory;
    contract_plan plan;
    const char *fault;
    random_f32(&state, a, (size_t)(m * k));
    random_f32(&state, b, (size_t)(n * k));
    random_f32(&state, bias, (size_t)n);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            float total = 0;
            for (int64_t first = 0; first < k; first += CONTRACT_BLOCK) {
                float p = 0;
                for (int64_t q = first; q < k && q < first + CONTRACT_BLOCK; q++)
                    p = fmaf(both ? a[i * k + q] / 3 : a[i * k + q], b[q * n + j] / 3, p);
                total = first == 0 ? p : total + p;
            }
            total += bias[j];
            want[i * n + j] = (total > 0 ? total : 0) - (float)i;
        }
    *spec = (contract_spec){.a = TN_F32,
                            .b = TN_F32,
                            .sum = TN_F32,
                            .c = TN_F32,
                            .load_a = both ? load_third : NULL,
                            .user_a = &third_a,
                            .load_b = load_third,
                            .user_b = &third_b,
                            .row_b = n,
                            .finish = finish_bias,
                            .user_finish = &n,
                            .finish_is_small = is_small};
    matrix_spec(spec, 1, m, n, k, LAYOUT_K_LAST, LAYOUT_K_INNER);
    arena_init(&memory, &memory_system);
    char *buffers[] = {(char *)a, (char *)b, (char *)have, NULL, NULL, (char *)bias};
    if (is_transposed) { /* the other operand's axes first */
        contract_spec *turned = calloc(1, sizeof *turned);
        *turned = *spec;
        turned->n_m = turned->n_n = turned->n_k = 0;
        contract_axis_add(turned->m, &turned->n_m, n, 1, 0, 1);
        contract_axis_add(turned->n, &turned->n_n, m, 0, k, n);
        contract_axis_add(turned->k, &turned->n_k, k, n, 1, 0);
        turned->load_a = load_third;
        turned->load_b = both ? load_third : NULL;
        turned->is_transposed = true;
        buffers[CONTRACT_A] = (char *)b;
        buffers[CONTRACT_B] = (char *)a;
        free(spec);
        spec = turned;
    }
    memset(have, 0, sizeof have);
    if (CHECK(contract_build(spec, &on, &memory, &plan, &fault)) &&
        CHECK(contract_run(&plan, NULL, buffers, 2)))
        CHECK(same_f32(have, want, (size_t)(m * n)));
    arena_release(&memory);
    free(spec);
}

static void test_callbacks(void)
{
    static const int64_t shapes[][3] = {{1, 20, 30}, {3, 5, 300}, {13, 17, 20}, {30, 9, 260},
                                        {20, 1, 40}, {7, 33, 10}, {49, 20, 20}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int how = 0; how < 8; how++)
            test_given(shapes[i][0], shapes[i][1], shapes[i][2], how % 2, how / 2 % 2, how / 4);
}

/* B in strips of 32 columns, each with all products, as it is or computed. */
static void test_strips_of(int64_t m, int64_t strips, int64_t k, bool is_computed)
{
    enum { WIDE = 32 };
    static float a[GIVEN_MOST], b[4 * GIVEN_MOST], have[GIVEN_MOST], want[GIVEN_MOST];
    const int64_t n = strips * WIDE;
    thirds third = {CONTRACT_B, WIDE, 0};
    uint64_t state = (uint64_t)(m * n + k);
    contract_spec *spec = calloc(1, sizeof *spec);
    const machine on = machine_of(NULL, "x86-64-v3");
    arena memory;
    contract_plan plan;
    const char *fault;
    random_f32(&state, a, (size_t)(m * k));
    random_f32(&state, b, (size_t)(n * k));
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            float total = 0;
            for (int64_t first = 0; first < k; first += CONTRACT_BLOCK) {
                float p = 0;
                for (int64_t q = first; q < k && q < first + CONTRACT_BLOCK; q++) {
                    const float y = b[(j / WIDE * k + q) * WIDE + j % WIDE];
                    p = fmaf(a[i * k + q], is_computed ? y / 3 : y, p);
                }
                total = first == 0 ? p : total + p;
            }
            want[i * n + j] = total;
        }
    *spec = (contract_spec){.a = TN_F32, .b = TN_F32, .sum = TN_F32, .c = TN_F32};
    if (is_computed) {
        spec->load_b = load_third;
        spec->user_b = &third;
        spec->row_b = WIDE;
    }
    contract_axis_add(spec->m, &spec->n_m, m, k, 0, n);
    contract_axis_add(spec->n, &spec->n_n, strips, 0, k * WIDE, WIDE);
    contract_axis_add(spec->n, &spec->n_n, WIDE, 0, 1, 1);
    contract_axis_add(spec->k, &spec->n_k, k, 1, WIDE, 0);
    arena_init(&memory, &memory_system);
    char *buffers[] = {(char *)a, (char *)b, (char *)have, NULL, NULL};
    memset(have, 0, sizeof have);
    if (CHECK(contract_build(spec, &on, &memory, &plan, &fault)) &&
        CHECK(contract_run(&plan, NULL, buffers, 2)))
        CHECK(same_f32(have, want, (size_t)(m * n)));
    if (m <= 3)
        CHECK(plan.schedule.right == RIGHT_ROWS);
    if (m == 1 && is_computed)
        CHECK(third.of == (k % 8 == 0 ? 8 : 0));
    arena_release(&memory);
    free(spec);
}

static void test_strips(void)
{
    static const int64_t shapes[][3] = {{1, 3, 40}, {1, 2, 300}, {2, 3, 256}, {3, 2, 512},
                                        {3, 4, 33}, {5, 2, 24},  {20, 3, 64}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int how = 0; how < 2; how++)
            test_strips_of(shapes[i][0], shapes[i][1], shapes[i][2], how);
}

/* ---- any axes ---- */

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(next_random(state) % (uint64_t)n);
}

/* An axis that one operand walks, where its step is to go. */
typedef struct walked {
    int64_t extent;
    int64_t *step;
} walked;

/* Steps for axes in a random order of memory, some backward, some 0, some with gaps; how many
 * elements that takes, and the first one. */
static int64_t lay_out(walked *axes, uint32_t n, uint64_t *state, int64_t *first)
{
    int64_t size = 1;
    *first = 0;
    for (uint32_t i = n; i > 1; i--) { /* mostly in order, so that axes can be joined */
        const uint32_t j = below(state, 3) ? i - 1 : (uint32_t)below(state, i);
        const walked x = axes[j];
        axes[j] = axes[i - 1];
        axes[i - 1] = x;
    }
    for (uint32_t i = n; i-- > 0;) {
        int64_t step = size;
        if (below(state, 8) == 0)
            step = 0;
        else
            size = size * axes[i].extent + (below(state, 8) == 0 ? below(state, 20) : 0);
        if (step && below(state, 8) == 0) {
            step = -step;
            *first += (axes[i].extent - 1) * -step;
        }
        *axes[i].step = step;
    }
    return size;
}

/* No number of S depends on sizes. */
static void fix_axes(contract_axis *axes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        axes[i].extent_other = axes[i].extent;
        axes[i].a_other = axes[i].a;
        axes[i].b_other = axes[i].b;
        axes[i].c_other = axes[i].c;
    }
}

static void fix(contract_spec *s)
{
    fix_axes(s->batch, s->n_batch);
    fix_axes(s->m, s->n_m);
    fix_axes(s->n, s->n_n);
    fix_axes(s->k, s->n_k);
    s->a_first_other = s->a_first;
    s->b_first_other = s->b_first;
    for (uint32_t i = 0; i < s->n_windows; i++) {
        contract_window *w = &s->windows[i];
        w->low_other = w->low;
        w->extent_other = w->extent;
        w->step_other = w->step;
        for (uint32_t k = 0; k < w->n; k++)
            w->walkers[k].by_other = w->walkers[k].by;
    }
}

static void add_axes(contract_axis *axes, uint32_t *n, uint64_t *state, int64_t most)
{
    for (int64_t count = below(state, 3) + (below(state, 4) != 0); count-- > 0;)
        axes[(*n)++].extent = 1 + below(state, below(state, 3) ? 4 : most);
}

/* The place of position AT of N axes: *OFFSET is moved by the steps in field FIELD (0 a, 1 b, 2 c).
 */
static void step_to(const contract_axis *axes, uint32_t n, int64_t at, int64_t *coordinates,
                    int64_t *offsets)
{
    for (uint32_t i = n; i-- > 0;) {
        const int64_t here = at % axes[i].extent;
        at /= axes[i].extent;
        coordinates[i] = here;
        offsets[0] += here * axes[i].a;
        offsets[1] += here * axes[i].b;
        offsets[2] += here * axes[i].c;
    }
}

static int64_t count_of(const contract_axis *axes, uint32_t n)
{
    int64_t count = 1;
    for (uint32_t i = 0; i < n; i++)
        count *= axes[i].extent;
    return count;
}

/* AT: where position 0 of K is in each operand; LISTS: the positions on the axes of each list. */
static float naive(const contract_spec *s, const float *a, const float *b, const int64_t *at,
                   int64_t lists[4][CONTRACT_MAX_AXES], int64_t k)
{
    float total = 0, p = 0;
    for (int64_t i = 0; i < k; i++) {
        int64_t to[3] = {at[0], at[1], 0};
        bool inside = true;
        step_to(s->k, s->n_k, i, lists[CONTRACT_K], to);
        for (uint32_t w = 0; w < s->n_windows; w++) {
            const contract_window *x = &s->windows[w];
            int64_t c = -x->low;
            for (uint32_t j = 0; j < x->n; j++)
                c += lists[x->walkers[j].list][x->walkers[j].axis] * x->walkers[j].by;
            inside = inside && c >= 0 && c < x->extent;
            to[0] += c * x->step;
        }
        p = fmaf(inside ? a[to[0]] : 0, b[to[1]], p);
        if (i % CONTRACT_BLOCK == CONTRACT_BLOCK - 1 || i == k - 1) {
            total = i < CONTRACT_BLOCK ? p : total + p;
            p = 0;
        }
    }
    return total;
}

static void test_any(uint64_t seed)
{
#define MACHINE(bytes, n, first, second)                                                           \
    {                                                                                              \
        .vector_bytes = (bytes), .registers = (n), .l1 = (first), .l2 = (second)                   \
    }
    static const machine machines[] = {
        MACHINE(64, 32, 32 << 10, 1 << 20), MACHINE(64, 32, 4096, 4096),
        MACHINE(32, 16, 32 << 10, 1 << 16), MACHINE(16, 16, 1024, 512),
        MACHINE(32, 32, 1024, 100),         MACHINE(4, 8, 64, 64)};
    uint64_t state = seed * 2 + 1;
    contract_spec *s = calloc(1, sizeof *s);
    walked in_a[64], in_b[64], in_c[64];
    uint32_t n_a = 0, n_b = 0, n_c = 0;
    const char *fault;
    (void)next_random(&state);
    *s = (contract_spec){.a = TN_F32,
                         .b = TN_F32,
                         .sum = TN_F32,
                         .c = TN_F32,
                         .b_is_constant = below(&state, 4) == 0};
    add_axes(s->batch, &s->n_batch, &state, 3);
    add_axes(s->m, &s->n_m, &state, below(&state, 4) ? 12 : 50);
    add_axes(s->n, &s->n_n, &state, below(&state, 4) ? 20 : 90);
    add_axes(s->k, &s->n_k, &state, below(&state, 4) ? 9 : 300);
    uint32_t windows = (uint32_t)below(&state, 3);
    windows = windows > s->n_m ? s->n_m : windows;
    windows = windows > s->n_k ? s->n_k : windows;
    for (uint32_t w = 0; w < windows; w++) {
        const int64_t stride = 1 + below(&state, 3), dilation = 1 + below(&state, 2);
        const int64_t low = below(&state, 5) - 1, extent = 1 + below(&state, 9);
        contract_window *x = &s->windows[s->n_windows++];
        *x = contract_window_of(w, w, stride, dilation, low, extent, 0);
        if (w < s->n_batch && below(&state, 4) == 0) {
            x->walkers[x->n].list = CONTRACT_BATCH;
            x->walkers[x->n].axis = w;
            x->walkers[x->n++].by = 1 + below(&state, 4);
        }
    }
    const int64_t batch = count_of(s->batch, s->n_batch), m = count_of(s->m, s->n_m);
    const int64_t n = count_of(s->n, s->n_n), k = count_of(s->k, s->n_k);
    for (uint32_t i = 0; i < s->n_batch; i++) {
        in_a[n_a++] = (walked){s->batch[i].extent, &s->batch[i].a};
        in_b[n_b++] = (walked){s->batch[i].extent, &s->batch[i].b};
        in_c[n_c++] = (walked){s->batch[i].extent, &s->batch[i].c};
    }
    for (uint32_t i = 0; i < s->n_m; i++) {
        if (i >= windows || below(&state, 4) == 0)
            in_a[n_a++] = (walked){s->m[i].extent, &s->m[i].a};
        in_c[n_c++] = (walked){s->m[i].extent, &s->m[i].c};
    }
    for (uint32_t w = 0; w < windows; w++)
        in_a[n_a++] = (walked){s->windows[w].extent, &s->windows[w].step};
    for (uint32_t i = 0; i < s->n_k; i++) {
        if (i >= windows)
            in_a[n_a++] = (walked){s->k[i].extent, &s->k[i].a};
        in_b[n_b++] = (walked){s->k[i].extent, &s->k[i].b};
    }
    for (uint32_t i = 0; i < s->n_n; i++) {
        in_b[n_b++] = (walked){s->n[i].extent, &s->n[i].b};
        in_c[n_c++] = (walked){s->n[i].extent, &s->n[i].c};
    }
    if (batch * m * n * k > 60000) {
        free(s);
        return;
    }
    const int64_t size_a = lay_out(in_a, n_a, &state, &s->a_first);
    const int64_t size_b = lay_out(in_b, n_b, &state, &s->b_first);
    /* No two results share a place. */
    int64_t size_c = 1;
    if (below(&state, 3) == 0)
        for (uint32_t i = n_c; i > 1; i--) {
            const uint32_t j = (uint32_t)below(&state, i);
            const walked x = in_c[j];
            in_c[j] = in_c[i - 1];
            in_c[i - 1] = x;
        }
    for (uint32_t i = n_c; i-- > 0; size_c *= in_c[i].extent)
        *in_c[i].step = size_c;
    fix(s);
    float *a = malloc((size_t)size_a * 4), *b = malloc((size_t)size_b * 4);
    float *have = malloc((size_t)size_c * 4), *want = malloc((size_t)size_c * 4);
    random_f32(&state, a, (size_t)size_a);
    random_f32(&state, b, (size_t)size_b);
    for (int64_t i = 0; i < batch * m * n; i++) {
        int64_t at[3] = {s->a_first, s->b_first, 0}, lists[4][CONTRACT_MAX_AXES];
        step_to(s->n, s->n_n, i % n, lists[CONTRACT_N], at);
        step_to(s->m, s->n_m, i / n % m, lists[CONTRACT_M], at);
        step_to(s->batch, s->n_batch, i / n / m, lists[CONTRACT_BATCH], at);
        want[at[2]] = naive(s, a, b, at, lists, k);
    }
    const machine *on = &machines[seed % (sizeof machines / sizeof *machines)];
    arena memory;
    contract_plan plan;
    arena_init(&memory, &memory_system);
    char *buffers[CONTRACT_MORE] = {(char *)a, (char *)b, (char *)have};
    memset(have, 0x5a, (size_t)size_c * 4);
    if (!CHECK(contract_build(s, on, &memory, &plan, &fault)) ||
        !CHECK(contract_run(&plan, NULL, buffers, 1 + below(&state, 3))) ||
        !CHECK(same_f32(have, want, (size_t)size_c)))
        printf("    seed %" PRIu64 ": %s, %s\n", seed, plan.how, fault ? fault : "no fault");
    arena_release(&memory);
    free(a);
    free(b);
    free(have);
    free(want);
    free(s);
}

/* ---- memory ---- */

static int64_t allocations_left;

static void *scarce_alloc(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return allocations_left-- > 0 ? realloc(block, new_size) : NULL;
}

static void test_no_memory(void)
{
    const machine on = machine_of(NULL, "x86-64-v3");
    contract_spec *spec = calloc(1, sizeof *spec);
    bool done = false;
    *spec = (contract_spec){.a = TN_BF16, .b = TN_F32, .sum = TN_F32, .c = TN_F32};
    matrix_spec(spec, 2, 40, 70, 300, LAYOUT_K_LAST, LAYOUT_K_INNER);
    for (int64_t n = 0; n < 100 && !done; n++) {
        const tn_allocator scarce = {scarce_alloc, NULL};
        arena memory;
        contract_plan plan;
        const char *fault;
        allocations_left = n;
        arena_init(&memory, &scarce);
        done = contract_build(spec, &on, &memory, &plan, &fault);
        arena_release(&memory);
    }
    CHECK(done);
    free(spec);
}

int main(int argc, char **argv)
{
    (void)argv;
    thorough = argc > 1;
    shared = context_new(NULL, NULL);
    find_places();
    test_shapes();
    test_dtypes();
    test_pairs();
    test_convs();
    test_filter_gradient();
    test_callbacks();
    test_strips();
    for (uint64_t seed = 0; seed < (thorough ? 20000 : 600); seed++)
        test_any(seed);
    test_any(3848); /* axes of K that are one in B, and in A only before it is copied */
    test_no_memory();
    context_free(shared);
    return check_result();
}
