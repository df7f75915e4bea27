/* The public interface of conversion: targets, walking, plans, symbols, comparing, lack of memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tenon/build.h"
#include "tenon/convert.h"

static int failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                           \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

static const char program[] =
    "%0 = Input () {name=\"x\"} : tensor<f32>[2, 3]\n"
    "%1 = Relu (%0) : tensor<f32>[2, 3]\n"
    "%2 = Mean (%1) {axes=[1], keepdims=false} : tensor<f32>[2]\n"
    "%3 = Slice (%2) {ends=[-1], starts=[1], steps=[-1]} : tensor<f32>[2]\n"
    "outputs: %3\n";

typedef struct text {
    char at[2000];
    size_t n;
} text;

static bool append(void *user, const char *bytes, size_t n)
{
    text *t = user;
    if (n > sizeof t->at - 1 - t->n)
        return false;
    memcpy(t->at + t->n, bytes, n);
    t->n += n;
    t->at[t->n] = 0;
    return true;
}

static tn_module *read_text(tn_context *cx, const char *source)
{
    tn_module *m = NULL;
    (void)tn_module_read(cx, NULL, source, strlen(source), &m);
    return m;
}

/* ---- targets ---- */

static tn_status write_word(void *user, const tn_module *m, const tn_target_options *options,
                            const tn_writer *w)
{
    const char *more = options->own ? options->own : "";
    (void)m;
    return w->write(w->user, user, strlen(user)) && w->write(w->user, more, strlen(more))
               ? TN_OK
               : TN_ERR_IO;
}

static tn_status refuse(void *user, const tn_module *m, const tn_target_options *options)
{
    (void)options;
    (void)user;
    (void)m;
    return TN_ERR_REJECTED;
}

/* A check that registers another target, which moves those that are there. */
static tn_status register_more(void *user, const tn_module *m, const tn_target_options *options)
{
    (void)m;
    (void)options;
    return tn_target_register(user, &(tn_target){.name = "0", .convert = write_word, .user = user});
}

static tn_status write_late(void *user, const tn_module *m, const tn_target_options *options,
                            const tn_writer *w)
{
    (void)user;
    (void)m;
    (void)options;
    return w->write(w->user, "late", 4) ? TN_OK : TN_ERR_IO;
}

static void test_targets(tn_context *cx)
{
    static char one[] = "one", two[] = "two";
    tn_module *m = read_text(cx, program);
    text t = {.n = 0};
    const tn_writer w = {append, &t};
    const tn_target b = {0, "b", 1, ".b", NULL, write_word, one};
    const tn_target a = {0, "a", 3, NULL, refuse, write_word, one};
    const tn_target again = {0, "b", 2, ".bb", NULL, write_word, two};
    CHECK(tn_target_count(cx) == 0 && !tn_target_at(cx, 0) && !tn_target_find(cx, "b"));
    CHECK(tn_target_register(cx, &b) == TN_OK && tn_target_register(cx, &a) == TN_OK);
    CHECK(tn_target_count(cx) == 2);
    CHECK(strcmp(tn_target_at(cx, 0)->name, "a") == 0 &&
          strcmp(tn_target_at(cx, 1)->name, "b") == 0);
    CHECK(tn_target_convert(m, "b", NULL, &w) == TN_OK && strcmp(t.at, "one") == 0);
    CHECK(tn_target_register(cx, &again) == TN_OK && tn_target_count(cx) == 2);
    CHECK(tn_target_find(cx, "b")->version == 2);
    CHECK(tn_target_convert(m, "b", &(tn_target_options){0, NULL, "!"}, &w) == TN_OK &&
          strcmp(t.at, "onetwo!") == 0);
    CHECK(tn_target_convert(m, "a", NULL, &w) == TN_ERR_REJECTED);
    CHECK(tn_target_convert(m, "c", NULL, &w) == TN_ERR_USAGE);
    CHECK(tn_target_register(cx, &(tn_target){.name = "d"}) == TN_ERR_USAGE);
    const tn_target late = {
        .name = "late", .check = register_more, .convert = write_late, .user = cx};
    CHECK(tn_target_register(cx, &late) == TN_OK);
    CHECK(tn_target_convert(m, "late", NULL, &w) == TN_OK && tn_target_count(cx) == 4);
    CHECK(strcmp(t.at, "onetwo!late") == 0);
    tn_module_free(m);
}

