/* contractions: sums of products that are worth it become contractions.
 *
 * needs   verified types; definitions before uses
 * keeps   types, order
 * breaks  bits: the order of a sum, and the rounding of products (docs/numerics.md); use counts
 */
#include "base/memory/checked.h"
#include "ops/law.h"
#include "pass/expand/recognize.h"
#include "pass/expand/substitute.h"
#include "pass/passes.h"

/* How often elements of both operands of N, a dot_general, are used: enough that blocks of
 * registers pay? */
static bool is_worth_it(const function *f, const node *n)
{
    enum { OFTEN = 8, MUCH = 1 << 15 };
    const type *a = value_type(f, n->in[0]), *b = value_type(f, n->in[1]);
    uint32_t n_axes;
    const int64_t *axes = attr_ints(n->attrs, KEY_CONTRACT_LHS, &n_axes);
    int64_t products = value_type(f, n->first_value)->count;
    for (uint32_t i = 0; i < n_axes; i++)
        if (!mul_i64(products, a->dims[axes[i]], &products))
            return false;
    return products >= MUCH && products / a->count >= OFTEN && products / b->count >= OFTEN;
}

/* Are products of N, a dot_general, as finite when they are rounded to the type of its operands, as
 * the sum that N stands for does? */
static bool has_range_of_sum(const function *f, const node *n)
{
    const tn_dtype d = value_type(f, n->in[0])->dtype;
    const tn_dtype sum = (tn_dtype)attr_int(n->attrs, KEY_ACCUM_DTYPE, accumulator_of(d));
    return !dtype_is_float(d) || 2 * dtype_float_max(d) > dtype_float_max(sum);
}

static tn_status contract(expand_call *c, value_id *result)
{
    const uint32_t first = c->f->nodes.n;
    if (c->n->op != OP_SUM || c->out->count == 0)
        return TN_OK;
    const value_id v = recognize_contraction(c);
    for (uint32_t i = first; v != NO_VALUE && i < c->f->nodes.n; i++) {
        const node *n = &c->f->nodes.at[i];
        if (n->op == OP_DOT_GENERAL && has_range_of_sum(c->f, n) && is_worth_it(c->f, n))
            *result = v;
    }
    return TN_OK;
}

tn_status pass_contractions(pass_context *cx, module *m)
{
    for (uint32_t i = 0; i < m->functions.n; i++)
        TN_TRY(function_substitute(m->functions.at[i], contract, NULL, &cx->n_changed));
    return TN_OK;
}
