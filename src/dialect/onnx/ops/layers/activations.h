/* The activations of recurrent layers, by name. */
#ifndef DIALECT_ONNX_ACTIVATIONS_H
#define DIALECT_ONNX_ACTIVATIONS_H

#include "dialect/onnx/ops/op.h"

enum { MOST_ACTIVATIONS = 3 }; /* of a cell */

typedef struct activation {
    const struct activation_rule *rule;
    double alpha, beta;
} activation;

/* The activations of N_CELLS directions with cells of KIND, N for each, one after the other. False
 * after a refusal. */
bool onnx_activations_read(onnx_call *c, onnx_cell_kind kind, uint32_t n_cells, uint32_t n,
                           activation *out);
/* A of X. */
tn_value onnx_activated(onnx_call *c, const activation *a, tn_value x);

#endif
