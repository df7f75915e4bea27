/* Tensors as they stand in a file. */
#ifndef DIALECT_ONNX_TENSORS_H
#define DIALECT_ONNX_TENSORS_H

#include "dialect/onnx/model.h"
#include "tenon/types.h"

/* The element type that the file calls NUMBER; false when the library has none of it. */
bool onnx_dtype(int64_t number, tn_dtype *out);
/* What ONNX calls it, or NULL. */
const char *onnx_dtype_name(int64_t number);
/* The file's number of D; 0: it has none. */
int64_t onnx_dtype_number(tn_dtype d);

/* The alignment of elements of the type that the file calls NUMBER; 1 where there is no such. */
size_t onnx_element_align(int64_t number);

typedef struct onnx_tensor_facts {
    tn_dtype dtype;
    uint32_t rank;
    int64_t dims[TN_MAX_RANK];
    int64_t count;
    size_t bytes; /* as the library stores it */
} onnx_tensor_facts;

/* The type of T, whose data is not looked at. What is wrong, or NULL. */
const char *onnx_tensor_type_of(const onnx_tensor *t, onnx_tensor_facts *out);
/* The bytes of a tensor of this type as raw data: two elements of 4 bits share one. */
size_t onnx_raw_bytes(const onnx_tensor_facts *facts);
/* The elements of T, dense and row-major in the storage of the library, at TO. What is wrong, or
 * NULL; external data comes with onnx_with_data. */
const char *onnx_tensor_store(const onnx_tensor *t, const onnx_tensor_facts *facts, void *to);

static inline bool onnx_tensor_is_external(const onnx_tensor *t)
{
    return t->location == 1;
}

#endif
