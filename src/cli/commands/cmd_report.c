/* tenon report: one page about a program, with a run of it if inputs are given. */
#include <string.h>

#include "cli/running/run.h"
#include "tenon/report.h"

enum {
    OPTION_JSON = OPTION_SCHEDULE + 1,
    OPTION_OUT,
    OPTION_VALUES,
    OPTION_GRADIENT,
    OPTION_COMPARE,
    OPTION_TIMINGS,
    OPTION_TRAINING
};

static const option options[] = {
    {OPTION_OUT, "-o", "OUT.html", "the page to write; else standard output"},
    {OPTION_INPUT, "--input", "NAME=VALUE",
     "run it, with this input: an .npy or .pb file, or 5, true, [[1, 2.5], [3, inf]]"},
    {OPTION_INPUTS, "--inputs", "ARCHIVE", "an .npz or .safetensors file with inputs by name"},
    {OPTION_RANDOM, "--random", "SEED", "reproducible random data for all other inputs"},
    {OPTION_DIM, "--dim", "SYM=N", "the value of a symbolic size"},
    {OPTION_ENTRY, "--entry", "F", "the function to show"},
    {OPTION_VALUES, "--values", NULL,
     "also the range of every value, and how many are NaN, infinite or denormal"},
    {OPTION_GRADIENT, "--gradient", NULL,
     "show the gradient program of its first output for all inputs, as 'tenon grad' makes it"},
    {OPTION_COMPARE, "--compare", "OTHER",
     "show it beside this one: a report made with --json, or another program, which is made and "
     "run "
     "in the same way"},
    {OPTION_TIMINGS, "--timings", "REPORT.json",
     "take the times of this one, made with --json; nothing is measured"},
    {OPTION_TRAINING, "--training", "LOG", "also what 'tenon train --log' wrote"},
    {OPTION_JSON, "--json", NULL, "the data of the page as one JSON object"},
    {OPTION_LEVEL, "-O", "0|1|2", "passes before running: none, exact ones, all (2)"},
    {OPTION_NUMERICS, "--numerics", "exact|relaxed",
     "relaxed: changes of results that docs/numerics.md lists"},
    {OPTION_THREADS, "--threads", "N", "threads to use"},
    {OPTION_CPU, "--cpu", "NAME", "the processor that machine code is for (native)"},
    {0},
};

typedef struct wishes {
    const char *file, *out, *compare, *timings, *training;
    bool json, values, gradient, runs, has_seed, compares_program;
    uint64_t seed;
    tn_compile_options compile;
    tn_run_options run;
} wishes;

static tn_status read_one(session *s, const given *g, wishes *w)
{
    int64_t number;
    switch (g->id) {
    case OPTION_OUT:
        w->out = g->value;
        return TN_OK;
    case OPTION_INPUT:
    case OPTION_INPUTS:
        w->runs = true;
        return TN_OK;
    case OPTION_RANDOM:
        w->runs = w->has_seed = true;
        TN_TRY(read_seed(s, "--random", g->value, &w->seed));
        w->run.seed = w->seed;
        return TN_OK;
    case OPTION_VALUES:
        w->values = true;
        return TN_OK;
    case OPTION_GRADIENT:
        w->gradient = true;
        return TN_OK;
    case OPTION_COMPARE:
        w->compare = g->value;
        return TN_OK;
    case OPTION_TIMINGS:
        w->timings = g->value;
        return TN_OK;
    case OPTION_TRAINING:
        w->training = g->value;
        return TN_OK;
    case OPTION_JSON:
        w->json = true;
        return TN_OK;
    case OPTION_LEVEL:
        return read_level(s, g->value, &w->compile.level);
    case OPTION_NUMERICS:
        return read_numerics(s, g->value, &w->compile.numerics);
    case OPTION_CPU:
        w->compile.cpu = g->value;
        return TN_OK;
    case OPTION_THREADS:
        TN_TRY(read_number(s, "--threads", g->value, 1, 65536, &number));
        w->run.threads = w->compile.threads = (uint32_t)number;
        return TN_OK;
    default: /* --dim is read where it is used, --entry with the program */
        return TN_OK;
    }
}

static tn_status read_wishes(session *s, const arguments *args, wishes *w)
{
    *w = (wishes){.compile = {.size = sizeof w->compile, .eager = true}};
    for (int i = 0; i < args->n_options; i++)
        TN_TRY(read_one(s, &args->options[i], w));
    w->compile.plan_only = !w->runs;
    if (w->values && !w->runs)
        return usage_error(s, "--values needs inputs: --input, --inputs or --random");
    TN_TRY(arguments_one_file(s, args, &w->file));
    s->n_programs += w->compare != NULL;
    const size_t n = strlen(w->file), ending = sizeof ".jsonl" - 1;
    if (n >= ending && strcmp(w->file + n - ending, ".jsonl") == 0)
        return usage_error(s, "%s is a log: --training takes it beside the program", w->file);
    return TN_OK;
}

