/* The end of all ranks because of one. */
#include "train/transport/mpi/end_all.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    STATUS = 3, /* of processes that end because another one fails */
    TURN_MS = 1,
    TURNS = 1000
};

/* Is there something in the pipe FD that its reader has not taken? */
static bool is_full(int fd)
{
    struct stat is;
    int left = 0;
    return fstat(fd, &is) == 0 && S_ISFIFO(is.st_mode) && ioctl(fd, FIONREAD, &left) == 0 &&
           left > 0;
}

void mpi_end_all(MPI_Comm comm)
{
    const struct timespec pause = {0, TURN_MS * 1000000L};
    (void)fflush(NULL);
    for (int i = 0; i < TURNS && (is_full(STDOUT_FILENO) || is_full(STDERR_FILENO)); i++)
        (void)nanosleep(&pause, NULL);
    (void)MPI_Abort(comm, STATUS);
}
