/* The commands that a later version brings. They are known, so that scripts can tell "not yet" from
 * "no such command". */
#include "cli/cli.h"

static tn_status run_later(session *s, const arguments *args)
{
    (void)args;
    return diag_report(&s->cx->diag, DIAG_NotImplemented, NULL, NO_SPAN,
                       "the command '%s' is not part of this version yet", s->command->name);
}

static const option compile_options[] = {
    {OPTION_OWN, "-o", "OUT", "file to write: .o .so .a .c .ll .s"},
    {OPTION_OWN, "--header", "H", "C header to write"},
    {OPTION_OWN, "--target", "TRIPLE", "machine to compile for"},
    {OPTION_OWN, "--cpu", "NAME", "processor to compile for"},
    {0},
};

const command command_compile = {
    "compile", "FILE -o OUT [--header H] [--target TRIPLE] [--cpu NAME]",
    "coming: machine code or C from a program", compile_options, run_later};
