/* The forms between a graph and machine code as text. */
#ifndef COMPILE_EXPLAIN_DUMP_H
#define COMPILE_EXPLAIN_DUMP_H

#include "base/text/text.h"
#include "compile/compiled.h"

/* In the order of the pipeline. */
typedef enum dump_stage {
    DUMP_GRAPH,   /* the module as the passes left it */
    DUMP_LOWERED, /* without composite ops */
    DUMP_KERNELS, /* which nodes run together, and through which maps */
    DUMP_LOOPS,   /* the loop programs of kernels, as code is made of them */
    DUMP_PROGRAM, /* buffers with their places, and steps */
    DUMP_STAGES
} dump_stage;

/* The word for a stage: "graph", "lowered", ... */
const char *dump_stage_name(dump_stage stage);

/* Append STAGE of P (DUMP_STAGES: all of them), whose sizes must be known: TN_ERR_USAGE, reported,
 * otherwise. NUMBER: of kernels and loops, only those of the kernel with that number, counted over
 * all functions as explain does within each; -1: of all. TN_ERR_USAGE, reported, when no function
 * has so many. */
tn_status program_dump(const tn_program *p, dump_stage stage, int64_t number, text_buffer *out);

#endif
