/* The MIND Core IR dialect from inside: its tables, its limits, what it does without memory. What
 * texts mean is the business of the case files. */
#include <stdlib.h>

#include "check.h"
#include "dialect/dialect.h"
#include "dialect/mind/spelling.h"
#include "ops/infer.h"
#include "pass/conversions/expressible.h"

typedef struct seen {
    uint32_t n;
    char codes[256]; /* of all reports, separated by spaces */
    char message[256];
    char node[64];
    char replacement[128];
    size_t offset;
} seen;

static void remember(void *user, const tn_diagnostic *d)
{
    seen *s = user;
    size_t n = strlen(s->codes);
    s->n++;
    (void)snprintf(s->codes + n, sizeof s->codes - n, "%s%s", n ? " " : "", d->code);
    (void)snprintf(s->message, sizeof s->message, "%.255s", d->message);
    (void)snprintf(s->node, sizeof s->node, "%.63s", d->node);
    (void)snprintf(s->replacement, sizeof s->replacement, "%.127s",
                   d->fix.replacement ? d->fix.replacement : "");
    s->offset = d->fix.offset;
}

/* TEXT, which need not end with a NUL, in a block of its exact size. */
static module *read_bytes(context *cx, const char *text, size_t n, profile p, tn_status *status)
{
    read_options options = {.profile = p};
    const dialect *d = dialect_by_name("mind");
    module *m = module_new(cx);
    char *exact = m ? memory_alloc(&cx->allocator, n) : NULL;
    if (!exact) {
        module_free(m);
        *status = TN_ERR_NOMEM;
        return NULL;
    }
    memcpy(exact, text, n);
    m->source = (source){.name = "t", .text = exact, .length = n, .code_of = d->code_of};
    m->dialect = d->name;
    *status = d->read(m, &options);
    diag_flush(&cx->diag);
    return m;
}

static void done(context *cx, module *m)
{
    if (m)
        memory_free(&cx->allocator, (void *)(uintptr_t)m->source.text, m->source.length);
    module_free(m);
}

/* The codes that TEXT is rejected with; "" when it is accepted. */
static const char *codes_of(const char *text, profile p, const limits *bounds, seen *s)
{
    tn_diagnostic_sink sink = {remember, s};
    tn_status status;
    memset(s, 0, sizeof *s);
    context *cx = context_new(NULL, &sink);
    if (!CHECK(cx != NULL))
        return "?";
    if (bounds)
        cx->limits = *bounds;
    module *m = read_bytes(cx, text, strlen(text), p, &status);
    CHECK_INT(status == TN_OK, s->n == 0);
    done(cx, m);
    context_free(cx);
    return s->codes;
}

#define X "%0 = Input () {name=\"x\"} : tensor<f32>[2, 3]\n"
#define Y "%1 = Input () {name=\"y\"} : tensor<i64>[2]\n"

/* ---- tables ---- */

static void test_spellings(void)
{
    for (uint32_t i = 0; i < n_spellings; i++) {
        const spelling *s = &spellings[i];
        CHECK(spelling_find(s->text, strlen(s->text)) == s);
        CHECK(strlen(s->text) <= 16); /* the reader compares opcodes as two words */
        for (uint32_t k = 0; k < s->n_slots; k++) {
            CHECK_INT(spelling_slot(s, s->slots[k].name, strlen(s->slots[k].name)), k);
            CHECK(k == 0 || strcmp(s->slots[k - 1].name, s->slots[k].name) < 0);
            if (s->slots[k].position != NO_POSITION)
                CHECK_INT(spelling_position(s, s->slots[k].position), k);
        }
        if (s->op == OP_COUNT)
            continue;
        CHECK(s->n_operands == op_table[s->op].min_in && s->n_operands == op_table[s->op].max_in);
        CHECK(spelling_of_op(s->op) != NULL);
    }
    CHECK(spelling_find("relu", 4) == NULL);
    CHECK(spelling_of_op(OP_TANH) == NULL);
}

static void test_dialect(void)
{
    const dialect *d = dialect_by_name("mind");
    if (!CHECK(d != NULL))
        return;
    CHECK(dialect_by_name("min") == NULL);
    CHECK(dialect_guess("a/b.ir", "", 0) == d);
    CHECK(dialect_guess(".ir", "", 0) == NULL);
    CHECK(dialect_guess("a.txt", "  # hm\n\n%0 = x", 14) == d);
    CHECK(dialect_guess(NULL, "outputs: %0\n", 12) == d);
    CHECK(d->looks_like("{\"operations\": [{\"opcode\": 1, \"result_type\"", 44));
    CHECK(!d->looks_like("{\"graph\": {}}", 13));
    CHECK(!d->looks_like("# only a comment", 16));
    CHECK(!d->looks_like("", 0));
    for (int kind = -1; kind <= DIAG_COUNT; kind++) {
        const char *code = d->code_of(kind);
        CHECK(!code || (code[0] == 'E' && strlen(code) == 5));
    }
}

