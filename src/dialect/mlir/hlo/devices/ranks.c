/* Programs that several processes run, each a rank: custom calls bring the operands of a group to
 * each of its processes, which then do what remains. The text becomes the same program in all of
 * them, so that all exchange in one order; which process it is, is data. */
#include "dialect/mlir/hlo/devices/devices.h"

#include <inttypes.h>

/* The number of the process, where the partition changes faster. */
static tn_value own_number(shlo_call *c)
{
    tn_value out = tn_no_value();
    const tn_type number = {.dtype = TN_SI64};
    tn_custom_call(c->b, SHLO_RANK_TARGET, (tn_values){0}, &number, NULL, 0, &out, 1);
    return out;
}

tn_value shlo_rank_id(shlo_call *c, bool of_partition)
{
    const tn_value n = tn_scalar_int(c->b, TN_SI64, c->r->all.n_partitions);
    const tn_value rank = own_number(c);
    return tn_cast(c->b, of_partition ? tn_mod(c->b, rank, n) : tn_div(c->b, rank, n), TN_UI32);
}

/* The groups of all processes: N_ALL rows of *N places each, those of a process without a group
 * -1. */
static bool table_of(shlo_call *c, int64_t *table, uint32_t *n)
{
    const shlo_process *all = &c->r->all;
    const uint32_t n_all = all->n_replicas * all->n_partitions;
    bool ok = true;
    *n = 0;
    for (uint32_t i = 0; ok && i < n_all; i++) {
        shlo_group g;
        const shlo_process own = {all->n_replicas, all->n_partitions, i / all->n_partitions,
                                  i % all->n_partitions};
        c->r->process = &own;
        ok = shlo_group_of(c, &g);
        c->r->process = NULL;
        if (ok && g.n && *n && g.n != *n)
            ok =
                shlo_refuse(c, DIAG_NotImplemented, "its groups have different numbers of devices");
        *n = g.n ? g.n : *n;
        for (uint32_t k = 0; ok && k < g.n; k++)
            table[i * SHLO_MOST_PROCESSES + k] = g.at[k];
        for (uint32_t k = g.n; ok && k < SHLO_MOST_PROCESSES; k++)
            table[i * SHLO_MOST_PROCESSES + k] = -1;
    }
    return ok && (*n || shlo_refuse(c, DIAG_InvalidAttribute, "its groups are empty"));
}

/* X of each member of the group, as E->in; E->own is the place of this process in it, or -1. */
static bool bring(shlo_exchange_of *e, const int64_t *table, tn_value x)
{
    shlo_call *c = e->calls;
    tn_builder *b = c->b;
    const type *t = shlo_type_of(c, x);
    const uint32_t n_all = c->r->all.n_replicas * c->r->all.n_partitions;
    if (!t)
        return false;
    if (!type_is_static(t) || t->rank == TN_MAX_RANK)
        return shlo_refuse(c, DIAG_ShapeUnknown, "what devices exchange has known extents");
    int64_t *rows = ARENA_ARRAY(&c->r->memory, int64_t, (size_t)n_all * e->n);
    if (!rows)
        return shlo_no_memory(c->r);
    for (uint32_t i = 0; i < n_all; i++)
        for (uint32_t k = 0; k < e->n; k++)
            rows[i * e->n + k] = table[i * SHLO_MOST_PROCESSES + k];
    const int64_t number = c->r->n_exchanges++, size = e->n;
    const tn_custom_attribute attributes[] = {
        {.name = "groups",
         .kind = TN_ATTRIBUTE_INT,
         .is_array = true,
         .n = (size_t)n_all * e->n,
         .ints = rows},
        {.name = "number", .kind = TN_ATTRIBUTE_INT, .n = 1, .ints = &number},
        {.name = "size", .kind = TN_ATTRIBUTE_INT, .n = 1, .ints = &size}};
    tn_type types[2] = {{.dtype = t->dtype, .rank = t->rank + 1}, {.dtype = TN_SI64}};
    types[0].dims[0] = e->n;
    memcpy(types[0].dims + 1, t->dims, t->rank * sizeof *t->dims);
    tn_value out[2];
    tn_custom_call(b, SHLO_EXCHANGE_TARGET, (tn_values){&x, 1}, types, attributes, 3, out, 2);
    for (uint32_t i = 0; i < e->n; i++)
        e->in[i] = tn_reshape(b, tn_slice_axis(b, out[0], 0, i, 1), shlo_dims(t));
    e->own = out[1];
    return b->status == TN_OK;
}

bool shlo_exchange_ranks(shlo_call *c)
{
    shlo_exchange_of *e = ARENA_NEW(&c->r->memory, shlo_exchange_of);
    int64_t *table =
        ARENA_ARRAY(&c->r->memory, int64_t, (size_t)SHLO_MOST_PROCESSES * SHLO_MOST_PROCESSES);
    if (!e || !table)
        return shlo_no_memory(c->r);
    if (c->op->n_in != c->op->n_out + shlo_flag(c, "has_dynamic_root", false))
        return shlo_refuse(c, DIAG_ArityMismatch, "it has as many results as operands with data");
    *e = (shlo_exchange_of){.calls = c, .root = tn_no_value()};
    if (!table_of(c, table, &e->n))
        return false;
    bool ok = true;
    for (uint32_t k = 0; ok && k < c->op->n_out; k++) {
        tn_value out = tn_no_value();
        ok = bring(e, table, shlo_in(c, k)) && shlo_exchange_own(e, k, &out);
        ok = ok && shlo_give(c, k, shlo_convert(c, out, shlo_out_type(c, k)->dtype));
    }
    return ok;
}
