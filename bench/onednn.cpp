/* oneDNN as a contestant of peers.py (the protocol is in contestant.h): onednn THREADS
 *
 * Operands that are weights, and the activations of convolutions, lie as the library likes best. */
#include <cinttypes>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include <sys/mman.h>

#include "contestant.h"

using namespace dnnl;
typedef memory::dims dims;
typedef memory::format_tag tag;
typedef std::unordered_map<int, memory> operands;

static engine *cpu;
static stream *line_up;
static std::vector<std::unique_ptr<float, void (*)(void *)>> held; /* by the present work */

struct job {
    primitive what;
    operands with;
};

static memory filled(const memory::desc &d)
{
    const size_t page = (size_t)1 << 21;
    float *at = static_cast<float *>(aligned_alloc(page, (d.get_size() + page) / page * page));
    if (d.get_size() >= page)
        (void)madvise(at, d.get_size(), MADV_HUGEPAGE); /* as NumPy does */
    memory m(d, *cpu, at);
    held.emplace_back(at, free);
    for (size_t i = 0; i < d.get_size() / sizeof(float); i++)
        at[i] = static_cast<float>(i * 7919 % 1000) / 500 - 1;
    return m;
}

static memory::desc rows(const dims &d, tag t)
{
    return memory::desc(d, memory::data_type::f32, t);
}

/* M x K times K x N; LIE_A and LIE_B say how each operand lies. */
static job make_product(int64_t m, int64_t k, int64_t n, bool is_plain, bool has_gelu,
                        tag lie_a = tag::ab, tag lie_b = tag::ab)
{
    primitive_attr attributes;
    if (has_gelu) {
        post_ops after;
        after.append_eltwise(1, algorithm::eltwise_gelu_tanh, 0, 0);
        attributes.set_post_ops(after);
    }
    const memory::desc a = rows({m, k}, lie_a), w = rows({k, n}, is_plain ? lie_b : tag::any),
                       c = rows({m, n}, tag::ab), bias = rows({1, n}, tag::ab);
    const matmul::desc d = has_gelu ? matmul::desc(a, w, bias, c) : matmul::desc(a, w, c);
    const matmul::primitive_desc p(d, attributes, *cpu);
    job j = {matmul(p),
             {{DNNL_ARG_SRC, filled(p.src_desc())},
              {DNNL_ARG_WEIGHTS, filled(p.weights_desc())},
              {DNNL_ARG_DST, filled(p.dst_desc())}}};
    if (has_gelu)
        j.with.insert({DNNL_ARG_BIAS, filled(bias)});
    return j;
}

static job make_conv(int64_t side, int64_t ci, int64_t window, int64_t stride, int64_t co)
{
    const int64_t low = window / 2, out = (side + 2 * low - window) / stride + 1;
    const memory::desc x = rows({1, ci, side, side}, tag::any),
                       w = rows({co, ci, window, window}, tag::any),
                       y = rows({1, co, out, out}, tag::any);
    const convolution_forward::desc d(prop_kind::forward_inference, algorithm::convolution_direct,
                                      x, w, y, {stride, stride}, {low, low}, {low, low});
    const convolution_forward::primitive_desc p(d, *cpu);
    return {convolution_forward(p),
            {{DNNL_ARG_SRC, filled(p.src_desc())},
             {DNNL_ARG_WEIGHTS, filled(p.weights_desc())},
             {DNNL_ARG_DST, filled(p.dst_desc())}}};
}

/* B products of M x K and K x N, all laid out by rows. */
static job make_products(int64_t b, int64_t m, int64_t k, int64_t n)
{
    const memory::desc a = rows({b, m, k}, tag::abc), w = rows({b, k, n}, tag::abc),
                       c = rows({b, m, n}, tag::abc);
    const matmul::primitive_desc p(matmul::desc(a, w, c), *cpu);
    return {
        matmul(p),
        {{DNNL_ARG_SRC, filled(a)}, {DNNL_ARG_WEIGHTS, filled(w)}, {DNNL_ARG_DST, filled(c)}}};
}

static job make_softmax()
{
    const memory::desc x = rows({4096, 1024}, tag::ab);
    const softmax_forward::primitive_desc p({prop_kind::forward_inference, x, 1}, *cpu);
    return {softmax_forward(p), {{DNNL_ARG_SRC, filled(x)}, {DNNL_ARG_DST, filled(x)}}};
}

static job make_layer_norm()
{
    const memory::desc x = rows({4096, 1024}, tag::ab);
    const normalization_flags both = normalization_flags::use_scale_shift;
    const layer_normalization_forward::primitive_desc p(
        {prop_kind::forward_inference, x, 1e-5F, both}, *cpu);
    return {layer_normalization_forward(p),
            {{DNNL_ARG_SRC, filled(x)},
             {DNNL_ARG_SCALE_SHIFT, filled(p.weights_desc())},
             {DNNL_ARG_DST, filled(x)}}};
}

