/* Building and taking apart modules. */
#include "graph/module.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_RESULTS = 255 };

module *module_new(context *cx)
{
    module *m = memory_alloc(&cx->metered, sizeof *m);
    if (!m)
        return NULL;
    *m = (module){.cx = cx, .allocator = &cx->metered};
    arena_init(&m->arena, m->allocator);
    type_table_init(&m->types, &m->arena, m->allocator, &cx->diag);
    attr_table_init(&m->attrs, &m->arena, m->allocator);
    return m;
}

void function_release(function *f)
{
    const tn_allocator *a = f->module->allocator;
    f->module->n_nodes -= f->nodes.n;
    VECTOR_RELEASE(a, &f->nodes);
    VECTOR_RELEASE(a, &f->values);
    VECTOR_RELEASE(a, &f->inputs);
    VECTOR_RELEASE(a, &f->outputs);
    VECTOR_RELEASE(a, &f->hints);
    VECTOR_RELEASE(a, &f->declared);
    VECTOR_RELEASE(a, &f->output_names);
    VECTOR_RELEASE(a, &f->tuples);
}

bool module_hold(module *m, payload *p)
{
    if (!VECTOR_PUSH(m->allocator, &m->payloads, p))
        return false;
    payload_hold(p);
    return true;
}

void module_free(module *m)
{
    if (!m)
        return;
    const tn_allocator *a = m->allocator;
    for (uint32_t i = 0; i < m->functions.n; i++)
        function_release(m->functions.at[i]);
    VECTOR_RELEASE(a, &m->functions);
    VECTOR_RELEASE(a, &m->strings);
    VECTOR_RELEASE(a, &m->gradients);
    VECTOR_RELEASE(a, &m->written_sizes);
    VECTOR_RELEASE(a, &m->written_axes);
    for (uint32_t i = 0; i < m->payloads.n; i++)
        payload_drop(m->payloads.at[i]);
    VECTOR_RELEASE(a, &m->payloads);
    hash_release(a, &m->by_string);
    type_table_release(&m->types);
    attr_table_release(&m->attrs);
    arena_release(&m->arena);
    memory_free(a, m, sizeof *m);
}

bool name_is_number(const char *name)
{
    return name[0] == '%' && name[1] && name[1 + strspn(name + 1, "0123456789")] == '\0';
}

const char *module_string(module *m, const char *text, size_t length)
{
    uint64_t h = hash_bytes(1, text, length);
    for (uint32_t p = hash_first(&m->by_string, h), i;
         (i = hash_at(&m->by_string, h, &p)) != HASH_NONE;) {
        const char *known = m->strings.at[i];
        if (strncmp(known, text, length) == 0 && known[length] == '\0')
            return known;
    }
    const char *fresh = arena_copy_text(&m->arena, text, length);
    if (!fresh || !VECTOR_PUSH_INDEXED(m->allocator, &m->strings, fresh, &m->by_string, h))
        return NULL;
    return fresh;
}

function *module_add_function(module *m, const char *name, size_t length)
{
    function *f = ARENA_NEW(&m->arena, function);
    if (!f)
        return NULL;
    f->module = m;
    f->name = module_string(m, name, length);
    return f->name && VECTOR_PUSH(m->allocator, &m->functions, f) ? f : NULL;
}

static const value_id *own_operands(module *m, const value_id *in, uint32_t n)
{
    value_id *own = arena_alloc_aligned(&m->arena, n * sizeof *own, sizeof *own);
    if (own && n)
        memcpy(own, in, n * sizeof *own);
    return own;
}

tn_status function_add_typed(function *f, const node_desc *desc, const type *const *types,
                             uint32_t n, value_id *first)
{
    module *m = f->module;
    if (n > MAX_RESULTS)
        return diag_report(&m->cx->diag, DIAG_LimitExceeded, &m->source, desc->at,
                           "more than 255 results");
    if (m->n_nodes >= m->cx->limits.nodes)
        return diag_report(&m->cx->diag, DIAG_LimitExceeded, &m->source, desc->at,
                           "more instructions than the limit allows; %s nodes=N permits more",
                           diag_setting_name(&m->cx->diag, SETTING_LIMIT));
    const value_id *in = own_operands(m, desc->in, desc->n_in);
    if (!in || !VECTOR_RESERVE(m->allocator, &f->nodes, 1) ||
        !VECTOR_RESERVE(m->allocator, &f->values, n) ||
        (desc->op == OP_INPUT && !VECTOR_RESERVE(m->allocator, &f->inputs, 1)))
        return module_no_memory(m);

    m->n_nodes++;
    *first = f->values.n;
    for (uint32_t i = 0; i < n; i++)
        f->values.at[f->values.n++] = (value_info){types[i], f->nodes.n};
    f->nodes.at[f->nodes.n++] = (node){
        .op = (uint16_t)desc->op,
        .spelling = desc->spelling,
        .n_results = (uint8_t)n,
        .n_in = desc->n_in,
        .first_value = *first,
        .at = desc->at,
        .in = in,
        .attrs = desc->attrs ? desc->attrs : &attrs_none,
        .name = desc->name,
        .tag = desc->tag,
        .belongs = desc->belongs,
        .place = desc->place,
    };
    if (desc->op == OP_INPUT)
        f->inputs.at[f->inputs.n++] = *first;
    return TN_OK;
}

tn_status function_add_like(function *f, const node_desc *desc, const function *from, const node *n,
                            value_id *first)
{
    const type *types[MAX_RESULTS];
    const uint32_t n_results = n->n_results;
    for (uint32_t r = 0; r < n_results; r++)
        types[r] = value_type(from, n->first_value + r);
    return function_add_typed(f, desc, types, n_results, first);
}

