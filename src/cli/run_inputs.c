/* The inputs of `tenon run`: files, archives and random data, checked before anything runs. */
#include <string.h>

#include "api/programs.h"
#include "base/suggest.h"
#include "cli/run.h"
#include "io/archive.h"
#include "io/npy.h"

static void array_of_type(const tn_type *t, array *a)
{
    *a = (array){.dtype = t->dtype, .rank = t->rank};
    memcpy(a->dims, t->dims, t->rank * sizeof a->dims[0]);
}

static void put_array_type(text_buffer *text, const array *a)
{
    tn_type t = {.dtype = a->dtype, .rank = a->rank};
    memcpy(t.dims, a->dims, a->rank * sizeof a->dims[0]);
    show_type(text, &t);
}

static bool extents_fit(const array *a, const tn_type *t)
{
    if (a->rank != t->rank)
        return false;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->dims[i] != TN_DIM_UNKNOWN && t->dims[i] != a->dims[i])
            return false;
    return true;
}

/* Input I of P was not FIT by A, which FILE holds. */
static tn_status report_misfit(session *s, const tn_program *p, size_t index, const tn_port *port,
                               const char *file, const array *a)
{
    tn_type held = {.dtype = a->dtype, .rank = a->rank};
    bool same_dims = extents_fit(a, &port->type);
    text_buffer text;
    text_init(&text, &s->cx->allocator);
    text_puts(&text, "input '");
    text_puts(&text, port->name);
    text_puts(&text, "' is ");
    show_type(&text, &port->type);
    text_puts(&text, ", but ");
    text_puts(&text, file);
    text_puts(&text, " holds ");
    put_array_type(&text, a);
    if (same_dims && a->dtype == array_carrier(port->type.dtype))
        text_puts(&text, " with values out of range");
    const char *message = text_c_string(&text);
    const bool only_extents =
        !same_dims && a->rank == port->type.rank && array_fits(a, port->type.dtype);
    memcpy(held.dims, a->dims, a->rank * sizeof held.dims[0]);
    tn_status status =
        message ? report_input_misfit(&s->cx->diag, p, index, only_extents ? &held : NULL, message)
                : diag_no_memory(&s->cx->diag);
    diag_node(&s->cx->diag, port->name);
    text_release(&text);
    return status;
}

/* Report when A, whose data need not be there yet, cannot be input I. */
static tn_status check_type(session *s, const tn_program *p, size_t i, const char *file,
                            const array *a)
{
    tn_port port;
    TN_TRY(tn_program_input(p, i, &port));
    return extents_fit(a, &port.type) && array_fits(a, port.type.dtype)
               ? TN_OK
               : report_misfit(s, p, i, &port, file, a);
}

/* Make the array of input I, which came from FILE, its data. */
static tn_status take_array(session *s, const tn_program *p, size_t i, const char *file,
                            run_inputs *in)
{
    tn_port port;
    const array *a = &in->arrays[i];
    TN_TRY(check_type(s, p, i, file, a));
    TN_TRY(tn_program_input(p, i, &port));
    in->buffers[i] = (tn_buffer){a->data, a->bytes, port.type};
    memcpy(in->buffers[i].type.dims, a->dims, a->rank * sizeof a->dims[0]);
    return TN_OK;
}

/* ---- names ---- */

static bool is_position(const char *text, size_t length, size_t n, size_t *index)
{
    uint64_t number;
    decimal_result r = decimal_read_u64(text, length, &number);
    if (length == 0 || r.length != length || r.overflow || number >= n ||
        (length > 1 && text[0] == '0'))
        return false;
    *index = (size_t)number;
    return true;
}

/* The input with this name, else at this position. */
static bool find_input(const tn_program *p, const char *text, size_t length, size_t *index)
{
    tn_port port;
    for (size_t i = 0; tn_program_input(p, i, &port) == TN_OK; i++)
        if (strlen(port.name) == length && memcmp(port.name, text, length) == 0) {
            *index = i;
            return true;
        }
    return is_position(text, length, tn_program_input_count(p), index);
}

