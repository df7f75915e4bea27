/* Tensors as text: their elements in nested rows. */
#include "api/api.h"
#include "base/memory/checked.h"

/* Of a long axis in a tensor that is not shown whole: elements at either end. */
enum { SHOWN_ENDS = 3 };

static float_format format_of(tn_dtype d)
{
    if (d == TN_FP8_E4M3)
        return format_fp8_e4m3;
    if (d == TN_FP8_E5M2)
        return format_fp8_e5m2;
    if (d == TN_BF16)
        return format_bf16;
    if (d == TN_F16)
        return format_f16;
    return dtype_bytes(d) == 4 ? format_f32 : format_f64;
}

static void show_float(text_buffer *text, tn_dtype d, const char *at)
{
    uint64_t bits = 0;
    switch (dtype_bytes(d)) {
    case 1:
        bits = *(const uint8_t *)at;
        break;
    case 2: {
        uint16_t two;
        memcpy(&two, at, sizeof two);
        bits = two;
        break;
    }
    case 4: {
        uint32_t four;
        memcpy(&four, at, sizeof four);
        bits = four;
        break;
    }
    default:
        memcpy(&bits, at, sizeof bits);
        break;
    }
    text_float(text, format_of(d), bits);
}

static void show_element(text_buffer *text, tn_dtype d, const char *at)
{
    scalar v;
    switch (dtype_table[d].kind) {
    case DTYPE_FLOAT:
        show_float(text, d, at);
        return;
    case DTYPE_COMPLEX:
        text_putc(text, '(');
        show_float(text, dtype_table[d].part, at);
        text_puts(text, ", ");
        show_float(text, dtype_table[d].part, at + dtype_bytes(d) / 2);
        text_putc(text, ')');
        return;
    case DTYPE_BOOL:
        v = scalar_load(d, at);
        text_puts(text, v.u ? "true" : "false");
        return;
    case DTYPE_SIGNED:
        v = scalar_load(d, at);
        text_i64(text, v.i);
        return;
    case DTYPE_UNSIGNED:
        v = scalar_load(d, at);
        text_u64(text, v.u);
        return;
    }
}

/* The constants of the recursion over axes, whose depth TN_MAX_RANK bounds. */
typedef struct viewer {
    text_buffer *text;
    const tn_type *type;
    size_t step[TN_MAX_RANK]; /* bytes from one position of the axis to the next */
    bool whole;
} viewer;

static void show_axis(const viewer *v, uint32_t axis, const char *at)
{
    if (axis == v->type->rank) {
        show_element(v->text, v->type->dtype, at);
        return;
    }
    int64_t extent = v->type->dims[axis];
    text_putc(v->text, '[');
    for (int64_t i = 0; i < extent; i++) {
        bool last_axis = axis + 1 == v->type->rank;
        if (i) {
            text_puts(v->text, last_axis ? ", " : ",\n");
            if (!last_axis)
                text_fill(v->text, ' ', axis + 1);
        }
        if (!v->whole && i == SHOWN_ENDS && extent > 2 * SHOWN_ENDS) {
            text_puts(v->text, "...");
            i = extent - SHOWN_ENDS - 1;
            continue;
        }
        show_axis(v, axis + 1, at + (size_t)i * v->step[axis]);
    }
    text_putc(v->text, ']');
}

static void show_elements(text_buffer *text, const tn_buffer *b, bool whole)
{
    const tn_type *t = &b->type;
    viewer v = {.text = text, .type = t, .whole = whole};
    size_t step = dtype_bytes(t->dtype);
    bool is_empty = false;
    for (uint32_t i = t->rank; i-- > 0;) {
        v.step[i] = step;
        step *= (size_t)t->dims[i];
        is_empty = is_empty || t->dims[i] == 0;
    }
    /* An axis without elements can stand behind one with very many. */
    if (is_empty && t->rank > 1)
        text_puts(text, "[]");
    else
        show_axis(&v, 0, b->data);
}

tn_status tn_buffer_write(const tn_context *cx, const tn_buffer *b, size_t most,
                          const tn_writer *writer)
{
    int64_t n;
    if (!public_type_is_valid(&b->type, false) || !product_i64(b->type.dims, b->type.rank, &n) ||
        (uint64_t)n > b->bytes / dtype_bytes(b->type.dtype) || (n > 0 && !b->data))
        return TN_ERR_USAGE;
    text_buffer text;
    text_init(&text, &cx->allocator);
    show_elements(&text, b, (uint64_t)n <= most);
    tn_status s = TN_OK;
    if (text.failed)
        s = TN_ERR_NOMEM;
    else if (!writer->write(writer->user, text.at, text.n))
        s = TN_ERR_IO;
    text_release(&text);
    return s;
}
