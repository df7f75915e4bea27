/* Messages of JSON-RPC 2.0, taken apart. */
#ifndef LSP_MESSAGE_H
#define LSP_MESSAGE_H

#include "base/text/json.h"
#include "lsp/document.h"

typedef enum rpc_error {
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_METHOD_NOT_FOUND = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_INTERNAL_ERROR = -32603,
    RPC_NOT_INITIALIZED = -32002,
    RPC_REQUEST_FAILED = -32803
} rpc_error;

/* One element of contentChanges. */
typedef struct change {
    bool has_range;
    position start, end;
    json_text text;
} change;

/* What the methods of this server look at; what a message does not say is zero. */
typedef struct parameters {
    bool has_uri, has_text, offers_utf8;
    bool with_declaration;               /* of context */
    json_text uri, language, text, name; /* the last: newName */
    int64_t version;
    position start, end; /* of `range`; `position` is a start */
    VECTOR(change) changes;
} parameters;

typedef struct message {
    bool has_id;
    json_text id; /* as it was written */
    bool has_method;
    json_text method;
    parameters p;
} message;

/* Read the N bytes of BODY, behind which a NUL stands. Texts point into BODY or lie in MEMORY.
 *
 * returns  0, or what is wrong: RPC_PARSE_ERROR: it is no JSON; RPC_INVALID_REQUEST: it is no
 *          message; RPC_INVALID_PARAMS: one of its parameters has another type */
int message_read(context *cx, const char *body, size_t n, arena *memory, message *out);
void message_release(context *cx, message *m);

#endif
