/* Every instruction of loop programs through LLVM, for several CPUs, against the interpreter: all
 * types, several numbers of lanes, values at the edges. */
#include <pthread.h>
#include <stdlib.h>

#include "base/context/context.h"
#include "check.h"
#include "loop_cases.h"
#include "runtime/code.h"
#include "target/target.h"

/* Compile and run every STEP-th case. */
static void run_on(const case_list *l, const char *cpu, size_t step)
{
    context *cx = context_new(NULL, NULL);
    target_function *functions = calloc(l->n, sizeof *functions);
    text_buffer object;
    code *c = NULL;
    size_t n = 0;
    if (!CHECK(cx && functions))
        return;
    for (size_t k = 0; k * step < l->n; k++)
        functions[n++] = (target_function){l->at[k * step].name, l->at[k * step].program};
    text_init(&object, &memory_system);
    const target_options options = {.cpu = cpu};
    if (CHECK_INT(target_llvm(cx, functions, n, &options, &object), TN_OK) &&
        CHECK_INT(code_load(&memory_system, object.at, object.n, &c), TN_OK))
        for (size_t k = 0; k < l->n; k += step) {
            code_function *f = code_find(c, l->at[k].name);
            for (unsigned turn = 0; CHECK(f != NULL) && turn < 8; turn++)
                if (!run_once(&l->at[k], f, cpu))
                    break;
        }
    code_free(c);
    text_release(&object);
    free(functions);
    context_free(cx);
}

/* Functions of one object, each in a section of its own, as objects of their own. */
static void run_apart(const case_list *l)
{
    enum { N = 48 };
    context *cx = context_new(NULL, NULL);
    target_function functions[N];
    const size_t n = l->n < N ? l->n : N, step = l->n / n;
    text_buffer object;
    for (size_t k = 0; k < n; k++)
        functions[k] = (target_function){l->at[k * step].name, l->at[k * step].program};
    text_init(&object, &memory_system);
    const target_options options = {.is_apart = true};
    if (CHECK(cx != NULL) && CHECK_INT(target_llvm(cx, functions, n, &options, &object), TN_OK))
        for (size_t k = 0; k < n; k++) {
            text_buffer part;
            code *c = NULL;
            text_init(&part, &memory_system);
            CHECK(code_part(&memory_system, object.at, object.n, functions[k].name, &part));
            CHECK(part.n < object.n);
            if (CHECK_INT(code_load(&memory_system, part.at, part.n, &c), TN_OK) &&
                CHECK(code_only(c) != NULL))
                (void)run_once(&l->at[k * step], code_only(c), "apart");
            code_free(c);
            text_release(&part);
        }
    text_release(&object);
    context_free(cx);
}

static void run_on_all(const case_list *l)
{
    run_on(l, "native", 1);
    run_apart(l);
#if defined(__x86_64__)
    __builtin_cpu_init();
    run_on(l, "x86-64", 4);
    if (__builtin_cpu_supports("sse4.2"))
        run_on(l, "x86-64-v2", 1);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        run_on(l, "x86-64-v3", 1);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        run_on(l, "x86-64-v4", 3);
#endif
}

/* Products near the middle of two floats, with a little on one side: where rounding twice shows. */
static void fill_fma(float x[3][16])
{
    for (size_t k = 0; k < 16; k++) {
        const uint64_t r = random_bits();
        const int far = (int)(r >> 40) % 80;
        const float tiny = (float)(int)(r >> 48 & 3) - 1.5F;
        x[0][k] = (float)(4097 + 2 * (r & 2047));
        x[1][k] = (float)(2049 + 2 * (r >> 12 & 1023)); /* 25 bits together */
        x[2][k] = ldexpf(tiny, 20 - far);
        if (r >> 60 == 0) /* a denormal result */
            for (size_t j = 0; j < 3; j++)
                x[j][k] = ldexpf(x[j][k], j == 2 ? -150 : -80);
    }
}

