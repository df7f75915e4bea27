/* The inputs of `tenon run`: files, archives and random data, checked before anything runs. */
#include <stdio.h>
#include <string.h>

#include "cli/arguments/in_place.h"
#include "cli/running/run.h"

/* ---- names ---- */

static bool is_number(const char *text, size_t length, uint64_t *number)
{
    return number_u64(text, length, number) && (length == 1 || text[0] != '0');
}

/* As a position among N inputs of the program, before which those stand that became constants. */
static bool is_position(const session *s, const char *text, size_t length, size_t n, size_t *index)
{
    uint64_t number, before = 0, other;
    if (!is_number(text, length, &number))
        return false;
    for (size_t i = s->read.n_known - s->n_taken; i < s->read.n_known; i++) {
        const char *name = s->read.known[i].name;
        before += is_number(name, strlen(name), &other) && other < number;
    }
    *index = (size_t)(number - before);
    return number - before < n;
}

/* The input with this name, else at this position. */
static bool find_input(const session *s, const tn_program *p, const char *text, size_t length,
                       size_t *index)
{
    tn_port port;
    for (size_t i = 0; tn_program_input(p, i, &port) == TN_OK; i++)
        if (strlen(port.name) == length && memcmp(port.name, text, length) == 0) {
            *index = i;
            return true;
        }
    return is_position(s, text, length, tn_program_input_count(p), index);
}

static tn_status unknown_input(session *s, const run_inputs *in, const char *text, size_t length)
{
    enum { SHOWN = 6 };
    const char **names = cli_alloc(&s->memory, in->n, sizeof *names);
    if (!names)
        return no_memory(s);
    for (size_t i = 0; i < in->n; i++) {
        tn_port port;
        TN_TRY(tn_program_input(in->p, i, &port));
        names[i] = port.name;
        if (i < SHOWN)
            add_note(s, "input %zu is '%s'", i, port.name);
    }
    advise_name(s, text, length, names, in->n);
    return usage_error(s, "the program has no input '%.*s'", length < 200 ? (int)length : 200,
                       text);
}

/* Does the option VALUE give an input of which a constant was made? */
static bool is_taken(const session *s, const char *value)
{
    for (size_t i = s->read.n_known - s->n_taken; i < s->read.n_known; i++) {
        const size_t n = strlen(s->read.known[i].name);
        if (strncmp(value, s->read.known[i].name, n) == 0 && value[n] == '=')
            return true;
    }
    return false;
}

/* Split NAME=PATH. A name may hold '=' itself: the first split that names an input counts. */
static tn_status note_path(session *s, const char *value, run_inputs *in)
{
    size_t first = strcspn(value, "="), index;
    if (!value[first])
        return usage_error(s, "an input is given as NAME=PATH, not '%s'", value);
    if (is_taken(s, value))
        return TN_OK;
    for (const char *eq = value + first; eq; eq = strchr(eq + 1, '=')) {
        if (!find_input(s, in->p, value, (size_t)(eq - value), &index))
            continue;
        if (in->paths[index])
            return usage_error(s, "the input '%.*s' is given twice", (int)(eq - value), value);
        if (!eq[1])
            return usage_error(s, "the input '%.*s' is given no value", (int)(eq - value), value);
        in->paths[index] = eq + 1;
        return TN_OK;
    }
    return unknown_input(s, in, value, first);
}

/* ---- files ---- */

/* Open PATH, which stays open as long as IN. */
static tn_status open_file(session *s, const char *path, run_inputs *in, tn_tensor_file **file)
{
    TN_TRY(tn_tensor_file_open(s->cx, path, file));
    in->files[in->n_files++] = *file;
    return TN_OK;
}

/* Tensor number AT of FILE becomes input I. Its data comes after its type was compared. */
static tn_status take_tensor(run_inputs *in, size_t i, tn_tensor_file *file, size_t at,
                             const char *path)
{
    tn_buffer tensor = {0};
    TN_TRY(tn_tensor_file_type(file, at, &tensor.type));
    TN_TRY(tn_program_check_input(in->p, i, &tensor, path));
    TN_TRY(tn_tensor_file_load(file, at, &tensor));
    TN_TRY(tn_program_check_input(in->p, i, &tensor, path));
    in->tensors[i] = tensor;
    return TN_OK;
}

