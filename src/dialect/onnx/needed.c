/* What the results that a user names need of a model, and which would be read of one that is
 * refused. */
#include <inttypes.h>

#include "base/text/suggest.h"
#include "dialect/onnx/graph.h"

typedef struct search {
    importer *im;
    const onnx_graph *graph;
    hash_index producers; /* numbers of nodes, by the names of their outputs */
    hash_index by_name;
    VECTOR(onnx_bytes) names; /* that are needed, each once */
    bool *nodes, *inputs;
} search;

static void release(search *s)
{
    const tn_allocator *a = s->im->m->allocator;
    hash_release(a, &s->producers);
    hash_release(a, &s->by_name);
    VECTOR_RELEASE(a, &s->names);
}

static uint64_t hash_of(onnx_bytes name)
{
    return hash_bytes(0, name.at, name.n);
}

static bool has_name(const search *s, onnx_bytes name)
{
    const uint64_t h = hash_of(name);
    for (uint32_t p = hash_first(&s->by_name, h), i;
         (i = hash_at(&s->by_name, h, &p)) != HASH_NONE;)
        if (onnx_same(s->names.at[i], name))
            return true;
    return false;
}

static bool add_name(search *s, onnx_bytes name)
{
    return name.n == 0 || has_name(s, name) ||
           VECTOR_PUSH_INDEXED(s->im->m->allocator, &s->names, name, &s->by_name, hash_of(name)) ||
           onnx_no_memory(s->im);
}

static bool add_node(search *s, const onnx_node *n);

/* Names that the graph itself defines are added, too: they are no names outside of it. */
static bool add_graph(search *s, const onnx_graph *g)
{
    const onnx_node *nodes = g->nodes.at;
    const onnx_value_info *outputs = g->outputs.at;
    bool ok = true;
    for (uint32_t i = 0; ok && i < g->nodes.n; i++)
        ok = add_node(s, &nodes[i]);
    for (uint32_t i = 0; ok && i < g->outputs.n; i++)
        ok = add_name(s, outputs[i].name);
    return ok;
}

/* All that N reads. */
static bool add_node(search *s, const onnx_node *n)
{
    const onnx_bytes *inputs = n->inputs.at;
    const onnx_attribute *attributes = n->attributes.at;
    bool ok = true;
    for (uint32_t i = 0; ok && i < n->inputs.n; i++)
        ok = add_name(s, inputs[i]);
    for (uint32_t i = 0; ok && i < n->attributes.n; i++) {
        const onnx_graph *graphs = attributes[i].graphs.at;
        ok = !attributes[i].g || add_graph(s, attributes[i].g);
        for (uint32_t k = 0; ok && k < attributes[i].graphs.n; k++)
            ok = add_graph(s, &graphs[k]);
    }
    return ok;
}

static bool index_outputs(search *s)
{
    const onnx_node *nodes = s->graph->nodes.at;
    for (uint32_t i = 0; i < s->graph->nodes.n; i++) {
        const onnx_bytes *outputs = nodes[i].outputs.at;
        for (uint32_t k = 0; k < nodes[i].outputs.n; k++)
            if (outputs[k].n &&
                !hash_add(s->im->m->allocator, &s->producers, hash_of(outputs[k]), i))
                return onnx_no_memory(s->im);
    }
    return true;
}

/* The node that defines NAME; by chance another one whose output has the same hash, too. */
static bool add_producer(search *s, onnx_bytes name)
{
    const onnx_node *nodes = s->graph->nodes.at;
    const uint64_t h = hash_of(name);
    bool ok = true;
    for (uint32_t p = hash_first(&s->producers, h), i;
         ok && (i = hash_at(&s->producers, h, &p)) != HASH_NONE;) {
        ok = s->nodes[i] || add_node(s, &nodes[i]);
        s->nodes[i] = true;
    }
    return ok;
}

static bool find(search *s)
{
    const read_options *o = s->im->options;
    const onnx_value_info *inputs = s->graph->inputs.at;
    bool ok = index_outputs(s);
    for (size_t i = 0; ok && i < o->n_results; i++)
        ok = add_name(s, (onnx_bytes){o->results[i], strlen(o->results[i])});
    for (uint32_t i = 0; ok && i < s->names.n; i++) /* which become more */
        ok = add_producer(s, s->names.at[i]);
    for (uint32_t i = 0; ok && i < s->graph->inputs.n; i++)
        s->inputs[i] = has_name(s, inputs[i].name);
    return ok;
}

