/* transpose-weights: products read decoded weights along their columns.
 *
 * needs   verified types; definitions before uses
 * keeps   types, order, the bits of every result: the same numbers are multiplied and summed in the
 *         same order
 * breaks  use counts: what was decoded before becomes dead; dce removes it
 *
 * Weights that are stored in few bits, [outputs, inputs] as most frameworks write them, are decoded
 * where a product loads them. Its vectors lie along the outputs, so each would be loaded and
 * decoded along the inputs and then transposed. A transposition goes up here through what decodes
 * them to the stored constants, where fold-pure does it once.
 *
 * Products of few rows keep the sums of a few vectors of outputs in registers while they go through
 * all inputs. For these, weights are stored in strips, [outputs / STRIP, inputs, STRIP], so that
 * memory is read in its order. Where the last strip would not be whole, constants get zeros for the
 * outputs that it lacks, and what these become is cut off the result.
 *
 * Bytes from which 128 is subtracted when they are decoded are stored with a sign instead.
 */
#include <string.h>

#include "graph/literal.h"
#include "ops/dot_axes.h"
#include "ops/node_facts.h"
#include "pass/expand/expand.h"
#include "pass/expand/substitute.h"
#include "pass/passes.h"

enum {
    FEW_ELEMENTS = 4096,  /* constants that are folded in any case */
    MOST_STEPS = 64,      /* nodes that decode weights */
    MOST_OPERANDS = 8,    /* of one of them */
    MOST_ATTRIBUTES = 16, /* of it, or of a product */
    STRIP = 64,           /* outputs side by side: a line of memory of what is stored in bytes */
    MANY_STRIPS = 8,      /* ... the last of which may lack some */
    FEW_ROWS = 16         /* see plan/prologues.c */
};

/* What a walk over the nodes that decode weights has met. */
typedef struct weights {
    const function *f;
    const uint32_t *uses; /* of each value */
    uint32_t steps;
    size_t stored; /* bytes of large constants */
} weights;

/* The axes of a value, cut into PIECES of more than one position each, in the order PERM of these.
 */
typedef struct arrangement {
    uint32_t n;
    dim pieces[TN_MAX_RANK];
    int64_t perm[TN_MAX_RANK];
    /* Not 0: an axis of so many outputs is pieces number STRIPS and the next one, which have more.
     */
    dim outputs;
    uint32_t strips;
    bool is_centred; /* what is wanted is less by 128: see centres_bytes */
} arrangement;

/* Are the pieces of an axis of outputs, with more positions, number I and the next one? */
static bool is_padded(const arrangement *a, uint32_t i)
{
    return a->outputs > 0 && a->strips == i;
}

/* The pieces of axis I of T are FIRST[I] .. FIRST[I + 1] - 1. */
static void pieces_by_axis(const arrangement *a, const type *t, uint32_t *first)
{
    uint32_t piece = 0;
    for (uint32_t i = 0; i < t->rank; i++) {
        first[i] = piece;
        for (dim left = t->dims[i]; left > 1 && piece < a->n; piece++)
            if (is_padded(a, piece))
                left /= a->outputs, piece++;
            else
                left /= a->pieces[piece];
    }
    first[t->rank] = piece;
}

/* Piece K of A becomes the next one of OUT, too. */
static void copy_piece(const arrangement *a, uint32_t k, arrangement *out)
{
    if (is_padded(a, k)) {
        out->outputs = a->outputs;
        out->strips = out->n;
    }
    out->pieces[out->n++] = a->pieces[k];
}

/* Arrangement A of a reshape's result, as one of its operand FROM; false: there is none. */
static bool before_reshape(const type *from, const arrangement *a, arrangement *out)
{
    uint32_t first[TN_MAX_RANK + 1];
    uint32_t axis = 0;
    dim left = 1; /* of the axis of FROM */
    out->n = 0;
    out->outputs = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        first[i] = out->n;
        if (is_padded(a, i)) {
            while (left == 1 && axis < from->rank)
                left = from->dims[axis++];
            if (left % a->outputs != 0 || out->n + 2 > TN_MAX_RANK)
                return false;
            left /= a->outputs;
            copy_piece(a, i, out);
            first[++i] = out->n;
            copy_piece(a, i, out);
            continue;
        }
        for (dim right = a->pieces[i]; right > 1;) {
            while (left == 1 && axis < from->rank)
                left = from->dims[axis++];
            const dim piece = left < right ? left : right;
            if (piece <= 1 || left % piece != 0 || right % piece != 0 || out->n == TN_MAX_RANK)
                return false;
            out->pieces[out->n++] = piece;
            left /= piece;
            right /= piece;
        }
    }
    first[a->n] = out->n;
    for (uint32_t i = 0, n = 0; i < a->n; i++)
        for (uint32_t k = first[a->perm[i]]; k < first[a->perm[i] + 1]; k++)
            out->perm[n++] = k;
    return true;
}

