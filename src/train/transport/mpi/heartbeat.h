/* Each rank tells the next one, again and again, that it is there. When one is silent, all end: MPI
 * itself does not notice a process that is stopped, or a machine that is gone. */
#ifndef TRAIN_MPI_HEARTBEAT_H
#define TRAIN_MPI_HEARTBEAT_H

#include <mpi.h>

typedef struct heartbeat heartbeat;

/* Begin, in a thread of its own, with messages in a communicator of its own. MPI lets any thread
 * call it. All ranks do this. NULL without memory. */
heartbeat *heartbeat_start(MPI_Comm world);
/* This rank ends as it should: returns when the one before it does, too. */
void heartbeat_end(heartbeat *h);

#endif
