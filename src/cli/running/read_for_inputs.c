/* Models that leave sizes open on which their nodes depend: the inputs of the run say what they
 * are. Whatever can be read without is read without, so that its code serves all sizes. */
#include "cli/running/read_for_inputs.h"

#include <string.h>
#include <sys/stat.h>

#include "cli/arguments/in_place.h"
#include "cli/running/run.h"

/* Not a pipe, and not standard input. */
static bool can_read_twice(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Is PATH written in a dialect whose programs compute shapes? */
static bool is_model(const session *s, const char *path)
{
    static const char *const dialects[] = {"onnx", "stablehlo"};
    static const char *const extensions[] = {".onnx", ".mlir"};
    const size_t n = strlen(path);
    bool is_one = false;
    for (int i = 0; i < 2; i++) {
        const size_t end = strlen(extensions[i]);
        is_one =
            is_one || (s->read.dialect ? strcmp(s->read.dialect, dialects[i]) == 0
                                       : n > end && strcmp(path + n - end, extensions[i]) == 0);
    }
    return is_one && can_read_twice(path);
}

typedef struct shapes {
    session *s;
    tn_input_shape *at;
    size_t n, cap;
} shapes;

static tn_status add(shapes *list, const char *name, const int64_t *dims, uint32_t rank)
{
    session *s = list->s;
    list->at = cli_grow(&s->memory, list->at, &list->cap, list->n, sizeof *list->at);
    int64_t *own = cli_alloc(&s->memory, rank, sizeof *own);
    name = cli_copy(&s->memory, name, strlen(name));
    if (!list->at || !own || !name)
        return no_memory(s);
    if (rank > 0)
        memcpy(own, dims, rank * sizeof *own);
    list->at[list->n++] = (tn_input_shape){name, rank, own};
    return TN_OK;
}

/* The tensors of the file PATH; NAME: of one without a name. */
static tn_status add_file(shapes *list, const char *path, const char *name)
{
    tn_tensor_file *file;
    if (!can_read_twice(path))
        return TN_OK;
    TN_TRY(tn_tensor_file_open(list->s->cx, path, &file));
    tn_status status = TN_OK;
    for (size_t i = 0; status == TN_OK && i < tn_tensor_file_count(file); i++) {
        tn_type type;
        const char *own = tn_tensor_file_name(file, i);
        status = tn_tensor_file_type(file, i, &type);
        if (status == TN_OK)
            status = add(list, own && *own ? own : name, type.dims, type.rank);
    }
    tn_tensor_file_close(file);
    return status;
}

/* The shape of an input given as NAME=PATH or NAME=VALUE. */
static tn_status add_input(shapes *list, const char *text)
{
    session *s = list->s;
    const char *eq = strchr(text, '=');
    in_place value;
    const char *name = eq ? cli_copy(&s->memory, text, (size_t)(eq - text)) : NULL;
    if (!name)
        return eq ? no_memory(s) : TN_OK;
    if (!in_place_is(s, eq + 1))
        return add_file(list, eq + 1, name);
    TN_TRY(in_place_read(s, name, eq + 1, &value));
    return value.rank > 0 ? add(list, name, value.dims, value.rank) : TN_OK;
}

static void ignore(void *user, const tn_diagnostic *d)
{
    (void)user;
    (void)d;
}

/* What is wrong with an input is said later, when it is read as one. */
static void find_shapes(shapes *list, const arguments *args)
{
    const tn_diagnostic_sink quiet = {ignore, NULL};
    list->s->instead = &quiet;
    for (int i = 0; i < args->n_options; i++) {
        const given *g = &args->options[i];
        if (g->id == OPTION_INPUT)
            (void)add_input(list, g->value);
        else if (g->id == OPTION_INPUTS)
            (void)add_file(list, g->value, "");
    }
    list->s->instead = NULL;
}

/* What is reported meanwhile, as it would be shown. */
typedef struct held {
    session *s;
    cli_text text;
} held;

static bool write_held(void *user, const char *bytes, size_t n)
{
    held *h = user;
    cli_put(&h->text, bytes, n);
    return !h->text.failed;
}

static void hold(void *user, const tn_diagnostic *d)
{
    held *h = user;
    const tn_writer writer = {write_held, h};
    (void)tn_diagnostic_write(h->s->cx, d, h->s->style, &writer);
}

tn_status read_without(session *s, const char *path, tn_module **m)
{
    held reports = {.s = s};
    *m = NULL;
    if (!is_model(s, path))
        return read_program(s, path, m);
    s->instead = &(tn_diagnostic_sink){hold, &reports};
    const tn_status status = read_program(s, path, m);
    s->instead = NULL;
    if (status != TN_ERR_REJECTED && reports.text.n > 0)
        output_error_text(reports.text.at, reports.text.n);
    cli_text_release(&reports.text);
    return status == TN_ERR_REJECTED ? TN_OK : status;
}

tn_status read_with(session *s, const char *path, const tn_read_options *with, tn_module **m)
{
    const tn_read_options before = s->read;
    s->read = *with;
    const tn_status status = read_program(s, path, m);
    s->read = before;
    return status;
}

tn_status read_for_inputs(session *s, const arguments *args, const char *path, tn_module **m)
{
    shapes list = {.s = s};
    tn_read_options with = s->read;
    TN_TRY(read_without(s, path, m));
    if (*m)
        return TN_OK;
    find_shapes(&list, args);
    with.shapes = list.at;
    with.n_shapes = list.n;
    return read_with(s, path, &with, m);
}
