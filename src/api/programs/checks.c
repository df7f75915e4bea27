/* Running the functions of a StableHLO text that check what they compute. */
#include "api/programs/checks.h"

#include "base/text/text.h"
#include "tenon/convert.h"

/* What all programs of one text share. */
typedef struct check_run {
    context *cx;
    tn_read_options read;
    const tn_compile_options *compile;
    void (*each)(void *user, const tn_function_checks *found);
    void *user;
    uint64_t n_found;
    const char *text; /* of one program, with as many empty lines before it as it has in the file */
    size_t length;
} check_run;

/* Does S end all work? */
static bool is_end(const check_run *r, tn_status s)
{
    return s == TN_ERR_NOMEM || s == TN_ERR_USAGE || context_is_stopped(r->cx);
}

static void tell(check_run *r, const tn_function_checks *found)
{
    diag_flush(&r->cx->diag);
    r->n_found++;
    r->each(r->user, found);
}

/* ---- one function ---- */

static module *new_module(check_run *r)
{
    module *m = module_new(r->cx);
    if (m)
        m->source = (source){.name = r->read.file, .text = r->text, .length = r->length};
    return m;
}

/* Judge the outputs OUT by CHECKS. */
static tn_status judge(check_run *r, const check_list *checks, const tn_buffer *out,
                       tn_function_checks *found)
{
    text_buffer why;
    text_init(&why, &r->cx->allocator);
    found->n_checks = checks->all.n;
    for (uint32_t i = 0; i < checks->all.n; i++) {
        const text_check *check = &checks->all.at[i];
        text_buffer one;
        text_init(&one, &r->cx->allocator);
        if (!check_holds(check, &out[2 * i], &out[2 * i + 1], &one)) {
            if (found->n_failed++ == 0)
                text_printf(&why, "line %u: %.*s", (unsigned)check->line, (int)one.n, one.at);
            why.failed = why.failed || one.failed;
        }
        text_release(&one);
    }
    text_putc(&why, '\0');
    const tn_status s = why.failed ? TN_ERR_NOMEM : TN_OK;
    found->verdict = found->n_failed ? TN_CHECKS_FAILED : TN_CHECKS_PASSED;
    found->why = why.at;
    if (s == TN_OK)
        tell(r, found);
    text_release(&why);
    return s;
}

static tn_status run_program(check_run *r, const tn_program *p, const check_list *checks,
                             tn_function_checks *found)
{
    const size_t n = tn_program_output_count(p);
    const tn_run_options o = {0};
    tn_buffer *out = memory_alloc(&r->cx->allocator, n * sizeof *out);
    if (!out)
        return TN_ERR_NOMEM;
    memset(out, 0, n * sizeof *out);
    tn_status s = tn_program_run(p, NULL, 0, out, n, &o);
    if (s == TN_OK) {
        s = judge(r, checks, out, found);
    } else if (!is_end(r, s)) {
        found->verdict = TN_CHECKS_FAILED;
        found->why = "it cannot be run";
        tell(r, found);
        s = TN_OK;
    }
    for (size_t i = 0; i < n; i++)
        tn_buffer_release(p, &out[i]);
    memory_free(&r->cx->allocator, out, n * sizeof *out);
    return s;
}

/* Read M, the text, for the function FOUND, and compile it. */
static tn_status compile(check_run *r, module *m, const tn_function_checks *found,
                         check_list *checks, tn_program **p)
{
    tn_read_options o = r->read;
    tn_module whole = {.graph = m};
    o.entry = found->name;
    TN_TRY(context_done(r->cx, api_read_text(m, &o, r->read.file, checks)));
    return tn_program_compile(&whole, r->compile, p);
}

