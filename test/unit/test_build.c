/* The builder: every operation has a function, failure is sticky and says where, regions. */
#include "api/api.h"
#include "build_fixture.h"

/* ---- every operation ------------------------------------------------------------------------ */

static tn_value f32(tn_builder *b, const char *name, tn_ints shape)
{
    return tn_input(b, name, TN_F32, shape);
}

/* An operand that the type rule of OP takes: X has floats, I integers, Z complex numbers. */
static tn_value operand_for(op_id op, tn_value x, tn_value i, tn_value z)
{
    const char *rule = op_table[op].infer_name;
    return strcmp(rule, "part") == 0 ? z : strstr(rule, "bits") || strstr(rule, "integer") ? i : x;
}

static void use_elementwise(tn_builder *b, tn_value x, tn_value i, tn_value p)
{
    const tn_value z = tn_cast(b, x, TN_CF32);
#define TN_UNARY(function, op) CHECK(tn_is_value(function(b, operand_for(OP_##op, x, i, z))));
#define TN_BINARY(function, op)                                                                    \
    CHECK(tn_is_value(function(b, operand_for(OP_##op, x, i, z), operand_for(OP_##op, x, i, z))));
#include "tenon/build_elementwise.def"
#undef TN_UNARY
#undef TN_BINARY
    CHECK(tn_is_value(tn_not(b, p)));
    CHECK(tn_is_value(tn_stop_gradient(b, x)));
    CHECK(tn_is_value(tn_div_or_zero(b, x, x)));
    CHECK(tn_is_value(tn_fmod(b, x, x)));
    CHECK(tn_is_value(tn_cast(b, x, TN_F64)));
    CHECK(tn_is_value(tn_wrap(b, i, TN_SI8)));
    CHECK(tn_is_value(tn_bitcast(b, x, TN_UI32)));
    CHECK(tn_is_value(tn_compare(b, TN_LT, x, x)));
    CHECK(tn_is_value(tn_select(b, tn_compare(b, TN_NE, x, x), x, x)));
    CHECK(tn_is_value(tn_clamp(b, x, x, x)));
}

static void use_reductions(tn_builder *b, tn_value x)
{
    double init = 1;
    CHECK(tn_is_value(tn_sum(b, x, TN_INTS(0), true)));
    CHECK(tn_is_value(tn_mean(b, x, TN_INTS(-1), false)));
    CHECK(tn_is_value(tn_reduce_max(b, x, tn_all_axes(), false)));
    for (tn_reduction how = TN_REDUCE_MAX_NAN; how <= TN_REDUCE_MIN_NAN; how++)
        CHECK(tn_is_value(
            tn_reduce(b, how, x, TN_INTS(0), true, TN_DTYPE_DEFAULT, TN_DTYPE_DEFAULT, NULL)));
    CHECK(tn_is_value(tn_reduce_min(b, x, TN_INTS(0, 1), false)));
    CHECK(tn_is_value(tn_reduce_prod(b, x, TN_INTS(1), false)));
    CHECK(tn_is_value(tn_reduce(b, TN_REDUCE_SUM, x, TN_INTS(0), false, TN_F64, TN_F32, &init)));
    CHECK(tn_is_value(tn_arg_max(b, x, -1, false, TN_SI32)));
    CHECK(tn_is_value(tn_top_k(b, x, 2, 1, true, TN_SI64).indices));
    CHECK(tn_is_value(tn_argsort(b, x, 0, true, TN_SI32)));
    tn_value both[2];
    tn_sort(b, TN_VALUES(x, x), 1, false, both);
    CHECK(tn_is_value(both[0]) && tn_is_value(both[1]));
    CHECK(tn_is_value(tn_cumulative(b, x, TN_FOLD_MIN, -1, true, true)));
}

static void use_contractions(tn_builder *b, tn_value x)
{
    tn_value image = f32(b, "image", TN_INTS(1, 4, 4, 2)), w = f32(b, "w", TN_INTS(3, 3, 2, 5));
    tn_value dy = f32(b, "dy", TN_INTS(1, 2, 2, 5)), t = tn_transpose(b, x, TN_INTS(1, 0));
    CHECK(tn_is_value(tn_dot(b, x, t)));
    CHECK(tn_is_value(tn_matmul(b, x, t)));
    CHECK(tn_is_value(
        tn_dot_general(b, x, x, TN_INTS(0), TN_INTS(0), TN_INTS(1), TN_INTS(1), TN_F64, TN_F32)));
    CHECK(tn_is_value(tn_conv2d(b, image, w, TN_INTS(1, 1), TN_PADDING_SAME, TN_INTS())));
    CHECK(
        tn_is_value(tn_conv2d(b, image, w, TN_INTS(1, 1), TN_PADDING_CUSTOM, TN_INTS(1, 0, 0, 1))));
    CHECK(tn_is_value(tn_conv2d_grad_input(b, dy, w, TN_INTS(1, 4, 4, 2), TN_INTS(1, 1),
                                           TN_PADDING_VALID, TN_INTS())));
    CHECK(tn_is_value(tn_conv2d_grad_filter(b, image, dy, TN_INTS(3, 3, 2, 5), TN_INTS(1, 1),
                                            TN_PADDING_VALID, TN_INTS())));
    const tn_value planes = tn_transpose(b, image, TN_INTS(0, 3, 1, 2));
    const tn_value filter = f32(b, "filter", TN_INTS(5, 2, 3, 3));
    CHECK(tn_is_value(tn_convolution(b, planes, filter, NULL, TN_F64, TN_F32)));
    CHECK(tn_is_value(tn_extract_patches(b, image, TN_INTS(2, 2), TN_INTS(1, 1), TN_INTS(1, 1),
                                         TN_INTS(0, 1, 0, 1), 0)));
    tn_window window = {TN_INTS(1, 2, 2, 1), TN_INTS(1, 2, 2, 1), TN_INTS(0, 0, 0, 0, 0, 0, 0, 0),
                        TN_INTS(1, 1, 1, 1), TN_INTS(1, 1, 1, 1)};
    CHECK(tn_is_value(tn_reduce_window(b, image, TN_COMBINE_MAX, &window, TN_DTYPE_DEFAULT)));
}

static void use_movement(tn_builder *b, tn_value x)
{
    CHECK(tn_is_value(tn_reshape(b, x, TN_INTS(3, -1))));
    CHECK(tn_is_value(tn_expand_dims(b, x, TN_INTS(0))));
    CHECK(tn_is_value(tn_squeeze(b, tn_reshape(b, x, TN_INTS(6, 1)), TN_INTS(-1))));
    CHECK(tn_is_value(tn_broadcast(b, x, TN_INTS(4, 2, 3))));
    CHECK(tn_is_value(tn_broadcast_axes(b, x, TN_INTS(2, 4, 3), TN_INTS(0, 2))));
    CHECK(tn_is_value(tn_slice(b, x, TN_INTS(0, 1), TN_INTS(2, 2))));
    CHECK(tn_is_value(tn_slice_axis(b, x, -1, 1, 2)));
    CHECK(tn_is_value(tn_slice_steps(b, x, TN_INTS(0, 2), TN_INTS(2, -4), TN_INTS(1, -1))));
    CHECK(tn_is_value(
        tn_slice_grad(b, x, TN_INTS(4, 3), TN_INTS(0, 0), TN_INTS(4, 3), TN_INTS(2, 1))));
    CHECK(tn_is_value(tn_reverse(b, x, TN_INTS(0))));
    CHECK(tn_is_value(tn_pad(b, x, TN_INTS(1, 0), TN_INTS(0, 1), TN_INTS(0, 1), -1)));
    CHECK(
        tn_is_value(tn_pad_exact(b, x, TN_INTS(1, 0), TN_INTS(0, 1), TN_INTS(0, 1), &(float){-1})));
    CHECK(tn_is_value(tn_concat(b, TN_VALUES(x, x, x), 0)));
    CHECK(tn_is_value(tn_tile(b, x, TN_INTS(2, 1))));
    CHECK(tn_is_value(tn_view(b, x, TN_INTS(3, 2), "i1; i0")));
    CHECK(tn_is_value(tn_pool(b, x, TN_INTS(2), TN_INTS(1), TN_INTS(1))));
}

static void use_positions(tn_builder *b, tn_value x)
{
    tn_value i = tn_input(b, "i", TN_SI32, TN_INTS(2)), rows = tn_take(b, x, i);
    tn_value wide = tn_input(b, "wide", TN_SI64, TN_INTS(2, 1));
    tn_value column = tn_slice_axis(b, x, 1, 0, 1);
    tn_scatter_axes axes = {TN_INTS(1), TN_INTS(0), TN_INTS(0), 1};
    CHECK(tn_is_value(rows));
    CHECK(tn_is_value(tn_index(b, x, TN_INTS(1, 2))));
    CHECK(tn_is_value(tn_gather(b, x, wide, 1)));
    CHECK(tn_is_value(tn_scatter_rows(b, rows, i, TN_INTS(5, 3))));
    CHECK(tn_is_value(tn_scatter_add(b, x, i, rows, &axes)));
    CHECK(tn_is_value(tn_scatter_reduce(b, x, wide, column, 1, TN_COMBINE_REPLACE)));
    CHECK(tn_is_value(tn_dynamic_slice(b, x, i, TN_INTS(1, 2))));
    CHECK(tn_is_value(tn_dynamic_update_slice(b, x, column, i)));
    CHECK(tn_is_value(tn_segment_reduce(b, x, i, TN_COMBINE_ADD, 4, TN_F64, false, false)));
}

static void use_rest(tn_builder *b, tn_value x)
{
    tn_value g = f32(b, "g", TN_INTS(3)), scale = tn_scalar(b, TN_F32, 0.5);
    tn_value zero = tn_scalar_int(b, TN_SI8, 3), none = tn_no_value();
    CHECK(tn_is_value(tn_iota(b, TN_SI32, TN_INTS(4), 0)));
    CHECK(tn_is_value(tn_rng_uniform(b, TN_F32, TN_INTS(4))));
    CHECK(tn_is_value(tn_rng_normal(b, TN_F64, TN_INTS(4))));
    CHECK(tn_is_value(tn_layer_norm(b, x, g, g, 1e-5, -1)));
    tn_value q = tn_quantize(b, x, scale, zero, TN_SI8, 0);
    CHECK(tn_is_value(tn_quantize(b, x, scale, none, TN_SI8, 0)));
    CHECK(tn_is_value(tn_dequantize(b, q, scale, zero, TN_F32, 0)));
    CHECK(tn_is_value(tn_dequantize(b, q, none, none, TN_DTYPE_DEFAULT, 0)));
    CHECK(tn_is_value(tn_dequantize(b, q, g, none, TN_F32, 1)));
    CHECK(tn_is_value(tn_requantize(b, q, scale, zero, scale, zero, TN_SI8, 0)));
}

static void use_regions(tn_builder *b, tn_value x)
{
    tn_value p = tn_input(b, "p", TN_I1, TN_INTS()), out[2], row;
    tn_region_begin(b, "negated");
    tn_region negated = tn_region_end(b, TN_VALUES(tn_neg(b, tn_param_like(b, x))));
    tn_region_begin(b, NULL);
    tn_region kept = tn_region_end(b, TN_VALUES(tn_param(b, TN_F32, TN_INTS(2, 3))));
    tn_cond(b, p, negated, kept, TN_VALUES(x), out, 1);
    CHECK(tn_is_value(out[0]));

    tn_region_begin(b, "never");
    row = tn_param_like(b, x);
    tn_region never = tn_region_end(b, TN_VALUES(tn_scalar_int(b, TN_I1, 0), row));
    tn_while(b, never, negated, TN_VALUES(x), out, 1);
    CHECK(tn_is_value(out[0]));

    tn_region_begin(b, "sum");
    tn_value total = tn_param(b, TN_F32, TN_INTS(3));
    row = tn_param_slice(b, x);
    total = tn_add(b, total, row);
    tn_region sum = tn_region_end(b, TN_VALUES(total, tn_exp(b, row)));
    tn_scan(b, sum, TN_VALUES(tn_splat(b, TN_F32, TN_INTS(3), 0)), TN_VALUES(x), 1, out, 2);
    CHECK(tn_is_value(out[0]) && tn_is_value(out[1]));

    tn_type seven = {.dtype = TN_F32, .rank = 1, .dims = {7}};
    const int64_t ints[] = {1, 2};
    const char *text = "fast";
    const tn_custom_attribute attributes[] = {
        {.name = "window", .kind = TN_ATTRIBUTE_INT, .is_array = true, .n = 2, .ints = ints},
        {.name = "mode", .kind = TN_ATTRIBUTE_STRING, .strings = &text},
    };
    tn_custom_call(b, "test.kernel.v1", TN_VALUES(x), &seven, attributes, 2, out, 1);
    CHECK(tn_is_value(out[0]));
}

/* [build/1] */
static void every_operation_has_a_function(void)
{
    bench t;
    bool used[OP_COUNT] = {false};
    bench_open(&t);
    tn_value x = f32(t.b, "x", TN_INTS(2, 3)), n = tn_input(t.b, "n", TN_SI32, TN_INTS(4));
    use_elementwise(t.b, x, n, tn_input(t.b, "bits", TN_I1, TN_INTS(4)));
    use_reductions(t.b, x);
    use_contractions(t.b, x);
    use_movement(t.b, x);
    use_positions(t.b, x);
    use_rest(t.b, x);
    use_regions(t.b, x);
    tn_module *m = bench_finish(&t, x);
    for (uint32_t i = 0; m && i < m->graph->functions.n; i++) {
        const function *f = m->graph->functions.at[i];
        for (uint32_t k = 0; k < f->nodes.n; k++)
            used[f->nodes.at[k].op] = true;
    }
    for (int op = 0; m && op < OP_COUNT; op++)
        if (!CHECK(used[op]))
            printf("    no function makes '%s'\n", op_table[op].text);
    if (m)
        CHECK_INT(tn_module_verify(m), TN_OK);
    tn_module_free(m);
    bench_close(&t);
}

/* ---- broadcasting --------------------------------------------------------------------------- */

static void broadcasting_is_explicit(void)
{
    bench t;
    double x[] = {1, 2, 3}, y[] = {10, 20}, have[6], want[] = {11, 12, 13, 21, 22, 23};
    const double *in[] = {x, y};
    bench_open(&t);
    tn_value row = f32(t.b, "x", TN_INTS(3)), column = f32(t.b, "y", TN_INTS(2, 1));
    tn_module *m = bench_finish(&t, tn_add(t.b, row, column));
    if (m && bench_run(m, NULL, 0, in, have, 6))
        CHECK(near_all(have, want, 6, 0));
    const function *f = m ? module_entry(m->graph) : NULL;
    for (uint32_t i = 0; f && i < f->nodes.n; i++) {
        const node *n = &f->nodes.at[i];
        for (uint32_t k = 0; n->op == OP_ADD && k < 2; k++)
            CHECK(value_type(f, n->in[k]) == value_type(f, n->first_value));
    }
    tn_module_free(m);
    bench_close(&t);
}

static void equal_shapes_get_no_broadcast(void)
{
    bench t;
    bench_open(&t);
    tn_value s = tn_input(t.b, "s", TN_F32, TN_INTS(tn_dim(t.b, "N"), 4));
    tn_value y = tn_mul(t.b, s, tn_broadcast(t.b, s, TN_INTS(tn_extent(t.b, s, 0), 4)));
    tn_module *m = bench_finish(&t, y);
    if (m)
        CHECK_INT(module_entry(m->graph)->nodes.n, 2);
    tn_module_free(m);
    bench_close(&t);
}

/* Lists of attributes are shared; one that stands on both sides of an operation without attributes
 * must survive the copy that compilation makes. */
static void neighbours_keep_their_attributes(void)
{
    bench t;
    double g[] = {2, 3}, x[] = {1, 1, 1, 1}, have[4], want[] = {4, 6, 4, 6};
    const double *in[] = {g, x};
    bench_open(&t);
    tn_value gain = f32(t.b, "g", TN_INTS(2)), y = f32(t.b, "x", TN_INTS(2, 2));
    tn_value scaled = tn_mul(t.b, y, gain);
    y = tn_add(t.b, scaled, gain);
    tn_module *m = bench_finish(&t, y);
    if (m && bench_run(m, NULL, 0, in, have, 4))
        CHECK(near_all(have, want, 4, 0));
    tn_module_free(m);
    bench_close(&t);
}

/* Positions that are constants whose axes a broadcast has put into another order. */
static void positions_in_another_order(void)
{
    static const int64_t places[] = {5, 4, 3, 2, 1, 0};
    static const float x[] = {0, 1, 2, 3, 4, 5}, want[] = {5, 3, 1, 4, 2, 0};
    static const tn_level levels[] = {TN_LEVEL_0, TN_LEVEL_1, TN_LEVEL_2};
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
        bench t;
        tn_program *p = NULL;
        bench_open(&t);
        tn_value all = f32(t.b, "x", TN_INTS(6));
        tn_value at = tn_constant(t.b, TN_SI64, TN_INTS(3, 2), places);
        at = tn_broadcast_axes(t.b, at, TN_INTS(2, 3), TN_INTS(1, 0));
        tn_module *m = bench_finish(&t, tn_take(t.b, all, at));
        tn_compile_options options = {.size = sizeof options, .level = levels[k]};
        tn_buffer in = {(void *)(uintptr_t)x, sizeof x, {.dtype = TN_F32, .rank = 1, .dims = {6}}};
        tn_buffer out = {0};
        if (m && CHECK(tn_program_compile(m, &options, &p) == TN_OK) &&
            CHECK(tn_program_run(p, &in, 1, &out, 1, NULL) == TN_OK)) {
            CHECK(out.bytes == sizeof want && memcmp(out.data, want, sizeof want) == 0);
            tn_buffer_release(p, &out);
        }
        tn_program_free(p);
        tn_module_free(m);
        bench_close(&t);
    }
}

/* ---- failure -------------------------------------------------------------------------------- */

typedef tn_value faulty(tn_builder *b, tn_value x);

static tn_value wrong_shapes(tn_builder *b, tn_value x)
{
    return tn_add(b, x, tn_splat(b, TN_F32, TN_INTS(7), 1));
}
static tn_value wrong_dtypes(tn_builder *b, tn_value x)
{
    return tn_add(b, x, tn_splat(b, TN_F64, TN_INTS(2, 3), 1));
}
static tn_value no_value(tn_builder *b, tn_value x)
{
    return tn_add(b, x, tn_no_value());
}
static tn_value strange_value(tn_builder *b, tn_value x)
{
    tn_value v = {x.scope, 1000};
    return tn_neg(b, v);
}
static tn_value same_name(tn_builder *b, tn_value x)
{
    return tn_add(b, x, f32(b, "x", TN_INTS(2, 3)));
}
static tn_value negative_extent(tn_builder *b, tn_value x)
{
    return tn_add(b, x, f32(b, "y", TN_INTS(-1)));
}
static tn_value too_many_axes(tn_builder *b, tn_value x)
{
    int64_t many[200] = {0};
    return tn_transpose(b, x, (tn_ints){many, 200});
}
static tn_value slice_outside(tn_builder *b, tn_value x)
{
    return tn_slice_axis(b, x, 1, 2, 2);
}
static tn_value half_an_integer(tn_builder *b, tn_value x)
{
    return tn_select(b, x, tn_scalar(b, TN_SI32, 0.5), x);
}
static tn_value input_in_region(tn_builder *b, tn_value x)
{
    tn_region_begin(b, "r");
    return tn_add(b, x, f32(b, "y", TN_INTS(2, 3)));
}
static tn_value value_from_outside(tn_builder *b, tn_value x)
{
    tn_region_begin(b, "r");
    return tn_neg(b, x);
}
static tn_value unfinished_region(tn_builder *b, tn_value x)
{
    tn_value out[1];
    tn_region none = {0};
    tn_while(b, none, none, TN_VALUES(x), out, 1);
    return out[0];
}
static tn_value wrong_result_count(tn_builder *b, tn_value x)
{
    tn_value out[3];
    tn_region_begin(b, "same");
    tn_region same = tn_region_end(b, TN_VALUES(tn_param_like(b, x)));
    tn_cond(b, tn_scalar_int(b, TN_I1, 1), same, same, TN_VALUES(x), out, 3);
    return out[2];
}
static tn_value left_in_region(tn_builder *b, tn_value x)
{
    tn_region_begin(b, "r");
    (void)x;
    return tn_param(b, TN_F32, TN_INTS(2, 2));
}
static tn_value end_without_begin(tn_builder *b, tn_value x)
{
    tn_region_end(b, TN_VALUES(x));
    return x;
}
static tn_value quantize_gap(tn_builder *b, tn_value x)
{
    return tn_quantize(b, x, tn_no_value(), tn_scalar_int(b, TN_SI8, 0), TN_SI8, 0);
}
static tn_value bad_dtype(tn_builder *b, tn_value x)
{
    return tn_cast(b, x, (tn_dtype)77);
}
static tn_value pad_without_element(tn_builder *b, tn_value x)
{
    return tn_pad_exact(b, x, TN_INTS(1, 1), TN_INTS(0, 0), TN_INTS(0, 0), NULL);
}
static tn_value pad_out_of_range(tn_builder *b, tn_value x)
{
    const int8_t eight = 8;
    return tn_pad_exact(b, tn_cast(b, x, TN_SI4), TN_INTS(1, 1), TN_INTS(0, 0), TN_INTS(0, 0),
                        &eight);
}
static tn_value bad_word(tn_builder *b, tn_value x)
{
    return tn_compare(b, (tn_direction)9, x, x);
}

/* [build/2] The first fault is reported once, with kind and label, and everything after is silent.
 */
static void faults_are_sticky(void)
{
    static const struct {
        faulty *build;
        const char *kind;
        tn_status status;
    } cases[] = {
        {wrong_shapes, "BroadcastMismatch", TN_ERR_REJECTED},
        {wrong_dtypes, "DTypeMismatch", TN_ERR_REJECTED},
        {no_value, "Usage", TN_ERR_USAGE},
        {strange_value, "Usage", TN_ERR_USAGE},
        {same_name, "InvalidInput", TN_ERR_REJECTED},
        {negative_extent, "InvalidDimension", TN_ERR_REJECTED},
        {too_many_axes, "Usage", TN_ERR_USAGE},
        {slice_outside, "InvalidAttribute", TN_ERR_REJECTED},
        {half_an_integer, "InvalidConstant", TN_ERR_REJECTED},
        {input_in_region, "InvalidInput", TN_ERR_REJECTED},
        {value_from_outside, "Usage", TN_ERR_USAGE},
        {unfinished_region, "Usage", TN_ERR_USAGE},
        {wrong_result_count, "Usage", TN_ERR_USAGE},
        {left_in_region, "Usage", TN_ERR_USAGE},
        {end_without_begin, "Usage", TN_ERR_USAGE},
        {quantize_gap, "ArityMismatch", TN_ERR_REJECTED},
        {bad_dtype, "Usage", TN_ERR_USAGE},
        {bad_word, "Usage", TN_ERR_USAGE},
        {pad_without_element, "InvalidAttribute", TN_ERR_REJECTED},
        {pad_out_of_range, "InvalidAttribute", TN_ERR_REJECTED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench t;
        tn_module *m = NULL;
        bench_open(&t);
        tn_value x = f32(t.b, "x", TN_INTS(2, 3));
        tn_builder_at(t.b, "the layer");
        tn_value y = cases[i].build(t.b, x);
        tn_value z = tn_nn_softmax(t.b, tn_matmul(t.b, y, tn_exp(t.b, y)), -1);
        CHECK(left_in_region == cases[i].build || tn_builder_status(t.b) == cases[i].status);
        CHECK_INT(tn_builder_finish(t.b, &z, 1, &m), cases[i].status);
        t.b = NULL;
        CHECK(!m);
        CHECK_INT(t.said.n, 1);
        if (!CHECK_TEXT(t.said.kind, cases[i].kind))
            printf("    case %zu: %s\n", i, t.said.message);
        bench_close(&t);
    }
}

static void label_and_operation_are_named(void)
{
    bench t;
    bench_open(&t);
    tn_value x = f32(t.b, "x", TN_INTS(2, 3));
    tn_builder_at(t.b, "h.3");
    (void)tn_matmul(t.b, x, x);
    CHECK_TEXT(t.said.node, "h.3");
    CHECK(strstr(t.said.message, "matmul") != NULL);
    CHECK(strstr(t.said.message, "operands f32[2, 3], f32[2, 3]") != NULL);
    bench_close(&t);
}

static void no_builder_is_a_failed_builder(void)
{
    tn_module *m;
    tn_value x = tn_input(NULL, "x", TN_F32, TN_INTS(2)), out[2];
    tn_value y = tn_nn_softmax(NULL, tn_add(NULL, x, tn_scalar_like(NULL, x, 1)), -1);
    tn_builder_at(NULL, "here");
    tn_builder_name(NULL, "f");
    tn_region_begin(NULL, NULL);
    tn_region r = tn_region_end(NULL, TN_VALUES(tn_param(NULL, TN_F32, TN_INTS())));
    tn_while(NULL, r, r, TN_VALUES(y), out, 2);
    CHECK(!tn_is_value(out[1]));
    CHECK_INT(tn_extent(NULL, x, 0), 1);
    CHECK(!tn_is_value(tn_nn_attention(NULL, x, x, x, NULL)));
    CHECK(!tn_is_value(tn_nn_rotary_tables(NULL, TN_F32, 2, 2, 10).cos));
    CHECK(!tn_is_value(tn_nn_avg_pool(NULL, x, TN_INTS(2, 2), NULL, true)));
    CHECK(!tn_is_value(tn_nn_cross_entropy(NULL, x, x)));
    CHECK_INT(tn_builder_finish(NULL, &y, 1, &m), TN_ERR_NOMEM);
    CHECK(!m);
    tn_builder_free(NULL);
}

static void giving_up_frees_everything(void)
{
    bench t;
    bench_open(&t);
    tn_region_begin(t.b, "half");
    (void)tn_param(t.b, TN_F32, TN_INTS(2));
    bench_close(&t);
    CHECK_INT(t.said.n, 0);
}

/* ---- types and extents ---------------------------------------------------------------------- */

static void types_and_extents(void)
{
    bench t;
    tn_type known;
    bench_open(&t);
    int64_t n = tn_dim(t.b, "N");
    CHECK(n == tn_dim(t.b, "N") && n != tn_dim(t.b, "M"));
    tn_value x = tn_input(t.b, "x", TN_BF16, TN_INTS(n, 3, 0));
    CHECK(tn_value_type(t.b, x, &known));
    CHECK_INT(known.dtype, TN_BF16);
    CHECK_INT(known.rank, 3);
    CHECK_INT(known.dims[0], TN_DIM_UNKNOWN);
    CHECK_INT(known.dims[1], 3);
    CHECK(tn_extent(t.b, x, 0) == n && tn_extent(t.b, x, -1) == 0);
    CHECK_INT(tn_dim_add(t.b, 3, 4), 7);
    CHECK_INT(tn_dim_mul(t.b, 3, 4), 12);
    CHECK_INT(tn_dim_div(t.b, 7, 2), 3);
    CHECK_INT(tn_dim_mod(t.b, 7, 4), 3);
    CHECK(tn_dim_add(t.b, n, n) == tn_dim_add(t.b, n, n));
    CHECK(!tn_value_type(t.b, tn_no_value(), &known));
    CHECK_INT(tn_builder_status(t.b), TN_OK);
    CHECK_INT(tn_dim_mul(t.b, INT64_MAX, 2), 1);
    CHECK_INT(tn_builder_status(t.b), TN_ERR_REJECTED);
    bench_close(&t);
}

static void literal_limit_counts_all_constants(void)
{
    bench t;
    float data[3] = {1, 2, 3};
    bench_open(&t);
    CHECK_INT(tn_context_set_limit(t.cx, "literal_bytes", 20), TN_OK);
    CHECK(tn_is_value(tn_constant(t.b, TN_F32, TN_INTS(3), data)));
    CHECK(!tn_is_value(tn_constant(t.b, TN_F32, TN_INTS(3), data)));
    CHECK_TEXT(t.said.kind, "LimitExceeded");
    bench_close(&t);
}

/* ---- regions -------------------------------------------------------------------------------- */

/* 0 + 1 + ... + 9 by a while, inside a cond. */
static void nested_regions_run(void)
{
    bench t;
    double p[] = {1}, have, want = 45;
    const double *in[] = {p};
    tn_value out[2], sum[1];
    bench_open(&t);
    tn_value flag = tn_input(t.b, "p", TN_I1, TN_INTS());
    tn_value zero = tn_scalar(t.b, TN_SI32, 0);

    tn_region_begin(t.b, "loop");
    tn_value start = tn_param_like(t.b, zero);
    tn_region_begin(t.b, "below ten");
    tn_value i = tn_param_like(t.b, start), total = tn_param_like(t.b, start);
    tn_value less = tn_compare(t.b, TN_LT, i, tn_scalar(t.b, TN_SI32, 10));
    tn_region test = tn_region_end(t.b, TN_VALUES(less, i, total));
    tn_region_begin(t.b, "add");
    i = tn_param_like(t.b, start);
    total = tn_param_like(t.b, start);
    total = tn_add(t.b, total, i);
    tn_region body =
        tn_region_end(t.b, TN_VALUES(tn_add(t.b, i, tn_scalar(t.b, TN_SI32, 1)), total));
    tn_while(t.b, test, body, TN_VALUES(start, start), out, 2);
    tn_region loop = tn_region_end(t.b, TN_VALUES(out[1]));

    tn_region_begin(t.b, "nothing");
    tn_region nothing = tn_region_end(t.b, TN_VALUES(tn_param_like(t.b, zero)));
    tn_cond(t.b, flag, loop, nothing, TN_VALUES(zero), sum, 1);
    tn_module *m = bench_finish(&t, sum[0]);
    if (m && bench_run(m, NULL, 0, in, &have, 1))
        CHECK(near_all(&have, &want, 1, 0));
    tn_module_free(m);
    bench_close(&t);
}

/* ---- the result is PTIR --------------------------------------------------------------------- */

typedef struct text {
    char *at;
    size_t n;
} text;

static bool append_text(void *user, const char *bytes, size_t n)
{
    text *t = user;
    char *more = realloc(t->at, t->n + n + 1);
    if (!more)
        return false;
    t->at = more;
    memcpy(t->at + t->n, bytes, n);
    t->n += n;
    t->at[t->n] = '\0';
    return true;
}

/* M written as PTIR, read, and written again: the texts are equal. The module that was read, or
 * NULL. */
static tn_module *through_ptir(bench *t, const tn_module *m, const char *holds)
{
    text one = {0}, two = {0};
    tn_writer writer = {append_text, &one};
    tn_read_options options = {.dialect = "ptir"};
    tn_module *again = NULL;
    if (CHECK_INT(tn_module_write(m, "ptir", NULL, &writer), TN_OK)) {
        CHECK(strstr(one.at, holds) != NULL);
        CHECK_INT(tn_module_read(t->cx, &options, one.at, one.n, &again), TN_OK);
        writer.user = &two;
        if (again && CHECK_INT(tn_module_write(again, "ptir", NULL, &writer), TN_OK))
            CHECK(one.n == two.n && memcmp(one.at, two.at, one.n) == 0);
    }
    if (!again)
        printf("    %s: %s\n", t->said.kind, t->said.message);
    free(one.at);
    free(two.at);
    return again;
}

static void writes_and_reads_as_ptir(void)
{
    bench t;
    bench_open(&t);
    tn_builder_name(t.b, "attend");
    tn_value q = f32(t.b, "q", TN_INTS(1, 4, tn_dim(t.b, "S"), 8));
    tn_value k = f32(t.b, "k", TN_INTS(1, 2, tn_dim(t.b, "S"), 8));
    tn_attention causal = {.causal = true};
    tn_value y = tn_nn_attention(t.b, q, k, k, &causal);
    y = tn_nn_gelu(t.b, tn_nn_layer_norm(t.b, y, tn_no_value(), tn_no_value(), 1e-5));
    tn_module *m = bench_finish(&t, y);
    if (m)
        tn_module_free(through_ptir(&t, m, "\"attend\""));
    tn_module_free(m);
    bench_close(&t);
}

/* Regions that give back their parameters, in any order. */
static void regions_survive_ptir(void)
{
    bench t;
    double x[] = {1, 2, 3}, y[] = {4, 5, 6}, have[3];
    const double *in[] = {x, y};
    tn_value out[2];
    bench_open(&t);
    tn_value one = f32(t.b, "x", TN_INTS(3)), two = f32(t.b, "y", TN_INTS(3));
    tn_region_begin(t.b, "swap");
    tn_value a = tn_param_like(t.b, one), b = tn_param_like(t.b, two);
    tn_region swap = tn_region_end(t.b, TN_VALUES(b, a));
    tn_cond(t.b, tn_scalar_int(t.b, TN_I1, 1), swap, swap, TN_VALUES(one, two), out, 2);
    tn_module *m = bench_finish(&t, out[0]), *again = m ? through_ptir(&t, m, "Cond") : NULL;
    if (m && bench_run(m, NULL, 0, in, have, 3))
        CHECK(near_all(have, y, 3, 0));
    if (again && bench_run(again, NULL, 0, in, have, 3))
        CHECK(near_all(have, y, 3, 0));
    tn_module_free(again);
    tn_module_free(m);
    bench_close(&t);
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Something of everything that allocates. */
static tn_status build_widely(tn_context *cx, tn_module **m)
{
    const char *word = "t";
    const float data[] = {1, 2, 3};
    const tn_custom_attribute attribute = {
        .name = "a", .kind = TN_ATTRIBUTE_STRING, .strings = &word};
    tn_type three = {.dtype = TN_F32, .rank = 1, .dims = {3}};
    tn_value many[12], out[2];
    tn_builder *b = tn_builder_new(cx);
    tn_builder_name(b, "wide");
    tn_builder_at(b, "label");
    tn_value x = tn_input(b, "x", TN_F32, TN_INTS(tn_dim(b, "N"), 3));
    tn_value c = tn_constant(b, TN_F32, TN_INTS(3), data);
    tn_rotary r = tn_nn_rotary_tables(b, TN_F32, 3, 6, 10000);
    tn_region_begin(b, "same");
    tn_region same = tn_region_end(b, TN_VALUES(tn_param_like(b, x)));
    tn_cond(b, tn_scalar_int(b, TN_I1, 1), same, same, TN_VALUES(x), out, 1);
    x = tn_nn_softmax(b, tn_add(b, tn_add(b, out[0], c), r.cos), -1);
    for (size_t i = 0; i < 12; i++)
        many[i] = x;
    tn_value y = tn_concat(b, (tn_values){many, 12}, 1);
    tn_custom_call(b, "k.v1", TN_VALUES(y), &three, &attribute, 1, out, 1);
    return tn_builder_finish(b, &y, 1, m);
}

/* [build/3] Whichever request fails: TN_ERR_NOMEM, and nothing stays allocated. */
static void every_allocation_may_fail(void)
{
    for (unsigned k = 1; k < 5000; k++) {
        meter mt = {.fail_at = k, .fail_once = k % 2 != 0};
        record said = {0};
        tn_allocator allocator = {metered, &mt};
        tn_diagnostic_sink sink = {remember, &said};
        tn_module *m = NULL;
        tn_context *cx = tn_context_new(&allocator, &sink);
        tn_status s = cx ? build_widely(cx, &m) : TN_ERR_NOMEM;
        if (!CHECK(s == (mt.failed && !m ? TN_ERR_NOMEM : TN_OK)))
            printf("    request %u: status %d, %s: %s\n", k, (int)s, said.kind, said.message);
        tn_module_free(m);
        tn_context_free(cx);
        CHECK_INT(mt.alive, 0);
        CHECK_INT(mt.wrong, 0);
        if (!mt.failed)
            return;
    }
    CHECK(false); /* it never came to an end */
}

/* A run of a program that was built reports as one that was read: codes by operation, and where. */
static void runs_say_where(void)
{
    bench t;
    float x[2] = {1, 2}, y[2];
    int32_t i[2] = {0, 5};
    tn_program *p = NULL;
    bench_open(&t);
    tn_value a = tn_input(t.b, "x", TN_F32, TN_INTS(2)),
             at = tn_input(t.b, "i", TN_SI32, TN_INTS(2));
    tn_value twice = tn_add(t.b, a, a);
    tn_module *m = bench_finish(&t, tn_scatter_reduce(t.b, a, at, twice, 0, TN_COMBINE_ADD));
    if (!m || !CHECK(tn_program_compile(m, NULL, &p) == TN_OK)) {
        tn_module_free(m);
        bench_close(&t);
        return;
    }
    const tn_buffer in[2] = {{x, sizeof x, {TN_F32, 1, {2}}}, {i, sizeof i, {TN_SI32, 1, {2}}}};
    tn_buffer out = {y, sizeof y, {TN_F32, 1, {2}}};
    CHECK_INT(tn_program_run(p, in, 2, &out, 1, NULL), TN_ERR_RUN);
    CHECK_TEXT(t.said.code, "ScatterIndexOutOfBounds");
    CHECK(strstr(t.said.message, "SpecError: scatter index out of bounds ("));
    CHECK(strstr(t.said.message,
                 "; function 'main', instruction 1, ScatterReduce, operands f32[2], "
                 "si32[2], f32[2])"));
    tn_program_free(p);
    tn_module_free(m);
    bench_close(&t);
}

int main(void)
{
    runs_say_where();
    every_operation_has_a_function();
    broadcasting_is_explicit();
    equal_shapes_get_no_broadcast();
    neighbours_keep_their_attributes();
    positions_in_another_order();
    faults_are_sticky();
    label_and_operation_are_named();
    no_builder_is_a_failed_builder();
    giving_up_frees_everything();
    types_and_extents();
    literal_limit_counts_all_constants();
    nested_regions_run();
    writes_and_reads_as_ptir();
    regions_survive_ptir();
    every_allocation_may_fail();
    return check_result();
}
