/* Tiny IR under lack of memory: reading, writing, and values that are computed where they are read.
 * What the texts mean is tested by the cases in test/tiny. */
#include "api_fixture.h"

static const char program[] =
    "{\"uops\": [\n"
    "{\"id\":\"x\",\"uop\":\"INPUT\",\"arg\":{\"tensor_id\":\"X\",\"dtype\":\"fp16\",\"shape\":["
    "\"N\","
    "2,\"H\"]}},\n"
    "{\"id\":\"p\",\"uop\":\"PAD\",\"src\":[\"x\"],\"arg\":{\"pad\":[[0,0],[0,0],[1,\"P\"]]}},\n"
    "{\"id\":\"w\",\"uop\":\"POOL\",\"src\":[\"p\"],\"arg\":{\"kernel\":[2]}},\n"
    "{\"id\":\"v\",\"uop\":\"VIEW\",\"src\":[\"x\"],\"arg\":{\"result_shape\":[2],\"index_map\":{"
    "\"out\":[\"a\"],\"in\":[{\"mul\":[0,\"a\"]},\"a // 2\",0]}}},\n"
    "{\"id\":\"s\",\"uop\":\"REDUCE\",\"src\":[\"w\"],\"arg\":{\"op\":\"SUM\",\"axes\":[2,3],"
    "\"dtype\":\"fp32\"}},\n"
    "{\"id\":\"y\",\"uop\":\"ADD\",\"src\":[\"s\",\"v\"]},\n"
    "{\"id\":\"c\",\"uop\":\"CONST\",\"arg\":{\"value\":[1,2],\"dtype\":\"fp32\",\"shape\":[2]}},\n"
    "{\"id\":\"z\",\"uop\":\"MUL\",\"src\":[\"y\",0.5],\"tag\":\"half\"},\n"
    "{\"id\":\"u\",\"uop\":\"FLIP\",\"src\":[\"z\"],\"arg\":{\"axes\":[-1]}},\n"
    "{\"id\":\"t\",\"uop\":\"SHRINK\",\"src\":[\"x\"],\"arg\":{\"lo\":[0,0,1],\"hi\":[\"N\",2,"
    "\"H\"]}}]}\n";

static const char streamed[] =
    "{\"uops\": [\n"
    "{\"id\":\"a\",\"uop\":\"INPUT\",\"arg\":{\"tensor_id\":\"a\",\"dtype\":\"fp32\",\"shape\":[64]"
    "}}"
    ",\n"
    "{\"id\":\"e\",\"uop\":\"EXPAND\",\"src\":[\"a\"],\"arg\":{\"result_shape\":[8192,64]}},\n"
    "{\"id\":\"m\",\"uop\":\"MUL\",\"src\":[\"e\",\"e\"]},\n"
    "{\"id\":\"r\",\"uop\":\"RESHAPE\",\"src\":[\"m\"],\"arg\":{\"result_shape\":[1024,512]}},\n"
    "{\"id\":\"s\",\"uop\":\"REDUCE\",\"src\":[\"r\"],\"arg\":{\"op\":\"SUM\",\"axes\":[1],"
    "\"dtype\":\"fp32\"}}]}\n";

static bool swallow(void *user, const char *bytes, size_t n)
{
    (void)user;
    (void)bytes;
    (void)n;
    return true;
}

/* Read TEXT, print it in both styles, and run it where RUNS says so. */
static tn_status whole(tn_context *cx, const char *text, bool strict, bool runs, float *out)
{
    const tn_read_options options = {.dialect = "tiny", .strict = strict};
    const tn_writer writer = {swallow, NULL};
    float a[64];
    tn_module *m = NULL;
    tn_program *p = NULL;
    tn_status s = tn_module_read(cx, &options, text, strlen(text), &m);
    if (s == TN_OK)
        s = tn_module_write(m, NULL, "canonical", &writer);
    if (s == TN_OK)
        s = tn_module_write(m, NULL, "view", &writer);
    for (int i = 0; i < 64; i++)
        a[i] = (float)(i % 4);
    if (s == TN_OK && runs)
        s = tn_program_compile(m, NULL, &p);
    if (s == TN_OK && runs) {
        const tn_buffer in = {.data = a, .bytes = sizeof a, .type = {TN_F32, 1, {64}}};
        tn_buffer to = {.data = out, .bytes = 1024 * sizeof *out, .type = {TN_F32, 1, {1024}}};
        s = tn_program_run(p, &in, 1, &to, 1, NULL);
    }
    tn_program_free(p);
    tn_module_free(m);
    return s;
}

static void test_failures(const char *text, bool strict, bool runs, tn_status want)
{
    static float out[1024];
    for (unsigned n = 1; n < 100000; n += n < 400 ? 1 : 7) {
        meter m = {.fail_at = n, .fail_once = n % 2};
        const tn_allocator counting = {metered, &m};
        tn_context *cx = tn_context_new(&counting, NULL);
        if (!cx) {
            CHECK_INT(m.alive, 0);
            continue;
        }
        const tn_status s = whole(cx, text, strict, runs, out);
        tn_context_free(cx);
        CHECK_INT(m.alive, 0);
        CHECK_INT(m.wrong, 0);
        if (!m.failed) {
            CHECK_INT(s, want);
            break;
        }
        /* A diagnostic may go without its text; nothing else may. */
        CHECK(s == TN_ERR_NOMEM || s == want);
    }
    if (runs)
        for (int i = 0; i < 1024; i++)
            CHECK(out[i] == 512.0F / 4 * (0 + 1 + 4 + 9));
}

int main(void)
{
    test_failures(program, false, false, TN_OK);
    test_failures(program, true, false, TN_ERR_REJECTED);
    test_failures(streamed, false, true, TN_OK);
    return check_result();
}
