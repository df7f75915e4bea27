/* Code made ahead of time through the public interface: forms, refusals, lack of memory, and an
 * object that runs. */
#include "api_fixture.h"
#include "base/text/text.h"
#include "runtime/code.h"
#include "target/target.h"

static const char loop_text[] =
    "func @main(%n: tensor<si32>, %x: tensor<f32, 3x3>, %b: tensor<i1>,"
    " %z: tensor<f32, 3x3x3>)"
    " -> (tensor<si32>, tensor<f32, 3x3>, tensor<f32, 3x3>, tensor<f32, 3x3>) {\n"
    "  %t = while(%n, %x) cond_region[0] body_region[1] -> (tensor<si32>, tensor<f32, 3x3>)\n"
    "  %s = scan(%x, %z) body_region[2] carry_count[1] scan_output_count[0] -> tensor<f32, 3x3>\n"
    "  %c = cond(%b, %x) true_region[3] false_region[4] -> tensor<f32, 3x3>\n"
    "  return %t[0], %t[1], %s, %c\n"
    "}\n"
    "region @0(%k: tensor<si32>, %x: tensor<f32, 3x3>)"
    " -> (tensor<i1>, tensor<si32>, tensor<f32, 3x3>) {\n"
    "  %c = compare(%k, literal<si32>[0]) op[greater] -> tensor<i1>\n"
    "  %v = transpose(%x) perm[1, 0] -> tensor<f32, 3x3>\n"
    "  %s = add(%v, %v) -> tensor<f32, 3x3>\n"
    "  %y = sub(%s, %x) -> tensor<f32, 3x3>\n"
    "  return %c, %k, %y\n"
    "}\n"
    "region @1(%k: tensor<si32>, %x: tensor<f32, 3x3>) -> (tensor<si32>, tensor<f32, 3x3>) {\n"
    "  %m = sub(%k, literal<si32>[1]) -> tensor<si32>\n"
    "  return %m, %x\n"
    "}\n"
    "region @2(%a: tensor<f32, 3x3>, %r: tensor<f32, 3x3>) -> tensor<f32, 3x3> {\n"
    "  %t = transpose(%a) perm[1, 0] -> tensor<f32, 3x3>\n"
    "  %y = add(%t, %r) -> tensor<f32, 3x3>\n"
    "  return %y\n"
    "}\n"
    "region @3(%x: tensor<f32, 3x3>) -> tensor<f32, 3x3> {\n"
    "  %y = neg(%x) -> tensor<f32, 3x3>\n"
    "  return %y\n"
    "}\n"
    "region @4(%x: tensor<f32, 3x3>) -> tensor<f32, 3x3> {\n"
    "  return %x\n"
    "}\n";

static tn_program *compiled(tn_context *cx, const char *dialect, const char *text)
{
    const tn_read_options options = {.dialect = dialect};
    const tn_compile_options ref = {.engine = "ref"};
    tn_module *m = NULL;
    tn_program *p = NULL;
    if (tn_module_read(cx, &options, text, strlen(text), &m) == TN_OK)
        (void)tn_program_compile(m, &ref, &p);
    tn_module_free(m);
    return p;
}

static bool append(void *user, const char *bytes, size_t n)
{
    text_buffer *to = user;
    text_put(to, bytes, n);
    return !to->failed;
}

/* What FORM of P is, in OUT. */
static tn_status emit(const tn_program *p, tn_emit_form form, const tn_emit_options *o,
                      text_buffer *out)
{
    text_init(out, &memory_system);
    return tn_program_emit(p, form, o, &(tn_writer){append, out});
}

static bool holds(text_buffer *text, const char *part)
{
    const char *s = text_c_string(text);
    return s && strstr(s, part);
}

