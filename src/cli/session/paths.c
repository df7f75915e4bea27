/* Whether two paths, however their folders are written, are one place: files that are written then,
 * or read and written, would replace each other. A link is replaced itself, so it is another place
 * than what it leads to. */
#include <string.h>
#include <sys/stat.h>

#include "cli/session/cli.h"

bool is_same_folder(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The folder of PATH, which has what is called NAME. */
static const char *folder_of(session *s, const char *path, const char *name)
{
    return name > path ? cli_copy(&s->memory, path, (size_t)(name - path)) : ".";
}

bool is_same_file(session *s, const char *a, const char *b)
{
    struct stat there;
    if (!a || !b || (stat(a, &there) == 0 && !S_ISREG(there.st_mode))) /* /dev/null takes all */
        return false;
    const char *name_a = last_name(a), *name_b = last_name(b);
    if (strcmp(name_a, name_b) != 0)
        return false;
    const char *folder_a = folder_of(s, a, name_a), *folder_b = folder_of(s, b, name_b);
    return folder_a && folder_b &&
           (strcmp(folder_a, folder_b) == 0 || is_same_folder(folder_a, folder_b));
}