static void test_fma(const char *cpu)
{
    _Alignas(LOOP_ALIGN) float x[3][16], y[BUFFER_BYTES / 4];
    char *buffers[] = {(char *)x[0], (char *)x[1], (char *)x[2], (char *)y};
    context *cx = context_new(NULL, NULL);
    loop_builder b;
    arena memory;
    text_buffer out;
    code *c = NULL;
    text_init(&out, &memory_system);
    arena_init(&memory, &memory_system);
    loop_init(&b, &memory);
    const loop_value first = input(&b, 0, LOOP_F32, 16), second = input(&b, 1, LOOP_F32, 16);
    (void)output(&b, loop_fma(&b, first, second, input(&b, 2, LOOP_F32, 16)));
    const target_function f = {"fma_of_all", loop_finish(&b)};
    const target_options options = {.cpu = cpu};
    if (CHECK_INT(target_llvm(cx, &f, 1, &options, &out), TN_OK) &&
        CHECK_INT(code_load(&memory_system, out.at, out.n, &c), TN_OK))
        for (unsigned turn = 0; turn < 20000; turn++) {
            bool same = true;
            fill_fma(x);
            (void)code_find(c, f.name)(buffers, 0, 1, NULL);
            for (size_t k = 0; k < 16; k++) {
                const float want = fmaf(x[0][k], x[1][k], x[2][k]);
                same = same && memcmp(&want, &y[k], sizeof want) == 0;
            }
            if (!CHECK(same))
                break;
        }
    code_free(c);
    text_release(&out);
    arena_release(&memory);
    context_free(cx);
}

/* ---- the rest of the interface ---- */

static const loop_program *small_program(arena *memory)
{
    loop_builder b;
    loop_init(&b, memory);
    (void)output(&b, loop_i64(&b, 42));
    return loop_finish(&b);
}

static void test_forms(void)
{
    context *cx = context_new(NULL, NULL);
    arena memory;
    arena_init(&memory, &memory_system);
    const target_function f = {"answer", small_program(&memory)};
    static const target_options text[] = {
        {.form = TARGET_ASSEMBLY},
        {.form = TARGET_LLVM_IR},
        {.form = TARGET_ASSEMBLY, .triple = "aarch64-linux-gnu"},
        {.form = TARGET_ASSEMBLY, .triple = "aarch64-linux-gnu", .cpu = "neoverse-v1"}};
    static const target_options bad[] = {{.cpu = "quickone"},
                                         {.triple = "vax-dec-vms"},
                                         {.triple = "aarch64-linux", .cpu = "znver4"}};
    text_buffer out;
    for (size_t k = 0; k < sizeof text / sizeof text[0]; k++) {
        text_init(&out, &memory_system);
        CHECK_INT(target_llvm(cx, &f, 1, &text[k], &out), TN_OK);
        const char *s = text_c_string(&out);
        CHECK(s && strstr(s, "answer") && strstr(s, "42"));
        text_release(&out);
    }
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        text_init(&out, &memory_system);
        CHECK_INT(target_llvm(cx, &f, 1, &bad[k], &out), TN_ERR_UNAVAILABLE);
        CHECK_INT(out.n, 0);
        text_release(&out);
    }
    arena_release(&memory);
    context_free(cx);
}

static void *scarce_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    int *left = user;
    if (new_size > 0 && (*left)-- <= 0)
        return NULL;
    return memory_system.resize(NULL, block, old_size, new_size);
}

/* A want of memory is reported, however late it comes. */
static void test_memory(void)
{
    arena memory;
    tn_status s = TN_ERR_NOMEM;
    int n = 0;
    arena_init(&memory, &memory_system);
    const target_function f = {"answer", small_program(&memory)};
    for (; s == TN_ERR_NOMEM && n < 50; n++) {
        int left = INT32_MAX;
        const tn_allocator scarce = {scarce_resize, &left};
        context *cx = context_new(&scarce, NULL);
        text_buffer out;
        text_init(&out, &scarce);
        left = n;
        s = target_llvm(cx, &f, 1, NULL, &out);
        CHECK(s == TN_OK || s == TN_ERR_NOMEM);
        text_release(&out);
        context_free(cx);
    }
    CHECK_INT(s, TN_OK);
    CHECK(n > 2);
    arena_release(&memory);
}

