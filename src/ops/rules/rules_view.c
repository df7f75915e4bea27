/* The type rule of view, whose index expressions are checked here. */
#include <inttypes.h>
#include <string.h>

#include "base/text/text.h"
#include "ops/attr_rules.h"
#include "ops/index_map.h"
#include "ops/rules/rules.h"

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
                            "index map '%s' %s, at byte %zu", text, index_fault_text(f), where);
    if (map.n != call->in[0]->rank)
        return infer_reject(call, DIAG_InvalidAttribute,
                            "index map '%s' has %" PRIu32
                            " expression%s for an operand of rank %" PRIu32,
                            text, map.n, plural(map.n), call->in[0]->rank);
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
