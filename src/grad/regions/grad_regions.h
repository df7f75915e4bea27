/* Making regions for the derivatives of control flow. Failure is that of the call's builder, as it
 * is for other nodes: after the first one nothing more is made. */
#ifndef GRAD_REGIONS_GRAD_REGIONS_H
#define GRAD_REGIONS_GRAD_REGIONS_H

#include "grad/reverse.h"

/* A region being made. */
typedef struct region {
    grad_call *c;
    builder b; /* on its function */
    int64_t index;
} region;

region region_new(grad_call *c, const char *name);
/* The status of the region becomes that of the call. Values of the region are renumbered. */
void region_done(region *r);
value_id region_param(region *r, const type *t);
void region_output(region *r, value_id v);

/* Room for N in the module's memory. */
value_id *region_ids(grad_call *c, uint32_t n);
bool *region_flags(grad_call *c, uint32_t n);
bool region_is_fine(const grad_call *c);

/* Append the nodes of FROM, whose parameters are the values ARGS, and give its outputs. FROM may
 * make no random numbers. */
void region_inline(builder *b, grad_call *c, const function *from, const value_id *args,
                   value_id *outputs);

/* Append the nodes of FROM with the parameters ARGS, then its derivative: G are the gradients of
 * its outputs (NO_VALUE: none), OUT those of the parameters that are ACTIVE, zeros where nothing
 * flows; NO_VALUE for the others. */
void region_vjp(builder *b, grad_call *c, const function *from, const value_id *args,
                const value_id *g, const bool *active, value_id *out);

/* Mark further of the first N parameters of BODY as active: those whose value in the next
 * iteration, output of the same number, depends on active ones. */
void region_spread(grad_call *c, const function *body, uint32_t n, bool *active);

/* Is output K of BODY its parameter K, unchanged? */
bool region_passes(const function *body, uint32_t k);

/* The operands of the node whose derivative is asked for, as the primal computed them. */
const value_id *region_operands(const grad_call *c);
/* That node's results are NOW, NOW + 1, ... from then on, and the nodes from FIRST_NODE up to the
 * one of NOW stand in its place. */
void region_replace(grad_call *c, uint32_t first_node, value_id now);

/* Drop nodes that no output of R needs, and of the parameters FIRST .. FIRST + N - 1 those that are
 * not needed; but of all parameters behind the first FIRST + SPARE one must stay. KEPT says which
 * of the N stay. Values are renumbered. */
void region_prune(region *r, uint32_t first, uint32_t n, uint32_t spare, bool *kept);

/* The answer that was given to Q, or NULL; and giving one, which lives as long as the module. */
const void *region_recall(const grad_call *c, const question *q);
void region_remember(grad_call *c, const question *q, const void *answer);
/* The same for numbers of regions, of which TO gets a copy: false when nothing is known. */
bool region_recall_indices(const grad_call *c, const question *q, int64_t *to, uint32_t n);
void region_remember_indices(grad_call *c, const question *q, const int64_t *indices, uint32_t n);

static inline question region_question(const grad_call *c, enum question_kind kind, uint32_t most)
{
    return question_new(&c->b.f->module->arena, kind, most);
}
static inline void question_region(question *q, const function *f)
{
    question_add(q, (uint64_t)(uintptr_t)f);
}
static inline void question_type(question *q, const type *t)
{
    question_add(q, (uint64_t)(uintptr_t)t);
}

static inline const function *region_of_node(const grad_call *c, attr_key key)
{
    return c->b.f->module->functions.at[attr_int(c->n.attrs, key, 0)];
}

#endif
