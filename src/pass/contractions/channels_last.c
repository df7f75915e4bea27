/* channels-last: convolutional networks hold images with their channels last.
 *
 * needs   verified types; definitions before uses; axes and windows as normalize spells them
 * keeps   types, order, the bits of every output: sums run over the same axes in the same order
 * breaks  use counts: what is exchanged becomes dead; dce removes it
 *
 * With channels last, a block of results is contiguous, images are read as they lie, and 1x1
 * convolutions are plain products; with channels first, blocks are transposed in registers and
 * images packed. A network exports channels first; here the values of a region (convolutions and
 * what connects them: elementwise ops, windows, movement, concat, reductions) are made channels
 * last, between transposes of which those inside of the region cancel. A region is left alone where
 * more than half of what its convolutions write would have to be transposed at its ends. Windows
 * without a convolution are turned where both ends are transposes.
 */
#include "base/memory/checked.h"
#include "ops/convolution.h"
#include "pass/expand/substitute.h"
#include "pass/passes.h"

enum {
    LEAST_RANK = 3,
    MOST_RANK = 2 + CONVOLUTION_SPATIAL,
    LEAST_CHANNELS = 8, /* as columns of products: fewer waste lanes */
    MOST_ELEMENTS = 1 << 30
};

/* What is known of a value. */
typedef struct image {
    bool fits;       /* it can be made channels last */
    uint32_t region; /* another value of its region, or itself for the one that stands for it */
    int64_t gain;    /* elements that convolutions write with channels last; of the region */
    int64_t cost;    /* elements that must be transposed at its ends */
} image;

typedef struct images {
    image *at; /* by value */
    uint32_t n;
} images;

/* The elements of T, a symbolic extent counting as one; at most so many that sums do not overflow.
 */
static int64_t size_of(const type *t)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < t->rank; i++)
        if (!dim_is_symbolic(t->dims[i]) && (!mul_i64(n, t->dims[i], &n) || n > MOST_ELEMENTS))
            return MOST_ELEMENTS;
    return n;
}

/* The place of AXIS of RANK with channels last. */
static int64_t last_axis(int64_t axis, uint32_t rank)
{
    return axis == 0 ? 0 : axis == 1 ? (int64_t)rank - 1 : axis - 1;
}

/* The axis that comes to place I. */
static int64_t first_axis(uint32_t i, uint32_t rank)
{
    return i == 0 ? 0 : i + 1 == rank ? 1 : (int64_t)i + 1;
}

static bool is_in_order(const uint32_t *axes, uint32_t rank)
{
    for (uint32_t i = 0; i < rank; i++)
        if (axes[i] != i)
            return false;
    return true;
}

static bool is_channels_first(const function *f, const node *n)
{
    const uint32_t rank = value_type(f, n->in[0])->rank;
    const convolution c = convolution_of_attrs(n->attrs, rank);
    bool plain = c.batch_groups == 1;
    for (uint32_t i = 0; i < c.spatial; i++)
        plain = plain && c.at[i].base == 1;
    return plain && is_in_order(c.lhs, rank) && is_in_order(c.out, rank) &&
           value_type(f, n->first_value)->dims[CONVOLUTION_CHANNEL] >= LEAST_CHANNELS;
}

static bool is_image(const type *t)
{
    return t->rank >= LEAST_RANK && t->rank <= MOST_RANK;
}

/* Does the elementwise N read each operand at the same place, or everywhere the same? */
static bool is_pointwise(const function *f, const node *n)
{
    const type *t = value_type(f, n->first_value);
    for (uint32_t k = 0; k < n->n_in; k++) {
        const type *x = value_type(f, n->in[k]);
        bool same = x->rank == t->rank;
        for (uint32_t i = 0; same && i < t->rank; i++)
            same = x->dims[i] == t->dims[i];
        if (!same && x->rank > 0)
            return false;
    }
    return true;
}

