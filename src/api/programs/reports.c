/* Pictures of programs and pages about them. */
#include "tenon/report.h"

#include <math.h>
#include <string.h>

#include "api/api.h"
#include "base/text/json.h"
#include "compile/jit_executable.h"
#include "report/picture.h"
#include "report/report.h"

/* Of the program, without its folder. */
static const char *file_name(const tn_program *p)
{
    const char *path = p->graph->source.name ? p->graph->source.name : "program";
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

tn_status tn_program_picture(const tn_program *p, const char *title, const tn_writer *writer)
{
    const pipeline *made;
    text_buffer text;
    const char *why;
    tn_status s = program_plan(p, &made);
    if (s != TN_OK)
        return context_done(p->cx, s);
    api_text(p->cx, &text);
    if (!picture_svg(&made->plan, title ? title : file_name(p), &text, &why))
        s = why ? diag_report(&p->cx->diag, DIAG_NotImplemented, NULL, NO_SPAN, "%s", why)
                : diag_no_memory(&p->cx->diag);
    program_plan_give_back(p, made);
    return api_deliver(p->cx, &text, writer, s);
}

bool tn_profile_event_kernel(const tn_profile_event *event, const char **name, uint32_t *number)
{
    const exe_step *step = event->step;
    const step_origin *origin = step ? step->what : NULL;
    if (!origin || origin->kernel == 0)
        return false;
    *name = origin->f->name ? origin->f->name : "main";
    *number = origin->kernel - 1;
    return true;
}

/* Only events of steps have a step, and all of them are told by the engine. */
static const engine_step_event *step_event(const tn_profile_event *event)
{
    return event->step ? (const engine_step_event *)(const void *)event : NULL;
}

uint32_t tn_profile_event_threads(const tn_profile_event *event)
{
    const engine_step_event *e = step_event(event);
    return e ? e->n_spans : 0;
}

bool tn_profile_event_thread(const tn_profile_event *event, uint32_t thread, int64_t *begin_ns,
                             int64_t *end_ns, int64_t *busy_ns)
{
    if (thread >= tn_profile_event_threads(event))
        return false;
    const tape_span *s = &step_event(event)->spans[thread];
    *begin_ns = s->begin;
    *end_ns = s->end;
    *busy_ns = s->busy;
    return s->end > 0;
}

/* ---- texts of JSON ---- */

/* What a report takes from the data of an earlier one. */
typedef struct timings {
    machine_limits limits; /* zero: not known */
    span trace;            /* of the text; empty: none */
} timings;

static bool read_limits(json *j, machine_limits *out)
{
    json_text key;
    if (!json_object(j))
        return false;
    while (json_member(j, &key)) {
        json_number x;
        if (!json_number_any(j, &x))
            return false;
        if (json_is(key, "flops_per_second"))
            out->flops = x.f;
        else if (json_is(key, "bytes_per_second"))
            out->bytes = x.f;
        else if (json_is(key, "cached_bytes_per_second"))
            out->near = x.f;
        else if (json_is(key, "cycles_per_second"))
            out->clock = x.f;
    }
    return json_ok(j);
}

static bool read_explain(json *j, machine_limits *out)
{
    json_text key;
    if (json_null(j))
        return true;
    if (!json_object(j))
        return false;
    while (json_member(j, &key))
        if (json_is(key, "limits") ? !read_limits(j, out) : !json_skip(j))
            return false;
    return json_ok(j);
}

static bool read_trace(json *j, span *out)
{
    if (json_null(j))
        return true;
    const span first = json_here(j);
    if (!json_skip(j))
        return false;
    *out = (span){first.at, (uint32_t)(j->at - j->src->text) - first.at};
    return true;
}

/* The data of a report: OUT, which may be NULL, gets what it measured. */
static bool read_report(json *j, timings *out)
{
    timings found = {.trace = {0, 0}};
    json_text key;
    bool is_report = false;
    const span all = json_here(j);
    if (!json_object(j))
        return false;
    while (json_member(j, &key)) {
        is_report = is_report || json_is(key, "tenon_report");
        if (json_is(key, "explain") ? !read_explain(j, &found.limits)
            : json_is(key, "trace") ? !read_trace(j, &found.trace)
                                    : !json_skip(j))
            return false;
    }
    if (json_ok(j) && !is_report)
        return json_fail(j, DIAG_FileError, all, "this is not the data of a report");
    if (out)
        *out = found;
    return json_ok(j);
}

typedef enum json_shape { ANY_OBJECT, OBJECTS, A_REPORT } json_shape;

static bool expect(json *j, json_kind kind, const char *what)
{
    return json_peek(j) == kind ||
           json_fail(j, DIAG_FileError, json_here(j), "%s is expected here", what);
}

/* Skip an array of objects. */
static bool skip_objects(json *j)
{
    if (!json_array(j))
        return false;
    while (json_element(j))
        if (!expect(j, JSON_OBJECT, "an object") || !json_skip(j))
            return false;
    return json_ok(j);
}

static bool read_shape(json *j, json_shape shape, timings *out)
{
    if (shape == OBJECTS)
        return expect(j, JSON_ARRAY, "an array") && skip_objects(j);
    return expect(j, JSON_OBJECT, "an object") &&
           (shape == A_REPORT ? read_report(j, out) : json_skip(j));
}

/* Check that TEXT is JSON of this shape, or NULL. NAME is what messages call it; OUT is as for
 * read_report. */
static tn_status check_json(const tn_program *p, const char *name, const char *text,
                            json_shape shape, timings *out)
{
    const source src = {.name = name, .text = text, .length = text ? strlen(text) : 0};
    arena strings;
    json j;
    if (!text)
        return TN_OK;
    if (src.length >= UINT32_MAX)
        return diag_report(&p->cx->diag, DIAG_FileError, NULL, NO_SPAN, "%s is too large", name);
    arena_init(&strings, &p->allocator);
    json_init(&j, p->cx, &src, &strings, false);
    if (read_shape(&j, shape, out))
        (void)json_finish(&j);
    const tn_status s = json_status(&j);
    json_release(&j);
    arena_release(&strings);
    return s == TN_ERR_REJECTED ? TN_ERR_IO : s; /* it is not the program that is wrong */
}

/* ---- reports ---- */

/* The length of TEXT without the white space at its end. */
static size_t trimmed_length(const char *text)
{
    size_t n = text ? strlen(text) : 0;
    while (n > 0 && strchr(" \t\r\n", text[n - 1]))
        n--;
    return n;
}

static tn_status check_inputs(const tn_program *p, const tn_report_options *o)
{
    if (!o->in)
        return TN_OK;
    if (o->n_in != p->n_inputs)
        return diag_report(&p->cx->diag, DIAG_Usage, NULL, NO_SPAN,
                           "the program has %u input%s, and %zu are given", (unsigned)p->n_inputs,
                           plural(p->n_inputs), o->n_in);
    for (size_t i = 0; i < o->n_in; i++) {
        tn_buffer in = o->in[i];
        size_t bytes;
        TN_TRY(tn_program_check_input(p, i, &in, NULL));
        if (!public_type_bytes(&in.type, &bytes) || in.bytes < bytes || (bytes > 0 && !in.data))
            return diag_report(&p->cx->diag, DIAG_InputMismatch, &p->graph->source, NO_SPAN,
                               "the tensor given for input '%s' has too few bytes",
                               p->inputs[i].name);
    }
    return TN_OK;
}

/* Write the data of R, or the page that shows them. */
static tn_status make(const report *r, text_buffer *out)
{
    return (r->o->json ? report_data : report_page)(r, out);
}

/* The limits of the machine are those of the earlier report, if there is one, or measured now. */
static tn_status make_measured(report *r, const timings *then, text_buffer *out)
{
    machine_limits measured = then->limits;
    const bool is_known = measured.flops > 0 && measured.bytes > 0 && isfinite(measured.flops) &&
                          isfinite(measured.bytes) && measured.near > 0 && isfinite(measured.near);
    if (is_known || (!r->o->timings && machine_measure(r->p->engine, &measured)))
        r->limits = &measured;
    if (!r->trace && then->trace.length > 0) {
        r->trace = r->o->timings + then->trace.at;
        r->n_trace = then->trace.length;
    }
    return make(r, out);
}

static tn_status check_texts(const tn_program *p, const tn_report_options *o, timings *then)
{
    TN_TRY(check_json(p, "the trace", o->trace, ANY_OBJECT, NULL));
    TN_TRY(check_json(p, "the log of the training", o->training, OBJECTS, NULL));
    TN_TRY(check_json(p, "the other report", o->other, A_REPORT, NULL));
    return check_json(p, "the earlier report", o->timings, A_REPORT, then);
}

static tn_status report_program(const tn_program *p, const tn_report_options *given,
                                text_buffer *out)
{
    tn_report_options o;
    timings then = {.trace = {0, 0}};
    const pipeline *made;
    TN_TRY(OPTIONS_READ(&p->cx->diag, tn_report_options, timings, &o, given));
    TN_TRY(check_texts(p, &o, &then));
    TN_TRY(program_plan(p, &made));
    report r = {.p = p,
                .o = &o,
                .made = made,
                .title = o.title ? o.title : file_name(p),
                .trace = o.trace,
                .n_trace = trimmed_length(o.trace)};
    tn_status s = check_inputs(p, &o);
    if (s == TN_OK)
        s = make_measured(&r, &then, out);
    program_plan_give_back(p, made);
    return s;
}

tn_status tn_program_report(const tn_program *p, const tn_report_options *options,
                            const tn_writer *writer)
{
    text_buffer text;
    api_text(p->cx, &text);
    const tn_status s = report_program(p, options, &text);
    return api_deliver(p->cx, &text, writer, s);
}