/* The value of input I, written in place. */
static tn_status read_value(session *s, size_t i, run_inputs *in)
{
    tn_port port;
    in_place value;
    TN_TRY(tn_program_input(in->p, i, &port));
    TN_TRY(in_place_read(s, port.name, in->paths[i], &value));
    TN_TRY(in_place_tensor(s, port.name, &value, &port.type, &in->tensors[i]));
    return tn_program_check_input(in->p, i, &in->tensors[i], "the value in place");
}

static tn_status read_file(session *s, size_t i, run_inputs *in)
{
    const char *path = in->paths[i];
    tn_tensor_file *file;
    if (in_place_is(s, path))
        return read_value(s, i, in);
    TN_TRY(open_file(s, path, in, &file));
    if (!tn_tensor_file_is_single(file))
        return file_error(s, "%s: is an archive; --inputs takes those", path);
    return take_tensor(in, i, file, 0, path);
}

/* Everything in the archive that an input still lacks; other tensors in it are none of ours. */
static tn_status take_archive(run_inputs *in, tn_tensor_file *file, const char *path)
{
    bool has_some = false;
    for (size_t i = 0; i < in->n; i++) {
        tn_port port;
        size_t at;
        char position[24];
        (void)snprintf(position, sizeof position, "%zu", i);
        TN_TRY(tn_program_input(in->p, i, &port));
        if (!tn_tensor_file_find(file, port.name, &at) && !tn_tensor_file_find(file, position, &at))
            continue;
        has_some = true;
        if (!in->tensors[i].data)
            TN_TRY(take_tensor(in, i, file, at, path));
    }
    in->unused = has_some ? in->unused : file;
    in->unused_path = has_some ? in->unused_path : path;
    return TN_OK;
}

static tn_status read_archive(session *s, const char *path, run_inputs *in)
{
    tn_tensor_file *file;
    TN_TRY(open_file(s, path, in, &file));
    if (tn_tensor_file_is_single(file))
        return file_error(s, "%s: is a single array, not an archive of named arrays", path);
    return take_archive(in, file, path);
}

static tn_status read_given(session *s, const arguments *args, run_inputs *in)
{
    for (int i = 0; i < args->n_options; i++)
        if (args->options[i].id == OPTION_INPUT)
            TN_TRY(note_path(s, args->options[i].value, in));
    for (size_t i = 0; i < in->n; i++)
        if (in->paths[i])
            TN_TRY(read_file(s, i, in));
    for (int i = 0; i < args->n_options; i++)
        if (args->options[i].id == OPTION_INPUTS)
            TN_TRY(read_archive(s, args->options[i].value, in));
    return TN_OK;
}

/* ---- what is not in files ---- */

static bool has_every_extent(const tn_type *t)
{
    for (uint32_t k = 0; k < t->rank; k++)
        if (t->dims[k] == TN_DIM_UNKNOWN)
            return false;
    return true;
}

/* An archive that gave no input probably has it under another name. */
static void note_unused(session *s, run_inputs *in)
{
    enum { SHOWN = 8 };
    cli_text names = {0};
    const size_t n = in->unused ? tn_tensor_file_count(in->unused) : 0;
    for (size_t i = 0; i < n && i < SHOWN; i++) {
        cli_puts(&names, i ? ", " : "");
        cli_put_name(&names, tn_tensor_file_name(in->unused, i));
    }
    cli_puts(&names, n > SHOWN ? ", ..." : n == 0 ? "no arrays" : "");
    if (in->unused && !names.failed)
        add_note(s, "no input is called as an array of %s, which has: %.*s", in->unused_path,
                 (int)names.n, names.at);
    cli_text_release(&names);
    in->unused = NULL;
}

