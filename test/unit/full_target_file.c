/* Whole programs as a C file with its header, as an archive and as a shared object. */
#include "compilers.h"
#include "loop/ir/loop.h"
#include "runtime/code.h"
#include "target/object_archive.h"
#include "target/target_program.h"

enum { N = 37, TEMPORARY_BYTES = 192, SCRATCH_BYTES = 64 }; /* 4 N bytes, rounded up */

static loop_value element_at(loop_builder *b, uint32_t buffer, loop_value i)
{
    return loop_offset(b, loop_buffer(b, buffer), loop_binary(b, LOOP_IMUL, i, loop_i64(b, 4)));
}

static loop_value number_at(loop_builder *b, uint32_t buffer, loop_value i)
{
    return loop_load(b, loop_type_of(LOOP_F32, 1), element_at(b, buffer, i), 4);
}

/* Buffer 2 = buffer 0 OP buffer 1, through scratch memory; fails when an element is above 100. */
static const loop_program *pairs(arena *memory, loop_op op)
{
    loop_builder b;
    loop_init(&b, memory);
    const loop_value scratch = loop_scratch(&b, SCRATCH_BYTES);
    const loop_value i =
        loop_for(&b, loop_param_value(&b, LOOP_BEGIN), loop_param_value(&b, LOOP_END_AT), 1);
    const loop_value x = loop_binary(&b, op, number_at(&b, 0, i), number_at(&b, 1, i));
    loop_store(&b, scratch, x, 4);
    const loop_type t = loop_type_of(LOOP_F32, 1);
    const loop_value y = loop_load(&b, t, scratch, 4);
    loop_fail(&b, loop_binary(&b, LOOP_FLT, loop_float(&b, t, 100), y), 7);
    loop_store(&b, element_at(&b, 2, i), y, 4);
    loop_end(&b);
    return loop_finish(&b);
}

/* z = (x + c) * y, by way of the workspace. */
typedef struct example {
    arena memory;
    target_function functions[3];
    float numbers[N];
    target_constant constants[2];
    target_buffer buffers[5];
    uint32_t lists[2][3];
    target_step steps[2];
    target_block blocks[1];
    target_port inputs[2], outputs[1];
    int64_t dims[1];
    target_program program;
} example;

static bool make_example(example *e)
{
    arena_init(&e->memory, &memory_system);
    e->functions[0] = (target_function){"add_k", pairs(&e->memory, LOOP_FADD)};
    e->functions[1] = (target_function){"never_called", pairs(&e->memory, LOOP_FSUB)};
    e->functions[2] = (target_function){"mul_k", pairs(&e->memory, LOOP_FMUL)};
    for (int k = 0; k < N; k++)
        e->numbers[k] = 0.25f * (float)k;
    e->constants[0] = (target_constant){"unused", 6, NULL};
    e->constants[1] = (target_constant){e->numbers, sizeof e->numbers, "c: */ int x; /*"};
    e->buffers[0] = (target_buffer){TARGET_INPUT, 0, 0};
    e->buffers[1] = (target_buffer){TARGET_CONSTANT, 1, 0};
    e->buffers[2] = (target_buffer){TARGET_WORKSPACE, 0, 0};
    e->buffers[3] = (target_buffer){TARGET_INPUT, 1, 0};
    e->buffers[4] = (target_buffer){TARGET_OUTPUT, 0, 0};
    memcpy(e->lists[0], (const uint32_t[]){0, 1, 2}, sizeof e->lists[0]);
    memcpy(e->lists[1], (const uint32_t[]){2, 3, 4}, sizeof e->lists[1]);
    e->steps[0] = (target_step){0, 3, e->lists[0], N, 0, "x + c", TARGET_KERNEL, 0};
    e->steps[1] = (target_step){2, 3, e->lists[1], N, 0, NULL, TARGET_KERNEL, 0};
    e->dims[0] = N;
    e->inputs[0] = (target_port){"x */", TN_F32, 1, e->dims, 4 * N, 4};
    e->inputs[1] = (target_port){NULL, TN_F32, 1, e->dims, 4 * N, 4};
    e->outputs[0] = (target_port){"z", TN_F32, 1, e->dims, 4 * N, 4};
    e->blocks[0] = (target_block){e->steps, 2, 2, 1, 0, NULL};
    e->program = (target_program){.name = "net",
                                  .note = "net.ir\n*/ ?"
                                          "?/",
                                  .functions = e->functions,
                                  .inputs = e->inputs,
                                  .outputs = e->outputs,
                                  .constants = e->constants,
                                  .buffers = e->buffers,
                                  .blocks = e->blocks,
                                  .n_functions = 3,
                                  .n_inputs = 2,
                                  .n_outputs = 1,
                                  .n_constants = 2,
                                  .n_buffers = 5,
                                  .n_blocks = 1,
                                  .temporary_bytes = TEMPORARY_BYTES,
                                  .scratch_bytes = SCRATCH_BYTES};
    return CHECK(e->functions[0].program && e->functions[1].program && e->functions[2].program);
}

