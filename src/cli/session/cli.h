/* What the subcommands share: the session, its options, and where output goes.
 *
 * The command line is a user of the library like any other: it includes the public headers, and
 * its own. */
#ifndef CLI_SESSION_CLI_H
#define CLI_SESSION_CLI_H

#include <dirent.h>

#include "cli/session/cli_text.h"
#include "tenon/files.h"
#include "tenon/tenon.h"

/* Return early with any status but TN_OK. */
#define TN_TRY(expr)                                                                               \
    do {                                                                                           \
        tn_status tn_try_status_ = (expr);                                                         \
        if (tn_try_status_ != TN_OK)                                                               \
            return tn_try_status_;                                                                 \
    } while (0)

/* One option that a command takes. */
typedef struct option {
    int id;
    const char *name;  /* "--input", "-o" */
    const char *value; /* what the help calls its value; NULL when it takes none */
    const char *help;
} option;

/* One option as given. */
typedef struct given {
    int id;
    const char *value;
} given;

/* The arguments of a command, taken apart. */
typedef struct arguments {
    given *options;
    int n_options;
    const char **files; /* what is not an option */
    int n_files;
    int n_stdin; /* how often standard input is named */
} arguments;

/* Options that every command takes; those of a command start at OPTION_OWN. */
enum {
    OPTION_FROM,
    OPTION_PROFILE,
    OPTION_SLICE_NEGATIVE,
    OPTION_STRICT,
    OPTION_MAX_PIECES,
    OPTION_ENTRY_POINT,
    OPTION_DECLARE,
    OPTION_SIZE,
    OPTION_KNOWN,
    OPTION_RESULT,
    OPTION_WEIGHTS_OF,
    OPTION_LIMIT,
    OPTION_WHOLE_TIMEOUT,
    OPTION_DIAGNOSTICS,
    OPTION_COLOR,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_OWN
};

typedef struct session session;
typedef struct model_folder model_folder;

typedef struct command {
    const char *name;
    const char *synopsis; /* arguments, for the help */
    const char *help;
    const option *options; /* ends with an entry without a name; NULL: none of its own */
    tn_status (*run)(session *s, const arguments *args);
    bool reads_programs; /* it takes the options about that */
} command;

enum { MOST_NOTES = 8 };

struct session {
    tn_context *cx;
    const command *command; /* NULL before it is known */
    cli_pool memory;        /* until the end */
    tn_read_options read;
    bool wants_help, wants_version;
    const char **declared;   /* room for one entry an argument; behind read.inputs */
    const char **results;    /* the same, behind read.results */
    tn_binding *sizes;       /* the same, behind read.bindings */
    tn_known_input *known;   /* and behind read.known */
    size_t n_taken;          /* of these, the last ones: inputs of the run that shapes depend on */
    tn_known_input *weights; /* behind read.weights */
    size_t cap_weights;
    tn_tensor_file **archives; /* room for one an argument: that hold them */
    size_t n_archives;
    model_folder *models; /* that were read */
    const char **limits;  /* as sizes: the values of --limit */
    int n_limits;
    given *constants; /* as sizes: --constant and --constants */
    int n_constants;
    const char *common[OPTION_OWN]; /* options that commands share, as they were given, or NULL */
    int n_programs;                 /* for which they may be meant */
    uint64_t patience; /* ns of --timeout, also of commands that have one of their own; 0: none */
    int64_t deadline;  /* of --timeout, by time_now; 0: none */
    /* Where diagnostics go, and what the next error is given besides. */
    tn_diagnostic_style style;
    const tn_diagnostic_sink *instead; /* of standard error, if not NULL */
    const char *advice;                /* NULL: none */
    const char *notes[MOST_NOTES];
    size_t n_notes;
};

extern const command command_check, command_fix, command_fmt, command_opt, command_run, command_ops,
    command_passes, command_convert, command_equiv, command_grad, command_compile, command_explain,
    command_report, command_conformance, command_info, command_verify, command_train, command_lsp,
    command_cache;

/* ---- command_line.c ---- */

/* Carry out the command line; returns the exit status. */
int cli_main(int argc, char **argv);

/* ---- arguments.c ---- */

/* The options that C has in common with others; NULL: any command. Ends with an entry without a
 * name. */
const option *common_options(const command *c);

/* Take ARGV apart for the session's command and carry out the common options. */
tn_status arguments_read(session *s, int argc, char **argv, arguments *args);
/* Exactly one file, which is what most commands take. */
tn_status arguments_one_file(session *s, const arguments *args, const char **file);
/* Give CX the limits and the time that the command line names. */
tn_status arguments_limit(session *s, tn_context *cx);
/* How a command is used: its options and the common ones. */
void help_command(cli_text *out, const command *c);
/* The options alone, a line each. */
void help_command_options(cli_text *out, const command *c);

/* ---- read_program.c ---- */

/* Read the program in the file PATH, and the files beside it that it names, with the common
 * options. */
tn_status read_program(session *s, const char *path, tn_module **m);
/* The same for runs with the N INPUTS, on which its nodes depend. What became a constant of these
 * stands behind read.known then. */
tn_status read_program_for(session *s, const char *path, const tn_known_input *inputs, size_t n,
                           tn_module **m);
/* Give up the files that programs named; none of these may be in use any more. */
void models_release(session *s);

/* ---- out_dialect.c ---- */

