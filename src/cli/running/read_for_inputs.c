/* Models that leave sizes open on which their nodes depend, or compute shapes from the data of an
 * input: the inputs of the run say what they are. Whatever can be read without is read without, so
 * that its code serves all sizes and data. */
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

/* What the inputs of a run say: the shapes of tensors, and the values of those that may be shapes,
 * axes, or what an `If` looks at. */
typedef struct clues {
    session *s;
    tn_input_shape *shapes;
    size_t n_shapes, cap_shapes;
    tn_known_input *values;
    size_t n_values, cap_values;
} clues;

static tn_status add_shape(clues *list, const char *name, const int64_t *dims, uint32_t rank)
{
    session *s = list->s;
    list->shapes =
        cli_grow(&s->memory, list->shapes, &list->cap_shapes, list->n_shapes, sizeof *list->shapes);
    int64_t *own = cli_alloc(&s->memory, rank, sizeof *own);
    if (!list->shapes || !own)
        return no_memory(s);
    if (rank > 0)
        memcpy(own, dims, rank * sizeof *own);
    list->shapes[list->n_shapes++] = (tn_input_shape){name, rank, own};
    return TN_OK;
}

/* Room for the value of the input NAME. */
static tn_status add_value(clues *list, const char *name, tn_buffer **value)
{
    session *s = list->s;
    list->values =
        cli_grow(&s->memory, list->values, &list->cap_values, list->n_values, sizeof *list->values);
    *value = cli_alloc(&s->memory, 1, sizeof **value);
    if (!list->values || !*value)
        return no_memory(s);
    list->values[list->n_values++] = (tn_known_input){name, *value};
    return TN_OK;
}

/* Truth values and integers of which readers take note. */
static bool may_be_shape(const tn_type *t)
{
    enum { MOST = 4096 };
    int64_t n = 1;
    for (uint32_t i = 0; i < t->rank && n <= MOST; i++)
        n = t->dims[i] > MOST ? MOST + 1 : n * t->dims[i];
    return t->dtype < TN_FP8_E4M3 && n <= MOST;
}

static tn_status add_tensor(clues *list, tn_tensor_file *file, size_t at, const char *name)
{
    session *s = list->s;
    tn_type type;
    tn_buffer *value;
    const char *own = tn_tensor_file_name(file, at);
    own = own && *own ? cli_copy(&s->memory, own, strlen(own)) : name;
    if (!own)
        return no_memory(s);
    TN_TRY(tn_tensor_file_type(file, at, &type));
    TN_TRY(add_shape(list, own, type.dims, type.rank));
    if (!may_be_shape(&type))
        return TN_OK;
    TN_TRY(add_value(list, own, &value));
    return known_tensor_copy(s, file, at, value);
}

/* The tensors of the file PATH; NAME: of one without a name. */
static tn_status add_file(clues *list, const char *path, const char *name)
{
    tn_tensor_file *file;
    if (!can_read_twice(path))
        return TN_OK;
    TN_TRY(tn_tensor_file_open(list->s->cx, path, &file));
    tn_status status = TN_OK;
    for (size_t i = 0; status == TN_OK && i < tn_tensor_file_count(file); i++)
        status = add_tensor(list, file, i, name);
    tn_tensor_file_close(file);
    return status;
}

/* An input given as NAME=PATH or NAME=VALUE. */
static tn_status add_input(clues *list, const char *text)
{
    session *s = list->s;
    const char *eq = strchr(text, '=');
    in_place read;
    tn_buffer plain, *value;
    const char *name = eq ? cli_copy(&s->memory, text, (size_t)(eq - text)) : NULL;
    if (!name)
        return eq ? no_memory(s) : TN_OK;
    if (!in_place_is(s, eq + 1))
        return add_file(list, eq + 1, name);
    TN_TRY(in_place_read(s, name, eq + 1, &read));
    if (read.rank > 0)
        TN_TRY(add_shape(list, name, read.dims, read.rank));
    TN_TRY(in_place_plain(s, &read, &plain));
    if (!may_be_shape(&plain.type))
        return TN_OK;
    TN_TRY(add_value(list, name, &value));
    *value = plain;
    return TN_OK;
}

