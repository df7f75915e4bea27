/* What callers of the builder get wrong: NULL, numbers that are no extents, things of another
 * builder.
 */
#include "build_fixture.h"

static tn_value f32(tn_builder *b, const char *name, tn_ints shape)
{
    return tn_input(b, name, TN_F32, shape);
}

typedef tn_value faulty(tn_builder *b, tn_value x);

static tn_value null_input(tn_builder *b, tn_value x)
{
    return tn_add(b, x, tn_input(b, NULL, TN_F32, TN_INTS(2, 3)));
}
static tn_value null_data(tn_builder *b, tn_value x)
{
    return tn_add(b, x, tn_constant(b, TN_F32, TN_INTS(2, 3), NULL));
}
static tn_value null_size(tn_builder *b, tn_value x)
{
    CHECK_INT(tn_dim(b, NULL), 1);
    return x;
}
static tn_value null_name(tn_builder *b, tn_value x)
{
    tn_builder_name(b, NULL);
    return x;
}
static tn_value no_extent(tn_builder *b, tn_value x)
{
    return tn_broadcast(b, x, TN_INTS(tn_dim_add(b, INT64_MIN, 0), 3));
}
static tn_value no_divisor(tn_builder *b, tn_value x)
{
    return tn_broadcast(b, x, TN_INTS(tn_dim_div(b, tn_dim(b, "n"), 0), 3));
}

static tn_ints nothing(size_t n)
{
    return (tn_ints){NULL, n};
}
static tn_values no_values(size_t n)
{
    return (tn_values){NULL, n};
}
static tn_value null_shape(tn_builder *b, tn_value x)
{
    return tn_add(b, x, f32(b, "y", nothing(2)));
}
static tn_value null_axes(tn_builder *b, tn_value x)
{
    return tn_sum(b, x, nothing(2), false);
}
static tn_value null_permutation(tn_builder *b, tn_value x)
{
    return tn_transpose(b, x, nothing(2));
}
static tn_value all_axes(tn_builder *b, tn_value x)
{
    return tn_transpose(b, x, tn_all_axes()); /* a list for reductions */
}
static tn_value null_extents(tn_builder *b, tn_value x)
{
    return tn_broadcast(b, x, nothing(2));
}
static tn_value null_starts(tn_builder *b, tn_value x)
{
    return tn_slice(b, x, nothing(2), TN_INTS(1, 1));
}
static tn_value null_sizes(tn_builder *b, tn_value x)
{
    return tn_slice(b, x, TN_INTS(0, 0), nothing(2));
}
static tn_value null_window(tn_builder *b, tn_value x)
{
    return tn_nn_max_pool(b, tn_reshape(b, x, TN_INTS(1, 2, 3, 1)), nothing(2), NULL);
}
static tn_value null_strides(tn_builder *b, tn_value x)
{
    const tn_sliding s = {.strides = {NULL, 2}};
    return tn_nn_max_pool(b, tn_reshape(b, x, TN_INTS(1, 2, 3, 1)), TN_INTS(1, 1), &s);
}
static tn_value null_parts(tn_builder *b, tn_value x)
{
    (void)x;
    return tn_concat(b, no_values(2), 0);
}
static tn_value null_lines(tn_builder *b, tn_value x)
{
    tn_value out[2];
    tn_sort(b, no_values(2), 0, false, out);
    CHECK(!tn_is_value(out[1]));
    return x;
}
static tn_value null_wrt(tn_builder *b, tn_value x)
{
    tn_value out[2];
    tn_gradient(b, tn_sum(b, x, tn_all_axes(), false), tn_no_value(), no_values(2), out);
    CHECK(!tn_is_value(out[0]) && !tn_is_value(out[1]));
    return x;
}
static tn_value null_results(tn_builder *b, tn_value x)
{
    tn_region_begin(b, NULL);
    (void)tn_region_end(b, no_values(1));
    return x;
}
static tn_value null_carry(tn_builder *b, tn_value x)
{
    tn_value out[1];
    tn_region_begin(b, NULL);
    const tn_region r = tn_region_end(b, TN_VALUES(tn_param_like(b, x)));
    tn_scan(b, r, no_values(1), no_values(0), 0, out, 1);
    return x;
}
static tn_value null_scatter(tn_builder *b, tn_value x)
{
    return tn_scatter_add(b, x, x, x, NULL);
}
static tn_value with_attribute(tn_builder *b, tn_value x, const tn_custom_attribute *a)
{
    const tn_type t = {TN_F32, 1, {2}};
    tn_value out;
    tn_custom_call(b, "acme.f", TN_VALUES(x), &t, a, 1, &out, 1);
    return out;
}
static tn_value null_attributes(tn_builder *b, tn_value x)
{
    return with_attribute(b, x, NULL);
}
static tn_value null_attribute_name(tn_builder *b, tn_value x)
{
    const int64_t one = 1;
    return with_attribute(b, x,
                          &(tn_custom_attribute){.kind = TN_ATTRIBUTE_INT, .ints = &one, .n = 1});
}
static tn_value null_attribute_text(tn_builder *b, tn_value x)
{
    const char *const none = NULL;
    return with_attribute(
        b, x,
        &(tn_custom_attribute){.name = "a", .kind = TN_ATTRIBUTE_STRING, .strings = &none, .n = 1});
}
static tn_value null_types(tn_builder *b, tn_value x)
{
    tn_value out;
    tn_custom_call(b, "acme.f", TN_VALUES(x), NULL, NULL, 0, &out, 1);
    return out;
}

