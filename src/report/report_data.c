/* The data of a report: everything that its page shows. */
#include <inttypes.h>

#include "base/text/utf8.h"
#include "report/picture.h"
#include "report/report.h"

/* Longer texts stay out of the page. */
enum { MOST_SOURCE = 2 << 20 };

static void put_key(text_buffer *out, const char *key)
{
    text_printf(out, ",\n\"%s\":", key);
}

static void put_text(text_buffer *out, const char *key, const char *text)
{
    put_key(out, key);
    text_json_string(out, text, strlen(text));
}

/* The text that was read, where it is one. */
static void put_source(const source *s, text_buffer *out)
{
    put_key(out, "source");
    if (s->text && s->length <= MOST_SOURCE && utf8_invalid_at(s->text, s->length) == s->length &&
        !memchr(s->text, 0, s->length))
        text_json_string(out, s->text, s->length);
    else
        text_puts(out, "null");
}

/* The program that kernels are made of, whose lines begin with the values that the rest names. */
static void put_lowered(const module *m, text_buffer *out)
{
    text_buffer text;
    text_init(&text, out->allocator);
    text.most = MOST_SOURCE;
    module_print(m, &text);
    put_key(out, "lowered");
    if (text.too_long)
        text_puts(out, "null");
    else if (text.failed)
        out->failed = true;
    else
        text_json_string(out, text.at, text.n);
    text_release(&text);
}

/* Of a gradient module: each input and the value that is its gradient. */
static void put_gradients(const module *m, text_buffer *out)
{
    if (m->gradients.n == 0)
        return;
    put_key(out, "gradients");
    for (uint32_t i = 0; i + 1 < m->gradients.n; i += 2)
        text_printf(out, "%s[%" PRIu32 ",%" PRIu32 "]", i ? "," : "[", m->gradients.at[i],
                    m->gradients.at[i + 1]);
    text_puts(out, "]");
}

tn_status report_data(const report *r, text_buffer *out)
{
    const tn_report_options *o = r->o;
    text_printf(out, "{\"tenon_report\":1,\n\"version\":\"%s\"", TENON_VERSION);
    put_text(out, "title", r->title);
    put_source(&r->p->graph->source, out);
    put_lowered(r->made->plan.m, out);
    put_gradients(r->made->plan.m, out);
    put_key(out, "graph");
    if (!picture_json(&r->made->plan, out))
        return diag_no_memory(&r->p->cx->diag);
    put_key(out, "explain");
    TN_TRY(program_explain_plan(r->p, r->made, r->limits, true, out));
    put_key(out, "memory");
    report_memory(r, out);
    put_key(out, "trace");
    if (r->trace)
        text_put(out, r->trace, r->n_trace);
    else
        text_puts(out, "null");
    if (o->module) {
        put_key(out, "passes");
        TN_TRY(report_passes(r, out));
    }
    if (o->in) {
        put_key(out, "values");
        TN_TRY(report_values(r, out));
    }
    if (o->training) {
        put_key(out, "training");
        text_puts(out, o->training);
    }
    if (o->other) {
        put_key(out, "other");
        text_puts(out, o->other);
    }
    text_puts(out, "}\n");
    return TN_OK;
}
