/* Reading and writing .npy files.
 *
 * Every bool, integer of 1 to 8 bytes, float of 2 to 8 and complex of 8 or 16 bytes is read, in
 * both byte orders and both element orders, as a row-major array of the file's own dtype; a bool is
 * 0 or
 * 1. What stands for an element type that NumPy lacks is settled by array_fits. Files are written
 * row-major, little-endian, version 1.0, under the dtype array_carrier. Errors are reported as
 * FileError, or AllocationFailure, with the file's name. */
#ifndef IO_NPY_H
#define IO_NPY_H

#include "base/system/output.h"
#include "io/array.h"
#include "io/input.h"
#include "io/npy_header.h"

/* A file of which only the header has been read: the caller compares its type with the expected one
 * before there is memory for the data. */
typedef struct npy_file {
    input in;
    npy_header header;
    array type; /* without data */
} npy_file;

/* PATH must outlive F. On success F is to be closed; the file is long enough for its data. */
tn_status npy_open(context *cx, const char *path, npy_file *f);
/* The same for IN, of which nothing is read yet; F takes it over, also on failure. */
tn_status npy_open_input(context *cx, const input *in, npy_file *f);
/* Read the data, once. On success OUT owns it (array_release); on failure it has none. */
tn_status npy_load(context *cx, npy_file *f, array *out);
void npy_close(npy_file *f);

/* All of it at once. On success OUT owns its data (array_release); on failure it has none. */
tn_status npy_read(context *cx, const char *path, array *out);
/* NAME stands for the file in messages. */
tn_status npy_read_memory(context *cx, const char *name, const void *bytes, size_t n, array *out);
/* Read IN, of which nothing is read yet, to its end. Without WITH_DATA only the dtype, rank and
 * dims of OUT are set; IN must still be long enough for the data. */
tn_status npy_read_input(context *cx, input *in, bool with_data, array *out);

/* Make PATH a file of SET. */
tn_status npy_write(context *cx, output_set *set, const char *path, const array *a);
/* The file's N bytes, which the caller frees with memory_free(&cx->allocator, *bytes, *n). */
tn_status npy_write_memory(context *cx, const array *a, void **bytes, size_t *n);

#endif
