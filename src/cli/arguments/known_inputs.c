/* `--constant NAME=VALUE`: inputs that have a value for good, known when the program is read. A
 * value is an .npy or .pb file, or numbers in place: `16000`, `true`, `[[1, 2], [3, 4]]`.
 * `--constants ARCHIVE`: those that an archive has. */
#include <string.h>

#include "cli/arguments/in_place.h"

tn_status known_tensor_copy(session *s, tn_tensor_file *file, size_t at, tn_buffer *out)
{
    tn_buffer loaded = {0};
    TN_TRY(tn_tensor_file_load(file, at, &loaded));
    *out = loaded;
    out->data = cli_alloc(&s->memory, loaded.bytes + 1, 1);
    if (!out->data)
        return no_memory(s);
    memcpy(out->data, loaded.data, loaded.bytes);
    return TN_OK;
}

static tn_status read_file(session *s, const char *path, tn_buffer *out)
{
    tn_tensor_file *file;
    TN_TRY(tn_tensor_file_open(s->cx, path, &file));
    const tn_status status = known_tensor_copy(s, file, 0, out);
    tn_tensor_file_close(file);
    return status;
}

static bool is_file(const char *text)
{
    const size_t n = strlen(text);
    return (n > 4 && strcmp(text + n - 4, ".npy") == 0) ||
           (n > 3 && strcmp(text + n - 3, ".pb") == 0);
}

tn_status known_input_add(session *s, const char *text)
{
    const size_t n = strcspn(text, "=");
    if (n == 0 || !text[n])
        return usage_error(s, "--constant takes NAME=VALUE, not '%s'", text);
    tn_known_input *known = &s->known[s->read.n_known];
    tn_buffer *value = cli_alloc(&s->memory, 1, sizeof *value);
    known->name = cli_copy(&s->memory, text, n);
    known->value = value;
    if (!known->name || !value)
        return no_memory(s);
    in_place read;
    if (is_file(text + n + 1)) {
        TN_TRY(read_file(s, text + n + 1, value));
    } else {
        TN_TRY(in_place_read(s, known->name, text + n + 1, &read));
        TN_TRY(in_place_plain(s, &read, value));
    }
    s->read.n_known++;
    s->read.known = s->known;
    return TN_OK;
}

static tn_status add_tensor(session *s, tn_tensor_file *file, size_t at)
{
    tn_buffer *value = cli_alloc(&s->memory, 1, sizeof *value);
    s->weights =
        cli_grow(&s->memory, s->weights, &s->cap_weights, s->read.n_weights, sizeof *s->weights);
    if (!value || !s->weights)
        return no_memory(s);
    s->read.weights = s->weights;
    TN_TRY(tn_tensor_file_load(file, at, value));
    s->weights[s->read.n_weights++] = (tn_known_input){tn_tensor_file_name(file, at), value};
    return TN_OK;
}

tn_status known_inputs_add(session *s, const char *path)
{
    tn_tensor_file *file;
    TN_TRY(tn_tensor_file_open(s->cx, path, &file));
    s->archives[s->n_archives++] = file;
    if (tn_tensor_file_is_single(file))
        return file_error(s, "%s: is a single array; --constant NAME=%s says whose", path, path);
    for (size_t i = 0; i < tn_tensor_file_count(file); i++)
        TN_TRY(add_tensor(s, file, i));
    return TN_OK;
}

void known_inputs_release(session *s)
{
    for (size_t i = 0; i < s->n_archives; i++)
        tn_tensor_file_close(s->archives[i]);
    s->n_archives = 0;
}
