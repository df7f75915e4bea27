/* short-factors: integers that fit in 16 or 8 bits are multiplied as such.
 *
 * needs   verified types; definitions before uses
 * keeps   types, order, the bits of every result: the numbers are the same, and so is what they are
 *         summed in
 * breaks  use counts
 *
 * Quantized models subtract zero points in 32 bits before they multiply; the differences of 8-bit
 * numbers need 9. Machines multiply and add twice as many numbers of 16 bits at a time, and four
 * times as many of 8: see short_bytes.c.
 */
#include "base/memory/checked.h"
#include "ops/convolution.h"
#include "pass/bounds.h"
#include "pass/contractions/short_bytes.h"
#include "pass/expand/expand.h"
#include "pass/expand/substitute.h"
#include "pass/passes.h"

enum { OFTEN = 12 /* uses of each factor, so that it pays to write it anew */ };

/* How many products the elements of a result are made of; 0 where that is not known. */
static int64_t products_of_result(const node *n, const type *a, const type *b)
{
    uint32_t n_axes;
    const int64_t *axes = attr_ints(n->attrs, KEY_CONTRACT_LHS, &n_axes);
    int64_t k = 1;
    switch (n->op) {
    case OP_DOT:
    case OP_MATMUL:
        return a->rank ? a->dims[a->rank - 1] : 0;
    case OP_DOT_GENERAL:
        for (uint32_t i = 0; i < n_axes; i++)
            if (!mul_i64(k, a->dims[axes[i] < 0 ? axes[i] + a->rank : axes[i]], &k))
                return 0;
        return k;
    case OP_CONVOLUTION: {
        const convolution c = convolution_of_attrs(n->attrs, a->rank);
        return b->count / b->dims[c.rhs[CONVOLUTION_TO]];
    }
    default:
        return 0;
    }
}

static bool is_often_used(const expand_call *c)
{
    const type *a = value_type(c->f, c->n->in[0]), *b = value_type(c->f, c->n->in[1]);
    int64_t products;
    return is_static_call(c) && a->count > 0 && b->count > 0 && c->out->count > 0 &&
           mul_i64(c->out->count, products_of_result(c->n, a, b), &products) &&
           products / a->count >= OFTEN && products / b->count >= OFTEN;
}

static bool fits(const function *f, value_id v, int64_t low, int64_t high)
{
    const int_bounds x = integer_bounds(f, v);
    return x.low >= low && x.high <= high;
}

static bool is_short(const function *f, value_id v)
{
    return fits(f, v, INT16_MIN, INT16_MAX);
}

/* Operand K of C->n as si16, cast from what it was widened from where that has its numbers, or else
 * from si8 where that has them: products read bytes as they are stored. */
static value_id shortened(expand_call *c, uint32_t k)
{
    const node *from = node_of(c->f, c->n->in[k]);
    const tn_dtype before = from->op == OP_CAST ? value_type(c->f, from->in[0])->dtype : TN_SI32;
    const bool has_its_numbers = dtype_is_int(before) && dtype_holds_ints(TN_SI16, before);
    if (!has_its_numbers && fits(c->f, c->n->in[k], INT8_MIN, INT8_MAX))
        return build_cast(c->b, build_cast(c->b, c->in[k], TN_SI8), TN_SI16);
    return build_cast(c->b, has_its_numbers ? c->now[from->in[0]] : c->in[k], TN_SI16);
}

/* C->n with operands A and B and the dtypes that it had. */
static value_id with_operands(expand_call *c, op_id op, value_id a, value_id b, attr *entries,
                              uint32_t n)
{
    const tn_dtype in = value_type(c->f, c->n->in[0])->dtype;
    const value_id operands[] = {a, b};
    const attr dtypes[] = {attr_of_int(KEY_ACCUM_DTYPE, attr_int(c->n->attrs, KEY_ACCUM_DTYPE, in)),
                           attr_of_int(KEY_OUT_DTYPE, c->out->dtype)};
    for (unsigned i = 0; i < 2; i++) {
        uint32_t at = 0;
        while (at < n && entries[at].key != dtypes[i].key)
            at++;
        entries[at] = dtypes[i];
        n = at == n ? n + 1 : n;
    }
    return build_node(c->b, op, operands, 2, entries, n);
}

