/* Sums of products by letters, and rows by their number: old operations of StableHLO. */
#include "base/memory/checked.h"
#include "dialect/mlir/hlo/lower.h"

/* The letters of a tensor's axes. */
typedef struct letters {
    char at[TN_MAX_RANK];
    uint32_t n;
} letters;

static bool read_letters(mir_text t, size_t *at, letters *out)
{
    out->n = 0;
    for (; *at < t.n; ++*at) {
        const char l = t.at[*at];
        if (l == ' ')
            continue;
        if (!((l >= 'a' && l <= 'z') || (l >= 'A' && l <= 'Z')))
            return true;
        if (out->n == TN_MAX_RANK)
            return false;
        out->at[out->n++] = l;
    }
    return true;
}

/* The axis of L, or -1. */
static int64_t axis_of(const letters *list, char l)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->at[i] == l)
            return i;
    return -1;
}

static bool has_twice(const letters *list)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (axis_of(list, list->at[i]) != i)
            return true;
    return false;
}

/* `ab,bc->ac` or `aa->a`; every letter of the result stands there once, and in an operand. */
static bool read_config(shlo_call *c, uint32_t n, letters *in, letters *out)
{
    const mir_text t = shlo_word(c, "einsum_config");
    size_t at = 0;
    bool ok = true;
    for (uint32_t k = 0; ok && k < n; k++) {
        const type *own = shlo_in_type(c, k);
        ok = (k == 0 || (at < t.n && t.at[at++] == ',')) && read_letters(t, &at, &in[k]);
        ok = ok && own && own->rank == in[k].n;
    }
    ok = ok && t.n - at >= 2 && t.at[at] == '-' && t.at[at + 1] == '>';
    at += 2;
    ok = ok && read_letters(t, &at, out) && at == t.n && !has_twice(out);
    for (uint32_t i = 0; ok && i < out->n; i++)
        ok = axis_of(&in[0], out->at[i]) >= 0 || (n == 2 && axis_of(&in[1], out->at[i]) >= 0);
    return ok || shlo_refuse(c, DIAG_InvalidAttribute,
                             "'%.*s' does not suit the operands, or names "
                             "an axis of the result twice",
                             MIR_TEXT(t));
}

/* The elements of X at equal positions of its axes I and K, as an axis behind the others. */
static tn_value diagonal(shlo_call *c, tn_value x, letters *own, uint32_t i, uint32_t k)
{
    const type *t = shlo_type_of(c, x);
    int64_t perm[TN_MAX_RANK], dims[TN_MAX_RANK];
    uint32_t n = 0;
    if (!t || dim_is_symbolic(t->dims[i]) || t->dims[i] != t->dims[k]) {
        (void)shlo_refuse(c, DIAG_ShapeMismatch, "axes of one letter need one known extent");
        return tn_no_value();
    }
    const int64_t extent = t->dims[i];
    const char l = own->at[i];
    for (uint32_t a = 0; a < own->n; a++) {
        if (a == i || a == k)
            continue;
        own->at[n] = own->at[a];
        dims[n] = t->dims[a];
        perm[n++] = a;
    }
    perm[n] = i;
    perm[n + 1] = k;
    own->at[n] = l;
    own->n = n + 1;
    int64_t area;
    if (!mul_i64(extent, extent, &area)) {
        (void)shlo_refuse(c, DIAG_LimitExceeded, "there are too many elements");
        return tn_no_value();
    }
    dims[n] = area;
    const tn_value moved = tn_transpose(c->b, x, (tn_ints){perm, n + 2});
    const tn_value flat = tn_reshape(c->b, moved, (tn_ints){dims, n + 1});
    int64_t from[TN_MAX_RANK] = {0}, strides[TN_MAX_RANK];
    for (uint32_t a = 0; a < n; a++)
        strides[a] = 1;
    strides[n] = extent + 1;
    return tn_slice_steps(c->b, flat, (tn_ints){from, n + 1}, (tn_ints){dims, n + 1},
                          (tn_ints){strides, n + 1});
}

/* X with every letter once. */
static tn_value distinct(shlo_call *c, tn_value x, letters *own)
{
    for (uint32_t k = 0; k < own->n && tn_is_value(x); k++) {
        const int64_t first = axis_of(own, own->at[k]);
        if (first == k)
            continue;
        x = diagonal(c, x, own, (uint32_t)first, k);
        k = 0;
    }
    return x;
}

/* X without the axes whose letter stands neither in A nor in B. */
static tn_value without(shlo_call *c, tn_value x, letters *own, const letters *a, const letters *b)
{
    int64_t axes[TN_MAX_RANK];
    uint32_t n = 0, kept = 0;
    for (uint32_t i = 0; i < own->n; i++) {
        if (axis_of(a, own->at[i]) < 0 && axis_of(b, own->at[i]) < 0)
            axes[n++] = i;
        else
            own->at[kept++] = own->at[i];
    }
    own->n = kept;
    return n ? shlo_reduced(c, SHLO_ADD, x, (tn_ints){axes, n}) : x;
}

/* X, whose axes are FROM, with those of TO. */
static tn_value in_order(shlo_call *c, tn_value x, const letters *from, const letters *to)
{
    int64_t perm[TN_MAX_RANK];
    for (uint32_t i = 0; i < to->n; i++)
        perm[i] = axis_of(from, to->at[i]);
    return to->n ? tn_transpose(c->b, x, (tn_ints){perm, to->n}) : x;
}

