/* The order of nodes: files should list them so that each comes after what it reads, but not all
 * do. */
#include "dialect/onnx/graph.h"

/* The names that a graph inside of a node defines, which hide those of the graphs around it. */
typedef struct inner {
    const struct inner *outer;
    hash_index by_name;
    VECTOR(onnx_bytes) names;
} inner;

typedef struct sorter {
    importer *im;
    const onnx_node *nodes;
    uint32_t n;
    hash_index producers; /* numbers of nodes, by the names of their outputs */
    uint32_t *order, n_done;
    uint8_t *state; /* by node */
    bool is_sorted;
    const inner *inside; /* the graphs that are being visited; NULL: none */
} sorter;

enum { UNSEEN = 0, OPEN, DONE };

static bool has_output(const onnx_node *n, onnx_bytes name)
{
    const onnx_bytes *outputs = n->outputs.at;
    for (uint32_t i = 0; i < n->outputs.n; i++)
        if (onnx_same(outputs[i], name))
            return true;
    return false;
}

static bool is_inner(const inner *in, onnx_bytes name, uint64_t h)
{
    for (; in; in = in->outer)
        for (uint32_t p = hash_first(&in->by_name, h), i;
             (i = hash_at(&in->by_name, h, &p)) != HASH_NONE;)
            if (onnx_same(in->names.at[i], name))
                return true;
    return false;
}

/* The node that defines NAME, or HASH_NONE. */
static uint32_t producer_of(const sorter *s, onnx_bytes name)
{
    const uint64_t h = hash_bytes(0, name.at, name.n);
    if (is_inner(s->inside, name, h))
        return HASH_NONE;
    for (uint32_t p = hash_first(&s->producers, h), i;
         (i = hash_at(&s->producers, h, &p)) != HASH_NONE;)
        if (has_output(&s->nodes[i], name))
            return i;
    return HASH_NONE;
}

static bool index_outputs(sorter *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const onnx_bytes *outputs = s->nodes[i].outputs.at;
        for (uint32_t k = 0; k < s->nodes[i].outputs.n; k++)
            if (outputs[k].n && !hash_add(s->im->m->allocator, &s->producers,
                                          hash_bytes(0, outputs[k].at, outputs[k].n), i))
                return onnx_no_memory(s->im);
    }
    return true;
}

/* What a walk over the inputs of a node, and of the nodes inside it, does with each name. */
typedef bool visit_fn(sorter *s, uint32_t reader, onnx_bytes name);

static bool visit_inputs(sorter *s, uint32_t reader, const onnx_node *n, visit_fn *visit);

static bool add_inner(sorter *s, inner *in, onnx_bytes name)
{
    const tn_allocator *a = s->im->m->allocator;
    return name.n == 0 ||
           VECTOR_PUSH_INDEXED(a, &in->names, name, &in->by_name, hash_bytes(0, name.at, name.n)) ||
           onnx_no_memory(s->im);
}

static bool add_all_inner(sorter *s, inner *in, const onnx_graph *g)
{
    const onnx_node *nodes = g->nodes.at;
    const onnx_value_info *inputs = g->inputs.at;
    for (uint32_t i = 0; i < g->inputs.n; i++)
        if (!add_inner(s, in, inputs[i].name))
            return false;
    for (uint32_t i = 0; i < onnx_n_initializers(g); i++)
        if (!add_inner(s, in, onnx_initializer_name(g, i)))
            return false;
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        const onnx_bytes *outputs = nodes[i].outputs.at;
        for (uint32_t k = 0; k < nodes[i].outputs.n; k++)
            if (!add_inner(s, in, outputs[k]))
                return false;
    }
    return true;
}

static bool visit_names(sorter *s, uint32_t reader, const onnx_graph *g, visit_fn *visit)
{
    const onnx_node *nodes = g->nodes.at;
    const onnx_value_info *outputs = g->outputs.at; /* which may be names from outside */
    for (uint32_t i = 0; i < g->nodes.n; i++)
        if (!visit_inputs(s, reader, &nodes[i], visit))
            return false;
    for (uint32_t i = 0; i < g->outputs.n; i++)
        if (!visit(s, reader, outputs[i].name))
            return false;
    return true;
}

static bool visit_graph(sorter *s, uint32_t reader, const onnx_graph *g, visit_fn *visit)
{
    inner in = {.outer = s->inside};
    bool ok = add_all_inner(s, &in, g);
    s->inside = &in;
    ok = ok && visit_names(s, reader, g, visit);
    s->inside = in.outer;
    hash_release(s->im->m->allocator, &in.by_name);
    VECTOR_RELEASE(s->im->m->allocator, &in.names);
    return ok;
}

