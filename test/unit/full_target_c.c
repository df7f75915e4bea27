/* Loop programs as C: every instruction and random programs, compiled by the compilers that are
 * installed with warnings as errors, against the interpreter. */
#include "compilers.h"
#include "loop_cases.h"
#include "loop_random.h"
#include "target/target.h"

static code_function *find(void *handle, const char *name)
{
    code_function *f;
    void *symbol = dlsym(handle, name);
    memcpy(&f, &symbol, sizeof f);
    return f;
}

/* Every STEP-th of the cases in one file. */
static void run_cases_with(const case_list *l, size_t step, const char *folder, const char *command,
                           const char *flags, int level)
{
    target_function *functions = calloc(l->n, sizeof *functions);
    text_buffer text;
    size_t n = 0;
    text_init(&text, &memory_system);
    for (size_t k = 0; functions && k < l->n; k += step)
        functions[n++] = (target_function){l->at[k].name, l->at[k].program};
    target_c(functions, n, true, level, &text);
    void *handle = CHECK(!text.failed) ? compile_and_load(folder, command, flags, &text) : NULL;
    for (size_t k = 0; handle && k < l->n; k += step) {
        code_function *f = find(handle, l->at[k].name);
        for (unsigned turn = 0; CHECK(f != NULL) && turn < 8; turn++)
            if (!run_once(&l->at[k], f, flags))
                break;
    }
    if (handle)
        (void)dlclose(handle);
    text_release(&text);
    free(functions);
}

/* ---- random programs ---- */

enum { N_RANDOM = 30 };

typedef struct random_set {
    const loop_program *programs[N_RANDOM];
    char names[N_RANDOM][16];
    uint8_t elems[N_RANDOM][RANDOM_BYTES];
    _Alignas(LOOP_ALIGN) char in[2][RANDOM_BYTES];
    _Alignas(512) char want[N_RANDOM][RANDOM_BYTES];
    _Alignas(512) char have[RANDOM_BYTES];
    int32_t status[N_RANDOM];
    arena memory;
} random_set;

static void fill_random(random_set *s)
{
    char *in = (char *)s->in;
    for (size_t k = 0; k < sizeof s->in; k += 8) {
        const uint64_t bits = edge(k / 64 % 2 ? 8 : 4);
        memcpy(in + k, &bits, 8);
    }
    for (size_t k = 4; k < sizeof s->in; k += 8)
        if (k / 64 % 2 == 0) {
            const uint32_t bits = (uint32_t)edge(4);
            memcpy(in + k, &bits, 4);
        }
}

/* Make the programs from SEED on and run them in the interpreter. */
static bool make_random(random_set *s, uint64_t seed)
{
    loop_builder b;
    arena_init(&s->memory, &memory_system);
    fill_random(s);
    for (size_t k = 0; k < N_RANDOM; k++) {
        s->programs[k] = random_program(&b, &s->memory, seed + k, 40, s->elems[k]);
        (void)snprintf(s->names[k], sizeof s->names[k], "random%zu", k);
        if (!CHECK(s->programs[k] != NULL)) {
            printf("    seed %" PRIu64 ": %s\n", seed + k, b.fault);
            return false;
        }
        char *buffers[] = {s->in[0], s->in[1], s->want[k]};
        memset(s->want[k], 0x33, RANDOM_BYTES);
        const char *fault = loop_interpret(s->programs[k], buffers, 0, 3, NULL, &s->status[k]);
        if (!CHECK(fault == NULL)) {
            printf("    seed %" PRIu64 ": %s\n", seed + k, fault);
            return false;
        }
    }
    return true;
}

static bool same_output(const uint8_t *elems, const char *want, const char *have, size_t *at)
{
    for (size_t k = 0; k < RANDOM_BYTES; k++) {
        const loop_elem e = (loop_elem)elems[k];
        const size_t first = k / loop_elem_bytes(e) * loop_elem_bytes(e);
        *at = k;
        if (want[k] != have[k] && !(is_nan_of(e, want + first) && is_nan_of(e, have + first)))
            return false;
    }
    return true;
}

static void run_random(random_set *s, size_t k, code_function *f, uint64_t seed, const char *how)
{
    static _Alignas(LOOP_ALIGN) char scratch[LOOP_ALIGN];
    char *buffers[] = {s->in[0], s->in[1], s->have};
    size_t at = 0;
    if (!CHECK(f != NULL))
        return;
    memset(s->have, 0x33, RANDOM_BYTES);
    const int32_t status = f(buffers, 0, 3, scratch);
    if (!CHECK(same_output(s->elems[k], s->want[k], s->have, &at) && status == s->status[k]))
        printf("    seed %" PRIu64
               " with %s: status %d, want %d; byte %zu of %s: %02x, want %02x\n",
               seed + k, how, status, s->status[k], at, loop_elem_name((loop_elem)s->elems[k][at]),
               (unsigned char)s->have[at], (unsigned char)s->want[k][at]);
}

static void test_random(uint64_t seed, const char *folder, const char *command, const char *flags,
                        int level)
{
    static random_set s;
    target_function functions[N_RANDOM];
    text_buffer text;
    text_init(&text, &memory_system);
    if (make_random(&s, seed)) {
        for (size_t k = 0; k < N_RANDOM; k++)
            functions[k] = (target_function){s.names[k], s.programs[k]};
        target_c(functions, N_RANDOM, true, level, &text);
        void *handle = CHECK(!text.failed) ? compile_and_load(folder, command, flags, &text) : NULL;
        for (size_t k = 0; handle && k < N_RANDOM; k++)
            run_random(&s, k, find(handle, s.names[k]), seed, flags);
        if (handle)
            (void)dlclose(handle);
    }
    text_release(&text);
    arena_release(&s.memory);
}

