/* Files of named arrays: .npz and .safetensors, told apart by their content.
 *
 * Opening reads only the list; each array is read when it is loaded. In an .npz the member "x.npy"
 * is the array "x", and members that are not called .npy are not listed; members may be stored or
 * deflated. A .safetensors file must describe every byte of its data exactly once. Errors are
 * reported as FileError, or AllocationFailure, with the file's name. An archive must be closed
 * before its context is freed. */
#ifndef IO_ARCHIVE_H
#define IO_ARCHIVE_H

#include "io/array.h"
#include "io/input.h"

typedef struct archive archive;

tn_status archive_open(context *cx, const char *path, archive **out);
/* The same for IN, of which nothing is read yet; the archive takes it over, also on failure. */
tn_status archive_open_input(context *cx, const input *in, archive **out);
/* BYTES must outlive the archive. NAME stands for the file in messages. */
tn_status archive_open_memory(context *cx, const char *name, const void *bytes, size_t n,
                              archive **out);
void archive_close(context *cx, archive *a); /* NULL is fine */

/* Arrays are numbered from 0 in the order of the file's list; names are unique and UTF-8. */
uint32_t archive_count(const archive *a);
const char *archive_name(const archive *a, uint32_t index);
bool archive_find(const archive *a, const char *name, uint32_t *index);

/* The dtype, rank and dims of an array, without its data. */
tn_status archive_describe(context *cx, archive *a, uint32_t index, array *out);
/* On success OUT owns its data (array_release); on failure it has none. */
tn_status archive_load(context *cx, archive *a, uint32_t index, array *out);

/* Do the elements of an array lie in the file as they are in memory? Then they begin at byte *AT of
 * *FD, which the archive keeps. */
bool archive_place(const archive *a, uint32_t index, int *fd, uint64_t *at);

#endif
