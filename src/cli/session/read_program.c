/* Reading programs. What a model keeps in files beside it stays there until the command ends. */
#include <string.h>

#include "cli/session/cli.h"

struct model_folder {
    model_folder *next;
    tn_model_files *files;
};

/* The options of S, with what lies beside the model PATH. */
static tn_status options_for(session *s, const char *path, tn_read_options *o)
{
    model_folder *folder = cli_alloc(&s->memory, 1, sizeof *folder);
    if (!folder)
        return no_memory(s);
    folder->files = tn_model_files_new(NULL, path);
    if (!folder->files)
        return no_memory(s);
    folder->next = s->models;
    s->models = folder;
    *o = s->read;
    o->external = tn_model_files_data;
    o->external_user = folder->files;
    return TN_OK;
}

tn_status read_program(session *s, const char *path, tn_module **m)
{
    tn_read_options o;
    TN_TRY(options_for(s, path, &o));
    return tn_module_read_file(s->cx, &o, path, m);
}

tn_status read_program_for(session *s, const char *path, const tn_known_input *inputs, size_t n,
                           tn_module **m)
{
    tn_read_options o;
    TN_TRY(options_for(s, path, &o));
    bool *taken = cli_alloc(&s->memory, n, sizeof *taken);
    tn_known_input *known = cli_alloc(&s->memory, o.n_known + n, sizeof *known);
    if (!taken || !known)
        return no_memory(s);
    TN_TRY(tn_module_read_for(s->cx, &o, path, NULL, 0, inputs, n, taken, m));
    if (o.n_known)
        memcpy(known, o.known, o.n_known * sizeof *known);
    for (size_t i = 0; i < n; i++)
        if (taken[i])
            known[o.n_known + s->n_taken++] = inputs[i];
    s->read.known = known;
    s->read.n_known = o.n_known + s->n_taken;
    return TN_OK;
}

void models_release(session *s)
{
    for (model_folder *f = s->models; f; f = f->next)
        tn_model_files_free(f->files);
    s->models = NULL;
}
