/* view: every element of the result is the operand's element at a position that expressions give.
 */
#include <inttypes.h>
#include <string.h>

#include "eval/kernels/kernels.h"
#include "eval/parts/view.h"
#include "ops/index_map.h"
#include "ops/rules/rules.h"

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
