/* Diagnostics on standard error, and the exit status that goes with them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

static bool terminal_has_colors(void)
{
    const char *term = getenv("TERM"), *no = getenv("NO_COLOR");
    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0 && !(no && no[0]);
}

/* The last value of option NAME among the arguments, or NULL. */
static const char *value_of(int argc, char **argv, const char *name)
{
    const char *found = NULL;
    size_t n = strlen(name);
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], name, n) != 0)
            continue;
        if (argv[i][n] == '=')
            found = argv[i] + n + 1;
        else if (!argv[i][n] && i + 1 < argc)
            found = argv[i + 1];
    }
    return found;
}

void report_setup(session *s, int argc, char **argv)
{
    const char *form = value_of(argc, argv, "--diagnostics");
    const char *color = value_of(argc, argv, "--color");
    s->style = TN_DIAGNOSTIC_TEXT;
    if (form && strcmp(form, "json") == 0)
        s->style = TN_DIAGNOSTIC_JSON;
    else if (color && strcmp(color, "always") == 0)
        s->style = TN_DIAGNOSTIC_COLOR;
    else if (!(color && strcmp(color, "never") == 0) && terminal_has_colors())
        s->style = TN_DIAGNOSTIC_COLOR;
}

static bool write_error(void *user, const char *bytes, size_t n)
{
    (void)user;
    output_error_text(bytes, n);
    return true;
}

void report_diagnostic(void *user, const tn_diagnostic *d)
{
    static const char lost[] = "tenon: error: out of memory, and none to say where\n";
    const session *s = user;
    tn_writer writer = {write_error, NULL};
    if (tn_diagnostic_write(s->cx, d, s->style, &writer) != TN_OK)
        output_error_text(lost, sizeof lost - 1);
}

int exit_status(tn_status s)
{
    switch (s) {
    case TN_OK:
        return 0;
    case TN_ERR_REJECTED:
        return 1;
    case TN_ERR_USAGE:
        return 2;
    case TN_ERR_INPUT:
    case TN_ERR_RUN:
    case TN_ERR_NOMEM:
    case TN_ERR_IO:
    case TN_ERR_UNAVAILABLE:
        return 3;
    case TN_ERR_INTERNAL:
        break;
    }
    return 70;
}