/* The dialect that the extension of PATH names; NULL: none, or PATH is NULL. */
const char *dialect_of_path(const char *path);
/* Refuse to write text of the dialect WRITTEN, as WHO does, under a name of another dialect. */
tn_status refuse_other_name(session *s, const char *who, const char *written, const char *path);
/* Refuse to write a program, as WHO does, under the name PATH of code (cmd_compile.c). */
tn_status refuse_code_name(session *s, const char *who, const char *path);
/* Convert M to that dialect, if it is another one, before it is written to PATH. */
tn_status convert_for(tn_module *m, const char *path);

/* ---- paths.c ---- */

/* Are these one folder? False where one is not there. */
bool is_same_folder(const char *a, const char *b);
/* Would what is written to A and to B be one file, so that one is lost? Either may be NULL. */
bool is_same_file(session *s, const char *a, const char *b);

/* ---- known_inputs.c ---- */

/* Tell the reader of the value that TEXT, NAME=VALUE, gives an input. */
tn_status known_input_add(session *s, const char *text);
/* The same of all tensors in the file PATH, which stays open until known_inputs_release. */
tn_status known_inputs_add(session *s, const char *path);
/* Tensor AT of FILE into OUT, whose data stay as long as the session. */
tn_status known_tensor_copy(session *s, tn_tensor_file *file, size_t at, tn_buffer *out);
void known_inputs_release(session *s);

/* ---- values.c ---- */

/* A number at the start of TEXT, which has N bytes: digits after an optional sign. False for
 * anything else in it, and what does not fit. */
bool number_i64(const char *text, size_t n, int64_t *number);
bool number_u64(const char *text, size_t n, uint64_t *number);
/* In decimal, all of TEXT; infinity when it is too large. */
bool number_f64(const char *text, double *number);

/* TEXT as a number in MIN..MAX, or a usage error that names the option. */
tn_status read_number(session *s, const char *option_name, const char *text, int64_t min,
                      int64_t max, int64_t *number);
/* From 0 to 2^64-1: the value of an option for a seed. */
tn_status read_seed(session *s, const char *option_name, const char *text, uint64_t *seed);
/* Seconds, such as `0.5`, as nanoseconds: the value of an option such as --timeout. */
tn_status read_timeout(session *s, const char *option_name, const char *text, uint64_t *ns);
/* `-O` followed by 0, 1 or 2. */
tn_status read_level(session *s, const char *text, tn_level *level);
/* `exact` or `relaxed`. */
tn_status read_numerics(session *s, const char *text, tn_numerics *numerics);
/* FIRST (0) or SECOND (1): the value of the option NAME. */
tn_status read_choice(session *s, const char *name, const char *text, const char *first,
                      const char *second, int *choice);
/* The names in LIST, which commas separate. */
tn_status read_names(session *s, const char *list, const char *const **names, size_t *n);
/* The values of the options ID, each SYM=N, as bindings. */
tn_status read_bindings(session *s, const arguments *args, int id, const tn_binding **out,
                        size_t *n_out);

/* ---- setting_names.c ---- */

/* Let messages in CX name the options of the command line. */
void name_settings(tn_context *cx);

/* ---- report.c ---- */

/* Choose form and colours of diagnostics from the arguments before any of them can be wrong. */
void report_setup(session *s, int argc, char **argv);
void report_diagnostic(void *user, const tn_diagnostic *d);
int exit_status(tn_status s);

/* Report an error of KIND, a name of the library, and return its status. */
tn_status report_error(session *s, tn_status status, const char *kind, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* "the command line is wrong": reports, points to the help, and returns TN_ERR_USAGE. */
tn_status usage_error(session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "a file cannot be used": TN_ERR_IO. */
tn_status file_error(session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
tn_status no_memory(session *s);
/* The next name in DIR, the folder PATH; NULL behind the last one, and after a failure, which is
 * reported and put into *STATUS. */
const char *next_entry(session *s, DIR *dir, const char *path, tn_status *status);
void report_warning(session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_note(session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What the next error, of the command line or the library, is given besides: advice, if it has no
 * fix of its own, and notes. */
void advise(session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void add_note(session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The advice to take the one of NAMES that the N bytes of TEXT were probably meant to be. */
void advise_name(session *s, const char *text, size_t n, const char *const *names, size_t n_names);

/* ---- text_output.c ---- */

/* Write TEXT to PATH, or to standard output when PATH is NULL or "-"; reports what fails. */
tn_status output_text(session *s, const char *path, const cli_text *text);
/* The same, but a file appears together with the others of SET. */
tn_status output_text_in(session *s, tn_file_set *set, const char *path, const cli_text *text);
/* A writer that appends to TEXT. */
tn_writer text_writer(cli_text *text);
/* Write to standard error, as well as that goes until --timeout. */
void output_error_text(const session *s, const char *text, size_t n);
/* Write BYTES to FD, and wait for who reads them no longer than --timeout: false with errno set,
 * which then is ETIME. */
bool output_bytes(const session *s, int fd, const char *bytes, size_t n);
/* Report that. */
tn_status output_timeout(session *s);
/* All of the file PATH, or of standard input for "-", with a NUL behind it. */
tn_status read_whole(session *s, const char *path, cli_text *text);

/* `f32[2, 3]` */
void cli_put_type(cli_text *text, const tn_type *t);
/* Of CLOCK_MONOTONIC, in nanoseconds. */
int64_t time_now(void);

#endif
