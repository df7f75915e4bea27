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

#include "io/array.h"
#include "io/input.h"

/* On success OUT owns its data (array_release); on failure it has none. */
tn_status npy_read(context *cx, const char *path, array *out);
/* NAME stands for the file in messages. */
tn_status npy_read_memory(context *cx, const char *name, const void *bytes, size_t n, array *out);
/* Read IN, of which nothing is read yet, to its end. Without WITH_DATA only the dtype, rank and
 * dims of OUT are set; IN must still be long enough for the data. */
tn_status npy_read_input(context *cx, input *in, bool with_data, array *out);

tn_status npy_write(context *cx, const char *path, const array *a);
/* The file's N bytes, which the caller frees with memory_free(&cx->allocator, *bytes, *n). */
tn_status npy_write_memory(context *cx, const array *a, void **bytes, size_t *n);

#endif
