/* Reading programs. What a model keeps in files beside it stays there until the command ends. */
#include "cli/session/cli.h"

struct model_folder {
    model_folder *next;
    tn_model_files *files;
};

tn_status read_program(session *s, const char *path, tn_module **m)
{
    model_folder *folder = cli_alloc(&s->memory, 1, sizeof *folder);
    if (!folder)
        return no_memory(s);
    folder->files = tn_model_files_new(NULL, path);
    if (!folder->files)
        return no_memory(s);
    folder->next = s->models;
    s->models = folder;
    tn_read_options o = s->read;
    o.external = tn_model_files_data;
    o.external_user = folder->files;
    return tn_module_read_file(s->cx, &o, path, m);
}

void models_release(session *s)
{
    for (model_folder *f = s->models; f; f = f->next)
        tn_model_files_free(f->files);
    s->models = NULL;
}