/* ... of the result of N, a transpose, as one of its operand. */
static void before_transpose(const node *n, const type *result, const arrangement *a,
                             arrangement *out)
{
    uint32_t first[TN_MAX_RANK + 1], unused;
    int64_t moved[TN_MAX_RANK];
    const int64_t *own = attr_ints(n->attrs, KEY_PERM, &unused);
    pieces_by_axis(a, result, first);
    out->n = 0;
    out->outputs = 0;
    for (uint32_t axis = 0; axis < result->rank; axis++)
        for (uint32_t i = 0; i < result->rank; i++)
            for (uint32_t k = first[i]; own[i] == (int64_t)axis && k < first[i + 1]; k++) {
                moved[k] = out->n;
                copy_piece(a, k, out);
            }
    for (uint32_t i = 0; i < a->n; i++)
        out->perm[i] = moved[a->perm[i]];
}

/* ... of the result of N, a broadcast, as one of its operand IN. AXES: which of the arranged result
 * these become. */
static void before_broadcast(const node *n, const type *in, const type *result,
                             const arrangement *a, arrangement *out, int64_t *axes)
{
    uint32_t map[TN_MAX_RANK], first[TN_MAX_RANK + 1], kept = 0;
    int64_t moved[TN_MAX_RANK];
    shape s;
    (void)resolve_broadcast(n->attrs, in, &s, map);
    pieces_by_axis(a, result, first);
    for (uint32_t i = 0; i < a->n; i++)
        moved[i] = -1;
    out->n = 0;
    out->outputs = 0;
    for (uint32_t axis = 0; axis < in->rank; axis++)
        for (uint32_t k = first[map[axis]]; in->dims[axis] > 1 && k < first[map[axis] + 1]; k++) {
            moved[k] = out->n;
            copy_piece(a, k, out);
        }
    for (uint32_t i = 0; i < a->n; i++)
        if (moved[a->perm[i]] >= 0) {
            axes[kept] = i;
            out->perm[kept++] = moved[a->perm[i]];
        }
}

static bool is_step(const function *f, const node *n)
{
    return n->n_results == 1 &&
           (op_table[n->op].class == K_ELEMENTWISE || n->op == OP_BROADCAST ||
            n->op == OP_RESHAPE || n->op == OP_EXPAND_DIMS || n->op == OP_SQUEEZE ||
            n->op == OP_TRANSPOSE) &&
           !(op_table[n->op].traits & T_UNSTABLE) && !node_may_fail(f, n);
}

static bool is_reshape(const node *n)
{
    return n->op == OP_RESHAPE || n->op == OP_EXPAND_DIMS || n->op == OP_SQUEEZE;
}

static bool can_arrange(weights *w, value_id v, const arrangement *a);

/* Can N, a step of type T, from what it takes? */
static bool can_arrange_operands(weights *w, const node *n, const type *t, const arrangement *a)
{
    arrangement before;
    int64_t axes[TN_MAX_RANK];
    if (op_table[n->op].class == K_ELEMENTWISE) {
        for (uint32_t i = 0; i < n->n_in; i++) {
            const type *in = value_type(w->f, n->in[i]);
            if (in->rank != t->rank || memcmp(in->dims, t->dims, t->rank * sizeof *t->dims) != 0 ||
                !can_arrange(w, n->in[i], a))
                return false;
        }
        return true;
    }
    const type *in = value_type(w->f, n->in[0]);
    if (n->op == OP_TRANSPOSE)
        before_transpose(n, t, a, &before);
    else if (n->op == OP_BROADCAST)
        before_broadcast(n, in, t, a, &before, axes);
    else if (!before_reshape(in, a, &before))
        return false;
    return can_arrange(w, n->in[0], &before);
}

