/* One op on given tensors, like ops_case.h, for ops with several results or regions. */
#ifndef TEST_OPS_PTIR_CASE_H
#define TEST_OPS_PTIR_CASE_H

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "eval/eval.h"
#include "ops/build.h"

enum { MOST = 8 };

typedef struct use {
    context *cx;
    module *m;
    builder b;
    value_id in[MOST];
    uint32_t n_in;
    attr attrs[MOST];
    uint32_t n_attrs;
    uint64_t seed;
    const struct custom_registry *custom;
    char kind[64]; /* of the last diagnostic */
    char message[1024];
    tensor out[MOST];
    uint32_t n_out;
} use;

static inline void use_heard(void *user, const tn_diagnostic *d)
{
    use *u = user;
    (void)snprintf(u->kind, sizeof u->kind, "%s", d->kind);
    (void)snprintf(u->message, sizeof u->message, "%s", d->message);
}

static inline void use_init(use *u)
{
    memset(u, 0, sizeof *u);
    u->cx = context_new(NULL, &(tn_diagnostic_sink){use_heard, u});
    u->m = module_new(u->cx);
    u->b = builder_on(module_add_function(u->m, "main", 4), NO_SPAN);
}

static inline void use_free(use *u)
{
    size_t bytes;
    for (uint32_t i = 0; i < u->n_out; i++)
        if (u->out[i].data && type_bytes(u->out[i].type, &bytes))
            memory_free(&u->cx->allocator, u->out[i].data, bytes);
    module_free(u->m);
    context_free(u->cx);
}

#define DIMS(...) (const dim[]){__VA_ARGS__}, (uint32_t)(sizeof((dim[]){__VA_ARGS__}) / sizeof(dim))
#define RANK0 NULL, 0
#define INTS(...) DIMS(__VA_ARGS__)
#define NO_INTS NULL, 0

static inline void operand(use *u, tn_dtype d, const void *data, const dim *dims, uint32_t rank)
{
    u->in[u->n_in++] = build_constant(&u->b, d, dims, rank, data);
}
static inline void with_int(use *u, attr_key key, int64_t i)
{
    u->attrs[u->n_attrs++] = attr_of_int(key, i);
}
/* The numbers must live until `run`. */
static inline void with_ints(use *u, attr_key key, const int64_t *ints, uint32_t n)
{
    u->attrs[u->n_attrs++] = attr_of_ints(key, ints, n);
}
static inline void with_scalar(use *u, attr_key key, const scalar *s)
{
    u->attrs[u->n_attrs++] = attr_of_scalar(key, s);
}
static inline void with_text(use *u, attr_key key, const char *text)
{
    u->attrs[u->n_attrs++] =
        (attr){.key = (uint8_t)key, .v.s = module_string(u->m, text, strlen(text))};
}

/* Build and run OP; true when there are results. */
static inline bool run(use *u, op_id op)
{
    eval_run r = {.cx = u->cx, .bytes_limit = UINT64_MAX, .seed = u->seed, .custom = u->custom};
    const value_id v = build_node(&u->b, op, u->in, u->n_in, u->attrs, u->n_attrs);
    tn_status s = u->b.status;
    const function *f = u->b.f;
    const uint32_t n = s == TN_OK && v < f->values.n ? node_of(f, v)->n_results : 0;
    for (uint32_t i = 0; i < n && s == TN_OK; i++)
        s = function_add_output(u->b.f, v + i);
    if (s == TN_OK)
        s = evaluate(&r, f, NULL, u->out);
    if (s == TN_OK) {
        u->n_out = n;
        CHECK_INT(r.bytes_alive, 0);
        CHECK_INT(r.depth, 0);
        CHECK_INT(module_verify(u->m, NULL), TN_OK);
    }
    diag_flush(&u->cx->diag);
    return s == TN_OK;
}

/* Build and run OP, which must fail with KIND; then start anew. */
#define REJECTS(u, op, wanted)                                                                     \
    do {                                                                                           \
        CHECK(!run((u), (op)));                                                                    \
        CHECK_TEXT((u)->kind, (wanted));                                                           \
        use_free(u);                                                                               \
        use_init(u);                                                                               \
    } while (0)

static inline bool shape_is(const tensor *t, tn_dtype d, const dim *dims, uint32_t rank)
{
    return t->type->dtype == d && t->type->rank == rank &&
           (rank == 0 || memcmp(t->type->dims, dims, rank * sizeof *dims) == 0);
}

/* Equal bits, any two NaNs included. */
static inline bool same_numbers(const tensor *t, const void *want)
{
    const tn_dtype d = t->type->dtype;
    const size_t size = dtype_bytes(d);
    for (int64_t i = 0; i < t->type->count; i++) {
        const char *a = (const char *)t->data + (size_t)i * size;
        const char *b = (const char *)want + (size_t)i * size;
        if (memcmp(a, b, size) != 0 && !scalar_equal(scalar_load(d, a), scalar_load(d, b))) {
            const scalar x = scalar_load(d, a), y = scalar_load(d, b);
            printf("    element %" PRId64 " of %s: ", i, dtype_name(d));
            if (x.kind == DTYPE_FLOAT || x.kind == DTYPE_COMPLEX)
                printf("have %a, want %a\n", x.f, y.f);
            else
                printf("have %" PRId64 ", want %" PRId64 "\n", x.i, y.i);
            return false;
        }
    }
    return true;
}

static inline uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* N elements of D: small integers with many ties, zeros of both signs, and NaNs when asked for. */
static inline void random_elements(uint64_t *state, tn_dtype d, void *to, size_t n, bool nans)
{
    for (size_t i = 0; i < n; i++) {
        const int64_t r = (int64_t)(next_random(state) % 13) - 6;
        scalar s = scalar_of_int(dtype_is_unsigned(d) || d == TN_I1 ? (r < 0 ? 0 : r) : r);
        if (dtype_is_float(d) || dtype_is_complex(d)) {
            const uint64_t special = next_random(state) % 16;
            s = scalar_of_float((double)r / 4);
            if (special == 0)
                s = scalar_of_float(-0.0);
            else if (special == 1 && nans)
                s = scalar_of_float((double)NAN);
            else if (special == 2 && nans)
                s = scalar_of_float(r < 0 ? -(double)INFINITY : (double)INFINITY);
        }
        (void)scalar_store(s, d, (char *)to + i * dtype_bytes(d));
    }
}

#endif