/* The same programs through LLVM, which the interpreter and C then judge together. */
static void test_random_llvm(uint64_t seed, const char *cpu)
{
    static random_set s;
    target_function functions[N_RANDOM];
    context *cx = context_new(NULL, NULL);
    text_buffer object;
    code *c = NULL;
    const target_options options = {.cpu = cpu};
    text_init(&object, &memory_system);
    if (CHECK(cx != NULL) && make_random(&s, seed)) {
        for (size_t k = 0; k < N_RANDOM; k++)
            functions[k] = (target_function){s.names[k], s.programs[k]};
        if (CHECK_INT(target_llvm(cx, functions, N_RANDOM, &options, &object), TN_OK) &&
            CHECK_INT(code_load(&memory_system, object.at, object.n, &c), TN_OK))
            for (size_t k = 0; k < N_RANDOM; k++)
                run_random(&s, k, code_find(c, s.names[k]), seed, cpu);
    }
    code_free(c);
    text_release(&object);
    arena_release(&s.memory);
    context_free(cx);
}

/* ---- the text itself ---- */

/* A program of N operations prints in linear time and ends with what it says. */
static void test_large(uint32_t n)
{
    arena memory;
    loop_builder b;
    text_buffer text;
    arena_init(&memory, &memory_system);
    text_init(&text, &memory_system);
    loop_init(&b, &memory);
    loop_value x = input(&b, 0, LOOP_F32, 4);
    for (uint32_t k = 0; k < n; k++)
        x = loop_binary(&b, LOOP_FADD, x, x);
    (void)output(&b, x);
    const target_function f = {"large", loop_finish(&b)};
    if (CHECK(f.program != NULL))
        target_c(&f, 1, false, 0, &text);
    const char *s = text_c_string(&text);
    CHECK(s && strstr(s, "static int32_t large("));
    text_release(&text);
    arena_release(&memory);
}

typedef struct poor {
    size_t left;
} poor;

static void *poor_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    poor *p = user;
    if (new_size > old_size && p->left-- == 0) {
        p->left = 0;
        return NULL;
    }
    return memory_system.resize(memory_system.user, block, old_size, new_size);
}

/* Every request for memory fails once. */
static void test_memory(const loop_program *program)
{
    bool done = false;
    for (size_t k = 0; k < 100 && !done; k++) {
        poor p = {k};
        const tn_allocator allocator = {poor_resize, &p};
        const target_function f = {"some", program};
        text_buffer text;
        text_init(&text, &allocator);
        target_c(&f, 1, true, 3, &text);
        done = !text.failed;
        text_release(&text);
    }
    CHECK(done);
}

/* The level of this machine: 4, 3 or 0, as for target_c. */
static int machine_level(void)
{
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi2"))
        return 0;
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl")
               ? 4
               : 3;
#else
    return 0;
#endif
}

static void run_all(const case_list *l, const char *folder, const char *compiler)
{
    /* all cases once, without optimisation; some of them and random programs in other ways */
    static const struct {
        const char *flags;
        int level;
    } ways[] = {
        {"-std=c17 -O2 -DMOST_LEVEL=0", 0},
        {"-std=gnu17 -O3 -mavx2 -mfma -mbmi2", 3},
        {"-std=gnu17 -O2 -ffp-contract=fast -mavx512bw -mavx512dq -mavx512vl -mfma", 4},
        {"-std=c17 -O1 -fsanitize=undefined -fsanitize-undefined-trap-on-error -DMOST_LEVEL=0", 0}};
    const int level = machine_level();
    run_cases_with(l, 1, folder, compiler,
                   level == 4 ? "-std=c17 -O0 -march=native" : "-std=c17 -O0", level == 4 ? 4 : 0);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        if (ways[k].level > level)
            continue;
        run_cases_with(l, 37, folder, compiler, ways[k].flags, ways[k].level);
        test_random(1000 * (k + 1), folder, compiler, ways[k].flags, ways[k].level);
    }
}

int main(void)
{
    char folder[] = COMPILER_FOLDER;
    const char *seed = getenv("SEED"), *flags = getenv("FLAGS"); /* to try others by hand */
    case_list *l = all_cases();
    if (!CHECK(l && mkdtemp(folder)))
        return check_result();
    test_large(100000);
    test_memory(l->at[0].program);
    test_memory(l->at[l->n / 2].program);
    if (target_llvm_is_installed()) {
        test_random_llvm(seed ? strtoull(seed, NULL, 10) : 1000, "native");
        test_random_llvm(seed ? strtoull(seed, NULL, 10) : 2000, "x86-64");
    }
    for (size_t k = 0; k < COMPILERS; k++) {
        if (!has_compiler(compiler_names[k]))
            continue;
        if (seed && flags)
            test_random(strtoull(seed, NULL, 10), folder, compiler_names[k], flags, 0);
        else
            run_all(l, folder, compiler_names[k]);
    }
    arena_release(&l->memory);
    free(l);
    (void)rmdir(folder);
    return check_result();
}