/* ---- walking ---- */

static bool see_function(void *user, const tn_walk_function *f)
{
    text *t = user;
    return append(t, f->name, strlen(f->name)) && append(t, ":", 1);
}

static bool see_instruction(void *user, const tn_walk_instruction *i)
{
    return append(user, " ", 1) && append(user, i->op, strlen(i->op));
}

static bool stop(void *user, const tn_walk_instruction *i)
{
    (void)user;
    return i->index < 1;
}

static void test_walk(tn_context *cx)
{
    tn_module *m = read_text(cx, program);
    text t = {.n = 0};
    const tn_walker all = {see_function, see_instruction, NULL, &t};
    const tn_walker some = {NULL, stop, NULL, NULL};
    CHECK(tn_module_walk(m, &all) && strcmp(t.at, "main: relu mean slice") == 0);
    CHECK(!tn_module_walk(m, &some));
    tn_module_free(m);
}

/* ---- plans ---- */

static void test_plan(tn_context *cx)
{
    tn_module *m = read_text(cx, program);
    tn_buffer_plan *p = NULL;
    tn_planned_buffer b;
    CHECK(tn_module_plan_buffers(m, &p) == TN_OK && tn_buffer_plan_count(p) == 4);
    CHECK(tn_buffer_plan_at(p, 0, &b) && b.usage == TN_BUFFER_PARAMETER && b.begin == 0 &&
          b.end == 4 && b.slot == -1 && b.bytes == 24);
    CHECK(tn_buffer_plan_at(p, 1, &b) && b.usage == TN_BUFFER_TEMPORARY && b.begin == 1 &&
          b.end == 2 && b.slot == 0 && b.offset == 0);
    CHECK(tn_buffer_plan_at(p, 2, &b) && b.begin == 2 && b.end == 4 && b.slot == 1 &&
          b.offset == 64);
    CHECK(tn_buffer_plan_at(p, 3, &b) && b.usage == TN_BUFFER_RESULT && b.alias == TN_ALIAS_VIEW &&
          b.source == 2 && b.group == 2);
    CHECK(!tn_buffer_plan_at(p, 4, &b));
    CHECK(tn_buffer_plan_slots(p) == 2 && tn_buffer_plan_bytes(p) == 128 &&
          tn_buffer_plan_peak(p) == 32);
    tn_buffer_plan_free(p);
    tn_buffer_plan_free(NULL);
    tn_module_free(m);
}

/* ---- symbols ---- */

static void test_symbol(tn_context *cx)
{
    tn_module *m = read_text(cx, program);
    text a = {.n = 0}, b = {.n = 0}, c = {.n = 0};
    CHECK(tn_module_entry_symbol(m, NULL, &(tn_writer){append, &a}) == TN_OK);
    CHECK(tn_module_entry_symbol(m, NULL, &(tn_writer){append, &b}) == TN_OK);
    CHECK(tn_module_entry_symbol(m, "1st try", &(tn_writer){append, &c}) == TN_OK);
    CHECK(a.n == 4 + 2 + 16 && strncmp(a.at, "main__", 6) == 0 && strcmp(a.at, b.at) == 0);
    CHECK(strncmp(c.at, "_1st_try__", 10) == 0 && strcmp(c.at + 10, a.at + 6) == 0);
    tn_module_free(m);
}

static void test_cache_key(tn_context *cx)
{
    static const char one[] = "func @a(%x: tensor<f32, 2>) -> tensor<f32, 2> {\n"
                              "  %y = neg(%x) -> tensor<f32, 2>\n  return %y\n}\n";
    static const char same[] = "func @b(%u: tensor<f32, 2>) -> tensor<f32, 2> {\n"
                               "  %v = neg(%u) -> tensor<f32, 2>\n  return %v\n}\n";
    static const char other[] = "func @a(%x: tensor<f32, 2>) -> tensor<f32, 2> {\n"
                                "  %y = abs(%x) -> tensor<f32, 2>\n  return %y\n}\n";
    const uint64_t device = 0x1234;
    const tn_cache_key plain = {0, "mine", 3, 0xab, NULL}, full = {0, "mine", 3, 0xab, &device};
    const char *const programs[] = {one, same, other};
    text keys[4] = {{.n = 0}};
    for (int i = 0; i < 4; i++) {
        tn_module *m = read_text(cx, programs[i % 3]);
        CHECK(tn_module_cache_key(m, i < 3 ? &plain : &full, &(tn_writer){append, &keys[i]}) ==
              TN_OK);
        tn_module_free(m);
    }
    CHECK(keys[0].n == 16 + 9 + 16 && strcmp(keys[0].at + 16, "-mine-v3-00000000000000ab") == 0);
    CHECK(strcmp(keys[0].at, keys[1].at) == 0 && strcmp(keys[0].at, keys[2].at) != 0);
    CHECK(strncmp(keys[3].at, keys[0].at, keys[0].n) == 0 &&
          strcmp(keys[3].at + keys[0].n, "-0000000000001234") == 0);
}

