/* tenon fmt: a program in its dialect's canonical text, or another style. */
#include <string.h>

#include "cli/session/cli.h"

enum { OPTION_OUT = OPTION_OWN, OPTION_STYLE };

static const option options[] = {
    {OPTION_OUT, "-o", "OUT", "file to write; else standard output"},
    {OPTION_STYLE, "--style", "STYLE", "one of the dialect's styles (its canonical form)"},
    {0},
};

/* Can M be written to OUT as what it was read from? */
static tn_status check_formattable(session *s, const tn_module *m, const char *out)
{
    tn_module_info info = {.size = sizeof info};
    TN_TRY(refuse_code_name(s, "fmt", out));
    TN_TRY(tn_module_get_info(m, &info));
    if (!info.is_lowered || strcmp(info.lowered_from, info.dialect) == 0)
        return refuse_other_name(s, "fmt", info.dialect, out);
    return report_error(s, TN_ERR_USAGE, "Usage",
                        "programs of the dialect '%s' are not printed in it; 'tenon convert --to "
                        "%s' prints what they mean",
                        info.lowered_from, info.dialect);
}

static tn_status run_fmt(session *s, const arguments *args)
{
    const char *file, *out = NULL, *style = NULL;
    tn_module *m;
    cli_text text = {0};
    const tn_writer writer = text_writer(&text);

    for (int i = 0; i < args->n_options; i++)
        *(args->options[i].id == OPTION_OUT ? &out : &style) = args->options[i].value;
    TN_TRY(arguments_one_file(s, args, &file));
    TN_TRY(read_program(s, file, &m));
    tn_status status = check_formattable(s, m, out);
    if (status == TN_OK)
        status = tn_module_write(m, NULL, style, &writer);
    if (status == TN_OK)
        status = output_text(s, out, &text);
    cli_text_release(&text);
    tn_module_free(m);
    return status;
}

const command command_fmt = {"fmt",
                             "FILE [-o OUT] [--style STYLE]",
                             "print a program in its dialect's canonical text",
                             options,
                             run_fmt,
                             true};
