/* The pipeline: the stages from a graph to an executable, one list for running, for code made ahead
 * of time and for explaining. */
#ifndef COMPILE_PIPELINE_H
#define COMPILE_PIPELINE_H

#include "compile/jit.h"
#include "compile/jit_plan.h"

/* In order. Texts were read, verified and made graphs before (tn_module_read). */
typedef enum pipeline_stage {
    STAGE_BIND,       /* every extent becomes a number */
    STAGE_PASSES,     /* graph to graph: what the level asks for */
    STAGE_LOWER,      /* composite operations become primitives, on a copy where there are any */
    STAGE_KERNELS,    /* graph to kernels: which nodes run together */
    STAGE_LOOPS,      /* kernels to loop programs, each distinct one once */
    STAGE_CODE,       /* loop programs to machine code */
    STAGE_CONSTANTS,  /* what kernels read of constants in another order is packed */
    STAGE_EXECUTABLE, /* kernels to steps, with buffers and their places */
    STAGE_LOAD,       /* an executable and its code become a tape */
    PIPELINE_STAGES
} pipeline_stage;

/* What comes out at the end. */
typedef enum pipeline_purpose {
    FOR_RUNS,      /* a tape. Where there is no machine code, every step is a reference kernel */
    AHEAD_OF_TIME, /* an executable, from which C or machine code is written: only programs that
                      make something of constants get code, as they run now */
    TO_EXPLAIN     /* what a run would have, with code for as little: nothing after
                      STAGE_EXECUTABLE */
} pipeline_purpose;

typedef struct pipeline {
    /* What is asked for. */
    pipeline_purpose purpose;
    engine *e; /* outlives what is made */
    const tn_allocator *allocator;
    nest_options nests;
    const tn_profiler *events; /* told of each stage; NULL: nobody */
    module *graph;             /* changed by the first two stages, and outlives the rest */
    dim_values *sizes;         /* BIND: of its symbols */
    sizes_options options;     /* PASSES */
    other_sizes *others;       /* NULL, or filled by BIND: what code is compared with */
    /* What is made, from stage `next` on. */
    pipeline_stage next;
    bool by_reference; /* there is no machine code: stages that make kernels are passed over */
    const char *event; /* what the profile calls this stage; NULL: its name */
    jit_plan plan;
    jit_code code;
    jit_packs packs;
    code **own;      /* not FOR_RUNS: what holds it, by unit */
    executable *exe; /* until it is loaded; NULL: values are too large to hold */
    tape *tape;      /* the caller's to take; NULL: the evaluator needs much less memory */
} pipeline;

/* A pipeline that begins at stage NEXT with GRAPH. Release it in any case. */
void pipeline_init(pipeline *p, pipeline_purpose purpose, engine *e, module *graph,
                   pipeline_stage next);
/* Go on through stage LAST. What fails is reported as the graph reports: TN_ERR_REJECTED for a
 * program, TN_ERR_NOMEM, and TN_ERR_INTERNAL for a defect of the compiler. */
tn_status pipeline_to(pipeline *p, pipeline_stage last);
/* What runs go through, after STAGE_EXECUTABLE: the executable; NULL: its values are too large to
 * hold, and the evaluator, which holds less at a time, takes the graph. */
executable *pipeline_executable(const pipeline *p);
/* Free what was made and not taken. */
void pipeline_release(pipeline *p);

#endif
