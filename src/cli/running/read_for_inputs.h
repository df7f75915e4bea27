/* Models that leave sizes open on which their nodes depend: the inputs of the run say what they
 * are. */
#ifndef CLI_RUNNING_READ_FOR_INPUTS_H
#define CLI_RUNNING_READ_FOR_INPUTS_H

#include "cli/session/cli.h"

/* Read the program PATH. *M is NULL after TN_OK for a model that is refused, of which nothing was
 * reported: it is read_with more next. What can be read without has code for all sizes. */
tn_status read_without(session *s, const char *path, tn_module **m);
/* Read it WITH the shapes and values of inputs on which its nodes may depend. */
tn_status read_with(session *s, const char *path, const tn_read_options *with, tn_module **m);
/* Both, with the sizes that the options --input and --inputs give; and where these are not enough,
 * with their integers as constants, which are no inputs then. */
tn_status read_for_inputs(session *s, const arguments *args, const char *path, tn_module **m);

#endif
