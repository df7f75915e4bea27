/* The methods of the protocol, by name, and the order in which they may come. */
#include "lsp/server.h"

#include "lsp/answers.h"

lsp_server *lsp_new(const tn_allocator *allocator, const tn_writer *out, const char *pages)
{
    context *cx = context_new(allocator, NULL);
    server *s = cx ? memory_alloc(&cx->allocator, sizeof *s) : NULL;
    if (!s) {
        context_free(cx);
        return NULL;
    }
    *s = (server){.cx = cx, .out = *out, .pages = pages};
    return s;
}

void lsp_free(lsp_server *s)
{
    if (!s)
        return;
    context *cx = s->cx;
    for (document *d = s->documents, *next; d; d = next) {
        next = d->next;
        document_free(d);
    }
    memory_free(&cx->allocator, s, sizeof *s);
    context_free(cx);
}

int lsp_exit_status(const lsp_server *s)
{
    return s->is_shut_down ? 0 : 1;
}

/* ---- sending ---- */

/* Send BODY with its frame. What there was no memory for ends the server: an editor that waits for
 * an answer would wait for ever. */
static void send(server *s, const text_buffer *body)
{
    text_buffer frame;
    text_init(&frame, &s->cx->allocator);
    text_printf(&frame, "Content-Length: %zu\r\n\r\n", body->n);
    if (body->failed || frame.failed || !s->out.write(s->out.user, frame.at, frame.n) ||
        !s->out.write(s->out.user, body->at, body->n))
        s->has_failed = true;
    text_release(&frame);
}

