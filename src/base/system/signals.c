/* The signal mask of one thread. */
#include "base/system/signals.h"

#include <stddef.h>
#include <time.h>

static const int asking[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* An ignored signal is not held back: it would stay pending for ever. */
static bool is_ignored(int signal)
{
    struct sigaction how;
    return sigaction(signal, NULL, &how) == 0 && how.sa_handler == SIG_IGN;
}

void signals_hold(signal_hold *h)
{
    sigset_t all;
    if (h->on)
        return;
    (void)sigemptyset(&h->asked);
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
        if (!is_ignored(asking[i]))
            (void)sigaddset(&h->asked, asking[i]);
    all = h->asked;
    (void)sigaddset(&all, SIGXFSZ);
    h->on = pthread_sigmask(SIG_BLOCK, &all, &h->before) == 0;
}

bool signals_waiting(const signal_hold *h)
{
    sigset_t pending;
    if (!h->on || sigpending(&pending) != 0)
        return false;
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
        if (sigismember(&pending, asking[i]) == 1 && sigismember(&h->asked, asking[i]) == 1 &&
            sigismember(&h->before, asking[i]) == 0)
            return true;
    return false;
}

bool signals_block(sigset_t *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    sigset_t all;
    (void)sigfillset(&all);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        (void)sigdelset(&all, faults[i]);
    return pthread_sigmask(SIG_SETMASK, &all, before) == 0;
}

/* Take SIGXFSZ away if it is pending: the write that went beyond the limit has reported that. */
static void drop_too_large(void)
{
    sigset_t one;
    (void)sigemptyset(&one);
    (void)sigaddset(&one, SIGXFSZ);
    (void)sigtimedwait(&one, NULL, &(struct timespec){0, 0});
}

void signals_let_through(signal_hold *h)
{
    if (!h->on)
        return;
    if (sigismember(&h->before, SIGXFSZ) == 0)
        drop_too_large();
    h->on = false;
    (void)pthread_sigmask(SIG_SETMASK, &h->before, NULL);
}
