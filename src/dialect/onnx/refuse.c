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
static void place_node(onnx_call *c, refusal *r)
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

/* The refusal for this reason when it is a new one, without a message; NULL otherwise. */
static refusal *fresh(importer *im, diag_kind kind, const char *about, const char *format)
{
    bool is_full;
    if (im->no_memory)
        return NULL;
    refusal *r =
        refusal_for(&im->refusals, im->m->allocator, UINT32_MAX, kind, about, format, &is_full);
    if (!r)
        (void)onnx_no_memory(im);
    return r && r->count == 1 ? r : NULL;
}

bool onnx_refuse(onnx_call *c, diag_kind kind, const char *format, ...)
{
    va_list args;
    refusal *r = fresh(c->im, kind, onnx_text(c->im, c->node->op), format);
    if (!r)
        return false;
    va_start(args, format);
    r->message = arena_vprintf(&c->im->memory, format, args);
    va_end(args);
    r->is_named = true;
    place_node(c, r);
    return r->message && r->node && r->place ? false : onnx_no_memory(c->im);
}

void onnx_advise(onnx_call *c, const char *format, ...)
{
    va_list args;
    if (c->im->refusals.list.n == 0)
        return;
    refusal *r = &c->im->refusals.list.at[c->im->refusals.last];
    if (r->fix)
        return;
    va_start(args, format);
    r->fix = arena_vprintf(&c->im->memory, format, args);
    va_end(args);
}

bool onnx_refuse_file(importer *im, diag_kind kind, const char *about, const char *format, ...)
{
    va_list args;
    refusal *r = fresh(im, kind, about, format);
    if (!r)
        return false;
    va_start(args, format);
    r->message = arena_vprintf(&im->memory, format, args);
    va_end(args);
    return r->message ? false : onnx_no_memory(im);
}
