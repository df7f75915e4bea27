/* Elementwise ops on flat pieces: every operand and the result have N elements side by side. The
 * evaluator cuts tensors into such pieces and reads broadcast operands into them one at a time. */
#ifndef EVAL_KERNELS_FLAT_H
#define EVAL_KERNELS_FLAT_H

#include "eval/parts/eval_call.h"
#include "scalar/program.h"

enum {
    FLAT_CHUNK = 1024, /* most elements of a piece */
    FLAT_OPERANDS = 3
};

/* What a kernel sees: operands and result in compute form, that is narrow floats as f32, 4-bit
 * integers as their 8-bit sort and i1 as ui8 0 or 1. */
typedef struct flat_args {
    tn_dtype dtype; /* of the last operand, in compute form: what the kernel works in */
    const void *in[FLAT_OPERANDS];
    void *out; /* never overlaps an operand */
    size_t n;
    int64_t mode;                  /* of compare: direction; of div: on_zero; of not: is it i1;
                                      of most: the bits of an element */
    const scalar_program *program; /* of mathematical functions */
} flat_args;

/* False when an element cannot be computed: an integer division by zero. */
typedef bool flat_fn(const flat_args *args);

/* One use of an elementwise op, ready to run on any number of pieces. */
typedef struct flat_kernel {
    flat_fn *fn;
    uint32_t n_in;
    tn_dtype in[FLAT_OPERANDS], out; /* as stored */
    bool by_storage;                 /* the kernel takes and gives elements as stored */
    int64_t mode;
    const scalar_program *program;
} flat_kernel;

/* The kernel of OP on operands of these types; lives in MEMORY. False when there is no memory; OP
 * and types must have passed the type rule, and OP be one with T_ELEMENTWISE. */
bool flat_kernel_init(flat_kernel *k, op_id op, const attrs *given, const type *const *in,
                      uint32_t n_in, tn_dtype out, arena *memory);
/* N <= FLAT_CHUNK elements as stored. */
bool flat_kernel_run(const flat_kernel *k, const void *const *in, void *out, size_t n);

/* The kernels that rows of ops.def name. flat_select, flat_cast, flat_wrap and flat_bitcast take
 * elements as stored; `mode` is the size of an element, or the two dtypes. */
#define ELEMENTWISE(id, text, n_in, attrs, traits, infer, kernel, cost, grad, help)                \
    flat_fn flat_##kernel;
#include "graph/ops.def"

#endif
