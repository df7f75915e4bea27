/* Writing a file so that it appears complete or not at all. */
#ifndef IO_OUTPUT_H
#define IO_OUTPUT_H

#include "base/context.h"

typedef struct output {
    const char *path;
    char *temporary; /* NULL when PATH is a device or pipe, which is written directly */
    size_t temporary_size;
    int fd;
} output;

/* Begin to write PATH, which must outlive O. Each function reports what fails. */
tn_status output_open(context *cx, const char *path, output *o);
tn_status output_write(context *cx, output *o, const void *bytes, size_t n);
/* Put the file in place; on failure it is discarded. */
tn_status output_close(context *cx, output *o);
/* Leave PATH as it was. */
void output_discard(context *cx, output *o);

#endif
