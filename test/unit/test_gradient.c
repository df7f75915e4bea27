/* Gradients through the public interface: options, the map, errors, and lack of memory. */
#include "api_fixture.h"

static const char square_text[] = "%0 = Input () {name=\"x\"} : tensor<f32>[2]\n"
                                  "%1 = Input () {name=\"g\"} : tensor<f32>[2]\n"
                                  "%2 = BinOp (%0, %0) {op=Mul} : tensor<f32>[2]\n"
                                  "%3 = Exp (%2) : tensor<f32>[2]\n"
                                  "%4 = Sum (%3) {axes=[], keepdims=false} : tensor<f32>[]\n"
                                  "outputs: %4, %2\n";

/* A loop with a known number of turns, one without, and a branch. */
static const char loop_text[] =
    "func @main(%v: tensor<f32>, %q: tensor<i1>, %k: tensor<si64>) -> tensor<f32> {\n"
    "  %z = constant value[0] -> tensor<si64>\n"
    "  %t = while(%z, %v) cond_region[0] body_region[1] -> (tensor<si64>, tensor<f32>)\n"
    "  %u = while(%k, %t[1]) cond_region[0] body_region[1] -> (tensor<si64>, tensor<f32>)\n"
    "  %c = cond(%q, %u[1]) true_region[2] false_region[3] -> tensor<f32>\n"
    "  return %c\n"
    "}\n"
    "region @0(%i: tensor<si64>, %v: tensor<f32>) -> (tensor<i1>, tensor<si64>, tensor<f32>) {\n"
    "  %n = constant value[2] -> tensor<si64>\n"
    "  %p = compare(%i, %n) op[less] -> tensor<i1>\n"
    "  return %p, %i, %v\n"
    "}\n"
    "region @1(%i: tensor<si64>, %v: tensor<f32>) -> (tensor<si64>, tensor<f32>) {\n"
    "  %o = constant value[1] -> tensor<si64>\n"
    "  %j = add(%i, %o) -> tensor<si64>\n"
    "  %w = mul(%v, %v) -> tensor<f32>\n"
    "  return %j, %w\n"
    "}\n"
    "region @2(%v: tensor<f32>) -> tensor<f32> {\n"
    "  %w = exp(%v) -> tensor<f32>\n"
    "  return %w\n"
    "}\n"
    "region @3(%v: tensor<f32>) -> tensor<f32> {\n"
    "  return %v\n"
    "}\n";

/* A convolution, and a view that is taken apart. */
static const char convolution_text[] =
    "%0 = Input () {name=\"x\"} : tensor<f32>[1, 4, 4, 1]\n"
    "%1 = Input () {name=\"w\"} : tensor<f32>[2, 2, 1, 2]\n"
    "%2 = Conv2d (%0, %1) {padding=Same, strides=[2, 3]} : tensor<f32>[1, 2, 2, 2]\n"
    "outputs: %2\n";
static const char view_text[] =
    "{\"uops\": [{\"id\": \"x\", \"uop\": \"INPUT\", \"arg\": {\"tensor_id\": \"x\", \"dtype\": "
    "\"fp32\", \"shape\": [5, 4]}}, {\"id\": \"y\", \"uop\": \"VIEW\", \"src\": [\"x\"], \"arg\": "
    "{\"result_shape\": [5, 4], \"index_map\": {\"out\": [\"i\", \"j\"], \"in\": [\"i\", "
    "\"(i + j) // 2\"]}}}]}";

static tn_status read_text(tn_context *cx, const char *text, tn_module **m)
{
    tn_read_options o = {.dialect = text[0] == 'f'   ? "ptir-text"
                                    : text[0] == '{' ? "tiny"
                                                     : "mind"};
    return tn_module_read(cx, &o, text, strlen(text), m);
}

static void test_map(void)
{
    tn_context *cx = tn_context_new(NULL, NULL);
    tn_module *m = NULL, *g = NULL;
    size_t in = 9, out = 9;
    tn_port port;
    if (!CHECK(cx && read_text(cx, square_text, &m) == TN_OK))
        return;
    CHECK(tn_module_gradient(m, NULL, &g) == TN_OK);
    CHECK_INT(tn_module_output_count(m), 2);
    CHECK_INT(tn_module_output_count(g), 4);
    CHECK_INT(tn_module_gradient_count(g), 2);
    CHECK(tn_module_gradient_at(g, 0, &in, &out) && in == 0 && out == 2);
    CHECK(tn_module_gradient_at(g, 1, &in, &out) && in == 1 && out == 3);
    CHECK(!tn_module_gradient_at(g, 2, &in, &out));
    CHECK(tn_module_output(g, 2, &port) == TN_OK && port.type.rank == 1 && port.type.dims[0] == 2);
    tn_module_forget_gradients(g);
    CHECK_INT(tn_module_gradient_count(g), 0);
    tn_module_free(g);
    tn_module_free(m);
    tn_context_free(cx);
}