/* ---- reading ---- */

static void test_limits(void)
{
    seen s;
    limits few = limits_default;
    few.nodes = 2;
    CHECK_TEXT(codes_of(X Y "outputs: %0\n", PROFILE_EXTENDED, &few, &s), "");
    CHECK_TEXT(codes_of(X Y "%2 = Neg (%0) : tensor<f32>[2, 3]\n%3 = No\noutputs: %0\n",
                        PROFILE_EXTENDED, &few, &s),
               "E1007");
    few = limits_default;
    few.errors = 2;
    CHECK_TEXT(codes_of("a\nb\nc\nd\n", PROFILE_EXTENDED, &few, &s), "E1007 E1007");
    few = limits_default;
    few.literal_bytes = 16;
    static const char two[] = "%0 = ConstTensor ([1, 2]) : tensor<f64>[2]\noutputs: %0\n";
    static const char three[] = "%0 = ConstTensor ([1, 2]) : tensor<f64>[2]\n"
                                "%1 = ConstF32 (1) : tensor<f32>[]\noutputs: %0\n";
    CHECK_TEXT(codes_of(two, PROFILE_EXTENDED, &few, &s), "");
    CHECK_TEXT(codes_of(three, PROFILE_EXTENDED, &few, &s), "E1007");
    /* A short form costs one element; written out it would cost all of them. */
    static const char fill[] = "%0 = ConstTensor {fill=1} : tensor<f32>[1000000000000]\n"
                               "outputs: %0\n";
    CHECK_TEXT(codes_of(fill, PROFILE_EXTENDED, &few, &s), "");
    CHECK_TEXT(codes_of(fill, PROFILE_CORE_V1, &few, &s), "E1007");
    /* Nothing is allocated for data that is not there. */
    CHECK_TEXT(codes_of("%0 = ConstTensor ([[1]]) : tensor<f32>[1000000, 1000000]\noutputs: %0\n",
                        PROFILE_EXTENDED, NULL, &s),
               "E4005");
    few = limits_default;
    few.nesting = 2;
    CHECK_TEXT(codes_of("%0 = ConstTensor ([[1]]) : tensor<f32>[1, 1]\noutputs: %0\n",
                        PROFILE_EXTENDED, &few, &s),
               "");
    CHECK_TEXT(codes_of("%0 = ConstTensor ([[[1]]]) : tensor<f32>[1, 1, 1]\noutputs: %0\n",
                        PROFILE_EXTENDED, &few, &s),
               "E1007");
}

static void test_far_ids(void)
{
    seen s;
    CHECK_TEXT(codes_of("%4000000000 = Input {name=x} : tensor<f32>[2]\n"
                        "%70000 = Neg (%4000000000) : tensor<f32>[2]\n"
                        "%0 = Neg (%070000) : tensor<f32>[2]\n"
                        "%name = Neg (%0) : tensor<f32>[2]\n"
                        "%name2 = Neg (%name) : tensor<f32>[2]\noutputs: %name2, %70000\n",
                        PROFILE_EXTENDED, NULL, &s),
               "");
    CHECK_TEXT(codes_of("%99999999999999999999 = Input {name=x} : tensor<f32>[2]\n"
                        "%099999999999999999999 = Input {name=y} : tensor<f32>[2]\n"
                        "outputs: %99999999999999999999\n",
                        PROFILE_EXTENDED, NULL, &s),
               "E4002");
    CHECK_TEXT(s.node, "%099999999999999999999");
}

static void test_fixes(void)
{
    seen s;
    CHECK_TEXT(
        codes_of(X "%1 = Neg (%0) : tensor<f32>[2]\noutputs: %1\n", PROFILE_EXTENDED, NULL, &s),
        "E2001");
    CHECK_TEXT(s.replacement, "tensor<f32>[2, 3]");
    CHECK_INT(s.offset, sizeof X - 1 + sizeof "%1 = Neg (%0) : " - 1);
    CHECK_TEXT(
        codes_of(X "%1 = neg (%0) : tensor<f32>[2, 3]\noutputs: %1\n", PROFILE_EXTENDED, NULL, &s),
        "E4013");
    CHECK_TEXT(s.replacement, "Neg");
    CHECK_TEXT(codes_of("%x = Input {name=x} : tensor<f32>[2]", PROFILE_EXTENDED, NULL, &s),
               "E4016");
    CHECK_TEXT(s.replacement, "\noutputs: %x\n");
    CHECK_TEXT(codes_of("", PROFILE_EXTENDED, NULL, &s), "E4016");
    CHECK_TEXT(codes_of(X "output: %0\n", PROFILE_EXTENDED, NULL, &s), "E1007");
}

