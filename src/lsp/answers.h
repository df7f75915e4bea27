/* What the methods of the server share. */
#ifndef LSP_ANSWERS_H
#define LSP_ANSWERS_H

#include "base/context/context.h"
#include "lsp/document.h"
#include "lsp/message.h"
#include "tenon/tenon.h"

struct lsp_server {
    context *cx; /* for messages, and for memory */
    tn_writer out;
    encoding encoding;
    document *documents;
    bool is_initialized, is_shut_down, has_failed;
};
typedef struct lsp_server server;

/* Read D as a program. SINK gets the diagnostics, and M the module if there is one, which is of the
 * context *CX; free both. */
tn_status answer_read(const document *d, const tn_diagnostic_sink *sink, tn_context **cx,
                      tn_module **m);

/* The parameters of publishDiagnostics for D. False without memory. */
bool answer_diagnostics(const server *s, const document *d, text_buffer *out);
/* The result of codeAction: the edits offered between these bytes, and all of the text together. */
bool answer_actions(const server *s, const document *d, size_t from, size_t to, text_buffer *out);
/* The result of formatting, or the message *REFUSAL. */
bool answer_formatting(const server *s, const document *d, text_buffer *out, const char **refusal);

/* The result of hover: help on the operation whose name stands around byte AT, or null. */
bool answer_hover(const server *s, const document *d, size_t at, text_buffer *out);
/* The result of completion: the names of operations in the language of D. */
bool answer_completion(const document *d, text_buffer *out);

#endif
