/* Inputs that are made constants. */
#include "api_fixture.h"

static const char text[] =
    "func @main(%a: tensor<f32, 2>, %p: (tensor<f32, 2>, tensor<i1>), %b: tensor<f32, ?N>) -> "
    "(tensor<f32, 2>, tensor<f32, ?N>, tensor<i1>) {\n"
    "  %s = sub(%a, %p[0]) -> tensor<f32, 2>\n"
    "  %i = stop_gradient(%p[1]) -> tensor<i1>\n"
    "  return %s, %b, %i\n"
    "}\n";

static tn_module *read_text(tn_context *cx)
{
    tn_module *m = NULL;
    tn_read_options o = {.dialect = "ptir-text"};
    CHECK_INT(tn_module_read(cx, &o, text, strlen(text), &m), TN_OK);
    return m;
}

static void check_input(const tn_module *m, size_t index, const char *name)
{
    tn_port port;
    CHECK_INT(tn_module_input(m, index, &port), TN_OK);
    CHECK_TEXT(port.name, name);
}

static void test_values(tn_context *cx)
{
    tn_module *m = read_text(cx);
    float a[2] = {5, 7}, p[2] = {1, 2}, b[3] = {1, 2, 3}, s[2] = {0}, z[3];
    unsigned char flag = 200, flag_out = 9;
    tn_program *program = NULL;
    if (!m)
        return;
    CHECK_INT(tn_module_set_constant(m, 1, &(tn_buffer){p, sizeof p, {TN_F32, 1, {2}}}), TN_OK);
    CHECK_INT(tn_module_input_count(m), 3);
    p[0] = 100; /* it was copied */
    check_input(m, 0, "a");
    check_input(m, 1, "p.1");
    check_input(m, 2, "b");
    CHECK_INT(tn_module_set_constant(m, 1, &(tn_buffer){&flag, 1, {TN_I1, 0, {0}}}), TN_ERR_INPUT);
    flag = 1;
    CHECK_INT(tn_module_set_constant(m, 1, &(tn_buffer){&flag, 1, {TN_I1, 0, {0}}}), TN_OK);
    CHECK_INT(tn_module_set_constant(m, 0, &(tn_buffer){a, sizeof a, {TN_F32, 1, {2}}}), TN_OK);
    CHECK_INT(tn_module_input_count(m), 1);
    CHECK_INT(tn_module_verify(m), TN_OK);
    CHECK_INT(tn_module_run_passes(m, "fold-parameters,dce", NULL), TN_OK);
    CHECK_INT(tn_program_compile(m, NULL, &program), TN_OK);
    tn_buffer in = {b, sizeof b, {TN_F32, 1, {3}}};
    tn_buffer out[3] = {{s, sizeof s, {TN_F32, 1, {2}}},
                        {z, sizeof z, {TN_F32, 1, {3}}},
                        {&flag_out, 1, {TN_I1, 0, {0}}}};
    if (program)
        CHECK_INT(tn_program_run(program, &in, 1, out, 3, NULL), TN_OK);
    CHECK(s[0] == 4 && s[1] == 5 && z[2] == 3 && flag_out == 1);
    tn_program_free(program);
    tn_module_free(m);
}

/* An input that was made a constant keeps its name, by which it becomes an input again. */
static void test_opened_again(tn_context *cx)
{
    tn_module *m = read_text(cx);
    float p[2] = {1, 2};
    tn_buffer v = {0};
    if (!m)
        return;
    CHECK_INT(tn_module_set_constant(m, 1, &(tn_buffer){p, sizeof p, {TN_F32, 1, {2}}}), TN_OK);
    CHECK_INT(tn_module_open_constant(m, "p.1", &v), TN_ERR_USAGE);
    CHECK_INT(tn_module_open_constant(m, "p.0", &v), TN_OK);
    CHECK(v.bytes == 8 && ((float *)v.data)[1] == 2);
    CHECK_INT(tn_module_verify(m), TN_OK);
    check_input(m, 0, "a");
    check_input(m, 1, "p.0");
    check_input(m, 2, "p.1");
    tn_module_free(m);
}

