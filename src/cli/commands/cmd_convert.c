/* tenon convert: the same program in another dialect. */
#include <string.h>

#include "cli/commands/convert_folder.h"
#include "cli/running/run.h"
#include "tenon/convert.h"

enum {
    OPTION_OUT = OPTION_TRACE + 1, /* --entry, --dim and inputs are those of `tenon run` */
    OPTION_TO,
    OPTION_STYLE,
    OPTION_EXACT,
    OPTION_SYMBOL,
    OPTION_MLIR_ENTRY,
    OPTION_EXTERNAL
};

static const option options[] = {
    {OPTION_OUT, "-o", "OUT|DIR/", "file to write, or folder for program.* and meta.json"},
    {OPTION_TO, "--to", "DIALECT", "the dialect to write (as OUT is called)"},
    {OPTION_STYLE, "--style", "STYLE", "one of that dialect's styles (its canonical form)"},
    {OPTION_ENTRY, "--entry", "F", "convert only this function"},
    {OPTION_DIM, "--dim", "SYM=N", "the value of a symbolic size"},
    {OPTION_EXACT, "--exact", NULL, "refuse what can only be written with other rounding"},
    {OPTION_SYMBOL, "--entrypoint", "NAME", "with -o DIR/: the name in the symbol of the entry"},
    {OPTION_EXTERNAL, "--external-data", "NAME",
     "ONNX: large constants go to this file beside OUT"},
    {OPTION_MLIR_ENTRY, "--mlir-entry", NULL, "MLIR: add a function that runs it on these inputs:"},
    {OPTION_INPUT, "--input", "NAME=PATH", "an .npy file for the input of this name or position"},
    {OPTION_INPUTS, "--inputs", "ARCHIVE", "an .npz or .safetensors file with inputs by name"},
    {OPTION_RANDOM, "--random", "SEED", "reproducible random data for all other inputs"},
    {0},
};

typedef struct convert_options {
    const char *out, *to, *style, *symbol;
    const char *external; /* the name of a file in OUT's folder */
    bool only_entry, with_entry, has_inputs;
    tn_convert_options convert;
} convert_options;

/* The model names the file, which is looked for beside it. */
static tn_status check_external(session *s, const convert_options *o)
{
    const bool is_file = o->out && strcmp(o->out, "-") != 0 && !names_folder(o->out);
    if (strcmp(o->to, "onnx") != 0 || !is_file)
        return usage_error(s, "--external-data goes with --to onnx and -o FILE");
    if (!*o->external || strchr(o->external, '/') || strcmp(o->external, ".") == 0 ||
        strcmp(o->external, "..") == 0)
        return usage_error(s, "--external-data takes the name of a file in the model's folder");
    return TN_OK;
}

/* Neither --to nor a name says what is to be written. */
static tn_status no_dialect(session *s)
{
    tn_dialect_info info;
    cli_text names = {0};
    for (size_t i = 0; tn_dialect_at(i, &info); i++)
        if (*info.styles) /* which a dialect has that is written */
            cli_printf(&names, "%s%s", names.n ? " " : "", info.extensions);
    if (names.n && !names.failed)
        add_note(s, "names end with one of %.*s", (int)names.n, names.at);
    cli_text_release(&names);
    return usage_error(s, "'convert' needs --to DIALECT, or -o with a name that tells");
}

static tn_status read_convert_options(session *s, const arguments *args, convert_options *o)
{
    *o = (convert_options){0};
    for (int i = 0; i < args->n_options; i++) {
        const char *value = args->options[i].value;
        switch (args->options[i].id) {
        case OPTION_OUT:
            o->out = value;
            break;
        case OPTION_TO:
            o->to = value;
            break;
        case OPTION_STYLE:
            o->style = value;
            break;
        case OPTION_ENTRY:
            o->only_entry = true; /* which is said when the program is read */
            break;
        case OPTION_SYMBOL:
            o->symbol = value;
            break;
        case OPTION_EXACT:
            o->convert.exact_only = true;
            break;
        case OPTION_MLIR_ENTRY:
            o->with_entry = true;
            break;
        case OPTION_EXTERNAL:
            o->external = value;
            break;
        case OPTION_INPUT: /* read where they are used */
        case OPTION_INPUTS:
        case OPTION_RANDOM:
            o->has_inputs = true;
            break;
        default: /* --dim is read where it is used */
            break;
        }
    }
    if (!o->to)
        o->to = dialect_of_path(o->out);
    if (!o->to)
        TN_TRY(refuse_code_name(s, "convert", o->out));
    if (!o->to)
        return no_dialect(s);
    if (o->external)
        TN_TRY(check_external(s, o));
    if (o->with_entry && strcmp(o->to, "mlir") != 0)
        return usage_error(s, "--mlir-entry goes with --to mlir");
    if (o->has_inputs && !o->with_entry)
        return usage_error(s, "inputs go with --mlir-entry");
    if (o->symbol && !names_folder(o->out))
        return usage_error(s, "--entrypoint goes with -o DIR/");
    return TN_OK;
}

