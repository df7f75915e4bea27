/* Runs can be cancelled at any time: the hook is asked often enough in every kind of operation, by
 * both engines. Questions are counted against the elements of a program, and no clock is read, so
 * that it does not matter how fast or busy the machine is. */
#include "api_fixture.h"
#include "eval/eval.h"
#include "target/target.h"

/* What every program makes or reads at least; after so many questions the answer is yes. */
enum { ELEMENTS = 1 << 22, ENOUGH = 100 };

/* 2^22 elements: x repeated. */
#define LONG                                                                                       \
    "  %b = broadcast_to(%x) shape[1024, 4096] -> tensor<f32, 1024x4096>\n"                        \
    "  %f = reshape(%b) new_shape[4194304] -> tensor<f32, 4194304>\n"
#define POSITIONS "  %i = iota axis[0] -> tensor<si32, 4194304>\n"
#define LONG_TYPE "tensor<f32, 4194304>"
#define MAIN(inputs, result, body)                                                                 \
    "func @main(" inputs ") -> " result " {\n" body "  return %z\n}\n"
#define OF_F(result, body) MAIN("%f: " LONG_TYPE, result, body)
#define OF_X(result, body) MAIN("%x: tensor<f32, 4096>", result, body)

static const char *const programs[] = {
    OF_X("tensor<si32>", LONG "  %z = arg_max(%f) axis[0] output_dtype[si32] -> tensor<si32>\n"),
    OF_X("(tensor<f32, 5>, tensor<si32, 5>)",
         LONG "  %z = top_k(%f) k[5] axis[0] largest[true] indices_dtype[si32] -> "
              "(tensor<f32, 5>, tensor<si32, 5>)\n"),
    OF_X(LONG_TYPE,
         LONG POSITIONS "  %z = scatter_reduce(%f, %i, %f) axis[0] reduce[add] -> " LONG_TYPE "\n"),
    OF_X(LONG_TYPE, LONG POSITIONS "  %z = take(%f, %i) -> " LONG_TYPE "\n"),
    OF_X(LONG_TYPE, LONG POSITIONS "  %z = gather(%f, %i) axis[0] -> " LONG_TYPE "\n"),
    OF_X("tensor<f32, 1>",
         LONG "  %y = rng_uniform -> tensor<f32, 4194304>\n"
              "  %c = cast(%y) dtype[si32] -> tensor<si32, 4194304>\n"
              "  %z = segment_reduce(%f, %c) kind[sum] num_segments[1] -> tensor<f32, 1>\n"),
    MAIN("%x: tensor<f64, 500x750>, %y: tensor<f64, 750x500>", "tensor<f64, 500x500>",
         "  %z = dot_general(%x, %y) batch_lhs[] batch_rhs[] contract_lhs[1] contract_rhs[0] -> "
         "tensor<f64, 500x500>\n"),
    MAIN("%x: tensor<f64, 3x1000000>, %y: tensor<f64, 1000000x3>", "tensor<f64, 3x3>",
         "  %z = dot_general(%x, %y) batch_lhs[] batch_rhs[] contract_lhs[1] contract_rhs[0] -> "
         "tensor<f64, 3x3>\n"),
    OF_X("tensor<f32, 449x4033>",
         "  %b = broadcast_to(%x) shape[512, 4096] -> tensor<f32, 512x4096>\n"
         "  %z = reduce_window(%b) window_dims[64, 64] strides[1, 1] padding[(0, 0), (0, 0)] "
         "base_dilation[1, 1] window_dilation[1, 1] reduce[max] -> tensor<f32, 449x4033>\n"),
    OF_X("tensor<f32, 8x524288>",
         LONG "  %r = reshape(%f) new_shape[8, 524288] -> tensor<f32, 8x524288>\n"
              "  %g = rng_uniform -> tensor<f32, 524288>\n"
              "  %z = layer_norm(%r, %g, %g) epsilon[0.1] feature_axis[1] -> "
              "tensor<f32, 8x524288>\n"),
    OF_X("tensor<f64, 4194304>", "  %z = rng_normal -> tensor<f64, 4194304>\n"),
    OF_X("tensor<f32, 4096x1024>", "  %g = rng_uniform -> tensor<f32, 1024x4096>\n"
                                   "  %z = transpose(%g) perm[1, 0] -> tensor<f32, 4096x1024>\n"),
    OF_X("tensor<f64, 4194304>", LONG "  %c = cast(%f) dtype[f64] -> tensor<f64, 4194304>\n"
                                      "  %z = tanh(%c) -> tensor<f64, 4194304>\n"),
    OF_X("tensor<f32, 8388617>", LONG "  %z = pad(%f) low[5] high[5] interior[1] "
                                      "pad_value[0.0] -> tensor<f32, 8388617>\n"),
    OF_X("tensor<f32, 8388608>", "  %z = tile(%x) repeats[2048] -> tensor<f32, 8388608>\n"),
    OF_X("tensor<f32, 8388608>", LONG "  %z = concat(%f, %f) axis[0] -> tensor<f32, 8388608>\n"),
    OF_X(LONG_TYPE,
         "  %f = rng_uniform -> " LONG_TYPE "\n"
         "  %z = layer_norm(%f, %f, %f) epsilon[0.1] feature_axis[0] -> " LONG_TYPE "\n"),
    OF_F(LONG_TYPE,
         "  %z = layer_norm(%f, %f, %f) epsilon[0.1] feature_axis[0] -> " LONG_TYPE "\n"),
    OF_F(LONG_TYPE, "  %z = dynamic_update_slice(%f, literal<f32, 1>[1.0], literal<si64, 1>[5]) "
                    "sizes[1] -> " LONG_TYPE "\n"),
    OF_F("tensor<f32, 4194305>",
         "  %z = concat(%f, literal<f32, 1>[1.0]) axis[0] -> tensor<f32, 4194305>\n"),
    MAIN("%f: tensor<f16, 4194304>", "tensor<f16, 4194304>", /* converted, and back */
         "  %z = scatter_reduce(%f, literal<si32, 1>[5], literal<f16, 1>[1.0]) axis[0] reduce[add] "
         "-> "
         "tensor<f16, 4194304>\n"),
    OF_F("tensor<f32, 1>", "  %z = reduce_window(%f) window_dims[4194304] strides[1] "
                           "padding[(0, 0)] base_dilation[1] window_dilation[1] reduce[sum] -> "
                           "tensor<f32, 1>\n"),
    MAIN("%x: tensor<cf32, 700x700>", "tensor<cf32, 700x700>",
         "  %z = dot_general(%x, %x) batch_lhs[] batch_rhs[] contract_lhs[1] contract_rhs[0] -> "
         "tensor<cf32, 700x700>\n"),
    MAIN("%x: tensor<f16, 1x4096>, %y: tensor<f16, 4096x4096>", "tensor<f16, 1x4096>",
         "  %z = dot_general(%x, %y) batch_lhs[] batch_rhs[] contract_lhs[1] contract_rhs[0] -> "
         "tensor<f16, 1x4096>\n"),
    /* of nothing for each result */
    MAIN("%x: tensor<f32, 4194304x0>", LONG_TYPE,
         "  %z = reduce_max(%x) axes[1] -> " LONG_TYPE "\n"),
    MAIN("%x: tensor<f32, 4194304x0>, %y: tensor<f32, 0x4>", "tensor<f32, 4194304x4>",
         "  %z = dot_general(%x, %y) contract_lhs[1] contract_rhs[0] -> tensor<f32, 4194304x4>\n"),
    OF_X(LONG_TYPE, "  %z = constant fill[1.5] -> " LONG_TYPE "\n"),
    OF_X("tensor<f32>",
         LONG "  %m = reduce_sum(%f) axes[0] keepdims[true] accum_dtype[f32] -> tensor<f32, 1>\n"
              "  %n = broadcast_to(%m) shape[4194304] -> " LONG_TYPE "\n"
              "  %d = sub(%f, %n) -> " LONG_TYPE "\n"
              "  %e = exp(%d) -> " LONG_TYPE "\n"
              "  %z = reduce_sum(%e) axes[0] accum_dtype[f32] -> tensor<f32>\n"),
};