tn_status inputs_complete(session *s, const uint64_t *seed, run_inputs *in)
{
    tn_status status = TN_OK;
    for (size_t i = 0; i < in->n; i++) {
        tn_port port;
        if (in->tensors[i].data)
            continue;
        TN_TRY(tn_program_input(in->p, i, &port));
        if (!seed) {
            advise(s,
                   "give it with --input %s=FILE.npy, --input %s=VALUE or --inputs ARCHIVE, or "
                   "take --random SEED",
                   port.name, port.name);
            note_unused(s, in);
            status = tn_program_check_input(in->p, i, NULL, NULL);
            continue;
        }
        if (!has_every_extent(&port.type))
            advise(s, "give each size with --dim SYM=N");
        TN_TRY(tn_program_random_input(in->p, i, *seed, &in->tensors[i]));
        in->is_random[i] = true;
    }
    return status;
}

/* ---- all of them ---- */

static tn_status begin(session *s, const tn_program *p, const arguments *args, run_inputs *in)
{
    *in = (run_inputs){.p = p, .own = in->own, .n = tn_program_input_count(p)};
    in->tensors = cli_alloc(&s->memory, in->n, sizeof *in->tensors);
    in->paths = cli_alloc(&s->memory, in->n, sizeof *in->paths);
    in->is_random = cli_alloc(&s->memory, in->n, sizeof *in->is_random);
    in->files = cli_alloc(&s->memory, (size_t)args->n_options, sizeof(tn_tensor_file *));
    if (in->tensors && in->paths && in->is_random && in->files)
        return read_given(s, args, in);
    in->n = 0;
    return no_memory(s);
}

tn_status inputs_gather(session *s, const tn_program *p, const arguments *args,
                        const uint64_t *seed, run_inputs *in)
{
    *in = (run_inputs){.p = p};
    TN_TRY(begin(s, p, args, in));
    return inputs_complete(s, seed, in);
}

tn_status inputs_given(session *s, const tn_program *p, const arguments *args, run_inputs *in)
{
    *in = (run_inputs){.p = p};
    return begin(s, p, args, in);
}

tn_status inputs_of_module(session *s, const tn_module *m, const arguments *args, run_inputs *in)
{
    const tn_compile_options o = {.level = TN_LEVEL_0, .engine = "ref"};
    *in = (run_inputs){.n = 0};
    TN_TRY(tn_program_compile(m, &o, &in->own));
    return begin(s, in->own, args, in);
}

/* ---- one after the other ---- */

static void give_back(run_inputs *in)
{
    for (size_t i = 0; i < in->n; i++)
        if (in->is_random[i])
            tn_buffer_release(in->p, &in->tensors[i]);
    for (size_t i = 0; i < in->n_files; i++)
        tn_tensor_file_close(in->files[i]);
    in->n_files = 0;
}

tn_status inputs_copy(session *s, const run_inputs *base, run_inputs *copy)
{
    *copy = (run_inputs){.p = base->p};
    copy->tensors = cli_alloc(&s->memory, base->n, sizeof *copy->tensors);
    copy->is_random = cli_alloc(&s->memory, base->n, sizeof *copy->is_random);
    copy->files = cli_alloc(&s->memory, 1, sizeof(tn_tensor_file *));
    if (!copy->tensors || !copy->is_random || !copy->files)
        return no_memory(s);
    copy->n = base->n;
    return TN_OK;
}

void inputs_again(run_inputs *copy, const run_inputs *base)
{
    give_back(copy);
    for (size_t i = 0; i < base->n; i++) {
        copy->tensors[i] = base->tensors[i];
        copy->is_random[i] = false;
    }
}

/* The only input without data. */
static tn_status only_missing(session *s, const char *path, const run_inputs *in, size_t *index)
{
    size_t n = 0;
    for (size_t i = in->n; i-- > 0;)
        if (!in->tensors[i].data) {
            *index = i;
            n++;
        }
    return n == 1
               ? TN_OK
               : file_error(s, "%s: is one tensor, and %zu inputs are still to be given", path, n);
}

tn_status inputs_from_file(session *s, const char *path, run_inputs *copy)
{
    tn_tensor_file *file;
    size_t i = 0;
    TN_TRY(open_file(s, path, copy, &file));
    if (!tn_tensor_file_is_single(file))
        return take_archive(copy, file, path);
    TN_TRY(only_missing(s, path, copy, &i));
    return take_tensor(copy, i, file, 0, path);
}

void inputs_release(run_inputs *in)
{
    give_back(in);
    tn_program_free(in->own);
    *in = (run_inputs){0};
}
