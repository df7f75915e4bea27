/* Taking the command line apart. */
#include <string.h>

#include "cli/session/cli.h"

/* Those from --diagnostics on are of every command, those before it of commands that read programs.
 */
static const option shared[] = {
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
    {OPTION_SIZE, "--dim", "SYM=N", "ONNX, StableHLO: a size known when the file is read"},
    {OPTION_KNOWN, "--constant", "NAME=VALUE",
     "ONNX, StableHLO: an input that always has this value: 16000, [1,2], x.npy"},
    {OPTION_WEIGHTS_OF, "--constants", "ARCHIVE",
     "ONNX, StableHLO: likewise, inputs that an .npz or .safetensors has"},
    {OPTION_RESULT, "--result", "NAME",
     "ONNX: a value inside of the model that is a result, instead of its outputs"},
    {OPTION_LIMIT, "--limit", "NAME=N",
     "nodes, nesting, errors, literal_bytes, output_bytes, run_bytes, memory_bytes"},
    {OPTION_WHOLE_TIMEOUT, "--timeout", "SECONDS", "give up when the command takes longer"},
    {OPTION_DIAGNOSTICS, "--diagnostics", "text|json", "form of diagnostics (text)"},
    {OPTION_COLOR, "--color", "auto|always|never", "colours in diagnostics (auto)"},
    {OPTION_HELP, "--help", NULL, "say how the command is used"},
    {OPTION_VERSION, "--version", NULL, "print the version"},
    {0},
};

