/* Pictures and reports through the public interface: without memory, and with wrong options. */
#include "api_fixture.h"
#include "tenon/report.h"

#define LIMITS "{\"flops_per_second\":2000000000,\"bytes_per_second\":1000000000}"
static const char earlier[] =
    "{\"tenon_report\":1,\"explain\":{\"limits\":" LIMITS "},\"trace\":{\"traceEvents\":[]}}";

typedef struct made {
    tn_module *m;
    tn_program *p;
    tn_buffer in[4];
    float data[4][64];
    size_t n_in;
} made;

static tn_status make(tn_context *cx, made *d)
{
    const tn_compile_options o = {.engine = "ref"};
    tn_port port;
    tn_status s = tn_module_read(cx, NULL, network_text, strlen(network_text), &d->m);
    if (s == TN_OK)
        s = tn_program_compile(d->m, &o, &d->p);
    d->n_in = s == TN_OK ? tn_program_input_count(d->p) : 0;
    for (size_t i = 0; i < d->n_in && s == TN_OK; i++) {
        s = tn_program_input(d->p, i, &port);
        d->in[i] = (tn_buffer){d->data[i], sizeof d->data[i], port.type};
        if (s == TN_OK)
            s = tn_program_random_input(d->p, i, 3, &d->in[i]);
    }
    return s;
}

static void release(made *d)
{
    tn_program_free(d->p);
    tn_module_free(d->m);
}

static tn_report_options all_of(const made *d)
{
    return (tn_report_options){.size = sizeof(tn_report_options),
                               .module = d->m,
                               .in = d->in,
                               .n_in = d->n_in,
                               .training = "[{\"step\":1}]",
                               .other = earlier,
                               .timings = earlier};
}

/* A writer that only counts. */
static bool count(void *user, const char *bytes, size_t n)
{
    size_t *all = user;
    (void)bytes;
    *all += n;
    return true;
}

static tn_status whole_way(tn_context *cx)
{
    made d = {0};
    size_t bytes = 0;
    const tn_writer writer = {count, &bytes};
    tn_status s = make(cx, &d);
    const tn_report_options o = all_of(&d);
    if (s == TN_OK)
        s = tn_program_picture(d.p, NULL, &writer);
    if (s == TN_OK)
        s = tn_program_report(d.p, &o, &writer);
    release(&d);
    return s;
}

static void test_no_memory(bool fail_once)
{
    unsigned failures = 0;
    for (unsigned n = 1; n < 100000; n++) {
        record r = {0};
        tn_diagnostic_sink sink = {remember, &r};
        meter m = {.fail_at = n, .fail_once = fail_once};
        tn_allocator counting = {metered, &m};
        tn_context *cx = tn_context_new(&counting, &sink);
        const tn_status s = cx ? whole_way(cx) : TN_ERR_NOMEM;
        tn_context_free(cx);
        CHECK_INT(m.alive, 0);
        CHECK_INT(m.wrong, 0);
        if (!CHECK(s == TN_OK || (m.failed && s == TN_ERR_NOMEM))) {
            printf("    request %u, status %d, %s: %s\n", n, (int)s, r.kind, r.message);
            return;
        }
        failures += s != TN_OK;
        if (!m.failed)
            break;
    }
    CHECK(failures > 100);
}

static tn_status report_with(const made *d, const tn_report_options *o)
{
    size_t bytes = 0;
    const tn_writer writer = {count, &bytes};
    return tn_program_report(d->p, o, &writer);
}

static void test_options(void)
{
    made d = {0};
    tn_context *cx = tn_context_new(NULL, NULL);
    if (!CHECK(cx != NULL) || !CHECK_INT(make(cx, &d), TN_OK))
        return;
    tn_report_options o = all_of(&d);
    CHECK_INT(report_with(&d, &o), TN_OK);
    o.n_in--;
    CHECK_INT(report_with(&d, &o), TN_ERR_USAGE);
    o = all_of(&d);
    d.in[0].bytes = 1;
    CHECK_INT(report_with(&d, &o), TN_ERR_INPUT);
    d.in[0].bytes = sizeof d.data[0];
    d.in[0].type.dims[0]++;
    CHECK_INT(report_with(&d, &o), TN_ERR_INPUT);
    d.in[0].type.dims[0]--;
    o.size = 3;
    CHECK_INT(report_with(&d, &o), TN_ERR_USAGE);
    o = all_of(&d);
    o.trace = "[]";
    CHECK_INT(report_with(&d, &o), TN_ERR_IO);
    o = all_of(&d);
    o.timings = "{\"tenon_report\":1,\"explain\":{\"limits\":{\"flops_per_second\":\"fast\"}}}";
    CHECK_INT(report_with(&d, &o), TN_ERR_IO);
    o.timings = "{\"tenon_report\":1,\"explain\":{\"limits\":{\"flops_per_second\":-1}}}";
    CHECK_INT(report_with(&d, &o), TN_OK);
    release(&d);
    tn_context_free(cx);
}

int main(void)
{
    test_options();
    test_no_memory(false);
    test_no_memory(true);
    return check_result();
}
