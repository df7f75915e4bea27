/* Jobs about elements in memory and in variables, folds and generators. */
#ifndef TEST_ELEMENT_PARTS_CASES_H
#define TEST_ELEMENT_PARTS_CASES_H

#include "element_job.h"
#include "eval/parts/chain.h"

enum { N = 512, EACH_LANES = 3 };
static const uint32_t lanes_list[EACH_LANES] = {1, 4, 16};

static inline arena *memory_of(job_list *l)
{
    return &l->memory;
}

/* The address of element I (an i64) of the buffer INDEX. */
static inline loop_value place(loop_builder *b, uint32_t index, loop_value i, tn_dtype d)
{
    const loop_value bytes = loop_binary(b, LOOP_IMUL, i, loop_i64(b, (int64_t)dtype_bytes(d)));
    return loop_offset(b, loop_buffer(b, index), bytes);
}

static uint32_t align_of(tn_dtype d, uint32_t lanes)
{
    const uint32_t bytes = (uint32_t)dtype_bytes(d) * lanes;
    return bytes > LOOP_ALIGN ? LOOP_ALIGN : bytes;
}

static inline element load(loop_builder *b, uint32_t index, loop_value i, tn_dtype d,
                           uint32_t lanes)
{
    return element_load(b, d, place(b, index, i, d), lanes, align_of(d, lanes));
}

static inline void store(loop_builder *b, uint32_t index, loop_value i, element x)
{
    element_store(b, place(b, index, i, x.dtype), x, align_of(x.dtype, element_lanes(b, x)));
}

static inline loop_value open_loop(loop_builder *b, uint32_t lanes)
{
    return loop_for(b, loop_param_value(b, LOOP_BEGIN), loop_param_value(b, LOOP_END_AT), lanes);
}

/* ---- memory ---- */

/* Copies of the first COUNT of LANES elements; the memory after them stays. */
static inline void add_first(job_list *l, tn_dtype d, uint32_t lanes, int64_t count,
                             uint64_t *state)
{
    const size_t size = dtype_bytes(d);
    loop_builder b;
    job j = {.n_results = 1, .n = lanes, .end = 1, .lanes = lanes, .dtype = {d}};
    char *want = jobs_memory(l, lanes * size);
    (void)snprintf(j.name, sizeof j.name, "first %d of %s", (int)count, dtype_name(d));
    j.buffers[0] = jobs_memory(l, lanes * size);
    j.buffers[1] = jobs_memory(l, lanes * size);
    random_data(state, d, j.buffers[1], lanes, true);
    memcpy(want, j.buffers[1], (size_t)count * size);
    j.want[0] = want;
    loop_init(&b, memory_of(l));
    const loop_value n = loop_i64(&b, count);
    const element x = element_load_first(&b, d, loop_buffer(&b, 1), lanes, n, align_of(d, lanes));
    element_store_first(&b, loop_buffer(&b, 0), x, n, align_of(d, lanes));
    j.program = loop_finish(&b);
    jobs_add(l, &j);
}

/* Lanes beyond the first ones are 0: stored completely. */
static inline void add_rest_is_zero(job_list *l, tn_dtype d, uint32_t lanes, uint64_t *state)
{
    const size_t size = dtype_bytes(d);
    loop_builder b;
    job j = {.n_results = 1, .n = lanes, .end = 1, .lanes = lanes, .dtype = {d}};
    char *want = jobs_memory(l, lanes * size);
    (void)snprintf(j.name, sizeof j.name, "rest of %s", dtype_name(d));
    j.buffers[0] = jobs_memory(l, lanes * size);
    j.buffers[1] = jobs_memory(l, lanes * size);
    random_data(state, d, j.buffers[1], lanes, true);
    memset(want, 0, lanes * size);
    memcpy(want, j.buffers[1], lanes / 2 * size);
    j.want[0] = want;
    loop_init(&b, memory_of(l));
    const element x = element_load_first(&b, d, loop_buffer(&b, 1), lanes, loop_i64(&b, lanes / 2),
                                         align_of(d, lanes));
    element_stream(&b, loop_buffer(&b, 0), x);
    j.program = loop_finish(&b);
    jobs_add(l, &j);
}

