/* Graph to Core IR text, in the styles of the dialect. */
#include <inttypes.h>

#include "dialect/mind/mind.h"
#include "dialect/mind/spelling.h"

typedef enum style { S_CANONICAL, S_POSITIONAL, S_TOOL, S_RECORDS, S_STRICT } style;

enum { N_CACHED = 64 };

/* Where a text was written before. */
typedef struct written {
    const void *what;
    size_t at;
    uint32_t length;
    uint16_t op;
} written;

typedef struct writer {
    const module *m;
    const function *f;
    text_buffer *out;
    style style;
    bool is_full; /* splats are written out */
    tn_status status;
    uint32_t n_errors;
    uint32_t *ids; /* of values, by value; NULL: the same */
    const spelling *rows[OP_COUNT];
    const spelling *constants[TN_DTYPE_COUNT]; /* the scalar forms */
    const spelling *constant, *binary;
    written types[N_CACHED];
    written attrs[N_CACHED];
} writer;

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

static void fault(writer *w, tn_status s)
{
    w->status = s;
    w->n_errors++;
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

static void put_id(const writer *w, value_id v)
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
    return &cache[hash_mix(op, (uint64_t)(uintptr_t)what) % N_CACHED];
}

static void remember(const writer *w, written *place, const void *what, uint16_t op, size_t begin)
{
    size_t n = w->out->n - begin;
    if (w->out->n > begin && n < UINT32_MAX && w->status == TN_OK)
        *place = (written){what, begin, (uint32_t)n, op};
}

/* ---- types --------------------------------------------------------------------------------- */

static void put_shape(writer *w, const node *n, const type *t)
{
    text_buffer *out = w->out;
    text_putc(out, '[');
    for (uint32_t i = 0; i < t->rank; i++) {
        if (i)
            text_put(out, ", ", 2);
        dim d = t->dims[i];
        if (!dim_is_symbolic(d)) {
            put_int(out, d);
        } else if (dim_expr_of(&w->m->types, d)->op == DIM_SYM) {
            text_puts(out, dim_expr_of(&w->m->types, d)->name);
        } else {
            fault(w, node_report(w->f, n, DIAG_InvalidDimension,
                                 "Core IR has no notation for computed symbolic sizes"));
        }
    }
    text_putc(out, ']');
}

static void put_new_type(writer *w, const node *n, const type *t)
{
    const char *dtype = mind_dtype_name(t->dtype);
    if (!dtype)
        fault(w, node_report(w->f, n, DIAG_UnknownDType, "Core IR has no element type '%s'",
                             dtype_name(t->dtype)));
    text_puts(w->out, w->style == S_POSITIONAL ? "Tensor<" : "tensor<");
    text_puts(w->out, dtype ? dtype : "?");
    if (w->style == S_POSITIONAL)
        text_put(w->out, ", ", 2);
    else if (w->style != S_TOOL)
        text_putc(w->out, '>');
    put_shape(w, n, t);
    if (w->style == S_POSITIONAL || w->style == S_TOOL)
        text_putc(w->out, '>');
}

