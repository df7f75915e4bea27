/* tenon equiv: do two programs give the same results? */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/session/cli.h"
#include "tenon/convert.h"

enum {
    OPTION_RUNS = OPTION_OWN,
    OPTION_SEED,
    OPTION_DIM,
    OPTION_LEVEL,
    OPTION_ULP,
    OPTION_RTOL,
    OPTION_ATOL,
    OPTION_OUTPUT,
    OPTION_TIMEOUT,
    OPTION_TURNS
};

static const option options[] = {
    {OPTION_RUNS, "--n", "N", "how many runs (16)"},
    {OPTION_SEED, "--seed", "S", "of the inputs (0)"},
    {OPTION_DIM, "--dim", "SYM=N", "the value of a symbolic size; others take several"},
    {OPTION_LEVEL, "-O", "0|1|2", "run both with the passes of this level (0)"},
    {OPTION_ULP, "--ulp", "N", "floats may differ by N units in the last place (0)"},
    {OPTION_RTOL, "--rtol", "X", "or by X times the magnitude of the second program's result (0)"},
    {OPTION_ATOL, "--atol", "X", "or by X; both together: by their sum (0)"},
    {OPTION_TIMEOUT, "--timeout", "SECONDS", "give up when a run takes longer"},
    {OPTION_TURNS, "--turns", "N", "pass over runs whose loops take more turns (100000)"},
    {OPTION_OUTPUT, "--output", "DIR", "where inputs that show a difference go (equiv-failure)"},
    {0},
};

typedef struct equiv_options {
    tn_equiv_options compare;
    const char *folder;
} equiv_options;

static tn_status read_tolerance(session *s, const char *option_name, const char *text,
                                double *tolerance)
{
    return number_f64(text, tolerance) && isfinite(*tolerance) && *tolerance >= 0
               ? TN_OK
               : usage_error(s, "%s takes a number, 0 or more, not '%s'", option_name, text);
}

static tn_status read_equiv_options(session *s, const arguments *args, equiv_options *o)
{
    int64_t number;
    *o = (equiv_options){.compare.level = TN_LEVEL_0, .folder = "equiv-failure"};
    for (int i = 0; i < args->n_options; i++) {
        const char *value = args->options[i].value;
        switch (args->options[i].id) {
        case OPTION_RUNS:
            TN_TRY(read_number(s, "--n", value, 1, 1000000, &number));
            o->compare.runs = (uint32_t)number;
            break;
        case OPTION_SEED:
            TN_TRY(read_number(s, "--seed", value, 0, INT64_MAX, &number));
            o->compare.seed = (uint64_t)number;
            break;
        case OPTION_LEVEL:
            TN_TRY(read_level(s, value, &o->compare.level));
            break;
        case OPTION_ULP:
            TN_TRY(read_number(s, "--ulp", value, 0, INT64_MAX, &number));
            o->compare.ulp = (uint64_t)number;
            break;
        case OPTION_RTOL:
            TN_TRY(read_tolerance(s, "--rtol", value, &o->compare.rtol));
            break;
        case OPTION_ATOL:
            TN_TRY(read_tolerance(s, "--atol", value, &o->compare.atol));
            break;
        case OPTION_TIMEOUT:
            TN_TRY(read_timeout(s, "--timeout", value, &o->compare.timeout_ns));
            break;
        case OPTION_TURNS:
            TN_TRY(read_number(s, "--turns", value, 1, INT64_MAX, &number));
            o->compare.turns = (uint64_t)number;
            break;
        case OPTION_OUTPUT:
            o->folder = value;
            break;
        default: /* --dim is read where it is used */
            break;
        }
    }
    if (args->n_files == 2)
        return TN_OK;
    return usage_error(s, "'equiv' takes two programs, not %d", args->n_files);
}

/* The inputs as DIR/0.npy, DIR/1.npy, .. */
static tn_status write_inputs(session *s, tn_file_set *set, const char *dir,
                              const tn_equiv_result *r, cli_text *path)
{
    TN_TRY(tn_file_set_folder(set, dir));
    for (size_t i = 0; i < r->n_inputs; i++) {
        path->n = 0;
        cli_printf(path, "%s/%zu.npy", dir, i);
        if (path->failed)
            return no_memory(s);
        TN_TRY(tn_file_set_add_tensors(set, path->at, NULL, &r->inputs[i], 1));
    }
    return TN_OK;
}

static tn_status write_example(session *s, const char *dir, const tn_equiv_result *r)
{
    tn_file_set *set;
    cli_text path = {0};
    TN_TRY(tn_file_set_begin(s->cx, &set));
    const tn_status status = tn_file_set_end(set, write_inputs(s, set, dir, r, &path));
    cli_text_release(&path);
    return status;
}

/* S as one word of a shell command. */
static void put_word(cli_text *text, const char *s)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+:,-";
    if (*s && s[strspn(s, plain)] == '\0') {
        cli_puts(text, s);
        return;
    }
    cli_putc(text, '\'');
    for (; *s; s++)
        cli_puts(text, *s == '\'' ? "'\\''" : (const char[]){*s, '\0'});
    cli_putc(text, '\'');
}

