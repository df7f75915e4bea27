/* A file is refused whole, with one diagnostic for each operator and reason. */
#include <inttypes.h>

#include "dialect/onnx/import.h"

bool onnx_no_memory(importer *im)
{
    im->no_memory = true;
    return false;
}

const char *onnx_text(importer *im, onnx_bytes t)
{
    const char *own = t.n ? arena_copy_text(&im->memory, t.at, t.n) : "";
    if (own)
        return own;
    (void)onnx_no_memory(im);
    return "";
}

static size_t byte_of(const importer *im, const onnx_message *m)
{
    return (size_t)(m->bytes.at - im->m->source.text);
}

/* Node names may be empty, or stand twice: the first output is what tells a node for certain. */
static void place_node(onnx_call *c, onnx_refusal *r)
{
    arena *memory = &c->im->memory;
    const onnx_bytes *outputs = c->node->outputs.at;
    const onnx_bytes none = {0}, output = c->node->outputs.n ? outputs[0] : none;
    r->node = c->node->name.n
                  ? arena_printf(memory, "%.*s", ONNX_TEXT(c->node->name))
                  : arena_printf(memory, "#%" PRIu32 " %.*s", c->number, ONNX_TEXT(c->node->op));
    r->place = arena_printf(memory, "opset %" PRId64 ", output \"%.*s\", byte %zu", c->version,
                            ONNX_TEXT(output), byte_of(c->im, &c->node->message));
}

/* The refusal of this kind, or a new one without a message. */
static onnx_refusal *refusal_for(importer *im, diag_kind kind, const char *about,
                                 const char *format)
{
    for (uint32_t i = 0; i < im->refusals.n; i++) {
        onnx_refusal *r = &im->refusals.at[i];
        if (r->kind == kind && r->format == format && strcmp(r->about, about) == 0) {
            im->last_refusal = i;
            return r;
        }
    }
    const onnx_refusal fresh = {.kind = kind, .about = about, .format = format};
    if (!VECTOR_PUSH(im->m->allocator, &im->refusals, fresh)) {
        (void)onnx_no_memory(im);
        return NULL;
    }
    im->last_refusal = im->refusals.n - 1;
    return &im->refusals.at[im->last_refusal];
}

bool onnx_refuse(onnx_call *c, diag_kind kind, const char *format, ...)
{
    va_list args;
    if (c->im->no_memory)
        return false;
    onnx_refusal *r = refusal_for(c->im, kind, onnx_text(c->im, c->node->op), format);
    if (!r || r->count++ > 0)
        return false;
    va_start(args, format);
    r->message = arena_vprintf(&c->im->memory, format, args);
    va_end(args);
    place_node(c, r);
    return r->message && r->node && r->place ? false : onnx_no_memory(c->im);
}

void onnx_advise(onnx_call *c, const char *format, ...)
{
    va_list args;
    if (c->im->refusals.n == 0)
        return;
    onnx_refusal *r = &c->im->refusals.at[c->im->last_refusal];
    if (r->fix)
        return;
    va_start(args, format);
    r->fix = arena_vprintf(&c->im->memory, format, args);
    va_end(args);
}

bool onnx_refuse_file(importer *im, diag_kind kind, const char *about, const char *format, ...)
{
    va_list args;
    onnx_refusal *r = refusal_for(im, kind, about, format);
    if (!r || r->count++ > 0)
        return false;
    va_start(args, format);
    r->message = arena_vprintf(&im->memory, format, args);
    va_end(args);
    return r->message ? false : onnx_no_memory(im);
}

tn_status onnx_report_refusals(importer *im)
{
    diag_channel *d = &im->m->cx->diag;
    const source *src = &im->m->source;
    tn_status s = TN_OK;
    for (uint32_t i = 0; i < im->refusals.n; i++) {
        const onnx_refusal *r = &im->refusals.at[i];
        if (!r->message)
            continue;
        s = TN_ERR_REJECTED;
        if (!r->node)
            (void)diag_report(d, r->kind, src, NO_SPAN, "%s", r->message);
        else if (r->count == 1)
            (void)diag_report(d, r->kind, src, NO_SPAN, "%s: %s (%s)", r->about, r->message,
                              r->place);
        else
            (void)diag_report(d, r->kind, src, NO_SPAN,
                              "%s: %s; %" PRIu32 " nodes, of which this is the first (%s)",
                              r->about, r->message, r->count, r->place);
        if (r->node)
            diag_node(d, r->node);
        if (r->fix)
            diag_fix(d, NO_SPAN, NULL, "%s", r->fix);
    }
    return s;
}
