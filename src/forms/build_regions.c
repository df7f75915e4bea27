/* The public builder: regions, control flow and custom calls. */
#include "forms/building.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- regions -------------------------------------------------------------------------------- */

void tn_region_begin(tn_builder *b, const char *name)
{
    char number[24];
    if (!is_building(b))
        return;
    if (b->scopes.n > b->cx->limits.nesting) {
        builder_fail(b, DIAG_LimitExceeded, "tn_region_begin",
                     "regions nest deeper than the limit of %" PRIu32, b->cx->limits.nesting);
        return;
    }
    uint32_t index = b->m->functions.n;
    if (!name) {
        (void)snprintf(number, sizeof number, "r%" PRIu32, index - 1);
        name = number;
    }
    function *f = module_add_function(b->m, name, strlen(name));
    if (!f || !VECTOR_PUSH(&b->cx->allocator, &b->scopes, index)) {
        builder_no_memory(b);
        return;
    }
    f->is_region = true;
}

tn_region tn_region_end(tn_builder *b, tn_values results)
{
    tn_region none = {0};
    value_id id;
    if (!is_building(b))
        return none;
    if (b->scopes.n == 1) {
        builder_fail(b, DIAG_Usage, "tn_region_end", "no region was begun");
        return none;
    }
    if (!builder_list(b, "the results of a region", results.at, results.n))
        return none;
    for (size_t i = 0; i < results.n; i++) {
        if (!builder_operand(b, "the results of a region", results.at[i], &id, NULL))
            return none;
        if (function_add_output(current_function(b), id) != TN_OK) {
            builder_no_memory(b);
            return none;
        }
    }
    builder_settle(b);
    return (tn_region){b->first_scope + b->scopes.at[--b->scopes.n]}; /* never 0 */
}

void tn_region_discard(tn_builder *b)
{
    if (!is_building(b))
        return;
    if (b->scopes.n == 1) {
        builder_fail(b, DIAG_Usage, "tn_region_discard", "no region was begun");
        return;
    }
    /* All functions behind it are its own regions, and those of derivatives in it. */
    const uint32_t index = b->scopes.at[--b->scopes.n];
    builder_forget(b, index);
    while (b->m->functions.n > index)
        function_release(b->m->functions.at[--b->m->functions.n]);
}

static void add_region(attr_list *l, attr_key key, tn_region region)
{
    tn_builder *b = l->b;
    if (!is_building(b))
        return;
    const uint32_t index = region.function - b->first_scope;
    bool known = region.function != 0 && index > 0 && index < b->m->functions.n;
    for (uint32_t i = 0; known && i < b->scopes.n; i++)
        known = b->scopes.at[i] != index; /* finished */
    if (!known)
        builder_fail(b, DIAG_Usage, op_table[l->op].text, "'%s' is no finished region",
                     attr_keys[key].name);
    add_int(l, key, index);
}

/* ---- control flow --------------------------------------------------------------------------- */

/* FIRST, when it is not NULL, then A, then B as the operands of L. */
static void append_joined(attr_list *l, const tn_value *first, tn_values x, tn_values y,
                          tn_value *out, size_t n_out)
{
    tn_builder *b = l->b;
    size_t n = (first != NULL) + x.n + y.n, k = 0;
    for (size_t i = 0; i < n_out; i++)
        out[i] = tn_no_value();
    if (!builder_list(b, op_table[l->op].text, x.at, x.n) ||
        !builder_list(b, op_table[l->op].text, y.at, y.n))
        return;
    if (n == 0) {
        append_many(l, NULL, 0, out, n_out);
        return;
    }
    tn_value *all =
        n < SIZE_MAX / sizeof *all ? memory_alloc(&b->cx->allocator, n * sizeof *all) : NULL;
    if (!all) {
        builder_no_memory(b);
        return;
    }
    if (first)
        all[k++] = *first;
    for (size_t i = 0; i < x.n; i++)
        all[k++] = x.at[i];
    for (size_t i = 0; i < y.n; i++)
        all[k++] = y.at[i];
    append_many(l, all, n, out, n_out);
    memory_free(&b->cx->allocator, all, n * sizeof *all);
}

void tn_cond(tn_builder *b, tn_value p, tn_region yes, tn_region no, tn_values args, tn_value *out,
             size_t n_out)
{
    attr_list l = attrs_for(b, OP_COND);
    add_region(&l, KEY_TRUE_REGION, yes);
    add_region(&l, KEY_FALSE_REGION, no);
    append_joined(&l, &p, args, (tn_values){0}, out, n_out);
}

void tn_while(tn_builder *b, tn_region test, tn_region body, tn_values carry, tn_value *out,
              size_t n_out)
{
    attr_list l = attrs_for(b, OP_WHILE);
    add_region(&l, KEY_COND_REGION, test);
    add_region(&l, KEY_BODY_REGION, body);
    append_joined(&l, NULL, carry, (tn_values){0}, out, n_out);
}