/* The command that runs FILE, the program number WHICH, on the inputs in DIR. */
static void put_replay(cli_text *text, const char *file, int which, const char *dir,
                       const tn_equiv_result *r, const tn_equiv_options *o)
{
    cli_puts(text, "  tenon run ");
    put_word(text, file);
    cli_printf(text, " -O%d --engine ref --print",
               o->level == TN_LEVEL_1   ? 1
               : o->level == TN_LEVEL_2 ? 2
                                        : 0);
    if (o->seed)
        cli_printf(text, " --random %" PRIu64, o->seed);
    for (size_t i = 0; i < r->n_sizes[which]; i++) {
        cli_puts(text, " --dim ");
        put_word(text, r->sizes[which][i].symbol);
        cli_printf(text, "=%" PRId64, r->sizes[which][i].extent);
    }
    for (size_t i = 0; i < r->n_inputs; i++) {
        cli_printf(text, " --input %zu=", i);
        put_word(text, dir);
        cli_printf(text, "/%zu.npy", i);
    }
    cli_putc(text, '\n');
}

/* The sizes that were chosen: the first few lines of TRIED that differ. */
static void put_sizes(cli_text *text, const char *tried)
{
    enum { SHOWN = 4 };
    const char *last = "";
    size_t last_n = 0;
    uint32_t n = 0;
    for (const char *at = tried; *at;) {
        const size_t length = strcspn(at, "\n");
        const bool again = length == last_n && memcmp(at, last, length) == 0;
        if (!again && n++ < SHOWN)
            cli_printf(text, "%s%.*s\n", n == 1 ? "sizes: " : "       ", (int)length, at);
        last = at;
        last_n = length;
        at += length + (at[length] == '\n');
    }
    if (n > SHOWN)
        cli_printf(text, "       and %" PRIu32 " more\n", n - SHOWN);
}

/* N_OUTPUTS: of each program. */
static tn_status report(session *s, const arguments *args, const equiv_options *o,
                        const tn_equiv_result *r, size_t n_outputs)
{
    cli_text text = {0};
    tn_status status = TN_OK;
    const bool same = r->close;
    const bool failed = !same && r->output == n_outputs;
    if (r->equal)
        cli_printf(&text, "equal: every bit in %u run%s\n", r->runs, cli_plural(r->runs));
    else if (same)
        cli_printf(&text, "close: at most %llu ulp in %u run%s\n",
                   (unsigned long long)r->largest_ulp, r->runs, cli_plural(r->runs));
    if (same)
        put_sizes(&text, r->tried);
    if (same && r->passed_over)
        cli_printf(&text, "passed over: %u run%s whose loops take more turns than --turns allows\n",
                   r->passed_over, cli_plural(r->passed_over));
    if (failed)
        cli_printf(&text, "different: one program fails in run %u", r->run);
    else if (!same) {
        cli_printf(&text, "different: output %zu, element %lld in run %u", r->output,
                   (long long)r->element, r->run);
        if (r->largest_ulp == UINT64_MAX)
            cli_puts(&text, "; not by a rounding");
        else if (r->largest_ulp)
            cli_printf(&text, "; up to %llu ulp", (unsigned long long)r->largest_ulp);
    }
    if (!same) {
        cli_puts(&text, "\nto see it:\n");
        for (int i = 0; i < 2; i++)
            put_replay(&text, args->files[i], i, o->folder, r, &o->compare);
        status = write_example(s, o->folder, r);
    }
    if (status == TN_OK)
        status = output_text(s, NULL, &text);
    cli_text_release(&text);
    return status == TN_OK && !same ? TN_ERR_REJECTED : status;
}

static tn_status compare_files(session *s, const arguments *args, const equiv_options *o)
{
    tn_module *a = NULL, *b = NULL;
    tn_equiv_result r;
    tn_context_set_timeout(s->cx, o->compare.timeout_ns); /* also of waiting for what is read */
    tn_status status = read_program(s, args->files[0], &a);
    if (status == TN_OK)
        status = read_program(s, args->files[1], &b);
    tn_context_set_timeout(s->cx, 0);
    if (status == TN_OK)
        status = tn_modules_compare(a, b, &o->compare, &r);
    if (status == TN_OK) {
        status = report(s, args, o, &r, tn_module_output_count(a));
        tn_equiv_result_release(s->cx, &r);
    }
    tn_module_free(a);
    tn_module_free(b);
    return status;
}

static tn_status run_equiv(session *s, const arguments *args)
{
    equiv_options o;
    TN_TRY(read_equiv_options(s, args, &o));
    TN_TRY(read_bindings(s, args, OPTION_DIM, &o.compare.bindings, &o.compare.n_bindings));
    return compare_files(s, args, &o);
}

const command command_equiv = {
    "equiv",
    "A B [--n N] [--seed S] [--dim SYM=N]... [-O0|-O1|-O2] [--ulp N] [--rtol X] [--atol X] "
    "[--timeout SECONDS] [--turns N] [--output DIR]",
    "run two programs on the same inputs and compare",
    options,
    run_equiv,
    true};