/* ---- what targets allow ---- */

static void test_allowed(tn_context *cx)
{
    static const char *const ops[] = {"relu", "mean"};
    tn_module *m = read_text(cx, program);
    const uint32_t f32 = 1U << TN_F32;
    CHECK(tn_module_check_allowed(m, &(tn_allowed){0, NULL, 0, f32, false}) == TN_OK);
    CHECK(tn_module_check_allowed(m, &(tn_allowed){0, ops, 2, f32, true}) == TN_ERR_REJECTED);
    CHECK(tn_module_check_allowed(m, &(tn_allowed){0, NULL, 0, 1U << TN_F64, true}) ==
          TN_ERR_REJECTED);
    tn_module_free(m);
    m = read_text(cx, "func @a(%x: tensor<f32, ?N>) -> tensor<f32, ?N> {\n"
                      "  %y = neg(%x) -> tensor<f32, ?N>\n  return %y\n}\n");
    CHECK(tn_module_check_allowed(m, &(tn_allowed){0, NULL, 0, f32, true}) == TN_OK);
    CHECK(tn_module_check_allowed(m, &(tn_allowed){0, NULL, 0, f32, false}) == TN_ERR_REJECTED);
    tn_module_free(m);
}

/* ---- conversion and comparison ---- */

static void test_convert(tn_context *cx)
{
    tn_module *a = read_text(cx, program), *b = read_text(cx, program);
    tn_equiv_result r;
    text t = {.n = 0};
    CHECK(tn_module_check_legal(a, "mind") == TN_OK);
    CHECK(tn_module_check_legal(a, "ptir") == TN_ERR_REJECTED);
    CHECK(tn_module_check_legal(a, "nothing") == TN_ERR_USAGE);
    CHECK(tn_module_convert(b, "ptir-text", NULL) == TN_OK);
    CHECK(tn_module_check_legal(b, "ptir") == TN_OK);
    CHECK(tn_module_write(b, NULL, NULL, &(tn_writer){append, &t}) == TN_OK &&
          strstr(t.at, "take"));
    CHECK(tn_modules_compare(a, b, NULL, &r) == TN_OK && r.equal && r.runs == 16);
    tn_equiv_result_release(cx, &r);
    tn_module_free(b);
    b = read_text(cx, "%0 = Input () {name=\"x\"} : tensor<f32>[2, 3]\n"
                      "%1 = Mean (%0) {axes=[1], keepdims=false} : tensor<f32>[2]\n"
                      "outputs: %1\n");
    CHECK(tn_modules_compare(a, b, NULL, &r) == TN_OK && !r.equal && r.n_inputs == 1);
    tn_equiv_result_release(cx, &r);
    tn_module_free(a);
    a = read_text(cx, "%0 = Input () {name=\"x\"} : tensor<f32>[2, 2]\noutputs: %0\n");
    CHECK(tn_modules_compare(a, b, NULL, &r) == TN_ERR_REJECTED);
    tn_module_free(a);
    tn_module_free(b);
}

