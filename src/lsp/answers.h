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
    const char *pages; /* NULL: nobody knows where the pages about errors are */
    encoding encoding;
    document *documents;
    bool is_initialized, is_shut_down, has_failed;
};
typedef struct lsp_server server;

/* Read D as a program. SINK gets the diagnostics, NAMES (may be NULL) the names, sorted, and M the
 * module if there is one, which is of the context *CX; free both. */
tn_status answer_read(const document *d, const tn_diagnostic_sink *sink, name_table *names,
                      tn_context **cx, tn_module **m);

/* The parameters of publishDiagnostics for D, whose names are found again. False without memory. */
bool answer_diagnostics(const server *s, document *d, text_buffer *out);
/* The result of codeAction: the edits offered between these bytes, and all of the text together. */
bool answer_actions(const server *s, const document *d, size_t from, size_t to, text_buffer *out);
/* The result of formatting, or the message *REFUSAL. */
bool answer_formatting(const server *s, const document *d, text_buffer *out, const char **refusal);

/* The dialect of D: what its language says, or else the end of its name; NULL: unknown. */
const char *document_dialect(const document *d);

/* The result of hover: the type of the value, or help on the operation, whose name stands around
 * byte AT; or null. */
bool answer_hover(const server *s, const document *d, size_t at, text_buffer *out);
/* The result of completion at byte AT: values that are defined before, operations of the language,
 * and the fields of the operation in whose line AT lies. */
bool answer_completion(const server *s, const document *d, size_t at, text_buffer *out);

/* The results of definition, references (WITH_DEFINITION: that too), documentHighlight and
 * prepareRename for the name at byte AT. */
bool answer_definition(const server *s, const document *d, size_t at, text_buffer *out);
bool answer_references(const server *s, const document *d, size_t at, bool with_definition,
                       text_buffer *out);
bool answer_highlights(const server *s, const document *d, size_t at, text_buffer *out);
bool answer_prepare_rename(const server *s, const document *d, size_t at, text_buffer *out);
/* The result of rename: the name at byte AT becomes NAME. Or the message *REFUSAL: a program in
 * which names mean something else, or with more errors, is not offered. */
bool answer_rename(const server *s, const document *d, size_t at, json_text name, text_buffer *out,
                   const char **refusal);

/* The results of documentSymbol, and of inlayHint between two bytes: types that the text does not
 * say. */
bool answer_symbols(const server *s, const document *d, text_buffer *out);
bool answer_hints(const server *s, const document *d, size_t from, size_t to, text_buffer *out);
/* By use of D's names: the function (another use) in which the definition lies, or NO_OWNER. NULL
 * without memory. */
#define NO_OWNER UINT32_MAX
uint32_t *document_owners(const document *d);
void document_free_owners(const document *d, uint32_t *owners);

/* The result of foldingRange: brackets and comments of several lines. */
bool answer_folds(const document *d, text_buffer *out);

#endif
