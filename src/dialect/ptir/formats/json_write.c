/* The model to the JSON form, indented by two spaces, one element a line. */
#include <math.h>

#include "dialect/ptir/formats/formats.h"

typedef struct writer {
    const module *m;
    text_buffer *out;
    arena names; /* of extents */
    uint32_t depth;
    bool fresh; /* nothing stands in the innermost bracket yet */
    bool no_memory;
} writer;

/* ---- layout -------------------------------------------------------------------------------- */

static void new_line(writer *w)
{
    text_putc(w->out, '\n');
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
}

static void open(writer *w, char bracket)
{
    text_putc(w->out, bracket);
    w->depth++;
    w->fresh = true;
}

static void close(writer *w, char bracket)
{
    w->depth--;
    if (!w->fresh)
        new_line(w);
    text_putc(w->out, bracket);
    w->fresh = false;
}

static void item(writer *w)
{
    if (!w->fresh)
        text_putc(w->out, ',');
    new_line(w);
    w->fresh = false;
}

static void put_string(writer *w, const char *s)
{
    text_json_string(w->out, s, strlen(s));
}

static void key(writer *w, const char *name)
{
    item(w);
    put_string(w, name);
    text_put(w->out, ": ", 2);
}

static void put_word(writer *w, const char *words, uint32_t index)
{
    size_t n;
    const char *word = ptir_word(words, index, &n);
    text_json_string(w->out, word, n);
}

/* `{"Name": `, to be closed with '}'. */
static void open_variant(writer *w, const char *name)
{
    open(w, '{');
    key(w, name);
}

static void put_bool(writer *w, bool b)
{
    text_puts(w->out, b ? "true" : "false");
}

/* JSON has no infinities and no NaN; they are strings. */
static void put_float(writer *w, double f)
{
    if (isfinite(f))
        text_f64(w->out, f);
    else
        text_puts(w->out, isnan(f) ? "\"nan\"" : f > 0 ? "\"inf\"" : "\"-inf\"");
}

static void put_ints(writer *w, const int64_t *v, uint32_t n)
{
    open(w, '[');
    for (uint32_t i = 0; i < n; i++) {
        item(w);
        text_i64(w->out, v[i]);
    }
    close(w, ']');
}

static void put_ids(writer *w, const ptir_ids *ids)
{
    open(w, '[');
    for (uint32_t i = 0; i < ids->n; i++) {
        item(w);
        text_u64(w->out, ids->at[i]);
    }
    close(w, ']');
}

/* ---- types --------------------------------------------------------------------------------- */

static void put_dim(writer *w, dim d)
{
    if (!dim_is_symbolic(d)) {
        open_variant(w, "Static");
        text_i64(w->out, d);
    } else {
        arena_mark here = arena_here(&w->names);
        const char *name = ptir_dim_name(w->m, d, &w->names);
        open_variant(w, "Dynamic");
        put_string(w, name ? name : "");
        w->no_memory = w->no_memory || !name;
        arena_rewind(&w->names, here);
    }
    close(w, '}');
}

static void put_shape(writer *w, const dim *dims, uint32_t rank)
{
    open(w, '{');
    key(w, "dims");
    open(w, '[');
    for (uint32_t i = 0; i < rank; i++) {
        item(w);
        put_dim(w, dims[i]);
    }
    close(w, ']');
    close(w, '}');
}

static void put_spec(writer *w, const type *t)
{
    open(w, '{');
    key(w, "dtype");
    put_word(w, ptir_dtype_words, t->dtype);
    key(w, "shape");
    put_shape(w, t->dims, t->rank);
    close(w, '}');
}

static void put_type(writer *w, const ptir_type *t)
{
    if (t->tensor) {
        open_variant(w, "Tensor");
        put_spec(w, t->tensor);
    } else {
        open_variant(w, "Tuple");
        open(w, '[');
        for (uint32_t i = 0; i < t->n; i++) {
            item(w);
            put_type(w, &t->items[i]);
        }
        close(w, ']');
    }
    close(w, '}');
}