static void begin_answer(const message *m, text_buffer *out)
{
    text_puts(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    if (m->has_id)
        text_put(out, m->id.at, m->id.n);
    else
        text_puts(out, "null");
}

static void send_error(server *s, const message *m, rpc_error code, const char *text)
{
    text_buffer out;
    text_init(&out, &s->cx->allocator);
    begin_answer(m, &out);
    text_printf(&out, ",\"error\":{\"code\":%d,\"message\":", (int)code);
    text_json_string(&out, text, strlen(text));
    text_puts(&out, "}}");
    send(s, &out);
    text_release(&out);
}

/* Send RESULT as the answer, or that there is no memory for it. */
static void send_result(server *s, const message *m, bool ok, const text_buffer *result)
{
    text_buffer out;
    if (!ok || result->failed) {
        send_error(s, m, RPC_INTERNAL_ERROR, "out of memory");
        return;
    }
    text_init(&out, &s->cx->allocator);
    begin_answer(m, &out);
    text_puts(&out, ",\"result\":");
    text_put(&out, result->at, result->n);
    text_putc(&out, '}');
    send(s, &out);
    text_release(&out);
}

static void send_text(server *s, const message *m, const char *text)
{
    text_buffer result;
    text_init(&result, &s->cx->allocator);
    text_puts(&result, text);
    send_result(s, m, true, &result);
    text_release(&result);
}

/* Begin a notification with diagnostics; its parameters follow. */
static void begin_publishing(const server *s, text_buffer *out)
{
    text_init(out, &s->cx->allocator);
    text_puts(out,
              "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/publishDiagnostics\",\"params\":");
}

/* Publish that D was not checked: what was said of an earlier text no longer holds. */
static void publish_no_memory(server *s, const document *d)
{
    text_buffer out;
    begin_publishing(s, &out);
    text_puts(&out, "{\"uri\":");
    text_json_string(&out, d->uri, strlen(d->uri));
    text_printf(&out, ",\"version\":%lld,\"diagnostics\":[{\"range\":", (long long)d->version);
    document_put_range(d, s->encoding, 0, 0, &out);
    text_puts(&out,
              ",\"severity\":1,\"code\":\"AllocationFailure\",\"source\":\"tenon\",\"message\":"
              "\"out of memory: this text was not checked\"}]}}");
    send(s, &out);
    text_release(&out);
}

/* Publish the diagnostics of D; with IS_CLOSED that there are none any more. */
static void publish(server *s, document *d, bool is_closed)
{
    text_buffer out;
    bool ok = true;
    begin_publishing(s, &out);
    if (is_closed) {
        text_puts(&out, "{\"uri\":");
        text_json_string(&out, d->uri, strlen(d->uri));
        text_puts(&out, ",\"diagnostics\":[]}");
    } else {
        ok = answer_diagnostics(s, d, &out);
    }
    text_putc(&out, '}');
    if (ok)
        send(s, &out);
    text_release(&out);
    if (!ok)
        publish_no_memory(s, d);
}

/* ---- documents ---- */

static document **find(server *s, json_text uri)
{
    document **d = &s->documents;
    while (*d && !json_is(uri, (*d)->uri))
        d = &(*d)->next;
    return d;
}

/* What editors call the languages. */
static const char *dialect_of(json_text language)
{
    static const char *const names[][2] = {
        {"mind-ir", "mind"},   {"mindir", "mind"},    {"mind", "mind-source"},
        {"ptir", "ptir-text"}, {"ptir-json", "ptir"}, {"tiny-json", "tiny"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (json_is(language, names[i][0]))
            return names[i][1];
    return NULL;
}

static document *document_new(const tn_allocator *a, json_text uri)
{
    document *d = memory_alloc(a, sizeof *d);
    if (!d)
        return NULL;
    *d = (document){.allocator = a, .names.allocator = a, .uri = memory_alloc(a, uri.n + 1)};
    if (!d->uri) {
        document_free(d);
        return NULL;
    }
    memcpy(d->uri, uri.at, uri.n);
    d->uri[uri.n] = '\0';
    return d;
}

static void did_open(server *s, const message *m)
{
    const parameters *p = &m->p;
    if (!p->has_uri || !p->has_text || memchr(p->uri.at, 0, p->uri.n))
        return;
    document **at = find(s, p->uri);
    if (!*at)
        *at = document_new(&s->cx->allocator, p->uri);
    if (!*at || !document_set(*at, p->text.at, p->text.n)) {
        s->has_failed = true; /* its text would not be the editor's any more */
        return;
    }
    (*at)->dialect = dialect_of(p->language);
    (*at)->version = p->version;
    publish(s, *at, false);
}

static void did_change(server *s, const message *m)
{
    const parameters *p = &m->p;
    document *d = p->has_uri ? *find(s, p->uri) : NULL;
    if (!d)
        return;
    for (uint32_t i = 0; i < p->changes.n && !s->has_failed; i++) {
        const change *c = &p->changes.at[i];
        const size_t start = c->has_range ? document_offset(d, s->encoding, c->start) : 0;
        const size_t end = c->has_range ? document_offset(d, s->encoding, c->end) : d->n;
        s->has_failed = !document_edit(d, start, end > start ? end : start, c->text.at, c->text.n);
    }
    d->version = p->version;
    publish(s, d, false);
}

static void did_close(server *s, const message *m)
{
    document **at = find(s, m->p.uri), *d = *at;
    if (!m->p.has_uri || !d)
        return;
    publish(s, d, true);
    *at = d->next;
    document_free(d);
}

/* ---- requests ---- */

static void initialize(server *s, const message *m)
{
    text_buffer result;
    if (s->is_initialized) {
        send_error(s, m, RPC_INVALID_REQUEST, "the server is initialized already");
        return;
    }
    s->is_initialized = true;
    s->encoding = m->p.offers_utf8 ? ENCODING_UTF8 : ENCODING_UTF16;
    text_init(&result, &s->cx->allocator);
    text_printf(&result,
                "{\"capabilities\":{\"positionEncoding\":\"%s\","
                "\"textDocumentSync\":{\"openClose\":true,\"change\":2},"
                "\"codeActionProvider\":{\"codeActionKinds\":[\"quickfix\","
                "\"source.fixAll.tenon\"]},\"documentFormattingProvider\":true,"
                "\"hoverProvider\":true,\"completionProvider\":{\"triggerCharacters\":[\"%%\"]},"
                "\"definitionProvider\":true,\"referencesProvider\":true,"
                "\"documentHighlightProvider\":true,\"renameProvider\":{\"prepareProvider\":true},"
                "\"documentSymbolProvider\":true,\"inlayHintProvider\":true,"
                "\"foldingRangeProvider\":true},"
                "\"serverInfo\":{\"name\":\"tenon\",\"version\":\"%s\"}}",
                m->p.offers_utf8 ? "utf-8" : "utf-16", tn_version());
    send_result(s, m, true, &result);
    text_release(&result);
}

static void shut_down(server *s, const message *m)
{
    s->is_shut_down = true;
    send_text(s, m, "null");
}

/* The document that M is about; if it is not open, that is the answer. */
static const document *asked(server *s, const message *m)
{
    const document *d = m->p.has_uri ? *find(s, m->p.uri) : NULL;
    if (!d)
        send_error(s, m, RPC_INVALID_PARAMS, "this document is not open");
    return d;
}

/* The bytes that a request names: a position is a range of none. */
typedef struct request {
    const server *s;
    const document *d;
    const parameters *p;
    size_t from, to;
    text_buffer *out;
    const char *refusal; /* why there is no result; NULL: there is one */
} request;

/* Answer M by what ANSWER appends, which is false without memory. */
static void answer(server *s, const message *m, bool (*answer_it)(request *r))
{
    const document *d = asked(s, m);
    text_buffer result;
    if (!d)
        return;
    text_init(&result, &s->cx->allocator);
    request r = {s,
                 d,
                 &m->p,
                 document_offset(d, s->encoding, m->p.start),
                 document_offset(d, s->encoding, m->p.end),
                 &result,
                 NULL};
    const bool ok = answer_it(&r);
    if (ok && r.refusal)
        send_error(s, m, RPC_REQUEST_FAILED, r.refusal);
    else
        send_result(s, m, ok, &result);
    text_release(&result);
}

/* A method NAME that is answered by EXPRESSION over the request R. */
#define ANSWERED(name, expression)                                                                 \
    static bool name##_it(request *r)                                                              \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    static void name(server *s, const message *m)                                                  \
    {                                                                                              \
        answer(s, m, name##_it);                                                                   \
    }

ANSWERED(code_action, answer_actions(r->s, r->d, r->from, r->to, r->out))
ANSWERED(format, answer_formatting(r->s, r->d, r->out, &r->refusal))
ANSWERED(hover, answer_hover(r->s, r->d, r->from, r->out))
ANSWERED(complete, answer_completion(r->s, r->d, r->from, r->out))
ANSWERED(definition, answer_definition(r->s, r->d, r->from, r->out))
ANSWERED(references, answer_references(r->s, r->d, r->from, r->p->with_declaration, r->out))
ANSWERED(highlights, answer_highlights(r->s, r->d, r->from, r->out))
ANSWERED(prepare_rename, answer_prepare_rename(r->s, r->d, r->from, r->out))
ANSWERED(rename_name, answer_rename(r->s, r->d, r->from, r->p->name, r->out, &r->refusal))
ANSWERED(symbols, answer_symbols(r->s, r->d, r->out))
ANSWERED(hints, answer_hints(r->s, r->d, r->from, r->to, r->out))
ANSWERED(folds, answer_folds(r->d, r->out))

/* ---- messages ---- */

typedef struct method {
    const char *name;
    bool is_request;
    void (*run)(server *s, const message *m);
} method;

static const method methods[] = {
    {"initialize", true, initialize},
    {"shutdown", true, shut_down},
    {"textDocument/didOpen", false, did_open},
    {"textDocument/didChange", false, did_change},
    {"textDocument/didClose", false, did_close},
    {"textDocument/codeAction", true, code_action},
    {"textDocument/formatting", true, format},
    {"textDocument/hover", true, hover},
    {"textDocument/completion", true, complete},
    {"textDocument/definition", true, definition},
    {"textDocument/references", true, references},
    {"textDocument/documentHighlight", true, highlights},
    {"textDocument/prepareRename", true, prepare_rename},
    {"textDocument/rename", true, rename_name},
    {"textDocument/documentSymbol", true, symbols},
    {"textDocument/inlayHint", true, hints},
    {"textDocument/foldingRange", true, folds},
};

static const method *find_method(json_text name)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (json_is(name, methods[i].name))
            return &methods[i];
    return NULL;
}

static void run_request(server *s, const message *m, const method *known)
{
    if (s->is_shut_down)
        send_error(s, m, RPC_INVALID_REQUEST, "the server is shut down");
    else if (!s->is_initialized && (!known || known->run != initialize))
        send_error(s, m, RPC_NOT_INITIALIZED, "the server is not initialized");
    else if (!known || !known->is_request)
        send_error(s, m, RPC_METHOD_NOT_FOUND, "there is no such request");
    else
        known->run(s, m);
}

static const char *why(int error)
{
    return error == RPC_PARSE_ERROR       ? "the message is not JSON"
           : error == RPC_INVALID_REQUEST ? "this is no message"
           : error == RPC_INVALID_PARAMS  ? "a parameter has another type"
                                          : "out of memory";
}

bool lsp_take(lsp_server *s, const char *body, size_t n)
{
    arena memory;
    message m;
    arena_init(&memory, &s->cx->allocator);
    const int error = message_read(s->cx, body, n, &memory, &m);
    const method *known = error == 0 && m.has_method ? find_method(m.method) : NULL;
    const bool is_exit = m.has_method && !m.has_id && json_is(m.method, "exit");
    if (is_exit)
        ; /* whatever else it says */
    else if (error == RPC_INVALID_PARAMS && !m.has_id)
        ; /* notifications have no answer */
    else if (error != 0)
        send_error(s, &m, (rpc_error)error, why(error));
    else if (m.has_method && m.has_id)
        run_request(s, &m, known);
    else if (known && !known->is_request && s->is_initialized && !s->is_shut_down)
        known->run(s, &m);
    message_release(s->cx, &m);
    arena_release(&memory);
    return !is_exit && !s->has_failed;
}
