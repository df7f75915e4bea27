/* Movement: shapes, orders, parts. */
#include "dialect/onnx/write/writer.h"

#include "ops/attr_rules.h"
#include "ops/shape.h"

static onnx_id with_list(onnx_writer *w, const char *op, onnx_id x, const int64_t *list, uint32_t n)
{
    const onnx_id in[] = {x, onnx_list_of(&w->out, list, n)};
    return onnx_make(&w->out, op, onnx_dtype_of_id(&w->out, x), in, 2, NULL, 0);
}

/* ---- shapes ---- */

onnx_id onnx_reshape(onnx_writer *w, const node *n, onnx_id x, const dim *dims, uint32_t rank)
{
    const onnx_id in[] = {x, onnx_extents(w, n, dims, rank)};
    bool is_empty = false;
    for (uint32_t i = 0; i < rank; i++)
        is_empty = is_empty || dims[i] == 0 || dim_is_symbolic(dims[i]);
    const onnx_setting zeros = ONNX_INT_SET("allowzero", 1); /* an extent of 0 is one */
    return onnx_make(&w->out, "Reshape", onnx_dtype_of_id(&w->out, x), in, 2, &zeros, is_empty);
}

void onnx_put_reshape(onnx_writer *w, const node *n)
{
    const type *t = onnx_result_type(w, n);
    onnx_result(w, n, onnx_reshape(w, n, onnx_operand(w, n, 0), t->dims, t->rank));
}

/* The result of NAME with a list of axes; of none, it is the operand. */
static void put_axes(onnx_writer *w, const node *n, const char *name, const axis_list *axes)
{
    int64_t at[TN_MAX_RANK];
    const onnx_id x = onnx_operand(w, n, 0);
    for (uint32_t i = 0; i < axes->n; i++)
        at[i] = axes->at[i];
    onnx_result(w, n, axes->n ? with_list(w, name, x, at, axes->n) : x);
}

void onnx_put_expand_dims(onnx_writer *w, const node *n)
{
    uint32_t count;
    axis_list axes;
    const int64_t *given = attr_ints(n->attrs, KEY_AXES, &count);
    (void)resolve_expand_dims(given, count, onnx_operand_type(w, n, 0)->rank, &axes);
    put_axes(w, n, "Unsqueeze", &axes);
}

void onnx_put_squeeze(onnx_writer *w, const node *n)
{
    uint32_t count;
    axis_list axes;
    const int64_t *given = attr_ints(n->attrs, KEY_AXES, &count);
    (void)resolve_axes(given, count, onnx_operand_type(w, n, 0)->rank, &axes);
    put_axes(w, n, "Squeeze", &axes);
}

onnx_id onnx_expand(onnx_writer *w, const node *n, onnx_id x, const dim *dims, uint32_t rank)
{
    const onnx_id in[] = {x, onnx_extents(w, n, dims, rank)};
    return onnx_make(&w->out, "Expand", onnx_dtype_of_id(&w->out, x), in, 2, NULL, 0);
}

/* Axes that `dims` puts elsewhere than at the end get there first. */
void onnx_put_broadcast(onnx_writer *w, const node *n)
{
    const type *from = onnx_operand_type(w, n, 0), *to = onnx_result_type(w, n);
    uint32_t map[TN_MAX_RANK];
    int64_t perm[TN_MAX_RANK];
    dim dims[TN_MAX_RANK];
    shape s;
    bool is_aligned = true;
    onnx_id x = onnx_operand(w, n, 0);
    (void)resolve_broadcast(n->attrs, from, &s, map);
    for (uint32_t i = 0; i < from->rank; i++)
        is_aligned = is_aligned && map[i] == to->rank - from->rank + i;
    if (!is_aligned) {
        uint32_t k = 0;
        for (uint32_t i = 0; i < to->rank; i++) {
            dims[i] = 1;
            for (uint32_t j = 0; j < from->rank; j++)
                if (map[j] == i) {
                    perm[k++] = j;
                    dims[i] = from->dims[j];
                }
        }
        x = onnx_permute(w, x, perm, from->rank);
        x = onnx_reshape(w, n, x, dims, to->rank);
    }
    onnx_result(w, n, onnx_expand(w, n, x, to->dims, to->rank));
}

/* ---- orders ---- */

onnx_id onnx_permute(onnx_writer *w, onnx_id x, const int64_t *perm, uint32_t rank)
{
    bool changes = false;
    for (uint32_t i = 0; i < rank; i++)
        changes = changes || perm[i] != (int64_t)i;
    return changes ? onnx_with(w, "Transpose", x, ONNX_INTS_SET("perm", perm, rank)) : x;
}

