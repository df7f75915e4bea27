/* Polls in loop programs: no result changes, they come often enough, and they stop a program. */
#include "compilers.h"
#include "loop/ir/polls.h"
#include "loop_interpreter.h"
#include "loop_random.h"
#include "runtime/code.h"
#include "target/target.h"

typedef struct watch {
    int32_t (*stop)(const void *self);
    unsigned polls, until; /* stops at poll number UNTIL; 0: never */
} watch;

static int32_t look(const void *self)
{
    watch *w = (watch *)(uintptr_t)self;
    w->polls++;
    return w->polls == w->until ? -99 : 0;
}

/* ---- random programs ---- */

static void run_random(const loop_program *p, char *out, unsigned *polls)
{
    static _Alignas(RANDOM_BYTES) char in[2][RANDOM_BYTES];
    watch w = {.stop = look};
    char *buffers[] = {in[0], in[1], out, (char *)&w};
    int32_t status = 0;
    for (size_t k = 0; k < RANDOM_BYTES; k++)
        in[0][k] = (char)(k * 37), in[1][k] = (char)(k * 11 + 5);
    memset(out, 0x5a, RANDOM_BYTES);
    const char *fault = loop_interpret(p, buffers, 0, 3, NULL, &status);
    if (!CHECK(fault == NULL))
        printf("    %s\n", fault);
    *polls = w.polls;
}

static void test_random(void)
{
    static _Alignas(RANDOM_BYTES) char plain[RANDOM_BYTES], polled[RANDOM_BYTES];
    static uint8_t elems[RANDOM_BYTES];
    unsigned all = 0, polls;
    for (uint64_t seed = 1; seed <= 300 && check_failed == 0; seed++) {
        arena memory;
        loop_builder b;
        arena_init(&memory, &memory_system);
        const loop_program *p = random_program(&b, &memory, seed, 40, elems);
        const double every = (double)(1u << seed % 8);
        const loop_program *q = p ? loop_with_polls(p, 3, every, &memory) : NULL;
        if (CHECK(q != NULL)) {
            run_random(p, plain, &polls);
            run_random(q, polled, &polls);
            all += polls;
            if (!CHECK(memcmp(plain, polled, sizeof plain) == 0))
                printf("    seed %u\n", (unsigned)seed);
        }
        arena_release(&memory);
    }
    CHECK(all > 100);
    printf("%u polls\n", all);
}

/* ---- a long one ---- */

enum { OUTER = 7, INNER = 1000 };

/* For every item and each of OUTER rows, INNER numbers are added one after the other. */
static const loop_program *long_sum(arena *memory)
{
    loop_builder b;
    loop_init(&b, memory);
    const loop_value i =
        loop_for(&b, loop_param_value(&b, LOOP_BEGIN), loop_param_value(&b, LOOP_END_AT), 1);
    const loop_value sum = loop_var(&b, loop_i64(&b, 0));
    const loop_value r = loop_for(&b, loop_i64(&b, 0), loop_i64(&b, OUTER), 1);
    const loop_value k = loop_for(&b, loop_i64(&b, 0), loop_i64(&b, INNER), 3);
    const loop_value x = loop_binary(&b, LOOP_IADD, loop_binary(&b, LOOP_IMUL, r, k), i);
    loop_set(&b, sum, loop_binary(&b, LOOP_IADD, loop_get(&b, sum), x));
    loop_end(&b);
    loop_end(&b);
    loop_store(&b,
               loop_offset(&b, loop_buffer(&b, 0), loop_binary(&b, LOOP_IMUL, i, loop_i64(&b, 8))),
               loop_get(&b, sum), 8);
    loop_end(&b);
    return loop_finish(&b);
}

typedef int32_t runner(const void *how, char *const *buffers, int64_t begin, int64_t end);

static void check_long(const char *name, runner *run, const void *how)
{
    int64_t out[2] = {0}, want[2] = {0};
    watch w = {.stop = look};
    char *buffers[] = {(char *)out, (char *)&w};
    for (int64_t i = 0; i < 2; i++)
        for (int64_t r = 0; r < OUTER; r++)
            for (int64_t k = 0; k < INNER; k += 3)
                want[i] += r * k + i;
    CHECK_INT(run(how, buffers, 0, 2), 0);
    CHECK(out[0] == want[0] && out[1] == want[1]);
    CHECK(w.polls >= 2 * OUTER * 4 && w.polls <= 2 * OUTER * 50); /* 5 or so cheap ones a turn */
    w = (watch){.stop = look, .until = 3};
    out[0] = -1;
    CHECK_INT(run(how, buffers, 0, 2), -99);
    CHECK(w.polls == 3 && out[0] == -1);
    if (check_failed)
        printf("    %s: %u polls\n", name, w.polls);
}

static int32_t interpret(const void *how, char *const *buffers, int64_t begin, int64_t end)
{
    int32_t status = 0;
    CHECK(loop_interpret(how, buffers, begin, end, NULL, &status) == NULL);
    return status;
}

static int32_t call(const void *how, char *const *buffers, int64_t begin, int64_t end)
{
    code_function *const *f = how;
    return (*f)(buffers, begin, end, NULL);
}

static void check_llvm(const target_function *f)
{
    context *cx = context_new(NULL, NULL);
    text_buffer object;
    code *c = NULL;
    text_init(&object, &memory_system);
    if (CHECK(cx && target_llvm(cx, f, 1, NULL, &object) == TN_OK) &&
        CHECK(code_load(&memory_system, object.at, object.n, &c) == TN_OK)) {
        code_function *run = code_find(c, f->name);
        if (CHECK(run != NULL))
            check_long("llvm", call, &run);
    }
    code_free(c);
    text_release(&object);
    context_free(cx);
}

static void check_compiler(const char *compiler, const target_function *f)
{
    char folder[] = COMPILER_FOLDER;
    text_buffer text;
    if (!has_compiler(compiler) || !CHECK(mkdtemp(folder) != NULL))
        return;
    text_init(&text, &memory_system);
    target_c(f, 1, true, 0, &text);
    void *handle = compile_and_load(folder, compiler, "-std=c17 -O2", &text);
    void *symbol = handle ? dlsym(handle, f->name) : NULL;
    code_function *run;
    memcpy(&run, &symbol, sizeof run);
    if (CHECK(symbol != NULL))
        check_long(compiler, call, &run);
    if (handle)
        (void)dlclose(handle);
    text_release(&text);
    (void)rmdir(folder);
}

static void test_long(void)
{
    arena memory;
    arena_init(&memory, &memory_system);
    const loop_program *p = long_sum(&memory), *q = NULL;
    if (CHECK(p != NULL)) {
        CHECK(loop_with_polls(p, 1, LOOP_POLL_EVERY, &memory) == p); /* not long at all */
        q = loop_with_polls(p, 1, 200, &memory);
    }
    if (CHECK(q && q != p)) {
        const target_function f = {"long_sum", q};
        check_long("interpreter", interpret, q);
        if (target_llvm_is_installed())
            check_llvm(&f);
        for (unsigned k = 0; k < COMPILERS; k++)
            check_compiler(compiler_names[k], &f);
    }
    arena_release(&memory);
}

int main(void)
{
    test_random();
    test_long();
    return check_result();
}
