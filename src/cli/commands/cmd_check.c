/* tenon check: is each program valid? */
#include "cli/session/cli.h"
#include "tenon/convert.h"

enum { OPTION_ALL = OPTION_OWN, OPTION_LEGAL_FOR };

static tn_status check_file(session *s, const char *path, const char *target)
{
    tn_module *m;
    TN_TRY(read_program(s, path, &m));
    tn_status status = tn_module_verify(m);
    if (status == TN_OK && target)
        status = tn_module_check_legal(m, target);
    tn_module_free(m);
    return status;
}

static tn_status run_check(session *s, const arguments *args)
{
    tn_status worst = TN_OK;
    const char *target = NULL;
    for (int i = 0; i < args->n_options; i++)
        if (args->options[i].id == OPTION_LEGAL_FOR)
            target = args->options[i].value;
    if (args->n_files == 0)
        return usage_error(s, "'check' needs at least one file ('-' is standard input)");
    for (int i = 0; i < args->n_files; i++) {
        tn_status status = check_file(s, args->files[i], target);
        if (exit_status(status) > exit_status(worst))
            worst = status;
    }
    return worst;
}

static const option options[] = {
    {OPTION_ALL, "--all-errors", NULL, "report every fault, as is always done"},
    {OPTION_LEGAL_FOR, "--legal-for", "DIALECT",
     "also check that this dialect can express every operation as it stands"},
    {0},
};

const command command_check = {"check",
                               "FILE... [--legal-for DIALECT]",
                               "verify programs and print diagnostics",
                               options,
                               run_check,
                               true};
