/* The jobs that compare elements in loop programs with the evaluator, bit for bit: every op and
 * dtype, every cast, every value of the narrow formats, memory, folds, generators. */
#ifndef TEST_ELEMENT_CASES_H
#define TEST_ELEMENT_CASES_H

#include "element_parts_cases.h"

#include "eval/kernels/flat.h"

/* ---- ops ---- */

typedef struct op_use {
    op_id op;
    tn_dtype in[5];
    uint32_t n_in;
    attr attrs[2];
    uint32_t n_attrs;
    bool is_clean; /* operands are stored properly */
} op_use;

/* The program: result, then (when the op may fail) the mask of failures, then operands. */
static inline const loop_program *program_of(job_list *l, const op_use *o, tn_dtype out,
                                             const attrs *given, uint32_t lanes, bool fails)
{
    loop_builder b;
    element x[5], y = {0};
    loop_value failed;
    loop_init(&b, memory_of(l));
    const loop_value i = open_loop(&b, lanes);
    for (uint32_t k = 0; k < o->n_in; k++)
        x[k] = load(&b, 1 + fails + k, i, o->in[k], lanes);
    CHECK(element_op(&b, o->op, given, x, o->n_in, out, &y, &failed));
    CHECK((failed != LOOP_NO_VALUE) == fails);
    CHECK_INT(y.dtype, out);
    store(&b, 0, i, y);
    if (fails)
        store(&b, 1, i, (element){TN_I1, failed, LOOP_NO_VALUE});
    loop_end(&b);
    const loop_program *p = loop_finish(&b);
    if (!p)
        printf("    %s\n", b.fault ? b.fault : "no memory");
    return p;
}

static inline void name_use(char *to, size_t size, const op_use *o, tn_dtype out)
{
    int at = snprintf(to, size, "%s", op_table[o->op].text);
    for (uint32_t k = 0; k < o->n_in; k++)
        at += snprintf(to + at, size - (size_t)at, " %s", dtype_name(o->in[k]));
    (void)snprintf(to + at, size - (size_t)at, " to %s", dtype_name(out));
}

/* Zeros among the divisors stop the evaluator, so they are its business only where they give 0. */
static inline void without_zeros(tn_dtype d, char *x)
{
    for (size_t i = 0; i < N; i++) {
        char *at = x + i * dtype_bytes(d);
        if (scalar_load(d, at).u == 0)
            (void)scalar_store(scalar_of_int(3), d, at);
    }
}

/* False when the op does not take these dtypes. */
static inline bool add_use(job_list *l, const op_use *o, uint64_t *state)
{
    use u;
    char *in[5];
    bool ok;
    const bool is_division = (o->op == OP_DIV || o->op == OP_MOD) && dtype_is_int(o->in[0]);
    const bool fails = is_division && o->n_attrs == 0;
    use_init(&u);
    for (uint32_t k = 0; k < o->n_in; k++) {
        in[k] = jobs_memory(l, N * dtype_bytes(o->in[k]));
        random_data(state, o->in[k], in[k], N, o->is_clean);
        if (fails && k == 1)
            without_zeros(o->in[k], in[k]);
        operand(&u, o->in[k], in[k], DIMS(N));
    }
    memcpy(u.attrs, o->attrs, sizeof o->attrs);
    u.n_attrs = o->n_attrs;
    ok = run(&u, o->op);
    if (ok) {
        const tn_dtype out = u.out->type->dtype;
        const node *n = node_of(u.b.f, u.b.f->outputs.at[0]);
        job j = {.n_results = 1u + fails, .n = N, .end = N, .dtype = {out, TN_I1}};
        name_use(j.name, sizeof j.name, o, out);
        j.want[0] = jobs_copy(l, u.out->data, N * dtype_bytes(out));
        for (uint32_t k = 0; k < 1u + fails; k++)
            j.buffers[k] = jobs_memory(l, N * 16);
        if (fails) {
            char *none = jobs_memory(l, N);
            memset(none, 0, N);
            j.want[1] = none;
        }
        for (uint32_t k = 0; k < o->n_in; k++)
            j.buffers[1 + fails + k] = in[k];
        for (int v = 0; v < EACH_LANES; v++) {
            j.lanes = lanes_list[v];
            j.program = program_of(l, o, out, n->attrs, j.lanes, fails);
            jobs_add(l, &j);
        }
    }
    use_free(&u);
    return ok;
}

static inline unsigned add_for_each_dtype(job_list *l, op_use o, uint32_t n_in, uint64_t *state)
{
    unsigned n = 0;
    for (int d = 0; d < TN_DTYPE_COUNT; d++) {
        o.n_in = n_in;
        for (uint32_t k = 0; k < n_in; k++)
            o.in[k] = (tn_dtype)d;
        if (o.op == OP_SELECT)
            o.in[0] = TN_I1;
        n += add_use(l, &o, state);
    }
    return n;
}

