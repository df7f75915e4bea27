/* tenon verify: run a model on the test data beside it, or a StableHLO text with checks inside, and
 * compare the results. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands/verify_checks.h"
#include "cli/running/read_for_inputs.h"
#include "tenon/convert.h"

enum { OPTION_AGAINST = OPTION_OWN, OPTION_RTOL, OPTION_ATOL, OPTION_LEVEL, OPTION_ENGINE };

static const option options[] = {
    {OPTION_AGAINST, "--against", "DIR",
     "with test_data_set_N/{input,output}_M.pb or .npy; else the folder of the model"},
    {OPTION_RTOL, "--rtol", "X", "floats may differ by atol + rtol * |expected| (0.001)"},
    {OPTION_ATOL, "--atol", "X", "see --rtol (0.0000001)"},
    {OPTION_LEVEL, "-O", "0|1|2", "passes before running: none, exact ones, all (2)"},
    {OPTION_ENGINE, "--engine", "jit|ref", "what runs it; never changes a result"},
    {0},
};

enum { MOST_TENSORS = 1000 };

/* What is asked for, and what was found so far. */
typedef struct verification {
    session *s;
    const char *model, *folder;
    double rtol, atol;
    bool has_tolerance;
    tn_compile_options compile;
    cli_text out;
    tn_difference worst; /* over all sets */
    uint64_t n_outputs, n_beyond;
} verification;

/* The tensors of one set. */
typedef struct data_set {
    const char *folder;
    tn_tensor_file *files[2 * MOST_TENSORS];
    size_t n_files;
    tn_buffer in[MOST_TENSORS], want[MOST_TENSORS];
    const char *names[MOST_TENSORS]; /* of inputs, as their files have them */
    size_t n_in, n_want;
} data_set;

/* ---- data ---- */

/* PATH in the pool; NULL without memory. */
static const char *path_of(session *s, const char *folder, const char *stem, size_t i,
                           const char *end)
{
    cli_text text = {0};
    cli_printf(&text, "%s/%s%zu%s", folder, stem, i, end);
    const char *kept = text.failed ? NULL : cli_copy(&s->memory, text.at, text.n);
    cli_text_release(&text);
    return kept;
}

