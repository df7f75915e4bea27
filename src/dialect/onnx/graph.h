/* The walk over a graph, for the files that share it. */
#ifndef DIALECT_ONNX_GRAPH_H
#define DIALECT_ONNX_GRAPH_H

#include "dialect/onnx/import.h"

/* Numbers of the N NODES in an order in which each comes after what it reads; that of the file
 * where it serves. NULL without memory, and when they depend on themselves, which is refused. */
const uint32_t *onnx_order(importer *im, const onnx_node *nodes, uint32_t n);

/* Which nodes and inputs of a graph are needed, by their numbers; NULL: all. */
typedef struct onnx_needed {
    const bool *nodes, *inputs;
} onnx_needed;

/* What the results that the options name need of the model's graph G. */
bool onnx_find_needed(importer *im, const onnx_graph *g, onnx_needed *out);
/* Refuse the result NAME, which G does not have. */
bool onnx_refuse_result(importer *im, const onnx_graph *g, const char *name);
/* Note with a refusal which results can be read of G, whose names are in SCOPE, when it is refused.
 */
bool onnx_note_results(importer *im, const onnx_scope *scope, const onnx_graph *g);

/* The names of G's initializers. */
bool onnx_define_initializers(importer *im, onnx_scope *scope, const onnx_graph *g);

#endif