/* The graph has kinds of reduction by segments that PTIR has no word for. */
static void test_words(tn_context *cx)
{
    static const tn_combine kinds[] = {TN_COMBINE_ADD, TN_COMBINE_MAX, TN_COMBINE_MIN};
    for (size_t k = 0; k < 3; k++) {
        tn_builder *b = tn_builder_new(cx);
        const tn_value x = tn_input(b, "x", TN_F32, TN_INTS(3)),
                       i = tn_input(b, "i", TN_SI32, TN_INTS(3));
        const tn_value y = tn_segment_reduce(b, x, i, kinds[k], 2, TN_DTYPE_DEFAULT, false, false);
        const tn_status want = kinds[k] == TN_COMBINE_MIN ? TN_ERR_REJECTED : TN_OK;
        tn_module *m = NULL;
        CHECK(tn_builder_finish(b, &y, 1, &m) == TN_OK);
        CHECK(tn_module_check_legal(m, "ptir") == want);
        tn_module_free(m);
    }
}

/* ---- lack of memory ---- */

typedef struct quota {
    long left;
} quota;

static void *limited(void *user, void *block, size_t old_size, size_t new_size)
{
    quota *q = user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return q->left-- > 0 ? realloc(block, new_size) : NULL;
}

/* Every request fails once; whatever happens, nothing leaks and the status says so. */
static void test_memory(void)
{
    bool done = false;
    for (long n = 0; n < 20000 && !done; n++) {
        quota q = {n};
        const tn_allocator a = {limited, &q};
        tn_context *cx = tn_context_new(&a, NULL);
        tn_module *m = cx ? read_text(cx, program) : NULL;
        tn_buffer_plan *p = NULL;
        tn_status s = m ? tn_module_plan_buffers(m, &p) : TN_ERR_NOMEM;
        tn_buffer_plan_free(p);
        if (s == TN_OK)
            s = tn_module_convert(m, "ptir", NULL);
        done = s == TN_OK;
        CHECK(done || s == TN_ERR_NOMEM);
        tn_module_free(m);
        tn_context_free(cx);
    }
    CHECK(done);
}

static const char naive[] =
    "{\"uops\": ["
    "{\"id\": \"x\", \"uop\": \"INPUT\", \"arg\": {\"tensor_id\": \"x\", \"dtype\": \"fp32\","
    " \"shape\": [1, 2, 5, 4]}},"
    "{\"id\": \"w\", \"uop\": \"INPUT\", \"arg\": {\"tensor_id\": \"w\", \"dtype\": \"fp32\","
    " \"shape\": [3, 2, 2, 2]}},"
    "{\"id\": \"p\", \"uop\": \"PAD\", \"src\": [\"x\"], \"arg\": {\"pad\": [[0, 0], [0, 0],"
    " [1, 0], [0, 1]]}},"
    "{\"id\": \"k\", \"uop\": \"POOL\", \"src\": [\"p\"], \"arg\": {\"kernel\": [2, 2]}},"
    "{\"id\": \"r\", \"uop\": \"RESHAPE\", \"src\": [\"k\"], \"arg\": {\"result_shape\":"
    " [1, 1, 2, 5, 4, 2, 2]}},"
    "{\"id\": \"e\", \"uop\": \"EXPAND\", \"src\": [\"r\"], \"arg\": {\"result_shape\":"
    " [1, 3, 2, 5, 4, 2, 2]}},"
    "{\"id\": \"f\", \"uop\": \"RESHAPE\", \"src\": [\"w\"], \"arg\": {\"result_shape\":"
    " [1, 3, 2, 1, 1, 2, 2]}},"
    "{\"id\": \"m\", \"uop\": \"MUL\", \"src\": [\"e\", \"f\"]},"
    "{\"id\": \"s\", \"uop\": \"REDUCE\", \"src\": [\"m\"], \"arg\": {\"op\": \"SUM\","
    " \"axes\": [2, 5, 6], \"dtype\": \"fp32\"}},"
    "{\"id\": \"y\", \"uop\": \"FLIP\", \"src\": [\"s\"], \"arg\": {\"axes\": [2]}}]}";