static bool is_there(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

/* The file of tensor I: STEMI.pb, or else STEMI.npy. NULL without memory. */
static const char *tensor_path(session *s, const char *folder, const char *stem, size_t i)
{
    const char *path = path_of(s, folder, stem, i, ".pb");
    return path && !is_there(path) ? path_of(s, folder, stem, i, ".npy") : path;
}

/* Read tensors 0, 1, ... as far as there are files of them. NAMES may be NULL. */
static tn_status read_tensors(session *s, data_set *d, const char *stem, tn_buffer *out,
                              const char **names, size_t *n)
{
    for (*n = 0; *n < MOST_TENSORS; ++*n) {
        const char *path = tensor_path(s, d->folder, stem, *n);
        tn_tensor_file *file;
        if (!path)
            return no_memory(s);
        if (!is_there(path))
            return TN_OK;
        TN_TRY(tn_tensor_file_open(s->cx, path, &file));
        d->files[d->n_files++] = file;
        TN_TRY(tn_tensor_file_load(file, 0, &out[*n]));
        if (names)
            names[*n] = tn_tensor_file_name(file, 0);
    }
    return TN_OK;
}

static void close_set(data_set *d)
{
    for (size_t i = 0; i < d->n_files; i++)
        tn_tensor_file_close(d->files[i]);
    d->n_files = 0;
}

/* ---- the model ---- */

/* Read the model as it is, or else for the inputs of D, on which its nodes may depend. */
static tn_status read_model(verification *v, const data_set *d, tn_module **m)
{
    session *s = v->s;
    TN_TRY(read_without(s, v->model, m));
    if (*m)
        return TN_OK;
    tn_known_input *inputs = cli_alloc(&s->memory, d->n_in, sizeof *inputs);
    if (!inputs)
        return no_memory(s);
    size_t n = 0;
    for (size_t i = 0; i < d->n_in; i++)
        if (*d->names[i])
            inputs[n++] = (tn_known_input){d->names[i], &d->in[i]};
    const tn_read_options own = s->read;
    const size_t n_taken = s->n_taken;
    const tn_status status = read_program_for(s, v->model, inputs, n, m);
    s->read = own; /* the inputs are of this set alone */
    s->n_taken = n_taken;
    return status;
}

/* The tensor for input INDEX of P: all are there in order, or some are constants now and names
 * tell. */
static tn_status find_input(verification *v, const tn_program *p, const data_set *d, size_t index,
                            tn_buffer *out)
{
    tn_port port;
    size_t at = index;
    TN_TRY(tn_program_input(p, index, &port));
    if (tn_program_input_count(p) != d->n_in)
        for (at = 0; at < d->n_in && strcmp(d->names[at], port.name) != 0;)
            at++;
    if (at >= d->n_in)
        return file_error(v->s, "%s: has no tensor for the input '%s'", d->folder, port.name);
    *out = d->in[at];
    const char *from = tensor_path(v->s, d->folder, "input_", at);
    return from ? tn_program_check_input(p, index, out, from) : no_memory(v->s);
}

/* ---- comparing ---- */

static void put_difference(cli_text *text, const tn_difference *d)
{
    if (d->is_equal)
        cli_puts(text, "equal");
    else if (d->largest_ulp == UINT64_MAX)
        cli_puts(text, "differs by more than rounding");
    else
        cli_printf(text, "at most %llu ulp, relative %.3g, absolute %.3g",
                   (unsigned long long)d->largest_ulp, d->largest_relative, d->largest_absolute);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static void note_worst(verification *v, const tn_difference *d)
{
    tn_difference *w = &v->worst;
    w->is_equal = w->is_equal && d->is_equal;
    w->largest_ulp = w->largest_ulp > d->largest_ulp ? w->largest_ulp : d->largest_ulp;
    w->largest_relative = larger(w->largest_relative, d->largest_relative);
    w->largest_absolute = larger(w->largest_absolute, d->largest_absolute);
    v->n_outputs++;
    v->n_beyond += d->n_beyond > 0;
}

static tn_status compare_output(verification *v, const char *set, const char *name,
                                const tn_buffer *got, const tn_buffer *want)
{
    tn_difference d = {.size = sizeof d};
    cli_put_name(&v->out, set);
    cli_puts(&v->out, ": ");
    cli_put_name(&v->out, name);
    cli_puts(&v->out, ": ");
    cli_put_type(&v->out, &got->type);
    cli_puts(&v->out, ": ");
    if (tn_buffer_compare(got, want, v->rtol, v->atol, &d) != TN_OK) {
        cli_puts(&v->out, "is not ");
        cli_put_type(&v->out, &want->type);
        d = (tn_difference){.n_beyond = 1, .largest_ulp = UINT64_MAX};
    } else {
        put_difference(&v->out, &d);
        if (d.n_beyond)
            cli_printf(&v->out, "; %llu element%s beyond the tolerance, first %lld",
                       (unsigned long long)d.n_beyond, cli_plural(d.n_beyond), (long long)d.first);
    }
    cli_putc(&v->out, '\n');
    note_worst(v, &d);
    return TN_OK;
}

static tn_status compare_outputs(verification *v, const tn_program *p, const data_set *d,
                                 const tn_buffer *out)
{
    const char *slash = strrchr(d->folder, '/');
    tn_port port;
    if (d->n_want == 0 || d->n_want > tn_program_output_count(p))
        return file_error(v->s, "%s: has %zu output%s, and the model %zu", d->folder, d->n_want,
                          cli_plural(d->n_want), tn_program_output_count(p));
    for (size_t i = 0; i < d->n_want; i++) {
        TN_TRY(tn_program_output(p, i, &port));
        TN_TRY(compare_output(v, slash ? slash + 1 : d->folder, port.name, &out[i], &d->want[i]));
    }
    return TN_OK;
}

static tn_status run_and_compare(verification *v, const tn_program *p, const data_set *d)
{
    const size_t n_in = tn_program_input_count(p), n_out = tn_program_output_count(p);
    tn_buffer *in = cli_alloc(&v->s->memory, n_in, sizeof *in);
    tn_buffer *out = cli_alloc(&v->s->memory, n_out, sizeof *out);
    const tn_run_options o = {0};
    if (!in || !out)
        return no_memory(v->s);
    for (size_t i = 0; i < n_in; i++)
        TN_TRY(find_input(v, p, d, i, &in[i]));
    tn_status status = tn_program_run(p, in, n_in, out, n_out, &o);
    if (status == TN_OK)
        status = compare_outputs(v, p, d, out);
    for (size_t i = 0; i < n_out; i++)
        tn_buffer_release(p, &out[i]);
    return status;
}

static tn_status compile_and_run(verification *v, const data_set *d)
{
    tn_module *m;
    tn_program *p;
    TN_TRY(read_model(v, d, &m));
    tn_status status = tn_program_compile(m, &v->compile, &p);
    tn_module_free(m);
    TN_TRY(status);
    status = run_and_compare(v, p, d);
    tn_program_free(p);
    return status;
}

static tn_status verify_set(verification *v, const char *folder)
{
    session *s = v->s;
    data_set *d = cli_alloc(&s->memory, 1, sizeof *d);
    if (!d)
        return no_memory(s);
    d->folder = folder;
    tn_status status = read_tensors(s, d, "input_", d->in, d->names, &d->n_in);
    if (status == TN_OK)
        status = read_tensors(s, d, "output_", d->want, NULL, &d->n_want);
    if (status == TN_OK)
        status = compile_and_run(v, d);
    close_set(d);
    return status;
}

/* ---- all sets ---- */

static int by_number(const void *a, const void *b)
{
    int64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static const char set_name[] = "test_data_set_";

/* The numbers of the sets in the folder, ascending. */
static tn_status list_sets(verification *v, int64_t **numbers, size_t *n)
{
    session *s = v->s;
    size_t cap = 0;
    DIR *dir = opendir(v->folder);
    if (!dir)
        return file_error(s, "%s: cannot be opened: %s", v->folder, strerror(errno));
    tn_status status = TN_OK;
    for (const char *name;
         status == TN_OK && (name = next_entry(s, dir, v->folder, &status)) != NULL;) {
        const char *digits = name + sizeof set_name - 1;
        int64_t number;
        if (strncmp(name, set_name, sizeof set_name - 1) != 0 || *digits == '-' ||
            !number_i64(digits, strlen(digits), &number))
            continue;
        *numbers = cli_grow(&s->memory, *numbers, &cap, *n, sizeof **numbers);
        if (*numbers)
            (*numbers)[(*n)++] = number;
        else
            status = no_memory(s);
    }
    (void)closedir(dir);
    if (status == TN_OK && *n == 0)
        return file_error(s,
                          "%s: has no folder %s0, with input_0.pb or .npy, output_0.pb or .npy ...",
                          v->folder, set_name);
    if (*n > 0)
        qsort(*numbers, *n, sizeof **numbers, by_number);
    return status;
}

static tn_status verify_all(verification *v)
{
    int64_t *numbers = NULL;
    size_t n = 0;
    TN_TRY(list_sets(v, &numbers, &n));
    for (size_t i = 0; i < n; i++) {
        const char *folder = path_of(v->s, v->folder, set_name, (size_t)numbers[i], "");
        if (!folder)
            return no_memory(v->s);
        TN_TRY(verify_set(v, folder));
    }
    cli_printf(&v->out, "%llu output%s in %zu set%s: ", (unsigned long long)v->n_outputs,
               cli_plural(v->n_outputs), n, cli_plural(n));
    put_difference(&v->out, &v->worst);
    if (v->n_beyond)
        cli_printf(&v->out, "; %llu beyond", (unsigned long long)v->n_beyond);
    cli_printf(&v->out, " (rtol %g, atol %g)\n", v->rtol, v->atol);
    return TN_OK;
}

/* ---- the command ---- */

static tn_status read_tolerance(session *s, const char *name, const char *text, double *out)
{
    if (number_f64(text, out) && *out >= 0 && *out <= 1e300)
        return TN_OK;
    return usage_error(s, "%s takes a number from 0 to 1e300, not '%s'", name, text);
}

static tn_status read_verify_options(session *s, const arguments *args, verification *v)
{
    int choice;
    for (int i = 0; i < args->n_options; i++) {
        const char *value = args->options[i].value;
        switch (args->options[i].id) {
        case OPTION_AGAINST:
            v->folder = value;
            break;
        case OPTION_RTOL:
            v->has_tolerance = true;
            TN_TRY(read_tolerance(s, "--rtol", value, &v->rtol));
            break;
        case OPTION_ATOL:
            v->has_tolerance = true;
            TN_TRY(read_tolerance(s, "--atol", value, &v->atol));
            break;
        case OPTION_LEVEL:
            TN_TRY(read_level(s, value, &v->compile.level));
            break;
        case OPTION_ENGINE:
            v->compile.engine = value;
            TN_TRY(read_choice(s, "--engine", value, "jit", "ref", &choice));
            break;
        default:
            break;
        }
    }
    return arguments_one_file(s, args, &v->model);
}

/* The model is read for its first set; that it is none is said before its folder is looked at. */
static tn_status find_model(session *s, const char *path)
{
    struct stat found;
    if (strcmp(path, "-") == 0)
        return TN_OK;
    if (stat(path, &found) != 0)
        return file_error(s, "%s: cannot be opened: %s", path, strerror(errno));
    return S_ISDIR(found.st_mode) ? file_error(s, "%s: is a directory", path) : TN_OK;
}

static tn_status run_verify(session *s, const arguments *args)
{
    verification v = {.s = s,
                      .rtol = 1e-3, /* as the official tests of ONNX */
                      .atol = 1e-7,
                      .compile.size = sizeof v.compile,
                      .worst.is_equal = true};
    TN_TRY(read_verify_options(s, args, &v));
    TN_TRY(find_model(s, v.model));
    if (!v.folder && v.has_tolerance && has_checks(s, v.model))
        return usage_error(s, "the checks in a StableHLO file have tolerances of their own");
    if (!v.folder && has_checks(s, v.model))
        return verify_checks(s, v.model, &v.compile);
    if (!v.folder) {
        const char *slash = strrchr(v.model, '/');
        v.folder = slash ? cli_copy(&s->memory, v.model, (size_t)(slash - v.model) + 1) : ".";
        if (!v.folder)
            return no_memory(s);
    }
    tn_status status = verify_all(&v);
    if (status == TN_OK)
        status = output_text(s, NULL, &v.out);
    cli_text_release(&v.out);
    return status == TN_OK && v.n_beyond ? TN_ERR_REJECTED : status;
}

const command command_verify = {
    "verify",
    "FILE [--against DIR] [--rtol X] [--atol X] [-O0|-O1|-O2] [--engine jit|ref]",
    "run a model on its test data, or the checks in a StableHLO file",
    options,
    run_verify,
    true};
