/* Contractions for tests: specifications of common ones, and running the programs that are made. */
#ifndef TEST_CONTRACT_RUN_H
#define TEST_CONTRACT_RUN_H

#include <stdio.h>
#include <stdlib.h>

#include "loop/contract/contract.h"
#include "loop_interpreter.h"
#include "runtime/code.h"
#include "target/target.h"

/* Orders of the axes of an operand in memory: for A of batch, M, K; for B of batch, N, K. */
typedef enum matrix_layout {
    LAYOUT_K_LAST,     /* [batch, m, k] or [batch, n, k] */
    LAYOUT_K_INNER,    /* [batch, k, m] or [batch, k, n] */
    LAYOUT_BATCH_INNER /* [m, batch, k] or [k, batch, n]: heads of attention */
} matrix_layout;

static inline void matrix_spec(contract_spec *s, int64_t batch, int64_t m, int64_t n, int64_t k,
                               matrix_layout a, matrix_layout b)
{
    const int64_t a_batch = a == LAYOUT_BATCH_INNER ? k : m * k;
    const int64_t a_m = a == LAYOUT_K_LAST ? k : a == LAYOUT_K_INNER ? 1 : batch * k;
    const int64_t a_k = a == LAYOUT_K_INNER ? m : 1;
    const int64_t b_batch = b == LAYOUT_BATCH_INNER ? n : n * k;
    const int64_t b_n = b == LAYOUT_K_LAST ? k : 1;
    const int64_t b_k = b == LAYOUT_K_LAST ? 1 : b == LAYOUT_K_INNER ? n : batch * n;
    contract_axis_add(s->batch, &s->n_batch, batch, a_batch, b_batch, m * n);
    contract_axis_add(s->m, &s->n_m, m, a_m, 0, n);
    contract_axis_add(s->n, &s->n_n, n, 0, b_n, 1);
    contract_axis_add(s->k, &s->n_k, k, a_k, b_k, 0);
}

/* A convolution of x[n, h, w, ci] with a filter [kh, kw, ci, co]. */
typedef struct conv_shape {
    int64_t n, h, w, ci, kh, kw, co, stride_h, stride_w, top, left, ho, wo;
} conv_shape;

static inline void conv_spec(contract_spec *s, const conv_shape *c)
{
    const int64_t row = c->wo * c->co;
    contract_axis_add(s->m, &s->n_m, c->n, c->h * c->w * c->ci, 0, c->ho * row);
    contract_axis_add(s->m, &s->n_m, c->ho, 0, 0, row);
    contract_axis_add(s->m, &s->n_m, c->wo, 0, 0, c->co);
    contract_axis_add(s->n, &s->n_n, c->co, 0, 1, 1);
    contract_axis_add(s->k, &s->n_k, c->kh, 0, c->kw * c->ci * c->co, 0);
    contract_axis_add(s->k, &s->n_k, c->kw, 0, c->ci * c->co, 0);
    contract_axis_add(s->k, &s->n_k, c->ci, 1, c->co, 0);
    s->windows[s->n_windows++] =
        contract_window_of(1, 0, c->stride_h, 1, c->top, c->h, c->w * c->ci);
    s->windows[s->n_windows++] = contract_window_of(2, 1, c->stride_w, 1, c->left, c->w, c->ci);
}

/* The functions of a plan, compiled; at[i] is NULL when the interpreter runs it. */
typedef struct contract_code {
    code *code;
    code_function *at[3];
} contract_code;

static inline bool contract_compile(contract_code *c, context *cx, const contract_plan *plan,
                                    const char *cpu)
{
    static const char *const names[] = {"f0", "f1", "f2"};
    target_function functions[3];
    text_buffer out;
    text_init(&out, &cx->allocator);
    for (uint32_t i = 0; i < plan->n_steps; i++)
        functions[i] = (target_function){names[i], plan->steps[i].program};
    const target_options options = {.cpu = cpu};
    memset(c, 0, sizeof *c);
    bool ok =
        plan->n_steps == 0 || (target_llvm(cx, functions, plan->n_steps, &options, &out) == TN_OK &&
                               code_load(&cx->allocator, out.at, out.n, &c->code) == TN_OK);
    for (uint32_t i = 0; ok && i < plan->n_steps; i++)
        ok = (c->at[i] = code_find(c->code, names[i])) != NULL;
    text_release(&out);
    return ok;
}

/* Run PLAN with its work cut into PIECES, the last one first. BUFFERS has CONTRACT_MORE entries or
 * more; those of packed operands are set here. */
static inline bool contract_run(const contract_plan *plan, const contract_code *c, char **buffers,
                                int64_t pieces)
{
    bool ok = true;
    void *packed[2] = {NULL, NULL};
    const uint64_t sizes[2] = {plan->packed_a_bytes, plan->packed_b_bytes};
    for (int i = 0; i < 2; i++) {
        packed[i] = sizes[i] ? aligned_alloc(64, (size_t)(sizes[i] + 63) / 64 * 64) : NULL;
        buffers[i ? CONTRACT_PACKED_B : CONTRACT_PACKED_A] = packed[i];
        if (packed[i])
            memset(packed[i], 0xa5, (size_t)sizes[i]);
    }
    for (uint32_t i = 0; ok && i < plan->n_steps; i++) {
        const contract_step *s = &plan->steps[i];
        char *scratch = aligned_alloc(64, (size_t)(s->program->scratch_bytes + 127) / 64 * 64);
        for (int64_t piece = pieces; ok && piece-- > 0;) {
            const int64_t begin = s->work * piece / pieces, end = s->work * (piece + 1) / pieces;
            int32_t status = 0;
            if (c && c->at[i]) {
                status = c->at[i](buffers, begin, end, scratch);
            } else {
                const char *why = loop_interpret(s->program, buffers, begin, end, scratch, &status);
                if (why)
                    printf("    interpreter: %s\n", why);
                ok = why == NULL;
            }
            ok = ok && status == 0;
        }
        free(scratch);
    }
    free(packed[0]);
    free(packed[1]);
    return ok;
}

#endif
