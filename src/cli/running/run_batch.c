/* `tenon run --batch-of`: a program on each file of a folder, shared out among ranks. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/running/run.h"
#include "tenon/train.h"

typedef struct batch {
    session *s;
    const tn_program *p;
    const batch_options *o;
    const char **files; /* names in the folder, ascending */
    size_t n_files, cap_files;
    size_t n_out;
    tn_buffer *out;
    tn_transport transport;
    bool has_ranks;
    bool have_met;   /* the ranks, in the end */
    uint64_t failed; /* files of this rank */
    tn_status first; /* of the failures */
} batch;

/* ---- the folder ---- */

static const char *const extensions[] = {".npz", ".safetensors", ".npy", ".pb"};

static bool has_extension(const char *name, const char *extension)
{
    const size_t n = strlen(name), k = strlen(extension);
    return n > k && strcmp(name + n - k, extension) == 0;
}

static bool is_sample(const char *name)
{
    bool found = false;
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++)
        found = found || has_extension(name, extensions[i]);
    return found && name[0] != '.';
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static tn_status list_files(batch *t)
{
    session *s = t->s;
    DIR *dir = opendir(t->o->folder);
    if (!dir)
        return file_error(s, "%s: cannot be opened: %s", t->o->folder, strerror(errno));
    tn_status status = TN_OK;
    for (const char *n;
         status == TN_OK && (n = next_entry(s, dir, t->o->folder, &status)) != NULL;) {
        if (!is_sample(n))
            continue;
        const char *name = cli_copy(&s->memory, n, strlen(n));
        t->files = cli_grow(&s->memory, t->files, &t->cap_files, t->n_files, sizeof *t->files);
        if (name && t->files)
            t->files[t->n_files++] = name;
        else
            status = no_memory(s);
    }
    (void)closedir(dir);
    if (status == TN_OK && t->n_files == 0)
        return file_error(s, "%s: has no files .npz, .safetensors, .npy or .pb", t->o->folder);
    if (status == TN_OK)
        qsort(t->files, t->n_files, sizeof *t->files, by_name);
    return status;
}

/* ---- one file ---- */

/* OUTPUT/NAME, with the extension that says its form where that of NAME does not. */
static void put_output(const batch *t, const char *name, cli_text *path)
{
    const bool is_archive = has_extension(name, ".npz") || has_extension(name, ".safetensors");
    cli_printf(path, "%s/%s", t->o->output, name);
    if (!is_archive && t->n_out != 1)
        cli_puts(path, ".npz");
    else if (has_extension(name, ".pb"))
        cli_puts(path, ".npy");
}

/* No two files have their results under one name, as those of a.pb and a.pb.npy would: every name
 * that is made is compared with those of the files, which keep theirs. */
static tn_status check_outputs(batch *t)
{
    const size_t folder = strlen(t->o->output) + 1;
    tn_status status = TN_OK;
    cli_text path = {0};
    for (size_t i = 0; status == TN_OK && i < t->n_files; i++) {
        path.n = 0;
        put_output(t, t->files[i], &path);
        const char *name = path.failed ? NULL : path.at + folder;
        if (!name)
            status = no_memory(t->s);
        else if (strcmp(name, t->files[i]) != 0 &&
                 bsearch(&name, t->files, t->n_files, sizeof *t->files, by_name))
            status = usage_error(t->s, "%s/%s and %s would both have their results in %s",
                                 t->o->folder, t->files[i], name, path.at);
    }
    cli_text_release(&path);
    return status;
}

static tn_status write_results(batch *t, const char *name)
{
    cli_text path = {0};
    tn_file_set *set;
    put_output(t, name, &path);
    if (path.failed)
        return no_memory(t->s);
    tn_status status = tn_file_set_begin(t->s->cx, &set);
    if (status == TN_OK) {
        status = tn_file_set_folder(set, t->o->output);
        if (status == TN_OK)
            status = tn_file_set_add_tensors(set, path.at, NULL, t->out, t->n_out);
        status = tn_file_set_end(set, status);
    }
    cli_text_release(&path);
    return status;
}

