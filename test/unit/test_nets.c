/* tenon/easy.h: programs from files, by names, with errors as text. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "tenon/easy.h"

static const char path[] = "test_nets.ir";
static const char text[] = "%0 = Input () {name=\"x\"} : tensor<f32>[n, 3]\n"
                           "%1 = Input () {name=\"bias\"} : tensor<f32>[3]\n"
                           "%2 = BinOp (%0, %1) {op=Add} : tensor<f32>[n, 3]\n"
                           "%3 = Sum (%2) {axes=[], keepdims=false} : tensor<f32>[]\n"
                           "outputs: %2, %3\n";

static void write_bytes(const char *name, const void *bytes, size_t n)
{
    FILE *f = fopen(name, "wb");
    if (!CHECK(f != NULL))
        exit(1);
    CHECK(fwrite(bytes, 1, n, f) == n);
    CHECK_INT(fclose(f), 0);
}

static void write_file(const char *contents)
{
    write_bytes(path, contents, strlen(contents));
}

static void says(tn_net *net, const char *what)
{
    const char *text_of = tn_net_error(net);
    if (!CHECK(text_of && strstr(text_of, what)))
        printf("    want \"%s\"\n    have \"%s\"\n", what, text_of ? text_of : "(null)");
}

static void runs(void)
{
    const float x[6] = {0, 1, 2, 3, 4, 5}, bias[3] = {10, 20, 30};
    const tn_binding n = {"n", 2};
    tn_type type;
    tn_net *net = tn_net_load(path, &n, 1);
    CHECK(tn_net_error(net) == NULL && strcmp(tn_net_messages(net), "") == 0);
    CHECK(tn_net_module(net) && tn_net_program(net));
    CHECK_INT(tn_net_input(net, "bias", bias, sizeof bias), TN_OK);
    CHECK_INT(tn_net_input(net, "x", x, sizeof x), TN_OK);
    for (int k = 0; k < 3; k++) {
        CHECK_INT(tn_net_run(net), TN_OK);
        const float *y = tn_net_output(net, NULL, &type);
        CHECK(y && y[0] == 10 && y[5] == 35);
        CHECK(type.dtype == TN_F32 && type.rank == 2 && type.dims[0] == 2 && type.dims[1] == 3);
        const float *sum = tn_net_output(net, "%3", NULL);
        CHECK(sum && *sum == 135);
    }
    CHECK_INT(tn_net_status(net), TN_OK);
    tn_net_free(net);
}

/* Sizes that the inputs tell, other ones in each run. */
static void takes_shapes(void)
{
    const float x[6] = {0, 1, 2, 3, 4, 5}, bias[3] = {0};
    tn_type type;
    tn_net *net = tn_net_load(path, NULL, 0);
    CHECK_INT(tn_net_input(net, "bias", bias, sizeof bias), TN_OK);
    for (int64_t rows = 2; rows >= 0; rows--) {
        const int64_t dims[2] = {rows, 3};
        const float want[3] = {0, 3, 15};
        CHECK_INT(tn_net_input_shaped(net, "x", x, (size_t)rows * 12, 2, dims), TN_OK);
        CHECK_INT(tn_net_run(net), TN_OK);
        const float *sum = tn_net_output(net, "%3", NULL);
        CHECK(sum && *sum == want[rows]);
        CHECK(tn_net_output(net, "%2", &type) && type.dims[0] == rows);
    }
    CHECK_INT(tn_net_input(net, "x", x, sizeof x), TN_ERR_INPUT); /* of which shape? */
    says(net, "needs a shape");
    tn_net_free(net);
}

