/* What the subcommands share: the session, its options, and where output goes. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/context.h"
#include "base/output.h"
#include "base/text.h"
#include "tenon/tenon.h"

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
    OPTION_LIMIT,
    OPTION_WHOLE_TIMEOUT,
    OPTION_DIAGNOSTICS,
    OPTION_COLOR,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_OWN
};

typedef struct session session;

typedef struct command {
    const char *name;
    const char *synopsis; /* arguments, for the help */
    const char *help;
    const option *options; /* ends with an entry without a name; NULL: none of its own */
    tn_status (*run)(session *s, const arguments *args);
} command;

struct session {
    context *cx;
    const command *command; /* NULL before it is known */
    tn_diagnostic_style style;
    tn_read_options read;
    bool wants_help, wants_version;
    const char **declared; /* room for one entry an argument; behind read.inputs */
    tn_binding *sizes;     /* the same, behind read.bindings */
};

extern const command command_check, command_fix, command_fmt, command_opt, command_run, command_ops,
    command_passes, command_convert, command_equiv, command_grad, command_compile, command_explain,
    command_conformance;

/* ---- options.c ---- */

/* Take ARGV apart for the session's command and carry out the common options. */
tn_status arguments_read(session *s, int argc, char **argv, arguments *args);
void arguments_release(session *s, arguments *args, int argc);
/* Exactly one file, which is what most commands take. */
tn_status arguments_one_file(session *s, const arguments *args, const char **file);
/* TEXT as a number in MIN..MAX, or a usage error that names the option. */
tn_status read_number(session *s, const char *option_name, const char *text, int64_t min,
                      int64_t max, int64_t *number);
/* Seconds, such as `0.5`, as nanoseconds: the value of --timeout. */
tn_status read_timeout(session *s, const char *text, uint64_t *ns);
/* `-O` followed by 0, 1 or 2. */
tn_status read_level(session *s, const char *text, tn_level *level);
/* `exact` or `relaxed`. */
tn_status read_numerics(session *s, const char *text, tn_numerics *numerics);
/* How a command is used: its options and the common ones. */
void help_command(text_buffer *out, const command *c);
/* "the command line is wrong": reports, points to the help, and returns TN_ERR_USAGE. */
tn_status usage_error(session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- bindings.c ---- */

/* The values of the options ID, each SYM=N, as bindings; NAMES takes their text apart. */
tn_status read_bindings(session *s, const arguments *args, int id, arena *names,
                        const tn_binding **out, size_t *n_out);

/* ---- report.c ---- */

/* Choose form and colours of diagnostics from the arguments before any of them can be wrong. */
void report_setup(session *s, int argc, char **argv);
void report_diagnostic(void *user, const tn_diagnostic *d);
int exit_status(tn_status s);

/* ---- output.c ---- */

/* Write TEXT to PATH, or to standard output when PATH is NULL or "-"; reports what fails. */
tn_status output_text(session *s, const char *path, const text_buffer *text);
/* The same, but a file appears together with the others of SET. */
tn_status output_text_in(session *s, output_set *set, const char *path, const text_buffer *text);
/* End SET: put its files in place if STATUS is TN_OK. Returns STATUS, or what failed then, which is
 * reported. */
tn_status output_end(session *s, output_set *set, tn_status status);
/* Have the folder PATH; reports. */
tn_status output_folder(session *s, output_set *set, const char *path);
/* A writer that appends to TEXT. */
tn_writer text_writer(text_buffer *text);
/* Write to standard error, as well as that goes. */
void output_error_text(const char *text, size_t n);

#endif
