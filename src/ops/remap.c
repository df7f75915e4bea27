/* view: every element of the result is the operand's element at a position that expressions give.
 */
#include <inttypes.h>
#include <string.h>

#include "ops/attr_rules.h"
#include "ops/cells.h"
#include "ops/index_map.h"
#include "ops/rules.h"
#include "ops/view.h"

/* Type rule. */

static const char *fault_text(index_fault f)
{
    switch (f) {
    case INDEX_SYNTAX:
        return "is not an expression here";
    case INDEX_LIMIT:
        return "is nested too deeply or holds a number that is too large";
    case INDEX_NO_AXIS:
        return "names an axis that the result does not have";
    case INDEX_NON_AFFINE:
        return "multiplies or divides by something that depends on an axis";
    case INDEX_DIVISOR:
        return "divides by a number that is not positive";
    case INDEX_FINE:
    case INDEX_NO_MEMORY:
        break;
    }
    return "cannot be read";
}

/* Symbols of index maps are sizes of the module like any other. */
static bool declare_symbol(void *user, const char *name, size_t length)
{
    module *m = user;
    const char *own = module_string(m, name, length);
    return own && dim_symbol(&m->types, own) != DIM_NO_MEMORY;
}

static tn_status check_expression(const infer_call *call, const index_map *map, uint32_t axis,
                                  const shape *s)
{
    const dim extent = call->in[0]->dims[axis];
    if (map->at[axis]->symbolic || dim_is_symbolic(extent))
        return TN_OK; /* decided when the sizes are known */
    const index_bounds b = index_check(map->at[axis], s->dims, s->rank, extent);
    if (b == INDEX_INSIDE)
        return TN_OK;
    return infer_reject(call, DIAG_UnguardedAccess,
                        "expression %" PRIu32 " of index map '%s' %s [0, %" PRId64
                        ") for result shape %s",
                        axis, attr_string(call->attrs, KEY_INDEX_MAP),
                        b == INDEX_OUTSIDE ? "leaves" : "cannot be shown to stay inside", extent,
                        infer_dims_text(call, s->dims, s->rank));
}

static tn_status check_map(const infer_call *call, arena *memory, const shape *s)
{
    const char *text = attr_string(call->attrs, KEY_INDEX_MAP);
    module *m = call->module;
    bool known = true;
    index_map map;
    size_t where;
    const index_fault f = index_map_parse(text, s->rank, memory, &map, &where);
    if (f == INDEX_NO_MEMORY || !index_map_symbols(text, declare_symbol, m))
        return module_no_memory(m);
    if (f != INDEX_FINE)
        return infer_reject(call, f == INDEX_NON_AFFINE ? DIAG_NonAffine : DIAG_InvalidAttribute,
                            "index map '%s' %s, at byte %zu", text, fault_text(f), where);
    if (map.n != call->in[0]->rank)
        return infer_reject(call, DIAG_InvalidAttribute,
                            "index map '%s' has %" PRIu32
                            " expressions for an operand of rank %" PRIu32,
                            text, map.n, call->in[0]->rank);
    for (uint32_t i = 0; i < s->rank; i++) {
        if (s->dims[i] == 0)
            return TN_OK; /* reads nothing */
        known = known && !dim_is_symbolic(s->dims[i]);
    }
    for (uint32_t i = 0; known && i < map.n; i++)
        TN_TRY(check_expression(call, &map, i, s));
    return TN_OK;
}

/* Bounds beside the map are those of the slice that it is; binding needs all three. */
static tn_status check_cut(const infer_call *call)
{
    static const attr_key keys[] = {KEY_CUT_FROM, KEY_CUT_TO, KEY_CUT_STEP};
    bool any = false;
    for (int k = 0; k < 3; k++)
        any = any || attr_find(call->attrs, keys[k]);
    for (int k = 0; any && k < 3; k++)
        TN_TRY(rule_sizes(call, keys[k], call->in[0]->rank, k == 2));
    return TN_OK;
}

tn_status infer_view(infer_call *call)
{
    uint32_t n;
    const int64_t *dims = attr_ints(call->attrs, KEY_SHAPE, &n);
    shape s = {.rank = n};
    arena memory;
    TN_TRY(rule_rank(call, 0, 0, TN_MAX_RANK));
    TN_TRY(rule_extents(call, KEY_SHAPE));
    TN_TRY(check_cut(call));
    if (n)
        memcpy(s.dims, dims, n * sizeof *dims);
    arena_init(&memory, call->module->allocator);
    const tn_status status = check_map(call, &memory, &s);
    arena_release(&memory);
    TN_TRY(status);
    return rule_result(call, call->in[0]->dtype, &s);
}

/* Kernel. */

/* The map as a strided view over the operand, when it has that form. */
static bool as_strides(const eval_call *call, const index_map *map, view *v)
{
    const type *in = call->in->type, *t = call->out->type;
    int64_t own[TN_MAX_RANK], strides[TN_MAX_RANK] = {0}, first = 0;
    type_strides(in, own);
    for (uint32_t a = 0; a < map->n; a++) {
        int64_t offset, factors[TN_MAX_RANK];
        if (!index_affine(map->at[a], t->rank, &offset, factors))
            return false;
        first += offset * own[a]; /* the rule keeps positions inside, so nothing overflows */
        for (uint32_t k = 0; k < t->rank; k++)
            if (t->dims[k] > 1)
                strides[k] += factors[k] * own[a];
    }
    const size_t size = dtype_bytes(in->dtype);
    view_init(v, (const char *)call->in->data + first * (int64_t)size, size, t->dims, strides,
              t->rank);
    return true;
}

/* Element by element, each position checked once more. */
static tn_status read_each(const eval_call *call, const index_map *map)
{
    const type *in = call->in->type, *t = call->out->type;
    const size_t size = dtype_bytes(t->dtype);
    const char *data = call->in->data;
    char *out = call->out->data;
    int64_t at[TN_MAX_RANK] = {0};
    for (int64_t done = 0; done < t->count; done++) {
        int64_t from = 0;
        TN_TRY(eval_tick(call, 8)); /* quotients and remainders */
        for (uint32_t a = 0; a < map->n; a++) {
            const int64_t i = index_value(map->at[a], at);
            if (i < 0 || i >= in->dims[a])
                return eval_report(call, DIAG_UnguardedAccess,
                                   "expression %" PRIu32 " of the index map gives %" PRId64
                                   " for an axis of extent %" PRId64,
                                   a, i, in->dims[a]);
            from = from * in->dims[a] + i;
        }
        memcpy(out + (size_t)done * size, data + (size_t)from * size, size);
        for (uint32_t k = t->rank; k-- > 0;) {
            if (++at[k] < t->dims[k])
                break;
            at[k] = 0;
        }
    }
    return TN_OK;
}

tn_status eval_view(eval_call *call)
{
    const type *t = call->out->type;
    index_map map;
    size_t where;
    view v;
    if (t->count == 0)
        return TN_OK;
    const index_fault f = index_map_parse(attr_string(call->attrs, KEY_INDEX_MAP), t->rank,
                                          call->scratch, &map, &where);
    if (f == INDEX_NO_MEMORY)
        return eval_no_memory(call);
    for (uint32_t a = 0; a < map.n; a++)
        if (f != INDEX_FINE || map.at[a]->symbolic)
            return eval_report(call, DIAG_UnboundSymbol,
                               "a size in the index map has no value yet; bind it to run");
    if (!as_strides(call, &map, &v))
        return read_each(call, &map);
    return view_read_all(call, &v, t->count, call->out->data);
}
