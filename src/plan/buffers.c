/* Lifetimes, aliases and slots: a function at a time. */
#include "plan/buffers.h"

#include "base/memory/checked.h"
#include "base/memory/hash.h"

/* Slots of one element type and size. */
typedef struct slot_class {
    tn_dtype dtype;
    int64_t bytes;
    uint32_t first_free; /* NO_SLOT: none; others by `next` */
} slot_class;

typedef struct planning {
    const module *m;
    const function *f;
    buffer_plan *to;
    uint32_t function;
    uint32_t base;      /* of the function's buffers: value v is buffer base + v */
    uint32_t *position; /* by node: its instruction + 1; parameters 0 */
    uint32_t end;       /* instructions + 1 */
    /* Slots by class, and busy ones by the position where that ends (lists by `next`); those that
     * end before NOW are free. */
    VECTOR(slot_class) classes;
    hash_index by_class;
    uint32_t *ending;
    uint32_t now;
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

/* ---- slots --------------------------------------------------------------------------------- */

static uint64_t class_hash(tn_dtype d, int64_t bytes)
{
    return hash_mix(d, (uint64_t)bytes);
}

/* The class of slots for B. */
static tn_status find_class(planning *w, const planned_buffer *b, uint32_t *out)
{
    const tn_allocator *a = w->to->allocator;
    const uint64_t h = class_hash(b->type->dtype, b->bytes);
    for (uint32_t p = hash_first(&w->by_class, h), k;
         (k = hash_at(&w->by_class, h, &p)) != HASH_NONE;)
        if (w->classes.at[k].dtype == b->type->dtype && w->classes.at[k].bytes == b->bytes) {
            *out = k;
            return TN_OK;
        }
    slot_class fresh = {b->type->dtype, b->bytes, NO_SLOT};
    *out = w->classes.n;
    return VECTOR_PUSH_INDEXED(a, &w->classes, fresh, &w->by_class, h) ? TN_OK
                                                                       : module_no_memory(w->m);
}

/* Slots that are busy until before POSITION are free. */
static void free_slots(planning *w, uint32_t position)
{
    for (; w->now < position; w->now++)
        for (uint32_t i = w->ending[w->now], next; i != NO_SLOT; i = next) {
            buffer_slot *s = &w->to->slots.at[i];
            slot_class *c = &w->classes.at[s->of_class];
            next = s->next;
            s->next = c->first_free;
            c->first_free = i;
        }
}

static tn_status new_slot(planning *w, const planned_buffer *b, uint32_t of_class, uint32_t *out)
{
    buffer_plan *p = w->to;
    buffer_slot fresh = {.offset = p->slot_bytes, .of_class = of_class};
    int64_t room;
    if (!add_i64(b->bytes, BUFFER_ALIGNMENT - 1, &room) ||
        !add_i64(p->slot_bytes, room / BUFFER_ALIGNMENT * BUFFER_ALIGNMENT, &p->slot_bytes))
        return diag_report(&w->m->cx->diag, DIAG_InvalidDimension, &w->m->source, NO_SPAN,
                           "the sizes of all tensors together overflow");
    *out = p->slots.n;
    return VECTOR_PUSH(p->allocator, &p->slots, fresh) ? TN_OK : module_no_memory(w->m);
}

/* A slot for B: of its class, the one that became free last. */
static tn_status give_slot(planning *w, planned_buffer *b)
{
    uint32_t k, i;
    free_slots(w, b->begin);
    TN_TRY(find_class(w, b, &k));
    i = w->classes.at[k].first_free;
    if (i != NO_SLOT)
        w->classes.at[k].first_free = w->to->slots.at[i].next;
    else
        TN_TRY(new_slot(w, b, k, &i));
    b->slot = i;
    w->to->slots.at[i].next = w->ending[b->end];
    w->ending[b->end] = i;
    return TN_OK;
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

static tn_status plan_function(const module *m, uint32_t index, buffer_plan *out)
{
    planning w = {.m = m, .f = m->functions.at[index], .to = out, .function = index};
    const tn_allocator *a = out->allocator;
    const size_t n = w.f->nodes.n, bytes = (n + 1) * sizeof *w.position,
                 ending_bytes = (n + 2) * sizeof *w.ending; /* positions 0 to instructions + 1 */
    tn_status s = TN_OK;
    w.base = out->buffers.n;
    w.position = memory_alloc(a, bytes);
    w.ending = memory_alloc(a, ending_bytes);
    if (!w.position || !w.ending)
        s = module_no_memory(m);
    else
        memset(w.ending, 0xff, ending_bytes); /* NO_SLOT */
    if (s == TN_OK)
        s = list_buffers(&w);
    if (s == TN_OK) {
        find_lives(&w);
        s = give_slots(&w);
    }
    memory_free(a, w.position, bytes);
    memory_free(a, w.ending, ending_bytes);
    VECTOR_RELEASE(a, &w.classes);
    hash_release(a, &w.by_class);
    return s;
}

/* ---- the peak ------------------------------------------------------------------------------ */

/* The most that one of the regions of N needs. */
static int64_t peak_inside(const node *n, const int64_t *peaks)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < n->attrs->n; i++) {
        const attr *a = &n->attrs->at[i];
        if (attr_keys[a->key].kind == ATTR_FUNCTION && peaks[a->v.i] > most)
            most = peaks[a->v.i];
    }
    return most;
}