/* Split NAME=PATH. A name may hold '=' itself: the first split that names an input counts. */
static tn_status note_path(session *s, const tn_program *p, const char *value, run_inputs *in)
{
    size_t first = strcspn(value, "="), index;
    if (!value[first])
        return usage_error(s, "an input is given as NAME=PATH, not '%s'", value);
    for (const char *eq = value + first; eq; eq = strchr(eq + 1, '=')) {
        if (!find_input(p, value, (size_t)(eq - value), &index))
            continue;
        if (in->paths[index])
            return usage_error(s, "the input '%.*s' is given twice", (int)(eq - value), value);
        in->paths[index] = eq + 1;
        return TN_OK;
    }
    tn_status status =
        usage_error(s, "the program has no input '%.*s'", first < 200 ? (int)first : 200, value);
    tn_port port;
    suggestion like;
    suggest_begin(&like, value, first);
    for (size_t i = 0; tn_program_input(p, i, &port) == TN_OK; i++) {
        if (i < 6)
            diag_note(&s->cx->diag, NULL, NO_SPAN, "input %zu is '%s'", i, port.name);
        suggest_name(&like, port.name, strlen(port.name));
    }
    suggest_fix(&like, &s->cx->diag, NO_SPAN, "");
    return status;
}

/* ---- sources ---- */

static tn_status read_file(session *s, const tn_program *p, size_t i, run_inputs *in)
{
    npy_file f;
    const char *path = in->paths[i];
    TN_TRY(npy_open(s->cx, path, &f));
    tn_status status = check_type(s, p, i, path, &f.type);
    if (status == TN_OK)
        status = npy_load(s->cx, &f, &in->arrays[i]);
    npy_close(&f);
    return status == TN_OK ? take_array(s, p, i, path, in) : status;
}

static tn_status read_files(session *s, const tn_program *p, run_inputs *in)
{
    for (size_t i = 0; i < in->n; i++)
        if (in->paths[i])
            TN_TRY(read_file(s, p, i, in));
    return TN_OK;
}

/* The data of a member comes after its type was compared. */
static tn_status read_member(session *s, const tn_program *p, archive *a, uint32_t member, size_t i,
                             const char *path, run_inputs *in)
{
    array type;
    TN_TRY(archive_describe(s->cx, a, member, &type));
    TN_TRY(check_type(s, p, i, path, &type));
    TN_TRY(archive_load(s->cx, a, member, &in->arrays[i]));
    return take_array(s, p, i, path, in);
}

static bool is_given(const run_inputs *in, size_t i)
{
    return in->buffers[i].data != NULL;
}

/* Everything in the archive that an input still lacks; other arrays in it are none of ours. */
static tn_status read_archive(session *s, const tn_program *p, const char *path, run_inputs *in)
{
    archive *a;
    tn_status status = archive_open(s->cx, path, &a);
    if (status != TN_OK)
        return status;
    for (size_t i = 0; i < in->n && status == TN_OK; i++) {
        tn_port port;
        uint32_t member;
        char position[DECIMAL_MAX];
        (void)decimal_print_u64(i, position);
        if (is_given(in, i) || tn_program_input(p, i, &port) != TN_OK ||
            !(archive_find(a, port.name, &member) || archive_find(a, position, &member)))
            continue;
        status = read_member(s, p, a, member, i, path, in);
    }
    diag_flush(&s->cx->diag);
    archive_close(s->cx, a);
    return status;
}

/* Random data needs a number for every extent. */
static tn_status report_unknown(session *s, const tn_program *p, size_t i, const tn_port *port)
{
    text_buffer names;
    text_init(&names, &s->cx->allocator);
    unknown_sizes(p, i, &names);
    const char *list = text_c_string(&names);
    tn_status status =
        list ? usage_error(s, "--random cannot make input %zu ('%s') without a value for %s", i,
                           port->name, list)
             : diag_no_memory(&s->cx->diag);
    diag_node(&s->cx->diag, port->name);
    diag_fix(&s->cx->diag, NO_SPAN, NULL, "give each size with --dim SYM=N");
    text_release(&names);
    return status;
}