static tn_status choose_program(session *s, tn_module *m, const arguments *args,
                                const convert_options *o)
{
    const tn_binding *bindings;
    size_t n;
    if (o->only_entry)
        TN_TRY(tn_module_select_entry(m, NULL, true));
    TN_TRY(read_bindings(s, args, OPTION_DIM, &bindings, &n));
    return tn_module_bind(m, bindings, n);
}

/* Collect the inputs of M, as a run would. */
static tn_status gather_entry(session *s, const tn_module *m, const arguments *args, run_inputs *in)
{
    uint64_t seed = 0;
    bool has_seed = false;
    for (int i = 0; i < args->n_options; i++)
        if (args->options[i].id == OPTION_RANDOM) {
            TN_TRY(read_seed(s, "--random", args->options[i].value, &seed));
            has_seed = true;
        }
    TN_TRY(inputs_of_module(s, m, args, in));
    return inputs_complete(s, has_seed ? &seed : NULL, in);
}

/* The program and, beside it, its DATA. */
static tn_status write_with_data(session *s, const convert_options *o, const cli_text *text,
                                 const cli_text *data)
{
    tn_file_set *set;
    cli_text path = {0};
    const char *slash = strrchr(o->out, '/');
    if (slash)
        cli_put(&path, o->out, (size_t)(slash - o->out) + 1);
    cli_puts(&path, o->external);
    tn_status status = path.failed ? no_memory(s) : TN_OK;
    if (status == TN_OK && strcmp(path.at, o->out) == 0)
        status = usage_error(s, "--external-data names the model itself");
    if (status == TN_OK)
        status = tn_file_set_begin(s->cx, &set);
    if (status == TN_OK) {
        status = output_text_in(s, set, path.at, data);
        if (status == TN_OK)
            status = output_text_in(s, set, o->out, text);
        status = tn_file_set_end(set, status);
    }
    cli_text_release(&path);
    return status;
}

static tn_status run_convert(session *s, const arguments *args)
{
    const char *file;
    convert_options o;
    tn_module *m;
    run_inputs in = {0};
    cli_text text = {0}, meta = {0}, data = {0};

    TN_TRY(read_convert_options(s, args, &o));
    TN_TRY(arguments_one_file(s, args, &file));
    TN_TRY(read_program(s, file, &m));
    const bool to_folder = names_folder(o.out);
    tn_status status = choose_program(s, m, args, &o);
    if (status == TN_OK && o.with_entry)
        status = gather_entry(s, m, args, &in);
    if (status == TN_OK && to_folder)
        status = describe_entry(s, m, o.to, o.symbol, &meta);
    if (status == TN_OK)
        status = tn_module_convert(m, o.to, &o.convert);
    const tn_writer writer = text_writer(&text), data_writer = text_writer(&data);
    const tn_write_options write = {.size = sizeof write,
                                    .style = o.style,
                                    .entry = o.with_entry,
                                    .inputs = in.tensors,
                                    .n_inputs = in.n,
                                    .external_location = o.external,
                                    .external = &data_writer};
    if (status == TN_OK)
        status = tn_module_write_with(m, &write, &writer);
    if (status == TN_OK && o.external)
        status = write_with_data(s, &o, &text, &data);
    else if (status == TN_OK)
        status =
            to_folder ? folder_write(s, o.out, o.to, &text, &meta) : output_text(s, o.out, &text);
    cli_text_release(&text);
    cli_text_release(&meta);
    cli_text_release(&data);
    inputs_release(&in);
    tn_module_free(m);
    return status;
}

const command command_convert = {
    "convert",
    "FILE [--to DIALECT] [-o OUT] [--style STYLE] [--entry F] [--dim SYM=N]... [--exact]",
    "write a program in another dialect",
    options,
    run_convert,
    true};