/* Can V be made in the arrangement A from constants in others? What several nodes take, such as a
 * zero point of all weights, is made again if no large constant is in it. */
static bool can_arrange(weights *w, value_id v, const arrangement *a)
{
    const node *n = node_of(w->f, v);
    const type *t = value_type(w->f, v);
    const literal *l = literal_of(n);
    const size_t stored = w->stored;
    if (++w->steps > MOST_STEPS || !type_is_static(t) || t->count <= 0)
        return false;
    if (l) {
        w->stored += l->splat || t->count <= FEW_ELEMENTS ? 0 : l->bytes;
        return l->splat || w->uses[v] == 1 || t->count <= FEW_ELEMENTS;
    }
    if (a->n <= 1) /* there is one order only */
        return true;
    return is_step(w->f, n) && n->n_in <= MOST_OPERANDS && n->attrs->n <= MOST_ATTRIBUTES &&
           can_arrange_operands(w, n, t, a) && (w->uses[v] == 1 || w->stored == stored);
}

static value_id arranged(expand_call *c, value_id v, const arrangement *a);

/* V, a constant with one number everywhere, as one of shape DIMS. */
static value_id splat_again(expand_call *c, value_id v, const dim *dims, uint32_t rank)
{
    const type *t = build_type(c->b, v);
    int64_t low[TN_MAX_RANK] = {0}, one[TN_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++)
        one[i] = 1;
    const value_id first = build_slice(c->b, v, low, one, one, t->rank);
    return build_broadcast(c->b, build_reshape(c->b, first, NULL, 0), dims, rank);
}

/* Constant V, whose axes are cut into A's pieces. */
static value_id in_pieces(expand_call *c, value_id v, const arrangement *a)
{
    const int64_t low[TN_MAX_RANK] = {0};
    dim dims[TN_MAX_RANK];
    int64_t high[TN_MAX_RANK] = {0};
    uint32_t n = 0;
    if (a->outputs == 0)
        return build_reshape(c->b, v, a->pieces, a->n);
    for (uint32_t i = 0; i < a->n; i++, n++) {
        dims[n] = a->pieces[i];
        if (!is_padded(a, i))
            continue;
        dims[n] = a->outputs;
        high[n] = a->pieces[i] * a->pieces[i + 1] - a->outputs;
        i++;
    }
    v = build_pad(c->b, build_reshape(c->b, v, dims, n), low, high, n);
    return build_reshape(c->b, v, a->pieces, a->n);
}

/* Is V stored, in whatever order? */
static bool is_stored(const function *f, value_id v)
{
    const node *n = node_of(f, v);
    while (is_reshape(n) || n->op == OP_TRANSPOSE)
        n = node_of(f, n->in[0]);
    return literal_of(n) != NULL;
}

/* Does N subtract 128 from stored bytes that became floats? Then the difference is the float of
 * the byte with its highest bit flipped, read with a sign. */
static bool centres_bytes(const expand_call *c, const node *n)
{
    const node *cast = n;
    if (n->op != OP_SUB || !is_everywhere(c, c->now[n->in[1]], 128))
        return false;
    do {
        cast = node_of(c->f, cast->in[0]);
    } while (is_reshape(cast) || cast->op == OP_TRANSPOSE);
    const tn_dtype to = value_type(c->f, n->first_value)->dtype;
    return (to == TN_F32 || to == TN_F64) && cast->op == OP_CAST &&
           value_type(c->f, cast->in[0])->dtype == TN_UI8 && is_stored(c->f, cast->in[0]);
}

/* The float of STORED, a byte, less 128. */
static value_id centred(expand_call *c, value_id stored, tn_dtype to)
{
    attr entry = attr_of_int(KEY_DTYPE, TN_SI8);
    const type *t = build_type(c->b, stored);
    const value_id half = build_splat(c->b, TN_UI8, t->dims, t->rank, scalar_of_int(128));
    const value_id flipped = build_binary(c->b, OP_XOR, stored, half);
    return build_cast(c->b, build_node(c->b, OP_BITCAST, &flipped, 1, &entry, 1), to);
}

