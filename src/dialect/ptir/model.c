/* What the readers and writers of PTIR's forms share. */
#include "dialect/ptir/model.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory/checked.h"

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

typedef struct dim_scan {
    module *m;
    const char *at, *end;
    int depth;
} dim_scan;

static bool is_name_byte(char c)
{
    return c != '(' && c != ')' && c != '+' && c != '*' && c != '/' && c != '%';
}

static bool scan_infix(dim_scan *s, dim_op *op)
{
    if (s->at == s->end)
        return false;
    char c = *s->at++;
    *op = c == '+' ? DIM_ADD : c == '*' ? DIM_MUL : c == '%' ? DIM_MOD : DIM_FLOORDIV;
    if (c == '/')
        return s->at < s->end && *s->at++ == '/';
    return c == '+' || c == '*' || c == '%';
}

static bool scan_dim(dim_scan *s, dim *out)
{
    if (s->at == s->end || ++s->depth > DIM_MOST_DEPTH)
        return false;
    if (*s->at == '(') {
        dim a, b;
        dim_op op;
        s->at++;
        if (!scan_dim(s, &a) || !scan_infix(s, &op) || !scan_dim(s, &b) || s->at == s->end ||
            *s->at++ != ')' ||
            ((op == DIM_FLOORDIV || op == DIM_MOD) && !dim_is_symbolic(b) && b <= 0))
            return false;
        s->depth--;
        *out = dim_combine(&s->m->types, op, a, b);
        return *out != DIM_NO_MEMORY;
    }
    s->depth--;
    const char *from = s->at;
    while (s->at < s->end && is_name_byte(*s->at))
        s->at++;
    size_t n = (size_t)(s->at - from);
    const char *digit = n > 1 && *from == '-' ? from + 1 : from;
    if (n && *digit >= '0' && *digit <= '9') {
        decimal_result r = decimal_read_i64(from, n, out);
        return r.length == n && !r.overflow;
    }
    const char *name = n ? module_string(s->m, from, n) : NULL;
    *out = name ? dim_symbol(&s->m->types, name) : DIM_NO_MEMORY;
    return *out != DIM_NO_MEMORY;
}

dim ptir_dim_by_name(module *m, const char *name, size_t length)
{
    dim d;
    dim_scan s = {m, name, name + length, 0};
    if (length && *name == '(' && scan_dim(&s, &d) && s.at == s.end && dim_is_symbolic(d))
        return d;
    const char *own = module_string(m, name, length);
    return own ? dim_symbol(&m->types, own) : DIM_NO_MEMORY;
}

dim ptir_dim_stand_in(module *m, int64_t n)
{
    const char *name = arena_printf(&m->arena, "%" PRId64, n);
    return name ? ptir_dim_by_name(m, name, strlen(name)) : DIM_NO_MEMORY;
}

const char *ptir_dim_name(const module *m, dim d, arena *memory)
{
    static const char *const infix[] = {"", "+", "*", "//", "%"};
    if (!dim_is_expr(&m->types, d))
        return arena_printf(memory, "%" PRId64, d);
    const dim_expr *e = dim_expr_of(&m->types, d);
    if (e->op == DIM_SYM)
        return e->name;
    if (!dim_is_writable(&m->types, d))
        return NULL;
    const char *a = ptir_dim_name(m, e->a, memory), *b = ptir_dim_name(m, e->b, memory);
    return a && b ? arena_printf(memory, "(%s%s%s)", a, infix[e->op], b) : NULL;
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
