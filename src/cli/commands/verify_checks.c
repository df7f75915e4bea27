/* Files that check themselves: a line for each function, and their number in the end. */
#include "cli/commands/verify_checks.h"

#include <string.h>

#include "tenon/convert.h"

bool has_checks(const session *s, const char *path)
{
    const size_t n = strlen(path);
    return s->read.dialect ? strcmp(s->read.dialect, "stablehlo") == 0
                           : n > 5 && strcmp(path + n - 5, ".mlir") == 0;
}

typedef struct tally {
    session *s;
    unsigned n_passed, n_failed, n_refused;
    tn_status status; /* of writing */
} tally;

static void put_checks(cli_text *line, const tn_function_checks *f)
{
    if (f->n_failed)
        cli_printf(line, "; %u of %u checks failed", f->n_failed, f->n_checks);
    else if (f->verdict == TN_CHECKS_PASSED)
        cli_printf(line, " (%u check%s)", f->n_checks, cli_plural(f->n_checks));
}

/* Lines are written as they come: they stand between the diagnostics that belong to them. */
static void put_line(void *user, const tn_function_checks *f)
{
    static const char *const words[] = {
        [TN_CHECKS_PASSED] = "passed",
        [TN_CHECKS_FAILED] = "failed: ",
        [TN_CHECKS_REFUSED] = "refused",
    };
    tally *t = user;
    cli_text line = {0};
    t->n_passed += f->verdict == TN_CHECKS_PASSED;
    t->n_failed += f->verdict == TN_CHECKS_FAILED;
    t->n_refused += f->verdict == TN_CHECKS_REFUSED;
    if (*f->name)
        cli_put_name(&line, f->name);
    else
        cli_printf(&line, "the program in line %u", f->line);
    cli_printf(&line, ": %s%s", words[f->verdict], f->why);
    put_checks(&line, f);
    cli_putc(&line, '\n');
    if (t->status == TN_OK)
        t->status = output_text(t->s, NULL, &line);
    cli_text_release(&line);
}

tn_status verify_checks(session *s, const char *path, const tn_compile_options *compile)
{
    tally t = {.s = s};
    cli_text text = {0}, total = {0};
    tn_read_options read = s->read;
    read.file = strcmp(path, "-") == 0 ? "<stdin>" : path;
    tn_status status = read_whole(s, path, &text);
    if (status == TN_OK)
        status = tn_checks_run(s->cx, &read, compile, text.at, text.n, put_line, &t);
    cli_text_release(&text);
    TN_TRY(status);
    TN_TRY(t.status);
    const unsigned n = t.n_passed + t.n_failed + t.n_refused;
    cli_printf(&total, "%u function%s: %u passed, %u failed, %u refused\n", n, cli_plural(n),
               t.n_passed, t.n_failed, t.n_refused);
    status = output_text(s, NULL, &total);
    cli_text_release(&total);
    return status == TN_OK && t.n_failed + t.n_refused ? TN_ERR_REJECTED : status;
}
