/* tenon opt: run graph passes and print the result. */
#include <string.h>

#include "cli/running/run.h"

enum { OPTION_OUT = OPTION_TRACE + 1, OPTION_PASSES, OPTION_DUMP_AFTER };

static const option options[] = {
    {OPTION_OUT, "-o", "OUT", "file to write; else standard output"},
    {OPTION_PASSES, "--passes", "A,B", "these passes, in this order, instead of those of a level"},
    {OPTION_LEVEL, "-O", "0|1|2", "the passes of this level (1)"},
    {OPTION_NUMERICS, "--numerics", "exact|relaxed",
     "relaxed: also passes that change results as docs/numerics.md says"},
    {OPTION_INPUT, "--constant", "NAME=PATH", "the input has the value in this .npy file for good"},
    {OPTION_INPUTS, "--constants", "ARCHIVE", "likewise, all inputs in an .npz or .safetensors"},
    {OPTION_DUMP_AFTER, "--dump-after", "PASS|all",
     "print the program to standard error after each run of the pass"},
    {0},
};

typedef struct opt_options {
    const char *out, *passes, *dump_after;
    bool has_level; /* -O or --numerics, which choose passes, too */
    tn_level level;
    tn_numerics numerics;
} opt_options;

typedef struct dumper {
    session *s;
    const char *pass; /* or "all" */
    uint32_t n_dumped;
} dumper;

static void dump(void *user, const tn_module *m, const char *pass, uint32_t n_changed)
{
    dumper *d = user;
    if (strcmp(d->pass, "all") != 0 && strcmp(d->pass, pass) != 0)
        return;
    d->n_dumped++;
    cli_text text = {0};
    const tn_writer writer = text_writer(&text);
    cli_puts(&text, "# after ");
    cli_puts(&text, pass);
    cli_puts(&text, n_changed ? "\n" : " (unchanged)\n");
    (void)tn_module_write(m, NULL, NULL, &writer); /* what it cannot write it reports */
    if (!text.failed)
        output_error_text(d->s, text.at, text.n);
    cli_text_release(&text);
}

/* The value of --dump-after: a pass, or all of them. */
static tn_status check_dump_after(session *s, const char *name)
{
    tn_pass_info info;
    const size_t n = tn_pass_count();
    const char **names = cli_alloc(&s->memory, n + 1, sizeof *names);
    if (!names)
        return no_memory(s);
    for (size_t i = 0; tn_pass_at(i, &info); i++)
        names[i] = info.name;
    names[n] = "all";
    for (size_t i = 0; i <= n; i++)
        if (strcmp(names[i], name) == 0)
            return TN_OK;
    advise_name(s, name, strlen(name), names, n + 1);
    return usage_error(s, "--dump-after: there is no pass called '%s'", name);
}

static tn_status read_options_of(session *s, const arguments *args, opt_options *o)
{
    *o = (opt_options){.level = TN_LEVEL_1};
    for (int i = 0; i < args->n_options; i++) {
        const char *value = args->options[i].value;
        switch (args->options[i].id) {
        case OPTION_OUT:
            o->out = value;
            break;
        case OPTION_PASSES:
            o->passes = value;
            break;
        case OPTION_LEVEL:
            o->has_level = true;
            TN_TRY(read_level(s, value, &o->level));
            break;
        case OPTION_NUMERICS:
            o->has_level = true;
            TN_TRY(read_numerics(s, value, &o->numerics));
            break;
        case OPTION_DUMP_AFTER:
            TN_TRY(check_dump_after(s, value));
            o->dump_after = value;
            break;
        default: /* constants are read where they are used */
            break;
        }
    }
    if (o->passes && o->has_level)
        return usage_error(s, "--passes stands instead of -O and --numerics");
    return TN_OK;
}

static tn_status rewrite(session *s, tn_module *m, const opt_options *o)
{
    dumper d = {s, o->dump_after, 0};
    tn_pass_observer observer = {dump, &d};
    const tn_pass_observer *wanted = o->dump_after ? &observer : NULL;
    tn_status status = o->passes ? tn_module_run_passes(m, o->passes, wanted)
                       : o->numerics == TN_NUMERICS_RELAXED
                           ? tn_module_optimize_relaxed(m, o->level, wanted)
                           : tn_module_optimize(m, o->level, wanted);
    if (status == TN_OK && wanted && d.n_dumped == 0)
        report_warning(s, "the pass '%s' did not run", o->dump_after);
    return status;
}

/* Make constants of the inputs that are given, the last first: those before keep their places. */
static tn_status set_constants(session *s, const arguments *args, tn_module *m)
{
    run_inputs in = {0};
    bool any = false;
    for (int i = 0; i < args->n_options; i++)
        any = any || args->options[i].id == OPTION_INPUT || args->options[i].id == OPTION_INPUTS;
    if (!any)
        return TN_OK;
    tn_status status = inputs_of_module(s, m, args, &in);
    for (size_t i = in.n; i-- > 0 && status == TN_OK;)
        if (in.tensors[i].data)
            status = tn_module_set_constant(m, i, &in.tensors[i]);
    inputs_release(&in);
    return status;
}

static tn_status run_opt(session *s, const arguments *args)
{
    const char *file;
    opt_options o;
    tn_module *m;
    cli_text text = {0};
    const tn_writer writer = text_writer(&text);

    TN_TRY(read_options_of(s, args, &o));
    TN_TRY(refuse_code_name(s, "opt", o.out));
    TN_TRY(arguments_one_file(s, args, &file));
    TN_TRY(read_program(s, file, &m));
    tn_status status = set_constants(s, args, m);
    if (status == TN_OK)
        status = rewrite(s, m, &o);
    if (status == TN_OK)
        status = convert_for(m, o.out);
    if (status == TN_OK)
        status = tn_module_write(m, NULL, NULL, &writer);
    if (status == TN_OK)
        status = output_text(s, o.out, &text);
    cli_text_release(&text);
    tn_module_free(m);
    return status;
}

const command command_opt = {"opt",
                             "FILE [--passes A,B | -O0|-O1|-O2 [--numerics exact|relaxed]] "
                             "[--constant NAME=PATH]... [--constants ARCHIVE]... "
                             "[--dump-after PASS|all] [-o OUT]",
                             "run graph passes on a program and print it",
                             options,
                             run_opt,
                             true};
