/* The fields of an operation to attributes of the graph, and PTIR's own constraints. */
#include <inttypes.h>
#include <stdio.h>

#include "base/memory/checked.h"
#include "base/text/text.h"
#include "dialect/ptir/lower.h"
#include "graph/literal.h"
#include "ops/shape.h"

/* More entries than any operation has fields, for those that become several attributes. */
enum { MAX_ATTRS = PTIR_MAX_FIELDS + 4 };

typedef struct attr_work {
    lowering *l;
    const ptir_inst *inst;
    const type *const *in;
    uint32_t n_in;
    op_id op;
    attr at[MAX_ATTRS];
    uint32_t n;
    bool ok;
} attr_work;

static attr *find(attr_work *w, attr_key key)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (w->at[i].key == key)
            return &w->at[i];
    return NULL;
}

static void drop(attr_work *w, attr_key key)
{
    attr *a = find(w, key);
    if (a)
        *a = w->at[--w->n];
}

__attribute__((format(printf, 3, 4))) static void refuse(attr_work *w, diag_kind kind,
                                                         const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    ptir_lower_fault(w->l, kind, op_table[w->op].text, w->inst->at, "%s", message);
    w->ok = false;
}

/* ---- axes ---------------------------------------------------------------------------------- */

/* The rank from whose end a negative axis of this field counts; false when it is not known. */
static bool axis_rank(attr_work *w, attr_key key, uint32_t *rank)
{
    uint32_t k = key == KEY_BATCH_RHS || key == KEY_CONTRACT_RHS;
    if (w->op == OP_IOTA) {
        *rank = find(w, KEY_SHAPE)->n;
        return true;
    }
    *rank = k < w->n_in ? w->in[k]->rank : 0;
    return k < w->n_in;
}

/* An axis out of range stays as it is, for the type rule to reject. */
static int64_t from_start(int64_t axis, uint32_t rank)
{
    return axis < 0 && axis >= -(int64_t)rank ? axis + rank : axis;
}

static tn_status normal_list(attr_work *w, attr *a, uint32_t rank)
{
    int64_t *own = arena_alloc(w->l->memory, a->n * sizeof *own);
    if (!own)
        return ptir_lower_no_memory(w->l);
    for (uint32_t i = 0; i < a->n; i++)
        own[i] = from_start(a->v.ints[i], rank);
    a->v.ints = own;
    return TN_OK;
}

/* ---- shapes -------------------------------------------------------------------------------- */

static tn_status known_dims(attr_work *w, attr *a)
{
    dim *own = arena_alloc(w->l->memory, a->n * sizeof *own);
    if (!own)
        return ptir_lower_no_memory(w->l);
    for (uint32_t i = 0; i < a->n; i++)
        if ((own[i] = ptir_lower_dim(w->l, a->v.ints[i])) == DIM_NO_MEMORY)
            return ptir_lower_no_memory(w->l);
    a->v.ints = own;
    return TN_OK;
}

/* starts, sizes to starts, ends, steps. */
static tn_status slice(attr_work *w)
{
    attr starts = *find(w, KEY_STARTS), sizes = *find(w, KEY_SIZES);
    uint32_t rank = w->n_in ? w->in[0]->rank : starts.n;
    if (starts.n != sizes.n || starts.n != rank) {
        refuse(w, DIAG_SliceLength,
               "a slice of rank %" PRIu32 " has %" PRIu32 " start%s and %" PRIu32 " size%s", rank,
               starts.n, plural(starts.n), sizes.n, plural(sizes.n));
        return TN_OK;
    }
    int64_t *ends = arena_alloc(w->l->memory, 2 * (size_t)rank * sizeof *ends);
    if (!ends)
        return ptir_lower_no_memory(w->l);
    for (uint32_t i = 0; i < rank; i++) {
        dim extent = w->n_in ? w->in[0]->dims[i] : INT64_MAX;
        ends[rank + i] = 1;
        if (!add_i64(starts.v.ints[i], sizes.v.ints[i], &ends[i]) ||
            (!dim_is_symbolic(extent) && ends[i] > extent)) {
            refuse(w, DIAG_InvalidAttribute,
                   "a slice of %" PRId64 " element%s from %" PRId64 " on passes the extent %" PRId64
                   " of axis %" PRIu32,
                   sizes.v.ints[i], plural((uint64_t)sizes.v.ints[i]), starts.v.ints[i], extent, i);
            return TN_OK;
        }
    }
    drop(w, KEY_SIZES);
    w->at[w->n++] = (attr){.key = KEY_ENDS, .n = rank, .v.ints = ends};
    w->at[w->n++] = (attr){.key = KEY_STEPS, .n = rank, .v.ints = ends + rank};
    return TN_OK;
}

/* ---- values -------------------------------------------------------------------------------- */

