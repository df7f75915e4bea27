/* Models that leave sizes open on which their nodes depend: the inputs of the run say what they
 * are. */
#ifndef CLI_RUNNING_READ_FOR_INPUTS_H
#define CLI_RUNNING_READ_FOR_INPUTS_H

#include "cli/session/cli.h"

/* Read the program PATH. *M is NULL after TN_OK for a model that is refused, of which nothing was
 * reported: it is read for inputs next. What can be read without has code for all sizes. */
tn_status read_without(session *s, const char *path, tn_module **m);
/* Read it for the inputs that the options --input and --inputs give (tn_module_read_for). */
tn_status read_with_sizes(session *s, const arguments *args, const char *path, tn_module **m);
/* Without where that is possible, else with the sizes. IS_OPEN: the inputs of a run decide about
 * sizes. The module took them for what its nodes need: those that meet are equal, and parts exist.
 * Where inputs do not fit (TN_ERR_INPUT), the program may be one for them that is read_with_sizes:
 * axes of extent 1 spread then, and parts end where there is no more. */
tn_status read_for_inputs(session *s, const arguments *args, const char *path, tn_module **m,
                          bool *is_open);

/* What is reported meanwhile, as it would be shown. */
typedef struct held_reports {
    session *s;
    cli_text text;
    tn_diagnostic_sink sink;
} held_reports;

/* Hold what is reported from now on, in H, which stays where it is; until the end. SHOWN: it is
 * printed then. */
void reports_hold(session *s, held_reports *h);
void reports_end(held_reports *h, bool shown);

#endif
