/* Modules as text. */
#include <inttypes.h>

#include "api/api.h"
#include "base/text/suggest.h"
#include "base/text/text.h"
#include "dialect/mlir/mlir.h"
#include "dialect/onnx/onnx.h"
#include "pass/conversions/expressible.h"
#include "pass/conversions/legalize.h"

/* Whether WORD is one of the space-separated LIST. */
static bool is_listed(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list; n && (p = strstr(p, word)) != NULL; p += n)
        if ((p == list || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
            return true;
    return false;
}

/* How long a text of BEFORE bytes may become. */
static size_t most_of(const limits *l, size_t before)
{
    return l->output_bytes < SIZE_MAX / 2 - before ? (size_t)l->output_bytes + before : 0;
}

static tn_status unknown_style(diag_channel *diag, const dialect *d, const char *style)
{
    suggestion like;
    suggest_begin(&like, style, strlen(style));
    suggest_words(&like, d->styles);
    const tn_status status =
        diag_report(diag, DIAG_Usage, NULL, NO_SPAN, "'%s' has no style '%s'; it has: %s", d->name,
                    style, d->styles);
    suggest_fix(&like, diag, NO_SPAN, "");
    return status;
}

static tn_status write_with(const module *m, const char *dialect_name, const write_options *options,
                            text_buffer *out)
{
    diag_channel *diag = &m->cx->diag;
    const char *style = options->style;
    const char *name = dialect_name ? dialect_name : m->dialect;
    const dialect *d = dialect_by_name(name);
    if (!d)
        return dialect_unknown(diag, name ? name : "");
    if (!d->write)
        return diag_report(diag, DIAG_Usage, NULL, NO_SPAN,
                           "programs can be read from '%s' but not written to it", d->name);
    if (style && !is_listed(d->styles, style))
        return unknown_style(diag, d, style);
    if (d->can)
        TN_TRY(check_legal(m, d));
    out->most = most_of(&m->cx->limits, out->n);
    TN_TRY(d->write(m, options, out));
    if (out->too_long)
        return diag_report(diag, DIAG_LimitExceeded, NULL, NO_SPAN,
                           "the program would take more than %" PRIu64
                           " byte%s; %s output_bytes=N permits more",
                           m->cx->limits.output_bytes, plural(m->cx->limits.output_bytes),
                           diag_setting_name(&m->cx->diag, SETTING_LIMIT));
    return out->failed ? module_no_memory(m) : TN_OK;
}

/* The blocks of INPUTS, which must be what M takes, for `write_options`. */
static tn_status check_inputs(const module *m, const tn_write_options *o, const void **blocks)
{
    const function *f = module_entry(m);
    diag_channel *d = &m->cx->diag;
    if (o->n_inputs != f->inputs.n)
        return diag_report(d, DIAG_InputMismatch, &m->source, NO_SPAN,
                           "%zu input%s given for a program with %" PRIu32, o->n_inputs,
                           plural(o->n_inputs), f->inputs.n);
    TN_TRY(options_list(d, "inputs", o->inputs, o->n_inputs));
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        const type *t = value_type(f, f->inputs.at[i]);
        tn_type want;
        size_t bytes;
        public_type(t, &want);
        if (!public_same_type(&o->inputs[i].type, &want) || !type_bytes(t, &bytes) ||
            o->inputs[i].bytes < bytes || (bytes && !o->inputs[i].data))
            return diag_report(d, DIAG_InputMismatch, &m->source, NO_SPAN,
                               "the tensor for input %" PRIu32
                               " has another type than the program declares, or no data",
                               i);
        blocks[i] = o->inputs[i].data;
    }
    return TN_OK;
}

/* What is written: the text, and the data that ONNX keeps beside it. */
typedef struct written {
    text_buffer text, external;
} written;

static tn_status write_beside(const module *m, const tn_write_options *o, write_options *inner,
                              written *w)
{
    const char *name = o->dialect ? o->dialect : m->dialect;
    if (!o->external || !name || strcmp(name, dialect_onnx.name) != 0)
        return diag_report(&m->cx->diag, DIAG_Usage, NULL, NO_SPAN,
                           "only '%s' has data in other files, and a writer takes them",
                           dialect_onnx.name);
    inner->external_location = o->external_location;
    inner->external = &w->external;
    w->external.most = most_of(&m->cx->limits, 0);
    TN_TRY(write_with(m, o->dialect, inner, &w->text));
    if (w->external.too_long)
        return diag_report(&m->cx->diag, DIAG_LimitExceeded, NULL, NO_SPAN,
                           "the data would take more than %" PRIu64
                           " byte%s; %s output_bytes=N permits more",
                           m->cx->limits.output_bytes, plural(m->cx->limits.output_bytes),
                           diag_setting_name(&m->cx->diag, SETTING_LIMIT));
    return w->external.failed ? module_no_memory(m) : TN_OK;
}

static tn_status write_module(const module *m, const tn_write_options *o, written *w)
{
    write_options inner = {.style = o->style, .comments = o->comments, .map = o->needs_map};
    text_buffer *out = &w->text;
    if (o->external_location)
        return write_beside(m, o, &inner, w);
    if (!o->entry)
        return write_with(m, o->dialect, &inner, out);
    const char *name = o->dialect ? o->dialect : m->dialect;
    if (!name || strcmp(name, dialect_mlir.name) != 0)
        return diag_report(&m->cx->diag, DIAG_Usage, NULL, NO_SPAN,
                           "only '%s' has a function that runs the program", dialect_mlir.name);
    const tn_allocator *a = &m->cx->allocator;
    const size_t size = (o->n_inputs + 1) * sizeof *inner.inputs;
    const void **blocks = memory_alloc(a, size);
    if (!blocks)
        return diag_no_memory(&m->cx->diag);
    tn_status s = check_inputs(m, o, blocks);
    inner.entry = true;
    inner.inputs = blocks;
    if (s == TN_OK)
        s = write_with(m, o->dialect, &inner, out);
    memory_free(a, blocks, size);
    return s;
}

/* M, which was lowered while it was read, in the dialect that it belongs to: some of its ops may
 * have to be written with others first. */
static tn_status write_lowered(const module *m, const tn_write_options *o, written *w)
{
    module *copy = module_copy(m);
    if (!copy)
        return diag_no_memory(&m->cx->diag);
    tn_status s = legalize(copy, dialect_by_name(m->dialect), &(legalize_options){0});
    if (s == TN_OK)
        s = write_module(copy, o, w);
    module_free(copy);
    return s;
}

tn_status tn_module_write_with(const tn_module *m, const tn_write_options *options,
                               const tn_writer *writer)
{
    context *cx = m->graph->cx;
    tn_write_options o;
    written w;
    text_init(&w.text, &cx->allocator);
    text_init(&w.external, &cx->allocator);
    tn_status s = OPTIONS_READ(&cx->diag, tn_write_options, external, &o, options);
    const bool own = !o.dialect || (m->graph->dialect && strcmp(o.dialect, m->graph->dialect) == 0);
    if (s == TN_OK)
        s = (m->graph->lowered_from && own ? write_lowered : write_module)(m->graph, &o, &w);
    if (s == TN_OK && o.external_location)
        s = api_deliver(cx, &w.external, o.external, s);
    else
        text_release(&w.external);
    return api_deliver(cx, &w.text, writer, s);
}

tn_status tn_module_write(const tn_module *m, const char *dialect_name, const char *style,
                          const tn_writer *writer)
{
    return tn_module_write_with(m, &(tn_write_options){.dialect = dialect_name, .style = style},
                                writer);
}