static void put_types(writer *w, const ptir_types *types)
{
    open(w, '[');
    for (uint32_t i = 0; i < types->n; i++) {
        item(w);
        put_type(w, &types->at[i]);
    }
    close(w, ']');
}

/* ---- constants ----------------------------------------------------------------------------- */

/* N bytes, each on its line: the bulk of most files. */
static void put_bytes(writer *w, const unsigned char *bytes, size_t n)
{
    enum { CHUNK = 4096 };
    text_buffer *out = w->out;
    const size_t indent = 2 * (size_t)w->depth;
    for (size_t i = 0; i < n;) {
        size_t stop = n - i < CHUNK ? n : i + CHUNK;
        if (!text_reserve(out, (stop - i) * (indent + 5)))
            return;
        char *to = out->at + out->n;
        for (; i < stop; i++) {
            unsigned byte = bytes[i];
            if (!w->fresh)
                *to++ = ',';
            w->fresh = false;
            *to++ = '\n';
            memset(to, ' ', indent);
            to += indent;
            if (byte >= 100)
                *to++ = (char)('0' + byte / 100);
            if (byte >= 10)
                *to++ = (char)('0' + byte / 10 % 10);
            *to++ = (char)('0' + byte % 10);
        }
        out->n = (size_t)(to - out->at);
    }
}

static void put_literal(writer *w, const literal *l)
{
    open(w, '{');
    key(w, "spec");
    put_spec(w, l->type);
    key(w, "bytes");
    open(w, '[');
    if (l->splat) /* what is too long anyway need not be begun */
        (void)text_reserve_times(w->out, (uint64_t)l->type->count, l->bytes * (2U * w->depth + 2));
    for (int64_t i = 0, copies = l->splat ? l->type->count : 1; i < copies && !w->out->failed; i++)
        put_bytes(w, l->data, l->bytes);
    close(w, ']');
    close(w, '}');
}

static void put_scalar(writer *w, const scalar *s)
{
    size_t n;
    const char *word = ptir_word(ptir_scalar_words, (uint32_t)s->kind, &n);
    open(w, '{');
    item(w);
    text_json_string(w->out, word, n);
    text_put(w->out, ": ", 2);
    switch (s->kind) {
    case DTYPE_BOOL:
        put_bool(w, s->u != 0);
        break;
    case DTYPE_SIGNED:
        text_i64(w->out, s->i);
        break;
    case DTYPE_UNSIGNED:
        text_u64(w->out, s->u);
        break;
    case DTYPE_FLOAT:
        put_float(w, s->f);
        break;
    case DTYPE_COMPLEX:
        open(w, '{');
        key(w, "re");
        put_float(w, s->f);
        key(w, "im");
        put_float(w, s->im);
        close(w, '}');
        break;
    }
    close(w, '}');
}

/* ---- operations ---------------------------------------------------------------------------- */

static void put_dict_item(writer *w, const dict_entry *e, uint32_t i)
{
    if (e->kind == ATTR_INT)
        text_i64(w->out, ((const int64_t *)e->values)[i]);
    else if (e->kind == ATTR_FLOAT)
        put_float(w, ((const double *)e->values)[i]);
    else if (e->kind == ATTR_BOOL)
        put_bool(w, ((const bool *)e->values)[i]);
    else
        put_string(w, ((const char *const *)e->values)[i]);
}

static void put_dict(writer *w, const attr *a)
{
    open(w, '{');
    for (uint32_t i = 0; i < a->n; i++) {
        const dict_entry *e = &a->v.dict[i];
        key(w, e->key);
        open(w, '{');
        key(w, "kind");
        put_word(w, ptir_attr_kind_words, ptir_dict_kind(e));
        key(w, "value");
        if (e->is_array)
            open(w, '[');
        for (uint32_t k = 0; k < e->n; k++) {
            if (e->is_array)
                item(w);
            put_dict_item(w, e, k);
        }
        if (e->is_array)
            close(w, ']');
        close(w, '}');
    }
    close(w, '}');
}

