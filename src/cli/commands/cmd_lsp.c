/* tenon lsp: the language server, on standard input and output. */
#include "cli/session/cli.h"
#include "lsp/server.h"

/* Editors name the channel, and there is only this one. */
enum { OPTION_STDIO = OPTION_OWN, OPTION_PAGES };

/* Where packages put the documents. */
static const char installed[] = "file:///usr/share/doc/tenon/html/errors";

static const option options[] = {
    {OPTION_STDIO, "--stdio", NULL, "talk over standard input and output, as it always does"},
    {OPTION_PAGES, "--pages", "URI",
     "where the pages about errors are: the folder 'errors' of the documents (those that are "
     "installed)"},
    {0},
};

static bool write_out(void *user, const char *bytes, size_t n)
{
    return fwrite(bytes, 1, n, user) == n && fflush(user) == 0;
}

static const char *pages_of(const arguments *args)
{
    for (int i = 0; i < args->n_options; i++)
        if (args->options[i].id == OPTION_PAGES)
            return args->options[i].value;
    FILE *page = fopen("/usr/share/doc/tenon/html/errors/SyntaxError.html", "r");
    if (page)
        (void)fclose(page);
    return page ? installed : NULL;
}

static tn_status run_lsp(session *s, const arguments *args)
{
    const tn_writer out = {write_out, stdout};
    if (args->n_files)
        return usage_error(s, "'lsp' takes no file");
    lsp_server *server = lsp_new(NULL, &out, pages_of(args));
    if (!server)
        return no_memory(s);
    const char *why;
    const int status = lsp_serve(server, stdin, &why);
    lsp_free(server);
    if (why)
        return report_error(s, TN_ERR_REJECTED, "SyntaxError", "standard input: %s", why);
    return status == 0 ? TN_OK : TN_ERR_REJECTED;
}

const command command_lsp = {"lsp",   "",      "serve editors: the language server",
                             options, run_lsp, false};
