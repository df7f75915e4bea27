/* Runs that are compared with the reference evaluator: silent where all is well; and where a kernel
 * is broken, which is done here to code that was already made, it is the one that is named. */
#include "api/api.h"
#include "api_fixture.h"
#include "runtime/tape_parts.h"
#include "target/target.h"

/* ---- programs of all kinds ---- */

static const char rows_text[] = "%0 = Input () {name=\"x\"} : tensor<f32>[5, 7]\n"
                                "%1 = Exp (%0) : tensor<f32>[5, 7]\n"
                                "%2 = Sum (%1) {axes=[1], keepdims=true} : tensor<f32>[5, 1]\n"
                                "%3 = BinOp (%1, %2) {op=Div} : tensor<f32>[5, 7]\n"
                                "%4 = Input () {name=\"w\"} : tensor<f32>[7, 3]\n"
                                "%5 = MatMul (%3, %4) : tensor<f32>[5, 3]\n"
                                "%6 = Sum (%0) {axes=[0], keepdims=false} : tensor<f32>[7]\n"
                                "outputs: %5, %6\n";

/* One kernel. */
static const char turns_text[] =
    "func @main(%x: tensor<f32, 9>) -> tensor<f32, 9> {\n"
    "  %z = constant value[0.0] -> tensor<f32>\n"
    "  %r = while(%x, %z) cond_region[1] body_region[2] -> (tensor<f32, 9>, tensor<f32>)\n"
    "  return %r[0]\n"
    "}\n"
    "region @1(%x: tensor<f32, 9>, %i: tensor<f32>) -> "
    "(tensor<i1>, tensor<f32, 9>, tensor<f32>) {\n"
    "  %n = constant value[6.0] -> tensor<f32>\n"
    "  %p = compare(%i, %n) op[less] -> tensor<i1>\n"
    "  return %p, %x, %i\n"
    "}\n"
    "region @2(%x: tensor<f32, 9>, %i: tensor<f32>) -> (tensor<f32, 9>, tensor<f32>) {\n"
    "  %n = constant value[1.0] -> tensor<f32>\n"
    "  %j = add(%i, %n) -> tensor<f32>\n"
    "  %y = tanh(%x) -> tensor<f32, 9>\n"
    "  return %y, %j\n"
    "}\n";

/* Kernels of regions. */
static const char while_text[] =
    "func @main(%x: tensor<f32, 9>) -> tensor<f32, 9> {\n"
    "  %z = constant value[0.0] -> tensor<f32>\n"
    "  %r = while(%z, %x) cond_region[1] body_region[2] -> (tensor<f32>, tensor<f32, 9>)\n"
    "  return %r[1]\n"
    "}\n"
    "region @1(%i: tensor<f32>, %x: tensor<f32, 9>) -> "
    "(tensor<i1>, tensor<f32>, tensor<f32, 9>) {\n"
    "  %n = constant value[6.0] -> tensor<f32>\n"
    "  %p = compare(%i, %n) op[less] -> tensor<i1>\n"
    "  return %p, %i, %x\n"
    "}\n"
    "region @2(%i: tensor<f32>, %x: tensor<f32, 9>) -> (tensor<f32>, tensor<f32, 9>) {\n"
    "  %n = constant value[1.0] -> tensor<f32>\n"
    "  %j = add(%i, %n) -> tensor<f32>\n"
    "  %t = tanh(%x) -> tensor<f32, 9>\n"
    "  %s = reduce_sum(%t) axes[0] keepdims[true] -> tensor<f32, 1>\n"
    "  %b = broadcast_to(%s) shape[9] -> tensor<f32, 9>\n"
    "  %y = div(%t, %b) -> tensor<f32, 9>\n"
    "  return %j, %y\n"
    "}\n";

static const char cond_text[] =
    "func @main(%p: tensor<i1>, %x: tensor<f32, 9>) -> tensor<f32, 9> {\n"
    "  %r = cond(%p, %x) true_region[1] false_region[2] -> tensor<f32, 9>\n"
    "  return %r\n"
    "}\n"
    "region @1(%x: tensor<f32, 9>) -> tensor<f32, 9> {\n"
    "  %y = exp(%x) -> tensor<f32, 9>\n"
    "  return %y\n"
    "}\n"
    "region @2(%x: tensor<f32, 9>) -> tensor<f32, 9> {\n"
    "  %y = tanh(%x) -> tensor<f32, 9>\n"
    "  return %y\n"
    "}\n";