bool ptir_lower_literal(lowering *l, const literal *value, span at)
{
    const char *op = op_table[OP_CONSTANT].text;
    size_t bytes;
    if (!type_is_static(value->type)) {
        ptir_lower_fault(l, DIAG_InvalidConstant, op, at, "a constant needs known extents");
        return false;
    }
    if (!type_bytes(value->type, &bytes)) {
        ptir_lower_fault(l, DIAG_InvalidConstant, op, at, "a constant of too many elements");
        return false;
    }
    if (value->splat && value->bytes == dtype_bytes(value->type->dtype))
        bytes = value->bytes;
    if (value->bytes != bytes) {
        ptir_lower_fault(l, DIAG_InvalidConstant, op, at,
                         "a constant of %" PRId64 " element%s of %s takes %zu byte%s, not %zu",
                         value->type->count, plural((uint64_t)value->type->count),
                         dtype_name(value->type->dtype), bytes, plural(bytes), value->bytes);
        return false;
    }
    literal_normalize(value->type->dtype, (void *)(uintptr_t)value->data, value->bytes);
    return true;
}

static tn_status region(attr_work *w, attr *a)
{
    uint32_t k = ptir_lower_find_region(w->l, (uint64_t)a->v.i);
    if (k == NO_VALUE) {
        if (w->l->lost_regions) /* that was reported */
            w->ok = false;
        else
            refuse(w, DIAG_UndefinedName, "there is no region %" PRId64, a->v.i);
        return TN_OK;
    }
    TN_TRY(ptir_lower_region(w->l, k, w->inst->at));
    if (w->l->regions[k] != REGION_DONE)
        w->ok = false; /* and that was reported */
    a->v.i = w->l->p->functions.n + (int64_t)k;
    return TN_OK;
}

/* ---- custom calls -------------------------------------------------------------------------- */

static size_t nesting_length(const ptir_type *t)
{
    size_t n = t->tensor ? 1 : 2;
    for (uint32_t i = 0; !t->tensor && i < t->n; i++)
        n += nesting_length(&t->items[i]);
    return n;
}

static char *put_nesting(char *to, const ptir_type *t)
{
    *to++ = t->tensor ? 't' : '(';
    for (uint32_t i = 0; !t->tensor && i < t->n; i++)
        to = put_nesting(to, &t->items[i]);
    if (!t->tensor)
        *to++ = ')';
    return to;
}

const char *ptir_lower_nesting(arena *memory, const ptir_type *t)
{
    char *text = arena_alloc(memory, nesting_length(t) + 1);
    if (text)
        *put_nesting(text, t) = '\0';
    return text;
}

/* The declared type is authoritative. */
static tn_status custom_types(attr_work *w)
{
    lowering *l = w->l;
    enum { MAX_ITEMS = 255 };
    uint32_t n = ptir_type_leaves(&w->inst->out), k = 0;
    if (w->inst->out.n > MAX_ITEMS || n > MAX_ITEMS) {
        refuse(w, DIAG_LimitExceeded, "a tuple of more than %d items", MAX_ITEMS);
        return TN_OK;
    }
    const type **types = arena_alloc(l->memory, ((size_t)n + 1) * sizeof(const type *));
    if (!types)
        return ptir_lower_no_memory(l);
    ptir_type_flatten(&w->inst->out, types, &k);
    for (uint32_t i = 0; i < n; i++)
        if (!(types[i] = ptir_lower_type(l, types[i])))
            return ptir_lower_no_memory(l);
    w->at[w->n++] = (attr){.key = KEY_TYPES, .n = n, .v.types = types};
    if (ptir_type_is_flat(&w->inst->out))
        return TN_OK;
    const char *text = ptir_lower_nesting(l->memory, &w->inst->out);
    const char *own = text ? module_string(l->m, text, strlen(text)) : NULL;
    w->at[w->n++] = (attr){.key = KEY_TUPLE, .v.s = own};
    return own ? TN_OK : ptir_lower_no_memory(l);
}

/* ---- all of them --------------------------------------------------------------------------- */

static tn_status normal_field(attr_work *w, const ptir_field *field)
{
    uint32_t rank;
    attr *a = find(w, field->key);
    if (!a)
        return TN_OK;
    switch (field->kind) {
    case PTIR_AXES:
        return axis_rank(w, field->key, &rank) ? normal_list(w, a, rank) : TN_OK;
    case PTIR_AXIS:
    case PTIR_INT_AXIS:
        if (axis_rank(w, field->key, &rank))
            a->v.i = from_start(a->v.i, rank);
        return TN_OK;
    case PTIR_SHAPE:
    case PTIR_NEW_SHAPE:
        return known_dims(w, a);
    case PTIR_REGION:
        return region(w, a);
    case PTIR_UINTS:
    case PTIR_UINT:
    case PTIR_BOOL:
    case PTIR_FLOAT:
    case PTIR_WORD:
    case PTIR_DTYPE:
    case PTIR_SCALAR:
    case PTIR_PAIRS:
    case PTIR_STRING:
    case PTIR_DICT:
        return TN_OK;
    }
    return TN_OK;
}