const option *common_options(const command *c)
{
    const option *o = shared;
    while (c && !c->reads_programs && o->id != OPTION_DIAGNOSTICS)
        o++;
    return o;
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

static size_t count_options(const option *list)
{
    size_t n = 0;
    while (list && list[n].name)
        n++;
    return n;
}

static tn_status unknown_option(session *s, const char *argument)
{
    const option *common = common_options(s->command);
    const size_t n = strcspn(argument, "="), n_own = count_options(s->command->options),
                 n_common = count_options(common);
    const char **names = cli_alloc(&s->memory, n_own + n_common, sizeof *names);
    if (!names)
        return no_memory(s);
    for (size_t i = 0; i < n_own; i++)
        names[i] = s->command->options[i].name;
    for (size_t i = 0; i < n_common; i++)
        names[n_own + i] = common[i].name;
    if (n > 2) /* all short options are alike */
        advise_name(s, argument, n, names, n_own + n_common);
    return usage_error(s, "'%s' has no option '%.*s'", s->command->name, n < 100 ? (int)n : 100,
                       argument);
}

static tn_status set_limit(session *s, tn_context *cx, const char *text)
{
    char name[32];
    size_t n = strcspn(text, "=");
    int64_t number;
    if (!text[n] || n >= sizeof name)
        return usage_error(s, "--limit takes NAME=N, not '%s'", text);
    memcpy(name, text, n);
    name[n] = '\0';
    TN_TRY(read_number(s, "--limit", text + n + 1, 0, INT64_MAX, &number));
    return tn_context_set_limit(cx, name, (uint64_t)number);
}

tn_status arguments_limit(session *s, tn_context *cx)
{
    for (int i = 0; i < s->n_limits; i++)
        TN_TRY(set_limit(s, cx, s->limits[i]));
    const int64_t left = s->deadline ? s->deadline - time_now() : 0;
    if (s->deadline)
        tn_context_set_timeout(cx, left > 0 ? (uint64_t)left : 1);
    return TN_OK;
}

/* Keep SYM=N for the reader, also where the command has a --dim of its own. Another value is
 * reported here, or by that command. */
static tn_status note_size(session *s, const given *g)
{
    const size_t n = strcspn(g->value, "=");
    tn_binding *b = &s->sizes[s->read.n_bindings];
    const char *number = g->value[n] ? g->value + n + 1 : "";
    if (n == 0 || !number_i64(number, strlen(number), &b->extent) || b->extent < 0)
        return g->id == OPTION_SIZE ? usage_error(s, "--dim takes SYM=N, not '%s'", g->value)
                                    : TN_OK;
    b->symbol = cli_copy(&s->memory, g->value, n);
    if (!b->symbol)
        return no_memory(s);
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
        TN_TRY(read_choice(s, "--profile", g->value, "extended", "core-v1", &choice));
        s->read.profile = choice ? TN_PROFILE_CORE_V1 : TN_PROFILE_EXTENDED;
        return TN_OK;
    case OPTION_SLICE_NEGATIVE:
        TN_TRY(read_choice(s, "--slice-negative", g->value, "wrap", "clamp", &choice));
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
    case OPTION_KNOWN: /* these read files, so the other options hold for them */
    case OPTION_WEIGHTS_OF:
        s->constants[s->n_constants++] = *g;
        return TN_OK;
    case OPTION_RESULT:
        s->results[s->read.n_results++] = g->value;
        s->read.results = s->results;
        return TN_OK;
    case OPTION_LIMIT:
        s->limits[s->n_limits++] = g->value;
        return set_limit(s, s->cx, g->value);
    case OPTION_WHOLE_TIMEOUT: {
        uint64_t ns = 0;
        TN_TRY(read_timeout(s, "--timeout", g->value, &ns));
        s->deadline = time_now() + (int64_t)ns;
        tn_context_set_timeout(s->cx, ns);
        return TN_OK;
    }
    case OPTION_DIAGNOSTICS: /* carried out by report_setup */
        return read_choice(s, "--diagnostics", g->value, "text", "json", &choice);
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

/* Does VALUE of an option that reads tensors name standard input: `-`, or NAME=-? */
static bool reads_stdin(const char *name, const char *value)
{
    static const char *const readers[] = {"--input", "--inputs", "--constant", "--constants"};
    const size_t n = strlen(value);
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++)
        if (strcmp(name, readers[i]) == 0)
            return strcmp(value, "-") == 0 || (n > 1 && strcmp(value + n - 2, "=-") == 0);
    return false;
}

static tn_status read_option(session *s, int argc, char **argv, int *at, arguments *args)
{
    const char *argument = argv[*at], *attached;
    const option *o = find_option(s->command->options, argument, &attached);
    if (!o)
        o = find_option(common_options(s->command), argument, &attached);
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
    args->n_stdin += g.value && reads_stdin(o->name, g.value);
    if (strcmp(o->name, "--entry") == 0)
        s->read.entry = g.value;
    if (strcmp(o->name, "--dim") == 0)
        TN_TRY(note_size(s, &g));
    if (strcmp(o->name, "--timeout") == 0)
        TN_TRY(read_timeout(s, o->name, g.value, &s->patience));
    if (o->id < OPTION_OWN) {
        s->common[o->id] = o->name;
        return apply_common(s, &g);
    }
    args->options[args->n_options++] = g;
    return TN_OK;
}

/* Read what --constant and --constants name, in any command with a --timeout no longer than that.
 */
static tn_status read_constants(session *s)
{
    tn_status status = TN_OK;
    if (!s->deadline)
        tn_context_set_timeout(s->cx, s->patience);
    for (int i = 0; status == TN_OK && i < s->n_constants; i++) {
        const given *g = &s->constants[i];
        status =
            g->id == OPTION_KNOWN ? known_input_add(s, g->value) : known_inputs_add(s, g->value);
    }
    if (!s->deadline)
        tn_context_set_timeout(s->cx, 0);
    return status;
}

tn_status arguments_read(session *s, int argc, char **argv, arguments *args)
{
    const size_t n = (size_t)argc;
    *args = (arguments){0};
    args->options = cli_alloc(&s->memory, n, sizeof *args->options);
    args->files = cli_alloc(&s->memory, n, sizeof *args->files);
    s->declared = cli_alloc(&s->memory, n, sizeof *s->declared);
    s->results = cli_alloc(&s->memory, n, sizeof *s->results);
    s->limits = cli_alloc(&s->memory, n, sizeof *s->limits);
    s->sizes = cli_alloc(&s->memory, n, sizeof *s->sizes);
    s->known = cli_alloc(&s->memory, n, sizeof *s->known);
    s->constants = cli_alloc(&s->memory, n, sizeof *s->constants);
    s->archives = cli_alloc(&s->memory, n, sizeof(tn_tensor_file *));
    if (!args->options || !args->files || !s->declared || !s->results || !s->limits || !s->sizes ||
        !s->known || !s->constants || !s->archives)
        return no_memory(s);
    bool only_files = false;
    for (int i = 0; i < argc; i++) {
        const char *argument = argv[i];
        if (only_files || argument[0] != '-' || !argument[1])
            args->files[args->n_files++] = argument;
        else if (strcmp(argument, "--") == 0)
            only_files = true;
        else if (strcmp(argument, "-h") == 0)
            s->wants_help = true;
        else
            TN_TRY(read_option(s, argc, argv, &i, args));
    }
    s->n_programs = args->n_files;
    for (int i = 0; i < args->n_files; i++)
        args->n_stdin += strcmp(args->files[i], "-") == 0;
    if (args->n_stdin > 1)
        return usage_error(s, "standard input is named %d times, and can be read once",
                           args->n_stdin);
    return read_constants(s);
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

static bool is_listed(const option *list, const char *name)
{
    for (; list && list->name; list++)
        if (strcmp(list->name, name) == 0)
            return true;
    return false;
}

/* The options of LIST, without those that OWN has, too. */
static void help_options(cli_text *out, const option *list, const option *own)
{
    for (; list && list->name; list++) {
        if (is_listed(own, list->name))
            continue;
        size_t begin = out->n;
        cli_puts(out, "  ");
        cli_puts(out, list->name);
        if (list->value) {
            if (list->name[1] == '-' || list->name[1] == 'o')
                cli_putc(out, ' ');
            cli_puts(out, list->value);
        }
        size_t width = out->n - begin;
        if (width < 32)
            cli_fill(out, ' ', 32 - width);
        else
            cli_puts(out, "  ");
        cli_puts(out, list->help);
        cli_putc(out, '\n');
    }
}

void help_command(cli_text *out, const command *c)
{
    cli_puts(out, "tenon ");
    cli_puts(out, c->name);
    cli_putc(out, ' ');
    cli_puts(out, c->synopsis);
    cli_puts(out, "\n\n");
    cli_puts(out, c->help);
    cli_puts(out, "\n\n");
    help_command_options(out, c);
}

void help_command_options(cli_text *out, const command *c)
{
    help_options(out, c->options, NULL);
    help_options(out, common_options(c), c->options);
}