static const char update_text[] =
    "func @main(%x: tensor<f32, 6x4>, %u: tensor<f32, 1x4>) -> tensor<f32, 6x4> {\n"
    "  %k = constant value[2, 0] -> tensor<si32, 2>\n"
    "  %r = dynamic_update_slice(%x, %u, %k) sizes[1, 4] -> tensor<f32, 6x4>\n"
    "  return %r\n"
    "}\n";

static const char random_text[] = "func @main(%x: tensor<f32, 6x4>) -> tensor<f32, 6x4> {\n"
                                  "  %u = rng_uniform -> tensor<f32, 6x4>\n"
                                  "  %n = rng_normal -> tensor<f32, 6x4>\n"
                                  "  %a = add(%u, %n) -> tensor<f32, 6x4>\n"
                                  "  %r = mul(%a, %x) -> tensor<f32, 6x4>\n"
                                  "  return %r\n"
                                  "}\n";

static const char symbolic_text[] = "func @main(%x: tensor<f32, ?N>) -> tensor<f32, ?N> {\n"
                                    "  %e = exp(%x) -> tensor<f32, ?N>\n"
                                    "  return %e\n"
                                    "}\n";

/* The block whose first kernel is broken, and what reports call it. */
typedef struct sample {
    const char *dialect, *text;
    uint32_t block;
    const char *place;
} sample;

static const sample samples[] = {{"mind", add_text, 0, "of function main"},
                                 {"mind", network_text, 0, "of function main"},
                                 {"mind", rows_text, 0, "of function main"},
                                 {"ptir-text", turns_text, 0, "of function main"},
                                 {"ptir-text", while_text, 2, "of region region2"},
                                 {"ptir-text", cond_text, 1, "of region region1"},
                                 {"ptir-text", update_text, 0, "of function main"},
                                 {"ptir-text", random_text, 0, "of function main"},
                                 {"ptir-text", symbolic_text, 0, "of function main"}};
enum { SAMPLES = sizeof samples / sizeof *samples };

/* ---- runs ---- */

/* All that was reported. */
typedef struct story {
    unsigned n;
    char text[1 << 16];
} story;

static void listen(void *user, const tn_diagnostic *d)
{
    story *s = user;
    size_t n = strlen(s->text);
    s->n++;
    n += (size_t)snprintf(s->text + n, sizeof s->text - n, "%s: %s\n", d->kind, d->message);
    for (size_t i = 0; i < d->n_notes && n < sizeof s->text; i++)
        n += (size_t)snprintf(s->text + n, sizeof s->text - n, "%s\n", d->notes[i].message);
}

static tn_program *compile(tn_context *cx, const sample *s, bool check)
{
    tn_module *m = NULL;
    tn_program *p = NULL;
    const tn_read_options read = {.dialect = s->dialect};
    const tn_compile_options o = {.engine = check ? "jit" : "ref", .threads = 2, .check = check};
    tn_status status = tn_module_read(cx, &read, s->text, strlen(s->text), &m);
    if (status == TN_OK)
        status = tn_program_compile(m, &o, &p);
    CHECK_INT(status, TN_OK);
    tn_module_free(m);
    return p;
}

enum { MOST_PORTS = 4, MOST_BYTES = 512, SIZE = 11 };

typedef struct ports {
    char in_data[MOST_PORTS][MOST_BYTES], out_data[MOST_PORTS][MOST_BYTES];
    tn_buffer in[MOST_PORTS], out[MOST_PORTS];
} ports;

static void set_port(tn_buffer *b, char *data, const tn_port *port)
{
    *b = (tn_buffer){data, MOST_BYTES, port->type};
    for (uint32_t k = 0; k < b->type.rank; k++)
        if (b->type.dims[k] == TN_DIM_UNKNOWN)
            b->type.dims[k] = SIZE;
}

static tn_status run(const tn_program *p, ports *x)
{
    tn_port port;
    memset(x, 0, sizeof *x);
    for (size_t i = 0; i < tn_program_input_count(p); i++) {
        (void)tn_program_input(p, i, &port);
        set_port(&x->in[i], x->in_data[i], &port);
        CHECK_INT(tn_program_random_input(p, i, 5, &x->in[i]), TN_OK);
        if (port.type.dtype == TN_I1)
            x->in_data[i][0] = 1; /* the first region */
    }
    for (size_t i = 0; i < tn_program_output_count(p); i++) {
        (void)tn_program_output(p, i, &port);
        set_port(&x->out[i], x->out_data[i], &port);
    }
    return tn_program_run(p, x->in, tn_program_input_count(p), x->out, tn_program_output_count(p),
                          &(tn_run_options){.seed = 3});
}

