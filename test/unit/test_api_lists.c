/* Lists that are NULL though they have entries: every function refuses them alike. */
#include <stdio.h>
#include <unistd.h>

#include "api_fixture.h"
#include "tenon/build.h"
#include "tenon/convert.h"
#include "tenon/easy.h"
#include "tenon/files.h"
#include "tenon/train.h"

static const char program[] = "%0 = Input () {name=\"x\"} : tensor<f32>[n]\n"
                              "%1 = Exp (%0) : tensor<f32>[n]\noutputs: %1\n";

/* The last diagnostic says which list. */
static void check_refused(record *r, tn_status s, const char *list)
{
    char quoted[40];
    (void)snprintf(quoted, sizeof quoted, "'%s' is NULL", list);
    CHECK_INT(s, TN_ERR_USAGE);
    CHECK(r->n > 0 && strcmp(r->kind, "Usage") == 0 && strstr(r->message, quoted));
    r->n = 0;
}

static void check_read(tn_context *cx, record *r, const tn_read_options *o, const char *list)
{
    tn_module *m = NULL;
    check_refused(r, tn_module_read(cx, o, program, sizeof program - 1, &m), list);
    CHECK(!m);
    if (o->size == 0 || o->n_known || o->n_shapes)
        check_refused(
            r, tn_module_read_for(cx, o, NULL, program, sizeof program - 1, NULL, 0, NULL, &m),
            list);
}

static void test_reading(tn_context *cx, record *r)
{
    tn_module *m = NULL;
    const size_t size = sizeof(tn_read_options);
    check_read(cx, r, &(tn_read_options){.n_inputs = 1}, "inputs");
    check_read(cx, r, &(tn_read_options){.n_bindings = 2}, "bindings");
    check_read(cx, r, &(tn_read_options){.size = size, .n_known = 1}, "known");
    check_read(cx, r, &(tn_read_options){.size = size, .n_shapes = 1}, "shapes");
    check_read(cx, r, &(tn_read_options){.size = size, .n_weights = 1}, "weights");
    check_read(cx, r, &(tn_read_options){.size = size, .n_results = 1}, "results");
    check_refused(
        r, tn_module_read_for(cx, NULL, NULL, program, sizeof program - 1, NULL, 1, NULL, &m),
        "inputs");
    CHECK_INT(tn_module_read(cx, NULL, NULL, 5, &m), TN_ERR_USAGE);
}

static void test_modules(tn_context *cx, record *r, tn_module *m)
{
    tn_module *gradient = NULL;
    tn_program *p = NULL;
    tn_equiv_result equal;
    tn_type out;
    size_t n;
    const tn_type in = {.dtype = TN_F32};
    page text = {.n = 0};
    const tn_writer writer = {put, &text};
    const tn_write_options write = {
        .size = sizeof write, .dialect = "mlir", .entry = true, .n_inputs = 1};
    check_refused(r, tn_module_bind(m, NULL, 1), "bindings");
    check_refused(r, tn_program_compile(m, &(tn_compile_options){.n_bindings = 1}, &p), "bindings");
    check_refused(r, tn_modules_compare(m, m, &(tn_equiv_options){.n_bindings = 1}, &equal),
                  "bindings");
    check_refused(r, tn_module_gradient(m, &(tn_gradient_options){.n_recompute = 1}, &gradient),
                  "recompute");
    check_refused(r, tn_module_write_with(m, &write, &writer), "inputs");
    check_refused(r, tn_infer(cx, "add", NULL, 2, NULL, 0, &out, 1, &n), "in");
    check_refused(r, tn_infer(cx, "neg", &in, 1, NULL, 1, &out, 1, &n), "attributes");
    check_refused(r, tn_infer(cx, "neg", &in, 1, NULL, 0, NULL, 1, &n), "out");
    /* where NULL has a meaning of its own */
    const tn_allowed allowed = {.n_ops = 1, .dtypes = 1U << TN_F32, .dynamic_dims = true};
    CHECK_INT(tn_module_check_allowed(m, &allowed), TN_OK);
}

static void test_others(tn_context *cx, record *r)
{
    tn_dataset *data = NULL;
    tn_module *m = NULL;
    check_refused(r, tn_dataset_open(cx, NULL, 1, &data), "paths");
    tn_builder *b = tn_builder_new(cx);
    CHECK_INT(tn_builder_finish(b, NULL, 1, &m), TN_ERR_USAGE);
    tn_context_name_settings(cx, NULL, 3);
    r->n = 0;
    CHECK_INT(tn_module_read(cx, NULL, "?", 1, &m),
              TN_ERR_USAGE); /* says how a setting is called */
    CHECK(r->n > 0);
}

static void test_files(tn_context *cx, record *r)
{
    tn_file_set *set = NULL;
    if (!CHECK_INT(tn_file_set_begin(cx, &set), TN_OK))
        return;
    check_refused(r, tn_file_set_add(set, "unwritten", NULL, 1), "bytes");
    check_refused(r, tn_file_set_add_tensors(set, "unwritten.npz", NULL, NULL, 1), "tensors");
    (void)tn_file_set_end(set, TN_ERR_USAGE);
}

static void test_nets(void)
{
    char path[] = "/tmp/tenon-lists-XXXXXX";
    const int file = mkstemp(path);
    if (!CHECK(file >= 0 && write(file, program, sizeof program - 1) == sizeof program - 1))
        return;
    (void)close(file);
    const tn_read_options read = {.dialect = "mind"};
    tn_net *net = tn_net_load_with(path, &read, NULL);
    CHECK_INT(tn_net_status(net), TN_OK);
    CHECK_INT(tn_net_input_shaped(net, NULL, "", 4, 1, NULL), TN_ERR_USAGE);
    CHECK(tn_net_error(net) && strstr(tn_net_error(net), "'dims' is NULL"));
    tn_net_free(net);
    net = tn_net_load(path, NULL, 1);
    CHECK_INT(tn_net_status(net), TN_ERR_USAGE);
    tn_net_free(net);
    (void)unlink(path);
}

int main(void)
{
    record r = {0};
    tn_module *m = NULL;
    tn_context *cx = tn_context_new(NULL, &(tn_diagnostic_sink){remember, &r});
    const tn_read_options o = {.dialect = "mind"};
    if (CHECK(cx && tn_module_read(cx, &o, program, sizeof program - 1, &m) == TN_OK)) {
        test_modules(cx, &r, m);
        test_reading(cx, &r);
        test_others(cx, &r);
        test_files(cx, &r);
        test_nets();
    }
    tn_module_free(m);
    tn_context_free(cx);
    return check_result();
}