static tn_status special(attr_work *w)
{
    switch (w->inst->op) {
    case PTIR_CONSTANT:
        w->ok = ptir_lower_literal(w->l, w->at[0].v.literal, w->inst->at);
        return TN_OK;
    case PTIR_UNARY:
        w->op = ptir_unary_op(w->inst->word);
        return TN_OK;
    case PTIR_BINARY:
        w->op = ptir_binary_op(w->inst->word);
        return TN_OK;
    case PTIR_REDUCE:
        w->op = ptir_reduce_op((uint32_t)find(w, KEY_COMBINE)->v.i);
        drop(w, KEY_COMBINE);
        return TN_OK;
    case PTIR_SLICE:
        return slice(w);
    case PTIR_CUSTOM_CALL:
        return custom_types(w);
    default:
        return TN_OK;
    }
}

tn_status ptir_lower_attrs(lowering *l, const ptir_inst *inst, const type *const *in, uint32_t n_in,
                           op_id *op, const attrs **out)
{
    const ptir_op_info *info = &ptir_ops[inst->op];
    attr_work w = {.l = l,
                   .inst = inst,
                   .in = in,
                   .n_in = n_in,
                   .op = info->op,
                   .n = inst->n_attrs,
                   .ok = true};
    if (inst->n_attrs)
        memcpy(w.at, inst->attrs, inst->n_attrs * sizeof *inst->attrs);
    *out = NULL;
    for (uint32_t i = 0; i < info->n_fields && w.ok; i++)
        TN_TRY(normal_field(&w, &info->fields[i]));
    if (w.ok)
        TN_TRY(special(&w));
    *op = w.op;
    if (!w.ok)
        return TN_OK;
    *out = attrs_of(&l->m->attrs, w.at, w.n);
    return *out ? TN_OK : ptir_lower_no_memory(l);
}

/* ---- constraints --------------------------------------------------------------------------- */

static bool same_shape(lowering *l, const ptir_inst *inst, op_id op, const type *a, const type *b,
                       uint32_t k)
{
    bool same = a->rank == b->rank;
    for (uint32_t i = 0; same && i < a->rank; i++)
        same = dims_may_equal(a->dims[i], b->dims[i]);
    if (same)
        return true;
    arena_mark here = arena_here(l->memory);
    ptir_lower_fault(l, DIAG_ShapeMismatch, op_table[op].text, inst->at,
                     "operand %" PRIu32
                     " has shape %s, the first one %s; nothing broadcasts by itself",
                     k, dims_text(l->memory, &l->m->types, b->dims, b->rank),
                     dims_text(l->memory, &l->m->types, a->dims, a->rank));
    arena_rewind(l->memory, here);
    return false;
}

static bool broadcasts(lowering *l, const ptir_inst *inst, const type *in)
{
    const attr *wanted = &inst->attrs[0];
    const char *op = op_table[OP_BROADCAST].text;
    if (wanted->n < in->rank) {
        ptir_lower_fault(l, DIAG_RankMismatch, op, inst->at,
                         "rank %" PRIu32 " cannot become rank %" PRIu32, in->rank, wanted->n);
        return false;
    }
    for (uint32_t i = 0; i < in->rank; i++) {
        uint32_t k = wanted->n - in->rank + i;
        dim to = ptir_lower_dim(l, wanted->v.ints[k]);
        if (in->dims[i] == 1 || dims_may_equal(in->dims[i], to))
            continue;
        ptir_lower_fault(l, DIAG_BroadcastMismatch, op, inst->at,
                         "extent %" PRId64 " of operand axis %" PRIu32 " cannot become %" PRId64,
                         in->dims[i], i, to);
        return false;
    }
    return true;
}

bool ptir_lower_check(lowering *l, const ptir_inst *inst, op_id op, const type *const *in,
                      uint32_t n_in)
{
    if (inst->op == PTIR_BROADCAST_TO)
        return n_in != 1 || broadcasts(l, inst, in[0]);
    bool same_dtypes = inst->op == PTIR_SELECT || (n_in == 2 && in[0]->dtype == in[1]->dtype) ||
                       (n_in == 3 && in[0]->dtype == in[1]->dtype && in[1]->dtype == in[2]->dtype);
    if (!(op_table[op].traits & T_ELEMENTWISE) || n_in != op_table[op].min_in || !same_dtypes)
        return true; /* arity and dtypes come first, and are the type rule's */
    for (uint32_t k = 1; k < n_in; k++)
        if (!same_shape(l, inst, op, in[0], in[k], k))
            return false;
    return true;
}
