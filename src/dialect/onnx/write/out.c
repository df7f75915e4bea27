/* The model in the making. */
#include "dialect/onnx/write/out.h"

#include <inttypes.h>

enum { SMALL = 4096 }; /* bytes up to which equal constants are looked for */

static onnx_id failed(onnx_new_model *o)
{
    o->no_memory = true;
    return ONNX_NOTHING;
}

bool onnx_model_begin(onnx_new_model *o, const module *m)
{
    *o = (onnx_new_model){.m = m};
    arena_init(&o->memory, m->allocator);
    o->top = o->g = onnx_graph_begin(o, "main");
    return o->top != NULL;
}

void onnx_model_release(onnx_new_model *o)
{
    const tn_allocator *a = o->m->allocator;
    for (uint32_t i = 0; i < o->graphs.n; i++) {
        VECTOR_RELEASE(a, &o->graphs.at[i]->nodes);
        VECTOR_RELEASE(a, &o->graphs.at[i]->inputs);
        VECTOR_RELEASE(a, &o->graphs.at[i]->outputs);
    }
    VECTOR_RELEASE(a, &o->graphs);
    VECTOR_RELEASE(a, &o->values);
    VECTOR_RELEASE(a, &o->constants);
    VECTOR_RELEASE(a, &o->names);
    hash_release(a, &o->by_content);
    hash_release(a, &o->by_name);
    arena_release(&o->memory);
}

/* ---- values ---- */

static onnx_id new_value(onnx_new_model *o, tn_dtype d, uint32_t graph)
{
    const onnx_new_value v = {.dtype = d, .graph = graph};
    if (o->no_memory || !VECTOR_PUSH(o->m->allocator, &o->values, v))
        return failed(o);
    return o->values.n - 1;
}

static bool is_taken(const onnx_new_model *o, const char *name, uint64_t hash)
{
    for (uint32_t p = hash_first(&o->by_name, hash), i;
         (i = hash_at(&o->by_name, hash, &p)) != HASH_NONE;)
        if (strcmp(o->names.at[i], name) == 0)
            return true;
    return false;
}

static bool take_name(onnx_new_model *o, const char *name)
{
    const uint64_t hash = hash_bytes(0, name, strlen(name));
    if (is_taken(o, name, hash))
        return false;
    if (!VECTOR_PUSH_INDEXED(o->m->allocator, &o->names, name, &o->by_name, hash))
        o->no_memory = true;
    return true;
}

void onnx_name(onnx_new_model *o, onnx_id id, const char *name)
{
    if (o->no_memory || id == ONNX_NOTHING || o->values.at[id].name || !name[0])
        return;
    const char *own = arena_copy_text(&o->memory, name, strlen(name));
    for (uint32_t k = 1; own && !take_name(o, own); k++)
        own = arena_printf(&o->memory, "%s_%" PRIu32, name, k);
    if (own)
        o->values.at[id].name = own;
    else
        o->no_memory = true;
}

/* ---- graphs and nodes ---- */

onnx_new_graph *onnx_graph_begin(onnx_new_model *o, const char *name)
{
    onnx_new_graph *g = ARENA_NEW(&o->memory, onnx_new_graph);
    if (!g || !VECTOR_PUSH(o->m->allocator, &o->graphs, g)) {
        o->no_memory = true;
        return NULL;
    }
    g->name = name;
    g->number = o->graphs.n;
    return g;
}

onnx_id onnx_graph_input(onnx_new_model *o, onnx_new_graph *g, const type *t)
{
    const onnx_port port = {new_value(o, t->dtype, 0), t};
    if (!VECTOR_PUSH(o->m->allocator, &g->inputs, port))
        return failed(o);
    return port.id;
}

onnx_id onnx_graph_output(onnx_new_model *o, onnx_new_graph *g, onnx_id id, const type *t)
{
    bool is_own = id != ONNX_NOTHING && o->values.at[id].graph == g->number;
    for (uint32_t i = 0; i < g->outputs.n; i++)
        is_own = is_own && g->outputs.at[i].id != id;
    if (!is_own)
        id = onnx_make(o, "Identity", t->dtype, &id, 1, NULL, 0);
    if (!VECTOR_PUSH(o->m->allocator, &g->outputs, ((onnx_port){id, t})))
        return failed(o);
    return id;
}

static const onnx_setting *copy_settings(onnx_new_model *o, const onnx_setting *from, uint32_t n)
{
    onnx_setting *to = ARENA_ARRAY(&o->memory, onnx_setting, n);
    for (uint32_t i = 0; to && i < n; i++) {
        to[i] = from[i];
        if (from[i].kind != ONNX_SET_INTS)
            continue;
        int64_t *ints = ARENA_ARRAY(&o->memory, int64_t, from[i].n);
        if (!ints)
            return NULL;
        if (from[i].n)
            memcpy(ints, from[i].ints, from[i].n * sizeof *ints);
        to[i].ints = ints;
    }
    return to;
}