static bool ask(void *user)
{
    unsigned *asked = user;
    return ++*asked >= ENOUGH;
}

static bool make_inputs(const tn_program *p, tn_buffer *in)
{
    for (size_t i = 0; i < tn_program_input_count(p); i++) {
        tn_port port;
        if (!CHECK_INT(tn_program_input(p, i, &port), TN_OK))
            return false;
        in[i] = (tn_buffer){.bytes = tn_dtype_size(port.type.dtype), .type = port.type};
        for (uint32_t a = 0; a < port.type.rank; a++)
            in[i].bytes *= (size_t)port.type.dims[a];
        in[i].data = malloc(in[i].bytes);
        if (!CHECK(in[i].data && tn_program_random_input(p, i, 1, &in[i]) == TN_OK))
            return false;
    }
    return true;
}

/* LEAST: questions of a run that ends by itself. */
static void check_program(tn_context *cx, const char *text, const char *engine, unsigned least,
                          const record *r)
{
    enum { MOST = 3 };
    const tn_read_options read = {.dialect = "ptir-text"};
    const tn_compile_options o = {.engine = engine, .threads = 1};
    const unsigned long before = check_failed;
    unsigned asked = 0;
    const tn_run_options run = {.threads = 1, .cancel = ask, .cancel_user = &asked};
    tn_buffer in[MOST] = {{0}}, out[MOST] = {{0}};
    tn_module *m = NULL;
    tn_program *p = NULL;
    if (CHECK_INT(tn_module_read(cx, &read, text, strlen(text), &m), TN_OK) &&
        CHECK_INT(tn_program_compile(m, &o, &p), TN_OK) && make_inputs(p, in)) {
        const size_t n_in = tn_program_input_count(p), n_out = tn_program_output_count(p);
        const tn_status s = tn_program_run(p, in, n_in, out, n_out, &run);
        CHECK(s == TN_OK ? asked >= least : s == TN_ERR_RUN && strcmp(r->kind, "Cancelled") == 0);
        for (size_t i = 0; s == TN_OK && i < n_out; i++)
            tn_buffer_release(p, &out[i]);
    }
    if (check_failed != before)
        printf("    %s: %u questions, %s\n%s\n", engine, asked, r->message, text);
    for (size_t i = 0; i < MOST; i++)
        free(in[i].data);
    tn_program_free(p);
    tn_module_free(m);
}

