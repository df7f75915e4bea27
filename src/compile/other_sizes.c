/* Programs with other sizes than they are bound to. */
#include "compile/other_sizes.h"

#include <string.h>

#include "base/memory/checked.h"
#include "pass/pass.h"
#include "pass/sizes/bind.h"

/* Choices of other sizes, by number: all sizes different; equal sizes stay equal; multiples of
 * another size stay multiples. */
typedef enum relation { APART, TOGETHER, IN_PROPORTION, RELATIONS } relation;

static bool changed(int64_t size, sizes_change c, relation r, uint32_t i, int64_t *out)
{
    enum { TWO_VECTORS = 2 * 16 };
    const int64_t apart = r == APART ? 1 + 2 * (int64_t)i : 1;
    const int64_t vectors = apart + size / 16 + TWO_VECTORS;
    if (r == IN_PROPORTION)
        return mul_i64(size, 2, out);
    if (c == SIZES_VECTORS_ABOVE)
        return add_i64(size, vectors, out);
    *out = size - vectors;
    if (c == SIZES_VECTORS_BELOW)
        return *out > 0;
    return add_i64(size, c == SIZES_DOUBLED ? size : size / 16, out) && add_i64(*out, apart, out);
}

static bool change_all(const module *m, const dim_values *values, sizes_change c, relation r,
                       dim_values *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->types.exprs.n; i++) {
        const int64_t value = values->at[i];
        if (m->types.exprs.at[i].op != DIM_SYM || value < 0)
            continue;
        if (value == 0 || !changed(value, c, r, n++, &out->at[i]))
            return false;
    }
    return n > 0;
}

static void free_module(module *m)
{
    context *cx = m ? m->cx : NULL;
    module_free(m);
    context_free(cx);
}

/* A copy in a context of its own, which reports nothing. */
static module *copy(const module *m)
{
    context *cx = context_new(&m->cx->allocator, NULL);
    if (!cx)
        return NULL;
    context_limits_from(cx, m->cx);
    module *made = module_copy_to(m, cx);
    if (!made)
        context_free(cx);
    return made;
}

static void make(const other_sizes *o, sizes_change c, relation r, other_graph *out)
{
    module *m = copy(o->symbolic);
    dim_values *sizes = m ? dim_values_new(&m->types, &m->arena) : NULL;
    if (sizes && change_all(m, o->values, c, r, sizes) && module_bind_here(m, sizes) == TN_OK &&
        pass_run_level(m, o->options.level, o->options.relaxed, false, NULL) == TN_OK) {
        out->graph = m;
        out->sizes = sizes;
    } else {
        free_module(m);
    }
}

void other_sizes_init(other_sizes *o, const module *m, const dim_values *values,
                      const sizes_options *options)
{
    *o = (other_sizes){.options = *options};
    o->symbolic = module_has_symbols(m) ? copy(m) : NULL;
    if (!o->symbolic)
        return;
    o->values = dim_values_new(&o->symbolic->types, &o->symbolic->arena);
    if (o->values)
        memcpy(o->values->at, values->at, values->n * sizeof values->at[0]);
    else
        other_sizes_release(o);
}

const module *other_sizes_get(other_sizes *o, sizes_change change)
{
    if (!o || !o->symbolic)
        return NULL;
    for (int r = 0; r < RELATIONS && !o->made[change].is_tried && !o->made[change].graph; r++)
        make(o, change, (relation)r, &o->made[change]);
    o->made[change].is_tried = true;
    return o->made[change].graph;
}

/* Has every symbol of O a value above 0 that it has not in SIZES? */
static bool differs_everywhere(const other_sizes *o, const dim_values *sizes)
{
    const type_table *types = &o->symbolic->types;
    for (uint32_t i = 0; i < types->exprs.n; i++) {
        const int64_t value = o->values->at[i];
        if (types->exprs.at[i].op == DIM_SYM && value >= 0 && (value == 0 || value == sizes->at[i]))
            return false;
    }
    return true;
}

void other_sizes_offer(other_sizes *o, other_graph *kept)
{
    if (!o->symbolic || !kept->graph || !differs_everywhere(o, kept->sizes))
        return;
    o->made[SIZES_DOUBLED] = *kept;
    *kept = (other_graph){.graph = NULL};
}

void other_sizes_keep(other_sizes *o, other_graph *kept)
{
    other_graph *made = &o->made[SIZES_DOUBLED]; /* the others are near the binding of now */
    if (kept->graph || !made->graph)
        return;
    *kept = *made;
    *made = (other_graph){.graph = NULL};
}

void other_graph_free(other_graph *kept)
{
    free_module(kept->graph);
    *kept = (other_graph){.graph = NULL};
}

void other_sizes_release(other_sizes *o)
{
    for (int c = 0; c < SIZES_CHANGES; c++)
        other_graph_free(&o->made[c]);
    free_module(o->symbolic);
    *o = (other_sizes){.symbolic = NULL};
}