typedef int run_function(const void *const *inputs, void *const *outputs, void *workspace);

static void check_run(void *handle)
{
    static _Alignas(TARGET_ALIGN) char workspace[TEMPORARY_BYTES + SCRATCH_BYTES];
    float x[N], y[N], z[N];
    const void *inputs[] = {x, y};
    void *outputs[] = {z};
    run_function *run;
    void *symbol = dlsym(handle, "net_run");
    memcpy(&run, &symbol, sizeof run);
    if (!CHECK(run != NULL))
        return;
    for (int k = 0; k < N; k++) {
        x[k] = (float)k / 3;
        y[k] = 1.5f - (float)k / 7;
    }
    CHECK_INT(run(inputs, outputs, workspace), 0);
    for (int k = 0; k < N; k++)
        CHECK(z[k] == (x[k] + 0.25f * (float)k) * y[k]);
    x[5] = 1000;
    CHECK_INT(run(inputs, outputs, workspace), 7);
    CHECK_INT(run(inputs, outputs, workspace + 32), TARGET_MISALIGNED);
    inputs[1] = (const char *)y + 1;
    CHECK_INT(run(inputs, outputs, workspace), TARGET_MISALIGNED);
    CHECK(dlsym(handle, "add_k") == NULL);
}

static void test_file(const char *folder, const char *compiler)
{
    static const char *const flags[] = {"-std=c17 -O2", "-std=gnu17 -O0 -Wwrite-strings"};
    example e;
    text_buffer text;
    for (size_t k = 0; k < sizeof flags / sizeof *flags && make_example(&e); k++) {
        text_init(&text, &memory_system);
        target_c_file(&e.program, &text);
        void *handle = compile_and_load(folder, compiler, flags[k], &text);
        if (handle) {
            check_run(handle);
            (void)dlclose(handle);
        }
        const char *s = text_c_string(&text);
        CHECK(s && !strstr(s, "never_called") && !strstr(s, "constant0"));
        text_release(&text);
        arena_release(&e.memory);
    }
}

/* A program without steps. */
static void test_empty(const char *folder, const char *compiler)
{
    static const target_block nothing = {0};
    const target_program p = {.name = "nothing", .blocks = &nothing, .n_blocks = 1};
    text_buffer text;
    text_init(&text, &memory_system);
    target_c_file(&p, &text);
    void *handle = compile_and_load(folder, compiler, "-std=c17", &text);
    if (handle)
        (void)dlclose(handle);
    text_release(&text);
}

/* The header of P, and MORE that a caller may write with it, are valid in C and in C++. */
static void check_header(const char *folder, const char *compiler, const target_program *p,
                         const char *more)
{
    static const char *const languages[] = {"-x c -std=c11", "-x c++ -std=c++17"};
    char path[256], line[512];
    text_buffer text;
    text_init(&text, &memory_system);
    target_c_header(p, &text);
    text_puts(&text, more);
    (void)snprintf(path, sizeof path, "%s/net.h", folder);
    CHECK(write_text(path, &text));
    for (size_t k = 0; k < 2; k++) {
        (void)snprintf(line, sizeof line,
                       "%s %s -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only %s",
                       compiler, languages[k], path);
        CHECK(run_shell(line));
    }
    (void)remove(path);
    text_release(&text);
}

static void test_header(const char *folder, const char *compiler)
{
    static const target_block nothing = {0};
    const target_program empty = {.name = "nothing", .blocks = &nothing, .n_blocks = 1};
    example e;
    if (!make_example(&e))
        return;
    check_header(folder, compiler, &e.program,
                 "\nint workspace = NET_WORKSPACE_BYTES + NET_INPUTS + NET_OUTPUTS;\n");
    check_header(folder, compiler, &empty, "\nchar workspace[NOTHING_WORKSPACE_BYTES];\n");
    e.program.shares_work = true;
    e.program.scratch_bytes = 0xfffffe00; /* together more than 32 bits say */
    check_header(
        folder, compiler, &e.program,
        "\nchar is_sum[sizeof(char *) < 8 || NET_WORKSPACE_BYTES(3) > 0x2fffff000 ? 1 : -1];\n");
    arena_release(&e.memory);
}

