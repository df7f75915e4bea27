/* Taking the command line apart. */
#include <string.h>

#include "base/suggest.h"
#include "cli/cli.h"

static const option common_options[] = {
    {OPTION_FROM, "--from", "DIALECT", "dialect of the program; else from its name or content"},
    {OPTION_PROFILE, "--profile", "core-v1|extended", "what the dialect offers (extended)"},
    {OPTION_SLICE_NEGATIVE, "--slice-negative", "wrap|clamp",
     "negative slice bounds count from the end (wrap) or are 0"},
    {OPTION_STRICT, "--strict", NULL, "Tiny IR to the letter: nothing is inserted"},
    {OPTION_MAX_PIECES, "--max-pieces", "N", "Tiny IR: most pieces in a chain of movement (64)"},
    {OPTION_ENTRY_POINT, "--entry", "NAME", "the function to work on; of MIND source `main`"},
    {OPTION_DECLARE, "--declare", "NAME=TYPE",
     "MIND source: a free variable of a script, x=f32[2,3]"},
    {OPTION_DECLARE, "--input", "NAME=TYPE", "the same"},
    {OPTION_SIZE, "--dim", "SYM=N", "ONNX: a size that is known when the file is read"},
    {OPTION_LIMIT, "--limit", "NAME=N",
     "nodes, nesting, errors, literal_bytes, output_bytes, run_bytes, memory_bytes"},
    {OPTION_WHOLE_TIMEOUT, "--timeout", "SECONDS", "give up when the command takes longer"},
    {OPTION_DIAGNOSTICS, "--diagnostics", "text|json", "form of diagnostics (text)"},
    {OPTION_COLOR, "--color", "auto|always|never", "colours in diagnostics (auto)"},
    {OPTION_HELP, "--help", NULL, "say how the command is used"},
    {OPTION_VERSION, "--version", NULL, "print the version"},
    {0},
};

tn_status usage_error(session *s, const char *format, ...)
{
    diag_channel *d = &s->cx->diag;
    va_list args;
    va_start(args, format);
    tn_status status = diag_vreport(d, DIAG_Usage, NULL, NO_SPAN, format, args);
    va_end(args);
    if (s->command)
        diag_note(d, NULL, NO_SPAN, "'tenon %s --help' says how it is used", s->command->name);
    else
        diag_note(d, NULL, NO_SPAN, "'tenon --help' lists the commands");
    return status;
}

/* The option that ARGUMENT starts with: long ones up to '=', short ones as its first two bytes. */
static const option *find_option(const option *list, const char *argument, const char **attached)
{
    size_t n = strcspn(argument, "=");
    *attached = argument[n] ? argument + n + 1 : NULL;
    if (argument[1] != '-' && argument[2]) {
        n = 2;
        *attached = argument + (argument[2] == '=' ? 3 : 2);
    }
    for (; list && list->name; list++)
        if (strlen(list->name) == n && memcmp(list->name, argument, n) == 0)
            return list;
    return NULL;
}

static void suggest_options(suggestion *like, const option *list)
{
    for (; list && list->name; list++)
        suggest_name(like, list->name, strlen(list->name));
}

static tn_status unknown_option(session *s, const char *argument)
{
    const size_t n = strcspn(argument, "=");
    suggestion like;
    suggest_begin(&like, argument, n);
    suggest_options(&like, s->command->options);
    suggest_options(&like, common_options);
    const tn_status status = usage_error(s, "'%s' has no option '%.*s'", s->command->name,
                                         n < 100 ? (int)n : 100, argument);
    suggest_fix(&like, &s->cx->diag, NO_SPAN, "");
    return status;
}

/* One of two words. */
static tn_status read_choice(session *s, const given *g, const char *name, const char *first,
                             const char *second, int *choice)
{
    *choice = strcmp(g->value, first) == 0 ? 0 : strcmp(g->value, second) == 0 ? 1 : -1;
    if (*choice >= 0)
        return TN_OK;
    return usage_error(s, "%s takes %s or %s, not '%s'", name, first, second, g->value);
}

static tn_status set_limit(session *s, const char *text)
{
    char name[32];
    size_t n = strcspn(text, "=");
    int64_t number;
    if (!text[n] || n >= sizeof name)
        return usage_error(s, "--limit takes NAME=N, not '%s'", text);
    memcpy(name, text, n);
    name[n] = '\0';
    TN_TRY(read_number(s, "--limit", text + n + 1, 0, INT64_MAX, &number));
    return tn_context_set_limit(s->cx, name, (uint64_t)number);
}