/* One failure stays, whatever comes behind it. */
static void fails(const char *name, size_t bytes, bool give_all, const char *output,
                  tn_status status, const char *message)
{
    const float x[6] = {0};
    const tn_binding n = {"n", 2};
    tn_net *net = tn_net_load(path, &n, 1);
    if (give_all)
        (void)tn_net_input(net, "bias", x, 12);
    (void)tn_net_input(net, name, x, bytes);
    (void)tn_net_run(net);
    CHECK(tn_net_output(net, output, NULL) == NULL);
    CHECK_INT(tn_net_status(net), status);
    says(net, message);
    CHECK_INT(tn_net_input(net, "x", x, sizeof x), status);
    CHECK_INT(tn_net_input_shaped(net, "x", x, sizeof x, 40, NULL), status);
    CHECK_INT(tn_net_run(net), status);
    tn_net_free(net);
}

static void refuses(void)
{
    fails("x", 24, true, "%4", TN_ERR_USAGE, "no output '%4'");
    fails("biass", 12, true, NULL, TN_ERR_USAGE, "did you mean 'bias'?");
    fails(NULL, 24, true, NULL, TN_ERR_USAGE, "needs a name");
    fails("x", 20, true, NULL, TN_ERR_INPUT, "24 bytes, not 20");
    fails("x", 28, true, NULL, TN_ERR_INPUT, "24 bytes, not 28");
    fails("x", 24, false, NULL, TN_ERR_INPUT, "'bias'");

    const tn_binding wrong = {"m", 2};
    tn_net *net = tn_net_load(path, &wrong, 1);
    CHECK_INT(tn_net_status(net), TN_ERR_USAGE);
    tn_net_free(net);

    net = tn_net_load(path, NULL, 0);
    CHECK_INT(tn_net_input_shaped(net, "x", path, 4, TN_MAX_RANK + 1, NULL), TN_ERR_USAGE);
    tn_net_free(net);
    net = tn_net_load(path, NULL, 0);
    CHECK(tn_net_output(net, NULL, NULL) == NULL && tn_net_status(net) == TN_ERR_USAGE);
    tn_net_free(net);

    net = tn_net_load("there is no such file.ir", NULL, 0);
    CHECK_INT(tn_net_run(net), TN_ERR_IO);
    says(net, "no such file.ir");
    CHECK(tn_net_module(net) == NULL && tn_net_program(net) == NULL);
    tn_net_free(net);

    write_file("%0 = Input () {name=\"x\"} : tensor<f32>[3]\n%1 = Rellu (%0) : tensor<f32>[3]\n");
    net = tn_net_load(path, NULL, 0);
    CHECK_INT(tn_net_status(net), TN_ERR_REJECTED);
    says(net, "test_nets.ir:2:");
    says(net, "fix: write 'Relu'");
    tn_net_free(net);
}

/* The reader of models wants shapes: x [n] is reshaped as the input s says, and a constant of three
 * elements added, which is in the file w.bin. The bytes are ONNX as protobuf has it. */
static const char model[] = "\x08\x08:s"
                            "\n\x12\n\x01x\n\x01s\x12\x01r\"\x07Reshape"
                            "\n\x0e\n\x01r\n\x01w\x12\x01y\"\x03"
                            "Add"
                            "\x12\x01g"
                            "*\x1c\x08\x03\x10\x01"
                            "B\x01wj\x11\n\x08location\x12\x05w.binp\x01"
                            "Z\x10\n\x01x\x12\x0b\n\t\x08\x01\x12\x05\n\x03\x12\x01n"
                            "Z\x0f\n\x01s\x12\n\n\x08\x08\x07\x12\x04\n\x02\x08\x02"
                            "b\t\n\x01y\x12\x04\n\x02\x08\x01"
                            "B\x02\x10\r";
static const char model_path[] = "test_nets.onnx", data_path[] = "w.bin";
static const float w[3] = {100, 200, 300};

static const char *from_memory(void *user, const char *location, uint64_t offset, uint64_t length,
                               const void **data)
{
    CHECK_TEXT(location, data_path);
    CHECK(offset == 0 && length == sizeof w);
    *data = user;
    return NULL;
}

