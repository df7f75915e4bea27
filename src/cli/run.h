/* The parts of `tenon run`. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "base/hash.h"
#include "cli/cli.h"
#include "io/array.h"

enum {
    OPTION_INPUT = OPTION_OWN,
    OPTION_INPUTS,
    OPTION_RANDOM,
    OPTION_DIM,
    OPTION_ENTRY,
    OPTION_OUTPUT,
    OPTION_PRINT,
    OPTION_LEVEL,
    OPTION_ENGINE,
    OPTION_THREADS,
    OPTION_DEVICE,
    OPTION_TIME,
    OPTION_TIMEOUT,
    OPTION_NUMERICS,
    OPTION_TRACE,
    OPTION_CHECK,
    OPTION_CPU
};

/* The tensors given to a run, one for each input of the program. */
typedef struct run_inputs {
    size_t n;
    array *arrays;
    tn_buffer *buffers;
    const char **paths; /* of --input; NULL: not given this way */
} run_inputs;

/* ---- run_inputs.c ---- */

/* Read the inputs that are given in files; the others stay without data. */
tn_status inputs_gather_given(session *s, const tn_program *p, const arguments *args,
                              run_inputs *in);
/* Collect every input: the files of --input, then the archives of --inputs, then random data when
 * SEED is not NULL. Reports what is missing or does not fit. */
tn_status inputs_gather(session *s, const tn_program *p, const arguments *args,
                        const uint64_t *seed, run_inputs *in);
void inputs_release(session *s, run_inputs *in);

/* ---- convert_entry.c ---- */

/* Collect the inputs of M, as a run would. IN is released by the caller in any case. */
tn_status entry_gather(session *s, const tn_module *m, const arguments *args, run_inputs *in);

/* ---- convert_folder.c ---- */

/* Does PATH end with a slash? */
bool names_folder(const char *path);
/* The text of meta.json: TARGET, and the entry of M with its symbol, which NAME may override. */
tn_status describe_entry(session *s, const tn_module *m, const char *target, const char *name,
                         text_buffer *out);
/* Write FOLDER/program with the extension of DIALECT, and FOLDER/meta.json. */
tn_status folder_write(session *s, const char *folder, const char *dialect,
                       const text_buffer *program, const text_buffer *meta);

/* ---- run_outputs.c ---- */

/* Write the results to PATH: an .npz archive, or a folder, which is made when missing. */
tn_status outputs_write(session *s, const tn_program *p, const tn_buffer *out, const char *path);
/* Write the results as text. */
void outputs_show(const tn_program *p, const tn_buffer *out, text_buffer *text);

/* ---- trace.c ---- */

/* What a trace knows of one step: how many events of it stand in the text, and the sum of those
 * that do not. */
typedef struct trace_step {
    const void *key;
    const char *name, *kind;
    uint32_t singles, threads;
    uint64_t folded, bytes, flops;
    int64_t begin_ns, end_ns, busy_ns;
} trace_step;

/* The text of a trace while it grows. */
typedef struct trace {
    tn_profiler profiler; /* to be told what happens; stays where the trace is */
    text_buffer text;
    arena memory;
    VECTOR(trace_step) steps;
    hash_index by_step;
} trace;

void trace_init(trace *t, const tn_allocator *allocator);
void trace_release(trace *t);
/* Finish the text and write it to the file PATH. */
tn_status trace_write(session *s, const char *path, trace *t);

/* ---- show.c ---- */

/* `f32[2, 3]` */
void show_type(text_buffer *text, const tn_type *t);
/* The elements in nested rows, without the middle of long axes when there are many. */
void show_elements(text_buffer *text, const tn_buffer *b);

#endif
