/* Tensors in files: .npz archives and .safetensors files, told apart by their content.
 *
 *     tn_tensor_file *file;
 *     size_t i;
 *     tn_buffer w;
 *     if (tn_tensor_file_open(cx, "model.safetensors", &file) == TN_OK &&
 *         tn_tensor_file_find(file, "wte.weight", &i) &&
 *         tn_tensor_file_load(file, i, &w) == TN_OK) { ... }
 *     tn_tensor_file_close(file);
 *
 * Opening a file reads only the list of its tensors; each is read when it is loaded. Files are not
 * trusted: sizes are checked before memory is taken, and against the limit run_bytes. What a file
 * cannot say (NumPy has no bf16, for example) is up to the caller, who may change the element type
 * of a loaded buffer to another of the same size. A file belongs to its context and its thread. */
#ifndef TENON_FILES_H
#define TENON_FILES_H

#include "tenon/tenon.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_tensor_file tn_tensor_file;

/* Open PATH, which may be a pipe, or "-" for standard input: these are read to their end first.
 *
 * file     owned by the caller: tn_tensor_file_close, before the context is freed
 * returns  TN_ERR_IO when it cannot be read or is neither of the formats; TN_ERR_NOMEM */
TN_API tn_status tn_tensor_file_open(tn_context *cx, const char *path, tn_tensor_file **file);
/* Close FILE, which may be NULL, and free the tensors loaded from it. */
TN_API void tn_tensor_file_close(tn_tensor_file *file);

/* The tensors, in the order of the file. Names are borrowed from FILE; NULL past the last. In an
 * .npz the name is that of the member, without ".npy". */
TN_API size_t tn_tensor_file_count(const tn_tensor_file *file);
TN_API const char *tn_tensor_file_name(const tn_tensor_file *file, size_t index);
/* Where the tensor NAME is; false when there is none. */
TN_API bool tn_tensor_file_find(const tn_tensor_file *file, const char *name, size_t *index);
/* The type of a tensor, without its data. returns TN_ERR_USAGE past the last; TN_ERR_IO */
TN_API tn_status tn_tensor_file_type(tn_tensor_file *file, size_t index, tn_type *type);

/* Read a tensor, dense and row-major in the byte order of this machine.
 *
 * tensor   its data is 64-byte aligned and stays FILE's, until tn_tensor_file_unload or _close;
 *          loading it again gives the same data
 * returns  TN_ERR_USAGE past the last; TN_ERR_IO; TN_ERR_NOMEM, also above the limit run_bytes */
TN_API tn_status tn_tensor_file_load(tn_tensor_file *file, size_t index, tn_buffer *tensor);
/* Free the data of a tensor, if it is loaded. */
TN_API void tn_tensor_file_unload(tn_tensor_file *file, size_t index);

#ifdef __cplusplus
}
#endif
#endif
