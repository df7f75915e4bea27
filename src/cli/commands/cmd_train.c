/* tenon train: make the loss of a program small on data. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/training/train.h"

typedef struct training {
    session *s;
    const train_options *o;
    tn_module *program, *update;
    tn_dataset *data, *judged;
    tn_trainer *trainer;
    tn_transport transport;
    bool has_ranks, is_first; /* this is one of several; the one that shows and writes */
} training;

/* ---- steps ---- */

static tn_status validate(training *t, progress *p, uint64_t done)
{
    tn_validation v = {.size = sizeof v, .scores = t->o->scores, .labels = t->o->labels};
    TN_TRY(tn_trainer_validate(t->trainer, t->judged, &v));
    return progress_validation(p, done, &v);
}

static tn_status save(training *t)
{
    return tn_trainer_save(t->trainer, t->o->folder, t->o->keep);
}

/* One step, and what is due after it. */
static tn_status go_on(training *t, progress *p, const tn_trainer_info *info, uint64_t step)
{
    tn_train_step done = {.size = sizeof done};
    const bool is_last = step + 1 == info->steps;
    const tn_status status = tn_trainer_step(t->trainer, &done);
    if (status == TN_ERR_RUN && t->o->folder && t->is_first)
        report_warning(t->s, "the checkpoints in %s are those before this step", t->o->folder);
    TN_TRY(status);
    TN_TRY(progress_step(p, &done));
    if (t->judged && t->is_first && (is_last || (step + 1) % info->epoch == 0))
        TN_TRY(validate(t, p, step + 1));
    if (t->o->folder && (is_last || (t->o->every && (step + 1) % t->o->every == 0)))
        return save(t);
    return TN_OK;
}

/* What starts the ranks ends all of them at once when one is killed, so nobody can say it then. */
static void say_how_to_resume(const training *t)
{
    if (t->has_ranks && t->is_first && t->o->folder)
        report_note(t->s, "when a rank is lost, the same command with --resume goes on from %s",
                    t->o->folder);
}

static tn_status run_steps(training *t)
{
    progress p;
    tn_trainer_info info = {.size = sizeof info};
    TN_TRY(tn_trainer_get_info(t->trainer, &info));
    tn_status status = progress_begin(t->s, t->o, t->trainer, t->is_first, &p);
    for (uint64_t step = info.step; status == TN_OK && step < info.steps; step++)
        status = go_on(t, &p, &info, step);
    progress_end(&p);
    return status;
}

static tn_status finish(training *t)
{
    char digest[65];
    cli_text text = {0};
    if (!t->is_first)
        return TN_OK;
    if (t->o->output)
        TN_TRY(tn_trainer_write(t->trainer, t->o->output));
    TN_TRY(tn_trainer_digest(t->trainer, digest));
    cli_printf(&text, "sha256 of the weights: %s\n", digest);
    const tn_status status = output_text(t->s, NULL, &text);
    cli_text_release(&text);
    return status;
}

static tn_status resume(training *t)
{
    bool found;
    tn_trainer_info info = {.size = sizeof info};
    const tn_status status = tn_trainer_resume(t->trainer, t->o->folder, &found);
    if (status == TN_ERR_IO && t->is_first)
        report_note(t->s, "without the files of this checkpoint, --resume takes the one before it");
    TN_TRY(status);
    if (!found && t->is_first)
        report_warning(t->s, "%s holds no checkpoint: the training begins", t->o->folder);
    TN_TRY(tn_trainer_get_info(t->trainer, &info));
    if (info.step > info.steps)
        return usage_error(
            t->s, "%s: the checkpoint was written after step %llu, but the training has %llu",
            t->o->folder, (unsigned long long)info.step, (unsigned long long)info.steps);
    return TN_OK;
}

/* Is there a folder for PATH, in which files can be made? What is written at the end is asked for
 * now: a training may take days. */
static tn_status check_place(training *t, const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    const size_t n = slash ? (size_t)(slash - path) + 1 : 1;
    const char *folder = path ? cli_copy(&t->s->memory, slash ? path : ".", n) : NULL;
    if (!path || !t->is_first)
        return TN_OK;
    if (!folder)
        return no_memory(t->s);
    struct stat info;
    const bool is_direct =
        stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
    if (access(is_direct ? path : folder, is_direct ? W_OK : W_OK | X_OK) == 0)
        return TN_OK; /* pipes and devices are written where they are */
    return report_error(t->s, TN_ERR_IO, "FileError", "%s: cannot be written: %s", path,
                        strerror(errno));
}

/* Does the name of the file for the weights say how they are written? What is no file, such as a
 * pipe, takes one as .npy. */
static tn_status check_form(training *t, const char *path)
{
    static const char *const ends[] = {".safetensors", ".npz", ".npy"};
    const size_t n = path ? strlen(path) : 0;
    struct stat info;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (n > strlen(ends[i]) && strcmp(path + n - strlen(ends[i]), ends[i]) == 0)
            return TN_OK;
    if (!path || (stat(path, &info) == 0 && !S_ISREG(info.st_mode)))
        return TN_OK;
    return usage_error(
        t->s, "--output takes a file that ends with .safetensors, .npz or .npy, not '%s'", path);
}