/* Messages of the type rules speak Core IR. */
static void test_wording(void)
{
    seen s;
    CHECK_TEXT(codes_of(X Y "%2 = BinOp (%0, %1) {op=Mul} : tensor<f32>[2, 3]\noutputs: %2\n",
                        PROFILE_EXTENDED, NULL, &s),
               "E2004");
    CHECK(strstr(s.message, "'Mul'") != NULL && strstr(s.message, "si64") == NULL &&
          strstr(s.message, "i64") != NULL);
    CHECK_TEXT(codes_of(X "%z = ExpandDims (%0) {axes=[9]} : tensor<f32>[2, 3]\noutputs: %z\n",
                        PROFILE_EXTENDED, NULL, &s),
               "E3004");
    CHECK_TEXT(s.node, "%z");
}

static void test_symbols(void)
{
    static const char text[] = "%0 = Input {name=x} : tensor<f32>[batch, 3]\n"
                               "%1 = Neg (%0) : tensor<f32>[batch, 3]\noutputs: %1\n";
    static const char other[] = "%0 = Input {name=x} : tensor<f32>[batch, 3]\n"
                                "%1 = Neg (%0) : tensor<f32>[b, 3]\noutputs: %1\n";
    seen s;
    CHECK_TEXT(codes_of(text, PROFILE_EXTENDED, NULL, &s), "");
    CHECK_TEXT(codes_of(text, PROFILE_CORE_V1, NULL, &s), "E1007 E1007");
    CHECK_TEXT(codes_of(other, PROFILE_EXTENDED, NULL, &s), "E2001");
    CHECK_TEXT(s.replacement, "tensor<f32>[batch, 3]");
    CHECK_TEXT(codes_of("%0 = ConstTensor {fill=1} : tensor<f32>[n]\noutputs: %0\n",
                        PROFILE_EXTENDED, NULL, &s),
               "E4005");
}

static void test_records(void)
{
    static const char head[] =
        "{\"operations\": [{\"result_type\": \"tensor<f32>[2]\", \"attributes\""
        ": {\"name\": \"\\u00e9\\ud83d\\ude00\"}, \"opcode\": \"Input\", "
        "\"value_id\": 5}";
    char text[1024];
    seen s;
    (void)snprintf(text, sizeof text, "%s], \"outputs\": [5]}", head);
    CHECK_TEXT(codes_of(text, PROFILE_EXTENDED, NULL, &s), "");
    (void)snprintf(text, sizeof text, "%s, {\"outputs\": [5]}]", head + 15);
    CHECK_TEXT(codes_of(text, PROFILE_EXTENDED, NULL, &s), "");
    (void)snprintf(text, sizeof text, "%s], \"outputs\": []}", head);
    CHECK_TEXT(codes_of(text, PROFILE_EXTENDED, NULL, &s), "E4016");
    (void)snprintf(text, sizeof text, "%s, {\"value_id\": 5}], \"outputs\": [6]}", head);
    CHECK_TEXT(codes_of(text, PROFILE_EXTENDED, NULL, &s), "E1007 E4003");
    (void)snprintf(text, sizeof text, "%s, {\"value_id\": 6, \"value_id\": 6}]}", head);
    CHECK_TEXT(codes_of(text, PROFILE_EXTENDED, NULL, &s), "E1007");
    (void)snprintf(text, sizeof text,
                   "%s, {\"value_id\": 6, \"opcode\": \"Neg\", \"operands\": [7], \"result_type\": "
                   "\"tensor<f32>[2]\"}], \"outputs\": [6]} x",
                   head);
    CHECK_TEXT(codes_of(text, PROFILE_EXTENDED, NULL, &s), "E4001 E1007");
    CHECK_TEXT(codes_of("[", PROFILE_EXTENDED, NULL, &s), "E1007");
    CHECK_TEXT(codes_of("{}", PROFILE_EXTENDED, NULL, &s), "E1007");
}

static void test_odd_bytes(void)
{
    seen s;
    tn_diagnostic_sink sink = {remember, &s};
    tn_status status;
    static const char nul[] = "%0 = Input {name=\"a\0b\"} : tensor<f32>[2]\noutputs: %0\n";
    memset(&s, 0, sizeof s);
    context *cx = context_new(NULL, &sink);
    done(cx, read_bytes(cx, nul, sizeof nul - 1, PROFILE_EXTENDED, &status));
    CHECK_TEXT(s.codes, "E1002");
    context_free(cx);
    CHECK_TEXT(codes_of("\xEF\xBB\xBF" X "outputs: %0", PROFILE_EXTENDED, NULL, &s), "");
    CHECK_TEXT(codes_of(X "\r\noutputs: %0\r\n", PROFILE_EXTENDED, NULL, &s), "");
    CHECK_TEXT(codes_of(X "\routputs: %0\n", PROFILE_EXTENDED, NULL, &s), "E1002");
}

