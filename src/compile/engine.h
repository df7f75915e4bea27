/* What runs a program beside the reference evaluator: tapes and the threads they run on. */
#ifndef COMPILE_ENGINE_H
#define COMPILE_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "compile/other_sizes.h"
#include "eval/eval.h"
#include "loop/contract/contract_schedule.h"
#include "machine/machine.h"
#include "runtime/cache.h"
#include "runtime/tape.h"
#include "tenon/tenon.h"

/* How a program is to run; the threads are made when the first run has use for them. */
typedef struct engine {
    tn_allocator allocator;
    bool is_jit;          /* else the evaluator runs everything */
    bool is_relaxed;      /* instructions may be used that round otherwise */
    bool checks;          /* its tapes compare each kernel with the evaluator */
    bool eager;           /* it compiles optimised code only (compile/tiers) */
    bool plan_only;       /* it runs nothing */
    bool is_foreign;      /* ... and makes no code: this machine cannot run it */
    atomic_bool has_told; /* that LLVM is missing */
    uint32_t threads;     /* of a run, at most */
    tn_thread_pool pool;
    const char *cpu;   /* NULL: this one */
    cache_place cache; /* of compiled kernels */
    machine on;        /* what that is */
    contract_schedule schedule;
    uint64_t memory; /* bytes of the values of a run, above which some are computed again; 0: none
                        are */
    struct code_store *codes;      /* of all its programs; NULL: it compiles none */
    struct derived_store *derived; /* constants that it made of those of its programs */
    pthread_mutex_t lock;
    bool has_lock;
    _Atomic(workers *) workers; /* made under the lock */
} engine;

/* Take what O asks for; M lives as long as E. Reports what is not there. */
tn_status engine_init(engine *e, const tn_allocator *allocator, const tn_compile_options *o,
                      module *m);
void engine_release(engine *e);

/* What a run on a tape was. */
typedef enum engine_outcome {
    ENGINE_DONE,
    ENGINE_FAILED,  /* reported */
    ENGINE_RETREAT, /* the evaluator can say what went wrong, or has a better chance */
    ENGINE_DEFECT   /* the same; but if it finds no fault, the tape has one */
} engine_outcome;

/* Run T, made of M, as RUN says. Data that is missing in OUT is allocated, as in tn_program_run;
 * PORTS are the types of the outputs. Nothing is left of a run that was not done. */
engine_outcome engine_run(engine *e, tape *t, const module *m, eval_run *run, uint32_t threads,
                          const tn_profiler *events, const tn_buffer *in, tn_buffer *out,
                          const tn_port *ports, tn_status *status);

/* A step as profilers are told of it. */
typedef struct engine_step_event {
    tn_profile_event as;
    const tape_span *spans; /* of N_SPANS threads, where several took part */
    uint32_t n_spans;
} engine_step_event;

/* Tell about what began at BEGIN (of clock_now) and ends now. EVENTS may be NULL. */
void engine_tell(const tn_profiler *events, const char *kind, const char *name, int64_t begin);

#endif
