/* Types, constants and fields of the compact text form: writing. */
#include <math.h>

#include "dialect/ptir/formats/text_parts.h"
#include "graph/literal.h"

/* ---- types --------------------------------------------------------------------------------- */

bool text_is_name(const char *name)
{
    bool tells = false;
    if (!name || !*name)
        return false;
    for (const char *p = name; *p; p++) {
        bool digit = *p >= '0' && *p <= '9';
        if (!digit && !(*p >= 'a' && *p <= 'z') && !(*p >= 'A' && *p <= 'Z') && *p != '_' &&
            *p != '.' && !((unsigned char)*p & 0x80U))
            return false;
        tells = tells || !digit;
    }
    return tells;
}

/* Would NAME, written bare before another extent, be read as it is? */
static bool is_plain_symbol(const char *name)
{
    for (const char *p = name; *p; p++)
        if (p > name && *p == 'x' && (p[1] == '?' || p[1] == '\0' || (p[1] >= '0' && p[1] <= '9')))
            return false;
    return *name && !strchr(name, '.') &&
           (text_is_name(name) || name[strspn(name, "0123456789")] == '\0');
}

void text_write_dim(text_writer *w, dim d)
{
    if (!dim_is_symbolic(d)) {
        text_i64(w->out, d);
        return;
    }
    arena_mark here = arena_here(&w->names);
    const char *name = ptir_dim_name(w->m, d, &w->names);
    text_putc(w->out, '?');
    if (!name)
        w->no_memory = true;
    else if (is_plain_symbol(name))
        text_puts(w->out, name);
    else
        text_json_string(w->out, name, strlen(name));
    arena_rewind(&w->names, here);
}

static void put_dtype(text_writer *w, tn_dtype d)
{
    const char *name = dtype_name(d);
    if (d != TN_FP8_E4M3 && d != TN_FP8_E5M2) {
        text_puts(w->out, name);
        return;
    }
    text_put(w->out, name, 3); /* the reference implementation reads only fp8e4m3 */
    text_puts(w->out, name + 4);
}

static void put_tensor(text_writer *w, const char *word, const type *t)
{
    text_puts(w->out, word);
    put_dtype(w, t->dtype);
    for (uint32_t i = 0; i < t->rank; i++) {
        text_puts(w->out, i ? "x" : ", ");
        text_write_dim(w, t->dims[i]);
    }
    text_putc(w->out, '>');
}

void text_write_type(text_writer *w, const ptir_type *t)
{
    if (t->tensor) {
        put_tensor(w, "tensor<", t->tensor);
        return;
    }
    text_putc(w->out, '(');
    for (uint32_t i = 0; i < t->n; i++) {
        text_puts(w->out, i ? ", " : "");
        text_write_type(w, &t->items[i]);
    }
    text_putc(w->out, ')');
}

/* ---- constants ----------------------------------------------------------------------------- */

static void put_f64(text_writer *w, double f)
{
    text_f64(w->out, f);
}

/* A NaN that reading `nan` would not give back is written as its bits. */
static void put_real(text_writer *w, tn_dtype part, const unsigned char *from)
{
    const size_t bytes = dtype_bytes(part);
    unsigned char plain[8];
    uint64_t bits = 0;
    memcpy(&bits, from, bytes);
    scalar v = scalar_load(part, from);
    if (isnan(v.f) && scalar_store(scalar_of_float((double)NAN), part, plain) &&
        memcmp(plain, from, bytes) != 0) {
        static const char hex[] = "0123456789abcdef";
        text_puts(w->out, "0x");
        for (size_t i = 2 * bytes; i-- > 0;)
            text_putc(w->out, hex[bits >> 4 * i & 15]);
        return;
    }
    text_float(w->out, ptir_float_format(part), bits);
}

static void put_element(text_writer *w, tn_dtype d, const unsigned char *from)
{
    const tn_dtype part = dtype_table[d].part;
    switch (dtype_table[d].kind) {
    case DTYPE_BOOL:
        text_puts(w->out, *from ? "true" : "false");
        break;
    case DTYPE_SIGNED:
        text_i64(w->out, scalar_load(d, from).i);
        break;
    case DTYPE_UNSIGNED:
        text_u64(w->out, scalar_load(d, from).u);
        break;
    case DTYPE_FLOAT:
        put_real(w, d, from);
        break;
    case DTYPE_COMPLEX:
        text_putc(w->out, '(');
        put_real(w, part, from);
        text_puts(w->out, ", ");
        put_real(w, part, from + dtype_bytes(part));
        text_putc(w->out, ')');
        break;
    }
}

void text_write_data(text_writer *w, const char *word, const literal *l)
{
    const bool fill = l->type->count > 1 && literal_is_uniform(l);
    const int64_t n = fill ? 1 : l->type->count;
    text_puts(w->out, fill ? " fill" : word);
    text_putc(w->out, '[');
    for (int64_t i = 0; i < n; i++) {
        if (i)
            text_put(w->out, ", ", 2);
        put_element(w, l->type->dtype, literal_element(l, i));
    }
    text_putc(w->out, ']');
}

void text_write_literal(text_writer *w, const literal *l)
{
    put_tensor(w, "literal<", l->type);
    text_write_data(w, "", l);
}

/* ---- fields -------------------------------------------------------------------------------- */

