/* tenon explain: the kernels of a program, or the memory of its values. */
#include <ctype.h>
#include <string.h>

#include "cli/running/run.h"
#include "cli/session/cli.h"
#include "tenon/convert.h"
#include "tenon/report.h"

enum {
    OPTION_BUFFERS = OPTION_OWN,
    OPTION_JSON,
    OPTION_SVG,
    OPTION_BIND,
    OPTION_OUT,
    OPTION_PLAN_CPU,
    OPTION_PLAN_SCHEDULE,
    OPTION_DUMP,
    OPTION_KERNEL,
    OPTION_CODE
};

static const option options[] = {
    {OPTION_BUFFERS, "--buffers", NULL, "the memory of each value: life, alias, slot"},
    {OPTION_JSON, "--json", NULL, "the kernels as one JSON object"},
    {OPTION_SVG, "--svg", NULL, "the graph as a picture, coloured by kernel"},
    {OPTION_BIND, "--dim", "SYM=N", "the value of a symbolic size"},
    {OPTION_PLAN_CPU, "--cpu", "NAME", "the processor to plan for; else this one"},
    {OPTION_PLAN_SCHEDULE, "--schedule", "TEXT", "of contractions, as --dump kernels shows them"},
    {OPTION_DUMP, "--dump", "STAGE",
     "a form on the way: graph, lowered, kernels, loops, program, all"},
    {OPTION_KERNEL, "--kernel", "N", "of kernels and loops, only those of kernel N"},
    {OPTION_CODE, "--code", "CODE", "what an error is: its code, such as E3003, or its kind"},
    {OPTION_OUT, "-o", "OUT", "file to write; else standard output"},
    {0},
};

static void put_usage(cli_text *text, uint32_t usage)
{
    static const char *const names[] = {"parameter", "result", "temporary", "constant"};
    bool first = true;
    for (uint32_t i = 0; i < 4; i++)
        if (usage >> i & 1) {
            cli_puts(text, first ? "" : "+");
            cli_puts(text, names[i]);
            first = false;
        }
}

static void put_buffer(cli_text *text, const tn_planned_buffer *b)
{
    cli_printf(text, "%s %%%u  ", b->function, b->value);
    cli_put_type(text, &b->type);
    cli_puts(text, "  ");
    put_usage(text, b->usage);
    cli_printf(text, "  live %u..%u  ", b->begin, b->end);
    if (b->bytes < 0)
        cli_puts(text, "size unknown");
    else
        cli_printf(text, "%lld byte%s", (long long)b->bytes, cli_plural((uint64_t)b->bytes));
    if (b->alias != TN_ALIAS_NONE)
        cli_printf(text, "  %s of buffer %zu", b->alias == TN_ALIAS_IDENTITY ? "identity" : "view",
                   b->source);
    if (b->slot >= 0)
        cli_printf(text, "  slot %lld at %lld", (long long)b->slot, (long long)b->offset);
    cli_putc(text, '\n');
}

static tn_status show_plan(const tn_module *m, cli_text *text)
{
    tn_buffer_plan *plan;
    tn_planned_buffer b;
    TN_TRY(tn_module_plan_buffers(m, &plan));
    for (size_t i = 0; tn_buffer_plan_at(plan, i, &b); i++)
        put_buffer(text, &b);
    const size_t n = tn_buffer_plan_count(plan), slots = tn_buffer_plan_slots(plan);
    const int64_t bytes = tn_buffer_plan_bytes(plan), peak = tn_buffer_plan_peak(plan);
    cli_printf(text, "%zu buffer%s, %zu slot%s of together %lld byte%s, peak %lld byte%s\n", n,
               cli_plural(n), slots, cli_plural(slots), (long long)bytes,
               cli_plural((uint64_t)bytes), (long long)peak, cli_plural((uint64_t)peak));
    tn_buffer_plan_free(plan);
    return TN_OK;
}

typedef struct wishes {
    bool buffers, json, svg;
    const char *out, *cpu, *schedule;
    const char *code; /* of an error; NULL: none */
    const char *dump; /* the stage; NULL: none */
    int64_t kernel;
} wishes;

static tn_status show_kernels(const tn_module *m, const tn_compile_options *o, const wishes *w,
                              cli_text *text)
{
    tn_program *p;
    const tn_writer to = text_writer(text);
    TN_TRY(tn_program_compile(m, o, &p));
    const tn_status status = w->svg    ? tn_program_picture(p, NULL, &to)
                             : w->dump ? tn_program_dump(p, w->dump, w->kernel, &to)
                                       : tn_program_explain(p, w->json, &to);
    tn_program_free(p);
    return status;
}

