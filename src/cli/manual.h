/* What is generated from the table of commands and options: manual pages and completions. Both are
 * hidden commands, for builds and shells: `tenon manual [COMMAND]` and `tenon completions ...`. */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

#include "cli/session/cli.h"

/* Every command, in the order of the help; ends with NULL. */
extern const command *const cli_commands[];

/* Is OPTION, of the common ones, replaced by one of C? */
bool is_own_option(const command *c, const option *o);
/* The page of C as mdoc; of all of them when C is NULL. */
void manual_page(cli_text *out, const command *c);
/* The page of C as plain text. */
void manual_text(cli_text *out, const command *c);

/* What the value of an option may be, as completions offer it. */
typedef enum value_kind {
    VALUE_NONE,   /* it takes none */
    VALUE_ANY,    /* a file, or what nobody knows */
    VALUE_WORDS,  /* one of the words of the table, or of a list that the library has */
    VALUE_INPUTS, /* NAME=..., an input of the file at hand */
    VALUE_NAMES,  /* the name of one */
    VALUE_SYMBOLS /* SYM=N, a symbolic size of it */
} value_kind;
value_kind option_value(const option *o, cli_text *words);

/* `completions` with ARGC arguments: bash, zsh or fish prints the script; `inputs FILE`,
 * `names FILE` and `symbols FILE` print names, a line each. */
tn_status completions(session *s, int argc, char **argv);

#endif
