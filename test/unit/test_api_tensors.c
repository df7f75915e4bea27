/* Tensors through the public interface alone: what fits an input, data made for it, elements as
 * text and in other types, files written together. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api_fixture.h"
#include "tenon/convert.h"
#include "tenon/files.h"

static const char text[] =
    "func @main(%x: tensor<bf16, ?Ax2>, %y: tensor<ui4, 3>) -> (tensor<bf16, ?Ax2>, "
    "tensor<ui4, 3>) {\n"
    "  %a = abs(%x) -> tensor<bf16, ?Ax2>\n"
    "  return %a, %y\n"
    "}\n";

static tn_program *compile(tn_context *cx, const tn_binding *a)
{
    const tn_read_options o = {.dialect = "ptir-text"};
    const tn_compile_options c = {.engine = "ref", .bindings = a, .n_bindings = a != NULL};
    tn_module *m = NULL;
    tn_program *p = NULL;
    if (CHECK(cx != NULL) && CHECK_INT(tn_module_read(cx, &o, text, strlen(text), &m), TN_OK))
        CHECK_INT(tn_program_compile(m, &c, &p), TN_OK);
    tn_module_free(m);
    return p;
}

static void checks_inputs(void)
{
    record said = {0};
    const tn_diagnostic_sink sink = {remember, &said};
    tn_context *cx = tn_context_new(NULL, &sink);
    const tn_binding three = {"A", 3};
    tn_program *p = compile(cx, &three);
    uint8_t small[3] = {1, 2, 15}, large[3] = {1, 2, 16};
    tn_buffer x = {.type = {TN_UI16, 2, {3, 2}}}, y = {small, 3, {TN_UI8, 1, {3}}};
    if (!p)
        return;
    CHECK_INT(tn_program_check_input(p, 0, &x, NULL), TN_OK);
    CHECK_INT(x.type.dtype, TN_BF16); /* NumPy has none */
    CHECK_INT(tn_program_check_input(p, 0, &x, NULL), TN_OK);
    CHECK_INT(tn_program_check_input(p, 1, &y, NULL), TN_OK);
    CHECK_INT(y.type.dtype, TN_UI4);
    CHECK_INT(said.n, 0);

    y = (tn_buffer){large, 3, {TN_UI8, 1, {3}}};
    CHECK_INT(tn_program_check_input(p, 1, &y, "y.npy"), TN_ERR_INPUT);
    CHECK_TEXT(said.kind, "InputMismatch");
    CHECK_TEXT(said.message,
               "input 'y' is ui4[3], but y.npy holds ui8[3] with values out of range: ui4 "
               "holds 0 to 15");
    CHECK_INT(y.type.dtype, TN_UI8);
    x.type.dtype = TN_F32;
    CHECK_INT(tn_program_check_input(p, 0, &x, NULL), TN_ERR_INPUT);
    CHECK_TEXT(said.message, "input 'x' is bf16[3, 2], but the tensor given is f32[3, 2]");
    x.type = (tn_type){TN_BF16, 2, {4, 2}};
    CHECK_INT(tn_program_check_input(p, 0, &x, NULL), TN_ERR_INPUT);
    CHECK_TEXT(said.kind, "DimensionBinding");
    x.type = (tn_type){TN_BF16, 2, {-1, 2}};
    CHECK_INT(tn_program_check_input(p, 0, &x, NULL), TN_ERR_INPUT);
    CHECK_INT(tn_program_check_input(p, 1, NULL, NULL), TN_ERR_INPUT);
    CHECK_TEXT(said.kind, "MissingInput");
    CHECK_TEXT(said.node, "y");
    CHECK_INT(tn_program_check_input(p, 2, &x, NULL), TN_ERR_USAGE);
    tn_program_free(p);
    tn_context_free(cx);
}

