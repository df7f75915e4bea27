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
