/* tenon/easy.h: programs from files, by names, with errors as text. */
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

static void write_file(const char *contents)
{
    FILE *f = fopen(path, "w");
    if (!CHECK(f != NULL))
        exit(1);
    CHECK(fputs(contents, f) >= 0);
    CHECK_INT(fclose(f), 0);
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

/* What there is when there was no memory for a net. */
static void takes_null(void)
{
    tn_net_free(NULL);
    CHECK_INT(tn_net_input(NULL, "x", NULL, 0), TN_ERR_NOMEM);
    CHECK_INT(tn_net_run(NULL), TN_ERR_NOMEM);
    CHECK(tn_net_output(NULL, NULL, NULL) == NULL);
    CHECK_TEXT(tn_net_error(NULL), "error: out of memory\n");
}

int main(void)
{
    char folder[] = "/tmp/tenon-test-nets-XXXXXX";
    if (!CHECK(mkdtemp(folder) != NULL) || !CHECK_INT(chdir(folder), 0))
        return 1;
    write_file(text);
    runs();
    takes_shapes();
    refuses();
    takes_null();
    CHECK_INT(remove(path), 0);
    CHECK_INT(rmdir(folder), 0);
    return check_result();
}