static const char norm[] =
    "func @main(%x: tensor<f32, 2x4>, %g: tensor<f32, 4>) -> (tensor<f32, 2x4>, tensor<i1, 2x4>, "
    "tensor<f32, 2x3>, tensor<f32, 3x7>, tensor<f32, 2x4>, tensor<f32, 2x2>) {\n"
    "  %3 = layer_norm(%x, %g, %g) epsilon[0.5] feature_axis[1] -> tensor<f32, 2x4>\n"
    "  %4 = compare(%x, %3) op[less_equal] -> tensor<i1, 2x4>\n"
    "  %5 = reduce_window(%x) window_dims[1, 2] strides[1, 1] padding[(0, 0), (0, 0)] "
    "base_dilation[1, 1] window_dilation[1, 1] reduce[max] -> tensor<f32, 2x3>\n"
    "  %6 = pad(%x) low[0, 0] high[0, 0] interior[1, 1] pad_value[2.0] -> tensor<f32, 3x7>\n"
    "  %7 = constant value[1, 1] -> tensor<si64, 2>\n"
    "  %8 = take(%x, %7) -> tensor<f32, 2x4>\n"
    "  %9 = dot_general(%x, %x) contract_lhs[1] contract_rhs[1] -> tensor<f32, 2x2>\n"
    "  return %3, %4, %5, %6, %8, %9\n}\n";

/* The same for contractions that are recognised, and for what is written in many steps. */
static void test_memory_ways(const char *source, const char *const *ways, uint32_t n_ways)
{
    bool done = false;
    for (long n = 0; n < 40000 && !done; n++) {
        quota q = {n};
        const tn_allocator a = {limited, &q};
        tn_context *cx = tn_context_new(&a, NULL);
        tn_module *m = cx ? read_text(cx, source) : NULL;
        tn_status s = m ? TN_OK : TN_ERR_NOMEM;
        for (uint32_t k = 0; s == TN_OK && k < n_ways; k++)
            s = tn_module_convert(m, ways[k], NULL);
        done = s == TN_OK;
        CHECK(done || s == TN_ERR_NOMEM);
        tn_module_free(m);
        tn_context_free(cx);
    }
    CHECK(done);
}

static bool throw_away(void *user, const char *bytes, size_t n)
{
    (void)user;
    (void)bytes;
    (void)n;
    return true;
}

/* What windows move by cannot be a size where it is written as a number. */
static void test_windows_of_a_size(tn_context *cx)
{
    static const char *const dialects[] = {"stablehlo", "onnx"};
    const tn_writer nowhere = {.write = throw_away};
    for (size_t k = 0; k < sizeof dialects / sizeof *dialects; k++)
        for (int which = 0; which < 4; which++) {
            tn_module *m = NULL;
            tn_builder *b = tn_builder_new(cx);
            const int64_t p = tn_dim(b, "p");
            const int64_t low = which == 1 ? p : 1, step = which == 2 ? p : 2;
            const tn_value x = tn_input(b, "x", TN_F32, TN_INTS(1, 1, 8, 8));
            const tn_value w = tn_input(b, "w", TN_F32, TN_INTS(2, 1, 3, 3));
            const tn_convolved how = {.pads = TN_INTS(low, 0, 0, 0), .strides = TN_INTS(1, step)};
            const tn_window over = {.window = TN_INTS(1, 1, which == 3 ? p : 3, 3),
                                    .strides = TN_INTS(1, 1, 1, step),
                                    .pads = TN_INTS(0, 0, 0, 0, low, 0, 0, 0),
                                    .base_dilation = TN_INTS(1, 1, 1, 1),
                                    .dilation = TN_INTS(1, 1, 1, 1)};
            const tn_value y =
                which == 3 || k == 1
                    ? tn_reduce_window(b, x, TN_COMBINE_MAX, &over, TN_DTYPE_DEFAULT)
                    : tn_convolution(b, x, w, &how, TN_DTYPE_DEFAULT, TN_DTYPE_DEFAULT);
            CHECK(tn_builder_finish(b, &y, 1, &m) == TN_OK);
            tn_status s = tn_module_convert(m, dialects[k], NULL);
            if (s == TN_OK)
                s = tn_module_write(m, dialects[k], NULL, &nowhere);
            CHECK((s == TN_OK) == (which == 0));
            tn_module_free(m);
        }
}

int main(void)
{
    tn_context *cx = tn_context_new(NULL, NULL);
    test_targets(cx);
    test_walk(cx);
    test_plan(cx);
    test_symbol(cx);
    test_cache_key(cx);
    test_allowed(cx);
    test_convert(cx);
    test_words(cx);
    test_windows_of_a_size(cx);
    tn_context_free(cx);
    test_memory();
    test_memory_ways(naive, (const char *[]){"mind", "ptir-text", "tiny"}, 3);
    test_memory_ways(norm, (const char *[]){"tiny", "ptir-text"}, 2);
    return failures != 0;
}