/* Sizes are told to the reader, too. What is no SYM=N, the command knows of, or nobody. */
static tn_status note_size(session *s, const given *g)
{
    const size_t n = strcspn(g->value, "=");
    tn_binding *b = &s->sizes[s->read.n_bindings];
    const char *number = g->value[n] ? g->value + n + 1 : "";
    const decimal_result r = decimal_read_i64(number, strlen(number), &b->extent);
    if (n == 0 || r.length == 0 || number[r.length] || r.overflow || b->extent < 0)
        return g->id == OPTION_SIZE ? usage_error(s, "--dim takes SYM=N, not '%s'", g->value)
                                    : TN_OK;
    char *symbol = memory_alloc(&s->cx->allocator, n + 1);
    if (!symbol)
        return diag_no_memory(&s->cx->diag);
    memcpy(symbol, g->value, n);
    symbol[n] = '\0';
    b->symbol = symbol;
    s->read.n_bindings++;
    s->read.bindings = s->sizes;
    return TN_OK;
}

static tn_status apply_common(session *s, const given *g)
{
    int choice = 0;
    switch (g->id) {
    case OPTION_FROM:
        s->read.dialect = g->value;
        return TN_OK;
    case OPTION_PROFILE:
        TN_TRY(read_choice(s, g, "--profile", "extended", "core-v1", &choice));
        s->read.profile = choice ? TN_PROFILE_CORE_V1 : TN_PROFILE_EXTENDED;
        return TN_OK;
    case OPTION_SLICE_NEGATIVE:
        TN_TRY(read_choice(s, g, "--slice-negative", "wrap", "clamp", &choice));
        s->read.slice_negative = choice ? TN_SLICE_CLAMP : TN_SLICE_WRAP;
        return TN_OK;
    case OPTION_STRICT:
        s->read.strict = true;
        return TN_OK;
    case OPTION_MAX_PIECES: {
        int64_t most = 0;
        TN_TRY(read_number(s, "--max-pieces", g->value, 1, UINT32_MAX, &most));
        s->read.max_pieces = (uint32_t)most;
        return TN_OK;
    }
    case OPTION_ENTRY_POINT: /* carried out for all options of this name */
        return TN_OK;
    case OPTION_DECLARE:
        s->declared[s->read.n_inputs++] = g->value;
        s->read.inputs = s->declared;
        return TN_OK;
    case OPTION_SIZE: /* carried out for all options of this name */
        return TN_OK;
    case OPTION_LIMIT:
        return set_limit(s, g->value);
    case OPTION_WHOLE_TIMEOUT: {
        uint64_t ns = 0;
        TN_TRY(read_timeout(s, g->value, &ns));
        tn_context_set_timeout(s->cx, ns);
        return TN_OK;
    }
    case OPTION_DIAGNOSTICS: /* carried out by report_setup */
        return read_choice(s, g, "--diagnostics", "text", "json", &choice);
    case OPTION_COLOR:
        if (strcmp(g->value, "auto") != 0 && strcmp(g->value, "always") != 0 &&
            strcmp(g->value, "never") != 0)
            return usage_error(s, "--color takes auto, always or never, not '%s'", g->value);
        return TN_OK;
    case OPTION_HELP:
        s->wants_help = true;
        return TN_OK;
    case OPTION_VERSION:
        s->wants_version = true;
        return TN_OK;
    default:
        return TN_OK;
    }
}

static tn_status read_option(session *s, int argc, char **argv, int *at, arguments *args)
{
    const char *argument = argv[*at], *attached;
    const option *o = find_option(s->command->options, argument, &attached);
    if (!o)
        o = find_option(common_options, argument, &attached);
    if (!o)
        return unknown_option(s, argument);
    given g = {o->id, attached};
    if (!o->value && attached)
        return usage_error(s, "'%s' takes no value", o->name);
    if (o->value && !attached) {
        if (*at + 1 >= argc)
            return usage_error(s, "'%s' needs a value: %s", o->name, o->value);
        g.value = argv[++*at];
    }
    if (strcmp(o->name, "--entry") == 0)
        s->read.entry = g.value;
    if (strcmp(o->name, "--dim") == 0)
        TN_TRY(note_size(s, &g));
    if (o->id < OPTION_OWN)
        return apply_common(s, &g);
    args->options[args->n_options++] = g;
    return TN_OK;
}

tn_status arguments_read(session *s, int argc, char **argv, arguments *args)
{
    const tn_allocator *a = &s->cx->allocator;
    *args = (arguments){0};
    args->options = memory_alloc(a, (size_t)argc * sizeof *args->options);
    args->files = memory_alloc(a, (size_t)argc * sizeof *args->files);
    s->declared = memory_alloc(a, (size_t)argc * sizeof *s->declared);
    s->sizes = memory_alloc(a, (size_t)argc * sizeof *s->sizes);
    if (!args->options || !args->files || !s->declared || !s->sizes)
        return diag_no_memory(&s->cx->diag);
    bool only_files = false;
    for (int i = 0; i < argc; i++) {
        const char *argument = argv[i];
        if (only_files || argument[0] != '-' || !argument[1])
            args->files[args->n_files++] = argument;
        else if (strcmp(argument, "--") == 0)
            only_files = true;
        else
            TN_TRY(read_option(s, argc, argv, &i, args));
    }
    return TN_OK;
}