void text_write_words(text_writer *w, const char *word, size_t n)
{
    char own[PTIR_MAX_WORD + 1];
    text_put(w->out, own, ptir_snake_case(word, n, own));
}

void text_write_op(text_writer *w, const ptir_inst *inst)
{
    const ptir_op_info *op = &ptir_ops[inst->op];
    size_t n = strlen(op->name);
    const char *name = op->name;
    if (op->form == PTIR_FORM_UNARY || op->form == PTIR_FORM_BINARY) {
        name = ptir_word(op->form == PTIR_FORM_UNARY ? ptir_unary_words : ptir_binary_words,
                         inst->word, &n);
    } else if (inst->op == PTIR_REDUCE) {
        text_puts(w->out, "reduce_");
        name = ptir_word(ptir_reduce_words(), (uint32_t)inst->attrs[0].v.i, &n);
    }
    text_write_words(w, name, n);
}

static void put_scalar(text_writer *w, const scalar *s)
{
    switch (s->kind) {
    case DTYPE_BOOL:
        text_puts(w->out, s->u ? "true" : "false");
        break;
    case DTYPE_SIGNED:
        text_i64(w->out, s->i);
        break;
    case DTYPE_UNSIGNED:
        text_u64(w->out, s->u);
        text_putc(w->out, 'u');
        break;
    case DTYPE_FLOAT:
        put_f64(w, s->f);
        break;
    case DTYPE_COMPLEX:
        text_putc(w->out, '(');
        put_f64(w, s->f);
        text_puts(w->out, ", ");
        put_f64(w, s->im);
        text_putc(w->out, ')');
        break;
    }
}

static void put_dict_item(text_writer *w, const dict_entry *e, uint32_t i)
{
    if (e->kind == ATTR_INT) {
        text_i64(w->out, ((const int64_t *)e->values)[i]);
    } else if (e->kind == ATTR_FLOAT) {
        put_f64(w, ((const double *)e->values)[i]);
    } else if (e->kind == ATTR_BOOL) {
        text_puts(w->out, ((const bool *)e->values)[i] ? "true" : "false");
    } else {
        const char *s = ((const char *const *)e->values)[i];
        text_json_string(w->out, s, strlen(s));
    }
}

static void put_dict(text_writer *w, const attr *a)
{
    for (uint32_t i = 0; i < a->n; i++) {
        const dict_entry *e = &a->v.dict[i];
        text_puts(w->out, i ? ", " : "");
        if (text_is_name(e->key))
            text_puts(w->out, e->key);
        else
            text_json_string(w->out, e->key, strlen(e->key));
        text_puts(w->out, " = ");
        if (e->is_array && e->n == 0)
            text_puts(w->out, e->kind == ATTR_INT     ? "i64"
                              : e->kind == ATTR_FLOAT ? "f64"
                              : e->kind == ATTR_BOOL  ? "bool"
                                                      : "string");
        text_puts(w->out, e->is_array ? "[" : "");
        for (uint32_t k = 0; k < e->n; k++) {
            text_puts(w->out, k ? ", " : "");
            put_dict_item(w, e, k);
        }
        text_puts(w->out, e->is_array ? "]" : "");
    }
}

static void put_list(text_writer *w, ptir_kind kind, const attr *a)
{
    for (uint32_t i = 0; i < a->n; i++) {
        text_puts(w->out, i ? ", " : "");
        if (kind == PTIR_PAIRS && i % 2 == 0)
            text_putc(w->out, '(');
        if (kind == PTIR_NEW_SHAPE && a->v.ints[i] == -1)
            text_puts(w->out, "infer");
        else if (kind == PTIR_SHAPE || kind == PTIR_NEW_SHAPE)
            text_write_dim(w, a->v.ints[i]);
        else
            text_i64(w->out, a->v.ints[i]);
        if (kind == PTIR_PAIRS && i % 2)
            text_putc(w->out, ')');
    }
}

void text_write_field(text_writer *w, const ptir_field *field, const attr *a)
{
    size_t n;
    const char *word;
    text_putc(w->out, ' ');
    text_puts(w->out, field->name);
    text_putc(w->out, '[');
    switch (field->kind) {
    case PTIR_UINTS:
    case PTIR_AXES:
    case PTIR_SHAPE:
    case PTIR_NEW_SHAPE:
    case PTIR_PAIRS:
        put_list(w, field->kind, a);
        break;
    case PTIR_UINT:
    case PTIR_AXIS:
    case PTIR_INT_AXIS:
    case PTIR_REGION:
        text_i64(w->out, a->v.i);
        break;
    case PTIR_BOOL:
        text_puts(w->out, a->v.i ? "true" : "false");
        break;
    case PTIR_FLOAT:
        put_f64(w, a->v.f);
        break;
    case PTIR_WORD:
        word = ptir_word(field->words, (uint32_t)a->v.i, &n);
        text_write_words(w, word, n);
        break;
    case PTIR_DTYPE:
        put_dtype(w, (tn_dtype)a->v.i);
        break;
    case PTIR_SCALAR:
        put_scalar(w, a->v.scalar);
        break;
    case PTIR_STRING:
        text_json_string(w->out, a->v.s, strlen(a->v.s));
        break;
    case PTIR_DICT:
        put_dict(w, a);
        break;
    }
    text_putc(w->out, ']');
}
