/* Programs with symbolic extents: what was made of them for the extents of one run is kept for the
 * next. Variants are made outside the lock, so that runs with other extents go on meanwhile. */
#include "compile/compiled.h"
#include "compile/pipeline.h"
#include "graph/derived.h"
#include "pass/sizes/bind.h"

/* ---- making one ---- */

static void variant_free(const tn_allocator *allocator, variant *v)
{
    tape_free(v->tape);
    module_free(v->graph);
    context_free(v->cx);
    memory_free(allocator, v, sizeof *v);
}

static tn_status note_extents(const tn_program *p, const tn_buffer *in, variant *v)
{
    size_t n = 0, at = 0;
    for (uint32_t i = 0; i < p->n_inputs; i++)
        n += in[i].type.rank;
    v->extents = ARENA_ARRAY(&v->graph->arena, int64_t, n);
    if (!v->extents)
        return module_no_memory(v->graph);
    for (uint32_t i = 0; i < p->n_inputs; i++)
        for (uint32_t k = 0; k < in[i].type.rank; k++)
            v->extents[at++] = in[i].type.dims[k];
    return TN_OK;
}

/* The values of the symbols of M, a copy; the order of expressions is that of the original. */
static tn_status find_sizes(const tn_program *p, const tn_buffer *in, module *m, dim_values **out)
{
    dim_values *sizes = dim_values_new(&m->types, &m->arena);
    given_shape *given = ARENA_ARRAY(&m->arena, given_shape, p->n_inputs);
    if (!sizes || !given)
        return module_no_memory(m);
    memcpy(sizes->at, p->sizes->at, sizes->n * sizeof sizes->at[0]);
    for (uint32_t i = 0; i < p->n_inputs; i++)
        given[i] = (given_shape){in[i].type.rank, in[i].type.dims};
    *out = sizes;
    return sizes_from_inputs(m, given, sizes);
}

static tn_status note_outputs(const tn_program *p, variant *v)
{
    const function *f = module_entry(v->graph);
    v->outputs = ARENA_ARRAY(&v->graph->arena, tn_port, p->n_outputs);
    if (!v->outputs)
        return module_no_memory(v->graph);
    for (uint32_t i = 0; i < p->n_outputs; i++) {
        v->outputs[i].name = p->outputs[i].name;
        public_type(value_type(f, f->outputs.at[i]), &v->outputs[i].type);
    }
    return TN_OK;
}

/* These extents do not suit the program, which is well-formed. */
static tn_status as_input(tn_status s)
{
    return s == TN_ERR_REJECTED ? TN_ERR_INPUT : s;
}

static tn_status run_stages(const tn_program *p, variant *v, pipeline *made, other_graph *other)
{
    TN_TRY(as_input(pipeline_to(made, STAGE_BIND)));
    if (made->others)
        other_sizes_offer(made->others, other);
    if (v->is_own)
        v->graph->had_symbols = false; /* all that is constant is folded */
    TN_TRY(note_outputs(p, v));
    TN_TRY(pipeline_to(made, STAGE_LOAD));
    if (made->others)
        other_sizes_keep(made->others, other);
    if (v->is_own && made->by_reference)
        return TN_ERR_UNAVAILABLE; /* there is code for any extents, at least */
    v->tape = made->tape;
    made->tape = NULL;
    return TN_OK;
}

/* The graph to compare with is one thread's at a time. */
static other_graph take_other(variant_cache *c)
{
    (void)pthread_mutex_lock(&c->lock); /* fails only where it is misused */
    const other_graph other = c->other;
    c->other = (other_graph){.graph = NULL};
    (void)pthread_mutex_unlock(&c->lock);
    return other;
}

static void give_other(variant_cache *c, other_graph *other)
{
    (void)pthread_mutex_lock(&c->lock);
    const bool is_free = !c->other.graph;
    if (is_free)
        c->other = *other;
    (void)pthread_mutex_unlock(&c->lock);
    if (!is_free)
        other_graph_free(other);
}

static tn_status build(const tn_program *p, const tn_buffer *in, const tn_profiler *events,
                       variant *v)
{
    other_sizes others = {.symbolic = NULL};
    dim_values *sizes = NULL;
    pipeline made;
    v->graph = module_copy_to(p->graph, v->cx);
    if (!v->graph)
        return diag_no_memory(&v->cx->diag);
    TN_TRY(note_extents(p, in, v));
    TN_TRY(as_input(find_sizes(p, in, v->graph, &sizes)));
    pipeline_init(&made, FOR_RUNS, p->engine, v->graph, STAGE_BIND);
    made.sizes = sizes;
    made.options = p->options;
    made.others = v->is_own ? NULL : &others; /* its own: nothing is done for other extents */
    made.events = events;
    other_graph other = {.graph = NULL};
    if (!v->is_own)
        other = take_other(p->cache);
    const tn_status s = run_stages(p, v, &made, &other);
    pipeline_release(&made);
    if (!v->is_own)
        give_other(p->cache, &other);
    other_sizes_release(&others);
    return s;
}

static tn_status variant_new(const tn_program *p, const tn_buffer *in, tn_diagnostic_sink sink,
                             const tn_profiler *events, bool is_own, variant **out)
{
    variant *v = memory_alloc(&p->allocator, sizeof *v);
    if (v)
        *v = (variant){.cx = context_new(&p->allocator, &sink), .is_own = is_own};
    if (!v || !v->cx) {
        diag_channel d;
        diag_init(&d, &p->allocator, sink);
        tn_status s = diag_no_memory(&d);
        diag_release(&d);
        memory_free(&p->allocator, v, sizeof *v);
        return s;
    }
    context_bounds_from(v->cx, p->cx);
    const tn_status s = context_done(v->cx, build(p, in, events, v));
    v->cx->diag.sink = (tn_diagnostic_sink){0}; /* it was borrowed for this run */
    if (s == TN_OK)
        *out = v;
    else
        variant_free(&p->allocator, v);
    return s;
}