static void put_type(writer *w, const node *n, const type *t)
{
    written *known = cached(w->types, t, 0);
    size_t begin = w->out->n;
    if (known->what == t) {
        repeat(w->out, known->at, known->length);
        return;
    }
    put_new_type(w, n, t);
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

static bool is_fill(const writer *w, const node *n)
{
    const literal *l = n->op == OP_CONSTANT ? value_of(n) : NULL;
    return l && l->splat && l->type->count != 1 && !w->is_full;
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

static void put_ranges(const writer *w, const node *n)
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

static void put_slot(const writer *w, const node *n, const slot_spec *slot)
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

static void put_pair(const writer *w, const node *n, const slot_spec *slot, bool is_first)
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

static void put_braces(writer *w, const node *n, const spelling *s)
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

/* Can every attribute of N be written with S? The others would be lost. */
static void check_attributes(writer *w, const node *n, const spelling *s)
{
    for (uint32_t i = 0; i < n->attrs->n; i++) {
        const attr *a = &n->attrs->at[i];
        bool is_known = false;
        for (uint32_t k = 0; k < s->n_slots; k++)
            is_known = is_known || s->slots[k].key == (attr_key)a->key;
        if (is_known || (n->op == OP_INPUT && a->key == KEY_TYPE) ||
            (n->op == OP_CONSTANT && a->key == KEY_VALUE) ||
            (a->key == KEY_PADS && attr_find(n->attrs, KEY_PADDING)) || a->key == KEY_ON_ZERO)
            continue;
        fault(w, node_report(w->f, n, DIAG_UnknownOp, "Core IR has no '%s' with the attribute '%s'",
                             op_table[n->op].text, attr_keys[a->key].name));
    }
    const attr *axes = attr_find(n->attrs, KEY_AXES);
    if ((n->op == OP_SUM || n->op == OP_MEAN) && axes && axes->n == 0 &&
        value_type(w->f, n->in[0])->rank > 0)
        fault(w, node_report(w->f, n, DIAG_UnknownOp,
                             "Core IR has no '%s' over no axes: 'axes=[]' means all of them",
                             op_table[n->op].text));
    if (n->op == OP_DIV && dtype_is_int(value_type(w->f, n->first_value)->dtype) &&
        attr_int(n->attrs, KEY_ON_ZERO, ON_ZERO_ERROR) != ON_ZERO_ZERO)
        fault(w, node_report(w->f, n, DIAG_UnknownOp,
                             "Core IR has no integer 'div' that fails on division by zero"));
}

/* ---- instructions -------------------------------------------------------------------------- */

static const spelling *spelling_for(writer *w, const node *n)
{
    if (n->op == OP_CONSTANT) {
        const type *t = value_type(w->f, n->first_value);
        const spelling *s = w->constants[t->dtype];
        return s && t->rank == 0 && n->spelling == SPELT_DEFAULT ? s : w->constant;
    }
    const spelling *s = w->rows[n->op];
    if (!s)
        fault(w, node_report(w->f, n, DIAG_UnknownOp, "Core IR has no instruction for '%s'",
                             op_table[n->op].text));
    else if (n->attrs->n || n->op == OP_DIV)
        check_attributes(w, n, s);
    return s;
}

static void put_operands(const writer *w, const node *n)
{
    for (uint32_t k = 0; k < n->n_in; k++) {
        if (k)
            text_put(w->out, ", ", 2);
        put_id(w, n->in[k]);
    }
}

/* `Sum(%0, [1], true)`, with the operator before the operands. */
static void put_arguments(const writer *w, const node *n, const spelling *s)
{
    bool is_first = n->n_in == 0;
    if (s->n_slots && s->slots[0].kind == SLOT_OPERATOR) {
        text_puts(w->out, operator_name((op_id)n->op));
        text_put(w->out, ", ", 2);
    }
    put_operands(w, n);
    for (uint32_t position = 0, i;
         (i = spelling_position(s, position)) < s->n_slots && s->slots[i].kind != SLOT_OPERATOR;
         position++) {
        const slot_spec *slot = &s->slots[i];
        if (!is_first)
            text_put(w->out, ", ", 2);
        is_first = false;
        if (slot->kind == SLOT_RANGES) {
            put_ranges(w, n);
            break; /* the ends and steps are in it */
        }
        put_slot(w, n, slot);
    }
}

static bool has_braces_only(const writer *w, const node *n)
{
    return n->op == OP_INPUT || is_fill(w, n);
}

static void put_positional(writer *w, const node *n, const spelling *s)
{
    text_putc(w->out, '(');
    if (!has_braces_only(w, n)) {
        put_arguments(w, n, s);
        text_putc(w->out, ')');
        return;
    }
    text_puts(w->out, ") {");
    bool is_first = true;
    for (uint32_t i = 0; i < s->n_slots; i++)
        if (s->slots[i].kind == SLOT_STRING || s->slots[i].kind == SLOT_FILL) {
            put_pair(w, n, &s->slots[i], is_first);
            is_first = false;
        }
    text_putc(w->out, '}');
}

static void put_record(writer *w, const node *n, const spelling *s, bool is_first)
{
    text_buffer *out = w->out;
    text_puts(out, is_first ? "\n  {\"value_id\": " : ",\n  {\"value_id\": ");
    put_id(w, n->first_value);
    text_puts(out, ", \"opcode\": \"");
    text_puts(out, s->text);
    text_puts(out, "\", \"operands\": [");
    put_operands(w, n);
    text_puts(out, "], \"attributes\":");
    if (s->n_slots)
        put_braces(w, n, s);
    else
        text_puts(out, " {}");
    text_puts(out, ", \"result_type\": \"");
    put_type(w, n, value_type(w->f, n->first_value));
    text_puts(out, "\"}");
}

static void put_instr(writer *w, const node *n, bool is_first)
{
    text_buffer *out = w->out;
    const spelling *s = spelling_for(w, n);
    if (!s)
        return;
    if (w->style == S_RECORDS) {
        put_record(w, n, s, is_first);
        return;
    }
    const char *opcode = s->text;
    bool is_operator = s == w->binary;
    put_id(w, n->first_value);
    text_put(out, " = ", 3);
    if (is_operator && w->style == S_TOOL)
        opcode = operator_name((op_id)n->op);
    text_puts(out, opcode);
    if (w->style == S_POSITIONAL) {
        put_positional(w, n, s);
    } else {
        if (n->n_in || w->style != S_TOOL) {
            text_put(out, " (", 2);
            put_operands(w, n);
            text_putc(out, ')');
        }
        if (!(is_operator && w->style == S_TOOL))
            put_braces(w, n, s);
    }
    text_put(out, " : ", 3);
    put_type(w, n, value_type(w->f, n->first_value));
    text_putc(out, '\n');
}

/* ---- the module ---------------------------------------------------------------------------- */

/* Inputs first: the ids that values get by that. False when there is no memory. */
static bool number_values(writer *w)
{
    const function *f = w->f;
    uint32_t n_inputs = f->inputs.n, next_input = 0, next = n_inputs;
    bool is_ordered = true;
    for (uint32_t i = 0; i < n_inputs; i++)
        is_ordered = is_ordered && f->inputs.at[i] == i;
    if (is_ordered)
        return true;
    w->ids = memory_alloc(w->m->allocator, f->values.n * sizeof *w->ids);
    for (uint32_t i = 0; w->ids && i < f->nodes.n; i++) {
        const node *n = &f->nodes.at[i];
        for (uint32_t r = 0; r < n->n_results; r++)
            w->ids[n->first_value + r] = n->op == OP_INPUT ? next_input++ : next++;
    }
    return w->ids != NULL;
}

static void put_nodes(writer *w)
{
    const function *f = w->f;
    uint32_t limit = w->m->cx->limits.errors;
    for (uint32_t i = 0; i < f->inputs.n; i++)
        put_instr(w, node_of(f, f->inputs.at[i]), i == 0);
    bool is_first = f->inputs.n == 0;
    for (uint32_t i = 0; i < f->nodes.n && w->n_errors < limit && !w->out->failed; i++)
        if (f->nodes.at[i].op != OP_INPUT) {
            put_instr(w, &f->nodes.at[i], is_first);
            is_first = false;
        }
}

static void put_values(const writer *w, const value_id *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            text_put(w->out, ", ", 2);
        put_id(w, v[i]);
    }
}

static void put_interface(writer *w)
{
    const value_id *pairs = w->m->gradients.at;
    uint32_t n_pairs = w->m->gradients.n / 2;
    bool is_json = w->style == S_RECORDS;

    text_puts(w->out, is_json ? "\n], \"outputs\": [" : "outputs: ");
    put_values(w, w->f->outputs.at, w->f->outputs.n);
    text_puts(w->out, is_json ? "]" : "\n");
    if (n_pairs)
        text_puts(w->out, is_json ? ", \"gradients\": [" : "gradients: ");
    for (uint32_t i = 0; i < n_pairs; i++) {
        text_puts(w->out, i ? ", " : "");
        text_puts(w->out, is_json ? "[" : "");
        put_id(w, pairs[2 * i]);
        text_puts(w->out, is_json ? ", " : " -> ");
        put_id(w, pairs[2 * i + 1]);
        text_puts(w->out, is_json ? "]" : "");
    }
    if (n_pairs)
        text_puts(w->out, is_json ? "]" : "\n");
    if (is_json)
        text_puts(w->out, "}\n");
}

static void find_rows(writer *w)
{
    for (uint32_t i = 0; i < n_spellings; i++) {
        const spelling *s = &spellings[i];
        if (s->op == OP_COUNT)
            w->binary = s;
        else if (s->op == OP_CONSTANT && s->dtype != TN_DTYPE_COUNT)
            w->constants[s->dtype] = s;
        else if (s->op == OP_CONSTANT)
            w->constant = s;
        else if (!s->is_synonym)
            w->rows[s->op] = s;
    }
    w->rows[OP_ADD] = w->rows[OP_SUB] = w->rows[OP_MUL] = w->rows[OP_DIV] = w->binary;
}

static bool choose_style(writer *w, const char *name)
{
    static const char *const names[] = {"canonical", "positional", "tool", "records", "strict"};
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!name || strcmp(name, names[i]) == 0) {
            w->style = (style)i;
            w->is_full = i == S_STRICT;
            return true;
        }
    return false;
}

tn_status mind_write(const module *m, const write_options *options, text_buffer *out)
{
    writer w = {.m = m, .f = module_entry(m), .out = out};
    if (!choose_style(&w, options ? options->style : NULL))
        return diag_report(&m->cx->diag, DIAG_Usage, NULL, NO_SPAN, "mind has no style '%s'",
                           options->style);
    if (w.f->outputs.n == 0)
        return diag_report(&m->cx->diag, DIAG_MissingOutputs, &m->source, NO_SPAN,
                           "Core IR has no notation for a module without outputs");
    find_rows(&w);
    if (!number_values(&w))
        return module_no_memory(m);
    if (w.style == S_RECORDS)
        text_puts(out, "{\"operations\": [");
    put_nodes(&w);
    put_interface(&w);
    memory_free(m->allocator, w.ids, w.f->values.n * sizeof *w.ids);
    if (w.status == TN_OK && out->failed)
        return module_no_memory(m);
    return w.status;
}