static void put_new_shape(writer *w, const attr *a)
{
    open(w, '[');
    for (uint32_t i = 0; i < a->n; i++) {
        item(w);
        if (a->v.ints[i] == -1) {
            put_string(w, "Infer");
            continue;
        }
        open_variant(w, "Explicit");
        put_dim(w, a->v.ints[i]);
        close(w, '}');
    }
    close(w, ']');
}

static void put_pairs(writer *w, const attr *a)
{
    open(w, '[');
    for (uint32_t i = 0; i + 1 < a->n; i += 2) {
        item(w);
        put_ints(w, a->v.ints + i, 2);
    }
    close(w, ']');
}

static void put_field(writer *w, const ptir_field *field, const attr *a)
{
    switch (field->kind) {
    case PTIR_UINTS:
    case PTIR_AXES:
        put_ints(w, a->v.ints, a->n);
        break;
    case PTIR_UINT:
    case PTIR_AXIS:
    case PTIR_INT_AXIS:
    case PTIR_REGION:
        text_i64(w->out, a->v.i);
        break;
    case PTIR_BOOL:
        put_bool(w, a->v.i != 0);
        break;
    case PTIR_FLOAT:
        put_float(w, a->v.f);
        break;
    case PTIR_WORD:
        put_word(w, field->words, (uint32_t)a->v.i);
        break;
    case PTIR_DTYPE:
        put_word(w, ptir_dtype_words, (uint32_t)a->v.i);
        break;
    case PTIR_SHAPE:
        put_shape(w, a->v.ints, a->n);
        break;
    case PTIR_NEW_SHAPE:
        put_new_shape(w, a);
        break;
    case PTIR_PAIRS:
        put_pairs(w, a);
        break;
    case PTIR_SCALAR:
        put_scalar(w, a->v.scalar);
        break;
    case PTIR_STRING:
        put_string(w, a->v.s);
        break;
    case PTIR_DICT:
        put_dict(w, a);
        break;
    }
}

static void put_fields(writer *w, const ptir_op_info *op, const ptir_inst *inst)
{
    uint32_t k = 0;
    open(w, '{');
    for (uint32_t i = 0; i < op->n_fields; i++) {
        key(w, op->fields[i].name);
        if (k < inst->n_attrs && inst->attrs[k].key == op->fields[i].key)
            put_field(w, &op->fields[i], &inst->attrs[k++]);
        else
            text_puts(w->out, "null");
    }
    close(w, '}');
}

static void put_operation(writer *w, const ptir_inst *inst)
{
    const ptir_op_info *op = &ptir_ops[inst->op];
    if (op->form == PTIR_FORM_NONE) {
        put_string(w, op->name);
        return;
    }
    open_variant(w, op->name);
    switch (op->form) {
    case PTIR_FORM_LITERAL:
        put_literal(w, inst->attrs[0].v.literal);
        break;
    case PTIR_FORM_UNARY:
        put_word(w, ptir_unary_words, inst->word);
        break;
    case PTIR_FORM_BINARY:
        put_word(w, ptir_binary_words, inst->word);
        break;
    case PTIR_FORM_NONE:
    case PTIR_FORM_STRUCT:
        put_fields(w, op, inst);
        break;
    }
    close(w, '}');
}

static void put_operand(writer *w, const ptir_operand *o)
{
    switch (o->kind) {
    case PTIR_VALUE:
        open_variant(w, "Value");
        text_u64(w->out, o->id);
        break;
    case PTIR_ELEMENT:
        open_variant(w, "TupleElement");
        open(w, '{');
        key(w, "tuple");
        text_u64(w->out, o->id);
        key(w, "index");
        text_u64(w->out, o->index);
        close(w, '}');
        break;
    case PTIR_LITERAL:
        open_variant(w, "Literal");
        put_literal(w, o->literal);
        break;
    case PTIR_FAULTY: /* only while reading */
        return;
    }
    close(w, '}');
}

/* A field that readers skip. */
static void put_owner(writer *w, const ptir_operand *o)
{
    if (!o)
        return;
    key(w, "comment");
    text_puts(w->out, "\"gradient of %");
    text_u64(w->out, o->id);
    if (o->kind == PTIR_ELEMENT) {
        text_putc(w->out, '[');
        text_u64(w->out, o->index);
        text_putc(w->out, ']');
    }
    text_putc(w->out, '"');
}

