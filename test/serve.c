/* Runs commands of the program without starting it anew for each: what it links is loaded once, and
 * every command runs in a process that is forked from this one. (To load LLVM beforehand, too, does
 * not pay: each fork then copies its page tables, and most code comes from the cache.)
 *
 * Each request on standard input is a line: the number of strings that follow, each ended by a NUL.
 * These are the files for standard input, output and error, and the arguments behind the program's
 * name. The answer on standard output is a line: the exit status, or minus the signal that ended
 * the process.
 *
 * Where coverage is counted (SERVE_HERE), every process that ends adds its counts to those in a
 * thousand files, which takes longer than most commands. There, this process runs them itself. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/session/cli.h"

enum {
    FILES = 3,
    MOST_STRINGS = 1000,
    HANG = 1800 /* seconds: what does not end by then never will */
};

static bool redirect(const char *path, int flags, int to)
{
    const int fd = open(path, flags, 0666);
    return fd >= 0 && dup2(fd, to) == to && close(fd) == 0;
}

/* In the process of one command. */
static int run(int n, char **strings)
{
    static char name[] = "tenon";
    char *own[MOST_STRINGS];
    if (!redirect(strings[0], O_RDONLY, STDIN_FILENO) ||
        !redirect(strings[1], O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO) ||
        !redirect(strings[2], O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO))
        return 99;
    own[0] = name;
    for (int i = FILES; i < n; i++)
        own[i - FILES + 1] = strings[i];
    own[n - FILES + 1] = NULL;
    return cli_main(n - FILES + 1, own);
}

#ifdef SERVE_HERE
static int status_of(int n, char **strings)
{
    const int in = dup(STDIN_FILENO), out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    if (in < 0 || out < 0 || err < 0)
        return 98;
    const int status = run(n, strings);
    const bool ok = dup2(in, STDIN_FILENO) == STDIN_FILENO &&
                    dup2(out, STDOUT_FILENO) == STDOUT_FILENO &&
                    dup2(err, STDERR_FILENO) == STDERR_FILENO;
    (void)close(in);
    (void)close(out);
    (void)close(err);
    return ok ? status : 98;
}
#else
static int status_of_child(pid_t child)
{
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 98;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int status_of(int n, char **strings)
{
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(HANG);
        exit(run(n, strings));
    }
    return status_of_child(child);
}
#endif

/* False at the end of requests, and when one is malformed. */
static bool serve_one(void)
{
    char *strings[MOST_STRINGS];
    size_t room[MOST_STRINGS];
    int n = 0;
    bool ok = scanf("%d", &n) == 1 && getchar() == '\n' && n >= FILES && n < MOST_STRINGS;
    int have = 0;
    for (; ok && have < n; have++) {
        strings[have] = NULL;
        room[have] = 0;
        ok = getdelim(&strings[have], &room[have], '\0', stdin) > 0;
    }
    if (ok)
        ok = printf("%d\n", status_of(n, strings)) > 0 && fflush(stdout) == 0;
    for (int i = 0; i < have; i++)
        free(strings[i]);
    return ok;
}

int main(void)
{
    while (serve_one())
        ;
    return 0;
}
