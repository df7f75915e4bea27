/* The public builder: derivatives of what has been built so far. */
#include "forms/building.h"
#include "grad/reverse.h"

static const char name[] = "tn_gradient";

/* The id of V, which must be a float. */
static bool float_operand(tn_builder *b, const char *what, tn_value v, value_id *id)
{
    const type *t;
    if (!builder_operand(b, name, v, id, &t))
        return false;
    if (dtype_is_float(t->dtype))
        return true;
    builder_fail(b, DIAG_NotDifferentiable, name,
                 "the %s is %s: only floating-point values have gradients", what,
                 dtype_name(t->dtype));
    return false;
}

/* The gradient of the loss itself; NO_VALUE after a failure. */
static value_id seed_of(tn_builder *b, value_id loss, tn_value seed)
{
    function *f = current_function(b);
    const type *t = value_type(f, loss), *own;
    value_id id = NO_VALUE;
    if (tn_is_value(seed)) {
        if (builder_operand(b, name, seed, &id, &own) && own != t) {
            builder_fail(b, DIAG_GradientShape, name,
                         "the gradient of the loss is not of the type of the loss");
            return NO_VALUE;
        }
        return id;
    }
    if (t->count != 1) {
        builder_fail(b, DIAG_GradientShape, name,
                     "the loss has rank %u, but a loss has one element, unless its gradient is "
                     "given: sum it or take its mean",
                     (unsigned)t->rank);
        return NO_VALUE;
    }
    builder g = builder_on(f, NO_SPAN);
    id = build_splat(&g, t->dtype, t->dims, t->rank, scalar_of_float(1));
    if (g.status != TN_OK)
        builder_failed(b, name, g.status);
    return id;
}

static tn_status walk_back(reverse_walk *w, value_id loss, value_id seed, const value_id *wrt,
                           size_t n, value_id *out)
{
    for (size_t i = 0; i < n; i++)
        w->depends[wrt[i]] = true;
    reverse_mark(w);
    w->grads[loss] = seed;
    TN_TRY(reverse_run(w));
    for (size_t i = 0; i < n; i++) {
        builder g = reverse_builder(w, wrt[i]);
        out[i] = reverse_result(w, &g, wrt[i]);
        TN_TRY(g.status);
    }
    return TN_OK;
}

static tn_status differentiate_here(tn_builder *b, value_id loss, value_id seed,
                                    const value_id *wrt, size_t n, value_id *out)
{
    static const grad_style style = {.plain = true};
    function *f = current_function(b);
    reverse_walk w;
    TN_TRY(reverse_init(&w, f, 0, &style, b->scopes.n - 1, &b->work));
    TN_TRY(walk_back(&w, loss, seed, wrt, n, out));
    for (uint32_t i = w.end_node; i < f->nodes.n; i++) {
        f->nodes.at[i].tag = b->label;
        f->nodes.at[i].place = i + 1 - f->inputs.n;
    }
    return TN_OK;
}

void tn_gradient(tn_builder *b, tn_value loss, tn_value seed, tn_values wrt, tn_value *out)
{
    for (size_t i = 0; i < wrt.n; i++)
        out[i] = tn_no_value();
    if (!builder_list(b, name, wrt.at, wrt.n))
        return;
    const tn_allocator *a = &b->cx->allocator;
    value_id at = NO_VALUE, first = NO_VALUE;
    value_id *ids =
        wrt.n < SIZE_MAX / 2 / sizeof *ids ? memory_alloc(a, 2 * wrt.n * sizeof *ids) : NULL;
    if (!ids) {
        builder_no_memory(b);
        return;
    }
    bool ok = float_operand(b, "loss", loss, &at);
    for (size_t i = 0; ok && i < wrt.n; i++)
        ok = float_operand(b, "value to differentiate by", wrt.at[i], &ids[i]);
    if (ok)
        first = seed_of(b, at, seed);
    if (ok && first != NO_VALUE) {
        const tn_status s = differentiate_here(b, at, first, ids, wrt.n, ids + wrt.n);
        if (s != TN_OK)
            builder_failed(b, name, s);
        for (size_t i = 0; s == TN_OK && i < wrt.n; i++)
            out[i] = (tn_value){loss.scope, ids[wrt.n + i]};
    }
    memory_free(a, ids, 2 * wrt.n * sizeof *ids);
}

/* ---- loops that also record ----------------------------------------------------------------- */

/* Does a node of F from FIRST up to the one of LAST go away for another replacement? */
static bool holds_another(const replacement_list *list, const replacement *e)
{
    const function *f = e->f;
    const uint32_t last = f->values.at[e->now].node;
    for (uint32_t i = 0; i < list->n; i++) {
        const replacement *other = &list->at[i];
        const uint32_t at = f->values.at[other->old].node;
        if (other->f == f && other != e && at >= e->first_node && at <= last)
            return true;
    }
    return false;
}

/* Of several derivatives of one loop only the first replaces it, and a loop that is part of such a
 * replacement stays: what is not replaced is merely computed twice. */
static void keep_simple(replacement_list *list, const function *f)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        const replacement e = list->at[i];
        bool known = e.f == f && holds_another(list, &list->at[i]);
        for (uint32_t k = 0; k < left && !known; k++)
            known = e.f == f && list->at[k].f == f && list->at[k].old == e.old;
        if (!known)
            list->at[left++] = e;
    }
    list->n = left;
}

void builder_settle(tn_builder *b)
{
    if (!is_building(b) || b->work.replacements.n == 0)
        return;
    keep_simple(&b->work.replacements, current_function(b));
    if (replacements_apply(&b->work.replacements, current_function(b)) != TN_OK)
        builder_no_memory(b);
}

void builder_forget(tn_builder *b, uint32_t index)
{
    replacement_list all = b->work.replacements;
    uint32_t left = 0;
    for (uint32_t i = 0; i < all.n; i++) {
        bool goes = false;
        for (uint32_t k = index; k < b->m->functions.n && !goes; k++)
            goes = b->m->functions.at[k] == all.at[i].f;
        if (!goes)
            all.at[left++] = all.at[i];
    }
    all.n = left;
    /* What was asked before may be about any region. */
    b->work.replacements = (replacement_list){0};
    grad_work_release(&b->cx->allocator, &b->work);
    b->work = (grad_work){.replacements = all};
}
