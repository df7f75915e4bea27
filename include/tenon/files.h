/* Tensors in files: .npz archives, .safetensors and .npy files, told apart by their content, and
 * tensors of ONNX in files called .pb; files beside a model; and files that are written together.
 *
 *     tn_tensor_file *file;
 *     size_t i;
 *     tn_buffer w;
 *     if (tn_tensor_file_open(cx, "model.safetensors", &file) == TN_OK &&
 *         tn_tensor_file_find(file, "wte.weight", &i) &&
 *         tn_tensor_file_load(file, i, &w) == TN_OK) { ... }
 *     tn_tensor_file_close(file);
 *
 * Opening a file reads only the list of its tensors, but all of a .pb; each is read when it is
 * loaded. Files are not trusted: sizes are checked before memory is taken, and against the limit
 * run_bytes. What a file cannot say (NumPy has no bf16, for example) is up to the caller, who may
 * change the element type of a loaded buffer to another of the same size, or ask
 * tn_program_check_input. A file belongs to its context and its thread. */
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
 * returns  TN_ERR_IO when it cannot be read or is none of the formats; TN_ERR_NOMEM */
TN_API tn_status tn_tensor_file_open(tn_context *cx, const char *path, tn_tensor_file **file);
/* Close FILE, which may be NULL, and free the tensors loaded from it. */
TN_API void tn_tensor_file_close(tn_tensor_file *file);

/* The tensors, in the order of the file. Names are borrowed from FILE; NULL past the last. In an
 * .npz the name is that of the member, without ".npy"; the one tensor of an .npy is called "", that
 * of a .pb as the file says, often "". */
TN_API size_t tn_tensor_file_count(const tn_tensor_file *file);
TN_API const char *tn_tensor_file_name(const tn_tensor_file *file, size_t index);
/* Is FILE of a format that has one tensor, .npy or .pb? */
TN_API bool tn_tensor_file_is_single(const tn_tensor_file *file);
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

/* ---- files beside a model ---- */

/* Where an ONNX model keeps data of tensors: regular files below the folder of the model, and none
 * outside of it, whatever the model says and links lead to. They are mapped, not copied.
 *
 *     tn_model_files *files = tn_model_files_new(NULL, path);
 *     tn_read_options o = {.size = sizeof o, .external = tn_model_files_data};
 *     o.external_user = files;
 *     if (files)
 *         s = tn_module_read_file(cx, &o, path, &module);
 *
 * They must not be changed while they are in use. A set is used by one thread at a time. */
typedef struct tn_model_files tn_model_files;

/* The files of the model in the file MODEL, or in the folder MODEL if that ends with a slash.
 * Nothing is opened yet.
 *
 * allocator  copied; its `user` stays until the files are freed. NULL: malloc
 * returns    owned by the caller: tn_model_files_free. NULL when there is no memory */
TN_API tn_model_files *tn_model_files_new(const tn_allocator *allocator, const char *model);
/* Free FILES, which may be NULL. The modules read with them, their copies and all programs compiled
 * from them are freed before. */
TN_API void tn_model_files_free(tn_model_files *files);
/* For `external` of tn_read_options, with the files as `external_user`. */
TN_API const char *tn_model_files_data(void *files, const char *location, uint64_t offset,
                                       uint64_t length, const void **data);

/* ---- writing ---- */

/* Files that appear together, each complete, or not at all:
 *
 *     tn_file_set *set;
 *     tn_status s = tn_file_set_begin(cx, &set);
 *     if (s == TN_OK) {
 *         s = tn_file_set_add(set, "net.o", object, n_object);
 *         if (s == TN_OK)
 *             s = tn_file_set_add(set, "net.h", header, n_header);
 *         s = tn_file_set_end(set, s);
 *     }
 *
 * Until the end nothing is seen under these names; a process that is killed leaves nothing behind
 * where the file system has nameless files. Devices and pipes are written at once. From the first
 * file to the end, signals that would end the process wait. */
typedef struct tn_file_set tn_file_set;

/* Begin a set without files.
 *
 * set      owned by the caller: tn_file_set_end, before the context is freed. NULL on failure
 * returns  TN_ERR_NOMEM
 * threads  a set belongs to its context and its thread */
TN_API tn_status tn_file_set_begin(tn_context *cx, tn_file_set **set);
/* Have the folder PATH. If it had to be made, it goes again when the set is given up.
 * returns  TN_ERR_IO; TN_ERR_NOMEM */
TN_API tn_status tn_file_set_folder(tn_file_set *set, const char *path);
/* A file of these bytes. returns TN_ERR_USAGE where SET has a file called PATH; TN_ERR_IO;
 * TN_ERR_NOMEM */
TN_API tn_status tn_file_set_add(tn_file_set *set, const char *path, const void *bytes, size_t n);
/* A file of tensors: an archive when PATH ends with ".npz" or ".safetensors", else one .npy, for
 * one tensor. Element types that the format lacks are written as integers of their size.
 *
 * names    of the tensors in an archive, each once; NULL: "0", "1", ..
 * tensors  dense and row-major, every extent known
 * returns  TN_ERR_USAGE  several tensors, or none, for an .npy; a tensor without its data; as
 *                        tn_file_set_add
 *          TN_ERR_IO, also for a name that is used twice, and for cf64 in a .safetensors;
 *          TN_ERR_NOMEM */
TN_API tn_status tn_file_set_add_tensors(tn_file_set *set, const char *path,
                                         const char *const *names, const tn_buffer *tensors,
                                         size_t n);
/* Free SET, which may be NULL. With STATUS TN_OK all its files are put in place first, in the order
 * in which they were added; else they go.
 *
 * returns  STATUS, or TN_ERR_IO when a file cannot be put in place (a folder may be gone by now):
 *          those before it stay, it and those behind it go */
TN_API tn_status tn_file_set_end(tn_file_set *set, tn_status status);

#ifdef __cplusplus
}
#endif
#endif
