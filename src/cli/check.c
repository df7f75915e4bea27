/* tenon check: is each program valid? */
#include "cli/cli.h"
#include "driver/programs.h"

static tn_status check_file(session *s, const char *path)
{
    tn_module *m;
    TN_TRY(read_program(s->cx, &s->read, path, &m));
    tn_status status = tn_module_verify(m);
    tn_module_free(m);
    return status;
}

static tn_status run_check(session *s, const arguments *args)
{
    tn_status worst = TN_OK;
    if (args->n_files == 0)
        return usage_error(s, "'check' needs at least one file ('-' is standard input)");
    for (int i = 0; i < args->n_files; i++) {
        tn_status status = check_file(s, args->files[i]);
        if (exit_status(status) > exit_status(worst))
            worst = status;
    }
    return worst;
}

static const option options[] = {
    {OPTION_OWN, "--all-errors", NULL, "report every fault, as is always done"},
    {0},
};

const command command_check = {"check", "FILE...", "verify programs and print diagnostics", options,
                               run_check};
