/* Running one conformance test. docs/mind-source.md describes the files. */
#include "cli/conformance/conformance_test.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/conformance/yaml.h"
#include "cli/session/cli.h"

/* An error or warning that the test's program caused. */
typedef struct seen {
    const char *code, *message;
    tn_severity severity;
    tn_place place;
    struct seen *next;
} seen;

typedef struct testing {
    tn_context *cx; /* of the program alone */
    cli_pool *memory;
    const yaml *test;
    seen *first, **last;
    conformance_result *out;
    bool gpu;
} testing;

static void collect(void *user, const tn_diagnostic *d)
{
    testing *t = user;
    if (strcmp(d->kind, "BackendUnavailable") == 0 && d->severity == TN_WARNING)
        return; /* programs are tested, not this machine */
    seen *s = cli_alloc(t->memory, 1, sizeof *s);
    if (!s)
        return;
    *s = (seen){.code = cli_copy(t->memory, d->code, strlen(d->code)),
                .message = cli_copy(t->memory, d->message, strlen(d->message)),
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
    cli_vprintf(&t->out->detail, format, args);
    va_end(args);
    cli_putc(&t->out->detail, '\n');
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
    int64_t n;
    return text && number_i64(text, strlen(text), &n) ? n : otherwise;
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

static bool canonical_text(tn_module *m, cli_text *out)
{
    const tn_writer writer = text_writer(out);
    if (tn_module_run_passes(m, "canonicalize", NULL) == TN_OK &&
        tn_module_write(m, "mind", NULL, &writer) == TN_OK)
        return true;
    return false;
}

/* The first line in which the texts differ. */
static void show_difference(testing *t, const cli_text *want, const cli_text *got)
{
    size_t line = 1, begin = 0, i = 0;
    for (; i < want->n && i < got->n && want->at[i] == got->at[i]; i++)
        if (want->at[i] == '\n') {
            line++;
            begin = i + 1;
        }
    const cli_text *texts[] = {want, got};
    fail(t, "line %zu differs:", line);
    for (int k = 0; k < 2; k++) {
        size_t end = begin;
        while (end < texts[k]->n && texts[k]->at[end] != '\n')
            end++;
        cli_puts(&t->out->detail, k ? "+ " : "- ");
        cli_put(&t->out->detail, texts[k]->at + begin, end - begin);
        cli_putc(&t->out->detail, '\n');
    }
}

static void compare_module(testing *t, tn_module *m, const char *want)
{
    tn_module *expected;
    cli_text a = {0}, b = {0};
    if (!read_module(t, want, "mind", &expected)) {
        fail(t, "the expected module cannot be read");
        return;
    }
    bool ok = canonical_text(expected, &a);
    bool also = canonical_text(m, &b);
    if (!ok || !also)
        fail(t, "a module cannot be canonicalised");
    else if (a.n != b.n || memcmp(a.at, b.at, a.n) != 0)
        show_difference(t, &a, &b);
    cli_text_release(&a);
    cli_text_release(&b);
    tn_module_free(expected);
}

/* ---- running ---- */

/* A number as the test has it: an integer of 64 bits, which is exact, or a float. */
typedef struct number {
    bool is_float;
    int64_t i;
    double f; /* of an integer, too */
} number;

static number integer(int64_t i)
{
    return (number){.i = i, .f = (double)i};
}

static bool number_from(const char *text, number *out)
{
    const bool negative = text[0] == '-';
    const char *word = text + negative + (text[negative] == '.');
    int64_t i;
    if (number_i64(text, strlen(text), &i) && !(negative && i == 0)) {
        *out = integer(i);
        return true;
    }
    *out = (number){.is_float = true, .f = word[0] == 'n' ? (double)NAN : (double)INFINITY};
    out->f = negative ? -out->f : out->f;
    return is(word, "inf") || is(word, "nan") || number_f64(text, &out->f);
}

/* The element of type D at FROM; false for a complex one. */
static bool load(tn_dtype d, const void *from, number *out)
{
    const bool is_float = d >= TN_FP8_E4M3 && d <= TN_F64;
    if (d > TN_F64)
        return false;
    *out = (number){.is_float = is_float};
    (void)tn_dtype_convert(d, from, is_float ? TN_F64 : TN_SI64,
                           is_float ? (void *)&out->f : (void *)&out->i, 1);
    if (!is_float)
        out->f = (double)out->i;
    return true;
}

static void store(const number *n, tn_dtype d, void *to)
{
    const void *from = n->is_float ? (const void *)&n->f : (const void *)&n->i;
    (void)tn_dtype_convert(n->is_float ? TN_F64 : TN_SI64, from, d, to, 1);
}

/* The numbers of a nested list, one after the other; false for what is no number. */
static bool flatten(const yaml *y, number **at, const number *end)
{
    if (y->kind == YAML_SCALAR)
        return *at < end && number_from(y->text, (*at)++);
    for (const yaml *c = y->first; c; c = c->next)
        if (!flatten(c, at, end))
            return false;
    return true;
}

/* Is GOT what is WANTED, give or take TOLERANCE times |wanted|, or TOLERANCE if that is more? */
static bool is_close(number got, number wanted, double tolerance)
{
    if (!got.is_float && !wanted.is_float && tolerance == 0)
        return got.i == wanted.i;
    double g = got.f, w = wanted.f;
    double room = tolerance * (fabs(w) > 1 ? fabs(w) : 1);
    return g == w || (g != g && w != w) || (isfinite(w) && fabs(g - w) <= room);
}

static void put_number(testing *t, number n, bool is_float)
{
    const tn_writer writer = text_writer(&t->out->detail);
    const bool as_float = is_float || n.is_float;
    const tn_buffer b = {
        as_float ? (void *)&n.f : (void *)&n.i, 8, {.dtype = as_float ? TN_F64 : TN_SI64}};
    (void)tn_buffer_write(t->cx, &b, 1, &writer);
}

/* Memory for input I, filled with what the test gives; zeros otherwise. */
static bool fill_input(testing *t, const tn_port *port, tn_buffer *b)
{
    size_t count = 1;
    const yaml *values = yaml_find(t->test, "input.values");
    const yaml *own = yaml_entry(values, port->name);
    for (uint32_t i = 0; i < port->type.rank; i++) {
        if (port->type.dims[i] == TN_DIM_UNKNOWN) {
            fail(t, "the input '%s' has a size that is not known", port->name);
            return false;
        }
        count *= (size_t)port->type.dims[i];
    }
    *b = (tn_buffer){.type = port->type, .bytes = count * tn_dtype_size(port->type.dtype)};
    b->data = cli_alloc(t->memory, count, tn_dtype_size(port->type.dtype));
    number *numbers = cli_alloc(t->memory, count, sizeof *numbers), *at = numbers;
    if (!b->data || !numbers) {
        fail(t, "the values of input '%s' need more memory than there is", port->name);
        return false;
    }
    if (!own)
        return true;
    if (!flatten(own, &at, numbers + count) || at != numbers + count) {
        fail(t, "the values of input '%s' are not %zu number%s", port->name, count,
             cli_plural(count));
        return false;
    }
    for (size_t i = 0; i < count; i++)
        store(&numbers[i], port->type.dtype, (char *)b->data + i * tn_dtype_size(port->type.dtype));
    return true;
}

static void compare_result(testing *t, const tn_buffer *got, const yaml *want)
{
    const char *dtype = yaml_text(want, "dtype"), *pattern = yaml_text(want, "values_pattern");
    const char *limit = yaml_text(want, "tolerance");
    const yaml *shape = yaml_find(want, "shape"), *values = yaml_find(want, "values");
    size_t count = got->bytes / tn_dtype_size(got->type.dtype), rank = 0;
    double tolerance = 0;
    number read;
    const char *own = tn_dtype_name(got->type.dtype);
    if (dtype && strcmp(dtype, own + (own[0] == 's')) != 0)
        fail(t, "the result is %s, expected %s", own, dtype);
    bool same = true;
    for (const yaml *c = shape ? shape->first : NULL; c; c = c->next, rank++) {
        int64_t d = -1;
        d = number_of(c->text, d);
        same = same && rank < got->type.rank && got->type.dims[rank] == d;
    }
    if (shape && (!same || rank != got->type.rank)) {
        fail(t, "the result has another shape than expected");
        return;
    }
    if (limit && number_from(limit, &read))
        tolerance = read.f;
    number *numbers = cli_alloc(t->memory, count, sizeof *numbers), *at = numbers;
    if (!numbers)
        fail(t, "the expected values need more memory than there is");
    if (!numbers)
        return;
    if (pattern)
        for (size_t i = 0; i < count; i++)
            numbers[i] = integer(is(pattern, "all_ones"));
    else if (!values || !flatten(values, &at, numbers + count) || at != numbers + count)
        fail(t, "the result has %zu element%s, not what is expected", count, cli_plural(count));
    for (size_t i = 0; i < count && t->out->verdict != VERDICT_FAIL; i++) {
        const size_t size = tn_dtype_size(got->type.dtype);
        number s;
        if (!load(got->type.dtype, (const char *)got->data + i * size, &s))
            fail(t, "the result is complex");
        else if (!is_close(s, numbers[i], tolerance)) {
            cli_printf(&t->out->detail, "element %zu: expected ", i);
            put_number(t, numbers[i], s.is_float);
            cli_puts(&t->out->detail, ", got ");
            put_number(t, s, false);
            fail(t, "%s", "");
        }
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Is every name among the values that of an input? */
static bool values_have_inputs(testing *t, const tn_program *p)
{
    const yaml *values = yaml_find(t->test, "input.values");
    const size_t n = tn_program_input_count(p);
    const char **names = cli_alloc(t->memory, n + 1, sizeof *names);
    tn_port port;
    if (!names) {
        fail(t, "the names of the inputs need more memory than there is");
        return false;
    }
    for (size_t i = 0; i < n && tn_program_input(p, i, &port) == TN_OK; i++)
        names[i] = port.name;
    qsort(names, n, sizeof *names, by_name);
    for (const yaml *c = values ? values->first : NULL; c; c = c->next) {
        const char *key = c->key ? c->key : "";
        if (!bsearch(&key, names, n, sizeof *names, by_name)) {
            fail(t, "the program has no input '%s'", key);
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
    tn_buffer *in = cli_alloc(t->memory, n_in, sizeof *in);
    tn_buffer *out = cli_alloc(t->memory, n_out, sizeof *out);
    if (!in || !out)
        fail(t, "the tensors of a run need more memory than there is");
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
    cli_text *out = &t->out->detail;
    cli_printf(out, code ? "expected the error %s" : "expected an error", code);
    if (line || column)
        cli_printf(out, " at %s:%s", line ? line : "*", column ? column : "*");
    if (message)
        cli_printf(out, " with '%s'", message);
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
        cli_printf(&t->out->detail, "+ %s %" PRIu32 ":%" PRIu32 " %s\n", s->code, s->place.line,
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
    const char **names = cli_alloc(t->memory, n + 1, sizeof *names);
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
    number ignored;
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
    if (t->out->verdict == VERDICT_FAIL)
        return;
    if (is(status, "error"))
        expect_error(t);
    else
        expect_success(t);
}

/* Read and run the test in the file PATH. */
static void run_file(session *s, const char *path, testing *t)
{
    cli_text text = {0};
    yaml_fault fault = {.expected = "more memory"};
    conformance_result *out = t->out;
    const tn_diagnostic_sink sink = {collect, t};
    s->instead = &sink;
    const tn_status read = read_whole(s, path, &text);
    s->instead = NULL;
    const char *kept = read == TN_OK ? cli_copy(t->memory, text.at, text.n) : NULL;
    t->test = kept ? yaml_read(kept, t->memory, &fault) : NULL;
    cli_text_release(&text);
    if (read != TN_OK) {
        fail(t, "the file cannot be read: %s", t->first ? t->first->message : "out of memory");
        return;
    }
    if (!t->test) {
        fail(t, "the file cannot be read: line %u: expected %s", fault.line, fault.expected);
        return;
    }
    out->category = get(t, "category") ? get(t, "category") : "";
    out->description = get(t, "description") ? get(t, "description") : "";
    if (!is(get(t, "profile"), "gpu") || t->gpu) {
        run_test(t);
        return;
    }
    out->verdict = VERDICT_SKIP;
    cli_puts(&out->detail, "a test of the gpu profile");
}

tn_status conformance_run(session *s, const char *path, bool gpu, conformance_result *out)
{
    testing t = {.memory = &s->memory, .out = out, .gpu = gpu};
    const tn_diagnostic_sink sink = {collect, &t};
    t.last = &t.first;
    *out = (conformance_result){.category = "", .description = ""};
    t.cx = tn_context_new(NULL, &sink);
    if (!t.cx)
        return no_memory(s);
    name_settings(t.cx);
    const tn_status status = arguments_limit(s, t.cx);
    if (status == TN_OK)
        run_file(s, path, &t);
    tn_context_free(t.cx);
    return status == TN_OK && out->detail.failed ? no_memory(s) : status;
}
