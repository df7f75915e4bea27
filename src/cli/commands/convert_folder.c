/* `tenon convert -o DIR/`: the converted program, and beside it what it is called. */
#include "cli/commands/convert_folder.h"

#include <string.h>

#include "tenon/convert.h"

bool names_folder(const char *path)
{
    return path && *path && path[strlen(path) - 1] == '/';
}

tn_status describe_entry(session *s, const tn_module *m, const char *target, const char *name,
                         cli_text *out)
{
    cli_text symbol = {0};
    tn_module_info info = {.size = sizeof info};
    const tn_writer writer = text_writer(&symbol);
    TN_TRY(tn_module_get_info(m, &info));
    tn_status status = tn_module_entry_symbol(m, name, &writer);
    cli_puts(out, "{\n  \"target\": ");
    cli_put_json(out, target, strlen(target));
    cli_puts(out, ",\n  \"entrypoints\": [\n    {\n      \"ptir\": ");
    cli_put_json(out, info.entry, strlen(info.entry));
    cli_puts(out, ",\n      \"symbol\": ");
    cli_put_json(out, symbol.at ? symbol.at : "", symbol.n);
    cli_puts(out, "\n    }\n  ]\n}\n");
    if (status == TN_OK && symbol.failed)
        status = no_memory(s);
    cli_text_release(&symbol);
    return status;
}

/* The first file name extension of a dialect; `.txt` of one that has none. */
static void put_extension(cli_text *out, const char *name)
{
    tn_dialect_info d;
    for (size_t i = 0; tn_dialect_at(i, &d); i++)
        if (strcmp(d.name, name) == 0 && d.extensions && *d.extensions) {
            cli_put(out, d.extensions, strcspn(d.extensions, " "));
            return;
        }
    cli_puts(out, ".txt");
}

static tn_status write_in(session *s, tn_file_set *set, const char *folder, const char *name,
                          const char *dialect, const cli_text *text)
{
    cli_text path = {0};
    cli_puts(&path, folder);
    cli_puts(&path, name);
    if (dialect)
        put_extension(&path, dialect);
    tn_status status = path.failed ? no_memory(s) : output_text_in(s, set, path.at, text);
    cli_text_release(&path);
    return status;
}

static tn_status write_both(session *s, tn_file_set *set, const char *folder, const char *dialect,
                            const cli_text *program, const cli_text *meta)
{
    TN_TRY(tn_file_set_folder(set, folder));
    TN_TRY(write_in(s, set, folder, "program", dialect, program));
    return write_in(s, set, folder, "meta.json", NULL, meta);
}

tn_status folder_write(session *s, const char *folder, const char *dialect, const cli_text *program,
                       const cli_text *meta)
{
    tn_file_set *set;
    TN_TRY(tn_file_set_begin(s->cx, &set));
    return tn_file_set_end(set, write_both(s, set, folder, dialect, program, meta));
}
