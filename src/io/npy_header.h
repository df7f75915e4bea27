/* The header of an .npy file, format versions 1.0 to 3.0. */
#ifndef IO_NPY_HEADER_H
#define IO_NPY_HEADER_H

#include "io/array.h"
#include "io/input.h"

typedef struct npy_header {
    bool swapped; /* numbers are in the other byte order than this machine's */
    bool columns; /* elements are in column-major ("Fortran") order */
} npy_header;

/* Read the header at the start of IN, and set the dtype, rank and dims of A. Afterwards IN stands
 * at the data. */
tn_status npy_header_read(context *cx, input *in, npy_header *h, array *a);

/* Magic, header and padding for 32 axes of 20 digits each take less than this. It is also less than
 * the 65535 bytes that version 1.0 can express, so no other version is ever written. */
enum { NPY_HEADER_ROOM = 1024 };

/* The bytes before the data of A: version 1.0, row-major, this machine's byte order, a multiple of
 * 64 bytes. Returns their number. */
size_t npy_header_write(const array *a, char out[NPY_HEADER_ROOM]);

#endif