/* Several threads compile at once, each with a context of its own; the first of them load LLVM. */
static void *compile_some(void *mark)
{
    context *cx = context_new(NULL, NULL);
    arena memory;
    bool ok = cx != NULL;
    arena_init(&memory, &memory_system);
    const target_function f = {"answer", small_program(&memory)};
    for (int turn = 0; ok && turn < 5; turn++) {
        text_buffer out;
        code *c = NULL;
        int64_t result[BUFFER_BYTES / 8] = {0};
        char *buffers[N_BUFFERS] = {NULL, NULL, NULL, (char *)result};
        text_init(&out, &memory_system);
        ok = target_llvm(cx, &f, 1, NULL, &out) == TN_OK &&
             code_load(&memory_system, out.at, out.n, &c) == TN_OK;
        ok = ok && code_find(c, "answer")(buffers, 0, 1, NULL) == 0 && result[0] == 42;
        code_free(c);
        text_release(&out);
    }
    arena_release(&memory);
    context_free(cx);
    return ok ? NULL : mark;
}

static void test_threads(void)
{
    pthread_t threads[4];
    void *failed;
    for (size_t k = 0; k < 4; k++)
        CHECK(pthread_create(&threads[k], NULL, compile_some, threads) == 0);
    for (size_t k = 0; k < 4; k++)
        CHECK(pthread_join(threads[k], &failed) == 0 && failed == NULL);
}

static void test_identity(void)
{
    arena memory;
    arena_init(&memory, &memory_system);
    const target_options v2 = {.cpu = "x86-64-v2"}, arm = {.triple = "aarch64-linux-gnu"};
    const char *own = target_llvm_identity(NULL, &memory);
    CHECK_TEXT(own, target_llvm_identity(&(target_options){.cpu = "native"}, &memory));
    CHECK(strcmp(own, target_llvm_identity(&v2, &memory)) != 0);
    CHECK(strcmp(own, target_llvm_identity(&arm, &memory)) != 0);
    arena_release(&memory);
}

static void test_missing(void)
{
    context *cx = context_new(NULL, NULL);
    arena memory;
    text_buffer out;
    arena_init(&memory, &memory_system);
    text_init(&out, &memory_system);
    const target_function f = {"answer", small_program(&memory)};
    CHECK(setenv("TENON_LLVM_PLUGIN", "/nowhere/libtenon-llvm.so", 1) == 0);
    CHECK(!target_llvm_is_installed());
    CHECK_INT(target_llvm(cx, &f, 1, NULL, &out), TN_ERR_UNAVAILABLE);
    CHECK(setenv("TENON_LLVM_PLUGIN", __FILE__, 1) == 0); /* a file that is no module */
    CHECK_INT(target_llvm(cx, &f, 1, NULL, &out), TN_ERR_UNAVAILABLE);
    text_release(&out);
    arena_release(&memory);
    context_free(cx);
}

static void test_everything(void)
{
    case_list *l = all_cases();
    if (!l)
        return;
    run_on_all(l);
    arena_release(&l->memory);
    free(l);
}

/* The library was built where LLVM is not installed. */
static void test_without(void)
{
    context *cx = context_new(NULL, NULL);
    arena memory;
    text_buffer out;
    arena_init(&memory, &memory_system);
    text_init(&out, &memory_system);
    const target_function f = {"answer", small_program(&memory)};
    CHECK_INT(target_llvm(cx, &f, 1, NULL, &out), TN_ERR_UNAVAILABLE);
    CHECK(strstr(target_llvm_identity(NULL, &memory), "llvm none") != NULL);
    text_release(&out);
    arena_release(&memory);
    context_free(cx);
}

int main(void)
{
    if (!target_llvm_is_installed()) {
        test_without();
        return check_result();
    }
    test_threads();
    test_everything();
    test_fma("native");
#if defined(__x86_64__)
    test_fma("x86-64");
#endif
    test_forms();
    test_memory();
    test_identity();
    test_missing();
    return check_result();
}
