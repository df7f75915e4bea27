/* Values that a caller gives for inputs while a program is read are checked before anything uses
 * them. */
#include "api_fixture.h"

static const char text[] =
    "func.func @main(%x: tensor<?xf32>, %n: tensor<i32>) -> tensor<?xf32> {\n"
    "  return %x : tensor<?xf32>\n"
    "}\n";

static tn_status read_with(tn_context *cx, tn_read_options o, tn_module **m)
{
    o.size = sizeof o;
    o.dialect = "stablehlo";
    return tn_module_read(cx, &o, text, sizeof text - 1, m);
}

static void refuses(tn_context *cx, record *r, const tn_buffer *b, const char *message)
{
    const tn_known_input given = {"n", b};
    const tn_read_options known = {.known = &given, .n_known = 1};
    const tn_read_options weights = {.weights = &given, .n_weights = 1};
    tn_module *m;
    CHECK_INT(read_with(cx, known, &m), TN_ERR_USAGE);
    CHECK(strstr(r->message, "'known'") && strstr(r->message, message));
    CHECK_INT(read_with(cx, weights, &m), TN_ERR_USAGE);
    CHECK(strstr(r->message, "'weights'") && strstr(r->message, message));
}

static void refuses_for(tn_context *cx, record *r, const tn_buffer *b, const char *message)
{
    const tn_known_input given = {"n", b};
    const tn_read_options o = {.size = sizeof o, .dialect = "stablehlo"};
    tn_module *m;
    CHECK_INT(tn_module_read_for(cx, &o, NULL, text, sizeof text - 1, &given, 1, NULL, &m),
              TN_ERR_USAGE);
    CHECK(strstr(r->message, "'inputs'") && strstr(r->message, message));
}

/* A constant whose shape is to give sizes. */
static void refuses_constant(tn_context *cx, record *r)
{
    float x = 1;
    const tn_read_options o = {.size = sizeof o, .dialect = "stablehlo"};
    const tn_buffer b = {&x, sizeof x, {TN_F32, UINT32_MAX, {1}}};
    tn_module *m;
    CHECK_INT(tn_module_read(cx, &o, text, sizeof text - 1, &m), TN_OK);
    CHECK_INT(tn_module_set_constant(m, 0, &b), TN_ERR_INPUT);
    CHECK_TEXT(r->kind, "InputMismatch");
    CHECK(strstr(r->message, "no valid type"));
    tn_module_free(m);
}

int main(void)
{
    record r = {0};
    tn_diagnostic_sink sink = {remember, &r};
    tn_context *cx = tn_context_new(NULL, &sink);
    int32_t n = 3;
    const tn_buffer good = {&n, sizeof n, {TN_SI32, 0, {0}}};
    tn_buffer b = good;

    b.type.rank = UINT32_MAX;
    refuses(cx, &r, &b, "no valid type");
    refuses_for(cx, &r, &b, "no valid type");
    b.type = (tn_type){TN_SI32, 1, {-1}};
    refuses(cx, &r, &b, "no valid type");
    b.type = (tn_type){TN_DTYPE_COUNT, 0, {0}};
    refuses(cx, &r, &b, "no valid type");
    b = good;
    b.bytes = 3;
    refuses(cx, &r, &b, "fewer bytes");
    b.type = (tn_type){TN_SI64, 2, {INT64_C(1) << 40, INT64_C(1) << 40}};
    refuses(cx, &r, &b, "no valid type");
    refuses(cx, &r, NULL, "no value");
    refuses_for(cx, &r, NULL, "no value");

    refuses_constant(cx, &r);

    const tn_known_input given = {"n", &good};
    const tn_read_options o = {.known = &given, .n_known = 1};
    tn_module *m;
    CHECK_INT(read_with(cx, o, &m), TN_OK);
    CHECK_INT(tn_module_input_count(m), 1);
    tn_module_free(m);
    tn_context_free(cx);
    return check_result();
}
