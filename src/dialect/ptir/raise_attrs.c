/* Attributes of the graph to the fields of an operation. */
#include <inttypes.h>
#include <math.h>

#include "dialect/ptir/raise.h"
#include "ops/shape.h"

typedef struct fields_work {
    raising *r;
    const node *n;
    attr at[PTIR_MAX_FIELDS];
    uint32_t n_at;
} fields_work;

static void put(fields_work *w, attr a)
{
    w->at[w->n_at++] = a;
}

static void *take(fields_work *w, size_t bytes)
{
    void *memory = arena_alloc(w->r->memory, bytes);
    w->r->no_memory = w->r->no_memory || !memory;
    return memory;
}

static const type *operand_type(const fields_work *w, uint32_t k)
{
    return k < w->n->n_in ? value_type(w->r->f, w->n->in[k]) : NULL;
}

/* Written axes count from the start. */
static int64_t from_start(int64_t axis, const type *t)
{
    return axis < 0 && t ? axis + t->rank : axis;
}

static void put_axes(fields_work *w, attr_key key)
{
    const attr *a = attr_find(w->n->attrs, key);
    const type *t = operand_type(w, key == KEY_BATCH_RHS || key == KEY_CONTRACT_RHS);
    bool all = !a && key == KEY_AXES; /* a reduction without axes is over all of them */
    uint32_t n = a ? a->n : all && t ? t->rank : 0;
    int64_t *own = take(w, ((size_t)n + 1) * sizeof *own);
    if (!own)
        return;
    for (uint32_t i = 0; i < n; i++)
        own[i] = a ? from_start(a->v.ints[i], t) : (int64_t)i;
    put(w, (attr){.key = (uint8_t)key, .n = n, .v.ints = own});
}

/* starts, ends, steps to starts, sizes. */
static void put_slice(fields_work *w)
{
    const type *t = operand_type(w, 0);
    slice_range ranges[TN_MAX_RANK];
    shape out;
    int64_t *own = take(w, 2 * (size_t)t->rank * sizeof *own + 1);
    if (!own)
        return;
    (void)resolve_slices(w->n->attrs, t->dims, t->rank, ranges, &out); /* see ptir_expressible */
    for (uint32_t i = 0; i < t->rank; i++) {
        own[i] = ranges[i].start;
        own[t->rank + i] = ranges[i].count;
    }
    put(w, (attr){.key = KEY_STARTS, .n = t->rank, .v.ints = own});
    put(w, (attr){.key = KEY_SIZES, .n = t->rank, .v.ints = own + t->rank});
}

static bool is_finite(const attr *a)
{
    switch (attr_keys[a->key].kind) {
    case ATTR_FLOAT:
        return isfinite(a->v.f);
    case ATTR_SCALAR:
        return (a->v.scalar->kind != DTYPE_FLOAT && a->v.scalar->kind != DTYPE_COMPLEX) ||
               (isfinite(a->v.scalar->f) && isfinite(a->v.scalar->im));
    case ATTR_DICT:
        for (uint32_t i = 0; i < a->n; i++)
            for (uint32_t k = 0; a->v.dict[i].kind == ATTR_FLOAT && k < a->v.dict[i].n; k++)
                if (!isfinite(((const double *)a->v.dict[i].values)[k]))
                    return false;
        return true;
    case ATTR_INT:
    case ATTR_BOOL:
    case ATTR_INTS:
    case ATTR_WORD:
    case ATTR_DTYPE:
    case ATTR_STRING:
    case ATTR_TYPE:
    case ATTR_TYPES:
    case ATTR_LITERAL:
    case ATTR_FUNCTION:
        return true;
    }
    return true;
}

/* What stands for an attribute that the graph leaves out. */
static attr absent(const ptir_field *field)
{
    return (attr){.key = (uint8_t)field->key};
}

static void put_field(fields_work *w, const ptir_field *field)
{
    const attr *a = attr_find(w->n->attrs, field->key);
    if (field->kind == PTIR_AXES) {
        put_axes(w, field->key);
        return;
    }
    if (!a && field->optional)
        return;
    attr own = a ? *a : absent(field);
    if (field->key == KEY_KEEPDIMS && w->at[0].key == KEY_COMBINE &&
        !attr_find(w->n->attrs, KEY_AXES))
        own.v.i = 0; /* a reduction over all axes by default keeps none */
    if (field->kind == PTIR_AXIS || field->kind == PTIR_INT_AXIS)
        own.v.i = from_start(own.v.i, operand_type(w, 0));
    if (field->kind == PTIR_REGION)
        own.v.i = w->r->region_ids[own.v.i];
    if (w->r->options->exchange && !is_finite(&own))
        ptir_raise_fault(w->r, w->n, DIAG_InvalidAttribute,
                         "'%s' is not finite, which the exchanged form cannot say", field->name);
    put(w, own);
}

void ptir_raise_attrs(raising *r, const node *n, ptir_op op, ptir_inst *out)
{
    const ptir_op_info *info = &ptir_ops[op];
    fields_work w = {.r = r, .n = n};
    uint32_t word;
    if (op == PTIR_CONSTANT) {
        put(&w, *attr_find(n->attrs, KEY_VALUE));
    } else if (op == PTIR_SLICE) {
        put_slice(&w);
    } else {
        for (uint32_t i = 0; i < info->n_fields; i++)
            put_field(&w, &info->fields[i]);
        if (op == PTIR_REDUCE) {
            (void)ptir_op_of((op_id)n->op, &word);
            w.at[0].v.i = word;
        }
    }
    attr *own = take(&w, ((size_t)w.n_at + 1) * sizeof *own);
    if (!own)
        return;
    memcpy(own, w.at, w.n_at * sizeof *own);
    out->attrs = own;
    out->n_attrs = (uint8_t)w.n_at;
}