static void makes_inputs(void)
{
    record said = {0};
    const tn_diagnostic_sink sink = {remember, &said};
    tn_context *cx = tn_context_new(NULL, &sink);
    const tn_binding three = {"A", 3};
    tn_program *p = compile(cx, &three);
    uint16_t own[6];
    tn_buffer given = {own, sizeof own, {TN_BF16, 2, {3, 2}}}, made = {0};
    if (!p)
        return;
    CHECK_INT(tn_program_random_input(p, 0, 7, &given), TN_OK);
    CHECK_INT(tn_program_random_input(p, 0, 7, &made), TN_OK);
    CHECK(made.bytes == sizeof own && memcmp(made.data, own, sizeof own) == 0);
    CHECK(made.type.rank == 2 && made.type.dims[0] == 3);
    tn_buffer_release(p, &made);
    CHECK(!made.data);
    tn_program_free(p);
    CHECK_INT(said.n, 0);

    p = compile(cx, NULL);
    CHECK_INT(tn_program_random_input(p, 0, 7, &made), TN_ERR_USAGE);
    CHECK_TEXT(said.message, "input 0 ('x') cannot be made without a value for 'A'");
    CHECK(!made.data);
    tn_program_free(p);

    CHECK_INT(tn_context_set_limit(cx, "run_bytes", 11), TN_OK);
    p = compile(cx, &three);
    CHECK_INT(tn_program_random_input(p, 0, 7, &made), TN_ERR_NOMEM);
    CHECK_TEXT(said.kind, "AllocationFailure");
    tn_program_free(p);
    tn_context_free(cx);
}

static const char *shown(tn_context *cx, const tn_buffer *b, size_t most, page *to)
{
    const tn_writer writer = {put, to};
    to->n = 0;
    return tn_buffer_write(cx, b, most, &writer) == TN_OK ? to->text : "";
}

static void shows(void)
{
    tn_context *cx = tn_context_new(NULL, NULL);
    float numbers[8] = {1, -0.5F, 0.1F, 1e30F, 0, 2, 3, 4};
    uint8_t bits[2] = {0, 1};
    int64_t whole = INT64_MIN;
    page out = {.n = 0};
    tn_buffer b = {numbers, sizeof numbers, {TN_F32, 2, {2, 2}}};
    CHECK_TEXT(shown(cx, &b, 4, &out), "[[1.0, -0.5],\n [0.1, 1e30]]");
    b.type = (tn_type){TN_F32, 1, {8}};
    CHECK_TEXT(shown(cx, &b, 7, &out), "[1.0, -0.5, 0.1, ..., 2.0, 3.0, 4.0]");
    b.type = (tn_type){TN_CF32, 0, {0}};
    CHECK_TEXT(shown(cx, &b, 1, &out), "(1.0, -0.5)");
    b.type = (tn_type){TN_F32, 2, {0, 3}};
    CHECK_TEXT(shown(cx, &b, 1, &out), "[]");
    CHECK_TEXT(shown(cx, &(tn_buffer){bits, 2, {TN_I1, 1, {2}}}, 2, &out), "[false, true]");
    CHECK_TEXT(shown(cx, &(tn_buffer){&whole, 8, {TN_SI64, 0, {0}}}, 1, &out),
               "-9223372036854775808");
    const tn_writer writer = {put, &out};
    b.type = (tn_type){TN_F32, 1, {9}};
    CHECK_INT(tn_buffer_write(cx, &b, 9, &writer), TN_ERR_USAGE);
    b.type.dims[0] = TN_DIM_UNKNOWN;
    CHECK_INT(tn_buffer_write(cx, &b, 9, &writer), TN_ERR_USAGE);
    b.type.dims[0] = 8;
    out.refuses = true;
    CHECK_INT(tn_buffer_write(cx, &b, 9, &writer), TN_ERR_IO);
    tn_context_free(cx);
}

static void converts(void)
{
    const double from[3] = {1.5, -300, 3.14159};
    int8_t to[3];
    uint16_t halves[3];
    float complex_one[2];
    CHECK_INT(tn_dtype_convert(TN_F64, from, TN_SI8, to, 3), TN_OK);
    CHECK(to[0] == 1 && to[1] == -128 && to[2] == 3);
    CHECK_INT(tn_dtype_convert(TN_F64, from, TN_BF16, halves, 3), TN_OK);
    CHECK(halves[0] == 0x3FC0 && halves[2] == 0x4049);
    CHECK_INT(tn_dtype_convert(TN_F64, from, TN_CF32, complex_one, 1), TN_OK);
    CHECK(complex_one[0] == 1.5F && complex_one[1] == 0);
    CHECK_INT(tn_dtype_convert(TN_CF32, complex_one, TN_SI8, to, 1), TN_ERR_USAGE);
    CHECK_INT(tn_dtype_convert(TN_DTYPE_COUNT, from, TN_SI8, to, 1), TN_ERR_USAGE);
}