static bool visit_inputs(sorter *s, uint32_t reader, const onnx_node *n, visit_fn *visit)
{
    const onnx_bytes *inputs = n->inputs.at;
    const onnx_attribute *attributes = n->attributes.at;
    for (uint32_t i = 0; i < n->inputs.n; i++)
        if (inputs[i].n && !visit(s, reader, inputs[i]))
            return false;
    for (uint32_t i = 0; i < n->attributes.n; i++) {
        const onnx_graph *graphs = attributes[i].graphs.at;
        if (attributes[i].g && !visit_graph(s, reader, attributes[i].g, visit))
            return false;
        for (uint32_t k = 0; k < attributes[i].graphs.n; k++)
            if (!visit_graph(s, reader, &graphs[k], visit))
                return false;
    }
    return true;
}

/* Does the node that defines NAME come before? */
static bool check_before(sorter *s, uint32_t reader, onnx_bytes name)
{
    const uint32_t p = producer_of(s, name);
    s->is_sorted = p == HASH_NONE || p < reader;
    return s->is_sorted;
}

/* ---- sorting, where that is needed ---- */

typedef struct edges {
    VECTOR(uint32_t) to;
    uint32_t *first; /* by node: where its edges begin */
} edges;

typedef struct edge_walk {
    sorter s; /* first, so that visits find it */
    edges *e;
} edge_walk;

static bool add_edge(sorter *s, uint32_t reader, onnx_bytes name)
{
    edges *e = ((edge_walk *)(void *)s)->e;
    const uint32_t p = producer_of(s, name);
    (void)reader;
    return p == HASH_NONE || VECTOR_PUSH(s->im->m->allocator, &e->to, p) || onnx_no_memory(s->im);
}

static bool report_cycle(sorter *s, uint32_t member)
{
    const onnx_bytes *outputs = s->nodes[member].outputs.at;
    const onnx_bytes none = {0}, name = s->nodes[member].outputs.n ? outputs[0] : none;
    return onnx_refuse_file(s->im, DIAG_Cycle, "", "'%.*s' depends on itself", ONNX_TEXT(name));
}

/* FIRST after everything it reads. The path stands in PATH, with the next edge of each in NEXT. */
static bool visit_node(sorter *s, const edges *e, uint32_t first, uint32_t *path, uint32_t *next)
{
    uint32_t n = 0;
    path[n++] = first;
    s->state[first] = OPEN;
    next[first] = e->first[first];
    while (n) {
        const uint32_t top = path[n - 1];
        if (next[top] == e->first[top + 1]) {
            s->state[top] = DONE;
            s->order[s->n_done++] = top;
            n--;
            continue;
        }
        const uint32_t to = e->to.at[next[top]++];
        if (s->state[to] == OPEN)
            return report_cycle(s, to);
        if (s->state[to] == DONE)
            continue;
        s->state[to] = OPEN;
        next[to] = e->first[to];
        path[n++] = to;
    }
    return true;
}

static bool sort_nodes(sorter *s)
{
    arena *memory = &s->im->memory;
    edges e = {.first = ARENA_ARRAY(memory, uint32_t, (size_t)s->n + 1)};
    uint32_t *path = ARENA_ARRAY(memory, uint32_t, s->n);
    uint32_t *next = ARENA_ARRAY(memory, uint32_t, s->n);
    s->state = ARENA_ARRAY(memory, uint8_t, s->n);
    if (!e.first || !path || !next || !s->state)
        return onnx_no_memory(s->im);
    edge_walk w = {*s, &e};
    bool ok = true;
    for (uint32_t i = 0; ok && i < s->n; i++) {
        e.first[i] = e.to.n;
        ok = visit_inputs(&w.s, i, &s->nodes[i], add_edge);
    }
    e.first[s->n] = e.to.n;
    for (uint32_t i = 0; ok && i < s->n; i++)
        ok = s->state[i] == DONE || visit_node(s, &e, i, path, next);
    VECTOR_RELEASE(s->im->m->allocator, &e.to);
    return ok;
}

const uint32_t *onnx_order(importer *im, const onnx_node *nodes, uint32_t n)
{
    sorter s = {.im = im, .nodes = nodes, .n = n, .is_sorted = true};
    s.order = ARENA_ARRAY(&im->memory, uint32_t, n);
    bool ok = s.order ? index_outputs(&s) : onnx_no_memory(im);
    for (uint32_t i = 0; ok && s.is_sorted && i < n; i++) {
        s.order[i] = i;
        (void)visit_inputs(&s, i, &nodes[i], check_before);
        ok = !im->no_memory;
    }
    if (ok && !s.is_sorted) {
        diag_warn(&im->m->cx->diag, DIAG_Advice, &im->m->source, NO_SPAN,
                  "the nodes are not in an order in which each follows what it reads");
        ok = sort_nodes(&s);
    }
    hash_release(im->m->allocator, &s.producers);
    return ok ? s.order : NULL;
}