/* ---- a broken kernel ---- */

static exe_kernel *real;
static uint32_t broken_buffer;

/* One bit of the first element that the kernel writes is wrong. */
static int32_t break_result(char *const *buffers, int64_t begin, int64_t end, char *scratch)
{
    const int32_t code = real(buffers, begin, end, scratch);
    if (begin == 0)
        buffers[broken_buffer][2] ^= 4;
    return code;
}

static int32_t break_nothing(char *const *buffers, int64_t begin, int64_t end, char *scratch)
{
    return real(buffers, begin, end, scratch);
}

/* The last kernel of BLOCK runs INSTEAD. */
static bool exchange(tape *t, uint32_t block, exe_kernel *instead)
{
    for (uint32_t i = exe_step_count(t->exe, block); i-- > 0;) {
        const exe_step *s = exe_step_at(t->exe, block, i);
        if (s->kind != EXE_KERNEL)
            continue;
        real = real ? real : t->code[s->code];
        broken_buffer = s->n_read;
        t->code[s->code] = instead;
        return true;
    }
    return false;
}

static void test_sample(const sample *s)
{
    story told = {0};
    const tn_diagnostic_sink sink = {listen, &told};
    tn_context *cx = tn_context_new(NULL, &sink);
    tn_program *ref = compile(cx, s, false), *p = compile(cx, s, true);
    ports x, y;
    real = NULL;
    if (!CHECK(ref && p))
        return;
    CHECK_INT(run(ref, &x), TN_OK);
    CHECK_INT(run(p, &y), TN_OK);
    CHECK(memcmp(x.out_data, y.out_data, sizeof x.out_data) == 0);
    tape *t = p->cache ? p->cache->at[0]->tape : p->tape;
    if (CHECK(exchange(t, s->block, break_result))) {
        CHECK_INT(told.n, 0);
        CHECK_INT(run(p, &y), TN_ERR_INTERNAL);
        CHECK_INT(told.n, 1);
        CHECK(strstr(told.text, "InternalError: kernel ") && strstr(told.text, s->place));
        CHECK(strstr(told.text, "differ; the first is [0"));
        CHECK(strstr(told.text, "code for the CPU 'native'"));
        CHECK(strstr(told.text, "and computes\n"));
        CHECK(strstr(told.text, "program 1 of ") && strstr(told.text, " = param.ptr"));
        told = (story){0};
        CHECK(exchange(t, s->block, break_nothing));
        CHECK_INT(run(p, &y), TN_OK);
        CHECK_INT(told.n, 0);
        CHECK(memcmp(x.out_data, y.out_data, sizeof x.out_data) == 0);
    }
    if (check_failed)
        printf("%s\n%s\n", s->text, told.text);
    tn_program_free(ref);
    tn_program_free(p);
    tn_context_free(cx);
}

/* Every request for memory fails in turn, or some of them: nothing leaks, and nothing is taken for
 * a fault of a kernel. */
static void test_no_memory(const sample *s)
{
    enum { STRIDE = 11 };
    for (unsigned n = 1;; n += STRIDE) {
        meter m = {.fail_at = n, .fail_once = n % 2 == 0};
        const tn_allocator a = {metered, &m};
        story told = {0};
        tn_context *cx = tn_context_new(&a, &(tn_diagnostic_sink){listen, &told});
        tn_module *from = NULL;
        tn_program *p = NULL;
        ports x;
        const tn_read_options read = {.dialect = s->dialect};
        const tn_compile_options o = {.threads = 1, .check = true};
        tn_status status =
            cx ? tn_module_read(cx, &read, s->text, strlen(s->text), &from) : TN_ERR_NOMEM;
        if (status == TN_OK)
            status = tn_program_compile(from, &o, &p);
        if (status == TN_OK)
            status = run(p, &x);
        tn_program_free(p);
        tn_module_free(from);
        tn_context_free(cx);
        if (!CHECK(m.alive == 0 && m.wrong == 0) ||
            !CHECK(status == TN_OK || (status == TN_ERR_NOMEM && m.failed)))
            printf("    request %u: %d\n%s", n, (int)status, told.text);
        if (!m.failed)
            return;
    }
}

int main(void)
{
    CHECK(SAMPLES > 0);
    for (int i = 0; i < SAMPLES && target_llvm_is_installed(); i++)
        test_sample(&samples[i]);
    test_no_memory(&samples[2]);
    test_no_memory(&samples[3]);
    return check_result();
}
