/* The model to the binary form, and the hash over it. */
#include "dialect/ptir/formats/formats.h"

typedef struct writer {
    const module *m;
    text_buffer *out;
    arena names;
    bool no_memory;
} writer;

static void put(writer *w, const void *bytes, size_t n)
{
    text_put(w->out, bytes, n);
}

static void put_u32(writer *w, uint32_t v)
{
    put(w, &v, sizeof v);
}

static void put_u64(writer *w, uint64_t v)
{
    put(w, &v, sizeof v);
}

static void put_f64(writer *w, double v)
{
    put(w, &v, sizeof v);
}

static void put_bool(writer *w, bool v)
{
    text_putc(w->out, v ? 1 : 0);
}

static void put_string(writer *w, const char *s)
{
    size_t n = strlen(s);
    put_u64(w, n);
    put(w, s, n);
}

static void put_ids(writer *w, const ptir_ids *ids)
{
    put_u64(w, ids->n);
    put(w, ids->at, ids->n * sizeof *ids->at);
}

/* ---- types --------------------------------------------------------------------------------- */

static void put_dim(writer *w, dim d)
{
    put_u32(w, dim_is_symbolic(d));
    if (!dim_is_symbolic(d)) {
        put_u64(w, (uint64_t)d);
        return;
    }
    arena_mark here = arena_here(&w->names);
    const char *name = ptir_dim_name(w->m, d, &w->names);
    put_string(w, name ? name : "");
    w->no_memory = w->no_memory || !name;
    arena_rewind(&w->names, here);
}

static void put_shape(writer *w, const dim *dims, uint32_t rank)
{
    put_u64(w, rank);
    for (uint32_t i = 0; i < rank; i++)
        put_dim(w, dims[i]);
}

static void put_spec(writer *w, const type *t)
{
    put_u32(w, t->dtype);
    put_shape(w, t->dims, t->rank);
}

static void put_types(writer *w, const ptir_type *types, uint32_t n);

static void put_type(writer *w, const ptir_type *t)
{
    put_u32(w, t->tensor == NULL);
    if (t->tensor)
        put_spec(w, t->tensor);
    else
        put_types(w, t->items, t->n);
}

static void put_types(writer *w, const ptir_type *types, uint32_t n)
{
    put_u64(w, n);
    for (uint32_t i = 0; i < n; i++)
        put_type(w, &types[i]);
}

/* ---- constants ----------------------------------------------------------------------------- */

static void put_literal(writer *w, const literal *l)
{
    uint64_t copies = l->splat ? (uint64_t)l->type->count : 1;
    put_spec(w, l->type);
    put_u64(w, copies * l->bytes);
    (void)text_reserve_times(w->out, copies, l->bytes); /* at once, or not at all */
    for (uint64_t i = 0; i < copies && !w->out->failed; i++)
        put(w, l->data, l->bytes);
}

static void put_scalar(writer *w, const scalar *s)
{
    put_u32(w, (uint32_t)s->kind);
    switch (s->kind) {
    case DTYPE_BOOL:
        put_bool(w, s->u != 0);
        break;
    case DTYPE_SIGNED:
    case DTYPE_UNSIGNED:
        put_u64(w, s->u);
        break;
    case DTYPE_FLOAT:
        put_f64(w, s->f);
        break;
    case DTYPE_COMPLEX:
        put_f64(w, s->f);
        put_f64(w, s->im);
        break;
    }
}

/* ---- operations ---------------------------------------------------------------------------- */

static void put_dict(writer *w, const attr *a)
{
    put_u64(w, a->n);
    for (uint32_t i = 0; i < a->n; i++) {
        const dict_entry *e = &a->v.dict[i];
        put_string(w, e->key);
        put_u32(w, ptir_dict_kind(e));
        if (e->is_array)
            put_u64(w, e->n);
        for (uint32_t k = 0; k < e->n; k++)
            if (e->kind == ATTR_INT)
                put_u64(w, (uint64_t)((const int64_t *)e->values)[k]);
            else if (e->kind == ATTR_FLOAT)
                put_f64(w, ((const double *)e->values)[k]);
            else if (e->kind == ATTR_BOOL)
                put_bool(w, ((const bool *)e->values)[k]);
            else
                put_string(w, ((const char *const *)e->values)[k]);
    }
}

static void put_new_shape(writer *w, const attr *a)
{
    put_u64(w, a->n);
    for (uint32_t i = 0; i < a->n; i++) {
        bool infer = a->v.ints[i] == -1;
        put_u32(w, infer);
        if (!infer)
            put_dim(w, a->v.ints[i]);
    }
}

