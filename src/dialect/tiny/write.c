/* Graph to text: the normalised form, one node a line. */
#include "dialect/tiny/writer.h"

#include <inttypes.h>

#include "graph/literal.h"

/* ---- ids ---- */

static bool is_taken(const writer *w, const char *id)
{
    const uint64_t h = hash_bytes(0, id, strlen(id));
    for (uint32_t p = hash_first(&w->by_id, h), i; (i = hash_at(&w->by_id, h, &p)) != HASH_NONE;)
        if (strcmp(w->taken.at[i], id) == 0)
            return true;
    return false;
}

static bool take(writer *w, const char *id)
{
    const tn_allocator *a = w->m->allocator;
    if (VECTOR_PUSH_INDEXED(a, &w->taken, id, &w->by_id, hash_bytes(0, id, strlen(id))))
        return true;
    w->no_memory = true;
    return false;
}

const char *writer_fresh_id(writer *w, const char *stem, const char *word)
{
    for (uint32_t k = 1;; k++) {
        const char *id = k == 1 ? arena_printf(&w->memory, "%s%s", stem, word)
                                : arena_printf(&w->memory, "%s%s_%" PRIu32, stem, word, k);
        if (id && is_taken(w, id))
            continue;
        if (id && take(w, id))
            return id;
        w->no_memory = true;
        return "";
    }
}

/* Names of the text first: made-up names avoid them. */
static void name_values(writer *w)
{
    const function *f = w->f;
    for (uint32_t i = 0; i < f->nodes.n && !w->no_memory; i++) {
        const node *n = &f->nodes.at[i];
        if (n->n_results != 1 || !n->name || !*n->name || name_is_number(n->name) ||
            is_taken(w, n->name) || w->inlined[n->first_value])
            continue;
        if (take(w, n->name))
            w->ids[n->first_value] = n->name;
    }
    for (uint32_t i = 0; i < f->inputs.n && !w->no_memory; i++) {
        const char *tensor = attr_string(node_of(f, f->inputs.at[i])->attrs, KEY_NAME);
        if (!w->ids[f->inputs.at[i]] && *tensor && !is_taken(w, tensor) && take(w, tensor))
            w->ids[f->inputs.at[i]] = tensor;
    }
    for (uint32_t i = 0; i < f->nodes.n && !w->no_memory; i++) {
        const node *n = &f->nodes.at[i];
        if (w->ids[n->first_value] || w->inlined[n->first_value])
            continue;
        const char *stem = arena_printf(&w->memory, "n%" PRIu32, i);
        w->ids[n->first_value] = stem ? writer_fresh_id(w, stem, "") : "";
        w->no_memory = w->no_memory || !stem;
    }
}

/* ---- immediates ---- */

static bool takes_immediates(const node *n)
{
    return (op_table[n->op].traits & T_ELEMENTWISE) && n->op != OP_STOP_GRADIENT;
}

/* Scalars that the text wrote as immediates, or that have no id of their own, where all uses can
 * have them. */
static void find_immediates(writer *w)
{
    const function *f = w->f;
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        const node *n = &f->nodes.at[i];
        w->inlined[n->first_value] = n->op == OP_CONSTANT &&
                                     (n->spelling == 1 || !n->name || name_is_number(n->name)) &&
                                     value_type(f, n->first_value)->rank == 0;
    }
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        const node *n = &f->nodes.at[i];
        for (uint32_t k = 0; k < n->n_in && !takes_immediates(n); k++)
            w->inlined[n->in[k]] = false;
    }
    for (uint32_t i = 0; i < f->outputs.n; i++)
        w->inlined[f->outputs.at[i]] = false;
}

void writer_scalar(writer *w, scalar s, tn_dtype d, bool in_src)
{
    text_buffer *out = w->out;
    unsigned char bits[16] = {0};
    if (d == TN_I1) {
        text_puts(out, s.u ? "true" : "false");
        return;
    }
    if (!dtype_is_float(d)) {
        text_i64(out, s.i);
        return;
    }
    (void)scalar_store(s, d, bits);
    uint32_t wide = 0;
    memcpy(&wide, bits, dtype_bytes(d));
    if (s.f - s.f == 0) {
        text_float(out, d == TN_F16 ? format_f16 : d == TN_BF16 ? format_bf16 : format_f32, wide);
        return;
    }
    text_puts(out, in_src ? "{\"const\": \"" : "\"");
    text_puts(out, s.f != s.f ? "nan" : s.f > 0 ? "inf" : "-inf");
    text_puts(out, in_src ? "\"}" : "\"");
}

