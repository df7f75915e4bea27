/* What a training step costs on several ranks beside the usual way, which adds whole gradients by
 * MPI_Allreduce: ranks PROGRAM DATA LENGTH ROUNDS BATCH BYTE, started by mpirun.
 *
 * The program has weights `w.…` of LENGTH numbers together; each rank has a leaf of BATCH samples.
 * A rank waits for BYTE seconds more for each byte that it receives, as in a slow network. Rank 0
 * prints, in seconds as medians over the rounds and as the slowest rank has them: a step of
 * tn_trainer_step on all ranks, one whose messages begin when all gradients are there, one that
 * each rank does alone followed by MPI_Allreduce of its gradient, MPI_Allreduce alone, a message
 * of 8 bytes from one rank to another, and a byte of one of 16 MB. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tenon/train.h"

enum { MOST_ROUNDS = 101, MESSAGE = 16 << 20, PINGS = 200 };

static void check(bool ok, const char *what)
{
    if (ok)
        return;
    (void)fprintf(stderr, "ranks: %s failed\n", what);
    (void)MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A transport behind a slow network. */
static tn_transport inner;
static double byte;

static const char *exchange_slowly(void *user, const tn_message *messages)
{
    const char *why = inner.exchange(user, messages);
    double bytes = 0;
    for (uint32_t r = 0; r < inner.ranks; r++)
        bytes += r == inner.rank ? 0 : (double)messages[r].receive_bytes;
    const double wait = bytes * byte;
    const struct timespec pause = {(time_t)wait, (long)((wait - (double)(time_t)wait) * 1e9)};
    if (wait > 1e-5)
        (void)nanosleep(&pause, NULL);
    return why;
}

static tn_trainer *trainer_of(tn_context *cx, const tn_module *m, tn_dataset *data,
                              const tn_transport *transport, uint64_t batch)
{
    const char *const wrt[] = {"w"};
    const uint64_t leaves = transport ? transport->ranks : 1;
    const tn_optimizer sgd = {.size = sizeof sgd, .name = "sgd"};
    const tn_compile_options compile = {.size = sizeof compile, .threads = 1};
    const tn_train_options o = {.size = sizeof o,
                                .wrt = wrt,
                                .n_wrt = 1,
                                .batch = leaves * batch,
                                .leaves = leaves,
                                .steps = 1 << 20,
                                .optimizer = &sgd,
                                .compile = &compile,
                                .transport = transport};
    tn_trainer *t = NULL;
    check(tn_trainer_new(cx, m, data, &o, &t) == TN_OK, "tn_trainer_new");
    return t;
}

static void step(tn_trainer *t)
{
    tn_train_step done = {.size = sizeof done};
    check(tn_trainer_step(t, &done) == TN_OK, "tn_trainer_step");
}

/* ---- clocks ---- */

static double begin(void)
{
    (void)MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime();
}

/* Of the slowest rank. */
static double since(double first)
{
    double own = MPI_Wtime() - first, all = 0;
    (void)MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static int ascending(const void *a, const void *b)
{
    double x = 0, y = 0;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, ascending);
    return x[n / 2];
}

/* ---- what is measured ---- */

static void add_all(float *gradient, int n)
{
    (void)MPI_Allreduce(MPI_IN_PLACE, gradient, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

/* Half of the time in which N bytes go from rank 0 to rank 1 and back. */
static double message(char *at, int rank, int n, int times)
{
    const double first = begin();
    for (int i = 0; i < times && rank < 2; i++)
        for (int turn = 0; turn < 2; turn++)
            if (rank == turn)
                (void)MPI_Send(at, n, MPI_BYTE, 1 - turn, 0, MPI_COMM_WORLD);
            else
                (void)MPI_Recv(at, n, MPI_BYTE, turn, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return since(first) / times / 2;
}

int main(int argc, char **argv)
{
    double steps[MOST_ROUNDS], after[MOST_ROUNDS], usual[MOST_ROUNDS], sums[MOST_ROUNDS];
    int provided;
    check(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS, "MPI");
    check(argc == 7, "reading the arguments");
    const int n = atoi(argv[3]), rounds = atoi(argv[4]), batch = atoi(argv[5]);
    byte = atof(argv[6]);
    check(n > 0 && batch > 0 && rounds > 0 && rounds <= MOST_ROUNDS, "reading the arguments");
    tn_context *cx = tn_context_new(NULL, NULL);
    tn_transport transport = {.size = sizeof transport};
    tn_module *m = NULL;
    tn_dataset *data = NULL;
    bool found = false;
    check(tn_mpi_transport(cx, &transport, &found) == TN_OK && found, "tn_mpi_transport");
    check(tn_module_read_file(cx, NULL, argv[1], &m) == TN_OK, "reading the program");
    check(tn_dataset_open(cx, (const char *const[]){argv[2]}, 1, &data) == TN_OK, "the data");
    inner = transport;
    transport.exchange = exchange_slowly;
    tn_transport late = transport;
    late.concurrent = false;
    tn_trainer *shared = trainer_of(cx, m, data, &transport, (uint64_t)batch),
               *waiting = trainer_of(cx, m, data, &late, (uint64_t)batch),
               *alone = trainer_of(cx, m, data, NULL, (uint64_t)batch);
    float *gradient = calloc((size_t)n, sizeof *gradient);
    char *bytes = calloc(1, MESSAGE);
    check(gradient && bytes, "memory");
    for (int i = -1; i < rounds; i++) { /* the first time does not count */
        const int to = i < 0 ? 0 : i;
        double first = begin();
        step(shared);
        steps[to] = since(first);
        first = begin();
        step(waiting);
        after[to] = since(first);
        first = begin();
        step(alone);
        add_all(gradient, n);
        usual[to] = since(first);
        first = begin();
        add_all(gradient, n);
        sums[to] = since(first);
    }
    const double latency = message(bytes, (int)transport.rank, 8, PINGS),
                 whole = message(bytes, (int)transport.rank, MESSAGE, 8);
    if (transport.rank == 0)
        (void)printf("%g %g %g %g %g %g\n", median(steps, rounds), median(after, rounds),
                     median(usual, rounds), median(sums, rounds), latency, whole / MESSAGE);
    free(bytes);
    free(gradient);
    tn_trainer_free(shared);
    tn_trainer_free(waiting);
    tn_trainer_free(alone);
    tn_dataset_close(data);
    tn_module_free(m);
    tn_context_free(cx);
    tn_mpi_end(&transport);
    return 0;
}
