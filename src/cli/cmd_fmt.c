/* tenon fmt: a program in its dialect's canonical text, or another style. */
#include "api/programs.h"
#include "cli/cli.h"

enum { OPTION_OUT = OPTION_OWN, OPTION_STYLE };

static const option options[] = {
    {OPTION_OUT, "-o", "OUT", "file to write; else standard output"},
    {OPTION_STYLE, "--style", "STYLE", "one of the dialect's styles (its canonical form)"},
    {0},
};

static tn_status run_fmt(session *s, const arguments *args)
{
    const char *file, *out = NULL, *style = NULL;
    tn_module *m;
    text_buffer text;

    for (int i = 0; i < args->n_options; i++)
        *(args->options[i].id == OPTION_OUT ? &out : &style) = args->options[i].value;
    TN_TRY(arguments_one_file(s, args, &file));
    TN_TRY(read_program(s->cx, &s->read, file, &m));
    text_init(&text, &s->cx->allocator);
    tn_status status = check_formattable(m);
    if (status == TN_OK)
        status = write_program(m, NULL, style, &text);
    if (status == TN_OK)
        status = output_text(s, out, &text);
    diag_flush(&s->cx->diag);
    text_release(&text);
    tn_module_free(m);
    return status;
}

const command command_fmt = {"fmt", "FILE [-o OUT] [--style STYLE]",
                             "print a program in its dialect's canonical text", options, run_fmt};