/* ---- layout ---- */

void writer_string(writer *w, const char *s)
{
    text_json_string(w->out, s, strlen(s));
}

/* What stands behind a node: a comma, unless it is the last one, and a comment on its line. */
static void end_line(writer *w, const char *comma)
{
    text_puts(w->out, comma);
    if (w->owner != NO_VALUE && w->ids[w->owner]) {
        text_puts(w->out, "  // gradient of ");
        writer_string(w, w->ids[w->owner]);
    }
    w->owner = NO_VALUE;
    text_putc(w->out, '\n');
}

void writer_open(writer *w, const char *id, const char *uop)
{
    end_line(w, w->n_written++ ? "," : "");
    text_puts(w->out, "    {\"id\": ");
    writer_string(w, id);
    text_printf(w->out, ", \"uop\": \"%s\"", uop);
}

void writer_src(writer *w, const char *id)
{
    text_puts(w->out, ", \"src\": [");
    writer_string(w, id);
    text_puts(w->out, "], \"arg\": {");
}

void writer_dims(writer *w, const char *key, const dim *dims, uint32_t n)
{
    text_printf(w->out, "\"%s\": [", key);
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            text_puts(w->out, ", ");
        size_print(w->out, &w->m->types, dims[i]);
    }
    text_putc(w->out, ']');
}

void writer_close(writer *w, const node *n)
{
    if (n && n->tag) {
        text_puts(w->out, ", \"tag\": ");
        writer_string(w, n->tag);
    }
    text_putc(w->out, '}');
    if (n && n->belongs && w->comments)
        w->owner = n->belongs - 1;
}

/* ---- elementwise ---- */

/* The id of operand V in the shape of the result; an EXPAND is written where it has another. */
static const char *operand_id(writer *w, const node *n, uint32_t k)
{
    const type *have = value_type(w->f, n->in[k]), *want = value_type(w->f, n->first_value);
    const char *id = w->ids[n->in[k]];
    bool same = have->rank == want->rank;
    for (uint32_t i = 0; same && i < have->rank; i++)
        same = have->dims[i] == want->dims[i] || have->dims[i] != 1;
    if (same)
        return id;
    char word[24];
    (void)snprintf(word, sizeof word, "_expand%" PRIu32, k);
    const char *own = writer_fresh_id(w, w->ids[n->first_value], word);
    writer_open(w, own, "EXPAND");
    writer_src(w, id);
    writer_dims(w, "result_shape", want->dims, want->rank);
    text_puts(w->out, ", \"broadcast_dimensions\": [");
    for (uint32_t i = 0; i < have->rank; i++)
        text_printf(w->out, "%s%" PRIu32, i ? ", " : "", want->rank - have->rank + i);
    text_puts(w->out, "]}");
    writer_close(w, NULL);
    return own;
}

static void put_sources(writer *w, const node *n, const char *const *ids, bool swapped)
{
    text_puts(w->out, ", \"src\": [");
    for (uint32_t i = 0; i < n->n_in; i++) {
        const uint32_t k = swapped ? n->n_in - 1 - i : i;
        if (i)
            text_puts(w->out, ", ");
        if (ids[k]) {
            writer_string(w, ids[k]);
            continue;
        }
        const literal *l = attr_find(node_of(w->f, n->in[k])->attrs, KEY_VALUE)->v.literal;
        writer_scalar(w, scalar_load(l->type->dtype, l->data), l->type->dtype, true);
    }
    text_putc(w->out, ']');
}