/* Elements backwards, those at odd places of the result zero. */
static inline void add_gather(job_list *l, tn_dtype d, uint32_t lanes, uint64_t *state)
{
    const size_t size = dtype_bytes(d);
    loop_builder b;
    job j = {.n_results = 1, .n = lanes, .end = 1, .lanes = lanes, .dtype = {d}};
    char *want = jobs_memory(l, lanes * size);
    (void)snprintf(j.name, sizeof j.name, "gather %s", dtype_name(d));
    j.buffers[0] = jobs_memory(l, lanes * size);
    j.buffers[1] = jobs_memory(l, lanes * size);
    random_data(state, d, j.buffers[1], lanes, true);
    memset(want, 0, lanes * size);
    for (size_t i = 0; i < lanes; i += 2)
        memcpy(want + i * size, j.buffers[1] + (lanes - 1 - i) * size, size);
    j.want[0] = want;
    loop_init(&b, memory_of(l));
    const loop_value ramp = loop_ramp(&b, LOOP_I64, lanes);
    const loop_type t = loop_type_of(LOOP_I64, lanes);
    const loop_value offsets =
        loop_binary(&b, LOOP_IMUL, loop_binary(&b, LOOP_ISUB, loop_const(&b, t, lanes - 1), ramp),
                    loop_const(&b, t, size));
    const loop_value mask =
        loop_unary(&b, LOOP_NOT, loop_convert(&b, LOOP_TRUNCATE, LOOP_MASK, ramp));
    const element x = element_gather(&b, d, loop_buffer(&b, 1), offsets, mask);
    element_store(&b, loop_buffer(&b, 0), x, align_of(d, lanes));
    j.program = loop_finish(&b);
    jobs_add(l, &j);
}

/* A constant, and values through variables, shuffles and selections: (first lane, the constant,
 * then the first half). */
