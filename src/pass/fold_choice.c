/* Which nodes on constants are folded: small results, and what would be done again in each run. Not
 * weights that are decoded for products of few rows, which read them as they are stored. */
#include "pass/fold_choice.h"

#include "base/memory/checked.h"
#include "graph/literal.h"
#include "ops/convolution.h"
#include "ops/dot_axes.h"

enum {
    FOLD_ELEMENTS = 4096,
    FOLD_WORK = 1 << 22,
    FOLD_USES = 16, /* of each weight: see plan/prologues.c */
    FOLD_STEPS = 24 /* from stored weights to their product */
};

/* ---- who takes a value ---- */

/* An output is never one node's alone. */
bool fold_choice_init(fold_choice *w, function *f, bool bounded, purity *regions, arena *memory)
{
    *w = (fold_choice){.f = f, .bounded = bounded, .regions = regions, .n_counted = f->values.n};
    w->uses = ARENA_ARRAY(memory, value_uses, w->n_counted);
    for (uint32_t i = 0; w->uses && i < f->nodes.n; i++)
        for (uint32_t k = 0; k < f->nodes.at[i].n_in; k++) {
            value_uses *x = &w->uses[f->nodes.at[i].in[k]];
            x->count++;
            x->users += i;
        }
    for (uint32_t i = 0; w->uses && i < f->outputs.n; i++)
        w->uses[f->outputs.at[i]].count += 2;
    return w->uses != NULL;
}

void fold_forget_uses(const fold_choice *w, uint32_t i, uint32_t n)
{
    const node *folded = &w->f->nodes.at[i];
    for (uint32_t k = 0; k < n; k++) {
        if (folded->in[k] >= w->n_counted)
            continue;
        w->uses[folded->in[k]].count--;
        w->uses[folded->in[k]].users -= i;
    }
}

/* ---- what is constant ---- */

static bool is_stable(fold_choice *w, const node *n, uint32_t depth);

/* Does function INDEX give equal results for equal operands? */
static bool is_pure(fold_choice *w, uint32_t index, uint32_t depth)
{
    const function *f = w->f->module->functions.at[index];
    purity *known = &w->regions[index];
    if (*known != UNKNOWN || depth > w->f->module->cx->limits.nesting)
        return *known == PURE;
    *known = ASKED;
    bool pure = true;
    for (uint32_t i = 0; pure && i < f->nodes.n; i++)
        pure = is_stable(w, &f->nodes.at[i], depth + 1);
    *known = pure ? PURE : IMPURE;
    return pure;
}

static bool is_stable(fold_choice *w, const node *n, uint32_t depth)
{
    const uint32_t traits = op_table[n->op].traits;
    bool pure = !(traits & T_UNSTABLE);
    for (uint32_t i = 0; pure && traits & T_REGIONS && i < n->attrs->n; i++)
        if (attr_keys[n->attrs->at[i].key].kind == ATTR_FUNCTION)
            pure = is_pure(w, (uint32_t)n->attrs->at[i].v.i, depth);
    return pure;
}

bool fold_is_constant_op(fold_choice *w, const node *n, int64_t *size)
{
    *size = 0;
    if (n->n_in == 0 || n->n_in > FOLD_OPERANDS || n->n_results == 0 ||
        n->n_results > FOLD_OPERANDS || (w->bounded && op_table[n->op].traits & T_REGIONS))
        return false;
    for (uint32_t i = 0; i < n->n_in; i++) {
        const literal *l = literal_of(node_of(w->f, n->in[i]));
        if (!l || l->type->count < 0 || !add_i64(*size, l->type->count, size))
            return false;
    }
    return is_stable(w, n, 0);
}

/* Elements of the operand in their order? */
static bool is_part(const node *n)
{
    return n->op == OP_SLICE || n->op == OP_RESHAPE || n->op == OP_EXPAND_DIMS ||
           n->op == OP_SQUEEZE;
}

static bool is_small_result(const fold_choice *w, const node *n, const type *t, int64_t operands)
{
    int64_t work = 0;
    if (t->count <= 0)
        return false;
    if (!w->bounded) {
        size_t bytes;
        return type_bytes(t, &bytes) && bytes <= w->f->module->cx->limits.literal_bytes;
    }
    bool fits = op_table[n->op].traits & T_CONTRACTS ? mul_i64(t->count, operands, &work)
                                                     : add_i64(t->count, operands, &work);
    /* What is larger than its operands because of a size would not be folded with another one. */
    const bool is_small = t->count <= FOLD_ELEMENTS && !w->f->module->had_symbols;
    return fits && work <= FOLD_WORK && (is_small || (t->count <= operands && !is_part(n)));
}

/* ---- weights that are decoded ---- */