/* A constant becomes an input where it stands, and has its value for the caller. */
static void test_opened(tn_context *cx)
{
    static const char program_text[] = "func @main(%x: tensor<f32, 2>) -> tensor<f32, 2> {\n"
                                       "  %w = constant value[2.0, 3.0] -> tensor<f32, 2>\n"
                                       "  %v = constant value[5.0, 7.0] -> tensor<f32, 2>\n"
                                       "  %u = constant fill[1.5] -> tensor<f32, 2>\n"
                                       "  %y = mul(%x, %w) -> tensor<f32, 2>\n"
                                       "  %s = mul(%y, %u) -> tensor<f32, 2>\n"
                                       "  %z = add(%s, %v) -> tensor<f32, 2>\n"
                                       "  return %z\n}\n";
    tn_module *m = NULL;
    const tn_read_options options = {.dialect = "ptir-text"};
    tn_buffer w = {0}, v = {0}, u = {0};
    float x[2] = {1, 10}, z[2] = {0};
    tn_program *program = NULL;
    CHECK_INT(tn_module_read(cx, &options, program_text, sizeof program_text - 1, &m), TN_OK);
    if (!m)
        return;
    CHECK_INT(tn_module_open_constant(m, "q", &w), TN_ERR_USAGE);
    CHECK_INT(tn_module_open_constant(m, "x", &w), TN_ERR_USAGE);
    CHECK_INT(tn_module_open_constant(m, "y", &w), TN_ERR_USAGE);
    CHECK_INT(tn_module_open_constant(m, "v", &v), TN_OK);
    CHECK_INT(tn_module_open_constant(m, "w", &w), TN_OK);
    CHECK_INT(tn_context_set_limit(cx, "literal_bytes", 7), TN_OK);
    CHECK_INT(tn_module_open_constant(m, "u", &u), TN_ERR_REJECTED);
    CHECK_INT(tn_context_set_limit(cx, "literal_bytes", 1000), TN_OK);
    CHECK_INT(tn_module_open_constant(m, "u", &u), TN_OK);
    CHECK_INT(tn_module_open_constant(m, "w", NULL), TN_ERR_USAGE);
    CHECK_INT(tn_module_verify(m), TN_OK);
    CHECK_INT(tn_module_input_count(m), 4);
    check_input(m, 0, "x");
    check_input(m, 1, "w");
    check_input(m, 2, "v");
    check_input(m, 3, "u");
    CHECK(w.bytes == 8 && v.bytes == 8 && w.type.rank == 1 && w.type.dims[0] == 2);
    CHECK(((float *)w.data)[1] == 3 && ((float *)v.data)[1] == 7);
    CHECK(u.bytes == 8 && ((float *)u.data)[0] == 1.5F && ((float *)u.data)[1] == 1.5F);
    CHECK_INT(tn_program_compile(m, NULL, &program), TN_OK);
    const tn_buffer in[] = {{x, sizeof x, w.type}, v, w, u}; /* exchanged */
    tn_buffer out = {z, sizeof z, w.type};
    if (program)
        CHECK_INT(tn_program_run(program, in, 4, &out, 1, NULL), TN_OK);
    CHECK(z[0] == 9.5F && z[1] == 108);
    tn_program_free(program);
    tn_module_free(m);
}

static void test_faults(tn_context *cx, const record *r)
{
    tn_module *m = read_text(cx);
    float x[3] = {0};
    if (!m)
        return;
    CHECK_INT(tn_module_set_constant(m, 4, &(tn_buffer){x, 8, {TN_F32, 1, {2}}}), TN_ERR_USAGE);
    CHECK_INT(tn_module_set_constant(m, 0, &(tn_buffer){x, 12, {TN_F32, 1, {3}}}), TN_ERR_INPUT);
    CHECK_TEXT(r->kind, "InputMismatch");
    CHECK_TEXT(r->code, "DynamicDimensionMismatch"); /* of PTIR, for other extents alone */
    CHECK_INT(tn_module_set_constant(m, 0, &(tn_buffer){x, 8, {TN_SI32, 1, {2}}}), TN_ERR_INPUT);
    CHECK_TEXT(r->code, "InputMismatch");
    CHECK_INT(tn_module_set_constant(m, 2, &(tn_buffer){(char[]){2}, 1, {TN_I1, 0, {0}}}),
              TN_ERR_INPUT);
    CHECK_TEXT(r->code, "InputMismatch");
    CHECK(strstr(r->message, "i1 holds 0 and 1") != NULL);
    CHECK_INT(tn_module_set_constant(m, 0, &(tn_buffer){x, 4, {TN_F32, 1, {2}}}), TN_ERR_INPUT);
    CHECK_TEXT(r->code, "InputMismatch");
    CHECK_INT(tn_module_borrow_constant(m, 0, &(tn_buffer){(char *)x + 1, 8, {TN_F32, 1, {2}}}),
              TN_ERR_INPUT);
    CHECK_INT(tn_module_set_constant(m, 3, &(tn_buffer){x, 12, {TN_F32, 2, {3, 1}}}), TN_ERR_INPUT);
    CHECK_TEXT(r->kind, "InputMismatch");
    CHECK_INT(tn_context_set_limit(cx, "literal_bytes", 7), TN_OK);
    CHECK_INT(tn_module_set_constant(m, 0, &(tn_buffer){x, 8, {TN_F32, 1, {2}}}), TN_ERR_REJECTED);
    CHECK_TEXT(r->kind, "LimitExceeded");
    CHECK_INT(tn_context_set_limit(cx, "literal_bytes", 1000), TN_OK);
    CHECK_INT(tn_module_input_count(m), 4);
    CHECK_INT(tn_module_verify(m), TN_OK);
    tn_module_free(m);
}