/* The peak of the temporaries of F, whose buffers are those at BUFFERS: a sweep over the begins and
 * ends of lifetimes, with the peaks of regions (PEAKS, by function) on top. */
static tn_status find_peak(const module *m, const function *f, const planned_buffer *buffers,
                           const int64_t *peaks, int64_t *out)
{
    const size_t bytes = ((size_t)f->nodes.n + 3) * sizeof(int64_t); /* to instructions + 2 */
    int64_t *change = memory_alloc(m->allocator, bytes), now;
    uint32_t position = 0;
    if (!change)
        return module_no_memory(m);
    memset(change, 0, bytes);
    for (uint32_t v = 0; v < f->values.n; v++) {
        const planned_buffer *b = &buffers[v];
        if (b->usage != BUFFER_TEMPORARY || b->bytes == BYTES_UNKNOWN || b->alias != ALIAS_NONE)
            continue;
        change[b->begin] += b->bytes;
        change[b->end + 1] -= b->bytes;
    }
    now = change[0];
    for (uint32_t k = 0; k < f->nodes.n; k++) {
        const node *n = &f->nodes.at[k];
        if (n->op == OP_INPUT)
            continue;
        now += change[++position];
        const int64_t here = now + peak_inside(n, peaks);
        *out = here > *out ? here : *out;
    }
    memory_free(m->allocator, change, bytes);
    return TN_OK;
}

/* Of all functions. Regions may come before or after the functions that run them, so this repeats
 * until nothing changes: once more than regions are nested. */
static tn_status find_peaks(const module *m, buffer_plan *p)
{
    const size_t bytes = ((size_t)m->functions.n + 1) * sizeof(int64_t);
    int64_t *peaks = memory_alloc(m->allocator, bytes);
    tn_status s = TN_OK;
    if (!peaks)
        return module_no_memory(m);
    memset(peaks, 0, bytes);
    for (bool again = true; again && s == TN_OK;) {
        uint32_t base = p->buffers.n;
        again = false;
        for (uint32_t i = m->functions.n; i-- > 0 && s == TN_OK;) {
            const int64_t before = peaks[i];
            base -= m->functions.at[i]->values.n;
            s = find_peak(m, m->functions.at[i], &p->buffers.at[base], peaks, &peaks[i]);
            again = again || peaks[i] != before;
            p->peak = peaks[i] > p->peak ? peaks[i] : p->peak;
        }
    }
    memory_free(m->allocator, peaks, bytes);
    return s;
}

tn_status plan_buffers(const module *m, buffer_plan *out)
{
    *out = (buffer_plan){.allocator = m->allocator};
    tn_status s = TN_OK;
    for (uint32_t i = 0; s == TN_OK && i < m->functions.n; i++)
        s = plan_function(m, i, out);
    if (s == TN_OK)
        s = find_peaks(m, out);
    if (s != TN_OK)
        buffer_plan_release(out);
    return s;
}

void buffer_plan_release(buffer_plan *p)
{
    VECTOR_RELEASE(p->allocator, &p->buffers);
    VECTOR_RELEASE(p->allocator, &p->slots);
}
