/* The parts of `tenon train`. */
#ifndef CLI_TRAIN_H
#define CLI_TRAIN_H

#include "cli/session/cli.h"
#include "tenon/train.h"

/* Is anything to be computed again? */
typedef enum recompute_choice {
    RECOMPUTE_OPEN, /* if --memory is given */
    RECOMPUTE_NONE,
    RECOMPUTE_AUTO
} recompute_choice;

/* What the command line asks for. */
typedef struct train_options {
    const char *file, *update, *output, *log, *folder;
    const char **data, **validate; /* paths */
    size_t n_data, n_validate;
    const char *scores, *labels; /* of --metric; NULL: none */
    uint64_t every, keep;        /* checkpoints: steps between two, how many stay */
    bool resume, show_update;
    recompute_choice recompute;
    bool has_keep;
    tn_train_options train;
    tn_optimizer optimizer;
    tn_compile_options compile;
} train_options;

/* ---- train_options.c ---- */

extern const option train_option_list[];
tn_status train_options_read(session *s, const arguments *args, train_options *o);

/* ---- train_progress.c ---- */

/* What is shown and written down while a training runs. */
typedef struct progress {
    session *s;
    const char *path;          /* of the log; NULL: none */
    int log;                   /* -1: none */
    bool is_quiet;             /* another rank shows and logs */
    bool is_terminal, is_open; /* a line of the terminal is unfinished */
    uint64_t steps, batch, first;
    uint64_t next; /* step whose validation is shown next, where it is no terminal */
    int64_t begin; /* by time_now */
} progress;

tn_status progress_begin(session *s, const train_options *o, const tn_trainer *t, bool is_first,
                         progress *p);
tn_status progress_step(progress *p, const tn_train_step *done);
/* The result of a validation after DONE steps. */
tn_status progress_validation(progress *p, uint64_t done, const tn_validation *v);
void progress_end(progress *p);

#endif
