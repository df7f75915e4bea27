/* Manual pages in mdoc, from the table of commands and options. */
#include "cli/manual.h"

#include <string.h>

static const char date[] = "November 22, 2026"; /* of this version */

static const struct {
    const char *status, *meaning;
} exit_statuses[] = {
    {"0", "It is done."},
    {"1", "The program was rejected."},
    {"2", "The command line is wrong."},
    {"3", "A run failed: data that does not fit, no memory, no backend."},
    {"70", "There is a defect in tenon itself; please report it."},
};
enum { N_STATUSES = sizeof exit_statuses / sizeof *exit_statuses };

/* TEXT as a line of roff: nothing in it is a request, a macro or an escape. */
static void put_text(cli_text *out, const char *text)
{
    cli_puts(out, "\\&");
    for (; *text; text++) {
        if (*text == '\\')
            cli_puts(out, "\\e");
        else if (*text == '-')
            cli_puts(out, "\\-");
        else if (*text == '\n')
            cli_putc(out, ' ');
        else if (*text != ' ' || text[1] != ' ')
            cli_putc(out, *text);
    }
}

static void put_line(cli_text *out, const char *text)
{
    put_text(out, text);
    cli_putc(out, '\n');
}

/* An argument of a macro. */
static void put_quoted(cli_text *out, const char *text)
{
    cli_puts(out, " \"");
    put_text(out, text);
    cli_putc(out, '"');
}

static void put_option(cli_text *out, const option *o)
{
    cli_puts(out, ".It Fl");
    put_quoted(out, o->name + 1);
    if (o->value) {
        cli_puts(out, " Ar");
        put_quoted(out, o->value);
    }
    cli_putc(out, '\n');
    put_line(out, o->help);
}

bool is_own_option(const command *c, const option *o)
{
    for (const option *own = c ? c->options : NULL; own && own->name; own++)
        if (strcmp(own->name, o->name) == 0)
            return true;
    return false;
}

static void put_options(cli_text *out, const command *c)
{
    cli_puts(out, "The options are:\n.Bl -tag -width Ds\n");
    for (const option *o = c ? c->options : NULL; o && o->name; o++)
        put_option(out, o);
    for (const option *o = common_options(c); o->name; o++)
        if (!is_own_option(c, o))
            put_option(out, o);
    cli_puts(out, ".El\n");
}

static void put_commands(cli_text *out)
{
    cli_puts(out, "The commands are:\n.Bl -tag -width Ds\n");
    for (size_t i = 0; cli_commands[i]; i++) {
        cli_printf(out, ".It Cm %s\n", cli_commands[i]->name);
        put_line(out, cli_commands[i]->help);
    }
    cli_puts(out, ".El\n.Pp\nEach has a page of its own, such as\n.Xr tenon\\-run 1 ,\n"
                  "which\n.Nm\n.Cm help\n.Ar COMMAND\nshows.\n.Pp\n");
}

static void put_title(cli_text *out, const command *c)
{
    char upper[32] = "";
    for (size_t i = 0; c && c->name[i] && i + 2 < sizeof upper; i++) {
        upper[0] = '-';
        upper[i + 1] =
            (char)(c->name[i] >= 'a' && c->name[i] <= 'z' ? c->name[i] - 'a' + 'A' : c->name[i]);
        upper[i + 2] = '\0';
    }
    cli_printf(out, ".Dd %s\n.Dt TENON%s 1\n.Os\n.Sh NAME\n.Nm tenon%s%s\n.Nd", date, upper,
               c ? "-" : "", c ? c->name : "");
    cli_putc(out, ' ');
    put_line(out,
             c ? c->help : "a tensor compiler: checks, rewrites and runs programs in tensor IRs");
}

/* The name behind LAST in the order of the alphabet; NULL: none. */
static const char *next_name(const char *last)
{
    const char *next = NULL;
    for (size_t i = 0; cli_commands[i]; i++)
        if (strcmp(cli_commands[i]->name, last) > 0 &&
            (!next || strcmp(cli_commands[i]->name, next) < 0))
            next = cli_commands[i]->name;
    return next;
}

static void put_pages(cli_text *out)
{
    for (const char *name = next_name(""), *next; name; name = next) {
        next = next_name(name);
        cli_printf(out, ".Xr tenon\\-%s 1%s\n", name, next ? " ," : "");
    }
}

void manual_page(cli_text *out, const command *c)
{
    put_title(out, c);
    cli_puts(out, ".Sh SYNOPSIS\n.Nm tenon\n");
    cli_printf(out, ".Cm %s\n", c ? c->name : "COMMAND");
    put_line(out, c ? c->synopsis : "...");
    cli_puts(out, ".Sh DESCRIPTION\n");
    if (c) {
        put_line(out, c->help);
        cli_puts(out, ".Pp\n");
    } else {
        put_commands(out);
    }
    put_options(out, c);
    cli_puts(out, ".Sh EXIT STATUS\n.Bl -tag -width Ds\n");
    for (size_t i = 0; i < N_STATUSES; i++)
        cli_printf(out, ".It %s\n%s\n", exit_statuses[i].status, exit_statuses[i].meaning);
    cli_puts(out, ".El\n.Sh SEE ALSO\n");
    if (c)
        cli_puts(out, ".Xr tenon 1\n");
    else
        put_pages(out);
}

void manual_text(cli_text *out, const command *c)
{
    cli_printf(out, "NAME\n  tenon %s - %s\n\nSYNOPSIS\n  tenon %s%s", c->name, c->help, c->name,
               *c->synopsis ? " " : "");
    for (const char *at = c->synopsis; *at; at++) {
        cli_putc(out, *at);
        if (*at == '\n')
            cli_puts(out, "  ");
    }
    cli_puts(out, "\n\nOPTIONS\n");
    help_command_options(out, c);
    cli_puts(out, "\nEXIT STATUS\n");
    for (size_t i = 0; i < N_STATUSES; i++)
        cli_printf(out, "  %-4s%s\n", exit_statuses[i].status, exit_statuses[i].meaning);
    cli_puts(out, "\nSEE ALSO\n  tenon help: all commands; tenon explain --code CODE: an error\n");
}
