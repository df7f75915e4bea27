/* The public interface when memory runs out: a clean error, and nothing leaks. */
#include "api_fixture.h"

/* Read, check, rewrite, write, compile and run; the first status that is not TN_OK, or TN_OK. */
static tn_status whole_way(tn_context *cx, const void *with)
{
    const char *text = with;
    tn_module *m = NULL;
    tn_program *p = NULL;
    page text_out = {0};
    tn_writer writer = {put, &text_out};
    tn_port port;
    char data[4][256];
    tn_buffer in[4], out[4] = {{0}};
    size_t n_in = 0, n_out = 0;

    tn_status s = tn_module_read(cx, NULL, text, strlen(text), &m);
    if (s == TN_OK)
        s = tn_program_compile(m, NULL, &p);
    if (s == TN_OK) {
        n_in = tn_program_input_count(p);
        n_out = tn_program_output_count(p);
        for (size_t i = 0; i < n_in && s == TN_OK; i++) {
            s = tn_program_input(p, i, &port);
            in[i] = (tn_buffer){data[i], sizeof data[i], port.type};
            if (s == TN_OK)
                s = tn_program_random_input(p, i, 3, &in[i]);
        }
    }
    if (s == TN_OK)
        s = tn_program_run(p, in, n_in, out, n_out, NULL);
    for (size_t i = 0; i < n_out && s == TN_OK; i++)
        tn_buffer_release(p, &out[i]);
    if (s == TN_OK)
        s = tn_module_verify(m);
    if (s == TN_OK)
        s = tn_module_run_passes(m, "canonicalize,cse,identities,dce", NULL);
    if (s == TN_OK)
        s = tn_module_output(m, 0, &port);
    if (s == TN_OK)
        s = tn_module_write(m, NULL, NULL, &writer);
    tn_module_free(m);
    tn_program_free(p);
    return s;
}

static void test_no_memory(void)
{
    static const char *const texts[] = {add_text, index_text, network_text};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        fail_each_request(whole_way, texts[i], false);
        fail_each_request(whole_way, texts[i], true);
    }
    /* the shape engine too */
    tn_type in[1] = {{TN_F32, 3, {2, 1, 4}}}, out[1];
    static const int64_t axes[] = {1};
    tn_attribute a = {.name = "axes", .ints = axes, .n = 1};
    for (unsigned n = 1;; n++) {
        meter m = {.fail_at = n};
        tn_allocator counting = {metered, &m};
        size_t n_out;
        tn_context *cx = tn_context_new(&counting, NULL);
        tn_status s = cx ? tn_infer(cx, "squeeze", in, 1, &a, 1, out, 1, &n_out) : TN_ERR_NOMEM;
        tn_context_free(cx);
        CHECK_INT(m.alive, 0);
        CHECK_INT(m.wrong, 0);
        CHECK(s == (m.failed ? TN_ERR_NOMEM : TN_OK));
        if (!m.failed)
            break;
    }
}

int main(void)
{
    test_no_memory();
    return check_result();
}
