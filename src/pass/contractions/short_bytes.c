/* Factors of products as bytes.
 *
 * Where weights w are constants of 8 bits with a sign, the sum of (x - z) w is that of x w less z
 * times the sum of w, which is a constant: x is multiplied as it is stored. The border of a
 * convolution, where x - z is 0, is z then, which must be known. Sums wrap, so that this changes no
 * bit of them. */
#include "pass/contractions/short_bytes.h"

#include "graph/literal.h"
#include "ops/convolution.h"
#include "ops/dot_axes.h"
#include "pass/bounds.h"

/* What V was cast from, where that is bytes of the same shape; else NO_VALUE. */
static value_id bytes_behind(const expand_call *c, value_id v)
{
    const node *n = node_of(c->f, v);
    const tn_dtype d = n->op == OP_CAST ? value_type(c->f, n->in[0])->dtype : TN_SI32;
    return d == TN_UI8 || d == TN_SI8 ? n->in[0] : NO_VALUE;
}

/* Operand K with a sign, and no zero point. */
static bool find_signed(const expand_call *c, uint32_t k, byte_factor_of *x)
{
    const value_id v = c->n->in[k], from = bytes_behind(c, v);
    const int_bounds range = integer_bounds(c->f, v);
    const bool is_stored = from != NO_VALUE && value_type(c->f, from)->dtype == TN_SI8;
    *x = (byte_factor_of){is_stored ? from : v, TN_SI8, 0, NO_VALUE};
    return range.low >= INT8_MIN && range.high <= INT8_MAX;
}

/* The only element of V, perhaps repeated; NO_VALUE where it has others. */
static value_id only_element(const function *f, value_id v)
{
    const node *n = node_of(f, v);
    while (value_type(f, v)->count != 1 && n->op == OP_BROADCAST) {
        v = n->in[0];
        n = node_of(f, v);
    }
    return value_type(f, v)->count == 1 ? v : NO_VALUE;
}

/* Operand K as it is stored, where its zero point is one number, which it can have itself. */
static bool find_stored(const expand_call *c, uint32_t k, byte_factor_of *x)
{
    const node *n = node_of(c->f, c->n->in[k]);
    const bool is_centred = n->op == OP_SUB;
    const value_id wide = is_centred ? n->in[0] : c->n->in[k], v = bytes_behind(c, wide);
    if (v == NO_VALUE || value_type(c->f, wide) != value_type(c->f, c->n->in[k]))
        return false; /* or the zero point gives it more axes */
    const tn_dtype d = value_type(c->f, v)->dtype;
    const int_bounds zero = is_centred ? integer_bounds(c->f, n->in[1]) : (int_bounds){0, 0};
    *x = (byte_factor_of){v, d, zero.low, NO_VALUE};
    if (zero.low != zero.high) {
        x->own_zero = only_element(c->f, n->in[1]);
        return x->own_zero != NO_VALUE;
    }
    return zero.low >= dtype_int_min(d) && zero.low <= (int64_t)dtype_int_max(d);
}

/* Where the axes of C->n's right operand that are not summed over lie in the result, -1 for those
 * that are; false where they do not ascend. */
static bool find_places(const expand_call *c, int64_t *place)
{
    const node *n = c->n;
    const type *a = value_type(c->f, n->in[0]), *b = value_type(c->f, n->in[1]);
    for (uint32_t i = 0; i < b->rank; i++)
        place[i] = -1;
    if (n->op == OP_CONVOLUTION) {
        const convolution v = convolution_of_attrs(n->attrs, a->rank);
        place[v.rhs[CONVOLUTION_TO]] = v.out[CONVOLUTION_CHANNEL];
        return v.batch_groups == 1;
    }
    if (n->op == OP_DOT_GENERAL) {
        const dot_axes axes = dot_axes_of(n->attrs, false, b->rank);
        const uint32_t before = a->rank - axes.n_contract;
        for (uint32_t i = 0; i < axes.n_batch; i++)
            place[axes.batch[i]] = i;
        for (uint32_t i = 0; i < axes.n_free; i++)
            place[axes.free[i]] = before + i;
    } else { /* matrices, which become a dot_general */
        for (uint32_t i = 0; i + 2 < b->rank; i++)
            place[i] = i;
        place[b->rank - 1] = (int64_t)c->out->rank - 1;
    }
    int64_t last = -1;
    for (uint32_t i = 0; i < b->rank; i++) {
        if (place[i] >= 0 && place[i] < last)
            return false;
        last = place[i] >= 0 ? place[i] : last;
    }
    return true;
}

/* Is the border of convolution N one that a pad makes? */
static bool has_plain_border(const expand_call *c, bool *any)
{
    *any = false;
    if (c->n->op != OP_CONVOLUTION)
        return true;
    const convolution v = convolution_of_attrs(c->n->attrs, value_type(c->f, c->n->in[0])->rank);
    for (uint32_t i = 0; i < v.spatial; i++) {
        if (v.at[i].base != 1 || v.at[i].low < 0 || v.at[i].high < 0)
            return false;
        *any = *any || v.at[i].low > 0 || v.at[i].high > 0;
    }
    return true;
}

