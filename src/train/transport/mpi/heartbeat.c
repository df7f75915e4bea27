/* Watching the ranks of a training. */
#include "train/transport/mpi/heartbeat.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "train/transport/mpi/end_all.h"

enum {
    TURN_MS = 50,
    BEAT_TURNS = 20,    /* from one message to the next */
    SILENT_TURNS = 400, /* without a message: 20 s of this rank's own turns, as it may be stopped */
    TAG = 0
};
enum { ALIVE, GOODBYE };

struct heartbeat {
    MPI_Comm comm;
    int rank, ranks;
    pthread_t thread;
    atomic_bool is_ending;
    int out, in; /* messages on their way */
    MPI_Request sending, receiving;
};

static void give_up(const heartbeat *h)
{
    (void)fprintf(stderr,
                  "error: rank %d has not been heard of for %d seconds; all ranks end: resume from "
                  "the last checkpoint\n",
                  (h->rank + h->ranks - 1) % h->ranks, SILENT_TURNS * TURN_MS / 1000);
    mpi_end_all(h->comm);
}

/* Tell the next rank, unless it has not yet taken what it was told before. */
static bool tell(heartbeat *h, int what)
{
    int is_sent = 0;
    if (MPI_Test(&h->sending, &is_sent, MPI_STATUS_IGNORE) != MPI_SUCCESS || !is_sent)
        return false;
    h->out = what;
    return MPI_Isend(&h->out, 1, MPI_INT, (h->rank + 1) % h->ranks, TAG, h->comm, &h->sending) ==
           MPI_SUCCESS;
}

static bool receive(heartbeat *h)
{
    return MPI_Irecv(&h->in, 1, MPI_INT, (h->rank + h->ranks - 1) % h->ranks, TAG, h->comm,
                     &h->receiving) == MPI_SUCCESS;
}

/* Has the rank before this one said something since the last turn? */
static bool hear(heartbeat *h)
{
    int has_come = 0;
    return MPI_Test(&h->receiving, &has_come, MPI_STATUS_IGNORE) == MPI_SUCCESS && has_come;
}

static void *run(void *arg)
{
    heartbeat *h = arg;
    const struct timespec pause = {0, TURN_MS * 1000000L};
    bool has_said = false, has_heard = false; /* the last word */
    for (int turn = 0, silent = 0; !has_said || !has_heard; turn++) {
        if (!has_said && atomic_load(&h->is_ending))
            has_said = tell(h, GOODBYE);
        else if (!has_said && turn % BEAT_TURNS == 0)
            (void)tell(h, ALIVE);
        silent++;
        if (!has_heard && hear(h)) {
            silent = 0;
            has_heard = h->in == GOODBYE || !receive(h);
        }
        if (!has_heard && silent > SILENT_TURNS)
            give_up(h);
        (void)nanosleep(&pause, NULL);
    }
    (void)MPI_Wait(&h->sending, MPI_STATUS_IGNORE);
    return NULL;
}

/* The room for the message that is waited for goes away. */
static void forget_message(heartbeat *h)
{
    if (h->receiving == MPI_REQUEST_NULL)
        return;
    (void)MPI_Cancel(&h->receiving);
    (void)MPI_Wait(&h->receiving, MPI_STATUS_IGNORE);
}

heartbeat *heartbeat_start(MPI_Comm world)
{
    sigset_t all, before;
    heartbeat *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->sending = h->receiving = MPI_REQUEST_NULL;
    if (MPI_Comm_dup(world, &h->comm) != MPI_SUCCESS)
        goto fail;
    if (MPI_Comm_rank(h->comm, &h->rank) != MPI_SUCCESS ||
        MPI_Comm_size(h->comm, &h->ranks) != MPI_SUCCESS || !receive(h))
        goto fail;
    (void)sigfillset(&all); /* signals are for the threads of the program */
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&h->thread, NULL, run, h);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed == 0)
        return h;
fail:
    forget_message(h); /* the communicator stays: only all ranks together can free it */
    free(h);
    return NULL;
}

void heartbeat_end(heartbeat *h)
{
    atomic_store(&h->is_ending, true);
    (void)pthread_join(h->thread, NULL);
    (void)MPI_Comm_free(&h->comm);
    free(h);
}
