/* The dimension numbers of gather and scatter, and whether they suit the shapes. */
#include "dialect/mlir/hlo/lower/index_axes.h"

static bool read_list(shlo_call *c, const mir_fields *f, const char *name, uint32_t rank,
                      int64_t *out, uint32_t *n)
{
    return shlo_ints_of(c, name, mir_attr_named(f, name), TN_MAX_RANK, out, n) &&
           shlo_are_axes(c, name, out, *n, rank);
}

bool index_axes_hold(const int64_t *list, uint32_t n, int64_t axis)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == axis)
            return true;
    return false;
}

static bool may_equal(dim a, dim b)
{
    return a == b || dim_is_symbolic(a) || dim_is_symbolic(b);
}

/* Window axes ascend, no axis of X or of the indices IN has two meanings, and axes that run
 * together have one extent. */
static bool axes_suit(const index_axes *a, const type *x, const type *in)
{
    bool suit = true;
    for (uint32_t i = 1; i < a->n_window; i++)
        suit = suit && a->window[i - 1] < a->window[i];
    for (uint32_t i = 0; i < a->n_batch; i++)
        suit = suit && !index_axes_hold(a->dropped, a->n_dropped, a->batch[i]) &&
               !index_axes_hold(a->map, a->n_map, a->batch[i]) && a->batch_in[i] != a->vector &&
               may_equal(x->dims[a->batch[i]], in->dims[a->batch_in[i]]);
    return suit;
}

bool index_axes_read(shlo_call *c, const char *name, const index_words *w, const type *x,
                     const type *in, uint32_t wide, index_axes *a)
{
    const uint32_t rank = x->rank;
    const mir_fields *f = shlo_struct(c, name);
    if (!f || !read_list(c, f, w->window, wide, a->window, &a->n_window) ||
        !read_list(c, f, w->dropped, rank, a->dropped, &a->n_dropped) ||
        !read_list(c, f, w->batch, rank, a->batch, &a->n_batch) ||
        !read_list(c, f, w->batch_in, in->rank, a->batch_in, &a->n_batch_in) ||
        !read_list(c, f, w->map, rank, a->map, &a->n_map))
        return false;
    const mir_attr *vector = mir_attr_named(f, "index_vector_dim");
    a->vector = vector ? vector->i : 0;
    const int64_t parts = a->vector >= 0 && a->vector < (int64_t)in->rank ? in->dims[a->vector] : 1;
    const uint32_t n_b = in->rank - (a->vector < (int64_t)in->rank);
    if (a->vector < 0 || a->vector > (int64_t)in->rank || parts != (int64_t)a->n_map ||
        a->n_batch != a->n_batch_in || a->n_window + a->n_dropped + a->n_batch != rank ||
        a->n_window + n_b != wide || !axes_suit(a, x, in) || !dtype_is_int(in->dtype))
        return shlo_refuse(c, DIAG_InvalidAttribute,
                           "'%s' does not suit the shapes, or indices are no integers", name);
    return true;
}

bool index_axes_lack(const index_axes *a, int64_t axis)
{
    return index_axes_hold(a->dropped, a->n_dropped, axis) ||
           index_axes_hold(a->batch, a->n_batch, axis);
}

bool index_axes_take(shlo_call *c, const index_axes *a, const type *x, const type *in,
                     const type *u)
{
    uint32_t at = 0;
    bool suit = true;
    for (uint32_t i = 0, k = 0; i < u->rank; i++) {
        if (index_axes_hold(a->window, a->n_window, i))
            continue;
        k += (int64_t)k == a->vector;
        suit = suit && may_equal(u->dims[i], in->dims[k++]);
    }
    for (uint32_t i = 0; i < x->rank; i++)
        if (!index_axes_lack(a, i)) {
            const dim size = u->dims[a->window[at++]];
            suit = suit &&
                   (size <= x->dims[i] || dim_is_symbolic(size) || dim_is_symbolic(x->dims[i]));
        }
    return suit || shlo_refuse(c, DIAG_ShapeMismatch,
                               "its updates are not a window of the input for each index");
}
