/* tenon run: compile a program, give it inputs, run it, and show or store what comes out. */
#include "cli/running/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/running/read_for_inputs.h"
#include "tenon/train.h"

static const option options[] = {
    {OPTION_INPUT, "--input", "NAME=VALUE",
     "the input of this name or position: an .npy or .pb file, or 5, true, [[1, 2.5], [3, inf]]"},
    {OPTION_INPUTS, "--inputs", "ARCHIVE", "an .npz or .safetensors file with inputs by name"},
    {OPTION_RANDOM, "--random", "SEED", "reproducible random data for all other inputs"},
    {OPTION_DIM, "--dim", "SYM=N", "the value of a symbolic size; else the inputs tell"},
    {OPTION_ENTRY, "--entry", "F", "the function to run"},
    {OPTION_OUTPUT, "--output", "DIR|FILE",
     "write 0.npy, 1.npy, ... and outputs.json, or one .npz, .safetensors or .npy; {rank} is the "
     "process under mpirun"},
    {OPTION_BATCH, "--batch-of", "DIR",
     "run once for each file of inputs there; mpirun shares them out among ranks"},
    {OPTION_PRINT, "--print", NULL, "print the outputs, as is done without --output"},
    {OPTION_LEVEL, "-O", "0|1|2", "passes before running: none, exact ones, all (2)"},
    {OPTION_NUMERICS, "--numerics", "exact|relaxed",
     "relaxed: changes of results that docs/numerics.md lists"},
    {OPTION_ENGINE, "--engine", "jit|ref", "what runs it; never changes a result"},
    {OPTION_THREADS, "--threads", "N", "threads to use; never changes a result"},
    {OPTION_CPU, "--cpu", "NAME", "the processor that machine code is for (native)"},
    {OPTION_SCHEDULE, "--schedule", "TEXT", "of contractions, as explain shows them"},
    {OPTION_DEVICE, "--device", "cpu|gpu", "where it runs; gpu is known, but there is none so far"},
    {OPTION_CHECK, "--check", NULL, "compare every kernel with the reference evaluator"},
    {OPTION_TIME, "--time", "N", "run N times and print the median and the least seconds"},
    {OPTION_TIMEOUT, "--timeout", "SECONDS", "give up a run that takes longer"},
    {OPTION_TRACE, "--profile-trace", "TRACE.json",
     "write when each step ran, for how long and how fast, for trace viewers"},
    {0},
};

typedef struct run_options {
    const char *file, *output, *trace, *batch;
    bool print;
    bool has_seed;
    uint64_t seed;
    int64_t times; /* 0: not asked for */
    tn_compile_options compile;
    tn_run_options run;
} run_options;

/* ---- options ---- */

static tn_status read_one(session *s, const given *g, run_options *o)
{
    int64_t number;
    int choice;
    switch (g->id) {
    case OPTION_RANDOM:
        TN_TRY(read_seed(s, "--random", g->value, &o->seed));
        o->has_seed = true;
        o->run.seed = o->seed;
        return TN_OK;
    case OPTION_OUTPUT:
        o->output = g->value;
        return outputs_check(s, g->value);
    case OPTION_BATCH:
        o->batch = g->value;
        return TN_OK;
    case OPTION_PRINT:
        o->print = true;
        return TN_OK;
    case OPTION_LEVEL:
        return read_level(s, g->value, &o->compile.level);
    case OPTION_NUMERICS:
        return read_numerics(s, g->value, &o->compile.numerics);
    case OPTION_ENGINE:
        o->compile.engine = g->value;
        return read_choice(s, "--engine", g->value, "jit", "ref", &choice);
    case OPTION_SCHEDULE:
        o->compile.schedule = g->value;
        return TN_OK;
    case OPTION_CPU:
        o->compile.cpu = g->value;
        return TN_OK;
    case OPTION_DEVICE:
        o->compile.device = g->value;
        return read_choice(s, "--device", g->value, "cpu", "gpu", &choice);
    case OPTION_THREADS:
        TN_TRY(read_number(s, "--threads", g->value, 1, 65536, &number));
        o->run.threads = o->compile.threads = (uint32_t)number;
        return TN_OK;
    case OPTION_CHECK:
        o->compile.check = true;
        return TN_OK;
    case OPTION_TIME:
        return read_number(s, "--time", g->value, 1, 1000000000, &o->times);
    case OPTION_TIMEOUT:
        return read_timeout(s, "--timeout", g->value, &o->run.timeout_ns);
    case OPTION_TRACE:
        o->trace = g->value;
        return g->value[0] ? TN_OK : usage_error(s, "--profile-trace needs a file name");
    default: /* --input, --inputs and --dim are read where they are used, --entry with the program
              */
        return TN_OK;
    }
}

