/* Kernels for custom calls: from the public interface to the evaluator's. */
#include "eval/custom_set.h"
#include "graph/public.h"

/* ---- sets ---- */

static custom_set *set_new(const tn_allocator *allocator)
{
    custom_set *set = memory_alloc(allocator, sizeof *set);
    if (!set)
        return NULL;
    custom_registry_init(&set->registry, allocator);
    arena_init(&set->memory, allocator);
    return set;
}

void custom_set_free(custom_set *set)
{
    if (!set)
        return;
    const tn_allocator *allocator = set->registry.allocator;
    custom_registry_release(&set->registry);
    arena_release(&set->memory);
    memory_free(allocator, set, sizeof *set);
}

/* ---- calls ---- */

static bool describe(const custom_use *use, bool with_data, const tensor *from, uint32_t n,
                     const tn_buffer **to)
{
    tn_buffer *own = ARENA_ARRAY(use->scratch, tn_buffer, n);
    *to = own;
    for (uint32_t i = 0; own && i < n; i++) {
        public_type(from[i].type, &own[i].type);
        own[i].bytes = type_known_bytes(from[i].type);
        own[i].data = with_data ? from[i].data : NULL;
    }
    return own != NULL;
}

static tn_custom_attribute public_attribute(const dict_entry *e)
{
    tn_custom_attribute a = {.name = e->key, .is_array = e->is_array, .n = e->n};
    if (e->kind == ATTR_FLOAT) {
        a.kind = TN_ATTRIBUTE_FLOAT;
        a.floats = e->values;
    } else if (e->kind == ATTR_BOOL) {
        a.kind = TN_ATTRIBUTE_BOOL;
        a.bools = e->values;
    } else if (e->kind == ATTR_STRING) {
        a.kind = TN_ATTRIBUTE_STRING;
        a.strings = e->values;
    } else {
        a.kind = TN_ATTRIBUTE_INT;
        a.ints = e->values;
    }
    return a;
}

static const char *call_kernel(const tn_custom_kernel *k, const custom_use *use, bool runs)
{
    tn_custom_use call = {
        .target = k->target, .n_in = use->n_in, .n_out = use->n_out, .n_attributes = use->n_attrs};
    tn_custom_attribute *attributes = ARENA_ARRAY(use->scratch, tn_custom_attribute, use->n_attrs);
    if (!attributes || !describe(use, runs, use->in, use->n_in, &call.in) ||
        !describe(use, runs, use->out, use->n_out, &call.out))
        return custom_no_memory;
    for (uint32_t i = 0; i < use->n_attrs; i++)
        attributes[i] = public_attribute(&use->attrs[i]);
    call.attributes = attributes;
    return runs ? k->run(k->user, &call) : k->check(k->user, &call);
}

static const char *check_call(void *user, const custom_use *use)
{
    return call_kernel(user, use, false);
}

static const char *run_call(void *user, const custom_use *use)
{
    return call_kernel(user, use, true);
}

/* ---- registering ---- */

/* A kernel that is replaced leaves its memory in the arena until the set is freed. */
static bool set_add(custom_set *set, const tn_custom_kernel *kernel)
{
    tn_custom_kernel *own = ARENA_NEW(&set->memory, tn_custom_kernel);
    const char *target = arena_copy_text(&set->memory, kernel->target, strlen(kernel->target));
    if (!own || !target)
        return false;
    *own = *kernel;
    own->target = target;
    const custom_kernel inner = {
        .target = target, .check = kernel->check ? check_call : NULL, .run = run_call, .user = own};
    return custom_register(&set->registry, &inner);
}

custom_set *custom_set_copy(const tn_allocator *allocator, const custom_set *from)
{
    custom_set *set = set_new(allocator);
    for (uint32_t i = 0; set && from && i < from->registry.kernels.n; i++)
        if (!set_add(set, from->registry.kernels.at[i].user)) {
            custom_set_free(set);
            return NULL;
        }
    return set;
}

bool custom_set_add(custom_set **set, const tn_allocator *allocator, const tn_custom_kernel *kernel)
{
    if (!*set)
        *set = set_new(allocator);
    return *set && set_add(*set, kernel);
}