static void put_field(writer *w, const ptir_field *field, const attr *a)
{
    switch (field->kind) {
    case PTIR_UINTS:
    case PTIR_AXES:
        put_u64(w, a->n);
        put(w, a->v.ints, a->n * sizeof *a->v.ints);
        break;
    case PTIR_PAIRS:
        put_u64(w, a->n / 2);
        put(w, a->v.ints, a->n * sizeof *a->v.ints);
        break;
    case PTIR_SHAPE:
        put_shape(w, a->v.ints, a->n);
        break;
    case PTIR_NEW_SHAPE:
        put_new_shape(w, a);
        break;
    case PTIR_UINT:
    case PTIR_AXIS:
    case PTIR_INT_AXIS:
    case PTIR_REGION:
        put_u64(w, (uint64_t)a->v.i);
        break;
    case PTIR_BOOL:
        put_bool(w, a->v.i != 0);
        break;
    case PTIR_FLOAT:
        put_f64(w, a->v.f);
        break;
    case PTIR_WORD:
    case PTIR_DTYPE:
        put_u32(w, (uint32_t)a->v.i);
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

static void put_operation(writer *w, const ptir_inst *inst)
{
    const ptir_op_info *op = &ptir_ops[inst->op];
    uint32_t k = 0;
    put_u32(w, inst->op);
    switch (op->form) {
    case PTIR_FORM_NONE:
        break;
    case PTIR_FORM_LITERAL:
        put_literal(w, inst->attrs[0].v.literal);
        break;
    case PTIR_FORM_UNARY:
    case PTIR_FORM_BINARY:
        put_u32(w, inst->word);
        break;
    case PTIR_FORM_STRUCT:
        for (uint32_t i = 0; i < op->n_fields; i++) {
            bool is_there = k < inst->n_attrs && inst->attrs[k].key == op->fields[i].key;
            if (op->fields[i].optional)
                put_bool(w, is_there);
            if (is_there)
                put_field(w, &op->fields[i], &inst->attrs[k++]);
        }
        break;
    }
}

static void put_operand(writer *w, const ptir_operand *o)
{
    put_u32(w, (uint32_t)o->kind);
    if (o->kind == PTIR_LITERAL) {
        put_literal(w, o->literal);
        return;
    }
    put_u32(w, o->id);
    if (o->kind == PTIR_ELEMENT)
        put_u64(w, o->index);
}

static void put_body(writer *w, const ptir_insts *body)
{
    put_u64(w, body->n);
    for (uint32_t i = 0; i < body->n; i++) {
        const ptir_inst *inst = &body->at[i];
        put_u32(w, inst->id);
        put_operation(w, inst);
        put_u64(w, inst->n_in);
        for (uint32_t k = 0; k < inst->n_in; k++)
            put_operand(w, &inst->in[k]);
        put_type(w, &inst->out);
    }
}

/* ---- programs ------------------------------------------------------------------------------ */

static void put_function(writer *w, const ptir_function *f)
{
    put_string(w, f->name);
    put_types(w, f->parameters.at, f->parameters.n);
    put_ids(w, &f->parameter_ids);
    put_types(w, f->results.at, f->results.n);
    put_body(w, &f->body);
    put_u64(w, f->hints.n);
    for (uint32_t i = 0; i < f->hints.n; i++) {
        const ptir_hint *h = &f->hints.at[i];
        put_u32(w, h->id);
        put_u32(w, h->kind);
        put_u32(w, h->policy);
        put_ids(w, &h->inputs);
        put_ids(w, &h->exports);
        put_body(w, &h->body);
        put_dict(w, &h->attrs);
    }
    put_u64(w, f->result_ids.n);
    for (uint32_t i = 0; i < f->result_ids.n; i++)
        put_u32(w, f->result_ids.at[i].id);
}

tn_status ptir_bincode_write(const module *m, const ptir_program *p, text_buffer *out)
{
    writer w = {.m = m, .out = out};
    arena_init(&w.names, m->allocator);
    put_string(&w, PTIR_VERSION);
    put_string(&w, p->entry);
    put_u64(&w, p->functions.n);
    for (uint32_t i = 0; i < p->functions.n; i++)
        put_function(&w, &p->functions.at[i]);
    put_u64(&w, p->regions.n);
    for (uint32_t i = 0; i < p->regions.n; i++) {
        const ptir_function *f = &p->regions.at[i];
        put_u64(&w, f->region);
        put_types(&w, f->parameters.at, f->parameters.n);
        put_body(&w, &f->body);
        put_types(&w, f->results.at, f->results.n);
    }
    arena_release(&w.names);
    return w.no_memory ? module_no_memory(m) : TN_OK;
}
