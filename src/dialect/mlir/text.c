/* Types, constants and formatted lines of MLIR text. */
#include "dialect/mlir/text.h"

#include <stdio.h>

/* ---- types ---- */

tensor type_made(tn_dtype dtype, const int64_t *dims, uint32_t rank)
{
    tensor t = {.dtype = dtype, .rank = rank};
    for (uint32_t i = 0; i < rank && i < TN_MAX_RANK; i++)
        t.dims[i] = dims[i];
    return t;
}

tensor type_of_value(const mlir_text *w, value_id v)
{
    const type *t = value_type(w->f, v);
    return type_made(t->dtype, t->dims, t->rank);
}

tensor type_like(const tensor *t, tn_dtype dtype)
{
    return type_made(dtype, t->dims, t->rank);
}

tensor type_of_scalar(tn_dtype dtype)
{
    return type_made(dtype, NULL, 0);
}

bool types_equal(const tensor *a, const tensor *b)
{
    return a->dtype == b->dtype && a->rank == b->rank &&
           memcmp(a->dims, b->dims, a->rank * sizeof a->dims[0]) == 0;
}

const char *element_text(const mlir_text *w, tn_dtype d)
{
    static const char *const names[TN_DTYPE_COUNT] = {
        [TN_I1] = "i1",
        [TN_SI4] = "i4",
        [TN_SI8] = "i8",
        [TN_SI16] = "i16",
        [TN_SI32] = "i32",
        [TN_SI64] = "i64",
        [TN_UI4] = "ui4",
        [TN_UI8] = "ui8",
        [TN_UI16] = "ui16",
        [TN_UI32] = "ui32",
        [TN_UI64] = "ui64",
        [TN_FP8_E4M3] = "f8E4M3FN",
        [TN_BF16] = "bf16",
        [TN_FP8_E5M2] = "f8E5M2",
        [TN_F16] = "f16",
        [TN_F32] = "f32",
        [TN_F64] = "f64",
        [TN_CF32] = "complex<f32>",
        [TN_CF64] = "complex<f64>",
    };
    return names[d] + (w->is_signless && names[d][0] == 'u' ? 1 : 0);
}

static void put_tensor_type(mlir_text *w, const tensor *t)
{
    text_puts(w->out, "tensor<");
    for (uint32_t i = 0; i < t->rank; i++) {
        if (dim_is_symbolic(t->dims[i]))
            text_putc(w->out, '?');
        else
            text_i64(w->out, t->dims[i]);
        text_putc(w->out, 'x');
    }
    text_puts(w->out, element_text(w, t->dtype));
    text_putc(w->out, '>');
}

/* ---- formats ---- */

static void put_list(mlir_text *w, const int64_t *list, uint32_t n)
{
    text_putc(w->out, '[');
    for (uint32_t i = 0; i < n; i++) {
        text_puts(w->out, i ? ", " : "");
        text_i64(w->out, list[i]);
    }
    text_putc(w->out, ']');
}

static void put_array(mlir_text *w, const int64_t *list, uint32_t n)
{
    text_puts(w->out, "array<i64");
    for (uint32_t i = 0; i < n; i++) {
        text_puts(w->out, i ? ", " : ": ");
        text_i64(w->out, list[i]);
    }
    text_putc(w->out, '>');
}

static void put_name(mlir_text *w, value_name name)
{
    text_putc(w->out, '%');
    text_puts(w->out, name.prefix ? name.prefix : "");
    if (name.scope)
        text_printf(w->out, "r%ux", name.scope);
    if (name.number != NO_NUMBER)
        text_u64(w->out, name.number);
}

