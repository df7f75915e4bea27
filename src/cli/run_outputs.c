/* The results of `tenon run`: files, an archive, or text. */
#include <string.h>

#include "cli/run.h"
#include "io/npy.h"
#include "io/npz_writer.h"
#include "scalar/dtype.h"

static array array_of(const tn_buffer *b)
{
    array a = {.dtype = b->type.dtype, .rank = b->type.rank, .data = b->data, .bytes = b->bytes};
    memcpy(a.dims, b->type.dims, a.rank * sizeof a.dims[0]);
    return a;
}

static void put_entry(text_buffer *text, size_t i, const char *name, const tn_type *t)
{
    text_puts(text, i ? ",\n {\"file\":\"" : "[{\"file\":\"");
    text_u64(text, i);
    text_puts(text, ".npy\",\"name\":");
    text_json_string(text, name, strlen(name));
    text_puts(text, ",\"dtype\":\"");
    text_puts(text, dtype_name(t->dtype));
    text_puts(text, "\",\"shape\":[");
    for (uint32_t k = 0; k < t->rank; k++) {
        if (k)
            text_putc(text, ',');
        text_i64(text, t->dims[k]);
    }
    text_puts(text, "]}");
}

/* DIR/0.npy, DIR/1.npy, ... and DIR/outputs.json, which is put in place last. */
static tn_status write_folder(session *s, output_set *set, const tn_program *p,
                              const tn_buffer *out, const char *dir, text_buffer *path,
                              text_buffer *json)
{
    size_t n = tn_program_output_count(p);
    TN_TRY(output_folder(s, set, dir));
    text_puts(json, n ? "" : "[");
    for (size_t i = 0; i < n; i++) {
        tn_port port;
        array a = array_of(&out[i]);
        TN_TRY(tn_program_output(p, i, &port));
        text_reset(path);
        text_printf(path, "%s/%zu.npy", dir, i);
        if (!text_c_string(path))
            return diag_no_memory(&s->cx->diag);
        TN_TRY(npy_write(s->cx, set, text_c_string(path), &a));
        put_entry(json, i, port.name, &out[i].type);
    }
    text_puts(json, "]\n");
    text_reset(path);
    text_printf(path, "%s/outputs.json", dir);
    if (!text_c_string(path))
        return diag_no_memory(&s->cx->diag);
    return output_text_in(s, set, text_c_string(path), json);
}

static tn_status write_archive(session *s, output_set *set, const tn_program *p,
                               const tn_buffer *out, const char *path)
{
    npz_writer *w;
    TN_TRY(npz_writer_open(s->cx, set, path, false, &w));
    for (size_t i = 0; i < tn_program_output_count(p); i++) {
        char name[DECIMAL_MAX];
        array a = array_of(&out[i]);
        (void)decimal_print_u64(i, name);
        tn_status status = npz_writer_add(s->cx, w, name, &a);
        if (status != TN_OK) {
            npz_writer_discard(s->cx, w);
            return status;
        }
    }
    return npz_writer_close(s->cx, w);
}

tn_status outputs_write(session *s, const tn_program *p, const tn_buffer *out, const char *path)
{
    size_t n = strlen(path);
    output_set set;
    text_buffer name, json;
    tn_status status;
    output_set_init(&set, &s->cx->allocator);
    text_init(&name, &s->cx->allocator);
    text_init(&json, &s->cx->allocator);
    if (n > 4 && strcmp(path + n - 4, ".npz") == 0)
        status = write_archive(s, &set, p, out, path);
    else
        status = write_folder(s, &set, p, out, path, &name, &json);
    status = output_end(s, &set, status);
    diag_flush(&s->cx->diag);
    text_release(&name);
    text_release(&json);
    return status;
}

void outputs_show(const tn_program *p, const tn_buffer *out, text_buffer *text)
{
    tn_port port;
    for (size_t i = 0; tn_program_output(p, i, &port) == TN_OK; i++) {
        text_puts(text, port.name);
        text_puts(text, ": ");
        show_type(text, &out[i].type);
        text_putc(text, '\n');
        show_elements(text, &out[i]);
        text_putc(text, '\n');
    }
}