/* READ: with an input that is known and with shapes; x has 6 elements, the result is [2, 3]. */
static void model_runs(const tn_read_options *read)
{
    const float x[6] = {0, 1, 2, 3, 4, 5};
    tn_type type;
    const tn_compile_options compile = {.size = sizeof compile, .threads = 1};
    tn_net *net = tn_net_load_with(model_path, read, &compile);
    CHECK_TEXT(tn_net_messages(net), "");
    CHECK_INT(tn_net_input(net, NULL, x, sizeof x), TN_OK); /* its size is known: no shape */
    CHECK_INT(tn_net_run(net), TN_OK);
    const float *y = tn_net_output(net, "y", &type);
    CHECK(y && y[0] == 100 && y[4] == 204 && y[5] == 305);
    CHECK(type.rank == 2 && type.dims[0] == 2 && type.dims[1] == 3);
    tn_net_free(net);
}

static void reads_models(void)
{
    int64_t extents[2] = {2, 3};
    const int64_t dims[1] = {6};
    const tn_buffer s = {extents, sizeof extents, {TN_SI64, 1, {2}}};
    const tn_known_input known = {"s", &s};
    const tn_input_shape shape = {"x", 1, dims};
    const tn_binding n = {"n", 6};
    tn_read_options read = {.size = sizeof read, .known = &known, .n_known = 1};
    write_bytes(model_path, model, sizeof model - 1);

    read.shapes = &shape;
    read.n_shapes = 1;
    tn_net *net = tn_net_load_with(model_path, &read, NULL);
    CHECK_INT(tn_net_status(net), TN_ERR_REJECTED);
    says(net, "w.bin");
    tn_net_free(net);
    write_bytes(data_path, w, sizeof w);
    model_runs(&read);

    read.n_shapes = 0;
    read.bindings = &n; /* for compiling, too */
    read.n_bindings = 1;
    model_runs(&read);

    CHECK_INT(remove(data_path), 0);
    read.external = from_memory;
    read.external_user = (void *)(uintptr_t)w;
    model_runs(&read);

    read.size = 1;
    net = tn_net_load_with(model_path, &read, NULL);
    CHECK_INT(tn_net_status(net), TN_ERR_USAGE);
    tn_net_free(net);
    CHECK_INT(remove(model_path), 0);
}

/* z = x [n] + y [m]: read with open sizes that are taken to be equal. */
static const char sum[] = "\x08\x08:I\n\x0e\n\x01x\n\x01y\x12\x01z\"\x03"
                          "Add"
                          "\x12\x01g"
                          "Z\x10\n\x01x\x12\x0b\n\t\x08\x01\x12\x05\n\x03\x12\x01n"
                          "Z\x10\n\x01y\x12\x0b\n\t\x08\x01\x12\x05\n\x03\x12\x01m"
                          "b\x10\n\x01z\x12\x0b\n\t\x08\x01\x12\x05\n\x03\x12\x01k"
                          "B\x02\x10\r";

/* Inputs of N and M elements: the status of a run with READ, and what it says. */
static tn_status runs_sum(const tn_read_options *read, int64_t n, int64_t m, const char *message)
{
    const float x[3] = {1, 2, 3};
    tn_net *net = tn_net_load_with(model_path, read, NULL);
    const tn_status first = tn_net_input_shaped(net, "x", x, (size_t)n * sizeof *x, 1, &n);
    if (first == TN_OK)
        (void)tn_net_input_shaped(net, "y", x, (size_t)m * sizeof *x, 1, &m);
    const tn_status status = tn_net_run(net);
    const float *z = tn_net_output(net, "z", NULL);
    CHECK(status != TN_OK || (z && z[2] == 3 + (m == 1 ? x[0] : x[2])));
    if (*message)
        says(net, message);
    tn_net_free(net);
    return status;
}

