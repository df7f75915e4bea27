/* The outline of a document, and the types that its text does not say. */
#include <stdlib.h>

#include "lsp/answers.h"

/* Functions that lie around a place, from the outside in: indices of uses. */
typedef VECTOR(uint32_t) nesting;

/* The functions of D by where they begin. */
typedef struct function_begin {
    uint32_t at, use;
} function_begin;

static int compare(const void *a, const void *b)
{
    const function_begin *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at)
                          : (x->use > y->use) - (x->use < y->use);
}

static bool is_definition(const named_use *u)
{
    return u->at.at == u->definition;
}

static uint32_t end_of(const named_use *u)
{
    return u->whole.at + u->whole.length;
}

/* Leave the functions of OPEN that end before byte AT. */
static void close_until(const named_use *uses, nesting *open, uint32_t at)
{
    while (open->n && end_of(&uses[open->at[open->n - 1]]) <= at)
        open->n--;
}

/* Fill OWNERS; the functions are BEGINS, N of them. */
static bool sweep(const document *d, const function_begin *begins, uint32_t n, uint32_t *owners)
{
    const named_use *uses = d->names.uses.at;
    nesting open = {0};
    bool ok = true;
    uint32_t next = 0;
    for (uint32_t i = 0; ok && i < d->names.uses.n; i++) {
        const uint32_t at = uses[i].at.at;
        for (; ok && next < n && begins[next].at <= at; next++) {
            close_until(uses, &open, begins[next].at);
            ok = VECTOR_PUSH(d->allocator, &open, begins[next].use);
        }
        close_until(uses, &open, at);
        uint32_t depth = open.n;
        if (depth && open.at[depth - 1] == i)
            depth--; /* its own name */
        owners[i] = depth ? open.at[depth - 1] : NO_OWNER;
    }
    VECTOR_RELEASE(d->allocator, &open);
    return ok;
}

uint32_t *document_owners(const document *d)
{
    const tn_allocator *a = d->allocator;
    const size_t bytes = d->names.uses.n * sizeof(uint32_t);
    VECTOR(function_begin) begins = {0};
    uint32_t *owners = memory_alloc(a, bytes ? bytes : 1);
    bool ok = owners != NULL;
    for (uint32_t i = 0; ok && i < d->names.uses.n; i++) {
        const named_use *u = &d->names.uses.at[i];
        if (is_definition(u) && u->whole.length)
            ok = VECTOR_PUSH(a, &begins, ((function_begin){u->whole.at, i}));
    }
    if (ok && begins.n)
        qsort(begins.at, begins.n, sizeof *begins.at, compare);
    ok = ok && sweep(d, begins.at, begins.n, owners);
    VECTOR_RELEASE(a, &begins);
    if (!ok && owners) {
        memory_free(a, owners, bytes ? bytes : 1);
        owners = NULL;
    }
    return owners;
}

void document_free_owners(const document *d, uint32_t *owners)
{
    const size_t bytes = d->names.uses.n * sizeof *owners;
    memory_free(d->allocator, owners, bytes ? bytes : 1);
}

/* ---- the outline ---- */

typedef struct outline {
    const server *s;
    const document *d;
    text_buffer *out;
    uint32_t *first, *next; /* by use: what it owns, and what its owner owns behind it */
} outline;

static void put_symbols(const outline *o, uint32_t first)
{
    enum { FUNCTION = 12, VARIABLE = 13, FIELD = 8 };
    const document *d = o->d;
    text_putc(o->out, '[');
    for (uint32_t i = first; i != NO_OWNER; i = o->next[i]) {
        const named_use *u = &d->names.uses.at[i];
        const char *detail = names_detail(&d->names, u);
        const bool is_function = u->kind == NAMED_FUNCTION;
        const size_t from = u->at.at, to = from + u->at.length;
        const size_t begin = u->whole.length && u->whole.at < from ? u->whole.at : from;
        const size_t end = u->whole.length && end_of(u) > to ? end_of(u) : document_line_end(d, to);
        text_puts(o->out, i == first ? "{\"name\":" : ",{\"name\":");
        text_json_string(o->out, d->text + from, u->at.length);
        text_puts(o->out, ",\"detail\":");
        text_json_string(o->out, detail, strlen(detail));
        text_printf(o->out, ",\"kind\":%d,\"range\":",
                    is_function              ? FUNCTION
                    : u->kind == NAMED_INPUT ? FIELD
                                             : VARIABLE);
        document_put_range(d, o->s->encoding, begin, end, o->out);
        text_puts(o->out, ",\"selectionRange\":");
        document_put_range(d, o->s->encoding, from, to, o->out);
        if (o->first[i] != NO_OWNER) {
            text_puts(o->out, ",\"children\":");
            put_symbols(o, o->first[i]);
        }
        text_putc(o->out, '}');
    }
    text_putc(o->out, ']');
}

bool answer_symbols(const server *s, const document *d, text_buffer *out)
{
    const uint32_t n = d->names.uses.n;
    const size_t bytes = 2 * ((size_t)n + 1) * sizeof(uint32_t);
    uint32_t *owners = document_owners(d), *links = memory_alloc(d->allocator, bytes);
    uint32_t outer = NO_OWNER;
    outline o = {s, d, out, links, links ? links + n : NULL};
    for (uint32_t i = 0; links && i < n; i++)
        o.first[i] = NO_OWNER;
    for (uint32_t i = n; owners && links && i-- > 0;) { /* backwards: each goes in front */
        const named_use *u = &d->names.uses.at[i];
        if (!is_definition(u) || u->kind == NAMED_SYMBOL)
            continue;
        uint32_t *head = owners[i] == NO_OWNER ? &outer : &o.first[owners[i]];
        o.next[i] = *head;
        *head = i;
    }
    const bool ok = owners && links;
    if (ok)
        put_symbols(&o, outer);
    if (owners)
        document_free_owners(d, owners);
    if (links)
        memory_free(d->allocator, links, bytes);
    return ok && !out->failed;
}

/* ---- types ---- */

bool answer_hints(const server *s, const document *d, size_t from, size_t to, text_buffer *out)
{
    bool any = false;
    text_buffer label;
    text_init(&label, d->allocator);
    text_putc(out, '[');
    for (uint32_t i = 0; i < d->names.uses.n; i++) {
        const named_use *u = &d->names.uses.at[i];
        size_t at = (size_t)u->at.at + u->at.length;
        if (!is_definition(u) || !u->is_inferred || at < from || at > to)
            continue;
        at += at < d->n && d->text[at] == '"';
        label.n = 0;
        text_printf(&label, ": %s", names_detail(&d->names, u));
        text_puts(out, any ? ",{\"position\":" : "{\"position\":");
        any = true;
        document_put_position(d, s->encoding, at, out);
        text_puts(out, ",\"kind\":1,\"label\":");
        text_json_string(out, label.at, label.n);
        text_putc(out, '}');
    }
    text_putc(out, ']');
    const bool ok = !label.failed && !out->failed;
    text_release(&label);
    return ok;
}
