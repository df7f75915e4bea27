/* The walk over a graph, for the files that share it. */
#ifndef DIALECT_ONNX_GRAPH_H
#define DIALECT_ONNX_GRAPH_H

#include "dialect/onnx/import.h"

/* Numbers of the N NODES in an order in which each comes after what it reads; that of the file
 * where it serves. NULL without memory, and when they depend on themselves, which is refused. */
const uint32_t *onnx_order(importer *im, const onnx_node *nodes, uint32_t n);

/* The names of G's initializers. */
bool onnx_define_initializers(importer *im, onnx_scope *scope, const onnx_graph *g);

#endif
