/* tenon conformance: run the tests of a MIND conformance suite and report verdicts. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/conformance/conformance_test.h"
#include "cli/session/cli.h"

enum { OPTION_SUITE = OPTION_OWN, OPTION_JSON, OPTION_JUNIT, DEEPEST_FOLDER = 16 };

static const option options[] = {
    {OPTION_SUITE, "--profile", "cpu|gpu", "which tests run (cpu)"},
    {OPTION_JSON, "--json", NULL, "print one JSON object with all verdicts"},
    {OPTION_JUNIT, "--junit", "FILE", "also write the verdicts as JUnit XML"},
    {0},
};

typedef struct suite {
    session *s;
    const char **paths;
    size_t n_paths, cap_paths;
    bool gpu, json;
    const char *junit;
    uint32_t counts[3]; /* by verdict */
} suite;

static const char *const verdict_names[] = {"pass", "fail", "skip"};

/* ---- finding the files ---- */

static bool is_test(const char *name)
{
    size_t n = strlen(name);
    return (n > 5 && strcmp(name + n - 5, ".yaml") == 0) ||
           (n > 4 && strcmp(name + n - 4, ".yml") == 0);
}

static tn_status add_test(suite *u, const char *path)
{
    cli_pool *memory = &u->s->memory;
    const char *kept = cli_copy(memory, path, strlen(path));
    const char **paths = cli_grow(memory, u->paths, &u->cap_paths, u->n_paths, sizeof *paths);
    if (!kept || !paths)
        return no_memory(u->s);
    u->paths = paths;
    paths[u->n_paths++] = kept;
    return TN_OK;
}

static tn_status find_tests(suite *u, const char *path, uint32_t depth)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return file_error(u->s, "'%s' cannot be opened: %s", path, strerror(errno));
    if (!S_ISDIR(info.st_mode))
        return add_test(u, path);
    DIR *folder = depth < DEEPEST_FOLDER ? opendir(path) : NULL;
    if (!folder)
        return file_error(u->s, "'%s' cannot be read", path);
    tn_status status = TN_OK;
    for (const char *name;
         status == TN_OK && (name = next_entry(u->s, folder, path, &status)) != NULL;) {
        cli_text inner = {0};
        if (name[0] == '.')
            continue;
        cli_printf(&inner, "%s/%s", path, name);
        if (inner.failed)
            status = no_memory(u->s);
        else if (is_test(name) || (stat(inner.at, &info) == 0 && S_ISDIR(info.st_mode)))
            status = find_tests(u, inner.at, depth + 1);
        cli_text_release(&inner);
    }
    (void)closedir(folder);
    return status;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* ---- reports ---- */

static void put_json_result(cli_text *out, const char *path, const conformance_result *r,
                            bool first)
{
    const char *fields[] = {"file",        path,          "category",
                            r->category,   "verdict",     verdict_names[r->verdict],
                            "description", r->description};
    cli_puts(out, first ? "{" : ",{");
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i += 2) {
        cli_printf(out, "%s\"%s\":", i ? "," : "", fields[i]);
        cli_put_json(out, fields[i + 1], strlen(fields[i + 1]));
    }
    cli_puts(out, ",\"detail\":");
    cli_put_json(out, r->detail.n ? r->detail.at : "", r->detail.n);
    cli_putc(out, '}');
}

static void put_line(cli_text *out, const char *path, const conformance_result *r)
{
    if (r->verdict == VERDICT_PASS)
        return;
    cli_printf(out, "%s %s\n", verdict_names[r->verdict], path);
    for (size_t i = 0; i < r->detail.n;) {
        size_t end = i;
        while (end < r->detail.n && r->detail.at[end] != '\n')
            end++;
        cli_puts(out, "    ");
        cli_put(out, r->detail.at + i, end - i);
        cli_putc(out, '\n');
        i = end + 1;
    }
}

static void put_xml(cli_text *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        if (c == '<')
            cli_puts(out, "&lt;");
        else if (c == '>')
            cli_puts(out, "&gt;");
        else if (c == '&')
            cli_puts(out, "&amp;");
        else if (c == '"')
            cli_puts(out, "&quot;");
        else if ((unsigned char)c >= ' ' || c == '\n' || c == '\t')
            cli_putc(out, c);
    }
}