static tn_status run_file(batch *t, const char *name, run_inputs *in)
{
    cli_text path = {0};
    cli_printf(&path, "%s/%s", t->o->folder, name);
    tn_status status = path.failed ? no_memory(t->s) : inputs_from_file(t->s, path.at, in);
    if (status == TN_OK)
        status = inputs_complete(t->s, t->o->seed, in);
    if (status == TN_OK)
        status = tn_program_run(t->p, in->tensors, in->n, t->out, t->n_out, t->o->run);
    if (status == TN_OK)
        status = write_results(t, name);
    for (size_t i = 0; i < t->n_out; i++)
        tn_buffer_release(t->p, &t->out[i]);
    cli_text_release(&path);
    return status;
}

/* A file that fails is reported and the others are run all the same. */
static void run_share(batch *t, const run_inputs *base, run_inputs *one)
{
    const uint32_t ranks = t->has_ranks ? t->transport.ranks : 1;
    for (size_t i = t->has_ranks ? t->transport.rank : 0; i < t->n_files; i += ranks) {
        inputs_again(one, base);
        const tn_status status = run_file(t, t->files[i], one);
        if (status == TN_OK)
            continue;
        report_note(t->s, "%s/%s has no results", t->o->folder, t->files[i]);
        t->first = t->failed++ ? t->first : status;
    }
    inputs_release(one);
}

/* ---- all of them ---- */

/* Wait for the other ranks; *FAILED becomes the number of files that failed on all of them. */
static tn_status count_failures(batch *t, uint64_t *failed)
{
    const uint32_t ranks = t->transport.ranks, rank = t->transport.rank;
    tn_message *messages = cli_alloc(&t->s->memory, ranks, sizeof *messages);
    uint64_t *of = cli_alloc(&t->s->memory, ranks, sizeof *of);
    if (!messages || !of)
        return no_memory(t->s);
    for (uint32_t i = 0; i < ranks; i++)
        if (i != rank)
            messages[i] = (tn_message){failed, sizeof *failed, &of[i], sizeof *of};
    const uint64_t own = *failed;
    const char *wrong = t->transport.exchange(t->transport.user, messages);
    if (wrong)
        return file_error(t->s, "the other ranks cannot be reached: %s", wrong);
    t->have_met = true;
    *failed = own;
    for (uint32_t i = 0; i < ranks; i++)
        *failed += of[i];
    return TN_OK;
}

static tn_status run_all(batch *t, const run_inputs *base)
{
    run_inputs one;
    t->n_out = tn_program_output_count(t->p);
    TN_TRY(list_files(t));
    TN_TRY(check_outputs(t));
    t->out = cli_alloc(&t->s->memory, t->n_out, sizeof *t->out);
    if (!t->out)
        return no_memory(t->s);
    TN_TRY(inputs_copy(t->s, base, &one));
    run_share(t, base, &one);
    uint64_t failed = t->failed;
    if (t->has_ranks)
        TN_TRY(count_failures(t, &failed));
    if (failed == 0 || (t->has_ranks && t->transport.rank != 0))
        return t->first;
    return report_error(t->s, t->first != TN_OK ? t->first : TN_ERR_IO, "FileError",
                        "%llu of %zu file%s %s no results", (unsigned long long)failed, t->n_files,
                        cli_plural(t->n_files), failed == 1 ? "has" : "have");
}

tn_status batch_run(session *s, const tn_program *p, const batch_options *o, const run_inputs *base)
{
    batch t = {.s = s, .p = p, .o = o};
    TN_TRY(tn_mpi_transport(s->cx, &t.transport, &t.has_ranks));
    const tn_status status = run_all(&t, base);
    if (t.has_ranks && !t.have_met)
        t.transport.leave(t.transport.user);
    else if (t.has_ranks)
        tn_mpi_end(&t.transport);
    return status;
}
