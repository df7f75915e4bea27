/* Messages of JSON-RPC 2.0, taken apart by the JSON reader. */
#include "lsp/message.h"

/* What is being read. */
typedef struct reading {
    json j;
    context *cx;
    parameters *p;
} reading;

static bool is_a(reading *r, json_kind kind)
{
    return json_peek(&r->j) == kind;
}

/* A line or a column. */
static bool read_count(reading *r, uint32_t *out)
{
    uint64_t number;
    if (!json_u64(&r->j, &number))
        return false;
    *out = number < INT32_MAX ? (uint32_t)number : INT32_MAX;
    return true;
}

static bool read_position(reading *r, position *out)
{
    json_text key;
    if (!json_object(&r->j))
        return false;
    while (json_member(&r->j, &key))
        if (json_is(key, "line"))
            (void)read_count(r, &out->line);
        else if (json_is(key, "character"))
            (void)read_count(r, &out->character);
        else
            (void)json_skip(&r->j);
    return json_ok(&r->j);
}

static bool read_range(reading *r, position *start, position *end)
{
    json_text key;
    if (!json_object(&r->j))
        return false;
    while (json_member(&r->j, &key))
        if (json_is(key, "start"))
            (void)read_position(r, start);
        else if (json_is(key, "end"))
            (void)read_position(r, end);
        else
            (void)json_skip(&r->j);
    return json_ok(&r->j);
}

static bool read_document(reading *r)
{
    json_text key;
    parameters *p = r->p;
    if (!json_object(&r->j))
        return false;
    while (json_member(&r->j, &key))
        if (json_is(key, "uri"))
            p->has_uri = json_string(&r->j, &p->uri);
        else if (json_is(key, "languageId"))
            (void)json_string(&r->j, &p->language);
        else if (json_is(key, "text"))
            p->has_text = json_string(&r->j, &p->text);
        else if (json_is(key, "version") && is_a(r, JSON_NUMBER))
            (void)json_i64(&r->j, &p->version);
        else
            (void)json_skip(&r->j);
    return json_ok(&r->j);
}

static bool read_change(reading *r)
{
    json_text key;
    change c = {.has_range = false};
    bool has_text = false;
    if (!json_object(&r->j))
        return false;
    while (json_member(&r->j, &key))
        if (json_is(key, "range") && is_a(r, JSON_OBJECT))
            c.has_range = read_range(r, &c.start, &c.end);
        else if (json_is(key, "text"))
            has_text = json_string(&r->j, &c.text);
        else
            (void)json_skip(&r->j);
    if (json_ok(&r->j) && !has_text)
        return json_fail(&r->j, DIAG_SyntaxError, json_here(&r->j), "a change has no text");
    if (json_ok(&r->j) && !VECTOR_PUSH(&r->cx->allocator, &r->p->changes, c))
        return json_no_memory(&r->j);
    return json_ok(&r->j);
}

static bool read_changes(reading *r)
{
    if (!json_array(&r->j))
        return false;
    while (json_element(&r->j))
        (void)read_change(r);
    return json_ok(&r->j);
}

/* Looks for general.positionEncodings. */
static bool read_capabilities(reading *r)
{
    json_text key, word;
    if (!json_object(&r->j))
        return false;
    while (json_member(&r->j, &key))
        if (json_is(key, "general") && is_a(r, JSON_OBJECT)) {
            (void)read_capabilities(r);
        } else if (json_is(key, "positionEncodings") && is_a(r, JSON_ARRAY)) {
            (void)json_array(&r->j);
            while (json_element(&r->j))
                if (json_string(&r->j, &word) && json_is(word, "utf-8"))
                    r->p->offers_utf8 = true;
        } else {
            (void)json_skip(&r->j);
        }
    return json_ok(&r->j);
}

/* Looks for includeDeclaration. */
static bool read_context(reading *r)
{
    json_text key;
    if (!json_object(&r->j))
        return false;
    while (json_member(&r->j, &key))
        if (json_is(key, "includeDeclaration") && is_a(r, JSON_BOOL))
            (void)json_bool(&r->j, &r->p->with_declaration);
        else
            (void)json_skip(&r->j);
    return json_ok(&r->j);
}

static bool read_parameters(reading *r)
{
    json_text key;
    if (!is_a(r, JSON_OBJECT))
        return json_skip(&r->j);
    (void)json_object(&r->j);
    while (json_member(&r->j, &key))
        if (json_is(key, "textDocument"))
            (void)read_document(r);
        else if (json_is(key, "contentChanges"))
            (void)read_changes(r);
        else if (json_is(key, "capabilities") && is_a(r, JSON_OBJECT))
            (void)read_capabilities(r);
        else if (json_is(key, "range") && is_a(r, JSON_OBJECT))
            (void)read_range(r, &r->p->start, &r->p->end);
        else if (json_is(key, "context") && is_a(r, JSON_OBJECT))
            (void)read_context(r);
        else if (json_is(key, "newName"))
            (void)json_string(&r->j, &r->p->name);
        else if (json_is(key, "position"))
            (void)read_position(r, &r->p->start);
        else
            (void)json_skip(&r->j);
    return json_ok(&r->j);
}

/* The members of a message; with WITH_PARAMETERS those, too. */
static int read_members(reading *r, bool with_parameters, message *out)
{
    json_text key;
    if (!is_a(r, JSON_OBJECT))
        return json_skip(&r->j) && json_finish(&r->j) ? RPC_INVALID_REQUEST : RPC_PARSE_ERROR;
    (void)json_object(&r->j);
    while (json_member(&r->j, &key))
        if (json_is(key, "id") && (is_a(r, JSON_NUMBER) || is_a(r, JSON_STRING))) {
            const span at = json_here(&r->j);
            out->has_id = json_skip(&r->j);
            out->id.at = r->j.src->text + at.at;
            out->id.n = (size_t)(r->j.at - out->id.at);
        } else if (json_is(key, "method") && is_a(r, JSON_STRING)) {
            out->has_method = json_string(&r->j, &out->method);
        } else if (json_is(key, "params") && with_parameters) {
            (void)read_parameters(r);
        } else {
            (void)json_skip(&r->j);
        }
    return json_finish(&r->j) ? 0 : RPC_PARSE_ERROR;
}

/* One walk over the message. */
static int walk(context *cx, const source *src, arena *memory, bool with_parameters, message *out)
{
    reading r = {.cx = cx, .p = &out->p};
    json_init(&r.j, cx, src, memory, false);
    int error = read_members(&r, with_parameters, out);
    if (r.j.no_memory)
        error = RPC_INTERNAL_ERROR;
    json_release(&r.j);
    (void)context_done(cx, TN_OK);
    return error;
}

int message_read(context *cx, const char *body, size_t n, arena *memory, message *out)
{
    const source src = {.name = "message", .text = body, .length = n};
    *out = (message){.has_id = false};
    int error = walk(cx, &src, memory, false, out);
    if (error == 0 && !out->has_method && !out->has_id)
        error = RPC_INVALID_REQUEST;
    if (error == 0 && out->has_method) {
        error = walk(cx, &src, memory, true, out);
        if (error == RPC_PARSE_ERROR) /* it was JSON before */
            error = RPC_INVALID_PARAMS;
    }
    return error;
}

void message_release(context *cx, message *m)
{
    VECTOR_RELEASE(&cx->allocator, &m->p.changes);
}
