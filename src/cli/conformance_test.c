/* Running one conformance test. docs/mind-source.md describes the files. */
#include "cli/conformance_test.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "api/api.h"
#include "api/programs.h"
#include "cli/cli.h"
#include "cli/yaml.h"

/* An error or warning that the test's program caused. */
typedef struct seen {
    const char *code, *message;
    tn_severity severity;
    tn_place place;
    struct seen *next;
} seen;

typedef struct testing {
    context *cx; /* of the program alone */
    arena *memory;
    const yaml *test;
    seen *first, **last;
    conformance_result *out;
    bool gpu;
} testing;

static void collect(void *user, const tn_diagnostic *d)
{
    testing *t = user;
    seen *s = ARENA_NEW(t->memory, seen);
    if (!s)
        return;
    *s = (seen){.code = arena_copy_text(t->memory, d->code, strlen(d->code)),
                .message = arena_copy_text(t->memory, d->message, strlen(d->message)),
                .severity = d->severity,
                .place = d->place};
    if (!s->code || !s->message)
        return;
    *t->last = s;
    t->last = &s->next;
}

__attribute__((format(printf, 2, 3))) static void fail(testing *t, const char *format, ...)
{
    va_list args;
    t->out->verdict = VERDICT_FAIL;
    va_start(args, format);
    text_vprintf(&t->out->detail, format, args);
    va_end(args);
    text_putc(&t->out->detail, '\n');
}

static const char *get(const testing *t, const char *path)
{
    return yaml_text(t->test, path);
}

static bool is(const char *text, const char *word)
{
    return text && strcmp(text, word) == 0;
}

static int64_t number_of(const char *text, int64_t otherwise)
{
    int64_t n = otherwise;
    if (text && decimal_read_i64(text, strlen(text), &n).length == 0)
        return otherwise;
    return n;
}

/* ---- texts ---- */

static bool read_module(testing *t, const char *text, const char *dialect_name, tn_module **m)
{
    tn_read_options o = {.dialect = dialect_name, .file = "test"};
    if (is(dialect_name, "mind-source"))
        o.entry = get(t, "input.entry");
    if (is(get(t, "input.language"), "core-v1"))
        o.profile = TN_PROFILE_CORE_V1;
    return tn_module_read(t->cx, &o, text, strlen(text), m) == TN_OK;
}

static bool canonical_text(testing *t, tn_module *m, text_buffer *out)
{
    const tn_writer writer = text_writer(out);
    text_init(out, &t->cx->allocator);
    if (tn_module_run_passes(m, "canonicalize", NULL) == TN_OK &&
        tn_module_write(m, "mind", NULL, &writer) == TN_OK)
        return true;
    return false;
}

/* The first line in which the texts differ. */
static void show_difference(testing *t, const text_buffer *want, const text_buffer *got)
{
    size_t line = 1, begin = 0, i = 0;
    for (; i < want->n && i < got->n && want->at[i] == got->at[i]; i++)
        if (want->at[i] == '\n') {
            line++;
            begin = i + 1;
        }
    const text_buffer *texts[] = {want, got};
    fail(t, "line %zu differs:", line);
    for (int k = 0; k < 2; k++) {
        size_t end = begin;
        while (end < texts[k]->n && texts[k]->at[end] != '\n')
            end++;
        text_puts(&t->out->detail, k ? "+ " : "- ");
        text_put(&t->out->detail, texts[k]->at + begin, end - begin);
        text_putc(&t->out->detail, '\n');
    }
}

static void compare_module(testing *t, tn_module *m, const char *want)
{
    tn_module *expected;
    text_buffer a, b;
    if (!read_module(t, want, "mind", &expected)) {
        fail(t, "the expected module cannot be read");
        return;
    }
    bool ok = canonical_text(t, expected, &a);
    bool also = canonical_text(t, m, &b);
    if (!ok || !also)
        fail(t, "a module cannot be canonicalised");
    else if (a.n != b.n || memcmp(a.at, b.at, a.n) != 0)
        show_difference(t, &a, &b);
    text_release(&a);
    text_release(&b);
    tn_module_free(expected);
}