static const char symbolic[] =
    "func @main(%w: tensor<f32, ?Kx?N>, %x: tensor<f32, ?Mx?K>, %b: tensor<f32, ?\"(N*2)\">, "
    "%c: tensor<f32, ?\"(P*Q)\">) -> (tensor<f32, ?Mx?N>, tensor<f32, ?\"(N*2)\">) {\n"
    "  %y = dot_general(%x, %w) contract_lhs[1] contract_rhs[0] -> tensor<f32, ?Mx?N>\n"
    "  %e = neg(%b) -> tensor<f32, ?\"(N*2)\">\n"
    "  return %y, %e\n"
    "}\n";

/* The shape of a constant is that of its input, everywhere; other sizes stay open. */
static void test_symbols(tn_context *cx, const record *r)
{
    tn_module *m = NULL;
    tn_port port;
    tn_read_options o = {.dialect = "ptir-text"};
    float w[6] = {1, 2, 3, 4, 5, 6};
    CHECK_INT(tn_module_read(cx, &o, symbolic, strlen(symbolic), &m), TN_OK);
    if (!m)
        return;
    CHECK_INT(tn_module_set_constant(m, 2, &(tn_buffer){w, 20, {TN_F32, 1, {5}}}), TN_ERR_REJECTED);
    CHECK_TEXT(r->kind, "DimensionBinding");
    CHECK_INT(tn_module_set_constant(m, 3, &(tn_buffer){w, 24, {TN_F32, 1, {6}}}), TN_ERR_REJECTED);
    CHECK_TEXT(r->kind, "UnboundSymbol");
    CHECK_INT(tn_module_set_constant(m, 0, &(tn_buffer){w, 23, {TN_F32, 2, {2, 3}}}), TN_ERR_INPUT);
    CHECK_INT(tn_module_input(m, 1, &port), TN_OK);
    CHECK_INT(port.type.dims[0], TN_DIM_UNKNOWN);
    CHECK_INT(port.type.dims[1], TN_DIM_UNKNOWN);
    CHECK_INT(tn_module_set_constant(m, 0, &(tn_buffer){w, 24, {TN_F32, 2, {2, 3}}}), TN_OK);
    CHECK_INT(tn_module_verify(m), TN_OK);
    CHECK_INT(tn_module_input_count(m), 3);
    CHECK_INT(tn_module_input(m, 0, &port), TN_OK);
    CHECK_INT(port.type.dims[0], TN_DIM_UNKNOWN);
    CHECK_INT(port.type.dims[1], 2);
    CHECK_INT(tn_module_input(m, 1, &port), TN_OK);
    CHECK_INT(port.type.dims[0], 6);
    CHECK_INT(tn_module_output(m, 0, &port), TN_OK);
    CHECK_INT(port.type.dims[1], 3);
    tn_module_free(m);
}

static const char sum[] =
    "func @main(%a: tensor<f32, ?M>, %b: tensor<f32, ?N>) -> tensor<f32, ?N> {\n"
    "  %y = add(%a, %b) -> tensor<f32, ?N>\n"
    "  return %y\n"
    "}\n";

/* What is added has the same extent, of 1 too: it does not begin to broadcast. */
static void test_demanded(tn_context *cx)
{
    tn_module *m = NULL;
    tn_port port;
    tn_read_options o = {.dialect = "ptir-text"};
    float one[1] = {1};
    CHECK_INT(tn_module_read(cx, &o, sum, strlen(sum), &m), TN_OK);
    if (!m)
        return;
    CHECK_INT(tn_module_set_constant(m, 0, &(tn_buffer){one, 4, {TN_F32, 1, {1}}}), TN_OK);
    CHECK_INT(tn_module_input(m, 0, &port), TN_OK);
    CHECK_INT(port.type.dims[0], 1);
    tn_module_free(m);
}

enum { MANY = 1 << 17 }; /* elements of a constant that copies share */

/* W * X, where W is to be a constant. */
static tn_module *read_large(tn_context *cx)
{
    char large[256];
    tn_module *m = NULL;
    tn_read_options o = {.dialect = "ptir-text"};
    (void)snprintf(large, sizeof large,
                   "func @main(%%w: tensor<f32, %d>, %%x: tensor<f32, %d>) -> tensor<f32, %d> {\n"
                   "  %%y = mul(%%w, %%x) -> tensor<f32, %d>\n  return %%y\n}\n",
                   (int)MANY, (int)MANY, (int)MANY, (int)MANY);
    CHECK_INT(tn_module_read(cx, &o, large, strlen(large), &m), TN_OK);
    return m;
}

