/* The dialect of a file that is written: its name tells, as it does when the file is read. */
#include <string.h>

#include "cli/session/cli.h"
#include "tenon/convert.h"

/* Does PATH end in one of EXTENSIONS, and with something before it? */
static bool has_extension(const char *path, const char *extensions)
{
    const size_t length = strlen(path);
    for (const char *at = extensions; *at;) {
        const size_t n = strcspn(at, " ");
        if (length > n && strncmp(path + length - n, at, n) == 0)
            return true;
        at += n + (at[n] == ' ');
    }
    return false;
}

const char *dialect_of_path(const char *path)
{
    tn_dialect_info info;
    for (size_t i = 0; path && tn_dialect_at(i, &info); i++)
        if (has_extension(path, info.extensions))
            return info.name;
    return NULL;
}

tn_status refuse_other_name(session *s, const char *who, const char *written, const char *path)
{
    const char *named = dialect_of_path(path);
    if (!named || !written || strcmp(named, written) == 0)
        return TN_OK;
    return report_error(s, TN_ERR_USAGE, "Usage",
                        "'%s' writes the dialect of the program, %s, and %s is a name of %s; "
                        "'tenon convert -o %s' converts",
                        who, written, path, named, path);
}

tn_status convert_for(tn_module *m, const char *path)
{
    const char *to = dialect_of_path(path);
    tn_module_info info = {.size = sizeof info};
    const tn_convert_options plain = {0};
    if (!to)
        return TN_OK;
    TN_TRY(tn_module_get_info(m, &info));
    if (info.dialect && strcmp(info.dialect, to) == 0)
        return TN_OK;
    return tn_module_convert(m, to, &plain);
}
