/* tenon fix: carry out the edits that diagnostics offer, until none is left. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/cli.h"

enum { OPTION_OUT = OPTION_OWN };
enum { MAX_ROUNDS = 100 };

static const option options[] = {
    {OPTION_OUT, "-o", "OUT", "file to write; else standard output"},
    {0},
};

typedef struct edit {
    size_t at, length;
    const char *replacement;
    size_t number; /* in the order of reports */
} edit;

/* One reading of the text. */
typedef struct round {
    cli_pool memory;
    edit *edits;
    size_t n_edits, cap_edits;
    cli_text log;
    bool no_memory;
} round;

/* A sink that keeps edits and says what they do. */
static void collect(void *user, const tn_diagnostic *d)
{
    round *r = user;
    const tn_fix *f = &d->fix;
    if (!f->title || !f->replacement)
        return;
    const char *replacement = cli_copy(&r->memory, f->replacement, strlen(f->replacement));
    edit *edits = cli_grow(&r->memory, r->edits, &r->cap_edits, r->n_edits, sizeof *edits);
    if (!replacement || !edits) {
        r->no_memory = true;
        return;
    }
    r->edits = edits;
    edits[r->n_edits] = (edit){f->offset, f->length, replacement, r->n_edits};
    r->n_edits++;
    cli_printf(&r->log, "%s:%" PRIu32 ":%" PRIu32 ": fixed: %s [%s]\n", d->place.file,
               d->place.line, d->place.column, f->title, d->code);
}

static int by_place(const void *a, const void *b)
{
    const edit *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* TEXT with all edits that do not overlap an earlier one. */
static void apply(round *r, const cli_text *text, cli_text *out)
{
    size_t from = 0;
    if (r->n_edits > 0)
        qsort(r->edits, r->n_edits, sizeof *r->edits, by_place);
    for (size_t i = 0; i < r->n_edits; i++) {
        const edit *e = &r->edits[i];
        if (e->at < from || e->at > text->n || e->length > text->n - e->at)
            continue;
        cli_put(out, text->at + from, e->at - from);
        cli_puts(out, e->replacement);
        from = e->at + e->length;
    }
    cli_put(out, text->at + from, text->n - from);
}

static tn_status read_once(session *s, const char *file, const cli_text *text)
{
    tn_read_options o = s->read;
    tn_module *m;
    o.strict = true; /* what strict reading rejects is what can be mended */
    o.file = file;
    const tn_status status = tn_module_read(s->cx, &o, text->at ? text->at : "", text->n, &m);
    if (status == TN_OK)
        tn_module_free(m);
    return status;
}

/* One round of edits; *ANY says whether there were any. */
static tn_status mend(session *s, const char *file, cli_text *text, bool *any)
{
    round r = {.n_edits = 0};
    cli_text fresh = {0};
    const tn_diagnostic_sink sink = {collect, &r};
    s->instead = &sink;
    const tn_status read = read_once(s, file, text);
    s->instead = NULL;
    tn_status status = read == TN_ERR_NOMEM || r.no_memory || r.log.failed ? no_memory(s) : TN_OK;
    *any = status == TN_OK && r.n_edits > 0;
    if (*any) {
        apply(&r, text, &fresh);
        cli_text old = *text;
        *text = fresh;
        fresh = old;
        if (text->failed)
            status = no_memory(s);
        else
            output_error_text(s, r.log.at, r.log.n);
    }
    cli_text_release(&fresh);
    cli_text_release(&r.log);
    cli_pool_release(&r.memory);
    return status;
}

static tn_status fix_text(session *s, const char *file, const char *out, cli_text *text)
{
    bool any = true;
    for (uint32_t k = 0; any && k < MAX_ROUNDS; k++)
        TN_TRY(mend(s, file, text, &any));
    const tn_status read = read_once(s, file, text); /* says what is left */
    TN_TRY(output_text(s, out, text));
    return read;
}

static tn_status run_fix(session *s, const arguments *args)
{
    const char *file, *out = NULL;
    cli_text text = {0};
    for (int i = 0; i < args->n_options; i++)
        out = args->options[i].value;
    TN_TRY(arguments_one_file(s, args, &file));
    const char *dialect = s->read.dialect ? s->read.dialect : dialect_of_path(file);
    TN_TRY(refuse_code_name(s, "fix", out));
    TN_TRY(refuse_other_name(s, "fix", dialect, out));
    tn_status status = read_whole(s, file, &text);
    if (status == TN_OK)
        status = fix_text(s, strcmp(file, "-") == 0 ? "<stdin>" : file, out, &text);
    cli_text_release(&text);
    return status;
}

const command command_fix = {
    "fix",   "FILE [-o OUT]", "carry out the edits that diagnostics offer, until none is left",
    options, run_fix,         true};