static inline void add_ops(job_list *l, uint64_t *state)
{
    for (int op = 0; op < OP_COUNT; op++) {
        if (!(op_table[op].traits & T_ELEMENTWISE) || op == OP_CAST || op == OP_WRAP ||
            op == OP_BITCAST)
            continue;
        op_use o = {.op = (op_id)op, .is_clean = op == OP_SELECT || op == OP_STOP_GRADIENT};
        unsigned n = 0;
        if (op == OP_COMPARE) {
            for (int which = DIR_LT; which <= DIR_NE; which++) {
                o.attrs[0] = attr_of_int(KEY_DIRECTION, which);
                o.n_attrs = 1;
                n += add_for_each_dtype(l, o, 2, state);
            }
        } else {
            n = add_for_each_dtype(l, o, op_table[op].min_in, state);
        }
        if (op == OP_DIV) {
            o.attrs[0] = attr_of_int(KEY_ON_ZERO, ON_ZERO_ZERO);
            o.n_attrs = 1;
            n += add_for_each_dtype(l, o, 2, state);
        }
        CHECK(n >= (op == OP_REAL || op == OP_IMAG || op == OP_COMPLEX ? 2 : 6));
    }
}

static inline void add_casts(job_list *l, uint64_t *state)
{
    unsigned n = 0, wraps = 0, bitcasts = 0;
    for (int from = 0; from < TN_DTYPE_COUNT; from++)
        for (int to = 0; to < TN_DTYPE_COUNT; to++) {
            op_use o = {.op = OP_CAST, .in = {(tn_dtype)from}, .n_in = 1, .n_attrs = 1};
            o.attrs[0] = attr_of_int(KEY_DTYPE, to);
            n += add_use(l, &o, state);
            o.op = OP_WRAP;
            wraps += add_use(l, &o, state);
            o.op = OP_BITCAST;
            bitcasts += add_use(l, &o, state);
        }
    CHECK_INT(n, 19 * 19 - 2 * 16);
    CHECK_INT(wraps, 10 * 10);
    CHECK_INT(bitcasts, 2 * 2 + 2 * 4 * 4 + 2 * 3 * 3);
}

/* Scale and zero point along the only axis, so that every element has its own. */
static inline void add_scaling(job_list *l, uint64_t *state)
{
    static const tn_dtype floats[] = {TN_FP8_E4M3, TN_FP8_E5M2, TN_BF16, TN_F16, TN_F32, TN_F64};
    unsigned n = 0;
    for (int f = 0; f < 6; f++)
        for (int q = 0; q < TN_DTYPE_COUNT; q++) {
            const tn_dtype quantised = (tn_dtype)q, real = floats[f];
            op_use o = {.attrs = {attr_of_int(KEY_DTYPE, q), attr_of_int(KEY_AXIS, 0)},
                        .n_attrs = 2};
            const uint32_t most = 2 + dtype_is_int(quantised);
            for (uint32_t k = 1; k <= most; k++) {
                o.n_in = k;
                o.op = OP_QUANTIZE;
                o.attrs[0] = attr_of_int(KEY_DTYPE, q);
                o.in[0] = o.in[1] = real;
                o.in[2] = quantised;
                n += add_use(l, &o, state);
                o.op = OP_DEQUANTIZE;
                o.attrs[0] = attr_of_int(KEY_DTYPE, real);
                o.in[0] = o.in[2] = quantised;
                o.in[1] = real;
                n += add_use(l, &o, state);
            }
            for (int to = TN_SI4; to <= TN_SI32 && dtype_is_int(quantised); to++) {
                o = (op_use){.op = OP_REQUANTIZE,
                             .in = {quantised, real, quantised, real, (tn_dtype)to},
                             .n_in = 5,
                             .attrs = {attr_of_int(KEY_DTYPE, to), attr_of_int(KEY_AXIS, 0)},
                             .n_attrs = 2};
                n += add_use(l, &o, state);
                o.n_in = 3;
                o.in[2] = real;
                n += add_use(l, &o, state);
            }
        }
    CHECK(n > 800);
}

/* Which lanes fail, where some divisors are zero. */
static inline void add_failures(job_list *l, uint64_t *state)
{
    for (int d = TN_SI4; d <= TN_UI64; d++)
        for (int m = 0; m < 2; m++) {
            const op_use o = {
                .op = m ? OP_MOD : OP_DIV, .in = {(tn_dtype)d, (tn_dtype)d}, .n_in = 2};
            const size_t size = dtype_bytes(o.in[0]);
            job j = {.n_results = 2, .n = N, .end = N, .dtype = {o.in[0], TN_I1}};
            name_use(j.name, sizeof j.name, &o, o.in[0]);
            for (int k = 0; k < 4; k++) {
                j.buffers[k] = jobs_memory(l, N * 8);
                random_data(state, o.in[0], j.buffers[k], N, true);
            }
            char *want = jobs_memory(l, N * 8), *failed = jobs_memory(l, N);
            for (size_t i = 0; i < N; i++) {
                const char *x = j.buffers[2] + i * size, *y = j.buffers[3] + i * size;
                const type *const t[2] = {&(const type){.dtype = o.in[0]},
                                          &(const type){.dtype = o.in[0]}};
                flat_kernel k;
                (void)flat_kernel_init(&k, o.op, &attrs_none, t, 2, o.in[0], memory_of(l));
                failed[i] = !flat_kernel_run(&k, (const void *const[]){x, y}, want + i * size, 1);
                if (failed[i])
                    memset(want + i * size, 0, size);
            }
            j.want[0] = want;
            j.want[1] = failed;
            for (int v = 0; v < EACH_LANES; v++) {
                j.lanes = lanes_list[v];
                j.program = program_of(l, &o, o.in[0], &attrs_none, j.lanes, true);
                jobs_add(l, &j);
            }
        }
}