static void put_body(writer *w, const ptir_insts *body)
{
    open(w, '[');
    for (uint32_t i = 0; i < body->n; i++) {
        const ptir_inst *inst = &body->at[i];
        item(w);
        open(w, '{');
        key(w, "id");
        text_u64(w->out, inst->id);
        key(w, "op");
        put_operation(w, inst);
        key(w, "operands");
        open(w, '[');
        for (uint32_t k = 0; k < inst->n_in; k++) {
            item(w);
            put_operand(w, &inst->in[k]);
        }
        close(w, ']');
        key(w, "output");
        put_type(w, &inst->out);
        put_owner(w, inst->belongs);
        close(w, '}');
    }
    close(w, ']');
}

/* ---- programs ------------------------------------------------------------------------------ */

static void put_hint(writer *w, const ptir_hint *h)
{
    open(w, '{');
    key(w, "id");
    text_u64(w->out, h->id);
    key(w, "kind");
    put_word(w, ptir_hint_words, h->kind);
    key(w, "policy");
    put_word(w, ptir_policy_words, h->policy);
    key(w, "inputs");
    put_ids(w, &h->inputs);
    key(w, "exports");
    put_ids(w, &h->exports);
    key(w, "body");
    put_body(w, &h->body);
    key(w, "attrs");
    put_dict(w, &h->attrs);
    close(w, '}');
}

/* A field that readers skip: pairs of an input and its gradient. */
static void put_gradients(writer *w, const ptir_ids *pairs)
{
    if (pairs->n == 0)
        return;
    key(w, "gradients");
    open(w, '[');
    for (uint32_t i = 0; i + 1 < pairs->n; i += 2) {
        ptir_ids pair = {.at = pairs->at + i, .n = 2};
        item(w);
        put_ids(w, &pair);
    }
    close(w, ']');
}

static void put_function(writer *w, const ptir_function *f)
{
    open(w, '{');
    key(w, "name");
    put_string(w, f->name);
    key(w, "parameters");
    put_types(w, &f->parameters);
    key(w, "parameter_ids");
    put_ids(w, &f->parameter_ids);
    key(w, "results");
    put_types(w, &f->results);
    key(w, "body");
    put_body(w, &f->body);
    key(w, "hints");
    open(w, '[');
    for (uint32_t i = 0; i < f->hints.n; i++) {
        item(w);
        put_hint(w, &f->hints.at[i]);
    }
    close(w, ']');
    key(w, "result_ids");
    open(w, '[');
    for (uint32_t i = 0; i < f->result_ids.n; i++) {
        item(w);
        text_u64(w->out, f->result_ids.at[i].id);
    }
    close(w, ']');
    put_gradients(w, &f->gradients);
    close(w, '}');
}

static void put_region(writer *w, const ptir_function *f)
{
    open(w, '{');
    key(w, "id");
    text_u64(w->out, f->region);
    key(w, "parameters");
    put_types(w, &f->parameters);
    key(w, "body");
    put_body(w, &f->body);
    key(w, "results");
    put_types(w, &f->results);
    close(w, '}');
}

tn_status ptir_json_write(const module *m, const ptir_program *p, text_buffer *out)
{
    writer w = {.m = m, .out = out};
    arena_init(&w.names, m->allocator);
    open(&w, '{');
    key(&w, "spec_version");
    put_string(&w, PTIR_VERSION);
    key(&w, "entry");
    put_string(&w, p->entry);
    key(&w, "functions");
    open(&w, '[');
    for (uint32_t i = 0; i < p->functions.n; i++) {
        item(&w);
        put_function(&w, &p->functions.at[i]);
    }
    close(&w, ']');
    key(&w, "regions");
    open(&w, '[');
    for (uint32_t i = 0; i < p->regions.n; i++) {
        item(&w);
        put_region(&w, &p->regions.at[i]);
    }
    close(&w, ']');
    close(&w, '}');
    text_putc(out, '\n');
    arena_release(&w.names);
    return w.no_memory ? module_no_memory(m) : TN_OK;
}