/* ---- texts ---- */

/* The texts that a page takes from files. */
typedef struct texts {
    cli_text other, timings, training, page;
} texts;

static void texts_release(texts *t)
{
    cli_text_release(&t->other);
    cli_text_release(&t->timings);
    cli_text_release(&t->training);
    cli_text_release(&t->page);
}

/* A log has an object a line; a page takes an array. */
static tn_status read_log(session *s, const char *path, cli_text *out)
{
    cli_text lines = {0};
    tn_status status = read_whole(s, path, &lines);
    bool is_first = true;
    cli_putc(out, '[');
    for (const char *at = lines.at; status == TN_OK && at && *at;) {
        const size_t n = strcspn(at, "\n");
        if (n > 0) {
            cli_puts(out, is_first ? "" : ",\n");
            cli_put(out, at, n);
            is_first = false;
        }
        at += n + (at[n] == '\n');
    }
    cli_putc(out, ']');
    cli_text_release(&lines);
    return status == TN_OK && out->failed ? no_memory(s) : status;
}

/* Is TEXT the data of a report, not a program? */
static bool is_report(const cli_text *text)
{
    static const char key[] = "\"tenon_report\"";
    const size_t n = sizeof key - 1;
    if (text->n == 0 || text->at[strspn(text->at, " \t\r\n")] != '{')
        return false;
    for (size_t i = 0; i + n <= text->n; i++)
        if (memcmp(text->at + i, key, n) == 0)
            return true;
    return false;
}

static tn_status read_other(session *s, wishes *w, cli_text *out)
{
    TN_TRY(read_whole(s, w->compare, out));
    w->compares_program = !is_report(out);
    if (!w->compares_program)
        return TN_OK;
    cli_text_release(out);
    *out = (cli_text){0};
    return w->timings ? usage_error(s, "with --timings nothing is measured: compare with a report "
                                       "made with --json")
                      : TN_OK;
}

static tn_status read_texts(session *s, wishes *w, texts *t)
{
    if (w->compare)
        TN_TRY(read_other(s, w, &t->other));
    if (w->timings)
        TN_TRY(read_whole(s, w->timings, &t->timings));
    return w->training ? read_log(s, w->training, &t->training) : TN_OK;
}

/* ---- runs ---- */

static tn_status run_once(const tn_program *p, const run_inputs *in, const tn_run_options *o,
                          tn_buffer *out, size_t n_out)
{
    const tn_status status = tn_program_run(p, in->tensors, in->n, out, n_out, o);
    for (size_t i = 0; i < n_out; i++) {
        tn_buffer_release(p, &out[i]);
        out[i] = (tn_buffer){0};
    }
    return status;
}

/* The first run makes memory and caches ready; the second is the one that the page shows. */
static tn_status run_traced(session *s, const tn_program *p, const wishes *w, const run_inputs *in,
                            trace *t)
{
    const size_t n = tn_program_output_count(p);
    tn_buffer *out = cli_alloc(&s->memory, n, sizeof *out);
    tn_run_options o = w->run;
    if (!out)
        return no_memory(s);
    TN_TRY(run_once(p, in, &o, out, n));
    o.profiler = &t->profiler;
    TN_TRY(run_once(p, in, &o, out, n));
    trace_finish(t);
    return t->text.failed ? no_memory(s) : TN_OK;
}

/* Append the page about P, or its data alone. */
static tn_status put_page(const tn_program *p, const tn_module *m, const wishes *w,
                          const run_inputs *in, const trace *t, const texts *x, cli_text *out)
{
    const tn_writer to = text_writer(out);
    const tn_report_options o = {.size = sizeof o,
                                 .json = w->json,
                                 .module = m,
                                 .in = w->values ? in->tensors : NULL,
                                 .n_in = w->values ? in->n : 0,
                                 .seed = w->run.seed,
                                 .trace = t->text.n ? t->text.at : NULL,
                                 .training = x->training.at,
                                 .other = x->other.at,
                                 .timings = x->timings.at};
    return tn_program_report(p, &o, &to);
}

static tn_status run_and_put(session *s, const arguments *args, const wishes *w, const tn_module *m,
                             const tn_program *p, const texts *x, cli_text *out)
{
    run_inputs in = {0};
    trace t;
    trace_init(&t);
    tn_status status = TN_OK;
    if (w->runs)
        status = inputs_gather(s, p, args, w->has_seed ? &w->seed : NULL, &in);
    if (status == TN_OK && w->runs && !w->timings)
        status = run_traced(s, p, w, &in, &t);
    if (status == TN_OK)
        status = put_page(p, m, w, &in, &t, x, out);
    inputs_release(&in);
    trace_release(&t);
    return status;
}