static void takes_inputs_that_fit(void)
{
    const int64_t three = 3, one = 1;
    const tn_input_shape shapes[] = {{"x", 1, &three}, {"y", 1, &one}};
    const tn_read_options read = {.size = sizeof read, .shapes = shapes, .n_shapes = 2};
    write_bytes(model_path, sum, sizeof sum - 1);
    CHECK_INT(runs_sum(NULL, 3, 3, ""), TN_OK);
    CHECK_INT(runs_sum(NULL, 3, 1, "meets extents 1 and 3"), TN_ERR_INPUT);
    CHECK_INT(runs_sum(NULL, 3, 1, "fix: read the model with the shapes"), TN_ERR_INPUT);
    CHECK_INT(runs_sum(NULL, 3, 2, "[3] is incompatible with [2]"), TN_ERR_INPUT);
    CHECK_INT(runs_sum(&read, 3, 1, ""), TN_OK);
    CHECK_INT(runs_sum(&read, 3, 3, "input 'y' is f32[1]"), TN_ERR_INPUT);
    CHECK_INT(remove(model_path), 0);
}

/* What there is when there was no memory for a net. */
/* Who looks for an output of a program that has none is told so, by a text. */
static void lacks_outputs(void)
{
    const float x[1] = {1};
    write_file("func @main(%x: tensor<f32, 1>) -> () {\n  return\n}\n");
    const tn_read_options read = {.size = sizeof read, .dialect = "ptir-text"};
    tn_net *net = tn_net_load_with(path, &read, NULL);
    CHECK_INT(tn_net_input(net, NULL, x, sizeof x), TN_OK);
    CHECK_INT(tn_net_run(net), TN_OK);
    CHECK(tn_net_output(net, NULL, NULL) == NULL);
    says(net, "no outputs");
    tn_net_free(net);
    write_file(text);
}

static void takes_null(void)
{
    tn_net *net = tn_net_load(NULL, NULL, 0);
    CHECK_INT(tn_net_status(net), TN_ERR_USAGE);
    says(net, "the path is NULL");
    tn_net_free(net);
    tn_net_free(NULL);
    CHECK_INT(tn_net_input(NULL, "x", NULL, 0), TN_ERR_NOMEM);
    CHECK_INT(tn_net_run(NULL), TN_ERR_NOMEM);
    CHECK(tn_net_output(NULL, NULL, NULL) == NULL);
    CHECK_TEXT(tn_net_error(NULL), "error: out of memory\n");
}

#if !TEST_IS_SANITIZED                   /* sanitizers have a realloc of their own */
static uint32_t calls_left = UINT32_MAX; /* before one fails */

/* That of the C library, of which one call fails; new blocks are not zero. */
void *realloc(void *block, size_t n)
{
    static void *(*resize)(void *block, size_t n);
    if (!resize)
        resize = (void *(*)(void *, size_t))(uintptr_t)dlsym(RTLD_NEXT, "realloc");
    if (calls_left != UINT32_MAX && calls_left-- == 0)
        return NULL;
    void *now = resize(block, n);
    return now && !block ? memset(now, 0xa5, n) : now;
}

/* Without memory at any place, what there is can be freed. */
static void lacks_memory(void)
{
    const tn_compile_options reference = {.engine = "ref"};
    bool done = false;
    write_file(text);
    for (uint32_t k = 0; !done && k < 100000; k++) {
        calls_left = k;
        tn_net *net = tn_net_load_with(path, NULL, &reference);
        done = calls_left < UINT32_MAX;
        calls_left = UINT32_MAX;
        CHECK(done ? tn_net_status(net) == TN_OK : tn_net_status(net) == TN_ERR_NOMEM);
        tn_net_free(net);
    }
    CHECK(done);
}
#else
static void lacks_memory(void)
{
}
#endif

int main(void)
{
    char folder[] = "/tmp/tenon-test-nets-XXXXXX";
    if (!CHECK(mkdtemp(folder) != NULL) || !CHECK_INT(chdir(folder), 0))
        return 1;
    write_file(text);
    runs();
    takes_shapes();
    refuses();
    reads_models();
    takes_inputs_that_fit();
    lacks_outputs();
    takes_null();
    lacks_memory();
    CHECK_INT(remove(path), 0);
    CHECK_INT(rmdir(folder), 0);
    return check_result();
}
