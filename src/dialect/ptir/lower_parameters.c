/* The model to the graph: parameters of functions and regions. */
#include "base/text/text.h"
#include "dialect/ptir/lower.h"
#include "ops/infer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The parameters of a region, whose ids are not stored, are 0, 1, .. by the common convention. A
 * body that uses other ids without defining them, exactly as many as there are parameters, means
 * these, ascending. */
static tn_status region_parameter_ids(lowering *l, const ptir_function *from, uint32_t *ids)
{
    const uint32_t n = from->parameters.n;
    ptir_id_map defined;
    ptir_ids used = {0};
    bool ok = ptir_ids_init(&defined, l->m->allocator, l->memory, 0, 0), plain = true;
    for (uint32_t i = 0; ok && i < from->body.n; i++)
        if (ptir_ids_find(&defined, from->body.at[i].id) == NO_VALUE)
            ok = ptir_ids_add(&defined, from->body.at[i].id);
    for (uint32_t i = 0; i < n; i++) {
        ids[i] = i;
        plain = plain && ptir_ids_find(&defined, i) == NO_VALUE;
    }
    for (uint32_t i = 0; ok && i < from->body.n; i++) {
        const ptir_inst *inst = &from->body.at[i];
        for (uint32_t k = 0; ok && k < inst->n_in; k++) {
            const ptir_operand *o = &inst->in[k];
            if (o->kind == PTIR_LITERAL || o->kind == PTIR_FAULTY ||
                ptir_ids_find(&defined, o->id) != NO_VALUE)
                continue;
            plain = plain && o->id < n;
            ok = ptir_ids_add(&defined, o->id) && PTIR_PUSH(l->memory, &used, o->id);
        }
    }
    ptir_ids_release(&defined);
    if (!ok)
        return ptir_lower_no_memory(l);
    if (!plain && used.n == n) {
        if (n > 1)
            qsort(used.at, n, sizeof *used.at, compare_ids);
        if (n)
            memcpy(ids, used.at, n * sizeof *ids);
    }
    return TN_OK;
}

/* Leaf number LEAF of parameter K, of type T; LEAF is -1 for a parameter that is not a tuple.
 * Inputs without a name are called by their position. */
static tn_status add_input(lowering *l, uint32_t k, int64_t leaf, const type *t, uint32_t id,
                           value_id *v)
{
    const ptir_function *from = l->scope->from;
    const char *name = k < from->parameter_names.n ? from->parameter_names.at[k] : NULL;
    char position[16];
    if (name && leaf >= 0) {
        const char *own = arena_printf(l->memory, "%s.%" PRId64, name, leaf);
        name = own ? module_string(l->m, own, strlen(own)) : NULL;
    } else if (!name) {
        (void)snprintf(position, sizeof position, "%" PRIu32, l->scope->f->inputs.n);
        name = module_string(l->m, position, strlen(position));
    }
    attr entries[] = {{.key = KEY_NAME, .v.s = name}, {.key = KEY_TYPE, .v.type = t}};
    node_desc desc = {.op = OP_INPUT, .at = from->at, .number = id};
    if (k >= from->parameter_names.n && leaf < 0)
        TN_TRY(ptir_lower_number(l, id, &desc.name));
    desc.attrs = name ? attrs_of(&l->m->attrs, entries, 2) : NULL;
    return desc.attrs ? function_add(l->scope->f, &desc, v) : ptir_lower_no_memory(l);
}

/* The inputs that parameter K of tuple type T consists of. */
static tn_status add_tuple(lowering *l, uint32_t k, const ptir_type *t, uint32_t id,
                           value_id *first)
{
    function *f = l->scope->f;
    const uint32_t n = ptir_type_leaves(t);
    const type **leaves = arena_alloc(l->memory, ((size_t)n + 1) * sizeof(const type *));
    const char *text = ptir_lower_nesting(l->memory, t);
    const char *nesting = text ? module_string(l->m, text, strlen(text)) : NULL;
    uint32_t k_leaf = 0;
    input_tuple tuple = {f->inputs.n, nesting};
    if (!leaves || !nesting || !VECTOR_PUSH(l->m->allocator, &f->tuples, tuple))
        return ptir_lower_no_memory(l);
    ptir_type_flatten(t, leaves, &k_leaf);
    for (uint32_t i = 0; i < n; i++) {
        value_id v = NO_VALUE;
        TN_TRY(add_input(l, k, i, leaves[i], id, &v));
        *first = i == 0 ? v : *first;
    }
    return TN_OK;
}

static tn_status add_parameter(lowering *l, uint32_t k, uint32_t id)
{
    enum { MAX_LEAVES = 255 };
    const ptir_function *from = l->scope->from;
    const ptir_type *t = &from->parameters.at[k];
    lowered v = {.type = t, .n = ptir_type_leaves(t), .at = from->at};
    if (v.n == 0 || v.n > MAX_LEAVES) {
        ptir_lower_fault(l, DIAG_InvalidInput, NULL, from->at,
                         v.n == 0 ? "parameter %" PRIu32 " is a tuple without elements"
                                  : "parameter %" PRIu32 " is a tuple of more than 255 elements",
                         k);
        return ptir_lower_stand_in(l, id, from->at, v);
    }
    tn_status s =
        t->tensor ? add_input(l, k, -1, t->tensor, id, &v.first) : add_tuple(l, k, t, id, &v.first);
    if (ptir_lower_is_fatal(s))
        return s;
    if (s != TN_OK) {
        l->faults++;
        return ptir_lower_stand_in(l, id, from->at, v);
    }
    v.node = l->scope->f->values.at[v.first].node;
    return ptir_lower_add(l, id, from->at, v);
}

tn_status ptir_lower_parameters(lowering *l)
{
    const ptir_function *from = l->scope->from;
    uint32_t n = from->parameters.n, *ids = from->parameter_ids.at;
    if (from->stores_ids && from->parameter_ids.n != n) {
        ptir_lower_fault(l, DIAG_InvalidInput, NULL, from->at,
                         "'parameters' has %" PRIu32 " type%s, and 'parameter_ids' %" PRIu32
                         " id%s",
                         n, plural(n), from->parameter_ids.n, plural(from->parameter_ids.n));
        l->scope->lost_ids = true;
        n = n < from->parameter_ids.n ? n : from->parameter_ids.n;
    }
    if (!from->stores_ids) {
        ids = arena_alloc(l->memory, ((size_t)n + 1) * sizeof *ids);
        if (!ids)
            return ptir_lower_no_memory(l);
        TN_TRY(region_parameter_ids(l, from, ids));
    }
    for (uint32_t k = 0; k < n; k++) {
        TN_TRY(ptir_lower_enough(l));
        TN_TRY(add_parameter(l, k, ids[k]));
    }
    return TN_OK;
}
