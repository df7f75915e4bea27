/* Contexts and the facts about element types. */
#include "api/api.h"
#include "api/contexts/diag_text.h"
#include "base/system/clock.h"
#include "base/text/suggest.h"
#include "eval/custom_set.h"

const char *tn_version(void)
{
    return TENON_VERSION;
}

const char *tn_dtype_name(tn_dtype dtype)
{
    return (unsigned)dtype < TN_DTYPE_COUNT ? dtype_name(dtype) : NULL;
}

size_t tn_dtype_size(tn_dtype dtype)
{
    return (unsigned)dtype < TN_DTYPE_COUNT ? dtype_bytes(dtype) : 0;
}

tn_status tn_dtype_convert(tn_dtype from, const void *src, tn_dtype to, void *dst, size_t n)
{
    const bool known = (unsigned)from < TN_DTYPE_COUNT && (unsigned)to < TN_DTYPE_COUNT;
    return known && dtype_cast(from, src, to, dst, n) ? TN_OK : TN_ERR_USAGE;
}

tn_context *tn_context_new(const tn_allocator *allocator, const tn_diagnostic_sink *sink)
{
    return context_new(allocator, sink);
}

void tn_context_free(tn_context *cx)
{
    if (cx)
        custom_set_free(cx->custom);
    context_free(cx);
}

static bool set_limit_32(uint32_t *limit, uint64_t to)
{
    if (to > UINT32_MAX)
        return false;
    *limit = (uint32_t)to;
    return true;
}

static tn_status unknown_limit(context *cx, const char *name)
{
    suggestion like;
    suggest_begin(&like, name, strlen(name));
    suggest_words(&like, "nodes nesting errors literal_bytes output_bytes run_bytes memory_bytes");
    const tn_status status = diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN,
                                         "there is no limit called '%s'; there are nodes, nesting, "
                                         "errors, literal_bytes, output_bytes, run_bytes, "
                                         "memory_bytes",
                                         name);
    suggest_fix(&like, &cx->diag, NO_SPAN, "");
    return status;
}

/* Nested programs are read and walked by recursion, which the stack must have room for. */
static tn_status set_nesting(context *cx, uint64_t to)
{
    if (to > LIMIT_MOST_NESTING)
        return context_done(cx, diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN,
                                            "the limit 'nesting' may be at most %d",
                                            LIMIT_MOST_NESTING));
    cx->limits.nesting = (uint32_t)to;
    return TN_OK;
}

tn_status tn_context_set_limit(tn_context *cx, const char *name, uint64_t to)
{
    bool fits = true;
    if (strcmp(name, "nodes") == 0)
        fits = set_limit_32(&cx->limits.nodes, to);
    else if (strcmp(name, "nesting") == 0)
        return set_nesting(cx, to);
    else if (strcmp(name, "errors") == 0)
        fits = set_limit_32(&cx->limits.errors, to ? to : UINT32_MAX);
    else if (strcmp(name, "literal_bytes") == 0)
        cx->limits.literal_bytes = to;
    else if (strcmp(name, "output_bytes") == 0)
        cx->limits.output_bytes = to;
    else if (strcmp(name, "run_bytes") == 0)
        cx->limits.run_bytes = to;
    else if (strcmp(name, "memory_bytes") == 0)
        cx->limits.memory_bytes = to;
    else
        return context_done(cx, unknown_limit(cx, name));
    if (!fits)
        return context_done(cx, diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN,
                                            "the limit '%s' must be below 2^32", name));
    return TN_OK;
}

void tn_context_set_timeout(tn_context *cx, uint64_t timeout_ns)
{
    const int64_t now = clock_now();
    const bool is_far = timeout_ns > (uint64_t)(INT64_MAX - now);
    cx->deadline = timeout_ns == 0 ? 0 : is_far ? INT64_MAX : now + (int64_t)timeout_ns;
}

void tn_context_set_cancel(tn_context *cx, bool (*cancel)(void *user), void *user)
{
    cx->cancel = cancel;
    cx->cancel_user = user;
}

void tn_context_name_settings(tn_context *cx, const tn_setting_name *names, size_t n)
{
    cx->diag.names = names;
    cx->diag.n_names = names ? n : 0;
}

tn_status tn_diagnostic_write(const tn_context *cx, const tn_diagnostic *diagnostic,
                              tn_diagnostic_style style, const tn_writer *writer)
{
    text_buffer out;
    text_init(&out, &cx->allocator);
    if (style == TN_DIAGNOSTIC_JSON)
        diag_write_json(&out, diagnostic);
    else
        diag_write_text(&out, diagnostic, style == TN_DIAGNOSTIC_COLOR);
    tn_status s = TN_OK;
    if (out.failed)
        s = TN_ERR_NOMEM;
    else if (!writer->write(writer->user, out.at, out.n))
        s = TN_ERR_IO;
    text_release(&out);
    return s;
}
