/* What a program demands of its symbolic sizes, for editors. */
#include <string.h>

#include "api/api.h"
#include "pass/sizes/equations.h"

enum { MOST_EQUATIONS = 1000, MOST_TOLD = 8 }; /* that are looked at; that are told of one size */

static void put_product(const module *m, arena *memory, const dim *d, uint32_t n, text_buffer *out)
{
    text_puts(out, n == 0 ? "1" : "");
    for (uint32_t i = 0; i < n; i++) {
        const char *text = dims_text(memory, &m->types, &d[i], 1); /* in brackets */
        text_puts(out, i ? "*" : "");
        text_put(out, text + 1, strlen(text) - 2);
    }
}

static bool is_in_name(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || (unsigned char)c >= 0x80;
}

/* Does the size NAME stand in TEXT? */
static bool has_size(const char *text, const char *name, size_t n)
{
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
        if ((at == text || !is_in_name(at[-1])) && !is_in_name(at[n]))
            return true;
    return false;
}

/* All equations of M that say something, one a line in OUT. */
static void put_equations(const module *m, const equations *e, text_buffer *out)
{
    arena memory;
    arena_init(&memory, &m->cx->allocator);
    for (uint32_t i = 0; i < e->list.n && i < MOST_EQUATIONS; i++) {
        const equation *q = &e->list.at[i];
        if (q->at_most && q->n_a == 1 && q->a[0] == 0)
            continue; /* no size is negative */
        put_product(m, &memory, q->a, q->n_a, out);
        text_puts(out, q->at_most ? " <= " : " = ");
        put_product(m, &memory, q->b, q->n_b, out);
        text_putc(out, '\n');
        arena_reset(&memory);
    }
    arena_release(&memory);
}

/* Those lines of ALL, which is changed for a moment, in which NAME stands. */
static void put_lines_with(char *all, const char *name, text_buffer *out)
{
    uint32_t told = 0;
    for (char *line = all, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        if (has_size(line, name, strlen(name)) && told++ < MOST_TOLD) {
            text_puts(out, out->n ? "\n" : "");
            text_puts(out, line);
        }
        *end = '\n';
    }
    if (told > MOST_TOLD)
        text_puts(out, "\n\xe2\x80\xa6");
}

void api_note_sizes(const module *m)
{
    name_table *names = m->cx->names;
    equations e = {0};
    text_buffer all, own;
    arena texts;
    if (!names)
        return;
    arena_init(&texts, &m->cx->allocator);
    text_init(&all, &m->cx->allocator);
    text_init(&own, &m->cx->allocator);
    equations_of(m, &e);
    put_equations(m, &e, &all);
    text_putc(&all, '\0');
    const uint32_t n = all.failed ? 0 : names->uses.n;
    for (uint32_t i = 0; i < n; i++) {
        const named_use *u = &names->uses.at[i];
        if (u->kind != NAMED_SYMBOL || u->definition != u->at.at)
            continue;
        const char *name = arena_copy_text(&texts, names->text + u->at.at, u->at.length);
        text_reset(&own);
        if (name)
            put_lines_with(all.at, name, &own);
        names->failed = names->failed || !name;
        names_tell(names, i, text_c_string(&own));
        arena_reset(&texts);
    }
    names->failed = names->failed || all.failed || own.failed || e.no_memory;
    equations_release(m, &e);
    text_release(&all);
    text_release(&own);
    arena_release(&texts);
}
