/* `tenon convert -o DIR/`: the converted program, and beside it what it is called. */
#include <string.h>

#include "api/programs.h"
#include "cli/run.h"
#include "tenon/convert.h"

bool names_folder(const char *path)
{
    return path && *path && path[strlen(path) - 1] == '/';
}

tn_status describe_entry(session *s, const tn_module *m, const char *target, const char *name,
                         text_buffer *out)
{
    text_buffer symbol;
    tn_module_info info = {.size = sizeof info};
    const tn_writer writer = text_writer(&symbol);
    TN_TRY(tn_module_get_info(m, &info));
    text_init(&symbol, &s->cx->allocator);
    tn_status status = tn_module_entry_symbol(m, name, &writer);
    text_puts(out, "{\n  \"target\": ");
    text_json_string(out, target, strlen(target));
    text_puts(out, ",\n  \"entrypoints\": [\n    {\n      \"ptir\": ");
    text_json_string(out, info.entry, strlen(info.entry));
    text_puts(out, ",\n      \"symbol\": ");
    text_json_string(out, symbol.at ? symbol.at : "", symbol.n);
    text_puts(out, "\n    }\n  ]\n}\n");
    if (status == TN_OK && symbol.failed)
        status = diag_no_memory(&s->cx->diag);
    text_release(&symbol);
    return status;
}

/* The first file name extension of a dialect; `.txt` of one that has none. */
static void put_extension(text_buffer *out, const char *name)
{
    tn_dialect_info d;
    for (size_t i = 0; tn_dialect_at(i, &d); i++)
        if (strcmp(d.name, name) == 0 && d.extensions && *d.extensions) {
            text_put(out, d.extensions, strcspn(d.extensions, " "));
            return;
        }
    text_puts(out, ".txt");
}

static tn_status write_in(session *s, output_set *set, const char *folder, const char *name,
                          const char *dialect, const text_buffer *text)
{
    text_buffer path;
    text_init(&path, &s->cx->allocator);
    text_puts(&path, folder);
    text_puts(&path, name);
    if (dialect)
        put_extension(&path, dialect);
    const char *whole = text_c_string(&path);
    tn_status status = whole ? output_text_in(s, set, whole, text) : diag_no_memory(&s->cx->diag);
    text_release(&path);
    return status;
}

static tn_status write_both(session *s, output_set *set, const char *folder, const char *dialect,
                            const text_buffer *program, const text_buffer *meta)
{
    TN_TRY(output_folder(s, set, folder));
    TN_TRY(write_in(s, set, folder, "program", dialect, program));
    return write_in(s, set, folder, "meta.json", NULL, meta);
}

tn_status folder_write(session *s, const char *folder, const char *dialect,
                       const text_buffer *program, const text_buffer *meta)
{
    output_set set;
    output_set_init(&set, &s->cx->allocator);
    return output_end(s, &set, write_both(s, &set, folder, dialect, program, meta));
}
