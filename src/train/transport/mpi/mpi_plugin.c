/* Ranks that MPI has started. MPI moves bytes, and never adds. */
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "train/transport/mpi/end_all.h"
#include "train/transport/mpi/heartbeat.h"
#include "train/transport/mpi/plugin.h"

enum { PIECE = 1 << 30 /* bytes of a message of MPI, whose counts are ints */ };

static const char *failed(int code)
{
    return code == MPI_SUCCESS ? NULL : "a message could not be passed on by MPI";
}

static size_t pieces_of(size_t bytes)
{
    return bytes / PIECE + (bytes % PIECE != 0);
}

/* The size of piece I of BYTES. */
static int piece_of(size_t bytes, size_t i)
{
    const size_t left = bytes - i * PIECE;
    return (int)(left < PIECE ? left : PIECE);
}

/* A message on its way. */
typedef struct pending {
    MPI_Request request;
    int wanted; /* bytes that are to come; 0: it is sent */
} pending;

static const char *start_all(const tn_message *messages, int rank, int ranks, pending *all, int *n)
{
    const char *why = NULL;
    for (int r = 0; r < ranks && !why; r++) {
        const tn_message *m = &messages[r];
        for (size_t i = 0; r != rank && !why && i < pieces_of(m->receive_bytes); i++) {
            pending *p = &all[(*n)++];
            p->wanted = piece_of(m->receive_bytes, i);
            why = failed(MPI_Irecv((char *)m->receive + i * PIECE, p->wanted, MPI_BYTE, r, 0,
                                   MPI_COMM_WORLD, &p->request));
        }
        for (size_t i = 0; r != rank && !why && i < pieces_of(m->send_bytes); i++) {
            pending *p = &all[(*n)++];
            p->wanted = 0;
            why = failed(MPI_Isend((const char *)m->send + i * PIECE, piece_of(m->send_bytes, i),
                                   MPI_BYTE, r, 0, MPI_COMM_WORLD, &p->request));
        }
    }
    return why;
}

/* Is P through? MPI takes it for no fault when fewer bytes come than there is room for. */
static const char *look(pending *p, int *is_done)
{
    MPI_Status status;
    int came = 0;
    const char *why = failed(MPI_Test(&p->request, is_done, &status));
    if (why || !*is_done || p->wanted == 0)
        return why;
    why = failed(MPI_Get_count(&status, MPI_BYTE, &came));
    return why ? why : came == p->wanted ? NULL : "two ranks do not agree on the size of a message";
}

/* Ranks may be more than processors: one that waits lets others have its own between two looks. A
 * thread that passes messages on while others compute sleeps when nothing comes. */
static const char *wait_all(pending *all, int n)
{
    enum { QUICK_LOOKS = 100 };
    const struct timespec pause = {0, 20000};
    int is_main = 1;
    const char *why = failed(MPI_Is_thread_main(&is_main));
    for (int i = 0, looks = 0; !why && i < n;) {
        int is_done = 0;
        why = look(&all[i], &is_done);
        if (is_done)
            i++;
        else if (is_main || looks++ < QUICK_LOOKS)
            (void)sched_yield();
        else
            (void)nanosleep(&pause, NULL);
    }
    return why;
}

static const char *exchange(void *user, const tn_message *messages)
{
    int rank, ranks, n = 0;
    size_t most = 1;
    (void)user;
    if (MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS ||
        MPI_Comm_size(MPI_COMM_WORLD, &ranks) != MPI_SUCCESS)
        return "MPI is not there";
    for (int r = 0; r < ranks; r++)
        most += pieces_of(messages[r].receive_bytes) + pieces_of(messages[r].send_bytes);
    pending *all = malloc(most * sizeof *all);
    if (!all)
        return "there is no memory for messages";
    const char *why = start_all(messages, rank, ranks, all, &n);
    if (!why)
        why = wait_all(all, n);
    free(all);
    return why;
}

/* All ranks end at once: the others could only wait for this one. */
static void leave(void *user)
{
    (void)user;
    mpi_end_all(MPI_COMM_WORLD);
}

static const char *start(tn_transport *transport)
{
    int rank, ranks, provided, is_started;
    if (MPI_Initialized(&is_started) != MPI_SUCCESS)
        return "MPI cannot be asked";
    if (!is_started && MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS)
        return "MPI cannot be started";
    if (MPI_Query_thread(&provided) != MPI_SUCCESS)
        return "MPI cannot be asked";
    if (MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) != MPI_SUCCESS ||
        MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS ||
        MPI_Comm_size(MPI_COMM_WORLD, &ranks) != MPI_SUCCESS)
        return "MPI does not say how many ranks there are";
    *transport = (tn_transport){.size = sizeof *transport,
                                .rank = (uint32_t)rank,
                                .ranks = (uint32_t)ranks,
                                .exchange = exchange,
                                .leave = leave,
                                .concurrent = provided == MPI_THREAD_MULTIPLE};
    if (ranks > 1 && provided == MPI_THREAD_MULTIPLE)
        transport->user = heartbeat_start(MPI_COMM_WORLD);
    return transport->user || ranks == 1 || provided != MPI_THREAD_MULTIPLE
               ? NULL
               : "the ranks cannot be watched";
}

static double seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Sleep until all ranks have come here: rank 0 may still write. */
static void wait_for_all(void)
{
    const struct timespec pause = {0, 1000000};
    MPI_Request all;
    int are_there = MPI_Ibarrier(MPI_COMM_WORLD, &all) != MPI_SUCCESS;
    while (!are_there && MPI_Test(&all, &are_there, MPI_STATUS_IGNORE) == MPI_SUCCESS)
        if (!are_there)
            (void)nanosleep(&pause, NULL);
}

/* A launcher takes a process for lost that is gone before it has read its goodbye, and OpenMPI
 * waits two seconds for the answer. Where all are there and the end takes long all the same, the
 * launcher gets next to no processor: leave it more time. */
static void finalize(void)
{
    const double usual = 1, most = 30; /* seconds */
    wait_for_all();
    const double begin = seconds();
    (void)MPI_Finalize();
    const double took = seconds() - begin, more = 3 * took < most ? 3 * took : most;
    const struct timespec pause = {(time_t)more, (long)((more - (double)(time_t)more) * 1e9)};
    if (took > usual)
        (void)nanosleep(&pause, NULL);
}

static void end(void *user)
{
    if (user)
        heartbeat_end(user);
    finalize();
}

__attribute__((visibility("default"))) mpi_plugin_entry tenon_mpi_plugin;
const mpi_plugin *tenon_mpi_plugin(void)
{
    static const mpi_plugin plugin = {MPI_PLUGIN_VERSION, start, end};
    return &plugin;
}
