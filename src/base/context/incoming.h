/* Reading from what may be a pipe or a device: no wait there outlasts the context's time, or its
 * work when that is cancelled. */
#ifndef BASE_CONTEXT_INCOMING_H
#define BASE_CONTEXT_INCOMING_H

#include <sys/types.h>

#include "base/context/context.h"

/* Open PATH for reading; a pipe that nobody writes to is not waited for. Negative with errno set.
 */
int incoming_open(const char *path);

/* As read(2), after waiting until there is something to read. Where the context is stopped,
 * negative with ECANCELED, and diag_no_memory reports the reason. */
ssize_t incoming_read(context *cx, int fd, void *to, size_t n);

#endif