static void test_text_forms(tn_context *cx)
{
    static const tn_emit_options named = {.name = "sum_of"};
    tn_program *p = compiled(cx, NULL, add_text);
    text_buffer text, again;
    if (!CHECK(p != NULL))
        return;
    CHECK_INT(emit(p, TN_EMIT_C, &named, &text), TN_OK);
    CHECK(holds(&text, "int sum_of_run(const void *const *inputs"));
    CHECK_INT(emit(p, TN_EMIT_C, &named, &again), TN_OK);
    CHECK(text.n == again.n && memcmp(text.at, again.at, text.n) == 0); /* nothing else matters */
    text_release(&again);
    text_release(&text);
    CHECK_INT(emit(p, TN_EMIT_HEADER, NULL, &text), TN_OK);
    CHECK(holds(&text, "#define PROGRAM_INPUTS 2") && holds(&text, "f32[2,3]  24 bytes  x"));
    text_release(&text);
    tn_program_free(p);
}

/* A refusal of STATUS and KIND. */
static void check_refusal(tn_context *cx, record *r, const char *dialect, const char *program,
                          const tn_emit_options *o, tn_status status, const char *kind)
{
    tn_program *p = compiled(cx, dialect, program);
    text_buffer text;
    if (!CHECK(p != NULL))
        return;
    *r = (record){0};
    CHECK_INT(emit(p, TN_EMIT_C, o, &text), status);
    CHECK(r->n == 1 && strcmp(r->kind, kind) == 0);
    CHECK(text.n == 0);
    text_release(&text);
    tn_program_free(p);
}

static void test_refusals(tn_context *cx, record *r)
{
    static const char symbols[] = "func @main(%x: tensor<f32, ?Rows>) -> tensor<f32, ?Rows> {\n"
                                  "  %y = neg(%x) -> tensor<f32, ?Rows>\n"
                                  "  return %y\n"
                                  "}\n";
    static const char custom[] = "func @main(%x: tensor<f32, 2>) -> tensor<f32, 2> {\n"
                                 "  %y = custom_call(%x) target[\"acme.f\"] -> tensor<f32, 2>\n"
                                 "  return %y\n"
                                 "}\n";
    static const char *const names[] = {"", "1st", "a-b", "a b", "\xc3\xa4"};
    check_refusal(cx, r, "ptir-text", symbols, NULL, TN_ERR_REJECTED, "UnboundSymbol");
    CHECK(strstr(r->message, "'Rows'") != NULL);
    check_refusal(cx, r, "ptir-text", custom, NULL, TN_ERR_UNAVAILABLE, "NotImplemented");
    CHECK(strstr(r->message, "'acme.f'") != NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_refusal(cx, r, NULL, add_text, &(tn_emit_options){.name = names[i]}, TN_ERR_USAGE,
                      "Usage");
    tn_program *p = compiled(cx, NULL, add_text);
    page full = {.refuses = true};
    if (CHECK(p != NULL))
        CHECK_INT(tn_program_emit(p, TN_EMIT_C, NULL, &(tn_writer){put, &full}), TN_ERR_IO);
    tn_program_free(p);
}

/* ---- objects ---- */

typedef int entry_function(const void *const *inputs, void *const *outputs, void *workspace);

static void check_loops(entry_function *run)
{
    static const float x[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9},
                       turned[9] = {1, -78, -157, 84, 5, -74, 167, 88, 9};
    static _Alignas(64) char workspace[4096];
    static float z[3][9];
    const int32_t n = 3;
    int32_t n_out = -1;
    float t[9], s[9], c[9], want[9], other[9];
    for (int i = 0; i < 27; i++)
        z[i / 9][i % 9] = (float)(i * i);
    for (uint8_t b = 0; b < 2; b++) {
        const void *inputs[] = {&n, x, &b, z};
        void *outputs[] = {&n_out, t, s, c};
        CHECK_INT(run(inputs, outputs, workspace), 0);
        CHECK_INT(n_out, 0);
        for (int i = 0; i < 9; i++)
            CHECK(t[i] == turned[i] && c[i] == (b ? -x[i] : x[i]));
    }
    memcpy(want, x, sizeof want);
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < 9; i++)
            other[i] = want[i % 3 * 3 + i / 3] + z[turn][i];
        memcpy(want, other, sizeof want);
    }
    for (int i = 0; i < 9; i++)
        CHECK(s[i] == want[i]);
}

