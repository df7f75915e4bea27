/* tenon passes: the graph passes in the order in which the levels run them. */
#include <string.h>

#include "cli/session/cli.h"

static tn_status run_passes(session *s, const arguments *args)
{
    cli_text out = {0};
    tn_pass_info pass;
    if (args->n_files)
        return usage_error(s, "'passes' takes no file");
    cli_puts(&out, "# pass             class           level  contract\n");
    for (size_t i = 0; tn_pass_at(i, &pass); i++) {
        size_t n = strlen(pass.name);
        cli_puts(&out, pass.name);
        cli_fill(&out, ' ', n < 19 ? 19 - n : 1);
        cli_puts(&out, pass.is_exact     ? "exact           "
                       : pass.is_relaxed ? "relaxed         "
                                         : "reassociating   ");
        if (pass.level <= 2) {
            cli_puts(&out, "-O");
            cli_printf(&out, "%d    ", pass.level);
        } else if (pass.level == 3) {
            cli_puts(&out, "run    ");
        } else {
            cli_puts(&out, "-      ");
        }
        cli_puts(&out, pass.contract);
        cli_putc(&out, '\n');
    }
    tn_status status = output_text(s, NULL, &out);
    cli_text_release(&out);
    return status;
}

const command command_passes = {"passes", "",         "print the graph passes and their contracts",
                                NULL,     run_passes, false};