bool onnx_find_needed(importer *im, const onnx_graph *g, onnx_needed *out)
{
    *out = (onnx_needed){0};
    if (im->options->n_results == 0)
        return true;
    search s = {.im = im,
                .graph = g,
                .nodes = ARENA_ARRAY(&im->memory, bool, (size_t)g->nodes.n + 1),
                .inputs = ARENA_ARRAY(&im->memory, bool, (size_t)g->inputs.n + 1)};
    const bool ok = s.nodes && s.inputs ? find(&s) : onnx_no_memory(im);
    *out = (onnx_needed){.nodes = s.nodes, .inputs = s.inputs};
    release(&s);
    return ok;
}

/* ---- names that nothing has ---- */

bool onnx_refuse_result(importer *im, const onnx_graph *g, const char *name)
{
    const onnx_node *nodes = g->nodes.at;
    suggestion like;
    suggest_begin(&like, name, strlen(name));
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        const onnx_bytes *outputs = nodes[i].outputs.at;
        for (uint32_t k = 0; k < nodes[i].outputs.n; k++)
            suggest_name(&like, outputs[k].at, outputs[k].n);
    }
    (void)onnx_refuse_file(
        im, DIAG_UndefinedOutput, name,
        "'%.200s' is to be a result, and no value of the model's graph is called so", name);
    refusal *r = im->refusals.list.n ? &im->refusals.list.at[im->refusals.last] : NULL;
    if (r && like.name[0])
        r->fix = arena_printf(&im->memory, "did you mean '%s'?", like.name);
    return false;
}

/* ---- results that a model can end with ---- */

/* The first of the refusals that no size helps against; NULL: there is none. */
static refusal *lasting_refusal(importer *im)
{
    for (uint32_t i = 0; i < im->refusals.list.n; i++) {
        refusal *r = &im->refusals.list.at[i];
        if (r->kind == DIAG_DataDependentShape || r->kind == DIAG_UnknownOp)
            return r;
    }
    return NULL;
}

static bool is_faulty(const onnx_scope *scope, const onnx_node *n)
{
    const onnx_bytes *outputs = n->outputs.at;
    const onnx_value *v = n->outputs.n ? onnx_find(scope, outputs[0]) : NULL;
    return v && v->is_faulty;
}

/* Is V data that other nodes computed? */
static bool is_computed(const function *f, const onnx_value *v)
{
    return v && !v->is_faulty && !v->known && !v->is_weight && tn_is_value(v->v) &&
           node_of(f, v->v.id)->op != OP_INPUT && node_of(f, v->v.id)->op != OP_CONSTANT;
}

static bool add_results(search *s, const onnx_scope *scope, const onnx_node *n)
{
    const onnx_bytes *inputs = n->inputs.at;
    bool ok = true;
    for (uint32_t i = 0; ok && i < n->inputs.n; i++)
        if (is_computed(module_entry(s->im->m), onnx_find(scope, inputs[i])))
            ok = add_name(s, inputs[i]);
    return ok;
}

static void note_results(const search *s, refusal *r)
{
    enum { MOST = 8 };
    arena *memory = &s->im->memory;
    const char *text = "what comes before what is refused can be read by itself:";
    for (uint32_t i = 0; text && i < s->names.n && i < MOST; i++)
        text = arena_printf(memory, "%s %s %.*s", text,
                            diag_setting_name(&s->im->m->cx->diag, SETTING_RESULTS),
                            ONNX_TEXT(s->names.at[i]));
    if (text && s->names.n > MOST)
        text = arena_printf(memory, "%s, and %" PRIu32 " more", text, s->names.n - MOST);
    r->note = text;
    if (!text)
        (void)onnx_no_memory(s->im);
}

bool onnx_note_results(importer *im, const onnx_scope *scope, const onnx_graph *g)
{
    const onnx_node *nodes = g->nodes.at;
    refusal *r = lasting_refusal(im);
    search s = {.im = im, .graph = g};
    bool ok = true;
    for (uint32_t i = 0; ok && r && i < g->nodes.n; i++)
        ok = !is_faulty(scope, &nodes[i]) || add_results(&s, scope, &nodes[i]);
    if (ok && s.names.n)
        note_results(&s, r);
    release(&s);
    return ok && !im->no_memory;
}