static job make_sum()
{
    const memory::desc x = rows({16, 1 << 20}, tag::ab), y = rows({1, 1}, tag::ab);
    const reduction::primitive_desc p({algorithm::reduction_sum, x, y, 0, 0}, *cpu);
    return {reduction(p), {{DNNL_ARG_SRC, filled(x)}, {DNNL_ARG_DST, filled(y)}}};
}

static job make_broadcast()
{
    const memory::desc x = rows({4096, 4096}, tag::ab), row = rows({1, 4096}, tag::ab);
    const binary::primitive_desc p({algorithm::binary_add, x, row, x}, *cpu);
    return {
        binary(p),
        {{DNNL_ARG_SRC_0, filled(x)}, {DNNL_ARG_SRC_1, filled(row)}, {DNNL_ARG_DST, filled(x)}}};
}

static job make_transpose()
{
    const memory::desc x = rows({4096, 4096}, tag::ab), y = rows({4096, 4096}, tag::ba);
    const reorder::primitive_desc p(*cpu, x, *cpu, y);
    return {reorder(p), {{DNNL_ARG_FROM, filled(x)}, {DNNL_ARG_TO, filled(y)}}};
}

/* "mm-MxKxN", then "-a", "-b" or "-ab": the operands that lie transposed; or "mm-N" of a square
 * with one of these; or "bmm-BxMxKxN". */
static bool product_named(const char *name, job *out)
{
    int64_t batches, m, k, n;
    char which[8] = "";
    if (sscanf(name, "bmm-%" SCNd64 "x%" SCNd64 "x%" SCNd64 "x%" SCNd64, &batches, &m, &k, &n) == 4) {
        *out = make_products(batches, m, k, n);
        return true;
    }
    if (sscanf(name, "mm-%" SCNd64 "-%7[ab]", &m, which) == 2) {
        *out = make_product(m, m, m, true, false, strchr(which, 'a') ? tag::ba : tag::ab,
                            strchr(which, 'b') ? tag::ba : tag::ab);
        return true;
    }
    if (sscanf(name, "mm-%" SCNd64 "x%" SCNd64 "x%" SCNd64 "-%7s", &m, &k, &n, which) < 3)
        return false;
    *out = make_product(m, k, n, true, false, strchr(which, 'a') ? tag::ba : tag::ab,
                        strchr(which, 'b') ? tag::ba : tag::ab);
    return true;
}

static bool run(void *user)
{
    const job *j = static_cast<const job *>(user);
    j->what.execute(*line_up, j->with);
    line_up->wait();
    return true;
}

int main(int argc, char **argv)
{
    const int threads = argc > 1 ? atoi(argv[1]) : 1;
    engine e(engine::kind::cpu, 0);
    stream s(e);
    cpu = &e;
    line_up = &s;
    std::unordered_map<std::string, std::function<job()>> works = {
        {"dense", [] { return make_product(128, 768, 3072, true, false); }},
        {"dense-packed", [] { return make_product(128, 768, 3072, false, false); }},
        {"dense-gelu", [] { return make_product(128, 768, 3072, true, true); }},
        {"vector", [] { return make_product(1, 768, 3072, true, false); }},
        {"softmax", make_softmax},
        {"layer-norm", make_layer_norm},
        {"sum", make_sum},
        {"broadcast-add", make_broadcast},
        {"transpose", make_transpose},
        {"conv-3x3", [] { return make_conv(56, 64, 3, 1, 64); }},
        {"conv-7x7", [] { return make_conv(224, 3, 7, 2, 64); }},
        {"conv-1x1", [] { return make_conv(56, 256, 1, 1, 64); }},
    };
    for (const int64_t n : {256, 512, 1024, 2048})
        works["gemm-" + std::to_string(n)] = [n] { return make_product(n, n, n, true, false); };
    std::unique_ptr<job> now;
    char line[4096], name[64];
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "open %63s", name) == 1) {
            const auto found = works.find(name);
            try {
                job product;
                bool is_done = true;
                if (found != works.end())
                    now.reset(new job(found->second()));
                else if (product_named(name, &product))
                    now.reset(new job(product));
                else
                    is_done = false;
                puts(is_done ? "ready" : "!not done");
            } catch (const dnnl::error &fault) {
                printf("!%s\n", fault.what());
            }
        } else if (strncmp(line, "go", 2) == 0) {
            contestant_go(line + 2, threads, run, now.get());
        } else {
            now.reset();
            held.clear();
            puts("closed");
        }
        (void)fflush(stdout);
    }
    return 0;
}
