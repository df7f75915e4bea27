/* Requests to the program tenon-llvm, over a pair of sockets. */
#include "target/llvm_process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target/llvm/wire.h"

extern char **environ;

bool llvm_memory_is_limited(void)
{
    struct rlimit space, data;
    char strict = 0;
    FILE *f = fopen("/proc/sys/vm/overcommit_memory", "re");
    if (f && fread(&strict, 1, 1, f) != 1)
        strict = 0;
    if (f)
        (void)fclose(f);
    return strict == '2' || getrlimit(RLIMIT_AS, &space) != 0 ||
           getrlimit(RLIMIT_DATA, &data) != 0 || space.rlim_cur != RLIM_INFINITY ||
           data.rlim_cur != RLIM_INFINITY;
}

/* ---- the request ---- */

static void put(wire *w, void *at, size_t n)
{
    text_put(w->user, at, n);
}

static void pack(const llvm_request *r, text_buffer *out)
{
    const llvm_plugin here = {LLVM_PLUGIN_VERSION, sizeof(loop_inst), LOOP_OP_COUNT, NULL, NULL};
    wire_head head = {here.version, here.inst_size, here.op_count, r->program != NULL, r->n};
    llvm_request copy = *r;
    wire w = {.move = put, .user = out};
    put(&w, &head, sizeof head);
    wire_request(&w, &head, &copy);
}

/* ---- the process ---- */

/* PATH with OTHER as its standard input and output; -1: it cannot be started. */
static pid_t start(const char *path, int other)
{
    char name[] = "tenon-llvm";
    char *args[] = {name, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child = -1;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return -1;
    const bool ready =
        posix_spawn_file_actions_adddup2(&actions, other, 0) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, other, 1) == 0 &&
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) == 0 &&
        posix_spawn(&child, path, &actions, NULL, args, environ) == 0;
    (void)posix_spawn_file_actions_destroy(&actions);
    return ready ? child : -1;
}

static bool send_all(int to, const char *at, size_t n)
{
    while (n > 0) {
        const ssize_t sent = send(to, at, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        n -= (size_t)sent;
    }
    return shutdown(to, SHUT_WR) == 0;
}

static void receive_all(int from, text_buffer *out)
{
    char part[65536];
    for (;;) {
        const ssize_t n = recv(from, part, sizeof part, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        text_put(out, part, (size_t)n);
    }
}

/* False where the process could not be started, or not be asked. */
static bool ask(const char *path, const text_buffer *request, text_buffer *reply)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    const pid_t child = start(path, ends[1]);
    (void)close(ends[1]);
    if (child > 0 && send_all(ends[0], request->at, request->n))
        receive_all(ends[0], reply);
    (void)close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ; /* a caller that waits for all of its children may have been first */
    return child > 0 && !reply->failed;
}

llvm_outcome llvm_in_process(const char *path, llvm_request *r)
{
    text_buffer request, reply;
    wire_answer answer = {.outcome = LLVM_UNAVAILABLE};
    (void)snprintf(r->message, sizeof r->message,
                   "LLVM has too little memory (in the process '%.100s' of its own)", path);
    text_init(&request, r->allocator);
    text_init(&reply, r->allocator);
    pack(r, &request);
    if (request.failed)
        answer.outcome = LLVM_NO_MEMORY;
    else if (ask(path, &request, &reply) && reply.n >= sizeof answer) {
        memcpy(&answer, reply.at, sizeof answer);
        memcpy(r->message, answer.message, sizeof r->message);
        r->message[sizeof r->message - 1] = 0;
        if (answer.outcome == LLVM_DONE)
            r->put(r->user, reply.at + sizeof answer, reply.n - sizeof answer);
    }
    text_release(&request);
    text_release(&reply);
    return answer.outcome <= LLVM_BROKEN ? (llvm_outcome)answer.outcome : LLVM_BROKEN;
}
