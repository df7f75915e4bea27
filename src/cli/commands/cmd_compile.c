/* tenon compile: machine code or C from a program, for other programs to call. */
#include <string.h>

#include "cli/session/cli.h"

enum {
    OPTION_OUT = OPTION_OWN,
    OPTION_HEADER,
    OPTION_WEIGHTS,
    OPTION_PARALLEL,
    OPTION_TARGET,
    OPTION_CPU,
    OPTION_SCHEDULE,
    OPTION_DIM,
    OPTION_ENTRY,
    OPTION_NAME,
    OPTION_SEED,
    OPTION_LEVEL,
    OPTION_NUMERICS
};

static const option options[] = {
    {OPTION_OUT, "-o", "OUT", "file to write: .c .h .o .s .ll .a .so"},
    {OPTION_HEADER, "--header", "H", "write the C header of it too"},
    {OPTION_WEIGHTS, "--weights", "FILE", "write constants here; the entry takes them from memory"},
    {OPTION_PARALLEL, "--parallel", NULL, "the entry shares work out over threads of its caller's"},
    {OPTION_NAME, "--name", "NAME", "what the entry is called: NAME_run; else as the file"},
    {OPTION_TARGET, "--target", "TRIPLE", "machine to compile for; else this one"},
    {OPTION_CPU, "--cpu", "NAME", "processor to compile for (native)"},
    {OPTION_SCHEDULE, "--schedule", "TEXT", "of contractions, as explain shows them"},
    {OPTION_DIM, "--dim", "SYM=N", "the value of a symbolic size"},
    {OPTION_ENTRY, "--entry", "F", "the function to compile"},
    {OPTION_SEED, "--seed", "NUMBER", "of the random generators in the program (0)"},
    {OPTION_LEVEL, "-O", "0|1|2", "passes before: none, exact ones, all (2)"},
    {OPTION_NUMERICS, "--numerics", "exact|relaxed",
     "relaxed: changes of results that docs/numerics.md lists"},
    {0},
};

typedef struct wishes {
    const char *file, *out, *header, *weights;
    char name[128];
    tn_emit_form form;
    tn_emit_options emit;
    tn_compile_options compile;
} wishes;

typedef struct form_row {
    const char *extension;
    tn_emit_form form;
} form_row;

static const form_row forms[] = {
    {".c", TN_EMIT_C},        {".h", TN_EMIT_HEADER},   {".o", TN_EMIT_OBJECT},
    {".s", TN_EMIT_ASSEMBLY}, {".ll", TN_EMIT_LLVM_IR}, {".a", TN_EMIT_ARCHIVE},
    {".so", TN_EMIT_SHARED},
};

/* The form that the name PATH asks for; NULL: none. */
static const form_row *form_of_path(const char *path)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    for (size_t i = 0; dot && i < sizeof forms / sizeof *forms; i++)
        if (strcmp(dot, forms[i].extension) == 0)
            return &forms[i];
    return NULL;
}

tn_status refuse_code_name(session *s, const char *who, const char *path)
{
    if (!form_of_path(path))
        return TN_OK;
    return report_error(s, TN_ERR_USAGE, "Usage",
                        "'%s' writes programs, and '%s' is a name of code, which 'tenon compile' "
                        "makes of a program",
                        who, path);
}

