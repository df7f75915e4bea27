/* Kernels for another choice of the symbolic sizes of their program: what runs together is decided
 * once, and the extents and maps are those of either choice. */
#include <string.h>

#include "ops/attr_rules.h"
#include "plan/contraction.h"
#include "plan/group.h"

/* A kernel of F, which is made again for LIKE. */
typedef struct resizing {
    const function *f, *like;
    arena *memory;
} resizing;

static bool is_reduced_by(const function *f, const kernel *k, uint32_t i)
{
    return k->kind == KERNEL_ROWS && kernel_is_reduction(f, &f->nodes.at[k->nodes[i]]);
}

/* The value whose elements are the positions of K, which is no STAGES. */
static value_id value_of_positions(const function *f, const kernel *k)
{
    for (uint32_t i = 0; i < k->n_nodes; i++)
        if (is_reduced_by(f, k, i))
            return f->nodes.at[k->nodes[i]].in[0];
    return k->out[0].value;
}

/* Do all reductions of K have rows of these positions, now those of T? */
static bool has_rows_of(const function *f, const kernel *k, const type *t)
{
    bool same = true;
    for (uint32_t i = 0; i < k->n_nodes; i++) {
        if (!is_reduced_by(f, k, i))
            continue;
        const type *in = value_type(f, f->nodes.at[k->nodes[i]].in[0]);
        same = same && in->rank == t->rank &&
               memcmp(in->dims, t->dims, t->rank * sizeof *t->dims) == 0;
    }
    return same;
}

/* Where operand V of the concatenation N begins, if it is the one that begins at START in F. */
static bool concat_start(const resizing *r, const node *n, value_id v, int64_t start, int64_t *out)
{
    const uint32_t rank = value_type(r->f, v)->rank, axis = resolve_axis(n->attrs, KEY_AXIS, rank);
    int64_t now = 0;
    *out = 0;
    for (uint32_t o = 0; o < n->n_in && now <= start; o++) {
        const int64_t extent = value_type(r->f, n->in[o])->dims[axis];
        if (n->in[o] == v && now == start && extent > 0)
            return true;
        now += extent;
        *out += value_type(r->like, n->in[o])->dims[axis];
    }
    return false;
}

/* MAP, which leads from the positions of K to those of V, or to its part of INTO: every axis is one
 * of the positions or fixed. NULL: it is another one. */
static const access_map *resized(const resizing *r, const access_map *map, const type *positions,
                                 value_id v, value_id into)
{
    const node *n = node_of(r->f, into);
    const type *in = value_type(r->like, into);
    int64_t constant[TN_MAX_RANK], by[TN_MAX_RANK][TN_MAX_RANK];
    access_map out;
    if (map->n_guards > 0 || map->n_source != in->rank)
        return NULL;
    for (uint32_t i = 0; i < map->n_source; i++) {
        if (!access_strides(map->at[i], map->rank, &constant[i], by[i]))
            return NULL;
        for (uint32_t k = 0; k < map->rank; k++)
            if (by[i][k] != 0 && by[i][k] != 1)
                return NULL;
        if (constant[i] != 0 &&
            (n->op != OP_CONCAT || !concat_start(r, n, v, constant[i], &constant[i])))
            return NULL;
    }
    if (!access_of_steps(positions->dims, positions->rank, map->n_source, constant,
                         (const int64_t(*)[TN_MAX_RANK])by, r->memory, &out))
        return NULL;
    for (uint32_t i = 0; i < out.n_source; i++)
        if (out.at[i]->low < 0 || out.at[i]->high >= in->dims[i])
            return NULL;
    return access_copy(&out, r->memory);
}

static bool resize_outputs(const resizing *r, const kernel *k, const type *positions, kernel *out)
{
    kernel_output *own = ARENA_ARRAY(r->memory, kernel_output, k->n_out);
    for (uint32_t i = 0; own && i < k->n_out; i++) {
        const kernel_output *from = &k->out[i];
        own[i] = *from;
        own[i].from = resized(r, from->from, positions, from->value, from->value);
        own[i].to = from->to == from->from
                        ? own[i].from
                        : resized(r, from->to, positions, from->value, from->into);
        if (!own[i].from || !own[i].to)
            return false;
    }
    out->out = own;
    return own != NULL;
}

/* K, which runs over positions, with those of LIKE. */
static bool resize_positions(const resizing *r, const kernel *k, kernel *out)
{
    const value_id v = value_of_positions(r->f, k);
    const type *now = value_type(r->f, v), *there = value_type(r->like, v);
    access_map all;
    if (now->rank != k->rank || memcmp(now->dims, k->dims, k->rank * sizeof *now->dims) != 0 ||
        !has_rows_of(r->like, k, there) || !resize_outputs(r, k, there, out))
        return false;
    for (uint32_t i = 0; i < k->rank; i++) { /* of axes of extent 1 the maps say nothing */
        if (k->dims[i] == 1 && there->dims[i] != 1)
            return false;
        out->dims[i] = there->dims[i];
    }
    return !k->operands || (access_identity(out->dims, k->rank, r->memory, &all) &&
                            (out->operands = access_copy(&all, r->memory)));
}

