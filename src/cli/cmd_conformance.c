/* tenon conformance: run the tests of a MIND conformance suite and report verdicts. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/conformance_test.h"

enum { OPTION_SUITE = OPTION_OWN, OPTION_JSON, OPTION_JUNIT, DEEPEST_FOLDER = 16 };

static const option options[] = {
    {OPTION_SUITE, "--profile", "cpu|gpu", "which tests run (cpu)"},
    {OPTION_JSON, "--json", NULL, "print one JSON object with all verdicts"},
    {OPTION_JUNIT, "--junit", "FILE", "also write the verdicts as JUnit XML"},
    {0},
};

typedef VECTOR(const char *) path_list;

typedef struct suite {
    session *s;
    arena memory;
    path_list paths;
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

static tn_status find_tests(suite *u, const char *path, uint32_t depth)
{
    struct stat info;
    diag_channel *d = &u->s->cx->diag;
    const char *kept = arena_copy_text(&u->memory, path, strlen(path));
    if (!kept)
        return diag_no_memory(d);
    if (stat(path, &info) != 0)
        return diag_report(d, DIAG_FileError, NULL, NO_SPAN, "'%s' cannot be opened: %s", path,
                           strerror(errno));
    if (!S_ISDIR(info.st_mode))
        return VECTOR_PUSH(&u->s->cx->allocator, &u->paths, kept) ? TN_OK : diag_no_memory(d);
    DIR *folder = depth < DEEPEST_FOLDER ? opendir(path) : NULL;
    if (!folder)
        return diag_report(d, DIAG_FileError, NULL, NO_SPAN, "'%s' cannot be read", path);
    tn_status status = TN_OK;
    for (const struct dirent *e; status == TN_OK && (e = readdir(folder)) != NULL;) {
        const char *inner = arena_printf(&u->memory, "%s/%s", path, e->d_name);
        if (e->d_name[0] == '.')
            continue;
        if (!inner)
            status = diag_no_memory(d);
        else if (is_test(e->d_name) || (stat(inner, &info) == 0 && S_ISDIR(info.st_mode)))
            status = find_tests(u, inner, depth + 1);
    }
    (void)closedir(folder);
    return status;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* ---- reports ---- */

static void put_json_result(text_buffer *out, const char *path, const conformance_result *r,
                            bool first)
{
    const char *fields[] = {"file",        path,          "category",
                            r->category,   "verdict",     verdict_names[r->verdict],
                            "description", r->description};
    text_puts(out, first ? "{" : ",{");
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i += 2) {
        text_printf(out, "%s\"%s\":", i ? "," : "", fields[i]);
        text_json_string(out, fields[i + 1], strlen(fields[i + 1]));
    }
    text_puts(out, ",\"detail\":");
    text_json_string(out, r->detail.n ? r->detail.at : "", r->detail.n);
    text_putc(out, '}');
}

static void put_line(text_buffer *out, const char *path, const conformance_result *r)
{
    if (r->verdict == VERDICT_PASS)
        return;
    text_printf(out, "%s %s\n", verdict_names[r->verdict], path);
    for (size_t i = 0; i < r->detail.n;) {
        size_t end = i;
        while (end < r->detail.n && r->detail.at[end] != '\n')
            end++;
        text_puts(out, "    ");
        text_put(out, r->detail.at + i, end - i);
        text_putc(out, '\n');
        i = end + 1;
    }
}

static void put_xml(text_buffer *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        if (c == '<')
            text_puts(out, "&lt;");
        else if (c == '>')
            text_puts(out, "&gt;");
        else if (c == '&')
            text_puts(out, "&amp;");
        else if (c == '"')
            text_puts(out, "&quot;");
        else if ((unsigned char)c >= ' ' || c == '\n' || c == '\t')
            text_putc(out, c);
    }
}

static void put_junit_case(text_buffer *out, const char *path, const conformance_result *r)
{
    text_puts(out, "  <testcase classname=\"");
    put_xml(out, r->category, strlen(r->category));
    text_puts(out, "\" name=\"");
    put_xml(out, path, strlen(path));
    text_puts(out, "\"");
    if (r->verdict == VERDICT_PASS) {
        text_puts(out, "/>\n");
        return;
    }
    text_puts(out, r->verdict == VERDICT_FAIL ? "><failure>" : "><skipped message=\"");
    put_xml(out, r->detail.at, r->detail.n);
    text_puts(out, r->verdict == VERDICT_FAIL ? "</failure></testcase>\n" : "\"/></testcase>\n");
}

/* ---- the command ---- */

static tn_status run_suite(suite *u, text_buffer *text, text_buffer *cases)
{
    if (u->json)
        text_puts(text, "{\"tests\":[");
    for (uint32_t i = 0; i < u->paths.n; i++) {
        conformance_result r;
        tn_status status = conformance_run(u->s->cx, u->paths.at[i], u->gpu, &u->memory, &r);
        if (status == TN_OK) {
            u->counts[r.verdict]++;
            if (u->json)
                put_json_result(text, u->paths.at[i], &r, i == 0);
            else
                put_line(text, u->paths.at[i], &r);
            put_junit_case(cases, u->paths.at[i], &r);
        }
        text_release(&r.detail);
        TN_TRY(status);
    }
    text_printf(text,
                u->json ? "],\"pass\":%u,\"fail\":%u,\"skip\":%u}\n"
                        : "%u passed, %u failed, %u skipped\n",
                u->counts[0], u->counts[1], u->counts[2]);
    return TN_OK;
}

static tn_status write_junit(suite *u, const text_buffer *cases)
{
    text_buffer out;
    text_init(&out, &u->s->cx->allocator);
    text_puts(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text_printf(&out,
                "<testsuite name=\"conformance\" tests=\"%u\" failures=\"%u\" skipped=\"%u\">\n",
                u->paths.n, u->counts[1], u->counts[2]);
    text_put(&out, cases->at, cases->n);
    text_puts(&out, "</testsuite>\n");
    tn_status status = output_text(u->s, u->junit, &out);
    text_release(&out);
    return status;
}

static tn_status report_all(suite *u)
{
    text_buffer text, cases;
    text_init(&text, &u->s->cx->allocator);
    text_init(&cases, &u->s->cx->allocator);
    tn_status status = run_suite(u, &text, &cases);
    if (status == TN_OK && cases.failed)
        status = diag_no_memory(&u->s->cx->diag);
    if (status == TN_OK && u->junit)
        status = write_junit(u, &cases);
    if (status == TN_OK)
        status = output_text(u->s, NULL, &text);
    text_release(&text);
    text_release(&cases);
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
    arena_init(&u.memory, &s->cx->allocator);
    tn_status status = find_tests(&u, place, 0);
    if (status == TN_OK && u.paths.n == 0)
        status = usage_error(s, "there are no tests (*.yaml) in '%s'", place);
    if (status == TN_OK) {
        qsort(u.paths.at, u.paths.n, sizeof *u.paths.at, compare_paths);
        status = report_all(&u);
    }
    VECTOR_RELEASE(&s->cx->allocator, &u.paths);
    arena_release(&u.memory);
    return status;
}

const command command_conformance = {
    "conformance", "DIR [--profile cpu|gpu] [--json] [--junit FILE]",
    "run the tests of a MIND conformance suite", options, run_conformance};