static tn_status make_random(session *s, const tn_program *p, size_t i, uint64_t seed,
                             run_inputs *in)
{
    tn_port port;
    array *a = &in->arrays[i];
    TN_TRY(tn_program_input(p, i, &port));
    for (uint32_t k = 0; k < port.type.rank; k++)
        if (port.type.dims[k] == TN_DIM_UNKNOWN)
            return report_unknown(s, p, i, &port);
    array_of_type(&port.type, a);
    TN_TRY(array_alloc(s->cx, port.name, a));
    in->buffers[i] = (tn_buffer){a->data, a->bytes, port.type};
    return tn_program_random_input(p, i, seed, &in->buffers[i]);
}

static tn_status report_missing(session *s, const tn_program *p, size_t i)
{
    tn_port port;
    TN_TRY(tn_program_input(p, i, &port));
    tn_status status = report_input_missing(&s->cx->diag, p, i);
    diag_fix(&s->cx->diag, NO_SPAN, NULL,
             "give it with --input %s=FILE.npy or --inputs ARCHIVE, or take --random SEED",
             port.name);
    return status;
}

static tn_status read_given(session *s, const tn_program *p, const arguments *args, run_inputs *in)
{
    for (int i = 0; i < args->n_options; i++)
        if (args->options[i].id == OPTION_INPUT)
            TN_TRY(note_path(s, p, args->options[i].value, in));
    TN_TRY(read_files(s, p, in));
    for (int i = 0; i < args->n_options; i++)
        if (args->options[i].id == OPTION_INPUTS)
            TN_TRY(read_archive(s, p, args->options[i].value, in));
    return TN_OK;
}

/* Make what is not given, or say that it is missing. */
static tn_status complete(session *s, const tn_program *p, const uint64_t *seed, run_inputs *in)
{
    tn_status status = TN_OK;
    for (size_t i = 0; i < in->n; i++) {
        if (is_given(in, i))
            continue;
        if (seed)
            TN_TRY(make_random(s, p, i, *seed, in));
        else
            status = report_missing(s, p, i);
    }
    return status;
}

tn_status inputs_gather(session *s, const tn_program *p, const arguments *args,
                        const uint64_t *seed, run_inputs *in)
{
    TN_TRY(inputs_gather_given(s, p, args, in));
    return complete(s, p, seed, in);
}

tn_status inputs_gather_given(session *s, const tn_program *p, const arguments *args,
                              run_inputs *in)
{
    const tn_allocator *a = &s->cx->allocator;
    *in = (run_inputs){.n = tn_program_input_count(p)};
    in->arrays = memory_alloc(a, in->n * sizeof *in->arrays);
    in->buffers = memory_alloc(a, in->n * sizeof *in->buffers);
    in->paths = memory_alloc(a, in->n * sizeof *in->paths);
    if (!in->arrays || !in->buffers || !in->paths) {
        inputs_release(s, &(run_inputs){0, in->arrays, in->buffers, in->paths});
        *in = (run_inputs){0};
        return diag_no_memory(&s->cx->diag);
    }
    memset(in->arrays, 0, in->n * sizeof *in->arrays);
    memset(in->buffers, 0, in->n * sizeof *in->buffers);
    memset(in->paths, 0, in->n * sizeof *in->paths);
    return read_given(s, p, args, in);
}

void inputs_release(session *s, run_inputs *in)
{
    const tn_allocator *a = &s->cx->allocator;
    for (size_t i = 0; i < in->n; i++)
        array_release(s->cx, &in->arrays[i]);
    memory_free(a, in->arrays, in->n * sizeof *in->arrays);
    memory_free(a, in->buffers, in->n * sizeof *in->buffers);
    memory_free(a, in->paths, in->n * sizeof *in->paths);
    *in = (run_inputs){0};
}