/* Has V elements, of a number that can be counted, with the other sizes where it has now? */
static bool is_countable(const resizing *r, value_id v)
{
    return type_has_elements(value_type(r->f, v)) == type_has_elements(value_type(r->like, v));
}

/* The same of all that K computes with. */
static bool has_countable_values(const resizing *r, const kernel *k)
{
    bool ok = true;
    for (uint32_t i = 0; i < k->n_in; i++)
        ok = ok && is_countable(r, k->in[i]);
    for (uint32_t i = 0; i < k->n_out; i++)
        ok = ok && is_countable(r, k->out[i].value) && is_countable(r, k->out[i].into);
    for (uint32_t i = 0; i < k->n_nodes; i++) {
        const node *n = &r->f->nodes.at[k->nodes[i]];
        for (uint32_t v = 0; v < n->n_results; v++)
            ok = ok && is_countable(r, n->first_value + v);
    }
    return ok;
}

static bool resize(const resizing *r, const kernel *k, kernel_pair *out);

/* A kernel of stages has the positions of the last one, and what it stores. */
static bool resize_stages(const resizing *r, const kernel *k, kernel_pair *out)
{
    kernel *own = ARENA_ARRAY(r->memory, kernel, k->n_stages);
    kernel *other = ARENA_ARRAY(r->memory, kernel, k->n_stages);
    kernel_pair pair;
    if (!own || !other)
        return false;
    for (uint32_t i = 0; i < k->n_stages; i++) { /* which have no stages */
        if (!resize(r, &k->stages[i], &pair))
            return false;
        own[i] = pair.own;
        other[i] = pair.other;
    }
    out->own.stages = own;
    out->other.stages = other;
    memcpy(out->other.dims, pair.other.dims, sizeof pair.other.dims);
    out->other.out = pair.other.out;
    out->other.operands = pair.other.operands;
    return true;
}

static bool reads(const kernel *k, value_id v)
{
    for (uint32_t i = 0; i < k->n_in; i++)
        if (k->in[i] == v)
            return true;
    return false;
}

/* The loops of a contraction, whose operands are in memory. */
static bool compare_loops(const resizing *r, const kernel *k, kernel_pair *out)
{
    contraction now, there;
    if (!contraction_of(r->f, &r->f->nodes.at[k->node], r->memory, &now) ||
        !contraction_of(r->like, &r->like->nodes.at[k->node], r->memory, &there) ||
        now.n_loops != there.n_loops || !reads(k, now.operand[0].base) ||
        !reads(k, now.operand[1].base))
        return false;
    for (uint32_t i = 0; i < now.n_loops; i++)
        out->own.dynamic_loops |= (uint32_t)(now.loops[i].extent != there.loops[i].extent) << i;
    out->other.dynamic_loops = out->own.dynamic_loops;
    return true;
}

/* What is dynamic of K, a kernel of LOOPS. */
static uint32_t dynamic_of_loops(const resizing *r, const kernel *k)
{
    const node *n = &r->f->nodes.at[k->node];
    if (n->op == OP_SCAN || n->op == OP_WHILE)
        return kernel_region_elements(r->f, n) !=
               kernel_region_elements(r->like, &r->like->nodes.at[k->node]);
    const type *now = value_type(r->f, n->in[0]), *there = value_type(r->like, n->in[0]);
    uint32_t dynamic = 0;
    for (uint32_t i = 0; i < now->rank; i++)
        dynamic |= (uint32_t)(now->dims[i] != there->dims[i]) << i;
    return dynamic;
}

static bool resize(const resizing *r, const kernel *k, kernel_pair *out)
{
    out->own = out->other = *k;
    if (!has_countable_values(r, k))
        return false;
    if (k->n_stages > 0 ? !resize_stages(r, k, out)
                        : k->kind != KERNEL_LOOPS && !resize_positions(r, k, &out->other))
        return false;
    if (k->kind == KERNEL_CONTRACT && !compare_loops(r, k, out))
        return false;
    for (uint32_t i = 0; i < k->rank; i++)
        out->own.dynamic |= (uint32_t)(k->dims[i] != out->other.dims[i]) << i;
    if (k->kind == KERNEL_LOOPS)
        out->own.dynamic = dynamic_of_loops(r, k);
    out->other.dynamic = out->own.dynamic;
    out->own.is_generic = out->other.is_generic = true;
    return true;
}

bool function_is_resized(const function *f, const function *like)
{
    if (f->nodes.n != like->nodes.n || f->values.n != like->values.n)
        return false;
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        const node *a = &f->nodes.at[i], *b = &like->nodes.at[i];
        if (a->op != b->op || a->n_in != b->n_in || a->first_value != b->first_value ||
            (a->n_in && memcmp(a->in, b->in, a->n_in * sizeof *a->in) != 0))
            return false;
    }
    return true;
}

bool kernel_resize(const function *f, const kernel *k, const function *like, arena *memory,
                   kernel_pair *out)
{
    const resizing r = {.f = f, .like = like, .memory = memory};
    return resize(&r, k, out);
}