void onnx_put_transpose(onnx_writer *w, const node *n)
{
    uint32_t rank;
    int64_t perm[TN_MAX_RANK];
    const int64_t *given = attr_ints(n->attrs, KEY_PERM, &rank);
    for (uint32_t i = 0; i < rank; i++)
        perm[i] = given[i] < 0 ? given[i] + rank : given[i];
    onnx_result(w, n, onnx_permute(w, onnx_operand(w, n, 0), perm, rank));
}

/* ---- parts ---- */

typedef struct bounds {
    uint32_t n;
    int64_t starts[TN_MAX_RANK], ends[TN_MAX_RANK], axes[TN_MAX_RANK], steps[TN_MAX_RANK];
} bounds;

static onnx_id sliced(onnx_writer *w, onnx_id x, const bounds *b)
{
    if (b->n == 0)
        return x;
    const onnx_id starts = onnx_list_of(&w->out, b->starts, b->n);
    const onnx_id ends = onnx_list_of(&w->out, b->ends, b->n);
    const onnx_id axes = onnx_list_of(&w->out, b->axes, b->n);
    const onnx_id steps = onnx_list_of(&w->out, b->steps, b->n);
    const onnx_id in[] = {x, starts, ends, axes, steps};
    return onnx_make(&w->out, "Slice", onnx_dtype_of_id(&w->out, x), in, 5, NULL, 0);
}

static void add_bound(bounds *b, int64_t axis, int64_t start, int64_t end, int64_t step)
{
    b->starts[b->n] = start;
    b->ends[b->n] = end;
    b->axes[b->n] = axis;
    b->steps[b->n++] = step;
}

bool onnx_takes_slice(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const type *t = value_type(f, n->in[0]);
    slice_range ranges[TN_MAX_RANK];
    shape out;
    return resolve_slices(n->attrs, t->dims, t->rank, ranges, &out).kind == SHAPE_OK ||
           onnx_objection(why, "its bounds depend on sizes");
}

/* Bounds are numbers from the front; one before the front is far below. */
void onnx_put_slice(onnx_writer *w, const node *n)
{
    const type *t = onnx_operand_type(w, n, 0);
    slice_range ranges[TN_MAX_RANK];
    bounds b = {0};
    shape out;
    (void)resolve_slices(n->attrs, t->dims, t->rank, ranges, &out);
    for (uint32_t i = 0; i < t->rank; i++) {
        const slice_range *r = &ranges[i];
        const bool is_whole =
            r->count < 0 || (r->start == 0 && r->step == 1 && r->count == t->dims[i]);
        if (is_whole)
            continue;
        if (r->count == 0) {
            add_bound(&b, i, 0, 0, 1);
            continue;
        }
        const int64_t last = r->start + (r->count - 1) * r->step;
        const int64_t end = r->step > 0 ? last + 1 : last - 1;
        add_bound(&b, i, r->start, end < 0 ? INT64_MIN : end,
                  r->count == 1 && r->step > 0 ? 1 : r->step);
    }
    onnx_result(w, n, sliced(w, onnx_operand(w, n, 0), &b));
}

void onnx_put_reverse(onnx_writer *w, const node *n)
{
    uint32_t count;
    axis_list axes;
    bounds b = {0};
    const int64_t *given = attr_ints(n->attrs, KEY_AXES, &count);
    (void)resolve_axes(given, count, onnx_operand_type(w, n, 0)->rank, &axes);
    for (uint32_t i = 0; i < axes.n; i++)
        add_bound(&b, axes.at[i], -1, INT64_MIN, -1);
    onnx_result(w, n, sliced(w, onnx_operand(w, n, 0), &b));
}

bool onnx_takes_pad(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    uint32_t rank;
    const int64_t *between = attr_ints(n->attrs, KEY_INTERIOR, &rank);
    (void)f;
    for (uint32_t i = 0; i < rank; i++)
        if (between[i] != 0)
            return onnx_objection(why, "it does not pad between elements");
    return true;
}

