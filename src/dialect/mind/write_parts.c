/* Writing the parts of an instruction: ids, types, attributes, constants. */
#include <inttypes.h>

#include "dialect/mind/writer.h"
#include "graph/literal.h"

/* What stands around values in a style. */
typedef struct style_marks {
    const char *equals, *open_list, *close_list, *yes, *no;
    char word; /* around words; 0: nothing */
} style_marks;

static const style_marks marks[] = {
    [S_CANONICAL] = {"=", "[", "]", "true", "false", 0},
    [S_POSITIONAL] = {": ", "[", "]", "true", "false", 0},
    [S_TOOL] = {"=", "(", ")", "True", "False", 0},
    [S_RECORDS] = {": ", "[", "]", "true", "false", '"'},
    [S_STRICT] = {"=", "[", "]", "true", "false", 0},
};

static const style_marks *marks_of(const writer *w)
{
    return &marks[w->style];
}

/* ---- small pieces -------------------------------------------------------------------------- */

/* Ids and extents are mostly short. */
static void put_number(text_buffer *out, uint64_t v)
{
    char digits[8];
    uint32_t n = (uint32_t)v, length = 0;
    if (v >= 100000000 || !text_reserve(out, sizeof digits)) {
        text_u64(out, v);
        return;
    }
    do {
        digits[7 - length++] = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    char *to = out->at + out->n;
    for (uint32_t i = 0; i < length; i++)
        to[i] = digits[8 - length + i];
    out->n += length;
}

static void put_int(text_buffer *out, int64_t v)
{
    if (v >= 0)
        put_number(out, (uint64_t)v);
    else
        text_i64(out, v);
}

void put_id(const writer *w, value_id v)
{
    if (w->style != S_RECORDS)
        text_putc(w->out, '%');
    put_number(w->out, w->ids ? w->ids[v] : v);
}

static void put_word(const writer *w, const char *word)
{
    if (marks_of(w)->word)
        text_putc(w->out, marks_of(w)->word);
    text_puts(w->out, word);
    if (marks_of(w)->word)
        text_putc(w->out, marks_of(w)->word);
}

static void put_ints(const writer *w, const int64_t *v, uint32_t n)
{
    text_puts(w->out, marks_of(w)->open_list);
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            text_put(w->out, ", ", 2);
        put_int(w->out, v[i]);
    }
    if (n == 1 && w->style == S_TOOL)
        text_putc(w->out, ',');
    text_puts(w->out, marks_of(w)->close_list);
}

static void put_string(const writer *w, const char *s)
{
    static const char special[] = "\n\r\t\\\"", names[] = "nrt\\\"";
    text_buffer *out = w->out;
    if (w->style == S_RECORDS) {
        text_json_string(out, s, strlen(s));
        return;
    }
    text_putc(out, '"');
    while (*s) {
        size_t plain = strcspn(s, special);
        text_put(out, s, plain);
        s += plain;
        if (*s) {
            text_putc(out, '\\');
            text_putc(out, names[strchr(special, *s) - special]);
            s++;
        }
    }
    text_putc(out, '"');
}

/* The tools print names bare; what would not read back as one word is quoted. */
static bool is_plain_name(const char *s)
{
    bool is_plain = *s && !(*s >= '0' && *s <= '9');
    for (; *s && is_plain; s++)
        is_plain = (*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'z') ||
                   (*s >= 'A' && *s <= 'Z') || *s == '_';
    return is_plain;
}

/* Write again what was written at AT. */
static void repeat(text_buffer *out, size_t at, uint32_t length)
{
    if (!text_reserve(out, length))
        return;
    memcpy(out->at + out->n, out->at + at, length);
    out->n += length;
}

static written *cached(written *cache, const void *what, uint16_t op)
{
    return &cache[hash_mix(op, (uint64_t)(uintptr_t)what) % N_WRITTEN];
}

static void remember(const writer *w, written *place, const void *what, uint16_t op, size_t begin)
{
    size_t n = w->out->n - begin;
    if (w->out->n > begin && n < UINT32_MAX)
        *place = (written){what, begin, (uint32_t)n, op};
}

/* ---- types --------------------------------------------------------------------------------- */

static void put_extent(writer *w, dim d)
{
    if (dim_is_symbolic(d))
        text_puts(w->out, dim_expr_of(&w->m->types, d)->name);
    else
        put_int(w->out, d);
}