void put_all(mlir_text *w, const char *format, va_list args)
{
    for (const char *p = format; *p; p++) {
        if (*p != '%') {
            text_putc(w->out, *p);
            continue;
        }
        switch (*++p) {
        case 'v': {
            value_name name = w->names[va_arg(args, value_id)];
            put_name(w, name);
            break;
        }
        case 'w':
            put_name(w, *va_arg(args, const value_name *));
            break;
        case 'n': {
            const char *prefix = va_arg(args, const char *);
            put_name(w, (value_name){w->scope, va_arg(args, value_id), prefix});
            break;
        }
        case 'i': {
            const int64_t *list = va_arg(args, const int64_t *);
            put_array(w, list, va_arg(args, uint32_t));
            break;
        }
        case 't':
            put_tensor_type(w, va_arg(args, const tensor *));
            break;
        case 'e':
            text_puts(w->out, element_text(w, (tn_dtype)va_arg(args, int)));
            break;
        case 'l': {
            const int64_t *list = va_arg(args, const int64_t *);
            put_list(w, list, va_arg(args, uint32_t));
            break;
        }
        case 'd':
            text_i64(w->out, va_arg(args, int64_t));
            break;
        case 'u':
            text_u64(w->out, va_arg(args, uint32_t));
            break;
        case 's':
            text_puts(w->out, va_arg(args, const char *));
            break;
        default:
            text_putc(w->out, '%');
            break;
        }
    }
}

void put(mlir_text *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_all(w, format, args);
    va_end(args);
}

void line(mlir_text *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put_all(w, format, args);
    text_putc(w->out, '\n');
    va_end(args);
}

void put_string(mlir_text *w, const char *text)
{
    static const char digits[] = "0123456789ABCDEF";
    text_putc(w->out, '"');
    for (const char *p = text; *p; p++) {
        const unsigned char c = (unsigned char)*p;
        if (c >= ' ' && c != '"' && c != '\\' && c != 127) {
            text_putc(w->out, *p);
            continue;
        }
        text_putc(w->out, '\\');
        text_putc(w->out, digits[c >> 4]);
        text_putc(w->out, digits[c & 15]);
    }
    text_putc(w->out, '"');
}

/* ---- constants ---- */

/* The bits of a float or of a part of a complex number. */
static void put_float(mlir_text *w, tn_dtype d, const void *at)
{
    static const float_format *const formats[TN_DTYPE_COUNT] = {
        [TN_FP8_E4M3] = &format_fp8_e4m3, [TN_FP8_E5M2] = &format_fp8_e5m2,
        [TN_BF16] = &format_bf16,         [TN_F16] = &format_f16,
        [TN_F32] = &format_f32,           [TN_F64] = &format_f64,
    };
    uint64_t bits = 0;
    memcpy(&bits, at, dtype_bytes(d)); /* little-endian, as everywhere in this library */
    char text[DECIMAL_MAX];
    size_t n = decimal_print(*formats[d], bits, text);
    if (text[n - 1] == 'f' || text[n - 1] == 'n') { /* inf, nan */
        static const char digits[] = "0123456789ABCDEF";
        text_puts(w->out, "0x");
        for (uint32_t shift = 8 * (uint32_t)dtype_bytes(d); shift; shift -= 4)
            text_putc(w->out, digits[bits >> (shift - 4) & 15]);
        return;
    }
    size_t mantissa = strcspn(text, "e");
    text_put(w->out, text, mantissa);
    if (!memchr(text, '.', mantissa))
        text_puts(w->out, ".0");
    text_put(w->out, text + mantissa, n - mantissa);
}

static void put_element(mlir_text *w, tn_dtype d, const void *at)
{
    scalar s = scalar_load(d, at);
    switch (dtype_table[d].kind) {
    case DTYPE_BOOL:
        text_puts(w->out, s.u ? "true" : "false");
        break;
    case DTYPE_SIGNED:
        text_i64(w->out, s.i);
        break;
    case DTYPE_UNSIGNED:
        if (w->is_signless && d == TN_UI64)
            text_i64(w->out, (int64_t)s.u);
        else
            text_u64(w->out, s.u);
        break;
    case DTYPE_FLOAT:
        put_float(w, d, at);
        break;
    case DTYPE_COMPLEX: {
        tn_dtype part = dtype_table[d].part;
        text_putc(w->out, '(');
        put_float(w, part, at);
        text_puts(w->out, ", ");
        put_float(w, part, (const char *)at + dtype_bytes(part));
        text_putc(w->out, ')');
        break;
    }
    }
}

