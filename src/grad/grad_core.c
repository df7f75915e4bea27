/* What Core v1 lacks for derivatives, said in Core v1 instructions. */
#include "grad/grad_core.h"

/* Elements AT of X along AXIS, COUNT of them; times MASK, when there is one. */
static value_id take_axis(grad_call *c, value_id x, uint32_t axis, const int64_t *at, int64_t count,
                          const void *mask)
{
    if (c->b.status != TN_OK || x == NO_VALUE)
        return NO_VALUE;
    const type *t = grad_type(c, x);
    uint32_t rank = t->rank;
    int64_t perm[TN_MAX_RANK], inverse[TN_MAX_RANK], ones[TN_MAX_RANK];
    perm[0] = axis; /* to the front, and the others in order */
    for (uint32_t i = 0, k = 1; i < rank; i++)
        if (i != axis)
            perm[k++] = i;
    for (uint32_t i = 0; i < rank; i++) {
        inverse[perm[i]] = i;
        ones[i] = i == 0 ? count : 1;
    }
    value_id in[] = {build_transpose(&c->b, x, perm, rank), grad_indices(c, at, count)};
    value_id taken = build_node(&c->b, OP_TAKE, in, 2, NULL, 0);
    if (mask)
        taken =
            build_binary(&c->b, OP_MUL, taken, build_constant(&c->b, t->dtype, ones, rank, mask));
    return build_transpose(&c->b, taken, inverse, rank);
}

value_id grad_core_unslice(grad_call *c, value_id g, uint32_t axis, slice_range r, int64_t extent)
{
    if (c->b.status != TN_OK || g == NO_VALUE)
        return NO_VALUE;
    tn_dtype dtype = grad_type(c, g)->dtype;
    arena *memory = &c->b.f->module->arena;
    int64_t *from = ARENA_ARRAY(memory, int64_t, (size_t)extent);
    double *mask = ARENA_ARRAY(memory, double, (size_t)extent);
    char *typed = arena_alloc(memory, (size_t)extent * 8);
    if (!from || !mask || !typed) {
        c->b.status = module_no_memory(c->b.f->module);
        return NO_VALUE;
    }
    for (int64_t j = 0; j < r.count; j++) {
        from[r.start + j * r.step] = j;
        mask[r.start + j * r.step] = 1;
    }
    (void)dtype_cast(TN_F64, mask, dtype, typed, (size_t)extent);
    return take_axis(c, g, axis, from, extent, typed);
}

/* ---- conv2d -------------------------------------------------------------------------------- */

static value_id transposed(grad_call *c, value_id x, int64_t a, int64_t b, int64_t d, int64_t e)
{
    int64_t perm[] = {a, b, d, e};
    return build_transpose(&c->b, x, perm, 4);
}

/* X with STEP - 1 zeros between the elements of AXIS. */
static value_id dilated(grad_call *c, value_id x, uint32_t axis, int64_t step)
{
    if (c->b.status != TN_OK || x == NO_VALUE)
        return NO_VALUE;
    int64_t n = grad_type(c, x)->dims[axis];
    slice_range apart = {.start = 0, .step = step, .count = n};
    return n == 1 || step == 1 ? x : grad_core_unslice(c, x, axis, apart, (n - 1) * step + 1);
}

static value_id reversed(grad_call *c, value_id x, uint32_t axis)
{
    if (c->b.status != TN_OK || x == NO_VALUE)
        return NO_VALUE;
    int64_t n = grad_type(c, x)->dims[axis];
    int64_t *at = ARENA_ARRAY(&c->b.f->module->arena, int64_t, (size_t)n);
    if (!at) {
        c->b.status = module_no_memory(c->b.f->module);
        return NO_VALUE;
    }
    for (int64_t i = 0; i < n; i++)
        at[i] = n - 1 - i;
    return n == 1 ? x : take_axis(c, x, axis, at, n, NULL);
}

/* X and W convolved without strides, with PADS before and behind the rows, then the columns. */
static value_id convolved(grad_call *c, value_id x, value_id w, const int64_t pads[4])
{
    static const int64_t strides[] = {1, 1};
    value_id in[] = {x, w};
    bool any = pads[0] || pads[1] || pads[2] || pads[3];
    attr entries[] = {attr_of_ints(KEY_STRIDES, strides, 2),
                      attr_of_int(KEY_PADDING, any ? PADDING_CUSTOM : PADDING_VALID),
                      attr_of_ints(KEY_PADS, pads, 4)};
    return build_node(&c->b, OP_CONV2D, in, 2, entries, any ? 3 : 2);
}

/* Rows TOP .. TOP + ROWS - 1 and columns LEFT .. LEFT + COLUMNS - 1 of X. */
static value_id cut(grad_call *c, value_id x, int64_t top, int64_t rows, int64_t left,
                    int64_t columns)
{
    static const int64_t steps[] = {1, 1, 1, 1};
    if (c->b.status != TN_OK || x == NO_VALUE)
        return NO_VALUE;
    const type *t = grad_type(c, x);
    int64_t starts[] = {0, top, left, 0};
    int64_t ends[] = {t->dims[0], top + rows, left + columns, t->dims[3]};
    if (rows == t->dims[1] && columns == t->dims[2])
        return x;
    return build_slice(&c->b, x, starts, ends, steps, 4);
}

static int64_t not_below_zero(int64_t i)
{
    return i < 0 ? 0 : i;
}

/* The gradient, with zeros between elements for the strides. Both derivatives need it. */
static value_id dilated_gradient(grad_call *c, const conv_geometry *at)
{
    if (!*c->is_shared)
        c->shared[0] = dilated(c, dilated(c, c->g[0], 1, at->stride_h), 2, at->stride_w);
    *c->is_shared = true;
    return c->shared[0];
}

/* By the input: the dilated gradient convolved with the reversed filter. By the filter: the input
 * convolved with the dilated gradient, batch and channels in each other's place. Strides may leave
 * rows and columns at the end that no window read. */
tn_status grad_core_conv2d(grad_call *c)
{
    value_id x = grad_in(c, 0), w = grad_in(c, 1);
    conv_geometry at;
    if (resolve_conv(c->n.attrs, grad_type(c, x)->dims, grad_type(c, w)->dims, &at).kind !=
        SHAPE_OK)
        return grad_refuse_symbolic(c, "an extent");
    value_id g = dilated_gradient(c, &at);
    if (c->b.status != TN_OK)
        return c->b.status;
    int64_t hd = grad_type(c, g)->dims[1], wd = grad_type(c, g)->dims[2];
    if (c->operand == 0) {
        int64_t pads[] = {at.kh - 1, at.h + at.top + at.bottom - hd, at.kw - 1,
                          at.w + at.left + at.right - wd};
        value_id flipped = transposed(c, reversed(c, reversed(c, w, 0), 1), 0, 1, 3, 2);
        return grad_gives(c, cut(c, convolved(c, g, flipped, pads), at.top, at.h, at.left, at.w));
    }
    int64_t pads[] = {at.top, not_below_zero(at.kh - 1 + hd - at.h - at.top), at.left,
                      not_below_zero(at.kw - 1 + wd - at.w - at.left)};
    const value_id kernel = transposed(c, g, 1, 2, 0, 3);
    const value_id sums = convolved(c, transposed(c, x, 3, 1, 2, 0), kernel, pads);
    return grad_gives(c, transposed(c, cut(c, sums, 0, at.kh, 0, at.kw), 1, 2, 0, 3));
}
