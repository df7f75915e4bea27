/* tenon passes: the graph passes in the order in which the levels run them. */
#include <string.h>

#include "cli/cli.h"

static tn_status run_passes(session *s, const arguments *args)
{
    text_buffer out;
    tn_pass_info pass;
    if (args->n_files)
        return usage_error(s, "'passes' takes no file");
    text_init(&out, &s->cx->allocator);
    text_puts(&out, "# pass             class           level  contract\n");
    for (size_t i = 0; tn_pass_at(i, &pass); i++) {
        size_t n = strlen(pass.name);
        text_puts(&out, pass.name);
        text_fill(&out, ' ', n < 19 ? 19 - n : 1);
        text_puts(&out, pass.is_exact     ? "exact           "
                        : pass.is_relaxed ? "relaxed         "
                                          : "reassociating   ");
        if (pass.level <= 2) {
            text_puts(&out, "-O");
            text_i64(&out, pass.level);
            text_puts(&out, "    ");
        } else if (pass.level == 3) {
            text_puts(&out, "run    ");
        } else {
            text_puts(&out, "-      ");
        }
        text_puts(&out, pass.contract);
        text_putc(&out, '\n');
    }
    tn_status status = output_text(s, NULL, &out);
    text_release(&out);
    return status;
}

const command command_passes = {"passes", "", "print the graph passes and their contracts", NULL,
                                run_passes};
