/* tenon fix: carry out the edits that diagnostics offer, until none is left. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "cli/cli.h"

enum { OPTION_OUT = OPTION_OWN };
enum { MAX_ROUNDS = 100 };

static const option options[] = {
    {OPTION_OUT, "-o", "OUT", "file to write; else standard output"},
    {0},
};

typedef struct edit {
    size_t at, length;
    const char *replacement;
    uint32_t number; /* in the order of reports */
} edit;

/* One reading of the text. */
typedef struct round {
    session *s;
    arena memory;
    VECTOR(edit) edits;
    text_buffer log;
    bool no_memory;
} round;

/* A sink that keeps edits and says what they do. */
static void collect(void *user, const tn_diagnostic *d)
{
    round *r = user;
    const tn_fix *f = &d->fix;
    if (!f->title || !f->replacement)
        return;
    edit e = {f->offset, f->length,
              arena_copy_text(&r->memory, f->replacement, strlen(f->replacement)), r->edits.n};
    if (!e.replacement || !VECTOR_PUSH(&r->s->cx->allocator, &r->edits, e))
        r->no_memory = true;
    text_printf(&r->log, "%s:%" PRIu32 ":%" PRIu32 ": fixed: %s [%s]\n", d->place.file,
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
static void apply(round *r, const text_buffer *text, text_buffer *out)
{
    size_t from = 0;
    qsort(r->edits.at, r->edits.n, sizeof *r->edits.at, by_place);
    for (uint32_t i = 0; i < r->edits.n; i++) {
        const edit *e = &r->edits.at[i];
        if (e->at < from || e->at > text->n || e->length > text->n - e->at)
            continue;
        text_put(out, text->at + from, e->at - from);
        text_puts(out, e->replacement);
        from = e->at + e->length;
    }
    text_put(out, text->at + from, text->n - from);
}

static tn_status read_once(session *s, const char *file, const text_buffer *text)
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
static tn_status mend(session *s, const char *file, text_buffer *text, bool *any)
{
    const tn_diagnostic_sink sink = s->cx->diag.sink;
    round r = {.s = s};
    text_buffer fresh;
    arena_init(&r.memory, &s->cx->allocator);
    text_init(&r.log, &s->cx->allocator);
    text_init(&fresh, &s->cx->allocator);
    s->cx->diag.sink = (tn_diagnostic_sink){collect, &r};
    const tn_status read = read_once(s, file, text);
    diag_flush(&s->cx->diag);
    s->cx->diag.sink = sink;
    tn_status status =
        read == TN_ERR_NOMEM || r.no_memory || r.log.failed ? diag_no_memory(&s->cx->diag) : TN_OK;
    *any = status == TN_OK && r.edits.n > 0;
    if (*any) {
        apply(&r, text, &fresh);
        text_buffer old = *text;
        *text = fresh;
        fresh = old;
        if (text->failed)
            status = diag_no_memory(&s->cx->diag);
        else
            output_error_text(r.log.at, r.log.n);
    }
    VECTOR_RELEASE(&s->cx->allocator, &r.edits);
    text_release(&fresh);
    text_release(&r.log);
    arena_release(&r.memory);
    return status;
}

static tn_status fix_text(session *s, const char *file, const char *out, text_buffer *text)
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
    const char *file, *out = NULL, *bytes;
    size_t n;
    text_buffer text;
    arena memory;
    for (int i = 0; i < args->n_options; i++)
        out = args->options[i].value;
    TN_TRY(arguments_one_file(s, args, &file));
    arena_init(&memory, &s->cx->allocator);
    text_init(&text, &s->cx->allocator);
    tn_status status = text_file_read(s->cx, &memory, file, &bytes, &n);
    if (status == TN_OK) {
        text_put(&text, bytes, n);
        status = fix_text(s, strcmp(file, "-") == 0 ? "<stdin>" : file, out, &text);
    }
    text_release(&text);
    arena_release(&memory);
    return status;
}

const command command_fix = {"fix", "FILE [-o OUT]",
                             "carry out the edits that diagnostics offer, until none is left",
                             options, run_fix};
