/* Walks over the values of a kernel before they are computed: what can be computed outside of a
 * loop, and what will be read where. */
#include <string.h>

#include "loop/emit/emit_parts.h"
#include "ops/node_facts.h"
#include "ops/shape.h"

static const emit_seen *find_seen(const emitter *e, value_id v, const access_map *map)
{
    for (uint32_t i = e->n_seen; i-- > 0;)
        if (e->seen[i].v == v && access_same(e->seen[i].map, map))
            return &e->seen[i];
    return NULL;
}

static void note_seen(emitter *e, value_id v, const access_map *map, bool varies)
{
    if (e->n_seen == e->cap_seen) {
        const uint32_t cap = e->cap_seen ? 2 * e->cap_seen : 64;
        emit_seen *seen = ARENA_ARRAY(e->memory, emit_seen, cap);
        if (!seen) {
            e->failed = true;
            return;
        }
        if (e->n_seen)
            memcpy(seen, e->seen, e->n_seen * sizeof *seen);
        e->seen = seen;
        e->cap_seen = cap;
    }
    e->seen[e->n_seen++] = (emit_seen){v, map, varies};
}

/* ---- what is computed ahead ---- */

/* Is V a constant of one number, or that broadcast by the kernel? Neither is computed ahead, so
 * that it makes no difference whether a pass made one of the other, which depends on the number of
 * elements. */
static bool is_number(const emitter *e, value_id v)
{
    const node *n = node_of(e->f, v);
    for (; n->op == OP_BROADCAST; n = node_of(e->f, v)) {
        if (!emit_contains(e->k, e->f->values.at[v].node))
            return false;
        v = n->in[0];
    }
    return kernel_is_uniform(n);
}

/* True when V does not vary along AXES; then it has been computed. */
static bool hoist(emitter *e, value_id v, const access_map *map, uint32_t axes)
{
    const node *n = node_of(e->f, v);
    const emit_seen *seen = find_seen(e, v, map);
    if (e->failed || (seen && seen->varies))
        return false;
    if (emit_find_known(e, v, map) || is_number(e, v))
        return true;
    bool varies = false;
    if (emit_find_kept(e, v, map)) {
        varies = true;
    } else if (!emit_contains(e->k, e->f->values.at[v].node) || n->op == OP_IOTA || node_draws(n)) {
        varies = (access_axes(map) & axes) != 0;
    } else if (kernel_reads_by_data(n)) {
        for (uint32_t u = 0; u < kernel_operand_uses(e->f, n, 1); u++) {
            const access_map *from;
            if (!emit_use_map(e, n, 1, u, map, &from))
                return false;
            (void)hoist(e, n->in[1], from, axes);
        }
        varies = (access_axes(map) & axes) != 0;
    } else if (op_table[n->op].traits & T_REDUCES) {
        varies = true; /* not known yet */
    } else {
        for (uint32_t k = 0; k < n->n_in; k++) {
            const access_map *from;
            if (!emit_operand_map(e, n, k, map, &from))
                return false;
            varies = !hoist(e, n->in[k], from, axes) || varies;
            varies = varies || (from->n_guards && (access_axes(from) & axes));
        }
    }
    if (!varies)
        (void)emit_value(e, v, map);
    note_seen(e, v, map, varies);
    return !varies;
}

void emit_hoist(emitter *e, value_id v, const access_map *map, uint32_t axes)
{
    const uint32_t lanes = e->lanes;
    const loop_value count = e->count;
    e->lanes = 1; /* nothing of it varies along the vector axis */
    e->count = LOOP_NO_VALUE;
    e->n_seen = 0;
    (void)hoist(e, v, map, axes);
    e->lanes = lanes;
    e->count = count;
}

/* ---- looking ahead ---- */

static bool visit_reads(emitter *e, value_id v, const access_map *map, emit_visit *visit,
                        void *user);

static bool visit_by_data(emitter *e, const node *n, const access_map *map, emit_visit *visit,
                          void *user)
{
    access_map rest;
    const type *x = value_type(e->f, n->in[0]);
    const access_expr *offset =
        emit_rest_of_map(e, n, map, &rest)
            ? access_offset(&rest, access_extents_of(e->f, n->in[0]), e->memory)
            : NULL;
    if (!offset)
        return false;
    visit(user, offset, &(emit_read){n->in[0], map, x->dtype, true});
    for (uint32_t u = 0; u < kernel_operand_uses(e->f, n, 1); u++) {
        const access_map *from;
        if (!emit_use_map(e, n, 1, u, map, &from) || !visit_reads(e, n->in[1], from, visit, user))
            return false;
    }
    return !e->failed;
}

static bool visit_reads(emitter *e, value_id v, const access_map *map, emit_visit *visit,
                        void *user)
{
    const node *n = node_of(e->f, v);
    if (find_seen(e, v, map))
        return true;
    note_seen(e, v, map, false);
    const type *t = value_type(e->f, v);
    const access_map *from;
    for (uint32_t i = 0; i < map->n_guards; i++)
        visit(user, map->guards[i].of, &(emit_read){NO_VALUE, map, TN_I1, false});
    if (kernel_is_uniform(n))
        return true;
    if (!emit_contains(e->k, e->f->values.at[v].node)) {
        const access_expr *offset = access_offset(map, access_extents_of(e->f, v), e->memory);
        if (offset)
            visit(user, offset, &(emit_read){v, map, t->dtype, false});
        return offset != NULL;
    }
    if (n->op == OP_IOTA) {
        int64_t axis = attr_int(n->attrs, KEY_AXIS, 0);
        axis += axis < 0 ? t->rank : 0;
        visit(user, map->at[axis], NULL);
        return true;
    }
    if (node_draws(n)) {
        const access_expr *number = access_offset(map, access_extents_of(e->f, v), e->memory);
        if (number)
            visit(user, number, NULL);
        return number != NULL;
    }
    if (op_table[n->op].traits & T_REDUCES)
        return true; /* asked for on its own */
    if (kernel_reads_by_data(n))
        return visit_by_data(e, n, map, visit, user);
    for (uint32_t k = 0; k < n->n_in; k++)
        if (!emit_operand_map(e, n, k, map, &from) || !visit_reads(e, n->in[k], from, visit, user))
            return false;
    return !e->failed;
}

bool emit_visit_reads(emitter *e, value_id v, const access_map *map, emit_visit *visit, void *user)
{
    e->n_seen = 0;
    return visit_reads(e, v, map, visit, user);
}