static bool is_bound(const tn_binding *list, size_t n, const char *symbol)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].symbol, symbol) == 0)
            return true;
    return false;
}

/* Bind the sizes of M that the tensors of IN tell: those of extents that are one symbol. */
static tn_status add_sizes(session *s, const tn_module *m, const run_inputs *in, wishes *w)
{
    const char *symbol, *extent;
    size_t n = w->compile.n_bindings, n_symbols = 0;
    while (tn_module_symbol(m, n_symbols))
        n_symbols++;
    tn_binding *list = cli_alloc(&s->memory, n + n_symbols + 1, sizeof *list);
    if (!list)
        return no_memory(s);
    if (n > 0)
        memcpy(list, w->compile.bindings, n * sizeof *list);
    for (size_t k = 0; (symbol = tn_module_symbol(m, k)) != NULL; k++)
        for (size_t i = 0; i < in->n; i++)
            for (uint32_t axis = 0; (extent = tn_module_input_extent(m, i, axis)) != NULL; axis++)
                if (strcmp(extent, symbol) == 0 && axis < in->tensors[i].type.rank &&
                    !is_bound(list, n, symbol))
                    list[n++] = (tn_binding){symbol, in->tensors[i].type.dims[axis]};
    w->compile.bindings = list;
    w->compile.n_bindings = n;
    return TN_OK;
}

/* Compile M; symbolic sizes that are left are those of the inputs. */
static tn_status compile(session *s, const arguments *args, wishes *w, const tn_module *m,
                         tn_program **p)
{
    TN_TRY(read_bindings(s, args, OPTION_DIM, &w->compile.bindings, &w->compile.n_bindings));
    TN_TRY(tn_program_compile(m, &w->compile, p));
    if (!w->runs || !tn_module_symbol(m, w->compile.n_bindings))
        return TN_OK;
    run_inputs in = {0};
    tn_status status = inputs_gather(s, *p, args, w->has_seed ? &w->seed : NULL, &in);
    if (status == TN_OK)
        status = add_sizes(s, m, &in, w);
    inputs_release(&in);
    tn_program_free(*p);
    *p = NULL;
    return status == TN_OK ? tn_program_compile(m, &w->compile, p) : status;
}

static tn_status compile_and_put(session *s, const arguments *args, wishes *w, tn_module *m,
                                 const texts *x, cli_text *out)
{
    tn_program *p;
    TN_TRY(compile(s, args, w, m, &p));
    tn_status status = TN_OK;
    if (w->compile.n_bindings > 0)
        status = tn_module_bind(m, w->compile.bindings, w->compile.n_bindings);
    if (status == TN_OK)
        status = run_and_put(s, args, w, m, p, x, out);
    tn_program_free(p);
    return status;
}

/* In place of the program. */
static tn_status take_gradient(tn_module **m)
{
    tn_module *gradient;
    TN_TRY(tn_module_gradient(*m, NULL, &gradient));
    tn_module_free(*m);
    *m = gradient;
    return TN_OK;
}

/* What W says about the program in the file PATH. */
static tn_status put_report(session *s, const arguments *args, wishes *w, const char *path,
                            const texts *x, cli_text *out)
{
    tn_module *m = NULL;
    tn_status status = read_program(s, path, &m);
    if (status == TN_OK && w->gradient)
        status = take_gradient(&m);
    if (status == TN_OK)
        status = compile_and_put(s, args, w, m, x, out);
    tn_module_free(m);
    return status;
}

/* The data of the program to compare with, made as this one is. */
static tn_status put_other(session *s, const arguments *args, const wishes *w, cli_text *out)
{
    wishes other = *w;
    other.json = true;
    other.values = false;
    return put_report(s, args, &other, w->compare, &(texts){0}, out);
}

static tn_status run_report(session *s, const arguments *args)
{
    wishes w;
    texts x = {0};
    TN_TRY(read_wishes(s, args, &w));
    tn_status status = read_texts(s, &w, &x);
    if (status == TN_OK && w.compares_program)
        status = put_other(s, args, &w, &x.other);
    if (status == TN_OK)
        status = put_report(s, args, &w, w.file, &x, &x.page);
    if (status == TN_OK)
        status = output_text(s, w.out, &x.page);
    texts_release(&x);
    return status;
}

const command command_report = {
    "report",
    "FILE -o OUT.html [--input NAME=VALUE]... [--random SEED] [--values] "
    "[--compare OTHER] [--json] ...",
    "write a page about a program: graph, kernels, time, memory, passes",
    options,
    run_report,
    true};