tn_status function_add_output(function *f, value_id v)
{
    return VECTOR_PUSH(f->module->allocator, &f->outputs, v) ? TN_OK : module_no_memory(f->module);
}

const type *value_declared_type(const function *f, value_id v)
{
    uint32_t low = 0, high = f->declared.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (f->declared.at[middle].of < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->declared.n && f->declared.at[low].of == v ? f->declared.at[low].type
                                                              : value_type(f, v);
}

static int compare_declared(const void *a, const void *b)
{
    value_id x = ((const declared_type *)a)->of, y = ((const declared_type *)b)->of;
    return (x > y) - (x < y);
}

static void remap_declared(function *f, const value_id *map)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->declared.n; i++) {
        declared_type d = f->declared.at[i];
        d.of = map[d.of];
        if (d.of != NO_VALUE)
            f->declared.at[kept++] = d;
    }
    f->declared.n = kept;
    if (kept > 1)
        qsort(f->declared.at, kept, sizeof *f->declared.at, compare_declared);
}

/* Rewrite every id of the interface through MAP. */
static void remap_interface(function *f, const value_id *map)
{
    module *m = f->module;
    for (uint32_t i = 0; i < f->inputs.n; i++)
        f->inputs.at[i] = map[f->inputs.at[i]];
    for (uint32_t i = 0; i < f->outputs.n; i++)
        f->outputs.at[i] = map[f->outputs.at[i]];
    if (f == module_entry(m))
        for (uint32_t i = 0; i < m->gradients.n; i++)
            m->gradients.at[i] = map[m->gradients.at[i]];
}

tn_status function_reorder(function *f, const uint32_t *order, uint32_t n_order)
{
    const tn_allocator *a = f->module->allocator;
    size_t map_bytes = ((size_t)f->values.n + 1) * sizeof(value_id);
    value_id *map = memory_alloc(a, map_bytes);
    function fresh = {0};
    if (!map || !VECTOR_RESERVE(a, &fresh.nodes, n_order) ||
        !VECTOR_RESERVE(a, &fresh.values, f->values.n)) {
        memory_free(a, map, map_bytes);
        VECTOR_RELEASE(a, &fresh.nodes);
        VECTOR_RELEASE(a, &fresh.values);
        return module_no_memory(f->module);
    }

    memset(map, 0xff, map_bytes); /* NO_VALUE */
    for (uint32_t i = 0; i < n_order; i++) {
        node n = f->nodes.at[order[i]];
        for (uint32_t r = 0; r < n.n_results; r++) {
            map[n.first_value + r] = fresh.values.n;
            fresh.values.at[fresh.values.n++] = (value_info){value_type(f, n.first_value + r), i};
        }
        n.first_value = fresh.values.n - n.n_results;
        /* The operand list is this node's own and in the module's arena: rewrite it in place. */
        value_id *in = (value_id *)(uintptr_t)n.in;
        for (uint32_t k = 0; k < n.n_in; k++)
            in[k] = map[in[k]];
        if (n.belongs) /* to nothing, 0, where that value is gone: NO_VALUE + 1 */
            n.belongs = map[n.belongs - 1] + 1;
        fresh.nodes.at[fresh.nodes.n++] = n;
    }
    f->module->n_nodes -= f->nodes.n - fresh.nodes.n;
    VECTOR_RELEASE(a, &f->nodes);
    VECTOR_RELEASE(a, &f->values);
    f->nodes.at = fresh.nodes.at;
    f->nodes.n = fresh.nodes.n;
    f->nodes.cap = fresh.nodes.cap;
    f->values.at = fresh.values.at;
    f->values.n = fresh.values.n;
    f->values.cap = fresh.values.cap;
    remap_interface(f, map);
    remap_declared(f, map);
    f->hints.n = 0;
    memory_free(a, map, map_bytes);
    return TN_OK;
}

const char *value_called(const function *f, value_id v)
{
    const node *n = node_of(f, v);
    const char *own = n->op == OP_INPUT ? attr_string(n->attrs, KEY_NAME) : NULL;
    if (!own)
        own = n->name ? n->name : arena_printf(&f->module->cx->diag.text, "%%%" PRIu32, v);
    return own ? own : "?"; /* no memory */
}

enum { FEW_OPERANDS = 8 }; /* shown in diagnostics */

tn_status node_vreport(const function *f, const node *n, diag_channel *d, const char *op,
                       diag_kind kind, const char *format, va_list args)
{
    const type *few[FEW_OPERANDS];
    const uint32_t shown = n->n_in < FEW_OPERANDS ? n->n_in : FEW_OPERANDS;
    const module *m = f->module;
    use_site site = {f, (op_id)n->op, n->place, &m->types, few, shown};
    for (uint32_t i = 0; i < shown; i++)
        few[i] = value_type(f, n->in[i]);
    source from = m->source;
    from.about = &site;
    d->op = op;
    tn_status s = diag_vreport(d, kind, &from, n->at, format, args);
    char number[16];
    (void)snprintf(number, sizeof number, "%%%" PRIu32, n->first_value);
    diag_node(d, n->name ? n->name : number);
    if (n->tag && m->lowered_from)
        diag_note(d, NULL, NO_SPAN, "it comes from %s", n->tag);
    return s;
}

tn_status node_report(const function *f, const node *n, diag_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tn_status s =
        node_vreport(f, n, &f->module->cx->diag, op_table[n->op].text, kind, format, args);
    va_end(args);
    return s;
}
