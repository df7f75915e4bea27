/* tenon grad: the gradient of a program. */
#include <string.h>

#include "cli/session/cli.h"

enum {
    OPTION_OUT = OPTION_OWN,
    OPTION_LOSS,
    OPTION_WRT,
    OPTION_COTANGENT,
    OPTION_SEED,
    OPTION_RECOMPUTE,
    OPTION_CONV2D,
    OPTION_MAP,
    OPTION_COMMENTS,
    OPTION_DIM
};

static const option options[] = {
    {OPTION_OUT, "-o", "OUT", "file to write; else standard output"},
    {OPTION_LOSS, "--loss", "INDEX|NAME", "the output to differentiate (the first)"},
    {OPTION_WRT, "--wrt", "A,B", "the inputs to differentiate by (every floating-point one)"},
    {OPTION_COTANGENT, "--cotangent", "NAME", "the input that holds the gradient of the loss"},
    {OPTION_SEED, "--seed", "NUMBER",
     "the gradient of every element of the loss (1, of one element)"},
    {OPTION_RECOMPUTE, "--recompute", "A,B", "values that the gradient computes again"},
    {OPTION_CONV2D, "--conv2d", NULL, "in core-v1, differentiate Conv2d too"},
    {OPTION_MAP, "--map", NULL, "say which value is the gradient of which input"},
    {OPTION_COMMENTS, "--comments", NULL, "say what each value of the gradient belongs to"},
    {OPTION_DIM, "--dim", "SYM=N", "the value of a symbolic size"},
    {0},
};

typedef struct grad_arguments {
    tn_gradient_options gradient;
    const char *out;
    bool map, comments;
} grad_arguments;

static tn_status read_cotangent(session *s, const char *text, double *seed)
{
    if (!number_f64(text, seed))
        return usage_error(s, "--seed takes a number, not '%s'", text);
    if (*seed == 0)
        return usage_error(s, "--seed: the gradient would be 0 everywhere");
    return TN_OK;
}

static tn_status read_options_of(session *s, const arguments *args, grad_arguments *g)
{
    tn_gradient_options *o = &g->gradient;
    o->profile = s->read.profile;
    for (int i = 0; i < args->n_options; i++) {
        const char *value = args->options[i].value;
        switch (args->options[i].id) {
        case OPTION_OUT:
            g->out = value;
            break;
        case OPTION_LOSS:
            o->loss = value;
            break;
        case OPTION_WRT:
            TN_TRY(read_names(s, value, &o->wrt, &o->n_wrt));
            break;
        case OPTION_COTANGENT:
            o->cotangent = value;
            break;
        case OPTION_SEED:
            TN_TRY(read_cotangent(s, value, &o->seed));
            break;
        case OPTION_RECOMPUTE:
            TN_TRY(read_names(s, value, &o->recompute, &o->n_recompute));
            break;
        case OPTION_CONV2D:
            o->conv2d = true;
            break;
        case OPTION_MAP:
            g->map = true;
            break;
        case OPTION_COMMENTS:
            g->comments = true;
            break;
        default:
            break;
        }
    }
    if (o->cotangent && o->seed != 0)
        return usage_error(s, "--cotangent and --seed exclude each other");
    return TN_OK;
}

static tn_status output_gradient(session *s, const grad_arguments *g, tn_module *m)
{
    cli_text text = {0};
    const tn_writer writer = text_writer(&text);
    if (!g->map)
        tn_module_forget_gradients(m);
    TN_TRY(convert_for(m, g->out));
    const tn_write_options o = {.comments = g->comments, .needs_map = g->map};
    tn_status status = tn_module_write_with(m, &o, &writer);
    if (status == TN_OK)
        status = output_text(s, g->out, &text);
    cli_text_release(&text);
    return status;
}

static tn_status bind_sizes(session *s, const arguments *args, tn_module *m)
{
    const tn_binding *bindings;
    size_t n;
    TN_TRY(read_bindings(s, args, OPTION_DIM, &bindings, &n));
    return tn_module_bind(m, bindings, n);
}

static tn_status run_grad(session *s, const arguments *args)
{
    grad_arguments g = {.out = NULL};
    const char *file;
    tn_module *m, *gradient = NULL;
    TN_TRY(read_options_of(s, args, &g));
    TN_TRY(refuse_code_name(s, "grad", g.out));
    TN_TRY(arguments_one_file(s, args, &file));
    TN_TRY(read_program(s, file, &m));
    tn_status status = bind_sizes(s, args, m);
    if (status == TN_OK)
        status = tn_module_gradient(m, &g.gradient, &gradient);
    if (status == TN_OK)
        status = output_gradient(s, &g, gradient);
    tn_module_free(gradient);
    tn_module_free(m);
    return status;
}

const command command_grad = {
    "grad",
    "FILE [--loss INDEX|NAME] [--wrt A,B] [--cotangent NAME]\n"
    "           [--seed NUMBER] [--recompute A,B] [--conv2d] [--map] [--comments]\n"
    "           [--dim SYM=N]... [-o OUT]",
    "the gradient of a program, in its dialect or that of OUT",
    options,
    run_grad,
    true};
