/* The interface of tenon/easy.h: a program with its context, its inputs and its results. */
#include "api/api.h"
#include "base/text/suggest.h"
#include "base/text/text.h"
#include "tenon/easy.h"
#include "tenon/files.h"

struct tn_net {
    tn_context *cx;
    tn_module *module;
    tn_program *program;
    tn_model_files *files; /* beside the model; NULL: others are given */
    tn_status status;
    text_buffer said;   /* all diagnostics */
    tn_buffer *in;      /* as many as the program has inputs */
    tn_buffer *out;     /* and outputs; data is NULL before a run */
    bool *given;        /* inputs that have data */
    size_t n_in, n_out; /* 0 until loading is done */
    bool has_run;
};

static const char no_memory[] = "error: out of memory\n";

static bool append(void *user, const char *bytes, size_t n)
{
    text_buffer *said = user;
    text_put(said, bytes, n);
    return !said->failed;
}

static void remember(void *user, const tn_diagnostic *d)
{
    tn_net *net = user;
    const tn_writer writer = {append, &net->said};
    (void)tn_diagnostic_write(net->cx, d, TN_DIAGNOSTIC_TEXT, &writer);
}

/* The first failure is the one that stays. */
static tn_status keep(tn_net *net, tn_status status)
{
    if (net->status == TN_OK)
        net->status = status;
    return net->status;
}

/* ---- loading ---- */

static tn_status set_up(tn_net *net)
{
    const tn_allocator *memory = &memory_system;
    const size_t n_in = tn_program_input_count(net->program);
    const size_t n_out = tn_program_output_count(net->program);
    net->in = memory_alloc(memory, n_in * sizeof *net->in);
    net->given = memory_alloc(memory, n_in * sizeof *net->given);
    net->out = memory_alloc(memory, n_out * sizeof *net->out);
    net->n_in = n_in;
    net->n_out = n_out;
    if (net->given)
        memset(net->given, 0, n_in * sizeof *net->given);
    if (net->out) /* tn_net_free looks at these even where the others are missing */
        memset(net->out, 0, n_out * sizeof *net->out);
    return net->in && net->given && net->out ? TN_OK : TN_ERR_NOMEM;
}

static tn_status load(tn_net *net, const char *path, const tn_read_options *given_read,
                      const tn_compile_options *given_compile)
{
    diag_channel *d = &net->cx->diag;
    tn_read_options read;
    tn_compile_options compile;
    if (!path)
        return diag_report(d, DIAG_Usage, NULL, NO_SPAN, "the path is NULL");
    TN_TRY(OPTIONS_READ(d, tn_read_options, n_results, &read, given_read));
    TN_TRY(OPTIONS_READ(d, tn_compile_options, plan_only, &compile, given_compile));
    if (!read.external) {
        net->files = tn_model_files_new(NULL, path);
        if (!net->files)
            return diag_no_memory(d);
        read.external = tn_model_files_data;
        read.external_user = net->files;
    }
    TN_TRY(tn_module_read_file(net->cx, &read, path, &net->module));
    if (!compile.bindings) {
        compile.bindings = read.bindings;
        compile.n_bindings = read.n_bindings;
    }
    TN_TRY(tn_program_compile(net->module, &compile, &net->program));
    return set_up(net);
}

tn_net *tn_net_load_with(const char *path, const tn_read_options *read,
                         const tn_compile_options *compile)
{
    tn_net *net = memory_alloc(&memory_system, sizeof *net);
    if (!net)
        return NULL;
    *net = (tn_net){.status = TN_OK};
    text_init(&net->said, &memory_system);
    const tn_diagnostic_sink sink = {remember, net};
    net->cx = tn_context_new(NULL, &sink);
    if (!net->cx) {
        tn_net_free(net);
        return NULL;
    }
    const tn_status status = load(net, path, read, compile);
    (void)keep(net, context_done(net->cx, status));
    return net;
}

tn_net *tn_net_load(const char *path, const tn_binding *sizes, size_t n)
{
    const tn_read_options read = {.size = sizeof read, .bindings = sizes, .n_bindings = n};
    return tn_net_load_with(path, &read, NULL);
}

void tn_net_free(tn_net *net)
{
    if (!net)
        return;
    for (size_t i = 0; net->out && i < net->n_out; i++)
        tn_buffer_release(net->program, &net->out[i]);
    memory_free(&memory_system, net->in, net->n_in * sizeof *net->in);
    memory_free(&memory_system, net->given, net->n_in * sizeof *net->given);
    memory_free(&memory_system, net->out, net->n_out * sizeof *net->out);
    tn_program_free(net->program);
    tn_module_free(net->module);
    tn_model_files_free(net->files);
    tn_context_free(net->cx);
    text_release(&net->said);
    memory_free(&memory_system, net, sizeof *net);
}

/* ---- names ---- */

typedef tn_status get_port(const tn_program *p, size_t index, tn_port *port);

