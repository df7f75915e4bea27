/* The results of `tenon run`: files, an archive, or text. */
#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/running/run.h"

/* Tensors with more elements show only the ends of long axes. */
enum { SHOWN_WHOLE = 1000 };

static void put_entry(cli_text *text, size_t i, const char *name, const tn_type *t)
{
    cli_printf(text, "%s{\"file\":\"%zu.npy\",\"name\":", i ? ",\n " : "[", i);
    cli_put_json(text, name, strlen(name));
    cli_printf(text, ",\"dtype\":\"%s\",\"shape\":[", tn_dtype_name(t->dtype));
    for (uint32_t k = 0; k < t->rank; k++)
        cli_printf(text, "%s%lld", k ? "," : "", (long long)t->dims[k]);
    cli_puts(text, "]}");
}

/* DIR/0.npy, DIR/1.npy, ... and DIR/outputs.json, which is put in place last. */
static tn_status add_folder(session *s, tn_file_set *set, const tn_program *p, const tn_buffer *out,
                            const char *dir, cli_text *path, cli_text *json)
{
    const size_t n = tn_program_output_count(p);
    TN_TRY(tn_file_set_folder(set, dir));
    cli_puts(json, n ? "" : "[");
    for (size_t i = 0; i < n; i++) {
        tn_port port;
        TN_TRY(tn_program_output(p, i, &port));
        path->n = 0;
        cli_printf(path, "%s/%zu.npy", dir, i);
        if (path->failed)
            return no_memory(s);
        TN_TRY(tn_file_set_add_tensors(set, path->at, NULL, &out[i], 1));
        put_entry(json, i, port.name, &out[i].type);
    }
    cli_puts(json, "]\n");
    path->n = 0;
    cli_printf(path, "%s/outputs.json", dir);
    return path->failed ? no_memory(s) : output_text_in(s, set, path->at, json);
}

static tn_status write_folder(session *s, tn_file_set *set, const tn_program *p,
                              const tn_buffer *out, const char *dir)
{
    cli_text path = {0}, json = {0};
    const tn_status status = add_folder(s, set, p, out, dir, &path, &json);
    cli_text_release(&path);
    cli_text_release(&json);
    return status;
}

/* Does PATH name one file? */
static bool is_file(const char *path)
{
    static const char *const extensions[] = {".npz", ".npy", ".safetensors"};
    const size_t n = strlen(path);
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++) {
        const size_t k = strlen(extensions[i]);
        if (n > k && strcmp(path + n - k, extensions[i]) == 0)
            return true;
    }
    return false;
}

/* Is PATH, which does not exist, a name as files have it, `x.txt`? */
static bool is_mistaken(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    struct stat info;
    return dot && dot > name && isalpha((unsigned char)dot[1]) && stat(path, &info) != 0;
}

tn_status outputs_check(session *s, const char *path)
{
    if (!path[0])
        return usage_error(s, "--output needs a name");
    if (strcmp(path, "-") == 0)
        return usage_error(s, "--output writes files, not to standard output: without it, or with "
                              "--print, results are printed");
    if (is_file(path) || !is_mistaken(path))
        return TN_OK;
    return usage_error(s,
                       "--output writes a file whose name ends with .npz, .npy or .safetensors, or "
                       "a folder: '%s/' if '%s' is to be one",
                       path, path);
}

tn_status outputs_check_number(session *s, const tn_program *p, const char *path)
{
    const size_t k = path ? strlen(path) : 0, n = tn_program_output_count(p);
    if (k <= 4 || strcmp(path + k - 4, ".npy") != 0 || n == 1)
        return TN_OK;
    return usage_error(s,
                       "%s: an .npy file takes one tensor, not %zu; take .npz, "
                       ".safetensors or a folder",
                       path, n);
}

tn_status outputs_write(session *s, const tn_program *p, const tn_buffer *out, const char *path)
{
    tn_file_set *set;
    TN_TRY(tn_file_set_begin(s->cx, &set));
    return tn_file_set_end(set, is_file(path) ? tn_file_set_add_tensors(set, path, NULL, out,
                                                                        tn_program_output_count(p))
                                              : write_folder(s, set, p, out, path));
}

tn_status outputs_show(session *s, const tn_program *p, const tn_buffer *out, cli_text *text)
{
    const tn_writer writer = text_writer(text);
    tn_port port;
    for (size_t i = 0; tn_program_output(p, i, &port) == TN_OK; i++) {
        cli_put_name(text, port.name);
        cli_puts(text, ": ");
        cli_put_type(text, &out[i].type);
        cli_putc(text, '\n');
        if (tn_buffer_write(s->cx, &out[i], SHOWN_WHOLE, &writer) != TN_OK)
            return no_memory(s);
        cli_putc(text, '\n');
    }
    return TN_OK;
}
