/* What fails while a program is compiled has its own status all the way to the caller: no code
 * generator, no memory, a defect. LLVM's part is played by test/fake_llvm.c. */
#include "api_fixture.h"
#include "loop/ir/loop.h"

typedef struct sample {
    const char *how;
    tn_status status;
    tn_severity severity;
    const char *kind, *says;
} sample;

static const sample samples[] = {
    {"absent", TN_OK, TN_WARNING, "BackendUnavailable", "reference kernels"},
    {"memory", TN_ERR_NOMEM, TN_ERROR, "AllocationFailure", ""},
    {"broken", TN_ERR_INTERNAL, TN_ERROR, "InternalError", "LLVM refuses the code: made to fail"},
    {"nonsense", TN_ERR_INTERNAL, TN_ERROR, "InternalError", "the loader refuses"}};

static const char symbolic[] = "func @main(%x: tensor<f32, ?N>) -> tensor<f32, ?N> {\n"
                               "  %e = exp(%x) -> tensor<f32, ?N>\n"
                               "  return %e\n"
                               "}\n";

/* IS_LATE: the sizes are those of the run, which is what fails then. */
static void test_failure(const sample *s, bool is_late)
{
    record r = {0};
    const tn_diagnostic_sink sink = {remember, &r};
    tn_context *cx = tn_context_new(NULL, &sink);
    tn_module *m = NULL;
    tn_program *p = NULL;
    const char *text = is_late ? symbolic : network_text;
    const tn_read_options read = {.dialect = is_late ? "ptir-text" : "mind"};
    (void)setenv("FAKE_LLVM", s->how, 1);
    CHECK_INT(tn_module_read(cx, &read, text, strlen(text), &m), TN_OK);
    CHECK_INT(tn_program_compile(m, NULL, &p), is_late ? TN_OK : s->status);
    if (is_late && p) {
        float x[3] = {0, 1, 2}, y[3];
        const tn_type t = {TN_F32, 1, {3}};
        tn_buffer in = {x, sizeof x, t}, out = {y, sizeof y, t};
        CHECK_INT(tn_program_run(p, &in, 1, &out, 1, NULL), s->status);
        CHECK(s->status != TN_OK || y[0] == 1);
    }
    if (!CHECK_INT(r.n, 1))
        printf("    %s, %s\n", s->how, is_late ? "late" : "early");
    CHECK_INT(r.severity, s->severity);
    CHECK_TEXT(r.kind, s->kind);
    if (!CHECK(strstr(r.message, s->says)))
        printf("    %s\n", r.message);
    tn_program_free(p);
    tn_module_free(m);
    tn_context_free(cx);
}

/* What is built wrong is told from what lacks memory or is too much. */
static void test_programs(void)
{
    arena memory;
    loop_builder b;
    arena_init(&memory, &memory_system);
    loop_init(&b, &memory);
    const loop_program *p = loop_finish_or_fault(&b);
    CHECK(p && !p->fault);
    loop_init(&b, &memory);
    (void)loop_binary(&b, LOOP_FADD, loop_i64(&b, 1), loop_i64(&b, 2));
    p = loop_finish_or_fault(&b);
    CHECK(p && p->n == 0 && p->fault);
    CHECK(loop_finish(&b) == NULL);
    loop_init(&b, &memory);
    (void)loop_scratch(&b, UINT64_MAX / 2);
    CHECK(loop_finish_or_fault(&b) == NULL);
    CHECK(!memory.failed && !arena_calloc(&memory, SIZE_MAX, 2) && memory.failed);
    arena_release(&memory);
}

int main(void)
{
    (void)setenv("TENON_LLVM_PLUGIN", FAKE_LLVM, 1);
    (void)setenv("TENON_CACHE_DIR", "/dev/null/none", 1);
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        test_failure(&samples[i], false);
        test_failure(&samples[i], true);
    }
    test_programs();
    return check_result();
}
