/* The parts of `tenon run`. */
#ifndef CLI_RUNNING_RUN_H
#define CLI_RUNNING_RUN_H

#include "cli/session/cli.h"

enum {
    OPTION_INPUT = OPTION_OWN,
    OPTION_INPUTS,
    OPTION_RANDOM,
    OPTION_DIM,
    OPTION_ENTRY,
    OPTION_OUTPUT,
    OPTION_BATCH,
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
    OPTION_CPU,
    OPTION_SCHEDULE
};

/* The tensors given to a run, one for each input of the program. */
typedef struct run_inputs {
    const tn_program *p;
    tn_program *own; /* P, where it was only made to know the inputs; else NULL */
    size_t n;
    tn_buffer *tensors;     /* without data: not given */
    const char **paths;     /* of --input; NULL: not given this way */
    bool *is_random;        /* the library made it */
    tn_tensor_file **files; /* that hold the others */
    size_t n_files;
    tn_tensor_file *unused; /* the last archive that has no input; NULL: each has some */
    const char *unused_path;
} run_inputs;

/* ---- run_inputs.c ---- */

/* Collect every input: the files of --input, then the archives of --inputs, then random data when
 * SEED is not NULL. Reports what is missing or does not fit. IN is released in any case; P must
 * live until then. */
tn_status inputs_gather(session *s, const tn_program *p, const arguments *args,
                        const uint64_t *seed, run_inputs *in);
/* The same for the inputs of a module, but those that no file gives stay without data. */
tn_status inputs_of_module(session *s, const tn_module *m, const arguments *args, run_inputs *in);
/* Make those random that are not given; without SEED they are missing. */
tn_status inputs_complete(session *s, const uint64_t *seed, run_inputs *in);
void inputs_release(run_inputs *in);

/* Those that --input and --inputs give; the others stay without data. */
tn_status inputs_given(session *s, const tn_program *p, const arguments *args, run_inputs *in);
/* COPY begins with the tensors of BASE, which lives longer; inputs_again has it begin anew. */
tn_status inputs_copy(session *s, const run_inputs *base, run_inputs *copy);
void inputs_again(run_inputs *copy, const run_inputs *base);
/* Give a copy what it lacks from the file PATH: an archive, or the one tensor that it lacks. */
tn_status inputs_from_file(session *s, const char *path, run_inputs *copy);

/* ---- run_batch.c ---- */

typedef struct batch_options {
    const char *folder, *output; /* of inputs, and of results */
    const uint64_t *seed;        /* for inputs that nothing gives; NULL: they are missing */
    const tn_run_options *run;
} batch_options;

/* Run P on each .npz, .safetensors, .npy and .pb of the folder, with the tensors of BASE, and
 * write the results under the name of the file. Ranks that mpirun or srun started take turns. What
 * fails is reported, and the other files are run. Returns the first failure. */
tn_status batch_run(session *s, const tn_program *p, const batch_options *o,
                    const run_inputs *base);

/* ---- run_outputs.c ---- */

/* A usage error where PATH is probably no folder, and its ending names no format of files. */
tn_status outputs_check(session *s, const char *path);
/* A usage error where the file PATH (NULL: none) takes one tensor, and P has not one result. */
tn_status outputs_check_number(session *s, const tn_program *p, const char *path);
/* Write the results to PATH: an .npz or .safetensors archive, one .npy, or a folder, which is made
 * when missing. */
tn_status outputs_write(session *s, const tn_program *p, const tn_buffer *out, const char *path);
/* Write the results as text. */
tn_status outputs_show(session *s, const tn_program *p, const tn_buffer *out, cli_text *text);

/* ---- trace.c ---- */

/* What a trace knows of one step: how many events of it stand in the text, and the sum of those
 * that do not. */
typedef struct trace_step {
    const void *key;
    const char *name, *kind;
    const char *function; /* and the number of the kernel there; NULL: it belongs to none */
    uint32_t kernel;
    uint32_t singles, threads;
    uint64_t folded, bytes, flops;
    int64_t begin_ns, end_ns, busy_ns;
} trace_step;

/* The text of a trace while it grows. */
typedef struct trace {
    tn_profiler profiler; /* to be told what happens; stays where the trace is */
    cli_text text;
    cli_pool memory;
    trace_step *steps;
    size_t n_steps, cap_steps;
    uint32_t *table; /* of N_TABLE places: 1 + the number of a step, by its hash; 0: empty */
    size_t n_table;
} trace;

void trace_init(trace *t);
void trace_release(trace *t);
/* Finish the text. */
void trace_finish(trace *t);
/* The same, and write it to the file PATH. */
tn_status trace_write(session *s, const char *path, trace *t);

#endif