/* Has it room for all weights? */
static tn_status check_number(const training *t, const char *path)
{
    const char *name;
    tn_buffer value;
    const size_t n = path ? strlen(path) : 0;
    if (!path || !tn_trainer_weight(t->trainer, 1, &name, &value) ||
        (n > 12 && strcmp(path + n - 12, ".safetensors") == 0) ||
        (n > 4 && strcmp(path + n - 4, ".npz") == 0))
        return TN_OK;
    return usage_error(t->s,
                       "%s: an .npy file holds one tensor, and there are several weights; take "
                       ".safetensors or .npz",
                       path);
}

/* Can the data of --validate be judged? Else that would be said after an epoch. */
static tn_status check_judged(const training *t)
{
    tn_validation v = {
        .size = sizeof v, .scores = t->o->scores, .labels = t->o->labels, .only_check = true};
    return t->judged && t->is_first ? tn_trainer_validate(t->trainer, t->judged, &v) : TN_OK;
}

/* The folder for checkpoints, which is made when the first one is written. */
static tn_status check_folder(training *t)
{
    const char *path = t->o->folder;
    struct stat info;
    size_t n = path ? strlen(path) : 0;
    while (n > 1 && path[n - 1] == '/')
        n--;
    const char *made = path ? cli_copy(&t->s->memory, path, n) : NULL;
    if (!path || !t->is_first)
        return TN_OK;
    if (!made)
        return no_memory(t->s);
    if (stat(made, &info) != 0)
        return check_place(t, made);
    if (S_ISDIR(info.st_mode) && access(made, W_OK | X_OK) == 0)
        return TN_OK;
    return report_error(t->s, TN_ERR_IO, "FileError", "%s: cannot be written: %s", path,
                        strerror(S_ISDIR(info.st_mode) ? errno : ENOTDIR));
}

/* Does another training use the folder? Else that would be said when the first one is written. */
static tn_status check_unused(const training *t)
{
    if (!t->o->folder || !t->is_first)
        return TN_OK;
    const tn_status status = tn_trainer_check_folder(t->trainer, t->o->folder);
    if (status == TN_ERR_USAGE)
        report_note(t->s, "--resume goes on from the newest checkpoint");
    return status;
}

static tn_status train(training *t)
{
    const train_options *o = t->o;
    tn_train_options options = o->train;
    TN_TRY(check_form(t, o->output));
    TN_TRY(read_program(t->s, o->file, &t->program));
    if (o->update) {
        t->s->read.entry = NULL; /* which is meant for the program */
        TN_TRY(read_program(t->s, o->update, &t->update));
    }
    TN_TRY(check_place(t, o->output));
    TN_TRY(check_folder(t));
    options.update = t->update;
    options.transport = t->has_ranks ? &t->transport : NULL;
    TN_TRY(tn_dataset_open(t->s->cx, o->data, o->n_data, &t->data));
    if (o->n_validate > 0)
        TN_TRY(tn_dataset_open(t->s->cx, o->validate, o->n_validate, &t->judged));
    TN_TRY(tn_trainer_new(t->s->cx, t->program, t->data, &options, &t->trainer));
    TN_TRY(check_number(t, o->output));
    TN_TRY(check_judged(t));
    if (o->resume)
        TN_TRY(resume(t));
    TN_TRY(check_unused(t));
    say_how_to_resume(t);
    TN_TRY(run_steps(t));
    return finish(t);
}

/* ---- the optimizer's program ---- */

static tn_status show_update(session *s, const train_options *o)
{
    tn_module *m;
    cli_text text = {0};
    const tn_writer writer = text_writer(&text);
    TN_TRY(tn_optimizer_program(s->cx, &o->optimizer, TN_F32, &m));
    tn_status status = tn_module_write(m, "ptir-text", NULL, &writer);
    if (status == TN_OK)
        status = output_text(s, o->output, &text);
    cli_text_release(&text);
    tn_module_free(m);
    return status;
}

static tn_status run_train(session *s, const arguments *args)
{
    train_options o;
    TN_TRY(train_options_read(s, args, &o));
    if (o.show_update)
        return show_update(s, &o);
    training t = {.s = s, .o = &o};
    TN_TRY(tn_mpi_transport(s->cx, &t.transport, &t.has_ranks));
    t.is_first = !t.has_ranks || t.transport.rank == 0;
    const tn_status status = train(&t);
    tn_trainer_free(t.trainer);
    tn_dataset_close(t.judged);
    tn_dataset_close(t.data);
    tn_module_free(t.update);
    tn_module_free(t.program);
    if (t.has_ranks && status != TN_OK)
        t.transport.leave(t.transport.user);
    else if (t.has_ranks)
        tn_mpi_end(&t.transport);
    return status;
}

const command command_train = {
    "train",
    "PROGRAM --wrt A,B --data PATH... [--loss L] [--batch N] [--epochs N|--steps N]\n"
    "            [--optimizer NAME] [--lr X] [--validate PATH] [--checkpoint DIR --every K]\n"
    "            [--resume] [--output FILE] ...",
    "train the weights of a program on data",
    train_option_list,
    run_train,
    true};
