/* Shape arithmetic: slices, reshapes, axes and windows, with odd and hostile numbers. */
#include "ops/shape.h"

#include "ops_case.h"

__extension__ typedef __int128 wide;

/* What the slice rules say, one element at a time, in arithmetic that cannot overflow. */
static void check_slice(int64_t s, int64_t e, int64_t step, int64_t d)
{
    const slice_range r = resolve_slice(s, e, step, d);
    wide at, end, n = 0, first = 0;
    if (step > 0) {
        at = s < 0 ? (wide)s + d : s;
        end = e < 0 ? (wide)e + d : e;
        at = at < 0 ? 0 : at > d ? d : at;
        end = end < 0 ? 0 : end > d ? d : end;
    } else {
        at = s < -1 ? -1 : s > d - 1 ? d - 1 : s;
        end = e < -1 ? -1 : e > d - 1 ? d - 1 : e;
    }
    first = at;
    for (; step > 0 ? at < end : at > end; at += step)
        n++;
    CHECK_INT(r.count, n);
    CHECK_INT(r.start, n ? first : 0);
    CHECK(r.count == 0 || (r.start >= 0 && r.start < d));
    if (r.count > 1)
        CHECK(r.start + (r.count - 1) * r.step >= 0 && r.start + (r.count - 1) * r.step < d);
}

static void test_slices(void)
{
    const int64_t bounds[] = {INT64_MIN, -9, -4, -3, -1, 0, 1, 2, 3, 4, 5, 9, INT64_MAX};
    const int64_t steps[] = {INT64_MIN, -7, -2, -1, 1, 2, 3, 8, INT64_MAX};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        for (size_t j = 0; j < sizeof bounds / sizeof *bounds; j++)
            for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
                for (int64_t d = 0; d < 6; d++)
                    check_slice(bounds[i], bounds[j], steps[k], d);
}

static void check_reshape(context *cx, const int64_t *wanted, uint32_t n, const dim *dims,
                          uint32_t rank, shape_fault_kind kind, int64_t inferred)
{
    module *m = module_new(cx);
    shape s;
    const type *t = type_of(&m->types, TN_F32, dims, rank);
    const shape_fault f = resolve_reshape(wanted, n, t, &s);
    CHECK_INT(f.kind, kind);
    for (uint32_t i = 0; i < n && f.kind == SHAPE_OK; i++)
        CHECK_INT(s.dims[i], wanted[i] == -1 ? inferred : wanted[i]);
    module_free(m);
}

static void test_reshapes(void)
{
    context *cx = context_new(NULL, NULL);
    check_reshape(cx, DIMS(6), DIMS(2, 3), SHAPE_OK, 0);
    check_reshape(cx, DIMS(-1), DIMS(2, 3), SHAPE_OK, 6);
    check_reshape(cx, DIMS(3, -1, 1), DIMS(2, 3), SHAPE_OK, 2);
    check_reshape(cx, SCALAR_DIMS, DIMS(1, 1), SHAPE_OK, 0);
    check_reshape(cx, DIMS(-1), SCALAR_DIMS, SHAPE_OK, 1);
    check_reshape(cx, DIMS(-1), DIMS(0, 3), SHAPE_OK, 0);
    check_reshape(cx, DIMS(4, -1), DIMS(0, 3), SHAPE_OK, 0);
    check_reshape(cx, DIMS(0), DIMS(0, 3), SHAPE_OK, 0);
    check_reshape(cx, DIMS(0, -1), DIMS(0, 3), SHAPE_EXTENT, 0);
    check_reshape(cx, DIMS(-1, -1), DIMS(2, 3), SHAPE_EXTENT, 0);
    check_reshape(cx, DIMS(0, 6), DIMS(2, 3), SHAPE_EXTENT, 0);
    check_reshape(cx, DIMS(-2, 3), DIMS(2, 3), SHAPE_EXTENT, 0);
    check_reshape(cx, DIMS(4, 2), DIMS(2, 3), SHAPE_COUNT, 0);
    check_reshape(cx, DIMS(4, -1), DIMS(2, 3), SHAPE_COUNT, 0);
    check_reshape(cx, DIMS(INT64_MAX, INT64_MAX), DIMS(2, 3), SHAPE_COUNT, 0);
    check_reshape(cx, DIMS(INT64_MAX, INT64_MAX, -1), DIMS(2, 3), SHAPE_COUNT, 0);

    module *m = module_new(cx);
    const dim n = dim_symbol(&m->types, module_string(m, "n", 1));
    const type *t = type_of(&m->types, TN_F32, DIMS(n, 4, 7));
    shape s;
    CHECK_INT(resolve_reshape(DIMS(-1, 28), t, &s).kind, SHAPE_OK);
    CHECK(s.dims[0] == n);
    CHECK_INT(resolve_reshape(DIMS(n, -1), t, &s).kind, SHAPE_OK);
    CHECK_INT(s.dims[1], 28);
    CHECK_INT(resolve_reshape(DIMS(n, 28), t, &s).kind, SHAPE_OK);
    CHECK_INT(resolve_reshape(DIMS(n, 27), t, &s).kind, SHAPE_COUNT);
    CHECK_INT(resolve_reshape(DIMS(56, -1), t, &s).kind, SHAPE_UNKNOWN);
    module_free(m);
    context_free(cx);
}