void put_number(mlir_text *w, tn_dtype d, scalar value)
{
    unsigned char bytes[16] = {0};
    if (scalar_store(value, d, bytes))
        put_element(w, d, bytes);
}

static void put_rows(mlir_text *w, const tensor *t, const char *data)
{
    size_t bytes = dtype_bytes(t->dtype);
    int64_t count = 1, row[TN_MAX_RANK + 1];
    row[t->rank] = 1;
    for (uint32_t i = t->rank; i-- > 0;)
        row[i] = row[i + 1] * t->dims[i];
    count = row[0];
    for (int64_t k = 0; k < count && !w->out->failed; k++) {
        text_puts(w->out, k ? ", " : "");
        for (uint32_t i = 0; i < t->rank; i++)
            if (k % row[i] == 0)
                text_putc(w->out, '[');
        put_element(w, t->dtype, data + (size_t)k * bytes);
        for (uint32_t i = 0; i < t->rank; i++)
            if ((k + 1) % row[i] == 0)
                text_putc(w->out, ']');
    }
}

void put_dense_data(mlir_text *w, const tensor *t, const void *data)
{
    bool is_empty = false;
    for (uint32_t i = 0; i < t->rank; i++)
        is_empty = is_empty || t->dims[i] == 0;
    text_puts(w->out, "dense<");
    if (!is_empty)
        put_rows(w, t, data);
    text_putc(w->out, '>');
}

void put_dense(mlir_text *w, const literal *l)
{
    tensor t = type_made(l->type->dtype, l->type->dims, l->type->rank);
    if (l->type->count < 2 || !literal_is_uniform(l)) {
        put_dense_data(w, &t, l->data);
        return;
    }
    text_puts(w->out, "dense<");
    put_element(w, t.dtype, l->data);
    text_putc(w->out, '>');
}

/* ---- faults and names ---- */

bool object(char why[OBJECTION_SIZE], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(why, OBJECTION_SIZE, format, args);
    va_end(args);
    return false;
}

/* Extents that are known, where TO has no others, and a number of elements that can be counted. */
static bool is_countable(const dialect *to, const type *t, char why[OBJECTION_SIZE])
{
    if (!type_is_static(t))
        return to->can->symbols || object(why, "every extent must be a number");
    return t->count != TYPE_COUNT_HUGE || object(why, "a tensor has too many elements to count");
}

static bool fits(const dialect *to, const function *f, const node *n, char why[OBJECTION_SIZE])
{
    if (!to->spelling((op_id)n->op))
        return object(why, "it has no operation for '%s'", op_table[n->op].text);
    for (uint32_t i = 0; i < n->n_in; i++)
        if (!is_countable(to, value_type(f, n->in[i]), why))
            return false;
    for (uint32_t r = 0; r < n->n_results; r++) {
        const type *t = value_type(f, n->first_value + r);
        if (!is_countable(to, t, why))
            return false;
        if (!(to->can->dtypes >> t->dtype & 1))
            return object(why, "it has no element type %s", dtype_name(t->dtype));
    }
    return to->can->takes(f, n, why);
}

bool is_writable(mlir_text *w, const dialect *to, const node *n)
{
    char why[OBJECTION_SIZE];
    if (fits(to, w->f, n, why))
        return true;
    w->n_errors++;
    w->status = node_report(w->f, n, DIAG_NotExpressible, "%s cannot express '%s': %s",
                            to->can->family, op_table[n->op].text, why);
    return false;
}

void name_as(mlir_text *w, value_id v, value_id other)
{
    w->names[v] = w->names[other];
}

tn_status text_begin(mlir_text *w, const function *f, uint32_t scope)
{
    w->f = f;
    w->scope = scope;
    w->names = memory_alloc(w->m->allocator, (f->values.n + 1) * sizeof *w->names);
    if (!w->names)
        return module_no_memory(w->m);
    for (uint32_t i = 0; i < f->values.n; i++)
        w->names[i] = (value_name){.scope = scope, .number = i};
    return TN_OK;
}

void text_end(mlir_text *w)
{
    memory_free(w->m->allocator, w->names, (w->f->values.n + 1) * sizeof *w->names);
    w->names = NULL;
}
