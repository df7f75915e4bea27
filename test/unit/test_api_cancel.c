/* Runs can be cancelled at any time: the hook is asked often enough in every kind of operation, by
 * both engines. Time of the processor is what counts, so that a busy machine does not matter. */
#include <time.h>

#include "api_fixture.h"
#include "target/target.h"

#ifdef __SANITIZE_ADDRESS__
#define IS_SLOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SLOW 1
#endif
#endif
#ifndef IS_SLOW
#ifdef NDEBUG
#define IS_SLOW 0
#else
#define IS_SLOW 1
#endif
#endif

enum { MS = 1000000 };
/* Questions of the evaluator, which counts elements, in a run that ends before the answer is yes.
 */
enum { LEAST = 16 };
/* The most between two questions, and after which time the answer is yes. */
static const int64_t most = IS_SLOW ? 1000 * MS : 200 * MS, enough = 300 * MS;

/* 2^25 elements: x repeated. */
#define LONG                                                                                       \
    "  %b = broadcast_to(%x) shape[8192, 4096] -> tensor<f32, 8192x4096>\n"                        \
    "  %f = reshape(%b) new_shape[33554432] -> tensor<f32, 33554432>\n"
#define POSITIONS "  %i = iota axis[0] -> tensor<si32, 33554432>\n"
#define LONG_TYPE "tensor<f32, 33554432>"
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
         LONG "  %y = rng_uniform -> tensor<f32, 33554432>\n"
              "  %c = cast(%y) dtype[si32] -> tensor<si32, 33554432>\n"
              "  %z = segment_reduce(%f, %c) kind[sum] num_segments[1] -> tensor<f32, 1>\n"),
    MAIN("%x: tensor<f64, 2000x1500>, %y: tensor<f64, 1500x2000>", "tensor<f64, 2000x2000>",
         "  %z = dot_general(%x, %y) batch_lhs[] batch_rhs[] contract_lhs[1] contract_rhs[0] -> "
         "tensor<f64, 2000x2000>\n"),
    MAIN("%x: tensor<f64, 3x1000000>, %y: tensor<f64, 1000000x3>", "tensor<f64, 3x3>",
         "  %z = dot_general(%x, %y) batch_lhs[] batch_rhs[] contract_lhs[1] contract_rhs[0] -> "
         "tensor<f64, 3x3>\n"),
    OF_X("tensor<f32, 449x4033>",
         "  %b = broadcast_to(%x) shape[512, 4096] -> tensor<f32, 512x4096>\n"
         "  %z = reduce_window(%b) window_dims[64, 64] strides[1, 1] padding[(0, 0), (0, 0)] "
         "base_dilation[1, 1] window_dilation[1, 1] reduce[max] -> tensor<f32, 449x4033>\n"),
    OF_X("tensor<f32, 8x4194304>",
         LONG "  %r = reshape(%f) new_shape[8, 4194304] -> tensor<f32, 8x4194304>\n"
              "  %g = rng_uniform -> tensor<f32, 4194304>\n"
              "  %z = layer_norm(%r, %g, %g) epsilon[0.1] feature_axis[1] -> "
              "tensor<f32, 8x4194304>\n"),
    OF_X("tensor<f64, 16777216>", "  %z = rng_normal -> tensor<f64, 16777216>\n"),
    OF_X("tensor<f32, 4096x8192>", "  %g = rng_uniform -> tensor<f32, 8192x4096>\n"
                                   "  %z = transpose(%g) perm[1, 0] -> tensor<f32, 4096x8192>\n"),
    OF_X("tensor<f64, 33554432>", LONG "  %c = cast(%f) dtype[f64] -> tensor<f64, 33554432>\n"
                                       "  %z = tanh(%c) -> tensor<f64, 33554432>\n"),
    OF_X("tensor<f32, 67108873>", LONG "  %z = pad(%f) low[5] high[5] interior[1] "
                                       "pad_value[0.0] -> tensor<f32, 67108873>\n"),
    OF_X("tensor<f32, 67108864>", "  %z = tile(%x) repeats[16384] -> tensor<f32, 67108864>\n"),
    OF_X("tensor<f32, 67108864>", LONG "  %z = concat(%f, %f) axis[0] -> tensor<f32, 67108864>\n"),
    OF_X(LONG_TYPE,
         "  %f = rng_uniform -> " LONG_TYPE "\n"
         "  %z = layer_norm(%f, %f, %f) epsilon[0.1] feature_axis[0] -> " LONG_TYPE "\n"),
    OF_F(LONG_TYPE,
         "  %z = layer_norm(%f, %f, %f) epsilon[0.1] feature_axis[0] -> " LONG_TYPE "\n"),
    OF_F(LONG_TYPE, "  %z = dynamic_update_slice(%f, literal<f32, 1>[1.0], literal<si64, 1>[5]) "
                    "sizes[1] -> " LONG_TYPE "\n"),
    OF_F("tensor<f32, 33554433>",
         "  %z = concat(%f, literal<f32, 1>[1.0]) axis[0] -> tensor<f32, 33554433>\n"),
    OF_F(LONG_TYPE, "  %z = scatter_reduce(%f, literal<si32, 1>[5], literal<f32, 1>[1.0]) axis[0] "
                    "reduce[add] -> " LONG_TYPE "\n"),
    OF_F("tensor<f32, 1>", "  %z = reduce_window(%f) window_dims[33554432] strides[1] "
                           "padding[(0, 0)] base_dilation[1] window_dilation[1] reduce[sum] -> "
                           "tensor<f32, 1>\n"),
    MAIN("%x: tensor<cf32, 700x700>", "tensor<cf32, 700x700>",
         "  %z = dot_general(%x, %x) batch_lhs[] batch_rhs[] contract_lhs[1] contract_rhs[0] -> "
         "tensor<cf32, 700x700>\n"),
    MAIN("%x: tensor<f16, 1x4096>, %y: tensor<f16, 4096x4096>", "tensor<f16, 1x4096>",
         "  %z = dot_general(%x, %y) batch_lhs[] batch_rhs[] contract_lhs[1] contract_rhs[0] -> "
         "tensor<f16, 1x4096>\n"),
    OF_X("tensor<f32>",
         LONG "  %m = reduce_sum(%f) axes[0] keepdims[true] accum_dtype[f32] -> tensor<f32, 1>\n"
              "  %n = broadcast_to(%m) shape[33554432] -> " LONG_TYPE "\n"
              "  %d = sub(%f, %n) -> " LONG_TYPE "\n"
              "  %e = exp(%d) -> " LONG_TYPE "\n"
              "  %z = reduce_sum(%e) axes[0] accum_dtype[f32] -> tensor<f32>\n"),
};

