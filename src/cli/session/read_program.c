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

/* Is NAME an input of M? */
static bool is_input(const tn_module *m, const char *name)
{
    tn_port port;
    for (size_t i = 0; i < tn_module_input_count(m); i++)
        if (tn_module_input(m, i, &port) == TN_OK && strcmp(port.name, name) == 0)
            return true;
    return false;
}

/* The dialect that M was read from. */
static const char *dialect_read(const tn_module *m)
{
    tn_module_info info = {.size = sizeof info};
    if (tn_module_get_info(m, &info) != TN_OK)
        return "";
    return info.lowered_from ? info.lowered_from : info.dialect ? info.dialect : "";
}

/* Was M read by a reader that takes inputs that are known before, and refuses names of none? */
static bool takes_known(const tn_module *m)
{
    const char *from = dialect_read(m);
    return strcmp(from, "onnx") == 0 || strcmp(from, "stablehlo") == 0;
}

/* An option that only readers of some dialects look at. */
typedef struct reader_option {
    int id;
    const char *dialects[2], *called;
} reader_option;

/* Refuse what the reader of M passed over. Of several programs it may be meant for another one. */
static tn_status refuse_not_read(session *s, const char *path, tn_module **m)
{
    static const reader_option rows[] = {
        {OPTION_SLICE_NEGATIVE, {"mind", "mind-source"}, "MIND"},
        {OPTION_STRICT, {"tiny"}, "Tiny IR"},
        {OPTION_MAX_PIECES, {"tiny"}, "Tiny IR"},
        {OPTION_DECLARE, {"mind-source"}, "MIND source"},
        {OPTION_SIZE, {"onnx", "stablehlo"}, "ONNX and StableHLO"},
    };
    const char *from = dialect_read(*m);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && s->n_programs == 1; i++) {
        const reader_option *o = &rows[i];
        const bool takes = strcmp(from, o->dialects[0]) == 0 ||
                           (o->dialects[1] && strcmp(from, o->dialects[1]) == 0);
        if (takes || !s->common[o->id])
            continue;
        if (o->id == OPTION_SIZE)
            add_note(s, "'tenon convert --dim' gives the sizes of any program their values");
        const tn_status status =
            usage_error(s, "'%s %s' is for programs in %s, and '%.200s' is in '%s'",
                        s->command->name, s->common[o->id], o->called, path, from);
        tn_module_free(*m);
        *m = NULL;
        return status;
    }
    return TN_OK;
}

/* Readers of ONNX and StableHLO take the inputs that O gives values; others pass over them.
 * Archives may have what is no input. */
static tn_status refuse_not_taken(session *s, const tn_read_options *o, tn_module **m)
{
    const tn_known_input *const lists[] = {o->known, o->weights};
    const size_t counts[] = {o->n_known, o->n_weights};
    for (size_t k = 0; k < 2 && !takes_known(*m); k++)
        for (size_t i = 0; i < counts[k]; i++) {
            const char *name = lists[k][i].name;
            const bool has = is_input(*m, name);
            if (!has && lists[k] == o->weights)
                continue;
            tn_module_free(*m);
            *m = NULL;
            return usage_error(s,
                               has ? "only ONNX and StableHLO take inputs that are known when the "
                                     "file is read, such as '%.200s'; --input gives it a value"
                                   : "only ONNX and StableHLO take inputs that are known when the "
                                     "file is read, and there is no input '%.200s'",
                               name);
        }
    return TN_OK;
}

tn_status read_program(session *s, const char *path, tn_module **m)
{
    tn_read_options o;
    TN_TRY(options_for(s, path, &o));
    TN_TRY(tn_module_read_file(s->cx, &o, path, m));
    TN_TRY(refuse_not_read(s, path, m));
    return refuse_not_taken(s, &o, m);
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
    TN_TRY(refuse_not_read(s, path, m));
    TN_TRY(refuse_not_taken(s, &o, m));
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
