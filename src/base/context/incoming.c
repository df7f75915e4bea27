/* Pipes, terminals and devices. */
#include "base/context/incoming.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATIENCE = 50 }; /* milliseconds between two looks whether the work is cancelled */

int incoming_open(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

/* How long poll may wait, in milliseconds; negative: for ever. */
static int patience(const context *cx)
{
    return cx->cancel || cx->deadline ? PATIENCE : -1;
}

ssize_t incoming_read(context *cx, int fd, void *to, size_t n)
{
    for (;;) {
        struct pollfd wanted = {.fd = fd, .events = POLLIN};
        if (context_is_stopped(cx)) {
            errno = ECANCELED;
            return -1;
        }
        const int ready = poll(&wanted, 1, patience(cx));
        if (ready < 0 && errno != EINTR && errno != EAGAIN)
            return -1;
        if (ready <= 0)
            continue;
        const ssize_t got = read(fd, to, n);
        if (got >= 0 || (errno != EINTR && errno != EAGAIN))
            return got;
    }
}
