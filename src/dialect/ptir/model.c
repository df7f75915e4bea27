/* What the readers and writers of PTIR's forms share. */
#include "dialect/ptir/model.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory/checked.h"
#include "base/text/chars.h"
#include "graph/dim_name.h"

bool ptir_list_grow(arena *memory, void **at, uint32_t n, uint32_t *cap, size_t size)
{
    size_t bytes, want = *cap ? 2 * (size_t)*cap : 4;
    if (want > UINT32_MAX / 2 || !mul_size(want, size, &bytes))
        return false;
    void *moved = arena_alloc(memory, bytes);
    if (!moved)
        return false;
    if (n)
        memcpy(moved, *at, n * size);
    *at = moved;
    *cap = (uint32_t)want;
    return true;
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const dict_entry *)a)->key, ((const dict_entry *)b)->key);
}

void ptir_dict_sort(dict_entry *entries, uint32_t n)
{
    if (n > 1)
        qsort(entries, n, sizeof *entries, compare_entries);
}

uint32_t ptir_dict_kind(const dict_entry *e)
{
    uint32_t kind = e->kind == ATTR_INT     ? 0
                    : e->kind == ATTR_FLOAT ? 1
                    : e->kind == ATTR_BOOL  ? 2
                                            : 3;
    return kind + (e->is_array ? 4 : 0);
}

float_format ptir_float_format(tn_dtype d)
{
    const tn_dtype part = dtype_table[d].part;
    return part == TN_FP8_E4M3   ? format_fp8_e4m3
           : part == TN_FP8_E5M2 ? format_fp8_e5m2
           : part == TN_BF16     ? format_bf16
           : part == TN_F16      ? format_f16
           : part == TN_F32      ? format_f32
                                 : format_f64;
}

/* ---- names of extents ---------------------------------------------------------------------- */

static dim find_symbol(void *user, const char *name, size_t n)
{
    module *m = user;
    const char *own = module_string(m, name, n);
    return own ? dim_symbol(&m->types, own) : DIM_NO_MEMORY;
}

dim ptir_dim_by_name(module *m, const char *name, size_t length)
{
    dim d;
    if (length && *name == '(' && dim_unspell(&m->types, name, length, find_symbol, m, &d) &&
        dim_is_symbolic(d))
        return d;
    return find_symbol(m, name, length);
}

/* The symbols in the text of an expression, without those in apostrophes. */
static void note_symbols(name_table *names, const char *text, span at)
{
    const uint32_t end = at.at + at.length;
    for (uint32_t i = at.at; i < end;) {
        uint32_t n = 0;
        while (i + n < end && !strchr("()+*/%\"", text[i + n]))
            n++;
        const char first = n > 0 ? text[i] : '\0', second = n > 1 ? text[i + 1] : '\0';
        if (n > 0 && first != '\'' && !char_is_digit(first == '-' ? second : first))
            names_symbol(names, (span){i, n});
        i += n + 1;
    }
}

void ptir_note_dim(const module *m, span at, dim d)
{
    const char *text = m->source.text;
    const bool computed = dim_is_expr(&m->types, d) && dim_expr_of(&m->types, d)->op != DIM_SYM;
    if (!m->cx->names)
        return;
    if (!computed) {
        names_symbol(m->cx->names, at);
        return;
    }
    while (at.length && *text && strchr("?\"", text[at.at])) {
        at.at++;
        at.length--;
    }
    if (!memchr(text + at.at, '\\', at.length))
        note_symbols(m->cx->names, text, at);
}

dim ptir_dim_stand_in(module *m, int64_t n)
{
    const char *name = arena_printf(&m->arena, "%" PRId64, n);
    return name ? ptir_dim_by_name(m, name, strlen(name)) : DIM_NO_MEMORY;
}

const char *ptir_dim_name(const module *m, dim d, arena *memory)
{
    const dim_expr *e = dim_is_expr(&m->types, d) ? dim_expr_of(&m->types, d) : NULL;
    return e && e->op == DIM_SYM ? e->name : dim_spell(&m->types, d, memory);
}

/* ---- types --------------------------------------------------------------------------------- */

bool ptir_type_is_flat(const ptir_type *t)
{
    for (uint32_t i = 0; !t->tensor && i < t->n; i++)
        if (!t->items[i].tensor)
            return false;
    return true;
}

uint32_t ptir_type_leaves(const ptir_type *t)
{
    uint32_t n = t->tensor != NULL;
    for (uint32_t i = 0; i < t->n; i++)
        n += ptir_type_leaves(&t->items[i]);
    return n;
}

void ptir_type_flatten(const ptir_type *t, const type **leaves, uint32_t *n)
{
    if (t->tensor)
        leaves[(*n)++] = t->tensor;
    for (uint32_t i = 0; i < t->n; i++)
        ptir_type_flatten(&t->items[i], leaves, n);
}