static void put_elementwise(writer *w, const node *n)
{
    const char *ids[3] = {NULL, NULL, NULL};
    const uint32_t first = n->op == OP_SELECT ? 1 : 0;
    const tn_dtype d = n->n_in ? value_type(w->f, n->in[first])->dtype : TN_F32;
    const char *name = tiny_uop_of((op_id)n->op, d)->name;
    const int64_t way = attr_int(n->attrs, KEY_DIRECTION, DIR_LT);
    bool tensor = false;
    if (n->op == OP_COMPARE)
        name = way == DIR_EQ ? "CMPEQ" : way == DIR_NE ? "CMPNE" : "CMPLT";
    if ((n->op == OP_OR || n->op == OP_AND) && n->spelling == 1)
        name = n->op == OP_OR ? "MAX" : "MIN";
    for (uint32_t k = 0; k < n->n_in; k++) {
        if (!w->inlined[n->in[k]])
            ids[k] = operand_id(w, n, k);
        tensor = tensor || (k >= first && ids[k]);
    }
    writer_open(w, w->ids[n->first_value], name);
    put_sources(w, n, ids, way == DIR_GT && n->op == OP_COMPARE);
    if (n->op == OP_CAST || !tensor) {
        text_puts(w->out, ", \"arg\": {");
        if (n->op == OP_CAST)
            text_printf(w->out, "\"to\": \"%s\"",
                        tiny_dtype_name((tn_dtype)attr_int(n->attrs, KEY_DTYPE, 0)));
        if (!tensor)
            text_printf(w->out, "%s\"dtype\": \"%s\"", n->op == OP_CAST ? ", " : "",
                        tiny_dtype_name(d));
        text_putc(w->out, '}');
    }
    writer_close(w, n);
}

/* ---- sources and reductions ---- */

static void put_input(writer *w, const node *n)
{
    const type *t = value_type(w->f, n->first_value);
    writer_open(w, w->ids[n->first_value], "INPUT");
    text_puts(w->out, ", \"arg\": {\"tensor_id\": ");
    writer_string(w, attr_string(n->attrs, KEY_NAME));
    text_printf(w->out, ", \"dtype\": \"%s\", ", tiny_dtype_name(t->dtype));
    writer_dims(w, "shape", t->dims, t->rank);
    text_putc(w->out, '}');
    writer_close(w, n);
}

static void put_constant(writer *w, const node *n)
{
    const literal *l = attr_find(n->attrs, KEY_VALUE)->v.literal;
    const tn_dtype d = l->type->dtype;
    /* equal elements are written as one, however they were spelt */
    const bool one = l->type->rank == 0 || (l->type->count > 1 && literal_is_uniform(l));
    const int64_t count = one ? 1 : l->type->count;
    writer_open(w, w->ids[n->first_value], "CONST");
    text_puts(w->out, ", \"arg\": {\"value\": ");
    if (!one)
        text_putc(w->out, '[');
    for (int64_t i = 0; i < count; i++) {
        if (i)
            text_puts(w->out, ", ");
        writer_scalar(w, scalar_load(d, literal_element(l, i)), d, false);
    }
    if (!one)
        text_putc(w->out, ']');
    text_printf(w->out, ", \"dtype\": \"%s\"", tiny_dtype_name(d));
    if (l->type->rank) {
        text_puts(w->out, ", ");
        writer_dims(w, "shape", l->type->dims, l->type->rank);
    }
    text_putc(w->out, '}');
    writer_close(w, n);
}

static void put_axes(writer *w, const node *n, const type *t)
{
    uint32_t n_axes;
    const int64_t *given = attr_ints(n->attrs, KEY_AXES, &n_axes);
    axis_list axes;
    bool keep;
    (void)resolve_reduction(given, n_axes, false, t->rank, &axes, &keep);
    text_puts(w->out, "\"axes\": [");
    for (uint32_t i = 0; i < axes.n; i++)
        text_printf(w->out, "%s%" PRIu32, i ? ", " : "", axes.at[i]);
    text_putc(w->out, ']');
}