static void put_shape(writer *w, const type *t)
{
    text_buffer *out = w->out;
    text_putc(out, '[');
    for (uint32_t i = 0; i < t->rank; i++) {
        if (i)
            text_put(out, ", ", 2);
        put_extent(w, t->dims[i]);
    }
    text_putc(out, ']');
}

static void put_new_type(writer *w, const type *t)
{
    text_puts(w->out, w->style == S_POSITIONAL ? "Tensor<" : "tensor<");
    text_puts(w->out, mind_dtype_name(t->dtype));
    if (w->style == S_POSITIONAL)
        text_put(w->out, ", ", 2);
    else if (w->style != S_TOOL)
        text_putc(w->out, '>');
    put_shape(w, t);
    if (w->style == S_POSITIONAL || w->style == S_TOOL)
        text_putc(w->out, '>');
}

void put_type(writer *w, const type *t)
{
    written *known = cached(w->types, t, 0);
    size_t begin = w->out->n;
    if (known->what == t) {
        repeat(w->out, known->at, known->length);
        return;
    }
    put_new_type(w, t);
    remember(w, known, t, 0, begin);
}

/* ---- constants ----------------------------------------------------------------------------- */

static void put_element(const writer *w, tn_dtype dtype, const void *at)
{
    text_buffer *out = w->out;
    size_t begin = out->n;
    if (dtype == TN_F32) {
        float v;
        memcpy(&v, at, sizeof v);
        text_f32(out, v);
    } else if (dtype == TN_F64) {
        double v;
        memcpy(&v, at, sizeof v);
        text_f64(out, v);
    } else if (dtype == TN_SI32) {
        int32_t v;
        memcpy(&v, at, sizeof v);
        put_int(out, v);
    } else {
        int64_t v = 0;
        memcpy(&v, at, dtype_bytes(dtype) < sizeof v ? dtype_bytes(dtype) : sizeof v);
        put_int(out, v);
    }
    /* JSON has no inf and nan */
    if (w->style == S_RECORDS && out->n > begin && (out->at[out->n - 1] | 32) > '9') {
        char word[8];
        size_t n = out->n - begin;
        memcpy(word, out->at + begin, n < sizeof word ? n : sizeof word);
        out->n = begin;
        text_putc(out, '"');
        text_put(out, word, n < sizeof word ? n : sizeof word);
        text_putc(out, '"');
    }
}

/* The nested lists of one axis; *INDEX counts elements. Ranks are bounded, so is the recursion. */
static void put_data(const writer *w, const literal *l, uint32_t axis, int64_t *index)
{
    if (axis == l->type->rank) {
        size_t size = dtype_bytes(l->type->dtype);
        put_element(w, l->type->dtype,
                    (const char *)l->data + (l->splat ? 0 : (size_t)*index * size));
        ++*index;
        return;
    }
    text_putc(w->out, '[');
    for (int64_t i = 0; i < l->type->dims[axis] && !w->out->failed; i++) {
        if (i)
            text_put(w->out, ", ", 2);
        put_data(w, l, axis + 1, index);
    }
    text_putc(w->out, ']');
}

static const literal *value_of(const node *n)
{
    return attr_find(n->attrs, KEY_VALUE)->v.literal;
}

/* ---- attributes ---------------------------------------------------------------------------- */

/* Up to this many elements are always written out. */
enum { FILL_ABOVE = 64 };

/* The text depends on the elements alone, not on how they are stored. */
bool is_fill(const writer *w, const node *n)
{
    const literal *l = n->op == OP_CONSTANT ? value_of(n) : NULL;
    return l && !w->is_full && l->type->count > FILL_ABOVE && literal_is_uniform(l);
}

/* Is there something to write for SLOT of this node? */
static bool has_slot(const writer *w, const node *n, const slot_spec *slot)
{
    if (slot->kind == SLOT_DATA)
        return !is_fill(w, n);
    if (slot->kind == SLOT_FILL)
        return is_fill(w, n);
    return true;
}

static void put_padding(const writer *w, const node *n)
{
    static const char *const words[] = {"Valid", "Same"};
    uint32_t count;
    int64_t mode = attr_int(n->attrs, KEY_PADDING, PADDING_VALID);
    const int64_t *pads = attr_ints(n->attrs, KEY_PADS, &count);
    if (mode != PADDING_CUSTOM) {
        put_word(w, words[mode == PADDING_SAME]);
        return;
    }
    if (w->style != S_RECORDS)
        text_puts(w->out, "Custom(");
    text_putc(w->out, '[');
    for (uint32_t i = 0; i + 1 < count; i += 2)
        text_printf(w->out, "%s[%" PRId64 ", %" PRId64 "]", i ? ", " : "", pads[i], pads[i + 1]);
    text_puts(w->out, w->style == S_RECORDS ? "]" : "])");
}