typedef struct stopwatch {
    int64_t last, longest, total;
    unsigned asked;
} stopwatch;

static int64_t now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool ask(void *user)
{
    stopwatch *w = user;
    const int64_t at = now(), gap = at - w->last;
    w->longest = gap > w->longest ? gap : w->longest;
    w->total += gap;
    w->last = at;
    w->asked++;
    return w->total > enough;
}

/* The longest time between questions. */
static int64_t check_program(tn_context *cx, size_t k, const char *name, const record *r)
{
    const tn_read_options read = {.dialect = "ptir-text"};
    const tn_compile_options o = {.engine = name, .threads = 1};
    tn_module *m = NULL;
    tn_program *p = NULL;
    tn_buffer in[2] = {{0}}, out[2] = {{0}};
    if (!CHECK_INT(tn_module_read(cx, &read, programs[k], strlen(programs[k]), &m), TN_OK) ||
        !CHECK_INT(tn_program_compile(m, &o, &p), TN_OK)) {
        printf("    program %zu: %s\n", k, r->message);
        tn_module_free(m);
        return 0;
    }
    for (size_t i = 0; i < tn_program_input_count(p); i++) {
        tn_port port;
        CHECK_INT(tn_program_input(p, i, &port), TN_OK);
        in[i] = (tn_buffer){.bytes = tn_dtype_size(port.type.dtype), .type = port.type};
        for (uint32_t a = 0; a < port.type.rank; a++)
            in[i].bytes *= (size_t)port.type.dims[a];
        in[i].data = malloc(in[i].bytes);
        CHECK(in[i].data && tn_program_random_input(p, i, 1, &in[i]) == TN_OK);
    }
    stopwatch w = {.last = now()};
    const tn_run_options run = {.threads = 1, .cancel = ask, .cancel_user = &w};
    const tn_status s =
        tn_program_run(p, in, tn_program_input_count(p), out, tn_program_output_count(p), &run);
    (void)ask(&w);
    if (!CHECK(s == TN_OK || (s == TN_ERR_RUN && strcmp(r->kind, "Cancelled") == 0)) ||
        !CHECK(w.longest <= most && w.asked > 1) ||
        !CHECK(s != TN_OK || strcmp(name, "ref") != 0 || w.asked > LEAST))
        printf("    %s: %lld ms between questions, %u of them: status %d, %s\n%s\n", name,
               (long long)(w.longest / MS), w.asked, (int)s, r->message, programs[k]);
    for (size_t i = 0; s == TN_OK && i < tn_program_output_count(p); i++)
        tn_buffer_release(p, &out[i]);
    free(in[0].data);
    free(in[1].data);
    tn_program_free(p);
    tn_module_free(m);
    return w.longest;
}

int main(void)
{
    record r = {0};
    int64_t longest = 0;
    const tn_diagnostic_sink sink = {remember, &r};
    tn_context *cx = tn_context_new(NULL, &sink);
    for (size_t k = 0; CHECK(cx != NULL) && k < sizeof programs / sizeof *programs; k++) {
        for (unsigned e = 0; e < (target_llvm_is_installed() ? 2 : 1); e++) {
            const int64_t gap = check_program(cx, k, e ? "jit" : "ref", &r);
            longest = gap > longest ? gap : longest;
        }
    }
    printf("at most %lld ms between questions\n", (long long)(longest / MS));
    tn_context_free(cx);
    return check_result();
}