static tn_status read_run_options(session *s, const arguments *args, run_options *o)
{
    *o = (run_options){.compile.size = sizeof o->compile};
    for (int i = 0; i < args->n_options; i++)
        TN_TRY(read_one(s, &args->options[i], o));
    o->compile.eager = o->times > 0; /* it is the optimised code whose time is wanted */
    if (o->batch && (!o->output || o->print || o->times))
        return usage_error(s, "--batch-of takes --output DIR, and neither --print nor --time");
    if (o->batch && is_same_folder(o->batch, o->output))
        return usage_error(s,
                           "--output must be another folder than that of --batch-of, whose files "
                           "the results would replace");
    if (o->compile.engine && strcmp(o->compile.engine, "ref") == 0 &&
        (o->compile.check || o->compile.schedule))
        return usage_error(s, "%s is about compiled kernels, which --engine ref has none of",
                           o->compile.check ? "--check" : "--schedule");
    if (is_same_file(s, o->output, o->trace))
        return usage_error(s, "--output and --profile-trace need a file each");
    return arguments_one_file(s, args, &o->file);
}

/* ---- running ---- */

static int compare_times(const void *a, const void *b)
{
    int64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static void put_seconds(cli_text *text, int64_t ns)
{
    cli_printf(text, "%lld.%09lld s", (long long)(ns / 1000000000), (long long)(ns % 1000000000));
}

static void print_times(const session *s, int64_t *ns, size_t n)
{
    cli_text text = {0};
    qsort(ns, n, sizeof *ns, compare_times);
    cli_puts(&text, "time: median ");
    put_seconds(&text, n % 2 ? ns[n / 2] : ns[n / 2 - 1] + (ns[n / 2] - ns[n / 2 - 1]) / 2);
    cli_puts(&text, ", min ");
    put_seconds(&text, ns[0]);
    cli_printf(&text, ", %zu run%s\n", n, cli_plural(n));
    if (!text.failed)
        output_error_text(s, text.at, text.n);
    cli_text_release(&text);
}

static tn_status run_timed(session *s, const tn_program *p, const run_options *o,
                           const run_inputs *in, tn_buffer *out, size_t n_out)
{
    size_t n = (size_t)o->times;
    int64_t *ns = cli_alloc(&s->memory, n, sizeof *ns);
    if (!ns)
        return no_memory(s);
    tn_status status = TN_OK;
    for (size_t i = 0; i < n && status == TN_OK; i++) {
        /* each run but the first fills the buffers of the one before */
        int64_t start = time_now();
        status = tn_program_run(p, in->tensors, in->n, out, n_out, &o->run);
        ns[i] = time_now() - start;
    }
    if (status == TN_OK)
        print_times(s, ns, n);
    return status;
}

/* Give up waiting for pipes after --timeout as well: for the program, its inputs, or who reads the
 * results. */
static void limit_waiting(session *s, const run_options *o)
{
    tn_context_set_timeout(s->cx, o->run.timeout_ns);
}

static void end_waiting(session *s)
{
    tn_context_set_timeout(s->cx, 0);
}

static tn_status present(session *s, const tn_program *p, const run_options *o,
                         const tn_buffer *out)
{
    if (o->output) {
        limit_waiting(s, o);
        TN_TRY(outputs_write(s, p, out, o->output));
        end_waiting(s);
    }
    if (o->output && !o->print)
        return TN_OK;
    cli_text text = {0};
    tn_status status = outputs_show(s, p, out, &text);
    if (status == TN_OK)
        status = output_text(s, NULL, &text);
    cli_text_release(&text);
    return status;
}

static tn_status run_program(session *s, const tn_program *p, const run_options *o,
                             const run_inputs *in)
{
    const size_t n = tn_program_output_count(p);
    tn_buffer *out = cli_alloc(&s->memory, n, sizeof *out);
    if (!out)
        return no_memory(s);
    tn_status status = o->times ? run_timed(s, p, o, in, out, n)
                                : tn_program_run(p, in->tensors, in->n, out, n, &o->run);
    if (status == TN_OK)
        status = present(s, p, o, out);
    for (size_t i = 0; i < n; i++)
        tn_buffer_release(p, &out[i]);
    return status;
}

static tn_status compile_module(session *s, const arguments *args, run_options *o,
                                const tn_module *m, tn_program **p)
{
    TN_TRY(read_bindings(s, args, OPTION_DIM, &o->compile.bindings, &o->compile.n_bindings));
    return tn_program_compile(m, &o->compile, p);
}

/* M is not needed once it is compiled, and freed. */
static tn_status run_module(session *s, const arguments *args, run_options *o, tn_module *m)
{
    run_inputs in;
    tn_program *p;
    const uint64_t *seed = o->has_seed ? &o->seed : NULL;
    tn_status status = compile_module(s, args, o, m, &p);
    tn_module_free(m);
    TN_TRY(status);
    status = outputs_check_number(s, p, o->batch ? NULL : o->output);
    if (status != TN_OK) {
        tn_program_free(p);
        return status;
    }
    limit_waiting(s, o);
    status = o->batch ? inputs_given(s, p, args, &in) : inputs_gather(s, p, args, seed, &in);
    end_waiting(s);
    const batch_options batch = {o->batch, o->output, seed, &o->run};
    if (status == TN_OK && o->batch)
        status = batch_run(s, p, &batch, &in);
    else if (status == TN_OK)
        status = run_program(s, p, o, &in);
    inputs_release(&in);
    tn_program_free(p);
    return status;
}

static tn_status build_and_run(session *s, const arguments *args, run_options *o)
{
    tn_module *m;
    bool is_open;
    held_reports reports;
    limit_waiting(s, o);
    TN_TRY(read_for_inputs(s, args, o->file, &m, &is_open));
    end_waiting(s);
    if (!is_open || o->batch)
        return run_module(s, args, o, m);
    reports_hold(s, &reports);
    const tn_status status = run_module(s, args, o, m);
    reports_end(&reports, status != TN_ERR_INPUT);
    if (status != TN_ERR_INPUT)
        return status;
    TN_TRY(read_with_sizes(s, args, o->file, &m));
    return run_module(s, args, o, m);
}

/* ---- ranks ---- */

/* Is it a program that processes may run together? */
static bool is_for_devices(const session *s, const char *path)
{
    static const char extension[] = ".mlir";
    const size_t n = strlen(path), k = sizeof extension - 1;
    return s->read.dialect ? strcmp(s->read.dialect, "stablehlo") == 0
                           : n > k && strcmp(path + n - k, extension) == 0;
}

/* VALUE with the number RANK in the place of each `{rank}`. */
static const char *for_rank(session *s, const char *value, uint32_t rank)
{
    static const char word[] = "{rank}";
    cli_text text = {0};
    for (const char *next; (next = strstr(value, word)) != NULL; value = next + sizeof word - 1)
        cli_printf(&text, "%.*s%u", (int)(next - value), value, (unsigned)rank);
    cli_puts(&text, value);
    const char *own = text.failed ? NULL : cli_copy(&s->memory, text.at, text.n);
    cli_text_release(&text);
    return own;
}

static tn_status run_options_for_rank(session *s, arguments *args, uint32_t rank)
{
    for (int i = 0; i < args->n_options; i++) {
        if (!args->options[i].value || !strstr(args->options[i].value, "{rank}"))
            continue;
        args->options[i].value = for_rank(s, args->options[i].value, rank);
        if (!args->options[i].value)
            return no_memory(s);
    }
    return TN_OK;
}

/* The process is one of several that mpirun has started, which run the program together. */
static tn_status run_as_rank(session *s, const arguments *args)
{
    tn_transport transport = {.size = sizeof transport};
    bool found;
    run_options o;
    arguments own = *args;
    TN_TRY(tn_mpi_transport(s->cx, &transport, &found));
    if (!found)
        return TN_ERR_INTERNAL;
    tn_status status = run_options_for_rank(s, &own, transport.rank);
    if (status == TN_OK)
        status = read_run_options(s, &own, &o);
    if (status == TN_OK)
        status = tn_context_register_exchange(s->cx, &transport);
    s->read.processes = transport.ranks;
    if (status == TN_OK)
        status = build_and_run(s, &own, &o);
    if (status == TN_OK)
        tn_mpi_end(&transport);
    else
        transport.leave(transport.user);
    return status;
}

static tn_status trace_write_in_time(session *s, const run_options *o, trace *t)
{
    limit_waiting(s, o);
    const tn_status status = trace_write(s, o->trace, t);
    end_waiting(s);
    return status;
}

static tn_status run_run(session *s, const arguments *args)
{
    run_options o;
    trace t;
    TN_TRY(read_run_options(s, args, &o));
    if (!o.batch && !o.trace && tn_mpi_ranks() > 1 && is_for_devices(s, o.file))
        return run_as_rank(s, args);
    if (!o.trace)
        return build_and_run(s, args, &o);
    trace_init(&t);
    o.compile.profiler = o.run.profiler = &t.profiler;
    tn_status status = build_and_run(s, args, &o);
    if (status == TN_OK)
        status = trace_write_in_time(s, &o, &t);
    trace_release(&t);
    return status;
}

const command command_run = {"run",
                             "FILE [--input NAME=VALUE]... [--output DIR|FILE] ...",
                             "run a program on tensors from files",
                             options,
                             run_run,
                             true};