/* ---- running ---- */

/* A number as the test has it: an integer of 64 bits, which is exact, or a float. */
static bool number_from(const char *text, scalar *out)
{
    uint64_t bits;
    const size_t n = strlen(text);
    const bool negative = text[0] == '-';
    const char *word = text + negative + (text[negative] == '.');
    decimal_result r = decimal_read_i64(text, n, &out->i);
    *out = scalar_of_int(out->i);
    if (n && r.length == n && !r.overflow && !(negative && out->i == 0))
        return true;
    *out = scalar_of_float(word[0] == 'n' ? (double)NAN : (double)INFINITY);
    out->f = negative ? -out->f : out->f;
    if (is(word, "inf") || is(word, "nan"))
        return true;
    if (n == 0 || decimal_read(format_f64, text, n, &bits).length != n)
        return false;
    memcpy(&out->f, &bits, sizeof bits);
    return true;
}

/* The numbers of a nested list, one after the other; false for what is no number. */
static bool flatten(const yaml *y, scalar **at, const scalar *end)
{
    if (y->kind == YAML_SCALAR)
        return *at < end && number_from(y->text, (*at)++);
    for (const yaml *c = y->first; c; c = c->next)
        if (!flatten(c, at, end))
            return false;
    return true;
}

static double as_float(scalar s)
{
    return s.kind == DTYPE_FLOAT ? s.f : (double)s.i;
}

/* Is GOT what is WANTED, give or take TOLERANCE times |wanted|, or TOLERANCE if that is more? */
static bool is_close(scalar got, scalar wanted, double tolerance)
{
    if (got.kind == DTYPE_SIGNED && wanted.kind == DTYPE_SIGNED && tolerance == 0)
        return got.i == wanted.i;
    double g = as_float(got), w = as_float(wanted);
    double room = tolerance * (fabs(w) > 1 ? fabs(w) : 1);
    return g == w || (g != g && w != w) || fabs(g - w) <= room;
}

static void put_number(text_buffer *out, scalar s, bool is_float)
{
    if (is_float || s.kind == DTYPE_FLOAT)
        text_f64(out, as_float(s));
    else
        text_i64(out, s.i);
}