static float *make_numbers(float from)
{
    float *x = malloc(MANY * sizeof *x);
    for (int i = 0; x && i < MANY; i++)
        x[i] = from + (float)(i % 100);
    return x;
}

/* Large constants lie in memory once, or not at all where they are borrowed, and live as long as
 * the last of module and program. */
static void test_large(bool is_borrowed)
{
    const size_t bytes = MANY * sizeof(float);
    const tn_type type = {TN_F32, 1, {MANY}};
    const tn_compile_options simply = {.engine = "ref"};
    meter m = {0};
    const tn_allocator counting = {metered, &m};
    float *w = make_numbers(1), *x = make_numbers(2), *y = make_numbers(0);
    tn_context *cx = tn_context_new(&counting, NULL);
    tn_module *graph = cx && w && x && y ? read_large(cx) : NULL;
    tn_program *program = NULL;
    if (graph) {
        const tn_buffer value = {w, bytes, type}, in = {x, bytes, type};
        tn_buffer out = {y, bytes, type};
        CHECK_INT(
            (is_borrowed ? tn_module_borrow_constant : tn_module_set_constant)(graph, 0, &value),
            TN_OK);
        CHECK_INT(tn_program_compile(graph, &simply, &program), TN_OK);
        CHECK(m.alive < (is_borrowed ? bytes / 2 : bytes + bytes / 2));
        tn_module_free(graph);
        if (!is_borrowed)
            memset(w, 0, bytes);
        CHECK_INT(tn_program_run(program, &in, 1, &out, 1, NULL), TN_OK);
        CHECK(y[0] == 2 && y[101] == 6 && y[99] == 100 * 101);
    }
    tn_program_free(program);
    tn_context_free(cx);
    CHECK_INT(m.alive, 0);
    CHECK_INT(m.wrong, 0);
    free(w);
    free(x);
    free(y);
}

static void test_large_without_memory(void)
{
    bool failed = true;
    float *w = make_numbers(1);
    for (unsigned n = 1; w && failed && n < 10000; n++) {
        meter m = {0};
        const tn_allocator counting = {metered, &m};
        tn_context *cx = tn_context_new(&counting, NULL);
        tn_module *graph = read_large(cx);
        tn_program *program = NULL;
        const tn_buffer value = {w, MANY * sizeof *w, {TN_F32, 1, {MANY}}};
        m.fail_at = m.requests + n;
        tn_status s = tn_module_set_constant(graph, 0, &value);
        if (s == TN_OK)
            s = tn_program_compile(graph, &(tn_compile_options){.engine = "ref"}, &program);
        failed = m.failed;
        CHECK(s == TN_OK || (failed && s == TN_ERR_NOMEM));
        m.fail_at = 0;
        tn_program_free(program);
        tn_module_free(graph);
        tn_context_free(cx);
        CHECK_INT(m.alive, 0);
        CHECK_INT(m.wrong, 0);
    }
    CHECK(!failed);
    free(w);
}

/* A module of its own, with one request for memory after the other refused. */
static void test_no_memory(void)
{
    bool failed = true;
    for (unsigned n = 1; failed && n < 10000; n++) {
        meter m = {0};
        tn_allocator counting = {metered, &m};
        record r = {0};
        tn_diagnostic_sink sink = {remember, &r};
        float p[2] = {1, 2};
        tn_context *cx = tn_context_new(&counting, &sink);
        tn_module *graph = read_text(cx);
        m.fail_at = m.requests + n;
        tn_status s = tn_module_set_constant(graph, 1, &(tn_buffer){p, sizeof p, {TN_F32, 1, {2}}});
        if (s == TN_OK)
            s = tn_module_set_constant(graph, 2, &(tn_buffer){p, sizeof p, {TN_F32, 1, {2}}});
        if (s == TN_OK)
            s = tn_module_run_passes(graph, "fold-parameters,dce", NULL);
        failed = m.failed;
        CHECK(s == TN_OK || (failed && s == TN_ERR_NOMEM && r.n > 0));
        m.fail_at = 0;
        tn_module_free(graph);
        tn_context_free(cx);
        CHECK_INT(m.alive, 0);
        CHECK_INT(m.wrong, 0);
    }
    CHECK(!failed);
}

int main(void)
{
    test_no_memory();
    test_large(false);
    test_large(true);
    test_large_without_memory();
    record r = {0};
    tn_diagnostic_sink sink = {remember, &r};
    tn_context *cx = tn_context_new(NULL, &sink);
    test_values(cx);
    test_opened_again(cx);
    test_opened(cx);
    test_faults(cx, &r);
    test_symbols(cx, &r);
    test_demanded(cx);
    tn_context_free(cx);
    return check_result();
}
