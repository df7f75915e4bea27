/* Handing texts to the caller's writer. */
#include <inttypes.h>

#include "api/api.h"
#include "base/text/text.h"

void api_text(const context *cx, text_buffer *text)
{
    text_init(text, &cx->allocator);
    text->most = cx->limits.output_bytes < SIZE_MAX / 2 ? (size_t)cx->limits.output_bytes : 0;
}

static tn_status report_lost(context *cx, const text_buffer *text)
{
    if (!text->too_long)
        return diag_no_memory(&cx->diag);
    return diag_report(&cx->diag, DIAG_LimitExceeded, NULL, NO_SPAN,
                       "the text would take more than %" PRIu64
                       " byte%s; %s output_bytes=N permits more",
                       cx->limits.output_bytes, plural(cx->limits.output_bytes),
                       diag_setting_name(&cx->diag, SETTING_LIMIT));
}

tn_status api_deliver(context *cx, text_buffer *text, const tn_writer *writer, tn_status status)
{
    if (status == TN_OK && text->failed)
        status = report_lost(cx, text);
    if (status == TN_OK && !writer->write(writer->user, text->at ? text->at : "", text->n))
        status =
            diag_report(&cx->diag, DIAG_FileError, NULL, NO_SPAN,
                        "the caller's writer did not take %zu byte%s", text->n, plural(text->n));
    text_release(text);
    return context_done(cx, status);
}
