/* The end of all ranks because of one. */
#ifndef TRAIN_MPI_END_ALL_H
#define TRAIN_MPI_END_ALL_H

#include <mpi.h>

/* Ends all processes of COMM, with status 3, after what this one has written to the standard
 * streams was taken by the launcher (at most a second later): a launcher that ends processes
 * throws away what it has not read yet. From any thread. */
void mpi_end_all(MPI_Comm comm);

#endif
