/* A model in the making: values, constants and the nodes of graphs, which become bytes at the end.
 * Nothing here reports: memory that is missing is remembered, and every function then gives
 * ONNX_NOTHING. */
#ifndef DIALECT_ONNX_WRITE_OUT_H
#define DIALECT_ONNX_WRITE_OUT_H

#include "base/text/text.h"
#include "graph/module.h"

/* A value of the model, by its number. */
typedef uint32_t onnx_id;
#define ONNX_NOTHING UINT32_MAX /* as an input: left out */

/* An attribute of a node. */
typedef enum onnx_setting_kind {
    ONNX_SET_INT,
    ONNX_SET_FLOAT,
    ONNX_SET_TEXT,
    ONNX_SET_INTS,
    ONNX_SET_GRAPH
} onnx_setting_kind;

typedef struct onnx_setting {
    const char *name;
    onnx_setting_kind kind;
    int64_t i;
    double f;
    const char *s;
    const int64_t *ints;
    uint32_t n;
    const struct onnx_new_graph *graph;
} onnx_setting;

#define ONNX_INT_SET(name_, value)                                                                 \
    ((onnx_setting){.name = (name_), .kind = ONNX_SET_INT, .i = (value)})
#define ONNX_FLOAT_SET(name_, value)                                                               \
    ((onnx_setting){.name = (name_), .kind = ONNX_SET_FLOAT, .f = (value)})
#define ONNX_TEXT_SET(name_, value)                                                                \
    ((onnx_setting){.name = (name_), .kind = ONNX_SET_TEXT, .s = (value)})
#define ONNX_INTS_SET(name_, list, count)                                                          \
    ((onnx_setting){.name = (name_), .kind = ONNX_SET_INTS, .ints = (list), .n = (count)})
#define ONNX_GRAPH_SET(name_, g)                                                                   \
    ((onnx_setting){.name = (name_), .kind = ONNX_SET_GRAPH, .graph = (g)})

typedef struct onnx_new_node {
    const char *op;
    uint32_t n_in, n_out, n_settings;
    const onnx_id *in;
    onnx_id first; /* of its results, which are numbered one after the other */
    const onnx_setting *settings;
} onnx_new_node;

/* A value that a graph takes or gives, with its type. */
typedef struct onnx_port {
    onnx_id id;
    const type *type;
} onnx_port;

typedef struct onnx_new_graph {
    const char *name;
    uint32_t number; /* 1 + how many were begun before */
    VECTOR(onnx_new_node) nodes;
    VECTOR(onnx_port) inputs;
    VECTOR(onnx_port) outputs;
} onnx_new_graph;

typedef struct onnx_new_value {
    const char *name; /* NULL: any */
    const char *wish; /* what it is called if nothing else is; NULL: any */
    tn_dtype dtype;
    uint32_t graph; /* whose node makes it; 0: none, it is a constant or an input */
} onnx_new_value;

typedef struct onnx_new_constant {
    onnx_id id;
    tn_dtype dtype;
    uint32_t rank;
    const int64_t *dims;
    const void *data; /* which lives as long as the model */
    size_t bytes;
} onnx_new_constant;

typedef struct onnx_new_model {
    const module *m;
    arena memory;
    VECTOR(onnx_new_value) values;
    VECTOR(onnx_new_constant) constants;
    hash_index by_content; /* of small constants */
    VECTOR(const char *) names;
    hash_index by_name;
    VECTOR(onnx_new_graph *) graphs;
    onnx_new_graph *top, *g; /* of the model; the one that nodes are appended to */
    bool no_memory;
} onnx_new_model;

/* False without memory; release it in any case. */
bool onnx_model_begin(onnx_new_model *o, const module *m);
void onnx_model_release(onnx_new_model *o);

/* A new graph, without nodes; NULL without memory. */
onnx_new_graph *onnx_graph_begin(onnx_new_model *o, const char *name);
/* Something that the graph G takes. */
onnx_id onnx_graph_input(onnx_new_model *o, onnx_new_graph *g, const type *t);
/* G gives ID: through an Identity where a node of G does not make it, or it is given twice. */
onnx_id onnx_graph_output(onnx_new_model *o, onnx_new_graph *g, onnx_id id, const type *t);

/* The node OP at the end of the graph, with one result of the type D. */
onnx_id onnx_make(onnx_new_model *o, const char *op, tn_dtype d, const onnx_id *in, uint32_t n_in,
                  const onnx_setting *settings, uint32_t n_settings);
/* With N_OUT results of the types D; the number of the first. */
onnx_id onnx_make_all(onnx_new_model *o, const char *op, const tn_dtype *d, uint32_t n_out,
                      const onnx_id *in, uint32_t n_in, const onnx_setting *settings,
                      uint32_t n_settings);

/* Memory that lives as long as the model; NULL without memory. */
void *onnx_model_room(onnx_new_model *o, size_t bytes);
/* A constant of BYTES at DATA. Small ones are copied, and equal ones are one; the data of others
 * lives as long as the model. */
onnx_id onnx_constant(onnx_new_model *o, tn_dtype d, const int64_t *dims, uint32_t rank,
                      const void *data, size_t bytes);
/* A constant of its own, whatever others are equal; its data lives as long as the model. */
onnx_id onnx_weight(onnx_new_model *o, tn_dtype d, const int64_t *dims, uint32_t rank,
                    const void *data, size_t bytes);
/* The number VALUE as a constant of rank 0. */
onnx_id onnx_number(onnx_new_model *o, tn_dtype d, scalar value);
static inline onnx_id onnx_int(onnx_new_model *o, tn_dtype d, int64_t value)
{
    return onnx_number(o, d, scalar_of_int(value));
}
/* A list, of rank 1. */
onnx_id onnx_list_of(onnx_new_model *o, const int64_t *list, uint32_t n);

/* ID is called NAME, or nearly so where that is taken. An id that has a name keeps it. */
void onnx_name(onnx_new_model *o, onnx_id id, const char *name);

static inline tn_dtype onnx_dtype_of_id(const onnx_new_model *o, onnx_id id)
{
    return id < o->values.n ? o->values.at[id].dtype : TN_F32;
}

/* Where large constants go instead of into the model. */
typedef struct onnx_external {
    const char *location; /* NULL: nowhere */
    text_buffer *data;
} onnx_external;

/* The file. */
void onnx_model_write(onnx_new_model *o, const onnx_external *external, text_buffer *out);

#endif
