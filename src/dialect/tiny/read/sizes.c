/* Sizes: numbers, symbols, and expressions over symbols. */
#include "dialect/tiny/read/reader.h"

#include <stdlib.h>

#include "base/memory/checked.h"
#include "base/text/chars.h"

enum { MAX_NESTING = 32, MAX_TERMS = 256 };

typedef struct size_parser {
    reader *r;
    const char *at, *end;
    const char *why;
    uint32_t nesting, terms;
} size_parser;

static bool stop(size_parser *p, const char *why)
{
    if (!p->why)
        p->why = why;
    return false;
}

static void skip_space(size_parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
        p->at++;
}

static bool accept(size_parser *p, const char *word)
{
    const size_t n = strlen(word);
    skip_space(p);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, word, n) != 0)
        return false;
    p->at += n;
    return true;
}

bool is_name(const char *text, size_t n)
{
    return n > 0 && size_name_length(text, n) == n;
}

static bool combine(size_parser *p, dim_op op, dim a, dim b, dim *out)
{
    if (++p->terms > MAX_TERMS)
        return stop(p, "is too long");
    if ((op == DIM_FLOORDIV || op == DIM_MOD) && !dim_is_symbolic(b) && b <= 0)
        return stop(p, "divides by a number that is not positive");
    *out = dim_combine(&p->r->m->types, op, a, b);
    return *out != DIM_NO_MEMORY || stop(p, "is too large");
}

static bool read_sum(size_parser *p, dim *out);

static bool read_number(size_parser *p, dim *out)
{
    int64_t n = 0;
    for (; p->at < p->end && char_is_digit(*p->at); p->at++)
        if (!mul_i64(n, 10, &n) || !add_i64(n, *p->at - '0', &n))
            return stop(p, "holds a number that is too large");
    *out = n;
    return true;
}

void note_size(const reader *r, const char *name, size_t n)
{
    const source *s = &r->m->source;
    const uintptr_t from = (uintptr_t)s->text, at = (uintptr_t)name;
    if (at >= from && at - from < s->length)
        names_symbol(r->m->cx->names, (span){(uint32_t)(at - from), (uint32_t)n});
}

static bool read_named(size_parser *p, dim *out)
{
    const size_t n = size_name_length(p->at, (size_t)(p->end - p->at));
    const char *name = p->at;
    p->at += n;
    if (n == 8 && memcmp(name, "floordiv", 8) == 0 && accept(p, "(")) {
        dim a, b;
        if (!read_sum(p, &a))
            return false;
        if (!accept(p, ","))
            return stop(p, "lacks the second argument of 'floordiv'");
        if (!read_sum(p, &b))
            return false;
        return accept(p, ")") ? combine(p, DIM_FLOORDIV, a, b, out) : stop(p, "lacks a ')'");
    }
    const char *own = module_string(p->r->m, name, n);
    note_size(p->r, name, n);
    *out = own ? size_of_name(p->r, own) : DIM_NO_MEMORY;
    if (*out != DIM_NO_MEMORY)
        return true;
    (void)out_of_memory(p->r);
    return stop(p, "cannot be kept");
}

static bool read_atom(size_parser *p, dim *out)
{
    skip_space(p);
    if (p->at < p->end && char_is_digit(*p->at))
        return read_number(p, out);
    if (size_name_length(p->at, (size_t)(p->end - p->at)) > 0 && ++p->nesting <= MAX_NESTING) {
        const bool ok = read_named(p, out);
        p->nesting--;
        return ok;
    }
    if (++p->nesting > MAX_NESTING)
        return stop(p, "is nested too deeply");
    bool ok;
    if (accept(p, "-")) {
        dim a;
        ok = read_atom(p, &a) && combine(p, DIM_MUL, a, -1, out);
    } else if (accept(p, "(")) {
        ok = read_sum(p, out) && (accept(p, ")") || stop(p, "lacks a ')'"));
    } else {
        ok = stop(p, "is not a size: it must be a number, a symbol or an expression of these");
    }
    p->nesting--;
    return ok;
}

static bool read_product(size_parser *p, dim *out)
{
    dim a, b;
    if (!read_atom(p, &a))
        return false;
    for (;;) {
        const dim_op op = accept(p, "//")  ? DIM_FLOORDIV
                          : accept(p, "%") ? DIM_MOD
                          : accept(p, "*") ? DIM_MUL
                                           : DIM_SYM;
        if (op == DIM_SYM)
            break;
        if (!read_atom(p, &b) || !combine(p, op, a, b, &a))
            return false;
    }
    *out = a;
    return true;
}

static bool read_sum(size_parser *p, dim *out)
{
    dim a, b;
    if (!read_product(p, &a))
        return false;
    for (;;) {
        const bool minus = accept(p, "-");
        if (!minus && !accept(p, "+"))
            break;
        if (!read_product(p, &b) || (minus && !combine(p, DIM_MUL, b, -1, &b)) ||
            !combine(p, DIM_ADD, a, b, &a))
            return false;
    }
    *out = a;
    return true;
}