/* A reduction over spatial axes, whose order stays, as does that of the axes that are left? */
static bool is_spatial_reduction(const function *f, const node *n)
{
    uint32_t n_axes;
    const int64_t *axes = attr_ints(n->attrs, KEY_AXES, &n_axes);
    if (!(op_table[n->op].traits & T_REDUCES) || n->n_in != 1 || n->n_results != 1 ||
        !is_image(value_type(f, n->in[0])) || n_axes == 0)
        return false;
    if (!attr_int(n->attrs, KEY_KEEPDIMS, 0) && n_axes + 2 != value_type(f, n->in[0])->rank)
        return false;
    for (uint32_t i = 0; i < n_axes; i++)
        if (axes[i] < 2 || (i > 0 && axes[i] <= axes[i - 1]))
            return false;
    return true;
}

static bool has_same_channels(const function *f, const node *n)
{
    const type *x = value_type(f, n->in[0]), *t = value_type(f, n->first_value);
    return x->dims[0] == t->dims[0] && x->dims[1] == t->dims[1];
}

/* Can the result of N be made channels last, of operands that are? */
static bool can_turn(const function *f, const node *n)
{
    uint32_t n_window;
    if (n->n_results != 1 || !is_image(value_type(f, n->first_value)))
        return false;
    if (op_table[n->op].traits & T_ELEMENTWISE)
        return is_pointwise(f, n);
    switch ((int)n->op) {
    case OP_CONVOLUTION:
        return is_channels_first(f, n);
    case OP_REDUCE_WINDOW:
        return attr_ints(n->attrs, KEY_WINDOW, &n_window)[1] == 1;
    case OP_BROADCAST:
        return !attr_find(n->attrs, KEY_DIMS) &&
               value_type(f, n->in[0])->rank == value_type(f, n->first_value)->rank;
    case OP_RESHAPE: /* joins or splits spatial axes only */
        return is_image(value_type(f, n->in[0])) && has_same_channels(f, n);
    case OP_PAD:
    case OP_SLICE:
    case OP_CONCAT:
        return true;
    default:
        return is_spatial_reduction(f, n) && attr_int(n->attrs, KEY_KEEPDIMS, 0);
    }
}

/* The operands of N that are transposed with its result. */
static uint32_t transposed_operands(const node *n)
{
    return n->op == OP_CONVOLUTION ? 1 : n->n_in;
}

/* ---- regions ---- */

static image *region_of(const images *s, value_id v)
{
    while (s->at[v].region != v) {
        s->at[v].region = s->at[s->at[v].region].region;
        v = s->at[v].region;
    }
    return &s->at[v];
}

static void join(const images *s, value_id a, value_id b)
{
    region_of(s, a)->region = region_of(s, b)->region;
}

/* Does reading V with its axes in another order cost nothing much: because it is small or repeated,
 * or transposed anyway? */
static bool is_free_to_enter(const function *f, value_id v)
{
    const op_id op = node_of(f, v)->op;
    return op == OP_CONSTANT || op == OP_BROADCAST || op == OP_TRANSPOSE ||
           value_type(f, v)->rank == 0;
}

/* Contractions pack what they read, in any order of its axes, and transposes are merged. */
static bool is_free_to_leave(const node *n)
{
    return (op_table[n->op].traits & T_CONTRACTS) != 0 || n->op == OP_TRANSPOSE;
}

static void count_uses(const images *s, const function *f, const node *n)
{
    const bool transposes = n->n_results == 1 && s->at[n->first_value].fits;
    for (uint32_t k = 0; k < n->n_in; k++) {
        const value_id v = n->in[k];
        const int64_t count = size_of(value_type(f, v));
        if (transposes && k < transposed_operands(n)) {
            if (!s->at[v].fits && n->op != OP_CONVOLUTION && !is_free_to_enter(f, v))
                region_of(s, n->first_value)->cost += count;
        } else if (s->at[v].fits && !is_free_to_leave(n) && !is_spatial_reduction(f, n)) {
            region_of(s, v)->cost += count;
        }
    }
}

