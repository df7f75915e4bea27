/* Pictures of programs and pages about them: what the compiler made, to be looked at. */
#ifndef TENON_REPORT_H
#define TENON_REPORT_H

#include "tenon/tenon.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Write the graph of P as an SVG document, as it is before kernels are made: each operation with
 * the type of its result, coloured by the kernel it is computed in, with constants written where
 * they are used; functions of more than 400 nodes as kernels. Equal programs give equal documents.
 * Names of the program are in it as texts only. All sizes of P must have values.
 *
 * title    NULL: the name of the program's file
 * returns  TN_ERR_REJECTED     a symbolic size has no value (UnboundSymbol)
 *          TN_ERR_UNAVAILABLE  it has more than 65536 boxes
 *          TN_ERR_IO           the writer failed
 *          TN_ERR_NOMEM
 * threads  as tn_program_emit */
TN_API tn_status tn_program_picture(const tn_program *p, const char *title,
                                    const tn_writer *writer);

/* What a report is made of beside the program. Texts of JSON are checked before they are used. */
typedef struct tn_report_options {
    size_t size;       /* of the structure; 0: its first layout */
    bool json;         /* the data of the page alone, as one JSON object, in place of the page */
    const char *title; /* NULL: the name of the program's file */
    /* The program as it was read, with all sizes bound: for what each pass changed. Passes run on a
     * copy. NULL: left out. */
    const tn_module *module;
    /* Inputs as for tn_program_run: for the range of every value, as the reference evaluator
     * computes them, up to 256 MiB of values together. NULL: left out. */
    const struct tn_buffer *in;
    size_t n_in;
    uint64_t seed;        /* of that run */
    const char *trace;    /* the trace of a run, in the trace event format; NULL: none */
    const char *training; /* the log of a training, an array of objects; NULL: none */
    const char *other;    /* the data of another report, to compare with; NULL: none */
    const char *timings;  /* the data of an earlier report, whose measured limits and trace are used
                             in place of measuring now; NULL: none */
} tn_report_options;

/* Write a page about P that needs nothing else: a file of HTML that loads nothing, with the text of
 * the program, its graph, kernels, memory and whatever else OPTIONS give. Names of the program are
 * data in it, never markup. Equal programs, options and timings give equal pages. All sizes of P
 * must have values.
 *
 * options  NULL: all defaults
 * returns  TN_ERR_REJECTED  a symbolic size has no value (UnboundSymbol), or a pass fails
 *          TN_ERR_USAGE     another number of inputs; as of all options
 *          TN_ERR_INPUT     an input does not fit
 *          TN_ERR_RUN       the evaluator fails on these inputs
 *          TN_ERR_IO        a text of OPTIONS is no JSON, or not what it should be, or the writer
 *                           failed
 *          TN_ERR_NOMEM
 * threads  as tn_program_emit */
TN_API tn_status tn_program_report(const tn_program *p, const tn_report_options *options,
                                   const tn_writer *writer);

/* The kernel of a step that a profiler is told of: the function, whose name lives as long as the
 * program, and the number of the kernel there, as tn_program_explain counts. False for an event
 * that belongs to no kernel. Only while the profiler is told of it. */
TN_API bool tn_profile_event_kernel(const tn_profile_event *event, const char **function,
                                    uint32_t *kernel);
/* When thread THREAD of the run, from 0, worked on a step in which several took part: from the
 * beginning of its first share to the end of its last, and how long of that, in ns. False where it
 * did not take part, and for all other events. Only for the very event that a profiler is given,
 * while it is told of it. */
TN_API bool tn_profile_event_thread(const tn_profile_event *event, uint32_t thread,
                                    int64_t *begin_ns, int64_t *end_ns, int64_t *busy_ns);
/* A number above that of any thread that took part; 0 where one thread did all. */
TN_API uint32_t tn_profile_event_threads(const tn_profile_event *event);

#ifdef __cplusplus
}
#endif

#endif