void onnx_put_pad(onnx_writer *w, const node *n)
{
    const uint32_t direct = ONNX_COMMON_BITS | ONNX_BIT(TN_I1) | ONNX_BIT(TN_SI8) |
                            ONNX_BIT(TN_UI8) | ONNX_BIT(TN_UI32) | ONNX_BIT(TN_UI64);
    const type *t = onnx_result_type(w, n);
    int64_t pads[2 * TN_MAX_RANK];
    uint32_t rank;
    const int64_t *low = attr_ints(n->attrs, KEY_LOW, &rank);
    const int64_t *high = attr_ints(n->attrs, KEY_HIGH, &rank);
    for (uint32_t i = 0; i < rank; i++) {
        pads[i] = low[i];
        pads[rank + i] = high[i];
    }
    const onnx_id x = onnx_carried(w, n, 0, direct);
    if (rank == 0) {
        onnx_result(w, n, onnx_operand(w, n, 0));
        return;
    }
    unsigned char value[16];
    (void)scalar_store(*attr_find(n->attrs, KEY_PAD_VALUE)->v.scalar, t->dtype, value);
    const onnx_id given = onnx_constant(&w->out, t->dtype, NULL, 0, value, dtype_bytes(t->dtype));
    const onnx_id fill = onnx_cast_plain(w, given, onnx_dtype_of_id(&w->out, x));
    const onnx_id amounts = onnx_extents(w, n, pads, 2 * rank);
    const onnx_id in[] = {x, amounts, fill};
    const onnx_id y = onnx_make(&w->out, "Pad", onnx_dtype_of_id(&w->out, x), in, 3, NULL, 0);
    onnx_result(w, n, onnx_cast_plain(w, y, t->dtype));
}

void onnx_put_concat(onnx_writer *w, const node *n)
{
    const type *t = onnx_result_type(w, n);
    onnx_id *in = ARENA_ARRAY(&w->out.memory, onnx_id, n->n_in);
    const onnx_setting axis = ONNX_INT_SET("axis", resolve_axis(n->attrs, KEY_AXIS, t->rank));
    for (uint32_t i = 0; in && i < n->n_in; i++)
        in[i] = onnx_operand(w, n, i);
    w->out.no_memory = w->out.no_memory || !in;
    onnx_result(w, n, onnx_make(&w->out, "Concat", t->dtype, in, n->n_in, &axis, 1));
}

void onnx_put_tile(onnx_writer *w, const node *n)
{
    uint32_t rank;
    const int64_t *repeats = attr_ints(n->attrs, KEY_REPEATS, &rank);
    const onnx_id x = onnx_carried(w, n, 0, ~ONNX_BIT(TN_BF16));
    const onnx_id in[] = {x, onnx_extents(w, n, repeats, rank)};
    const onnx_id y = onnx_make(&w->out, "Tile", onnx_dtype_of_id(&w->out, x), in, 2, NULL, 0);
    onnx_result(
        w, n, rank ? onnx_cast_plain(w, y, onnx_result_type(w, n)->dtype) : onnx_operand(w, n, 0));
}

/* ---- positions as elements ---- */

/* From Range where the extent is a size. */
onnx_id onnx_numbers(onnx_writer *w, const node *n, dim extent, tn_dtype d)
{
    enum { WRITTEN = 1 << 16 };
    if (dim_is_symbolic(extent) || extent > WRITTEN) {
        const onnx_id zero = onnx_int(&w->out, TN_SI64, 0), one = onnx_int(&w->out, TN_SI64, 1);
        const onnx_id end = onnx_size(w, n, extent);
        const onnx_id in[] = {zero, end, one};
        return onnx_cast(w, onnx_make(&w->out, "Range", TN_SI64, in, 3, NULL, 0), d);
    }
    int64_t *wide = ARENA_ARRAY(&w->out.memory, int64_t, (size_t)extent);
    void *data = arena_calloc(&w->out.memory, (size_t)extent, dtype_bytes(d));
    if (!wide || !data) {
        w->out.no_memory = true;
        return ONNX_NOTHING;
    }
    for (int64_t i = 0; i < extent; i++)
        wide[i] = i;
    (void)dtype_cast(TN_SI64, wide, d, data, (size_t)extent);
    return onnx_constant(&w->out, d, &extent, 1, data, (size_t)extent * dtype_bytes(d));
}

onnx_id onnx_counted(onnx_writer *w, const node *n, const type *t, uint32_t axis, tn_dtype d)
{
    dim dims[TN_MAX_RANK];
    const onnx_id x = onnx_numbers(w, n, t->dims[axis], d);
    for (uint32_t i = axis; i < t->rank; i++)
        dims[i - axis] = i == axis ? t->dims[i] : 1;
    return axis + 1 < t->rank ? onnx_reshape(w, n, x, dims, t->rank - axis) : x;
}

void onnx_put_iota(onnx_writer *w, const node *n)
{
    const type *t = onnx_result_type(w, n);
    const uint32_t axis = resolve_axis(n->attrs, KEY_AXIS, t->rank);
    const onnx_id x = onnx_counted(w, n, t, axis, t->dtype);
    onnx_result(w, n, t->rank > 1 ? onnx_expand(w, n, x, t->dims, t->rank) : x);
}
