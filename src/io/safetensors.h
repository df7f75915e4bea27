/* Writing .safetensors files. */
#ifndef IO_SAFETENSORS_H
#define IO_SAFETENSORS_H

#include "base/system/output.h"
#include "io/array.h"

/* Receives the bytes of a file in order; false, with errno set, when they cannot be kept. */
typedef struct safetensors_sink {
    bool (*put)(void *user, const void *bytes, size_t n);
    void *user;
} safetensors_sink;

/* Give SINK the bytes of a file of N tensors: the same for the same tensors in the same order.
 * Element types that the format lacks travel as in .npy files. Reports a name that is used twice or
 * is no UTF-8, and what SINK could not keep, about the file PATH. */
tn_status safetensors_emit(context *cx, const char *path, const char *const *names,
                           const array *arrays, size_t n, const safetensors_sink *sink);
/* Make PATH such a file of SET. */
tn_status safetensors_write(context *cx, output_set *set, const char *path,
                            const char *const *names, const array *arrays, size_t n);

#endif