static value_id arranged_elementwise(expand_call *c, const node *n, const arrangement *a)
{
    value_id in[MOST_OPERANDS];
    attr entries[MOST_ATTRIBUTES];
    arrangement with = *a;
    with.is_centred = centres_bytes(c, n);
    if (with.is_centred)
        return arranged(c, n->in[0], &with);
    if (a->is_centred) { /* N is the cast */
        with.is_centred = false;
        return centred(c, arranged(c, n->in[0], &with), value_type(c->f, n->first_value)->dtype);
    }
    for (uint32_t i = 0; i < n->n_in; i++)
        in[i] = arranged(c, n->in[i], a);
    for (uint32_t i = 0; i < n->attrs->n; i++)
        entries[i] = n->attrs->at[i];
    return build_node(c->b, (op_id)n->op, in, n->n_in, entries, n->attrs->n);
}

/* V in the arrangement A, where can_arrange says that it can be made. */
static value_id arranged(expand_call *c, value_id v, const arrangement *a)
{
    const node n = *node_of(c->f, v); /* nodes move as others are added */
    const type *t = value_type(c->f, v);
    const literal *l = literal_of(&n);
    arrangement before;
    int64_t axes[TN_MAX_RANK];
    dim dims[TN_MAX_RANK];
    for (uint32_t i = 0; i < a->n; i++)
        dims[i] = a->pieces[a->perm[i]];
    if (l && l->splat && a->outputs > 0)
        return splat_again(c, c->now[v], dims, a->n);
    if (a->n <= 1 || (l && l->splat))
        return build_reshape(c->b, c->now[v], dims, a->n);
    if (l)
        return build_transpose(c->b, in_pieces(c, c->now[v], a), a->perm, a->n);
    if (op_table[n.op].class == K_ELEMENTWISE)
        return arranged_elementwise(c, &n, a);
    const type *from = value_type(c->f, n.in[0]);
    before.is_centred = a->is_centred;
    if (n.op == OP_TRANSPOSE) {
        before_transpose(&n, t, a, &before);
        return arranged(c, n.in[0], &before);
    }
    if (is_reshape(&n)) {
        (void)before_reshape(from, a, &before);
        return build_reshape(c->b, arranged(c, n.in[0], &before), dims, a->n);
    }
    before_broadcast(&n, from, t, a, &before, axes);
    return build_broadcast_axes(c->b, arranged(c, n.in[0], &before), dims, a->n, axes, before.n);
}

/* The weights that are the right operand of a product: of a matrix MATRIX, [outputs, inputs] where
 * IS_TURNED, else [inputs, outputs]. */
typedef struct operand {
    value_id matrix;
    bool is_turned;
} operand;

/* Is F's value V, [inputs, outputs], in strips already? */
static bool is_in_strips(const function *f, value_id v)
{
    const node *reshaped = node_of(f, v);
    if (reshaped->op != OP_RESHAPE)
        return false;
    const node *transposed = node_of(f, reshaped->in[0]);
    const type *t = value_type(f, reshaped->in[0]);
    return transposed->op == OP_TRANSPOSE && t->rank == 3 && t->dims[2] == STRIP &&
           t->dims[0] == value_type(f, v)->dims[0];
}

static bool find_operand(const function *f, const node *n, operand *o)
{
    if (n->op != OP_DOT && n->op != OP_MATMUL && n->op != OP_DOT_GENERAL)
        return false;
    *o = (operand){n->in[1], false};
    if (value_type(f, o->matrix)->rank != 2)
        return false;
    if (n->op == OP_DOT_GENERAL) {
        const dot_axes axes = dot_axes_of(n->attrs, false, 2);
        if (axes.n_batch > 0 || axes.n_contract != 1)
            return false;
        o->is_turned = axes.contract[0] == 1;
    }
    if (!o->is_turned && is_in_strips(f, o->matrix))
        return false;
    const node *from = node_of(f, o->matrix);
    if (!o->is_turned && from->op == OP_TRANSPOSE && !literal_of(node_of(f, from->in[0])))
        *o = (operand){from->in[0], true};
    return true;
}

/* Do FEW_ROWS rows at most of the product N meet strips of the matrix O, of type T, of which all
 * are whole or enough? */
