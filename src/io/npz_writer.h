/* Writing .npz files. */
#ifndef IO_NPZ_WRITER_H
#define IO_NPZ_WRITER_H

#include "base/system/output.h"
#include "io/array.h"

typedef struct npz_writer npz_writer;

/* Begin to write PATH as a file of SET, which must outlive the writer; nothing is written before
 * the writer is closed. With DEFLATE the members are compressed, otherwise stored. Errors are
 * reported as FileError or AllocationFailure. */
tn_status npz_writer_open(context *cx, output_set *set, const char *path, bool deflate,
                          npz_writer **out);
/* Add A as the member NAME.npy, in the form that npy_write gives it. The data of A is borrowed
 * until the writer is closed or discarded. A name may be used only once. */
tn_status npz_writer_add(context *cx, npz_writer *w, const char *name, const array *a);
/* Write everything and free the writer, whether or not that succeeds. The same arrays give the same
 * bytes each time. */
tn_status npz_writer_close(context *cx, npz_writer *w);
/* Free the writer; what it wrote goes with SET, which is not to be put in place. NULL is fine. */
void npz_writer_discard(context *cx, npz_writer *w);

#endif