static void count_end(const images *s, const function *f, value_id v)
{
    if (s->at[v].fits)
        region_of(s, v)->cost += size_of(value_type(f, v));
}

/* Returns false when there is no memory. */
static bool find_regions(pass_context *cx, const function *f, images *s)
{
    s->n = f->values.n;
    s->at = ARENA_ARRAY(&cx->scratch, image, s->n);
    if (!s->at)
        return false;
    for (value_id v = 0; v < s->n; v++)
        s->at[v].region = v;
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        const node *n = &f->nodes.at[i];
        if (!can_turn(f, n))
            continue;
        s->at[n->first_value].fits = true;
        for (uint32_t k = 0; k < transposed_operands(n); k++)
            if (s->at[n->in[k]].fits)
                join(s, n->in[k], n->first_value);
    }
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        const node *n = &f->nodes.at[i];
        if (n->op == OP_CONVOLUTION && s->at[n->first_value].fits)
            region_of(s, n->first_value)->gain += size_of(value_type(f, n->first_value));
        if (n->op == OP_REDUCE_WINDOW && s->at[n->first_value].fits)
            region_of(s, n->first_value)->gain += 2; /* alone, where it costs nothing */
        count_uses(s, f, n);
    }
    for (uint32_t i = 0; i < f->outputs.n; i++)
        count_end(s, f, f->outputs.at[i]);
    for (uint32_t i = 0; f == module_entry(f->module) && i < f->module->gradients.n; i++)
        count_end(s, f, f->module->gradients.at[i]);
    return true;
}

static bool is_chosen(const images *s, value_id v)
{
    return s->at[v].fits && region_of(s, v)->gain / 2 > region_of(s, v)->cost;
}

/* ---- rewriting ---- */

/* Operand K of the node, channels last. */
static value_id transposed(expand_call *c, uint32_t k)
{
    const value_id v = c->now[c->n->in[k]];
    const uint32_t rank = build_type(c->b, v)->rank;
    int64_t perm[MOST_RANK];
    uint32_t n;
    if (rank == 0)
        return v;
    const node *m = maker(c, v);
    const int64_t *own = attr_ints(m->attrs, KEY_PERM, &n);
    bool is_transposed = m->op == OP_TRANSPOSE;
    for (uint32_t i = 0; i < rank; i++) {
        perm[i] = first_axis(i, rank);
        is_transposed = is_transposed && own[i] == last_axis(i, rank);
    }
    return is_transposed ? m->in[0] : build_transpose(c->b, v, perm, rank);
}

/* X, which is channels last, as the node's result. */
static value_id transposed_back(expand_call *c, value_id x)
{
    const uint32_t rank = build_type(c->b, x)->rank;
    int64_t perm[MOST_RANK];
    for (uint32_t i = 0; i < rank; i++)
        perm[i] = last_axis(i, rank);
    return build_transpose(c->b, x, perm, rank);
}

/* Filters of groups too: output channels last, so that they are read as they lie. Of constants this
 * is done once. Those of one group are packed once in any case. */
static value_id transposed_filter(expand_call *c, convolution *v, uint32_t rank)
{
    const value_id w = c->now[c->n->in[1]];
    int64_t perm[MOST_RANK];
    if (v->groups == 1 || maker(c, w)->op != OP_CONSTANT || !is_in_order(v->rhs, rank))
        return w;
    for (uint32_t i = 0; i < v->spatial; i++) {
        perm[i] = CONVOLUTION_FIRST + i;
        v->rhs[CONVOLUTION_FIRST + i] = i;
    }
    perm[v->spatial] = CONVOLUTION_FROM;
    perm[v->spatial + 1] = CONVOLUTION_TO;
    v->rhs[CONVOLUTION_FROM] = v->spatial;
    v->rhs[CONVOLUTION_TO] = v->spatial + 1;
    return build_transpose(c->b, w, perm, rank);
}