static void put_junit_case(cli_text *out, const char *path, const conformance_result *r)
{
    cli_puts(out, "  <testcase classname=\"");
    put_xml(out, r->category, strlen(r->category));
    cli_puts(out, "\" name=\"");
    put_xml(out, path, strlen(path));
    cli_puts(out, "\"");
    if (r->verdict == VERDICT_PASS) {
        cli_puts(out, "/>\n");
        return;
    }
    cli_puts(out, r->verdict == VERDICT_FAIL ? "><failure>" : "><skipped message=\"");
    put_xml(out, r->detail.at, r->detail.n);
    cli_puts(out, r->verdict == VERDICT_FAIL ? "</failure></testcase>\n" : "\"/></testcase>\n");
}

/* ---- the command ---- */

static tn_status run_suite(suite *u, cli_text *text, cli_text *cases)
{
    if (u->json)
        cli_puts(text, "{\"tests\":[");
    for (size_t i = 0; i < u->n_paths; i++) {
        conformance_result r = {0};
        tn_status status = conformance_run(u->s, u->paths[i], u->gpu, &r);
        if (status == TN_OK) {
            u->counts[r.verdict]++;
            if (u->json)
                put_json_result(text, u->paths[i], &r, i == 0);
            else
                put_line(text, u->paths[i], &r);
            put_junit_case(cases, u->paths[i], &r);
        }
        cli_text_release(&r.detail);
        TN_TRY(status);
    }
    cli_printf(text,
               u->json ? "],\"pass\":%u,\"fail\":%u,\"skip\":%u}\n"
                       : "%u passed, %u failed, %u skipped\n",
               u->counts[0], u->counts[1], u->counts[2]);
    return TN_OK;
}

static tn_status write_junit(suite *u, const cli_text *cases)
{
    cli_text out = {0};
    cli_puts(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    cli_printf(&out,
               "<testsuite name=\"conformance\" tests=\"%zu\" failures=\"%u\" skipped=\"%u\">\n",
               u->n_paths, u->counts[1], u->counts[2]);
    cli_put(&out, cases->at, cases->n);
    cli_puts(&out, "</testsuite>\n");
    tn_status status = output_text(u->s, u->junit, &out);
    cli_text_release(&out);
    return status;
}

static tn_status report_all(suite *u)
{
    cli_text text = {0}, cases = {0};
    tn_status status = run_suite(u, &text, &cases);
    if (status == TN_OK && cases.failed)
        status = no_memory(u->s);
    if (status == TN_OK && u->junit)
        status = write_junit(u, &cases);
    if (status == TN_OK)
        status = output_text(u->s, NULL, &text);
    cli_text_release(&text);
    cli_text_release(&cases);
    return status == TN_OK && u->counts[VERDICT_FAIL] ? TN_ERR_REJECTED : status;
}

static tn_status run_conformance(session *s, const arguments *args)
{
    suite u = {.s = s};
    const char *place;
    TN_TRY(arguments_one_file(s, args, &place));
    for (int i = 0; i < args->n_options; i++) {
        const given *g = &args->options[i];
        u.json = u.json || g->id == OPTION_JSON;
        if (g->id == OPTION_JUNIT)
            u.junit = g->value;
        if (g->id == OPTION_SUITE && strcmp(g->value, "cpu") != 0 && strcmp(g->value, "gpu") != 0)
            return usage_error(s, "--profile takes cpu or gpu, not '%s'", g->value);
        if (g->id == OPTION_SUITE)
            u.gpu = strcmp(g->value, "gpu") == 0;
    }
    tn_status status = find_tests(&u, place, 0);
    if (status == TN_OK && u.n_paths == 0)
        status = usage_error(s, "there are no tests (*.yaml) in '%s'", place);
    if (status == TN_OK) {
        qsort(u.paths, u.n_paths, sizeof *u.paths, compare_paths);
        status = report_all(&u);
    }
    return status;
}

const command command_conformance = {"conformance",
                                     "DIR [--profile cpu|gpu] [--json] [--junit FILE]",
                                     "run the tests of a MIND conformance suite",
                                     options,
                                     run_conformance,
                                     true};