/* Memory for input I, filled with what the test gives; zeros otherwise. */
static bool fill_input(testing *t, const tn_port *port, tn_buffer *b)
{
    size_t count = 1;
    const yaml *values = yaml_find(t->test, "input.values");
    const yaml *own = values ? yaml_find(values, port->name) : NULL;
    for (uint32_t i = 0; i < port->type.rank; i++)
        count *= (size_t)port->type.dims[i];
    *b = (tn_buffer){.type = port->type, .bytes = count * dtype_bytes(port->type.dtype)};
    b->data = arena_calloc(t->memory, count, dtype_bytes(port->type.dtype));
    scalar *numbers = ARENA_ARRAY(t->memory, scalar, count), *at = numbers;
    if (!b->data || !numbers)
        return false;
    if (!own)
        return true;
    if (!flatten(own, &at, numbers + count) || at != numbers + count) {
        fail(t, "the values of input '%s' are not %zu numbers", port->name, count);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        (void)scalar_store(numbers[i], port->type.dtype,
                           (char *)b->data + i * dtype_bytes(port->type.dtype));
    return true;
}

static void compare_result(testing *t, const tn_buffer *got, const yaml *want)
{
    const char *dtype = yaml_text(want, "dtype"), *pattern = yaml_text(want, "values_pattern");
    const char *limit = yaml_text(want, "tolerance");
    const yaml *shape = yaml_find(want, "shape"), *values = yaml_find(want, "values");
    size_t count = got->bytes / dtype_bytes(got->type.dtype), rank = 0;
    double tolerance = 0;
    scalar read;
    const char *own = dtype_name(got->type.dtype);
    if (dtype && strcmp(dtype, own + (own[0] == 's')) != 0)
        fail(t, "the result is %s, expected %s", own, dtype);
    bool same = true;
    for (const yaml *c = shape ? shape->first : NULL; c; c = c->next, rank++) {
        int64_t d = -1;
        (void)decimal_read_i64(c->text ? c->text : "", c->text ? strlen(c->text) : 0, &d);
        same = same && rank < got->type.rank && got->type.dims[rank] == d;
    }
    if (shape && (!same || rank != got->type.rank)) {
        fail(t, "the result has another shape than expected");
        return;
    }
    if (limit && number_from(limit, &read))
        tolerance = as_float(read);
    scalar *numbers = ARENA_ARRAY(t->memory, scalar, count), *at = numbers;
    if (!numbers)
        return;
    if (pattern)
        for (size_t i = 0; i < count; i++)
            numbers[i] = scalar_of_int(is(pattern, "all_ones"));
    else if (!values || !flatten(values, &at, numbers + count) || at != numbers + count)
        fail(t, "the result has %zu elements, which are not what is expected", count);
    for (size_t i = 0; i < count && t->out->verdict != VERDICT_FAIL; i++) {
        const size_t size = dtype_bytes(got->type.dtype);
        const scalar s = scalar_load(got->type.dtype, (const char *)got->data + i * size);
        if (!is_close(s, numbers[i], tolerance)) {
            text_printf(&t->out->detail, "element %zu: expected ", i);
            put_number(&t->out->detail, numbers[i], s.kind == DTYPE_FLOAT);
            text_puts(&t->out->detail, ", got ");
            put_number(&t->out->detail, s, false);
            fail(t, "%s", "");
        }
    }
}

/* Is every name among the values that of an input? */
static bool values_have_inputs(testing *t, const tn_program *p)
{
    const yaml *values = yaml_find(t->test, "input.values");
    for (const yaml *c = values ? values->first : NULL; c; c = c->next) {
        bool found = false;
        tn_port port;
        for (size_t i = 0; !found && tn_program_input(p, i, &port) == TN_OK; i++)
            found = is(port.name, c->key);
        if (!found) {
            fail(t, "the program has no input '%s'", c->key ? c->key : "");
            return false;
        }
    }
    return true;
}

static void run_module(testing *t, const tn_module *m, const yaml *want)
{
    tn_program *p = NULL;
    tn_compile_options o = {.device = get(t, "input.device"), .engine = get(t, "input.engine")};
    if (t->gpu && is(get(t, "profile"), "gpu") && !o.device)
        o.device = "gpu";
    if (tn_program_compile(m, &o, &p) != TN_OK)
        return;
    size_t n_in = tn_program_input_count(p), n_out = tn_program_output_count(p);
    tn_buffer *in = ARENA_ARRAY(t->memory, tn_buffer, n_in);
    tn_buffer *out = ARENA_ARRAY(t->memory, tn_buffer, n_out);
    bool ok = in && out && values_have_inputs(t, p);
    for (size_t i = 0; ok && i < n_in; i++) {
        tn_port port;
        ok = tn_program_input(p, i, &port) == TN_OK && fill_input(t, &port, &in[i]);
    }
    tn_run_options run = {.threads = 1,
                          .timeout_ns = (uint64_t)number_of(get(t, "input.timeout_ns"), 0)};
    if (ok && tn_program_run(p, in, n_in, out, n_out, &run) == TN_OK) {
        const int64_t which = want ? number_of(yaml_text(want, "output"), 0) : 0;
        if (want && (which < 0 || (uint64_t)which >= n_out))
            fail(t, "there is no output %" PRId64, which);
        else if (want)
            compare_result(t, &out[which], want);
        for (size_t i = 0; i < n_out; i++)
            tn_buffer_release(p, &out[i]);
    }
    tn_program_free(p);
}

/* ---- expectations ---- */

/* Published expectations that contradict the published catalogue. */
static bool is_erratum(const char *want, const char *got, const char *message)
{
    return is(want, "E4003") && is(got, "E3007") && message &&
           strcmp(message, "Element count mismatch") == 0;
}

static bool contains(const char *text, const char *part)
{
    size_t n = strlen(part);
    for (; *text; text++) {
        size_t i = 0;
        while (i < n && text[i] && (text[i] | 32) == (part[i] | 32))
            i++;
        if (i == n)
            return true;
    }
    return n == 0;
}

static bool covers(const testing *t, const seen *s)
{
    int64_t line = number_of(get(t, "expected.error.location.line"), -1);
    int64_t column = number_of(get(t, "expected.error.location.column"), -1);
    int64_t end = (int64_t)s->place.column + (s->place.length ? s->place.length : 1);
    return (line < 0 || line == s->place.line) &&
           (column < 0 || (column >= s->place.column && column < end));
}

static void put_expected_error(testing *t, const char *code, const char *message)
{
    const char *line = get(t, "expected.error.location.line");
    const char *column = get(t, "expected.error.location.column");
    text_buffer *out = &t->out->detail;
    text_printf(out, code ? "expected the error %s" : "expected an error", code);
    if (line || column)
        text_printf(out, " at %s:%s", line ? line : "*", column ? column : "*");
    if (message)
        text_printf(out, " with '%s'", message);
}

static void expect_error(testing *t)
{
    const char *code = get(t, "expected.error.code");
    const char *message = get(t, "expected.error.message_contains");
    for (const seen *s = t->first; s; s = s->next) {
        bool right = !code || is(s->code, code) || is_erratum(code, s->code, message);
        if (s->severity == TN_ERROR && right && (!message || contains(s->message, message)) &&
            covers(t, s))
            return;
    }
    put_expected_error(t, code, message);
    fail(t, ", got %s", t->first ? "" : "none");
    for (const seen *s = t->first; s; s = s->next)
        text_printf(&t->out->detail, "+ %s %" PRIu32 ":%" PRIu32 " %s\n", s->code, s->place.line,
                    s->place.column, s->message);
}

static void expect_success(testing *t)
{
    for (const seen *s = t->first; s; s = s->next)
        if (s->severity == TN_ERROR)
            fail(t, "+ %s %" PRIu32 ":%" PRIu32 " %s", s->code, s->place.line, s->place.column,
                 s->message);
}

static bool failed_already(const testing *t)
{
    return t->first != NULL || t->out->verdict == VERDICT_FAIL;
}

/* One name, or a list of them. */
static void read_wrt(testing *t, tn_gradient_options *o)
{
    const yaml *wrt = yaml_find(t->test, "input.wrt");
    size_t n = 0;
    for (const yaml *c = wrt && wrt->kind == YAML_LIST ? wrt->first : NULL; c; c = c->next)
        n++;
    const char **names = ARENA_ARRAY(t->memory, const char *, n + 1);
    if (!wrt || !names)
        return;
    if (wrt->kind == YAML_SCALAR)
        names[o->n_wrt++] = wrt->text;
    for (const yaml *c = n ? wrt->first : NULL; c; c = c->next)
        names[o->n_wrt++] = c->text ? c->text : "";
    o->wrt = names;
}

/* The program through all stages that the test asks for. */
static void run_stages(testing *t)
{
    const char *text = get(t, "input.source"), *want_ir = get(t, "expected.output.ir");
    const char *want_gradient = get(t, "expected.output.gradient_module");
    const yaml *want = yaml_find(t->test, "expected.output.result");
    bool wants_error = is(get(t, "expected.status"), "error");
    bool gradient = want_gradient || is(get(t, "input.gradient"), "true");
    tn_module *m = NULL, *g = NULL;
    const char *bytes = get(t, "input.run_bytes");
    if (bytes)
        (void)tn_context_set_limit(t->cx, "run_bytes", (uint64_t)number_of(bytes, 0));
    if (!text)
        text = get(t, "input.ir_module");
    if (!text) {
        fail(t, "the test has neither input.source nor input.ir_module");
        return;
    }
    if (!read_module(t, text, get(t, "input.source") ? "mind-source" : "mind", &m))
        return;
    if (want_ir)
        compare_module(t, m, want_ir);
    if (gradient || (wants_error && is(get(t, "category"), "autodiff"))) {
        tn_gradient_options o = {.loss = get(t, "input.loss"),
                                 .conv2d = is(get(t, "input.conv2d"), "true")};
        read_wrt(t, &o);
        if (is(get(t, "input.language"), "core-v1"))
            o.profile = TN_PROFILE_CORE_V1;
        if (tn_module_gradient(m, &o, &g) == TN_OK && want_gradient) {
            tn_module_forget_gradients(g);
            compare_module(t, g, want_gradient);
        }
    }
    if ((want || wants_error || is(get(t, "category"), "runtime")) && !failed_already(t))
        run_module(t, g ? g : m, want);
    tn_module_free(g);
    tn_module_free(m);
}

/* Is what stands at PATH, if anything does, one of two words? */
static bool is_either(testing *t, const char *path, bool needed, const char *one, const char *other)
{
    const char *text = get(t, path);
    if (is(text, one) || is(text, other) || (!needed && !yaml_find(t->test, path)))
        return true;
    fail(t, "%s is neither %s nor %s", path, one, other);
    return false;
}

/* A malformed test fails; it must not pass by accident. */
static bool is_well_formed(testing *t)
{
    static const char pattern[] = "expected.output.result.values_pattern",
                      tolerance[] = "expected.output.result.tolerance";
    scalar ignored;
    if (!is_either(t, "expected.status", true, "success", "error") ||
        !is_either(t, "profile", false, "cpu", "gpu") ||
        !is_either(t, pattern, false, "all_zeros", "all_ones"))
        return false;
    if (get(t, "input.source") && get(t, "input.ir_module"))
        fail(t, "the test has both input.source and input.ir_module");
    else if (yaml_find(t->test, tolerance) &&
             (!get(t, tolerance) || !number_from(get(t, tolerance), &ignored)))
        fail(t, "%s is no number", tolerance);
    return t->out->verdict != VERDICT_FAIL;
}

static void run_test(testing *t)
{
    const char *status = get(t, "expected.status");
    if (!is_well_formed(t))
        return;
    run_stages(t);
    diag_flush(&t->cx->diag);
    if (t->out->verdict == VERDICT_FAIL)
        return;
    if (is(status, "error"))
        expect_error(t);
    else
        expect_success(t);
}

tn_status conformance_run(context *cx, const char *path, bool gpu, arena *memory,
                          conformance_result *out)
{
    testing t = {.memory = memory, .out = out, .gpu = gpu};
    tn_diagnostic_sink sink = {collect, &t};
    source src = {.name = path};
    yaml *test = NULL;
    t.last = &t.first;
    *out = (conformance_result){.category = "", .description = ""};
    text_init(&out->detail, &cx->allocator);
    t.cx = context_new(&cx->allocator, &sink);
    if (!t.cx)
        return diag_no_memory(&cx->diag);
    context_limits_from(t.cx, cx);
    t.cx->has_told_llvm = true; /* programs are tested, not this machine */
    if (text_file_read(t.cx, memory, path, &src.text, &src.length) != TN_OK ||
        yaml_read(t.cx, &src, memory, &test) != TN_OK) {
        diag_flush(&t.cx->diag);
        fail(&t, "the file cannot be read: %s", t.first ? t.first->message : "out of memory");
    } else {
        t.test = test;
        out->category = get(&t, "category") ? get(&t, "category") : "";
        out->description = get(&t, "description") ? get(&t, "description") : "";
        if (is(get(&t, "profile"), "gpu") && !gpu) {
            out->verdict = VERDICT_SKIP;
            text_puts(&out->detail, "a test of the gpu profile");
        } else {
            run_test(&t);
        }
    }
    context_free(t.cx);
    return out->detail.failed ? diag_no_memory(&cx->diag) : TN_OK;
}
