/* Executables that are loaded: with the functions that their steps run, and the memory of runs. A
 * tape does not change once it is made but for its code (tape_exchange), and any number of threads
 * may run it. */
#ifndef RUNTIME_TAPE_H
#define RUNTIME_TAPE_H

#include "program/executable.h"
#include "runtime/workers.h"

typedef struct tape tape;

/* Load X, which was finished and belongs to the tape from then on, also where this fails: NULL
 * without memory. CODE has the function of each of N_CODE numbers, and is copied; CALLS those of
 * host steps, and outlives the tape. */
tape *tape_load(executable *x, exe_kernel *const *code, uint32_t n_code, exe_host *const *calls);
/* T may be NULL; nothing runs it. */
void tape_free(tape *t);
/* Call RELEASE on USER when T is freed; once for a tape. */
void tape_keep(tape *t, void (*release)(void *user), void *user);
const executable *tape_executable(const tape *t);
/* USER of tape_keep; NULL: nobody called it. */
void *tape_kept(const tape *t);
/* Steps that begin from now on run BY as the function of number CODE, also while T runs. What was
 * there before may go on running. */
void tape_exchange(tape *t, uint32_t code, exe_kernel *by);

/* ---- running ---- */

typedef enum tape_outcome {
    TAPE_DONE,
    TAPE_KERNEL_FAILED, /* a kernel gave a status */
    TAPE_HOST_FAILED,   /* a host step gave another status than TN_OK */
    TAPE_STOPPED,       /* the time was up, or the run was cancelled */
    TAPE_NO_MEMORY
} tape_outcome;

/* When a thread worked on a step: from its first share to its last, and how long of that. Each has
 * a cache line of its own. */
typedef struct tape_span {
    int64_t begin, end, busy; /* ns of CLOCK_MONOTONIC; BUSY and the others 0: it did not */
    int64_t unused[5];
} tape_span;

/* Called after each step, on the thread that runs the tape; times in ns of CLOCK_MONOTONIC. */
typedef struct tape_profile {
    void *user;
    void (*step)(void *user, const exe_step *step, int64_t begin, int64_t end, uint32_t threads);
    tape_span *spans; /* one for each thread of the run: of the last step in which several took
                         part; NULL: not asked for */
} tape_profile;

typedef struct tape_run_options {
    workers *workers; /* NULL: the calling thread only */
    uint32_t threads; /* at most; 0: all of the workers */
    void *host;       /* for host steps */
    int64_t deadline; /* of CLOCK_MONOTONIC, in ns; 0: none. Checked before each step and iteration,
                         and every few milliseconds in a kernel */
    bool (*cancel)(void *user); /* asked as often, on any thread of the run: is it to stop? NULL:
                                   it is not */
    void *cancel_user;
    /* By output: true for memory in which nothing may be written when the run fails (but for a
     * timeout), and which may overlap inputs. NULL: no output is such. */
    const bool *guarded;
    bool discards; /* guarded outputs may be written all the same when the run fails */
    const tape_profile *profile; /* NULL: none */
    /* Called once for each output, on the thread that runs the tape, when it has all its bytes and
     * no step reads it any more. NULL: no one is told. */
    void (*written)(void *user, size_t output);
    void *written_user;
} tape_run_options;

/* How a run ended. */
typedef struct tape_result {
    tape_outcome outcome;
    tn_status status;     /* HOST_FAILED */
    int32_t code;         /* KERNEL_FAILED */
    const exe_step *step; /* that failed, or was next; NULL: none */
} tape_result;

/* Run T on INPUTS into OUTPUTS, which are aligned for their elements and do not overlap each other.
 */
tape_result tape_run(tape *t, const void *const *inputs, void *const *outputs,
                     const tape_run_options *options);

#endif