static void test_object(tn_context *cx, record *r)
{
    static const tn_emit_options named = {.name = "loops"},
                                 unknown = {.name = "loops", .cpu = "no-such-cpu"},
                                 vax = {.name = "loops", .target = "vax-dec-ultrix"};
    tn_program *p = compiled(cx, "ptir-text", loop_text);
    text_buffer text;
    code *c = NULL;
    if (!CHECK(p != NULL))
        return;
    CHECK_INT(emit(p, TN_EMIT_LLVM_IR, &named, &text), TN_OK);
    CHECK(holds(&text, "@loops_run("));
    text_release(&text);
    CHECK_INT(emit(p, TN_EMIT_ASSEMBLY, &named, &text), TN_OK);
    CHECK(holds(&text, "loops_run:"));
    text_release(&text);
    CHECK_INT(emit(p, TN_EMIT_ARCHIVE, &named, &text), TN_OK);
    CHECK(text.n > 8 && memcmp(text.at, "!<arch>\n", 8) == 0);
    text_release(&text);
    CHECK_INT(emit(p, TN_EMIT_OBJECT, &unknown, &text), TN_ERR_UNAVAILABLE);
    CHECK(strcmp(r->kind, "BackendUnavailable") == 0 && strstr(r->message, "no-such-cpu"));
    text_release(&text);
    CHECK_INT(emit(p, TN_EMIT_OBJECT, &vax, &text), TN_ERR_UNAVAILABLE);
    text_release(&text);
    CHECK_INT(emit(p, TN_EMIT_OBJECT, &named, &text), TN_OK);
    if (code_load(&memory_system, text.at, text.n, &c) == TN_OK) {
        code_function *found = code_find(c, "loops_run");
        entry_function *run;
        memcpy(&run, &found, sizeof run);
        if (CHECK(found != NULL))
            check_loops(run);
        code_free(c);
    }
    text_release(&text);
    tn_program_free(p);
}

/* ---- no memory ---- */

static tn_status whole_way(tn_context *cx, const char *dialect, const char *text)
{
    const tn_read_options options = {.dialect = dialect};
    const tn_compile_options ref = {.engine = "ref"};
    text_buffer out;
    tn_module *m = NULL;
    tn_program *p = NULL;
    tn_status s = tn_module_read(cx, &options, text, strlen(text), &m);
    if (s == TN_OK)
        s = tn_program_compile(m, &ref, &p);
    if (s == TN_OK) {
        s = emit(p, TN_EMIT_C, NULL, &out);
        text_release(&out);
    }
    tn_program_free(p);
    tn_module_free(m);
    return s;
}

static void test_no_memory_of(const char *dialect, const char *text, unsigned step)
{
    unsigned failures = 0;
    for (unsigned n = 1; n < 100000; n += step) {
        record r = {0};
        tn_diagnostic_sink sink = {remember, &r};
        meter m = {.fail_at = n};
        tn_allocator counting = {metered, &m};
        tn_context *cx = tn_context_new(&counting, &sink);
        const tn_status s = cx ? whole_way(cx, dialect, text) : TN_ERR_NOMEM;
        tn_context_free(cx);
        if (!CHECK(m.alive == 0 && m.wrong == 0) ||
            !CHECK(s == TN_OK || (m.failed && s == TN_ERR_NOMEM && (r.n > 0 || !cx)))) {
            printf("    request %u: status %d, alive %zu, wrong sizes %u, %s: %s\n", n, (int)s,
                   m.alive, m.wrong, r.kind, r.message);
            return;
        }
        failures += s != TN_OK;
        if (!m.failed)
            break;
    }
    CHECK(failures > 10);
}

int main(void)
{
    record r = {0};
    tn_diagnostic_sink sink = {remember, &r};
    tn_context *cx = tn_context_new(NULL, &sink);
    if (CHECK(cx != NULL)) {
        test_text_forms(cx);
        test_refusals(cx, &r);
        if (target_llvm_is_installed())
            test_object(cx, &r);
    }
    tn_context_free(cx);
    test_no_memory_of(NULL, add_text, 1);
    test_no_memory_of(NULL, network_text, 7);
    test_no_memory_of("ptir-text", loop_text, 7);
    return check_result();
}