/* ---- keeping them ---- */

/* V goes, and with it what only it had. */
static void discard(const tn_program *p, variant *v)
{
    variant_free(&p->allocator, v);
    derived_sweep(p->engine->derived);
}

variant_cache *variant_cache_new(const tn_allocator *allocator)
{
    variant_cache *c = memory_alloc(allocator, sizeof *c);
    if (!c)
        return NULL;
    c->clock = 0;
    c->n = 0;
    c->other = (other_graph){.graph = NULL};
    if (pthread_mutex_init(&c->lock, NULL) != 0) {
        memory_free(allocator, c, sizeof *c);
        return NULL;
    }
    return c;
}

void variant_cache_free(const tn_allocator *allocator, variant_cache *kept)
{
    if (!kept)
        return;
    for (uint32_t i = 0; i < kept->n; i++)
        variant_free(allocator, kept->at[i]);
    other_graph_free(&kept->other);
    (void)pthread_mutex_destroy(&kept->lock);
    memory_free(allocator, kept, sizeof *kept);
}

static bool is_for(const variant *v, const tn_program *p, const tn_buffer *in)
{
    const int64_t *extents = v->extents;
    for (uint32_t i = 0; i < p->n_inputs; extents += in[i++].type.rank)
        if (memcmp(extents, in[i].type.dims, in[i].type.rank * sizeof *extents) != 0)
            return false;
    return true;
}

/* The cached variant for IN, now with one user more, or NULL. The lock is held. */
static variant *find(variant_cache *c, const tn_program *p, const tn_buffer *in)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (is_for(c->at[i], p, in)) {
            c->at[i]->users++;
            c->at[i]->last_use = ++c->clock;
            return c->at[i];
        }
    return NULL;
}

/* Put V into the cache, unless it is full of variants that are in use. Returns what had to go, or
 * NULL. The lock is held. */
static variant *insert(variant_cache *c, variant *v)
{
    uint32_t at = c->n;
    variant *evicted = NULL;
    for (uint32_t i = 0; c->n == MOST_VARIANTS && i < c->n; i++)
        if (c->at[i]->users == 0 && (!evicted || c->at[i]->last_use < evicted->last_use)) {
            evicted = c->at[i];
            at = i;
        }
    v->users = 1;
    v->last_use = ++c->clock;
    v->is_cached = at < MOST_VARIANTS;
    if (v->is_cached)
        c->at[at] = v;
    if (v->is_cached && !evicted)
        c->n++;
    return evicted;
}

/* ---- code for extents that are run often ---- */

/* Have runs of V, whose code is for any extents, taken so long that code for its own alone is worth
 * a try? It may be much faster. Who asks first is told so, others never. The lock is held. */
static bool deserves_own(const tn_program *p, variant *v)
{
    enum { TIMES = 10 };
    const int64_t compiling = 5000000; /* ns for each node, about */
    const int64_t nodes = (int64_t)module_entry(v->graph)->nodes.n;
    if (!p->makes_own || v->is_own || !v->tape || !v->is_cached ||
        v->spent / TIMES < nodes * compiling)
        return false;
    v->is_own = true;
    return true;
}

/* V, which the caller has taken, becomes one whose code is for its extents alone, in the cache and
 * with the caller. Where that fails it stays. */
static void replace(const tn_program *p, const tn_buffer *in, const tn_profiler *events,
                    variant **v)
{
    variant_cache *c = p->cache;
    variant *own = NULL, *old = *v;
    const bool has_told = atomic_load(&p->engine->has_told);
    if (variant_new(p, in, (tn_diagnostic_sink){0}, events, true, &own) != TN_OK) {
        atomic_store(&p->engine->has_told, has_told); /* nobody has heard of it */
        return;
    }
    (void)pthread_mutex_lock(&c->lock);
    own->users = 1;
    own->last_use = ++c->clock;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->at[i] == old) {
            c->at[i] = own;
            own->is_cached = true;
            old->is_cached = false;
        }
    (void)pthread_mutex_unlock(&c->lock);
    *v = own;
    variant_give_back(p, old, 0);
}

tn_status variant_take(const tn_program *p, const tn_buffer *in, tn_diagnostic_sink sink,
                       const tn_profiler *events, bool has_time, variant **v)
{
    variant_cache *c = p->cache;
    variant *made = NULL, *useless = NULL;
    (void)pthread_mutex_lock(&c->lock); /* fails only where it is misused */
    *v = find(c, p, in);
    const bool is_slow = *v && has_time && deserves_own(p, *v);
    (void)pthread_mutex_unlock(&c->lock);
    if (is_slow)
        replace(p, in, events, v);
    if (*v)
        return TN_OK;
    TN_TRY(variant_new(p, in, sink, events, false, &made));
    (void)pthread_mutex_lock(&c->lock);
    *v = find(c, p, in); /* another thread was faster */
    if (*v) {
        useless = made;
    } else {
        useless = insert(c, made);
        *v = made;
    }
    (void)pthread_mutex_unlock(&c->lock);
    if (useless)
        discard(p, useless);
    return TN_OK;
}

void variant_give_back(const tn_program *p, variant *v, int64_t spent)
{
    variant_cache *c = p->cache;
    (void)pthread_mutex_lock(&c->lock);
    v->spent += spent;
    v->users--;
    const bool is_free = v->users == 0 && !v->is_cached;
    (void)pthread_mutex_unlock(&c->lock);
    if (is_free)
        discard(p, v);
}