bool find_byte_factors(const expand_call *c, byte_factors *out)
{
    int64_t place[TN_MAX_RANK];
    byte_factor_of *x = out->of;
    *out = (byte_factors){.has_border = false};
    /* with a sign: a zero point is then subtracted, and does not wrap */
    if (value_type(c->f, c->n->in[0])->dtype != TN_SI32)
        return false;
    return find_signed(c, 1, &x[1]) && find_stored(c, 0, &x[0]) &&
           (x[0].zero != 0 || x[0].own_zero != NO_VALUE) && c->out->dtype == TN_SI32 &&
           (c->n->op != OP_CONVOLUTION ||
            convolution_has_words(c->n->attrs, value_type(c->f, c->n->in[1]))) &&
           literal_of(node_of(c->f, x[1].v)) && find_places(c, place) &&
           has_plain_border(c, &out->has_border) && (x[0].own_zero == NO_VALUE || !out->has_border);
}

/* X, an image, with a border of ZERO. */
static value_id bordered(expand_call *c, value_id x, const byte_factor_of *of)
{
    static const int64_t none[TN_MAX_RANK] = {0};
    const uint32_t rank = build_type(c->b, x)->rank;
    const convolution v = convolution_of_attrs(c->n->attrs, rank);
    int64_t low[TN_MAX_RANK] = {0}, high[TN_MAX_RANK] = {0};
    scalar zero = {.kind = dtype_table[of->dtype].kind};
    if (zero.kind == DTYPE_SIGNED)
        zero.i = of->zero;
    else
        zero.u = (uint64_t)of->zero;
    for (uint32_t i = 0; i < v.spatial; i++) {
        low[v.lhs[CONVOLUTION_FIRST + i]] = v.at[i].low;
        high[v.lhs[CONVOLUTION_FIRST + i]] = v.at[i].high;
    }
    attr entries[] = {attr_of_ints(KEY_LOW, low, rank), attr_of_ints(KEY_HIGH, high, rank),
                      attr_of_ints(KEY_INTERIOR, none, rank), attr_of_scalar(KEY_PAD_VALUE, &zero)};
    return build_node(c->b, OP_PAD, &x, 1, entries, 4);
}

value_id byte_factor(expand_call *c, const byte_factors *x, uint32_t k)
{
    const byte_factor_of *of = &x->of[k];
    const value_id v = build_cast(c->b, c->now[of->v], of->dtype);
    return build_cast(c->b, k == 0 && x->has_border ? bordered(c, v, of) : v, TN_SI16);
}

/* Element AT of L, an integer. */
static uint32_t number_at(const literal *l, int64_t at)
{
    if (l->type->dtype == TN_SI8)
        return (uint32_t) * (const int8_t *)literal_element(l, at);
    const scalar s = scalar_load(l->type->dtype, literal_element(l, at));
    return (uint32_t)(s.kind == DTYPE_SIGNED ? (uint64_t)s.i : s.u);
}

/* ZERO times the sums of L over the axes without a place, into SUMS; EXTENT is 1 for these. */
static void add_products(const literal *l, const dim *extent, int64_t zero, uint32_t *sums)
{
    const type *t = l->type;
    int64_t at[TN_MAX_RANK] = {0};
    for (int64_t i = 0; i < t->count; i++) {
        int64_t to = 0;
        for (uint32_t k = 0; k < t->rank; k++)
            to = to * extent[k] + (extent[k] > 1 ? at[k] : 0);
        const int64_t row = t->rank > 0 ? t->dims[t->rank - 1] : 1;
        const bool moves = t->rank > 0 && extent[t->rank - 1] > 1;
        for (int64_t k = 0; k < row; k++) /* a row at a time */
            sums[to + (moves ? k : 0)] += (uint32_t)zero * number_at(l, i + k);
        i += row - 1;
        for (uint32_t k = t->rank > 0 ? t->rank - 1 : 0; k-- > 0;) {
            if (++at[k] < t->dims[k])
                break;
            at[k] = 0;
        }
    }
}

value_id byte_products(expand_call *c, const byte_factors *x, value_id sums)
{
    const literal *l = literal_of(node_of(c->f, x->of[1].v));
    int64_t place[TN_MAX_RANK];
    dim extent[TN_MAX_RANK], dims[TN_MAX_RANK];
    size_t count = 1;
    (void)find_places(c, place);
    for (uint32_t i = 0; i < c->out->rank; i++)
        dims[i] = 1;
    for (uint32_t i = 0; i < l->type->rank; i++) {
        extent[i] = place[i] >= 0 ? l->type->dims[i] : 1;
        count *= (size_t)extent[i];
        if (place[i] >= 0)
            dims[place[i]] = extent[i];
    }
    uint32_t *products = ARENA_ARRAY(c->memory, uint32_t, count);
    if (!products) {
        c->b->status = module_no_memory(c->b->f->module);
        return NO_VALUE;
    }
    const value_id own = x->of[0].own_zero;
    add_products(l, extent, own == NO_VALUE ? x->of[0].zero : 1, products);
    value_id all = build_constant(c->b, TN_SI32, dims, c->out->rank, products);
    if (own != NO_VALUE) {
        const value_id zero = build_reshape(c->b, c->now[own], NULL, 0);
        all = build_binary(c->b, OP_MUL, all, build_broadcast(c->b, zero, dims, c->out->rank));
    }
    return build_binary(c->b, OP_SUB, sums, build_broadcast(c->b, all, c->out->dims, c->out->rank));
}