/* ---- writing ---- */

static bool write_text(const module *m, const char *style, text_buffer *out)
{
    write_options options = {.style = style};
    text_init(out, m->allocator);
    return dialect_by_name("mind")->write(m, &options, out) == TN_OK;
}

static void test_strict_style(void)
{
    static const char text[] = "%0 = ConstTensor {fill=0.5} : tensor<f32>[65]\noutputs: %0\n";
    tn_status status;
    text_buffer out;
    context *cx = context_new(NULL, NULL);
    module *m = read_bytes(cx, text, sizeof text - 1, PROFILE_EXTENDED, &status);
    if (CHECK_INT(status, TN_OK) && CHECK(write_text(m, NULL, &out))) {
        CHECK_TEXT(text_c_string(&out),
                   "%0 = ConstTensor () {dtype=f32, fill=0.5, shape=[65]} : tensor<f32>[65]\n"
                   "outputs: %0\n");
        text_release(&out);
        CHECK(write_text(m, "strict", &out));
        CHECK(strstr(text_c_string(&out), "data=[0.5, 0.5, 0.5") != NULL);
        text_release(&out);
    }
    done(cx, m);
    context_free(cx);
}

static void test_not_expressible(void)
{
    seen s = {0};
    tn_diagnostic_sink sink = {remember, &s};
    tn_status status;
    value_id v;
    context *cx = context_new(NULL, &sink);
    module *m =
        read_bytes(cx, X "outputs: %0\n", sizeof X "outputs: %0\n" - 1, PROFILE_EXTENDED, &status);
    value_id x = 0;
    node_desc desc = {.op = OP_TANH, .in = &x, .n_in = 1, .at = NO_SPAN};
    CHECK_INT(function_add(module_entry(m), &desc, &v), TN_OK);
    CHECK(check_legal(m, dialect_by_name("mind")) != TN_OK); /* before it is written */
    diag_flush(&cx->diag);
    CHECK_TEXT(s.codes, "NotExpressible");
    CHECK(strstr(s.message, "tanh") != NULL);
    done(cx, m);
    context_free(cx);
}

/* ---- without memory ---- */

typedef struct meter {
    unsigned n, fail_at;
    size_t alive;
} meter;

static void *metered(void *user, void *block, size_t old_size, size_t new_size)
{
    meter *m = user;
    if (new_size && ++m->n >= m->fail_at)
        return NULL;
    void *moved = memory_system.resize(NULL, block, old_size, new_size);
    m->alive += new_size - old_size;
    return moved;
}

/* Every allocation may fail: the status says so, and everything is given back. */
static void test_no_memory(const char *text, bool is_valid)
{
    for (unsigned n = 1; n < 10000; n++) {
        meter m = {.fail_at = n};
        tn_allocator counting = {metered, &m};
        context *cx = context_new(&counting, NULL);
        tn_status status = TN_ERR_NOMEM;
        module *read = cx ? read_bytes(cx, text, strlen(text), PROFILE_EXTENDED, &status) : NULL;
        text_buffer out;
        bool is_written = status == TN_OK && write_text(read, NULL, &out);
        if (is_written)
            text_release(&out);
        done(cx, read);
        context_free(cx);
        CHECK_INT(m.alive, 0);
        CHECK(status == TN_ERR_NOMEM || (status == TN_OK) == is_valid);
        if (m.n < n)
            return;
    }
    CHECK(false);
}

int main(void)
{
    test_spellings();
    test_dialect();
    test_limits();
    test_far_ids();
    test_fixes();
    test_wording();
    test_symbols();
    test_records();
    test_odd_bytes();
    test_strict_style();
    test_not_expressible();
    test_no_memory(X Y "%2 = Gather(%0, %1) : tensor<f32>[2, 3]\n"
                       "%9 = BinOp (%2, %c) {op=Add} : tensor<f32>[2, 3]\noutputs: %9\n",
                   false);
    test_no_memory(X Y
                   "%2 = Gather(%0, %1) : tensor<f32>[2, 3]\n%c = ConstF32 (2) : tensor<f32>[]\n"
                   "%9 = BinOp (%2, %c) {op=Add} : tensor<f32>[2, 3]\n"
                   "%k = Slice (%9, [0:2, 0:-1:2]) : tensor<f32>[2, 1]\n"
                   "outputs: %9, %k\ngradients: %0 -> %9\n",
                   true);
    test_no_memory("{\"operations\": [{\"value_id\": 5, \"opcode\": \"Input\", \"operands\": [], "
                   "\"attributes\": {\"name\": \"x\"}, \"result_type\": \"tensor<f32>[2]\"}], "
                   "\"outputs\": [5]}",
                   true);
    return check_result();
}