void tn_scan(tn_builder *b, tn_region body, tn_values carry, tn_values xs, size_t n_stacked,
             tn_value *out, size_t n_out)
{
    attr_list l = attrs_for(b, OP_SCAN);
    add_region(&l, KEY_BODY_REGION, body);
    add_int(&l, KEY_CARRY_COUNT, (int64_t)carry.n);
    add_int(&l, KEY_OUTPUT_COUNT, (int64_t)n_stacked);
    append_joined(&l, NULL, carry, xs, out, n_out);
}

/* ---- custom calls --------------------------------------------------------------------------- */

/* The N texts of FROM as the module's; NULL after a failure. */
static const char **own_texts(tn_builder *b, const tn_custom_attribute *from, size_t n)
{
    module *m = b->m;
    const char **texts = ARENA_ARRAY(&m->arena, const char *, n);
    for (size_t i = 0; texts && i < n; i++) {
        const char *text = from->strings[i];
        if (!text) {
            builder_fail(b, DIAG_Usage, "custom_call", "a text of the attribute '%s' is NULL",
                         from->name);
            return NULL;
        }
        if (!(texts[i] = module_string(m, text, strlen(text))))
            texts = NULL;
    }
    if (!texts)
        builder_no_memory(b);
    return texts;
}

/* Free attributes keep their values, and texts, in the module. */
static bool make_entry(tn_builder *b, const tn_custom_attribute *from, dict_entry *to)
{
    module *m = b->m;
    size_t n = from->is_array ? from->n : 1;
    if (!from->name) {
        builder_fail(b, DIAG_Usage, "custom_call", "the name of an attribute is NULL");
        return false;
    }
    *to = (dict_entry){.is_array = from->is_array, .n = (uint32_t)n};
    to->key = module_string(m, from->name, strlen(from->name));
    bool fits = n <= UINT32_MAX;
    switch ((int)from->kind) {
    case TN_ATTRIBUTE_INT:
        to->kind = ATTR_INT;
        to->values = from->ints;
        break;
    case TN_ATTRIBUTE_FLOAT:
        to->kind = ATTR_FLOAT;
        to->values = from->floats;
        break;
    case TN_ATTRIBUTE_BOOL:
        to->kind = ATTR_BOOL;
        to->values = from->bools;
        break;
    case TN_ATTRIBUTE_STRING:
        to->kind = ATTR_STRING;
        to->values = fits && from->strings ? own_texts(b, from, n) : NULL;
        break;
    default:
        fits = false;
    }
    if (!to->key) {
        builder_no_memory(b);
        return false;
    }
    if (!fits || (n && !to->values))
        builder_fail(b, DIAG_Usage, "custom_call", "the attribute '%s' has no values", from->name);
    return b->status == TN_OK;
}

static void add_dict(attr_list *l, const tn_custom_attribute *from, size_t n)
{
    tn_builder *b = l->b;
    if (!builder_list(b, "custom_call", from, n) || n == 0)
        return;
    dict_entry *own = n <= UINT32_MAX ? ARENA_ARRAY(&b->m->arena, dict_entry, n) : NULL;
    if (!own) {
        builder_no_memory(b);
        return;
    }
    for (size_t i = 0; i < n; i++)
        if (!make_entry(b, &from[i], &own[i]))
            return;
    l->at[l->n++] = (attr){.key = KEY_DICT, .n = (uint32_t)n, .v.dict = own};
}

static void add_types(attr_list *l, const tn_type *from, size_t n)
{
    tn_builder *b = l->b;
    if (!builder_list(b, "custom_call", from, n))
        return;
    const type **types = n <= UINT32_MAX ? ARENA_ARRAY(&b->m->arena, const type *, n) : NULL;
    if (!types) {
        builder_no_memory(b);
        return;
    }
    for (size_t i = 0; i < n; i++)
        if (!builder_shape(b, "custom_call", (tn_ints){from[i].dims, from[i].rank}, &types[i],
                           from[i].dtype))
            return;
    l->at[l->n++] = (attr){.key = KEY_TYPES, .n = (uint32_t)n, .v.types = types};
}

void tn_custom_call(tn_builder *b, const char *target, tn_values args, const tn_type *types,
                    const tn_custom_attribute *attributes, size_t n_attributes, tn_value *out,
                    size_t n_out)
{
    attr_list l = attrs_for(b, OP_CUSTOM_CALL);
    add_string(&l, KEY_TARGET, target);
    add_types(&l, types, n_out);
    add_dict(&l, attributes, n_attributes);
    append_many(&l, args.at, args.n, out, n_out);
}