static bool wants_strips(const function *f, const node *n, const operand *o, const type *t)
{
    const type *results = value_type(f, n->first_value);
    const dim outputs = t->dims[!o->is_turned], inputs = t->dims[o->is_turned];
    return type_is_static(t) && type_is_static(results) && inputs > 1 && outputs > STRIP &&
           (outputs % STRIP == 0 || outputs > MANY_STRIPS * STRIP) &&
           results->count / outputs <= FEW_ROWS;
}

/* How O is to lie. */
static arrangement arrangement_of(const type *t, const operand *o, bool in_strips)
{
    const dim n = t->dims[!o->is_turned], k = t->dims[o->is_turned];
    const dim strips = (n + STRIP - 1) / STRIP, outputs = n % STRIP == 0 ? 0 : n;
    if (!in_strips)
        return (arrangement){.n = 2, .pieces = {t->dims[0], t->dims[1]}, .perm = {1, 0}};
    return o->is_turned ? (arrangement){3, {strips, STRIP, k}, {0, 2, 1}, outputs, 0, false}
                        : (arrangement){3, {k, strips, STRIP}, {1, 0, 2}, outputs, 1, false};
}

/* O as a matrix [inputs, outputs], in the arrangement A. */
static value_id arranged_matrix(expand_call *c, const operand *o, const arrangement *a)
{
    static const int64_t perm[] = {1, 0, 2};
    const type *t = value_type(c->f, o->matrix);
    const value_id v = arranged(c, o->matrix, a);
    if (a->n == 2)
        return v;
    const dim strips = a->pieces[a->perm[0]], dims[] = {t->dims[o->is_turned], strips * STRIP};
    return build_reshape(c->b, build_transpose(c->b, v, perm, 3), dims, 2);
}

/* Can O be made so, from less than it is? */
static bool may_arrange(const expand_call *c, const operand *o, const arrangement *a)
{
    weights w = {.f = c->f, .uses = c->user};
    size_t decoded;
    return can_arrange(&w, o->matrix, a) && w.stored > 0 &&
           w.stored <= c->f->module->cx->limits.literal_bytes &&
           type_bytes(value_type(c->f, o->matrix), &decoded) && decoded > w.stored;
}

/* V without the columns that C's result does not have. */
static value_id without_padding(expand_call *c, value_id v)
{
    const int64_t low[TN_MAX_RANK] = {0};
    int64_t one[TN_MAX_RANK];
    for (uint32_t i = 0; i < c->out->rank; i++)
        one[i] = 1;
    return build_slice(c->b, v, low, c->out->dims, one, c->out->rank);
}

static tn_status transpose(expand_call *c, value_id *result)
{
    const node *n = c->n;
    const uint32_t *uses = c->user;
    const int64_t first = 0;
    operand o;
    attr entries[MOST_ATTRIBUTES];
    if (n->attrs->n > MOST_ATTRIBUTES || !find_operand(c->f, n, &o) || uses[n->in[1]] != 1)
        return TN_OK;
    const type *t = value_type(c->f, o.matrix);
    if (t->dims[0] == 1 || t->dims[1] == 1) /* there is one order only */
        return TN_OK;
    arrangement a = arrangement_of(t, &o, wants_strips(c->f, n, &o, t));
    if (a.n == 3 && o.is_turned && !may_arrange(c, &o, &a))
        a = arrangement_of(t, &o, false);
    if ((a.n == 2 && !o.is_turned) || !may_arrange(c, &o, &a))
        return TN_OK;
    for (uint32_t i = 0; i < n->attrs->n; i++)
        entries[i] = n->attrs->at[i].key == KEY_CONTRACT_RHS
                         ? attr_of_ints(KEY_CONTRACT_RHS, &first, 1)
                         : n->attrs->at[i];
    const value_id in[] = {c->in[0], arranged_matrix(c, &o, &a)};
    TN_TRY(c->b->status);
    *result = build_node(c->b, (op_id)n->op, in, 2, entries, n->attrs->n);
    if (a.outputs > 0)
        *result = without_padding(c, *result);
    return TN_OK;
}

tn_status pass_transpose_weights(pass_context *cx, module *m)
{
    for (uint32_t i = 0; i < m->functions.n; i++) {
        function *f = m->functions.at[i];
        const uint32_t *uses = pass_count_uses(cx, f);
        if (!uses)
            return module_no_memory(m);
        TN_TRY(function_substitute(f, transpose, uses, &cx->n_changed));
    }
    return TN_OK;
}
