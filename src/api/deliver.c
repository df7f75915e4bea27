/* Handing texts to the caller's writer. */
#include "api/api.h"
#include "base/text/text.h"

tn_status api_deliver(context *cx, text_buffer *text, const tn_writer *writer, tn_status status)
{
    if (status == TN_OK && text->failed)
        status = diag_no_memory(&cx->diag);
    if (status == TN_OK && !writer->write(writer->user, text->at ? text->at : "", text->n))
        status =
            diag_report(&cx->diag, DIAG_FileError, NULL, NO_SPAN,
                        "the caller's writer did not take %zu byte%s", text->n, plural(text->n));
    text_release(text);
    return context_done(cx, status);
}