static tn_status read_wishes(session *s, const arguments *args, wishes *w)
{
    *w = (wishes){.kernel = -1};
    for (int i = 0; i < args->n_options; i++) {
        const char *value = args->options[i].value;
        switch (args->options[i].id) {
        case OPTION_BUFFERS:
            w->buffers = true;
            break;
        case OPTION_JSON:
            w->json = true;
            break;
        case OPTION_SVG:
            w->svg = true;
            break;
        case OPTION_OUT:
            w->out = value;
            break;
        case OPTION_PLAN_CPU:
            w->cpu = value;
            break;
        case OPTION_PLAN_SCHEDULE:
            w->schedule = value;
            break;
        case OPTION_DUMP:
            w->dump = value;
            break;
        case OPTION_CODE:
            w->code = value;
            break;
        case OPTION_KERNEL:
            TN_TRY(read_number(s, "--kernel", value, 0, INT32_MAX, &w->kernel));
            break;
        default:
            break;
        }
    }
    return TN_OK;
}

/* Another name than those of stages is reported with them later. */
static bool has_kernels(const char *stage)
{
    static const char *const without[] = {"graph", "lowered", "program"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (strcmp(stage, without[i]) == 0)
            return false;
    return true;
}

/* One thing is shown, and only two stages have kernels. */
static tn_status check_wishes(session *s, const wishes *w)
{
    if (w->buffers + w->json + w->svg + (w->dump != NULL) > 1)
        return usage_error(s, "--buffers, --json, --svg and --dump exclude each other");
    if (w->kernel >= 0 && (!w->dump || !has_kernels(w->dump)))
        return usage_error(s, "--kernel goes with --dump kernels, loops or all");
    if (w->buffers && (w->cpu || w->schedule))
        return usage_error(s, "%s changes no buffers", w->cpu ? "--cpu" : "--schedule");
    return TN_OK;
}

static tn_status bind_and_show(session *s, const arguments *args, const wishes *w, tn_module *m,
                               cli_text *text)
{
    tn_compile_options o = {
        .size = sizeof o, .cpu = w->cpu, .schedule = w->schedule, .plan_only = true};
    TN_TRY(read_bindings(s, args, OPTION_BIND, &o.bindings, &o.n_bindings));
    if (!w->buffers)
        return show_kernels(m, &o, w, text);
    TN_TRY(tn_module_bind(m, o.bindings, o.n_bindings));
    return show_plan(m, text);
}

/* The next kind or code in what a page begins with, its title and the line of its codes: words of
 * at least five letters and digits of which the first is a capital. Moves AT behind it. */
static const char *next_code(session *s, const char **at, const char *end)
{
    while (*at < end) {
        const char *from = *at;
        while (*at < end && isalnum((unsigned char)**at))
            (*at)++;
        const size_t n = (size_t)(*at - from);
        char *word =
            n > 4 && isupper((unsigned char)*from) ? cli_alloc(&s->memory, n + 1, 1) : NULL;
        if (word)
            return memcpy(word, from, n);
        *at += n == 0;
    }
    return NULL;
}

static tn_status unknown_code(session *s, const char *code)
{
    enum { MOST = 16 }; /* names on a page */
    const char *page, *name;
    size_t pages = 0, n = 0;
    while (tn_error_page(NULL, pages))
        pages++;
    const char **names = cli_alloc(&s->memory, pages * MOST, sizeof *names);
    for (size_t i = 0; names && (page = tn_error_page(NULL, i)) != NULL; i++) {
        const char *codes = strstr(page, "\nCodes: ");
        const char *end = codes ? strchr(codes + 1, '\n') : NULL;
        for (size_t k = 0; end && k < MOST && (name = next_code(s, &page, end)); k++)
            names[n++] = name;
    }
    if (names)
        advise_name(s, code, strlen(code), names, n);
    return usage_error(s, "there is no error code or kind '%.60s'", code);
}

static tn_status explain_code(session *s, const wishes *w)
{
    cli_text text = {0};
    if (!tn_error_page(w->code, 0))
        return unknown_code(s, w->code);
    for (size_t i = 0; tn_error_page(w->code, i); i++)
        cli_printf(&text, "%s%s", i ? "\n" : "", tn_error_page(w->code, i));
    const tn_status status = output_text(s, w->out, &text);
    cli_text_release(&text);
    return status;
}

static tn_status run_explain(session *s, const arguments *args)
{
    const char *file;
    wishes w;
    tn_module *m;
    cli_text text = {0};
    TN_TRY(read_wishes(s, args, &w));
    TN_TRY(check_wishes(s, &w));
    if (w.code && args->n_files)
        return usage_error(s, "--code takes no file");
    if (w.code)
        return args->n_options - (w.out != NULL) > 1
                   ? usage_error(s, "beside --code only -o has a meaning")
                   : explain_code(s, &w);
    TN_TRY(arguments_one_file(s, args, &file));
    TN_TRY(read_program(s, file, &m));
    tn_status status = bind_and_show(s, args, &w, m, &text);
    if (status == TN_OK)
        status = output_text(s, w.out, &text);
    cli_text_release(&text);
    tn_module_free(m);
    return status;
}

const command command_explain = {
    "explain",
    "FILE [--json | --svg | --buffers | --dump STAGE [--kernel N]] [--dim SYM=N]... [--cpu NAME] "
    "[--schedule TEXT] [-o OUT] | "
    "--code CODE",
    "print the kernels of a program and why they are so, or its buffer plan",
    options,
    run_explain,
    true};
