/* Modules through the public interface alone: read from a file, described, bound, written. */
#include <unistd.h>

#include "api_fixture.h"
#include "tenon/convert.h"

static const char symbolic_text[] =
    "func @main(%x: tensor<f32, ?batchx3>) -> (tensor<f32, ?batchx3>, tensor<f32, ?N>) {\n"
    "  %a = abs(%x) -> tensor<f32, ?batchx3>\n"
    "  %b = reshape(%a) new_shape[infer] -> tensor<f32, ?N>\n"
    "  return %a, %b\n"
    "}\n";

/* A file of its own with TEXT. */
static bool make_file(char path[64], const char *text)
{
    (void)snprintf(path, 64, "/tmp/tenon-modules-XXXXXX");
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    return CHECK(file != NULL) && CHECK(fputs(text, file) >= 0) && CHECK(fclose(file) == 0);
}

static tn_module *read_text(tn_context *cx, const char *text)
{
    tn_module *m = NULL;
    return cx && CHECK_INT(tn_module_read(cx, NULL, text, strlen(text), &m), TN_OK) ? m : NULL;
}

static void reads_files(void)
{
    record said = {0};
    tn_diagnostic_sink sink = {remember, &said};
    tn_context *cx = tn_context_new(NULL, &sink);
    char path[64];
    tn_module *m;
    if (!CHECK(cx != NULL) || !make_file(path, add_text))
        return;
    CHECK_INT(tn_module_read_file(cx, NULL, path, &m), TN_OK);
    CHECK_INT(tn_module_input_count(m), 2);
    CHECK(unlink(path) == 0); /* the module has its own copy */
    tn_module_free(m);
    CHECK_INT(said.n, 0);
    CHECK_INT(tn_module_read_file(cx, NULL, path, &m), TN_ERR_IO);
    CHECK(m == NULL && strcmp(said.kind, "FileError") == 0);
    CHECK_INT(tn_module_read_file(cx, NULL, "/", &m), TN_ERR_IO);
    const tn_read_options broken = {.size = 3};
    CHECK_INT(tn_module_read_file(cx, &broken, path, &m), TN_ERR_USAGE);
    tn_context_free(cx);
}

static void describes(void)
{
    static const char source[] = "fn main(x: Tensor<f32, [2]>) -> Tensor<f32, [2]> { x + x }\n";
    tn_context *cx = tn_context_new(NULL, NULL);
    tn_module_info info = {.size = sizeof info};
    tn_module *m = read_text(cx, add_text);
    CHECK_INT(tn_module_get_info(m, &info), TN_OK);
    CHECK_TEXT(info.dialect, "mind");
    CHECK(info.entry && !info.is_lowered && info.size == sizeof info);
    CHECK(info.lowered_from == NULL);
    info.size = 0; /* the first layout, which is all of it */
    info.lowered_from = "changed";
    CHECK_INT(tn_module_get_info(m, &info), TN_OK);
    CHECK(info.lowered_from == NULL);
    CHECK_INT(info.size, 0);
    info.size = 1;
    CHECK_INT(tn_module_get_info(m, &info), TN_ERR_USAGE);
    tn_module_free(m);
    const tn_read_options o = {.dialect = "mind-source"};
    if (CHECK_INT(tn_module_read(cx, &o, source, strlen(source), &m), TN_OK)) {
        info.size = sizeof info;
        CHECK_INT(tn_module_get_info(m, &info), TN_OK);
        CHECK(info.is_lowered && strcmp(info.dialect, "mind") == 0);
        CHECK_TEXT(info.lowered_from, "mind-source");
        tn_module_free(m);
    }
    tn_context_free(cx);
}

static bool count_function(void *user, const tn_walk_function *f)
{
    *(unsigned *)user += !f->is_region;
    return true;
}

static void selects_entries(void)
{
    static const char two[] = "func @first(%a: tensor<f32, 2>) -> (tensor<f32, 2>) {\n"
                              "  %b = abs(%a) -> tensor<f32, 2>\n"
                              "  return %b\n"
                              "}\n"
                              "func @second(%c: tensor<f32, 3>, %d: tensor<f32, 3>) -> "
                              "(tensor<f32, 3>) {\n"
                              "  %e = mul(%c, %d) -> tensor<f32, 3>\n"
                              "  return %e\n"
                              "}\n";
    record said = {0};
    tn_diagnostic_sink sink = {remember, &said};
    tn_context *cx = tn_context_new(NULL, &sink);
    tn_module_info info = {.size = sizeof info};
    tn_read_options o = {.dialect = "ptir-text", .entry = "second"};
    unsigned n = 0;
    const tn_walker counter = {.function = count_function, .user = &n};
    tn_module *m;
    if (!CHECK_INT(tn_module_read(cx, &o, two, strlen(two), &m), TN_OK)) {
        (void)fprintf(stderr, "%s\n", said.message);
        return;
    }
    CHECK_INT(tn_module_input_count(m), 2);
    CHECK_INT(tn_module_select_entry(m, "third", true), TN_ERR_USAGE);
    CHECK_TEXT(said.kind, "Usage");
    CHECK_INT(tn_module_input_count(m), 2);
    CHECK_INT(tn_module_select_entry(m, "first", false), TN_OK);
    CHECK_INT(tn_module_input_count(m), 1);
    CHECK(tn_module_walk(m, &counter) && n == 2);
    CHECK_INT(tn_module_select_entry(m, NULL, true), TN_OK);
    n = 0;
    CHECK(tn_module_walk(m, &counter) && n == 1);
    CHECK_INT(tn_module_get_info(m, &info), TN_OK);
    CHECK_TEXT(info.entry, "first");
    CHECK_INT(tn_module_select_entry(m, "second", false), TN_ERR_USAGE);
    tn_module_free(m);
    o.entry = "third";
    CHECK_INT(tn_module_read(cx, &o, two, strlen(two), &m), TN_ERR_USAGE);
    CHECK(m == NULL);
    tn_context_free(cx);
}

