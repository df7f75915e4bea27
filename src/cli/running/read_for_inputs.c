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

/* The inputs of a run: their types, and the data of those that may be shapes, axes, or what an `If`
 * looks at. */
typedef struct clues {
    session *s;
    tn_known_input *inputs;
    size_t n, cap;
} clues;

/* Room for the input NAME. */
static tn_status add_clue(clues *list, const char *name, tn_buffer **value)
{
    session *s = list->s;
    list->inputs = cli_grow(&s->memory, list->inputs, &list->cap, list->n, sizeof *list->inputs);
    *value = cli_alloc(&s->memory, 1, sizeof **value);
    if (!list->inputs || !*value)
        return no_memory(s);
    list->inputs[list->n++] = (tn_known_input){name, *value};
    return TN_OK;
}

/* Others are too large to decide about shapes. */
static bool is_small(const tn_type *t)
{
    enum { MOST = 4096 };
    int64_t n = 1;
    for (uint32_t i = 0; i < t->rank && n <= MOST; i++)
        n = t->dims[i] > MOST ? MOST + 1 : n * t->dims[i];
    return n <= MOST;
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
    TN_TRY(add_clue(list, own, &value));
    value->type = type;
    return is_small(&type) ? known_tensor_copy(s, file, at, value) : TN_OK;
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
    tn_buffer *value;
    const char *name = eq ? cli_copy(&s->memory, text, (size_t)(eq - text)) : NULL;
    if (!name)
        return eq ? no_memory(s) : TN_OK;
    if (!in_place_is(s, eq + 1))
        return add_file(list, eq + 1, name);
    TN_TRY(in_place_read(s, name, eq + 1, &read));
    TN_TRY(add_clue(list, name, &value));
    return in_place_plain(s, &read, value);
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
        output_error_text(h->s, h->text.at, h->text.n);
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

tn_status read_with_sizes(session *s, const arguments *args, const char *path, tn_module **m)
{
    clues list = {.s = s};
    find_clues(&list, args);
    return read_program_for(s, path, list.inputs, list.n, m);
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
