/* What a module for one implementation of MPI gives the library, which loads it when a training is
 * started by mpirun. */
#ifndef TRAIN_MPI_PLUGIN_H
#define TRAIN_MPI_PLUGIN_H

#include "tenon/train.h"

#define MPI_PLUGIN_ENTRY "tenon_mpi_plugin"
#define MPI_PLUGIN_VERSION 3u

typedef struct mpi_plugin {
    uint32_t version;
    /* Start MPI, once in a process. NULL, or what went wrong, in a static text. */
    const char *(*start)(tn_transport *transport);
    /* End it, when all ranks do; USER is that of the transport. */
    void (*end)(void *user);
} mpi_plugin;

typedef const mpi_plugin *mpi_plugin_entry(void);

#endif
