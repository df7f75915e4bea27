/* One op on given tensors: builds a function around it, runs it, and keeps result and diagnostic.
 */
#ifndef TEST_OPS_CASE_H
#define TEST_OPS_CASE_H

#include <stdlib.h>

#include "check.h"
#include "eval/eval.h"
#include "ops/build.h"

enum { OPS_CASE_MOST = 4 };

typedef struct ops_case {
    context *cx;
    module *m;
    builder b;
    value_id in[OPS_CASE_MOST];
    uint32_t n_in;
    attr attrs[OPS_CASE_MOST * 2];
    uint32_t n_attrs;
    tn_status status;
    char kind[64]; /* of the last diagnostic */
    char message[1024];
    tensor out;
} ops_case;

static inline void ops_case_heard(void *user, const tn_diagnostic *d)
{
    ops_case *c = user;
    (void)snprintf(c->kind, sizeof c->kind, "%s", d->kind);
    (void)snprintf(c->message, sizeof c->message, "%s", d->message);
}

static inline void ops_case_init(ops_case *c)
{
    memset(c, 0, sizeof *c);
    c->cx = context_new(NULL, &(tn_diagnostic_sink){ops_case_heard, c});
    c->m = module_new(c->cx);
    c->b = builder_on(module_add_function(c->m, "main", 4), NO_SPAN);
}

static inline void ops_case_free(ops_case *c)
{
    size_t bytes;
    if (c->out.data && type_bytes(c->out.type, &bytes))
        memory_free(&c->cx->allocator, c->out.data, bytes);
    module_free(c->m);
    context_free(c->cx);
}

#define DIMS(...) (const dim[]){__VA_ARGS__}, (uint32_t)(sizeof((dim[]){__VA_ARGS__}) / sizeof(dim))
#define SCALAR_DIMS NULL, 0

/* The next operand, a copy of DATA. */
static inline void ops_case_operand(ops_case *c, tn_dtype d, const void *data, const dim *dims,
                                    uint32_t rank)
{
    c->in[c->n_in++] = build_constant(&c->b, d, dims, rank, data);
}

static inline void ops_case_int(ops_case *c, attr_key key, int64_t i)
{
    c->attrs[c->n_attrs++] = attr_of_int(key, i);
}

/* The numbers must live until ops_case_run; literals of the same block do. */
static inline void ops_case_ints(ops_case *c, attr_key key, const int64_t *ints, uint32_t n)
{
    c->attrs[c->n_attrs++] = attr_of_ints(key, ints, n);
}

/* Build and run OP; true when there is a result. */
static inline bool ops_case_run(ops_case *c, op_id op)
{
    eval_run run = {.cx = c->cx, .bytes_limit = UINT64_MAX};
    value_id v = build_node(&c->b, op, c->in, c->n_in, c->attrs, c->n_attrs);
    c->status = c->b.status;
    if (c->status == TN_OK)
        c->status = function_add_output(c->b.f, v);
    if (c->status == TN_OK)
        c->status = evaluate(&run, c->b.f, NULL, &c->out);
    if (c->status == TN_OK)
        CHECK_INT(run.bytes_alive, 0);
    diag_flush(&c->cx->diag);
    return c->status == TN_OK;
}

/* Equal bytes, but any NaN equals any other for f32. */
static inline bool same_f32(const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0 && (a[i] == a[i] || b[i] == b[i])) {
            printf("    element %zu: have %a, want %a\n", i, (double)a[i], (double)b[i]);
            return false;
        }
    return true;
}

/* A small generator for test data: fractions of many magnitudes, both signs. */
static inline uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 32 ^ *state << 13;
}
static inline double random_real(uint64_t *state)
{
    const double fraction = (double)(int64_t)(next_random(state) % 2000001) / 1000000.0 - 1;
    static const double scales[] = {1, 1, 1, 1000, 1e-3, 1e5};
    return fraction * scales[next_random(state) % 6];
}
static inline void random_f32(uint64_t *state, float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)random_real(state);
}

#endif