onnx_id onnx_make_all(onnx_new_model *o, const char *op, const tn_dtype *d, uint32_t n_out,
                      const onnx_id *in, uint32_t n_in, const onnx_setting *settings,
                      uint32_t n_settings)
{
    if (o->no_memory)
        return ONNX_NOTHING;
    onnx_id *ids = ARENA_ARRAY(&o->memory, onnx_id, n_in);
    onnx_new_node n = {.op = op,
                       .n_in = n_in,
                       .n_out = n_out,
                       .n_settings = n_settings,
                       .in = ids,
                       .first = o->values.n,
                       .settings = copy_settings(o, settings, n_settings)};
    if (!ids || !n.settings)
        return failed(o);
    if (n_in)
        memcpy(ids, in, n_in * sizeof *ids);
    for (uint32_t i = 0; i < n_out; i++)
        if (new_value(o, d[i], o->g->number) == ONNX_NOTHING)
            return ONNX_NOTHING;
    if (!VECTOR_PUSH(o->m->allocator, &o->g->nodes, n))
        return failed(o);
    return n.first;
}

onnx_id onnx_make(onnx_new_model *o, const char *op, tn_dtype d, const onnx_id *in, uint32_t n_in,
                  const onnx_setting *settings, uint32_t n_settings)
{
    return onnx_make_all(o, op, &d, 1, in, n_in, settings, n_settings);
}

/* ---- constants ---- */

static bool same_constant(const onnx_new_constant *a, const onnx_new_constant *b)
{
    return a->dtype == b->dtype && a->rank == b->rank && a->bytes == b->bytes &&
           (a->rank == 0 || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0) &&
           (a->bytes == 0 || memcmp(a->data, b->data, a->bytes) == 0);
}

static onnx_id add_constant(onnx_new_model *o, onnx_new_constant *c)
{
    int64_t *dims = ARENA_ARRAY(&o->memory, int64_t, c->rank);
    if (!dims)
        return failed(o);
    if (c->rank)
        memcpy(dims, c->dims, c->rank * sizeof *dims);
    c->dims = dims;
    c->id = new_value(o, c->dtype, 0);
    if (!VECTOR_PUSH(o->m->allocator, &o->constants, *c))
        return failed(o);
    return c->id;
}

static onnx_id add_copy(onnx_new_model *o, onnx_new_constant *c)
{
    void *copy = onnx_model_room(o, c->bytes);
    if (!copy)
        return ONNX_NOTHING;
    if (c->bytes)
        memcpy(copy, c->data, c->bytes);
    c->data = copy;
    return add_constant(o, c);
}

onnx_id onnx_constant(onnx_new_model *o, tn_dtype d, const int64_t *dims, uint32_t rank,
                      const void *data, size_t bytes)
{
    onnx_new_constant c = {.dtype = d, .rank = rank, .dims = dims, .data = data, .bytes = bytes};
    if (o->no_memory)
        return ONNX_NOTHING;
    if (bytes > SMALL)
        return add_constant(o, &c);
    uint64_t hash = hash_bytes((uint64_t)d, dims, rank * sizeof *dims);
    hash = hash_bytes(hash, data, bytes);
    for (uint32_t p = hash_first(&o->by_content, hash), i;
         (i = hash_at(&o->by_content, hash, &p)) != HASH_NONE;)
        if (same_constant(&o->constants.at[i], &c))
            return o->constants.at[i].id;
    return hash_add(o->m->allocator, &o->by_content, hash, o->constants.n) ? add_copy(o, &c)
                                                                           : failed(o);
}

onnx_id onnx_weight(onnx_new_model *o, tn_dtype d, const int64_t *dims, uint32_t rank,
                    const void *data, size_t bytes)
{
    onnx_new_constant c = {.dtype = d, .rank = rank, .dims = dims, .data = data, .bytes = bytes};
    return o->no_memory ? ONNX_NOTHING : add_constant(o, &c);
}

void *onnx_model_room(onnx_new_model *o, size_t bytes)
{
    void *room = arena_alloc(&o->memory, bytes);
    if (!room)
        (void)failed(o);
    return room;
}

onnx_id onnx_number(onnx_new_model *o, tn_dtype d, scalar value)
{
    unsigned char bits[16] = {0};
    (void)scalar_store(value, d, bits);
    return onnx_constant(o, d, NULL, 0, bits, dtype_bytes(d));
}

onnx_id onnx_list_of(onnx_new_model *o, const int64_t *list, uint32_t n)
{
    const int64_t dims[] = {n};
    return onnx_constant(o, TN_SI64, dims, 1, list, n * sizeof *list);
}