/* A failure that is about the use of the net. */
static tn_status fail(tn_net *net, diag_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static tn_status fail(tn_net *net, diag_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const tn_status status = diag_vreport(&net->cx->diag, kind, NULL, NO_SPAN, format, args);
    va_end(args);
    return keep(net, context_done(net->cx, status));
}

/* The position of the port NAME among N, or N, which is reported: WHAT says "input" or "output". */
static size_t find(tn_net *net, get_port *get, size_t n, const char *what, const char *name)
{
    suggestion like;
    tn_port port;
    suggest_begin(&like, name, strlen(name));
    for (size_t i = 0; i < n; i++) {
        if (get(net->program, i, &port) != TN_OK)
            continue;
        if (strcmp(port.name, name) == 0)
            return i;
        suggest_name(&like, port.name, strlen(port.name));
    }
    diag_channel *d = &net->cx->diag;
    const tn_status status =
        diag_report(d, DIAG_Usage, NULL, NO_SPAN, "the program has no %s '%s'", what, name);
    suggest_fix(&like, d, NO_SPAN, "");
    (void)keep(net, context_done(net->cx, status));
    return n;
}

/* ---- running ---- */

/* SHAPE: NULL for that which the program declares. */
static tn_status set_input(tn_net *net, const char *name, const void *data, size_t bytes,
                           const tn_type *shape)
{
    tn_port port;
    size_t want = 0;
    if (tn_net_status(net) != TN_OK)
        return tn_net_status(net);
    if (!name && net->n_in != 1)
        return fail(net, DIAG_Usage, "an input needs a name in a program that has not one input");
    const size_t at = name ? find(net, tn_program_input, net->n_in, "input", name) : 0;
    if (at == net->n_in)
        return net->status;
    (void)tn_program_input(net->program, at, &port);
    tn_buffer in = {(void *)(uintptr_t)data, bytes, port.type}; /* which runs only read */
    if (shape) {
        in.type = *shape;
        in.type.dtype = port.type.dtype;
    }
    if (!shape && !public_type_is_valid(&in.type, false))
        return fail(net, DIAG_InputMismatch,
                    "the sizes of input '%s' are not known: it needs a shape", port.name);
    TN_TRY(keep(net, tn_program_check_input(net->program, at, &in, NULL)));
    if (!public_type_bytes(&in.type, &want) || want != bytes)
        return fail(net, DIAG_InputMismatch, "input '%s' takes %zu byte%s, not %zu", port.name,
                    want, plural(want), bytes);
    net->in[at] = in;
    net->given[at] = true;
    return TN_OK;
}

tn_status tn_net_input(tn_net *net, const char *name, const void *data, size_t bytes)
{
    return set_input(net, name, data, bytes, NULL);
}

tn_status tn_net_input_shaped(tn_net *net, const char *name, const void *data, size_t bytes,
                              uint32_t rank, const int64_t *dims)
{
    tn_type shape = {.rank = rank};
    if (tn_net_status(net) != TN_OK)
        return tn_net_status(net);
    if (rank > TN_MAX_RANK)
        return fail(net, DIAG_Usage, "an input has at most %d extents", TN_MAX_RANK);
    const tn_status given = options_list(&net->cx->diag, "dims", dims, rank);
    if (given != TN_OK)
        return keep(net, context_done(net->cx, given));
    for (uint32_t k = 0; k < rank; k++)
        shape.dims[k] = dims[k];
    return set_input(net, name, data, bytes, &shape);
}

/* Give back the results of the last run. */
static void forget(tn_net *net)
{
    for (size_t i = 0; net->has_run && i < net->n_out; i++) {
        tn_buffer_release(net->program, &net->out[i]);
        net->out[i] = (tn_buffer){0};
    }
    net->has_run = false;
}

tn_status tn_net_run(tn_net *net)
{
    if (tn_net_status(net) != TN_OK)
        return tn_net_status(net);
    forget(net);
    for (size_t i = 0; i < net->n_in; i++)
        if (!net->given[i])
            return keep(net, tn_program_check_input(net->program, i, NULL, NULL));
    const tn_status status =
        tn_program_run(net->program, net->in, net->n_in, net->out, net->n_out, NULL);
    net->has_run = status == TN_OK;
    return keep(net, status);
}

const void *tn_net_output(tn_net *net, const char *name, tn_type *type_of)
{
    if (tn_net_status(net) != TN_OK)
        return NULL;
    if (!net->has_run) {
        (void)fail(net, DIAG_Usage, "there are no outputs before a run");
        return NULL;
    }
    if (net->n_out == 0) {
        (void)fail(net, DIAG_Usage, "the program has no outputs");
        return NULL;
    }
    const size_t at = name ? find(net, tn_program_output, net->n_out, "output", name) : 0;
    if (at == net->n_out)
        return NULL;
    if (type_of)
        *type_of = net->out[at].type;
    return net->out[at].data ? net->out[at].data : ""; /* it has no elements */
}

/* ---- what happened, and the parts ---- */

tn_status tn_net_status(const tn_net *net)
{
    return net ? net->status : TN_ERR_NOMEM;
}

const char *tn_net_messages(tn_net *net)
{
    if (!net || net->said.failed || (net->status == TN_ERR_NOMEM && net->said.n == 0))
        return no_memory;
    return net->said.n ? text_c_string(&net->said) : "";
}

const char *tn_net_error(tn_net *net)
{
    return tn_net_status(net) == TN_OK ? NULL : tn_net_messages(net);
}

tn_module *tn_net_module(tn_net *net)
{
    return net ? net->module : NULL;
}

tn_program *tn_net_program(tn_net *net)
{
    return net ? net->program : NULL;
}