static tn_status run_function(check_run *r, const checked_function *f)
{
    tn_function_checks found = {
        .name = f->name, .line = f->line, .verdict = TN_CHECKS_REFUSED, .why = ""};
    check_list checks = {0};
    tn_program *p = NULL;
    module *m = new_module(r);
    if (!m)
        return TN_ERR_NOMEM;
    tn_status s = TN_ERR_REJECTED;
    if (f->has_inputs)
        (void)diag_report(&r->cx->diag, DIAG_NotImplemented, &m->source, f->at,
                          "the function '@%s' has checks, and inputs that nobody gives", f->name);
    else
        s = compile(r, m, &found, &checks, &p);
    module_free(m);
    if (s == TN_OK) {
        s = run_program(r, p, &checks, &found);
        tn_program_free(p);
    } else if (!is_end(r, s)) {
        tell(r, &found);
        s = TN_OK;
    }
    VECTOR_RELEASE(&r->cx->allocator, &checks.all);
    return s;
}

/* ---- one program ---- */

static tn_status run_functions(check_run *r, module *m)
{
    checked_functions list = {0};
    tn_status s = context_done(r->cx, stablehlo_checked_functions(m, &list));
    if (s != TN_OK && !is_end(r, s)) {
        uint32_t line = 1;
        for (const char *p = r->text; *p == '\n'; p++)
            line++;
        tell(r, &(tn_function_checks){
                    .name = "", .line = line, .verdict = TN_CHECKS_REFUSED, .why = ""});
        s = TN_OK;
    }
    for (uint32_t i = 0; i < list.all.n && s == TN_OK; i++)
        s = run_function(r, &list.all.at[i]);
    VECTOR_RELEASE(&r->cx->allocator, &list.all);
    return s;
}

/* The program in the N bytes at FROM, behind LINES lines of others. */
static tn_status run_piece(check_run *r, const char *from, size_t n, size_t lines)
{
    const tn_allocator *a = &r->cx->allocator;
    char *text = memory_alloc(a, lines + n + 1);
    if (!text)
        return TN_ERR_NOMEM;
    memset(text, '\n', lines);
    memcpy(text + lines, from, n);
    text[lines + n] = '\0';
    r->text = text;
    r->length = lines + n;
    module *m = new_module(r);
    const tn_status s = m ? run_functions(r, m) : TN_ERR_NOMEM;
    module_free(m);
    memory_free(a, text, lines + n + 1);
    return s;
}

/* ---- the text ---- */

/* Does a line that cuts begin at P? */
static bool is_cut(const char *p, const char *end)
{
    static const char mark[] = "// -----";
    const size_t n = sizeof mark - 1;
    return (size_t)(end - p) >= n && memcmp(p, mark, n) == 0;
}

static const char *next_line(const char *p, const char *end)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    return newline ? newline + 1 : end;
}

tn_status tn_checks_run(tn_context *cx, const tn_read_options *read,
                        const tn_compile_options *compile_options, const char *text, size_t length,
                        void (*each)(void *user, const tn_function_checks *found), void *user)
{
    check_run r = {.cx = cx, .compile = compile_options, .each = each, .user = user};
    if (OPTIONS_READ(&cx->diag, tn_read_options, n_results, &r.read, read) != TN_OK)
        return context_done(cx, TN_ERR_USAGE);
    if (length >= UINT32_MAX)
        return context_done(cx, diag_report(&cx->diag, DIAG_LimitExceeded, NULL, NO_SPAN,
                                            "a text of %zu byte%s; programs must be below 4 GiB",
                                            length, plural(length)));
    r.read.file = r.read.file ? r.read.file : "<memory>";
    r.read.dialect = "stablehlo";
    const char *end = text + length, *from = text;
    size_t before = 0, line = 0; /* lines before FROM and before P */
    tn_status s = TN_OK;
    for (const char *p = text; p < end && s == TN_OK; line++) {
        const char *next = next_line(p, end);
        if (next == end || is_cut(next, end)) {
            s = run_piece(&r, from, (size_t)(next - from), before);
            from = next;
            before = line + 1;
        }
        p = next;
    }
    if (s == TN_ERR_NOMEM)
        s = diag_no_memory(&cx->diag);
    else if (s == TN_OK && r.n_found == 0)
        s = diag_report(&cx->diag, DIAG_MissingOutputs, NULL, NO_SPAN, "%s: no function has checks",
                        r.read.file);
    return context_done(cx, s);
}