void put_ranges(const writer *w, const node *n)
{
    uint32_t n_starts, n_ends, n_steps;
    const int64_t *starts = attr_ints(n->attrs, KEY_STARTS, &n_starts);
    const int64_t *ends = attr_ints(n->attrs, KEY_ENDS, &n_ends);
    const int64_t *steps = attr_ints(n->attrs, KEY_STEPS, &n_steps);
    text_putc(w->out, '[');
    for (uint32_t i = 0; i < n_starts && i < n_ends && i < n_steps; i++) {
        if (i)
            text_put(w->out, ", ", 2);
        put_int(w->out, starts[i]);
        text_putc(w->out, ':');
        put_int(w->out, ends[i]);
        text_putc(w->out, ':');
        put_int(w->out, steps[i]);
    }
    text_putc(w->out, ']');
}

void put_slot(const writer *w, const node *n, const slot_spec *slot)
{
    uint32_t count;
    int64_t index = 0;
    switch (slot->kind) {
    case SLOT_INTS:
    case SLOT_RANGES: {
        const int64_t *v = attr_ints(n->attrs, slot->key, &count);
        put_ints(w, v, count);
        break;
    }
    case SLOT_BOOL:
        text_puts(w->out, attr_int(n->attrs, slot->key, 0) ? marks_of(w)->yes : marks_of(w)->no);
        break;
    case SLOT_STRING: {
        const char *s = attr_string(n->attrs, slot->key);
        if (w->style == S_TOOL && is_plain_name(s))
            text_puts(w->out, s);
        else
            put_string(w, s);
        break;
    }
    case SLOT_PADDING:
        put_padding(w, n);
        break;
    case SLOT_OPERATOR:
        put_word(w, operator_name((op_id)n->op));
        break;
    case SLOT_NUMBER:
    case SLOT_FILL:
        put_element(w, value_of(n)->type->dtype, value_of(n)->data);
        break;
    case SLOT_DATA:
        if (value_of(n)->splat) /* `1, ` at least: what is too long need not be begun */
            (void)text_reserve_times(w->out, (uint64_t)value_of(n)->type->count, 3);
        put_data(w, value_of(n), 0, &index);
        break;
    case SLOT_DTYPE: {
        const char *dtype = mind_dtype_name(value_of(n)->type->dtype);
        put_word(w, dtype ? dtype : "?");
        break;
    }
    case SLOT_SHAPE:
        put_ints(w, value_of(n)->type->dims, value_of(n)->type->rank);
        break;
    }
}

static const char *slot_name(const writer *w, const slot_spec *slot)
{
    return w->style == S_TOOL && slot->kind == SLOT_DATA ? "value" : slot->name;
}

void put_pair(const writer *w, const node *n, const slot_spec *slot, bool is_first)
{
    if (!is_first)
        text_put(w->out, ", ", 2);
    put_word(w, slot_name(w, slot));
    text_puts(w->out, marks_of(w)->equals);
    put_slot(w, n, slot);
}

/* `key=value` for every slot, by name. The tools' name for data is the last one. */
static uint32_t put_pairs(const writer *w, const node *n, const spelling *s)
{
    uint32_t n_pairs = 0;
    const slot_spec *last = NULL;
    for (uint32_t i = 0; i < s->n_slots; i++) {
        const slot_spec *slot = &s->slots[i];
        if (!has_slot(w, n, slot))
            continue;
        if (slot->kind == SLOT_DATA && w->style == S_TOOL)
            last = slot;
        else
            put_pair(w, n, slot, n_pairs++ == 0);
    }
    if (last)
        put_pair(w, n, last, n_pairs++ == 0);
    return n_pairs;
}

void put_braces(writer *w, const node *n, const spelling *s)
{
    written *known = cached(w->attrs, n->attrs, n->op);
    size_t begin = w->out->n;
    bool is_operator = s->n_slots && s->slots[0].kind == SLOT_OPERATOR;
    if (s->n_slots == 0)
        return;
    if (known->what == n->attrs && known->op == n->op && n->op != OP_CONSTANT) {
        repeat(w->out, known->at, known->length);
        return;
    }
    text_put(w->out, " {", 2);
    (void)put_pairs(w, n, s);
    text_putc(w->out, '}');
    if (n->op != OP_CONSTANT && (n->attrs->n || is_operator))
        remember(w, known, n->attrs, n->op, begin);
}
