/* The model to the graph: parameters of functions and regions. */
#include "base/text/text.h"
#include "dialect/ptir/lower.h"
#include "ops/infer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t hash_name(const char *name)
{
    return hash_mix(5, (uint64_t)(uintptr_t)name); /* interned */
}

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

/* The names that the text gives to parameters. */
static tn_status index_names(lowering *l, const ptir_function *from, hash_index *given)
{
    for (uint32_t i = 0; i < from->parameter_names.n; i++)
        if (from->parameter_names.at[i] &&
            !hash_add(l->m->allocator, given, hash_name(from->parameter_names.at[i]), i))
            return ptir_lower_no_memory(l);
    return TN_OK;
}

static bool is_given(const ptir_function *from, const hash_index *given, const char *name)
{
    const uint64_t h = hash_name(name);
    for (uint32_t p = hash_first(given, h), i; (i = hash_at(given, h, &p)) != HASH_NONE;)
        if (from->parameter_names.at[i] == name)
            return true;
    return false;
}

/* The name of leaf number LEAF of a parameter that is called STEM; NULL without memory. */
static const char *leaf_name(lowering *l, const char *stem, uint32_t leaf)
{
    const char *own = arena_printf(l->memory, "%s.%" PRIu32, stem, leaf);
    return own ? module_string(l->m, own, strlen(own)) : NULL;
}

/* Is one of the names of N leaves of STEM that of a parameter? *OK is false without memory. */
static bool leaves_are_given(lowering *l, const hash_index *given, const char *stem, uint32_t n,
                             bool *ok)
{
    for (uint32_t i = 0; *ok && i < n; i++) {
        const char *own = leaf_name(l, stem, i);
        *ok = own != NULL;
        if (own && is_given(l->scope->from, given, own))
            return true;
    }
    return false;
}

/* NAME, or one like it: neither that, if it is made here, nor the names of its N leaves are those
 * of parameters. NULL without memory. */
static const char *free_name(lowering *l, const hash_index *given, const char *name, bool is_made,
                             uint32_t n)
{
    const char *own = module_string(l->m, name, strlen(name));
    bool ok = own != NULL;
    for (uint32_t k = 1; ok && ((is_made && is_given(l->scope->from, given, own)) ||
                                leaves_are_given(l, given, own, n, &ok));
         k++) {
        const char *next = arena_printf(l->memory, "%s_%" PRIu32, name, k);
        own = next ? module_string(l->m, next, strlen(next)) : NULL;
        is_made = true;
        ok = ok && own;
    }
    return ok ? own : NULL;
}

/* The name of parameter K, which the text gives; NULL: none. */
static const char *name_of(const lowering *l, uint32_t k)
{
    const ptir_function *from = l->scope->from;
    return k < from->parameter_names.n ? from->parameter_names.at[k] : NULL;
}

/* Inputs without a name are called by their position. */
static const char *name_by_position(lowering *l, const hash_index *given)
{
    char position[16];
    (void)snprintf(position, sizeof position, "%" PRIu32, l->scope->f->inputs.n);
    return free_name(l, given, position, true, 0);
}

/* An input of type T called NAME, which is NULL without memory. VALUE_NAME is that of its value, or
 * NULL. */
static tn_status add_input(lowering *l, const char *name, const char *value_name, const type *t,
                           uint32_t id, value_id *v)
{
    attr entries[] = {{.key = KEY_NAME, .v.s = name}, {.key = KEY_TYPE, .v.type = t}};
    node_desc desc = {.op = OP_INPUT, .at = l->scope->from->at, .number = id, .name = value_name};
    desc.attrs = name ? attrs_of(&l->m->attrs, entries, 2) : NULL;
    return desc.attrs ? function_add(l->scope->f, &desc, v) : ptir_lower_no_memory(l);
}

static tn_status add_tensor(lowering *l, const hash_index *given, uint32_t k, uint32_t id,
                            value_id *v)
{
    const ptir_function *from = l->scope->from;
    const char *name = name_of(l, k), *number = NULL;
    if (k >= from->parameter_names.n)
        TN_TRY(ptir_lower_number(l, id, &number));
    return add_input(l, name ? name : name_by_position(l, given), number,
                     from->parameters.at[k].tensor, id, v);
}

/* The inputs that parameter K of tuple type T consists of. */
static tn_status add_tuple(lowering *l, const hash_index *given, uint32_t k, const ptir_type *t,
                           uint32_t id, value_id *first)
{
    function *f = l->scope->f;
    const uint32_t n = ptir_type_leaves(t);
    const type **leaves = arena_alloc(l->memory, ((size_t)n + 1) * sizeof(const type *));
    const char *text = ptir_lower_nesting(l->memory, t);
    const char *nesting = text ? module_string(l->m, text, strlen(text)) : NULL;
    const char *name = name_of(l, k), *own = name ? free_name(l, given, name, false, n) : NULL;
    uint32_t k_leaf = 0;
    input_tuple tuple = {f->inputs.n, nesting};
    if (!leaves || !nesting || (name && !own) || !VECTOR_PUSH(l->m->allocator, &f->tuples, tuple))
        return ptir_lower_no_memory(l);
    ptir_type_flatten(t, leaves, &k_leaf);
    for (uint32_t i = 0; i < n; i++) {
        value_id v = NO_VALUE;
        const char *leaf = own ? leaf_name(l, own, i) : name_by_position(l, given);
        TN_TRY(add_input(l, leaf, NULL, leaves[i], id, &v));
        *first = i == 0 ? v : *first;
    }
    return TN_OK;
}

static tn_status add_parameter(lowering *l, const hash_index *given, uint32_t k, uint32_t id)
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
        t->tensor ? add_tensor(l, given, k, id, &v.first) : add_tuple(l, given, k, t, id, &v.first);
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
    hash_index given = {0};
    tn_status s = index_names(l, from, &given);
    for (uint32_t k = 0; k < n && s == TN_OK; k++) {
        s = ptir_lower_enough(l);
        s = s == TN_OK ? add_parameter(l, &given, k, ids[k]) : s;
    }
    hash_release(l->m->allocator, &given);
    return s;
}
