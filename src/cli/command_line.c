/* The command line: finds the command and hands over. */
#include <signal.h>
#include <string.h>

#include "cli/manual.h"

/* In the order of the help. */
const command *const cli_commands[] = {
    &command_check,  &command_fmt,    &command_fix,    &command_convert,     &command_equiv,
    &command_grad,   &command_opt,    &command_run,    &command_compile,     &command_explain,
    &command_report, &command_info,   &command_verify, &command_conformance, &command_train,
    &command_ops,    &command_passes, &command_cache,  &command_lsp,         NULL,
};

static const command *find_command(const char *name)
{
    for (size_t i = 0; cli_commands[i]; i++)
        if (strcmp(cli_commands[i]->name, name) == 0)
            return cli_commands[i];
    return NULL;
}

static tn_status unknown_command(session *s, const char *name)
{
    const char *names[sizeof cli_commands / sizeof *cli_commands];
    size_t n = 0;
    for (; cli_commands[n]; n++)
        names[n] = cli_commands[n]->name;
    if (name[0] == '-')
        advise(s, "options stand behind the command: tenon run FILE %s ...", name);
    else
        advise_name(s, name, strlen(name), names, n);
    return usage_error(s, "there is no command '%s'", name);
}

static void help_all(cli_text *out)
{
    cli_puts(out, "tenon COMMAND ...\n\nA tensor compiler: checks, formats, rewrites and runs "
                  "programs in tensor IRs.\n\n");
    for (size_t i = 0; cli_commands[i]; i++) {
        cli_puts(out, "  ");
        cli_puts(out, cli_commands[i]->name);
        cli_fill(out, ' ', 13 - strlen(cli_commands[i]->name));
        cli_puts(out, cli_commands[i]->help);
        cli_putc(out, '\n');
    }
    cli_puts(out, "\n'tenon help COMMAND' says more; 'tenon --version' prints the version. 'tenon "
                  "completions\nbash|zsh|fish' prints what a shell completes by; 'tenon manual "
                  "[COMMAND]' prints a manual page.\n");
}

static tn_status print_help(session *s)
{
    cli_text out = {0};
    if (s->command)
        help_command(&out, s->command);
    else
        help_all(&out);
    tn_status status = output_text(s, NULL, &out);
    cli_text_release(&out);
    return status;
}

static tn_status print_version(session *s)
{
    cli_text out = {0};
    cli_puts(&out, "tenon ");
    cli_puts(&out, tn_version());
    cli_putc(&out, '\n');
    tn_status status = output_text(s, NULL, &out);
    cli_text_release(&out);
    return status;
}

static tn_status run_command(session *s, int argc, char **argv)
{
    arguments args;
    tn_status status = arguments_read(s, argc, argv, &args);
    if (status == TN_OK && s->wants_help)
        status = print_help(s);
    else if (status == TN_OK && s->wants_version)
        status = print_version(s);
    else if (status == TN_OK)
        status = s->command->run(s, &args);
    return status;
}

typedef void write_page(cli_text *out, const command *c);

/* The page of the command NAME (NULL: of all), as WRITE writes it. */
static tn_status print_manual(session *s, const char *name, write_page *write)
{
    const command *c = name ? find_command(name) : NULL;
    cli_text out = {0};
    if (name && !c)
        return unknown_command(s, name);
    write(&out, c);
    const tn_status status = output_text(s, NULL, &out);
    cli_text_release(&out);
    return status;
}

static tn_status dispatch(session *s, int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name)
        return usage_error(s, "no command is given");
    if (strcmp(name, "help") == 0 && argc > 2)
        return argc == 3
                   ? print_manual(s, argv[2], manual_text)
                   : usage_error(s, "'help' takes one command, and '%s' is a second", argv[3]);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return print_help(s);
    if (strcmp(name, "--version") == 0)
        return print_version(s);
    if (strcmp(name, "completions") == 0)
        return completions(s, argc - 2, argv + 2);
    if (strcmp(name, "manual") == 0 && argc > 3)
        return usage_error(s, "'manual' takes one command, and '%s' is a second", argv[3]);
    if (strcmp(name, "manual") == 0)
        return print_manual(s, argc > 2 ? argv[2] : NULL, manual_page);
    const command *c = find_command(name);
    if (!c)
        return unknown_command(s, name);
    s->command = c;
    return run_command(s, argc - 2, argv + 2);
}

int cli_main(int argc, char **argv)
{
    session s = {.read.size = sizeof s.read};
    tn_diagnostic_sink sink = {report_diagnostic, &s};
    static const char no_memory[] = "tenon: error: out of memory\n";

    (void)signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of write, not the end */
    s.cx = tn_context_new(NULL, &sink);
    if (!s.cx) {
        output_error_text(&s, no_memory, sizeof no_memory - 1);
        return exit_status(TN_ERR_NOMEM);
    }
    name_settings(s.cx);
    report_setup(&s, argc, argv);
    tn_status status = dispatch(&s, argc, argv);
    models_release(&s);
    known_inputs_release(&s);
    cli_pool_release(&s.memory);
    tn_context_free(s.cx);
    return exit_status(status);
}
