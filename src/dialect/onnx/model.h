/* The data model of a file: its messages as structures in an arena, which point into the file.
 * Fields that mean nothing here, such as documentation, are skipped. */
#ifndef DIALECT_ONNX_MODEL_H
#define DIALECT_ONNX_MODEL_H

#include "base/memory/memory.h"
#include "dialect/onnx/wire.h"

/* What every message begins with. */
typedef struct onnx_message {
    onnx_bytes bytes;
    uint32_t present; /* bit n: field n is there */
} onnx_message;

/* N elements of a type that the name of the field tells. */
typedef struct onnx_list {
    void *at;
    uint32_t n;
} onnx_list;

typedef struct onnx_import {
    onnx_message message;
    onnx_bytes domain;
    int64_t version;
} onnx_import;

typedef struct onnx_pair {
    onnx_message message;
    onnx_bytes key, value;
} onnx_pair;

/* How a tensor's elements are written when not as raw bytes: lists of numbers. */
typedef enum onnx_data {
    ONNX_DATA_FLOAT = 4,
    ONNX_DATA_INT32 = 5,
    ONNX_DATA_STRING = 6,
    ONNX_DATA_INT64 = 7,
    ONNX_DATA_DOUBLE = 10,
    ONNX_DATA_UINT64 = 11
} onnx_data;

typedef struct onnx_tensor {
    onnx_message message;
    onnx_list dims; /* int64_t */
    int64_t data_type;
    onnx_bytes name, raw;
    onnx_list external; /* onnx_pair */
    int64_t location;
    bool is_stored; /* no tensor of the file: `raw` has elements as the library stores them */
} onnx_tensor;

/* Fields of onnx_tensor by number, for `present`. */
enum { ONNX_TENSOR_RAW = 9 };

/* A tensor of which only some elements are written, the others being 0. */
typedef struct onnx_sparse {
    onnx_message message;
    onnx_tensor *values, *indices; /* NULL: they are missing. The values have its name */
    onnx_list dims;                /* int64_t */
} onnx_sparse;

typedef struct onnx_dim {
    onnx_message message;
    int64_t value;
    onnx_bytes param;
} onnx_dim;
enum { ONNX_DIM_VALUE = 1, ONNX_DIM_PARAM = 2 };

typedef struct onnx_shape {
    onnx_message message;
    onnx_list dims; /* onnx_dim */
} onnx_shape;

typedef struct onnx_tensor_type {
    onnx_message message;
    int64_t elem_type;
    onnx_shape *shape; /* NULL: the rank is not known */
} onnx_tensor_type;

typedef struct onnx_type {
    onnx_message message;
    onnx_tensor_type *tensor; /* NULL: a sequence, a map, an optional, ... */
} onnx_type;

typedef struct onnx_value_info {
    onnx_message message;
    onnx_bytes name;
    onnx_type *type;
} onnx_value_info;

/* What an attribute holds. */
typedef enum onnx_attribute_kind {
    ONNX_NO_ATTRIBUTE = 0,
    ONNX_FLOAT = 1,
    ONNX_INT = 2,
    ONNX_STRING = 3,
    ONNX_TENSOR = 4,
    ONNX_GRAPH = 5,
    ONNX_FLOATS = 6,
    ONNX_INTS = 7,
    ONNX_STRINGS = 8,
    ONNX_TENSORS = 9,
    ONNX_GRAPHS = 10
} onnx_attribute_kind;

struct onnx_graph;
typedef struct onnx_attribute {
    onnx_message message;
    onnx_bytes name;
    int64_t type; /* onnx_attribute_kind */
    float f;
    int64_t i;
    onnx_bytes s;
    onnx_tensor *t;
    struct onnx_graph *g;
    onnx_sparse *sparse;
    onnx_list floats;  /* float */
    onnx_list ints;    /* int64_t */
    onnx_list strings; /* onnx_bytes */
    onnx_list tensors; /* onnx_tensor */
    onnx_list graphs;  /* onnx_graph */
    onnx_bytes refers; /* inside a function: to an attribute of the call */
} onnx_attribute;

typedef struct onnx_node {
    onnx_message message;
    onnx_list inputs, outputs; /* onnx_bytes */
    onnx_bytes name, op, domain, overload;
    onnx_list attributes; /* onnx_attribute */
} onnx_node;

typedef struct onnx_graph {
    onnx_message message;
    onnx_list nodes; /* onnx_node */
    onnx_bytes name;
    onnx_list initializers;                 /* onnx_tensor */
    onnx_list inputs, outputs, value_infos; /* onnx_value_info */
    onnx_list sparse_initializers;          /* onnx_sparse */
} onnx_graph;

typedef struct onnx_function {
    onnx_message message;
    onnx_bytes name;
    onnx_list inputs, outputs, attributes; /* onnx_bytes */
    onnx_list nodes;                       /* onnx_node */
    onnx_list imports;                     /* onnx_import */
    onnx_bytes domain;
    onnx_list defaults; /* onnx_attribute */
    onnx_bytes overload;
} onnx_function;

typedef struct onnx_model {
    onnx_message message;
    int64_t ir_version;
    onnx_bytes producer;
    onnx_graph *graph;
    onnx_list imports;   /* onnx_import */
    onnx_list functions; /* onnx_function */
} onnx_model;

/* What is wrong with a file. */
typedef struct onnx_fault {
    const char *what;    /* NULL: there is no memory */
    const char *message; /* the kind of message that holds it */
    const char *at;      /* the byte in the file */
} onnx_fault;

/* Read BYTES, a ModelProto, into MEMORY. At most NESTING messages stand inside each other. The
 * result points into BYTES, which must outlive it. NULL after a fault.
 *
 * own  the same bytes, where they may be changed: large data of tensors is then moved to where it
 *      is aligned for its elements, over the bytes that say how long it is; else NULL */
const onnx_model *onnx_model_read(arena *memory, onnx_bytes bytes, char *own, uint32_t nesting,
                                  onnx_fault *fault);
/* The same for a file with one TensorProto. */
const onnx_tensor *onnx_tensor_read(arena *memory, onnx_bytes bytes, onnx_fault *fault);

static inline onnx_bytes onnx_sparse_name(const onnx_sparse *s)
{
    return s->values ? s->values->name : (onnx_bytes){0};
}

/* Initializers of both kinds have numbers: the dense ones first. */
static inline uint32_t onnx_n_initializers(const onnx_graph *g)
{
    return g->initializers.n + g->sparse_initializers.n;
}

static inline onnx_bytes onnx_initializer_name(const onnx_graph *g, uint32_t i)
{
    const onnx_tensor *dense = g->initializers.at;
    const onnx_sparse *sparse = g->sparse_initializers.at;
    return i < g->initializers.n ? dense[i].name : onnx_sparse_name(&sparse[i - g->initializers.n]);
}

static inline bool onnx_has(const onnx_message *m, uint32_t field)
{
    return m->present >> field & 1;
}

#endif