static tn_status read_form(session *s, wishes *w)
{
    const form_row *form = form_of_path(w->out);
    if (!w->out)
        return usage_error(s, "'compile' needs -o OUT");
    if (form) {
        w->form = form->form;
        return TN_OK;
    }
    return usage_error(s, "-o takes a file that ends with .c, .h, .o, .s, .ll, .a or .so, not '%s'",
                       w->out);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The name of the output without folder and extension, as an identifier; `lib` of libraries is no
 * part of it. */
static void name_of_file(wishes *w)
{
    const char *slash = strrchr(w->out, '/'), *from = slash ? slash + 1 : w->out;
    const bool is_library = w->form == TN_EMIT_ARCHIVE || w->form == TN_EMIT_SHARED;
    size_t n = 0;
    if (is_library && strncmp(from, "lib", 3) == 0 && from[3] != '.')
        from += 3;
    const size_t length = strcspn(from, ".");
    if (length > 0 && !is_letter(*from))
        w->name[n++] = '_';
    for (size_t i = 0; i < length && n + 1 < sizeof w->name; i++)
        w->name[n++] = is_letter(from[i]) || (from[i] >= '0' && from[i] <= '9') ? from[i] : '_';
    w->name[n] = 0;
    if (n == 0)
        memcpy(w->name, "program", sizeof "program");
    w->emit.name = w->name;
}

static tn_status read_one(session *s, const given *g, wishes *w)
{
    switch (g->id) {
    case OPTION_OUT:
        w->out = g->value;
        return TN_OK;
    case OPTION_HEADER:
        w->header = g->value;
        return g->value[0] ? TN_OK : usage_error(s, "--header needs a file name");
    case OPTION_WEIGHTS:
        w->weights = g->value;
        w->emit.takes_weights = true;
        return g->value[0] ? TN_OK : usage_error(s, "--weights needs a file name");
    case OPTION_PARALLEL:
        w->emit.shares_work = true;
        return TN_OK;
    case OPTION_NAME:
        w->emit.name = g->value;
        return TN_OK;
    case OPTION_TARGET:
        w->emit.target = g->value;
        return TN_OK;
    case OPTION_SCHEDULE:
        w->compile.schedule = g->value;
        return TN_OK;
    case OPTION_CPU:
        w->emit.cpu = g->value;
        return TN_OK;
    case OPTION_SEED:
        return read_seed(s, "--seed", g->value, &w->emit.seed);
    case OPTION_LEVEL:
        return read_level(s, g->value, &w->compile.level);
    case OPTION_NUMERICS:
        return read_numerics(s, g->value, &w->compile.numerics);
    default: /* --dim is read where it is used, --entry when the program is */
        return TN_OK;
    }
}

static tn_status read_wishes(session *s, const arguments *args, wishes *w)
{
    *w = (wishes){0};
    for (int i = 0; i < args->n_options; i++)
        TN_TRY(read_one(s, &args->options[i], w));
    TN_TRY(arguments_one_file(s, args, &w->file));
    TN_TRY(read_form(s, w));
    if (is_same_file(s, w->header, w->out) || is_same_file(s, w->weights, w->out) ||
        is_same_file(s, w->header, w->weights))
        return usage_error(s, "-o, --header and --weights need a file each");
    if (!w->emit.name)
        name_of_file(w);
    w->emit.size = sizeof w->emit;
    w->compile.size = sizeof w->compile;
    w->compile.engine = "ref"; /* nothing is run */
    w->compile.cpu = w->emit.cpu;
    return TN_OK;
}

static tn_status write_form(session *s, tn_file_set *set, const tn_program *p, const wishes *w,
                            tn_emit_form form, const char *path)
{
    cli_text text = {0};
    const tn_writer writer = text_writer(&text);
    tn_status status = tn_program_emit(p, form, &w->emit, &writer);
    if (status == TN_OK)
        status = output_text_in(s, set, path, &text);
    cli_text_release(&text);
    return status;
}

static tn_status write_files(session *s, const tn_program *p, const wishes *w)
{
    tn_file_set *set;
    TN_TRY(tn_file_set_begin(s->cx, &set));
    tn_status status = write_form(s, set, p, w, w->form, w->out);
    if (status == TN_OK && w->weights)
        status = write_form(s, set, p, w, TN_EMIT_WEIGHTS, w->weights);
    if (status == TN_OK && w->header)
        status = write_form(s, set, p, w, TN_EMIT_HEADER, w->header);
    return tn_file_set_end(set, status);
}

static tn_status compile(session *s, const arguments *args, wishes *w, tn_module *m)
{
    tn_program *p = NULL;
    tn_status status =
        read_bindings(s, args, OPTION_DIM, &w->compile.bindings, &w->compile.n_bindings);
    if (status == TN_OK)
        status = tn_program_compile(m, &w->compile, &p);
    if (status == TN_OK)
        status = write_files(s, p, w);
    tn_program_free(p);
    return status;
}

static tn_status run_compile(session *s, const arguments *args)
{
    wishes w;
    tn_module *m;
    TN_TRY(read_wishes(s, args, &w));
    TN_TRY(read_program(s, w.file, &m));
    const tn_status status = compile(s, args, &w, m);
    tn_module_free(m);
    return status;
}

const command command_compile = {
    "compile",
    "FILE -o OUT [--header H] [--weights FILE] [--parallel] [--target TRIPLE] [--cpu NAME] "
    "[--schedule TEXT] [--dim SYM=N]...",
    "write a program as C, an object, a library, assembly or LLVM IR",
    options,
    run_compile,
    true};
