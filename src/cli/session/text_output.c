/* Where texts come from and go to: files, standard input, output and error. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/session/cli.h"

enum { LARGEST_WRITE = 1 << 30, READ_STEP = 64 << 10 };

/* Wait until FD has something to read, or takes more (EVENT); false with errno set, which is ETIME
 * behind DEADLINE, by time_now; 0: none. */
static bool wait_for(int64_t deadline, int fd, short event)
{
    enum { LONGEST = 1 << 20 }; /* milliseconds of one wait */
    struct pollfd wanted = {.fd = fd, .events = event};
    for (;;) {
        const int64_t left = deadline ? (deadline - time_now()) / 1000000 + 1 : LONGEST;
        if (left <= 0) {
            errno = ETIME;
            return false;
        }
        const int ready = poll(&wanted, 1, left < LONGEST ? (int)left : LONGEST);
        if (ready > 0 || (ready < 0 && errno != EINTR && errno != EAGAIN))
            return ready > 0;
    }
}

/* False with errno set when not all could be written; ETIME when that was not until DEADLINE. */
static bool write_until(int64_t deadline, int fd, const char *bytes, size_t n)
{
    /* with a limit no more at once than a pipe takes that is ready: a longer write may wait */
    const size_t most = deadline ? PIPE_BUF : LARGEST_WRITE;
    while (n) {
        if (deadline && !wait_for(deadline, fd, POLLOUT))
            return false;
        ssize_t done = write(fd, bytes, n < most ? n : most);
        if (done < 0 && (errno == EINTR || (errno == EAGAIN && deadline)))
            continue;
        if (done < 0)
            return false;
        bytes += done;
        n -= (size_t)done;
    }
    return true;
}

/* By time_now, when what is written now is given up; 0: never. */
static int64_t limit_of(const session *s)
{
    const int64_t own = s->patience ? time_now() + (int64_t)s->patience : 0;
    return s->deadline ? s->deadline : own;
}

bool output_bytes(const session *s, int fd, const char *bytes, size_t n)
{
    return write_until(limit_of(s), fd, bytes, n);
}

tn_status output_timeout(session *s)
{
    return report_error(s, TN_ERR_RUN, "Timeout", "the time limit was reached");
}

void output_error_text(const session *s, const char *text, size_t n)
{
    enum { LAST_WORDS = 50000000 }; /* nanoseconds, for what is said of the time limit itself */
    const int64_t soon = time_now() + LAST_WORDS, limit = limit_of(s);
    (void)write_until(limit && limit < soon ? soon : limit, STDERR_FILENO, text, n);
}

static bool append(void *user, const char *bytes, size_t n)
{
    cli_text *text = user;
    cli_put(text, bytes, n);
    return !text->failed;
}

tn_writer text_writer(cli_text *text)
{
    return (tn_writer){append, text};
}

static bool is_standard_output(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

static tn_status write_standard_output(session *s, const cli_text *text)
{
    if (output_bytes(s, STDOUT_FILENO, text->at, text->n))
        return TN_OK;
    if (errno == ETIME)
        return output_timeout(s);
    return file_error(s, "standard output cannot be written: %s", strerror(errno));
}

tn_status output_text_in(session *s, tn_file_set *set, const char *path, const cli_text *text)
{
    if (text->failed)
        return no_memory(s);
    return is_standard_output(path) ? write_standard_output(s, text)
                                    : tn_file_set_add(set, path, text->at, text->n);
}

tn_status output_text(session *s, const char *path, const cli_text *text)
{
    tn_file_set *set = NULL;
    if (text->failed)
        return no_memory(s);
    if (is_standard_output(path))
        return write_standard_output(s, text);
    TN_TRY(tn_file_set_begin(s->cx, &set));
    return tn_file_set_end(set, tn_file_set_add(set, path, text->at, text->n));
}

/* False with errno set; ENOTSUP: a device whose data may have no end. */
static bool read_all(const session *s, int fd, cli_text *text)
{
    char block[READ_STEP];
    struct stat info;
    ssize_t got;
    const bool is_device =
        fstat(fd, &info) == 0 && !isatty(fd) && (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode));
    do {
        got = wait_for(s->deadline, fd, POLLIN) ? read(fd, block, sizeof block) : -1;
        if (got > 0 && is_device) {
            errno = ENOTSUP;
            return false;
        }
        if (got > 0)
            cli_put(text, block, (size_t)got);
    } while (!text->failed && (got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN))));
    cli_put(text, "", 0);
    return got >= 0;
}

tn_status read_whole(session *s, const char *path, cli_text *text)
{
    const bool is_input = strcmp(path, "-") == 0;
    /* a pipe that nobody writes to is waited for with its data */
    const int fd =
        is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return file_error(s, "%s: cannot be opened: %s", path, strerror(errno));
    const bool ok = read_all(s, fd, text);
    const int reason = errno;
    if (!is_input)
        (void)close(fd);
    if (text->failed)
        return no_memory(s);
    if (ok)
        return TN_OK;
    if (reason == ETIME)
        return output_timeout(s);
    return file_error(s, "%s: %s%s", is_input ? "<stdin>" : path,
                      reason == ENOTSUP ? "is a device, whose data may have no end"
                                        : "cannot be read: ",
                      reason == ENOTSUP ? "" : strerror(reason));
}

void cli_put_type(cli_text *text, const tn_type *t)
{
    cli_printf(text, "%s[", tn_dtype_name(t->dtype));
    for (uint32_t i = 0; i < t->rank; i++) {
        cli_puts(text, i ? ", " : "");
        if (t->dims[i] == TN_DIM_UNKNOWN)
            cli_putc(text, '?');
        else
            cli_printf(text, "%lld", (long long)t->dims[i]);
    }
    cli_putc(text, ']');
}

int64_t time_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