static void binds(void)
{
    record said = {0};
    tn_diagnostic_sink sink = {remember, &said};
    tn_context *cx = tn_context_new(NULL, &sink);
    tn_module *m = read_text(cx, symbolic_text);
    tn_binding batch = {"batch", 4}, other = {"bath", 4}, less = {"batch", -1};
    tn_port port;
    if (!m)
        return;
    CHECK_TEXT(tn_module_symbol(m, 0), "batch");
    CHECK_TEXT(tn_module_input_extent(m, 0, 0), "batch");
    CHECK_TEXT(tn_module_input_extent(m, 0, 1), "3");
    CHECK(!tn_module_input_extent(m, 0, 2) && !tn_module_input_extent(m, 1, 0));
    CHECK_TEXT(tn_module_output_extent(m, 1, 0), "(batch*3)");
    CHECK(!tn_module_output_extent(m, 2, 0));
    CHECK_INT(tn_module_bind(m, NULL, 0), TN_OK);
    CHECK_TEXT(tn_module_symbol(m, 0), "batch");
    CHECK_INT(tn_module_bind(m, &batch, 1), TN_OK);
    CHECK(!tn_module_symbol(m, 0));
    CHECK_TEXT(tn_module_output_extent(m, 1, 0), "12");
    CHECK_INT(tn_module_output(m, 1, &port), TN_OK);
    CHECK(port.type.rank == 1 && port.type.dims[0] == 12);
    tn_module_free(m);
    CHECK_INT(said.n, 0);

    m = read_text(cx, symbolic_text);
    CHECK_INT(tn_module_bind(m, &other, 1), TN_ERR_USAGE);
    tn_module_free(m);
    m = read_text(cx, symbolic_text);
    CHECK_INT(tn_module_bind(m, &less, 1), TN_ERR_REJECTED);
    CHECK_TEXT(said.kind, "NegativeDimension");
    tn_module_free(m);
    tn_context_free(cx);
}

static void writes(void)
{
    static const char loss[] = "%0 = Input () {name=\"x\"} : tensor<f32>[2]\n"
                               "%1 = Sum (%0) {axes=[0], keepdims=false} : tensor<f32>[]\n"
                               "outputs: %1\n";
    record said = {0};
    page text = {.n = 0}, plain = {.n = 0};
    tn_writer to = {put, &text}, to_plain = {put, &plain};
    tn_diagnostic_sink sink = {remember, &said};
    tn_context *cx = tn_context_new(NULL, &sink);
    tn_module *m = read_text(cx, loss), *g = NULL;
    float x[2] = {1, 2};
    tn_buffer in = {x, sizeof x, {TN_F32, 1, {2}}};
    tn_write_options o = {.size = sizeof o, .comments = true};
    CHECK_INT(tn_module_gradient(m, NULL, &g), TN_OK);
    CHECK_INT(tn_module_write(g, NULL, NULL, &to_plain), TN_OK);
    CHECK_INT(tn_module_write_with(g, &o, &to), TN_OK);
    CHECK(text.n > plain.n);
    tn_module_free(g);

    o = (tn_write_options){.entry = true, .inputs = &in, .n_inputs = 1};
    CHECK_INT(tn_module_write_with(m, &o, &to), TN_ERR_USAGE); /* still Core IR */
    CHECK_INT(tn_module_convert(m, "mlir", NULL), TN_OK);
    text.n = 0;
    CHECK_INT(tn_module_write_with(m, &o, &to), TN_OK);
    CHECK(strstr(text.text, "@entry"));
    in.type.dims[0] = 3;
    CHECK_INT(tn_module_write_with(m, &o, &to), TN_ERR_INPUT);
    CHECK_TEXT(said.kind, "InputMismatch");
    o.n_inputs = 0;
    CHECK_INT(tn_module_write_with(m, &o, &to), TN_ERR_INPUT);
    tn_module_free(m);
    tn_context_free(cx);
}

int main(void)
{
    reads_files();
    describes();
    selects_entries();
    binds();
    writes();
    return check_result();
}