static bool yes(void *user)
{
    ++*(unsigned *)user;
    return true;
}

/* A slow hook is not asked before its time, and ends the run when it says so. */
static void check_slow_hook(tn_context *cx, const char *engine)
{
    static const char text[] = "func @main(%x: tensor<f32, 4>) -> tensor<f32, 4> {\n"
                               "  %y = exp(%x) -> tensor<f32, 4>\n"
                               "  %z = tanh(%y) -> tensor<f32, 4>\n"
                               "  return %z\n}\n";
    const tn_read_options read = {.dialect = "ptir-text"};
    const tn_compile_options o = {.engine = engine, .threads = 2};
    float x[4] = {0}, y[4] = {0};
    const tn_type four = {TN_F32, 1, {4}};
    const tn_buffer in = {x, sizeof x, four};
    tn_buffer out = {y, sizeof y, four};
    unsigned asked = 0;
    tn_run_options run = {.size = sizeof run, .cancel = yes, .cancel_user = &asked};
    tn_module *m = NULL;
    tn_program *p = NULL;
    if (CHECK_INT(tn_module_read(cx, &read, text, strlen(text), &m), TN_OK) &&
        CHECK_INT(tn_program_compile(m, &o, &p), TN_OK)) {
        run.cancel_interval_ns = UINT64_MAX;
        CHECK_INT(tn_program_run(p, &in, 1, &out, 1, &run), TN_OK);
        CHECK_INT(asked, 0);
        run.cancel_interval_ns = 1;
        CHECK_INT(tn_program_run(p, &in, 1, &out, 1, &run), TN_ERR_RUN);
        CHECK(asked >= 1);
    }
    tn_program_free(p);
    tn_module_free(m);
}

int main(void)
{
    record r = {0};
    const tn_diagnostic_sink sink = {remember, &r};
    tn_context *cx = tn_context_new(NULL, &sink);
    for (size_t k = 0; CHECK(cx != NULL) && k < sizeof programs / sizeof *programs; k++) {
        check_program(cx, programs[k], "ref", ELEMENTS / EVAL_TICK, &r);
        if (target_llvm_is_installed()) /* cheap work for several elements at once */
            check_program(cx, programs[k], "jit", ELEMENTS / EVAL_TICK / 4, &r);
    }
    if (cx) {
        check_slow_hook(cx, "ref");
        check_slow_hook(cx, "jit");
    }
    tn_context_free(cx);
    return check_result();
}
