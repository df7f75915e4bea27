/* fold-pure: evaluate ops whose operands are constants. fold-parameters does so without a bound.
 *
 * needs   verified types
 * keeps   types, order, the bits of every result
 * breaks  use counts: operands may become dead; dce removes them
 *
 * What depends on parameters alone is folded once these are constants (tn_module_set_constant,
 * `tenon opt --constant`), which is what fold-parameters is for.
 *
 * Not folded: ops that may give another result another time (generators, custom calls), control
 * flow, what would fail, and, by fold-pure, results of more than FOLD_ELEMENTS elements that are
 * larger than the operands together, or that take more than FOLD_WORK elements to compute. By
 * fold-parameters only what exceeds the limit on literal bytes.
 */
#include "base/checked.h"
#include "graph/literal.h"
#include "ops/eval.h"
#include "pass/passes.h"

enum { FOLD_ELEMENTS = 4096, FOLD_WORK = 1 << 22, FOLD_OPERANDS = 64 };

typedef struct folding {
    pass_context *cx;
    function *f;
    bool bounded;
} folding;

/* Is N an op on constants that gives the same result every time? *SIZE: elements of its operands.
 */
static bool is_constant_op(const folding *w, const node *n, int64_t *size)
{
    const uint32_t traits = op_table[n->op].traits;
    *size = 0;
    if (n->n_in == 0 || n->n_in > FOLD_OPERANDS || n->n_results != 1 ||
        traits & (T_REGIONS | T_UNSTABLE))
        return false;
    for (uint32_t i = 0; i < n->n_in; i++) {
        const literal *l = literal_of(node_of(w->f, n->in[i]));
        if (!l || l->type->count < 0 || !add_i64(*size, l->type->count, size))
            return false;
    }
    return true;
}

static bool is_small(const folding *w, const node *n, int64_t operands)
{
    const type *t = value_type(w->f, n->first_value);
    int64_t work = 0;
    if (t->count <= 0)
        return false;
    if (!w->bounded) {
        size_t bytes;
        return type_bytes(t, &bytes) && bytes <= w->f->module->cx->limits.literal_bytes;
    }
    bool fits = op_table[n->op].traits & T_CONTRACTS ? mul_i64(t->count, operands, &work)
                                                     : add_i64(t->count, operands, &work);
    return fits && work <= FOLD_WORK && (t->count <= FOLD_ELEMENTS || t->count <= operands);
}

/* The data of a literal, written out in full. NULL: no memory. */
static void *dense(folding *w, const literal *l)
{
    size_t bytes, size = dtype_bytes(l->type->dtype);
    if (!l->splat)
        return (void *)(uintptr_t)l->data;
    char *all =
        type_bytes(l->type, &bytes) ? arena_alloc_aligned(&w->cx->scratch, bytes, 16) : NULL;
    for (int64_t i = 0; all && i < l->type->count; i++)
        memcpy(all + (size_t)i * size, l->data, size);
    return all;
}

static bool compute(folding *w, const node *n, tensor *out)
{
    tensor in[FOLD_OPERANDS];
    for (uint32_t i = 0; i < n->n_in; i++) {
        const literal *l = literal_of(node_of(w->f, n->in[i]));
        in[i] = (tensor){l->type, dense(w, l)};
        if (!in[i].data)
            return false;
    }
    return evaluate_node_quietly(w->f, n, in, out, &w->cx->scratch);
}

/* A constant with the given data, which is copied. */
static tn_status replace(folding *w, node *n, const tensor *result)
{
    module *m = w->f->module;
    literal l = {.type = value_type(w->f, n->first_value)};
    if (!type_bytes(l.type, &l.bytes))
        return TN_OK;
    void *data = arena_alloc_aligned(&m->arena, l.bytes, 64);
    if (!data)
        return module_no_memory(m);
    memcpy(data, result->data, l.bytes);
    l.data = data;
    if (l.type->count > 1 && literal_is_uniform(&l)) {
        l.splat = true;
        l.bytes = dtype_bytes(l.type->dtype);
    }
    attr entry = {.key = KEY_VALUE, .v.literal = &l};
    const attrs *a = attrs_of(&m->attrs, &entry, 1);
    if (!a)
        return module_no_memory(m);
    node_rewrite(n, OP_CONSTANT, n->in, 0, a);
    w->cx->n_changed++;
    return TN_OK;
}

static tn_status fold_node(folding *w, node *n)
{
    int64_t operands;
    tensor out = {0};
    if (!is_constant_op(w, n, &operands) || !is_small(w, n, operands))
        return TN_OK;
    tn_status s = compute(w, n, &out) ? replace(w, n, &out) : TN_OK;
    arena_reset(&w->cx->scratch);
    return s;
}

static tn_status fold_all(pass_context *cx, module *m, bool bounded)
{
    for (uint32_t i = 0; i < m->functions.n; i++) {
        folding w = {cx, m->functions.at[i], bounded};
        for (uint32_t k = 0; k < w.f->nodes.n; k++)
            TN_TRY(fold_node(&w, &w.f->nodes.at[k]));
    }
    return TN_OK;
}

tn_status pass_fold_pure(pass_context *cx, module *m)
{
    return fold_all(cx, m, true);
}

tn_status pass_fold_parameters(pass_context *cx, module *m)
{
    return fold_all(cx, m, false);
}
