/* Lifetimes, aliases and slots: a function at a time. */
#include "plan/buffers.h"

#include "base/checked.h"

typedef struct planning {
    const module *m;
    const function *f;
    buffer_plan *to;
    uint32_t function;
    uint32_t base;      /* of the function's buffers: value v is buffer base + v */
    uint32_t *position; /* by node: its instruction + 1; parameters 0 */
    uint32_t end;       /* instructions + 1 */
} planning;

static bool has_byte_size(tn_dtype d)
{
    return d != TN_SI4 && d != TN_UI4 && d != TN_FP8_E4M3 && d != TN_FP8_E5M2;
}

static tn_status find_bytes(const planning *w, const node *n, const type *t, int64_t *bytes)
{
    *bytes = BYTES_UNKNOWN;
    if (!type_is_static(t) || !has_byte_size(t->dtype))
        return TN_OK;
    if (t->count >= 0 && mul_i64(t->count, (int64_t)dtype_bytes(t->dtype), bytes))
        return TN_OK;
    return node_report(w->f, n, DIAG_InvalidDimension, "the size of this tensor overflows");
}

static buffer_alias alias_of(const node *n)
{
    switch ((int)n->op) {
    case OP_RESHAPE:
    case OP_STOP_GRADIENT:
    case OP_EXPAND_DIMS:
    case OP_SQUEEZE:
        return ALIAS_IDENTITY;
    case OP_SLICE:
    case OP_TRANSPOSE:
        return ALIAS_VIEW;
    default:
        return ALIAS_NONE;
    }
}

static planned_buffer *buffer_of(const planning *w, value_id v)
{
    return &w->to->buffers.at[w->base + v];
}

static tn_status list_buffers(planning *w)
{
    uint32_t instruction = 0;
    for (uint32_t k = 0; k < w->f->nodes.n; k++) {
        const node *n = &w->f->nodes.at[k];
        w->position[k] = n->op == OP_INPUT ? 0 : ++instruction;
        for (uint32_t r = 0; r < n->n_results; r++) {
            const value_id v = n->first_value + r;
            planned_buffer b = {.function = w->function,
                                .value = v,
                                .type = value_type(w->f, v),
                                .begin = w->position[k],
                                .end = w->position[k],
                                .alias = alias_of(n),
                                .source = w->base + v,
                                .group = w->base + v,
                                .slot = NO_SLOT};
            b.usage = n->op == OP_INPUT      ? BUFFER_PARAMETER
                      : n->op == OP_CONSTANT ? BUFFER_CONSTANT
                                             : BUFFER_TEMPORARY;
            TN_TRY(find_bytes(w, n, b.type, &b.bytes));
            if (b.alias != ALIAS_NONE) {
                b.source = w->base + n->in[0];
                b.group = buffer_of(w, n->in[0])->group;
            }
            if (!VECTOR_PUSH(w->to->allocator, &w->to->buffers, b))
                return module_no_memory(w->m);
        }
    }
    w->end = instruction + 1;
    return TN_OK;
}

static void extend(planning *w, value_id v, uint32_t to)
{
    for (planned_buffer *b = buffer_of(w, v);; b = &w->to->buffers.at[b->source]) {
        if (b->end < to)
            b->end = to;
        if (b->alias == ALIAS_NONE)
            return;
    }
}

static void find_lives(planning *w)
{
    for (uint32_t k = 0; k < w->f->nodes.n; k++)
        for (uint32_t i = 0; i < w->f->nodes.at[k].n_in; i++)
            extend(w, w->f->nodes.at[k].in[i], w->position[k]);
    for (uint32_t i = 0; i < w->f->inputs.n; i++)
        extend(w, w->f->inputs.at[i], w->end);
    for (uint32_t i = 0; i < w->f->outputs.n; i++) {
        planned_buffer *b = buffer_of(w, w->f->outputs.at[i]);
        extend(w, w->f->outputs.at[i], w->end);
        b->usage = (b->usage & ~(uint32_t)BUFFER_TEMPORARY) | BUFFER_RESULT;
    }
}

