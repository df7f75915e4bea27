/* Loading objects: the seeds of the fuzzer run; damaged ones are refused or harmless. */
#include <stdlib.h>

#include "check.h"
#include "runtime/code.h"

#if defined(__x86_64__) && defined(__linux__)

typedef struct bytes {
    unsigned char *at;
    size_t n;
} bytes;

static bytes read_seed(const char *name)
{
    char path[512];
    bytes b = {NULL, 0};
    (void)snprintf(path, sizeof path, TEST_FOLDER "/fuzz/corpus/code/%s.elf", name);
    FILE *file = fopen(path, "rb");
    if (!CHECK(file != NULL))
        return b;
    b.at = malloc(1 << 16);
    b.n = b.at ? fread(b.at, 1, 1 << 16, file) : 0;
    (void)fclose(file);
    CHECK(b.n > 0 && b.n < 1 << 16);
    return b;
}

static code *load_seed(const char *name)
{
    bytes b = read_seed(name);
    code *c = NULL;
    CHECK_INT(code_load(&memory_system, b.at, b.n, &c), TN_OK);
    free(b.at);
    return c;
}

static void run_kernels(const char *name)
{
    float x[32], y[32];
    char *buffers[] = {(char *)x, (char *)y};
    code *c = load_seed(name);
    code_function *square = c ? code_find(c, "square") : NULL;
    code_function *answer = c ? code_find(c, "answer") : NULL;
    for (int k = 0; k < 32; k++) {
        x[k] = (float)k - 7.5F;
        y[k] = 0;
    }
    if (CHECK(square && answer)) {
        CHECK_INT(square(buffers, 0, 16, NULL), 0);
        for (int k = 0; k < 32; k++)
            CHECK(y[k] == (k < 16 ? x[k] * x[k] + 0.25F : 0));
        CHECK_INT(answer(buffers, 0, 1, NULL), 42);
        CHECK_INT(answer(buffers, 1, 1, NULL), 0);
        CHECK(code_find(c, "squares") == NULL && code_find(c, "") == NULL);
    }
    code_free(c);
}

/* Calls and addresses as gcc writes them; absolute ones of 32 bits cannot reach our memory. */
static void run_others(void)
{
    static const char *const names[] = {"gcc-plt", "gcc-got", "gcc-large"};
    char from[8] = "abcdefg", to[8];
    char *buffers[] = {from};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        code *c = load_seed(names[k]);
        code_function *f = c ? code_find(c, "branch") : NULL;
        if (CHECK(f != NULL)) {
            CHECK_INT(f(buffers, 0, 4, to), 11);
            CHECK_INT(f(buffers, 3, 4, to), 20);
            CHECK_INT(f(buffers, 4, 5, to), 9);
            CHECK_INT(to[4], 1);
            CHECK_INT(f(buffers, 6, 8, to), 5);
            CHECK(memcmp(from, to, 8) == 0);
            CHECK_INT(f(buffers, 9, 8, to), -1);
        }
        code_free(c);
    }
    code *c;
    static const char *const bad[] = {"gcc-absolute", "aarch64"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        bytes b = read_seed(bad[k]);
        CHECK_INT(code_load(&memory_system, b.at, b.n, &c), TN_ERR_IO);
        CHECK(c == NULL);
        free(b.at);
    }
}

/* What code_part makes of a seed, or NULL. */
static code *load_part(const bytes *b, const char *function)
{
    text_buffer part;
    code *c = NULL;
    text_init(&part, &memory_system);
    text_put(&part, "before", 6); /* it is appended */
    if (code_part(&memory_system, b->at, b->n, function, &part))
        (void)code_load(&memory_system, part.at + 6, part.n - 6, &c);
    text_release(&part);
    return c;
}

static void test_parts(void)
{
    bytes both = read_seed("sse2"), one = read_seed("gcc-plt");
    char from[8] = "abcdefg", to[8];
    char *buffers[] = {from};
    /* Two functions in one section cannot be told apart. */
    CHECK(load_part(&both, "square") == NULL && load_part(&one, "squares") == NULL);
    code *c = load_part(&one, "branch");
    code_function *f = c ? code_only(c) : NULL;
    if (CHECK(f != NULL && f == code_find(c, "branch"))) {
        CHECK_INT(f(buffers, 0, 4, to), 11);
        CHECK_INT(f(buffers, 6, 8, to), 5);
        CHECK(memcmp(from, to, 4) == 0);
    }
    code_free(c);
    free(both.at);
    free(one.at);
}

/* A function beside one whose jumps go through a table, and that one. */
static void test_parts_beside_jumps(void)
{
    bytes both = read_seed("llvm-jumps");
    char at[1] = {0};
    code *c = load_part(&both, "plain");
    code_function *f = c ? code_only(c) : NULL;
    if (CHECK(f != NULL))
        CHECK_INT(f(NULL, 0, 14, at), 42);
    code_free(c);
    c = load_part(&both, "jumps");
    f = c ? code_only(c) : NULL;
    if (CHECK(f != NULL)) {
        static const int wanted[] = {11, 5, 7, 25, 14, -1};
        for (int k = 0; k < 6; k++)
            CHECK_INT(f(NULL, k, 5, at), wanted[k]);
    }
    code_free(c);
    free(both.at);
}

static void test_damage(void)
{
    bytes b = read_seed("sse2");
    code *c;
    for (size_t n = 0; n < b.n; n++) {
        unsigned char *copy = malloc(n + 1); /* of its own, so that sanitizers see its end */
        if (!CHECK(copy != NULL))
            break;
        memcpy(copy, b.at, n);
        (void)code_load(&memory_system, copy, n, &c);
        code_free(c);
        code_free(load_part(&(bytes){copy, n}, "square"));
        free(copy);
    }
    for (size_t k = 0; k < b.n; k++)
        for (unsigned bit = 0; bit < 8; bit += 3) {
            b.at[k] = (unsigned char)(b.at[k] ^ 1u << bit);
            if (code_load(&memory_system, b.at, b.n, &c) == TN_OK)
                (void)code_find(c, "square");
            code_free(c);
            code_free(load_part(&b, "square"));
            b.at[k] = (unsigned char)(b.at[k] ^ 1u << bit);
        }
    CHECK_INT(code_load(&memory_system, "", 0, &c), TN_ERR_IO);
    CHECK_INT(code_load(&memory_system, "not an object", 13, &c), TN_ERR_IO);
    free(b.at);
}

static void *scarce_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    int *left = user;
    if (new_size > 0 && (*left)-- <= 0)
        return NULL;
    return memory_system.resize(NULL, block, old_size, new_size);
}

static void test_memory(void)
{
    bytes b = read_seed("avx2");
    code *c;
    tn_status s = TN_ERR_NOMEM;
    int n = 0;
    for (; s == TN_ERR_NOMEM && n < 100; n++) {
        int left = n;
        const tn_allocator scarce = {scarce_resize, &left};
        s = code_load(&scarce, b.at, b.n, &c);
        CHECK((s == TN_OK) == (c != NULL));
        code_free(c);
    }
    CHECK_INT(s, TN_OK);
    CHECK(n > 3);
    free(b.at);
}

int main(void)
{
    __builtin_cpu_init();
    run_kernels("sse2");
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        run_kernels("avx2");
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
        run_kernels("avx512");
    run_others();
    test_parts();
    test_parts_beside_jumps();
    test_damage();
    test_memory();
    return check_result();
}

#else

int main(void)
{
    code *c;
    CHECK_INT(code_load(&memory_system, "", 0, &c), TN_ERR_UNAVAILABLE);
    CHECK(c == NULL);
    return check_result();
}

#endif