static void finds_names(void)
{
    static const char *const names[] = {"weights", "bias", "input", "inputs"};
    const char *second;
    CHECK_TEXT(tn_closest_name("wieghts", 7, names, 4, &second), "weights");
    CHECK(!second);
    CHECK(!tn_closest_name("output", 6, names, 2, &second));
    CHECK_TEXT(tn_closest_name("inputx and more", 6, names, 4, &second), "input");
    CHECK(second && strcmp(second, "inputs") == 0);
}

/* ---- files that appear together ---- */

static bool is_there(const char *folder, const char *name)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void writes_together(const char *folder)
{
    record said = {0};
    const tn_diagnostic_sink sink = {remember, &said};
    tn_context *cx = tn_context_new(NULL, &sink);
    static const char *const names[] = {"a", "b"};
    float x[2] = {1, 2};
    const tn_buffer both[2] = {{x, sizeof x, {TN_F32, 1, {2}}}, {x, 4, {TN_F32, 0, {0}}}};
    char inner[96], archive[128], array[128], note[128];
    tn_file_set *set;
    tn_tensor_file *file;
    tn_buffer got;
    size_t at;
    (void)snprintf(inner, sizeof inner, "%s/inner", folder);
    (void)snprintf(archive, sizeof archive, "%s/both.npz", inner);
    (void)snprintf(array, sizeof array, "%s/x.npy", inner);
    (void)snprintf(note, sizeof note, "%s/note.txt", inner);

    /* nothing stays of a set that is given up */
    CHECK_INT(tn_file_set_begin(cx, &set), TN_OK);
    CHECK_INT(tn_file_set_folder(set, inner), TN_OK);
    CHECK_INT(tn_file_set_add(set, note, "hello", 5), TN_OK);
    CHECK_INT(tn_file_set_add_tensors(set, array, NULL, both, 2), TN_ERR_USAGE);
    CHECK(!is_there(inner, "note.txt"));
    CHECK_INT(tn_file_set_end(set, TN_ERR_USAGE), TN_ERR_USAGE);
    CHECK(!is_there(folder, "inner"));

    CHECK_INT(tn_file_set_begin(cx, &set), TN_OK);
    CHECK_INT(tn_file_set_folder(set, inner), TN_OK);
    CHECK_INT(tn_file_set_add(set, note, "hello", 5), TN_OK);
    CHECK_INT(tn_file_set_add_tensors(set, array, NULL, both, 1), TN_OK);
    const bool has_zip = tn_file_set_add_tensors(set, archive, names, both, 2) == TN_OK;
    CHECK(!is_there(inner, "x.npy"));
    CHECK_INT(tn_file_set_end(set, TN_OK), TN_OK);
    CHECK(is_there(inner, "note.txt"));

    if (CHECK_INT(tn_tensor_file_open(cx, array, &file), TN_OK)) {
        CHECK_INT(tn_tensor_file_count(file), 1);
        CHECK_TEXT(tn_tensor_file_name(file, 0), "");
        CHECK(!tn_tensor_file_name(file, 1));
        CHECK(tn_tensor_file_find(file, "", &at) && at == 0 &&
              !tn_tensor_file_find(file, "x", &at));
        for (int i = 0; i < 2; i++) {
            CHECK_INT(tn_tensor_file_load(file, 0, &got), TN_OK);
            CHECK(got.bytes == sizeof x && memcmp(got.data, x, sizeof x) == 0);
            tn_tensor_file_unload(file, 0);
        }
        tn_tensor_file_close(file);
    }
    if (has_zip && CHECK_INT(tn_tensor_file_open(cx, archive, &file), TN_OK)) {
        CHECK_TEXT(tn_tensor_file_name(file, 1), "b");
        tn_tensor_file_close(file);
        CHECK(unlink(archive) == 0);
    }
    const char *const twice[] = {"a", "a"};
    tn_buffer short_one = both[0];
    short_one.bytes = 4;
    CHECK_INT(tn_file_set_begin(cx, &set), TN_OK);
    CHECK_INT(tn_file_set_add_tensors(set, array, NULL, &short_one, 1), TN_ERR_USAGE);
    CHECK(tn_file_set_add_tensors(set, archive, twice, both, 2) == TN_ERR_IO);
    CHECK_INT(tn_file_set_add(set, "/nowhere/at/all", "x", 1), TN_ERR_IO);
    CHECK_TEXT(said.kind, "FileError");
    CHECK_INT(tn_file_set_end(set, TN_ERR_IO), TN_ERR_IO);
    CHECK(tn_file_set_end(NULL, TN_OK) == TN_OK && unlink(array) == 0 && unlink(note) == 0 &&
          rmdir(inner) == 0);
    tn_context_free(cx);
}