/* The only node that takes V, or NULL. */
static const node *only_user(const fold_choice *w, value_id v)
{
    const bool is_one = v < w->n_counted && w->uses[v].count == 1;
    return is_one ? &w->f->nodes.at[w->uses[v].users] : NULL;
}

/* Does the product N meet each element of its operand V at most FOLD_USES times? */
static bool has_few_rows(const function *f, const node *n, value_id v)
{
    const type *left = value_type(f, n->in[0]);
    int64_t each = 1, all;
    if (n->op == OP_DOT_GENERAL) {
        const dot_axes axes = dot_axes_of(n->attrs, true, left->rank);
        for (uint32_t i = 0; i < axes.n_contract; i++)
            each *= left->dims[axes.contract[i]];
    } else if (n->op == OP_DOT || n->op == OP_MATMUL) {
        each = left->dims[left->rank - 1];
    } else {
        return false;
    }
    return mul_i64(each, value_type(f, n->first_value)->count, &all) &&
           all / FOLD_USES <= value_type(f, v)->count;
}

/* Is the result of N larger than what it is made of, and wanted by a product of few rows alone? */
static bool is_decoded_later(const fold_choice *w, const node *n)
{
    value_id v = n->first_value;
    size_t bytes, operands = 0;
    if (!w->bounded || n->n_results != 1 || value_type(w->f, v)->count <= FOLD_ELEMENTS ||
        !type_bytes(value_type(w->f, v), &bytes))
        return false;
    for (uint32_t i = 0; i < n->n_in; i++) {
        const literal *l = literal_of(node_of(w->f, n->in[i]));
        operands += l->splat ? 0 : l->bytes;
    }
    for (uint32_t i = 0; operands > 0 && bytes > operands && i < FOLD_STEPS; i++) {
        const node *user = only_user(w, v);
        if (!user || !type_is_static(value_type(w->f, user->first_value)))
            return false;
        if (op_table[user->op].traits & T_CONTRACTS)
            return has_few_rows(w->f, user, v);
        if (!(op_table[user->op].traits & (T_ELEMENTWISE | T_MOVES)))
            return false;
        v = user->first_value;
    }
    return false;
}

/* Does N store numbers anew that a product wants decoded, and larger then: in another order, with a
 * padding for whole strips, or as bytes with a sign (see transpose_weights.c)? */
static bool is_stored_anew(const fold_choice *w, const node *n)
{
    value_id v = n->first_value;
    size_t bytes, decoded;
    const bool is_moved = n->op == OP_TRANSPOSE || n->op == OP_PAD;
    if (!w->bounded || !(is_moved || n->op == OP_XOR || n->op == OP_BITCAST) ||
        literal_of(node_of(w->f, n->in[0]))->splat || !type_bytes(value_type(w->f, v), &bytes) ||
        bytes > w->f->module->cx->limits.literal_bytes)
        return false;
    for (uint32_t i = 0; i < FOLD_STEPS; i++) {
        const node *user = only_user(w, v);
        if (!user)
            return false;
        if (op_table[user->op].traits & T_CONTRACTS)
            return type_bytes(value_type(w->f, v), &decoded) && decoded > bytes;
        if (!(op_table[user->op].traits & (T_ELEMENTWISE | T_MOVES)))
            return false;
        v = user->first_value;
    }
    return false;
}

/* Does N widen bytes to 16 bits for a product, which reads them as they are stored? */
static bool is_widened_later(const fold_choice *w, const node *n)
{
    if (!w->bounded || n->op != OP_CAST || value_type(w->f, n->first_value)->dtype != TN_SI16)
        return false;
    const tn_dtype from = value_type(w->f, n->in[0])->dtype;
    const node *user = only_user(w, n->first_value);
    if ((from != TN_SI8 && from != TN_UI8) || !user)
        return false;
    return user->op == OP_CONVOLUTION
               ? convolution_has_words(user->attrs, value_type(w->f, user->in[1]))
               : user->op == OP_DOT_GENERAL;
}

static bool is_small(const fold_choice *w, const node *n, int64_t operands)
{
    for (uint32_t r = 0; r < n->n_results; r++)
        if (!is_small_result(w, n, value_type(w->f, n->first_value + r), operands))
            return false;
    return true;
}

bool fold_is_whole(const fold_choice *w, const node *n)
{
    const type *t = value_type(w->f, n->first_value);
    return w->bounded && n->op != OP_SLICE && is_part(n) && type_is_static(t) &&
           t->count > FOLD_ELEMENTS && !literal_of(node_of(w->f, n->in[0]))->splat &&
           only_user(w, n->in[0]) == n;
}

bool fold_is_wanted(const fold_choice *w, const node *n, int64_t size)
{
    return is_stored_anew(w, n) ||
           (is_small(w, n, size) && !is_decoded_later(w, n) && !is_widened_later(w, n));
}