/* ---- formats, completely ---- */

static inline const loop_program *cast_program(job_list *l, tn_dtype from, tn_dtype via,
                                               tn_dtype to, uint32_t lanes)
{
    loop_builder b;
    loop_init(&b, memory_of(l));
    const loop_value i = open_loop(&b, lanes);
    const element x = element_cast(&b, load(&b, 1, i, from, lanes), via);
    store(&b, 0, i, element_cast(&b, x, to));
    loop_end(&b);
    return loop_finish(&b);
}

/* Through VIA, as it is held: what is stored can be right where that is not. */
static inline void add_cast(job_list *l, tn_dtype from, tn_dtype via, tn_dtype to, char *in,
                            int64_t n, uint32_t lanes)
{
    job j = {.n_results = 1, .n = n, .end = n, .lanes = lanes, .dtype = {to}};
    char *want = jobs_memory(l, (size_t)n * 16);
    (void)snprintf(j.name, sizeof j.name, "all of %s to %s to %s", dtype_name(from),
                   dtype_name(via), dtype_name(to));
    char *middle = jobs_memory(l, (size_t)n * 16);
    (void)dtype_cast(from, in, via, middle, (size_t)n);
    (void)dtype_cast(via, middle, to, want, (size_t)n);
    j.want[0] = want;
    j.buffers[0] = jobs_memory(l, (size_t)n * 16);
    j.buffers[1] = in;
    j.program = cast_program(l, from, via, to, lanes);
    jobs_add(l, &j);
}

/* Every value of the format widened, and stored again; then every midpoint between neighbours, with
 * what lies beside it, rounded from f32 and from f64. */
static inline void add_formats(job_list *l)
{
    static const tn_dtype dtypes[] = {TN_FP8_E4M3, TN_FP8_E5M2, TN_BF16, TN_F16};
    for (int f = 0; f < 4; f++) {
        const tn_dtype d = dtypes[f];
        const size_t size = dtype_bytes(d);
        const int64_t n = 1 << 8 * size;
        char *all = jobs_memory(l, (size_t)n * size);
        float *near32 = jobs_memory(l, (size_t)n * 4 * sizeof(float));
        double *near64 = jobs_memory(l, (size_t)n * 4 * sizeof(double));
        for (int64_t i = 0; i < n; i++) {
            const uint64_t bits = (uint64_t)i, next = (bits + 1) % (uint64_t)n;
            char other[8];
            memcpy(all + (size_t)i * size, &bits, size);
            memcpy(other, &next, size);
            const double a = scalar_load(d, all + (size_t)i * size).f;
            double c = scalar_load(d, other).f;
            if (!isfinite(c)) /* the number that would come next */
                c = a * 0x1.2p0;
            const double middle = (a + c) / 2;
            for (int k = 0; k < 4; k++) {
                const float m32 = (float)middle;
                near32[4 * i + k] =
                    k == 3 ? (float)a : f32_from_bits(f32_bits(m32) + (uint32_t)k - 1);
                near64[4 * i + k] = k == 3 ? a : f64_from_bits(f64_bits(middle) + (uint64_t)k - 1);
            }
        }
        add_cast(l, d, d, TN_F32, all, n, 16);
        add_cast(l, d, d, d, all, n, 16);
        add_cast(l, d, d, TN_F64, all, n, 4);
        add_cast(l, TN_F32, d, d, (char *)near32, 4 * n, 16);
        add_cast(l, TN_F32, d, TN_F32, (char *)near32, 4 * n, 16);
        add_cast(l, TN_F64, d, d, (char *)near64, 4 * n, 16);
        add_cast(l, TN_F64, d, TN_F64, (char *)near64, 4 * n, 16);
    }
}

static inline void add_everything(job_list *l)
{
    uint64_t state = 1;
    add_ops(l, &state);
    add_casts(l, &state);
    add_scaling(l, &state);
    add_failures(l, &state);
    add_formats(l);
    add_memory(l, &state);
    add_folds(l, &state);
    add_generators(l);
    add_any(l);
}

#endif