/* A slot for B: the first one of its class that is free again. */
static tn_status give_slot(planning *w, planned_buffer *b)
{
    buffer_plan *p = w->to;
    for (uint32_t i = 0; i < p->slots.n; i++) {
        buffer_slot *s = &p->slots.at[i];
        if (s->function == w->function && s->dtype == b->type->dtype && s->bytes == b->bytes &&
            s->busy_until < b->begin) {
            s->busy_until = b->end;
            b->slot = i;
            return TN_OK;
        }
    }
    buffer_slot fresh = {b->type->dtype, b->bytes, p->slot_bytes, b->end, w->function};
    int64_t room;
    if (!add_i64(b->bytes, BUFFER_ALIGNMENT - 1, &room) ||
        !add_i64(p->slot_bytes, room / BUFFER_ALIGNMENT * BUFFER_ALIGNMENT, &p->slot_bytes))
        return diag_report(&w->m->cx->diag, DIAG_InvalidDimension, &w->m->source, NO_SPAN,
                           "the sizes of all tensors together overflow");
    b->slot = p->slots.n;
    return VECTOR_PUSH(p->allocator, &p->slots, fresh) ? TN_OK : module_no_memory(w->m);
}

static tn_status give_slots(planning *w)
{
    for (uint32_t v = 0; v < w->f->values.n; v++) {
        planned_buffer *b = buffer_of(w, v);
        if (b->usage != BUFFER_TEMPORARY || b->bytes == BYTES_UNKNOWN || b->alias == ALIAS_VIEW)
            continue;
        if (b->alias == ALIAS_IDENTITY)
            b->slot = w->to->buffers.at[b->source].slot;
        else
            TN_TRY(give_slot(w, b));
    }
    return TN_OK;
}

/* The most bytes of temporaries at one time: lives as steps up and down. */
static tn_status find_peak(planning *w)
{
    const size_t bytes = ((size_t)w->end + 2) * sizeof(int64_t);
    int64_t *change = memory_alloc(w->to->allocator, bytes), now = 0;
    if (!change)
        return module_no_memory(w->m);
    memset(change, 0, bytes);
    for (uint32_t v = 0; v < w->f->values.n; v++) {
        const planned_buffer *b = buffer_of(w, v);
        if (b->usage != BUFFER_TEMPORARY || b->bytes == BYTES_UNKNOWN || b->alias != ALIAS_NONE)
            continue;
        change[b->begin] += b->bytes;
        change[b->end + 1] -= b->bytes;
    }
    for (uint32_t i = 0; i <= w->end; i++) {
        now += change[i];
        w->to->peak = now > w->to->peak ? now : w->to->peak;
    }
    memory_free(w->to->allocator, change, bytes);
    return TN_OK;
}

static tn_status plan_function(const module *m, uint32_t index, buffer_plan *out)
{
    planning w = {.m = m, .f = m->functions.at[index], .to = out, .function = index};
    const size_t bytes = ((size_t)w.f->nodes.n + 1) * sizeof *w.position;
    w.base = out->buffers.n;
    w.position = memory_alloc(out->allocator, bytes);
    if (!w.position)
        return module_no_memory(m);
    tn_status s = list_buffers(&w);
    if (s == TN_OK) {
        find_lives(&w);
        s = give_slots(&w);
    }
    if (s == TN_OK)
        s = find_peak(&w);
    memory_free(out->allocator, w.position, bytes);
    return s;
}

tn_status plan_buffers(const module *m, buffer_plan *out)
{
    *out = (buffer_plan){.allocator = m->allocator};
    tn_status s = TN_OK;
    for (uint32_t i = 0; s == TN_OK && i < m->functions.n; i++)
        s = plan_function(m, i, out);
    if (s != TN_OK)
        buffer_plan_release(out);
    return s;
}

void buffer_plan_release(buffer_plan *p)
{
    VECTOR_RELEASE(p->allocator, &p->buffers);
    VECTOR_RELEASE(p->allocator, &p->slots);
}