static inline void add_values(job_list *l, tn_dtype d, uint64_t *state)
{
    enum { LANES = 8 };
    static const uint8_t reverse[LANES] = {7, 6, 5, 4, 3, 2, 1, 0};
    const size_t size = dtype_bytes(d);
    loop_builder b;
    job j = {.n_results = 1, .n = 4 * LANES, .end = 1, .lanes = LANES, .dtype = {d}};
    char *want = jobs_memory(l, 4 * LANES * size), constant[16];
    (void)snprintf(j.name, sizeof j.name, "values of %s", dtype_name(d));
    j.buffers[0] = jobs_memory(l, 4 * LANES * size);
    j.buffers[1] = jobs_memory(l, LANES * size);
    random_data(state, d, j.buffers[1], LANES, true);
    random_data(state, d, constant, 1, true);
    for (size_t i = 0; i < LANES; i++) {
        memcpy(want + i * size, j.buffers[1] + 3 * size, size);
        memcpy(want + (LANES + i) * size, constant, size);
        memcpy(want + (2 * LANES + i) * size, j.buffers[1] + (LANES - 1 - i) * size, size);
        memcpy(want + (3 * LANES + i) * size, i < 5 ? j.buffers[1] + (4 + i % 4) * size : constant,
               size);
    }
    j.want[0] = want;
    loop_init(&b, memory_of(l));
    const element x = load(&b, 1, loop_i64(&b, 0), d, LANES);
    const element c = element_const(&b, d, 1, constant);
    const element var = element_var(&b, element_zero(&b, d, LANES));
    store(&b, 0, loop_i64(&b, 0), element_splat(&b, LANES, element_lane(&b, x, 3)));
    element_set(&b, var, element_splat(&b, LANES, c));
    store(&b, 0, loop_i64(&b, LANES), element_get(&b, var));
    store(&b, 0, loop_i64(&b, 2L * LANES), element_shuffle(&b, x, x, reverse, LANES));
    const element part = element_part(&b, x, 4, 4);
    static const uint8_t twice[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    const element wide = element_shuffle(&b, part, part, twice, LANES);
    const element chosen = element_select(&b, element_first(&b, LANES, loop_i64(&b, 5)), wide, c);
    store(&b, 0, loop_i64(&b, 3L * LANES), chosen);
    j.program = loop_finish(&b);
    jobs_add(l, &j);
}

static inline void add_memory(job_list *l, uint64_t *state)
{
    static const uint32_t lanes[] = {1, 2, 8, 32, 64};
    for (int d = 0; d < TN_DTYPE_COUNT; d++) {
        for (int k = 0; k < 5; k++) {
            const int64_t n = lanes[k];
            add_first(l, (tn_dtype)d, lanes[k], 0, state);
            add_first(l, (tn_dtype)d, lanes[k], n, state);
            add_first(l, (tn_dtype)d, lanes[k], n / 2, state);
            add_first(l, (tn_dtype)d, lanes[k], n * 5 / 7, state);
            add_rest_is_zero(l, (tn_dtype)d, lanes[k], state);
            add_gather(l, (tn_dtype)d, lanes[k], state);
        }
        add_values(l, (tn_dtype)d, state);
        CHECK_INT(dtype_bytes(element_carrier((tn_dtype)d)), dtype_bytes((tn_dtype)d));
    }
}

/* ---- folds and products ---- */

static const fold_kind kinds[] = {FOLD_SUM, FOLD_PROD, FOLD_MAX, FOLD_MIN};

/* A fold of two elements. */
static inline void add_combine(job_list *l, fold_kind kind, tn_dtype d, uint64_t *state)
{
    job j = {.n_results = 1, .n = N, .end = N, .dtype = {d}};
    char *want = jobs_memory(l, N * 16);
    (void)snprintf(j.name, sizeof j.name, "fold %d of %s", (int)kind, dtype_name(d));
    for (int k = 0; k < 3; k++) {
        j.buffers[k] = jobs_memory(l, N * 16);
        random_data(state, d, j.buffers[k], N, true);
    }
    memcpy(want, j.buffers[1], N * dtype_bytes(d));
    fold_rows(kind, d, want, j.buffers[2], N);
    dtype_narrow(d, want, want, dtype_compute(d) == d ? N : 0);
    j.want[0] = want;
    for (int v = 0; v < EACH_LANES; v++) {
        loop_builder b;
        j.lanes = lanes_list[v];
        loop_init(&b, memory_of(l));
        const loop_value i = open_loop(&b, j.lanes);
        const element x = load(&b, 1, i, d, j.lanes), y = load(&b, 2, i, d, j.lanes);
        store(&b, 0, i, element_combine(&b, kind, x, y));
        loop_end(&b);
        j.program = loop_finish(&b);
        jobs_add(l, &j);
    }
}

/* Combined with the identity every element stays; and the result for no elements. */
static inline void add_identity(job_list *l, fold_kind kind, tn_dtype d, uint64_t *state)
{
    loop_builder b;
    element e;
    job j = {.n_results = 2, .n = N, .end = N, .lanes = 4, .dtype = {d, d}};
    char *empty = jobs_memory(l, N * 16);
    (void)snprintf(j.name, sizeof j.name, "identity %d of %s", (int)kind, dtype_name(d));
    for (int k = 0; k < 3; k++)
        j.buffers[k] = jobs_memory(l, N * 16);
    random_data(state, d, j.buffers[2], N, true);
    loop_init(&b, memory_of(l));
    const loop_value i = open_loop(&b, 4);
    const element x = load(&b, 2, i, d, 4);
    if (element_identity(&b, kind, d, 1, &e))
        store(&b, 0, i, element_combine(&b, kind, e, x));
    else
        store(&b, 0, i, x);
    store(&b, 1, i, element_empty(&b, kind, d, d, 4));
    loop_end(&b);
    j.program = loop_finish(&b);
    for (size_t k = 0; k < N; k++)
        fold_empty(kind, d, d, empty + k * dtype_bytes(d));
    j.want[0] = j.buffers[2];
    j.want[1] = empty;
    jobs_add(l, &j);
}

static inline void add_divide(job_list *l, tn_dtype d, int64_t count, uint64_t *state)
{
    loop_builder b;
    job j = {.n_results = 1, .n = N, .end = N, .lanes = 4, .dtype = {d}};
    char *want = jobs_memory(l, N * 16);
    (void)snprintf(j.name, sizeof j.name, "mean of %s over %d", dtype_name(d), (int)count);
    for (int k = 0; k < 2; k++)
        j.buffers[k] = jobs_memory(l, N * 16);
    random_data(state, d, j.buffers[1], N, true);
    memcpy(want, j.buffers[1], N * dtype_bytes(d));
    fold_divide(d, want, count, N);
    j.want[0] = want;
    loop_init(&b, memory_of(l));
    const loop_value i = open_loop(&b, 4);
    store(&b, 0, i, element_divide_count(&b, load(&b, 1, i, d, 4), sized_of(count)));
    loop_end(&b);
    j.program = loop_finish(&b);
    jobs_add(l, &j);
}

/* Chains of three products. */
static inline void add_chain(job_list *l, tn_dtype d, uint64_t *state)
{
    enum { K = 3 };
    const size_t size = dtype_bytes(d);
    job j = {.n_results = 1, .n = N, .end = N, .dtype = {d}};
    char *want = jobs_memory(l, N * 16);
    const void *a[K], *c[K];
    (void)snprintf(j.name, sizeof j.name, "products of %s", dtype_name(d));
    j.buffers[0] = jobs_memory(l, N * 16);
    for (int k = 0; k < K + 1; k++) {
        j.buffers[1 + k] = jobs_memory(l, N * 16);
        random_data(state, d, j.buffers[1 + k], N, true);
    }
    for (int k = 0; k < K; k++) {
        a[k] = j.buffers[1] + (size_t)k * size;
        c[k] = j.buffers[2 + k];
    }
    chain_run(d, &(chain_block){.a = a, .b = c, .n_k = K, .a_step = 0}, 1, N, want, N, true);
    dtype_narrow(d, want, want, N);
    j.want[0] = want;
    for (int v = 0; v < EACH_LANES; v++) {
        loop_builder b;
        j.lanes = lanes_list[v];
        loop_init(&b, memory_of(l));
        const loop_value i = open_loop(&b, j.lanes);
        element p = element_zero(&b, d, j.lanes);
        for (uint32_t k = 0; k < K; k++)
            p = element_fma(&b, load(&b, 1, loop_i64(&b, k), d, 1), load(&b, 2 + k, i, d, j.lanes),
                            p);
        store(&b, 0, i, p);
        loop_end(&b);
        j.program = loop_finish(&b);
        jobs_add(l, &j);
    }
}

static inline void add_folds(job_list *l, uint64_t *state)
{
    static const int64_t counts[] = {1, 3, 100, 128, 65536, INT64_C(5000000000), 0};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < TN_DTYPE_COUNT; i++) {
            const tn_dtype d = (tn_dtype)i;
            const bool extremum = k >= 2;
            if (extremum ? dtype_is_complex(d) : d == TN_I1)
                continue;
            add_combine(l, kinds[k], d, state);
            add_identity(l, kinds[k], d, state);
        }
    for (int d = TN_SI4; d < TN_DTYPE_COUNT; d++) {
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
            add_divide(l, (tn_dtype)d, counts[k], state);
        if (dtype_compute((tn_dtype)d) == (tn_dtype)d)
            add_chain(l, (tn_dtype)d, state);
    }
}

