/* What the programs that peers.py compares have in common: clocks, and measuring on request.
 *
 * A contestant reads commands, one a line, from standard input, and answers each with one line:
 *
 *     open NAME ...     get ready to do the work NAME
 *     go SECONDS LEAST  do it again and again for that long, at least so often:
 *                       "MINIMUM MEDIAN TIMES", in seconds
 *     close             free what `open` made
 *
 * An answer that starts with '!' says what went wrong. With one thread, time is that of the
 * processor, so that other programs disturb less; with more it is that of the clock. */
#ifndef BENCH_CONTESTANT_H
#define BENCH_CONTESTANT_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double clock_of(clockid_t id)
{
    struct timespec t;
    (void)clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double clock_now(int threads)
{
    return clock_of(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC);
}

static int compare_times(const void *a, const void *b)
{
    double x = 0, y = 0;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

typedef bool work_function(void *user);

/* Answers "go". Short work is done several times for each look at the clock. */
static inline void contestant_go(const char *arguments, int threads, work_function *work,
                                 void *user)
{
    enum { MOST = 20000 };
    static double times[MOST];
    double seconds = 0.1;
    int least = 3, n = 0, repeats = 1;
    (void)sscanf(arguments, "%lf %d", &seconds, &least);
    const double begin = clock_of(CLOCK_MONOTONIC), last = begin + 20 * seconds;
    double spent = 0;
    if (!work(user)) { /* the first touch of everything is not counted */
        puts("!the work failed");
        return;
    }
    while (n < MOST && (n < least || spent < seconds)) {
        const double start = clock_now(threads);
        for (int i = 0; i < repeats; i++)
            if (!work(user)) {
                puts("!the work failed");
                return;
            }
        const double took = clock_now(threads) - start;
        spent += took;
        times[n++] = took / repeats;
        if (took < 2e-5) {
            repeats *= 2;
            n = 0;
        }
        if (n >= least && clock_of(CLOCK_MONOTONIC) > last) /* others have the processors */
            break;
    }
    qsort(times, (size_t)n, sizeof *times, compare_times);
    printf("%.9g %.9g %d\n", times[0], times[n / 2], n);
}

#endif