bool shlo_lower_unary_einsum(shlo_call *c)
{
    letters in[1], out;
    if (!read_config(c, 1, in, &out))
        return false;
    const tn_value all = distinct(c, shlo_in(c, 0), &in[0]);
    if (!tn_is_value(all))
        return false;
    const tn_value x = without(c, all, &in[0], &out, &out);
    return tn_is_value(x) && shlo_give(c, 0, in_order(c, x, &in[0], &out));
}

bool shlo_lower_einsum(shlo_call *c)
{
    letters in[2], out, made = {.n = 0};
    int64_t batch[2][TN_MAX_RANK], contract[2][TN_MAX_RANK];
    uint32_t n_batch = 0, n_contract = 0;
    if (!read_config(c, 2, in, &out))
        return false;
    const tn_value left = distinct(c, shlo_in(c, 0), &in[0]);
    const tn_value right = distinct(c, shlo_in(c, 1), &in[1]);
    if (!tn_is_value(left) || !tn_is_value(right))
        return false;
    const tn_value x = without(c, left, &in[0], &out, &in[1]);
    const tn_value y = without(c, right, &in[1], &out, &in[0]);
    for (uint32_t i = 0; i < in[0].n; i++) {
        const char l = in[0].at[i];
        const int64_t other = axis_of(&in[1], l);
        const bool is_batch = axis_of(&out, l) >= 0;
        if (other < 0)
            continue;
        int64_t(*list)[TN_MAX_RANK] = is_batch ? batch : contract;
        uint32_t *n = is_batch ? &n_batch : &n_contract;
        list[0][*n] = i;
        list[1][(*n)++] = other;
        if (is_batch)
            made.at[made.n++] = l;
    }
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < in[k].n; i++)
            if (axis_of(&in[1 - k], in[k].at[i]) < 0 && made.n < TN_MAX_RANK)
                made.at[made.n++] = in[k].at[i];
    const type *t = shlo_type_of(c, x);
    const tn_dtype sum = t && dtype_is_int(t->dtype) ? t->dtype : TN_DTYPE_DEFAULT;
    const tn_value z = tn_dot_general(
        c->b, x, y, (tn_ints){batch[0], n_batch}, (tn_ints){batch[1], n_batch},
        (tn_ints){contract[0], n_contract}, (tn_ints){contract[1], n_contract}, sum, sum);
    return tn_is_value(z) && shlo_give(c, 0, in_order(c, z, &made, &out));
}

/* Element [b.., o.., i.., r..] is that of the operand at [b.., o.., index[b.., i..], r..]. */
bool shlo_lower_torch_index_select(shlo_call *c)
{
    tn_builder *b = c->b;
    int64_t axis, n_batch, strides[TN_MAX_RANK], axes[TN_MAX_RANK];
    const type *x = shlo_in_type(c, 0), *index = shlo_in_type(c, 1);
    const type *to = shlo_static_type(c->r, shlo_out_type(c, 0), c->op->at);
    if (!x || !index || !to || !shlo_int(c, "dim", 0, &axis) ||
        !shlo_int(c, "batch_dims", 0, &n_batch) || !shlo_are_axes(c, "dim", &axis, 1, x->rank))
        return false;
    if (!type_is_static(x) || !type_is_static(index))
        return shlo_refuse(c, DIAG_ShapeUnknown, "it takes tensors of known extents");
    if (n_batch < 0 || n_batch > axis || n_batch > (int64_t)index->rank || x->count == 0 ||
        (int64_t)to->rank != (int64_t)x->rank - 1 + (int64_t)index->rank - n_batch)
        return shlo_refuse(c, DIAG_InvalidAttribute, "'batch_dims' does not suit the shapes");
    const int64_t shift = (int64_t)index->rank - n_batch - 1; /* of the axes behind AXIS */
    type_strides(x, strides);
    for (uint32_t i = 0; i < index->rank; i++)
        axes[i] = (int64_t)i < n_batch ? i : axis + (int64_t)i - n_batch;
    const tn_value wide = tn_cast(b, shlo_in(c, 1), TN_SI64);
    const tn_value least = tn_maximum(b, wide, tn_scalar_int(b, TN_SI64, 0));
    const tn_value clamped = tn_minimum(b, least, tn_scalar_int(b, TN_SI64, x->dims[axis] - 1));
    const tn_value rows = tn_mul(b, clamped, tn_scalar_int(b, TN_SI64, strides[axis]));
    tn_value at = tn_broadcast_axes(b, rows, shlo_dims(to), (tn_ints){axes, index->rank});
    for (uint32_t i = 0; i < x->rank; i++) {
        if ((int64_t)i == axis)
            continue;
        const int64_t place = (int64_t)i < axis ? i : i + shift;
        const tn_value count = tn_iota(b, TN_SI64, shlo_dims(to), place);
        at = tn_add(b, at, tn_mul(b, count, tn_scalar_int(b, TN_SI64, strides[i])));
    }
    return shlo_give(c, 0, tn_take(b, tn_reshape(b, shlo_in(c, 0), TN_INTS(x->count)), at));
}