/* ---- generators ---- */

static inline void add_generator(job_list *l, op_id op, tn_dtype d, uint64_t seed)
{
    use u;
    use_init(&u);
    u.seed = seed;
    with_int(&u, KEY_DTYPE, d);
    if (op == OP_IOTA)
        with_int(&u, KEY_AXIS, 0);
    with_ints(&u, KEY_SHAPE, INTS(N));
    if (CHECK(run(&u, op))) {
        job j = {.n_results = 1, .n = N, .end = N, .dtype = {d}};
        (void)snprintf(j.name, sizeof j.name, "%s %s", op_table[op].text, dtype_name(d));
        j.want[0] = jobs_copy(l, u.out->data, N * dtype_bytes(d));
        j.buffers[0] = jobs_memory(l, N * 16);
        j.buffers[1] = jobs_memory(l, sizeof seed);
        memcpy(j.buffers[1], &seed, sizeof seed);
        for (int v = 0; v < EACH_LANES; v++) {
            loop_builder b;
            j.lanes = lanes_list[v];
            loop_init(&b, memory_of(l));
            const element_draws from = {
                .seed = loop_load(&b, loop_type_of(LOOP_I64, 1), loop_buffer(&b, 1), 8)};
            const loop_value i = open_loop(&b, j.lanes);
            const loop_value position = loop_binary(&b, LOOP_IADD, loop_splat(&b, j.lanes, i),
                                                    loop_ramp(&b, LOOP_I64, j.lanes));
            store(&b, 0, i,
                  op == OP_IOTA          ? element_iota(&b, d, position)
                  : op == OP_RNG_UNIFORM ? element_uniform(&b, d, &from, position)
                                         : element_normal(&b, d, &from, position));
            loop_end(&b);
            j.program = loop_finish(&b);
            jobs_add(l, &j);
        }
    }
    use_free(&u);
}

static inline void add_generators(job_list *l)
{
    for (int d = TN_SI4; d < TN_DTYPE_COUNT; d++) {
        add_generator(l, OP_IOTA, (tn_dtype)d, 0);
        if (dtype_is_float((tn_dtype)d)) {
            add_generator(l, OP_RNG_UNIFORM, (tn_dtype)d, UINT64_C(0x123456789abcdef0));
            add_generator(l, OP_RNG_NORMAL, (tn_dtype)d, 7);
        }
    }
}

/* ---- the rest ---- */

static inline void add_any(job_list *l)
{
    for (uint32_t lanes = 1; lanes <= 64; lanes *= 2)
        for (int64_t n = -1; n < 2; n++) {
            loop_builder b;
            job j = {.name = "any", .n_results = 1, .n = 1, .end = 1, .lanes = lanes};
            char *want = jobs_memory(l, 1);
            *want = n > 0;
            j.want[0] = want;
            j.buffers[0] = jobs_memory(l, 1);
            loop_init(&b, memory_of(l));
            const loop_value first = element_first(&b, lanes, loop_i64(&b, n));
            element_store(&b, loop_buffer(&b, 0),
                          (element){TN_I1, loop_any(&b, first), LOOP_NO_VALUE}, 1);
            j.program = loop_finish(&b);
            jobs_add(l, &j);
        }
}

#endif