static void test_axes(void)
{
    axis_list l;
    shape s;
    bool keep;
    CHECK_INT(resolve_axes(DIMS(2, -3), 3, &l).kind, SHAPE_OK);
    CHECK(l.n == 2 && l.at[0] == 0 && l.at[1] == 2);
    CHECK_INT(resolve_axes(DIMS(INT64_MIN), 3, &l).kind, SHAPE_AXIS_RANGE);
    CHECK_INT(resolve_axes(DIMS(0), 0, &l).kind, SHAPE_AXIS_RANGE);
    CHECK_INT(resolve_reduction(NULL, 0, true, 32, &l, &keep).kind, SHAPE_OK);
    CHECK(l.n == 32 && !keep);

    CHECK_INT(resolve_expand_dims(DIMS(0, 0), 1, &l).kind, SHAPE_OK);
    CHECK(l.n == 2 && l.at[0] == 0 && l.at[1] == 1);
    expanded_shape(DIMS(3), &l, &s);
    CHECK(s.rank == 3 && s.dims[0] == 1 && s.dims[1] == 1 && s.dims[2] == 3);
    CHECK_INT(resolve_expand_dims(DIMS(3, 1), 2, &l).kind, SHAPE_OK); /* [a, 1, b, 1] */
    CHECK(l.n == 2 && l.at[0] == 1 && l.at[1] == 3);
    CHECK_INT(resolve_expand_dims(DIMS(1, 1, 0), 2, &l).kind, SHAPE_OK);
    CHECK(l.mask == 7); /* [1, 1, 1, a, b] */
    CHECK_INT(resolve_expand_dims(DIMS(3), 2, &l).kind, SHAPE_AXIS_RANGE);
    CHECK_INT(resolve_expand_dims(DIMS(-1), 2, &l).kind, SHAPE_AXIS_RANGE);
    CHECK_INT(resolve_expand_dims(DIMS(0), 32, &l).kind, SHAPE_RANK_LIMIT);

    CHECK_INT(resolve_permutation(DIMS(1, 1), 2).kind, SHAPE_AXIS_TWICE);
    CHECK_INT(resolve_permutation(DIMS(1, 2), 2).kind, SHAPE_AXIS_RANGE);
    CHECK_INT(resolve_permutation(DIMS(0), 2).kind, SHAPE_LENGTH);
}

static void test_broadcast(void)
{
    shape s;
    CHECK_INT(broadcast_shapes(DIMS(3, 1), DIMS(2, 1, 4), &s).kind, SHAPE_OK);
    CHECK(s.rank == 3 && s.dims[0] == 2 && s.dims[1] == 3 && s.dims[2] == 4);
    CHECK_INT(broadcast_shapes(DIMS(0), DIMS(5, 1), &s).kind, SHAPE_OK);
    CHECK(s.rank == 2 && s.dims[0] == 5 && s.dims[1] == 0);
    const shape_fault f = broadcast_shapes(DIMS(3, 4), DIMS(2, 3, 5), &s);
    CHECK(f.kind == SHAPE_MISMATCH && f.at == 2);
    CHECK_INT(broadcast_shapes(DIMS(0), DIMS(2), &s).kind, SHAPE_MISMATCH);
}

int main(void)
{
    test_slices();
    test_reshapes();
    test_axes();
    test_broadcast();
    return check_result();
}