static value_id transposed_convolution(expand_call *c)
{
    const uint32_t rank = c->out->rank;
    convolution v = convolution_of_attrs(c->n->attrs, rank);
    attr dtypes[2];
    uint32_t n = 0;
    const attr *const own[] = {attr_find(c->n->attrs, KEY_ACCUM_DTYPE),
                               attr_find(c->n->attrs, KEY_OUT_DTYPE)};
    for (uint32_t i = 0; i < 2; i++)
        if (own[i])
            dtypes[n++] = *own[i];
    for (uint32_t i = 0; i < rank; i++)
        v.lhs[i] = v.out[i] = (uint32_t)last_axis(i, rank);
    const value_id w = transposed_filter(c, &v, rank);
    return build_convolution(c->b, transposed(c, 0), w, &v, dtypes, n);
}

/* The attribute A of a node on images of RANK, for images with channels last; lists go to OWN. */
static attr transposed_attr(const attr *a, uint32_t rank, int64_t *own)
{
    switch ((int)a->key) {
    case KEY_AXIS:
        return attr_of_int(KEY_AXIS, last_axis(a->v.i < 0 ? a->v.i + rank : a->v.i, rank));
    case KEY_AXES: /* ascending, and none is that of the channels */
        for (uint32_t i = 0; i < a->n; i++)
            own[i] = last_axis(a->v.ints[i], rank);
        return attr_of_ints(KEY_AXES, own, a->n);
    case KEY_PADS:
        for (uint32_t i = 0; i < a->n; i++)
            own[i] = a->v.ints[2 * first_axis(i / 2, rank) + i % 2];
        return attr_of_ints(KEY_PADS, own, a->n);
    default:
        if (attr_keys[a->key].kind != ATTR_INTS)
            return *a;
        for (uint32_t i = 0; i < a->n; i++)
            own[i] = a->v.ints[first_axis(i, a->n)];
        return attr_of_ints((attr_key)a->key, own, a->n);
    }
}

/* The node on operands with channels last. */
static value_id transposed_node(expand_call *c)
{
    enum { MOST_ATTRS = 10 };
    attr entries[MOST_ATTRS];
    int64_t own[MOST_ATTRS][2 * MOST_RANK];
    const node *n = c->n;
    const uint32_t rank = value_type(c->f, n->in[n->n_in - 1])->rank;
    value_id *in = ARENA_ARRAY(c->memory, value_id, n->n_in);
    if (!in) {
        c->b->status = module_no_memory(c->b->f->module);
        return NO_VALUE;
    }
    if (n->attrs->n > MOST_ATTRS)
        return NO_VALUE;
    for (uint32_t i = 0; i < n->attrs->n; i++)
        entries[i] = transposed_attr(&n->attrs->at[i], rank, own[i]);
    for (uint32_t k = 0; k < n->n_in; k++)
        in[k] = transposed(c, k);
    return build_node(c->b, n->op, in, n->n_in, entries, n->attrs->n);
}

static tn_status turn(expand_call *c, value_id *result)
{
    const images *s = c->user;
    const node *n = c->n;
    if (is_chosen(s, n->first_value))
        *result = transposed_back(c, n->op == OP_CONVOLUTION ? transposed_convolution(c)
                                                             : transposed_node(c));
    else if (n->n_in == 1 && is_chosen(s, n->in[0]) && is_spatial_reduction(c->f, n))
        *result = transposed_node(c);
    return TN_OK;
}

tn_status pass_channels_last(pass_context *cx, module *m)
{
    for (uint32_t i = 0; i < m->functions.n; i++) {
        images s;
        if (!find_regions(cx, m->functions.at[i], &s))
            return module_no_memory(m);
        TN_TRY(function_substitute(m->functions.at[i], turn, &s, &cx->n_changed));
    }
    return TN_OK;
}