static void put_reduce(writer *w, const node *n)
{
    const type *t = value_type(w->f, n->in[0]), *to = value_type(w->f, n->first_value);
    const char *name = n->op == OP_SUM          ? "SUM"
                       : n->op == OP_REDUCE_MAX ? "MAX"
                       : n->op == OP_REDUCE_MIN ? "MIN"
                                                : "PROD";
    const tn_dtype sum =
        (tn_dtype)attr_int(n->attrs, KEY_ACCUM_DTYPE, (int64_t)dtype_compute(t->dtype));
    const attr *init = attr_find(n->attrs, KEY_INIT);
    const bool keeps = attr_int(n->attrs, KEY_KEEPDIMS, 0) != 0 && attr_find(n->attrs, KEY_AXES);
    const bool casts = sum != to->dtype;
    const char *last = w->ids[n->first_value];
    const char *cast = casts && keeps ? writer_fresh_id(w, last, "_cast") : last;
    const char *id = casts || keeps ? writer_fresh_id(w, last, "_sum") : last;
    writer_open(w, id, "REDUCE");
    writer_src(w, w->ids[n->in[0]]);
    text_printf(w->out, "\"op\": \"%s\", ", name);
    put_axes(w, n, t);
    text_printf(w->out, ", \"dtype\": \"%s\"", tiny_dtype_name(sum));
    if (init) {
        scalar s;
        (void)scalar_cast(*init->v.scalar, sum, &s);
        text_puts(w->out, ", \"init\": ");
        writer_scalar(w, s, sum, false);
    }
    text_putc(w->out, '}');
    writer_close(w, casts || keeps ? NULL : n);
    if (casts) {
        writer_open(w, cast, "CAST");
        writer_src(w, id);
        text_printf(w->out, "\"to\": \"%s\"}", tiny_dtype_name(to->dtype));
        writer_close(w, keeps ? NULL : n);
        id = cast;
    }
    if (keeps) {
        writer_open(w, last, "RESHAPE");
        writer_src(w, id);
        writer_dims(w, "result_shape", to->dims, to->rank);
        text_putc(w->out, '}');
        writer_close(w, n);
    }
}

/* ---- nodes ---- */

/* A node that Tiny IR can express. */
static void put_node(writer *w, const node *n)
{
    if (w->inlined[n->first_value])
        return;
    if (n->op == OP_INPUT)
        put_input(w, n);
    else if (n->op == OP_CONSTANT)
        put_constant(w, n);
    else if (op_table[n->op].traits & T_REDUCES)
        put_reduce(w, n);
    else if (op_table[n->op].traits & T_ELEMENTWISE)
        put_elementwise(w, n);
    else
        write_movement(w, n);
}

/* The map of a gradient module, as a comment. */
static void put_gradients(writer *w)
{
    const value_id *pairs = w->m->gradients.at;
    for (uint32_t i = 0; i + 1 < w->m->gradients.n; i += 2) {
        text_puts(w->out, i ? ", " : "  // gradients: ");
        writer_string(w, w->ids[pairs[i]]);
        text_puts(w->out, " -> ");
        writer_string(w, w->ids[pairs[i + 1]]);
    }
    if (w->m->gradients.n)
        text_putc(w->out, '\n');
}

static void put_program(writer *w)
{
    const function *f = w->f;
    text_puts(w->out, "{\n  \"uops\": [");
    for (uint32_t i = 0; i < f->nodes.n && !w->no_memory; i++)
        put_node(w, &f->nodes.at[i]);
    end_line(w, "");
    text_puts(w->out, "  ],\n  \"outputs\": [");
    for (uint32_t i = 0; i < f->outputs.n; i++) {
        if (i)
            text_puts(w->out, ", ");
        writer_string(w, w->ids[f->outputs.at[i]]);
    }
    text_puts(w->out, "]\n");
    put_gradients(w);
    text_puts(w->out, "}\n");
}

tn_status tiny_write(const module *m, const write_options *options, text_buffer *out)
{
    const tn_allocator *a = m->allocator;
    writer w = {.m = m, .f = module_entry(m), .out = out, .owner = NO_VALUE};
    w.comments = options && options->comments;
    w.views = options && options->style && strcmp(options->style, "view") == 0;
    arena_init(&w.memory, a);
    w.ids = ARENA_ARRAY(&w.memory, const char *, w.f->values.n + 1);
    w.inlined = ARENA_ARRAY(&w.memory, bool, w.f->values.n + 1);
    w.no_memory = !w.ids || !w.inlined;
    if (!w.no_memory) {
        find_immediates(&w);
        name_values(&w);
    }
    if (!w.no_memory)
        put_program(&w);
    VECTOR_RELEASE(a, &w.taken);
    hash_release(a, &w.by_id);
    arena_release(&w.memory);
    return w.no_memory ? module_no_memory(m) : TN_OK;
}
