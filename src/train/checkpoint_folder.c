/* The folder of checkpoints: which are there, whose it is, and which go. */
#include "train/checkpoint_folder.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/input.h"

#define MOST_STEPS (UINT64_C(1) << 53) /* numbers that JSON readers agree on */

/* The step in a name that ends with AFTER, as folder_path writes it; false for other names. */
static bool step_of(const char *name, const char *after, uint64_t *step)
{
    static const char before[] = "step-";
    const char *at = name + sizeof before - 1;
    if (strncmp(name, before, sizeof before - 1) != 0)
        return false;
    const size_t n = strspn(at, "0123456789");
    if (n < 8 || n > 16 || (n > 8 && *at == '0') || strcmp(at + n, after) != 0)
        return false;
    *step = 0;
    for (size_t i = 0; i < n; i++)
        *step = *step * 10 + (uint64_t)(at[i] - '0');
    return *step < MOST_STEPS;
}

static int newest_first(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x < y) - (x > y);
}

tn_status folder_steps(context *cx, const char *folder, const char *after, steps_found *found)
{
    const struct dirent *e;
    DIR *dir = opendir(folder);
    if (!dir)
        return errno == ENOENT ? TN_OK
                               : io_error(cx, folder, "cannot be opened: %s", strerror(errno));
    tn_status s = TN_OK;
    while (s == TN_OK && (errno = 0, e = readdir(dir))) {
        uint64_t step;
        struct stat info; /* of a pipe, which would be waited for, or a folder */
        if (step_of(e->d_name, after, &step) && fstatat(dirfd(dir), e->d_name, &info, 0) == 0 &&
            S_ISREG(info.st_mode) && !VECTOR_PUSH(&cx->allocator, found, step))
            s = diag_no_memory(&cx->diag);
    }
    if (s == TN_OK && errno != 0)
        s = io_error(cx, folder, "cannot be read: %s", strerror(errno));
    (void)closedir(dir);
    if (found->n > 0)
        qsort(found->at, found->n, sizeof *found->at, newest_first);
    return s;
}

/* ---- whose a folder is ---- */

/* Is FOLDER there? Then *ITS says which one it is, whatever path leads to it. */
static bool identify(const char *folder, own_folder *its)
{
    struct stat info;
    if (stat(folder, &info) != 0)
        return false;
    *its = (own_folder){info.st_dev, info.st_ino};
    return true;
}

static bool is_own(const tn_trainer *t, const char *folder)
{
    own_folder its;
    if (!identify(folder, &its))
        return false;
    for (size_t i = 0; i < t->folders->n; i++)
        if (t->folders->at[i].device == its.device && t->folders->at[i].file == its.file)
            return true;
    return false;
}

tn_status folder_own(const tn_trainer *t, const char *folder)
{
    own_folder its;
    if (is_own(t, folder) || !identify(folder, &its) ||
        VECTOR_PUSH(&t->cx->allocator, t->folders, its))
        return TN_OK;
    return diag_no_memory(&t->cx->diag);
}

/* Checkpoints of a training before would be taken for those of this one, and those of this one,
 * with fewer steps, be removed as the older ones. */
tn_status folder_check(const tn_trainer *t, const char *folder)
{
    steps_found found = {0};
    tn_status s =
        is_own(t, folder) ? TN_OK : folder_steps(t->cx, folder, FOLDER_DESCRIPTION, &found);
    if (found.n > 0)
        s = trainer_fault(
            t->cx, DIAG_Usage,
            "%s: holds checkpoints of another training, the newest after step %" PRIu64
            "; resume from it, or take another folder",
            folder, found.at[0]);
    VECTOR_RELEASE(&t->cx->allocator, &found);
    return s;
}

const char *folder_path(arena *memory, const char *folder, uint64_t step, const char *after)
{
    return arena_printf(memory, "%s/step-%08" PRIu64 "%s", folder, step, after);
}

/* Remove the files that end with AFTER of steps before STEP. Another training in the folder may
 * have removed them already. */
static tn_status remove_before(context *cx, arena *memory, const char *folder, const char *after,
                               uint64_t step)
{
    steps_found found = {0};
    tn_status s = folder_steps(cx, folder, after, &found);
    for (uint64_t i = 0; s == TN_OK && i < found.n; i++) {
        const char *path = folder_path(memory, folder, found.at[i], after);
        if (!path)
            s = diag_no_memory(&cx->diag);
        else if (found.at[i] < step && unlink(path) != 0 && errno != ENOENT)
            s = io_error(cx, path, "cannot be removed: %s", strerror(errno));
    }
    VECTOR_RELEASE(&cx->allocator, &found);
    return s;
}

/* Remove all but the newest KEEP: the descriptions first, so that what is described is there. A
 * process that was killed between the two left tensors that nothing describes: they go, too. */
tn_status folder_prune(context *cx, arena *memory, const char *folder, uint64_t keep)
{
    steps_found found = {0};
    tn_status s = folder_steps(cx, folder, FOLDER_DESCRIPTION, &found);
    const uint64_t oldest = found.n == 0 ? 0 : found.at[(keep < found.n ? keep : found.n) - 1];
    VECTOR_RELEASE(&cx->allocator, &found);
    if (s == TN_OK)
        s = remove_before(cx, memory, folder, FOLDER_DESCRIPTION, oldest);
    return s == TN_OK ? remove_before(cx, memory, folder, FOLDER_TENSORS, oldest) : s;
}