/* Matrices, of which the right one has no batch or both have the same: as dot_general. */
static value_id matrices(expand_call *c, value_id a, value_id b)
{
    const type *x = build_type(c->b, a), *y = build_type(c->b, b);
    int64_t batch[TN_MAX_RANK];
    const uint32_t n = y->rank > 2 ? y->rank - 2 : 0;
    for (uint32_t i = 0; i < n; i++)
        batch[i] = i;
    const int64_t left = (int64_t)x->rank - 1, right = n;
    attr entries[6] = {attr_of_ints(KEY_BATCH_LHS, batch, n), attr_of_ints(KEY_BATCH_RHS, batch, n),
                       attr_of_ints(KEY_CONTRACT_LHS, &left, 1),
                       attr_of_ints(KEY_CONTRACT_RHS, &right, 1)};
    return with_operands(c, OP_DOT_GENERAL, a, b, entries, 4);
}

static bool are_matrices(const expand_call *c)
{
    const type *x = value_type(c->f, c->n->in[0]), *y = value_type(c->f, c->n->in[1]);
    if (x->rank < 2 || y->rank < 2 || (y->rank > 2 && y->rank != x->rank))
        return false;
    for (uint32_t i = 0; y->rank > 2 && i + 2 < y->rank; i++)
        if (x->dims[i] != y->dims[i])
            return false;
    return true;
}

static tn_status shorten(expand_call *c, value_id *result)
{
    enum { MOST = 16 }; /* attributes of a contraction and two more */
    static const int64_t no_pads[2 * CONVOLUTION_SPATIAL] = {0};
    const node *n = c->n;
    const bool is_matrix = n->op == OP_DOT || n->op == OP_MATMUL;
    attr entries[MOST];
    if (!is_matrix && n->op != OP_DOT_GENERAL && n->op != OP_CONVOLUTION)
        return TN_OK;
    const tn_dtype in = value_type(c->f, n->in[0])->dtype;
    if ((in != TN_SI32 && in != TN_UI32) || attr_int(n->attrs, KEY_ACCUM_DTYPE, in) != in ||
        n->attrs->n + 2 > MOST || (is_matrix && !are_matrices(c)) || !is_often_used(c) ||
        !is_short(c->f, n->in[0]) || !is_short(c->f, n->in[1]))
        return TN_OK;
    uint32_t n_pads = 0;
    byte_factors bytes;
    const bool are_bytes = find_byte_factors(c, &bytes);
    if (n->op == OP_CONVOLUTION)
        (void)attr_ints(n->attrs, KEY_PADS, &n_pads);
    const value_id a = are_bytes ? byte_factor(c, &bytes, 0) : shortened(c, 0);
    const value_id b = are_bytes ? byte_factor(c, &bytes, 1) : shortened(c, 1);
    TN_TRY(c->b->status);
    for (uint32_t i = 0; i < n->attrs->n; i++)
        entries[i] = n->attrs->at[i];
    for (uint32_t i = 0; are_bytes && bytes.has_border && i < n->attrs->n; i++)
        if (entries[i].key == KEY_PADS)
            entries[i] = attr_of_ints(KEY_PADS, no_pads, n_pads);
    *result =
        is_matrix ? matrices(c, a, b) : with_operands(c, (op_id)n->op, a, b, entries, n->attrs->n);
    if (are_bytes)
        *result = byte_products(c, &bytes, *result);
    return c->b->status;
}

tn_status pass_short_factors(pass_context *cx, module *m)
{
    for (uint32_t i = 0; i < m->functions.n; i++)
        TN_TRY(function_substitute(m->functions.at[i], shorten, NULL, &cx->n_changed));
    return TN_OK;
}