bool size_parse(reader *r, const char *text, size_t n, dim *out, const char **why)
{
    size_parser p = {.r = r, .at = text, .end = text + n};
    bool ok = read_sum(&p, out);
    skip_space(&p);
    if (ok && p.at != p.end)
        ok = stop(&p, "is not a size: something stands behind it");
    *why = p.why;
    return ok;
}

dim size_of_name(reader *r, const char *name)
{
    for (uint32_t i = 0; i < r->sizes.n; i++)
        if (r->sizes.at[i].name == name)
            return r->sizes.at[i].value;
    return dim_symbol(&r->m->types, name);
}

/* ---- printing ---- */

enum { MAX_OPERANDS = 256, MAX_PRINTED = 1000 };

typedef struct size_printer {
    const type_table *types;
    const tn_allocator *allocator;
    bool failed;
} size_printer;

static void print(size_printer *p, text_buffer *out, dim d, bool bare, uint32_t depth);

/* Numbers come last, other operands in the order of their texts: expressions that are equal print
 * alike whatever order their symbols were met in. */
static int by_text(const void *a, const void *b)
{
    const text_buffer *x = a, *y = b;
    const bool x_number = char_is_digit(x->at[0]) || x->at[0] == '-';
    const bool y_number = char_is_digit(y->at[0]) || y->at[0] == '-';
    const size_t n = x->n < y->n ? x->n : y->n;
    if (x_number != y_number)
        return x_number ? 1 : -1;
    const int order = memcmp(x->at, y->at, n);
    return order ? order : (x->n > y->n) - (x->n < y->n);
}

/* The operands of a sum or product, which is a chain to the left. */
static void print_chain(size_printer *p, text_buffer *out, dim d, dim_op op, uint32_t depth)
{
    enum { BYTES = MAX_OPERANDS * sizeof(text_buffer) };
    text_buffer *parts = memory_alloc(p->allocator, BYTES);
    uint32_t n = 0;
    bool more = parts != NULL;
    p->failed = p->failed || !parts;
    while (more) {
        const dim_expr *e = dim_is_expr(p->types, d) ? dim_expr_of(p->types, d) : NULL;
        more = e && e->op == op && n + 1 < MAX_OPERANDS;
        text_init(&parts[n], p->allocator);
        print(p, &parts[n], more ? e->b : d, false, depth + 1);
        p->failed = p->failed || parts[n].failed || parts[n].n == 0;
        n++;
        d = more ? e->a : d;
    }
    if (!p->failed)
        qsort(parts, n, sizeof *parts, by_text);
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            text_puts(out, op == DIM_ADD ? " + " : "*");
        if (!p->failed)
            text_put(out, parts[i].at, parts[i].n);
        text_release(&parts[i]);
    }
    memory_free(p->allocator, parts, parts ? BYTES : 0);
}

/* Expressions nest as deep as the texts and rules that made them. */
static void print(size_printer *p, text_buffer *out, dim d, bool bare, uint32_t depth)
{
    if (!dim_is_expr(p->types, d)) {
        text_i64(out, d);
        return;
    }
    if (depth > MAX_PRINTED) {
        p->failed = true;
        return;
    }
    const dim_expr *e = dim_expr_of(p->types, d);
    if (e->op == DIM_SYM) {
        text_puts(out, e->name);
        return;
    }
    if (!bare)
        text_putc(out, '(');
    if (e->op == DIM_ADD || e->op == DIM_MUL) {
        print_chain(p, out, d, e->op, depth);
    } else {
        print(p, out, e->a, false, depth + 1);
        text_puts(out, e->op == DIM_FLOORDIV ? "//" : "%");
        print(p, out, e->b, false, depth + 1);
    }
    if (!bare)
        text_putc(out, ')');
}

void size_print_bare(text_buffer *out, const type_table *t, dim d)
{
    size_printer p = {.types = t, .allocator = out->allocator};
    if (dim_is_writable(t, d))
        print(&p, out, d, true, 0);
    else
        p.failed = true;
    if (p.failed) { /* as after any failed write */
        text_release(out);
        out->failed = true;
    }
}

void size_print(text_buffer *out, const type_table *t, dim d)
{
    if (!dim_is_expr(t, d)) {
        text_i64(out, d);
        return;
    }
    text_putc(out, '"');
    size_print_bare(out, t, d);
    text_putc(out, '"');
}

void size_print_named(reader *r, text_buffer *out, dim d, const char *name)
{
    if (name && size_of_name(r, name) == d) {
        text_json_string(out, name, strlen(name));
        return;
    }
    size_print(out, &r->m->types, d);
}
