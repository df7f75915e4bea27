/* Loop programs as C: every instruction and random programs, compiled by the compilers that are
 * installed with warnings as errors, against the interpreter. */
#include <dlfcn.h>
#include <unistd.h>

#include "loop_cases.h"
#include "loop_random.h"
#include "target/target.h"

typedef struct compiler {
    const char *command;
    bool is_here;
} compiler;

#define WARNINGS                                                                                   \
    "-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wmissing-prototypes -Werror "

static bool run_command(const char *text)
{
    return system(text) == 0; /* NOLINT(cert-env33-c): fixed texts of the test itself */
}

/* Compile TEXT with COMMAND and FLAGS and load the result; NULL when the test failed. */
static void *compile(const char *folder, const char *command, const char *flags,
                     const text_buffer *text)
{
    char file[256], object[256], line[1024];
    static unsigned serial;
    serial++;
    (void)snprintf(file, sizeof file, "%s/p%u.c", folder, serial);
    (void)snprintf(object, sizeof object, "%s/p%u.so", folder, serial);
    FILE *f = fopen(file, "wb");
    const bool written = f && fwrite(text->at, 1, text->n, f) == text->n;
    if (!CHECK(f && fclose(f) == 0 && written))
        return NULL;
    (void)snprintf(line, sizeof line, "%s %s " WARNINGS "-fPIC -shared %s -o %s -lm", command,
                   flags, file, object);
    void *handle = CHECK(run_command(line)) ? dlopen(object, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!CHECK(handle != NULL))
        printf("    %s %s: %s\n", command, flags, file);
    (void)remove(object);
    if (handle)
        (void)remove(file);
    return handle;
}

static code_function *find(void *handle, const char *name)
{
    code_function *f;
    void *symbol = dlsym(handle, name);
    memcpy(&f, &symbol, sizeof f);
    return f;
}

/* Every STEP-th of the cases in one file. */
static void run_cases_with(const case_list *l, size_t step, const char *folder, const char *command,
                           const char *flags)
{
    target_function *functions = calloc(l->n, sizeof *functions);
    text_buffer text;
    size_t n = 0;
    text_init(&text, &memory_system);
    for (size_t k = 0; functions && k < l->n; k += step)
        functions[n++] = (target_function){l->at[k].name, l->at[k].program};
    target_c(functions, n, true, &text);
    void *handle = CHECK(!text.failed) ? compile(folder, command, flags, &text) : NULL;
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

enum { N_RANDOM = 60 };

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
    for (size_t k = 0; k < sizeof s->in; k += 8) {
        const uint64_t bits = edge(k / 64 % 2 ? 8 : 4);
        memcpy(s->in[0] + k, &bits, 8);
    }
    for (size_t k = 4; k < sizeof s->in; k += 8)
        if (k / 64 % 2 == 0) {
            const uint32_t bits = (uint32_t)edge(4);
            memcpy(s->in[0] + k, &bits, 4);
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
        printf("    seed %" PRIu64 " with %s: status %d, want %d; byte %zu of %s: %02x, want %02x\n",
               seed + k, how, status, s->status[k], at, loop_elem_name((loop_elem)s->elems[k][at]),
               (unsigned char)s->have[at], (unsigned char)s->want[k][at]);
    if (getenv("PRINT") && k == (size_t)atol(getenv("PRINT"))) { text_buffer t; text_init(&t, &memory_system); loop_print(s->programs[k], &t); fwrite(t.at, 1, t.n, stdout); }
}

static void test_random(uint64_t seed, const char *folder, const char *command, const char *flags)
{
    static random_set s;
    target_function functions[N_RANDOM];
    text_buffer text;
    text_init(&text, &memory_system);
    if (make_random(&s, seed)) {
        for (size_t k = 0; k < N_RANDOM; k++)
            functions[k] = (target_function){s.names[k], s.programs[k]};
        target_c(functions, N_RANDOM, true, &text);
        void *handle = CHECK(!text.failed) ? compile(folder, command, flags, &text) : NULL;
        for (size_t k = 0; handle && k < N_RANDOM; k++)
            run_random(&s, k, find(handle, s.names[k]), seed, flags);
        if (handle)
            (void)dlclose(handle);
    }
    text_release(&text);
    arena_release(&s.memory);
}

int main(void)
{
    char folder[] = "/tmp/tenon-test-XXXXXX", line[64];
    compiler compilers[] = {{"gcc", false}, {"clang", false}};
    case_list *l = all_cases();
    if (!CHECK(l && mkdtemp(folder)))
        return check_result();
    for (size_t k = 0; k < 2; k++) {
        (void)snprintf(line, sizeof line, "command -v %s >/dev/null", compilers[k].command);
        compilers[k].is_here = run_command(line);
        if (compilers[k].is_here)
            getenv("SEED") ? test_random((uint64_t)atol(getenv("SEED")), folder, compilers[k].command, getenv("FLAGS")) : 
            run_cases_with(l, 1, folder, compilers[k].command, getenv("FLAGS"));
    }
    arena_release(&l->memory);
    free(l);
    (void)rmdir(folder);
    return check_result();
}