void arguments_release(session *s, arguments *args, int argc)
{
    memory_free(&s->cx->allocator, args->options, (size_t)argc * sizeof *args->options);
    memory_free(&s->cx->allocator, args->files, (size_t)argc * sizeof *args->files);
    memory_free(&s->cx->allocator, s->declared, (size_t)argc * sizeof *s->declared);
    for (size_t i = 0; i < s->read.n_bindings; i++)
        memory_free(&s->cx->allocator, (char *)(uintptr_t)s->sizes[i].symbol,
                    strlen(s->sizes[i].symbol) + 1);
    memory_free(&s->cx->allocator, s->sizes, (size_t)argc * sizeof *s->sizes);
}

tn_status arguments_one_file(session *s, const arguments *args, const char **file)
{
    if (args->n_files == 0)
        return usage_error(s, "'%s' needs a file ('-' is standard input)", s->command->name);
    if (args->n_files > 1)
        return usage_error(s, "'%s' takes one file, not %d", s->command->name, args->n_files);
    *file = args->files[0];
    return TN_OK;
}

tn_status read_number(session *s, const char *option_name, const char *text, int64_t min,
                      int64_t max, int64_t *number)
{
    size_t n = strlen(text);
    decimal_result r = decimal_read_i64(text, n, number);
    if (n == 0 || r.length != n)
        return usage_error(s, "%s takes a number, not '%s'", option_name, text);
    if (r.overflow || *number < min || *number > max)
        return usage_error(s, "%s: %s is out of range", option_name, text);
    return TN_OK;
}

tn_status read_timeout(session *s, const char *text, uint64_t *ns)
{
    enum { LONGEST = 1000000000 }; /* seconds: some 30 years */
    size_t n = strlen(text);
    uint64_t bits;
    double seconds;
    decimal_result r = decimal_read(format_f64, text, n, &bits);
    memcpy(&seconds, &bits, sizeof seconds);
    if (n == 0 || r.length != n || !(seconds > 0 && seconds <= LONGEST))
        return usage_error(s, "--timeout takes seconds, above 0 and up to %d, not '%s'", LONGEST,
                           text);
    *ns = seconds < 1e-9 ? 1 : (uint64_t)(seconds * 1e9);
    return TN_OK;
}

tn_status read_level(session *s, const char *text, tn_level *level)
{
    static const tn_level levels[] = {TN_LEVEL_0, TN_LEVEL_1, TN_LEVEL_2};
    if (text[0] < '0' || text[0] > '2' || text[1])
        return usage_error(s, "-O takes 0, 1 or 2, not '%s'", text);
    *level = levels[text[0] - '0'];
    return TN_OK;
}

tn_status read_numerics(session *s, const char *text, tn_numerics *numerics)
{
    const bool relaxed = strcmp(text, "relaxed") == 0;
    *numerics = relaxed ? TN_NUMERICS_RELAXED : TN_NUMERICS_EXACT;
    return relaxed || strcmp(text, "exact") == 0
               ? TN_OK
               : usage_error(s, "--numerics takes exact or relaxed, not '%s'", text);
}

static bool is_listed(const option *list, const char *name)
{
    for (; list && list->name; list++)
        if (strcmp(list->name, name) == 0)
            return true;
    return false;
}

/* The options of LIST, without those that OWN has, too. */
static void help_options(text_buffer *out, const option *list, const option *own)
{
    for (; list && list->name; list++) {
        if (is_listed(own, list->name))
            continue;
        size_t begin = out->n;
        text_puts(out, "  ");
        text_puts(out, list->name);
        if (list->value) {
            if (list->name[1] == '-' || list->name[1] == 'o')
                text_putc(out, ' ');
            text_puts(out, list->value);
        }
        size_t width = out->n - begin;
        if (width < 32)
            text_fill(out, ' ', 32 - width);
        else
            text_puts(out, "  ");
        text_puts(out, list->help);
        text_putc(out, '\n');
    }
}

void help_command(text_buffer *out, const command *c)
{
    text_puts(out, "tenon ");
    text_puts(out, c->name);
    text_putc(out, ' ');
    text_puts(out, c->synopsis);
    text_puts(out, "\n\n");
    text_puts(out, c->help);
    text_puts(out, "\n\n");
    help_options(out, c->options, NULL);
    help_options(out, common_options, c->options);
}