static void faults_are_reported(void)
{
    static const struct {
        faulty *build;
        const char *kind;
        tn_status status;
    } cases[] = {
        {null_input, "Usage", TN_ERR_USAGE},
        {null_data, "Usage", TN_ERR_USAGE},
        {null_size, "Usage", TN_ERR_USAGE},
        {null_name, "Usage", TN_ERR_USAGE},
        {null_shape, "Usage", TN_ERR_USAGE},
        {null_axes, "Usage", TN_ERR_USAGE},
        {null_permutation, "Usage", TN_ERR_USAGE},
        {all_axes, "Usage", TN_ERR_USAGE},
        {null_extents, "Usage", TN_ERR_USAGE},
        {null_starts, "Usage", TN_ERR_USAGE},
        {null_sizes, "Usage", TN_ERR_USAGE},
        {null_window, "Usage", TN_ERR_USAGE},
        {null_strides, "Usage", TN_ERR_USAGE},
        {null_parts, "Usage", TN_ERR_USAGE},
        {null_lines, "Usage", TN_ERR_USAGE},
        {null_wrt, "Usage", TN_ERR_USAGE},
        {null_results, "Usage", TN_ERR_USAGE},
        {null_carry, "Usage", TN_ERR_USAGE},
        {null_scatter, "Usage", TN_ERR_USAGE},
        {null_attributes, "Usage", TN_ERR_USAGE},
        {null_attribute_name, "Usage", TN_ERR_USAGE},
        {null_attribute_text, "Usage", TN_ERR_USAGE},
        {null_types, "Usage", TN_ERR_USAGE},
        {no_extent, "InvalidDimension", TN_ERR_REJECTED},
        {no_divisor, "InvalidDimension", TN_ERR_REJECTED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench t;
        tn_module *m = NULL;
        bench_open(&t);
        tn_value y = cases[i].build(t.b, f32(t.b, "x", TN_INTS(2, 3)));
        CHECK_INT(tn_builder_finish(t.b, &y, 1, &m), cases[i].status);
        t.b = NULL;
        CHECK(!m);
        CHECK_INT(t.said.n, 1);
        CHECK_TEXT(t.said.kind, cases[i].kind);
        bench_close(&t);
    }
}

/* A value or a region of another builder has a place in this one as well, but is none of its own:
 * of the same context or another, made before or after it. */
static void builders_are_kept_apart(void)
{
    for (int k = 0; k < 4; k++) {
        bench t, u;
        tn_module *m = NULL;
        tn_value out;
        bench_open(&t);
        bench_open(&u);
        tn_builder *here = k % 2 ? t.b : u.b, *there = k % 2 ? u.b : t.b;
        const tn_value x = f32(here, "x", TN_INTS(2)), y = f32(there, "y", TN_INTS(2));
        tn_builder *const both[] = {here, there};
        tn_region regions[2];
        for (int i = 0; i < 2; i++) {
            tn_region_begin(both[i], NULL);
            const tn_value p = tn_param(both[i], TN_F32, TN_INTS(2));
            regions[i] = tn_region_end(both[i], TN_VALUES(p));
        }
        if (k < 2)
            out = tn_sub(here, x, y);
        else
            tn_cond(here, tn_scalar_int(here, TN_I1, 1), regions[0], regions[1], TN_VALUES(x), &out,
                    1);
        CHECK(!tn_is_value(out));
        CHECK_INT(tn_builder_status(there), TN_OK);
        CHECK(!tn_value_type(there, x, &(tn_type){0}));
        CHECK_INT(tn_builder_finish(here, &x, 1, &m), TN_ERR_USAGE);
        CHECK(!m);
        tn_builder_free(there);
        CHECK_TEXT(k % 2 ? t.said.kind : u.said.kind, "Usage");
        t.b = u.b = NULL;
        bench_close(&t);
        bench_close(&u);
    }
}

int main(void)
{
    faults_are_reported();
    builders_are_kept_apart();
    return check_result();
}