/* Whatever request for memory fails, the set is given up as a whole and nothing is lost. */
static void every_allocation_may_fail(const char *folder)
{
    char path[128];
    float x[2] = {1, 2};
    const tn_buffer one = {x, sizeof x, {TN_F32, 1, {2}}};
    (void)snprintf(path, sizeof path, "%s/x.npy", folder);
    for (unsigned at = 1;; at++) {
        meter m = {.fail_at = at};
        const tn_allocator allocator = {metered, &m};
        tn_context *cx = tn_context_new(&allocator, NULL);
        tn_file_set *set = NULL;
        tn_status s = cx ? tn_file_set_begin(cx, &set) : TN_ERR_NOMEM;
        if (s == TN_OK)
            s = tn_file_set_end(set, tn_file_set_add_tensors(set, path, NULL, &one, 1));
        CHECK(s == (m.failed ? TN_ERR_NOMEM : TN_OK));
        CHECK((access(path, F_OK) == 0) == (s == TN_OK));
        tn_context_free(cx);
        CHECK(m.alive == 0 && m.wrong == 0);
        if (!m.failed)
            break;
    }
    CHECK(unlink(path) == 0);
}

static void compares(void)
{
    float x[4] = {1, 2, 3, 4}, y[4] = {1, 2, 3.5F, 9};
    const tn_type three = {TN_F32, 1, {3}};
    const tn_buffer a = {x, sizeof x, three}, b = {y, 3 * sizeof *y, three};
    tn_difference d = {.size = sizeof d};
    /* there may be more room than elements, and nothing is looked at there */
    CHECK_INT(tn_buffer_compare(&a, &b, 0, 0, &d), TN_OK);
    CHECK(!d.is_equal && d.n_beyond == 1 && d.first == 2 && d.largest_absolute == 0.5);
    CHECK_INT(tn_buffer_compare(&a, &b, 0, 0.5, &d), TN_OK);
    CHECK(!d.is_equal && d.n_beyond == 0 && d.first == -1);
    const tn_buffer less = {x, sizeof x - 5, three}, none = {NULL, sizeof x, three};
    const tn_buffer longer = {x, sizeof x, {TN_F32, 1, {5}}};
    CHECK_INT(tn_buffer_compare(&less, &a, 0, 0, &d), TN_ERR_INPUT);
    CHECK_INT(tn_buffer_compare(&a, &none, 0, 0, &d), TN_ERR_INPUT);
    CHECK_INT(tn_buffer_compare(&a, &longer, 0, 0, &d), TN_ERR_INPUT);
    CHECK_INT(tn_buffer_compare(&longer, &longer, 0, 0, &d), TN_ERR_INPUT);
    CHECK_INT(tn_buffer_compare(&a, &b, -1, 0, &d), TN_ERR_USAGE);
    CHECK_INT(tn_buffer_compare(&a, &b, 0, (double)NAN, &d), TN_ERR_USAGE);
    CHECK_INT(tn_buffer_compare(&a, &b, (double)INFINITY, 0, &d), TN_ERR_USAGE);
}

int main(void)
{
    char folder[] = "/tmp/tenon-tensors-XXXXXX";
    checks_inputs();
    makes_inputs();
    shows();
    compares();
    converts();
    finds_names();
    if (CHECK(mkdtemp(folder) != NULL)) {
        writes_together(folder);
        every_allocation_may_fail(folder);
        CHECK(rmdir(folder) == 0);
    }
    return check_result();
}