/* The options that the command line has too, by position and by name. */
static void test_options(void)
{
    static const char *const wrt[] = {"0"}, *const again[] = {"%2"};
    tn_context *cx = tn_context_new(NULL, NULL);
    tn_module *m = NULL, *g = NULL;
    size_t in, out;
    if (!CHECK(cx && read_text(cx, square_text, &m) == TN_OK))
        return;
    tn_gradient_options o = {.loss = "%2", .wrt = wrt, .n_wrt = 1, .cotangent = "g"};
    CHECK(tn_module_gradient(m, &o, &g) == TN_OK);
    CHECK(tn_module_gradient_count(g) == 1 && tn_module_gradient_at(g, 0, &in, &out) && in == 0);
    tn_module_free(g);
    o = (tn_gradient_options){.loss = "1",
                              .seed = 2,
                              .recompute = again,
                              .n_recompute = 1,
                              .profile = TN_PROFILE_CORE_V1};
    CHECK(tn_module_gradient(m, &o, &g) == TN_OK);
    tn_module_free(g);
    o = (tn_gradient_options){.unverified = true, .wrt = wrt, .n_wrt = 0};
    CHECK(tn_module_gradient(m, &o, &g) == TN_OK);
    CHECK_INT(tn_module_gradient_count(g), 0);
    tn_module_free(g);
    tn_module_free(m);
    tn_context_free(cx);
}

static void expect_error(const char *text, tn_gradient_options o, tn_status status,
                         const char *kind)
{
    record r = {0};
    tn_diagnostic_sink sink = {remember, &r};
    tn_context *cx = tn_context_new(NULL, &sink);
    tn_module *m = NULL, *g = (tn_module *)&r;
    if (!CHECK(cx && read_text(cx, text, &m) == TN_OK))
        return;
    CHECK_INT(tn_module_gradient(m, &o, &g), status);
    CHECK(g == NULL && r.n == 1);
    CHECK_TEXT(r.kind, kind);
    CHECK(tn_module_verify(m) == TN_OK);
    tn_module_free(m);
    tn_context_free(cx);
}

static void test_errors(void)
{
    static const char *const nothing[] = {"z"};
    tn_gradient_options none = {0};
    expect_error(square_text, (tn_gradient_options){.loss = "2"}, TN_ERR_USAGE, "Usage");
    expect_error(square_text, (tn_gradient_options){.loss = "1"}, TN_ERR_REJECTED, "GradientShape");
    expect_error(square_text, (tn_gradient_options){.wrt = nothing, .n_wrt = 1}, TN_ERR_USAGE,
                 "Usage");
    expect_error(square_text, (tn_gradient_options){.recompute = nothing, .n_recompute = 1},
                 TN_ERR_USAGE, "Usage");
    expect_error(square_text, (tn_gradient_options){.cotangent = "g"}, TN_ERR_REJECTED,
                 "GradientShape");
    expect_error("%0 = Input () {name=\"x\"} : tensor<f32>[]\n"
                 "%1 = BinOp (%0, %0) {op=Div} : tensor<f32>[]\n"
                 "outputs: %1\n",
                 (tn_gradient_options){.profile = TN_PROFILE_CORE_V1}, TN_ERR_REJECTED,
                 "NoDerivative"); /* read as an extension, which has no place in Core v1 */
    expect_error(convolution_text, (tn_gradient_options){.seed = 1, .profile = TN_PROFILE_CORE_V1},
                 TN_ERR_REJECTED, "NoDerivative");
    expect_error("%0 = Input () {name=\"x\"} : tensor<i64>[]\noutputs: %0\n", none, TN_ERR_REJECTED,
                 "NotDifferentiable");
    expect_error("func @main(%x: tensor<f32, 2>) -> tensor<f32> {\n"
                 "  %q = quantize(%x) output_dtype[si8] -> tensor<si8, 2>\n"
                 "  %d = dequantize(%q) -> tensor<f32, 2>\n"
                 "  %s = reduce_sum(%d) axes[0] -> tensor<f32>\n"
                 "  return %s\n"
                 "}\n",
                 none, TN_ERR_REJECTED, "NoDerivative");
}

/* ---- every allocation may fail ---- */

typedef struct gradient_case {
    const char *text;
    const tn_gradient_options *options;
} gradient_case;

static tn_status differentiate_twice(tn_context *cx, const void *with)
{
    const gradient_case *c = with;
    tn_module *m = NULL, *g = NULL, *gg = NULL;
    tn_status s = read_text(cx, c->text, &m);
    if (s == TN_OK)
        s = tn_module_gradient(m, c->options, &g);
    if (s == TN_OK)
        s = tn_module_gradient(g, c->options, &gg);
    tn_module_free(gg);
    tn_module_free(g);
    tn_module_free(m);
    return s;
}

static void test_no_memory(void)
{
    static const char *const again[] = {"%2", "%3"};
    tn_gradient_options plain = {.seed = 1};
    tn_gradient_options core = {.seed = 1, .profile = TN_PROFILE_CORE_V1, .conv2d = true};
    tn_gradient_options recompute = {.seed = 1, .recompute = again, .n_recompute = 2};
    const gradient_case cases[] = {{square_text, &recompute},
                                   {network_text, &plain},
                                   {loop_text, &plain},
                                   {convolution_text, &core},
                                   {view_text, &plain}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fail_each_request(differentiate_twice, &cases[i], false);
        fail_each_request(differentiate_twice, &cases[i], true);
    }
}

int main(void)
{
    test_map();
    test_options();
    test_errors();
    test_no_memory();
    return check_result();
}
