/* Shared objects, by the linker of the system. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/signals.h"
#include "target/object_archive.h"

extern char **environ;

enum { PATH_BYTES = 1024, MESSAGE_BYTES = 512 };

/* The files of one call, all in one folder of its own. */
typedef struct workshop {
    char folder[PATH_BYTES];
    signal_hold hold; /* while it is there */
    char object[PATH_BYTES + 16], exports[PATH_BYTES + 16], result[PATH_BYTES + 16],
        messages[PATH_BYTES + 16];
} workshop;

static tn_status file_error(context *cx, const char *path)
{
    return diag_report(&cx->diag, DIAG_FileError, NULL, NO_SPAN, "cannot use '%s': %s", path,
                       strerror(errno));
}

static tn_status open_workshop(context *cx, workshop *w)
{
    const char *base = getenv("TMPDIR");
    const int n = snprintf(w->folder, sizeof w->folder, "%s/tenon-link-XXXXXX",
                           base && *base ? base : "/tmp");
    w->hold.on = false;
    signals_hold(&w->hold);
    if (n < 0 || (size_t)n >= sizeof w->folder || !mkdtemp(w->folder)) {
        const tn_status s = file_error(cx, w->folder);
        signals_let_through(&w->hold);
        return s;
    }
    (void)snprintf(w->object, sizeof w->object, "%s/in.o", w->folder);
    (void)snprintf(w->exports, sizeof w->exports, "%s/exports", w->folder);
    (void)snprintf(w->result, sizeof w->result, "%s/out.so", w->folder);
    (void)snprintf(w->messages, sizeof w->messages, "%s/messages", w->folder);
    return TN_OK;
}

static void close_workshop(workshop *w)
{
    (void)unlink(w->object);
    (void)unlink(w->exports);
    (void)unlink(w->result);
    (void)unlink(w->messages);
    (void)rmdir(w->folder);
    signals_let_through(&w->hold);
}

static tn_status write_file(context *cx, const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    const bool written = f && fwrite(bytes, 1, n, f) == n;
    const bool closed = f && fclose(f) == 0;
    return written && closed ? TN_OK : file_error(cx, path);
}

static tn_status read_file(context *cx, const char *path, text_buffer *out)
{
    char part[4096];
    FILE *f = fopen(path, "rb");
    if (!f)
        return file_error(cx, path);
    for (size_t n = fread(part, 1, sizeof part, f); n > 0; n = fread(part, 1, sizeof part, f))
        text_put(out, part, n);
    const bool failed = ferror(f) != 0;
    (void)fclose(f);
    if (failed)
        return file_error(cx, path);
    return out->failed ? diag_no_memory(&cx->diag) : TN_OK;
}

/* { global: NAME; local: *; }; */
static tn_status write_exports(context *cx, const workshop *w, const char *const *symbols, size_t n)
{
    text_buffer text;
    text_init(&text, &cx->allocator);
    text_puts(&text, "{ ");
    for (size_t k = 0; k < n; k++)
        text_printf(&text, "%s%s; ", k ? "" : "global: ", symbols[k]);
    text_puts(&text, "local: *; };\n");
    const tn_status s =
        text.failed ? diag_no_memory(&cx->diag) : write_file(cx, w->exports, text.at, text.n);
    text_release(&text);
    return s;
}

/* Start ARGS with its messages going to a file, and with the signals that are held back here let
 * through: an interrupt of the terminal reaches it too. */
static bool start_program(const workshop *w, char *const *args, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t how;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    if (posix_spawnattr_init(&how) != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return false;
    }
    bool ready = posix_spawn_file_actions_addopen(&actions, 1, w->messages,
                                                  O_WRONLY | O_CREAT | O_TRUNC, 0600) == 0;
    ready = ready && posix_spawn_file_actions_adddup2(&actions, 1, 2) == 0;
    if (w->hold.on)
        ready = ready && posix_spawnattr_setsigmask(&how, &w->hold.before) == 0 &&
                posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK) == 0;
    ready = ready && posix_spawnp(child, args[0], &actions, &how, args, environ) == 0;
    (void)posix_spawnattr_destroy(&how);
    (void)posix_spawn_file_actions_destroy(&actions);
    return ready;
}

/* Run a program found along PATH: -1 when there is none, else its exit status. */
static int run_program(const workshop *w, const char *const *args)
{
    char *copies[16] = {NULL};
    pid_t child;
    int status = 0;

    for (size_t k = 0; args[k] && k < 15; k++)
        memcpy(&copies[k], &args[k], sizeof copies[k]); /* posix_spawn changes none of them */
    if (!start_program(w, copies, &child))
        return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) /* how some C libraries say it */
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/* The first line that the linker wrote. */
static void first_message(const workshop *w, char line[MESSAGE_BYTES])
{
    FILE *f = fopen(w->messages, "rb");
    size_t n = 0;
    if (f) {
        n = fread(line, 1, MESSAGE_BYTES - 1, f);
        (void)fclose(f);
    }
    line[n] = 0;
    line[strcspn(line, "\r\n")] = 0;
}

/* Has ARGS linked the object? Otherwise *FOUND says whether there is such a program, and LINE what
 * the first of them said. Nothing more is tried when the program is to end. */
static bool try_linker(const workshop *w, const char *const *args, bool *found,
                       char line[MESSAGE_BYTES])
{
    const int status = signals_waiting(&w->hold) ? -1 : run_program(w, args);
    if (status > 0 && !*found)
        first_message(w, line);
    *found = *found || status > 0;
    return status == 0;
}

static tn_status link_object(context *cx, const workshop *w, const char *name)
{
    char option[sizeof w->exports + 32], line[MESSAGE_BYTES] = "";
    static const char *const compilers[] = {"cc", "gcc", "clang"};
    static const char *const linkers[] = {"ld", "ld.bfd", "ld.lld"};
    bool found = false;

    (void)snprintf(option, sizeof option, "-Wl,--version-script=%s", w->exports);
    for (size_t k = 0; k < sizeof compilers / sizeof *compilers; k++)
        if (try_linker(w,
                       (const char *const[]){compilers[k], "-shared", "-nostartfiles", option, "-o",
                                             w->result, w->object, "-lm", NULL},
                       &found, line))
            return TN_OK;
    (void)snprintf(option, sizeof option, "--version-script=%s", w->exports);
    for (size_t k = 0; k < sizeof linkers / sizeof *linkers; k++)
        /* without the library of mathematics, which the program that loads it then has */
        if (try_linker(w,
                       (const char *const[]){linkers[k], "-shared", option, "-o", w->result,
                                             w->object, NULL},
                       &found, line))
            return TN_OK;
    if (found)
        return diag_report(&cx->diag, DIAG_BackendUnavailable, NULL, NO_SPAN,
                           "the system's linker made no shared object of '%s': %s", name,
                           *line ? line : "it gives no reason");
    return diag_report(&cx->diag, DIAG_BackendUnavailable, NULL, NO_SPAN,
                       "a shared object needs a linker, and none of cc, gcc, clang and ld is "
                       "installed; an object (.o) or archive (.a) needs none");
}

tn_status target_shared(context *cx, const char *name, const void *object, size_t n,
                        const char *const *symbols, size_t n_symbols, text_buffer *out)
{
    workshop w;
    TN_TRY(open_workshop(cx, &w));
    tn_status s = write_file(cx, w.object, object, n);
    if (s == TN_OK)
        s = write_exports(cx, &w, symbols, n_symbols);
    if (s == TN_OK)
        s = link_object(cx, &w, name);
    if (s == TN_OK)
        s = read_file(cx, w.result, out);
    close_workshop(&w);
    return s;
}
