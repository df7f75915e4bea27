/* Extents as text that is read back. */
#include "graph/dim_name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/chars.h"
#include "base/text/decimal.h"

static const char operators[] = "()+*/%";

/* ---- writing ------------------------------------------------------------------------------- */

/* Does a text of N bytes begin as a number does? */
static bool begins_number(const char *text, size_t n)
{
    const size_t sign = n > 0 && *text == '-';
    return n > sign && char_is_digit(text[sign]);
}

static const char *spell_name(const char *name, arena *memory)
{
    const size_t n = strlen(name);
    if (n > 0 && *name != '\'' && name[strcspn(name, operators)] == '\0' && !begins_number(name, n))
        return name;
    char *text = arena_alloc(memory, 2 * n + 3), *to = text;
    if (!text)
        return NULL;
    *to++ = '\'';
    for (; *name; *to++ = *name++)
        if (*name == '\'')
            *to++ = '\'';
    *to++ = '\'';
    *to = '\0';
    return text;
}

static const char *spell(const type_table *t, dim d, arena *memory);

/* Numbers come last, other operands in the order of their texts. */
static int by_text(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    const bool x_number = begins_number(x, strlen(x)), y_number = begins_number(y, strlen(y));
    return x_number != y_number ? x_number - y_number : strcmp(x, y);
}

/* A sum or product, which is a chain to the left: expressions that are equal are written alike,
 * whatever order their symbols were met in. */
static const char *spell_chain(const type_table *t, dim d, dim_op op, arena *memory)
{
    uint32_t n = 1, i = 0;
    for (dim at = d; dim_is_expr(t, at) && dim_expr_of(t, at)->op == op; n++)
        at = dim_expr_of(t, at)->a;
    const char **parts = ARENA_ARRAY(memory, const char *, n);
    if (!parts)
        return NULL;
    for (; i < n; i++) {
        const dim_expr *e = i + 1 < n ? dim_expr_of(t, d) : NULL;
        parts[i] = spell(t, e ? e->b : d, memory);
        if (!parts[i])
            return NULL;
        d = e ? e->a : d;
    }
    qsort(parts, n, sizeof *parts, by_text);
    const char *all = parts[0];
    for (i = 1; all && i < n; i++)
        all = arena_printf(memory, "(%s%c%s)", all, op == DIM_ADD ? '+' : '*', parts[i]);
    return all;
}

static const char *spell(const type_table *t, dim d, arena *memory)
{
    if (!dim_is_expr(t, d))
        return arena_printf(memory, "%" PRId64, d);
    const dim_expr *e = dim_expr_of(t, d);
    if (e->op == DIM_SYM)
        return spell_name(e->name, memory);
    if (e->op == DIM_ADD || e->op == DIM_MUL)
        return spell_chain(t, d, (dim_op)e->op, memory);
    const char *a = spell(t, e->a, memory), *b = spell(t, e->b, memory);
    return a && b ? arena_printf(memory, "(%s%s%s)", a, e->op == DIM_FLOORDIV ? "//" : "%", b)
                  : NULL;
}

const char *dim_spell(const type_table *t, dim d, arena *memory)
{
    return dim_is_expr(t, d) && !dim_is_writable(t, d) ? NULL : spell(t, d, memory);
}

/* ---- reading ------------------------------------------------------------------------------- */

typedef struct dim_scan {
    type_table *types;
    const char *at, *end;
    dim_find_symbol *find;
    void *user;
    int depth;
} dim_scan;

static bool scan_infix(dim_scan *s, dim_op *op)
{
    if (s->at == s->end)
        return false;
    const char c = *s->at++;
    *op = c == '+' ? DIM_ADD : c == '*' ? DIM_MUL : c == '%' ? DIM_MOD : DIM_FLOORDIV;
    if (c == '/')
        return s->at < s->end && *s->at++ == '/';
    return c == '+' || c == '*' || c == '%';
}

static bool scan_symbol(dim_scan *s, const char *name, size_t n, dim *out)
{
    *out = s->find(s->user, name, n);
    return *out != DIM_NO_MEMORY;
}

/* Behind the apostrophe that ends the name which begins at FROM; NULL: there is none. */
static const char *end_of_quoted(const char *from, const char *end)
{
    for (const char *at = from; at < end; at++)
        if (*at == '\'' && (++at == end || *at != '\''))
            return at;
    return NULL;
}

/* A name in apostrophes. */
static bool scan_quoted(dim_scan *s, dim *out)
{
    const char *from = s->at + 1, *behind = end_of_quoted(from, s->end);
    char *name = behind ? arena_alloc(s->types->arena, (size_t)(behind - from)) : NULL;
    size_t n = 0;
    if (!name)
        return false;
    for (const char *at = from; at < behind - 1; at += 1 + (*at == '\''))
        name[n++] = *at;
    s->at = behind;
    return scan_symbol(s, name, n, out);
}

static bool scan_dim(dim_scan *s, dim *out);

static bool scan_operation(dim_scan *s, dim *out)
{
    dim a, b;
    dim_op op;
    s->at++;
    if (!scan_dim(s, &a) || !scan_infix(s, &op) || !scan_dim(s, &b) || s->at == s->end ||
        *s->at++ != ')' || ((op == DIM_FLOORDIV || op == DIM_MOD) && !dim_is_symbolic(b) && b <= 0))
        return false;
    *out = dim_combine(s->types, op, a, b);
    return *out != DIM_NO_MEMORY;
}

static bool scan_dim(dim_scan *s, dim *out)
{
    bool ok;
    if (s->at == s->end || s->depth >= DIM_MOST_DEPTH)
        return false;
    if (*s->at == '(') {
        s->depth++;
        ok = scan_operation(s, out);
        s->depth--;
        return ok;
    }
    if (*s->at == '\'')
        return scan_quoted(s, out);
    const char *from = s->at;
    while (s->at < s->end && (*s->at == '\0' || !strchr(operators, *s->at)))
        s->at++;
    const size_t n = (size_t)(s->at - from);
    if (begins_number(from, n)) {
        const decimal_result r = decimal_read_i64(from, n, out);
        return r.length == n && !r.overflow && *out > DIM_SYMBOLIC;
    }
    return n > 0 && scan_symbol(s, from, n, out);
}

bool dim_unspell(type_table *t, const char *text, size_t n, dim_find_symbol *find, void *user,
                 dim *out)
{
    dim_scan s = {.types = t, .at = text, .end = text + n, .find = find, .user = user};
    return scan_dim(&s, out) && s.at == s.end;
}