static void ignore(void *user, const tn_diagnostic *d)
{
    (void)user;
    (void)d;
}

/* What is wrong with an input is said later, when it is read as one. */
static void find_clues(clues *list, const arguments *args)
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

static bool write_held(void *user, const char *bytes, size_t n)
{
    held_reports *h = user;
    cli_put(&h->text, bytes, n);
    return !h->text.failed;
}

static void hold(void *user, const tn_diagnostic *d)
{
    held_reports *h = user;
    const tn_writer writer = {write_held, h};
    (void)tn_diagnostic_write(h->s->cx, d, h->s->style, &writer);
}

void reports_hold(session *s, held_reports *h)
{
    *h = (held_reports){.s = s, .sink = {hold, h}};
    s->instead = &h->sink;
}

void reports_end(held_reports *h, bool shown)
{
    h->s->instead = NULL;
    if (shown && h->text.n > 0)
        output_error_text(h->text.at, h->text.n);
    cli_text_release(&h->text);
}

/* Read PATH. What is reported is shown, and REPORTS empty, unless the program is refused. */
static tn_status read_held(session *s, const char *path, held_reports *reports, tn_module **m)
{
    reports_hold(s, reports);
    const tn_status status = read_program(s, path, m);
    s->instead = NULL;
    if (status != TN_ERR_REJECTED)
        reports_end(reports, true);
    return status;
}

tn_status read_without(session *s, const char *path, tn_module **m)
{
    held_reports reports;
    *m = NULL;
    if (!is_model(s, path))
        return read_program(s, path, m);
    const tn_status status = read_held(s, path, &reports, m);
    if (status != TN_ERR_REJECTED)
        return status;
    reports_end(&reports, false);
    return TN_OK;
}

tn_status read_with(session *s, const char *path, const tn_read_options *with, tn_module **m)
{
    const tn_read_options before = s->read;
    s->read = *with;
    const tn_status status = read_program(s, path, m);
    s->read = before;
    return status;
}

/* Make constants of the values of LIST, too. They stay constants if the program is read then. */
static tn_status read_with_values(clues *list, const char *path, tn_module **m)
{
    session *s = list->s;
    held_reports reports;
    const tn_read_options before = s->read;
    tn_known_input *known = cli_alloc(&s->memory, before.n_known + list->n_values, sizeof *known);
    if (!known)
        return no_memory(s);
    if (before.n_known > 0)
        memcpy(known, before.known, before.n_known * sizeof *known);
    memcpy(known + before.n_known, list->values, list->n_values * sizeof *known);
    s->read.known = known;
    s->read.n_known += list->n_values;
    s->read.shapes = list->shapes;
    s->read.n_shapes = list->n_shapes;
    const tn_status status = read_held(s, path, &reports, m);
    if (status == TN_ERR_REJECTED)
        reports_end(&reports, false);
    if (status == TN_OK)
        s->n_taken = list->n_values;
    else
        s->read = before;
    return status;
}

tn_status read_with_sizes(session *s, const arguments *args, const char *path, tn_module **m)
{
    clues list = {.s = s};
    held_reports reports;
    const tn_read_options before = s->read;
    find_clues(&list, args);
    s->read.shapes = list.shapes;
    s->read.n_shapes = list.n_shapes;
    tn_status status = read_held(s, path, &reports, m);
    s->read = before;
    if (status != TN_ERR_REJECTED)
        return status;
    if (list.n_values > 0)
        status = read_with_values(&list, path, m);
    reports_end(&reports, status == TN_ERR_REJECTED);
    return status;
}

tn_status read_for_inputs(session *s, const arguments *args, const char *path, tn_module **m,
                          bool *is_open)
{
    *is_open = false;
    TN_TRY(read_without(s, path, m));
    if (!*m)
        return read_with_sizes(s, args, path, m);
    *is_open = is_model(s, path) && tn_module_symbol(*m, 0);
    return TN_OK;
}
