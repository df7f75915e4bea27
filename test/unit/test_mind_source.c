/* The surface language without memory, at its limits, and the YAML that tests are written in. */
#include "api_fixture.h"
#include "cli/conformance/yaml.h"

static const char program[] =
    "import std::tensor;\n"
    "fn loss(w: Tensor<f32, [2, 3]>, x: Tensor<f32, [3]>) -> f32 {\n"
    "    let b: Tensor<f32, [2]> = [0.5, 1];\n"
    "    fn act(y: Tensor<f32, [2]>) -> Tensor<f32, [2]> { relu(y) * 2 }\n"
    "    sum(act(dot(w, x) + b)) + x[1:3].sum() + w[0, 1]\n"
    "}\n"
    "fn main(w: Tensor<f32, [2, 3]>, x: Tensor<f32, [3]>) -> (f32, Tensor<f32, [2, 3]>) {\n"
    "    let (a, g) = value_and_grad(loss)(w, x);\n"
    "    (a, g + zeros([2, 3]) + eye(3)[0] + arange(3) + x[[0, 2, 1]])\n"
    "}\n";

static tn_status read_program_text(tn_context *cx, const char *text)
{
    tn_read_options o = {.dialect = "mind-source"};
    tn_module *m;
    tn_status s = tn_module_read(cx, &o, text, strlen(text), &m);
    tn_module_free(m);
    return s;
}

/* Each allocation fails once, or with all that follow: a clean error, and nothing leaks. */
static void test_no_memory(const char *text, tn_status otherwise, bool fail_once)
{
    for (unsigned n = 1; n < 100000; n++) {
        record r = {0};
        tn_diagnostic_sink sink = {remember, &r};
        meter m = {.fail_at = n, .fail_once = fail_once};
        tn_allocator counting = {metered, &m};
        tn_context *cx = tn_context_new(&counting, &sink);
        tn_status s = cx ? read_program_text(cx, text) : TN_ERR_NOMEM;
        tn_context_free(cx);
        if (!CHECK(m.alive == 0 && m.wrong == 0) || !CHECK(s == TN_ERR_NOMEM || s == otherwise))
            return;
        if (!m.failed)
            return;
    }
    CHECK(false);
}

/* A text that repeats PART many times between BEFORE and AFTER. */
static void read_repeated(const char *before, const char *part, unsigned times, const char *after)
{
    record r = {0};
    tn_diagnostic_sink sink = {remember, &r};
    size_t n = strlen(part), length = strlen(before) + n * times + strlen(after);
    char *text = malloc(length + 1), *at = text;
    tn_context *cx = tn_context_new(NULL, &sink);
    if (text && cx) {
        memcpy(at, before, strlen(before));
        at += strlen(before);
        for (unsigned i = 0; i < times; i++, at += n)
            memcpy(at, part, n);
        memcpy(at, after, strlen(after) + 1);
        CHECK(read_program_text(cx, text) == TN_ERR_REJECTED);
    }
    tn_context_free(cx);
    free(text);
}

static void test_limits(void)
{
    read_repeated("", "(", 100000, "");
    read_repeated("", "-", 100000, "1");
    read_repeated("", "[", 100000, "");
    read_repeated("let x: ", "(", 100000, "");
    read_repeated("let ", "(", 100000, "");
    read_repeated("fn f() ", "{", 100000, "");
    read_repeated("let x: f32\nx", ".relu()", 100000, "");
    read_repeated("/*", "/*", 100000, "");
    read_repeated("", "fn ", 100000, "");
    read_repeated("", "let x = ;\n", 100000, "");
    read_repeated("fn main(x: f32) { ", "if ", 100000, "");
}

static void test_exponential(void)
{
    /* each function calls the one before it twice */
    static char text[8192];
    size_t n = 0;
    record r = {0};
    tn_diagnostic_sink sink = {remember, &r};
    tn_context *cx = tn_context_new(NULL, &sink);
    n += (size_t)snprintf(text, sizeof text, "fn f0(x: f32) -> f32 { x * x }\n");
    for (int i = 1; i < 60; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "fn f%d(x: f32) -> f32 { f%d(f%d(x)) }\n",
                              i, i - 1, i - 1);
    (void)tn_context_set_limit(cx, "nodes", 20000);
    CHECK(read_program_text(cx, text) == TN_ERR_REJECTED);
    tn_context_free(cx);
}

static void test_yaml(void)
{
    static const char text[] = "# a test\n"
                               "name: \"a: \\\"b\\\"\"   # remark\n"
                               "map:\n"
                               "  block: |\n"
                               "    one\n"
                               "      two\n"
                               "\n"
                               "  list: [1, [2, 3], {k: v}]\n"
                               "  dashes:\n"
                               "    - x\n"
                               "    - y: 'it''s'\n";
    cli_pool memory = {0};
    yaml_fault fault;
    const yaml *y = yaml_read(text, &memory, &fault);
    CHECK(y && !fault.expected);
    CHECK(y && strcmp(yaml_text(y, "name"), "a: \"b\"") == 0);
    CHECK(y && strcmp(yaml_text(y, "map.block"), "one\n  two\n") == 0);
    const yaml *list = yaml_find(y, "map.list");
    CHECK(list && list->kind == YAML_LIST && list->first->next->first->next->text[0] == '3');
    CHECK(list && strcmp(yaml_text(list->first->next->next, "k"), "v") == 0);
    CHECK(yaml_find(y, "map.dashes") != NULL && yaml_text(y, "map.none") == NULL);
    static const char *const bad[] = {"",         "a", "a: [1", "a: \"x", "  a: 1", "a: 1\n  b: 2",
                                      "- 1\na: 2"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK(!yaml_read(bad[i], &memory, &fault) && fault.expected && fault.line > 0);
    cli_pool_release(&memory);
}

int main(void)
{
    test_no_memory(program, TN_OK, true);
    test_no_memory(program, TN_OK, false);
    test_no_memory("fn main(x: f32) -> f32 { x + nothing[1", TN_ERR_REJECTED, true);
    test_limits();
    test_exponential();
    test_yaml();
    return check_result();
}