/* The example as an object file in OUT. */
static bool make_object(const char *folder, const char *compiler, text_buffer *out)
{
    char file[256], object[256], line[640], part[4096];
    example e;
    text_buffer text;
    if (!make_example(&e))
        return false;
    text_init(&text, &memory_system);
    target_c_file(&e.program, &text);
    (void)snprintf(file, sizeof file, "%s/net.c", folder);
    (void)snprintf(object, sizeof object, "%s/net.o", folder);
    (void)snprintf(line, sizeof line, "%s -std=c17 -O1 -fPIC -c %s -o %s", compiler, file, object);
    const bool made = CHECK(write_text(file, &text) && run_shell(line));
    FILE *f = made ? fopen(object, "rb") : NULL;
    for (size_t n = 1; f && n > 0;) {
        n = fread(part, 1, sizeof part, f);
        text_put(out, part, n);
    }
    if (f)
        (void)fclose(f);
    (void)remove(file);
    (void)remove(object);
    text_release(&text);
    arena_release(&e.memory);
    return CHECK(f != NULL);
}

static void test_archive(const char *folder, const char *compiler, const text_buffer *object)
{
    static const char *const symbols[] = {"net_run", "net_other"};
    static const char user[] = "int net_run(const void *const *, void *const *, void *);\n"
                               "void *use(void);\nvoid *use(void) { return (void *)net_run; }\n";
    char archive[128], file[128], shared[128], line[1024];
    text_buffer text;
    text_init(&text, &memory_system);
    (void)snprintf(archive, sizeof archive, "%s/libnet.a", folder);
    (void)snprintf(file, sizeof file, "%s/user.c", folder);
    (void)snprintf(shared, sizeof shared, "%s/user.so", folder);
    for (size_t n = 1; n <= 2; n++) {
        text_reset(&text);
        target_archive("a_name_of_15_ch", object->at, object->n, symbols, n, &text);
        CHECK(write_text(archive, &text) && text.n % 2 == 0);
        text_reset(&text);
        text_puts(&text, user);
        CHECK(write_text(file, &text));
        (void)snprintf(line, sizeof line,
                       "%s -fPIC -shared -w %s %s -o %s -lm && ar t %s >/dev/null", compiler, file,
                       archive, shared, archive);
        void *handle = CHECK(run_shell(line)) ? dlopen(shared, RTLD_NOW | RTLD_LOCAL) : NULL;
        if (CHECK(handle != NULL)) {
            check_run(handle);
            (void)dlclose(handle);
        }
    }
    (void)remove(archive);
    (void)remove(file);
    (void)remove(shared);
    text_release(&text);
}

static void test_shared(const char *folder, const text_buffer *object)
{
    static const char *const symbols[] = {"net_run"};
    char path[256];
    context *cx = context_new(NULL, NULL);
    text_buffer text;
    text_init(&text, &memory_system);
    (void)snprintf(path, sizeof path, "%s/net.so", folder);
    CHECK_INT(target_shared(cx, "net.so", object->at, object->n, symbols, 1, &text), TN_OK);
    CHECK(write_text(path, &text));
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (CHECK(handle != NULL)) {
        check_run(handle);
        (void)dlclose(handle);
    }
    text_reset(&text);
    CHECK_INT(target_shared(cx, "net.so", "no object", 9, symbols, 1, &text), TN_ERR_UNAVAILABLE);
    CHECK(setenv("PATH", "/nowhere", 1) == 0);
    CHECK_INT(target_shared(cx, "net.so", object->at, object->n, symbols, 1, &text),
              TN_ERR_UNAVAILABLE);
    CHECK(setenv("TMPDIR", "/nowhere", 1) == 0);
    CHECK_INT(target_shared(cx, "net.so", object->at, object->n, symbols, 1, &text), TN_ERR_IO);
    CHECK_INT(text.n, 0);
    (void)remove(path);
    text_release(&text);
    context_free(cx);
}

int main(void)
{
    char folder[] = COMPILER_FOLDER;
    text_buffer object;
    const char *found = NULL;
    text_init(&object, &memory_system);
    if (!CHECK(mkdtemp(folder) != NULL))
        return check_result();
    for (size_t k = 0; k < COMPILERS; k++) {
        if (!has_compiler(compiler_names[k]))
            continue;
        found = compiler_names[k];
        test_file(folder, found);
        test_empty(folder, found);
        test_header(folder, found);
    }
    if (found && make_object(folder, found, &object)) {
        test_archive(folder, found, &object);
        test_shared(folder, &object);
    }
    text_release(&object);
    (void)rmdir(folder);
    return check_result();
}
